"""The clocks of seats that mail does not reach: they stand still for a while, and the others are told.

An address is marked and cleared in undeliverable.py; here the clocks are brought in line with it, as acts, so
that the log tells why a turn took so long. A player knows where reports about their own letters go and can
write one, so what only a mail reports stops a clock for a day, and once in a game, and gives back what ran
since the letter left, a day at most; nobody but the relay can refuse a letter while it is handed over, and
that stops it for 14 days.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.outbox import posted_announcements
from server.outbox.letter_traits import GAMELESS_KINDS
from server.outbox.notifications import Notification
from server.outbox.preferences import load_preferences
from server.outbox.queue import queue_letters
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.event_log import append
from server.store.facts.game_agreements import ClockPause
from server.store.facts.server_facts import ClockResumed, ClockStopped
from server.store.histories import History
from server.store.models import BouncingAddress, Game, OutgoingLetter, Player, Resignation, Seating
from server.store.projection import project_history
from server.store.states import Announcement, Channel, GameStatus, Hindrance, LetterState
from server.store.stored_availability import unavailable_spans_of
from server.store.turn_clock import LETTER_ON_ITS_WAY, counted_until

LONGEST_CLOCK_PAUSE = timedelta(days=14)
"""How long the clock of a seat stands still at most."""
LONGEST_REPORTED_PAUSE = timedelta(days=1)
"""How long at most where only a mail says that letters come back."""


def find_bounce_mark(session: Session, player: int) -> BouncingAddress | None:
    """The mark of the address that a player uses; None where letters do not come back."""
    used = select(func.lower(Player.address)).where(Player.id == player).scalar_subquery()
    chosen = select(BouncingAddress).where(BouncingAddress.player == player, BouncingAddress.address == used)
    return session.exec(chosen.where(col(BouncingAddress.ended_at).is_(None))).first()


def is_refused(session: Session, player: int) -> bool:
    """Whether the relay itself was refused letters to the address in use, which nobody can forge."""
    mark = find_bounce_mark(session, player)
    return mark is not None and not mark.reported


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
        if game.suspended_at is not None:  # no clock runs there; this is done when it goes on
            histories[game.id] = history
            continue
        until = _pause_end(mark, history.clock_pauses.get(seating.seat))
        stop = _should_pause_clock(session, until, seating, now)
        if stop != history.is_clock_paused(seating.seat):
            since = _undelivered_since(session, game, history, seating.seat, now) if stop else None
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
                facts=[ClockStopped(seating.seat, since) if stop else ClockResumed(seating.seat)],
            )
            counted = counted_until(session, game, now)
            project_history(game, history, now, unavailable_spans_of(session, game.id, game.seat), counted)
            unit.keep_history(game.id, history)
            unit.note_act(game.id, history.seq, None, Channel.SERVER)
            if what := _choose_announcement(game, stop, mark, until, now):
                posted_announcements.announce(context, session, game, seating.seat, what, now)
            if not stop and game.seat == seating.seat:
                queue_letters(context, session, game, [repeated_turn_notification(seating.seat, now)], now)
        histories[game.id] = history
    return histories


def _undelivered_since(
    session: Session, game: Game, history: History, seat: int, now: datetime
) -> datetime | None:
    """When the first letter of the turn of now left that came back later; None where none did.

    A report comes hours later, where a mail server has tried for so long, and until then time ran. No more is
    given back than such a report may stop a clock for, and nothing that was not counted anyway.
    """
    began, halt = game.turn_began_at, history.last_halt(seat)
    if game.seat != seat or began is None or game.deadline is None:
        return None
    letters = select(func.min(OutgoingLetter.sent_at)).where(
        OutgoingLetter.game == game.id,
        OutgoingLetter.seat == seat,
        OutgoingLetter.state == LetterState.FAILED,
        OutgoingLetter.hindrance == Hindrance.CAME_BACK,
        col(OutgoingLetter.kind).not_in(GAMELESS_KINDS),  # an address that somebody only typed is no reader's
        col(OutgoingLetter.sent_at) >= began - LETTER_ON_ITS_WAY,
    )
    left = session.exec(letters).one()
    if left is None:
        return None
    counted = [began, now - LONGEST_REPORTED_PAUSE, *([halt.ended] if halt and halt.ended else [])]
    return max(left, *counted)


def _choose_announcement(
    game: Game, stop: bool, mark: BouncingAddress | None, until: datetime | None, now: datetime
) -> Announcement | None:
    """What the others are told of a clock that stands still or goes on; None where they know why."""
    reported = mark is not None and mark.reported
    if stop and not game.turn_minutes:
        return Announcement.MAIL_BOUNCED_UNTIMED
    if stop:
        return Announcement.BOUNCE_REPORTED if reported else Announcement.MAIL_BOUNCED
    if until is None:
        return Announcement.MAIL_ARRIVES if game.turn_minutes else Announcement.MAIL_ARRIVES_UNTIMED
    if game.turn_minutes and now >= until:
        return Announcement.REPORTED_PAUSE_ENDED if reported else Announcement.CLOCK_PAUSE_ENDED
    return None  # they want no letters any more, or have given up, and the others know


def repeated_turn_notification(seat: int, now: datetime) -> Notification:
    """The letter of a turn once more; asked for twice in one moment it is one."""
    return Notification(seat, LetterKind.YOUR_TURN, mark=f"again{now.timestamp():.0f}")


def running_seats_of(session: Session, player: int) -> list[tuple[Seating, Game]]:
    """The seats of a player in games that are played."""
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    found = session.exec(playing.where(Seating.player == player, Game.status == GameStatus.RUNNING))
    return [(seating, game) for seating, game in found]


def _longest_pause(mark: BouncingAddress) -> timedelta:
    return LONGEST_REPORTED_PAUSE if mark.reported else LONGEST_CLOCK_PAUSE


def _pause_end(mark: BouncingAddress | None, pause: ClockPause | None) -> datetime | None:
    """Until when a mark stops the clock of a seat, whose last pause this is; None without a mark."""
    if mark is None:
        return None
    if not mark.reported or pause is None:
        return mark.since + _longest_pause(mark)
    if pause.ended is not None:
        return pause.ended  # whoever forges one report could forge another
    return min(mark.since, pause.began) + _longest_pause(mark)


def is_pause_known_over(history: History, seat: int, mark: BouncingAddress, now: datetime) -> bool:
    """Whether the others have heard that nobody waits any more for a seat that a mark had stopped."""
    pause = history.clock_pauses.get(seat)
    ended = None if pause is None else pause.ended
    return ended is not None and ended > mark.since and now >= mark.since + _longest_pause(mark)


def _should_pause_clock(session: Session, until: datetime | None, seating: Seating, now: datetime) -> bool:
    """Whether the clock of a seat is to stand still; not for whoever wants no letters or has given up."""
    if until is None or now >= until or seating.player is None:
        return False
    if session.get(Resignation, (seating.game, seating.seat)) is not None:
        return False
    return load_preferences(session, seating.player, seating.game).letters


def needs_clock_update(context: Context, session: Session, player: int, now: datetime) -> bool:
    """Whether the clock of some seat of a player is to be stopped or started."""
    mark = find_bounce_mark(session, player)
    for seating, game in running_seats_of(session, player):
        if game.suspended_at is not None:
            continue
        history = context.history_of(session, game)
        until = _pause_end(mark, history.clock_pauses.get(seating.seat))
        if _should_pause_clock(session, until, seating, now) != history.is_clock_paused(seating.seat):
            return True
    return False
