"""Plain text and Markdown served as such → a page: the text is kept, links are found in it.

Plain text becomes Markdown that shows the same characters: a fenced block where its layout carries meaning
(indentation, tables, code), paragraphs otherwise.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote

from ..fetching.response import Response
from ..model import Link, Mark, Page
from ..urls import DropRules, canonicalize, path, resolve
from .anchors import markdown_anchors
from .code import fenced
from .hyperlinks import MAX_CONTEXT, MAX_LINKS, bare_urls
from .likeness import sketch
from .passages import passages_of, plain
from .prose import escape
from .targets import is_static
from .tree import collapse

MAX_TITLE_LINE = 200

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufdd0-\ufdef]")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<matter>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MATTER_TITLE = re.compile(r"(?m)^title:[ \t]*(.+?)[ \t]*$")
_ATX = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$")
_SETEXT = re.compile(r"(?m)^(\S.*)\n(?:=+|-+)[ \t]*$")
_INLINE = re.compile(
    r"(?<!!)(?<!\\)\[(?P<text>(?:[^\[\]\\]|\\.|!?\[[^\[\]]*\])*)\]"
    r"\(\s*<?(?P<url>[^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:[ \t]+[\"'(][^\"'()\n]{0,300}[\"')])?[ \t]*\)"
    r"|<(?P<auto>https?://[^<>\s]+)>"
)
_DEFINITION = re.compile(r"(?m)^ {0,3}\[(?P<text>[^\]^\n]+)\]:[ \t]*<?(?P<url>[^\s<>]+)>?")
_CODE = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?<![`\\])(?P<ticks>`+)(?!`)(?:[^`]|(?!(?P=ticks)(?!`))`)*?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_LAID_OUT = re.compile(r"(?m)^(?:\t| {2,})\S|\S {3,}\S|^[|+]")


def read(response: Response, text: str, is_markdown: bool, media_type: str, drop: DropRules) -> Page:
    """A page of a text; its links are Markdown links, and URLs written in it."""
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
    title = ""
    if is_markdown:
        matter = _FRONT_MATTER.match(text)
        if matter:
            found = _MATTER_TITLE.search(matter["matter"])
            title = found[1].strip("\"'") if found else ""
            text = text[matter.end() :].lstrip("\n")
    markdown = (text if is_markdown else _as_markdown(text)) + "\n"
    found_links = list(_links(markdown, response.final_url, drop))
    refs: dict[str, str] = {}
    marks: list[Mark] = []
    links: list[Link] = []
    for offset, link in found_links:
        if offset >= 0 and not is_static(link.url):
            ref = refs.setdefault(link.key, f"L{len(refs) + 1}")
            marks.append(Mark(offset, ref))
            links.append(_with(link, ref))
        else:
            links.append(link)
    title = title or _title(markdown, text, response.final_url, is_markdown)
    return Page(
        url=response.url,
        key=canonicalize(response.url, drop),
        title=title,
        language=response.headers.get("content-language", "").partition(",")[0].strip().lower(),
        description="",
        markdown=markdown,
        marks=tuple(marks),
        links=tuple(links),
        passages=passages_of(markdown),
        digest=hashlib.sha256(markdown.encode("utf-8", "replace")).hexdigest(),
        size=len(response.body),
        media_type=media_type,
        fetched_at=response.fetched_at,
        etag=response.headers.get("etag", ""),
        last_modified=response.headers.get("last-modified", ""),
        anchors=markdown_anchors(_headings(markdown)) if is_markdown else (),
        sketch=sketch(markdown, title),
        noindex="noindex" in response.headers.get("x-robots-tag", "").lower(),
        nofollow="nofollow" in response.headers.get("x-robots-tag", "").lower(),
    )


def _as_markdown(text: str) -> str:
    """Plain text as Markdown: its paragraphs, each as it is, or in a fence where blanks place things."""
    if len(_LAID_OUT.findall(text)) * 20 > text.count("\n") + 1:
        return fenced(text, "")
    paragraphs = re.split(r"\n{2,}", text)
    return "\n\n".join(
        "\\\n".join(_line(line) for line in part.split("\n") if line.strip()) for part in paragraphs
    )


def _line(line: str) -> str:
    parts: list[str] = []
    at = 0
    for start, end in bare_urls(line):
        parts += [escape(line[at:start]), line[start:end]]
        at = end
    text = "".join([*parts, escape(line[at:])]).strip()
    return re.sub(
        r"\A(#{1,6}(?= |\Z)|[-+*](?= |\Z)|>|=+\Z|-+\Z)",
        r"\\\1",
        re.sub(r"\A(\d{1,9})([.)](?: |\Z))", r"\1\\\2", text),
    )


def _links(markdown: str, base: str, drop: DropRules) -> Iterator[tuple[int, Link]]:
    """Links in order of place, with the offset of their mark; those in code are none."""
    code = [match.span() for match in _CODE.finditer(markdown)]
    found: list[tuple[int, int, str, str]] = []
    for match in _INLINE.finditer(markdown):
        found.append((match.start(), match.end(), match["url"] or match["auto"], match["text"] or ""))
    taken = [(start, end) for start, end, _, _ in found]
    for match in _DEFINITION.finditer(markdown):
        found.append((match.start(), -1, match["url"], match["text"]))
        taken.append(match.span())
    taken.sort()
    found += [
        (start, end, markdown[start:end], "")
        for start, end in bare_urls(markdown)
        if not _covers(taken, start)
    ]
    found.sort()
    for start, end, href, text in found[:MAX_LINKS]:
        url = resolve(base, href) if not href.startswith("#") else None
        if url is None or _covers(code, start):
            continue
        begin = max(markdown.rfind("\n", max(0, start - MAX_CONTEXT), start) + 1, start - MAX_CONTEXT, 0)
        line = collapse(markdown[begin : begin + 3 * MAX_CONTEXT].partition("\n")[0])
        yield (
            end,
            Link(
                url=url,
                key=canonicalize(url, drop),
                anchor=plain(text)[:300],
                context=plain(line)[:MAX_CONTEXT],
                found_on=canonicalize(base, drop),
            ),
        )


def _headings(markdown: str) -> list[str]:
    """The headings of Markdown in order, those in code left out."""
    code = [match.span() for match in _CODE.finditer(markdown)]
    found = [*_ATX.finditer(markdown), *_SETEXT.finditer(markdown)]
    found.sort(key=lambda match: match.start())
    return [match[1] for match in found if not _covers(code, match.start())]


def _covers(spans: list[tuple[int, int]], place: int) -> bool:
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][1] <= place:
            low = middle + 1
        else:
            high = middle
    return low < len(spans) and spans[low][0] <= place


def _with(link: Link, ref: str) -> Link:
    return Link(link.url, link.key, link.anchor, link.context, link.heading, link.found_on, ref)


def _title(markdown: str, text: str, url: str, is_markdown: bool) -> str:
    if is_markdown:
        heading = _ATX.search(markdown) or _SETEXT.search(markdown)
        if heading:
            return plain(heading[1])[:MAX_TITLE_LINE]
    first = next((line.strip() for line in text.split("\n") if line.strip(" \t=-#*")), "")
    if first and len(first) <= MAX_TITLE_LINE / 2:
        return plain(first) if is_markdown else first
    return unquote(PurePosixPath(path(url)).name) or first[:80]
