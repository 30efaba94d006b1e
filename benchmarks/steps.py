"""What reading a page can mean, from nothing to all: what the clients of ``speed`` do with an answer.

In a module of their own, since other processes find them by name.
"""

from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.fetching.visited import Visited, visited_of
from adaptive_crawl.crawler.model import Download, Failure, FailureKind, Page, Redirect
from adaptive_crawl.crawler.reading.html import Content, parse
from adaptive_crawl.crawler.reading.hyperlinks import Resolver, links_of
from adaptive_crawl.crawler.reading.reader import Reading, read
from adaptive_crawl.crawler.urls import DEFAULT
from adaptive_crawl.scoring.content import ContentConfig, content_filter


def parsed(response: Response) -> Visited:
    """Read a page with Markdown off: what it says of itself, and every link."""
    document = parse(response.body.decode("utf-8", "replace"), response.final_url)
    resolver = Resolver(document, DEFAULT)
    links = links_of(document, Content((document.tree.body,)), resolver)
    document.tree.fell()
    key = resolver.key(response.url)
    said = (document.title, document.language, document.description)
    size, media_type = len(response.body), response.media_type
    return Visited(
        Page(*(response.url, key, *said, "", (), tuple(links), (), "", size, media_type, response.fetched_at))
    )


def read_whole(response: Response) -> Visited:
    """Read a page as the command does."""
    return visited_of(_read, response)


def _read(response: Response) -> Page | Download | Redirect | Failure:
    return read(response, _READING)


_READING = Reading(content_filter(ContentConfig()))


def unread(response: Response) -> Visited:
    return Visited(Failure(response.url, FailureKind.UNREADABLE, "not read", size=len(response.body)))
