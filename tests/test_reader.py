import hashlib

import pytest

from adaptive_crawl.crawler.model import Download, Failure, FailureKind, Page, Redirect

from .growth import in_proportion
from .reading import AT, URL, answer, outcome, page, stored

TEXT = (
    "Enough words to be read for what they are, on a page that has a text of its own, and then some more. "
    * 2
)


def test_a_page_has_what_a_crawl_needs() -> None:
    body = (
        '<html lang="en-GB"><head><title>Dump - Site</title><meta name="description" content="About  dumps">'
        '<link rel="canonical" href="/dump"></head>'
        '<body><main><h1>Dump</h1><p>Writes <a href="x.html#f">a file</a>.</p>'
    )
    found = outcome(answer(body, headers={"etag": '"1"', "last-modified": "Mon"}))
    assert isinstance(found, Page)
    assert (found.title, found.language, found.description) == ("Dump", "en-gb", "About dumps")
    assert found.markdown == "# Dump\n\nWrites [a file](https://example.org/docs/x.html#f).\n"
    assert [(link.url, link.ref) for link in found.links] == [("https://example.org/docs/x.html", "L1")]
    assert found.passages[0].heading == ("Dump",)
    assert found.digest == hashlib.sha256(found.markdown.encode()).hexdigest()
    assert (found.url, found.key, found.size) == (URL, URL, len(body))
    assert (found.etag, found.last_modified, found.fetched_at) == ('"1"', "Mon", AT)
    assert (found.canonical, found.media_type) == ("https://example.org/dump", "text/html")


def test_unwanted_files_are_failures_and_wanted_ones_downloads() -> None:
    paper = answer(b"%PDF-1.7 rest", "text/html")
    refused = outcome(paper)
    assert isinstance(refused, Failure)
    assert refused.kind is FailureKind.MEDIA_TYPE
    kept = outcome(paper, downloads=("application/pdf",))
    assert isinstance(kept, Download)
    assert kept.media_type == "application/pdf"
    assert kept.digest == hashlib.sha256(b"%PDF-1.7 rest").hexdigest()
    assert isinstance(outcome(answer(b"\x89PNG\r\n\x1a\n", "image/png"), downloads=("image/*",)), Download)


def test_an_empty_body_is_a_failure() -> None:
    found = outcome(answer(b" \n", "text/html"))
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.UNREADABLE


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ('<meta http-equiv="refresh" content="0; url=/new">', TEXT),
        ('<meta http-equiv="refresh" content="5; url=/new">', "This page has moved."),
        ('<noscript><meta http-equiv="refresh" content="0; url=/new"></noscript>', '<div id="app"></div>'),
    ],
)
def test_a_page_that_only_leads_elsewhere_is_a_redirect(head: str, body: str) -> None:
    found = outcome(answer(f"<head>{head}</head><body>{body}"))
    assert isinstance(found, Redirect)
    assert (found.url, found.target) == (URL, "https://example.org/new")
    assert not found.permanent


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ('<meta http-equiv="refresh" content="8; url=/new">', TEXT),
        ('<meta http-equiv="refresh" content="60; url=/new">', "Short."),
        ('<meta http-equiv="refresh" content="0; url=page.html#x">', "Short."),
        ('<meta http-equiv="refresh" content="5">', "Short."),
        (
            '<noscript><meta http-equiv="refresh" content="0; url=/noscript"></noscript>',
            "<h1>短</h1><p>文。</p>",
        ),
    ],
)
def test_a_page_with_something_to_read_stays_one(head: str, body: str) -> None:
    assert isinstance(outcome(answer(f"<head>{head}</head><body>{body}")), Page)


def test_directives_may_come_from_the_header() -> None:
    found = outcome(answer(f"<p>{TEXT}", headers={"x-robots-tag": "noindex"}))
    assert isinstance(found, Page)
    assert found.noindex


def test_a_page_without_text_still_gives_its_links() -> None:
    found = page('<body><a href="/a"><img src="/i.png"></a></body>')
    assert [link.url for link in found.links] == ["https://example.org/a"]


KEPT = {
    "sphinx.html": (
        "Keep objects",
        ["`open(name=None)`", "import shelf\ns = shelf", "> **See also**", "[Part two]"],
    ),
    "docbook.html": (
        "5.2. Vacuum",
        ["[5.2.1. Full vacuum]", "VACUUM [ FULL ] [ table ]", "- `FULL`", "| `delay` | 0 |"],
    ),
    "mkdocs.html": ("Routing", ["# Routing\n", "> **Tip**", "```\nkit serve\n```", "Short."]),
    "docusaurus.html": ("Sidebar", ["export default {\n  a: 1,", "npm run it", "yarn run it", "> **info**"]),
    "manual.html": ("tool-sync(1)", ["## NAME", "tool-sync - Bring", "- --dry-run", "[tool-move(1)]"]),
    "help.html": (
        "页眉",
        ["# 页眉", "[上边距](https://example.org/zh-CN/margin.html)", "仅限文本文档。", "“**插入**”"],
    ),
    "plain.html": ("No main", ["first text", "second text"]),
    "news.html": ("Bridge reopens", ["By [Ann Writer]", "reopened on Monday", "[full report]"]),
}
LEFT_OUT = {
    "sphinx.html": ["index", "Previous topic", "Copyright", "¶", "This Page"],
    "docbook.html": ["Prev", "Next", "Chapter 5", "Home", "5.3. Backup"],
    "mkdocs.html": ["Skip to", "Installing", "Paths in", "Made with", "Edit this", "¶", "\n1\n"],
    "docusaurus.html": [
        "Skip to",
        "Introduction page",
        "Home crumb",
        "Heading in the contents",
        "Copy",
        "Edit this",
    ],
    "manual.html": ["Last updated"],
    "help.html": ["首页", "模块", "目录", "索引", "支持我们"],
    "plain.html": [],
    "news.html": ["section", "Related stories", "Tunnel", "Share this", "Terms", "rights reserved"],
}


@pytest.mark.parametrize("name", KEPT)
def test_the_content_of_a_documentation_page_is_kept_and_its_frame_is_not(name: str) -> None:
    url = "https://example.org/a/b/page.html"
    found = page(stored(name), url=url)
    title, kept = KEPT[name]
    assert title in found.title
    assert [text for text in kept if text not in found.markdown] == []
    assert [text for text in LEFT_OUT[name] if text in found.markdown] == []


@pytest.mark.parametrize("name", ["sphinx.html", "mkdocs.html", "docusaurus.html", "news.html"])
def test_links_of_the_frame_are_followed_all_the_same(name: str) -> None:
    found = page(stored(name))
    assert any(link.boilerplate for link in found.links)
    assert all(link.ref == "" for link in found.links if link.boilerplate)


def test_reading_twice_gives_the_same() -> None:
    assert page(stored("sphinx.html")) == page(stored("sphinx.html"))


@pytest.mark.parametrize(
    ("before", "piece", "times"),
    [
        ("<p>", "*_`[]( ", 20_000),
        ("<p>", "<b>a<br>b</b>", 8_000),
        ("<p>https://e.org/", "(", 50_000),
        ("<p>", "http://a.b/c ", 10_000),
        ("<p>", "\\(", 20_000),
        ("<table>", "<tr><td>a<td>b", 20_000),
        ("<table><tr><td colspan=1000 rowspan=1000>x", "<tr><td>y", 5_000),
        ("", "<div class=sidebar>x", 8_000),
        ("", "<main>x</main>", 8_000),
        ("", "<header>x", 8_000),
        ("", "<details><summary>x", 5_000),
        ("<ul>", "<li><a href=p>link</a> text", 8_000),
        ("<h1>abc</h1><title>", " | ", 40_000),
    ],
)
def test_no_page_takes_time_out_of_proportion(before: str, piece: str, times: int) -> None:
    assert in_proportion(lambda size: outcome(answer("<html><body>" + before + piece * size)), times)
