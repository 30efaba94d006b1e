"""A toy website: path → page, redirect, file or failure, at three depths.

::

    site = Website(
        {
            "/": page("Home", "Welcome.", links={"/a": "about backups", "/old": "moved"}),
            "/a": page("Backups", "Backups are kept for 30 days."),
            "/old": redirect("/a"),
            "/bad": failure(500),
            "/f.pdf": file(b"%PDF-1.7", "application/pdf"),
        }
    )
    site.outcome("/a")                  # a value for the core: Page, Redirect, Download, Failure, RobotsFile
    site.transport()                    # bytes for the fetcher, through httpx, without a socket
    with site.served() as base_url:     # a real threaded HTTP server on a loopback port
        ...
    site.paths                          # what was asked for, in order of arrival

A site can be changed while it is served (``site["/a"] = page(...)``, ``del site["/a"]``), an answer can
be held back until a test lets it go (``gate = site.hold("/a")`` … ``gate.set()``), and a test can wait
for a request to arrive (``site.wait_for("/a")``): no test needs to sleep. Pages have strong ETags and
answer conditional requests with 304.
"""

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

import httpx

from adaptive_crawl.crawler.model import Download, Failure, FailureKind, Outcome, Page, Redirect, RobotsFile
from adaptive_crawl.crawler.urls import canonicalize

from .answers import (
    FETCHED_AT,
    Answer,
    Sent,
    Single,
    ToyFailure,
    ToyFile,
    ToyPage,
    ToyRedirect,
    ToySequence,
    as_html,
    as_page,
    failure,
    file,
    page,
    raw,
    redirect,
    sequence,
)
from .webserver import PATIENCE, ToyServer

__all__ = [
    "FETCHED_AT",
    "PATIENCE",
    "Answer",
    "Asked",
    "Website",
    "as_html",
    "failure",
    "file",
    "page",
    "raw",
    "redirect",
    "sequence",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that a served site received."""

    method: str
    path: str
    """With its query, as sent."""
    headers: Mapping[str, str]
    """Names in lower case."""
    at: float
    """Seconds on the monotonic clock."""


class Website:
    """A toy site; see the module's docstring.

    ``robots`` is the text of robots.txt, or the status with which it is refused. ``base_url`` is where
    the values of :meth:`outcome` live; :meth:`served` lends the site a loopback address instead.
    """

    def __init__(
        self,
        answers: Mapping[str, Answer],
        robots: str | int = 404,
        base_url: str = "https://toy.example",
    ) -> None:
        self.answers = dict(answers)
        self.robots = robots
        self.base_url = base_url
        self.log: list[Asked] = []
        self.gates: dict[str, threading.Event] = {}
        self._hits: dict[str, int] = {}
        self._news = threading.Condition()

    def __setitem__(self, path: str, answer: Answer) -> None:
        self.answers[path] = answer

    def __delitem__(self, path: str) -> None:
        del self.answers[path]

    def url(self, path: str = "/") -> str:
        """Absolute URL of a path."""
        return urljoin(self.base_url, path)

    # What was asked.

    @property
    def paths(self) -> list[str]:
        """Paths asked for, in order of arrival, without robots.txt."""
        return [asked.path for asked in list(self.log) if asked.path != "/robots.txt"]

    def asked(self, path: str) -> list[Asked]:
        """Every request for a path, in order of arrival."""
        return [asked for asked in list(self.log) if asked.path == path]

    def hold(self, path: str) -> threading.Event:
        """Keep the answers to a path back until the event that this returns is set."""
        return self.gates.setdefault(path, threading.Event())

    def wait_for(self, path: str, times: int = 1, timeout: float = PATIENCE) -> None:
        """Return as soon as a path has been asked for so many times.

        Raises:
            TimeoutError: it has not been, within the time.
        """
        with self._news:
            if not self._news.wait_for(lambda: len(self.asked(path)) >= times, timeout):
                raise TimeoutError(f"{path} was asked for {len(self.asked(path))} times, not {times}")

    # Values, for the core.

    def outcome(self, path_or_url: str) -> Outcome:
        """What fetching and reading this URL brings, as a value."""
        url = self.url(path_or_url)
        path = _path(url)
        if path == "/robots.txt":
            return self._robots_file(url)
        answer = self.use(path)
        match answer:
            case ToyPage():
                return as_page(answer, url)
            case ToyRedirect():
                target = urljoin(url, answer.target)
                permanent = answer.status in (301, 308)
                return Redirect(url, target, canonicalize(target), permanent, FETCHED_AT)
            case ToyFile():
                digest = hashlib.sha256(answer.body).hexdigest()
                media_type = answer.content_type.partition(";")[0]
                return Download(url, canonicalize(url), media_type, len(answer.body), digest, FETCHED_AT)
            case ToyFailure():
                return Failure(url, answer.kind, f"HTTP {answer.status}", status=answer.status)

    def page(self, path_or_url: str) -> Page:
        """The page at this URL, for tests that know there is one."""
        outcome = self.outcome(path_or_url)
        assert isinstance(outcome, Page), outcome
        return outcome

    def _robots_file(self, url: str) -> RobotsFile:
        if isinstance(self.robots, int):
            return RobotsFile(url, self.robots, "", FETCHED_AT)
        return RobotsFile(url, 200, self.robots, FETCHED_AT)

    # Bytes, for the fetcher.

    def body(self, path_or_url: str) -> bytes:
        """The body of the page at this URL as a server sends it."""
        return self.sent(_path(self.url(path_or_url)), {}).body

    def transport(self) -> httpx.MockTransport:
        """A transport that answers for every host with this site; logged like the served one."""

        def answer(request: httpx.Request) -> httpx.Response:
            path = request.url.raw_path.decode()
            self.note(request.method, path, request.headers)
            found = self.upcoming(path)
            if isinstance(found, ToyFailure) and found.status == 0:
                raise _transport_error(found.kind, request)
            sent = self.sent(path, request.headers)
            return httpx.Response(sent.status, headers=dict(sent.headers), content=sent.body)

        return httpx.MockTransport(answer)

    def sent(self, path: str, headers: Mapping[str, str]) -> Sent:
        if path == "/robots.txt":
            if isinstance(self.robots, int):
                return Sent(self.robots, {"Content-Type": "text/plain"}, b"")
            return Sent(200, {"Content-Type": "text/plain; charset=utf-8"}, self.robots.encode())
        answer = self.use(path)
        match answer:
            case ToyPage():
                content_type = f"text/html; charset={answer.charset}"
                body = as_html(answer).encode(answer.charset, "xmlcharrefreplace")
                return _conditional(body, {"Content-Type": content_type, **answer.headers}, headers)
            case ToyFile():
                named = {"Content-Type": answer.content_type} if answer.content_type else {}
                return _conditional(answer.body, {**named, **answer.headers}, headers)
            case ToyRedirect():
                return Sent(answer.status, {"Location": answer.target}, b"")
            case ToyFailure():
                body = f"<h1>Error {answer.status}</h1>".encode()
                missing = 1000 if answer.kind is FailureKind.INCOMPLETE else 0
                return Sent(
                    answer.status or 200, {"Content-Type": "text/html", **answer.headers}, body, missing
                )

    def upcoming(self, path: str) -> Single:
        """The answer that is next for a path, without using it up."""
        answer = self.answers.get(path)
        if answer is None:
            answer = self.answers.get(quote(path, safe="/?&=%~:;,+@!$'()*"), failure(404))
        if not isinstance(answer, ToySequence):
            return answer
        return answer.answers[min(self._hits.get(path, 0), len(answer.answers) - 1)]

    def use(self, path: str) -> Single:
        with self._news:
            answer = self.upcoming(path)
            self._hits[path] = self._hits.get(path, 0) + 1
            return answer

    def note(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        lower = {name.lower(): value for name, value in headers.items()}
        with self._news:
            self.log.append(Asked(method, path, lower, time.monotonic()))
            self._news.notify_all()

    # A server.

    @contextmanager
    def served(self, host: str = "127.0.0.1") -> Iterator[str]:
        """Serve the site on a free port, and say where: ``http://127.0.0.1:40321``, without a slash.

        While served, :meth:`url` and :meth:`outcome` speak of that address. Leaving lets go of every
        gate, cuts idle connections and waits for the server's threads, so that nothing stays open.
        """
        server = ToyServer((host, 0), self)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        earlier, self.base_url = self.base_url, f"http://{host}:{server.server_address[1]}"
        try:
            yield self.base_url
        finally:
            self.base_url = earlier
            server.closing.set()
            for gate in self.gates.values():
                gate.set()
            server.shutdown()
            server.cut()
            server.server_close()
            thread.join()


def _path(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _conditional(body: bytes, headers: Mapping[str, str], request: Mapping[str, str]) -> Sent:
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    asked = {name.lower(): value for name, value in request.items()}.get("if-none-match", "")
    named = {"ETag": etag, **headers}
    if named["ETag"] in asked:
        return Sent(304, {"ETag": named["ETag"]}, b"")
    return Sent(200, named, body)


def _transport_error(kind: FailureKind, request: httpx.Request) -> httpx.TransportError:
    if kind is FailureKind.TIMEOUT:
        return httpx.ReadTimeout("no answer", request=request)
    if kind is FailureKind.INCOMPLETE:
        return httpx.RemoteProtocolError("peer closed connection", request=request)
    return httpx.ConnectError("connection refused", request=request)
