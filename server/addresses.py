"""A player's new address: asked for on a page, and used once somebody there has confirmed it.

Whoever holds a letter of a player, forwarded say, can ask for that. So the old address is told as soon as the
new one is used, and can take the player back with one click: that too is an address to be confirmed.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, update
from sqlmodel import Session, col, select

from emails.tongue import say
from server.games import ADDRESS, ID_LETTERS, LONGEST_ADDRESS
from server.occasions import OF_ADDRESSES, Occasion
from server.office import Office
from server.outbox import queue
from server.tables import Confirmation, Game, Outgoing, Player, Preference, Seating

VALID = timedelta(days=3)
BACK_VALID = timedelta(days=30)
"""Of the way back to an old address: long enough for somebody who was away."""
MOST_ASKS = 5
"""Addresses that a player may name within a day."""
MOST_ASKED = 2
"""Letters to one address within a day, whoever names it."""
RANDOM = 26
"""Letters of a code: 130 bits that nobody can guess."""
BACK = "back"
"""How the code of a way back begins, which is so much longer."""
CODE = re.compile(rf"(?:{BACK})?[a-z2-7]{{{RANDOM}}}")


class NotConfirmed(ValueError):
    """An address that cannot be used; the sentence says why, in the language spoken."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A new address that waits for its answer."""

    name: str
    """The player's."""
    address: str


def ask_address(office: Office, game: str, seat: int, address: str, now: datetime) -> None:
    """Send a letter to a new address of a seat's player, which must be confirmed within three days. Commits.

    The old address stays in use until then, and is told then. Raises `NotConfirmed`: no address, his already,
    asked too often.
    """
    address = address.strip()
    if len(address) > LONGEST_ADDRESS or not ADDRESS.fullmatch(address):
        raise NotConfirmed(say("That is no mail address."))
    with office.writing() as session:
        seating = session.get(Seating, (game, seat))
        if seating is None or seating.player is None:
            raise NotConfirmed(say("No letters go to that seat."))
        player = session.get_one(Player, seating.player)
        if player.address.lower() == address.lower():
            raise NotConfirmed(say("Your letters go to that address already."))
        _forget_old(session, now)
        _check_often(session, player, address, now)
        code = _new(session, player, address, "", now)
        letter = Occasion(seat, "confirm", {"code": code}, mark=code, recipient=address)
        queue(office, session, session.get_one(Game, game), [letter], now)
        session.commit()
    office.wake()


def _forget_old(session: Session, now: datetime) -> None:
    at, short = col(Confirmation.at), func.length(Confirmation.code) == RANDOM
    too_old = or_(at <= now - BACK_VALID, and_(at <= now - VALID, short))
    session.execute(delete(Confirmation).where(too_old))


def _check_often(session: Session, player: Player, address: str, now: datetime) -> None:
    """Refuse to send more letters that nobody asked for than a person needs; raises `NotConfirmed`."""
    today = select(func.count()).select_from(Outgoing).where(Outgoing.kind == "confirm")
    today = today.where(Outgoing.queued_at > now - timedelta(days=1))
    if session.exec(today.where(_of(player))).one() >= MOST_ASKS:
        raise NotConfirmed(say("You have named many addresses today: please try again tomorrow."))
    if session.exec(today.where(func.lower(Outgoing.recipient) == address.lower())).one() >= MOST_ASKED:
        raise NotConfirmed(say("That address has got enough mails for today: please try again tomorrow."))


def _new(session: Session, player: Player, address: str, begin: str, now: datetime) -> str:
    """A code that confirms an address of a player."""
    assert player.id is not None
    code = begin + "".join(secrets.choice(ID_LETTERS) for _ in range(RANDOM))
    session.add(Confirmation(code=code, player=player.id, address=address, at=now))
    return code


def _of(player: Player) -> ColumnElement[bool]:
    """Whether a letter is one to a seat of a player."""
    return exists().where(
        and_(
            col(Seating.game) == col(Outgoing.game),
            col(Seating.seat) == col(Outgoing.seat),
            col(Seating.player) == player.id,
        )
    )


def asked(office: Office, code: str, now: datetime) -> Asked:
    """What a code would confirm; changes nothing. Raises `NotConfirmed`: no such code, or too old."""
    with office.reading() as session:
        found, player = _found(session, code, now)
        return Asked(player.name, found.address)


def confirmed(office: Office, code: str, now: datetime) -> Asked:
    """Use the address that a code confirms; letters that wait go there too. Twice is once. Commits.

    The address that was used before is told, with a way back, and the other addresses that the player has
    named are forgotten. The way back forgets all else, and leaves none. Raises `NotConfirmed`: no such code,
    too old, or somebody else plays with that address.
    """
    with office.writing() as session:
        found, player = _found(session, code, now)
        same = func.lower(Player.address) == found.address.lower()
        other = session.exec(select(Player).where(same, Player.id != player.id)).first()
        back = len(found.code) > RANDOM
        if other is not None:
            if not back:
                raise NotConfirmed(say("Somebody else plays with that address already."))
            _take_over(session, player, other)
        old, player.address = player.address, found.address
        others = delete(Confirmation).where(
            col(Confirmation.player) == player.id, col(Confirmation.code) != found.code
        )
        session.execute(others if back else others.where(func.length(Confirmation.code) == RANDOM))
        waiting = update(Outgoing).where(_of(player), col(Outgoing.state) == "waiting")
        session.execute(
            waiting.where(col(Outgoing.kind).not_in(OF_ADDRESSES)).values(recipient=found.address)
        )
        if old.lower() != found.address.lower():
            _tell_old(office, session, player, old, back, now)
        session.commit()
    office.wake()
    return Asked(player.name, found.address)


def _take_over(session: Session, player: Player, other: Player) -> None:
    """Take the seats of whoever was invited at the old address meanwhile, for that would bar the way back."""
    session.execute(update(Seating).where(col(Seating.player) == other.id).values(player=player.id))
    for table in (Preference, Confirmation):
        session.execute(delete(table).where(col(table.player) == other.id))
    session.delete(other)
    session.flush()


def _tell_old(office: Office, session: Session, player: Player, old: str, back: bool, now: datetime) -> None:
    """Tell the address that is not used any more; whoever was taken back from it cannot take it again."""
    code = "" if back else _new(session, player, old, BACK, now)
    seating = session.exec(select(Seating).where(Seating.player == player.id)).first()
    assert seating is not None  # he has confirmed a letter of a game
    detail = {"code": code, "address": player.address}
    letter = Occasion(seating.seat, "moved", detail, mark=code or f"{now.timestamp()}", recipient=old)
    queue(office, session, session.get_one(Game, seating.game), [letter], now)


def _found(session: Session, code: str, now: datetime) -> tuple[Confirmation, Player]:
    code = code.lower()
    found = session.get(Confirmation, code) if CODE.fullmatch(code) else None
    if found is None or found.at <= now - (VALID if len(code) == RANDOM else BACK_VALID):
        raise NotConfirmed(say("This link is not one of ours, or it is too old."))
    return found, session.get_one(Player, found.player)
