"""The tree as crawls of a toy site leave it: its files byte for byte, and what is never touched."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest

from adaptive_crawl.crawler.crawl import Crawl, Limits
from adaptive_crawl.crawler.fetching.revisit import Holding
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.model import (
    Assessment,
    Candidate,
    Disposition,
    Download,
    Event,
    Kind,
    Outcome,
    Page,
    Query,
    Request,
    Scored,
    Stop,
    StopReason,
)
from adaptive_crawl.crawler.runner import run
from adaptive_crawl.crawler.scope import Scope, ScopeConfig
from adaptive_crawl.output.document import parse
from adaptive_crawl.output.tree import Filed, OutputConfig, Tree
from adaptive_crawl.scoring.summary import Excerpts

from .toy_crawl import ToyVisitor, journal_of
from .website import Website, failure, file, page, redirect

GOLDEN = Path(__file__).parent / "golden"
QUERY = "how long are backups kept"


def handbook() -> Website:
    """A small site with one of everything that a tree can hold or leave out."""
    site = Website(
        {
            "/": page(
                "Handbook",
                "The handbook explains how the service stores and protects your data.",
                links={
                    "/backups/": "Backups 0.9",
                    "/billing.html": "Billing 0.5",
                    "/指南/认证": "认证指南 0.4",
                    "/old": "Moved 0.3",
                    "/twin": "Twin 0.2",
                    "/prices.pdf": "Prices 0.2",
                    "/gone": "Gone 0.1",
                    "https://elsewhere.example/": "Elsewhere 0.9",
                },
            ),
            "/backups/": page(
                "Backups",
                "The service copies every database to a second region each night.\n\n"
                "## Retention\n\nBackups are kept for thirty days. After that they are removed for good.",
                links={"/backups/restore": "Restore 0.8", "/": "Home 0.1"},
            ),
            "/backups/restore": page(
                "Restore | a [backup] `now`\n---\nsource_url: https://evil.example",
                "To restore a backup, choose it in the list and press the button.",
                links={"/twin": "Twin 0.2", "/prices.pdf": "Prices 0.2"},
            ),
            "/billing.html": page("Billing", "Invoices are sent on the first day of each month."),
            "/指南/认证": page("认证指南", "令牌每小时刷新一次。请妥善保管您的访问令牌。", language="zh-CN"),
            "/old": redirect("/backups/restore"),
            "/twin": page("Billing", "Invoices are sent on the first day of each month."),
            "/prices.pdf": file(b"%PDF-1.7 prices", "application/pdf"),
            "/gone": failure(404),
        }
    )
    return site


@dataclass
class ByAnchor:
    """Scores a link by the number in its anchor text; sure of its answer after five pages."""

    learned: list[str] = field(default_factory=list)

    def learn(self, candidate: Candidate, outcome: Outcome) -> None:
        if isinstance(outcome, Page):
            self.learned.append(outcome.key)

    def assess(self, ranked: Sequence[Scored]) -> Assessment:
        held = len(self.learned)
        return Assessment(min(1.0, held / 5), {"coverage": min(1.0, held / 4), "saturation": 0.25})

    def rank(self, candidates: Sequence[Candidate]) -> Sequence[Scored]:
        scored = []
        for candidate in candidates:
            anchor = candidate.sightings[0].anchor if candidate.sightings else "1.0"
            parts = (("anchor", float(anchor.split()[-1])),)
            scored.append(Scored(candidate, parts[0][1], parts, f"“{anchor}”"))
        return scored


@dataclass
class Fetching(ToyVisitor):
    """Brings the bytes of files along, which the journal keeps."""

    async def visit(self, request: Request) -> Visited:
        visited = await super().visit(request)
        if isinstance(visited.outcome, Download):
            return replace(visited, body=self.site.body(request.url))
        return visited


@dataclass
class Grown:
    """A tree after a crawl."""

    folder: Path
    filed: Filed
    visited: list[str]
    early: dict[str, bytes]
    """Each file as it was when the event that brought it had been projected."""

    def __getitem__(self, path: str) -> str:
        return (self.folder / path).read_text("utf-8")


def grow(
    folder: Path,
    site: Website,
    *,
    query: str = QUERY,
    config: OutputConfig | None = None,
    limits: Limits | None = None,
    scope: ScopeConfig | None = None,
) -> Grown:
    """Crawl a site into a folder, or go on with the crawl in it."""
    early: dict[str, bytes] = {}
    visitor = Fetching(site)
    with journal_of(folder) as journal:
        begun = journal.begin(Run((site.url(),), Query(query) if query else None))
        queries = {run.goal: run.query.text if run.query else "" for run in journal.runs()}
        tree = Tree(
            folder,
            config or OutputConfig(),
            journal,
            excerpts=partial(Excerpts, query),
            queries=queries,
            goal=begun.goal,
        )
        core = Crawl(
            [site.url()],
            ByAnchor(),
            Scope(scope or ScopeConfig(), [site.url()], downloads=True),
            limits or Limits(min_gain=0, max_pages=None),
            goal=begun.goal,
        )

        def project(event: Event) -> None:
            tree.project(event)
            path = tree.paths.get(event.request.key, "")
            if path and event.disposition in (Disposition.KEPT, Disposition.DOWNLOADED):
                early[path] = (folder / path).read_bytes()

        stop = asyncio.run(run(core, journal, visitor, project=project, clock=lambda: 0.0))
        filed = tree.finish(stop)
        journal.end(begun, stop)
    return Grown(folder, filed, visitor.visited, early)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a tree, the journal's folder left out."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = {path.relative_to(folder).as_posix(): path for path in files}
    return {path: file.read_bytes() for path, file in found.items() if not path.startswith(".crawl/")}


def check_against(golden: Path, folder: Path) -> None:
    """Compare byte for byte; ``UPDATE_GOLDEN=1`` accepts what is there."""
    if os.environ.get("UPDATE_GOLDEN"):
        shutil.rmtree(golden, ignore_errors=True)
        for path, content in contents(folder).items():
            (golden / path).parent.mkdir(parents=True, exist_ok=True)
            (golden / path).write_bytes(content)
    grown, expected = contents(folder), contents(golden)
    assert list(grown) == list(expected)
    for path, content in expected.items():
        assert grown[path].decode() == content.decode(), path


def test_a_crawl_for_a_query_leaves_this_tree(tmp_path: Path) -> None:
    grow(tmp_path, handbook())
    check_against(GOLDEN / "query", tmp_path)


def test_a_whole_site_without_times_and_with_marks_leaves_this_tree(tmp_path: Path) -> None:
    grow(tmp_path, handbook(), query="", config=OutputConfig(timestamps=False, annotate=True))
    check_against(GOLDEN / "whole", tmp_path)


def test_a_page_is_there_with_absolute_links_as_soon_as_it_is_settled(tmp_path: Path) -> None:
    grown = grow(tmp_path, handbook())
    assert b"](https://toy.example/backups/)" in grown.early["home.md"]
    assert "](backups.md)" in grown["home.md"]
    assert parse(grown.early["home.md"].decode())[0] == parse(grown["home.md"])[0]
    assert grown.early["prices.pdf"] == b"%PDF-1.7 prices"


def test_links_to_what_moved_or_is_held_elsewhere_lead_to_where_it_is(tmp_path: Path) -> None:
    grown = grow(tmp_path, handbook())
    home = grown["home.md"]
    assert "[Billing 0.5](billing.md)" in home
    assert "[Moved 0.3](backups/restore.md)" in home
    assert "[Twin 0.2](billing.md)" in home
    assert "[Prices 0.2](prices.pdf)" in home
    assert "[Gone 0.1](https://toy.example/gone)" in home
    assert "[Elsewhere 0.9](https://elsewhere.example/)" in home


def test_absolute_links_can_be_kept(tmp_path: Path) -> None:
    grown = grow(tmp_path, handbook(), config=OutputConfig(links="absolute"))
    assert grown.early["home.md"].decode() == grown["home.md"]
    assert "](home.md)" in grown["index.md"]


def test_every_page_is_linked_from_the_index_of_its_folder(tmp_path: Path) -> None:
    grow(tmp_path, handbook())
    for path in contents(tmp_path):
        place = tmp_path / path
        if place.name != "index.md":
            assert f"]({place.name})" in (place.parent / "index.md").read_text("utf-8"), path


def test_resuming_a_finished_crawl_writes_and_fetches_nothing(tmp_path: Path) -> None:
    first = grow(tmp_path, handbook())
    before = {path: (tmp_path / path).stat().st_mtime_ns for path in contents(tmp_path)}
    again = grow(tmp_path, handbook())
    assert again.visited == []
    assert again.filed == Filed(0, len(before), 0)
    assert {path: (tmp_path / path).stat().st_mtime_ns for path in contents(tmp_path)} == before
    assert first.filed.in_the_way == ()


def test_resuming_restores_what_is_missing_byte_for_byte(tmp_path: Path) -> None:
    grow(tmp_path, handbook())
    before = contents(tmp_path)
    for path in before:
        (tmp_path / path).unlink()
    shutil.rmtree(tmp_path / "backups")
    grow(tmp_path, handbook())
    assert contents(tmp_path) == before


def test_a_page_edited_by_hand_is_kept_reported_and_written_once_it_is_moved_away(tmp_path: Path) -> None:
    ours = grow(tmp_path, handbook())["billing.md"]
    (tmp_path / "billing.md").write_text("my notes")
    again = grow(tmp_path, handbook())
    assert again.filed.in_the_way == ("billing.md",)
    assert again["billing.md"] == "my notes"
    assert "](billing.md)" in again["index.md"]
    (tmp_path / "billing.md").rename(tmp_path / "notes.md")
    assert grow(tmp_path, handbook())["billing.md"] == ours
    assert (tmp_path / "notes.md").read_text() == "my notes"


def test_pages_that_are_no_longer_part_of_the_tree_are_removed_unless_edited(tmp_path: Path) -> None:
    grow(tmp_path, handbook())
    (tmp_path / "billing.md").write_text("my notes")
    (tmp_path / "指南" / "mine.txt").write_text("my notes")
    narrow = ScopeConfig(exclude=("*/billing.html", "*/backups/*", "*认证*", "*%E8%AE%A4*", "*/twin"))
    grown = grow(tmp_path, handbook(), scope=narrow)
    assert sorted(contents(tmp_path)) == [
        "billing.md",
        "home.md",
        "index.md",
        "prices.pdf",
        "指南/mine.txt",
    ]
    assert grown.filed.in_the_way == ("billing.md",)
    assert not (tmp_path / "backups").exists()


def test_a_second_query_grows_the_tree_and_leaves_its_pages_as_they_are(tmp_path: Path) -> None:
    first = contents(grow(tmp_path, handbook(), limits=Limits(min_gain=0, max_pages=2)).folder)
    second = grow(tmp_path, handbook(), query="when are invoices sent")
    # But for the link to what the second one brought.
    (facts, body), (later, grown) = parse(first["backups.md"].decode()), parse(second["backups.md"])
    assert (facts, body.split("- [Restore")[0]) == (later, grown.split("- [Restore")[0])
    assert f"query: {QUERY}\n" in second["backups.md"]
    assert "query: when are invoices sent\n" in second["billing.md"]
    assert "# when are invoices sent\n" in second["index.md"]
    assert f"- **Asked before:** {QUERY}\n" in second["index.md"]
    assert "[Billing](billing.md)" in second["index.md"].split("## Summary")[0]


def test_a_page_that_changed_is_written_again_in_its_place(tmp_path: Path) -> None:
    site = handbook()
    with journal_of(tmp_path) as journal:
        tree = Tree(tmp_path, OutputConfig(), journal, excerpts=Excerpts, queries={})
        request = Request(0, 0, 0, Kind.PAGE, site.url("/billing.html"), site.url("/billing.html"))
        tree.project(Event(request, site.page("/billing.html"), Disposition.KEPT))
        site["/billing.html"] = page("Billing", "Invoices are sent on the last day of each month.")
        tree.project(Event(request, site.page("/billing.html"), Disposition.KEPT))
    assert list(contents(tmp_path)) == ["billing.md"]
    assert "on the last day" in (tmp_path / "billing.md").read_text()


CRAWL = """
import os, signal, sys
from pathlib import Path
from tests.test_tree import grow, larger_handbook

left = int(sys.argv[2])

def die_in_time(event, arguments):
    global left
    if event == "os.rename" and not str(arguments[1]).startswith(sys.argv[1] + "/.crawl"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(die_in_time)
grow(Path(sys.argv[1]), larger_handbook())
"""
"""Crawls into a folder, and dies where it would put one file more into the tree than it may."""


def larger_handbook() -> Website:
    paths = [f"/part{n % 4}/page{n}" for n in range(30)]
    links = {path: f"Page {n} {1 - n / 200}" for n, path in enumerate(paths)}
    pages = {
        path: page(f"Page {n}", f"Text of page {n}. " * 40, links={paths[n - 1]: "Back 0.5", "/": "Up 0.1"})
        for n, path in enumerate(paths)
    }
    return Website({"/": page("Home", "All pages.", links=links), **pages})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return contents(grow(tmp_path_factory.mktemp("whole"), larger_handbook()).folder)


@pytest.mark.parametrize("files", [0, 20, 31, 45, 64])
def test_killed_at_any_moment_no_file_is_cut_and_the_resumed_tree_is_the_whole_one(
    tmp_path: Path, whole: dict[str, bytes], files: int
) -> None:
    command = [sys.executable, "-c", CRAWL, str(tmp_path), str(files)]
    died = subprocess.run(command, cwd=Path(__file__).parent.parent, check=False)
    assert died.returncode == -signal.SIGKILL
    left = contents(tmp_path)
    assert set(left) <= set(whole)
    for path, content in left.items():
        facts, body = parse(content.decode())
        assert facts == parse(whole[path].decode())[0], path
        assert body.count("\n") == parse(whole[path].decode())[1].count("\n"), path
    grown = grow(tmp_path, larger_handbook())
    assert contents(tmp_path) == whole
    assert grown.filed.in_the_way == ()
    assert not (tmp_path / ".crawl" / "tmp").exists()


class Forgetful:
    """A manifest that remembers nothing: a real one lies on disk."""

    def files(self) -> dict[str, str]:
        return {}

    def note(self, files: Iterable[tuple[str, str]]) -> None:
        """Remember nothing."""

    def forget(self, paths: Iterable[str]) -> None:
        """Nothing was remembered."""


class Oblivious:
    """Notes of a tree that nobody keeps."""

    def note(self, serial: int, holding: Holding) -> None:
        """Keep nothing."""

    def replace(self, holdings: Sequence[Holding], aliases: Mapping[str, str]) -> None:
        """Keep nothing."""


class Endless:
    """A record of any number of large pages that takes no memory itself."""

    @property
    def manifest(self) -> "Forgetful":
        return Forgetful()

    @property
    def epochs(self) -> "Oblivious":
        return Oblivious()

    def page(self, key: str) -> Page:
        text = "\n\n".join(f"Sentence {n} of {key} tells what it is about. " * 6 for n in range(70))
        return replace(Website({"/": page(key, text)}).page("/"), url=key, key=key)

    def anchors(self, key: str) -> tuple[tuple[str, str], ...]:
        return self.page(key).anchors

    def body(self, digest: str) -> bytes:
        raise KeyError(digest)

    def events(self, count: int) -> Iterator[Event]:
        for number in range(count):
            key = f"https://toy.example/part{number % 5}/page{number}"
            request = Request(
                number, 0, 0, Kind.PAGE, key, key, 1, "https://toy.example/", "a link", "a reason"
            )
            yield Event(request, self.page(key), Disposition.KEPT)


def peak_of(folder: Path, pages: int, memory: int) -> int:
    """Most bytes in use while a tree of so many pages is projected and finished."""
    record = Endless()
    tree = Tree(
        folder,
        OutputConfig(),
        record,
        excerpts=partial(Excerpts, "tells"),
        queries={0: "tells"},
        memory=memory,
    )
    tracemalloc.start()
    try:
        for event in record.events(pages):
            tree.project(event)
        tree.finish(Stop(StopReason.FRONTIER_EMPTY, ""))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_stays_flat_over_many_pages(tmp_path: Path) -> None:
    few, many = peak_of(tmp_path / "few", 8, 100_000), peak_of(tmp_path / "many", 32, 100_000)
    assert len(contents(tmp_path / "many")["part0/page0.md"]) > 25_000
    assert (many - few) / 24 < 5_000
