"""Revisiting what is held: which conditions a request carries, and what its answer makes of the page held.

A page held stays the page it was, with the time at which its content was first seen, for as long as the site
gives the same content; and it stays when the site cannot be asked, since a bad hour of a server says nothing
about its pages. Values in, values out: knows neither journal nor network.
"""

import re
from dataclasses import dataclass, replace

from ..model import NOT_MODIFIED, Download, Failure, FailureKind, Page, Request, SiteIndex

GONE = frozenset({404, 410})
"""Statuses that say of a page that there is none; all others speak of the server, or of who asks."""

_HEADER_VALUE = re.compile(r"[\x20-\x7e]{1,1000}")
"""What may be sent back: a validator came from a site, by way of a journal."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a URL from before the update under way."""

    outcome: Page | Download | SiteIndex
    etag: str = ""
    """The newest one; the outcome's own is that of the first time this content came."""
    last_modified: str = ""
    body: str = ""
    """Digest of the body, by which the journal has it."""
    whole: bool = True
    """The text or the bytes are at hand; not so where only a file's front matter was."""
    current: bool = True
    """Read as the run under way reads."""


@dataclass(frozen=True, slots=True)
class Holding:
    """A page or a file of the tree, as far as an update must know it."""

    key: str
    path: str
    request: Request
    """The one that brought it."""
    digest: str
    facts: str
    """Digest of what its front matter says of the page itself; empty for a file."""
    title: str
    fetched_at: str
    gone: bool = False
    """The site has it no more, and it was kept all the same."""


def conditions(held: Held | None) -> dict[str, str]:
    """Headers that ask for a body only if it is another one (RFC 9110, 13.1).

    Nothing is asked conditionally that is not at hand, or that this run would read in another way.
    """
    if held is None or not (held.whole and held.current):
        return {}
    headers = {"If-None-Match": held.etag, "If-Modified-Since": held.last_modified}
    return {name: value for name, value in headers.items() if _HEADER_VALUE.fullmatch(value)}


def not_modified(held: Held) -> Page | Download | SiteIndex:
    """What is held, for a site that says so."""
    if isinstance(held.outcome, SiteIndex):
        return replace(held.outcome, size=0)
    return replace(held.outcome, held=NOT_MODIFIED)


def first_seen(held: Held, outcome: Page | Download) -> Page | Download:
    """What came, with the times of what is held where the content is the same.

    It is not simply what is held: title and menus may have changed, and a menu leads to new pages.
    """
    before = held.outcome
    if isinstance(before, SiteIndex) or type(outcome) is not type(before) or outcome.digest != before.digest:
        return outcome
    return replace(
        outcome,
        fetched_at=before.fetched_at or outcome.fetched_at,
        etag=before.etag,
        last_modified=before.last_modified,
    )


def instead(held: Held, failure: Failure) -> Page | Download | Failure:
    """What a failure makes of what is held: it stays, unless the site says that there is no such page."""
    if is_gone(failure) or not held.whole or isinstance(held.outcome, SiteIndex):
        return failure
    return replace(held.outcome, held=failure.detail or failure.kind.value)


def is_gone(failure: Failure) -> bool:
    """Whether a failure says that a page is no more, or not ours to fetch."""
    if failure.kind is FailureKind.HTTP:
        return failure.status in GONE
    return failure.kind is FailureKind.ROBOTS
