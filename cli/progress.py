"""How a crawl goes, on stderr: a bar on a terminal, plain lines elsewhere, all of it in a log file.

Observers of events: they see only what happens now, decide nothing, and can all be switched off. A stderr
that nobody reads (a closed pipe, a full disk) must not end a crawl, so writing never raises.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn, TextIO

from adaptive_crawl.crawler.model import Disposition, Event, Failure, Kind, Page, RobotsFile

from .plain_text import human_bytes, safe

if TYPE_CHECKING:
    pass

Observer = Callable[[Event], None]

_QUIET, _NORMAL, _VERBOSE = -1, 0, 1


class Talk:
    """Lines for people on one stream, none of which can end the run.

    ``verbosity``: below 0 only what keeps the command from its work, above 0 also what happens to each
    request. ``bar`` is moved out of the way of a line.
    """

    def __init__(self, stream: TextIO | None, verbosity: int = _NORMAL) -> None:
        self.stream = stream
        self.verbosity = verbosity
        self.bar: Bar | None = None

    def say(self, line: str) -> None:
        """A hint that can be done without."""
        if self.verbosity >= _NORMAL:
            self.tell(line)

    def tell(self, line: str) -> None:
        """What the user must know whatever they asked for."""
        if self.stream is None:
            return
        try:
            if self.bar is not None:
                self.bar.clear()
            self.stream.write(line + "\n")
            self.stream.flush()
        except (OSError, ValueError):
            self.stream = None


class Lines:
    """One plain line for each page; with ``-v`` for everything else too."""

    def __init__(self, talk: Talk, max_pages: int | None) -> None:
        self._talk = talk
        self._of = f"/{max_pages}" if max_pages else ""

    def __call__(self, event: Event) -> None:
        line = line_of(event)
        if event.disposition is Disposition.KEPT:
            self._talk.say(f"[{event.pages}{self._of}] {line}")
        elif event.disposition is Disposition.FAILED or self._talk.verbosity >= _VERBOSE:
            self._talk.say(f"    {line}")

    def close(self) -> None:
        """Nothing to leave."""


class Bar:
    """A tqdm bar of the pages kept, with confidence and what is left to visit."""

    def __init__(self, talk: Talk, max_pages: int | None) -> None:
        from tqdm import tqdm

        tqdm.monitor_interval = 0  # a thread that wakes up for a bar that moves by itself
        self._talk = talk
        self._bar: tqdm[NoReturn] = tqdm(
            total=max_pages, unit=" pages", file=talk.stream, leave=False, dynamic_ncols=True, mininterval=0.2
        )
        talk.bar = self

    def __call__(self, event: Event) -> None:
        if event.disposition is Disposition.FAILED or self._talk.verbosity >= _VERBOSE:
            self._talk.say(line_of(event))
        if self._talk.stream is None:
            return
        figures = {"frontier": str(event.frontier)}
        if event.assessment is not None:
            figures = {"confidence": f"{event.assessment.confidence:.2f}", **figures}
        try:
            self._bar.set_postfix(figures, refresh=False)
            self._bar.update(max(0, event.pages - self._bar.n))
        except (OSError, ValueError):
            self._talk.stream = None

    def clear(self) -> None:
        """Leave the line free; the next update draws the bar again."""
        self._bar.clear()

    def close(self) -> None:
        """Take the bar away."""
        self._talk.bar = None
        try:
            self._bar.close()
        except (OSError, ValueError):
            self._talk.stream = None


class Log:
    """Every event as one line with its time, in a file.

    Raises (on construction):
        OSError: the file cannot be written.
    """

    def __init__(self, path: str) -> None:
        self._file = open(path, "a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115

    def __call__(self, event: Event) -> None:
        self.write(line_of(event))

    def write(self, line: str) -> None:
        """Add a line; a disk that is full is the crawl's own trouble, told where it writes."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        try:
            self._file.write(f"{now} {line}\n")
            self._file.flush()
        except (OSError, ValueError):
            return

    def close(self) -> None:
        """Close the file."""
        try:
            self._file.close()
        except OSError:
            return


def progress(talk: Talk, max_pages: int | None, environ: Mapping[str, str]) -> Bar | Lines | None:
    """What fits the stream: a bar where a person watches, lines where something reads, None when quiet."""
    if talk.stream is None or talk.verbosity < _NORMAL:
        return None
    return Bar(talk, max_pages) if wants_bar(talk.stream, environ) else Lines(talk, max_pages)


def wants_bar(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """A bar needs a terminal that can move its cursor, and a person who looks at it."""
    if environ.get("CI") or environ.get("TERM", "dumb") == "dumb":
        return False
    try:
        return stream.isatty()
    except ValueError:
        return False


def line_of(event: Event) -> str:
    """An event on one line, safe for a terminal."""
    request, outcome = event.request, event.outcome
    if isinstance(outcome, RobotsFile):
        answer = f"status {outcome.status}" if outcome.status else "no answer"
        return f"noted {safe(request.url)}: {answer}"
    what = [event.disposition.value, safe(request.url)]
    match outcome:
        case Page(title=title, size=size, held=held):
            what += [f'"{safe(title, 60)}"', safe(held) or human_bytes(size)]
        case Failure(kind=kind, detail=detail, attempts=attempts):
            what += [f"{kind.value}: {safe(detail)}"]
            what += [f"({attempts} attempts)"] if attempts > 1 else []
    if event.same_as:
        what.append(f"same as {safe(event.same_as)}")
    if event.rule:
        what.append(f"by rule {event.rule}")
    if request.kind is Kind.PAGE and event.disposition is Disposition.KEPT:
        what.append(_why(event))
    return " ".join(what)


def _why(event: Event) -> str:
    told = [f"depth {event.request.depth}"]
    if event.request.referrer:
        told.append(f"score {event.request.score:.2f}")
    if event.assessment is not None:
        told.append(f"confidence {event.assessment.confidence:.2f}")
    return f"({', '.join(told)})"
