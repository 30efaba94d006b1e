"""A journal's connection: rows out, transactions in, trouble in plain words.

Knows SQLite and the file's name for messages; nothing of the tables.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .journalfile import damaged, translated

Row = tuple[Any, ...]


class Database:
    """One open file, used from the thread that opened it.

    Every method raises ``OutputError`` when the file cannot be written and ``DamagedError`` when it
    cannot be read.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def rows(self, statement: str, *values: object) -> list[Row]:
        """What a query gives, whole: no cursor stays open, so that its reader may write."""
        with translated(self._path):
            return self._connection.execute(statement, values).fetchall()

    def each(self, statement: str) -> Iterator[Row]:
        """What a query gives, one by one, for what is only read: a cursor stays open meanwhile."""
        with translated(self._path):
            yield from self._connection.execute(statement)

    def row(self, statement: str, *values: object) -> Row | None:
        """The first row that a query gives."""
        rows = self.rows(statement, *values)
        return rows[0] if rows else None

    @contextmanager
    def transaction(self) -> Iterator["Database"]:
        """All of the block's changes, or none."""
        with translated(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has rolled back by itself
                    self._connection.execute("ROLLBACK")
                raise

    def change(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Change rows within a transaction."""
        return self._connection.execute(statement, values)

    def change_each(self, statement: str, rows: Iterable[Iterable[object]]) -> None:
        """Do the same change with many rows of values."""
        self._connection.executemany(statement, [tuple(row) for row in rows])

    @contextmanager
    def checking(self, what: str) -> Iterator[None]:
        """Take a value that does not fit for what it is: a journal that is damaged or forged."""
        try:
            yield
        except (ValueError, TypeError) as error:
            detail = "; ".join(line.strip() for line in str(error).splitlines()[:3])
            raise damaged(self._path, f"{what}: {detail}") from error
