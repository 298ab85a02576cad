"""Limits on unsolicited letters: blocked addresses, and budgets per recipient, origin and server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_hex

from sqlalchemy import bindparam, func, literal_column
from sqlmodel import Session, col, delete, or_, select

from emails.i18n import gettext, gettext_noop
from emails.letters.lobby_letters import is_address
from emails.tokens import normalise_domain
from server.mail_addresses import digest_address, mask_address, normalise_address
from server.network import is_narrow, parse_network
from server.store.context import Context
from server.store.dialects import insert_new
from server.store.encrypted import WithdrawalKind, note_withdrawal
from server.store.event_log import Refusal, RefusalCode
from server.store.models import Block, Player, UnsolicitedLetter, count_rows
from server.store.states import BlockKind, BlockOrigin

HAS_BANS = select(Block.value).where(Block.origin == BlockOrigin.OPERATOR).exists()
DOMAIN_FORM = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z0-9-]*[a-z][a-z0-9-]*")


def read_block(text: str, origin: BlockOrigin, now: datetime) -> Block:
    """Parse a block of an address, a domain (`example.org`) or a network (`192.0.2.0/24`).

    Raises `ValueError` with a message for the operator.
    """
    text = text.strip()
    if "@" in text.strip("@"):
        if not is_address(text):
            raise ValueError(f"“{text[:80]}” is not a mail address")
        digest = digest_address(text)
        return Block(kind=BlockKind.ADDRESS, value=digest, origin=origin, shown=mask_address(text), at=now)
    try:
        network = parse_network(text)
    except ValueError:
        domain = normalise_domain(text.removeprefix("@").removeprefix("*."))
        if not DOMAIN_FORM.fullmatch(domain):
            raise ValueError(f"“{text[:80]}” is not a mail address, domain or network") from None
        return Block(kind=BlockKind.DOMAIN, value=domain, origin=origin, shown=domain, at=now)
    if not network.prefixlen:
        raise ValueError(f"“{network}” is a network that contains all addresses")
    value = str(network)
    return Block(kind=BlockKind.NETWORK, value=value, origin=origin, shown=value, at=now)


def is_narrow_block(block: Block) -> bool:
    return block.kind == BlockKind.NETWORK and is_narrow(parse_network(block.value))


def store_block(session: Session, block: Block) -> bool:
    if session.get(Block, (block.kind, block.value, block.origin)) is not None:
        return False
    session.add(block)
    session.flush()
    return True


def note_block(context: Context, session: Session, block: Block, *, holds: bool = True) -> None:
    """Note in the journal (store/encrypted.py) that a block was set (`holds`) or removed. No commit."""
    what = block.kind, block.value, block.origin
    note_withdrawal(context, session, WithdrawalKind.BLOCK, *what, now=block.at, holds=holds)


def delete_block(session: Session, block: Block, *, of_anybody: bool = False) -> bool:
    same = delete(Block).where(col(Block.kind) == block.kind, col(Block.value) == block.value)
    same = same if of_anybody else same.where(col(Block.origin) == block.origin)
    return session.connection().execute(same).rowcount > 0


def reader_block(digest: str, now: datetime) -> Block:
    """Build the block that a recipient of letters sets; `digest`: digest of the recipient's address."""
    return Block(kind=BlockKind.ADDRESS, value=digest, origin=BlockOrigin.READER, shown="a reader", at=now)


def is_reader_blocked(session: Session, digest: str) -> bool:
    return session.get(Block, (BlockKind.ADDRESS, digest, BlockOrigin.READER)) is not None


NAMES_ADDRESS = or_(
    (col(Block.kind) == BlockKind.ADDRESS) & (col(Block.value) == bindparam("digest")),
    (col(Block.kind) == BlockKind.DOMAIN) & col(Block.value).in_(bindparam("domains", expanding=True)),
)
"""Condition that a block applies to an address or to a domain that contains it."""
SELECT_BLOCK = select(Block.origin).where(NAMES_ADDRESS).order_by(col(Block.origin))
SELECT_ADDRESS = select(Player.address).where(col(Player.id) == bindparam("of"))


def find_address_block(session: Session, address: str) -> BlockOrigin | None:
    """Return the origin of a block of an address or its domain; the operator's block takes precedence."""
    found = session.connection().execute(SELECT_BLOCK, names_of_address(address)).scalars().first()
    return None if found is None else BlockOrigin(found)


def names_of_address(address: str) -> dict[str, object]:
    """Return the parameters of `NAMES_ADDRESS`."""
    return {"digest": digest_address(address), "domains": _domains_around(address)}


def find_banned_domain(session: Session, address: str) -> str:
    chosen = select(Block.value).where(Block.kind == BlockKind.DOMAIN, Block.origin == BlockOrigin.OPERATOR)
    found = session.exec(chosen.where(col(Block.value).in_(_domains_around(address)))).all()
    return min(found, key=len, default="")


def _domains_around(address: str) -> list[str]:
    domain = normalise_address(address).rpartition("@")[2].split(".")
    return [".".join(domain[number:]) for number in range(len(domain))]


def is_banned(session: Session, addresses: Iterable[str], network: str) -> bool:
    """Return whether the operator has banned any of the addresses, or the network."""
    return is_network_blocked(session, network) or any(
        find_address_block(session, one) is BlockOrigin.OPERATOR for one in addresses if one
    )


def is_player_banned(session: Session, player: int) -> bool:
    address = session.exec(SELECT_ADDRESS, params={"of": player}).first()
    return address is not None and find_address_block(session, address) is BlockOrigin.OPERATOR


def list_operator_blocks(session: Session) -> Sequence[Block]:
    """Return the operator's bans, oldest first; kinds unknown to this version are omitted."""
    chosen = select(Block).where(Block.origin == BlockOrigin.OPERATOR, col(Block.kind).in_(BlockKind))
    return session.exec(chosen.order_by(col(Block.at), col(Block.kind), col(Block.shown))).all()


def count_reader_blocks(session: Session) -> int:
    return count_rows(session, Block, Block.origin == BlockOrigin.READER)


def is_network_blocked(session: Session, network: str) -> bool:
    """Return whether an address or network lies in a blocked network; False for any other text."""
    blocked = session.exec(select(Block.value).where(Block.kind == BlockKind.NETWORK)).all()
    try:
        inside = parse_network(network)
    except ValueError:
        return False
    around = map(parse_network, blocked)
    return any(one.version == inside.version and one.supernet_of(inside) for one in around)  # type: ignore[arg-type]


DAY, MONTH = timedelta(days=1), timedelta(days=30)
MOST_TO_ONE = ((DAY, 3), (MONTH, 10))
"""Limits of unsolicited letters to one mailbox: pairs of a time interval and a maximum number."""
MOST_FROM_ONE = 30
"""Maximum number of unsolicited letters that one origin may cause within a day."""


class OriginKind(StrEnum):
    """Kinds of origins of unsolicited letters; each value is the word stored with these letters."""

    OPERATOR = "operator"
    """A command of the operator; its letters are counted and never refused."""
    PLAYER = "player"
    NETWORK = "network"
    """Network of a request to a page."""
    MAIL = "mail"
    """Network that sent a mail."""
    DOMAIN = "domain"
    """Domain of a mail's sender, if the network is unknown."""
    SIGN_IN = "sign-in"
    """Network of a request for a sign-in link."""
    UNKNOWN = ""
    """Unknown origin; only the budget of the recipient applies."""


NAMED_KINDS = frozenset({OriginKind.PLAYER, OriginKind.MAIL, OriginKind.DOMAIN, OriginKind.SIGN_IN})
UNTOLD_KINDS = frozenset({OriginKind.MAIL, OriginKind.DOMAIN, OriginKind.SIGN_IN})
"""Kinds of origin that never learn of their limit. Their dropped letters do not count toward the limit."""
ENDLESS_KINDS = frozenset({OriginKind.OPERATOR, OriginKind.UNKNOWN, OriginKind.DOMAIN})


@dataclass(frozen=True, slots=True)
class Origin:
    """Cause of an unsolicited letter, to whose budget the letter is charged."""

    kind: OriginKind
    value: str = ""

    @property
    def text(self) -> str:
        if self.kind in NAMED_KINDS:
            return f"{self.kind} {self.value}"
        return self.value if self.kind is OriginKind.NETWORK else self.kind.value


OPERATOR, UNKNOWN = Origin(OriginKind.OPERATOR), Origin(OriginKind.UNKNOWN)


class Budget(StrEnum):
    RECIPIENT = "letters-to-one"
    ORIGIN = "letters-from-one"
    SERVER = "letters-of-all"


COME_BACK_TOMORROW = gettext_noop(
    "So many mails to other people were asked for from here today that no more are sent: "
    "please come back tomorrow."
)


class BudgetSpent(Refusal):
    """The origin has reached its limit of letters for today."""

    code = RefusalCode.BUDGET


def player_origin(player: int) -> Origin:
    return Origin(OriginKind.PLAYER, str(player))


def mail_origin(network: str, sender: str) -> Origin:
    """Return the origin of letters that an incoming mail causes: its network, else its sender's domain.

    Only the last two labels of the domain are used, since the owner of a domain can invent subdomains.
    """
    domain = ".".join(normalise_address(sender).rpartition("@")[2].split(".")[-2:])
    return Origin(OriginKind.MAIL, network) if network else Origin(OriginKind.DOMAIN, domain)


def sign_in_origin(network: str) -> Origin:
    """Return the origin of sign-in links that are requested on a page.

    Only requests for players' addresses count toward the limit of this origin. Other letters have a
    separate limit: otherwise the number still allowed would show which addresses belong to players.
    """
    return Origin(OriginKind.SIGN_IN, network) if network else UNKNOWN


def is_recipient_full(session: Session, address: str, now: datetime) -> bool:
    mine = UnsolicitedLetter.address == digest_address(address)
    return any(
        count_rows(session, UnsolicitedLetter, mine, UnsolicitedLetter.at > now - ago) >= most
        for ago, most in MOST_TO_ONE
    )


def may_get_letter(session: Session, address: str, now: datetime) -> bool:
    return find_address_block(session, address) is None and not is_recipient_full(session, address, now)


def is_origin_full(session: Session, origin: Origin, now: datetime, more: int = 1) -> bool:
    """Return whether an origin may not cause `more` letters today."""
    if origin.kind in ENDLESS_KINDS:
        return False
    caused = UnsolicitedLetter.origin == origin.text, UnsolicitedLetter.at > now - DAY
    return count_rows(session, UnsolicitedLetter, *caused) + more > MOST_FROM_ONE


def check_origin(session: Session, origin: Origin, now: datetime, more: int = 1) -> None:
    """Raise `BudgetSpent` if an origin may not cause `more` letters today."""
    if more and is_origin_full(session, origin, now, more):
        raise BudgetSpent(gettext(COME_BACK_TOMORROW))


def record_unsolicited(
    session: Session, message_id: str, address: str, origin: Origin, now: datetime
) -> None:
    """Record an unsolicited letter for the limits, unless it is recorded already. Does not commit.

    A letter that is not sent is recorded with an empty `address`. It counts too, so that the originator
    cannot tell from the limit that it was not sent.
    """
    digest = digest_address(address) if address else ""
    row = {"message_id": message_id, "address": digest, "origin": origin.text, "at": now}
    session.connection().execute(insert_new(UnsolicitedLetter), row)


def record_attempt(session: Session, origin: Origin, now: datetime) -> None:
    """Count one letter against an origin's budget although no letter is queued. Does not commit."""
    record_unsolicited(session, f"<{token_hex(16)}>", "", origin, now)


def is_unsolicited(session: Session, message_id: str) -> bool:
    same = select(UnsolicitedLetter.id).where(UnsolicitedLetter.message_id == message_id)
    return session.exec(same).first() is not None


def room_of_server(session: Session, most: int, now: datetime) -> int:
    """Return how many unsolicited letters may still be sent today, if `most` are permitted a day."""
    return max(0, most - count_rows(session, UnsolicitedLetter, col(UnsolicitedLetter.sent_at) > now - DAY))


def when_recipient_has_room(session: Session, message_id: str) -> datetime | None:
    """Return when an unsolicited letter may be sent without exceeding its recipient's limits.

    None if the limits do not delay the letter, or if the operator caused it.
    """
    same = select(UnsolicitedLetter.address).where(UnsolicitedLetter.message_id == message_id)
    address = session.exec(same.where(UnsolicitedLetter.origin != OPERATOR.text)).first()
    if address is None:
        return None
    sent_at = col(UnsolicitedLetter.sent_at)
    left = select(sent_at).where(UnsolicitedLetter.address == address, sent_at.is_not(None))
    left = left.order_by(sent_at.desc())
    in_the_way = ((session.exec(left.offset(most - 1).limit(1)).first(), ago) for ago, most in MOST_TO_ONE)
    return max((at + ago for at, ago in in_the_way if at is not None), default=None)


def busiest_origins(session: Session, now: datetime, most: int = 5) -> Sequence[tuple[str, int]]:
    """Return the origins with the most unsolicited letters today, each with its number of letters."""
    count = func.count()
    origin = col(UnsolicitedLetter.origin) + literal_column("''")  # no column, to use the index of times
    lately = select(origin, count).where(UnsolicitedLetter.at > now - DAY).group_by(origin)
    return session.exec(lately.order_by(count.desc()).limit(most)).all()
