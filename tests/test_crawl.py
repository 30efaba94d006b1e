"""Stories of the decision core: a toy site's values in, decisions out. No network, no disk, no clock."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from adaptive_crawl.crawler.crawl import Crawl, Limits
from adaptive_crawl.crawler.errors import StrategyError
from adaptive_crawl.crawler.model import (
    Assessment,
    Candidate,
    Disposition,
    Event,
    Kind,
    Order,
    Outcome,
    Page,
    Plan,
    Scored,
    Stop,
    StopReason,
)
from adaptive_crawl.crawler.scope import Scope, ScopeConfig
from adaptive_crawl.crawler.urls import canonicalize
from adaptive_crawl.crawler.variants import Variants

from .website import Website, failure, page, redirect


@dataclass
class ByAnchor:
    """A strategy that scores a link by the number in its anchor text, and stops when told to."""

    enough: int = 1000
    learned: list[str] = field(default_factory=list)

    def learn(self, candidate: Candidate, outcome: Outcome) -> None:
        if isinstance(outcome, Page):
            self.learned.append(outcome.url)

    def assess(self, ranked: Sequence[Scored]) -> Assessment:
        done = len(self.learned) >= self.enough
        return Assessment(
            confidence=min(1.0, len(self.learned) / self.enough),
            verdict=StopReason.CONFIDENT if done else None,
            sufficient=done,
            detail="told to stop" if done else "",
        )

    def rank(self, candidates: Sequence[Candidate]) -> Sequence[Scored]:
        return [Scored(c, _number(c), (("anchor", _number(c)),), "its number") for c in candidates]


def _number(candidate: Candidate) -> float:
    words = candidate.sightings[0].anchor.split() if candidate.sightings else []
    return float(words[-1]) if words else 0.5


@dataclass
class Story:
    """What happened in one crawl of a toy site."""

    stop: Stop
    events: list[Event]
    rounds: list[list[str]]
    site: Website

    @property
    def fetched(self) -> list[str]:
        return [path for paths in self.rounds for path in paths]

    def of(self, path: str) -> Event:
        return next(e for e in self.events if e.request.url == self.site.url(path))


def tell(
    site: Website,
    *seeds: str,
    limits: Limits | None = None,
    strategy: ByAnchor | None = None,
    scope: ScopeConfig | None = None,
    agent: str | None = None,
    variants: Variants | None = None,
) -> Story:
    """Crawl a toy site with the core alone, and tell what happened."""
    starts = [site.url(seed) for seed in seeds or ("/",)]
    crawl = Crawl(
        starts,
        strategy or ByAnchor(),
        Scope(scope or ScopeConfig(), starts, downloads=False),
        limits or Limits(max_pages=None, min_gain=0),
        robots_agent=agent,
        variants=variants,
    )
    events: list[Event] = []
    rounds: list[list[str]] = []
    while isinstance(step := crawl.plan(), Plan):
        assert crawl.plan() == step, "plan changes nothing"
        assert len(rounds) < 200, "a crawl of a toy site ends"
        rounds.append([request.url.removeprefix(site.base_url) for request in step.requests])
        events += [crawl.settle(request, site.outcome(request.url)) for request in step.requests]
        crawl.close_round(step.round, seconds=1.0)
    assert isinstance(step, Stop)
    return Story(step, events, rounds, site)


def hub(**numbers: float) -> Website:
    """A start page with links ``/a``, ``/b`` … whose anchors carry these numbers."""
    site = Website({"/": page("Hub", "A hub.", links={f"/{n}": f"link {v}" for n, v in numbers.items()})})
    for name in numbers:
        site[f"/{name}"] = page(name, f"Text of {name}.")
    return site


def test_the_best_links_are_fetched_first_and_the_crawl_ends_when_none_are_left() -> None:
    story = tell(hub(a=0.2, b=0.9, c=0.5, d=0.7))
    assert story.rounds == [["/"], ["/b", "/d", "/c"], ["/a"]]
    assert story.stop.reason is StopReason.FRONTIER_EMPTY


def test_equal_scores_are_visited_in_the_order_of_discovery() -> None:
    story = tell(hub(d=0.5, a=0.5, c=0.5), limits=Limits(round_size=1, min_gain=0))
    assert story.fetched == ["/", "/d", "/a", "/c"]


def chain() -> Website:
    """Two branches, each two links deep."""
    return Website(
        {
            "/": page("Hub", "Hub.", links={"/a": "a 0.1", "/b": "b 0.9"}),
            "/a": page("A", "Text a.", links={"/a/deep": "deep 0.8"}),
            "/b": page("B", "Text b.", links={"/b/deep": "deep 0.2"}),
            "/a/deep": page("AA", "Text aa."),
            "/b/deep": page("BB", "Text bb."),
        }
    )


@pytest.mark.parametrize(
    ("order", "fetched"),
    [
        (Order.BEST_FIRST, ["/", "/b", "/b/deep", "/a", "/a/deep"]),
        (Order.BFS, ["/", "/b", "/a", "/a/deep", "/b/deep"]),
        (Order.DFS, ["/", "/b", "/b/deep", "/a", "/a/deep"]),
    ],
)
def test_the_order_of_the_frontier_is_a_choice(order: Order, fetched: list[str]) -> None:
    story = tell(chain(), limits=Limits(order=order, round_size=1, min_gain=0))
    assert story.fetched == fetched


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_the_page_limit_is_exact_whatever_the_size_of_a_round(size: int) -> None:
    story = tell(hub(a=0.9, b=0.8, c=0.7, d=0.6, e=0.5), limits=Limits(max_pages=4, round_size=size))
    assert len(story.fetched) == 4
    assert story.stop.reason is StopReason.MAX_PAGES
    assert story.stop.figures["pages_crawled"] == 4


def test_failures_do_not_count_as_pages() -> None:
    site = hub(a=0.9, b=0.8, c=0.7)
    site["/a"] = failure(500)
    story = tell(site, limits=Limits(max_pages=3, round_size=1))
    assert story.fetched == ["/", "/a", "/b", "/c"]
    assert story.of("/a").disposition is Disposition.FAILED
    assert story.stop.figures["failed"] == 1


def test_link_depth_and_rounds_are_two_limits() -> None:
    deep = tell(chain(), limits=Limits(max_depth=1, min_gain=0))
    assert deep.fetched == ["/", "/b", "/a"]
    assert dict(deep.of("/a").refused) == {"depth": 1}
    rounds = tell(chain(), limits=Limits(max_rounds=2, round_size=1, min_gain=0))
    assert rounds.fetched == ["/", "/b"]
    assert rounds.stop.reason is StopReason.MAX_ROUNDS


def test_requests_bytes_and_seconds_are_budgets() -> None:
    names = {f"p{n}": 0.5 for n in range(9)}
    for limits in (Limits(max_requests=4), Limits(max_seconds=2.0), Limits(max_bytes=300)):
        story = tell(hub(**names), limits=limits)
        assert story.stop.reason is StopReason.BUDGET
        assert len(story.fetched) <= 4


def test_a_crawl_stops_when_no_link_left_is_worth_a_fetch() -> None:
    story = tell(hub(a=0.9, b=0.05), limits=Limits(min_gain=0.1, round_size=1))
    assert story.fetched == ["/", "/a"]
    assert story.stop.reason is StopReason.LOW_GAIN
    assert "0.05" in story.stop.detail


def test_a_crawl_stops_when_the_strategy_has_enough_but_not_on_one_page() -> None:
    story = tell(hub(a=0.9, b=0.8), strategy=ByAnchor(enough=1), limits=Limits(round_size=1))
    assert story.fetched == ["/", "/a"]
    assert story.stop.reason is StopReason.CONFIDENT


def test_without_early_stop_only_hard_limits_end_a_crawl() -> None:
    limits = Limits(early_stop=False, min_gain=0.99, round_size=1)
    story = tell(hub(a=0.9, b=0.05), strategy=ByAnchor(enough=1), limits=limits)
    assert story.fetched == ["/", "/a", "/b"]
    assert story.stop.reason is StopReason.FRONTIER_EMPTY


def test_a_seed_that_fails_is_no_crawl() -> None:
    story = tell(Website({"/": failure(404)}))
    assert story.stop.reason is StopReason.NOTHING_FETCHED


def test_each_url_is_fetched_once_however_often_it_is_linked() -> None:
    pages = {
        f"/p{n}": page(f"P{n}", f"Text {n}.", links={f"/p{m}": "x 0.5" for m in range(5)}) for n in range(5)
    }
    story = tell(Website(pages), "/p0")
    assert sorted(story.fetched) == sorted(pages)


def test_a_page_with_the_content_of_another_is_not_kept() -> None:
    site = hub(a=0.9, b=0.8)
    site["/b"] = site.answers["/a"]
    strategy = ByAnchor()
    story = tell(site, strategy=strategy)
    assert story.of("/b").disposition is Disposition.DUPLICATE
    assert story.of("/b").same_as == story.of("/a").request.key
    assert len(strategy.learned) == 2


def test_two_spellings_that_name_one_canonical_address_are_one_page() -> None:
    canonical = '<link rel="canonical" href="/list">'
    site = Website(
        {
            "/": page("Hub", "Hub.", links={"/list?by=name": "list 0.9", "/list?by=age": "list 0.8"}),
            "/list?by=name": page("List", "Ann, Bob.", head=canonical),
            "/list?by=age": page("List", "Bob, Ann.", head=canonical),
        }
    )
    story = tell(site)
    assert story.of("/list?by=age").disposition is Disposition.DUPLICATE


def test_a_canonical_address_that_all_pages_share_is_not_believed() -> None:
    canonical = '<link rel="canonical" href="/">'
    site = hub(a=0.9, b=0.8)
    site["/a"] = page("A", "Text of a.", head=canonical)
    site["/b"] = page("B", "Text of b.", head=canonical)
    assert all(e.disposition is Disposition.KEPT for e in tell(site).events)


def test_a_redirect_is_followed_at_once_and_its_target_is_fetched_once() -> None:
    site = hub(old=0.9, older=0.8, new=0.1)
    site["/old"] = redirect("/new")
    site["/older"] = redirect("/new")
    story = tell(site, limits=Limits(round_size=1, min_gain=0))
    assert story.fetched == ["/", "/old", "/new", "/older"]
    assert story.of("/new").disposition is Disposition.KEPT
    assert story.of("/older").same_as == story.of("/new").request.key


def test_redirects_in_a_circle_end() -> None:
    site = Website({"/": redirect("/a"), "/a": redirect("/b"), "/b": redirect("/")})
    story = tell(site)
    assert story.fetched == ["/", "/a", "/b"]
    assert story.stop.reason is StopReason.NOTHING_FETCHED


def test_redirects_without_end_are_given_up() -> None:
    site = Website({f"/{n}": redirect(f"/{n + 1}") for n in range(30)})
    story = tell(site, "/0")
    assert len(story.fetched) == 11
    assert story.events[-1].rule == "redirect-limit"


def test_a_seed_that_redirects_takes_the_scope_with_it_but_a_link_does_not() -> None:
    site = Website(
        {
            "/": redirect("https://www.toy.example/home"),
            "/home": page("Home", "Home.", links={"https://www.toy.example/a": "a 0.9", "/away": "away 0.8"}),
            "/a": page("A", "Text."),
            "/away": redirect("https://elsewhere.example/"),
        }
    )
    story = tell(site)
    kept = [e.request.url for e in story.events if e.disposition is Disposition.KEPT]
    assert kept == ["https://www.toy.example/home", "https://www.toy.example/a"]
    away = next(e for e in story.events if e.request.url == "https://www.toy.example/away")
    assert (away.disposition, away.rule) == (Disposition.REFUSED, "host")


def test_a_noindex_page_is_followed_but_not_kept() -> None:
    site = hub(a=0.9)
    site["/a"] = page("A", "Text.", links={"/deep": "deep 0.5"}, noindex=True)
    site["/deep"] = page("Deep", "Deep text.")
    strategy = ByAnchor()
    story = tell(site, strategy=strategy)
    assert story.of("/a").disposition is Disposition.FOLLOWED
    assert story.of("/deep").disposition is Disposition.KEPT
    assert site.url("/a") not in strategy.learned


def test_robots_txt_is_asked_before_the_first_page_of_an_origin() -> None:
    site = hub(open=0.9, private=0.8)
    site.robots = "User-agent: *\nDisallow: /private\n"
    story = tell(site, agent="adaptive-crawl")
    assert story.rounds[0] == ["/robots.txt"]
    assert story.events[0].request.kind is Kind.ROBOTS
    assert "/private" not in story.fetched
    assert dict(story.of("/").refused) == {"robots": 1}


def test_seeds_that_robots_txt_forbids_are_not_fetched_and_the_stop_says_so() -> None:
    site = hub(a=0.9)
    site.robots = "User-agent: *\nDisallow: /\n"
    story = tell(site, agent="adaptive-crawl")
    assert story.fetched == ["/robots.txt"]
    assert story.stop.reason is StopReason.NOTHING_FETCHED
    assert "robots.txt forbids" in story.stop.detail
    assert story.stop.figures["seeds_refused_by_robots"] == 1


def test_a_server_error_for_robots_txt_forbids_everything() -> None:
    site = hub(a=0.9)
    site.robots = 503
    story = tell(site, agent="adaptive-crawl")
    assert story.fetched == ["/robots.txt"]
    assert "503" in story.stop.detail


def test_every_plan_names_the_best_links_it_passed_over() -> None:
    site = hub(a=0.9, b=0.8, c=0.7)
    starts = [site.url("/")]
    scope = Scope(ScopeConfig(), starts, downloads=False)
    crawl = Crawl(starts, ByAnchor(), scope, Limits(round_size=1))
    first = crawl.plan()
    assert isinstance(first, Plan)
    crawl.settle(first.requests[0], site.outcome("/"))
    second = crawl.plan()
    assert isinstance(second, Plan)
    assert [(p.url, p.score) for p in second.passed_over] == [(site.url("/b"), 0.8), (site.url("/c"), 0.7)]


def test_what_an_earlier_query_fetched_is_knowledge_but_counts_against_no_limit() -> None:
    site = hub(a=0.9, b=0.8)
    starts = [site.url("/")]
    strategy = ByAnchor()
    scope = Scope(ScopeConfig(), starts, downloads=False)
    earlier = Crawl(starts, ByAnchor(), scope, Limits(max_pages=2, round_size=1))
    later = Crawl(starts, strategy, scope, Limits(max_pages=1), goal=1)
    while isinstance(step := earlier.plan(), Plan):
        for request in step.requests:
            earlier.settle(request, site.outcome(request.url))
            later.settle(request, site.outcome(request.url))
        later.close_round(step.round, seconds=5.0)
    assert strategy.learned == [site.url("/"), site.url("/a")]
    step = later.plan()
    assert isinstance(step, Plan)
    assert [r.url for r in step.requests] == [site.url("/b")]
    assert step.round == 2


def test_a_strategy_that_raises_is_named() -> None:
    class Broken(ByAnchor):
        def rank(self, candidates: Sequence[Candidate]) -> Sequence[Scored]:
            raise ZeroDivisionError("no")

    with pytest.raises(StrategyError, match=r"Broken\.rank raised ZeroDivisionError"):
        tell(hub(a=0.9), strategy=Broken())


def test_a_second_query_that_the_pages_held_answer_fetches_nothing() -> None:
    site = hub(a=0.9, b=0.8)
    starts = [site.url("/")]
    scope = Scope(ScopeConfig(), starts, downloads=False)
    first = Crawl(starts, ByAnchor(), scope, Limits(max_pages=2, round_size=1))
    second = Crawl(starts, ByAnchor(enough=2), scope, Limits(), goal=1)
    while isinstance(step := first.plan(), Plan):
        for request in step.requests:
            first.settle(request, site.outcome(request.url))
            second.settle(request, site.outcome(request.url))
        second.close_round(step.round, seconds=1.0)
    stop = second.plan()
    assert isinstance(stop, Stop)
    assert stop.reason is StopReason.CONFIDENT
    assert (stop.figures["pages_crawled"], stop.figures["pages_held"]) == (0, 2)


def test_of_a_page_in_two_languages_the_one_that_the_seed_speaks_is_fetched() -> None:
    site = Website(
        {
            "/en/": page("Home", "Hello.", links={"/en/a": "a 0.9", "/de/a": "a 0.8", "/de/": "de 0.7"}),
            "/en/a": page("A", "Text."),
            "/de/a": page("A", "Ein Text."),
            "/de/": page("Start", "Hallo."),
        }
    )
    starts = [site.url("/en/")]
    scope = ScopeConfig(within="host")
    both = tell(site, "/en/", scope=scope)
    assert set(both.fetched) == {"/en/", "/en/a", "/de/a", "/de/"}
    one = tell(site, "/en/", scope=scope, variants=Variants(seeds=map(canonicalize, starts)))
    assert one.fetched == ["/en/", "/en/a"]
    assert dict(one.of("/en/").refused) == {"language": 2}


def test_a_page_seen_before_but_for_a_date_is_not_kept_again() -> None:
    words = " ".join(f"word{n}" for n in range(80))
    site = hub(a=0.9, b=0.8)
    site["/a"] = page("News", f"Printed on 2026-01-02. {words}")
    site["/b"] = page("News", f"Printed on 2026-03-04. {words}")
    story = tell(site)
    assert story.of("/b").disposition is Disposition.DUPLICATE
    assert story.of("/b").same_as == story.of("/a").request.key


def test_a_parameter_that_makes_no_difference_is_followed_no_further() -> None:
    links = {"/a": "a 0.9", "/a?ref=top": "a 0.8", "/b?ref=top": "b 0.7"}
    site = Website(
        {
            "/": page("Hub", "A hub.", links=links),
            "/a": page("A", "Text of a.", links={"/c?tab=2": "c 0.5"}),
            "/a?ref=top": page("A", "Text of a.", links={"/c?tab=2": "c 0.5"}),
            "/b?ref=top": page("B", "Text of b.", links={"/d?ref=end": "d 0.9"}),
            "/c?tab=2": page("C", "Text of c."),
        }
    )
    story = tell(site, limits=Limits(round_size=1, min_gain=0))
    assert story.of("/a?ref=top").disposition is Disposition.DUPLICATE
    assert dict(story.of("/b?ref=top").refused) == {"same-content-parameter": 1}
    assert "/d?ref=end" not in story.fetched
