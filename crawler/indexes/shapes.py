"""Untrusted data → what a format says should be there: a text, a list of texts, a mapping, page numbers.

Total: what is of another shape counts as not there.
"""

from collections.abc import Iterator, Mapping


def text(value: object) -> str:
    """A text; empty for anything else."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """The texts of a list, places kept: what is no text is empty."""
    return [text(item) for item in value] if isinstance(value, list) else []


def mapping(value: object) -> Mapping[str, object]:
    """A mapping; empty for anything else."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> Iterator[Mapping[str, object]]:
    """The mappings of a list, or of a mapping's values."""
    for item in value if isinstance(value, list) else mapping(value).values():
        if isinstance(item, dict):
            yield item


def integers(value: object, below: int) -> Iterator[int]:
    """The integers of a list, or the one that stands in its place, from 0 to ``below``."""
    for item in value if isinstance(value, list) else [value]:
        if type(item) is int and 0 <= item < below:
            yield item
