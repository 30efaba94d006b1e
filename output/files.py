"""The files of the tree that are ours: written whole or not at all, and never over anybody else's work.

A file is ours while its bytes are what the manifest says we wrote. One that was edited, or put there by
others, is theirs: it is neither replaced nor removed. Knows nothing of pages.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path, PurePosixPath
from typing import Protocol

from adaptive_crawl.crawler.errors import OutputError

STATE = ".crawl"
"""The folder of the journal; temporary files live there, so that the tree never shows one."""


class Manifest(Protocol):
    """Path in the tree → what we wrote there, kept as durably as the journal."""

    def files(self) -> dict[str, str]: ...
    def note(self, files: Iterable[tuple[str, str]]) -> None: ...
    def forget(self, paths: Iterable[str]) -> None: ...


class Put(Enum):
    """What became of a file that was to be there."""

    WRITTEN = auto()
    UNCHANGED = auto()
    IN_THE_WAY = auto()
    """Something that is not ours is there: it was left as it is."""


class _Is(Enum):
    FREE = auto()
    OURS = auto()
    THEIRS = auto()


class OwnFiles:
    """Our files below one folder.

    The manifest holds two digests for a path, the one to come and the one before, and is written before
    the file is: killed in between, whichever is found is ours. Nothing is synced to disk one by one: what
    a power cut loses is an empty or missing file, and both are written again.

    Every method raises ``OutputError``, naming the file, where the disk is full or access is denied.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        self._manifest = manifest
        self._noted = manifest.files()
        self._temporary = folder / STATE / "tmp" / "out"

    def paths(self) -> list[str]:
        """Every path that was ours when last seen, in order."""
        return sorted(self._noted)

    def read(self, path: PurePosixPath) -> bytes | None:
        """Our file's bytes; None when there is none, or it is no longer ours."""
        with _naming(path, "read"):
            if self._look(path)[0] is not _Is.OURS:
                return None
            return self._place(path).read_bytes()

    def is_there(self, path: PurePosixPath, digest: str) -> bool:
        """Whether our file at a path has this sha256."""
        with _naming(path, "read"):
            return self._look(path) == (_Is.OURS, digest)

    def is_theirs(self, path: PurePosixPath) -> bool:
        """Whether something stands at a path that is not ours."""
        with _naming(path, "read"):
            return self._look(path)[0] is _Is.THEIRS

    def put(self, path: PurePosixPath, content: bytes) -> Put:
        """See to it that a file has this content; readers see the old one or the new one, never a part."""
        digest = hashlib.sha256(content).hexdigest()
        with _naming(path, "written"):
            status, current = self._look(path)
            if current == digest:
                if status is _Is.THEIRS:
                    self._note(path, digest, "")
                return Put.UNCHANGED
            if status is _Is.THEIRS:
                return Put.IN_THE_WAY
            self._write_aside(content)
            self._note(path, digest, current)
            place = self._place(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self._temporary, place)
            return Put.WRITTEN

    def remove(self, path: PurePosixPath, twin: PurePosixPath | None = None) -> bool:
        """Remove our file and the folders that it leaves empty; say whether it is gone.

        Args:
            twin: a file of ours whose name differs in case alone. Where the file system takes both for
                one, nothing is removed.
        """
        with _naming(path, "removed"):
            status, _ = self._look(path)
            place = self._place(path)
            if status is _Is.THEIRS:
                self._forget(path)
                return False
            if twin is None or not _one_file(place, self._place(twin)):
                place.unlink(missing_ok=True)
                self._remove_empty(place.parent)
            self._forget(path)
            return True

    def tidy(self) -> None:
        """Leave nothing behind in the folder for temporary files."""
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)
            self._temporary.parent.rmdir()

    def _place(self, path: PurePosixPath) -> Path:
        """Where a path of the tree lies on disk.

        Names come from sites and models. Whoever makes a path of them sees to it that it stays inside;
        this is the second lock on that door.
        """
        inside = path.parts and not path.is_absolute() and ".." not in path.parts
        if not inside or path.parts[0].casefold() == STATE or any(c in str(path) for c in "\\:\0"):
            raise OutputError(f"{str(path)!r} is no place in the output folder")
        return self._folder.joinpath(*path.parts)

    def _look(self, path: PurePosixPath) -> tuple[_Is, str]:
        """What is at a path, and its sha256 where it is a file with content. Follows no link."""
        place = str(self._folder)
        for folder in self._place(path).parts[len(self._folder.parts) : -1]:
            place = os.path.join(place, folder)
            found = _status(place)
            if found is None:
                return _Is.FREE, ""
            if not stat.S_ISDIR(found.st_mode) or _leads_away(found):
                return _Is.THEIRS, ""
        place = os.path.join(place, path.name)
        found = _status(place)
        if found is None:
            return _Is.FREE, ""
        if not stat.S_ISREG(found.st_mode) or _leads_away(found):
            return _Is.THEIRS, ""
        if found.st_size == 0:
            return _Is.FREE, ""
        with open(place, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        ours = digest in self._noted.get(str(path), "").split()
        return _Is.OURS if ours else _Is.THEIRS, digest

    def _write_aside(self, content: bytes) -> None:
        aside = self._temporary.parent
        for folder in (aside.parent, aside):
            found = _status(folder)
            if found is not None and (not stat.S_ISDIR(found.st_mode) or _leads_away(found)):
                raise OutputError(f"{folder} is not a folder of ours; remove it and go on with --resume")
        aside.mkdir(parents=True, exist_ok=True)
        try:
            self._temporary.write_bytes(content)
        except OSError:
            self.tidy()
            raise

    def _note(self, path: PurePosixPath, digest: str, before: str) -> None:
        noted = f"{digest} {before}".rstrip()
        self._manifest.note([(str(path), noted)])
        self._noted[str(path)] = noted

    def _forget(self, path: PurePosixPath) -> None:
        self._manifest.forget([str(path)])
        self._noted.pop(str(path), None)

    def _remove_empty(self, folder: Path) -> None:
        while folder != self._folder:
            try:
                folder.rmdir()
            except OSError:  # not empty, or not there
                return
            folder = folder.parent


def _status(place: str | Path) -> os.stat_result | None:
    try:
        return os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _one_file(place: Path, twin: Path) -> bool:
    one, other = _status(place), _status(twin)
    return one is not None and other is not None and os.path.samestat(one, other)


def _leads_away(found: os.stat_result) -> bool:
    """A symbolic link, or what Windows has in its place."""
    attributes = getattr(found, "st_file_attributes", 0)
    return stat.S_ISLNK(found.st_mode) or bool(attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT)


@contextmanager
def _naming(path: PurePosixPath, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(
            f"{path} could not be {what}: {reason}; see to that, then go on with --resume"
        ) from error
