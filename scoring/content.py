"""Which part of a page is content: the filters behind ``content.filter``.

Each looks at the tree of ``crawler.html`` and names the subtrees that stay. ``none`` keeps the body;
``pruning`` keeps what the page's structure says is its main part, less what five signals say is not;
``bm25`` keeps the blocks of that part that bear on a query. Nothing here reads a text's meaning.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, assert_never

from annotated_types import Ge, Gt, Le

from adaptive_crawl.crawler.reading.html import Content, ContentFilter, Document


class Filter(StrEnum):
    """Ways to tell content from boilerplate."""

    PRUNING = "pruning"
    BM25 = "bm25"
    NONE = "none"


class Mode(StrEnum):
    """How the pruning threshold is set."""

    FIXED = "fixed"
    DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal counts; together 1."""

    text_density: Annotated[float, Ge(0), Le(1)] = 0.4
    """Text against markup."""
    link_density: Annotated[float, Ge(0), Le(1)] = 0.2
    """Text outside links."""
    tag: Annotated[float, Ge(0), Le(1)] = 0.2
    """Kind of element: an article says more than a list."""
    class_id: Annotated[float, Ge(0), Le(1)] = 0.1
    """Names that do not sound like menus and advertisements."""
    text_length: Annotated[float, Ge(0), Le(1)] = 0.1
    """Amount of text."""

    def __post_init__(self) -> None:
        total = self.text_density + self.link_density + self.tag + self.class_id + self.text_length
        if abs(total - 1) > 0.001:
            raise ValueError(f"content.weights must sum to 1, not {total:g}")


@dataclass(frozen=True, slots=True)
class ContentConfig:
    """What of a page is kept."""

    filter: Filter = Filter.PRUNING
    """pruning: the main part of any page; bm25: only what bears on the query; none: all but scripts."""
    threshold: Annotated[float, Ge(0), Le(1)] = 0.48
    """Score below which pruning leaves a block out; higher keeps less."""
    mode: Mode = Mode.FIXED
    """dynamic: lower threshold for important elements and dense text, higher for blocks of links."""
    weights: Weights = field(default_factory=Weights)
    """What pruning's five signals count."""
    bm25_threshold: Annotated[float, Gt(0)] = 1.0
    """Score from which bm25 keeps a block; higher keeps less."""
    min_words: Annotated[int, Ge(0)] = 0
    """Blocks with fewer words are left out by pruning and bm25; code, tables and headings are not."""


class Everything:
    """Keeps the whole body."""

    def select(self, document: Document) -> Content:
        return Content((document.tree.body,))


def content_filter(config: ContentConfig, query: str = "") -> ContentFilter:
    """The filter that a configuration names; ``query`` is what bm25 keeps to."""
    from .bm25 import Relevant
    from .pruning import Pruning

    match config.filter:
        case Filter.NONE:
            return Everything()
        case Filter.BM25:
            return Relevant(config, query)
        case Filter.PRUNING:
            return Pruning(config)
        case _:
            assert_never(config.filter)
