"""What every index format comes to: entries, each a URL with what the index says of it.

Knows bounds and duplicates; knows no format.
"""

from dataclasses import dataclass, field

from ..model import IndexEntry
from ..reading.tree import collapse
from ..urls import canonicalize, resolve

MAX_URL = 4_096
MAX_TITLE = 300
MAX_TEXT = 500
MAX_SECTION = 200
MAX_NAMES = 8_000
MAX_WORDS = 60_000
"""Characters; what is longer is no address, and more of a description does not rank a page better. A search
index has the names of all that stands on a page, and its words."""
MAX_ALL_WORDS = 24_000_000
"""Characters of the words of all pages of one index."""


@dataclass(frozen=True, slots=True)
class Index:
    """One index, read."""

    format: str
    """sitemap, sitemap-index, text-sitemap, rss, rdf, atom, llms-txt or llms-full; of those made for search
    sphinx, sphinx-inventory, documents, minisearch, javadoc or vitepress."""
    entries: tuple[IndexEntry, ...]
    """In document order, each page once."""
    children: tuple[str, ...] = ()
    """Further indexes that it names, absolute."""
    size: int = 0
    """Bytes of the decoded body."""


@dataclass(slots=True)
class Harvest:
    """Entries and children as they are read: resolved, each once, at most ``at_most`` of either."""

    base: str
    at_most: int
    entries: list[IndexEntry] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _words: int = 0
    """Characters of words taken in."""

    @property
    def is_full(self) -> bool:
        """Whether nothing more would be taken."""
        return len(self.entries) >= self.at_most or len(self.children) >= self.at_most

    def add(
        self, href: str, *, title: str = "", text: str = "", date: str = "", section: str = "", base: str = ""
    ) -> None:
        """Take a page in, unless its URL is of no use or was taken before."""
        url = self._new(href, base or self.base)
        if url and len(self.entries) < self.at_most:
            self.entries.append(
                IndexEntry(
                    url, _short(title, MAX_TITLE), _short(text, MAX_TEXT), date, _short(section, MAX_SECTION)
                )
            )

    def add_searchable(self, href: str, title: str, names: str, words: str = "") -> None:
        """Take in a page of a search index: ``names`` of what stands on it, and its ``words``."""
        url = self._new(href, self.base)
        if url and len(self.entries) < self.at_most:
            kept = collapse(words[: min(MAX_WORDS, max(0, MAX_ALL_WORDS - self._words))])
            self._words += len(kept)
            names = collapse(names[:MAX_NAMES])
            self.entries.append(IndexEntry(url, _short(title, MAX_TITLE), names=names, words=kept))

    def add_child(self, href: str) -> None:
        """Take a further index in, unless it is this one."""
        url = self._new(href, self.base)
        if url and len(self.children) < self.at_most and canonicalize(url) != canonicalize(self.base):
            self.children.append(url)

    def _new(self, href: str, base: str) -> str:
        href = href.strip()
        if not href or len(href) > MAX_URL:
            return ""
        url = resolve(base, href)
        if url is None or len(url) > MAX_URL:
            return ""
        key = canonicalize(url)
        if key in self._seen:
            return ""
        self._seen.add(key)
        return url

    def index(self, format: str, size: int) -> Index:
        """Give what was taken in."""
        return Index(format, tuple(self.entries), tuple(self.children), size)


def _short(text: str, limit: int) -> str:
    """Collapse white space, and cut at a word where that loses little."""
    text = collapse(text[: 4 * limit])
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    return (cut[: cut.rfind(" ")] if cut.rfind(" ") > limit * 3 // 4 else cut) + "…"
