"""Markdown with absolute links → the same with relative ones where the page linked to is held.

Knows where CommonMark sees a link: not in fenced or indented code, code spans, raw HTML or escaped
brackets. What is no link is copied character by character. Knows no files: a function given says which
URL lies where. Time is linear in the length of the text, whatever the text.
"""

import html
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from .blocks import Chunk, chunks

PathOf = Callable[[str], PurePosixPath | None]
"""URL without fragment → where its page or file lies in the tree; None for what is not held."""

FragmentOf = Callable[[str, str], str]
"""URL without fragment of a page or file held, fragment → the fragment to lead to; empty for the top."""

MAX_DESTINATION = 8_192
"""Characters; a longer one is a data URL or an attack, and never the address of a page held."""
MAX_PARENTHESES = 32
"""Nesting in one destination, as in cmark; it also bounds how far a broken one is read."""

_MARK = re.compile(r"[\\`<\[\]]")
_PLAIN = re.compile(r"\[(?:[^\[\]`\\<]++|`[^`\[\]]++`)*+\]\((https?://[^\s()<>\\&]++)\)")
"""Nine links of ten: nothing in them that could be read in two ways."""
_AUTOLINK = re.compile(r"<(https?://[^\s<>]*)>", re.IGNORECASE)
_RAW_HTML = re.compile(r"<[A-Za-z/!?][^<>]*>")
_BACKTICKS = re.compile(r"`+")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_OPEN = re.compile(r"\([ \t\n]*")
_BRACKETED = re.compile(r"<((?:[^<>\n\\]|\\.)*)>")
_PIECE = re.compile(r"[^\s()\\]+|\\[!-/:-@\[-`{-~]|\\|[()]")
_CLOSE = re.compile(
    r"""(?:\s++(?:(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))\s*+)?+)?+\)""", re.DOTALL
)
_DEFINITION = re.compile(r"\[(?!\^)(?:[^\[\]\\\n]|\\.){1,999}\]:[ \t]*\n?[ \t]*")
_DEFINITION_END = re.compile(r"""(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*(?:\n|\Z)""")
_LINE_PREFIX = re.compile(r"(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*")
_TEXT_ESCAPE = re.compile(r"([\\`*_\[\]<>|~])")
_LOCAL = re.compile(r"([^\s()<>#]+)(?:#[^\s()<>]*)?")
"""What ``relative`` writes, and a fragment."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._~/@!$,;=+'\-]")


@dataclass(frozen=True, slots=True)
class _Destination:
    """Where a link's address stands: ``markdown[start:end]``, brackets included."""

    start: int
    end: int
    url: str
    autolink: bool = False


def localize(
    markdown: str,
    page_path: PurePosixPath,
    path_of: PathOf,
    fragment_of: FragmentOf = lambda url, fragment: fragment,
    *,
    places: Sequence[int] | None = None,
) -> str:
    """Make the links of one page to pages and files held relative to it.

    Links, images, reference definitions and ``<https://...>`` are rewritten; an address in running text
    stays, since there it is what the reader is shown.

    Args:
        places: ``Page.places``; None has them looked for.
    """
    if "://" not in markdown:
        return markdown
    pieces: list[str] = []
    done = 0
    known: dict[str, PurePosixPath | None] = {}
    for found in _destinations(markdown) if places is None else _placed(markdown, places):
        url, _, fragment = found.url.partition("#")
        path = known[url] if url in known else known.setdefault(url, path_of(url))
        if path is None or (found.autolink and markdown[found.start - 1 : found.start] == "!"):
            # "!<url>" would become an image.
            continue
        fragment = fragment and fragment_of(url, fragment)
        local = relative(page_path, path)
        if fragment:
            local += "#" + readable_percent(fragment, keep="%?&:")
        if found.autolink:
            local = f"[{_TEXT_ESCAPE.sub(_escaped, found.url)}]({local})"
        pieces += (markdown[done : found.start], local)
        done = found.end
    return "".join(pieces) + markdown[done:]


def led_to(markdown: str, localized: str, page_path: PurePosixPath) -> dict[str, PurePosixPath]:
    """Which files the links of a page were made to lead to: URL → path, told from ``localize``'s result.

    What was made of the text in any other way ends the comparison; what was found until there is told.
    """
    found: dict[str, PurePosixPath] = {}
    done = at = 0
    for link in _destinations(markdown):
        between = markdown[done : link.start]
        if not localized.startswith(between, at):
            break
        at, done = at + len(between), link.end
        if localized.startswith(markdown[link.start : link.end], at):
            at += link.end - link.start
            continue
        if link.autolink:
            text = f"[{_TEXT_ESCAPE.sub(_escaped, link.url)}]("
            at += len(text) if localized.startswith(text, at) else 0
        local = _LOCAL.match(localized, at)
        path = _resolved(page_path, local[1]) if local else None
        if local is None or path is None:
            break
        found[link.url.partition("#")[0]] = path
        at = local.end() + link.autolink
    return found


def _resolved(page_path: PurePosixPath, local: str) -> PurePosixPath | None:
    """The path that a relative link leads to; None for one that leaves the tree."""
    parts = list(page_path.parent.parts)
    for part in local.split("/"):
        if part != "..":
            parts.append(unquote(part))
        elif not parts:
            return None
        else:
            parts.pop()
    return PurePosixPath(*parts) if parts else None


def relative(page_path: PurePosixPath, target: PurePosixPath) -> str:
    """The link from one file of the tree to another, percent-encoded where Markdown or URLs need it.

    Letters of any script stay readable: ``../指南/安装%20一.md``.
    """
    here, there = page_path.parent.parts, target.parts
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    steps = [".."] * (len(here) - shared) + [readable_percent(part) for part in there[shared:]]
    return "/".join(steps)


def readable_percent(text: str, keep: str = "") -> str:
    return _UNSAFE.sub(lambda found: _percent_one(found[0], keep), text)


def _percent_one(character: str, keep: str) -> str:
    if character in keep or (not character.isascii() and character.isprintable() and not character.isspace()):
        return character
    return quote(character, safe="", errors="replace")


def _escaped(found: re.Match[str]) -> str:
    return "\\" + found[1]


def _placed(markdown: str, places: Sequence[int]) -> Iterator[_Destination]:
    """The absolute http(s) addresses of a text whose links are known."""
    for start, end in zip(places[::2], places[1::2], strict=True):
        written = markdown[start:end]
        autolink = written.startswith("<")
        url = _unescaped(written.strip("<>"))
        if _is_web(url):
            yield _Destination(start, end, url, autolink)


def _destinations(markdown: str) -> Iterator[_Destination]:
    """Every absolute http(s) address that is a link, in order."""
    for chunk in chunks(markdown):
        if markdown.find("://", chunk.start, chunk.end) >= 0:
            yield from _Inline(markdown, chunk).destinations()


class _Inline:
    """Reads the inline content of one paragraph, heading or table cell."""

    def __init__(self, markdown: str, chunk: Chunk) -> None:
        self._text = markdown
        self._start, self._end = chunk.start, chunk.end
        self._cell = chunk.cell
        self._brackets: list[int] = []
        """Offsets of ``[`` that wait for their ``]``."""
        self._dead = 0
        """So many of them, from the outermost, hold a link already: a link holds no link, an image may."""
        self._comments_end = True
        self._runs: dict[int, list[int]] | None = None

    def destinations(self) -> Iterator[_Destination]:
        at, defined = self._definitions()
        yield from defined
        while (mark := _MARK.search(self._text, at, self._end)) is not None:
            at = mark.start()
            match mark[0]:
                case "\\":
                    at += 2
                case "`":
                    at = self._after_backticks(at)
                case "<":
                    found, at = self._angle(at)
                    if found is not None:
                        yield found
                case "[":
                    found, at = self._opening(at)
                    if found is not None:
                        yield found
                case "]":
                    found, at = self._closing(at)
                    if found is not None:
                        yield found

    def _definitions(self) -> tuple[int, list[_Destination]]:
        """Link reference definitions stand at the start of a paragraph, one a line."""
        at = self._start
        found: list[_Destination] = []
        while not self._cell and self._text.find("]:", at, self._end) >= 0:
            begin = _LINE_PREFIX.match(self._text, at, self._end)
            label = _DEFINITION.match(self._text, begin.end() if begin else at, self._end)
            destination = self._destination(label.end()) if label else None
            end = _DEFINITION_END.match(self._text, destination.end, self._end) if destination else None
            if destination is None or end is None:
                break
            if _is_web(destination.url):
                found.append(destination)
            at = end.end()
        return at, found

    def _backtick_runs(self) -> dict[int, list[int]]:
        runs: dict[int, list[int]] = defaultdict(list)
        for run in _BACKTICKS.finditer(self._text, self._start, self._end):
            runs[run.end() - run.start()].append(run.start())
        return runs

    def _after_backticks(self, at: int) -> int:
        """The end of the code span that starts here, or of the backticks when none does."""
        run = _BACKTICKS.match(self._text, at, self._end)
        length = run.end() - at if run else 1
        if self._runs is None:
            self._runs = self._backtick_runs()
        same = self._runs.get(length, [])
        later = bisect_right(same, at)
        return (same[later] if later < len(same) else at) + length

    def _angle(self, at: int) -> tuple[_Destination | None, int]:
        autolink = _AUTOLINK.match(self._text, at, self._end)
        if autolink is not None:
            url = autolink[1].replace("\\|", "|") if self._cell else autolink[1]
            return _Destination(at, autolink.end(), url, autolink=True), autolink.end()
        if self._text.startswith("<!--", at):
            return None, self._after_comment(at)
        tag = _RAW_HTML.match(self._text, at, self._end)
        return None, tag.end() if tag else at + 1

    def _after_comment(self, at: int) -> int:
        end = self._text.find("-->", at + 2, self._end) if self._comments_end else -1
        # Where one comment has no end, none after it has: looked for once.
        self._comments_end = end >= 0
        return end + 3 if end >= 0 else at + 1

    def _opening(self, at: int) -> tuple[_Destination | None, int]:
        plain = _PLAIN.match(self._text, at, self._end)
        if plain is None:
            self._brackets.append(at)
            return None, at + 1
        if not self._is_image(at):
            self._dead = len(self._brackets)
        return _Destination(*plain.span(1), plain[1]), plain.end()

    def _is_image(self, at: int) -> bool:
        return at > self._start and self._text[at - 1] == "!"

    def _closing(self, at: int) -> tuple[_Destination | None, int]:
        if not self._brackets:
            return None, at + 1
        opening = self._brackets.pop()
        dead = len(self._brackets) < self._dead
        self._dead = min(self._dead, len(self._brackets))
        image = self._is_image(opening)
        if dead and not image:
            return None, at + 1
        opened = _OPEN.match(self._text, at + 1, self._end)
        destination = self._destination(opened.end()) if opened else None
        closed = _CLOSE.match(self._text, destination.end, self._end) if destination else None
        if destination is None or closed is None:
            return None, at + 1
        if not image:
            self._dead = len(self._brackets)
        return destination if _is_web(destination.url) else None, closed.end()

    def _destination(self, at: int) -> _Destination | None:
        limit = min(self._end, at + MAX_DESTINATION)
        bracketed = _BRACKETED.match(self._text, at, limit)
        if bracketed is not None:
            return _Destination(at, bracketed.end(), _unescaped(bracketed[1]))
        end, depth = at, 0
        while (piece := _PIECE.match(self._text, end, limit)) is not None:
            if piece[0] == "(":
                depth += 1
            elif piece[0] == ")":
                if depth == 0:
                    break
                depth -= 1
            if depth > MAX_PARENTHESES:
                return None
            end = piece.end()
        if end == at or depth or end == at + MAX_DESTINATION:
            return None
        return _Destination(at, end, _unescaped(self._text[at:end]))


def _is_web(url: str) -> bool:
    return url[:8].lower().startswith(("http://", "https://"))


def _unescaped(destination: str) -> str:
    plain = _ESCAPE.sub(r"\1", destination)
    return _ENTITY.sub(lambda found: html.unescape(found[0]), plain)
