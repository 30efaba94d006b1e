"""A report as text for people. Pure; everything that came from the web is made safe for a terminal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from adaptive_crawl.crawler.model import Disposition, PassedOver
from adaptive_crawl.output.changes import Changes

from .report import DryRun, Report, Visit

MAX_LISTED = 10
"""Lines of one kind in the summary; ``--json`` and the log have all of them."""

_MAX_TITLE = 60

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F)
_UNSAFE = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *_BIDI), "�")
"""Control characters move the cursor, and direction marks reorder a line: a page's title may do neither."""


def safe(text: str, limit: int = 0) -> str:
    """Text from the web on one line, without control characters, cut to ``limit`` characters if given."""
    line = " ".join(text.split()).translate(_UNSAFE)
    return line if not limit or len(line) <= limit else line[: limit - 1] + "…"


def summary(report: Report) -> str:
    """The table at the end of a crawl."""
    lines = [*_headline(report), *_rows(_facts(report)), *_changes(report)]
    lines += [*_pages(report), *_failures(report)]
    lines += [f"note: {safe(note)}" for note in report.notes]
    return "\n".join(lines) + "\n"


def explanation(report: Report) -> str:
    """For every page asked for why it was chosen, and what was passed over for it."""
    passed_over = {round.round: round.passed_over for round in report.passed_over}
    lines: list[str] = []
    for number, visit in enumerate(report.visits):
        following = report.visits[number + 1].round if number + 1 < len(report.visits) else None
        lines += _why(number + 1, visit, report.paths)
        if following != visit.round:
            lines += _alternatives(passed_over.get(visit.round, ()))
    return "\n".join(["Why each page was chosen", "", *lines]) + "\n"


def dry_run_text(dry_run: DryRun, limit: int = 20) -> str:
    """What a crawl would do next, and by which rules it would leave links alone."""
    lines = [f"seed  {safe(visit.url)}  {_fate(visit)}" for visit in dry_run.seeds]
    if dry_run.trouble:
        lines.append(safe(dry_run.trouble))
    lines += ["", f"{len(dry_run.upcoming)} links in scope; best first:"] if dry_run.upcoming else []
    for scored in dry_run.upcoming[:limit]:
        lines.append(f"{scored.score:6.2f}  {safe(scored.candidate.url)}")
        parts = " · ".join(_parts(scored.parts))
        lines.append("        " + safe(" — ".join(filter(None, [scored.reason, parts]))))
    if len(dry_run.upcoming) > limit:
        lines.append(f"        and {len(dry_run.upcoming) - limit} more")
    lines += _revisits(dry_run, limit)
    rules = Counter(rule for _, rule in dry_run.refused)
    if rules:
        lines += ["", f"{sum(rules.values())} links refused:"]
    for rule, count in sorted(rules.items(), key=lambda item: (-item[1], item[0])):
        example = next(url for url, its_rule in dry_run.refused if its_rule == rule)
        lines.append(f"{count:6}  {rule}, as {safe(example)}")
    return "\n".join(lines) + "\n"


def human_bytes(count: int) -> str:
    """A size in the unit that people would choose."""
    size, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"


def _headline(report: Report) -> list[str]:
    pages = _count(report.pages_crawled, "page")
    return [f"{pages} in {report.output}, {report.seconds:.1f} s", ""]


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    if report.query:
        yield "query", safe(report.query)
    yield "stopped", f"{report.stopped_reason.words}: {safe(report.stopped_detail)}"
    if report.confidence is not None:
        yield "confidence", f"{report.confidence:.2f} ({report.confidence_word})"
    measures = [
        f"{name} {value:.2f}"
        for name in ("coverage", "consistency", "saturation")
        if (value := getattr(report, name)) is not None
    ]
    if measures:
        yield "", ", ".join(measures)
    yield "pages", ", ".join(_page_counts(report))
    if report.changes is not None:
        yield "update", ", ".join(_change_counts(report.changes))
    yield "requests", f"{report.requests}, {human_bytes(report.bytes)}"
    if report.indexes:
        shown = [f"{one.format} ({_count(one.entries, 'page')})" for one in report.indexes[:MAX_LISTED]]
        yield "site indexes", ", ".join(shown)
    if report.refused:
        shown = [f"{rule} {count}" for rule, count in report.refused[:MAX_LISTED]]
        yield "not in scope", f"{', '.join(shown)} (links, by rule)"


def _page_counts(report: Report) -> Iterator[str]:
    yield f"{report.pages_crawled} kept"
    earlier = int(report.metrics.get("pages_held", 0)) - report.pages_crawled
    if earlier > 0:
        yield f"{earlier} held from earlier queries"
    for disposition, word in (
        (Disposition.DUPLICATE, "the same as another"),
        (Disposition.FOLLOWED, "followed only (noindex, or without text)"),
        (Disposition.DOWNLOADED, "downloaded"),
    ):
        count = len(report.of(disposition))
        if count:
            yield f"{count} {word}"
    if report.failed:
        yield f"{len(report.failed)} failed"
    yield f"depth {report.depth_reached}"
    yield _count(report.rounds, "round")


def _change_counts(changes: Changes) -> Iterator[str]:
    for word, which in (("added", changes.added), ("changed", changes.changed), ("removed", changes.removed)):
        yield f"{len(which)} {word}"
    yield f"{len(changes.unchanged)} unchanged"
    if changes.unseen:
        yield f"{len(changes.unseen)} not looked at"


def _changes(report: Report) -> Iterator[str]:
    """What an update did, by path; what it left alone is only counted."""
    changes = report.changes or Changes()
    for word, which in (
        ("added", changes.added),
        ("changed", changes.changed),
        ("removed", changes.removed),
        ("not looked at", changes.unseen),
    ):
        if which:
            yield from ("", f"  {word}")
        for change in which[:MAX_LISTED]:
            why = f": {safe(change.why)}" if change.why else ""
            yield f"    {safe(change.path)}  {safe(change.url)}{why}"
        if len(which) > MAX_LISTED:
            yield f"    and {len(which) - MAX_LISTED} more"


def _revisits(dry_run: DryRun, limit: int) -> Iterator[str]:
    for what, held in (("revisited", dry_run.revisits), ("removed", dry_run.removals)):
        if held:
            yield from ("", f"{_count(len(held), 'page')} held would be {what}:")
        for change in held[:limit]:
            why = f"  by rule {change.why}" if change.why else ""
            yield f"        {safe(change.path)}  {safe(change.url)}{why}"
        if len(held) > limit:
            yield f"        and {len(held) - limit} more"


def _rows(facts: Iterable[tuple[str, str]]) -> list[str]:
    return [f"  {name:<13} {value}" for name, value in facts]


def _pages(report: Report) -> list[str]:
    """The pages that say most of the query; where none was asked, the first ones."""
    kept = report.of(Disposition.KEPT)
    titles = {visit.key: visit.title for visit in kept}
    if report.best:
        rows = [(f"{share:4.0%}  ", key) for key, share in report.best]
        lines = ["", "  pages that say most of the query"]
    else:
        rows = [("", visit.key) for visit in kept]
        lines = ["", "  pages"] if rows else []
    for told, key in rows[:MAX_LISTED]:
        where = safe(report.paths.get(key) or key)
        lines.append(f"  {told}{where}  {safe(titles.get(key, ''), _MAX_TITLE)}".rstrip())
    if len(kept) > len(rows[:MAX_LISTED]):
        lines.append(f"  and {len(kept) - len(rows[:MAX_LISTED])} more")
    return lines


def _failures(report: Report) -> list[str]:
    failed = report.failed
    if not failed:
        return []
    lines = ["", "  failed"]
    for visit in failed[:MAX_LISTED]:
        what = visit.held or f"{visit.kind}: {visit.detail}"
        lines.append(f"    {safe(visit.url)}: {safe(what)}")
    if len(failed) > MAX_LISTED:
        lines.append(f"    and {len(failed) - MAX_LISTED} more")
    return lines


def _why(number: int, visit: Visit, paths: Mapping[str, str]) -> list[str]:
    lines = [f"{number:3}. {safe(visit.url)}  {_fate(visit, paths)}"]
    if not visit.referrer:
        return [*lines, f"     round {visit.round}: {safe(visit.reason or 'seed')}"]
    link = f'the link "{safe(visit.anchor, _MAX_TITLE)}"' if visit.anchor else "a link without text"
    lines.append(f"     round {visit.round}: {link} on {safe(visit.referrer)}")
    made_of = f" = {' · '.join(_parts(visit.parts))}" if visit.parts else ""
    lines.append(f"     score {visit.score:.2f}{made_of}")
    return [*lines, f"     {safe(visit.reason)}"] if visit.reason else lines


def _fate(visit: Visit, paths: Mapping[str, str] | None = None) -> str:
    path = (paths or {}).get(visit.key, "")
    match visit.disposition:
        case Disposition.KEPT | Disposition.DOWNLOADED:
            return f"→ {path}" if path else visit.disposition.value
        case Disposition.DUPLICATE:
            return f"the same as {safe(visit.detail)}"
        case Disposition.REDIRECTED:
            return f"redirects to {safe(visit.detail)}"
        case Disposition.FAILED:
            return f"failed: {safe(visit.detail)}"
        case Disposition.REFUSED:
            return f"refused: {safe(visit.detail)}"
    return visit.disposition.value


def _alternatives(passed_over: Sequence[PassedOver]) -> list[str]:
    if not passed_over:
        return []
    lines = ["     passed over:"]
    for other in passed_over:
        anchor = f'"{safe(other.anchor, _MAX_TITLE)}"' if other.anchor else ""
        parts = " · ".join(_parts(other.parts))
        lines.append(f"       {other.score:.2f}  {safe(other.url)}  {anchor}  {parts}".rstrip())
    return [*lines, ""]


def _parts(parts: Sequence[tuple[str, float]]) -> list[str]:
    return [f"{name} {value:.2f}" for name, value in parts]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
