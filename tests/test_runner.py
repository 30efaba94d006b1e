"""The loop between core and world: what is promised of order, durability and stopping."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adaptive_crawl.crawler.crawl import Limits
from adaptive_crawl.crawler.errors import OutputError, StrategyError
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling.journal import Journal, RoundClosed
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.model import Candidate, Event, Query, Request, Stop, StopReason
from adaptive_crawl.crawler.runner import MOST_HELD, run
from adaptive_crawl.crawler.stopping import Stopping

from .toy_crawl import Touchy, ToyVisitor, core, crawl, journal_of
from .website import Website, page

LIMITS = Limits(max_pages=None, min_gain=0, round_size=3)


def hub() -> Website:
    """A start page that links to three others: a round of one, then a round of three."""
    site = Website({"/": page("Hub", "A hub.", links={f"/{name}": f"to {name}" for name in "abc"})})
    for name in "abc":
        site[f"/{name}"] = page(name, f"Text of {name}.")
    site.robots = "User-agent: *\nDisallow: /private\n"
    return site


@dataclass
class ByHand:
    """A visitor that answers when the test says so; what it has not let in waits at a gate."""

    site: Website
    stopping: Stopping
    answered: dict[str, asyncio.Event] = field(default_factory=dict)
    arrived: list[str] = field(default_factory=list)
    known: int = 0
    at_the_gate: set[str] = field(default_factory=set)

    async def visit(self, request: Request) -> Visited:
        path = request.url.removeprefix(self.site.base_url)
        self.arrived.append(path)
        if path in self.at_the_gate:
            await self.stopping.asked.wait()
            raise asyncio.CancelledError("released")
        await self.answered.setdefault(path, asyncio.Event()).wait()
        return Visited(self.site.outcome(request.url))

    def know(self, robots: object) -> None:
        self.known += 1

    def answer(self, *paths: str) -> None:
        for path in paths:
            self.answered.setdefault(path, asyncio.Event()).set()


@dataclass
class Scene:
    """A crawl under way in a test."""

    journal: Journal
    visitor: ByHand
    stopping: Stopping
    crawl: "asyncio.Task[Stop]"
    projected: list[Event]
    now: list[float]
    """What the clock shows."""

    @property
    def heard(self) -> list[str]:
        return [event.request.url.removeprefix(self.visitor.site.base_url) for event in self.projected]

    async def turns(self) -> None:
        """Let everything happen that can happen now."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def until(self, true: Callable[[], bool]) -> None:
        """Turn the event loop until something holds; it needs no time, only turns."""
        for _ in range(1000):
            if true():
                return
            await asyncio.sleep(0)
        raise AssertionError("it never came to that")

    async def second_round(self) -> None:
        """Let the hub be fetched, and the three pages it links to be asked for."""
        self.visitor.answer("/")
        await self.until(lambda: len(self.visitor.arrived) == 4)


def play(folder: Path, scenario: Callable[[Scene], Awaitable[None]], start: float = 0.0) -> None:
    """Run a scenario beside a crawl of the hub; the crawl must have ended when it ends."""

    async def both(journal: Journal) -> None:
        stopping, now = Stopping(), [start]
        visitor = ByHand(hub(), stopping)
        projected: list[Event] = []
        under_way = run(
            core(visitor.site, LIMITS),
            journal,
            visitor,
            project=projected.append,
            stopping=stopping,
            clock=lambda: now[0],
        )
        scene = Scene(journal, visitor, stopping, asyncio.create_task(under_way), projected, now)
        await scenario(scene)
        assert scene.crawl.done()

    with journal_of(folder) as journal:
        journal.begin(Run(("https://toy.example/",), Query("backups")))
        asyncio.run(both(journal))


def resumed(folder: Path) -> list[str]:
    """Resume the crawl of the hub to its end, and give what that fetched."""
    told = crawl(folder, core(hub(), LIMITS), ToyVisitor(hub()))
    assert told.stop.reason is StopReason.FRONTIER_EMPTY
    assert len({event.request.url for event in told.projected}) == len(told.projected) == 4
    return [url.removeprefix("https://toy.example") for url in told.visited]


# Order and durability.


def test_rows_are_in_the_journal_before_a_byte_is_asked_for(tmp_path: Path) -> None:
    seen: list[bool] = []

    with journal_of(tmp_path) as journal:
        journal.begin(Run(("https://toy.example/",)))

        def look(request: Request) -> None:
            seen.append(request in journal.unsettled(request.round))

        visitor = ToyVisitor(hub(), on_visit=look)
        asyncio.run(run(core(visitor.site, LIMITS), journal, visitor))
    assert seen == [True] * 4


def test_an_outcome_is_in_the_journal_before_anyone_hears_of_it(tmp_path: Path) -> None:
    seen: list[bool] = []

    def look(journal: Journal, event: Event) -> None:
        settled = {past.request: past.outcome for past in journal.settled_in(event.request.round)}
        seen.append(settled.get(event.request) == event.outcome)

    crawl(tmp_path, core(hub(), LIMITS), ToyVisitor(hub()), on_event=look)
    assert seen == [True] * 4


def test_what_has_settled_is_told_in_plan_order_as_soon_as_all_before_it_has(tmp_path: Path) -> None:
    async def scenario(scene: Scene) -> None:
        await scene.second_round()
        first, second, third = scene.visitor.arrived[1:]
        scene.visitor.answer(second)
        await scene.until(lambda: len(scene.journal.unsettled(1)) == 2)
        assert scene.heard == ["/"]
        scene.visitor.answer(first)
        await scene.until(lambda: scene.heard == ["/", first, second])
        assert not scene.crawl.done()
        scene.visitor.answer(third)
        stop = await scene.crawl
        assert stop.reason is StopReason.FRONTIER_EMPTY
        assert scene.heard == ["/", first, second, third]

    play(tmp_path, scenario)


def test_a_round_that_was_broken_off_remembers_its_seconds_up_to_the_newest_outcome(tmp_path: Path) -> None:
    async def broken(scene: Scene) -> None:
        await scene.second_round()
        scene.now[0] = 5.0
        scene.visitor.answer("/b")
        await scene.until(lambda: len(scene.journal.unsettled(1)) == 2)
        scene.now[0] = 9.0
        scene.crawl.cancel()
        await asyncio.wait([scene.crawl])

    async def whole(scene: Scene) -> None:
        await scene.until(lambda: len(scene.visitor.arrived) == 2)
        scene.now[0] = 1007.0
        scene.visitor.answer("/a", "/c")
        await scene.crawl
        closed = [past for past in scene.journal.history() if isinstance(past, RoundClosed)]
        assert closed == [RoundClosed(0, 0.0), RoundClosed(1, 5.0 + 7.0)]

    play(tmp_path, broken)
    play(tmp_path, whole, start=1000.0)


# The past.


def test_the_past_is_projected_again_but_not_observed(tmp_path: Path) -> None:
    first = crawl(tmp_path, core(hub(), LIMITS, agent="bot"), ToyVisitor(hub()))
    visitor = ToyVisitor(hub())
    again = crawl(tmp_path, core(hub(), LIMITS, agent="bot"), visitor)
    assert again.projected == first.projected == first.observed
    assert again.observed == []
    assert again.visited == []
    assert again.stop == first.stop
    assert [robots.text for robots in visitor.known] == [hub().robots]


def test_a_larger_limit_goes_on_where_the_smaller_one_stopped(tmp_path: Path) -> None:
    first = crawl(tmp_path, core(hub(), Limits(max_pages=2, min_gain=0)), ToyVisitor(hub()))
    assert first.stop.reason is StopReason.MAX_PAGES
    again = crawl(tmp_path, core(hub(), Limits(max_pages=3, min_gain=0)), ToyVisitor(hub()))
    assert again.stop.reason is StopReason.MAX_PAGES
    assert again.stop.figures["pages_crawled"] == 3
    assert len(first.visited) == 2
    assert len(again.visited) == 1


def test_a_new_query_fetches_nothing_twice(tmp_path: Path) -> None:
    first = crawl(tmp_path, core(hub(), Limits(max_pages=2, min_gain=0)), ToyVisitor(hub()))
    other = core(hub(), Limits(max_pages=9, min_gain=0), goal=1)
    again = crawl(tmp_path, other, ToyVisitor(hub()), query="restores")
    assert len(again.projected) == 4
    assert not set(again.visited) & set(first.visited)


# Stopping.


def test_the_first_signal_releases_what_waits_and_lets_what_is_in_flight_end(tmp_path: Path) -> None:
    async def scenario(scene: Scene) -> None:
        scene.visitor.at_the_gate = {"/a", "/b"}
        await scene.second_round()
        scene.stopping.ask()
        await scene.turns()
        assert not scene.crawl.done()
        scene.visitor.answer("/c")
        stop = await scene.crawl
        assert stop.reason is StopReason.INTERRUPTED
        assert stop.figures["pages_crawled"] == len(scene.heard)
        assert {asked.url for asked in scene.journal.unsettled(1)} == {
            "https://toy.example/a",
            "https://toy.example/b",
        }

    play(tmp_path, scenario)
    assert sorted(resumed(tmp_path)) == ["/a", "/b"]


def test_the_second_signal_cancels_what_is_in_flight_and_loses_nothing_settled(tmp_path: Path) -> None:
    async def scenario(scene: Scene) -> None:
        await scene.second_round()
        scene.visitor.answer("/b")
        await scene.until(lambda: len(scene.journal.unsettled(1)) == 2)
        scene.stopping.ask()
        scene.stopping.ask()
        assert (await scene.crawl).reason is StopReason.INTERRUPTED

    play(tmp_path, scenario)
    assert sorted(resumed(tmp_path)) == ["/a", "/c"]


def test_a_signal_between_two_rounds_plans_nothing_more(tmp_path: Path) -> None:
    stopping = Stopping()
    told = crawl(
        tmp_path,
        core(hub(), LIMITS),
        ToyVisitor(hub()),
        stopping=stopping,
        on_event=lambda journal, event: stopping.ask(),
    )
    assert told.stop.reason is StopReason.INTERRUPTED
    assert "3 links left" in told.stop.detail
    with Journal.open(tmp_path) as journal:
        assert journal.open_plan() is None
        assert journal.runs()[-1].stop == told.stop
    assert len(resumed(tmp_path)) == 3


def test_a_crawl_that_is_over_anyway_says_why_though_a_signal_came(tmp_path: Path) -> None:
    stopping = Stopping()
    told = crawl(
        tmp_path,
        core(hub(), Limits(max_pages=1)),
        ToyVisitor(hub()),
        stopping=stopping,
        on_event=lambda journal, event: stopping.ask(),
    )
    assert told.stop.reason is StopReason.MAX_PAGES


def test_a_signal_during_the_replay_is_heard(tmp_path: Path) -> None:
    crawl(tmp_path, core(hub(), LIMITS), ToyVisitor(hub()))
    stopping = Stopping()
    stopping.ask()
    told = crawl(tmp_path, core(hub(), LIMITS), ToyVisitor(hub()), stopping=stopping)
    assert told.stop.reason is StopReason.INTERRUPTED
    assert told.visited == []


def test_a_crawl_that_is_cancelled_from_outside_can_be_resumed(tmp_path: Path) -> None:
    async def scenario(scene: Scene) -> None:
        await scene.second_round()
        scene.visitor.answer("/b")
        await scene.until(lambda: len(scene.journal.unsettled(1)) == 2)
        scene.crawl.cancel()
        with pytest.raises(asyncio.CancelledError):
            await scene.crawl

    play(tmp_path, scenario)
    assert sorted(resumed(tmp_path)) == ["/a", "/c"]


# Trouble.


class Broken(Touchy):
    """A strategy that breaks on its third outcome."""

    def learn(self, candidate: Candidate, outcome: object) -> None:
        if self.pages == 2:
            raise ZeroDivisionError("no")
        self.pages += 1


def test_a_strategy_that_raises_ends_the_run_as_itself_and_the_crawl_can_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(StrategyError, match="ZeroDivisionError") as raised:
        crawl(tmp_path, core(hub(), LIMITS, strategy=Broken()), ToyVisitor(hub()))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    with Journal.open(tmp_path) as journal:
        left = len(journal.unsettled(1))
    assert len(resumed(tmp_path)) == left


def test_a_projection_that_raises_ends_the_run_as_itself_and_the_crawl_can_be_resumed(tmp_path: Path) -> None:
    def full(journal: Journal, event: Event) -> None:
        if event.request.url.endswith("/b"):
            raise OutputError("the disk is full")

    with pytest.raises(OutputError, match="the disk is full"):
        crawl(tmp_path, core(hub(), LIMITS), ToyVisitor(hub()), on_event=full)
    resumed(tmp_path)


def test_what_is_known_of_hosts_outlives_the_run(tmp_path: Path) -> None:
    patience = {"toy.example": {"delay": 1.0}}
    with journal_of(tmp_path) as journal:
        journal.begin(Run(("https://toy.example/",)))
        visitor = ToyVisitor(hub())
        asyncio.run(run(core(visitor.site, LIMITS), journal, visitor, hosts=lambda: patience))
    with Journal.open(tmp_path) as journal:
        assert journal.hosts() == patience


def test_a_round_of_any_length_is_told_in_plan_order_though_its_first_page_comes_last(tmp_path: Path) -> None:
    """More outcomes wait for it than are held in memory: the others come from the journal once more."""
    names = [f"/{number}" for number in range(MOST_HELD + 20)]
    site = Website({"/": page("Hub", "A hub.", links=dict.fromkeys(names, "a page"))})
    for name in names:
        site[name] = page(name, f"Text of {name}.")

    async def story() -> tuple[list[Event], int]:
        stopping = Stopping()
        visitor = ByHand(site, stopping)
        visitor.answer("/", "/robots.txt")
        told: list[Event] = []
        with journal_of(tmp_path) as journal:
            journal.begin(Run((site.url("/"),), Query("hub")))
            limits = Limits(max_pages=None, min_gain=0, round_size=1000)
            running = asyncio.create_task(
                run(core(site, limits), journal, visitor, project=told.append, stopping=stopping)
            )
            while len(visitor.arrived) < len(names) + 1:  # noqa: ASYNC110 - there is nothing to be told by
                await asyncio.sleep(0)
            first, *others = visitor.arrived[-len(names) :]
            for name in others:
                visitor.answer(name)
                await asyncio.sleep(0)
            before = len(told)
            visitor.answer(first)
            await running
        return told, before

    told, before = asyncio.run(story())
    assert len(told) == before + len(names)
    assert [event.request.rank for event in told[before:]] == list(range(len(names)))
