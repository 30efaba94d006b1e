"""Where values come from: YAML files, environment variables, flags; each value with its place.

Reads; judges only what cannot be read. Which layer wins, and whether a value is allowed, is ``config``'s.

An environment variable ``ADAPTIVE_CRAWL_SECTION__KEY`` sets ``section.key`` (two underscores between the
names, so that names may hold one; ``ADAPTIVE_CRAWL_PRESET`` has no section). Its value is YAML, as in
``[a, b]``; where the key takes text it is the text as it stands. An empty variable counts as unset.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .keys import Key, KeyPath, sections_of

ENVIRONMENT = "ADAPTIVE_CRAWL_"

MAX_FILE_BYTES = 1_000_000
"""A configuration is a few kilobytes; a project's file may be a trap."""

_CORE = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"([-+]?)\.(inf|nan)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Setting:
    """One value, and where it was given."""

    path: KeyPath
    value: object
    place: str
    """As people find it again: ``adaptive-crawl.yaml:3``, ``--max-pages``, the name of a variable."""
    adds: bool = False
    """The items of a list come on top of those given elsewhere, instead of in their place."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that keeps the configuration from being used."""

    place: str
    path: str
    """Dotted; empty where the trouble is with the whole file."""
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.path}: {self.message}" if self.path else f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Layer:
    """The values of one origin."""

    settings: tuple[Setting, ...] = ()
    problems: tuple[Problem, ...] = ()
    trusted: bool = True
    """False for a file that was loaded only because it lay there."""


@dataclass
class _Reading:
    """What has been found so far in one text."""

    keys: Mapping[KeyPath, Key]
    place: str
    settings: list[Setting] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def complain(self, path: KeyPath, node: yaml.Node, message: str) -> None:
        place = f"{self.place}:{node.start_mark.line + 1}"
        self.problems.append(Problem(place, ".".join(path), message))


def read_file(path: Path, keys: Mapping[KeyPath, Key], name: str) -> Layer:
    """Read a YAML file, called ``name`` in messages; everything wrong with it is a problem of the layer.

    Raises:
        OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        raw = file.read(MAX_FILE_BYTES + 1)
    if len(raw) > MAX_FILE_BYTES:
        return Layer(problems=(Problem(name, "", f"larger than {MAX_FILE_BYTES} bytes"),))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Layer(problems=(Problem(name, "", f"not UTF-8 text (byte {error.start})"),))
    return read_text(text, keys, name)


def read_text(text: str, keys: Mapping[KeyPath, Key], name: str) -> Layer:
    """Read YAML text as ``read_file`` does."""
    reading = _Reading(keys, name)
    try:
        root = _compose(text)
        if root is not None:
            _walk(root, (), sections_of(keys), reading)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark else ""
        return Layer(problems=(Problem(f"{name}{line}", "", f"not YAML: {error.problem or error}"),))
    except yaml.YAMLError as error:
        return Layer(problems=(Problem(name, "", f"not YAML: {' '.join(str(error).split())}"),))
    except RecursionError:
        return Layer(problems=(Problem(name, "", "nested too deep to be a configuration"),))
    return Layer(tuple(reading.settings), tuple(reading.problems))


def read_environment(environ: Mapping[str, str], keys: Mapping[KeyPath, Key]) -> Layer:
    """Read the variables that begin with ``ADAPTIVE_CRAWL_``, by name."""
    given = {
        tuple(name.removeprefix(ENVIRONMENT).lower().split("__")): (name, value)
        for name, value in sorted(environ.items())
        if name.startswith(ENVIRONMENT) and value
    }
    return read_words([(path, value, name) for path, (name, value) in given.items()], keys)


def read_words(words: Sequence[tuple[KeyPath, object, str]], keys: Mapping[KeyPath, Key]) -> Layer:
    """Read (path, text or value, place) as typed by a person: text is YAML unless the key takes text."""
    settings, problems = [], []
    for path, value, place in words:
        key = keys.get(path)
        if not isinstance(value, str) or key is None or key.is_text:
            settings.append(Setting(path, value, place))
            continue
        try:
            root = _compose(value)
            settings.append(Setting(path, None if root is None else _value(root), place))
        except (yaml.YAMLError, RecursionError):
            told = "what is given" if key.is_mapping else repr(value)  # a mapping's values may be secret
            problems.append(Problem(place, key.name, f"{told} is not allowed: {key.allowed}"))
    return Layer(tuple(settings), tuple(problems))


class _PlainLoader(yaml.BaseLoader):
    """YAML's structure without what makes it unsafe in size: an alias can stand for a million copies."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases (*) are not supported", event.start_mark)
        return super().compose_node(parent, index)


def _compose(text: str) -> yaml.Node | None:
    node: yaml.Node | None = yaml.compose(text, Loader=_PlainLoader)
    return node


def _walk(node: yaml.Node, path: KeyPath, sections: set[KeyPath], reading: _Reading) -> None:
    if isinstance(node, yaml.ScalarNode) and _value(node) is None:
        return
    if not isinstance(node, yaml.MappingNode):
        kind = "a list" if isinstance(node, yaml.SequenceNode) else f"a single value ({node.value[:40]!r})"
        reading.complain(path, node, f"{kind} where a mapping of keys is allowed, as in 'name: value'")
        return
    seen: dict[str, int] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            reading.complain(path, key_node, "a key must be a word")
            continue
        here = (*path, key_node.value)
        if key_node.value in seen:
            reading.complain(here, key_node, f"given twice; first in line {seen[key_node.value]}")
            continue
        seen[key_node.value] = key_node.start_mark.line + 1
        if here in sections:
            _walk(value_node, here, sections, reading)
            continue
        try:
            value = _value(value_node)
        except yaml.MarkedYAMLError as error:
            reading.complain(here, value_node, str(error.problem))
            continue
        place = f"{reading.place}:{key_node.start_mark.line + 1}"
        reading.settings.append(Setting(here, value, place))


def _value(node: yaml.Node) -> Any:
    """The value of a node by YAML 1.2's core rules, in which ``no`` is a word and ``1e6`` a number."""
    if node.tag not in (_CORE + "str", _CORE + "seq", _CORE + "map", "!"):
        raise yaml.constructor.ConstructorError(None, None, f"the tag {node.tag} is not supported", None)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return _mapping(node)
    text: str = node.value
    is_plain = isinstance(node, yaml.ScalarNode) and node.style is None
    return _scalar(text) if is_plain else text


def _mapping(node: yaml.MappingNode) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else None
        if name is None or name in found:
            problem = "a key must be a word" if name is None else f"{name!r} is given twice"
            raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
        found[name] = _value(value)
    return found


def _scalar(text: str) -> Any:
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if _INTEGER.fullmatch(text) and len(text) < 40:
        return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    special = _SPECIAL.fullmatch(text)
    return float(special[1] + special[2]) if special else text
