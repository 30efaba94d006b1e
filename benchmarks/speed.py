"""What fetching and parsing cost beside a bare httpx loop over the same URLs, in the same run.

    python -m benchmarks.speed [--pages 600] [--concurrency 16] [--rounds 5]
    taskset -c 0 python -m benchmarks.speed

Pages of real documentation sites (see ``shelf``) are served from the memory of another process, compressed,
over kept-alive connections. The clients take turns, several rounds, so that the machine's mood meets all of
them: bare httpx; our fetcher behind gate, retries and politeness with a delay of 0; the same with each page
parsed and its links taken, which is reading with Markdown off; the same read whole. On more cores than one,
processes read; on one, threads do. Processes are started before the clock is.

Prints each client's best round, since what else the machine does can only slow one down: pages per second,
the share of bare httpx, and CPU time a page; beside it the median of the shares, round by round.
"""

import argparse
import asyncio
import gc
import os
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from adaptive_crawl.crawler.fetching.fetcher import FetchConfig, Fetcher
from adaptive_crawl.crawler.fetching.gate import Gate
from adaptive_crawl.crawler.fetching.politeness import Politeness, PolitenessConfig
from adaptive_crawl.crawler.fetching.readers import Make, Readers, processes_for, usable_cores
from adaptive_crawl.crawler.fetching.reading_service import COLLECTED_AFTER
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.fetching.visit import Visitor
from adaptive_crawl.crawler.model import Failure, Kind, Page, Request
from adaptive_crawl.crawler.reading.html import parse

from .fetch import Server
from .shelf import SITES_DIR, site_root
from .steps import parsed, read_whole, unread

SITES = ("python", "postgres", "git", "lohelp")

TARGETS = {True: 0.60, False: 0.25}
"""Least share of bare httpx for fetching and parsing, with processes that read and without."""

Fetch = Callable[[str], Awaitable[int]]
"""Fetches a URL and gives how many bytes came."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One client's turn over all URLs."""

    seconds: float
    cpu: float
    """Of the client's process alone."""
    readers: float
    """Seconds of CPU that its processes took to read."""


def main() -> int:
    """Measure and print; 1 where the target is missed."""
    arguments = _arguments()
    gc.set_threshold(COLLECTED_AFTER)  # as the command does
    pages = dict(_pages(arguments.pages, arguments.sites_dir))
    with Server(list(pages.values())) as base:
        urls = [f"{base}/{number}" for number in range(len(pages))]
        turns = asyncio.run(_compare(urls, arguments.concurrency, arguments.rounds))
    size = sum(map(len, pages.values())) / len(pages) / 1000
    processes = processes_for(usable_cores())
    print(f"{len(pages)} pages of {size:.0f} KB, {usable_cores()} cores, {processes} processes that read\n")
    share = _table(turns, len(pages))
    _breakdown(pages)
    _print_bound(turns, processes)
    target = TARGETS[processes > 0]
    met = share["fetch and parse"] >= target
    print(f"\nfetch and parse: {share['fetch and parse']:.0%} of bare httpx, target {target:.0%}")
    return 0 if met else 1


def _pages(count: int, sites_dir: Path) -> Iterator[tuple[str, bytes]]:
    """The same pages every time, as many of each site, by their paths."""
    chance = random.Random(11)
    for name in SITES:
        root = site_root(name, sites_dir)
        files = sorted(root.rglob("*.html"))
        for file in chance.sample(files, min(len(files), count // len(SITES))):
            yield str(file), file.read_bytes()


async def _compare(urls: Sequence[str], concurrency: int, rounds: int) -> dict[str, list[Turn]]:
    clients: dict[str, Callable[[Sequence[str], int, Readers], Awaitable[None]]] = {
        "bare httpx": _bare,
        "fetch": _visit,
        "fetch and parse": _visit,
        "fetch and read": _visit,
    }
    makes: dict[str, Make] = {
        "bare httpx": unread,
        "fetch": unread,
        "fetch and parse": parsed,
        "fetch and read": read_whole,
    }
    turns: dict[str, list[Turn]] = {name: [] for name in clients}
    readers = {
        name: Readers(make, after=0.0) if make is not unread else Readers(make, processes=0)
        for name, make in makes.items()
    }
    try:
        for name, client in clients.items():
            await client(urls[:100], concurrency, readers[name])
        for _ in range(rounds):
            for name, client in clients.items():
                wall, cpu, theirs = time.perf_counter(), time.process_time(), _cpu_of(readers[name])
                await client(urls, concurrency, readers[name])
                turns[name].append(
                    Turn(
                        time.perf_counter() - wall,
                        time.process_time() - cpu,
                        _cpu_of(readers[name]) - theirs,
                    )
                )
    finally:
        for each in readers.values():
            await each.aclose()
    return turns


def _cpu_of(readers: Readers) -> float:
    """Seconds of CPU that processes have taken; 0 where the system does not say."""
    return sum(map(_cpu_of_process, readers.process_ids()))


def _cpu_of_process(number: int) -> float:
    try:
        fields = Path(f"/proc/{number}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _table(turns: dict[str, list[Turn]], pages: int) -> dict[str, float]:
    print(f"{'':18}{'pages/s':>9}{'share':>8}{'median':>8}{'ms CPU here':>13}{'ms CPU readers':>16}")
    shares = {}
    for name, times in turns.items():
        best = min(turn.seconds for turn in times)
        pairs = zip(turns["bare httpx"], times, strict=True)
        median = statistics.median(bare.seconds / turn.seconds for bare, turn in pairs)
        cpu, readers = (min(getattr(turn, part) for turn in times) for part in ("cpu", "readers"))
        shares[name] = min(turn.seconds for turn in turns["bare httpx"]) / best
        print(
            f"{name:18}{pages / best:9.0f}{shares[name]:8.0%}{median:8.0%}"
            f"{1000 * cpu / pages:13.2f}{1000 * readers / pages:16.2f}"
        )
    return shares


def _print_bound(turns: dict[str, list[Turn]], processes: int) -> None:
    """What the CPU times would come to on cores that nobody else uses, the server's left out."""
    cores = min(usable_cores(), processes + 1)
    bare = min(turn.cpu for turn in turns["bare httpx"])
    here = min(turn.cpu for turn in turns["fetch and parse"])
    readers = min(turn.readers for turn in turns["fetch and parse"])
    share = bare / max(here, (here + readers) / cores)
    print(f"\nby CPU time, on {cores} cores to itself, fetch and parse would have {share:.0%} of bare httpx")


def _breakdown(pages: dict[str, bytes]) -> None:
    """What each step of reading takes, alone and one after the other."""
    print("\nms CPU a page, alone:", end="")
    responses = [_response(f"http://127.0.0.1{path}", body) for path, body in pages.items()]
    for name, step in (("tree", _tree), ("and links", parsed), ("and Markdown, packed", read_whole)):
        started = time.process_time()
        for response in responses:
            step(response)
        print(f"  {name} {1000 * (time.process_time() - started) / len(pages):.2f}", end="")
    print()


def _tree(response: Response) -> None:
    parse(response.body.decode("utf-8", "replace"), response.url).tree.fell()


def _response(url: str, body: bytes) -> Response:
    return Response(url, url, 200, "text/html", "", {}, body, "2025-01-01T00:00:00Z")


# The clients.


async def _bare(urls: Sequence[str], concurrency: int, readers: Readers) -> None:
    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    async with httpx.AsyncClient(limits=limits, trust_env=False) as client:

        async def fetch(url: str) -> int:
            return len((await client.get(url)).content)

        await _all(urls, fetch, concurrency)


async def _visit(urls: Sequence[str], concurrency: int, readers: Readers) -> None:
    politeness = Politeness(PolitenessConfig(delay=0, concurrency=concurrency, per_host=concurrency))
    async with Fetcher(FetchConfig(), seeds=urls[:1]) as fetcher:
        visitor = Visitor(
            fetcher, Gate(politeness), politeness, readers, agent=None, retries=2, max_redirects=10
        )

        async def fetch(url: str) -> int:
            outcome = (await visitor.visit(Request(0, 0, 0, Kind.PAGE, url, url))).outcome
            return outcome.size if isinstance(outcome, Page | Failure) else 1

        await _all(urls, fetch, concurrency)


async def _all(urls: Sequence[str], fetch: Fetch, concurrency: int) -> None:
    left = iter(urls)

    async def work() -> None:
        for url in left:
            assert await fetch(url), url

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.speed", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sites-dir", type=Path, default=SITES_DIR)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
