"""Text → terms: what counts as the same word in a query, a link and a page; and BM25 over terms.

Knows nothing of pages, links or crawls. One language-neutral tokenizer serves all of them, so that a
query finds what it would find by eye: words by their English stem, accents and width folded; runs of
scripts that put no spaces between words (Chinese, Japanese, Korean, Thai ...) as characters and pairs
of characters; names of programs (``C++``, ``.NET``, ``node.js``) whole; identifiers whole and in parts.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

from . import stopwords

K1 = 1.2
B = 0.75

MAX_WORD = 64
"""Characters; longer unbroken runs are digests, keys and data URLs, not words."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"  # kana, Han
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"  # Hangul, Han beyond the first plane
)
_LETTER = (
    rf"(?:[^\W{_UNSPACED}]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff])"  # + marks
)
_TOKEN = re.compile(
    rf"[{_UNSPACED}]+"
    # .NET but not the dot that ends a sentence; node.js, don't, 0.1; C++, C# but not page.html#part
    rf"|(?:(?<![^\s(\[{{,;:\"'])\.)?{_LETTER}+(?:[.'’]{_LETTER}+)*(?:\+\+|\#(?!{_LETTER}))?"
)
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_FIRST_IDEOGRAPH = "\u3400"
_HIRAGANA = re.compile(r"[\u3040-\u309f]+\Z")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_FOLDED = re.compile(r"[\u00aa-\u024f\u1e00-\u1eff\u2100-\u214f\u3300-\u33ff\ufb00-\ufb06\uff01-\uff9f]")
"""Characters that folding turns into others: accented Latin, compatibility and full-width forms."""
_NUMBER = re.compile(r"[\d.]+\Z")

_MAX_CACHED_WORDS = 50_000
"""About 10 MB; a documentation site has 20,000 distinct words, a hostile one as many as it likes."""

_RECODED = (
    ("pand", "pans"),
    ("end", "ens"),
    ("ond", "ons"),
    ("lud", "lus"),
    ("rud", "rus"),
    ("mit", "miss"),
    ("ert", "ers"),
    ("yz", "ysi"),
    ("rpt", "rb"),
    ("vad", "vas"),
    ("vid", "vis"),
    ("cid", "cis"),
    ("olv", "olut"),
    ("umpt", "um"),
    ("scrib", "script"),
)
"""Endings of Latin verbs that differ from their nouns', which no suffix rule joins: extend, extension;
convert, conversion; include, inclusion; analyze, analysis. After Lovins (1968)."""

_stemmer = snowballstemmer.stemmer("english")


def terms(text: str) -> list[str]:
    """Split a text into terms, in order and with repetitions; stop words are left out unless nothing else is
    left, so that a query of stop words only is still a query."""
    every = every_term(text)
    return [term for term in every if not is_stop(term)] or every


def key_terms(text: str) -> tuple[str, ...]:
    """The distinct terms to look for when a text is a query. A Han character that stands inside a longer run
    is left to its pairs: 表 alone is no evidence of 数据透视表."""
    found = dict.fromkeys(terms(text))
    paired = {character for term in found if len(term) == 2 and not term.isascii() for character in term}
    return tuple(term for term in found if len(term) > 1 or term not in paired) or tuple(found)


def every_term(text: str) -> list[str]:
    """Split a text into terms, stop words included, in order and with repetitions."""
    found: list[str] = []
    for token in tokens(text):
        found.extend(token_terms(token))
    return found


def tokens(text: str) -> list[str]:
    """Split a text into raw tokens: words, identifiers and unspaced runs, compatibility forms folded."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _TOKEN.findall(text)


@lru_cache(maxsize=_MAX_CACHED_WORDS)
def token_terms(token: str) -> tuple[str, ...]:
    """The terms of one raw token: the whole, then its parts."""
    if _IS_UNSPACED.match(token):
        return _grams(token)
    if len(token) > MAX_WORD:
        return ()
    token = token.replace("’", "'").removesuffix("'s")
    whole = _fold(token.lower()).strip("_")
    if not whole or _NUMBER.match(whole):
        return (whole,) if whole else ()
    if not ("." in token or "_" in token or _inner_capital(token)):
        return (stem(whole),)
    parts = [stem(_fold(part.lower())) for part in _PART.findall(token)]
    return (whole, *parts) if len(parts) > 1 else (stem(whole),)


def _grams(run: str) -> tuple[str, ...]:
    """Characters and pairs of a run. Single letters of an alphabet (kana, Thai) mean nothing: only a Han
    character or a Hangul syllable is a term alone."""
    pairs = map("".join, pairwise(run))
    return (*(character for character in run if character >= _FIRST_IDEOGRAPH), *pairs) or (run,)


def is_stop(term: str) -> bool:
    """Whether a term says nothing of a subject, in English, Chinese or Japanese."""
    if term.isascii():
        return term in stopwords.ENGLISH
    if len(term) > 2 or not _IS_UNSPACED.match(term):
        return False
    if _HIRAGANA.match(term):
        # Grammar is written in hiragana, subjects mostly are not.
        return True
    if len(term) == 1:
        return term in stopwords.CHARACTERS
    return term in stopwords.PAIRS or (
        (term[0] in stopwords.PARTICLES or term[1] in stopwords.PARTICLES)
        and term not in stopwords.PARTICLE_WORDS
    )


@lru_cache(maxsize=_MAX_CACHED_WORDS)
def stem(word: str) -> str:
    """Reduce an English word, lower case, to its Snowball (Porter2) stem; stop words and others stay."""
    if word in stopwords.ENGLISH or not word.isascii() or len(word) < 3:
        return word
    return _recoded(str(_stemmer.stemWord(word)))


def _recoded(stem: str) -> str:
    for ending, other in _RECODED:
        if stem.endswith(ending) and len(stem) > len(ending) + 1:
            return stem if ending == "end" and stem.endswith("send") else stem[: -len(ending)] + other
    return stem


def _inner_capital(token: str) -> bool:
    return token != token.lower() and token != token.upper() and token[1:] != token[1:].lower()


def _fold(word: str) -> str:
    """Take the accents off Latin letters; in other scripts a mark makes another letter (й, が, हि)."""
    if word.isascii():
        return word
    return "".join(
        character
        for letter in word
        for character in (unicodedata.normalize("NFD", letter) if "\u00c0" <= letter <= "\u024f" else letter)
        if not "\u0300" <= character <= "\u036f"
    )


def bm25(
    query: Iterable[str], documents: Sequence[Sequence[str]], k1: float = K1, b: float = B
) -> list[float]:
    """Score documents (lists of terms) against query terms by BM25+ (Lv and Zhai, 2011), as rank-bm25 has it;
    0.0 and more, one score a document. A corpus without any term, or none at all, scores 0.0."""
    wanted = list(query)
    if not wanted or not any(documents):
        return [0.0] * len(documents)
    from rank_bm25 import BM25Plus

    scores = BM25Plus(documents, k1=k1, b=b, delta=1).get_scores(wanted)
    # BM25+ credits delta to documents without a single query term: there is nothing to credit.
    return [
        float(score) if not set(wanted).isdisjoint(document) else 0.0
        for score, document in zip(scores, documents, strict=True)
    ]


def idf(holding: int, total: int) -> float:
    """How much it says that a text holds a term, given how many of ``total`` texts do: 0 when all do (or none
    were seen), growing with the logarithm of its rarity. BM25's idf, with its floor at 0."""
    if total <= 0:
        return 0.0
    return math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))


def saturating(count: float, length: float, average: float, k1: float = K1, b: float = B) -> float:
    """BM25's term frequency part, in 0..1: grows with the count, ever more slowly, and less in long texts."""
    if count <= 0:
        return 0.0
    norm = k1 * (1.0 - b + b * (length / average if average > 0 else 1.0))
    return count / (count + norm)


def count_terms(text: str) -> Counter[str]:
    """Count the terms of a text, each distinct token analysed once."""
    counted: Counter[str] = Counter()
    for token, times in Counter(tokens(text)).items():
        for term in token_terms(token):
            counted[term] += times
    return counted


_WHITE = re.compile(r"\s")


class Lexicon:
    """Finds some wanted terms in texts, much faster than ``count_terms`` finds all of them."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._wanted = frozenset(wanted)
        starts = sorted({re.escape(_start(term)) for term in self._wanted})
        self._maybe = re.compile("|".join(starts) if starts else r"(?!)")
        self._known: dict[str, tuple[str, ...]] = {}

    def count(self, text: str) -> Counter[str]:
        """Count the wanted terms of a text."""
        found: Counter[str] = Counter()
        if self.may_hold(text):
            # No token spans white space, and what stands between it comes again and again.
            for chunk in self._promising(text) if text.isascii() else text.split():
                hits = self._known.get(chunk)
                for term in self._look_up(chunk) if hits is None else hits:
                    found[term] += 1
        return found

    def _promising(self, text: str) -> Iterator[str]:
        """What stands between white space and may hold a wanted term, in order, with repetitions; of ASCII,
        whose letters keep their places in lower case."""
        end = 0
        for match in self._maybe.finditer(text.lower()):
            if match.start() >= end:
                start = max(
                    text.rfind(" ", end, match.start()), text.rfind("\n", end, match.start()), end - 1
                )
                ending = _WHITE.search(text, match.end())
                end = ending.start() if ending else len(text)
                yield text[start + 1 : end]

    def among(self, text: str) -> tuple[str, ...]:
        """The wanted terms that a text holds, each once, in order."""
        return tuple(self.count(text)) if self.may_hold(text) else ()

    def may_hold(self, text: str) -> bool:
        """False where no wanted term can be; most texts of a page end here."""
        if self._maybe.search(text.lower()):
            return True
        return not text.isascii() and _FOLDED.search(text) is not None

    def _look_up(self, chunk: str) -> tuple[str, ...]:
        hits: tuple[str, ...] = ()
        if self.may_hold(chunk):
            found = (term for token in tokens(chunk) for term in token_terms(token))
            hits = tuple(term for term in found if term in self._wanted)
        if len(chunk) <= MAX_WORD and len(self._known) < _MAX_CACHED_WORDS:
            self._known[chunk] = hits
        return hits


def _start(term: str) -> str:
    """The letters that a stem shares with all its words: all but the last (try, tri), in longer ones all but
    the last two (resolve, resolution)."""
    length = len(term)
    return term[: max(1, length - 1 if length < 5 else min(length - 2, 6))]


def overlap(one: Mapping[str, object], other: Mapping[str, object]) -> float:
    """Jaccard similarity of two vocabularies; 0.0 where both are empty."""
    union = len(one.keys() | other.keys())
    return len(one.keys() & other.keys()) / union if union else 0.0
