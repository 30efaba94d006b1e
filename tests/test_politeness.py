"""When a host may be asked again: facts in, times out, and no waiting."""

import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.fetching.politeness import (
    DOWN_AFTER,
    MAX_SLOW_DOWN,
    HostState,
    Politeness,
    PolitenessConfig,
    host_state,
)

NOW = 1_700_000_000.0
HOST = "mill.example"


def starts(politeness: Politeness, times: int, host: str = HOST, latency: float = 0.1) -> list[float]:
    """When so many requests start that all wait from the beginning, each ending after its latency."""
    now, begun = NOW, list[float]()
    ending: list[float] = []
    while len(begun) < times:
        when = politeness.reserve(host, now)
        if when <= now:
            begun.append(now - NOW)
            ending.append(now + latency)
            continue
        if when == math.inf or (ending and ending[0] <= when):
            now = ending.pop(0)
            politeness.end(host, now)
            politeness.note(host, now, latency=latency, status=200)
        else:
            now = when
    return begun


def test_the_first_request_to_a_host_starts_at_once() -> None:
    assert Politeness(PolitenessConfig()).reserve(HOST, NOW) == NOW


def test_requests_that_ask_at_the_same_moment_share_no_turn() -> None:
    politeness = Politeness(PolitenessConfig(delay=0.5, per_host=8))
    assert [politeness.reserve(HOST, NOW) for _ in range(3)] == [NOW, NOW + 0.5, NOW + 0.5]


def test_starts_keep_the_delay() -> None:
    assert starts(Politeness(PolitenessConfig(delay=0.5)), 4) == pytest.approx([0, 0.5, 1.0, 1.5])


def test_no_delay_is_allowed() -> None:
    assert starts(Politeness(PolitenessConfig(delay=0, per_host=4)), 4) == [0, 0, 0, 0]


def test_no_more_requests_than_allowed_are_under_way_at_one_host() -> None:
    politeness = Politeness(PolitenessConfig(delay=0, per_host=2))
    assert politeness.reserve(HOST, NOW) == politeness.reserve(HOST, NOW) == NOW
    assert politeness.reserve(HOST, NOW) == math.inf
    politeness.end(HOST, NOW)
    assert politeness.reserve(HOST, NOW) == NOW


def test_no_more_requests_than_allowed_are_under_way_in_all() -> None:
    politeness = Politeness(PolitenessConfig(delay=0, per_host=1, concurrency=3))
    hosts = [f"h{n}.example" for n in range(4)]
    assert [politeness.reserve(host, NOW) for host in hosts] == [NOW, NOW, NOW, math.inf]
    assert politeness.is_full
    politeness.end(hosts[1], NOW)
    assert politeness.reserve(hosts[3], NOW) == NOW


def test_hosts_do_not_wait_for_each_other() -> None:
    politeness = Politeness(PolitenessConfig(delay=5))
    assert politeness.reserve("a.example", NOW) == politeness.reserve("b.example", NOW) == NOW


# Crawl-delay


def test_a_crawl_delay_means_one_request_at_a_time_counted_from_the_end_of_the_last() -> None:
    politeness = Politeness(PolitenessConfig(delay=0, per_host=8))
    assert politeness.crawl_delay(HOST, 1.0) == ""
    assert starts(politeness, 3, latency=0.25) == pytest.approx([0, 1.25, 2.5])


def test_the_longer_of_both_delays_counts() -> None:
    politeness = Politeness(PolitenessConfig(delay=2))
    politeness.crawl_delay(HOST, 1.0)
    assert politeness.pace(HOST) == 2


def test_an_immoderate_crawl_delay_is_capped_and_that_is_said() -> None:
    politeness = Politeness(PolitenessConfig(crawl_delay_cap=30))
    note = politeness.crawl_delay(HOST, 3600)
    assert note == (
        "mill.example asks for 3600 s between requests (Crawl-delay); "
        "30 s are kept (politeness.crawl_delay_cap)"
    )
    assert politeness.pace(HOST) == 30


def test_a_crawl_delay_of_one_host_is_not_anothers() -> None:
    politeness = Politeness(PolitenessConfig(delay=0))
    politeness.crawl_delay(HOST, 10)
    assert politeness.pace("other.example") == 0


# Trouble


def test_a_throttled_host_is_left_alone_as_long_as_it_asked() -> None:
    politeness = Politeness(PolitenessConfig(delay=0))
    politeness.note(HOST, NOW, latency=0.1, status=429, wait=20)
    assert politeness.reserve(HOST, NOW) == NOW + 20
    assert politeness.reserve(HOST, NOW + 20) == NOW + 20


@pytest.mark.parametrize("wait", [None, 86400.0])
def test_a_host_that_asks_for_no_time_or_for_days_is_left_alone_for_seconds(wait: float | None) -> None:
    politeness = Politeness(PolitenessConfig(delay=0))
    politeness.note(HOST, NOW, latency=0.1, status=503, wait=wait)
    assert 0.4 < politeness.reserve(HOST, NOW) - NOW < 5


def test_a_throttled_host_is_asked_more_slowly_until_it_has_answered_well_for_a_while() -> None:
    politeness = Politeness(PolitenessConfig(delay=0.5))
    for _ in range(3):
        politeness.note(HOST, NOW, latency=0.1, status=429, wait=1)
    slowed = politeness.pace(HOST)
    assert slowed == pytest.approx(0.5 + 2.0)
    for _ in range(4):
        politeness.note(HOST, NOW, latency=0.1, status=200)
    assert 0.5 < politeness.pace(HOST) < slowed
    for _ in range(20):
        politeness.note(HOST, NOW, latency=0.1, status=200)
    assert politeness.pace(HOST) == 0.5


def test_however_often_a_host_throttles_the_pace_has_an_end() -> None:
    politeness = Politeness(PolitenessConfig(delay=0.5, max_retry_wait=60))
    for _ in range(100):
        politeness.note(HOST, NOW, latency=0.1, status=429, wait=1)
    assert politeness.pace(HOST) <= 0.5 + MAX_SLOW_DOWN
    assert politeness.reserve(HOST, NOW) <= NOW + 60


def test_a_host_in_trouble_is_asked_one_request_at_a_time() -> None:
    politeness = Politeness(PolitenessConfig(delay=0, per_host=4))
    politeness.note(HOST, NOW, latency=None)
    assert politeness.reserve(HOST, NOW) == NOW
    assert politeness.reserve(HOST, NOW) == math.inf


def test_one_bad_page_holds_up_no_other() -> None:
    politeness = Politeness(PolitenessConfig(delay=0))
    for _ in range(10):
        politeness.note(HOST, NOW, latency=0.1, status=500)
    politeness.note(HOST, NOW, latency=None)
    assert politeness.reserve(HOST, NOW) == NOW


def test_troubles_in_a_row_hold_a_host_ever_longer_up_to_the_longest_wait() -> None:
    politeness = Politeness(PolitenessConfig(delay=0, max_retry_wait=60))
    holds = []
    for _ in range(12):
        politeness.note(HOST, NOW, latency=None)
        holds.append(politeness.reserve(HOST, NOW) - NOW)
        if not holds[-1]:
            politeness.end(HOST, NOW)
    assert holds[:2] == [0, 0]
    assert holds[2] < holds[4] < holds[6]
    assert max(holds) == 60


def test_a_host_that_stays_dead_counts_as_down_until_one_request_is_let_through() -> None:
    politeness = Politeness(PolitenessConfig())
    for _ in range(DOWN_AFTER):
        assert not politeness.is_down(HOST, NOW)
        politeness.note(HOST, NOW, latency=None)
    assert politeness.is_down(HOST, NOW)
    assert not politeness.is_down(HOST, NOW + 61)
    politeness.note(HOST, NOW + 61, latency=0.1, status=200)
    assert not politeness.is_down(HOST, NOW + 61)


def test_a_host_whose_latency_rises_is_asked_more_slowly_and_faster_again_when_it_falls() -> None:
    politeness = Politeness(PolitenessConfig(delay=0.5))
    for _ in range(10):
        politeness.note(HOST, NOW, latency=0.2, status=200)
    assert politeness.pace(HOST) == 0.5
    for _ in range(10):
        politeness.note(HOST, NOW, latency=3.0, status=200)
    assert politeness.pace(HOST) > 2
    for _ in range(20):
        politeness.note(HOST, NOW, latency=0.2, status=200)
    assert politeness.pace(HOST) == 0.5


def test_a_host_that_was_always_slow_is_not_taken_for_overloaded() -> None:
    politeness = Politeness(PolitenessConfig(delay=0.5))
    for _ in range(10):
        politeness.note(HOST, NOW, latency=3.0, status=200)
    assert politeness.pace(HOST) == 0.5


def test_milliseconds_more_are_no_sign_of_load() -> None:
    politeness = Politeness(PolitenessConfig(delay=0))
    for latency in [0.001, *[0.02] * 20]:
        politeness.note(HOST, NOW, latency=latency, status=200)
    assert politeness.pace(HOST) == 0


# Beyond the process


def test_a_resumed_run_goes_on_at_the_pace_of_the_one_before() -> None:
    politeness = Politeness(PolitenessConfig(delay=0.5))
    politeness.crawl_delay(HOST, 10)
    politeness.reserve(HOST, NOW)
    politeness.end(HOST, NOW + 1)
    stored = json.dumps({host: state.as_dict() for host, state in politeness.hosts().items()})
    known = {host: host_state(numbers) for host, numbers in json.loads(stored).items()}
    assert known == politeness.hosts()
    assert Politeness(PolitenessConfig(delay=0.5), known).reserve(HOST, NOW + 2) == NOW + 11


@pytest.mark.parametrize("last", [NOW + 1e6, NOW + 3600])
def test_a_clock_set_back_makes_no_host_wait_for_years(last: float) -> None:
    state = HostState(last=last, held_until=last)
    politeness = Politeness(PolitenessConfig(delay=0.5, max_retry_wait=60), {HOST: state})
    assert politeness.reserve(HOST, NOW) <= NOW + 60


@pytest.mark.parametrize("nonsense", [None, "x", -1, float("nan"), float("inf"), 1e300, [], True])
def test_nonsense_in_the_journal_counts_as_unknown(nonsense: object) -> None:
    state = host_state({"last": nonsense, "troubles": nonsense, "unheard-of": 1})
    assert state.last in (0.0, 1.0)
    assert state.troubles in (0, 1)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.floats(0, 3)), min_size=1, max_size=40))
def test_whatever_is_asked_for_delay_and_concurrency_are_kept(asked: list[tuple[str, float]]) -> None:
    config = PolitenessConfig(delay=0.5, per_host=2, concurrency=3)
    politeness = Politeness(config)
    now, begun = NOW, dict[str, list[float]]()
    under_way: list[tuple[float, str]] = []
    for host, length in asked:
        while (when := politeness.reserve(host, now)) > now:
            if when == math.inf or (under_way and min(under_way)[0] <= when):
                ended = min(under_way)
                under_way.remove(ended)
                now = max(now, ended[0])
                politeness.end(ended[1], now)
            else:
                now = when
        begun.setdefault(host, []).append(now)
        under_way.append((now + length, host))
        assert len(under_way) <= 3
        assert sum(1 for _, other in under_way if other == host) <= 2
    for times in begun.values():
        assert all(later - earlier >= 0.5 - 1e-6 for earlier, later in pairwise(times))


def test_a_delay_that_is_no_number_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"politeness\.delay"):
        PolitenessConfig(delay=float("nan"))
