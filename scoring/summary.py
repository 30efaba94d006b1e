"""Pages → the sentences that sum them up and the passages that bear on the query, each with its page.

Extractive: every word shown stands on a page. Reads one page after the other and keeps of each a few
sentences and figures, so that memory stays flat over any number of pages; what is best is told at the end,
when it is known how rare each term is. A function of the pages and their order alone.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from adaptive_crawl.crawler.model import Excerpt, Page, Passage

from .sentences import sentences
from .text import Lexicon, idf, key_terms, overlap, saturating, terms

MAX_PASSAGES = 500
"""Of one page; a page that has more is a list, and its rest is more of the same."""
MAX_SENTENCES = 24
"""Of one page: what sums it up stands in its first screens, or in the passages that bear on the query."""
SENTENCES_KEPT = 2
PASSAGES_KEPT = 3
PROMISING = 4
"""Passages of one page that are looked at closely."""
PASSAGES_QUOTED = 2
"""Of one page, so that several pages get their say."""

LEAST_SHARE = 1 / 3
"""Of the query's weight that a passage must hold to be quoted as bearing on it."""
NEXT_TO_BEST = 0.4
"""Share of the best one's bearing on the query from which a sentence or passage is shown beside it."""
SAME = 0.5
"""Jaccard similarity of the terms of two sentences from which they say the same."""
_LIST_WORTH = 0.5
"""What a passage without a sentence is worth as an answer, beside one with."""
_QUALITY_WEIGHT = 0.25
"""Of a sentence's quality beside its bearing on the query: it breaks near ties."""
_POINTS_BACK = re.compile(
    r"(?:this|these|those|it|its|they|he|she|however|but|and|so|thus|therefore|also|then|otherwise|instead)\b",
    re.IGNORECASE,
)
_POINTING_BACK = 0.6
"""What a sentence that leans on the one before is worth without it."""


@dataclass(frozen=True, slots=True)
class _Hit:
    """A passage that holds terms of the query: where it is, and how often each occurs."""

    key: str
    index: int
    length: int
    counts: tuple[int, ...]
    prose: bool = True
    """Some sentence stands in it; a list of names that mentions everything answers nothing."""


class Excerpts:
    """What is worth quoting of the pages read so far, for a query, or of themselves without one."""

    def __init__(self, query: str = "") -> None:
        self._query = key_terms(query) if query else ()
        self._lexicon = Lexicon(self._query)
        self._said: dict[str, tuple[Excerpt, ...]] = {}
        self._hits: list[_Hit] = []
        self._holding: Counter[str] = Counter()
        self._passages = 0
        self._length = 0

    def read(self, page: Page) -> None:
        """Take in a page of the tree; each once."""
        passages: Sequence[Passage] = page.passages[:MAX_PASSAGES]
        hits, said = self._promising(page.key, passages) if self._query else ([], [])
        self._hits += hits[:PASSAGES_KEPT]
        if not hits:
            said = list(islice(_sentences_in(passages), MAX_SENTENCES))
        self._said[page.key] = self._best_of(page.key, said[:MAX_SENTENCES])

    def of(self, key: str) -> Sequence[Excerpt]:
        """The sentences that sum up one page, best first; their score is their quality, in 0..1."""
        return self._said.get(key, ())

    def select(self, candidates: Iterable[Excerpt], count: int) -> list[Excerpt]:
        """Choose at most ``count`` sentences that together sum up where the candidates are from.

        Best first: those that bear on the query, or, where none does, those that say what most say. None
        repeats another, and no page speaks twice before each has spoken.
        """
        offered = list(candidates)
        words = {excerpt.text: dict.fromkeys(terms(excerpt.text)) for excerpt in offered}
        weights, shared = self._weights(), _shared(words.values())
        bearing = {text: _share(found, weights) for text, found in words.items()}
        least = NEXT_TO_BEST * max(bearing.values(), default=0.0)
        if not least:
            weights = {}
        best_first = sorted(
            (excerpt for excerpt in offered if bearing[excerpt.text] >= least),
            key=lambda excerpt: -_worth(words[excerpt.text], weights, shared, excerpt.score),
        )
        chosen: list[Excerpt] = []
        for again in (False, True):
            for excerpt in best_first:
                if len(chosen) == count:
                    return chosen
                spoken = any(other.key == excerpt.key for other in chosen)
                alike = any(overlap(words[excerpt.text], words[other.text]) >= SAME for other in chosen)
                if spoken is again and not alike:
                    chosen.append(excerpt)
        return chosen

    def answers(self, count: int, page: Callable[[str], Page]) -> list[Excerpt]:
        """The passages of all pages read that bear most on the query, best first; none without a query.

        Scored by BM25 over all passages, times the share of the query's weight that a passage holds
        (the coordination factor of classic Lucene): one rare word many times is no answer.

        Args:
            page: gives a page back by its key, since passages are not kept.
        """
        weights = self._weights()
        total = sum(weights.values())
        if not total:
            return []
        ranked = sorted(
            ((self._score(hit, weights, total), hit) for hit in self._hits), key=lambda scored: -scored[0]
        )
        quoted: Counter[str] = Counter()
        answers: list[Excerpt] = []
        for score, hit in ranked:
            if len(answers) == count or score <= 0 or score < NEXT_TO_BEST * ranked[0][0]:
                break
            if quoted[hit.key] < PASSAGES_QUOTED:
                quoted[hit.key] += 1
                passage = page(hit.key).passages[hit.index]
                answers.append(Excerpt(hit.key, passage.text, passage.heading, score))
        return answers

    def _hits_of(self, key: str, passages: Sequence[Passage]) -> list[_Hit]:
        hits = []
        for index, passage in enumerate(passages):
            text = "\n".join((*passage.heading[-1:], passage.text))
            length = len(text)
            self._passages += 1
            self._length += length
            found = self._lexicon.count(text)
            if found:
                self._holding.update(found.keys())
                hits.append(_Hit(key, index, length, tuple(found[term] for term in self._query)))
        return hits

    def _promising(self, key: str, passages: Sequence[Passage]) -> tuple[list[_Hit], "list[_Said]"]:
        """The passages of a page that may be quoted, best first while the terms' rarity is not known yet; and
        the sentences in them, in order."""
        hits = self._hits_of(key, passages)
        average = self._average()

        def worth(hit: _Hit) -> float:
            return _form(hit) * math.fsum(saturating(count, hit.length, average) for count in hit.counts)

        best = sorted(hits, key=worth, reverse=True)[:PROMISING]
        said = {
            hit.index: list(islice(_sentences_in([passages[hit.index]]), MAX_SENTENCES))
            for hit in sorted(best, key=lambda hit: hit.index)
        }
        best = [hit if said[hit.index] else replace(hit, prose=False) for hit in best]
        return sorted(best, key=worth, reverse=True), [one for found in said.values() for one in found]

    def _best_of(self, key: str, said: Sequence["_Said"]) -> tuple[Excerpt, ...]:
        """The sentences that stand best for a page: by what they hold of the query, or, where none holds any
        of it, by how much of what they say others say too."""
        words = _Terms()
        bearing = [len(self._lexicon.count(text)) / max(1, len(self._query)) for text, _ in said]
        central = bearing
        if any(bearing):
            standing = [_quality(place, text, 0.0) for place, (text, _) in enumerate(said)]
        else:
            shared = _shared(words[text] for text, _ in said)
            central = [_centrality(words[text], shared) for text, _ in said]
            standing = [_quality(place, text, central[place]) for place, (text, _) in enumerate(said)]
        order = sorted(
            range(len(said)), key=lambda place: -(central[place] + _QUALITY_WEIGHT * standing[place])
        )
        best: list[int] = []
        for place in order:
            if all(overlap(words[said[place][0]], words[said[other][0]]) < SAME for other in best):
                best.append(place)
            if len(best) == SENTENCES_KEPT:
                break
        return tuple(
            Excerpt(key, text, passage.heading, standing[place])
            for place in best
            for text, passage in [said[place]]
        )

    def _weights(self) -> dict[str, float]:
        """What each term of the query tells, by its rarity in passages.

        A pair of characters that no passage holds, where others do, is no word but where two words meet.
        """
        pairs = [term for term in self._query if len(term) == 2 and not term.isascii()]
        met = (
            {pair for pair in pairs if not self._holding[pair]} if any(map(self._holding.get, pairs)) else ()
        )
        return {
            term: 0.0 if term in met else idf(self._holding[term], self._passages) for term in self._query
        }

    def _average(self) -> float:
        return self._length / self._passages if self._passages else 0.0

    def _score(self, hit: _Hit, weights: dict[str, float], total: float) -> float:
        pairs = [(weights[term], count) for term, count in zip(self._query, hit.counts, strict=True) if count]
        share = math.fsum(weight for weight, _ in pairs) / total
        if share < LEAST_SHARE:
            return 0.0
        average = self._average()
        held = math.fsum(weight * saturating(count, hit.length, average) for weight, count in pairs)
        return share * held * _form(hit)


def _form(hit: _Hit) -> float:
    return 1.0 if hit.prose else _LIST_WORTH


Words = dict[str, None]
"""Distinct terms in order of appearance: sums over them must not depend on how a set is ordered."""

_Said = tuple[str, Passage]
"""A sentence, and where it stands."""


class _Terms(dict[str, Words]):
    """Text → its terms, found when they are first asked for."""

    def __missing__(self, text: str) -> Words:
        found = self[text] = dict.fromkeys(terms(text))
        return found


def _sentences_in(passages: Iterable[Passage]) -> Iterator[_Said]:
    return ((text, passage) for passage in passages for text in sentences(passage.text))


def _shared(sentences: Iterable[Words]) -> dict[str, float]:
    """Weigh each term by how many sentences hold it, in 0..1; one that stands alone weighs nothing."""
    holding = Counter(term for words in sentences for term in words)
    most = max(holding.values(), default=1)
    return {term: math.log(count) / math.log(most) for term, count in holding.items() if count > 1}


def _quality(place: int, text: str, centrality: float) -> float:
    """How well a sentence stands for its page: early, about what the page is about, and by itself."""
    early = 1 / (1 + place / 3)
    alone = _POINTING_BACK if _POINTS_BACK.match(text) else 1.0
    return alone * (early + centrality) / 2


def _centrality(words: Words, shared: dict[str, float]) -> float:
    """How much of a sentence others say too, in 0..1; the constant keeps short ones from winning by it."""
    return math.fsum(shared.get(term, 0.0) for term in words) / (len(words) + 4)


def _worth(words: Words, weights: dict[str, float], shared: dict[str, float], quality: float) -> float:
    """How well a sentence stands for many: its share of the query's weight, or how central it is without a
    query; its quality breaks near ties."""
    standing = _share(words, weights) if weights else _centrality(words, shared)
    return standing + _QUALITY_WEIGHT * quality


def _share(words: Words, weights: dict[str, float]) -> float:
    """How much of the query's weight a text holds, in 0..1."""
    total = math.fsum(weights.values())
    return math.fsum(weights.get(term, 0.0) for term in words) / total if total else 0.0
