from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.reading.passages import MAX_CHARS, passages_of, plain, word_count

SENTENCE = "Ten words make up this one plain sentence of text. "


def test_a_page_is_cut_at_its_headings() -> None:
    found = passages_of("# Top\n\nIntro.\n\n## A\n\nFirst.\n\n### B\n\nSecond.\n\n## C *x*\n\nThird.\n")
    assert [(p.heading, p.text) for p in found] == [
        (("Top",), "Intro."),
        (("Top", "A"), "First."),
        (("Top", "A", "B"), "Second."),
        (("Top", "C x"), "Third."),
    ]


def test_a_long_section_is_cut_at_its_paragraphs() -> None:
    found = passages_of("\n\n".join([SENTENCE * 5] * 12))
    counts = [word_count(passage.text) for passage in found]
    assert len(counts) >= 4
    assert all(80 <= count <= 200 for count in counts[:-1])


def test_code_stays_with_the_text_before_it() -> None:
    text = SENTENCE * 13 + "\n\n```py\na = 1\n\nb = 2\n```\n\n" + SENTENCE * 13
    first, second = passages_of(text)
    assert first.text.endswith("```py\na = 1\n\nb = 2\n```")
    assert "```" not in second.text


def test_headings_in_code_are_none() -> None:
    (passage,) = passages_of("```sh\n# a comment\n```\n")
    assert passage.heading == ()


def test_links_become_their_text() -> None:
    text = (
        "See [the *guide*](https://e.org/a_(b)) and ![a picture](/i.png), "
        "<https://e.org/>, `[x](y)`, \\[z\\](w)."
    )
    assert passages_of(text)[0].text == "See the *guide* and a picture, https://e.org/, `[x](y)`, \\[z\\](w)."


def test_plain_text_has_no_signs() -> None:
    assert plain("[**a**](u) `b` \\*c\\* x<sup>2</sup>") == "a b *c* x2"


@given(st.text(alphabet="ab. \n`#[]()|中。", max_size=6_000))
def test_passages_are_bounded_whatever_the_page(markdown: str) -> None:
    for passage in passages_of(markdown):
        assert 0 < len(passage.text) <= MAX_CHARS + 20


def test_one_endless_line_is_cut() -> None:
    assert max(len(p.text) for p in passages_of("中" * 20_000)) <= MAX_CHARS
    assert max(len(p.text) for p in passages_of(SENTENCE * 2_000)) <= MAX_CHARS


def test_characters_of_scripts_without_spaces_count_as_half_a_word() -> None:
    assert word_count("数据备份的保留") in (4, 5)
    assert word_count("ten words") == 2
