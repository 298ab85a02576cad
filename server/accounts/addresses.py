"""A player's new address: asked for on a page, and used once somebody there has confirmed it.

Whoever holds a letter of a player, forwarded say, can ask for that. So the old address is told as soon as the
new one is used, and can take the player back with one click: that too is an address to be confirmed.

A second address is asked for and confirmed in the same way. It is used where letters to the first come back
(server/accounts/undeliverable.py), and mail from it is played; its player is told of it in his next letter.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, delete, func, or_, update
from sqlmodel import Session, col, select

from emails.i18n import say
from server.accounts import undeliverable
from server.accounts.address_change import (
    BACK,
    RANDOM,
    SECOND,
    end_sign_ins,
    goes_to,
    new_code,
    purpose,
    redirect,
    tell_old,
)
from server.lobby.games import ADDRESS, LONGEST_ADDRESS
from server.outbox import chat
from server.outbox.notifications import Occasion
from server.outbox.queue import queue
from server.store.context import Office
from server.store.models import (
    Confirmation,
    Failing,
    Game,
    Outgoing,
    Player,
    Preference,
    Seating,
    Second,
)

VALID = timedelta(days=3)
BACK_VALID = timedelta(days=30)
"""Of the way back to an old address: long enough for somebody who was away."""
MOST_ASKS = 5
"""Addresses that a player may name within a day."""
MOST_ASKED = 2
"""Letters to one address within a day, whoever names it."""
CODE = re.compile(rf"(?:{BACK}|{SECOND})?[a-z2-7]{{{RANDOM}}}")
IS_BACK = and_(
    func.length(Confirmation.code) > RANDOM, func.substr(Confirmation.code, 1, len(BACK)) == BACK
)  # a code without a purpose may begin so too


class NotConfirmed(ValueError):
    """An address that cannot be used; the sentence says why, in the language spoken."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A new address that waits for its answer."""

    name: str
    """The player's."""
    address: str
    second: bool = False
    """Whether it is to be used only where letters to the first come back."""


def ask_address(
    office: Office, game: str, seat: int, address: str, now: datetime, second: bool = False
) -> None:
    """Send a letter to a new address of a seat's player, which must be confirmed within three days. Commits.

    The old address stays in use until then, and is told then. `second`: it is to be his second address.
    Raises `NotConfirmed`: no address, his already, asked too often.
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
        if second and second_of(session, seating.player).lower() == address.lower():
            raise NotConfirmed(say("That is your second address already."))
        _forget_old(session, now)
        _check_often(session, player, address, now)
        code = new_code(session, player, address, SECOND if second else "", now)
        letter = Occasion(seat, "confirm", {"code": code}, mark=code, recipient=address)
        queue(office, session, session.get_one(Game, game), [letter], now)
        session.commit()
    office.wake()


def _forget_old(session: Session, now: datetime) -> None:
    at = col(Confirmation.at)
    too_old = or_(at <= now - BACK_VALID, and_(at <= now - VALID, ~IS_BACK))
    session.execute(delete(Confirmation).where(too_old))


def _check_often(session: Session, player: Player, address: str, now: datetime) -> None:
    """Refuse to send more letters that nobody asked for than a person needs; raises `NotConfirmed`."""
    today = select(func.count()).select_from(Outgoing).where(Outgoing.kind == "confirm")
    today = today.where(Outgoing.queued_at > now - timedelta(days=1))
    if session.exec(today.where(goes_to(player))).one() >= MOST_ASKS:
        raise NotConfirmed(say("You have named many addresses today: please try again tomorrow."))
    if session.exec(today.where(func.lower(Outgoing.recipient) == address.lower())).one() >= MOST_ASKED:
        raise NotConfirmed(say("That address has got enough mails for today: please try again tomorrow."))


def second_of(session: Session, player: int) -> str:
    """A player's second address; empty where he has none."""
    found = session.get(Second, player)
    return "" if found is None else found.address


def forget_second(office: Office, game: str, seat: int) -> None:
    """The player of a seat wants no second address any more. Commits."""
    with office.writing() as session:
        seating = session.get(Seating, (game, seat))
        if seating is not None:
            session.execute(delete(Second).where(col(Second.player) == seating.player))
        session.commit()


def asked(office: Office, code: str, now: datetime) -> Asked:
    """What a code would confirm; changes nothing. Raises `NotConfirmed`: no such code, or too old."""
    with office.reading() as session:
        found, player = _found(session, code, now)
        return Asked(player.name, found.address, purpose(found.code) == SECOND)


def confirmed(office: Office, code: str, now: datetime) -> Asked:
    """Use the address that a code confirms; letters that wait go there too. Twice is once. Commits.

    The address that was used before is told, with a way back, and the other addresses that the player has
    named are forgotten. The way back forgets all else, and leaves none; a second address is only kept, unless
    letters to the first come back. Raises `NotConfirmed`: no such code, too old, or somebody else plays with
    that address.
    """
    with office.writing() as session:
        found, player = _found(session, code, now)
        begin = purpose(found.code)
        _check_free(session, player, found.address, begin)
        if begin == SECOND:
            _keep_second(office, session, player, found.address, now)
        else:
            _use(office, session, player, found, now)
        assert player.id is not None
        if not undeliverable.arrived(office, session, player, found.address, now):
            undeliverable.settle(office, session, player, now)
        session.commit()
    office.wake()
    return Asked(player.name, found.address, begin == SECOND)


def _check_free(session: Session, player: Player, address: str, begin: str) -> None:
    """Refuse an address of somebody else, or take it for the way back; raises `NotConfirmed`."""
    same = func.lower(Player.address) == address.lower()
    other = session.exec(select(Player).where(same, Player.id != player.id)).first()
    taken = select(Second).where(func.lower(Second.address) == address.lower(), Second.player != player.id)
    if other is not None and begin == BACK:
        _take_over(session, player, other)
    elif other is not None or (begin == SECOND and session.exec(taken).first() is not None):
        raise NotConfirmed(say("Somebody else plays with that address already."))


def _use(office: Office, session: Session, player: Player, found: Confirmation, now: datetime) -> None:
    """Use an address from now on."""
    old, player.address = player.address, found.address
    back = purpose(found.code) == BACK
    others = delete(Confirmation).where(
        col(Confirmation.player) == player.id, col(Confirmation.code) != found.code
    )
    session.execute(others if back else others.where(~IS_BACK))
    second = session.get(Second, player.id)
    if second is not None and (back or second.address.lower() == found.address.lower()):
        session.delete(second)
    session.flush()
    redirect(session, player)
    if old.lower() != found.address.lower():
        end_sign_ins(session, player)
        tell_old(office, session, player, old, back, now)


def _keep_second(office: Office, session: Session, player: Player, address: str, now: datetime) -> None:
    """Keep a second address, and tell the player of it in the next letter of a game of his."""
    assert player.id is not None
    if player.address.lower() == address.lower():
        return  # it has taken over meanwhile
    known = second_of(session, player.id)
    session.execute(delete(Second).where(col(Second.player) == player.id))
    session.add(Second(player=player.id, address=address))
    session.flush()
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    rows = session.exec(playing.where(Seating.player == player.id, Game.status == "running"))
    for seating, game in rows.all()[: 0 if known.lower() == address.lower() else 1]:
        words = {"says": chat.SECOND_ADDED, "name": seating.name, "address": address}
        chat.post(office, session, game, None, seating.seat, json.dumps(words), now)


def _take_over(session: Session, player: Player, other: Player) -> None:
    """Take the seats of whoever was invited at the old address meanwhile, for that would bar the way back."""
    session.execute(update(Seating).where(col(Seating.player) == other.id).values(player=player.id))
    end_sign_ins(session, other)
    for table in (Preference, Confirmation, Failing, Second):
        session.execute(delete(table).where(col(table.player) == other.id))
    session.delete(other)
    session.flush()


def _found(session: Session, code: str, now: datetime) -> tuple[Confirmation, Player]:
    code = code.lower()
    found = session.get(Confirmation, code) if CODE.fullmatch(code) else None
    if found is None or found.at <= now - (BACK_VALID if purpose(code) == BACK else VALID):
        raise NotConfirmed(say("This link is not one of ours, or it is too old."))
    return found, session.get_one(Player, found.player)
