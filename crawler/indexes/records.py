"""XML of indexes → records: an element that repeats (``url``, ``item``, ``entry``) with the fields in it.

The XML is the web's: hostile, and seldom well-formed. So expat, the parser of the standard library, streams
it and never sees a DTD: the text is cut before its root element, and a DTD can stand nowhere else. No entity
is ever declared, nothing outside is ever referred to, and nothing can expand. That is all that defusedxml
would add (it refuses such files, among them honest RSS 0.91 with the DOCTYPE it must have), and a tree, as
ElementTree makes it, would take twenty times the memory of the file. lxml would recover from errors as well,
but is a large binary for the sake of that.

What is wrong with real files is mended: raw ampersands, entities of HTML, control characters; after any other
error reading goes on at the next record. Depth, fields and texts are bounded. Knows no format.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from xml.parsers import expat

MAX_DEPTH = 64
"""Elements in one another; XHTML inside feeds goes to about 20."""
MAX_FIELDS = 400
"""Fields of one record: a URL of a sitemap may list its images."""
MAX_FIELD = 8_000
"""Characters kept of one field: an article may be quoted whole."""
MAX_MENDED = 50
"""Errors after which reading goes on; each costs another pass to the end."""


@dataclass(frozen=True, slots=True)
class Field:
    """One element inside a record: where it stands (``loc``, ``author/name``), attributes, all its text."""

    path: str
    attributes: Mapping[str, str]
    text: str


@dataclass(slots=True)
class Record:
    """One repeated element; names are lower case and without their prefix."""

    name: str
    attributes: Mapping[str, str]
    bases: tuple[str, ...] = ()
    """``xml:base`` of it and of what it stands in, outermost first."""
    fields: list[Field] = field(default_factory=list)

    def text(self, *paths: str) -> str:
        """Text of the first field at the first of these paths that has any."""
        for path in paths:
            for found in self.fields:
                if found.path == path and found.text.strip():
                    return found.text
        return ""

    def all(self, path: str) -> list[Field]:
        """Every field at this path."""
        return [found for found in self.fields if found.path == path]


Take = Callable[[Record], bool]
"""Takes a record; False says that no more are wanted."""

_ROOT = re.compile(
    r"<(?:[A-Za-z_][\w.\-]{0,40}:)?(?P<name>urlset|sitemapindex|rss|rdf|feed)(?=[\s>/])", re.IGNORECASE
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PAGE = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
PROLOGUE = 64 * 1024
"""Characters before the root element: declarations, licences in comments, a warning of PHP."""


def root_of(text: str) -> tuple[str, int]:
    """Name of the root element, lower case, and where it starts; ("", 0) where no index starts."""
    start = text[:PROLOGUE]
    bare = _COMMENT.sub(lambda comment: " " * len(comment[0]), start)
    match = _ROOT.search(bare)
    if match is None or _PAGE.search(bare, 0, match.start()):
        return "", 0
    return match["name"].lower(), match.start()


def read_records(text: str, start: int, names: frozenset[str], take: Take) -> None:
    """Read the records called ``names`` from the root element at ``start`` on, as far as it can be read."""
    data = text[start:].encode("utf-8", "replace")
    if _Pass(names, take).over(data) is None:
        return
    # Records of the first pass are taken again, which does no harm: whoever takes them knows duplicates.
    data = _mended(text[start:]).encode("utf-8", "replace")
    opening = re.compile(
        rb"<(?:[\w.\-]{1,40}:)?(?:%s)[\s>]" % b"|".join(sorted(n.encode() for n in names)), re.I
    )
    root = re.match(rb"<[^\s>/]+", data)
    assert root is not None, "there is a root element at start"
    at, head = 0, b""
    for _ in range(MAX_MENDED):
        failed = _Pass(names, take).over(head + data[at:])
        if failed is None:
            return
        following = opening.search(data, at + max(failed - len(head), 1))
        if following is None:
            return
        at, head = following.start(), root[0] + b">"


class _Enough(Exception):
    """No more is wanted, or to be trusted."""


class _Pass:
    """One run of the parser over the text, or the rest of it."""

    def __init__(self, names: frozenset[str], take: Take) -> None:
        self._names = names
        self._take = take
        self._open: list[_Open] = []
        self._record: Record | None = None
        self._depth = 0
        """Elements open when the record began."""

    def over(self, data: bytes) -> int | None:
        """Read; None at a good end, else the byte at which the text ceased to be XML."""
        # All at once: fed in pieces, this version of expat scans a long token anew with each of them.
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        try:
            parser.Parse(data, True)
        except expat.ExpatError:
            return parser.ErrorByteIndex
        except _Enough:
            return None
        return None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise _Enough
        name = name.rpartition(":")[2].lower()
        self._open.append(_Open(name, attributes))
        if self._record is None and name in self._names and len(self._open) > 1:
            bases = tuple(
                element.attributes["xml:base"] for element in self._open if "xml:base" in element.attributes
            )
            self._record = Record(name, attributes, bases)
            self._depth = len(self._open)

    def _characters(self, text: str) -> None:
        if self._record is not None:
            self._open[-1].add(text)

    def _end(self, _: str) -> None:
        element = self._open.pop()
        if self._record is None:
            return
        if len(self._open) < self._depth:
            record, self._record = self._record, None
            if not self._take(record):
                raise _Enough
            return
        text = "".join(element.parts)
        if len(self._record.fields) < MAX_FIELDS:
            path = "/".join([*(above.name for above in self._open[self._depth :]), element.name])
            self._record.fields.append(Field(path, element.attributes, text))
        if len(self._open) > self._depth:
            self._open[-1].add(f" {text} ")


@dataclass(slots=True)
class _Open:
    """An element that has begun."""

    name: str
    attributes: Mapping[str, str]
    parts: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, text: str) -> None:
        if self.size < MAX_FIELD:
            self.parts.append(text[: MAX_FIELD - self.size])
            self.size += len(text)


_AMPERSAND = re.compile(
    r"<!\[CDATA\[.*?\]\]>|&(?:(?P<name>[A-Za-z][A-Za-z0-9]{1,31});|(?P<number>#\d{1,7};|#[xX][0-9A-Fa-f]{1,6};))?",
    re.DOTALL,
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})


def _mended(text: str) -> str:
    """Make XML of what nearly is: HTML's entities written out, other ampersands escaped, no controls."""
    return _AMPERSAND.sub(_mended_reference, _CONTROLS.sub("", text))


def _mended_reference(match: re.Match[str]) -> str:
    reference = match[0]
    if reference[0] == "<":
        return reference
    if match["name"] in _XML_NAMES:
        return reference
    if match["number"]:
        return reference if _is_character(match["number"]) else "\ufffd"
    character = html5.get(f"{match['name']};") if match["name"] else None
    return character if character and character not in "<&" else "&amp;" + reference[1:]


def _is_character(number: str) -> bool:
    code = int(number[2:-1], 16) if number[1] in "xX" else int(number[1:-1])
    return (
        code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code <= 0x10FFFF
    )
