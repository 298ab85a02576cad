"""Nudges: reminders to the player to move, requested by a waiting player after half of the turn's time.

Each game allows one nudge a day. A nudge waits for a few hours while the recipient sleeps or has a day off
(server/outbox/notifications.py). A nudge is dropped if the turn ends before. Absent players are not nudged.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from emails.i18n import gettext, gettext_noop
from emails.letters import game_letters
from emails.names import plain_name
from emails.wording import phrases
from server.outbox.notifications import Notification, decode_payload
from server.outbox.queue import Person, UnitOfWork, load_people
from server.store.event_log import GameNotRunning, History, Refusal, RefusalCode, check_not_suspended
from server.store.models import Game, OutgoingLetter
from server.store.states import GameStatus, LetterState
from server.store.stored_availability import load_seat_availability, unavailable_times_from
from server.store.turn_clock import control_of, counted_until, find_turn_start, rest_of, time_left, whole_time
from server.turn_time import after_protected, last_day_away

NUDGED_AGAIN_AFTER = timedelta(days=1)
NUDGED_WITHOUT_LIMIT_AFTER = timedelta(days=1)
"""Age from which a turn without time limit allows nudges."""
NUDGE_ALONE = gettext_noop(
    "To remind somebody takes a mail of its own, without orders, and one that is known to be yours."
)


class NudgeRefused(Refusal):
    code = RefusalCode.NUDGE


def nudge(unit: UnitOfWork, game_id: str, seat: int, named: str = "") -> Person:
    """Queue a reminder to the player to move; return that player.

    `seat`: seat of the requester. `named`: name in the request, or empty. Raises `NudgeRefused` if `named` is
    not the player to move, or another rule forbids the nudge; `GameNotRunning`; and `GameSuspended`.
    """
    game = unit.session.get(Game, game_id)
    if game is None:
        raise GameNotRunning
    person = find_nudged(unit.session, game, unit.history_of(game), seat, unit.now)
    called = plain_name(person.name).casefold()
    if named and plain_name(named).casefold() not in (called, *called.split()):
        raise NudgeRefused(gettext("it is the turn of %(name)s", name=phrases.safe_name(person.name)))
    mark = f"askedx{int(unit.now.timestamp()) // 3600}"  # two requests within an hour make one letter
    later = after_protected(unit.now, rest_of(unit.session, game, unit.now)) - unit.now
    unit.tell(game, [Notification(person.seat, game_letters.Reminder(seat), mark=mark, later=later)])
    return person


def find_nudged(session: Session, game: Game, history: History, seat: int, now: datetime) -> Person:
    """Return the player to move, if `seat` may nudge that player. Raises the errors of `nudge`."""
    if game.status != GameStatus.RUNNING or game.seat is None:
        raise GameNotRunning
    check_not_suspended(game)
    people = load_people(session, game.id)
    person, mover = people.get(game.seat), load_seat_availability(session, game.id, game.seat)
    if seat not in people or seat in history.resigned:
        raise NudgeRefused(gettext("only who plays can remind others"))
    if game.seat == seat:
        raise NudgeRefused(gettext("it is your own turn"))
    if person is None or mover is None or game.seat in history.resigned:
        raise NudgeRefused(gettext("this server plays that turn, and needs no reminder"))
    name = phrases.safe_name(person.name)
    if game.paused_at is not None:
        raise NudgeRefused(gettext("the game is paused"))
    if not person.preferences.letters:
        raise NudgeRefused(gettext("%(name)s gets no mails of this game", name=name))
    if last_day_away(mover, now.astimezone(ZoneInfo(mover.zone)).date()) is not None:
        raise NudgeRefused(gettext("%(name)s is away", name=name))
    if game.turn_minutes:
        counted = counted_until(session, game, now)
        passed = whole_time(game) - time_left(game, counted, unavailable_times_from(mover))
        least = control_of(game).grace / 2
    else:
        passed, least = now - (find_turn_start(session, game, history) or now), NUDGED_WITHOUT_LIMIT_AFTER
    if passed < least:
        raise NudgeRefused(gettext("%(name)s still has more than half of the time for this turn", name=name))
    if _is_nudged(session, game, now):
        raise NudgeRefused(gettext("%(name)s was reminded within a day; once a day is enough", name=name))
    return person


def may_nudge(session: Session, game: Game, history: History, seat: int, now: datetime) -> bool:
    try:
        find_nudged(session, game, history, seat, now)
    except Refusal:
        return False
    return True


def _is_nudged(session: Session, game: Game, now: datetime) -> bool:
    told = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game.id,
        OutgoingLetter.kind == game_letters.Reminder.kind,
        OutgoingLetter.state != LetterState.DROPPED,
        col(OutgoingLetter.queued_at) > now - NUDGED_AGAIN_AFTER,
    )
    found = [decode_payload(game_letters.Reminder, detail) for detail in session.exec(told)]
    return any(one.asked_by is not None for one in found)
