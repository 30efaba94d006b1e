"""A body → the index it is, whatever it was served as.

The bytes decide: sitemaps come as text/html, feeds as text/xml, and what is asked for under the name of an
index is often the site's not-found page. Total: any bytes give an index, or None for what is none.
"""

import re
import zlib

from ..reading.decode import decode
from ..urls import path
from . import feed, llms_full, llms_txt, search, sitemap
from .entry import Harvest, Index
from .records import root_of

MAX_SIZE = 16 * 1024 * 1024
"""Bytes of a decoded body that are read. The sitemap protocol allows 50 MB and 50,000 URLs, which come to
10 MB; more would be held four times over while it is read."""

_GZIP = b"\x1f\x8b"
_NAMED = re.compile(r"/llms(?:-[\w-]+)?\.txt\Z", re.IGNORECASE)
_MARKDOWN_NAME = re.compile(r"\.(?:md|markdown|mdx)\Z", re.IGNORECASE)
_TEXT_TYPES = frozenset({"text/plain", "text/markdown", "text/x-markdown"})
_NO_LIST = re.compile(
    r"\s*(?:<!doctype\b|<html\b|<head\b|<body\b|<\?xml\b|<\?php\b|[{\[]\s*[\"{\]}])", re.IGNORECASE
)


def read_index(body: bytes, url: str, media_type: str, at_most: int) -> Index | None:
    """Read an index that came from ``url``: a sitemap, a feed, an llms.txt, that of a search; None for none.

    ``at_most`` bounds its entries, and its children. Gzip is undone here where it is part of the file, as in
    ``sitemap.xml.gz``. Of a broken or cut file what can be read is given.
    """
    body = _inflated(body)
    text = decode(body).text
    harvest = Harvest(url, at_most)
    root, start = root_of(text)
    if root in sitemap.ROOTS:
        sitemap.read_xml(text, start, harvest)
        return harvest.index("sitemap-index" if root == "sitemapindex" else "sitemap", len(body))
    if root:
        feed.read(text, start, harvest)
        return harvest.index(feed.ROOTS[root], len(body))
    format = search.read(body, text, harvest) if search.may_be(body, url) else ""
    if format:
        return harvest.index(format, len(body))
    if _NO_LIST.match(text):
        return None
    if sitemap.is_list(text):
        sitemap.read_list(text, harvest)
        return harvest.index("text-sitemap", len(body))
    if not _may_be_llms_txt(url, media_type):
        return None
    if llms_full.read(text, harvest):
        return harvest.index("llms-full", len(body))
    llms_txt.read(text, harvest)
    found = harvest.index("llms-txt", len(body))
    return found if found.entries or found.children else None


def _may_be_llms_txt(url: str, media_type: str) -> bool:
    """Any text may hold links: its name must say that it is a list, or name and type that it is Markdown."""
    where = path(url)
    return _NAMED.search(where) is not None or (
        media_type.strip().lower() in _TEXT_TYPES and _MARKDOWN_NAME.search(where) is not None
    )


def _inflated(body: bytes) -> bytes:
    """Undo gzip, once, up to ``MAX_SIZE``: 10 KB can stand for 10 GB. Of a broken file, what came out."""
    if not body.startswith(_GZIP):
        return body[:MAX_SIZE]
    inflated = bytearray()
    while body.startswith(_GZIP) and len(inflated) < MAX_SIZE:
        inner = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            while body and not inner.eof and len(inflated) < MAX_SIZE:
                inflated += inner.decompress(body, min(64 * 1024, MAX_SIZE - len(inflated)))
                body = inner.unconsumed_tail
        except zlib.error:
            break
        body = inner.unused_data
    return bytes(inflated)
