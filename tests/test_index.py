"""A folder's index: links that work, sources named, and nothing that a site's words could forge."""

from pathlib import PurePosixPath

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from adaptive_crawl.crawler.model import Stop, StopReason
from adaptive_crawl.crawler.reading.anchors import heading_anchor
from adaptive_crawl.output.document import parse
from adaptive_crawl.output.index import (
    Account,
    Below,
    Folder,
    Listed,
    Quoted,
    confidence_word,
    escape,
    folder_index,
    root_index,
)

ROOT = PurePosixPath()
GUIDE = PurePosixPath("guide")
INSTALL = Listed(GUIDE / "install.md", "Install", "“how to install”", 0.8)
STOP = Stop(StopReason.CONFIDENT, "confidence 0.82 of 0.7", {"pages_crawled": 3, "sufficient": 1.0})


def account(**said: object) -> Account:
    stated = {"title": "How?", "query": "How?", "stop": STOP, "confidence": 0.82, "figures": STOP.figures}
    return Account(**{**stated, **said})  # type: ignore[arg-type]


def tokens(markdown: str) -> list[Token]:
    found: list[Token] = []

    def walk(some: list[Token]) -> None:
        for token in some:
            found.append(token)
            walk(token.children or [])

    walk(MarkdownIt("commonmark", {"html": True}).enable("table").parse(parse(markdown)[1]))
    return found


def links(markdown: str) -> list[str]:
    return [str(token.attrs["href"]) for token in tokens(markdown) if token.type == "link_open"]


def test_a_folder_lists_its_pages_folders_and_files_and_leads_back_up() -> None:
    folder = Folder(
        GUIDE,
        pages=[INSTALL],
        files=[Listed(GUIDE / "a b.pdf", "a b.pdf")],
        folders=[Below(GUIDE / "linux", 2, 1)],
        summary=[Quoted(INSTALL, "Install it with pip.")],
    )
    assert (
        folder_index(folder)
        == """---
type: index
title: guide
pages: 3
files: 2
checksum: c304c171be8fad2fa420645f3806d251
---

# guide

Part of [the whole tree](../index.md).

## Summary

- Install it with pip. ([Install](install.md))

## Pages

- [Install](install.md) – score 0.80: “how to install”

## Folders

- [linux/](linux/index.md) – 2 pages, 1 file

## Files

- [a b.pdf](a%20b.pdf)
"""
    )


def test_the_root_answers_first_and_tells_how_sure_it_is_and_why_the_crawl_stopped() -> None:
    answer = Quoted(INSTALL, "Run pip.\n\n```\npip install x\n```", ("Install", "On Linux & macOS"))
    text = root_index(
        Folder(ROOT, folders=[Below(GUIDE, 1, 0)]),
        account(answers=[answer], failed={"http 404": 2, "timeout": 1}, earlier=["What?"]),
    )
    facts, body = parse(text)
    assert facts == {
        "type": "index",
        "title": "How?",
        "query": "How?",
        "stopped_reason": "confident",
        "pages": 1,
        "confidence": 0.82,
        "sufficient": True,
    }
    assert "- **Confidence:** excellent (0.82)\n- **Stopped:** confident: confidence 0.82 of 0.7\n" in body
    assert "- **Asked before:** What?\n" in body
    assert "1. [Install](guide/install.md) › [On Linux & macOS](guide/install.md#on-linux--macos)\n" in body
    assert "   > ```\n   > pip install x\n   > ```\n" in body
    assert "| pages crawled | 3 |\n" in body
    assert "- Failed: 3 (http 404: 2, timeout: 1)\n" in body


def test_without_a_passage_that_bears_on_the_query_the_root_says_so() -> None:
    assert "No passage on these pages speaks of what was asked." in root_index(Folder(ROOT), account())


def test_without_a_query_there_is_no_confidence_and_nothing_is_most_relevant() -> None:
    text = root_index(Folder(ROOT), account(title="h.test", query="", confidence=None))
    assert "onfidence" not in text.replace("confidence 0.82 of 0.7", "")
    assert "Most relevant" not in text


def test_how_long_a_crawl_took_is_not_written_since_it_would_differ_each_time() -> None:
    assert "seconds" not in root_index(Folder(ROOT), account(figures={"seconds": 1.5, "pages_crawled": 1}))


HOSTILE = [
    "](https://evil.test) [x",
    "---\ntype: page\nsource_url: https://evil.test\n---",
    "# Heading\n\n# Another",
    "a | b |\n|---|---|",
    "`code` ``more`` *a* **b** __c__ _d_ ~~e~~",
    "<script>alert(1)</script> <https://evil.test/>",
    "&lt;b&gt; &#35;",
    "![i](https://evil.test/p.png)",
    "[ref]: https://evil.test",
    "1. item",
    "- item",
    "\\",
    "\\](https://evil.test)",
    "\u2028# x\x85---\x0bz",
]


@pytest.mark.parametrize("words", HOSTILE)
def test_no_words_of_a_site_mean_anything_but_themselves(words: str) -> None:
    page = Listed(GUIDE / "p.md", words, words, 0.5)
    folder = Folder(ROOT, [page], [Listed(GUIDE / "f.pdf", words)], [], [Quoted(page, words)])
    text = root_index(
        folder,
        account(
            title=words, query=words, answers=[Quoted(page, words, (words,))], earlier=[words],
            stop=Stop(StopReason.CONFIDENT, words), failed={words: 1},
        ),
    )  # fmt: skip
    assert parse(text)[0]["type"] == "index"
    assert "source_url" not in parse(text)[0]
    # The quote under "Most relevant" is the page's own Markdown, and may show what the page shows.
    outside_quotes = "\n".join(line for line in text.split("\n") if not line.startswith("   >"))
    assert {link.partition("#")[0] for link in links(outside_quotes)} == {"guide/p.md", "guide/f.pdf"}
    kinds = {token.type for token in tokens(outside_quotes)}
    assert kinds.isdisjoint({"html_inline", "html_block", "image", "code_inline", "em_open", "hr", "fence"})
    headings = [token.content for token in tokens(text) if token.level == 1 and token.type == "inline"]
    assert len([token for token in tokens(outside_quotes) if token.type == "heading_open"]) <= 6, headings


@pytest.mark.parametrize("words", HOSTILE)
def test_escaped_words_are_shown_as_they_are(words: str) -> None:
    shown = MarkdownIt("commonmark").parseInline(escape(words))[0].children or []
    assert "".join(token.content for token in shown) == " ".join(words.split()).replace("\x0b", "")


def test_a_quote_cannot_reach_out_of_its_quote() -> None:
    text = root_index(Folder(ROOT), account(answers=[Quoted(INSTALL, "a\n\n# b\r---\x85source_url: x", ())]))
    quoted = text[text.index("1. [Install]") : text.index("## How the crawl")].strip().split("\n")[2:]
    assert quoted
    assert all(line.startswith("   >") for line in quoted)


@pytest.mark.parametrize(
    ("confidence", "word"), [(0.0, "insufficient"), (0.3, "partial"), (0.6, "good"), (0.7, "excellent")]
)
def test_confidence_has_a_word(confidence: float, word: str) -> None:
    assert confidence_word(confidence) == word


def test_anchors_are_those_that_viewers_make_of_headings() -> None:
    assert heading_anchor("What's new in 3.12?") == "whats-new-in-312"
    assert heading_anchor("认证 指南") == "认证-指南"
