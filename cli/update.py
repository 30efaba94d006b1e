"""Updates: what one finds in the output folder, by the journal or, where that is lost, by the files."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from adaptive_crawl import __version__
from adaptive_crawl.crawler.journaling import journalfile
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.model import Query
from adaptive_crawl.output.changes import Change
from adaptive_crawl.output.contents import Found
from adaptive_crawl.output.document import one_line
from adaptive_crawl.output.index import MAX_QUERY
from adaptive_crawl.output.remains import Remains, query_of, remains_of

_LOOSE = "files found"
"""Name of the journal's note of files that were there before it."""


def found(journal: Journal, run: Run) -> Found | None:
    """What the update under way has found; None where a run is no update."""
    if run.epoch == 0:
        return None
    before = run.epoch - 1
    in_files = any(not earlier.reader for earlier in journal.runs() if earlier.epoch == before)
    return Found(
        journal.epochs.of(before),
        journal.epochs.aliases_of(before),
        in_files=in_files,
        loose=dict(journal.note(_LOOSE) or {}) if in_files else {},
    )


def would_find(folder: Path, key: Callable[[str], str]) -> Found:
    """What an update that begins now would find in a folder."""
    if not journalfile.place(folder).exists():
        is_tree = query_of(folder) is not None
        pages = remains_of(folder, key).pages if is_tree else ()
        return Found([page.holding for page in pages], in_files=True)
    with Journal.open(folder) as journal:
        last = journal.last_run()
        if last is None:
            return Found()
        is_open = last.epoch > 0 and not last.ended
        return Found(journal.epochs.of(last.epoch - is_open))


def prospects(
    found: Found, forsaken: Mapping[str, str], key: Callable[[str], str]
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """What would be looked at again, and what would not, with the rule."""
    told = [
        Change(holding.path, holding.request.url, forsaken.get(key(holding.request.url), ""))
        for holding in found.holdings
    ]
    return tuple(one for one in told if not one.why), tuple(one for one in told if one.why)


def take_over(journal: Journal, folder: Path, query: str, key: Callable[[str], str]) -> None:
    """Fill a new journal with what the files of the folder tell, if they are those of a tree."""
    if query_of(folder) is None:
        return
    remains = remains_of(folder, key)
    if remains.pages:
        journal.keep_note(_LOOSE, dict(remains.loose))
        journal.epochs.adopt(_runs(remains, query), remains.pages, remains.others)


def _runs(remains: Remains, query: str) -> Sequence[Run]:
    """A run for each query; today's, which may be longer than a file tells it, among them."""
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    told = [query if asked == one_line(query, MAX_QUERY) else asked for asked in remains.queries]
    return [
        Run((), Query(asked) if asked else None, version=__version__, started=started, goal=goal)
        for goal, asked in enumerate(told)
    ]
