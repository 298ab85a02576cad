"""What somebody asks of all who play, and others agree to: more time, a pause, to go on without a seat.

Whoever says the same as another agrees. More time is given by one other player, or at once by whoever is not
to move; the organiser pauses and resumes at once; for all else everybody has to agree who still plays. The
acts hold who has agreed, so that of two who agree in one moment one tries again, and it happens once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import assert_never

from emails.i18n import gettext, gettext_noop
from emails.letters.kinds import LetterKind
from emails.wording.requests import NO_TERMS, MotionKind, MotionTerms
from engine.effects import close_game, skip_turns
from engine.position import Table
from server.lobby.games import record_act
from server.lobby.motion_announcements import TOLD, announce_motion, announce_refusal
from server.lobby.open_motions import (
    ONCE_AGREED,
    MotionRefused,
    check_hindrance,
    check_motion,
    check_vote,
    has_given,
    hours_asked,
    is_carried,
    is_left_open,
    require_seat,
    settle_terms,
    voters,
)
from server.outbox.letter_details import AbsenceDetail, MotionDetail
from server.outbox.notifications import Notification
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.reviews.final_letters import ask_for_review
from server.store.context import Context
from server.store.facts.fact_codec import ActFact
from server.store.facts.game_agreements import key_of
from server.store.facts.server_facts import (
    GamePaused,
    GameResumed,
    MotionAgreed,
    MotionDeclined,
    SeatKept,
    SeatOffered,
    SeatPassedOver,
    TimeAdded,
)
from server.store.game_terms import has_absent_organiser
from server.store.histories import StartedHistory, require_started
from server.store.models import Game
from server.store.refusals import check_not_suspended
from server.store.states import Announcement, Channel
from server.turns.drafts import delete_drafts
from server.turns.plans import delete_plans, settle_plans
from server.turns.play import letters_of_offer

ASKED_AGAIN_AFTER = timedelta(hours=1)
"""How long whoever has asked for something waits before they ask for it anew."""


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
    LEFT_OPEN = "left open"
    """They do not agree, and the others are asked further."""


def support_motion(
    unit: UnitOfWork,
    game_id: str,
    seat: int,
    kind: MotionKind,
    channel: Channel,
    *,
    terms: MotionTerms = NO_TERMS,
    asked: bool = False,
) -> MotionOutcome:
    """Note that a seat asks for something, or agrees to it; it happens where enough have. Twice is once.

    `terms`: what it is about. `asked`: whether they only agree to what another has asked, on these terms
    and no others. Raises `MotionRefused`, `GameSuspended`, `GameNotBegun`, and `StalePosition` when somebody
    acts in the same moment.
    """
    game, history = _load_game(unit, game_id)
    terms, motion = settle_terms(game, history, kind, terms, unit.now, exact=asked)
    check_motion(unit.session, game, history, kind, terms, seat, unit.now)
    if motion is None:
        if asked:
            raise MotionRefused(gettext("Nobody asks for that any more."))
        if kind == MotionKind.MORE_TIME and has_given(history, seat):
            return MotionOutcome.DONE
        _check_pace(history, kind, terms, seat, unit.now)
    agreed = frozenset({seat}) if motion is None else motion.agreed | {seat}
    carried = is_carried(unit.session, game, history, kind, seat, agreed, terms)
    if motion is not None and seat in motion.agreed and not carried:
        return MotionOutcome.WAITS
    facts: list[ActFact] = [MotionAgreed(seat, kind, terms)]
    if not carried:
        record_act(unit, game, history, seat, channel, kind, facts)
        if motion is None:
            others = voters(unit.session, game.id, history, terms) - agreed
            detail = MotionDetail(kind, seat, terms.without, terms.hours, terms.until)
            until = terms.until and int(terms.until.timestamp())
            about = (str(one) for one in (terms.without, terms.hours or None, until) if one is not None)
            mark = " ".join((f"-{kind}", *about))
            unit.tell(game, [Notification(one, detail, mark=mark) for one in sorted(others)])
        return MotionOutcome.ASKED if motion is None else MotionOutcome.WAITS
    facts += _consequences(game, history, kind, terms, seat)
    record_act(unit, game, history, seat, channel, kind, facts)
    asker = None if motion is None else motion.seat
    _tell_of_motion(unit, game, history, kind, terms, but=seat, asker=asker)
    return MotionOutcome.DONE


def decline_motion(
    unit: UnitOfWork,
    game_id: str,
    seat: int,
    kind: MotionKind,
    channel: Channel,
    *,
    terms: MotionTerms = NO_TERMS,
) -> MotionOutcome:
    """Note that a seat does not agree, or asks no more; the others are told. Twice is once.

    Where the yes of one is enough, the others are asked further until none of them is left.

    Raises as `support_motion` does.
    """
    game, history = _load_game(unit, game_id)
    terms, motion = settle_terms(game, history, kind, terms, unit.now)
    if motion is None:
        return MotionOutcome.DECLINED
    check_vote(unit.session, game, history, motion.terms, seat)
    fact = MotionDeclined(seat, kind, motion.terms)
    if is_left_open(unit.session, game, history, motion, seat):
        if seat not in motion.declined:
            record_act(unit, game, history, seat, channel, f"no {kind}", [replace(fact, stays_open=True)])
        return MotionOutcome.LEFT_OPEN
    record_act(unit, game, history, seat, channel, f"no {kind}", [fact])
    announce_refusal(unit, game, motion, seat)
    return MotionOutcome.DECLINED


def decide_alone(unit: UnitOfWork, game_id: str, kind: MotionKind) -> None:
    """Pause or resume a game for an organiser who never played in it; twice is once. Raises as the others."""
    game, history = _load_game(unit, game_id)
    if kind not in ONCE_AGREED or not has_absent_organiser(unit.session, game_id):
        raise MotionRefused(gettext("Those who play agree on that among themselves."))
    if history.agreements.is_paused == (kind is MotionKind.PAUSE):
        return
    check_hindrance(game, history, kind, NO_TERMS, unit.now)
    facts = _consequences(game, history, kind, NO_TERMS, None)
    record_act(unit, game, history, None, Channel.WEB, kind, facts)
    _tell_of_motion(unit, game, history, kind, NO_TERMS)


def carry_motions(unit: UnitOfWork, game: Game) -> None:
    """Let happen what all have agreed to who still play, where somebody was waited for who has left."""
    if game.suspended_at is not None:
        return
    for motion in require_started(unit.history_of(game)).agreements.motions.values():
        history = require_started(unit.history_of(game))
        agreed = sorted(motion.agreed & voters(unit.session, game.id, history))
        if not agreed or not motion.is_open(history.position.table.turn, unit.now):
            continue
        kind, terms = motion.kind, motion.terms
        is_past = terms.until is not None and terms.until <= unit.now
        if is_past or not is_carried(unit.session, game, history, kind, agreed[0], motion.agreed, terms):
            continue
        try:
            check_motion(unit.session, game, history, kind, terms, agreed[0], unit.now)
        except MotionRefused:  # what has happened meanwhile leaves nothing of it
            continue
        facts = _consequences(game, history, kind, terms, None)
        record_act(unit, game, history, None, Channel.SERVER, "", facts)
        _tell_of_motion(unit, game, history, kind, terms, asker=motion.seat)


def carry_motions_of(context: Context, game_id: str, now: datetime) -> None:
    """The same in a transaction of its own. Commits."""
    with open_unit(context, now) as unit:
        carry_motions(unit, _load_game(unit, game_id)[0])
        unit.commit()


def end_long_pause(context: Context, game_id: str, now: datetime) -> bool:
    """Let a game go on that was paused for as long as one may be; whether it was. Commits."""
    with open_unit(context, now) as unit:
        game, history = _load_game(unit, game_id)
        agreements = history.agreements
        if agreements.pause_ends is None or now < agreements.pause_ends:
            return False
        record_act(unit, game, history, None, Channel.CLOCK, "", [GameResumed()])
        is_over = agreements.pause_until is not None and agreements.pause_until <= now
        announce_motion(unit, game, history, Announcement.PAUSE_OVER if is_over else Announcement.PAUSE_ENDED)
        unit.commit()
    return True


def _load_game(unit: UnitOfWork, game_id: str) -> tuple[Game, StartedHistory]:
    game = unit.session.get(Game, game_id, populate_existing=True)
    if game is None:
        raise MotionRefused(gettext("This game is no longer here."))
    check_not_suspended(game)
    return game, require_started(unit.history_of(game))


def _check_pace(
    history: StartedHistory, kind: MotionKind, terms: MotionTerms, seat: int, now: datetime
) -> None:
    """Let nobody ask the others for the same over and over; raises `MotionRefused`."""
    before = history.agreements.asked_at.get((key_of(kind, terms), seat))
    if before is not None and now < before + ASKED_AGAIN_AFTER:
        raise MotionRefused(gettext("You have asked the others for that a short while ago."))


def _consequences(
    game: Game, history: StartedHistory, kind: MotionKind, terms: MotionTerms, by: int | None
) -> list[ActFact]:
    """What happens where enough have agreed, the last of them from a seat; None: they had before."""
    table = history.position.table
    match kind:
        case MotionKind.MORE_TIME:
            hours = hours_asked(game, history, terms)
            return [TimeAdded(table.seat, hours, by)]
        case MotionKind.PAUSE:
            return [GamePaused(terms.until)]
        case MotionKind.RESUME:
            return [GameResumed()]
        case MotionKind.CLOSE:
            return [close_game(table)]
        case MotionKind.GO_ON:
            seat = require_seat(terms)
            return [SeatPassedOver(seat), *skip_turns(table, history.skipped | {seat})]
        case MotionKind.REPLACE:
            seat = require_seat(terms)
            return [SeatOffered(seat)] if history.is_vacant(seat) else [SeatKept(seat), SeatOffered(seat)]
        case _:
            assert_never(kind)


OUTCOMES: Mapping[MotionOutcome, str] = {
    MotionOutcome.ASKED: gettext_noop("The others are asked, and you hear what comes of it."),
    MotionOutcome.WAITS: gettext_noop("It is noted that you agree. Others are still asked."),
    MotionOutcome.LEFT_OPEN: gettext_noop("It is noted that you do not agree. Others are still asked."),
    MotionOutcome.DECLINED: gettext_noop("It is not done, and nobody is asked any more."),
}
DONE: Mapping[MotionKind, str] = {
    MotionKind.MORE_TIME: gettext_noop("There is more time for this turn now."),
    MotionKind.PAUSE: gettext_noop("The game is paused now: no time runs on any turn."),
    MotionKind.RESUME: gettext_noop("The game is resumed, and time runs again."),
    MotionKind.CLOSE: gettext_noop("The game is over, as it stood."),
    MotionKind.GO_ON: gettext_noop(
        "The game goes on: from now on the turns of that seat are skipped, and its guards stay."
    ),
    MotionKind.REPLACE: gettext_noop("The seat is offered: you get a mail with a link to pass on."),
}


def tell_outcome(kind: MotionKind, outcome: MotionOutcome) -> str:
    """What became of it, as a sentence in the language spoken."""
    return gettext(DONE[kind]) if outcome is MotionOutcome.DONE else gettext(OUTCOMES[outcome])


def _tell_of_motion(
    unit: UnitOfWork,
    game: Game,
    before: StartedHistory,
    kind: MotionKind,
    terms: MotionTerms,
    but: int | None = None,
    asker: int | None = None,
) -> None:
    """Tell everybody what has come of a motion, but whoever did it, and what follows for the turn."""
    if kind is MotionKind.CLOSE:
        _tell_of_end(unit, game, before)
    elif kind is MotionKind.REPLACE and terms.without is not None:
        if not before.is_vacant(terms.without):
            unit.tell(game, [Notification(terms.without, AbsenceDetail())])
        unit.tell(game, letters_of_offer(unit.session, game.id, unit.history_of(game), terms.without))
    else:
        announce_motion(unit, game, before, TOLD[kind], but, terms, asker)
    if kind is MotionKind.GO_ON:
        _pass_turn(unit, game, before.position.table)


def _tell_of_end(unit: UnitOfWork, game: Game, history: StartedHistory) -> None:
    """The letters of the end, which wait for the review as after a last turn."""
    delete_drafts(unit.session, game.id)
    delete_plans(unit.session, game.id)
    later = ask_for_review(unit, game.id)
    seats = range(len(history.position.table.names))
    unit.tell(game, [Notification(seat, LetterKind.GAME_OVER, later=later) for seat in seats])


def _pass_turn(unit: UnitOfWork, game: Game, before: Table) -> None:
    """What follows where the turn of a seat was going on that is skipped from now on: the next one begins."""
    table = require_started(unit.history_of(game)).position.table
    if table.turn == before.turn:
        return
    delete_drafts(unit.session, game.id)
    settle_plans(unit.session, game.id, before.seat, before, table, unit.now)
    unit.tell(game, [Notification(table.seat, LetterKind.YOUR_TURN)])
