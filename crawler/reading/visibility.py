"""What of a page a reader sees as text: hidden elements, signs that only link a place to itself, notices.

Knows the habits of pages and their generators; each rule names a kind of element, never one site.
"""

import re

from .hyperlinks import Resolver
from .tree import BLOCKS, Element, text_of

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_VARIANTS = 8
"""Children of one element that a script chooses among."""
_SMALL = 30
"""Elements: what a screen reader is not told is decoration while it is small."""
_TABS = frozenset({"tabpanel", "tab-pane", "tabs-panel", "tabbed-block", "tab-content", "tabitem"})
_UNSEEN = frozenset(
    {
        *("sr-only", "visually-hidden", "screen-reader-text", "screenreader-text", "visuallyhidden"),
        *("headerlink", "viewcode-link", "viewcode-back", "mw-editsection", "katex-html", "copybtn"),
        *("copy-button", "clipboard-button", "mwe-math-fallback-image-inline", "no-print", "noprint"),
        "backrefs",
    }
)
_PERMALINKS = frozenset(
    {"headerlink", "permalink", "hash-link", "anchor", "anchor-link", "anchorjs-link", "heading-anchor"}
    | {
        "header-anchor",
        "fn-backref",
        "footnote-back",
        "footnote-backref",
        "reversefootnote",
        "mark",
        "id_link",
    }
)
_NOTICES = frozenset(
    {"admonition", "admonitionblock", "callout", "theme-admonition", "starlight-aside", "markdown-alert"}
    | {"alert-info", "alert-warning", "alert-danger", "alert-success", "alert-note", "alert-tip"}
)
_NOTICE_KINDS = frozenset({"note", "warning", "tip", "caution", "important", "danger", "attention", "hint"})
_NOTICE_SIZE = 250
"""Elements: a larger one is a part of the page, whatever its class."""


def is_hidden(element: Element) -> bool:
    """Is this element never shown as text? Panels of tabs are content, though only one shows at a time."""
    attrs = element.attrs
    if _is_concealed(element) and not (element.name == "body" or _is_tab(element) or is_variant(element)):
        return True
    if attrs.get("aria-hidden") == "true" and element.end - element.index <= _SMALL and element.name != "pre":
        return not _is_prose(element)
    classes = attrs.get("class")
    if not classes:
        return False
    if attrs.get("role") == "tablist":
        return False
    return not _UNSEEN.isdisjoint(classes.split())


def is_variant(element: Element, later: bool = False) -> bool:
    """Is this hidden element one of several texts of which a script shows one, as the keys of each platform?

    All that stands within one element of a line is hidden then: whoever runs no script needs every text.

    Args:
        later: ask whether it is one, and not the first of them.
    """
    around = element.parent
    if around is None or around.name in BLOCKS or not 2 <= len(around.children) <= 2 * _VARIANTS + 1:
        return False
    texts = [child for child in around.children if not isinstance(child, str) or not child.isspace()]
    if len(texts) < 2 or not all(map(_is_hidden_text, texts)):
        return False
    return not later or texts[0] is not element


def _is_hidden_text(node: Element | str) -> bool:
    return isinstance(node, Element) and _is_concealed(node) and text_of(node, 10) != ""


def _is_concealed(element: Element) -> bool:
    attrs = element.attrs
    if attrs.get("hidden", "until-found") != "until-found":
        return True
    return "style" in attrs and _HIDDEN_STYLE.search(attrs["style"] or "") is not None


def _is_tab(element: Element) -> bool:
    if element.get("role") == "tabpanel":
        return True
    words = element.get("class").lower()
    return any(tab in words for tab in _TABS)


def _is_prose(element: Element) -> bool:
    return element.name in ("p", "li", "td", "div", "section") and len(text_of(element, 300)) > 200


def is_permalink(element: Element) -> bool:
    """Is a link to a place on its own page only a sign beside that place, with no word to read?"""
    text = text_of(element, 100)
    if not any(map(str.isalnum, text)):
        return True
    classes = element.get("class").lower().split()
    return not _PERMALINKS.isdisjoint(classes) and (len(text) < 4 or element.get("role") == "doc-backlink")


def is_admonition(element: Element) -> bool:
    """Is this a notice set apart from the text: a note, a tip, a warning?"""
    if (
        element.name not in ("div", "aside", "section", "details")
        or element.end - element.index > _NOTICE_SIZE
    ):
        return False
    classes = element.get("class").lower().split()
    if not classes:
        return False
    if not _NOTICES.isdisjoint(classes):
        return not any(above.name in ("h1", "h2") for above in element.elements())
    return classes[0] in _NOTICE_KINDS and element.name != "details"


def is_notice_title(element: Element) -> bool:
    """Is this the title of a notice, and no heading of the page?"""
    if element.name not in ("p", "div", "span", "strong") or element.end - element.index > 10:
        return False
    named = element.get("class").lower()
    return "title" in named or "heading" in named


def is_signature(term: Element, resolver: Resolver) -> bool:
    """Is a term the signature of a function or class, best read as code? Not where it links elsewhere."""
    if "sig" not in term.get("class").split():
        return False
    pending = [term]
    while pending:
        node = pending.pop()
        if (
            node.name == "a"
            and "viewcode-link" not in node.get("class")
            and not resolver.stays(node.get("href"))
        ):
            return False
        pending.extend(node.elements())
    return True
