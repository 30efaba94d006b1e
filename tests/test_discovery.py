"""Site indexes: when they are asked for, what becomes of their entries, and that each can be switched off."""

from adaptive_crawl.crawler.crawl import Crawl, Limits
from adaptive_crawl.crawler.discovery import DiscoveryConfig
from adaptive_crawl.crawler.model import (
    Disposition,
    Event,
    IndexEntry,
    Kind,
    Outcome,
    Plan,
    Request,
    SiteIndex,
    StopReason,
)
from adaptive_crawl.crawler.scope import Scope, ScopeConfig

from .test_crawl import ByAnchor
from .website import FETCHED_AT, Website, page

ORPHANS = (
    IndexEntry("https://toy.example/orphan", "Orphan 0.9", "A page that nothing links to."),
    IndexEntry("https://toy.example/private/x", "Private 0.8"),
    IndexEntry("https://elsewhere.example/", "Elsewhere 0.7"),
)


def site() -> Website:
    return Website(
        {
            "/": page("Home", "Hello.", links={"/a": "a 0.5"}),
            "/a": page("A", "Text of a."),
            "/orphan": page("Orphan", "Text of the orphan."),
        },
        robots="User-agent: *\nDisallow: /private\nSitemap: https://toy.example/map.xml\n",
    )


def crawl(discovery: DiscoveryConfig | None, entries: tuple[IndexEntry, ...] = ORPHANS) -> list[Event]:
    """Crawl the toy site, whose sitemap has these entries."""
    toy = site()
    starts = [toy.url("/")]

    def outcome(request: Request) -> Outcome:
        if request.url.endswith("/map.xml"):
            return SiteIndex(request.url, "sitemap", entries, (), 100, FETCHED_AT)
        return toy.outcome(request.url)

    core = Crawl(
        starts,
        ByAnchor(),
        Scope(ScopeConfig(), starts),
        Limits(max_pages=None, min_gain=0, round_size=1),
        robots_agent="bot",
        discovery=discovery,
    )
    events: list[Event] = []
    while isinstance(step := core.plan(), Plan):
        events += [core.settle(request, outcome(request)) for request in step.requests]
        core.close_round(step.round, 0.0)
    assert step.reason is StopReason.FRONTIER_EMPTY
    return events


def fetched(events: list[Event]) -> list[str]:
    return [event.request.url for event in events if event.request.kind is Kind.PAGE]


def asked(events: list[Event]) -> list[str]:
    return [event.request.url for event in events if event.request.kind is Kind.SITE_INDEX]


def test_a_page_that_only_the_sitemap_names_is_found_and_ranked_like_a_link() -> None:
    events = crawl(DiscoveryConfig())
    assert fetched(events) == ["https://toy.example/", "https://toy.example/orphan", "https://toy.example/a"]


def test_entries_obey_scope_and_robots_like_links() -> None:
    noted = next(e for e in crawl(DiscoveryConfig()) if e.request.url.endswith("/map.xml"))
    assert noted.disposition is Disposition.NOTED
    assert (noted.discovered, dict(noted.refused)) == (1, {"host": 1, "robots": 1})


def test_a_sitemap_that_robots_txt_names_is_asked_for_in_place_of_the_customary_one() -> None:
    assert asked(crawl(DiscoveryConfig())) == ["https://toy.example/llms.txt", "https://toy.example/map.xml"]


def test_each_source_can_be_switched_off_and_requests_are_bounded() -> None:
    assert asked(crawl(DiscoveryConfig(sitemaps=False))) == ["https://toy.example/llms.txt"]
    assert asked(crawl(DiscoveryConfig(llms_txt=False))) == ["https://toy.example/map.xml"]
    assert asked(crawl(DiscoveryConfig(max_indexes=1))) == ["https://toy.example/llms.txt"]
    assert asked(crawl(None)) == []


def test_an_index_that_is_not_there_is_no_failure_of_the_crawl() -> None:
    missing = next(e for e in crawl(DiscoveryConfig()) if e.request.url.endswith("/llms.txt"))
    assert missing.disposition is Disposition.NOTED
