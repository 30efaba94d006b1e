"""Pages held from before that an update has still to revisit, in the order in which they were kept.

Knows what was asked and how; whether a page may still be asked for is told by a function given.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice

from .model import Request

Refuses = Callable[[Request], str]
"""The rule by which a page may not be asked for any more; empty when it may."""


class Due:
    """What is left to revisit.

    Pages that may not be asked for stay due: a seed that redirects can widen the scope at any time.
    """

    def __init__(self, held: Iterable[Request], key: Callable[[str], str]) -> None:
        """``key`` gives a URL's key by the rules of today, which may not be those of when it was kept."""
        self._waiting: dict[str, Request] = {}
        self._verdicts: dict[str, str] = {}
        for request in held:
            today = key(request.url)
            self._waiting.setdefault(today, replace(request, key=today))

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, key: str) -> bool:
        return key in self._waiting

    def get(self, key: str) -> Request | None:
        """The request that a page was kept with."""
        return self._waiting.get(key)

    def settle(self, key: str) -> None:
        """Note that a page was asked for."""
        self._waiting.pop(key, None)

    def judge_anew(self) -> None:
        """Note that the scope, or what is known of robots.txt, has changed."""
        self._verdicts.clear()

    def first(self, count: int, refuses: Refuses) -> list[Request]:
        """The next so many that may be asked for."""
        allowed = (request for request in self._waiting.values() if not self._rule(request, refuses))
        return list(islice(allowed, count))

    def refused(self, refuses: Refuses) -> dict[str, str]:
        """Key → rule of each that may not be asked for."""
        rules = {key: self._rule(request, refuses) for key, request in self._waiting.items()}
        return {key: rule for key, rule in rules.items() if rule}

    def _rule(self, request: Request, refuses: Refuses) -> str:
        if request.key not in self._verdicts:
            self._verdicts[request.key] = refuses(request)
        return self._verdicts[request.key]
