"""Pauses of a game, in which no time runs: how each begins and ends, and who may end it.

One lasts 30 days at most, and for seven days after it there is no other. The organiser begins and ends one
alone; else all who play agree to it (votes.py), and after a day who did not agree may end it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from emails.i18n import gettext, gettext_noop
from emails.wording.times.deadlines import format_deadline
from emails.wording.vote_outcomes import VoteOutcome
from server.lobby.games import record_act
from server.outbox.posted_announcements import announce_change
from server.outbox.queue import load_people
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.context import Context
from server.store.facts.game_agreements import LONGEST_PAUSE
from server.store.facts.server_facts import GamePaused, GameResumed
from server.store.game_terms import has_absent_organiser, organiser_seat
from server.store.histories import StartedHistory, require_started
from server.store.models import Game
from server.store.refusals import Refusal, RefusalCode, check_not_suspended
from server.store.states import Announcement, Channel, GameStatus

RESPECTED_FOR = timedelta(hours=24)
"""How long who did not agree to a pause waits before they can end it."""
BETWEEN_PAUSES = timedelta(days=7)
NO_LIMIT = gettext_noop("In this game a turn takes as long as its player likes.")


class VoteRefused(Refusal):
    """Something that cannot be asked for or answered now."""

    code = RefusalCode.VOTE


def voters(session: Session, game: str, history: StartedHistory) -> frozenset[int]:
    """The seats whose players still play."""
    return frozenset(seat for seat in load_people(session, game) if not history.is_vacant(seat))


def load_voted_game(unit: UnitOfWork, game_id: str, seat: int | None) -> tuple[Game, StartedHistory]:
    """A running game in which a seat has a word; None: an organiser who does not play.

    Raises `VoteRefused`, `GameSuspended` and `GameNotBegun`.
    """
    game = unit.session.get(Game, game_id, populate_existing=True)
    if game is None:
        raise VoteRefused(gettext("This game is no longer here."))
    check_not_suspended(game)
    history = require_started(unit.history_of(game))
    if game.status != GameStatus.RUNNING:
        raise VoteRefused(gettext("The game is over."))
    if seat is None and not has_absent_organiser(unit.session, game_id):
        raise VoteRefused(gettext("Those who play agree on that among themselves."))
    if seat is not None and seat not in voters(unit.session, game_id, history):
        raise VoteRefused(gettext("You do not play in this game any more."))
    return game, history


def is_organiser(session: Session, game: str, history: StartedHistory, seat: int | None) -> bool:
    """Whether a seat is the organiser's; None is that of one who does not play."""
    return seat is None or seat == organiser_seat(session, game, history)


def check_pause(game: Game, history: StartedHistory, until: datetime | None, now: datetime) -> None:
    """Refuse a pause that cannot begin now, or end then; raises `VoteRefused`."""
    if not game.turn_minutes:
        raise VoteRefused(gettext(NO_LIMIT))
    if until is not None and not now < until <= now + LONGEST_PAUSE + timedelta(days=1):
        raise VoteRefused(gettext("A pause ends within thirty days."))
    last = history.agreements.pause
    if last is not None and last.ended is not None and now < last.ended + BETWEEN_PAUSES:
        moment = format_deadline(last.ended + BETWEEN_PAUSES)
        raise VoteRefused(
            gettext("The last pause is not long ago. Another can begin: %(moment)s.", moment=moment)
        )


def begin_pause(
    unit: UnitOfWork,
    game: Game,
    history: StartedHistory,
    seat: int | None,
    channel: Channel,
    until: datetime | None,
    but: int | None = None,
) -> None:
    """Let no time run from now on, and tell all players until when, `but` one who knows it already."""
    latest = unit.now.replace(microsecond=0) + LONGEST_PAUSE
    ends = latest if until is None else min(until, latest)
    record_act(unit, game, history, seat, channel, "pause", [GamePaused(ends)])
    announce_change(unit, game, history, Announcement.PAUSED_UNTIL, ends.isoformat(), but=but)


def end_pause(unit: UnitOfWork, game_id: str, seat: int | None, channel: Channel) -> VoteOutcome:
    """Let time run again: the organiser at once, and after a day who did not agree to the pause.

    Where all have agreed each of them can. Raises as `load_voted_game` does, and `StalePosition` when
    another acts in the same moment.
    """
    game, history = load_voted_game(unit, game_id, seat)
    check_pause_end(unit.session, game, history, seat, unit.now)
    record_act(unit, game, history, seat, channel, "resume", [GameResumed()])
    announce_change(unit, game, history, Announcement.GAME_RESUMED, but=seat)
    return VoteOutcome.RESUMED


def check_pause_end(
    session: Session, game: Game, history: StartedHistory, seat: int | None, now: datetime
) -> None:
    """Refuse a seat that may not end the pause now; raises `VoteRefused`."""
    agreements = history.agreements
    if agreements.pause is None or agreements.pause_ends is None:
        raise VoteRefused(gettext("The game is not paused: time runs."))
    if not is_organiser(session, game.id, history, seat):
        ends, free = agreements.pause_ends, agreements.pause.began + RESPECTED_FOR
        all_agreed = voters(session, game.id, history) <= agreements.pause_agreed
        if seat in agreements.pause_agreed and not all_agreed:
            moment = format_deadline(ends)
            raise VoteRefused(gettext("You have agreed to this pause. It ends: %(moment)s.", moment=moment))
        if now < free:
            moment = format_deadline(free)
            raise VoteRefused(
                gettext("You can end this pause once it has lasted a day: %(moment)s.", moment=moment)
            )


def end_long_pause(context: Context, game_id: str, now: datetime) -> None:
    """Let a game go on whose pause is over. Commits."""
    with open_unit(context, now) as unit:
        game = unit.session.get_one(Game, game_id, populate_existing=True)
        history = require_started(unit.history_of(game))
        ends = history.agreements.pause_ends
        if ends is None or now < ends:
            return
        record_act(unit, game, history, None, Channel.CLOCK, "", [GameResumed()])
        announce_change(unit, game, history, Announcement.GAME_RESUMED)
        unit.commit()
