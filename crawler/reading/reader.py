"""Response → Page, Download, Redirect or Failure: sniffed, decoded, parsed, filtered, and written down.

The joint of the parts that read; what they decide is theirs. Total: any bytes give one of the four.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from ..fetching.response import Response
from ..indexes.places import Source, declared
from ..media import canonical_type
from ..model import Download, Failure, FailureKind, Link, Mark, Page, Redirect
from ..urls import DEFAULT, DropRules, canonicalize
from . import textfile
from .anchors import anchors_of
from .decode import decode
from .html import ContentFilter, Document, parse
from .hyperlinks import Resolver, links_of
from .likeness import sketch
from .markdown import Rendered, render
from .passages import passages_of, word_count
from .sniff import Body, sniff
from .tree import text_of

READER_VERSION = "6"
"""Changes when the same bytes would give another page; pages kept by an older version are read again."""

LONGEST_REFRESH = 10
"""Seconds after which a page that leads elsewhere is meant to be read first."""
REAL_CONTENT = 30
"""Words of text from which a page is one, though it leads elsewhere after a while."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How answers are read."""

    filter: ContentFilter
    """Which part of a page is its content."""
    downloads: tuple[str, ...] = ()
    """Media types kept as files, as ``application/pdf`` or ``image/*``."""
    drop: DropRules = DEFAULT
    """What is no part of a URL's key."""


def read(response: Response, reading: Reading) -> Page | Download | Redirect | Failure:
    """What an answer is: a page if it has a text, a download if it is a wanted file, a redirect if it only
    leads elsewhere; else a failure that says why not."""
    if not response.body.strip():
        return Failure(response.url, FailureKind.UNREADABLE, "the body is empty", response.status)
    body, media_type = sniff(response)
    if body is Body.OTHER:
        return _file(response, media_type, reading)
    decoded = decode(response.body, response.charset)
    text = decoded.text.removeprefix("\ufeff")
    if body is not Body.HTML:
        return textfile.read(response, text, body is Body.MARKDOWN, media_type, reading.drop)
    document = parse(text, response.final_url, decoded.encoding, response.headers)
    try:
        target = _leads_to(document)
        if target:
            key = canonicalize(target, reading.drop)
            return Redirect(response.url, target, key, permanent=False, fetched_at=response.fetched_at)
        return _page(document, response, media_type, reading)
    finally:
        document.tree.fell()


def _file(response: Response, media_type: str, reading: Reading) -> Download | Failure:
    media_type = canonical_type(media_type) or "application/octet-stream"
    size = len(response.body)
    if not is_wanted(media_type, reading.downloads):
        detail = f"{media_type}, {size:,} bytes: neither a page nor a download that was asked for"
        return Failure(response.url, FailureKind.MEDIA_TYPE, detail, response.status, size=size)
    return Download(
        url=response.url,
        key=canonicalize(response.url, reading.drop),
        media_type=media_type,
        size=size,
        digest=hashlib.sha256(response.body).hexdigest(),
        fetched_at=response.fetched_at,
        etag=response.headers.get("etag", ""),
        last_modified=response.headers.get("last-modified", ""),
    )


def is_wanted(media_type: str, downloads: Sequence[str]) -> bool:
    """Is a file of this type to be kept?"""
    return any(fnmatchcase(media_type, pattern.strip().lower()) for pattern in downloads)


def _leads_to(document: Document) -> str:
    """Where a page sends its reader instead of being one; empty if it is one.

    A refresh at once is a redirect. One that waits is one only if the page has next to nothing to read, and
    one for clients without scripts only if it has nothing: help systems send those to a page of excuses.
    """
    refresh = document.refresh
    if refresh is None or refresh.seconds > LONGEST_REFRESH:
        return ""
    if canonicalize(refresh.target) == canonicalize(document.url):
        return ""
    if refresh.without_scripts:
        return "" if _words(document) else refresh.target
    return refresh.target if refresh.seconds <= 1 or _words(document) < REAL_CONTENT else ""


def _words(document: Document) -> int:
    """Words that a page has to read, menus aside."""
    frame = frozenset({"nav", "header", "footer", "aside", "button"})
    return word_count(text_of(document.tree.body, 2_000, leave=frame))


def _page(document: Document, response: Response, media_type: str, reading: Reading) -> Page:
    resolver = Resolver(document, reading.drop)
    content = reading.filter.select(document)
    rendered = render(document, content, resolver)
    links = links_of(document, content, resolver)
    marks, refs = _numbered(rendered, resolver)
    return Page(
        url=response.url,
        key=resolver.key(response.url),
        title=document.title,
        language=document.language,
        description=document.description,
        markdown=rendered.markdown,
        marks=marks,
        places=rendered.places,
        links=tuple(_with_ref(link, refs) for link in links),
        passages=passages_of(rendered.markdown),
        digest=hashlib.sha256(rendered.markdown.encode("utf-8", "replace")).hexdigest(),
        size=len(response.body),
        media_type=media_type,
        fetched_at=response.fetched_at,
        etag=response.headers.get("etag", ""),
        last_modified=response.headers.get("last-modified", ""),
        canonical=document.canonical,
        indexes=_indexes(document, response),
        anchors=anchors_of(content, rendered.headings),
        sketch=sketch(rendered.markdown, document.title),
        noindex=document.noindex,
        nofollow=document.nofollow,
    )


def _indexes(document: Document, response: Response) -> tuple[tuple[str, str], ...]:
    found = declared(document.tree, document.base, response.headers.get("link", ""))
    by_source = {
        Source.SITEMAP: found.sitemaps,
        Source.LLMS_TXT: found.llms_txt,
        Source.FEED: found.feeds,
        Source.SEARCH: found.search,
    }
    return tuple((source.value, url) for source, places in by_source.items() for url in places)


def _numbered(rendered: Rendered, resolver: Resolver) -> tuple[tuple[Mark, ...], dict[str, str]]:
    """Marks with their refs, one a key, numbered as they appear; and the refs by key."""
    refs: dict[str, str] = {}
    marks: list[Mark] = []
    for offset, url in rendered.marks:
        ref = refs.setdefault(resolver.key(url), f"L{len(refs) + 1}")
        marks.append(Mark(offset, ref))
    return tuple(marks), refs


def _with_ref(link: Link, refs: dict[str, str]) -> Link:
    ref = "" if link.boilerplate else refs.get(link.key, "")
    return replace(link, ref=ref) if ref else link
