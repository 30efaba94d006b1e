import pytest

from adaptive_crawl.crawler.model import Page
from adaptive_crawl.crawler.reading.annotate import annotated

from .reading import answer, outcome


def text_page(body: str, media_type: str = "text/markdown", url: str = "https://e.org/docs/a.md") -> Page:
    found = outcome(answer(body, media_type, url=url))
    assert isinstance(found, Page)
    return found


def test_markdown_is_kept_as_it_is() -> None:
    body = "# Title *here*\n\nSome [text](b.md) and `code`.\n\n```py\nx = [1](2)\n```\n"
    found = text_page(body)
    assert found.markdown == body
    assert found.title == "Title here"
    assert [link.url for link in found.links] == ["https://e.org/docs/b.md"]
    assert found.passages[0].heading == ("Title here",)


def test_front_matter_gives_the_title_and_is_no_content() -> None:
    found = text_page('---\ntitle: "From the front"\nlayout: x\n---\n\n# Heading\n\ntext\n')
    assert found.title == "From the front"
    assert found.markdown == "# Heading\n\ntext\n"


def test_links_of_all_spellings_get_marks_but_not_in_code() -> None:
    found = text_page(
        "[a](/a) <https://e.org/b> https://e.org/c. `https://e.org/d` [again](/a) ![i](/i.png)\n"
    )
    assert annotated(found) == (
        "[a](/a) ⟨L1⟩ <https://e.org/b> ⟨L2⟩ https://e.org/c ⟨L3⟩. "
        "`https://e.org/d` [again](/a) ⟨L1⟩ ![i](/i.png)\n"
    )
    assert [link.anchor for link in found.links] == ["a", "", "", "again"]


def test_a_reference_definition_is_a_link_without_a_place() -> None:
    found = text_page("See [that][1].\n\n[1]: https://e.org/x\n")
    assert [(link.url, link.ref) for link in found.links] == [("https://e.org/x", "")]


def test_plain_text_becomes_markdown_that_shows_it() -> None:
    found = text_page(
        "A title\n\n1. one\n# two\nsee https://e.org/a_b_c, *x*\n", "text/plain", "https://e.org/a.txt"
    )
    assert found.title == "A title"
    assert found.markdown == "A title\n\n1\\. one\\\n\\# two\\\nsee https://e.org/a_b_c, \\*x\\*\n"
    assert [link.url for link in found.links] == ["https://e.org/a_b_c"]


def test_text_laid_out_with_blanks_is_fenced() -> None:
    found = text_page("name      size\nsmall     1\n  nested  2\n", "text/plain", "https://e.org/a.txt")
    assert found.markdown == "```\nname      size\nsmall     1\n  nested  2\n```\n"


@pytest.mark.parametrize(
    "body", ["[a](" * 30_000, "`" * 60_000, "[a](b) `x` " * 5_000, "---\n" + "a: b\n" * 20_000]
)
def test_hostile_markdown_is_read_in_time(body: str) -> None:
    assert text_page(body).markdown
