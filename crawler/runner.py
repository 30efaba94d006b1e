"""The loop that joins the core to the world: plan, fetch, journal, settle.

Decides nothing. What it promises: a request's row is in the journal before its first byte is asked for; an
outcome is in the journal before the core hears of it; the core hears outcomes in plan order, whichever
answers first; and a round that was broken off is finished before a new one is planned. It follows that a
crawl that was stopped and resumed is the crawl that was never stopped.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .errors import CrawlError
from .journaling.journal import Journal, RoundClosed
from .journaling.record import Packed, pack
from .journaling.rows import Settled
from .model import Event, Outcome, Plan, Request, RobotsFile, Stop
from .stopping import Stopping

if TYPE_CHECKING:
    from .fetching.visited import Visited

MOST_HELD = 64
"""Outcomes held in memory until their turn to be told; more are read from the journal once more, so that a
slow page at the head of a long round costs no memory."""

BREATH = 16
"""Outcomes replayed between two looks at the event loop, so that a signal is heard within milliseconds."""


class Core(Protocol):
    """What decides; see ``crawl.Crawl``."""

    def plan(self) -> Plan | Stop: ...
    def settle(self, request: Request, outcome: Outcome) -> Event: ...
    def close_round(self, round: int, seconds: float) -> None: ...
    def interrupted(self) -> Stop: ...


class Visitor(Protocol):
    """What fetches; see ``visit.Visitor``."""

    async def visit(self, request: Request) -> "Visited":
        """Make a request; its trouble is a value. Cancelled while it waits its turn when the crawl stops."""

    def know(self, robots: RobotsFile) -> None:
        """Take in a robots.txt that an earlier run fetched."""


Tell = Callable[[Event], None]
Hosts = Callable[[], Mapping[str, Mapping[str, object]]]


def _silent(event: Event) -> None:
    """Tell nobody."""


async def run(
    crawl: Core,
    journal: Journal,
    visitor: Visitor,
    *,
    project: Tell = _silent,
    observe: Tell = _silent,
    hosts: Hosts = dict,
    stopping: Stopping | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Stop:
    """Crawl until the core stops or ``stopping`` is asked, and say why.

    Args:
        crawl: a core that has heard nothing yet: the journal tells it the past.
        journal: with a run begun.
        project: hears the whole history in plan order, the past once more each time: tree, report.
        observe: hears what this run fetched, after it was projected: progress, log.
        hosts: gives what is known of each host's patience, as plain data that outlives the run.
        clock: seconds that never go back.

    Raises:
        CrawlError: what the core, the journal or a projection raised; what was settled is safe.
    """
    runner = _Runner(crawl, journal, visitor, project, observe, hosts, stopping or Stopping(), clock)
    return await runner.run()


@dataclass
class _Runner:
    crawl: Core
    journal: Journal
    visitor: Visitor
    project: Tell
    observe: Tell
    hosts: Hosts
    stopping: Stopping
    clock: Callable[[], float]
    hosts_kept: dict[str, Mapping[str, object]] = field(default_factory=dict)

    async def run(self) -> Stop:
        if not await self._replay():
            return self.crawl.interrupted()
        while True:
            plan = self.journal.open_plan()
            if plan is None:
                step = self.crawl.plan()
                if isinstance(step, Stop):
                    return step
                if self.stopping.asked.is_set():
                    return self.crawl.interrupted()
                plan = self._planned(step)
            if not await self._finish(plan):
                return self.crawl.interrupted()

    async def _replay(self) -> bool:
        """Tell the past once more; False when the crawl was told to stop meanwhile."""
        for number, past in enumerate(self.journal.history()):
            match past:
                case Settled():
                    self._tell(past, new=False)
                case RoundClosed(round, seconds):
                    self.crawl.close_round(round, seconds)
            if number % BREATH == 0:
                await asyncio.sleep(0)
                if self.stopping.asked.is_set():
                    return False
        return True

    def _planned(self, plan: Plan) -> Plan:
        """The plan as the journal gives it back, so that the core hears what a replay will tell it."""
        self.journal.plan(plan)
        return self.journal.open_plan() or plan

    def _tell(self, settled: Settled, *, new: bool) -> None:
        """Tell the core, then whoever wants to know what it means."""
        if isinstance(settled.outcome, RobotsFile) and not new:
            self.visitor.know(settled.outcome)
        event = self.crawl.settle(settled.request, settled.outcome)
        self.project(event)
        if new:
            self.observe(event)

    async def _finish(self, plan: Plan) -> bool:
        """Make what is open of a round and close it; False when the crawl stops before its end."""
        spent, started = self.journal.active_seconds(plan.round), self.clock()
        under_way = _UnderWay(plan, self.journal.unsettled(plan.round))

        def tell_settled() -> None:
            for rank, held in under_way.next_told():
                settled = held or next(self.journal.settled_in(plan.round, rank))
                self._tell(settled, new=rank in under_way.new)

        async def visit(request: Request) -> None:
            packed = await _packed(await self.visitor.visit(request))
            self.journal.settle(request, packed, spent + self.clock() - started)
            under_way.settled(Settled(request, packed.outcome))
            tell_settled()

        tell_settled()
        await _all_ended([visit(request) for request in under_way.open.values()], self.stopping.at_once)
        self._keep_hosts()
        if under_way.open:
            return False
        seconds = spent + self.clock() - started
        self.journal.close_round(plan.round, seconds)
        self.crawl.close_round(plan.round, seconds)
        return True

    def _keep_hosts(self) -> None:
        changed = {host: state for host, state in self.hosts().items() if self.hosts_kept.get(host) != state}
        if changed:
            self.journal.keep_hosts(changed)
            self.hosts_kept.update(changed)


class _UnderWay:
    """Which requests of a round are open, and which settled ones the core may hear of: all before them must
    have been told."""

    def __init__(self, plan: Plan, unsettled: Sequence[Request]) -> None:
        self.open = {request.rank: request for request in unsettled}
        self.new: set[int] = set()
        """Ranks that settled in this run."""
        self._untold = deque(request.rank for request in plan.requests)
        self._held: dict[int, Settled] = {}

    def settled(self, settled: Settled) -> None:
        rank = settled.request.rank
        del self.open[rank]
        self.new.add(rank)
        if rank == self._untold[0] or len(self._held) < MOST_HELD:
            self._held[rank] = settled

    def next_told(self) -> Iterator[tuple[int, Settled | None]]:
        """Take the ranks that are due, in plan order, each with what settled if it is held."""
        while self._untold and self._untold[0] not in self.open:
            rank = self._untold.popleft()
            yield rank, self._held.pop(rank, None)


async def _packed(visited: "Visited") -> Packed:
    """Pack in a thread what would hold up the event loop."""
    large = visited.body is not None or (
        visited.packed is not None and visited.packed.outcome is not visited.outcome
    )
    return await asyncio.to_thread(pack, visited) if large else pack(visited)


async def _all_ended(visits: Sequence[Coroutine[Any, Any, None]], at_once: asyncio.Event) -> None:
    """Wait for visits to end, cancelling what is left when told to; raise what the first broken one raised.

    A visit that was cancelled, by us or by the gate, has ended like any other.
    """
    if not visits:
        return
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(visit) for visit in visits]
            watch = tasks.create_task(_cancel_when(at_once, running))
            await asyncio.wait(running)
            watch.cancel()
    except BaseExceptionGroup as group:
        error = next((e for e in group.exceptions if isinstance(e, CrawlError)), group.exceptions[0])
        raise error from error.__cause__


async def _cancel_when(event: asyncio.Event, tasks: Sequence[asyncio.Task[None]]) -> None:
    await event.wait()
    for task in tasks:
        task.cancel()
