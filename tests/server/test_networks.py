"""Networks: which addresses count as one."""

import pytest

from server.configuration.network import INTERNAL, is_within, network_of, parse_address, read_networks


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("192.0.2.0", "192.0.2.0/24"),
        ("192.0.2.255", "192.0.2.0/24"),
        ("192.0.3.1", "192.0.3.0/24"),
        ("2001:db8::1", "2001:db8::/48"),
        ("2001:db8:0:ffff::1", "2001:db8::/48"),
        ("2001:db8:1::1", "2001:db8:1::/48"),
        ("fe80::1%2", "fe80::/48"),
        ("::ffff:192.0.2.7", "192.0.2.0/24"),
        ("::1", "::/48"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_the_network_of_an_address(text: str, network: str) -> None:
    assert network_of(text) == network


@pytest.mark.parametrize("text", ["", "192.0.2", "192.0.2.01", "192.0.2.1:80", "[::1]", "example.org", "1"])
def test_what_is_no_address(text: str) -> None:
    assert parse_address(text) is None


def test_what_lies_within_one_house() -> None:
    inside = ["127.9.9.9", "10.1.1.1", "172.31.0.1", "192.168.1.1", "::1", "fd00::1", "::ffff:10.0.0.1"]
    outside = ["192.0.2.1", "172.32.0.1", "2001:db8::1", "::2"]
    found = [is_within(address, INTERNAL) for text in inside + outside if (address := parse_address(text))]
    assert found == [True] * len(inside) + [False] * len(outside)


def test_addresses_and_networks_are_read_with_commas_between_them() -> None:
    assert [str(one) for one in read_networks("127.0.0.1,  2001:db8::/32")] == [
        "127.0.0.1/32",
        "2001:db8::/32",
    ]
