"""A journal damaged in any way is refused before a byte of it is changed, or it is none the worse.

The damages are drawn from seeds: bytes that flipped anywhere in the file, and values that a crawl would not
have written. Each damaged copy is resumed by the whole command.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from adaptive_crawl.cli.app import app
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.journalfile import place

from .test_cli import Ended, manual
from .test_journalfile import contents, written
from .website import Website

VALUES = ("x", "", -1, 1.5, 10**15, None, b"\xff\xfe", "{", "[]", "{}", '["a"]', "page", "\u202e")


@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    website = manual()
    with website.served():
        yield website


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, site: Website) -> Path:
    """An output folder with more to fetch."""
    folder = tmp_path_factory.mktemp("whole") / "output"
    assert run(folder, "--max-pages", "4", "--query", "backup retention", site.url()).code in (0, 5)
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "output")
    return tmp_path / "output"


def run(folder: Path, *words: str) -> Ended:
    options = ("--no-config", "--delay", "0", "--allow-private", "-o", str(folder))
    told = CliRunner().invoke(app, [*options, *words])
    return Ended(told.exit_code, told.stdout, told.stderr)


def resume(folder: Path) -> Ended:
    return run(folder, "--resume", "--max-pages", "9")


def flip_bytes(file: Path, chance: Random) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(chance.choice((1, 4, 40))):
        data[chance.randrange(100, len(data))] = chance.randrange(256)
    file.write_bytes(data)


def put_a_value(file: Path, chance: Random) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        columns = [
            (table, name)
            for (table,) in tables.fetchall()
            for _, name, *_, key in database.execute(f"PRAGMA table_info({table})")
            if not key
        ]
        table, column = chance.choice(columns)
        database.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (chance.choice(VALUES),))


@pytest.mark.parametrize("seed", range(40))
def test_a_journal_damaged_anywhere_is_refused_untouched_or_resumed(seed: int, copy: Path) -> None:
    chance = Random(seed)
    chance.choice((flip_bytes, put_a_value))(place(copy), chance)
    before = contents(copy)
    told = resume(copy)
    assert told.code in (0, 5, 9), told.err
    if told.code == 9:
        assert "is damaged" in told.err
        assert contents(copy) == before


DAMAGES = {
    "a count that is text": "UPDATE requests SET settled = 'x'",
    "a time that is text": "UPDATE rounds SET seconds = 'x' WHERE round = 1",
    "a time without end": "UPDATE requests SET seconds = 9e999",
    "a settings record that is no JSON": "UPDATE runs SET config = '{'",
    "an outcome cut short": "UPDATE requests SET outcome = substr(outcome, 1, length(outcome) - 3)",
    "an outcome of another kind": "UPDATE requests SET outcome_type = 'redirect' WHERE kind = 'page'",
    "an outcome without its kind": "UPDATE requests SET outcome_type = NULL",
    "a body that is none": "UPDATE bodies SET body = x'00'",
    "a body of another size": "UPDATE bodies SET size = size + 1",
    "a body of another digest": "UPDATE bodies SET body = (SELECT body FROM bodies LIMIT 1)",
    "a body that is gone": "DELETE FROM bodies",
    "a round that is gone": "DELETE FROM rounds",
    "a run that is gone": "DELETE FROM runs WHERE id = 1",
    "a key of another site": "UPDATE requests SET key = 'https://elsewhere.example/'",
    "a host's state that is a list": "UPDATE hosts SET state = '[]'",
    "a file outside the tree": "UPDATE manifest SET path = '../' || path",
    "text that is no UTF-8": "UPDATE requests SET anchor = CAST(x'ff' AS TEXT)",
}


@pytest.mark.parametrize("statement", DAMAGES.values(), ids=list(DAMAGES))
def test_what_a_crawl_would_not_have_written_is_refused_untouched(statement: str, copy: Path) -> None:
    with Journal.open(copy) as journal:  # so that there are runs, hosts and files beside the one crawl
        journal.begin(journal.runs()[0])
    with closing(sqlite3.connect(place(copy))) as database, database:
        assert database.execute(statement).rowcount > 0
    before = contents(copy)
    told = resume(copy)
    assert (told.code, "is damaged" in told.err) == (9, True), told.err
    assert contents(copy) == before


@pytest.mark.parametrize("has_index", [True, False])
def test_what_a_kill_left_is_not_touched_either(has_index: bool, tmp_path: Path) -> None:
    written(tmp_path / "output", requests=3)
    killed = tmp_path / "killed"
    with Journal.open(tmp_path / "output") as journal:
        journal.begin(journal.runs()[0])
        shutil.copytree(tmp_path / "output", killed)
    if not has_index:
        (killed / ".crawl" / "journal.sqlite3-shm").unlink()
    with closing(sqlite3.connect(place(killed), isolation_level=None)) as database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("UPDATE requests SET settled = 'x'")
        shutil.copytree(killed, tmp_path / "damaged")
    if not has_index:
        (tmp_path / "damaged" / ".crawl" / "journal.sqlite3-shm").unlink()
    before = contents(tmp_path / "damaged")
    assert (tmp_path / "damaged" / ".crawl" / "journal.sqlite3-wal").stat().st_size > 0
    told = resume(tmp_path / "damaged")
    assert told.code == 9, told.err
    assert contents(tmp_path / "damaged") == before
