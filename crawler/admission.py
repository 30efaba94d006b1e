"""Which links enter the frontier: scope, depth, robots.txt, traps and variants, asked in one place.

Knows rules and the order in which they apply; each rule itself is its own module's.
"""

from collections.abc import Iterable

from . import urls
from .fetching.robots import Robots
from .model import Request, RobotsFile
from .scope import Scope
from .traps import Traps
from .variants import Variants

MAX_VARIANTS = 100_000
"""Refused variants whose URL is remembered: a large site in a dozen languages."""

DOUBTFUL_PARAMETERS = frozenset({"ref", "source"})
"""Parameters that choose a branch or an edition on some sites, and on others only say where a reader came
from: kept in the key until two pages that differ in nothing else turn out to be the same."""


class Admission:
    """The rules of one crawl, with what was seen so far.

    ``agent`` is the product token that robots.txt is matched with; None ignores robots.txt.
    """

    def __init__(
        self, scope: Scope, max_depth: int | None, agent: str | None, variants: Variants | None
    ) -> None:
        self.scope = scope
        self._max_depth = max_depth
        self._agent = agent
        self._variants = variants
        self._traps = Traps()
        self._urls: dict[str, str] = {}
        """URLs as found of keys refused as variants, which may yet take the place of a better one."""
        self._meaningless: set[tuple[str, str]] = set()
        """Host and name of parameters that were seen to make no difference."""
        self._robots: dict[str, Robots] = {}
        self._silent: set[str] = set()

    def refuses(self, url: str, key: str, depth: int) -> str:
        """The rule by which a URL may not enter the frontier; empty when it may."""
        if self._max_depth is not None and depth > self._max_depth:
            return "depth"
        rule = self.scope.refuses(url, depth)
        if rule:
            return rule
        if self.forbids(url):
            return "robots"
        if self._differs_by_nothing(key):
            return "same-content-parameter"
        rule = self._traps.refuses(key)
        if not rule and self._variants is not None:
            rule = self._variants.refuses(key)
            if rule and len(self._urls) < MAX_VARIANTS:
                self._urls[key] = url
        return rule

    def same(self, key: str, other: str) -> None:
        """Note that two keys have the same content: what alone tells them apart makes no difference here."""
        name = _only_difference(key, other)
        if name in DOUBTFUL_PARAMETERS:
            self._meaningless.add((urls.host(key), name))

    def _differs_by_nothing(self, key: str) -> bool:
        if not self._meaningless or "?" not in key:
            return False
        host = urls.host(key)
        return any((host, name) in self._meaningless for name in _parameters(key))

    def gone(self, key: str) -> list[tuple[str, str]]:
        """Note that a key led nowhere; give the (URL, key) of its variants that are refused no longer."""
        if self._variants is None:
            return []
        return [(self._urls.get(other, other), other) for other in self._variants.gone(key)]

    def refuses_again(self, request: Request) -> str:
        """The rule by which a page held may not be asked for again; empty when it may.

        Traps and variants are for links: what is held has proved itself.
        """
        if self._max_depth is not None and request.depth > self._max_depth:
            return "depth"
        return self.scope.refuses(request.url, request.depth)

    def sight(self, links: Iterable[tuple[str, str]]) -> None:
        """Note the (URL, key) of every link of a page, before any of them is judged."""
        if self._variants is not None:
            for url, key in links:
                if not self.scope.refuses(url) and not self.forbids(url) and not self._traps.refuses(key):
                    self._variants.sight(key)

    def admit(self, key: str) -> None:
        """Note that a key has entered the frontier."""
        self._traps.note(key)

    def widen(self, url: str, seed: str, key: str) -> None:
        """Let a seed that redirects take the scope with it."""
        self.scope = self.scope.widen(url)
        if self._variants is not None:
            self._variants.moved(seed, key)

    def speaks(self, language: str) -> None:
        """Note the language of a seed's page."""
        if self._variants is not None:
            self._variants.speaks(language)

    def know(self, robots: RobotsFile) -> None:
        """Take in what an origin's robots.txt said."""
        origin = urls.origin(robots.url)
        self._robots[origin] = Robots.parse(robots)
        if robots.status == 0 or robots.status >= 500:
            self._silent.add(origin)

    def is_silent(self, url: str) -> bool:
        """Whether a URL is forbidden only because its robots.txt could not be had (RFC 9309, 2.3.1.4)."""
        return urls.origin(url) in self._silent

    def forbids(self, url: str) -> bool:
        """Whether a robots.txt that is known forbids a URL."""
        if self._agent is None:
            return False
        robots = self._robots.get(urls.origin(url))
        return robots is not None and not robots.allows(url, self._agent)

    def unknown_origins(self, chosen: Iterable[str]) -> list[str]:
        """The origins of these URLs whose robots.txt must be asked for first."""
        if self._agent is None:
            return []
        return [o for o in dict.fromkeys(map(urls.origin, chosen)) if o not in self._robots]


def _parameters(key: str) -> dict[str, str]:
    pairs = (piece.partition("=") for piece in urls.query(key).split("&"))
    return {name: value for name, _, value in pairs if name}


def _only_difference(key: str, other: str) -> str:
    """The one parameter in which two keys differ; empty where they differ in more, or in anything else."""
    if key.partition("?")[0] != other.partition("?")[0]:
        return ""
    one, two = _parameters(key), _parameters(other)
    different = [name for name in {**one, **two} if one.get(name) != two.get(name)]
    return different[0] if len(different) == 1 else ""
