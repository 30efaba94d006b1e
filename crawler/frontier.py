"""URLs seen, and those still to visit with every link that points to them.

Knows nothing of scores, scope or limits. Candidates are immutable: a new sighting replaces its candidate,
so that whoever scores one may keep the result for as long as the object lives.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .model import Candidate, Link

MAX_SIGHTINGS = 8
"""Links of different wording kept for one candidate: a menu repeats itself on every page, and beyond a
handful of wordings another one says nothing new. ``in_links`` goes on counting."""


class Frontier:
    """What is known of the web, split into settled and waiting."""

    def __init__(self) -> None:
        self._settled: set[str] = set()
        self._waiting: dict[str, Candidate] = {}
        self._discovered = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, key: str) -> bool:
        """Whether the key waits to be visited."""
        return key in self._waiting

    def is_settled(self, key: str) -> bool:
        """Whether the key was visited, or stands for a page that was."""
        return key in self._settled

    def candidates(self) -> Sequence[Candidate]:
        """All that wait, in order of discovery."""
        return tuple(self._waiting.values())

    def get(self, key: str) -> Candidate | None:
        """The waiting candidate of a key."""
        return self._waiting.get(key)

    def add(self, url: str, key: str, depth: int, links: Iterable[Link]) -> bool:
        """Note that one page points to ``url`` with ``links``; return whether the URL was new."""
        if key in self._settled:
            return False
        known = self._waiting.get(key)
        if known is None:
            self._waiting[key] = Candidate(key, url, depth, self._discovered, _distinct((), links), 1)
            self._discovered += 1
            return True
        self._waiting[key] = Candidate(  # replace() takes thrice the time, and a page has hundreds of links
            key,
            known.url,
            min(known.depth, depth),
            known.discovered,
            _distinct(known.sightings, links),
            known.in_links + 1,
        )
        return False

    def move(self, candidate: Candidate, url: str, key: str) -> Candidate:
        """Let a candidate that was redirected wait under its new address, sightings and all."""
        known = self._waiting.get(key)
        if known is not None:
            moved = replace(
                known,
                depth=min(known.depth, candidate.depth),
                sightings=_distinct(known.sightings, candidate.sightings),
                in_links=known.in_links + candidate.in_links,
            )
        else:
            moved = replace(candidate, url=url, key=key, discovered=self._discovered)
            self._discovered += 1
        self._waiting[key] = moved
        return moved

    def settle(self, key: str) -> Candidate | None:
        """Mark a key as visited and return the candidate that waited under it, if one did."""
        self._settled.add(key)
        return self._waiting.pop(key, None)

    def drop(self, keys: Iterable[str]) -> int:
        """Forget waiting keys without visiting them; return how many there were."""
        return sum(self._waiting.pop(key, None) is not None for key in keys)


def _distinct(sightings: tuple[Link, ...], links: Iterable[Link]) -> tuple[Link, ...]:
    kept = list(sightings)
    wordings = {(link.anchor, link.context) for link in sightings}
    for link in links:
        if len(kept) >= MAX_SIGHTINGS:
            break
        if (link.anchor, link.context) not in wordings:
            wordings.add((link.anchor, link.context))
            kept.append(link)
    return tuple(kept)
