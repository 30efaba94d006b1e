"""How a crawl is told to stop: first gently, then at once.

Knows nothing of signals (the command installs them) nor of what a stop leads to (the runner's and the
gate's business). Lives in one event loop.
"""

import asyncio


class Stopping:
    """Two stages, each an event that stays set.

    ``asked``: nothing new is planned, requests that wait their turn are cancelled, those in flight end.
    ``at_once``: those in flight are cancelled too. In both, what was settled stays settled, and what was
    cancelled stays planned.
    """

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.at_once = asyncio.Event()

    def ask(self) -> None:
        """Go one stage further; what a signal calls."""
        if self.asked.is_set():
            self.at_once.set()
        self.asked.set()
