import pytest

from adaptive_crawl.crawler.reading.html import Content, parse
from adaptive_crawl.crawler.reading.tree import MAX_DEPTH, Tree, text_of

URL = "https://example.org/docs/page.html"


@pytest.mark.parametrize(
    ("head", "heading", "title"),
    [
        ("json — Encoder — Python 3 documentation", "json — Encoder", "json — Encoder"),
        ("Routing - Kit", "Routing", "Routing"),
        ("Kit | Routing", "Routing", "Routing"),
        ("Routing tables explained", "Routing", "Routing tables explained"),
        ("Routing | Kit", "Routing", "Routing"),
        ("A - B - C", "B", "A - B - C"),
        ("Only title - Site", "", "Only title - Site"),
        ("", "Heading¶", "Heading"),
        ("  Two\n words ", "Other", "Two words"),
    ],
)
def test_a_title_loses_the_sites_name_where_the_heading_shows_which_part_that_is(
    head: str, heading: str, title: str
) -> None:
    assert parse(f"<title>{head}</title><h1>{heading}</h1>", URL).title == title


def test_the_title_of_a_drawing_is_not_the_pages() -> None:
    assert parse("<body><svg><title>icon</title></svg><h1>Page</h1>", URL).title == "Page"


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<html lang="zh-CN">', "zh-cn"),
        ('<html xml:lang="de">', "de"),
        ('<meta property="og:locale" content="pt_BR">', "pt-br"),
        ('<html lang="not a tag">', ""),
        ("<p>x", ""),
    ],
)
def test_a_language_is_taken_as_declared(html: str, language: str) -> None:
    assert parse(html, URL).language == language


def test_a_language_may_come_from_the_header() -> None:
    assert parse("<p>x", URL, headers={"content-language": "fr, en"}).language == "fr"


@pytest.mark.parametrize(
    ("bases", "base"),
    [
        ('<base href="/en/">', "https://example.org/en/"),
        ('<base href="../up/">', "https://example.org/up/"),
        ('<base target="_blank"><base href="/one/"><base href="/two/">', "https://example.org/one/"),
        ('<base href="javascript:void(0)">', URL),
        ("", URL),
    ],
)
def test_the_first_base_with_a_usable_target_counts(bases: str, base: str) -> None:
    assert parse(f"<head>{bases}</head>", URL).base == base


def test_a_canonical_url_is_made_absolute() -> None:
    assert parse('<link rel="Canonical" href="../x">', URL).canonical == "https://example.org/x"


@pytest.mark.parametrize(
    ("html", "header", "expected"),
    [
        ('<meta name="robots" content="noindex, follow">', "", (True, False)),
        ("<meta name=ROBOTS content=NONE>", "", (True, True)),
        ('<meta name="robots" content="index"><meta name="robots" content="nofollow">', "", (False, True)),
        ("", "noindex", (True, False)),
        ("", "otherbot: noindex, nofollow", (False, False)),
        ("", "unavailable_after: 1 Jan 2030 00:00:00 GMT, nofollow", (False, True)),
        ("", "", (False, False)),
    ],
)
def test_robots_directives_are_read_from_page_and_header(
    html: str, header: str, expected: tuple[bool, bool]
) -> None:
    found = parse(html, URL, headers={"x-robots-tag": header})
    assert (found.noindex, found.nofollow) == expected


@pytest.mark.parametrize(
    "content",
    ["0; URL=/home/", '1;url="/home/"', "0;/home/", "5, url = '/home/'", "0.5; url=/home/", "0 /home/"],
)
def test_a_meta_refresh_is_understood_in_its_usual_spellings(content: str) -> None:
    refresh = parse(f'<META HTTP-EQUIV=Refresh CONTENT="{content.replace(chr(34), "&quot;")}">', URL).refresh
    assert refresh is not None
    assert refresh.target == "https://example.org/home/"


@pytest.mark.parametrize("content", ["30", "0; url=javascript:x()", "url=/home/", ""])
def test_a_refresh_without_a_target_leads_nowhere(content: str) -> None:
    assert parse(f'<meta http-equiv="refresh" content="{content}">', URL).refresh is None


def test_a_tree_knows_order_and_nesting() -> None:
    tree = Tree("<body><div><p>a<b>c</b></p></div><p>d</p></body>")
    div, first, second = tree.named("div")[0], *tree.named("p")
    assert div.holds(first)
    assert not div.holds(second)
    assert [element.name for element in tree.within(div)] == ["div", "p", "b"]
    assert text_of(tree.body) == "ac d"


def test_content_excludes_what_was_left_out_of_it() -> None:
    tree = Tree("<body><div><p>a</p><nav>b</nav></div></body>")
    members = Content((tree.named("div")[0],), frozenset(tree.named("nav"))).members(tree)
    assert [element.name for element in tree.elements if members[element.index]] == ["div", "p"]


def test_words_of_classes_are_whole_words() -> None:
    (element,) = Tree('<div class="main-nav siteHeader navy" id="uploads">').named("div")
    assert {"main-nav", "nav", "header", "navy", "uploads"} <= element.words()
    assert "ads" not in element.words()


def test_elements_nested_deeper_than_browsers_nest_are_taken_apart_in_large_pages() -> None:
    tree = Tree("<div><section>" * 12_000 + "core" + "</section></div>" * 12_000)
    depth = max(sum(1 for _ in element.ancestors()) for element in tree.elements)
    assert depth <= MAX_DEPTH + 3
    assert text_of(tree.body) == "core"


def test_a_tag_of_very_many_attributes_keeps_its_text() -> None:
    tree = Tree("<div " + " ".join(f"a{n}=b" for n in range(20_000)) + ">text</div>")
    assert text_of(tree.body) == "text"


def test_characters_that_are_none_are_taken_out() -> None:
    assert "\ufdd0" not in text_of(Tree("<p>a\ufdd0b&#xfdd1;c</p>").body)
