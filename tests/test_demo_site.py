"""The demo site hangs together, and the command finds on it what it is asked for."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from .demo_site import ANSWER, CHINESE_ANSWER, CHINESE_QUERY, QUERY, demo_site


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


def crawl(query: str, start: str, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Run the command on the site; its report, and the paths of the pages that it kept, in plan order: those
    of one round arrive at the server in any order."""
    site = demo_site()
    with site.served() as base_url:
        words = ["--json", "-q", "--exit-zero", "--delay", "0", "-o", str(folder / "tree"), "--query", query]
        done = subprocess.run(
            [sys.executable, "-m", "adaptive_crawl", *words, base_url + start],
            cwd=folder,
            capture_output=True,
            check=True,
        )
    report = json.loads(done.stdout)
    return report, [page["url"].removeprefix(base_url) for page in report["pages"]]


def test_a_question_is_answered_from_few_pages_and_the_crawl_ends_by_itself(tmp_path: Path) -> None:
    report, kept = crawl(QUERY, "/", tmp_path)
    assert report["stopped_reason"] == "confident"
    assert ANSWER in kept
    assert len(kept) <= 10


def test_a_chinese_question_leads_to_the_chinese_answer(tmp_path: Path) -> None:
    report, kept = crawl(CHINESE_QUERY, "/zh/", tmp_path)
    assert kept[1] == CHINESE_ANSWER
    assert report["coverage"] > 0.9


def test_a_chinese_question_finds_its_way_from_the_english_start_page(tmp_path: Path) -> None:
    report, kept = crawl(CHINESE_QUERY, "/", tmp_path)
    assert kept[1] == "/zh/"
    assert CHINESE_ANSWER in kept
    assert report["stopped_reason"] == "confident"


def test_a_question_that_the_site_does_not_answer_ends_early(tmp_path: Path) -> None:
    report, kept = crawl("how to tune a violin", "/", tmp_path)
    assert report["stopped_reason"] == "irrelevant"
    assert len(kept) <= 10
