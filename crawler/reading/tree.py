"""HTML → a light tree of the page: the one parse that everything else reads.

Knows elements, texts and their order; knows nothing of what they mean. The nodes look enough like
Beautiful Soup's (``name``, ``attrs``, ``children``, ``parent``, ``get``) to be fed to markdownify, and
carry their place in document order, so that "is this inside that" is two comparisons and a subtree is a
slice. Nothing here recurses: thousands of nested elements are only a long list.
"""

import re
from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborHTMLParser

MAX_ELEMENTS = 600_000
"""What lies beyond is left out: ten megabytes of ``<b>`` would otherwise take gigabytes of memory."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAX_DEPTH = 512
"""What browsers nest; what deeper elements hold stands beside them, as there, and not in them."""
MANY_TAGS = 20_000
LEAST_NODES = 2_000
"""What is looked at for a short text too, as a page's first words after its menus."""
LONG_TAG = 65_536
"""Characters."""

BLOCKS = _names(
    """address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li
    listing main menu nav ol optgroup option p plaintext pre search section summary table tbody td tfoot
    th thead tr ul xmp"""
)
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
LISTS = frozenset({"ul", "ol", "menu", "dir"})
SILENT = _names(
    """applet area audio base canvas datalist head iframe input link map meta noframes noscript object
    param rp script select source style svg template textarea title track video wbr"""
)
"""Elements whose content is no text of the page, whatever they hold."""

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]*)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9:-]*")
_UNCOUNTED = _names(
    """area base br col embed hr img input link meta param source track wbr p li dt dd td th tr option
    optgroup thead tbody tfoot colgroup rp rt"""
)
"""Elements without content, and those that the next one of their kind ends."""

_RAW = frozenset({"style", "template"})
_NONCHARACTERS = re.compile("[\x00\ufdd0-\ufdef]")
"""Never part of a text (Unicode 23.7); the Markdown converter uses them to keep places."""
_SPACE = re.compile(r"[ \t\n\r\f]+")
_UNEVEN = re.compile(r"[\t\n\r\f]|  ")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


class Element:
    """One element; its children are elements and strings.

    ``index`` is its serial number in document order, ``end`` that of the first element after its
    subtree. ``holds_blocks`` is true of an inline element with a block somewhere in it.
    """

    __slots__ = ("attrs", "children", "end", "holds_blocks", "index", "name", "parent")

    def __init__(
        self, name: str, attrs: Mapping[str, str | None], parent: "Element | None", index: int
    ) -> None:
        self.name = name
        self.attrs = attrs
        self.parent = parent
        self.index = index
        self.end = index + 1
        self.children: list[Element | str] = []
        self.holds_blocks = False

    def __repr__(self) -> str:
        return f"<{self.name} {self.index}>"

    def get(self, name: str, default: str = "") -> str:
        """Value of an attribute; empty where it has none."""
        return self.attrs.get(name) or default

    def holds(self, other: "Element") -> bool:
        """Is the other one in this subtree, or this one itself?"""
        return self.index <= other.index < self.end

    def elements(self) -> Iterator["Element"]:
        """Child elements."""
        return (child for child in self.children if child.__class__ is Element)

    def ancestors(self) -> Iterator["Element"]:
        """From the parent up to the root."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def words(self) -> frozenset[str]:
        """Words of its class and id, lower case, compounds also in parts: main-nav → main-nav, main, nav."""
        named = (self.attrs.get("class") or "") + " " + (self.attrs.get("id") or "")
        if named == " ":
            return frozenset()
        return frozenset([*named.lower().split(), *(word.lower() for word in _WORDS.findall(named))])


class Tree:
    """A page's elements in document order, the root first."""

    __slots__ = ("_by_name", "body", "elements", "root")

    def __init__(self, html: str) -> None:
        self.elements = _grow(html)
        self.root = self.elements[0]
        self.body = next((child for child in self.root.elements() if child.name != "head"), self.root)
        self._by_name: dict[str, list[Element]] = {}
        for element in self.elements:
            self._by_name.setdefault(element.name, []).append(element)

    def named(self, *names: str) -> list[Element]:
        """Elements of these names, in document order."""
        if len(names) == 1:
            return self._by_name.get(names[0], [])
        found = [element for name in names for element in self._by_name.get(name, ())]
        return sorted(found, key=lambda element: element.index)

    def within(self, element: Element) -> list[Element]:
        """The element and all below it, in document order."""
        return self.elements[element.index : element.end]

    def fell(self) -> None:
        """Cut every branch, so that the memory is free at once and not at some later collection."""
        for element in self.elements:
            element.children = []
            element.parent = None
        self.elements = [self.root]
        self._by_name = {}


def _grow(html: str) -> list[Element]:
    source = LexborHTMLParser(_tamed(html)).root
    root = Element("html", source.attributes if source else {}, None, 0)
    grown = [root]
    if source is None:
        return grown
    above: list[tuple[Iterator[object], Element]] = []
    nodes = source.iter(include_text=True)
    parent, kids = root, root.children
    while True:
        for node in nodes:
            tag = node.tag
            if tag == "-text":
                text = node.text_content or ""
                kids.append(text if text.isascii() and "\x00" not in text else _NONCHARACTERS.sub("", text))
                continue
            if tag is None or tag[0] == "-":
                continue
            element = Element(tag, node.attributes, parent, len(grown))
            kids.append(element)
            grown.append(element)
            if tag in BLOCKS and parent.name not in BLOCKS:
                _tell_ancestors(parent)
            if len(grown) >= MAX_ELEMENTS:
                nodes = iter(())
                for _, waiting in above:
                    waiting.end = len(grown)
                parent.end = len(grown)
                return grown
            if node.first_child is not None and tag not in (_RAW if len(above) < MAX_DEPTH else SILENT):
                above.append((nodes, parent))
                nodes = node.iter(include_text=True)
                # A link keeps its text: without one it would lead nowhere.
                if len(above) <= MAX_DEPTH or (tag == "a" and parent.name != "a"):
                    parent, kids = element, element.children
                break
        else:
            parent.end = len(grown)
            if not above:
                return grown
            nodes, parent = above.pop()  # type: ignore[assignment]
            kids = parent.children


def _tamed(html: str) -> str:
    """HTML without what makes a parser's time grow with the square of its size: tags of very many
    attributes, and elements nested deeper than any browser nests them. Ordinary pages come back as they are.
    """
    if len(html) > LONG_TAG and max(map(len, html.split("<"))) > LONG_TAG:
        html = "<".join(map(_bounded_tag, html.split("<")))
    return _flattened(html) if html.count("<") > MANY_TAGS else html


def _bounded_tag(piece: str) -> str:
    if len(piece) <= LONG_TAG or not piece[0].isalpha():
        return piece
    tag, _, text = piece.partition(">")
    return f"{_NAME.match(piece)[0]}>{text}" if tag.count("=") + tag.count(" ") > 500 else piece  # type: ignore[index]


def _flattened(html: str) -> str:
    kept: list[str] = []
    depth = at = blind = 0
    for match in _TAG.finditer(html):
        start = match.start()
        if start < blind:
            continue
        name = match[2].lower()
        if name in _UNCOUNTED:
            continue
        if name in ("script", "style") and not match[1]:
            blind = html.find("</" + match[2], match.end())
            if blind < 0:
                break
            continue
        depth = max(0, depth - 1) if match[1] else depth + 1
        if depth + bool(match[1]) > MAX_DEPTH:
            kept.append(html[at:start])
            end = html.find(">", match.end())
            at = len(html) if end < 0 else end + 1
            blind = at
    return "".join([*kept, html[at:]]) if kept else html


def _tell_ancestors(inline: Element) -> None:
    above: Element | None = inline
    while above is not None and above.name not in BLOCKS and not above.holds_blocks:
        above.holds_blocks = True
        above = above.parent


def text_of(
    element: Element, limit: int = 100_000, skip: frozenset[str] = SILENT, leave: frozenset[str] = frozenset()
) -> str:
    """Visible text, white space collapsed, blocks apart; images count with their alternative text.

    ``leave`` names further elements that do not count (a list item without the lists in it).
    At most ``limit`` characters, give or take the last node, and what the first ``limit`` nodes hold: so much
    is looked at where thousands of elements have no text.
    """
    if len(element.children) == 1 and element.children[0].__class__ is str:
        return collapse(element.children[0])
    parts: list[str] = []
    size = 0
    nodes = max(limit, LEAST_NODES)
    pending: list[Element | str] = list(reversed(element.children))
    while pending and size < limit and nodes:
        nodes -= 1
        node = pending.pop()
        if node.__class__ is str:
            parts.append(node)
            size += len(node)
            continue
        assert isinstance(node, Element)
        name = node.name
        if name in skip or name in leave:
            continue
        if name == "img":
            parts.append(node.get("alt"))
        elif name == "br":
            parts.append(" ")
        elif node.children:
            if name in BLOCKS:
                parts.append(" ")
                pending.append(" ")
            pending.extend(reversed(node.children))
    return collapse("".join(parts))


def collapse(text: str) -> str:
    """White space as HTML shows it: runs become one space, none at the ends."""
    if _UNEVEN.search(text):
        text = _SPACE.sub(" ", text)
    return text.strip(" \xa0\u200b\ufeff")
