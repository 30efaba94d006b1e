"""Which addresses a crawler must not talk to unless its user said so.

A page can name any host, and a host name can stand for any address: a link to a router, to a database on
this machine, or to a cloud's metadata service would be fetched with the rights of whoever runs the crawl.
Knows addresses only; who resolves names and who connects is not its business.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

METADATA_ADDRESSES = frozenset({"168.63.129.16"})
"""Services of a cloud's own machines at addresses that look public (Azure's; the others' are private)."""

_UNUSUAL = tuple(
    map(
        ip_network,
        (
            *("192.0.0.0/24", "192.88.99.0/24"),
            *("64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16"),
        ),
    )
)
"""Ranges of the IANA special-purpose registries that Python's releases know as different things, or not."""

_NAT64 = IPv6Network("64:ff9b::/96")


class AddressRefused(Exception):
    """A host stands for no address that may be talked to; the message says for which, and why not."""


class AddressRules:
    """Which of a host's addresses may be connected to.

    Public ones always; others where ``allow_private`` says so, and for a seed that was at such an address
    when the crawl first asked for it: its own host and port, nothing else. A seed at a public address stays
    at public ones, or its name server could turn the crawl on the user's network (DNS rebinding).
    """

    def __init__(self, allow_private: bool = False, seeds: Iterable[tuple[str, int]] = ()) -> None:
        """``seeds`` are host (an IPv6 address without brackets) and port."""
        self._allow_private = allow_private
        self._undecided = set(seeds)
        self._private_seeds: set[tuple[str, int]] = set()

    def permitted(self, host: str, port: int, addresses: Sequence[str]) -> list[str]:
        """Give those of the addresses that ``host`` stands for which may be connected to, in order.

        Raises:
            AddressRefused: there is none.
        """
        public = [address for address in addresses if not why_refused(address)]
        if (host, port) in self._undecided:
            self._undecided.remove((host, port))
            if not public:
                self._private_seeds.add((host, port))
        if self._allow_private or (host, port) in self._private_seeds:
            return list(addresses)
        if not public:
            raise AddressRefused(_refusal(host, port, addresses))
        return public


@lru_cache(maxsize=1024)
def why_refused(address: str) -> str:
    """Say what an IP address is when it is not a public one: "loopback", "private" …; "" for a public one.

    An IPv6 address that carries an IPv4 one (mapped, 6to4, Teredo, NAT64) is judged by that as well.
    """
    try:
        parsed = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return "malformed"
    return next((reason for reason in map(_why, _faces(parsed)) if reason), "")


def is_literal(host: str) -> bool:
    """Tell whether a host is an IP address rather than a name."""
    try:
        ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Tell whether a host, as a name or an address, is this machine by definition (RFC 6761, 6.3)."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    return is_literal(host) and why_refused(host) == "loopback"


def _refusal(host: str, port: int, addresses: Sequence[str]) -> str:
    address = addresses[0] if addresses else ""
    stands_for = "" if address == host else f" ({host})"
    return (
        f"{address}{stands_for}, port {port}, is a {why_refused(address)} address; "
        "such addresses are fetched with --allow-private only"
    )


def _faces(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    embedded: list[IPv4Address | IPv6Address | None] = [address.sixtofour, address]
    if address.teredo is not None:
        embedded.extend(address.teredo)
    if address in _NAT64:
        embedded = [IPv4Address(int(address) & 0xFFFFFFFF)]
    elif int(address) >> 32 == 0 and int(address) > 1:
        # IPv4-compatible (deprecated, but some stacks still route it).
        embedded = [IPv4Address(int(address) & 0xFFFFFFFF)]
    return [face for face in embedded if face is not None]


def _why(address: IPv4Address | IPv6Address) -> str:
    if str(address) in METADATA_ADDRESSES:
        return "cloud metadata"
    if address.is_loopback:
        return "loopback"
    if address.is_link_local:
        return "link-local"
    if address.is_unspecified:
        return "unspecified"
    if address.is_multicast:
        return "multicast"
    if isinstance(address, IPv6Address) and address.is_site_local:
        return "private"
    if any(address in network for network in _UNUSUAL):
        return "shared or reserved"
    if address.is_private:
        return "private"
    return "" if address.is_global else "shared or reserved"
