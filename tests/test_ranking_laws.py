"""Laws of the ranking, over random small webs: what is remembered between rounds never shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.frontier import Frontier
from adaptive_crawl.crawler.model import Candidate, Page, Scored
from adaptive_crawl.scoring.evidence import Evidence
from adaptive_crawl.scoring.links import LinkConfig, LinkScorer

from .answers import as_page, page

SITE = "https://example.com"
QUERIES = ("kill a subprocess", "备份保留", "delete a branch", "C++ templates", "to be or not to be")
WORDS = (
    *("kill", "subprocess", "branch", "remove", "templates", "C++", "birds", "gardens"),
    *("备份", "保留", "中文", "English", "日本語", "be"),
)
PATHS = ("/a", "/b", "/guide/a.html", "/guide/b.html", "/zh/a", "/zh/", "/index.html", "/subprocess")

phrases = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)


@dataclass(frozen=True)
class Step:
    """A page that is read: what it says, and what it links to."""

    path: str
    text: str
    links: tuple[tuple[str, str], ...]
    menu: tuple[tuple[str, str], ...]

    @property
    def page(self) -> Page:
        made = page(self.path, self.text, links=self.links, menu=self.menu)
        return as_page(made, SITE + self.path)


pairs = st.lists(st.tuples(st.sampled_from(PATHS), phrases), max_size=4).map(tuple)
texts = st.lists(phrases, max_size=3).map("\n\n".join)
steps = st.builds(Step, st.sampled_from(PATHS), texts, pairs, pairs)
webs = st.lists(steps, min_size=1, max_size=6, unique_by=lambda step: step.path)


class Crawled:
    """A scorer and the frontier that feeds it."""

    def __init__(self, query: str) -> None:
        self.evidence = Evidence(query)
        self.scorer = LinkScorer(LinkConfig(), self.evidence)
        self.frontier = Frontier()

    def read(self, step: Step) -> None:
        held = step.page
        candidate = self.frontier.settle(held.key) or Candidate(held.key, held.url, 0, 0, (), 0)
        for link in held.links:
            self.frontier.add(link.url, link.key, candidate.depth + 1, [link])
        self.evidence.add_page(held)
        self.scorer.learn(candidate, held)

    def scores(self) -> list[Scored]:
        return self.scorer.score(self.frontier.candidates())


def after(query: str, web: Sequence[Step]) -> Crawled:
    crawled = Crawled(query)
    for step in web:
        crawled.read(step)
    return crawled


@given(st.sampled_from(QUERIES), webs)
def test_what_was_scored_before_changes_no_score(query: str, web: Sequence[Step]) -> None:
    asked = Crawled(query)
    for count, step in enumerate(web, 1):
        asked.read(step)
        assert asked.scores() == after(query, web[:count]).scores()


@given(st.sampled_from(QUERIES), webs)
def test_a_score_does_not_depend_on_the_other_candidates(query: str, web: Sequence[Step]) -> None:
    crawled = after(query, web)
    candidates = crawled.frontier.candidates()
    together = crawled.scores()
    assert crawled.scorer.score(candidates[::-1]) == together[::-1]
    assert [crawled.scorer.score([candidate])[0] for candidate in candidates] == together


@given(st.sampled_from(QUERIES), webs)
def test_a_score_is_the_weighted_sum_of_parts_that_lie_in_0_to_1(query: str, web: Sequence[Step]) -> None:
    config = LinkConfig()
    for scored in after(query, web).scores():
        parts = dict(scored.parts)
        assert list(parts) == ["relevance", "novelty", "authority"]
        assert all(0 <= value <= 1 for value in parts.values())
        assert parts["novelty"] <= parts["relevance"]
        assert abs(scored.score - sum(getattr(config, name) * value for name, value in parts.items())) < 1e-9


@given(st.sampled_from(QUERIES), webs)
def test_every_score_has_a_reason_and_the_link_it_rests_on(query: str, web: Sequence[Step]) -> None:
    for scored in after(query, web).scores():
        assert scored.link in scored.candidate.sightings
        assert scored.reason.startswith(("anchor", "a link without words"))


@given(st.sampled_from(QUERIES), webs, phrases)
def test_a_further_link_never_makes_a_page_less_relevant(
    query: str, web: Sequence[Step], anchor: str
) -> None:
    crawled = after(query, web)
    (link,) = as_page(page("", links={"/target": anchor}), SITE + "/a").links
    for candidate in crawled.frontier.candidates():
        known = candidate.sightings
        more = Candidate(candidate.key, candidate.url, candidate.depth, 0, (*known, link), candidate.in_links)
        # A scorer of its own for each question: as in a crawl, links to a page only ever become more.
        before, then = (after(query, web).scorer.score([asked])[0].parts[0][1] for asked in (candidate, more))
        assert then >= before - 1e-9
