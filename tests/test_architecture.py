"""The parts keep to their places: which folder may import which, and which modules may not act.

docs/architecture.md is the one list of modules: each with ● (decides; pure) or ○ (acts), and the first
line of its docstring. A new module is entered there, or a test says so.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

MAY_IMPORT = {
    "crawler": set[str](),
    "scoring": {"crawler"},
    "output": {"crawler"},
    "cli": {"crawler", "scoring", "output"},
}

ACTING = {"asyncio", "httpx", "openai", "sqlite3", "os", "pathlib", "time", "random", "datetime", "logging"}
"""What a pure module must not import: it would wait, read a clock, draw a number or touch the world."""

HEAVY = {"numpy", "scipy", "sklearn", "openai", "markdownify", "bs4", "httpx", "selectolax"}
"""What ``--help`` must not import: each costs more than the answer. (Typer itself needs pydantic.)"""

PATTERN_NAMES = {"utils", "util", "helpers", "helper", "base", "common", "misc"}


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
    return sorted(file for folder in MAY_IMPORT for file in (ROOT / folder).rglob("*.py"))


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
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z0-9/_]+\.py)` \| ([●○]) \| (.*?) \|$", text, re.MULTILINE)
    return {module: (mark, what) for module, mark, what in rows}


EVERY_IMPORT = [found for file in modules() for found in imports_of(file)]


def test_imports_between_folders_point_one_way() -> None:
    wrong = []
    for found in EVERY_IMPORT:
        parts = found.target.split(".")
        if parts[0] != "adaptive_crawl" or len(parts) < 2:
            continue
        here = found.module.partition("/")[0]
        if parts[1] != here and parts[1] not in MAY_IMPORT[here]:
            wrong.append(f"{found.module}:{found.line} imports {found.target}")
    assert wrong == []


def test_a_folder_imports_its_own_modules_relatively_and_others_absolutely() -> None:
    wrong = []
    for found in EVERY_IMPORT:
        same = found.target.split(".")[:2] == ["adaptive_crawl", found.module.partition("/")[0]]
        if found.relative != same:
            wrong.append(f"{found.module}:{found.line} imports {found.target}")
    assert wrong == []


def test_modules_that_decide_import_nothing_that_acts() -> None:
    pure = {module for module, (mark, _) in listed().items() if mark == "●"}
    acting = {f"adaptive_crawl.{m[:-3].replace('/', '.')}" for m in listed() if m not in pure}
    wrong = []
    for found in EVERY_IMPORT:
        if found.module not in pure or (found.target, found.names) == ("pathlib", ("PurePosixPath",)):
            continue
        submodules = {f"{found.target}.{name}" for name in found.names}
        if found.target.partition(".")[0] in ACTING or acting & {found.target, *submodules}:
            wrong.append(f"{found.module}:{found.line} imports {found.target}")
    assert wrong == []


def test_the_documentation_lists_every_module_with_what_its_docstring_says() -> None:
    said = {}
    for file in modules():
        if file.name != "__init__.py":
            docstring = ast.get_docstring(ast.parse(file.read_text("utf-8")))
            assert docstring, f"{name_of(file)} has no docstring"
            said[name_of(file)] = " ".join(docstring.split("\n\n")[0].split())
    assert {module: what for module, (_, what) in listed().items()} == said


def test_modules_are_named_for_things() -> None:
    assert [name_of(file) for file in modules() if file.stem in PATTERN_NAMES] == []


def test_help_imports_nothing_heavy() -> None:
    code = """
import json, sys
sys.argv = ["adaptive-crawl", "--help"]
from adaptive_crawl.cli.app import main
try:
    main()
except SystemExit:
    pass
print()
print(json.dumps(sorted(name for name in sys.modules if "." not in name)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stdout.splitlines()[-1]))
    assert imported & HEAVY == set()


@pytest.mark.parametrize("name", ["cli", "crawler", "scoring", "output"])
def test_the_folders_are_reached_through_links_that_every_tool_follows(name: str) -> None:
    link = ROOT / "src" / "adaptive_crawl" / name
    assert link.is_symlink()
    assert str(link.readlink()) == f"../../{name}"
