"""Where answers are read: here at first, in processes of their own once that pays.

Reading is the one thing here that takes processor time, and threads of one Python share one core: passing
it back and forth costs a tenth of a whole crawl. So a small answer is read in the thread of the event loop,
a large one in a thread beside it, which is slower and holds nobody up; and when pages have waited for each
other for as long as a process takes to start, processes are started: a crawl of twenty pages never pays for
them, nor does one that waits politely between its requests. What is read, and what comes of it, is the same
wherever it is done.

A process may be lost with the page that it reads: to the system, for want of memory, or to the time limit.
That costs one page at most, never the crawl. Knows nothing of pages: ``make`` is handed on.
"""

import asyncio
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from .reading_process import Lost, NotBegun, ReadingProcess, Unread
from .response import Response
from .visited import Visited

THREADS = 2
"""Bodies read at once in threads: a long one does not hold up the short ones."""

MOST_PROCESSES = 4
"""Each holds some 60 MB, and four read faster than one event loop can fetch."""

START_UP = 0.5
"""Seconds of processor time that a process costs before it reads. Who has waited that long will, for all
anybody knows, wait that long again: starting then costs at most twice what knowing it all would have."""

READ_WITHIN = 60.0
"""Seconds for one page: ten megabytes take five on a slow machine."""

ATTEMPTS = 3
"""Processes that one page may take with it: the first two may have died of something else."""

SMALL = 1 << 16
"""Bytes of a body that is read before anything else is done: some ten milliseconds."""

AHEAD = 2
"""Answers given to one process: while it reads the one, the next lies ready, however busy the loop is."""

T = TypeVar("T")
Make = Callable[[Response], Visited]

log = logging.getLogger(__name__)


class NotRead(Exception):
    """An answer that could not be read; the message says why."""


def usable_cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processes_for(cores: int) -> int:
    """How many processes read: one a core, none where there is but one, or no Python to start."""
    if cores < 2 or not sys.executable or getattr(sys, "frozen", False):
        return 0
    return min(cores, MOST_PROCESSES)


@dataclass
class _Counted:
    """Reads under way in threads, and what they cost while others waited."""

    now: int = 0
    seconds: float = 0.0


@dataclass(eq=False)
class _Seat:
    """Where one process sits, once it is started, and its successor when it is lost."""

    process: ReadingProcess | None = None
    taken: int = 0
    """Answers that it was given and has not read."""
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_empty(self) -> bool:
        return self.process is None or not self.process.is_usable


@dataclass
class Readers:
    """Reads answers beside the event loop; close it with :meth:`aclose`, or as a context manager.

    Args:
        make: what reading means. It is pickled by name, and has to give what can be pickled.
        processes: read with so many at most; 0 keeps to threads.
        at_once: bytes of a body up to which it is read in the event loop's own thread. That cannot be called
            off, so ``make`` has to be known to take time in proportion, and to end.
        after: seconds of processor time that reading may take while other pages wait, before processes
            take over.
        time_limit: seconds for one answer, waiting not counted.
    """

    make: Make
    processes: int = field(default_factory=lambda: processes_for(usable_cores()))
    after: float = START_UP
    time_limit: float = READ_WITHIN
    at_once: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _threads: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(THREADS))
    _crowd: _Counted = field(default_factory=_Counted)
    _running: set[ReadingProcess] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._seats = [_Seat() for _ in range(self.processes)]
        self._places = asyncio.Semaphore(self.processes * AHEAD)

    async def __aenter__(self) -> "Readers":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def process_ids(self) -> list[int]:
        """The system's numbers of the processes that read just now."""
        return sorted(process.number for process in self._running)

    async def aclose(self) -> None:
        """End the processes."""
        for process in self._running:
            process.kill()
        for process in tuple(self._running):
            await process.ended()
        self._running.clear()

    async def read(self, response: Response) -> Visited:
        """Read an answer.

        Raises:
            NotRead: it took too long, or a process and its successor were lost over it.
            Exception: what ``make`` raised; NotRead, with its name and words, where a process read.
        """
        lost = 0
        while self.processes and self._crowd.seconds >= self.after:
            try:
                return await self._in_process(response)
            except Unread as error:
                raise NotRead(str(error)) from error
            except NotBegun:
                continue
            except Lost as error:
                lost += 1
                log.debug("a process ended over %s", response.url)
                if lost == ATTEMPTS:
                    raise NotRead(f"the process that was to read it ended, {lost} times") from error
            except OSError as error:
                self._keep_to_threads(error)
        return await self._read_here(response)

    async def beside(self, function: Callable[..., T], *arguments: object) -> T:
        """Call a function in a thread, as one of few at a time.

        Raises:
            NotRead: it took too long. The thread goes on, but nothing waits for it any more.
        """
        async with self._threads:
            try:
                async with asyncio.timeout(self.time_limit):
                    return await _in_own_thread(function, *arguments)
            except TimeoutError as error:
                # No thread can be ended, and a process can.
                self._crowd.seconds += self.after
                raise self._too_long() from error

    async def _read_here(self, response: Response) -> Visited:
        self._crowd.now += 1
        try:
            if len(response.body) <= self.at_once:
                async with self._turn:
                    await asyncio.sleep(0)  # whoever has come meanwhile gets in line, and is counted
                    visited, seconds = self._timed(response)
            else:
                visited, seconds = await self.beside(self._timed, response)
        finally:
            self._crowd.now -= 1
        if self._crowd.now:
            self._crowd.seconds += seconds
        return visited

    def _timed(self, response: Response) -> tuple[Visited, float]:
        start = time.thread_time()
        visited = self.make(response)
        return visited, time.thread_time() - start

    async def _in_process(self, response: Response) -> Visited:
        async with self._places:
            # The one with the least to do; of those that have nothing, one that is there already.
            seat = min(self._seats, key=lambda seat: (seat.taken, seat.is_empty))
            seat.taken += 1
            try:
                process = await self._process_at(seat)
                try:
                    return await process.read(response, self.time_limit)
                finally:
                    if process.is_broken:
                        self._end(process)
            except TimeoutError as error:
                raise self._too_long() from error
            finally:
                seat.taken -= 1

    async def _process_at(self, seat: _Seat) -> ReadingProcess:
        async with seat.starting:
            if seat.process is None or not seat.process.is_usable:
                seat.process = await ReadingProcess.start(self.make)
                self._running.add(seat.process)
            return seat.process

    def _end(self, process: ReadingProcess) -> None:
        process.kill()
        task = asyncio.ensure_future(process.ended())
        task.add_done_callback(lambda _: self._running.discard(process))

    def _keep_to_threads(self, error: OSError) -> None:
        if self.processes:
            log.info("pages are read in one process: no other can be started (%s)", error)
        self.processes = 0

    def _too_long(self) -> NotRead:
        return NotRead(f"reading it took longer than {self.time_limit:g} s")


async def _in_own_thread(function: Callable[..., T], *arguments: object) -> T:
    """Call in a thread that nothing waits for at exit, as it would for one of an executor's."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def call() -> None:
        try:
            result = function(*arguments)
        except BaseException as error:
            settle(done.set_exception, error)
        else:
            settle(done.set_result, result)

    def settle(how: Callable[..., None], what: object) -> None:
        try:
            loop.call_soon_threadsafe(lambda: None if done.done() else how(what))
        except RuntimeError:  # the loop has ended meanwhile: nobody wants to know
            log.debug("a body was read after the end")

    threading.Thread(target=call, name="reader", daemon=True).start()
    return await done
