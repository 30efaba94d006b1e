"""What stands in a line, as Markdown: text, emphasis, code, links, images, notes and formulas in it.

The inline half of the converter in ``markdown.py``: hooks of markdownify for inline elements, kept or
replaced one by one, and where each link stands.
"""

import re
from collections.abc import Callable
from typing import Any

from markdownify import ATX, MarkdownConverter

from .frames import Frame
from .html import Content, Document
from .hyperlinks import Resolver, bare_urls
from .mathematics import split_text, written
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
    PLACE,
    PLACE_END,
    SPLIT,
    SPLIT_END,
    STRONG,
    STRONG_END,
    escape,
    squeeze,
    trimmed,
)
from .targets import image_target, is_static, target
from .tree import HEADINGS, Element, text_of
from .visibility import is_permalink

MAXINLINE = 40
"""Inline elements within each other that mean something; deeper ones are read as plain text."""

_Hook = Callable[[Element, str, Any], str]
"""markdownify's: element, its text, the tags around it → Markdown."""
Close = Callable[[Frame, Frame], None]
Opened = tuple[Frame, Close | None]
"""The frame that an element's content goes to, and what its end does with that frame and the outer one."""

_EMPHASIS = {
    **dict.fromkeys(("b", "strong"), (STRONG, STRONG_END)),
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), (EM, EM_END)),
    **dict.fromkeys(("del", "s", "strike"), (DEL, DEL_END)),
}
CODE = frozenset({"code", "kbd", "samp", "tt"})
INLINE = frozenset({*_EMPHASIS, *CODE, "a", "sup", "sub", "q", "rt"})
_KINDS = {
    **dict.fromkeys(("b", "strong"), "b"),
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("del", "s", "strike"), "del"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
}
_LONE_STAR = re.compile(r"\A\*(?= |\Z)|(?<= )\*\Z")
"""An asterisk that means nothing between blanks, but does beside the sign of emphasis."""
_SUFFIX = re.compile(r"(?:st|nd|rd|th|er|re|o|a|®|™|tm|sm|\*|†|‡)\Z", re.IGNORECASE)


class SpanConverter(MarkdownConverter):
    """Renders what stands in lines of one document."""

    def __init__(self, document: Document, content: Content, resolver: Resolver) -> None:
        super().__init__(heading_style=ATX)
        self.document = document
        self.resolver = resolver
        self.notes = Notes(document, content, resolver)
        self.targets: list[str] = []
        """URLs of the links that get a mark, by its number."""
        self.card: tuple[Element, bool] | None = None
        """A link around blocks that still waits for its line, and whether that is a heading."""

    # Text

    def _text(self, text: str, frame: Frame) -> None:
        if frame.code:
            frame.inline.append(squeeze(text))
            return
        if text.isspace():
            if frame.inline or frame.joint is not None:
                frame.inline.append(" ")
            return
        if "://" in text and not frame.link:
            self._text_with_urls(squeeze(text), frame)
        else:
            self._plain(squeeze(text), frame)

    def _plain(self, text: str, frame: Frame) -> None:
        if "\\" in text and ("\\(" in text or "\\[" in text):
            for piece, display in split_text(text):
                frame.inline.append(escape(piece, frame.link) if display is None else written(piece, display))
            return
        if text[:1] in "(:[" and frame.inline and frame.inline[-1].endswith("]") and not frame.link:
            frame.inline[-1] = frame.inline[-1][:-1] + "\\]"
        frame.inline.append(escape(text, frame.link))

    def _text_with_urls(self, text: str, frame: Frame) -> None:
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

    # Inline elements

    def _open_inline(self, element: Element, frame: Frame) -> Opened | None:
        name = element.name
        if name == "a":
            return self._open_link(element, frame)
        if element.holds_blocks and frame.joint is None:
            return frame, None
        if frame.code or frame.inner > MAXINLINE:
            return frame, None
        if name == "sup" and (label := self.notes.reference(element)):
            frame.inline.append(f"[^{label}]")
            return None
        kind = _KINDS.get(name, name)
        if kind in frame.tags or (kind == "b" and not frame.tags.isdisjoint(HEADINGS)):
            return frame, None
        inner = Frame(element, frame, frame.joint if frame.joint is not None else " ")
        if frame.joint is None and kind != "code":
            inner.joint = BREAK
        inner.tags = frame.tags | {kind}
        inner.code = kind == "code"
        return inner, self._close_inline

    def _close_inline(self, inner: Frame, outer: Frame) -> None:
        text = "".join(inner.inline)
        name = inner.element.name
        if name in CODE:
            _append_span(outer.inline, self._code_span(inner.element, text))
        elif text:
            convert: _Hook = getattr(self, f"convert_{name}")
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

    def convert_code(self, el: Element, text: str, parent_tags: Any) -> str:
        """A code span; blanks at its ends stand outside, backticks at its ends are kept off the fence."""
        convert: _Hook = getattr(super(), "convert_code")  # noqa: B009 (its stub does not name it)
        return convert(el, text.replace("![", IMAGE + "["), set())

    convert_kbd = convert_samp = convert_tt = convert_code

    def _emphasis(self, el: Element, text: str, parent_tags: Any) -> str:
        before, inner, after = trimmed(text)
        inner = _LONE_STAR.sub(r"\\*", inner)
        start, end = _EMPHASIS[el.name]
        return f"{before}{start}{inner}{end}{after}" if inner else text

    convert_b = convert_strong = convert_em = convert_i = convert_cite = convert_dfn = convert_var = _emphasis
    convert_del = convert_s = convert_strike = _emphasis

    def convert_sup(self, el: Element, text: str, parent_tags: Any) -> str:
        """Raised text: HTML, since Markdown has no sign for it; ordinals and trade marks as they are."""
        before, inner, after = trimmed(text)
        if not inner or _SUFFIX.match(inner) or MARK in inner:
            return text
        return f"{before}<{el.name}>{inner}</{el.name}>{after}"

    convert_sub = convert_sup

    def convert_rt(self, el: Element, text: str, parent_tags: Any) -> str:
        """The reading beside a character, in parentheses."""
        return f"({text.strip()})" if text.strip() else ""

    def rendered(self, hook: str, *given: Any) -> str:
        """A block as a hook of markdownify's renders it, without the blank lines around."""
        convert: Callable[..., str] = getattr(self, hook)
        return convert(*given, set()).strip("\n")

    # Links and images

    def _open_link(self, element: Element, frame: Frame) -> Opened | None:
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
            return self._open_card(element, frame)
        inner = Frame(element, frame, " " if frame.joint is None else frame.joint)
        inner.link = True
        return inner, self._close_link

    def _close_link(self, inner: Frame, outer: Frame) -> None:
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
            return f"{before}{_placed(f'<{url}>')}{mark}{after}"
        return f"{before}[{inner}]({_placed(url)}){mark}{after}"

    def _open_card(self, element: Element, frame: Frame) -> Opened:
        """Begin a link around blocks."""
        raise NotImplementedError

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

    def _image(self, element: Element, frame: Frame) -> None:
        alt = escape(squeeze(element.get("alt")).strip(), brackets=True)
        source = image_target(self.resolver, element)
        if frame.code:
            return
        if not source or not frame.tags.isdisjoint(HEADINGS) or "emoji" in element.get("class"):
            frame.inline.append(alt)
        else:
            frame.inline.append(f"{IMAGE}[{alt}]({_placed(source)})")

    def _media(self, element: Element, frame: Frame) -> None:
        inner = self.document.tree.within(element)
        source = next((node.get("src") for node in inner if node.get("src")), "")
        url = target(self.resolver, source) if source else ""
        if url and not frame.code:
            title = element.get("title") or element.get("aria-label") or element.name.capitalize()
            frame.inline.append(f"[{escape(squeeze(title), brackets=True)}]({_placed(url)})")

    def _break(self, element: Element, frame: Frame) -> None:
        frame.inline.append(" " if frame.joint == " " and not frame.code else frame.joint or BREAK)

    def _checkbox(self, element: Element, frame: Frame) -> None:
        if element.get("type").lower() == "checkbox" and "li" in frame.tags and not frame.code:
            frame.inline.append("[x] " if "checked" in element.attrs else "[ ] ")


_SPAN = re.compile(r"`([^`]+)`")


def _append_span(inline: list[str], span: str) -> None:
    """Add a code span; two that touch would be read as one with backticks in it."""
    if not span:
        return
    while inline and not inline[-1]:
        inline.pop()
    before = inline[-1] if inline else ""
    if before.endswith("`") and span.startswith("`"):
        first, second = _SPAN.fullmatch(before), _SPAN.fullmatch(span)
        if first and second:
            inline[-1] = f"`{first[1]}{second[1]}`".replace("![", IMAGE + "[")
            return
        inline.append(" ")
    inline.append(span)


_SAFE_BARE = re.compile(r"(?:[A-Za-z0-9:/?=.,#%+\-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])|&(?![#A-Za-z0-9]+;))+\Z")


def _autolink(written_url: str, following: str) -> str:
    """A URL of running text: bare where every reader of Markdown ends it at the same place."""
    if _SAFE_BARE.match(written_url) and (not following or following in " .,;:!?)'\""):
        return written_url
    return _placed(f"<{written_url}>")


def _placed(destination: str) -> str:
    return f"{PLACE}{destination}{PLACE_END}"
