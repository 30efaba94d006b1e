"""One request, from its turn at the gate to what it brought: a real server, and a clock turned by hand."""

import asyncio
import contextlib
import itertools
import logging
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from adaptive_crawl.crawler.errors import StrategyError
from adaptive_crawl.crawler.fetching.fetcher import FetchConfig, Fetcher
from adaptive_crawl.crawler.fetching.gate import Gate
from adaptive_crawl.crawler.fetching.politeness import DOWN_AFTER, Politeness, PolitenessConfig
from adaptive_crawl.crawler.fetching.readers import THREADS, Readers
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.fetching.robots import SIZE_LIMIT, Robots
from adaptive_crawl.crawler.fetching.visit import Visitor
from adaptive_crawl.crawler.fetching.visited import Read, Visited, visited_of
from adaptive_crawl.crawler.journaling.record import inflate
from adaptive_crawl.crawler.model import (
    Download,
    Failure,
    FailureKind,
    Kind,
    Page,
    Redirect,
    Request,
    RobotsFile,
)
from adaptive_crawl.crawler.urls import canonicalize

from .clock import HandClock
from .hostile import Script, Server, answers, hangs, hostile, in_turn, page, resets, says

CUT = says(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 900\r\n\r\n<p>half")
BUSY = answers(b"busy", "503 Busy")
BROKEN = answers(b"oops", "500 Oops")


def read(response: Response) -> Page | Download | Redirect | Failure:
    """The simplest reader: HTML is a page, anything else a download."""
    if response.media_type != "text/html":
        return Download(response.url, "", response.media_type, len(response.body), "", response.fetched_at)
    return Page(
        url=response.url,
        key=canonicalize(response.final_url),
        title="",
        language="",
        description="",
        markdown=response.body.decode(response.charset or "utf-8", "replace"),
        marks=(),
        links=(),
        passages=(),
        digest="",
        size=len(response.body),
        media_type=response.media_type,
        fetched_at=response.fetched_at,
    )


def in_threads(how_to_read: Read) -> Readers:
    return Readers(partial(visited_of, how_to_read), processes=0)


class Scene:
    """A visitor, and a clock that jumps to whatever it waits for."""

    def __init__(self, fetcher: Fetcher, config: PolitenessConfig, how_to_read: Read, **options: Any) -> None:
        self.clock = HandClock()
        self.politeness = Politeness(config)
        self.stopping = asyncio.Event()
        gate = Gate(self.politeness, self.clock, self.stopping)
        options = {"agent": "adaptive-crawl", "retries": 2, "max_redirects": 10, **options}
        self.visitor = Visitor(fetcher, gate, self.politeness, in_threads(how_to_read), **options)

    async def visit(self, url: str, kind: Kind = Kind.PAGE) -> Visited:
        task = asyncio.ensure_future(self.visitor.visit(request(url, kind)))
        await self.clock.run(task)
        return task.result()


def request(url: str, kind: Kind = Kind.PAGE) -> Request:
    return Request(round=0, rank=0, goal=0, kind=kind, url=url, key=canonicalize(url))


@contextlib.asynccontextmanager
async def scene(
    server: Server,
    config: PolitenessConfig | None = None,
    how_to_read: Read = read,
    patience: float = 5,
    **options: Any,
) -> AsyncIterator[Scene]:
    async with Fetcher(FetchConfig(timeout=patience), seeds=[server.url()]) as fetcher:
        yield Scene(fetcher, config or PolitenessConfig(delay=0), how_to_read, **options)


def visited(
    scripts: dict[str, Script], path: str = "/", kind: Kind = Kind.PAGE, **options: Any
) -> tuple[Visited, Server, float]:
    """What a visit brings, what the server heard, and how many seconds it took by the clock."""
    with hostile(scripts) as server:

        async def story() -> tuple[Visited, float]:
            async with scene(server, **options) as there:
                start = there.clock.now()
                return await there.visit(server.url(path), kind), there.clock.now() - start

        brought, took = asyncio.run(story())
        return brought, server, took


def body_of(brought: Visited) -> bytes:
    """The body as the journal gets it."""
    assert brought.packed is not None
    assert brought.packed.body is not None
    return inflate(brought.packed.body, brought.packed.body_size)


def trouble(brought: Visited) -> Failure:
    assert isinstance(brought.outcome, Failure), brought
    return brought.outcome


def test_a_page_comes_with_its_body() -> None:
    brought, server, _ = visited({"/": answers(page())})
    assert isinstance(brought.outcome, Page)
    assert brought.outcome.url == server.url()
    assert body_of(brought) == page()


def test_the_body_of_a_page_is_kept_as_utf8_whatever_it_came_in() -> None:
    body = "<html><body>" + "备份保留三十天。" * 20
    script = answers(body.encode("gb2312"), content_type="text/html; charset=gb2312")
    brought, _, _ = visited({"/": script})
    assert body_of(brought) == body.encode()


def test_a_download_comes_with_its_bytes() -> None:
    brought, _, _ = visited({"/a": answers(b"%PDF\xff", content_type="application/pdf")}, "/a")
    assert isinstance(brought.outcome, Download)
    assert body_of(brought) == b"%PDF\xff"


@pytest.mark.parametrize("error", [ValueError("no\nsuch tag"), RecursionError("too deep"), MemoryError()])
def test_a_page_that_breaks_the_reader_is_one_failure(error: Exception) -> None:
    def broken(response: Response) -> Failure:
        raise error

    brought, _, _ = visited({"/": answers()}, how_to_read=broken)
    assert trouble(brought).kind is FailureKind.UNREADABLE
    assert type(error).__name__ in trouble(brought).detail
    assert "\n" not in trouble(brought).detail


def test_a_plug_in_that_fails_ends_the_run() -> None:
    def broken(response: Response) -> Failure:
        raise StrategyError("content.filter my.filter:Mine raised KeyError")

    with pytest.raises(StrategyError):
        visited({"/": answers()}, how_to_read=broken)


# Redirects


def test_a_redirect_to_another_page_is_the_cores_business() -> None:
    brought, server, _ = visited({"/a": answers(b"", "301 Moved", location="/b"), "/b": answers()}, "/a")
    assert isinstance(brought.outcome, Redirect)
    assert (brought.outcome.url, brought.outcome.target) == (server.url("/a"), server.url("/b"))
    assert server.asked("/b") == 0


def test_a_redirect_to_another_spelling_of_the_page_is_followed() -> None:
    scripts = {"/a?utm_source=x": answers(b"", "302 Found", location="/a"), "/a": answers(page())}
    seen: list[Response] = []

    def note(response: Response) -> Page | Download | Redirect | Failure:
        seen.append(response)
        return read(response)

    brought, server, _ = visited(scripts, "/a?utm_source=x", how_to_read=note)
    assert isinstance(brought.outcome, Page)
    assert seen[0].url == server.url("/a?utm_source=x")
    assert seen[0].final_url == server.url("/a")


def test_a_page_that_sets_a_cookie_and_redirects_to_itself_is_fetched() -> None:
    wall = in_turn(answers(b"", "302 Found", location="/", set_cookie="seen=1"), answers(page()))
    brought, server, _ = visited({"/": wall})
    assert isinstance(brought.outcome, Page)
    assert server.heard("/")[1].headers["cookie"] == "seen=1"


def test_a_page_that_redirects_to_itself_for_ever_is_a_failure_after_few_requests() -> None:
    brought, server, _ = visited({"/": answers(b"", "302 Found", location="/")})
    assert trouble(brought).kind is FailureKind.REDIRECT
    assert server.asked("/") <= 3


def test_a_page_that_leads_on_to_another_spelling_of_itself_is_followed_too() -> None:
    """As by a meta refresh."""

    def refresh(response: Response) -> Page | Download | Redirect | Failure:
        if "utm" not in response.final_url:
            return read(response)
        target = response.final_url.partition("?")[0]
        return Redirect(response.url, target, canonicalize(target), False, response.fetched_at)

    scripts = {"/a?utm_source=x": answers(), "/a": answers(page())}
    brought, _, _ = visited(scripts, "/a?utm_source=x", how_to_read=refresh)
    assert isinstance(brought.outcome, Page)


def test_a_chain_of_spellings_has_an_end() -> None:
    chain = {f"/?utm_id={n}": answers(b"", "302 Found", location=f"/?utm_id={n + 1}") for n in range(50)}
    brought, server, _ = visited(chain, "/?utm_id=0", max_redirects=4)
    assert trouble(brought).kind is FailureKind.REDIRECT
    assert "4 redirects" in trouble(brought).detail
    assert len(server.log) == 5


def test_a_spelling_that_robots_txt_forbids_is_not_followed() -> None:
    scripts = {
        "/robots.txt": answers(b"User-agent: *\nDisallow: /*?utm_"),
        "/a": answers(b"", "302 Found", location="/a?utm_source=x"),
        "/a?utm_source=x": answers(page()),
    }
    with hostile(scripts) as server:

        async def story(**options: Any) -> Visited:
            async with scene(server, **options) as there:
                await there.visit(server.url("/robots.txt"), Kind.ROBOTS)
                return await there.visit(server.url("/a"))

        assert trouble(asyncio.run(story())).kind is FailureKind.ROBOTS
        assert server.asked("/a?utm_source=x") == 0
        assert isinstance(asyncio.run(story(agent=None)).outcome, Page)


# Retries


@pytest.mark.parametrize(
    "script", [CUT, BUSY, BROKEN, resets(), says(b"")], ids=["cut", "503", "500", "reset", "closed"]
)
def test_what_passes_is_tried_again(script: Script) -> None:
    brought, server, took = visited({"/": in_turn(script, script, answers(page()))})
    assert isinstance(brought.outcome, Page)
    assert server.asked("/") == 3
    assert 1.5 <= took < 10


@pytest.mark.parametrize("script", [CUT, BUSY, BROKEN, resets()], ids=["cut", "503", "500", "reset"])
def test_what_does_not_pass_is_a_failure_after_so_many_attempts(script: Script) -> None:
    brought, server, _ = visited({"/": script}, retries=1)
    assert trouble(brought).attempts == server.asked("/") == 2


def test_a_server_that_is_silent_is_tried_again() -> None:
    brought, server, _ = visited({"/": in_turn(hangs(), answers(page()))}, patience=0.3)
    assert isinstance(brought.outcome, Page)
    assert server.asked("/") == 2


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "410 Gone", "401 Login"])
def test_what_says_no_is_asked_once(status: str) -> None:
    brought, server, took = visited({"/": answers(b"", status)})
    assert trouble(brought).status == int(status[:3])
    assert (server.asked("/"), took) == (1, 0)


def test_a_busy_host_is_left_alone_as_long_as_it_asks() -> None:
    busy = answers(b"", "429 Too Many Requests", retry_after="40")
    brought, _, took = visited({"/": in_turn(busy, answers(page()))})
    assert isinstance(brought.outcome, Page)
    assert took == 40


def test_a_day_is_not_slept_through_and_costs_the_other_pages_seconds() -> None:
    busy = answers(b"", "429 Too Many Requests", retry_after="86400")
    with hostile({"/": busy, "/other": answers(page())}) as server:

        async def story() -> tuple[Visited, Visited, float]:
            async with scene(server) as there:
                start = there.clock.now()
                first = await there.visit(server.url("/"))
                second = await there.visit(server.url("/other"))
                return first, second, there.clock.now() - start

        first, second, took = asyncio.run(story())
        assert trouble(first).kind is FailureKind.WAIT
        assert server.asked("/") == 1
        assert isinstance(second.outcome, Page)
        assert took < 5


def test_a_host_that_stays_dead_costs_each_further_page_nothing() -> None:
    with hostile({}) as closed:
        url = closed.url

    async def story() -> list[Failure]:
        async with scene(closed) as there:
            return [trouble(await there.visit(url(f"/{number}"))) for number in range(DOWN_AFTER)]

    failures = asyncio.run(story())
    assert {failure.kind for failure in failures} == {FailureKind.CONNECT}
    assert failures[0].attempts == 3
    assert failures[-1].attempts == 0
    assert "not asked" in failures[-1].detail


# robots.txt


def robots_file(scripts: dict[str, Script], **options: Any) -> RobotsFile:
    brought, server, _ = visited(scripts, "/robots.txt", Kind.ROBOTS, **options)
    assert isinstance(brought.outcome, RobotsFile)
    assert brought.outcome.url == server.url("/robots.txt")
    assert len(brought.outcome.fetched_at) == 20
    return brought.outcome


@pytest.mark.parametrize(
    ("script", "status"),
    [
        (answers(b"User-agent: *", content_type="application/pdf"), 200),
        (answers(b"", "404 Not Found"), 404),
        (answers(b"", "401 Login"), 401),
        (answers(b"", "503 Busy"), 503),
        (answers(b"", "429 Slow Down", retry_after="86400"), 429),
        (CUT, 0),
        (resets(), 0),
        (says(b"junk\r\n\r\n"), 0),
        (answers(b"", "302 Found", location="/robots.txt"), 404),
        (answers(b"", "302 Found", location="ftp://mill.example/"), 404),
    ],
    ids=["any type", "404", "401", "503", "429", "cut", "reset", "junk", "a loop", "a dead end"],
)
def test_whatever_happens_to_a_robots_txt_is_a_robots_file(script: Script, status: int) -> None:
    assert robots_file({"/robots.txt": script}).status == status


def test_a_robots_txt_that_does_not_come_is_as_if_none_could_be_had() -> None:
    got = robots_file({"/robots.txt": hangs()}, patience=0.2, retries=0)
    assert got.status == 0
    assert not Robots.parse(got).allows("https://mill.example/", "adaptive-crawl")


def test_a_robots_txt_is_followed_over_hosts_and_holds_for_where_it_was_asked() -> None:
    with hostile({"/rules": answers(b"User-agent: *\nDisallow: /a")}) as other:
        scripts = {"/robots.txt": answers(b"", "301 Moved", location=other.url("/rules", "localhost"))}
        with hostile(scripts) as server:

            async def story() -> Visited:
                config = FetchConfig(allow_private=True)
                async with Fetcher(config, seeds=[server.url()]) as fetcher:
                    there = Scene(fetcher, PolitenessConfig(delay=0), read)
                    return await there.visit(server.url("/robots.txt"), Kind.ROBOTS)

            got = asyncio.run(story()).outcome
            assert isinstance(got, RobotsFile)
            assert (got.url, got.status) == (server.url("/robots.txt"), 200)
            assert "Disallow: /a" in got.text


def test_a_robots_txt_without_end_is_read_up_to_the_limit() -> None:
    got = robots_file({"/robots.txt": answers(b"User-agent: *\nDisallow: /a\n" + b"#" * 2_000_000)})
    assert len(got.text) <= SIZE_LIMIT
    assert not Robots.parse(got).allows("https://mill.example/a", "adaptive-crawl")


def test_a_crawl_delay_is_kept_from_the_next_request_on() -> None:
    scripts = {"/robots.txt": answers(b"User-agent: *\nCrawl-delay: 7"), "/": answers(page())}
    with hostile(scripts) as server:

        async def story() -> list[float]:
            times = []
            async with scene(server) as there:
                for path, kind in [("/robots.txt", Kind.ROBOTS), ("/", Kind.PAGE), ("/", Kind.PAGE)]:
                    await there.visit(server.url(path), kind)
                    times.append(there.clock.now())
            return times

        times = asyncio.run(story())
        assert [later - earlier for earlier, later in itertools.pairwise(times)] == [7, 7]


def test_an_immoderate_crawl_delay_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        visited({"/robots.txt": answers(b"User-agent: *\nCrawl-delay: 3600")}, "/robots.txt", Kind.ROBOTS)
    assert "3600 s" in caplog.text
    assert "politeness.crawl_delay_cap" in caplog.text


def test_an_ignored_robots_txt_delays_nothing() -> None:
    with hostile({}) as server:

        async def story() -> float:
            async with scene(server, agent=None) as there:
                there.visitor.know(
                    RobotsFile(server.url("/robots.txt"), 200, "User-agent: *\nCrawl-delay: 9", "")
                )
                return there.politeness.pace("127.0.0.1")

        assert asyncio.run(story()) == 0


# All at once


def test_stopping_releases_what_waits_and_lets_what_was_sent_end() -> None:
    free = threading.Event()

    def slow(client: Any, heard: Any, server: Server) -> bool:
        free.wait(5)
        return answers(page())(client, heard, server)

    with hostile({"/0": slow, "/1": slow, "/2": slow}) as server:

        async def story() -> list[asyncio.Task[Visited]]:
            async with scene(server, PolitenessConfig(delay=60)) as there:
                tasks = []
                async with asyncio.TaskGroup() as group:
                    for number in range(3):
                        visit = there.visitor.visit(request(server.url(f"/{number}")))
                        tasks.append(group.create_task(visit))
                    while not server.log:
                        await asyncio.wait(tasks, timeout=0.01)
                    there.stopping.set()
                    free.set()
                return tasks

        first, *others = asyncio.run(story())
        assert isinstance(first.result().outcome, Page)
        assert all(task.cancelled() for task in others)
        assert len(server.log) == 1


def test_no_more_bodies_are_read_at_once_than_there_are_readers() -> None:
    lock = threading.Lock()
    both = threading.Barrier(THREADS)
    counts = {"now": 0, "most": 0}

    def counting(response: Response) -> Page | Download | Redirect | Failure:
        with lock:
            counts["now"] += 1
            counts["most"] = max(counts["most"], counts["now"])
        both.wait(5)
        with lock:
            counts["now"] -= 1
        return read(response)

    paths = [f"/{number}" for number in range(3 * THREADS)]
    with hostile({path: answers(page()) for path in paths}) as server:

        async def story() -> None:
            config = PolitenessConfig(delay=0, per_host=6)
            async with scene(server, config, counting) as there, asyncio.TaskGroup() as group:
                for path in paths:
                    group.create_task(there.visitor.visit(request(server.url(path))))

        asyncio.run(story())
        assert counts["most"] == THREADS


@pytest.mark.parametrize(
    ("config", "robots", "gap", "at_once"),
    [
        (PolitenessConfig(delay=0.05, per_host=2), "", 0.05, 2),
        (PolitenessConfig(delay=0, per_host=3), "", 0.0, 3),
        (PolitenessConfig(delay=0, per_host=3), "User-agent: *\nCrawl-delay: 0.05", 0.05, 1),
    ],
    ids=["delay", "concurrency", "crawl delay"],
)
def test_a_host_hears_no_more_than_was_agreed(
    config: PolitenessConfig, robots: str, gap: float, at_once: int
) -> None:
    def slow(client: Any, heard: Any, server: Server) -> bool:
        server.closing.wait(0.03)
        return answers(page())(client, heard, server)

    paths = [f"/{number}" for number in range(8)]
    with hostile(dict.fromkeys(paths, slow)) as server:

        async def story() -> None:
            async with Fetcher(FetchConfig(), seeds=[server.url()]) as fetcher:
                politeness = Politeness(config)
                readers = in_threads(read)
                visitor = Visitor(
                    fetcher, Gate(politeness), politeness, readers, agent="a", retries=0, max_redirects=0
                )
                visitor.know(RobotsFile(server.url("/robots.txt"), 200, robots, ""))
                async with asyncio.TaskGroup() as group:
                    for path in paths:
                        group.create_task(visitor.visit(request(server.url(path))))

        asyncio.run(story())
        times = sorted(heard.at for heard in server.log)
        # The first request makes the connection, so the second may follow a little sooner than it was sent.
        assert min(later - earlier for earlier, later in itertools.pairwise(times)) >= gap * 0.7
        assert server.most_in_flight <= at_once


def test_the_visit_of_a_url_that_is_none_is_a_failure() -> None:
    brought, _, _ = visited({}, "")
    assert trouble(brought).kind is FailureKind.HTTP
    with hostile({}) as server:

        async def story() -> Visited:
            async with scene(server) as there:
                return await there.visitor.visit(replace(request("http://"), key=""))

        assert trouble(asyncio.run(story())).kind is FailureKind.INVALID_URL
