"""The facts of a crawl: what crosses from one module to another.

Every type is a frozen value named by a noun of the field. Nothing here decides or acts, and nothing
here may import more than the standard library's typing and data types. Scores and shares lie in 0..1;
sizes are bytes; durations are seconds; times are RFC 3339 strings in UTC, stamped by the fetcher alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    """What a request is for."""

    ROBOTS = "robots"
    PAGE = "page"
    PREVIEW = "preview"
    SITE_INDEX = "site-index"


class Order(StrEnum):
    """In which order the frontier is visited; ties break by discovery."""

    BEST_FIRST = "best-first"
    BFS = "bfs"
    DFS = "dfs"


class StopReason(StrEnum):
    """Why a crawl ended."""

    CONFIDENT = "confident"
    SATURATED = "saturated"
    LOW_GAIN = "low-gain"
    IRRELEVANT = "irrelevant"
    MAX_PAGES = "max-pages"
    MAX_ROUNDS = "max-rounds"
    BUDGET = "budget"
    FRONTIER_EMPTY = "frontier-empty"
    INTERRUPTED = "interrupted"
    NOTHING_FETCHED = "nothing-fetched"

    @property
    def words(self) -> str:
        """As people read it."""
        return self.value.replace("-", " ")


class FailureKind(StrEnum):
    """How one request came to nothing."""

    INVALID_URL = "invalid-url"
    ADDRESS = "address"
    """A private, loopback or link-local address that the user did not allow."""
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    HTTP = "http"
    """A status of 400 or more; ``Failure.status`` has it."""
    AUTH = "auth"
    """401, 403 with a challenge, or 407."""
    WAIT = "wait"
    """The site asked for a longer wait than ``politeness.max_retry_wait``."""
    INCOMPLETE = "incomplete"
    """The body ended before its announced end, on every attempt."""
    TOO_LARGE = "too-large"
    MEDIA_TYPE = "media-type"
    """Neither a page nor a download that was asked for."""
    REDIRECT = "redirect"
    """A loop, too many hops, or no usable target."""
    ROBOTS = "robots"
    UNREADABLE = "unreadable"
    """A body that could not be read as a page."""


@dataclass(frozen=True, slots=True)
class Query:
    """What the user asks. ``held_out`` variations validate, the others lead."""

    text: str
    variations: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's opinion of one link."""

    score: float
    reason: str
    folder: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """One link where it stands in one page."""

    url: str
    """Absolute, as found (WHATWG-resolved, fragment dropped): what is fetched."""
    key: str
    """``canonicalize(url)``: what is compared."""
    anchor: str
    """Anchor text, white space collapsed; of an image its alt text; of an icon its label or title."""
    context: str = ""
    """Text around the link: its list item, cell, definition or sentence; at most 300 characters."""
    heading: tuple[str, ...] = ()
    """The headings the link stands under, outermost first."""
    found_on: str = ""
    """Key of the page that holds the link."""
    ref: str = ""
    """Its mark in the annotated page, as ``L3``; the same for each link to the same key. Empty where
    the link has no place in the Markdown (a menu that was left out)."""
    boilerplate: bool = False
    """Outside the main content: menus, sidebars, footers."""
    nofollow: bool = False
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a link's mark goes: ``⟨ref⟩`` is inserted at ``offset`` (characters) of the Markdown."""

    offset: int
    ref: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of main content small enough to rank, quote and cite."""

    heading: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of a page quoted as evidence, with the page that they are from."""

    key: str
    """Key of the page."""
    text: str
    heading: tuple[str, ...] = ()
    """The headings the words stand under, outermost first."""
    score: float = 0.0
    """0 and more; comparable within one crawl and one kind of excerpt."""


@dataclass(frozen=True, slots=True)
class Page:
    """A document of the web, read."""

    url: str
    key: str
    title: str
    language: str
    """BCP 47 tag as declared, lower case; empty when unknown."""
    description: str
    markdown: str
    """Main content as Markdown, links absolute, without marks."""
    marks: tuple[Mark, ...]
    links: tuple[Link, ...]
    """Every link of the whole page in document order, boilerplate included."""
    passages: tuple[Passage, ...]
    digest: str
    """sha256 of the Markdown, hexadecimal."""
    size: int
    """Bytes of the decoded body."""
    media_type: str
    fetched_at: str
    etag: str = ""
    last_modified: str = ""
    canonical: str = ""
    """The URL that the page declares as its canonical one, resolved; empty if none."""
    indexes: tuple[tuple[str, str], ...] = ()
    """Site indexes that the page declares: source (``sitemaps``, ``llms_txt``, ``feeds``) and URL."""
    anchors: tuple[tuple[str, str], ...] = ()
    """Ids of its content that links can lead to, each with the slug of the heading it stands under."""
    places: tuple[int, ...] | None = None
    """Where each destination of a link or image begins in the Markdown and where it ends, in order, all in
    one row; None where nobody knows, as of a page that came as Markdown."""
    sketch: tuple[int, ...] = ()
    """Tells pages that are nearly the same (``reading.likeness``); empty for a short text."""
    noindex: bool = False
    nofollow: bool = False
    summary: str = ""
    """A model's summary; empty without one."""
    held: str = ""
    """Why this is the page held before and none that came now: ``NOT_MODIFIED``, or how the request for it
    failed; empty where a body came."""


NOT_MODIFIED = "not modified"
"""What a site says of a page that is held, and that is still what it was."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file kept as bytes; the bytes lie in the journal under ``digest``."""

    url: str
    key: str
    media_type: str
    size: int
    digest: str
    """sha256 of the bytes, hexadecimal."""
    fetched_at: str
    etag: str = ""
    last_modified: str = ""
    held: str = ""
    """As of a page."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """The URL leads to another one (by status, or by a meta refresh); the core decides whether to follow."""

    url: str
    target: str
    target_key: str
    permanent: bool
    fetched_at: str


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """What an origin's robots.txt said."""

    url: str
    status: int
    """HTTP status of the final answer; 0 when no answer came."""
    text: str
    fetched_at: str
    detail: str = ""
    """Why no answer came; empty when one did."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that came to nothing, after all attempts."""

    url: str
    kind: FailureKind
    detail: str
    """One line for people: what happened, with figures."""
    status: int = 0
    attempts: int = 1
    size: int = 0
    """Bytes received in vain."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A page as a site index names it."""

    url: str
    """Absolute, as found: what is fetched."""
    title: str = ""
    text: str = ""
    """What the index says of the page, as plain text."""
    date: str = ""
    """When the page changed or appeared: RFC 3339, or its date alone; empty where it is not said."""
    section: str = ""
    """The headings of the index it stands under, or its category."""
    names: str = ""
    """Of a search index: headings of the page and what it documents, separated by semicolons."""
    words: str = ""
    """Of a search index: the words of the page's text, in any order, stemmed or not."""


@dataclass(frozen=True, slots=True)
class SiteIndex:
    """A list of its pages that a site publishes: a sitemap, a feed, an llms.txt, the index of its search."""

    url: str
    format: str
    entries: tuple[IndexEntry, ...]
    children: tuple[str, ...]
    """Further indexes that it names."""
    size: int
    fetched_at: str


Outcome = Page | Download | SiteIndex | Redirect | RobotsFile | Failure


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL in the frontier with what is known of it before a fetch."""

    key: str
    url: str
    depth: int
    """Links from a seed, along the shortest way known."""
    discovered: int
    """Serial number of discovery: the tie-breaker."""
    sightings: tuple[Link, ...]
    """Links that point to it, oldest first, at most ``frontier.MAX_SIGHTINGS`` of different wording."""
    in_links: int
    """Pages that point to it."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its expected worth."""

    candidate: Candidate
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    """Name and value (each 0..1, before its weight) of what the score is made of."""
    reason: str = ""
    """Why, in words: the best sighting, or the judge's reason."""
    link: Link | None = None
    """The sighting that the score rests on most; None for the first one."""


@dataclass(frozen=True, slots=True)
class Request:
    """One planned fetch."""

    round: int
    """Serial number of the plan, over all runs on one journal, from 0."""
    rank: int
    """Place in its round: outcomes settle in this order."""
    goal: int
    """Serial number of the query it serves; resumed runs of one query share it."""
    kind: Kind
    url: str
    key: str
    depth: int = 0
    referrer: str = ""
    """Key of the page whose link it follows; empty for seeds."""
    anchor: str = ""
    reason: str = ""
    score: float = 0.0
    parts: tuple[tuple[str, float], ...] = ()
    hops: int = 0
    """Redirects followed to get here."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A candidate that was not chosen in a round, for ``--explain``."""

    url: str
    anchor: str
    score: float
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to fetch next, all at once."""

    round: int
    requests: tuple[Request, ...]
    passed_over: tuple[PassedOver, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """How well the pages held answer the query."""

    confidence: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Figures behind it, by their documented names."""
    verdict: StopReason | None = None
    """Why to stop now; None to go on."""
    sufficient: bool = False
    detail: str = ""
    """The verdict in words, with its figures."""
    best: tuple[tuple[str, float], ...] = ()
    """Keys of the pages held that say most of what was asked, and how much of it (0..1), best first."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The end of a crawl, and the figures behind it."""

    reason: StopReason
    detail: str
    figures: Mapping[str, float] = field(default_factory=dict)
    best: tuple[tuple[str, float], ...] = ()
    """``Assessment.best`` at the end."""


class Disposition(StrEnum):
    """What became of a settled request."""

    KEPT = "kept"
    """A page of the tree, counted as knowledge."""
    FOLLOWED = "followed"
    """A page whose links count but which is not saved (noindex)."""
    DUPLICATE = "duplicate"
    """The same content as ``Event.same_as``."""
    DOWNLOADED = "downloaded"
    REDIRECTED = "redirected"
    REFUSED = "refused"
    """Out of scope after all; ``Event.rule`` says by which rule."""
    FAILED = "failed"
    NOTED = "noted"
    """A robots.txt or a site index."""


@dataclass(frozen=True, slots=True)
class Event:
    """What one outcome meant to the core; all that projections and observers get."""

    request: Request
    outcome: Outcome
    disposition: Disposition
    same_as: str = ""
    """Key of the page that a duplicate equals."""
    rule: str = ""
    assessment: Assessment | None = None
    """After a kept page: as things stand now, with ``verdict`` left to the next plan."""
    pages: int = 0
    """Pages kept so far for this query."""
    frontier: int = 0
    """Candidates left."""
    discovered: int = 0
    """Candidates that this outcome added."""
    refused: tuple[tuple[str, int], ...] = ()
    """Links refused, counted by rule, by name."""


class Strategy(Protocol):
    """Which link next, and is it enough? Synchronous and without I/O: that is the whole contract.

    A strategy must be a function of what it was told, in the order it was told: replay gives the same.
    """

    def learn(self, candidate: Candidate, outcome: Outcome) -> None:
        """Take in what a request brought: a kept page as knowledge, anything else as evidence on the link."""

    def assess(self, ranked: Sequence[Scored]) -> Assessment:
        """Judge what is held, given what is still to be had; changes nothing."""

    def rank(self, candidates: Sequence[Candidate]) -> Sequence[Scored]:
        """Score every candidate, in the order given; changes nothing that shows."""
