"""Documentation sites on disk, read as the crawler reads them, without a network.

``SITES_DIR`` is the folder with ``sites.json``, a gold file of judged queries, ``sitelib.py`` and
``score.py``. Pages read once are kept under ``BENCH_CACHE`` until the reader's version, the shape of a page
or the file changes.
"""

import hashlib
import json
import mimetypes
import os
import pickle
import tempfile
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml

from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.indexes import read_index
from adaptive_crawl.crawler.model import (
    Failure,
    FailureKind,
    Kind,
    Link,
    Outcome,
    Page,
    Passage,
    Request,
    RobotsFile,
    SiteIndex,
)
from adaptive_crawl.crawler.reading.reader import READER_VERSION, Reading, read
from adaptive_crawl.scoring.content import ContentConfig, content_filter

SITES_DIR = Path(os.environ.get("SITES_DIR", "../shared/sites"))
CACHE = Path(os.environ.get("BENCH_CACHE", Path(tempfile.gettempdir()) / "adaptive-crawl-benchmarks"))
FETCHED_AT = "2025-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Question:
    """A judged query: ``gold`` maps paths of answer pages to their grade, 1 or 2; empty if there is none."""

    id: str
    site: str
    text: str
    start: str
    kind: str
    gold: dict[str, int]


def questions(gold: Path) -> list[Question]:
    """The queries of a gold file."""
    return [
        Question(
            q["id"], q["site"], q["query"], q["start"], q["kind"], {g["path"]: g["grade"] for g in q["gold"]}
        )
        for q in yaml.safe_load(gold.read_text("utf-8"))["queries"]
    ]


def site_root(name: str, sites_dir: Path = SITES_DIR) -> Path:
    """The folder with the files of a site."""
    return Path(json.loads((sites_dir / "sites.json").read_text("utf-8"))[name]["root"])


class Shelf:
    """One site: URL → outcome, as a server of its folder would give it."""

    def __init__(self, name: str, sites_dir: Path = SITES_DIR) -> None:
        site = json.loads((sites_dir / "sites.json").read_text("utf-8"))[name]
        self.name = name
        self.root = Path(site["root"])
        self.origin = f"http://127.0.0.1:{site['port']}"
        self._reading = Reading(content_filter(ContentConfig()))
        self._read: dict[str, Outcome] = {}

    def visit(self, request: Request) -> Outcome:
        """Answer a request."""
        if request.kind is Kind.ROBOTS:
            return RobotsFile(request.url, 404, "", FETCHED_AT)
        if request.kind is Kind.SITE_INDEX:
            return self._index(request.url)
        if request.url not in self._read:
            self._read[request.url] = self._kept(request.url)
        return self._read[request.url]

    def _index(self, url: str) -> Outcome:
        file = self.root / self.path(url).lstrip("/")
        index = read_index(file.read_bytes(), url, "", 5_000) if file.is_file() else None
        if index is None:
            return Failure(url, FailureKind.HTTP, "404 Not Found", 404)
        return SiteIndex(url, index.format, index.entries, index.children, index.size, FETCHED_AT)

    def path(self, url: str) -> str:
        """A URL as a path of the site."""
        return unquote(urlsplit(url).path)

    @cached_property
    def _folder(self) -> Path:
        shape = [field.name for kind in (Page, Link, Passage) for field in fields(kind)]
        digest = hashlib.sha256(" ".join((READER_VERSION, *shape)).encode()).hexdigest()[:12]
        folder = CACHE / f"{self.name}-{digest}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _kept(self, url: str) -> Outcome:
        path = self.path(url)
        file = self.root / path.lstrip("/")
        if file.is_dir():
            file /= "index.html"
        if not file.is_file():
            return Failure(url, FailureKind.HTTP, "404 Not Found", 404)
        kept = self._folder / hashlib.sha256(url.encode()).hexdigest()[:24]
        if kept.exists() and kept.stat().st_mtime > file.stat().st_mtime:
            outcome: Outcome = pickle.loads(kept.read_bytes())  # our own file, never a journal
            return outcome
        outcome = self._answer(url, file)
        kept.write_bytes(pickle.dumps(outcome, protocol=5))
        return outcome

    def _answer(self, url: str, file: Path) -> Outcome:
        media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        headers = {"content-type": media_type}
        return read(
            Response(url, url, 200, media_type, "", headers, file.read_bytes(), FETCHED_AT), self._reading
        )
