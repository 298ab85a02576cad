"""A player asks whoever is to move to play: once a day, by a reminder that says who asks.

It wakes nobody: where its reader sleeps, is off or is away it leaves afterwards, if it is still their turn.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from emails.i18n import gettext, gettext_noop
from emails.letters.kinds import LetterKind
from emails.names import plain_name
from emails.wording import phrases
from server.outbox.letter_details import ReminderDetail, decode_content
from server.outbox.notifications import Notification
from server.outbox.queue import Person, load_people
from server.outbox.unit_of_work import UnitOfWork
from server.store.availability.stored_availability import unavailable_spans_of
from server.store.histories import History
from server.store.models import Game, OutgoingLetter
from server.store.refusals import GameNotRunning, Refusal, RefusalCode, check_not_suspended
from server.store.states import GameStatus
from server.time_control.turn_time import after_protected

NUDGED_AGAIN_AFTER = timedelta(days=1)
"""Between two reminders that one player asks for in a game."""
NUDGE_ALONE = gettext_noop(
    "To remind somebody takes a mail of its own, without orders, and one that is known to be yours."
)
"""What is said where it stands among other lines, or in a mail that anybody may have written."""


class NudgeRefused(Refusal):
    """Nobody who could be reminded, or not now."""

    code = RefusalCode.NUDGE


def nudge(unit: UnitOfWork, game_id: str, seat: int, named: str = "") -> Person:
    """Send whoever is to move a reminder in the name of another player; who it is.

    `named`: whom they have named; empty: whoever is to move.

    Raises `GameNotRunning`, `GameSuspended` and `NudgeRefused`.
    """
    game = unit.session.get(Game, game_id)
    if game is None:
        raise GameNotRunning
    person = find_nudged(unit.session, game, unit.history_of(game), seat)
    called = plain_name(person.name).casefold()
    if named and plain_name(named).casefold() not in (called, *called.split()):
        raise NudgeRefused(gettext("it is the turn of %(name)s", name=phrases.safe_name(person.name)))
    if _has_nudged(unit.session, game, seat, unit.now):
        raise NudgeRefused(gettext("you have reminded somebody within a day; once a day is enough"))
    mark = f"asked{seat}x{int(unit.now.timestamp()) // int(NUDGED_AGAIN_AFTER.total_seconds())}"
    later = after_protected(unit.now, unavailable_spans_of(unit.session, game.id, person.seat)) - unit.now
    unit.tell(game, [Notification(person.seat, ReminderDetail(seat), mark=mark, later=later)])
    return person


def find_nudged(session: Session, game: Game, history: History, seat: int) -> Person:
    """Whom a player can remind. Raises what `nudge` raises, but for what was asked before."""
    if game.status != GameStatus.RUNNING or game.seat is None:
        raise GameNotRunning
    check_not_suspended(game)
    people = load_people(session, game.id)
    person = people.get(game.seat)
    if seat not in people or seat in history.resigned:
        raise NudgeRefused(gettext("only who plays can remind others"))
    if game.seat == seat:
        raise NudgeRefused(gettext("it is your own turn"))
    if person is None or game.seat in history.resigned:
        raise NudgeRefused(gettext("this server plays that turn, and needs no reminder"))
    name = phrases.safe_name(person.name)
    if game.paused_at is not None:
        raise NudgeRefused(gettext("the game is paused"))
    if not person.preferences.letters:
        raise NudgeRefused(gettext("%(name)s gets no mails of this game", name=name))
    return person


def may_nudge(session: Session, game: Game, history: History, seat: int, now: datetime) -> bool:
    """Whether a player can remind whoever is to move."""
    try:
        find_nudged(session, game, history, seat)
    except Refusal:
        return False
    return not _has_nudged(session, game, seat, now)


def _has_nudged(session: Session, game: Game, seat: int, now: datetime) -> bool:
    """Whether a player has asked for a reminder within a day."""
    told = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game.id,
        OutgoingLetter.kind == LetterKind.REMINDER,
        col(OutgoingLetter.queued_at) > now - NUDGED_AGAIN_AFTER,
    )
    found = [decode_content(LetterKind.REMINDER, detail) for detail in session.exec(told)]
    return any(isinstance(one, ReminderDetail) and one.asked_by == seat for one in found)
