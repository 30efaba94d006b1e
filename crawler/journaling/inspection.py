"""Every row of a journal, looked at before anything is written to its file.

SQLite vouches for its pages, not for what is in them: a byte that has flipped within a text or a blob, and
a value that somebody has put there, look sound to it. A run that met them on its way would already have
noted that it has begun. So all is read once, strictly, as a resumed crawl will read it. Knows what the rows
of each table must hold; changes nothing.
"""

import hashlib
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .. import urls
from ..model import PassedOver
from . import journalfile, record
from .database import Database, Row
from .journalfile import Schema
from .lock import FolderLock
from .manifest import inside
from .record import Run
from .rows import request_from, run_from

Columns = Mapping[str, Any]
T = TypeVar("T")

_TYPES: Mapping[str, type] = {"INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}

_ENDED = ("settled", "seconds", "reader", "outcome_type", "outcome")
"""Columns of a request that are filled all at once."""

_ORPHANS = (
    ("requests", "round NOT IN (SELECT round FROM rounds)", "belongs to no round"),
    ("requests", "run NOT IN (SELECT id FROM runs)", "belongs to no run"),
    ("rounds", "run NOT IN (SELECT id FROM runs)", "belongs to no run"),
    ("requests", "body IS NOT NULL AND body NOT IN (SELECT digest FROM bodies)", "has lost its body"),
    ("holdings", "(round, rank) NOT IN (SELECT round, rank FROM requests)", "belongs to no request"),
)
"""Table (an older journal may lack it), what is wrong with a row of it, and that in words."""


@dataclass(frozen=True, slots=True)
class PastRuns:
    """What a journal says of the runs that it holds."""

    runs: tuple[Run, ...]
    """Oldest first."""
    notes: Mapping[str, Any]
    """Plain data by name, see ``Journal.keep_note``."""


def past_runs(folder: Path, schema: Schema | None = None) -> PastRuns:
    """Read what a folder's journal says of its runs, and change no byte.

    Raises:
        StateError: there is no journal.
        LockedError: another run is at work in the folder.
        DamagedError: it is foreign or newer, or what was read is damaged.
    """
    path = journalfile.place(folder)
    inner = journalfile.existing(folder)
    with ExitStack() as stack:
        with journalfile.writable(folder):
            stack.enter_context(FolderLock(inner, folder))
        database = Database(stack.enter_context(journalfile.read_only(path, schema or Schema())), path)
        runs = sorted(_read(database, "runs", run_from), key=lambda run: run.id)
        return PastRuns(tuple(runs), dict(_read(database, "meta", _note)))


def inspect(path: Path, connection: sqlite3.Connection) -> None:
    """Read every row of the journal at ``path``.

    A quarter of a millisecond for a page of a hundred links, nearly all of it for its record: as much as
    the replay takes to read it, and far less than the core takes to learn from it.

    Raises:
        DamagedError: a row is none that a crawl has written.
    """
    database = Database(connection, path)
    tables = database.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    for (table,) in tables:
        for _ in _read(database, table, _CONTENTS.get(table, _any)):
            pass
    for table, wrong, words in (orphan for orphan in _ORPHANS if orphan[:1] in tables):
        for (number,) in database.rows(f"SELECT count(*) FROM {table} WHERE {wrong}"):
            with database.checking(table):
                _demand(number == 0, f"{number} of its rows: {words}")


def _read(database: Database, table: str, content: Callable[[Columns], T]) -> Iterator[T]:
    """What each row of a table holds."""
    declared = [column[1:] for column in database.rows(f"PRAGMA table_info({table})")]
    names = ", ".join(name for name, *_ in declared)
    for row in database.each(f"SELECT {names} FROM {table}"):
        with database.checking(_place(table, row, declared)):
            found = content(_typed(row, declared))
        yield found


def _place(table: str, row: Row, declared: Sequence[Row]) -> str:
    """A row by its key, so that it is found again."""
    keys = [f"{name} {value!r}"[:80] for value, (name, *_, key) in zip(row, declared, strict=True) if key]
    return f"{table}, {', '.join(keys)}"


def _typed(row: Row, declared: Sequence[Row]) -> Columns:
    """A row by column, each value of the type that its column was declared with: SQLite takes any."""
    for value, (name, kind, needed, *_) in zip(row, declared, strict=True):
        fits = isinstance(value, _TYPES[kind]) or (value is None and not needed)
        _demand(fits, f"{name} is of the type {type(value).__name__}, not {kind}")
    return {name: value for (name, *_), value in zip(declared, row, strict=True)}


def _any(columns: Columns) -> None:
    """The types of the columns say all that there is to check."""


def _round(columns: Columns) -> None:
    record.load(tuple[PassedOver, ...], columns["passed_over"])
    _demand(columns["round"] >= 0, "its number is negative")
    _demand(_is_time(columns["seconds"]), "its time is none")


def _request(columns: Columns) -> None:
    request = request_from(columns)
    _demand(urls.origin(request.key) == urls.origin(request.url), "its key is that of another site")
    _demand(_is_time(columns["seconds"]), "its time is none")
    missing = [name for name in _ENDED if columns[name] is None]
    _demand(len(missing) in (0, len(_ENDED)), f"it has ended without {', '.join(missing)}")
    if not missing:
        record.unpack(columns["outcome_type"], columns["outcome"])


def _body(columns: Columns) -> None:
    _demand(columns["size"] >= 0, "its size is negative")
    body = record.inflate(columns["body"], min(columns["size"], record.MAX_RECORD))
    _demand(len(body) == columns["size"], "it has not the size noted")
    _demand(hashlib.sha256(body).hexdigest() == columns["digest"], "its content does not have its digest")


def _host(columns: Columns) -> None:
    _demand(isinstance(record.plain(columns["state"]), dict), "its state is no mapping")


def _note(columns: Columns) -> tuple[str, Any]:
    return columns["name"], record.plain(columns["value"])


def _file(columns: Columns) -> None:
    inside(columns["path"])


def _is_time(seconds: float | None) -> bool:
    return seconds is None or (math.isfinite(seconds) and seconds >= 0)


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


_CONTENTS: Mapping[str, Callable[[Columns], object]] = {
    "runs": run_from,
    "rounds": _round,
    "requests": _request,
    "bodies": _body,
    "hosts": _host,
    "meta": _note,
    "manifest": _file,
    "holdings": _file,
}
