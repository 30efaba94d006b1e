"""The tree of a page → Markdown (CommonMark with GFM tables), and where each link stands in it.

A ``MarkdownConverter`` of markdownify whose ``convert_*`` hooks are kept or replaced one by one, fed from
the tree without recursion: blocks of a paragraph, item or cell are collected in frames on a stack. Knows
how an element reads, not whether it is worth reading: what to leave out it is told.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from markdownify import ATX, MarkdownConverter

from .code import code_language, code_text, fenced, is_fragment, numbered_listing
from .html import Content, Document
from .hyperlinks import Resolver, bare_urls
from .mathematics import formula, split_text, written
from .notes import Notes
from .prose import (
    BREAK,
    DEL,
    DEL_END,
    EM,
    EM_END,
    IMAGE,
    MARK,
    MARK_END,
    SPLIT,
    SPLIT_END,
    STRONG,
    STRONG_END,
    escape,
    one_line,
    paragraphs,
    squeeze,
    trimmed,
)
from .tables import Grid, grid, holds_table, is_column
from .targets import image_target, is_static, target
from .tree import BLOCKS, HEADINGS, SILENT, Element, Tree, text_of
from .visibility import is_admonition, is_hidden, is_notice_title, is_permalink, is_signature

MAX_NESTING = 24
"""Lists and quotes within each other; deeper ones are read as if they ended there."""
MAX_INLINE = 40
"""Inline elements within each other that mean something; deeper ones are read as plain text."""

Block = tuple[str, str]
"""What it is (p, ul, ol, item, term, fence, table …), and its Markdown."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Markdown with the place of every link that gets a mark: offset, and the URL it leads to."""

    markdown: str
    marks: tuple[tuple[int, str], ...]


class _Frame:
    """An element at work: its finished blocks, and the inline text that waits to become one.

    ``joint`` is what a block boundary means: None ends a paragraph, a string is put in its place.
    """

    __slots__ = ("blocks", "code", "depth", "element", "inline", "inner", "joint", "link", "tags")

    def __init__(self, element: Element, outer: "_Frame | None", joint: str | None) -> None:
        self.element = element
        self.joint = joint
        self.blocks: list[Block] = []
        self.inline: list[str] = []
        self.tags: frozenset[str] = outer.tags if outer else frozenset()
        self.depth = outer.depth if outer else 0
        self.inner = outer.inner + 1 if outer else 0
        self.code = outer.code if outer else False
        self.link = outer.link if outer else False


_Close = Callable[[_Frame, _Frame], None]
_Opened = tuple[_Frame, _Close | None]
"""The frame that an element's content goes to, and what its end does with that frame and the outer one."""

_LINES = frozenset({*HEADINGS, "dt", "caption", "figcaption", "summary", "legend"})
_EMPHASIS = {
    **dict.fromkeys(("b", "strong"), (STRONG, STRONG_END)),
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), (EM, EM_END)),
    **dict.fromkeys(("del", "s", "strike"), (DEL, DEL_END)),
}
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_FRAMED = frozenset({"ul", "ol", "menu", "dir", "li", "dl", "dd", "blockquote"})
_INLINE = frozenset({*_EMPHASIS, *_CODE, "a", "sup", "sub", "q", "rt"})
_LIST_KINDS = frozenset({"ul", "ol", "dl"})
_SUFFIX = re.compile(r"(?:st|nd|rd|th|er|re|o|a|®|™|tm|sm|\*|†|‡)\Z", re.IGNORECASE)
_MARKS = re.compile(f"{MARK}(\\d+){MARK_END}")


class Converter(MarkdownConverter):
    """Renders one document; made for it and used once."""

    class Options(MarkdownConverter.DefaultOptions):
        heading_style = ATX
        bullets = "-"

    def __init__(self, document: Document, content: Content, resolver: Resolver) -> None:
        super().__init__()
        self.document = document
        self.resolver = resolver
        self.left_out = content.left_out
        self.notes = Notes(document, content, resolver)
        self.targets: list[str] = []
        self.card: tuple[Element, bool] | None = None
        self.roots = content.roots

    def render(self) -> Rendered:
        """Markdown of the content, and its marks."""
        text = "\n\n".join(filter(None, map(self.process_tag, self.roots)))
        while text.endswith("\n\n---"):
            text = text[:-5].rstrip("\n")
        while text.startswith("---\n\n"):
            text = text[5:]
        parts: list[str] = []
        marks: list[tuple[int, str]] = []
        at = size = 0
        for match in _MARKS.finditer(text):
            parts.append(text[at : match.start()])
            size += match.start() - at
            at = match.end()
            marks.append((size, self.targets[int(match[1])]))
        return Rendered("".join([*parts, text[at:], "\n" if text else ""]), tuple(marks))

    # The walk

    def process_tag(self, node: Element, parent_tags: object = None) -> str:
        """Markdown of one subtree."""
        top = _Frame(node, None, None)
        self._walk(iter([node]), top)
        self._flush(top)
        return _joined(top.blocks)

    def _walk(self, children: Iterator[Element | str], frame: _Frame) -> None:
        """Visit nodes and all below them in document order; ``frame`` collects what comes of them."""
        waiting: list[tuple[Iterator[Element | str], _Frame, _Close | None]] = []
        while True:
            for child in children:
                if isinstance(child, str):
                    self._text(child, frame)
                    continue
                if child in self.left_out:
                    continue
                opened = self._open(child, frame)
                if opened is not None:
                    waiting.append((children, frame, opened[1]))
                    frame = opened[0]
                    children = iter(child.children)
                    break
            else:
                if not waiting:
                    return
                inner = frame
                children, frame, close = waiting.pop()
                if close is not None:
                    close(inner, frame)

    def _open(self, element: Element, frame: _Frame) -> _Opened | None:
        """Begin an element: the frame its content goes to and what to do at its end; None if it is done."""
        name = element.name
        if element.attrs or name == "math" or name == "script":
            if self._formula(element, frame):
                return None
            if is_hidden(element) or ("note" in frame.tags and self.notes.is_label(element)):
                return None
            if element.attrs.get("id") in self.notes.labels and frame.joint is None:
                return self._note(element, frame)
            if frame.joint is None and is_admonition(element):
                self._flush(frame)
                inner = self._deeper(element, frame)
                inner.tags |= {"notice"}
                return inner, self._close_quote
            if "notice" in frame.tags and frame.joint is None and is_notice_title(element):
                self._flush(frame)
                return _Frame(element, frame, " "), self._close_notice_title
        if name in _LEAVES:
            _LEAVES[name](self, element, frame)
            return None
        if name in _INLINE:
            return self._open_inline(element, frame)
        if name in SILENT or name == "button":
            return None
        if name not in BLOCKS:
            return frame, None
        if frame.joint is not None:
            return self._open_within_line(element, frame)
        self._flush(frame)
        if name in _LINES:
            inner = _Frame(element, frame, " ")
            inner.tags = frame.tags | {name}
            inner.code = name == "dt" and is_signature(element, self.resolver)
            return inner, self._close_line
        if name == "table":
            return self._open_table(element, frame)
        if name in ("td", "th") and "column" in frame.tags and frame.element.name == "table":
            return self._deeper(element, frame), self._close_item
        if name == "div":
            if is_fragment(element):
                self._pre(element, frame)
                return None
            if "line-block" in element.get("class").split():
                return _Frame(element, frame, BREAK), self._close_lines
        if name in _FRAMED and frame.depth < MAX_NESTING:
            return self._deeper(element, frame), _CLOSERS[name].__get__(self)
        return frame, self._close_block

    def _deeper(self, element: Element, frame: _Frame) -> _Frame:
        inner = _Frame(element, frame, None)
        inner.depth = frame.depth + 1
        inner.tags = frame.tags | {element.name}
        return inner

    def _open_within_line(self, element: Element, frame: _Frame) -> _Opened:
        """A block where only a line can be: its boundaries become what joins lines there."""
        frame.inline.append(frame.joint or " ")
        if element.name == "li" and frame.joint == BREAK:
            frame.inline.append("• ")
        return frame, self._close_within_line

    def _close_within_line(self, inner: _Frame, outer: _Frame) -> None:
        inner.inline.append(inner.joint or " ")

    def _close_block(self, inner: _Frame, outer: _Frame) -> None:
        self._flush(inner)

    # Text

    def _text(self, text: str, frame: _Frame) -> None:
        if frame.code:
            frame.inline.append(squeeze(text))
            return
        if text.isspace():
            if frame.inline and "\xa0" not in text:
                frame.inline.append(" ")
            elif frame.inline or frame.joint is not None:
                frame.inline.append(" ")
            return
        if "://" in text and not frame.link:
            self._text_with_urls(squeeze(text), frame)
        else:
            self._plain(squeeze(text), frame)

    def _plain(self, text: str, frame: _Frame) -> None:
        if "\\" in text and ("\\(" in text or "\\[" in text):
            for piece, display in split_text(text):
                frame.inline.append(escape(piece, frame.link) if display is None else written(piece, display))
            return
        if text[:1] in "(:[" and frame.inline and frame.inline[-1].endswith("]") and not frame.link:
            frame.inline[-1] = frame.inline[-1][:-1] + "\\]"
        frame.inline.append(escape(text, frame.link))

    def _text_with_urls(self, text: str, frame: _Frame) -> None:
        at = 0
        for start, end in bare_urls(text):
            url = self.resolver.url(text[start:end])
            if url is None:
                continue
            self._plain(text[at:start], frame)
            frame.inline.append(_autolink(text[start:end], text[end : end + 1]) + self._mark(url))
            at = end
        if at < len(text):
            self._plain(text[at:], frame)

    def _flush(self, frame: _Frame) -> None:
        """End the paragraph at hand."""
        if not frame.inline:
            return
        text = "".join(frame.inline)
        frame.inline = []
        found = paragraphs(text)
        if found and self.card is not None and not self.card[1]:
            found[0] = self._carded(found[0].replace("\\\n", " "))
        frame.blocks += [("p", paragraph) for paragraph in found]

    # Inline elements

    def _open_inline(self, element: Element, frame: _Frame) -> _Opened | None:
        name = element.name
        if name == "a":
            return self._open_link(element, frame)
        if element.holds_blocks and frame.joint is None:
            return frame, None
        if frame.code or frame.inner > MAX_INLINE:
            return frame, None
        if name == "sup" and (label := self.notes.reference(element)):
            frame.inline.append(f"[^{label}]")
            return None
        kind = _KINDS.get(name, name)
        if kind in frame.tags or (kind == "b" and not frame.tags.isdisjoint(HEADINGS)):
            return frame, None
        inner = _Frame(element, frame, frame.joint if frame.joint is not None else " ")
        if frame.joint is None and kind != "code":
            inner.joint = BREAK
        inner.tags = frame.tags | {kind}
        inner.code = kind == "code"
        return inner, self._close_inline

    def _close_inline(self, inner: _Frame, outer: _Frame) -> None:
        text = "".join(inner.inline)
        name = inner.element.name
        if name in _CODE:
            outer.inline.append(self._code_span(inner.element, text))
        elif text:
            convert = self.get_conv_fn_cached(name)
            outer.inline.append(convert(inner.element, text, inner.tags))

    def _code_span(self, element: Element, text: str) -> str:
        """Code in a line; links in it, which no code span can hold, stand between spans."""
        pieces = re.split(f"({SPLIT}.*?{SPLIT_END}|{BREAK})", text)
        return "".join(
            piece.strip(SPLIT + SPLIT_END)
            if piece[:1] in (SPLIT, BREAK)
            else self.convert_code(element, piece, ())
            for piece in pieces
            if piece
        )

    def convert_code(self, el: Element, text: str, parent_tags: object) -> str:
        """A code span; blanks at its ends stand outside, backticks at its ends are kept off the fence."""
        span: str = super().convert_code(el, text.replace("![", IMAGE + "["), set())
        return span

    convert_kbd = convert_samp = convert_tt = convert_code

    def _emphasis(self, el: Element, text: str, parent_tags: object) -> str:
        before, inner, after = trimmed(text)
        start, end = _EMPHASIS[el.name]
        return f"{before}{start}{inner}{end}{after}" if inner else text

    convert_b = convert_strong = convert_em = convert_i = convert_cite = convert_dfn = convert_var = _emphasis
    convert_del = convert_s = convert_strike = _emphasis

    def convert_sup(self, el: Element, text: str, parent_tags: object) -> str:
        """Raised text: HTML, since Markdown has no sign for it; ordinals and trade marks as they are."""
        before, inner, after = trimmed(text)
        if not inner or _SUFFIX.match(inner) or MARK in inner:
            return text
        return f"{before}<{el.name}>{inner}</{el.name}>{after}"

    convert_sub = convert_sup

    def convert_rt(self, el: Element, text: str, parent_tags: object) -> str:
        """The reading beside a character, in parentheses."""
        return f"({text.strip()})" if text.strip() else ""

    # Links and images

    def _open_link(self, element: Element, frame: _Frame) -> _Opened | None:
        href = element.attrs.get("href")
        if href is None or frame.link:
            return frame, None
        stays = self.resolver.stays(href)
        if stays and is_permalink(element):
            return None
        if label := self.notes.reference(element):
            frame.inline.append(f"[^{label}]")
            return None
        if stays and not frame.tags.isdisjoint(HEADINGS):
            return frame, None
        if element.holds_blocks and frame.joint is None:
            self._flush(frame)
            headings = any(inner.name in HEADINGS for inner in self.document.tree.within(element)[:300])
            self.card = (element, headings)
            return frame, self._close_card
        inner = _Frame(element, frame, " " if frame.joint is None else frame.joint)
        inner.link = True
        return inner, self._close_link

    def _close_link(self, inner: _Frame, outer: _Frame) -> None:
        text = "".join(inner.inline)
        if inner.code:
            text = SPLIT + self._link(inner.element, self._code_span(inner.element, text)) + SPLIT_END
        else:
            text = self._link(inner.element, text)
        outer.inline.append(text)

    def _link(self, element: Element, text: str) -> str:
        """``[text](target)`` and the place of its mark; what leads nowhere is text."""
        before, inner, after = trimmed(text.replace(BREAK, " "))
        if not inner:
            return text
        href = element.get("href")
        url = target(self.resolver, href)
        if not url:
            return before + inner + after
        page = self.resolver.url(href)
        mark = self._mark(page) if page and not self.resolver.stays(href) else ""
        if "://" in inner and text_of(element).strip("<>") in (href.strip(), url):
            return f"{before}<{url}>{mark}{after}"
        return f"{before}[{inner}]({url}){mark}{after}"

    def _close_card(self, inner: _Frame, outer: _Frame) -> None:
        self._flush(inner)
        self.card = None

    def _carded(self, text: str) -> str:
        """The first line of a link around blocks: the link stands on it alone."""
        assert self.card is not None
        element, self.card = self.card[0], None
        return text if "](" in text and not text.startswith("![") else self._link(element, text)

    def _mark(self, url: str) -> str:
        if is_static(url):
            return ""
        self.targets.append(url)
        return f"{MARK}{len(self.targets) - 1}{MARK_END}"

    def _image(self, element: Element, frame: _Frame) -> None:
        alt = escape(squeeze(element.get("alt")).strip(), brackets=True)
        source = image_target(self.resolver, element)
        if frame.code:
            return
        if not source or not frame.tags.isdisjoint(HEADINGS) or "emoji" in element.get("class"):
            frame.inline.append(alt)
        else:
            frame.inline.append(f"{IMAGE}[{alt}]({source})")

    def _media(self, element: Element, frame: _Frame) -> None:
        inner = self.document.tree.within(element)
        source = next((node.get("src") for node in inner if node.get("src")), "")
        url = target(self.resolver, source) if source else ""
        if url and not frame.code:
            title = element.get("title") or element.get("aria-label") or element.name.capitalize()
            frame.inline.append(f"[{escape(squeeze(title), brackets=True)}]({url})")

    def _break(self, element: Element, frame: _Frame) -> None:
        frame.inline.append(" " if frame.joint == " " and not frame.code else frame.joint or BREAK)

    def _rule(self, element: Element, frame: _Frame) -> None:
        if frame.joint is None:
            self._flush(frame)
            frame.blocks.append(("hr", "---"))

    def _checkbox(self, element: Element, frame: _Frame) -> None:
        if element.get("type").lower() == "checkbox" and "li" in frame.tags and not frame.code:
            frame.inline.append("[x] " if "checked" in element.attrs else "[ ] ")

    def _formula(self, element: Element, frame: _Frame) -> bool:
        found = formula(element)
        if found is None:
            return False
        tex, display = found
        if not tex:
            return True
        if display and frame.joint is None:
            self._flush(frame)
            frame.blocks.append(("math", written(tex, True)))
        else:
            frame.inline.append(written(tex, display))
        return True

    def _pre(self, element: Element, frame: _Frame) -> None:
        text = code_text(element)
        if not text.strip():
            return
        if frame.joint is None:
            self._flush(frame)
            frame.blocks.append(("fence", fenced(text, code_language(element))))
        else:
            lines = [self.convert_code(element, line, ()) for line in text.split("\n") if line.strip()]
            frame.inline.append(frame.joint + frame.joint.join(lines) + frame.joint)

    # Lines and blocks

    def _close_lines(self, inner: _Frame, outer: _Frame) -> None:
        """Lines that belong together, as of a poem or an address, each in a line of its own."""
        text = BREAK.join(line for line in "".join(inner.inline).split(BREAK) if line.strip())
        outer.blocks += [("p", paragraph) for paragraph in paragraphs(text)]

    def _close_line(self, inner: _Frame, outer: _Frame) -> None:
        element = inner.element
        text = one_line("".join(inner.inline))
        if not text:
            return
        if inner.code:
            text = self._code_span(element, text)
        if self.card is not None and element.name in HEADINGS:
            text = self._carded(text)
        name = element.name
        if name in HEADINGS:
            heading = self.get_conv_fn_cached(name)(element, text, set())
            outer.blocks.append((name, heading.strip("\n")))
        elif name == "dt":
            outer.blocks.append(("term", text))
        elif name in ("summary", "legend"):
            outer.blocks.append(("p", f"**{text}**" if not text.startswith("**") else text))
        else:
            outer.blocks.append(("p", text))

    def _close_notice_title(self, inner: _Frame, outer: _Frame) -> None:
        text = one_line("".join(inner.inline)).strip("*")
        if text:
            outer.blocks.append(("p", f"**{text}**"))

    def _close_quote(self, inner: _Frame, outer: _Frame) -> None:
        self._flush(inner)
        text = _joined(inner.blocks)
        if text:
            outer.blocks.append(("quote", self.convert_blockquote(inner.element, text, set()).strip("\n")))

    def _close_item(self, inner: _Frame, outer: _Frame) -> None:
        self._flush(inner)
        kinds = [kind for kind, _ in inner.blocks]
        simple = kinds[:1] == ["p"] and all(kind in _LIST_KINDS for kind in kinds[1:])
        text = _joined(inner.blocks, tight=simple)
        if text:
            outer.blocks.append(("item" if simple or kinds in (["ul"], ["ol"], ["dl"]) else "loose item", text))

    def _close_list(self, inner: _Frame, outer: _Frame) -> None:
        """Items under bullets or numbers; a list beside another of its kind takes the other sign."""
        self._flush(inner)
        ordered = inner.element.name == "ol"
        number = _start(inner.element)
        sign = _list_sign(outer.blocks, ordered)
        items: list[str] = []
        rest: list[Block] = []
        tight = True
        for kind, text in inner.blocks:
            if kind == "note":
                rest.append((kind, text))
                continue
            if kind in _LIST_KINDS and items:  # a list directly in a list belongs to the item before
                width = len(items[-1]) - len(items[-1].lstrip("0123456789")) + 2
                items[-1] += "\n" + _indented(text, " " * width)
                continue
            tight = tight and kind != "loose item"
            marker = f"{number}{sign} " if ordered else f"{sign} "
            items.append(marker + _indented(text, " " * len(marker))[len(marker) :])
            number += 1
        if items:
            outer.blocks.append(("ol" if ordered else "ul", ("\n" if tight else "\n\n").join(items)))
        outer.blocks += rest

    def _close_definitions(self, inner: _Frame, outer: _Frame) -> None:
        """Terms as items, each with what defines it below."""
        self._flush(inner)
        sign = _list_sign(outer.blocks, ordered=False, alike="dl")
        items: list[str] = []
        rest: list[Block] = []
        label = ""
        tight = True
        for kind, text in inner.blocks:
            if label:
                rest.append(("note", f"[^{label}]: {_indented(text, '    ')[4:]}"))
                label = ""
            elif kind == "label":
                label = text
            elif kind == "note":
                rest.append((kind, text))
            elif kind == "term" or not items:
                items.append(f"{sign} {_indented(text, '  ')[2:]}")
            else:
                tight = tight and kind == "list"
                items[-1] += ("\n" if tight else "\n\n") + _indented(text, "  ")
        if items:
            outer.blocks.append(("dl", ("\n" if tight else "\n\n").join(items)))
        outer.blocks += rest

    def _close_definition(self, inner: _Frame, outer: _Frame) -> None:
        self._flush(inner)
        text = _joined(inner.blocks)
        if text:
            nested = all(kind in _LIST_KINDS for kind, _ in inner.blocks)
            outer.blocks.append(("list" if nested else "definition", text))

    def _note(self, element: Element, frame: _Frame) -> _Opened:
        self._flush(frame)
        inner = self._deeper(element, frame)
        inner.tags |= {"note"}
        return inner, self._close_note

    def _close_note(self, inner: _Frame, outer: _Frame) -> None:
        self._flush(inner)
        text = _joined(inner.blocks)
        label = self.notes.labels[inner.element.get("id")]
        if inner.element.name == "dt":
            outer.blocks.append(("label", label))
        elif text:
            outer.blocks.append(("note", f"[^{label}]: {_indented(text, '    ')[4:]}"))

    # Tables

    def _open_table(self, element: Element, frame: _Frame) -> _Opened | None:
        if holds_table(element, self.document.tree):
            return frame, self._close_block
        within = self.document.tree.within(element)
        listing = numbered_listing(element)
        if listing:
            for block in listing:
                self._pre(block, frame)
            return None
        found = grid(element, within) if "notice" not in frame.tags or len(within) > 20 else None
        if found is None or any(inner in self.left_out for inner in within):
            if is_column(element) and frame.depth < MAX_NESTING:
                inner_frame = self._deeper(element, frame)
                inner_frame.tags |= {"column"}
                return inner_frame, self._close_list
            return frame, self._close_block
        text = self._table(found)
        if found.caption is not None and (caption := self._cell(found.caption)):
            frame.blocks.append(("p", caption.replace("<br>", " ")))
        if text:
            frame.blocks.append(("table", text))
        return None

    def _table(self, table: Grid) -> str:
        rows = [[self._cell(cell) if cell is not None else "" for cell in row] for row in table.rows]
        rows = [row for row in rows if any(row)]
        if not rows:
            return ""
        head, body = (rows[0], rows[1:]) if table.headed else ([""] * len(rows[0]), rows)
        lines = [_row(head), "|" + " --- |" * len(head), *map(_row, body)]
        return "\n".join(lines)

    def _cell(self, cell: Element) -> str:
        """Text of a cell in one line; its blocks are set apart by ``<br>``."""
        frame = _Frame(cell, None, BREAK)
        self._walk(iter(cell.children), frame)
        return one_line("".join(frame.inline), "<br>").replace("|", "\\|")


_KINDS = {
    **dict.fromkeys(("b", "strong"), "b"),
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("del", "s", "strike"), "del"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
}
_LEAVES: dict[str, Callable[[Converter, Element, _Frame], None]] = {
    "br": Converter._break,
    "hr": Converter._rule,
    "img": Converter._image,
    "pre": Converter._pre,
    "listing": Converter._pre,
    "xmp": Converter._pre,
    "input": Converter._checkbox,
    "video": Converter._media,
    "audio": Converter._media,
}
_CLOSERS = {
    "ul": Converter._close_list,
    "ol": Converter._close_list,
    "menu": Converter._close_list,
    "dir": Converter._close_list,
    "li": Converter._close_item,
    "dl": Converter._close_definitions,
    "dd": Converter._close_definition,
    "blockquote": Converter._close_quote,
}


def _joined(blocks: list[Block], tight: bool = False) -> str:
    return ("\n" if tight else "\n\n").join(text for _, text in blocks)


def _indented(text: str, margin: str) -> str:
    return "\n".join(margin + line if line else "" for line in text.split("\n"))


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _start(element: Element) -> int:
    start = element.get("start").strip()
    return int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1


def _list_sign(before: list[Block], ordered: bool, alike: str = "") -> str:
    """The other sign where the block before is a list that would otherwise go on; one ``alike`` may."""
    kind, text = before[-1] if before else ("", "")
    if ordered:
        return ")" if kind == "ol" and re.match(r"\d+\.", text) else "."
    if alike and kind == alike:
        return text[0]
    return "*" if kind in ("ul", "dl") and text.startswith("-") else "-"


_SAFE_BARE = re.compile(r"(?:[A-Za-z0-9:/?=.,#%+\-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])|&(?![#A-Za-z0-9]+;))+\Z")


def _autolink(written_url: str, following: str) -> str:
    """A URL of running text: bare where every reader of Markdown ends it at the same place."""
    if _SAFE_BARE.match(written_url) and (not following or following in " .,;:!?)'\""):
        return written_url
    return f"<{written_url}>"


def render(document: Document, content: Content, resolver: Resolver) -> Rendered:
    """Markdown of a page's main content."""
    return Converter(document, content, resolver).render()


__all__ = ["Converter", "Rendered", "Tree", "render"]
