"""Files of ours: whole or not there, and nobody else's work is touched."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from adaptive_crawl.crawler.errors import OutputError
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.output.files import OwnFiles, Put

PAGE = PurePosixPath("guide/install.md")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.create(tmp_path / "tree") as journal:
        yield journal


@pytest.fixture
def folder(journal: Journal) -> Path:
    return journal.folder


@pytest.fixture
def own(journal: Journal) -> OwnFiles:
    return OwnFiles(journal.folder, journal.manifest)


def files(folder: Path) -> list[str]:
    """Every file outside .crawl."""
    found = (p.relative_to(folder) for p in folder.rglob("*") if not p.is_dir() or p.is_symlink())
    return sorted(path.as_posix() for path in found if path.parts[0] != ".crawl")


def test_a_file_is_written_once_and_then_left_alone(own: OwnFiles, folder: Path) -> None:
    assert own.put(PAGE, b"text") is Put.WRITTEN
    written = (folder / PAGE).stat()
    assert own.put(PAGE, b"text") is Put.UNCHANGED
    assert (folder / PAGE).stat().st_ino == written.st_ino
    assert (folder / PAGE).read_bytes() == own.read(PAGE) == b"text"


def test_our_file_is_replaced_by_its_newer_content(own: OwnFiles, folder: Path) -> None:
    own.put(PAGE, b"old")
    assert own.put(PAGE, b"new") is Put.WRITTEN
    assert (folder / PAGE).read_bytes() == b"new"


def test_a_file_that_somebody_edited_is_theirs(own: OwnFiles, folder: Path) -> None:
    own.put(PAGE, b"ours")
    (folder / PAGE).write_bytes(b"theirs")
    assert own.put(PAGE, b"new") is Put.IN_THE_WAY
    assert not own.remove(PAGE)
    assert own.read(PAGE) is None
    assert (folder / PAGE).read_bytes() == b"theirs"


def test_a_file_that_was_there_before_is_theirs(own: OwnFiles, folder: Path) -> None:
    (folder / "guide").mkdir()
    (folder / PAGE).write_bytes(b"theirs")
    assert own.put(PAGE, b"ours") is Put.IN_THE_WAY
    assert (folder / PAGE).read_bytes() == b"theirs"


def test_what_was_lost_or_cut_to_nothing_is_written_again(own: OwnFiles, folder: Path) -> None:
    own.put(PAGE, b"text")
    (folder / PAGE).write_bytes(b"")
    assert own.put(PAGE, b"text") is Put.WRITTEN
    (folder / PAGE).unlink()
    assert own.put(PAGE, b"text") is Put.WRITTEN


@pytest.mark.parametrize("moment", ["before", "after"])
def test_killed_around_a_write_the_file_is_still_ours(own: OwnFiles, journal: Journal, moment: str) -> None:
    own.put(PAGE, b"old")
    place = journal.folder / PAGE
    own.put(PAGE, b"new")
    if moment == "before":
        # The manifest knew of the new content, and the file was not there yet.
        place.write_bytes(b"old")
    again = OwnFiles(journal.folder, journal.manifest)
    assert again.put(PAGE, b"newer") is Put.WRITTEN
    assert place.read_bytes() == b"newer"


def test_removing_takes_the_folders_along_that_become_empty(own: OwnFiles, folder: Path) -> None:
    own.put(PAGE, b"text")
    own.put(PurePosixPath("home.md"), b"text")
    assert own.remove(PAGE)
    assert files(folder) == ["home.md"]
    assert not (folder / "guide").exists()
    assert own.paths() == ["home.md"]


def test_no_link_is_followed_out_of_the_folder(own: OwnFiles, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"theirs")
    (folder / "guide").symlink_to(outside)
    (folder / "link.md").symlink_to(outside / "secret")
    assert own.put(PAGE, b"ours") is Put.IN_THE_WAY
    assert own.put(PurePosixPath("link.md"), b"ours") is Put.IN_THE_WAY
    assert not own.remove(PurePosixPath("link.md"))
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_bytes() == b"theirs"


def test_a_linked_folder_for_temporary_files_is_refused(own: OwnFiles, folder: Path, tmp_path: Path) -> None:
    (folder / ".crawl" / "tmp").symlink_to(tmp_path)
    with pytest.raises(OutputError, match="not a folder of ours"):
        own.put(PAGE, b"text")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tree"]


@pytest.mark.parametrize("kind", ["file above", "folder"])
def test_what_stands_where_a_file_or_folder_should_be_is_left(own: OwnFiles, folder: Path, kind: str) -> None:
    if kind == "folder":
        (folder / PAGE).mkdir(parents=True)
    else:
        (folder / "guide").write_bytes(b"theirs")
    assert own.put(PAGE, b"ours") is Put.IN_THE_WAY


@pytest.mark.parametrize(
    "path", ["../x.md", "/etc/x.md", "a/../../x.md", ".crawl/x.md", ".CRAWL/x.md", "", "a\\b.md", "C:x.md"]
)
def test_no_path_leads_out_of_the_tree_or_into_the_journal(own: OwnFiles, folder: Path, path: str) -> None:
    with pytest.raises(OutputError, match="no place in the output folder"):
        own.put(PurePosixPath(path), b"text")
    assert files(folder) == []


def test_a_file_that_cannot_be_written_is_named(own: OwnFiles) -> None:
    with pytest.raises(OutputError, match=r"x{300}\.md could not be written: .*too long.*--resume"):
        own.put(PurePosixPath("x" * 300 + ".md"), b"text")


def test_names_that_differ_in_case_alone_are_one_file_where_the_system_says_so(
    own: OwnFiles, folder: Path
) -> None:
    upper, lower = PurePosixPath("Readme.md"), PurePosixPath("readme.md")
    own.put(lower, b"text")
    own.put(upper, b"text")
    # What a file system that folds case shows of the two.
    (folder / upper).unlink()
    os.link(folder / lower, folder / upper)
    assert own.remove(upper, twin=lower)
    assert (folder / lower).read_bytes() == b"text"
    assert own.paths() == ["readme.md"]


FULL_DISK = """
import resource, sys
from pathlib import Path, PurePosixPath
from adaptive_crawl.output.files import OwnFiles
from adaptive_crawl.crawler.errors import OutputError

class Manifest(dict):
    def files(self): return dict(self)
    def note(self, files): self.update(files)
    def forget(self, paths): [self.pop(path, None) for path in paths]

own = OwnFiles(Path(sys.argv[1]), Manifest())
own.put(PurePosixPath("a.md"), b"old")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    own.put(PurePosixPath("a.md"), b"x" * 5000)
except OutputError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits")
def test_on_a_full_disk_the_old_file_stays_and_no_part_of_the_new_one(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("a.md could not be written: ")
    assert [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()] == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"old"
