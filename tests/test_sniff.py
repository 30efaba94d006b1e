import pytest

from adaptive_crawl.crawler.reading.sniff import Body, sniff

from .reading import answer

HTML = "<!doctype html><title>T</title><p>text"


@pytest.mark.parametrize(
    "media_type",
    ["text/html", "", "application/octet-stream", "text/plain", "application/xhtml+xml", "text/css"],
)
def test_html_is_a_page_under_any_type_or_none(media_type: str) -> None:
    assert sniff(answer(HTML, media_type))[0] is Body.HTML


@pytest.mark.parametrize(
    ("start", "found"),
    [
        (b"%PDF-1.7\n", "application/pdf"),
        (b"\n%PDF-1.4", "application/pdf"),
        (b"PK\x03\x04word/", "application/zip"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (b"GIF89a", "image/gif"),
    ],
)
@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "", "text/markdown"])
def test_files_are_told_by_their_bytes_whatever_the_header_says(
    start: bytes, found: str, media_type: str
) -> None:
    assert sniff(answer(start + b" more", media_type)) == (Body.OTHER, found)


def test_an_office_document_keeps_its_declared_type() -> None:
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert sniff(answer(b"PK\x03\x04rest", word)) == (Body.OTHER, word)


def test_nul_bytes_are_binary_but_for_utf_16() -> None:
    assert sniff(answer(b"abc\x00def", "text/html"))[0] is Body.OTHER
    assert sniff(answer("\ufeff<html>x".encode("utf-16-le"), "text/html"))[0] is Body.HTML
    assert sniff(answer("<html>x".encode("utf-16-le"), "text/html", "utf-16le"))[0] is Body.HTML


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ('{"a": 1}', "application/json"),
        ('{"a": 1}', ""),
        ("<?xml version='1.0'?><rss version='2.0'></rss>", "text/html"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'></feed>", "application/atom+xml"),
        ("<svg xmlns='http://www.w3.org/2000/svg'></svg>", "image/svg+xml"),
        ("a{color:red}", "text/css"),
        ("a,b\n1,2", "text/csv"),
        ("let a = 1", "text/javascript"),
    ],
)
def test_data_feeds_and_assets_are_no_pages(body: str, media_type: str) -> None:
    assert sniff(answer(body, media_type))[0] is Body.OTHER


def test_xml_is_a_page_if_it_is_html() -> None:
    xhtml = '<?xml version="1.0"?><!-- c --><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'
    assert sniff(answer(xhtml, "application/xml"))[0] is Body.HTML
    assert sniff(answer("<doc><title>x</title></doc>", "text/xml"))[0] is Body.OTHER


@pytest.mark.parametrize(
    ("url", "media_type", "body", "expected"),
    [
        ("https://e.org/a.txt", "text/plain", "words", Body.TEXT),
        ("https://e.org/a.txt", "text/plain", "<html> is how pages begin", Body.TEXT),
        ("https://e.org/a.md", "text/plain", "# words", Body.MARKDOWN),
        ("https://e.org/a", "text/markdown", "# words", Body.MARKDOWN),
        ("https://e.org/a.md", "application/octet-stream", "# words", Body.MARKDOWN),
        ("https://e.org/README", "", "words", Body.TEXT),
    ],
)
def test_plain_text_and_markdown_are_pages(url: str, media_type: str, body: str, expected: Body) -> None:
    assert sniff(answer(body, media_type, url=url))[0] is expected
