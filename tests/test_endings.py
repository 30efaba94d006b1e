"""How crawls for a query go and end: the statistical strategy, driven by the real core over toy sites.

The faults that such strategies are known for each have a test here that shows ours has not.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from adaptive_crawl.crawler.crawl import Crawl, Limits
from adaptive_crawl.crawler.model import (
    Assessment,
    Disposition,
    Event,
    Outcome,
    Plan,
    Query,
    Request,
    Stop,
    StopReason,
)
from adaptive_crawl.crawler.scope import Scope, ScopeConfig
from adaptive_crawl.scoring.links import LinkConfig
from adaptive_crawl.scoring.statistical import StatisticalConfig, StatisticalStrategy, Weights

from .website import Website, failure, page

QUERY = "backup retention period"
ANSWER = "The retention period of a backup is thirty days, counted from when it was made."
MENU = {"/backup": "Backup", "/retention": "Retention", "/period": "Period"}


def core(
    site: Website,
    query: str = QUERY,
    limits: Limits | None = None,
    config: StatisticalConfig | None = None,
    links: LinkConfig | None = None,
) -> Crawl:
    """A core that has heard nothing yet."""
    start = site.url("/")
    strategy = StatisticalStrategy(Query(query), config or StatisticalConfig(), links or LinkConfig())
    scope = Scope(ScopeConfig(), [start], downloads=False)
    return Crawl([start], strategy, scope, limits or Limits())


@dataclass
class Story:
    """What happened in one crawl."""

    site: Website
    stop: Stop
    events: list[Event]
    facts: list[tuple[Request, Outcome]]

    @property
    def fetched(self) -> list[str]:
        return [event.request.url.removeprefix(self.site.base_url) for event in self.events]

    @property
    def assessments(self) -> list[Assessment]:
        return [event.assessment for event in self.events if event.assessment]


def run(crawl: Crawl, site: Website) -> Story:
    """Let a core decide until it stops."""
    events, facts = [], []
    while isinstance(step := crawl.plan(), Plan):
        assert step.round < 200, "a crawl of a toy site ends"
        for request in step.requests:
            outcome = site.outcome(request.url)
            facts.append((request, outcome))
            events.append(crawl.settle(request, outcome))
        crawl.close_round(step.round, seconds=1.0)
    return Story(site, step, events, facts)


def tell(
    site: Website,
    query: str = QUERY,
    limits: Limits | None = None,
    config: StatisticalConfig | None = None,
    links: LinkConfig | None = None,
) -> Story:
    return run(core(site, query, limits, config, links), site)


SUBJECTS = ("gardens", "weather", "birds", "trains", "bread", "rivers", "clocks", "paint", "music", "stones")


def off_topic(number: int) -> str:
    """A paragraph that no other number gets, on none of the subjects asked for here."""
    subject, other = SUBJECTS[number % 10], SUBJECTS[(number // 10 + 3) % 10]
    return f"Number {number}: what {subject} have to do with {other}, told by a friend of {subject}."


def manual(answers: int = 3, others: int = 30) -> Website:
    """Documentation with some pages that answer and many that do not; the start page links to all."""
    links = {f"/other/{n}": f"Notes on {SUBJECTS[n % 10]} {n}" for n in range(others)}
    links |= {f"/keep/{n}": f"Retention period of backup kind {n}" for n in range(answers)}
    site = Website({"/": page("Manual", "All that there is to know.", links=links)})
    for n in range(others):
        site[f"/other/{n}"] = page(f"Notes {n}", off_topic(n))
    for n in range(answers):
        site[f"/keep/{n}"] = page(f"Kind {n}", f"For kind {n}: {ANSWER}\n\n{off_topic(n + 50)}")
    return site


def unpromising(others: int = 30) -> Website:
    """Documentation whose start page answers, and whose links promise nothing."""
    site = manual(0, others)
    hub = "".join(f"{off_topic(n)}\n\n" for n in range(3))
    site["/"] = page("Manual", hub, links={f"/other/{n}": f"Notes {n}" for n in range(others)})
    return site


# Four endings of its own


def test_a_crawl_that_found_the_answer_twice_ends_as_confident() -> None:
    story = tell(manual())
    assert story.stop.reason is StopReason.CONFIDENT
    assert {"/keep/0", "/keep/1"} <= set(story.fetched)
    assert len(story.fetched) <= 6
    confidence = story.stop.figures["confidence"]
    assert f"confidence {confidence:.2f} has reached 0.7" in story.stop.detail
    assert re.search(r"coverage \d\.\d\d, consistency \d\.\d\d, saturation \d\.\d\d", story.stop.detail)


def test_a_crawl_that_learns_nothing_more_ends_as_saturated() -> None:
    kinds = [f"Backup kind {n}: see below." for n in range(40)]
    links = {f"/keep/{n}": f"Backup {n}" for n in range(40)}
    site = Website({"/": page("Manual", ANSWER, links=links)})
    for n, text in enumerate(kinds):
        site[f"/keep/{n}"] = page(f"Kind {n}", text)
    story = tell(
        site, config=StatisticalConfig(confidence=1.0, consistency=0.3), limits=Limits(max_pages=None)
    )
    assert story.stop.reason is StopReason.SATURATED
    assert len(story.fetched) < 20
    assert story.stop.figures["saturation"] >= 0.8
    assert "the last 3 pages" in story.stop.detail
    assert f"saturation {story.stop.figures['saturation']:.2f}" in story.stop.detail


def test_a_crawl_whose_links_promise_nothing_ends_as_low_gain() -> None:
    # Authority fixed at its highest would keep every link above min_gain for ever.
    site = unpromising(60)
    site["/other/0"] = page("Notes 0", f"{ANSWER}\n\n{off_topic(0)}")
    story = tell(
        site, config=StatisticalConfig(confidence=1.0, saturation=1.0), limits=Limits(max_pages=None)
    )
    assert story.stop.reason is StopReason.LOW_GAIN
    assert len(story.fetched) < 30
    best = re.search(r"the best of (\d+) links left scores (0\.0\d|0\.10), below 0\.1", story.stop.detail)
    assert best is not None
    assert int(best[1]) == story.stop.figures["frontier"]


def test_a_site_that_does_not_answer_is_left_early_as_irrelevant() -> None:
    story = tell(manual(answers=0, others=100), "sourdough starter temperature")
    assert story.stop.reason is StopReason.IRRELEVANT
    assert len(story.fetched) <= 6
    assert story.stop.figures["confidence"] == 0
    assert re.search(r"the best passage of \d pages holds \d+% of the query", story.stop.detail)


# What is no reason to end


def test_one_page_that_holds_all_the_words_does_not_end_a_crawl() -> None:
    site = manual()
    site["/"] = page("Manual", f"{ANSWER} {ANSWER}", links={"/keep/0": "More on it", "/other/1": "Notes"})
    story = tell(site, limits=Limits(min_pages=1, round_size=1))
    first = story.assessments[0]
    assert not first.sufficient
    assert first.confidence < 0.5
    assert len(story.fetched) > 1


def test_the_words_in_the_menu_of_every_page_are_no_answer() -> None:
    site = Website({"/": page("Shop", off_topic(0), menu=MENU, links={"/about": "About"})})
    for n, path in enumerate(("/backup", "/retention", "/period", "/about")):
        site[path] = page("Shop", off_topic(n + 1), menu=MENU)
    story = tell(site)
    assert len(story.assessments) >= 2
    assert all(assessment.confidence == 0 for assessment in story.assessments)
    assert story.stop.reason is StopReason.IRRELEVANT


def test_off_topic_pages_that_are_all_alike_raise_nothing() -> None:
    site = Website({"/": page("Hub", off_topic(9), links={f"/{n}": f"Page {n}" for n in range(4)})})
    for n in range(4):
        site[f"/{n}"] = page("Birds", f"{off_topic(1)} {'And more of the same. ' * 9} {n}.")
    story = tell(site)
    assert len(story.assessments) >= 2
    for assessment in story.assessments:
        assert assessment.confidence == 0
        assert assessment.metrics["coverage"] == assessment.metrics["saturation"] == 0


def test_a_long_start_page_and_then_a_short_one_saturate_nothing() -> None:
    long = " ".join(f"A backup of {SUBJECTS[n % 10]} number {n} is made at night." for n in range(40))
    links = {"/short": "Short", **{f"/keep/{n}": f"Retention period of backup {n}" for n in range(3)}}
    site = manual()
    site["/"] = page("Manual", long, links=links)
    site["/short"] = page("Short", "A short note on the backup.")
    story = tell(site, limits=Limits(round_size=1, max_pages=None))
    assert story.stop.reason is not StopReason.SATURATED
    assert {"/keep/0", "/keep/1"} <= set(story.fetched)


def test_a_question_in_words_that_only_the_second_level_has_is_followed_there() -> None:
    site = manual(answers=3)
    front = {f"/section/{n}": f"Part {n}" for n in range(4)}
    deeper = site.answers["/"]
    site["/"] = page("Welcome", "Choose a part.", links=front)
    for n in range(4):
        site[f"/section/{n}"] = page(f"Part {n}", off_topic(n + 70))
    site["/section/2"] = deeper
    story = tell(site)
    assert story.fetched[4:] == ["/keep/0", "/keep/1", "/keep/2"]
    assert story.stop.figures["coverage"] > 0.8


# Terms


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("go channels", "Go channels", "Channels of the sea"),
        ("C# generics", "C# generics", "C++ generics"),
        ("C++ templates", "C++ templates", "C# templates"),
        (".NET install", ".NET install", "Install nets"),
        ("node.js streams", "Node.js streams", "Streams of water"),
        ("AI safety", "AI safety", "Fire safety"),
        ("令牌刷新", "刷新令牌", "打印表格"),
        ("データの保存", "データを保存する", "印刷する"),
        ("백업 보관", "백업 보관", "인쇄"),
    ],
)
def test_short_names_and_other_scripts_lead_to_the_right_page(query: str, right: str, wrong: str) -> None:
    links = [("/a", wrong), ("/b", right), ("/c", "And so on")]
    site = Website({"/": page("Hub", "A hub.", links=links)})
    for path, anchor in links:
        site[path] = page(anchor, f"{anchor}.")
    story = tell(site, query, limits=Limits(round_size=1))
    assert story.fetched[1] == "/b"
    assert story.assessments[1].metrics["coverage"] > 0.5


# The way out of pages in another writing


def multilingual(links: dict[str, str], target: str) -> Website:
    site = manual(answers=0, others=9)
    others = {f"/other/{n}": f"Notes on {SUBJECTS[n]}" for n in range(9)}
    site["/"] = page("Manual", "All that there is to know about it.", menu=links, links=others)
    site[target] = page("指南", "这里是指南。", language="zh", links={"/zh-pages/1": "备份保留多久"})
    site["/zh-pages/1"] = page("备份保留", "备份保留十四天。", language="zh")
    return site


@pytest.mark.parametrize(("href", "anchor"), [("/x", "中文"), ("/zh-cn/", "Docs"), ("/x", "Chinese")])
def test_a_chinese_question_leaves_an_english_start_page_by_the_link_that_names_its_language(
    href: str, anchor: str
) -> None:
    site = multilingual({"/a": "About", href: anchor, "/b": "Blog"}, href)
    story = tell(site, "备份保留多久", limits=Limits(round_size=1))
    assert story.fetched[:3] == ["/", href, "/zh-pages/1"]
    assert story.events[1].request.score > 0.4
    assert "leads to the query's writing" in story.events[1].request.reason


def test_on_a_site_in_two_writings_that_of_the_question_goes_on_first() -> None:
    site = multilingual({"/x": "中文"}, "/x")
    site["/x"] = page("指南", "这里是指南。", language="zh", links={"/y": "参考"})
    site["/y"] = page("参考", "这里是参考。", language="zh")
    story = tell(site, "备份保留多久", limits=Limits(round_size=1, min_gain=0))
    assert story.fetched[:3] == ["/", "/x", "/y"]


def test_pages_in_another_writing_take_no_hope_from_those_in_the_writing_of_the_question() -> None:
    site = multilingual({"/x": "中文"}, "/x")
    site["/x"] = page("指南", "这里是指南。", language="zh", links={"/zh-pages/": "参考"})
    site["/zh-pages/"] = page("参考", "这里是参考。", language="zh", links={"/zh-pages/1": "备份保留多久"})
    story = tell(site, "备份保留多久", limits=Limits(round_size=1))
    assert story.fetched[:4] == ["/", "/x", "/zh-pages/", "/zh-pages/1"]


def test_a_chinese_question_to_a_site_in_english_alone_still_ends_as_irrelevant() -> None:
    story = tell(manual(others=60), "备份保留多久")
    assert story.stop.reason is StopReason.IRRELEVANT
    assert len(story.fetched) <= 6


def test_links_that_only_seem_to_name_the_language_do_not_keep_a_crawl_going() -> None:
    links = {f"/cn/{n}": f"Computer network {n}" for n in range(60)}
    site = Website({"/": page("Networks", "All about networks.", links=links)})
    for n in range(60):
        site[f"/cn/{n}"] = page(f"Network {n}", off_topic(n))
    story = tell(site, "备份保留多久")
    assert story.stop.reason is StopReason.IRRELEVANT
    assert len(story.fetched) <= 12


# Failures, limits, reasons


def test_a_failed_page_is_asked_for_once_and_is_no_knowledge() -> None:
    site = manual()
    site["/keep/0"] = failure(500)
    story = tell(site)
    assert len(story.fetched) == len(set(story.fetched))
    failed = next(event for event in story.events if event.request.url == site.url("/keep/0"))
    assert failed.disposition is Disposition.FAILED
    kept = [event.request.key for event in story.events if event.disposition is Disposition.KEPT]
    assert len(kept) == len(set(kept)) == story.stop.figures["pages_crawled"]


def test_no_link_is_dropped_however_many_there_are() -> None:
    story = tell(manual(others=120), limits=Limits(max_pages=None, early_stop=False))
    assert story.stop.reason is StopReason.FRONTIER_EMPTY
    assert len(story.fetched) == 1 + 120 + 3


def test_the_default_limits_can_be_reached() -> None:
    story = tell(manual(others=60), limits=Limits(early_stop=False))
    assert story.stop.reason is StopReason.MAX_PAGES
    assert story.stop.figures["pages_crawled"] == Limits().max_pages == 20


def dead() -> Website:
    return Website({"/": failure(404)})


@pytest.mark.parametrize(
    ("reason", "site", "limits"),
    [
        (StopReason.CONFIDENT, manual, Limits()),
        (StopReason.IRRELEVANT, lambda: manual(0, 60), Limits()),
        (StopReason.MAX_PAGES, manual, Limits(max_pages=2)),
        (StopReason.MAX_ROUNDS, manual, Limits(max_rounds=1)),
        (StopReason.BUDGET, manual, Limits(max_requests=2)),
        (StopReason.FRONTIER_EMPTY, lambda: manual(1, 1), Limits()),
        (StopReason.NOTHING_FETCHED, dead, Limits()),
    ],
)
def test_every_ending_gives_its_reason_and_the_figures_of_the_strategy(
    reason: StopReason, site: Callable[[], Website], limits: Limits
) -> None:
    stop = tell(site(), limits=limits).stop
    assert stop.reason is reason
    assert stop.detail
    assert {"coverage", "consistency", "saturation", "confidence"} <= stop.figures.keys()


def test_weights_of_the_confidence_decide_when_a_crawl_ends() -> None:
    def pages_read(weights: Weights) -> int:
        config = StatisticalConfig(weights=weights, confidence=0.8, saturation=1.0)
        return len(tell(manual(answers=6), config=config, limits=Limits(round_size=1)).fetched)

    assert pages_read(Weights(1.0, 0.0, 0.0)) < pages_read(Weights(0.0, 0.0, 1.0))


def test_weights_of_links_decide_what_is_fetched_first() -> None:
    links_of_hub = {"/deep/answer.html": "Retention period", "/home/": "Backup"}
    site = Website({"/": page("Hub", off_topic(0), links=links_of_hub)})
    site["/home/"] = page("Home", off_topic(1))
    site["/deep/answer.html"] = page("Answer", ANSWER)
    for links, first in ((LinkConfig(1, 0, 0), "/deep/answer.html"), (LinkConfig(0, 0, 1), "/home/")):
        assert tell(site, limits=Limits(round_size=1), links=links).fetched[1] == first


@pytest.mark.parametrize("cut", [0, 1, 2, 4, 5])
def test_a_crawl_that_is_told_its_past_again_goes_on_as_if_it_had_never_stopped(cut: int) -> None:
    site = manual(answers=4)
    whole = tell(site)
    resumed = core(site)
    past = [(request, outcome) for request, outcome in whole.facts if request.round < cut]
    events = [resumed.settle(request, outcome) for request, outcome in past]
    assert events == whole.events[: len(past)]
    rest = run(resumed, site)
    assert rest.events == whole.events[len(past) :]
    assert rest.stop.reason is whole.stop.reason
    assert rest.stop.detail == whole.stop.detail
