"""Where indexes are looked for."""

from adaptive_crawl.crawler.indexes import Declared, Source, declared, places
from adaptive_crawl.crawler.reading.tree import Tree

START = "https://example.com/"


def urls(robots: str = "", start: str = START, page: Declared | None = None) -> list[str]:
    return [place.url for place in places(robots, start, page or Declared())]


def test_robots_txt_names_the_sitemaps_and_then_no_other_is_guessed() -> None:
    robots = "User-agent: *\nDisallow: /x\nSitemap: https://example.com/s1.xml\r\nSITEMAP : /s2.xml # second\rsitemap:https://cdn.example/s3.xml\n"
    assert urls(robots) == [
        "https://example.com/llms.txt",
        "https://example.com/s1.xml",
        "https://example.com/s2.xml",
        "https://cdn.example/s3.xml",
    ]


def test_without_them_the_customary_names_are_tried_in_the_first_folder_and_at_the_root() -> None:
    assert urls() == ["https://example.com/llms.txt", "https://example.com/sitemap.xml"]
    assert urls(start="https://example.com/project/guide/index.html") == [
        "https://example.com/project/llms.txt",
        "https://example.com/llms.txt",
        "https://example.com/project/sitemap.xml",
        "https://example.com/sitemap.xml",
    ]
    assert urls(start="https://example.com/page") == urls()
    assert urls(start="not a url") == []


def test_what_is_named_is_certain_and_what_is_guessed_is_not() -> None:
    found = places("Sitemap: /s.xml", START, Declared(feeds=("https://example.com/feed",)))
    assert [(place.source, place.certain) for place in found] == [
        (Source.LLMS_TXT, False),
        (Source.SITEMAP, True),
        (Source.FEED, True),
    ]


def test_places_are_bounded_and_each_is_named_once() -> None:
    robots = "".join(f"Sitemap: /s{n}.xml\n" for n in range(1000)) + "Sitemap: /s0.xml\n"
    assert len(urls(robots)) == 17


def test_a_page_declares_feeds_sitemaps_and_its_markdown() -> None:
    page = """<head>
        <link rel="sitemap" type="application/xml" href="/sitemap-index.xml">
        <link rel="alternate" type="application/rss+xml" title="Blog" href="/feed">
        <link rel="alternate" type="application/rss+xml" title="Blog: Comments" href="/all">
        <link rel="alternate" type="application/rss+xml" title="Blog" href="/comments/feed">
        <link rel="Alternate" type="application/atom+xml; charset=utf-8" href="atom.xml">
        <link rel="alternate" type="text/markdown" href="page.md">
        <link rel="alternate" type="text/plain" href="/llms.txt">
        <link rel="alternate" type="application/json+oembed" href="/oembed">
        <link rel="alternate" hreflang="fr" href="/fr/">
        <link rel="stylesheet" type="text/css" href="/style.css">
        <link rel="alternate" type="application/rss+xml" href="">
        </head>"""
    assert declared(Tree(page), "https://example.com/docs/page") == Declared(
        sitemaps=("https://example.com/sitemap-index.xml",),
        llms_txt=("https://example.com/llms.txt",),
        feeds=("https://example.com/feed", "https://example.com/docs/atom.xml"),
        markdown="https://example.com/docs/page.md",
    )


def test_the_link_header_counts_as_well() -> None:
    header = (
        '<page.md>; rel="alternate"; type="text/markdown", </llms.txt>; rel="llms-txt", </a>; rel=next, <b'
    )
    assert declared(Tree("<p>x</p>"), "https://example.com/docs/page", header) == Declared(
        llms_txt=("https://example.com/llms.txt",), markdown="https://example.com/docs/page.md"
    )


def test_a_hostile_header_takes_no_time() -> None:
    assert declared(Tree("<p>"), START, "<" * 100_000) == Declared()
    assert declared(Tree("<p>"), START, "<a>" + "; a=b" * 100_000 + " !") == Declared()
