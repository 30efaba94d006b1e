"""Pages held, and whether a page is one of them over again.

Knows content and what pages say of themselves; knows nothing of the frontier or of what a page is worth.
"""

from collections.abc import Callable

from .model import Page
from .reading.likeness import Likeness


class Holdings:
    """What is held, by content: told in the order of settling, and answering from that alone."""

    def __init__(self, canonicalize: Callable[[str], str]) -> None:
        self._canonicalize = canonicalize
        self._by_digest: dict[str, str] = {}
        self._by_identity: dict[tuple[str, str], str] = {}
        self._likeness = Likeness()

    def __len__(self) -> int:
        return len(self._by_digest)

    def same_as(self, page: Page) -> str:
        """The key of a page held that has the same content, or is another spelling of this one; or empty."""
        if not page.markdown.strip():
            return ""
        same = self._by_digest.get(page.digest, "") or self._by_identity.get(self._identity(page), "")
        return same or self._likeness.near(page.sketch)

    def hold(self, page: Page) -> None:
        """Take a page in."""
        self._by_digest[page.digest] = page.key
        self._by_identity.setdefault(self._identity(page), page.key)
        self._likeness.add(page.key, page.sketch)

    def _identity(self, page: Page) -> tuple[str, str]:
        """What a page says it is: its canonical address, and its title.

        A canonical link is believed only between spellings that differ in the query, and for pages of one
        title: sites are known to declare one canonical address for all they have.
        """
        key = self._canonicalize(page.canonical) if page.canonical else page.key
        same_path = key.partition("?")[0] == page.key.partition("?")[0]
        return (key if same_path else page.key), page.title
