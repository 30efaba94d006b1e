"""A loopback server that does to a client whatever it is told to: wrong lengths, resets, drips, bombs.

::

    with hostile({"/cut": resets(b"HTTP/1.1 200 OK\r\n"), "/hang": hangs()}) as server:
        server.url("/cut")          # http://127.0.0.1:40321/cut
        server.heard("/cut")        # the requests for it, as sent

A script gets the raw socket after the request's headers have come, and returns whether the connection
goes on. Nothing here sleeps: what waits, waits for the client to leave or for the server to be closed.
"""

import contextlib
import gzip
import socket
import ssl
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Heard:
    """One request, as it was sent."""

    line: str
    headers: Mapping[str, str]
    """Names in lower case."""
    at: float
    """Seconds on the monotonic clock."""
    connection: int
    """Serial number of the connection that it came over."""

    @property
    def target(self) -> str:
        return self.line.split(" ")[1]


@dataclass
class Server:
    """What a script may use: the address, what was heard, and whether it is time to end."""

    scripts: Mapping[str, "Script"]
    log: list[Heard] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    port: int = 0
    scheme: str = "http"
    in_flight: int = 0
    most_in_flight: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"

    def heard(self, path: str) -> list[Heard]:
        return [heard for heard in self.log if heard.target == path]

    def asked(self, path: str) -> int:
        return len(self.heard(path))


Script = Callable[[socket.socket, Heard, Server], bool]


def says(*parts: bytes, stays: bool = False) -> Script:
    """Send these bytes as they are; ``stays`` keeps the connection open for the next request."""

    def script(client: socket.socket, heard: Heard, server: Server) -> bool:
        for part in parts:
            client.sendall(part)
        return stays

    return script


def answers(body: bytes = b"<p>Hello</p>", status: str = "200 OK", **headers: str) -> Script:
    """Send a well-formed answer; ``content_type="text/css"`` names a header."""
    named = {"Content-Type": "text/html", "Content-Length": str(len(body))}
    named.update({name.replace("_", "-").title(): value for name, value in headers.items()})
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return says(f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body, stays=True)


def in_turn(*scripts: Script) -> Script:
    """A different script for each request; the last one stays."""
    rest = list(scripts)

    def script(client: socket.socket, heard: Heard, server: Server) -> bool:
        with server.lock:
            chosen = rest.pop(0) if len(rest) > 1 else rest[0]
        return chosen(client, heard, server)

    return script


def resets(after: bytes = b"") -> Script:
    """Send something, or nothing, and cut the connection with a TCP reset."""

    def script(client: socket.socket, heard: Heard, server: Server) -> bool:
        client.sendall(after)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    return script


def hangs(after: bytes = b"") -> Script:
    """Send something, or nothing, and then say nothing more."""

    def script(client: socket.socket, heard: Heard, server: Server) -> bool:
        client.sendall(after)
        _until_left(client, server)
        return False

    return script


def drips(head: bytes, drop: bytes = b" ", every: float = 0.02) -> Script:
    """Send a head, and then a few bytes at a time for ever: no single read ever times out."""

    def script(client: socket.socket, heard: Heard, server: Server) -> bool:
        client.sendall(head)
        with contextlib.suppress(OSError):
            while not server.closing.wait(every):
                client.sendall(drop)
        return False

    return script


def pours(head: bytes, chunk: bytes) -> Script:
    """Send a head, and then the same chunk for ever, as fast as it is taken."""

    def script(client: socket.socket, heard: Heard, server: Server) -> bool:
        client.sendall(head)
        with contextlib.suppress(OSError):
            while not server.closing.is_set():
                client.sendall(chunk)
        return False

    return script


def bomb(megabytes: int) -> bytes:
    """Bytes of a gzip member that decodes to so many million zeros: about a thousandth of it."""
    coder = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = b"\0" * 1_000_000
    return b"".join([*(coder.compress(piece) for _ in range(megabytes)), coder.flush()])


def page(text: str = "Hello") -> bytes:
    return f"<html><body><p>{text}</p></body></html>".encode()


def gzipped(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


@contextlib.contextmanager
def hostile(
    scripts: Mapping[str, Script], host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    """Serve scripts by path (with query); a path without one answers 404."""
    server = Server(dict(scripts), scheme="https" if tls else "http")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, 0), family=family, backlog=64)
    server.port = listener.getsockname()[1]
    threads: list[threading.Thread] = []
    accepting = threading.Thread(target=_accept, args=(listener, server, threads, tls))
    accepting.start()
    try:
        yield server
    finally:
        server.closing.set()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        for thread in threads:
            thread.join()


def _accept(
    listener: socket.socket, server: Server, threads: list[threading.Thread], tls: ssl.SSLContext | None
) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        thread = threading.Thread(target=_serve, args=(client, server, len(threads), tls))
        threads.append(thread)
        thread.start()


def _serve(client: socket.socket, server: Server, connection: int, tls: ssl.SSLContext | None) -> None:
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        stack.enter_context(client)
        if tls is not None:
            client = stack.enter_context(tls.wrap_socket(client, server_side=True))
        while (heard := _hear(client, server, connection)) is not None:
            with server.lock:
                server.log.append(heard)
                server.in_flight += 1
                server.most_in_flight = max(server.most_in_flight, server.in_flight)
            script = server.scripts.get(heard.target, answers(b"nothing here", "404 Not Found"))
            try:
                if not script(client, heard, server):
                    return
            finally:
                with server.lock:
                    server.in_flight -= 1


def _hear(client: socket.socket, server: Server, connection: int) -> Heard | None:
    """Read a request's head; None when the client has left or the server is being closed."""
    client.settimeout(0.05)
    data = b""
    while b"\r\n\r\n" not in data:
        try:
            more = client.recv(65536)
        except TimeoutError:
            if server.closing.is_set():
                return None
            continue
        if not more:
            return None
        data += more
    client.settimeout(5)
    first, *rest = data.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    return Heard(first, headers, time.monotonic(), connection)


def _until_left(client: socket.socket, server: Server) -> None:
    client.settimeout(0.05)
    while not server.closing.is_set():
        try:
            if not client.recv(65536):
                return
        except TimeoutError:
            continue
