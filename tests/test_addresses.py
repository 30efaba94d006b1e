"""Which addresses are refused, in all their spellings."""

import pytest

from adaptive_crawl.crawler.fetching.addresses import (
    AddressRefused,
    AddressRules,
    is_literal,
    is_loopback,
    why_refused,
)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1", "loopback"),
        ("127.8.8.8", "loopback"),
        ("::1", "loopback"),
        ("[::1]", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("::", "unspecified"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.168.1.1", "private"),
        ("fd00:ec2::254", "private"),
        ("fec0::1", "private"),
        ("169.254.169.254", "link-local"),
        ("fe80::1", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("100.64.0.1", "shared or reserved"),
        ("100.100.100.200", "shared or reserved"),
        ("192.0.0.192", "shared or reserved"),
        ("192.88.99.1", "shared or reserved"),
        ("64:ff9b:1::1", "shared or reserved"),
        ("198.18.0.1", "private"),
        ("192.0.2.1", "private"),
        ("240.0.0.1", "private"),
        ("255.255.255.255", "private"),
        ("224.0.0.1", "multicast"),
        ("ff02::1", "multicast"),
        ("168.63.129.16", "cloud metadata"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:10.0.0.1", "private"),
        ("::ffff:169.254.169.254", "link-local"),
        ("::127.0.0.1", "loopback"),
        ("2002:7f00:1::", "loopback"),
        ("2002:0a00:0001::", "private"),
        ("64:ff9b::7f00:1", "loopback"),
        ("64:ff9b::a9fe:a9fe", "link-local"),
        ("localhost", "malformed"),
        ("", "malformed"),
    ],
)
def test_an_address_that_is_not_public_is_refused_by_what_it_is(address: str, reason: str) -> None:
    assert why_refused(address) == reason


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2606:4700::1111"],
)
def test_a_public_address_is_not_refused(address: str) -> None:
    assert why_refused(address) == ""


@pytest.mark.parametrize("address", ["::ffff:93.184.216.34", "64:ff9b::5db8:d822"])
def test_a_public_address_in_ipv6_clothes_is_public(address: str) -> None:
    assert why_refused(address) == ""


def test_public_addresses_are_permitted_to_all() -> None:
    assert AddressRules().permitted("mill.example", 443, ["93.184.216.34"]) == ["93.184.216.34"]


def test_only_the_public_ones_of_mixed_addresses_are_permitted() -> None:
    mixed = ["10.0.0.1", "93.184.216.34", "::1"]
    assert AddressRules().permitted("mill.example", 443, mixed) == ["93.184.216.34"]


def test_a_refusal_names_host_address_and_the_way_out() -> None:
    with pytest.raises(AddressRefused) as refused:
        AddressRules().permitted("mill.example", 80, ["10.0.0.1"])
    assert str(refused.value) == (
        "10.0.0.1 (mill.example), port 80, is a private address; "
        "such addresses are fetched with --allow-private only"
    )


def test_all_addresses_are_permitted_where_the_user_says_so() -> None:
    assert AddressRules(allow_private=True).permitted("router.lan", 80, ["192.168.1.1"])


def test_a_private_seed_permits_its_own_host_and_port_alone() -> None:
    rules = AddressRules(seeds=[("wiki.corp", 8080)])
    assert rules.permitted("wiki.corp", 8080, ["10.0.0.5"]) == ["10.0.0.5"]
    assert rules.permitted("wiki.corp", 8080, ["10.0.0.6"]) == ["10.0.0.6"]
    for host, port in [("wiki.corp", 22), ("db.corp", 8080)]:
        with pytest.raises(AddressRefused):
            rules.permitted(host, port, ["10.0.0.5"])


def test_a_public_seed_that_comes_to_stand_for_a_private_address_is_refused() -> None:
    rules = AddressRules(seeds=[("rebind.example", 80)])
    assert rules.permitted("rebind.example", 80, ["93.184.216.34"])
    with pytest.raises(AddressRefused):
        rules.permitted("rebind.example", 80, ["127.0.0.1"])


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "::1", "localhost", "docs.localhost"])
def test_names_and_addresses_of_this_machine_are_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["localhost.example", "notlocalhost", "10.0.0.1"])
def test_other_hosts_are_not_this_machine(host: str) -> None:
    assert not is_loopback(host)
    assert is_literal("10.0.0.1")
    assert not is_literal("mill.example")
