"""A page → the search index of the generator that made it, by what only that generator writes into its pages.

Knows where each puts its index, relative to what a page says of its site's root; whether it is there, only a
request tells.
"""

import re
from collections.abc import Iterator

from ..reading.tree import Tree
from ..urls import resolve

MAX_SCRIPT = 20_000
"""Characters of a script in a page that are looked at."""

_GENERATOR = re.compile(r"mkdocs|docusaurus|javadoc|sphinx|vitepress|mdbook", re.IGNORECASE)
_MKDOCS_BASE = re.compile(r"""(?:var\s+base_url\s*=\s*|"base"\s*:\s*)["']([^"']{0,300})["']""")
_MDBOOK_ROOT = re.compile(r"""(?:var|let|const)\s+path_to_root\s*=\s*["']([^"']{0,300})["']""")
_MDBOOK_INDEX = re.compile(r"""path_to_searchindex_js\s*=\s*["']([^"']{1,300})["']""")
_JAVADOC_ROOT = re.compile(r"""(?:var|let|const)\s+pathtoroot\s*=\s*["']([^"']{0,300})["']""")
_SPHINX_SCRIPT = re.compile(r"(?:\A|/)_static/(?:documentation_options|searchtools|doctools)\.js")
_DOCUSAURUS_SCRIPT = re.compile(r"\A(.*?/?)assets/js/(?:main|runtime~main)[\w.~-]*\.js")
_VITEPRESS_CHUNK = re.compile(r"assets/chunks/theme[\w.-]*\.js")
_JEKYLL_SCRIPT = re.compile(r"\A(.*?/?)assets/js/just-the-docs\.js")


def search_indexes(tree: Tree, base: str) -> tuple[str, ...]:
    """Where the search index of a page's site lies, absolute; several where a generator has several."""
    found = (resolve(base, href) for href in _places(tree))
    return tuple(dict.fromkeys(url for url in found if url))


def fallback(url: str) -> str:
    """What to ask where a search index could not be had; empty for nothing."""
    return f"{url.removesuffix('searchindex.js')}objects.inv" if url.endswith("/searchindex.js") else ""


def _places(tree: Tree) -> Iterator[str]:
    sources = [script.get("src") for script in tree.named("script")]
    inline = [_inside(script) for script in tree.named("script") if not script.get("src")]
    generator = next(
        (meta.get("content") for meta in tree.named("meta") if meta.get("name").lower() == "generator"), ""
    ).lower()
    yield from _sphinx(tree, sources)
    if "mkdocs" in generator or any("base_url" in script or '"base"' in script for script in inline):
        yield from _joined(_MKDOCS_BASE, inline, "search/search_index.json")
    for script in inline:
        root, index = _MDBOOK_ROOT.search(script), _MDBOOK_INDEX.search(script)
        if root:
            yield f"{root[1]}{index[1] if index else 'searchindex.json'}"
    for script in inline:
        root = _JAVADOC_ROOT.search(script)
        if root:
            yield from (f"{root[1]}{name}-search-index.js" for name in ("type", "member"))
    if "docusaurus" in generator:
        yield from _joined(_DOCUSAURUS_SCRIPT, sources, "search-index.json")
    if "jekyll" in generator or any("just-the-docs" in source for source in sources):
        yield from _joined(_JEKYLL_SCRIPT, sources, "assets/js/search-data.json")
    if "vitepress" in generator:
        yield from (
            link.get("href") for link in tree.named("link") if _VITEPRESS_CHUNK.search(link.get("href"))
        )


def _sphinx(tree: Tree, sources: list[str]) -> Iterator[str]:
    """Since Sphinx 7.2 the root stands at ``<html>``, before that at a script, and before 1.8 in one."""
    for element in [tree.root, *tree.named("script")]:
        root = element.attrs.get("data-content_root") or element.attrs.get("data-url_root")
        if root is not None:
            yield f"{root}searchindex.js"
            return
    for source in sources:
        script = _SPHINX_SCRIPT.search(source)
        if script:
            yield f"{source[: script.start()]}/searchindex.js" if script.start() else "searchindex.js"
            return


def _joined(pattern: re.Pattern[str], texts: list[str], name: str) -> Iterator[str]:
    for text in texts:
        match = pattern.search(text)
        if match:
            root = match[1]
            yield f"{root}{'' if not root or root.endswith('/') else '/'}{name}"
            return


def _inside(script: object) -> str:
    return "".join(child for child in getattr(script, "children", ()) if isinstance(child, str))[:MAX_SCRIPT]
