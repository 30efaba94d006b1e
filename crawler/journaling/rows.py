"""Runs and requests ⇄ rows of the journal's tables.

Everything that is read raises ValueError or TypeError when it is not what it should be; see ``record``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ..model import Outcome, Request
from . import record
from .record import Run

RUN = "id, goal, epoch, query, seeds, config, version, reader, started, stopped, reason, detail, figures"
"""Columns for ``run_of``."""

_REQUEST_FIELDS = tuple(part.name for part in fields(Request))

REQUEST = ", ".join(_REQUEST_FIELDS)
"""Columns for ``request_of``: named and ordered as the fields of a request."""

SETTLED = f"{REQUEST}, outcome_type, outcome"
"""Columns for ``settled_of``."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A request and how it ended."""

    request: Request
    outcome: Outcome


def json_text(value: object) -> str:
    """JSON of a fact or of plain data, for a text column."""
    return record.dump(value).decode()


def run_values(run: Run) -> dict[str, object]:
    """Columns and values of a run that begins; its number is the table's to give."""
    return {
        "goal": run.goal,
        "epoch": run.epoch,
        "query": json_text(run.query),
        "seeds": json_text(run.seeds),
        "config": json_text(run.config),
        "version": run.version,
        "reader": run.reader,
        "started": run.started,
    }


def run_of(row: Sequence[Any]) -> Run:
    """Read a run from its ``RUN`` columns."""
    return run_from(dict(zip(RUN.split(", "), row, strict=True)))


def run_from(columns: Mapping[str, Any]) -> Run:
    """Read a run from its columns by name; those that an older version had not have their defaults."""
    values = {name: columns[name] for name in RUN.split(", ") if name in columns}
    reason, detail, figures = (values.pop(name) for name in ("reason", "detail", "figures"))
    for name in ("query", "seeds", "config"):
        values[name] = record.plain(values[name])
    if reason:
        values["stop"] = {"reason": reason, "detail": detail, "figures": record.plain(figures)}
    return record.load(Run, record.dump(values))


def request_values(request: Request) -> list[object]:
    """Values of a request for its ``REQUEST`` columns."""
    values = {name: getattr(request, name) for name in _REQUEST_FIELDS}
    return list({**values, "kind": str(request.kind), "parts": json_text(request.parts)}.values())


def request_of(row: Sequence[Any]) -> Request:
    """Read a request from its ``REQUEST`` columns."""
    return request_from(dict(zip(_REQUEST_FIELDS, row, strict=True)))


def request_from(columns: Mapping[str, Any]) -> Request:
    """Read a request from its columns by name; those that an older version had not have their defaults."""
    values = {name: columns[name] for name in _REQUEST_FIELDS if name in columns}
    return record.load(Request, record.dump({**values, "parts": record.plain(values["parts"])}))


def settled_of(row: Sequence[Any]) -> Settled:
    """Read a request and its outcome from the ``SETTLED`` columns."""
    *request, kind, packed = row
    return Settled(request_of(request), record.unpack(kind, packed))
