"""Memory of a crawl of many pages: the real command, a whole site, every process of it counted.

    python -m benchmarks.memory [--pages 20000]

A process of its own serves a generated site, page by page, each with words of its own and links to others.
Prints the pages held every few seconds with the memory then, and at the end the peaks (Linux only); exit
code 1 when all together held more than the limit, or the crawl did not keep every page.
"""

import argparse
import contextlib
import json
import multiprocessing
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

LIMIT = 400
"""MB, the command and the processes that read for it together."""

EVERY = 10.0
"""Seconds between two lines."""

WORDS = 250
LINKS = 12


def main() -> int:
    """Crawl and measure; 1 where the limit is broken or pages are missing."""
    arguments = _arguments()
    with _served(arguments.pages) as base_url, tempfile.TemporaryDirectory() as folder:
        words = ["--delay", "0", "--concurrency", "16", "--per-host", "16", "--max-depth", "1000", "-q"]
        command = [sys.executable, "-m", "adaptive_crawl", *words, "--json", "--exit-zero"]
        report = Path(folder, "report.json")
        started = time.monotonic()
        with report.open("wb") as out:
            process = subprocess.Popen([*command, "-o", f"{folder}/tree", f"{base_url}/0"], stdout=out)
            peaks = _watched(process, Path(folder, "tree"))
        kept = json.loads(report.read_bytes())["pages_crawled"]
        seconds = time.monotonic() - started
    total = sum(peaks)
    print(f"{kept} pages kept in {seconds:.0f} s, {1000 * seconds / max(kept, 1):.1f} ms a page")
    readers = " + ".join(f"{each:.0f}" for each in peaks[1:]) or "0"
    print(f"peak: command {peaks[0]:.0f} MB, readers {readers} MB")
    held = total < LIMIT and kept == arguments.pages
    print(f"together {total:.0f} MB, limit {LIMIT} MB: {'ok' if held else 'BROKEN'}")
    return 0 if held else 1


def _watched(process: "subprocess.Popen[bytes]", tree: Path) -> list[float]:
    """Peaks of the process and of those that it starts, in MB, until it has ended."""
    peaks: dict[int, float] = {process.pid: 0.0}
    shown = time.monotonic()
    while process.poll() is None:
        for number in (process.pid, *_children(process.pid)):
            peaks[number] = max(peaks.get(number, 0.0), _memory(number, "VmHWM"))
        if time.monotonic() - shown > EVERY:
            shown = time.monotonic()
            now = " + ".join(f"{_memory(number, 'VmRSS'):.0f}" for number in peaks)
            print(f"{sum(1 for _ in tree.rglob('*.md')):7} files {now:>20} MB", flush=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
    if process.returncode:
        raise SystemExit(f"the crawl ended with {process.returncode}")
    return list(peaks.values())


def _children(number: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
    except OSError:
        return []


def _memory(number: int, name: str) -> float:
    try:
        lines = Path(f"/proc/{number}/status").read_text("utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith(name)), 0.0)


@contextmanager
def _served(pages: int) -> Iterator[str]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, pages), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        process.terminate()
        process.join()


def _serve(ready: Connection, pages: int) -> None:
    endings = ("lo", "ra", "nit", "mes", "d")
    vocabulary = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in endings]

    class Generator(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            name = self.path.strip("/")
            found = name.isdigit() and int(name) < pages
            body = _page(int(name), pages, vocabulary) if found else b"<p>no such page"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Generator) as server:
        ready.send(server.server_address[1])
        server.serve_forever()


def _page(number: int, pages: int, vocabulary: list[str]) -> bytes:
    """A page that differs from every other, with links so that all are reached from the first."""
    chance = random.Random(number)
    ways = [*range(10 * number + 1, 10 * number + 11), *(chance.randrange(pages) for _ in range(LINKS))]
    links = "".join(
        f'<li><a href="/{way}">{" ".join(chance.choices(vocabulary, k=3))} {way}</a></li>'
        for way in ways
        if way < pages
    )
    text = "".join(f"<p>{' '.join(chance.choices(vocabulary, k=WORDS // 5))}.</p>" for _ in range(5))
    title = " ".join(chance.choices(vocabulary, k=4))
    return (
        f"<!doctype html><html lang=en><title>{title}</title><main><h1>{title} {number}</h1>{text}</main>"
        f"<nav><ul>{links}</ul></nav></html>"
    ).encode()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.memory", description="Measure the memory of a crawl.")
    parser.add_argument("--pages", type=int, default=20_000)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
