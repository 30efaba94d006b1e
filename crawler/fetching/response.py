"""What came back for one URL, as bytes: born in the fetcher, read by the reader, never leaves the shell.

This file knows the shape of an answer and nothing of how it was obtained or what it means.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer, its content coding (gzip and the like) undone."""

    url: str
    """As asked for."""
    final_url: str
    """Where the body came from: differs from ``url`` by spelling only, other redirects are the core's."""
    status: int
    media_type: str
    """Lower case, without parameters, as ``text/html``; empty when none was declared."""
    charset: str
    """The ``charset`` parameter of the content type, lower case; empty when none was declared."""
    headers: Mapping[str, str]
    """Those of ``KEPT_HEADERS`` that were sent, by lower-case name; repeated ones joined by ``, ``."""
    body: bytes
    fetched_at: str
    """RFC 3339, UTC, whole seconds, as ``2025-03-01T12:00:00Z``."""


KEPT_HEADERS = ("content-type", "content-language", "etag", "last-modified", "link", "x-robots-tag")
"""What a reader may ask for; everything else a server sends is dropped with the connection."""
