"""How a crawl is told to stop: first gently, then at once.

Knows nothing of signals (the command installs them) nor of what a stop leads to (the runner's and the
gate's business). Lives in one event loop.
"""

import asyncio


class Released(Exception):
    """A request was let go before it was sent, because the crawl stops; it stays planned.

    Raised by whoever makes requests wait their turn, understood by the runner.
    """


class Stopping:
    """Two stages, each an event that stays set.

    ``asked``: nothing new is planned, requests that wait their turn are released, those in flight end.
    ``at_once``: those in flight are cancelled too. What was settled stays settled in both.
    """

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.at_once = asyncio.Event()

    def ask(self) -> None:
        """Go one stage further; what a signal calls."""
        if self.asked.is_set():
            self.at_once.set()
        self.asked.set()
