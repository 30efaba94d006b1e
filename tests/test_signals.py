"""Ctrl+C and SIGTERM at any moment: the documented exit code, and not a word of Python's."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .test_cli import Ended, Shell, ended, manual

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def signalled_on_import(shell: Shell, module: str, *numbers: signal.Signals) -> Ended:
    """Run a crawl and signal it as soon as it has imported a module, which Python tells line by line."""
    with shell.start(
        "--no-config", "https://toy.example/", environ={"PYTHONPROFILEIMPORTTIME": "1"}
    ) as process:
        line = b" "
        while line and line.rpartition(b"|")[2].strip() != module.encode():
            line = process.stderr.readline()
        assert line, f"{module} was never imported"
        for number in numbers:
            process.send_signal(number)
        told = ended(process)
    words = [line for line in told.err.splitlines() if not line.startswith("import time:")]
    return Ended(told.code, told.out, "\n".join(words))


@pytest.mark.parametrize("module", ["adaptive_crawl.cli", "typer", "yaml", "pydantic", "httpx"])
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_while_the_command_starts_ends_it_quietly(
    number: signal.Signals, code: int, module: str, shell: Shell
) -> None:
    assert signalled_on_import(shell, module, number) == Ended(code, "", "")
    assert not (shell.folder / "output").exists()


def test_of_two_signals_while_the_command_starts_the_first_counts(shell: Shell) -> None:
    told = signalled_on_import(shell, "typer", signal.SIGINT, signal.SIGINT, signal.SIGINT)
    assert told == Ended(130, "", "")


def test_a_signal_that_the_caller_ignores_is_ignored_while_the_command_starts(shell: Shell) -> None:
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "from adaptive_crawl.__main__ import main; import adaptive_crawl.cli.app as app; "
        "app.main = lambda: signal.raise_signal(signal.SIGINT); main(); print('went on')"
    )
    done = subprocess.run([sys.executable, "-c", script], env=shell.environ, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"went on\n")


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_to_a_dry_run_ends_it_quietly(number: signal.Signals, code: int, shell: Shell) -> None:
    site = manual()
    gate = site.hold("/")
    with site.served(), shell.start("--allow-private", "--dry-run", site.url()) as process:
        site.wait_for("/")
        process.send_signal(number)
        assert ended(process) == Ended(code, "", "")
        gate.set()
