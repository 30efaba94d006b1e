"""Where a page goes in the tree.

Paths follow the URL, so that a reader of the site finds their way: ``/guide/install.html`` is
``guide/install.md``. A folder's own page, ``/guide/``, lies beside the folder, ``guide.md``, since on many
sites every page is such a folder; that of the root is ``home.md``. ``index.md`` is each folder's summary,
and no page's name. The first host seen has no folder; each further one has a folder of its own name.

Every path can live on Linux, macOS and Windows, also on file systems that take ``README`` for ``readme``
and ``é`` for ``é``. Where two pages would meet, the later one carries a digest of its key. Paths depend on
the order of the calls alone, so that a crawl told again gives the same tree. Pure: touches no file.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from adaptive_crawl.crawler import media, urls
from adaptive_crawl.crawler.model import Verdict

NAME_BYTES = 120
"""Longest name: half of what file systems allow, for those that count otherwise and for temporary names."""

PATH_UNITS = 240
"""Longest path below the output folder in UTF-16 units, of the 260 that Windows counts."""

SUMMARY = "index.md"
HOME = "home"

_PAGE = ".md"
_ANNOTATED = ".annotated.md"
_STEM_BYTES = 90
"""With a digest of at most 17 bytes and ``.annotated.md``, within ``NAME_BYTES``."""
_FOLDER_BYTES = 60
_FOLDERS_UNITS = PATH_UNITS - 1 - NAME_BYTES
_DIGEST_FOLDER_UNITS = 26
"""Kept free for the folder that stands for all that did not fit: slash, 8 digits, and a longer digest."""
_VERDICT_FOLDERS = 4
"""Levels taken from a model's suggestion."""


def annotated(path: PurePosixPath) -> PurePosixPath:
    """Give the place of a page's annotated text: ``guide.md`` → ``guide.annotated.md``, beside it."""
    return path.with_name(path.name.removesuffix(_PAGE) + _ANNOTATED)


class PathPlan:
    """The places given so far. The same page always gets the same one."""

    def __init__(self) -> None:
        self._pages: dict[str, PurePosixPath] = {}
        self._downloads: dict[str, PurePosixPath] = {}
        self._folders: dict[tuple[str, str, str], str] = {}
        self._taken: set[str] = set()
        self._home: str | None = None

    def page(self, key: str, verdict: Verdict | None = None) -> PurePosixPath:
        """Give the place of a page, by its key; a judge's folder and name win over those of the URL."""
        if key not in self._pages:
            self._pages[key] = self._place_page(key, verdict)
        return self._pages[key]

    def download(self, key: str, media_type: str) -> PurePosixPath:
        """Give the place of a file kept as bytes: its extension is that of the media type.

        Where the type says nothing, the URL's extension counts if it is a known one; else ``.bin``.
        """
        if key not in self._downloads:
            self._downloads[key] = self._place_download(key, media_type)
        return self._downloads[key]

    def reserve(self, key: str, path: PurePosixPath, *, is_file: bool = False) -> None:
        """Take note of a place given long ago: it stays, and others keep off it."""
        (self._downloads if is_file else self._pages)[key] = path
        names = [path] if is_file else [path, annotated(path)]
        self._taken.update(_fold(str(name)) for name in (*names, *path.parents[:-1]))
        self._reserve_folders(key, path.parent.parts)

    def _reserve_folders(self, key: str, parts: Sequence[str]) -> None:
        """Learn which folder stands for which part of the site."""
        authority = urls.authority(key)
        folder = ""
        if parts and _may_stand_for(parts[0], authority) and self._home != authority:
            folder = self._folders["", "host", authority] = parts[0]
            parts = parts[1:]
        elif self._home is None:
            self._home = authority
        segments = _Words.of(key).folders
        if len(segments) != len(parts):
            return
        for segment, part in zip(segments, parts, strict=True):
            if not _may_stand_for(part, segment):
                return
            below = _join(folder, part)
            folder = self._folders.setdefault((folder, "segment", segment), below)
            if folder != below:
                return

    def _place_page(self, key: str, verdict: Verdict | None) -> PurePosixPath:
        words = _Words.of(key)
        if verdict is not None and verdict.folder.strip():
            folder = self._folder("", _suggested_folders(verdict.folder))
        else:
            folder = self._folder(self._host_folder(key), words.folders)
        if verdict is not None and verdict.name.strip():
            words = words._replace(name=verdict.name, query="")
        stem = self._claim(folder, words.stem(_without_page_extension(words.name)), key, (_PAGE, _ANNOTATED))
        return PurePosixPath(folder, stem + _PAGE)

    def _place_download(self, key: str, media_type: str) -> PurePosixPath:
        words = _Words.of(key)
        name, extension = _file_name(words.name, media.extension(urls.path(key)), media_type)
        folder = self._folder(self._host_folder(key), words.folders)
        ending = f".{extension}"
        return PurePosixPath(folder, self._claim(folder, words.stem(name), key, (ending,)) + ending)

    def _host_folder(self, key: str) -> str:
        authority = urls.authority(key)
        if self._home is None:
            self._home = authority
        return "" if authority == self._home else self._subfolder("", "host", authority, authority)

    def _folder(self, folder: str, segments: Sequence[str]) -> str:
        for place, segment in enumerate(segments):
            below = self._subfolder(folder, "segment", segment, segment)
            if _units(below) > _FOLDERS_UNITS - _DIGEST_FOLDER_UNITS:
                rest = "/".join(segments[place:])
                return self._subfolder(folder, "rest", rest, _digest(rest)[:8])
            folder = below
        return folder

    def _subfolder(self, parent: str, kind: str, identity: str, name: str) -> str:
        """Give a folder of this name, the same each time for one identity."""
        known = self._folders.get((parent, kind, identity))
        if known is None:
            stem = _cut(_clean(name), identity, _FOLDER_BYTES)
            known = _join(parent, self._claim(parent, stem, f"{kind} {parent}/{identity}", ("",)))
            self._folders[parent, kind, identity] = known
        return known

    def _claim(self, folder: str, stem: str, identity: str, endings: Sequence[str]) -> str:
        """Take the first of a few stems that is free with all endings."""
        for candidate in _alternatives(stem, identity):
            names = [_fold(candidate + ending) for ending in endings]
            paths = [_join(_fold(folder), name) for name in names]
            if SUMMARY not in names and self._taken.isdisjoint(paths):
                self._taken.update(paths)
                return candidate
        raise AssertionError("there is always one more alternative")


def _may_stand_for(name: str, text: str) -> bool:
    """Whether a folder's name was made of a text."""
    stem = _cut(_clean(text), text, _FOLDER_BYTES)
    return name == stem or (name.startswith(f"{stem}-") and len(name) - len(stem) <= _DIGEST_FOLDER_UNITS)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


# From URLs to words


class _Words(NamedTuple):
    """What a key says, as a reader would write it."""

    folders: list[str]
    name: str
    """The last segment, extension included; of a folder's own page the folder's name."""
    query: str

    @classmethod
    def of(cls, key: str) -> "_Words":
        *folders, name = [_readable(segment) for segment in urls.path(key).split("/")[1:]] or [""]
        if not name or _INDEX.fullmatch(name):
            name = folders.pop() if folders else HOME
        return cls(folders, name, _readable(urls.query(key).replace("&", "_")))

    def stem(self, name: str) -> str:
        """Join a name and the query to the stem of a file's name."""
        text = f"{name}_{self.query}" if self.query else name
        return _cut(_clean(text), text, _STEM_BYTES)


def _readable(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:  # an older encoding that the URL does not name
        return text


def _suggested_folders(text: str) -> list[str]:
    parts = [part.strip() for part in text.replace("\\", "/").split("/")]
    return [part for part in parts if part.strip(".")][:_VERDICT_FOLDERS]


def _file_name(name: str, found: str, media_type: str) -> tuple[str, str]:
    """Tell stem and extension of a file whose URL ends in the extension ``found``."""
    wanted = media.extension_of(media_type)
    known = media.MEDIA_TYPES.get(found)
    if known and (not wanted or known == media.canonical_type(media_type)):
        return name[: -len(found) - 1], found
    return _without_page_extension(name), wanted or "bin"


_PAGE_EXTENSION = re.compile(
    r"\.(?:x?html?|shtml|php[3-8]?|phtml|aspx?|jspx?|jsf|cfm|cgi|pl|do|md|mdx|markdown|rst|txt)$",
    re.IGNORECASE,
)
_INDEX = re.compile(r"index(?:\.[a-z0-9]{1,5})?|default\.(?:aspx?|html?)", re.IGNORECASE)


def _without_page_extension(name: str) -> str:
    return _PAGE_EXTENSION.sub("", name.strip()) or name


# From words to names


_UNSAFE = re.compile(r'[<>:"/\\|?*%#\[\]^\x00-\x1f\x7f]')
"""What Windows refuses in a name, and what breaks a link in Markdown or a wiki: % # [ ] ^."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that show nothing, turn the text around, or that file systems disagree about."""

_LEADING = re.compile(r"^[\s.-]+")
"""Hidden files, and what commands take for an option."""

_WINDOWS_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)", re.IGNORECASE
)


def _clean(text: str) -> str:
    """Make a name of any text: one that all systems take, and that says as much of it as they allow."""
    text = _UNSAFE.sub("_", unicodedata.normalize("NFC", text))
    if not text.isascii():
        text = "".join("_" if unicodedata.category(c) in _UNSEEN else c for c in text)
    text = " ".join(text.split())
    text = _LEADING.sub("_", text).rstrip(". ") or "_"
    return f"_{text}" if _WINDOWS_DEVICE.fullmatch(text.partition(".")[0].rstrip()) else text


def _cut(name: str, identity: str, most: int) -> str:
    """Shorten a name to so many bytes; a digest of the whole tells it from others that begin alike."""
    encoded = name.encode()
    if len(encoded) <= most:
        return name
    digest = _digest(identity)[:8]
    kept = encoded[: most - len(digest) - 1].decode("utf-8", "ignore").rstrip(". ")
    return f"{kept}-{digest}"


def _alternatives(stem: str, identity: str) -> Iterator[str]:
    digest = _digest(identity)
    yield stem
    yield f"{stem}-{digest[:6]}"
    for serial in count():
        yield f"{stem}-{digest[:10]}{serial}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _fold(path: str) -> str:
    """Give what file systems that fold case and composition take a path for."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
