"""What counts as evidence on a query, and what only looks like it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.model import Page, Passage
from adaptive_crawl.scoring.evidence import MAX_PASSAGES, Evidence

from .answers import Links, as_page, page

QUERY = "backup retention"
ANSWER = "The retention of a backup is thirty days."
GARDENS = "Gardens, weather and birds are what this chapter speaks of."


def held(path: str, text: str, *, title: str = "Chapter", links: Links = (), menu: Links = ()) -> Page:
    return as_page(page(title, text, links=links, menu=menu), f"https://example.com{path}")


def read(*pages: Page, query: str = QUERY) -> Evidence:
    evidence = Evidence(query)
    for one in pages:
        evidence.add_page(one)
    return evidence


def said(evidence: Evidence, path: str) -> float:
    """How much of the query a page itself says."""
    return evidence.pages[f"https://example.com{path}"].said


def worth(evidence: Evidence, path: str) -> float:
    """How much of the query a page has, promises included."""
    return evidence.worth(f"https://example.com{path}")


def test_words_together_in_one_passage_are_evidence_and_scattered_ones_are_less() -> None:
    together = read(held("/a", f"{ANSWER}\n\n{GARDENS}"))
    scattered = read(held("/a", f"Keep a backup of the garden.\n\n{GARDENS}\n\nThe retention of water."))
    assert said(together, "/a") > 1.5 * said(scattered, "/a")


def test_a_word_in_the_headings_above_counts_but_less_than_one_in_the_text() -> None:
    in_text = read(held("/a", f"## Settings\n\n{ANSWER}"))
    in_heading = read(held("/a", "## Retention\n\nThat of a backup is thirty days."))
    nowhere = read(held("/a", "## Settings\n\nThat of a backup is thirty days."))
    assert said(in_text, "/a") > said(in_heading, "/a") > said(nowhere, "/a")


def titled(title: str, text: str) -> Page:
    """A page whose title is not among the headings of its text."""
    return replace(held("/a", text, title=title), passages=(Passage((), text),))


def test_the_title_of_a_page_speaks_for_a_passage_that_has_a_word_of_the_query_itself() -> None:
    beside = read(titled("Backup", "Retention is thirty days."))
    alone = read(titled("Chapter", "Retention is thirty days."))
    elsewhere = read(titled("Backup retention", GARDENS))
    assert said(beside, "/a") > said(alone, "/a") > said(elsewhere, "/a") == 0


def test_menus_do_not_count() -> None:
    menu = {"/b": "Backup retention", "/r": "Retention of backups"}
    evidence = read(held("/a", GARDENS, menu=menu))
    assert worth(evidence, "/a") == said(evidence, "/a") == evidence.found == 0


def test_a_menu_does_not_take_back_what_the_text_says() -> None:
    menu = {"/b": "Backup retention"}
    plain = titled("Chapter", ANSWER)
    beside = replace(plain, links=held("/a", ANSWER, menu=menu).links)
    assert beside.links[0].heading == beside.passages[0].heading
    assert said(read(beside), "/a") == said(read(plain), "/a") > 0


def listed(path: str, anchor: str) -> Page:
    """A page whose only words on the query are an entry that is nothing but a link."""
    made = held(path, f"{GARDENS}\n\n- {anchor}", links={"/target": anchor})
    return replace(made, passages=tuple(Passage(p.heading, p.text) for p in made.passages))


def test_an_entry_that_is_only_a_link_promises_and_says_nothing() -> None:
    evidence = read(listed("/index", "Backup retention"))
    assert worth(evidence, "/index") > 0
    assert said(evidence, "/index") == 0


def test_a_link_in_a_sentence_says_what_the_sentence_says() -> None:
    made = held("/a", ANSWER, links={"/r": "retention"})
    sentence = replace(made, links=tuple(replace(link, context=ANSWER) for link in made.links))
    assert said(read(sentence), "/a") > 0


def test_an_index_of_links_is_worth_less_than_prose_of_the_same_words() -> None:
    index, prose = read(listed("/a", "Backup retention")), read(held("/a", f"{GARDENS}\n\nBackup retention"))
    assert worth(index, "/a") < worth(prose, "/a")


def test_what_a_site_repeats_on_its_pages_it_says_once() -> None:
    note = "Every backup has a retention."
    evidence = read(*(held(f"/{n}", f"Chapter {n} is about birds.\n\n{note}") for n in range(4)))
    assert said(evidence, "/0") > 0
    assert [said(evidence, f"/{n}") for n in (1, 2, 3)] == [0, 0, 0]


def test_agreement_of_four_pages_in_other_words_is_not_repetition() -> None:
    evidence = read(*(held(f"/{n}", f"In case {n} the retention of a backup is {n} days.") for n in range(4)))
    assert all(said(evidence, f"/{n}") > 0.5 for n in range(4))


def test_a_mention_in_a_long_passage_says_less_than_in_a_short_one() -> None:
    short, long = held("/short", ANSWER), held("/long", f"{ANSWER} {GARDENS * 12}")
    evidence = read(short, long)
    assert said(evidence, "/short") > said(evidence, "/long")


def test_a_word_of_every_passage_tells_nothing_beside_a_rare_one() -> None:
    pages = [held(f"/{n}", f"A backup, chapter {n}, of birds.") for n in range(20)]
    evidence = read(*pages, held("/r", "Its retention is thirty days."))
    evidence.refresh()
    assert evidence.weights["backup"] < 0.2 * evidence.weights["retent"]
    assert worth(evidence, "/r") > worth(evidence, "/3")


def test_a_word_of_every_link_tells_nothing_beside_a_rare_one() -> None:
    evidence = read(held("/a", GARDENS))
    evidence.note_links([["backup"]] * 40 + [["backup", "retent"]])
    evidence.refresh()
    assert evidence.weights["backup"] < 0.2 * evidence.weights["retent"]


def test_weights_are_brought_up_to_date_by_refresh_alone_and_worth_follows() -> None:
    evidence = read(held("/a", "A backup of birds."))
    before, version = worth(evidence, "/a"), evidence.version
    for number in range(20):
        evidence.add_page(held(f"/{number}", f"A backup, chapter {number}."))
    assert (evidence.version, worth(evidence, "/a")) == (version, before)
    evidence.refresh()
    assert evidence.version > version
    assert worth(evidence, "/a") < before


def test_the_best_pages_come_first_each_with_its_best_passage() -> None:
    evidence = read(
        held("/some", "A backup of birds."), held("/all", f"{GARDENS}\n\n{ANSWER}"), held("/none", GARDENS)
    )
    best = evidence.best(5)
    assert [key.rpartition("/")[2] for key, _, _ in best] == ["all", "some"]
    assert best[0][2].text == ANSWER
    assert evidence.best(1) == best[:1]


def test_found_takes_all_words_alike_whatever_they_tell() -> None:
    pages = [held(f"/{n}", f"A backup, chapter {n}.") for n in range(20)]
    evidence = read(*pages)
    evidence.refresh()
    assert evidence.found == pytest.approx(0.5, abs=0.2)
    assert worth(evidence, "/3") < 0.2


def test_sections_are_worth_what_their_own_passages_are() -> None:
    evidence = read(held("/a", f"## Keeping\n\n{ANSWER}\n\n## Birds\n\n{GARDENS}", title="Guide"))
    key = "https://example.com/a"
    assert evidence.section_worth(key, ("Guide", "Keeping")) == worth(evidence, "/a") > 0
    assert evidence.section_worth(key, ("Guide", "Birds")) == 0
    assert evidence.section_worth("https://example.com/other", ()) == 0


def test_a_pair_of_characters_where_two_words_meet_is_not_missed() -> None:
    evidence = read(held("/a", "备份保存在磁盘上。保留期为十四天。"), query="备份保留")
    evidence.refresh()
    assert evidence.weights["份保"] > 0
    met = read(held("/a", "保留的期限。备份的地点。"), query="备份保留")
    met.refresh()
    assert met.weights["份保"] == 0


def test_a_pair_that_turns_out_to_be_a_word_is_missed_where_it_is_not() -> None:
    evidence = read(held("/a", "保留的期限。备份的地点。"), query="备份保留")
    evidence.refresh()
    before = evidence.found
    evidence.add_page(held("/b", "份保。"))
    evidence.refresh()
    assert evidence.found < before


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("备份保留", "备份保留十四天。"),
        ("データの保存", "データは毎日保存される。"),
        ("백업 보관", "백업은 십사 일 동안 보관된다."),
        ("C++ 编译", "用 C++ 编译程序。"),
    ],
)
def test_pages_in_scripts_without_spaces_are_evidence(query: str, text: str) -> None:
    assert worth(read(held("/a", text), query=query), "/a") > 0.5


def test_one_page_cannot_fill_the_memory() -> None:
    text = "\n\n".join(f"Backup number {n}." for n in range(3 * MAX_PASSAGES))
    evidence = read(held("/a", f"{text}\n\n{ANSWER}"))
    kept = evidence.pages["https://example.com/a"].passages
    assert len(kept) == MAX_PASSAGES
    assert kept[0].text == ANSWER


def test_words_of_the_query_are_shown_as_they_were_typed() -> None:
    evidence = read(query="Retention of Backups")
    assert evidence.words == {"retent": "Retention", "of": "of", "backup": "Backups"}


@given(st.lists(st.sampled_from([ANSWER, GARDENS, "A backup.", "Its retention.", "备份", ""]), max_size=8))
def test_whatever_is_read_every_figure_lies_in_0_to_1(texts: Sequence[str]) -> None:
    evidence = read(*(held(f"/{n}", text) for n, text in enumerate(texts)))
    evidence.refresh()
    assert 0 <= evidence.found <= 1
    assert all(0 <= weight <= 1 for weight in evidence.weights.values())
    for page_held in evidence.pages.values():
        assert 0 <= page_held.said <= page_held.worth <= 1
