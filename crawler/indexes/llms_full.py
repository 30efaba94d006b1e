"""llms-full.txt: a site's pages in one text file, as generators of documentation write it.

There is no rule for where a page begins and which URL it has; each generator marks it in its own way::

    # Title                # Source: https://…      ---                       # Title (/docs/title)
    Source: https://…                               url: /guide/title.md
                           # Title                  ---                       <doc title="…" url="…">
    Text                                            # Title

A file without such marks does not say which URLs its pages have; at most it lists some, as an llms.txt does.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .entry import MAX_TEXT, Harvest
from .lines import heading_of, plain, prose_lines

WITHIN = 4
"""Lines with text, from a heading on, in which a URL is that of the page under the heading."""
MAX_MATTER = 40
"""Lines of front matter."""
FEWEST = 2
"""Marked pages that make a file a full text: one line ``Source:`` may stand in any."""

_MARK = re.compile(
    r"[\s>*#-]*(?:<!--\s*)?\**(?:source|url|link|page|permalink|canonical(?: url)?)\**[ \t]*:\**[ \t]*"
    r"<?(?P<url>https?://[^\s<>]+|/[^\s<>]*)>?\s*(?:-->)?\Z",
    re.IGNORECASE,
)
_MATTER = re.compile(r"(?P<name>[\w.-]+)[ \t]*:[ \t]*(?P<value>.*)")
_MORE_MATTER = re.compile(r"[ \t]+\S|-[ \t]|\Z")
_TITLE_WITH_PATH = re.compile(
    r"(?P<title>[^()]+?)(?:[ \t]*\((?P<inside>/[^\s()]*)\)|:[ \t]+(?P<after>/\S*))\Z"
)
_TAG = re.compile(r"<(?:doc|page|document)\b(?P<attributes>[^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([A-Za-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class _Mark(NamedTuple):
    """Where a page begins: the line after which its text comes."""

    line: int
    url: str
    title: str


def read(text: str, harvest: Harvest) -> bool:
    """Read pages marked as such; False, and nothing read, where there are none."""
    lines = list(prose_lines(text))
    marks = list(islice(_marks(lines), harvest.at_most + 1))
    if len(marks) < FEWEST:
        return False
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        end = following.line if following else len(lines)
        title, opening = _opening(lines[mark.line + 1 : end])
        harvest.add(mark.url, title=mark.title or title, text=opening)
    return True


def _marks(lines: Sequence[str]) -> Iterator[_Mark]:
    heading, since = "", WITHIN
    at = 0
    while at < len(lines):
        line = lines[at]
        mark = _of_line(at, line, heading if since < WITHIN else None) or _of_matter(at, lines)
        level, text = heading_of(line)
        if mark:
            yield mark
            at, heading, since = mark.line, "", WITHIN
        elif level:
            heading, since = plain(text), 0
        elif line:
            since += 1
        at += 1


def _of_line(at: int, line: str, heading: str | None) -> _Mark | None:
    """A mark in one line; ``heading`` is the one just above, None where there is none."""
    if not line or len(line) > 1_000:
        return None
    level, text = heading_of(line)
    marked = _MARK.match(line)
    if marked:
        if level or line.lstrip().startswith("<!--"):
            return _Mark(at, marked["url"], "")
        return None if heading is None else _Mark(at, marked["url"], heading)
    if level in (1, 2):
        titled = _TITLE_WITH_PATH.match(text)
        return _Mark(at, titled["inside"] or titled["after"], plain(titled["title"])) if titled else None
    tag = _TAG.match(line.strip()) if "<" in line else None
    if tag:
        said = {
            name.lower(): double or single for name, double, single in _ATTRIBUTE.findall(tag["attributes"])
        }
        url = said.get("url") or said.get("href") or said.get("source")
        return _Mark(at, url, said.get("title", "")) if url else None
    return None


def _of_matter(at: int, lines: Sequence[str]) -> _Mark | None:
    """Front matter with a URL in it, from ``---`` to ``---``."""
    if lines[at] != "---":
        return None
    said: dict[str, str] = {}
    for number in range(at + 1, min(at + MAX_MATTER, len(lines))):
        line = lines[number]
        if line == "---":
            url = said.get("url") or said.get("source") or said.get("permalink")
            return _Mark(number, url, said.get("title", "")) if url else None
        entry = _MATTER.match(line)
        if entry:
            said[entry["name"].lower()] = entry["value"].strip().strip("\"'")
        elif not _MORE_MATTER.match(line):
            return None
    return None


def _opening(lines: Sequence[str]) -> tuple[str, str]:
    """First heading of a page, and its first words."""
    title = ""
    parts: list[str] = []
    size = 0
    for line in lines:
        level, text = heading_of(line)
        if level:
            title = title or plain(text)
        elif line.strip(" -=<>") and not _MARK.match(line):
            parts.append(plain(line))
            size += len(parts[-1]) + 1
            if size > MAX_TEXT and title:
                break
        if size > 20 * MAX_TEXT:
            break
    return title, " ".join(parts)
