"""The demo site hangs together: every page can be reached, and what it promises is where it says."""

import re
from urllib.parse import urljoin

from .demo_site import ANSWER, CHINESE_ANSWER, demo_site


def test_every_page_can_be_reached_from_the_first_one() -> None:
    site = demo_site()
    reached, todo = {"/"}, ["/"]
    while todo:
        path = todo.pop()
        for href in re.findall(r'<a [^>]*?href="([^"#]+)', site.body(path).decode()):
            target = urljoin(path, href)
            if target in site.answers and target not in reached and target != "/docs/":
                reached.add(target)
                todo.append(target)
    assert reached == set(site.answers) - {"/docs/"}
    assert len(reached) >= 30


def test_only_the_links_meant_to_be_dead_are() -> None:
    site = demo_site()
    dead = set()
    for path in site.answers:
        for href in re.findall(r'href="([^"#]+)', site.body(path).decode()):
            target = urljoin(path, href).partition("?")[0]
            if target.startswith("/") and target not in site.answers:
                dead.add(target)
    assert dead == {"/mirrors.html", "/search", "/static/site.css"}


def test_the_answers_are_on_the_pages_that_the_tests_expect() -> None:
    site = demo_site()
    assert "14 daily" in site.body(ANSWER).decode()
    assert "14 天" in site.body(CHINESE_ANSWER).decode()
