"""What a key that does not exist was probably meant to be."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from .keys import Key, KeyPath, sections_of
from .presets import RENAMED


def advice_on(path: KeyPath, keys: Mapping[KeyPath, Key]) -> str:
    """Say where to look instead: our name for it, the nearest key, or what there is."""
    names = [key.name for key in keys.values()]
    sections = [".".join(section) for section in sections_of(keys) if section]
    ours = _renamed(path)
    if ours and ours.partition(" ")[0] in names + sections:
        return f"is called {ours} here"
    near = _nearest(path, names, sections)
    if near:
        return f"did you mean {near}?"
    known = [n.rpartition(".")[2] for n in names if n.rpartition(".")[0] == ".".join(path[:-1])]
    if len(path) > 1 and known:
        return f"{'.'.join(path[:-1])} has {', '.join(known)}"
    return f"there are {', '.join(dict.fromkeys(name.partition('.')[0] for name in names))}"


def _renamed(path: KeyPath) -> str:
    """Our name for a documented one: by its whole path first, then by its last word."""
    return RENAMED.get(".".join(path)) or RENAMED.get(path[-1], "")


def _nearest(path: KeyPath, names: Iterable[str], sections: Iterable[str]) -> str:
    dotted, last = ".".join(path), path[-1]
    same_word = [name for name in names if name.rpartition(".")[2] == last]
    if len(same_word) == 1:
        return same_word[0]
    everywhere = [*names, *sections]
    close = get_close_matches(dotted, everywhere, 1, 0.75)
    if close:
        return close[0]
    by_word = {name.rpartition(".")[2]: name for name in reversed(everywhere)}
    similar = get_close_matches(last, by_word, 1, 0.8)
    return by_word[similar[0]] if similar else ""
