"""The clocks of seats that mail does not reach: they stand still for a while, and the others are told.

An address is marked and cleared in undeliverable.py; here the clocks are brought in line with it, as acts, so
that the log tells why a turn took so long.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.outbox import chat
from server.outbox.notifications import Notification
from server.outbox.preferences import load_preferences
from server.outbox.queue import queue_letters
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.event_log import append
from server.store.histories import History
from server.store.models import BouncingAddress, Game, Player, Resignation, Seating
from server.store.projection import project_history
from server.store.states import Announcement, Channel, GameStatus, ServerFact

LONGEST_CLOCK_PAUSE = timedelta(days=14)
"""How long the clock of a seat stands still at most."""


def find_bounce_mark(session: Session, player: int) -> BouncingAddress | None:
    """The mark of the address that a player uses; None where letters do not come back."""
    used = select(func.lower(Player.address)).where(Player.id == player).scalar_subquery()
    chosen = select(BouncingAddress).where(BouncingAddress.player == player, BouncingAddress.address == used)
    return session.exec(chosen.where(col(BouncingAddress.ended_at).is_(None))).first()


def update_clocks(unit: UnitOfWork, player: Player) -> dict[str, History]:
    """Stop or start the clock of each seat of a player as their address is now.

    The others are told, and whose turn it is when their clock goes on gets the letter of their turn again.
    Gives the histories of the games they play.
    """
    context, session, now = unit.context, unit.session, unit.now
    mark = find_bounce_mark(session, player.id)
    histories: dict[str, History] = {}
    for seating, game in running_seats_of(session, player.id):
        history = unit.history_of(game)
        stop = _should_pause_clock(session, mark, seating, now)
        if stop != history.is_clock_paused(seating.seat):
            what = ServerFact.CLOCK_STOPPED if stop else ServerFact.CLOCK_RESUMED
            fact = {"type": what, "seat": seating.seat}
            board = context.board_of(game)
            history = append(
                session,
                game.id,
                board,
                history,
                at=now,
                seat=None,
                door=Channel.SERVER,
                said="",
                facts=[fact],
            )
            project_history(game, history, now)
            unit.keep_history(game.id, history)
            _announce_clock_change(context, session, game, seating.seat, stop, mark, now)
            if not stop and game.seat == seating.seat:
                queue_letters(context, session, game, [repeated_turn_notification(seating.seat, now)], now)
        histories[game.id] = history
    return histories


def _announce_clock_change(
    context: Context,
    session: Session,
    game: Game,
    seat: int,
    stop: bool,
    mark: BouncingAddress | None,
    now: datetime,
) -> None:
    """Tell the others that a clock stands still or goes on, and why."""
    if stop:
        what = Announcement.MAIL_BOUNCED if game.hours else Announcement.MAIL_BOUNCED_UNTIMED
    elif mark is None:
        what = Announcement.MAIL_ARRIVES if game.hours else Announcement.MAIL_ARRIVES_UNTIMED
    elif game.hours and now >= mark.since + LONGEST_CLOCK_PAUSE:
        what = Announcement.CLOCK_PAUSE_ENDED
    else:
        return  # they want no letters any more, or have given up, and the others know
    chat.announce(context, session, game, seat, what, now)


def repeated_turn_notification(seat: int, now: datetime) -> Notification:
    """The letter of a turn once more; asked for twice in one moment it is one."""
    return Notification(seat, LetterKind.YOUR_TURN, mark=f"again{now.timestamp():.0f}")


def running_seats_of(session: Session, player: int) -> list[tuple[Seating, Game]]:
    """The seats of a player in games that are played."""
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    found = session.exec(playing.where(Seating.player == player, Game.status == GameStatus.RUNNING))
    return [(seating, game) for seating, game in found]


def _should_pause_clock(
    session: Session, mark: BouncingAddress | None, seating: Seating, now: datetime
) -> bool:
    """Whether the clock of a seat is to stand still; not for whoever wants no letters or has given up."""
    if mark is None or now >= mark.since + LONGEST_CLOCK_PAUSE or seating.player is None:
        return False
    if session.get(Resignation, (seating.game, seating.seat)) is not None:
        return False
    return load_preferences(session, seating.player, seating.game).letters


def needs_clock_update(context: Context, session: Session, player: int, now: datetime) -> bool:
    """Whether the clock of some seat of a player is to be stopped or started."""
    mark = find_bounce_mark(session, player)
    return any(
        _should_pause_clock(session, mark, seating, now)
        != context.history_of(session, game).is_clock_paused(seating.seat)
        for seating, game in running_seats_of(session, player)
    )
