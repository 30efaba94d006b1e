"""A clock that tests turn by hand: hours of waiting pass in no time."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

START = 1_700_000_000.0


@dataclass(order=True)
class Due:
    """A call that waits for its time."""

    when: float
    number: int
    callback: Callable[[], None] = field(compare=False)
    is_cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.is_cancelled = True


class HandClock:
    """Stands still until :meth:`go_on` turns it."""

    def __init__(self, start: float = START) -> None:
        self.time = start
        self.due: list[Due] = []
        self._numbers = itertools.count()

    def now(self) -> float:
        return self.time

    def call_at(self, when: float, callback: Callable[[], None]) -> Due:
        due = Due(when, next(self._numbers), callback)
        self.due.append(due)
        return due

    @property
    def waiting(self) -> list[Due]:
        return sorted(due for due in self.due if not due.is_cancelled)

    async def go_on(self, seconds: float) -> None:
        """Let so many seconds pass, each call at its time, and let tasks do what they then can."""
        end = self.time + seconds
        await settle()
        while self.waiting and self.waiting[0].when <= end:
            first = self.waiting[0]
            self.due.remove(first)
            self.time = max(self.time, first.when)
            first.callback()
            await settle()
        self.time = end

    async def run(self, task: "asyncio.Future[Any]") -> None:
        """Let time pass until a task is done, jumping from one due call to the next."""
        while not task.done():
            await settle()
            if task.done():
                return
            if self.waiting:
                await self.go_on(max(0.0, self.waiting[0].when - self.time))
            else:
                await asyncio.wait([task], timeout=0.01)


async def settle() -> None:
    """Let every task run until it waits for something."""
    for _ in range(12):
        await asyncio.sleep(0)
