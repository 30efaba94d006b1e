"""Pages that the journal need not be asked for again: the last ones told of, as many as memory is meant for.

Holds what the journal holds under the same key, or nothing; so it changes no file, only how soon it is made.
"""

from collections import OrderedDict

from adaptive_crawl.crawler.model import Page

ENOUGH = 8 << 20
"""Bytes of the bodies that the pages were read from; the pages themselves take some five times as much."""


class RecentPages:
    """Pages by the key of the request that brought them; the oldest give way."""

    def __init__(self, enough: int = ENOUGH) -> None:
        self._enough = enough
        self._pages: OrderedDict[str, Page] = OrderedDict()
        self._size = 0

    def put(self, key: str, page: Page) -> None:
        """Remember a page; it takes the place of an older one."""
        self.drop(key)
        self._pages[key] = page
        self._size += page.size
        while self._size > self._enough:
            self._size -= self._pages.popitem(last=False)[1].size

    def drop(self, key: str) -> None:
        """Forget a page, if it is known."""
        page = self._pages.pop(key, None)
        if page is not None:
            self._size -= page.size

    def get(self, key: str) -> Page | None:
        """The page, or None where the journal has to be asked."""
        return self._pages.get(key)
