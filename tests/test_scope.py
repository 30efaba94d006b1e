"""Scope: which links may enter the frontier, and by which rule one was refused."""

from collections.abc import Sequence

import pytest

from adaptive_crawl.crawler import media
from adaptive_crawl.crawler.errors import UsageError
from adaptive_crawl.crawler.scope import LONGEST_URL, Scope, ScopeConfig, Within

DOCS = "https://docs.example.com/guide/"


def refusals(scope: Scope, *urls: str) -> list[str]:
    return [scope.refuses(url) for url in urls]


def scope_of(
    *seeds: str,
    within: Within = "auto",
    allowed: Sequence[str] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    downloads: bool | Sequence[str] = False,
) -> Scope:
    config = ScopeConfig(within, tuple(allowed), tuple(include), tuple(exclude))
    return Scope(config, seeds or (DOCS,), downloads)


# Where


@pytest.mark.parametrize("seed", [DOCS, DOCS + "index.html", DOCS + "index.htm", DOCS + "?x=1"])
def test_a_seed_that_names_a_folder_keeps_the_crawl_below_it(seed: str) -> None:
    scope = scope_of(seed)
    inside = [DOCS, DOCS + "a", DOCS + "a/b.html", "https://docs.example.com/guide", DOCS + "x/../y"]
    assert refusals(scope, *inside) == [""] * len(inside)
    assert (
        refusals(scope, "https://docs.example.com/", DOCS + "../blog/", DOCS[:-1] + "s/") == ["subtree"] * 3
    )
    assert scope.refuses("https://example.com/guide/") == "host"


def test_a_seed_that_names_a_page_keeps_the_crawl_on_its_host() -> None:
    scope = scope_of("https://docs.example.com/guide/intro.html")
    assert refusals(scope, "https://docs.example.com/blog/", "https://docs.example.com/") == ["", ""]
    assert refusals(scope, "https://www.example.com/", "https://docs.example.com:8443/") == ["host", "host"]


def test_http_and_https_of_one_host_are_one_place() -> None:
    assert refusals(scope_of(), "http://docs.example.com/guide/a", "http://docs.example.com:443/guide/a") == [
        "",
        "host",
    ]


def test_lookalikes_of_a_host_stay_outside() -> None:
    outside = [
        "https://evil.example/?u=docs.example.com/guide/",
        "https://evil.example/docs.example.com/guide/",
        "https://docs.example.com@evil.example/guide/",
        "https://docs.example.com.evil.example/guide/",
        "https://evildocs.example.com/guide/",
        "https://evil.example/#https://docs.example.com/guide/",
        "https://evil.example\\@docs.example.com/guide/",
    ]
    assert refusals(scope_of(), *outside) == ["host"] * len(outside)


def test_subtree_takes_the_folder_of_a_page_too() -> None:
    scope = scope_of("https://h.test/guide/intro.html", within="subtree")
    assert refusals(scope, "https://h.test/guide/x", "https://h.test/blog/") == ["", "subtree"]


def test_host_takes_all_of_it_even_from_a_folder() -> None:
    assert scope_of(within="host").refuses("https://docs.example.com/blog/") == ""


def test_domain_takes_the_registered_domain_and_no_neighbour_on_shared_hosting() -> None:
    scope = scope_of(within="domain")
    assert refusals(scope, "https://example.com/", "https://a.b.example.com:8080/x") == ["", ""]
    assert refusals(scope, "https://example.org/", "https://myexample.com/") == ["host", "host"]
    shared = scope_of("https://me.github.io/", within="domain")
    assert refusals(shared, "https://me.github.io/x", "https://you.github.io/x") == ["", "host"]


def test_any_goes_anywhere_but_only_over_http() -> None:
    scope = scope_of(within="any")
    assert refusals(scope, "https://elsewhere.test/", "http://[::1]/x") == ["", ""]
    assert refusals(scope, "ftp://docs.example.com/guide/", "mailto:a@b.test", "") == ["scheme"] * 3


def test_allowed_domains_are_further_hosts() -> None:
    scope = scope_of(allowed=["api.example.com", "*.Example.org", "localhost:8000", "bücher.test"])
    inside = [
        "https://api.example.com/v1",
        "http://api.example.com:8080/",
        "https://a.b.example.org/",
        "http://localhost:8000/x",
        "https://xn--bcher-kva.test/",
        DOCS + "x",
    ]
    assert refusals(scope, *inside) == [""] * len(inside)
    outside = [
        "https://example.org/",
        "http://localhost/",
        "https://myapi.example.com/",
        "https://example.com/",
    ]
    assert refusals(scope, *outside) == ["host"] * len(outside)


def test_a_default_port_written_out_is_the_default_port() -> None:
    scope = scope_of(allowed=["api.example.com:443"])
    assert refusals(scope, "https://api.example.com/", "http://api.example.com/") == ["", "host"]


def test_allowed_domains_bound_a_scope_of_any() -> None:
    scope = scope_of(within="any", allowed=["api.example.com"])
    urls = ["https://api.example.com/", "https://docs.example.com/blog", "https://elsewhere.test/"]
    assert refusals(scope, *urls) == ["", "", "host"]


def test_a_seed_that_redirects_takes_the_scope_with_it() -> None:
    narrow = scope_of("https://example.com/docs/")
    wide = narrow.widen("https://www.example.com/docs/")
    url = "https://www.example.com/docs/a"
    assert (narrow.refuses(url), wide.refuses(url)) == ("host", "")
    assert refusals(wide, "https://example.com/docs/a", "https://www.example.com/blog/") == ["", "subtree"]
    assert narrow.widen("mailto:a@example.com") is narrow


def test_several_seeds_have_a_place_each() -> None:
    scope = scope_of("https://a.test/x/", "https://b.test/y/")
    assert refusals(scope, "https://a.test/x/1", "https://b.test/y/1") == ["", ""]
    assert refusals(scope, "https://a.test/y/1", "https://c.test/x/") == ["subtree", "host"]


# Filters


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("*/api/*", "https://h.test/v1/api/x", "https://h.test/apis/x"),
        ("*.html", "https://h.test/a/b.html", "https://h.test/a/b.html?x=1"),
        ("https://H.test/docs/*", "https://h.test/docs/a/b", "http://h.test/docs/a"),
        ("http*://h.test/docs/*", "http://h.test/docs/a/b", "https://h.test/Docs/a"),
        ("/docs/*", "https://h.test/docs/a?x=1", "https://h.test/x/docs/a"),
        ("/", "https://h.test", "https://h.test/a"),
        ("/v[0-9]/*", "https://h.test/v2/x", "https://h.test/vx/x"),
        ("*/index.html", "https://h.test/a/index.html", "https://h.test/a/"),
        ("*lang=de*", "https://h.test/a?lang=de", "https://h.test/a?lang=en"),
        ("*/数据/*", "https://h.test/%E6%95%B0%E6%8D%AE/x", "https://h.test/%E6%95%B0/x"),
        ("*/two words*", "https://h.test/two%20words.html", "https://h.test/two-words.html"),
        (r"re:/v[0-9]+/", "https://h.test/v12/x", "https://h.test/v/x"),
        (r"re:^https://h\.test/docs(/|$)", "https://h.test/docs/", "https://h.test/docset"),
        (r"re:(?i)\.PHP$", "https://h.test/x.php", "https://h.test/x.php5"),
    ],
)
def test_a_pattern_covers_the_whole_url(pattern: str, fitting: str, other: str) -> None:
    seed = "https://seed.test/"
    excluding = scope_of(seed, within="any", exclude=[pattern])
    including = scope_of(seed, within="any", include=[pattern])
    assert refusals(excluding, fitting, other) == ["exclude", ""]
    assert refusals(including, fitting, other) == ["", "include"]


def test_exclude_wins_over_include_and_a_seed_over_both() -> None:
    scope = scope_of(include=["*/guide/a*"], exclude=["*/guide/*"])
    assert refusals(scope, DOCS, DOCS + "index.html", DOCS + "a", DOCS + "b") == [
        "",
        "",
        "exclude",
        "include",
    ]


def test_depth_is_counted_in_links_from_a_seed() -> None:
    scope = Scope(ScopeConfig(), [DOCS], max_depth=2)
    assert [scope.refuses(DOCS + "a", depth) for depth in (1, 2, 3)] == ["", "", "depth"]


@pytest.mark.parametrize(
    ("key", "value", "way_out"),
    [
        ("include", "", "take it out"),
        ("exclude", "re:", "take it out"),
        ("exclude", "re:(", "correct it"),
        ("exclude", "re:[z-a]", "correct it"),
        ("include", "x" * 1001, "write several patterns"),
        ("include", "docs/*", "'*docs/*'"),
        ("include", "docs.example.com/*", "'https://docs.example.com/*'"),
        ("exclude", "*/a#b", "leave out the #"),
        ("exclude", "*/{a,b}/*", "one pattern for each"),
        ("allowed_domains", "https://docs.example.com/guide/", "'docs.example.com'"),
        ("allowed_domains", "docs.example.com/guide", "'docs.example.com'"),
        ("allowed_domains", "*", "*.example.com"),
        ("allowed_domains", "", "*.example.com"),
        ("allowed_domains", "*.127.0.0.1", "*.example.com"),
        ("allowed_domains", "a b.test", "*.example.com"),
        ("allowed_domains", "h.test:x", "*.example.com"),
        ("drop_parameters", "a=b", "utm_*"),
        ("drop_parameters", "*_id", "utm_*"),
        ("session_parameters", "", "utm_*"),
    ],
)
def test_a_wrong_entry_is_a_usage_error_that_names_key_value_and_way_out(
    key: str, value: str, way_out: str
) -> None:
    with pytest.raises(UsageError) as caught:
        ScopeConfig(**{key: (value,)})  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith(f"scope.{key}: {value[:200]!r} ")
    assert way_out in message
    assert isinstance(caught.value, ValueError)


def test_all_wrong_entries_are_told_at_once() -> None:
    with pytest.raises(UsageError, match=r"(?s)allowed_domains.*\n.*include.*\n.*exclude"):
        ScopeConfig(allowed_domains=("*",), include=("a",), exclude=("re:(",))


def test_drop_parameters_decide_what_is_one_page() -> None:
    config = ScopeConfig(exclude=("*",), drop_parameters=("x",), session_parameters=("y",))
    scope = Scope(config, ["https://h.test/a"])
    assert scope.refuses("https://h.test/a?x=1&y=9f8e7d6c") == ""
    assert scope.refuses("https://h.test/a?utm_source=1") == "exclude"


# Files


@pytest.mark.parametrize(
    "name", ["a.css", "a.min.js", "a.mjs", "f.woff2", "favicon.ico", "A.CSS", "a.css?v=3"]
)
def test_what_pages_are_built_from_is_never_a_document(name: str) -> None:
    assert [scope_of(downloads=d).refuses(DOCS + name) for d in (False, True)] == ["media-type", "media-type"]


@pytest.mark.parametrize(
    "name", ["a.pdf", "a.DOCX", "a.zip", "a.tar.gz", "a.png", "a.mp4", "a.csv", "a.pdf?dl=1"]
)
def test_files_are_refused_unless_downloads_are_wanted(name: str) -> None:
    assert [scope_of(downloads=d).refuses(DOCS + name) for d in (False, True)] == ["media-type", ""]


def test_downloads_can_be_chosen_by_media_type() -> None:
    scope = scope_of(downloads=["application/pdf", "image/*"])
    assert refusals(scope, DOCS + "a.pdf", DOCS + "a.png", DOCS + "a.zip") == ["", "", "media-type"]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "a",
            "a.html",
            "a.php",
            "a.md",
            "a.txt",
            "a.py",
            "v1.2",
            "a.b/",
            "css/",
            "x?file=a.css",
            ".js",
            "a.js/",
        ),
        *("wiki/Node.js", "tags/vue.js", "Next.js", "wiki/File:Map.png", "File:Map.png", "package/chart.js"),
    ],
)
def test_a_page_is_not_taken_for_a_file(name: str) -> None:
    assert scope_of().refuses(DOCS + name) == ""


def test_a_media_type_has_one_extension_under_all_its_names() -> None:
    assert media.extension_of("Image/JPEG; q=1") == media.extension_of("image/jpg") == "jpg"
    assert media.extension_of("application/x-gzip") == "gz"
    assert media.extension_of("application/octet-stream") == ""
    for media_type in set(media.MEDIA_TYPES.values()) - {"application/octet-stream"}:
        assert media.MEDIA_TYPES[media.extension_of(media_type)] == media_type


def test_a_url_that_a_machine_made_up_is_too_long() -> None:
    assert scope_of().refuses(DOCS + "x" * LONGEST_URL) == "too-long"
    assert scope_of(DOCS + "x" * LONGEST_URL).refuses(DOCS + "x" * LONGEST_URL) == ""
