"""The composition root: a job → the objects of one crawl, joined, run and reported.

The only place that knows every part. Decides nothing that a part could decide.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from adaptive_crawl import __version__
from adaptive_crawl.crawler import runner
from adaptive_crawl.crawler.crawl import Crawl
from adaptive_crawl.crawler.fetcher import Fetcher
from adaptive_crawl.crawler.gate import Gate
from adaptive_crawl.crawler.journal import Journal
from adaptive_crawl.crawler.model import Event, Kind, Plan, Query, Request, Scored, Stop, Strategy
from adaptive_crawl.crawler.politeness import Politeness, host_state
from adaptive_crawl.crawler.reader import READER_VERSION, Reading, is_wanted, read
from adaptive_crawl.crawler.record import Run
from adaptive_crawl.crawler.robots import product_token
from adaptive_crawl.crawler.scope import Scope
from adaptive_crawl.crawler.stopping import Stopping
from adaptive_crawl.crawler.urls import canonicalize
from adaptive_crawl.crawler.visit import Visitor

from .config import Config
from .report import DryRun, Report, Tally, visit_of

Observer = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Job:
    """A crawl to be run."""

    seeds: tuple[str, ...]
    query: str
    """Empty for a crawl of everything in scope."""
    config: Config
    resume: bool = False
    record: Mapping[str, Any] = field(default_factory=dict)
    """What the journal keeps of the configuration."""

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


def past_run(folder: Path) -> Past | None:
    """Read what the crawl in a folder was asked; None where there is none.

    Raises:
        StateError: its state cannot be read, or another run is at work in it.
    """
    if not Journal.exists(folder):
        return None
    with Journal.open(folder) as journal:
        last = journal.last_run()
        if last is None:
            return None
        return Past(_all_seeds(journal), last.query.text if last.query else "", dict(last.config))


async def run_job(job: Job, observers: Sequence[Observer], stopping: Stopping) -> Report:
    """Crawl, or go on crawling, and report.

    Raises:
        CrawlError: the crawl could not be begun, or carried to its end; what was settled is saved.
    """
    config = job.config
    with _journal(job) as journal:
        resumed = journal.last_run() is not None
        seeds = tuple(dict.fromkeys((*_all_seeds(journal), *job.seeds)))
        reading = _reading(config, job.query)
        run = journal.begin(_run(job, seeds))
        core = _core(config, job.query, seeds, run.goal)
        tree = Tree(job.folder, config.output, journal)
        tally = Tally(run.goal)
        politeness = Politeness(config.politeness, _hosts(journal))
        seconds = _Stopwatch(journal, run.goal)

        def project(event: Event) -> None:
            tree.project(event)
            tally.settle(event)

        def observe(event: Event) -> None:
            for observer in observers:
                observer(event)

        async with Fetcher(
            config.fetch, seeds=job.seeds, wanted=_wanted(config), key=_key(config)
        ) as fetcher:
            visitor = Visitor(
                fetcher,
                Gate(politeness, stopping=stopping.asked),
                politeness,
                partial(read, reading=reading),
                agent=_agent(config),
                retries=config.fetch.retries,
                max_redirects=config.fetch.max_redirects,
            )
            stop = await runner.run(
                core,
                journal,
                visitor,
                project=project,
                observe=observe,
                hosts=lambda: {host: state.as_dict() for host, state in politeness.hosts().items()},
                stopping=stopping,
                clock=time.monotonic,
            )
