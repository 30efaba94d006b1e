"""Markdown → the stretches of it that are text, code left out: CommonMark's blocks, seen from afar.

Follows block quotes, list items, fences, indented code, HTML blocks and tables just far enough to tell
which lines a renderer reads as text. Knows nothing of what stands in them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

MAX_CONTAINERS = 64
"""Quotes and list items in one another; deeper ones are read as text, as browsers flatten such nests."""

_QUOTE = -1
_QUOTE_MARK = re.compile(r" {0,3}> ?")
_ITEM_MARK = re.compile(r" {0,3}(?:[-+*]|(\d{1,9})[.)])(?: +|$)")
_FENCE = re.compile(r" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+) *$")
_RULE_MARKS = frozenset("-*_")
_DEFINITION = re.compile(r""" {0,3}\[(?!\^)[^\[\]]{1,999}\]: *[^\s]+(?: +["'(][^"']*["')])? *$""")
_TABLE_RULE_MARKS = frozenset("|:- ")
_RAW_BLOCK = re.compile(r" {0,3}<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_COMMENT = re.compile(r" {0,3}<!--")
_HTML_BLOCK = re.compile(
    r" {0,3}</?(?:address|article|aside|blockquote|body|center|dd|details|dialog|dir|div|dl|dt|fieldset"
    r"|figcaption|figure|footer|form|frame|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav"
    r"|ol|optgroup|option|p|section|search|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s/>]|$)",
    re.IGNORECASE,
)
_LONE_TAG = re.compile(r" {0,3}<(?:/[A-Za-z][\w-]*\s*|[A-Za-z][\w-]*(?:\s[^<>]*)?/?)>\s*$")
_UNESCAPED_PIPE = re.compile(r"(?:[^|\\]|\\.)*\|?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Inline content: ``markdown[start:end]``, with the marks of the blocks around it still in it."""

    start: int
    end: int
    cell: bool = False
    """A cell of a table, where a pipe is written ``\\|``."""


def chunks(markdown: str) -> Iterator[Chunk]:
    """Cut a text into paragraphs, headings and table cells, in order; code and raw HTML are left out."""
    reader = _Reader()
    lines = markdown.split("\n")
    offset = open_from = 0
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        kind = reader.read(line.expandtabs(4), following)
        end = min(offset + len(line) + 1, len(markdown))
        if kind is not _Line.CONTINUES and open_from < offset:
            yield Chunk(open_from, offset)
        if kind is _Line.CELLS:
            yield from _cells(line, offset)
        open_from = open_from if kind is _Line.CONTINUES else offset if kind is _Line.BEGINS else end
        offset = end
    if open_from < len(markdown):
        yield Chunk(open_from, len(markdown))


def _cells(line: str, offset: int) -> Iterator[Chunk]:
    for cell in _UNESCAPED_PIPE.finditer(line):
        if cell.end() > cell.start():
            yield Chunk(offset + cell.start(), offset + cell.end(), cell=True)


class _Line(Enum):
    """What a line is to the text."""

    BEGINS = auto()
    CONTINUES = auto()
    CELLS = auto()
    NO_TEXT = auto()


@dataclass(slots=True)
class _Reader:
    """Where in the blocks the last line ended."""

    containers: list[int] = field(default_factory=list)
    """Open block quotes (``_QUOTE``) and list items (columns to their content), outermost first."""
    paragraph: bool = False
    fence: str = ""
    html_end: str | None = None
    """What ends the HTML block that is open; empty: a blank line."""
    table: bool = False

    def read(self, line: str, following: str) -> _Line:
        """Say what a line (tabs expanded) is to the text."""
        if not line and self._is_plain and not self.containers:
            self.paragraph = False
            return _Line.NO_TEXT
        # Nine lines of ten: a letter begins nothing but a paragraph, in the text or in the next list item.
        if self._is_plain and ("|" not in line or "|" not in following):
            if not self.containers and line[:1].isalpha():
                continues, self.paragraph = self.paragraph, True
                return _Line.CONTINUES if continues else _Line.BEGINS
            if self.containers == [2] and line.startswith("- ") and _begins_item(line[2:]):
                self.paragraph = True
                return _Line.BEGINS
        rest, matched = self._enter(line)
        if matched < len(self.containers):
            if self.paragraph and rest.strip() and not _interrupts(rest):
                return _Line.CONTINUES
            del self.containers[matched:]
            self._leave_leaf()
        if self.fence:
            closing = rest.strip(" ")
            if _indent(rest) < 4 and len(closing) >= len(self.fence) and not closing.strip(self.fence[0]):
                self.fence = ""
            return _Line.NO_TEXT
        if self.html_end is not None:
            return self._read_html(rest)
        if not rest:
            self._leave_leaf()
            return _Line.NO_TEXT
        return self._read_leaf(*self._open(rest), following)

    @property
    def _is_plain(self) -> bool:
        """Whether no leaf is open but, perhaps, a paragraph."""
        return not (self.fence or self.table) and self.html_end is None

    def _enter(self, line: str) -> tuple[str, int]:
        """Step into the open containers that this line goes on with; return the rest and how many."""
        if not line.strip():
            # Items go on over blank lines, quotes do not.
            quoted = _QUOTE in self.containers
            return "", self.containers.index(_QUOTE) if quoted else len(self.containers)
        for matched, width in enumerate(self.containers):
            if width == _QUOTE:
                quote = _QUOTE_MARK.match(line)
                if quote is None:
                    return line, matched
                line = line[quote.end() :]
            elif _indent(line) >= width:
                line = line[width:]
            else:
                return line, matched
        return line, len(self.containers)

    def _open(self, rest: str) -> tuple[str, bool]:
        """Open the quotes and items that start on this line; return the rest, and whether any did."""
        opened = False
        while len(self.containers) < MAX_CONTAINERS and not (_is_rule(rest) or _indent(rest) >= 4):
            quote = _QUOTE_MARK.match(rest)
            item = None if quote else _ITEM_MARK.match(rest)
            if quote:
                self.containers.append(_QUOTE)
                rest = rest[quote.end() :]
            elif item and not (self.paragraph and not opened and _cannot_interrupt(item, rest)):
                width = item.end()
                if width - len(item[0].rstrip(" ")) > 4 or width == len(rest):
                    width = len(item[0].rstrip(" ")) + 1
                self.containers.append(width)
                rest = rest[width:]
            else:
                break
            opened = True
        if opened:
            self._leave_leaf()
        return rest, opened

    def _read_leaf(self, rest: str, opened: bool, following: str) -> _Line:
        if not rest.strip():
            self._leave_leaf()
            return _Line.NO_TEXT
        if self.table:
            self.table = not _interrupts(rest)
            if self.table:
                return _Line.CELLS
        if _indent(rest) >= 4 and not self.paragraph:
            return _Line.NO_TEXT
        fence = _FENCE.match(rest)
        if fence:
            self._leave_leaf()
            self.fence = fence[1] or fence[2]
            return _Line.NO_TEXT
        if self._opens_html(rest):
            return self._read_html(rest)
        if _HEADING.match(rest):
            self._leave_leaf()
            return _Line.BEGINS
        if _is_rule(rest) or (self.paragraph and _UNDERLINE.match(rest)):
            self._leave_leaf()
            return _Line.NO_TEXT
        if "|" in rest and "|" in following and _is_table_rule(following, _columns(rest)):
            self._leave_leaf()
            self.table = True
            return _Line.CELLS
        if _DEFINITION.match(rest) and not self.paragraph:
            return _Line.BEGINS
        continues, self.paragraph = self.paragraph and not opened, True
        return _Line.CONTINUES if continues else _Line.BEGINS

    def _opens_html(self, rest: str) -> bool:
        raw = _RAW_BLOCK.match(rest)
        if raw:
            self.html_end = f"</{raw[1].lower()}>"
        elif _COMMENT.match(rest):
            self.html_end = "-->"
        elif _HTML_BLOCK.match(rest) or (not self.paragraph and _LONE_TAG.match(rest)):
            self.html_end = ""
        else:
            return False
        self.paragraph = self.table = False
        return True

    def _read_html(self, rest: str) -> _Line:
        ended = self.html_end in rest.lower() if self.html_end else not rest.strip()
        if ended:
            self.html_end = None
        return _Line.NO_TEXT

    def _leave_leaf(self) -> None:
        self.paragraph = self.table = False
        self.fence = ""
        self.html_end = None


def _begins_item(rest: str) -> bool:
    """Whether what follows the mark of a list item is certainly a paragraph."""
    return rest[:1].isalpha() or (rest[:1] == "[" and "]:" not in rest)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_rule(rest: str) -> bool:
    marks = rest.replace(" ", "")
    return len(marks) >= 3 and _indent(rest) < 4 and marks[0] in _RULE_MARKS and not marks.strip(marks[0])


def _is_table_rule(line: str, columns: int) -> bool:
    """Whether a line, whatever quotes and items it stands in, is the rule below a header of so many cells."""
    marks = line.strip(" >\t")
    return "-" in marks and _TABLE_RULE_MARKS.issuperset(marks) and _columns(marks) == columns


def _columns(row: str) -> int:
    row = row.strip()
    return row.removeprefix("|").removesuffix("|").replace("\\|", "").count("|") + 1


def _cannot_interrupt(item: re.Match[str], rest: str) -> bool:
    """A paragraph goes on through an empty item, and through a number that happens to start a line."""
    return item[1] not in (None, "1") or item.end() == len(rest)


def _interrupts(rest: str) -> bool:
    """Whether a line cannot lazily go on with a paragraph or table whose quote or item it has left."""
    if _indent(rest) >= 4:
        return False
    return bool(
        _is_rule(rest)
        or _QUOTE_MARK.match(rest)
        or _ITEM_MARK.match(rest)
        or _FENCE.match(rest)
        or _HEADING.match(rest)
        or _COMMENT.match(rest)
        or _RAW_BLOCK.match(rest)
        or _HTML_BLOCK.match(rest)
    )
