"""Crawl real documentation for judged queries and score what was fetched.

    python -m benchmarks.sites [--systems bfs,dfs,plain,ours,ours-stop] [--gold FILE] [--sites-dir DIR]
                               [--out DIR] [-- options of score.py, as --by site --per-query]

The decision core runs in this process on files read from disk, so that 40 queries take seconds; what it
decides is what the command decides on the same site (``--served`` drives the command itself).
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from adaptive_crawl.crawler.crawl import Crawl
from adaptive_crawl.crawler.model import Disposition, Kind, Plan, Query
from adaptive_crawl.crawler.scope import Scope, ScopeConfig

from .shelf import SITES_DIR, Question, Shelf, questions
from .systems import SYSTEMS, System

COMPARED = (("ours", "plain"), ("ours", "bfs"))


def main() -> None:
    """Run the systems and print score.py's tables."""
    args = _arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    asked = questions(args.gold)
    shelves = {name: Shelf(name, args.sites_dir) for name in dict.fromkeys(q.site for q in asked)}
    names = args.systems.split(",")
    files = []
    for name in names:
        started = time.perf_counter()
        file = args.out / f"{name}.jsonl"
        _write(file, ({"system": name, **crawl(q, shelves[q.site], SYSTEMS[name])} for q in asked))
        print(f"{name}: {time.perf_counter() - started:.1f} s", file=sys.stderr)
        files.append(file)
    score(files, args.gold, args.sites_dir, names, args.score)


def crawl(question: Question, shelf: Shelf, system: System) -> dict[str, object]:
    """One crawl as a line for score.py; every request counts, failed ones too."""
    query = Query(question.text)
    seed = shelf.origin + question.start
    core = Crawl([seed], system.make(query), Scope(ScopeConfig(), [seed]), system.limits)
    fetched: list[str] = []
    pages = 0
    while isinstance(step := core.plan(), Plan):
        for request in step.requests:
            event = core.settle(request, shelf.visit(request))
            fetched += [shelf.path(request.url)] if request.kind is Kind.PAGE else []
            pages += event.disposition is Disposition.KEPT
        core.close_round(step.round, 0.0)
    return {
        "site": question.site,
        "query_id": question.id,
        "fetched": fetched,
        "stopped_reason": str(step.reason),
        "confidence": step.figures["confidence"],
        "figures": dict(step.figures),
        "detail": step.detail,
        "pages": pages,
    }


def score(
    files: Iterable[Path], gold: Path, sites_dir: Path, names: Iterable[str], options: list[str]
) -> None:
    """Print score.py's tables for some files of crawls."""
    command = [sys.executable, str(sites_dir / "score.py"), *map(str, files), "--gold", str(gold), *options]
    subprocess.run(command, check=True)
    ran = set(names)
    for pair in COMPARED:
        if ran.issuperset(pair) and "--compare" not in options:
            shown = subprocess.run([*command, "--compare", *pair], check=True, capture_output=True, text=True)
            print(_comparison(shown.stdout, pair[0]))


def _comparison(output: str, name: str) -> str:
    return "".join(output.partition(f"\n{name} minus")[1:]).rstrip()


def _write(file: Path, lines: Iterator[dict[str, object]]) -> None:
    with file.open("w", encoding="utf-8") as opened:
        for line in lines:
            opened.write(json.dumps(line, ensure_ascii=False) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
