"""What the program may cost: start-up, memory, and its own CPU time per page, each against its limit.

    python -m benchmarks.budgets [--pages 500] [--runs 3]

A site of generated documentation is served by a process of its own; the real command crawls it with a
query, to the page limit. Its own CPU time per page is what each page after the first adds to the whole
command, less what only fetching and reading the same pages costs in this process; what a crawl of one page
takes (imports for the most part) is told beside it. Prints the least of the runs, since what else a machine
does only adds to CPU time; exit code 1 when a limit is broken.
"""

import argparse
import asyncio
import gc
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from adaptive_crawl.crawler.fetching.fetcher import FetchConfig, Fetcher
from adaptive_crawl.crawler.fetching.reading_service import COLLECTED_AFTER
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.reading.reader import Reading, read
from adaptive_crawl.scoring.content import ContentConfig, content_filter
from tests.demo_site import PAGES, QUERY
from tests.website import Website, raw

START_UP = 0.35
"""Seconds until ``--help`` has answered, of CPU: wall-clock time tells how busy the machine is."""
MEMORY = 250
"""MB held at most."""
OWN_CPU = 5.0
"""ms per page: deciding, journal, tree and report."""

LINKS = 30
AT_ONCE = 16
"""Requests under way at a time."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process used."""

    cpu: float
    """Seconds."""
    memory: float
    """MB, at its highest."""


def main() -> int:
    """Measure everything; 1 when a limit is broken."""
    arguments = _arguments()
    start_up = min(_command("--help").cpu for _ in range(5))
    with _served(arguments.pages * 2) as base_url:
        first = min(_crawl(base_url, 1).cpu for _ in range(3))
        _fetch_and_read(base_url, 1)
        crawls, readings = [], []
        for _ in range(arguments.runs):  # by turns: a machine that others slow down slows both
            crawls.append(_crawl(base_url, arguments.pages))
            readings.append(_fetch_and_read(base_url, arguments.pages))
    reading = min(readings) / arguments.pages * 1000
    more = (min(crawl.cpu for crawl in crawls) - first) / (arguments.pages - 1) * 1000
    own = more - reading
    memory = max(crawl.memory for crawl in crawls)
    held = [
        _row("start-up (--help)", start_up, START_UP, "s"),
        _row(f"memory, {arguments.pages} pages", memory, MEMORY, "MB"),
        _row("own CPU time a page", own, OWN_CPU, "ms"),
    ]
    print(f"{'a crawl of one page':28}{first:9.2f} s")
    print(f"{'fetching and reading a page':28}{reading:9.2f} ms")
    return 0 if all(held) else 1


def _row(name: str, value: float, limit: float, unit: str) -> bool:
    held = value < limit
    print(f"{name:28}{value:9.2f} {unit:4}limit {limit:g} {unit:4}{'ok' if held else 'BROKEN'}")
    return held


def _crawl(base_url: str, pages: int) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        words = ["--query", QUERY, "--no-early-stop", "--max-pages", str(pages), "--delay", "0", "-q"]
        words += [f"--{name}={AT_ONCE}" for name in ("round-size", "concurrency", "per-host")]
        words += ["--exit-zero"]
        cost = _command(*words, "-o", f"{folder}/tree", f"{base_url}/topic/0")
        held = len(list(Path(folder, "tree", "topic").glob("*[0-9].md")))
        if held != pages:
            raise SystemExit(f"{held} pages were crawled, not {pages}: the figures would say nothing")
        return cost


def _command(*words: str) -> Cost:
    process = subprocess.Popen([sys.executable, "-m", "adaptive_crawl", *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"adaptive-crawl {' '.join(words)} ended with {process.returncode}")
    in_kilobytes = 1 if sys.platform.startswith("linux") else 1024
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / in_kilobytes / 1000)


def _fetch_and_read(base_url: str, pages: int) -> float:
    """CPU seconds that fetching and reading take alone, as the command does both."""
    reading = Reading(content_filter(ContentConfig(), QUERY))
    urls = [f"{base_url}/topic/{number}" for number in range(pages)]

    async def visit(fetcher: Fetcher, url: str) -> None:
        response = (await fetcher.fetch(url)).outcome
        assert isinstance(response, Response), response
        read(response, reading=reading)

    async def work() -> None:
        async with Fetcher(FetchConfig(), seeds=urls[:1]) as fetcher:
            for first in range(0, pages, AT_ONCE):
                await asyncio.gather(*(visit(fetcher, url) for url in urls[first : first + AT_ONCE]))

    gc.set_threshold(COLLECTED_AFTER)
    started = time.process_time()
    asyncio.run(work())
    return time.process_time() - started


@contextmanager
def _served(pages: int) -> Iterator[str]:
    """Serve generated documentation from a process of its own: its CPU time is not ours."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, pages))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("done")
        process.join()


def _serve(pipe: Connection, pages: int) -> None:
    with _generated(pages).served() as base_url:
        pipe.send(base_url)
        pipe.recv()


def _generated(pages: int) -> Website:
    """Pages made of pieces of the demo site, each with links to others; the same every time."""
    chance = random.Random(7)
    fragments = [file.read_text("utf-8") for file in sorted(Path(PAGES).rglob("*.html"))]
    site = Website({})
    for number in range(pages):
        body = re.sub(
            r'href="[^"#][^"]*"',
            lambda _: f'href="/topic/{chance.randrange(pages)}"',
            "".join(chance.choices(fragments, k=4)),
        )
        links = "".join(
            f'<li><a href="/topic/{target}">Topic {target}: {chance.choice(QUERY.split())}</a></li>'
            for target in [number + 1, *(chance.randrange(pages) for _ in range(LINKS))]
        )
        text = f"<title>Page {number}</title><main>{body}<p>Page {number}.</p><ul>{links}</ul></main>"
        site[f"/topic/{number}"] = raw(text)
    return site


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.budgets", description="Measure against the limits.")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
