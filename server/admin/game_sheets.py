"""Games for the operator: the list of games, and the sheet of one game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from emails.picture.palette import clean_name
from emails.wording.phrases import format_minutes
from server.store.context import Context
from server.store.dialects import hexed
from server.store.event_log import History
from server.store.models import (
    LONGEST_REASON,
    Act,
    BouncingAddress,
    Game,
    OutgoingLetter,
    Player,
    Seating,
    count_rows,
    is_unreadable,
    read_id,
)
from server.store.schedule import AT_ONCE
from server.store.server_facts import SERVER_FACT_TYPES
from server.store.states import GameStatus, Hindrance, LetterState
from server.store.turn_clock import (
    find_deadline,
    is_awaiting_letter,
    list_absences,
    time_left,
    unavailable_times_of,
)
from server.turn_time import SHARES_LEFT

MOST_LETTERS = 10
MOST_ACTS = 10


def list_games(context: Context, now: datetime) -> Iterator[tuple[str, str | None]]:
    """Yield each game's id with a line about the game, or None if unreadable; the oldest game first."""
    with context.reading() as session:
        ids = session.exec(select(hexed(Game.id)).order_by(col(Game.opened_at), col(Game.id))).all()
    for number in map(read_id, ids):
        with context.reading() as session:
            try:
                game = session.get(Game, number)
                line = None if game is None else describe_game(session, game, now)
            except (ValueError, LookupError):
                yield number, None
                continue
        if line is not None or is_unreadable(number):
            yield number, line


def describe_game(session: Session, game: Game, now: datetime) -> str:
    deadline = find_deadline(session, game, now)
    until = "" if deadline is None else f"until {deadline:%Y-%m-%d %H:%M} UTC"
    if is_awaiting_letter(game):
        until = "its time starts when its letter has left"
    if game.paused_at is not None:
        until = f"paused since {game.paused_at:%Y-%m-%d %H:%M} UTC"
    if game.suspended_at is not None:
        until = f"suspended since {game.suspended_at:%Y-%m-%d %H:%M} UTC"
    return f"{game.id}  {game.status:8}  turn {game.turn:3}  {game.name}  {until}".rstrip()


def describe_sheet(context: Context, number: str, now: datetime) -> Iterator[str]:
    with context.reading() as session:
        game = session.get(Game, number.strip().lower()[:64]) if "\0" not in number else None
        if game is None:
            return
        history = context.history_of(session, game)
        yield describe_game(session, game, now)
        limits = game.turn_minutes, game.bank_minutes, game.refill_minutes
        forms = "{} a turn", "{} in reserve", "refilled by {}"
        said = [one.format(format_minutes(limit)) for one, limit in zip(forms, limits, strict=True) if limit]
        time = ", ".join(said) if game.turn_minutes else "no limit of time"
        yield f"opened {game.opened_at:%Y-%m-%d %H:%M} UTC, {game.edition}, {time}, act {game.seq}"
        yield from _describe_clock(session, game, history, now)
        for seating in session.exec(
            select(Seating).where(Seating.game == game.id).order_by(col(Seating.seat))
        ).all():
            yield _describe_seat(session, history, seating)
        yield from _describe_letters(session, game, now)
        yield from _describe_acts(session, game)


# --- the clock --------------------------------------------------------------------------------------------


def _describe_clock(session: Session, game: Game, history: History, now: datetime) -> Iterator[str]:
    if game.status != GameStatus.RUNNING or game.seat is None:
        return
    if game.suspended_at is not None:
        yield "suspended by `alexandros suspend`: nobody can play, and no letter leaves"
    if game.paused_at is not None:
        yield f"paused since {game.paused_at:%Y-%m-%d %H:%M} UTC: no time runs, and turns are played"
    mover = session.get(Seating, (game.id, game.seat))
    yield f"to move: seat {game.seat + 1}, {'nobody' if mover is None else clean_name(mover.name)}"
    if game.turn_minutes:
        left = time_left(game, now, unavailable_times_of(session, game.id, game.seat))
        minutes = max(0, int(left.total_seconds()) // 60)
        span = describe_wait(left) if minutes >= 60 else f"{minutes} minutes"
        yield f"clock: {_clock_state(session, game, history, now)}, {span} left"
    passed = [f"1/{1 / share:.0f}" for mark, share in SHARES_LEFT.items() if game.reminded & mark]
    if passed:
        yield f"reminders of this turn that have passed, by what was left: {', '.join(passed)}"
    if game.due_at is not None and game.suspended_at is None:
        when = "at once" if game.due_at <= AT_ONCE else f"at {game.due_at:%Y-%m-%d %H:%M} UTC"
        yield f"next check of the clock: {when}"
    for what, since in list_absences(session):
        yield f"{what} since {since:%Y-%m-%d %H:%M} UTC: no turn loses time"


def _clock_state(session: Session, game: Game, history: History, now: datetime) -> str:
    if is_awaiting_letter(game):
        return "starts when the turn letter has left"
    deadline = find_deadline(session, game, now)
    if deadline is not None:
        passed = ", which has passed" if deadline <= now else ""
        return f"runs until {deadline:%Y-%m-%d %H:%M} UTC{passed}"
    if game.seat is not None and history.is_clock_paused(game.seat):
        return "stopped, since letters to its player bounce"
    return "stopped"


# --- the seats --------------------------------------------------------------------------------------------


def _describe_seat(session: Session, history: History, seating: Seating) -> str:
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
    if history.is_caretaken(seating.seat):
        notes.append("a caretaker plays until the player is back")
    if seating.seat in history.offers:
        notes.append("is offered to substitutes")
    bounces = col(BouncingAddress.player) == seating.player, col(BouncingAddress.ended_at).is_(None)
    if player is not None and count_rows(session, BouncingAddress, *bounces):
        notes.append("letters come back")
    return ", ".join([found, *notes])


# --- letters and acts -------------------------------------------------------------------------------------


def _describe_letters(session: Session, game: Game, now: datetime) -> Iterator[str]:
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
    last = select(Act).where(Act.game == game.id).order_by(col(Act.seq).desc()).limit(MOST_ACTS)
    for act in reversed(session.exec(last).all()):
        who = "the server" if act.seat is None else f"seat {act.seat + 1}"
        facts = [one.get("type") for one in json.loads(act.events)]
        own = " ".join(str(one) for one in facts if one in SERVER_FACT_TYPES)
        at = datetime.fromisoformat(act.at)
        yield f"act {act.seq}  {at:%Y-%m-%d %H:%M}  {who} by {act.door}  {own}".rstrip()


def describe_letter(letter: OutgoingLetter, now: datetime) -> str:
    return f"letter {letter.id}  {letter.kind} of {letter.game}  {_fate_of_letter(letter, now)}"


def _fate_of_letter(letter: OutgoingLetter, now: datetime) -> str:
    why = clean_name(letter.why, LONGEST_REASON)
    match letter.state:
        case LetterState.SENT:
            return f"sent{_relay_reply(letter, ': ')}"
        case LetterState.WAITING:
            tried = f", tried {letter.tries} times" if letter.tries > 1 else ""
            until = f" until {letter.due_at:%Y-%m-%d %H:%M}" if letter.due_at > now else ", and is due"
            return f"waits{until}{tried}" + (f": {why}" if why else "")
        case LetterState.DROPPED if letter.merged_into is not None:
            return f"merged into letter {letter.merged_into}"
        case LetterState.FAILED if letter.hindrance in (Hindrance.CAME_BACK, Hindrance.OUR_FAULT):
            return f"{why}{_relay_reply(letter, '; ')}"
        case LetterState.DROPPED | LetterState.WITHHELD:
            return f"not sent: {why}"
        case LetterState.FAILED:
            return f"refused for good: {why}"


def _relay_reply(letter: OutgoingLetter, between: str) -> str:
    """Return when and how the relay accepted a letter, after the separator `between`; empty if unknown."""
    from server.outbox.queue import read_sent_letter  # loaded only here, so that listing games is fast

    reply = clean_name(read_sent_letter(letter.detail).relay_reply, LONGEST_REASON)
    if letter.sent_at is None or not reply:
        return ""
    return f"{between}the relay took it at {letter.sent_at:%H:%M}: {reply}"


def describe_wait(span: timedelta) -> str:
    hours = span // timedelta(hours=1)
    return "an hour" if hours == 1 else f"{hours} hours"
