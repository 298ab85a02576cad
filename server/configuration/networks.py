"""Networks of addresses: who counts as one visitor, and whose word about others is taken.

Whoever rents one machine has a whole network of IPv6 addresses, and often several of IPv4 that lie side by
side. So limits hold for networks: /24 of IPv4 and /48 of IPv6, about what one customer is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

IPV4_PREFIX, IPV6_PREFIX = 24, 48
"""Bits of an address that name its network."""

INTERNAL = tuple(
    ip_network(text)
    for text in (
        *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"),
        *("::1/128", "fc00::/7", "fe80::/10"),
    )
)
"""Networks within one house: loopback, private and link-local ones, and those behind a provider's NAT."""


def parse_address(text: str) -> Address | None:
    """The address that is written so, IPv4 within IPv6 as IPv4; None where it is none."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def network_of(text: str) -> str:
    """The network in which an address lies, such as 192.0.2.0/24; the text itself where it is no address."""
    found = parse_address(text)
    if found is None:
        return text
    prefix = IPV4_PREFIX if isinstance(found, IPv4Address) else IPV6_PREFIX
    return str(ip_network((found, prefix), strict=False))


def parse_network(text: str) -> Network:
    """The network that is written so, or in which an address lies, IPv4 within IPv6 as IPv4.

    Raises `ValueError` where it is neither.
    """
    found = ip_network(text, strict=False)
    inside = found.network_address.ipv4_mapped if isinstance(found, IPv6Network) else None
    return found if inside is None or found.prefixlen < 96 else ip_network((inside, found.prefixlen - 96))


def is_narrow(network: Network) -> bool:
    """Whether a network is less than what counts as one visitor."""
    return network.prefixlen > (IPV4_PREFIX if isinstance(network, IPv4Network) else IPV6_PREFIX)


def is_within(address: Address, networks: Iterable[Network]) -> bool:
    """Whether an address lies in one of these networks."""
    return any(address in network for network in networks)


def read_networks(text: str) -> tuple[Network, ...]:
    """Read addresses and networks with commas between them; raises `ValueError` with what is wrong."""
    found = []
    for part in text.split(","):
        try:
            network = ip_network(part.strip())
        except ValueError:
            raise ValueError(
                f"names {part.strip() or 'nothing'}, which is no address and no network"
            ) from None
        if not network.prefixlen:
            raise ValueError("names a network of which everybody is a part")
        found.append(network)
    return tuple(found)
