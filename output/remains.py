"""A tree whose journal is lost, as after a fresh clone: what its own files say that it holds.

Reads; writes nothing. Every file is input from anybody: only what looks like ours is taken, every value is
checked for its type and size, and a path is taken from the folder, never from a file. Whether a URL may be
asked for is not decided here.
"""

import hashlib
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from adaptive_crawl.crawler import urls
from adaptive_crawl.crawler.fetching.revisit import Holding
from adaptive_crawl.crawler.journaling import record
from adaptive_crawl.crawler.journaling.epochs import Reclaimed
from adaptive_crawl.crawler.model import Kind, Page, Request

from .contents import LISTED_TITLE, facts_of
from .document import is_as_written, one_line, parse
from .index import INDEX

MAX_FILES = 100_000
"""Files looked at; a tree of more pages is rather kept with its journal."""
MAX_FILE_BYTES = 64_000_000
"""A page of ``fetch.max_body_bytes`` makes no file of this size; a trap may."""
MAX_URL = 8_192
MAX_TEXT = 2_000
"""Characters of any other text in a front matter; ours stay below."""
MAX_DEPTH = 10_000
MAX_PARTS = 20

_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_INDEX_TYPES = ("index", "annotated")


@dataclass(frozen=True, slots=True)
class Remains:
    """What the files of a tree tell."""

    pages: tuple[Reclaimed, ...] = ()
    """As near to the order in which they were kept as can be told."""
    others: tuple[tuple[str, str], ...] = ()
    """Path and sha256 of the other files that we wrote and nobody edited."""
    loose: tuple[tuple[str, str], ...] = ()
    """Path and sha256 of files that are no documents, such as downloads: nothing tells whose they are."""
    queries: tuple[str, ...] = ()
    """Queries that pages were fetched for, by goal; empty for none."""


def query_of(folder: Path) -> str | None:
    """The query that a tree answers, by its index, in one line; empty without one, None where no tree is."""
    facts = _facts(folder / INDEX)[0]
    if facts.get("type") != "index" or "stopped_reason" not in facts:
        return None
    return _text(facts, "query")


def remains_of(folder: Path, key: Callable[[str], str]) -> Remains:
    """Read a tree from its files.

    Args:
        key: URL → key.
    """
    found: dict[str, tuple[Page, Mapping[str, Any], str, str]] = {}
    others: list[tuple[str, str]] = []
    loose: list[tuple[str, str]] = []
    for path in _files(folder):
        place = folder.joinpath(*path.parts)
        if path.suffix != ".md":
            loose += [(str(path), sha256) for sha256 in _sha256(place)]
            continue
        facts, sha256 = _facts(place)
        if facts.get("type") in _INDEX_TYPES:
            others += [(str(path), sha256)] if sha256 else []
        elif (page := _page(facts, key)) is not None:
            found.setdefault(page.key, (page, facts, str(path), sha256))
    queries = tuple(dict.fromkeys(_text(facts, "query") for _, facts, _, _ in found.values()))
    order = sorted(found.values(), key=_order)
    pages = [
        Reclaimed(_holding(n, queries.index(_text(facts, "query")), page, facts, path), page, sha256)
        for n, (page, facts, path, sha256) in enumerate(order)
    ]
    return Remains(tuple(pages), tuple(others), tuple(loose), queries)


def _files(folder: Path) -> Iterator[PurePosixPath]:
    """Files below a folder, hidden ones left out, no link followed."""
    count = 0
    for above, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if _is_plain(name))
        for name in sorted(names):
            if not _is_plain(name):
                continue
            count += 1
            if count > MAX_FILES:
                return
            yield PurePosixPath(Path(above, name).relative_to(folder).as_posix())


def _is_plain(name: str) -> bool:
    return not name.startswith(".") and not any(c in name for c in "\\:") and name.isprintable()


def _sha256(place: Path) -> Iterator[str]:
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > MAX_FILE_BYTES:
            return
        with place.open("rb") as file:
            yield hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return


def _facts(place: Path) -> tuple[Mapping[str, Any], str]:
    """Front matter of a file, and its sha256 where it is as we wrote it; nothing of what is not ours."""
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > MAX_FILE_BYTES:
            return {}, ""
        content = place.read_bytes()
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return {}, ""
    facts = parse(text)[0]
    return facts, hashlib.sha256(content).hexdigest() if facts and is_as_written(text) else ""


def _page(facts: Mapping[str, Any], key: Callable[[str], str]) -> Page | None:
    """The page that a front matter speaks of; None where it is none of ours."""
    url = facts.get("source_url")
    digest = _DIGEST.fullmatch(_text(facts, "digest"))
    if not isinstance(url, str) or len(url) > MAX_URL or digest is None:
        return None
    if not urls.origin(url) or record.without_userinfo(url) != url or not url.isprintable():
        return None
    time = _text(facts, "crawl_time")
    return Page(
        url=url,
        key=key(url),
        title=_text(facts, "title"),
        language=_text(facts, "language"),
        description=_text(facts, "description"),
        markdown="",
        marks=(),
        links=(),
        passages=(),
        digest=digest[1],
        size=0,
        media_type="",
        fetched_at=time if _TIME.fullmatch(time) else "",
        etag=_text(facts, "etag"),
        last_modified=_text(facts, "last_modified"),
        canonical=_text(facts, "canonical"),
    )


def _holding(rank: int, goal: int, page: Page, facts: Mapping[str, Any], path: str) -> Holding:
    request = Request(
        0,
        rank,
        goal,
        Kind.PAGE,
        page.url,
        page.key,
        depth=_depth(facts),
        referrer=_text(facts, "referrer"),
        reason=_text(facts, "reason"),
        score=_number(facts.get("score")),
        parts=_parts(facts),
    )
    title = one_line(page.title, LISTED_TITLE)
    return Holding(page.key, path, request, page.digest, facts_of(page), title, page.fetched_at)


def _order(found: tuple[Page, Mapping[str, Any], str, str]) -> tuple[str, int, float, str]:
    page, facts, path, _ = found
    return page.fetched_at, _depth(facts), -_number(facts.get("score")), path


def _depth(facts: Mapping[str, Any]) -> int:
    depth = facts.get("depth")
    return depth if type(depth) is int and 0 <= depth <= MAX_DEPTH else 0


def _parts(facts: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    parts = facts.get("parts")
    if not isinstance(parts, dict) or len(parts) > MAX_PARTS:
        return ()
    return tuple((name[:MAX_TEXT], _number(value)) for name, value in parts.items() if isinstance(name, str))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0


def _text(facts: Mapping[str, Any], name: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) and len(value) <= MAX_TEXT else ""
