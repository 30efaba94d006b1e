"""The file of a journal: made whole or not at all, checked before it is written to, brought up to date.

Knows where the file lies, its tables and their versions; nothing of what the rows mean (``journal``).
A file that is damaged, foreign or newer is refused and left byte for byte as it was: everything is
checked through a connection that cannot write, down to the text of each table's definition, so that no
trigger or view of somebody else's making ever runs.
"""

import contextlib
import errno
import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import CrawlError, DamagedError, LockedError, OutputError, StateError, UsageError

FOLDER = ".crawl"
NAME = "journal.sqlite3"

APPLICATION_ID = 0x61647663
"""``advc``, in the header of every journal: other programs' SQLite files are told by its absence."""

PATIENCE = 1.0
"""Seconds to wait for somebody who looks into a journal with another program."""

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE meta (
      name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE runs (
      id INTEGER PRIMARY KEY, goal INTEGER NOT NULL, query TEXT NOT NULL, seeds TEXT NOT NULL,
      config TEXT NOT NULL, version TEXT NOT NULL, reader TEXT NOT NULL, started TEXT NOT NULL,
      stopped TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', detail TEXT NOT NULL DEFAULT '',
      figures TEXT NOT NULL DEFAULT '{}'
    );
    CREATE TABLE rounds (
      round INTEGER PRIMARY KEY, run INTEGER NOT NULL, passed_over TEXT NOT NULL,
      seconds REAL
    );
    CREATE TABLE requests (
      round INTEGER NOT NULL, rank INTEGER NOT NULL, run INTEGER NOT NULL, goal INTEGER NOT NULL,
      kind TEXT NOT NULL, url TEXT NOT NULL, key TEXT NOT NULL, depth INTEGER NOT NULL,
      referrer TEXT NOT NULL, anchor TEXT NOT NULL, reason TEXT NOT NULL, score REAL NOT NULL,
      parts TEXT NOT NULL, hops INTEGER NOT NULL,
      settled INTEGER, seconds REAL, reader TEXT, body TEXT, outcome_type TEXT, outcome BLOB,
      PRIMARY KEY (round, rank)
    );
    CREATE INDEX requests_by_key ON requests (key, outcome_type);
    CREATE TABLE bodies (
      digest TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, body BLOB NOT NULL
    );
    CREATE TABLE manifest (
      path TEXT PRIMARY KEY NOT NULL, digest TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE hosts (
      host TEXT PRIMARY KEY NOT NULL, state TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE runs ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE holdings (
      epoch INTEGER NOT NULL, key TEXT NOT NULL, serial INTEGER NOT NULL, path TEXT NOT NULL,
      round INTEGER NOT NULL, rank INTEGER NOT NULL, digest TEXT NOT NULL, facts TEXT NOT NULL,
      title TEXT NOT NULL, fetched_at TEXT NOT NULL, gone INTEGER NOT NULL,
      PRIMARY KEY (epoch, key)
    ) WITHOUT ROWID;
    CREATE TABLE aliases (
      epoch INTEGER NOT NULL, key TEXT NOT NULL, target TEXT NOT NULL,
      PRIMARY KEY (epoch, key)
    ) WITHOUT ROWID;
    CREATE TABLE validators (
      key TEXT PRIMARY KEY NOT NULL, etag TEXT NOT NULL, last_modified TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
)
"""What made version 1, then what made version 2 of it, and so on. Append; never change what was released.

``rounds.seconds`` is NULL while a round is open, ``requests.outcome`` while a request is;
``requests.seconds`` counts within the round, and ``settled`` in order of completion over the journal.
What an epoch is, and the tables of version 2, are known to ``epochs``.
"""


@dataclass(frozen=True, slots=True)
class Schema:
    """The versions that this program knows, each by the step that leads to it from the one before."""

    steps: tuple[str, ...] = STEPS

    @property
    def version(self) -> int:
        return len(self.steps)

    def objects(self, version: int) -> set[tuple[str, ...]]:
        """Every table and index of a version, as SQLite describes it."""
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript("".join(self.steps[:version]))
            return _objects(connection)


def place(folder: Path) -> Path:
    """Where the journal of an output folder lies."""
    return folder / FOLDER / NAME


def prepare(folder: Path) -> Path:
    """Make the folder that holds a journal, hidden from Git, and return it.

    Raises:
        UsageError: the output folder cannot be made or written.
        OutputError: the disk is full.
    """
    inner = folder / FOLDER
    with writable(folder):
        inner.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError), (inner / ".gitignore").open("x") as ignored:
            ignored.write("*\n")
    return inner


def existing(folder: Path) -> Path:
    """The folder that holds a journal.

    Raises:
        StateError: there is no journal.
    """
    if not place(folder).is_file():
        raise StateError(f"{folder} holds no crawl to go on with: there is no {FOLDER}/{NAME} in it.")
    return folder / FOLDER


def create(folder: Path, schema: Schema) -> None:
    """Make an empty journal; it appears under its name only when it is whole.

    Raises:
        StateError: there is one already.
        OutputError: it cannot be written.
    """
    path = place(folder)
    if path.exists():
        raise StateError(
            f"{folder} already holds a crawl: go on with --resume, bring it up to date with --update, "
            "or choose another folder with -o."
        )
    unfinished = path.with_name(NAME + ".new")
    with writable(folder), translated(path):
        for leftover in (unfinished, unfinished.with_name(unfinished.name + "-journal")):
            leftover.unlink(missing_ok=True)
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            connection.executescript(
                f"PRAGMA application_id = {APPLICATION_ID}; BEGIN; {''.join(schema.steps)}"
                f"PRAGMA user_version = {schema.version}; COMMIT; PRAGMA journal_mode = WAL;"
            )
        unfinished.replace(path)


def connect(
    folder: Path, schema: Schema, inspect: Callable[[sqlite3.Connection], None]
) -> sqlite3.Connection:
    """Open a journal for writing, after it was found to be in order, and migrate it if it is older.

    A migration keeps a copy of the file as it was beside it, ``journal.sqlite3.v1`` for version 1.

    Args:
        inspect: looks at what the rows hold, through a connection that cannot write; raises
            ``DamagedError``.

    Raises:
        DamagedError: it is damaged, foreign or newer; it was not touched.
        OutputError: it cannot be read or written.
    """
    path = place(folder)
    with read_only(path, schema) as connection:
        _check_pages(connection, path)
        inspect(connection)
        version = _version(connection)
    with translated(path):
        connection = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if version < schema.version:
                _migrate(connection, path, version, schema)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def read_only(path: Path, schema: Schema) -> Iterator[sqlite3.Connection]:
    """Open a journal for reading, with a known version's tables in it, and change no byte in its folder.

    Raises:
        DamagedError: it is foreign or newer, or what the block reads is damaged.
        OutputError: it cannot be read.
    """
    _check_header(path)
    # Without a write-ahead log the file is all there is, and a connection that believes it to be
    # immutable leaves nothing beside it. With one, as after kill -9, SQLite asks for the file of the log's
    # index; told that it may not write there, it makes an index of its own in memory.
    log = path.with_name(NAME + "-wal")
    index = path.with_name(NAME + "-shm")
    has_log = log.exists() and log.stat().st_size > 0
    had_index = index.exists()
    mode = "mode=ro&readonly_shm=1" if has_log else "immutable=1"
    address = f"{path.absolute().as_uri()}?{mode}"
    try:
        if has_log and not had_index:
            index.touch()
        with translated(path), closing(sqlite3.connect(address, uri=True, timeout=PATIENCE)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            _check_tables(connection, path, schema)
            yield connection
    except sqlite3.Error as error:  # a file can be wrong in ways that SQLite has no code for
        raise damaged(path, str(error)) from error
    finally:
        if not had_index:
            index.unlink(missing_ok=True)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite says of a file into what ends a run; mistakes of the program stay as they are."""
    try:
        yield
    except sqlite3.Error as error:
        trouble = _trouble(error, path)
        if trouble is None:
            raise
        raise trouble from error
    except UnicodeDecodeError as error:  # a message of SQLite's that quotes what is damaged
        raise damaged(path, "it holds text that is no UTF-8") from error


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turn what the operating system says of an output folder into what ends a run."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise OutputError(f"{folder} cannot be written: {error.strerror}.") from error
        raise UsageError(
            f"{folder} cannot be used as the output folder: {error.strerror} ({error.filename}). "
            "Choose another one with -o."
        ) from error


def damaged(path: Path, detail: str) -> DamagedError:
    """The error for a journal that cannot be trusted."""
    return DamagedError(
        f"{path} is damaged: {detail}. Move {path.parent} away to start afresh, or choose another folder "
        "with -o."
    )


def _check_header(path: Path) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}.") from error
    if not header:
        raise damaged(path, "it is empty")
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        raise damaged(path, "it is not an SQLite file")
    if struct.unpack(">I", header[68:72])[0] != APPLICATION_ID:
        raise damaged(path, "it is the file of another program")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _check_tables(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    version = _version(connection)
    if version > schema.version:
        raise DamagedError(
            f"{path} was written by a newer version of adaptive-crawl (format {version}, this one knows "
            f"{schema.version}). Update the program, or choose another folder with -o."
        )
    if version < 1 or _objects(connection) != schema.objects(version):
        raise damaged(path, f"its tables are not those of format {version}")


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    verdict: str = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise damaged(path, " ".join(verdict.split()))


def _objects(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    return {tuple(map(str, row)) for row in rows}


def _migrate(connection: sqlite3.Connection, path: Path, version: int, schema: Schema) -> None:
    copy = path.with_name(f"{NAME}.v{version}")
    unfinished = path.with_name(NAME + ".copy")
    with writable(path.parent):
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(unfinished)) as target:
            connection.backup(target)
        unfinished.replace(copy)
    steps = "".join(schema.steps[version:])
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {schema.version}; COMMIT;")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _trouble(error: sqlite3.Error, path: Path) -> CrawlError | None:
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path, str(error))
    if code is None and isinstance(error, sqlite3.OperationalError):  # Python's own: text that is no UTF-8
        return damaged(path, str(error))
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockedError(f"{path} is locked: another program has it open. Close that program first.")
    if primary in _UNWRITABLE:
        return OutputError(
            f"{path} cannot be written: {error}. What was settled until now is safe; go on with --resume."
        )
    return None


_UNWRITABLE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_TOOBIG,
}
