"""VitePress: an index of MiniSearch in a chunk of JavaScript, whose name another chunk tells.

``documentIds`` are addresses of sections, ``storedFields`` their titles, ``index`` the words with the
documents that hold them (MiniSearch, ``toJSON``).
"""

import re
from collections import defaultdict
from collections.abc import Mapping

from .entry import Harvest
from .shapes import mapping, text

_CHUNK = re.compile(r"[\w./@-]{0,200}@localSearchIndex[\w.-]{1,100}\.js")


def read_chunk(script: str, harvest: Harvest) -> bool:
    """Read the names of indexes out of the theme's chunk, beside which they lie; whether there were some."""
    for name in _CHUNK.findall(script):
        harvest.add_child(name.rpartition("/")[2])
    return bool(harvest.children)


def is_index(data: object) -> bool:
    """Whether a value is an index of MiniSearch."""
    return isinstance(data, dict) and "documentIds" in data and "storedFields" in data


def read_index(data: Mapping[str, object], harvest: Harvest) -> None:
    """Read pages with the titles of their sections and their words."""
    places, stored = mapping(data.get("documentIds")), mapping(data.get("storedFields"))
    words = _words(data.get("index"))
    titles: dict[str, list[str]] = {}
    held: dict[str, list[str]] = {}
    for number, place in places.items():
        page, _, _ = text(place).partition("#")
        if page:
            fields = mapping(stored.get(number))
            above = fields.get("titles")
            names = [text(name) for name in above] if isinstance(above, list) else []
            titles.setdefault(page, []).extend([*names, text(fields.get("title"))])
            held.setdefault(page, []).extend(words.get(number, ()))
    for page, names in titles.items():
        title, *sections = dict.fromkeys(filter(None, names)) or [""]
        harvest.add_searchable(page, title, "; ".join(sections), " ".join(held[page]))


def _words(index: object) -> dict[str, list[str]]:
    """Document → its words: ``[[word, {field: {document: times}}], ...]``."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in index if isinstance(index, list) else ():
        if isinstance(row, list) and len(row) == 2:
            for documents in mapping(row[1]).values():
                for number in mapping(documents):
                    found[number].append(text(row[0]))
    return found
