"""The decision core: what to fetch next (``plan``), and what an outcome means (``settle``).

Pure and synchronous: it takes facts and returns decisions, and knows neither network, disk nor clock.
``plan`` changes nothing, so asking twice gives the same answer; everything that later decisions rest on
enters through ``settle`` and ``close_round``, in plan order, so that replaying a journal restores the core.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from annotated_types import Ge, Gt, Le

from . import urls
from .admission import Admission
from .discovery import Discovery, DiscoveryConfig, links_of
from .due import Due
from .errors import StrategyError
from .frontier import Frontier
from .holdings import Holdings
from .model import (
    Assessment,
    Candidate,
    Disposition,
    Download,
    Event,
    Failure,
    Kind,
    Link,
    Order,
    Outcome,
    Page,
    PassedOver,
    Plan,
    Redirect,
    Request,
    RobotsFile,
    Scored,
    SiteIndex,
    Stop,
    StopReason,
    Strategy,
)
from .reading.softerror import is_soft_error
from .scope import Scope
from .variants import Variants

MAX_URGENT = 32
"""Seeds and redirect targets in one round: they were chosen already, so only memory bounds them."""

PASSED_OVER = 5
"""Alternatives kept for each round: what ``--explain`` shows."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a crawl ends whatever it holds, and how it goes through the frontier."""

    max_pages: Annotated[int, Gt(0)] | None = 20
    """Pages kept for one query; enough for an answer, small enough to read. None: no limit."""
    max_rounds: Annotated[int, Gt(0)] | None = None
    """Rounds of page requests. None: no limit, since a round is only a batch."""
    max_depth: Annotated[int, Ge(0)] | None = None
    """Links from a seed. None: no limit, since the ranking leads, not the distance."""
    round_size: Annotated[int, Gt(0), Le(1000)] = 3
    """Requests planned at once, politeness.concurrency at most: each page read makes choices better."""
    min_gain: Annotated[float, Ge(0), Le(1)] = 0.1
    """The crawl ends when no link in the frontier scores higher than this."""
    min_pages: Annotated[int, Ge(1)] = 2
    """Pages read before the crawl may end by itself: one page is no evidence of agreement."""
    max_seconds: Annotated[float, Gt(0)] | None = None
    """Seconds of activity, over all resumed runs of one query. None: no limit."""
    max_requests: Annotated[int, Gt(0)] | None = None
    """Requests other than robots.txt. None: five for each page of max_pages and 50 more, or no limit."""
    max_bytes: Annotated[int, Gt(0)] | None = None
    """Decoded bytes taken in over the crawl. None: no limit."""
    order: Order = Order.BEST_FIRST
    """best-first visits the highest score; bfs the nearest, dfs the farthest link of a seed."""
    early_stop: bool = True
    """False goes on until a hard limit or an empty frontier, for measuring and for the thorough."""

    @property
    def requests(self) -> int | None:
        """The request limit in force."""
        if self.max_requests is not None or self.max_pages is None:
            return self.max_requests
        return 5 * self.max_pages + 50


class Crawl:
    """One crawl's decisions, from seeds to stop.

    ``goal`` numbers the query that this crawl serves: what earlier goals fetched is knowledge here, and
    counts against no limit. ``robots_agent`` is the product token that robots.txt groups are matched
    with; None ignores robots.txt. ``max_redirects`` bounds a chain of redirects. ``variants`` says which of
    a page's languages and versions are refused; None takes all. ``discovery`` says which site indexes are
    asked for; None asks for none.

    In an update ``held`` are the requests that brought what the tree holds, in the order in which it was
    kept: each is made again, as it was, before anything new is looked for. ``first_round`` is the number of
    the first round.
    """

    def __init__(
        self,
        seeds: Sequence[str],
        strategy: Strategy,
        scope: Scope,
        limits: Limits,
        *,
        goal: int = 0,
        robots_agent: str | None = None,
        max_redirects: int = 10,
        canonicalize: Callable[[str], str] = urls.canonicalize,
        variants: Variants | None = None,
        discovery: DiscoveryConfig | None = None,
        held: Sequence[Request] = (),
        first_round: int = 0,
    ) -> None:
        self._strategy = strategy
        self._limits = limits
        self._goal = goal
        self._max_redirects = max_redirects
        self._canonicalize = canonicalize
        self._frontier = Frontier()
        self._admission = Admission(scope, limits.max_depth, robots_agent, variants)
        self._holdings = Holdings(canonicalize)
        self._discovery = Discovery(discovery) if discovery else None
        self._urgent: dict[str, _Urgent] = {}
        self._due = Due(held, canonicalize)
        self._seed_lost = False
        self._next_round = first_round
        self._pages = self._requests = self._failed = self._bytes = self._rounds = 0
        self._seconds = 0.0
        self._depth = 0
        self._last_settled: Request | None = None
        self._seeds_refused = 0
        self._seed_troubles: list[str] = []
        for seed in seeds:
            key = canonicalize(seed)
            if self._frontier.add(seed, key, 0, ()):
                self._urgent[key] = _Urgent(seed=True, reason="seed")

    @property
    def scope(self) -> Scope:
        """The scope as it stands: seeds that redirected have taken it with them."""
        return self._admission.scope

    @property
    def seconds(self) -> float:
        """Seconds of activity so far, over all runs of this query."""
        return self._seconds

    @property
    def trouble(self) -> str:
        """What kept seeds from giving a page, in words; empty where nothing did."""
        return "; ".join(self._seed_troubles)

    @property
    def seeds_refused(self) -> int:
        """Seeds that a robots.txt forbids."""
        return self._seeds_refused

    # What next?

    def plan(self) -> Plan | Stop:
        """Decide what to fetch next, or to stop and why.

        Raises:
            StrategyError: the strategy raised.
        """
        revisits = self._choose_revisits()
        limit = (None if revisits else self._enough()) or self._budget_spent()
        if limit is not None:
            return self._stop(*limit, self._assess(()))
        indexes = self._indexes_due()
        if indexes:
            return self._planned(indexes)
        if revisits:
            return self._planned(revisits)
        if self._urgent:
            return self._planned(self._choose_urgent(self._urgent)[: self._room()])
        ranked = self._rank()
        assessment = self._assess(ranked)
        end = self._early_end(ranked, assessment)
        if end is not None:
            return self._stop(*end, assessment)
        size = min(self._limits.round_size, self._room())
        passed_over = tuple(_passed_over(s) for s in ranked[size : size + PASSED_OVER])
        return self._planned([self._page_request(scored) for scored in ranked[:size]], passed_over)

    def ranked(self) -> Sequence[Scored]:
        """All candidates in the order in which they would be visited if nothing more were learned."""
        return self._rank()

    def verdict(self, url: str, depth: int) -> str:
        """The rule by which a URL found at so many links from a seed is refused; empty when it is not."""
        return self._admission.refuses(url, self._canonicalize(url), depth)

    def is_held(self, key: str) -> bool:
        """Whether a page is held from before and waits to be revisited."""
        return key in self._due

    def forsaken(self) -> dict[str, str]:
        """Pages held that are not to be fetched any more: key → the rule that refuses them.

        None while it is not known where the seeds lead, nor where a robots.txt could not be had: that a site
        does not answer refuses nothing for good.
        """
        if self._seed_lost or self._seeds_waiting():
            return {}
        refused = self._due.refused(self._refuses_again)
        return {
            key: rule
            for key, rule in refused.items()
            if not (rule == "robots" and self._admission.is_silent(key))
        }

    def interrupted(self) -> Stop:
        """Stop where things stand, because someone said so."""
        revisits = f"{len(self._due)} pages to revisit and " if self._due else ""
        detail = f"{revisits}{len(self._frontier)} links left; --resume goes on from here"
        return self._stop(StopReason.INTERRUPTED, detail, self._assess(()))

    def _enough(self) -> tuple[StopReason, str] | None:
        """The limit that forbids new pages; what is held is revisited all the same."""
        limits = self._limits
        return _reached(
            (StopReason.MAX_PAGES, "max_pages", "pages kept", self._pages, limits.max_pages),
            (StopReason.MAX_ROUNDS, "max_rounds", "rounds done", self._rounds, limits.max_rounds),
        )

    def _budget_spent(self) -> tuple[StopReason, str] | None:
        limits = self._limits
        return _reached(
            (StopReason.BUDGET, "max_requests", "requests made", self._requests, limits.requests),
            (StopReason.BUDGET, "max_bytes", "bytes taken in", self._bytes, limits.max_bytes),
            (StopReason.BUDGET, "max_seconds", "seconds used", int(self._seconds), limits.max_seconds),
        )

    def _choose_revisits(self) -> list[Request]:
        """What goes before all that is new: seeds, since where they lead is the scope, then what is held."""
        if not self._due:
            return []
        seeds = self._seeds_waiting()
        if seeds:
            return self._choose_urgent(seeds)
        room = MAX_URGENT
        if self._limits.requests is not None:
            room = max(0, min(room, self._limits.requests - self._requests))
        return self._due.first(room, self._refuses_again)

    def _seeds_waiting(self) -> dict[str, "_Urgent"]:
        return {key: urgent for key, urgent in self._urgent.items() if urgent.seed}

    def _refuses_again(self, request: Request) -> str:
        rule = self._admission.refuses_again(request)
        return rule or ("robots" if self._admission.forbids(request.url) else "")

    def _room(self) -> int:
        """How many more requests no limit forbids; at least 1 here, or the crawl had stopped."""
        room = MAX_URGENT + self._limits.round_size
        if self._limits.max_pages is not None:
            room = min(room, self._limits.max_pages - self._pages)
        if self._limits.requests is not None:
            room = min(room, self._limits.requests - self._requests)
        return room

    def _choose_urgent(self, urgents: Mapping[str, "_Urgent"]) -> list[Request]:
        waiting = [(self._frontier.get(key), urgent) for key, urgent in urgents.items()]
        chosen = [
            (Scored(candidate, urgent.score, urgent.parts, urgent.reason), urgent.hops)
            for candidate, urgent in waiting
            if candidate is not None
        ]
        return [self._page_request(scored, hops) for scored, hops in chosen[:MAX_URGENT]]

    def _rank(self) -> list[Scored]:
        candidates = self._frontier.candidates()
        with _named(self._strategy, "rank"):
            return sorted(self._strategy.rank(candidates), key=_ORDERS[self._limits.order])

    def _assess(self, ranked: Sequence[Scored]) -> Assessment:
        with _named(self._strategy, "assess"):
            return self._strategy.assess(ranked)

    def _early_end(self, ranked: list[Scored], assessment: Assessment) -> tuple[StopReason, str] | None:
        may_stop = self._limits.early_stop and len(self._holdings) >= self._limits.min_pages
        if assessment.verdict is not None and (may_stop or (self._limits.early_stop and not ranked)):
            return assessment.verdict, assessment.detail
        if not ranked:
            return self._nothing_left()
        best = max(scored.score for scored in ranked)
        if may_stop and best < self._limits.min_gain:
            return (
                StopReason.LOW_GAIN,
                f"the best of {len(ranked)} links left scores {best:.2f}, "
                f"below {self._limits.min_gain:g} (limits.min_gain)",
            )
        return None

    def _nothing_left(self) -> tuple[StopReason, str]:
        if len(self._holdings):
            return StopReason.FRONTIER_EMPTY, "every link in scope was visited"
        return StopReason.NOTHING_FETCHED, self.trouble or "no page could be fetched"

    def _stop(self, reason: StopReason, detail: str, assessment: Assessment) -> Stop:
        return Stop(
            reason,
            detail,
            {
                **assessment.metrics,
                "confidence": assessment.confidence,
                "sufficient": float(assessment.sufficient),
                "pages_crawled": self._pages,
                "pages_held": len(self._holdings),
                "depth_reached": self._depth,
                "rounds": self._rounds,
                "requests": self._requests,
                "failed": self._failed,
                "bytes": self._bytes,
                "frontier": len(self._frontier),
                "seeds_refused_by_robots": self._seeds_refused,
            },
            assessment.best,
        )

    def _indexes_due(self) -> list[Request]:
        """The site indexes to ask for: after the seeds, which declare them, and before what is ranked."""
        if self._urgent or self._discovery is None:
            return []
        return [
            Request(
                *(self._next_round, 0, self._goal, Kind.SITE_INDEX, url, self._canonicalize(url)),
                reason=f"a place for {source}",
            )
            for url, source in self._discovery.next()
            if not self._admission.forbids(url)
        ]

    def _planned(self, requests: Sequence[Request], passed_over: tuple[PassedOver, ...] = ()) -> Plan:
        """A round of requests; or, before it, one that asks for what their hosts forbid."""
        unknown = self._admission.unknown_origins(request.url for request in requests)
        if unknown:
            return Plan(self._next_round, tuple(self._robots_request(n, o) for n, o in enumerate(unknown)))
        numbered = (
            replace(request, round=self._next_round, rank=rank) for rank, request in enumerate(requests)
        )
        return Plan(self._next_round, tuple(numbered), passed_over)

    def _robots_request(self, rank: int, origin: str) -> Request:
        url = origin + "/robots.txt"
        return Request(
            self._next_round, rank, self._goal, Kind.ROBOTS, url, url, reason="asked before the first page"
        )

    def _page_request(self, scored: Scored, hops: int = 0) -> Request:
        """The request for a candidate, its place in the round still open; what is held is asked as before."""
        candidate = scored.candidate
        held = self._due.get(candidate.key)
        if held is not None and not self._refuses_again(held):
            return held
        best = scored.link or (candidate.sightings[0] if candidate.sightings else None)
        return Request(
            self._next_round,
            0,
            self._goal,
            Kind.PAGE,
            candidate.url,
            candidate.key,
            depth=candidate.depth,
            referrer=best.found_on if best else "",
            anchor=best.anchor if best else "",
            reason=scored.reason,
            score=scored.score,
            parts=scored.parts,
            hops=hops,
        )

    # What does it mean?

    def settle(self, request: Request, outcome: Outcome) -> Event:
        """Take in how a request ended, and say what that means.

        Raises:
            StrategyError: the strategy raised.
        """
        self._next_round = max(self._next_round, request.round + 1)
        self._last_settled = request
        if request.goal == self._goal:
            self._count(request, outcome)
        if request.kind is Kind.SITE_INDEX:
            return self._settle_index(request, outcome)
        self._due.settle(request.key)
        urgent = self._urgent.pop(request.key, None)
        candidate = self._frontier.settle(request.key) or _candidate_of(request)
        event = self._settle_fetched(request, outcome, candidate, urgent)
        if urgent is not None and urgent.seed:
            self._note_trouble(event)
        return event

    def _settle_fetched(
        self, request: Request, outcome: Outcome, candidate: Candidate, urgent: "_Urgent | None"
    ) -> Event:
        match outcome:
            case RobotsFile():
                return self._settle_robots(request, outcome)
            case Redirect():
                return self._settle_redirect(request, outcome, candidate, urgent)
            case SiteIndex():
                return self._settle_index(request, outcome)
            case Page():
                return self._settle_page(request, outcome, candidate)
            case Download():
                self._learn(candidate, outcome)
                return self._event(request, outcome, Disposition.DOWNLOADED)
            case Failure():
                self._replace_variant(candidate)
                self._learn(candidate, outcome)
                return self._event(request, outcome, Disposition.FAILED)

    def _count(self, request: Request, outcome: Outcome) -> None:
        self._requests += request.kind is not Kind.ROBOTS
        if isinstance(outcome, Page | Download):
            self._bytes += 0 if outcome.held else outcome.size
        elif isinstance(outcome, SiteIndex | Failure):
            self._bytes += outcome.size
        if isinstance(outcome, Failure) and request.kind is Kind.PAGE:
            self._failed += 1

    def _note_trouble(self, event: Event) -> None:
        """Remember why a seed gave no page."""
        url, outcome = event.request.url, event.outcome
        leads_nowhere = isinstance(outcome, Failure) or (isinstance(outcome, Redirect) and event.rule != "")
        self._seed_lost |= leads_nowhere
        if isinstance(outcome, Failure):
            self._seed_troubles.append(f"{url}: {outcome.detail}")
        elif isinstance(outcome, Redirect) and (event.same_as or event.rule):
            why = f"refused by rule {event.rule}" if event.rule else "which was visited already"
            self._seed_troubles.append(f"{url} redirects to {outcome.target}, {why}")
        elif event.rule:
            self._seed_troubles.append(f"{url}: {event.rule}")

    def close_round(self, round: int, seconds: float) -> None:
        """Take in that a round has ended after so many seconds of activity."""
        self._next_round = max(self._next_round, round + 1)
        last = self._last_settled
        if last is not None and last.round == round and last.goal == self._goal:
            self._rounds += last.kind is Kind.PAGE
            self._seconds += seconds

    def _settle_robots(self, request: Request, outcome: RobotsFile) -> Event:
        self._admission.know(outcome)
        self._due.judge_anew()
        if self._discovery is not None:
            self._discovery.know(outcome)
        forbidden = [c for c in self._frontier.candidates() if self._admission.forbids(c.url)]
        for candidate in forbidden:
            if self._urgent.pop(candidate.key, None) is not None:
                self._seeds_refused += outcome.status != 0
                self._seed_troubles.append(_forbidden(outcome, candidate.url))
        dropped = self._frontier.drop(candidate.key for candidate in forbidden)
        return self._event(
            request, outcome, Disposition.NOTED, refused=(("robots", dropped),) if dropped else ()
        )

    def _settle_index(self, request: Request, outcome: Outcome) -> Event:
        index = outcome if isinstance(outcome, SiteIndex) else None
        if self._discovery is not None:
            self._discovery.settle(request.key, index)
        if index is None:
            return self._event(request, outcome, Disposition.NOTED)
        self._learn(_candidate_of(request), index)
        # A page that only an index names is as near as one on the start page, until a link says otherwise.
        discovered, refused = self._enter(links_of(index, self._canonicalize), depth=1)
        return self._event(request, outcome, Disposition.NOTED, discovered=discovered, refused=refused)

    def _replace_variant(self, candidate: Candidate) -> None:
        """Let another language or version of a page that is not there take its place."""
        for url, key in self._admission.gone(candidate.key)[:1]:
            if not self._frontier.is_settled(key):
                self._frontier.add(url, key, candidate.depth, candidate.sightings)

    def _settle_redirect(
        self, request: Request, outcome: Redirect, candidate: Candidate, urgent: "_Urgent | None"
    ) -> Event:
        seed = urgent is not None and urgent.seed
        self._admission.gone(request.key)
        if self._frontier.is_settled(outcome.target_key):
            return self._event(request, outcome, Disposition.REDIRECTED, same_as=outcome.target_key)
        if request.hops >= self._max_redirects:
            return self._event(request, outcome, Disposition.REFUSED, rule="redirect-limit")
        if seed:
            self._admission.widen(outcome.target, request.key, outcome.target_key)
            self._due.judge_anew()
        rule = "" if seed else self._admission.refuses(outcome.target, outcome.target_key, request.depth)
        if not rule and self._admission.forbids(outcome.target):
            rule = "robots"
            self._seeds_refused += seed
        if rule:
            return self._event(request, outcome, Disposition.REFUSED, rule=rule)
        moved = self._frontier.move(candidate, outcome.target, outcome.target_key)
        hops = request.hops + 1
        self._urgent[moved.key] = _Urgent(seed, request.reason, request.score, request.parts, hops)
        return self._event(request, outcome, Disposition.REDIRECTED)

    def _settle_page(self, request: Request, page: Page, candidate: Candidate) -> Event:
        is_seed = not candidate.sightings and request.depth == 0
        judged = request.goal == self._goal and not is_seed
        rule = self._admission.scope.refuses(page.url, request.depth) if judged else ""
        if rule:
            return self._event(request, page, Disposition.REFUSED, rule=rule)
        if not is_seed and is_soft_error(page, request.anchor):
            self._replace_variant(candidate)
            return self._event(request, page, Disposition.REFUSED, rule="soft-404")
        self._frontier.settle(page.key)
        same_as = self._holdings.same_as(page)
        if same_as:
            self._admission.same(page.key, same_as)
            return self._event(request, page, Disposition.DUPLICATE, same_as=same_as)
        if request.depth == 0:
            self._admission.speaks(page.language)
            if self._discovery is not None:
                self._discovery.start_at(page)
        discovered, refused = self._add_links(page, request.depth)
        if page.noindex or not page.markdown.strip():
            return self._event(
                request,
                page,
                Disposition.FOLLOWED,
                rule="noindex" if page.noindex else "empty",
                discovered=discovered,
                refused=refused,
            )
        self._keep(request, page)
        self._learn(candidate, page)
        return self._event(
            request,
            page,
            Disposition.KEPT,
            assessment=self._assess(()),
            discovered=discovered,
            refused=refused,
        )

    def _keep(self, request: Request, page: Page) -> None:
        self._holdings.hold(page)
        if request.goal == self._goal:
            self._pages += 1
            self._depth = max(self._depth, request.depth)

    def _add_links(self, page: Page, depth: int) -> tuple[int, tuple[tuple[str, int], ...]]:
        self._admission.sight([(page.url, page.key)])
        if page.nofollow:
            refused = {link.key for link in page.links if not self._frontier.is_settled(link.key)}
            return 0, (("nofollow", len(refused)),) if refused else ()
        return self._enter(page.links, depth + 1)

    def _enter(self, links: Sequence[Link], depth: int) -> tuple[int, tuple[tuple[str, int], ...]]:
        """Let links into the frontier: how many URLs were new, and how many were refused by which rule."""
        by_key: dict[str, list[Link]] = {}
        for link in links:
            by_key.setdefault(link.key, []).append(link)
        new = {key for key in by_key if key not in self._frontier and not self._frontier.is_settled(key)}
        self._admission.sight([(same[0].url, key) for key, same in by_key.items() if key in new])
        refused: Counter[str] = Counter()
        discovered = 0
        for key, same in by_key.items():
            if self._frontier.is_settled(key):
                continue
            known = key not in new
            rule = "" if known else self._admission.refuses(same[0].url, key, depth)
            if rule:
                refused[rule] += 1
            elif self._frontier.add(same[0].url, key, depth, same):
                self._admission.admit(key)
                discovered += 1
        return discovered, tuple(sorted(refused.items()))

    def _learn(self, candidate: Candidate, outcome: Outcome) -> None:
        with _named(self._strategy, "learn"):
            self._strategy.learn(candidate, outcome)

    def _event(
        self,
        request: Request,
        outcome: Outcome,
        disposition: Disposition,
        *,
        same_as: str = "",
        rule: str = "",
        assessment: Assessment | None = None,
        discovered: int = 0,
        refused: tuple[tuple[str, int], ...] = (),
    ) -> Event:
        return Event(
            request,
            outcome,
            disposition,
            same_as=same_as,
            rule=rule,
            assessment=assessment,
            pages=self._pages,
            frontier=len(self._frontier),
            discovered=discovered,
            refused=refused,
        )


@dataclass(frozen=True, slots=True)
class _Urgent:
    """A seed or the target of a redirect: it goes before all that is ranked."""

    seed: bool
    reason: str
    score: float = 0.0
    parts: tuple[tuple[str, float], ...] = ()
    hops: int = 0


_Used = tuple[StopReason, str, str, int, float | None]
"""Reason, key of the limit, what is counted, how much of it was used, how much is allowed."""


def _reached(*used: _Used) -> tuple[StopReason, str] | None:
    """The first limit that was reached, in words."""
    for reason, key, what, count, limit in used:
        if limit is not None and count >= limit:
            return reason, f"{count} {what} of {limit:.15g} allowed (limits.{key})"
    return None


_ORDERS = {
    Order.BEST_FIRST: lambda s: (-s.score, s.candidate.depth, s.candidate.discovered),
    Order.BFS: lambda s: (s.candidate.depth, -s.score, s.candidate.discovered),
    Order.DFS: lambda s: (-s.candidate.depth, -s.score, s.candidate.discovered),
}


def _candidate_of(request: Request) -> Candidate:
    """A candidate for a request that the frontier does not know, as after a change of scope or seeds."""
    return Candidate(request.key, request.url, request.depth, 0, (), 0)


def _forbidden(robots: RobotsFile, url: str) -> str:
    if robots.status == 0:
        why = f" ({robots.detail})" if robots.detail else ""
        return f"{robots.url} could not be fetched{why}, so {url} may not be either (RFC 9309, 2.3.1.4)"
    if robots.status >= 500:
        return f"{robots.url} answered {robots.status}, so {url} may not be fetched (RFC 9309, 2.3.1.4)"
    return f"{robots.url} forbids {url}"


def _passed_over(scored: Scored) -> PassedOver:
    sightings = scored.candidate.sightings
    return PassedOver(
        scored.candidate.url, sightings[0].anchor if sightings else "", scored.score, scored.parts
    )


class _named:
    """Name the strategy in whatever it raises: it may be a plug-in, and the core is not to blame."""

    def __init__(self, strategy: Strategy, method: str) -> None:
        self._name = f"{type(strategy).__module__}:{type(strategy).__qualname__}.{method}"

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, StrategyError):
            raise StrategyError(f"strategy {self._name} raised {type(error).__name__}: {error}") from error
