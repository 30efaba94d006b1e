"""One process that reads: how it is started, asked and ended.

A Python of its own, not a fork: nothing of the event loop, the journal or its lock is inherited, and no
script that uses this package as a library is run a second time. Two pipes join it to its parent; frames on
them are a length and a pickle. It ends when its end of the pipe does, so that a parent that was killed
leaves none behind.
"""

import asyncio
import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from .. import errors
from .reading_service import LENGTH, Raised
from .response import Response
from .visited import Visited

STARTED_WITHIN = 60.0
"""Seconds: a second is usual, and a machine that swaps takes its time."""

BUFFER = 1 << 20
"""Bytes of an answer that wait to be taken."""


class Lost(Exception):
    """The process ended before it had answered."""


class NotBegun(Exception):
    """The process ended, or was ended, over an answer that stood before this one."""


class Unread(Exception):
    """Reading raised something; the message is its name and what it said."""


class ReadingProcess:
    """A process that reads answers one after the other, in the order in which it is given them."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Use ``start``."""
        self._process = process
        self._turn = asyncio.Lock()
        """Held by whoever's answer is read just now; the others wait in the order of their questions."""
        self.is_broken = False
        """Of no more use: it ended, or what it would say next nobody waits for."""

    @classmethod
    async def start(cls, make: Callable[[Response], Visited]) -> "ReadingProcess":
        """Start one, and wait until it can read.

        Raises:
            OSError: none can be started here.
        """
        try:
            order = pickle.dumps(make, pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            raise OSError(f"how to read cannot be told to another process: {error}") from error
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", _program()),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                limit=BUFFER,
                **_apart(),
            )
        except NotImplementedError as error:  # an event loop that knows no processes
            raise OSError("this event loop starts none") from error
        started = cls(process)
        try:
            await started._ask(order, STARTED_WITHIN)
        except BaseException as error:
            started.kill()
            await started.ended()
            if isinstance(error, Lost | TimeoutError):
                raise OSError("it did not start") from error
            raise
        return started

    async def read(self, response: Response, time_limit: float) -> Visited:
        """Have an answer read; broken off, the process is of no more use.

        Raises:
            Lost: it ended.
            NotBegun: it ended before it had come to this one.
            TimeoutError: reading took longer than ``time_limit`` seconds, waiting not counted.
            Unread: reading raised something.
            CrawlError: reading raised that.
        """
        result = await self._ask(pickle.dumps(response, pickle.HIGHEST_PROTOCOL), time_limit)
        match result:
            case Raised(name, text, ends_the_run=True):
                raise getattr(errors, name, errors.CrawlError)(text)
            case Raised(name, text):
                raise Unread(f"{name}: {text}")
        assert isinstance(result, Visited)
        return result

    @property
    def number(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """It is no more, whoever ended it."""
        return self._process.returncode is not None

    @property
    def is_usable(self) -> bool:
        return not self.is_broken and not self.has_ended

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self.is_broken = True
        if not self.has_ended:
            with contextlib.suppress(ProcessLookupError):
                self._end()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _end(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
        else:  # subprocess's own would look whether it has ended, and so take that news from asyncio
            os.kill(self._process.pid, signal.SIGKILL)

    async def ended(self) -> None:
        """Wait until it has."""
        await self._process.wait()

    async def _ask(self, question: bytes, time_limit: float) -> Any:
        assert self._process.stdin is not None
        # Nothing may come between the question and the wait for its turn: both keep one order.
        self._process.stdin.writelines((LENGTH.pack(len(question)), question))
        try:
            async with self._turn:
                if self.is_broken:
                    raise NotBegun
                async with asyncio.timeout(time_limit):
                    return pickle.loads(await self._answer())
        except NotBegun:
            raise
        except BaseException:
            self.is_broken = True
            raise

    async def _answer(self) -> bytes:
        assert self._process.stdout is not None
        try:
            (length,) = LENGTH.unpack(await self._process.stdout.readexactly(LENGTH.size))
            return await self._process.stdout.readexactly(length)
        except (OSError, EOFError) as error:
            raise Lost from error


def _program() -> str:
    """What it runs: the same modules as its parent, found in the same places."""
    return (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from adaptive_crawl.crawler.fetching.reading_service import serve\nserve()"
    )


def _apart() -> dict[str, Any]:
    """Out of reach of Ctrl+C in the terminal, which is for the parent to obey."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"process_group": 0}
