"""Whole crawls of toy sites in a test: the real core, journal and runner, a visitor under control.

No network, no clock and no waiting: when a visit answers is drawn from a seed, in turns of the event loop,
or decided by the test.
"""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from adaptive_crawl.crawler.crawl import Crawl, Limits
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.model import (
    Assessment,
    Candidate,
    Event,
    Outcome,
    Page,
    Query,
    Request,
    RobotsFile,
    Scored,
    Stop,
    StopReason,
)
from adaptive_crawl.crawler.runner import run
from adaptive_crawl.crawler.scope import Scope, ScopeConfig
from adaptive_crawl.crawler.stopping import Stopping

from .website import Website


@dataclass
class Touchy:
    """A strategy in which everything depends on everything: one outcome more, fewer or in another place
    than before, and every score from then on is a different one."""

    memory: bytes = b""
    pages: int = 0
    enough: int = 1000

    def learn(self, candidate: Candidate, outcome: Outcome) -> None:
        self.memory = hashlib.sha256(self.memory + repr((candidate, outcome)).encode()).digest()
        self.pages += isinstance(outcome, Page)

    def assess(self, ranked: Sequence[Scored]) -> Assessment:
        done = self.pages >= self.enough
        metrics = {"memory": float(int.from_bytes(self.memory[:4]))}
        return Assessment(
            0.5, metrics, StopReason.CONFIDENT if done else None, done, "enough" if done else ""
        )

    def rank(self, candidates: Sequence[Candidate]) -> Sequence[Scored]:
        return [
            Scored(c, self._score(c), (("touchy", self._score(c)),), f"of {c.in_links}") for c in candidates
        ]

    def _score(self, candidate: Candidate) -> float:
        digest = hashlib.sha256(self.memory + repr(candidate).encode()).digest()
        return int.from_bytes(digest[:6]) / 2**48


@dataclass
class ToyVisitor:
    """Visits a toy site. With ``chance``, each visit waits at a gate and then for its answer for some turns
    of the event loop; ``stopping`` releases those at the gate."""

    site: Website
    chance: Random | None = None
    stopping: Stopping | None = None
    on_visit: Callable[[Request], None] | None = None
    body: bytes | None = None
    visited: list[str] = field(default_factory=list)
    known: list[RobotsFile] = field(default_factory=list)

    async def visit(self, request: Request) -> Visited:
        for _ in range(self._turns()):
            self._leave_when_stopping()
            await asyncio.sleep(0)
        self._leave_when_stopping()
        self.visited.append(request.url)
        if self.on_visit is not None:
            self.on_visit(request)
        for _ in range(self._turns()):
            await asyncio.sleep(0)
        return Visited(self.site.outcome(request.url), self.body)

    def _turns(self) -> int:
        return self.chance.randrange(8) if self.chance else 0

    def _leave_when_stopping(self) -> None:
        if self.stopping is not None and self.stopping.asked.is_set():
            raise asyncio.CancelledError("released: the run is stopping")

    def know(self, robots: RobotsFile) -> None:
        self.known.append(robots)


@dataclass
class Told:
    """What a run brought: why it stopped, and what was heard of it."""

    stop: Stop
    projected: list[Event]
    observed: list[Event]
    visited: list[str]


def core(
    site: Website,
    limits: Limits | None = None,
    *,
    strategy: Touchy | None = None,
    agent: str | None = None,
    goal: int = 0,
    seeds: Sequence[str] = ("/",),
) -> Crawl:
    """A core that has heard nothing yet."""
    starts = [site.url(seed) for seed in seeds]
    scope = Scope(ScopeConfig(), starts, downloads=True)
    limits = limits or Limits(max_pages=None, min_gain=0)
    return Crawl(starts, strategy or Touchy(), scope, limits, goal=goal, robots_agent=agent)


def journal_of(folder: Path) -> Journal:
    """The journal of a folder, new or gone on with."""
    return Journal.open(folder) if (folder / ".crawl").exists() else Journal.create(folder)


def crawl(
    folder: Path,
    crawl: Crawl,
    visitor: ToyVisitor,
    *,
    stopping: Stopping | None = None,
    on_event: Callable[[Journal, Event], None] | None = None,
    on_news: Callable[[Event], None] | None = None,
    query: str = "backups",
) -> Told:
    """Begin or resume a crawl in a folder, and tell what happened."""
    projected: list[Event] = []
    observed: list[Event] = []
    with journal_of(folder) as journal:
        begun = journal.begin(Run((visitor.site.url("/"),), Query(query)))

        def project(event: Event) -> None:
            projected.append(event)
            if on_event is not None:
                on_event(journal, event)

        def observe(event: Event) -> None:
            observed.append(event)
            if on_news is not None:
                on_news(event)

        stop = asyncio.run(
            run(
                crawl,
                journal,
                visitor,
                project=project,
                observe=observe,
                stopping=stopping,
                clock=lambda: 0.0,
            )
        )
        journal.end(begun, stop)
    return Told(stop, projected, observed, visitor.visited)
