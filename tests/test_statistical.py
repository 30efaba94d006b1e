"""The statistical strategy: the documented metrics by hand, and when it ends a crawl."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from adaptive_crawl.crawler.frontier import Frontier
from adaptive_crawl.crawler.model import (
    Assessment,
    Candidate,
    Failure,
    FailureKind,
    Page,
    Query,
    Scored,
    StopReason,
)
from adaptive_crawl.scoring.links import LinkConfig
from adaptive_crawl.scoring.statistical import (
    StatisticalConfig,
    StatisticalStrategy,
    Weights,
    consistency,
    coverage,
    saturation,
)

from .answers import as_page, page

QUERY = "backup retention period"
ANSWER = "The retention period of a backup is thirty days after the backup was made."
MORE = "Each backup has its own retention period. A longer period keeps every backup of the month."


class Reading:
    """A strategy that is told pages, one after the other, with the links they bring."""

    def __init__(self, query: str = QUERY, config: StatisticalConfig | None = None) -> None:
        self.strategy = StatisticalStrategy(Query(query), config or StatisticalConfig(), LinkConfig())
        self.frontier = Frontier()

    def read(self, *pages: Page) -> "Reading":
        for held in pages:
            candidate = self.frontier.settle(held.key) or Candidate(held.key, held.url, 0, 0, (), 0)
            for link in held.links:
                self.frontier.add(link.url, link.key, candidate.depth + 1, [link])
            self.strategy.learn(candidate, held)
        return self

    def assess(self, ranked: Sequence[Scored] | None = None) -> Assessment:
        links = self.strategy.rank(self.frontier.candidates()) if ranked is None else ranked
        return self.strategy.assess(links)


def held(name: str, text: str, *, title: str = "", **links: str) -> Page:
    pairs = {f"/{target}": anchor for target, anchor in links.items()}
    return as_page(page(title or name.title(), text, links=pairs), f"https://example.com/{name}")


def filler(number: int) -> Page:
    return held(f"p{number}", f"Chapter {number} speaks of gardens, weather number {number} and birds.")


# The documented metrics, by hand


def test_coverage_is_the_root_of_the_mean_of_shares_raised_by_frequency() -> None:
    # M060: kill in 1 of 2 documents, once; subprocess in 2 of 2, three times; timeout in none.
    # kill: 0.5 × (1 + 0.5 × log 2 / log 4) = 0.625; subprocess: 1 × 1.5; the root of (0.625 + 1.5 + 0) / 3.
    shares = {"kill": 0.5, "subprocess": 1.0, "timeout": 0.0}
    frequencies = {"kill": 1, "subprocess": 3, "timeout": 0}
    assert coverage(shares, frequencies) == pytest.approx(0.8416254, abs=1e-6)


def test_coverage_is_capped_and_zero_without_terms_or_matches() -> None:
    assert coverage({"a": 1.0}, {"a": 9}) == 1.0
    assert coverage({}, {}) == 0.0
    assert coverage({"a": 0.0}, {"a": 0}) == 0.0


def test_coverage_can_weigh_terms() -> None:
    shares = {"the": 1.0, "rare": 0.0}
    assert coverage(shares, weights={"the": 0.1, "rare": 0.9}) < coverage(shares)
    assert coverage(shares, weights={"the": 0.0, "rare": 0.0}) == 0.0


def test_consistency_is_the_mean_of_pairwise_jaccard() -> None:
    # M061: 1/3, 0 and 1/3.
    assert consistency([{"a", "b"}, {"b", "c"}, {"c", "d"}]) == pytest.approx(2 / 9)
    assert consistency([{"a"}]) == 1.0
    assert consistency([set(), set()]) == 0.0


def test_saturation_is_what_the_last_added_less_than_the_first() -> None:
    # M062
    assert saturation([100, 40, 20]) == pytest.approx(0.8)
    assert saturation([100]) == 0.0
    assert saturation([10, 50]) == 0.0
    assert saturation([0, 0]) == 0.0


# What decides


def test_two_pages_with_the_answer_and_no_better_link_are_confident() -> None:
    assessment = Reading().read(held("a", ANSWER), held("b", MORE), filler(1), filler(2)).assess([])
    assert assessment.verdict is StopReason.CONFIDENT
    assert assessment.sufficient
    assert assessment.confidence >= 0.7
    assert "confidence" in assessment.detail


def test_metrics_have_their_documented_names_and_lie_in_0_to_1() -> None:
    assessment = Reading().read(held("a", ANSWER), filler(1)).assess([])
    assert {"coverage", "consistency", "saturation", "confidence"} <= set(assessment.metrics)
    assert all(0 <= value <= 1 for value in assessment.metrics.values())
    assert assessment.metrics["confidence"] == assessment.confidence


def test_one_page_that_has_all_words_does_not_end_a_crawl() -> None:
    # N02
    assessment = Reading().read(held("a", ANSWER)).assess([])
    assert assessment.verdict is None
    assert assessment.confidence < 0.7


def test_words_in_a_menu_are_no_evidence() -> None:
    # N02
    menu = {"/b": "Backup", "/r": "Retention", "/p": "Period"}
    pages = [
        as_page(page(f"Company {n}", f"We are company number {n}.", menu=menu), f"https://example.com/{n}")
        for n in range(3)
    ]
    assessment = Reading().read(*pages).assess()
    assert assessment.confidence == 0
    assert assessment.verdict is not StopReason.CONFIDENT


def test_words_scattered_over_pages_are_no_answer() -> None:
    scattered = Reading().read(
        held("a", "A backup is a copy."), held("b", "The retention of staff."), held("c", "A period of time.")
    )
    together = Reading().read(held("a", ANSWER), held("b", MORE), held("c", "A period of time."))
    assert scattered.assess([]).confidence < 0.5 < together.assess([]).confidence


def test_a_long_page_then_a_short_one_is_no_saturation() -> None:
    # N04: 400 words that bear on the query, then 20 that do not.
    long = held("a", " ".join(f"Backup {word} of number {word}." for word in range(100)))
    assessment = Reading().read(long, held("b", "Nothing to see here.")).assess([])
    assert assessment.metrics["saturation"] < 0.8
    assert assessment.verdict is None


def test_agreement_of_pages_off_the_subject_is_no_knowledge() -> None:
    same = "Gardens, weather and birds are what this chapter speaks of."
    pages = [held(f"p{n}", same) for n in range(4)]
    assessment = Reading().read(*pages).assess([])
    assert assessment.confidence == 0
    assert assessment.verdict in (None, StopReason.IRRELEVANT)


def test_a_chinese_query_finds_chinese_pages() -> None:
    # N05
    pages = [
        held("a", "访问令牌过期后需要刷新令牌，令牌刷新每小时一次。"),
        held("b", "令牌刷新失败时重试令牌刷新。"),
    ]
    assessment = Reading("令牌刷新").read(*pages, filler(1)).assess([])
    assert assessment.metrics["coverage"] > 0.7


def test_nothing_found_and_nothing_promised_is_irrelevant() -> None:
    assessment = Reading("sourdough bread").read(*map(filler, range(4))).assess()
    assert assessment.verdict is StopReason.IRRELEVANT
    assert "0%" in assessment.detail


def test_a_site_is_not_irrelevant_before_its_best_links_were_tried() -> None:
    promising = held("p9", "Gardens again.", bread="Sourdough bread")
    assessment = Reading("sourdough bread").read(*map(filler, range(4)), promising).assess()
    assert assessment.verdict is None


def test_a_site_that_says_a_little_is_given_more_time() -> None:
    # One word of six: less than one of five, more than nothing.
    pages = [*map(filler, range(3)), held("oven", "How to clean an oven.")]
    little = Reading("sourdough bread oven rye yeast flour").read(*pages).assess([])
    nothing = Reading("sourdough bread rye yeast flour").read(*pages).assess([])
    assert little.verdict is None
    assert nothing.verdict is StopReason.IRRELEVANT


def repetitive() -> list[Page]:
    """Two pages that agree on three of four words asked for, and many that repeat two."""
    repeating = [held(f"p{n}", f"A backup has a retention. See {n}.") for n in range(9)]
    return [held("a", f"{ANSWER} This is our policy."), held("b", MORE), *repeating]


def test_pages_that_add_nothing_saturate_a_crawl() -> None:
    config = StatisticalConfig(confidence=1.0)
    assessment = Reading(f"{QUERY} policy", config).read(*repetitive()).assess([])
    assert assessment.metrics["saturation"] >= 0.8
    assert assessment.verdict is StopReason.SATURATED


def test_a_link_that_promises_more_than_is_held_is_read_first() -> None:
    reading = Reading().read(held("a", ANSWER), held("b", MORE), filler(1), filler(2))
    promising = reading.strategy.rank(
        [candidate("https://example.com/best", "Backup retention period explained in full")]
    )
    certain = [replace(scored, parts=(("relevance", 1.0),)) for scored in promising]
    assert reading.assess([]).verdict is StopReason.CONFIDENT
    assert reading.assess(certain).verdict is None


def test_a_failed_request_teaches_nothing() -> None:
    reading = Reading().read(held("a", ANSWER))
    before = reading.assess([])
    failure = Failure("https://example.com/x", FailureKind.HTTP, "404 Not Found", 404)
    reading.strategy.learn(candidate("https://example.com/x", "x"), failure)
    assert reading.assess([]) == before


def test_assessing_and_ranking_change_nothing() -> None:
    often, once = Reading(), Reading()
    pages = [held("a", ANSWER, b="More on backup", c="Birds"), held("b", MORE), filler(1)]
    for one in pages:
        often.read(one)
        often.assess()
        once.read(one)
    assert often.assess() == once.assess()


def test_a_query_of_stop_words_only_can_be_answered() -> None:
    pages = [held("a", "To be, or not to be."), held("b", "What it is to be or not to be.")]
    assert Reading("to be or not to be").read(*pages).assess([]).confidence > 0


def test_a_strategy_that_was_told_nothing_has_no_confidence() -> None:
    assert Reading().assess([]).confidence == 0


# Every knob does something


def test_confidence_is_the_threshold() -> None:
    pages = (held("a", ANSWER), held("b", MORE), filler(1), filler(2))
    eager = Reading(config=StatisticalConfig(confidence=0.1)).read(*pages).assess([])
    strict = Reading(config=StatisticalConfig(confidence=1.0)).read(*pages).assess([])
    assert (eager.verdict, eager.sufficient) == (StopReason.CONFIDENT, True)
    assert strict.verdict is not StopReason.CONFIDENT
    assert not strict.sufficient


def test_weights_make_the_confidence() -> None:
    # N01
    pages = (held("a", ANSWER), filler(1))

    def confidence(weights: Weights) -> float:
        return Reading(config=StatisticalConfig(weights=weights)).read(*pages).assess([]).confidence

    assert confidence(Weights(1.0, 0.0, 0.0)) > confidence(Weights(0.0, 1.0, 0.0))
    assert confidence(Weights(0.0, 0.0, 1.0)) != confidence(Weights(0.0, 1.0, 0.0))


@pytest.mark.parametrize(
    "weights", [{"coverage": 0.5}, {"coverage": 0.0, "consistency": 0.0, "saturation": 0.0}]
)
def test_weights_must_sum_to_one(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"strategy\.weights"):
        Weights(**weights)


def test_saturation_and_consistency_are_thresholds() -> None:
    def verdict(config: StatisticalConfig) -> StopReason | None:
        return Reading(f"{QUERY} policy", config).read(*repetitive()).assess([]).verdict

    assert verdict(StatisticalConfig(confidence=1.0)) is StopReason.SATURATED
    assert verdict(StatisticalConfig(confidence=1.0, saturation=1.0)) is None
    assert verdict(StatisticalConfig(confidence=1.0, consistency=1.0)) is None


def test_window_is_how_many_pages_saturation_looks_at() -> None:
    pages = (held("a", ANSWER), filler(1))
    narrow = Reading(config=StatisticalConfig(window=1)).read(*pages).assess([])
    wide = Reading(config=StatisticalConfig(window=3)).read(*pages).assess([])
    assert narrow.metrics["saturation"] > wide.metrics["saturation"]


def test_witnesses_are_the_pages_that_must_agree() -> None:
    pages = (held("a", ANSWER), filler(1))
    alone = Reading(config=StatisticalConfig(witnesses=1)).read(*pages).assess([])
    two = Reading(config=StatisticalConfig(witnesses=2)).read(*pages).assess([])
    assert alone.metrics["coverage"] > two.metrics["coverage"]


def test_irrelevance_and_patience_decide_when_to_give_up() -> None:
    query = "sourdough bread oven rye yeast flour"
    pages = [held("oven", "How to clean an oven."), *map(filler, range(4))]

    def verdict(config: StatisticalConfig) -> StopReason | None:
        return Reading(query, config).read(*pages).assess([]).verdict

    assert verdict(StatisticalConfig(irrelevance=0.9)) is StopReason.IRRELEVANT
    assert verdict(StatisticalConfig(irrelevance=0.1, saturation=1.0)) is None
    assert verdict(StatisticalConfig(irrelevance=0.9, patience=9)) is None


def candidate(url: str, anchor: str) -> Candidate:
    (link,) = as_page(page("Start", links={url: anchor}), "https://example.com/start").links
    return Candidate(link.key, link.url, 1, 0, (link,), 1)
