"""HTTP/2, where a server offers it in the TLS handshake, over httpcore's connection made safe for a crawler.

A crawler leaves bodies unread: a file that nobody wants, a page over the limit, an answer that drips. Over
HTTP/1.1 that closes the connection. Here the stream is called off, and what had come of it is given back to
the connection's window, or a few abandoned files would stop all others. And a connection that is broken or
silent is not used again, whatever else it was used for. Knows nothing of what is asked for.
"""

import ssl
from contextlib import suppress

import h2.errors
import h2.events
import h2.exceptions
import httpcore


class Pool(httpcore.AsyncConnectionPool):
    """Connections without a proxy that speak HTTP/2 with servers that do."""

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext,
        max_keepalive_connections: int,
        keepalive_expiry: float,
        network_backend: httpcore.AsyncNetworkBackend,
    ) -> None:
        super().__init__(
            ssl_context=ssl_context,
            max_connections=None,
            max_keepalive_connections=max_keepalive_connections,
            keepalive_expiry=keepalive_expiry,
            http2=True,
            network_backend=network_backend,
        )

    def create_connection(self, origin: httpcore.Origin) -> httpcore.AsyncConnectionInterface:
        return _Connection(
            origin=origin,
            ssl_context=self._ssl_context,
            keepalive_expiry=self._keepalive_expiry,
            http2=True,
            network_backend=self._network_backend,
        )


class _Connection(httpcore.AsyncHTTPConnection):
    """One connection, of the version that the handshake brings."""

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        async with self._request_lock:
            if self._connection is None:
                try:
                    stream = await self._connect(request)
                except BaseException:
                    self._connect_failed = True
                    raise
                tls = stream.get_extra_info("ssl_object")
                speaks_http2 = tls is not None and tls.selected_alpn_protocol() == "h2"
                kind = Http2Connection if speaks_http2 else httpcore.AsyncHTTP11Connection
                self._connection = kind(self._origin, stream, self._keepalive_expiry)
        return await super().handle_async_request(request)


class Http2Connection(httpcore.AsyncHTTP2Connection):
    """Many requests on one connection, each of which may be left before its end."""

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        try:
            return await super().handle_async_request(request)
        except httpcore.ConnectionNotAvailable:
            raise
        except BaseException:
            # Silence is known by its being cancelled, and a connection that is silent once stays so.
            self._connection_error = True
            raise

    def has_expired(self) -> bool:
        """Idle for too long, or ended by the server meanwhile."""
        return super().has_expired() or (self.is_idle() and self._network_stream.get_extra_info("has_ended"))

    async def _write_outgoing_data(self, request: httpcore.Request) -> None:
        # A server may close as soon as it has sent all, while we still thank it for each part: whether the
        # answer had come whole, reading tells.
        with suppress(httpcore.WriteError):
            await super()._write_outgoing_data(request)

    async def _receive_stream_event(
        self, request: httpcore.Request, stream_id: int
    ) -> h2.events.ResponseReceived | h2.events.DataReceived | h2.events.StreamEnded:
        try:
            return await super()._receive_stream_event(request, stream_id)
        except httpcore.RemoteProtocolError as error:
            raise _in_words(error) from error
        except h2.exceptions.ProtocolError as error:
            self._connection_error = True
            raise httpcore.RemoteProtocolError(f"HTTP/2: {error}") from error

    async def _response_closed(self, stream_id: int) -> None:
        await self._call_off(stream_id)
        await super()._response_closed(stream_id)

    async def _call_off(self, stream_id: int) -> None:
        """Tell the server that the rest of an answer is not wanted; nothing where it had come whole."""
        untaken = [event for event in self._events[stream_id] if isinstance(event, h2.events.DataReceived)]
        length = sum(event.flow_controlled_length or 0 for event in untaken)
        with suppress(h2.exceptions.ProtocolError, httpcore.WriteError):
            if length:
                self._h2_state.acknowledge_received_data(length, stream_id)
            if self._is_open(stream_id):
                self._h2_state.reset_stream(stream_id, h2.errors.ErrorCodes.CANCEL)
            # Whole frames at once, and without waiting: nobody else's can come between.
            await self._network_stream.write(self._h2_state.data_to_send())

    def _is_open(self, stream_id: int) -> bool:
        stream = self._h2_state.streams.get(stream_id)
        return stream is not None and not stream.closed


def _in_words(error: httpcore.RemoteProtocolError) -> Exception:
    """What a server's hanging up means: like a closed HTTP/1.1 connection, and not that it talks nonsense."""
    match error.args[0] if error.args else None:
        case h2.events.StreamReset(error_code=code):
            return httpcore.ReadError(f"the server called the stream off: {_name(code)}")
        case h2.events.ConnectionTerminated(error_code=code):
            return httpcore.ReadError(f"the server ended the connection: {_name(code)}")
        case "Server disconnected":
            return httpcore.ReadError("the server closed the connection")
    return error


def _name(code: object) -> str:
    return getattr(code, "name", str(code))
