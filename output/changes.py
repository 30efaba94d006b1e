"""What an update changed in a tree: added, changed, removed and unchanged, with paths.

Knows the words for it; who compares is ``contents``.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One page or file."""

    path: str
    """Relative to the output folder, with ``/``."""
    url: str
    why: str = ""
    """Of what was removed, or could not be looked at."""


@dataclass(frozen=True, slots=True)
class Changes:
    """How a tree differs from what an update found, each list by path."""

    added: tuple[Change, ...] = ()
    changed: tuple[Change, ...] = ()
    removed: tuple[Change, ...] = ()
    unchanged: tuple[Change, ...] = ()
    unseen: tuple[Change, ...] = ()
    """Left as they were, since they could not be had or were not asked for."""

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.added or self.changed or self.removed)
