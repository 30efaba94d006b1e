"""What is told at the end of a crawl, and the exit code that goes with it."""

import dataclasses
import io
import json
from typing import Any

import pytest

from adaptive_crawl.cli.exit_codes import ExitCode, ExitRules, exit_code
from adaptive_crawl.cli.plain_text import dry_run_text, explanation, human_bytes, safe, summary
from adaptive_crawl.cli.progress import Bar, Lines, Log, Talk, line_of, progress, wants_bar
from adaptive_crawl.cli.report import (
    SCHEMA_VERSION,
    DryRun,
    Report,
    Tally,
    as_json,
    confidence_word,
    dry_run_as_json,
    visit_of,
    without_userinfo,
)
from adaptive_crawl.crawler.model import (
    Assessment,
    Candidate,
    Disposition,
    Download,
    Event,
    Failure,
    FailureKind,
    Kind,
    Outcome,
    Page,
    PassedOver,
    Plan,
    Redirect,
    Request,
    RobotsFile,
    Scored,
    Stop,
    StopReason,
)

from .website import FETCHED_AT, Website, page

SITE = Website(
    {
        "/": page("Home", "Welcome.", links={"/backup": "Backup retention"}),
        "/backup": page("Backups", "Backups are kept for 30 days."),
    }
)

PARTS = (("relevance", 0.8), ("novelty", 0.5), ("authority", 0.25))


def request(path: str, *, round: int = 0, depth: int = 0, goal: int = 0) -> Request:
    if depth == 0:
        return Request(round, 0, goal, Kind.PAGE, SITE.url(path), SITE.url(path), reason="seed")
    return Request(
        round, 0, goal, Kind.PAGE, SITE.url(path), SITE.url(path), depth, SITE.url("/"), "Backup retention",
        "its list item", 0.63, PARTS,
    )  # fmt: skip


def kept(path: str, *, round: int = 0, depth: int = 0, goal: int = 0) -> Event:
    return Event(
        request(path, round=round, depth=depth, goal=goal),
        SITE.page(path),
        Disposition.KEPT,
        assessment=Assessment(0.72, {"coverage": 0.9, "consistency": 0.4, "saturation": 0.8, "terms": 12.0}),
        pages=round + 1,
        frontier=7,
        refused=(("host", 2), ("robots", 1)),
    )


def failed(path: str, kind: FailureKind = FailureKind.HTTP, *, depth: int = 1, detail: str = "404") -> Event:
    outcome = Failure(SITE.url(path), kind, detail, status=404, attempts=3)
    return Event(request(path, depth=depth), outcome, Disposition.FAILED, frontier=7)


def settled(path: str, outcome: Outcome, disposition: Disposition, **more: Any) -> Event:
    return Event(request(path, depth=1), outcome, disposition, **more)


CONFIDENT = Stop(StopReason.CONFIDENT, "confidence 0.72 of 0.70", {"confidence": 0.72, "sufficient": 1.0})


def report(*events: Event, stop: Stop = CONFIDENT, adaptive: bool = True, **more: Any) -> Report:
    tally = Tally()
    for event in events:
        tally.settle(event)
    told: dict[str, Any] = {
        "query": "backup retention",
        "seeds": ["https://me:secret@toy.example/"],
        "output": "output",
        "seconds": 1.5,
        "paths": {SITE.url("/backup"): "backups.md", SITE.url("/f.pdf"): "f.pdf"},
    }
    return tally.report(stop, adaptive=adaptive, **{**told, **more})


def whole(reason: StopReason, *events: Event) -> Report:
    return report(*(events or (kept("/"),)), stop=Stop(reason, reason.value), adaptive=False, query="")


def ended(reason: StopReason, *events: Event, **figures: float) -> Report:
    return report(*(events or (kept("/"),)), stop=Stop(reason, reason.value, figures))


# The report.


def test_the_report_says_what_was_kept_why_and_where() -> None:
    told = as_json(report(kept("/"), kept("/backup", round=1, depth=1)))
    assert told["schema_version"] == SCHEMA_VERSION
    assert (told["pages_crawled"], told["depth_reached"], told["rounds"]) == (2, 1, 2)
    assert (told["stopped_reason"], told["stopped_detail"]) == ("confident", "confidence 0.72 of 0.70")
    assert (told["confidence"], told["confidence_word"], told["is_sufficient"]) == (0.72, "excellent", True)
    assert (told["coverage"], told["consistency"], told["saturation"]) == (0.9, 0.4, 0.8)
    assert told["metrics"] == {"terms": 12.0}
    assert told["pages"][1] == {
        "path": "backups.md",
        "url": "https://toy.example/backup",
        "title": "Backups",
        "depth": 1,
        "round": 1,
        "score": 0.63,
        "parts": {"relevance": 0.8, "novelty": 0.5, "authority": 0.25},
        "reason": "its list item",
        "anchor": "Backup retention",
        "referrer": "https://toy.example/",
        "size": SITE.page("/backup").size,
    }
    assert told["links_refused"] == {"host": 4, "robots": 2}


def test_no_figure_of_the_report_is_less_than_nothing() -> None:
    told = ended(StopReason.SATURATED, confidence=-0.0, coverage=-0.00001)
    assert "-0.0" not in json.dumps(as_json(told))


def test_the_report_says_what_became_of_every_other_request() -> None:
    download = Download(SITE.url("/f.pdf"), SITE.url("/f.pdf"), "application/pdf", 900, "00", FETCHED_AT)
    moved = Redirect(SITE.url("/old"), SITE.url("/new"), SITE.url("/new"), True, FETCHED_AT)
    told = as_json(
        report(
            kept("/"),
            failed("/gone"),
            settled("/f.pdf", download, Disposition.DOWNLOADED),
            settled("/old", moved, Disposition.REDIRECTED),
            settled("/copy", SITE.page("/"), Disposition.DUPLICATE, same_as=SITE.url("/")),
            settled("/out", moved, Disposition.REFUSED, rule="host"),
        )
    )
    failure = {
        "url": SITE.url("/gone"),
        "kind": "http",
        "detail": "404",
        "status": 404,
        "referrer": SITE.url("/"),
    }
    assert told["failures"] == [failure]
    assert told["downloads"][0]["path"] == "f.pdf"
    assert told["redirects"] == [{"url": SITE.url("/old"), "target": SITE.url("/new")}]
    assert told["duplicates"] == [{"url": SITE.url("/copy"), "same_as": SITE.url("/")}]
    assert told["refused_after_fetch"] == [{"url": SITE.url("/out"), "rule": "host"}]
    assert (told["requests"], told["pages_crawled"], told["pages_failed"]) == (6, 1, 1)


def test_the_cores_figures_count_where_it_gives_them() -> None:
    figures = {"confidence": 0.5, "pages_crawled": 9.0, "frontier": 3.0, "requests": 12.0, "rounds": 4.0}
    told = as_json(ended(StopReason.SATURATED, kept("/"), **figures))
    assert (told["confidence"], told["pages_crawled"], told["pending_links"]) == (0.5, 9, 3)
    assert (told["requests"], told["rounds"]) == (12, 4)


def test_robots_files_and_other_queries_are_not_visits() -> None:
    robots = Request(0, 0, 1, Kind.ROBOTS, SITE.url("/robots.txt"), SITE.url("/robots.txt"))
    tally = Tally(goal=1)
    tally.settle(Event(robots, RobotsFile(robots.url, 200, "", FETCHED_AT), Disposition.NOTED))
    tally.settle(kept("/", goal=0))
    tally.settle(kept("/backup", goal=1))
    told = tally.report(
        CONFIDENT, query="q", seeds=[], output="o", adaptive=True, seconds=0, paths={}, resumed=True
    )
    assert [visit.url for visit in told.visits] == [SITE.url("/backup")]


def test_without_a_query_there_is_no_confidence() -> None:
    told = as_json(whole(StopReason.FRONTIER_EMPTY))
    assert (told["confidence"], told["confidence_word"], told["coverage"], told["metrics"]) == (None,) * 3 + (
        {},
    )


def test_names_and_passwords_of_a_seed_are_not_reported() -> None:
    assert report(kept("/")).seeds == ("https://toy.example/",)
    assert without_userinfo("http://me:pw@[::1]:80/a@b?c@d") == "http://[::1]:80/a@b?c@d"
    assert "pw" not in without_userinfo("http://me:pw@[bad/")


@pytest.mark.parametrize(
    ("confidence", "word"),
    [
        (0, "insufficient"),
        (0.29, "insufficient"),
        (0.3, "partial"),
        (0.6, "good"),
        (0.7, "excellent"),
        (1, "excellent"),
    ],
)
def test_confidence_is_said_in_words(confidence: float, word: str) -> None:
    assert confidence_word(confidence) == word


def test_json_of_a_report_is_json() -> None:
    told = as_json(report(kept("/"), failed("/x")))
    assert json.loads(json.dumps(told, allow_nan=False)) == told


# For people.


def test_the_summary_says_how_much_why_and_what_went_wrong() -> None:
    text = summary(
        report(kept("/"), kept("/backup", round=1, depth=1), failed("/gone"), notes=["robots.txt ignored"])
    )
    for part in (
        "2 pages in output, 1.5 s",
        "confident: confidence 0.72 of 0.70",
        "0.72 (excellent)",
        "coverage 0.90, consistency 0.40, saturation 0.80",
        "2 kept, 1 failed, depth 1, 2 rounds",
        "host 4, robots 2",
        "backups.md  Backups",
        "https://toy.example/gone: http: 404",
        "note: robots.txt ignored",
    ):
        assert part in text


def test_many_pages_and_failures_are_cut_short_in_the_summary() -> None:
    text = summary(report(*[kept("/")] * 12, *[failed("/gone")] * 13))
    assert "and 2 more" in text
    assert "and 3 more" in text


def test_the_explanation_names_link_score_parts_and_alternatives() -> None:
    tally = Tally()
    other = PassedOver(SITE.url("/monitoring"), "Monitoring", 0.41, (("relevance", 0.3),))
    tally.plan(Plan(0, (request("/"),)))
    tally.settle(kept("/"))
    tally.plan(Plan(1, (request("/backup", round=1, depth=1),), (other,)))
    tally.settle(kept("/backup", round=1, depth=1))
    told = tally.report(
        CONFIDENT, query="q", seeds=["x"], output="o", adaptive=True, seconds=0,
        paths={SITE.url("/backup"): "backups.md"},
    )  # fmt: skip
    text = explanation(told)
    assert "1. https://toy.example/  kept\n     round 0: seed\n" in text
    assert "2. https://toy.example/backup  → backups.md\n" in text
    assert 'round 1: the link "Backup retention" on https://toy.example/\n' in text
    assert "score 0.63 = relevance 0.80 · novelty 0.50 · authority 0.25\n" in text
    assert '0.41  https://toy.example/monitoring  "Monitoring"  relevance 0.30' in text
    passed_over = as_json(told)["passed_over"]
    assert passed_over[0]["candidates"][0]["url"] == SITE.url("/monitoring")


def test_what_comes_from_the_web_cannot_steer_the_terminal() -> None:
    assert safe("a\x1b[31mb\x9b\r\nc\u202ed\x7f") == "a�[31mb� c�d�"
    hostile = Page(**{**_fields(SITE.page("/")), "title": "\x1b]0;owned\x07 title"})
    event = dataclasses.replace(kept("/"), outcome=hostile)
    for text in (summary(report(event)), explanation(report(event)), line_of(event)):
        assert "\x1b" not in text
        assert "\x07" not in text


def test_sizes_are_said_in_units_people_use() -> None:
    assert [human_bytes(n) for n in (0, 999, 1000, 45_678, 123_456_789, 5 * 10**12)] == [
        "0 B", "999 B", "1.0 kB", "45.7 kB", "123 MB", "5000 GB",
    ]  # fmt: skip


def test_a_dry_run_tells_what_would_come_next_and_what_would_not() -> None:
    candidate = Candidate(SITE.url("/backup"), SITE.url("/backup"), 1, 1, (), 1)
    dry_run = DryRun(
        "q",
        (visit_of(kept("/")),),
        (Scored(candidate, 0.63, PARTS, "Backup retention"),) * 21,
        (("https://other.example/", "host"), ("https://other.example/2", "host")),
    )
    text = dry_run_text(dry_run)
    assert "0.63  https://toy.example/backup" in text
    assert "Backup retention — relevance 0.80" in text
    assert "and 1 more" in text
    assert "2  host, as https://other.example/" in text
    told = dry_run_as_json(dry_run)
    assert told["upcoming"][0]["parts"]["relevance"] == 0.8
    assert told["refused"][0] == {"url": "https://other.example/", "rule": "host"}


# The exit code.


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (ended(StopReason.CONFIDENT), 0),
        (ended(StopReason.FRONTIER_EMPTY, sufficient=1.0), 0),
        (ended(StopReason.FRONTIER_EMPTY), 5),
        (ended(StopReason.SATURATED), 5),
        (ended(StopReason.LOW_GAIN), 5),
        (ended(StopReason.MAX_PAGES), 5),
        (ended(StopReason.BUDGET), 5),
        (ended(StopReason.IRRELEVANT), 6),
        (ended(StopReason.INTERRUPTED), 130),
        (whole(StopReason.FRONTIER_EMPTY), 0),
        (whole(StopReason.MAX_PAGES), 5),
        (whole(StopReason.BUDGET), 5),
        (ended(StopReason.NOTHING_FETCHED, failed("/", depth=0)), 3),
        (ended(StopReason.NOTHING_FETCHED, failed("/", FailureKind.AUTH, depth=0)), 4),
        (ended(StopReason.NOTHING_FETCHED, failed("/", FailureKind.ROBOTS, depth=0)), 8),
        (ended(StopReason.NOTHING_FETCHED, failed("/"), seeds_refused_by_robots=1.0), 8),
        (ended(StopReason.FRONTIER_EMPTY, kept("/"), failed("/x", FailureKind.AUTH), sufficient=1.0), 0),
    ],
)
def test_each_end_has_its_exit_code(told: Report, code: int) -> None:
    assert exit_code(told, ExitRules()) == code


def test_a_host_that_does_not_answer_is_not_one_that_forbids() -> None:
    url = SITE.url("/robots.txt")
    asked = Request(0, 0, 0, Kind.ROBOTS, url, url)
    for status, code, refused in ((0, 3, 0.0), (503, 8, 1.0)):
        noted = Event(asked, RobotsFile(url, status, "", FETCHED_AT), Disposition.NOTED)
        told = ended(StopReason.NOTHING_FETCHED, noted, seeds_refused_by_robots=refused)
        assert exit_code(told, ExitRules()) == code
        assert as_json(told)["hosts_unreachable"] == (["https://toy.example"] if status == 0 else [])


def test_an_interruption_by_sigterm_has_its_own_code_and_goes_before_all_else() -> None:
    told = ended(StopReason.INTERRUPTED, failed("/", FailureKind.AUTH, depth=0))
    assert exit_code(told, ExitRules(terminated=True, exit_zero=True)) == ExitCode.TERMINATED


def test_more_failures_than_allowed_go_before_irrelevance() -> None:
    told = ended(StopReason.IRRELEVANT, kept("/"), failed("/a"), failed("/b"))
    assert [exit_code(told, ExitRules(max_failures=n)) for n in (1, 2)] == [7, 6]


def test_a_threshold_of_ones_own_replaces_the_strategys() -> None:
    low, high = ended(StopReason.SATURATED, confidence=0.6), ended(StopReason.CONFIDENT, confidence=0.7)
    assert exit_code(low, ExitRules(fail_under=0.5)) == 0
    assert exit_code(high, ExitRules(fail_under=0.8)) == 5


def test_exit_zero_forgives_a_poor_result_but_no_missing_one() -> None:
    rules = ExitRules(exit_zero=True, max_failures=0)
    poor = (
        ended(StopReason.SATURATED),
        ended(StopReason.IRRELEVANT),
        ended(StopReason.CONFIDENT, failed("/x"), kept("/")),
    )
    assert [exit_code(told, rules) for told in poor] == [0, 0, 0]
    assert exit_code(ended(StopReason.NOTHING_FETCHED, failed("/", depth=0)), rules) == 3


# What is told while it goes on.


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Broken(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_bar_is_drawn_only_where_a_person_watches() -> None:
    terminal = {"TERM": "xterm"}
    assert wants_bar(Terminal(), terminal)
    assert not wants_bar(io.StringIO(), terminal)
    for environ in ({**terminal, "CI": "true"}, {"TERM": "dumb"}, {}):
        assert not wants_bar(Terminal(), environ)
    assert progress(Talk(Terminal(), -1), 20, terminal) is None


def test_the_bar_shows_pages_and_confidence_and_leaves_nothing_behind() -> None:
    stream = Terminal()
    bar = progress(Talk(stream), 20, {"TERM": "xterm", "NO_COLOR": "1"})
    assert isinstance(bar, Bar)
    bar(kept("/"))
    bar(failed("/gone"))
    bar.close()
    text = stream.getvalue()
    assert "/20" in text
    assert "failed https://toy.example/gone http: 404 (3 attempts)\n" in text
    assert "\x1b[3" not in text


def test_lines_tell_of_pages_and_failures_and_of_all_else_when_asked() -> None:
    robots = Request(0, 0, 0, Kind.ROBOTS, SITE.url("/robots.txt"), SITE.url("/robots.txt"))
    noted = Event(robots, RobotsFile(robots.url, 200, "", FETCHED_AT), Disposition.NOTED)
    told = {}
    for verbosity in (-1, 0, 1):
        stream = io.StringIO()
        lines = Lines(Talk(stream, verbosity), 20)
        for event in (kept("/"), failed("/gone"), noted):
            lines(event)
        told[verbosity] = stream.getvalue()
    assert told[-1] == ""
    assert told[0].splitlines() == [
        f'[1/20] kept https://toy.example/ "Home" {SITE.page("/").size} B (depth 0, confidence 0.72)',
        "    failed https://toy.example/gone http: 404 (3 attempts)",
    ]
    assert "noted https://toy.example/robots.txt: status 200" in told[1]


def test_a_reader_that_went_away_does_not_end_the_crawl() -> None:
    talk = Talk(Broken())
    Lines(talk, None)(kept("/"))
    Lines(talk, None)(failed("/"))
    assert talk.stream is None
    Lines(Talk(None), None)(kept("/"))


def test_the_log_has_every_event_with_its_time(tmp_path: Any) -> None:
    log = Log(str(tmp_path / "log"))
    log(kept("/"))
    log(failed("/gone"))
    log.close()
    log(kept("/"))
    lines = (tmp_path / "log").read_text("utf-8").splitlines()
    assert [line.split()[1] for line in lines] == ["kept", "failed"]
    assert lines[0][:4].isdecimal()


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
