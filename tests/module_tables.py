"""The modules of the program as docs/architecture.md lists them: ``python -m tests.module_tables`` writes it.

A module keeps the mark that it has there: ● decides (pure), ○ acts. A new one is ● unless it, or a module
that it imports, acts.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
ARCHITECTURE = ROOT / "docs" / "architecture.md"

FOLDERS = ("cli", "crawler", "scoring", "output")

ACTING = {"asyncio", "httpx", "openai", "sqlite3", "os", "pathlib", "time", "random", "datetime", "logging"}
"""What a pure module must not import: it would wait, read a clock, draw a number or touch the world."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement of one module of ours."""

    module: str
    """``crawler/urls.py``."""
    target: str
    """Dotted, with relative ones resolved: ``adaptive_crawl.crawler.model``."""
    names: tuple[str, ...]
    relative: bool
    line: int


def modules() -> list[Path]:
    return sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def imports_of(file: Path) -> Iterator[Import]:
    """Every import of a module, those inside functions too; those for type checkers alone left out."""
    tree = ast.parse(file.read_text("utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    package = ("adaptive_crawl", *file.relative_to(ROOT).parent.parts)
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(name_of(file), alias.name, (), False, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            target = ".".join((*start, *filter(None, [node.module])))
            names = tuple(alias.name for alias in node.names)
            yield Import(name_of(file), target, names, node.level > 0, node.lineno)


def listed() -> dict[str, tuple[str, str]]:
    """Module → (● or ○, what it is), as docs/architecture.md lists them."""
    text = ARCHITECTURE.read_text("utf-8")
    rows = re.findall(r"^\| `([a-z0-9/_]+\.py)` \| ([●○]) \| (.*?) \|$", text, re.MULTILINE)
    return {module: (mark, what) for module, mark, what in rows}


def said() -> dict[str, str]:
    """Module → the first paragraph of its docstring; packages are left out."""
    found = {}
    for file in modules():
        if file.name != "__init__.py":
            docstring = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
            found[name_of(file)] = " ".join(docstring.split("\n\n")[0].split())
    return found


def is_acting(found: Import) -> bool:
    """Tell whether an import brings in what acts."""
    if (found.target, found.names) == ("pathlib", ("PurePosixPath",)):
        return False
    return found.target.partition(".")[0] in ACTING


def imports_module(found: Import, module: str) -> bool:
    """Tell whether an import is one of this module of ours, ``crawler/urls.py``."""
    dotted = f"adaptive_crawl.{module[:-3].replace('/', '.')}"
    return dotted in (found.target, *(f"{found.target}.{name}" for name in found.names))


def tables() -> str:
    """The tables as they should be."""
    marks = {module: mark for module, (mark, _) in listed().items()}
    acting = {module for module, mark in marks.items() if mark == "○"}
    text = ""
    for folder in FOLDERS:
        text += f"\n### `{folder}/`\n\n| module | | what it is |\n|---|---|---|\n"
        for module, what in said().items():
            if module.startswith(f"{folder}/"):
                mark = marks.get(module) or _mark(module, acting)
                text += f"| `{module}` | {mark} | {what} |\n"
    return text


def _mark(module: str, acting: set[str]) -> str:
    imports = list(imports_of(ROOT / module))
    acts = any(is_acting(found) or any(imports_module(found, other) for other in acting) for found in imports)
    return "○" if acts else "●"


if __name__ == "__main__":
    before, _, _ = ARCHITECTURE.read_text("utf-8").partition("\n### `")
    ARCHITECTURE.write_text(before + tables(), "utf-8")
