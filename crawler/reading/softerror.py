"""Soft errors: pages that say "not found" under the status 200, and are no knowledge.

Two ways to know one. By what a site answers for a URL that cannot exist (``probe_url``): a page that has the
same title and says nothing beyond that answer is the same answer. Or by itself, where it is evident: title
or heading say so and nothing else, and the rest is next to nothing, addressed to a reader who went astray.

A page *about* 404 errors must never be taken for one, so in doubt a page is kept: where its URL or the link
to it names the error, where there is code or a second heading, where it explains more than it regrets. A
soft error that is kept costs one page; knowledge that is dropped is not found again. Pure: values only.
"""

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import unquote

from .. import urls
from ..model import Page
from .apologies import regrets, says_not_found
from .likeness import shingles

MOST_WORDS = 60
"""Words of an evident error's text; a CJK character counts as half a word. Apologies come with a search box
and a list of places to go; what takes more to say is an explanation."""

NEXT_TO_NOTHING = 6
"""Words of a text that says nothing at all: ``Go back``, ``Return to the home page``."""

SAME = 0.8
SAME_UNTITLED = 0.95
"""Share of word shingles from which a page is the answer to the probe: where the title says that it is an
error, and where the title says nothing (many sites give all pages one)."""

NEW_WORDS = 3
"""Distinct words that the probe's answer lacks, up to which a page says nothing of its own."""

MAX_TEXT = 20_000
"""Characters of an answer that are kept and compared."""

MIN_ECHO = 3
"""Characters of a URL's part that an error page may repeat; shorter ones stand in every text."""


@dataclass(frozen=True, slots=True)
class NotFound:
    """What a site answers for a page that does not exist."""

    title: str
    """In one spelling, without the URL that was asked for."""
    text: str
    """In one spelling, without the URL that was asked for, at most ``MAX_TEXT`` characters."""
    target: str = ""
    """Key of the page that the site redirects such requests to; empty where it answers in place."""


def probe_url(like: str) -> str:
    """Give a URL that cannot exist, in the folder of ``like`` and with its extension; the same every time."""
    folder, _, name = urls.path(like).rpartition("/")
    extension = re.search(r"\.[A-Za-z0-9]{1,5}\Z", name)
    digest = hashlib.sha256(like.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{urls.origin(like)}{folder}/no-such-page-{digest}{extension[0] if extension else ''}"


def answer_to_probe(answer: Page, start: Page, target: str = "") -> NotFound | None:
    """Take what a site answered for ``probe_url``; ``target`` is the key it redirected to, if it did.

    None where the answer says nothing of errors: some sites give their start page for whatever is asked, as
    those do that are made in the browser.
    """
    if target and target in (start.key, urls.canonicalize(urls.origin(answer.url) + "/")):
        return None
    found = NotFound(_spelled(answer.title, answer.url), _spelled(answer.markdown, answer.url), target)
    is_start = _likeness(found.text, _spelled(start.markdown, start.url)) >= SAME
    return None if is_start and not seems_soft_error(answer) else found


def seems_soft_error(page: Page) -> bool:
    """Tell whether title or heading say "not found" and nothing else: reason enough to probe the site."""
    heading = _HEADING.search(page.markdown)
    return says_not_found(page.title) or (heading is not None and says_not_found(heading[1]))


def is_soft_error(page: Page, anchor: str = "", known: NotFound | None = None) -> bool:
    """Tell whether a page, fetched with status 200, is the site's way to say that there is none.

    ``anchor`` is the text of the link that led to it, ``known`` the site's answer to the probe. Not to be
    asked for seeds: what the user named is what the user wants.
    """
    return _is_evident(page, anchor) or (known is not None and _is_same(page, known))


# By the probe


def _is_same(page: Page, known: NotFound) -> bool:
    if known.target and page.key == known.target:
        return True
    if _spelled(page.title, page.url) != known.title:
        return False
    text = _spelled(page.markdown, page.url)
    if len(set(_WORD.findall(text)) - set(_WORD.findall(known.text))) > NEW_WORDS:
        return False
    return _likeness(text, known.text) >= (SAME if says_not_found(known.title) else SAME_UNTITLED)


def _spelled(text: str, url: str) -> str:
    """Put a text in one spelling, without the URL, path or name that error pages repeat."""
    text = unquote(text[:MAX_TEXT]).casefold()
    path = unquote(urls.path(url)).casefold()
    for echoed in (unquote(url).casefold(), path, path.strip("/"), path.strip("/").rpartition("/")[2]):
        if len(echoed) >= MIN_ECHO:
            text = text.replace(echoed, " ")
    return " ".join(text.split())


def _likeness(one: str, other: str) -> float:
    """Jaccard likeness, 0..1, of the shingles of two texts; of texts too short for any, their equality."""
    first, second = shingles(one), shingles(other)
    if not first or not second:
        return float(_WORD.findall(one) == _WORD.findall(other))
    return len(first & second) / len(first | second)


# By itself


def _is_evident(page: Page, anchor: str) -> bool:
    if not seems_soft_error(page) or _names_errors(page.url, anchor):
        return False
    if _EXPLAINS.search(page.markdown) or len(_HEADING.findall(page.markdown)) > 1:
        return False
    text = _LINK_TARGET.sub("]", _HEADING.sub("", page.markdown))
    size = 0 if says_not_found(text.strip()) else _size(text)
    return size <= NEXT_TO_NOTHING or (size <= MOST_WORDS and regrets(text))


def _names_errors(url: str, anchor: str) -> bool:
    """Tell whether URL or link say that errors are the subject; ``/404.html`` is in doubt, and kept."""
    where = re.sub(r"[-_./+]+", " ", unquote(f"{urls.path(url)} {urls.query(url)}"))
    return _ERRORS.search(where) is not None or _ERRORS.search(anchor) is not None


def _size(text: str) -> float:
    """Words; of scripts without blanks, half the characters."""
    return len(_WORD.findall(_CJK.sub(" ", text))) + len(_CJK.findall(text)) / 2


_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.*)$")
_LINK_TARGET = re.compile(r"\]\([^()\s]*\)")
_ERRORS = re.compile(
    r"\b(?:404|http|not ?found|errors?|status|codes?|soft ?404|missing|broken|troubleshoot\w*)\b"
    r"|错误|状态码|エラー",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"```|~~~|`[^`\n]+`|(?m:^(?: {4}|\t)\S)|(?m:^\|.*\|)|\b(?:status|response) codes?\b|\bHTTP\b"
)
