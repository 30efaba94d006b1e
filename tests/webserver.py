"""A threaded HTTP server on a loopback port that answers with a toy website."""

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from adaptive_crawl.crawler.model import FailureKind

from .answers import Sent, ToyFailure

if TYPE_CHECKING:
    from .website import Website

PATIENCE = 30.0
"""Seconds after which a forgotten gate or an awaited request gives up, so that a broken test ends."""


class ToyServer(ThreadingHTTPServer):
    """A server that can be closed for good: it cuts connections that clients keep alive."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], site: "Website") -> None:
        self.site = site
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, _answering(site, self.closing))

    def server_bind(self) -> None:
        # HTTPServer looks the host's name up, which can take seconds where there is no resolver.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        with self._lock:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def cut(self) -> None:
        """End every connection, so that the threads that serve them end."""
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):  # the client may have been faster
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients under test hang up when they please."""


def _answering(site: "Website", closing: threading.Event) -> Callable[..., BaseHTTPRequestHandler]:
    """A request handler class bound to one site."""

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Headers and body leave in one packet; with Nagle's algorithm a body would wait for an ACK.
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            site.note(self.command, self.path, dict(self.headers.items()))
            gate = site.gates.get(self.path)
            if gate is not None and not gate.wait(PATIENCE):
                self.close_connection = True
                return
            answer = site.upcoming(self.path)
            if isinstance(answer, ToyFailure) and answer.kind is FailureKind.TIMEOUT:
                closing.wait(PATIENCE)
            if _is_silence(answer):
                site.use(self.path)
                self.close_connection = True
                return
            self._send(site.sent(self.path, dict(self.headers.items())))

        do_HEAD = do_GET

        def _send(self, sent: Sent) -> None:
            self.send_response(sent.status)
            for name, value in sent.headers.items():
                self.send_header(name, value)
            if sent.status != 304:
                self.send_header("Content-Length", str(len(sent.body) + sent.missing))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(sent.body)
            if sent.missing:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing; the site's log has it."""

    return Answering


def _is_silence(answer: object) -> bool:
    return isinstance(answer, ToyFailure) and answer.status == 0 and answer.kind is not FailureKind.INCOMPLETE
