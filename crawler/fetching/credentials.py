"""Which headers with secrets go to which origin: those of the user's seeds, and no other.

Keeps logins in memory only; ``repr`` shows none. Knows neither requests nor redirects: whoever sends asks
for each URL anew, so nothing follows a redirect to another host.
"""

import netrc
from base64 import b64encode
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from .. import urls
from ..errors import UsageError


class Credentials:
    """Headers by origin."""

    def __init__(self, seeds: Sequence[str], headers: Mapping[str, str], netrc_file: str = "") -> None:
        """
        Args:
            seeds: URLs, user and password included where the user gave them.
            headers: for the origin of each seed.
            netrc_file: logins by host; used for hosts of seeds that name no user themselves.

        Raises:
            UsageError: the netrc file cannot be read.
        """
        logins = _logins(netrc_file)
        self._headers: dict[str, dict[str, str]] = {}
        for seed in seeds:
            url, userinfo = urls.split_userinfo(seed)
            login = _of_userinfo(userinfo) or _of_netrc(logins, urls.host(url))
            own = {**headers, **({"Authorization": login} if login else {})}
            for origin in origins(url) if own else ():
                self._headers.setdefault(origin, {}).update(own)

    def of(self, origin: str) -> Mapping[str, str]:
        """Give the headers for an origin, as ``urls.origin`` spells it."""
        return self._headers.get(origin, {})


def origins(url: str) -> tuple[str, ...]:
    """Give a seed's origin, and its secure twin: sites send http to https on the same host.

    Only from default port to default port, and never back to http.
    """
    origin = urls.origin(url)
    if origin.startswith("http://") and urls.authority(url) == urls.host(url):
        return origin, "https" + origin.removeprefix("http")
    return (origin,) if origin else ()


def _of_userinfo(userinfo: str) -> str:
    if not userinfo:
        return ""
    user, _, password = userinfo.partition(":")
    return _basic(unquote(user), unquote(password))


def _of_netrc(logins: netrc.netrc | None, host: str) -> str:
    found = logins.authenticators(host) if logins else None
    return _basic(found[0] or "", found[2] or "") if found else ""


def _basic(user: str, password: str) -> str:
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode("ascii")


def _logins(path: str) -> netrc.netrc | None:
    if not path:
        return None
    try:
        return netrc.netrc(path)
    except (OSError, netrc.NetrcParseError, UnicodeDecodeError) as error:
        raise UsageError(f"fetch.netrc: {path} cannot be read: {error}") from error
