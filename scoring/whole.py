"""Strategy: everything in scope, in the chosen order (``--strategy none``, or no query)."""

from collections.abc import Sequence

from adaptive_crawl.crawler.model import Assessment, Candidate, Outcome, Page, Query, Scored

from .evidence import Evidence
from .links import LinkConfig, LinkScorer


class WholeSite:
    """Ranks links where there is a query, and never ends a crawl: limits and the frontier do."""

    def __init__(self, query: Query | None, links: LinkConfig) -> None:
        self._evidence = Evidence(query.text) if query else None
        self._links = LinkScorer(links, self._evidence) if self._evidence else None

    def learn(self, candidate: Candidate, outcome: Outcome) -> None:
        """Take in a page, as far as a query asks something of it."""
        if self._evidence and self._links and isinstance(outcome, Page):
            self._evidence.add_page(outcome)
            self._links.learn(candidate, outcome)

    def assess(self, ranked: Sequence[Scored]) -> Assessment:
        """Have no opinion: without a stop rule nothing is ever enough."""
        return Assessment(0.0)

    def rank(self, candidates: Sequence[Candidate]) -> Sequence[Scored]:
        """Score each link for the query; 0 without one, so that only order and discovery decide."""
        if self._links is None:
            return [Scored(candidate, 0.0) for candidate in candidates]
        return self._links.score(candidates)
