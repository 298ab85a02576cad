"""Limits on unsolicited letters: blocked addresses, and budgets by recipient, by sender and in all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_hex
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, and_, exists, func, literal_column, union, update
from sqlalchemy import or_ as plain_or_
from sqlmodel import Session, col, delete, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from emails.i18n import gettext, gettext_noop
from emails.letters.lobby_letters import is_address
from emails.tokens import normalise_domain
from server.configuration.network import is_narrow, parse_network
from server.mail_addresses import digest_address, mask_address, normalise_address
from server.outbox.letter_kinds import KINDS_SENT_DESPITE_SUSPENSION
from server.store.context import Context
from server.store.dialects.expressions import insert_new
from server.store.models import Block, Game, OutgoingLetter, Player, UnsolicitedLetter
from server.store.refusals import Refusal, RefusalCode
from server.store.states import BlockKind, BlockOrigin, LetterState
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


DAY, MONTH = timedelta(days=1), timedelta(days=30)
MOST_TO_ONE = ((DAY, 3), (MONTH, 10))
"""Letters to one mailbox, by the time within which they are counted."""
MOST_FROM_ONE = 30
"""Letters that one origin causes within a day."""
KEPT_FOR = timedelta(days=31)
"""How long the ledger keeps a row once its letter has left, or is not to leave."""


class OriginKind(StrEnum):
    """Who can cause letters, by the word that stands for them in the ledger."""

    OPERATOR = "operator"
    """By command: theirs are counted and never refused."""
    PLAYER = "player"
    """Who is signed in, or whose ticket shows who they are; by their number."""
    NETWORK = "network"
    """From which a page was asked."""
    MAIL = "mail"
    """A network that a mail came from."""
    DOMAIN = "domain"
    """Of the sender that a mail says, where its network is not known."""
    SIGN_IN = "sign-in"
    """A network from which links to sign in are asked for on a page."""
    UNKNOWN = ""
    """Nobody knows where it comes from: refused only by the budget of its recipient."""


NAMED_KINDS = frozenset({OriginKind.PLAYER, OriginKind.MAIL, OriginKind.DOMAIN, OriginKind.SIGN_IN})
"""Whose word stands before their value; a network stands there alone, and the others have no value."""
UNTOLD_KINDS = frozenset({OriginKind.MAIL, OriginKind.DOMAIN, OriginKind.SIGN_IN})
"""Who does not hear that their budget is spent."""
ENDLESS_KINDS = frozenset({OriginKind.OPERATOR, OriginKind.UNKNOWN, OriginKind.DOMAIN})
"""Whose budget is never spent."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who causes a letter that nobody has asked for."""

    kind: OriginKind
    value: str = ""

    @property
    def text(self) -> str:
        """As the ledger has it, and the log of security."""
        if self.kind in NAMED_KINDS:
            return f"{self.kind} {self.value}"
        return self.value if self.kind is OriginKind.NETWORK else self.kind.value


OPERATOR, UNKNOWN = Origin(OriginKind.OPERATOR), Origin(OriginKind.UNKNOWN)


def read_origin(text: str) -> Origin:
    """The origin that the ledger has as a text."""
    word, space, value = text.partition(" ")
    if space and word in NAMED_KINDS:
        return Origin(OriginKind(word), value)
    return next((one for one in (OPERATOR, UNKNOWN) if one.text == text), Origin(OriginKind.NETWORK, text))


class Budget(StrEnum):
    """Which budget is spent."""

    RECIPIENT = "letters-to-one"
    ORIGIN = "letters-from-one"
    SERVER = "letters-of-all"


COME_BACK_TOMORROW = gettext_noop(
    "So many mails to other people were asked for from here today that no more are sent: "
    "please come back tomorrow."
)


class BudgetSpent(Refusal):
    """Whoever asks has caused as many letters today as anybody may."""

    code = RefusalCode.BUDGET


def player_origin(player: int) -> Origin:
    """The origin of what a player causes who is signed in, or whose ticket shows who they are."""
    return Origin(OriginKind.PLAYER, str(player))


def mail_origin(network: str, sender: str) -> Origin:
    """The origin of what a mail causes: the network it came from, or the domain that its sender says.

    Whoever forges a sender can say any domain: so none of them is ever full, and they only take turns. Names
    below a domain are its owner's, so it is the last two.
    """
    domain = ".".join(normalise_address(sender).rpartition("@")[2].split(".")[-2:])
    return Origin(OriginKind.MAIL, network) if network else Origin(OriginKind.DOMAIN, domain)


def sign_in_origin(network: str) -> Origin:
    """The origin of links to sign in that are asked for on a page.

    One of its own, of which nobody hears: what is left of the other would tell who plays here.
    """
    return Origin(OriginKind.SIGN_IN, network) if network else UNKNOWN


def is_recipient_full(session: Session, address: str, now: datetime) -> bool:
    """Whether a mailbox has got as many letters that it did not ask for as anybody may."""
    mine = _select_count().where(UnsolicitedLetter.address == digest_address(address))
    return any(
        session.exec(mine.where(UnsolicitedLetter.at > now - ago)).one() >= most for ago, most in MOST_TO_ONE
    )


def may_get_letter(session: Session, address: str, now: datetime) -> bool:
    """Whether a letter that its reader has not asked for may go to an address."""
    return find_address_block(session, address) is None and not is_recipient_full(session, address, now)


def is_origin_full(session: Session, origin: Origin, now: datetime, more: int = 1) -> bool:
    """Whether an origin may not cause so many `more` letters today."""
    if origin.kind in ENDLESS_KINDS:
        return False
    caused = _select_count().where(UnsolicitedLetter.origin == origin.text, UnsolicitedLetter.at > now - DAY)
    return session.exec(caused).one() + more > MOST_FROM_ONE


def check_origin(session: Session, origin: Origin, now: datetime, more: int = 1) -> None:
    """Refuse to cause so many `more` letters where there is no room for them; raises `BudgetSpent`."""
    if more and is_origin_full(session, origin, now, more):
        raise BudgetSpent(gettext(COME_BACK_TOMORROW))


def record_unsolicited(
    session: Session, message_id: str, address: str, origin: Origin, now: datetime
) -> None:
    """Write a letter down in the ledger; twice is once. The caller commits.

    Without an address it is one that its reader does not get, which counts for its origin all the same: what
    is left to somebody must not tell them who gets no letters.
    """
    digest = digest_address(address) if address else ""
    row = {"message_id": message_id, "address": digest, "origin": origin.text, "at": now}
    session.connection().execute(insert_new(UnsolicitedLetter), row)


def record_attempt(session: Session, origin: Origin, now: datetime) -> None:
    """Count a letter for its origin that is not even queued; the caller commits."""
    record_unsolicited(session, f"<{token_hex(16)}>", "", origin, now)


def record_sent(session: Session, message_id: str, now: datetime) -> None:
    """Note that a letter has left, if it is one of the ledger. The caller commits."""
    same = update(UnsolicitedLetter).where(col(UnsolicitedLetter.message_id) == message_id)
    session.connection().execute(same.values(sent_at=now))


def is_unsolicited(session: Session, message_id: str) -> bool:
    """Whether a letter of the outbox is one of the ledger."""
    same = select(UnsolicitedLetter.id).where(UnsolicitedLetter.message_id == message_id)
    return session.exec(same).first() is not None


def is_due(now: datetime) -> ColumnElement[bool]:
    """The condition that a letter of the outbox is to leave: letters of a game that is halted wait."""
    return and_(may_leave(), col(OutgoingLetter.due_at) <= now)


def is_letter_in_hand(session: Session, unasked_per_day: int, now: datetime) -> bool:
    """Whether a letter waits for nothing but the relay: it is due, or was tried, and may leave."""
    in_hand = plain_or_(col(OutgoingLetter.due_at) <= now, col(OutgoingLetter.tries) > 0)
    waiting = select(OutgoingLetter.id).where(may_leave(), in_hand)
    if room_of_server(session, unasked_per_day, now) == 0:
        same = col(UnsolicitedLetter.message_id) == OutgoingLetter.message_id
        waiting = waiting.where(~exists().where(same, col(UnsolicitedLetter.sent_at).is_(None)))
    return session.exec(waiting.limit(1)).first() is not None


def may_leave() -> ColumnElement[bool]:
    """The condition that a letter waits, due or not, and its game is not halted."""
    halted = select(Game.id).where(col(Game.suspended_at).is_not(None))  # few ever are: they have an index
    leaves = plain_or_(
        col(OutgoingLetter.kind).in_(KINDS_SENT_DESPITE_SUSPENSION), col(OutgoingLetter.game).not_in(halted)
    )
    return and_(col(OutgoingLetter.state) == LetterState.WAITING, leaves)


def room_of_server(session: Session, most: int, now: datetime) -> int:
    """How many unasked letters may still leave within this day."""
    return max(
        0, most - session.exec(_select_count().where(col(UnsolicitedLetter.sent_at) > now - DAY)).one()
    )


def when_recipient_has_room(session: Session, message_id: str) -> datetime | None:
    """From when on a letter of the ledger may leave, so that its reader gets no more than anybody may.

    None where no other letters stand in its way: so it is with what the operator asks for.
    """
    same = UnsolicitedLetter.message_id == message_id
    row = session.exec(
        select(UnsolicitedLetter).where(same, UnsolicitedLetter.origin != OPERATOR.text)
    ).first()
    if row is None:
        return None
    left = select(UnsolicitedLetter.sent_at).where(UnsolicitedLetter.address == row.address)
    left = left.where(col(UnsolicitedLetter.sent_at).is_not(None)).order_by(
        col(UnsolicitedLetter.sent_at).desc()
    )
    in_the_way = ((session.exec(left.offset(most - 1).limit(1)).first(), ago) for ago, most in MOST_TO_ONE)
    return max((sent_at + ago for sent_at, ago in in_the_way if sent_at is not None), default=None)


def due_unsolicited_letters(session: Session, most: int, now: datetime) -> list[int | None]:
    """The numbers of due letters of the ledger: the first of each origin before the second of any.

    What has left counts as long as the ledger knows it, so whoever has had a first letter on one day has a
    second on the next; what is never to leave does not count. Among as many of each, those of whoever has
    caused fewest come first.
    """
    ledger, letters = UnsolicitedLetter, OutgoingLetter
    unsent = select(letters.id).join(ledger, col(ledger.message_id) == letters.message_id)
    if session.exec(unsent.where(col(ledger.sent_at).is_(None), is_due(now))).first() is None:
        return []  # as nearly always: nothing is to be ranked
    one_origin = func.count().over(partition_by=col(ledger.origin))
    rank = func.row_number().over(partition_by=col(ledger.origin), order_by=col(ledger.id))
    has_left = select(ledger.id).where(col(ledger.sent_at) > now - KEPT_FOR)
    waits = select(ledger.id).join(letters, col(letters.message_id) == ledger.message_id)
    known: CompoundSelect[Any] = union(has_left, waits.where(letters.state == LetterState.WAITING))
    counted = (
        select(col(ledger.message_id), rank.label("rank"), one_origin.label("caused"))
        .where(col(ledger.id).in_(known))
        .subquery()
    )
    waiting = select(letters.id).join(counted, counted.c.message_id == letters.message_id).where(is_due(now))
    order = (counted.c.rank, counted.c.caused, col(letters.id))
    return list(session.exec(waiting.order_by(*order).limit(most)))


def busiest_origins(session: Session, now: datetime, most: int = 5) -> list[tuple[Origin, int]]:
    """Who has caused most unasked letters within the day, and how many."""
    count = func.count()
    origin = col(UnsolicitedLetter.origin) + literal_column("''")  # as a sum, so that it is found by its time
    lately = select(origin, count).where(UnsolicitedLetter.at > now - DAY).group_by(origin)
    found = session.exec(lately.order_by(count.desc()).limit(most))
    return [(read_origin(text), number) for text, number in found]


def _select_count() -> SelectOfScalar[int]:
    return select(func.count()).select_from(UnsolicitedLetter)
