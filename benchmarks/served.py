"""The command itself, as a user runs it, on the sites served on loopback ports."""

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep

from .shelf import Question, Shelf

PATIENCE = 20.0
"""Seconds for the server to come up."""

OPTIONS = {
    "served": ("--no-early-stop",),
    "served-stop": (),
    "served-bfs": ("--order", "bfs", "--no-early-stop"),
}
"""Systems of this mode: ``adaptive-crawl`` with these options, else its defaults."""


@contextmanager
def serving(sites_dir: Path, shelves: list[Shelf]) -> Iterator[None]:
    """Serve the sites while the context lasts."""
    names = ",".join(shelf.name for shelf in shelves)
    command = [sys.executable, str(sites_dir / "serve.py"), "--sites", names]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for shelf in shelves:
                _await(shelf.origin, server)
            yield
        finally:
            server.terminate()


def crawl(question: Question, shelf: Shelf, system: str) -> dict[str, object]:
    """One run of the command as a line for score.py; pages in the order in which they were asked for."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "adaptive_crawl", "--no-config", "--json", "--delay", "0", "-q"),
            *("--query", question.text, "-o", f"{folder}/tree", *OPTIONS[system]),
            shelf.origin + question.start,
        ]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if not ran.stdout:
            raise RuntimeError(f"{question.id}: exit code {ran.returncode}: {ran.stderr}")
        report = json.loads(ran.stdout)
        fetched = [shelf.path(url) for url in _asked(Path(folder, "tree/.crawl/journal.sqlite3"))]
    return {
        "site": question.site,
        "query_id": question.id,
        "fetched": fetched,
        "stopped_reason": report["stopped_reason"],
        "confidence": report["confidence"],
        "requests": report["requests"],
        "seconds": report["seconds"],
        "detail": report["stopped_detail"],
    }


def _asked(journal: Path) -> list[str]:
    import sqlite3

    with closing(sqlite3.connect(journal)) as database:
        rows = database.execute("SELECT url FROM requests WHERE kind = 'page' ORDER BY round, rank")
        return [url for (url,) in rows]


def _await(origin: str, server: subprocess.Popen[bytes]) -> None:
    until = monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(origin, timeout=1).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError as error:
            if server.poll() is not None or monotonic() > until:
                raise RuntimeError(f"{origin} does not answer; is the port taken?") from error
            sleep(0.05)
