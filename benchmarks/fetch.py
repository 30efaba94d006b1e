"""What our fetching costs beside a bare httpx loop over the same URLs, in the same run.

    python benchmarks/fetch.py [--pages 2000] [--concurrency 16] [--rounds 3]

A server in a process of its own answers with prepared pages (gzip, kept-alive connections). Three clients
take turns, several rounds, so that the machine's mood meets all of them: bare httpx, our fetcher, and our
fetcher behind gate, retries and politeness with a delay of 0 (reading left out). Prints requests per
second, CPU per request of the client's process, and the ratio to bare httpx, as the median of the rounds.
"""

import argparse
import asyncio
import gzip
import multiprocessing
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from multiprocessing.connection import Connection

import httpx

from adaptive_crawl.crawler.fetching.fetcher import FetchConfig, Fetcher
from adaptive_crawl.crawler.fetching.gate import Gate
from adaptive_crawl.crawler.fetching.politeness import Politeness, PolitenessConfig
from adaptive_crawl.crawler.fetching.readers import Readers
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.fetching.visit import Visitor
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.model import Failure, FailureKind, Kind, Request

PARAGRAPH = "<p>Backups are kept for <b>%d</b> days, unless the <a href='/page/%d'>policy</a> says so.</p>\n"

Fetch = Callable[[str], Awaitable[int]]
"""Fetches a URL and gives the size of what came."""


def main() -> None:
    arguments = _arguments()
    with Server([_page()]) as base:
        urls = [f"{base}/page/{number}" for number in range(arguments.pages)]
        asyncio.run(_compare(urls, arguments.concurrency, arguments.rounds))


async def _compare(urls: list[str], concurrency: int, rounds: int) -> None:
    clients = {"bare httpx": _bare, "fetcher": _fetcher, "visitor": _visitor}
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in clients}
    for client in clients.values():
        await client(urls[:50], concurrency)
    for _ in range(rounds):
        for name, client in clients.items():
            wall, cpu = time.perf_counter(), time.process_time()
            await client(urls, concurrency)
            took[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    print(f"{'':12}{'requests/s':>12}{'CPU ms/req':>12}{'speed':>8}{'CPU':>8}")
    for name, times in took.items():
        wall, cpu = (statistics.median(column) for column in zip(*times, strict=True))
        speed = statistics.median(b[0] / t[0] for b, t in zip(took["bare httpx"], times, strict=True))
        cost = statistics.median(t[1] / b[1] for b, t in zip(took["bare httpx"], times, strict=True))
        print(f"{name:12}{len(urls) / wall:12.0f}{1000 * cpu / len(urls):12.3f}{speed:8.2f}{cost:8.2f}")


async def _bare(urls: list[str], concurrency: int) -> None:
    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    async with httpx.AsyncClient(limits=limits, trust_env=False) as client:

        async def fetch(url: str) -> int:
            return len((await client.get(url)).content)

        await _all(urls, fetch, concurrency)


async def _fetcher(urls: list[str], concurrency: int) -> None:
    async with Fetcher(FetchConfig(), seeds=urls[:1]) as fetcher:

        async def fetch(url: str) -> int:
            outcome = (await fetcher.fetch(url)).outcome
            assert isinstance(outcome, Response), outcome
            return len(outcome.body)

        await _all(urls, fetch, concurrency)


async def _visitor(urls: list[str], concurrency: int) -> None:
    politeness = Politeness(PolitenessConfig(delay=0, concurrency=concurrency, per_host=concurrency))

    def unread(response: Response) -> Visited:
        return Visited(Failure(response.url, FailureKind.UNREADABLE, "not read", size=len(response.body)))

    async with Fetcher(FetchConfig(), seeds=urls[:1]) as fetcher:
        readers = Readers(unread, processes=0)
        visitor = Visitor(
            fetcher, Gate(politeness), politeness, readers, agent=None, retries=2, max_redirects=10
        )

        async def fetch(url: str) -> int:
            outcome = (await visitor.visit(Request(0, 0, 0, Kind.PAGE, url, url))).outcome
            assert isinstance(outcome, Failure), outcome
            return outcome.size

        await _all(urls, fetch, concurrency)


async def _all(urls: list[str], fetch: Fetch, concurrency: int) -> None:
    left = iter(urls)

    async def work() -> None:
        for url in left:
            assert await fetch(url) > 10_000

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())


class Server:
    """A process that answers ``/7`` or ``/page/7`` with the seventh of some pages, over again from the first
    where there are fewer."""

    def __init__(self, pages: Sequence[bytes]) -> None:
        self._pages = pages

    def __enter__(self) -> str:
        ours, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(
            target=_serve, args=(theirs, self._pages), daemon=True
        )
        self._process.start()
        return f"http://127.0.0.1:{ours.recv()}"

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join()


def _page() -> bytes:
    return "".join(PARAGRAPH % (n, n) for n in range(300)).encode()


def _serve(ready: Connection, pages: Sequence[bytes]) -> None:
    answers = [_answer(page) for page in pages]

    class Answering(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:
            assert isinstance(self.transport, asyncio.WriteTransport)
            for request in data.split(b"\r\n\r\n")[:-1]:
                target = request.split(b" ", 2)[1]
                self.transport.write(answers[int(target.rpartition(b"/")[2]) % len(answers)])

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def _answer(page: bytes) -> bytes:
    page = gzip.compress(page, 6)
    head = (
        'HTTP/1.1 200 OK\r\nDate: Mon, 03 Mar 2025 10:00:00 GMT\r\nServer: mill\r\nETag: "abc"\r\n'
        "Content-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\nVary: Accept-Encoding\r\n"
        f"Content-Length: {len(page)}\r\n\r\n"
    )
    return head.encode() + page


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
