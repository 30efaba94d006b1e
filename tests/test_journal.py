"""The journal: what was settled is there, whatever happened to the process."""

import json
import pickle
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive_crawl.crawler.errors import DamagedError
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling.journal import Journal, RoundClosed
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.journaling.rows import Settled
from adaptive_crawl.crawler.model import (
    Outcome,
    Page,
    PassedOver,
    Plan,
    Query,
    Request,
    Stop,
    StopReason,
)

from .facts import outcomes, plan, plans, request
from .website import Website, failure, file, page, redirect

SITE = Website(
    {
        "/": page("Home", "Welcome.", links={"/a": "about backups"}),
        "/a": page("Backups", "Backups are kept."),
        "/old": redirect("/a"),
        "/bad": failure(500),
        "/f.pdf": file(b"%PDF-1.7", "application/pdf"),
    }
)
RUN = Run(
    (SITE.url("/"),), Query("backups"), version="1.0", reader="reader 1", started="2026-01-01T00:00:00Z"
)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A new journal with a run begun."""
    with Journal.create(tmp_path / "output") as new:
        new.begin(RUN)
        yield new


def settle(journal: Journal, asked: Request, path: str = "/", body: bytes | None = None) -> Outcome:
    """Settle a request with what the toy site has there."""
    outcome = SITE.outcome(path)
    journal.settle(asked, Visited(outcome, body))
    return outcome


def alter(folder: Path, statement: str, *values: object) -> None:
    """Change a closed journal behind its back."""
    with closing(sqlite3.connect(folder / ".crawl" / "journal.sqlite3")) as database, database:
        database.execute(statement, values)


def copy_as_killed(journal: Journal, folder: Path) -> Path:
    """The files as they are at this instant: what kill -9 leaves behind."""
    shutil.copytree(journal.folder, folder, dirs_exist_ok=True)
    return folder


# Plans and outcomes.


@settings(max_examples=50)
@given(st.data())
def test_what_was_planned_and_settled_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("output")
    planned = [data.draw(plans(round)) for round in range(2)]
    expected: list[Settled | RoundClosed] = []
    with Journal.create(folder) as journal:
        journal.begin(RUN)
        for one in planned:
            journal.plan(one)
            assert journal.open_plan() == one
            settled = [Settled(asked, data.draw(outcomes())) for asked in one.requests]
            for each in data.draw(st.permutations(settled)):
                journal.settle(each.request, Visited(each.outcome))
            journal.close_round(one.round, 1.5)
            expected += [*settled, RoundClosed(one.round, 1.5)]
    with Journal.open(folder) as journal:
        assert list(journal.history()) == expected
        assert journal.open_plan() is None


def test_a_round_that_was_broken_off_is_open_with_all_its_requests(journal: Journal) -> None:
    journal.plan(plan(0, 3))
    last = settle(journal, request(0, 2), "/a")
    first = settle(journal, request(0, 0), "/")
    assert journal.open_plan() == plan(0, 3)
    assert journal.unsettled(0) == [request(0, 1)]
    assert list(journal.settled_in(0)) == [Settled(request(0, 0), first), Settled(request(0, 2), last)]
    assert list(journal.history()) == []


def test_a_request_settles_once(journal: Journal) -> None:
    journal.plan(plan(0, 1))
    first = settle(journal, request(0, 0), "/")
    with pytest.raises(ValueError, match="not open"):
        settle(journal, request(0, 0), "/a")
    with pytest.raises(ValueError, match="not open"):
        settle(journal, request(7, 7), "/a")
    assert [past.outcome for past in journal.settled_in(0)] == [first]


def test_the_order_in_which_outcomes_came_is_kept_too(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal.begin(RUN)
        journal.plan(plan(0, 3))
        settle(journal, request(0, 2))
    with Journal.open(tmp_path) as journal:
        journal.begin(RUN)
        settle(journal, request(0, 0))
        settle(journal, request(0, 1))
    with closing(sqlite3.connect(tmp_path / ".crawl" / "journal.sqlite3")) as database:
        assert database.execute("SELECT rank, settled FROM requests ORDER BY settled").fetchall() == [
            (2, 1),
            (0, 2),
            (1, 3),
        ]


def test_what_a_round_passed_over_can_be_asked_for(journal: Journal) -> None:
    passed = (PassedOver("https://toy.example/b", "to b", 0.4, (("relevance", 0.4),)),)
    journal.plan(replace(plan(0, 1), passed_over=passed))
    assert journal.passed_over(0) == passed
    assert journal.passed_over(7) == ()


def test_the_anchors_of_a_page_can_be_asked_for_alone(journal: Journal) -> None:
    page = replace(SITE.page("/"), anchors=(("csv.reader", "module-contents"),))
    journal.plan(plan(0, 1))
    journal.settle(request(0, 0), Visited(page))
    assert journal.anchors(request(0, 0).key) == page.anchors
    assert journal.anchors("https://toy.example/none") == ()


def test_an_open_round_knows_how_long_it_was_worked_on(journal: Journal) -> None:
    journal.plan(plan(0, 2))
    assert journal.active_seconds(0) == 0
    journal.settle(request(0, 1), Visited(SITE.outcome("/")), seconds=2.5)
    assert journal.active_seconds(0) == 2.5


def test_the_past_can_be_read_while_something_is_written(journal: Journal) -> None:
    for round in range(3):
        journal.plan(plan(round, 2))
        for rank in range(2):
            settle(journal, request(round, rank))
        journal.close_round(round, 1)
    read = 0
    for _ in journal.history():
        journal.manifest.note([(f"{read}.md", "digest")])
        read += 1
    assert read == 9
    assert len(journal.manifest.files()) == 9


def test_the_newest_page_of_a_key_is_found(journal: Journal) -> None:
    journal.plan(plan(0, 3))
    settle(journal, request(0, 0), "/")
    settle(journal, request(0, 1), "/bad")
    settle(journal, request(0, 2), "/a")
    journal.close_round(0, 1)
    again = replace(request(0, 0), round=1)
    journal.plan(Plan(1, (again,)))
    settle(journal, again, "/a")
    assert journal.page(again.key) == SITE.page("/a")
    assert journal.outcome_of(again.key) == SITE.page("/a")
    assert [found.url for found in journal.pages()] == [SITE.url("/a"), SITE.url("/a")]
    assert journal.outcome_of(request(0, 1).key) is None
    with pytest.raises(KeyError):
        journal.page(request(0, 1).key)


def test_bodies_are_kept_once_each_by_digest(journal: Journal) -> None:
    journal.plan(plan(0, 3))
    settle(journal, request(0, 0), "/", b"<html>one")
    settle(journal, request(0, 1), "/a", b"<html>one")
    download = SITE.outcome("/f.pdf")
    journal.settle(request(0, 2), Visited(download, b"%PDF-1.7"))
    assert journal.body(download.digest) == b"%PDF-1.7"  # type: ignore[union-attr]
    with closing(sqlite3.connect(journal.folder / ".crawl" / "journal.sqlite3")) as database:
        assert database.execute("SELECT count(*) FROM bodies").fetchone() == (2,)
    with pytest.raises(KeyError):
        journal.body("0" * 64)


def test_pages_of_another_reader_are_read_again_once(journal: Journal) -> None:
    journal.plan(plan(0, 3))
    settle(journal, request(0, 0), "/", b"<html>one")
    settle(journal, request(0, 1), "/a", b"<html>two")
    settle(journal, request(0, 2), "/bad")
    assert list(journal.read_otherwise()) == []
    journal.begin(replace(RUN, reader="reader 2"))
    for asked, old, body in journal.read_otherwise():
        journal.reread(asked, replace(old, title=body.decode()))
    assert [past.outcome.title for past in journal.settled_in(0) if isinstance(past.outcome, Page)] == [
        "<html>one",
        "<html>two",
    ]
    assert list(journal.read_otherwise()) == []


# Runs.


def test_runs_of_one_query_share_a_goal_and_come_back_as_they_were(tmp_path: Path) -> None:
    stop = Stop(StopReason.CONFIDENT, "enough is known", {"pages_crawled": 3.0})
    with Journal.create(tmp_path) as journal:
        assert journal.last_run() is None
        first = journal.begin(RUN)
        journal.end(first, stop)
        again = journal.begin(RUN)
        other = journal.begin(replace(RUN, query=Query("restores")))
        all_of_it = journal.begin(replace(RUN, query=None))
        back = journal.begin(RUN)
        assert [run.id for run in (first, again, other, all_of_it, back)] == [1, 2, 3, 4, 5]
        assert [run.goal for run in (first, again, other, all_of_it, back)] == [0, 0, 1, 2, 0]
        runs = journal.runs()
        assert runs[0].stop == stop
        assert runs[0].stopped >= RUN.started
        assert runs[1:] == [again, other, all_of_it, back]
        assert journal.last_run() == back


def test_a_new_query_abandons_what_the_old_one_left_open_and_keeps_what_it_fetched(journal: Journal) -> None:
    journal.plan(plan(0, 3))
    settle(journal, request(0, 1), "/a")
    journal.begin(RUN)
    assert journal.open_plan() is not None
    journal.begin(replace(RUN, query=Query("restores")))
    assert journal.open_plan() is None
    assert list(journal.history()) == [Settled(request(0, 1), SITE.outcome("/a")), RoundClosed(0, 0.0)]


def test_secrets_never_reach_the_disk(tmp_path: Path) -> None:
    config = {"fetch": {"headers": {"Authorization": "Bearer s3cret"}}, "llm": {"api_key": "s3cret"}}
    with Journal.create(tmp_path) as journal:
        run = journal.begin(replace(RUN, seeds=("https://me:s3cret@toy.example/",), config=config))
        assert run.seeds == ("https://toy.example/",)
        assert run.config["fetch"] == {"headers": ["Authorization"]}
        for kept in (tmp_path / ".crawl").iterdir():
            assert b"s3cret" not in kept.read_bytes()


# What others ask to be kept.


def test_hosts_files_and_notes_are_kept_and_replaced(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal.keep_hosts({"a.example": {"delay": 1.0}, "b.example": {"delay": 2.0}})
        journal.keep_hosts({"a.example": {"delay": 3.0}})
        journal.manifest.note([("a.md", "1"), ("b/c.md", "2")])
        journal.manifest.note([("a.md", "3")])
        journal.manifest.forget(["b/c.md"])
        journal.keep_note("json-mode", ["schema", 2])
    with Journal.open(tmp_path) as journal:
        assert journal.hosts() == {"a.example": {"delay": 3.0}, "b.example": {"delay": 2.0}}
        assert journal.manifest.files() == {"a.md": "3"}
        assert journal.manifest.digest("a.md") == "3"
        assert journal.manifest.digest("b/c.md") == ""
        assert journal.note("json-mode") == ["schema", 2]
        assert journal.note("nothing") is None


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../outside", "a/../../b", "C:\\x", "C:x", "a\\b", "a\0b", ""]
)
def test_a_file_outside_the_tree_is_never_ours(tmp_path: Path, path: str) -> None:
    with Journal.create(tmp_path) as journal, pytest.raises(ValueError, match="leads out"):
        journal.manifest.note([(path, "digest")])
    alter(tmp_path, "INSERT INTO manifest VALUES (?, 'digest')", path)
    with pytest.raises(DamagedError, match="leads out"):
        Journal.open(tmp_path)


# What is read back is not trusted.


FORGED = {
    "an outcome of another type": ("outcome_type", "redirect"),
    "an outcome of an unknown type": ("outcome_type", "subprocess"),
    "an outcome that is no JSON": ("outcome", zlib.compress(b"{")),
    "an outcome that is a pickle": ("outcome", pickle.dumps(SITE.outcome("/"))),
    "an outcome with a field of the wrong type": (
        "outcome",
        zlib.compress(json.dumps({"url": 1, "kind": "http", "detail": ""}).encode()),
    ),
    "an outcome that is text": ("outcome", "text"),
    "a kind that does not exist": ("kind", "subprocess"),
    "a score that is text": ("score", "high"),
    "a depth that is text": ("depth", "deep"),
    "a URL that is bytes": ("url", b"\xff\xfe"),
    "parts that are no JSON": ("parts", "{"),
    "parts nested without end": ("parts", "[" * 100_000),
    "parts of another shape": ("parts", '{"relevance": 1}'),
}


@pytest.mark.parametrize(("column", "value"), FORGED.values(), ids=list(FORGED))
def test_a_forged_row_is_refused_by_its_place(tmp_path: Path, column: str, value: object) -> None:
    with Journal.create(tmp_path) as journal:
        journal.begin(RUN)
        journal.plan(plan(0, 2))
        settle(journal, request(0, 0), "/bad")
        settle(journal, request(0, 1), "/bad")
        journal.close_round(0, 1)
    alter(tmp_path, f"UPDATE requests SET {column} = ? WHERE rank = 1", value)
    with pytest.raises(DamagedError, match=r"round 0, rank 1"):
        Journal.open(tmp_path)


def test_text_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal.keep_hosts({"a.example": {}})
    alter(tmp_path, "UPDATE hosts SET state = CAST(x'ff' AS TEXT)")
    with pytest.raises(DamagedError, match="UTF-8"):
        Journal.open(tmp_path)


def test_a_body_that_is_not_what_its_digest_says_is_refused(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal.begin(RUN)
        journal.plan(plan(0, 1))
        settle(journal, request(0, 0), "/", b"<html>one")
    alter(tmp_path, "UPDATE bodies SET body = ?", zlib.compress(b"<html>two"))
    with pytest.raises(DamagedError, match="digest"):
        Journal.open(tmp_path)


def test_a_forged_run_is_refused(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal.begin(RUN)
    alter(tmp_path, "UPDATE runs SET seeds = '\"https://toy.example/\"'")
    with pytest.raises(DamagedError, match=r"runs, id 1.*seeds"):
        Journal.open(tmp_path)


# Kill.


def test_whatever_was_settled_outlives_a_kill(tmp_path: Path, journal: Journal) -> None:
    journal.plan(plan(0, 3))
    left = [copy_as_killed(journal, tmp_path / "killed0")]
    for rank in range(3):
        settle(journal, request(0, rank), "/", b"<html>" * 5000)
        left.append(copy_as_killed(journal, tmp_path / f"killed{rank + 1}"))
    for settled, folder in enumerate(left):
        with Journal.open(folder) as again:
            assert again.open_plan() == plan(0, 3)
            assert len(list(again.settled_in(0))) == settled
            assert len(again.unsettled(0)) == 3 - settled
