"""URLs: resolution as in browsers, one key for one page."""

import itertools
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler import hosts, urls
from adaptive_crawl.crawler.urls import DropRules, assume_scheme, canonicalize, resolve

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "data" / "urls.yaml").read_text("utf-8"))

RESOLUTIONS = [(base, *case) for base, cases in CASES["resolve"].items() for case in cases]


@pytest.mark.parametrize(("base", "href", "expected"), RESOLUTIONS)
def test_an_href_means_what_browsers_take_it_for(base: str, href: str, expected: str | None) -> None:
    assert resolve(base, href) == expected


@pytest.mark.parametrize("spellings", CASES["same"], ids=lambda group: group[0])
def test_spellings_of_one_page_share_its_key(spellings: list[str]) -> None:
    assert {spelling: canonicalize(spelling) for spelling in spellings} == dict.fromkeys(
        spellings, spellings[0]
    )


@pytest.mark.parametrize("pages", CASES["different"], ids=lambda group: group[0])
def test_pages_that_may_differ_have_different_keys(pages: list[str]) -> None:
    assert len({canonicalize(page) for page in pages}) == len(pages)


@pytest.mark.parametrize("text", CASES["untouched"])
def test_what_cannot_be_fetched_is_its_own_key(text: str) -> None:
    assert canonicalize(text) == text


@pytest.mark.parametrize(("text", "expected"), CASES["typed"])
def test_an_address_typed_without_scheme_is_completed(text: str, expected: str) -> None:
    assert assume_scheme(text) == expected


@pytest.mark.parametrize(("host", "expected"), CASES["sites"])
def test_a_site_is_what_somebody_registered(host: str, expected: str) -> None:
    assert urls.site(f"https://{host}/x") == expected


def test_the_url_as_found_keeps_what_the_key_leaves_out() -> None:
    found = resolve("https://h.test/", "/docs/index.html?b=2&a=%7e&utm_source=x&ref=dev#top")
    assert found == "https://h.test/docs/index.html?b=2&a=%7e&utm_source=x&ref=dev"
    assert canonicalize(found) == "https://h.test/docs/?a=~&b=2&ref=dev"


def test_a_query_is_encoded_as_the_page_is() -> None:
    assert resolve("http://h.test/", "/路?q=数据&x=é a", "gbk") == (
        "http://h.test/%E8%B7%AF?q=%CA%FD%BE%DD&x=%A8%A6%20a"
    )
    assert resolve("http://h.test/", "?q=☕", "gbk") == "http://h.test/?q=%26%239749%3B"
    assert resolve("http://h.test/", "?q=数", "utf-16") == "http://h.test/?q=%E6%95%B0"
    assert resolve("http://h.test/", "?q=数", "no-such-codec") == "http://h.test/?q=%E6%95%B0"


def test_half_a_surrogate_pair_does_no_harm() -> None:
    assert resolve("http://h.test/", "/a\ud800b?\udfff") == "http://h.test/a%EF%BF%BDb?%EF%BF%BD"
    assert resolve("http://h.test/", "http://a\ud800b/") is None


def test_the_parts_of_a_url_are_told() -> None:
    url = "HTTPS://u:p@Docs.Example.com:8443/a/b?x=1#y"
    assert urls.origin(url) == "https://docs.example.com:8443"
    assert urls.authority(url) == "docs.example.com:8443"
    assert urls.host(url) == "docs.example.com"
    assert urls.path(url) == "/a/b"
    assert urls.query(url) == "x=1"
    assert urls.origin("https://example.com:443/") == "https://example.com"
    assert urls.host("http://[0:0::1]:80/x") == "[::1]"
    nothing = "mailto:a@example.com"
    assert not any(part(nothing) for part in (urls.origin, urls.authority, urls.host, urls.path, urls.query))


def test_credentials_are_taken_off_a_seed_and_kept_apart() -> None:
    assert urls.split_userinfo("https://me:s%40cret@h.test/x?y") == ("https://h.test/x?y", "me:s%40cret")
    assert urls.split_userinfo("https://h.test/@x") == ("https://h.test/@x", "")


def test_other_drop_rules_give_other_keys() -> None:
    url = "http://h.test/?utm_source=a&tok=9f8e7d&x_1=b"
    assert canonicalize(url, DropRules(always=("X_*",), sessions=("tok",))) == "http://h.test/?utm_source=a"
    assert (
        canonicalize(url, DropRules(always=(), sessions=())) == "http://h.test/?tok=9f8e7d&utm_source=a&x_1=b"
    )


def test_a_host_too_long_for_any_network_is_no_host() -> None:
    assert resolve("http://h.test/", "http://" + "a" * 3000 + "/") is None
    assert hosts.normalize("1" * 1000) is None


# Laws of the key

PIECES = st.sampled_from(
    [
        *"/\\?#@:.;%[]|^`{}<>'\" \t\n&=+~!$()*,-_aZ09é数",
        *("..", "%2e", "%2F", "%41", "%zz", "%25", "index.html", "user:pw@", ":80", "xn--", "127.1"),
        *("utm_a=1", ";sid=a1f", "jsessionid", "(S(lit3py55t21z5v55vlm25s55))"),
    ]
)
LINKS = st.builds(
    str.__add__,
    st.sampled_from(["", "/", "//", "http://", "https://h.test/", "http://h.test/?", "mailto:"]),
    st.lists(PIECES, max_size=9).map("".join),
)
TEXT = st.text(max_size=8)


@given(LINKS | st.text())
def test_the_key_of_a_key_is_the_key(link: str) -> None:
    key = canonicalize(link)
    assert canonicalize(key) == key


@given(LINKS)
def test_resolving_what_was_resolved_changes_nothing(link: str) -> None:
    url = resolve("https://h.test/a/b", link)
    if url is not None:
        assert resolve("http://other.test/", url) == url
        assert "#" not in url
        assert url.isascii()


@given(LINKS)
def test_a_key_is_a_url_of_the_same_origin(link: str) -> None:
    url = resolve("https://h.test/a/b", link)
    if url is not None:
        assert urls.origin(canonicalize(url)) == urls.origin(url)
        assert resolve("about:blank", canonicalize(url)) is not None


@given(TEXT, st.lists(st.tuples(TEXT, TEXT), max_size=4, unique_by=lambda pair: pair[0]), st.data())
def test_equal_spellings_have_equal_keys(
    name: str, parameters: list[tuple[str, str]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(parameters))
    plain = f"http://h.test/{_quoted(name)}?{_joined(parameters)}"
    respelt = f"HTTP://H.test:80/x/../{_lower_escapes(_quoted(name))}?&{_joined(shuffled)}&utm_id=7#z"
    assert canonicalize(plain) == canonicalize(respelt)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=4), min_size=2, max_size=2, unique=True
    )
)
def test_different_names_keep_different_keys(names: list[str]) -> None:
    first, second = (canonicalize("http://h.test/x" + quote(name, safe="")) for name in names)
    assert first != second


def test_no_two_characters_share_an_escape() -> None:
    keys = [canonicalize(f"http://h.test/a%{code:02X}b") for code in range(256)]
    assert len(set(keys)) == 256
    assert all(a != b for a, b in itertools.pairwise(keys))


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")


def _joined(parameters: list[tuple[str, str]]) -> str:
    return "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in parameters)


def _lower_escapes(text: str) -> str:
    return "".join(c.lower() if i and text[i - 1] == "%" else c for i, c in enumerate(text))
