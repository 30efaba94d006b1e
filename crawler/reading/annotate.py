"""A page's Markdown with a mark after every link: ``[text](url) ⟨L3⟩``, for a model that names links by
their marks.

Where a mark goes the converter knows; nothing is searched for in the finished text, so code stays as it is.
Marks that a page writes itself are changed, or a model could be led to a link that the page chose.
"""

from ..model import Page

_BRACKETS = str.maketrans("⟨⟩", "‹›")
"""Whatever stands between them: emphasis, escapes or blanks would make a mark look another to a rule."""


def annotated(page: Page) -> str:
    """The Markdown with its marks; any other ``⟨`` of the page is a ``‹``, so that no mark is forged."""
    parts: list[str] = []
    at = 0
    for mark in page.marks:
        parts += [_neutral(page.markdown[at : mark.offset]), f" ⟨{mark.ref}⟩"]
        at = mark.offset
    return "".join([*parts, _neutral(page.markdown[at:])])


def _neutral(text: str) -> str:
    return text.translate(_BRACKETS) if "⟨" in text or "⟩" in text else text
