"""The parts keep to their places: which folder may import which, and which modules may not act.

docs/architecture.md is the one list of modules: each with ● (decides; pure) or ○ (acts), and the first
line of its docstring. A new module is entered there, or a test says so.
"""

import json
import subprocess
import sys

import pytest

from .module_tables import ROOT, imports_module, imports_of, is_acting, listed, modules, name_of, said

MAY_IMPORT = {
    "crawler": set[str](),
    "scoring": {"crawler"},
    "output": {"crawler"},
    "cli": {"crawler", "scoring", "output"},
}

HEAVY = {"numpy", "scipy", "sklearn", "openai", "markdownify", "bs4", "httpx", "selectolax"}
"""What ``--help`` must not import: each costs more than the answer. (Typer itself needs pydantic.)"""

PATTERN_NAMES = {"utils", "util", "helpers", "helper", "base", "common", "misc"}


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
    marks = {module: mark for module, (mark, _) in listed().items()}
    acting = [module for module, mark in marks.items() if mark == "○"]
    assert [
        f"{found.module}:{found.line} imports {found.target}"
        for found in EVERY_IMPORT
        if marks.get(found.module) == "●"
        and (is_acting(found) or any(imports_module(found, module) for module in acting))
    ] == []


def test_the_documentation_lists_every_module_with_what_its_docstring_says() -> None:
    assert [module for module, what in said().items() if not what] == []
    listing = {module: what for module, (_, what) in listed().items()}
    assert listing == said(), "run: python -m tests.module_tables"


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
