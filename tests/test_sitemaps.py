"""Sitemaps as sites really serve them, and what is none."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.indexes import Index, IndexEntry, read_index

HERE = "https://example.com/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(
    body: str | bytes, url: str = HERE, media_type: str = "application/xml", at_most: int = 100
) -> Index | None:
    return read_index(body.encode() if isinstance(body, str) else body, url, media_type, at_most)


def urls_of(index: Index | None) -> list[str]:
    assert index is not None
    return [entry.url for entry in index.entries]


def urlset(*locations: str) -> str:
    inside = "".join(f"<url><loc>{location}</loc></url>" for location in locations)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {NAMESPACE}>{inside}</urlset>'


def test_a_sitemap_gives_its_pages_in_order_with_their_dates() -> None:
    body = f"""<?xml version="1.0" encoding="UTF-8"?>
        <urlset {NAMESPACE}>
          <url><loc>https://example.com/b</loc><lastmod>2024-05-01</lastmod><priority>0.8</priority></url>
          <url><loc> https://example.com/a?x=1&amp;y=2
          </loc><lastmod>2024-05-01T10:00:00.5+02:00</lastmod></url>
          <url><loc>/relative</loc><lastmod>yesterday</lastmod></url>
        </urlset>"""
    index = read(body)
    assert index == Index(
        "sitemap",
        (
            IndexEntry("https://example.com/b", date="2024-05-01"),
            IndexEntry("https://example.com/a?x=1&y=2", date="2024-05-01T10:00:00+02:00"),
            IndexEntry("https://example.com/relative"),
        ),
        size=len(body.encode()),
    )


def test_an_index_of_sitemaps_gives_children_and_not_itself() -> None:
    body = f"""<sitemapindex {NAMESPACE}>
          <sitemap><loc>https://example.com/s1.xml.gz</loc><lastmod>2024-05-01</lastmod></sitemap>
          <sitemap><loc>{HERE}</loc></sitemap>
          <sitemap><loc>https://example.com/s2.xml</loc></sitemap>
          <sitemap><loc>https://example.com/s1.xml.gz</loc></sitemap>
        </sitemapindex>"""
    index = read(body)
    assert index is not None
    assert index.format == "sitemap-index"
    assert index.children == ("https://example.com/s1.xml.gz", "https://example.com/s2.xml")
    assert index.entries == ()


def test_spellings_of_one_page_are_one_entry() -> None:
    assert urls_of(read(urlset("https://example.com/a", "https://EXAMPLE.com:443/a?utm_source=x#part"))) == [
        "https://example.com/a"
    ]


def test_no_more_is_taken_than_asked_for() -> None:
    assert urls_of(read(urlset(*(f"/p{n}" for n in range(1000))), at_most=3)) == [
        "https://example.com/p0",
        "https://example.com/p1",
        "https://example.com/p2",
    ]


def test_news_come_with_title_and_publication() -> None:
    index = read(
        """<urlset xmlns:news="n" xmlns:image="i"><url><loc>/n</loc>
        <image:image><image:loc>/picture.png</image:loc><image:title>Picture</image:title></image:image>
        <news:news><news:publication><news:name>Gazette</news:name></news:publication>
        <news:publication_date>2024-05-01T08:00:00Z</news:publication_date>
        <news:title>A &amp; B</news:title></news:news></url></urlset>"""
    )
    assert index is not None
    assert index.entries == (
        IndexEntry("https://example.com/n", "A & B", date="2024-05-01T08:00:00Z", section="Gazette"),
    )


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<urlset><url><loc>/a</loc></url></urlset>", id="no namespace"),
        pytest.param('<s:urlset xmlns:s="urn:x"><s:url><s:loc>/a</s:loc></s:url></s:urlset>', id="prefixes"),
        pytest.param("<s:urlset><s:url><s:loc>/a</s:loc></s:url></s:urlset>", id="undeclared prefixes"),
        pytest.param("<URLSET><URL><LOC>/a</LOC></URL></URLSET>", id="upper case"),
        pytest.param(
            '\n\n  <?xml version="1.0"?><urlset><url><loc>/a</loc></url></urlset>', id="blanks before"
        ),
        pytest.param(
            '\ufeff<?xml version="1.1"?><urlset><url><loc>/a</loc></url></urlset>', id="mark, XML 1.1"
        ),
        pytest.param("<urlset><url><loc><![CDATA[/a]]></loc></url></urlset>", id="cdata"),
        pytest.param(
            "<!-- <urlset><url><loc>/z</loc></url> --><urlset><url><loc>/a</loc></url></urlset>", id="comment"
        ),
        pytest.param(
            "<br /><b>Warning</b>: Undefined index <urlset><url><loc>/a</loc></url></urlset>", id="php"
        ),
        pytest.param("<urlset><url><loc>/a</loc></url><url><loc>/b", id="cut"),
        pytest.param(
            "<urlset><url><loc>/a</loc></url></urlset><!-- 0.2 s --> trailing & <junk", id="junk after"
        ),
    ],
)
def test_it_is_read_whatever_its_dress(body: str) -> None:
    assert urls_of(read(body)) == ["https://example.com/a"]


def test_raw_ampersands_and_entities_of_html_are_mended() -> None:
    body = urlset("/a?x=1&y=2", "/caf&eacute;", "/b&amp;c", "<![CDATA[/d?e=1&f=2]]>", "/g&#0;&unknown;\x01")
    assert urls_of(read(body)) == [
        "https://example.com/a?x=1&y=2",
        "https://example.com/caf%C3%A9",
        "https://example.com/b&c",
        "https://example.com/d?e=1&f=2",
        "https://example.com/g%EF%BF%BD&unknown;",
    ]


def test_one_broken_record_costs_no_other() -> None:
    body = "<urlset><url><loc>/a</loc></url><url><loc>/b</url><url><loc>/c</loc></url>"
    assert urls_of(read(body + "<url><loc>/d<br></loc></url><url><loc>/e</loc></url></urlset>")) == [
        "https://example.com/a",
        "https://example.com/c",
        "https://example.com/e",
    ]


def test_a_lying_encoding_does_no_harm() -> None:
    body = f'<?xml version="1.0" encoding="utf-16"?><urlset {NAMESPACE}><url><loc>/é</loc></url></urlset>'
    assert urls_of(read(body)) == ["https://example.com/%C3%A9"]
    assert urls_of(read(body.encode("utf-16"))) == ["https://example.com/%C3%A9"]
    latin = body.replace("utf-16", "iso-8859-1").encode("latin-1")
    assert urls_of(read(latin)) == ["https://example.com/%C3%A9"]
    chinese = '<?xml version="1.0" encoding="gb2312"?><urlset><url><loc>/中文页面</loc></url></urlset>'
    assert urls_of(read(chinese.encode("gb18030")))[0].startswith("https://example.com/%E4%B8%AD%E6%96%87")


def test_gzip_is_undone_by_what_the_bytes_are() -> None:
    body = urlset("/a").encode()
    index = read(gzip.compress(body), "https://example.com/sitemap.xml.gz", "application/octet-stream")
    assert urls_of(index) == ["https://example.com/a"]
    assert index is not None
    assert index.size == len(body)
    whole = gzip.compress(urlset(*(f"/{n:05}" for n in range(5000))).encode())
    assert len(urls_of(read(whole[: len(whole) // 2], at_most=9999))) > 1000
    assert urls_of(read(body + b"\x1f\x8b")) == ["https://example.com/a"]


def test_entities_are_never_expanded() -> None:
    bomb = """<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">
        <!ENTITY x SYSTEM "file:///etc/passwd">]>
        <urlset><url><loc>/1&b;</loc></url><url><loc>/2&x;</loc></url></urlset>"""
    assert urls_of(read(bomb)) == ["https://example.com/1&b;", "https://example.com/2&x;"]


def test_depth_and_length_are_bounded() -> None:
    assert urls_of(read("<urlset><url><loc>/a</loc></url>" + "<x>" * 1_000_000)) == ["https://example.com/a"]
    assert urls_of(read(urlset("/" + "x" * 100_000, "/a"))) == ["https://example.com/a"]
    many = "".join(f"<image:image><image:loc>/{n}</image:loc></image:image>" for n in range(10_000))
    assert urls_of(read(f"<urlset><url>{many}<loc>/late</loc></url><url><loc>/a</loc></url></urlset>")) == [
        "https://example.com/a"
    ]


def test_a_bomb_of_gzip_is_not_inflated_further_than_a_sitemap_may_be() -> None:
    bomb = gzip.compress(b"<urlset><url><loc>/a</loc></url>" + b" " * 40_000_000, 9)
    index = read(bomb)
    assert urls_of(index) == ["https://example.com/a"]
    assert index is not None
    assert index.size == 16 * 1024 * 1024


def test_a_list_of_urls_is_a_sitemap() -> None:
    body = "\ufeffhttps://example.com/a\r\n\r\n  https://example.com/b  \r\nhttps://example.com/a\r\n"
    index = read(body, "https://example.com/sitemap.txt", "text/plain")
    assert urls_of(index) == ["https://example.com/a", "https://example.com/b"]
    assert index is not None
    assert index.format == "text-sitemap"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<!doctype html><html><title>Not found</title><urlset></urlset></html>", id="page"),
        pytest.param('<html><body><a href="/a">a</a></body></html>', id="page without doctype"),
        pytest.param('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"></html>', id="xhtml"),
        pytest.param('<svg xmlns="http://www.w3.org/2000/svg"></svg>', id="drawing"),
        pytest.param(json.dumps({"url": "https://example.com/"}), id="json"),
        pytest.param("Not found", id="apology"),
        pytest.param("See https://example.com/ for help.\nOr do not.", id="text with a link"),
        pytest.param("", id="nothing"),
        pytest.param("\x00\x01\x02\xff", id="bytes"),
    ],
)
def test_what_is_no_index_gives_none(body: str) -> None:
    assert read(body) is None


def test_an_empty_sitemap_is_one_all_the_same() -> None:
    assert read(urlset()) == Index("sitemap", (), size=len(urlset()))


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"<urlset>", b"<rss><channel><item>", b"<feed>", b"\x1f\x8b\x08"]),
)
def test_any_bytes_can_be_read(noise: bytes, start: bytes) -> None:
    read(start + noise, at_most=5)
    read(start + noise, "https://example.com/llms.txt", "text/plain", at_most=5)


@given(st.text(alphabet="<>/&;![]-urlocet \"'=#x1", max_size=300))
def test_any_markup_can_be_read(noise: str) -> None:
    index = read(urlset("/first").replace("</urlset>", noise))
    assert urls_of(index)[0] == "https://example.com/first"
