"""Every request planned and how it ended, in SQLite: what a crawl can be resumed from.

The rows are facts; what they mean is derived again by the core. A request's row exists before a byte is
fetched, and an outcome is there before the core hears of it. One writer, one thread, one transaction for
each outcome. What a row looks like, and that it is not to be trusted, is known to ``rows`` and
``record``; the file, its versions and its errors to ``journalfile``.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..model import Outcome, Page, PassedOver, Plan, Query, Request, Stop
from . import journalfile, record
from .database import Database, Row
from .epochs import Epochs, forget_before, keep_validators
from .inspection import inspect
from .journalfile import Schema
from .lock import FolderLock
from .manifest import Manifest
from .record import Packed, Run
from .rows import (
    REQUEST,
    RUN,
    SETTLED,
    Settled,
    json_text,
    request_of,
    request_values,
    run_of,
    run_values,
    settled_of,
)

if TYPE_CHECKING:
    from ..fetching.visited import Visited

NEWEST_FIRST = "ORDER BY round DESC, rank DESC"


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """The end of a round, after so many seconds of activity."""

    round: int
    seconds: float


class Journal:
    """The journal of one output folder, locked while open.

    Every method raises ``OutputError`` when the disk is full or the file cannot be written, and
    ``DamagedError`` for a row that is none of ours. Iterators hold no cursor between two items: whoever
    reads one may write meanwhile, and memory stays flat.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection, closing: ExitStack) -> None:
        """Use ``create`` or ``open``."""
        self.folder = folder
        self._database = Database(connection, journalfile.place(folder))
        self._closing = closing
        self._run = Run(())
        newest = self._database.row("SELECT coalesce(max(settled), 0) FROM requests")
        self._settled: int = newest[0] if newest else 0
        self.manifest = Manifest(self._database)
        newest = self._database.row("SELECT coalesce(max(epoch), 0) FROM runs")
        self.epochs = Epochs(self._database, newest[0] if newest else 0)

    @classmethod
    def create(cls, folder: Path, schema: Schema | None = None) -> Self:
        """Start a journal in a folder, which is made if need be.

        Raises:
            UsageError: the folder cannot be made or written.
            StateError: it holds a journal already.
            LockedError: another run is at work in it.
        """
        return cls._opened(folder, schema or Schema(), new=True)

    @classmethod
    def open(cls, folder: Path, schema: Schema | None = None) -> Self:
        """Open the journal of a folder; an older version is migrated, a copy of it kept.

        Raises:
            StateError: the folder holds none.
            LockedError: another run is at work in it.
            DamagedError: it is damaged, foreign or newer; it was not touched.
        """
        return cls._opened(folder, schema or Schema(), new=False)

    @classmethod
    def _opened(cls, folder: Path, schema: Schema, *, new: bool) -> Self:
        with ExitStack() as stack:
            inner = journalfile.prepare(folder) if new else journalfile.existing(folder)
            with journalfile.writable(folder):
                stack.enter_context(FolderLock(inner, folder))
            if new:
                journalfile.create(folder, schema)
            connection = journalfile.connect(folder, schema, partial(inspect, journalfile.place(folder)))
            stack.callback(connection.close)
            return cls(folder, connection, stack.pop_all())

    def close(self) -> None:
        """Write all into one file, and let go of the lock."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # Runs.

    def begin(self, run: Run, *, update: bool = False) -> Run:
        """Note that a run begins; return it with its ``id``, ``goal`` and ``epoch``, secrets taken out.

        It shares its goal with the newest run that had the same query text. A round that another goal
        left open is abandoned.

        Args:
            update: begin an epoch, unless the newest one is an update that did not come to its end.
        """
        run = record.without_surrogates(run)
        last = self.last_run()
        anew = update and last is not None and (last.ended or last.epoch == 0)
        run = replace(
            run,
            seeds=tuple(map(record.without_userinfo, run.seeds)),
            config=record.without_secrets(run.config),
            started=run.started or _now(),
            goal=self._goal_of(run.query),
            epoch=(last.epoch if last else 0) + anew,
        )
        values = run_values(run)
        columns, marks = ", ".join(values), ", ".join("?" * len(values))
        with self._database.transaction() as database:
            cursor = database.change(f"INSERT INTO runs ({columns}) VALUES ({marks})", *values.values())
            self._run = replace(run, id=cursor.lastrowid or 0)
            for (round,) in database.rows(
                "SELECT round FROM rounds JOIN runs ON runs.id = rounds.run"
                " WHERE rounds.seconds IS NULL AND (goal <> ? OR epoch <> ?)",
                *(run.goal, run.epoch),
            ):
                _drop_open(database, round)
            if anew:
                forget_before(database, run.epoch - 1)
        self.epochs.current = run.epoch
        return self._run

    def end(self, run: Run, stop: Stop) -> None:
        """Note why a run has ended, and when."""
        stop = record.without_surrogates(stop)
        with self._database.transaction() as database:
            database.change(
                "UPDATE runs SET stopped = ?, reason = ?, detail = ?, figures = ? WHERE id = ?",
                *(_now(), str(stop.reason), stop.detail, json_text(stop.figures), run.id),
            )

    def runs(self) -> list[Run]:
        """Every run, oldest first."""
        return [self._run_of(row) for row in self._database.rows(f"SELECT {RUN} FROM runs ORDER BY id")]

    def first_round(self) -> int:
        """The number of the first round of the newest epoch."""
        row = self._database.row(
            "SELECT coalesce(max(round) + 1, 0) FROM rounds JOIN runs ON runs.id = rounds.run"
            " WHERE epoch < ?",
            self.epochs.current,
        )
        return int(row[0]) if row else 0

    def last_run(self) -> Run | None:
        """The newest run that has begun."""
        row = self._database.row(f"SELECT {RUN} FROM runs ORDER BY id DESC")
        return self._run_of(row) if row else None

    def _run_of(self, row: Row) -> Run:
        with self._database.checking(f"run {row[0]}"):
            return run_of(row)

    def _goal_of(self, query: Query | None) -> int:
        runs = self.runs()
        text = query.text if query else None
        for run in reversed(runs):
            if (run.query.text if run.query else None) == text:
                return run.goal
        return max((run.goal for run in runs), default=-1) + 1

    # The round at work.

    def plan(self, plan: Plan) -> None:
        """Note what will be fetched, before anything is."""
        plan = record.without_surrogates(plan)
        values = [(self._run.id, *request_values(request)) for request in plan.requests]
        marks = ", ".join("?" * (REQUEST.count(",") + 2))
        with self._database.transaction() as database:
            database.change(
                "INSERT INTO rounds (round, run, passed_over) VALUES (?, ?, ?)",
                *(plan.round, self._run.id, json_text(plan.passed_over)),
            )
            database.change_each(f"INSERT INTO requests (run, {REQUEST}) VALUES ({marks})", values)

    def open_plan(self) -> Plan | None:
        """The round that was begun and not closed, with all its requests."""
        row = self._database.row(
            "SELECT round, passed_over FROM rounds WHERE seconds IS NULL ORDER BY round LIMIT 1"
        )
        if row is None:
            return None
        round, passed_over = row
        requests = self._requests("round = ?", round)
        with self._database.checking(f"round {round}"):
            return Plan(round, tuple(requests), record.load(tuple[PassedOver, ...], passed_over))

    def passed_over(self, round: int) -> tuple[PassedOver, ...]:
        """The best candidates that a round left; none for a round that is not there."""
        row = self._database.row("SELECT passed_over FROM rounds WHERE round = ?", round)
        with self._database.checking(f"round {round}"):
            return record.load(tuple[PassedOver, ...], row[0]) if row else ()

    def unsettled(self, round: int) -> list[Request]:
        """The requests of a round that are still to be made, in plan order."""
        return self._requests("round = ? AND outcome IS NULL", round)

    def settle(self, request: Request, visited: "Visited | Packed", seconds: float = 0.0) -> None:
        """Note how a request ended, and keep its body: done for good when this returns.

        Args:
            visited: packed already (``record.pack``, in a thread) or to be packed here.
            seconds: the age of the round, in seconds of activity.

        Raises:
            ValueError: the request was not planned, or has settled before.
        """
        packed = visited if isinstance(visited, Packed) else record.pack(visited)
        with self._database.transaction() as database:
            if packed.body is not None:
                database.change(
                    "INSERT OR IGNORE INTO bodies (digest, size, body) VALUES (?, ?, ?)",
                    *(packed.body_digest, packed.body_size, packed.body),
                )
            changed = database.change(
                "UPDATE requests SET settled = ?, seconds = ?, reader = ?, body = ?, outcome_type = ?,"
                " outcome = ? WHERE round = ? AND rank = ? AND outcome IS NULL",
                *(self._settled + 1, seconds, self._run.reader, packed.body_digest or None),
                *(packed.kind, packed.record, request.round, request.rank),
            )
            if changed.rowcount != 1:
                raise ValueError(f"request {request.rank} of round {request.round} is not open")
            keep_validators(database, request.key, packed.validators)
        self._settled += 1

    def settled_in(self, round: int, first: int = 0) -> Iterator[Settled]:
        """The outcomes of a round in plan order, from rank ``first`` on."""
        rank = first - 1
        while settled := self._settled_one(
            f"SELECT {SETTLED} FROM requests WHERE round = ? AND rank > ? AND outcome IS NOT NULL"
            " ORDER BY rank LIMIT 1",
            *(round, rank),
        ):
            yield settled
            rank = settled.request.rank

    def active_seconds(self, round: int) -> float:
        """How long an open round was worked on, until its newest outcome."""
        row = self._database.row("SELECT coalesce(max(seconds), 0) FROM requests WHERE round = ?", round)
        with self._database.checking(f"round {round}"):
            return float(row[0]) if row else 0.0

    def close_round(self, round: int, seconds: float) -> None:
        """Note that a round has ended after so many seconds of activity."""
        with self._database.transaction() as database:
            database.change("UPDATE rounds SET seconds = ? WHERE round = ?", seconds, round)

    def abandon(self, round: int) -> None:
        """Close a round without its open requests: what it fetched stays, the rest is planned anew.

        For a round planned under a query, limits or a scope that no longer hold.
        """
        with self._database.transaction() as database:
            _drop_open(database, round)

    def _requests(self, condition: str, *values: object) -> list[Request]:
        rows = self._database.rows(f"SELECT {REQUEST} FROM requests WHERE {condition} ORDER BY rank", *values)
        with self._database.checking(f"round {values[0]}"):
            return [request_of(row) for row in rows]

    def _settled_one(self, statement: str, *values: object) -> Settled | None:
        row = self._database.row(statement, *values)
        if row is None:
            return None
        with self._database.checking(f"round {row[0]}, rank {row[1]}"):
            return settled_of(row)

    # The past.

    def history(self) -> Iterator[Settled | RoundClosed]:
        """All that happened in closed rounds of the newest epoch, as it was decided: outcomes in plan order,
        and each end."""
        round = self.first_round() - 1
        while row := self._database.row(
            "SELECT round, seconds FROM rounds WHERE seconds IS NOT NULL AND round > ?"
            " ORDER BY round LIMIT 1",
            round,
        ):
            round = row[0]
            yield from self.settled_in(round)
            with self._database.checking(f"round {round}"):
                closed = RoundClosed(round, float(row[1]))
            yield closed

    def outcome_of(self, key: str) -> Outcome | None:
        """What is held of a key: its newest page, download or redirect; None if there is none."""
        settled = self._settled_one(
            f"SELECT {SETTLED} FROM requests WHERE key = ?"
            f" AND outcome_type IN ('page', 'download', 'redirect') {NEWEST_FIRST} LIMIT 1",
            key,
        )
        return settled.outcome if settled else None

    def page(self, key: str) -> Page:
        """The newest page of a key.

        Raises:
            KeyError: none is held.
        """
        settled = self._settled_one(
            f"SELECT {SETTLED} FROM requests WHERE key = ? AND outcome_type = 'page' {NEWEST_FIRST} LIMIT 1",
            key,
        )
        if settled is None or not isinstance(settled.outcome, Page):
            raise KeyError(key)
        return settled.outcome

    def anchors(self, key: str) -> tuple[tuple[str, str], ...]:
        """The anchors of the newest page of a key; none where none is held."""
        row = self._database.row(
            f"SELECT outcome FROM requests WHERE key = ? AND outcome_type = 'page' {NEWEST_FIRST} LIMIT 1",
            key,
        )
        if row is None:
            return ()
        with self._database.checking(f"the page of {key}"):
            return record.anchors_of(row[0])

    def pages(self) -> Iterator[Page]:
        """The newest page of every key, in the order of their requests; those gone since are among them."""
        at = (-1, -1)
        while settled := self._settled_one(
            f"SELECT {SETTLED} FROM requests AS this WHERE outcome_type = 'page'"
            " AND (round, rank) > (?, ?) AND NOT EXISTS ("
            "  SELECT 1 FROM requests AS newer WHERE newer.key = this.key AND newer.outcome_type = 'page'"
            "  AND (newer.round, newer.rank) > (this.round, this.rank)"
            ") ORDER BY round, rank LIMIT 1",
            *at,
        ):
            at = (settled.request.round, settled.request.rank)
            if isinstance(settled.outcome, Page):
                yield settled.outcome

    def body(self, digest: str) -> bytes:
        """The body with this sha256: a page's decoded text in UTF-8, a download's bytes.

        Raises:
            KeyError: it is not held.
        """
        row = self._database.row("SELECT size, body FROM bodies WHERE digest = ?", digest)
        if row is None:
            raise KeyError(digest)
        with self._database.checking(f"body {digest}"):
            body = record.inflate(row[1], min(int(row[0]), record.MAX_RECORD))
            if hashlib.sha256(body).hexdigest() != digest:
                raise ValueError("its content does not have this digest")
        return body

    def read_otherwise(self) -> Iterator[tuple[Request, Page, bytes]]:
        """Pages that another reader than this run's has read, each with its body, to be read again."""
        at = (-1, -1)
        while row := self._database.row(
            "SELECT round, rank, body FROM requests WHERE outcome_type = 'page' AND body IS NOT NULL"
            " AND reader <> ? AND (round, rank) > (?, ?) ORDER BY round, rank LIMIT 1",
            *(self._run.reader, *at),
        ):
            at = (row[0], row[1])
            settled = next(self.settled_in(*at), None)
            if settled and isinstance(settled.outcome, Page):
                yield settled.request, settled.outcome, self.body(row[2])

    def reread(self, request: Request, outcome: Outcome) -> None:
        """Put what this run's reader made of a body in the place of what another one had made."""
        packed = record.pack_outcome(outcome)
        with self._database.transaction() as database:
            database.change(
                "UPDATE requests SET outcome_type = ?, outcome = ?, reader = ? WHERE round = ? AND rank = ?",
                *(packed.kind, packed.record, self._run.reader, request.round, request.rank),
            )

    # What others ask to be kept.

    def hosts(self) -> dict[str, Any]:
        """What politeness knows of each host, as plain data."""
        rows = self._database.rows("SELECT host, state FROM hosts ORDER BY host")
        with self._database.checking("the hosts"):
            return {str(host): record.plain(state) for host, state in rows}

    def keep_hosts(self, states: Mapping[str, Mapping[str, object]]) -> None:
        """Keep what politeness knows of these hosts, so that a resumed run does not burst."""
        with self._database.transaction() as database:
            database.change_each(
                "INSERT INTO hosts VALUES (?, ?) ON CONFLICT (host) DO UPDATE SET state = excluded.state",
                [(host, json_text(state)) for host, state in states.items()],
            )

    def note(self, name: str) -> Any:
        """Plain data kept under a name; None if there is none."""
        row = self._database.row("SELECT value FROM meta WHERE name = ?", name)
        with self._database.checking(f"note {name}"):
            return record.plain(row[0]) if row else None

    def keep_note(self, name: str, value: object) -> None:
        """Keep plain data under a name."""
        with self._database.transaction() as database:
            database.change(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                *(name, json_text(value)),
            )


def _drop_open(database: Database, round: int) -> None:
    database.change("DELETE FROM requests WHERE round = ? AND outcome IS NULL", round)
    database.change(
        "UPDATE rounds SET seconds = (SELECT coalesce(max(seconds), 0.0) FROM requests WHERE round = ?)"
        " WHERE round = ?",
        *(round, round),
    )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
