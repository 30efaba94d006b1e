"""The main part of a page, by its structure: what is set apart as navigation, and where the prose is.

Evidence, not names of generators: elements and roles that say what they are for, words of classes and ids
where the text agrees with them, how much of a block is links, and which element holds most of the prose.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from adaptive_crawl.crawler.reading.html import Document
from adaptive_crawl.crawler.reading.tree import HEADINGS, LISTS, SILENT, Element, Tree
from adaptive_crawl.crawler.reading.visibility import is_admonition, is_hidden

MOST = 0.85
"""Share of the prose that an element must hold for the main part to be within it."""
ENOUGH = 120
"""Characters of prose that a declared main part must have to be believed, where the page has more."""
FEW_LINKS = 0.35
"""Share of link text up to which a block is not made of links."""

_NAVIGATION_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar", "tablist", "dialog"}
    | {"alertdialog", "complementary"}
)
_MAIN_ROLES = frozenset({"main", "article"})
_KEPT = frozenset({"pre", "code", "math", "dl", "dt", "dd", "table", "figure", *HEADINGS})
"""Never judged by the names of their classes alone."""
_OUTSIDE = frozenset(
    {
        *(
            "nav",
            "navbar",
            "navigation",
            "navheader",
            "navfooter",
            "navlinks",
            "navmenu",
            "topnav",
            "sidenav",
        ),
        *("subnav", "sitenav", "globalnav", "menu", "menubar", "submenu", "sidebar", "sidebars", "toolbar"),
        *(
            "breadcrumb",
            "breadcrumbs",
            "pagination",
            "pager",
            "paging",
            "footer",
            "foot",
            "header",
            "masthead",
        ),
        *("topbar", "banner", "toc", "tableofcontents", "related", "relations", "share", "sharing", "social"),
        *("cookie", "cookies", "consent", "gdpr", "newsletter", "subscribe", "signup", "promo", "promos"),
        *("advert", "adverts", "advertisement", "advertising", "ads", "ad", "sponsor", "sponsored", "widget"),
        *("comments", "comment", "respond", "disqus", "copyright", "colophon", "skip", "popup", "modal"),
        *("login", "searchbox", "searchbar", "prevnext", "prev-next", "next-prev", "rst-footer-buttons"),
        *("backlinks", "recommended", "recommendations", "trending", "feedback", "edit-page", "editlink"),
    }
)
_CLEARLY_OUTSIDE = frozenset(
    {"navbar", "navheader", "navfooter", "navigation", "breadcrumb", "breadcrumbs", "pagination", "footer"}
    | {"copyright", "cookie", "cookies", "gdpr", "consent", "colophon", "menubar", "prevnext", "searchbox"}
)
_CONTENTS = frozenset({"toc", "tableofcontents"})
"""Names of lists of contents: those of one page repeat its headings, those of a book are its content."""
_PLAIN_NAMES = frozenset({"div", "section", "ul", "ol", "p", "form", "table", "details", "dl"})


class Measures:
    """Amounts of text of every subtree, from one pass: prefix sums over the elements in document order.

    ``text``, ``linked`` and ``links`` of an element are characters, characters within links, and links.
    """

    __slots__ = ("_linked", "_links", "_local", "_mains", "_text", "_titles", "tree")

    def __init__(self, document: Document) -> None:
        self.tree: Tree = document.tree
        text, linked, links, local, mains, titles = [0], [0], [0], [0], [0], [0]
        total = link_total = link_count = local_count = 0
        link_end = silent_end = 0
        for element in self.tree.elements:
            index = element.index
            name = element.name
            if index >= silent_end:
                if name in SILENT or name == "button" or (element.attrs and is_hidden(element)):
                    silent_end = element.end
                else:
                    if name == "a" and index >= link_end:
                        link_end = element.end
                        href = element.attrs.get("href")
                        if href:
                            link_count += 1
                            local_count += href[0] == "#"
                        else:
                            link_end = index
                    for child in element.children:
                        if child.__class__ is str:
                            size = len(child.strip())
                            total += size
                            if index < link_end:
                                link_total += size
            text.append(total)
            linked.append(link_total)
            links.append(link_count)
            local.append(local_count)
            mains.append(mains[-1] + (name in ("main", "h1") or element.attrs.get("role") == "main"))
            titles.append(titles[-1] + (name in ("h1", "h2")))
        self._text, self._linked, self._links, self._local = text, linked, links, local
        self._mains, self._titles = mains, titles

    def text(self, element: Element) -> int:
        return self._text[element.end] - self._text[element.index]

    def between(self, start: int, end: int) -> int:
        """Characters of the elements from one index to before another, of their own text."""
        return self._text[end] - self._text[start]

    def linked(self, element: Element) -> int:
        return self._linked[element.end] - self._linked[element.index]

    def links(self, element: Element) -> int:
        return self._links[element.end] - self._links[element.index]

    def local(self, element: Element) -> int:
        """Links to places on the same page."""
        return self._local[element.end] - self._local[element.index]

    def mains(self, element: Element) -> int:
        """Main headings, and elements that call themselves the main part."""
        return self._mains[element.end] - self._mains[element.index]

    def titles(self, element: Element) -> int:
        """Headings of the two highest levels."""
        return self._titles[element.end] - self._titles[element.index]

    def prose(self, element: Element) -> int:
        """Characters outside links."""
        return self.text(element) - self.linked(element)

    def link_share(self, element: Element) -> float:
        """Share of text that is link text, 0..1."""
        text = self.text(element)
        return self.linked(element) / text if text else 0.0


@dataclass(frozen=True, slots=True)
class MainPart:
    """Where the main part of a page is."""

    root: Element
    outside: frozenset[Element]
    """Navigation within the root."""
    declared: bool
    """The page says itself that this is its main part."""


def main_part(document: Document, measures: Measures) -> MainPart:
    """The element that holds the main part, and what in it is navigation all the same."""
    body = document.tree.body
    outside = list(_navigation(body, measures, measures.text(body)))
    declared = _declared(document, measures, outside)
    root = declared or _narrowed(body, measures, _Without(measures, outside))
    inside = frozenset(gone for gone in outside if root.holds(gone) and gone is not root)
    return MainPart(root, inside, declared is not None)


class _Without:
    """Prose of a subtree without the parts that were set aside."""

    def __init__(self, measures: Measures, outside: list[Element]) -> None:
        self._measures = measures
        self._outside = outside  # in document order, none within another
        self._starts = [part.index for part in outside]
        self._gone = [0, *accumulate(measures.prose(part) for part in outside)]

    def prose(self, element: Element) -> int:
        first = bisect_left(self._starts, element.index)
        if first and self._outside[first - 1].holds(element):
            return 0
        last = bisect_left(self._starts, element.end, first)
        return self._measures.prose(element) - (self._gone[last] - self._gone[first])


def _navigation(top: Element, measures: Measures, total: int) -> Iterator[Element]:
    """Subtrees set apart from the content, in document order, none within another."""
    elements = measures.tree.elements
    index = top.index + 1
    while index < top.end:
        element = elements[index]
        if element.name in SILENT or is_navigation(element, measures, total):
            yield element
            index = element.end
        else:
            index += 1


def is_navigation(element: Element, measures: Measures, total: int) -> bool:
    """Is this set apart from the content? ``total`` is the text of the page, in characters."""
    name = element.name
    if name == "nav":
        return True
    attrs = element.attrs
    if name in ("header", "footer", "aside"):
        return _is_outer(element, measures, total)
    if not attrs:
        return False
    role = attrs.get("role")
    if role in _NAVIGATION_ROLES:
        return role in ("navigation", "menu", "menubar") or measures.text(element) < total / 2
    if name not in _PLAIN_NAMES or ("class" not in attrs and "id" not in attrs):
        return False
    words = element.words()
    named = words & _OUTSIDE
    if not named or is_admonition(element):
        return False
    return _agrees(element, measures, total, bool(named & _CLEARLY_OUTSIDE), named <= _CONTENTS)


def _is_outer(element: Element, measures: Measures, total: int) -> bool:
    """Is a header, footer or aside the page's, and not a part of what is to be read?"""
    if element.get("role") in ("note", "doc-footnote", "doc-endnotes") or is_admonition(element):
        return False
    if element.name == "aside":
        return "footnote" not in element.get("class") and measures.text(element) < total / 2
    inside = any(
        above.name in ("main", "article") or above.get("role") in _MAIN_ROLES for above in element.ancestors()
    )
    if element.name == "footer":
        return measures.text(element) < total / 2
    if inside or _has_heading(element, measures):
        return measures.links(element) > 3 and measures.link_share(element) > 0.6
    return measures.text(element) < total / 2


def _has_heading(element: Element, measures: Measures) -> bool:
    """Is this the header of an article: its heading, and next to no links?"""
    if measures.links(element) > 5:
        return False
    return measures.titles(element) > 0


def _agrees(element: Element, measures: Measures, total: int, clear: bool, only_contents: bool) -> bool:
    """Does the text of a block agree with a name that sounds like navigation?"""
    text = measures.text(element)
    if text > total * 0.4 or _holds_main(element, measures):
        return False
    if element.name in _KEPT and not clear:
        return False
    share = measures.link_share(element)
    if clear:
        return share > 0.2 or text < 400
    if only_contents:
        return measures.links(element) == measures.local(element)
    return share > FEW_LINKS or text < 60


def _holds_main(element: Element, measures: Measures) -> bool:
    return measures.mains(element) > 0


def _declared(document: Document, measures: Measures, outside: list[Element]) -> Element | None:
    """The one element that the page itself calls its main part, if it holds enough of the prose."""
    without = _Without(measures, outside)
    total = without.prose(document.tree.body)
    found = [
        element
        for element in document.tree.elements
        if element.name == "main" or (element.attrs and element.attrs.get("role") == "main")
    ]
    outermost: list[Element] = []
    for main in found:
        if not outermost or main.index >= outermost[-1].end:
            outermost.append(main)
    if len(outermost) == 1:
        prose = without.prose(outermost[0])
        if prose >= total * 0.5 or (prose >= ENOUGH and prose >= total * 0.2):
            return _narrowed(outermost[0], measures, without)
    return None


def _narrowed(top: Element, measures: Measures, without: _Without) -> Element:
    """The smallest element that holds most of the prose, and the main heading if ``top`` has one."""
    headings = [inner for inner in measures.tree.within(top) if inner.name == "h1"]
    heading = headings[0] if len(headings) == 1 else None
    root = top
    prose = without.prose(top)
    if not prose:
        return top
    while True:
        inner = max(root.elements(), key=without.prose, default=None)
        if (
            inner is None
            or inner.name in _KEPT
            or inner.name in LISTS
            or inner.name in ("p", "blockquote", "tbody")
        ):
            return root
        if without.prose(inner) < MOST * prose:
            return root
        if heading is not None and not inner.holds(heading) and root.holds(heading):
            return root
        root = inner
