"""Facts to JSON and back: nothing is lost, nothing else gets in."""

import json
import pickle
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings

from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling import record
from adaptive_crawl.crawler.journaling.record import OUTCOMES, Run, inflate, load, pack, pack_outcome, unpack
from adaptive_crawl.crawler.model import Failure, FailureKind, Outcome, Page, Query, Request, Stop, StopReason

from .facts import BROKEN_TEXTS, outcomes, requests
from .website import Website, page

FAILURE = Failure("https://toy.example/", FailureKind.TIMEOUT, "no answer in 30 s")


@settings(max_examples=200)
@given(outcomes())
def test_an_outcome_comes_back_as_it_was(outcome: Outcome) -> None:
    packed = pack_outcome(outcome)
    assert packed.outcome == outcome
    assert unpack(packed.kind, packed.record) == outcome


@settings(max_examples=200)
@given(outcomes(BROKEN_TEXTS))
def test_lone_surrogates_are_replaced_before_anyone_sees_the_outcome(outcome: Outcome) -> None:
    packed = pack_outcome(outcome)
    assert unpack(packed.kind, packed.record) == packed.outcome
    str(packed.outcome.url).encode()


def test_a_lone_surrogate_becomes_the_replacement_character_and_a_pair_one_character() -> None:
    assert record.without_surrogates("a\ud800b") == "a\ufffdb"
    assert record.without_surrogates("\ud83d\ude00 😀 é") == "😀 😀 é"


@given(requests())
def test_a_request_comes_back_as_it_was(request: Request) -> None:
    assert load(Request, record.dump(request)) == request


def test_a_run_comes_back_as_it_was() -> None:
    stop = Stop(StopReason.BUDGET, "max_bytes", {"pages_crawled": 3, "confidence": 0.5})
    run = Run(
        ("https://toy.example/",), Query("backups", ("copies",)), {"limits": {"max_pages": 3}}, stop=stop
    )
    assert load(Run, record.dump(run)) == run


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_type_of_outcome_has_a_name_of_its_own(name: str) -> None:
    assert sum(kind is OUTCOMES[name] for kind in OUTCOMES.values()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"status": "404"},
        {"status": 1.5},
        {"status": None},
        {"status": True},
        {"kind": "no-such-kind"},
        {"detail": ["a list"]},
        {"url": None},
        {"attempts": {"$type": "int"}},
    ],
)
def test_a_field_of_another_type_is_refused(change: dict[str, object]) -> None:
    fields = {**json.loads(record.dump(FAILURE)), **change}
    with pytest.raises(ValueError, match=next(iter(change))):
        unpack("failure", zlib.compress(json.dumps(fields).encode()))


def test_a_field_that_is_missing_is_refused() -> None:
    fields = json.loads(record.dump(FAILURE))
    del fields["detail"]
    with pytest.raises(ValueError, match="detail"):
        unpack("failure", zlib.compress(json.dumps(fields).encode()))


@pytest.mark.parametrize("junk", [b"", b"null", b"[]", b"{", b"[" * 100_000, b"\xff", pickle.dumps(FAILURE)])
def test_what_is_no_record_is_refused(junk: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        unpack("failure", zlib.compress(junk))


def test_an_outcome_of_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="os-system"):
        unpack("os-system", pack_outcome(FAILURE).record)


def test_a_record_that_inflates_without_end_costs_no_more_than_its_limit() -> None:
    bomb = zlib.compress(b"0" * 10_000_000)
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        inflate(bomb, 1000)


def test_compressed_bytes_that_are_cut_or_followed_by_more_are_refused() -> None:
    whole = zlib.compress(b"text")
    for spoilt in (whole[:-1], whole + b"x", b"x" + whole, b""):
        with pytest.raises(ValueError):  # noqa: PT011
            inflate(spoilt, 1000)


def test_a_body_is_packed_with_its_digest() -> None:
    site = Website({"/": page("Home", "Welcome.")})
    packed = pack(Visited(site.outcome("/"), b"<html>"))
    assert packed.body is not None
    assert inflate(packed.body, packed.body_size) == b"<html>"
    assert len(packed.body_digest) == 64


def test_a_configuration_is_kept_without_its_secrets() -> None:
    config = {
        "fetch": {
            "headers": {"X-Token": "s3cret", "Cookie": "s3cret"},
            "proxy": "http://me:s3cret@proxy:8080",
        },
        "llm": {"api_key": "s3cret", "max_tokens": 100, "base_url": "http://me:s3cret@host/v1"},
        "scope": {"include": ["https://me:s3cret@toy.example/*"]},
        "limits": {"max_pages": None},
    }
    kept = record.without_secrets(config)
    assert "s3cret" not in repr(kept)
    assert kept["fetch"] == {"headers": ["Cookie", "X-Token"], "proxy": "http://proxy:8080"}
    assert kept["llm"] == {"max_tokens": 100, "base_url": "http://host/v1"}
    assert kept["limits"] == config["limits"]


def test_what_was_packed_beside_the_event_loop_is_not_packed_again() -> None:
    site = Website({"/": page("Oats", "Oats are milled.")})
    packed = pack(Visited(site.outcome("/"), b"<html>"))
    assert pack(Visited(packed.outcome, packed=packed)) == packed


def test_another_outcome_in_its_place_keeps_the_body_that_came_with_it() -> None:
    site = Website({"/": page("Oats", "Oats are milled.")})
    packed = pack(Visited(site.outcome("/"), b"<html>"))
    assert isinstance(packed.outcome, Page)
    instead = replace(packed.outcome, title="Rye")
    again = pack(Visited(instead, packed=packed))
    assert unpack(again.kind, again.record) == instead
    assert (again.body, again.body_digest) == (packed.body, packed.body_digest)
