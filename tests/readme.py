"""The README's examples, run again: ``python -m tests.readme`` writes what they print into README.md.

Blocks of ``console`` are a story told in one folder: lines that begin with ``$`` are commands, the rest is
what they print on stdout. The demo site stands in for ``https://larder.example``; durations, times and
digests, which differ from run to run, are written as fixed ones. Other blocks are not run.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from .demo import drawn
from .demo_site import demo_site

README = Path(__file__).parent.parent / "README.md"
SITE = "https://larder.example"

_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)

_DIFFERING = (
    (re.compile(r"\b\d+\.\d s\b"), "0.4 s"),
    (re.compile(r'("seconds": )\d+(\.\d+)?'), r"\g<1>0.4"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)"), "2026-03-02T21:14:05Z"),
    (re.compile(r"\bsha256:[0-9a-f]{64}"), "sha256:9f2c…"),
    (re.compile(r'"[0-9a-f]{16}"'), '"5d41402abc4b2a76"'),
    (re.compile(r"\bchecksum: [0-9a-f]{32}"), "checksum: 3c9d…"),
)


def told_again(text: str, folder: Path) -> str:
    """Run every example of a README in a folder; the text with what they print now."""
    with demo_site().served() as base_url:
        return _BLOCK.sub(lambda block: _block(block[0], base_url, folder), text)


def _block(block: str, base_url: str, folder: Path) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "\n".join(f"{command}\n{_printed(command[2:], base_url, folder)}" for command in commands)


def _printed(command: str, base_url: str, folder: Path) -> str:
    words = shlex.split(command)
    if words[0] == "tree":
        return "\n".join(drawn(folder / words[1])) + "\n"
    done = subprocess.run(
        command.replace(SITE, base_url),
        shell=True,
        cwd=folder,
        env=_environment(folder),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout, f"{command} printed nothing, but: {done.stderr}"
    printed = done.stdout.replace(base_url, SITE).replace(base_url.removeprefix("http://"), SITE[8:])
    for pattern, fixed in _DIFFERING:
        printed = pattern.sub(fixed, printed)
    return printed.rstrip("\n") + "\n"


def _environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "NO_PROXY": "*",
        "ADAPTIVE_CRAWL_POLITENESS__DELAY": "0",
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        README.write_text(told_again(README.read_text("utf-8"), Path(made)), "utf-8")
