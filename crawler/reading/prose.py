"""Running text → one Markdown paragraph: what must be escaped, and where emphasis can stand.

While a page is converted, places are kept by Unicode noncharacters, which no page's text holds (the tree
takes them out). What they stand for depends on their neighbours, so it is settled when a paragraph is
complete: emphasis that CommonMark would not recognise beside CJK text or punctuation is moved or written
as HTML, line breaks at the ends go, and a line that would begin a list or heading is escaped.
"""

import re
import unicodedata
from collections.abc import Callable

STRONG, STRONG_END = "\ufdd1", "\ufdd2"
EM, EM_END = "\ufdd3", "\ufdd4"
DEL, DEL_END = "\ufdd5", "\ufdd6"
BREAK = "\ufdd7"
IMAGE = "\ufdd8"
"""The exclamation mark of an image, which one of the text must not be taken for."""
MARK, MARK_END = "\ufdd9", "\ufdda"
"""Around the number of a link: where its mark goes."""
HEADING = "\ufddd"
"""In place of ``MARK`` before the number of a heading's element, at the end of its line."""
PLACE, PLACE_END = "\ufdde", "\ufddf"
"""Around the destination of a link or an image."""
SPLIT, SPLIT_END = "\ufddb", "\ufddc"
"""Around a link within code, which cannot stand in a code span."""

_BLANKS = re.compile(r"[ \t\n\r\f]+")
_CJK = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK_WRAP = re.compile(rf"(?<=[{_CJK}])[ \t]*\r?\n[ \t\r\n]*(?=[{_CJK}])")
_ODD = {0xA0: " ", 0x2028: " ", 0x2029: " ", 0x200B: None, 0xFEFF: None, 0xAD: None, 0x85: " ", 0x0B: " "}
_ODD_SIGNS = re.compile("[\xa0\u2028\u2029\u200b\ufeff\xad\x85\x0b]")

_SPECIAL = re.compile(r"[\\`*_<&~\[\]]")
_ESCAPED = r"""(?P<always>[`]|\\(?=[!-/:-@\[-`{-~]|[ ]*$)|~(?=~|$)|(?<=~)~|^~)
      | (?P<star>(?<![ ])\*|\*(?![ ]))
      | (?P<bar>(?<![0-9A-Za-z_])_+|_+(?![0-9A-Za-z_]))
      | (?P<less><(?=[A-Za-z/!?]|$))
      | (?P<and>&(?=\#?[0-9A-Za-z]{1,32};|$))
      | """
_ESCAPES = re.compile(_ESCAPED + r"\](?=[(:\[])", re.VERBOSE)
_ESCAPES_IN_LINK = re.compile(_ESCAPED + r"[\[\]]", re.VERBOSE)
_LINE_START = re.compile(
    r"(?P<sign>\#{1,6}(?=[ ]|$)|[-+*](?=[ ]|$)|>|=+[ ]*$|-[-| :]*$|_[_ ]*$|\*[* ]*$|[|:][-| :]*$|~~~)"
    r"|(?P<number>\d{1,9})(?=[.)](?:[ ]|$))"
    r"|(?P<definition>\[(?!\^)(?:[^\[\]\\]|\\.){1,999}\]:)"
)


def squeeze(text: str) -> str:
    """White space as HTML shows it, but for a single blank at either end; invisible signs taken out."""
    if not text.isascii():
        if "\n" in text:
            text = _CJK_WRAP.sub("", text)
        if _ODD_SIGNS.search(text):
            text = text.translate(_ODD)
    return _BLANKS.sub(" ", text)


def escape(text: str, brackets: bool = False) -> str:
    """Squeezed text of a page as Markdown that shows it, with as few backslashes as that takes."""
    if not _SPECIAL.search(text):
        return text
    return (_ESCAPES_IN_LINK if brackets else _ESCAPES).sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return "\\" + match[0] if len(match[0]) == 1 else "".join("\\" + sign for sign in match[0])


def paragraphs(text: str) -> list[str]:
    """Finished paragraphs of collected inline text: two line breaks or more set them apart."""
    if BREAK not in text:
        text = _BLANKS.sub(" ", text).strip(" ")
        return [_started(_settled(text))] if text else []
    found: list[str] = []
    lines: list[str] = []
    for line in [*_BLANKS.sub(" ", _outside(text)).split(BREAK), ""]:
        if line.strip(" "):
            lines.append(line.strip(" "))
        elif lines:
            found.append("\\\n".join(map(_started, _settled("\n".join(lines)).split("\n"))))
            lines = []
    return found


def one_line(text: str, between: str = " ") -> str:
    """Finished text that must stay in one line; ``between`` replaces line breaks."""
    text = _settled(_BLANKS.sub(" ", text).strip(" "))
    if BREAK in text:
        pieces = [piece.strip(" ") for piece in text.split(BREAK)]
        text = between.join(piece for piece in pieces if piece)
    return text


def trimmed(text: str) -> tuple[str, str, str]:
    """Text without blanks and breaks around it, and those: emphasis must not begin or end with them."""
    inner = text.strip(" \n" + BREAK)
    if not inner:
        return text, "", ""
    start = text.index(inner[0])
    return text[:start], inner, text[start + len(inner) :]


def _outside(text: str) -> str:
    """Emphasis over a line break is closed before it and opened again after it, since the paragraph may
    end there."""
    if not any(sign in text for sign in (STRONG, EM, DEL)):
        return text
    opened: list[str] = []
    result: list[str] = []
    for sign in text:
        if sign in _ENDS:
            opened.append(sign)
        elif sign in _STARTS and opened:
            opened.pop()
        if sign == BREAK and opened:
            result += [*(_ENDS[start] for start in reversed(opened)), BREAK, *opened]
        else:
            result.append(sign)
    return "".join(result)


_ENDS = {STRONG: STRONG_END, EM: EM_END, DEL: DEL_END}
_STARTS = {end: start for start, end in _ENDS.items()}
_SIGNS = {STRONG: "**", EM: "*", DEL: "~~"}
_TAGS = {STRONG: "strong", EM: "em", DEL: "del"}
_ANY = re.compile(f"[{STRONG}-{DEL_END}]")
_PAIR = re.compile(
    f"(?:{STRONG}(?P<strong>[^{STRONG}{STRONG_END}]*){STRONG_END})"
    f"|(?:{EM}(?P<em>[^{EM}{EM_END}]*){EM_END})|(?:{DEL}(?P<del>[^{DEL}{DEL_END}]*){DEL_END})"
)
_TOUCHING = re.compile(f"{STRONG_END}{STRONG}|{EM_END}{EM}|{DEL_END}{DEL}")
_MOVABLE = frozenset("\"'.,:;?")


def _settled(text: str) -> str:
    """Text with its emphasis and images written out."""
    if _ANY.search(text):
        text = _TOUCHING.sub("", text)
        text = _PAIR.sub(_set(text), text)
        while _ANY.search(text):  # an inner pair was written out; its outer one can be now
            settled = _PAIR.sub(_set(text), text)
            text = settled if settled != text else _ANY.sub("", text)
    if "![" in text:
        text = text.replace("![", "\\![")
    return text.replace(IMAGE, "!") if IMAGE in text else text


def _set(text: str) -> Callable[[re.Match[str]], str]:
    def written(match: re.Match[str]) -> str:
        start = match[0][0]
        before = text[match.start() - 1 : match.start()]
        after = text[match.end() : match.end() + 1]
        inner = match[0][1:-1]
        lead, inner, tail = _moved(inner, before, after)
        if not inner.strip():
            return lead + inner + tail
        sign = _SIGNS[start]
        if after in _ENDS and after != start:  # two runs of asterisks would become one
            return f"{lead}<{_TAGS[start]}>{inner}</{_TAGS[start]}>{tail}"
        opens = _stands(lead[-1:] or before, inner[0])
        closes = _stands(tail[:1] or after, inner[-1])
        if not (opens and closes) or (start == DEL and "~" in (inner[0], inner[-1], before, after)):
            return f"{lead}<{_TAGS[start]}>{inner}</{_TAGS[start]}>{tail}"
        return f"{lead}{sign}{inner}{sign}{tail}"

    return written


def _moved(inner: str, before: str, after: str) -> tuple[str, str, str]:
    """Punctuation at the ends of emphasis, moved out where CommonMark would see no emphasis otherwise."""
    lead = tail = ""
    while inner and not _stands(before, inner[0]) and _is_movable(inner[0]):
        lead, before, inner = lead + inner[0], inner[0], inner[1:]
    while inner and not _stands(after, inner[-1]) and _is_movable(inner[-1]) and inner[-2:-1] != "\\":
        tail, after, inner = inner[-1] + tail, inner[-1], inner[:-1]
    return lead, inner, tail


def _is_movable(sign: str) -> bool:
    return sign in _MOVABLE or (sign > "\x7f" and _is_punctuation(sign))


def _stands(outer: str, inner: str) -> bool:
    """Do a delimiter's neighbours let it open (or close) emphasis? CommonMark 0.31, 6.2."""
    if inner == " ":
        return False
    if not _is_punctuation(inner):
        return True
    return not outer or outer.isspace() or outer == BREAK or _is_punctuation(outer)


def _is_punctuation(sign: str) -> bool:
    if "\ufdd0" <= sign <= "\ufdef":
        return True
    return bool(sign) and unicodedata.category(sign)[0] in "PS"


def _started(line: str) -> str:
    """A line of a paragraph that no one takes for a heading, list item, quote, rule or definition."""
    match = _LINE_START.match(line)
    if match is None:
        return line
    if match["number"]:
        return f"{match['number']}\\{line[match.end() :]}"
    return line if line.startswith("**") and line.strip("* ") else "\\" + line
