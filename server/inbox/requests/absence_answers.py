"""The answer to the question when somebody is away: a day alone, which only that letter gives a meaning.

What is no certain day is asked anew. The question is answered once, and not for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from emails.replies.dates.days_answers import DaysAsked, days_asked, holds_day, read_days_answer
from emails.replies.dates.periods import DateDoubt, Period
from emails.replies.grammars import DaysGrammar, ReadLine
from emails.replies.mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.wording.presence import absence_text
from emails.wording.requests import Request, RequestKind
from server.inbox.reply_outcome import MailRefusal
from server.inbox.requests.presence_mail import DaysUnclear, ask_about_days, ask_about_question
from server.inbox.screening import Correspondent
from server.outbox.sent_letters import SentLetter, add_to_detail, read_sent_letter
from server.outbox.unit_of_work import UnitOfWork
from server.store.models import OutgoingLetter
from server.turns.dry_run import LinesRefused

GOOD_FOR = timedelta(days=14)
"""After the question has left: later nobody knows what they have answered with a day alone."""


def read_absence_answer(
    mail: Mail, writer: Correspondent, message: Message, now: datetime
) -> Message | MailRefusal:
    """A mail as what it answers to the question when its writer is away; as it is where it answers nothing.

    What answers it, and not for certain or not any more, is refused with the question or the reason.
    """
    letter, asked = writer.letter, writer.days
    if asked is None or letter is None or _says_more(message):
        return message
    zone = ZoneInfo(writer.person.preferences.zone)
    today = now.astimezone(zone).date()
    answer = read_reply(mail, DaysGrammar(asked, today, writer.lexicon), letter.text or None, writer.names)
    if not answer.says_yes or len(answer.found) != 1:
        return message
    line = answer.found[0].words
    told = read_days_answer(line, writer.lexicon, asked, today)
    sent_at = letter.sent_at or letter.queued_at
    if read_sent_letter(letter.detail).done:
        return MailRefusal(absence_text.tell_answered(), answer.lines, True, code=DaysUnclear.code)
    if now - sent_at > GOOD_FOR:
        asked_on = sent_at.astimezone(zone).date()
        return MailRefusal(absence_text.tell_too_late(asked_on), answer.lines, True, code=DaysUnclear.code)
    if isinstance(told, Period):
        days = Request(RequestKind.AWAY, f"{told.first} - {told.last}")
        return Message((ReadLine(line, True, request=days),), lines=answer.lines, requests=(days,))
    if told is not None and told.doubt in (DateDoubt.SEVERAL, DateDoubt.NO_END):
        return _refuse(answer, ask_about_question(told), days_asked(told))
    passed = told is not None and told.doubt is DateDoubt.PASSED
    return _refuse(answer, absence_text.ask_anew(passed), asked)


def ask_days_anew(writer: Correspondent, message: Message, why: MailRefusal) -> MailRefusal:
    """The refusal of a mail that cannot be read, with the question when its writer is away.

    It is asked where the mail seems to tell days away, and anew where it answers that question.
    """
    if (question := ask_about_days(message, writer.lexicon)) is not None:
        return replace(why, sentence=question, question=None, days=writer.days or DaysAsked(alone=True))
    tells = any(holds_day(line, writer.lexicon) for line in message.lines)
    if writer.days is None or _says_more(message) or (message.is_meant_for_game and not tells):
        return why
    return replace(why, sentence=absence_text.ask_anew(passed=False), question=None, days=writer.days)


def explain_doubt(writer: Correspondent, message: Message) -> MailRefusal:
    """Why nothing of a doubtful mail was done, or the question that it was to answer."""
    why = MailRefusal(message.reason or "", message.lines, message.is_meant_for_game)
    return why if writer.days is None else ask_days_anew(writer, message, why)


def explain_unread(
    writer: Correspondent, message: Message, error: Exception, why: MailRefusal
) -> MailRefusal:
    """Why nothing of a mail was done, with the question when its writer is away where it is about that."""
    if isinstance(error, LinesRefused):
        return ask_days_anew(writer, message, why)
    before, asked = writer.days, why.days
    if before is not None and asked is not None and before.firsts and not (asked.firsts or asked.alone):
        return replace(why, days=before)  # the first day that they have told still holds
    return why


def note_days_told(unit: UnitOfWork, writer: Correspondent, asked: Iterable[Request]) -> None:
    """Note in a letter that asked when its reader is away that they have told it. No commit."""
    if writer.days is None or writer.letter is None or all(one.kind != RequestKind.AWAY for one in asked):
        return
    letter = unit.session.get_one(OutgoingLetter, writer.letter.id, populate_existing=True)
    letter.detail = add_to_detail(letter.detail, SentLetter(done=True))


def _refuse(answer: Message, question: str, asked: DaysAsked) -> MailRefusal:
    return MailRefusal(question, answer.lines, True, code=DaysUnclear.code, days=asked)


def _says_more(message: Message) -> bool:
    """Whether a mail says something else that can be read than that its writer is away."""
    return any(
        line.is_command and (line.request is None or line.request.kind != RequestKind.AWAY)
        for line in message.found
    )
