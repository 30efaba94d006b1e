"""The shape of the command line: crawling as the default command, and help that reads well as plain text.

Typer brings its own copy of Click, so the classes here build on Typer's alone.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from typer.core import TyperCommand, TyperGroup

DEFAULT_COMMAND = "crawl"

_OWN_OPTIONS = ("--version",)


class DefaultGroup(TyperGroup):
    """Puts the default command in front of anything that does not begin with a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first in self.commands or first in _OWN_OPTIONS:
            return super().parse_args(ctx, args)
        if first and not first.startswith("-") and not looks_like_url(first):
            ctx.fail(neither(first, self.commands))
        return super().parse_args(ctx, [DEFAULT_COMMAND, *args])


class CrawlCommand(TyperCommand):
    """Help with the purpose and examples first, options in groups, and the other commands at the end."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        formatter.write_usage("adaptive-crawl", "[OPTIONS] URL...")
        formatter.write_usage("adaptive-crawl", "COMMAND ...", prefix="   or: ")

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        formatter.write("\n")
        formatter.write((self.help or "").strip() + "\n")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                group = getattr(param, "rich_help_panel", None) or "Other options"
                groups.setdefault(group, []).append(record)
        for group, records in groups.items():
            with formatter.section(group):
                formatter.write_dl(records, col_max=26)
        with formatter.section("Commands"):
            commands = ctx.parent.command.commands.items() if ctx.parent else ()
            formatter.write_dl([(name, command.get_short_help_str(90)) for name, command in commands])


def looks_like_url(word: str) -> bool:
    """A word with a dot, a colon or a slash, or this very machine."""
    return any(mark in word for mark in ".:/") or word == "localhost"


def neither(word: str, commands: Iterable[str]) -> str:
    """What to say of a word that is neither a command nor a URL."""
    close = get_close_matches(word, commands, 1)
    hint = f"Did you mean {close[0]!r}?" if close else f"If it is a host, write https://{word}."
    return f"{word!r} is neither a command nor a URL. {hint}"
