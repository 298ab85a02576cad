"""The time for a turn: it begins when its player can know of it, and what is nobody's is not counted.

In a game with a limit `turn_began_at` and `deadline` are empty from the act that passes the turn until the
letter that tells it has left, or its player has it before them on a page, or acts there. A clock that runs
has its deadline as long after its beginning as the game gives for a turn; one that was stopped has a
beginning and no deadline.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, String, Update, and_, cast, func, literal, not_, update
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.store.columns import UTCDateTime
from server.store.due_work import AT_ONCE
from server.store.models import Act, Game, IncomingMail, OutgoingLetter, Seating
from server.store.moments import clear_moment, read_moment
from server.store.states import GameStatus, LetterState, MailState, MomentName

LETTER_ON_ITS_WAY = timedelta(minutes=2)
"""After an act: a letter that has not left by then waits for something."""
LEAST_ABSENCE = timedelta(minutes=1)
"""How long a relay is away at least before the time of turns stands still for it."""
PUT_OFF_WHILE_AWAY = timedelta(minutes=1)
"""How long a game that is due is not looked at again while no turn may end."""
LONGEST_DAY = timedelta(hours=25)
"""Between two letters of the day."""
STORED_FORM = "%Y-%m-%d %H:%M:%f000"
"""How SQLite writes a moment as the other columns have it."""
MOVED = ("turn_began_at", "deadline", "due_at")
Span = tuple[datetime, datetime]
"""From a moment, which is not in it, to another, which is."""


def begin_turn_clock(session: Session, game: str, seat: int, turn: int, at: datetime) -> bool:
    """Let the time for a turn begin; whether that is new. No commit.

    Nothing happens where it has begun, where its clock is stopped, and where the turn has passed.
    """
    same = (Game.id == game, Game.seat == seat, Game.turn == turn, Game.status == GameStatus.RUNNING)
    not_begun = (col(Game.turn_began_at).is_(None), col(Game.suspended_at).is_(None))
    hours = session.exec(select(Game.hours).where(*same, *not_begun)).first()
    if not hours:
        return False
    begun = {"turn_began_at": at, "deadline": at + timedelta(hours=hours), "due_at": AT_ONCE}
    session.execute(update(Game).where(col(Game.id) == game).values(begun))
    return True


def is_awaiting_letter(game: Game) -> bool:
    """Whether the time for the turn has not begun, since the letter that tells it has not left."""
    has_clock = game.status == GameStatus.RUNNING and game.hours and game.suspended_at is None
    return bool(has_clock) and game.turn_began_at is None


def deadline_from(game: Game, at: datetime) -> datetime | None:
    """The deadline of a turn as a letter names it whose leaving lets its time begin."""
    return at + timedelta(hours=game.hours) if is_awaiting_letter(game) else game.deadline


def shown_deadline(session: Session, game: Game, now: datetime) -> datetime | None:
    """The deadline of a turn as pages show it: while its letter is only on its way, what it will be."""
    if not is_awaiting_letter(game):
        return game.deadline
    passed = session.get(Act, (game.id, game.after))
    at = now if passed is None else min(datetime.fromisoformat(passed.at), now)
    return deadline_from(game, at) if now - at < LETTER_ON_ITS_WAY else None


def shift_clocks(session: Session, by: timedelta, but: Span | None = None) -> None:
    """Move the time of all turns whose clock runs; not of those begun within a span. No commit."""
    running = update(Game).where(col(Game.deadline).is_not(None))
    if but is not None:
        running = running.where(not_(_is_within(col(Game.turn_began_at), but)))
    _execute(session, running.values({name: _moved(getattr(Game, name), by) for name in MOVED}))


def give_back(session: Session, lost: Span) -> None:
    """Give all turns a span of time in which nobody could play. No commit.

    A turn that has begun in it has its whole time from its end on. No row is read, so that none that cannot
    be read holds up the others.
    """
    since, until = lost
    begun = update(Game).where(col(Game.deadline).is_not(None), _is_within(col(Game.turn_began_at), lost))
    whole = func.coalesce(_hours_from(until, "+"), col(Game.deadline))
    _execute(session, begun.values(turn_began_at=until, deadline=whole, due_at=AT_ONCE))
    shift_clocks(session, until - since, but=lost)  # those have begun at its end, which is in the span


def give_grace(session: Session, until: datetime) -> None:
    """Let no turn end before a moment: mail that was sent in time may not have come yet. No commit."""
    ending = update(Game).where(col(Game.deadline) < until)
    began = func.coalesce(_hours_from(until, "-"), col(Game.turn_began_at))
    _execute(session, ending.values(turn_began_at=began, deadline=until, due_at=AT_ONCE))


def end_relay_absence(session: Session, now: datetime) -> timedelta:
    """The relay takes letters again: the time for which it was away is nobody's; how long. No commit."""
    since = read_moment(session, MomentName.RELAY_AWAY)
    clear_moment(session, MomentName.RELAY_AWAY)
    put_off = update(Game).where(col(Game.due_at) > AT_ONCE, col(Game.due_at) <= now + PUT_OFF_WHILE_AWAY)
    _execute(session, put_off.values(due_at=AT_ONCE))
    if since is not None and now - since >= LEAST_ABSENCE:
        give_back(session, (since, now))
    return timedelta(0) if since is None else max(now - since, timedelta(0))


def leave_uncounted(session: Session, lost: Span) -> None:
    """Let a span in which none could leave not count as time for which letters were tried. No commit.

    A link to sign in grows old in it all the same.
    """
    queued_at = col(OutgoingLetter.queued_at)
    latest = func.min(_moved(queued_at, lost[1] - lost[0]), literal(lost[1], UTCDateTime))
    waiting = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        queued_at < lost[1],
        col(OutgoingLetter.kind) != LetterKind.SIGNIN,
    )
    _execute(session, waiting.values(queued_at=func.coalesce(latest, queued_at)))


def shift_waiting(session: Session, by: timedelta, newer: Span) -> None:
    """Move what letters, mails, games and seats wait for as the wall clock was set; no commit.

    `newer`: since the clock was last looked at; what has come up in it goes by the new time already.
    """
    now = newer[1]
    letters = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        col(OutgoingLetter.due_at) > now - max(by, timedelta(0)),
        not_(_is_within(col(OutgoingLetter.queued_at), newer)),
    )
    _execute(session, letters.values(due_at=_moved(col(OutgoingLetter.due_at), by)))
    queued = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING,
        not_(_is_within(col(OutgoingLetter.queued_at), newer)),
    )  # from then on it is counted for how long they are tried
    _execute(session, queued.values(queued_at=_moved(col(OutgoingLetter.queued_at), by)))
    if by > timedelta(0):
        return  # all else is looked at too early, which does no harm
    _execute(session, update(OutgoingLetter).where(col(OutgoingLetter.sent_at) > now).values(sent_at=now))
    mails = update(IncomingMail).where(col(IncomingMail.state) == MailState.WAITING)
    _execute(session, mails.where(col(IncomingMail.due_at) > now).values(due_at=now))
    games = update(Game).where(col(Game.due_at) > now, col(Game.deadline).is_(None))
    _execute(session, games.values(due_at=AT_ONCE))
    seats = update(Seating).where(col(Seating.daily_at) > now + LONGEST_DAY)
    _execute(session, seats.values(daily_at=AT_ONCE))


def _hours_from(at: datetime, sign: str) -> ColumnElement[Any]:
    """The hours of a turn after ("+") or before ("-") a moment; none where they cannot be read."""
    hours = literal(sign) + cast(Game.hours, String) + literal(" hours")
    return func.strftime(STORED_FORM, f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}", hours)


def _is_within(column: Any, span: Span) -> ColumnElement[bool]:
    return and_(column > span[0], column <= span[1])


def _moved(column: Any, by: timedelta) -> ColumnElement[Any]:
    """A stored moment, moved; what is none stays as it is."""
    moved = func.strftime(STORED_FORM, column, f"{by.total_seconds():+.3f} seconds")
    return func.coalesce(moved, column)


def _execute(session: Session, change: Update) -> None:
    session.execute(change, execution_options={"synchronize_session": False})
