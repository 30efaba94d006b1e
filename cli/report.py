"""What a crawl came to: gathered from its plans and events, told as one frozen ``Report``.

Knows the facts of ``crawler.model`` only; the shell adds what no event can say (paths, seconds, the exit
code). Names in ``as_json`` are stable: ``SCHEMA_VERSION`` grows when the meaning of one changes.
"""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from adaptive_crawl.crawler.model import (
    NOT_MODIFIED,
    Assessment,
    Disposition,
    Download,
    Event,
    Failure,
    Kind,
    Page,
    PassedOver,
    Plan,
    Redirect,
    RobotsFile,
    Scored,
    SiteIndex,
    Stop,
    StopReason,
)
from adaptive_crawl.crawler.urls import origin
from adaptive_crawl.output.changes import Change, Changes

SCHEMA_VERSION = 1

_WORDS = ((0.7, "excellent"), (0.6, "good"), (0.3, "partial"))

_OF_THE_QUERY = ("coverage", "consistency", "saturation")
"""Metrics with a field of their own; all others stand under ``metrics``."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request for a page, why it was made, and what became of it."""

    url: str
    disposition: Disposition
    depth: int
    round: int
    score: float
    parts: tuple[tuple[str, float], ...]
    reason: str
    anchor: str
    referrer: str
    key: str = ""
    title: str = ""
    size: int = 0
    media_type: str = ""
    detail: str = ""
    """Of a failure what happened, of a duplicate the key of its equal, of a redirect its target, of a
    refusal its rule."""
    kind: str = ""
    """Of a failure: its kind."""
    status: int = 0
    held: str = ""
    """Of a page held before that did not come anew: ``not modified``, or how the request failed."""

    @property
    def is_stale(self) -> bool:
        """What was held stays, since it could not be had anew."""
        return self.held not in ("", NOT_MODIFIED)


@dataclass(frozen=True, slots=True)
class IndexUsed:
    """A list of its pages that the site publishes, taken in."""

    url: str
    format: str
    entries: int
    """Pages that it names."""


@dataclass(frozen=True, slots=True)
class Round:
    """The best candidates that a round left, best first."""

    round: int
    passed_over: tuple[PassedOver, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A crawl, from its seeds to why it ended."""

    query: str
    """Empty for a whole-site crawl."""
    seeds: tuple[str, ...]
    output: str
    stopped_reason: StopReason
    stopped_detail: str
    adaptive: bool
    """False when nothing was to be answered: everything in scope was asked for."""
    sufficient: bool
    confidence: float | None
    """0..1; None without a query."""
    coverage: float | None
    consistency: float | None
    saturation: float | None
    metrics: Mapping[str, float]
    """Every other figure of the strategy, by its documented name."""
    pages_crawled: int
    depth_reached: int
    rounds: int
    requests: int
    """Of this query, those for robots.txt left out."""
    bytes: int
    """Decoded bytes of all bodies."""
    seconds: float
    """Of activity, over all runs."""
    frontier: int
    """Candidates left unvisited."""
    seeds_refused_by_robots: int
    unreachable: tuple[str, ...]
    """Origins that did not answer at all when asked for robots.txt, and so were not asked for more."""
    visits: tuple[Visit, ...]
    refused: tuple[tuple[str, int], ...]
    """Rule → links refused by it, most first."""
    best: tuple[tuple[str, float], ...] = ()
    """Keys of the pages that say most of the query, and how much of it (0..1), best first."""
    indexes: tuple[IndexUsed, ...] = ()
    passed_over: tuple[Round, ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict)
    """Page key → file, relative to the output folder, with ``/``."""
    notes: tuple[str, ...] = ()
    """What the reader should know of how the crawl was made, as that robots.txt was ignored."""
    resumed: bool = False
    changes: Changes | None = None
    """What an update changed; None where there was none."""
    exit_code: int = 0

    @property
    def confidence_word(self) -> str:
        """How people should read the confidence; empty without one."""
        return "" if self.confidence is None else confidence_word(self.confidence)

    @property
    def has_pages(self) -> bool:
        """The site gave something, or there is knowledge from earlier queries; in an update the site must
        have been heard."""
        if self.changes is not None:
            return bool(self.changes or self.changes.unchanged)
        kept = self.of(Disposition.KEPT, Disposition.DOWNLOADED)
        return bool(kept or self.metrics.get("pages_held"))

    @property
    def failed(self) -> tuple[Visit, ...]:
        """Visits that came to nothing; what is held of some of them stays."""
        return tuple(v for v in self.visits if v.disposition is Disposition.FAILED or v.is_stale)

    def of(self, *dispositions: Disposition) -> tuple[Visit, ...]:
        """The visits that ended so, in order."""
        return tuple(visit for visit in self.visits if visit.disposition in dispositions)


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a crawl would do after its seeds."""

    query: str
    seeds: tuple[Visit, ...]
    upcoming: tuple[Scored, ...]
    """Best first: what would be visited next."""
    refused: tuple[tuple[str, str], ...] = ()
    """URL and rule of links that will not be visited, in document order."""
    trouble: str = ""
    """What kept seeds from giving a page, in words."""
    refused_by_robots: int = 0
    """Seeds that robots.txt forbids."""
    revisits: tuple[Change, ...] = ()
    """What an update would look at again, in that order."""
    removals: tuple[Change, ...] = ()
    """What it would not look at again, each with the rule."""


class Tally:
    """Gathers a crawl's plans and events, replayed ones included, into a report.

    ``goal`` leaves out what was done for other queries on the same journal.
    """

    def __init__(self, goal: int | None = None) -> None:
        self._goal = goal
        self._visits: list[Visit] = []
        self._refused: Counter[str] = Counter()
        self._unreachable: list[str] = []
        self._rounds: list[Round] = []
        self._indexes: list[IndexUsed] = []
        self._assessment: Assessment | None = None

    def plan(self, plan: Plan) -> None:
        """Note a plan: what its round passed over."""
        if plan.passed_over and self._concerns(plan.requests[0].goal):
            self._rounds.append(Round(plan.round, plan.passed_over))

    def settle(self, event: Event) -> None:
        """Note what became of a request."""
        if not self._concerns(event.request.goal):
            return
        self._refused.update(dict(event.refused))
        self._assessment = event.assessment or self._assessment
        if isinstance(event.outcome, RobotsFile) and not event.outcome.status:
            self._unreachable.append(origin(event.request.url))
        if isinstance(event.outcome, SiteIndex):
            index = event.outcome
            self._indexes.append(IndexUsed(without_userinfo(index.url), index.format, len(index.entries)))
        if event.request.kind is Kind.PAGE:
            self._visits.append(visit_of(event))

    def report(
        self,
        stop: Stop,
        *,
        query: str,
        seeds: Sequence[str],
        output: str,
        adaptive: bool,
        seconds: float,
        paths: Mapping[str, str],
        notes: Sequence[str] = (),
        resumed: bool = False,
        changes: Changes | None = None,
    ) -> Report:
        """Sum up; ``stop.figures`` count where they say something, what was noted elsewhere."""
        figures = dict(stop.figures)
        if self._assessment is not None:
            measured = {"confidence": self._assessment.confidence, **self._assessment.metrics}
            figures = {**measured, "sufficient": float(self._assessment.sufficient), **figures}
        pages = [visit for visit in self._visits if visit.disposition is Disposition.KEPT]
        counted = {
            "pages_crawled": len(pages),
            "depth_reached": max((visit.depth for visit in pages), default=0),
            "rounds": len({visit.round for visit in self._visits}),
            "requests": len(self._visits),
            "bytes": sum(visit.size for visit in self._visits),
            "frontier": 0,
            "seeds_refused_by_robots": 0,
        }
        counts = {name: int(figures.pop(name, counted[name])) for name in counted}
        sufficient = bool(figures.pop("sufficient", 0.0)) or stop.reason is StopReason.CONFIDENT
        figures.pop("failed", None)
        scores = {name: figures.pop(name, None) for name in ("confidence", *_OF_THE_QUERY)}
        return Report(
            query=query,
            seeds=tuple(without_userinfo(seed) for seed in seeds),
            output=output,
            stopped_reason=stop.reason,
            stopped_detail=stop.detail,
            adaptive=adaptive,
            sufficient=adaptive and sufficient,
            **(scores if adaptive else dict.fromkeys(scores)),
            metrics=figures if adaptive else {},
            **counts,
            seconds=seconds,
            unreachable=tuple(self._unreachable),
            best=stop.best if adaptive else (),
            visits=tuple(self._visits),
            indexes=tuple(self._indexes),
            refused=tuple(sorted(self._refused.items(), key=lambda rule: (-rule[1], rule[0]))),
            passed_over=tuple(self._rounds),
            paths=dict(paths),
            notes=tuple(notes),
            resumed=resumed,
            changes=changes,
        )

    def _concerns(self, goal: int) -> bool:
        return self._goal is None or goal == self._goal


def visit_of(event: Event) -> Visit:
    """An event as a line of the report."""
    request, outcome = event.request, event.outcome
    visit = Visit(
        url=without_userinfo(request.url),
        disposition=event.disposition,
        depth=request.depth,
        round=request.round,
        score=request.score,
        parts=request.parts,
        reason=request.reason,
        anchor=request.anchor,
        referrer=request.referrer,
        key=request.key,
        detail=event.same_as or event.rule,
    )
    match outcome:
        case Page(key=key, title=title, size=size, media_type=media_type, held=held):
            return dataclasses.replace(
                visit, key=key, title=title, size=size, media_type=media_type, held=held
            )
        case Download(key=key, size=size, media_type=media_type, held=held):
            return dataclasses.replace(visit, key=key, size=size, media_type=media_type, held=held)
        case Failure(kind=kind, detail=detail, status=status, size=size):
            return dataclasses.replace(visit, kind=kind.value, detail=detail, status=status, size=size)
        case Redirect(target=target):
            return dataclasses.replace(visit, detail=visit.detail or target)
    return visit


def confidence_word(confidence: float) -> str:
    """Insufficient below 0.3, partial below 0.6, good below 0.7, else excellent."""
    return next((word for least, word in _WORDS if confidence >= least), "insufficient")


def without_userinfo(url: str) -> str:
    """The URL without name and password, which no report may show."""
    if "@" not in url:
        return url
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def as_json(report: Report) -> dict[str, Any]:
    """The report for machines: flat where it can be, sizes in bytes, durations in seconds."""
    return {
        "schema_version": SCHEMA_VERSION,
        "query": report.query,
        "seeds": list(report.seeds),
        "output": report.output,
        "adaptive": report.adaptive,
        "resumed": report.resumed,
        "exit_code": report.exit_code,
        "stopped_reason": report.stopped_reason.value,
        "stopped_detail": report.stopped_detail,
        "is_sufficient": report.sufficient,
        "confidence": _rounded(report.confidence),
        "confidence_word": report.confidence_word or None,
        **{name: _rounded(getattr(report, name)) for name in _OF_THE_QUERY},
        "metrics": {name: _rounded(value) for name, value in sorted(report.metrics.items())},
        "pages_crawled": report.pages_crawled,
        "pages_failed": len(report.failed),
        "pages_duplicate": len(report.of(Disposition.DUPLICATE)),
        "depth_reached": report.depth_reached,
        "rounds": report.rounds,
        "requests": report.requests,
        "bytes": report.bytes,
        "seconds": round(report.seconds, 3),
        "pending_links": report.frontier,
        "best_pages": [
            {"path": report.paths.get(key), "key": key, "share_of_query": _rounded(share)}
            for key, share in report.best
        ],
        "pages": [_page_json(visit, report.paths) for visit in report.of(Disposition.KEPT)],
        "downloads": [
            {
                "path": report.paths.get(visit.key),
                "url": visit.url,
                "media_type": visit.media_type,
                "size": visit.size,
                "referrer": visit.referrer or None,
            }
            for visit in report.of(Disposition.DOWNLOADED)
        ],
        "failures": [
            {
                "url": visit.url,
                "kind": visit.kind or None,
                "detail": visit.held or visit.detail,
                "status": visit.status or None,
                "referrer": visit.referrer or None,
            }
            for visit in report.failed
        ],
        "duplicates": [
            {"url": visit.url, "same_as": visit.detail} for visit in report.of(Disposition.DUPLICATE)
        ],
        "redirects": [
            {"url": visit.url, "target": visit.detail} for visit in report.of(Disposition.REDIRECTED)
        ],
        "refused_after_fetch": [
            {"url": visit.url, "rule": visit.detail} for visit in report.of(Disposition.REFUSED)
        ],
        "hosts_unreachable": list(report.unreachable),
        "site_indexes": [dataclasses.asdict(index) for index in report.indexes],
        "links_refused": dict(report.refused),
        "passed_over": [
            {"round": round.round, "candidates": [_candidate_json(one) for one in round.passed_over]}
            for round in report.passed_over
        ],
        "changes": None if report.changes is None else _changes_json(report.changes),
        "notes": list(report.notes),
    }


def dry_run_as_json(dry_run: DryRun) -> dict[str, Any]:
    """A dry run for machines."""
    return {
        "schema_version": SCHEMA_VERSION,
        "query": dry_run.query,
        "seeds": [
            {"url": visit.url, "disposition": visit.disposition.value, "detail": visit.detail or None}
            for visit in dry_run.seeds
        ],
        "upcoming": [
            {
                "url": scored.candidate.url,
                "depth": scored.candidate.depth,
                "score": _rounded(scored.score),
                "parts": _parts_json(scored.parts),
                "reason": scored.reason,
            }
            for scored in dry_run.upcoming
        ],
        "refused": [{"url": url, "rule": rule} for url, rule in dry_run.refused],
        "revisits": [{"path": one.path, "url": one.url} for one in dry_run.revisits],
        "removals": [{"path": one.path, "url": one.url, "rule": one.why} for one in dry_run.removals],
    }


def _changes_json(changes: Changes) -> dict[str, Any]:
    return {
        fate.name: [
            {"path": change.path, "url": change.url, **({"why": change.why} if change.why else {})}
            for change in getattr(changes, fate.name)
        ]
        for fate in dataclasses.fields(changes)
    }


def _page_json(visit: Visit, paths: Mapping[str, str]) -> dict[str, Any]:
    return {
        "path": paths.get(visit.key),
        "url": visit.url,
        "title": visit.title,
        "depth": visit.depth,
        "round": visit.round,
        "score": _rounded(visit.score),
        "parts": _parts_json(visit.parts),
        "reason": visit.reason,
        "anchor": visit.anchor or None,
        "referrer": visit.referrer or None,
        "size": visit.size,
    }


def _candidate_json(candidate: PassedOver) -> dict[str, Any]:
    return {
        "url": candidate.url,
        "anchor": candidate.anchor or None,
        "score": _rounded(candidate.score),
        "parts": _parts_json(candidate.parts),
    }


def _parts_json(parts: Sequence[tuple[str, float]]) -> dict[str, float | None]:
    return {name: _rounded(value) for name, value in parts}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4) + 0.0  # a zero without a sign
