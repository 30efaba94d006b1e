"""The command as people and programs run it: a process, its streams, its exit code."""

import asyncio
import dataclasses
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adaptive_crawl import __version__
from adaptive_crawl.cli.app import app
from adaptive_crawl.cli.compose import Job
from adaptive_crawl.cli.config import Config
from adaptive_crawl.cli.ending import of
from adaptive_crawl.cli.progress import Talk
from adaptive_crawl.cli.run import watched_crawl
from adaptive_crawl.cli.task import CommandLine, prepare
from adaptive_crawl.crawler.fetching.fetcher import FetchConfig
from adaptive_crawl.crawler.model import Event
from adaptive_crawl.output.tree import OutputConfig

from .website import Website, failure, file, page, raw, redirect

PATIENCE = 30
QUERY = "backup retention period"


@dataclass(frozen=True)
class Ended:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        told = json.loads(self.out)
        assert isinstance(told, dict)
        return told


class Shell:
    """A folder and an environment of the test's own, in which the command is run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "LANG": "C.UTF-8",
            "COLUMNS": "100",
            "NO_PROXY": "*",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "error",
            **({"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}),
        }

    def start(self, *words: str, environ: Mapping[str, str | None] | None = None, **more: Any) -> Any:
        merged = {**self.environ, **(environ or {})}
        given = {name: value for name, value in merged.items() if value is not None}
        return subprocess.Popen(
            [sys.executable, "-m", "adaptive_crawl", *words],
            cwd=self.folder,
            env=given,
            stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
        )

    def run(self, *words: str, environ: Mapping[str, str | None] | None = None) -> Ended:
        with self.start(*words, environ=environ) as process:
            return ended(process)

    def crawl(self, *words: str, environ: Mapping[str, str | None] | None = None) -> Ended:
        """Run with what every test of a crawl on loopback needs."""
        return self.run("--delay", "0", "--allow-private", *words, environ=environ)

    @property
    def pages(self) -> list[str]:
        tree = self.folder / "output"
        return sorted(
            path.relative_to(tree).as_posix() for path in tree.rglob("*.md") if path.name != "index.md"
        )


def ended(process: Any) -> Ended:
    """Wait for a process; a test that hangs fails."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    told = (stream.decode("utf-8", "replace") if stream else "" for stream in (out, err))
    return Ended(process.returncode, *told)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def manual(pages: int = 6) -> Website:
    """A start page with links to pages, half of which bear on the query."""
    answers: dict[str, Any] = {}
    links = {}
    for number in range(pages):
        backup = number % 2 == 0
        links[f"/p{number}.html"] = f"Backup retention {number}" if backup else f"Colours {number}"
        text = "Backups are kept for a retention period of 30 days." if backup else "Red, green and blue."
        answers[f"/p{number}.html"] = page(f"Page {number}", f"{text} This is page {number}.")
    answers["/"] = page("Manual", "All about the product and its backup.", links=links)
    return Website(answers)


@pytest.fixture
def site() -> Iterator[Website]:
    manual_site = manual()
    with manual_site.served():
        yield manual_site


# Without a crawl.


def test_help_shows_examples_first_then_options_in_groups_and_commands(shell: Shell) -> None:
    told = shell.run("--help")
    assert told.code == 0
    places = [told.out.index(part) for part in ("Usage:", "Examples:", "When to stop:", "Commands:")]
    assert places == sorted(places)
    assert "--max-pages N" in told.out
    for words in (("-h",), ("crawl", "--help"), ("--query", "x", "--help")):
        assert shell.run(*words).out == told.out


def test_help_costs_a_third_of_a_second_at_most(shell: Shell) -> None:
    def cpu_seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert shell.run("--help").code == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cpu_seconds() for _ in range(5)) < 0.35


def test_help_loads_nothing_that_only_a_crawl_needs(shell: Shell) -> None:
    told = shell.run("--help", environ={"PYTHONPROFILEIMPORTTIME": "1"})
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in told.err.splitlines()}
    assert "typer" in loaded
    assert not loaded & {
        "numpy",
        "sklearn",
        "httpx",
        "markdownify",
        "yaml",
        "openai",
        "tqdm",
        "rich",
    }


def test_the_version_is_told_on_one_line_and_as_json(shell: Shell) -> None:
    for words in (("--version",), ("version",)):
        assert shell.run(*words).out == f"adaptive-crawl {__version__}\n"
    assert shell.run("version", "--json").json["version"] == __version__


def test_a_misspelt_command_is_not_taken_for_a_url(shell: Shell) -> None:
    told = shell.run("verison")
    assert (told.code, told.out) == (2, "")
    assert "Did you mean 'version'?" in told.err
    assert "https://intranet" in shell.run("intranet").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "where shall the crawl begin?"),
        (("--query", "x"), "where shall the crawl begin?"),
        (("--query", "", "example.org"), "--query: is empty"),
        (("--query", " ?! ", "example.org"), "holds no word"),
        (("ftp://example.org/",), "only http and https"),
        (("mailto:me@example.org",), "only http and https"),
        (("https://",), "names no host"),
        (("https://example.org:99999/",), "is no URL"),
        (("--query", "x", "intranet"), "if it is a host, write https://intranet"),
        (("--no-such-flag", "example.org"), "--no-such-flag"),
        (("--max-pages", "-3", "example.org"), "limits.max_pages: -3 is not allowed"),
        (("--max-pages", "many", "example.org"), 'limits.max_pages: "many" is not allowed'),
        (("--strategy", "magic", "example.org"), "strategy.name"),
        (("--config", "none.yaml", "example.org"), "none.yaml: cannot be read"),
        (("--header", "Token", "example.org"), "NAME: VALUE"),
        (("--fail-under", "0.5", "example.org"), "--fail-under"),
        (("--query", "x", "--fail-under", "7", "example.org"), "from 0 to 1"),
        (("--max-failures", "-1", "example.org"), "--max-failures"),
        (("--resume",), "no crawl to go on with"),
        (("--exclude", "re:(", "example.org"), "scope.exclude"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_fetched(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    told = CliRunner().invoke(app, words)
    assert (told.exit_code, told.stdout) == (2, "")
    assert message in told.stderr
    assert "Traceback" not in told.stderr
    assert not (tmp_path / "output").exists()


def test_everything_wrong_is_told_at_once(shell: Shell) -> None:
    told = shell.run("--query", "", "--max-pages", "0", "--order", "up", "ftp://x/")
    assert told.err.startswith("Error: 4 things are wrong:\n")


def test_a_program_that_reads_json_gets_the_error_as_json(shell: Shell) -> None:
    told = shell.run("--json", "--max-pages", "0", "example.org")
    assert told.json["exit_code"] == told.code == 2
    assert "limits.max_pages" in told.json["error"][0]


@pytest.mark.parametrize("where", ["file", "file/below"])
def test_an_output_folder_that_is_a_file_is_told(where: str, shell: Shell, site: Website) -> None:
    (shell.folder / "file").write_text("mine")
    told = shell.crawl("-o", where, site.url())
    assert (told.code, site.paths) == (2, [])
    assert "is a file" in told.err
    assert (shell.folder / "file").read_text() == "mine"


def test_a_folder_with_other_files_is_left_alone(shell: Shell, site: Website) -> None:
    (shell.folder / "output").mkdir()
    (shell.folder / "output" / "notes.txt").write_text("mine")
    told = shell.crawl(site.url())
    assert (told.code, site.paths) == (2, [])
    assert "name another by -o" in told.err


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/log.txt", "nowhere/log.txt cannot be written: there is no folder nowhere"),
        ("file/log.txt", "there is no folder file"),
        (".", "--log-file: . cannot be written: it is a folder"),
        ("/proc/version", "--log-file: /proc/version cannot be written"),
    ],
)
def test_a_log_that_cannot_be_written_is_told_before_anything_is_made(
    path: str, message: str, shell: Shell, site: Website
) -> None:
    (shell.folder / "file").write_text("mine")
    told = shell.crawl("--log-file", path, site.url())
    assert (told.code, site.paths) == (2, [])
    assert message in told.err
    assert [entry.name for entry in shell.folder.iterdir()] == ["file"]


def test_a_log_may_lie_in_the_output_folder_that_is_yet_to_be_made(shell: Shell, site: Website) -> None:
    assert shell.crawl("--log-file", "output/log.txt", site.url()).code == 0
    assert (shell.folder / "output" / "log.txt").exists()


@pytest.mark.parametrize("key", ["CA_BUNDLE", "CLIENT_CERTIFICATE", "COOKIE_FILE", "NETRC"])
def test_a_file_for_the_fetcher_that_is_not_there_is_told_before_a_crawl_is_begun(
    key: str, shell: Shell, site: Website
) -> None:
    told = shell.crawl(site.url(), environ={f"ADAPTIVE_CRAWL_FETCH__{key}": "nowhere.pem"})
    assert (told.code, site.paths) == (2, [])
    assert f"fetch.{key.lower()}" in told.err
    assert shell.crawl(site.url()).code == 0


def test_only_an_error_in_a_crawl_that_was_begun_says_that_it_can_be_gone_on_with(
    tmp_path: Path, site: Website
) -> None:
    def told_of(job: Job) -> str:
        lines: list[str] = []
        assert of(lambda: asyncio.run(run_crawl(job)), lines.append) == 1
        return lines[0]

    async def run_crawl(job: Job) -> int:
        await watched_crawl(job, [_stumble], Talk(None))
        return 0

    own = Config(output=OutputConfig(directory=str(tmp_path / "output")))
    begun = told_of(Job((site.url(),), "", dataclasses.replace(own, fetch=FetchConfig(allow_private=True))))
    assert "unexpected RuntimeError: stumbled" in begun
    assert "--resume goes on with it" in begun
    other = Config(output=OutputConfig(directory=str(tmp_path / "other")))
    unset = FetchConfig(headers={"X": "${NOT_SET_ANYWHERE}"})
    never = told_of(Job((site.url(),), "", dataclasses.replace(other, fetch=unset)))
    assert "unexpected KeyError" in never
    assert "--resume" not in never


def _stumble(event: Event) -> None:
    raise RuntimeError("stumbled")


def test_config_show_tells_each_value_and_its_origin(shell: Shell) -> None:
    (shell.folder / "adaptive-crawl.yaml").write_text("limits:\n  max_pages: 7\n")
    told = shell.run("config", "show", "--origin", environ={"ADAPTIVE_CRAWL_LIMITS__MIN_PAGES": "3"})
    assert "  max_pages: 7  # adaptive-crawl.yaml:2\n" in told.out
    assert "  min_pages: 3  # ADAPTIVE_CRAWL_LIMITS__MIN_PAGES\n" in told.out
    assert "  max_pages: 20\n" in shell.run("config", "show", "--no-config").out
    assert "  max_pages: 10\n" in shell.run("config", "show", "--preset", "quick", "--no-config").out


def test_config_validate_tells_everything_wrong_with_a_file(shell: Shell) -> None:
    (shell.folder / "mine.yaml").write_text("limits:\n  max_page: 7\nlinks: 3\n")
    told = shell.run("config", "validate", "mine.yaml")
    assert told.code == 2
    assert "did you mean limits.max_pages?" in told.err
    assert "links: a single value" in told.err
    (shell.folder / "mine.yaml").write_text("limits:\n  max_pages: 7\n")
    assert shell.run("config", "validate", "mine.yaml").code == 0


# A crawl.


def test_a_crawl_prints_its_report_and_leaves_a_tree(shell: Shell, site: Website) -> None:
    told = shell.crawl("--query", QUERY, site.url())
    assert told.code in (0, 5)
    assert "stopped " in told.out
    assert "confidence " in told.out
    assert "[1/20] kept" in told.err
    assert "\x1b" not in told.out + told.err
    assert (shell.folder / "output" / "index.md").is_file()
    assert shell.pages


def test_json_is_all_of_stdout(shell: Shell, site: Website) -> None:
    told = shell.crawl("--query", QUERY, "--json", site.url())
    assert told.json["query"] == QUERY
    assert told.json["exit_code"] == told.code
    assert told.json["pages_crawled"] == len(told.json["pages"]) == len(shell.pages)
    assert all((shell.folder / "output" / one["path"]).is_file() for one in told.json["pages"])
    assert 0 <= told.json["confidence"] <= 1
    assert told.json["stopped_reason"]


def test_without_a_query_everything_in_scope_is_fetched(shell: Shell, site: Website) -> None:
    told = shell.crawl("--json", site.url())
    assert (told.code, told.json["stopped_reason"]) == (0, "frontier-empty")
    assert told.json["confidence"] is None
    assert told.json["pages_crawled"] == 7


def test_a_whole_site_crawl_cut_by_a_limit_says_so(shell: Shell, site: Website) -> None:
    told = shell.crawl("--json", "--max-pages", "3", site.url())
    assert (told.code, told.json["stopped_reason"], told.json["pages_crawled"]) == (5, "max-pages", 3)


def test_strategy_none_goes_through_everything_although_there_is_a_query(shell: Shell, site: Website) -> None:
    told = shell.crawl("--query", QUERY, "--strategy", "none", "--json", site.url())
    assert (told.code, told.json["pages_crawled"]) == (0, 7)


def test_the_explanation_tells_why_each_page_was_chosen(shell: Shell, site: Website) -> None:
    told = shell.crawl("--query", QUERY, "--explain", "--no-early-stop", site.url())
    assert "Why each page was chosen" in told.out
    assert 'the link "Backup retention 0"' in told.out
    assert "relevance " in told.out
    assert "passed over:" in told.out


def test_a_dry_run_fetches_the_seeds_only_and_writes_nothing(shell: Shell, site: Website) -> None:
    told = shell.crawl("--query", QUERY, "--dry-run", site.url())
    assert told.code == 0
    assert site.paths == ["/"]
    assert "/p0.html" in told.out
    assert not (shell.folder / "output").exists()


@pytest.mark.parametrize("name", ["/404", "/500", "/doc"])
def test_a_start_page_that_cannot_be_had_is_told(name: str, shell: Shell) -> None:
    site = Website({"/500": failure(500), "/doc": file(b"%PDF-1.7", "application/pdf")})
    with site.served():
        told = shell.crawl("--retries", "0", site.url(name))
    assert told.code == 3
    assert name in told.out
    assert shell.pages == []


def test_robots_that_forbid_the_start_page_have_their_own_code(shell: Shell) -> None:
    site = manual()
    site.robots = "User-agent: *\nDisallow: /\n"
    with site.served():
        told = shell.crawl(site.url())
        assert (told.code, site.paths) == (8, [])
        ignored = shell.crawl("--ignore-robots", "--json", "-o", "other", site.url())
    assert ignored.code == 0
    assert any("robots" in note for note in ignored.json["notes"])


def test_a_query_that_the_site_does_not_answer_has_its_own_code(shell: Shell, site: Website) -> None:
    told = shell.crawl("--query", "quantum chromodynamics lattice", site.url())
    assert told.code == 6
    forgiven = shell.crawl(
        "--query", "quantum chromodynamics lattice", "--exit-zero", "-o", "other", site.url()
    )
    assert forgiven.code == 0


def test_more_failed_pages_than_allowed_have_their_own_code(shell: Shell) -> None:
    site = Website(
        {
            "/": page("Home", "Start here.", links={"/a": "a", "/b": "b"}),
            "/a": failure(404),
            "/b": failure(410),
        }
    )
    with site.served():
        assert shell.crawl("--max-failures", "1", site.url()).code == 7
        assert shell.crawl("--max-failures", "2", "-o", "other", site.url()).code == 0


def test_a_url_without_a_scheme_is_completed_and_that_is_said(shell: Shell) -> None:
    told = shell.crawl("--retries", "0", "--timeout", "2", "127.0.0.1:9/x")
    assert told.code == 3
    assert "no scheme given, http://127.0.0.1:9/x assumed" in told.err


def test_a_name_without_a_scheme_is_taken_for_one_that_speaks_https(tmp_path: Path) -> None:
    line = CommandLine(("docs.example.org/x",), {"dry_run": True})
    task = prepare(line, {}, tmp_path, lambda folder: None)
    assert task.seeds == ("https://docs.example.org/x",)
    assert task.hints == ("docs.example.org/x: no scheme given, https://docs.example.org/x assumed",)


def test_a_query_of_common_words_is_taken_as_it_is_with_a_word_of_warning(
    shell: Shell, site: Website
) -> None:
    told = shell.crawl("--query", "what is it", site.url())
    assert told.code in (0, 5, 6)
    assert "common words only" in told.err


def test_quiet_says_nothing_and_a_log_has_it_all(shell: Shell, site: Website) -> None:
    told = shell.crawl("-q", "--log-file", "log.txt", site.url())
    assert (told.code, told.err) == (0, "")
    assert (shell.folder / "log.txt").read_text("utf-8").count(" kept ") == 7


# Going on.


def test_an_existing_tree_is_not_touched_without_being_told(shell: Shell, site: Website) -> None:
    shell.crawl(site.url())
    asked = len(site.paths)
    told = shell.crawl(site.url())
    assert (told.code, len(site.paths)) == (2, asked)
    assert "--resume -o output" in told.err
    assert "another folder by -o" in told.err


def test_a_finished_crawl_resumed_asks_for_nothing_and_needs_no_options(shell: Shell, site: Website) -> None:
    first = shell.crawl("--query", QUERY, "--max-pages", "4", "--json", site.url())
    asked = len(site.paths)
    again = shell.run("--resume", "--allow-private", "--json")
    assert len(site.paths) == asked
    changing = {"resumed", "seconds"}
    assert {k: v for k, v in again.json.items() if k not in changing} == {
        k: v for k, v in first.json.items() if k not in changing
    }


def test_a_limit_raised_on_resume_goes_on_where_the_crawl_stopped(shell: Shell, site: Website) -> None:
    shell.crawl("--max-pages", "2", site.url())
    told = shell.crawl("--resume", "--max-pages", "5", "--json", site.url())
    assert told.json["pages_crawled"] == 5
    assert len(set(site.paths)) == len(site.paths)


def test_another_query_grows_the_same_knowledge_without_fetching_twice(shell: Shell, site: Website) -> None:
    shell.crawl("--query", QUERY, "--no-early-stop", site.url())
    told = shell.crawl("--resume", "--query", "red green blue colours", "--json")
    assert told.json["query"] == "red green blue colours"
    assert len(set(site.paths)) == len(site.paths)


def test_another_site_into_the_same_folder_is_refused(shell: Shell, site: Website) -> None:
    shell.crawl(site.url())
    told = shell.crawl("--resume", "https://elsewhere.example/")
    assert told.code == 2
    assert "began at" in told.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_saves_all_and_says_how_to_go_on(
    number: signal.Signals, code: int, shell: Shell, site: Website
) -> None:
    gate = site.hold("/p1.html")
    with shell.start(
        "--delay", "0", "--allow-private", "--concurrency", "1", "--per-host", "1", site.url()
    ) as process:
        site.wait_for("/p1.html")
        process.send_signal(number)
        threading.Timer(0.3, gate.set).start()
        told = ended(process)
    assert told.code == code
    assert "adaptive-crawl --resume" in told.err
    assert "--allow-private" in told.err
    resumed = shell.crawl("--resume", "--json")
    assert (resumed.code, resumed.json["pages_crawled"]) == (0, 7)
    assert site.paths.count("/") == 1


def test_a_second_signal_stops_at_once(shell: Shell, site: Website) -> None:
    gate = site.hold("/p1.html")
    with shell.start("--delay", "0", "--allow-private", site.url()) as process:
        site.wait_for("/p1.html")
        process.send_signal(signal.SIGTERM)
        line = b""
        while b"Once more" not in line:
            line = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        told = ended(process)
    gate.set()
    assert told.code == 143
    assert shell.crawl("--resume").code == 0


def test_a_second_run_on_a_folder_in_use_fails_at_once(shell: Shell, site: Website) -> None:
    gate = site.hold("/p1.html")
    with shell.start("--delay", "0", "--allow-private", site.url()) as process:
        site.wait_for("/p1.html")
        assert shell.crawl("--resume").code == 9
        gate.set()
        assert ended(process).code == 0


def test_a_damaged_journal_is_refused_and_not_touched(shell: Shell, site: Website) -> None:
    shell.crawl(site.url())
    journal = shell.folder / "output" / ".crawl" / "journal.sqlite3"
    journal.write_bytes(b"not a database" * 100)
    told = shell.crawl("--resume")
    assert told.code == 9
    assert "Traceback" not in told.err
    assert journal.read_bytes() == b"not a database" * 100


# Odd surroundings.


@pytest.mark.parametrize(
    "environ",
    [
        {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        {"LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "gbk"},
    ],
)
def test_no_title_breaks_a_stream_of_few_characters(environ: dict[str, str], shell: Shell) -> None:
    site = Website({"/": page("数据备份 📦 ✓", "数据备份的保留期限是三十天。")})
    with site.served():
        assert shell.crawl("--query", "数据 备份 📦", site.url(), environ=environ).code in (0, 5)
        told = shell.crawl("--query", "数据 备份 📦", "--json", "-o", "b", site.url(), environ=environ)
    assert told.json["query"] == "数据 备份 📦"


def test_neither_home_nor_temporary_folder_nor_terminal_is_needed(shell: Shell, site: Website) -> None:
    environ = {"HOME": "/nonexistent/home", "TMPDIR": "/nonexistent/tmp", "TERM": None, "COLUMNS": "40"}
    assert shell.crawl(site.url(), environ=environ).code == 0
    assert shell.crawl("-o", "b", site.url(), environ={**environ, "HOME": None}).code == 0


def test_a_reader_that_went_away_changes_nothing(shell: Shell, site: Website) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with shell.start("--delay", "0", "--allow-private", site.url(), stdout=writer) as process:
        os.close(writer)
        told = ended(process)
    assert told.code == 0
    assert "Error" not in told.err
    assert "BrokenPipe" not in told.err
    assert len(shell.pages) == 7


def test_a_config_file_is_used_and_flags_stand_over_it(shell: Shell, site: Website) -> None:
    (shell.folder / "adaptive-crawl.yaml").write_text("limits: {max_pages: 3}\npoliteness: {delay: 0}\n")
    told = shell.run("--allow-private", "--json", site.url())
    assert told.json["pages_crawled"] == 3
    told = shell.run("--allow-private", "--json", "--max-pages", "2", "-o", "b", site.url())
    assert told.json["pages_crawled"] == 2
    told = shell.crawl("--no-config", "--json", "-o", "c", site.url())
    assert told.json["pages_crawled"] == 7


def test_a_header_reaches_the_site_and_nothing_else(shell: Shell, site: Website) -> None:
    told = shell.crawl(
        "-v",
        "--log-file",
        "log.txt",
        "--header",
        "X-Token: ${TOKEN}",
        site.url(),
        environ={"TOKEN": "s3cret-value"},
    )
    assert told.code == 0
    assert site.log[-1].headers["x-token"] == "s3cret-value"
    kept = b"".join(path.read_bytes() for path in shell.folder.rglob("*") if path.is_file())
    assert b"s3cret-value" not in kept
    assert "s3cret-value" not in told.out + told.err


def test_a_redirect_of_the_start_page_is_followed(shell: Shell) -> None:
    site = manual()
    site["/start"] = redirect("/")
    with site.served():
        told = shell.crawl("--json", site.url("/start"))
    assert told.json["redirects"][0]["target"].endswith("/")
    assert told.json["pages_crawled"] == 7


def test_a_page_that_only_the_sitemap_names_is_found(shell: Shell) -> None:
    site = Website({"/": page("Home", "Welcome."), "/orphan": page("Orphan", "Nothing links to this page.")})
    with site.served() as base:
        urls = f"<url><loc>{base}/orphan</loc></url>"
        site["/sitemap.xml"] = file(f"<urlset>{urls}</urlset>".encode(), "application/xml")
        found = shell.crawl("--json", base + "/").json
        assert [visit["url"] for visit in found["pages"]] == [base + "/", base + "/orphan"]
        (shell.folder / "off.yaml").write_text("discovery: {sitemaps: false}\n")
        missed = shell.crawl("--json", "--config", "off.yaml", "-o", "off", base + "/").json
        assert [visit["url"] for visit in missed["pages"]] == [base + "/"]


def test_the_index_of_a_sites_own_search_leads_to_the_answer_at_once(shell: Shell) -> None:
    names = [f"page{number}" for number in range(12)]
    words = {"backup": [7], "restor": [7], "jam": list(range(12))}
    index = {"docnames": names, "titles": names, "terms": words}
    start = page("Home", "Welcome.", links={f"/{name}.html": name for name in names})
    site = Website(
        {"/": start, "/searchindex.js": file(f"Search.setIndex({json.dumps(index)})".encode(), "")}
    )
    site["/"] = raw(site.body("/").decode().replace("<html", '<html data-content_root="./"'))
    for name in names:
        site[f"/{name}.html"] = page(name, "We eat jam.")
    site["/page7.html"] = page("page7", "To restore backups, run larder restore.")
    options = ("--json", "--query", "restore backups", "--max-pages", "2", "--round-size", "1")
    with site.served() as base:
        found = shell.crawl(*options, base + "/").json
        assert [visit["url"] for visit in found["pages"]] == [base + "/", base + "/page7.html"]
        assert found["site_indexes"] == [{"url": f"{base}/searchindex.js", "format": "sphinx", "entries": 12}]
        missed = shell.crawl(*options, "--no-site-index", "-o", "off", base + "/").json
        assert [visit["url"] for visit in missed["pages"]] == [base + "/", base + "/page0.html"]
        assert missed["site_indexes"] == []


def test_patterns_in_a_file_count_where_no_flag_is_given(shell: Shell) -> None:
    site = Website({"/": page("Home", "Welcome.", links={"/a": "a", "/b": "b"}), "/a": page("A", "Text.")})
    site["/b"] = page("B", "Another text.")
    (shell.folder / "c.yaml").write_text('scope: {exclude: ["/b"]}\n')
    with site.served() as base:
        shell.crawl("--config", "c.yaml", base + "/")
    assert "/a" in site.paths
    assert "/b" not in site.paths


def test_a_dry_run_whose_seeds_give_nothing_says_why_and_fails(shell: Shell) -> None:
    site = Website({"/": failure(404)})
    with site.served() as base:
        missing = shell.crawl("--dry-run", "--query", QUERY, base + "/")
    assert missing.code == 3
    assert "404" in missing.out
    site.robots = "User-agent: *\nDisallow: /\n"
    with site.served() as base:
        forbidden = shell.crawl("--dry-run", "--query", QUERY, base + "/")
    assert forbidden.code == 8
    assert "robots.txt" in forbidden.out
