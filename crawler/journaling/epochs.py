"""What the tree is made of, epoch by epoch; and what is known of a URL from before the epoch under way.

An update begins an epoch. What the epoch before it left in the tree is what the update finds *held*: it never
changes while the epoch lasts, so that an update that was killed goes on as the same update. Part of the
journal, and as durable; knows rows, not what becomes of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..fetching.revisit import Held, Holding
from ..model import Download, Page, SiteIndex
from . import record
from .database import Database, Row
from .record import Run
from .rows import REQUEST, request_of, request_values, run_values


@dataclass(frozen=True, slots=True)
class Reclaimed:
    """A page of a tree whose journal is lost, as its file tells it."""

    holding: Holding
    page: Page
    """Without text, links and marks: a file has them in another form."""
    sha256: str
    """Of the file; empty for one that somebody edited."""


_COLUMNS = "key, path, digest, facts, title, fetched_at, gone"
_REQUEST_COLUMNS = ", ".join(f"requests.{name}" for name in REQUEST.split(", "))
_HOLDING_COLUMNS = ", ".join(f"holdings.{name}" for name in _COLUMNS.split(", "))


class Epochs:
    """What each epoch of a journal left in the tree; ``current`` is the newest one."""

    def __init__(self, database: Database, current: int) -> None:
        self._database = database
        self.current = current

    def of(self, epoch: int) -> list[Holding]:
        """What an epoch left in the tree, in the order in which it was kept."""
        rows = self._database.rows(
            f"SELECT {_HOLDING_COLUMNS}, {_REQUEST_COLUMNS} FROM holdings"
            " JOIN requests USING (round, rank) WHERE epoch = ? ORDER BY serial",
            epoch,
        )
        with self._database.checking("the holdings"):
            return [_holding_of(row) for row in rows]

    def aliases_of(self, epoch: int) -> dict[str, str]:
        """Keys that an epoch found to lead elsewhere → where to."""
        rows = self._database.rows("SELECT key, target FROM aliases WHERE epoch = ? ORDER BY key", epoch)
        return {str(key): str(target) for key, target in rows}

    def note(self, serial: int, holding: Holding) -> None:
        """Note what was just put into the tree."""
        with self._database.transaction() as database:
            database.change_each(_INSERT, [self._values(serial, holding)])

    def replace(self, holdings: Sequence[Holding], aliases: Mapping[str, str]) -> None:
        """Note all that the tree holds, and nothing else."""
        with self._database.transaction() as database:
            database.change("DELETE FROM holdings WHERE epoch = ?", self.current)
            database.change("DELETE FROM aliases WHERE epoch = ?", self.current)
            database.change_each(_INSERT, (self._values(n, holding) for n, holding in enumerate(holdings)))
            database.change_each(
                "INSERT INTO aliases VALUES (?, ?, ?)",
                ((self.current, key, target) for key, target in aliases.items()),
            )

    def recall(self, key: str, reader: str) -> Held | None:
        """What is known of a URL from earlier epochs.

        Args:
            reader: digest of how the run under way reads.
        """
        row = self._database.row(
            "SELECT outcome_type, outcome, body, coalesce(requests.reader, ''), validators.key IS NOT NULL,"
            " coalesce(validators.etag, ''), coalesce(validators.last_modified, '')"
            " FROM requests JOIN rounds USING (round) JOIN runs ON runs.id = rounds.run"
            " LEFT JOIN validators ON validators.key = requests.key"
            " WHERE requests.key = ? AND outcome_type IN ('page', 'download', 'site-index')"
            " AND epoch < ?"
            " ORDER BY requests.round DESC, requests.rank DESC LIMIT 1",
            *(key, self.current),
        )
        if row is None:
            return None
        kind, packed, body, read_by, is_newer, etag, last_modified = row
        with self._database.checking(f"what is held of {key}"):
            outcome = record.unpack(kind, packed)
        if isinstance(outcome, Page | Download) and not is_newer:
            etag, last_modified = outcome.etag, outcome.last_modified
        if not isinstance(outcome, Page | Download | SiteIndex):
            return None
        return Held(
            outcome,
            etag=str(etag),
            last_modified=str(last_modified),
            body=str(body or ""),
            whole=bool(read_by),
            current=isinstance(outcome, Download) or read_by == reader,
        )

    def adopt(
        self, runs: Sequence[Run], pages: Iterable[Reclaimed], others: Iterable[tuple[str, str]]
    ) -> None:
        """Take a tree whose journal is lost for what an epoch before the first update left.

        Nothing that is taken over so was read: whoever asks for it gets no text (see ``Held.whole``).

        Args:
            runs: one for each query of the tree, by goal.
            others: path and sha256 of files besides those of pages.
        """
        with self._database.transaction() as database:
            for run in runs:
                values = {**run_values(run), "stopped": run.started}
                columns, marks = ", ".join(values), ", ".join("?" * len(values))
                database.change(f"INSERT INTO runs ({columns}) VALUES ({marks})", *values.values())
            database.change("INSERT INTO rounds SELECT 0, min(id), '[]', 0.0 FROM runs")
            for serial, one in enumerate(pages):
                packed = record.pack_outcome(record.without_surrogates(one.page))
                request = request_values(record.without_surrogates(one.holding.request))
                database.change(
                    f"INSERT INTO requests (run, {REQUEST}, settled, seconds, reader, outcome_type, outcome)"
                    f" SELECT run, {', '.join('?' * len(request))}, 0, 0.0, '', ?, ? FROM rounds",
                    *(*request, packed.kind, packed.record),
                )
                database.change(_INSERT, *self._values(serial, one.holding))
                if one.sha256:
                    database.change("INSERT INTO manifest VALUES (?, ?)", one.holding.path, one.sha256)
            database.change_each("INSERT INTO manifest VALUES (?, ?)", others)

    def _values(self, serial: int, holding: Holding) -> tuple[object, ...]:
        return self.current, serial, *_values(holding)


_INSERT = (
    f"INSERT OR REPLACE INTO holdings (epoch, serial, {_COLUMNS}, round, rank)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def keep_validators(database: Database, key: str, validators: tuple[str, str] | None) -> None:
    """Within a transaction, note with which validators a URL is asked for next time.

    None: with those of the outcome that is held.
    """
    if validators is None:
        database.change("DELETE FROM validators WHERE key = ?", key)
    else:
        database.change("INSERT OR REPLACE INTO validators VALUES (?, ?, ?)", key, *validators)


def forget_before(database: Database, epoch: int) -> None:
    """Within a transaction, drop what no update can need any more: all that is older than an epoch, but for
    what that epoch's tree still holds of it. So a journal grows with the site, not with the years."""
    database.change("DELETE FROM holdings WHERE epoch < ?", epoch)
    database.change("DELETE FROM aliases WHERE epoch < ?", epoch)
    database.change(
        "DELETE FROM requests WHERE round IN"
        " (SELECT round FROM rounds JOIN runs ON runs.id = rounds.run WHERE epoch < ?)"
        " AND (round, rank) NOT IN (SELECT round, rank FROM holdings)",
        epoch,
    )
    database.change("DELETE FROM rounds WHERE round NOT IN (SELECT round FROM requests)")
    database.change("DELETE FROM validators WHERE key NOT IN (SELECT key FROM requests)")
    database.change(
        "DELETE FROM bodies WHERE digest NOT IN (SELECT body FROM requests WHERE body IS NOT NULL)"
    )


def _values(holding: Holding) -> tuple[object, ...]:
    return (
        holding.key,
        holding.path,
        holding.digest,
        holding.facts,
        holding.title,
        holding.fetched_at,
        int(holding.gone),
        holding.request.round,
        holding.request.rank,
    )


def _holding_of(row: Row) -> Holding:
    width = len(_COLUMNS.split(", "))
    key, path, digest, facts, title, fetched_at, gone = row[:width]
    told: list[Any] = [key, path, digest, facts, title, fetched_at]
    if not all(isinstance(text, str) for text in told):
        raise ValueError(f"a holding is not made of texts: {told!r:.100}")
    return Holding(key, path, request_of(row[width:]), digest, facts, title, fetched_at, bool(gone))
