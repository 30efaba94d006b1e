"""Cookies stay with their site, and their number bounded."""

from http.cookiejar import CookieJar
from pathlib import Path

import httpx
import pytest

from adaptive_crawl.crawler.errors import UsageError
from adaptive_crawl.crawler.fetching.cookies import PER_DOMAIN, SiteCookies, load


def set_by(url: str, *cookies: str, jar: CookieJar | None = None) -> httpx.Cookies:
    """A jar after an answer from this URL that set these cookies."""
    jar = SiteCookies() if jar is None else jar
    kept = httpx.Cookies(jar)
    headers = [("Set-Cookie", cookie) for cookie in cookies]
    kept.extract_cookies(httpx.Response(200, headers=headers, request=httpx.Request("GET", url)))
    return kept


def sent_to(url: str, kept: httpx.Cookies) -> str:
    request = httpx.Request("GET", url)
    kept.set_cookie_header(request)
    return str(request.headers.get("cookie", ""))


def test_a_cookie_goes_back_to_its_host_and_to_no_other() -> None:
    kept = set_by("https://docs.mill.example/a", "s=1; Path=/")
    assert sent_to("https://docs.mill.example/b", kept) == "s=1"
    assert sent_to("https://other.mill.example/", kept) == ""
    assert sent_to("https://evil.example/", kept) == ""


def test_a_cookie_for_the_own_domain_goes_to_its_hosts() -> None:
    kept = set_by("https://www.mill.example/", "s=1; Domain=mill.example; Path=/")
    assert sent_to("https://docs.mill.example/", kept) == "s=1"


@pytest.mark.parametrize(
    ("url", "domain", "neighbour"),
    [
        ("https://a.github.io/", "github.io", "https://b.github.io/"),
        ("https://a.co.uk/", "co.uk", "https://b.co.uk/"),
        ("https://a.example/", "b.example", "https://b.example/"),
    ],
)
def test_a_cookie_for_more_than_the_own_domain_is_not_kept(url: str, domain: str, neighbour: str) -> None:
    kept = set_by(url, f"s=1; Domain={domain}; Path=/")
    assert sent_to(neighbour, kept) == ""
    assert sent_to(url, kept) == ""


def test_a_secure_cookie_is_not_sent_in_the_open() -> None:
    kept = set_by("https://mill.example/", "s=1; Secure; Path=/")
    assert sent_to("http://mill.example/", kept) == ""


def test_a_site_that_sets_cookies_without_end_gets_so_many_kept() -> None:
    jar = SiteCookies()
    for number in range(PER_DOMAIN * 3):
        kept = set_by(f"https://mill.example/{number}", f"c{number}=1; Path=/", jar=jar)
    assert len(jar) == PER_DOMAIN
    set_by("https://mill.example/", "c0=changed; Path=/", jar=jar)
    assert "c0=changed" in sent_to("https://mill.example/", kept)


def test_a_huge_cookie_is_not_kept() -> None:
    assert len(set_by("https://mill.example/", "c=" + "x" * 5000).jar) == 0


def test_cookies_come_from_a_file_as_curl_and_browsers_write_it(tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    file.write_text(
        "# Netscape HTTP Cookie File\n"
        ".mill.example\tTRUE\t/\tFALSE\t4102444800\tsession\tabc\n"
        "#HttpOnly_docs.mill.example\tFALSE\t/\tTRUE\t0\tlogin\txyz\n"
        ".mill.example\tTRUE\t/\tFALSE\t946684800\told\tgone\n"
    )
    jar = SiteCookies()
    load(jar, str(file))
    assert sent_to("https://docs.mill.example/", httpx.Cookies(jar)) in (
        "session=abc; login=xyz",
        "login=xyz; session=abc",
    )
    assert sent_to("https://other.example/", httpx.Cookies(jar)) == ""


@pytest.mark.parametrize("content", [None, "session=abc", "\xff\xfe"])
def test_a_file_that_holds_no_cookies_is_named(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "cookies.txt"
    if content is not None:
        file.write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError, match=r"cookies\.txt"):
        load(SiteCookies(), str(file))
