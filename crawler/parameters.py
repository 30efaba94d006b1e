"""Parameters of a URL that say who reads, or from where they came, and not which page it is.

Knows names and values only; what a URL is made of is in ``urls``.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

TRACKING_PARAMETERS = (
    *("utm_*", "mtm_*", "pk_*", "piwik_*", "_ga", "_gl", "gclid", "gclsrc", "dclid", "gbraid", "wbraid"),
    *("gad_source", "gad_campaignid", "srsltid", "fbclid", "igsh", "igshid", "msclkid", "yclid", "ysclid"),
    *("_openstat", "twclid", "ttclid", "li_fat_id", "epik", "rdt_cid", "mc_cid", "mc_eid", "mkt_tok"),
    *("_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "oly_anon_id", "oly_enc_id"),
    *("vero_id", "wickedid", "_branch_match_id", "spm", "s_cid", "s_kwcid", "ef_id", "zanpid"),
    *("jsessionid", "phpsessid", "aspsessionid*", "cfid", "cftoken", "oscsid", "xtcsid", "zenid"),
)
"""Parameters that follow the reader, not the page: clicks, campaigns, sessions whose name leaves no doubt."""

SESSION_PARAMETERS = ("sid", "s_id", "sessid", "sess_id", "sessionid", "session_id", "sesskey", "psession")
"""Names that often carry a session id, and sometimes a section or a talk: the value decides."""


@dataclass(frozen=True, slots=True)
class DropRules:
    """Parameters that are no part of a page's key; names are compared without case, ``*`` ends a prefix."""

    always: tuple[str, ...] = TRACKING_PARAMETERS
    sessions: tuple[str, ...] = SESSION_PARAMETERS
    """Dropped only where the value looks like a session id."""


DEFAULT = DropRules()


class Names:
    """Drop rules made ready: which parameter, by name and value, is no part of a key."""

    def __init__(self, rules: DropRules) -> None:
        self._always, self._always_prefixes = _split_names(rules.always)
        self._sessions, self._session_prefixes = _split_names(rules.sessions)

    def drop(self, name: str, value: str) -> bool:
        """Tell whether a parameter, as it stands in a key, goes."""
        name = name.lower()
        if name in self._always or name.startswith(self._always_prefixes):
            return True
        is_session = name in self._sessions or name.startswith(self._session_prefixes)
        return is_session and looks_like_session_id(value)


@lru_cache(maxsize=16)
def names(rules: DropRules) -> Names:
    """Make rules ready, once for each value of them."""
    return Names(rules)


def _split_names(names: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    lower = [name.lower() for name in names]
    exact = frozenset(name for name in lower if not name.endswith("*"))
    return exact, tuple(name[:-1] for name in lower if name.endswith("*"))


_SHORT_ID = re.compile(r"(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{3,15}")
_WORD_AND_NUMBER = re.compile(r"[A-Za-z]{3,}[0-9]{1,4}")
_LONG_ID = re.compile(r"[A-Za-z0-9]{16,}|(?=(?:[^0-9]*[0-9]){4})[A-Za-z0-9_-]{22,}")


def looks_like_session_id(value: str) -> bool:
    """Tell ``a8f30c`` or 16 and more letters and digits from a number, a word, or ``chapter12``."""
    if _LONG_ID.fullmatch(value):
        return True
    return _SHORT_ID.fullmatch(value) is not None and _WORD_AND_NUMBER.fullmatch(value) is None
