"""What a search index says of a page changes which page comes first."""

from adaptive_crawl.crawler.model import IndexEntry, SiteIndex
from adaptive_crawl.scoring.links import LinkScorer

from .test_links import SITE, candidate, link, parts, scorer
from .website import FETCHED_AT

QUERY = "restore deleted backups"

PLAIN, NAMED, WORDED = (candidate(link(text, f"/{text}")) for text in ("alpha", "beta", "gamma"))
"""Three links that say nothing of the query."""


def index(*entries: IndexEntry) -> SiteIndex:
    return SiteIndex(f"{SITE}/searchindex.js", "sphinx", entries, (), 100, FETCHED_AT)


def knowing(*entries: IndexEntry) -> LinkScorer:
    links = scorer(QUERY)
    links.know(index(*entries))
    return links


def test_words_that_only_the_index_has_bring_a_page_forward() -> None:
    entry = IndexEntry(f"{SITE}/gamma", "Gamma", words="restor delet backup jam")
    plain, worded = knowing(entry).score([PLAIN, WORDED])
    assert worded.score > plain.score
    assert worded.reason == "the site's search index has restore, deleted, backups there"


def test_a_name_says_more_than_a_word_and_a_title_more_than_a_name() -> None:
    def relevance(entry: IndexEntry) -> float:
        return parts(knowing(entry).score([WORDED])[0])["relevance"]

    url = f"{SITE}/gamma"
    word = relevance(IndexEntry(url, words="backups jam shelf room"))
    name = relevance(IndexEntry(url, names="Jam; Backups", words="jam"))
    title = relevance(IndexEntry(url, "Backups", words="jam"))
    assert word < name < title


def test_a_word_in_passing_on_a_long_page_says_less() -> None:
    short = IndexEntry(f"{SITE}/beta", words="backups " + "jam " * 20)
    long = IndexEntry(f"{SITE}/gamma", words="backups " + "jam " * 2_000)
    on_short, on_long = knowing(short, long).score([NAMED, WORDED])
    assert on_short.score > on_long.score


def test_of_a_page_whose_words_are_known_nothing_more_is_hoped_for() -> None:
    without = IndexEntry(f"{SITE}/gamma", words="jam shelf")
    (unknown,) = scorer(QUERY).score([WORDED])
    (known,) = knowing(without).score([WORDED])
    assert known.score == 0.0 < unknown.score


def test_names_alone_leave_hope_for_the_text() -> None:
    (scored,) = knowing(IndexEntry(f"{SITE}/gamma", names="Jam")).score([WORDED])
    assert scored.score > 0.0


def test_an_index_without_words_changes_nothing() -> None:
    before = scorer(QUERY).score([PLAIN, WORDED])
    assert knowing(IndexEntry(f"{SITE}/gamma", "Gamma", "of backups")).score([PLAIN, WORDED]) == before
