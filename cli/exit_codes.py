"""What the exit code of a crawl says. Scripts rely on it: the numbers and their order are fixed."""

from dataclasses import dataclass
from enum import IntEnum

from adaptive_crawl.crawler.model import Disposition, FailureKind, StopReason

from .report import DryRun, Report


class ExitCode(IntEnum):
    """Why the command ended, for scripts."""

    SUFFICIENT = 0
    """The query is answered; or, where none was given, everything in scope was visited."""
    UNEXPECTED = 1
    USAGE = 2
    NOTHING_FETCHED = 3
    AUTHENTICATION = 4
    """The seeds, or the model, ask for credentials."""
    INSUFFICIENT = 5
    """Ended below the threshold, or cut by a limit; what there is can be used."""
    IRRELEVANT = 6
    FAILURES = 7
    """More pages failed than ``--max-failures``."""
    ROBOTS = 8
    """robots.txt forbids the seeds."""
    STATE = 9
    """The output folder is locked, or its state damaged or newer."""
    CHANGED = 10
    """An update changed something (``--fail-on-change``)."""
    INTERRUPTED = 130
    TERMINATED = 143


@dataclass(frozen=True, slots=True)
class ExitRules:
    """What the user wants to be told by the exit code."""

    exit_zero: bool = False
    fail_under: float | None = None
    """Confidence below which the result is insufficient, in place of the strategy's own threshold."""
    max_failures: int | None = None
    fail_on_change: bool = False
    terminated: bool = False
    """An interruption came by SIGTERM."""
    logins_missing: bool = False
    """The crawl was gone on with without the user and password that it began with."""


_LIMITS = (StopReason.MAX_PAGES, StopReason.MAX_ROUNDS, StopReason.BUDGET)

_FORGIVEN = (ExitCode.INSUFFICIENT, ExitCode.IRRELEVANT, ExitCode.FAILURES)
"""What ``--exit-zero`` turns into 0: the tree is there and can be used."""


def exit_code(report: Report, rules: ExitRules) -> ExitCode:
    """The first code that applies, in the documented order 130/143, 4, 8, 3, 7, 6, 5, 10, 0."""
    code = _code(report, rules)
    if rules.exit_zero and code in _FORGIVEN:
        code = ExitCode.SUFFICIENT
    if code is ExitCode.SUFFICIENT and rules.fail_on_change and report.changes:
        return ExitCode.CHANGED
    return code


def dry_run_code(dry_run: DryRun) -> ExitCode:
    """0 where a seed gave a page or links to go on with; else what the crawl itself would end with."""
    goes_on = any(seed.disposition in (Disposition.KEPT, Disposition.FOLLOWED) for seed in dry_run.seeds)
    if goes_on or dry_run.revisits:
        return ExitCode.SUFFICIENT
    return _nothing({seed.kind for seed in dry_run.seeds}, dry_run.refused_by_robots)


def _code(report: Report, rules: ExitRules) -> ExitCode:
    if report.stopped_reason is StopReason.INTERRUPTED:
        return ExitCode.TERMINATED if rules.terminated else ExitCode.INTERRUPTED
    if rules.logins_missing and any(visit.kind == FailureKind.AUTH.value for visit in report.failed):
        return ExitCode.AUTHENTICATION
    if not report.has_pages:
        return _nothing_kept(report)
    if rules.max_failures is not None and len(report.failed) > rules.max_failures:
        return ExitCode.FAILURES
    if report.stopped_reason is StopReason.IRRELEVANT:
        return ExitCode.IRRELEVANT
    return ExitCode.SUFFICIENT if _is_enough(report, rules.fail_under) else ExitCode.INSUFFICIENT


def _nothing_kept(report: Report) -> ExitCode:
    kinds = {visit.kind for visit in report.of(Disposition.FAILED) if visit.depth == 0}
    return _nothing(kinds, report.seeds_refused_by_robots)


def _nothing(kinds: set[str], refused_by_robots: int) -> ExitCode:
    if FailureKind.AUTH.value in kinds:
        return ExitCode.AUTHENTICATION
    if refused_by_robots or FailureKind.ROBOTS.value in kinds:
        return ExitCode.ROBOTS
    return ExitCode.NOTHING_FETCHED


def _is_enough(report: Report, fail_under: float | None) -> bool:
    if not report.adaptive:
        return report.stopped_reason not in _LIMITS
    if fail_under is None:
        return report.sufficient
    return report.confidence is not None and report.confidence >= fail_under
