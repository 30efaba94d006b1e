"""The way to the network: names, addresses, proxies and certificates."""

import asyncio
import base64
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from adaptive_crawl.crawler.errors import UsageError
from adaptive_crawl.crawler.fetching.exchange import Exchange
from adaptive_crawl.crawler.fetching.fetcher import FetchConfig, Fetcher
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.model import Failure, FailureKind

from .hostile import Server, answers, hostile, says

TLS = Path(__file__).parent / "tls"
PUBLIC = "93.184.216.34"

Resolve = Callable[[str], Awaitable[Sequence[str]]]


@pytest.fixture(autouse=True)
def without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def names(asked: list[str] | None = None, **known: Sequence[str]) -> Resolve:
    """A resolver that knows ``mill=["127.0.0.1"]`` as mill.example, and notes what it is asked."""

    async def resolve(host: str) -> Sequence[str]:
        if asked is not None:
            asked.append(host)
        if host.removesuffix(".example") not in known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return known[host.removesuffix(".example")]

    return resolve


def fetch(*urls: str, config: FetchConfig | None = None, **options: Any) -> list[Exchange]:
    async def several() -> list[Exchange]:
        async with Fetcher(config or FetchConfig(), **options) as fetcher:
            return [await fetcher.fetch(url) for url in urls]

    return asyncio.run(several())


def failure(exchange: Exchange) -> Failure:
    assert isinstance(exchange.outcome, Failure), exchange
    return exchange.outcome


# Names and addresses


def test_the_host_stays_what_it_was_called_though_the_connection_goes_to_an_address() -> None:
    with hostile({"/": answers()}) as server:
        url = server.url(host="mill.example")
        [exchange] = fetch(url, seeds=[url], resolve=names(mill=["127.0.0.1"]))
        assert isinstance(exchange.outcome, Response)
        assert server.heard("/")[0].headers["host"] == f"mill.example:{server.port}"


def test_a_name_is_resolved_once() -> None:
    asked: list[str] = []
    with hostile({"/": says(b"HTTP/1.0 200 OK\r\n\r\n")}) as server:
        url = server.url(host="mill.example")
        fetch(url, url, url, seeds=[url], resolve=names(asked, mill=["127.0.0.1"]))
        assert len({heard.connection for heard in server.log}) == 3
    assert asked == ["mill.example"]


def test_an_address_that_does_not_answer_is_passed_over_and_remembered() -> None:
    with hostile({"/": says(b"HTTP/1.0 200 OK\r\n\r\n")}) as server:
        url = server.url(host="mill.example")
        found = ["127.0.0.9", "127.0.0.1"]  # nobody listens at the first
        exchanges = fetch(url, url, seeds=[url], resolve=names(mill=found))
        assert [type(exchange.outcome) for exchange in exchanges] == [Response, Response]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "mill.example", "0x7f000001", "2130706433", "127.1"]
)
def test_a_private_address_that_is_no_seed_is_refused_whatever_it_is_called(host: str) -> None:
    options: dict[str, Any] = {"resolve": names(mill=["127.0.0.1"])} if host.endswith("example") else {}
    with hostile({"/": answers()}) as server:
        [exchange] = fetch(server.url(host=host), seeds=["https://other.example/"], **options)
        assert failure(exchange).kind is FailureKind.ADDRESS
        assert "loopback" in failure(exchange).detail
        assert server.log == []


def test_private_addresses_are_fetched_where_the_user_allows_them() -> None:
    with hostile({"/": answers()}) as server:
        [exchange] = fetch(server.url(), config=FetchConfig(allow_private=True))
        assert isinstance(exchange.outcome, Response)


def test_a_private_seed_opens_no_other_port_of_its_host() -> None:
    with hostile({"/": answers()}) as seed, hostile({"/": answers()}) as database:
        exchanges = fetch(seed.url(), database.url(), seeds=[seed.url()])
        assert isinstance(exchanges[0].outcome, Response)
        assert failure(exchanges[1]).kind is FailureKind.ADDRESS
        assert database.log == []


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), FailureKind.DNS),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), FailureKind.CONNECT),
        (OSError("no resolver"), FailureKind.DNS),
        (UnicodeError("label too long"), FailureKind.DNS),
    ],
)
def test_a_name_that_is_not_found_is_told_from_a_resolver_that_is_away(
    error: Exception, kind: FailureKind
) -> None:
    async def resolve(host: str) -> Sequence[str]:
        raise error

    [exchange] = fetch("http://mill.example/", resolve=resolve)
    assert failure(exchange).kind is kind
    assert "mill.example" in failure(exchange).detail


def test_a_name_without_addresses_is_not_found() -> None:
    [exchange] = fetch("http://mill.example/", resolve=names(mill=[]))
    assert failure(exchange).kind is FailureKind.DNS


# Proxies


def proxied(server: Server, *urls: str, proxy: str | None = None, **options: Any) -> list[Exchange]:
    config = FetchConfig(proxy=server.url("") if proxy is None else proxy)
    return fetch(*urls, config=config, resolve=options.pop("resolve", names()), **options)


def test_a_proxy_is_asked_for_the_whole_url() -> None:
    with hostile({"http://mill.example/a?b=c": answers()}) as proxy:
        [exchange] = proxied(proxy, "http://mill.example/a?b=c")
        assert isinstance(exchange.outcome, Response)


def test_a_proxys_user_and_password_are_sent_to_it() -> None:
    with hostile({"http://mill.example/": answers()}) as proxy:
        proxied(proxy, "http://mill.example/", proxy=proxy.url("").replace("//", "//me:secret@"))
        expected = "Basic " + base64.b64encode(b"me:secret").decode()
        assert proxy.log[0].headers["proxy-authorization"] == expected


@pytest.mark.parametrize(
    ("status", "kind"), [("407 Login", FailureKind.AUTH), ("502 Away", FailureKind.CONNECT)]
)
def test_a_tunnel_that_the_proxy_refuses_is_told(status: str, kind: FailureKind) -> None:
    with hostile({"mill.example:443": answers(b"", status)}) as proxy:
        [exchange] = proxied(proxy, "https://mill.example/")
        assert failure(exchange).kind is kind


def test_the_environment_names_proxies_and_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    with hostile({"http://mill.example/": answers()}) as proxy, hostile({"/": answers()}) as direct:
        monkeypatch.setenv("http_proxy", proxy.url(""))
        monkeypatch.setenv("no_proxy", "internal.example")
        own = direct.url(host="internal.example")
        exchanges = fetch(
            "http://mill.example/", own, seeds=[own], resolve=names(internal=["127.0.0.1"], mill=[PUBLIC])
        )
        assert [type(exchange.outcome) for exchange in exchanges] == [Response, Response]
        assert (len(proxy.log), len(direct.log)) == (1, 1)


def test_the_environments_proxy_can_be_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with hostile({"/": answers()}) as proxy, hostile({"/": answers()}) as direct:
        monkeypatch.setenv("http_proxy", proxy.url(""))
        url = direct.url(host="mill.example")
        fetch(url, seeds=[url], config=FetchConfig(proxy="none"), resolve=names(mill=["127.0.0.1"]))
        assert (len(proxy.log), len(direct.log)) == (0, 1)


def test_this_machine_is_not_reached_through_a_proxy() -> None:
    with hostile({}) as proxy, hostile({"/": answers()}) as direct:
        proxied(proxy, direct.url(), seeds=[direct.url()])
        assert (len(proxy.log), len(direct.log)) == (0, 1)


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://169.254.169.254/", "http://corp.example/"])
def test_a_private_target_is_refused_before_the_proxy_is_asked(url: str) -> None:
    with hostile({url: answers()}) as proxy:
        [exchange] = proxied(proxy, url, resolve=names(corp=["10.0.0.9"]))
        assert failure(exchange).kind is FailureKind.ADDRESS
        assert proxy.log == []


@pytest.mark.parametrize("proxy", ["socks5://localhost:1080", "http://", "http://me:secret@:x"])
def test_a_proxy_of_no_use_ends_the_run_and_shows_no_password(proxy: str) -> None:
    with pytest.raises(UsageError, match=r"fetch\.proxy") as refused:
        Fetcher(FetchConfig(proxy=proxy))
    assert "secret" not in str(refused.value)


# Certificates


def as_server(ask_for_one: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "mill.example.pem")
    if ask_for_one:
        context.load_verify_locations(TLS / "authority.pem")
        context.verify_mode = ssl.CERT_REQUIRED
    return context


TRUSTING: dict[str, Any] = {"ca_bundle": str(TLS / "authority.pem")}


def fetch_securely(context: ssl.SSLContext, host: str = "mill.example", **config: Any) -> Exchange:
    with hostile({"/": answers()}, tls=context) as server:
        url = server.url(host=host)
        resolve = names(mill=["127.0.0.1"], other=["127.0.0.1"])
        [exchange] = fetch(url, seeds=[url], config=FetchConfig(timeout=5, **config), resolve=resolve)
        return exchange


def test_a_server_is_told_and_checked_by_its_name_though_reached_by_its_address() -> None:
    told: list[str | None] = []
    context = as_server()
    context.sni_callback = lambda _socket, name, _context: told.append(name)
    exchange = fetch_securely(context, **TRUSTING)
    assert isinstance(exchange.outcome, Response)
    assert told == ["mill.example"]


def test_a_large_body_comes_through_tls_whole() -> None:
    body = bytes(range(256)) * 20_000
    with hostile({"/": answers(body)}, tls=as_server()) as server:
        url = server.url(host="mill.example")
        config = FetchConfig(**TRUSTING)
        [exchange] = fetch(url, seeds=[url], config=config, resolve=names(mill=["127.0.0.1"]))
    assert isinstance(exchange.outcome, Response)
    assert exchange.outcome.body == body


def test_a_handshake_that_hangs_ends_with_the_time_for_the_request_and_leaves_no_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        [exchange] = fetch(url, seeds=[url], config=FetchConfig(timeout=0.3))
        assert failure(exchange).kind is FailureKind.TIMEOUT


def test_an_ipv6_seed_is_fetched() -> None:
    try:
        with hostile({"/": answers()}, "::1") as server:
            url = server.url(host="[::1]")
            [exchange] = fetch(url, seeds=[url])
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert isinstance(exchange.outcome, Response)


def test_a_certificate_of_an_unknown_authority_is_refused() -> None:
    got = failure(fetch_securely(as_server()))
    assert got.kind is FailureKind.TLS
    assert "certificate" in got.detail


def test_a_certificate_of_another_host_is_refused() -> None:
    got = failure(fetch_securely(as_server(), host="other.example", **TRUSTING))
    assert got.kind is FailureKind.TLS
    assert "other.example" in got.detail


def test_certificates_are_not_checked_where_the_user_says_so() -> None:
    assert isinstance(fetch_securely(as_server(), verify_tls=False).outcome, Response)


def test_a_client_certificate_is_shown_to_a_server_that_asks() -> None:
    shown = {"client_certificate": str(TLS / "client.pem"), **TRUSTING}
    assert isinstance(fetch_securely(as_server(ask_for_one=True), **shown).outcome, Response)
    assert isinstance(fetch_securely(as_server(ask_for_one=True), **TRUSTING).outcome, Failure)


def test_a_server_that_speaks_no_tls_is_no_page() -> None:
    with hostile({"/": answers()}) as server:
        url = server.url().replace("http:", "https:")
        [exchange] = fetch(url, seeds=[url], config=FetchConfig(timeout=0.5))
        assert failure(exchange).kind in (FailureKind.TLS, FailureKind.TIMEOUT)


@pytest.mark.parametrize("key", ["ca_bundle", "client_certificate", "cookie_file", "netrc"])
def test_a_file_that_is_not_there_ends_the_run_at_once_and_names_its_key(key: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=rf"fetch\.{key}: .*nothing\.here"):
        Fetcher(FetchConfig(**{key: str(tmp_path / "nothing.here")}), seeds=["https://mill.example/"])  # type: ignore[arg-type]


def test_logins_come_from_a_netrc_file_for_seeds_alone(tmp_path: Path) -> None:
    logins = tmp_path / "netrc"
    logins.write_text("machine mill.example login me password secret\ndefault login any password one\n")
    config = FetchConfig(netrc=str(logins), allow_private=True)
    resolve = names(mill=["127.0.0.1"], other=["127.0.0.1"])
    with hostile({"/": answers()}) as server:
        urls = [server.url(host="mill.example"), server.url(host="other.example")]
        fetch(*urls, seeds=urls[:1], config=config, resolve=resolve)
        assert server.log[0].headers["authorization"] == "Basic bWU6c2VjcmV0"
        assert "authorization" not in server.log[1].headers


def test_cookies_of_a_file_are_sent_to_their_site(tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    file.write_text("# Netscape HTTP Cookie File\nmill.example\tFALSE\t/\tFALSE\t0\tsession\tabc\n")
    config = FetchConfig(cookie_file=str(file), allow_private=True)
    with hostile({"/": answers()}) as server:
        own, other = server.url(host="mill.example"), server.url(host="other.example")
        fetch(own, other, config=config, resolve=names(mill=["127.0.0.1"], other=["127.0.0.1"]))
        assert server.log[0].headers["cookie"] == "session=abc"
        assert "cookie" not in server.log[1].headers


def test_cookies_are_sent_back_to_their_site() -> None:
    with hostile({"/": answers(set_cookie="s=1; Path=/"), "/a": answers()}) as server:
        fetch(server.url("/"), server.url("/a"), seeds=[server.url()])
        assert server.heard("/a")[0].headers["cookie"] == "s=1"


def test_a_login_follows_its_host_from_http_to_https_and_nowhere_else() -> None:
    from adaptive_crawl.crawler.fetching.credentials import Credentials

    own = Credentials(["http://me:secret@mill.example/docs"], {"X-Key": "k"})
    assert own.of("https://mill.example") == own.of("http://mill.example")
    assert own.of("https://mill.example:8443") == {}
    assert own.of("https://www.mill.example") == {}
    assert Credentials(["https://mill.example"], {"X-Key": "k"}).of("http://mill.example") == {}
    assert "secret" not in repr(own)
