"""Variants: the same page in other languages and versions, of which one is enough.

A variant is refused where the preferred one of the same page was seen linked, or where the site clearly has
both editions: then a page that exists in the other alone is not what was asked for. What is preferred: the
language and version that the user names; else those of the seeds; else what carries no mark; of versions
then what is released, and the highest number. Between languages that nobody prefers nothing is refused.

``/it/`` may be a department, ``/15/`` a chapter and ``/1.1/`` a section, so a mark that could mean something
else counts only once the pages under it prove it: they exist in the other edition as well. Decides on keys
alone, in the order told.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from .editions import (
    NONE,
    RELEASED,
    UNRELEASED,
    Edition,
    Slot,
    edition_of,
    language_tag,
    normal_version,
    numbers_of,
)

MIN_SHARED = 3
"""Pages seen in two editions that prove both to be editions of one site: two may have names in common
(``about``, ``contact``), three of them are a pattern."""

MIN_SHARE = 0.5
"""Of the pages under a mark that could mean something else, the share that the other edition must have."""

MAX_EDITIONS = 24
"""Editions of one page, and values at one place, that are remembered: the oldest documentation has 20
versions, in a dozen languages; numbers that count something else have no end."""

MAX_PAGES = 500_000
"""Pages whose editions are remembered, at about 100 bytes each; beyond, no twin is seen any more."""

PROGRAMMING = frozenset(
    {"c", "cpp", "csharp", "dart", "dotnet", "go", "java", "javascript", "js", "kotlin", "lua"}
    | {"node", "nodejs", "perl", "php", "py", "python", "r", "rb", "ruby", "rust", "scala"}
    | {"swift", "ts", "typescript", "vb"}
)
"""Folders beside which ``cs`` is no Czech."""

Kind = Literal["language", "version"]
KINDS: tuple[Kind, Kind] = ("language", "version")

# How well a value is liked; the first figure of its rank.
_WANTED, _NEAR, _UNMARKED, _RELEASED, _NUMBERED, _UNRELEASED, _FOREIGN = range(7)


class Variants:
    """The editions that were seen of each page.

    Tell ``sight`` of every link of a page that is in scope, then ask ``refuses`` for each: so the order of
    links within a page does not matter. Ask again before a candidate is fetched, since a better variant may
    have turned up. ``language`` (a tag) and ``version`` are what the user wants; empty for what the seeds
    have.
    """

    def __init__(self, language: str = "", version: str = "", seeds: Iterable[str] = ()) -> None:
        self._asked = {
            "language": language_tag(language),
            "version": normal_version(version) or version.lower(),
        }
        self._seeds = dict.fromkeys(seeds)
        self._spoken: tuple[str, ...] = ()
        self._keys: dict[str, tuple[str, ...]] = {}
        self._gone: set[str] = set()
        self._shared: Counter[tuple[Kind, str, str, str]] = Counter()
        self._seen: Counter[tuple[Kind, str, str]] = Counter()
        self._values: dict[tuple[Kind, str], tuple[Slot, ...]] = {}
        self._programming: set[str] = set()
        self._preferred = self._preferences()

    def moved(self, seed: str, target: str) -> None:
        """Take the redirect of a seed into account: its target says which edition is meant."""
        self._seeds = dict.fromkeys(target if key == seed else key for key in self._seeds)
        self._preferred = self._preferences()

    def speaks(self, language: str) -> None:
        """Note what language a seed's page says it is in: of marked pages those in it are preferred."""
        tag = language_tag(language)
        if tag and tag not in self._spoken:
            self._spoken = (*self._spoken, tag)

    def sight(self, key: str) -> None:
        """Note that a link to this key exists."""
        self._note_programming(key)
        edition = edition_of(key)
        known = self._keys.get(edition.free)
        if known is None:
            if len(self._keys) >= MAX_PAGES:
                return
            known = ()
        if key in known or len(known) >= MAX_EDITIONS or key in self._gone:
            return
        for kind in KINDS:
            self._note_value(kind, _slot(edition, kind))
            for other in known:
                self._note_pair(kind, edition, edition_of(other))
        self._keys[edition.free] = (*known, key)

    def gone(self, key: str) -> tuple[str, ...]:
        """Note that a key led nowhere, or elsewhere: it speaks against no variant any longer.

        Gives the keys that it was all that spoke against, best first: the first may take its place.
        """
        free = edition_of(key).free
        others = tuple(other for other in self._keys.get(free, ()) if other != key)
        waiting = [other for other in others if self.refuses(other)]
        self._gone.add(key)
        self._keys[free] = others
        return tuple(sorted((other for other in waiting if not self.refuses(other)), key=self._rank))

    def refuses(self, key: str) -> str:
        """Name the rule, ``language`` or ``version``, by which another variant is preferred, or "".

        Changes nothing.
        """
        edition = edition_of(key)
        return self._refused_for_a_twin(edition) or self._refused_for_its_site(edition)

    # Two editions of one page

    def _refused_for_a_twin(self, edition: Edition) -> str:
        rules = [self._compared(edition, edition_of(twin)) for twin in self._keys.get(edition.free, ())]
        return next((kind for kind in KINDS if kind in rules), "")

    def _compared(self, edition: Edition, twin: Edition) -> str:
        """Name what makes the other edition of a page the better one; "" where it is not."""
        for kind in KINDS:
            mine, other = _slot(edition, kind), _slot(twin, kind)
            if mine.value == other.value:
                continue
            # Where languages differ, versions decide nothing.
            is_refused = self._is_better(kind, other, mine) and self._are_editions(kind, edition, twin)
            return kind if is_refused else ""
        return ""

    def _are_editions(self, kind: Kind, one: Edition, better: Edition) -> bool:
        """Tell whether the marks of two pages are a language or a version each, or mean something else."""
        if kind == "language" and one.version.value != better.version.value and _is_doubtful(one, better):
            return False
        mine, other = _slot(one, kind), _slot(better, kind)
        if mine is NONE:
            return self._is_mark(kind, other, better) or self._is_proven(kind, other, NONE)
        if other is NONE:
            return self._is_mark(kind, mine, one) or self._is_proven(kind, mine, NONE)
        if mine.place != other.place:
            return False
        if self._is_proven(kind, mine, other):
            return True
        is_clear = (mine.is_clear or other.is_clear) and not self._is_code(kind, mine, other)
        # Two numbers may be two sections, if neither is what the user or the seed points to.
        return is_clear and self._rank_of(kind, other)[0] < _NUMBERED

    def _is_mark(self, kind: Kind, slot: Slot, edition: Edition) -> bool:
        """Tell a mark beside which the same page without it is an edition, from a folder of that name.

        ``/1.2/`` beside ``/`` may be anything; ``/1.2/install`` beside ``/install`` is not.
        """
        if not slot.is_clear or (kind == "version" and not numbers_of(slot.value)):
            return False
        is_first = slot.place.count("/") == 3
        return not edition.is_root or (kind == "language" and is_first)

    def _is_code(self, kind: Kind, *slots: Slot) -> bool:
        return kind == "language" and any(
            not slot.is_clear and slot.place in self._programming for slot in slots
        )

    # Two editions of a site

    def _refused_for_its_site(self, edition: Edition) -> str:
        """Refuse a page whose other edition was not seen, where a better edition of the site is proven."""
        for kind in KINDS:
            mine = _slot(edition, kind)
            if mine is NONE:
                continue
            for other in (NONE, *self._values.get((kind, mine.place), ())):
                if self._is_better(kind, other, mine) and self._is_proven(kind, mine, other):
                    return kind
        return ""

    def _is_proven(self, kind: Kind, mine: Slot, other: Slot) -> bool:
        shared = self._shared[kind, mine.place, mine.value, other.value]
        if shared < MIN_SHARED or self._is_code(kind, mine) or not self._is_meant(kind, mine, other):
            return False
        if other is not NONE and (mine.is_clear or other.is_clear):
            return True
        return shared >= MIN_SHARE * self._seen[kind, mine.place, mine.value]

    def _is_meant(self, kind: Kind, *slots: Slot) -> bool:
        """Bare numbers are versions beside ``/current/`` or ``/1.2/``, or where the user asks for one."""
        if kind == "language" or not all(slot.value.isdigit() or slot is NONE for slot in slots):
            return True
        if self._asked["version"].isdigit():
            return True
        place = next(slot.place for slot in slots if slot is not NONE)
        return any(not slot.value.isdigit() for slot in self._values.get((kind, place), ()))

    # What was seen

    def _note_value(self, kind: Kind, slot: Slot) -> None:
        if slot is NONE:
            return
        self._seen[kind, slot.place, slot.value] += 1
        known = self._values.get((kind, slot.place), ())
        if slot not in known and len(known) < MAX_EDITIONS:
            self._values[kind, slot.place] = (*known, slot)

    def _note_pair(self, kind: Kind, one: Edition, other: Edition) -> None:
        """Count a page that two editions share. A home page proves nothing of a folder beside no mark."""
        first, second = _slot(one, kind), _slot(other, kind)
        if first.value == second.value:
            return
        if first is NONE or second is NONE:
            marked, edition = (second, other) if first is NONE else (first, one)
            if not edition.is_root:
                self._shared[kind, marked.place, marked.value, ""] += 1
        elif first.place == second.place:
            self._shared[kind, first.place, first.value, second.value] += 1
            self._shared[kind, first.place, second.value, first.value] += 1

    def _note_programming(self, key: str) -> None:
        before, slash, _ = key.rpartition("/")
        while slash and not before.endswith("/"):
            before, slash, folder = before.rpartition("/")
            if folder in PROGRAMMING:
                self._programming.add(before + "/")

    # What is preferred

    def _preferences(self) -> dict[Kind, tuple[str, ...]]:
        editions = [edition_of(key) for key in self._seeds]
        return {
            kind: (self._asked[kind],)
            if self._asked[kind]
            else tuple(dict.fromkeys(_slot(edition, kind).value for edition in editions))
            for kind in KINDS
        }

    def _rank(self, key: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        edition = edition_of(key)
        return self._rank_of("language", edition.language), self._rank_of("version", edition.version)

    def _is_better(self, kind: Kind, one: Slot, other: Slot) -> bool:
        return self._rank_of(kind, one) < self._rank_of(kind, other)

    def _rank_of(self, kind: Kind, slot: Slot) -> tuple[int, ...]:
        """Order the values of a kind, the preferred one lowest; equals are not chosen between."""
        value, preferred = slot.value, self._preferred[kind]
        if value in preferred:
            return (_WANTED,)
        if not value:
            return (_UNMARKED,)
        if kind == "language":
            codes = [wanted.partition("-")[0] for wanted in (*preferred, *self._spoken) if wanted]
            return (_NEAR if value.partition("-")[0] in codes else _FOREIGN,)
        if any(wanted and value.startswith(f"{wanted}.") for wanted in preferred):
            return (_NEAR, *_descending(value))
        if value in RELEASED or value in UNRELEASED:
            return (_RELEASED if value in RELEASED else _UNRELEASED,)
        return (_NUMBERED, *_descending(value))


def _slot(edition: Edition, kind: Kind) -> Slot:
    return edition.language if kind == "language" else edition.version


def _is_doubtful(*editions: Edition) -> bool:
    return any(edition.is_doubtful for edition in editions)


def _descending(version: str) -> Iterator[int]:
    return (-number for number in numbers_of(version))
