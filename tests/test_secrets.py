"""What the user gives as a secret goes to the site that it is for, and nowhere else."""

import sqlite3
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from .answers import Sent
from .test_cli import Ended, Shell, manual
from .website import Website

USER, PASSWORD = "ada", "pa55-w0rd"
LOGIN = "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode()


class Private(Website):
    """A site that answers only those who log in; robots.txt is for all."""

    def sent(self, path: str, headers: Mapping[str, str]) -> Sent:
        if path == "/robots.txt" or headers.get("Authorization") == LOGIN:
            return super().sent(path, headers)
        return Sent(401, {"WWW-Authenticate": 'Basic realm="docs"'}, b"")

    @property
    def with_login(self) -> str:
        return self.url().replace("://", f"://{USER}:{PASSWORD}@")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def site() -> Iterator[Private]:
    private = Private(manual().answers)
    with private.served():
        yield private


def assert_nowhere(secret: str, shell: Shell, *told: Ended) -> None:
    """In no stream and in no file, compressed or not."""
    for ended in told:
        assert secret not in ended.out + ended.err
    kept = [path.read_bytes() for path in shell.folder.rglob("*") if path.is_file()]
    for journal in shell.folder.rglob("journal.sqlite3"):
        with closing(sqlite3.connect(journal)) as database:
            for (blob,) in database.execute("SELECT outcome FROM requests UNION SELECT body FROM bodies"):
                kept.append(zlib.decompress(blob or zlib.compress(b"")))
    assert not any(secret.encode() in content for content in kept)


def test_user_and_password_of_a_start_url_reach_the_site_and_nothing_else(
    shell: Shell, site: Private
) -> None:
    told = shell.crawl("-v", "--explain", "--log-file", "log.txt", "--annotate", site.with_login)
    assert told.code == 0, told.err
    assert site.log[-1].headers["authorization"] == LOGIN
    as_json = shell.crawl("--json", "-o", "json", site.with_login)
    assert as_json.code == 0
    assert f"source_url: {site.url()}p0.html" in (shell.folder / "output" / "p0.md").read_text()
    for secret in (PASSWORD, USER + ":", LOGIN.removeprefix("Basic ")):
        assert_nowhere(secret, shell, told, as_json)


def test_a_dry_run_logs_in_too_and_tells_nothing_of_it(shell: Shell, site: Private) -> None:
    told = shell.crawl("--dry-run", "--query", "backup", site.with_login)
    assert (told.code, site.paths) == (0, ["/"])
    assert_nowhere(PASSWORD, shell, told)


def test_a_site_that_asks_for_a_login_has_its_own_code_and_a_hint(shell: Shell, site: Private) -> None:
    for words in ((), ("--dry-run",)):
        told = shell.crawl(*words, site.url())
        assert told.code == 4
        assert "https://USER:PASSWORD@host/" in told.err


def test_a_login_must_be_given_again_to_resume_and_is_enough(shell: Shell, site: Private) -> None:
    begun = shell.crawl("--max-pages", "1", site.with_login)
    refused = shell.crawl("--resume", "--max-pages", "3")
    assert refused.code == 4
    assert f"give them again: {site.url().replace('://', '://USER:PASSWORD@')}" in refused.err
    resumed = shell.crawl("--resume", "--max-pages", "9", site.with_login)
    assert (resumed.code, len(shell.pages)) == (0, 7)
    assert "give them again" not in resumed.err
    assert_nowhere(PASSWORD, shell, begun, refused, resumed)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://ada:pa55-w0rd@x/",
        "ada:pa55-w0rd@example.org/",
        "https://ada:pa55-w0rd@/",
        "https://ada:pa55-w0rd@example.org:99999/",
        "https://ada:x/pa55-w0rd@example.org/",
        "https://ada:x?pa55-w0rd@example.org/",
        "https://ada:pa55-w0rd@x@/",
        "https://ada:pa55-w0rd@[::1/",
        "https://ada:pa55-w0rd@exa mple.org/",
        "https:ada:pa55-w0rd@example.org",
    ],
)
def test_a_start_url_that_is_refused_is_told_without_its_password(url: str, shell: Shell) -> None:
    told = shell.run("--json", url)
    assert told.code == 2
    assert "(hidden)@" in told.err
    assert_nowhere(PASSWORD, shell, told)


@pytest.mark.parametrize(
    "header",
    ["Authorization pa55-w0rd", "Authorization Bearer pa55-w0rd: x", ": pa55-w0rd", "X: pa55-w0rd\u2713"],
)
def test_a_header_that_is_refused_is_told_without_its_value(header: str, shell: Shell) -> None:
    told = shell.run("--json", "--header", header, "https://example.org/")
    assert told.code == 2
    assert "header" in told.err
    assert_nowhere(PASSWORD, shell, told)


@pytest.mark.parametrize("value", ["pa55-w0rd\nX: y", "pa55-w0rd\u2713"])
def test_a_header_that_the_environment_spoils_is_told_without_its_value(value: str, shell: Shell) -> None:
    told = shell.run("--header", "X: ${TOKEN}", "https://example.org/", environ={"TOKEN": value})
    assert told.code == 2
    assert "the environment variable TOKEN holds more than one line" in told.err
    assert_nowhere(PASSWORD, shell, told)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ADAPTIVE_CRAWL_FETCH__HEADERS", "Authorization: Bearer: pa55-w0rd"),
        ("ADAPTIVE_CRAWL_FETCH__PROXY", "ftp://ada:pa55-w0rd@proxy.example/"),
        ("HTTPS_PROXY", "ftp://ada:pa55-w0rd@proxy.example/"),
    ],
)
def test_a_secret_in_the_environment_that_is_refused_is_not_told(name: str, value: str, shell: Shell) -> None:
    told = shell.run("https://example.org/", environ={name: value})
    assert told.code == 2, told.err
    assert name in told.err or "fetch.proxy" in told.err
    assert_nowhere(PASSWORD, shell, told)
    assert not (shell.folder / "output" / ".crawl").exists()
