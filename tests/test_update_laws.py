"""What holds of every update, whatever the site: core, journal and tree together, without a network."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.crawl import Crawl, Limits
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.model import Download, Event, Failure, Page, Request
from adaptive_crawl.crawler.runner import run
from adaptive_crawl.crawler.scope import Scope, ScopeConfig
from adaptive_crawl.output.changes import Changes
from adaptive_crawl.output.contents import Found
from adaptive_crawl.output.tree import OutputConfig, Tree
from adaptive_crawl.scoring.summary import Excerpts

from .test_resume import LAW, PATHS, folders, websites
from .test_tree import contents
from .toy_crawl import Touchy, ToyVisitor, journal_of
from .website import Website, failure, page, redirect


@dataclass
class Updated:
    """What a run left: the tree's files, what it says of them, and which pages were asked for."""

    files: dict[str, bytes]
    changes: Changes
    asked: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)


@dataclass
class Carrying(ToyVisitor):
    """Brings the bytes of files along, which the journal keeps."""

    async def visit(self, request: Request) -> Visited:
        visited = await super().visit(request)
        has_body = isinstance(visited.outcome, Page | Download)
        return Visited(visited.outcome, self.site.body(request.url) if has_body else None)


def updated(
    folder: Path,
    site: Website,
    *,
    update: bool = True,
    on_event: Callable[[Event], None] = lambda event: None,
) -> Updated:
    """Crawl everything, or bring what is there up to date."""
    visitor = Carrying(site)
    with journal_of(folder) as journal:
        begun = journal.begin(Run((site.url("/"),)), update=update)
        before = begun.epoch - 1
        found = Found(journal.epochs.of(before), journal.epochs.aliases_of(before))
        held = [holding.request for holding in found.holdings]
        core = Crawl(
            [site.url("/")],
            Touchy(),
            Scope(ScopeConfig(), [site.url("/")], downloads=True),
            Limits(max_pages=None, min_gain=0, round_size=4),
            robots_agent="bot",
            held=held,
            first_round=journal.first_round(),
        )
        tree = Tree(folder, OutputConfig(), journal, excerpts=Excerpts, queries={0: ""}, found=found)

        def project(event: Event) -> None:
            tree.project(event)
            on_event(event)

        stop = asyncio.run(run(core, journal, visitor, project=project, clock=lambda: 0.0))
        tree.finish(stop, core.forsaken())
        journal.end(begun, stop)
    changes = tree.changes
    assert changes is not None
    return Updated(contents(folder), changes, visitor.visited, [request.url for request in held])


@LAW
@given(websites())
def test_an_update_of_a_site_that_did_not_change_changes_nothing(site: Website) -> None:
    with folders() as folder:
        first = updated(folder / "tree", site)
        for _ in range(2):
            again = updated(folder / "tree", site)
            assert not again.changes
            assert again.changes.unseen == ()
            assert again.files == first.files
            pages = [url for url in again.asked if not url.endswith("/robots.txt")]
            assert set(again.held) <= set(pages)
            assert len(set(pages)) == len(pages), "no URL is asked for twice"


@LAW
@given(websites(), websites())
def test_an_update_takes_only_what_the_site_says_is_gone(site: Website, later: Website) -> None:
    with folders() as folder:
        updated(folder / "tree", site)
        after = updated(folder / "tree", later)
        fates = (
            after.changes.added,
            after.changes.changed,
            after.changes.removed,
            after.changes.unchanged,
            after.changes.unseen,
        )
        told = [change.url for fate in fates[1:] for change in fate]
        assert sorted(told) == sorted(after.held), "every page held is told of once"
        removed = {change.url for change in after.changes.removed}
        for url in after.held:
            outcome = later.outcome(url)
            if isinstance(outcome, Failure) and outcome.status not in (404, 410):
                assert url not in removed or later.robots != 404
        kept = {change.path for fate in fates for change in fate} - {c.path for c in after.changes.removed}
        assert kept == {path for path in after.files if not path.endswith("index.md")}
        again = updated(folder / "tree", later)
        assert not again.changes
        assert again.files == after.files


@LAW
@given(websites(), websites(), st.integers(0, 2**32))
def test_an_update_killed_at_any_point_and_begun_again_is_the_update_that_was_never_stopped(
    site: Website, later: Website, seed: int
) -> None:
    with folders() as folder:
        chance = Random(seed)
        updated(folder / "whole", site)
        killed: list[Path] = []

        def leave_as_killed(event: Event) -> None:
            if chance.random() < 0.3:
                killed.append(folder / f"killed{len(killed)}")
                shutil.copytree(folder / "whole", killed[-1])

        whole = updated(folder / "whole", later, on_event=leave_as_killed)
        for left in killed:
            again = updated(left, later, update=chance.random() < 0.5)
            assert (again.changes, again.files) == (whole.changes, whole.files)


def test_a_journal_does_not_grow_with_the_number_of_updates(tmp_path: Path) -> None:
    site = Website({"/": page("Home", "All pages.", links=[(path, path) for path in PATHS[1:]])})
    for number, path in enumerate(PATHS[1:]):
        site[path] = page(path, f"Text of {path}, again.") if number else redirect("/p1")
    rows = []
    for day in range(8):
        site["/p2"] = page("News", f"News of day {day}.") if day % 2 else failure(500)
        updated(tmp_path, site)
        rows.append(count_rows(tmp_path))
    assert rows[2:4] == rows[4:6] == rows[6:]


def count_rows(folder: Path) -> list[int]:
    with closing(sqlite3.connect(folder / ".crawl" / "journal.sqlite3")) as database:
        tables = ("requests", "rounds", "bodies", "holdings", "aliases", "validators")
        return [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
