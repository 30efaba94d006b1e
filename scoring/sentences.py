"""A passage's Markdown → the sentences in it that say something to a reader who sees nothing else.

Knows how prose is told from code, tables, menus and crumbs, and where a sentence ends in scripts with and
without spaces. Knows no query and ranks nothing.
"""

import re
from collections.abc import Iterator

from adaptive_crawl.crawler.reading.passages import plain

MIN_LETTERS = 20
"""Shorter ones are labels and answers to something that is not quoted."""
MIN_LETTERS_CJK = 8
MAX_CHARS = 320
"""A summary quotes sentences, not paragraphs; a longer one is legal text or lost punctuation."""
MAX_TEXT = 20_000
"""Characters of one passage that are looked at; the reader makes none longer than a tenth of it."""

_FENCE = re.compile(r"(?:[-*+]|\d{1,9}[.)])? *(`{3,}|~{3,})")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)]) +(?:\[[ xX]\] +)?")
_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]{0,2}\s+(?=[^\sa-z])"  # 3.11 and e.g. this are no ends
    r"|(?<=[。！？｡])(?![」』”’）)])|(?<=[。！？｡][」』”’）)])"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“])(?:e\.g|i\.e|etc|cf|vs|ca|approx|resp|incl|fig|figs|eq|nos|vol|pp|eds|al"
    r"|dr|mr|mrs|ms|prof|jr|sr|inc|ltd|corp|dept|est|z\.b|u\.a|bzw|usw|ggf|p\.ej|[A-Za-z])\.$",
    re.IGNORECASE,
)
_TERMINATOR = re.compile("[.!?…。！？｡]")
_TERMINATED = re.compile(r"[.!?…。！？｡][\"'”’)\]」』）]{0,2}$")
_NO_LETTERS = re.compile(r"[\W\d_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CRUMB_MARKS = re.compile(r"[»›→←>|•·]|\s/\s")
_NOT_PROSE = re.compile(r"https?://|[{}=<>|]|\w\(|\$ |--\w")


def sentences(markdown: str) -> Iterator[str]:
    """The whole sentences of a passage, in order, as plain text in one line each."""
    for paragraph in _paragraphs(markdown[:MAX_TEXT]):
        if len(paragraph) < MIN_LETTERS_CJK or not _TERMINATOR.search(paragraph):
            continue
        for sentence in _split(plain(paragraph)):
            if _tells(sentence):
                yield sentence


def _paragraphs(markdown: str) -> Iterator[str]:
    """Paragraphs and list items, their lines joined; code, tables and headings left out."""
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        text = line.strip(" \t>")
        if fence:
            fence = "" if text.startswith(fence) and not text.strip(fence[0]) else fence
            continue
        opening = _FENCE.match(text)
        item = _ITEM.match(text)
        indented = not lines and line.startswith(("    ", "\t")) and item is None
        if opening or item or not text or text[0] in "#|" or indented:
            if lines:
                yield " ".join(lines)
            lines = [text[item.end() :]] if item and not opening else []
            fence = opening[1] if opening else ""
        else:
            lines.append(text)
    if lines:
        yield " ".join(lines)


def _split(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        if end.start() == start or _ABBREVIATION.search(text, start, end.start()):
            continue
        yield text[start : end.end()].strip()
        start = end.end()
    if start < len(text):
        yield text[start:].strip()


def _tells(sentence: str) -> bool:
    """Whether a sentence is prose, whole, and long enough to be understood alone."""
    if len(sentence) > MAX_CHARS or not _TERMINATED.search(sentence):
        return False
    letters = sum(map(str.isalpha, sentence))
    in_cjk = not sentence.isascii() and len(_CJK.findall(sentence)) * 2 > letters
    least = MIN_LETTERS_CJK if in_cjk else MIN_LETTERS
    if letters < least or letters < 0.6 * len(sentence.replace(" ", "")):
        return False
    return len(_CRUMB_MARKS.findall(sentence)) < 2 and len(_NOT_PROSE.findall(sentence)) < 3
