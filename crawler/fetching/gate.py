"""Where requests wait for their turn.

Politeness says when; this file only waits: one queue for each host, first come first served, no task and
no timer for a request that may start at once. The clock is given, so that tests turn it by hand.
"""

import asyncio
import heapq
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from .politeness import Politeness


class Alarm(Protocol):
    """A call that is due; it can be called off."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Seconds since the epoch, never turned back while the process lives."""

    def now(self) -> float: ...

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm: ...


class SystemClock:
    """Wall time at the start, carried on by the monotonic clock: setting the wall clock moves no wait."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return time.monotonic() + self._offset

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm:
        return asyncio.get_running_loop().call_later(max(0.0, when - self.now()), callback)


@dataclass(order=True, slots=True)
class _Waiting:
    since: float
    """Its place in the queue: when it came, or the earliest time that it may start, if later."""
    number: int
    go: asyncio.Future[None] = field(compare=False)


class Gate:
    """Lets requests through one by one, as fast as politeness allows."""

    def __init__(
        self, politeness: Politeness, clock: Clock | None = None, stopping: asyncio.Event | None = None
    ) -> None:
        """``stopping`` releases every request that waits, now or later, by cancelling it."""
        self._politeness = politeness
        self.clock: Clock = clock or SystemClock()
        self._stopping = stopping
        self._queues: dict[str, list[_Waiting]] = {}
        self._arrivals = 0
        self._alarm: Alarm | None = None
        self._watch: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def turn(self, host: str, not_before: float = 0.0) -> AsyncIterator[None]:
        """Wait for a turn with a host, and hold it for the ``async with`` block.

        Raises:
            asyncio.CancelledError: the run is stopping; the request was not made.
        """
        await self._wait(host, not_before)
        try:
            yield
        finally:
            self._politeness.end(host, self.clock.now())
            self._admit()

    async def _wait(self, host: str, not_before: float) -> None:
        if self._stopping is not None and self._stopping.is_set():
            raise asyncio.CancelledError
        now = self.clock.now()
        if host not in self._queues and not_before <= now and self._politeness.reserve(host, now) <= now:
            return
        waiting = _Waiting(max(now, not_before), self._arrivals, asyncio.get_running_loop().create_future())
        self._arrivals += 1
        heapq.heappush(self._queues.setdefault(host, []), waiting)
        self._admit()
        self._watch_for_the_end()
        try:
            await waiting.go
        except asyncio.CancelledError:
            self._withdraw(host, waiting)
            raise

    def _admit(self) -> None:
        """Let through whoever may go now, and set the alarm for the next who may."""
        now = self.clock.now()
        soonest = inf
        # A host's queue is asked until it says no; the host that waited longest is asked first.
        for host in sorted(self._queues, key=lambda host: self._queues[host][0]):
            soonest = min(soonest, self._admit_from(host, now))
        self._set_alarm(soonest)
        if not self._queues and self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _admit_from(self, host: str, now: float) -> float:
        """Let the head of a queue through until it has to wait; give the time until which it has to."""
        queue = self._queues[host]
        while queue:
            first = queue[0]
            if not first.go.done():
                when = first.since if first.since > now else self._politeness.reserve(host, now)
                if when > now:
                    return when
                first.go.set_result(None)
            heapq.heappop(queue)
        del self._queues[host]
        return inf

    def _set_alarm(self, when: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = None if when == inf else self.clock.call_at(when, self._admit)

    def _withdraw(self, host: str, waiting: _Waiting) -> None:
        """Take a cancelled request out; where its turn had just been granted, give that back."""
        if waiting.go.done() and not waiting.go.cancelled():
            self._politeness.end(host, self.clock.now())
        self._admit()

    def _watch_for_the_end(self) -> None:
        if self._stopping is not None and self._watch is None and self._queues:
            self._watch = asyncio.create_task(self._release(self._stopping))

    async def _release(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        for queue in self._queues.values():
            for waiting in queue:
                waiting.go.cancel()
