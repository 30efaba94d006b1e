"""A page's Markdown with a mark after every link: ``[text](url) ⟨L3⟩``, for a model that names links by
their marks.

Where a mark goes the converter knows; nothing is searched for in the finished text, so code stays as it is.
Marks that a page writes itself are changed, or a model could be led to a link that the page chose.
"""

import re

from .model import Page

_FORGED = re.compile(r"⟨(\s*[LlＬ]\s*\d+\s*)⟩")


def annotated(page: Page) -> str:
    """The Markdown with its marks, and with forged ones as ``‹L9›``."""
    parts: list[str] = []
    at = 0
    for mark in page.marks:
        parts += [_neutral(page.markdown[at : mark.offset]), f" ⟨{mark.ref}⟩"]
        at = mark.offset
    return "".join([*parts, _neutral(page.markdown[at:])])


def _neutral(text: str) -> str:
    return _FORGED.sub(r"‹\1›", text)
