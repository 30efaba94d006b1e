"""Markdown at work: frames that collect the blocks of an element, and lists made of such blocks.

Pure text: knows how blocks are joined, indented and numbered, not what elements they came from.
"""

import re

from .tree import Element

Block = tuple[str, str]
"""What it is (p, ul, ol, dl, item, term, note, fence, table …), and its Markdown."""

LIST_KINDS = frozenset({"ul", "ol", "dl"})
LOOSE = "loose item"
"""An item of more than a paragraph and lists below it: its list is set with blank lines."""


class Frame:
    """An element at work: its finished blocks, and the inline text that waits to become one.

    ``joint`` is what a block boundary means: None ends a paragraph, a string is put in its place.
    ``tags`` are the kinds of elements around, ``depth`` counts the lists and quotes among them.
    """

    __slots__ = ("blocks", "code", "depth", "element", "inline", "inner", "joint", "link", "tags")

    def __init__(self, element: Element, outer: "Frame | None", joint: str | None) -> None:
        self.element = element
        self.joint = joint
        self.blocks: list[Block] = []
        self.inline: list[str] = []
        self.tags: frozenset[str] = outer.tags if outer else frozenset()
        self.depth: int = outer.depth if outer else 0
        self.inner: int = outer.inner + 1 if outer else 0
        self.code: bool = outer.code if outer else False
        self.link: bool = outer.link if outer else False

    def nested(self, element: Element, tag: str = "") -> "Frame":
        """A frame for blocks within this one's, one level deeper."""
        inner = Frame(element, self, None)
        inner.depth += 1
        inner.tags |= {element.name, tag} if tag else {element.name}
        return inner

    def line(self, element: Element, joint: str = " ") -> "Frame":
        """A frame for a line within this one's blocks."""
        inner = Frame(element, self, joint)
        inner.tags |= {element.name}
        return inner


def joined(blocks: list[Block], tight: bool = False) -> str:
    return ("\n" if tight else "\n\n").join(text for _, text in blocks)


def indented(text: str, margin: str) -> str:
    """Every line but the first moved in; the first one's margin is for a marker."""
    return "\n".join(margin + line if line and place else line for place, line in enumerate(text.split("\n")))


def item(blocks: list[Block]) -> Block:
    """The blocks of a list item as one."""
    kinds = [kind for kind, _ in blocks]
    simple = kinds[:1] == ["p"] and all(kind in LIST_KINDS for kind in kinds[1:])
    is_list = len(kinds) == 1 and kinds[0] in LIST_KINDS
    return ("item" if simple or is_list else LOOSE, joined(blocks, tight=simple))


def listed(blocks: list[Block], before: list[Block], start: int | None) -> list[Block]:
    """Items under bullets, or under numbers from ``start``, as one list; notes among them stand after it."""
    sign = list_sign(before, ordered=start is not None)
    items: list[str] = []
    notes: list[Block] = []
    tight = True
    for kind, text in blocks:
        if kind == "note":
            notes.append((kind, text))
        elif kind in LIST_KINDS and items:  # a list directly in a list belongs to the item before
            marker = re.match(r"\d*[^ ] ", items[-1])
            margin = " " * len(marker[0]) if marker else "  "
            items[-1] += f"\n{margin}{indented(text, margin)}"
        else:
            tight = tight and kind != LOOSE
            marker_text = f"{sign} " if start is None else f"{start + len(items)}{sign} "
            items.append(marker_text + indented(text, " " * len(marker_text)))
    if not items:
        return notes
    return [("ul" if start is None else "ol", ("\n" if tight else "\n\n").join(items)), *notes]


def defined(blocks: list[Block], before: list[Block]) -> list[Block]:
    """Terms as items, each with what defines it below; notes among them stand after the list."""
    sign = list_sign(before, ordered=False, alike="dl")
    items: list[str] = []
    notes: list[Block] = []
    label = ""
    tight = True
    for kind, text in blocks:
        if kind == "label":
            label = text
        elif kind == "note":
            notes.append((kind, text))
        elif label:
            notes.append(("note", note(label, text)))
            label = ""
        elif kind == "term" or not items:
            items.append(f"{sign} {indented(text, '  ')}")
        else:
            tight = tight and kind == "list"
            items[-1] += ("\n  " if tight else "\n\n  ") + indented(text, "  ")
    if not items:
        return notes
    return [("dl", ("\n" if tight else "\n\n").join(items)), *notes]


def definition(blocks: list[Block]) -> Block:
    """What defines a term; one that only lists further ones stays close to it."""
    nested = all(kind in LIST_KINDS for kind, _ in blocks)
    return ("list" if nested else "definition", joined(blocks))


def note(label: str, text: str) -> str:
    """A footnote; a number that the text repeats is left out."""
    text = re.sub(rf"\A\[?{re.escape(label)}(?:\\?[.)]|\\?\]|:)\s+", "", text)
    return f"[^{label}]: {indented(text, '    ')}"


def list_sign(before: list[Block], ordered: bool, alike: str = "") -> str:
    """The other sign where the block before is a list that would otherwise go on; one ``alike`` may."""
    kind, text = before[-1] if before else ("", "")
    if ordered:
        return ")" if kind == "ol" and re.match(r"\d+\.", text) else "."
    if alike and kind == alike:
        return text[0]
    return "*" if kind in ("ul", "dl") and text.startswith("-") else "-"


def row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
