"""Chat of a game: messages of players and of the server, each sent to each reader once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, func, update
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, or_, select

from emails.i18n import gettext, gettext_noop, ngettext
from emails.letters import game_letters
from emails.letters.parts import LONGEST_CHAT, UnreadChat
from emails.picture.palette import clean_name
from emails.tokens import mask_tokens
from emails.wording.phrases import format_deadline
from server.outbox.notifications import Notification
from server.outbox.queue import UnitOfWork, load_people
from server.store.context import Context
from server.store.event_log import Refusal, RefusalCode, StartedHistory, check_not_suspended
from server.store.models import (
    ChatMessage,
    Game,
    OutgoingLetter,
    ReadMarker,
    Resignation,
    Seating,
    count_rows,
)
from server.store.states import BEGUN, NO_ADDRESSEE, Announcement
from server.store.turn_clock import find_deadline


def store_message(unit: UnitOfWork, game: Game, message: ChatMessage) -> None:
    session = unit.session
    session.add(message)
    session.flush()
    letters, kind = list[Notification](), game_letters.Message.kind
    for seat in load_people(session, game.id):
        if seat == message.seat or message.addressee not in (None, seat):
            continue
        # The message's id would reveal how much others write. The time keeps marks unique after deletions.
        own = OutgoingLetter.game == game.id, OutgoingLetter.seat == seat, OutgoingLetter.kind == kind
        mark = f"-{count_rows(session, OutgoingLetter, *own) + 1}-{int(message.at.timestamp())}"
        pressing = message.announcement in PRESSING
        letters.append(Notification(seat, game_letters.Message(), mark=mark, pressing=pressing))
    unit.queue(game, letters)


def is_visible_to(seat: int | BindParameter[int]) -> ColumnElement[bool]:
    return or_(col(ChatMessage.addressee).is_(None), col(ChatMessage.addressee) == seat)


def is_unread_by(session: Session, game: str, seat: int) -> Sequence[ColumnElement[bool]]:
    seating, number = session.get(Seating, (game, seat)), col(ChatMessage.id)
    told = select(ReadMarker.message).where(ReadMarker.game == game, ReadMarker.seat == seat)
    later = number > (0 if seating is None else seating.chat_from)
    unheard = number > func.coalesce(told.scalar_subquery(), 0)
    return later, unheard, is_visible_to(seat), col(ChatMessage.seat).is_distinct_from(seat)


READER: BindParameter[int] = bindparam("reader")
IS_SHOWN = and_(
    col(Seating.game) == bindparam("of"),
    col(Seating.seat) == READER,
    col(ChatMessage.game) == Seating.game,
    col(ChatMessage.id) > Seating.chat_from,
    or_(is_visible_to(READER), col(ChatMessage.seat) == READER),
)
"""Condition of messages that pages show to a seat, including its own."""
COUNT_SHOWN = plain_select(func.count(col(ChatMessage.id))).where(IS_SHOWN)
SELECT_SHOWN = (
    select(ChatMessage).where(IS_SHOWN).order_by(col(ChatMessage.id).desc()).limit(bindparam("most"))
)


def load_last(session: Session, game: str, most: int, *which: ColumnElement[bool]) -> list[ChatMessage]:
    chosen = select(ChatMessage).where(ChatMessage.game == game, *which)
    return list(session.exec(chosen.order_by(col(ChatMessage.id).desc()).limit(most)))[::-1]


MOST_AN_HOUR = 60
MOST_IN_A_LETTER = 60


class ChatRefused(Refusal):
    """A message was not posted."""

    code = RefusalCode.CHAT


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """A message as a page shows it to one reader."""

    at: datetime
    writer: str
    """Name of the writer; empty for the server."""
    addressee: str
    """Name of the only reader; empty if all players may read the message."""
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
    """Store a message of a seat to another (None: to all) and queue its letters.

    The caller commits and wakes the worker. Raises `GameSuspended`, and `ChatRefused` if the game has not
    begun, or if the message is empty, too long, over the hourly limit, or addressed to its writer or to a
    seat without a person.
    """
    check_not_suspended(game)
    words = _clean_text(session, game, seat, addressee, words, now)
    message = ChatMessage(game=game.id, at=now, seat=seat, addressee=addressee, words=words)
    store_message(UnitOfWork(context, session, now), game, message)


def _clean_text(
    session: Session, game: Game, seat: int, addressee: int | None, words: str, now: datetime
) -> str:
    words = mask_tokens(clean_name(words, max(1, len(words))))
    if game.status not in BEGUN:
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
    own = ChatMessage.game == game.id, ChatMessage.seat == seat
    if count_rows(session, ChatMessage, *own, ChatMessage.at > now - timedelta(hours=1)) >= MOST_AN_HOUR:
        raise ChatRefused(gettext("You have written very much within an hour: please wait a little."))
    return words


def unread_chat(session: Session, game: str, seat: int) -> tuple[tuple[UnreadChat, ...], int]:
    """Return the messages that no letter to this seat has contained, and the highest id.

    Their text is in the current language. At most the last `MOST_IN_A_LETTER` are returned. The id is 0
    without messages.
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


def has_unread(session: Session, game: str, seat: int, *which: ColumnElement[bool]) -> bool:
    """Return whether there are messages that no letter to this seat has contained."""
    unread = select(ChatMessage.id).where(ChatMessage.game == game, *is_unread_by(session, game, seat))
    return session.exec(unread.where(*which).limit(1)).first() is not None


def load_conversation(session: Session, game: str, seat: int, most: int = 60) -> Sequence[ChatEntry]:
    """Return the last messages that a page shows to a seat, including its own, oldest first."""
    rows = session.exec(SELECT_SHOWN, params={"of": game, "reader": seat, "most": most}).all()[::-1]
    seats = _seats(session, game) if rows else {}
    return [ChatEntry(row.at, _writer(row, seats), _addressee(row, seats), _text_of(row)) for row in rows]


def count_visible_to(session: Session, game: str, seat: int) -> int:
    # not the last id, which would reveal the number of hidden messages
    return session.connection().execute(COUNT_SHOWN, {"of": game, "reader": seat}).scalar_one()


def pass_seat_on(session: Session, seating: Seating) -> None:
    """Prepare a seat's chat for its new player. Does not commit.

    The new player cannot read earlier messages. The former player's name stays on that player's messages.
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
    rows = session.exec(select(Seating.seat, Seating.name, Seating.chat_from).where(Seating.game == game))
    return {row[0]: (row[1], row[2]) for row in rows}


def _writer(row: ChatMessage, seats: dict[int, tuple[str, int]]) -> str:
    if row.seat is None:
        return ""
    return row.about or seats[row.seat][0]  # messages of a former player show the stored name


def _addressee(row: ChatMessage, seats: dict[int, tuple[str, int]]) -> str:
    if row.addressee is None or row.seat is None:
        return ""
    name, chat_from = seats.get(row.addressee, ("", 0))
    return name if (row.id or 0) > chat_from else gettext("the player who had the seat before")


def _text_of(row: ChatMessage) -> str:
    if row.announcement is None:
        return row.words
    name, moment = clean_name(row.about), ""
    if row.announcement in OF_MOMENTS:
        moment = format_deadline(datetime.fromisoformat(row.about))
    return gettext(ANNOUNCEMENTS[row.announcement], name=name, moment=moment)


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
    Announcement.TIME_ADDED: gettext_noop("%(name)s has got more time for this turn."),
    Announcement.GAME_RESUMED: gettext_noop("The game is resumed, and time runs again."),
    Announcement.PAUSED_UNTIL: gettext_noop(
        "The game is paused: no time runs on any turn until %(moment)s, when it goes on by itself. "
        "Turns can be played all the same."
    ),
    Announcement.TURN_GOES_ON: gettext_noop(
        "The game goes on, and it is your turn: you have until %(moment)s."
    ),
    Announcement.SEAT_KEPT: gettext_noop(
        "%(name)s has not played in time, so a caretaker plays for that seat until %(name)s is back."
    ),
    Announcement.SEAT_RETURNED: gettext_noop("%(name)s is back and plays again."),
    Announcement.TURNS_WAIT: gettext_noop(
        "%(name)s has written: no caretaker plays for that seat any more, and its turns wait for %(name)s."
    ),
    Announcement.SEAT_TAKEN_OVER: gettext_noop(
        "Somebody plays on for %(name)s, with the same cards and the same guards."
    ),
    Announcement.PAUSED_BY_OPERATOR: gettext_noop(
        "The operator of this server has paused the game: no time runs on any turn until it is resumed. "
        "Turns can be played all the same."
    ),
    Announcement.RESUMED_BY_OPERATOR: gettext_noop(
        "The operator of this server has resumed the game, and time runs again."
    ),
    Announcement.TIME_BY_OPERATOR: gettext_noop(
        "The operator of this server has given %(name)s more time for this turn."
    ),
    Announcement.REPLACED_BY_OPERATOR: gettext_noop(
        "The operator of this server has let somebody play on for %(name)s, with the same cards and the same "
        "guards."
    ),
    Announcement.SEAT_PASSED_OVER: gettext_noop(
        "The game goes on without %(name)s: the turns of that seat are skipped, and its guards stay, until "
        "%(name)s is back or somebody else plays there."
    ),
    Announcement.SET_BACK: gettext_noop(
        "The server lost its last hours. The game stands again where it stood on %(name)s (UTC): what you "
        "did after that did not count, so please do it again."
    ),
    Announcement.VOTE_DECLINED: gettext_noop("%(name)s does not agree to what was asked of all."),
    Announcement.VOTE_REFUSED: gettext_noop(
        "%(name)s does not agree to what you asked of all, so it is not done."
    ),
    Announcement.MORE_TIME_REFUSED: gettext_noop(
        "Nobody gives your turn more time: it ends as it would have."
    ),
    Announcement.TIME_GRANTED: gettext_noop("Your turn has got more time: until %(moment)s."),
    Announcement.TIME_WITHDRAWN: gettext_noop(
        "The 24 hours more of %(name)s are taken back, for another player does not agree."
    ),
    Announcement.TURN_SHORTENED: gettext_noop(
        "Another player does not agree to 24 hours more for your turn: you have until %(moment)s."
    ),
}
"""Text of each announcement. The database stores only the enum value: each reader gets a translation."""
OF_MOMENTS = frozenset(
    {
        Announcement.PAUSED_UNTIL,
        Announcement.TIME_GRANTED,
        Announcement.TURN_SHORTENED,
        Announcement.TURN_GOES_ON,
    }
)
"""Announcements that contain a time instead of a name."""
PRESSING = frozenset(
    {
        Announcement.SET_BACK,
        Announcement.VOTE_REFUSED,
        Announcement.MORE_TIME_REFUSED,
        Announcement.TIME_GRANTED,
        Announcement.TURN_SHORTENED,
        Announcement.PAUSED_UNTIL,
        Announcement.PAUSED_BY_OPERATOR,
        Announcement.TURN_GOES_ON,
    }
)
"""Announcements sent in a letter of their own, even to readers who want no letters about messages."""
OF_PRESENCE = frozenset(
    {Announcement.SEAT_KEPT, Announcement.RESIGNED, Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT}
)
OPPOSITES: Mapping[Announcement, Sequence[Announcement]] = {
    Announcement.LETTERS_STOPPED: (Announcement.LETTERS_RESUMED,),
    Announcement.LETTERS_RESUMED: (Announcement.LETTERS_STOPPED,),
    Announcement.MAIL_BOUNCED: (Announcement.MAIL_ARRIVES,),
    Announcement.BOUNCE_REPORTED: (Announcement.MAIL_ARRIVES,),
    Announcement.MAIL_ARRIVES: (Announcement.MAIL_BOUNCED, Announcement.BOUNCE_REPORTED),
    Announcement.MAIL_BOUNCED_UNTIMED: (Announcement.MAIL_ARRIVES_UNTIMED,),
    Announcement.SEAT_KEPT: (Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT),
    Announcement.RESIGNED: (Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT),
    Announcement.SEAT_RETURNED: (Announcement.SEAT_KEPT, Announcement.RESIGNED),
    Announcement.TURNS_WAIT: (Announcement.SEAT_KEPT, Announcement.RESIGNED),
    Announcement.MAIL_ARRIVES_UNTIMED: (Announcement.MAIL_BOUNCED_UNTIMED,),
}
"""For each announcement, the earlier ones that it cancels for readers who have not received them."""
# The player to move gets the second announcement of a pair, which contains the new deadline.
TOLD_MOVER: Mapping[Announcement, Announcement] = {
    Announcement.TIME_ADDED: Announcement.TIME_GRANTED,
    Announcement.TIME_WITHDRAWN: Announcement.TURN_SHORTENED,
    Announcement.GAME_RESUMED: Announcement.TURN_GOES_ON,
    Announcement.RESUMED_BY_OPERATOR: Announcement.TURN_GOES_ON,
}
MOST_TAKEN_BACK = 2


def announce_to(unit: UnitOfWork, game: Game, addressee: int, what: Announcement, about: str) -> None:
    """Post an announcement to one seat; `about`: name or time in it."""
    message = ChatMessage(
        game=game.id, at=unit.now, addressee=addressee, words="", announcement=what, about=about
    )
    store_message(unit, game, message)


def announce(unit: UnitOfWork, game: Game, seat: int, what: Announcement, *, name: str = "") -> None:
    """Post an announcement about a seat, or its former player `name`, to the other seats.

    An opposite announcement that a reader has not received is cancelled. Such a reader gets the new
    announcement only if the last one received about the player's presence differs. Nothing more is announced
    about a seat whose player has resigned.
    """
    session = unit.session
    if what != Announcement.RESIGNED and session.get(Resignation, (game.id, seat)) is not None:
        return
    present = load_people(session, game.id)
    name, contraries = name or present[seat].name, OPPOSITES.get(what, ())
    for other in present:
        if other == seat:
            continue
        opposite = col(ChatMessage.announcement).in_(contraries), col(ChatMessage.about) == name
        unread = is_unread_by(session, game.id, other)
        unheard = load_last(session, game.id, MOST_TAKEN_BACK, *unread, *opposite) if contraries else []
        for one in unheard:
            one.addressee = NO_ADDRESSEE
        if not unheard or _has_heard_otherwise(session, game.id, other, what, name):
            announce_to(unit, game, other, what, name)


def _has_heard_otherwise(session: Session, game: str, reader: int, what: Announcement, name: str) -> bool:
    if what not in OF_PRESENCE:
        return False
    of_them = col(ChatMessage.announcement).in_(OF_PRESENCE), col(ChatMessage.about) == name
    told = load_last(session, game, 1, col(ChatMessage.addressee) == reader, *of_them)
    return bool(told) and told[0].announcement != what


def announce_change(
    unit: UnitOfWork,
    game: Game,
    history: StartedHistory,
    what: Announcement,
    about: str = "",
    *,
    but: int | None = None,
    only: int | None = None,
) -> None:
    """Announce a change to all players except seat `but`, or only to seat `only`.

    `about`: name or time inserted in the text; by default the name of the player to move.
    """
    table = history.position.table
    mover = None if history.is_vacant(table.seat) else table.seat
    deadline = find_deadline(unit.session, game, unit.now)
    for seat in sorted(load_people(unit.session, game.id)):
        if seat == but or only not in (None, seat):
            continue
        told, of = what, about or table.names[table.seat]
        if seat == mover and what in TOLD_MOVER and deadline is not None:
            told, of = TOLD_MOVER[what], deadline.isoformat()
        announce_to(unit, game, seat, told, of)
