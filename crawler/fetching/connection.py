"""TCP and TLS connections over asyncio, in the shape that httpcore asks for.

httpcore's own ones cost more CPU for each read, and lose the socket of a TLS handshake that is cancelled.
Timeouts other than for connecting are left to whoever sends a request. Knows no HTTP.
"""

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

HELD_BACK = 256 * 1024
"""Bytes received and not yet read, above which the sender is made to wait."""


class Connections(httpcore.AsyncNetworkBackend):
    """Makes TCP connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                _, incoming = await asyncio.get_running_loop().create_connection(_Incoming, host, port)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"no connection within {timeout:g} s") from error
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        return Connection(incoming)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Connection(httpcore.AsyncNetworkStream):
    """One connection, and what is read from and written to it."""

    def __init__(self, incoming: "_Incoming") -> None:
        self._incoming = incoming

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        try:
            return await self._incoming.read(max_bytes)
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        # Requests are small: there is never so much to send that it would have to wait.
        if self._incoming.transport.is_closing():
            raise httpcore.WriteError("the connection is closed")
        self._incoming.transport.write(buffer)

    async def aclose(self) -> None:
        # No polite farewell: a server that does not answer it would keep the socket.
        self._incoming.transport.abort()
        await asyncio.sleep(0)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                await self._incoming.start_tls(ssl_context, server_hostname)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"no TLS handshake within {timeout:g} s") from error
        except OSError as error:  # ssl.SSLError is one
            raise httpcore.ConnectError(str(error)) from error
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            # Of an idle connection: what can be read is its end, or what nobody asked for.
            return self._incoming.has_news
        if info == "has_ended":
            return self._incoming.has_ended
        if info == "ssl_object":
            return self._incoming.transport.get_extra_info("ssl_object")
        return None


class _Incoming(asyncio.Protocol):
    """Bytes that have come, until they are read."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.has_ended = False
        """The other side has closed it."""
        self._trouble: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._is_paused = False

    @property
    def has_news(self) -> bool:
        return bool(self._bytes) or self.has_ended

    async def read(self, most: int) -> bytes:
        """Give what there is, waiting for something if there is nothing; b"" at the end."""
        if not self.has_news:
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        if not self._bytes and self._trouble is not None:
            raise self._trouble
        taken = bytes(self._bytes[:most])
        del self._bytes[:most]
        if self._is_paused and len(self._bytes) <= HELD_BACK:
            self._is_paused = False
            self.transport.resume_reading()
        return taken

    async def start_tls(self, context: ssl.SSLContext, server_hostname: str | None) -> None:
        tcp = self.transport
        try:
            secured = await asyncio.get_running_loop().start_tls(
                tcp, self, context, server_hostname=server_hostname
            )
        except BaseException:
            tcp.abort()
            await asyncio.sleep(0)
            raise
        if secured is None:
            raise ConnectionResetError("the connection was closed in the TLS handshake")
        self.transport = secured

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        if len(self._bytes) > HELD_BACK and not self._is_paused:
            self._is_paused = True
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self.has_ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self.has_ended = True
        self._trouble = exc
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)
