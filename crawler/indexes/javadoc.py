"""Javadoc: ``type-search-index.js``, every class and interface, and ``member-search-index.js``, every method.

Their rows name a package (``p``), a class (``c``), what is in it (``l``, ``u``) and, since Java 9, a module
(``m``), from which the address follows (JDK: jdk.javadoc.internal.doclets, ``script.js``).
"""

from collections.abc import Mapping

from .entry import Harvest
from .shapes import rows, text

NO_PACKAGE = "<Unnamed>"


def is_index(data: object) -> bool:
    """Whether a value is a list of types or of members."""
    first = next(iter(rows(data)), None) if isinstance(data, list) else None
    return (
        first is not None
        and "l" in first
        and ("p" in first or first.get("l") == "All Classes and Interfaces")
    )


def read(data: object, harvest: Harvest) -> None:
    """Read types, or the types that members are in, with the names of their members."""
    members: dict[str, tuple[str, list[str]]] = {}
    for row in rows(data):
        package, owner, name = text(row.get("p")), text(row.get("c")), text(row.get("l"))
        if not package or not name:
            continue
        type_name = owner or name
        _, found = members.setdefault(_url(row, package, type_name), (f"{type_name} ({package})", []))
        if owner:
            found.append(name)
    for url, (title, names) in members.items():
        harvest.add_searchable(url, title, "; ".join(dict.fromkeys(names)))


def _url(row: Mapping[str, object], package: str, type_name: str) -> str:
    module = text(row.get("m"))
    folder = "" if package == NO_PACKAGE else package.replace(".", "/") + "/"
    return f"{module}/{folder}{type_name}.html" if module else f"{folder}{type_name}.html"
