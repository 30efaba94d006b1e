"""Discovery beyond links: which site indexes are asked for, and when.

Knows places and budgets; what an index holds is read elsewhere, and whether an entry enters the frontier is
decided like a link's.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt

from . import urls
from .indexes.generators import fallback
from .indexes.places import Declared, Source, places
from .model import Link, Page, RobotsFile, SiteIndex


@dataclass(frozen=True, slots=True)
class DiscoveryConfig:
    """Which lists of its pages a site is asked for; their entries are candidates like links."""

    sitemaps: bool = True
    """Sitemaps named by robots.txt or the start page, else /sitemap.xml: they reach what nothing links to."""
    llms_txt: bool = True
    """llms.txt: a site's own choice of pages, with a title and a sentence for each."""
    feeds: bool = True
    """Feeds that the start page declares: the newest pages, with summaries."""
    site_indexes: bool = True
    """The index that Sphinx, MkDocs, mdBook, Javadoc and others make for search: the words of all pages."""
    max_indexes: Annotated[int, Ge(0)] = 6
    """Requests for indexes in one crawl; a large site has hundreds of sitemaps."""
    max_entries: Annotated[int, Gt(0)] = 5000
    """Entries taken from one index."""


class Discovery:
    """The indexes still to be asked for; told what was seen, in order."""

    def __init__(self, config: DiscoveryConfig) -> None:
        self._config = config
        self._robots: dict[str, str] = {}
        self._waiting: dict[str, tuple[str, Source]] = {}
        self._asked: set[str] = set()

    def know(self, robots: RobotsFile) -> None:
        """Take in a robots.txt, which may name sitemaps."""
        self._robots[urls.origin(robots.url)] = robots.text

    def start_at(self, page: Page) -> None:
        """Take in a seed's page: its site's indexes are worth asking for."""
        site = urls.origin(page.url)
        declared = Declared(
            _named(page, Source.SITEMAP),
            _named(page, Source.LLMS_TXT),
            _named(page, Source.FEED),
            _named(page, Source.SEARCH),
        )
        found = places(self._robots.get(site, ""), site + "/", declared)
        self._add((place.url, place.source) for place in found)

    def settle(self, key: str, index: SiteIndex | None) -> None:
        """Take in what an index's request brought: None where there was none."""
        waiting = self._waiting.pop(key, None)
        self._asked.add(key)
        if waiting is None:
            return
        if index is not None:
            self._add((url, waiting[1]) for url in index.children)
        elif waiting[1] is Source.SEARCH and fallback(waiting[0]):
            self._add([(fallback(waiting[0]), Source.SEARCH)])

    def next(self) -> Sequence[tuple[str, str]]:
        """The (URL, source) of the indexes to ask for now."""
        room = max(0, self._config.max_indexes - len(self._asked))
        return [(url, source.value) for url, source in self._waiting.values()][:room]

    def _add(self, found: Iterable[tuple[str, Source]]) -> None:
        for url, source in found:
            key = urls.canonicalize(url)
            if getattr(self._config, source.value) and key not in self._asked:
                self._waiting.setdefault(key, (url, source))


def _named(page: Page, source: Source) -> tuple[str, ...]:
    return tuple(url for name, url in page.indexes if name == source.value)


def links_of(index: SiteIndex, key_of: Callable[[str], str]) -> list[Link]:
    """The entries of an index as links: title for anchor text, description for context."""
    where = key_of(index.url)
    return [
        Link(
            entry.url,
            key_of(entry.url),
            entry.title,
            context=f"{entry.title} {entry.text}".strip()[:300],
            heading=(entry.section,) if entry.section else (),
            found_on=where,
        )
        for entry in index.entries
    ]
