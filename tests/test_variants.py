"""One page in many languages and versions, and pages that only look like it."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.editions import edition_of
from adaptive_crawl.crawler.urls import canonicalize
from adaptive_crawl.crawler.variants import Variants

SITE = "https://example.com"


def variants(*paths: str, seed: str = "/", language: str = "", version: str = "") -> Variants:
    """What is known of a site after links to these paths were seen."""
    made = Variants(language, version, [SITE + seed])
    sight(made, [seed, *paths])
    return made


def sight(made: Variants, paths: Iterable[str]) -> None:
    for path in paths:
        made.sight(canonicalize(SITE + path))


def refused(made: Variants, *paths: str) -> dict[str, str]:
    verdicts = {path: made.refuses(canonicalize(SITE + path)) for path in paths}
    return {path: rule for path, rule in verdicts.items() if rule}


@pytest.mark.parametrize(
    ("path", "free", "language", "version"),
    [
        ("/en/guide", "/guide", "en", ""),
        ("/zh_CN/guide", "/guide", "zh-cn", ""),
        ("/zh-Hant-TW/guide", "/guide", "zh-hant-tw", ""),
        ("/es-419/guide", "/guide", "es-419", ""),
        ("/jp/guide", "/guide", "ja", ""),
        ("/fr", "/", "fr", ""),
        ("/en/v1.2/guide/a", "/guide/a", "en", "1.2"),
        ("/docs/latest/guide", "/docs/guide", "", "latest"),
        ("/docs/11.x/guide", "/docs/guide", "", "11.x"),
        ("/docs/release-1.2/guide", "/docs/guide", "", "1.2"),
        ("/doc/libs/1_84_0/guide", "/doc/libs/guide", "", "1.84.0"),
        ("/docs/5.0.0-rc.1/guide", "/docs/guide", "", "5.0.0-rc.1"),
        ("/3/library/os", "/library/os", "", "3"),
        ("/guide.fr.html", "/guide.html", "fr", ""),
        ("/mod/core.html.en", "/mod/core.html", "en", ""),
        ("/mod/index.html.en", "/mod/", "en", ""),
        ("/guide?lang=pt-BR&x=1", "/guide?x=1", "pt-br", ""),
        ("/guide?version=1.2", "/guide", "", "1.2"),
    ],
)
def test_the_marks_of_language_and_version_are_found(
    path: str, free: str, language: str, version: str
) -> None:
    edition = edition_of(SITE + path)
    assert (edition.free, edition.language.value, edition.version.value) == (SITE + free, language, version)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/library/os",
        "/library/io/",
        "/guide/en",
        "/releases/1.2/",
        "/whatsnew/3.11.html",
        "/RelNotes/1.5.0.1.html",
        "/blog/2.0/announcement",
        "/blog/2024/05/01/",
        "/text/scalc/01/04060106.html",
        "/chapter/1.1/exercises",
        "/api/v1/users",
        "/countries/de/economy",
        "/doc/os.path.html",
        "/js/socket.io.html",
        "/page?lang=python",
        "/page?version=full",
        "/style.css?v=3",
        "/english/guide",
        "/123456/guide",
    ],
)
def test_what_only_looks_like_a_mark_is_none(path: str) -> None:
    key = canonicalize(SITE + path)
    edition = edition_of(key)
    assert (edition.free, edition.language.value, edition.version.value) == (key, "", "")


def test_the_seed_says_which_edition_is_wanted() -> None:
    known = variants("/en/latest/a", "/en/1.2/a", "/fr/latest/a", "/de/latest/", seed="/en/latest/")
    assert refused(known, "/en/latest/a", "/en/1.2/a", "/fr/latest/a", "/de/latest/") == {
        "/en/1.2/a": "version",
        "/fr/latest/a": "language",
        "/de/latest/": "language",
    }


def test_the_user_says_it_louder() -> None:
    known = variants(
        "/en/latest/a", "/en/1.2/a", "/fr/1.2/a", seed="/en/latest/", language="fr", version="v1.2"
    )
    assert refused(known, "/en/latest/a", "/en/1.2/a", "/fr/1.2/a") == {
        "/en/latest/a": "language",
        "/en/1.2/a": "language",
    }


def test_a_language_asked_for_without_its_region_takes_any_region() -> None:
    known = variants("/de-at/a", "/en-us/a", "/a", language="de")
    assert refused(known, "/de-at/a", "/en-us/a", "/a") == {"/en-us/a": "language", "/a": "language"}


def test_a_version_asked_for_takes_its_patches_the_newest_first() -> None:
    known = variants("/3.11.4/a", "/3.11.10/a", "/3.12.1/a", "/latest/a", version="3.11")
    for shared in ("/b", "/c"):
        sight(known, [f"/3.11.4{shared}", f"/3.11.10{shared}"])
    assert refused(known, "/3.11.4/a", "/3.11.10/a", "/3.12.1/a", "/latest/a") == {
        "/3.11.4/a": "version",
        "/3.12.1/a": "version",
        "/latest/a": "version",
    }


def test_a_page_that_exists_in_the_other_edition_alone_is_kept() -> None:
    known = variants("/en/a", "/fr/a", "/fr/only-here", "/1.0/old", seed="/en/")
    assert refused(known, "/fr/only-here", "/1.0/old") == {}


def test_unless_the_site_clearly_has_both() -> None:
    known = variants(*(f"/{language}/{page}" for language in ("en", "fr") for page in "abc"), seed="/en/")
    assert refused(known, "/fr/only-here") == {"/fr/only-here": "language"}
    old = variants(*(f"/{version}/{page}" for version in ("3.12", "2.7") for page in "abc"), seed="/3.12/")
    assert refused(old, "/2.7/only-here", "/3.13/elsewhere") == {"/2.7/only-here": "version"}


def test_pages_without_a_mark_are_the_current_ones() -> None:
    known = variants("/docs/a", "/docs/1.0/a", "/docs/next/a", "/fr/docs/a", "/a", seed="/docs/")
    assert refused(known, "/docs/a", "/docs/1.0/a", "/fr/docs/a") == {
        "/docs/1.0/a": "version",
        "/fr/docs/a": "language",
    }


def test_released_is_better_than_numbered_and_both_than_unreleased() -> None:
    paths = [f"/docs/{version}/{page}" for version in ("nightly", "1.9", "1.10", "stable") for page in "abc"]
    known = variants(*paths)
    assert set(paths) - set(refused(known, *paths)) == {f"/docs/stable/{page}" for page in "abc"}
    known = variants(*paths[:9])
    assert set(paths[:9]) - set(refused(known, *paths[:9])) == {f"/docs/1.10/{page}" for page in "abc"}


def test_bare_numbers_are_versions_only_beside_something_that_is_surely_one() -> None:
    users = [f"/user/{number}/{page}" for number in (15, 16) for page in ("posts", "likes", "about")]
    assert refused(variants(*users), *users) == {}
    manuals = [f"/docs/{version}/{page}" for version in ("15", "16", "current") for page in "abc"]
    known = variants(*manuals, seed="/docs/current/")
    assert set(manuals) - set(refused(known, *manuals)) == {f"/docs/current/{page}" for page in "abc"}
    asked = variants(*manuals, version="15")
    assert set(manuals) - set(refused(asked, *manuals)) == {f"/docs/15/{page}" for page in "abc"}


def test_departments_are_no_languages() -> None:
    university = [
        "/it/contact",
        "/hr/contact",
        "/it/about",
        "/hr/about",
        "/contact",
        "/about",
        "/it/vpn",
        "/hr/pay",
    ]
    more = [f"/it/service-{n}" for n in range(9)]
    known = variants(*university, *more)
    assert refused(known, *university, *more) == {}


def test_a_doubtful_language_counts_once_most_of_its_pages_have_a_twin() -> None:
    known = variants("/it/a", "/a")
    assert refused(known, "/it/a") == {}
    sight(known, ["/it/b", "/b", "/it/c", "/c", "/it/d"])
    assert refused(known, "/it/a", "/it/d") == {"/it/a": "language", "/it/d": "language"}


def test_languages_of_programs_are_no_languages_of_people() -> None:
    pages = [f"/docs/{name}/{page}" for name in ("cs", "java", "go") for page in ("install", "run", "test")]
    plain = [f"/docs/{page}" for page in ("install", "run", "test")]
    assert refused(variants(*pages, *plain), *pages, *plain) == {}


def test_pages_about_releases_are_no_editions() -> None:
    pages = [
        f"/releases/{n}.{m}/{page}" for n in range(3) for m in range(9) for page in ("", "notes", "files")
    ]
    assert refused(variants(*pages, "/releases/"), *pages) == {}
    named = [f"/project/{n}.0/" for n in range(9)]
    assert refused(variants(*named, "/project/"), *named) == {}


def test_between_languages_that_nobody_prefers_nothing_is_refused() -> None:
    teams = [
        f"/teams/{country}/{page}" for country in ("fr", "de", "es") for page in ("squad", "news", "stats")
    ]
    assert refused(variants(*teams), *teams) == {}
    chooser = variants("/en/a", "/fr/a")
    assert refused(chooser, "/en/a", "/fr/a") == {}
    chooser.speaks("en-US")
    assert refused(chooser, "/en/a", "/fr/a") == {"/fr/a": "language"}


def test_seeds_in_two_editions_want_both() -> None:
    known = Variants(seeds=[f"{SITE}/en/", f"{SITE}/fr/"])
    sight(known, ["/en/a", "/fr/a", "/de/a"])
    assert refused(known, "/en/a", "/fr/a", "/de/a") == {"/de/a": "language"}


def test_a_seed_that_redirects_takes_the_preference_with_it() -> None:
    known = variants("/en/a", "/fr/a")
    known.moved(f"{SITE}/", f"{SITE}/fr/")
    assert refused(known, "/en/a", "/fr/a") == {"/en/a": "language"}


def test_a_twin_that_leads_nowhere_gives_its_place_back() -> None:
    known = variants("/en/a", "/fr/a", "/de/a", seed="/en/")
    assert refused(known, "/de/a", "/fr/a") == {"/de/a": "language", "/fr/a": "language"}
    assert known.gone(f"{SITE}/en/a") == (f"{SITE}/fr/a", f"{SITE}/de/a")
    sight(known, ["/en/a"])
    assert refused(known, "/fr/a") == {}


def test_a_page_is_not_refused_for_the_redirect_that_led_to_it() -> None:
    known = variants("/guide", "/en/guide", language="", seed="/")
    assert refused(known, "/en/guide") == {"/en/guide": "language"}
    assert known.gone(f"{SITE}/guide") == (f"{SITE}/en/guide",)


def test_numbers_without_end_cost_no_memory_without_end() -> None:
    known = variants(*(f"/item/{n // 90}.{n}/edit" for n in range(2000)))
    assert refused(known, "/item/1.1/edit") == {}


PATHS = st.lists(
    st.sampled_from(
        ["en", "fr", "it", "docs", "v1.2", "1.3", "latest", "3", "blog", "a", "b.html", "b.fr.html", ""]
    ),
    min_size=1,
    max_size=5,
).map(lambda names: "/" + "/".join(names))


@given(st.lists(PATHS, max_size=30), PATHS)
def test_asking_changes_no_answer_and_the_seed_is_never_refused(paths: list[str], seed: str) -> None:
    known = variants(*paths, seed=seed)
    keys = [canonicalize(SITE + path) for path in paths]
    first = [known.refuses(key) for key in keys]
    assert [known.refuses(key) for key in reversed(keys)] == first[::-1]
    assert known.refuses(canonicalize(SITE + seed)) == ""
