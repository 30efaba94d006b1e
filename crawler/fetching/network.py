"""The way to the network: names resolved once, addresses checked, connections made to what was checked.

An httpx transport over httpcore's pools. TLS still speaks to the host by its name, since only the TCP
connection is told the address. Knows nothing of pages, robots or waiting.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, cast
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from ..errors import UsageError
from .addresses import AddressRules, is_literal, is_loopback
from .connection import Connections

Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Host name → its IP addresses, the preferred one first; raises OSError."""

REMEMBERED = 300.0
"""Seconds for which a name's addresses are used again, as browsers do whatever the name server says."""

MOST_NAMES = 10_000
"""Names remembered at once; a crawl of more hosts forgets the oldest."""

MOST_ADDRESSES = 4
"""Addresses of one host that are tried: the next ones are hardly better, and time is short."""


class NameNotFound(Exception):
    """A host name that stands for no address; the message says why."""


async def resolve_by_system(host: str) -> Sequence[str]:
    """Ask the system's resolver, hosts file included."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Names:
    """Host names resolved, and remembered for a while."""

    def __init__(self, resolve: Resolve = resolve_by_system) -> None:
        self._resolve = resolve
        self._known: dict[str, tuple[float, list[str]]] = {}

    async def addresses(self, host: str) -> Sequence[str]:
        """Give the addresses of a host, the one that last answered first.

        Raises:
            NameNotFound: there is no such host.
            httpcore.ConnectError: the name servers do not answer just now.
        """
        if is_literal(host):
            return [host]
        until, addresses = self._known.get(host, (0.0, []))
        if time.monotonic() < until:
            return addresses
        addresses = await self._ask(host)
        if len(self._known) >= MOST_NAMES:
            del self._known[next(iter(self._known))]
        self._known[host] = (time.monotonic() + REMEMBERED, addresses)
        return addresses

    def prefer(self, host: str, address: str) -> None:
        """Put an address that answered in front, so that a dead one costs its time only once."""
        _, addresses = self._known.get(host, (0.0, []))
        if address in addresses[1:]:
            addresses.remove(address)
            addresses.insert(0, address)

    async def _ask(self, host: str) -> list[str]:
        try:
            addresses = list(await self._resolve(host))
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN:
                raise httpcore.ConnectError(f"{host} cannot be resolved just now") from error
            raise NameNotFound(f"{host} cannot be resolved: {error.strerror}") from error
        except (OSError, UnicodeError) as error:
            raise NameNotFound(f"{host} cannot be resolved: {error}") from error
        if not addresses:
            raise NameNotFound(f"{host} has no address")
        return addresses


class CheckedConnections(httpcore.AsyncNetworkBackend):
    """Connects to a host at those of its addresses that the rules permit."""

    def __init__(self, names: Names, rules: AddressRules) -> None:
        self._names = names
        self._rules = rules
        self._inner = Connections()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        permitted = self._rules.permitted(host, port, await self._names.addresses(host))[:MOST_ADDRESSES]
        trouble: Exception | None = None
        for address in permitted:
            try:
                stream = await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                trouble = trouble or error
            else:
                self._names.prefer(host, address)
                return stream
        raise trouble or httpcore.ConnectError(f"{host} has no address")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class Proxies:
    """Which proxy a URL is fetched through: a given one, or what the environment names.

    This machine itself is never reached through a proxy, which would take the name for its own machine.
    """

    def __init__(self, proxy: str = "") -> None:
        """``proxy`` is a URL, "" for HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, or "none"."""
        if proxy == "none":
            self._by_scheme: dict[str, str] = {}
        elif proxy:
            self._by_scheme = {"all": _usable(proxy, "fetch.proxy")}
        else:
            named = {scheme: getproxies().get(scheme) for scheme in ("http", "https", "all")}
            self._by_scheme = {
                scheme: _usable(url, f"{scheme.upper()}_PROXY") for scheme, url in named.items() if url
            }
        self._obeys_no_proxy = not proxy

    def __bool__(self) -> bool:
        return bool(self._by_scheme)

    def of(self, url: httpx.URL) -> str:
        """Give the proxy's URL, or "" for a direct connection."""
        proxy = self._by_scheme.get(url.scheme) or self._by_scheme.get("all", "")
        if not proxy or is_loopback(url.raw_host.decode("ascii")):
            return ""
        if self._obeys_no_proxy and proxy_bypass(url.netloc.decode("ascii")):
            return ""
        return proxy


class Transport(httpx.AsyncBaseTransport):
    """Sends requests over kept-alive connections, directly or through a proxy."""

    def __init__(
        self,
        *,
        names: Names,
        rules: AddressRules,
        proxies: Proxies,
        tls: Callable[[], ssl.SSLContext],
        kept_alive: int,
        http2: bool = True,
    ) -> None:
        """
        Args:
            tls: called at the first https request: making a context costs 30 ms.
            http2: speak it with servers that offer it, where no proxy is between.
        """
        self._names = names
        self._rules = rules
        self._proxies = proxies
        self._tls = tls
        self._tls_context: ssl.SSLContext | None = None
        self._kept_alive = kept_alive
        self._http2 = http2
        self._connections = CheckedConnections(names, rules)
        self._pools: dict[tuple[str, str], httpcore.AsyncConnectionPool] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        proxy = self._proxies.of(url)
        if proxy:
            await self._check_before_proxy(url)
        sent = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            answer = await self._pool(url.scheme, proxy).handle_async_request(sent)
        except _HTTPCORE_ERRORS as error:
            raise _as_httpx(error) from error
        body = cast(httpcore.AsyncConnectionInterface, answer.stream)
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(body), extensions=answer.extensions
        )

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    def _pool(self, scheme: str, proxy: str) -> httpcore.AsyncConnectionPool:
        key = (scheme, proxy)
        if key not in self._pools:
            self._pools[key] = self._new_pool(scheme, proxy)
        return self._pools[key]

    def _new_pool(self, scheme: str, proxy: str) -> httpcore.AsyncConnectionPool:
        # How many connections there are at once is the gate's decision, so no pool bounds it again.
        context = self._context() if scheme == "https" else None
        if not proxy and context is not None and self._http2:
            from . import http2  # takes 30 ms, which a site without TLS need not pay

            return http2.Pool(
                ssl_context=context,
                max_keepalive_connections=self._kept_alive,
                keepalive_expiry=KEPT_ALIVE,
                network_backend=self._connections,
            )
        if not proxy:
            return httpcore.AsyncConnectionPool(
                ssl_context=context,
                max_connections=None,
                max_keepalive_connections=self._kept_alive,
                keepalive_expiry=KEPT_ALIVE,
                network_backend=self._connections,
            )
        parsed = httpx.URL(proxy)
        secured = parsed.scheme == "https"
        return httpcore.AsyncHTTPProxy(
            proxy_url=httpcore.URL(
                scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=b"/"
            ),
            proxy_auth=(parsed.username, parsed.password) if parsed.username else None,
            proxy_ssl_context=self._context() if secured else None,
            ssl_context=context,
            max_connections=None,
            max_keepalive_connections=self._kept_alive,
            keepalive_expiry=KEPT_ALIVE,
            network_backend=Connections(),
        )

    def _context(self) -> ssl.SSLContext:
        if self._tls_context is None:
            self._tls_context = self._tls()
        return self._tls_context

    async def _check_before_proxy(self, url: httpx.URL) -> None:
        """Refuse what is private by its address or by our own resolver; other names are the proxy's."""
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            addresses = await self._names.addresses(url.raw_host.decode("ascii"))
        except (NameNotFound, httpcore.ConnectError):
            return
        self._rules.permitted(url.raw_host.decode("ascii"), port, addresses)


KEPT_ALIVE = 15.0
"""Seconds an idle connection is kept; servers close theirs after 5 to 75, and noticing that is free."""


class _Body(httpx.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> Any:
        try:
            async for part in self._stream:
                yield part
        except _HTTPCORE_ERRORS as error:
            raise _as_httpx(error) from error

    async def aclose(self) -> None:
        await self._stream.aclose()


_HTTPCORE_ERRORS = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)


def _as_httpx(error: Exception) -> httpx.TransportError:
    """Give the error that httpx has under the same name."""
    kind: type[httpx.TransportError] = getattr(httpx, type(error).__name__)
    return kind(str(error))


def _usable(proxy: str, named: str) -> str:
    try:
        parsed = httpx.URL(proxy if "://" in proxy else f"http://{proxy}")
        named_as = f"{parsed.scheme}://{parsed.host}"
    except httpx.InvalidURL:
        parsed, named_as = httpx.URL(), "that"
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise UsageError(
            f"{named}: {named_as} is no HTTP proxy; set fetch.proxy to one, or to none for direct connections"
        )
    return str(parsed)
