"""What is compared: the orders everybody knows, plain best-first, and ours, each as a ``model.Strategy``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from adaptive_crawl.crawler.crawl import Limits
from adaptive_crawl.crawler.discovery import DiscoveryConfig
from adaptive_crawl.crawler.model import Assessment, Candidate, Order, Outcome, Query, Scored, Strategy
from adaptive_crawl.scoring.links import LinkConfig
from adaptive_crawl.scoring.statistical import StatisticalConfig, StatisticalStrategy
from adaptive_crawl.scoring.text import terms
from adaptive_crawl.scoring.whole import WholeSite


class PlainBestFirst:
    """The baseline of the handed sites: share of the query's words in the anchors and the URL."""

    def __init__(self, query: Query) -> None:
        self._query = set(terms(query.text))
        self._scores: dict[tuple[str, int], float] = {}

    def learn(self, candidate: Candidate, outcome: Outcome) -> None:
        """Learn nothing."""

    def assess(self, ranked: Sequence[Scored]) -> Assessment:
        """Never stop."""
        return Assessment(0.0)

    def rank(self, candidates: Sequence[Candidate]) -> Sequence[Scored]:
        """Score each by overlap."""
        return [Scored(candidate, self._score(candidate)) for candidate in candidates]

    def _score(self, candidate: Candidate) -> float:
        key = (candidate.key, len(candidate.sightings))
        if key not in self._scores:
            found = set(terms(candidate.key.partition("//")[2].replace("/", " ").replace("-", " ")))
            for link in candidate.sightings:
                found.update(terms(link.anchor))
            self._scores[key] = len(found & self._query) / len(self._query)
        return self._scores[key]


@dataclass(frozen=True, slots=True)
class System:
    """A strategy and the limits it runs under."""

    make: Callable[[Query], Strategy]
    limits: Limits
    discovery: DiscoveryConfig | None = None
    """None: links only."""


INDEXES = DiscoveryConfig(sitemaps=False, llms_txt=False, feeds=False)
WITHOUT_STOP = Limits(max_pages=20, early_stop=False)


def ours(query: Query) -> Strategy:
    """The statistical strategy with its defaults."""
    return StatisticalStrategy(query, StatisticalConfig(), LinkConfig())


SYSTEMS: dict[str, System] = {
    "bfs": System(lambda query: WholeSite(None, LinkConfig()), replace(WITHOUT_STOP, order=Order.BFS)),
    "dfs": System(lambda query: WholeSite(None, LinkConfig()), replace(WITHOUT_STOP, order=Order.DFS)),
    "plain": System(PlainBestFirst, WITHOUT_STOP),
    "ours": System(ours, WITHOUT_STOP),
    "ours-index": System(ours, WITHOUT_STOP, INDEXES),
    "ours-stop": System(ours, Limits()),
}
"""``ours`` goes on for 20 pages, to compare which pages come first; ``ours-stop`` is what a user gets."""
