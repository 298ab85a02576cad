"""No more letters, and letters again: for one game or for all, and everybody else is told."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import func, tuple_, update
from sqlmodel import Session, col, select

from emails.i18n import say
from server.outbox import chat
from server.outbox.notifications import DESPITE, NO_LETTERS, Occasion
from server.outbox.preferences import keep_letters, wants
from server.outbox.queue import queue
from server.store.context import Office
from server.store.models import CANCELLED, PROPOSED, Game, Outgoing, Seating

MOST_STOPS = 6
"""After so many within a day nobody comes back on that day. Stopping itself is never refused."""


class NotStopped(ValueError):
    """Letters that cannot be stopped or sent again; the sentence says why, in the language spoken."""


def seat_of(office: Office, game: str, holder: int) -> int:
    """The seat of whose letters a token of its player speaks. Raises `NotStopped`: another has it by now."""
    with office.reading() as session:
        row = session.get(Game, game)
        seat = None if row is None else office.history(session, row).seat_of(holder)
    if seat is None:
        raise NotStopped(say("No letters go to that seat."))
    return seat


def stop(office: Office, game: str, seat: int, everywhere: bool, now: datetime) -> bool:
    """Send no more letters to the player of a seat, of this game or of all; whether that is new.

    What he wants otherwise is kept. Letters that wait for him are dropped, the other players are told, and he
    gets one last letter, which says what it means and how to come back. With `everywhere` he is not invited
    any more either. Stopping twice is stopping once. Commits. Raises `NotStopped`.
    """
    with office.writing() as session:
        player = _player(session, game, seat)
        seats = _seats(session, player, "" if everywhere else game)
        heard = [one for one in seats if wants(session, player, one.game).letters]
        if not heard and not (everywhere and wants(session, player).letters):
            return False
        keep_letters(session, player, "" if everywhere else game, False, now)
        _drop(session, seats)
        for one in heard:
            _announce(office, session, one, chat.STOPPED, now)
        mark = _stamp(session, player, now)
        last = Occasion(seat, "stopped", {"everywhere": everywhere}, mark=mark)
        queue(office, session, session.get_one(Game, game), [last], now)
        session.commit()
    office.wake()
    return True


def start_again(office: Office, game: str, seat: int, everywhere: bool, now: datetime) -> bool:
    """Send letters again, of this game or of all; whether that is new. The other players are told.

    Where it is his turn he gets the letter of his turn, and invitations that were kept back go out. Commits.
    Raises `NotStopped`: there is nobody, or he has stopped too often today.
    """
    with office.writing() as session:
        player = _player(session, game, seat)
        seats = _seats(session, player, "" if everywhere else game)
        unheard = [one for one in seats if not wants(session, player, one.game).letters]
        if not unheard and not (everywhere and not wants(session, player).letters):
            return False
        if _stopped_lately(session, player, now) >= MOST_STOPS:
            raise NotStopped(say("You have stopped your letters often today: please try again tomorrow."))
        keep_letters(session, player, "" if everywhere else game, True, now)
        for one in unheard:
            _announce(office, session, one, chat.BACK, now)
            _resume(office, session, one, _stamp(session, player, now), now)
        session.commit()
    office.wake()
    return True


def _player(session: Session, game: str, seat: int) -> int:
    seating = session.get(Seating, (game, seat))
    if seating is None or seating.player is None:
        raise NotStopped(say("No letters go to that seat."))
    return seating.player


def _seats(session: Session, player: int, game: str) -> list[Seating]:
    """Where a player sits, in one game or (game "") in all."""
    chosen = select(Seating).where(Seating.player == player)
    return list(session.exec(chosen.where(Seating.game == game) if game else chosen))


def _drop(session: Session, seats: Iterable[Seating]) -> None:
    """Nothing that waits for these seats is sent any more, but what their player has asked for.

    Nor is an earlier last letter: only one is the last.
    """
    waiting = (
        update(Outgoing)
        .where(tuple_(col(Outgoing.game), col(Outgoing.seat)).in_([(one.game, one.seat) for one in seats]))
        .where(col(Outgoing.state) == "waiting", col(Outgoing.kind).not_in(DESPITE - {"stopped"}))
        .values(state="dropped", why=NO_LETTERS)
    )
    session.execute(waiting)


def _announce(office: Office, session: Session, seating: Seating, what: str, now: datetime) -> None:
    """Tell the others, while there is still something for which they may wait."""
    game = session.get_one(Game, seating.game)
    if game.status not in ("over", CANCELLED, PROPOSED):
        chat.announce(office, session, game, seating.seat, what, now)


def _resume(office: Office, session: Session, seating: Seating, mark: str, now: datetime) -> None:
    """What a player has to know of a game of which he gets letters again."""
    game = session.get_one(Game, seating.game)
    if game.status == "running" and game.seat == seating.seat:
        queue(office, session, game, [Occasion(seating.seat, "turn", mark=mark)], now)
    kept_back = (
        update(Outgoing)
        .where(col(Outgoing.game) == game.id, col(Outgoing.seat) == seating.seat)
        .where(col(Outgoing.kind) == "invitation", col(Outgoing.why) == NO_LETTERS)
        .values(state="waiting", why="", due_at=now)
    )
    session.execute(kept_back)


def _stopped_lately(session: Session, player: int, now: datetime) -> int:
    """How often a player has stopped letters within a day."""
    stopped = (
        select(func.count())
        .select_from(Outgoing)
        .join(Seating, (col(Seating.game) == Outgoing.game) & (col(Seating.seat) == Outgoing.seat))
        .where(Seating.player == player, Outgoing.kind == "stopped")
    )
    return session.exec(stopped.where(Outgoing.queued_at > now - timedelta(days=1))).one()


def _stamp(session: Session, player: int, now: datetime) -> str:
    """What tells this time from the others, those of the same second too."""
    return f"{now.timestamp():.0f}.{_stopped_lately(session, player, now)}"
