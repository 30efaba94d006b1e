"""HTML → what a page says of itself: title, language, description, directives, and where it leads at once.

Everything is read from the one tree of ``tree.py``; the links are ``hyperlinks.py``'s, the Markdown is
``markdown.py``'s, and which part of the page is content a filter decides, whose protocol is here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ..urls import resolve
from .tree import Element, Tree, collapse, text_of

MAX_TITLE = 500
MAX_DESCRIPTION = 1_000
"""Characters: longer ones are lists of keywords."""

_REFRESH = re.compile(
    r"""\s* (?P<seconds>\d{1,9}) (?:\.[\d.]*)? \s* (?:[;,\s] \s* (?:url\s*=\s*)? (?P<target>.*))? \Z""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_SEPARATOR = re.compile(r"\s+(?:[-–—|·•»«:/]|::|&mdash;)\s+|\s*[|»·•]\s*|:\s+")
_SIGNS = re.compile(r"\s*[¶§#🔗]\s*\Z")
_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""Robots directives that a colon may follow; before any other colon stands the name of an agent."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*\Z")


@dataclass(frozen=True, slots=True)
class Refresh:
    """A meta refresh that leads elsewhere."""

    seconds: int
    target: str
    """Absolute."""
    without_scripts: bool
    """Meant only for clients that run no scripts (it stands in a ``noscript``)."""


@dataclass(frozen=True, slots=True)
class Document:
    """One HTML page, parsed."""

    tree: Tree
    url: str
    encoding: str
    """Python codec that its bytes were in: queries of its links are encoded in it."""
    base: str
    """What its relative links are relative to."""
    title: str
    language: str
    """As declared, lower case, as ``zh-cn``; empty if not."""
    description: str
    canonical: str
    """Absolute; empty if not declared."""
    noindex: bool
    nofollow: bool
    refresh: Refresh | None


@dataclass(frozen=True, slots=True)
class Content:
    """Which part of a tree is main content: subtrees in document order, none inside another, without
    the subtrees that were left out of them."""

    roots: tuple[Element, ...]
    left_out: frozenset[Element] = frozenset()

    def members(self, tree: Tree) -> bytearray:
        """One byte an element, by index: 1 for content."""
        inside = bytearray(len(tree.elements))
        for root in self.roots:
            inside[root.index : root.end] = b"\x01" * (root.end - root.index)
        for gone in self.left_out:
            inside[gone.index : gone.end] = bytes(gone.end - gone.index)
        return inside


class ContentFilter(Protocol):
    """Tells main content from boilerplate; a function of the document alone, which it leaves as it is."""

    def select(self, document: Document) -> Content:
        """The main content of a page; never nothing where the page has a text."""


def parse(html: str, url: str, encoding: str = "utf-8", headers: Mapping[str, str] | None = None) -> Document:
    """Read a page that came from ``url``; ``headers`` (lower-case names) may add to what it declares."""
    headers = headers or {}
    tree = Tree(html)
    base = _base(tree, url)
    metas = _metas(tree)
    directives = _directives(metas, headers.get("x-robots-tag", ""))
    return Document(
        tree=tree,
        url=url,
        encoding=encoding,
        base=base,
        title=_title(tree, metas),
        language=_language(tree, metas, headers.get("content-language", "")),
        description=collapse(metas.get("description") or metas.get("og:description") or "")[:MAX_DESCRIPTION],
        canonical=_canonical(tree, base),
        noindex="noindex" in directives or "none" in directives,
        nofollow="nofollow" in directives or "none" in directives,
        refresh=_refresh(tree, base),
    )


def _base(tree: Tree, url: str) -> str:
    """The first ``base`` with a ``href`` counts, if it is of use; it may itself be relative."""
    for element in tree.named("base"):
        if "href" in element.attrs:
            return resolve(url, element.get("href")) or url
    return url


def _metas(tree: Tree) -> dict[str, str]:
    """Content by name; of a repeated name the first, but all robots directives together."""
    found: dict[str, str] = {}
    for meta in tree.named("meta"):
        name = (meta.get("name") or meta.get("property") or meta.get("http-equiv")).strip().lower()
        content = meta.get("content").strip()
        if name == "robots":
            found[name] = found.get(name, "") + "," + content
        elif name and content:
            found.setdefault(name, content)
    return found


def _directives(metas: Mapping[str, str], header: str) -> set[str]:
    """Robots directives of page and header; those of the header that name one agent are not for us."""
    directives = {word.strip().lower() for word in metas.get("robots", "").split(",")}
    named = False
    for part in header.lower().split(","):
        agent, colon, directive = (piece.strip() for piece in part.partition(":"))
        if not colon or agent in _WITH_VALUE:
            directive = agent
        else:
            named = agent not in ("robots", "*")
        if not named:
            directives.add(directive)
    return directives


def _title(tree: Tree, metas: Mapping[str, str]) -> str:
    """The title without the site's name where the main heading shows which part that is; else the heading."""
    title = next((text for text in map(_title_text, _titles(tree)) if text), "")
    heading = next((text for text in (heading_text(h1) for h1 in tree.named("h1")) if text), "")
    if not title:
        title = heading or collapse(metas.get("og:title", ""))
    elif len(heading) >= 3 and len(heading) < len(title):
        before, found, after = title.partition(heading)
        stands_alone = (not before or _SEPARATOR.search(before[-3:])) and (
            not after or _SEPARATOR.match(after)
        )
        if found and stands_alone and not (before and after):
            title = heading
    if not title:
        first = tree.named("h2", "h3")
        title = heading_text(first[0]) if first else ""
    return title[:MAX_TITLE].strip()


def _titles(tree: Tree) -> list[Element]:
    """Titles of the document; those of drawings are not."""
    return [title for title in tree.named("title") if all(above.name != "svg" for above in title.ancestors())]


def _title_text(title: Element) -> str:
    return _SIGNS.sub("", collapse("".join(child for child in title.children if isinstance(child, str))))


def heading_text(heading: Element) -> str:
    """Text of a heading without its permalink sign."""
    return _SIGNS.sub("", text_of(heading, 1_000, leave=frozenset({"button"})))


def _language(tree: Tree, metas: Mapping[str, str], header: str) -> str:
    declared = (
        tree.root.get("lang")
        or tree.root.get("xml:lang")
        or tree.body.get("lang")
        or metas.get("content-language")
        or header.partition(",")[0]
        or metas.get("og:locale", "")
    )
    language = declared.strip().lower()
    return language.replace("_", "-") if _LANGUAGE.match(language) else ""


def _canonical(tree: Tree, base: str) -> str:
    for link in tree.named("link"):
        if "canonical" in link.get("rel").lower().split() and link.get("href").strip():
            return resolve(base, link.get("href")) or ""
    return ""


def _refresh(tree: Tree, base: str) -> Refresh | None:
    for meta in tree.named("meta"):
        if meta.get("http-equiv").strip().lower() != "refresh":
            continue
        match = _REFRESH.match(meta.get("content"))
        target = resolve(base, _unquoted(match["target"] or "")) if match else None
        if match and target and match["target"]:
            within_noscript = any(above.name == "noscript" for above in meta.ancestors())
            return Refresh(int(match["seconds"]), target, within_noscript)
    return None


def _unquoted(target: str) -> str:
    target = target.strip()
    if target[:1] in ("'", '"'):
        return target[1:].partition(target[0])[0].strip()
    return target
