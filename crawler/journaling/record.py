"""The facts of a crawl ⇄ JSON bytes.

A record is read as untrusted input: every type and every field is checked, nothing is converted, and
nothing but the frozen values of ``model`` can come out. Knows no database and no file.

A value that was packed equals the one that is unpacked from it, with one exception made before packing:
lone surrogates, which neither JSON, SQLite nor a UTF-8 file can hold, become U+FFFD. Whoever settles an
outcome therefore goes on with ``Packed.outcome``, so that a live crawl and its replay see the same.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

from ..model import (
    Download,
    Failure,
    Outcome,
    Page,
    Query,
    Redirect,
    RobotsFile,
    SiteIndex,
    Stop,
    StopReason,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from ..fetching.visited import Visited

T = TypeVar("T")

MAX_RECORD = 1 << 29
"""Bytes of one inflated record: far over what a body of ``fetch.max_body_bytes`` makes, and small enough
that a forged record cannot fill the memory."""

COMPRESSION = 1
"""zlib level: on real pages a fifth larger than the default of 6, in a sixth of the time."""

OUTCOMES: Mapping[str, type[Outcome]] = {
    "page": Page,
    "download": Download,
    "redirect": Redirect,
    "robots-file": RobotsFile,
    "site-index": SiteIndex,
    "failure": Failure,
}
"""The names that tell one outcome from another in a journal."""

_NAMES = {kind: name for name, kind in OUTCOMES.items()}


@dataclass(frozen=True, slots=True)
class Run:
    """One start of the command on a journal; a crawl that is resumed has several."""

    seeds: tuple[str, ...]
    query: Query | None = None
    """None for a crawl of everything in scope."""
    config: Mapping[str, object] = field(default_factory=dict)
    """What JSON can hold. Secrets are taken out when the run begins, see ``without_secrets``."""
    version: str = ""
    """Of the program."""
    reader: str = ""
    """Digest of what decides how a body is read: pages read by another reader can be told apart."""
    started: str = ""
    """RFC 3339, UTC; freshness counts from here."""
    id: int = 0
    """Serial number, given when it begins."""
    goal: int = 0
    """Serial number of its query, given when it begins; runs with the same query text share it."""
    epoch: int = 0
    """How many updates had begun, this one included, when it began."""
    stopped: str = ""
    stop: Stop | None = None
    """None while it runs, and for ever if it was killed."""

    @property
    def ended(self) -> bool:
        """It came to its end, neither killed nor interrupted."""
        return self.stop is not None and self.stop.reason is not StopReason.INTERRUPTED


@dataclass(frozen=True, slots=True)
class Packed:
    """A visit's result as the journal keeps it."""

    outcome: Outcome
    """What the record gives back: the outcome visited, lone surrogates replaced."""
    kind: str
    """Its name in ``OUTCOMES``."""
    record: bytes
    """zlib of its JSON."""
    body: bytes | None = None
    """zlib of the body."""
    body_digest: str = ""
    """sha256 of the body, hexadecimal; empty without one. Without ``body`` it is one kept before."""
    body_size: int = 0
    validators: tuple[str, str] | None = None
    """ETag and Last-Modified to ask with next time, where they are not those of the outcome."""


def pack(visited: "Visited") -> Packed:
    """Encode a visit's result, as far as it is not; milliseconds for a large page, so it suits a thread."""
    ready = visited.packed
    if ready is not None and ready.outcome is visited.outcome:
        packed = ready
    elif ready is not None:
        packed = replace(ready, **_fields_of(pack_outcome(visited.outcome)))
    else:
        packed = pack_outcome(visited.outcome)
    digest = visited.kept_body or packed.body_digest
    packed = replace(packed, body_digest=digest, validators=visited.validators)
    if visited.body is None:
        return packed
    return replace(
        packed,
        body=zlib.compress(visited.body, COMPRESSION),
        body_digest=hashlib.sha256(visited.body).hexdigest(),
        body_size=len(visited.body),
    )


def _fields_of(packed: Packed) -> dict[str, Any]:
    """What a record says of the outcome alone."""
    return {"outcome": packed.outcome, "kind": packed.kind, "record": packed.record}


def pack_outcome(outcome: Outcome) -> Packed:
    """Encode an outcome without a body."""
    outcome, encoded = _encoded(outcome)
    return Packed(outcome, _NAMES[type(outcome)], zlib.compress(encoded, COMPRESSION))


def unpack(kind: str, record: bytes) -> Outcome:
    """Decode an outcome.

    Raises:
        ValueError: it is no record of that kind.
    """
    if kind not in OUTCOMES:
        raise ValueError(f"no outcome is called {kind!r}")
    return load(OUTCOMES[kind], inflate(record, MAX_RECORD))


@dataclass(frozen=True, slots=True)
class _Anchors:
    """A page's record, read for its anchors alone: no other field is made an object of."""

    anchors: tuple[tuple[str, str], ...] = ()


def anchors_of(record: bytes) -> tuple[tuple[str, str], ...]:
    """``Page.anchors`` of a page's record, in a fraction of the time that the page takes.

    Raises:
        ValueError: it is no record.
    """
    return load(_Anchors, inflate(record, MAX_RECORD)).anchors


def dump(value: object) -> bytes:
    """JSON of a fact, or of plain data.

    Raises:
        ValueError: it holds a lone surrogate, or what JSON has no word for.
    """
    from pydantic_core import to_json

    return to_json(value, inf_nan_mode="constants")


def load(kind: type[T], data: bytes | str) -> T:
    """Read a fact from its JSON, strictly.

    Raises:
        ValueError: it is not JSON, or not of this kind.
    """
    return cast(T, _adapter(cast(Hashable, kind)).validate_json(data, strict=True))


def inflate(data: bytes, limit: int) -> bytes:
    """Undo zlib, up to ``limit`` bytes.

    Raises:
        ValueError: it is damaged, or inflates to more.
    """
    try:
        decoder = zlib.decompressobj()
        inflated = decoder.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(inflated) > limit:
        raise ValueError(f"it inflates to more than {limit} bytes")
    if not decoder.eof or decoder.unused_data:
        raise ValueError("it is cut short, or has something after its end")
    return inflated


def without_surrogates(value: T) -> T:
    """The same value with each lone surrogate in its strings replaced by U+FFFD."""
    return cast(T, _clean(value))


def without_secrets(config: Mapping[str, object]) -> Mapping[str, object]:
    """A configuration fit to be kept: header names without their values, URLs without user and password,
    and nothing under a key that names a secret."""
    return {name: _public(name, value) for name, value in config.items() if not _SECRET.search(name)}


def without_userinfo(url: str) -> str:
    """A URL without user name and password."""
    try:
        parts = urlsplit(url)
    except ValueError:  # of no use as a URL, and kept for the error message alone
        return url
    if "@" not in parts.netloc:
        return url
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


_SECRET = re.compile(r"(?i)(^|_)(password|passwd|secret|api_?key|access_?token|auth_?token|cookies?)$")
_NAMED_VALUES = ("headers",)
"""Sections whose values may be secrets and whose names are not."""


def _public(name: str, value: object) -> object:
    if name in _NAMED_VALUES and isinstance(value, Mapping):
        return sorted(str(key) for key in value)
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple):
        return [_public("", item) for item in value]
    return without_userinfo(value) if isinstance(value, str) else value


def _encoded(outcome: Outcome) -> tuple[Outcome, bytes]:
    try:
        return outcome, dump(outcome)
    except ValueError:  # a lone surrogate: rare, so only then is every string looked at
        clean = without_surrogates(outcome)
        return clean, dump(clean)


def _clean(value: Any) -> Any:
    if type(value) is str:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: _clean(getattr(value, part.name)) for part in fields(value)})
    if isinstance(value, tuple | list):
        return type(value)(map(_clean, value))
    if isinstance(value, Mapping):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


@cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def plain(data: bytes | str) -> Any:
    """Read plain data from JSON.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
