"""Sentences of a mail about its writer's time: read as requests where they are certain, else asked about.

It is looked at only where nothing in it is an order, a plan or a message to others. So nobody has to know the
words of a line who writes to people.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from emails.i18n import gettext, gettext_noop
from emails.names import plain_name
from emails.plans.plan_text import example_condition
from emails.replies.dates.days_answers import days_asked
from emails.replies.grammars import ReadLine
from emails.replies.mail import Mail
from emails.replies.plan_lines import seems_plan
from emails.replies.quotations import split_at_quotation
from emails.replies.remarks.classification import classify
from emails.replies.remarks.footers import is_device_line
from emails.replies.remarks.remark_kinds import RemarkContext, RemarkKind
from emails.replies.reply_reader import DOUBT, LONGEST_DOUBT, Message
from emails.replies.time_requests.request_sentences import has
from emails.replies.time_requests.topic_mail import Speaker, TopicGuess
from emails.replies.time_requests.topics import guess_request
from emails.wording.presence.time_questions import TimeQuestionContext, ask_whether
from emails.wording.requests import (
    REQUESTS_ASKED_BACK,
    REQUESTS_OF_PRESENCE,
    Request,
    RequestKind,
    request_word,
)
from server.inbox.requests.plan_requests import check_plan
from server.inbox.requests.presence_mail import (
    DaysUnclear,
    ask_about_question,
    find_days_beside,
    note_haste,
    settle_days,
)
from server.inbox.requests.vote_replies import ASKED_ALONE, ask_whether_agreed, asks_all, fit_request
from server.inbox.screening import Correspondent
from server.lobby.nudges import NUDGE_ALONE, NudgeRefused
from server.lobby.votes import VoteRefused
from server.store.context import Context
from server.store.histories import require_started
from server.turns.plans import PlanRefused

PLAN_UNREAD = gettext_noop(
    "You seem to plan a turn, and it was not understood to the last word. "
    "A plan is written such as “%(plan)s”."
)
BY_PROGRAM = "it holds words of programs that answer by themselves, and none for the game"


def is_automatic(writer: Correspondent, mail: Mail, message: Message) -> bool:
    """Whether a mail without orders and messages holds what programs write that answer by themselves."""
    said = any(line.is_command and (line.request is None) for line in message.found)
    own, _ = split_at_quotation(mail.text.lines)
    automatic = writer.lexicon.topics.automatic
    programmed = any(has(" ".join(line.casefold().split()), automatic) for line in own)
    return not said and bool(message.lines) and programmed


class ProposedRequest(Exception):
    """What a mail about time may mean that was not understood to the last word: its writer is asked.

    The best meaning comes first; each has its question.
    """

    def __init__(self, meanings: tuple[Request, ...], questions: tuple[str, ...]) -> None:
        super().__init__(" ".join(questions))
        self.meanings, self.questions = meanings, questions


def hear_requests(context: Context, writer: Correspondent, message: Message, now: datetime) -> Message:
    """The mail with what its sentences ask for as a request; as it is where they ask for nothing.

    Raises `ProposedRequest` where it is not certain, and `DaysUnclear` where days away have to be told.
    """
    speaker = _speaker(writer, now)
    _refuse_likely_plan(writer, message, speaker)
    in_doubt = requests_in_doubt(writer, message, now)
    days_beside = find_days_beside(message, writer.lexicon)
    if not (in_doubt or _is_in_sentences(message)) and not (days_beside and _tells_presence_alone(message)):
        return _doubt(message, days_beside) if days_beside else _doubt_beside_plan(writer, message)
    guess = guess_request([*message.lines, *message.rest], writer.lexicon, speaker) or TopicGuess()
    if guess.plain and not in_doubt:
        return _as_request(guess.meanings[0])
    if guess.meanings:
        meanings = tuple(fit_request(writer, one, now) for one in guess.meanings)
        raise ProposedRequest(meanings, _list_questions(writer, speaker, meanings))
    if guess.doubt is not None:
        raise DaysUnclear(ask_about_question(guess.doubt), days_asked(guess.doubt))
    if days_beside:
        return _doubt(message, days_beside)
    ask_whether_agreed(context, message, writer, now)
    return message


def is_unread(writer: Correspondent, message: Message, now: datetime) -> bool:
    """Whether nothing of a mail can be done, nor its writer be asked whether it is meant."""
    doubtful = message.doubtful and not message.may_be_meant
    return not message.lines or (doubtful and not requests_in_doubt(writer, message, now))


def requests_in_doubt(writer: Correspondent, message: Message, now: datetime) -> bool:
    """Whether a doubtful mail holds nothing but sentences about time: no order, chat, plan or request."""
    said = message.chat or message.plans or message.requests
    if not message.doubtful or said or any(line.refusal is None for line in message.orders):
        return False
    return guess_request([*message.lines, *message.rest], writer.lexicon, _speaker(writer, now)) is not None


def _doubt(message: Message, line: str) -> Message:
    """A mail that a line beside what it asks for makes doubtful."""
    return replace(message, doubtful=True, reason=gettext(DOUBT, line=line[:LONGEST_DOUBT]), doubt=line)


def _tells_presence_alone(message: Message) -> bool:
    """Whether a mail asks for nothing but that its writer is away, or back."""
    other = message.orders or message.doubtful or message.chat or message.plans
    return not other and all(one.kind in REQUESTS_OF_PRESENCE for one in message.requests)


def _is_in_sentences(message: Message) -> bool:
    """Whether a mail says something that is no order, and no order, plan or message beside it."""
    readable = any(line.refusal is None for line in message.orders)
    return bool(message.orders) and not (readable or message.doubtful or message.chat or message.plans)


def _refuse_likely_plan(writer: Correspondent, message: Message, speaker: Speaker) -> None:
    """Refuse a turn that somebody seems to plan in other words than a plan has. Raises `PlanRefused`."""
    text = " ".join((*message.lines, *message.rest))
    told = _is_in_sentences(message) and not message.requests
    if told and seems_plan(text, writer.lexicon, waits=not speaker.moves):
        raise PlanRefused(gettext(PLAN_UNREAD, plan=example_condition()))


def _doubt_beside_plan(writer: Correspondent, message: Message) -> Message:
    """The mail, doubtful where more than courtesies stand beside a plan: it may belong to it."""
    if not message.plans or message.doubtful:
        return message
    people = frozenset(word for name in writer.names for word in name.casefold().split())
    context = RemarkContext(people=people, lexicon=writer.lexicon)
    for line in message.rest:
        if not is_device_line(line) and classify(line, context) is not RemarkKind.COURTESY:
            return _doubt(message, line)
    return message


def speaks_of_time(writer: Correspondent, message: Message, now: datetime) -> bool:
    """Whether a mail that answers a question about time says something else of it."""
    if not _is_in_sentences(message):
        return False
    lines = [*message.lines, *message.rest]
    return guess_request(lines, writer.lexicon, _speaker(writer, now)) is not None


def _as_request(request: Request) -> Message:
    line = f"{request_word(request.kind)} {request.about}".strip()
    return Message((ReadLine(line, True, request=request),), lines=(line,), requests=(request,))


def settle_requests(context: Context, writer: Correspondent, message: Message, now: datetime) -> Message:
    """The mail with what its sentences ask for as requests, and its days as dates.

    Raises `ProposedRequest` and `DaysUnclear`.
    """
    return note_haste(writer, settle_days(writer, hear_requests(context, writer, message, now), now), now)


def find_grave_request(writer: Correspondent, message: Message) -> RequestKind | None:
    """What a mail asks for that is asked back whoever wrote it; to resign twice is to resign once."""
    asked = (one.kind for one in message.requests if one.kind in REQUESTS_ASKED_BACK)
    resigned = writer.ticket.seat in writer.history.resigned
    return next((kind for kind in asked if not (resigned and kind == RequestKind.RESIGN)), None)


def check_requests(message: Message, *, proven: bool) -> None:
    """Refuse requests that do not stand beside the rest of a mail.

    Raises `NudgeRefused`, `PlanRefused` and `VoteRefused`.
    """
    nudging = any(one.kind == RequestKind.NUDGE for one in message.requests)
    if nudging and (message.orders or message.doubtful or not proven):
        raise NudgeRefused(gettext(NUDGE_ALONE))
    check_plan(message)
    if message.orders and asks_all(message.requests):
        raise VoteRefused(gettext(ASKED_ALONE))


def _speaker(writer: Correspondent, now: datetime) -> Speaker:
    table = require_started(writer.history).position.table
    own = _words_of(writer.person.name)
    others = frozenset(word for name in table.names for word in _words_of(name)) - own
    today = now.astimezone(ZoneInfo(writer.person.preferences.zone)).date()
    return Speaker(
        own, others, _words_of(table.names[table.seat]), today, writer.history.agreements.is_paused
    )


def _words_of(name: str) -> frozenset[str]:
    return frozenset(plain_name(name).casefold().split())


def _list_questions(
    writer: Correspondent, speaker: Speaker, meanings: tuple[Request, ...]
) -> tuple[str, ...]:
    """Each meaning as a question."""
    table = require_started(writer.history).position.table
    asked = TimeQuestionContext(table.names[table.seat], speaker.moves)
    return tuple(ask_whether(one, asked) for one in meanings)
