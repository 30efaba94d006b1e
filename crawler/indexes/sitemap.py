"""Sitemaps (https://www.sitemaps.org/protocol.html): in XML, indexes of them, and as plain lists of URLs.

Namespaces are not looked at: what is wrong with them says nothing of the URLs. ``priority`` and
``changefreq`` are left out, since sites set them to the same value throughout. Of the extensions the title
and the keywords of news are of use; pictures and translations are entries of their own where they matter.
"""

import re

from .dates import normal_date
from .entry import Harvest
from .records import Record, read_records

ROOTS = frozenset({"urlset", "sitemapindex"})
_RECORDS = frozenset({"url", "sitemap"})

_ADDRESS = re.compile(r"https?://\S+\Z", re.IGNORECASE)
SURE = 0.9
"""Share of the lines of a list that must be URLs: a README quotes some, a list is nothing else."""


def read_xml(text: str, start: int, harvest: Harvest) -> None:
    """Read a ``urlset`` or ``sitemapindex`` that starts at ``start``; some sites mix the two."""

    def take(record: Record) -> bool:
        location = record.text("loc")
        if record.name == "sitemap":
            harvest.add_child(location)
        else:
            harvest.add(
                location,
                title=record.text("news/title"),
                text=record.text("news/keywords"),
                date=normal_date(record.text("lastmod", "news/publication_date")),
                section=record.text("news/publication/name"),
            )
        return not harvest.is_full

    read_records(text, start, _RECORDS, take)


def is_list(text: str) -> bool:
    """Tell a text sitemap, one URL a line, from any other text."""
    lines = [line.strip() for line in text[:100_000].splitlines()[:1_000]]
    lines = [line for line in lines if line and not line.startswith("#")]
    return bool(lines) and sum(_ADDRESS.match(line) is not None for line in lines) >= SURE * len(lines)


def read_list(text: str, harvest: Harvest) -> None:
    """Read a text sitemap."""
    for line in text.splitlines():
        if harvest.is_full:
            return
        if _ADDRESS.match(line.strip()):
            harvest.add(line)
