"""What a site's search index says of pages that were not fetched: which terms of the query are on them.

Knows names and words of pages; knows nothing of links. The index of a search has the words of every page, so
that how rare a term is, and that a page has none of them, is known before it is fetched.
"""

from collections.abc import Mapping

from adaptive_crawl.crawler.model import SiteIndex
from adaptive_crawl.crawler.urls import canonicalize

from . import text

TITLE = 1.0
NAME = 0.6
"""Strength of a term in a heading of the page, or in the name of something that it documents."""
WORD = 0.5
"""Of a term in the text of a page of common length; what a long page has in passing counts less."""

MAX_PAGES = 20_000
"""Pages remembered, those of the first indexes: 5,000 each are read."""


class Indexed:
    """Pages as search indexes know them, read for the terms of one query."""

    def __init__(self, lexicon: text.Lexicon) -> None:
        self._lexicon = lexicon
        self._pages: dict[str, dict[str, float]] = {}
        self._whole: set[str] = set()

    def read(self, index: SiteIndex) -> bool:
        """Take in an index; whether it says anything of words."""
        lengths = [len(entry.words) for entry in index.entries if entry.words]
        average = sum(lengths) / len(lengths) if lengths else 0.0
        for entry in index.entries:
            key = canonicalize(entry.url)
            if not (entry.words or entry.names) or key in self._pages or len(self._pages) >= MAX_PAGES:
                continue
            strengths = {
                term: WORD * min(1.0, 2.0 * text.saturating(count, len(entry.words), average))
                for term, count in self._lexicon.count(entry.words).items()
            }
            strengths.update(dict.fromkeys(self._lexicon.among(entry.names), NAME))
            strengths.update(dict.fromkeys(self._lexicon.among(entry.title), TITLE))
            self._pages[key] = strengths
            if entry.words:
                self._whole.add(key)
        return bool(self._pages)

    def of(self, key: str) -> Mapping[str, float]:
        """Strength, in 0..1, of each term that an index says is on a page; empty for a page that none has."""
        return self._pages.get(key, {})

    def has_words_of(self, key: str) -> bool:
        """Whether an index has the words of a page, so that what it does not have is not there."""
        return key in self._whole
