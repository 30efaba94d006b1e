"""Lines of Markdown as sites publish it for language models, and what a line says without its signs.

Knows fences, headings and emphasis; knows nothing of links to pages or of what the lines are for.
"""

import re
from collections.abc import Iterator

MAX_LINE = 4_000
"""Characters of a line that are looked at."""

HEADING = re.compile(r" {0,3}(?P<signs>#{1,6})[ \t]+(?P<text>.*)\Z")
_CLOSING_SIGNS = re.compile(r"[ \t]+#+\Z")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})")
_EMPHASIS = re.compile(r"[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|\\(?=[\W_])")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)")


def prose_lines(text: str) -> Iterator[str]:
    """Lines outside of code fences, cut to ``MAX_LINE``."""
    fence = ""
    for whole in text.splitlines():
        line = whole[:MAX_LINE].rstrip()
        match = _FENCE.match(line)
        if not fence and match is None:
            yield line
        elif match is not None and not fence:
            fence = match["fence"]
        elif match is not None and match["fence"].startswith(fence) and not line[match.end() :].strip():
            fence = ""


def heading_of(line: str) -> tuple[int, str]:
    """Level of a heading and its text as Markdown; (0, "") for another line."""
    match = HEADING.match(line)
    return (len(match["signs"]), _CLOSING_SIGNS.sub("", match["text"].strip())) if match else (0, "")


def plain(markdown: str) -> str:
    """Markdown of one line without its signs, links and pictures reduced to their text."""
    for _ in range(2):  # a picture may stand in a link
        markdown = _LINK.sub(r"\1", markdown)
    return _EMPHASIS.sub("", markdown).strip()
