"""Extractive summaries: whole sentences, each with its page, and the passages that bear on a query."""

from adaptive_crawl.crawler.model import Excerpt, Page
from adaptive_crawl.scoring.sentences import sentences
from adaptive_crawl.scoring.summary import Excerpts

from .website import Website, page


def test_prose_is_cut_at_the_ends_of_sentences_not_at_abbreviations_or_versions() -> None:
    text = "Tools, e.g. pg_dump, copy a database. Version 3.11 is needed by them. “Is that all of it?” It is."
    assert list(sentences(text)) == [
        "Tools, e.g. pg_dump, copy a database.",
        "Version 3.11 is needed by them.",
    ]


def test_chinese_and_japanese_sentences_end_without_a_space() -> None:
    assert list(sentences("备份会保留三十天。您可以在“设置”中更改保留的时间！短句。")) == [
        "备份会保留三十天。",
        "您可以在“设置”中更改保留的时间！",
    ]
    assert list(sentences("バックアップは三十日間保存されます。詳しくは次の章を見てください。")) == [
        "バックアップは三十日間保存されます。",
        "詳しくは次の章を見てください。",
    ]


def test_code_tables_headings_crumbs_and_fragments_are_no_sentences() -> None:
    text = """## A heading that ends like a sentence does.

Home > Documentation > Backups > Restore your data.

| A cell with a whole sentence in it. | Another one that says little. |

```
print("a string that reads like a sentence.")
```

    an indented line of code that reads like prose.

foo(a); bar(b); baz(c); and a few words around it.

A line without an end

- Each list item is a paragraph of its own
  and may go on in the next line.
"""
    assert list(sentences(text)) == [
        "Each list item is a paragraph of its own and may go on in the next line."
    ]


def test_markdown_signs_do_not_reach_a_sentence() -> None:
    assert list(sentences("Use the **restore** command with `--all` to get [everything](x.md) back.")) == [
        "Use the restore command with --all to get everything back."
    ]


SITE = Website(
    {
        "/backup": page(
            "Backups",
            "The backup service copies every database to a second region each night.\n\n"
            "Backups are kept for thirty days and then removed from the archive.\n\n"
            "## Restore\n\nTo restore a database, choose the backup and press the restore button.",
        ),
        "/billing": page(
            "Billing",
            "Invoices are sent on the first day of each month by mail.\n\n"
            "Every invoice lists what each database has cost.",
        ),
        "/team": page("Team", "The people behind the service live in four countries."),
    }
)


def read(query: str) -> tuple[Excerpts, dict[str, Page]]:
    excerpts, pages = Excerpts(query), {}
    for path in SITE.answers:
        made = SITE.page(path)
        excerpts.read(made)
        pages[made.key] = made
    return excerpts, pages


def summary(query: str, count: int) -> list[Excerpt]:
    excerpts, pages = read(query)
    return excerpts.select([e for key in pages for e in excerpts.of(key)], count)


def test_a_summary_for_a_query_says_what_bears_on_it_and_nothing_else() -> None:
    chosen = summary("how do I restore a database from a backup", 5)
    assert "press the restore button" in chosen[0].text
    assert {excerpt.key for excerpt in chosen} == {SITE.url("/backup")}


def test_where_nothing_bears_on_the_query_a_summary_says_what_there_is() -> None:
    assert len({excerpt.key for excerpt in summary("volcano", 3)}) == 3


def test_without_a_query_every_page_speaks_once_before_one_speaks_twice() -> None:
    chosen = summary("", 4)
    assert [e.key for e in chosen[:3]] != [chosen[0].key] * 3
    assert len({e.key for e in chosen[:3]}) == 3
    assert len(chosen) == 4


def test_a_summary_never_says_the_same_twice() -> None:
    same = [Excerpt(f"k{n}", "Backups are kept for thirty days in the archive.") for n in range(5)]
    assert len(Excerpts().select(same, 5)) == 1


def test_answers_are_the_passages_that_bear_on_the_query_best_first() -> None:
    excerpts, pages = read("restore database")
    answers = excerpts.answers(5, pages.__getitem__)
    assert (answers[0].key, answers[0].heading) == (SITE.url("/backup"), ("Backups", "Restore"))
    assert "press the restore button" in answers[0].text
    assert [a.score for a in answers] == sorted((a.score for a in answers), reverse=True)
    assert SITE.url("/team") not in {a.key for a in answers}


def test_one_page_is_quoted_twice_at_most() -> None:
    site = Website(
        {
            "/a": page(
                "Many", "\n\n".join(f"## Part {n}\n\nThe restore number {n} explained." for n in range(9))
            )
        }
    )
    excerpts = Excerpts("restore")
    excerpts.read(site.page("/a"))
    assert len(excerpts.answers(9, site.page)) == 2


def test_nothing_is_quoted_for_a_query_that_no_page_speaks_of() -> None:
    excerpts, pages = read("volcano eruption")
    assert excerpts.answers(5, pages.__getitem__) == []
    assert Excerpts("").answers(5, pages.__getitem__) == []


def test_a_chinese_query_finds_chinese_passages() -> None:
    site = Website(
        {
            "/a": page("备份", "备份会保留三十天，之后从存档中删除。"),
            "/b": page("账单", "账单在每个月的第一天通过邮件发送。"),
        }
    )
    excerpts = Excerpts("备份保留多久")
    for path in site.answers:
        excerpts.read(site.page(path))
    assert [a.key for a in excerpts.answers(1, site.page)] == [site.url("/a")]
