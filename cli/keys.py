"""Every key of the configuration: its type, its default, what is allowed, and why it exists.

Keys are read off dataclasses, so that a section is declared once, beside the code that reads it. Knows
types; knows neither files nor flags, nor which sections there are.
"""

import ast
import dataclasses
import inspect
import json
import math
import re
import textwrap
import types
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import annotated_types

KeyPath = tuple[str, ...]

_TRUE = ("true", "yes", "on")
_FALSE = ("false", "no", "off")
_MAX_SHOWN = 60
_LOGIN = re.compile(r"(://|^[^:@]*:(?!//)).*@", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Key:
    """One value that can be configured."""

    path: KeyPath
    type: Any
    default: object

    @property
    def name(self) -> str:
        """Dotted, as messages and documentation write it."""
        return ".".join(self.path)

    @property
    def allowed(self) -> str:
        """What may stand there, in words."""
        return _in_words(self.type)

    @property
    def is_text(self) -> bool:
        """Any text is a value as it stands, so that none of it may be read as YAML."""
        return any(kind is str for kind in _alternatives(self.type))

    @property
    def is_mapping(self) -> bool:
        return any(_origin(kind) in (dict, Mapping) for kind in _alternatives(self.type))

    @property
    def is_list(self) -> bool:
        return any(_origin(kind) in (tuple, list, frozenset) for kind in _alternatives(self.type))

    def check(self, value: object) -> Any:
        """Return the value as the field's type.

        Raises:
            ValueError: it is not allowed; ``args`` are where in the value (as ``[2]``, or nothing), and
                what is there.
        """
        from pydantic import ConfigDict, TypeAdapter, ValidationError

        plain = self._plain(value)
        adapter = TypeAdapter(self.type, config=ConfigDict(strict=True, allow_inf_nan=False))
        try:
            # JSON is the strict mode in which a list is a tuple and a word is a member of an enumeration.
            return adapter.validate_json(json.dumps(plain))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ValueError(*_place_within(plain, first["loc"])) from None

    def _plain(self, value: object) -> object:
        """Take the words that people write for true, false and nothing as what they mean here."""
        kinds = _alternatives(self.type)
        if not isinstance(value, str) or self.is_text:
            return value
        word = value.lower()
        if bool in kinds and word in _TRUE + _FALSE:
            return word in _TRUE
        return None if type(None) in kinds and word == "none" else value


def keys_of(section: type, prefix: KeyPath = (), defaults: object = None) -> dict[KeyPath, Key]:
    """Every key below a dataclass, in the order of declaration; fields that are dataclasses are sections."""
    instance = section() if defaults is None else defaults
    hints = get_type_hints(section, include_extras=True)
    found: dict[KeyPath, Key] = {}
    for field in dataclasses.fields(section):
        kind, path = hints[field.name], (*prefix, field.name)
        default = getattr(instance, field.name)
        if dataclasses.is_dataclass(kind):
            assert isinstance(kind, type)
            found |= keys_of(kind, path, default)
        else:
            found[path] = Key(path, kind, default)
    return found


def sections_of(keys: Mapping[KeyPath, Key]) -> set[KeyPath]:
    """The paths that hold keys and are none themselves; the root is ``()``."""
    return {path[:depth] for path in keys for depth in range(len(path))}


def plain(value: object) -> Any:
    """A value of a field as JSON and YAML can say it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, frozenset | set):
        return sorted(plain(item) for item in value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def shown(value: object) -> str:
    """A value in a message: as JSON would say it, on one line, cut when long."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "infinity", -math.inf: "-infinity"}.get(value, "not a number")
    text = json.dumps(plain(value), ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def without_login(text: str) -> str:
    """A text for a message, with what may be the password of a URL in it hidden.

    Up to the last @: passwords are typed with any character in them, and then the text is no URL.
    """
    return _LOGIN.sub(r"\1(hidden)@", text)


def reasons(section: type) -> dict[str, str]:
    """The docstring under each field of a dataclass, on one line; ``""`` is that of the class.

    Raises:
        OSError: the source is not at hand.
    """
    declared = ast.parse(textwrap.dedent(inspect.getsource(section))).body[0]
    assert isinstance(declared, ast.ClassDef)
    found = {"": " ".join((inspect.getdoc(section) or "").split("\n\n")[0].split())}
    for statement, following in zip(declared.body, declared.body[1:], strict=False):
        match statement, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = " ".join(text.split())
    return found


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """The members of a union, without their annotations."""
    if get_origin(kind) is Annotated:
        return _alternatives(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(one for member in get_args(kind) for one in _alternatives(member))
    return (kind,)


def _origin(kind: Any) -> Any:
    """The class behind ``Mapping[str, str]``, which ``get_origin`` calls by its abstract name."""
    origin = get_origin(kind) or kind
    return Mapping if isinstance(origin, type) and issubclass(origin, Mapping) else origin


def _in_words(kind: Any) -> str:
    origin, members = get_origin(kind), get_args(kind)
    if origin is Annotated:
        bounds = _bounds(members[1:])
        return f"{_in_words(members[0])} {bounds}" if bounds else _in_words(members[0])
    if origin in (Union, types.UnionType):
        return " or ".join(_in_words(member) for member in members)
    if origin is Literal:
        return "one of " + ", ".join(str(member) or '""' for member in members)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "one of " + ", ".join(str(member.value) for member in kind)
    if _origin(kind) is Mapping:
        return f"a mapping of names to {_plural(members[1])}" if members else "a mapping"
    if origin in (tuple, list, frozenset):
        return "a list of " + _plural(members[0])
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text", type(None): "null"}
    return words.get(kind, getattr(kind, "__name__", str(kind)))


def _plural(kind: Any) -> str:
    words = {str: "texts", int: "whole numbers", float: "numbers"}
    return words.get(_alternatives(kind)[0]) or f"({_in_words(kind)})"


def _bounds(marks: tuple[Any, ...]) -> str:
    lower = upper = ""
    for mark in marks:
        match mark:
            case annotated_types.Ge(ge=limit):
                lower = f"of at least {limit}"
            case annotated_types.Gt(gt=limit):
                lower = f"above {limit}"
            case annotated_types.Le(le=limit):
                upper = f"at most {limit}"
            case annotated_types.Lt(lt=limit):
                upper = f"below {limit}"
            case annotated_types.Len(min_length=least) | annotated_types.MinLen(min_length=least) if least:
                lower = f"of at least {least} characters or items"
    return " and ".join(part for part in (lower, upper) if part)


def _place_within(value: object, location: tuple[int | str, ...]) -> tuple[str, object]:
    """Follow pydantic's location as far as it is one in the value (it also names members of unions)."""
    where = ""
    for step in location:
        if isinstance(step, int) and isinstance(value, list) and step < len(value):
            where, value = f"{where}[{step}]", value[step]
        elif isinstance(value, Mapping) and step in value:
            where, value = f"{where}.{step}", value[step]
    return where, value
