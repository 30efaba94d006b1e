"""What a body is, by its first bytes and what was declared: a page, a text, or neither.

Servers declare types by file name or not at all; bytes that are a PDF or an image are never text, whatever
the header says (https://mimesniff.spec.whatwg.org/), and HTML is a page under any type or none.
"""

import re
from enum import StrEnum

from ..fetching.response import Response

LOOKED_AT = 2_048
"""Bytes."""


class Body(StrEnum):
    """What a body can be read as."""

    HTML = "html"
    TEXT = "text"
    MARKDOWN = "markdown"
    OTHER = "other"
    """A file: not for reading here."""


_SIGNATURES = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x89PNG\r\n", "image/png"),
    (b"GIF8", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ\x90\x00", "application/vnd.microsoft.portable-executable"),
    (b"\x00asm", "application/wasm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO", "font/otf"),
    (b"\x00\x01\x00\x00", "font/ttf"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "application/ogg"),
    (b"fLaC", "audio/flac"),
    (b"{\\rtf", "application/rtf"),
    (b"%!PS", "application/postscript"),
    (b"AT&TFORM", "image/vnd.djvu"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES = frozenset(
    {"text/plain", "text/x-rst", "text/prs.fallenstein.rst", "text/troff", "text/asciidoc"}
)
_MARKDOWN_TYPES = frozenset(
    {"text/markdown", "text/x-markdown", "application/markdown", "text/x-web-markdown"}
)
_UNSAID = frozenset(
    {
        "",
        "application/octet-stream",
        "application/x-unknown",
        "unknown/unknown",
        "application/unknown",
        "text",
    }
    | {"binary/octet-stream", "application/force-download", "application/download"}
)
_XML_TYPES = re.compile(r"(?:text|application)/(?:[\w.+-]+\+)?xml\Z")
_BLANK = rb"(?:\s|<!--.*?-->|<\?[^>]*>)*"
_HTML = re.compile(
    _BLANK + rb"<(?:!doctype\s+html|html|head|title|body|h1|table|div|script|iframe|font|style|meta|link|p|br"
    rb"|center|frameset|article|main|section)(?=[\s/>])",
    re.IGNORECASE | re.DOTALL,
)
_HTML_DOCUMENT = re.compile(_BLANK + rb"<(?:!doctype\s+html|html)(?=[\s/>])", re.IGNORECASE | re.DOTALL)
_DOCTYPE = re.compile(_BLANK + rb"<!doctype\s+html(?=[\s>])", re.IGNORECASE | re.DOTALL)
_FEED = re.compile(_BLANK + rb"<(?:rss|feed|rdf:RDF|urlset|sitemapindex|opml|svg|kml)(?=[\s>])", re.DOTALL)
_MARKDOWN_NAME = re.compile(r"\.(?:md|markdown|mdx|mdown|mkd)\Z", re.IGNORECASE)
_TEXT_NAME = re.compile(
    r"(?:\.(?:txt|text|rst|adoc|asciidoc|org)|/(?:README|LICEN[CS]E|CHANGES|NEWS|COPYING))\Z", re.IGNORECASE
)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def sniff(response: Response) -> tuple[Body, str]:
    """What the body is, and its media type as far as can be told from header and bytes."""
    declared = response.media_type
    start = response.body[:LOOKED_AT]
    found = signature(start)
    if found:
        office = found in ("application/zip", "application/x-ole-storage") and declared.startswith(
            "application/"
        )
        return Body.OTHER, declared if office and declared not in _UNSAID else found
    if _is_binary(response, start):
        is_text = declared in _HTML_TYPES or declared.startswith("text/") or declared in _UNSAID
        return Body.OTHER, "application/octet-stream" if is_text else declared
    return _textual(response, declared, start)


def signature(start: bytes) -> str:
    """Media type of a file that its first bytes give away; empty for others."""
    start = start.lstrip(b"\r\n\t ") if b"%PDF-" in start[:64] else start
    for magic, media_type in _SIGNATURES:
        if start.startswith(magic):
            return media_type
    if start[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}.get(start[8:12], "")
    if start[4:8] == b"ftyp":
        return "image/avif" if start[8:12] in (b"avif", b"heic", b"mif1") else "video/mp4"
    return "application/x-tar" if start[257:262] == b"ustar" else ""


def _is_binary(response: Response, start: bytes) -> bool:
    """Control characters that no text holds; those of UTF-16 are not meant."""
    if start.startswith(_WIDE) or response.charset.startswith(("utf-16", "utf-32", "ucs-2", "unicode")):
        return False
    if b"\x00" in response.body:
        return True
    if b"\x1b$" in start or b"\x1b(" in start:  # ISO-2022-JP
        return False
    return len(_BINARY.findall(start)) > max(2, len(start) // 200)


def _textual(response: Response, declared: str, start: bytes) -> tuple[Body, str]:
    if start.startswith(_WIDE):
        start = start.decode("utf-16", "replace").encode("utf-8", "replace")
    start = start.removeprefix(b"\xef\xbb\xbf")
    path = response.final_url.partition("#")[0].partition("?")[0]
    if _FEED.match(start) and not _DOCTYPE.match(start):
        return Body.OTHER, declared if _XML_TYPES.match(declared) else "application/xml"
    if declared in _HTML_TYPES:
        return Body.HTML, declared
    if declared in _MARKDOWN_TYPES:
        return Body.MARKDOWN, "text/markdown"
    if declared in _TEXT_TYPES:
        if _HTML_DOCUMENT.match(start) and not _TEXT_NAME.search(path):
            return Body.HTML, "text/html"
        return (Body.MARKDOWN, "text/markdown") if _MARKDOWN_NAME.search(path) else (Body.TEXT, "text/plain")
    if _XML_TYPES.match(declared):
        is_page = _HTML_DOCUMENT.match(start) is not None
        return (Body.HTML, "application/xhtml+xml") if is_page else (Body.OTHER, declared)
    if declared in _UNSAID:
        return _unsaid(start, path)
    if _HTML_DOCUMENT.match(start) and not declared.startswith(("image/", "audio/", "video/", "font/")):
        return Body.HTML, "text/html"
    return Body.OTHER, declared


def _unsaid(start: bytes, path: str) -> tuple[Body, str]:
    if _HTML.match(start):
        return Body.HTML, "text/html"
    if _MARKDOWN_NAME.search(path):
        return Body.MARKDOWN, "text/markdown"
    if _TEXT_NAME.search(path):
        return Body.TEXT, "text/plain"
    stripped = start.lstrip()
    if stripped[:1] in (b"{", b"[", b"<"):
        is_page = _HTML_DOCUMENT.match(start) is not None
        return (Body.HTML, "text/html") if is_page else (Body.OTHER, "application/octet-stream")
    return Body.TEXT, "text/plain"


_NO_PAGES = frozenset(
    {"text/css", "text/javascript", "text/ecmascript", "text/csv", "text/calendar", "text/vcard"}
)


def may_be_page(media_type: str) -> bool:
    """Whether a body declared as this type is worth reading in the hope of a page.

    For whoever has only the headers yet: what is declared as a PDF, a picture or a style sheet is believed.
    """
    if media_type in _UNSAID or media_type in _HTML_TYPES or media_type in _MARKDOWN_TYPES:
        return True
    if media_type.startswith("text/"):
        return media_type not in _NO_PAGES
    return _XML_TYPES.match(media_type) is not None and not media_type.startswith("image/")
