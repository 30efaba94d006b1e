"""The crawl's options: how each is written, and which key of the configuration it sets.

Values of options that set a key are taken as typed and checked with the rest of the configuration, so that
everything that is wrong is told at once.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

import typer

_WHAT = "What to look for"
_LIMITS = "When to stop"
_SCOPE = "Where to go"
_REQUESTS = "How to ask"
_RESULT = "What comes out"
_RUN = "The run"


def _option(group: str, *names: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=group, show_default=False)


Text: TypeAlias = str | None
Words: TypeAlias = list[str] | None

Query = Annotated[
    Text,
    _option(
        _WHAT,
        "--query",
        metavar="TEXT",
        help="The question to be answered. Without it everything in scope is fetched.",
    ),
]
Strategy = Annotated[
    Text,
    _option(
        _WHAT,
        "--strategy",
        metavar="NAME",
        help="statistical (the default) judges when the query is answered; none never stops early.",
    ),
]
Preset = Annotated[
    Text,
    _option(
        _WHAT,
        "--preset",
        metavar="NAME",
        help="quick, balanced, thorough, tech-docs, news, shop or academic.",
    ),
]
Order = Annotated[
    Text, _option(_WHAT, "--order", metavar="ORDER", help="best-first (the default), bfs or dfs.")
]

Confidence = Annotated[
    Text, _option(_LIMITS, "--confidence", metavar="0..1", help="Enough is known from here on (0.7).")
]
MinGain = Annotated[
    Text, _option(_LIMITS, "--min-gain", metavar="0..1", help="Stop when no link left scores higher (0.1).")
]
NoEarlyStop = Annotated[
    bool, _option(_LIMITS, "--no-early-stop", help="Go on to a hard limit, however much is known.")
]
MaxPages = Annotated[
    Text,
    _option(
        _LIMITS, "--max-pages", metavar="N", help="Pages to keep at most (20; no limit without a query)."
    ),
]
MaxDepth = Annotated[
    Text,
    _option(
        _LIMITS, "--max-depth", metavar="N", help="Links from a seed at most (no limit; 2 without a query)."
    ),
]
MaxRounds = Annotated[Text, _option(_LIMITS, "--max-rounds", metavar="N", help="Rounds of requests at most.")]
MaxSeconds = Annotated[
    Text, _option(_LIMITS, "--max-seconds", metavar="S", help="Seconds for the whole crawl.")
]
MaxRequests = Annotated[
    Text, _option(_LIMITS, "--max-requests", metavar="N", help="Requests for the whole crawl.")
]
MaxBytes = Annotated[
    Text, _option(_LIMITS, "--max-bytes", metavar="BYTES", help="Bytes for the whole crawl.")
]
RoundSize = Annotated[
    Text,
    _option(_LIMITS, "--round-size", metavar="N", help="Requests planned at once (3; 32 without a query)."),
]

Scope = Annotated[
    Text, _option(_SCOPE, "--scope", metavar="WHERE", help="auto, subtree, host, domain or any.")
]
AllowHost = Annotated[
    Words, _option(_SCOPE, "--allow-host", metavar="HOST", help="A further host[:port] in scope. Repeatable.")
]
Include = Annotated[
    Words, _option(_SCOPE, "--include", metavar="PATTERN", help="Only URLs that fit. Repeatable.")
]
Exclude = Annotated[
    Words, _option(_SCOPE, "--exclude", metavar="PATTERN", help="No URLs that fit. Repeatable.")
]
Language = Annotated[
    Text,
    _option(_SCOPE, "--language", metavar="TAG", help="The language of a page to keep (that of the seeds)."),
]
DocVersion = Annotated[
    Text,
    _option(_SCOPE, "--doc-version", metavar="V", help="The version of a page to keep (that of the seeds)."),
]
AllowPrivate = Annotated[
    bool, _option(_SCOPE, "--allow-private", help="Private and loopback addresses may be fetched.")
]
NoSiteIndex = Annotated[
    bool,
    _option(_SCOPE, "--no-site-index", help="Do not ask for the index that the site made for its search."),
]
IgnoreRobots = Annotated[
    bool, _option(_SCOPE, "--ignore-robots", help="Do not ask robots.txt; noted in the report.")
]

Delay = Annotated[
    Text, _option(_REQUESTS, "--delay", metavar="S", help="Seconds between requests to one host (0.5).")
]
Concurrency = Annotated[
    Text, _option(_REQUESTS, "--concurrency", metavar="N", help="Requests under way at once (8).")
]
PerHost = Annotated[Text, _option(_REQUESTS, "--per-host", metavar="N", help="Of these to one host (2).")]
Timeout = Annotated[Text, _option(_REQUESTS, "--timeout", metavar="S", help="Seconds for one request (30).")]
Retries = Annotated[
    Text, _option(_REQUESTS, "--retries", metavar="N", help="Further attempts after the first (2).")
]
MaxRetryWait = Annotated[
    Text,
    _option(_REQUESTS, "--max-retry-wait", metavar="S", help="Longest wait that a site may ask for (60)."),
]
MaxBodyBytes = Annotated[
    Text, _option(_REQUESTS, "--max-body-bytes", metavar="BYTES", help="Largest body taken (10 MB).")
]
UserAgent = Annotated[
    Text, _option(_REQUESTS, "--user-agent", metavar="TEXT", help="The name under which to ask.")
]
Contact = Annotated[
    Text,
    _option(
        _REQUESTS,
        "--contact",
        metavar="TEXT",
        help="A URL or address for operators, put into the user agent.",
    ),
]
Header = Annotated[
    Words,
    _option(
        _REQUESTS,
        "--header",
        metavar="'NAME: VALUE'",
        help="Sent to the seeds' hosts; ${VAR} stands for an environment variable. Repeatable.",
    ),
]

Output = Annotated[
    Text, _option(_RESULT, "-o", "--output", metavar="DIR", help="Folder for the tree (output).")
]
Download = Annotated[bool, _option(_RESULT, "--download", help="Keep PDF, Office and image files too.")]
Annotate = Annotated[bool, _option(_RESULT, "--annotate", help="Write each page with link marks beside it.")]
NoTimestamps = Annotated[
    bool, _option(_RESULT, "--no-timestamps", help="Leave the times of fetching out of the files.")
]
Json = Annotated[bool, _option(_RESULT, "--json", help="Print the report as JSON, and nothing else.")]
Explain = Annotated[
    bool, _option(_RESULT, "--explain", help="Print why each page was chosen, and over which.")
]
ExitZero = Annotated[
    bool, _option(_RESULT, "--exit-zero", help="Exit with 0 also when the result is insufficient.")
]
FailUnder = Annotated[
    float | None,
    _option(_RESULT, "--fail-under", metavar="0..1", help="Confidence below which to exit with 5."),
]
MaxFailures = Annotated[
    int | None,
    _option(_RESULT, "--max-failures", metavar="N", help="Failed pages above which to exit with 7."),
]

Resume = Annotated[bool, _option(_RUN, "--resume", help="Go on with the crawl in the folder. Needs no URL.")]
Update = Annotated[
    bool,
    _option(
        _RUN,
        "--update",
        help="Bring the tree in the folder up to date; crawl where there is none. Needs no URL.",
    ),
]
KeepRemoved = Annotated[
    bool, _option(_RUN, "--keep-removed", help="Keep pages that an update finds gone from the site.")
]
FailOnChange = Annotated[
    bool, _option(_RUN, "--fail-on-change", help="Exit with 10 when an update changed anything.")
]
DryRun = Annotated[bool, _option(_RUN, "--dry-run", help="Fetch the seeds only; show what would come next.")]
ConfigFile = Annotated[
    Text,
    _option(_RUN, "--config", metavar="FILE", help="Instead of adaptive-crawl.yaml in the current folder."),
]
NoConfig = Annotated[bool, _option(_RUN, "--no-config", help="Load no file that is not named by --config.")]
Verbose = Annotated[
    int,
    typer.Option(
        "-v", "--verbose", count=True, help="Say more.", rich_help_panel=_RUN, show_default=False, metavar=""
    ),
]
Quiet = Annotated[bool, _option(_RUN, "-q", "--quiet", help="Say nothing but errors and the result.")]
LogFile = Annotated[
    Text, _option(_RUN, "--log-file", metavar="FILE", help="Append every event to this file.")
]

Value: TypeAlias = tuple[tuple[str, ...], object, str]
"""Path of a key, value as typed, and the flag."""

_KEYS: Mapping[str, str] = {
    "strategy": "strategy.name",
    "preset": "preset",
    "order": "limits.order",
    "confidence": "strategy.confidence",
    "min_gain": "limits.min_gain",
    "max_pages": "limits.max_pages",
    "max_depth": "limits.max_depth",
    "max_rounds": "limits.max_rounds",
    "max_seconds": "limits.max_seconds",
    "max_requests": "limits.max_requests",
    "max_bytes": "limits.max_bytes",
    "round_size": "limits.round_size",
    "scope": "scope.within",
    "allow_host": "scope.allowed_domains",
    "include": "scope.include",
    "exclude": "scope.exclude",
    "language": "scope.language",
    "doc_version": "scope.doc_version",
    "delay": "politeness.delay",
    "concurrency": "politeness.concurrency",
    "per_host": "politeness.per_host",
    "timeout": "fetch.timeout",
    "retries": "fetch.retries",
    "max_retry_wait": "politeness.max_retry_wait",
    "max_body_bytes": "fetch.max_body_bytes",
    "user_agent": "fetch.user_agent",
    "contact": "fetch.contact",
    "output": "output.directory",
}

DOCUMENTS = (
    "application/pdf",
    "application/rtf",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.openxmlformats-officedocument.*",
    "application/vnd.oasis.opendocument.*",
    "image/*",
)
"""What ``--download`` keeps, as patterns of media types."""

_SWITCHES: Mapping[str, tuple[str, object]] = {
    "no_early_stop": ("limits.early_stop", False),
    "allow_private": ("fetch.allow_private", True),
    "no_site_index": ("discovery.site_indexes", False),
    "ignore_robots": ("politeness.robots", False),
    "annotate": ("output.annotate", True),
    "download": ("fetch.downloads", DOCUMENTS),
    "no_timestamps": ("output.timestamps", False),
    "keep_removed": ("output.keep_removed", True),
}

_SYNONYMS: Mapping[tuple[str, object], str] = {("scope", "path"): "subtree"}
"""(option, value) that people bring from other crawlers → our word."""

ADDING = ("--allow-host", "--download")
"""Flags whose values come on top of those in files."""


def values_of(given: Mapping[str, Any]) -> list[Value]:
    """What the options given say of the configuration.

    Raises:
        ValueError: a header is not written as ``NAME: VALUE``.
    """
    values: list[Value] = [
        (tuple(key.split(".")), _our_word(name, given[name]), _flag(name))
        for name, key in _KEYS.items()
        if given.get(name) is not None and given[name] not in ([], ())
    ]
    values += [
        (tuple(key.split(".")), value, _flag(name))
        for name, (key, value) in _SWITCHES.items()
        if given.get(name)
    ]
    if given.get("header"):
        values.append((("fetch", "headers"), _headers(given["header"]), "--header"))
    return values


def _our_word(name: str, value: object) -> object:
    return _SYNONYMS.get((name, value), value) if isinstance(value, str) else value


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _headers(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for header in given:
        name, colon, value = header.partition(":")
        if not colon or not name.strip():
            raise ValueError("--header is written as 'NAME: VALUE', with a colon after the name")
        found[name.strip()] = value.strip()
    return found
