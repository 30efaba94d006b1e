"""The two laws: a crawl that is stopped and resumed is the crawl that was never stopped; and which page
answers first changes nothing."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive_crawl.crawler.crawl import Limits
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.rows import Settled
from adaptive_crawl.crawler.model import Event, Order, StopReason
from adaptive_crawl.crawler.stopping import Stopping

from .test_cli import Shell
from .toy_crawl import Told, Touchy, ToyVisitor, core, crawl
from .website import Website, failure, file, page, redirect

PATHS = ["/", *(f"/p{n}" for n in range(9)), "/dir/deep", "/dir/deep?by=name"]
ELSEWHERE = ["/private/x", "/missing", "https://elsewhere.example/", "/p1#part", "//toy.example/p2"]


@st.composite
def websites(draw: st.DrawFn) -> Website:
    """Sites with links in circles, redirects, failures, files, duplicates, and pages not to be kept."""
    targets = st.lists(st.sampled_from(PATHS + ELSEWHERE), max_size=6)

    def made(path: str) -> st.SearchStrategy[object]:
        pages = st.builds(
            lambda links, noindex, nofollow: page(
                path,
                f"Text of {path}.",
                links=[(t, f"to {t}") for t in links],
                noindex=noindex,
                nofollow=nofollow,
            ),
            targets,
            st.sampled_from([False] * 4 + [True]),
            st.sampled_from([False] * 5 + [True]),
        )
        return st.one_of(
            pages,
            pages,
            pages,
            st.builds(redirect, st.sampled_from(PATHS + ELSEWHERE)),
            st.builds(failure, st.sampled_from([404, 500, 401])),
            st.just(page("Twin", "The same everywhere.")),
            st.just(file(b"%PDF-1.7", "application/pdf")),
        )

    site = Website({path: draw(made(path)) for path in PATHS})  # type: ignore[misc]
    if draw(st.integers(0, 4)):
        site["/"] = page(
            "Home", "Welcome.", links=[(path, f"to {path}") for path in draw(targets) + PATHS[1:4]]
        )
    robots: list[str | int] = [404, "User-agent: *\nDisallow: /private\nDisallow: /p3\n", 503]
    site.robots = draw(st.sampled_from(robots))
    return site


def _named(targets: list[str]) -> list[tuple[str, str]]:
    return [(target, f"to {target}") for target in targets]


@st.composite
def manners(draw: st.DrawFn) -> "Manner":
    """Ways to crawl a site."""
    return Manner(
        Limits(
            max_pages=draw(st.none() | st.integers(1, 8)),
            max_depth=draw(st.none() | st.integers(0, 3)),
            max_rounds=draw(st.none() | st.integers(1, 6)),
            max_bytes=draw(st.none() | st.integers(1, 3000)),
            round_size=draw(st.integers(1, 5)),
            min_gain=draw(st.sampled_from([0.0, 0.3])),
            order=draw(st.sampled_from(Order)),
        ),
        enough=draw(st.sampled_from([3, 1000])),
        agent=draw(st.sampled_from([None, "bot"])),
    )


class Manner:
    """How a site is crawled, and crawling it so in a folder, from the start or from where it was left."""

    def __init__(self, limits: Limits, enough: int = 1000, agent: str | None = None) -> None:
        self.limits = limits
        self.enough = enough
        self.agent = agent

    def __repr__(self) -> str:
        return f"Manner({self.limits}, {self.enough}, {self.agent!r})"

    def crawl(self, folder: Path, visitor: ToyVisitor, **more: object) -> Told:
        strategy = Touchy(enough=self.enough)
        decides = core(visitor.site, self.limits, strategy=strategy, agent=self.agent)
        return crawl(folder, decides, visitor, stopping=visitor.stopping, **more)  # type: ignore[arg-type]


@contextmanager
def folders() -> Iterator[Path]:
    """A folder for many output folders."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def assert_same(crawl: Told, whole: Told) -> None:
    """The same requests for the same reasons, with the same outcomes, meaning and end."""
    assert crawl.projected == whole.projected
    assert crawl.stop == whole.stop


LAW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


# The order of answers changes nothing.


@settings(LAW, max_examples=40)
@given(websites(), manners(), st.integers(0, 2**32), st.booleans())
def test_which_page_answers_first_changes_nothing(
    site: Website, manner: Manner, seed: int, in_threads: bool
) -> None:
    with folders() as folder:
        body = b"<html>" if in_threads else None
        in_order = manner.crawl(folder / "in order", ToyVisitor(site))
        at_random = manner.crawl(folder / "at random", ToyVisitor(site, Random(seed), body=body))
        assert_same(at_random, in_order)
        assert len(set(at_random.visited)) == len(at_random.visited), "no URL is fetched twice"


# Resume equals no stop.


@settings(LAW, max_examples=12)
@given(websites(), manners(), st.integers(0, 2**32))
def test_a_crawl_killed_at_any_point_and_resumed_is_the_crawl_that_was_never_stopped(
    site: Website, manner: Manner, seed: int
) -> None:
    with folders() as folder:
        chance = Random(seed)
        killed: list[Path] = []

        def leave_as_killed() -> None:
            """Keep the files as kill -9 would leave them at this instant."""
            killed.append(folder / f"killed{len(killed)}")
            shutil.copytree(folder / "whole", killed[-1])

        visitor = ToyVisitor(site, chance, on_visit=lambda request: leave_as_killed())
        whole = manner.crawl(folder / "whole", visitor, on_event=lambda journal, event: leave_as_killed())
        for left in killed:
            with Journal.open(left) as journal:
                settled = {past.request.url for past in _settled(journal)}
            resumed = manner.crawl(left, ToyVisitor(site, chance))
            assert_same(resumed, whole)
            assert not settled & set(resumed.visited), "what had settled is not fetched again"


@settings(LAW, max_examples=25)
@given(websites(), manners(), st.integers(0, 2**32))
def test_a_crawl_stopped_gently_again_and_again_is_the_crawl_that_was_never_stopped(
    site: Website, manner: Manner, seed: int
) -> None:
    with folders() as folder:
        chance = Random(seed)
        whole = manner.crawl(folder / "whole", ToyVisitor(site, chance))
        visited: list[str] = []
        for _ in range(100):
            run = _stopped_somewhere(manner, folder / "stopped", site, chance, signals=1)
            visited += run.visited
            if run.stop.reason is not StopReason.INTERRUPTED:
                break
        else:
            pytest.fail("it never ends")
        assert_same(run, whole)
        assert sorted(visited) == sorted(whole.visited), "every URL is fetched once over all runs"


@settings(LAW, max_examples=25)
@given(websites(), manners(), st.integers(0, 2**32))
def test_a_crawl_stopped_at_once_again_and_again_is_the_crawl_that_was_never_stopped(
    site: Website, manner: Manner, seed: int
) -> None:
    with folders() as folder:
        chance = Random(seed)
        whole = manner.crawl(folder / "whole", ToyVisitor(site, chance))
        for _ in range(100):
            run = _stopped_somewhere(manner, folder / "stopped", site, chance, signals=2)
            if run.stop.reason is not StopReason.INTERRUPTED:
                break
        else:
            pytest.fail("it never ends")
        assert_same(run, whole)


def _stopped_somewhere(manner: Manner, folder: Path, site: Website, chance: Random, signals: int) -> Told:
    """Crawl on, and be told to stop at some visit, or as some outcome is told."""
    stopping, left = Stopping(), chance.randrange(1, 6)

    def count_down(*_: object) -> None:
        nonlocal left
        left -= 1
        if -signals < left <= 0:
            stopping.ask()

    visitor = ToyVisitor(site, chance, stopping, on_visit=count_down)
    return manner.crawl(folder, visitor, on_news=count_down)


def _settled(journal: Journal) -> Iterator[Settled]:
    for past in journal.history():
        if isinstance(past, Settled):
            yield past
    plan = journal.open_plan()
    if plan is not None:
        yield from journal.settled_in(plan.round)


# A real kill.


def well_linked() -> Website:
    """A site of some rounds, the same in every process."""
    site = Website({})
    for number, path in enumerate(PATHS):
        links = [(PATHS[(number * k + k) % len(PATHS)], f"to {k}") for k in range(1, 5)]
        site[path] = page(path, f"Text of {path}.", links=links)
    return site


WELL = Manner(Limits(max_pages=None, min_gain=0, round_size=4), agent="bot")


def crawl_until_killed(folder: Path, seed: int, events: int) -> None:
    """Crawl, and die by kill -9 after so many events."""
    heard: list[Event] = []

    def count(journal: Journal, event: Event) -> None:
        heard.append(event)
        if len(heard) == events:
            os.kill(os.getpid(), signal.SIGKILL)

    WELL.crawl(folder, ToyVisitor(well_linked(), Random(seed), body=b"<html>" * 1000), on_event=count)


CHILD = """
import sys
from pathlib import Path
from tests.test_resume import crawl_until_killed
crawl_until_killed(Path(sys.argv[1]), seed=1, events=int(sys.argv[2]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize("events", [1, 3, 6, 10])
def test_a_process_killed_by_the_system_lost_nothing_that_was_settled(tmp_path: Path, events: int) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path / "killed"), str(events)]
    child = subprocess.run(command, cwd=Path(__file__).parent.parent, check=False)
    assert child.returncode == -signal.SIGKILL
    resumed = WELL.crawl(tmp_path / "killed", ToyVisitor(well_linked()))
    whole = WELL.crawl(tmp_path / "whole", ToyVisitor(well_linked()))
    assert_same(resumed, whole)
    assert len(resumed.visited) <= len(whole.visited) - events


# The command itself.


def tree_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".crawl" not in path.parts
    }


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_the_command_killed_and_resumed_leaves_the_tree_of_one_never_killed(
    tmp_path: Path,
) -> None:
    shell, site = Shell(tmp_path), well_linked()
    words = ("--no-timestamps", "--delay", "0", "--allow-private", "-o")
    with site.served():
        assert shell.run(*words, "whole", "--max-depth", "9", site.url()).code == 0
        for path in ("/p2", "/p8"):
            gate = site.hold(path)
            times = len(site.asked(path))
            start = ("--resume",) if (tmp_path / "killed").exists() else ("--max-depth", "9", site.url())
            with shell.start(*words, "killed", *start) as process:
                site.wait_for(path, times + 1)
                process.kill()
                process.communicate()
            gate.set()
        asked = len(site.paths)
        assert shell.run(*words, "killed", "--resume").code == 0
        assert 0 < len(site.paths) - asked < len(PATHS)
    assert tree_of(tmp_path / "killed") == tree_of(tmp_path / "whole")
    assert len(tree_of(tmp_path / "whole")) > len(PATHS)
