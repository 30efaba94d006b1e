"""Patterns on URLs, as a user writes them for ``scope.include`` and ``scope.exclude``.

Three forms, each matched against the whole URL:

- a glob: ``*`` is any run of characters, slashes included, ``?`` any one, ``[abc]`` one of them. It must
  begin with ``*`` or a scheme, since it has to cover all of the URL: ``https://*.example.com/docs/*``;
- a glob that begins with a slash covers path and query on any host: ``/docs/*``;
- ``re:`` and a regular expression, found anywhere in the URL unless anchored: ``re:/v[0-9]+/``.

A URL is tried as it was found, as its key, and with its percent-escapes undone, so that ``*/数据/*`` works.
Letters count as they stand. Knows nothing of what a match leads to.
"""

import fnmatch
import re
from collections.abc import Sequence
from urllib.parse import unquote

LONGEST = 1000
"""Characters of one pattern; more is no pattern but a list, and costs time on every link."""


def spellings(url: str, key: str) -> tuple[str, ...]:
    """Give the forms of a URL that patterns are tried on."""
    return tuple(dict.fromkeys((url, key, unquote(key)))) if "%" in key else (url, key)


class Pattern:
    """One pattern, compiled.

    Raises:
        ValueError: it is wrong, or can match no URL; says why, and what to write instead.
    """

    __slots__ = ("_match", "_of_path")

    def __init__(self, text: str) -> None:
        if not text.strip():
            raise ValueError("is empty; take it out")
        if len(text) > LONGEST:
            raise ValueError(f"has {len(text)} characters, {LONGEST} are allowed; write several patterns")
        self._of_path = text.startswith("/")
        self._match = _regex(text[3:]).search if text.startswith("re:") else _glob(text).match

    def fits(self, spellings: Sequence[str]) -> bool:
        """Tell whether the pattern fits a URL in one of its spellings."""
        if self._of_path:
            spellings = [_from_path(url) for url in spellings]
        return any(self._match(url) is not None for url in spellings)


def _from_path(url: str) -> str:
    start = url.find("/", url.find("://") + 3)
    return url[start:] if start >= 0 else "/"


def _regex(text: str) -> re.Pattern[str]:
    if not text:
        raise ValueError("has nothing behind re:; take it out")
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"is no regular expression ({error}); correct it, or write a glob") from error


def _glob(text: str) -> re.Pattern[str]:
    if "#" in text:
        raise ValueError("names a fragment, and URLs are compared without; leave out the # and what follows")
    if re.search(r"\{[^}]*,", text):
        raise ValueError("has braces, which globs here do not know; write one pattern for each alternative")
    if text[0] not in "/*" and not re.match(r"https?://|http\*|\[", text, re.IGNORECASE):
        raise ValueError(f"covers no whole URL; write '*{text}' or 'https://{text}' or, on the path, '/…'")
    return re.compile(fnmatch.translate(_lower_host(text)))


def _lower_host(text: str) -> str:
    """Lower scheme and host, which URLs carry in lower case."""
    head, scheme, rest = text.partition("://")
    if not scheme:
        return text
    host, slash, path = rest.partition("/")
    return f"{head.lower()}://{host.lower()}{slash}{path}"
