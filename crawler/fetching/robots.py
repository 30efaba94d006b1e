"""robots.txt → may this agent fetch this URL, and how slowly (RFC 9309).

Splits a file into groups and picks the agent's own; the patterns of the rules are protego's work. Knows
nothing of how the file was fetched, when, or what the crawl wants.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Self

from protego import Protego

from ..model import RobotsFile

SIZE_LIMIT = 500 * 1024
"""Bytes that a crawler must read at least (RFC 9309, 2.5); what comes after them is ignored."""

_DIRECTIVE = re.compile(r"\s*([A-Za-z][A-Za-z\- ]*?)\s*:\s*(.*)|\s*([A-Za-z\-]+)\s+(\S+)\s*$")

_FIELDS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "user-agent"),
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
    "allow": "allow",
    **dict.fromkeys(("crawl-delay", "crawldelay", "crawl delay"), "crawl-delay"),
}
"""Spellings that site owners are known to use (Google's parser accepts the same)."""


class Robots:
    """What one origin's robots.txt says, to any agent."""

    def __init__(self, status: int, text: str) -> None:
        # 429 says "not now", not "there is none" (as Google reads it, too).
        self._refuses_all = status in (0, 429) or status >= 500
        self._lines = tuple(_directives(text)) if 200 <= status < 300 else ()
        self._rules: dict[str, Protego] = {}

    @classmethod
    def parse(cls, file: RobotsFile) -> Self:
        """Read a file, or what its absence means: 4xx allows all, 5xx and no answer refuse all (2.3.1)."""
        return cls(file.status, file.text)

    def allows(self, url: str, agent: str) -> bool:
        """Tell whether the agent, given as product token or whole User-Agent, may fetch the URL."""
        if self._refuses_all:
            return False
        if not self._lines:
            return True
        return self._of(agent).can_fetch(url, "*")

    def crawl_delay(self, agent: str) -> float | None:
        """Give the seconds that the agent should leave between requests; None where nothing is said."""
        if not self._lines:
            return None
        return self._of(agent).crawl_delay("*")

    def _of(self, agent: str) -> Protego:
        token = product_token(agent).lower()
        if token not in self._rules:
            self._rules[token] = Protego.parse("\n".join(_own_group(self._lines, token)))
        return self._rules[token]


def decode(body: bytes) -> str:
    """Give the text of a robots.txt: UTF-8, a byte order mark taken off, cut after the last whole line.

    Half a rule says something else than the rule: ``Disallow: /`` is the start of ``Disallow: /private``.
    """
    if len(body) > SIZE_LIMIT:
        body = body[:SIZE_LIMIT]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    return body.decode("utf-8-sig", "replace")


@lru_cache(maxsize=16)
def product_token(agent: str) -> str:
    """Give the name that robots.txt groups call an agent by: ``Foo`` of ``Foo/1.2 (+https://foo.example)``.

    Of ``Mozilla/5.0 (compatible; Foo/1.2)`` it is ``Foo`` as well.
    """
    if match := re.search(r"compatible;\s*([^\s/;)]+)", agent):
        return match[1]
    match = re.match(r"\s*([^\s/*]+)", agent)
    return match[1] if match else "*"


def _directives(text: str) -> Iterator[tuple[str, str]]:
    for line in re.split(r"[\r\n]+", text.removeprefix("\ufeff")):
        match = _DIRECTIVE.match(line.partition("#")[0])
        if match is None:
            continue
        field = _FIELDS.get((match[1] or match[3]).lower(), "")
        if field:
            yield field, (match[2] or match[4] or "").strip()


def _own_group(lines: tuple[tuple[str, str], ...], token: str) -> Iterator[str]:
    """Give the lines that apply to the agent, as one group for ``*``.

    All groups that name it, together; where none does, those for ``*`` (2.2.1). Only this group reaches
    protego, which copies each rule for each agent named: a file of 500 KiB could fill the memory.
    """
    named = any(field == "user-agent" and _names(value) == token for field, value in lines)
    wanted = token if named else "*"
    yield "User-agent: *"
    applies, after_rule = False, True
    for field, value in lines:
        if field == "user-agent":
            applies = (applies and not after_rule) or _names(value) == wanted
            after_rule = False
            continue
        # Sitemaps and unknown lines never got here: they must not end the list of agents (2.2.4). A crawl
        # delay, which is obeyed, does, or a delay for all would join the next agent's prohibition.
        after_rule = True
        if applies and value:
            yield f"{field}: {value}"


def _names(value: str) -> str:
    if re.match(r"\*(\s|$)", value):
        return "*"
    match = re.match(r"[^\s/*]+", value)
    return match[0].lower() if match else ""
