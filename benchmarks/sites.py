"""Crawl real documentation for judged queries and score what was fetched.

    python -m benchmarks.sites [--systems bfs,dfs,plain,ours,ours-stop] [--sites-dir DIR] [--gold FILE]
                               [--out DIR] [-- options of score.py, as --by site --per-query]

The decision core runs in this process on files read from disk, so that 36 queries take seconds; what it
decides is what the command decides on the same site. The systems ``served``, ``served-stop`` and
``served-bfs`` are the command itself, against the handed server.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from adaptive_crawl.crawler.crawl import Crawl
from adaptive_crawl.crawler.model import Kind, Plan, Query
from adaptive_crawl.crawler.scope import Scope, ScopeConfig

from . import served
from .shelf import SITES_DIR, Question, Shelf, questions
from .systems import SYSTEMS, System

COMPARED = (("ours", "plain"), ("ours", "bfs"))


def main() -> None:
    """Run the systems and print score.py's tables."""
    args = _arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    asked = questions(args.gold)
    shelves = {name: Shelf(name, args.sites_dir) for name in dict.fromkeys(q.site for q in asked)}
    files = []
    for name in args.systems.split(","):
        started = time.perf_counter()
        files.append(args.out / f"{name}.jsonl")
        write(files[-1], ({"system": name, **line} for line in run(name, asked, shelves, args.sites_dir)))
        print(f"{name}: {time.perf_counter() - started:.1f} s", file=sys.stderr)
    score(files, args.gold, args.sites_dir, args.score)


def run(
    name: str, asked: list[Question], shelves: dict[str, Shelf], sites_dir: Path
) -> Iterable[dict[str, object]]:
    """All crawls of one system, as lines for score.py."""
    if name not in served.OPTIONS:
        return [crawl(question, shelves[question.site], SYSTEMS[name]) for question in asked]
    with served.serving(sites_dir, list(shelves.values())):
        return [served.crawl(question, shelves[question.site], name) for question in asked]


def crawl(question: Question, shelf: Shelf, system: System) -> dict[str, object]:
    """One crawl as a line for score.py; every page request counts, failed ones too."""
    query = Query(question.text)
    seed = shelf.origin + question.start
    core = Crawl(
        [seed], system.make(query), Scope(ScopeConfig(), [seed]), system.limits, discovery=system.discovery
    )
    fetched: list[str] = []
    while isinstance(step := core.plan(), Plan):
        for request in step.requests:
            core.settle(request, shelf.visit(request))
            fetched += [shelf.path(request.url)] if request.kind is not Kind.ROBOTS else []
        core.close_round(step.round, 0.0)
    return {
        "site": question.site,
        "query_id": question.id,
        "fetched": fetched,
        "stopped_reason": str(step.reason),
        "confidence": step.figures["confidence"],
        "figures": dict(step.figures),
        "detail": step.detail,
    }


def score(files: list[Path], gold: Path, sites_dir: Path, options: list[str]) -> None:
    """Print score.py's tables for some files of crawls."""
    command = [sys.executable, str(sites_dir / "score.py"), *map(str, files), "--gold", str(gold), *options]
    subprocess.run(command, check=True)
    names = {file.stem for file in files}
    for one, other in COMPARED:
        if {one, other} <= names and "--compare" not in options:
            compared = subprocess.run(
                [*command, "--compare", one, other], check=True, capture_output=True, text=True
            )
            print("".join(compared.stdout.partition(f"\n{one} minus")[1:]).rstrip())


def write(file: Path, lines: Iterable[dict[str, object]]) -> None:
    """Write JSON lines."""
    with file.open("w", encoding="utf-8") as opened:
        for line in lines:
            opened.write(json.dumps(line, ensure_ascii=False) + "\n")


def _arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--sites-dir", type=Path, default=SITES_DIR)
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("score", nargs="*", help="options for score.py, after --")
    args = parser.parse_args()
    args.gold = args.gold or args.sites_dir / "gold_dev.yaml"
    return args


if __name__ == "__main__":
    main()
