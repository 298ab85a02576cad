"""What somebody asks of all who play, and others agree to: more time, a pause, to go on.

Whoever says the same as another agrees. More time is given by one other player, or at once by whoever is not
to move; the organiser pauses and resumes at once; for all else everybody has to agree who still plays. The
acts hold who has agreed, so that of two who agree in one moment one tries again, and it happens once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import assert_never

from sqlmodel import Session

from emails.i18n import gettext, gettext_noop
from emails.letters.kinds import LetterKind
from emails.wording.requests import MotionKind
from engine.effects import close_game
from server.lobby.games import record_act
from server.outbox import chat
from server.outbox.letter_details import MotionDetail
from server.outbox.notifications import Notification
from server.outbox.queue import load_people
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.reviews.final_letters import ask_for_review
from server.store.context import Context
from server.store.event_log import EventJson, Fact
from server.store.game_terms import organiser_seat
from server.store.histories import StartedHistory, require_started
from server.store.models import Game
from server.store.refusals import Refusal, RefusalCode, check_not_suspended
from server.store.states import Announcement, Channel, GameStatus, ServerFact
from server.turns.drafts import delete_drafts

LONGEST_PAUSE = timedelta(days=30)
"""After which a game goes on by itself, so that none waits for ever for somebody who has vanished."""
MOST_EXTENSIONS = 2
"""How often time is added to one turn: it has twice its time at most."""
ASKED_AGAIN_AFTER = timedelta(hours=1)
"""How long whoever has asked for something waits before they ask for it anew."""
ONCE_AGREED = frozenset({MotionKind.PAUSE, MotionKind.RESUME})
"""What the organiser does alone."""


class MotionOutcome(StrEnum):
    """What became of what somebody said."""

    DONE = "done"
    """It has happened."""
    ASKED = "asked"
    """The others are asked."""
    WAITS = "waits"
    """They have agreed, and others are still waited for."""
    DECLINED = "declined"
    """Nobody is asked any more."""


class MotionRefused(Refusal):
    """Something that cannot be asked of those who play."""

    code = RefusalCode.MOTION


# --- what can be asked ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MotionState:
    """What can be asked of those who play, as one seat sees it."""

    kind: MotionKind
    asked_by: int | None
    """The seat that has asked; None: nobody has."""
    agreed: bool
    """Whether the reader has agreed, or asked."""
    missing: tuple[int, ...]
    """The seats that have not agreed yet, the reader's too."""
    at_once: bool
    """Whether it happens once the reader says so."""


def list_motions(
    session: Session, game: Game, history: StartedHistory, seat: int, now: datetime
) -> tuple[MotionState, ...]:
    """What a seat can ask for, agree to or decline now; nothing where it cannot."""
    found = []
    for kind in MotionKind:
        try:
            _check_motion(session, game, history, kind, seat)
        except MotionRefused:
            continue
        motion = history.accord.open_motion(kind, history.position.table.turn, now)
        agreed = frozenset[int]() if motion is None else motion.agreed
        missing = tuple(sorted(voters(session, game.id, history) - agreed))
        asked_by = None if motion is None else motion.seat
        at_once = _is_carried(session, game, history, kind, seat, agreed | {seat})
        found.append(MotionState(kind, asked_by, seat in agreed, missing, at_once))
    return tuple(found)


def voters(session: Session, game: str, history: StartedHistory) -> frozenset[int]:
    """The seats whose players still play: they are asked, and have to agree."""
    return frozenset(seat for seat in load_people(session, game) if not history.is_vacant(seat))


def _check_motion(session: Session, game: Game, history: StartedHistory, kind: MotionKind, seat: int) -> None:
    """Refuse what cannot be asked for now; raises `MotionRefused`."""
    if game.status != GameStatus.RUNNING:
        raise MotionRefused(gettext("The game is over."))
    if seat not in voters(session, game.id, history):
        raise MotionRefused(gettext("You do not play in this game any more."))
    if why := _find_hindrance(game, history, kind):
        raise MotionRefused(gettext(why))


def _find_hindrance(game: Game, history: StartedHistory, kind: MotionKind) -> str:
    """Why something cannot be asked for by anybody, as a sentence; empty where it can."""
    accord, turn = history.accord, history.position.table.turn
    match kind:
        case MotionKind.MORE_TIME:
            added = accord.extension
            if not game.hours:
                return NO_LIMIT
            if game.deadline is None:
                return NO_TIME_RUNS
            if added is not None and added.turn == turn and added.times >= MOST_EXTENSIONS:
                return ENOUGH_TIME
        case MotionKind.PAUSE:
            if not game.hours:
                return NO_LIMIT
            return IS_PAUSED if accord.is_paused else ""
        case MotionKind.RESUME:
            return "" if accord.is_paused else IS_NOT_PAUSED
        case MotionKind.CLOSE:
            seats = range(len(history.position.table.names))
            return "" if any(map(history.is_vacant, seats)) else ALL_PLAY
        case _:
            assert_never(kind)
    return ""


NO_LIMIT = gettext_noop("In this game a turn takes as long as its player likes.")
NO_TIME_RUNS = gettext_noop("No time runs on this turn just now, so none has to be added.")
ENOUGH_TIME = gettext_noop("This turn has got more time twice already.")
IS_PAUSED = gettext_noop("The game is paused already.")
IS_NOT_PAUSED = gettext_noop("The game is not paused: time runs.")
ALL_PLAY = gettext_noop("Everybody still plays: a game is closed where somebody has vanished or resigned.")


# --- asking and agreeing --------------------------------------------------------------------------------


def support_motion(
    unit: UnitOfWork, game_id: str, seat: int, kind: MotionKind, channel: Channel, *, asked: bool = False
) -> MotionOutcome:
    """Note that a seat asks for something, or agrees to it; it happens where enough have. Twice is once.

    `asked`: whether they only agree to what another has asked. Raises `MotionRefused`, `GameSuspended`,
    `GameNotBegun`, and `StalePosition` when somebody acts in the same moment.
    """
    game, history = _load_game(unit, game_id)
    _check_motion(unit.session, game, history, kind, seat)
    motion = history.accord.open_motion(kind, history.position.table.turn, unit.now)
    if motion is not None and seat in motion.agreed:
        return MotionOutcome.WAITS
    if motion is None:
        if asked:
            raise MotionRefused(gettext("Nobody asks for that any more."))
        if kind == MotionKind.MORE_TIME and _has_given(history, seat):
            return MotionOutcome.DONE
        _check_pace(history, kind, seat, unit.now)
    agreed = frozenset({seat}) if motion is None else motion.agreed | {seat}
    facts: list[Fact] = [{"type": ServerFact.AGREED, "seat": seat, "motion": kind}]
    if not _is_carried(unit.session, game, history, kind, seat, agreed):
        record_act(unit, game, history, seat, channel, kind, facts)
        if motion is None:
            others = voters(unit.session, game.id, history) - agreed
            detail = MotionDetail(kind, seat)
            unit.tell(game, [Notification(one, detail, mark=f"-{kind}") for one in sorted(others)])
        return MotionOutcome.ASKED if motion is None else MotionOutcome.WAITS
    facts.append(_consequence(game, history, kind, seat))
    record_act(unit, game, history, seat, channel, kind, facts)
    if kind is MotionKind.CLOSE:
        _tell_of_end(unit, game, history)
    else:
        _announce(unit, game, history, TOLD[kind], but=seat)
    return MotionOutcome.DONE


def decline_motion(
    unit: UnitOfWork, game_id: str, seat: int, kind: MotionKind, channel: Channel
) -> MotionOutcome:
    """Note that a seat does not agree, or asks no more; the others are told. Twice is once.

    Raises as `support_motion` does.
    """
    game, history = _load_game(unit, game_id)
    motion = history.accord.open_motion(kind, history.position.table.turn, unit.now)
    if motion is None:
        return MotionOutcome.DECLINED
    if seat not in voters(unit.session, game.id, history):
        raise MotionRefused(gettext("You do not play in this game any more."))
    fact: EventJson = {"type": ServerFact.DECLINED, "seat": seat, "motion": kind}
    record_act(unit, game, history, seat, channel, f"no {kind}", [fact])
    chat.announce(unit.context, unit.session, game, seat, Announcement.MOTION_DECLINED, unit.now)
    return MotionOutcome.DECLINED


def end_long_pause(context: Context, game_id: str, now: datetime) -> bool:
    """Let a game go on that was paused for as long as one may be; whether it was. Commits."""
    with open_unit(context, now) as unit:
        game, history = _load_game(unit, game_id)
        pause = history.accord.pause
        if not history.accord.is_paused or pause is None or now < pause.began + LONGEST_PAUSE:
            return False
        record_act(unit, game, history, None, Channel.CLOCK, "", [{"type": ServerFact.RESUMED}])
        _announce(unit, game, history, Announcement.PAUSE_ENDED)
        unit.commit()
    return True


def _load_game(unit: UnitOfWork, game_id: str) -> tuple[Game, StartedHistory]:
    game = unit.session.get(Game, game_id, populate_existing=True)
    if game is None:
        raise MotionRefused(gettext("This game is no longer here."))
    check_not_suspended(game)
    return game, require_started(unit.history_of(game))


def _check_pace(history: StartedHistory, kind: MotionKind, seat: int, now: datetime) -> None:
    """Let nobody ask the others for the same over and over; raises `MotionRefused`."""
    before = history.accord.asked_at.get((kind, seat))
    if before is not None and now < before + ASKED_AGAIN_AFTER:
        raise MotionRefused(gettext("You have asked the others for that a short while ago."))


def _is_carried(
    session: Session, game: Game, history: StartedHistory, kind: MotionKind, seat: int, agreed: frozenset[int]
) -> bool:
    """Whether enough have agreed, the last of them from a seat."""
    others = voters(session, game.id, history) - {game.seat}
    if kind == MotionKind.MORE_TIME:
        return bool(agreed & others) or not others
    if kind in ONCE_AGREED and seat == organiser_seat(session, game.id, history):
        return True
    return voters(session, game.id, history) <= agreed


def hours_added(game: Game) -> int:
    """The hours that a turn gets when it gets more time: half of what it has."""
    return max(1, (game.hours + 1) // 2)


def _has_given(history: StartedHistory, seat: int) -> bool:
    """Whether the word of a seat has given this turn more time already."""
    added, turn = history.accord.extension, history.position.table.turn
    return added is not None and added.turn == turn and seat in added.given_by


def _consequence(game: Game, history: StartedHistory, kind: MotionKind, by: int) -> Fact:
    """What happens where enough have agreed, the last of them from a seat."""
    match kind:
        case MotionKind.MORE_TIME:
            seat = history.position.table.seat
            return {"type": ServerFact.TIME_ADDED, "seat": seat, "hours": hours_added(game), "by": by}
        case MotionKind.PAUSE:
            return {"type": ServerFact.PAUSED}
        case MotionKind.RESUME:
            return {"type": ServerFact.RESUMED}
        case MotionKind.CLOSE:
            return close_game(history.position.table)
        case _:
            assert_never(kind)


OUTCOMES: Mapping[MotionOutcome, str] = {
    MotionOutcome.ASKED: gettext_noop("The others are asked, and you hear what comes of it."),
    MotionOutcome.WAITS: gettext_noop("It is noted that you agree. Others are still asked."),
    MotionOutcome.DECLINED: gettext_noop("It is not done, and nobody is asked any more."),
}
DONE: Mapping[MotionKind, str] = {
    MotionKind.MORE_TIME: gettext_noop("There is more time for this turn now."),
    MotionKind.PAUSE: gettext_noop("The game is paused now: no time runs until it is resumed."),
    MotionKind.RESUME: gettext_noop("The game is resumed, and time runs again."),
    MotionKind.CLOSE: gettext_noop("The game is over, as it stood."),
}


def tell_outcome(kind: MotionKind, outcome: MotionOutcome) -> str:
    """What became of it, as a sentence in the language spoken."""
    if outcome is MotionOutcome.DONE:
        return gettext(DONE[kind])
    return gettext(OUTCOMES[outcome])


def _tell_of_end(unit: UnitOfWork, game: Game, history: StartedHistory) -> None:
    """The letters of the end, which wait for the review as after a last turn."""
    delete_drafts(unit.session, game.id)
    later = ask_for_review(unit, game.id)
    seats = range(len(history.position.table.names))
    unit.tell(game, [Notification(seat, LetterKind.GAME_OVER, later=later) for seat in seats])


TOLD: Mapping[MotionKind, Announcement] = {
    MotionKind.MORE_TIME: Announcement.TIME_ADDED,
    MotionKind.PAUSE: Announcement.GAME_PAUSED,
    MotionKind.RESUME: Announcement.GAME_RESUMED,
}


def _announce(
    unit: UnitOfWork, game: Game, history: StartedHistory, what: Announcement, but: int | None = None
) -> None:
    """Tell everybody what has happened, but whoever did it."""
    table = history.position.table
    for seat in sorted(load_people(unit.session, game.id)):
        if seat != but:
            chat.announce_to(unit.context, unit.session, game, seat, what, table.names[table.seat], unit.now)
