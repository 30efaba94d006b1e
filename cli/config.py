"""The configuration: the sum of the sections, built from defaults, a preset, files, environment and flags.

Each section is declared beside the code that reads it. Later of these wins, key by key: defaults · the
whole-site defaults where no query ends the crawl · the user's file · the project's file · what the crawl
to be resumed was given · ``--config`` · environment · flags. A preset stands just below the layer that
names it (named by a flag: just below the environment). Everything that is wrong is told at once.
"""

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar, get_type_hints

from adaptive_crawl.crawler.crawl import Limits
from adaptive_crawl.crawler.discovery import DiscoveryConfig
from adaptive_crawl.crawler.errors import UsageError
from adaptive_crawl.crawler.fetching.fetcher import FetchConfig
from adaptive_crawl.crawler.fetching.politeness import PolitenessConfig
from adaptive_crawl.crawler.scope import ScopeConfig
from adaptive_crawl.output.tree import OutputConfig
from adaptive_crawl.scoring.content import ContentConfig
from adaptive_crawl.scoring.links import LinkConfig
from adaptive_crawl.scoring.statistical import StatisticalConfig

from .advice import advice_on
from .keys import Key, KeyPath, keys_of, plain, shown, without_login
from .layers import Layer, Problem, Setting, read_environment, read_file, read_words
from .presets import PRESETS, WHOLE_SITE

PROJECT_FILE = "adaptive-crawl.yaml"

DEFAULT = "default"
WHOLE_SITE_ORIGIN = "whole-site crawl"

_PRESET: KeyPath = ("preset",)
_STRATEGY: KeyPath = ("strategy", "name")
_HEADERS: KeyPath = ("fetch", "headers")

_GUARDED = frozenset(
    {"headers", "allow_private", "proxy", "base_url", "directory"}
    | {"verify_tls", "ca_bundle", "client_certificate", "cookie_file", "netrc"}
)
"""Keys that send secrets somewhere, reach into private networks or write anywhere: not for a file that was
loaded only because it lay in the current folder, nor for a journal."""

_SECRET = re.compile(r"headers|key|token|secret|password|passwd|cookie|authori[sz]ation|credential", re.I)
_VARIABLE = re.compile(r"\$\{(\w+)\}")

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be configured."""

    preset: str = ""
    """quick, balanced, thorough, tech-docs, news, shop or academic: values for a task, under all given."""
    limits: Limits = field(default_factory=Limits)
    scope: ScopeConfig = field(default_factory=ScopeConfig)
    discovery: DiscoveryConfig = field(default_factory=DiscoveryConfig)
    fetch: FetchConfig = field(default_factory=FetchConfig)
    politeness: PolitenessConfig = field(default_factory=PolitenessConfig)
    content: ContentConfig = field(default_factory=ContentConfig)
    strategy: StatisticalConfig = field(default_factory=StatisticalConfig)
    links: LinkConfig = field(default_factory=LinkConfig)
    output: OutputConfig = field(default_factory=OutputConfig)


class ConfigError(UsageError):
    """The configuration cannot be used; ``problems`` are all that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        head = f"{len(problems)} things are wrong:" if len(problems) > 1 else ""
        super().__init__("\n  ".join(filter(None, [head, *map(str, problems)])))


@dataclass(frozen=True, slots=True)
class Loaded(Generic[C]):
    """A configuration, and how it came about."""

    config: C
    origins: Mapping[str, str]
    """Dotted key → where its value was given, ``default`` included."""
    warnings: tuple[str, ...] = ()
    values: Mapping[KeyPath, Any] = field(default_factory=lambda: MappingProxyType({}))

    def record(self) -> dict[str, Any]:
        """What a journal keeps, so that resuming needs no flag twice: dotted key → JSON value.

        Only what was given (the defaults of a later version apply to the rest), and neither secrets nor
        what a journal, which anybody may have written, shall not decide.
        """
        implied = (DEFAULT, WHOLE_SITE_ORIGIN)
        return {
            ".".join(path): plain(value)
            for path, value in self.values.items()
            if self.origins[".".join(path)] not in implied and not _guarded(path)
        }

    def to_repeat(self) -> tuple[str, ...]:
        """Dotted keys that have a value and are not in the record: they must be given again on resume."""
        directory = ("output", "directory")
        return tuple(
            ".".join(path)
            for path in self.values
            if _guarded(path) and path != directory and self.origins[".".join(path)] != DEFAULT
        )


@dataclass(frozen=True, slots=True)
class Sources:
    """Where ``load`` looks."""

    environ: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    folder: Path | None = None
    """Where a project's file is looked for; None loads no file by itself."""
    file: Path | None = None
    """Named by the user: stands in for the project's file, and may set everything."""
    flags: Sequence[Setting] = ()
    """Values as typed."""
    recorded: Mapping[str, Any] | None = None
    """What the crawl to be resumed was given, as ``Loaded.record`` made it."""


def load(sources: Sources, *, has_query: bool = True) -> Loaded[Config]:
    """Build the configuration.

    Raises:
        ConfigError: anything in any of the sources is wrong; holds all of it.
    """
    return load_as(Config, sources, has_query=has_query)


def load_as(kind: type[C], sources: Sources, *, has_query: bool = True) -> Loaded[C]:
    """Build any sum of sections from the same sources, as ``load`` does."""
    keys = keys_of(kind)
    warnings: list[str] = []
    layers = list(_layers(sources, keys, warnings))
    problems = [problem for layer in layers for problem in layer.problems]
    layers, preset_problems = _with_preset(layers, keys)
    merged = _merge(layers, keys, problems)
    strategy = merged.get(_STRATEGY)
    if not has_query or (strategy is not None and strategy.value == "none"):
        below = {path: Setting(path, value, WHOLE_SITE_ORIGIN) for path, value in WHOLE_SITE.items()}
        merged = {path: setting for path, setting in below.items() if path in keys} | merged
    problems += preset_problems + _unset_variables(merged.get(_HEADERS), sources.environ)
    values = {path: setting.value for path, setting in merged.items()}
    origins = {key.name: merged[path].place if path in merged else DEFAULT for path, key in keys.items()}
    config = _build(kind, (), values, merged, problems)
    if problems:
        raise ConfigError(_in_order(problems))
    warnings += _passed_over(layers, merged)
    return Loaded(config, MappingProxyType(origins), tuple(warnings), MappingProxyType(values))


def expand(headers: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Put the environment's values in for ``${NAME}``: done last, so that only requests carry secrets.

    Raises:
        KeyError: a variable is not set; ``load`` makes sure that it is.
    """
    return {name: _VARIABLE.sub(lambda found: environ[found[1]], text) for name, text in headers.items()}


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Where the user's own file belongs; None without a home."""
    home = environ.get("XDG_CONFIG_HOME") or ""
    if os.path.isabs(home):
        return Path(home, "adaptive-crawl", "config.yaml")
    if os.name == "nt":
        roaming = environ.get("APPDATA")
        return Path(roaming, "adaptive-crawl", "config.yaml") if roaming else None
    return Path(environ["HOME"], ".config", "adaptive-crawl", "config.yaml") if environ.get("HOME") else None


def _layers(sources: Sources, keys: Mapping[KeyPath, Key], warnings: list[str]) -> Iterator[Layer]:
    """The layers that a source gave, lowest first: the order is the precedence."""
    if sources.folder is not None:
        user = user_file(sources.environ)
        if user is not None:
            yield _auto_loaded(user, str(user), keys, warnings)
        if sources.file is None:
            yield _guard(_auto_loaded(sources.folder / PROJECT_FILE, PROJECT_FILE, keys, warnings), keys)
    if sources.recorded is not None:
        yield _recorded(sources.recorded, keys)
    if sources.file is not None:
        try:
            yield read_file(sources.file, keys, str(sources.file))
        except OSError as error:
            reason = error.strerror or str(error)
            yield Layer((), (Problem(str(sources.file), "", f"cannot be read: {reason}"),))
    yield read_environment(sources.environ, keys)
    typed = read_words([(flag.path, flag.value, flag.place) for flag in sources.flags], keys)
    adding = {flag.place for flag in sources.flags if flag.adds}
    settings = tuple(dataclasses.replace(s, adds=s.place in adding) for s in typed.settings)
    yield dataclasses.replace(typed, settings=settings)


def _auto_loaded(path: Path, name: str, keys: Mapping[KeyPath, Key], warnings: list[str]) -> Layer:
    try:
        return read_file(path, keys, name)
    except (FileNotFoundError, NotADirectoryError):
        return Layer()
    except OSError as error:
        warnings.append(f"{path}: passed over, since it cannot be read: {error.strerror}")
        return Layer()


def _guard(layer: Layer, keys: Mapping[KeyPath, Key]) -> Layer:
    """Refuse what a file that nobody named must not decide; its default does no harm and is left out."""
    problems = tuple(
        Problem(
            setting.place,
            ".".join(setting.path),
            "not taken from a file that merely lies in the current folder; "
            f"name the file by --config {PROJECT_FILE}, or give the value by flag or environment",
        )
        for setting in layer.settings
        if _guarded(setting.path) and setting.path in keys and not _is_default(setting, keys)
    )
    kept = tuple(s for s in layer.settings if not (_guarded(s.path) and s.path in keys))
    return Layer(kept, layer.problems + problems, trusted=False)


def _is_default(setting: Setting, keys: Mapping[KeyPath, Key]) -> bool:
    return bool(setting.value == plain(keys[setting.path].default))


def _recorded(record: Mapping[str, Any], keys: Mapping[KeyPath, Key]) -> Layer:
    """A journal may be of another version, and is not to be trusted: take what is known and harmless."""
    settings = [Setting(tuple(name.split(".")), value, "the crawl resumed") for name, value in record.items()]
    return Layer(tuple(s for s in settings if s.path in keys and not _guarded(s.path)))


def _guarded(path: KeyPath) -> bool:
    return path[-1] in _GUARDED


def _with_preset(layers: list[Layer], keys: Mapping[KeyPath, Key]) -> tuple[list[Layer], list[Problem]]:
    """Put the values of the preset that the highest layer names just below that layer."""
    for index in reversed(range(len(layers))):
        for setting in layers[index].settings:
            if setting.path != _PRESET or not setting.value:
                continue
            if setting.value not in PRESETS:
                message = f"{shown(setting.value)} is not allowed: one of {', '.join(PRESETS)}"
                return layers, [Problem(setting.place, "preset", message)]
            place = f"preset {setting.value}"
            values = PRESETS[str(setting.value)].items()
            preset = Layer(tuple(Setting(path, value, place) for path, value in values if path in keys))
            # Flags and environment are the two highest; a preset from a flag is below both.
            at = min(index, len(layers) - 2)
            return [*layers[:at], preset, *layers[at:]], []
    return layers, []


def _merge(
    layers: Iterable[Layer], keys: Mapping[KeyPath, Key], problems: list[Problem]
) -> dict[KeyPath, Setting]:
    """The setting that counts for each key, its value checked; mappings are merged name by name."""
    merged: dict[KeyPath, Setting] = {}
    for setting in (setting for layer in layers for setting in layer.settings):
        key = keys.get(setting.path)
        name = ".".join(setting.path)
        if key is None:
            given = _redacted(setting.path, setting.value)
            message = f"no such key (value {given}); {advice_on(setting.path, keys)}"
            problems.append(Problem(setting.place, name, message))
            continue
        try:
            value = key.check(setting.value)
        except ValueError as error:
            where, found = error.args
            message = f"{_redacted(setting.path, found)} is not allowed: {key.allowed}"
            problems.append(Problem(setting.place, name + where, message))
            continue
        below = merged.get(setting.path)
        if below is not None and key.is_mapping and value:
            value = {**below.value, **value}  # type: ignore[dict-item]
        if setting.adds and key.is_list:
            base = key.default if below is None else below.value
            value = (*base, *value)  # type: ignore[misc]
        merged[setting.path] = Setting(setting.path, value, setting.place)
    return merged


def _redacted(path: KeyPath, value: object) -> str:
    """A value as a message may show it."""
    if any(_SECRET.search(name) for name in path):
        return "(hidden)"
    return shown(_without_secrets(value))


def _without_secrets(value: object) -> object:
    if isinstance(value, Mapping):
        return {
            name: "(hidden)" if _SECRET.search(str(name)) else _without_secrets(item)
            for name, item in value.items()
        }
    if isinstance(value, str):
        return without_login(value)
    return [_without_secrets(item) for item in value] if isinstance(value, list) else value


def _in_order(problems: Sequence[Problem]) -> list[Problem]:
    """By source in order of precedence, within a file by line."""
    files = [problem.place.rpartition(":")[0] or problem.place for problem in problems]
    placed = zip(files, problems, strict=True)
    ordered = sorted(placed, key=lambda pair: (files.index(pair[0]), _line(pair[1].place)))
    return [problem for _, problem in ordered]


def _line(place: str) -> int:
    number = place.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def _unset_variables(headers: Setting | None, environ: Mapping[str, str]) -> list[Problem]:
    if headers is None or not isinstance(headers.value, Mapping):
        return []
    return [
        Problem(headers.place, f"fetch.headers.{told}", f"the environment variable {variable} {why}")
        for name, text in headers.value.items()
        for told in [name if re.fullmatch(r"[\w-]+", name) else "(hidden)"]
        for variable in _VARIABLE.findall(text)
        if (why := _useless(environ.get(variable)))
    ]


def _useless(secret: str | None) -> str:
    if secret is None:
        return "is not set"
    return "" if re.fullmatch(r"[\t\x20-\x7e]*", secret) else "holds more than one line of ASCII text"


def _build(
    kind: type[C],
    prefix: KeyPath,
    values: Mapping[KeyPath, Any],
    merged: Mapping[KeyPath, Setting],
    problems: list[Problem],
) -> C:
    """Build a section from checked values; a value that was refused counts as its default here."""
    hints = get_type_hints(kind)
    given: dict[str, Any] = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        path = (*prefix, one.name)
        if dataclasses.is_dataclass(hints[one.name]):
            given[one.name] = _build(hints[one.name], path, values, merged, problems)
        elif path in values:
            given[one.name] = values[path]
    try:
        return kind(**given)
    except ValueError as error:
        places = dict.fromkeys(merged[(*prefix, name)].place for name in given if (*prefix, name) in merged)
        name, message = ".".join(prefix), str(error)
        told = "" if message.startswith(f"{name}.") else name
        problems.append(Problem(", ".join(places) or DEFAULT, told, message))
        return kind()


def _passed_over(layers: Iterable[Layer], merged: Mapping[KeyPath, Setting]) -> list[str]:
    """Tell of values in a project's file that the crawl to be resumed has decided otherwise."""
    return [
        f"{setting.place}: {'.'.join(setting.path)} {shown(setting.value)} is passed over: the crawl "
        f"resumed has {shown(winner.value)}; a flag or --config changes it"
        for layer in layers
        if not layer.trusted
        for setting in layer.settings
        if (winner := merged[setting.path]).place == "the crawl resumed"
        and plain(winner.value) != setting.value
    ]
