"""What each idea of the link score brings: the same crawls with one idea taken away at a time.

    python -m benchmarks.ablation [--sites-dir DIR] [--gold FILE] [--rounds 2,3,4] [--only NAME,...]

With 32 queries one page more or less moves a figure by .01, and which page comes third decides what is read
next. Each line is therefore the mean over crawls with different round sizes, and differences below .01 are
no finding. ``sites`` names AUC20 by site, so that an idea that serves one site alone can be seen.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

from adaptive_crawl.crawler.model import Query, Strategy
from adaptive_crawl.scoring import evidence, links, text
from adaptive_crawl.scoring.links import LinkConfig
from adaptive_crawl.scoring.statistical import StatisticalConfig, StatisticalStrategy

from .shelf import SITES_DIR, Question, Shelf, questions
from .sites import crawl
from .systems import SYSTEMS, WITHOUT_STOP, System


@dataclass(frozen=True, slots=True)
class Change:
    """One idea taken away: names of a module set to other values, or another link configuration."""

    values: tuple[tuple[ModuleType, str, object], ...] = ()
    config: LinkConfig = field(default_factory=LinkConfig)


CHANGES: dict[str, Change] = {
    "ours": Change(),
    "without words around the link": Change(((links, "CONTEXT", 0.0),)),
    "without words of the URL": Change(((links, "URL_WORD", 0.0),)),
    "without headings above the link": Change(((links, "HEADING", 0.0),)),
    "long surroundings count as short ones": Change(((links, "CONTEXT_FADE", 0.0),)),
    "without the section it stands in": Change(((links, "FROM_SECTION", 0.0),)),
    "without the page it stands on": Change(((links, "FROM_PAGE", 0.0),)),
    "without what its folder was worth": Change(((links, "FOLDER", 0.0),)),
    "without front pages and indexes": Change(((links, "FRONT_PAGE", 0.0),)),
    "without in-links": Change(((links, "IN_LINKS", 0.0),)),
    "without authority": Change(config=LinkConfig(0.625, 0.375, 0.0)),
    "without novelty": Change(config=LinkConfig(0.8, 0.0, 0.2)),
    "without hope for unannounced pages": Change(((links, "HOPE", 0.0),)),
    "without words that stand for others": Change(((links, "_stand_for", lambda terms: {}),)),
    "without Latin verbs and their nouns": Change(((text, "_RECODED", ()),)),
    "without idf": Change(((evidence, "_rarity", lambda holding, total: 1.0),)),
    "lists count as text": Change(((evidence, "_prose", lambda page: {}),)),
    "menus count as text": Change(((links, "BOILERPLATE", 1.0), (links, "BOILERPLATE_PLACE", 1.0))),
}


def main() -> None:
    """Print a line for each change."""
    args = _arguments()
    asked = [question for question in questions(args.gold) if question.gold]
    shelves = {name: Shelf(name, args.sites_dir) for name in dict.fromkeys(q.site for q in asked)}
    sys.path.insert(0, str(args.sites_dir))
    sizes = [int(size) for size in args.rounds.split(",")]
    names = args.only.split(",") if args.only else ["plain best-first", *CHANGES]
    print(f"| {'':37} | AUC20 | hit@10 | hit@20 | sites |\n|---|---|---|---|---|")
    for name in names:
        change = CHANGES.get(name, Change())
        make = SYSTEMS["plain"].make if name not in CHANGES else _maker(change.config)
        with _changed(change):
            rows = list(_rows(asked, shelves, make, sizes, args.sites_dir))
        print(_line(name, rows), flush=True)


def _maker(config: LinkConfig) -> Callable[[Query], Strategy]:
    return lambda query: StatisticalStrategy(query, StatisticalConfig(), config)


@contextmanager
def _changed(change: Change) -> Iterator[None]:
    before = [(module, name, getattr(module, name)) for module, name, _ in change.values]
    for module, name, value in change.values:
        setattr(module, name, value)
    _forget()
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)
        _forget()


def _forget() -> None:
    text.stem.cache_clear()
    text.token_terms.cache_clear()


def _rows(
    asked: list[Question],
    shelves: dict[str, Shelf],
    make: Callable[[Query], Strategy],
    sizes: list[int],
    sites_dir: Path,
) -> Iterator[tuple[str, dict[str, float]]]:
    from score import score_one  # type: ignore[import-not-found]  # the handed scorer, beside the sites

    for size in sizes:
        system = System(make, replace(WITHOUT_STOP, round_size=size))
        for question in asked:
            fetched = crawl(question, shelves[question.site], system)["fetched"]
            gold = [{"path": path, "grade": grade} for path, grade in question.gold.items()]
            yield question.site, score_one({"site": question.site, "gold": gold}, fetched)


def _line(name: str, rows: list[tuple[str, dict[str, float]]]) -> str:
    def mean(figure: str, site: str = "") -> float:
        return statistics.fmean(row[figure] for where, row in rows if site in ("", where))

    sites = ", ".join(
        f"{site} {mean('AUC20', site):.2f}" for site in dict.fromkeys(where for where, _ in rows)
    )
    figures = " | ".join(f"{mean(figure):.3f}" for figure in ("AUC20", "hit@10", "hit@20"))
    return f"| {name:37} | {figures} | {sites} |"


def _arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--sites-dir", type=Path, default=SITES_DIR)
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--rounds", default="2,3,4")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.gold = args.gold or args.sites_dir / "gold_dev.yaml"
    return args


if __name__ == "__main__":
    main()
