"""What a revisit asks, what its answer makes of the page held, and when the core asks for what is held."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from adaptive_crawl.crawler.crawl import MAX_URGENT, Crawl, Limits
from adaptive_crawl.crawler.fetching.fetcher import FetchConfig, Fetcher
from adaptive_crawl.crawler.fetching.gate import Gate
from adaptive_crawl.crawler.fetching.politeness import Politeness, PolitenessConfig
from adaptive_crawl.crawler.fetching.readers import Readers
from adaptive_crawl.crawler.fetching.revisit import (
    Held,
    conditions,
    first_seen,
    instead,
    is_gone,
    not_modified,
)
from adaptive_crawl.crawler.fetching.visit import Visitor
from adaptive_crawl.crawler.fetching.visited import Visited, visited_of
from adaptive_crawl.crawler.model import (
    NOT_MODIFIED,
    Disposition,
    Event,
    Failure,
    FailureKind,
    Kind,
    Outcome,
    Page,
    Plan,
    Request,
    Stop,
    StopReason,
)
from adaptive_crawl.crawler.reading.reader import Reading, read
from adaptive_crawl.crawler.scope import Scope, ScopeConfig
from adaptive_crawl.scoring.content import ContentConfig, content_filter

from .test_crawl import ByAnchor
from .website import FETCHED_AT, Website, failure, page, redirect

SITE = Website({"/": page("Home", "Text.")})
PAGE = replace(SITE.page("/"), etag='"one"', last_modified="Wed, 21 Oct 2015 07:28:00 GMT")
HELD = Held(PAGE, '"one"', "Wed, 21 Oct 2015 07:28:00 GMT", "body")
LATER = "2026-05-05T05:05:05Z"


# Values.


def test_a_page_held_is_asked_for_by_its_newest_validators() -> None:
    assert conditions(replace(HELD, etag='W/"two"')) == {
        "If-None-Match": 'W/"two"',
        "If-Modified-Since": "Wed, 21 Oct 2015 07:28:00 GMT",
    }
    assert conditions(replace(HELD, last_modified="")) == {"If-None-Match": '"one"'}


@pytest.mark.parametrize(
    "held",
    [
        None,
        replace(HELD, whole=False),
        replace(HELD, current=False),
        Held(PAGE),
        Held(PAGE, "a\r\nX-Evil: 1", "x" * 5000),
    ],
)
def test_nothing_is_asked_conditionally_without_what_a_304_would_confirm(held: Held | None) -> None:
    assert conditions(held) == {}


def test_the_same_content_keeps_its_time_and_validators_and_nothing_else_of_what_is_held() -> None:
    came = replace(PAGE, title="New title", fetched_at=LATER, etag='"two"', last_modified="")
    kept = first_seen(HELD, came)
    assert kept == replace(came, fetched_at=FETCHED_AT, etag=PAGE.etag, last_modified=PAGE.last_modified)
    assert first_seen(HELD, replace(came, digest="another")) == replace(came, digest="another")


def test_a_tree_without_times_gets_that_of_now() -> None:
    timeless = replace(HELD, outcome=replace(PAGE, fetched_at=""))
    assert first_seen(timeless, replace(PAGE, fetched_at=LATER)) == replace(PAGE, fetched_at=LATER)


@pytest.mark.parametrize(
    ("kind", "status", "gone"),
    [
        (FailureKind.HTTP, 404, True),
        (FailureKind.HTTP, 410, True),
        (FailureKind.ROBOTS, 0, True),
        (FailureKind.HTTP, 500, False),
        (FailureKind.HTTP, 403, False),
        (FailureKind.HTTP, 304, False),
        (FailureKind.AUTH, 401, False),
        (FailureKind.TIMEOUT, 0, False),
        (FailureKind.DNS, 0, False),
        (FailureKind.WAIT, 429, False),
    ],
)
def test_only_what_a_site_says_is_gone_is_gone(kind: FailureKind, status: int, gone: bool) -> None:
    failed = Failure(PAGE.url, kind, "what happened", status)
    assert is_gone(failed) is gone
    assert instead(HELD, failed) == (failed if gone else replace(PAGE, held="what happened"))
    assert instead(replace(HELD, whole=False), failed) == failed


# A visit.


def visited(site: Website, held: Held | None, retries: int = 0) -> Visited:
    """Visit the start page of a site of which something is held."""
    reading = Reading(content_filter(ContentConfig(), ""))

    async def visit() -> Visited:
        politeness = Politeness(PolitenessConfig(delay=0))
        async with Fetcher(FetchConfig(), transport=site.transport()) as fetcher:
            visitor = Visitor(
                fetcher,
                Gate(politeness),
                politeness,
                Readers(partial(visited_of, partial(read, reading=reading)), processes=0),
                agent=None,
                retries=retries,
                max_redirects=3,
                recall=lambda key: held,
            )
            return await visitor.visit(request("/"))

    return asyncio.run(visit())


def request(path: str, **more: object) -> Request:
    url = SITE.url(path)
    return Request(0, 0, 0, Kind.PAGE, url, url, **more)  # type: ignore[arg-type]


def test_a_304_gives_the_page_held_and_keeps_its_body() -> None:
    first = visited(SITE, None)
    assert isinstance(first.outcome, Page)
    again = visited(SITE, Held(first.outcome, first.outcome.etag, "", "digest of the body"))
    assert again == Visited(
        replace(first.outcome, held=NOT_MODIFIED),
        kept_body="digest of the body",
        validators=(first.outcome.etag, ""),
    )


def test_a_304_that_nobody_asked_for_is_a_failure() -> None:
    outcome = visited(Website({"/": failure(304)}), None).outcome
    assert isinstance(outcome, Failure)
    assert outcome.status == 304
    kept = visited(Website({"/": failure(304)}), replace(HELD, current=False)).outcome
    assert kept == replace(PAGE, held="HTTP 304 Not Modified")


def test_a_failure_gives_the_page_held_after_the_usual_attempts() -> None:
    site = Website({"/": failure(500)})
    kept = visited(site, HELD)
    assert kept.outcome == replace(PAGE, held="HTTP 500 Internal Server Error")
    assert (kept.kept_body, kept.validators) == ("body", (HELD.etag, HELD.last_modified))
    stale = replace(HELD, outcome=replace(PAGE, held="HTTP 500"))
    assert not_modified(stale) == replace(PAGE, held=NOT_MODIFIED)


# The core.


class Update:
    """A core that finds some pages of a site held, and what it asks for round by round."""

    def __init__(
        self,
        site: Website,
        held: Sequence[Request],
        limits: Limits | None = None,
        *,
        seed: str = "/",
        within: str = "auto",
        agent: str | None = None,
        strategy: ByAnchor | None = None,
    ) -> None:
        self.site = site
        starts = [site.url(seed)]
        scope = Scope(ScopeConfig(within=within), starts, downloads=True)  # type: ignore[arg-type]
        self.core = Crawl(
            starts,
            strategy or ByAnchor(),
            scope,
            limits or Limits(max_pages=None, min_gain=0),
            robots_agent=agent,
            held=held,
            first_round=7,
        )
        self.rounds: list[list[str]] = []
        self.events: list[Event] = []

    def run(self) -> Stop:
        while isinstance(step := self.core.plan(), Plan):
            assert step == self.core.plan(), "asking changes nothing"
            self.rounds.append([one.url.removeprefix(self.site.base_url) for one in step.requests])
            for one in step.requests:
                self.events.append(self.core.settle(one, self.answer(one)))
            self.core.close_round(step.round, 0.0)
        return step

    def answer(self, one: Request) -> Outcome:
        return self.site.outcome(one.url)


def many(count: int) -> Website:
    links = {f"/p{n}": f"Page {n / count}" for n in range(count)}
    pages = {path: page(path, f"Text of {path}.") for path in links}
    return Website({"/": page("Home", "All pages.", links=links), **pages})


def test_what_is_held_comes_first_as_it_was_asked_for_in_rounds_of_bounded_size() -> None:
    held = [request("/")] + [
        request(
            f"/p{n}", depth=3, score=0.25, parts=(("x", 1.0),), reason="because", anchor="a", referrer="r"
        )
        for n in range(50, 0, -1)
    ]
    update = Update(many(60), held)
    update.run()
    assert update.rounds[0] == ["/"]
    assert update.rounds[1] == [f"/p{n}" for n in range(50, 50 - MAX_URGENT, -1)]
    assert update.rounds[2] == [f"/p{n}" for n in range(50 - MAX_URGENT, 0, -1)]
    assert update.rounds[3] == ["/p59", "/p58", "/p57"]
    asked = update.events[1].request
    assert replace(asked, round=0, rank=0) == held[1]
    assert asked.round == 8


def test_limits_on_pages_and_rounds_let_revisits_be_and_a_budget_ends_them() -> None:
    held = [request("/")] + [request(f"/p{n}", depth=1, referrer="r") for n in range(40)]
    update = Update(many(60), held, Limits(max_pages=5, max_rounds=1, min_gain=0, max_requests=1000))
    assert update.run().reason is StopReason.MAX_PAGES
    assert sum(map(len, update.rounds)) == 41
    update = Update(many(60), held, Limits(max_pages=None, max_requests=10))
    assert update.run().reason is StopReason.BUDGET
    assert sum(map(len, update.rounds)) == 10


def test_more_is_asked_for_only_if_the_assessment_wants_it() -> None:
    held = [request("/"), request("/p1", depth=1, referrer="r")]
    update = Update(many(5), held, strategy=ByAnchor(enough=2))
    assert update.run().reason is StopReason.CONFIDENT
    assert update.rounds == [["/"], ["/p1"]]
    update = Update(
        many(5), held, Limits(max_pages=None, min_gain=0, round_size=1), strategy=ByAnchor(enough=3)
    )
    update.run()
    assert update.rounds == [["/"], ["/p1"], ["/p4"]]


def test_what_may_not_be_asked_for_any_more_is_forsaken_with_its_rule() -> None:
    site = many(3)
    site.robots = "User-agent: *\nDisallow: /p1\n"
    elsewhere = "https://elsewhere.example/x"
    held = [
        request("/"),
        request("/p1", depth=1, referrer="r"),
        request("/far", depth=9, referrer="r"),
        request("/p2", depth=9, referrer="r"),
        replace(request("/"), url=elsewhere, key=elsewhere, depth=1, referrer="r"),
    ]
    update = Update(site, held, Limits(max_pages=None, min_gain=0, max_depth=5), agent="bot")
    update.run()
    assert update.core.forsaken() == {
        site.url("/p1"): "robots",
        site.url("/far"): "depth",
        elsewhere: "host",
    }
    (near,) = [event.request for event in update.events if event.request.url == site.url("/p2")]
    assert near.depth == 1, "what is found again nearer is asked for as if it were new"


def test_nothing_is_forsaken_while_robots_or_a_seed_cannot_be_had() -> None:
    site = many(3)
    site.robots = 503
    held = [request("/"), request("/p1", depth=1, referrer="r")]
    update = Update(site, held, agent="bot")
    update.run()
    assert update.core.forsaken() == {}
    site = Website({"/s/start": failure(500), "/docs/": page("Docs", "Text.")})
    update = Update(site, [request("/docs/")], seed="/s/start", within="subtree")
    update.run()
    assert update.rounds == [["/s/start"]]
    assert update.core.forsaken() == {}


def test_seeds_go_before_what_is_held_since_they_take_the_scope_along() -> None:
    site = Website(
        {"/start/": redirect("/docs/"), "/docs/": page("Docs", "Text."), "/docs/a": page("A", "A.")}
    )
    held = [request("/docs/", score=0.5, reason="as before"), request("/docs/a", depth=1, referrer="r")]
    update = Update(site, held, seed="/start/", within="subtree")
    update.run()
    assert update.rounds == [["/start/"], ["/docs/"], ["/docs/a"]]
    assert update.events[1].request.reason == "as before"


def test_a_page_held_that_moved_is_followed_to_where_it_went() -> None:
    site = Website(
        {
            "/": page("Home", "Text."),
            "/a": redirect("/b", status=301),
            "/b": page("B", "B."),
            "/c": page("C", "C."),
        }
    )
    held = [request("/"), request("/a", depth=1, referrer="r"), request("/c", depth=1, referrer="r")]
    update = Update(site, held)
    update.run()
    assert update.rounds == [["/"], ["/a", "/c"], ["/b"]]
    assert [event.disposition for event in update.events][1] is Disposition.REDIRECTED


def test_bytes_are_those_that_came() -> None:
    class Unchanged(Update):
        def answer(self, one: Request) -> Outcome:
            outcome = super().answer(one)
            return replace(outcome, held=NOT_MODIFIED) if isinstance(outcome, Page) else outcome

    update = Unchanged(many(3), [request("/")])
    assert update.run().figures["bytes"] == 0
    assert update.core.is_held(SITE.url("/")) is False
