from dataclasses import replace

import pytest

from adaptive_crawl.scoring.content import ContentConfig, Filter, Mode, Weights

from .reading import page, stored

PROSE = "A paragraph of plain prose that says something about the subject of this page at some length. "
MENU = "".join(f'<li><a href="/m{n}">Menu entry number {n}</a></li>' for n in range(6))
RELATED = f'<div class="links"><ul>{MENU}</ul></div>'


def body(inside: str, prose: int = 8) -> str:
    return f"<body><div><h1>Title</h1>{''.join(f'<p>{PROSE}</p>' for _ in range(prose))}{inside}</div></body>"


def test_none_keeps_the_whole_body() -> None:
    found = page(stored("sphinx.html"), ContentConfig(filter=Filter.NONE))
    assert "Previous topic" in found.markdown
    assert "Copyright" in found.markdown
    assert not any(link.boilerplate for link in found.links if "copyright" in link.url)


def test_a_block_of_links_is_pruned() -> None:
    found = page(body(RELATED))
    assert "Menu entry" not in found.markdown
    assert found.markdown.count("plain prose") == 8


def test_the_threshold_decides_what_is_pruned() -> None:
    assert "Menu entry" in page(body(RELATED), ContentConfig(threshold=0.1)).markdown


def test_a_dynamic_threshold_is_higher_for_blocks_of_links() -> None:
    config = ContentConfig(threshold=0.4)
    assert "Menu entry" in page(body(RELATED), config).markdown
    assert "Menu entry" not in page(body(RELATED), replace(config, mode=Mode.DYNAMIC)).markdown


@pytest.mark.parametrize("heaviest", ["text_density", "link_density", "tag", "class_id", "text_length"])
def test_every_weight_counts(heaviest: str) -> None:
    from adaptive_crawl.crawler.reading.html import parse
    from adaptive_crawl.scoring.landmarks import Measures
    from adaptive_crawl.scoring.pruning import Judge

    def score(html: str) -> float:
        nothing = dict.fromkeys(("text_density", "link_density", "tag", "class_id", "text_length"), 0.0)
        config = ContentConfig(weights=Weights(**nothing | {heaviest: 1.0}))
        document = parse(f"<body>{html}</body>", "https://e.org/")
        return Judge(document, Measures(document), config).score(document.tree.body.children[0])  # type: ignore[arg-type]

    good = f"<article>{PROSE * 3}</article>"
    poor = '<div class="sidebar" data-a="1" data-b="2" data-c="3"><a href="/x">link</a></div>'
    assert score(good) > score(poor)
    assert 0 <= score(poor) <= score(good) <= 1


def test_weights_must_sum_to_one() -> None:
    with pytest.raises(ValueError, match=r"content\.weights"):
        Weights(text_density=0.9)


def test_names_count_as_whole_words() -> None:
    for name, stays in (
        ("main-nav", False),
        ("siteFooter", False),
        ("navy", True),
        ("uploads", True),
        ("downloads", True),
    ):
        links = '<a href="/a">one thing</a> <a href="/b">other thing</a> <a href="/c">third thing</a>'
        found = page(body(f'<div class="{name}">{links} and a few words more of running text</div>'))
        assert ("other thing" in found.markdown) is stays, name


@pytest.mark.parametrize(
    "kept",
    [
        "<pre><a href='/a'>one</a> <a href='/b'>two</a> <a href='/c'>three</a></pre>",
        "<table><tr><th>Links</th><th>B</th></tr><tr><td><a href='/a'>one</a></td><td>x</td></tr></table>",
        "<dl><dt><a href='/a'>one</a></dt><dd><a href='/b'>two</a></dd></dl>",
        "<div><p><a href='/a'>one</a>, <a href='/b'>two</a>, <a href='/c'>three</a></p></div>",
        "<div class=tip><ul><li><a href='/a'>one</a><li><a href='/b'>two</a><li><a href=/c>x</a></ul></div>",
        "<p><a href='/a'>one</a></p>",
        "<p class='byline'>By <a href='/a'>one</a></p>",
    ],
)
def test_code_tables_definitions_notices_and_paragraphs_stay_whole(kept: str) -> None:
    assert "one" in page(body(kept)).markdown


def test_a_heading_goes_only_with_all_that_stands_under_it() -> None:
    assert "Elsewhere" not in page(body(f"<h2>Elsewhere</h2>{RELATED}")).markdown
    assert "Elsewhere" in page(body(f"<h2>Elsewhere</h2><p>{PROSE}</p>{RELATED}")).markdown


def test_a_page_that_is_made_of_links_keeps_them() -> None:
    found = page(f"<body><div><h1>Index</h1><ul>{MENU}</ul></div></body>")
    assert found.markdown.count("Menu entry") == 6


def test_a_list_of_links_in_a_declared_main_part_is_content() -> None:
    found = page(f"<body><main><h1>Title</h1><p>{PROSE * 6}</p>{RELATED}</main></body>")
    assert "Menu entry" in found.markdown


def test_a_page_that_is_all_navigation_is_not_emptied() -> None:
    found = page(
        '<body><nav><a href="/a">First page of this site</a> <a href="/b">Second page</a></nav></body>'
    )
    assert "First page" in found.markdown


def test_short_blocks_go_where_a_number_of_words_is_asked_for() -> None:
    text = body("<p>Too short.</p><h2>Head</h2><pre>x</pre>")
    assert "Too short." in page(text).markdown
    found = page(text, ContentConfig(min_words=5)).markdown
    assert "Too short." not in found
    assert "## Head" in found
    assert "```\nx\n```" in found


MANUAL = """<body><main><h1>Backups</h1><p>General words about the product and its history.</p>
<h2>Restoring</h2><p>To restore a backup, run this command:</p><pre>tool restore</pre>
<dl><dt>--at</dt><dd>Restores the state at a time.</dd><dt>--color</dt><dd>Paints the output.</dd></dl>
<h2>Imprint</h2><p>Published by the people of the project.</p>
<ul><li>Paper</li><li>Restored prints</li></ul></main></body>"""


def test_bm25_keeps_what_bears_on_the_query_in_its_place() -> None:
    found = page(MANUAL, ContentConfig(filter=Filter.BM25), "how do I restore").markdown
    assert "## Restoring\n\nTo restore a backup, run this command:\n\n```\ntool restore\n```" in found
    assert "- --at\n\n  Restores the state at a time." in found
    assert "- Restored prints" in found
    assert "history" not in found
    assert "--color" not in found
    assert "Paper" not in found


def test_the_bm25_threshold_decides_what_is_kept() -> None:
    config = ContentConfig(filter=Filter.BM25, bm25_threshold=1000)
    assert "history" in page(MANUAL, config, "restore").markdown, "nothing stands out: all of it"
    few = page(MANUAL, ContentConfig(filter=Filter.BM25, bm25_threshold=5), "restore").markdown
    more = page(MANUAL, ContentConfig(filter=Filter.BM25, bm25_threshold=0.5), "restore").markdown
    assert len(few) < len(more)


def test_bm25_finds_chinese_words() -> None:
    text = (
        "<body><main><h1>手册</h1><p>数据备份保留三十天。</p>"
        "<p>公司的历史与产品。</p><p>联系方式如下。</p></main></body>"
    )
    found = page(text, ContentConfig(filter=Filter.BM25), "备份").markdown
    assert "数据备份" in found
    assert "历史" not in found


def test_a_word_that_is_everywhere_leaves_no_empty_page() -> None:
    text = "<body><main>" + "<p>backup again and again</p>" * 4 + "</main></body>"
    assert page(text, ContentConfig(filter=Filter.BM25), "backup").markdown.count("backup") == 4


def test_bm25_without_a_query_keeps_to_what_the_page_says_that_it_is_about() -> None:
    text = MANUAL.replace("<body>", "<head><title>Restore</title></head><body>")
    assert "Paints" not in page(text, ContentConfig(filter=Filter.BM25)).markdown
