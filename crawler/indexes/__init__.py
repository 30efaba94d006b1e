"""Site indexes: what a site says of its pages before any of them is fetched.

An ``Index`` is one such file, read; its ``entries`` are pages with what the file says of them, its
``children`` further indexes. ``read_index`` tells the formats apart, each of which is one module;
``places`` gives where a site's indexes may lie, and ``declared`` what a page says of them.
"""

from ..model import IndexEntry
from .entry import Index
from .places import Declared, Place, Source, declared, places
from .reading import read_index

__all__ = [
    "Declared",
    "Index",
    "IndexEntry",
    "Place",
    "Source",
    "declared",
    "places",
    "read_index",
]
