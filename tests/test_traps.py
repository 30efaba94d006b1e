"""Traps: links that never end are cut off, documentation is not."""

from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

import pytest

from adaptive_crawl.crawler import traps
from adaptive_crawl.crawler.traps import Traps
from adaptive_crawl.crawler.urls import canonicalize

HOST = "https://h.test"


def entering(paths: Iterable[str]) -> Counter[str]:
    """Offer links to one set of traps in order; count how many enter ("") or are refused, by rule."""
    watch = Traps()
    seen: Counter[str] = Counter()
    for path in paths:
        key = canonicalize(HOST + path)
        rule = watch.refuses(key)
        assert watch.refuses(key) == rule, "asking changes nothing"
        if not rule:
            watch.note(key)
        seen[rule] += 1
    return seen


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("trap-repeat", "/a/a/a"),
        ("trap-repeat", "/x/about/contact/about/contact/about/contact/y"),
        ("trap-repeat", "/a/b/c/a/b/c/a/b/c/"),
        ("trap-repeat", "/en/a/en/b/en/c/en/d"),
        ("trap-repeat", "/a////b"),
        ("trap-deep", "/" + "/".join(f"s{n}" for n in range(65))),
        ("trap-parameters", "/q?" + "&".join(f"a{n}=1" for n in range(25))),
        ("trap-parameters", "/q?" + "&".join(f"f[]={n}" for n in range(9))),
        (
            "trap-parameters",
            "/login?next=" + quote("/login?next=" + quote("/login?next=/x", safe=""), safe=""),
        ),
        ("trap-parameters", "/browse?dir=a/b/a/b/a/b"),
    ],
)
def test_a_shape_that_no_author_writes_is_refused_at_once(rule: str, path: str) -> None:
    assert Traps().refuses(canonicalize(HOST + path)) == rule


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/a", "/a/a", "/a/b/a/b", "/a/b/a/c/a/d", "/11/11/11/", "/2011/11/11/a/"),
        "/javadoc/21/docs/api/java.base/java/util/concurrent/locks/package-summary.html",
        "/" + "/".join(f"seg{n:02}-" + "x" * 30 for n in range(30)),
        "/q?" + "&".join(f"a{n}=1" for n in range(12)),
        "/login?next=" + quote("/docs/a/b?x=1", safe=""),
        "/browse?dir=src/main/java/main",
        "/q?a=1&a=2&a=3",
        "/play?code=" + quote("fn f() {} // one // two // three // four"),
        "/q?" + "&" * 9 + "=1",
    ],
)
def test_a_shape_that_authors_do_write_is_not(path: str) -> None:
    assert Traps().refuses(canonicalize(HOST + path)) == ""


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/calendar?month={n}",
            "/calendar?month=-{n}",
            "/calendar?view=month&date={y}-{m}-01",
            "/x?event_date=2024{n}",
        ),
        *(
            "/calendar/{y}/{m}/",
            "/events/month/{y}-{m}",
            "/kalender/{y}/{m}/17",
            "/x?tribe-bar-date={y}-{m}-01",
        ),
    ],
)
def test_a_calendar_may_show_some_months_and_no_more(path: str) -> None:
    months = (path.format(n=n, y=2000 + n // 12, m=n % 12 + 1) for n in range(1, 1000))
    entered = entering(months)
    assert entered == {"": traps.CALENDAR_BUDGET, "trap-calendar": 999 - traps.CALENDAR_BUDGET}


def test_the_archive_of_a_blog_is_longer_than_a_calendar_and_ends_too() -> None:
    assert (
        entering(f"/blog/{1900 + n // 12}/{n % 12 + 1:02}/" for n in range(1000))[""] == traps.ARCHIVE_BUDGET
    )


def test_what_has_a_date_and_a_name_is_an_article() -> None:
    assert entering(f"/events/{2000 + n // 12}/{n % 12 + 1}/talk-{n}" for n in range(1000)) == {"": 1000}


def test_a_date_beside_a_title_is_no_calendar() -> None:
    title = "A review of the treatments that were tried"
    assert entering(f"/lookup?title={title} {n}&year=19{n % 100}" for n in range(500)) == {"": 500}


def test_each_calendar_has_its_own_budget() -> None:
    watch = Traps()
    for month in range(traps.CALENDAR_BUDGET):
        watch.note(f"{HOST}/calendar?month={month}")
    assert watch.refuses(f"{HOST}/calendar?month=99") == "trap-calendar"
    assert watch.refuses("https://other.test/calendar?month=99") == ""
    assert watch.refuses(f"{HOST}/rooms/calendar?month=99") == ""


@pytest.mark.parametrize(
    "path", ["/list?page={n}", "/list?start={n}0&tag=x", "/tags/x/page/{n}/", "/page-{n}"]
)
def test_a_list_may_have_many_pages_but_not_endlessly(path: str) -> None:
    entered = entering(path.format(n=n) for n in range(1, 1000))
    assert entered == {"": traps.PAGING_BUDGET, "trap-paging": 999 - traps.PAGING_BUDGET}


def test_every_topic_of_a_forum_may_have_pages() -> None:
    assert entering(f"/topic?t={t}&start={s}0" for t in range(300) for s in range(3)) == {"": 900}


def test_a_faceted_search_is_cut_off_once_it_shows() -> None:
    facets = ("brand", "color", "size", "price", "rating")
    links = [
        "/shop?"
        + "&".join(f"{name}={n >> 3 * place & 7}" for place, name in enumerate(facets) if n >> 3 * place & 7)
        for n in range(1, 3000)
    ]
    entered = entering(links)
    assert entered[""] < 2 * traps.FACET_BUDGET
    assert entered["trap-facets"] == 2999 - entered[""]


def test_several_parameters_are_no_facets_while_one_of_them_names_the_page() -> None:
    views = ("", "&view=print", "&view=unread", "&start=20")
    assert entering(f"/topic?f={t % 7}&t={t}{view}" for t in range(800) for view in views) == {"": 3200}


def test_filters_that_pile_up_under_one_name_are_a_faceted_search() -> None:
    entered = entering(f"/shop?f[]={a}&f[]={b}" for a in range(40) for b in range(40))
    assert entered == {"": traps.FACET_BUDGET, "trap-facets": 1600 - traps.FACET_BUDGET}


@pytest.mark.parametrize("order", ["sort={n}", "orderby=c{n}&x=1"])
def test_a_list_in_another_order_is_soon_enough_seen(order: str) -> None:
    entered = entering("/list?" + order.format(n=n) for n in range(100))
    assert entered == {"": traps.SORT_BUDGET, "trap-facets": 100 - traps.SORT_BUDGET}


def test_every_list_may_be_sorted() -> None:
    assert entering(f"/search?q=word{n}&sort={order}" for n in range(300) for order in ("new", "top")) == {
        "": 600
    }


def test_orders_of_a_folder_listing_are_told_from_a_parameter_c() -> None:
    listing = [
        f"/pub/{folder}/?C={column};O={way}" for folder in range(3) for column in "NMSD" for way in "AD"
    ]
    assert entering(listing) == {"": 24}
    assert entering(f"/course?c={n}" for n in range(500)) == {"": 500}


def test_deep_paths_are_few() -> None:
    deep = "/" + "/".join(f"d{n}" for n in range(traps.DEEP_SEGMENTS))
    entered = entering(f"{deep}/{n}" for n in range(500))
    assert entered == {"": traps.DEEP_BUDGET, "trap-deep": 500 - traps.DEEP_BUDGET}


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/library/module{n}.html",
            "/functions-{n}.html",
            "/api/v{n}/users",
            "/?p={n}",
            "/viewtopic.php?f=2&t={n}",
        ),
        *("/index.php?title=Page_{n}", "/wiki/Page_{n}", "/releases/2024-{n}", "/item?id={n}", "/rfc{n}.txt"),
        *("/q?update={n}", "/q?validate={n}", "/{n}/{n}/{n}/x"),
    ],
)
def test_a_large_site_is_no_trap(path: str) -> None:
    assert entering(path.format(n=n) for n in range(3000)) == {"": 3000}
