"""When a host may be asked again, from what it answered so far.

Facts come in (a request started, ended well or badly, robots.txt asked for a delay), times come out. Times
are seconds since the epoch, given by the caller: this file reads no clock and waits for nothing. A request's
turn is reserved in the call that grants it, so requests that ask at the same moment never share one.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import inf, isfinite
from typing import Annotated

from annotated_types import Ge, Gt

from .retry import THROTTLING_STATUSES, back_off

SLOW = 0.5
"""Seconds of latency below which a host is quick, whatever it was before: no reason to hold back."""

RISEN = 2.0
"""A host is under load when its latency is so many times what is usual for it."""

RECENT_SHARE = 0.3
"""Weight of the newest latency in the smoothed one: about the last five answers count."""

CALM_SHARE = 0.75
"""What is left of a slow-down after each answer that came well: gone after some ten of them."""

FIRST_SLOW_DOWN = 0.5
"""Seconds added between requests when a host throttles for the first time; doubled each further time."""

MAX_SLOW_DOWN = 30.0
"""Seconds: asked more slowly than that, no host is ever done."""

TROUBLED_STATUSES = THROTTLING_STATUSES | {502, 504}
"""Answers that tell of the host; a 500 tells of its page."""

HELD_AFTER = 3
"""Troubles in a row from which on the host is held: fewer may be the fault of a single page."""

DOWN_AFTER = 12
"""Troubles in a row after which a held host counts as down. With the holds between them, some five minutes:
a restart is waited for, but thousands of pages of a dead host do not cost a time limit each."""


@dataclass(frozen=True, slots=True)
class PolitenessConfig:
    """How hard a host may be asked."""

    delay: Annotated[float, Ge(0)] = 0.5
    """Seconds between the starts of two requests to one host; a site grants more through Crawl-delay."""
    concurrency: Annotated[int, Gt(0)] = 8
    """Requests under way at once, over all hosts."""
    per_host: Annotated[int, Gt(0)] = 2
    """Requests under way at once to one host: a slow page does not hold up the next."""
    robots: bool = True
    """Obey robots.txt; false only for sites of one's own, and noted in the report."""
    crawl_delay_cap: Annotated[float, Ge(0)] = 30.0
    """Longest Crawl-delay obeyed, in seconds: some files ask for hours."""
    max_retry_wait: Annotated[float, Ge(0)] = 60.0
    """Longest wait before another attempt, in seconds; a page that asks for more is reported as failed."""

    def __post_init__(self) -> None:
        for name in ("delay", "crawl_delay_cap", "max_retry_wait"):
            if not isfinite(getattr(self, name)):
                raise ValueError(f"politeness.{name} must be a finite number of seconds")


@dataclass(frozen=True, slots=True)
class HostState:
    """What is known of one host's patience; survives the process in the journal."""

    last: float = 0.0
    """Start of the newest request (its end, where a crawl delay counts); seconds since the epoch."""
    held_until: float = 0.0
    """No request before this time: the host asked for it, or is in trouble."""
    crawl_delay: float = 0.0
    """Seconds, as obeyed."""
    slow_down: float = 0.0
    """Seconds added to the delay because the host throttled."""
    usual_latency: float = 0.0
    """Lowest smoothed latency so far, in seconds; 0 before the first answer."""
    latency: float = 0.0
    """Smoothed latency of the newest answers, in seconds."""
    troubles: int = 0
    """Troubled answers since the last good one."""

    def as_dict(self) -> dict[str, float]:
        """Give the state as plain numbers by name, fit for JSON."""
        return asdict(self)


def host_state(numbers: Mapping[str, object]) -> HostState:
    """Read a state back from plain numbers; what is missing, no number or absurd counts as unknown."""
    known = {f.name: _sane(numbers.get(f.name)) for f in fields(HostState)}
    return HostState(**{**known, "troubles": int(known["troubles"])})  # type: ignore[arg-type]


def _sane(number: object) -> float:
    sane = isinstance(number, int | float) and isfinite(number) and 0 <= number < 1e12
    return float(number) if sane else 0.0  # type: ignore[arg-type]


class Politeness:
    """Every host's state, and the requests under way."""

    def __init__(self, config: PolitenessConfig, hosts: Mapping[str, HostState] | None = None) -> None:
        self.config = config
        self._hosts = dict(hosts or {})
        self._under_way: dict[str, int] = {}
        self._total = 0

    def hosts(self) -> dict[str, HostState]:
        """Give the state of every host asked so far, for the journal; give it back when constructing."""
        return dict(self._hosts)

    def state(self, host: str) -> HostState:
        """Give what is known of a host."""
        return self._hosts.get(host, _UNKNOWN)

    def pace(self, host: str) -> float:
        """Give the seconds to leave between two requests to a host, as things stand."""
        state = self.state(host)
        overload = 0.0
        if state.latency > SLOW and state.latency > RISEN * state.usual_latency:
            overload = min(MAX_SLOW_DOWN, state.latency)
        return max(self.config.delay, state.crawl_delay, overload) + state.slow_down

    def reserve(self, host: str, now: float) -> float:
        """Reserve a turn, or say when to ask again.

        A value not after ``now`` means that the request may start, and that its turn is taken: it must be
        followed by one :meth:`end`. A later one is the earliest time at which a turn can be free; ``inf``
        means not before some request ends.
        """
        if self.is_full or self._under_way.get(host, 0) >= self._at_once(host):
            return inf
        start = self._next_start(host, now)
        if start > now:
            return start
        self._under_way[host] = self._under_way.get(host, 0) + 1
        self._total += 1
        self._change(host, last=now)
        return now

    @property
    def is_full(self) -> bool:
        """Whether as many requests are under way as may be, over all hosts."""
        return self._total >= self.config.concurrency

    def end(self, host: str, now: float) -> None:
        """Note that a request has ended, however it did."""
        self._total -= 1
        left = self._under_way[host] - 1
        if left:
            self._under_way[host] = left
        else:
            del self._under_way[host]
        if self.state(host).crawl_delay:
            self._change(host, last=now)

    def note(
        self, host: str, now: float, *, latency: float | None, status: int = 0, wait: float | None = None
    ) -> None:
        """Note how a request went.

        Args:
            latency: seconds until the answer began; None if none came.
            status: of the answer.
            wait: seconds that the answer asked to wait, if it did.
        """
        if latency is None or status in TROUBLED_STATUSES:
            self._went_badly(host, now)
        else:
            self._went_well(host, latency)
        if status in THROTTLING_STATUSES:
            self._throttled(host, now, wait)

    def _went_well(self, host: str, latency: float) -> None:
        state = self.state(host)
        smoothed = latency if not state.latency else state.latency + RECENT_SHARE * (latency - state.latency)
        slow_down = state.slow_down * CALM_SHARE
        self._change(
            host,
            latency=smoothed,
            usual_latency=min(smoothed, state.usual_latency or smoothed),
            slow_down=slow_down if slow_down > 0.05 else 0.0,
            troubles=0,
        )

    def _went_badly(self, host: str, now: float) -> None:
        troubles = self.state(host).troubles + 1
        self._change(host, troubles=troubles)
        if troubles >= HELD_AFTER:
            self._hold(host, now, back_off(host, troubles - HELD_AFTER + 1))

    def _throttled(self, host: str, now: float, wait: float | None) -> None:
        """Leave the host alone for a while, and ask it more slowly afterwards."""
        state = self.state(host)
        slow_down = min(MAX_SLOW_DOWN, max(FIRST_SLOW_DOWN, 2 * state.slow_down))
        self._change(host, slow_down=slow_down)
        if wait is None or wait > self.config.max_retry_wait:
            # A wait of days is not slept through for one page; the others get another chance soon.
            wait = back_off(host, state.troubles)
        self._hold(host, now, wait)

    def _hold(self, host: str, now: float, wait: float) -> None:
        until = now + min(wait, self.config.max_retry_wait)
        self._change(host, held_until=max(self.state(host).held_until, until))

    def is_down(self, host: str, now: float) -> bool:
        """Tell whether a request is not worth its time: one is let through each time a hold has passed."""
        state = self.state(host)
        return state.troubles >= DOWN_AFTER and now < state.held_until

    def crawl_delay(self, host: str, asked: float) -> str:
        """Take in a Crawl-delay in seconds; where less is obeyed, say so in words, else return ""."""
        obeyed = min(asked, self.config.crawl_delay_cap)
        self._change(host, crawl_delay=obeyed)
        if obeyed == asked:
            return ""
        return (
            f"{host} asks for {asked:g} s between requests (Crawl-delay); "
            f"{obeyed:g} s are kept (politeness.crawl_delay_cap)"
        )

    def _at_once(self, host: str) -> int:
        state = self.state(host)
        return 1 if state.crawl_delay or state.slow_down or state.troubles else self.config.per_host

    def _next_start(self, host: str, now: float) -> float:
        state = self.state(host)
        pace = self.pace(host)
        # A clock set back, or a journal from elsewhere, must not make a host wait for years.
        due = min(state.last + pace, now + pace) if state.last else 0.0
        return max(due, min(state.held_until, now + self.config.max_retry_wait))

    def _change(self, host: str, **changes: float) -> None:
        self._hosts[host] = replace(self.state(host), **changes)  # type: ignore[arg-type]


_UNKNOWN = HostState()
