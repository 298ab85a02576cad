"""Whom nobody writes to: addresses, domains and networks that are blocked, by their reader or the operator.

A reader who wants no letters that they did not ask for is known by the digest of their address alone, for
good: somebody who never was a player goes with their address (server/accounts/unsubscribe.py); their
name, as somebody typed it, stays in the log of that game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, delete, or_, select

from emails.letters.proposal_letter import is_address
from emails.links import normalise_domain
from server.configuration.network import is_narrow, parse_network
from server.mail_addresses import digest_address, mask_address, normalise_address
from server.store.context import Context
from server.store.models import Player
from server.store.states import BlockKind, BlockOrigin
from server.store.unasked_models import Block
from server.store.withdrawals import WithdrawalKind, note_withdrawal

HAS_BANS = select(Block.value).where(Block.origin == BlockOrigin.OPERATOR).exists()
"""Whether the operator has banned anybody at all."""
DOMAIN_FORM = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z0-9-]*[a-z][a-z0-9-]*")


def read_block(text: str, origin: BlockOrigin, now: datetime) -> Block:
    """A block of an address, a domain (`example.org`) or a network (`192.0.2.0/24`, `2001:db8::/48`).

    Raises `ValueError` with a sentence where it is none of these.
    """
    text = text.strip()
    if "@" in text.strip("@"):
        if not is_address(text):
            raise ValueError(f"“{text[:80]}” is no mail address")
        digest = digest_address(text)
        return Block(kind=BlockKind.ADDRESS, value=digest, origin=origin, shown=mask_address(text), at=now)
    try:
        network = parse_network(text)
    except ValueError:
        domain = normalise_domain(text.removeprefix("@").removeprefix("*."))
        if not DOMAIN_FORM.fullmatch(domain):
            raise ValueError(f"“{text[:80]}” is no mail address, no domain and no network") from None
        return Block(kind=BlockKind.DOMAIN, value=domain, origin=origin, shown=domain, at=now)
    if not network.prefixlen:
        raise ValueError(f"“{network}” is a network of which everybody is a part")
    value = str(network)
    return Block(kind=BlockKind.NETWORK, value=value, origin=origin, shown=value, at=now)


def is_narrow_block(block: Block) -> bool:
    """Whether a block is of a network too small for mails that another server took in to be known by it."""
    return block.kind == BlockKind.NETWORK and is_narrow(parse_network(block.value))


def store_block(session: Session, block: Block) -> bool:
    """Keep a block; whether it is new. The caller commits."""
    if session.get(Block, (block.kind, block.value, block.origin)) is not None:
        return False
    session.add(block)
    session.flush()
    return True


def note_block(context: Context, session: Session, block: Block, *, holds: bool = True) -> None:
    """Write down that a block is set or taken away, so that it is after the return of a backup too."""
    what = block.kind, block.value, block.origin
    note_withdrawal(context, session, WithdrawalKind.BLOCK, *what, now=block.at, holds=holds)


def delete_block(session: Session, block: Block, *, of_anybody: bool = False) -> bool:
    """Forget a block, of the same origin or `of_anybody`; whether there was one. The caller commits."""
    same = delete(Block).where(col(Block.kind) == block.kind, col(Block.value) == block.value)
    same = same if of_anybody else same.where(col(Block.origin) == block.origin)
    return session.connection().execute(same).rowcount > 0


def reader_block(digest: str, now: datetime) -> Block:
    """The block that the reader of an address wants, of whom no more than its digest may be known."""
    return Block(kind=BlockKind.ADDRESS, value=digest, origin=BlockOrigin.READER, shown="a reader", at=now)


def is_reader_blocked(session: Session, digest: str) -> bool:
    """Whether the reader of an address wants no letters that they did not ask for."""
    return session.get(Block, (BlockKind.ADDRESS, digest, BlockOrigin.READER)) is not None


def find_address_block(session: Session, address: str) -> BlockOrigin | None:
    """Who has blocked an address, or a domain that it belongs to; the operator's goes further."""
    found = session.exec(select(Block).where(names_address(address)).order_by(col(Block.origin))).first()
    return None if found is None else BlockOrigin(found.origin)


def names_address(address: str) -> ColumnElement[bool]:
    """The condition that a block is of an address, or of a domain that it belongs to."""
    return or_(
        (col(Block.kind) == BlockKind.ADDRESS) & (col(Block.value) == digest_address(address)),
        (col(Block.kind) == BlockKind.DOMAIN) & col(Block.value).in_(_domains_around(address)),
    )


def find_banned_domain(session: Session, address: str) -> str:
    """The banned domain that an address or a domain belongs to, the greatest; empty where there is none."""
    chosen = select(Block.value).where(Block.kind == BlockKind.DOMAIN, Block.origin == BlockOrigin.OPERATOR)
    found = session.exec(chosen.where(col(Block.value).in_(_domains_around(address)))).all()
    return min(found, key=len, default="")


def _domains_around(address: str) -> list[str]:
    """The domain of an address, or a domain, and those that it is a part of."""
    domain = normalise_address(address).rpartition("@")[2].split(".")
    return [".".join(domain[number:]) for number in range(len(domain))]


def is_banned(session: Session, addresses: Iterable[str], network: str) -> bool:
    """Whether the operator wants nobody to be heard who has one of these addresses or comes from there."""
    return is_network_blocked(session, network) or any(
        find_address_block(session, one) is BlockOrigin.OPERATOR for one in addresses if one
    )


def is_player_banned(session: Session, player: int) -> bool:
    """Whether the operator wants nothing to be heard of a player, in a browser or by a program."""
    address = session.exec(select(Player.address).where(Player.id == player)).first()
    return address is not None and find_address_block(session, address) is BlockOrigin.OPERATOR


def list_operator_blocks(session: Session) -> Sequence[Block]:
    """What the operator has banned, as far as this program knows of what kind it is, the oldest first."""
    chosen = select(Block).where(Block.origin == BlockOrigin.OPERATOR, col(Block.kind).in_(BlockKind))
    return session.exec(chosen.order_by(col(Block.at), col(Block.kind), col(Block.shown))).all()


def count_reader_blocks(session: Session) -> int:
    """How many readers want no letters that they did not ask for."""
    chosen = select(func.count()).select_from(Block).where(Block.origin == BlockOrigin.READER)
    return session.exec(chosen).one()


def is_network_blocked(session: Session, network: str) -> bool:
    """Whether an address or a network, or a greater one around it, is blocked; not so what is neither."""
    blocked = session.exec(select(Block.value).where(Block.kind == BlockKind.NETWORK)).all()
    try:
        inside = parse_network(network)
    except ValueError:
        return False
    around = map(parse_network, blocked)
    return any(one.version == inside.version and one.supernet_of(inside) for one in around)  # type: ignore[arg-type]
