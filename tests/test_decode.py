import codecs

import pytest

from adaptive_crawl.crawler.reading.decode import codec, decode

JAPANESE = "バックアップの保存期間は三十日です。期限を過ぎた複製は自動的に削除されます。表示①②。"
CHINESE = "数据备份的保留期限为三十天，过期的副本会被自动删除。镕基与喆。"
KOREAN = "백업 보존 기간은 삼십 일입니다. 기간이 지난 사본은 자동으로 삭제됩니다."
RUSSIAN = "Срок хранения резервных копий составляет тридцать дней."


def body(text: str, encoding: str, head: str = "", language: str = "") -> bytes:
    return f"<html{language}><head>{head}</head><body><p>{text}</p></body></html>".encode(encoding)


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("gb2312", "gb18030", CHINESE),
        ("shift_jis", "cp932", JAPANESE),
        ("euc-kr", "cp949", KOREAN + " 똠방각하"),
        ("iso-8859-1", "cp1252", "“Naïve” – 5 €"),
        ("us-ascii", "cp1252", "Übung"),
        ("windows-1251", "cp1251", RUSSIAN),
        ("EUC-JP", "euc_jis_2004", "表示①の保存期間"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, encoding: str, text: str) -> None:
    assert text in decode(body(text, encoding), label).text


@pytest.mark.parametrize(
    "head",
    [
        '<meta charset="gb2312">',
        "<META content='text/html; charset=GB2312' http-equiv=Content-Type>",
        "<!-- <meta charset=utf-8> --><meta charset=gbk>",
    ],
)
def test_a_charset_is_found_in_meta_elements_of_any_spelling(head: str) -> None:
    assert CHINESE in decode(body(CHINESE, "gb18030", head)).text


def test_a_charset_is_found_in_an_xml_declaration() -> None:
    xml = b'<?xml version="1.0" encoding="ISO-8859-1"?><html><body>caf\xe9</body></html>'
    assert "café" in decode(xml).text


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_a_byte_order_mark_beats_every_declaration(mark: bytes) -> None:
    encoding = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le"}.get(mark, "utf-16-be")
    text = decode(mark + body(RUSSIAN, encoding, "<meta charset=koi8-r>"), "windows-1251").text
    assert RUSSIAN in text
    assert not text.startswith("\ufeff")


def test_utf_8_is_read_as_such_though_a_server_says_latin_1_of_everything() -> None:
    assert RUSSIAN in decode(body(RUSSIAN, "utf-8"), "iso-8859-1").text
    assert "©" in decode(body("© 2025", "utf-8"), "iso-8859-1").text


def test_a_wrong_header_gives_way_to_a_meta_element_that_fits() -> None:
    assert CHINESE in decode(body(CHINESE, "gb18030", "<meta charset=gbk>"), "utf-8").text


def test_a_short_gbk_text_that_happens_to_be_valid_utf_8_is_what_it_declares() -> None:
    raw = "模".encode("gbk")
    assert raw.decode("utf-8")
    assert decode(raw, "gbk").text == "模"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("cp932", JAPANESE), ("gb18030", CHINESE), ("cp949", KOREAN), ("cp1251", RUSSIAN), ("koi8_r", RUSSIAN)],
)
def test_an_undeclared_encoding_is_guessed(encoding: str, text: str) -> None:
    assert text in decode(body(text * 3, encoding)).text


def test_the_language_of_a_page_helps_to_guess() -> None:
    assert "複製" in decode(body("複製", "cp932", language=' lang="ja"')).text


def test_a_character_cut_off_at_the_end_does_not_change_the_encoding() -> None:
    assert decode(CHINESE.encode()[:-1]).text.startswith(CHINESE[:-1])
    assert decode(CHINESE.encode("gb18030")[:-1], "gbk").text.startswith(CHINESE[:-1])


def test_a_few_broken_bytes_do_not_change_the_encoding() -> None:
    broken = (RUSSIAN * 50).encode() + b"\xff" + (RUSSIAN * 50).encode()
    assert RUSSIAN in decode(broken, "utf-8").text


@pytest.mark.parametrize(
    "label", ["", "none", "x-unknown", "utf-7", "base64", "idna", "rot13", "utf_8_sig\x00"]
)
def test_labels_that_name_no_encoding_of_the_web_are_ignored(label: str) -> None:
    assert codec(label) == ""
    assert "text" in decode(b"<p>text</p>", label).text
