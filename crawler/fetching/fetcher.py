"""URL → answer: one exchange over httpx, bounded in time and size.

Whatever a server does is a value (``Response``, ``Redirect`` or ``Failure``), never an exception. Follows
no redirect, waits for no turn and tries nothing twice: those decisions are made elsewhere, from what an
``Exchange`` tells. The only place that stamps a time on what was fetched.
"""

import asyncio
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from typing import Annotated

import httpx
from annotated_types import Ge, Gt

from adaptive_crawl import __version__

from .. import urls
from ..errors import UsageError
from . import coding, cookies
from .addresses import AddressRules
from .credentials import Credentials, origins
from .exchange import ERRORS, Attempt, Exchange, Takes, Wanted, failed, take, timed_out
from .network import Names, Proxies, Resolve, Transport, resolve_by_system

PROJECT_URL = "https://pypi.org/project/adaptive-crawl/"

ACCEPT = "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5"

LONGEST_CONNECT = 10.0
"""Seconds for one address to take the connection: a host that lives does so in less than one."""


@dataclass(frozen=True, slots=True)
class FetchConfig:
    """How one URL is fetched."""

    user_agent: str = ""
    """Name that sites see and robots.txt is matched with; empty: adaptive-crawl and its version."""
    contact: str = ""
    """URL or mail address added to the User-Agent, so that a site's operator can reach you."""
    timeout: Annotated[float, Gt(0)] = 30.0
    """Seconds for one request from connecting to the last byte, so that no slow drip holds up the crawl."""
    max_redirects: Annotated[int, Ge(0)] = 10
    """Redirects followed in a row."""
    max_body_bytes: Annotated[int, Gt(0)] = 10_000_000
    """Largest body taken, in decoded bytes; a small file can decode to gigabytes."""
    retries: Annotated[int, Ge(0)] = 2
    """Further attempts after failures that pass: no connection, silence, a cut body, 429, 5xx."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent to the seeds' own origins only; a value may be ${VAR}, so that secrets stay in the environment."""
    downloads: tuple[str, ...] = ()
    """Media types kept as files, as application/pdf or image/*; pages link to the others."""
    allow_private: bool = False
    """Allow hosts at private and loopback addresses; a private seed allows only its own host and port."""
    proxy: str = ""
    """URL of an HTTP proxy; empty: from HTTP_PROXY, HTTPS_PROXY and NO_PROXY; none: direct connections."""
    http2: bool = True
    """Speak HTTP/2 with servers that offer it; false for a server whose HTTP/2 is broken."""
    verify_tls: bool = True
    """Check certificates; false only for a test server of your own."""
    ca_bundle: str = ""
    """PEM file of certificate authorities to trust besides the usual ones, as a company's."""
    client_certificate: str = ""
    """PEM file with a certificate and its key, for sites that ask for one."""
    cookie_file: str = ""
    """Cookies in Netscape format, for pages behind a login."""
    netrc: str = ""
    """File of logins by host, used for the seeds' hosts only."""

    def __post_init__(self) -> None:
        for name in ("user_agent", "contact"):
            if not re.fullmatch(r"[\x20-\x7e]*", getattr(self, name)):
                raise ValueError(f"fetch.{name} must be printable ASCII: it is sent as a header")
        for number, (name, value) in enumerate(self.headers.items(), 1):
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                # Not to be shown: with a colon in the wrong place, the name may hold what is secret.
                raise ValueError(f"fetch.headers: the name of header {number} is none that HTTP allows")
            if not re.fullmatch(r"[\t\x20-\x7e]*", value):
                raise ValueError(f"fetch.headers.{name} must be one line of ASCII text")

    @property
    def agent(self) -> str:
        """The whole ``User-Agent``: ``adaptive-crawl/1.0 (+https://…)``."""
        name = self.user_agent or f"adaptive-crawl/{__version__}"
        if self.contact:
            return f"{name} (+{self.contact})"
        return name if self.user_agent else f"{name} (+{PROJECT_URL})"


class Fetcher:
    """Fetches URLs over one set of connections; close it with ``async with`` or :meth:`aclose`."""

    def __init__(
        self,
        config: FetchConfig,
        *,
        seeds: Sequence[str] = (),
        wanted: Wanted = lambda media_type: True,
        key: Callable[[str], str] = urls.canonicalize,
        transport: httpx.AsyncBaseTransport | None = None,
        resolve: Resolve = resolve_by_system,
        kept_alive: int = 20,
    ) -> None:
        """
        Args:
            seeds: what the user named, user and password included: only their origins get
                ``config.headers`` and credentials, and only they may be private.
            wanted: asked with the media type when the headers have come; a body that is not wanted is not
                read. Bodies without a telling type are always read.
            key: gives ``Redirect.target_key``.
            transport: used instead of an own one, and left open; it decides whom it talks to.
            resolve: host name → addresses.
            kept_alive: idle connections kept for further requests.

        Raises:
            UsageError: a file or proxy named in the configuration is of no use.
        """
        self._config = config
        self._wanted = wanted
        self._key = key
        self._credentials = Credentials(seeds, config.headers, config.netrc)
        self._proxies = Proxies(config.proxy)
        self._own_transport = transport is None
        self._transport = transport or self._new_transport(seeds, resolve, kept_alive)
        self._cookies = httpx.Cookies(_jar(config))
        self._timeout = httpx.Timeout(None, connect=min(LONGEST_CONNECT, config.timeout)).as_dict()
        self._headers = {
            "User-Agent": config.agent,
            "Accept": ACCEPT,
            "Accept-Encoding": coding.offered(),
        }

    async def __aenter__(self) -> "Fetcher":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections; a transport that was passed in stays open."""
        if self._own_transport:
            await self._transport.aclose()

    @property
    def uses_proxy(self) -> bool:
        """Whether hosts other than this machine are reached through a proxy, which resolves their names."""
        return bool(self._proxies)

    async def fetch(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        at_most: int | None = None,
        any_type: bool = False,
    ) -> Exchange:
        """Send one GET request and take in the answer.

        Args:
            url: absolute http or https URL; user and password in it are not sent.
            headers: sent besides the usual ones, as ``If-None-Match``.
            at_most: take so many bytes of the body and leave the rest; by default a body longer than
                ``max_body_bytes`` is a failure.
            any_type: take in the body whatever its media type.
        """
        attempt = Attempt(url)
        takes = Takes(
            self._key,
            (lambda media_type: True) if any_type else self._wanted,
            self._config.max_body_bytes if at_most is None else at_most,
            cut=at_most is not None,
        )
        try:
            async with asyncio.timeout(self._config.timeout):
                response = await self._send(url, headers or {})
                try:
                    attempt.answered(response)
                    attempt.outcome = await take(response, attempt, takes)
                finally:
                    await response.aclose()
        except TimeoutError:
            attempt.outcome = timed_out(attempt, self._config.timeout)
        except ERRORS as error:
            attempt.outcome = failed(error, attempt)
        return attempt.exchange()

    def _new_transport(self, seeds: Sequence[str], resolve: Resolve, kept_alive: int) -> Transport:
        config = self._config
        if config.ca_bundle or config.client_certificate:
            context = _tls_context(config)  # A wrong file name ends the run now, not each page later.
            tls = lambda: context  # noqa: E731
        else:
            tls = lambda: _tls_context(config)  # noqa: E731
        return Transport(
            names=Names(resolve),
            rules=AddressRules(config.allow_private, _endpoints(seeds)),
            proxies=self._proxies,
            tls=tls,
            kept_alive=kept_alive,
            http2=config.http2,
        )

    async def _send(self, url: str, headers: Mapping[str, str]) -> httpx.Response:
        url, _ = urls.split_userinfo(url)
        origin = urls.origin(url)
        if not origin:
            raise ValueError("no http or https URL with a host")
        own = httpx.Headers(self._headers)
        own.update(headers)
        own.update(self._credentials.of(origin))
        request = httpx.Request("GET", url, headers=own, extensions={"timeout": self._timeout})
        if len(self._cookies.jar):
            self._cookies.set_cookie_header(request)
        # Not through a client: that would resolve redirects itself, and raise for what servers put there.
        response = await self._transport.handle_async_request(request)
        response.request = request
        if "set-cookie" in response.headers:
            self._cookies.extract_cookies(response)
        return response


def _endpoints(seeds: Sequence[str]) -> list[tuple[str, int]]:
    """Give host and port of each seed's origins."""
    own = [httpx.URL(origin) for seed in seeds for origin in origins(urls.split_userinfo(seed)[0])]
    return [(url.raw_host.decode("ascii"), url.port or (443 if url.scheme == "https" else 80)) for url in own]


def _jar(config: FetchConfig) -> CookieJar:
    jar = cookies.SiteCookies()
    if config.cookie_file:
        cookies.load(jar, config.cookie_file)
    return jar


def _tls_context(config: FetchConfig) -> ssl.SSLContext:
    context = httpx.create_ssl_context(verify=config.verify_tls)
    for key, path, load in (
        ("ca_bundle", config.ca_bundle, context.load_verify_locations),
        ("client_certificate", config.client_certificate, context.load_cert_chain),
    ):
        if not path:
            continue
        try:
            load(path)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(f"fetch.{key}: {path} cannot be used: {error.strerror or error}") from error
    return context
