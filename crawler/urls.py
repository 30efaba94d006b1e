"""URLs: what a page means by an href (``resolve``), and when two URLs are one page (``canonicalize``).

Two values, never mixed: the URL as found is what gets fetched, since servers may tell spellings apart; its
key is what gets compared, and may be a URL that no server answers to. Resolution follows the URL standard
(https://url.spec.whatwg.org/) for http and https, which the standard library does not: it reads links as
browsers do, whatever authors got away with. Knows spellings only, not which URLs are wanted.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from . import hosts, parameters
from .parameters import DEFAULT, DropRules

__all__ = [
    "DEFAULT",
    "DropRules",
    "assume_scheme",
    "authority",
    "canonicalize",
    "host",
    "origin",
    "path",
    "port",
    "query",
    "resolve",
    "site",
    "split_userinfo",
]

LONGEST_CACHED = 2048
"""Characters; longer URLs are worked out each time, so that the cache's memory stays bounded."""


def resolve(base: str, href: str, encoding: str = "utf-8") -> str | None:
    """Give the URL that ``href`` means on a page at ``base``: what to fetch.

    As the page wrote it, serialized by the URL standard; without its fragment, which never reaches a
    server, and without user and password, which are not for a page to give. ``encoding`` (a Python codec)
    is the page's: browsers use it for raw characters of a query. None for what is no http or https URL.
    """
    parts = _parse(_reference(href), _base(base), encoding)
    return str(parts) if parts else None


def canonicalize(url: str, drop: DropRules = DEFAULT) -> str:
    """Give the key of a URL: equal for spellings of one page, and a URL itself.

    Beyond the URL standard: escapes that need not be are undone and the others upper case (RFC 3986, 6.2.2),
    ``/index.html`` and ``/index.htm`` are the folder, the query is sorted by name (values of one name keep
    their order), parameters by ``drop`` are left out, as is an empty query. A trailing slash stays
    significant. Total and idempotent: what is no http or https URL comes back as it is.
    """
    return _cached_key(url, drop) if len(url) <= LONGEST_CACHED else _key(url, drop)


def origin(url: str) -> str:
    """Give scheme, host and port (left out where it is the default): ``https://example.com``; "" for none."""
    parts = _absolute(url)
    return f"{parts.scheme}://{parts.authority}" if parts else ""


def host(url: str) -> str:
    """Give the host alone, an IPv6 address in brackets; "" where there is none."""
    parts = _absolute(url)
    return parts.host if parts else ""


def authority(url: str) -> str:
    """Give host and port, the port left out where it is the scheme's default; "" where there is none."""
    parts = _absolute(url)
    return parts.authority if parts else ""


def port(url: str) -> str:
    """Give the port in force, the scheme's default included; "" where there is none."""
    parts = _absolute(url)
    return parts.port or _DEFAULT_PORTS[parts.scheme] if parts else ""


def path(url: str) -> str:
    """Give the path, without query; "" where there is none."""
    parts = _absolute(url)
    return parts.path if parts else ""


def query(url: str) -> str:
    """Give the query as it stands, without its question mark; "" where there is none."""
    parts = _absolute(url)
    return parts.query or "" if parts else ""


def site(url: str) -> str:
    """Give the registered domain that the URL's host belongs to (see ``hosts.registrable``)."""
    return hosts.registrable(host(url))


def split_userinfo(url: str) -> tuple[str, str]:
    """Take user and password off a URL: the URL without them, and ``user:password`` as it stood."""
    parts = _parse(_reference(url), None, "utf-8")
    return (str(parts), parts.userinfo) if parts and parts.userinfo else (url, "")


def assume_scheme(text: str) -> str:
    """Complete an address typed without its scheme: https, or http for localhost and IP addresses.

    Servers on one's own machine seldom have a certificate. What has a scheme, is a path, or holds a blank
    is left alone, for the caller to refuse.
    """
    text = text.strip()
    if text.startswith("//"):
        return "https:" + text
    match = _TYPED.fullmatch(text)
    if match is None:
        return text
    name = hosts.normalize(match["host"]) or ""
    local = name == "localhost" or name.endswith(".localhost") or hosts.is_address(name)
    return f"{'http' if local else 'https'}://{text}"


_TYPED = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s/?#:@\\.\[\]][^\s/?#:@\\\[\]]*)(?::\d+)?(?:[/?#]\S*)?")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_DEFAULT_PORTS = {"http": "80", "https": "443"}

# Reading by the URL standard


class _Parts(NamedTuple):
    scheme: str
    host: str
    port: str
    path: str
    query: str | None
    userinfo: str = ""

    @property
    def authority(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host

    def __str__(self) -> str:
        question = "" if self.query is None else "?" + self.query
        return f"{self.scheme}://{self.authority}{self.path}{question}"


_BLANKS = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")


def _reference(text: str) -> str:
    """Take out what never counts: blanks and controls around, line breaks and tabs inside, the fragment."""
    text = text.strip(_BLANKS)
    if "\n" in text or "\t" in text or "\r" in text:
        text = text.translate(_BREAKS)
    return text.partition("#")[0]


@lru_cache(maxsize=64)
def _base(url: str) -> _Parts | None:
    return _parse(_reference(url), None, "utf-8")


@lru_cache(maxsize=4096)
def _absolute(url: str) -> _Parts | None:
    return _parse(_reference(url), None, "utf-8")


def _parse(text: str, base: _Parts | None, encoding: str) -> _Parts | None:
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else base.scheme if base else ""
    if scheme not in _DEFAULT_PORTS:
        return None
    if match:
        text = text[match.end() :]
        if base is None or base.scheme != scheme:
            return _with_authority(scheme, text.lstrip("/\\"), encoding)
    if text[:2] in ("//", "\\\\", "/\\", "\\/"):
        return _with_authority(scheme, text.lstrip("/\\"), encoding)
    assert base is not None, "without a base, a scheme was found"
    path, query = _path_and_query(text, encoding)
    if not path:
        return base._replace(query=base.query if query is None else query, userinfo="")
    if path[0] not in "/\\":
        path = base.path[: base.path.rindex("/") + 1] + path
    return _Parts(scheme, base.host, base.port, _normal_path(path), query)


def _path_and_query(text: str, encoding: str) -> tuple[str, str | None]:
    path, question, query = text.partition("?")
    return path, _encode_query(query, encoding) if question else None


_AUTHORITY_END = re.compile(r"[/\\?]")


def _with_authority(scheme: str, text: str, encoding: str) -> _Parts | None:
    end = _AUTHORITY_END.search(text)
    netloc, rest = (text[: end.start()], text[end.start() :]) if end else (text, "")
    userinfo, _, netloc = netloc.rpartition("@")
    name, colon, port = netloc.rpartition(":") if not netloc.endswith("]") else (netloc, "", "")
    if not colon:
        name, port = netloc, ""
    normal = hosts.normalize(name)
    if normal is None or not _is_port(port):
        return None
    port = port.lstrip("0") or port[:1]
    if port == _DEFAULT_PORTS[scheme]:
        port = ""
    path, query = _path_and_query(rest, encoding)
    return _Parts(scheme, normal, port, _normal_path(path), query, userinfo)


def _is_port(text: str) -> bool:
    digits = text.lstrip("0")
    return not text or (text.isascii() and text.isdigit() and len(digits) <= 5 and int(text) <= 65535)


_DOTS = re.compile(r"/(?:\.|%2[eE]){1,2}(?:/|$)")


def _normal_path(path: str) -> str:
    """Encode a path, and remove its dot segments; it comes back with a slash in front."""
    if "\\" in path:
        path = path.replace("\\", "/")
    if path[:1] != "/":
        path = "/" + path
    if _PATH_UNSAFE.search(path):
        path = _PATH_UNSAFE.sub(_percent, path)
    return _without_dots(path) if _DOTS.search(path) else path


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path[1:].split("/")
    for segment in segments:
        match segment.lower().replace("%2e", "."):
            case ".":
                continue
            case "..":
                del kept[-1:]
            case _:
                kept.append(segment)
    if segments[-1].lower().replace("%2e", ".") in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


# The standard's path and special-query percent-encode sets, as what they leave alone.
_PATH_UNSAFE = re.compile(r"[^!$%&'()*+,\-./0-9:;=@A-Z\[\\\]_a-z|~]+")
_QUERY_UNSAFE = re.compile(r"[^!$%&()*+,\-./0-9:;=?@A-Z\[\\\]^_`a-z{|}~]+")
_QUERY_SAFE_BYTES = frozenset(b for b in range(128) if not _QUERY_UNSAFE.match(chr(b)))


def _percent(match: re.Match[str]) -> str:
    return "%" + _utf8(match[0]).hex("%").upper()


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which HTML escapes can make
        return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def _encode_query(query: str, encoding: str) -> str:
    if not _QUERY_UNSAFE.search(query):
        return query
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8", "ascii") or encoding.lower().startswith("utf"):
        return _QUERY_UNSAFE.sub(_percent, query)
    return _QUERY_UNSAFE.sub(_percent_in(encoding), query)


def _percent_in(encoding: str) -> Callable[[re.Match[str]], str]:
    def percent(match: re.Match[str]) -> str:
        try:
            pieces = [_legacy_bytes(character, encoding) for character in match[0]]
        except (LookupError, UnicodeError):
            return _percent(match)
        return "".join(pieces)

    return percent


def _legacy_bytes(character: str, encoding: str) -> str:
    try:
        encoded = character.encode(encoding)
    except UnicodeEncodeError:
        return f"%26%23{ord(character)}%3B"
    return "".join(chr(b) if b in _QUERY_SAFE_BYTES else f"%{b:02X}" for b in encoded)


# The key


@lru_cache(maxsize=16384)
def _cached_key(url: str, drop: DropRules) -> str:
    return _key(url, drop)


def _key(url: str, drop: DropRules) -> str:
    parts = _parse(_reference(url), None, "utf-8")
    if parts is None:
        return url
    names = parameters.names(drop)
    question = _key_query(parts.query, names) if parts.query else ""
    return f"{parts.scheme}://{parts.authority}{_key_path(parts.path, names)}{question}"


_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + "!'()*" + ":@"
"""Characters that mean the same with and without escape: RFC 3986's unreserved ones, those that RFC 2396
called unreserved too and JavaScript never escapes, and colon and at, which delimit nothing in a path or
query. Not the percent, hash, slash and question signs, nor what separates parameters."""


def _key_escape(digits: str) -> str:
    character = chr(int(digits, 16))
    return character if character in _UNRESERVED else f"%{digits.upper()}"


_HEX = "0123456789abcdefABCDEF"
_KEY_ESCAPES = {"%": "%25"} | {f"%{high}{low}": _key_escape(high + low) for high in _HEX for low in _HEX}
_ESCAPE = re.compile(r"%(?:[0-9A-Fa-f]{2})?")
_RAW = re.compile(r"[\[\]\\^`{|}]")
"""What the URL standard leaves raw and RFC 3986 wants escaped: both spellings are about."""

_INDEX = re.compile(r"/index\.html?$")
_SESSION_SEGMENT = re.compile(r"/\((?:[A-Z]\([^()/]*\))*S\([A-Za-z0-9]{24}\)\)(?=/|$)")
"""ASP.NET without cookies: ``/(S(lit3py55t21z5v55vlm25s55))/page.aspx``."""


def _key_path(path: str, names: parameters.Names) -> str:
    path = _key_escapes(path)
    if ";" in path:
        path = "/".join(_without_matrix_parameters(segment, names) for segment in path.split("/"))
    if "(S(" in path:
        path = _SESSION_SEGMENT.sub("", path) or "/"
    if _DOTS.search(path):  # a dropped parameter can bare one: /..;sid=…
        path = _without_dots(path)
    return _INDEX.sub("/", path)


def _key_query(query: str, names: parameters.Names) -> str:
    query = _key_escapes(query.replace("+", "%20"))
    pairs = [piece.partition("=") for piece in query.split("&") if piece]
    kept = [pair for pair in pairs if not names.drop(pair[0], pair[2])]
    kept.sort(key=lambda pair: pair[0])
    return "?" + "&".join("".join(pair) for pair in kept) if kept else ""


def _key_escapes(text: str) -> str:
    if "%" in text:
        text = _ESCAPE.sub(lambda match: _KEY_ESCAPES[match[0]], text)
    return _RAW.sub(_percent, text) if _RAW.search(text) else text


def _without_matrix_parameters(segment: str, names: parameters.Names) -> str:
    name, *parameters = segment.split(";")
    kept = [parameter for parameter in parameters if not names.drop(*parameter.partition("=")[::2])]
    return ";".join([name, *kept])
