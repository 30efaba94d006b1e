"""Links to a place in a page lead to the heading that the place stands under, as viewers know it."""

import asyncio
import itertools
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from adaptive_crawl.crawler.crawl import Crawl, Limits
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.model import Request
from adaptive_crawl.crawler.reading.anchors import MAX_ANCHORS, heading_anchor, numbered
from adaptive_crawl.crawler.runner import run
from adaptive_crawl.crawler.scope import Scope, ScopeConfig
from adaptive_crawl.output.document import parse
from adaptive_crawl.output.fragments import MAX_IDS, Fragments
from adaptive_crawl.output.tree import OutputConfig, Tree
from adaptive_crawl.scoring.summary import Excerpts

from .demo_site import demo_site
from .reading import answer, outcome, page
from .toy_crawl import Touchy, ToyVisitor
from .website import Website, raw

COMMONMARK = MarkdownIt("commonmark").enable("table")


class Reader(ToyVisitor):
    """Reads what the site sends as a crawl does."""

    async def visit(self, request: Request) -> Visited:
        visited = await super().visit(request)
        if not request.url.endswith(("/", ".html")):
            return visited
        body = self.site.body(request.url)
        return Visited(outcome(answer(body, url=request.url)), body)


def grow(folder: Path, site: Website) -> None:
    """Crawl all of a site, its pages read from their HTML."""
    start = site.url("/")
    with Journal.create(folder) as journal:
        begun = journal.begin(Run((start,)))
        tree = Tree(folder, OutputConfig(), journal, excerpts=partial(Excerpts, ""), queries={begun.goal: ""})
        scope = Scope(ScopeConfig(), [start], downloads=False)
        core = Crawl([start], Touchy(), scope, Limits(max_pages=None, min_gain=0), goal=begun.goal)
        tree.finish(asyncio.run(run(core, journal, Reader(site), project=tree.project, clock=lambda: 0.0)))


def tokens(folder: Path) -> Iterator[tuple[PurePosixPath, list[Token]]]:
    for file in sorted(folder.rglob("*.md")):
        yield PurePosixPath(file.relative_to(folder)), COMMONMARK.parse(parse(file.read_text("utf-8"))[1])


def headings(parsed: list[Token]) -> set[str]:
    """Slugs of the headings that a viewer shows, by GitHub's rule, told from what is rendered."""
    slugs: set[str] = set()
    for opening, inline in itertools.pairwise(parsed):
        if opening.type == "heading_open":
            shown = "".join(t.content for t in inline.children or [] if t.type in ("text", "code_inline"))
            name = slug = re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")
            count = 0
            while slug in slugs:
                count += 1
                slug = f"{name}-{count}"
            slugs.add(slug)
    return slugs


def local_fragments(folder: Path) -> Iterator[tuple[PurePosixPath, PurePosixPath, str]]:
    """Each link of the tree to a place in a file of it: from where, to which file, and to which fragment."""
    for path, parsed in tokens(folder):
        for token in parsed:
            for child in token.children or []:
                target, hash_sign, fragment = unquote(str(child.attrs.get("href", ""))).partition("#")
                if hash_sign and "://" not in target:
                    file = (folder / path.parent / target).resolve() if target else folder / path
                    yield path, PurePosixPath(file.relative_to(folder.resolve())), fragment


def check(folder: Path) -> int:
    """Every fragment of a local link has its heading; say how many there are."""
    known = {path: headings(parsed) for path, parsed in tokens(folder)}
    found = list(local_fragments(folder))
    assert [link for link in found if link[2] not in known[link[1]]] == []
    return len(found)


def test_fragments_of_the_demo_site_have_their_headings(tmp_path: Path) -> None:
    grow(tmp_path, demo_site())
    assert check(tmp_path) >= 1
    assert "(../reference/configuration.md#keep)" in (tmp_path / "guides/retention.md").read_text("utf-8")


SPHINX = """<div role="main"><section id="module-csv"><span id="csv"></span>
<h1><code>csv</code> — CSV File Reading &amp; Writing<a class="headerlink" href="#module-csv">¶</a></h1>
<p>See <a href="#csv.DictReader">DictReader</a>, <a href="#id1">an example</a>, <a href="#nowhere">nothing</a>
and <a href="#examples">examples</a>, or the <a href="wal.html#BACKUP-TIMELINES">timelines</a>.</p>
<section id="module-contents"><span id="csv-contents"></span><h2>Module Contents<a class="headerlink"
href="#module-contents">¶</a></h2><p>The module defines the following.</p>
<dl class="py class"><dt class="sig sig-object py" id="csv.DictReader">class csv.DictReader(f)</dt>
<dd><p>Reads rows.</p></dd></dl><section id="examples"><h3>Examples</h3><p>One.</p></section></section>
<section id="dialects"><h2>Dialects</h2><p>More.</p><section id="id1"><h3>Examples</h3><p>Two.</p></section>
</section></section></div>"""

DOCBOOK = """<div class="sect1" id="CONTINUOUS-ARCHIVING"><div class="titlepage"><div><h2 class="title"
style="clear: both">26.3. Continuous Archiving</h2></div></div><p>Text, see
<a class="xref" href="wal.html#BACKUP-TIMELINES">Section 26.3.5</a> and
<a class="link" href="csv.html#csv.DictReader">a reader</a>,
<a class="link" href="csv.html#id1">its example</a>, <a class="link" href="csv.html#gone">a thing gone</a>.
</p>
<div class="sect2" id="BACKUP-TIMELINES"><div class="titlepage"><div><div><h3 class="title">26.3.5. Timelines
</h3></div></div></div><a id="id-1.6.13" class="indexterm"></a><p>The ability to restore.</p></div></div>"""


@pytest.fixture
def documentation() -> Website:
    links = '<main><h1>Start</h1><p><a href="/csv.html#csv-contents">CSV</a> <a href="/wal.html">WAL</a></p>'
    pages = {"/": links, "/csv.html": SPHINX, "/wal.html": DOCBOOK}
    return Website({path: raw(f"<html><body>{body}</body></html>") for path, body in pages.items()})


def test_fragments_of_sphinx_and_docbook_lead_to_headings(documentation: Website, tmp_path: Path) -> None:
    grow(tmp_path, documentation)
    assert check(tmp_path) == 8
    csv, wal = ((tmp_path / name).read_text("utf-8") for name in ("csv.md", "wal.md"))
    assert "[DictReader](csv.md#module-contents)" in csv
    assert "[an example](csv.md#examples-1)" in csv
    assert "[examples](csv.md#examples)" in csv
    assert "[timelines](wal.md#2635-timelines)" in csv
    assert "[a reader](csv.md#module-contents), [its example](csv.md#examples-1)" in wal


def test_a_fragment_that_leads_nowhere_leads_to_the_top(documentation: Website, tmp_path: Path) -> None:
    grow(tmp_path, documentation)
    assert "[nothing](csv.md)" in (tmp_path / "csv.md").read_text("utf-8")
    assert "[a thing gone](csv.md)" in (tmp_path / "wal.md").read_text("utf-8")


# What the reader notes.


def anchors(body: str) -> dict[str, str]:
    return dict(page(f"<main>{body}</main>").anchors)


def test_an_id_is_that_of_the_heading_it_stands_right_before_or_in() -> None:
    section = "<section id=s><a name=n></a><h2 id=h>Two<a id=in></a></h2><p id=p>x</p></section>"
    assert anchors("<h1>One</h1><p>text</p>" + section) == {
        "s": "two",
        "n": "two",
        "h": "two",
        "in": "two",
        "p": "two",
    }


def test_an_id_before_text_stands_under_the_heading_before() -> None:
    body = "<h1>One</h1><p>text</p><a name=n></a>text<h2>Two</h2><p>x</p><div id=end></div>"
    assert anchors(body) == {"n": "one", "end": "two"}


def test_ids_above_all_headings_and_outside_the_content_are_left_out() -> None:
    found = page(
        "<nav id=menu><h2>Menu</h2><a href=/a>a</a></nav>"
        "<main><p id=intro>text of some length</p><h1 id=t>Title</h1><p>more text</p></main>"
    )
    assert dict(found.anchors) == {"t": "title"}


def test_headings_in_lists_quotes_and_layout_tables_are_counted() -> None:
    body = (
        "<h1>T</h1><p>x</p><ul><li><h2 id=a>A</h2><p>x</p></li></ul><blockquote><h2 id=b>A</h2></blockquote>"
        "<table><tr><th>x</th><th>w</th></tr><tr><td>y</td><td><h2 id=c>A</h2> z</td></tr></table>"
        "<h2 id=d>A</h2>"
    )
    assert anchors(body) == {"a": "a", "b": "a-1", "c": "a-2", "d": "a-3"}


def test_pages_are_bounded_in_their_ids_and_the_length_of_each() -> None:
    many = "<h1>T</h1>" + "<p id=%s>x</p>" % ("i" * 201) + "".join(f"<b id=i{n}>x</b>" for n in range(6_000))
    found = anchors(many)
    assert len(found) == MAX_ANCHORS
    assert max(map(len, found)) <= 200
    assert anchors(f"<h1 id=a>{'long ' * 50}</h1><p>x</p><h2 id=b>B</h2><p>y</p>") == {"b": "b"}


def test_a_page_that_came_as_markdown_is_known_by_its_own_headings() -> None:
    text = "# Title\n\n```\n# no heading\n```\n\nAgain\n-----\n\n## Again\n"
    found = outcome(answer(text, "text/markdown", url="https://example.org/a.md"))
    assert getattr(found, "anchors", None) == (("title", "title"), ("again", "again"), ("again-1", "again-1"))


def test_slugs_are_githubs() -> None:
    assert numbered(["A", "A", "A-1", "a", "", "?"]) == ["a", "a-1", "a-1-1", "a-2", "", "-1"]
    assert heading_anchor("हिन्दी भाषा: C++ & Ü") == "हिन्दी-भाषा-c--ü"


# What is looked up.


def library(asked: list[str], ids: int) -> Callable[[str], list[tuple[str, str]]]:
    def anchors_of(key: str) -> list[tuple[str, str]]:
        asked.append(key)
        return [(f"{key}{n}", "slug") for n in range(ids)]

    return anchors_of


def test_anchors_are_read_once_for_pages_asked_for_together_and_forgotten_later() -> None:
    asked: list[str] = []
    fragments = Fragments(library(asked, 5_000))
    for key in ("a", "b", "a", "b"):
        assert fragments.slug(key, f"{key}0") == "slug"
    assert asked == ["a", "b"]
    for number in range(MAX_IDS // 5_000):
        fragments.slug(f"p{number}", "x")
    fragments.slug("b", "b0")
    assert asked.count("b") == 2


def test_a_page_at_hand_is_not_looked_up() -> None:
    asked: list[str] = []
    assert Fragments(library(asked, 1)).slug("a", "%E4%B8%AD", [("中", "中文")]) == "中文"
    assert asked == []
