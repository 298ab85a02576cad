"""Days away by mail: absences, returns, and answers to questions about their dates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import chain
from zoneinfo import ZoneInfo

from emails.i18n import UTC_ZONE, gettext, gettext_noop
from emails.languages.lexicon import Lexicon
from emails.replies.grammars import DaysGrammar, ReadLine, guess_zone
from emails.replies.parsed_mail import Mail
from emails.replies.remarks import is_device_line
from emails.replies.reply_reader import Message, read_reply
from emails.replies.time_requests.absences import (
    DateDoubt,
    DateQuestion,
    ExpectedDays,
    Interval,
    expected_days,
    holds_day,
    read_absence,
    read_days_answer,
    seems_absence_line,
)
from emails.replies.time_requests.days import holds_dates
from emails.wording import absences
from emails.wording.absences import ask_about_zone
from emails.wording.requests import (
    REQUESTS_OF_PRESENCE,
    STAYS_RESIGNED,
    UNKNOWN_ZONE,
    WAS_AWAY,
    WAS_KEPT,
    Request,
    RequestKind,
)
from server.accounts.vacations import return_to_seat, store_zone, take_vacation
from server.inbox.reply_outcome import MailRefusal, queue_answer
from server.inbox.screening import Correspondent
from server.outbox.letter_kinds import AskedBackDetail
from server.outbox.preferences import load_preferences, store_preferences, store_reminders
from server.outbox.queue import SentLetter, UnitOfWork, add_to_detail, read_sent_letter
from server.store.models import Game, IncomingMail, OutgoingLetter, Seating
from server.store.refusals import Refusal, RefusalCode
from server.store.states import Channel
from server.turns.dry_run import LinesRefused

SOONEST_BY_HAND = timedelta(minutes=2)
"""How soon after a letter a note of absence may come from an auto-responder."""
MAYBE_PROGRAM = gettext_noop(
    "It came so soon after our mail that a program may have written it while you are away."
)
A_DAY = timedelta(days=1)
"""Error of a mail's clock up to which its UTC offset is trusted."""
OF_DAYS = frozenset((RequestKind.AWAY, RequestKind.BACK))
REMINDERS_WANTED: Mapping[RequestKind, bool] = {RequestKind.REMINDERS: True, RequestKind.NO_REMINDERS: False}
DONE_FOR_PLAYER = REQUESTS_OF_PRESENCE | REMINDERS_WANTED.keys() | {RequestKind.ZONE}


class DaysUnclear(Refusal):
    """Days away without certain dates; the sentence asks for these."""

    code = RefusalCode.REQUEST

    def __init__(self, sentence: str, asked: ExpectedDays | None = None) -> None:
        super().__init__(sentence)
        self.asked = asked
        """What an answer of one day would mean; None if it would not suffice."""


def settle_days(writer: Correspondent, message: Message, now: datetime) -> Message:
    """Return the mail with its days away as dates. Raises `DaysUnclear`."""
    if not any(one.kind is RequestKind.AWAY for one in message.requests):
        return message
    today = now.astimezone(ZoneInfo(writer.person.preferences.zone)).date()
    requests = tuple(_settle_absence(one, writer.lexicon, today) for one in message.requests)
    return replace(message, requests=tuple(dict.fromkeys(requests)))


def find_days_beside(message: Message, lexicon: Lexicon) -> str | None:
    """Return a line with dates beside a line that says away or back; None without one."""
    own = [line for line in message.found if line.request is not None and line.request.kind in OF_DAYS]
    if not own:
        return None
    away = [line for line in own if line.request is not None and line.request.kind is RequestKind.AWAY]
    several = [line.words for line in away[1:] if line.request != away[0].request]
    beside = (line for line in message.rest if not is_device_line(line) and holds_dates(line, lexicon))
    return next(chain(several, beside), None)


def tells_no_days(message: Message) -> bool:
    other = message.orders or message.chat or not message.requests
    return not other and all(one.kind is RequestKind.AWAY and not one.about for one in message.requests)


def _settle_absence(request: Request, lexicon: Lexicon, today: date) -> Request:
    if request.kind is not RequestKind.AWAY:
        return request
    found = read_absence(request.about, lexicon, today)
    if isinstance(found, DateQuestion):
        raise DaysUnclear(ask_about_question(found), expected_days(found))
    return replace(request, about=str(found))


def ask_about_question(question: DateQuestion) -> str:
    match question.doubt:
        case DateDoubt.NO_END:
            return absences.ask_until_when()
        case DateDoubt.PASSED:
            return absences.ask_about_past()
        case DateDoubt.SEVERAL:
            return absences.ask_which_days([(one.first, one.last) for one in question.meanings])
        case _:
            return absences.ask_clearer()


def ask_about_days(message: Message, lexicon: Lexicon) -> str | None:
    """Return a question if an unreadable line seems to announce days away, else None."""
    unread = (line.words for line in message.found if not line.is_command)
    return absences.ask_clearer() if any(seems_absence_line(one, lexicon) for one in unread) else None


def note_haste(writer: Correspondent, message: Message, now: datetime) -> Message:
    """Mark a mail as doubtful if it announces days away sooner than a person could write."""
    sent_at = None if writer.letter is None else writer.letter.sent_at
    away = any(one.kind is RequestKind.AWAY for one in message.requests)
    if message.doubtful or not away or sent_at is None or now - sent_at >= SOONEST_BY_HAND:
        return message
    return replace(message, doubtful=True, reason=gettext(MAYBE_PROGRAM))


def ask_zone_once(
    unit: UnitOfWork, game: Game, seat: int, zone: str, row: IncomingMail, answered: OutgoingLetter | None
) -> None:
    """Ask a player without a time zone, once, whether `zone` is theirs. Does not commit.

    `zone`: guessed from the date of their mail; `answered`: the letter that the mail answers.
    """
    player = unit.session.get_one(Seating, (game.id, seat)).player
    if player is None:
        return
    wants = load_preferences(unit.session, player)
    if wants.zone != UTC_ZONE or wants.zone_asked:  # the mail itself may have set it
        return
    store_preferences(unit.session, player, None, replace(wants, zone_asked=True), unit.now)
    question, request = ask_about_zone(zone, unit.now), Request(RequestKind.ZONE, zone)
    detail = AskedBackDetail((), unit.history_of(game).after, asked=(request,), questions=(question,))
    queue_answer(unit, game, seat, row, detail, answered)


def guess_zone_of_mail(mail: Mail, now: datetime) -> str | None:
    """Guess the time zone from a mail's date; None if it is UTC, missing, or far from `now`."""
    try:
        at = parsedate_to_datetime(mail.headers.first("date"))
    except ValueError:
        return None
    offset = at.utcoffset()
    return guess_zone(offset, now) if offset and abs(at - now) < A_DAY else None


def do_presence(unit: UnitOfWork, game: str, seat: int, requests: tuple[Request, ...]) -> tuple[Request, ...]:
    """Store days away, returns, reminders and time zones; return the requests for the answer.

    Does not commit. Raises `VacationRefused`, and what `return_player` raises.
    """
    if not any(one.kind in DONE_FOR_PLAYER for one in requests):
        return requests
    player = unit.session.get_one(Seating, (game, seat)).player
    if player is None:
        return requests
    return tuple(
        _do_request(unit, player, game, seat, one) if one.kind in DONE_FOR_PLAYER else one for one in requests
    )


def without_needless(requests: tuple[Request, ...]) -> tuple[Request, ...]:
    """Drop returns of a player who was not away, which the answer need not show."""
    return tuple(one for one in requests if one.kind is not RequestKind.BACK or one.about)


def _do_request(unit: UnitOfWork, player: int, game: str, seat: int, request: Request) -> Request:
    if request.kind is RequestKind.BACK:
        return replace(request, about=" ".join(_return(unit, player, game, seat)))
    if (wanted := REMINDERS_WANTED.get(request.kind)) is not None:
        store_reminders(unit.session, player, game, wanted, unit.now)
        return request
    if request.kind is RequestKind.ZONE:
        if request.about not in ("", UNKNOWN_ZONE):
            store_zone(unit.session, player, request.about, unit.now)
        return request
    days = _stored_days(request)
    kept = take_vacation(unit.session, player, days.first, days.last, unit.now)
    return replace(request, about=f"{kept.first} - {kept.last}")


def _return(unit: UnitOfWork, player: int, game: str, seat: int) -> Iterator[str]:
    back = return_to_seat(unit, player, game, seat, Channel.REPLY, everywhere=True)
    if back.was_away:
        yield WAS_AWAY
    if back.was_kept:
        yield WAS_KEPT
    if back.refused:
        yield STAYS_RESIGNED


def _stored_days(request: Request) -> Interval:
    first, _, last = request.about.partition(" - ")
    return Interval(date.fromisoformat(first), date.fromisoformat(last))


GOOD_FOR = timedelta(days=14)
"""How long after the question was sent a day alone still answers it."""


def read_absence_answer(
    mail: Mail, writer: Correspondent, message: Message, now: datetime
) -> Message | MailRefusal:
    """Read a mail as the answer to its letter's question about days away, or return it unchanged.

    An unclear or late answer becomes a refusal with the question or the reason.
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
        return MailRefusal(absences.explain_answered(), answer.lines, True, code=DaysUnclear.code)
    if now - sent_at > GOOD_FOR:
        asked_on = sent_at.astimezone(zone).date()
        return MailRefusal(absences.explain_too_late(asked_on), answer.lines, True, code=DaysUnclear.code)
    if isinstance(told, Interval):
        days = Request(RequestKind.AWAY, str(told))
        return Message((ReadLine(line, True, request=days),), lines=answer.lines, requests=(days,))
    if told is not None and told.doubt in (DateDoubt.SEVERAL, DateDoubt.NO_END):
        return _refuse(answer, ask_about_question(told), expected_days(told))
    passed = told is not None and told.doubt is DateDoubt.PASSED
    return _refuse(answer, absences.ask_anew(passed), asked)


def ask_days_anew(writer: Correspondent, message: Message, why: MailRefusal) -> MailRefusal:
    """Add the question about days away to the refusal of an unreadable mail, where it fits.

    It fits if the mail seems to announce days away or to answer that question.
    """
    if (question := ask_about_days(message, writer.lexicon)) is not None:
        return replace(why, sentence=question, question=None, days=writer.days or ExpectedDays(alone=True))
    tells = any(holds_day(line, writer.lexicon) for line in message.lines)
    if writer.days is None or _says_more(message) or (message.is_meant_for_game and not tells):
        return why
    return replace(why, sentence=absences.ask_anew(passed=False), question=None, days=writer.days)


def explain_doubt(writer: Correspondent, message: Message) -> MailRefusal:
    why = MailRefusal(message.reason or "", message.lines, message.is_meant_for_game)
    return why if writer.days is None else ask_days_anew(writer, message, why)


def explain_unread(
    writer: Correspondent, message: Message, error: Exception, why: MailRefusal
) -> MailRefusal:
    """Return `why`, with the question about days away where the mail is about them."""
    if isinstance(error, LinesRefused):
        return ask_days_anew(writer, message, why)
    before, asked = writer.days, why.days
    if before is not None and asked is not None and before.firsts and not (asked.firsts or asked.alone):
        return replace(why, days=before)  # the first day given before still holds
    return why


def note_days_told(unit: UnitOfWork, writer: Correspondent, asked: Iterable[Request]) -> None:
    """Record in the letter that asked for days away that they were given. Does not commit."""
    if writer.days is None or writer.letter is None or all(one.kind != RequestKind.AWAY for one in asked):
        return
    letter = unit.session.get_one(OutgoingLetter, writer.letter.id, populate_existing=True)
    letter.detail = add_to_detail(letter.detail, SentLetter(done=True))


def _refuse(answer: Message, question: str, asked: ExpectedDays) -> MailRefusal:
    return MailRefusal(question, answer.lines, True, code=DaysUnclear.code, days=asked)


def _says_more(message: Message) -> bool:
    return any(
        line.is_command and (line.request is None or line.request.kind != RequestKind.AWAY)
        for line in message.found
    )
