"""Reading beside the event loop: in threads, in processes, and what happens when one of them is lost."""

import asyncio
import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adaptive_crawl.crawler.errors import StrategyError
from adaptive_crawl.crawler.fetching.readers import (
    MOST_PROCESSES,
    NotRead,
    Readers,
    processes_for,
    usable_cores,
)
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.fetching.visited import Visited, visited_of
from adaptive_crawl.crawler.model import Failure, Page
from adaptive_crawl.crawler.reading.reader import Reading, read
from adaptive_crawl.scoring.content import ContentConfig, Filter, content_filter

from .other_processes import in_which_thread, upon_request, where
from .website import FETCHED_AT

HERE = str(os.getpid())
ALWAYS: dict[str, Any] = {"processes": 2, "after": 0.0}

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def response(body: str = "") -> Response:
    url = "http://mill.example/"
    return Response(url, url, 200, "text/html", "utf-8", {}, body.encode(), FETCHED_AT)


def process_of(visited: Visited) -> str:
    assert isinstance(visited.outcome, Failure)
    return visited.outcome.detail


def reads(*bodies: str, **options: Any) -> list[Visited]:
    """Read one after the other."""

    async def story() -> list[Visited]:
        async with Readers(upon_request, **{**ALWAYS, **options}) as readers:
            return [await readers.read(response(body)) for body in bodies]

    return asyncio.run(story())


# Where


def test_pages_that_do_not_wait_for_each_other_are_read_here() -> None:
    assert {process_of(visited) for visited in reads(*["page"] * 20, after=1e-9)} == {HERE}


def test_processes_take_over_when_pages_have_waited_for_as_long_as_one_takes_to_start() -> None:
    async def story() -> set[str]:
        async with Readers(upon_request, processes=2, after=1e-9) as readers:
            for _ in range(2):
                visits = await asyncio.gather(*(readers.read(response()) for _ in range(8)))
            return {process_of(visited) for visited in visits}

    elsewhere = asyncio.run(story())
    assert HERE not in elsewhere
    assert 1 <= len(elsewhere) <= 2


@pytest.mark.parametrize(("at_once", "stays"), [(4, True), (3, False)])
def test_a_small_body_is_read_in_the_thread_of_the_loop(at_once: int, stays: bool) -> None:
    async def story() -> bool:
        async with Readers(in_which_thread, processes=0, at_once=at_once) as readers:
            visited = await readers.read(response("page"))
            return process_of(visited) == str(threading.get_ident())

    assert asyncio.run(story()) is stays


def test_small_bodies_that_wait_for_each_other_are_read_by_processes_in_the_end() -> None:
    async def story() -> set[str]:
        async with Readers(upon_request, processes=2, after=1e-9, at_once=4) as readers:
            for _ in range(2):
                visits = await asyncio.gather(*(readers.read(response("page")) for _ in range(8)))
            return {process_of(visited) for visited in visits}

    assert HERE not in asyncio.run(story())


def test_no_process_is_started_on_one_core() -> None:
    assert process_of(reads("page", processes=0)[0]) == HERE


def test_there_are_as_many_processes_as_cores_but_only_so_many() -> None:
    assert [processes_for(cores) for cores in (1, 2, 3, 64)] == [0, 2, 3, MOST_PROCESSES]
    assert usable_cores() >= 1


def test_what_cannot_be_told_to_another_process_is_read_here() -> None:
    async def story() -> Visited:
        async with Readers(lambda each: where(each), **ALWAYS) as readers:  # noqa: PLW0108
            return await readers.read(response())

    assert process_of(asyncio.run(story())) == HERE


@pytest.mark.parametrize("filter", list(Filter))
def test_a_page_is_the_same_wherever_it_is_read(filter: Filter) -> None:
    text = "<title>Oats</title><main>" + "<p>Oats are <a href='/milled'>milled</a> on \ud800Mondays.</p>" * 40
    reading = Reading(content_filter(ContentConfig(filter=filter), "milled oats"))
    page = dataclasses.replace(response(), body=text.encode("utf-8", "surrogatepass"))

    async def story(processes: int) -> Visited:
        make = partial(visited_of, partial(read, reading=reading))
        async with Readers(make, processes=processes, after=0.0) as readers:
            return await readers.read(page)

    here, elsewhere = asyncio.run(story(0)), asyncio.run(story(2))
    assert isinstance(here.outcome, Page)
    assert elsewhere == here
    assert elsewhere.packed is not None
    assert elsewhere.packed.outcome is elsewhere.outcome


# Trouble


def test_a_page_that_takes_its_process_with_it_is_one_failure() -> None:
    async def story() -> Visited:
        async with Readers(upon_request, **ALWAYS) as readers:
            with pytest.raises(NotRead, match="ended, 3 times"):
                await readers.read(response("die"))
            return await readers.read(response("page"))

    assert process_of(asyncio.run(story())) != HERE


def test_a_page_whose_process_was_lost_is_read_by_another(tmp_path: Path) -> None:
    visited = reads(f"die once {tmp_path / 'mark'}")[0]
    assert process_of(visited) != HERE


def test_a_page_that_only_waited_for_a_lost_process_is_read_by_the_next() -> None:
    async def story() -> list[Visited | BaseException]:
        async with Readers(upon_request, processes=1, after=0.0) as readers:
            bodies = ["page", "die", "page", "page"]
            reading = [readers.read(response(body)) for body in bodies]
            return await asyncio.gather(*reading, return_exceptions=True)

    before, lost, *after = asyncio.run(story())
    assert isinstance(lost, NotRead)
    assert all(isinstance(visited, Visited) for visited in (before, *after))


@on_posix
def test_processes_that_were_killed_while_idle_cost_nothing() -> None:
    async def story() -> str:
        async with Readers(upon_request, **ALWAYS) as readers:
            both = await asyncio.gather(*(readers.read(response()) for _ in range(6)))
            for number in {process_of(visited) for visited in both}:
                os.kill(int(number), signal.SIGKILL)
            return process_of(await readers.read(response("page")))

    assert asyncio.run(story()) != HERE


@pytest.mark.parametrize("processes", [0, 1])
def test_a_page_that_takes_too_long_is_one_failure(processes: int) -> None:
    async def story() -> Visited:
        async with Readers(upon_request, processes=processes, after=0.0, time_limit=0.3) as readers:
            with pytest.raises(NotRead, match=r"longer than 0\.3 s"):
                await readers.read(response("hang"))
            readers.time_limit = 30
            return await readers.read(response("page"))

    assert process_of(asyncio.run(story()))


def test_after_a_page_that_took_too_long_processes_read_since_they_can_be_ended() -> None:
    async def story() -> str:
        async with Readers(upon_request, processes=1, after=1000.0, time_limit=0.3) as readers:
            with pytest.raises(NotRead):
                await readers.read(response("hang"))
            readers.time_limit = 30
            return process_of(await readers.read(response("page")))

    assert asyncio.run(story()) != HERE


def test_what_reading_raises_in_a_process_is_told_by_name() -> None:
    with pytest.raises(NotRead, match="ValueError: no such tag"):
        reads("raise")


def test_a_plug_in_that_fails_in_a_process_ends_the_run() -> None:
    with pytest.raises(StrategyError, match="KeyError"):
        reads("ruin")


def test_what_a_plug_in_prints_does_not_mix_with_answers() -> None:
    assert len({process_of(visited) for visited in reads("print", "page")}) == 1


@on_posix
def test_processes_are_deaf_to_the_signals_that_the_parent_obeys() -> None:
    first, second = reads("page", "terminate")
    assert process_of(first) == process_of(second)


# The end


def is_alive(number: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(number, 0)
        return True
    return False


@on_posix
def test_no_process_outlives_its_readers() -> None:
    assert not is_alive(int(process_of(reads("page")[0])))


@on_posix
def test_a_read_that_is_called_off_ends_its_process() -> None:
    async def story() -> tuple[str, str]:
        async with Readers(upon_request, processes=1, after=0.0) as readers:
            first = process_of(await readers.read(response()))
            called_off = asyncio.create_task(readers.read(response("hang")))
            await asyncio.sleep(0)
            called_off.cancel()
            with pytest.raises(asyncio.CancelledError):
                await called_off
            return first, process_of(await readers.read(response()))

    first, second = asyncio.run(story())
    assert first != second
    assert not is_alive(int(first))


PARENT = """
import asyncio
from adaptive_crawl.crawler.fetching.readers import Readers
from tests.other_processes import upon_request
from tests.test_readers import process_of, response

async def story():
    async with Readers(upon_request, processes=1, after=0.0) as readers:
        print(process_of(await readers.read(response())), flush=True)
        await readers.read(response("hang"))

asyncio.run(story())
"""


@contextlib.contextmanager
def parent() -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """A program with a process that reads and hangs."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            yield program, int(program.stdout.readline())
        finally:
            program.kill()


@on_posix
def test_no_process_outlives_a_parent_that_was_killed() -> None:
    with parent() as (program, number):
        program.kill()
        program.wait()
        ended = threading.Event()
        deadline = time.monotonic() + 10
        while is_alive(number) and time.monotonic() < deadline:
            ended.wait(0.01)
        assert not is_alive(number)
