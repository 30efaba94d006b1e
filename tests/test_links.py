"""What makes a link worth following, part by part."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.frontier import Frontier
from adaptive_crawl.crawler.model import Candidate, Link, Page, Query, Scored
from adaptive_crawl.scoring.evidence import Evidence
from adaptive_crawl.scoring.links import LinkConfig, LinkScorer
from adaptive_crawl.scoring.whole import WholeSite

from .answers import as_page, page
from .growth import in_proportion

SITE = "https://example.com"


def link(
    anchor: str,
    url: str = "/x",
    *,
    context: str = "",
    heading: tuple[str, ...] = (),
    found_on: str = "/",
    boilerplate: bool = False,
) -> Link:
    return Link(
        SITE + url, SITE + url, anchor, context or anchor, heading, SITE + found_on, boilerplate=boilerplate
    )


def candidate(*sightings: Link, depth: int = 1, in_links: int = 1) -> Candidate:
    first = sightings[0]
    return Candidate(first.key, first.url, depth, 0, sightings, in_links)


def held(path: str, text: str, links: Sequence[Link] = ()) -> Page:
    made = as_page(page(path.strip("/").title() or "Start", text), SITE + path)
    return replace(made, links=tuple(links))


def scorer(query: str, *pages: Page, config: LinkConfig | None = None) -> LinkScorer:
    evidence = Evidence(query)
    links = LinkScorer(config or LinkConfig(), evidence)
    for one in pages:
        evidence.add_page(one)
        links.learn(Candidate(one.key, one.url, 0, 0, (), 0), one)
    return links


def score(query: str, *candidates: Candidate, pages: Sequence[Page] = ()) -> list[Scored]:
    return scorer(query, *pages).score(candidates)


def parts(scored: Scored) -> dict[str, float]:
    return dict(scored.parts)


VAIN = [held(f"/v{n}", "Gardens, weather and birds.") for n in range(60)]
"""Pages read without finding anything: hope is used up."""


def test_a_link_whose_anchor_has_the_query_comes_before_one_that_has_not() -> None:
    matching, other = score("kill a subprocess", candidate(link("Kill it")), candidate(link("Birds")))
    assert matching.score > other.score


def test_words_around_a_link_and_in_its_address_count_less_than_its_anchor() -> None:
    anchor, address, context, nothing = (
        scored.score
        for scored in score(
            "subprocess",
            candidate(link("subprocess", "/a")),
            candidate(link("Read on", "/subprocess.html")),
            candidate(link("Read on", "/c", context="Read on about every subprocess")),
            candidate(link("Read on", "/d")),
        )
    )
    assert anchor > address > context > nothing


def test_long_surroundings_say_less_than_short_ones() -> None:
    long = "Read on about every subprocess " + "and many more things " * 12
    short, lengthy = score(
        "subprocess",
        candidate(link("Read on", "/a", context="Read on about every subprocess")),
        candidate(link("Read on", "/b", context=long)),
    )
    assert short.score > lengthy.score


def test_headings_above_a_link_count() -> None:
    under, alone = score(
        "subprocess",
        candidate(link("More", "/a", heading=("Library", "Subprocess"))),
        candidate(link("More", "/b")),
    )
    assert under.score > alone.score


def test_a_link_in_a_passage_on_the_query_is_worth_more() -> None:
    near = link("Read on", "/near", heading=("Start", "Processes"), found_on="/")
    far = link("Read on", "/far", heading=("Start", "Gardens"), found_on="/")
    text = "## Processes\n\nTo kill a subprocess send it a signal.\n\n## Gardens\n\nBirds sing in gardens."
    first, second = score(
        "kill subprocess", candidate(near), candidate(far), pages=[held("/", text, [near, far])]
    )
    assert first.score > second.score


def test_a_link_of_a_page_on_the_query_is_worth_more() -> None:
    good = held("/good", "Kill a subprocess with its method kill.")
    bad = held("/bad", "Gardens, weather and birds.")
    first, second = score(
        "kill subprocess",
        candidate(link("Read on", "/a", found_on="/good")),
        candidate(link("Read on", "/b", found_on="/bad")),
        pages=[good, bad],
    )
    assert first.score > second.score


def test_a_word_of_every_link_says_little() -> None:
    links = [
        link(f"Python {word}", f"/{word}") for word in ("birds", "weather", "gardens", "trees", "threads")
    ]
    common, rare = score(
        "python threads",
        candidate(links[0]),
        candidate(link("Threads", "/t")),
        pages=[held("/", "Hi.", links)],
    )
    assert parts(rare)["relevance"] > 2 * parts(common)["relevance"]


def test_the_best_sighting_counts() -> None:
    poor, rich = link("Read on"), link("Kill a subprocess")
    one, both, other = score("kill subprocess", candidate(poor), candidate(poor, rich), candidate(rich))
    assert both.score == other.score > one.score
    assert both.link == rich


def test_links_to_a_page_raise_its_authority() -> None:
    few, many = score(
        "subprocess", candidate(link("subprocess"), in_links=1), candidate(link("subprocess"), in_links=9)
    )
    assert parts(many)["authority"] > parts(few)["authority"]


def test_pages_near_the_start_and_front_pages_have_more_authority() -> None:
    deep, near, front = (
        parts(scored)["authority"]
        for scored in score(
            "subprocess",
            candidate(link("subprocess", "/a/b.html"), depth=4),
            candidate(link("subprocess", "/a/c.html"), depth=1),
            candidate(link("subprocess", "/a/index.html"), depth=1),
        )
    )
    assert deep < near < front


def test_prominence_on_another_subject_is_worth_nothing() -> None:
    (scored,) = score("subprocess", candidate(link("Birds", "/index.html"), in_links=99), pages=VAIN)
    assert scored.score < 0.1


def test_every_part_can_reach_zero_and_one_and_no_more() -> None:
    far = candidate(link("Birds", "/a/b.html"), depth=9)
    (nothing,) = score("subprocess", far, pages=VAIN * 9)
    assert all(value < 0.02 for value in parts(nothing).values())
    (everything,) = score("subprocess", candidate(link("subprocess")))
    assert parts(everything)["relevance"] == 1.0
    assert parts(everything)["novelty"] == 1.0


def test_links_that_promise_nothing_fall_below_min_gain_once_pages_were_read_in_vain() -> None:
    # N03
    (hopeful,) = score("subprocess", candidate(link("Birds")))
    (hopeless,) = score("subprocess", candidate(link("Birds")), pages=VAIN[:9])
    assert hopeful.score >= 0.1 > hopeless.score


def test_what_is_held_is_no_news() -> None:
    answered = held("/a", "To kill a subprocess call its method kill.")
    before = parts(score("kill subprocess", candidate(link("Kill a subprocess")))[0])
    after = parts(score("kill subprocess", candidate(link("Kill a subprocess")), pages=[answered])[0])
    assert after["novelty"] < before["novelty"]


def test_a_folder_whose_pages_answer_rises_and_one_whose_do_not_falls() -> None:
    good = [held(f"/guide/{n}.html", "Kill a subprocess with its method kill.") for n in range(3)]
    bad = [held(f"/blog/{n}.html", "Gardens, weather and birds.") for n in range(3)]
    rising, same, falling = score(
        "kill subprocess",
        candidate(link("Subprocess", "/guide/x.html", found_on="/none")),
        candidate(link("Subprocess", "/other/x.html", found_on="/none")),
        candidate(link("Subprocess", "/blog/x.html", found_on="/none")),
        pages=good + bad,
    )
    assert rising.score > same.score > falling.score


def test_the_menu_of_every_page_says_less_than_a_link_in_the_text() -> None:
    text, menu = score(
        "subprocess", candidate(link("subprocess")), candidate(link("subprocess", boilerplate=True))
    )
    assert text.score > menu.score


def test_another_word_for_the_same_counts_only_beside_a_word_of_the_query() -> None:
    beside, alone, plain = score(
        "delete a branch",
        candidate(link("Remove a branch", "/a")),
        candidate(link("Remove a file", "/b")),
        candidate(link("Name a branch", "/c")),
    )
    assert beside.score > plain.score > alone.score
    assert (
        parts(alone)["relevance"] == parts(score("delete a branch", candidate(link("Birds")))[0])["relevance"]
    )


def test_the_weights_make_the_score() -> None:
    one = candidate(link("subprocess"), in_links=5)
    for config in (LinkConfig(1.0, 0.0, 0.0), LinkConfig(0.0, 1.0, 0.0), LinkConfig(0.0, 0.0, 1.0)):
        (scored,) = scorer("kill subprocess", config=config).score([one])
        name = next(field for field in ("relevance", "novelty", "authority") if getattr(config, field))
        assert scored.score == pytest.approx(parts(scored)[name])


def test_weights_must_sum_to_one() -> None:
    with pytest.raises(ValueError, match=r"links\.relevance"):
        LinkConfig(relevance=0.9)


def test_the_reason_says_where_and_what() -> None:
    seen = link("subprocess", heading=("Library", "Concurrent Execution"), context="subprocess: kill a child")
    (scored,) = score("how to kill subprocesses", candidate(seen))
    assert scored.reason == (
        'anchor "subprocess" under "Concurrent Execution" matches subprocesses, its surroundings kill'
    )


def test_a_chinese_link_is_found_by_its_words() -> None:
    right, wrong = score("怎么录制宏", candidate(link("录制宏的方法")), candidate(link("打印表格")))
    assert right.score > wrong.score


def test_scores_come_in_the_order_of_candidates_and_asking_changes_nothing() -> None:
    links = scorer("subprocess", held("/", "Hello.", [link("subprocess")]))
    asked = [candidate(link("Birds", "/b")), candidate(link("subprocess", "/s"))]
    first = links.score(asked)
    assert [scored.candidate for scored in first] == asked
    assert links.score(asked) == first


def test_a_replayed_crawl_scores_as_the_first_one_did() -> None:
    pages = [held(f"/p{n}", f"Kill subprocess {n}.", [link(f"Signal {n}", f"/s{n}")]) for n in range(5)]
    asked = [candidate(link(f"Signal {n} kill", f"/s{n}")) for n in range(5)]
    live, replayed = scorer("kill subprocess"), scorer("kill subprocess", *pages)
    evidence = Evidence("kill subprocess")
    live = LinkScorer(LinkConfig(), evidence)
    for one in pages:
        live.score(asked)
        evidence.add_page(one)
        live.learn(Candidate(one.key, one.url, 0, 0, (), 0), one)
    assert live.score(asked) == replayed.score(asked)


@given(st.text(max_size=30), st.text(max_size=60), st.text(max_size=60), st.booleans())
def test_any_words_score_between_0_and_1(query: str, anchor: str, text: str, menu: bool) -> None:
    seen = link(anchor, context=text, heading=(text,), boilerplate=menu)
    for scored in score(query or "x", candidate(seen, depth=3), pages=[held("/", text, [seen])]):
        assert 0.0 <= scored.score <= 1.0
        assert all(0.0 <= value <= 1.0 for value in parts(scored).values())


def test_ranking_takes_time_in_proportion_to_the_candidates() -> None:
    frontier = Frontier()
    links = [
        link(f"Chapter {n} of processes", f"/c{n}.html", context=f"Chapter {n}: text") for n in range(5000)
    ]
    for one in links:
        frontier.add(one.url, one.key, 1, [one])
    ranking = scorer("kill a subprocess that takes too long", held("/", "Hello.", links))
    candidates = list(frontier.candidates())
    assert in_proportion(lambda size: ranking.score(candidates[:size]), len(candidates))


def test_a_whole_site_crawl_ranks_by_the_query_and_never_stops() -> None:
    strategy = WholeSite(Query("subprocess"), LinkConfig())
    strategy.learn(candidate(link("Start")), held("/", "Subprocess."))
    first, second = strategy.rank([candidate(link("subprocess")), candidate(link("Birds"))])
    assert first.score > second.score
    assert strategy.assess([]).verdict is None


def test_a_whole_site_crawl_without_a_query_ranks_all_alike() -> None:
    strategy = WholeSite(None, LinkConfig())
    strategy.learn(candidate(link("Start")), held("/", "Subprocess."))
    assert [scored.score for scored in strategy.rank([candidate(link("a")), candidate(link("b"))])] == [0, 0]
    assert strategy.assess([]).verdict is None


def test_a_link_that_its_page_does_not_vouch_for_comes_after_one_that_it_does() -> None:
    vouched, not_vouched = (
        link("restore a backup", "/a"),
        replace(link("restore a backup", "/b"), nofollow=True),
    )
    first, second = score("restore backup", candidate(vouched), candidate(not_vouched))
    assert first.score > second.score > 0
