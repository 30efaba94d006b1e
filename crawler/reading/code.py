"""Code on a page: its text character by character, and its language.

Highlighters wrap code in spans, lines in elements, and put line numbers beside it; none of that is code.
"""

import re
from collections.abc import Iterator

from .tree import BLOCKS, Element

_NUMBERING = frozenset(
    {
        *("linenos", "lineno", "linenumber", "linenumbers", "line-number", "line-numbers", "linenodiv"),
        *(
            "line-numbers-rows",
            "gutter",
            "rouge-gutter",
            "lnt",
            "blob-num",
            "hljs-ln-numbers",
            "codehilite-ln",
        ),
        *("react-syntax-highlighter-line-number", "lntd-numbers"),
    }
)
_BUTTONS = frozenset({"button", "script", "style", "template", "input", "textarea", "svg"})
_NUMBERS = re.compile(r"[\s\d.:|]*\Z")
_NAMED = re.compile(
    r"(?:^|\s)(?:highlight-source-|highlight-text-|highlight-|language-|lang-|brush:\s*)([\w+#.-]+)"
)
_ALONE = re.compile(
    r"(?:^|\s)(bash|c|cjs|clojure|console|cpp|cs|csharp|css|dart|diff|docker|dockerfile|elixir|erlang|fortran|go"
    r"|graphql|groovy|haskell|html|ini|java|javascript|js|json|julia|kotlin|latex|lua|makefile|matlab|mjs|nginx"
    r"|objectivec|ocaml|perl|php|powershell|prolog|protobuf|pycon|python|python3|r|ruby|rust|scala|scheme|scss"
    r"|sh|shell|sql|swift|toml|ts|tsx|typescript|vim|xml|yaml|yml|zig)(?=\s|$)"
)
_NO_LANGUAGE = frozenset(
    {"default", "none", "text", "plain", "plaintext", "notranslate", "nohighlight", "output", "txt"}
)
_SAME = {"python3": "python", "pycon3": "pycon", "ipython3": "ipython", "py3": "python"}
_WORD = re.compile(r"[\w+#.-]{1,30}\Z")


def code_text(block: Element) -> str:
    """Text of a code block as it is shown: ``br`` and elements of a line each begin a new one, line
    numbers and buttons are left out, blank lines around as well."""
    parts: list[str] = []
    line_open = False
    pending: list[Element | str | None] = list(reversed(block.children))
    while pending:
        node = pending.pop()
        if node is None:
            line_open = bool(parts) and not parts[-1].endswith("\n")
        elif isinstance(node, str):
            if not node:
                continue
            if line_open and node[0] != "\n":
                parts.append("\n")
            line_open = False
            parts.append(node)
        elif node.name == "br":
            parts.append("\n")
            line_open = False
        elif node.name in _BUTTONS or is_numbering(node):
            continue
        else:
            if node.name in BLOCKS:
                if parts and (line_open or not parts[-1].endswith("\n")):
                    parts.append("\n")
                line_open = False
                if not node.children:
                    parts.append("\n")
                    continue
                pending.append(None)
            pending.extend(reversed(node.children))
    text = "".join(parts)
    if "\n" not in text:
        text = "\n".join(_line_spans(block)) or text
    return _trimmed(text.replace("\r\n", "\n").replace("\r", "\n"))


def _line_spans(block: Element) -> list[str]:
    """Lines of a block whose lines are spans that only a style sheet breaks."""
    holder = block
    while len(kids := [child for child in holder.children if child != ""]) == 1:
        if isinstance(kids[0], str):
            return []
        holder = kids[0]
    lines = [child for child in holder.elements() if "line" in child.words()]
    if len(lines) < 2 or len(lines) < len(holder.children):
        return []
    return [code_text(line) for line in lines]


def _trimmed(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


def is_numbering(element: Element) -> bool:
    """Is this a column of line numbers, or the number of one line?"""
    if not element.attrs:
        return False
    if _NUMBERING.isdisjoint(element.get("class").lower().split()):
        return False
    return _NUMBERS.match(_short_text(element)) is not None


def numbered_listing(table: Element) -> list[Element]:
    """Code blocks of a table that only sets line numbers beside code; none if it is another table."""
    blocks = list(_blocks(table))
    if not blocks:
        return []
    code = [block for block in blocks if not _NUMBERS.match(_short_text(block)) or len(blocks) == 1]
    cells = [node for node in _walk(table) if node.name in ("td", "th")]
    numbers = [cell for cell in cells if _NUMBERS.match(_short_text(cell))]
    holders = [cell for cell in cells if any(cell.holds(block) for block in code)]
    is_listing = code and numbers and len(numbers) + len(holders) == len(cells)
    return code if is_listing and len(holders) <= len(numbers) else []


def _blocks(table: Element) -> Iterator[Element]:
    return (node for node in _walk(table) if node.name == "pre")


def _walk(top: Element) -> Iterator[Element]:
    pending = [top]
    for _ in range(2_000):
        if not pending:
            return
        node = pending.pop()
        yield node
        pending.extend(reversed(list(node.elements())))


def _short_text(element: Element) -> str:
    """Text of an element; long enough to tell numbers from code."""
    parts: list[str] = []
    pending: list[Element | str] = list(reversed(element.children))
    while pending and len(parts) < 400:
        node = pending.pop()
        if isinstance(node, str):
            parts.append(node)
        else:
            pending.extend(reversed(node.children))
    return "".join(parts)


def is_fragment(element: Element) -> bool:
    """Is this a code block made of line elements only, as Doxygen's are?"""
    if element.name != "div" or "fragment" not in element.get("class").split():
        return False
    return all(child.name == "div" and "line" in child.words() for child in element.elements())


def code_language(block: Element) -> str:
    """Language that a code block, its ``code``, or one of three elements around it names; else empty."""
    inner = [child for child in block.elements() if child.name == "code"][:1]
    around = [above for _, above in zip(range(3), block.ancestors(), strict=False)]
    for element in [*inner, block, *around]:
        for name in (
            "data-lang",
            "data-language",
            "data-code-language",
            "lang" if element is block else "data-lang",
        ):
            if (found := _language(element.get(name))) is not None:
                return found
        named = element.get("class")
        for match in _NAMED.finditer(named):
            if (found := _language(match[1])) is not None:
                return found
        if element in around and not {"highlight", "sourcecode", "listingblock"} & set(named.lower().split()):
            continue
        if alone := _ALONE.search(named.lower()):
            return _SAME.get(alone[1], alone[1])
    return ""


def _language(name: str) -> str | None:
    """A name made fit for a fence; empty if it says that there is none, None if it says nothing."""
    name = name.strip().lower()
    if not _WORD.match(name) or name.isdigit():
        return None
    if name in _NO_LANGUAGE:
        return None
    return _SAME.get(name, name)


def fenced(text: str, language: str) -> str:
    """A fenced block whose fence is longer than any in the text."""
    longest = max(map(len, re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
