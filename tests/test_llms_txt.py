"""llms.txt and llms-full.txt, as proposed and as published."""

import pytest

from adaptive_crawl.crawler.indexes import Index, IndexEntry, read_index

HERE = "https://example.com/docs/llms.txt"
FULL = "https://example.com/llms-full.txt"


def read(body: str, url: str = HERE, media_type: str = "text/plain") -> Index:
    index = read_index(body.encode(), url, media_type, 100)
    assert index is not None
    return index


def test_lists_under_headings_give_title_description_and_section() -> None:
    index = read(
        """# Project

> A project; see [its site](https://example.com/).

Some words with [an aside](/aside) in them.

## Docs

- [Quick start](quickstart.md): Install and **run** it in `5` minutes
- [API](https://example.com/api "Reference") - every call

### Deep

* [Limits (hard)](/limits_(hard).md)

## Optional

- [Changelog](/changelog.md)
"""
    )
    assert index.format == "llms-txt"
    assert index.entries == (
        IndexEntry(
            "https://example.com/docs/quickstart.md",
            "Quick start",
            "Install and run it in 5 minutes",
            section="Docs",
        ),
        IndexEntry("https://example.com/api", "API", "every call", section="Docs"),
        IndexEntry("https://example.com/limits_(hard).md", "Limits (hard)", section="Docs › Deep"),
        IndexEntry("https://example.com/changelog.md", "Changelog", section="Optional"),
    )


@pytest.mark.parametrize(
    ("line", "title", "text"),
    [
        ("[Setup](/a)", "Setup", ""),
        ("1. [Setup](/a) – how to start", "Setup", "how to start"),
        ("- **[Setup](/a)**: how to start", "Setup", "how to start"),
        ("- **Setup**: [how to start](/a)", "how to start", "Setup"),
        ("- [x] [Setup](/a)", "Setup", ""),
        ("> - [Setup](</a>)", "Setup", ""),
        ("- [`setup()`](/a): starts", "setup()", "starts"),
        ("- [snake_case_name](/a)", "snake_case_name", ""),
        ("- [![icon](/i.png) Setup](/a)", "icon Setup", ""),
        ("| [Setup](/a) | how to start |", "Setup", "how to start"),
        ("- https://example.com/a: how to start", "", "how to start"),
        ("- Setup: https://example.com/a", "Setup", ""),
        ("https://example.com/a", "", ""),
        ("- <https://example.com/a>", "", ""),
    ],
)
def test_a_line_about_one_page_counts_however_it_is_written(line: str, title: str, text: str) -> None:
    index = read(f"# Project\n\n{line}\n")
    assert index.entries == (IndexEntry("https://example.com/a", title, text),)


def test_code_pictures_and_other_schemes_are_no_pages() -> None:
    body = """# Project
- ![logo](/logo.png)
- [Mail](mailto:a@example.com)
```markdown
- [Example](/example)
```
~~~
- [Example](/example)
```
- [Example](/example)
~~~
- [Real](/real)
"""
    assert [entry.url for entry in read(body).entries] == ["https://example.com/real"]


def test_other_llms_txt_are_children() -> None:
    index = read(
        "# All\n- [Workers](/workers/llms.txt)\n- [Everything](/llms-full.txt)\n"
        "- [Page](/page)\n- [Self](llms.txt)"
    )
    assert index.children == ("https://example.com/workers/llms.txt", "https://example.com/llms-full.txt")
    assert [entry.url for entry in index.entries] == ["https://example.com/page"]


@pytest.mark.parametrize(
    "page",
    [
        "# {title}\nSource: https://example.com/{n}\n\n{text}\n\n",
        "# Source: https://example.com/{n}\n\n# {title}\n\n{text}\n\n",
        "# {title}\n\n> Source: https://example.com/{n}\n\n{text}\n\n",
        "# {title}\n\n**URL:** </{n}>\n\n{text}\n",
        "# {title}\nURL: /{n}\n\n{text}\n",
        "# {title} (/{n})\n\n{text}\n",
        "# {title}: /{n}\n\n{text}\n",
        "---\nurl: /{n}\ntags:\n  - x\n---\n# {title}\n\n{text}\n\n---\n\n",
        "---\ntitle: \"{title}\"\nsource: '/{n}'\n---\n{text}\n",
        "<!-- source: https://example.com/{n} -->\n# {title}\n{text}\n",
        '<doc title="{title}" url="/{n}">\n{text}\n</doc>\n',
    ],
)
def test_a_full_text_gives_its_pages_however_they_are_marked(page: str) -> None:
    pages = (("One", 1, "Text of one."), ("Two", 2, "Text of two."))
    body = "".join(page.format(title=title, n=n, text=text) for title, n, text in pages)
    index = read(body, FULL)
    assert index.format == "llms-full"
    assert [(entry.url, entry.title) for entry in index.entries] == [
        ("https://example.com/1", "One"),
        ("https://example.com/2", "Two"),
    ]
    assert index.entries[0].text.startswith("Text of one.")
    assert index.entries[1].text.startswith("Text of two.")


def test_marks_inside_code_or_far_from_a_heading_are_text() -> None:
    body = """# One
Source: https://example.com/1

```
# No page
Source: https://example.com/no
```

Text.
More text.
And more.
Still more.
Source: https://example.com/credit

# Two
Source: https://example.com/2
"""
    assert [entry.url for entry in read(body, FULL).entries] == [
        "https://example.com/1",
        "https://example.com/2",
    ]


def test_a_full_text_without_marks_is_read_for_its_lists() -> None:
    index = read("# One\n\nText.\n\n- [Two](/2): more\n", FULL)
    assert index == Index("llms-txt", (IndexEntry("https://example.com/2", "Two", "more"),), size=index.size)


def test_other_texts_are_not_read_as_lists() -> None:
    body = b"# Readme\n- [Link](/a)\n"
    assert read_index(body, "https://example.com/readme.txt", "text/plain", 10) is None
    assert read_index(body, "https://example.com/llms.txt", "text/html", 10) is not None
    assert read_index(b"Page not found", "https://example.com/llms.txt", "text/plain", 10) is None
    assert read_index(b"<!doctype html>[a](/a)", "https://example.com/llms.txt", "text/html", 10) is None


def test_long_lines_and_many_brackets_take_no_time() -> None:
    body = (
        "# P\n" + "[" * 500_000 + "\n- " + "[a](" * 200_000 + "\n" + "- [a](/a\n" * 50_000 + "- [End](/end)\n"
    )
    assert "https://example.com/end" in [entry.url for entry in read(body).entries]
