"""Footnotes: which links refer to one, and which elements hold them.

A raised link to a place on the same page, or one that says it is a note's, becomes ``[^1]``; the element it
leads to becomes ``[^1]: text``.
"""

import re

from .html import Content, Document
from .hyperlinks import Resolver
from .tree import Element, text_of

_LABEL = re.compile(r"[\[(]?([0-9A-Za-z*†‡§]{1,12})[\])]?\Z")
_HOLDERS = frozenset({"li", "aside", "div", "p", "section", "dd", "dt", "tr"})
MAX_NOTE = 300
"""Elements: what is larger is a section that a raised number happens to link to."""


class Notes:
    """The footnotes of one page; ``labels`` by the id of the element that holds each."""

    def __init__(self, document: Document, content: Content, resolver: Resolver) -> None:
        self.resolver = resolver
        self.labels: dict[str, str] = {}
        tree = document.tree
        if not any(map(_may_refer, tree.named("a"))):
            return
        members = content.members(tree)
        wanted: dict[str, str] = {}
        for link in tree.named("a"):
            if (
                members[link.index]
                and _may_refer(link)
                and (label := _label(link))
                and resolver.stays(link.get("href"))
            ):
                wanted.setdefault(link.get("href").partition("#")[2], label)
        for element in tree.elements:
            name = element.attrs.get("id")
            is_holder = element.name in _HOLDERS and element.end - element.index <= MAX_NOTE
            if name in wanted and is_holder and members[element.index]:
                self.labels[name] = wanted[name]
        taken: set[str] = set()
        for name, label in list(self.labels.items()):
            if label in taken:  # two notes of one number: neither can be told by it
                del self.labels[name]
            taken.add(label)

    def reference(self, element: Element) -> str:
        """Label of the note that a link, or a raised link, refers to; empty if to none."""
        if not self.labels:
            return ""
        link = element
        if element.name == "sup":
            links = [child for child in element.elements() if child.name == "a"]
            if len(links) != 1 or text_of(links[0]) not in text_of(element):
                return ""
            link = links[0]
            if len(text_of(element)) > len(text_of(link)) + 2:
                return ""
        elif not _may_refer(element):
            return ""
        name = link.get("href").partition("#")[2]
        return self.labels.get(name, "") if self.resolver.stays(link.get("href")) else ""

    def is_label(self, element: Element) -> bool:
        """Is this, within a note, its number: text that ``[^1]`` says already?"""
        if element.name not in ("span", "a", "sup"):
            return False
        match = _LABEL.match(text_of(element, 40))
        return match is not None and match[1] in self.labels.values() and _may_label(element)


def _may_label(element: Element) -> bool:
    if element.name == "sup" or not {"label", "fn-bracket", "brackets"}.isdisjoint(
        element.get("class").split()
    ):
        return True
    return element.name == "a" and "#" in element.get("href")


def _may_refer(link: Element) -> bool:
    href = link.attrs.get("href")
    if not href or "#" not in href:
        return False
    if link.get("role") == "doc-noteref":
        return True
    classes = link.get("class")
    if "footnote" in classes:
        return "back" not in classes
    return link.parent is not None and link.parent.name == "sup"


def _label(link: Element) -> str:
    match = _LABEL.match(text_of(link, 40))
    return match[1] if match else ""
