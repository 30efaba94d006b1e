"""What the user asked for, checked before anything is fetched: options, files and the folder → a task.

Reads the configuration and looks into the output folder; never touches the network.
"""

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from adaptive_crawl.crawler import urls
from adaptive_crawl.crawler.errors import UsageError
from adaptive_crawl.crawler.journaling import journalfile
from adaptive_crawl.scoring.text import is_stop, terms

from . import config as configuration
from .command_line import looks_like_url
from .config import Config, ConfigError, Loaded, Sources
from .keys import shown, without_login
from .layers import Problem, Setting
from .options import ADDING, values_of

if TYPE_CHECKING:
    from .compose import Past


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The crawl command as typed."""

    urls: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """Every option of the command by its name in Python, as Typer gives them."""

    def __getitem__(self, name: str) -> Any:
        return self.options.get(name)


@dataclass(frozen=True, slots=True)
class Task:
    """A crawl that can begin."""

    seeds: tuple[str, ...]
    """Without user and password."""
    query: str
    loaded: Loaded[Config]
    resume: bool
    hints: tuple[str, ...]
    """What the user may want to know before it begins."""
    logins: tuple[str, ...] = field(default=(), repr=False)
    """Seeds with user and password, where they were given: kept in memory, for the fetcher alone."""
    logins_missing: tuple[str, ...] = ()
    """Origins that the crawl gone on with had a user and password for, and this command has not."""

    @property
    def config(self) -> Config:
        return self.loaded.config

    @property
    def folder(self) -> Path:
        return Path(self.config.output.directory)


def prepare(
    line: CommandLine,
    environ: Mapping[str, str],
    current: Path,
    past_run: Callable[[Path], "Past | None"],
) -> Task:
    """Check everything that can be checked without a request.

    ``past_run`` reads the journal of a folder: None when there is none.

    Raises:
        UsageError: something is wrong with what was asked; all of it is told.
        StateError: the state in the folder cannot be read.
    """
    hints: list[str] = []
    problems: list[Problem] = []
    found = [seed for word in line.urls if (seed := _seed(word, hints, problems))]
    seeds, logins = tuple(url for url, _ in found), tuple(filter(None, (login for _, login in found)))
    query = _query(line["query"], hints, problems)
    sources = _sources(line, environ, current, problems)
    loaded = _load(sources, bool(query), problems)
    past = None
    if (line["resume"] or line["update"]) and loaded is not None:
        past = past_run(Path(loaded.config.output.directory))
        query = query or (past.query if past else "")
        recorded = _settings(past, line) if past else None
        sources = Sources(sources.environ, sources.folder, sources.file, sources.flags, recorded)
        loaded = _load(sources, bool(query), problems)
    problems += _contradictions(line, query, seeds, past)
    problems += _log_file_problems(line["log_file"], loaded)
    if problems or loaded is None:
        raise ConfigError(_once(problems))
    missing = _logins_missing(past, logins, loaded.config)
    hints += [_ask_again(origin) for origin in missing]
    task = Task(
        seeds or tuple(past.seeds if past else ()),
        query,
        loaded,
        past is not None and past.has_journal,
        (*hints, *loaded.warnings),
        logins=logins,
        logins_missing=missing,
    )
    _check_folder(task, line, past)
    return task


def _settings(past: "Past", line: CommandLine) -> Mapping[str, Any]:
    """What the crawl gone on with was given. What is to become of removed pages each update says anew."""
    once = ("output.keep_removed",) if line["update"] else ()
    return {name: value for name, value in past.settings.items() if name not in once}


def go_on_command(task: Task, line: CommandLine) -> str:
    """The command that resumes the crawl, with what must be given again; secrets are left out."""
    words = ["adaptive-crawl", "--resume"]
    directory = task.config.output.directory
    if directory != type(task.config.output)().directory:
        words += ["-o", str(directory)]
    if line["config_file"]:
        words += ["--config", line["config_file"]]
    for name in task.loaded.to_repeat():
        flag = task.loaded.origins[name]
        if flag == "--header":
            words += [word for header in line["header"] for word in (flag, _without_secret(header))]
        elif flag.startswith("--"):
            words.append(flag)
    if task.logins:
        origins = {urls.origin(login) for login in task.logins}
        words += [_with_login(seed) if urls.origin(seed) in origins else seed for seed in task.seeds]
    return shlex.join(words)


def _seed(word: str, hints: list[str], problems: list[Problem]) -> tuple[str, str] | None:
    """A URL as typed → one that can be fetched, and the same with user and password where it has them.

    None, with a problem noted, when it cannot be fetched. No problem or hint tells user or password.
    """
    url = urls.assume_scheme(word.strip())
    trouble = _trouble(word, url)
    if trouble:
        problems.append(Problem("URL", "", trouble))
        return None
    if url != word.strip():
        hints.append(f"{word}: no scheme given, {url} assumed")
    bare, userinfo = urls.split_userinfo(url)
    return bare, url if userinfo else ""


def _trouble(word: str, url: str) -> str:
    """What keeps a URL from being fetched; empty when nothing does."""
    if not looks_like_url(word):
        return f"{word!r} is no URL; if it is a host, write https://{word}"
    told = shown(without_login(word))
    try:
        parts = urlsplit(url)
        host = parts.hostname
        parts.port  # noqa: B018  (raises where there is no such port)
    except ValueError as error:
        # What is taken for a port may be a password.
        return f"{told} is no URL" + ("" if "@" in word else f": {error}")
    if parts.scheme not in ("http", "https"):
        return f"{told}: only http and https can be crawled"
    if not host:
        return f"{told} names no host"
    return "" if urls.origin(url) else f"{told} names a host that cannot be"


def _query(text: str | None, hints: list[str], problems: list[Problem]) -> str:
    if text is None:
        return ""
    query = " ".join(text.split())
    if not re.search(r"\w", query):
        what = "is empty" if not query else f"{shown(query)} holds no word"
        problems.append(Problem("--query", "", f"{what}; leave it out to fetch everything in scope"))
    elif all(map(is_stop, terms(query))):
        hints.append(
            f"The query {shown(query)} consists of common words only; they are looked for as they are"
        )
    return query


def _sources(
    line: CommandLine, environ: Mapping[str, str], current: Path, problems: list[Problem]
) -> Sources:
    flags: list[Setting] = []
    try:
        flags = [Setting(path, value, flag, flag in ADDING) for path, value, flag in values_of(line.options)]
    except ValueError as error:
        problems.append(Problem("command line", "", str(error)))
    file = Path(line["config_file"]) if line["config_file"] else None
    return Sources(environ, None if line["no_config"] else current, file, flags)


def _load(sources: Sources, has_query: bool, problems: list[Problem]) -> Loaded[Config] | None:
    try:
        return configuration.load(sources, has_query=has_query)
    except ConfigError as error:
        problems += error.problems
        return None


def _contradictions(
    line: CommandLine, query: str, seeds: tuple[str, ...], past: "Past | None"
) -> list[Problem]:
    """Options that make no sense together, or not with what the folder holds."""
    found = []
    if not line.urls and not (past and past.seeds):
        goes_on = line["resume"] or line["update"]
        message = "no crawl to go on with in the output folder" if goes_on else "none given"
        found.append(Problem("URL", "", f"{message}; where shall the crawl begin?"))
    if past is not None and past.seeds and seeds and _keys(seeds) != _keys(past.seeds):
        began = ", ".join(past.seeds)
        found.append(
            Problem(
                "URL",
                "",
                f"the crawl in the output folder began at {began}; leave the URL out to go on with it, "
                "or name another folder by -o",
            )
        )
    if line["fail_on_change"] and not line["update"]:
        found.append(Problem("--fail-on-change", "", "only --update tells what has changed"))
    fail_under, max_failures = line["fail_under"], line["max_failures"]
    if fail_under is not None and not 0 <= fail_under <= 1:
        found.append(Problem("--fail-under", "", f"{fail_under:g} is not allowed: a number from 0 to 1"))
    if fail_under is not None and (not query or line["strategy"] == "none"):
        found.append(Problem("--fail-under", "", "without a query to answer there is no confidence"))
    if max_failures is not None and max_failures < 0:
        found.append(Problem("--max-failures", "", f"{max_failures} is not allowed: a number of at least 0"))
    return found


def _log_file_problems(name: str | None, loaded: Loaded[Config] | None) -> list[Problem]:
    """What keeps a log from being written; the output folder will be there when the log is opened."""
    if not name or loaded is None:
        return []
    path = Path(name)
    folder = path.parent
    if path.is_dir():
        trouble = "it is a folder"
    elif not folder.is_dir():
        will_be = folder.absolute() == Path(loaded.config.output.directory).absolute()
        trouble = "" if will_be else f"there is no folder {folder}"
    else:
        trouble = "" if _may_write(path) else "it may not be written"
    return [Problem("--log-file", "", f"{name} cannot be written: {trouble}")] if trouble else []


def _may_write(path: Path) -> bool:
    if not path.is_file():
        return os.access(path if path.exists() else path.parent, os.W_OK)
    try:  # what may be done to a file is known by trying: root may all, and still not on every file system
        with path.open("ab"):
            return True
    except OSError:
        return False


def _logins_missing(past: "Past | None", logins: Sequence[str], config: Config) -> tuple[str, ...]:
    headers = {name.lower() for name in config.fetch.headers}
    if past is None or config.fetch.netrc or "authorization" in headers:
        return ()
    given = {urls.origin(login) for login in logins}
    return tuple(origin for origin in past.logins if origin not in given)


def _ask_again(origin: str) -> str:
    return (
        f"The crawl began with a user and password for {origin}, which are never kept; "
        f"if the site asks for them, give them again: {_with_login(origin + '/')}"
    )


def _with_login(url: str) -> str:
    return url.replace("://", "://USER:PASSWORD@", 1)


def _keys(seeds: Sequence[str]) -> set[str]:
    return {urls.canonicalize(seed) for seed in seeds}


def _once(problems: Sequence[Problem]) -> list[Problem]:
    """Each problem once: a configuration that is read twice complains twice."""
    return list(dict.fromkeys(problems))


def _check_folder(task: Task, line: CommandLine, past: "Past | None") -> None:
    """Make sure of a folder that is ours to write in.

    Raises:
        UsageError: it is a file, cannot be written, or holds what this crawl must not overwrite.
    """
    folder = task.folder
    if line["dry_run"]:
        return
    try:
        held = sorted(os.listdir(folder))
    except FileNotFoundError:
        held = []
    except NotADirectoryError:
        raise UsageError(
            f"the output folder {folder} is a file, or lies under one; name another by -o"
        ) from None
    except OSError as error:
        raise UsageError(f"the output folder {folder} cannot be read: {error.strerror}") from None
    if line["update"] and held == [journalfile.FOLDER]:
        held = []  # a first run that was killed before it had done anything
    if held and past is None:
        raise UsageError(_occupied(folder, journalfile.FOLDER in held))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the output folder {folder} cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"the output folder {folder} cannot be written")


def _occupied(folder: Path, holds_crawl: bool) -> str:
    quoted = shlex.quote(str(folder))
    if holds_crawl:
        return (
            f"the output folder {folder} already holds a crawl; go on with it by "
            f"`adaptive-crawl --resume -o {quoted}`, bring it up to date by --update, "
            "or name another folder by -o"
        )
    return f"the output folder {folder} holds files that are not of a crawl; name another by -o"


def _without_secret(header: str) -> str:
    """A header for the command line that is printed: a value from the environment may be shown by name."""
    name, _, value = header.partition(":")
    return header if re.fullmatch(r"[\w\s-]*\$\{\w+\}\s*", value) else f"{name}: …"
