"""Projection: what the core says of pages and files → the tree on disk, and its summaries.

``project`` writes a page as soon as it is settled, with absolute links: whoever looks sees what there is so
far. ``finish`` goes once over all pages when the crawl ends or is interrupted: it makes links local, writes
every ``index.md``, restores what is missing and removes what is no longer part of the tree. Nothing here is
a fact: told the same events again, a tree gets the same files byte for byte.

A file that was edited by hand is left as it is and reported; the newer text stays in the journal, and is
written when the edited file has been moved away and the crawl is resumed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol

from adaptive_crawl.crawler import urls
from adaptive_crawl.crawler.annotate import annotated
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
)

from . import paths
from .document import document, encode, one_line, page_body, page_facts, reason_of
from .files import Manifest, OwnFiles, Put
from .fragments import Anchors, Fragments
from .index import INDEX, Account, Below, Folder, Listed, Quoted, folder_index, root_index
from .ledger import Ledger
from .local_links import localize

MAX_TITLE = 200
"""Characters kept of a title for the lists: 20,000 pages must fit into a few tens of MB."""
SUMMARY_SENTENCES = 5
ANSWERS = 8
"""Passages quoted in the root's index: more than a reader reads, less than a page."""
MAX_ALIASES = 20
"""Steps from one key to another, by redirects and duplicates; a longer chain is a loop."""

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


class Record(Protocol):
    """What the journal gives back: pages one by one, so that none has to stay in memory."""

    @property
    def manifest(self) -> Manifest: ...
    def page(self, key: str) -> Page:
        """The newest page that a request of this key brought."""

    def anchors(self, key: str) -> Anchors:
        """Its anchors alone."""

    def body(self, digest: str) -> bytes:
        """The bytes of a download."""


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


@dataclass(frozen=True, slots=True)
class _Kept:
    """A page of the tree, as far as it stays in memory."""

    request: Request
    key: str
    path: PurePosixPath
    title: str
    digest: str
    fetched_at: str

    @property
    def is_seed(self) -> bool:
        return self.request.depth == 0 and not self.request.referrer

    def listed(self) -> Listed:
        unscored = self.is_seed or not self.request.parts
        return Listed(
            self.path, self.title, reason_of(self.request), None if unscored else self.request.score
        )


@dataclass(frozen=True, slots=True)
class _File:
    """A download of the tree."""

    path: PurePosixPath
    digest: str


@dataclass(slots=True)
class _Inside:
    """What lies directly in a folder."""

    pages: list[_Kept] = field(default_factory=list)
    files: list[_File] = field(default_factory=list)
    folders: list[PurePosixPath] = field(default_factory=list)


class Tree:
    """The files of one output folder, as the events so far make them.

    Args:
        record: the journal of the crawl.
        excerpts: makes an empty collection of excerpts for the query of this crawl.
        queries: goal → text of its query; empty for a crawl without one.
        goal: the one that this crawl serves.
        key: URL → key, as the crawl itself computes it.
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
    ) -> None:
        self._config = config
        self._record = record
        self._excerpts = excerpts
        self._queries = queries
        self._key = key
        self._plan = paths.PathPlan()
        self._fragments = Fragments(record.anchors)
        self._own = OwnFiles(folder, record.manifest)
        self._pages: dict[str, _Kept] = {}
        self._files: dict[str, _File] = {}
        self._aliases: dict[str, str] = {}
        self._urls: dict[str, str] = {}
        """URLs of pages that are not their own key, to name them as referrers."""
        self._ledger = Ledger(queries, goal)
        self._filed: Counter[Put] = Counter()
        self._in_the_way: dict[str, None] = {}

    @property
    def paths(self) -> dict[str, str]:
        """Key → path of every page and file held, in the order in which they settled."""
        held: dict[str, _Kept | _File] = {**self._pages, **self._files}
        return {key: str(at.path) for key, at in held.items()}

    def project(self, event: Event) -> None:
        """Take in what an outcome means; a page kept and a file downloaded are there when this returns.

        Raises:
            OutputError: the file could not be written.
        """
        self._ledger.note(event)
        if event.request.kind is not Kind.PAGE:
            return
        match event.outcome:
            case Page() as page if event.disposition is Disposition.KEPT:
                self._keep(event.request, page)
            case Page() as page if event.same_as:
                self._aliases[event.request.key] = self._aliases[page.key] = event.same_as
            case Download() as download:
                path = self._plan.download(download.key, download.media_type)
                self._files[download.key] = _File(path, download.digest)
                self._put_download(self._files[download.key])
            case Redirect(target_key=target):
                self._aliases[event.request.key] = target

    def finish(self, stop: Stop) -> Filed:
        """Bring the whole tree to its final state; done again, it changes nothing.

        Raises:
            OutputError: a file could not be written.
        """
        self._filed.clear()
        self._in_the_way.clear()
        folders = self._folders()
        removed = self._remove_stale(folders)
        excerpts = self._excerpts()
        for kept in self._pages.values():
            page = self._record.page(kept.request.key)
            excerpts.read(page)
            self._put_page(kept, page, local=self._config.links == "local")
        for file in self._files.values():
            self._put_download(file)
        self._put_indexes(folders, excerpts, stop)
        self._own.tidy()
        return Filed(self._filed[Put.WRITTEN], self._filed[Put.UNCHANGED], removed, tuple(self._in_the_way))

    # While the crawl goes on.

    def _keep(self, request: Request, page: Page) -> None:
        if page.url != page.key:
            self._urls[page.key] = page.url
        if request.key != page.key:
            self._aliases[request.key] = page.key
        held = self._pages.get(page.key)
        # Asked for again by another query, a page keeps the score and reason that it came with.
        if held is not None and held.digest == page.digest:
            return
        kept = _Kept(
            request,
            page.key,
            held.path if held else self._plan.page(page.key),
            one_line(page.title, MAX_TITLE),
            page.digest,
            page.fetched_at,
        )
        self._pages[page.key] = kept
        if not self._is_current(kept):
            self._put_page(kept, page, local=False)

    def _is_current(self, kept: _Kept) -> bool:
        """Whether our file has this content already, its links local or not: then the end is soon enough."""
        written = self._own.read(kept.path)
        return written is not None and f"\ndigest: sha256:{kept.digest}\n".encode() in written

    # One file.

    def _put_page(self, kept: _Kept, page: Page, *, local: bool) -> None:
        markdown = page_body(page, page.markdown)
        if local:
            markdown = localize(markdown, kept.path, self._path_of(page), self._fragment_of(page))
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

    def _put_annotated(self, kept: _Kept, page: Page) -> None:
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
            key = self._held_key(keys.get(url) or self._key(url))
            held = self._pages.get(key) or self._files.get(key)
            return held.path if held else None

        return path_of

    def _fragment_of(self, page: Page) -> Callable[[str, str], str]:
        keys = {link.url: link.key for link in page.links}

        def fragment_of(url: str, fragment: str) -> str:
            key = self._held_key(keys.get(url) or keys.setdefault(url, self._key(url)))
            if key not in self._pages:
                return fragment
            known = page.anchors if key == page.key else None
            return self._fragments.slug(self._pages[key].request.key, fragment, known)

        return fragment_of

    def _held_key(self, key: str) -> str:
        """The key under which the content of a key is held, if it is."""
        for _ in range(MAX_ALIASES):
            if key in self._pages or key not in self._aliases:
                return key
            key = self._aliases[key]
        return key

    def _put_download(self, file: _File) -> None:
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
        for kept in self._pages.values():
            found.setdefault(kept.path.parent, _Inside()).pages.append(kept)
        for file in self._files.values():
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
        for path in stale:
            if self._own.remove(PurePosixPath(path), folded.get(path.casefold())):
                removed += 1
            else:
                self._in_the_way[path] = None
        return removed

    def _wanted(self, folders: Iterable[PurePosixPath]) -> Iterator[PurePosixPath]:
        for kept in self._pages.values():
            yield kept.path
            if self._config.annotate:
                yield paths.annotated(kept.path)
        for file in self._files.values():
            yield file.path
        for folder in folders:
            yield folder / INDEX

    def _put_indexes(self, folders: Mapping[PurePosixPath, _Inside], excerpts: Excerpts, stop: Stop) -> None:
        made: dict[PurePosixPath, Folder] = {}
        chosen: dict[PurePosixPath, Sequence[Excerpt]] = {}
        for path, inside in folders.items():
            candidates = [excerpt for kept in inside.pages for excerpt in excerpts.of(kept.key)]
            candidates += [excerpt for below in inside.folders for excerpt in chosen[below]]
            chosen[path] = excerpts.select(candidates, SUMMARY_SENTENCES)
            made[path] = self._folder(path, inside, made, chosen[path])
            if path != _ROOT:
                self._put(path / INDEX, encode(folder_index(made[path])))
        account = self._account(stop, excerpts)
        self._put(_ROOT / INDEX, encode(root_index(made[_ROOT], account)))

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
            [kept.listed() for kept in sorted(inside.pages, key=self._place_in_list)],
            [Listed(file.path, file.path.name) for file in sorted(inside.files, key=lambda f: f.path)],
            [Below(folder, index.page_count, index.file_count) for folder, index in below],
            [self._quoted(excerpt) for excerpt in summary],
        )

    def _place_in_list(self, kept: _Kept) -> tuple[float, PurePosixPath]:
        """Start pages, then the best; by name where nothing was asked."""
        if not self._queries.get(kept.request.goal):
            return 0.0, kept.path
        return -2.0 if kept.is_seed else -kept.request.score, kept.path

    def _quoted(self, excerpt: Excerpt) -> Quoted:
        return Quoted(self._pages[excerpt.key].listed(), excerpt.text, excerpt.heading)

    def _account(self, stop: Stop, excerpts: Excerpts) -> Account:
        answers = excerpts.answers(ANSWERS, self._page) if self._ledger.query else ()
        newest = max((kept.fetched_at for kept in self._pages.values()), default="")
        first = next(iter(self._pages), "")
        return self._ledger.account(
            stop,
            subject=urls.authority(first) if first else "Nothing was kept",
            answers=[self._quoted(answer) for answer in answers],
            crawl_time=newest if self._config.timestamps else "",
        )

    def _page(self, key: str) -> Page:
        return self._record.page(self._pages[key].request.key)
