"""Which failures are tried again, when, and when no more."""

import pytest

from adaptive_crawl.crawler.fetching.retry import Again, back_off, decide, wait_asked
from adaptive_crawl.crawler.model import Failure, FailureKind

NOW = 1_700_000_000.0
"""14 November 2023, 22:13:20 GMT."""


def after(
    kind: FailureKind = FailureKind.HTTP,
    status: int = 0,
    attempt: int = 1,
    retry_after: float | None = None,
) -> Again | Failure:
    failure = Failure("https://mill.example/a", kind, "trouble", status=status)
    return decide(
        failure, host="mill.example", attempt=attempt, retries=2, retry_after=retry_after, max_wait=60
    )


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_answers_that_say_not_now_are_asked_for_again(status: int) -> None:
    assert isinstance(after(status=status), Again)


@pytest.mark.parametrize("status", [400, 403, 404, 405, 410, 451, 501, 505, 999])
def test_answers_that_say_no_are_believed(status: int) -> None:
    assert isinstance(after(status=status), Failure)


@pytest.mark.parametrize("kind", [FailureKind.CONNECT, FailureKind.TIMEOUT, FailureKind.INCOMPLETE])
def test_troubles_that_pass_are_tried_again(kind: FailureKind) -> None:
    assert isinstance(after(kind), Again)
    assert isinstance(after(kind, status=200), Again)


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.INVALID_URL,
        FailureKind.ADDRESS,
        FailureKind.DNS,
        FailureKind.TLS,
        FailureKind.AUTH,
        FailureKind.TOO_LARGE,
        FailureKind.MEDIA_TYPE,
        FailureKind.REDIRECT,
        FailureKind.ROBOTS,
        FailureKind.UNREADABLE,
    ],
)
def test_troubles_that_stay_are_not(kind: FailureKind) -> None:
    assert isinstance(after(kind), Failure)


def test_after_so_many_attempts_the_failure_stands_and_counts_them() -> None:
    ended = after(status=500, attempt=3)
    assert isinstance(ended, Failure)
    assert (ended.attempts, ended.kind, ended.detail) == (3, FailureKind.HTTP, "trouble")


def test_a_site_that_asks_for_a_wait_gets_it() -> None:
    assert after(status=429, retry_after=7.0) == Again(7.0)


def test_a_wait_of_nothing_is_still_a_wait() -> None:
    again = after(status=429, retry_after=0.0)
    assert isinstance(again, Again)
    assert again.wait >= 0.5


def test_a_site_that_asks_for_too_long_a_wait_is_told_about() -> None:
    ended = after(status=429, retry_after=86400.0)
    assert isinstance(ended, Failure)
    assert ended.kind is FailureKind.WAIT
    assert ended.detail == (
        "HTTP 429: the site asks to wait 24 hours, longer than politeness.max_retry_wait (60 s)"
    )


def test_waits_double_and_are_spread_by_half_around_that() -> None:
    for attempt, middle in [(1, 1.0), (2, 2.0), (3, 4.0)]:
        waits = [back_off(f"h{n}.example", attempt) for n in range(300)]
        assert all(middle / 2 <= wait < middle * 1.5 for wait in waits)
        assert max(waits) - min(waits) > 0.8 * middle
        assert abs(sum(waits) / len(waits) - middle) < 0.1 * middle


def test_waits_are_the_same_in_each_run() -> None:
    assert back_off("mill.example", 1) == back_off("mill.example", 1) != back_off("mill.example", 2) / 2


def test_no_wait_between_attempts_is_longer_than_allowed() -> None:
    assert back_off("mill.example", 10_000) < float("inf")
    failure = Failure("https://mill.example/a", FailureKind.TIMEOUT, "trouble")
    again = decide(failure, host="mill.example", attempt=50, retries=99, retry_after=None, max_wait=60)
    assert again == Again(60)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("9" * 400, 999999999999999999.0),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60.0),
        ("Tuesday, 14-Nov-23 22:14:20 GMT", 60.0),
        ("Tue, 14 Nov 2023 22:12:20 GMT", None),
        ("-5", None),
        ("7.5", None),
        ("soon", None),
        ("Tue, 99 Nov 2023 99:99:99 GMT", None),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253402300799.0 - NOW),
        ("٧", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_nonsense_is_nothing(
    value: str | None, seconds: float | None
) -> None:
    assert wait_asked(value, NOW) == seconds
