"""What a toy website can answer to a path: a page, a file, a redirect, a failure, or one after the other.

Each answer can be seen as HTML (bytes for a server) and, a page, as the value that its reader comes
close to (for tests of the core, which need no parser). How answers are served is website.py's business.
"""

import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from adaptive_crawl.crawler.model import FailureKind, Link, Mark, Page, Passage
from adaptive_crawl.crawler.reading.likeness import sketch
from adaptive_crawl.crawler.urls import canonicalize

FETCHED_AT = "2026-01-02T03:04:05Z"
"""When every value of a toy site was fetched: the same for ever, so that trees can be compared."""

Links = Mapping[str, str] | Sequence[tuple[str, str]]
"""href → anchor text, or pairs where one href occurs more than once."""


@dataclass(frozen=True, slots=True)
class ToyPage:
    """An HTML page; make it with :func:`page`."""

    title: str
    text: str
    links: tuple[tuple[str, str], ...]
    menu: tuple[tuple[str, str], ...]
    language: str
    charset: str
    headers: Mapping[str, str]
    head: str
    noindex: bool
    nofollow: bool


@dataclass(frozen=True, slots=True)
class ToyFile:
    """Bytes of any media type; make it with :func:`file` or :func:`raw`."""

    body: bytes
    content_type: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ToyRedirect:
    """An answer that leads elsewhere; make it with :func:`redirect`."""

    target: str
    status: int


@dataclass(frozen=True, slots=True)
class ToyFailure:
    """An answer that is none; make it with :func:`failure`."""

    kind: FailureKind
    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ToySequence:
    """A different answer each time, the last one from then on; make it with :func:`sequence`."""

    answers: tuple["ToyPage | ToyFile | ToyRedirect | ToyFailure", ...]


Single = ToyPage | ToyFile | ToyRedirect | ToyFailure
Answer = Single | ToySequence


@dataclass(frozen=True, slots=True)
class Sent:
    """What goes over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    missing: int = 0
    """Bytes announced and never sent."""


def page(
    title: str,
    text: str = "",
    *,
    links: Links = (),
    menu: Links = (),
    language: str = "en",
    charset: str = "utf-8",
    headers: Mapping[str, str] | None = None,
    head: str = "",
    noindex: bool = False,
    nofollow: bool = False,
) -> ToyPage:
    """Make a page of a title, paragraphs, a list of links, and a menu outside its main content.

    Args:
        text: paragraphs separated by blank lines; one that starts with ``## `` is a heading.
        links: in the main content, after the text.
        menu: in a ``nav`` before it: boilerplate.
        charset: how the page is encoded and declared in its Content-Type.
        head: raw HTML for the ``head``, such as a canonical link or a meta refresh.
    """
    return ToyPage(
        title=title,
        text=text,
        links=_pairs(links),
        menu=_pairs(menu),
        language=language,
        charset=charset,
        headers=dict(headers or {}),
        head=head,
        noindex=noindex,
        nofollow=nofollow,
    )


def raw(body: str, content_type: str = "text/html; charset=utf-8", **headers: str) -> ToyFile:
    """Make an answer of just this text, for HTML that :func:`page` would never write."""
    charset = re.search(r"charset=([\w-]+)", content_type)
    return file(body.encode(charset[1] if charset else "utf-8"), content_type, **headers)


def file(body: bytes, content_type: str = "application/octet-stream", **headers: str) -> ToyFile:
    """Make an answer of bytes; header names take ``_`` for ``-``."""
    return ToyFile(body, content_type, {name.replace("_", "-"): value for name, value in headers.items()})


def redirect(target: str, status: int = 302) -> ToyRedirect:
    """Make a redirect to a path of the site or to an absolute URL."""
    return ToyRedirect(target, status)


def failure(what: int | FailureKind, **headers: str) -> ToyFailure:
    """Make a failure: an HTTP status, or a kind of trouble.

    Served, ``TIMEOUT`` never answers, ``INCOMPLETE`` ends before its announced length, and every other
    kind closes the connection without an answer.
    """
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if isinstance(what, FailureKind):
        return ToyFailure(what, 0, named)
    return ToyFailure(FailureKind.AUTH if what in (401, 407) else FailureKind.HTTP, what, named)


def sequence(*answers: Single) -> ToySequence:
    """Make an answer that differs from request to request, such as ``failure(503)`` and then a page."""
    return ToySequence(answers)


def as_html(made: ToyPage) -> str:
    """The HTML of a toy page."""
    directives = ", ".join(
        name for name, wanted in (("noindex", made.noindex), ("nofollow", made.nofollow)) if wanted
    )
    robots = f'<meta name="robots" content="{directives}">' if directives else ""
    blocks = "\n".join(_block(paragraph) for paragraph in _paragraphs(made.text))
    return (
        f'<!DOCTYPE html>\n<html lang="{html.escape(made.language)}"><head>'
        f"<title>{html.escape(made.title)}</title>{robots}{made.head}</head>\n<body>\n"
        + (f"<nav><ul>{_items(made.menu)}</ul></nav>\n" if made.menu else "")
        + f"<main>\n<h1>{html.escape(made.title)}</h1>\n{blocks}\n"
        + (f"<ul>\n{_items(made.links)}</ul>\n" if made.links else "")
        + "</main>\n</body></html>\n"
    )


def _block(paragraph: str) -> str:
    if paragraph.startswith("## "):
        return f"<h2>{html.escape(paragraph[3:])}</h2>"
    return f"<p>{html.escape(paragraph)}</p>"


def _items(links: tuple[tuple[str, str], ...]) -> str:
    return "".join(
        f'<li><a href="{html.escape(href)}">{html.escape(anchor)}</a></li>\n' for href, anchor in links
    )


def _paragraphs(text: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]


def _pairs(links: Links) -> tuple[tuple[str, str], ...]:
    return tuple(links.items()) if isinstance(links, Mapping) else tuple(links)


def as_page(made: ToyPage, url: str) -> Page:
    """Read a toy page without a parser: the value that a reader of its HTML comes close to."""
    markdown, passages = f"# {made.title}\n", []
    heading: tuple[str, ...] = (made.title,)
    for paragraph in _paragraphs(made.text):
        markdown += f"\n{paragraph}\n"
        if paragraph.startswith("## "):
            heading = (made.title, paragraph[3:])
        else:
            passages.append(Passage(heading, paragraph))
    refs: dict[str, str] = {}
    links, marks = [], []
    for href, anchor in made.menu:
        target = urljoin(url, href)
        links.append(Link(target, canonicalize(target), anchor, found_on=canonicalize(url), boilerplate=True))
    if made.links:
        markdown += "\n"
    for href, anchor in made.links:
        target = urljoin(url, href)
        key = canonicalize(target)
        ref = refs.setdefault(key, f"L{len(refs) + 1}")
        markdown += f"- [{anchor}]({target})"
        marks.append(Mark(len(markdown), ref))
        markdown += "\n"
        links.append(Link(target, key, anchor, anchor, heading, canonicalize(url), ref))
    return Page(
        url=url,
        key=canonicalize(url),
        title=made.title,
        language=made.language.lower(),
        description="",
        markdown=markdown,
        marks=tuple(marks),
        links=tuple(links),
        passages=tuple(passages),
        digest=hashlib.sha256(markdown.encode()).hexdigest(),
        size=len(as_html(made).encode(made.charset, "xmlcharrefreplace")),
        media_type="text/html",
        fetched_at=FETCHED_AT,
        canonical=_canonical(made.head, url),
        noindex=made.noindex,
        sketch=sketch(markdown, made.title),
        nofollow=made.nofollow,
    )


def _canonical(head: str, url: str) -> str:
    declared = re.search(r'rel="canonical" href="([^"]*)"', head)
    return urljoin(url, declared[1]) if declared else ""
