"""The ids of a page that links can lead to, and the heading that each stands under.

A fragment leads to an id of the HTML; readers of the Markdown know headings alone, by the slugs that GitHub
gives them. Knows how slugs are made and numbered, and which ids are content; knows no other page.
"""

import re
import unicodedata
from collections.abc import Iterable

from .html import Content
from .passages import plain
from .tree import SILENT, Element

MAX_ANCHORS = 5_000
"""Ids of one page; a reference of a whole library has about as many, a trap more."""
MAX_ID = 200
MAX_SLUG = 200
"""Characters; of longer ones links lead to the top of the page."""

_NO_SLUG = re.compile(r"[^\w\- ]")
_KEPT = frozenset({"Mn", "Mc", "Me", "Pc"})
"""Vowel signs and joiners: parts of a word to Unicode, and to GitHub, though not to ``\\w``."""
_HEADING = re.compile(r"[ >]*+(?:(?:[-+*]|\d{1,9}[.)])[ >]++)*+#{1,6} +(.*?)(?: +#+)?\Z")

Anchors = tuple[tuple[str, str], ...]
"""Id → slug of its heading; each id once, in the order of the page."""


def heading_anchor(heading: str) -> str:
    """The fragment under which Markdown viewers show a heading, by the rule of GitHub's."""
    return _NO_SLUG.sub(_kept_sign, heading.strip().lower()).replace(" ", "-")


def _kept_sign(found: re.Match[str]) -> str:
    return found[0] if unicodedata.category(found[0]) in _KEPT else ""


def numbered(headings: Iterable[str]) -> list[str]:
    """The slugs of a page's headings in order: of several alike, the second is ``name-1``.

    Empty for a heading that has none, or one too long to be kept.
    """
    taken: dict[str, int] = {}
    slugs: list[str] = []
    for heading in headings:
        slug = name = heading_anchor(heading)
        while slug in taken:
            taken[name] += 1
            slug = f"{name}-{taken[name]}"
        taken[slug] = 0
        slugs.append(slug if len(slug) <= MAX_SLUG else "")
    return slugs


def anchors_of(content: Content, headings: Iterable[tuple[Element, str]]) -> Anchors:
    """The ids of a page's content with the slugs of their headings.

    An id with nothing to read between itself and a heading is that heading's, as one of a section is; any
    other stands under the heading before. Ids above the first heading lead to the top and are left out.

    Args:
        headings: those of the Markdown in order, each with its line.
    """
    pairs = list(headings)
    slugs = numbered(_text(line) for _, line in pairs)
    by_heading = {element.index: slug for (element, _), slug in zip(pairs, slugs, strict=True)}
    return _Places(by_heading).of(content) if any(slugs) else ()


def markdown_anchors(headings: Iterable[str]) -> Anchors:
    """The anchors of a page that came as Markdown: its headings are known by their slugs already."""
    slugs = [slug for slug in numbered(map(plain, headings)) if slug]
    return tuple((slug, slug) for slug in slugs[:MAX_ANCHORS])


def _text(line: str) -> str:
    found = _HEADING.match(line)
    return plain(found[1]) if found else ""


class _Places:
    """One walk over a page's content."""

    def __init__(self, slugs: dict[int, str]) -> None:
        self._slugs = slugs
        self._found: dict[str, str] = {}
        self._waiting: list[str] = []
        """Ids after which nothing to read has come yet."""
        self._slug = ""
        self._heading_end = 0

    def of(self, content: Content) -> Anchors:
        pending: list[Element | str] = list(reversed(content.roots))
        while pending and len(self._found) < MAX_ANCHORS:
            node = pending.pop()
            if isinstance(node, str):
                if self._waiting and not node.isspace():
                    self._settle()
            elif node not in content.left_out:
                self._enter(node)
                if node.children and node.name not in SILENT:
                    pending.extend(reversed(node.children))
        self._settle()
        return tuple(self._found.items())[:MAX_ANCHORS]

    def _enter(self, element: Element) -> None:
        if element.index in self._slugs:
            self._slug = self._slugs[element.index]
            self._settle()
            self._heading_end = element.end
        if element.attrs:
            self._name(element.get("id"))
            if element.name == "a":
                self._name(element.get("name"))
        if self._waiting and (element.index < self._heading_end or element.name == "img"):
            self._settle()

    def _name(self, name: str) -> None:
        if 0 < len(name) <= MAX_ID:
            self._waiting.append(name)

    def _settle(self) -> None:
        """Give the ids that wait to the heading at hand."""
        for name in self._waiting if self._slug else ():
            self._found.setdefault(name, self._slug)
        self._waiting.clear()
