"""The links of a whole page, each with its anchor text, the text around it and the headings it stands under.

Reads the tree in document order, once. Knows where a link stands, not whether it is worth following: that
is the core's. What a link leads to decides neither whether it is listed, but for links that lead nowhere:
``javascript:``, ``mailto:``, and to a place on the same page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from ..model import Link
from ..urls import DropRules, canonicalize, resolve
from .html import Content, Document, heading_text
from .tree import BLOCKS, HEADINGS, LISTS, Element, collapse, text_of

MAX_LINKS = 20_000
"""Links beyond are not listed; pages with so many are indexes of everything or traps."""
MAX_ANCHOR = 300
MAX_CONTEXT = 300
"""Characters."""

_CARRIERS = {"a": "href", "area": "href", "iframe": "src", "frame": "src", "link": "href"}
_LEADING = frozenset({"next", "prev", "previous"})
"""Relations of ``link`` elements that lead to a page a reader would go to."""
_CONTAINERS = frozenset(
    {"li", "td", "th", "dt", "dd", "p", "caption", "figcaption", "summary", "blockquote", *HEADINGS}
)
_CODE = frozenset({"pre", "code", "kbd", "samp", "tt", "textarea", "script", "style", "title", "template"})
_SENTENCE_END = re.compile(r"(?:[.!?…](?=\s)|[。！？；])[\s)\]»”’」』）]*")
_FILE_NAME = re.compile(r"([^/?#]+?)(?:\.\w{1,5})?/?(?:[?#].*)?\Z")
_LOOKED_AT = 20
"""Times that an element may be looked at for what stands around links; blocks nested in blocks, each with a
link, would otherwise take a time that grows with their square."""
_WINDOW = 20_000
"""Characters of a block's text in which the place of a link is looked for."""

_BARE = re.compile(
    # ASCII, and letters that are no CJK: those, and full-width signs, end a URL written in running text.
    r"(?<![A-Za-z0-9/@.\-])https?://(?:[!-;=?-Z\[\]_a-z~|\\^{}]"
    r"|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\u0000-\u007f]){1,2000}",
    re.IGNORECASE,
)
_OPENING = {")": "(", "]": "[", "}": "{"}


@dataclass(slots=True)
class Resolver:
    """Hrefs of one page → absolute URLs and keys, each spelling once."""

    document: Document
    drop: DropRules
    _urls: dict[str, str | None] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)

    def url(self, href: str) -> str | None:
        """What a link leads to: absolute, without fragment; None if to no page."""
        spelling = href.partition("#")[0]
        if spelling not in self._urls:
            self._urls[spelling] = resolve(self.document.base, spelling, self.document.encoding)
        return self._urls[spelling]

    def key(self, url: str) -> str:
        if url not in self._keys:
            self._keys[url] = canonicalize(url, self.drop)
        return self._keys[url]

    def stays(self, href: str) -> bool:
        """Does a link lead to a place on the same page?"""
        href = href.strip()
        if href.startswith("#"):
            return True
        if "#" not in href:
            return False
        url = self.url(href)
        return url is not None and url == self.url(self.document.url)


def bare_urls(text: str) -> Iterator[tuple[int, int]]:
    """Where the http and https URLs written in a text begin and end, punctuation after them left out."""
    for match in _BARE.finditer(text):
        start, end = match.span()
        while end > start:
            last = text[end - 1]
            if last in ".,;:!?'\"*_~|\\^" or (
                last in _OPENING and text.count(last, start, end) > text.count(_OPENING[last], start, end)
            ):
                end -= 1
            else:
                break
        if text[start:end].partition("://")[2].strip("/"):
            yield start, end


def links_of(document: Document, content: Content, resolver: Resolver) -> list[Link]:
    """Every link of the page, in document order; refs are given later, when the Markdown is known."""
    return list(islice(_Collector(document, content, resolver).collect(), MAX_LINKS))


def anchor_text(element: Element) -> str:
    """What a link says: its text, else its image's, else its label, its title, or the name of its file."""
    text = text_of(element, MAX_ANCHOR * 2)
    if not any(map(str.isalnum, text)):
        label = element.get("aria-label") or element.get("alt") or element.get("title") or element.get("name")
        text = collapse(label) or _inner_label(element) or text
    return text[:MAX_ANCHOR]


def _inner_label(element: Element) -> str:
    """The label of an icon within a link: of an image, a drawing, or an empty span with a title."""
    pending = list(reversed(element.children))
    for _ in range(50):
        if not pending:
            break
        node = pending.pop()
        if isinstance(node, str):
            continue
        label = node.get("aria-label") or node.get("title") or node.get("alt")
        if not label and node.name == "title":
            label = "".join(child for child in node.children if isinstance(child, str))
        if not label and node.name == "img" and (named := _FILE_NAME.search(node.get("src"))):
            label = re.sub(r"[-_]+", " ", named[1]) if len(named[1]) < 40 else ""
        if collapse(label):
            return collapse(label)
        pending.extend(reversed(node.children))
    return ""


class _Collector:
    def __init__(self, document: Document, content: Content, resolver: Resolver) -> None:
        self.document = document
        self.resolver = resolver
        self.members = content.members(document.tree)
        self.roots = {root.index for root in content.roots}
        self.found_on = resolver.key(document.url)
        self.headings: list[tuple[int, str]] = []
        self.texts: dict[int, str] = {}
        self.cursors: dict[int, int] = {}
        self.patience = _LOOKED_AT * (len(self.members) + 1_000)
        """Elements that may still be looked at."""

    def collect(self) -> Iterator[Link]:
        inside = 0
        content_headings: list[tuple[int, str]] = []
        other_headings: list[tuple[int, str]] = []
        for element in self.document.tree.elements:
            member = self.members[element.index]
            if member != inside:
                self.headings = content_headings if member else other_headings
                inside = member
            name = element.name
            if name in HEADINGS:
                self._enter(element)
            elif name in _CARRIERS:
                link = self._link(element)
                if link:
                    yield link
            if name not in _CODE:
                for child in element.children:
                    if child.__class__ is str and "://" in child:
                        yield from self._bare(element, child)

    def _enter(self, heading: Element) -> None:
        text = heading_text(heading)
        if not text or any(above.name in ("blockquote", "aside", "td") for above in heading.ancestors()):
            return
        level = int(heading.name[1])
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, text[:200]))

    def _link(self, element: Element) -> Link | None:
        href = element.attrs.get(_CARRIERS[element.name])
        if href is None:
            return None
        href = href.strip()
        relations = element.get("rel").lower().split()
        if element.name == "link" and not _LEADING.intersection(relations):
            return None
        if not href or self.resolver.stays(href):
            return None
        url = self.resolver.url(href)
        if url is None:
            return None
        anchor = anchor_text(element)
        return Link(
            url=url,
            key=self.resolver.key(url),
            anchor=anchor,
            context=self._context(element, anchor) if element.name in ("a", "area") else "",
            heading=tuple(text for _, text in self.headings),
            found_on=self.found_on,
            boilerplate=not self.members[element.index],
            nofollow=self.document.nofollow or not {"nofollow", "ugc", "sponsored"}.isdisjoint(relations),
        )

    def _bare(self, element: Element, text: str) -> Iterator[Link]:
        if element.name == "a" or any(
            above.name in _CODE or above.name == "a" for above in element.ancestors()
        ):
            return
        for start, end in bare_urls(text):
            written = text[start:end]
            url = self.resolver.url(written)
            if url is None:
                continue
            yield Link(
                url=url,
                key=self.resolver.key(url),
                anchor="",
                context=self._context(element, written, within=True),
                heading=tuple(text for _, text in self.headings),
                found_on=self.found_on,
                boilerplate=not self.members[element.index],
                nofollow=self.document.nofollow,
            )

    def _context(self, element: Element, anchor: str, within: bool = False) -> str:
        """Text around a link that tells more than its anchor does, at most ``MAX_CONTEXT`` characters."""
        container = element if within and element.name in BLOCKS else _container(element)
        if container is None:
            return ""
        text = self._text(container)
        if container.name == "dt":
            text = f"{text}: {self._definition(container)}"
        elif len(text) <= len(anchor) + 2:
            text = self._beside(container, text)
        if len(text) <= MAX_CONTEXT:
            return "" if text == anchor else text
        return self._around(container, text, anchor)

    def _text(self, container: Element) -> str:
        text = self.texts.get(container.index)
        if text is None:
            if self.patience < 0:
                return ""
            self.patience -= min(container.end - container.index, _WINDOW)
            leave = LISTS if container.name == "li" else frozenset[str]()
            text = self.texts[container.index] = text_of(container, _WINDOW, leave=leave)
        return text

    def _definition(self, term: Element) -> str:
        for after in _following(term):
            if after.name == "dd":
                return self._text(after)
        return ""

    def _beside(self, container: Element, text: str) -> str:
        """For a link that stands alone in its block: the rest of its row, or the text that follows."""
        if container.name in ("td", "th") and container.parent is not None:
            return self._text(container.parent)
        if container.name == "dd":
            return text
        level: Element | None = container
        for _ in range(3):
            if level is None or level.name in ("body", "main", "ul", "ol"):
                return text
            after = next(_following(level), None)
            if after is not None and after.name not in HEADINGS and after.name not in ("nav", "table", "pre"):
                beside = self._text(after)
                if beside and not _is_link(after):
                    return f"{text}: {beside}" if text else beside
                return text
            level = level.parent
        return text

    def _around(self, container: Element, text: str, anchor: str) -> str:
        """The sentence of a longer text that holds the link; links come in order, so each is searched for
        from where the last one stood."""
        start = text.find(anchor, self.cursors.get(container.index, 0)) if anchor else -1
        if start < 0:
            return text[:MAX_CONTEXT].rsplit(" ", 1)[0]
        end = start + len(anchor)
        self.cursors[container.index] = end
        begin = max(0, start - MAX_CONTEXT)
        for match in _SENTENCE_END.finditer(text, begin, start):
            begin = match.end()
        stop = _SENTENCE_END.search(text, end, end + MAX_CONTEXT)
        finish = stop.end() if stop else len(text)
        if finish - begin > MAX_CONTEXT:
            spare = max(0, MAX_CONTEXT - (end - start))
            begin = max(begin, start - spare // 2)
            finish = min(finish, begin + MAX_CONTEXT)
        return text[begin:finish].strip()


def _container(element: Element) -> Element | None:
    """The block that a link stands in."""
    for depth, above in enumerate(element.ancestors()):
        if above.name in _CONTAINERS:
            return above
        if above.name in BLOCKS:
            return None if above.name in ("body", "html", "main", "nav") else above
        if depth > 20:
            return None
    return None


def _following(element: Element) -> Iterator[Element]:
    """Sibling elements after this one, the nearest few."""
    if element.parent is None:
        return
    siblings = element.parent.children
    seen = 0
    for sibling in islice(siblings, siblings.index(element) + 1, None):
        if isinstance(sibling, Element) and sibling.name not in ("br", "hr", "script", "style"):
            yield sibling
            seen += 1
            if seen >= 5:
                return


def _is_link(block: Element) -> bool:
    """Is all a block holds one more link?"""
    kids = [child for child in block.children if not isinstance(child, str) or child.strip()]
    while len(kids) == 1 and isinstance(kids[0], Element) and kids[0].name != "a":
        kids = [child for child in kids[0].children if not isinstance(child, str) or child.strip()]
    return len(kids) == 1 and isinstance(kids[0], Element) and kids[0].name == "a"
