"""Tables: which hold data and which only lay out, and the grid of one with its spans undone."""

from dataclasses import dataclass

from .tree import BLOCKS, Element, Tree

MAX_COLUMNS = 100
MAX_SPAN = 1_000
PADDED = 10
"""Places of a grid for each that is filled, beyond which short rows are not filled up."""
MAX_BLOCKS = 15
"""Paragraphs, items and the like in one cell, from which its table is a way to set columns."""
_TOO_MUCH_FOR_A_CELL = frozenset(
    {"table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "form", "article", "section", "dl"}
)
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of data: rows of cells, None where another cell's span reaches."""

    caption: Element | None
    rows: tuple[tuple[Element | None, ...], ...]
    headed: bool
    """Is the first row a heading?"""


def holds_table(table: Element, tree: Tree) -> bool:
    """Is there a table within this one? Stops at the first: tables may be nested by the thousand."""
    return any(tree.elements[index].name == "table" for index in range(table.index + 1, table.end))


def grid(table: Element, within: list[Element]) -> Grid | None:
    """The grid of a table without others in it; None for one that only lays out.

    ``within`` is its subtree.
    """
    if table.get("role") in ("presentation", "none"):
        return None
    sections = _sections(table)
    rows = [row for _, row in sections]
    cells = [[cell for cell in row.elements() if cell.name in ("td", "th")] for row in rows]
    if not rows or max(map(len, cells), default=0) < 2 or _lays_out(within, cells):
        return None
    first = cells[0]
    headed = sections[0][0] == "thead" or (len(first) > 0 and all(cell.name == "th" for cell in first))
    return Grid(_caption(table), _spread(cells), headed)


def is_column(table: Element) -> bool:
    """Is this a table of data with one cell a row: a list, but for its looks?"""
    rows = [[cell for cell in row.elements() if cell.name in ("td", "th")] for _, row in _sections(table)]
    headed = any(cell.name == "th" for cells in rows for cell in cells)
    return headed and len(rows) > 2 and all(len(cells) == 1 for cells in rows)


def _sections(table: Element) -> list[tuple[str, Element]]:
    """Rows with the name of the section they stand in, in the order shown: foot rows last."""
    rows: list[tuple[str, Element]] = []
    for child in table.elements():
        if child.name == "tr":
            rows.append(("", child))
        elif child.name in _SECTIONS:
            rows += [(child.name, row) for row in child.elements() if row.name == "tr"]
    order = {"thead": 0, "tfoot": 2}
    return sorted(rows, key=lambda row: order.get(row[0], 1))


def _caption(table: Element) -> Element | None:
    return next((child for child in table.elements() if child.name == "caption"), None)


def _lays_out(within: list[Element], cells: list[list[Element]]) -> bool:
    """Blocks that no cell of a Markdown table can hold, or one row of long texts: columns of a page."""
    for element in within[1:]:
        if element.name in _TOO_MUCH_FOR_A_CELL:
            return True
        if element.name == "pre" and any("\n" in text.strip("\n") for text in _texts(element)):
            return True
    for row in cells:
        for cell in row:
            first = cell.index - within[0].index
            if (
                sum(inner.name in BLOCKS for inner in within[first : first + cell.end - cell.index])
                > MAX_BLOCKS
            ):
                return True
    one_row = len(cells) == 1 and not any(cell.name == "th" for cell in cells[0])
    return one_row and any(cell.end - cell.index > 15 for cell in cells[0])


def _texts(element: Element) -> list[str]:
    found: list[str] = []
    pending: list[Element | str] = [*element.children]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            found.append(node)
        elif node.name in ("br", "div"):
            found.append("a\nb")
        else:
            pending.extend(node.children)
    return found


def _spread(rows: list[list[Element]]) -> tuple[tuple[Element | None, ...], ...]:
    spread: list[tuple[Element | None, ...]] = []
    reaching: dict[int, int] = {}
    for cells in rows:
        row: list[Element | None] = []
        waiting = list(reversed(cells))
        while (waiting or len(row) in reaching) and len(row) < MAX_COLUMNS:
            column = len(row)
            if column in reaching:
                row.append(None)
                reaching[column] -= 1
                if not reaching[column]:
                    del reaching[column]
                continue
            cell = waiting.pop()
            width = min(_span(cell, "colspan"), MAX_COLUMNS - column)
            height = _span(cell, "rowspan")
            row += [cell, *[None] * (width - 1)]
            if height > 1:
                reaching |= {column + offset: height - 1 for offset in range(width)}
        spread.append(tuple(row))
    columns = max(map(len, spread))
    if columns * len(spread) > PADDED * sum(map(len, spread)) + 1_000:  # a trap: short rows are valid too
        return tuple(spread)
    return tuple(row + (None,) * (columns - len(row)) for row in spread)


def _span(cell: Element, name: str) -> int:
    value = cell.get(name).strip()
    return max(1, min(MAX_SPAN, int(value))) if value.isascii() and value.isdigit() and len(value) < 6 else 1
