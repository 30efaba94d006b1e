"""Strategy: coverage, consistency and saturation, without a model and without a network.

The three documented metrics (``coverage``, ``consistency``, ``saturation`` below) are applied to evidence:
the passages of main content in which terms of the query stand together. Taken over whole pages they call a
menu an answer, one page agreement, and four pages on another subject knowledge. Knows pages, links and
terms; knows nothing of limits, which are the core's.
"""

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import combinations
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, Lt

from adaptive_crawl.crawler.model import (
    Assessment,
    Candidate,
    Outcome,
    Page,
    Query,
    Scored,
    SiteIndex,
    StopReason,
)

from . import text
from .evidence import MAX_WITNESSES, Bearing, Evidence
from .links import LinkConfig, LinkScorer

Share = Annotated[float, Ge(0), Le(1)]

MAX_VOCABULARY = 200_000
"""Distinct words of evidence remembered; a crawl of 500 pages has 30,000, a hostile site any number."""

BEST_PAGES = 10
"""Pages named as those that say most of what was asked: what fits on a screen."""

CALM = 0.5
"""Saturation from which the latest pages brought less than half of the news that the best run did."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the metrics in the confidence; their sum must be 1."""

    coverage: Share = 0.4
    """The best passages hold the query's terms together."""
    consistency: Share = 0.3
    """The best pages hold the same ones of them."""
    saturation: Share = 0.3
    """The latest pages add little that bears on the query."""

    def __post_init__(self) -> None:
        total = self.coverage + self.consistency + self.saturation
        if abs(total - 1.0) > 0.001:
            raise ValueError(
                "strategy.weights: coverage + consistency + saturation must be 1, not " + f"{total:g}"
            )


@dataclass(frozen=True, slots=True)
class StatisticalConfig:
    """When the statistical strategy ends a crawl."""

    name: Literal["statistical", "none"] = "statistical"
    """statistical ends a crawl by itself; none only ranks links, and limits end it."""
    confidence: Share = 0.7
    """The crawl ends as confident from here; lower reads less, higher is surer."""
    saturation: Share = 0.8
    """It ends as saturated from here, when the latest pages add next to nothing on the query."""
    consistency: Share = 0.7
    """Below it saturation ends nothing: repetition among pages on different subjects is no knowledge."""
    weights: Weights = field(default_factory=Weights)
    """Of the three metrics in the confidence."""
    witnesses: Annotated[int, Ge(1), Le(MAX_WITNESSES)] = 2
    """Pages that must hold the answer for full coverage; one page that has the words is no agreement."""
    window: Annotated[int, Ge(1), Le(100)] = 3
    """Latest pages that saturation looks at, a round by default; one short page says nothing."""
    irrelevance: Annotated[float, Ge(0), Lt(1)] = 0.2
    """Share of the query below which the best passage and the best link left are nothing: a word of five."""
    patience: Annotated[int, Gt(0)] = 4
    """Pages read before a crawl that found nothing at all ends as irrelevant; more if there is a little."""


class StatisticalStrategy:
    """Which link next, and is it enough? for one query, by counting."""

    def __init__(self, query: Query, config: StatisticalConfig, links: LinkConfig) -> None:
        self._config = config
        self._evidence = Evidence(query.text)
        self._links = LinkScorer(links, self._evidence)
        self._vocabulary: set[str] = set()
        self._gains: deque[float] = deque(maxlen=config.window)
        self._peak = 0.0

    def learn(self, candidate: Candidate, outcome: Outcome) -> None:
        """Take in a page held; what was not read as a page says nothing of the query."""
        if isinstance(outcome, SiteIndex):
            self._links.know(outcome)
        if not isinstance(outcome, Page):
            return
        held = self._evidence.add_page(outcome)
        self._links.learn(candidate, outcome)
        self._gains.append(sum(map(self._gain, held.passages)))
        self._peak = max(self._peak, _mean(self._gains))

    def rank(self, candidates: Sequence[Candidate]) -> Sequence[Scored]:
        """Score every candidate, in the order given."""
        return self._links.score(candidates)

    def assess(self, ranked: Sequence[Scored]) -> Assessment:
        """Judge the evidence, given the best links left."""
        pages = self._evidence.best(max(BEST_PAGES, self._config.witnesses))
        best = [bearing for _, _, bearing in pages[: self._config.witnesses]]
        covered = self._coverage(best)
        agreed = self._consistency(best)
        # Runs of pages are compared, the latest with the best: a long page, then a short one, prove nothing.
        saturated = saturation((self._peak, _mean(self._gains)))
        weights = self._config.weights
        # What is agreed on, and what repeats itself, counts as far as it is about the query.
        confidence = covered * (
            weights.coverage + weights.consistency * agreed + weights.saturation * saturated
        )
        metrics = {
            "coverage": covered,
            "consistency": agreed,
            "saturation": saturated,
            "confidence": confidence,
        }
        verdict, detail = self._verdict(metrics, ranked)
        said = tuple((key, worth) for key, worth, _ in pages[:BEST_PAGES] if worth > 0)
        return Assessment(confidence, metrics, verdict, confidence >= self._config.confidence, detail, said)

    def _verdict(
        self, metrics: Mapping[str, float], ranked: Sequence[Scored]
    ) -> tuple[StopReason | None, str]:
        config = self._config
        shown = ("coverage", "consistency", "saturation")
        figures = ", ".join(f"{name} {metrics[name]:.2f}" for name in shown)
        promise = self._links.promise(ranked)
        # A link that promises what would be enough is read first, unless such links bring no more news.
        awaited = promise >= config.confidence and metrics["saturation"] < CALM
        if metrics["confidence"] >= config.confidence and promise <= metrics["coverage"] and not awaited:
            return StopReason.CONFIDENT, (
                f"confidence {metrics['confidence']:.2f} has reached {config.confidence:g} ({figures}); "
                f"the best link left promises {promise:.2f}"
            )
        found = self._evidence.found
        pages = len(self._evidence.pages)
        most = max(found, promise)
        saturated = (
            metrics["saturation"] >= config.saturation
            and metrics["consistency"] >= config.consistency
            and pages > config.window
        )
        # Where nothing on the query is to be had, having read all of it is not saturation.
        if pages >= self._patience(most) or (saturated and most < config.irrelevance):
            return StopReason.IRRELEVANT, (
                f"the best passage of {pages} pages holds {found:.0%} of the query, "
                f"the best link left promises {promise:.0%}"
            )
        if saturated:
            return StopReason.SATURATED, (
                f"the last {config.window} pages added next to nothing on the query ({figures})"
            )
        return None, ""

    def _patience(self, most: float) -> float:
        """Pages to read before giving up: more, the nearer the most that was found or promised is to what
        makes a site relevant."""
        limit = self._config.irrelevance
        return self._config.patience / (1.0 - most / limit) if most < limit else math.inf

    def _coverage(self, best: Sequence[Bearing]) -> float:
        shares = {
            term: sum(dict(bearing.own).get(term, 0.0) for bearing in best) / self._config.witnesses
            for term in self._evidence.terms
        }
        return coverage(shares, weights=self._evidence.weights)

    def _consistency(self, best: Sequence[Bearing]) -> float:
        """Agreement of the best passages on the query's terms; 0 where there is no second one to agree."""
        if len(best) < 2:
            return 0.0
        return consistency([{term for term, _ in bearing.own} for bearing in best])

    def _gain(self, bearing: Bearing) -> float:
        """New words of a passage, each counted as far as the passage bears on the query; squared, because a
        passage that has one word of it in passing says next to nothing of it."""
        said = bearing.text.lower()
        # Words as they are written will do where there is white space between them.
        new = set(said.split() if said.isascii() else text.tokens(said)) - self._vocabulary
        if len(self._vocabulary) < MAX_VOCABULARY:
            self._vocabulary |= new
        return float(self._evidence.share(bearing.strengths) ** 2 * len(new))


def coverage(
    document_shares: Mapping[str, float],
    frequencies: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
) -> float:
    """How far documents cover a query, in 0..1: the square root of the mean over its terms of
    ``share × (1 + 0.5 × log(1 + tf) / log(1 + max tf))``.

    ``document_shares`` maps every term of the query to the share of documents that hold it, in 0..1;
    ``frequencies`` its occurrences (none: they count in the shares already); ``weights`` makes the mean a
    weighted one.
    """
    if not document_shares:
        return 0.0
    frequencies = frequencies or {}
    most = max(frequencies.values(), default=0)
    total = reach = 0.0
    for term, share in document_shares.items():
        weight = 1.0 if weights is None else weights[term]
        signal = math.log1p(frequencies.get(term, 0)) / math.log1p(most) if most else 0.0
        reach += weight * share * (1.0 + 0.5 * signal)
        total += weight
    return min(1.0, math.sqrt(reach / total)) if total else 0.0


def consistency(vocabularies: Sequence[AbstractSet[str]]) -> float:
    """Agreement of documents, in 0..1: mean Jaccard similarity of each two term sets; 1.0 for one or none."""
    if len(vocabularies) < 2:
        return 1.0
    similarities = [
        len(one & other) / len(one | other) if one | other else 0.0
        for one, other in combinations(vocabularies, 2)
    ]
    return sum(similarities) / len(similarities)


def saturation(new_terms: Sequence[float]) -> float:
    """How little documents still add, in 0..1: 1 − recent / initial, the last and the first of what each
    added in new terms; 0.0 for less than two."""
    if len(new_terms) < 2 or new_terms[0] <= 0:
        return 0.0
    return min(1.0, max(0.0, 1.0 - new_terms[-1] / new_terms[0]))


def _mean(values: Collection[float]) -> float:
    return sum(values) / len(values) if values else 0.0
