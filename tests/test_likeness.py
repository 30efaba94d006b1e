"""Pages seen twice under two URLs, and different pages that look alike."""

import random
import subprocess
import sys
import tracemalloc
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.reading.likeness import NEAR, SIZE, Likeness, likeness, shingles, sketch

VOCABULARY = [
    f"{first}{second}"
    for first in ("ba", "ke", "li", "no", "su", "tra", "ple", "gri")
    for second in ("r", "nd", "ton", "xi", "ma")
]
ARTICLE_TITLE = "Keeping backups"


def prose(words: int, seed: int = 1) -> str:
    """Some paragraphs of no meaning, the same for the same seed."""
    chance = random.Random(seed)
    chosen = [chance.choice(VOCABULARY) for _ in range(words)]
    return "\n\n".join(" ".join(chosen[n : n + 40]) for n in range(0, words, 40)) + "\n"


def article(stamp: str = "", menu: str = "", words: int = 300) -> str:
    return f"{menu}# {ARTICLE_TITLE}\n\n{stamp}\n\n{prose(words)}"


def menu(*names: str) -> str:
    return "".join(f"* [{name}](https://example.com/{quote(name)})\n" for name in names) + "\n"


def is_near(one: str, other: str, title: str = ARTICLE_TITLE) -> bool:
    held = Likeness()
    held.add("held", sketch(one, title))
    return held.near(sketch(other, title)) == "held"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            article("Last updated: 2024-05-01T10:30:00Z"),
            article("Last updated: 2023-11-12T09:05:59Z"),
            id="time",
        ),
        pytest.param(
            article("On Friday, 3 May 2024, 10:15 AM"),
            article("On Monday, 11 March 2021, 01:07 PM"),
            id="date",
        ),
        pytest.param(article("1,234 views, 56 comments"), article("9,876 views, 7 comments"), id="counters"),
        pytest.param(
            article(menu=menu("home", "docs", "blog")), article(menu=menu("start", "shop")), id="menu"
        ),
        pytest.param(
            article(menu="[Home](/) › [Docs](/docs)\n\n"),
            article(menu="[Docs](/docs) › [Old](/o)\n\n"),
            id="crumbs",
        ),
        pytest.param(article("See [this](/a?sid=1x)."), article("See [this](/b?sid=2y)."), id="targets"),
        pytest.param(
            article(words=2000), article("Hello guest, please log in first.", words=2000), id="greeting"
        ),
        pytest.param(article(), article().replace("\n\n", "\n"), id="line ends"),
    ],
)
def test_a_page_seen_twice_is_recognised(one: str, other: str) -> None:
    assert one != other
    assert is_near(one, other)


def function_page(name: str) -> str:
    """A page of a reference, as a generator writes them: nine tenths template."""
    return f"# {name}()\n\nReturns the {name} of the object.\n\n{prose(240)}\n\n    value = object.{name}()\n"


def test_pages_of_one_template_are_not_one_page() -> None:
    held = Likeness()
    for name in VOCABULARY:
        page = sketch(function_page(name), f"{name}()")
        assert held.near(page) == ""
        held.add(name, page)
    alike = likeness(sketch(function_page("bar"), "bar()"), sketch(function_page("kend"), "kend()"))
    assert alike > 0.9


def test_nor_are_they_where_the_whole_site_has_one_title() -> None:
    one = prose(460)
    words = one.split(" ")
    other = " ".join(
        {100: "illustrations", 200: "figures", 300: "tables"}.get(n, word) for n, word in enumerate(words)
    )
    exact = len(shingles(one) & shingles(other)) / len(shingles(one) | shingles(other))
    assert 0.94 < exact < 0.97 < NEAR
    assert not is_near(one, other, "Documentation")


def test_tables_that_differ_in_their_figures_are_not_one_page() -> None:
    rows = [
        [f"| {VOCABULARY[n % 40]} | {n * factor} | {n + factor} |" for n in range(80)] for factor in (3, 7)
    ]
    assert not is_near("\n".join(rows[0]), "\n".join(rows[1]))


def test_lists_with_one_introduction_are_not_one_page() -> None:
    lists = [
        menu(*(f"entry {n} {VOCABULARY[n % 40]}" for n in range(start, start + 60))) for start in (0, 60)
    ]
    assert not is_near(prose(60) + lists[0], prose(60) + lists[1])


def test_another_heading_is_another_page() -> None:
    assert not is_near(article(), article().replace(ARTICLE_TITLE, "Restoring backups"))


def test_chinese_pages_are_compared_by_character() -> None:
    chance = random.Random(3)
    text = "".join(
        chance.choice("数据库备份与恢复配置服务器网络安全管理用户权限设置说明文档") for _ in range(400)
    )
    assert is_near(f"# 备份\n\n{text}", f"# 备份\n\n更新于 2024 年 5 月 1 日\n\n{text}") is False
    assert is_near(
        f"# 备份\n\n更新于 2023 年 11 月 12 日\n\n{text}", f"# 备份\n\n更新于 2024 年 5 月 1 日\n\n{text}"
    )
    assert not is_near(f"# 备份\n\n{text}", f"# 备份\n\n{text[:200]}{text[:199:-1]}")


def test_a_short_text_has_no_sketch_and_is_near_nothing() -> None:
    held = Likeness()
    held.add("a", sketch("Moved. See the new page.", "Moved"))
    assert sketch("Moved. See the new page.", "Moved") == ()
    assert held.near(()) == ""
    assert likeness((), ()) == 0.0


def test_of_several_the_page_held_first_is_named() -> None:
    held = Likeness()
    for key in ("first", "second"):
        held.add(key, sketch(article("2 views"), ARTICLE_TITLE))
    assert held.near(sketch(article("3 views"), ARTICLE_TITLE)) == "first"


def test_a_sketch_is_the_same_in_every_process() -> None:
    code = f"from adaptive_crawl.crawler.reading.likeness import sketch; print(sketch({article()!r}, 'x'))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert runs == {str(sketch(article(), "x"))}


@pytest.mark.parametrize("changed", [0, 5, 50, 500])
def test_the_estimate_is_close_to_the_likeness_it_estimates(changed: int) -> None:
    one = prose(2500)
    words = one.split(" ")
    other = " ".join(f"changed{n}" if n < changed else word for n, word in enumerate(words))
    exact = len(shingles(one) & shingles(other)) / len(shingles(one) | shingles(other))
    assert likeness(sketch(one), sketch(other)) == pytest.approx(exact, abs=0.05)


def test_thousands_of_pages_take_little_memory_even_with_one_title() -> None:
    chance = random.Random(4)
    tracemalloc.start()
    held = Likeness()
    for n in range(4000):
        lows = sorted(chance.getrandbits(32) for _ in range(SIZE - 1))
        held.add(f"page {n}", (1, 0, *lows))
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken < 4000 * 2000
    assert held.near((1, 0, *range(1, SIZE))) == ""


@given(st.text(max_size=2000), st.text(max_size=50))
def test_any_text_can_be_sketched_and_is_near_itself(text: str, title: str) -> None:
    made = sketch(text, title)
    held = Likeness()
    held.add("a", made)
    assert held.near(sketch(text, title)) == ("a" if made else "")
    assert len(made) <= SIZE + 1


def test_hostile_markdown_takes_no_time() -> None:
    for text in (
        "[" * 200_000,
        "[a](" * 100_000,
        "\n" * 400_000,
        "- " * 200_000,
        "](" * 200_000,
        "[a](b) " * 50_000 + "x",
    ):
        sketch(text)


def test_long_pages_that_differ_in_their_last_part_are_two() -> None:
    start = prose(20_000)
    one, other = (f"{start} {' '.join(f'{name}{n}' for n in range(2000))}" for name in ("alpha", "beta"))
    assert likeness(sketch(one, "T"), sketch(other, "T")) < NEAR
