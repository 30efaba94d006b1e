"""Which writing a text is in, and how a query finds the way out of pages in another one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.crawler.model import Candidate
from adaptive_crawl.scoring.writing import LEAD, Leads, language_of, writing_of

from .answers import as_page, page

SITE = "https://example.com/"


@pytest.mark.parametrize(
    ("text", "writing"),
    [
        ("How long are backups kept?", "latin"),
        ("Größe und Übung", "latin"),
        ("备份保留多久", "han"),
        ("備份保留多久", "han"),
        ("バックアップの保存期間", "japanese"),
        ("設定する", "japanese"),
        ("백업 보관 기간", "hangul"),
        ("Как долго хранятся копии", "cyrillic"),
        ("Πόσο διαρκεί", "greek"),
        ("النسخ الاحتياطي", "arabic"),
        ("גיבוי", "hebrew"),
        ("सहेजें", "devanagari"),
        ("สำรองข้อมูล", "thai"),
        ("", ""),
        ("42 % → 7", ""),
    ],
)
def test_a_text_has_the_writing_of_its_letters(text: str, writing: str) -> None:
    assert writing_of(text) == writing


def test_names_and_code_in_latin_letters_do_not_make_a_text_latin() -> None:
    assert writing_of("用 kubectl apply 部署应用") == "han"
    assert writing_of("Docker のインストール") == "japanese"
    assert writing_of("The menu has 中文 among its 40 languages, which are all spelt out here.") == "latin"


@given(st.text(), st.text(alphabet="备份保留"))
def test_text_that_is_mostly_of_one_writing_has_it_whatever_else_it_has(few: str, many: str) -> None:
    if len(many) >= 4 * len(few) > 0:
        assert writing_of(few + many) in ("han", "japanese")


def test_only_a_writing_of_one_language_tells_the_language() -> None:
    assert language_of("备份保留多久") == "zh"
    assert language_of("保存期間はどのくらい") == "ja"
    assert language_of("백업") == "ko"
    assert language_of("how long") == language_of("Как долго") == language_of("") == ""


def to(url: str, anchor: str) -> Candidate:
    """A candidate that one link of an English page points to."""
    (link,) = as_page(page("Start", links={url: anchor}), SITE).links
    return Candidate(link.key, link.url, 1, 0, (link,), 1)


@pytest.mark.parametrize(
    ("query", "url", "anchor"),
    [
        ("备份", "/x", "中文"),
        ("备份", "/x", "简体中文"),
        ("备份", "/x", "Chinese"),
        ("备份", "/x", "Simplified Chinese"),
        ("备份", "/x", "ZH"),
        ("备份", "/zh/", ""),
        ("备份", "/zh-cn/start", "Docs"),
        ("备份", "/zh_CN/start", "Docs"),
        ("备份", "/cn/", "Docs"),
        ("备份", "/start?lang=zh", "Docs"),
        ("备份", "https://zh.example.com/", "Docs"),
        ("バックアップ", "/x", "日本語"),
        ("バックアップ", "/ja/", "Docs"),
        ("バックアップ", "/x", "Japanese"),
        ("백업", "/ko/", "Docs"),
        ("백업", "/x", "한국어"),
        ("резервная", "/x", "Русский"),
        ("резервна", "/uk/", "Docs"),
    ],
)
def test_a_link_names_a_language_by_its_words_or_its_address(query: str, url: str, anchor: str) -> None:
    assert Leads(query).speaks(to(url, anchor))


@pytest.mark.parametrize(
    ("query", "url", "anchor"),
    [
        ("备份", "/x", "日本語"),
        ("备份", "/ja/", "Docs"),
        ("备份", "/x", "English"),
        ("备份", "/guides/", "Guides"),
        ("备份", "/x", "Why our team of Chinese engineers moved to Oslo"),
        ("バックアップ", "/zh/", "中文"),
        ("backup", "/x", "Docker"),
        ("backup", "/zh/", "中文"),
        ("42", "/zh/", "中文"),
    ],
)
def test_other_links_do_not(query: str, url: str, anchor: str) -> None:
    assert not Leads(query).speaks(to(url, anchor))


def test_a_link_that_a_later_page_words_in_the_language_is_noticed() -> None:
    leads, plain = Leads("备份"), to("/x", "Docs")
    assert not leads.speaks(plain)
    wording = to("/x", "中文").sightings
    assert leads.speaks(Candidate(plain.key, plain.url, 1, 0, plain.sightings + wording, 2))


def english(number: int = 1) -> Candidate:
    return to(f"/{number}", "Guides")


ENGLISH = as_page(page("Guides", "All about the backups that you keep."), SITE + "1")
CHINESE = as_page(page("指南", "备份保留十四天。"), SITE + "zh/")
JAPANESE = as_page(page("設定", "設定を変更する方法。"), SITE + "ja/")


def test_leads_are_worth_something_only_while_all_that_is_held_is_in_another_writing() -> None:
    leads = Leads("备份")
    assert leads.worth == 0
    leads.learn(english(), ENGLISH)
    assert leads.worth == LEAD
    leads.learn(to("/zh/", "中文"), CHINESE)
    assert leads.worth == 0


def test_a_start_page_in_the_writing_of_the_query_gives_no_leads() -> None:
    leads = Leads("备份")
    leads.learn(to("/zh/", "中文"), CHINESE)
    leads.learn(english(), ENGLISH)
    assert leads.worth == 0


def test_each_lead_that_was_false_takes_from_the_others() -> None:
    leads = Leads("备份")
    leads.learn(english(), ENGLISH)
    leads.learn(to("/cn/", "Computer networks"), ENGLISH)
    assert leads.worth == LEAD / 2
    leads.learn(to("/cn/more", "Networks"), ENGLISH)
    assert leads.worth == LEAD / 3


def test_an_english_query_leads_out_of_chinese_pages() -> None:
    leads = Leads("backup retention")
    leads.learn(to("/", "首页"), CHINESE)
    assert leads.worth == LEAD
    assert leads.speaks(to("/en/", "Docs"))
    assert leads.speaks(to("/x", "English"))


def test_a_query_in_han_characters_alone_may_be_japanese() -> None:
    leads = Leads("設定方法")
    leads.learn(to("/ja/", "日本語"), JAPANESE)
    assert leads.foreign == 0
