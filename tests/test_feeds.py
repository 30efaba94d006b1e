"""Feeds in their dialects: RSS 2.0, RSS 1.0, Atom."""

import pytest

from adaptive_crawl.crawler.indexes import Index, IndexEntry, read_index
from adaptive_crawl.crawler.indexes.dates import normal_date

HERE = "https://example.com/blog/feed.xml"


def read(body: str) -> Index:
    index = read_index(body.encode(), HERE, "application/xml", 100)
    assert index is not None
    return index


def test_rss_items_come_with_title_summary_date_and_category() -> None:
    index = read(
        """<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
             xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
        <title>Blog</title><link>https://example.com/</link><atom:link rel="self" href="/blog/feed.xml"/>
        <item><title>Backups &amp;amp; you</title><link>https://example.com/1</link>
          <comments>https://example.com/1#comments</comments><guid isPermaLink="false">17</guid>
          <description><![CDATA[<p>Keep <b>three</b> copies.</p><p>Really.</p>]]></description>
          <content:encoded>All of it</content:encoded><category>Operations</category>
          <category>Other</category>
          <pubDate>Wed, 01 May 2024 08:00:00 +0200</pubDate></item>
        <item><title>The &lt;div&gt; element</title><guid>https://example.com/2</guid></item>
        <item><title>Nowhere</title><guid isPermaLink="false">https://example.com/3</guid></item>
        </channel></rss>"""
    )
    assert index.format == "rss"
    assert index.entries == (
        IndexEntry(
            "https://example.com/1",
            "Backups & you",
            "Keep three copies. Really.",
            "2024-05-01T08:00:00+02:00",
            "Operations",
        ),
        IndexEntry("https://example.com/2", "The <div> element"),
    )


def test_rdf_items_are_read() -> None:
    index = read(
        """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
             xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="https://example.com/">
        <items><rdf:Seq><rdf:li resource="x"/></rdf:Seq></items></channel>
        <item rdf:about="https://example.com/1"><title>One</title><dc:date>2024-05-01</dc:date>
          <dc:subject>News</dc:subject></item></rdf:RDF>"""
    )
    assert index == Index(
        "rdf", (IndexEntry("https://example.com/1", "One", "", "2024-05-01", "News"),), size=index.size
    )


def test_atom_entries_are_read_with_their_own_base() -> None:
    index = read(
        """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/posts/">
        <title>Blog</title><link href="/"/><updated>2024-06-01T00:00:00Z</updated>
        <entry xml:base="2024/"><title type="html">A &lt;em&gt;new&lt;/em&gt; way</title>
          <link rel="edit" href="/edit/1"/><link rel="enclosure" type="audio/mpeg" href="1.mp3"/>
          <link rel="alternate" type="application/json" href="1.json"/><link href="one"/>
          <author><name>Ann</name><uri>https://ann.example/</uri></author>
          <summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">It <b>works</b>.</div></summary>
          <category term="howto" label="How to"/><published>2024-05-01T08:00:00Z</published>
          <updated>2024-05-02T08:00:00.123Z</updated></entry>
        <entry><title>Two</title><id>https://example.com/two</id></entry>
        <entry><title>Three</title><id>urn:uuid:3</id></entry></feed>"""
    )
    assert index.format == "atom"
    assert index.entries == (
        IndexEntry(
            "https://example.com/posts/2024/one", "A new way", "It works .", "2024-05-02T08:00:00Z", "How to"
        ),
        IndexEntry("https://example.com/two", "Two"),
    )


def test_a_feed_with_a_dtd_and_its_entities_is_read_without_them() -> None:
    index = read(
        """<?xml version="1.0" encoding="iso-8859-1"?>
        <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://example.com/rss-0.91.dtd">
        <rss version="0.91"><channel>
        <item><title>Caf&eacute; &amp; more</title><link>/c</link></item></channel></rss>"""
    )
    assert index.entries == (IndexEntry("https://example.com/c", "Café & more"),)


def test_texts_are_bounded_and_cut_at_a_word() -> None:
    index = read(
        f"<rss><item><title>{'word ' * 500}</title><link>/a</link>"
        f"<description>{'x' * 9999}</description></item></rss>"
    )
    (entry,) = index.entries
    assert len(entry.title) <= 300
    assert entry.title.endswith("word…")
    assert len(entry.text) == 500


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2024-05-01", "2024-05-01"),
        ("2024-05", "2024-05-01"),
        ("2024-05-01T10:00Z", "2024-05-01T10:00:00Z"),
        ("2024-05-01 10:00:00", "2024-05-01"),
        ("2024-05-01T10:00:00+0000", "2024-05-01T10:00:00Z"),
        ("2024-05-01T10:00:00-0330", "2024-05-01T10:00:00-03:30"),
        ("Wed, 01 May 2024 10:00:00 GMT", "2024-05-01T10:00:00Z"),
        ("1 May 24 10:00 EST", "2024-05-01T10:00:00-05:00"),
        ("2024-13-01", ""),
        ("2024-02-30", ""),
        ("0000-00-00", ""),
        ("2024-05-01T25:00:00Z", "2024-05-01"),
        ("Wed, 99 May 2024 10:00:00 GMT", ""),
        ("yesterday", ""),
        ("", ""),
        ("9" * 10_000, ""),
        ("Thu, , 2024", ""),
    ],
)
def test_dates_are_told_in_one_way(written: str, meant: str) -> None:
    assert normal_date(written) == meant
