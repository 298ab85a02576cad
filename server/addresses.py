"""A player's new address: asked for on a page, and used once somebody there has confirmed it."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, delete, exists, func, update
from sqlmodel import Session, col, select

from emails.tongue import say
from server.games import ADDRESS, ID_LETTERS, LONGEST_ADDRESS
from server.occasions import Occasion
from server.office import Office
from server.outbox import queue
from server.tables import Confirmation, Game, Outgoing, Player, Seating

VALID = timedelta(days=3)
MOST_ASKS = 5
"""Addresses that a player may name within a day."""
CODE = re.compile(r"[a-z2-7]{26}")
"""130 bits that nobody can guess."""


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

    The old address stays in use until then, and is not told. Raises `NotConfirmed`: no address, his already,
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
        session.execute(delete(Confirmation).where(col(Confirmation.at) <= now - VALID))
        own = select(func.count()).select_from(Confirmation).where(Confirmation.player == player.id)
        if session.exec(own.where(Confirmation.at > now - timedelta(days=1))).one() >= MOST_ASKS:
            raise NotConfirmed(say("You have named many addresses today: please try again tomorrow."))
        code = "".join(secrets.choice(ID_LETTERS) for _ in range(26))
        session.add(Confirmation(code=code, player=seating.player, address=address, at=now))
        letter = Occasion(seat, "confirm", {"code": code}, mark=code, recipient=address)
        queue(office, session, session.get_one(Game, game), [letter], now)
        session.commit()
    office.wake()


def asked(office: Office, code: str, now: datetime) -> Asked:
    """What a code would confirm; changes nothing. Raises `NotConfirmed`: no such code, or too old."""
    with office.reading() as session:
        found, player = _found(session, code, now)
        return Asked(player.name, found.address)


def confirmed(office: Office, code: str, now: datetime) -> Asked:
    """Use the address that a code confirms; letters that wait go there too. Twice is once. Commits.

    Other addresses that the player has named are forgotten. Raises `NotConfirmed`: no such code, too old, or
    somebody else plays with that address.
    """
    with office.writing() as session:
        found, player = _found(session, code, now)
        same = func.lower(Player.address) == found.address.lower()
        if session.exec(select(Player.id).where(same, Player.id != player.id)).first() is not None:
            raise NotConfirmed(say("Somebody else plays with that address already."))
        player.address = found.address
        others = delete(Confirmation).where(col(Confirmation.player) == player.id)
        session.execute(others.where(col(Confirmation.code) != found.code))
        his = exists().where(
            and_(
                col(Seating.game) == col(Outgoing.game),
                col(Seating.seat) == col(Outgoing.seat),
                col(Seating.player) == player.id,
            )
        )
        waiting = update(Outgoing).where(his, col(Outgoing.state) == "waiting")
        session.execute(waiting.where(col(Outgoing.kind) != "confirm").values(recipient=found.address))
        session.commit()
        return Asked(player.name, found.address)


def _found(session: Session, code: str, now: datetime) -> tuple[Confirmation, Player]:
    code = code.lower()
    found = session.get(Confirmation, code) if CODE.fullmatch(code) else None
    if found is None or found.at <= now - VALID:
        raise NotConfirmed(say("This link is not one of ours, or it is older than three days."))
    return found, session.get_one(Player, found.player)
