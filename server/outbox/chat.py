"""What players write to each other: kept, and told by letter, each message once to each reader."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, or_, select

from emails.i18n import say, say_many, sentence
from emails.letters.letter_kinds import Message as Told
from emails.letters.proposal_letter import LONGEST_ADDRESS
from emails.picture.palette import plain_name
from emails.replies.chat_lines import LONGEST as LONGEST
from server.outbox.notifications import Occasion
from server.outbox.queue import people, queue
from server.store.context import Office
from server.store.models import CANCELLED, Game, Heard, Message, Resigned, Seating

MOST = 60
"""Messages that a seat may write within an hour."""
MOST_TOLD = 60
"""Messages in one letter: of more, the last."""
NOBODY = -1
"""The addressee of a message that was taken back before he heard of it."""
STOPPED, BACK = "stopped", "back"
RETURNED, REACHED = "returned", "reached"
RETURNED_TIMELESS, REACHED_TIMELESS = "returned timeless", "reached timeless"
PATIENCE_ENDED = "patience ended"
GIVEN_UP = "resigned"
SECOND_USED, SECOND_ADDED = "second used", "second added"
OF_THE_SERVER = {
    STOPPED: sentence(
        "%(name)s gets no more letters of this game. When the time for a turn of that seat is over, "
        "the server plays a quiet turn for it."
    ),
    BACK: sentence("%(name)s gets letters of this game again."),
    RETURNED: sentence(
        "Mail to %(name)s comes back. The clock of that seat stands still, for 14 days at most. %(name)s can "
        "still play on the page of the game, and name another address there."
    ),
    RETURNED_TIMELESS: sentence(
        "Mail to %(name)s comes back. %(name)s can still play on the page of the game, and name another "
        "address there."
    ),
    REACHED: sentence("Mail reaches %(name)s again, and the clock of that seat goes on."),
    REACHED_TIMELESS: sentence("Mail reaches %(name)s again."),
    PATIENCE_ENDED: sentence(
        "Mail to %(name)s has come back for 14 days, so the clock of that seat goes on. When the time for a "
        "turn of that seat is over, the server plays a quiet turn for it."
    ),
    GIVEN_UP: sentence("%(name)s has resigned, and a caretaker plays on for that seat."),
    SECOND_USED: sentence(
        "Mail to %(address)s comes back, so your letters go to your second address from now on. You can "
        "change that in your settings."
    ),
    SECOND_ADDED: sentence(
        "You have a second address now: when mail to the first comes back, your letters go to %(address)s, "
        "and answers from there count too. If that was not you, remove it in your settings."
    ),
}
"""What the server says: which of them is stored, with a name, for each reader hears it in his language."""
CONTRARY = {
    STOPPED: BACK,
    BACK: STOPPED,
    RETURNED: REACHED,
    REACHED: RETURNED,
    RETURNED_TIMELESS: REACHED_TIMELESS,
    REACHED_TIMELESS: RETURNED_TIMELESS,
}
"""What takes back what: whoever has heard of neither need not hear of both."""


class NotSaid(ValueError):
    """A message that is not passed on; the sentence says why, in the language spoken."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message as a page shows it to one reader."""

    at: datetime
    writer: str
    """Empty: the server says it."""
    addressee: str
    """The name of who alone may read it; empty: everybody."""
    words: str


def post(
    office: Office,
    session: Session,
    game: Game,
    seat: int | None,
    addressee: int | None,
    words: str,
    now: datetime,
) -> None:
    """Keep what a seat (None: the server) writes to another (None: to all) and queue the letters of it.

    The caller commits and wakes the office. Raises `NotSaid`: empty, too long, too many, to himself, to a
    seat that no person plays, or in a game that has not started.
    """
    if seat is not None:
        words = _checked(session, game, seat, addressee, words, now)
    message = Message(game=game.id, at=now, seat=seat, addressee=addressee, words=words)
    session.add(message)
    session.flush()
    readers = [one for one in people(session, game.id) if one != seat and addressee in (None, one)]
    queue(office, session, game, (Occasion(one, "message", mark=str(message.id)) for one in readers), now)


def announce(office: Office, session: Session, game: Game, seat: int, what: str, now: datetime) -> None:
    """Tell the others what the server says of a seat, one of `OF_THE_SERVER`. The caller commits.

    Whoever has not heard of the contrary yet hears of neither. Of a seat whose player has resigned nothing
    more is said: nobody waits for it.
    """
    if what != GIVEN_UP and session.get(Resigned, (game.id, seat)) is not None:
        return
    present = people(session, game.id)
    words, contrary = (
        json.dumps({"says": one, "name": present[seat].name}) for one in (what, CONTRARY.get(what, ""))
    )
    for other in present:
        if other == seat:
            continue
        unheard = _last(
            session, game.id, 1, *_new_to(session, game.id, other), col(Message.words) == contrary
        )
        if unheard and unheard[0].seat is None:
            unheard[0].addressee = NOBODY
        else:
            post(office, session, game, None, other, words, now)


def _checked(
    session: Session, game: Game, seat: int, addressee: int | None, words: str, now: datetime
) -> str:
    words = plain_name(words, max(1, len(words)))
    if game.status in ("open", CANCELLED):
        raise NotSaid(say("The game has not started: there is nobody yet to tell it to."))
    if not words:
        raise NotSaid(say("There are no words in this message."))
    if len(words) > LONGEST:
        raise NotSaid(
            say_many(
                "A message has at most %(number)s character.",
                "A message has at most %(number)s characters.",
                LONGEST,
            )
        )
    if addressee == seat:
        raise NotSaid(say("You need no letter to tell yourself something."))
    if addressee is not None and addressee not in people(session, game.id):
        raise NotSaid(say("Nobody reads letters on that seat."))
    lately = (
        select(func.count())
        .select_from(Message)
        .where(Message.game == game.id, Message.seat == seat, Message.at > now - timedelta(hours=1))
    )
    if session.exec(lately).one() >= MOST:
        raise NotSaid(say("You have written very much within an hour: please wait a little."))
    return words


def unheard(session: Session, game: str, seat: int) -> tuple[tuple[Told, ...], int]:
    """What others wrote that no letter has told this seat, in the language spoken, and the highest number.

    The number is for `tables.Heard`; 0 where there is nothing. Of very many messages only the last are told.
    """
    rows = _last(session, game, MOST_TOLD, *_new_to(session, game, seat))
    if not rows:
        return (), 0
    names = _names(session, game)
    told = (
        Told(_writer(row, names), _words(row), row.addressee is not None and row.seat is not None)
        for row in rows
    )
    return tuple(told), rows[-1].id or 0


def highest_unheard(session: Session, game: str, seat: int) -> int:
    """The number of the last message that no letter has told this seat; 0 where there is none."""
    chosen = select(func.max(Message.id)).where(Message.game == game, *_new_to(session, game, seat))
    return session.exec(chosen).one() or 0


def conversation(session: Session, game: str, seat: int, most: int = 60) -> Sequence[Said]:
    """The last messages that a seat may read, its own too, the oldest first; for the pages."""
    names = _names(session, game)
    return [
        Said(
            row.at,
            _writer(row, names),
            "" if row.addressee is None or row.seat is None else names[row.addressee],
            _words(row),
        )
        for row in _last(session, game, most, or_(_to(seat), col(Message.seat) == seat))
    ]


def newest(session: Session, game: str, seat: int) -> int:
    """The number of the last message that a seat may read, its own too; 0 where there is none."""
    chosen = select(func.max(Message.id)).where(
        Message.game == game, or_(_to(seat), col(Message.seat) == seat)
    )
    return session.exec(chosen).one() or 0


def _to(seat: int) -> ColumnElement[bool]:
    return or_(col(Message.addressee).is_(None), col(Message.addressee) == seat)


def _new_to(session: Session, game: str, seat: int) -> Sequence[ColumnElement[bool]]:
    heard = session.get(Heard, (game, seat))
    later = col(Message.id) > (heard.message if heard else 0)
    return later, _to(seat), col(Message.seat).is_distinct_from(seat)


def _last(session: Session, game: str, most: int, *which: ColumnElement[bool]) -> list[Message]:
    """The last messages of a game of which this holds, the oldest first."""
    chosen = select(Message).where(Message.game == game, *which).order_by(col(Message.id).desc()).limit(most)
    return list(session.exec(chosen))[::-1]


def _names(session: Session, game: str) -> dict[int, str]:
    rows = session.exec(select(Seating.seat, Seating.name).where(Seating.game == game))
    return {row[0]: row[1] for row in rows}


def _writer(row: Message, names: dict[int, str]) -> str:
    return "" if row.seat is None else names[row.seat]


def _words(row: Message) -> str:
    """What was written, or what the server says in the language spoken."""
    if row.seat is not None:
        return row.words
    stored = json.loads(row.words)
    address = plain_name(stored.get("address", ""), LONGEST_ADDRESS)
    return say(OF_THE_SERVER[stored["says"]], name=plain_name(stored["name"]), address=address)
