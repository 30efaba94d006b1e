"""Which failures are worth another attempt, and after how long a wait.

Decides from facts: what failed, on which attempt, what the site said about waiting, and the time. Draws
nothing at random, so that a crawl told again is the same crawl; waits for nothing itself.
"""

import email.utils
import hashlib
from dataclasses import dataclass, replace

from ..model import Failure, FailureKind

RETRIED_KINDS = frozenset({FailureKind.CONNECT, FailureKind.TIMEOUT, FailureKind.INCOMPLETE})
"""Troubles that pass: refused and reset connections, silence, bodies cut short."""

RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that say "not now"; 404, 403 and 410 say "no", and are believed."""

THROTTLING_STATUSES = frozenset({429, 503})
"""Answers meant for the crawler rather than for the request: the whole host is left alone for a while."""

FIRST_BACK_OFF = 1.0
"""Seconds before the second attempt, doubled for each one after it."""


@dataclass(frozen=True, slots=True)
class Again:
    """Try again, not sooner than after so many seconds."""

    wait: float


def decide(
    failure: Failure,
    *,
    host: str,
    attempt: int,
    retries: int,
    retry_after: float | None,
    max_wait: float,
) -> Again | Failure:
    """Say whether a failed attempt is followed by another, or with which failure the request ends.

    Args:
        attempt: the attempt that failed, from 1.
        retries: attempts after the first.
        retry_after: seconds that the site asked to wait (see :func:`wait_asked`), if it did.
        max_wait: the longest wait, in seconds; a site that asks for more gets ``FailureKind.WAIT``.
    """
    ended = replace(failure, attempts=attempt)
    if not _passes(failure):
        return ended
    if retry_after is not None and retry_after > max_wait:
        detail = (
            f"HTTP {failure.status}: the site asks to wait {_in_words(retry_after)}, "
            f"longer than politeness.max_retry_wait ({_in_words(max_wait)})"
        )
        return replace(ended, kind=FailureKind.WAIT, detail=detail)
    if attempt > retries:
        return ended
    return Again(min(max_wait, max(retry_after or 0.0, back_off(host, attempt))))


def back_off(host: str, attempt: int) -> float:
    """Give the seconds to wait after a failed attempt (from 1): doubling, spread by half.

    The spread keeps crawlers that failed together from returning together. It is a digest of host and
    attempt: different between hosts, the same in each run.
    """
    digest = hashlib.sha256(f"{host} {attempt}".encode()).digest()
    share = int.from_bytes(digest[:8]) / 2**64
    return FIRST_BACK_OFF * 2.0 ** min(attempt - 1, 16) * (0.5 + share)


def wait_asked(value: str | None, now: float) -> float | None:
    """Read ``Retry-After`` (RFC 9110, 10.2.3): seconds from ``now`` (Unix time), or None for nonsense.

    A number of seconds or a date; negative numbers, dates gone by and anything else count as missing.
    """
    text = (value or "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:18])
    try:
        wait = email.utils.parsedate_to_datetime(text).timestamp() - now
    except (ValueError, OverflowError):
        return None
    return wait if wait > 0 else None


def _passes(failure: Failure) -> bool:
    if failure.kind is FailureKind.HTTP:
        return failure.status in RETRIED_STATUSES
    return failure.kind in RETRIED_KINDS


def _in_words(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
