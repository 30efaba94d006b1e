"""A folder's index.md from what lies in it: a summary with its sources, and a list with links.

Knows how a summary page looks, and how to show words from a site so that they stay words: no title can
forge a link, a heading, a table cell or front matter. Knows nothing of how the words were chosen, and of
time only when the content was fetched, so that the same crawl gives the same index.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from adaptive_crawl.crawler.model import Stop
from adaptive_crawl.crawler.reading.anchors import heading_anchor

from .changes import Changes
from .document import document, one_line
from .local_links import readable_percent, relative

INDEX = "index.md"

MAX_QUERY = 300
"""Characters of the query in the front matter."""
MAX_CHANGES = 50
"""Of one kind that are listed; the report of the update itself has all."""
MAX_QUOTE = 700
"""Characters of one passage quoted; whoever wants more follows the link."""

_CONFIDENCE_WORDS = ((0.7, "excellent"), (0.6, "good"), (0.3, "partial"), (0.0, "insufficient"))
_SAID_ELSEWHERE = frozenset({"confidence", "sufficient"})
_SPECIAL = re.compile(r"[\\`*\[\]<>|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w{1,31};)|!(?=\[)")
_LEADING = re.compile(r"^(?:[#+=-]|\d{1,9}(?=[.)](?:\s|$)))")


@dataclass(frozen=True, slots=True)
class Listed:
    """A page or a file as an index lists it."""

    path: PurePosixPath
    title: str
    reason: str = ""
    score: float | None = None
    """0..1; None for what was not scored, as a start page or a file."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a page, with the page that they are from."""

    source: Listed
    text: str
    heading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Below:
    """A folder in the folder, with all that lies below it."""

    path: PurePosixPath
    pages: int
    files: int


@dataclass(frozen=True, slots=True)
class Folder:
    """What lies in one folder, and what was chosen to sum it up."""

    path: PurePosixPath
    """``PurePosixPath()`` for the root."""
    pages: Sequence[Listed] = ()
    files: Sequence[Listed] = ()
    folders: Sequence[Below] = ()
    summary: Sequence[Quoted] = ()

    @property
    def index(self) -> PurePosixPath:
        """Where its index lies."""
        return self.path / INDEX

    @property
    def page_count(self) -> int:
        """Pages in it and below it."""
        return len(self.pages) + sum(below.pages for below in self.folders)

    @property
    def file_count(self) -> int:
        """Files in it and below it."""
        return len(self.files) + sum(below.files for below in self.folders)


@dataclass(frozen=True, slots=True)
class Account:
    """What the root's index tells of the crawl itself."""

    title: str
    """The query, or what the crawl is of without one."""
    query: str
    stop: Stop
    confidence: float | None
    """0..1; None without a query."""
    figures: Mapping[str, float] = field(default_factory=dict)
    answers: Sequence[Quoted] = ()
    """Passages that bear on the query, best first."""
    earlier: Sequence[str] = ()
    """Queries that this tree was grown for before."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """Kind of failure → requests."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """What became of fetched pages that are not in the tree → how many."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """Rule → links that it kept out."""
    crawl_time: str = ""
    """When the newest content was fetched; empty leaves it out."""
    changes: Changes | None = None
    """What the newest update changed."""


def folder_index(folder: Folder) -> str:
    """The index of a folder below the root."""
    facts = {"type": "index", "title": folder.path.name, **_counts(folder)}
    above = folder.path.parent
    parts = [
        f"# {escape(folder.path.name)}",
        f"Part of [{escape(above.name or 'the whole tree')}]({relative(folder.index, above / INDEX)}).",
        *_contents(folder),
    ]
    return document(facts, "\n\n".join(parts))


def root_index(folder: Folder, account: Account) -> str:
    """The index of the whole tree: the answer first, then what there is, then how it came about."""
    facts: dict[str, Any] = {
        "type": "index",
        "title": one_line(account.title, MAX_QUERY),
        "query": one_line(account.query, MAX_QUERY),
        "stopped_reason": account.stop.reason.value,
        **_counts(folder),
        "crawl_time": account.crawl_time,
    }
    if account.confidence is not None:
        facts["confidence"] = round(account.confidence, 4) + 0.0
        facts["sufficient"] = bool(account.figures.get("sufficient"))
    parts = [
        f"# {escape(account.title)}",
        "\n".join(_outcome(account)),
        *_answers(folder, account),
        *_contents(folder),
        *_changed(folder, account.changes or Changes()),
        *_crawl(account),
    ]
    return document({name: value for name, value in facts.items() if value != ""}, "\n\n".join(parts))


def confidence_word(confidence: float) -> str:
    """How people should read a confidence of 0..1."""
    return next((word for least, word in _CONFIDENCE_WORDS if confidence >= least), "insufficient")


def escape(text: str, limit: int = 300) -> str:
    """Any text as one line of Markdown that shows it and means nothing else."""
    line = _SPECIAL.sub(lambda found: "\\" + found[0], one_line(text, limit))
    return _LEADING.sub(_escaped_start, line)


def _escaped_start(found: re.Match[str]) -> str:
    return f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}"


def _counts(folder: Folder) -> dict[str, int]:
    counts = {"pages": folder.page_count, "files": folder.file_count}
    return {name: count for name, count in counts.items() if count or name == "pages"}


def _outcome(account: Account) -> Iterator[str]:
    if account.confidence is not None:
        yield f"- **Confidence:** {confidence_word(account.confidence)} ({account.confidence:.2f})"
    detail = escape(account.stop.detail)
    yield f"- **Stopped:** {account.stop.reason.words}" + (f": {detail}" if detail else "")
    if account.earlier:
        yield "- **Asked before:** " + "; ".join(escape(query) for query in account.earlier)


def _answers(folder: Folder, account: Account) -> Iterator[str]:
    if not account.query:
        return
    yield "## Most relevant"
    if not account.answers:
        yield "No passage on these pages speaks of what was asked."
    for number, answer in enumerate(account.answers, 1):
        number_mark = f"{number}. "
        quote = _block_quote(answer.text, indent=" " * len(number_mark))
        yield f"{number_mark}{_cited(folder, answer)}\n\n{quote}"


def _cited(folder: Folder, quoted: Quoted) -> str:
    cited = _link(folder, quoted.source)
    named = quoted.heading and quoted.heading[-1] != quoted.source.title
    section = escape(quoted.heading[-1]) if named else ""
    anchor = readable_percent(heading_anchor(quoted.heading[-1])) if section else ""
    if not anchor:
        return cited
    return f"{cited} › [{section}]({relative(folder.index, quoted.source.path)}#{anchor})"


def _block_quote(text: str, indent: str) -> str:
    """A passage as the site's Markdown, each line quoted: nothing in it can reach out of the quote."""
    cut = text if len(text) <= MAX_QUOTE else text[:MAX_QUOTE].rsplit(" ", 1)[0] + " …"
    return "\n".join(f"{indent}> {line}".rstrip() for line in cut.strip().splitlines())


def _contents(folder: Folder) -> Iterator[str]:
    if folder.summary:
        yield "## Summary"
        yield "\n".join(
            f"- {escape(said.text, MAX_QUOTE)} ({_link(folder, said.source)})" for said in folder.summary
        )
    if folder.pages:
        yield "## Pages"
        yield "\n".join(_page_line(folder, page) for page in folder.pages)
    if folder.folders:
        yield "## Folders"
        yield "\n".join(_folder_line(folder, below) for below in folder.folders)
    if folder.files:
        yield "## Files"
        yield "\n".join(f"- {_link(folder, file)}" for file in folder.files)


def _page_line(folder: Folder, page: Listed) -> str:
    why = [f"score {page.score:.2f}"] if page.score is not None else []
    why += [escape(page.reason)] if page.reason else []
    line = f"- {_link(folder, page)}"
    return f"{line} – {': '.join(why)}" if why else line


def _folder_line(folder: Folder, below: Below) -> str:
    counts = [_counted(below.pages, "page")] if below.pages else []
    counts += [_counted(below.files, "file")] if below.files else []
    link = relative(folder.index, below.path / INDEX)
    return f"- [{escape(below.path.name)}/]({link}) – {', '.join(counts)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _link(folder: Folder, listed: Listed) -> str:
    title = escape(listed.title) or escape(listed.path.name)
    return f"[{title}]({relative(folder.index, listed.path)})"


def _changed(folder: Folder, changes: Changes) -> Iterator[str]:
    if not changes:
        return
    yield "## What the last update changed"
    lines = []
    for what, which in (("Added", changes.added), ("Changed", changes.changed), ("Removed", changes.removed)):
        for change in which[:MAX_CHANGES]:
            path = PurePosixPath(change.path)
            shown = escape(change.path)
            target = relative(folder.index, path)
            lines.append(f"- {what}: {shown if which is changes.removed else f'[{shown}]({target})'}")
        if len(which) > MAX_CHANGES:
            lines.append(f"- {what}: {len(which) - MAX_CHANGES} more")
    yield "\n".join(lines)


def _crawl(account: Account) -> Iterator[str]:
    figures = [
        (name, value)
        for name, value in account.figures.items()
        # How long it took differs from run to run, and would make the same crawl another file.
        if name not in _SAID_ELSEWHERE and "seconds" not in name
    ]
    tallies = [("Failed", account.failed), ("Not kept", account.skipped), ("Links refused", account.refused)]
    told = [(what, tally) for what, tally in tallies if tally]
    if not figures and not told:
        return
    yield "## How the crawl went"
    if figures:
        rows = [f"| {escape(name.replace('_', ' '))} | {_figure(value)} |" for name, value in figures]
        yield "\n".join(["| Measure | Value |", "| --- | ---: |", *rows])
    if told:
        yield "\n".join(f"- {what}: {_tally(tally)}" for what, tally in told)


def _tally(tally: Mapping[str, int]) -> str:
    most_first = sorted(tally.items(), key=lambda item: (-item[1], item[0]))
    return f"{sum(tally.values())} ({', '.join(f'{escape(name)}: {count}' for name, count in most_first)})"


def _figure(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
