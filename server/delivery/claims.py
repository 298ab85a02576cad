"""Taking a letter in hand: which one leaves, and which are told in it or are not wanted any more.

When a letter of a game falls due, all that waits for the same seat of that game, due or not, is told in it:
of the due ones that which tells most is sent, and the others are dropped (leading_letters.py tells which);
should it never leave, they wait again. Whoever wants their letters gathered gets it no sooner than their
pause after the last one, unless it never waits; what they did not ask for waits for room (budgets.py).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import or_
from sqlmodel import Session, col, select

from server.delivery.prepared_letters import (
    ClaimedLetter,
    discard_prepared_letters,
    find_prepared_letters,
    is_held,
)
from server.delivery.turn_letters import begin_clock_told_by
from server.monitoring.server_events import RowFate, WorkTable
from server.outbox.budgets import when_recipient_has_room
from server.outbox.chat import last_unread_number
from server.outbox.leading_letters import WaitingLetter, choose_leading_letter, covers
from server.outbox.letter_details import decode_content
from server.outbox.letter_traits import COMBINABLE_KINDS
from server.outbox.notifications import DropReason, outcome_of, reason_to_drop
from server.outbox.preferences import DEFAULTS, Preferences
from server.outbox.queue import last_sent_at, load_people, release_told
from server.outbox.situations import is_blocked, load_situation
from server.reviews.final_letters import hold_for_review
from server.store.context import Context
from server.store.models import Game, OutgoingLetter, Seating
from server.store.row_failures import SEE_MESSAGES
from server.store.states import Hindrance, LetterState
from server.turns.planned_turns import hold_for_plan

CLAIM_LASTS = timedelta(seconds=60)
"""How long a letter belongs to whoever began to send it, and has not said since that they still do."""
CLAIM_RENEWED_AFTER = CLAIM_LASTS / 3
CANNOT_BE_WRITTEN = f"it could not be written{SEE_MESSAGES}"


def claim_letter(context: Context, row: OutgoingLetter, now: datetime) -> ClaimedLetter | None:
    """Take a due letter in hand, or the one that tells it with others; None where nothing is to be sent.

    That is so where another server has taken it: a session that writes sees what all others have written.
    A letter that the relay may have already goes first, as it is, and tells no others.
    """
    with context.writing(row.game) as session:
        reader = load_people(session, row.game).get(row.seat)
        preferences = DEFAULTS if reader is None else reader.preferences
        waiting = _load_waiting(session, row, now)
        prepared = find_prepared_letters(session, waiting)
        begun = next((one for one in waiting if one.id in prepared), None)
        if begun is not None and not is_blocked(session, begun):
            _claim_row(begun, now)
            session.commit()
            return ClaimedLetter(begun, prepared[begun.id])
        needed = _drop_unwanted(context, session, waiting, preferences, now)
        discard_prepared_letters(session, [one.id for one in waiting if one.state != LetterState.WAITING])
        hold_for_review(session, needed, now)
        if (held := hold_for_plan(context, session, needed, now)) is not None:
            begin_clock_told_by(session, held.row, now)  # as if it had left: nobody else sees that it waits
        due = [one for one in needed if one.row.due_at <= now]
        until = _pause_ends(session, due, preferences) or when_recipient_has_room(session, row.message_id)
        if until is not None and until > now:
            for one in due:
                one.row.due_at = until
            due = []
        letter = choose_leading_letter(due) if due else None
        if letter is not None:
            _claim_row(letter.row, now)
            for one in needed:
                if covers(letter, one):
                    one.row.sqlmodel_update(outcome_of(DropReason.TOLD_ELSEWHERE))
                    one.row.told_by = letter.row.id
        session.commit()
    for settled in waiting:
        if settled.state != LetterState.WAITING:
            number, kind, state = settled.id or 0, settled.kind, settled.state
            context.events.note_letter(number, settled.game, kind, state, 0.0, now - settled.queued_at)
    return None if letter is None else ClaimedLetter(letter.row, prepared.get(letter.row.id))


def _claim_row(row: OutgoingLetter, now: datetime) -> None:
    row.sqlmodel_update(outcome_of(None) | {"due_at": now + CLAIM_LASTS, "tries": row.tries + 1})


def _drop_unwanted(
    context: Context, session: Session, waiting: list[OutgoingLetter], preferences: Preferences, now: datetime
) -> list[WaitingLetter]:
    """Those of the letters to one seat that are still wanted; the others are not sent any more."""
    found = []
    kept: list[object] = []  # else they are read again for each thing that is asked of them
    for row in waiting:
        try:
            content = decode_content(row.kind, row.detail)
        except ValueError:
            context.events.note_failed_row(WorkTable.OUTGOING, row.id or 0, RowFate.SET_ASIDE)
            row.state, row.why, row.hindrance = LetterState.FAILED, CANNOT_BE_WRITTEN, Hindrance.SET_ASIDE
            begin_clock_told_by(session, row, now)
            release_told(session, row)
            continue
        game = session.get_one(Game, row.game)
        kept += (game, session.get(Seating, (row.game, row.seat)))
        unheard = last_unread_number(session, row.game, row.seat)
        situation = load_situation(context, session, game, row, content, unheard, now)
        reason = reason_to_drop(row.kind, preferences, situation)
        if reason is None:
            found.append(WaitingLetter(row, content))
        else:
            row.sqlmodel_update(outcome_of(reason))
            begin_clock_told_by(session, row, now)
            release_told(session, row)
    return found


def _load_waiting(session: Session, row: OutgoingLetter, now: datetime) -> list[OutgoingLetter]:
    """The letter itself if it still waits, and those that wait for the same seat and may be told in it.

    What was tried and is not due is in the hands of another server, or has to wait for a relay.
    """
    chosen = select(OutgoingLetter).where(OutgoingLetter.state == LetterState.WAITING)
    if row.kind not in COMBINABLE_KINDS:
        alone = chosen.where(OutgoingLetter.id == row.id, col(OutgoingLetter.due_at) <= now)
        return list(session.exec(alone))
    together = chosen.where(OutgoingLetter.game == row.game, OutgoingLetter.seat == row.seat).where(
        col(OutgoingLetter.kind).in_(COMBINABLE_KINDS),
        or_(col(OutgoingLetter.due_at) <= now, col(OutgoingLetter.tries) == 0),
    )
    return list(session.exec(together.order_by(col(OutgoingLetter.id))))


def _pause_ends(session: Session, due: list[WaitingLetter], preferences: Preferences) -> datetime | None:
    """Until when letters are gathered; None where one is among them that does not wait."""
    gathered = all(one.is_held_back and one.row.kind in COMBINABLE_KINDS for one in due)
    if not preferences.pause or not due or not gathered:
        return None
    last = last_sent_at(session, due[0].row.game, due[0].row.seat)
    return None if last is None else last + preferences.pause


def renew_claim(context: Context, row: OutgoingLetter) -> None:
    """Keep a letter whose sending takes long, unless it has ended meanwhile."""
    with context.writing(row.game) as session:
        letter = session.get(OutgoingLetter, row.id)
        if letter is not None and is_held(letter, row):
            letter.due_at += CLAIM_RENEWED_AFTER
            session.commit()


def put_back(context: Context, row: OutgoingLetter, why: str, due: datetime, *, as_written: bool) -> None:
    """A letter that nobody was asked to take waits as if it had not been tried, until it is due again.

    `as_written`: a relay may have it from before, so that it stays as it was written then.
    """
    with context.writing(row.game) as session:
        letter = session.get_one(OutgoingLetter, row.id)
        letter.tries, letter.due_at, letter.why = row.tries - 1, due, why
        if not as_written:
            discard_prepared_letters(session, [row.id])
        session.commit()
