"""The pruning filter: the main part of a page, less the blocks that five documented signals speak against.

Text against markup, text outside links, the kind of element, its class and id, and its length, each 0..1,
weighted to one score; a block below the threshold goes with all under it. Only containers are judged, and
only those that links or names give reason to: paragraphs, inline elements, code, tables, definitions,
formulas and notices stay whole inside what is kept. Where most of the text would go, the page is made of
such blocks (a list of products, of questions), and nothing goes.
"""

import math
from dataclasses import dataclass
from functools import cached_property

from adaptive_crawl.crawler.reading.html import Content, Document
from adaptive_crawl.crawler.reading.passages import word_count
from adaptive_crawl.crawler.reading.tree import BLOCKS, HEADINGS, Element, text_of
from adaptive_crawl.crawler.reading.visibility import is_admonition

from .content import ContentConfig, Mode
from .landmarks import Measures, main_part

FULL_LENGTH = 1_000
"""Characters from which a text counts as long: more of it proves nothing more."""
LINKED = 0.4
"""Share of link text from which a block is judged."""
FEWEST_LINKS = 3
"""Links from which a block is judged for them; and none that stand in one paragraph, as in see-also lines."""
AT_MOST = 0.3
"""Share of the main part's text that may go."""
NEXT_TO_NOTHING = 25
"""Characters below which a main part is none, where the page has more."""

_TAG_WEIGHTS = {"p": 1.0, "article": 1.5, "main": 1.5, "section": 1.0, "span": 0.3, "h1": 1.2, "h2": 1.1}
_TAG_WEIGHTS |= {"h3": 1.0, "h4": 0.9, "h5": 0.8, "h6": 0.7}
_OTHER_TAG = 0.5
_IMPORTANT = {
    "article": 1.5,
    "main": 1.4,
    "section": 1.3,
    "p": 1.2,
    "h1": 1.4,
    "h2": 1.3,
    "h3": 1.2,
    "div": 0.7,
}
_NEGATIVE = frozenset(
    [
        "nav",
        "navigation",
        "footer",
        "header",
        "sidebar",
        "ads",
        "ad",
        "advert",
        "adverts",
        "advertisement",
        "comment",
        "comments",
        "promo",
        "promotion",
        "social",
        "share",
        "sharing",
    ]
)
_JUDGED = frozenset(
    [
        "div",
        "section",
        "ul",
        "ol",
        "form",
        "header",
        "footer",
        "aside",
        "article",
        "fieldset",
        "center",
        "menu",
        "hgroup",
        "address",
    ]
)
_WHOLE = frozenset(["pre", "table", "dl", "figure", "math", "details", "blockquote"])
_SPARED = frozenset({"h1", "pre", "math", "table", "dl", "main"})
_SHORT_JUDGED = frozenset({"p", "div", "section", "ul", "ol"})


@dataclass(frozen=True)
class Pruning:
    """Keeps the main part, pruned."""

    config: ContentConfig

    def select(self, document: Document) -> Content:
        measures = Measures(document)
        part = main_part(document, measures)
        root, outside = part.root, part.outside
        judge = Judge(document, measures, self.config, part.declared)
        left_out = judge.spared_if_most(root, outside, judge.condemned(root, outside))
        if self.config.min_words:
            left_out |= _short(document, root, left_out, self.config.min_words)
        left_out |= _bare_headings(document, measures, root, left_out)
        return fallback(document, measures, Content((root,), frozenset(left_out)))


def fallback(document: Document, measures: Measures, content: Content) -> Content:
    """The content, or the body without its navigation, or all of it, where next to nothing would be left."""
    body = document.tree.body
    total = measures.text(body)
    if _left(measures, content) >= min(NEXT_TO_NOTHING, total / 2):
        return content
    named = ("nav", "header", "footer", "aside")
    bare = Content((body,), frozenset(_outermost(document.tree.named(*named))))
    if _left(measures, bare) >= min(NEXT_TO_NOTHING, total / 2):
        return bare
    return Content((body,))


def _left(measures: Measures, content: Content) -> int:
    return sum(map(measures.text, content.roots)) - sum(map(measures.text, _outermost(content.left_out)))


def _outermost(elements: "frozenset[Element] | list[Element] | set[Element]") -> list[Element]:
    found: list[Element] = []
    for element in sorted(elements, key=lambda element: element.index):
        if not found or element.index >= found[-1].end:
            found.append(element)
    return found


class Judge:
    """The five signals, over one page; ``declared``: the page names its main part itself."""

    def __init__(
        self, document: Document, measures: Measures, config: ContentConfig, declared: bool = False
    ) -> None:
        self.tree = document.tree
        self.measures = measures
        self.config = config
        self.declared = declared

    @cached_property
    def markup(self) -> list[int]:
        """Characters of the tags before each element, in document order."""
        sums = [0]
        total = 0
        for element in self.tree.elements:
            total += 2 * len(element.name) + 5
            for name, value in element.attrs.items():
                total += len(name) + 4 + (len(value) if value else 0)
            sums.append(total)
        return sums

    def condemned(self, root: Element, outside: frozenset[Element]) -> set[Element]:
        """Blocks to leave out, none within another."""
        elements = self.tree.elements
        gone: set[Element] = set()
        index = root.index + 1
        while index < root.end:
            element = elements[index]
            if element in outside or element.name in _WHOLE or is_admonition(element):
                index = element.end
            elif element.name in _JUDGED and self._is_condemned(element):
                gone.add(element)
                index = element.end
            else:
                index += 1
        return gone

    def _is_condemned(self, element: Element) -> bool:
        negative = _negative(element)
        share = self.measures.link_share(element)
        if not negative and (self.declared or share <= LINKED or self.measures.links(element) < FEWEST_LINKS):
            return False
        if not self.measures.text(element) or self.score(element) >= self.threshold(element):
            return False
        return not self._holds_content(element, bool(negative))

    def _holds_content(self, element: Element, named: bool) -> bool:
        """Is there something in it that stays whole, or, unless its name speaks against it, a paragraph of
        several links, as see-also lines have?"""
        spared, lines = self._kept_sums
        if spared[element.end] > spared[element.index]:
            return True
        return not named and lines[element.end] > lines[element.index]

    @cached_property
    def _kept_sums(self) -> tuple[list[int], list[int]]:
        spared, lines = [0], [0]
        for element in self.tree.elements:
            spared.append(spared[-1] + (element.name in _SPARED))
            lines.append(lines[-1] + (element.name == "p" and self.measures.links(element) > 1))
        return spared, lines

    def score(self, element: Element) -> float:
        """Weighted sum of the five signals, 0..1."""
        weights = self.config.weights
        text = self.measures.text(element)
        class_id = 1.0 - 0.5 * _negative(element)
        length = min(1.0, math.log1p(text) / math.log1p(FULL_LENGTH))
        return (
            weights.text_density * self.density(element)
            + weights.link_density * (1.0 - self.measures.link_share(element))
            + weights.tag * min(1.0, _TAG_WEIGHTS.get(element.name, _OTHER_TAG))
            + weights.class_id * class_id
            + weights.text_length * length
        )

    def density(self, element: Element) -> float:
        """Share of text in text and markup, 0..1."""
        text = self.measures.text(element)
        return text / (text + self.markup[element.end] - self.markup[element.index])

    def threshold(self, element: Element) -> float:
        threshold = self.config.threshold
        if self.config.mode is Mode.DYNAMIC:
            if _IMPORTANT.get(element.name, 0.0) > 1:
                threshold *= 0.8
            if self.density(element) > 0.4:
                threshold *= 0.9
            if self.measures.link_share(element) > 0.6:
                threshold *= 1.2
        return threshold

    def spared_if_most(self, root: Element, outside: frozenset[Element], gone: set[Element]) -> set[Element]:
        """All that is left out: nothing but navigation where too much else would go."""
        text = self.measures.text
        inside = text(root) - sum(map(text, outside))
        return set(outside) | gone if sum(map(text, gone)) <= AT_MOST * inside else set(outside)


def _negative(element: Element) -> int:
    """How many of class and id hold a word that content is not called by, as a whole word: main-nav does,
    navy and uploads do not."""
    attrs = element.attrs
    if "class" not in attrs and "id" not in attrs:
        return 0
    values = (element.get("class"), element.get("id"))
    return sum(not _NEGATIVE.isdisjoint(Element("", {"class": value}, None, 0).words()) for value in values)


def _short(document: Document, root: Element, left_out: set[Element], least: int) -> set[Element]:
    """Blocks of running text, or of lists, with fewer words than asked for."""
    gone: set[Element] = set()
    elements = document.tree.elements
    index = root.index + 1
    while index < root.end:
        element = elements[index]
        if element in left_out or element.name in _WHOLE or element.name in HEADINGS:
            index = element.end
            continue
        if element.name in _SHORT_JUDGED and not _holds_blocks(document, element):
            text = text_of(element, 20 * least)
            if text and word_count(text) < least:
                gone.add(element)
            index = element.end
            continue
        index += 1
    return gone


def _holds_blocks(document: Document, element: Element) -> bool:
    return any(inner.name in BLOCKS and inner.name != "li" for inner in document.tree.within(element)[1:])


def _bare_headings(
    document: Document, measures: Measures, root: Element, left_out: set[Element]
) -> set[Element]:
    """Headings under which everything was left out."""
    if not left_out:
        return set()
    gone = _outermost(left_out)
    bare: set[Element] = set()
    headings = [
        heading
        for heading in document.tree.named(*HEADINGS)
        if root.holds(heading) and not any(part.holds(heading) for part in gone)
    ]
    for place, heading in enumerate(headings):
        end = headings[place + 1].index if place + 1 < len(headings) else root.end
        under = [part for part in gone if heading.end <= part.index < end]
        if not under or heading.name == "h1":
            continue
        text = measures.between(heading.end, end)
        if text - sum(map(measures.text, under)) < 3:
            bare.add(heading)
    return bare
