"""``--update``: a tree brought up to date, by the real command against a site that changes."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .test_cli import Ended, Shell, ended
from .website import Website, failure, file, page, raw, redirect

QUERY = "backup retention period"
NOTHING: dict[str, list[Any]] = {"added": [], "changed": [], "removed": [], "unseen": []}


def handbook() -> Website:
    """A site with a bit of everything: moved pages, twins, menus, a file, a page that is not there."""
    return Website(
        {
            "/": page(
                "Handbook",
                "The handbook tells how backups are kept, and for which retention period.",
                links={
                    "/backups/": "Backup retention period",
                    "/billing.html": "Billing",
                    "/old": "Backups, moved",
                    "/twin": "Billing once more",
                    "/prices.pdf": "Prices",
                    "/gone": "Gone",
                },
                menu={"/about.html": "About us"},
            ),
            "/backups/": page(
                "Backups",
                "Backups are kept for a retention period of thirty days. After that they are removed.",
                links={"/backups/restore": "Restore a backup", "/": "Home"},
            ),
            "/backups/restore": page("Restore", "To restore a backup, choose it in the list of backups."),
            "/billing.html": page("Billing", "Invoices are sent on the first day of each month."),
            "/about.html": page("About us", "We have kept data safe since the last century."),
            "/old": redirect("/backups/restore", status=301),
            "/twin": page("Billing", "Invoices are sent on the first day of each month."),
            "/prices.pdf": file(b"%PDF-1.7 prices", "application/pdf"),
            "/gone": failure(404),
        },
        robots="User-agent: *\nDisallow: /private/\n",
    )


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def site() -> Iterator[Website]:
    served = handbook()
    with served.served():
        yield served


def update(shell: Shell, site: Website, *words: str) -> Ended:
    """What stands in a crontab, and its report as JSON."""
    return shell.crawl("--update", "--download", "--json", *words, site.url())


def answer(shell: Shell, site: Website, *words: str) -> Ended:
    return update(shell, site, "--query", QUERY, *words)


def tree(shell: Shell) -> dict[str, bytes]:
    """Every file of the tree, the journal's folder left out."""
    root = shell.folder / "output"
    files = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.startswith(".crawl/")}


def changes(told: Ended) -> dict[str, list[str]]:
    """Paths by what happened to them; what is unchanged left out."""
    assert told.json["changes"] is not None
    return {
        fate: [change["path"] for change in which]
        for fate, which in told.json["changes"].items()
        if fate != "unchanged"
    }


def titled(title: str) -> Any:
    """A page whose title stands in its head alone."""
    return raw(f"<title>{title}</title><main><p>We have kept data safe since the last century.</p></main>")


def bodies(site: Website, since: int) -> list[str]:
    """Paths that were asked for without a condition since then."""
    return [asked.path for asked in site.log[since:] if "if-none-match" not in asked.headers]


# A site that did not change.


@pytest.mark.parametrize("asked", [["--query", QUERY], []], ids=["for a query", "the whole site"])
def test_an_update_of_an_unchanged_site_leaves_every_byte_and_transfers_next_to_nothing(
    shell: Shell, site: Website, asked: list[str]
) -> None:
    first = update(shell, site, *asked)
    before, seen = tree(shell), len(site.log)
    written = {path: path.stat().st_mtime_ns for path in (shell.folder / "output").rglob("*.md")}
    second = update(shell, site, *asked)
    assert first.code == second.code
    assert changes(second) == NOTHING
    assert tree(shell) == before
    assert written == {path: path.stat().st_mtime_ns for path in written}
    assert second.json["bytes"] < 200
    held = {"/" + path for path in ("", "backups/", "billing.html")}
    assert held.isdisjoint(bodies(site, seen))
    third = update(shell, site, *asked)
    assert changes(third) == NOTHING
    assert tree(shell) == before
    assert third.json["requests"] == second.json["requests"]


def test_the_first_update_is_a_crawl(shell: Shell, site: Website) -> None:
    told = answer(shell, site)
    assert "backups.md" in changes(told)["added"]
    fresh = Shell(shell.folder / "fresh")
    fresh.folder.mkdir()
    fresh.crawl("--query", QUERY, "--download", site.url())
    assert sorted(tree(fresh)) == sorted(tree(shell))


def test_without_a_change_on_the_site_the_content_counts_and_not_the_validators(
    shell: Shell, site: Website
) -> None:
    answer(shell, site)
    before = tree(shell)
    old = site.answers["/backups/"]
    site["/backups/"] = page(
        "Backups",
        "Backups are kept for a retention period of thirty days. After that they are removed.",
        links={"/backups/restore": "Restore a backup", "/": "Home"},
        headers={"ETag": '"of-another-deployment"'},
    )
    assert changes(answer(shell, site)) == NOTHING
    assert tree(shell) == before
    assert b"of-another-deployment" not in before["backups.md"]
    answer(shell, site)
    assert site.asked("/backups/")[-1].headers["if-none-match"] == '"of-another-deployment"'
    site["/backups/"] = old


# A site that changed.


def test_what_was_added_changed_moved_and_removed_is_told_and_done(shell: Shell, site: Website) -> None:
    update(shell, site)
    before = tree(shell)
    site["/billing.html"] = page("Billing", "Invoices are sent on the last day of each month.")
    site["/twin"] = failure(404)
    site["/about.html"] = redirect("/company.html", status=301)
    site["/company.html"] = page("Company", "We are a company that keeps data safe.")
    site["/backups/restore"] = failure(410)
    site["/backups/"] = page(
        "Backups",
        "Backups are kept for a retention period of thirty days. After that they are removed.",
        links={"/backups/new": "Something new", "/": "Home"},
    )
    site["/backups/new"] = page("New", "A new page tells of incremental backups.")
    told = update(shell, site)
    assert changes(told) == {
        "added": ["backups/new.md", "company.md"],
        "changed": ["backups.md", "billing.md"],
        "removed": ["about.md", "backups/restore.md"],
        "unseen": [],
    }
    why = {change["path"]: change["why"] for change in told.json["changes"]["removed"]}
    assert why["backups/restore.md"] == "HTTP 410 Gone"
    assert why["about.md"].endswith("/company.html")
    after = tree(shell)
    assert set(before) - set(after) == {"about.md", "backups/restore.md"}
    assert b"last day" in after["billing.md"]
    assert b"[Backups, moved](http" in after["home.md"], "a link to what is gone leads to the site again"
    assert "## What the last update changed" in after["index.md"].decode()
    assert changes(update(shell, site)) == NOTHING
    assert tree(shell) == after


def test_a_menu_that_leads_to_a_new_page_is_noticed_though_the_content_is_the_same(
    shell: Shell, site: Website
) -> None:
    update(shell, site)
    site["/about.html"] = page(
        "About us", "We have kept data safe since the last century.", menu={"/jobs.html": "Jobs"}
    )
    site["/jobs.html"] = page("Jobs", "We are looking for people who love data.")
    before = tree(shell)
    assert changes(update(shell, site))["added"] == ["jobs.md"]
    assert tree(shell)["about.md"] == before["about.md"]


def test_a_page_of_another_title_is_changed_and_keeps_the_time_of_its_content(
    shell: Shell, site: Website
) -> None:
    site["/about.html"] = titled("About us")
    update(shell, site)
    (before,) = [line for line in tree(shell)["about.md"].splitlines() if b"crawl_time" in line]
    site["/about.html"] = titled("Who we are")
    told = update(shell, site)
    assert changes(told) == {**NOTHING, "changed": ["about.md"]}
    assert b"title: Who we are" in tree(shell)["about.md"]
    assert before in tree(shell)["about.md"]


def test_a_changed_page_stays_in_its_place(shell: Shell, site: Website) -> None:
    site["/readme"] = page("small", "A page of a name in small letters.")
    site["/README"] = page("LARGE", "A page of the same name in capitals.")
    site["/"] = page("Home", "Two pages.", links={"/readme": "small", "/README": "large"})
    update(shell, site)
    (of_capitals,) = [name for name in tree(shell) if name.lower().startswith("readme-")]
    site["/readme"] = failure(404)
    update(shell, site)
    site["/README"] = page("LARGE", "A page in capitals, changed.")
    assert changes(update(shell, site)) == {**NOTHING, "changed": [of_capitals]}
    site["/readme"] = page("small", "A page of a name in small letters, come back.")
    (back,) = changes(update(shell, site))["added"]
    assert back.lower() not in (name.lower() for name in (of_capitals,))


def test_a_file_that_changed_is_replaced(shell: Shell, site: Website) -> None:
    update(shell, site)
    site["/prices.pdf"] = file(b"%PDF-1.7 higher prices", "application/pdf")
    assert changes(update(shell, site)) == {**NOTHING, "changed": ["prices.pdf"]}
    assert tree(shell)["prices.pdf"] == b"%PDF-1.7 higher prices"
    del site["/prices.pdf"]
    assert changes(update(shell, site)) == {**NOTHING, "removed": ["prices.pdf"]}
    assert "prices.pdf" not in tree(shell)


def test_more_pages_are_fetched_only_where_a_limit_leaves_room(shell: Shell, site: Website) -> None:
    limited = ("--update", "--query", QUERY, "--no-early-stop", "--max-pages", "3", "--json", site.url())
    first = shell.crawl(*limited)
    assert len(changes(first)["added"]) == 3
    assert changes(shell.crawl(*limited)) == NOTHING
    site["/backups/"] = failure(404)
    told = shell.crawl(*limited)
    assert [len(changes(told)[fate]) for fate in ("added", "removed")] == [1, 1]
    assert told.json["pages_crawled"] == 3


# What is gone, and what only cannot be had.


def test_what_cannot_be_had_stays_as_it_is(shell: Shell, site: Website) -> None:
    update(shell, site)
    before = tree(shell)
    site["/billing.html"] = failure(500)
    site["/about.html"] = failure(403)
    told = update(shell, site, "--retries", "0")
    assert changes(told) == {**NOTHING, "unseen": ["about.md", "billing.md"]}
    assert told.json["pages_failed"] == 2 + 1
    assert tree(shell) == before
    assert update(shell, site, "--retries", "0", "--max-failures", "2").code == 7


def test_a_site_that_is_down_takes_nothing_from_the_tree(shell: Shell, site: Website) -> None:
    update(shell, site)
    before = tree(shell)
    site.robots = 503
    told = update(shell, site, "--retries", "0")
    assert told.code == 8
    assert len(told.json["changes"]["unseen"]) == 6
    assert tree(shell) == before
    site.robots = 404
    assert changes(update(shell, site)) == NOTHING
    assert tree(shell) == before


def test_what_robots_or_the_scope_forbid_now_is_removed(shell: Shell, site: Website) -> None:
    update(shell, site)
    site.robots = "User-agent: *\nDisallow: /billing\n"
    told = update(shell, site, "--exclude", "*/about.html")
    assert changes(told)["removed"] == ["about.md", "billing.md"]
    why = [change["why"] for change in told.json["changes"]["removed"]]
    assert why == ["refused by rule exclude", "refused by rule robots"]
    assert "about.md" not in tree(shell)


def test_what_is_gone_can_be_kept_and_is_told_once(shell: Shell, site: Website) -> None:
    update(shell, site)
    before = tree(shell)
    del site["/about.html"]
    told = update(shell, site, "--keep-removed")
    assert changes(told)["removed"] == ["about.md"]
    assert tree(shell)["about.md"] == before["about.md"]
    assert changes(update(shell, site, "--keep-removed")) == NOTHING
    assert changes(update(shell, site))["removed"] == ["about.md"]
    assert "about.md" not in tree(shell)


def test_a_file_edited_by_hand_is_left_alone_and_told(shell: Shell, site: Website) -> None:
    update(shell, site)
    (shell.folder / "output" / "billing.md").write_text("my notes")
    site["/billing.html"] = page("Billing", "Invoices are sent on the last day of each month.")
    told = update(shell, site)
    assert tree(shell)["billing.md"] == b"my notes"
    assert any(note.startswith("billing.md was edited") for note in told.json["notes"])


# The site that a start page leads to.


def test_where_a_start_page_leads_is_found_again_and_survives_its_failure(shell: Shell) -> None:
    site = Website(
        {
            "/start": redirect("/docs/"),
            "/docs/": page("Docs", "All documents.", links={"/docs/a": "A document"}),
            "/docs/a": page("A", "A document of its own."),
        }
    )
    with site.served():
        start = site.url("/start")
        shell.crawl("--update", start)
        before = tree(shell)
        told = shell.crawl("--update", "--json", start)
        assert changes(told) == NOTHING
        site["/start"] = failure(500)
        told = shell.crawl("--update", "--json", "--retries", "0", start)
        assert changes(told)["removed"] == []
        assert tree(shell) == before
        site["/start"] = redirect("/manual/")
        site["/docs/"] = redirect("/manual/")
        site["/docs/a"] = redirect("/manual/a")
        site["/manual/"] = page("Docs", "All documents, elsewhere.", links={"/manual/a": "A document"})
        site["/manual/a"] = page("A", "A document of its own.")
        told = shell.crawl("--update", "--json", start)
        assert changes(told)["removed"] == ["docs.md", "docs/a.md"]
        assert changes(told)["added"] == ["manual.md", "manual/a.md"]


# Broken off.


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize("again", [["--update"], ["--resume"]])
def test_an_update_that_was_killed_goes_on_as_the_same_update(
    shell: Shell, site: Website, again: list[str]
) -> None:
    update(shell, site, "--no-timestamps")
    twin = Shell(shell.folder / "twin")
    shutil.copytree(shell.folder / "output", twin.folder / "output")
    site["/billing.html"] = page("Billing", "Invoices are sent on the last day of each month.")
    del site["/about.html"]
    site["/backups/restore"] = page("Restore", "To restore a backup, ask for it.", links={"/n": "New"})
    site["/n"] = page("New", "Something new about backups.")
    whole = changes(update(shell, site))
    gate = site.hold("/n")
    asked = len(site.asked("/n"))
    with twin.start("--update", "--delay", "0", "--allow-private", "--download", site.url()) as process:
        site.wait_for("/n", asked + 1)
        os.kill(process.pid, signal.SIGKILL)
    gate.set()
    seen = len(site.log)
    told = twin.crawl(*again, "--json")
    assert changes(told) == whole
    assert {asked.path for asked in site.log[seen:]} <= {"/n", "/twin"}, "what was under way when it died"
    assert tree(twin) == tree(shell)


def test_an_interrupted_update_has_lost_nothing_and_says_how_to_go_on(shell: Shell, site: Website) -> None:
    update(shell, site)
    before = tree(shell)
    gate = site.hold("/backups/")
    asked = len(site.asked("/backups/"))
    with shell.start(
        *("--update", "--delay", "0", "--allow-private", "--concurrency", "1", "--per-host", "1")
    ) as process:
        site.wait_for("/backups/", asked + 1)
        process.send_signal(signal.SIGTERM)
        line = b""
        while b"Once more" not in line and b"Stopping" not in line and line is not None:
            line = process.stderr.readline()
            if not line:
                break
        gate.set()
        told = ended(process)
    assert told.code == 143
    assert tree(shell) == before
    assert changes(update(shell, site)) == NOTHING
    assert tree(shell) == before


# Without a journal.


def lose_the_journal(shell: Shell) -> None:
    shutil.rmtree(shell.folder / "output" / ".crawl")


@pytest.mark.parametrize("asked", [["--query", QUERY], []], ids=["for a query", "the whole site"])
def test_without_a_journal_an_unchanged_site_leaves_every_byte(
    shell: Shell, site: Website, asked: list[str]
) -> None:
    shell.crawl(*asked, site.url())
    before = tree(shell)
    lose_the_journal(shell)
    told = shell.crawl("--update", "--json", *asked, site.url())
    assert changes(told) == NOTHING
    assert told.json["notes"] == []
    assert tree(shell) == before
    seen = len(site.log)
    assert changes(shell.crawl("--update", "--json", site.url())) == NOTHING
    assert tree(shell) == before
    assert "/backups/" not in bodies(site, seen)


def test_without_a_journal_a_file_that_is_found_again_is_no_change(shell: Shell, site: Website) -> None:
    update(shell, site)
    before = tree(shell)
    lose_the_journal(shell)
    assert changes(update(shell, site)) == NOTHING
    assert tree(shell) == before


def test_without_a_journal_pages_are_brought_up_to_date_and_edited_ones_left_alone(
    shell: Shell, site: Website
) -> None:
    update(shell, site)
    lose_the_journal(shell)
    root = shell.folder / "output"
    edited = (root / "about.md").read_text("utf-8") + "\nMy note.\n"
    (root / "about.md").write_text(edited, "utf-8")
    (root / "mine.md").write_text("# Mine\n")
    site["/about.html"] = page("About us", "We have moved to another town.")
    site["/billing.html"] = page("Billing", "Invoices are sent on the last day of each month.")
    del site["/backups/restore"]
    told = update(shell, site)
    assert changes(told)["changed"] == ["about.md", "billing.md"]
    assert changes(told)["removed"] == ["backups/restore.md"]
    assert [note.split()[0] for note in told.json["notes"]] == ["about.md"]
    assert (root / "about.md").read_text("utf-8") == edited
    assert (root / "mine.md").read_text() == "# Mine\n"
    assert b"last day" in (root / "billing.md").read_bytes()
    assert not (root / "backups" / "restore.md").exists()


def test_without_a_journal_the_query_is_that_of_the_index_and_a_url_is_needed(
    shell: Shell, site: Website
) -> None:
    shell.crawl("--query", QUERY, site.url())
    before = tree(shell)
    lose_the_journal(shell)
    told = shell.crawl("--update")
    assert told.code == 2
    assert "where shall the crawl begin" in told.err
    told = shell.crawl("--update", "--json", site.url())
    assert told.json["query"] == QUERY
    assert tree(shell) == before


def test_front_matter_from_other_hands_leads_nowhere(shell: Shell, site: Website) -> None:
    update(shell, site)
    lose_the_journal(shell)
    root = shell.folder / "output"
    digest = "sha256:" + "0" * 64
    forged = {
        "elsewhere": "source_url: http://169.254.169.254/latest/\ndepth: 0\n",
        "file": "source_url: file:///etc/passwd\n",
        "userinfo": f"source_url: http://me:secret@{site.base_url[7:]}/x\n",
        "list": "source_url: [1, 2]\ndepth: -5\nscore: .nan\n",
        "deep": f"source_url: {site.url('/about.html')}\ndepth: 99999999999\nparts: [1]\n",
        "bomb": "a: &a [x, x]\nb: &b [*a, *a]\nsource_url: *b\n",
    }
    for name, facts in forged.items():
        (root / f"{name}.md").write_text(f"---\n{facts}digest: {digest}\n---\n\nText.\n")
    (root / "link.md").symlink_to("/etc/passwd")
    told = update(shell, site)
    assert told.code == 0
    assert {asked.path for asked in site.log} <= {
        *site.answers,
        "/robots.txt",
        "/llms.txt",
        "/sitemap.xml",
    }
    for name in forged:
        assert (root / f"{name}.md").read_text().endswith("Text.\n")
    assert (root / "link.md").is_symlink()


# The command line.


def test_no_url_is_needed_where_a_journal_is(shell: Shell, site: Website) -> None:
    answer(shell, site)
    told = shell.crawl("--update", "--json")
    assert told.json["query"] == QUERY
    assert changes(told) == NOTHING


def test_a_finished_update_resumed_asks_for_nothing_and_changes_nothing(shell: Shell, site: Website) -> None:
    answer(shell, site)
    site["/backups/"] = page("Backups", "Backups are kept for a retention period of forty days.")
    assert changes(answer(shell, site))["changed"] == ["backups.md"]
    before, seen = tree(shell), len(site.log)
    told = shell.crawl("--resume", "--json")
    assert changes(told)["changed"] == ["backups.md"]
    assert (tree(shell), len(site.log)) == (before, seen)


def test_an_update_for_another_query_revisits_what_the_first_one_brought(shell: Shell, site: Website) -> None:
    answer(shell, site)
    before = tree(shell)
    told = update(shell, site, "--query", "who are the people of the company")
    assert told.json["changes"]["removed"] == []
    assert tree(shell)["backups.md"] == before["backups.md"]
    assert b"\n# who are the people of the company\n" in tree(shell)["index.md"]


def test_links_that_redirected_long_ago_stay_local_without_a_journal(shell: Shell) -> None:
    site = Website(
        {
            "/": page("Home", "All about backups.", links={"/old": "backups", "/z": "colours"}),
            "/old": redirect("/new"),
            "/new": page("New", "About backups."),
            "/z": page("Z", "Red and green."),
        }
    )
    words = ("--update", "--query", "backups", "--no-early-stop", "--max-pages", "2", "--json")
    with site.served():
        shell.crawl(*words, site.url())
        before = tree(shell)
        assert b"[backups](new.md)" in before["home.md"]
        lose_the_journal(shell)
        for _ in range(2):
            assert changes(shell.crawl(*words, site.url())) == NOTHING
            assert tree(shell) == before
        assert len(site.asked("/old")) == 1


def test_a_pipeline_is_told_of_changes_by_the_exit_code(shell: Shell, site: Website) -> None:
    assert update(shell, site, "--fail-on-change").code == 10
    assert update(shell, site, "--fail-on-change").code == 0
    site["/billing.html"] = page("Billing", "Invoices are sent on the last day of each month.")
    assert update(shell, site, "--fail-on-change").code == 10
    told = shell.crawl("--fail-on-change", site.url())
    assert told.code == 2
    assert "--fail-on-change: only --update tells" in told.err


def test_the_summary_names_what_changed(shell: Shell, site: Website) -> None:
    update(shell, site)
    site["/about.html"] = page("About us", "We have moved to another town.")
    told = shell.crawl("--update")
    assert "update        0 added, 1 changed, 0 removed, 5 unchanged" in told.out
    assert "  changed\n    about.md  http://" in told.out


def test_a_dry_run_says_what_would_be_revisited_and_asks_for_none_of_it(shell: Shell, site: Website) -> None:
    update(shell, site)
    before, seen = tree(shell), len(site.log)
    site.robots = "User-agent: *\nDisallow: /billing\n"
    told = shell.crawl("--update", "--dry-run", "--json")
    assert {one["path"] for one in told.json["revisits"]} >= {"home.md", "backups.md", "prices.pdf"}
    assert [(one["path"], one["rule"]) for one in told.json["removals"]] == [("billing.md", "robots")]
    assert "5 pages held would be revisited" in shell.crawl("--update", "--dry-run").out
    assert {asked.path for asked in site.log[seen:]} <= {"/robots.txt", "/"}
    assert tree(shell) == before


def test_a_folder_of_other_things_is_not_updated(shell: Shell, site: Website) -> None:
    (shell.folder / "output").mkdir()
    (shell.folder / "output" / "notes.md").write_text("# Mine\n")
    told = update(shell, site)
    assert told.code == 2
    assert "not of a crawl" in told.err
