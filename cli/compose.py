"""The composition root: a job → the objects of one crawl, joined, run and reported.

The only place that knows every part. Decides nothing that a part could decide.
"""

import asyncio
import dataclasses
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

from adaptive_crawl import __version__
from adaptive_crawl.crawler import runner, urls
from adaptive_crawl.crawler.crawl import Crawl, Limits
from adaptive_crawl.crawler.discovery import DiscoveryConfig
from adaptive_crawl.crawler.editions import edition_of
from adaptive_crawl.crawler.errors import LoginError
from adaptive_crawl.crawler.fetching.fetcher import Fetcher
from adaptive_crawl.crawler.fetching.gate import Gate
from adaptive_crawl.crawler.fetching.politeness import HostState, Politeness, host_state
from adaptive_crawl.crawler.fetching.readers import SMALL, Readers
from adaptive_crawl.crawler.fetching.robots import product_token
from adaptive_crawl.crawler.fetching.visit import Recall, Visitor
from adaptive_crawl.crawler.fetching.visited import visited_of
from adaptive_crawl.crawler.journaling import journalfile
from adaptive_crawl.crawler.journaling.inspection import past_runs
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.journaling.rereading import read_again
from adaptive_crawl.crawler.model import (
    Event,
    Failure,
    FailureKind,
    Kind,
    Page,
    Plan,
    Query,
    Request,
    Strategy,
)
from adaptive_crawl.crawler.reading.reader import READER_VERSION, Reading, is_wanted, read
from adaptive_crawl.crawler.reading.sniff import may_be_page
from adaptive_crawl.crawler.scope import Scope
from adaptive_crawl.crawler.stopping import Stopping
from adaptive_crawl.crawler.urls import canonicalize
from adaptive_crawl.crawler.variants import Variants
from adaptive_crawl.output.contents import Found
from adaptive_crawl.output.remains import query_of
from adaptive_crawl.output.tree import Filed, Tree
from adaptive_crawl.scoring.content import Filter, content_filter
from adaptive_crawl.scoring.statistical import StatisticalStrategy
from adaptive_crawl.scoring.summary import Excerpts
from adaptive_crawl.scoring.whole import WholeSite
from adaptive_crawl.scoring.writing import language_of

from . import update
from .config import Config, expand
from .report import DryRun, Report, Tally, visit_of

Observer = Callable[[Event], None]

LOGINS = "logins"
"""Name of the note of the origins that the user gave logins for: not of the logins."""


@dataclass(frozen=True, slots=True)
class Job:
    """A crawl to be run."""

    seeds: tuple[str, ...]
    query: str
    """Empty for a crawl of everything in scope."""
    config: Config
    resume: bool = False
    """There is a journal to go on with."""
    update: bool = False
    record: Mapping[str, Any] = field(default_factory=dict)
    """What the journal keeps of the configuration."""
    logins: tuple[str, ...] = field(default=(), repr=False)
    """Seeds with user and password, for the fetcher alone."""
    logins_missing: tuple[str, ...] = ()
    """Origins that the crawl gone on with had logins for, and this run has none."""

    @property
    def folder(self) -> Path:
        return Path(self.config.output.directory)

    @property
    def adaptive(self) -> bool:
        """There is something to answer, and a strategy to judge the answer."""
        return bool(self.query) and self.config.strategy.name != "none"


@dataclass(frozen=True, slots=True)
class Past:
    """What a journal says of the crawl that it holds."""

    seeds: tuple[str, ...]
    query: str
    settings: Mapping[str, Any]
    has_journal: bool = True
    """False where only the files of a tree are there."""
    logins: tuple[str, ...] = ()
    """Origins that a user and password were given for."""


def past_run(folder: Path) -> Past | None:
    """Read what the crawl in a folder was asked; None where there is none.

    Raises:
        StateError: its state cannot be read, or another run is at work in it.
    """
    if not journalfile.place(folder).exists():
        return None
    past = past_runs(folder)
    if not past.runs:
        return None
    last = past.runs[-1]
    logins = tuple(map(str, past.notes.get(LOGINS) or ()))
    return Past(_seeds(past.runs), last.query.text if last.query else "", dict(last.config), logins=logins)


def past_run_or_tree(folder: Path) -> Past | None:
    """As ``past_run``; where there is no journal, what the files of a tree tell."""
    past = past_run(folder)
    if past is not None:
        return past
    query = query_of(folder)
    return None if query is None else Past((), query, {}, has_journal=False)


async def run_job(job: Job, observers: Sequence[Observer], stopping: Stopping) -> Report:
    """Crawl, or go on crawling, and report.

    Raises:
        CrawlError: the crawl could not be begun, or carried to its end; what was settled is saved.
    """
    config = job.config
    # Files that the fetcher reads, and logins not given again, are found wanting before anything is written.
    async with _fetcher(job) as fetcher:
        await _make_sure_of_entry(job, fetcher)
    with _journal(job) as journal:
        if job.update and journal.last_run() is None:
            update.take_over(journal, job.folder, job.query, _key(config))
        seeds = tuple(dict.fromkeys((*_seeds(journal.runs()), *job.seeds)))
        before = journal.last_run()
        run = journal.begin(_run(job, seeds), update=job.update)
        _note_logins(journal, job)
        found = update.found(journal, run)
        _leave_what_no_longer_holds(journal, before, run)
        await read_again(journal, partial(read, reading=_reading(job)), stopping)
        held = tuple(holding.request for holding in found.holdings) if found else ()
        core = _core(config, job.query, seeds, goal=run.goal, held=held, first_round=journal.first_round())
        tree = Tree(
            job.folder,
            config.output,
            journal,
            excerpts=partial(Excerpts, job.query),
            queries=_queries(journal),
            goal=run.goal,
            key=_key(config),
            found=found or (Found() if job.update else None),
        )
        tally = Tally(run.goal)
        politeness = Politeness(config.politeness, _hosts(journal))

        def project(event: Event) -> None:
            tree.project(event)
            if event.request.rank == 0:
                round = event.request.round
                tally.plan(Plan(round, (event.request,), journal.passed_over(round)))
            tally.settle(event)

        def observe(event: Event) -> None:
            for observer in observers:
                observer(event)

        recall = partial(journal.epochs.recall, reader=run.reader) if found else None
        async with _visitor(job, politeness, stopping, recall) as visitor:
            stop = await runner.run(
                core,
                journal,
                visitor,
                project=project,
                observe=observe,
                hosts=lambda: {host: state.as_dict() for host, state in politeness.hosts().items()},
                stopping=stopping,
            )
        filed = await _finished(tree.finishing(stop, core.forsaken()), stopping)
        if filed is None:
            stop = core.interrupted()
        journal.end(run, stop)
        return tally.report(
            stop,
            query=job.query,
            seeds=seeds,
            output=str(job.folder),
            adaptive=job.adaptive,
            seconds=core.seconds,
            paths=tree.paths,
            notes=[*_notes(job), *map(_left_alone, filed.in_the_way if filed else ())],
            resumed=before is not None and before.epoch == run.epoch,
            changes=tree.changes,
        )


async def _finished(steps: Generator[None, None, Filed], stopping: Stopping) -> Filed | None:
    """Take the steps that finish a tree, with an ear for signals; None when told twice to stop: it leaves at
    once then, and the next run brings the tree up to date."""
    while not stopping.at_once.is_set():
        try:
            next(steps)
        except StopIteration as end:
            return cast(Filed, end.value)
        await asyncio.sleep(0)
    return None


def _leave_what_no_longer_holds(journal: Journal, before: Run | None, run: Run) -> None:
    """Give up a round that was planned under other settings: what is open of it is planned anew."""
    open_plan = journal.open_plan()
    if open_plan is not None and before is not None and before.config != run.config:
        journal.abandon(open_plan.round)


async def _make_sure_of_entry(job: Job, fetcher: Fetcher) -> None:
    """Ask once where a login is missing: else page after page would be noted as refused for good.

    Raises:
        LoginError: the site asks for it still.
    """
    for seed in job.seeds:
        if urls.origin(seed) not in job.logins_missing:
            continue
        outcome = (await fetcher.fetch(seed)).outcome
        if isinstance(outcome, Failure) and outcome.kind is FailureKind.AUTH:
            raise LoginError(f"{seed} asks for the user and password that the crawl began with.")


def _note_logins(journal: Journal, job: Job) -> None:
    """Note where the user gave logins, so that a resumed run can say that it needs them again."""
    noted = journal.note(LOGINS) or []
    origins = list(dict.fromkeys([*noted, *map(urls.origin, job.logins)]))
    if origins != noted:
        journal.keep_note(LOGINS, origins)


def _hosts(journal: Journal) -> dict[str, HostState]:
    return {host: host_state(numbers) for host, numbers in journal.hosts().items()}


def _left_alone(path: str) -> str:
    return f"{path} was edited or is not ours, and was left as it is; move it away and --resume to get ours"


def _notes(job: Job) -> list[str]:
    """What the reader of the report should know of how the crawl was made."""
    notes = []
    if not job.config.politeness.robots:
        notes.append("robots.txt was ignored, as asked")
    if job.config.scope.within == "any":
        notes.append("links to any host were followed, as asked")
    return notes


async def dry_run(job: Job) -> DryRun:
    """Fetch robots.txt and the seeds, and say what a crawl would visit next; nothing is written.

    Raises:
        CrawlError: the strategy or the configuration is of no use.
    """
    config = job.config
    found = update.would_find(job.folder, _key(config)) if job.update else Found()
    held = [holding.request for holding in found.holdings]
    seeds_only = dataclasses.replace(config, discovery=DiscoveryConfig(False, False, False))
    core = _core(seeds_only, job.query, job.seeds, held=held)
    seeds: list[Event] = []
    async with _visitor(job, Politeness(config.politeness), Stopping()) as visitor:
        while isinstance(step := core.plan(), Plan) and all(map(_is_seed, step.requests)):
            for request in step.requests:
                seeds.append(core.settle(request, (await visitor.visit(request)).outcome))
            core.close_round(step.round, seconds=0.0)
    pages = [event.outcome for event in seeds if isinstance(event.outcome, Page)]
    links = {link.key: link.url for page in pages for link in page.links}
    verdicts = [(url, core.verdict(url, 1)) for url in links.values()]
    return DryRun(
        job.query,
        tuple(visit_of(event) for event in seeds if event.request.kind is Kind.PAGE),
        tuple(scored for scored in core.ranked() if not core.is_held(scored.candidate.key)),
        tuple((url, rule) for url, rule in verdicts if rule),
        core.trouble,
        core.seeds_refused,
        *update.prospects(found, core.forsaken(), _key(config)),
    )


def _is_seed(request: Request) -> bool:
    return request.kind is not Kind.PAGE or not request.referrer


@contextmanager
def _journal(job: Job) -> Iterator[Journal]:
    """The journal of the output folder, a new one unless the crawl in it is gone on with."""
    is_there = job.resume or (job.update and journalfile.place(job.folder).exists())
    with Journal.open(job.folder) if is_there else Journal.create(job.folder) as journal:
        yield journal


def _seeds(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(seed for run in runs for seed in run.seeds))


def _queries(journal: Journal) -> dict[int, str]:
    """Goal → text of its query."""
    return {run.goal: run.query.text if run.query else "" for run in journal.runs()}


def _run(job: Job, seeds: tuple[str, ...]) -> Run:
    return Run(
        seeds,
        Query(job.query) if job.query else None,
        job.record,
        version=__version__,
        reader=_reader_digest(job),
    )


def _reading(job: Job) -> Reading:
    config = job.config
    return Reading(content_filter(config.content, job.query), config.fetch.downloads, config.scope.drop_rules)


def _reader_digest(job: Job) -> str:
    """Names what decides how a body is read: another digest, and pages held are read again."""
    config = job.config
    query = job.query if config.content.filter is Filter.BM25 else ""
    decides = (READER_VERSION, config.content, query, config.scope.drop_rules)
    return hashlib.sha256(repr(decides).encode()).hexdigest()


def _core(
    config: Config,
    query: str,
    seeds: Sequence[str],
    *,
    goal: int = 0,
    held: Sequence[Request] = (),
    first_round: int = 0,
) -> Crawl:
    return Crawl(
        seeds,
        _strategy(config, query),
        Scope(config.scope, seeds, config.fetch.downloads),
        _limits(config, adaptive=bool(query) and config.strategy.name != "none"),
        goal=goal,
        robots_agent=_agent(config),
        max_redirects=config.fetch.max_redirects,
        canonicalize=_key(config),
        variants=_variants(config, query, seeds),
        held=held,
        first_round=first_round,
        discovery=config.discovery,
    )


def _variants(config: Config, query: str, seeds: Sequence[str]) -> Variants | None:
    if config.scope.variants == "all":
        return None
    keys = list(map(_key(config), seeds))
    # A question in Chinese is for the Chinese edition, unless the user points to another one.
    asked_in = "" if any(edition_of(key).language.value for key in keys) else language_of(query)
    return Variants(config.scope.language or asked_in, config.scope.doc_version, keys)


def _limits(config: Config, *, adaptive: bool) -> Limits:
    """The limits in force: nothing ends a whole-site crawl early, and an adaptive one plans no more at once
    than it may fetch at once, since each page read makes the next choice better."""
    limits = config.limits
    if not adaptive:
        return dataclasses.replace(limits, early_stop=False)
    return dataclasses.replace(limits, round_size=min(limits.round_size, config.politeness.concurrency))


def _strategy(config: Config, query: str) -> Strategy:
    if not query or config.strategy.name == "none":
        return WholeSite(Query(query) if query else None, config.links)
    return StatisticalStrategy(Query(query), config.strategy, config.links)


def _fetcher(job: Job) -> Fetcher:
    config = job.config
    fetch = dataclasses.replace(config.fetch, headers=expand(config.fetch.headers, os.environ))
    wanted = partial(_wanted, config.fetch.downloads)
    return Fetcher(fetch, seeds=(*job.seeds, *job.logins), wanted=wanted, key=_key(config))


@asynccontextmanager
async def _visitor(
    job: Job, politeness: Politeness, stopping: Stopping, recall: Recall | None = None
) -> AsyncIterator[Visitor]:
    config = job.config
    make = partial(visited_of, partial(read, reading=_reading(job)))
    async with _fetcher(job) as fetcher, Readers(make, at_once=SMALL) as readers:
        yield Visitor(
            fetcher,
            Gate(politeness, stopping=stopping.asked),
            politeness,
            readers,
            agent=_agent(config),
            retries=config.fetch.retries,
            max_redirects=config.fetch.max_redirects,
            max_entries=config.discovery.max_entries,
            **({"recall": recall} if recall else {}),
        )


def _key(config: Config) -> Callable[[str], str]:
    return partial(canonicalize, drop=config.scope.drop_rules)


def _agent(config: Config) -> str | None:
    """The token that robots.txt is matched with; None where it is not asked."""
    return product_token(config.fetch.agent) if config.politeness.robots else None


def _wanted(downloads: Sequence[str], media_type: str) -> bool:
    return may_be_page(media_type) or is_wanted(media_type, downloads)
