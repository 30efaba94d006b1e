"""Formulas on a page → TeX between dollar signs.

TeX that a page carries (an annotation of MathML, the source of MathJax, the alternative text of an image)
is kept; MathML without it is written down as plain TeX. What is drawn from it for the eye is left out.
"""

import re

from .tree import Element, text_of

_TEX_TYPE = re.compile(r"(?:math|text)/(?:x-)?(?:tex|latex)", re.IGNORECASE)
_DISPLAY = re.compile(r"mode\s*=\s*display", re.IGNORECASE)
_DELIMITED = re.compile(
    r"\A\s*(?:\\\((?P<i>.*)\\\)|\\\[(?P<d>.*)\\\]|\$\$(?P<dd>.*)\$\$|\$(?P<ii>.*)\$)\s*\Z", re.DOTALL
)
_IN_TEXT = re.compile(r"\\\(((?:[^\\]|\\[^()\[\]]){1,5000}?)\\\)|\\\[((?:[^\\]|\\[^()\[\]]){1,5000}?)\\\]")
_SPACE = re.compile(r"\s+")
_OPERATORS = {"mfrac": r"\frac{%s}{%s}", "msup": "%s^{%s}", "msub": "%s_{%s}", "msubsup": "%s_{%s}^{%s}"}
_OPERATORS |= {
    "mroot": r"\sqrt[%s]{%s}",
    "munder": "%s_{%s}",
    "mover": "%s^{%s}",
    "munderover": "%s_{%s}^{%s}",
}
MAX_TEX = 10_000
"""Characters."""


def formula(element: Element) -> tuple[str, bool] | None:
    """TeX of an element that holds a formula, and whether it stands on a line of its own; None for others.

    Empty TeX: the element only draws what another one says.
    """
    name = element.name
    if name == "math":
        return _mathml(element), element.get("display") == "block"
    if name == "script":
        kind = element.get("type")
        return (_raw(element), bool(_DISPLAY.search(kind))) if _TEX_TYPE.match(kind) else None
    if name == "mjx-container":
        inner = _find(element, "math")
        return (_mathml(inner) if inner else "", element.get("display") == "true")
    classes = element.get("class").split()
    if not classes:
        return None
    if "katex-display" in classes or "katex" in classes or "mwe-math-element" in classes:
        inner = _find(element, "math")
        return (_mathml(inner), _is_block(element, inner)) if inner else None
    if "MathJax_Preview" in classes or any(word.startswith(("MathJax", "mjx-")) for word in classes):
        return "", False
    if "math" in classes and name in ("span", "div"):
        return _marked(element)
    return None


def _is_block(element: Element, inner: Element) -> bool:
    return "katex-display" in element.get("class") or inner.get("display") == "block"


def _marked(element: Element) -> tuple[str, bool] | None:
    image = _find(element, "img")
    source = image.get("alt") if image else _raw(element)
    match = _DELIMITED.match(source)
    if match:
        inline = match["i"] or match["ii"]
        return (inline or match["d"] or match["dd"] or "").strip(), inline is None
    return (source.strip(), element.name == "div") if source.strip() else None


def written(tex: str, display: bool) -> str:
    """TeX as Markdown, in one line; readers of Markdown that know no formulas must not see emphasis in it."""
    tex = _SPACE.sub(" ", tex).strip()[:MAX_TEX]
    tex = re.sub(r"<(?=[A-Za-z/!?])", "< ", tex)
    tex = _unpaired(_unpaired(tex, "_"), "*")
    return f"$${tex}$$" if display else f"${tex}$"


def split_text(text: str) -> list[tuple[str, bool | None]]:
    r"""Text in pieces: formulas written as ``\(…\)`` or ``\[…\]`` (True for the latter), and what is none
    (None)."""
    pieces: list[tuple[str, bool | None]] = []
    at = 0
    for match in _IN_TEXT.finditer(text):
        pieces += [(text[at : match.start()], None), (match[1] or match[2], match[2] is not None)]
        at = match.end()
    return [*pieces, (text[at:], None)]


def _unpaired(tex: str, sign: str) -> str:
    """Put a space after signs that could open emphasis, where a later one could close it: TeX ignores it."""
    opener = re.compile(rf"(?<![0-9A-Za-z{re.escape(sign)}]){re.escape(sign)}(?=[^\s{re.escape(sign)}])")
    first = opener.search(tex)
    if first is None or not re.search(rf"[^\s]{re.escape(sign)}(?![0-9A-Za-z])", tex[first.end() :]):
        return tex
    return opener.sub(sign + " ", tex)


def _mathml(math: Element) -> str:
    for annotation in _all(math, "annotation"):
        if "tex" in annotation.get("encoding").lower():
            return _without_style(_raw(annotation))
    if math.get("alttext"):
        return _without_style(math.get("alttext"))
    return _tex(math, 0).strip() or text_of(math, MAX_TEX)


def _without_style(tex: str) -> str:
    tex = tex.strip()
    match = re.fullmatch(r"\{\\(?:display|text)style\s*(.*)\}", tex, re.DOTALL)
    return match[1].strip() if match else tex


def _tex(node: Element, depth: int) -> str:
    """Presentation MathML as TeX; what is nested deeper than any formula is read as its text."""
    if depth > 40:
        return text_of(node, MAX_TEX)
    if node.name in ("mi", "mn", "mo", "mtext", "ms"):
        return text_of(node, MAX_TEX)
    parts = [
        _tex(child, depth + 1)
        for child in node.elements()
        if child.name not in ("annotation", "annotation-xml")
    ]
    if not parts:
        return text_of(node, MAX_TEX)
    pattern = _OPERATORS.get(node.name)
    if pattern and pattern.count("%s") == len(parts):
        return pattern % tuple(reversed(parts) if node.name == "mroot" else parts)
    if node.name == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if node.name == "mtable":
        return r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}"
    return (" & " if node.name == "mtr" else "").join(parts)


def _raw(element: Element) -> str:
    parts: list[str] = []
    pending: list[Element | str] = list(reversed(element.children))
    size = 0
    while pending and size < MAX_TEX:
        node = pending.pop()
        if isinstance(node, str):
            parts.append(node)
            size += len(node)
        elif node.name == "br":
            parts.append("\n")
        else:
            pending.extend(reversed(node.children))
    return "".join(parts)


def _find(top: Element, name: str) -> Element | None:
    return next(iter(_all(top, name)), None)


def _all(top: Element, name: str) -> list[Element]:
    found: list[Element] = []
    pending = [top]
    for _ in range(3_000):
        if not pending:
            break
        node = pending.pop()
        if node.name == name:
            found.append(node)
        pending.extend(reversed(list(node.elements())))
    return found
