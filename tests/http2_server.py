"""A loopback server that speaks HTTP/2 over TLS, and does to a stream whatever a script says.

::

    with http2_server({"/": sends(b"<p>Hello")}, tls) as server:
        server.url("/")          # https://mill.example:40321/
        server.connections       # how many were made

A script gets the connection's state, the stream's number and a way to send what the state has to say. One
thread a connection; what waits, waits for the client.
"""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import h2.config
import h2.connection
import h2.events
import h2.exceptions
from h2.connection import H2Connection

FRAME = 16_384


@dataclass
class Http2Server:
    """What was heard, and what is still to be sent."""

    scripts: Mapping[str, "Script"]
    port: int = 0
    asked: list[str] = field(default_factory=list)
    called_off: list[int] = field(default_factory=list)
    """Numbers of the streams that the client did not want to the end."""
    connections: int = 0
    closing: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "/") -> str:
        return f"https://mill.example:{self.port}{path}"


@dataclass
class Conversation:
    """One connection: its state, its socket, and bodies that wait for room in a window."""

    state: H2Connection
    client: socket.socket
    waiting: dict[int, memoryview] = field(default_factory=dict)

    def flush(self) -> None:
        self.client.settimeout(5)
        with contextlib.suppress(OSError):
            self.client.sendall(self.state.data_to_send())
        self.client.settimeout(0.05)

    def go_on(self) -> None:
        """Send of the waiting bodies what the windows let through."""
        for stream, waiting in list(self.waiting.items()):
            body = waiting
            try:
                room = min(self.state.local_flow_control_window(stream), FRAME)
                while body and room > 0:
                    self.state.send_data(stream, bytes(body[:room]), end_stream=len(body) <= room)
                    body = body[room:]
                    room = min(self.state.local_flow_control_window(stream), FRAME)
            except h2.exceptions.ProtocolError:
                body = body[:0]
            if body:
                self.waiting[stream] = body
            else:
                del self.waiting[stream]
        self.flush()


Script = Callable[[Conversation, int], bool]
"""Answers a stream of a conversation; returns whether the connection stays."""


def sends(body: bytes, media_type: str = "text/html") -> Script:
    """Send a body, as far as the windows let it."""

    def script(with_client: Conversation, stream: int) -> bool:
        headers = [(":status", "200"), ("content-type", media_type)]
        with_client.state.send_headers(stream, headers, end_stream=not body)
        if body:
            with_client.waiting[stream] = memoryview(body)
        return True

    return script


def resets(with_client: Conversation, stream: int) -> bool:
    with_client.state.reset_stream(stream, 2)
    return True


def talks_nonsense(with_client: Conversation, stream: int) -> bool:
    with_client.flush()
    with_client.client.sendall(b"\x00\x00\x04\x08\x00" + stream.to_bytes(4) + b"\x00\x00\x00\x00")
    return True


def says_goodbye(then: Script) -> Script:
    """Answer, and take no further request on this connection."""

    def script(with_client: Conversation, stream: int) -> bool:
        then(with_client, stream)
        with_client.go_on()
        return False

    return script


def is_silent(with_client: Conversation, stream: int) -> bool:
    return True


def once(first: Script, then: Script) -> Script:
    """One answer to the first request, another to those after it."""
    scripts = [first]

    def play(with_client: Conversation, stream: int) -> bool:
        return (scripts.pop() if scripts else then)(with_client, stream)

    return play


@contextlib.contextmanager
def http2_server(scripts: Mapping[str, Script], tls: ssl.SSLContext) -> Iterator[Http2Server]:
    """Serve scripts by path; a path without one answers 404."""
    tls.set_alpn_protocols(["h2"])
    server = Http2Server(scripts)
    listener = socket.create_server(("127.0.0.1", 0))
    server.port = listener.getsockname()[1]
    threads = [threading.Thread(target=_accept, args=(listener, server, tls))]
    threads[0].start()
    try:
        yield server
    finally:
        server.closing.set()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        threads[0].join()


def _accept(listener: socket.socket, server: Http2Server, tls: ssl.SSLContext) -> None:
    threads: list[threading.Thread] = []
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            server.connections += 1
            threads.append(threading.Thread(target=_serve, args=(client, server, tls)))
            threads[-1].start()
    for thread in threads:
        thread.join()


def _serve(client: socket.socket, server: Http2Server, tls: ssl.SSLContext) -> None:
    with contextlib.suppress(OSError), client, tls.wrap_socket(client, server_side=True) as secured:
        secured.settimeout(0.05)
        talk = Conversation(H2Connection(h2.config.H2Configuration(client_side=False)), secured)
        talk.state.initiate_connection()
        talk.flush()
        stays = True
        while stays and not server.closing.is_set():
            try:
                data = secured.recv(65536)
            except TimeoutError:
                continue
            if not data:
                return
            for event in talk.state.receive_data(data):
                stays = _react(event, talk, server) and stays
            talk.go_on()
        if not server.closing.is_set():
            talk.state.close_connection()
            talk.flush()


def _react(event: h2.events.Event, talk: Conversation, server: Http2Server) -> bool:
    match event:
        case h2.events.RequestReceived(stream_id=stream, headers=headers):
            assert stream is not None
            path = dict(headers or [])[b":path"].decode()
            server.asked.append(path)
            if path in server.scripts:
                return server.scripts[path](talk, stream)
            talk.state.send_headers(stream, [(":status", "404")], end_stream=True)
        case h2.events.StreamReset(stream_id=stream):
            assert stream is not None
            server.called_off.append(stream)
            talk.waiting.pop(stream, None)
    return True
