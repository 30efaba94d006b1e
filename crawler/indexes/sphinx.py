"""Sphinx: ``searchindex.js``, the words of every page by stem, and ``objects.inv``, what it documents.

https://www.sphinx-doc.org/en/master/internals/ (search index), https://sphobjinv.readthedocs.io (inventory)
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from .entry import Harvest
from .shapes import integers, mapping, texts

MAX_INVENTORY = 8 * 1024 * 1024
"""Bytes of an inventory, inflated; CPython's has 600,000."""

_INVENTORY = b"# Sphinx inventory version 2"
_ROW = re.compile(r"(.+?)\s+(\S+:\S+)\s+-?\d+\s+(\S*)\s+(.*)")


def is_search_index(data: object) -> bool:
    """Whether a value is what ``Search.setIndex`` is given."""
    return isinstance(data, dict) and "docnames" in data and "terms" in data and "titles" in data


def read_search_index(data: Mapping[str, object], harvest: Harvest) -> None:
    """Read pages with their titles, headings, index entries and words."""
    names, titles = texts(data.get("docnames")), texts(data.get("titles"))
    words = _words(mapping(data.get("terms")), len(names))
    headings = _of_pages(mapping(data.get("alltitles")), len(names))
    indexed = _of_pages(mapping(data.get("indexentries")), len(names))
    objects = _objects(mapping(data.get("objects")), len(names))
    for page, name in enumerate(names):
        title = titles[page] if page < len(titles) else ""
        named = [text for text in headings[page] if text != title]
        names_of_page = "; ".join([*named, *indexed[page], *objects[page]])
        harvest.add_searchable(f"{name}.html", title, names_of_page, " ".join(words[page]))


def is_inventory(body: bytes) -> bool:
    """Whether a file is an inventory of objects."""
    return body.startswith(_INVENTORY)


def read_inventory(body: bytes, harvest: Harvest) -> None:
    """Read pages with the names of the objects that they document."""
    head = body.split(b"\n", 4)
    if len(head) < 5:
        return
    try:
        text = zlib.decompressobj().decompress(head[4], MAX_INVENTORY).decode("utf-8", "replace")
    except zlib.error:
        return
    found: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for line in text.splitlines():
        row = _ROW.fullmatch(line)
        if row is None:
            continue
        name, role, where, shown = row.groups()
        page = where.partition("#")[0]
        if role == "std:doc":
            titles[page] = name if shown == "-" else shown
            found.setdefault(page, [])
        else:
            found.setdefault(page, []).append(name if shown == "-" else shown)
    for page, names in found.items():
        harvest.add_searchable(page, titles.get(page, ""), "; ".join(dict.fromkeys(names)))


def _words(terms: Mapping[str, object], pages: int) -> list[list[str]]:
    """Page → its words, as the index has them: stems, each once."""
    found: list[list[str]] = [[] for _ in range(pages)]
    for term, where in terms.items():
        for page in integers(where, pages):
            found[page].append(term)
    return found


def _of_pages(entries: Mapping[str, object], pages: int) -> dict[int, list[str]]:
    """Page → texts of which the index says that they stand there: ``{text: [[page, anchor], ...]}``."""
    found: dict[int, list[str]] = defaultdict(list)
    for text, places in entries.items():
        for place in places if isinstance(places, list) else ():
            for page in integers(place[:1] if isinstance(place, list) else (), pages):
                found[page].append(text)
    return found


def _objects(objects: Mapping[str, object], pages: int) -> dict[int, list[str]]:
    """Page → names of what it documents."""
    found: dict[int, list[str]] = defaultdict(list)
    for prefix, inside in objects.items():
        for row, name in _rows(inside):
            for page in integers(row[:1], pages):
                found[page].append(f"{prefix}.{name}" if prefix else name)
    return found


def _rows(inside: object) -> Iterator[tuple[list[object], str]]:
    """Rows of objects: lists that end in the name, or, before Sphinx 4.3, a mapping from name to list."""
    rows: Iterable[object] = inside if isinstance(inside, list) else ()
    for row in rows:
        if isinstance(row, list) and len(row) == 5 and isinstance(row[4], str):
            yield row, row[4]
    for name, row in mapping(inside).items():
        if isinstance(row, list):
            yield row, name
