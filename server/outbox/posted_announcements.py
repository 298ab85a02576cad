"""What the server says to the players of a game, posted among their messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy.exc import NoResultFound
from sqlmodel import Session, col, select

from server.outbox.announcements import OF_PRESENCE, OPPOSITES
from server.outbox.chat_messages import is_unread_by, load_last, store_message
from server.outbox.queue import last_sent_at, load_people
from server.outbox.unit_of_work import UnitOfWork
from server.store.columns import read_id
from server.store.context import Context
from server.store.dialects.expressions import hexed
from server.store.histories import StartedHistory
from server.store.models import ChatMessage, Game, Resignation
from server.store.states import Announcement
from server.store.turn_clock import find_deadline

TOLD_MOVER: Mapping[Announcement, Announcement] = {
    Announcement.TIME_ADDED: Announcement.TIME_GRANTED,
    Announcement.TIME_WITHDRAWN: Announcement.TURN_SHORTENED,
    Announcement.GAME_RESUMED: Announcement.TURN_GOES_ON,
    Announcement.RESUMED_BY_OPERATOR: Announcement.TURN_GOES_ON,
}
"""What the player to move is told instead, with their deadline: a letter of its own."""
MOST_TAKEN_BACK = 2
"""Messages that one takes back: of two kinds at most, each of which is followed by its contrary."""
TOLD_AFTER = timedelta(minutes=10)
"""How long the time of turns stood still at least before the players to move are told their new deadlines."""
TOLD_JUST_NOW = timedelta(minutes=1)
"""After a letter that shows the game its reader needs no other: deadlines are told to the minute."""
NO_ADDRESSEE = -1
"""The addressee of a message that was taken back before they heard of it."""


def announce_to(
    context: Context,
    session: Session,
    game: Game,
    addressee: int,
    announcement: Announcement,
    about: str,
    now: datetime,
) -> None:
    """Tell one seat what the server says of a name or an address. The caller commits and wakes the worker."""
    message = ChatMessage(
        game=game.id, at=now, addressee=addressee, words="", announcement=announcement, about=about
    )
    store_message(context, session, game, message, now)


def list_told_turns(session: Session, now: datetime) -> list[str]:
    """The games whose players to move know a deadline of a turn that runs for a while already."""
    told = col(Game.deadline).is_not(None), col(Game.turn_began_at) <= now - TOLD_AFTER
    return list(map(read_id, session.exec(select(hexed(Game.id)).where(*told)).all()))


def tell_new_deadlines(context: Context, session: Session, games: Sequence[str], now: datetime) -> None:
    """Tell the players to move in these games until when their turns last now. The caller commits.

    Of several deadlines that a player has not heard of yet they hear the last.
    """
    session.flush()
    for number in games:
        with suppress(ValueError, TypeError, LookupError, NoResultFound):  # of a row that cannot be read
            game = session.get_one(Game, number, populate_existing=True)
            deadline = find_deadline(session, game, now)
            if game.seat is None or deadline is None or game.seat not in load_people(session, number):
                continue
            last = last_sent_at(session, number, game.seat)
            if last is not None and now - last < TOLD_JUST_NOW:  # as what waited for a relay that is back
                continue
            granted = col(ChatMessage.announcement) == Announcement.TIME_GRANTED
            mine = col(ChatMessage.addressee) == game.seat, granted
            for one in load_last(session, number, 1, *is_unread_by(session, number, game.seat), *mine):
                one.addressee = NO_ADDRESSEE
            until = deadline.isoformat()
            announce_to(context, session, game, game.seat, Announcement.TIME_GRANTED, until, now)


def announce(
    context: Context,
    session: Session,
    game: Game,
    seat: int,
    what: Announcement,
    now: datetime,
    *,
    name: str = "",
) -> None:
    """Tell the others what the server says of a seat, or of whoever had it (`name`). The caller commits.

    Whoever has not heard of the contrary yet hears of neither, unless what they heard last is something else.
    Of a seat whose player has resigned nothing more is said: nobody waits for it.
    """
    if what != Announcement.RESIGNED and session.get(Resignation, (game.id, seat)) is not None:
        return
    present = load_people(session, game.id)
    name, contraries = name or present[seat].name, OPPOSITES.get(what, ())
    for other in present:
        if other == seat:
            continue
        opposite = col(ChatMessage.announcement).in_(contraries), col(ChatMessage.about) == name
        unheard = (
            load_last(session, game.id, MOST_TAKEN_BACK, *is_unread_by(session, game.id, other), *opposite)
            if contraries
            else ()
        )
        for one in unheard:
            one.addressee = NO_ADDRESSEE
        if not unheard or _has_heard_otherwise(session, game.id, other, what, name):
            announce_to(context, session, game, other, what, name, now)


def _has_heard_otherwise(session: Session, game: str, reader: int, what: Announcement, name: str) -> bool:
    """Whether the last that is told a seat of whether somebody plays is another than this."""
    if what not in OF_PRESENCE:
        return False
    of_them = col(ChatMessage.announcement).in_(OF_PRESENCE), col(ChatMessage.about) == name
    told = load_last(session, game, 1, col(ChatMessage.addressee) == reader, *of_them)
    return bool(told) and told[0].announcement != what


def announce_change(
    unit: UnitOfWork,
    game: Game,
    history: StartedHistory,
    what: Announcement,
    about: str = "",
    *,
    but: int | None = None,
    only: int | None = None,
) -> None:
    """Tell all players, or `only` one, what has changed in a game; `about`: else the player to move."""
    table = history.position.table
    mover = None if history.is_vacant(table.seat) else table.seat
    deadline = find_deadline(unit.session, game, unit.now)
    for seat in sorted(load_people(unit.session, game.id)):
        if seat == but or only not in (None, seat):
            continue
        told, of = what, about or table.names[table.seat]
        if seat == mover and what in TOLD_MOVER and deadline is not None:
            told, of = TOLD_MOVER[what], deadline.isoformat()
        announce_to(unit.context, unit.session, game, seat, told, of, unit.now)
