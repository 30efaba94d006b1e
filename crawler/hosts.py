"""Hosts as browsers read them: one host, one spelling; and the site that a host belongs to.

Follows the host parser of the URL standard (https://url.spec.whatwg.org/#host-parsing), so that ``127.1``,
``0x7f.0.0.1`` and ``127。0。0。1`` are all seen as the loopback address, here as there. Knows names and
numbers only; whether a host exists, or may be asked, is for others.
"""

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_PLAIN = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?")
"""A lower-case ASCII name as nearly all are: nothing in it can be mapped, forbidden or a number."""

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|]")
_IPV6_CHARACTERS = re.compile(r"[0-9A-Fa-f:.]+")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]*|[0-9]+")
_LONGEST_NAME = 2000
"""Characters looked at: DNS allows 253, escapes take nine times as many, and a cache is to stay small."""


def normalize(text: str) -> str | None:
    """Give a host its one spelling: lower-case ASCII, IPv4 in four decimal parts, IPv6 in brackets.

    Takes the host as it stands in a URL, percent-escapes and brackets included. None when the URL
    standard calls it a failure.
    """
    return _normalize(text) if 0 < len(text) <= _LONGEST_NAME else None


@lru_cache(maxsize=4096)
def _normalize(text: str) -> str | None:
    if _PLAIN.fullmatch(text):
        return text
    if text[0] == "[":
        return _ipv6(text[1:-1]) if text[-1] == "]" else None
    if "%" in text:
        text = unquote_to_bytes(text).decode("utf-8", "replace")
    name = _to_ascii(text)
    if not name or _FORBIDDEN.search(name):
        return None
    return _ipv4(name) if _ends_in_a_number(name) else name


def is_address(host: str) -> bool:
    """Tell an IP address from a name; takes a normalized host."""
    return host.startswith("[") or (host[-1:].isdigit() and _ends_in_a_number(host))


@lru_cache(maxsize=4096)
def registrable(host: str) -> str:
    """Give the domain that was registered by whoever answers for this host, or the host itself.

    ``docs.example.co.uk`` → ``example.co.uk``; ``me.github.io`` stays whole, since each name below
    ``github.io`` is somebody else's. By the Public Suffix List, which comes with the package: no request.
    Addresses, ``localhost`` and public suffixes are their own.
    """
    if is_address(host) or "." not in host:
        return host
    return _suffixes().privatesuffix(host.rstrip(".")) or host


@lru_cache(maxsize=1)
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList  # 50 ms: only who compares sites pays for it

    return PublicSuffixList()


def _to_ascii(name: str) -> str | None:
    """Domain to ASCII with CheckBidi and CheckJoiners, without the length and hyphen checks (UTS #46).

    An ASCII name is taken as it is, ``xn--`` labels included, as browsers do.
    """
    if name.isascii():
        return name.lower()
    import idna  # its tables take 10 ms: only foreign names pay for them

    try:
        mapped = idna.uts46_remap(name, std3_rules=False)
        return ".".join(_label_to_ascii(label) for label in mapped.split("."))
    except (idna.IDNAError, UnicodeError, ValueError):
        return None


def _label_to_ascii(label: str) -> str:
    """Raises idna.IDNAError, UnicodeError or ValueError for a label that cannot be."""
    from idna.core import check_bidi, check_initial_combiner, uts46_remap, valid_contextj

    if label.startswith("xn--"):
        decoded = label[4:].encode("ascii").decode("punycode")
        valid = not decoded.isascii() and uts46_remap(decoded, std3_rules=False) == decoded
        if not valid or _label_to_ascii(decoded) != label:
            raise ValueError(label)
        return label
    if label.isascii():
        return label

    check_initial_combiner(label)
    check_bidi(label)
    joiners = [at for at, character in enumerate(label) if character in "\u200c\u200d"]
    if not all(valid_contextj(label, at) for at in joiners):
        raise ValueError(label)
    return "xn--" + label.encode("punycode").decode("ascii")


def _ends_in_a_number(name: str) -> bool:
    labels = name.split(".")
    if not labels[-1] and len(labels) > 1:
        labels.pop()
    last = labels[-1]
    return last.isdigit() or (last[:2] == "0x" and _NUMBER.fullmatch(last) is not None)


def _ipv4(name: str) -> str | None:
    """Read up to four numbers, decimal, octal or hexadecimal; the last fills the bytes that are left."""
    parts = name.split(".")
    if not parts[-1] and len(parts) > 1:
        parts.pop()
    if len(parts) > 4:
        return None
    numbers = [_number(part) for part in parts]
    *first, last = numbers
    if last is None or last >= 256 ** (5 - len(parts)):
        return None
    address = last
    for place, number in enumerate(first):
        if number is None or number > 255:
            return None
        address += number * 256 ** (3 - place)
    return ".".join(str(byte) for byte in address.to_bytes(4, "big"))


def _number(text: str) -> int | None:
    if not _NUMBER.fullmatch(text) or len(text) > 64:
        return None
    try:
        if text[:2] in ("0x", "0X"):
            return int(text[2:] or "0", 16)
        return int(text, 8 if text[0] == "0" else 10)
    except ValueError:
        return None


def _ipv6(text: str) -> str | None:
    if not _IPV6_CHARACTERS.fullmatch(text):
        return None
    try:
        packed = IPv6Address(text).packed
    except AddressValueError:
        return None
    groups = [f"{packed[at] << 8 | packed[at + 1]:x}" for at in range(0, 16, 2)]
    start, length = _longest_zeros(groups)
    if length < 2:
        return f"[{':'.join(groups)}]"
    return f"[{':'.join(groups[:start])}::{':'.join(groups[start + length :])}]"


def _longest_zeros(groups: list[str]) -> tuple[int, int]:
    best = (0, 0)
    start = 0
    while start < len(groups):
        length = 0
        while start + length < len(groups) and groups[start + length] == "0":
            length += 1
        if length > best[1]:
            best = (start, length)
        start += length or 1
    return best
