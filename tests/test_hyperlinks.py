import pytest

from adaptive_crawl.crawler.model import Link
from adaptive_crawl.crawler.reading.hyperlinks import bare_urls

from .reading import links, page


def link(body: str, path: str) -> Link:
    (found,) = [link for link in links(body) if link.url.endswith(path)]
    return found


@pytest.mark.parametrize(
    "element",
    [
        '<a href="/x"><i class="icon"></i></a>',
        '<map><area href="/x" alt="Area"></map>',
        '<a href="/x"><div><h3>Block</h3><p>text</p></div></a>',
        "<a href=/x>unquoted</a>",
        '<A HREF=" /x ">capitals</A>',
        '<iframe src="/x" title="Frame"></iframe>',
        '<link rel="next" href="/x">',
        '<pre>see <a href="/x">this</a></pre>',
        '<svg><a href="/x"><text>node</text></a></svg>',
        "<p>https://example.org/x</p>",
    ],
)
def test_whatever_leads_to_a_page_is_a_link(element: str) -> None:
    assert "https://example.org/x" in [link.url for link in links(element)]


@pytest.mark.parametrize(
    "element",
    [
        '<a href="#part">part</a>',
        '<a href="page.html#part">part</a>',
        '<a href="javascript:void(0)">do</a>',
        '<a href="mailto:a@b.example">mail</a>',
        "<a>none</a>",
        '<a href="">empty</a>',
        '<link rel="stylesheet" href="/s.css">',
        "<code>https://example.org/x</code>",
        "<pre>https://example.org/x</pre>",
        "<template><a href=/x>x</a></template>",
    ],
)
def test_what_leads_nowhere_else_is_none(element: str) -> None:
    assert links(element) == []


@pytest.mark.parametrize(
    ("element", "anchor"),
    [
        ('<a href="/x"> Two\n words </a>', "Two words"),
        ('<a href="/x"><img src="/i.png" alt="A picture"></a>', "A picture"),
        ('<a href="/x" aria-label="Label"><i></i></a>', "Label"),
        ('<a href="/x" title="Title"></a>', "Title"),
        ('<a href="/x"><svg><title>Drawn</title></svg></a>', "Drawn"),
        ('<a href="/x"><img src="/img/user-guide.png"></a>', "user guide"),
        ('<area href="/x" alt="Area">', "Area"),
        ('<a href="/x"><h3>Card</h3><p>text</p></a>', "Card text"),
    ],
)
def test_an_anchor_is_what_a_reader_is_told(element: str, anchor: str) -> None:
    assert link(element, "/x").anchor == anchor


@pytest.mark.parametrize(
    ("body", "context"),
    [
        (
            '<ul><li><a href="/x">Dump</a> writes to a file<ul><li>deeper</li></ul></li></ul>',
            "Dump writes to a file",
        ),
        ('<dl><dt><a href="/x">Dump</a></dt><dd>Writes to a file.</dd></dl>', "Dump: Writes to a file."),
        ('<table><tr><td><a href="/x">Dump</a></td><td>Writes</td></tr></table>', "Dump Writes"),
        ('<table><tr><td><a href="/x">Dump</a> too</td><td>Writes</td></tr></table>', "Dump too"),
        ('<p><a href="/x">Dump</a></p><p>Writes to a file.</p>', "Dump: Writes to a file."),
        ('<h3><a href="/x">Dump</a></h3><div>Writes to a file.</div>', "Dump: Writes to a file."),
        ('<p><a href="/x">Dump</a></p><p><a href="/y">Load</a></p>', ""),
        ("<p>See https://example.org/x for more.</p>", "See https://example.org/x for more."),
    ],
)
def test_a_context_tells_more_than_the_anchor(body: str, context: str) -> None:
    assert link(body, "/x").context == context


def test_the_context_in_a_long_paragraph_is_the_sentence() -> None:
    filler = "This sentence says nothing at all about it. " * 10
    body = f'<p>{filler}The <a href="/x">dump</a> goes to a file. {filler}</p>'
    assert link(body, "/x").context == "The dump goes to a file."


def test_a_context_is_bounded() -> None:
    body = "<p>" + "word " * 300 + '<a href="/x">link</a>' + " word" * 300
    context = link(body, "/x").context
    assert "link" in context
    assert len(context) <= 300


def test_links_know_the_headings_that_they_stand_under() -> None:
    body = (
        '<h1>Top</h1><h2>A<a href="#a">¶</a></h2><a href="/x">x</a>'
        '<h3>B</h3><a href="/y">y</a><h2>C</h2><a href="/z">z</a>'
    )
    assert [found.heading for found in links(body)] == [("Top", "A"), ("Top", "A", "B"), ("Top", "C")]


def test_headings_of_menus_are_not_those_of_the_content() -> None:
    found = page(
        '<nav><h4>Site</h4><a href="/n">menu</a></nav>'
        '<main><h2>Part</h2><p>Enough text to be a part. <a href="/x">x</a></p></main>'
    )
    by_url = {link.url: link for link in found.links}
    assert by_url["https://example.org/x"].heading == ("Part",)
    assert not by_url["https://example.org/x"].boilerplate
    assert by_url["https://example.org/n"].boilerplate
    assert by_url["https://example.org/n"].ref == ""


def test_nofollow_is_told_by_link_and_by_page() -> None:
    assert link('<a rel="nofollow noopener" href="/x">x</a>', "/x").nofollow
    assert link('<a rel="ugc" href="/x">x</a>', "/x").nofollow
    assert not link('<a href="/x">x</a>', "/x").nofollow
    found = page('<meta name="robots" content="nofollow"><main><p>Text <a href="/x">x</a></p></main>')
    assert all(link.nofollow for link in found.links)


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        (
            "See http://e.org/a.html. Or (https://e.org/b), http://e.org/c; done!",
            ["http://e.org/a.html", "https://e.org/b", "http://e.org/c"],
        ),
        ("http://e.org/plane_(x).", ["http://e.org/plane_(x)"]),
        (
            "参见http://e.org/四、（http://e.org/b）。「https://e.org/c」",
            ["http://e.org/", "http://e.org/b", "https://e.org/c"],
        ),
        ("https://e.org/ä?q=1&r=2#f, https:// http://", ["https://e.org/ä?q=1&r=2#f"]),
        ("xhttp://e.org/ a@http://e.org/", []),
    ],
)
def test_urls_in_text_end_before_punctuation(text: str, urls: list[str]) -> None:
    assert [text[start:end] for start, end in bare_urls(text)] == urls


def test_links_of_a_legacy_page_are_encoded_as_browsers_do() -> None:
    body = '<html><head><meta charset="gbk"></head><body><main><p>文字<a href="/s?q=中">搜</a></p></main>'
    assert "https://example.org/s?q=%D6%D0" in [link.url for link in page(body.encode("gbk")).links]
