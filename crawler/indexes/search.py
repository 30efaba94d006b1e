"""An index made for a search in the browser → its pages, whichever generator made it."""

import re

from ..urls import path, resolve
from . import documents, javadoc, sphinx, vitepress
from .entry import Harvest
from .scripts import data_of

_NAMED = re.compile(r"\.(?:json|js|inv)\Z", re.IGNORECASE)


def may_be(body: bytes, url: str) -> bool:
    """Whether a body may be such an index, by its name: most of what is asked for is none."""
    return _NAMED.search(path(url)) is not None or sphinx.is_inventory(body)


def read(body: bytes, text: str, harvest: Harvest) -> str:
    """Read the pages of a search index; the name of its format, empty where the body is none known."""
    if sphinx.is_inventory(body):
        sphinx.read_inventory(body, harvest)
        return "sphinx-inventory"
    if path(harvest.base).endswith("/search/search_index.json"):
        harvest.base = resolve(harvest.base, "../") or harvest.base  # MkDocs: locations are the site's
    data = data_of(text)
    if isinstance(data, dict) and sphinx.is_search_index(data):
        sphinx.read_search_index(data, harvest)
        return "sphinx"
    if isinstance(data, dict) and vitepress.is_index(data):
        vitepress.read_index(data, harvest)
        return "minisearch"
    if javadoc.is_index(data):
        javadoc.read(data, harvest)
        return "javadoc"
    if data is not None and documents.read(data, harvest):
        return "documents"
    return "vitepress" if vitepress.read_chunk(text, harvest) else ""
