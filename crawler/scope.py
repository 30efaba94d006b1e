"""Which links may enter the frontier, and by which rule one was refused.

Decides on the URL alone, by its parsed host and path and never by text inside it. What robots.txt, traps
and the link itself (nofollow) have to say is asked elsewhere.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from . import hosts, media, urls
from .errors import UsageError
from .parameters import SESSION_PARAMETERS, TRACKING_PARAMETERS, DropRules
from .patterns import Pattern, spellings

LONGEST_URL = 4096
"""Characters. Servers refuse more from about 8000 on, and pages seldom write more than 300; what grows
past this is built by a machine that does not stop."""

Within = Literal["auto", "subtree", "host", "domain", "any"]


class ScopeError(UsageError, ValueError):
    """A scope that cannot be: names key, value and the way out."""


@dataclass(frozen=True, slots=True)
class ScopeConfig:
    """Where a crawl may go.

    Raises:
        ScopeError: a host or pattern is wrong; all of them at once, one a line.
    """

    within: Within = "auto"
    """auto is the folder of a seed that names one (it ends in / or /index.html), else its host."""
    allowed_domains: tuple[str, ...] = ()
    """Further hosts: docs.example.com, *.example.com, localhost:8000; with within any, the only ones."""
    include: tuple[str, ...] = ()
    """Only URLs that fit one of these: a glob on the whole URL (*/docs/*) or path (/docs/*), or re:REGEX."""
    exclude: tuple[str, ...] = ()
    """No URL that fits one of these, written as in include."""
    variants: Literal["one", "all"] = "one"
    """one keeps of a page that exists in several languages or versions the preferred one; all keeps each."""
    language: str = ""
    """The language preferred, as zh-CN; empty is that of the seeds, or the query's if only that tells."""
    doc_version: str = ""
    """The version of the documentation preferred, as 3.12 or latest; empty is that of the seeds."""
    drop_parameters: tuple[str, ...] = TRACKING_PARAMETERS
    """Query parameters that do not tell one page from another; the URL is fetched with them all the same."""
    session_parameters: tuple[str, ...] = SESSION_PARAMETERS
    """Parameters that do not tell pages apart where their value looks like a session id."""

    def __post_init__(self) -> None:
        problems: list[str] = []
        for entry in self.allowed_domains:
            _collect(problems, "allowed_domains", entry, _HostRule.read)
        for key in ("include", "exclude"):
            for text in getattr(self, key):
                _collect(problems, key, text, Pattern)
        for key in ("drop_parameters", "session_parameters"):
            for name in getattr(self, key):
                _collect(problems, key, name, _check_parameter)
        if problems:
            raise ScopeError("\n".join(problems))

    @property
    def drop_rules(self) -> DropRules:
        """What is no part of a URL's key."""
        return DropRules(self.drop_parameters, self.session_parameters)


class Scope:
    """The rules of one crawl, made ready.

    ``downloads`` tells which files that are no pages are wanted: all (True), none, or those of some media
    types (``application/pdf``, ``image/*``). ``max_depth`` counts links from a seed.
    """

    def __init__(
        self,
        config: ScopeConfig,
        seeds: Sequence[str],
        downloads: bool | Sequence[str] = False,
        max_depth: int | None = None,
    ) -> None:
        self._config = config
        self._downloads = downloads
        self._max_depth = max_depth
        self._drop = config.drop_rules
        self._seeds = tuple(dict.fromkeys(urls.canonicalize(seed, self._drop) for seed in seeds))
        self._seed_keys = frozenset(self._seeds)
        self._regions = tuple(_Region.around(seed, config.within) for seed in self._seeds)
        self._hosts = tuple(_HostRule.read(entry) for entry in config.allowed_domains)
        self._include = tuple(Pattern(text) for text in config.include)
        self._exclude = tuple(Pattern(text) for text in config.exclude)

    def refuses(self, url: str, depth: int = 0) -> str:
        """Name the rule that keeps a URL out of the frontier; "" when it may enter. Seeds always may.

        scheme, too-long, host, subtree, depth, include, exclude, media-type: the first that applies.
        """
        key = urls.canonicalize(url, self._drop)
        if key in self._seed_keys:
            return ""
        if len(url) > LONGEST_URL:
            return "too-long"
        if not urls.host(key):
            return "scheme"
        return self._outside(key) or self._filtered(url, key, depth)

    def widen(self, url: str) -> "Scope":
        """Give the scope with one more seed: where a seed redirects to is where its site is."""
        if not urls.host(url):
            return self
        return Scope(self._config, (*self._seeds, url), self._downloads, self._max_depth)

    def _outside(self, key: str) -> str:
        if self._config.within == "any" and not self._hosts:
            return ""
        if any(rule.covers(key) for rule in self._hosts):
            return ""
        if any(region.covers(key) for region in self._regions):
            return ""
        return "subtree" if any(region.has_host_of(key) for region in self._regions) else "host"

    def _filtered(self, url: str, key: str, depth: int) -> str:
        if self._max_depth is not None and depth > self._max_depth:
            return "depth"
        if self._include or self._exclude:
            forms = spellings(url, key)
            if self._include and not any(pattern.fits(forms) for pattern in self._include):
                return "include"
            if any(pattern.fits(forms) for pattern in self._exclude):
                return "exclude"
        return "" if self._is_wanted(media.extension(urls.path(key))) else "media-type"

    def _is_wanted(self, extension: str) -> bool:
        if extension in media.ASSETS:
            return False
        media_type = media.MEDIA_TYPES.get(extension)
        if media_type is None or isinstance(self._downloads, bool):
            return media_type is None or bool(self._downloads)
        return any(fnmatchcase(media_type, pattern.strip().lower()) for pattern in self._downloads)


@dataclass(frozen=True, slots=True)
class _Region:
    """Where one seed lets the crawl go: a host, or all of a registered domain, below a path."""

    authority: str
    folder: str = "/"
    domain: str = ""

    @classmethod
    def around(cls, key: str, within: Within) -> "_Region":
        if within == "domain":
            return cls(urls.authority(key), domain=urls.site(key))
        path = urls.path(key)
        if within == "subtree" or (within == "auto" and path.endswith("/")):
            return cls(urls.authority(key), folder=path[: path.rfind("/") + 1])
        return cls(urls.authority(key))

    def has_host_of(self, key: str) -> bool:
        if self.domain:
            return urls.site(key) == self.domain
        return urls.authority(key) == self.authority

    def covers(self, key: str) -> bool:
        path = urls.path(key)
        return self.has_host_of(key) and (path.startswith(self.folder) or f"{path}/" == self.folder)


@dataclass(frozen=True, slots=True)
class _HostRule:
    """An entry of ``allowed_domains``."""

    host: str
    port: str
    subdomains: bool

    @classmethod
    def read(cls, entry: str) -> "_HostRule":
        text = entry.strip()
        if "/" in text or "@" in text or "?" in text:
            raise ValueError(f"is no host; write the host alone, as {urls.host(urls.assume_scheme(text))!r}")
        subdomains = text.startswith("*.")
        match = _HOST_AND_PORT.fullmatch(text.removeprefix("*."))
        host = hosts.normalize(match["host"]) if match and "*" not in match["host"] else None
        if match is None or host is None or (subdomains and hosts.is_address(host)):
            raise ValueError("is no host; write docs.example.com, *.example.com or localhost:8000")
        return cls(host, match["port"] or "", subdomains)

    def covers(self, key: str) -> bool:
        host = urls.host(key)
        if not (host.endswith("." + self.host) if self.subdomains else host == self.host):
            return False
        return not self.port or urls.port(key) == self.port


_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:]+)(?::(?P<port>\d+))?")
_PARAMETER = re.compile(r"[^\s&=*]+\*?")


def _check_parameter(name: str) -> None:
    if not _PARAMETER.fullmatch(name):
        raise ValueError("is no parameter name; write the name alone, with * only at its end, as utm_*")


def _collect(problems: list[str], key: str, value: str, read: Callable[[str], object]) -> None:
    try:
        read(value)
    except ValueError as error:
        problems.append(f"scope.{key}: {value[:200]!r} {error}")
