"""A page as text: YAML front matter and a Markdown body, and back again.

Knows what a reader of the tree is told about a page, and how to say it so that no title, header or body
that a site may send can forge a line of it. Knows neither where files lie nor whether they exist.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import yaml

from adaptive_crawl.crawler.model import Page, Request

MAX_TITLE = 300
MAX_DESCRIPTION = 500
MAX_FRONT_MATTER = 64_000
"""Characters; ours stay below 10,000, and a file from other hands must not make the YAML parser toil."""

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_CHECKSUM = re.compile(r"^checksum: ([0-9a-f]{32})\n(?=---\n)", re.MULTILINE)
_BREAKS = re.compile("[\n\r\x85\u2028\u2029]")
_INVISIBLE = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Control characters, which steer terminals, and those that reverse the direction of what follows."""


def page_facts(
    page: Page, request: Request, *, referrer: str = "", query: str = "", timestamps: bool = True
) -> dict[str, Any]:
    """Gather a page's front matter, in the order in which it is written; what is unknown is left out.

    ``query`` is the one the page was fetched for: score and reason mean nothing without it once a tree
    has served two. ``crawl_time`` is RFC 3339 with zone; scores lie in 0..1.

    Args:
        referrer: URL of the page whose link led here.
        timestamps: False leaves ``crawl_time`` out.
    """
    facts: dict[str, Any] = {
        "source_url": page.url,
        "title": one_line(page.title, MAX_TITLE),
        "description": one_line(page.description, MAX_DESCRIPTION),
        "language": page.language,
        "depth": request.depth,
        "crawl_time": page.fetched_at if timestamps else "",
        "query": one_line(query, MAX_TITLE),
        "score": _rounded(request.score),
        "parts": {name: _rounded(value) for name, value in request.parts},
        "reason": reason_of(request),
        "referrer": referrer,
        "digest": f"sha256:{page.digest}",
        "etag": page.etag,
        "last_modified": page.last_modified,
        "canonical": page.canonical if page.canonical != page.url else "",
    }
    return {name: value for name, value in facts.items() if value not in ("", {}) or name == "title"}


def reason_of(request: Request) -> str:
    """Why a page was fetched, in one line: what the strategy said, else the words of the link."""
    anchor = one_line(request.anchor, MAX_DESCRIPTION)
    return one_line(request.reason, MAX_DESCRIPTION) or (f"link “{anchor}”" if anchor else "")


def page_body(page: Page, markdown: str) -> str:
    """A page's Markdown, or what can be said of a page that has none."""
    if markdown.strip():
        return markdown
    said = one_line(page.description, MAX_DESCRIPTION)
    return f"{said}\n" if said else "*This page has no text of its own.*\n"


def document(facts: Mapping[str, Any], body: str) -> str:
    """Join front matter and body. Lines end in ``\\n``, the body in exactly one.

    The last line of the front matter is a checksum of all the rest: by it an update that has nothing but the
    files can tell those that somebody edited.
    """
    start, rest = f"---\n{_as_yaml(facts)}", f"---\n\n{plain_lines(body)}\n"
    return f"{start}checksum: {_checksum(start + rest)}\n{rest}"


def plain_lines(text: str) -> str:
    """A body as it is written: one kind of line end, none around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def is_as_written(text: str) -> bool:
    """Whether a document is as ``document`` made it; other line ends, as Git makes them, do not count."""
    text = text.replace("\r\n", "\n")
    found = _CHECKSUM.search(text, 0, MAX_FRONT_MATTER)
    return found is not None and found[1] == _checksum(text[: found.start()] + text[found.end() :])


def _checksum(text: str) -> str:
    return hashlib.sha256(encode(text)).hexdigest()[:32]


def parse(text: str) -> tuple[dict[str, Any], str]:
    """Split a document into front matter, without its checksum, and body; what has no valid front matter is
    all body."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    found = _FRONT_MATTER.match(text, 0, MAX_FRONT_MATTER)
    if found is None:
        return {}, text
    try:
        facts = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError):  # a date such as 2026-99-99 is a ValueError
        return {}, text
    if not isinstance(facts, dict):
        return {}, text
    facts.pop("checksum", None)
    return facts, text[found.end() :].removeprefix("\n")


def encode(text: str) -> bytes:
    """UTF-8; halves of surrogate pairs, which no encoding can hold, become question marks."""
    return text.encode("utf-8", "replace")


def one_line(text: str, limit: int) -> str:
    """A text from a site as one clean line of at most ``limit`` characters."""
    line = " ".join(text[: 4 * limit].split()).translate(_INVISIBLE)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _rounded(value: float) -> float:
    """Four places: what no reader needs more of, and no platform computes differently."""
    return round(float(value), 4) + 0.0  # a zero without a sign


class _FrontMatterDumper(yaml.SafeDumper):
    """Block style, tables of figures in one line; the pure Python emitter, the same on every platform."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # PyYAML leaves NEL and U+2028 as they are, and its loader takes them for line ends.
    style = '"' if _BREAKS.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", encode(text).decode(), style=style)


def _represent_table(dumper: yaml.SafeDumper, table: dict[str, Any]) -> yaml.MappingNode:
    figures = all(isinstance(value, float) for value in table.values())
    return dumper.represent_mapping("tag:yaml.org,2002:map", table, flow_style=figures)


class _Facts(dict[str, Any]):
    """The front matter itself, which is no table."""


def _represent_facts(dumper: yaml.SafeDumper, facts: _Facts) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", facts, flow_style=False)


_FrontMatterDumper.add_representer(_Facts, _represent_facts)
_FrontMatterDumper.add_representer(str, _represent_text)
_FrontMatterDumper.add_representer(dict, _represent_table)


_SHOWN = r" -~\u00a1-\u02ff\u2010-\u2027\u3001-\u9fff"
"""Characters that YAML takes as they stand between quotes."""
_PLAIN = re.compile(
    rf"[A-Za-z\u00c0-\u02ff\u3041-\u9fff](?:[{_SHOWN}]*[!-9;-~\u00a1-\u02ff\u2010-\u2027\u3001-\u9fff])?"
)
"""Texts that YAML takes as they stand: a letter first, no colon at the end or before a space, no number sign
after one."""
_QUOTED = re.compile(
    rf"(?:[\[\]{{}}'\"&*!|>%@`#,][{_SHOWN}]*|[{_SHOWN}]*(?:: | #)[{_SHOWN}]*"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)(?<! )"
)
"""Texts that certainly need quotes: a mark of YAML's own in front or within, or the looks of a time."""
_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})
_NAME = re.compile("[a-z_]+")


def _as_yaml(facts: Mapping[str, Any]) -> str:
    """As the library writes it; what is plain at a glance without it, in a tenth of the time."""
    return "".join(_line(name, value) or _dumped({name: value}) for name, value in facts.items())


def _line(name: str, value: object) -> str:
    """One fact as YAML where that is plain at a glance, else nothing."""
    if isinstance(value, dict):
        figures = [f"{part}: {_figure(figure)}" for part, figure in value.items() if _is_name(part)]
        plain = len(figures) == len(value) > 0 and all(map(_figure, value.values()))
        text = "{" + ", ".join(figures) + "}" if plain else ""
    elif isinstance(value, str):
        text = _text(value)
    else:
        text = str(value) if type(value) is int else _figure(value)
    return f"{name}: {text}\n" if text and _is_name(name) else ""


def _text(value: str) -> str:
    if value[:1] != " " and _QUOTED.fullmatch(value):
        return "'" + value.replace("'", "''") + "'"
    return value if _PLAIN.fullmatch(value) and value.lower() not in _WORDS else ""


def _is_name(text: str) -> bool:
    return bool(_NAME.fullmatch(text)) and text not in _WORDS


def _figure(value: object) -> str:
    text = repr(value) if type(value) is float else ""
    return text if text.replace(".", "", 1).removeprefix("-").isdigit() else ""


def _dumped(facts: Mapping[str, Any]) -> str:
    return yaml.dump(
        _Facts(facts),
        Dumper=_FrontMatterDumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        width=float("inf"),
    )
