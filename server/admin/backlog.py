"""Backlog: waiting rows and their age, and counts of mails that were not understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from emails.letters import game_letters
from emails.picture.palette import clean_name
from server.accounts.bounces import LONGEST_REASON
from server.delivery.claims import MAY_LEAVE, is_due
from server.outbox.notifications import decode_payload
from server.outbox.queue import read_sent_letter
from server.store.context import Context
from server.store.models import Game, IncomingMail, OutgoingLetter, UnsolicitedLetter
from server.store.schedule import GONE_AFTER, when_at_work
from server.store.states import GameStatus, Hindrance, LetterState, MailState, Role
from server.store.turn_clock import list_absences


@dataclass(frozen=True, slots=True)
class UnclearMailCount:
    kind: str
    mails: int
    asked: int
    chosen: tuple[tuple[str, int], ...]


def count_unclear_mails(session: Session) -> list[UnclearMailCount]:
    rows = session.exec(select(OutgoingLetter.detail).where(OutgoingLetter.kind == game_letters.Refused.kind))
    refused = [(decode_payload(game_letters.Refused, row), read_sent_letter(row).chosen) for row in rows]
    kinds = Counter(content.understood for content, _ in refused if content.understood)
    found: list[UnclearMailCount] = []
    for kind, mails in kinds.most_common():
        same = [one for one in refused if one[0].understood == kind]
        chosen = Counter(number for _, number in same if number)
        asked = sum(content.proposed for content, _ in same)
        found.append(UnclearMailCount(kind, mails, asked, tuple(sorted(chosen.items()))))
    return found


LONGEST_WAIT = timedelta(hours=1)
FAILED_OFTEN = 4  # attempts, after which a wait counts from the queuing instead of the due time
BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)
"""Start of plausible times. Damaged rows may hold earlier ones, which are ignored."""
NOTHING = timedelta()
FAILURES_REPORTED_FOR = timedelta(days=7)
MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Backlog:
    """Numbers and longest waits of letters, mails and games at a moment."""

    letters: int
    oldest_letter: timedelta
    """Longest wait of a letter that should have been sent; zero if there is none."""
    mails: int
    oldest_mail: timedelta
    letters_set_aside: int
    mails_set_aside: int
    running_games: int


def measure_backlog(session: Session, now: datetime) -> Backlog:
    return Backlog(
        _count_rows(session, col(OutgoingLetter.state) == LetterState.WAITING),
        measure_oldest_letter(session, now),
        _count_rows(session, col(IncomingMail.state) == MailState.WAITING),
        measure_oldest_mail(session, now),
        _count_rows(session, _is_set_aside(OutgoingLetter, LetterState.FAILED, now)),
        _count_rows(session, _is_set_aside(IncomingMail, MailState.REFUSED, now)),
        _count_rows(session, col(Game.status) == GameStatus.RUNNING),
    )


def measure_oldest_letter(session: Session, now: datetime) -> timedelta:
    unasked = select(UnsolicitedLetter.message_id).where(col(UnsolicitedLetter.sent_at).is_(None))
    due = select(func.min(OutgoingLetter.due_at)).where(is_due(now), col(OutgoingLetter.due_at) > BEFORE_ALL)
    due = due.where(col(OutgoingLetter.message_id).not_in(unasked))
    refused = select(func.min(OutgoingLetter.queued_at)).where(
        MAY_LEAVE,
        or_(
            col(OutgoingLetter.tries) >= FAILED_OFTEN,
            and_(col(OutgoingLetter.why) != "", col(OutgoingLetter.due_at) <= now),
            col(OutgoingLetter.hindrance).in_((Hindrance.RELAY, Hindrance.PERHAPS_TAKEN)),
        ),
        col(OutgoingLetter.queued_at).between(BEFORE_ALL, now),
    )
    since: list[datetime | None] = [session.scalar(due), session.scalar(refused)]
    return max((now - at for at in since if at is not None), default=NOTHING)


def measure_oldest_mail(session: Session, now: datetime) -> timedelta:
    waiting = IncomingMail.state == MailState.WAITING
    oldest = select(func.min(IncomingMail.at)).where(waiting, col(IncomingMail.at).between(BEFORE_ALL, now))
    since: datetime | None = session.scalar(oldest)
    return NOTHING if since is None else now - since


def describe_backlog(context: Context, now: datetime) -> Iterator[str]:
    """Yield a sentence for the operator for each kind of work that waits too long or was given up."""
    looks = (_describe_roles, _describe_absences, _describe_waiting, _describe_put_off, _describe_set_aside)
    for look in (*looks, _describe_failed):
        with context.reading() as session:
            try:
                yield from look(session, now)
            except ValueError as error:  # a damaged row does not hide the rest
                yield f"some letters or mails cannot be read: {error}"


def _describe_roles(session: Session, now: datetime) -> Iterator[str]:
    last = {role: when_at_work(session, role) for role in Role}
    missed = [role for role, at in last.items() if at is None or now - at > GONE_AFTER]
    for role in missed if len(missed) < len(last) else ():
        since = "" if (at := last[role]) is None else f" since {at:%Y-%m-%d %H:%M} UTC"
        yield f"no process does the work of the role {role}{since}"


def _describe_absences(session: Session, _: datetime) -> Iterator[str]:
    for what, since in list_absences(session):
        yield f"{what} since {since:%Y-%m-%d %H:%M} UTC"


def _describe_waiting(session: Session, now: datetime) -> Iterator[str]:
    found = measure_backlog(session, now)
    if found.oldest_letter > LONGEST_WAIT:
        yield f"{found.letters} letters wait, the oldest due one for {describe_wait(found.oldest_letter)}"
    if found.oldest_mail > LONGEST_WAIT:
        yield f"{found.mails} mails are unread, the oldest for {describe_wait(found.oldest_mail)}"


def describe_wait(span: timedelta) -> str:
    hours = span // timedelta(hours=1)
    return "an hour" if hours == 1 else f"{hours} hours"


def _describe_put_off(session: Session, _: datetime) -> Iterator[str]:
    tried = select(OutgoingLetter.id, OutgoingLetter.why).where(
        OutgoingLetter.state == LetterState.WAITING, OutgoingLetter.why != ""
    )
    found = session.exec(tried.order_by(col(OutgoingLetter.id)).limit(MOST_NAMED + 1)).all()
    if found:
        numbers = _list_numbers([number for number, _ in found])
        yield f"letters that wait after an error: {numbers}; {found[-1][1]}"


def _describe_set_aside(session: Session, _: datetime) -> Iterator[str]:
    asides: dict[str, SelectOfScalar[int | None]] = {
        "mails": select(col(IncomingMail.id)).where(
            IncomingMail.state == MailState.REFUSED, IncomingMail.hindrance == Hindrance.SET_ASIDE
        ),
        "letters": select(col(OutgoingLetter.id)).where(
            OutgoingLetter.state == LetterState.FAILED, OutgoingLetter.hindrance == Hindrance.SET_ASIDE
        ),
    }
    for name, chosen in asides.items():
        numbers = session.exec(chosen.order_by("id").limit(MOST_NAMED + 1)).all()
        if numbers:
            yield f"{name} given up after errors: {_list_numbers(numbers)}"


def _list_numbers(numbers: Sequence[int | None]) -> str:
    named = ", ".join(map(str, numbers[:MOST_NAMED]))
    return f"{named}, …" if len(numbers) > MOST_NAMED else named


def _describe_failed(session: Session, now: datetime) -> Iterator[str]:
    why, last = col(OutgoingLetter.why), func.max(col(OutgoingLetter.id))
    failed = select(OutgoingLetter.why, func.count(), last).where(
        OutgoingLetter.state == LetterState.FAILED,
        col(OutgoingLetter.queued_at) > now - FAILURES_REPORTED_FOR,
        col(OutgoingLetter.hindrance).not_in((Hindrance.CAME_BACK, Hindrance.SET_ASIDE)),
    )
    for reply, number, letter in session.exec(failed.group_by(why).order_by(last.desc()).limit(MOST_NAMED)):
        game = session.exec(select(OutgoingLetter.game).where(OutgoingLetter.id == letter)).one()
        letters = "1 letter was" if number == 1 else f"{number} letters were"
        said = clean_name(reply, LONGEST_REASON)
        yield f"{letters} refused for good within a week, the last of game {game}: {said}"


def _is_set_aside(
    table: type[OutgoingLetter] | type[IncomingMail], state: str, now: datetime
) -> ColumnElement[bool]:
    late = col(table.due_at) > now - FAILURES_REPORTED_FOR
    return and_(col(table.state) == state, late, col(table.hindrance) == Hindrance.SET_ASIDE)


def _count_rows(session: Session, which: ColumnElement[bool]) -> int:
    return session.exec(select(func.count()).where(which)).one()
