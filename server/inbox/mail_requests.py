"""Requests in a mail besides orders: days away, other requests about time, plans, and votes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime
from itertools import chain
from zoneinfo import ZoneInfo

from emails.i18n import UTC_ZONE, gettext, gettext_noop
from emails.languages.lexicon import Lexicon, plan_words
from emails.languages.supported_languages import ENGLISH
from emails.letters import game_letters
from emails.names import plain_name
from emails.replies.grammars import DaysGrammar, ReadLine, build_agreement_grammar, guess_zone, seems_plan
from emails.replies.parsed_mail import Mail
from emails.replies.quotations import split_at_quotation
from emails.replies.remarks import RemarkContext, RemarkKind, classify, is_device_line
from emails.replies.reply_reader import DOUBT, LONGEST_DOUBT, Message, read_reply
from emails.replies.time_requests.absences import (
    DateDoubt,
    DateQuestion,
    DateRange,
    expected_days,
    holds_day,
    read_absence,
    read_days_answer,
    seems_absence_line,
)
from emails.replies.time_requests.clauses import (
    SaidAnswer,
    Speaker,
    TopicGuess,
    has,
    read_vote_answer,
    says_by_sign,
)
from emails.replies.time_requests.days import holds_dates
from emails.replies.time_requests.guesses import guess_request
from emails.wording import absences, phrases
from emails.wording.absences import ExpectedDays, ask_about_zone, ask_whether, ask_yes_or_no
from emails.wording.plan_text import example_condition
from emails.wording.requests import (
    REQUESTS_OF_PRESENCE,
    REQUESTS_TO_ALL,
    REQUESTS_TO_CONFIRM,
    UNKNOWN_ZONE,
    Request,
    RequestKind,
    VoteAnswer,
    VoteKind,
    request_word,
)
from engine.actions import NoAction, Unreadable
from engine.board import Board
from engine.plans import TurnPlan, write_plan
from server import commands
from server.commands import Actor, Command
from server.inbox.reply_outcome import LONGEST_QUOTED, MailRefusal, claim_mail, queue_answer
from server.inbox.screening import Correspondent
from server.lobby import votes
from server.lobby.leaving import SEAT_IS_YOURS, YOU_ARE_BACK, come_back
from server.lobby.nudges import NUDGE_ALONE, NudgeRefused
from server.lobby.votes import VoteRefused, check_pause
from server.outbox.preferences import load_preferences, store_preferences
from server.outbox.queue import SentLetter, UnitOfWork, add_to_detail, open_unit, read_sent_letter
from server.store.context import Context
from server.store.event_log import require_started
from server.store.models import Game, IncomingMail, OutgoingLetter, Seating
from server.store.refusals import Refusal, RefusalCode
from server.store.server_facts import VoteKey
from server.store.states import Announcement, Channel, MailState
from server.turns.dry_run import LinesRefused
from server.turns.plans import PlanRefused, read_plan

# an absence announced sooner after a letter may come from an auto-responder
SOONEST_BY_HAND = timedelta(minutes=2)
MAYBE_PROGRAM = gettext_noop(
    "It came so soon after our mail that a program may have written it while you are away."
)
A_DAY = timedelta(days=1)  # a mail whose Date is wrong by more tells nothing about the sender's zone
OF_DAYS = frozenset((RequestKind.AWAY, RequestKind.BACK))


class DaysUnclear(Refusal):
    """Refusal of days away with uncertain dates; the message asks for the dates."""

    code = RefusalCode.REQUEST

    def __init__(self, sentence: str, asked: ExpectedDays | None = None) -> None:
        super().__init__(sentence)
        self.asked = asked


def settle_days(writer: Correspondent, message: Message, now: datetime) -> Message:
    """Return the mail with its days away converted to dates. Raises `DaysUnclear` if these are uncertain."""
    if not any(one.kind is RequestKind.AWAY for one in message.requests):
        return message
    today = now.astimezone(ZoneInfo(writer.person.preferences.zone)).date()
    requests = tuple(_settle_absence(one, writer.lexicon, today) for one in message.requests)
    return replace(message, requests=tuple(dict.fromkeys(requests)))


def find_days_beside(message: Message, lexicon: Lexicon) -> str | None:
    """Return a line that may contradict the days away announced in other lines; None if there is none."""
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
    """Return a question if an unreadable line seems to announce days away; None otherwise."""
    unread = (line.words for line in message.found if not line.is_command)
    return absences.ask_clearer() if any(seems_absence_line(one, lexicon) for one in unread) else None


def note_haste(writer: Correspondent, message: Message, now: datetime) -> Message:
    """Require confirmation of a mail with days away that came too quickly to be from a person."""
    sent_at = None if writer.letter is None else writer.letter.sent_at
    away = any(one.kind is RequestKind.AWAY for one in message.requests)
    if message.doubtful or not away or sent_at is None or now - sent_at >= SOONEST_BY_HAND:
        return message
    return replace(message, doubtful=True, reason=gettext(MAYBE_PROGRAM))


def ask_zone_once(
    unit: UnitOfWork, game: Game, seat: int, zone: str, row: IncomingMail, answered: OutgoingLetter | None
) -> None:
    """Ask a player without a time zone, once, whether `zone` is right. Does not commit.

    `zone`: guessed from the date of the player's mail; `answered`: the letter that the mail answers.
    """
    player = unit.session.get_one(Seating, (game.id, seat)).player
    if player is None:
        return
    wants = load_preferences(unit.session, player)
    if wants.zone != UTC_ZONE or wants.zone_asked:  # the mail itself may have set the zone
        return
    store_preferences(unit.session, player, None, replace(wants, zone_asked=True), unit.now)
    question, request = ask_about_zone(zone, unit.now), Request(RequestKind.ZONE, zone)
    detail = game_letters.AskedBack((), unit.history_of(game).after, asked=(request,), questions=(question,))
    queue_answer(unit, game, seat, row, detail, answered)


def guess_zone_of_mail(mail: Mail, now: datetime) -> str | None:
    """Guess the time zone from a mail's date; None if it is UTC, missing, or far from `now`."""
    try:
        at = parsedate_to_datetime(mail.headers.first("date"))
    except ValueError:
        return None
    offset = at.utcoffset()
    return guess_zone(offset, now) if offset and abs(at - now) < A_DAY else None


GOOD_FOR = timedelta(days=14)
"""Time after a question in which an answer with a single day is accepted."""


def read_absence_answer(
    mail: Mail, writer: Correspondent, message: Message, now: datetime
) -> Message | MailRefusal:
    """Read a mail as the answer to a letter that asked for days away; return any other mail unchanged.

    Returns a refusal if the answer is late or unclear. The refusal of an unclear answer repeats the
    question.
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
    if isinstance(told, DateRange):
        days = Request(RequestKind.AWAY, str(told))
        return Message((ReadLine(line, True, request=days),), lines=answer.lines, requests=(days,))
    if told is not None and told.doubt in (DateDoubt.SEVERAL, DateDoubt.NO_END):
        return _refuse(answer, ask_about_question(told), expected_days(told))
    passed = told is not None and told.doubt is DateDoubt.PASSED
    return _refuse(answer, absences.ask_anew(passed), asked)


def ask_days_anew(writer: Correspondent, message: Message, why: MailRefusal) -> MailRefusal:
    """Return a refusal that asks for the days away, if the mail seems to be about them.

    Otherwise returns `why` unchanged.
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
    """Return `why`; if an unreadable mail seems to be about days away, the refusal asks for these days."""
    if isinstance(error, LinesRefused):
        return ask_days_anew(writer, message, why)
    before, asked = writer.days, why.days
    if before is not None and asked is not None and before.firsts and not (asked.firsts or asked.alone):
        return replace(why, days=before)  # the first day of the earlier answer is still valid
    return why


def note_days_told(unit: UnitOfWork, writer: Correspondent, asked: Iterable[Request]) -> None:
    """Mark the letter that asked for days away as answered, if the mail names days. Does not commit."""
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


PLAN_ALONE = gettext_noop(
    "Write a plan in a mail without other orders, and an empty line or the end of the mail behind it."
)
PLAN_STRANGE = gettext_noop(
    "The plan is not kept: “%(word)s” was not understood in “%(line)s”. A plan is written such as “%(plan)s”."
)


def check_plan(message: Message) -> None:
    """Raise `PlanRefused` if a plan is unreadable, or if the mail contains a second plan or orders."""
    for one in message.plans:
        if one.refusal is not None:
            quoted = one.words[:LONGEST_QUOTED]
            if isinstance(one.refusal, NoAction):
                word = one.refusal.values["word"]
                raise PlanRefused(gettext(PLAN_STRANGE, word=word, line=quoted, plan=example_condition()))
            why = phrases.explain_refusal(one.refusal)
            raise PlanRefused(gettext("“%(line)s”: %(why)s", line=quoted, why=why))
    if len(message.plans) > 1 or (message.plans and message.orders):
        raise PlanRefused(gettext(PLAN_ALONE))


def canonical_plan(message: Message, board: Board) -> str:
    """Return the plan of a mail in canonical words; empty without a plan."""
    found = (one.plan for one in message.plans if one.plan is not None)
    return next((write_plan(plan, board, plan_words(ENGLISH)) for plan in found), "")


def read_canonical_plan(words: str, board: Board) -> TurnPlan:
    """Parse a plan in canonical words. Raises `PlanRefused` if the grammar has changed meanwhile."""
    try:
        return read_plan(words, board)
    except Unreadable as refusal:
        raise PlanRefused(phrases.explain_refusal(refusal)) from None


PLAN_KINDS = frozenset({RequestKind.PLAN, RequestKind.NO_PLAN})


ASKED_ALONE = gettext_noop(
    "What you ask of the others stands in a mail of its own, without orders. Nothing of your mail was done."
)
BY_NUMBER = gettext_noop("Reply with the number alone: “1”, “2” or “3”.")
LONGEST_ANSWER = 12
"""Maximum words of a mail that counts as an attempt to answer a vote."""
NUMBERS = ("1", "2", "3")
PAUSE_UNCLEAR = gettext_noop(
    "It is not certain until when: write the last day behind “%(word)s”, with its month, or a number of days."
)


@dataclass(frozen=True, slots=True)
class HeardAnswer:
    vote: VoteKey
    answer: VoteAnswer


def find_answer(context: Context, mail: Mail, writer: Correspondent, now: datetime) -> HeardAnswer | None:
    """Return the answer to a vote if the mail has only a number or a sign such as a thumb; None otherwise.

    Raises `VoteRefused` for a sign if the vote needs a number.
    """
    if writer.vote is None and not writer.history.agreements.votes:
        return None
    number = _read_number(mail, writer)
    if number is None:
        agrees = says_by_sign(mail.text.lines, writer.lexicon)
        return _answer_of(_find_vote(context, writer, now), VoteAnswer.YES) if agrees else None
    if number in writer.choices or writer.letter is None:
        return None
    vote = _find_vote(context, writer, now, by_number=True)
    answers = () if vote is None else votes.answers_of(vote[0])
    at = int(number) - 1
    return None if vote is None or at >= len(answers) else HeardAnswer(vote, answers[at])


def _read_number(mail: Mail, writer: Correspondent) -> str | None:
    sent = None if writer.letter is None else writer.letter.text or None
    said = read_reply(mail, build_agreement_grammar(writer.lexicon), sent, writer.names)
    lines = [line.strip(" #.!)") for line in said.lines]
    return lines[0] if len(lines) == 1 and lines[0] in NUMBERS else None


def _answer_of(vote: VoteKey | None, answer: VoteAnswer) -> HeardAnswer | None:
    if vote is not None and vote[0] is VoteKind.EMPTY_SEAT:
        raise VoteRefused(gettext(BY_NUMBER))
    return None if vote is None else HeardAnswer(vote, answer)


def _find_vote(
    context: Context, writer: Correspondent, now: datetime, *, by_number: bool = False
) -> VoteKey | None:
    # A number answers only a vote on a vacant seat, other words only other votes.
    if isinstance(writer.vote, game_letters.SeatOffered):
        return VoteKind.EMPTY_SEAT, writer.vote.seat
    if writer.vote is not None:
        if writer.vote.vote is None:
            raise VoteRefused(gettext(votes.VOTED_NO_MORE))
        return writer.vote.vote, None
    if writer.is_asked or writer.days is not None:
        return None
    with context.reading() as session:
        history = require_started(writer.history)
        found = votes.unanswered_votes(session, writer.game, history, writer.ticket.seat, now)
    fitting = [one.key for one in found if (one.kind is VoteKind.EMPTY_SEAT) == by_number]
    return fitting[0] if len(fitting) == 1 else None


def hear_answer(
    context: Context, message: Message, writer: Correspondent, now: datetime
) -> HeardAnswer | None:
    """Return the answer to a vote if a mail gives a yes or no in words; None otherwise.

    Raises `VoteRefused` for an unclear answer to a letter about the vote.
    """
    if writer.vote is None and not writer.history.agreements.votes:
        return None
    vote = _find_vote(context, writer, now)
    if vote is None or any(line.is_command for line in message.found) or message.doubtful:
        return None
    names = frozenset(word for name in writer.names for word in name.casefold().split())
    said = read_vote_answer([*message.lines, *message.rest], writer.lexicon, names)
    if said is SaidAnswer.UNCLEAR and _vote_of_letter(context, writer, now) is not None:
        raise VoteRefused(ask_yes_or_no())
    if said is None or said is SaidAnswer.UNCLEAR:
        return None
    return _answer_of(vote, VoteAnswer.YES if said is SaidAnswer.AGREES else VoteAnswer.NO)


def ask_whether_agreed(context: Context, message: Message, writer: Correspondent, now: datetime) -> None:
    words = [word for line in (*message.lines, *message.rest) for word in line.split()]
    if len(words) <= LONGEST_ANSWER and _vote_of_letter(context, writer, now) is not None:
        raise VoteRefused(ask_yes_or_no())


def _vote_of_letter(context: Context, writer: Correspondent, now: datetime) -> VoteKey | None:
    before = writer.earlier_refusal
    if writer.vote is None and (before is None or before.sentence != ask_yes_or_no()):
        return None
    vote = _find_vote(context, writer, now)
    return None if vote is None or vote[0] is VoteKind.EMPTY_SEAT else vote


def answer_vote(
    context: Context, row: IncomingMail, writer: Correspondent, said: HeardAnswer, now: datetime
) -> None:
    """Cast the vote in a mail, and answer. Raises `VoteRefused`."""
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            kind, about = said.vote
            done = commands.CastVote(kind, said.answer, about).perform(unit, actor_of(writer))
            incoming.state, incoming.why = MailState.PLAYED, "an answer to a vote"
            game = unit.session.get_one(Game, writer.game.id)
            answer = game_letters.Answer(settled=(done.text,))
            queue_answer(unit, game, writer.ticket.seat, incoming, answer, writer.letter)
            unit.commit()


def return_writer(unit: UnitOfWork, writer: Correspondent, requests: Iterable[Request]) -> tuple[str, ...]:
    """Give the seat back to the sender if a caretaker plays it; return the sentences for the answer.

    Does nothing if the mail says "back", since that request itself gives the seat back.
    """
    asked = {one.kind for one in requests}
    if RequestKind.BACK in asked:
        return ()
    is_away = RequestKind.AWAY in asked
    told = Announcement.TURNS_WAIT if is_away else Announcement.SEAT_RETURNED
    if not come_back(unit, writer.game.id, writer.ticket.seat, Channel.REPLY, told):
        return ()
    return (gettext(SEAT_IS_YOURS) if is_away else gettext(YOU_ARE_BACK),)


def actor_of(writer: Correspondent) -> Actor:
    return Actor(writer.person.player, Channel.REPLY, writer.game.id, writer.ticket.seat)


def command_of(writer: Correspondent, request: Request, now: datetime) -> Command | None:
    """Return the command of a request; None if it only asks for information, or is a plan."""
    match request.kind:
        case RequestKind.PAUSE:
            return commands.AskPause(_read_pause_end(writer, request, now))
        case RequestKind.AWAY:
            first, _, last = request.about.partition(" - ")
            return commands.GoAway(date.fromisoformat(last), date.fromisoformat(first))
        case RequestKind.BACK:
            return commands.ComeBack(everywhere=True)
        case RequestKind.REMINDERS | RequestKind.NO_REMINDERS:
            return commands.SetReminders(request.kind is RequestKind.REMINDERS)
        case RequestKind.ZONE if request.about not in ("", UNKNOWN_ZONE):
            return commands.SetZone(request.about)
        case RequestKind.NO_PLAN:
            return commands.StorePlan(None)
        case RequestKind.NUDGE:
            return commands.Nudge(request.about)
        case kind:
            command = commands.WITHOUT_MORE_WORDS.get(kind)
            return None if command is None else command()


def _read_pause_end(writer: Correspondent, request: Request, now: datetime) -> datetime | None:
    if not request.about:
        return None
    zone = ZoneInfo(writer.person.preferences.zone)
    found = read_absence(request.about, writer.lexicon, now.astimezone(zone).date())
    if isinstance(found, DateQuestion):
        raise VoteRefused(gettext(PAUSE_UNCLEAR, word=request_word(RequestKind.PAUSE)))
    return datetime.combine(found.last + timedelta(days=1), time(), zone).astimezone(UTC)


def fit_request(writer: Correspondent, request: Request, now: datetime) -> Request:
    """Remove the last day of a pause request if a pause cannot end on it; return other requests unchanged."""
    if request.kind is not RequestKind.PAUSE or not request.about:
        return request
    try:
        until = _read_pause_end(writer, request, now)
        check_pause(writer.game, require_started(writer.history), until, now)
    except VoteRefused:
        return replace(request, about="")
    return request


PLAN_UNREAD = gettext_noop(
    "You seem to plan a turn, and it was not understood to the last word. "
    "A plan is written such as “%(plan)s”."
)
BY_PROGRAM = "it contains words of auto-responders, and none for the game"


def is_automatic(writer: Correspondent, mail: Mail, message: Message) -> bool:
    """Return whether a mail contains phrases of auto-responders, and neither orders nor chat."""
    said = any(line.is_command and (line.request is None) for line in message.found)
    own, _ = split_at_quotation(mail.text.lines)
    automatic = writer.lexicon.topics.automatic
    programmed = any(has(" ".join(line.casefold().split()), automatic) for line in own)
    return not said and bool(message.lines) and programmed


class ProposedRequest(Exception):
    """A time request was understood only in part, so its sender is asked for the meaning.

    `questions` has one question for each of `meanings`; the most likely comes first.
    """

    def __init__(self, meanings: tuple[Request, ...], questions: tuple[str, ...]) -> None:
        super().__init__(" ".join(questions))
        self.meanings, self.questions = meanings, questions


def hear_requests(context: Context, writer: Correspondent, message: Message, now: datetime) -> Message:
    """Return the mail with its sentences about time converted to a request; unchanged if it has none.

    Raises `ProposedRequest` if the request is uncertain, `DaysUnclear` if dates are missing, `PlanRefused` if
    the mail seems to be a plan, and `VoteRefused` if it seems to be the answer to a vote.
    """
    speaker = _speaker(writer, now)
    _refuse_likely_plan(writer, message, speaker)
    in_doubt = requests_in_doubt(writer, message, now)
    days_beside = find_days_beside(message, writer.lexicon)
    if not (in_doubt or _is_in_sentences(message)) and not (days_beside and _tells_presence_alone(message)):
        return _doubt(message, days_beside) if days_beside else _doubt_beside_plan(writer, message)
    guess = guess_request([*message.lines, *message.rest], writer.lexicon, speaker) or TopicGuess()
    if guess.plain and not in_doubt:
        asked = guess.meanings[0]
        line = f"{request_word(asked.kind)} {asked.about}".strip()
        return Message((ReadLine(line, True, request=asked),), lines=(line,), requests=(asked,))
    if guess.meanings:
        meanings = tuple(fit_request(writer, one, now) for one in guess.meanings)
        table = require_started(writer.history).position.table
        mover = table.names[table.seat]
        questions = tuple(ask_whether(one, mover, moves=speaker.moves) for one in meanings)
        raise ProposedRequest(meanings, questions)
    if guess.doubt is not None:
        raise DaysUnclear(ask_about_question(guess.doubt), expected_days(guess.doubt))
    if days_beside:
        return _doubt(message, days_beside)
    ask_whether_agreed(context, message, writer, now)
    return message


def is_unread(writer: Correspondent, message: Message, now: datetime) -> bool:
    """Return whether no part of a mail can be performed and no question about it makes sense."""
    doubtful = message.doubtful and not message.may_be_meant
    return not message.lines or (doubtful and not requests_in_doubt(writer, message, now))


def requests_in_doubt(writer: Correspondent, message: Message, now: datetime) -> bool:
    """Return whether a mail to be confirmed has sentences about time, but nothing else that can be done."""
    said = message.chat or message.plans or message.requests
    if not message.doubtful or said or any(line.refusal is None for line in message.orders):
        return False
    return guess_request([*message.lines, *message.rest], writer.lexicon, _speaker(writer, now)) is not None


def _doubt(message: Message, line: str) -> Message:
    return replace(message, doubtful=True, reason=gettext(DOUBT, line=line[:LONGEST_DOUBT]), doubt=line)


def _tells_presence_alone(message: Message) -> bool:
    other = message.orders or message.doubtful or message.chat or message.plans
    return not other and all(one.kind in REQUESTS_OF_PRESENCE for one in message.requests)


def _is_in_sentences(message: Message) -> bool:
    readable = any(line.refusal is None for line in message.orders)
    return bool(message.orders) and not (readable or message.doubtful or message.chat or message.plans)


def _refuse_likely_plan(writer: Correspondent, message: Message, speaker: Speaker) -> None:
    text = " ".join((*message.lines, *message.rest))
    told = _is_in_sentences(message) and not message.requests
    if told and seems_plan(text, writer.lexicon, waits=not speaker.moves):
        raise PlanRefused(gettext(PLAN_UNREAD, plan=example_condition()))


def _doubt_beside_plan(writer: Correspondent, message: Message) -> Message:
    if not message.plans or message.doubtful:
        return message
    people = frozenset(word for name in writer.names for word in name.casefold().split())
    context = RemarkContext(people=people, lexicon=writer.lexicon)
    for line in message.rest:
        if not is_device_line(line) and classify(line, context) is not RemarkKind.COURTESY:
            return _doubt(message, line)
    return message


def speaks_of_time(writer: Correspondent, message: Message, now: datetime) -> bool:
    """Return whether a mail consists of sentences with a request about time, not just of a yes or no."""
    if not _is_in_sentences(message):
        return False
    lines = [*message.lines, *message.rest]
    return guess_request(lines, writer.lexicon, _speaker(writer, now)) is not None


def settle_requests(context: Context, writer: Correspondent, message: Message, now: datetime) -> Message:
    """Return the mail with its sentences about time converted to requests, and its days away to dates.

    Raises the errors of `hear_requests`.
    """
    return note_haste(writer, settle_days(writer, hear_requests(context, writer, message, now), now), now)


def find_grave_request(writer: Correspondent, message: Message) -> RequestKind | None:
    """Return the first request to be confirmed, or None. A repeated resignation needs no confirmation."""
    asked = (one.kind for one in message.requests if one.kind in REQUESTS_TO_CONFIRM)
    resigned = writer.ticket.seat in writer.history.resigned
    return next((kind for kind in asked if not (resigned and kind == RequestKind.RESIGN)), None)


def check_requests(message: Message, *, proven: bool) -> None:
    """Check that a mail does not combine parts that must be sent in separate mails.

    Raises `NudgeRefused`, `PlanRefused` or `VoteRefused`. `proven`: whether the sender is authenticated; if
    not, every nudge is refused.
    """
    nudging = any(one.kind == RequestKind.NUDGE for one in message.requests)
    if nudging and (message.orders or message.doubtful or not proven):
        raise NudgeRefused(gettext(NUDGE_ALONE))
    check_plan(message)
    if message.orders and any(one.kind in REQUESTS_TO_ALL for one in message.requests):
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
