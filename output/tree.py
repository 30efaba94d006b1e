"""Projection: what the core says of pages and files → the tree on disk, and its summaries.

``project`` writes a page as soon as it is settled, with absolute links: whoever looks sees what there is so
far. ``finish`` goes once over all pages when the crawl ends or is interrupted: it makes links local, writes
every ``index.md``, restores what is missing and removes what is no longer part of the tree. Nothing here is
a fact: told the same events again, a tree gets the same files byte for byte.

A file that was edited by hand is left as it is and reported; the newer text stays in the journal, and is
written when the edited file has been moved away and the crawl is resumed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol, cast

from adaptive_crawl.crawler import urls
from adaptive_crawl.crawler.fetching.revisit import Holding
from adaptive_crawl.crawler.model import (
    Disposition,
    Download,
    Event,
    Excerpt,
    Kind,
    Page,
    Redirect,
    Request,
    Stop,
    StopReason,
)
from adaptive_crawl.crawler.reading.annotate import annotated

from . import paths
from .changes import Changes
from .contents import Contents, Found, Kept
from .document import document, encode, one_line, page_body, page_facts, parse, plain_lines, reason_of
from .files import Manifest, OwnFiles, Put
from .fragments import Anchors, Fragments
from .index import INDEX, MAX_QUERY, Account, Below, Folder, Listed, Quoted, folder_index, root_index
from .ledger import Ledger
from .local_links import led_to, localize
from .recent import ENOUGH, RecentPages

SUMMARY_SENTENCES = 5
ANSWERS = 8
"""Passages quoted in the root's index: more than a reader reads, less than a page."""

_ROOT = PurePosixPath()


@dataclass(frozen=True, slots=True)
class OutputConfig:
    """Where the tree goes, and what its files look like."""

    directory: str = "output"
    """The folder of the tree; one site or subject each, since a crawl owns its folder."""
    timestamps: bool = True
    """False leaves crawl_time out, so that two crawls of an unchanged site give the same bytes."""
    links: Literal["local", "absolute"] = "local"
    """local lets links between pages work offline; absolute keeps every link as on the site."""
    annotate: bool = False
    """True writes NAME.annotated.md beside each page: its text with a mark after every link, for models."""
    keep_removed: bool = False
    """True keeps the files of pages that an update finds gone from the site."""


class Record(Protocol):
    """What the journal gives back: pages one by one, so that none has to stay in memory."""

    @property
    def manifest(self) -> Manifest: ...
    @property
    def epochs(self) -> "Epochs": ...
    def page(self, key: str) -> Page:
        """The newest page that a request of this key brought."""

    def anchors(self, key: str) -> Anchors:
        """Its anchors alone."""

    def body(self, digest: str) -> bytes:
        """The bytes of a download."""


class Epochs(Protocol):
    """What the journal notes of a tree, for the next update; see ``crawler.journaling.epochs.Epochs``."""

    def note(self, serial: int, holding: Holding) -> None: ...
    def replace(self, holdings: Sequence[Holding], aliases: Mapping[str, str]) -> None: ...


class Excerpts(Protocol):
    """What chooses the words that sum pages up; see ``scoring.summary.Excerpts``."""

    def read(self, page: Page) -> None: ...
    def of(self, key: str) -> Sequence[Excerpt]: ...
    def select(self, candidates: Iterable[Excerpt], count: int) -> Sequence[Excerpt]: ...
    def answers(self, count: int, page: Callable[[str], Page]) -> Sequence[Excerpt]: ...


@dataclass(frozen=True, slots=True)
class Filed:
    """What ``finish`` did to the files of the tree."""

    written: int = 0
    unchanged: int = 0
    removed: int = 0
    in_the_way: tuple[str, ...] = ()
    """Paths where something that is not ours stands, such as a page edited by hand; it was left alone."""


@dataclass(slots=True)
class _Inside:
    """What lies directly in a folder."""

    pages: list[Kept] = field(default_factory=list)
    files: list[Kept] = field(default_factory=list)
    folders: list[PurePosixPath] = field(default_factory=list)


class Tree:
    """The files of one output folder, as the events so far make them.

    Args:
        record: the journal of the crawl.
        excerpts: makes an empty collection of excerpts for the query of this crawl.
        queries: goal → text of its query; empty for a crawl without one.
        goal: the one that this crawl serves.
        key: URL → key, as the crawl itself computes it.
        found: what an update finds in the tree; None where this is no update.
        memory: bytes of the bodies of pages that the journal is not asked for again.
    """

    def __init__(
        self,
        folder: Path,
        config: OutputConfig,
        record: Record,
        *,
        excerpts: Callable[[], Excerpts],
        queries: Mapping[int, str],
        goal: int = 0,
        key: Callable[[str], str] = urls.canonicalize,
        found: Found | None = None,
        memory: int = ENOUGH,
    ) -> None:
        self._config = config
        self._record = record
        self._recent = RecentPages(memory)
        self._excerpts = excerpts
        self._queries = queries
        self._key = key
        self._fragments = Fragments(record.anchors)
        self._own = OwnFiles(folder, record.manifest)
        self._found = found
        self._contents = Contents(found or Found(), keep_removed=config.keep_removed, key=key)
        self._urls: dict[str, str] = {}
        """URLs of pages that are not their own key, to name them as referrers."""
        self._ledger = Ledger(queries, goal)
        self._filed: Counter[Put] = Counter()
        self._in_the_way: dict[str, None] = {}
        self._indexes_stay = False

    @property
    def paths(self) -> dict[str, str]:
        """Key → path of every page and file held, in the order in which they settled."""
        return self._contents.paths

    @property
    def changes(self) -> Changes | None:
        """What the update changed so far; None where this is no update."""
        return None if self._found is None else self._contents.changes()

    def project(self, event: Event) -> None:
        """Take in what an outcome means; a page kept and a file downloaded are there when this returns.

        Raises:
            OutputError: the file could not be written.
        """
        self._ledger.note(event)
        if event.request.kind is not Kind.PAGE:
            return
        if isinstance(event.outcome, Page):
            self._recent.put(event.request.key, event.outcome)
        match event.outcome:
            case Page() as page if event.disposition is Disposition.KEPT:
                self._keep(event.request, page)
                return
            case Download() as download:
                kept = self._contents.keep_file(event.request, download)
                self._put_download(kept)
                self._note(kept)
                return
            case Page() as page if event.same_as:
                self._contents.point(event.request.key, event.same_as)
                self._contents.point(page.key, event.same_as)
            case Redirect(target_key=target):
                self._contents.point(event.request.key, target)
        self._contents.let_go(event)

    def finish(self, stop: Stop, forsaken: Mapping[str, str] | None = None) -> Filed:
        """Bring the whole tree to its final state; done again, it changes nothing.

        Args:
            forsaken: pages held that must not be fetched any more: key → rule.

        Raises:
            OutputError: a file could not be written.
        """
        steps = self.finishing(stop, forsaken)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return cast(Filed, end.value)

    def finishing(
        self, stop: Stop, forsaken: Mapping[str, str] | None = None
    ) -> Generator[None, None, Filed]:
        """As ``finish``, a page or a folder at each step: tens of thousands take minutes, and whoever takes
        the steps may do something else between them, or leave it at that until the next run."""
        self._filed.clear()
        self._in_the_way.clear()
        for key, rule in (forsaken or {}).items():
            self._contents.remove(key, f"refused by rule {rule}")
        self._record.epochs.replace(self._contents.holdings(), self._contents.aliases)
        folders = self._folders()
        removed = self._remove_stale(folders)
        excerpts = self._excerpts()
        for kept in self._contents.pages:
            page = self._page_of(kept)
            excerpts.read(page)
            if _is_bare(page):
                self._filed[Put.UNCHANGED] += 1
            else:
                self._put_page(kept, page, local=self._config.links == "local")
            yield
        for file in self._contents.files:
            self._put_download(file)
            yield
        self._indexes_stay = not removed and self._is_as_found(stop)
        yield from self._put_indexes(folders, excerpts, stop)
        self._own.tidy()
        return Filed(self._filed[Put.WRITTEN], self._filed[Put.UNCHANGED], removed, tuple(self._in_the_way))

    # While the crawl goes on.

    def _keep(self, request: Request, page: Page) -> None:
        if page.url != page.key:
            self._urls[page.key] = page.url
        kept = self._contents.keep(request, page)
        if kept is None:
            return
        if not self._is_current(kept):
            self._put_page(kept, page, local=False)
        elif self._found is not None and self._found.in_files:
            self._learn_aliases(kept, page)
        self._note(kept)

    def _note(self, kept: Kept) -> None:
        self._record.epochs.note(len(self._contents), kept.holding())

    def _learn_aliases(self, kept: Kept, page: Page) -> None:
        """Take from a file where its links lead: no journal tells what redirected there, or was the same."""
        written = self._own.read(kept.path)
        if written is None:
            return
        body = parse(written.decode("utf-8", "replace"))[1]
        for url, path in led_to(plain_lines(page_body(page, page.markdown)), body, kept.path).items():
            target = self._contents.found_at(path)
            if target:
                self._contents.point(self._key(url), target)

    def _is_current(self, kept: Kept) -> bool:
        """Whether our file has this content already, its links local or not: then the end is soon enough."""
        written = self._own.read(kept.path)
        return written is not None and f"\ndigest: sha256:{kept.digest}\n".encode() in written

    # One file.

    def _put_page(self, kept: Kept, page: Page, *, local: bool) -> None:
        markdown = page_body(page, page.markdown)
        if local:
            places = page.places if markdown is page.markdown else None
            markdown = localize(
                markdown, kept.path, self._path_of(page), self._fragment_of(page), places=places
            )
        facts = page_facts(
            page,
            kept.request,
            referrer=self._urls.get(kept.request.referrer, kept.request.referrer),
            query=self._queries.get(kept.request.goal, ""),
            timestamps=self._config.timestamps,
        )
        self._put(kept.path, encode(document(facts, markdown)))
        if self._config.annotate:
            self._put_annotated(kept, page)

    def _put_annotated(self, kept: Kept, page: Page) -> None:
        marked = {link.ref: link.url for link in reversed(page.links) if link.ref}
        facts = {
            "type": "annotated",
            "page": kept.path.name,
            "links": dict(sorted(marked.items(), key=lambda mark: (len(mark[0]), mark[0]))),
        }
        self._put(paths.annotated(kept.path), encode(document(facts, annotated(page))))

    def _path_of(self, page: Page) -> Callable[[str], PurePosixPath | None]:
        keys = {link.url: link.key for link in page.links}

        def path_of(url: str) -> PurePosixPath | None:
            kept = self._contents.resolve(keys.get(url) or self._key(url))
            return kept.path if kept else None

        return path_of

    def _fragment_of(self, page: Page) -> Callable[[str, str], str]:
        keys = {link.url: link.key for link in page.links}

        def fragment_of(url: str, fragment: str) -> str:
            kept = self._contents.resolve(keys.get(url) or keys.setdefault(url, self._key(url)))
            if kept is None or kept.is_file:
                return fragment
            known = page.anchors if kept.key == page.key else None
            return self._fragments.slug(kept.request.key, fragment, known)

        return fragment_of

    def _put_download(self, file: Kept) -> None:
        if self._own.is_there(file.path, file.digest):
            self._filed[Put.UNCHANGED] += 1
        else:
            self._put(file.path, self._record.body(file.digest))

    def _put(self, path: PurePosixPath, content: bytes) -> None:
        put = self._own.put(path, content)
        self._filed[put] += 1
        if put is Put.IN_THE_WAY:
            self._in_the_way[str(path)] = None

    # The whole.

    def _folders(self) -> dict[PurePosixPath, _Inside]:
        """Every folder with what lies in it, each after all that lie below it, the root last."""
        found = {_ROOT: _Inside()}
        for kept in self._contents.pages:
            found.setdefault(kept.path.parent, _Inside()).pages.append(kept)
        for file in self._contents.files:
            found.setdefault(file.path.parent, _Inside()).files.append(file)
        for folder in list(found):
            for above in folder.parents:
                found.setdefault(above, _Inside())
        order = sorted(found, key=lambda folder: (-len(folder.parts), folder.parts))
        for folder in order:
            if folder != _ROOT:
                found[folder.parent].folders.append(folder)
        return {folder: found[folder] for folder in order}

    def _remove_stale(self, folders: Iterable[PurePosixPath]) -> int:
        """Remove the files of ours that are no part of the tree any more; say how many."""
        wanted = {str(path) for path in self._wanted(folders)}
        stale = [path for path in self._own.paths() if path not in wanted]
        folded = {path.casefold(): PurePosixPath(path) for path in wanted} if stale else {}
        removed = 0
        for path in self._abandoned(wanted):
            self._in_the_way[path] = None
        for path in stale:
            if self._own.remove(PurePosixPath(path), folded.get(path.casefold())):
                removed += 1
            else:
                self._in_the_way[path] = None
        return removed

    def _abandoned(self, wanted: Collection[str]) -> list[str]:
        """Files of pages removed that are not ours to remove, and never were since the journal was lost."""
        gone = [change.path for change in self._contents.changes().removed if change.path not in wanted]
        return [path for path in gone if self._own.is_theirs(PurePosixPath(path))]

    def _wanted(self, folders: Iterable[PurePosixPath]) -> Iterator[PurePosixPath]:
        for kept in self._contents.pages:
            yield kept.path
            if self._config.annotate:
                yield paths.annotated(kept.path)
        for file in self._contents.files:
            yield file.path
        for folder in folders:
            yield folder / INDEX

    def _put_indexes(
        self, folders: Mapping[PurePosixPath, _Inside], excerpts: Excerpts, stop: Stop
    ) -> Iterator[None]:
        made: dict[PurePosixPath, Folder] = {}
        chosen: dict[PurePosixPath, Sequence[Excerpt]] = {}
        for path, inside in folders.items():
            candidates = [excerpt for kept in inside.pages for excerpt in excerpts.of(kept.key)]
            candidates += [excerpt for below in inside.folders for excerpt in chosen[below]]
            chosen[path] = excerpts.select(candidates, SUMMARY_SENTENCES)
            made[path] = self._folder(path, inside, made, chosen[path])
            if path != _ROOT:
                self._put_index(path, folder_index(made[path]))
            yield
        account = self._account(stop, excerpts)
        self._put_index(_ROOT, root_index(made[_ROOT], account))

    def _put_index(self, folder: PurePosixPath, text: str) -> None:
        if self._indexes_stay and self._own.read(folder / INDEX) is not None:
            self._filed[Put.UNCHANGED] += 1
        else:
            self._put(folder / INDEX, encode(text))

    def _is_as_found(self, stop: Stop) -> bool:
        """Whether an update left everything as it was: what it took to find that out is no news, and an index
        that tells of it would be another one each time."""
        changes = self.changes
        if changes is None or changes or self._filed[Put.WRITTEN]:
            return False
        written = self._own.read(_ROOT / INDEX)
        facts = parse(written.decode("utf-8", "replace"))[0] if written else {}
        if facts.get("query", "") != one_line(self._ledger.query, MAX_QUERY):
            return False
        reasons = (facts.get("stopped_reason"), StopReason.INTERRUPTED)
        return stop.reason in reasons or bool(changes.unseen)

    def _folder(
        self,
        path: PurePosixPath,
        inside: _Inside,
        made: Mapping[PurePosixPath, Folder],
        summary: Iterable[Excerpt],
    ) -> Folder:
        below = [(folder, made[folder]) for folder in inside.folders]
        return Folder(
            path,
            [_listed(kept) for kept in sorted(inside.pages, key=self._place_in_list)],
            [Listed(file.path, file.path.name) for file in sorted(inside.files, key=lambda f: f.path)],
            [Below(folder, index.page_count, index.file_count) for folder, index in below],
            [self._quoted(excerpt) for excerpt in summary],
        )

    def _place_in_list(self, kept: Kept) -> tuple[float, PurePosixPath]:
        """Start pages, then the best; by name where nothing was asked."""
        if not self._queries.get(kept.request.goal):
            return 0.0, kept.path
        return -2.0 if kept.is_seed else -kept.request.score, kept.path

    def _quoted(self, excerpt: Excerpt) -> Quoted:
        return Quoted(_listed(self._contents[excerpt.key]), excerpt.text, excerpt.heading)

    def _account(self, stop: Stop, excerpts: Excerpts) -> Account:
        answers = excerpts.answers(ANSWERS, self._page) if self._ledger.query else ()
        pages = self._contents.pages
        newest = max((kept.fetched_at for kept in pages), default="")
        first = pages[0].key if pages else ""
        return self._ledger.account(
            stop,
            subject=urls.authority(first) if first else "Nothing was kept",
            answers=[self._quoted(answer) for answer in answers],
            crawl_time=newest if self._config.timestamps else "",
            changes=self.changes,
        )

    def _page(self, key: str) -> Page:
        return self._page_of(self._contents[key])

    def _page_of(self, kept: Kept) -> Page:
        """What the journal has, under the key of today: rules for keys may have changed since."""
        page = self._recent.get(kept.request.key) or self._record.page(kept.request.key)
        return page if page.key == kept.key else replace(page, key=kept.key)


def _is_bare(page: Page) -> bool:
    """Whether all that is known of a page is what its file says in front."""
    return not page.markdown.strip()


def _listed(kept: Kept) -> Listed:
    unscored = kept.is_seed or not kept.request.parts
    return Listed(kept.path, kept.title, reason_of(kept.request), None if unscored else kept.request.score)
