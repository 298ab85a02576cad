"""Sentences of a mail about its writer's time: read as requests where they are certain, else asked about.

It is looked at only where nothing in it is an order, a plan or a message to others. So nobody has to know the
words of a line who writes to people.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import NoReturn
from zoneinfo import ZoneInfo

from emails.i18n import gettext
from emails.replies.dates.periods import DateQuestion
from emails.replies.grammars import ReadLine
from emails.replies.mail import Mail
from emails.replies.quotations import split_at_quotation
from emails.replies.reply_reader import Message
from emails.replies.wishes.wish_reader import Speaker, Wishes, read_wishes, seems_automatic
from emails.wording.presence import absence_text
from emails.wording.requests import Request, RequestKind, request_word
from server.inbox.correspondent import Correspondent
from server.inbox.wishes.motion_replies import MOTION_ALONE, asks_all
from server.inbox.wishes.plan_wishes import check_plan
from server.inbox.wishes.presence_mail import DaysUnclear, ask_about_question, note_haste, settle_days
from server.lobby.motions import MotionRefused, hours_added
from server.lobby.nudges import NUDGE_ALONE, NudgeRefused
from server.store.histories import require_started

BY_PROGRAM = "it holds words of programs that answer by themselves, and none for the game"


def is_automatic(writer: Correspondent, mail: Mail, message: Message) -> bool:
    """Whether a mail without orders and messages holds what programs write that answer by themselves."""
    said = any(line.is_command and (line.request is None) for line in message.found)
    own, _ = split_at_quotation(mail.text.lines)
    return not said and bool(message.lines) and seems_automatic(own, writer.lexicon)


def hear_wishes(writer: Correspondent, message: Message, now: datetime) -> Message:
    """The mail with what its sentences ask for as requests; as it is where they ask for nothing.

    Raises `DaysUnclear` with a question where it is not certain.
    """
    orders = [line for line in message.orders if line.refusal is None]
    if not message.orders or orders or message.doubtful or message.chat or message.plans:
        return message
    found = read_wishes([*message.lines, *message.rest], writer.lexicon, _speaker(writer, now))
    if found is None:
        return message
    if not found.certain or found.unclear is not None:
        _ask(writer, found)
    lines = [ReadLine(_line_of(one), True, request=one) for one in found.requests]
    return Message(
        tuple(lines), False, "", lines=tuple(line.words for line in lines), requests=found.requests
    )


def settle_wishes(writer: Correspondent, message: Message, now: datetime) -> Message:
    """The mail with what its sentences ask for as requests, and its days as dates. Raises `DaysUnclear`."""
    return note_haste(writer, settle_days(writer, hear_wishes(writer, message, now), now), now)


def check_wishes(message: Message, *, proven: bool) -> None:
    """Refuse wishes that do not stand beside the rest of a mail.

    Raises `NudgeRefused`, `PlanRefused` and `MotionRefused`.
    """
    nudging = any(one.kind == RequestKind.NUDGE for one in message.requests)
    if nudging and (message.orders or message.doubtful or not proven):
        raise NudgeRefused(gettext(NUDGE_ALONE))
    check_plan(message)
    if message.orders and asks_all(message.requests):
        raise MotionRefused(gettext(MOTION_ALONE))


def _speaker(writer: Correspondent, now: datetime) -> Speaker:
    table = require_started(writer.history).position.table
    own = _words_of(writer.person.name)
    others = frozenset(word for name in table.names for word in _words_of(name)) - own
    today = now.astimezone(ZoneInfo(writer.person.preferences.zone)).date()
    return Speaker(own, others, _words_of(table.names[table.seat]), today, writer.history.accord.is_paused)


def _words_of(name: str) -> frozenset[str]:
    return frozenset(name.casefold().split())


def _line_of(request: Request) -> str:
    return f"{request_word(request.kind)} {request.about}".strip()


def _ask(writer: Correspondent, found: Wishes) -> NoReturn:
    """Raise the question that fits what a mail seems to wish."""
    if isinstance(found.question, DateQuestion):
        raise DaysUnclear(ask_about_question(found.question))
    away = next((one for one in found.requests if one.kind is RequestKind.AWAY), None)
    if away is not None:
        first, _, last = away.about.partition(" - ")
        raise DaysUnclear(absence_text.ask_whether_away(date.fromisoformat(first), date.fromisoformat(last)))
    kind = found.unclear or next(one.kind for one in found.requests)
    match kind:
        case RequestKind.AWAY:
            raise DaysUnclear(absence_text.ask_clearer())
        case RequestKind.SLEEP | RequestKind.DAYS_OFF:
            raise DaysUnclear(absence_text.ask_about_rest())
        case RequestKind.MORE_TIME:
            raise DaysUnclear(absence_text.ask_about_more_time(hours_added(writer.game)))
        case RequestKind.PAUSE:
            raise DaysUnclear(absence_text.ask_about_pause())
        case _:
            raise DaysUnclear(absence_text.ask_for_line(request_word(kind)))
