"""Which files of the tree are ours, and what we wrote into them.

A file whose bytes no longer have the digest noted here was edited by somebody, and is theirs. Knows
paths and digests only; writing and removing files is the tree's business.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from .database import Database


class Manifest:
    """Path in the tree → sha256 of what we wrote there; part of the journal, and as durable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def files(self) -> dict[str, str]:
        """Every file of ours, by path."""
        rows = self._database.rows("SELECT path, digest FROM manifest ORDER BY path")
        with self._database.checking("the manifest"):
            return {inside(path): str(digest) for path, digest in rows}

    def digest(self, path: str) -> str:
        """The sha256 with which a file was written; empty for one that is not ours."""
        row = self._database.row("SELECT digest FROM manifest WHERE path = ?", path)
        return str(row[0]) if row else ""

    def note(self, files: Iterable[tuple[str, str]]) -> None:
        """Note files written, as (path, sha256), all in one transaction.

        Raises:
            ValueError: a path is absolute, or leads out of the tree.
        """
        with self._database.transaction() as database:
            database.change_each(
                "INSERT INTO manifest VALUES (?, ?)"
                " ON CONFLICT (path) DO UPDATE SET digest = excluded.digest",
                [(inside(path), digest) for path, digest in files],
            )

    def forget(self, paths: Iterable[str]) -> None:
        """Note that files are ours no longer."""
        with self._database.transaction() as database:
            database.change_each("DELETE FROM manifest WHERE path = ?", [(path,) for path in paths])


def inside(path: str) -> str:
    """Give a path as it is.

    Raises:
        ValueError: it is absolute, or leads out of the tree.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or any(c in path for c in "\\:\0"):
        raise ValueError(f"{path!r} leads out of the tree")
    return path
