"""One request, from its turn at the gate to what it brought.

Joins those who decide (politeness, retries, robots) to those who act (gate, fetcher, reader), and turns
everything that can happen to one URL into a value. Decides nothing about the crawl.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from .. import urls
from ..errors import CrawlError
from ..indexes import read_index
from ..model import (
    NOT_MODIFIED,
    Download,
    Failure,
    FailureKind,
    Kind,
    Page,
    Redirect,
    Request,
    RobotsFile,
    SiteIndex,
)
from . import retry, revisit, robots
from .exchange import Exchange, one_line, stamp
from .fetcher import Fetcher
from .gate import Gate
from .politeness import Politeness
from .readers import NotRead, Readers
from .response import Response
from .revisit import Held
from .robots import Robots
from .visited import Visited

INDEX_HOPS = 3
"""Redirects followed from a site index: http to https, a new name, and one to spare."""

ROBOTS_HOPS = 5
"""Redirects followed from a robots.txt, over hosts too (RFC 9309, 2.3.1.2)."""

Recall = Callable[[str], Held | None]
"""What is known of a key from before the update under way."""

log = logging.getLogger(__name__)


def _nothing_known(key: str) -> Held | None:
    """Everything is new."""
    return None


class Visitor:
    """Makes visits: waits for a turn, fetches, tries again where that may help, and reads."""

    def __init__(
        self,
        fetcher: Fetcher,
        gate: Gate,
        politeness: Politeness,
        readers: Readers,
        *,
        agent: str | None,
        retries: int,
        max_redirects: int,
        max_entries: int = 5000,
        recall: Recall = _nothing_known,
    ) -> None:
        """
        Args:
            politeness: the one that the gate asks.
            readers: left open.
            agent: product token to match robots.txt with; None ignores robots.txt.
            retries: attempts after the first.
            max_redirects: hops between spellings of one URL.
            max_entries: taken from one site index.
            recall: what is known of it is asked for only if it has changed.
        """
        self._fetcher = fetcher
        self._gate = gate
        self._politeness = politeness
        self._readers = readers
        self._agent = agent
        self._retries = retries
        self._max_redirects = max_redirects
        self._max_entries = max_entries
        self._recall = recall
        self._robots: dict[str, Robots] = {}

    async def visit(self, request: Request) -> Visited:
        """Carry out a request. Never raises for what one URL does.

        Raises:
            CrawlError: the run cannot go on, as when a plug-in of the reader's failed.
            asyncio.CancelledError: the run is stopping, and the request was not made, or not made again.
        """
        held = None if request.kind is Kind.ROBOTS else self._recall(request.key)
        try:
            if request.kind is Kind.ROBOTS:
                return Visited(await self._fetch_robots(request.url))
            if request.kind is Kind.SITE_INDEX:
                return await self._fetch_index(request, held)
            visited = await self._fetch_page(request, held)
            return visited if held is None else _revisited(held, visited)
        except CrawlError:
            raise
        except NotRead as error:
            return Visited(Failure(request.url, FailureKind.UNREADABLE, one_line(str(error))))
        except Exception as error:
            # The one broad catch: a bug that one page sets off must not end a crawl of thousands.
            log.debug("%s could not be read", request.url, exc_info=True)
            detail = one_line(f"{type(error).__name__}: {error}")
            return Visited(Failure(request.url, FailureKind.UNREADABLE, detail))

    def know(self, file: RobotsFile) -> None:
        """Take in a robots.txt, fetched now or by an earlier run."""
        parsed = Robots.parse(file)
        self._robots[urls.origin(file.url)] = parsed
        delay = parsed.crawl_delay(self._agent) if self._agent is not None else None
        if delay:
            note = self._politeness.crawl_delay(urls.host(file.url), delay)
            if note:
                log.warning("%s", note)

    async def _fetch_robots(self, url: str) -> RobotsFile:
        target = url
        for _ in range(ROBOTS_HOPS + 1):
            exchange = await self._persist(target, at_most=robots.SIZE_LIMIT + 1, any_type=True)
            if not isinstance(exchange.outcome, Redirect):
                break
            target = exchange.outcome.target
        file = _robots_file(url, exchange)
        self.know(file)
        return file

    async def _fetch_index(self, request: Request, held: Held | None) -> Visited:
        """Fetch a site index, over redirects on its own host, and read it."""
        url = request.url
        for _ in range(INDEX_HOPS + 1):
            exchange = await self._persist(url, any_type=True, conditions=revisit.conditions(held))
            match exchange.outcome:
                case Failure() as failure:
                    return Visited(replace(failure, url=request.url))
                case Redirect(target=target):
                    if urls.host(target) != urls.host(url) or self._forbids(target):
                        return _no_index(request, f"redirects to {target}")
                    url = target
                case Response(status=304) as unchanged if held is not None:
                    return Visited(revisit.not_modified(held), validators=_newest(held, unchanged))
                case Response() as response:
                    return await self._make_index(request, response)
        return _no_index(request, f"more than {INDEX_HOPS} redirects")

    async def _make_index(self, request: Request, response: Response) -> Visited:
        index = await self._readers.beside(
            read_index, response.body, response.final_url, response.media_type, self._max_entries
        )
        if index is None:
            size = len(response.body)
            return Visited(Failure(request.url, FailureKind.MEDIA_TYPE, "no site index", size=size))
        outcome = SiteIndex(
            request.url, index.format, index.entries, index.children, index.size, response.fetched_at
        )
        sent = response.headers
        return Visited(outcome, validators=(sent.get("etag", ""), sent.get("last-modified", "")))

    async def _fetch_page(self, request: Request, held: Held | None) -> Visited:
        url = request.url
        times_asked = {url: 1}
        for _ in range(self._max_redirects + 1):
            visited = await self._ask(request, url, held)
            outcome = visited.outcome
            if not isinstance(outcome, Redirect) or outcome.target_key != request.key:
                return visited
            # Another spelling of the same page, or the same again with a cookie: no news for the core.
            url = outcome.target
            if self._forbids(url):
                return Visited(Failure(request.url, FailureKind.ROBOTS, f"robots.txt forbids {url}"))
            times_asked[url] = times_asked.get(url, 0) + 1
            if times_asked[url] > 2:
                return Visited(Failure(request.url, FailureKind.REDIRECT, f"{url} redirects to itself"))
        detail = f"more than {self._max_redirects} redirects"
        return Visited(Failure(request.url, FailureKind.REDIRECT, detail))

    async def _ask(self, request: Request, url: str, held: Held | None) -> Visited:
        """Fetch one spelling of a request's URL, and read what comes."""
        outcome = (await self._persist(url, conditions=revisit.conditions(held))).outcome
        if isinstance(outcome, Response):
            if held is not None and outcome.status == 304:
                return Visited(revisit.not_modified(held), validators=_newest(held, outcome))
            return await self._readers.read(replace(outcome, url=request.url, final_url=url))
        return Visited(replace(outcome, url=request.url))

    async def _persist(
        self,
        url: str,
        *,
        at_most: int | None = None,
        any_type: bool = False,
        conditions: Mapping[str, str] | None = None,
    ) -> Exchange:
        """Fetch a URL in its turn, again where a failure may pass."""
        host = urls.host(url)
        clock, politeness = self._gate.clock, self._politeness
        not_before = 0.0
        attempt = 0
        while True:
            attempt += 1
            if politeness.is_down(host, clock.now()):
                detail = f"not asked: {host} failed {politeness.state(host).troubles} times in a row"
                return Exchange(Failure(url, FailureKind.CONNECT, detail, attempts=attempt - 1), stamp())
            async with self._gate.turn(host, not_before):
                exchange = await self._fetcher.fetch(
                    url, headers=conditions, at_most=at_most, any_type=any_type
                )
                now = clock.now()
                wait = retry.wait_asked(exchange.retry_after, now)
                if _tells_of_host(exchange):
                    politeness.note(host, now, latency=exchange.latency, status=exchange.status, wait=wait)
            if not isinstance(exchange.outcome, Failure):
                return exchange
            decision = retry.decide(
                exchange.outcome,
                host=host,
                attempt=attempt,
                retries=self._retries,
                retry_after=wait,
                max_wait=politeness.config.max_retry_wait,
            )
            if isinstance(decision, Failure):
                return replace(exchange, outcome=decision)
            not_before = now + decision.wait

    def _forbids(self, url: str) -> bool:
        if self._agent is None:
            return False
        known = self._robots.get(urls.origin(url))
        return known is not None and not known.allows(url, self._agent)


def _no_index(request: Request, detail: str) -> Visited:
    return Visited(Failure(request.url, FailureKind.REDIRECT, detail))


def _newest(held: Held, unchanged: Response) -> tuple[str, str]:
    """The validators to ask with next time: those sent with a 304, else those that it confirmed."""
    sent = unchanged.headers
    return sent.get("etag", held.etag), sent.get("last-modified", held.last_modified)


def _revisited(held: Held, visited: Visited) -> Visited:
    """What a visit brought, seen in the light of what is held."""
    match visited.outcome:
        case Page() | Download() as kept if kept.held == NOT_MODIFIED:
            return replace(visited, kept_body=held.body)
        case Page() | Download() as came:
            newest = came.etag, came.last_modified
            return replace(visited, outcome=revisit.first_seen(held, came), validators=newest)
        case Failure() as failure:
            outcome = revisit.instead(held, failure)
            if outcome is failure:
                return visited
            return Visited(outcome, kept_body=held.body, validators=(held.etag, held.last_modified))
    return visited


def _tells_of_host(exchange: Exchange) -> bool:
    if exchange.latency is not None:
        return True
    kind = exchange.outcome.kind if isinstance(exchange.outcome, Failure) else None
    return kind in (FailureKind.CONNECT, FailureKind.TIMEOUT, FailureKind.TLS)


def _robots_file(url: str, exchange: Exchange) -> RobotsFile:
    match exchange.outcome:
        case Response(status=status, body=body):
            return RobotsFile(url, status, robots.decode(body), exchange.at)
        case Redirect():
            # More hops than need be followed: as if there were no file (2.3.1.2).
            return RobotsFile(url, 404, "", exchange.at)
        case Failure(kind=FailureKind.HTTP | FailureKind.AUTH | FailureKind.WAIT, status=status):
            return RobotsFile(url, status, "", exchange.at)
        case Failure(kind=FailureKind.REDIRECT):
            return RobotsFile(url, 404, "", exchange.at)
        case Failure(detail=detail):
            # Half a file says nothing: as if no answer had come.
            return RobotsFile(url, 0, "", exchange.at, detail)
