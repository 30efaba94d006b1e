"""The tree of a page → Markdown (CommonMark with GFM tables), and where each link stands in it.

A ``MarkdownConverter`` of markdownify whose ``convert_*`` hooks are kept or replaced one by one, fed from
the tree without recursion: blocks of a paragraph, item or cell are collected in frames on a stack. Knows
how an element reads, not whether it is worth reading: what to leave out it is told.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .code import code_language, code_text, fenced, is_fragment, numbered_listing
from .frames import Frame, defined, definition, item, joined, listed, note, row
from .html import Content, Document
from .hyperlinks import Resolver
from .mathematics import formula, written
from .prose import BREAK, HEADING, MARK, MARK_END, PLACE, PLACE_END, one_line, paragraphs
from .spans import INLINE, Close, Opened, SpanConverter
from .tables import Grid, grid, holds_table, is_column
from .tree import BLOCKS, HEADINGS, SILENT, Element
from .visibility import is_admonition, is_hidden, is_notice_title, is_signature, is_variant

MAX_NESTING = 24
"""Lists and quotes within each other; deeper ones are read as if they ended there."""
SMALL_TABLE = 20
"""Elements: within a notice such a table sets an icon beside the text."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Markdown with the place of every link that gets a mark: offset, and the URL it leads to."""

    markdown: str
    marks: tuple[tuple[int, str], ...]
    places: tuple[int, ...]
    """Where each destination of a link or image begins and where it ends, in order, all in one row."""
    headings: tuple[tuple[Element, str], ...] = ()
    """Its headings, each with the line that it became."""


def render(document: Document, content: Content, resolver: Resolver) -> Rendered:
    """Markdown of a page's main content."""
    return Converter(document, content, resolver).render()


_LINES = frozenset({*HEADINGS, "dt", "caption", "figcaption", "summary", "legend"})
_FRAMED = frozenset({"ul", "ol", "menu", "dir", "li", "dl", "dd", "blockquote"})
_MARKS = re.compile(f"([{MARK}{HEADING}])(\\d+){MARK_END}|[{PLACE}{PLACE_END}]")


class Converter(SpanConverter):
    """Renders one document; made for it and used once."""

    def __init__(self, document: Document, content: Content, resolver: Resolver) -> None:
        super().__init__(document, content, resolver)
        self.roots = content.roots
        self.left_out = content.left_out

    def render(self) -> Rendered:
        """Markdown of the content, and its marks."""
        text = "\n\n".join(filter(None, map(self.process_tag, self.roots)))
        while text.endswith("\n\n---"):
            text = text[:-5].rstrip("\n")
        while text.startswith("---\n\n"):
            text = text[5:]
        parts: list[str] = []
        marks: list[tuple[int, str]] = []
        places: list[int] = []
        headings: list[tuple[Element, str]] = []
        at = size = 0
        for match in _MARKS.finditer(text):
            parts.append(text[at : match.start()])
            size += match.start() - at
            at = match.end()
            if match[1] is None:
                places.append(size)
            elif match[1] == MARK:
                marks.append((size, self.targets[int(match[2])]))
            else:
                line = text[text.rfind("\n", 0, at) + 1 : match.start()]
                headings.append((self.document.tree.elements[int(match[2])], _MARKS.sub("", line)))
        markdown = "".join([*parts, text[at:], "\n" if text else ""])
        return Rendered(markdown, tuple(marks), tuple(places), tuple(headings))

    # The walk

    def process_tag(self, node: Element, parent_tags: object = None) -> str:
        """Markdown of one subtree."""
        top = Frame(node, None, None)
        self._walk(iter([node]), top)
        self._flush(top)
        return joined(top.blocks)

    def _walk(self, children: Iterator[Element | str], frame: Frame) -> None:
        """Visit nodes and all below them in document order; ``frame`` collects what comes of them."""
        waiting: list[tuple[Iterator[Element | str], Frame, Close | None]] = []
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

    def _open(self, element: Element, frame: Frame) -> Opened | None:
        """Begin an element: the frame its content goes to and what to do at its end; None if it is done."""
        name = element.name
        if element.attrs or name in ("math", "script"):
            if self._is_done(element, frame):
                return None
            special = self._open_special(element, frame) if frame.joint is None else None
            if special is not None:
                return special
        if name in _LEAVES:
            _LEAVES[name](self, element, frame)
            return None
        if name in INLINE:
            return self._open_inline(element, frame)
        if name in SILENT or name == "button":
            return None
        if name not in BLOCKS:
            return frame, None
        return (
            self._open_block(element, frame)
            if frame.joint is None
            else self._open_within_line(element, frame)
        )

    def _is_done(self, element: Element, frame: Frame) -> bool:
        """Is there nothing to descend into: a formula, something hidden, the number of a note?"""
        if self._formula(element, frame) or is_hidden(element):
            return True
        if frame.inline and is_variant(element, later=True):
            frame.inline.append(" / ")
        return "note" in frame.tags and self.notes.is_label(element)

    def _open_special(self, element: Element, frame: Frame) -> Opened | None:
        """Begin an element that its attributes make another thing than its name says; None for others."""
        if element.attrs.get("id") in self.notes.labels:
            self._flush(frame)
            return frame.nested(element, "note"), self._close_note
        if is_admonition(element):
            self._flush(frame)
            return frame.nested(element, "notice"), self._close_quote
        if "notice" in frame.tags and is_notice_title(element):
            self._flush(frame)
            return frame.line(element), self._close_notice_title
        return None

    def _open_block(self, element: Element, frame: Frame) -> Opened | None:
        self._flush(frame)
        name = element.name
        if name in _FRAMED and frame.depth < MAX_NESTING:
            return frame.nested(element), _CLOSERS[name].__get__(self)
        if name in _LINES and not _is_wrapper(element):
            inner = frame.line(element)
            inner.code = name == "dt" and is_signature(element, self.resolver)
            return inner, self._close_line
        if name == "table":
            return self._open_table(element, frame)
        if name in ("td", "th") and "column" in frame.tags and frame.element.name == "table":
            return frame.nested(element), self._close_item
        if name == "div" and element.attrs:
            if is_fragment(element):
                self._pre(element, frame)
                return None
            if "line-block" in element.get("class").split():
                return frame.line(element, BREAK), self._close_lines
        return frame, self._close_block

    def _open_within_line(self, element: Element, frame: Frame) -> Opened:
        """A block where only a line can be: its boundaries become what joins lines there."""
        frame.inline.append(frame.joint or " ")
        if element.name == "li" and frame.joint == BREAK:
            frame.inline.append("• ")
        return frame, self._close_within_line

    def _close_within_line(self, inner: Frame, outer: Frame) -> None:
        inner.inline.append(inner.joint or " ")

    def _close_block(self, inner: Frame, outer: Frame) -> None:
        self._flush(inner)

    def _flush(self, frame: Frame) -> None:
        """End the paragraph at hand."""
        if not frame.inline:
            return
        text = "".join(frame.inline)
        frame.inline = []
        found = paragraphs(text)
        if found and self.card is not None and not self.card[1]:
            found[0] = self._carded(found[0].replace("\\\n", " "))
        frame.blocks += [("p", paragraph) for paragraph in found]

    def _open_card(self, element: Element, frame: Frame) -> Opened:
        """Begin a link around blocks: it goes to the first heading in it, or to its first line."""
        self._flush(frame)
        within = self.document.tree.elements[element.index : min(element.end, element.index + 300)]
        self.card = (element, any(inner.name in HEADINGS for inner in within))
        return frame, self._close_card

    def _close_card(self, inner: Frame, outer: Frame) -> None:
        self._flush(inner)
        self.card = None

    def _rule(self, element: Element, frame: Frame) -> None:
        if frame.joint is None:
            self._flush(frame)
            if not frame.blocks or frame.blocks[-1][0] != "hr":
                frame.blocks.append(("hr", "---"))

    def _formula(self, element: Element, frame: Frame) -> bool:
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

    def _pre(self, element: Element, frame: Frame) -> None:
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

    def _close_lines(self, inner: Frame, outer: Frame) -> None:
        """Lines that belong together, as of a poem or an address, each in a line of its own."""
        text = BREAK.join(line for line in "".join(inner.inline).split(BREAK) if line.strip())
        outer.blocks += [("p", paragraph) for paragraph in paragraphs(text)]

    def _close_line(self, inner: Frame, outer: Frame) -> None:
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
            line = self.rendered("convert_hN", int(name[1]), element, text)
            outer.blocks.append((name, f"{line}{HEADING}{element.index}{MARK_END}"))
        elif name == "dt":
            outer.blocks.append(("term", text))
        elif name in ("summary", "legend"):
            outer.blocks.append(("p", f"**{text}**" if not text.startswith("**") else text))
        else:
            outer.blocks.append(("p", text))

    def _close_notice_title(self, inner: Frame, outer: Frame) -> None:
        text = one_line("".join(inner.inline)).strip("*")
        if text:
            outer.blocks.append(("p", f"**{text}**"))

    def _close_quote(self, inner: Frame, outer: Frame) -> None:
        self._flush(inner)
        text = joined(inner.blocks)
        if text:
            outer.blocks.append(("quote", self.rendered("convert_blockquote", inner.element, text)))

    def _close_item(self, inner: Frame, outer: Frame) -> None:
        self._flush(inner)
        if inner.blocks:
            outer.blocks.append(item(inner.blocks))

    def _close_list(self, inner: Frame, outer: Frame) -> None:
        self._flush(inner)
        start = _start(inner.element) if inner.element.name == "ol" else None
        outer.blocks += listed(inner.blocks, outer.blocks, start)

    def _close_definitions(self, inner: Frame, outer: Frame) -> None:
        self._flush(inner)
        outer.blocks += defined(inner.blocks, outer.blocks)

    def _close_definition(self, inner: Frame, outer: Frame) -> None:
        self._flush(inner)
        if inner.blocks:
            outer.blocks.append(definition(inner.blocks))

    def _close_note(self, inner: Frame, outer: Frame) -> None:
        self._flush(inner)
        text = joined(inner.blocks)
        label = self.notes.labels[inner.element.get("id")]
        if inner.element.name == "dt":
            outer.blocks.append(("label", label))
        elif text:
            outer.blocks.append(("note", note(label, text)))

    # Tables

    def _open_table(self, element: Element, frame: Frame) -> Opened | None:
        if holds_table(element, self.document.tree):
            return frame, self._close_block
        within = self.document.tree.within(element)
        listing = numbered_listing(element)
        if listing:
            for block in listing:
                self._pre(block, frame)
            return None
        found = grid(element, within) if "notice" not in frame.tags or len(within) > SMALL_TABLE else None
        if found is None:
            if is_column(element) and frame.depth < MAX_NESTING:
                return frame.nested(element, "column"), self._close_list
            return frame, self._close_block
        text = self._table(found)
        if found.caption is not None and (caption := self._cell(found.caption)):
            frame.blocks.append(("p", caption.replace("<br>", " ")))
        if text:
            frame.blocks.append(("table", text))
        return None

    def _table(self, table: Grid) -> str:
        rows = [[self._cell(cell) if cell is not None else "" for cell in cells] for cells in table.rows]
        rows = [cells for cells in rows if any(cells)]
        if not rows:
            return ""
        head, body = (rows[0], rows[1:]) if table.headed else ([""] * len(rows[0]), rows)
        lines = [row(head), "|" + " --- |" * len(head), *map(row, body)]
        return "\n".join(lines)

    def _cell(self, cell: Element) -> str:
        """Text of a cell in one line; its blocks are set apart by ``<br>``."""
        if cell in self.left_out or (cell.parent is not None and cell.parent in self.left_out):
            return ""
        frame = Frame(cell, None, BREAK)
        self._walk(iter(cell.children), frame)
        return one_line("".join(frame.inline), "<br>").replace("|", "\\|")


_LEAVES: dict[str, Callable[[Converter, Element, Frame], None]] = {
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


def _is_wrapper(element: Element) -> bool:
    """Is this a summary around a heading, which is the heading's alone to say?"""
    return element.name == "summary" and any(inner.name in HEADINGS for inner in element.elements())


def _start(element: Element) -> int:
    start = element.get("start").strip()
    return int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
