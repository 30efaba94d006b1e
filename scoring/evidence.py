"""What the pages held say about a query: which passages bear on it, and how much each of its terms tells.

Knows pages and terms; knows nothing of candidates, scores of links, or when to stop. Only main content
counts: a ``Page``'s passages leave menus out. Terms that stand together in one passage, its heading or its
page's title are evidence; the same terms scattered over a page are not.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from adaptive_crawl.crawler.model import Page, Passage

from . import text

TITLE = 0.5
"""Strength of a term that a passage has only from its page's title, which names all its passages alike."""
HEADING = 0.7
"""Strength of a term that a passage has only from its headings: what it is about, but not its own words."""

MAX_PASSAGES = 64
"""Passages kept of one page, those with most of the query: more would let one page fill the memory."""

MAX_WITNESSES = 20
"""Best pages remembered as such: as many as a strategy may ask to agree."""

MAX_BLOCKS = 20_000
"""Blocks of text with terms of the query that are remembered; a few MB."""

BARE = 0.8
"""Share of its entry (list item, cell, sentence) from which a link is all that the entry is."""

DRIFT = 0.1
"""Relative change of a term's weight from which what rests on it is worked out again. Weights move with the
logarithm of what was seen, so that this happens ever more rarely as a crawl grows."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """A passage that holds terms of the query, each with a strength in 0..1."""

    heading: tuple[str, ...]
    strengths: tuple[tuple[str, float], ...]
    own: tuple[tuple[str, float], ...]
    """The same without entries that are nothing but a link, which promise what is said elsewhere, and without
    blocks that stood on an earlier page: what a site repeats on its pages, it says once."""
    text: str


@dataclass(slots=True)
class PageEvidence:
    """What one page says about the query."""

    key: str
    title: str
    passages: tuple[Bearing, ...]
    counts: Mapping[str, int]
    """Query terms in the main content, with their numbers."""
    prose: Mapping[tuple[str, ...], float]
    """Of each section the share of its text that is no link: an index that mentions everything answers
    nothing."""
    worth: float = 0.0
    """Of its best passage."""
    said: float = 0.0
    """Of the passage that itself says most of the query."""
    spokesman: Bearing | None = None
    """That passage."""
    sections: dict[tuple[str, ...], float] = field(default_factory=dict)
    """Worth of the best passage under each heading."""


class Evidence:
    """Pages and links seen so far, read for one query. Grows by ``add_page`` and ``note_links`` alone."""

    def __init__(self, query: str, k1: float = text.K1, b: float = text.B) -> None:
        self.terms = text.key_terms(query)
        self.lexicon = text.Lexicon(self.terms)
        self.words = _words_as_typed(query)
        self.pages: dict[str, PageEvidence] = {}
        self.version = 0
        """Changes with every change of weights: what was worked out before is stale."""
        self.weights = dict.fromkeys(self.terms, 1.0)
        self._total = float(len(self.terms))
        self._k1, self._b = k1, b
        self._passages = self._characters = self._links = 0
        self._in_passages: Counter[str] = Counter()
        self._in_links: Counter[str] = Counter()
        self._neighbours = _neighbours(self.terms)
        self._said: set[str] = set()
        self._order: list[PageEvidence] = []
        self._found = 0.0

    def add_page(self, page: Page) -> PageEvidence:
        """Read a page for the query."""
        title = self.lexicon.among(page.title)
        counts: Counter[str] = Counter()
        self._passages += len(page.passages)
        self._characters += sum(len(passage.text) for passage in page.passages)
        headings: dict[tuple[str, ...], tuple[str, ...]] = {}
        bearings = []
        promised = self._promised(page)
        for passage in page.passages:
            found, new = self._counted(passage)
            if passage.heading not in headings:
                headings[passage.heading] = self.lexicon.among(" ".join(passage.heading))
            above = headings[passage.heading]
            if not found and not above:
                continue
            counts.update(found)
            self._in_passages.update({*found, *above})
            own = _without(new, promised.get(passage.heading))
            bearings.append(self._bearing(passage, found, own, above, title))
        bearings.sort(key=lambda bearing: -sum(strength for _, strength in bearing.strengths))
        evidence = PageEvidence(page.key, page.title, tuple(bearings[:MAX_PASSAGES]), counts, _prose(page))
        self.pages[page.key] = evidence
        self._weigh(evidence)
        return evidence

    def note_links(self, found: Iterable[Iterable[str]]) -> None:
        """Note links seen for the first time, each by the query terms in its own words."""
        for held in found:
            self._links += 1
            self._in_links.update(set(held))

    def refresh(self) -> None:
        """Bring the weights up to date with what was seen."""
        fresh = {term: self._weight(term) for term in self.terms}
        if any(abs(fresh[t] - self.weights[t]) > DRIFT * self.weights[t] for t in self.terms):
            self.weights = fresh
            self._total = sum(fresh.values())
            self.version += 1
            self._order.clear()
            self._found = 0.0
            for evidence in self.pages.values():
                self._weigh(evidence)

    def share(self, strengths: Iterable[tuple[str, float]]) -> float:
        """How much of the query some terms amount to, in 0..1: by weight, each by its strength."""
        if not self._total:
            return 0.0
        weights = self.weights
        return sum([weights[term] * strength for term, strength in strengths]) / self._total

    def worth(self, key: str) -> float:
        """Worth of a page held, in 0..1; 0 for others."""
        evidence = self.pages.get(key)
        return evidence.worth if evidence else 0.0

    def section_worth(self, key: str, heading: tuple[str, ...]) -> float:
        """Worth of a section of a page held, in 0..1; 0 for others."""
        evidence = self.pages.get(key)
        return evidence.sections.get(heading, 0.0) if evidence else 0.0

    @property
    def found(self) -> float:
        """Share of the query's terms in the best passage held, in 0..1, all terms alike: a word that a site
        has on every page tells no page from another, but tells that the site is about it."""
        return self._found

    def best(self, count: int) -> list[tuple[str, float, Bearing]]:
        """The pages that say most, best first: key, how much of the query (0..1), and the passage that says
        it; ``count`` of them, ``MAX_WITNESSES`` at most."""
        return [
            (held.key, held.said, held.spokesman)
            for held in self._order[:count]
            if held.spokesman is not None
        ]

    def said(self, held: PageEvidence, bearing: Bearing) -> float:
        """How much of the query a passage itself speaks of, in 0..1: what its links promise left out."""
        return self.share(bearing.own) * held.prose.get(bearing.heading, 1.0)

    def passage_worth(self, held: PageEvidence, bearing: Bearing) -> float:
        """How much of the query a passage holds, in 0..1, discounted where it is a list of links."""
        return self.share(bearing.strengths) * held.prose.get(bearing.heading, 1.0)

    def _counted(self, passage: Passage) -> tuple[Counter[str], Counter[str]]:
        """Query terms of a passage, and of those blocks of it that no page held before; notes the blocks."""
        found: Counter[str] = Counter()
        new: Counter[str] = Counter()
        if not self.lexicon.may_hold(passage.text):
            return found, new
        for block in passage.text.split("\n\n"):
            in_block = self.lexicon.count(block)
            if not in_block:
                continue
            found.update(in_block)
            if block not in self._said:
                new.update(in_block)
                if len(self._said) < MAX_BLOCKS:
                    self._said.add(block)
        return found, new

    def _promised(self, page: Page) -> dict[tuple[str, ...], Counter[str]]:
        """Query terms in entries of the main content that are nothing but a link, by heading."""
        promised: dict[tuple[str, ...], Counter[str]] = {}
        for link in page.links:
            if not link.boilerplate and len(link.anchor) >= BARE * len(link.context):
                found = self.lexicon.count(link.anchor)
                if found:
                    promised.setdefault(link.heading, Counter()).update(found)
        return promised

    def _bearing(
        self,
        passage: Passage,
        found: Mapping[str, int],
        own: Mapping[str, int],
        above: Iterable[str],
        title: Iterable[str],
    ) -> Bearing:
        named = dict.fromkeys(title, TITLE)
        named.update((term, HEADING) for term in above)
        return Bearing(
            passage.heading,
            tuple(self._strengths(passage, found, named).items()),
            tuple(self._strengths(passage, own, named).items()),
            passage.text,
        )

    def _strengths(
        self, passage: Passage, counts: Mapping[str, int], named: Mapping[str, float]
    ) -> dict[str, float]:
        average = self._characters / self._passages
        strengths = dict(named)
        for term, count in counts.items():
            # Twice the BM25 part: one mention in a passage of common length is nearly all that can be said.
            part = min(1.0, 2.0 * text.saturating(count, len(passage.text), average, self._k1, self._b))
            strengths[term] = max(part, strengths.get(term, 0.0))
        return strengths

    def _weigh(self, evidence: PageEvidence) -> None:
        evidence.sections.clear()
        evidence.said, evidence.spokesman = 0.0, None
        told = [term for term in self.terms if self.weights[term] > 0.0] or list(self.terms)
        for bearing in evidence.passages:
            worth = self.passage_worth(evidence, bearing)
            evidence.sections[bearing.heading] = max(worth, evidence.sections.get(bearing.heading, 0.0))
            said = self.said(evidence, bearing)
            if evidence.spokesman is None or said > evidence.said:
                evidence.said, evidence.spokesman = said, bearing
            found = sum(strength for term, strength in bearing.strengths if self.weights[term] > 0.0)
            self._found = max(self._found, found / len(told))
        evidence.worth = max(evidence.sections.values(), default=0.0)
        if evidence.spokesman is not None:
            self._order.append(evidence)
            self._order.sort(key=lambda held: -held.said)
            del self._order[MAX_WITNESSES:]

    def _weight(self, term: str) -> float:
        """What a term tells, in 0..1: the geometric mean of its rarity in passages and in links. A word of
        every link, or of every passage, tells nothing. Nor does a pair of characters that never occurs beside
        one that does: it is where two words meet, not a word."""
        if not self._seen(term) and any(map(self._seen, self._neighbours.get(term, ()))):
            return 0.0
        in_passages = _rarity(self._in_passages[term], self._passages)
        in_links = _rarity(self._in_links[term], self._links)
        return float((in_passages * in_links) ** 0.5)

    def _seen(self, term: str) -> bool:
        return bool(self._in_passages[term] or self._in_links[term])


def _without(found: Mapping[str, int], promised: Counter[str] | None) -> Mapping[str, int]:
    """Counts less those that links account for, which are used up: a section may have several passages."""
    if not promised:
        return found
    own = {}
    for term, count in found.items():
        used = min(count, promised[term])
        promised[term] -= used
        if count > used:
            own[term] = count - used
    return own


def _prose(page: Page) -> dict[tuple[str, ...], float]:
    text_length: Counter[tuple[str, ...]] = Counter()
    link_length: Counter[tuple[str, ...]] = Counter()
    for passage in page.passages:
        text_length[passage.heading] += len(passage.text)
    for link in page.links:
        if not link.boilerplate:
            link_length[link.heading] += len(link.anchor)
    return {
        heading: 1.0 - min(1.0, link_length[heading] / length)
        for heading, length in text_length.items()
        if length
    }


def _neighbours(terms: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Pairs of characters of the query → the pairs that share a character with them, end to start."""
    pairs = [term for term in terms if len(term) == 2 and not term.isascii()]
    return {
        pair: tuple(other for other in pairs if other[1] == pair[0] or other[0] == pair[1]) for pair in pairs
    }


def _rarity(holding: int, total: int) -> float:
    """Idf as a share of that of a term never seen; 1 before anything was."""
    return text.idf(holding, total) / text.idf(0, total) if total else 1.0


def _words_as_typed(query: str) -> dict[str, str]:
    """Term → the word of the query that it comes from, for people to read."""
    words: dict[str, str] = {}
    for token in text.tokens(query):
        found = text.token_terms(token)
        for term in found:
            words.setdefault(term, token if term == found[0] and len(found) == 1 else term)
    return words
