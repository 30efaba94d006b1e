"""What the documents say is what the program does."""

import re
from pathlib import Path

import pytest

from adaptive_crawl.cli.config import Config
from adaptive_crawl.cli.exit_codes import ExitCode
from adaptive_crawl.cli.keys import keys_of
from adaptive_crawl.cli.layers import read_text
from adaptive_crawl.cli.presets import PRESETS
from adaptive_crawl.crawler.model import StopReason

from .readme import README, told_again

ROOT = README.parent
DOCUMENTS = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def readme() -> str:
    return README.read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", readme(), re.DOTALL | re.MULTILINE)


def table(heading: str) -> dict[str, str]:
    """First column → second column of the first table under a heading, code marks taken off."""
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", readme(), re.DOTALL | re.MULTILINE)
    assert section, heading
    rows = re.findall(r"^\| (.+?) \| (.+?) \|", section[1], re.MULTILINE)
    return {first.strip("`"): second for first, second in rows[1:]}


def test_the_examples_of_the_readme_print_what_it_shows(tmp_path: Path) -> None:
    assert told_again(readme(), tmp_path) == readme(), "run: python -m tests.readme"


def test_the_readme_shows_the_whole_help() -> None:
    assert any("$ adaptive-crawl --help\n" in block for block in blocks("console"))


def test_the_readme_lists_every_exit_code() -> None:
    codes = {int(code) for cell in table("Exit codes") for code in re.findall(r"\d+", cell)}
    assert codes == {code.value for code in ExitCode}


def test_the_readme_lists_every_stop_reason() -> None:
    assert set(table("When it stops")) == {reason.value for reason in StopReason}


def test_the_readme_lists_every_preset_with_its_values() -> None:
    listed = dict(
        re.findall(r"^\| `([a-z-]+)` \| (0\.\d+ \| \d+ \| \d+ \| 0\.\d+) \|", readme(), re.MULTILINE)
    )
    order = [
        ("strategy", "confidence"),
        ("limits", "max_pages"),
        ("limits", "round_size"),
        ("limits", "min_gain"),
    ]
    assert listed == {name: " | ".join(str(values[key]) for key in order) for name, values in PRESETS.items()}


@pytest.mark.parametrize("text", blocks("yaml"), ids=lambda text: text.splitlines()[0])
def test_yaml_in_the_readme_is_a_valid_configuration(text: str) -> None:
    layer = read_text(text, keys_of(Config), "README.md")
    assert layer.problems == ()
    assert layer.settings


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    code = re.compile(r"^```.*?^```$|(`+).*?\1", re.DOTALL | re.MULTILINE)
    text = code.sub("", document.read_text("utf-8"))
    targets = [target for target in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in target]
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_words_of_make_in_the_documents_are_targets() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    said = {
        word for document in DOCUMENTS for word in re.findall(r"`make ([a-z-]+)", document.read_text("utf-8"))
    }
    assert {word for word in said if not re.search(rf"^{word}:", makefile, re.MULTILINE)} == set()
