"""A page as text: readable front matter that no site can forge, and a body."""

import dataclasses
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.model import Kind, Page, Request
from adaptive_crawl.output.document import (
    _as_yaml,
    _dumped,
    document,
    encode,
    is_as_written,
    page_body,
    page_facts,
    parse,
)

from .website import Website, page

SITE = Website({"/a": page("Backups", "Backups are kept for 30 days.", language="en-GB")})
PAGE = SITE.page("/a")
REQUEST = Request(
    *(0, 1, 0, Kind.PAGE, PAGE.url, PAGE.key),
    depth=2,
    referrer="https://toy.example/",
    reason="“about backups”",
    score=0.812345,
    parts=(("relevance", 0.9), ("novelty", 1 / 3)),
)


def written(made: Page = PAGE, request: Request = REQUEST, **said: str | bool) -> str:
    facts = page_facts(made, request, **said)  # type: ignore[arg-type]
    return document(facts, page_body(made, made.markdown))


def titled(title: str) -> Page:
    return dataclasses.replace(PAGE, title=title)


def test_front_matter_says_where_a_page_is_from_and_why_it_is_here() -> None:
    text = written(
        dataclasses.replace(PAGE, etag='W/"1"', last_modified="Wed, 21 Oct 2015 07:28:00 GMT"),
        referrer="https://toy.example/",
        query="how long are backups kept",
    )
    assert (
        text
        == f"""---
source_url: https://toy.example/a
title: Backups
language: en-gb
depth: 2
crawl_time: '2026-01-02T03:04:05Z'
query: how long are backups kept
score: 0.8123
parts: {{relevance: 0.9, novelty: 0.3333}}
reason: “about backups”
referrer: https://toy.example/
digest: sha256:{PAGE.digest}
etag: W/"1"
last_modified: Wed, 21 Oct 2015 07:28:00 GMT
checksum: f63c020c9dcfddac1843336dbba95441
---

# Backups

Backups are kept for 30 days.
"""
    )


def test_no_figure_is_less_than_nothing() -> None:
    text = written(request=dataclasses.replace(REQUEST, score=-0.00001, parts=(("novelty", -0.0),)))
    assert "score: 0.0\nparts: {novelty: 0.0}\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [("30 days", "3 days"), ("Backups\n", "Backup\n"), ("score: 0.8", "score: 0.9"), ("", "x")],
)
def test_a_document_that_somebody_edited_is_told_by_its_checksum(old: str, new: str) -> None:
    text = written()
    assert is_as_written(text)
    assert is_as_written(text.replace("\n", "\r\n"))
    assert not is_as_written(text.replace(old, new, 1))
    assert not is_as_written("# My notes\n")


def test_where_no_strategy_gave_a_reason_the_words_of_the_link_are_it() -> None:
    followed = dataclasses.replace(REQUEST, reason="", anchor="about\n backups")
    assert "reason: link “about backups”\n" in written(request=followed)


def test_without_timestamps_no_time_is_written() -> None:
    assert "crawl_time" in written()
    assert "2026" not in written(timestamps=False)


@pytest.mark.parametrize(
    "title",
    [
        "---\nsource_url: https://evil.test/\n---",
        "a\x85---\x85b",
        "a\u2028---\u2029b",
        "yes",
        "2024-01-01",
        "null",
        "# no comment: 'this' \"title\" {of} [a] & * ! | > % @ `page`",
        "🙂 表情 – 认证指南",
        "long " * 50,
        "\x1b[31mred\x1b[0m \u202egnp.exe",
        "\ud800",
        "",
    ],
)
def test_no_title_forges_front_matter_or_breaks_it(title: str) -> None:
    text = encode(written(titled(title))).decode()
    facts, body = parse(text)
    assert facts["source_url"] == PAGE.url
    assert isinstance(facts["title"], str)
    assert body == PAGE.markdown
    assert sum(line == "---" for line in text.splitlines()) == 2
    assert not any(ord(c) < 0x20 and c != "\n" for c in text)
    assert len(next(line for line in text.split("\n") if line.startswith("title:"))) > len(facts["title"])


def test_titles_in_any_script_are_readable_in_the_file() -> None:
    assert "title: 认证指南 🙂 – Übersicht\n" in written(titled("认证指南 🙂 – Übersicht"))


def test_a_page_without_text_says_so_below_its_front_matter() -> None:
    empty = dataclasses.replace(PAGE, markdown=" \n")
    assert parse(written(empty))[1] == "*This page has no text of its own.*\n"
    described = dataclasses.replace(empty, description="All about backups.")
    assert parse(written(described))[1] == "All about backups.\n"


def test_lines_end_in_one_way_whatever_the_site_sent() -> None:
    sent = dataclasses.replace(PAGE, markdown="a\r\nb\rc\n\n\n")
    assert parse(written(sent))[1] == "a\nb\nc\n"


@pytest.mark.parametrize(
    "text",
    [
        "# No front matter\n",
        "---\nnever: closed\n",
        "---\n- a list\n---\n\nbody\n",
        "---\n{broken: [\n---\n\nbody\n",
        "---\n" + "[" * 5_000 + "\n---\n\nbody\n",
        "---\ndate: 2026-99-99\n---\n\nbody\n",
        "---\n!!python/object/apply:os.system [echo]\n---\n\nbody\n",
        "---\n" + "a: b\n" * 50_000 + "---\n\nbody\n",
    ],
)
def test_what_has_no_valid_front_matter_is_all_body(text: str) -> None:
    assert parse(text) == ({}, text)


def test_a_file_edited_on_windows_is_read_back() -> None:
    assert parse("\ufeff" + written().replace("\n", "\r\n"))[0]["source_url"] == PAGE.url


VALUES = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.integers(-(10**9), 10**9),
    st.booleans(),
    st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.floats(0, 1), min_size=1, max_size=3),
)


@given(
    st.dictionaries(st.from_regex(r"[a-z_]{2,12}", fullmatch=True), VALUES, min_size=1, max_size=6),
    st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1).filter(
        lambda t: t.strip("\n")
    ),
)
def test_what_was_written_is_read_back(facts: dict[str, object], body: str) -> None:
    text = document(facts, body)
    assert parse(text) == (facts, body.strip("\n") + "\n")
    told = yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n"))
    assert told.pop("checksum")
    assert told == facts


TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(
        alphabet=" :#'\"-?,[]{}&*!|>%@`=~yYnNoOeEsStTrRuUlLfFaA0123456789.…“”é保\u2028\x85\xa0\ufeff\ud800",
        max_size=12,
    ),
    st.sampled_from(
        ["Yes", "null", "NO", "a: b", "a #b", "a:", "https://a.example/b?c=d#e", "2025-01-01T00:00:00Z"]
    ),
)


@given(
    st.dictionaries(
        st.one_of(st.sampled_from(["title", "score", "y", "no", "two words", "part_2"]), TEXTS),
        st.one_of(
            *(TEXTS, st.floats(), st.integers(), st.booleans(), st.none()),
            st.dictionaries(TEXTS, st.floats(), max_size=3),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_plain_at_a_glance_is_written_as_the_library_writes_it(facts: dict[str, Any]) -> None:
    assert _as_yaml(facts) == _dumped(facts)
