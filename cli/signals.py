"""Ctrl+C and SIGTERM: the first asks the crawl to end well, the second to end now."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import Protocol

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stoppable(Protocol):
    """What can be asked to stop: once for soon, twice for now."""

    def ask(self) -> None: ...


class Caught:
    """The signals that came while the crawl ran, in order."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    @property
    def terminated(self) -> bool:
        """The first of them was SIGTERM."""
        return self.numbers[:1] == [signal.SIGTERM]


@contextlib.contextmanager
def caught(stopping: Stoppable, say: Callable[[str], None]) -> Iterator[Caught]:
    """Hand signals on to ``stopping`` while in the block; to be entered where an event loop runs."""
    loop = asyncio.get_running_loop()
    so_far = Caught()

    def on(number: int) -> None:
        so_far.numbers.append(number)
        stopping.ask()
        if len(so_far.numbers) == 1:
            say("Stopping: requests in flight end first, and all is saved. Once more to stop now.")
        elif len(so_far.numbers) == 2:
            say("Stopping now. What was settled is saved.")

    leave = [_watch(loop, number, on) for number in _SIGNALS]
    try:
        yield so_far
    finally:
        for undo in leave:
            undo()


def _watch(loop: asyncio.AbstractEventLoop, number: int, on: Callable[[int], None]) -> Callable[[], object]:
    before = signal.getsignal(number)
    try:
        loop.add_signal_handler(number, on, number)
    except NotImplementedError:  # Windows: the handler runs between two bytecodes of the main thread
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(on, number))
        return lambda: signal.signal(number, before)

    def undo() -> None:
        loop.remove_signal_handler(number)
        signal.signal(number, before)

    return undo
