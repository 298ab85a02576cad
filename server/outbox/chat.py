"""What players write to each other: kept, and told by letter, each message once to each reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BindParameter, and_, bindparam, func, update
from sqlmodel import Session, col, or_, select

from emails.i18n import gettext, ngettext
from emails.letters.chat_excerpts import LONGEST_CHAT
from emails.letters.contexts import UnreadChat
from emails.links import mask_tokens
from emails.picture.palette import clean_name
from emails.wording.times.deadlines import format_deadline
from server.outbox.announcements import ANNOUNCEMENTS, OF_MOMENTS
from server.outbox.chat_messages import is_unread_by, is_visible_to, load_last, store_message
from server.outbox.queue import load_people
from server.store.context import Context
from server.store.models import ChatMessage, Game, ReadMarker, Seating
from server.store.refusals import Refusal, RefusalCode, check_not_suspended

MOST_AN_HOUR = 60
"""Messages that a seat may write within an hour."""
MOST_IN_A_LETTER = 60
"""Messages in one letter: of more, the last."""
READER: BindParameter[int] = bindparam("reader")
COUNT_VISIBLE = (
    select(func.count())
    .select_from(ChatMessage)
    .join(Seating, and_(col(Seating.game) == ChatMessage.game, col(Seating.seat) == READER))
    .where(
        ChatMessage.game == bindparam("of"),
        col(ChatMessage.id) > Seating.chat_from,
        or_(
            col(ChatMessage.addressee).is_(None),
            col(ChatMessage.addressee) == READER,
            col(ChatMessage.seat) == READER,
        ),
    )
)
"""A plain statement, for every page of a game has it done."""


class ChatRefused(Refusal):
    """A message that is not passed on."""

    code = RefusalCode.CHAT


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """A message as a page shows it to one reader."""

    at: datetime
    writer: str
    """Empty: the server says it."""
    addressee: str
    """The name of who alone may read it; empty: everybody."""
    words: str


def post(
    context: Context,
    session: Session,
    game: Game,
    seat: int,
    addressee: int | None,
    words: str,
    now: datetime,
) -> None:
    """Keep what a seat writes to another (None: to all) and queue the letters of it.

    The caller commits and wakes the worker. Raises `ChatRefused`: empty, too long, too many, to themselves,
    to a seat that no person plays, or in a game that has not started; `GameSuspended` in one that is halted.
    """
    check_not_suspended(game)
    words = _clean_text(session, game, seat, addressee, words, now)
    message = ChatMessage(game=game.id, at=now, seat=seat, addressee=addressee, words=words)
    store_message(context, session, game, message, now)


def _clean_text(
    session: Session, game: Game, seat: int, addressee: int | None, words: str, now: datetime
) -> str:
    words = mask_tokens(clean_name(words, max(1, len(words))))
    if not game.status.has_begun:
        raise ChatRefused(gettext("The game has not started: there is nobody yet to tell it to."))
    if not words:
        raise ChatRefused(gettext("There are no words in this message."))
    if len(words) > LONGEST_CHAT:
        raise ChatRefused(
            ngettext(
                "A message has at most %(number)s character.",
                "A message has at most %(number)s characters.",
                LONGEST_CHAT,
            )
        )
    if addressee == seat:
        raise ChatRefused(gettext("You need no mail to tell yourself something."))
    if addressee is not None and addressee not in load_people(session, game.id):
        raise ChatRefused(gettext("Nobody reads mails on that seat."))
    lately = (
        select(func.count())
        .select_from(ChatMessage)
        .where(
            ChatMessage.game == game.id, ChatMessage.seat == seat, ChatMessage.at > now - timedelta(hours=1)
        )
    )
    if session.exec(lately).one() >= MOST_AN_HOUR:
        raise ChatRefused(gettext("You have written very much within an hour: please wait a little."))
    return words


def unread_chat(session: Session, game: str, seat: int) -> tuple[tuple[UnreadChat, ...], int]:
    """What others wrote that no letter has told this seat, in the language spoken, and the highest number.

    The number is for `ReadMarker`; 0 where there is nothing. Of very many messages only the last are told.
    """
    rows = load_last(session, game, MOST_IN_A_LETTER, *is_unread_by(session, game, seat))
    if not rows:
        return (), 0
    seats = _seats(session, game)
    told = (
        UnreadChat(_writer(row, seats), _text_of(row), row.addressee is not None and row.seat is not None)
        for row in rows
    )
    return tuple(told), rows[-1].id or 0


def last_unread_number(session: Session, game: str, seat: int) -> int:
    """The number of the last message that no letter has told this seat; 0 where there is none."""
    chosen = select(func.max(ChatMessage.id)).where(
        ChatMessage.game == game, *is_unread_by(session, game, seat)
    )
    return session.exec(chosen).one() or 0


def load_conversation(session: Session, game: str, seat: int, most: int = 60) -> Sequence[ChatEntry]:
    """The last messages that a seat may read, its own too, the oldest first; for the pages."""
    own = session.get(Seating, (game, seat))
    later = col(ChatMessage.id) > (0 if own is None else own.chat_from)
    mine = or_(is_visible_to(seat), col(ChatMessage.seat) == seat)
    rows = load_last(session, game, most, later, mine)
    seats = _seats(session, game) if rows else {}
    return [ChatEntry(row.at, _writer(row, seats), _addressee(row, seats), _text_of(row)) for row in rows]


def count_visible_to(session: Session, game: str, seat: int) -> int:
    """How many messages a seat may read, its own too: the number of the last would tell of others' talk."""
    return int(session.connection().execute(COUNT_VISIBLE, {"of": game, "reader": seat}).scalar_one())


def pass_seat_on(session: Session, seating: Seating) -> None:
    """Let whoever plays on for a seat read nothing of before, and what was written there keep its writer.

    No commit.
    """
    session.flush()
    last = session.exec(select(func.max(ChatMessage.id)).where(ChatMessage.game == seating.game)).one() or 0
    written = update(ChatMessage).where(
        col(ChatMessage.game) == seating.game,
        col(ChatMessage.seat) == seating.seat,
        col(ChatMessage.announcement).is_(None),
        col(ChatMessage.about) == "",
    )
    session.execute(written.values(about=seating.name))
    seating.chat_from = last
    marker = session.get(ReadMarker, (seating.game, seating.seat))
    marker = marker or ReadMarker(game=seating.game, seat=seating.seat, message=last)
    marker.message = last
    session.add(marker)


def _seats(session: Session, game: str) -> dict[int, tuple[str, int]]:
    """The name on each seat of a game, and the last message before its player came."""
    rows = session.exec(select(Seating.seat, Seating.name, Seating.chat_from).where(Seating.game == game))
    return {row[0]: (row[1], row[2]) for row in rows}


def _writer(row: ChatMessage, seats: dict[int, tuple[str, int]]) -> str:
    if row.seat is None:
        return ""
    return row.about or seats[row.seat][0]  # who had the seat before is named with their words


def _addressee(row: ChatMessage, seats: dict[int, tuple[str, int]]) -> str:
    if row.addressee is None or row.seat is None:
        return ""
    name, chat_from = seats.get(row.addressee, ("", 0))
    return name if (row.id or 0) > chat_from else gettext("whoever had the seat before")


def _text_of(row: ChatMessage) -> str:
    """What was written, or what the server says in the language spoken."""
    if row.announcement is None:
        return row.words
    name, moment = clean_name(row.about), ""
    if row.announcement in OF_MOMENTS:
        moment = format_deadline(datetime.fromisoformat(row.about))
    return gettext(ANNOUNCEMENTS[row.announcement], name=name, moment=moment)
