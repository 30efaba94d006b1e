"""HTTP/2 with servers that offer it: one connection, and what a crawler does to it."""

import asyncio
from collections.abc import Mapping
from typing import Any

from adaptive_crawl.crawler.fetching.exchange import Exchange
from adaptive_crawl.crawler.fetching.fetcher import FetchConfig, Fetcher
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.model import Failure, FailureKind

from .hostile import answers, hostile
from .http2_server import (
    Http2Server,
    Script,
    http2_server,
    is_silent,
    once,
    resets,
    says_goodbye,
    sends,
    talks_nonsense,
)
from .test_network import TRUSTING, as_server, failure, names

PAGE = b"<p>Oats are milled on Mondays.</p>"
MILL = names(mill=["127.0.0.1"])


def fetched(
    scripts: Mapping[str, Script], *paths: str, config: Mapping[str, Any] | None = None, **options: Any
) -> tuple[list[Exchange], Http2Server]:
    """Ask for one path after the other."""
    with http2_server(scripts, as_server()) as server:

        async def story() -> list[Exchange]:
            own = FetchConfig(**{"timeout": 5, **TRUSTING, **(config or {})})
            async with Fetcher(own, seeds=[server.url()], resolve=MILL, **options) as fetcher:
                return [await fetcher.fetch(server.url(path)) for path in paths]

        return asyncio.run(story()), server


def body(exchange: Exchange) -> bytes:
    assert isinstance(exchange.outcome, Response), exchange
    return exchange.outcome.body


def test_a_server_that_offers_it_is_asked_for_all_over_one_connection() -> None:
    exchanges, server = fetched({"/": sends(PAGE), "/b": sends(b"<p>b")}, "/", "/b", "/none")
    assert [body(exchange) for exchange in exchanges[:2]] == [PAGE, b"<p>b"]
    assert failure(exchanges[2]).status == 404
    assert server.asked == ["/", "/b", "/none"]
    assert server.connections == 1


def test_requests_at_the_same_time_share_the_connection() -> None:
    paths = [f"/{number}" for number in range(12)]
    with http2_server({path: sends(path.encode() * 9000) for path in paths}, as_server()) as server:

        async def story() -> list[Exchange]:
            config = FetchConfig(**TRUSTING)
            async with Fetcher(config, seeds=[server.url()], resolve=MILL) as fetcher:
                return await asyncio.gather(*(fetcher.fetch(server.url(path)) for path in paths))

        exchanges = asyncio.run(story())
    assert [body(exchange) for exchange in exchanges] == [path.encode() * 9000 for path in paths]
    assert server.connections == 1


def test_http_1_is_spoken_with_a_server_that_does_not_offer_it() -> None:
    with hostile({"/": answers(PAGE)}, tls=as_server()) as server:
        url = server.url(host="mill.example")

        async def story() -> Exchange:
            async with Fetcher(FetchConfig(**TRUSTING), seeds=[url], resolve=MILL) as fetcher:
                return await fetcher.fetch(url)

        assert body(asyncio.run(story())) == PAGE


def test_it_is_not_offered_where_the_user_says_so() -> None:
    offered: list[Any] = []

    for http2 in (True, False):
        context = as_server()
        context.set_alpn_protocols(["h2", "http/1.1"])
        with hostile({"/": answers(PAGE)}, tls=context) as server:
            url = server.url(host="mill.example")

            async def story(url: str, http2: bool) -> Exchange:
                config = FetchConfig(timeout=1, http2=http2, **TRUSTING)
                async with Fetcher(config, seeds=[url], resolve=MILL) as fetcher:
                    return await fetcher.fetch(url)

            offered.append(asyncio.run(story(url, http2)).outcome)
    # The server takes HTTP/2 where it is offered, and then cannot speak it.
    assert isinstance(offered[0], Failure)
    assert isinstance(offered[1], Response)


def test_files_that_nobody_wants_do_not_stop_what_comes_after_them() -> None:
    """The window of the whole connection is 16 MB: two such files would fill it."""
    large = sends(bytes(12_000_000), "application/zip")
    exchanges, server = fetched(
        {"/file": large, "/": sends(PAGE)},
        *["/file"] * 4,
        "/",
        wanted=lambda media_type: media_type == "text/html",
    )
    assert [failure(exchange).kind for exchange in exchanges[:-1]] == [FailureKind.MEDIA_TYPE] * 4
    assert body(exchanges[-1]) == PAGE
    assert server.connections == 1


def test_bodies_over_the_limit_do_not_either() -> None:
    large = sends(b"x" * 9_000_000)
    exchanges, server = fetched(
        {"/large": large, "/": sends(PAGE)}, *["/large"] * 5, "/", config={"max_body_bytes": 50_000}
    )
    assert {failure(exchange).kind for exchange in exchanges[:-1]} == {FailureKind.TOO_LARGE}
    assert body(exchanges[-1]) == PAGE
    assert server.connections == 1


def test_the_server_hears_that_the_rest_is_not_wanted() -> None:
    endless = sends(bytes(40_000_000), "application/zip")
    answers = {"/file": endless, "/": sends(PAGE)}
    _, server = fetched(answers, "/file", "/", wanted=lambda media_type: media_type == "text/html")
    assert len(server.called_off) == 1


def test_a_silent_connection_is_not_asked_again() -> None:
    exchanges, server = fetched(
        {"/hang": is_silent, "/": sends(PAGE)}, "/", "/hang", "/", config={"timeout": 0.5}
    )
    assert failure(exchanges[1]).kind is FailureKind.TIMEOUT
    assert body(exchanges[2]) == PAGE
    assert server.connections == 2


def test_a_stream_that_the_server_calls_off_may_be_tried_again() -> None:
    exchanges, _ = fetched({"/": once(resets, sends(PAGE))}, "/", "/")
    assert failure(exchanges[0]).kind is FailureKind.CONNECT
    assert "INTERNAL_ERROR" in failure(exchanges[0]).detail
    assert body(exchanges[1]) == PAGE


def test_a_server_that_talks_nonsense_is_one_failure_and_a_new_connection() -> None:
    exchanges, server = fetched({"/": once(talks_nonsense, sends(PAGE))}, "/", "/")
    assert failure(exchanges[0]).kind is FailureKind.UNREADABLE
    assert body(exchanges[1]) == PAGE
    assert server.connections == 2


def test_a_connection_that_the_server_has_ended_costs_one_attempt_at_most() -> None:
    """The end may be under way while the next request is sent: that one fails as such, and is tried again by
    whoever visits."""
    exchanges, server = fetched({"/": says_goodbye(sends(PAGE))}, "/", "/", "/")
    outcomes = [exchange.outcome for exchange in exchanges]
    lost = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    assert [outcome.kind for outcome in lost] in ([], [FailureKind.CONNECT])
    assert [body(exchange) for exchange in exchanges if exchange.outcome not in lost] == [PAGE] * (
        3 - len(lost)
    )
    assert body(exchanges[0]) == PAGE
    assert server.connections >= 2


def test_addresses_are_checked_as_ever() -> None:
    with http2_server({"/": sends(PAGE)}, as_server()) as server:

        async def story() -> Exchange:
            async with Fetcher(FetchConfig(**TRUSTING), resolve=MILL) as fetcher:
                return await fetcher.fetch(server.url())

        assert failure(asyncio.run(story())).kind is FailureKind.ADDRESS
    assert server.connections == 0
