"""One exchange, with servers that do their worst: whatever they do is a value, in bounded time and memory."""

import asyncio
import tracemalloc
import zlib
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from adaptive_crawl.crawler.fetching import coding
from adaptive_crawl.crawler.fetching import exchange as exchange_module
from adaptive_crawl.crawler.fetching.exchange import Exchange
from adaptive_crawl.crawler.fetching.fetcher import FetchConfig, Fetcher
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.model import Failure, FailureKind, Redirect

from .hostile import (
    Script,
    answers,
    bomb,
    drips,
    gzipped,
    hangs,
    hostile,
    page,
    pours,
    resets,
    says,
)
from .website import Website
from .website import page as toy_page

CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
UNBOUNDED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def fetched(script: Script, path: str = "/", config: FetchConfig | None = None, **options: Any) -> Exchange:
    """What fetching one page from a server with this script gives."""
    with hostile({path: script}) as server:
        return fetch(server.url(path), config, **options)


def fetch(url: str, config: FetchConfig | None = None, **options: Any) -> Exchange:
    seeds = options.pop("seeds", [url])
    made = {name: options.pop(name) for name in ("wanted", "transport", "resolve") if name in options}

    async def once() -> Exchange:
        async with Fetcher(config or FetchConfig(timeout=5), seeds=seeds, **made) as fetcher:
            return await fetcher.fetch(url, **options)

    return asyncio.run(once())


def response(exchange: Exchange) -> Response:
    assert isinstance(exchange.outcome, Response), exchange
    return exchange.outcome


def trouble(exchange: Exchange) -> Failure:
    assert isinstance(exchange.outcome, Failure), exchange
    assert "\n" not in exchange.outcome.detail
    return exchange.outcome


def test_an_answer_carries_what_a_reader_needs() -> None:
    got = response(
        fetched(answers(page(), content_type='TEXT/HTML; Charset="GB2312"', etag='"7"', server="mill/1"))
    )
    assert (got.status, got.media_type, got.charset) == (200, "text/html", "gb2312")
    assert got.headers == {"content-type": 'TEXT/HTML; Charset="GB2312"', "etag": '"7"'}
    assert got.body == page()
    assert len(got.fetched_at) == 20
    assert got.fetched_at.endswith("Z")


def test_repeated_headers_come_joined() -> None:
    sent = b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nX-Robots-Tag: nofollow\r\nContent-Length: 0\r\n\r\n"
    assert response(fetched(says(sent))).headers["x-robots-tag"] == "noindex, nofollow"


def test_a_missing_media_type_is_empty() -> None:
    assert (
        response(fetched(says(UNBOUNDED.replace(b"Content-Type: text/html\r\n", b"") + b"x"))).media_type
        == ""
    )


# Bodies cut short


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(says(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n<p>half"), id="content-length"),
        pytest.param(says(CHUNKED + b"5\r\n<p>ha\r\n"), id="chunks without an end"),
        pytest.param(says(CHUNKED + b"900\r\n<p>half"), id="cut in a chunk"),
        pytest.param(says(CHUNKED + b"zz\r\n<p>half"), id="no chunk at all"),
        pytest.param(resets(UNBOUNDED + b"<p>half"), id="reset"),
        pytest.param(answers(gzipped(page())[:-9], content_encoding="gzip"), id="gzip cut"),
        pytest.param(answers(gzipped(page())[:5], content_encoding="gzip"), id="gzip header cut"),
        pytest.param(answers(b"\x1f", content_encoding="gzip"), id="one byte of gzip"),
        pytest.param(answers(zlib.compress(page())[:-6], content_encoding="deflate"), id="deflate cut"),
        pytest.param(
            answers(gzipped(page())[:12] + b"\xff" * 40, content_encoding="gzip"), id="gzip damaged"
        ),
        pytest.param(answers(page(), "206 Partial Content"), id="a part that was not asked for"),
    ],
)
def test_a_body_that_ends_early_is_incomplete(script: Script) -> None:
    got = trouble(fetched(script))
    assert got.kind is FailureKind.INCOMPLETE
    assert got.size >= 0


def test_a_body_longer_than_announced_ends_where_announced() -> None:
    got = response(fetched(says(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef")))
    assert got.body == b"abc"


def test_contradicting_lengths_are_no_answer() -> None:
    sent = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"
    assert trouble(fetched(says(sent))).kind is FailureKind.UNREADABLE


# Content codings


@pytest.mark.parametrize(
    ("sent", "coding"),
    [
        (gzipped(page()), "gzip"),
        (gzipped(page()), "x-gzip"),
        (gzipped(page()), "GZIP"),
        (gzipped(page()[:9]) + gzipped(page()[9:]), "gzip"),
        (gzipped(page()) + b"\0" * 8, "gzip"),
        (zlib.compress(page()), "deflate"),
        (zlib.compress(page())[2:-4], "deflate"),
        (gzipped(page()), "deflate"),
        (gzipped(zlib.compress(page())), "deflate, gzip"),
        (page(), "gzip"),
        (page(), "identity"),
        (b"", "gzip"),
    ],
    ids=[
        "gzip",
        "its old name",
        "capitals",
        "two members",
        "padding",
        "deflate",
        "deflate without its header",
        "deflate that is gzip",
        "one over the other",
        "the header alone",
        "identity",
        "nothing",
    ],
)
def test_a_coded_body_is_decoded(sent: bytes, coding: str) -> None:
    assert response(fetched(answers(sent, content_encoding=coding))).body == (page() if sent else b"")


def test_a_coding_that_was_not_offered_is_unreadable_and_named() -> None:
    got = trouble(fetched(answers(b"\x1f\x9d...", content_encoding="compress")))
    assert got.kind is FailureKind.UNREADABLE
    assert "compress" in got.detail


def test_only_codings_that_can_be_undone_are_offered() -> None:
    with hostile({"/": answers()}) as server:
        fetch(server.url())
        offered = server.heard("/")[0].headers["accept-encoding"]
    assert offered == coding.offered()
    assert "gzip" in offered


# Bounds


@pytest.mark.parametrize(
    ("sent", "codings"), [(bomb(40), "gzip"), (gzipped(bomb(40)), "gzip, gzip")], ids=["bomb", "in a bomb"]
)
def test_a_bomb_costs_no_more_than_the_limit(sent: bytes, codings: str) -> None:
    assert len(sent) < 50_000
    tracemalloc.start()
    try:
        script = answers(sent, content_encoding=codings)
        got = trouble(fetched(script, config=FetchConfig(max_body_bytes=1_000_000)))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert got.kind is FailureKind.TOO_LARGE
    assert most < 6_000_000


@pytest.mark.parametrize(
    ("head", "chunk"),
    [
        (UNBOUNDED, b"<p>more</p>" * 1000),
        (CHUNKED, b"400\r\n" + b"x" * 1024 + b"\r\n"),
        (UNBOUNDED[:-2] + b"Content-Encoding: gzip\r\n\r\n", gzipped(b"") * 1000),
    ],
    ids=["without length", "chunked", "gzip that decodes to nothing"],
)
def test_a_body_without_end_is_cut_off_at_the_limit(head: bytes, chunk: bytes) -> None:
    got = trouble(fetched(pours(head, chunk), config=FetchConfig(max_body_bytes=200_000)))
    assert got.kind is FailureKind.TOO_LARGE
    assert got.size < 1_000_000


def test_a_body_announced_as_too_large_is_not_read() -> None:
    script = hangs(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n")
    got = trouble(fetched(script))
    assert (got.kind, got.size) == (FailureKind.TOO_LARGE, 0)


def test_a_body_of_just_the_limit_is_taken() -> None:
    config = FetchConfig(max_body_bytes=1000)
    assert len(response(fetched(answers(b"x" * 1000), config=config)).body) == 1000
    assert trouble(fetched(answers(b"x" * 1001), config=config)).kind is FailureKind.TOO_LARGE


def test_a_caller_may_take_the_start_of_a_body_alone() -> None:
    got = response(fetched(pours(UNBOUNDED, b"x" * 1000), at_most=1500))
    assert len(got.body) == 1500


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (hangs(), "no answer within 0.3 s"),
        (drips(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"), "no answer within 0.3 s"),
        (hangs(UNBOUNDED + b"<p>"), "not complete within 0.3 s; 3 bytes"),
        (drips(UNBOUNDED), "not complete within 0.3 s"),
        (drips(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), "no answer within 0.3 s"),
    ],
    ids=["silence", "headers in drops", "silence after the start", "a body in drops", "hints for ever"],
)
def test_a_request_ends_when_its_time_is_over(script: Script, words: str) -> None:
    got = trouble(fetched(script, config=FetchConfig(timeout=0.3)))
    assert got.kind is FailureKind.TIMEOUT
    assert words in got.detail


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X-Many: lines\r\n" * 20_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 300_000 + b"\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.7\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"\0" * 1000 + b"\r\n\r\n",
    ],
    ids=["many headers", "a huge header", "another protocol", "no status", "zeros"],
)
def test_what_is_not_http_is_unreadable(sent: bytes) -> None:
    got = trouble(fetched(says(sent)))
    assert got.kind is FailureKind.UNREADABLE


@pytest.mark.parametrize("script", [resets(), says(b"")], ids=["reset", "closed"])
def test_a_connection_cut_before_the_answer_is_a_connection_trouble(script: Script) -> None:
    exchange = fetched(script)
    assert trouble(exchange).kind is FailureKind.CONNECT
    assert exchange.latency is None


def test_a_refused_connection_is_a_connection_trouble() -> None:
    with hostile({}) as server:
        url = server.url()
    got = trouble(fetch(url))
    assert got.kind is FailureKind.CONNECT
    assert "refused" in got.detail.lower()


# Statuses


@pytest.mark.parametrize(
    ("status", "headers", "kind"),
    [
        ("404 Not Found", {}, FailureKind.HTTP),
        ("500 Oops", {}, FailureKind.HTTP),
        ("999 No", {}, FailureKind.HTTP),
        ("401 Unauthorized", {}, FailureKind.AUTH),
        ("407 Proxy Authentication Required", {}, FailureKind.AUTH),
        ("403 Forbidden", {}, FailureKind.HTTP),
        ("403 Forbidden", {"www_authenticate": "Basic"}, FailureKind.AUTH),
        ("304 Not Modified", {}, FailureKind.HTTP),
        ("300 Multiple Choices", {"location": "/a"}, FailureKind.HTTP),
    ],
)
def test_a_status_that_brings_no_page_is_a_failure(
    status: str, headers: Mapping[str, str], kind: FailureKind
) -> None:
    exchange = fetched(answers(b"", status, **headers))
    assert trouble(exchange).kind is kind
    assert trouble(exchange).status == exchange.status == int(status[:3])


def test_an_answer_not_modified_is_passed_on_to_whoever_asked_for_it() -> None:
    script = answers(b"", "304 Not Modified", etag='"7"')
    got = response(fetched(script, headers={"If-None-Match": '"7"'}))
    assert (got.status, got.body) == (304, b"")


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\nsor", FailureKind.HTTP),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", FailureKind.HTTP),
        (b"HTTP/1.1 302 Found\r\nLocation: ftp://x/\r\nContent-Length: 99\r\n\r\n", FailureKind.REDIRECT),
    ],
)
def test_an_error_is_an_error_though_its_body_hangs(
    head: bytes, kind: FailureKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange_module, "DRAINED_WITHIN", 0.05)
    assert trouble(fetched(hangs(head))).kind is kind


@pytest.mark.parametrize(
    "script",
    [
        resets(b"HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\n"),
        says(b"HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\n"),
    ],
)
def test_an_error_is_an_error_though_its_body_is_cut(script: Script) -> None:
    assert trouble(fetched(script)).status == 404


def test_words_of_a_server_reach_no_terminal_as_commands() -> None:
    script = answers(b"x", content_encoding="\x9b2J", content_type="text/\x9b31m")
    got = trouble(fetched(script))
    assert got.kind is FailureKind.UNREADABLE
    assert got.detail.isprintable()
    assert response(fetched(answers(content_type="text/\x9b31m"))).media_type == ""


def test_what_a_busy_site_says_of_waiting_is_passed_on() -> None:
    exchange = fetched(answers(b"", "429 Too Many Requests", retry_after="7"))
    assert (exchange.status, exchange.retry_after) == (429, "7")
    assert exchange.latency is not None


@pytest.mark.parametrize(
    ("location", "target"),
    [("/b", "/b"), ("b?x=1#part", "/b?x=1"), ("../b", "/b"), ("?page=2", "/a?page=2")],
)
def test_a_redirect_is_told_and_not_followed(location: str, target: str) -> None:
    with hostile({"/a": answers(b"", "301 Moved", location=location), "/b": answers()}) as server:
        exchange = fetch(server.url("/a"))
        assert isinstance(exchange.outcome, Redirect)
        assert exchange.outcome.target == server.url(target)
        assert exchange.outcome.permanent
        assert len(server.log) == 1


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "javascript:alert(1)", "ftp://example.org/", "", "http://"]
)
def test_a_redirect_to_what_cannot_be_fetched_is_a_failure(location: str) -> None:
    got = trouble(fetched(answers(b"", "302 Found", location=location)))
    assert got.kind is FailureKind.REDIRECT


# What is read, and what is not


def test_a_body_of_a_type_that_is_not_wanted_is_not_read() -> None:
    script = hangs(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 99\r\n\r\n")
    got = trouble(fetched(script, wanted=lambda media_type: media_type == "text/html"))
    assert (got.kind, got.size) == (FailureKind.MEDIA_TYPE, 0)
    assert "video/mp4" in got.detail


@pytest.mark.parametrize("declared", ["", "application/octet-stream", "Application/Octet-Stream; x=y"])
def test_a_type_that_says_nothing_is_read_all_the_same(declared: str) -> None:
    assert response(fetched(answers(page(), content_type=declared), wanted=lambda media_type: False)).body


def test_a_caller_may_want_any_type() -> None:
    script = answers(b"User-agent: *", content_type="image/png")
    assert response(fetched(script, wanted=lambda media_type: False, any_type=True)).body


def test_connections_are_used_again_after_pages_errors_and_redirects() -> None:
    scripts = {
        "/": answers(),
        "/none": answers(b"gone", "404 Not Found"),
        "/old": answers(b"moved", "302 Found", location="/"),
    }
    with hostile(scripts) as server:

        async def several() -> None:
            async with Fetcher(FetchConfig(), seeds=[server.url()]) as fetcher:
                for path in ["/", "/none", "/old", "/"]:
                    await fetcher.fetch(server.url(path))

        asyncio.run(several())
        assert {heard.connection for heard in server.log} == {0}


# What is sent


def headers_sent(config: FetchConfig, seed: str = "/") -> Mapping[str, str]:
    with hostile({"/": answers()}) as server:
        fetch(server.url(), config, seeds=[server.url(seed)])
        return server.heard("/")[0].headers


def test_requests_carry_an_honest_name_and_where_to_complain() -> None:
    assert headers_sent(FetchConfig())["user-agent"].startswith("adaptive-crawl/")
    assert "(+https://" in headers_sent(FetchConfig())["user-agent"]
    contact = FetchConfig(contact="mailto:me@example.org")
    assert headers_sent(contact)["user-agent"].endswith("(+mailto:me@example.org)")
    own = FetchConfig(user_agent="Mill/2", contact="https://mill.example")
    assert headers_sent(own)["user-agent"] == "Mill/2 (+https://mill.example)"


def test_the_users_headers_go_to_the_origins_of_seeds_alone() -> None:
    config = FetchConfig(headers={"X-Key": "secret"}, allow_private=True)
    assert headers_sent(config)["x-key"] == "secret"
    with hostile({"/": answers()}) as seed, hostile({"/": answers()}) as other:
        fetch(other.url(), config, seeds=[seed.url()])
        assert "x-key" not in other.heard("/")[0].headers


def test_user_and_password_of_a_seed_are_sent_to_its_origin_and_shown_nowhere() -> None:
    with hostile({"/": answers(b"", "404 Not Found")}, "127.0.0.1") as server:
        seed = server.url().replace("http://", "http://me:s%20cret@")
        exchange = fetch(server.url(), seeds=[seed])
        assert server.heard("/")[0].headers["authorization"] == "Basic bWU6cyBjcmV0"
    assert "cret" not in repr(exchange)


def test_the_users_headers_take_the_place_of_ours_however_they_are_spelled() -> None:
    assert headers_sent(FetchConfig(headers={"accept": "text/markdown"}))["accept"] == "text/markdown"
    with hostile({"/": answers()}) as server:
        fetch(server.url(), FetchConfig(headers={"USER-agent": "mill/1"}))
        assert server.heard("/")[0].headers["user-agent"] == "mill/1"


def test_user_and_password_in_a_link_are_not_sent() -> None:
    with hostile({"/": answers()}) as server:
        fetch(server.url().replace("http://", "http://me:secret@"), seeds=[server.url()])
        assert "authorization" not in server.heard("/")[0].headers


@pytest.mark.parametrize(
    "wrong",
    [
        {"user_agent": "crawl\r\nX-Evil: 1"},
        {"contact": "我@example.org"},
        {"headers": {"X-Key": "a\nb"}},
        {"headers": {"X-Key": "schlüssel"}},
        {"headers": {"X Key": "a"}},
    ],
)
def test_headers_that_cannot_be_sent_are_refused_by_their_key(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"fetch\.(user_agent|contact|headers)"):
        FetchConfig(**wrong)


@pytest.mark.parametrize("url", ["http://", "ftp://example.org/", "not a url", "http://a b/"])
def test_what_is_no_url_is_a_failure(url: str) -> None:
    assert trouble(fetch(url, seeds=[])).kind is FailureKind.INVALID_URL


@pytest.mark.parametrize("path", ["/%7ejoe/a%2Fb?q=a+b&&x=%20", "/~joe/a;b='c'", "/%e4%bd%a0", "/a//b/"])
def test_a_url_is_asked_for_as_it_is_spelled(path: str) -> None:
    with hostile({path: answers()}) as server:
        response(fetch(server.url(path)))
        assert server.log[0].target == path


class Lent(httpx.MockTransport):
    """A transport that remembers whether it was closed."""

    is_closed = False

    async def aclose(self) -> None:
        self.is_closed = True


def test_a_transport_that_was_passed_in_stays_open() -> None:
    site = Website({"/": toy_page("Home", "Hello.")})
    lent = Lent(site.transport().handler)
    assert response(fetch("https://toy.example/", transport=lent)).media_type == "text/html"
    assert not lent.is_closed
