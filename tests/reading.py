"""Answers for tests of those who read: bytes as a server sends them, and what the reader makes of them."""

from pathlib import Path

from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.model import Download, Failure, Link, Page, Redirect
from adaptive_crawl.crawler.reading.html import Content, Document, parse
from adaptive_crawl.crawler.reading.hyperlinks import Resolver, links_of
from adaptive_crawl.crawler.reading.markdown import Rendered, render
from adaptive_crawl.crawler.reading.reader import Reading, read
from adaptive_crawl.crawler.urls import DEFAULT
from adaptive_crawl.scoring.content import ContentConfig, content_filter

PAGES = Path(__file__).parent / "data" / "html"
URL = "https://example.org/docs/page.html"
AT = "2025-03-01T12:00:00Z"


def answer(
    body: bytes | str,
    media_type: str = "text/html",
    charset: str = "",
    url: str = URL,
    headers: dict[str, str] | None = None,
) -> Response:
    """An answer with status 200."""
    content = body.encode() if isinstance(body, str) else body
    return Response(url, url, 200, media_type, charset, headers or {}, content, AT)


def outcome(
    response: Response, config: ContentConfig | None = None, query: str = "", downloads: tuple[str, ...] = ()
) -> Page | Download | Redirect | Failure:
    """What the reader makes of it, by default as a crawl reads."""
    return read(response, Reading(content_filter(config or ContentConfig(), query), downloads))


def page(body: bytes | str, config: ContentConfig | None = None, query: str = "", url: str = URL) -> Page:
    """The page that an HTML body is."""
    found = outcome(answer(body, url=url), config, query)
    assert isinstance(found, Page), found
    return found


def stored(name: str) -> bytes:
    """A page of ``tests/data/html``."""
    return (PAGES / name).read_bytes()


def document(body: str, url: str = URL) -> Document:
    return parse(f"<html><body>{body}</body></html>", url)


def rendered(body: str, url: str = URL) -> Rendered:
    """The whole body as Markdown, without a filter."""
    found = document(body, url)
    return render(found, Content((found.tree.body,)), Resolver(found, DEFAULT))


def links(body: str, url: str = URL) -> list[Link]:
    """The links of a body, all of which is content."""
    found = document(body, url)
    return links_of(found, Content((found.tree.body,)), Resolver(found, DEFAULT))
