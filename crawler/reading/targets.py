"""Where links and images of a page lead, as destinations that Markdown can hold."""

import re

from .hyperlinks import Resolver
from .tree import Element

STATIC = frozenset(
    {
        *("css", "js", "mjs", "map", "png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "avif", "bmp"),
        *("woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "ogg", "webm", "avi", "mov", "wav", "flac"),
        *(
            "zip",
            "tar",
            "gz",
            "tgz",
            "bz2",
            "xz",
            "7z",
            "rar",
            "exe",
            "dmg",
            "apk",
            "deb",
            "rpm",
            "iso",
            "msi",
        ),
        *("whl", "jar"),
    }
)
"""Endings of files that are no pages and link to none."""

_ENDING = re.compile(r"\.([A-Za-z0-9]{1,5})(?:[?#].*)?\Z")
_OTHER = re.compile(r"\s*(?:mailto|tel|ftp|ftps|sip|news|irc|magnet):[^\s<>]+\Z", re.IGNORECASE)
_UNSAFE = re.compile(r"[\s<>\\\"`*]")
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-actualsrc", "data-url")
_SOURCES = re.compile(r"\s*(?:,\s*)*(\S*[^\s,])(?:\s+[^,]+)?\s*(?:,|\Z)")
MAX_TARGET = 4_000
"""Characters; longer ones are data."""


def is_static(url: str) -> bool:
    """Does a URL name a file that is no page?"""
    match = _ENDING.search(url.partition("?")[0])
    return match is not None and match[1].lower() in STATIC


def target(resolver: Resolver, href: str) -> str:
    """A link's destination with its fragment, absolute; empty where it leads to nothing one can open."""
    href = href.strip()
    url = resolver.url(href)
    if url is None:
        return _well_formed(href) if _OTHER.match(href) else ""
    fragment = href.partition("#")[2]
    return _well_formed(f"{url}#{fragment}" if fragment else url)


def image_target(resolver: Resolver, image: Element) -> str:
    """Where an image is, also one that is loaded late; empty for data in place of one, and for one dot."""
    if image.get("width") in ("0", "1") or image.get("height") in ("0", "1"):
        return ""
    for name in (*_LAZY, "src"):
        source = image.get(name).strip()
        if source and source[:5].lower() != "data:":
            return target(resolver, source)
    for name in ("data-srcset", "srcset"):
        match = _SOURCES.match(image.get(name))
        if match and match[1][:5].lower() != "data:":
            return target(resolver, match[1])
    return ""


def _well_formed(url: str) -> str:
    """A destination without blanks and with its parentheses in pairs."""
    if len(url) > MAX_TARGET:
        return ""
    if _UNSAFE.search(url):
        url = _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)
    if "(" in url or ")" in url:
        depth = 0
        for sign in url:
            depth += (sign == "(") - (sign == ")")
            if depth < 0 or depth > 20:
                break
        if depth != 0:
            url = url.replace("(", "%28").replace(")", "%29")
    return url
