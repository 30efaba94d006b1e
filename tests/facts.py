"""Facts of a crawl for tests: made by hand, and drawn by hypothesis in every shape the types allow."""

from typing import TypeVar

from hypothesis import strategies as st

from adaptive_crawl.crawler.model import (
    Download,
    Failure,
    FailureKind,
    Kind,
    Link,
    Mark,
    Outcome,
    Page,
    Passage,
    PassedOver,
    Plan,
    Redirect,
    Request,
    RobotsFile,
    Verdict,
)

T = TypeVar("T")

FINITE = st.floats(allow_nan=False)
TEXTS = st.text(max_size=20)
"""Without surrogates: what a record gives back as it was."""
BROKEN_TEXTS = st.text(st.characters(codec=None), max_size=20)
"""With lone surrogates."""


def outcomes(texts: st.SearchStrategy[str] = TEXTS) -> st.SearchStrategy[Outcome]:
    """Outcomes of every type."""
    numbers = st.integers(0, 10**12)
    links = st.builds(
        Link,
        *[texts] * 4,
        heading=_tuples(texts),
        found_on=texts,
        ref=texts,
        boilerplate=st.booleans(),
        nofollow=st.booleans(),
        verdict=st.none() | st.builds(Verdict, FINITE, texts, texts, texts),
    )
    pages = st.builds(
        Page,
        *[texts] * 6,
        marks=_tuples(st.builds(Mark, numbers, texts)),
        links=_tuples(links),
        passages=_tuples(st.builds(Passage, _tuples(texts), texts)),
        digest=texts,
        size=numbers,
        media_type=texts,
        fetched_at=texts,
        etag=texts,
        canonical=texts,
        noindex=st.booleans(),
        nofollow=st.booleans(),
        summary=texts,
    )
    return st.one_of(
        pages,
        st.builds(Download, texts, texts, texts, numbers, texts, texts, texts, texts),
        st.builds(Redirect, texts, texts, texts, st.booleans(), texts),
        st.builds(RobotsFile, texts, st.integers(0, 599), texts, texts),
        st.builds(Failure, texts, st.sampled_from(FailureKind), texts, st.integers(0, 599), numbers, numbers),
    )


def requests(round: int = 0) -> st.SearchStrategy[Request]:
    """Requests of one round; give each its own rank."""
    small = st.integers(0, 1000)
    return st.builds(
        Request,
        round=st.just(round),
        rank=small,
        goal=small,
        kind=st.sampled_from(Kind),
        url=TEXTS,
        key=TEXTS,
        depth=small,
        referrer=TEXTS,
        anchor=TEXTS,
        reason=TEXTS,
        score=FINITE,
        parts=_tuples(st.tuples(TEXTS, FINITE)),
        hops=small,
    )


def plans(round: int = 0) -> st.SearchStrategy[Plan]:
    """Plans of one round."""
    several = st.lists(requests(round), min_size=1, max_size=5, unique_by=lambda request: request.rank)
    passed_over = st.builds(PassedOver, TEXTS, TEXTS, FINITE, _tuples(st.tuples(TEXTS, FINITE)))
    return st.builds(
        Plan,
        st.just(round),
        several.map(lambda found: tuple(sorted(found, key=lambda request: request.rank))),
        _tuples(passed_over),
    )


def request(round: int, rank: int, path: str = "", goal: int = 0, kind: Kind = Kind.PAGE) -> Request:
    """A request for a path of the toy site; by default one of its own."""
    url = f"https://toy.example{path or f'/{round}/{rank}'}"
    return Request(round, rank, goal, kind, url, url)


def plan(round: int, size: int, goal: int = 0) -> Plan:
    """A plan of so many requests."""
    return Plan(round, tuple(request(round, rank, goal=goal) for rank in range(size)))


def _tuples(items: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(items, max_size=3).map(tuple)
