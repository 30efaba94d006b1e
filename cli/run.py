"""One run of the crawl command: a task, the crawl with those who watch it, its report, the exit code."""

import asyncio
import dataclasses
import gc
import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from adaptive_crawl.crawler.errors import UsageError
from adaptive_crawl.crawler.fetching.reading_service import COLLECTED_AFTER
from adaptive_crawl.crawler.journaling import journalfile
from adaptive_crawl.crawler.stopping import Stopping

from . import compose, streams
from .exit_codes import ExitCode, ExitRules, dry_run_code, exit_code
from .plain_text import dry_run_text, explanation, summary
from .progress import Log, Observer, Talk, progress
from .report import Report, as_json, dry_run_as_json
from .signals import Caught, caught
from .task import CommandLine, Task, go_on_command, prepare

HOW_TO_LOG_IN = (
    "The site asks who you are. Give user and password in the URL (https://USER:PASSWORD@host/), a header by "
    "--header, or a file by fetch.netrc or fetch.cookie_file; with --resume too, since they are never kept."
)


def crawl(line: CommandLine, talk: Talk) -> int:
    """Run the command.

    Raises:
        CrawlError: it could not be begun, or carried to its end.
    """
    past_run = compose.past_run_or_tree if line["update"] else compose.past_run
    task = prepare(line, os.environ, Path.cwd(), past_run)
    for hint in task.hints:
        talk.say(hint)
    job = compose.Job(
        task.seeds,
        task.query,
        task.config,
        resume=task.resume,
        update=bool(line["update"]),
        record=task.loaded.record(),
        logins=task.logins,
        logins_missing=task.logins_missing,
    )
    if line["dry_run"]:
        dry_run = asyncio.run(compose.dry_run(job))
        if line["json"]:
            streams.write_json(dry_run_as_json(dry_run))
        else:
            streams.write(dry_run_text(dry_run))
        code = dry_run_code(dry_run)
        if code is ExitCode.AUTHENTICATION:
            talk.tell(HOW_TO_LOG_IN)
        return code
    gc.set_threshold(COLLECTED_AFTER)
    with closing(_Watchers(task, line, talk)) as watchers:
        report, signals = asyncio.run(watched_crawl(job, watchers.observers, talk))
    rules = ExitRules(
        exit_zero=bool(line["exit_zero"]),
        fail_under=line["fail_under"],
        max_failures=line["max_failures"],
        fail_on_change=bool(line["fail_on_change"]),
        terminated=signals.terminated,
        logins_missing=bool(task.logins_missing),
    )
    code = exit_code(report, rules)
    _tell(dataclasses.replace(report, exit_code=int(code)), line)
    if code in (ExitCode.INTERRUPTED, ExitCode.TERMINATED):
        talk.tell(f"Interrupted; all is saved. To go on: {go_on_command(task, line)}")
    if code is ExitCode.AUTHENTICATION:
        talk.tell(HOW_TO_LOG_IN)
    return code


class _Watchers:
    """The observers that the options ask for, closed together."""

    def __init__(self, task: Task, line: CommandLine, talk: Talk) -> None:
        shown = progress(talk, task.config.limits.max_pages, os.environ)
        log = _log(line["log_file"]) if line["log_file"] else None
        self._all = [watcher for watcher in (shown, log) if watcher is not None]
        self.observers: Sequence[Observer] = self._all

    def close(self) -> None:
        for watcher in self._all:
            watcher.close()


def _log(path: str) -> Log:
    try:
        return Log(path)
    except OSError as error:
        raise UsageError(f"--log-file: {path} cannot be written: {error.strerror}") from error


async def watched_crawl(job: compose.Job, observers: Sequence[Observer], talk: Talk) -> tuple[Report, Caught]:
    """Run a job until it or a signal ends it; an error that does tells whether it can be gone on with."""
    stopping = Stopping()
    with caught(stopping, talk.say) as signals:
        try:
            return await compose.run_job(job, observers, stopping), signals
        except Exception as error:
            if journalfile.place(job.folder).exists():
                error.add_note("What was settled is saved, and --resume goes on with it.")
            raise


def _tell(report: Report, line: CommandLine) -> None:
    if line["json"]:
        streams.write_json(as_json(report))
        return
    if line["explain"]:
        streams.write(explanation(report) + "\n")
    streams.write(summary(report))
