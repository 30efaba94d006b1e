"""JavaScript that holds data → the data: ``Search.setIndex({…})``, ``x = JSON.parse('…')``, ``x = [...]``.

Read as data and never run: what is not a literal is no data. Knows no format; any text gives a value or None.
"""

import json
import re

MAX_DEPTH = 40
"""Of brackets in one another; indexes have about five, and Python's parser recurses for each."""

_OPENING = re.compile(r"[{\[]|JSON\.parse\(\s*(?P<quote>['\"`])")
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')|(?P<name>[A-Za-z_$][\w$]*|\d[\w.]*)(?=\s*:)|(?P<comma>,)(?=\s*[\]}])""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|\r\n|.)", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_NESTING = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|[{\[]|[}\]]", re.DOTALL)


def data_of(text: str) -> object | None:
    """The first object, list or JSON text of a file of JavaScript or JSON; None where there is none."""
    opening = _OPENING.search(text)
    if opening is None:
        return None
    if opening["quote"]:
        text = _quoted(text, opening.end(), opening["quote"])
        return _parsed(text)
    literal = text[opening.start() :]
    found = _parsed(literal)
    return found if found is not None else _parsed(_as_json(literal))


def _parsed(text: str) -> object | None:
    """JSON at the start of a text, whatever follows; None for what is none, or is nested beyond reason."""
    try:
        if _is_deep(text):
            return None
        found, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def _is_deep(text: str) -> bool:
    depth = 0
    for token in _NESTING.finditer(text):
        if token[0] in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif token[0] in "}]":
            depth -= 1
            if depth <= 0:
                return False
    return False


def _as_json(literal: str) -> str:
    """An object literal with names in quotes, strings in double ones, and no comma before a bracket."""
    return _TOKEN.sub(_token, literal)


def _token(match: re.Match[str]) -> str:
    if match["name"]:
        return f'"{match["name"]}"'
    if match["comma"]:
        return ""
    return match[0] if match[0][0] == '"' else json.dumps(_unescaped(match[0][1:-1]))


def _quoted(text: str, start: int, quote: str) -> str:
    end = re.compile(rf"(?:[^\\{quote}]|\\.)*+", re.DOTALL).match(text, start)
    return _unescaped(end[0]) if end else ""


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    escape = match[1]
    if escape[0] in "ux" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    return _NAMED.get(escape, escape)
