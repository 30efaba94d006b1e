"""Which part of a URL says the language or the version of a page, and what is left without it.

Sites say it in a folder (``/zh-cn/``, ``/v1.2/``, ``/latest/``), in a file's name (``page.fr.html``,
``page.html.fr``) or in a parameter (``?lang=fr``). Knows spellings only: whether ``/it/`` is Italian or a
department, the other URLs of the site tell (``variants``). What is clear by itself and what is not is said.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from . import urls

CLEAR_LANGUAGES = frozenset({"de", "en", "es", "fr", "ja", "ko", "pt", "ru", "zh"})
"""Codes that as a folder's name mean nothing else."""

OTHER_LANGUAGES = frozenset(
    {"af", "ar", "az", "be", "bg", "bn", "bs", "ca", "cn", "cs", "cy", "cz", "da", "el", "et"}
    | {"eu", "fa", "fi", "fil", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it"}
    | {"jp", "ka", "kk", "km", "kn", "kr", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "nb"}
    | {"ne", "nl", "nn", "no", "pa", "pl", "ro", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta"}
    | {"te", "th", "tl", "tr", "tw", "uk", "ur", "uz", "vi"}
)
"""Codes that are also abbreviations: ``hr`` and ``it`` are departments, ``cs`` is a programming language,
``pl`` another, ``id`` an identifier. Codes that are nearly always something else (``io``, ``os``, ``ts``,
``my``, ``to``) are not among them."""

_SPELLINGS = {"cn": "zh", "jp": "ja", "kr": "ko", "tw": "zh-tw", "cz": "cs", "tl": "fil", "nb": "no"}
_TAG = re.compile(
    r"(?P<code>[a-z]{2}|fil)(?P<more>(?:[-_](?:hans|hant|latn|cyrl))?(?:[-_](?:[a-z]{2}|419))?)",
    re.IGNORECASE,
)

_NUMBERED = re.compile(
    r"(?:v|ver|version|rel|release|r)?[-_.]?(?P<numbers>[0-9]{1,4}(?:[._][0-9]{1,4}){1,3}|(?<=[vr])[0-9]{1,3}(?![0-9]))"
    r"(?:[._]x)?(?:[-_.]?(?:a|b|rc|alpha|beta|dev|pre|post|lts|snapshot|ga|final|stable|release)[-_.]?[0-9]{0,4})?",
    re.IGNORECASE,
)
_SERIES = re.compile(r"v?(?P<numbers>[0-9]{1,3})[._]x", re.IGNORECASE)
_INTEGER = re.compile(r"(?P<numbers>[1-9][0-9]?)")

RELEASED = frozenset({"latest", "stable", "current", "release", "lts"})
UNRELEASED = frozenset(
    {"dev", "devel", "develop", "development", "main", "master", "next", "nightly", "edge"}
    | {"unstable", "canary", "trunk"}
)
CLEAR_WORDS = frozenset({"latest", "stable", "nightly", "unstable", "devel", "development", "trunk"})
"""Of both, those that mean nothing else: ``dev`` is also a section, ``next`` a framework."""

CHRONICLES = frozenset(
    {"advisories", "announce", "announcements", "blog", "changelog", "changelogs", "changes"}
    | {"commit", "compare", "download", "downloads", "history", "migrate", "migrating", "migration"}
    | {"milestone", "news", "pep", "peps", "release", "release-notes", "release_notes"}
    | {"releasenotes", "releases", "relnotes", "rfc", "rfcs", "security", "tag", "tags", "upgrade"}
    | {"upgrading", "whats-new", "whatsnew"}
)
"""Folders in which versions are what is told about, not editions of one text."""

_SUBJECTS = frozenset({"countries", "country", "languages", "models", "nations"})
"""Folders of which the languages (or countries) right below are what is told about."""

_COUNTED = frozenset(
    {"article", "articles", "chapter", "chapters", "exercise", "exercises", "lesson", "lessons", "level"}
    | {"module", "modules", "page", "part", "parts", "section", "sections", "step", "unit", "units", "week"}
)
"""Folders of which the numbers right below count something else."""

_INTERFACES = frozenset({"api", "apis", "rest"})
"""Folders of which ``v1`` and ``v2`` right below are two interfaces that exist side by side."""

_LANGUAGE_PARAMETERS = frozenset({"lang", "language", "locale", "hl", "lng", "setlang", "uselang"})
_LANGUAGES_OF_PROGRAMS = frozenset({"cs", "el", "ml", "pl"})
_VERSION_PARAMETERS = frozenset({"version", "ver", "doc-version", "docversion", "doc_version"})

_NAME = re.compile(
    r"(?P<stem>.+?)\.(?:(?P<before>[A-Za-z_-]{2,10})\.(?P<type>x?html?|md|txt|php)"
    r"|(?P<after_type>x?html?)\.(?P<after>[A-Za-z_-]{2,10}))"
)


class Slot(NamedTuple):
    """Where a URL says its language or its version, and which."""

    value: str
    """Language tag, or version, each in one spelling; "" where the URL says none."""
    place: str
    """What stands before it: editions are compared where their places are equal."""
    is_clear: bool
    """Whether it can mean nothing else."""


_Spelling = Callable[[str], str]

NONE = Slot("", "", False)


class Edition(NamedTuple):
    """A key taken apart."""

    free: str
    """The key without language and version: equal for all editions of a page."""
    language: Slot
    version: Slot
    is_root: bool
    """Nothing follows the folder that says it: the home page of an edition, or a page about it."""
    is_doubtful: bool
    """Its version is a bare number, which may count anything."""


@lru_cache(maxsize=8192)
def edition_of(key: str) -> Edition:
    """Take a key apart; one that says neither language nor version is its own ``free`` form."""
    path = urls.path(key)
    segments = path.split("/")
    *folders, name = segments[1:] if path else [""]
    origin = urls.origin(key)
    at_language = next((n for n, _ in enumerate(folders) if _is_language_folder(folders, n)), -1)
    at_version, is_doubtful = _version_folder(folders)
    if not folders and _is_language(name):  # https://example.com/fr
        folders, name, at_language = [name], "", 0
    language = _slot(origin, folders, at_language, language_tag)
    version = _slot(origin, folders, at_version, normal_version)
    if at_language < 0:
        name, language = _language_of_name(origin, folders, name)
    kept = [folder for n, folder in enumerate(folders) if n not in (at_language, at_version)]
    pairs = urls.query(key).split("&") if "?" in key else []
    pairs, language = _parameter(pairs, language, _LANGUAGE_PARAMETERS, origin + path, language_tag)
    pairs, version = _parameter(pairs, version, _VERSION_PARAMETERS, origin + path, normal_version)
    if language is NONE and version is NONE:
        return Edition(key, NONE, NONE, False, False)
    question = "?" + "&".join(pairs) if pairs else ""
    free = f"{origin}/{''.join(f'{folder}/' for folder in kept)}{name}{question}"
    is_root = not name and not question and max(at_language, at_version) == len(folders) - 1
    return Edition(free, language, version, is_root, is_doubtful and version is not NONE)


def language_tag(text: str) -> str:
    """Give a language tag in one spelling (``zh_CN`` → ``zh-cn``, ``jp`` → ``ja``); "" for what is none."""
    match = _TAG.fullmatch(text)
    if match is None:
        return ""
    code = match["code"].lower()
    if code not in CLEAR_LANGUAGES and code not in OTHER_LANGUAGES:
        return ""
    return _SPELLINGS.get(code, code) + match["more"].lower().replace("_", "-")


def normal_version(text: str) -> str:
    """Give a version in one spelling (``v1.2`` → ``1.2``, ``Latest`` → ``latest``); "" for what is none."""
    lower = text.lower()
    if lower in RELEASED or lower in UNRELEASED:
        return lower
    if _INTEGER.fullmatch(lower):
        return lower
    if _NUMBERED.fullmatch(lower) or _SERIES.fullmatch(lower):
        return re.sub(r"\A(?:v|ver|version|rel|release|r)[-_.]?(?=[0-9])", "", lower).replace("_", ".")
    return ""


def numbers_of(version: str) -> tuple[int, ...]:
    """Give the numbers of a version, for comparing; empty for one that is a word."""
    match = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()


def _is_language(text: str) -> bool:
    return bool(language_tag(text))


def _is_language_folder(folders: list[str], at: int) -> bool:
    return _is_language(folders[at]) and (at == 0 or folders[at - 1].lower() not in _SUBJECTS)


def _version_folder(folders: list[str]) -> tuple[int, bool]:
    """Place of the folder that says the version, or -1; and whether it is a bare number."""
    integer = -1
    for n, folder in enumerate(folders):
        before = folders[n - 1].lower() if n else ""
        if before in CHRONICLES:
            return -1, False
        if (
            before in _COUNTED
            or (before in _INTERFACES and folder[1:].isdigit())
            or not normal_version(folder)
        ):
            continue
        if not _INTEGER.fullmatch(folder):
            return n, False
        integer = n if integer < 0 else integer
    return integer, integer >= 0


def _is_clear(value: str) -> bool:
    """Whether a language tag or a version, in its one spelling, can mean nothing else."""
    return "-" in value or "." in value or value in CLEAR_LANGUAGES or value in CLEAR_WORDS


def _slot(origin: str, folders: list[str], at: int, spell: _Spelling) -> Slot:
    if at < 0:
        return NONE
    value = spell(folders[at])
    is_clear = _is_clear(value) or (value.isdigit() and not folders[at].isdigit())  # v2
    return Slot(value, "/".join([origin, *folders[:at]]) + "/", is_clear)


def _language_of_name(origin: str, folders: list[str], name: str) -> tuple[str, Slot]:
    match = _NAME.fullmatch(name)
    value = language_tag(match["before"] or match["after"]) if match else ""
    if match is None or not value:
        return name, NONE
    bare = f"{match['stem']}.{match['type'] or match['after_type']}"
    place = "/".join([origin, *folders]) + "/*"
    return "" if bare in ("index.html", "index.htm") else bare, Slot(value, place, _is_clear(value))


def _parameter(
    pairs: list[str], slot: Slot, names: frozenset[str], place: str, spell: _Spelling
) -> tuple[list[str], Slot]:
    """Take the parameter that says it out of the others; where the path says it already, none does."""
    if slot is not NONE:
        return pairs, slot
    for n, pair in enumerate(pairs):
        name, _, value = pair.partition("=")
        if name.lower() in names and (said := spell(value)):
            is_clear = name.lower() not in ("lang", "language") or said not in _LANGUAGES_OF_PROGRAMS
            return pairs[:n] + pairs[n + 1 :], Slot(said, f"{place}?{name}", is_clear)
    return pairs, NONE
