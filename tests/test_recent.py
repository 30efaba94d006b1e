"""Pages held in memory: the last ones, and no more than was allowed."""

from dataclasses import replace

from adaptive_crawl.crawler.model import Page
from adaptive_crawl.output.recent import RecentPages

from .website import Website, page

SITE = Website({"/": page("Mill", "<p>Oats are milled.</p>")})


def a_page(size: int) -> Page:
    return replace(SITE.page("/"), size=size)


def test_the_oldest_give_way() -> None:
    recent = RecentPages(enough=10)
    for key in "abc":
        recent.put(key, a_page(4))
    assert [recent.get(key) is None for key in "abc"] == [True, False, False]


def test_a_newer_page_takes_the_place_of_an_older_one_of_its_key() -> None:
    recent, newer = RecentPages(enough=10), a_page(5)
    for one in (a_page(4), a_page(6), newer):
        recent.put("a", one)
    recent.put("b", a_page(5))
    assert recent.get("a") is newer


def test_a_page_that_is_larger_than_all_that_may_be_held_is_not_held() -> None:
    recent = RecentPages(enough=10)
    recent.put("a", a_page(11))
    assert recent.get("a") is None
