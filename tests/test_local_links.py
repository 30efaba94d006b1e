"""Links between pages of the tree become relative; whatever is no link stays as it is."""

import random
from pathlib import PurePosixPath

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from adaptive_crawl.output.local_links import led_to, localize, relative

from . import demo_site, reading
from .growth import in_proportion

HERE = PurePosixPath("guide/start.md")
HELD = {
    "https://h.test/": PurePosixPath("home.md"),
    "https://h.test/guide/install": PurePosixPath("guide/install.md"),
    "https://h.test/a/指南 (1)": PurePosixPath("a/指南 (1).md"),
    "https://h.test/f?a=1&b=2": PurePosixPath("files/f.pdf"),
}


def local(markdown: str) -> str:
    return localize(markdown, HERE, HELD.get)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[Install](https://h.test/guide/install)", "[Install](install.md)"),
        ("[Home](https://h.test/)", "[Home](../home.md)"),
        ("[Part](https://h.test/guide/install#on-linux)", "[Part](install.md#on-linux)"),
        ('[T](https://h.test/ "A title")', '[T](../home.md "A title")'),
        ("[CJK](<https://h.test/a/指南 (1)>)", "[CJK](../a/指南%20%281%29.md)"),
        ("[File](https://h.test/f?a=1&amp;b=2)", "[File](../files/f.pdf)"),
        ("![Image](https://h.test/f?a=1&b=2)", "![Image](../files/f.pdf)"),
        ("[![Image](https://h.test/f?a=1&b=2)](https://h.test/)", "[![Image](../files/f.pdf)](../home.md)"),
        ("<https://h.test/>", "[https://h.test/](../home.md)"),
        ("[ref]\n\n[ref]: https://h.test/ 'Title'", "[ref]\n\n[ref]: ../home.md 'Title'"),
        ("| a |\n|---|\n| [x](https://h.test/) |", "| a |\n|---|\n| [x](../home.md) |"),
        ("- > [x](https://h.test/)", "- > [x](../home.md)"),
        ("[a [b] c](https://h.test/)", "[a [b] c](../home.md)"),
    ],
)
def test_links_to_what_is_held_become_relative(markdown: str, expected: str) -> None:
    assert local(markdown) == expected
    found = led_to(markdown, expected, HERE)
    assert found
    assert found.items() <= HELD.items(), "a page and its file tell where its links lead"


def test_where_links_lead_is_told_as_far_as_a_file_is_that_of_its_page() -> None:
    markdown = "[a](https://h.test/old) [b](https://x.test/) [c](https://h.test/#x) [d](https://h.test/d)"
    file = "[a](install.md) [b](https://x.test/) [c](../home.md#x) [edited](d.md)"
    assert led_to(markdown, file, HERE) == {
        "https://h.test/old": PurePosixPath("guide/install.md"),
        "https://h.test/": PurePosixPath("home.md"),
    }
    assert led_to("[a](https://h.test/a)", "[a](../../../etc/passwd)", HERE) == {}


@pytest.mark.parametrize(
    "markdown",
    [
        "[Elsewhere](https://other.test/)",
        "[Not held](https://h.test/nowhere)",
        "An address, https://h.test/, in running text.",
        "`[x](https://h.test/)` and ``a ` [x](https://h.test/)``",
        "```\n[x](https://h.test/)\n```",
        "````md\n```\n[x](https://h.test/)\n```\n````",
        "~~~\n[x](https://h.test/)\n```\n[x](https://h.test/)\n~~~",
        "- item\n\n  ```\n  [x](https://h.test/)\n  ```",
        "> ```\n> [x](https://h.test/)\n> ```",
        "    [x](https://h.test/)",
        "1. item\n\n       [x](https://h.test/)",
        r"\[x](https://h.test/)",
        "[x] (https://h.test/)",
        "<!-- [x](https://h.test/) -->",
        '<a href="https://h.test/">raw</a>',
        "<pre>\n[x](https://h.test/)\n\n[x](https://h.test/)\n</pre>",
        "[x](mailto:a@h.test) [y](other.md) [z](#part)",
    ],
)
def test_what_is_no_link_to_a_page_held_stays(markdown: str) -> None:
    assert local(markdown) == markdown


def test_a_link_after_code_is_a_link_again() -> None:
    code = "```\n[x](https://h.test/)\n```\n"
    assert local(code + "[x](https://h.test/)") == code + "[x](../home.md)"


def test_an_unmatched_backtick_in_one_table_cell_does_not_hide_the_next() -> None:
    row = "| a | b |\n|---|---|\n| ` | [x](https://h.test/) ` |"
    assert local(row) == row.replace("https://h.test/", "../home.md")


def test_letters_of_any_script_stay_readable_and_what_breaks_a_link_is_encoded() -> None:
    assert relative(HERE, PurePosixPath("文档/a b#c%d?.md")) == "../文档/a%20b%23c%25d%3F.md"
    assert relative(PurePosixPath("index.md"), PurePosixPath("a:b.md")) == "a%3Ab.md"


# A renderer is asked what a link is: the same answer before and after, but for where links lead.

COMMONMARK = MarkdownIt("commonmark", {"html": True}).enable("table")
FRAGMENTS = [
    *("[a](https://h/x)", "[b](<https://h/y z>)", '![i](https://h/p.png "t")', " <https://h/auto>"),
    *("`", "``", "```", "~~~", "\n", "\n\n", "    ", "> ", "- ", "1. ", "2) ", "# ", "---", "==="),
    *("\\", "text", "[", "]", "(", ")", "!", " ", "*", '"', "'", "\t", "&amp;", "https://h/bare", "|"),
    *("[r]: https://h/def\n", "[r]", "| a | b |\n|---|---|\n| ", "(https://h/q(1))"),
    *("<b>", "</b>", "<pre>", "</pre>", "<!--", "-->", "<div>", '<a href="https://h/raw">'),
]


def moved(url: str) -> str:
    return f"at{sum(map(ord, url))}" if url.startswith("https://") else url


def shown(markdown: str, leads: str) -> list[tuple[str, str]]:
    """What a reader of the rendered text sees, links with where they lead."""
    seen: list[tuple[str, str]] = []

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type in ("link_open", "image"):
                url = str(token.attrs.get("href", token.attrs.get("src")))
                seen.append((token.type, moved(url) if leads == "moved" else url))
            elif token.content and not token.children:
                seen.append((token.type, token.content))
            walk(token.children or [])

    walk(COMMONMARK.parse(markdown))
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_a_renderer_sees_the_same_text_and_code_and_only_links_moved(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(400):
        markdown = "".join(chance.choices(FRAGMENTS, k=chance.randint(1, 12)))
        if "! <" in markdown:
            continue
        made = localize(markdown, HERE, lambda url: HERE.parent / moved(COMMONMARK.normalizeLink(url)))
        assert shown(made, "stayed") == shown(markdown, "moved"), markdown


@pytest.mark.parametrize(
    "piece",
    [
        *("[", "](https://h/a", "[](https://h/(", '[](https://h/a "', "[](https://h/a" + " " * 999),
        *("` `` ``` ", "<a ", "<!-- ", "[r]: [", "- ", "> ", "-\n", "| a | b |\n|---|---|\n"),
    ],
)
def test_hostile_text_takes_time_in_proportion(piece: str) -> None:
    assert in_proportion(lambda size: local("https://h/\n" + piece * (size // len(piece))), 160_000)


LINKS_OF_EVERY_KIND = """
<p><a href="/a"><img src="/i.png" alt="x"></a> <img src="/j.png" alt="y"> <a href="#here">here</a> <b><a
 href="/b_(c)">b <code>f(x)</code></a></b> http://h.test/plain or http://h.test/q?a=1&amp;copy=2 <a
 href="http://h.test/x">http://h.test/x</a> [brackets](http://h.test/text) <code>[x](http://h.test/code)</code>
<code><a href="/in-code">f</a>()</code> <sup><a href="/raised">1</a></sup></p>
<table><tr><th>a</th><th>b</th></tr><tr><td><a href="/pipe|d">pipe|d</a></td><td>http://h.test/p|q</td></tr></table>
<pre>[x](http://h.test/pre)</pre><a href="/card"><h3 id="here">A card</h3><p>around blocks</p></a>
<audio src="/a.ogg"></audio><ul><li><ul><li><ul><li><a href="/deep">deep</a></li></ul></li></ul></li></ul>
"""


REAL = sorted([*demo_site.PAGES.rglob("*.html"), *reading.PAGES.glob("*.html")])


@pytest.mark.parametrize("html", [LINKS_OF_EVERY_KIND, *(file.read_text("utf-8") for file in REAL)])
def test_the_converter_knows_where_destinations_stand_as_commonmark_reads_them(html: str) -> None:
    read = reading.page(html)

    def local(places: tuple[int, ...] | None) -> str:
        return localize(read.markdown, HERE, lambda _: HERE, places=places)

    assert read.places is not None
    assert local(read.places) == local(None)
    assert local(read.places).count("](start.md") == len(read.places) // 2


def test_there_are_links_of_every_kind_in_that_test() -> None:
    places = reading.page(LINKS_OF_EVERY_KIND).places
    assert places is not None
    assert len(places) == 2 * 12
