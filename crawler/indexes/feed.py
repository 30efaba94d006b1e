"""Feeds: RSS 0.9x and 2.0, RSS 1.0 (RDF) and Atom → the pages they announce.

feedparser reads more dialects, but builds everything in memory, brings its own SGML parser and does not
bound what it is given; of its care these things matter for a crawl and are here: which of several links is
the page, titles in escaped HTML, dates of every kind, ``xml:base``.
"""

import re
from html import unescape

from ..reading.tree import Tree, text_of
from ..urls import resolve
from .dates import normal_date
from .entry import Harvest
from .records import Field, Record, read_records

ROOTS = {"rss": "rss", "rdf": "rdf", "feed": "atom"}
"""Root element → format."""
_RECORDS = frozenset({"item", "entry"})

_MARKUP = re.compile(r"</[A-Za-z][\w:-]*\s*>|<(?:br|hr|img|p)\b[^<>]*>", re.IGNORECASE)
"""An end tag, or an element that has none: ``The <div> element`` is a title, ``<b>New</b>`` is HTML."""


def read(text: str, start: int, harvest: Harvest) -> None:
    """Read a feed whose root element is at ``start``."""

    def take(record: Record) -> bool:
        base = harvest.base
        for further in record.bases:
            base = resolve(base, further) or base
        harvest.add(
            _link(record),
            title=_plain(record, "title"),
            text=_plain(record, "summary", "description", "encoded", "content", "group/description"),
            date=normal_date(
                record.text("updated", "modified", "pubdate", "date", "published", "issued", "created")
            ),
            section=_section(record),
            base=base,
        )
        return not harvest.is_full

    read_records(text, start, _RECORDS, take)


def _link(record: Record) -> str:
    """Address of the page itself, not of its comments, its enclosure or its edit form."""
    for link in record.all("link"):
        href = link.attributes.get("href", "")
        if href and link.attributes.get("rel", "alternate").lower() == "alternate" and _is_page(link):
            return href
    for link in record.all("link"):
        if link.text.strip() and "href" not in link.attributes:
            return link.text
    for guid in record.all("guid"):
        if guid.attributes.get("isPermaLink", "true").lower() != "false" and _is_address(guid.text):
            return guid.text
    about = next((value for name, value in record.attributes.items() if name.endswith(":about")), "")
    identity = about or record.text("id")
    return identity if _is_address(identity) else ""


def _is_page(link: Field) -> bool:
    media_type = link.attributes.get("type", "text/html").lower()
    return media_type.startswith("text/") or "html" in media_type


def _is_address(text: str) -> bool:
    return text.strip().lower().startswith(("http://", "https://"))


def _section(record: Record) -> str:
    for category in [*record.all("category"), *record.all("subject")]:
        name = (
            category.attributes.get("label") or category.text.strip() or category.attributes.get("term", "")
        )
        if name:
            return name
    return ""


def _plain(record: Record, *paths: str) -> str:
    """Text of the first of these fields that has one; HTML in it reduced to what it shows."""
    text = record.text(*paths)
    if _MARKUP.search(text):
        tree = Tree(text)
        text = text_of(tree.body)
        tree.fell()
        return text
    return unescape(text) if "&" in text else text
