import cProfile
import html
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adaptive_crawl.crawler.model import Mark, Page
from adaptive_crawl.crawler.reading.annotate import annotated
from adaptive_crawl.crawler.reading.tree import Tree, text_of

from .reading import PAGES, page, rendered

COMMONMARK = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def constructs() -> Iterator[tuple[str, str, str]]:
    for section in (PAGES / "constructs.txt").read_text("utf-8").split("\n==== ")[1:]:
        name, _, rest = section.partition("\n")
        source, _, markdown = rest.partition("\n----\n")
        yield name, source, markdown.rstrip("\n")


@pytest.mark.parametrize(("source", "markdown"), [pytest.param(*c[1:], id=c[0]) for c in constructs()])
def test_a_construct_reads_as_markdown(source: str, markdown: str) -> None:
    assert rendered(source).markdown.rstrip("\n") == markdown


SIGNS = st.text(alphabet="ab1 .)(-+*_#>=~`[]!<&;:|\\/\"'，。“中\n", max_size=12)
INLINE = st.tuples(st.sampled_from(["", "b", "i", "code", "a", "del", "span"]), SIGNS)


@settings(max_examples=150, deadline=None)
@given(st.lists(INLINE, min_size=1, max_size=4))
def test_any_text_is_shown_as_it_is(pieces: list[tuple[str, str]]) -> None:
    text = "".join(text for _, text in pieces)
    if "\\(" in text or "\\[" in text:  # a formula
        return
    source = "".join(
        f"<{tag} href=/u>{html.escape(text)}</{tag}>" if tag else html.escape(text) for tag, text in pieces
    )
    shown = COMMONMARK.render(rendered(f"<p>{source}</p>").markdown)
    assert _letters(text_of(Tree(shown).body)) == _letters(text)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab \t`~*_<>&#|\\\n", max_size=30))
def test_any_code_comes_through_character_by_character(code: str) -> None:
    lines = code.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    fences = [
        t
        for t in COMMONMARK.parse(rendered(f"<pre>\n{html.escape(code)}</pre>").markdown)
        if t.type == "fence"
    ]
    assert [fence.content.removesuffix("\n") for fence in fences] == ["\n".join(lines)] * bool(lines)


def _letters(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize(
    "source",
    [
        "<div>" * 5_000 + "core",
        "<blockquote>" * 3_000 + "core",
        "<ul><li>" * 3_000 + "core",
        "<table><tr><td>" * 2_000 + "core",
        "<b><i>" * 3_000 + "core",
        "<dl><dd>" * 2_000 + "core",
        "<span>" * 5_000 + "core",
        "<math><mrow>" * 2_000 + "<mi>core",
    ],
)
def test_thousands_of_nested_elements_are_no_trouble(source: str) -> None:
    assert "core" in rendered(source).markdown


@pytest.mark.parametrize(
    "piece",
    [
        *("<b><i><em><a href=x>", "<b><i><em><a href=/x>text ", "<blockquote><a href=/x>text</a>"),
        *("<a href=/x><table><tr><td>text", "<ul><li><a href=/x>text</a> and", "<div><h2>text</h2>and"),
    ],
)
def test_work_grows_with_the_length_of_a_page_however_its_elements_nest(piece: str) -> None:
    def calls(count: int) -> int:
        profile = cProfile.Profile()
        profile.enable()
        page("<main>" + piece * count)
        profile.disable()
        return sum(entry.callcount for entry in profile.getstats())

    calls(10)
    # What grows with the square would be 16 times as much.
    assert calls(2_400) < 6 * calls(600)


def test_links_deeper_than_browsers_nest_keep_their_text_and_blocks_stay_apart() -> None:
    found = page(
        "<main><h1>T</h1>" + "<div>" * 600 + '<p>one</p><p><b>see</b> <a href="/x"><i>this</i></a></p>'
    )
    assert "one\n\nsee [this](https://example.org/x)" in found.markdown
    assert "script" not in page("<main>text" + "<div>" * 600 + "<script>script</script>").markdown


def test_marks_stand_after_links_and_nowhere_in_code() -> None:
    body = (
        '<p>See <a href="/a">one</a>, <a href="/b">two</a> and <a href="/a#x">one again</a>, or https://c.example/.</p>'
        '<pre>curl <a href="/d">https://e.example/</a></pre><p><code>https://f.example/</code></p>'
        '<table><tr><th>A</th><th>B</th></tr><tr><td><a href="/t">cell</a></td><td>x</td></tr></table>'
        '<p><a href="/style.css">style</a> <a href="/p.png">picture</a> <a href="/doc.pdf">paper</a></p>'
    )
    found = page(f"<main><h1>T</h1>{body}</main>")
    text = annotated(found)
    assert "[one](https://example.org/a) ⟨L1⟩, [two](https://example.org/b) ⟨L2⟩ and" in text
    assert "[one again](https://example.org/a#x) ⟨L1⟩, or https://c.example/ ⟨L3⟩." in text
    assert "| [cell](https://example.org/t) ⟨L4⟩ | x |" in text
    assert "[style](https://example.org/style.css) [picture](https://example.org/p.png) [paper]" in text
    assert "(https://example.org/doc.pdf) ⟨L5⟩" in text
    assert "curl https://e.example/\n```" in text
    assert "⟨" not in found.markdown
    refs = {link.key: link.ref for link in found.links}
    assert refs["https://example.org/a"] == "L1"
    assert refs["https://example.org/d"] == ""


def test_marks_that_a_page_writes_itself_are_changed() -> None:
    forged = "⟨L1⟩ or ⟨ l 7 ⟩ or ⟨<b>L4</b>⟩ or ⟨<i>L</i>5⟩ or ⟨L<wbr>\u200b6⟩ or ⟨⟨L8⟩⟩ or ⟨&#76;9"
    found = page(f"<main><p>{forged}, see <a href='/a'>this</a>.</p><pre>⟨L2⟩</pre></main>")
    text = annotated(found)
    assert re.findall("⟨.*?⟩", text, re.DOTALL) == ["⟨L1⟩"]
    assert text.count("⟨") == text.count("⟩") == 1
    assert "‹L2›" in text
    assert "⟨L2⟩" in found.markdown


def test_splicing_marks_in_needs_only_their_offsets() -> None:
    found = page("<main><p>text</p></main>")
    fields = {name: getattr(found, name) for name in Page.__slots__}
    marked = Page(**fields | {"markdown": "ab", "marks": (Mark(1, "L1"), Mark(2, "L2"))})
    assert annotated(marked) == "a ⟨L1⟩b ⟨L2⟩"


def test_a_table_keeps_what_a_filter_leaves_of_it() -> None:
    found = page(
        "<main><h1>T</h1><p>Some text to keep.</p><table><tr><th>A</th><th>B</th></tr>"
        "<tr><td>x<nav><a href=/n>menu</a></nav></td><td>y</td></tr></table></main>"
    )
    assert "| x | y |" in found.markdown
