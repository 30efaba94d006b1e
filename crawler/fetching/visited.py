"""What one visit brought, and how an answer becomes that: read, and packed for the journal.

All of the work on a page that may be done beside the event loop, in a thread or another process. Knows
neither; so it must not import what is slow to import.
"""

import copyreg
from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter

from ..journaling.record import Packed, pack
from ..model import Download, Failure, Link, Mark, Outcome, Page, Passage, Redirect
from ..reading import decode
from .response import Response

Read = Callable[[Response], Page | Download | Redirect | Failure]
"""Makes a page or a download of an answer; runs in a thread or another process."""


@dataclass(frozen=True, slots=True)
class Visited:
    """What a visit brought: the outcome, and for the journal the body it was read from."""

    outcome: Outcome
    body: bytes | None = None
    """A page's decoded text in UTF-8, a download's bytes; None for everything else."""
    packed: Packed | None = None
    """The same as the journal keeps it, where that was done beside the event loop; then it alone holds the
    body."""
    kept_body: str = ""
    """Digest of a body kept before, from which the outcome was read, where none came now."""
    validators: tuple[str, str] | None = None
    """ETag and Last-Modified to ask with next time, where they are not those of the outcome."""


def visited_of(read: Read, response: Response) -> Visited:
    """Read an answer, and pack what it is."""
    outcome = read(response)
    match outcome:
        case Page():
            packed = pack(Visited(outcome, _as_utf8(response)))
        case Download():
            packed = pack(Visited(outcome, response.body))
        case _:
            return Visited(outcome)
    return Visited(packed.outcome, packed=packed)


def _as_utf8(response: Response) -> bytes:
    decoded = decode.decode(response.body, response.charset)
    return response.body if decoded.encoding == "utf-8" else decoded.text.encode("utf-8", "replace")


def _travels_light(kind: type) -> None:
    """Let a frozen value be pickled as a call with its values, in less than half the time that dataclasses
    take for it: a page has hundreds of them."""
    values = attrgetter(*(part.name for part in fields(kind)))
    copyreg.pickle(kind, lambda value: (kind, values(value)))


for _kind in (Page, Link, Mark, Passage):
    _travels_light(_kind)
