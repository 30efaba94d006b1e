"""One answer as it comes in: its status and headers judged, its body taken in within bounds.

Every way in which an answer can fail gets its name here. Knows httpx and bytes; neither connections, nor
whose turn it is, nor what a page is.
"""

import asyncio
import os
import re
import ssl
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

import httpx

from .. import urls
from ..model import Failure, FailureKind, Redirect
from . import coding
from .addresses import AddressRefused
from .network import NameNotFound
from .response import KEPT_HEADERS, Response

DRAINED = 16 * 1024
"""Bytes of an unwanted body (a 404, a redirect) that are read so that the connection can be used again."""

DRAINED_WITHIN = 2.0
"""Seconds for that; then a new connection is cheaper."""

SLACK = 64 * 1024
"""Bytes that a compressed body may be longer than what it decodes to: headers, and data that is random."""

UNDECLARED = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/unknown"})
"""Media types that say nothing: such bodies are read, and sniffed by the reader."""

Wanted = Callable[[str], bool]
"""Media type → is a body of that type worth reading?"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request sent, and what politeness and retries need to know of how it went."""

    outcome: Response | Redirect | Failure
    at: str
    """When the answer began, or the attempt if none did; RFC 3339, UTC, whole seconds."""
    status: int = 0
    """0 where no answer came."""
    latency: float | None = None
    """Seconds until the answer's headers had come; None if they did not."""
    retry_after: str = ""
    """The header, as sent."""


@dataclass(frozen=True, slots=True)
class Takes:
    """What is taken of an answer."""

    key: Callable[[str], str]
    """Gives ``Redirect.target_key``."""
    wanted: Wanted
    limit: int
    """Decoded bytes of a body."""
    cut: bool
    """Cut a longer body at the limit; otherwise it is a failure."""


class Attempt:
    """What is known of an exchange while it goes on, and how it is put in words afterwards."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.started = time.monotonic()
        self.fetched_at = stamp()
        self.latency: float | None = None
        self.status = 0
        self.retry_after = ""
        self.received = 0
        self.outcome: Response | Redirect | Failure | None = None

    def answered(self, response: httpx.Response) -> None:
        self.latency = time.monotonic() - self.started
        self.status = response.status_code
        self.retry_after = response.headers.get("retry-after", "")[:100]
        self.fetched_at = stamp()

    def response(self, response: httpx.Response, body: bytes) -> Response:
        headers = response.headers
        charset = _CHARSET.search(headers.get("content-type", ""))
        return Response(
            url=self.url,
            final_url=self.url,
            status=self.status,
            media_type=_media_type(response),
            charset=charset[1].lower() if charset else "",
            headers={name: headers[name] for name in KEPT_HEADERS if name in headers},
            body=body,
            fetched_at=self.fetched_at,
        )

    def failure(self, kind: FailureKind, detail: str) -> Failure:
        return Failure(self.url, kind, one_line(detail), status=self.status, size=self.received)

    def exchange(self) -> Exchange:
        assert self.outcome is not None
        return Exchange(self.outcome, self.fetched_at, self.status, self.latency, self.retry_after)


def one_line(text: str) -> str:
    """Make one line for people of words that may be a server's: no line ends, no terminal's commands."""
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))[:500]


def stamp() -> str:
    """Give the time, as all that was fetched carries it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


async def take(response: httpx.Response, attempt: Attempt, takes: Takes) -> Response | Redirect | Failure:
    """Make an outcome of an answer whose headers have come; read as much of its body as that needs."""
    status = response.status_code
    if status == 304 and _is_conditional(response.request):
        return attempt.response(response, b"")
    if not 200 <= status < 300:
        outcome = _redirect(response, attempt, takes) if 300 <= status < 400 else _refused(response, attempt)
        await _drain(response)
        return outcome
    if status == 206:
        return attempt.failure(FailureKind.INCOMPLETE, "HTTP 206: a part, where the whole was asked for")
    media_type = _media_type(response)
    if media_type not in UNDECLARED and not takes.wanted(media_type):
        detail = f"{media_type} is neither a page nor a download that was asked for"
        return attempt.failure(FailureKind.MEDIA_TYPE, detail)
    body = await _body(response, attempt, takes)
    return body if isinstance(body, Failure) else attempt.response(response, body)


def _redirect(response: httpx.Response, attempt: Attempt, takes: Takes) -> Redirect | Failure:
    status, location = response.status_code, response.headers.get("location", "")
    if status not in (301, 302, 303, 307, 308):
        return _refused(response, attempt)
    if not location:
        return attempt.failure(FailureKind.REDIRECT, f"HTTP {status} names no target")
    target = urls.resolve(attempt.url, location)
    if target is None:
        detail = f"HTTP {status} leads to {location[:200]!r}, which is no http or https URL"
        return attempt.failure(FailureKind.REDIRECT, detail)
    return Redirect(attempt.url, target, takes.key(target), status in (301, 308), attempt.fetched_at)


def _media_type(response: httpx.Response) -> str:
    """Give the declared type; "" for none and for what cannot be one, so that the body is sniffed."""
    declared = re.split(r"[;,]", response.headers.get("content-type", ""), maxsplit=1)[0].strip().lower()
    return declared if _TYPE.fullmatch(declared) else ""


async def _body(response: httpx.Response, attempt: Attempt, takes: Takes) -> bytes | Failure:
    """Read and decode a body, never holding more than the limit and one piece."""
    limit, cut = takes.limit, takes.cut
    announced = response.headers.get("content-length", "")
    try:
        decoder = coding.decoder(response.headers.get("content-encoding", ""))
    except coding.CodingError as error:
        return attempt.failure(FailureKind.UNREADABLE, str(error))
    if not cut and isinstance(decoder, coding.Plain) and announced.isdigit() and int(announced[:20]) > limit:
        return attempt.failure(FailureKind.TOO_LARGE, f"{announced} bytes announced; {limit} are the limit")
    body = bytearray()
    try:
        async for chunk in _chunks(response):
            attempt.received += len(chunk)
            for piece in decoder.feed(chunk):
                body += piece
                if len(body) > limit:
                    break
            # Compressed data that decodes to nothing could go on for ever, too.
            if len(body) > limit or attempt.received > limit + SLACK:
                if cut:
                    return bytes(body[:limit])
                return attempt.failure(FailureKind.TOO_LARGE, f"the body is longer than {limit} bytes")
    except coding.CodingError as error:
        return attempt.failure(FailureKind.INCOMPLETE, f"the body is damaged: {error}")
    if not decoder.is_complete:
        detail = f"the compressed body ended early, after {attempt.received} bytes"
        return attempt.failure(FailureKind.INCOMPLETE, detail)
    return bytes(body)


def _chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """Give the body as it arrives; httpx's own iterators would decode it, without a bound."""
    stream = response.stream
    assert isinstance(stream, httpx.AsyncByteStream)
    return stream.__aiter__()


async def _drain(response: httpx.Response) -> None:
    """Read a short body to its end, so that its connection can serve the next request."""
    announced = response.headers.get("content-length", "")
    if announced.isdigit() and int(announced[:20]) > DRAINED:
        return
    received = 0
    try:
        async with asyncio.timeout(DRAINED_WITHIN):
            async for chunk in _chunks(response):
                received += len(chunk)
                if received > DRAINED:
                    return
    except (TimeoutError, httpx.TransportError):
        return


def _refused(response: httpx.Response, attempt: Attempt) -> Failure:
    status = response.status_code
    challenged = status == 403 and "www-authenticate" in response.headers
    kind = FailureKind.AUTH if status in (401, 407) or challenged else FailureKind.HTTP
    return attempt.failure(kind, f"HTTP {status} {_phrase(status)}".rstrip())


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def timed_out(attempt: Attempt, timeout: float) -> Failure:
    """Name what had not come when the time for a request was over."""
    if attempt.latency is None:
        return attempt.failure(FailureKind.TIMEOUT, f"no answer within {timeout:g} s")
    detail = f"the body was not complete within {timeout:g} s; {attempt.received} bytes had come"
    return attempt.failure(FailureKind.TIMEOUT, detail)


ERRORS = (httpx.TransportError, httpx.InvalidURL, AddressRefused, NameNotFound, OSError, ValueError)
_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,80}")
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:\-]{1,40})""", re.IGNORECASE)


def failed(error: Exception, attempt: Attempt) -> Failure:
    """Name what one of ``ERRORS`` means for the request."""
    match error:
        case AddressRefused():
            return attempt.failure(FailureKind.ADDRESS, str(error))
        case NameNotFound():
            return attempt.failure(FailureKind.DNS, str(error))
        case httpx.ConnectTimeout():
            return attempt.failure(FailureKind.TIMEOUT, "no connection within the time for one")
        case httpx.ProxyError():
            kind = FailureKind.AUTH if "407" in str(error) else FailureKind.CONNECT
            return attempt.failure(kind, f"the proxy refused: {error}")
        case httpx.LocalProtocolError() | httpx.UnsupportedProtocol() | httpx.InvalidURL() | ValueError():
            return attempt.failure(FailureKind.INVALID_URL, f"cannot be asked for: {error}")
    if attempt.latency is not None:
        detail = f"the body ended early, after {attempt.received} bytes ({_reason(error)})"
        return attempt.failure(FailureKind.INCOMPLETE, detail)
    if isinstance(error, httpx.RemoteProtocolError) and "without sending" not in str(error):
        return attempt.failure(FailureKind.UNREADABLE, f"the answer is not valid HTTP: {error}")
    if tls := _tls_error(error):
        return attempt.failure(FailureKind.TLS, f"no secure connection: {tls}")
    return attempt.failure(FailureKind.CONNECT, f"no answer: {_reason(error)}")


def _reason(error: BaseException) -> str:
    """Give the first words said, or the system's own: "Connection refused" says more than "no connection"."""
    words = ""
    cause: BaseException | None = error
    for _ in range(8):
        if cause is None:
            break
        number = cause.errno if isinstance(cause, OSError) else None
        if number is not None and number > 0:
            return os.strerror(number)
        words = words or str(cause)
        cause = cause.__cause__ or cause.__context__
    return words or type(error).__name__


def _tls_error(error: BaseException) -> str:
    cause: BaseException | None = error
    for _ in range(8):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message
        if isinstance(cause, ssl.SSLError):
            return str(cause.reason or cause)
        cause = cause and (cause.__cause__ or cause.__context__)
    return ""


def _is_conditional(request: httpx.Request) -> bool:
    return "if-none-match" in request.headers or "if-modified-since" in request.headers
