"""robots.txt as RFC 9309 reads it, with what sites really write into theirs."""

import pytest

from adaptive_crawl.crawler.fetching.robots import SIZE_LIMIT, Robots, decode, product_token
from adaptive_crawl.crawler.model import RobotsFile

AGENT = "adaptive-crawl"


def allows(text: str, path: str, agent: str = AGENT) -> bool:
    return parsed(text).allows("https://mill.example" + path, agent)


def parsed(text: str, status: int = 200) -> Robots:
    return Robots.parse(RobotsFile("https://mill.example/robots.txt", status, text, ""))


@pytest.mark.parametrize(
    ("status", "allowed"),
    [
        (200, False),
        (204, False),
        (404, True),
        (410, True),
        (401, True),
        (403, True),
        (301, True),
        (429, False),
        (500, False),
        (503, False),
        (0, False),
    ],
)
def test_a_missing_file_allows_all_and_a_silent_server_nothing(status: int, allowed: bool) -> None:
    assert parsed("User-agent: *\nDisallow: /", status).allows("https://mill.example/a", AGENT) is allowed


def test_an_empty_file_allows_all() -> None:
    assert allows("", "/a")
    assert allows("User-agent: *\nDisallow:", "/a")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_hides_no_rule(mark: str) -> None:
    text = f"{mark}User-agent: *\nDisallow: /private/"
    assert not allows(text, "/private/a")
    assert not allows(decode(text.encode()), "/private/a")


def test_the_longest_rule_wins_and_allow_wins_a_draw() -> None:
    text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /p\nDisallow: /p"
    assert not allows(text, "/a/x")
    assert allows(text, "/a/b/x")
    assert not allows(text, "/a/b/c")
    assert allows(text, "/p")


@pytest.mark.parametrize(
    ("rule", "forbidden", "allowed"),
    [
        ("/fish", ["/fish", "/fish.html", "/fishheads/a", "/fish?id=1"], ["/Fish", "/catfish"]),
        ("/fish*", ["/fish", "/fish/salmon"], ["/Fish"]),
        ("/fish/", ["/fish/", "/fish/?id=1"], ["/fish", "/fish.html"]),
        ("/*.php", ["/a.php", "/a/b.php?x", "/a.php5", "/.php"], ["/", "/a.PHP"]),
        ("/*.php$", ["/a.php", "/a/b.php"], ["/a.php?x", "/a.php/", "/a.php5"]),
        ("/fish*.php", ["/fish.php", "/fishheads/catfish.php?a=b"], ["/Fish.PHP"]),
        ("/*?", ["/a?", "/a?b=c"], ["/a"]),
        ("/a%3cd.html", ["/a%3Cd.html", "/a%3cd.html"], ["/a"]),
        ("/%E4%BD%A0", ["/你", "/%e4%bd%a0/x"], ["/好"]),
        ("/你", ["/%E4%BD%A0"], ["/%E5%A5%BD"]),
        ("*/print", ["/print", "/a/print/b"], ["/a"]),
        ("/", ["/", "/a"], ["/robots.txt"]),
    ],
)
def test_rules_match_as_the_standard_says(rule: str, forbidden: list[str], allowed: list[str]) -> None:
    text = f"User-agent: *\nDisallow: {rule}"
    assert [path for path in forbidden if allows(text, path)] == []
    assert [path for path in allowed if not allows(text, path)] == []


def test_an_agent_obeys_the_groups_that_name_it_and_no_other() -> None:
    text = """
        User-agent: *
        Disallow: /

        User-agent: Adaptive-Crawl/2.0
        Disallow: /a

        User-agent: other
        Disallow: /b

        User-agent: ADAPTIVE-CRAWL
        Disallow: /c
    """
    assert not allows(text, "/a")
    assert allows(text, "/b")
    assert not allows(text, "/c")
    assert allows(text, "/d")
    assert not allows(text, "/d", "stranger")


@pytest.mark.parametrize("name", ["adaptive", "crawl", "adaptive-crawler", "a", "adaptive-crawl-news"])
def test_a_name_that_only_begins_or_ends_alike_is_another_agents(name: str) -> None:
    assert allows(f"User-agent: {name}\nDisallow: /", "/a")


def test_agents_named_in_a_row_share_the_rules_that_follow() -> None:
    text = "User-agent: one\nUser-agent: adaptive-crawl\n\nDisallow: /a\nUser-agent: two\nDisallow: /b"
    assert not allows(text, "/a")
    assert allows(text, "/b")
    assert not allows(text, "/a", "one")


@pytest.mark.parametrize("line", ["Sitemap: https://mill.example/s.xml", "Noindex: /x", "# comment", "junk"])
def test_lines_that_are_no_rules_do_not_part_a_group(line: str) -> None:
    assert not allows(f"User-agent: adaptive-crawl\n{line}\nUser-agent: two\nDisallow: /", "/a")


def test_a_delay_for_all_does_not_join_the_next_agents_prohibition() -> None:
    text = "User-agent: *\nCrawl-delay: 5\n\nUser-agent: pest\nDisallow: /"
    assert allows(text, "/a")
    assert parsed(text).crawl_delay(AGENT) == 5
    assert not allows(text, "/a", "pest")
    assert parsed(text).crawl_delay("pest") is None


@pytest.mark.parametrize(
    "text",
    [
        "user-agent:*\ndisallow:/a",
        "  USER-AGENT :  * \r\n\tDisallow\t: /a   # no entry",
        "User agent: *\rDissallow: /a",
        "useragent *\ndisallow /a",
        "User-agent: *\n\n\nDisallow: /a\n\n",
    ],
)
def test_what_site_owners_meant_is_understood(text: str) -> None:
    assert not allows(text, "/a")
    assert allows(text, "/b")


@pytest.mark.parametrize(
    ("value", "delay"),
    [("10", 10.0), ("0.5", 0.5), ("0", 0.0), ("-3", None), ("soon", None), ("inf", None), ("nan", None)],
)
def test_a_crawl_delay_is_a_number_of_seconds(value: str, delay: float | None) -> None:
    assert parsed(f"User-agent: *\nCrawl-delay: {value}").crawl_delay(AGENT) == delay


def test_an_error_page_in_place_of_the_file_forbids_nothing() -> None:
    assert allows("<!doctype html>\n<html><body>Disallow: / is not here</body></html>", "/a")


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("adaptive-crawl", "adaptive-crawl"),
        ("adaptive-crawl/1.0 (+https://x.example)", "adaptive-crawl"),
        ("Mozilla/5.0 (compatible; MillBot/2.1; +https://mill.example/bot)", "MillBot"),
        ("", "*"),
    ],
)
def test_an_agent_is_called_by_its_product_token(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_a_rule_far_down_counts_and_one_beyond_the_limit_does_not() -> None:
    filler = "# " + "x" * 97 + "\n"
    near = filler * 4000 + "User-agent: *\nDisallow: /near\n"
    far = near + filler * 1200 + "Disallow: /far\n"
    assert len(far) > SIZE_LIMIT
    assert not allows(decode(far.encode()), "/near")
    assert allows(decode(far.encode()), "/far")


def test_a_rule_cut_in_two_by_the_limit_is_left_out() -> None:
    start = "User-agent: *\nDisallow: /a\n"
    filler = "#" * (SIZE_LIMIT - len(start) - len("\nDisallow: /"))
    text = decode(f"{start}{filler}\nDisallow: /private".encode())
    assert allows(text, "/b")
    assert not allows(text, "/a")


def test_bytes_that_are_no_utf8_hide_no_rule() -> None:
    assert not allows(decode("# Mühle\nUser-agent: *\nDisallow: /a".encode("latin-1")), "/a")


def test_thousands_of_agents_and_rules_cost_no_more_than_the_file() -> None:
    agents = "".join(f"User-agent: a{n}\n" for n in range(12_000))
    rules = "".join(f"Disallow: /r{n}/*x\n" for n in range(14_000))
    robots = parsed(agents + rules + agents + rules)
    assert robots.allows("https://mill.example/r1/x", AGENT)
    assert not robots.allows("https://mill.example/r1/x", "a7")
