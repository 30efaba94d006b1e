"""The parts of a candidate's score and their weighted sum.

A link is judged before its page is fetched, by what can be seen: its own words, the page and the section
that it stands in, and how the site itself treats it. Knows candidates and evidence; knows nothing of
fetching, limits, or when to stop. Each part lies in 0..1 and can be 0, so that a link that promises nothing
scores nothing and ``limits.min_gain`` can end a crawl.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple
from urllib.parse import unquote, urlsplit

from annotated_types import Ge, Le

from adaptive_crawl.crawler.model import Candidate, Link, Page, Scored, SiteIndex

from .evidence import Evidence
from .indexed import Indexed
from .text import Lexicon
from .thesaurus import alternatives
from .writing import Leads

Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True, slots=True)
class LinkConfig:
    """What makes a link worth following."""

    relevance: Share = 0.5
    """Weight of what the link's words and surroundings have of the query."""
    novelty: Share = 0.3
    """Weight of how much of that is not held yet."""
    authority: Share = 0.2
    """Weight of how the site treats the page: links to it, nearness to the start, a folder's front page."""

    def __post_init__(self) -> None:
        total = self.relevance + self.novelty + self.authority
        if abs(total - 1.0) > 0.001:
            raise ValueError(f"links.relevance + links.novelty + links.authority must be 1, not {total:g}")


# Strength of a query term by where a link has it: in the words that name the target, or only near them.
ANCHOR = 1.0
URL_WORD = 0.8
CONTEXT = 0.6
HEADING = 0.1

ALTERNATIVE = 0.5
"""Of a word that may stand for the query's (thesaurus), as part of the strength of the word itself."""

CONTEXT_WORDS = 12
"""Words of context, about a line, up to which it is all about the link; the more there are beyond, the less
each says of it."""
CONTEXT_FADE = 0.3

# What a link has of the place where it stands (Davison, 2000: topical locality), at most.
FROM_SECTION = 0.2
FROM_PAGE = 0.1

BOILERPLATE = 0.6
"""A menu's words stand on every page, so where one stands says less than its own words, which say less."""
BOILERPLATE_PLACE = 0.3

NOFOLLOW = 0.5
"""Of a link that its page does not vouch for (rel=nofollow): followed, but after those that it does."""

HOPE = 0.25
"""Expected worth of a page whose link says nothing of the query, before any was read: enough for a score
above ``min_gain``, so that a site whose start page has other words than the query is looked into."""
HOPE_PAGES = 3
"""Such pages read, a round, at which half of that is left if none of them bore on the query."""

FOLDER = 0.15
"""How much the pages read in a folder of the site raise or lower the rest of it."""
FOLDER_PRIOR = 2
"""Pages read in a folder at which half of that counts."""

# Shares of authority.
IN_LINKS = 0.5
NEAR = 0.2
FRONT_PAGE = 0.3
MANY_IN_LINKS = 16
FAR = 5
"""Links from a seed at which nearness is used up."""

MAX_REMEMBERED = 50_000
"""Anchors, headings and addresses whose terms are remembered; about 10 MB."""

_LOGARITHMIC = [0.0, *(math.log(count) / math.log(MANY_IN_LINKS) for count in range(1, MANY_IN_LINKS + 1))]
"""Number of in-links → its share."""

_FRONT_PAGE = re.compile(
    r"(?:^|/)(?:index|default|home|contents|toc|readme|overview|sitemap|site-map|genindex|bookindex|\w+-modindex"
    r"|all)?(?:\.\w{2,5})?$",
    re.I,
)
"""Addresses by which the web names a folder's front page, a table of contents or an index."""
_URL_PUNCTUATION = re.compile(r"[/_\-.+=&?,;:~]+|(?<=[./])(?:html?|php|aspx?|jsp)$")


class _Sighting(NamedTuple):
    """A link's own words, read for the query."""

    link: Link
    literal: tuple[tuple[str, float], ...]
    """Terms of the query with the strength of where they stand."""
    strengths: tuple[tuple[str, float], ...]
    """The same, with words that may stand for terms of the query."""
    anchor: tuple[str, ...]
    """Terms in the anchor, then (below) elsewhere: for the reason in words."""
    near: tuple[str, ...]


class _Judged(NamedTuple):
    """What changes only with new sightings or new weights."""

    sightings: tuple[Link, ...]
    read: tuple[_Sighting, ...]
    version: int
    best: _Sighting | None
    own: float
    place: float
    folder: str
    front_page: bool
    strengths: tuple[tuple[str, float], ...]
    """Terms of the query that it promises, by its best sighting and by what search indexes say of it."""
    no_hope: bool
    """A search index has its words: there is nothing to be hoped for beyond them."""
    words: str
    """Which words of the query the best sighting has, as a reason; empty where it has none."""


class _State(NamedTuple):
    """What the pages read say of all candidates alike."""

    folders: dict[str, float]
    """Folder → what pages read there raise or lower the rest of it by."""
    hope: float
    wanted: dict[str, float]
    """Term of the query → its weight as far as it is not held."""
    news: float
    """Share of the query that is not held."""


@dataclass(slots=True)
class _Tally:
    """Pages read of one kind, and what they were worth together."""

    pages: int = 0
    worth: float = 0.0

    def add(self, worth: float) -> None:
        self.pages += 1
        self.worth += worth

    def lift(self) -> float:
        """What they raise or lower the rest of their folder by."""
        return FOLDER * (self.worth / self.pages - 0.5) * self.pages / (self.pages + FOLDER_PRIOR)


class LinkScorer:
    """Scores candidates for one query from the evidence so far."""

    def __init__(self, config: LinkConfig, evidence: Evidence) -> None:
        self._config = config
        self._evidence = evidence
        self._seen: set[str] = set()
        self._fresh: dict[str, _Sighting] = {}
        """Links read since candidates were scored last: most are scored next."""
        self._judged: dict[str, _Judged] = {}
        self._terms_of: dict[str, tuple[str, ...]] = {}
        self._stand_for = _stand_for(evidence.terms)
        self._lexicon = Lexicon((*evidence.terms, *self._stand_for))
        self._read_pages: dict[str, bool] = {}
        self._worth_version = evidence.version
        self._folders: dict[str, _Tally] = {}
        self._unannounced = _Tally()
        self._held: dict[str, float] = {}
        self._leads = Leads(" ".join(evidence.terms))
        self._indexed = Indexed(self._lexicon)

    def learn(self, candidate: Candidate, page: Page) -> None:
        """Take in a page held: its links tell which words are common, its worth what its folder is like."""
        self._judged.pop(candidate.key, None)
        announced = any(self._read(link).literal for link in candidate.sightings)
        fresh = []
        if len(self._fresh) > MAX_REMEMBERED:
            self._fresh.clear()
        for link in page.links:
            if link.key in self._seen:
                continue
            self._seen.add(link.key)
            sighting = self._fresh[link.key] = self._read(link)
            fresh.append([term for term, _ in sighting.literal])
        self._evidence.note_links(fresh)
        self._evidence.refresh()
        # That a page in another writing does not bear on the query says nothing of those in the query's.
        is_foreign = self._leads.learn(candidate, page)
        self._note_worth(page.key, announced or is_foreign)

    def know(self, index: SiteIndex) -> None:
        """Take in what a site's search index says of its pages."""
        if self._indexed.read(index):
            self._judged.clear()

    def score(self, candidates: Sequence[Candidate]) -> list[Scored]:
        """Score every candidate, in the order given."""
        state = self._state()
        scored = [self._score(candidate, state) for candidate in candidates]
        self._fresh.clear()
        return scored

    def promise(self, ranked: Sequence[Scored]) -> float:
        """Relevance of the best candidate by what can be seen of it, without what is merely hoped for."""
        best = max((value for scored in ranked for _, value in scored.parts[:1]), default=0.0)
        hope = self._hope()
        return max(0.0, (best - hope) / (1.0 - hope))

    def _state(self) -> _State:
        weights = self._evidence.weights
        # A term is held once a passage that answers most of the query has it; the fourth power leaves it
        # wanted until then.
        wanted = {term: weight * (1.0 - self._held.get(term, 0.0) ** 4) for term, weight in weights.items()}
        whole = sum(weights.values())
        return _State(
            {folder: tally.lift() for folder, tally in self._folders.items()},
            self._hope(),
            wanted,
            # What says nothing may hold any of it: its news is what is still wanted of the whole query.
            sum(wanted.values()) / whole if whole > 0 else 1.0,
        )

    def _score(self, candidate: Candidate, state: _State) -> Scored:
        judged = self._judged.get(candidate.key)
        if (
            judged is None
            or judged.sightings != candidate.sightings
            or judged.version != self._evidence.version
        ):
            judged = self._judge(candidate, judged)
            self._judged[candidate.key] = judged
        own, hope = judged.own, 0.0 if judged.no_hope else state.hope
        leads = self._leads.foreign > 0 and self._leads.speaks(candidate)
        if leads:
            own = max(own, self._leads.worth)
        else:
            hope *= HOPE_PAGES / (HOPE_PAGES + self._leads.foreign)
        relevance = 1.0 - (1.0 - own) * (1.0 - judged.place) * (1.0 - hope)
        relevance = min(1.0, max(0.0, relevance + state.folders.get(judged.folder, 0.0)))
        novelty = relevance * self._new_share(judged, state)
        authority = _authority(candidate, judged.front_page) * relevance
        config = self._config
        score = config.relevance * relevance + config.novelty * novelty + config.authority * authority
        return Scored(
            candidate,
            score,
            (("relevance", relevance), ("novelty", novelty), ("authority", authority)),
            judged.words or self._unmatched(judged, leads and self._leads.worth > 0),
            judged.best.link if judged.best else None,
        )

    def _judge(self, candidate: Candidate, before: _Judged | None) -> _Judged:
        read: tuple[_Sighting, ...] = ()
        if before is not None and before.sightings == candidate.sightings[: len(before.sightings)]:
            read = before.read
        read += tuple(map(self._reading, candidate.sightings[len(read) :]))
        best, best_own, best_place, best_total = None, 0.0, 0.0, -1.0
        for sighting in read:
            link = sighting.link
            vouched = NOFOLLOW if link.nofollow else 1.0
            own = self._evidence.share(sighting.strengths) * (BOILERPLATE if link.boilerplate else 1.0)
            own *= vouched
            place = self._place(link) * (BOILERPLATE_PLACE if link.boilerplate else 1.0) * vouched
            total = own + (1.0 - own) * place
            if total > best_total:
                best, best_own, best_place, best_total = sighting, own, place, total
        strengths = best.strengths if best else ()
        indexed = self._resolve(self._indexed.of(candidate.key))[1]
        if indexed:
            strengths = _stronger(strengths, indexed)
            best_own = max(best_own, self._evidence.share(strengths))
        return _Judged(
            candidate.sightings,
            read,
            self._evidence.version,
            best,
            best_own,
            best_place,
            _folder(candidate.key),
            before.front_page if before else bool(_FRONT_PAGE.search(urlsplit(candidate.url).path)),
            strengths,
            self._indexed.has_words_of(candidate.key),
            (self._matched(best) if best else "no link to it is known") or self._said(indexed),
        )

    def _reading(self, link: Link) -> _Sighting:
        fresh = self._fresh.get(link.key)
        return fresh if fresh is not None and fresh.link is link else self._read(link)

    def _place(self, link: Link) -> float:
        section = self._evidence.section_worth(link.found_on, link.heading)
        page = self._evidence.worth(link.found_on)
        return FROM_SECTION * section + FROM_PAGE * page

    def _read(self, link: Link) -> _Sighting:
        anchor = self._among(link.anchor)
        strengths = {term: HEADING for heading in link.heading for term in self._among(heading)}
        context = self._lexicon.among(link.context)
        if context:
            words = len(link.context.split())
            fade = 1.0 / (1.0 + CONTEXT_FADE * max(0, words - CONTEXT_WORDS) / CONTEXT_WORDS)
            strengths.update(dict.fromkeys(context, CONTEXT * fade))
        strengths.update(dict.fromkeys(self._among(link.url), URL_WORD))
        strengths.update(dict.fromkeys(anchor, ANCHOR))
        literal, meant = self._resolve(strengths)
        if not literal:
            return _Sighting(link, (), (), (), ())
        # An alternative is worth a word only where what it stands for is not there itself.
        told = [
            term
            for term in strengths
            if term not in self._stand_for or any(t not in strengths for t in self._stand_for[term])
        ]
        named = tuple(term for term in told if term in anchor)
        near = tuple(term for term in told if term not in anchor and strengths[term] > HEADING)
        return _Sighting(link, literal, meant, named, near)

    def _resolve(
        self, strengths: Mapping[str, float]
    ) -> tuple[tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]]:
        """Strengths of the query's own terms, and the same with alternatives put to the terms that they stand
        for, as far as there is a term of the query beside them."""
        literal = {term: strength for term, strength in strengths.items() if term not in self._stand_for}
        meant = dict(literal)
        for alternative, strength in strengths.items():
            for term in self._stand_for.get(alternative, ()):
                meant[term] = max(ALTERNATIVE * strength, meant.get(term, 0.0))
        return tuple(literal.items()), tuple(meant.items())

    def _among(self, words: str) -> tuple[str, ...]:
        """Terms of a text that comes again and again: an anchor, a heading, an address."""
        known = self._terms_of.get(words)
        if known is None:
            known = self._lexicon.among(_url_words(words) if "://" in words else words)
            if len(self._terms_of) >= MAX_REMEMBERED:
                self._terms_of.clear()
            self._terms_of[words] = known
        return known

    def _note_worth(self, key: str, announced: bool) -> None:
        """Take in what a page turned out to be worth; all pages again where weights have changed."""
        self._read_pages[key] = announced
        fresh: tuple[str, ...] = (key,)
        if self._worth_version != self._evidence.version:
            self._worth_version = self._evidence.version
            self._held.clear()
            self._folders.clear()
            self._unannounced = _Tally()
            fresh = tuple(self._read_pages)
        for page in fresh:
            worth = self._evidence.worth(page)
            self._folders.setdefault(_folder(page), _Tally()).add(worth)
            if not self._read_pages[page]:
                self._unannounced.add(worth)
            self._hold(page)

    def _hold(self, key: str) -> None:
        """Note for each term of the query the worth of the best passage held that says it."""
        for bearing in self._evidence.pages[key].passages:
            worth = self._evidence.share(bearing.own)
            for term, _ in bearing.own:
                self._held[term] = max(worth, self._held.get(term, 0.0))

    def _new_share(self, judged: _Judged, state: _State) -> float:
        """How much of what a link promises is not held, in 0..1."""
        strengths = judged.strengths
        weights, wanted = self._evidence.weights, state.wanted
        promised = sum([weights[term] * strength for term, strength in strengths])
        if promised <= 0:
            return 1.0 if strengths else state.news
        return sum([wanted[term] * strength for term, strength in strengths]) / promised

    def _hope(self) -> float:
        """What a page is worth of which nothing is known, by what such pages were worth."""
        tally = self._unannounced
        return (HOPE * HOPE_PAGES + tally.worth) / (HOPE_PAGES + tally.pages)

    def _matched(self, best: _Sighting) -> str:
        named = ", ".join(self._evidence.words.get(term, term) for term in best.anchor)
        near = ", ".join(self._evidence.words.get(term, term) for term in best.near)
        if named and near:
            return f"{_where(best.link)} matches {named}, its surroundings {near}"
        if named:
            return f"{_where(best.link)} matches {named}"
        return f"{_where(best.link)} stands near {near}" if near else ""

    def _said(self, indexed: Sequence[tuple[str, float]]) -> str:
        words = ", ".join(self._evidence.words.get(term, term) for term, _ in indexed)
        return f"the site's search index has {words} there" if words else ""

    def _unmatched(self, judged: _Judged, leads: bool) -> str:
        where = _where(judged.best.link) if judged.best else ""
        if leads:
            return f"{where} leads to the query's writing"
        if judged.place > 0:
            return f"{where}, on a page that bears on the query"
        return f"{where} matches nothing"


def _where(link: Link) -> str:
    where = f'anchor "{_clip(link.anchor)}"' if link.anchor else "a link without words"
    return f'{where} under "{_clip(link.heading[-1])}"' if link.heading else where


def _stronger(
    one: tuple[tuple[str, float], ...], other: tuple[tuple[str, float], ...]
) -> tuple[tuple[str, float], ...]:
    """The terms of both, each as strong as where it is stronger."""
    strengths = dict(one)
    for term, strength in other:
        strengths[term] = max(strength, strengths.get(term, 0.0))
    return tuple(strengths.items())


def _authority(candidate: Candidate, front_page: bool) -> float:
    """How the site itself treats a page, in 0..1: a logarithmic share for pages that point to it, nearness to
    the start, and whether its address is a folder's front page, which is where a site lists what it has."""
    in_links = _LOGARITHMIC[min(max(candidate.in_links, 1), MANY_IN_LINKS)]
    near = max(0.0, 1.0 - candidate.depth / FAR)
    return IN_LINKS * in_links + NEAR * near + FRONT_PAGE * front_page


def _folder(key: str) -> str:
    return key.partition("?")[0].rpartition("/")[0]


def _stand_for(terms: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Alternative → the terms of the query that it may stand for."""
    found: dict[str, list[str]] = {}
    for term in terms:
        for other in alternatives(term):
            if other not in terms:
                found.setdefault(other, []).append(term)
    return {other: tuple(meant) for other, meant in found.items()}


def _url_words(url: str) -> str:
    _, _, place = url.partition("://")
    return _URL_PUNCTUATION.sub(" ", unquote(place.partition("/")[2]))


def _clip(words: str, length: int = 60) -> str:
    return words if len(words) <= length else words[: length - 1] + "…"
