"""Likeness: which page is one that is held already, but for a date, a counter or a menu.

The error that matters is the other one: to take two pages for one and lose what the second says. On
documentation sites pages that differ in a few words are common and mean different things; of 4,500 pages
looked at, fourteen pairs of different functions or commands share nine tenths of their word shingles and
more. No threshold on shared words alone tells them from one page seen twice, so three things are asked:

- The same title and first heading. A page seen twice has them; two functions do not.
- The same words in the same order, up to ``NEAR``: the highest likeness of two different pages of one title
  was 0.96.
- What changes by itself does not count: numbers and dates where they are few, link targets, and lines of
  nothing but links, unless those are most of the page, as in a list.

A sketch keeps the lowest hashes of a page's shingles (A. Broder, On the resemblance and containment of
documents, 1997: "bottom-k"): how many two sketches share estimates the Jaccard likeness of the whole. It
needs one hash a shingle, by ``zlib.crc32``, where MinHash needs one for each of its permutations; datasketch
would do those with numpy, and brings scipy with it. SimHash is smaller, but its distance says little about
pages of a few hundred words. Pure; equal in every process.
"""

import re
from array import array
from collections.abc import Iterator
from itertools import accumulate
from zlib import crc32

WIDTH = 4
"""Words of a shingle; a CJK character is a word. One changed word changes as many shingles."""

SIZE = 256
"""Hashes of a sketch: pages of up to so many shingles are compared exactly, larger ones with a standard
error of 0.01 at ``NEAR`` and about. 1 KB a page."""

NEAR = 0.985
"""Share of shingles from which two pages are one: above what a sketch may take 0.96 for, by three errors."""

FEWEST = 40
"""Shingles below which a page has no sketch: in so short a text every word counts."""

FEW_NUMBERS = 0.2
"""Share of the words up to which numbers are incidental; a table of figures is its figures."""

FEW_LINKS = 0.5
"""Share of the text up to which lines of links are menus; beyond, the page is a list of them."""

FROM_START = 12_000
FROM_END = 8_000
"""Characters of a long page that are looked at: no two pages are known that share title, heading and both
ends and differ between them, and the whole of a manual in one page would cost as much as reading it."""

LOOKED_UP = 2
"""Lowest hashes by which pages to compare are found: two near pages share one with a probability of
1 - (1 - NEAR)**2, all but certainty."""

MAX_COMPARED = 32
"""Pages with title and a low hash in common that are compared, the oldest: some sites have but one title."""

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
_TARGET = re.compile(r"\]\([^()\s]*\)|<https?://[^<>\s]*>")
_LINKS = re.compile(r"(?m)^[ \t>*+|.0-9-]*(?:!?\[[^\[\]\n]*\]\([^()\s]*\)[ \t|,;·•›»>/\\:-]*)+$")
_NUMBER = re.compile(r"\d+|\d\dt\d\d|\d\dz")
"""Also the words that ``2024-05-01T10:00:00Z`` falls into."""
_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.*)$")
_CALENDAR = frozenset(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct"}
    | {"nov", "dec", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
    | {"mon", "tue", "wed", "thu", "fri", "sat", "sun", "am", "pm", "utc", "gmt"}
)

Sketch = tuple[int, ...]
"""First the hash of title and heading, then the lowest hashes, ascending; all below 2**32. Empty for none."""


def sketch(text: str, title: str = "") -> Sketch:
    """Sketch a page's Markdown; ``()`` where the text is too short to tell likeness from chance.

    About 0.8 ms for 10 KB, and twice that at most.
    """
    if len(text) > FROM_START + FROM_END:
        text = f"{text[:FROM_START]}\n{text[-FROM_END:]}"
    hashes = _lowest(shingles(text))
    if not hashes:
        return ()
    heading = _HEADING.search(text)
    identity = f"{title}\n{heading[1] if heading else ''}".casefold()
    return (crc32(identity.encode("utf-8", "replace")), *hashes)


def shingles(text: str) -> set[int]:
    """Hash every run of ``WIDTH`` words of a page's Markdown, without what changes by itself."""
    words = [word.encode("utf-8", "replace") for word in _words(text)]
    joined = b" ".join(words)
    starts = [0, *accumulate([len(word) + 1 for word in words])]
    return set(map(crc32, [joined[start:end] for start, end in zip(starts, starts[WIDTH:], strict=False)]))


def likeness(one: Sketch, other: Sketch) -> float:
    """Estimate the Jaccard likeness, 0..1, of the pages behind two sketches; titles are not compared."""
    if not one or not other:
        return 0.0
    size = min(SIZE, max(len(one), len(other)) - 1)
    first, second = set(one[1:]), set(other[1:])
    union = sorted(first | second)[:size]
    return sum(low in first and low in second for low in union) / len(union)


class Likeness:
    """The sketches of the pages held: about 1.5 KB each, by which a near page is found in constant time."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._sketches: list[array[int]] = []
        self._found_by: dict[int, list[int]] = {}

    def add(self, key: str, sketch: Sketch) -> None:
        """Hold a page; one without a sketch is like none."""
        if not sketch:
            return
        for place in _places(sketch):
            pages = self._found_by.setdefault(place, [])
            if len(pages) < MAX_COMPARED:
                pages.append(len(self._keys))
        self._keys.append(key)
        self._sketches.append(array("I", sketch))

    def near(self, sketch: Sketch) -> str:
        """Give the key of the page that this one is the same as, the first held if several; "" if none."""
        if not sketch:
            return ""
        pages = {page for place in _places(sketch) for page in self._found_by.get(place, ())}
        for page in sorted(pages):
            held = self._sketches[page]
            if held[0] == sketch[0] and likeness(tuple(held), sketch) >= NEAR:
                return self._keys[page]
        return ""


def _places(sketch: Sketch) -> Iterator[int]:
    return (sketch[0] << 32 | low for low in sketch[1 : LOOKED_UP + 1])


def _words(text: str) -> list[str]:
    words = _WORD.findall(_prose(text.lower()))
    bare = [
        "0" if word in _CALENDAR or (word[0].isdigit() and _NUMBER.fullmatch(word)) else word
        for word in words
    ]
    return bare if bare.count("0") <= FEW_NUMBERS * len(bare) else words


def _prose(text: str) -> str:
    """Text without link targets, and without lines of links unless they are what there is."""
    if "](" not in text:
        return _TARGET.sub(" ", text)
    whole, rest = _TARGET.sub(" ", text), _TARGET.sub(" ", _LINKS.sub("", text))
    return rest if len(rest) >= (1 - FEW_LINKS) * len(whole) else whole


def _lowest(hashes: set[int]) -> list[int]:
    """The lowest hashes, ascending; their order is mixed, since sums by CRC of like texts are alike."""
    if len(hashes) < FEWEST:
        return []
    limit = 2 * SIZE * 2**32 // len(hashes)
    low = [mixed for one in hashes if (mixed := one * _MIX & 0xFFFFFFFF) < limit]
    if len(low) < SIZE:
        low = [one * _MIX & 0xFFFFFFFF for one in hashes]
    return sorted(low)[:SIZE]


_MIX = 0x9E3779B1
"""Odd, so that no two hashes become one; 2**32 divided by the golden ratio (Knuth, vol. 3, 6.4)."""
