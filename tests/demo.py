"""``python -m tests.demo``: serve the demo site on loopback, crawl it for real, show what came out.

Everything shown is what the command itself does; nothing leaves this machine. The tree is made anew each
time in ``demo-tree/``.
"""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .demo_site import QUERY, demo_site

TREE = Path("demo-tree")


def main() -> int:
    """Run the demo; the exit code is the crawl's."""
    if TREE.exists():
        _remove_own(TREE)
    with demo_site().served() as base_url:
        words = ["--query", QUERY, "--output", str(TREE), f"{base_url}/"]
        _say(f"\n$ adaptive-crawl {shlex.join(words)}")
        crawl = subprocess.run([sys.executable, "-m", "adaptive_crawl", *words], check=False)
    if not (TREE / "index.md").exists():
        return crawl.returncode or 1
    _say(f"\n$ tree {TREE}")
    _say("\n".join(drawn(TREE)))
    _say(f"\n$ cat {TREE}/index.md")
    _say((TREE / "index.md").read_text("utf-8"))
    return crawl.returncode


def drawn(folder: Path, indent: str = "") -> Iterator[str]:
    """Draw a folder as ``tree`` would, hidden files left out."""
    if not indent:
        yield folder.name + "/"
    entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    for entry in entries:
        last = entry == entries[-1]
        yield f"{indent}{'└── ' if last else '├── '}{entry.name}{'/' if entry.is_dir() else ''}"
        if entry.is_dir():
            yield from drawn(entry, indent + ("    " if last else "│   "))


def _remove_own(tree: Path) -> None:
    """Remove what an earlier demo left, and nothing that is not a crawl's."""
    if not (tree / ".crawl").is_dir():
        raise SystemExit(f"{tree}/ is there and was not made by a crawl: move it away first")
    shutil.rmtree(tree)


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    raise SystemExit(main())
