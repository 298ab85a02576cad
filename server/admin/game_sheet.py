"""A game as the operator sees it: who sits where, whose turn it is, the clock, the letters, what is due next.

No hand, plan, draft or message is shown: of an act its number, its time, its way and the server's own facts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from emails.picture.palette import clean_name
from emails.wording.times.deadlines import describe_turn_time
from server.admin.backlog import describe_span
from server.admin.search import describe_game, describe_letter
from server.store.context import Context
from server.store.event_log import History
from server.store.facts.server_facts import SERVER_FACT_TYPES
from server.store.models import Act, BouncingAddress, Game, OutgoingLetter, Player, Seating
from server.store.schedule import AT_ONCE
from server.store.states import GameStatus, LetterState
from server.store.stored_availability import unavailable_spans_of
from server.store.turn_clock import (
    find_deadline,
    is_awaiting_letter,
    list_absences,
    time_left,
    turn_time_of,
)
from server.time_control.turn_time import SHARES_LEFT

MOST_LETTERS = 10
"""Unsent letters that are listed, the latest."""
MOST_ACTS = 10


def describe_sheet(context: Context, number: str, now: datetime) -> Iterator[str]:
    """Yield the lines that describe a game; none if there is no such game."""
    with context.reading() as session:
        game = session.get(Game, number.strip().lower()[:64]) if "\0" not in number else None
        if game is None:
            return
        history = context.history_of(session, game)
        yield describe_game(session, game, now)
        yield _describe_terms(game)
        yield from _describe_clock(session, game, history, now)
        for seating in session.exec(
            select(Seating).where(Seating.game == game.id).order_by(col(Seating.seat))
        ).all():
            yield _describe_seat(session, history, seating)
        yield from _describe_letters(session, game, now)
        yield from _describe_acts(session, game)


def _describe_terms(game: Game) -> str:
    time = describe_turn_time(turn_time_of(game))
    limit = f"{time} a turn" if time else "no limit of time"
    return f"opened {game.opened_at:%Y-%m-%d %H:%M} UTC, {game.edition}, {limit}, act {game.seq}"


# --- the clock --------------------------------------------------------------------------------------------


def _describe_clock(session: Session, game: Game, history: History, now: datetime) -> Iterator[str]:
    """Yield the state of the turn's clock, and when the clock loop looks at it next."""
    if game.status != GameStatus.RUNNING or game.seat is None:
        return
    if game.suspended_at is not None:
        yield "halted by `alexandros suspend`: nobody can play, and no letter leaves"
    if game.paused_at is not None:
        yield f"paused since {game.paused_at:%Y-%m-%d %H:%M} UTC: no time runs, and turns are played"
    mover = session.get(Seating, (game.id, game.seat))
    yield f"to move: seat {game.seat + 1}, {'nobody' if mover is None else clean_name(mover.name)}"
    if game.turn_minutes:
        left = time_left(game, now, unavailable_spans_of(session, game.id, game.seat))
        yield f"clock: {_clock_state(session, game, history, now)}, {_describe_left(left)} left"
    passed = [f"1/{1 / share:.0f}" for mark, share in SHARES_LEFT.items() if game.reminded & mark]
    if passed:
        yield f"reminders of this turn that have passed, by what was left: {', '.join(passed)}"
    if game.due_at is not None and game.suspended_at is None:
        when = "at once" if game.due_at <= AT_ONCE else f"at {game.due_at:%Y-%m-%d %H:%M} UTC"
        yield f"the clock looks at it {when}"
    for what, since in list_absences(session):
        yield f"{what} since {since:%Y-%m-%d %H:%M} UTC: no turn loses time"


def _clock_state(session: Session, game: Game, history: History, now: datetime) -> str:
    if is_awaiting_letter(game):
        return "begins when the letter that tells the turn has left"
    deadline = find_deadline(session, game, now)
    if deadline is not None:
        passed = ", which has passed" if deadline <= now else ""
        return f"runs until {deadline:%Y-%m-%d %H:%M} UTC{passed}"
    if game.seat is not None and history.is_clock_paused(game.seat):
        return "stands, since letters to its player come back"
    return "stands"


def _describe_left(left: timedelta) -> str:
    minutes = max(0, int(left.total_seconds()) // 60)
    return describe_span(left) if minutes >= 60 else f"{minutes} minutes"


# --- the seats --------------------------------------------------------------------------------------------


def _describe_seat(session: Session, history: History, seating: Seating) -> str:
    """Describe a seat and its player."""
    found = f"seat {seating.seat + 1}  {clean_name(seating.name) or 'nobody'}"
    if seating.house:
        return f"{found}, played by the house"
    player = None if seating.player is None else session.get(Player, seating.player)
    if player is not None:
        found += f" <{player.address}>, player {player.id}"
    notes = []
    if player is not None and seating.accepted_at is None:
        notes.append("has not accepted")
    if seating.seat in history.resigned:
        notes.append("has resigned")
    if history.is_kept(seating.seat):
        notes.append("a caretaker keeps it until they are back")
    if seating.seat in history.offers:
        notes.append("is offered to whoever plays on")
    if player is not None and _does_bounce(session, player):
        notes.append("letters come back")
    return ", ".join([found, *notes])


def _does_bounce(session: Session, player: Player) -> bool:
    marked = select(BouncingAddress.player).where(BouncingAddress.player == player.id)
    return session.exec(marked.where(col(BouncingAddress.ended_at).is_(None))).first() is not None


# --- letters and acts -------------------------------------------------------------------------------------


def _describe_letters(session: Session, game: Game, now: datetime) -> Iterator[str]:
    """Yield how many letters are in each state, and those that have not left."""
    own = OutgoingLetter.game == game.id
    counts = session.exec(
        select(OutgoingLetter.state, func.count()).where(own).group_by(col(OutgoingLetter.state))
    )
    told = ", ".join(f"{number} {state}" for state, number in counts)
    yield f"letters: {told or 'none'}"
    stuck = col(OutgoingLetter.state).in_((LetterState.WAITING, LetterState.FAILED))
    chosen = select(OutgoingLetter).where(own, stuck).order_by(col(OutgoingLetter.id).desc())
    for letter in reversed(session.exec(chosen.limit(MOST_LETTERS)).all()):
        yield f"{describe_letter(letter, now)}, to seat {letter.seat + 1}"


def _describe_acts(session: Session, game: Game) -> Iterator[str]:
    """Yield the last acts: when, whose, by which channel, with the server's facts in them."""
    last = select(Act).where(Act.game == game.id).order_by(col(Act.seq).desc()).limit(MOST_ACTS)
    for act in reversed(session.exec(last).all()):
        who = "the server" if act.seat is None else f"seat {act.seat + 1}"
        facts = [one.get("type") for one in json.loads(act.events)]
        own = " ".join(str(one) for one in facts if one in SERVER_FACT_TYPES)
        at = datetime.fromisoformat(act.at)
        yield f"act {act.seq}  {at:%Y-%m-%d %H:%M}  {who} by {act.door}  {own}".rstrip()
