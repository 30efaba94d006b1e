"""What a tree is made of, as the events so far make it; and how it differs from what an update found.

Knows keys, paths and what became of requests; knows neither files nor what they look like.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import PurePosixPath

from adaptive_crawl.crawler.fetching.revisit import Holding, is_gone
from adaptive_crawl.crawler.model import NOT_MODIFIED, Download, Event, Failure, Page, Redirect, Request

from .changes import Change, Changes
from .document import MAX_DESCRIPTION, MAX_TITLE, one_line
from .paths import PathPlan

LISTED_TITLE = 200
"""Characters kept of a title for the lists: 20,000 pages must fit into a few tens of MB."""
MAX_ALIASES = 20
"""Steps from one key to another, by redirects and duplicates; a longer chain is a loop."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A page or a file of the tree, as far as it stays in memory."""

    request: Request
    key: str
    path: PurePosixPath
    title: str
    digest: str
    facts: str
    """Digest of what the front matter says of the page itself; empty for a file."""
    fetched_at: str
    gone: str = ""
    """Why the site has it no more, where it is kept all the same."""

    @property
    def is_file(self) -> bool:
        return not self.facts

    @property
    def is_seed(self) -> bool:
        return self.request.depth == 0 and not self.request.referrer

    def holding(self) -> Holding:
        """Itself, as the journal notes it."""
        return Holding(
            self.key,
            str(self.path),
            self.request,
            self.digest,
            self.facts,
            self.title,
            self.fetched_at,
            bool(self.gone),
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What an update finds in a tree."""

    holdings: Sequence[Holding] = ()
    """In the order in which they were kept."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Keys that led elsewhere → where to."""
    in_files: bool = False
    """It was told by the files alone, since the journal is lost."""
    loose: Mapping[str, str] = field(default_factory=dict)
    """Path → sha256 of files of which nothing tells where they are from."""


def facts_of(page: Page) -> str:
    """Digest of what the front matter tells of a page besides its text and its validators."""
    title, description = one_line(page.title, MAX_TITLE), one_line(page.description, MAX_DESCRIPTION)
    canonical = page.canonical if page.canonical != page.url else ""
    said = (page.url, title, description, page.language, canonical)
    return hashlib.sha256("\n".join(said).encode("utf-8", "replace")).hexdigest()[:32]


class Contents:
    """Pages, files and aliases of a tree.

    Args:
        found: what an update finds; it stays until the site says that it is no more.
        keep_removed: keep even that.
        key: URL → key.
    """

    def __init__(self, found: Found, *, keep_removed: bool, key: Callable[[str], str]) -> None:
        self._plan = PathPlan()
        self._keep_removed = keep_removed
        self._aliases = dict(found.aliases)
        self._loose = found.loose
        self._removed: dict[str, str] = {}
        self._found: dict[str, Kept] = {}
        for holding in found.holdings:
            kept = _kept_of(holding, key(holding.request.url))
            if self._found.setdefault(kept.key, kept) is kept:
                self._plan.reserve(kept.key, kept.path, is_file=kept.is_file)
        self._unseen = dict.fromkeys(self._found, "it was not asked for")
        """What was held and has not been seen in this epoch → why not."""
        self._all = dict(self._found)
        self._key_at = {kept.path: kept.key for kept in self._found.values()}

    @property
    def pages(self) -> list[Kept]:
        """In the order in which they were kept."""
        return [kept for kept in self._all.values() if not kept.is_file]

    @property
    def files(self) -> list[Kept]:
        return [kept for kept in self._all.values() if kept.is_file]

    @property
    def paths(self) -> dict[str, str]:
        """Key → path of every page and file."""
        return {kept.key: str(kept.path) for kept in (*self.pages, *self.files)}

    @property
    def aliases(self) -> dict[str, str]:
        return self._aliases

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, key: str) -> Kept:
        return self._all[key]

    def found_at(self, path: PurePosixPath) -> str:
        """The key of what the update found at a path; empty where there was nothing."""
        return self._key_at.get(path, "")

    def resolve(self, key: str) -> Kept | None:
        """What is held under a key, or under the one that it leads to."""
        for _ in range(MAX_ALIASES):
            if key in self._all or key not in self._aliases:
                break
            key = self._aliases[key]
        return self._all.get(key)

    def point(self, key: str, target: str) -> None:
        """Note that a key leads to another one."""
        if key != target:
            self._aliases[key] = target

    # What events bring.

    def keep(self, request: Request, page: Page) -> Kept | None:
        """Take in a page of the tree; None where it is there as it is."""
        self.point(request.key, page.key)
        before = self._all.get(page.key)
        news = self._seen(page.key, page.held)
        # Asked for again by another query, a page keeps the score and reason that it came with.
        if before is not None and before.digest == page.digest and not news:
            return None
        path = before.path if before and not before.is_file else self._plan.page(page.key)
        title = one_line(page.title, LISTED_TITLE)
        kept = Kept(request, page.key, path, title, page.digest, facts_of(page), page.fetched_at)
        self._all[page.key] = kept
        return kept

    def keep_file(self, request: Request, download: Download) -> Kept:
        """Take in a file of the tree."""
        self._seen(download.key, download.held)
        before = self._all.get(download.key)
        if before is not None and before.is_file:
            path = before.path
        else:
            path = self._plan.download(download.key, download.media_type)
        kept = Kept(request, download.key, path, "", download.digest, "", download.fetched_at)
        self._all[download.key] = kept
        return kept

    def let_go(self, event: Event) -> None:
        """Take in what became of a request that kept nothing: what was held of it may be no more."""
        match event.outcome:
            case Failure() as failure if not is_gone(failure):
                if event.request.key in self._unseen:
                    self._unseen[event.request.key] = failure.detail or failure.kind.value
            case Failure() as failure:
                self.remove(event.request.key, failure.detail or failure.kind.value)
            case _:
                self.remove(event.request.key, _why(event))

    def remove(self, key: str, why: str) -> None:
        """Note that the site has a page no more."""
        if self._unseen.pop(key, None) is None:
            return
        self._removed[key] = why
        if self._keep_removed:
            self._all[key] = replace(self._all[key], gone=why)
        else:
            del self._all[key]

    def _seen(self, key: str, held: str) -> bool:
        """Note that a page held was asked for; say whether it had not been before in this epoch."""
        if key not in self._unseen:
            return False
        if held and held != NOT_MODIFIED:
            self._unseen[key] = held
        else:
            del self._unseen[key]
        return True

    # What it comes to.

    def holdings(self) -> list[Holding]:
        """All of it, for the next update to find."""
        return [kept.holding() for kept in (*self.pages, *self.files)]

    def changes(self) -> Changes:
        """How the tree differs from what the update found."""
        told: dict[str, list[Change]] = {part.name: [] for part in fields(Changes)}
        for key, before in self._found.items():
            why = self._unseen.get(key) or self._removed.get(key, "")
            told[self._fate(before)].append(_change(before, why))
        for key, kept in self._all.items():
            if key in self._found and self._found[key].path == kept.path:
                continue
            was_there = self._loose.get(str(kept.path)) == kept.digest
            told["unchanged" if was_there else "added"].append(_change(kept))
        return Changes(**{fate: tuple(sorted(them)) for fate, them in told.items()})

    def _fate(self, before: Kept) -> str:
        """What became of something held: the field of ``Changes`` to which it belongs."""
        if before.key in self._unseen:
            return "unseen"
        now = self._all.get(before.key)
        if now is None or now.path != before.path:
            return "removed"
        if now.gone:
            # Kept against the site's word; news only once.
            return "unchanged" if before.gone else "removed"
        return "unchanged" if (now.digest, now.facts) == (before.digest, before.facts) else "changed"


def _change(kept: Kept, why: str = "") -> Change:
    return Change(str(kept.path), kept.request.url, why)


def _kept_of(holding: Holding, key: str) -> Kept:
    return Kept(
        holding.request,
        key,
        PurePosixPath(holding.path),
        holding.title,
        holding.digest,
        holding.facts,
        holding.fetched_at,
        "the site has it no more" if holding.gone else "",
    )


def _why(event: Event) -> str:
    """Why what a request brought is not kept."""
    if isinstance(event.outcome, Redirect):
        return f"it leads to {event.outcome.target}"
    return f"the same as {event.same_as}" if event.same_as else event.rule or event.disposition.value
