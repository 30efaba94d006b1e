"""How a command ends: its exit code, and what is said when it could not do its work."""

import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from adaptive_crawl.crawler.errors import CrawlError, LoginError, StateError, UsageError

_UNEXPECTED, _USAGE, _AUTHENTICATION, _STATE, _INTERRUPTED = 1, 2, 4, 9, 130


def of_crawl(urls: tuple[str, ...], options: Mapping[str, Any]) -> int:
    """Run the crawl command and return its exit code, whatever happens."""
    from .progress import Talk

    talk = Talk(sys.stderr, -1 if options["quiet"] else options["verbose"])

    def work() -> int:
        from .run import crawl
        from .task import CommandLine

        return crawl(CommandLine(urls, options), talk)

    return of(work, talk.tell, as_json=options["json"], with_trace=options["verbose"] > 0)


def of(
    work: Callable[[], int],
    tell: Callable[[str], None] | None = None,
    *,
    as_json: bool = False,
    with_trace: bool = False,
) -> int:
    """Do the work; what ends it becomes a message and an exit code.

    A program that reads JSON gets the error as JSON too, in place of the report.
    """
    try:
        return work()
    except CrawlError as error:
        code, message = _code(error), str(error)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:  # the command's last line of defence: people get a message, not a stack
        code = _UNEXPECTED
        message = "\n".join([f"unexpected {type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
        message += "\n" + (traceback.format_exc() if with_trace else "-v shows where this was.")
    (tell or _to_stderr)(f"Error: {message}")
    if as_json:
        from . import streams

        streams.write_json({"schema_version": 1, "exit_code": code, "error": message.splitlines()})
    return code


def _code(error: CrawlError) -> int:
    if isinstance(error, UsageError):
        return _USAGE
    if isinstance(error, LoginError):
        return _AUTHENTICATION
    return _STATE if isinstance(error, StateError) else _UNEXPECTED


def _to_stderr(line: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(line + "\n")
