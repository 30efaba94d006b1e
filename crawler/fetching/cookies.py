"""Cookies that stay with their site, in bounded number.

The standard library's jar would let ``a.github.io`` set a cookie for all of ``github.io``, and a server add
one with each page until no server takes the header any more.
"""

from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy, LoadError, MozillaCookieJar
from typing import Any

from ..errors import UsageError
from ..hosts import registrable

PER_DOMAIN = 50
"""Cookies kept for one domain (RFC 6265, 6.1, asks for at least that many)."""

LONGEST = 4096
"""Characters of a cookie's name and value together (RFC 6265, 6.1)."""


class SiteCookies(CookieJar):
    """A jar in which no host sets a cookie for more than its own registered domain."""

    def __init__(self) -> None:
        super().__init__(_OwnSiteOnly())
        self._names: dict[str, set[tuple[str, str]]] = {}

    def set_cookie(self, cookie: Cookie) -> None:
        if len(cookie.name) + len(cookie.value or "") > LONGEST:
            return
        names = self._names.setdefault(cookie.domain, set())
        if len(names) >= PER_DOMAIN and (cookie.path, cookie.name) not in names:
            return
        names.add((cookie.path, cookie.name))
        super().set_cookie(cookie)


def load(jar: CookieJar, path: str) -> None:
    """Add the cookies of a file in the Netscape format, as browsers' extensions and curl write it.

    Raises:
        UsageError: the file cannot be read, or is in another format.
    """
    stored = MozillaCookieJar(path)
    try:
        stored.load(ignore_discard=True, ignore_expires=True)
    except (OSError, LoadError, UnicodeDecodeError) as error:
        raise UsageError(f"fetch.cookie_file: {path} is no readable Netscape cookie file: {error}") from error
    for cookie in stored:
        if not cookie.expires:  # how curl writes that a cookie ends with its session
            cookie.expires = None
        if not cookie.is_expired():
            jar.set_cookie(cookie)


class _OwnSiteOnly(DefaultCookiePolicy):
    def set_ok_domain(self, cookie: Cookie, request: Any) -> bool:
        if not super().set_ok_domain(cookie, request):
            return False
        if not cookie.domain_specified:
            return True
        domain = cookie.domain.lstrip(".")
        own = registrable(request.host.partition(":")[0])
        return domain == own or domain.endswith("." + own)
