"""llms.txt (https://llmstxt.org): lists of pages that a site recommends to language models, in Markdown.

The proposal wants list items, a link first, then a colon and what the page is about, under headings of the
second level. What sites publish under that name is only roughly that, so every line that is about one link
counts: items, lines of their own, rows of tables, bare URLs with a name before them. A link inside a sentence
is an aside. Code is none of it.
"""

import re
from typing import NamedTuple

from .entry import Harvest
from .lines import heading_of, plain, prose_lines

_LINK = re.compile(
    r"(?<!!)\[(?P<text>(?:[^\[\]\\]|\\.|!?\[[^\[\]]{0,200}\](?:\([^()\s]{0,500}\))?){1,400})\]"
    r"\(\s*(?P<target><[^<>]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
_BARE = re.compile(r"<?(?P<url>https?://[^\s<>\"')\]|]+)>?", re.IGNORECASE)
_ITEM = re.compile(r"[\s>]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_SEPARATOR = re.compile(r"[\s*_`:|–—‒-]+")
_CHILD = re.compile(r"(?:\A|/)llms(?:-[\w-]+)?\.txt\Z", re.IGNORECASE)


class _Link(NamedTuple):
    target: str
    title: str
    text: str


def read(text: str, harvest: Harvest) -> None:
    """Read a list of links; those to other llms.txt are children."""
    above: list[tuple[int, str]] = []
    for line in prose_lines(text):
        if harvest.is_full:
            return
        level, heading = heading_of(line)
        if level:
            # The first level is the site's name.
            above = [
                *(pair for pair in above if pair[0] < level),
                *([(level, plain(heading))] if level > 1 else []),
            ]
            continue
        link = _of_row(line) if line.lstrip().startswith("|") else _of_line(line)
        if link is None:
            continue
        if _CHILD.search(link.target.partition("?")[0].partition("#")[0]):
            harvest.add_child(link.target)
        else:
            section = " › ".join(name for _, name in above if name)
            harvest.add(link.target, title=link.title, text=link.text, section=section)


def _of_line(line: str) -> _Link | None:
    item = _ITEM.match(line)
    body = line[item.end() :] if item else line.lstrip(" \t>")
    found = _LINK.search(body)
    if found is None:
        return _bare(body, item is not None)
    before = _SEPARATOR.sub("", body[: found.start()])
    if before and item is None:
        return None
    return _linked(found, f"{body[: found.start()]} {body[found.end() :]}")


def _bare(body: str, is_item: bool) -> _Link | None:
    """``https://…``, ``Name: https://…``, ``https://…: what it is``."""
    found = _BARE.search(body)
    if found is None or (found.start() and not is_item):
        return None
    name = _SEPARATOR.sub(" ", plain(body[: found.start()])).strip()
    return _Link(found["url"].rstrip(".,;:"), name, _said(body[found.end() :]))


def _of_row(line: str) -> _Link | None:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    for number, cell in enumerate(cells):
        found = _LINK.search(cell)
        if found:
            return _linked(found, " ".join([*cells[:number], cell[found.end() :], *cells[number + 1 :]]))
    return None


def _linked(link: re.Match[str], rest: str) -> _Link:
    return _Link(link["target"].strip("<>"), plain(link["text"]), _said(rest))


def _said(rest: str) -> str:
    """What a line says of its link, without what separates the two."""
    separator = _SEPARATOR.match(rest)
    return plain(rest[separator.end() :] if separator else rest).rstrip(" :|–—-")
