"""The end of a large crawl: its tree is finished page by page, and a signal is heard meanwhile."""

import asyncio
import dataclasses
from pathlib import Path

from adaptive_crawl.cli import compose
from adaptive_crawl.cli.config import Config
from adaptive_crawl.cli.report import Report
from adaptive_crawl.crawler.crawl import Limits
from adaptive_crawl.crawler.fetching.politeness import PolitenessConfig
from adaptive_crawl.crawler.model import StopReason
from adaptive_crawl.crawler.stopping import Stopping
from adaptive_crawl.output.tree import OutputConfig

from .website import Website, page

PAGES = 12


def site() -> Website:
    website = Website({"/": page("All", "All pages.", links={f"/{n}": f"page {n}" for n in range(PAGES)})})
    for number in range(PAGES):
        website[f"/{number}"] = page(f"Page {number}", f"Text of {number}.", links={"/": "all pages"})
    return website


def job(base_url: str, folder: Path) -> compose.Job:
    config = Config(
        limits=Limits(max_pages=None),
        politeness=PolitenessConfig(delay=0),
        output=OutputConfig(directory=str(folder)),
    )
    return compose.Job((base_url,), "", config)


def localized(folder: Path) -> int:
    """Pages whose link to the start page leads to its file."""
    pages = (file for file in folder.rglob("*.md") if file.name != "index.md")
    return sum("](home.md" in file.read_text("utf-8") for file in pages)


def test_a_tree_that_is_being_finished_is_left_at_once_and_finished_by_the_next_run(tmp_path: Path) -> None:
    folder = tmp_path / "tree"

    async def story(base_url: str) -> Report:
        stopping = Stopping()

        async def stop_between_two_pages() -> None:
            while not localized(folder):  # noqa: ASYNC110 - there is nothing to be told by
                await asyncio.sleep(0)
            stopping.ask()
            stopping.ask()

        stopper = asyncio.create_task(stop_between_two_pages())
        report = await compose.run_job(job(base_url, folder), (), stopping)
        await stopper
        return report

    with site().served() as base_url:
        stopped = asyncio.run(story(base_url))
        left = localized(folder), (folder / "index.md").exists()
        again = dataclasses.replace(job(base_url, folder), resume=True)
        resumed = asyncio.run(compose.run_job(again, (), Stopping()))
    assert stopped.stopped_reason is StopReason.INTERRUPTED
    assert 0 < left[0] < PAGES
    assert not left[1]
    assert resumed.stopped_reason is StopReason.FRONTIER_EMPTY
    assert (localized(folder), (folder / "index.md").exists()) == (PAGES, True)
