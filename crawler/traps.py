"""Traps: parts of a site where links never end, and nothing more is learned.

Some shapes are refused outright, since no author writes them: paths that repeat themselves, parameters that
contain themselves. Others are good in small numbers and endless in large ones (a calendar's months, the pages
of a list, combinations of filters): those have a budget for each place where they occur. Decides on keys
alone, in the order told; what a page holds is not known here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from . import urls

MAX_SEGMENTS = 64
"""Folders in a path. The deepest published documentation has about 15."""

DEEP_SEGMENTS = 16
DEEP_BUDGET = 100
"""Paths deeper than ``DEEP_SEGMENTS`` on one host: source browsers have some, traps have nothing else."""

CYCLES = 3
"""Times that a run of folders may not follow itself (Heritrix allows one fewer)."""

OCCURRENCES = 4
"""Times that one name may not stand in a path, in whatever order: relative links gone wrong."""

CALENDAR_BUDGET = 32
"""Views of one calendar: two years of months and some."""

ARCHIVE_BUDGET = 400
"""Folders named by year and month in one place: 33 years of a blog."""

PAGING_BUDGET = 200
"""Pages of one list."""

FACET_BUDGET = 60
"""Combinations of filters on one path, where it is a faceted search."""

FACET_RATIO = 4
"""A path is one when it has this many times more combinations than any parameter has values: there no
parameter names the page, as ``t`` does in ``/topic?f=2&t=391``."""

SORT_BUDGET = 10
"""Orders of one list: the same entries each time."""

LONG_VALUE = 32
"""Characters of a value that names something, as a title does: beside one, a date is a detail."""

MAX_PARAMETERS = 24
MAX_SAME_NAME = 8
"""Parameters in all, and of one name: forms have fewer; what adds one with each click has more."""


class Traps:
    """How much of each budget is spent.

    Ask ``refuses`` for a key that is new; tell ``note`` of each key that then enters the frontier.
    """

    def __init__(self) -> None:
        self._spent: Counter[tuple[str, str]] = Counter()
        self._searches: dict[str, _Search] = {}

    def refuses(self, key: str) -> str:
        """Name the trap that a key leads into; "" when it may be visited."""
        place = _Place.of(key)
        rule = _impossible(place)
        if rule:
            return rule
        for claim in _claims(place):
            if self._spent[claim.rule, claim.pattern] >= claim.budget:
                return claim.rule
        return "trap-facets" if self._is_one_filter_too_many(place) else ""

    def note(self, key: str) -> None:
        """Charge a key that entered the frontier to the budgets of its place."""
        place = _Place.of(key)
        for claim in _claims(place):
            self._spent[claim.rule, claim.pattern] += 1
        filters = _filters(place.pairs)
        if len(filters) > 1:
            self._searches.setdefault(place.where, _Search()).note(filters)

    def _is_one_filter_too_many(self, place: "_Place") -> bool:
        search = self._searches.get(place.where)
        return search is not None and search.is_faceted and search.adds(_filters(place.pairs))


_Pairs = tuple[tuple[str, str], ...]


class _Search:
    """What was combined on one path."""

    def __init__(self) -> None:
        self._combinations: set[_Pairs] = set()
        self._seen: set[tuple[str, str]] = set()
        self._values: Counter[str] = Counter()

    def note(self, filters: _Pairs) -> None:
        self._combinations.add(filters)
        for pair in filters:
            if pair not in self._seen:
                self._seen.add(pair)
                self._values[pair[0]] += 1

    def adds(self, filters: _Pairs) -> bool:
        return len(filters) > 1 and filters not in self._combinations

    @property
    def is_faceted(self) -> bool:
        count = len(self._combinations)
        return count >= FACET_BUDGET and count >= FACET_RATIO * max(self._values.values())


class _Place(NamedTuple):
    """A key taken apart."""

    where: str
    """Authority and path, digits as they are."""
    segments: tuple[str, ...]
    pairs: _Pairs

    @classmethod
    def of(cls, key: str) -> "_Place":
        path = urls.path(key)
        pieces = urls.query(key).split("&") if "?" in key else []
        pairs = tuple((name.lower(), value) for name, _, value in (piece.partition("=") for piece in pieces))
        return cls(urls.authority(key) + path, tuple(path.strip("/").split("/")), pairs)

    @property
    def pattern(self) -> str:
        """``where`` with every number replaced, so that all months of a calendar are one place."""
        return _DIGITS.sub("#", self.where)


class _Claim(NamedTuple):
    """A budget that a key draws on."""

    rule: str
    pattern: str
    budget: int


_DIGITS = re.compile(r"[0-9]+")


# Shapes that no author writes


def _impossible(place: _Place) -> str:
    if len(place.segments) > MAX_SEGMENTS:
        return "trap-deep"
    if _repeats(place.segments):
        return "trap-repeat"
    return "trap-parameters" if place.pairs and _grows(place.pairs) else ""


def _repeats(segments: Sequence[str]) -> bool:
    """Tell whether a run of names follows itself, or one name comes up again and again; numbers may."""
    if len(segments) < CYCLES or len(set(segments)) == len(segments):
        return False
    names = Counter(segment for segment in segments if not segment.isdigit())
    if any(count >= OCCURRENCES for count in names.values()):
        return True
    return any(_cycle_at(segments, start, size) for size in (1, 2, 3) for start in range(len(segments)))


def _cycle_at(segments: Sequence[str], start: int, size: int) -> bool:
    run = segments[start : start + size]
    if all(name.isdigit() for name in run):
        return False
    return all(segments[start + n * size : start + (n + 1) * size] == run for n in range(1, CYCLES))


def _grows(pairs: Sequence[tuple[str, str]]) -> bool:
    """Tell whether parameters pile up, or a value holds its own parameter again and again."""
    if len(pairs) > MAX_PARAMETERS:
        return True
    if len(pairs) > MAX_SAME_NAME and max(Counter(name for name, _ in pairs).values()) > MAX_SAME_NAME:
        return True
    return any(_contains_itself(name, value) for name, value in pairs if len(value) > 2 * len(name))


def _contains_itself(name: str, value: str) -> bool:
    plain = value
    for _ in range(CYCLES):  # each nesting escapes the one inside again
        plain = unquote(plain)
    if name and plain.lower().count(f"{name}=") >= CYCLES - 1:
        return True
    return _PATH_VALUE.fullmatch(plain) is not None and _repeats(plain.strip("/").split("/")[:MAX_SEGMENTS])


# Shapes that are good in small numbers


def _claims(place: _Place) -> Iterator[_Claim]:
    if len(place.segments) > DEEP_SEGMENTS:
        yield _Claim("trap-deep", place.where.partition("/")[0], DEEP_BUDGET)
    if _DATE_AT_END.search(place.where):
        is_calendar = any(_words(segment) & _CALENDAR_WORDS for segment in place.segments)
        budget = CALENDAR_BUDGET if is_calendar else ARCHIVE_BUDGET
        yield _Claim("trap-calendar", place.pattern, budget)
    elif _PAGE_AT_END.search(place.where):
        yield _Claim("trap-paging", place.pattern, PAGING_BUDGET)
    if place.pairs:
        yield from _claims_of_query(place)


def _claims_of_query(place: _Place) -> Iterator[_Claim]:
    names = [name for name, _ in place.pairs]
    if any(_is_date(*pair) for pair in place.pairs) and not any(
        len(value) > LONG_VALUE for _, value in place.pairs
    ):
        yield _Claim("trap-calendar", place.pattern, CALENDAR_BUDGET)
    if any(name in _PAGING_NAMES and value.isdigit() for name, value in place.pairs):
        yield _Claim("trap-paging", f"{place.where}?{_filters(place.pairs)}", PAGING_BUDGET)
    if any(
        name in _SORT_NAMES or (name == "c" and _APACHE_ORDER.fullmatch(value)) for name, value in place.pairs
    ):
        yield _Claim("trap-facets", f"{place.where}?sort {_filters(place.pairs)}", SORT_BUDGET)
    if len(set(names)) < len(names):
        yield _Claim("trap-facets", f"{place.where}?several", FACET_BUDGET)


def _filters(pairs: _Pairs) -> _Pairs:
    """Give the parameters that choose what is shown, not where in a list or in which order."""
    return tuple(pair for pair in pairs if pair[0] not in _PAGING_NAMES and pair[0] not in _SORT_NAMES)


def _is_date(name: str, value: str) -> bool:
    return _DATE_VALUE.fullmatch(value) is not None and bool(_words(name) & _DATE_WORDS)


def _words(name: str) -> set[str]:
    return set(_LETTERS.findall(name.lower()))


_LETTERS = re.compile(r"[a-z]+")
_DATE_AT_END = re.compile(
    r"/(?:1[0-9]|2[01])[0-9]{2}[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12][0-9]|3[01]))?/?$"
)
_DATE_VALUE = re.compile(r"-?[0-9]{1,8}(?:[-/.][0-9]{1,2}){0,2}")
_DATE_WORDS = frozenset({"date", "day", "week", "month", "year", "mon", "yr", "ym", "cal", "calendar"})
_CALENDAR_WORDS = frozenset(
    {"calendar", "cal", "event", "events", "agenda", "schedule", "month", "week", "day"}
    | {
        "kalender",
        "termine",
        "veranstaltungen",
        "calendrier",
        "evenements",
        "calendario",
        "eventos",
        "eventi",
    }
)
_PATH_VALUE = re.compile(r"[^\s?&=(){};]*/[^\s?&=(){};]*")
_PAGE_AT_END = re.compile(r"/page[/-]?[0-9]+/?$")
_PAGING_NAMES = frozenset(
    {"page", "paged", "pg", "pageno", "page_no", "pagenum", "page_num", "pagenumber", "page_number"}
    | {"offset", "start", "skip", "startindex", "start_index"}
)
_SORT_NAMES = frozenset(
    {"sort", "sortby", "sort_by", "sort-by", "sortorder", "sort_order", "orderby", "order_by", "order-by"}
)
_APACHE_ORDER = re.compile(r"[NMSD];O=[AD]")
"""Apache's folder listings: ``?C=M;O=A``."""
