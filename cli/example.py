"""A configuration as YAML: the one in force, or the commented example with every key.

The example is made from the dataclasses, so that it cannot differ from the program; the line above a key
is the docstring under its field. To write it anew: ``python -m adaptive_crawl.cli.example``.
"""

import dataclasses
import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, get_type_hints

from .config import Config
from .keys import keys_of, plain, reasons

_WIDTH = 110

_HEAD = """\
# adaptive-crawl: every key, with its default and what it is for.
#
# Copy the lines that you change into adaptive-crawl.yaml (in the folder where you start the command), into
# $XDG_CONFIG_HOME/adaptive-crawl/config.yaml (for yourself), or into a file named by --config. A line that
# is there counts as given, also when it says the default: it then stands over a preset and over the
# defaults of a crawl without a query (max_pages null, max_depth 2, round_size 32).
# In the environment a key is ADAPTIVE_CRAWL_SECTION__KEY, as in ADAPTIVE_CRAWL_LIMITS__MAX_PAGES=50.
"""


def example() -> str:
    """The text of ``config.example.yaml``."""
    return _HEAD + "\n" + "\n".join(_explained(Config, Config(), ()))


def as_yaml(config: Any, origins: Mapping[str, str] | None = None) -> str:
    """A configuration as YAML; with ``origins``, each line ends in where its value was given."""
    return "".join(f"{line}\n" for line in _lines(config, (), origins))


def _explained(section: type, instance: Any, path: tuple[str, ...]) -> Iterator[str]:
    indent = "  " * len(path)
    why = reasons(section)
    keys = keys_of(section)
    for field in dataclasses.fields(section):
        value = getattr(instance, field.name)
        if dataclasses.is_dataclass(value):
            yield ""
            yield from _comment(reasons(type(value))[""], indent)
            yield f"{indent}{field.name}:"
            yield from _explained(type(value), value, (*path, field.name))
            continue
        pair, allowed = _pair(field.name, value, indent), keys[(field.name,)].allowed
        fits = len(pair) + len(allowed) + 4 <= _WIDTH
        yield from _comment(why[field.name] if fits else f"{why[field.name]} ({allowed})", indent)
        yield from [f"{pair}  # {allowed}"] if fits else _wrapped(pair, indent)
    if not path:
        yield ""


def _lines(instance: Any, path: tuple[str, ...], origins: Mapping[str, str] | None) -> Iterator[str]:
    indent = "  " * len(path)
    hints = get_type_hints(type(instance))
    for field in dataclasses.fields(instance):
        value, here = getattr(instance, field.name), (*path, field.name)
        if dataclasses.is_dataclass(hints[field.name]):
            yield f"{indent}{field.name}:"
            yield from _lines(value, here, origins)
            continue
        shown = dict.fromkeys(value, "(hidden)") if field.name == "headers" else value
        pair = _pair(field.name, shown, indent)
        yield pair if origins is None else f"{pair}  # {origins['.'.join(here)]}"


def _comment(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")


def _wrapped(pair: str, indent: str) -> list[str]:
    """A long list over several lines: one between brackets may be broken after any comma."""
    if len(pair) <= _WIDTH:
        return [pair]
    return textwrap.wrap(pair, _WIDTH, subsequent_indent=f"{indent}  ", break_long_words=False)


def _pair(name: str, value: object, indent: str) -> str:
    """One key and its value on one line; JSON is YAML, and says the same in every version of it."""
    said = plain(value)
    if isinstance(said, str) and said.replace("-", "").replace("_", "").isalpha() and said not in _WORDS:
        return f"{indent}{name}: {said}"
    return f"{indent}{name}: {json.dumps(said, ensure_ascii=False)}"


_WORDS = ("null", "true", "false", "yes", "no", "on", "off", "none", "y", "n")
"""Texts that must be quoted, or some YAML reader takes them for something else."""


if __name__ == "__main__":
    print(example(), end="")
