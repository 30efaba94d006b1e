"""A crawl of everything in scope: ranked where there is a query, and never ended by the strategy."""

from adaptive_crawl.crawler.model import Candidate, Failure, FailureKind, Query
from adaptive_crawl.scoring.links import LinkConfig
from adaptive_crawl.scoring.whole import WholeSite

from .answers import as_page, page

HUB = as_page(
    page("Hub", "A hub.", links={"/staff": "Our staff", "/keep": "How long backups are kept"}),
    "https://example.com/",
)
START = Candidate(HUB.key, HUB.url, 0, 0, (), 0)
CANDIDATES = [Candidate(link.key, link.url, 1, n, (link,), 1) for n, link in enumerate(HUB.links)]


def whole(query: str = "") -> WholeSite:
    strategy = WholeSite(Query(query) if query else None, LinkConfig())
    strategy.learn(START, HUB)
    return strategy


def test_without_a_query_all_links_are_alike() -> None:
    ranked = whole().rank(CANDIDATES)
    assert [scored.candidate for scored in ranked] == CANDIDATES
    assert [scored.score for scored in ranked] == [0.0, 0.0]


def test_with_a_query_links_are_ranked_as_in_an_adaptive_crawl() -> None:
    staff, keep = whole("how long are backups kept").rank(CANDIDATES)
    assert keep.score > staff.score
    assert keep.reason


def test_nothing_is_ever_enough() -> None:
    strategy = whole("backups")
    for number in range(5):
        answer = as_page(
            page("Backups", f"Backups are kept for {number} days."), f"https://example.com/{number}"
        )
        strategy.learn(Candidate(answer.key, answer.url, 1, number, (), 1), answer)
    assessment = strategy.assess(strategy.rank(CANDIDATES))
    assert assessment.verdict is None
    assert not assessment.sufficient
    assert assessment.confidence == 0


def test_what_is_no_page_teaches_nothing() -> None:
    strategy = whole("how long are backups kept")
    before = strategy.rank(CANDIDATES)
    strategy.learn(CANDIDATES[0], Failure(CANDIDATES[0].url, FailureKind.TIMEOUT, "no answer in 30 s"))
    assert strategy.rank(CANDIDATES) == before
