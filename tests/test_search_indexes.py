"""Indexes made for search in the browser: each generator's is found, read as data, and leads to its pages."""

import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.indexes import IndexEntry, read_index
from adaptive_crawl.crawler.indexes.generators import fallback, search_indexes
from adaptive_crawl.crawler.indexes.scripts import data_of
from adaptive_crawl.crawler.reading.tree import Tree

SPHINX = {
    "docnames": ["index", "guide/setup"],
    "filenames": ["index.rst", "guide/setup.rst"],
    "titles": ["Larder", "Setting up"],
    "terms": {"backup": [0, 1], "instal": 1, "nowhere": [7]},
    "titleterms": {"set": 1},
    "alltitles": {"Setting up": [[1, "setting-up"]], "From source": [[1, "from-source"]]},
    "indexentries": {"larder.conf": [[1, "conf"]]},
    "objects": {"larder": [[1, 0, 1, "", "Store"]], "": {"main": [0, 0, 1, ""]}},
}


def entries(body: str | bytes, url: str) -> list[IndexEntry]:
    index = read_index(body.encode() if isinstance(body, str) else body, url, "", 100)
    return list(index.entries) if index else []


def test_sphinx_has_titles_headings_objects_and_the_words_of_every_page() -> None:
    url = "https://a.example/docs/searchindex.js"
    first, second = entries(f"Search.setIndex({json.dumps(SPHINX)})", url)
    assert first == IndexEntry("https://a.example/docs/index.html", "Larder", names="main", words="backup")
    assert second == IndexEntry(
        "https://a.example/docs/guide/setup.html",
        "Setting up",
        names="From source; larder.conf; larder.Store",
        words="backup instal",
    )


def test_an_index_of_old_sphinx_is_no_json_and_is_read_all_the_same() -> None:
    old = "Search.setIndex({docnames:['index'],titles:[\"It's {here}: , ]\"],terms:{'a:b':0,},objects:{},})"
    (page,) = entries(old, "https://a.example/searchindex.js")
    assert (page.title, page.words) == ("It's {here}: , ]", "a:b")


def test_an_inventory_names_pages_and_what_they_document() -> None:
    rows = "larder.Store py:class 1 api.html#$ -\nsetup std:doc -1 guide/setup.html Setting up\nbroken row\n"
    head = b"# Sphinx inventory version 2\n# Project: x\n# Version: 1\n# zlib\n"
    api, setup = entries(head + zlib.compress(rows.encode()), "https://a.example/objects.inv")
    assert (api.url, api.names) == ("https://a.example/api.html", "larder.Store")
    assert (setup.url, setup.title) == ("https://a.example/guide/setup.html", "Setting up")
    assert entries(head + b"no zlib", "https://a.example/objects.inv") == []


def test_mkdocs_sections_are_one_page_at_its_place() -> None:
    docs = [
        {"location": "", "title": "Home", "text": "Welcome."},
        {"location": "guide/", "title": "Guide", "text": "All of it."},
        {"location": "guide/#restore", "title": "Restore", "text": "Run larder restore."},
        {"location": "about/", "title": "About", "text": "Us."},
    ]
    body = json.dumps({"config": {"lang": ["en"]}, "docs": docs})
    found = {page.url: page for page in entries(body, "https://a.example/docs/search/search_index.json")}
    assert list(found) == [f"https://a.example/docs/{path}" for path in ("", "guide/", "about/")]
    guide = found["https://a.example/docs/guide/"]
    assert (guide.title, guide.names, guide.words) == ("Guide", "Restore", "All of it. Run larder restore.")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (  # Docusaurus, @easyops-cn/docusaurus-search-local
            [
                {
                    "documents": [{"i": n, "t": f"T{n}", "u": f"/d/{n}", "b": []} for n in (1, 2, 3)],
                    "index": {},
                },
                {"documents": [{"i": 4, "t": "Part", "u": "/d/1", "h": "#part", "p": 1}], "index": {}},
            ],
            {"https://a.example/d/1": "T1", "https://a.example/d/2": "T2", "https://a.example/d/3": "T3"},
        ),
        (  # Just the Docs, and Jekyll in general
            {str(n): {"doc": f"P{n}", "title": f"P{n}", "content": "x", "url": f"/p{n}/"} for n in range(3)},
            {f"https://a.example/p{n}/": f"P{n}" for n in range(3)},
        ),
        (  # mdBook
            {
                "doc_urls": ["a.html#a", "a.html#b", "b.html#b", "c.html#c"],
                "index": {
                    "documentStore": {
                        "docs": {str(n): {"id": str(n), "title": t, "body": t} for n, t in enumerate("ABCD")}
                    }
                },
            },
            {
                "https://a.example/a.html": "A",
                "https://a.example/b.html": "C",
                "https://a.example/c.html": "D",
            },
        ),
    ],
)
def test_lists_of_documents_are_told_by_their_shape(body: object, expected: dict[str, str]) -> None:
    found = entries(json.dumps(body), "https://a.example/searchindex.json")
    assert {page.url: page.title or page.names.partition(";")[0] for page in found} == expected


def test_javadoc_members_are_named_by_the_page_of_their_class() -> None:
    rows = [
        {"m": "base", "p": "java.util", "c": "List", "l": "add(E)", "u": "add(E)"},
        {"m": "base", "p": "java.util", "c": "List", "l": "size()"},
        {"l": "All Classes and Interfaces", "u": "allclasses-index.html"},
    ]
    script = f"memberSearchIndex = {json.dumps(rows)};updateSearchResults();"
    (page,) = entries(script, "https://a.example/api/member-search-index.js")
    assert page.url == "https://a.example/api/base/java/util/List.html"
    assert (page.title, page.names) == ("List (java.util)", "add(E); size()")


def test_vitepress_hides_its_index_behind_a_chunk() -> None:
    chunk = 'const t={root:()=>$(()=>import("./@localSearchIndexroot.Ab-1_.js"),[])};'
    index = read_index(chunk.encode(), "https://a.example/assets/chunks/theme.x.js", "", 10)
    assert index is not None
    assert index.children == ("https://a.example/assets/chunks/@localSearchIndexroot.Ab-1_.js",)
    store = {
        "documentIds": {"0": "/guide#a", "1": "/guide#b"},
        "storedFields": {
            "0": {"title": "Guide", "titles": []},
            "1": {"title": "Restore", "titles": ["Guide"]},
        },
        "index": [["larder", {"0": {"1": 2}}]],
    }
    script = f"const e='{json.dumps(store)}';export{{e as default}};"
    (page,) = entries(script, index.children[0])
    assert page == IndexEntry("https://a.example/guide", "Guide", names="Restore", words="larder")


@pytest.mark.parametrize(
    ("html", "place"),
    [
        (
            '<html data-content_root="../"><script src="../_static/doctools.js"></script>',
            "/docs/searchindex.js",
        ),
        ('<script id="documentation_options" data-url_root="../../"></script>', "/searchindex.js"),
        ('<script src="../_static/searchtools.js"></script>', "/docs/searchindex.js"),
        (
            '<meta name="generator" content="mkdocs-1.6.0"><script>var base_url = ".."</script>',
            "/docs/search/search_index.json",
        ),
        ('<script id="__config">{"base": "..", "features": []}</script>', "/docs/search/search_index.json"),
        ('<script>var path_to_root = "../";</script>', "/docs/searchindex.json"),
        (
            '<script>const path_to_root = "../";window.path_to_searchindex_js = "searchindex-1a.js"</script>',
            "/docs/searchindex-1a.js",
        ),
        (
            '<meta name="generator" content="Docusaurus v3"><script src="/p/assets/js/main.1a.js"></script>',
            "/p/search-index.json",
        ),
        ('<script src="/x/assets/js/just-the-docs.js"></script>', "/x/assets/js/search-data.json"),
        ('<script>var pathtoroot = "../../";loadScripts();</script>', "/type-search-index.js"),
        (
            '<meta name="generator" content="VitePress v1.3"><link href="/assets/chunks/theme.x.js">',
            "/assets/chunks/theme.x.js",
        ),
    ],
)
def test_a_page_tells_where_its_generator_puts_the_index(html: str, place: str) -> None:
    assert search_indexes(Tree(html), "https://a.example/docs/guide/x.html")[0] == f"https://a.example{place}"


def test_other_pages_tell_of_none() -> None:
    html = '<script src="/app.js"></script><script>var x = {"data": 1}</script><p>path_to_root</p>'
    assert search_indexes(Tree(html), "https://a.example/") == ()


def test_without_its_search_index_a_sphinx_site_still_has_an_inventory() -> None:
    assert fallback("https://a.example/docs/searchindex.js") == "https://a.example/docs/objects.inv"
    assert fallback("https://a.example/search-index.json") == ""


def test_brackets_beyond_reason_are_no_data() -> None:
    assert data_of("x = " + "[" * 100_000) is None
    assert data_of('{"a":' * 5_000) is None


def test_a_script_is_never_run() -> None:
    assert (
        entries("Search.setIndex((function(){return {docnames:[]}})())", "https://a.example/searchindex.js")
        == []
    )


@given(st.text(alphabet="{}[]\"':,\\abc0 \n(JSON.parse)", max_size=80))
def test_whatever_a_script_holds_is_data_or_nothing(text: str) -> None:
    assert data_of(text) is None or isinstance(data_of(text), dict | list)


JSON_VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(sorted(SPHINX)), JSON_VALUES)
def test_an_index_with_anything_in_it_gives_pages_or_none(name: str, value: object) -> None:
    body = json.dumps({**SPHINX, name: value})
    assert all(
        page.url.startswith("https://a.example/")
        for page in entries(body, "https://a.example/searchindex.js")
    )
