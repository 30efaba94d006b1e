"""Pages that say "not found" under a 200, and pages that say it because they are about it."""

import pytest

from adaptive_crawl.crawler.model import Page
from adaptive_crawl.crawler.reading.apologies import regrets, says_not_found
from adaptive_crawl.crawler.reading.softerror import (
    answer_to_probe,
    is_soft_error,
    probe_url,
    seems_soft_error,
)
from adaptive_crawl.crawler.urls import canonicalize

SITE = "https://example.com"


def page(path: str, title: str, markdown: str) -> Page:
    return Page(
        url=SITE + path,
        key=canonicalize(SITE + path),
        title=title,
        language="",
        description="",
        markdown=markdown,
        marks=(),
        links=(),
        passages=(),
        digest="",
        size=len(markdown),
        media_type="text/html",
        fetched_at="2024-05-01T00:00:00Z",
    )


START = page(
    "/", "Example", "# Example\n\nWelcome to the documentation of Example, where all of it is explained.\n"
)
PATH = probe_url(SITE + "/docs/guide").removeprefix(SITE)


def apology(path: str, title: str = "Page not found | Example") -> Page:
    text = (
        f"# Page not found\n\nWe have no page called {path}. Search for it, or see the list of all pages.\n"
    )
    return page(path, title, text)


@pytest.mark.parametrize(
    "title",
    [
        "404",
        "Error 404",
        "404 Not Found",
        "HTTP Error 404: Not Found",
        "Error 404 (Not Found)!!1",
        "Page not found · Example Pages",
        "404 - Page Not Found",
        "Page Not Found - Docs - Company",
        "Oops! That page can’t be found.",
        "Sorry, this page isn't available",
        "The page you were looking for doesn't exist (404)",
        "The requested URL was not found",
        "We couldn't find the page you were looking for",
        "This page is no longer available",
        "Seite nicht gefunden - Firma",
        "Page introuvable",
        "页面不存在",
        "抱歉，您访问的页面不存在",
        "404 - 找不到该页面",
        "お探しのページは見つかりませんでした。",
        "페이지를 찾을 수 없습니다",
    ],
)
def test_titles_that_say_not_found(title: str) -> None:
    assert says_not_found(title)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Home",
        "Custom 404 pages",
        "Handling page not found errors",
        "What to do when a page is not found",
        "not-found.js",
        "ModuleNotFoundError",
        "Resource not found exception",
        "Package not found: how to fix it",
        "Room | 404",
        "Page found",
        "Available pages",
        "Peugeot 404",
        "404 Not Found explained",
        "Lost and found",
        "如何自定义页面不存在的提示",
    ],
)
def test_titles_that_say_something_else(title: str) -> None:
    assert not says_not_found(title)


@pytest.mark.parametrize(
    "soft",
    [
        page(
            "/docs/old",
            "Page not found | Example",
            "# Page not found\n\nSorry, we could not find that page.\n",
        ),
        page(
            "/docs/old",
            "404",
            "The page you are looking for may have been moved. [Go home](https://example.com/)\n",
        ),
        page("/docs/old", "Example", "# 404 Not Found\n"),
        page("/docs/old", "Not Found", "Not Found\n"),
        page("/docs/old", "Not Found", ""),
        page(
            "/docs/old", "Oops! That page can't be found", "It looks like nothing was found. Try searching?\n"
        ),
        page(
            "/docs/old",
            "页面不存在",
            "# 页面不存在\n\n抱歉，您访问的页面不存在或已被删除。[返回首页](https://example.com/)\n",
        ),
        page("/docs/old", "Seite nicht gefunden", "Die Seite gibt es leider nicht mehr. Zur Startseite.\n"),
    ],
)
def test_an_evident_error_is_known_by_itself(soft: Page) -> None:
    assert is_soft_error(soft, "Old page")


ABOUT = [
    page(
        "/docs/Web/HTTP/Status/404",
        "404 Not Found - HTTP | MDN",
        "# 404 Not Found\n\nThe HTTP **404 Not Found** response status code indicates that the server cannot "
        "find the requested resource. Links that lead to a 404 page are often called broken or dead links.\n",
    ),
    page(
        "/errors/not-found",
        "404 Not Found",
        "# 404 Not Found\n\nThe page you requested does not exist. Sorry.\n",
    ),
    page("/404.html", "Page not found", "# Page not found\n\nSorry, we could not find that page.\n"),
    page(
        "/faq/17",
        "Page not found",
        "# Page not found\n\nSorry? Set `error_page 404` and reload the server.\n",
    ),
    page("/faq/18", "Page not found", "# Page not found\n\nSorry to hear.\n\n## Cause\n\nA wrong path.\n"),
    page("/faq/19", "404", "# 404\n\nSorry!\n\n    error_page 404 /missing.html;\n"),
    page("/faq/20", "Not Found", "# Not Found\n\n" + "This answer is given when a name is wrong. " * 10),
    page(
        "/faq/21",
        "File not found",
        "# File not found\n\nThe assembler did not see the file named on its command line.\n",
    ),
    page(
        "/api/handlers",
        "Custom 404 pages",
        "# Custom 404 pages\n\nSorry, the page you are looking for: say it better.\n",
    ),
    page("/guide", "Guide", "# Guide\n\nSorry, the page you are looking for does not exist.\n"),
]


@pytest.mark.parametrize("about", ABOUT, ids=lambda about: about.url)
def test_a_page_about_errors_is_none(about: Page) -> None:
    known = answer_to_probe(apology(PATH, "404 Not Found"), START)
    assert not is_soft_error(about)
    assert not is_soft_error(about, known=known)


def test_a_link_that_names_the_error_leads_to_a_page_about_it() -> None:
    named = page("/kb/9", "Page not found", "# Page not found\n\nSorry, we could not find that page.\n")
    assert is_soft_error(named, "Installation")
    assert not is_soft_error(named, "What 404 means")


def test_the_answer_to_a_probe_is_known_again_whatever_url_it_repeats() -> None:
    known = answer_to_probe(apology(PATH, "Example"), START)
    assert is_soft_error(apology("/docs/old-page", "Example"), known=known)
    assert not is_soft_error(apology("/docs/old-page", "Example"))
    assert not is_soft_error(page("/docs/guide", "Example", "# Guide\n\n" + START.markdown), known=known)


def test_what_a_page_says_beyond_the_answer_saves_it() -> None:
    long = "Overview of everything that there is in the shop and on the site as a whole. " * 20
    known = answer_to_probe(page(PATH, "Not Found", f"# Not Found\n\n{long}"), START)
    assert is_soft_error(page("/a/b", "Not Found", f"# Not Found\n\n{long}"), known=known)
    about = "Delete stale entries, then rebuild indexes."
    assert not is_soft_error(page("/a/b", "Not Found", f"# Not Found\n\n{about}\n\n{long}"), known=known)


def test_a_site_that_answers_with_its_start_page_has_no_not_found_page() -> None:
    assert answer_to_probe(page(PATH, "Example", START.markdown), START) is None
    assert answer_to_probe(apology("/"), START, target=START.key) is None


def test_a_page_that_unknown_urls_are_redirected_to_is_the_not_found_page() -> None:
    where = page("/not-here", "Example", "# Hello\n\nNothing of the kind.\n")
    known = answer_to_probe(where, START, target=where.key)
    assert is_soft_error(where, known=known)


def test_a_probe_is_a_neighbour_that_cannot_exist() -> None:
    url = probe_url("https://example.com/docs/guide.html?x=1")
    assert url.startswith("https://example.com/docs/no-such-page-")
    assert url.endswith(".html")
    assert url == probe_url("https://example.com/docs/guide.html?x=1")
    assert probe_url("https://example.com").startswith("https://example.com/no-such-page-")


def test_a_title_that_says_so_is_reason_to_probe() -> None:
    assert seems_soft_error(ABOUT[0])
    assert not seems_soft_error(START)


def test_regret_is_told_from_explanation() -> None:
    assert regrets("The page you're looking for may have been moved")
    assert not regrets("This status means that the server has no such resource.")
