"""What players write to each other: kept, and told by letter, each message once to each reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BindParameter, ColumnElement, bindparam, func
from sqlmodel import Session, col, or_, select

from emails.i18n import gettext, gettext_noop, ngettext
from emails.letters.chat_excerpts import LONGEST_CHAT
from emails.letters.contexts import UnreadChat
from emails.letters.kinds import LetterKind
from emails.letters.proposal_letter import LONGEST_ADDRESS
from emails.links import mask_tokens
from emails.picture.palette import clean_name
from server.outbox.notifications import Notification
from server.outbox.queue import load_people, queue_letters
from server.store.context import Context
from server.store.models import ChatMessage, Game, OutgoingLetter, ReadMarker, Resignation, Seating
from server.store.refusals import Refusal, RefusalCode, check_not_suspended
from server.store.states import Announcement

MOST_AN_HOUR = 60
"""Messages that a seat may write within an hour."""
MOST_IN_A_LETTER = 60
"""Messages in one letter: of more, the last."""
NO_ADDRESSEE = -1
"""The addressee of a message that was taken back before they heard of it."""
READER: BindParameter[int] = bindparam("reader")
COUNT_VISIBLE = (
    select(func.count())
    .select_from(ChatMessage)
    .where(
        ChatMessage.game == bindparam("of"),
        or_(
            col(ChatMessage.addressee).is_(None),
            col(ChatMessage.addressee) == READER,
            col(ChatMessage.seat) == READER,
        ),
    )
)
"""A plain statement, for every page of a game has it done."""
ANNOUNCEMENTS: Mapping[Announcement, str] = {
    Announcement.LETTERS_STOPPED: gettext_noop(
        "%(name)s gets no more mails of this game. When the time for a turn of that seat is over, "
        "the server plays that turn for it."
    ),
    Announcement.LETTERS_RESUMED: gettext_noop("%(name)s gets mails of this game again."),
    Announcement.MAIL_BOUNCED: gettext_noop(
        "Mail to %(name)s comes back. The clock of that seat stands still, for 14 days at most. %(name)s can "
        "still play on the page of the game, and name another address there."
    ),
    Announcement.BOUNCE_REPORTED: gettext_noop(
        "A mail says that mail to %(name)s comes back. The clock of that seat stands still, for a day at "
        "most, or for 14 days if our own mail server refuses that address too. %(name)s can still play on "
        "the page of the game, and name another address there."
    ),
    Announcement.MAIL_BOUNCED_UNTIMED: gettext_noop(
        "Mail to %(name)s comes back. %(name)s can still play on the page of the game, and name another "
        "address there."
    ),
    Announcement.MAIL_ARRIVES: gettext_noop(
        "Mail reaches %(name)s again, and the clock of that seat goes on."
    ),
    Announcement.MAIL_ARRIVES_UNTIMED: gettext_noop("Mail reaches %(name)s again."),
    Announcement.CLOCK_PAUSE_ENDED: gettext_noop(
        "Mail to %(name)s has come back for 14 days, so the clock of that seat goes on. When the time for a "
        "turn of that seat is over, the server plays that turn for it."
    ),
    Announcement.REPORTED_PAUSE_ENDED: gettext_noop(
        "The clock of %(name)s has stood still for a day because mail comes back, so it goes on. When the "
        "time for a turn of that seat is over, the server plays that turn for it."
    ),
    Announcement.RESIGNED: gettext_noop("%(name)s has resigned, and a caretaker plays on for that seat."),
    Announcement.SECOND_ADDRESS_USED: gettext_noop(
        "Mail to %(address)s comes back, so your mails go to your second address from now on. You can "
        "change that in your settings."
    ),
    Announcement.SECOND_ADDRESS_ADDED: gettext_noop(
        "You have a second address now: when mail to the first comes back, your mails go to %(address)s, "
        "and answers from there count too. If that was not you, remove it in your settings."
    ),
}
"""What the server says: which of them is stored, for each reader hears it in their own language."""
OPPOSITES: Mapping[Announcement, Sequence[Announcement]] = {
    Announcement.LETTERS_STOPPED: (Announcement.LETTERS_RESUMED,),
    Announcement.LETTERS_RESUMED: (Announcement.LETTERS_STOPPED,),
    Announcement.MAIL_BOUNCED: (Announcement.MAIL_ARRIVES,),
    Announcement.BOUNCE_REPORTED: (Announcement.MAIL_ARRIVES,),
    Announcement.MAIL_ARRIVES: (Announcement.MAIL_BOUNCED, Announcement.BOUNCE_REPORTED),
    Announcement.MAIL_BOUNCED_UNTIMED: (Announcement.MAIL_ARRIVES_UNTIMED,),
    Announcement.MAIL_ARRIVES_UNTIMED: (Announcement.MAIL_BOUNCED_UNTIMED,),
}
"""What takes back what: whoever has heard of neither need not hear of both."""


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
    _store(context, session, game, message, now)


def announce_to(
    context: Context,
    session: Session,
    game: Game,
    addressee: int,
    announcement: Announcement,
    about: str,
    now: datetime,
) -> None:
    """Tell one seat what the server says of a name or an address. The caller commits and wakes the worker."""
    message = ChatMessage(
        game=game.id, at=now, addressee=addressee, words="", announcement=announcement, about=about
    )
    _store(context, session, game, message, now)


def _store(context: Context, session: Session, game: Game, message: ChatMessage, now: datetime) -> None:
    session.add(message)
    session.flush()
    readers = [
        one
        for one in load_people(session, game.id)
        if one != message.seat and message.addressee in (None, one)
    ]
    letters = (
        Notification(one, LetterKind.MESSAGE, mark=_mark_for(session, message, one)) for one in readers
    )
    queue_letters(context, session, game, letters, now)


def _mark_for(session: Session, message: ChatMessage, seat: int) -> str:
    """What tells the letter of a message from others to its reader: how many are known, and the moment.

    The number of the message itself would tell them how much others write to each other; the moment, because
    letters are not known for ever.
    """
    before = select(func.count()).select_from(OutgoingLetter).where(OutgoingLetter.kind == LetterKind.MESSAGE)
    before = before.where(OutgoingLetter.game == message.game, OutgoingLetter.seat == seat)
    return f"-{session.exec(before).one() + 1}-{int(message.at.timestamp())}"


def announce(
    context: Context, session: Session, game: Game, seat: int, what: Announcement, now: datetime
) -> None:
    """Tell the others what the server says of a seat. The caller commits.

    Whoever has not heard of the contrary yet hears of neither. Of a seat whose player has resigned nothing
    more is said: nobody waits for it.
    """
    if what != Announcement.RESIGNED and session.get(Resignation, (game.id, seat)) is not None:
        return
    present = load_people(session, game.id)
    name, contraries = present[seat].name, OPPOSITES.get(what, ())
    for other in present:
        if other == seat:
            continue
        opposite = col(ChatMessage.announcement).in_(contraries), col(ChatMessage.about) == name
        unheard = (
            _load_last(session, game.id, 1, *_is_unread_by(session, game.id, other), *opposite)
            if contraries
            else ()
        )
        if unheard:
            unheard[0].addressee = NO_ADDRESSEE
        else:
            announce_to(context, session, game, other, what, name, now)


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
    rows = _load_last(session, game, MOST_IN_A_LETTER, *_is_unread_by(session, game, seat))
    if not rows:
        return (), 0
    names = _names(session, game)
    told = (
        UnreadChat(_writer(row, names), _text_of(row), row.addressee is not None and row.seat is not None)
        for row in rows
    )
    return tuple(told), rows[-1].id or 0


def last_unread_number(session: Session, game: str, seat: int) -> int:
    """The number of the last message that no letter has told this seat; 0 where there is none."""
    chosen = select(func.max(ChatMessage.id)).where(
        ChatMessage.game == game, *_is_unread_by(session, game, seat)
    )
    return session.exec(chosen).one() or 0


def load_conversation(session: Session, game: str, seat: int, most: int = 60) -> Sequence[ChatEntry]:
    """The last messages that a seat may read, its own too, the oldest first; for the pages."""
    rows = _load_last(session, game, most, or_(_is_visible_to(seat), col(ChatMessage.seat) == seat))
    names = _names(session, game) if rows else {}
    return [
        ChatEntry(
            row.at,
            _writer(row, names),
            "" if row.addressee is None or row.seat is None else names[row.addressee],
            _text_of(row),
        )
        for row in rows
    ]


def count_visible_to(session: Session, game: str, seat: int) -> int:
    """How many messages a seat may read, its own too: the number of the last would tell of others' talk."""
    return int(session.connection().execute(COUNT_VISIBLE, {"of": game, "reader": seat}).scalar_one())


def _is_visible_to(seat: int) -> ColumnElement[bool]:
    return or_(col(ChatMessage.addressee).is_(None), col(ChatMessage.addressee) == seat)


def _is_unread_by(session: Session, game: str, seat: int) -> Sequence[ColumnElement[bool]]:
    heard = session.get(ReadMarker, (game, seat))
    later = col(ChatMessage.id) > (heard.message if heard else 0)
    return later, _is_visible_to(seat), col(ChatMessage.seat).is_distinct_from(seat)


def _load_last(session: Session, game: str, most: int, *which: ColumnElement[bool]) -> list[ChatMessage]:
    """The last messages of a game of which this holds, the oldest first."""
    chosen = (
        select(ChatMessage)
        .where(ChatMessage.game == game, *which)
        .order_by(col(ChatMessage.id).desc())
        .limit(most)
    )
    return list(session.exec(chosen))[::-1]


def _names(session: Session, game: str) -> dict[int, str]:
    rows = session.exec(select(Seating.seat, Seating.name).where(Seating.game == game))
    return {row[0]: row[1] for row in rows}


def _writer(row: ChatMessage, names: dict[int, str]) -> str:
    return "" if row.seat is None else names[row.seat]


def _text_of(row: ChatMessage) -> str:
    """What was written, or what the server says in the language spoken."""
    if row.announcement is None:
        return row.words
    name, address = clean_name(row.about), clean_name(row.about, LONGEST_ADDRESS)
    return gettext(ANNOUNCEMENTS[row.announcement], name=name, address=address)
