"""The documentation of Larder, a backup tool that does not exist: a small site as real sites are.

Content lies in ``tests/larder/`` as HTML fragments, one a page; this module puts the site's chrome round
them (header, menu of the section, breadcrumbs, footer) and serves them as a toy website. It has guides,
a reference, an FAQ, release notes, a blog, a Chinese section, a page that moved, a dead link and a
robots.txt. The question it is asked is ``QUERY``; its answer is on ``ANSWER``.
"""

import html
import re
from pathlib import Path

from .website import Answer, Website, raw, redirect

QUERY = "how long are backups kept"
ANSWER = "/guides/retention.html"

CHINESE_QUERY = "备份保留多久"
CHINESE_ANSWER = "/zh/retention.html"

PAGES = Path(__file__).parent / "larder"

MENU = {
    "/guides/": "Guides",
    "/reference/": "Reference",
    "/faq.html": "FAQ",
    "/releases/": "Release notes",
    "/blog/": "Blog",
    "/about.html": "About",
    "/zh/": "中文",
}

ROBOTS = "User-agent: *\nDisallow: /search\n"


def demo_site() -> Website:
    """Build the site from its fragments."""
    fragments = {_path(file): file.read_text("utf-8") for file in sorted(PAGES.rglob("*.html"))}
    titles = {path: _title(fragment) for path, fragment in fragments.items()}
    answers: dict[str, Answer] = {
        path: raw(_layout(path, fragment, titles)) for path, fragment in fragments.items()
    }
    answers["/docs/"] = redirect("/", 301)
    return Website(answers, robots=ROBOTS)


def _path(file: Path) -> str:
    """URL path of a fragment: ``guides/index.html`` is ``/guides/``."""
    return "/" + file.relative_to(PAGES).as_posix().removesuffix("index.html")


def _title(fragment: str) -> str:
    heading = re.search(r"<h1>(.*?)</h1>", fragment)
    assert heading, "every page of the demo site starts with an h1"
    return html.unescape(heading[1])


def _layout(path: str, fragment: str, titles: dict[str, str]) -> str:
    title = titles[path] if path == "/" else f"{titles[path]} – Larder"
    return f"""<!DOCTYPE html>
<html lang="{"zh-CN" if path.startswith("/zh/") else "en"}">
<head>
<meta charset="utf-8">
<title>{html.escape(title)}</title>
<meta name="generator" content="pantry 3.1">
<link rel="stylesheet" href="/static/site.css">
</head>
<body>
<header class="site-header">
<a class="brand" href="/">Larder</a>
<nav class="top-menu"><ul>{_items(MENU)}</ul></nav>
<form action="/search"><input name="q" placeholder="Search the documentation"></form>
</header>
<div class="columns">
{_sidebar(path, titles)}<main>
{_breadcrumbs(path, titles)}{fragment.rstrip()}
</main>
</div>
<footer class="site-footer">
<p>Licensed under CC BY-SA. <a href="/docs/">Documentation</a> · <a href="/mirrors.html">Mirrors</a> ·
<a href="/search?q=">Search</a> · <a href="https://larder.example/forum">Forum</a></p>
</footer>
</body>
</html>
"""


def _items(links: dict[str, str]) -> str:
    return "".join(f'<li><a href="{href}">{html.escape(text)}</a></li>' for href, text in links.items())


def _section(path: str) -> str:
    return path[: path.rindex("/") + 1]


def _sidebar(path: str, titles: dict[str, str]) -> str:
    section = _section(path)
    if section == "/":
        return ""
    siblings = {other: title for other, title in titles.items() if _section(other) == section}
    return f'<aside class="sidebar"><nav><ul>{_items(siblings)}</ul></nav></aside>\n'


def _breadcrumbs(path: str, titles: dict[str, str]) -> str:
    section = _section(path)
    if path in ("/", section):
        return ""
    above = {"/": "Larder"} | ({section: titles[section]} if section != "/" else {})
    return f'<nav class="breadcrumbs" aria-label="breadcrumbs"><ol>{_items(above)}</ol></nav>\n'
