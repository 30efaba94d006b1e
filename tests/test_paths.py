"""The tree's paths: readable, safe on every system, stable, and never two pages in one place."""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.model import Verdict
from adaptive_crawl.crawler.urls import canonicalize
from adaptive_crawl.output.paths import NAME_BYTES, PATH_UNITS, PathPlan, annotated

DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(\..*)?", re.IGNORECASE)


def keys_of(*paths: str, host: str = "https://h.test") -> list[str]:
    return [canonicalize(path if "://" in path else host + path) for path in paths]


def places(*paths: str) -> list[str]:
    """Plan pages in the order given."""
    plan = PathPlan()
    return [str(plan.page(key)) for key in keys_of(*paths)]


def check_portable(paths: Iterable[PurePosixPath]) -> None:
    """Every name can live on Linux, macOS and Windows, and no two fall together there, folders included."""
    spelled: dict[str, str] = {}
    for path in paths:
        assert not path.is_absolute()
        assert len(str(path).encode("utf-16-le")) // 2 <= PATH_UNITS
        for name in path.parts:
            assert not re.search(r'[<>:"\\|?*\x00-\x1f\x7f-\x9f]', name)
            assert DEVICE.fullmatch(name) is None
            assert name[0] not in ".- "
            assert name[-1] not in ". "
            assert len(name.encode()) <= NAME_BYTES
            assert unicodedata.is_normalized("NFC", name)
        assert path.name.casefold() != "index.md"
        for place in [path, *path.parents][:-1]:
            folded = unicodedata.normalize("NFC", str(place)).casefold()
            assert spelled.setdefault(folded, str(place)) == str(place)


def test_paths_follow_the_url() -> None:
    assert places("/", "/guide/install.html", "/guide/api/v1.2", "/a.b/c.php", "/notes.txt", "/x.md") == [
        "home.md",
        "guide/install.md",
        "guide/api/v1.2.md",
        "a.b/c.md",
        "notes.md",
        "x.md",
    ]


def test_a_folders_own_page_lies_beside_it_under_its_name() -> None:
    assert places(
        "/guide/", "/guide/api/", "/en/index.html", "/de/index.php", "/fr/Default.aspx", "/a/b/x"
    ) == [
        "guide.md",
        "guide/api.md",
        "en.md",
        "de.md",
        "fr.md",
        "a/b/x.md",
    ]


def test_the_summarys_name_is_no_pages_name() -> None:
    for place in places(
        "/index", "/INDEX", "/index/", "/index/x", "/a/index", "/a/Index.md", "/i%6Edex.markdown"
    ):
        assert PurePosixPath(place).name.casefold() != "index.md"


def test_page_and_folder_of_one_name_both_live() -> None:
    found = places(
        "/blog", "/blog/", "/blog/post", "/blog.html", "/blog.md", "/blog/post/", "/blog/post/more"
    )
    assert [re.sub("-[0-9a-f]{6}", "-#", place) for place in found] == [
        *(
            "blog.md",
            "blog-#.md",
            "blog/post.md",
            "blog-#.md",
            "blog-#.md",
            "blog/post-#.md",
            "blog/post/more.md",
        ),
    ]
    assert len(set(found)) == 7


def test_a_folder_that_is_called_like_a_file_gives_way_to_it() -> None:
    page, below = places("/blog", "/blog.md/x")
    assert page == "blog.md"
    assert re.fullmatch(r"blog\.md-[0-9a-f]{6}/x\.md", below)


def test_names_that_differ_in_case_alone_are_told_apart() -> None:
    plan = PathPlan()
    found = [
        plan.page(key)
        for key in keys_of(
            "/Readme", "/README", "/readme", "/Docs/A.html", "/docs/a.html", "/docs/A.html", "/DOCS/"
        )
    ]
    check_portable(found)
    assert len(set(found)) == 7


def test_composed_and_decomposed_letters_are_told_apart() -> None:
    first, second = places("/caf\u00e9", "/cafe\u0301")
    assert first == "café.md"
    assert re.fullmatch(r"café-[0-9a-f]{6}\.md", second)


def test_names_in_any_script_are_kept() -> None:
    assert places("/%E6%95%B0%E6%8D%AE/说明.html", "/두/문서", "/Два слова", "/𠮷/") == [
        "数据/说明.md",
        "두/문서.md",
        "Два слова.md",
        "𠮷.md",
    ]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        *(
            ("/con", "_con.md"),
            ("/nul.html", "_nul.md"),
            ("/aux/", "_aux.md"),
            ("/aux/x", "_aux/x.md"),
            ("/COM1.txt", "_COM1.md"),
        ),
        *(
            ("/lpt1/x", "_lpt1/x.md"),
            ("/CONIN$", "_CONIN$.md"),
            ("/com¹", "_com¹.md"),
            ("/con .x", "_con .x.md"),
        ),
        *(("/name.", "name.md"), ("/name%20", "name.md"), ("/%20name", "name.md"), ("/a:b", "a_b.md")),
        *(("/a*b", "a_b.md"), ("/a%7Cb", "a_b.md"), ("/a%3Fb", "a_b.md"), ("/a%22b", "a_b.md")),
        *(("/a%3Cb%3E", "a_b_.md"), ("/.hidden", "_hidden.md"), ("/tab%09x", "tab_x.md"), ("/-rf", "_rf.md")),
        *(("/..%2F..%2Fetc%2Fpasswd", "__.._etc_passwd.md"), ("/a%5C..%5Cb", "a_.._b.md"), ("/%00", "_.md")),
        *(
            ("/.crawl/journal.sqlite3", "_crawl/journal.sqlite3.md"),
            ("/...", "_.md"),
            ("//a//b", "_/a/_/b.md"),
            ("/a//", "a/_.md"),
        ),
        *(("/a%E2%80%AEb", "a_b.md"), ("/a%C2%A0b", "a b.md"), ("/100%25", "100_.md"), ("/c%23", "c_.md")),
        *(("/%CA%FD", "_CA_FD.md"), ("/.html", "_html.md"), ("/%ED%A0%80", "_ED_A0_80.md")),
    ],
)
def test_what_a_system_refuses_is_replaced(path: str, place: str) -> None:
    assert places(path) == [place]


def test_pages_that_differ_in_the_query_are_told_apart() -> None:
    paths = ["/gen?id=13434", "/gen?id=42593", "/gen", "/gen?path=a/b", "/gen?path=a_b", "/?p=1", "/?p=2"]
    found = places(*paths, "/gen.php?id=1&x=../..", "/docs/?q=数据+b")
    assert found[:4] == ["gen_id=13434.md", "gen_id=42593.md", "gen.md", "gen_path=a_b.md"]
    assert re.fullmatch(r"gen_path=a_b-[0-9a-f]{6}\.md", found[4])
    assert found[5:] == ["home_p=1.md", "home_p=2.md", "gen_id=1_x=.._.md", "docs_q=数据 b.md"]


def test_long_names_are_cut_by_bytes_and_told_apart() -> None:
    plan = PathPlan()
    alike = "long-" * 60
    found = [
        plan.page(key)
        for key in keys_of(f"/{alike}a", f"/{alike}b", "/" + "数据" * 60, f"/q?k={alike}", f"/{alike}/x")
    ]
    check_portable(found)
    assert len(set(found)) == 5
    assert str(found[0]).startswith("long-long-")
    assert str(found[2]).startswith("数据数据")


def test_deep_paths_keep_their_beginning_and_their_end() -> None:
    plan = PathPlan()
    deep = "".join(f"/seg{n:02}-" + "x" * 30 for n in range(30))
    found = [
        plan.page(key)
        for key in keys_of(f"{deep}/page", f"{deep}/other", f"{deep}0/page", "/seg00-" + "x" * 30 + "/a")
    ]
    check_portable(found)
    assert str(found[0]).startswith("seg00-")
    assert [path.name for path in found] == ["page.md", "other.md", "page.md", "a.md"]
    assert found[0].parent == found[1].parent != found[2].parent


def test_the_first_host_has_no_folder_and_each_further_one_its_own() -> None:
    found = places(
        "https://h.test/",
        "https://www.h.test/a",
        "http://127.0.0.2:8001/",
        "http://[::1]/x",
        "http://h.test/c",
    )
    assert found == ["home.md", "www.h.test/a.md", "127.0.0.2_8001/home.md", "___1_/x.md", "c.md"]


def test_a_folder_called_like_a_host_is_not_that_host() -> None:
    plan = PathPlan()
    found = [
        plan.page(key) for key in keys_of("/www.h.test/b", "https://www.h.test/b", "/%2F%2Fwww.h.test/b")
    ]
    check_portable(found)
    assert len({path.parent for path in found}) == 3


def test_one_page_has_one_place_however_often_it_is_asked_for() -> None:
    plan = PathPlan()
    keys = keys_of("/a", "/A", "/a.html", "/a/")
    first = [plan.page(key) for key in keys]
    assert [plan.page(key) for key in reversed(keys)] == first[::-1]
    assert first == [PurePosixPath(place) for place in places("/a", "/A", "/a.html", "/a/")]


def test_annotated_text_lies_beside_its_page_and_meets_no_other() -> None:
    assert annotated(PurePosixPath("a/b.c.md")) == PurePosixPath("a/b.c.annotated.md")
    plan = PathPlan()
    found = [
        plan.page(key)
        for key in keys_of("/foo.annotated", "/foo", "/bar", "/bar.annotated", "/BAR.annotated/")
    ]
    check_portable([*found, *map(annotated, found)])
    assert len({*found, *map(annotated, found)}) == 10


def test_a_judge_may_name_folder_and_file() -> None:
    plan = PathPlan()
    key, other, third = keys_of("/p?id=7", "/q", "/professors/x")
    assert str(plan.page(key, Verdict(0.9, "", "professors", "zhang_san.md"))) == "professors/zhang_san.md"
    assert (
        str(plan.page(other, Verdict(0.9, "", "../..//etc/./CON/a/b/c/d", "../passwd")))
        == "etc/_CON/a/b/__passwd.md"
    )
    assert str(plan.page(third)) == "professors/x.md"
    assert str(plan.page(key)) == "professors/zhang_san.md", "the first suggestion stands"


@pytest.mark.parametrize(
    ("path", "media_type", "place"),
    [
        ("/a/report.pdf", "application/pdf", "a/report.pdf"),
        ("/a/report.PDF?dl=1", "application/pdf; q=1", "a/report_dl=1.pdf"),
        ("/get.php?id=3", "application/pdf", "get_id=3.pdf"),
        ("/report.html", "application/pdf", "report.pdf"),
        ("/v1.2", "application/zip", "v1.2.zip"),
        ("/src.tar.gz", "application/x-gzip", "src.tar.gz"),
        ("/photo.jpeg", "image/jpeg", "photo.jpeg"),
        ("/photo.png", "image/jpeg", "photo.png.jpg"),
        ("/data.docx", "application/octet-stream", "data.docx"),
        ("/page.html", "application/octet-stream", "page.bin"),
        ("/notes.md", "application/octet-stream", "notes.bin"),
        ("/desktop.ini", "application/x-unheard-of", "desktop.ini.bin"),
        ("/files/", "application/zip", "files.zip"),
        ("/con.pdf", "application/pdf", "_con.pdf"),
    ],
)
def test_a_download_carries_the_extension_of_its_media_type(path: str, media_type: str, place: str) -> None:
    assert [str(PathPlan().download(key, media_type)) for key in keys_of(path)] == [place]


def test_downloads_and_pages_share_folders_and_meet_nowhere() -> None:
    plan = PathPlan()
    found = [plan.page(key) for key in keys_of("/a.pdf/x", "/d/a")]
    found += [
        plan.download(key, "application/pdf") for key in keys_of("/a.pdf", "/A.pdf", "/d/a.pdf", "/a.PDF?x=1")
    ]
    check_portable(found)
    assert len(set(found)) == 6
    assert plan.download(keys_of("/A.pdf")[0], "text/csv") == found[3]


SEGMENTS = st.one_of(
    st.sampled_from(
        [
            "",
            "a",
            "A",
            "docs",
            "Docs",
            "index",
            "Index.html",
            "a.md",
            "a.annotated",
            "con",
            "CON.md",
            "h2.test",
            ".x",
            "ß",
            "ss",
        ]
    ),
    st.text(max_size=6),
    st.text(st.characters(codec="utf-8"), min_size=60, max_size=130),
    st.text(st.sampled_from('aA. _-:?*"<>|\\/%é\u0301ſ\u200d²¹'), max_size=5),
)
KEYS = st.builds(
    lambda host, folders, query: canonicalize(
        f"http://{host}/" + "/".join(quote(f, safe="", errors="replace") for f in folders) + query
    ),
    st.sampled_from(["h.test", "h.test", "h2.test", "h.test:81"]),
    st.lists(SEGMENTS, max_size=6),
    st.sampled_from(["", "", "?a=1", "?A=1", "?a=%2F"]),
)


@given(st.lists(KEYS, max_size=12, unique=True), st.lists(KEYS, max_size=4, unique=True))
def test_no_two_pages_share_a_place_on_any_system(pages: list[str], files: list[str]) -> None:
    plan = PathPlan()
    found = [plan.page(key) for key in pages]
    twins = [annotated(path) for path in found]
    downloads = [plan.download(key, "application/pdf") for key in files]
    everything = [*found, *twins, *downloads]
    check_portable(everything)
    folded = {unicodedata.normalize("NFC", str(path)).casefold() for path in everything}
    assert len(folded) == len(everything)
    folders = {
        unicodedata.normalize("NFC", str(parent)).casefold() for path in everything for parent in path.parents
    }
    assert not folded & folders, "nothing is a file and a folder at once"
    again = PathPlan()
    assert [again.page(key) for key in pages] == found


@given(
    st.lists(
        st.builds(Verdict, st.just(1.0), st.just(""), st.text(max_size=40), st.text(max_size=200)), max_size=8
    )
)
def test_no_suggestion_leads_out_of_the_tree(verdicts: list[Verdict]) -> None:
    plan = PathPlan()
    check_portable(plan.page(f"http://h.test/{n}", verdict) for n, verdict in enumerate(verdicts))


def test_a_place_given_long_ago_stays_and_others_keep_off_it() -> None:
    plan = PathPlan()
    small, large, large_again, other = keys_of("/readme", "/README", "/ReadMe", "/guide/a")
    plan.reserve(large, PurePosixPath("README-abc123.md"))
    plan.reserve(other, PurePosixPath("Guide-1a2b3c/a.md"))
    assert plan.page(large) == PurePosixPath("README-abc123.md")
    assert plan.page(small) == PurePosixPath("readme.md")
    assert plan.page(large_again) not in (PurePosixPath("readme.md"), PurePosixPath("README.md"))
    plan.reserve(small, PurePosixPath("x.pdf"), is_file=True)
    assert plan.download(small, "application/pdf") == PurePosixPath("x.pdf")


@given(st.lists(st.sampled_from(["/", "/a/", "/a/b", "/A/b", "/a/c", "/b.html", "/B.html", "//x.test/a/d"])))
def test_what_is_planned_after_reserving_all_is_what_would_have_been_planned_without(
    paths: list[str],
) -> None:
    keys = keys_of(*("https:" + path if path.startswith("//") else path for path in dict.fromkeys(paths)))
    planned, reserved = PathPlan(), PathPlan()
    for key in keys:
        reserved.reserve(key, planned.page(key))
    for key in keys_of("/a/new", "/b.html?x=1", "https://x.test/a/new", "https://y.test/"):
        assert reserved.page(key) == planned.page(key)
