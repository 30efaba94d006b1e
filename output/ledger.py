"""What became of requests, counted for the root's index: from events to one ``Account``.

Knows counts and words, no files. Requests are told apart by key, so that what two queries asked for counts
once.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from adaptive_crawl.crawler.model import (
    Assessment,
    Disposition,
    Event,
    Failure,
    FailureKind,
    Kind,
    Page,
    Stop,
)

from .changes import Changes
from .index import Account, Quoted


class Ledger:
    """Keeps the accounts of a crawl.

    Args:
        queries: goal → text of its query; empty for a crawl without one.
        goal: the one that this crawl serves.
    """

    def __init__(self, queries: Mapping[int, str], goal: int) -> None:
        self._queries = queries
        self._goal = goal
        self._goals: dict[int, None] = {}
        self._assessment: Assessment | None = None
        self._heard: set[str] = set()
        self._failed: dict[str, str] = {}
        self._skipped: dict[str, str] = {}
        self._refused: Counter[str] = Counter()

    @property
    def query(self) -> str:
        """What this crawl is to answer; empty without a query."""
        return self._queries.get(self._goal, "")

    def note(self, event: Event) -> None:
        """Enter one event."""
        key = event.request.key
        if key not in self._heard:
            self._heard.add(key)
            self._refused.update(dict(event.refused))
        if event.request.kind is not Kind.PAGE:
            return
        self._goals[event.request.goal] = None
        self._assessment = event.assessment or self._assessment
        self._failed.pop(key, None)
        self._skipped.pop(key, None)
        match event.outcome:
            case Failure(kind=kind, status=status):
                self._failed[key] = f"{kind.value} {status}" if kind is FailureKind.HTTP else kind.value
            case Page() if event.disposition is not Disposition.KEPT:
                self._skipped[key] = event.rule or event.disposition.value
            case _ if event.disposition is Disposition.REFUSED:
                self._skipped[key] = event.rule

    def account(
        self,
        stop: Stop,
        subject: str,
        answers: Sequence[Quoted],
        crawl_time: str,
        changes: Changes | None = None,
    ) -> Account:
        """Close the accounts.

        Args:
            subject: what the tree is of when it answers no query.
        """
        query = self.query
        figures = dict(stop.figures)
        if query and self._assessment is not None:
            metrics = {**self._assessment.metrics, "confidence": self._assessment.confidence}
            figures = {**metrics, **figures}
        earlier = (self._queries.get(goal, "") for goal in self._goals if goal != self._goal)
        return Account(
            title=query or subject,
            query=query,
            stop=stop,
            confidence=figures.get("confidence") if query else None,
            figures=figures,
            answers=answers,
            earlier=[asked for asked in earlier if asked],
            failed=Counter(self._failed.values()),
            skipped=Counter(self._skipped.values()),
            refused=self._refused,
            crawl_time=crawl_time,
            changes=changes,
        )
