"""Which writing a text is in, and which links say that they lead to pages in it.

A site keeps its Chinese pages behind one link, ``中文``, of an English start page: no word of a Chinese query
stands anywhere else there. Knows writings and the languages that use them; knows no terms and no scores.
"""

import re
from collections import Counter

from adaptive_crawl.crawler.editions import edition_of, language_tag
from adaptive_crawl.crawler.model import Candidate, Link, Page
from adaptive_crawl.crawler.urls import host

SAMPLE = 4_000
"""Characters that tell a text's writing."""

MIN_SHARE = 0.2
"""Of the letters, from which a writing other than Latin is the text's: the rest are names and code."""
MIN_KANA = 0.05
"""Of the East Asian ones, from which they are Japanese, which a Han character alone does not tell."""

LEAD = 0.5
"""Worth of a link that names the query's language while every page held is in another writing."""

_WRITINGS = {
    "latin": r"\u00c0-\u024f\u1e00-\u1eff",
    "han": r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f",
    "kana": r"\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "hangul": r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "cyrillic": r"\u0400-\u052f",
    "greek": r"\u0370-\u03ff\u1f00-\u1fff",
    "hebrew": r"\u0590-\u05ff",
    "arabic": r"\u0600-\u06ff\u0750-\u077f",
    "devanagari": r"\u0900-\u097f",
    "thai": r"\u0e00-\u0e7f",
}
"""Beyond ASCII, whose letters are counted by themselves."""
_RUN = re.compile("|".join(f"(?P<{name}>[{letters}]+)" for name, letters in _WRITINGS.items()))

_BASIC = re.compile(r"[\x00-\x7f]+")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())

_LANGUAGES = {
    "latin": ("en",),
    "han": ("zh",),
    "japanese": ("ja",),
    "hangul": ("ko",),
    "cyrillic": ("ru", "uk", "bg", "sr", "be", "mk", "kk", "mn"),
    "greek": ("el",),
    "hebrew": ("he",),
    "arabic": ("ar", "fa", "ur"),
    "devanagari": ("hi", "mr", "ne"),
    "thai": ("th",),
}
"""Of those in Latin letters only the one that sites in other writings have an edition in."""

_NAMES = {
    "english": "en",
    "chinese": "zh",
    "日本語": "ja",
    "japanese": "ja",
    "korean": "ko",
    "russian": "ru",
    "ukrainian": "uk",
    "bulgarian": "bg",
    "serbian": "sr",
    "greek": "el",
    "hebrew": "he",
    "arabic": "ar",
    "persian": "fa",
    "hindi": "hi",
    "thai": "th",
}
"""What a link calls a language in another writing than its own; and 日本語, which is written in Han only."""

_NAME_WORDS = 3
"""A longer anchor is not the name of a language: Simplified Chinese, Chinese (Taiwan)."""


def writing_of(text: str) -> str:
    """The writing of a text: ``latin``, ``han``, ``japanese`` ...; empty where there is no letter of any."""
    basic = text[:SAMPLE].encode("ascii", "ignore")
    found = Counter(latin=len(basic.translate(None, _NO_LETTERS)))
    if not text.isascii():
        for run in _RUN.finditer(_BASIC.sub("", text[:SAMPLE])):
            found[str(run.lastgroup)] += len(run[0])
    letters = found.total()
    east = found["han"] + found["kana"]
    if found["kana"] > MIN_KANA * east:
        found["japanese"], found["han"] = east, 0
    del found["kana"]
    others = [(count, name) for name, count in found.items() if name != "latin"]
    count, name = max(others, default=(0, ""))
    if count and count >= MIN_SHARE * letters:
        return name
    return "latin" if found["latin"] else ""


def language_of(text: str) -> str:
    """The language that a text's writing tells, as a tag; empty where many are written so."""
    languages = _LANGUAGES.get(writing_of(text), ())
    return languages[0] if len(languages) == 1 and languages != ("en",) else ""


class Leads:
    """Links out of pages that are in another writing than a query."""

    def __init__(self, query: str) -> None:
        self.writing = writing_of(query)
        self._languages = frozenset(_LANGUAGES.get(self.writing, ()))
        self.foreign = 0
        """Pages held in another writing."""
        self._understood = 0
        self._misled = 0
        self._known: dict[str, tuple[int, bool]] = {}
        """Key → sightings read, and what they say."""

    def learn(self, candidate: Candidate, page: Page) -> bool:
        """Take in a page held and what led to it; tell whether it is in another writing."""
        if self._is_understood(page):
            self._understood += 1
            return False
        self.foreign += 1
        self._misled += self.speaks(candidate)
        return True

    @property
    def worth(self) -> float:
        """What a link is worth that ``speaks``, in 0..1: nothing once a page in the query's writing is held,
        and less with each such link that led to none."""
        return LEAD / (1 + self._misled) if self.foreign and not self._understood else 0.0

    def speaks(self, candidate: Candidate) -> bool:
        """Whether a link to it says, by its words, the path or the host, that the query's writing is there.

        Latin letters in an anchor say nothing: every site has names in them.
        """
        read, speaks = self._known.get(candidate.key, (0, False))
        if not speaks and read < len(candidate.sightings):
            speaks = any(map(self._is_named_by, candidate.sightings[read:]))
            self._known[candidate.key] = (len(candidate.sightings), speaks)
        return speaks

    def _is_named_by(self, link: Link) -> bool:
        anchor, url = link.anchor, link.url
        if _primary(language_tag(anchor.strip())) in self._languages:
            return True
        named = _language_named(anchor)
        if named:
            return named in self._languages
        if self.writing not in ("", "latin") and writing_of(anchor) == self.writing:
            return True
        said = edition_of(url).language.value or language_tag(host(url).partition(".")[0])
        return _primary(said) in self._languages

    def _is_understood(self, page: Page) -> bool:
        """Japanese has Han characters too, and a short query in it may be of these alone."""
        written = writing_of(_sample(page))
        return written in ("", self.writing) or (self.writing == "han" and written == "japanese")


def _sample(page: Page) -> str:
    sample = page.title
    for passage in page.passages:
        if len(sample) >= SAMPLE:
            break
        sample += "\n" + passage.text
    return sample


def _primary(tag: str) -> str:
    return tag.partition("-")[0]


def _language_named(anchor: str) -> str:
    words = re.findall(r"\w+", anchor.lower())
    if len(words) > _NAME_WORDS:
        return ""
    return next((_NAMES[word] for word in words if word in _NAMES), "")
