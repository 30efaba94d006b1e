"""Where a site's indexes may lie: what robots.txt says, what a page declares, and where they lie by custom.

Knows names and declarations; whether a place holds anything, only a request tells.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from ..reading.tree import Element, Tree
from ..urls import canonicalize, origin, path, resolve
from .entry import MAX_URL
from .generators import search_indexes

MAX_PLACES = 16
"""Places of one kind: sites with hundreds of sitemaps name them in an index, careless ones in robots.txt."""
MAX_FEEDS = 4
"""Feeds of one page; more are the same posts by subject."""
MAX_HEADER = 16_384
"""Characters of a ``Link`` header."""


class Source(StrEnum):
    """What kind of index a place may hold; each can be switched off."""

    SITEMAP = "sitemaps"
    LLMS_TXT = "llms_txt"
    FEED = "feeds"
    SEARCH = "site_indexes"


@dataclass(frozen=True, slots=True)
class Place:
    """A URL to ask for an index."""

    url: str
    source: Source
    certain: bool
    """The site says so itself; else it is a custom, and 404 the likely answer."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a page says of indexes of its site and of other forms of itself; all absolute, in order."""

    sitemaps: tuple[str, ...] = ()
    llms_txt: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    """Indexes that its generator made for a search in the browser."""
    markdown: str = ""
    """The same page as Markdown; empty if none is declared."""


NOTHING = Declared()

_SITEMAP_LINE = re.compile(r"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_LLMS_NAME = re.compile(r"/llms(?:-[\w-]+)?\.txt\Z", re.IGNORECASE)
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
_MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})
_COMMENTS = re.compile(r"\bcomments?\b|\bkommentar", re.IGNORECASE)
_HEADER_LINK = re.compile(r"<([^<>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:\"[^\"]*\"|[^\s\",;]*))?)*)")
_HEADER_PARAMETER = re.compile(r";\s*([\w*-]+)\s*=\s*(?:\"([^\"]*)\"|([^\s\",;]*))")


def places(robots_text: str, start: str, page: Declared = NOTHING) -> list[Place]:
    """Give the places worth asking, the most telling first and each once.

    ``robots_text`` is the robots.txt of the origin of ``start`` (empty without one), ``start`` the URL at
    which the crawl begins, ``page`` what it declares. A site that names its sitemaps is not asked for others.
    Documentation often is a folder of a larger site (``https://example.org/project/…``) with indexes of its
    own, so the customary names are tried in the first folder as well as at the root.
    """
    site = origin(start)
    if not site:
        return []
    named = [(url, Source.SITEMAP, True) for url in [*_sitemap_lines(robots_text, site), *page.sitemaps]]
    roots = [f"{site}/", *_first_folder(site, start)]
    roots.reverse()
    guessed = [] if named else [(f"{root}sitemap.xml", Source.SITEMAP, False) for root in roots]
    llms = [(url, Source.LLMS_TXT, True) for url in page.llms_txt]
    llms += [(f"{root}llms.txt", Source.LLMS_TXT, False) for root in roots]
    feeds = [(url, Source.FEED, True) for url in page.feeds]
    search = [(url, Source.SEARCH, True) for url in page.search]
    found: dict[str, Place] = {}
    for url, source, certain in [*search, *llms, *named[:MAX_PLACES], *guessed, *feeds]:
        found.setdefault(canonicalize(url), Place(url, source, certain))
    return list(found.values())


def declared(tree: Tree, base: str, link_header: str = "") -> Declared:
    """Read what a page declares with ``link`` elements and with its ``Link`` header; ``base`` is its base."""
    sitemaps: dict[str, None] = {}
    llms: dict[str, None] = {}
    feeds: dict[str, None] = {}
    markdown = ""
    for said in [*map(_of_element, tree.named("link")), *_of_header(link_header)]:
        url = resolve(base, said.href) if 0 < len(said.href) <= MAX_URL else None
        if url is None:
            continue
        if "sitemap" in said.rel:
            sitemaps[url] = None
        elif "llms-txt" in said.rel or "llms-full-txt" in said.rel or _LLMS_NAME.search(path(url)):
            llms[url] = None
        elif "alternate" not in said.rel:
            continue
        elif said.type in _FEED_TYPES and not _is_of_comments(said, url):
            feeds[url] = None
        elif said.type in _MARKDOWN_TYPES:
            markdown = markdown or url
    return Declared(
        tuple(sitemaps)[:MAX_PLACES],
        tuple(llms)[:MAX_PLACES],
        tuple(feeds)[:MAX_FEEDS],
        search_indexes(tree, base),
        markdown,
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """One link element or header."""

    href: str
    rel: frozenset[str]
    type: str
    title: str


def _of_element(link: Element) -> _Said:
    media_type = link.get("type").partition(";")[0].strip().lower()
    return _Said(
        link.get("href").strip(), frozenset(link.get("rel").lower().split()), media_type, link.get("title")
    )


def _of_header(header: str) -> Iterator[_Said]:
    for match in _HEADER_LINK.finditer(header[:MAX_HEADER]):
        said = {name.lower(): quoted or bare for name, quoted, bare in _HEADER_PARAMETER.findall(match[2])}
        media_type = said.get("type", "").partition(";")[0].strip().lower()
        rel = frozenset(said.get("rel", "").lower().split())
        yield _Said(match[1].strip(), rel, media_type, said.get("title", ""))


def _is_of_comments(said: _Said, url: str) -> bool:
    """Blogs declare a feed of comments beside that of posts: it leads to pages known already."""
    return _COMMENTS.search(said.title) is not None or "/comments/" in path(url)


def _sitemap_lines(robots_text: str, site: str) -> list[str]:
    """Sitemaps that a robots.txt names; they belong to no group, and may lie on another host."""
    named = (
        resolve(f"{site}/", match[1]) for match in _SITEMAP_LINE.finditer(robots_text.replace("\r", "\n"))
    )
    return [url for url in named if url is not None and len(url) <= MAX_URL]


def _first_folder(site: str, start: str) -> list[str]:
    first, slash, _ = path(start)[1:].partition("/")
    return [f"{site}/{first}/"] if first and slash else []
