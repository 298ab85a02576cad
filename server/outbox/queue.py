"""What goes into the outbox: a row says who is to be told of what, and from when on.

It is stored with the act that causes it. Its Message-ID is derived from game, act, seat and kind, so
the same notification is never stored twice. After a restore it has the moment of it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, bindparam, func, select, update
from sqlmodel import Session, col

from emails.keys import Purpose
from emails.letters.kinds import LetterKind
from emails.letters.mime import make_message_id
from emails.letters.preferences_text import Pace
from server.outbox.blocks import find_address_block
from server.outbox.budgets import (
    OPERATOR,
    UNKNOWN,
    UNTOLD_KINDS,
    Budget,
    Origin,
    is_origin_full,
    is_recipient_full,
    record_unasked,
)
from server.outbox.letter_details import encode_detail
from server.outbox.letter_traits import GAMELESS_KINDS, KINDS_SHOWING_GAME, TRAITS, is_held_back
from server.outbox.notifications import DropReason, Notification, Situation, outcome_of, reason_to_drop
from server.outbox.preferences import Preferences, combine_preferences
from server.outbox.sent_letters import SentLetter, add_to_detail
from server.security_log import SecurityEvent
from server.store.columns import table_of
from server.store.context import Context, find_moment, make_era_of
from server.store.dialects.expressions import insert_new
from server.store.dialects.locks import LEDGER, lock_beside
from server.store.models import Game, OutgoingLetter, Player, Seating, StoredPreferences
from server.store.server_moments import read_moment
from server.store.states import LetterState, MomentName
from server.store.turn_clock import begin_turn_clock, is_awaiting_letter

LETTERS_KEPT_FOR = timedelta(days=30)
"""How long a letter is known after it was queued, unless it still waits."""
ANSWERED_WORDS_KEPT_FOR = timedelta(days=1)
"""How long the words of a letter are kept after its answer was processed."""
NO_SEAT = 255
"""The seat of a letter whose reader has left theirs: nobody's."""
UNSENT_STATES = (LetterState.WAITING, LetterState.DROPPED, LetterState.WITHHELD)
"""The states of letters that nobody has got."""
MARK_LENGTH = 10
"""Characters by which the answers to two mails are told apart in a Message-ID."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person on a seat of a game."""

    seat: int
    name: str
    address: str
    accepted: bool
    confirmed: bool
    """Whether they have shown that they read mail at their address."""
    preferences: Preferences
    """Of this game."""


# Plain statements: they are a part of each act.
SEATING_COLUMNS = table_of(Seating).c
PLAYER_TABLE = table_of(Player)
SHARED_PREFERENCES = table_of(StoredPreferences).alias()
GAME_PREFERENCES = table_of(StoredPreferences).alias()
SELECT_PEOPLE = (
    select(
        SEATING_COLUMNS.seat,
        SEATING_COLUMNS.name,
        PLAYER_TABLE.c.address,
        SEATING_COLUMNS.accepted_at,
        PLAYER_TABLE.c.confirmed_at,
        SHARED_PREFERENCES.c.said,
        GAME_PREFERENCES.c.said,
    )
    .join(PLAYER_TABLE, SEATING_COLUMNS.player == PLAYER_TABLE.c.id)
    .outerjoin(
        SHARED_PREFERENCES,
        and_(SHARED_PREFERENCES.c.player == SEATING_COLUMNS.player, SHARED_PREFERENCES.c.game == ""),
    )
    .outerjoin(
        GAME_PREFERENCES,
        and_(
            GAME_PREFERENCES.c.player == SEATING_COLUMNS.player,
            GAME_PREFERENCES.c.game == SEATING_COLUMNS.game,
        ),
    )
    .where(SEATING_COLUMNS.game == bindparam("game"))
)
SPENT_BUDGETS = {
    DropReason.READER_FULL: Budget.RECIPIENT,
    DropReason.ORIGIN_FULL: Budget.ORIGIN,
}
INSERT_LETTERS = insert_new(OutgoingLetter)
"""A letter that is there already is not queued again."""

OUTGOING_COLUMNS = table_of(OutgoingLetter).c
SELECT_LAST_SENT = select(func.max(OUTGOING_COLUMNS.sent_at)).where(
    OUTGOING_COLUMNS.state == LetterState.SENT, OUTGOING_COLUMNS.kind.in_(KINDS_SHOWING_GAME)
)


def load_people(session: Session, game: str) -> dict[int, Person]:
    """The people who play a game, by seat; bots and empty seats are not among them.

    All rows are fetched before one is read: a statement that is left half way, because a value cannot be
    read, holds its connection to what the database was.
    """
    found = session.connection().execute(SELECT_PEOPLE, {"game": game}).all()
    return {
        row[0]: Person(
            row[0],
            row[1],
            row[2],
            row[3] is not None,
            row[4] is not None,
            combine_preferences(row[5], row[6]),
        )
        for row in found
    }


def queue_letters(
    context: Context,
    session: Session,
    game: Game,
    notifications: Iterable[Notification],
    now: datetime,
    origin: Origin = UNKNOWN,
) -> None:
    """Store the letters that their readers want, to be sent once the caller has committed.

    `origin` is who causes them, as budgets.py counts those that their readers have not asked for.
    """
    asked = list(notifications)
    present = load_people(session, game.id) if asked else {}
    set_back = _find_set_back(session) if present else b""
    rows = []
    for notification in asked:
        reader = present.get(notification.seat)
        if reader is None:
            continue
        mover = game.seat == notification.seat
        situation = Situation(game.status, mover=mover, pressing=notification.pressing)
        reason = reason_to_drop(notification.kind, reader.preferences, situation)
        row = _build_row(context, session, game, notification, reader, reason, set_back, now)
        if reason is None and notification.is_unasked:
            reason = _spend_budget(session, row, origin, now)
            row |= outcome_of(reason)
            if reason in SPENT_BUDGETS:
                limit = SPENT_BUDGETS[reason]
                context.security.note(SecurityEvent.LIMIT_REACHED, origin.text, now, limit=limit)
        if reason is None or TRAITS[notification.kind].recorded:
            rows.append(row)
    if rows:
        session.connection().execute(INSERT_LETTERS, rows)
    if game.seat is not None and (LetterKind.YOUR_TURN, game.seat) in {(one.kind, one.seat) for one in asked}:
        _begin_clock_without_letter(session, game, present.get(game.seat), now)


def _begin_clock_without_letter(session: Session, game: Game, mover: Person | None, now: datetime) -> None:
    """Let the time for a turn begin where no letter tells it at once: their delays are the readers' own."""
    told = mover is not None and mover.preferences.letters and mover.preferences.pace == Pace.AT_ONCE
    if is_awaiting_letter(game) and not told:
        begin_turn_clock(session, game.id, game.seat, game.turn, now)


def _spend_budget(
    session: Session, row: Mapping[str, object], origin: Origin, now: datetime
) -> DropReason | None:
    """Write an unasked letter into the ledger; or why it is not to be sent."""
    address, message_id = str(row["recipient"]), str(row["message_id"])
    lock_beside(session.connection(), LEDGER)
    if is_origin_full(session, origin, now):
        return DropReason.ORIGIN_FULL
    reason = None
    if find_address_block(session, address) is not None:
        reason = DropReason.BLOCKED
    elif origin != OPERATOR and is_recipient_full(session, address, now):
        reason = DropReason.READER_FULL
    if reason is None or origin.kind not in UNTOLD_KINDS:
        record_unasked(session, message_id, "" if reason else address, origin, now)
    return reason


def _build_row(
    context: Context,
    session: Session,
    game: Game,
    notification: Notification,
    reader: Person,
    reason: DropReason | None,
    set_back: bytes,
    now: datetime,
) -> dict[str, object]:
    mail, content = notification.mail, notification.content
    kind = f"{notification.kind.mark}{notification.mark if mail is None else _conceal(context, mail.id)}"
    seq, domain = _act_number(game, notification.kind), context.settings.mail_domain
    era = (make_era_of(context, session, game.id, seq) if seq else b"") + set_back
    due_at = reader.preferences.letter_due_at(now) if is_held_back(content, notification.seat) else now
    return {
        "message_id": make_message_id(game.id, seq, notification.seat, kind, domain, era),
        "game": game.id,
        "seq": seq,
        "seat": notification.seat,
        "kind": notification.kind,
        "recipient": notification.recipient or reader.address,
        "detail": add_to_detail(encode_detail(content), SentLetter(answered=notification.answered)),
        "answers": None if mail is None else mail.message_id,
        **outcome_of(reason),
        "tries": 0,
        "text": "",
        "queued_at": now,
        "due_at": max(due_at, now + notification.later),
    }


def _conceal(context: Context, mail: int | None) -> str:
    """A mail as a Message-ID names it: its number would tell how many mails others wrote."""
    return context.links.keys.digest(Purpose.TAG, str(mail).encode()).hex()[:MARK_LENGTH]


def _find_set_back(session: Session) -> bytes:
    """When the database last came back from a backup; empty where it never did.

    Letters that are about no lost act have one act, and its era, with what was lost: the number of a mail
    that they answer is given again, and so is the hour of a letter of the day.
    """
    at = read_moment(session, MomentName.SET_BACK)
    return b"" if at is None else int(at.timestamp() * 1000).to_bytes(6)


def _act_number(game: Game, kind: LetterKind) -> int:
    """The number of the act that a letter is about; 0 for the one of the day, whatever happens meanwhile."""
    match kind:
        case LetterKind.YOUR_TURN | LetterKind.STEP | LetterKind.REMINDER:
            return game.after  # an act of the server's own may have come since
        case LetterKind.DIGEST:
            return 0
        case _:
            return game.seq


def release_told(session: Session, letter: OutgoingLetter) -> None:
    """A letter does not reach its reader: what it would have told waits again."""
    told = update(OutgoingLetter).where(col(OutgoingLetter.told_by) == letter.id)
    session.execute(told.values(**outcome_of(None), told_by=None))


def take_letters(session: Session, seating: Seating) -> None:
    """Letters to the player of a seat that wait are not sent, and those they got are theirs alone."""
    letters = (
        update(OutgoingLetter)
        .where(col(OutgoingLetter.game) == seating.game, col(OutgoingLetter.seat) == seating.seat)
        .where(col(OutgoingLetter.kind).not_in(GAMELESS_KINDS))
    )
    unsent = letters.where(col(OutgoingLetter.state).in_(UNSENT_STATES))
    session.execute(unsent.values(**outcome_of(DropReason.OUTDATED), told_by=None))
    session.execute(letters.values(seat=NO_SEAT))


def note_answered(session: Session, letter: OutgoingLetter, now: datetime) -> None:
    """A letter was answered: from its due date on its words are needed no more. The caller commits."""
    same = update(OutgoingLetter).where(
        col(OutgoingLetter.id) == letter.id, col(OutgoingLetter.state) == LetterState.SENT
    )
    session.connection().execute(same.values(due_at=now + ANSWERED_WORDS_KEPT_FOR))


def has_changed_since_letter(context: Context, session: Session, game: Game, seat: int) -> bool:
    """Whether the position has changed since the last letter that showed a seat how it stands."""
    last = last_sent_at(session, game.id, seat)
    return last is None or datetime.fromisoformat(find_moment(context, session, game.id, game.after)) > last


def last_sent_at(session: Session, game: str, seat: int) -> datetime | None:
    """When the last letter that shows the game went to a seat of it."""
    sent = SELECT_LAST_SENT.where(OUTGOING_COLUMNS.game == game, OUTGOING_COLUMNS.seat == seat)
    found: datetime | None = session.connection().execute(sent).scalar()
    return found
