"""Fragments of links between pages of the tree → the headings that readers of Markdown can be led to.

Knows which page was asked for lately; the anchors themselves lie in the journal, since those of 20,000 pages
would fill the memory, and are looked up for the fragments that occur.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from urllib.parse import unquote

MAX_IDS = 100_000
"""Ids kept at hand, some 20 MB: all of a site of a few hundred pages, the neighbours of a page in any."""

Anchors = Iterable[tuple[str, str]]
"""Id → slug of the heading it stands under; see ``Page.anchors``."""


class Fragments:
    """What becomes of fragments; ``anchors_of`` gives the anchors of the page that a key brought."""

    def __init__(self, anchors_of: Callable[[str], Anchors]) -> None:
        self._anchors_of = anchors_of
        self._recent: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._size = 0

    def slug(self, key: str, fragment: str, known: Anchors | None = None) -> str:
        """The slug of the heading that a fragment of this page leads to; empty where it leads to none.

        Args:
            known: the anchors, where the page is at hand.
        """
        anchors = self._recent.get(key)
        if anchors is None:
            anchors = self._recent[key] = dict(self._anchors_of(key) if known is None else known)
            self._size += len(anchors) + 1
            self._forget()
        else:
            self._recent.move_to_end(key)
        return anchors.get(fragment) or anchors.get(unquote(fragment), "")

    def _forget(self) -> None:
        while self._size > MAX_IDS and len(self._recent) > 1:
            self._size -= len(self._recent.popitem(last=False)[1]) + 1
