"""What counts as the same word in a query, a link and a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.scoring.text import (
    Lexicon,
    bm25,
    count_terms,
    every_term,
    idf,
    is_stop,
    key_terms,
    overlap,
    saturating,
    stem,
    terms,
)
from adaptive_crawl.scoring.thesaurus import alternatives

from .growth import in_proportion


@pytest.mark.parametrize("short", ["go", "io", "AI", "C#", "C++", ".NET", "F#", "node.js", "c", "R"])
def test_short_and_symbol_names_are_terms(short: str) -> None:
    assert short.lower() in terms(f"how to do it in {short}")
    assert short.lower() in terms(f"{short}, and more.")


def test_the_dot_that_ends_a_sentence_is_no_name() -> None:
    assert terms("Read it. Write it.") == ["read", "write"]
    assert terms("see page.html#part") == ["see", "page.html", "page", "html", "part"]


def test_english_words_meet_in_their_stem() -> None:
    assert stem("connections") == stem("connected") == stem("connect")
    assert terms("Retries") == terms("retry")


@pytest.mark.parametrize(
    ("verb", "noun"),
    [
        ("extend", "extension"),
        ("convert", "conversion"),
        ("include", "inclusion"),
        ("expand", "expansion"),
        ("subscribe", "subscription"),
        ("permit", "permission"),
    ],
)
def test_latin_verbs_meet_their_nouns(verb: str, noun: str) -> None:
    assert stem(verb) == stem(noun)


def test_stop_words_do_not_count() -> None:
    assert terms("how do I kill the subprocess") == ["kill", "subprocess"]
    assert "的" not in terms("数据的备份")
    assert "怎么" not in terms("怎么备份")


def test_a_query_of_stop_words_only_is_still_a_query() -> None:
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert key_terms("怎么")


def test_identifiers_are_found_whole_and_by_their_parts() -> None:
    assert {"asyncio.create_task", "asyncio", "task"} <= set(terms("asyncio.create_task()"))
    assert {"threadpoolexecutor", "thread", "pool"} <= set(terms("ThreadPoolExecutor"))
    assert {"httpserver", "http", "server"} <= set(terms("HTTPServer"))
    assert {"max_pages", stem("max"), stem("pages")} <= set(terms("MAX_PAGES max_pages"))


def test_numbers_stay_whole() -> None:
    assert terms("0.1 + 0.2") == ["0.1", "0.2"]


def test_accents_and_width_are_folded() -> None:
    assert terms("Café ＡＰＩ ﬁle") == terms("cafe API file")


def test_marks_of_other_scripts_make_other_letters() -> None:
    assert terms("й") != terms("и")
    assert terms("हिन्दी") == ["हिन्दी"]


def test_chinese_is_read_as_characters_and_pairs() -> None:
    assert {"令牌", "牌刷", "刷新", "令"} <= set(terms("令牌刷新"))
    assert key_terms("令牌刷新") == ("令牌", "牌刷", "刷新")
    assert key_terms("宏") == ("宏",)


def test_japanese_grammar_does_not_count_and_kana_words_do() -> None:
    assert {"デー", "保存"} <= set(terms("データを保存する"))
    assert "する" not in terms("データを保存する")


def test_korean_and_thai_are_read_without_spaces() -> None:
    assert "백업" in terms("데이터백업")
    assert terms("ข้อมูล")


@given(st.text())
def test_any_text_has_terms_or_none_and_both_ways_of_counting_agree(text: str) -> None:
    every = every_term(text)
    assert all(every)
    assert sorted(count_terms(text).elements()) == sorted(every)
    assert set(terms(text)) <= set(every)


@given(st.text(), st.text())
def test_a_lexicon_finds_what_counting_everything_finds(query: str, text: str) -> None:
    wanted = key_terms(query)
    counted = count_terms(text)
    assert dict(Lexicon(wanted).count(text)) == {t: counted[t] for t in wanted if counted[t]}


@given(st.sampled_from(["connect", "try", "C++", "café", "数据备份", "node.js", "create_task"]))
def test_a_lexicon_finds_a_word_in_other_forms(word: str) -> None:
    text = f"Trying connections: Café CAFÉS, tries and 数据备份 in C++ or node.js; asyncio.create_task {word}"
    wanted = key_terms(word)
    assert set(Lexicon(wanted).among(text)) == set(wanted)


@pytest.mark.parametrize("piece", ["a", "a.", "据", "é", "_"])
def test_hostile_runs_take_time_in_proportion(piece: str) -> None:
    def read(size: int) -> None:
        count_terms(piece * size)
        Lexicon(["abc"]).count(piece * size)

    assert in_proportion(read, 400_000)


def test_bm25_ranks_the_document_with_the_rarer_word_first() -> None:
    documents = [terms(t) for t in ("backup of files", "backup retention", "files and files", "nothing here")]
    scores = bm25(terms("backup retention"), documents)
    assert scores[1] > scores[0] > 0
    assert scores[2] == scores[3] == 0


def test_bm25_never_scores_a_match_below_nothing() -> None:
    assert bm25(["a"], [["a", "b"]])[0] > 0


@pytest.mark.parametrize(
    ("query", "documents"), [([], [["a"]]), (["a"], []), (["a"], [[]]), (["a"], [[], []])]
)
def test_bm25_of_nothing_is_zero(query: list[str], documents: list[list[str]]) -> None:
    assert bm25(query, documents) == [0.0] * len(documents)


def test_k1_and_b_change_bm25() -> None:
    documents = [["a"] * 5 + ["b"] * 20, ["a"], ["c"]]
    assert bm25(["a"], documents, k1=0.1) != bm25(["a"], documents, k1=3.0)
    assert bm25(["a"], documents, b=0.0) != bm25(["a"], documents, b=1.0)


def test_idf_is_zero_where_nothing_was_seen_and_falls_with_use() -> None:
    assert idf(0, 0) == 0
    assert idf(0, 10) > idf(5, 10) > idf(10, 10) > 0


def test_frequency_saturates_and_long_texts_say_less() -> None:
    assert saturating(0, 10, 10) == 0
    assert saturating(1, 10, 10) < saturating(2, 10, 10) < saturating(100, 10, 10) < 1
    assert saturating(1, 100, 10) < saturating(1, 10, 10)


def test_overlap_is_the_share_of_common_words() -> None:
    assert overlap({"a": 1, "b": 1}, {"b": 1, "c": 1}) == pytest.approx(1 / 3)
    assert overlap({}, {}) == 0


def test_a_stop_word_of_one_language_is_none_in_capitals_of_another() -> None:
    assert is_stop("the")
    assert not is_stop("go")


def test_words_that_stand_for_one_another_are_known_both_ways() -> None:
    assert stem("remove") in alternatives(stem("delete"))
    assert stem("delete") in alternatives(stem("remove"))
    assert "移除" in alternatives("删除")
    assert alternatives("subprocess-like-word") == ()
