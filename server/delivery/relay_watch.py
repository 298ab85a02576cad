"""What follows when the relay goes away and when it is back, for the letters, the turns and the operator."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, update
from sqlmodel import Session, col, select

from server.accounts.bounces import MOST_READERS_REFUSED
from server.delivery.relay_record import RelayChange
from server.outbox.operator_mail import tell_operator
from server.outbox.posted_announcements import TOLD_AFTER, list_told_turns, tell_new_deadlines
from server.store.context import Context
from server.store.due_work import leave_uncounted
from server.store.models import OutgoingLetter
from server.store.server_moments import read_moment, write_moment
from server.store.states import Hindrance, LetterState, MomentName, OperatorMatter
from server.store.turn_clock import LEAST_ABSENCE, end_absence
from server.store.unasked_models import OperatorMail

MOST_REFUSALS = 3
"""How often a letter is refused for good before its reader counts as one whom letters do not reach."""
LETTERS_REFUSED_WORDS = """\
The relay refuses a letter for good, and does not say that there is no such address:

{reason}

It is tried {most} times. If others are taken meanwhile, its reader counts as one from whom letters come back:
their clock stands still, and the other players are told. If the letters of {readers} readers in a row are
refused, all wait until the relay takes one, and no time runs on any turn.

`alexandros letters --failed` lists the letters that have not reached their readers.
"""
RELAY_REFUSES_WORDS = """\
The relay refuses the letters of all readers, the last one with these words:

{reason}

They wait until it takes one, and no time runs on any turn. The server tries it again and again.
"""
RELAY_WAS_AWAY_WORDS = """\
From {since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC the relay took no letters:

{reason}

It takes them again. No time ran on any turn.
"""


def note_relay_change(context: Context, change: RelayChange | None, now: datetime) -> None:
    """Write down that the relay has gone away, or is back, and tell of it; None: nothing has changed."""
    if change is None:
        return
    if change.away:
        _note_away(context, change, now)
    else:
        _note_back(context, change, now)


def _note_away(context: Context, change: RelayChange, now: datetime) -> None:
    """The relay takes no letters, which is written down wherever it is not."""
    if change.is_new:
        context.events.note_relay_away(change.reason)
    with context.reading() as session:
        is_known = read_moment(session, MomentName.RELAY_AWAY) is not None
    if is_known and not (change.is_new and change.refuses_all):
        return
    with context.writing() as session:
        if read_moment(session, MomentName.RELAY_AWAY) is None:
            write_moment(session, MomentName.RELAY_AWAY, now)
        if change.refuses_all:
            words = RELAY_REFUSES_WORDS.format(reason=change.reason)
            tell_operator(context, session, OperatorMatter.RELAY_AWAY, words, now)
        session.commit()


def _note_back(context: Context, change: RelayChange, now: datetime) -> None:
    """The relay takes letters: what waited for it is due, and its absence is nobody's time."""
    with context.reading() as session:
        since = read_moment(session, MomentName.RELAY_AWAY)
        which = _waits_for_relay(now, ended=since is not None)
        waiting = session.exec(select(OutgoingLetter.id).where(which).limit(1)).first()
    if since is not None or waiting is not None:
        with context.writing() as session:
            told = list_told_turns(session, now)
            if end_absence(session, MomentName.RELAY_AWAY, now) >= TOLD_AFTER:
                tell_new_deadlines(context, session, told, now)
            if since is not None and now - since >= LEAST_ABSENCE:
                leave_uncounted(session, (since, now))
            session.execute(update(OutgoingLetter).where(which).values(due_at=now))
            operator = update(OperatorMail).where(col(OperatorMail.state) == LetterState.WAITING)
            session.execute(operator.where(col(OperatorMail.due_at) > now).values(due_at=now))
            if since is not None and now - since >= TOLD_AFTER:
                reason = change.reason or "Why is not known any more."
                words = RELAY_WAS_AWAY_WORDS.format(since=since, until=now, reason=reason)
                tell_operator(context, session, OperatorMatter.RELAY_AWAY, words, now)
            context.commit_work(session)
    if since is not None or change.seconds:
        context.events.note_relay_back(change.seconds or (now - (since or now)).total_seconds())


def tell_of_refusal(context: Context, session: Session, reason: str, now: datetime) -> None:
    """Let the operator know, once a day, that a letter was refused."""
    words = LETTERS_REFUSED_WORDS.format(reason=reason, most=MOST_REFUSALS, readers=MOST_READERS_REFUSED)
    tell_operator(context, session, OperatorMatter.LETTERS_REFUSED, words, now)


def _waits_for_relay(now: datetime, *, ended: bool) -> ColumnElement[bool]:
    """Which letters were put off for the sake of the relay; `ended`: an absence, and not one loss."""
    put_off = (Hindrance.RELAY, Hindrance.PERHAPS_TAKEN) if ended else (Hindrance.RELAY,)
    return and_(
        col(OutgoingLetter.state) == LetterState.WAITING,
        col(OutgoingLetter.due_at) > now,
        col(OutgoingLetter.hindrance).in_(put_off),
    )
