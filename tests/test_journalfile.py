"""The journal's file: whole or not there, refused untouched, brought up to date; one run at a time."""

import os
import random
import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from adaptive_crawl.crawler.errors import DamagedError, LockedError, OutputError, StateError, UsageError
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.journalfile import STEPS, Schema
from adaptive_crawl.crawler.journaling.record import Run

from .facts import plan, request
from .website import Website, page

SITE = Website({"/": page("Home", "Welcome. " * 2000)})


def file_of(folder: Path) -> Path:
    return folder / ".crawl" / "journal.sqlite3"


def written(folder: Path, requests: int = 30) -> Path:
    """A closed journal that fills several dozen pages of its file."""
    with Journal.create(folder) as journal:
        journal.begin(Run((SITE.url("/"),)))
        journal.plan(plan(0, requests))
        fill(journal, requests)
    return file_of(folder)


def fill(journal: Journal, requests: int) -> None:
    for rank in range(requests):
        journal.settle(request(0, rank), Visited(SITE.outcome("/"), random.Random(rank).randbytes(9000)))


def alter(file: Path, script: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.executescript(script)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder; the lock is no state."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.name != "lock"
    }


# A journal begins and ends.


def test_a_new_journal_is_hidden_from_git_and_leaves_no_scratch_files(tmp_path: Path) -> None:
    written(tmp_path / "deep" / "output")
    names = {file.name for file in (tmp_path / "deep" / "output" / ".crawl").iterdir()}
    assert names == {".gitignore", "journal.sqlite3", "lock"}
    assert (tmp_path / "deep" / "output" / ".crawl" / ".gitignore").read_text() == "*\n"


def test_a_journal_is_never_started_over_another(tmp_path: Path) -> None:
    written(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(StateError, match="--resume"):
        Journal.create(tmp_path)
    assert contents(tmp_path) == before


def test_there_is_nothing_to_go_on_with_in_an_empty_folder_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no crawl"):
        Journal.open(tmp_path / "output")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "output").write_text("mine")
    with pytest.raises(UsageError, match="output"):
        Journal.create(tmp_path / "output")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".crawl").write_text("mine")
    with pytest.raises(UsageError, match="-o"):
        Journal.create(tmp_path / "other")
    assert (tmp_path / "other" / ".crawl").read_text() == "mine"


def test_a_creation_that_was_killed_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    (tmp_path / ".crawl").mkdir()
    for name in ("journal.sqlite3.new", "journal.sqlite3.new-journal"):
        (tmp_path / ".crawl" / name).write_bytes(b"half a file")
    with pytest.raises(StateError, match="no crawl"):
        Journal.open(tmp_path)
    written(tmp_path)
    assert {file.name for file in (tmp_path / ".crawl").iterdir()} == {
        ".gitignore",
        "journal.sqlite3",
        "lock",
    }


def test_names_that_mean_something_in_an_address_are_fine(tmp_path: Path) -> None:
    folder = tmp_path / "100% of? #1 ünï"
    written(folder)
    with Journal.open(folder) as journal:
        assert len(list(journal.settled_in(0))) == 30


# What is damaged or foreign is refused, and stays as it was.


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def spoil_pages(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for at in range(4096 * 3, len(data), 4096 * 5):
        data[at : at + 64] = b"\xa5" * 64
    file.write_bytes(data)


def name_no_application(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[68:72] = struct.pack(">I", 0)
    file.write_bytes(data)


def put_another_database(file: Path) -> None:
    file.unlink()
    alter(file, "CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 1;")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda file: file.write_bytes(b""), "empty"),
    "zeros": (lambda file: file.write_bytes(b"\0" * 8192), "not an SQLite file"),
    "garbage": (lambda file: file.write_bytes(b"\x00\xff{not json" * 2000), "not an SQLite file"),
    "a few bytes": (lambda file: file.write_bytes(b"SQLite format 3\0"), "not an SQLite file"),
    "cut in half": (cut, "damaged"),
    "a header alone": (lambda file: file.write_bytes(file.read_bytes()[:100]), "damaged"),
    "damaged pages": (spoil_pages, "damaged"),
    "another program's": (put_another_database, "another program"),
    "without our mark": (name_no_application, "another program"),
    "a table missing": (lambda file: alter(file, "DROP TABLE hosts"), "tables"),
    "a table too many": (lambda file: alter(file, "CREATE TABLE more (x)"), "tables"),
    "a column too many": (lambda file: alter(file, "ALTER TABLE hosts ADD COLUMN more"), "tables"),
    "a trigger": (
        lambda file: alter(
            file,
            "CREATE TRIGGER evil AFTER INSERT ON runs BEGIN UPDATE manifest SET path = '/etc/passwd'; END",
        ),
        "tables",
    ),
    "version zero": (lambda file: alter(file, "PRAGMA user_version = 0"), "tables"),
    "a newer version": (lambda file: alter(file, "PRAGMA user_version = 99"), "newer version"),
}


@pytest.mark.parametrize(("damage", "said"), DAMAGE.values(), ids=list(DAMAGE))
def test_a_file_that_is_none_of_ours_is_refused_and_not_touched(
    tmp_path: Path, damage: Callable[[Path], object], said: str
) -> None:
    file = written(tmp_path)
    damage(file)
    before = contents(tmp_path)
    for _ in range(2):
        with pytest.raises(DamagedError, match=said) as refused:
            Journal.open(tmp_path)
        assert str(file) in str(refused.value)
        assert contents(tmp_path) == before


@pytest.mark.parametrize("where", ["database", "log"])
def test_a_file_damaged_after_a_kill_is_refused_or_opens_whole(tmp_path: Path, where: str) -> None:
    killed = tmp_path / "killed"
    killed.mkdir()
    with Journal.create(tmp_path / "output") as journal:
        journal.begin(Run((SITE.url("/"),)))
        journal.plan(plan(0, 30))
        fill(journal, 30)
        for name in ("journal.sqlite3", "journal.sqlite3-wal"):
            (killed / ".crawl").mkdir(exist_ok=True)
            (killed / ".crawl" / name).write_bytes((tmp_path / "output" / ".crawl" / name).read_bytes())
    cut(killed / ".crawl" / ("journal.sqlite3" if where == "database" else "journal.sqlite3-wal"))
    before = contents(killed)
    try:
        with Journal.open(killed) as journal:
            settled = len(list(journal.settled_in(0)))
    except DamagedError:
        assert contents(killed) == before
    else:
        # SQLite reads a log up to its first broken frame, so what is lost is lost from its end.
        assert where == "log"
        assert settled < 30


# Versions.


NEXT = Schema((*STEPS, "ALTER TABLE hosts ADD COLUMN robots TEXT; CREATE TABLE answers (prompt TEXT);"))


def test_an_older_journal_is_brought_up_to_date_and_a_copy_of_it_kept(tmp_path: Path) -> None:
    file = written(tmp_path)
    alter(file, "INSERT INTO hosts VALUES ('toy.example', '{}')")
    with Journal.open(tmp_path, NEXT) as journal:
        assert len(list(journal.settled_in(0))) == 30
        assert journal.hosts() == {"toy.example": {}}
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (NEXT.version,)
        assert database.execute("SELECT robots FROM hosts").fetchall() == [(None,)]
    with pytest.raises(DamagedError, match="newer version"):
        Journal.open(tmp_path)
    (tmp_path / ".crawl" / f"journal.sqlite3.v{Schema().version}").rename(file)
    with Journal.open(tmp_path) as journal:
        assert len(list(journal.settled_in(0))) == 30


def test_a_journal_brought_up_to_date_equals_a_new_one(tmp_path: Path) -> None:
    written(tmp_path)
    for _ in range(2):
        with Journal.open(tmp_path, NEXT) as journal:
            journal.begin(Run((SITE.url("/"),)))


def test_a_killed_journal_is_brought_up_to_date_with_all_that_was_settled(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "output") as journal:
        journal.begin(Run((SITE.url("/"),)))
        journal.plan(plan(0, 3))
        fill(journal, 3)
        (tmp_path / "killed" / ".crawl").mkdir(parents=True)
        for name in ("journal.sqlite3", "journal.sqlite3-wal"):
            bytes_now = (tmp_path / "output" / ".crawl" / name).read_bytes()
            (tmp_path / "killed" / ".crawl" / name).write_bytes(bytes_now)
    with Journal.open(tmp_path / "killed", NEXT) as journal:
        assert len(list(journal.settled_in(0))) == 3
    copy = tmp_path / "killed" / ".crawl" / f"journal.sqlite3.v{Schema().version}"
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT count(outcome) FROM requests").fetchone() == (3,)


def test_a_step_that_fails_leaves_the_old_version(tmp_path: Path) -> None:
    written(tmp_path)
    broken = Schema((*STEPS, "CREATE TABLE answers (prompt TEXT); CREATE TABLE hosts (again TEXT);"))
    with pytest.raises(sqlite3.OperationalError, match="hosts"):
        Journal.open(tmp_path, broken)
    with Journal.open(tmp_path) as journal:
        assert len(list(journal.settled_in(0))) == 30


# One run at a time.


def test_a_second_run_in_the_folder_fails_at_once_and_names_it(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "output") as journal:
        journal.begin(Run((SITE.url("/"),)))
        for again in (Journal.open, Journal.create):
            with pytest.raises(LockedError, match=str(tmp_path / "output")):
                again(tmp_path / "output")
    with Journal.open(tmp_path / "output"):
        pass


def test_a_failed_start_lets_go_of_the_lock(tmp_path: Path) -> None:
    file = written(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(b"garbage")
    with pytest.raises(DamagedError):
        Journal.open(tmp_path)
    file.write_bytes(whole)
    with Journal.open(tmp_path):
        pass


HOLDER = """
import sys
from pathlib import Path
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.record import Run
journal = Journal.create(Path(sys.argv[1]))
journal.begin(Run(("https://toy.example/",)))
print("locked", flush=True)
sys.stdin.read()
"""


def test_the_lock_of_another_process_holds_until_that_is_killed_and_no_longer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(LockedError, match=str(tmp_path)):
            Journal.open(tmp_path)
        holder.kill()
        holder.wait()
        with Journal.open(tmp_path) as journal:
            assert len(journal.runs()) == 1


# A disk that takes no more.


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """No file of this process can grow beyond so many bytes meanwhile: what a full disk looks like."""
    resource = pytest.importorskip("resource")
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)


def test_a_full_disk_ends_the_run_and_loses_nothing_that_was_settled(tmp_path: Path) -> None:
    with Journal.create(tmp_path) as journal:
        journal.begin(Run((SITE.url("/"),)))
        journal.plan(plan(0, 50))
        with files_limited_to(200_000), pytest.raises(OutputError, match="--resume"):
            fill(journal, 50)
        settled = len(list(journal.settled_in(0)))
    assert 0 < settled < 50
    with Journal.open(tmp_path) as journal:
        assert len(list(journal.settled_in(0))) == settled
        assert len(journal.unsettled(0)) == 50 - settled


def test_a_disk_that_is_full_from_the_start_leaves_no_half_journal(tmp_path: Path) -> None:
    with files_limited_to(1000), pytest.raises((OutputError, UsageError)):
        Journal.create(tmp_path)
    written(tmp_path)


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "output").mkdir(mode=0o500)
    with pytest.raises(UsageError, match="-o"):
        Journal.create(tmp_path / "output")
