"""The toy website keeps its promises at its three depths; other tests stand on it."""

import threading

import httpx
import pytest

from adaptive_crawl.crawler.model import Download, Failure, FailureKind, Page, Redirect, RobotsFile

from .website import Website, failure, file, page, raw, redirect, sequence


def toy() -> Website:
    return Website(
        {
            "/": page("Home", "Welcome.\n\n## News\n\nNone.", links={"/a": "backups"}, menu={"/m": "menu"}),
            "/a": page("备份", "保留三十天。", language="zh-CN", charset="gb18030"),
            "/old": redirect("/a", 301),
            "/bad": failure(500),
            "/f.pdf": file(b"%PDF-1.7", "application/pdf"),
            "/r": raw("<h1>é", "text/html; charset=latin-1"),
        },
        robots="User-agent: *\nDisallow: /m\n",
    )


def test_a_path_is_a_value_for_the_core() -> None:
    site = toy()
    home = site.page("/")
    assert [(link.key, link.anchor, link.boilerplate) for link in home.links] == [
        ("https://toy.example/m", "menu", True),
        ("https://toy.example/a", "backups", False),
    ]
    assert [passage.heading for passage in home.passages] == [("Home",), ("Home", "News")]
    assert home.markdown[: home.marks[0].offset].endswith("[backups](https://toy.example/a)")
    redirected = site.outcome("/old")
    assert isinstance(redirected, Redirect)
    assert redirected.target == "https://toy.example/a"
    assert redirected.permanent
    assert isinstance(site.outcome("/f.pdf"), Download)
    failed = site.outcome("/bad")
    assert isinstance(failed, Failure)
    assert failed.status == 500
    robots = site.outcome("/robots.txt")
    assert isinstance(robots, RobotsFile)
    assert robots.status == 200


def test_a_path_is_bytes_for_the_fetcher() -> None:
    site = toy()
    assert "保留三十天" in site.body("/a").decode("gb18030")
    with httpx.Client(transport=site.transport()) as client:
        assert client.get("https://any.example/r").text == "<h1>é"
        assert client.get("https://any.example/nothing").status_code == 404
    assert site.paths == ["/r", "/nothing"]


def test_a_site_is_served_on_loopback_with_a_log() -> None:
    site = toy()
    with site.served() as base_url, httpx.Client(base_url=base_url) as client:
        assert client.get("/a", headers={"X-Who": "me"}).encoding == "gb18030"
        assert client.get("/robots.txt").text.startswith("User-agent")
        assert client.head("/").headers["content-length"] == str(len(site.body("/")))
        assert client.get("/old").headers["location"] == "/a"
        assert isinstance(site.outcome(f"{base_url}/a"), Page)
    assert site.paths == ["/a", "/", "/old"]
    assert site.log[0].headers["x-who"] == "me"
    assert site.log[0].at <= site.log[1].at


def test_an_unchanged_page_answers_304_and_a_changed_one_200() -> None:
    site = toy()
    with site.served() as base_url, httpx.Client(base_url=base_url) as client:
        etag = client.get("/").headers["etag"]
        assert client.get("/", headers={"If-None-Match": etag}).status_code == 304
        site["/"] = page("Home", "Changed.")
        assert client.get("/", headers={"If-None-Match": etag}).status_code == 200
        del site["/"]
        assert client.get("/", headers={"If-None-Match": etag}).status_code == 404


def test_an_answer_is_held_until_the_test_lets_go() -> None:
    site = toy()
    gate = site.hold("/a")
    got: list[int] = []
    with site.served() as base_url:
        asking = threading.Thread(target=lambda: got.append(httpx.get(base_url + "/a").status_code))
        asking.start()
        site.wait_for("/a")
        assert got == []
        gate.set()
        asking.join()
    assert got == [200]


@pytest.mark.parametrize(
    ("kind", "raised"),
    [
        (FailureKind.CONNECT, httpx.RemoteProtocolError),
        (FailureKind.INCOMPLETE, httpx.RemoteProtocolError),
        (FailureKind.TIMEOUT, httpx.ReadTimeout),
    ],
    ids=str,
)
def test_trouble_is_served_too(kind: FailureKind, raised: type[Exception]) -> None:
    site = Website({"/": failure(kind)})
    with site.served() as base_url, pytest.raises(raised):
        httpx.get(base_url, timeout=0.2 if kind is FailureKind.TIMEOUT else 5)


def test_a_sequence_answers_differently_each_time() -> None:
    site = Website({"/": sequence(failure(503, Retry_After="1"), page("Home"))})
    with site.served() as base_url, httpx.Client(base_url=base_url) as client:
        assert client.get("/").headers["retry-after"] == "1"
        assert client.get("/").status_code == 200
        assert client.get("/").status_code == 200
