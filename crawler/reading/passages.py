"""Markdown → passages: the page cut at its headings, and long sections at their paragraphs.

A passage is Markdown whose links are reduced to their text. Code stays whole and with the paragraph before
it, as far as it is short enough to be quoted.
"""

import re
from collections.abc import Iterator

from ..model import Passage

TARGET_WORDS = 120
"""A passage is closed once it has so many words; a CJK character counts as half a word."""
MAX_CHARS = 1_500
MAX_PASSAGES = 2_000

_HEADING = re.compile(r"(#{1,6}) +(.*)\Z")
_FENCE = re.compile(r" *(?:[-*]|\d+[.)])? *(`{3,}|~{3,})")
_TOKEN = re.compile(
    r"\\[\s\S]|(?P<code>`+)|(?P<open>!?\[)|(?P<target>\]\((?:[^()\s\\]|\([^()\s\\]*\))*\))|(?P<close>\])"
    r"|<(?P<auto>https?://[^<>\s]+)>"
)
_WORDS = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_SIGN = re.compile(r"(?<!\\)(?:\*{1,3}|`+)|</?(?:su[bp]|em|strong|del)>")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def passages_of(markdown: str) -> tuple[Passage, ...]:
    """Passages of a page in order, each under the path of headings it stands below."""
    found: list[Passage] = []
    path: list[tuple[int, str]] = []
    waiting: list[str] = []

    def close() -> None:
        if waiting:
            heading = tuple(text for _, text in path)
            found.extend(Passage(heading, text) for text in _sized(waiting))
            waiting.clear()

    for block in _blocks(markdown):
        heading = _HEADING.match(block)
        if heading is None:
            waiting.append(_without_links(block))
            continue
        close()
        if len(found) >= MAX_PASSAGES:
            break
        level = len(heading[1])
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, plain(heading[2])))
    close()
    return tuple(found[:MAX_PASSAGES])


def plain(text: str) -> str:
    """Markdown of one line as plain text: no links, code signs, emphasis or escapes."""
    text = _SIGN.sub("", _without_links(text))
    return (_ESCAPE.sub(r"\1", text) if "\\" in text else text).strip()


def _blocks(markdown: str) -> Iterator[str]:
    """Blocks apart by blank lines, fenced code whole."""
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        if fence:
            lines.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif line.strip():
            lines.append(line)
            opening = _FENCE.match(line.lstrip("> "))
            fence = (
                opening[1] if opening and "`" not in line[line.index(opening[1]) + len(opening[1]) :] else ""
            )
        elif lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _sized(blocks: list[str]) -> Iterator[str]:
    """Blocks of one section, put together to passages of a good size."""
    current: list[str] = []
    words = size = 0
    pieces = [piece for block in blocks for piece in _pieces(block)]
    for piece in pieces:
        length = len(piece) + 2
        is_code = _is_code(piece)
        full = words >= TARGET_WORDS and not (is_code and words < 2 * TARGET_WORDS)
        if current and (full or size + length > MAX_CHARS):
            yield "\n\n".join(current)
            current, words, size = [], 0, 0
        current.append(piece)
        words += word_count(piece)
        size += length
    if current:
        yield "\n\n".join(current)


def _pieces(block: str) -> Iterator[str]:
    """A block, cut at lines, else at sentences, else anywhere, where it is longer than a passage may be."""
    if len(block) <= MAX_CHARS - 2:
        yield block
        return
    current = ""
    for part in _parts(block):
        if current and len(current) + len(part) > MAX_CHARS - 2:
            yield current.strip("\n")
            current = ""
        current += part
    if current.strip():
        yield current.strip("\n")


def _parts(block: str) -> Iterator[str]:
    limit = MAX_CHARS - 2
    for line in block.splitlines(keepends=True):
        if len(line) <= limit:
            yield line
            continue
        for sentence in _SENTENCE.split(line):
            for at in range(0, len(sentence), limit - 1):
                piece = sentence[at : at + limit - 1]
                yield piece if at + limit - 1 < len(sentence) or piece.endswith("\n") else piece + " "


def _is_code(piece: str) -> bool:
    return _FENCE.match(piece.lstrip("> ")) is not None


def word_count(text: str) -> int:
    """Words of a text; two characters of a script without spaces count as one."""
    return len(_WORDS.findall(text)) + len(_CJK.findall(text)) // 2


def _without_links(text: str) -> str:
    """Links and images as their text; in one pass, for brackets can be as many as a page likes."""
    if ("](" not in text and "<http" not in text) or "```" in text or "~~~" in text:
        return text
    parts: list[str] = []
    opened: list[int] = []
    at = 0
    for match in _TOKEN.finditer(text):
        if match.start() < at:
            continue
        parts.append(text[at : match.start()])
        at = match.end()
        if match["code"]:
            end = text.find(match["code"], at)
            if 0 <= end - at <= MAX_CHARS:
                at = end + len(match["code"])
            parts.append(text[match.start() : at])
        elif match["open"]:
            opened.append(len(parts))
            parts.append(match[0])
        elif match["target"] and opened:
            parts[opened.pop()] = ""
        elif match["auto"]:
            parts.append(match["auto"])
        else:
            if match["close"] and opened:
                opened.pop()
            parts.append(match[0])
    return "".join([*parts, text[at:]])
