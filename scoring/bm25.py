"""The BM25 filter: of the main part of a page, the blocks that bear on a query.

Blocks are scored by BM25 over the page's own blocks, with stems and CJK pairs, times a weight of their
element. They stay where they stand, so what is kept reads in the page's order, under its headings and with
the terms it defines.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from adaptive_crawl.crawler.reading.html import Content, Document
from adaptive_crawl.crawler.reading.passages import word_count
from adaptive_crawl.crawler.reading.tree import BLOCKS, HEADINGS, Element, collapse, text_of
from adaptive_crawl.crawler.reading.visibility import is_admonition

from .content import ContentConfig
from .landmarks import Measures, main_part
from .text import bm25, key_terms, terms

LONG_PARAGRAPH = 150
"""Characters of a first paragraph that says what a page without title or description is about."""
MAX_BLOCKS = 20_000

_WHOLE = frozenset({"p", "pre", "table", "figure", "dt", "blockquote", *HEADINGS})
_TAG_WEIGHTS = {"h1": 5.0, "h2": 4.0, "h3": 3.0, "blockquote": 2.0, "pre": 1.5, "table": 1.5}
_INNER_WEIGHTS = {"code": 2.0, "strong": 2.0, "b": 1.5, "em": 1.5}
_COVERED = 0.5
"""Share of a block that an inline element must make up to lend it its weight."""


@dataclass(frozen=True)
class _Block:
    element: Element
    text: str
    weight: float


@dataclass(frozen=True)
class Relevant:
    """Keeps what bears on ``query``; without one, on what the page says that it is about."""

    config: ContentConfig
    query: str = ""

    def select(self, document: Document) -> Content:
        measures = Measures(document)
        part = main_part(document, measures)
        root, outside = part.root, part.outside
        blocks = list(_blocks(document, root, outside))
        wanted = key_terms(self.query or _subject(document))
        scores = bm25(wanted, [terms(block.text) for block in blocks]) if blocks else []
        kept = {
            block.element
            for block, score in zip(blocks, scores, strict=True)
            if score * block.weight >= self.config.bm25_threshold and self._is_long_enough(block)
        }
        if not kept:  # nothing stands out: every block has the words, or none has
            return Content((root,), outside)
        kept |= set(_companions(document, blocks, kept))
        dropped = {block.element for block in blocks if block.element not in kept}
        return Content((root,), outside | dropped)

    def _is_long_enough(self, block: _Block) -> bool:
        exempt = block.element.name in ("pre", "table") or block.element.name in HEADINGS
        return exempt or word_count(block.text) >= self.config.min_words


def _blocks(document: Document, root: Element, outside: frozenset[Element]) -> Iterator[_Block]:
    """Paragraphs, items, code, tables and headings, none within another, in document order."""
    elements = document.tree.elements
    index = root.index + 1
    count = 0
    while index < root.end and count < MAX_BLOCKS:
        element = elements[index]
        if element in outside:
            index = element.end
        elif element.name in _WHOLE or (element.name in BLOCKS and not _holds_blocks(document, element)):
            text = text_of(element, 20_000)
            if text:
                count += 1
                yield _Block(element, text, _weight(document, element, len(text)))
            index = element.end
        else:
            index += 1


def _holds_blocks(document: Document, element: Element) -> bool:
    return any(inner.name in BLOCKS for inner in document.tree.within(element)[1:])


def _weight(document: Document, element: Element, size: int) -> float:
    weight = _TAG_WEIGHTS.get(element.name, 1.0)
    for inner in document.tree.within(element)[1:20]:
        lent = _INNER_WEIGHTS.get(inner.name, 0.0)
        if lent > weight and len(text_of(inner, size)) >= _COVERED * size:
            weight = lent
    return weight


def _companions(document: Document, blocks: list[_Block], kept: set[Element]) -> Iterator[Element]:
    """What kept blocks cannot be read without: the headings above, the term a definition is of, the text
    before code."""
    above: list[Element] = []
    before: Element | None = None
    for block in blocks:
        element = block.element
        if element.name in HEADINGS:
            above = [heading for heading in above if heading.name < element.name] + [element]
        elif element in kept:
            yield from above
            if element.name == "pre" and before is not None and before.parent is element.parent:
                yield before
            if element.parent is not None and is_admonition(element.parent):
                yield next(element.parent.elements())
            yield from _terms(document, element)
        before = element


def _terms(document: Document, element: Element) -> Iterator[Element]:
    for inner in (element, *element.ancestors()):
        if inner.name == "dd" and inner.parent is not None:
            term = None
            for sibling in inner.parent.elements():
                if sibling is inner:
                    break
                term = sibling if sibling.name == "dt" else term
            if term is not None:
                yield term


def _subject(document: Document) -> str:
    """What a page says that it is about."""
    tree = document.tree
    headings = [text_of(heading, 300) for heading in tree.named("h1")[:1]]
    keywords = [meta.get("content") for meta in tree.named("meta") if meta.get("name").lower() == "keywords"]
    found = " ".join([document.title, *headings, *keywords, document.description])
    if found.strip():
        return collapse(found)
    paragraphs = (text_of(paragraph, 1_000) for paragraph in tree.named("p"))
    return next((text for text in paragraphs if len(text) > LONG_PARAGRAPH), "")
