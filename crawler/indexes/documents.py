"""Lists of documents for a search in the browser: MkDocs, Docusaurus, mdBook, Jekyll, Hugo and their like.

They differ in names alone: somewhere there is a list of objects, each with an address, a title and perhaps
its text. Sections of a page are entries of their own in most; here they are one page.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .entry import Harvest
from .shapes import mapping, rows, texts

URLS = (
    "location",
    "url",
    "u",
    "href",
    "permalink",
    "relpermalink",
    "relUrl",
    "sectionRoute",
    "pageRoute",
    "path",
    "link",
    "uri",
)
TITLES = ("title", "t", "pageTitle", "name", "heading")
SECTIONS = ("sectionTitle", "s")
TEXTS = ("text", "content", "body", "contents", "description", "summary", "doc")
LISTS = ("docs", "documents", "pages", "items", "entries", "results", "data")
"""Names of fields, the first that is there counts."""

FEWEST = 3
"""Documents below which a list is something else, such as the languages of a site."""

MAX_LISTS = 64
"""Lists in one file: Docusaurus has five, for titles, headings, descriptions, keywords and text."""


@dataclass(slots=True)
class _Page:
    """What the documents of one page say together."""

    title: str = ""
    sections: dict[str, None] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)


def read(data: object, harvest: Harvest) -> bool:
    """Read the documents; whether these were some."""
    pages: dict[str, _Page] = {}
    for document, url in _documents(data):
        where, _, fragment = url.partition("#")
        page = pages.setdefault(where, _Page())
        title = _first(document, TITLES) or ""
        section = _first(document, SECTIONS) or ""
        if fragment or (page.title and title != page.title):
            section = section or title
        else:
            page.title = page.title or title
        if section:
            page.sections[section] = None
        page.words.append(_first(document, TEXTS) or "")
    if len(pages) < FEWEST:
        return False
    for where, page in pages.items():
        words = "\n".join(filter(None, page.words))
        harvest.add_searchable(where or "./", page.title, "; ".join(page.sections), words)
    return True


def _documents(data: object) -> Iterator[tuple[Mapping[str, object], str]]:
    for listed in _lists(data):
        for document in rows(listed):
            url = _first(document, URLS)
            if url is not None and (
                _first(document, TITLES) is not None or _first(document, TEXTS) is not None
            ):
                yield document, url
    yield from _of_mdbook(mapping(data))


def _lists(data: object) -> Iterator[object]:
    """What may be lists of documents: the data, what it has under a usual name, what its parts have so."""
    yield data
    parts = [data, *list(rows(data))[:MAX_LISTS]]
    for part in parts:
        for name in LISTS:
            listed = mapping(part).get(name)
            if isinstance(listed, list | dict):
                yield listed


def _of_mdbook(data: Mapping[str, object]) -> Iterator[tuple[Mapping[str, object], str]]:
    """mdBook keeps addresses apart from documents, which are in the store of elasticlunr."""
    urls = texts(data.get("doc_urls"))
    store = mapping(mapping(mapping(data.get("index")).get("documentStore")).get("docs"))
    for number, document in store.items():
        if number.isdigit() and int(number) < len(urls) and isinstance(document, dict):
            yield document, urls[int(number)]


def _first(document: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    return next((found for name in names if isinstance(found := document.get(name), str)), None)
