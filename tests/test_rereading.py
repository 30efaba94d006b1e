"""A page read again from the body that the journal holds is the page that a fetch would have brought."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.journaling.journal import Journal
from adaptive_crawl.crawler.journaling.record import Run
from adaptive_crawl.crawler.journaling.rereading import read_again, response_of
from adaptive_crawl.crawler.model import Outcome, Page, Plan, Query
from adaptive_crawl.crawler.reading.reader import Reading, read
from adaptive_crawl.crawler.stopping import Stopping
from adaptive_crawl.scoring.content import ContentConfig, Filter, content_filter

from .facts import request

PARAGRAPH = "Backups are kept for thirty days, and then removed. "
HTML = f"""<html lang="de"><head><meta charset="{{charset}}"><title>Grüße</title></head><body>
<nav><a href="/menu">Menü</a></nav><main><h1>Sicherungen</h1><p>{PARAGRAPH * 6}</p>
<p>Größe: <a href="sub/page">mehr darüber</a></p></main></body></html>"""


def reader(filter: Filter) -> Callable[[Response], Outcome]:
    """A reader with one of the content filters."""
    return partial(read, reading=Reading(content_filter(ContentConfig(filter), "backups")))


def response(charset: str, media_type: str = "text/html", **headers: str) -> Response:
    url = "https://toy.example/docs/backups"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = HTML.format(charset=charset).encode(charset)
    return Response(url, url, 200, media_type, "", named, body, "2026-01-01T00:00:00Z")


ANSWERS = {
    "in UTF-8": response("utf-8"),
    "in another charset": response("iso-8859-1"),
    "with validators": response("utf-8", etag='"1"', last_modified="Thu, 01 Jan 2026 00:00:00 GMT"),
    "not to be indexed": response("utf-8", x_robots_tag="noindex, nofollow"),
    "in plain text": response("utf-8", "text/plain", content_language="de"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=list(ANSWERS))
def test_a_page_read_again_is_the_same(answer: Response) -> None:
    page = reader(Filter.NONE)(answer)
    assert isinstance(page, Page)
    body = answer.body.decode("iso-8859-1" if b"iso-8859-1" in answer.body else "utf-8").encode()
    again = reader(Filter.NONE)(response_of(page, body))
    assert isinstance(again, Page)
    assert replace(again, size=page.size) == page


def test_another_content_filter_reads_every_page_held_again_and_fetches_nothing(tmp_path: Path) -> None:
    answer = response("utf-8")
    filtered, whole = reader(Filter.PRUNING)(answer), reader(Filter.NONE)(answer)
    assert isinstance(whole, Page)
    assert filtered != whole
    run = Run(("https://toy.example/",), Query("backups"), reader="pruning")
    with Journal.create(tmp_path) as journal:
        journal.begin(run)
        journal.plan(Plan(0, tuple(request(0, rank) for rank in range(3))))
        for rank in range(3):
            journal.settle(request(0, rank), Visited(filtered, answer.body))
        journal.begin(replace(run, reader="none"))
        stopping = Stopping()

        def read_one(response: Response) -> Outcome:
            stopping.ask()
            return reader(Filter.NONE)(response)

        assert asyncio.run(read_again(journal, read_one, stopping)) == 1
        assert asyncio.run(read_again(journal, reader(Filter.NONE))) == 2
        assert asyncio.run(read_again(journal, reader(Filter.NONE))) == 0
        assert [past.outcome for past in journal.settled_in(0)] == [whole] * 3
