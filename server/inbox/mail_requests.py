"""Requests in a mail besides orders: days away, other requests about time, plans, and votes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from email.utils import parsedate_to_datetime
from itertools import chain

from emails.i18n import UTC_ZONE, gettext, gettext_noop
from emails.languages.lexicon import Lexicon
from emails.letters import game_letters
from emails.replies.grammars import DaysGrammar, LineKind, ReadLine, seems_plan
from emails.replies.remarks import RemarkContext, RemarkKind, classify, is_device_line
from emails.replies.reply_reader import DOUBT, LONGEST_DOUBT, Message
from emails.replies.time_requests.absences import (
    DateDoubt,
    DateQuestion,
    DateRange,
    read_absence,
    read_days_answer,
)
from emails.replies.time_requests.clauses import (
    SaidAnswer,
    read_vote_answer,
    says_by_sign,
)
from emails.replies.time_requests.days import guess_zone, holds_dates
from emails.wording import phrases
from emails.wording.requests import (
    EVERYWHERE,
    REQUESTS_OF_PRESENCE,
    REQUESTS_TO_ALL,
    REQUESTS_TO_CONFIRM,
    UNKNOWN_ZONE,
    Request,
    RequestKind,
    VoteAnswer,
    VoteKind,
    example_plan,
    request_word,
)
from emails.wording.texts import say
from engine.actions import NoAction
from server import commands
from server.commands import Actor, Command
from server.inbox.mail_answers import (
    LONGEST_QUOTED,
    MailRefusal,
    Outcome,
    answer,
    read_answer,
    read_number,
)
from server.inbox.menus import (
    MeaningUnclear,
    ask_for_meaning,
    find_vote_way,
    guess_meaning,
    read_pause_end,
    vote_ways,
)
from server.inbox.received_mail import Closing, GameMail, ReceivedMail, close_mail, queue_answer
from server.lobby import votes
from server.lobby.leaving import SEAT_IS_YOURS, YOU_ARE_BACK, come_back
from server.lobby.votes import NUDGE_ALONE, NudgeRefused, VoteRefused
from server.outbox.notifications import load_preferences, store_preferences
from server.outbox.queue import UnitOfWork, read_sent_letter
from server.store.event_log import require_started
from server.store.models import Game, OutgoingLetter, Seating
from server.store.server_facts import VoteKey
from server.store.states import Announcement, Channel, MailState
from server.turns.play import PlanRefused

# an absence announced sooner after a letter may come from an auto-responder
SOONEST_BY_HAND = timedelta(minutes=2)
MAYBE_PROGRAM = gettext_noop(
    "It came so soon after our mail that a program may have written it while you are away."
)
A_DAY = timedelta(days=1)  # a mail whose Date is wrong by more tells nothing about the sender's zone


def find_days_beside(message: Message, lexicon: Lexicon) -> str | None:
    """Return a line that may contradict the days away announced in other lines; None if there is none."""
    told = [(line.words, line.request) for line in message.found if line.request is not None]
    if not any(request.kind in REQUESTS_OF_PRESENCE for _, request in told):
        return None
    away = [one for one in told if one[1].kind is RequestKind.AWAY]
    several = [words for words, request in away[1:] if request != away[0][1]]
    beside = (line for line in message.rest if not is_device_line(line) and holds_dates(line, lexicon))
    return next(chain(several, beside), None)


def tells_no_days(message: Message) -> bool:
    other = message.orders or message.chat or not message.requests
    return not other and all(one.kind is RequestKind.AWAY and not one.about for one in message.requests)


def _settle_absence(mail: GameMail, request: Request) -> Request:
    if request.kind is not RequestKind.AWAY:
        return request
    found = read_absence(request.about, mail.lexicon, mail.today)
    if isinstance(found, DateQuestion):
        raise _unclear(found)
    return replace(request, about=str(found))


def _unclear(question: DateQuestion) -> MeaningUnclear:
    return MeaningUnclear([Request(RequestKind.AWAY, str(one)) for one in question.meanings], question)


def ask_zone_once(
    unit: UnitOfWork, game: Game, seat: int, mail: ReceivedMail, answered: OutgoingLetter | None
) -> None:
    """Ask a player without a time zone, once, for the zone guessed from a mail's date. Does not commit.

    `answered`: the letter that the mail answers.
    """
    player, zone = unit.session.get_one(Seating, (game.id, seat)).player, guess_zone_of_mail(mail)
    if player is None or zone is None:
        return
    wants = load_preferences(unit.session, player)
    if wants.zone != UTC_ZONE or wants.zone_asked:  # the mail itself may have set the zone
        return
    store_preferences(unit.session, player, None, replace(wants, zone_asked=True), unit.now)
    question = say("absences.ask_about_zone", zone=zone, now=unit.now)
    request = Request(RequestKind.ZONE, zone)
    after = unit.history_of(game).after
    detail = game_letters.AskedBack((), after, asked=(request,), questions=(question,))
    queue_answer(unit, game, seat, mail.row, detail, answered)


def guess_zone_of_mail(mail: ReceivedMail) -> str | None:
    """Guess the time zone from a mail's date; None if the date is missing, in UTC, or far from `now`."""
    try:
        at = parsedate_to_datetime(mail.parsed.headers.first("date"))
    except ValueError:
        return None
    offset = at.utcoffset()
    return guess_zone(offset, mail.now) if offset and abs(at - mail.now) < A_DAY else None


GOOD_FOR = timedelta(days=14)
"""Time in which a reply with a date is accepted as the answer to a question about days away."""


def read_absence_answer(mail: GameMail, message: Message) -> Message | Outcome:
    """Read a mail as the answer to a letter that asked for days away; return any other mail unchanged.

    Returns a refusal if the letter was already answered, or if the answer is late, and a question if the
    answer is unclear.
    """
    letter, asked = mail.letter, mail.days
    if asked is None or letter is None or _says_more(message):
        return message
    answer = mail.read(DaysGrammar(asked, mail.today, mail.lexicon))
    if not answer.says_yes or len(answer.found) != 1:
        return message
    line = answer.found[0].words
    told = read_days_answer(line, mail.lexicon, asked, mail.today)
    sent_at = letter.sent_at or letter.queued_at

    if read_sent_letter(letter.detail).done:
        return MailRefusal(say("absences.explain_answered"), answer.lines, True)
    if mail.now - sent_at > GOOD_FOR:
        asked_on = sent_at.astimezone(mail.zone).date()
        return MailRefusal(say("absences.explain_too_late", asked_on=asked_on), answer.lines, True)
    if isinstance(told, DateRange):
        days = Request(RequestKind.AWAY, str(told))
        return Message((ReadLine(line, kind=LineKind.REQUEST, request=days),))
    if told is None or told.doubt not in (DateDoubt.SEVERAL, DateDoubt.NO_END):
        return ask_for_meaning(mail, answer)
    unclear = _unclear(told)
    return ask_for_meaning(mail, answer, unclear.readings, unclear.doubt)


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
                raise PlanRefused(gettext(PLAN_STRANGE, word=word, line=quoted, plan=example_plan()))
            why = phrases.explain_refusal(one.refusal)
            raise PlanRefused(gettext("“%(line)s”: %(why)s", line=quoted, why=why))
    if len(message.plans) > 1 or (message.plans and message.orders):
        raise PlanRefused(gettext(PLAN_ALONE))


PLAN_KINDS = frozenset({RequestKind.PLAN, RequestKind.NO_PLAN})


ASKED_ALONE = gettext_noop(
    "What you ask of the others stands in a mail of its own, without orders. Nothing of your mail was done."
)
BY_NUMBER = gettext_noop("Reply with the number alone: “1”, “2” or “3”.")
LONGEST_ANSWER = 12
"""Maximum words of a mail that counts as an attempt to answer a vote."""


@dataclass(frozen=True, slots=True)
class HeardVote(Outcome):
    """An answer to a vote, read from a mail."""

    vote: VoteKey
    answer: VoteAnswer

    def perform(self, mail: GameMail) -> None:
        """Cast the vote, and answer. Raises `VoteRefused`."""

        def cast(unit: UnitOfWork) -> Closing:
            kind, about = self.vote
            done = commands.CastVote(kind, self.answer, about).perform(unit, actor_of(mail))
            answer(unit, mail, game_letters.Answer(settled=(done.text,)))
            return MailState.PLAYED, "an answer to a vote"

        close_mail(mail, cast, mail.letter)


def hear_sign(mail: GameMail, _: Message) -> HeardVote | None:
    """Return the answer to a vote if the mail has only a number or a sign such as a thumb; None otherwise.

    Raises `VoteRefused` for a sign if the vote needs a number.
    """
    if mail.vote is None and not mail.history.agreements.votes:
        return None
    number = read_number(read_answer(mail))
    if number:
        vote = _find_vote(mail, by_number=True)
        answers = () if vote is None else votes.answers_of(vote[0])
        return None if vote is None or number > len(answers) else HeardVote(vote, answers[number - 1])
    agrees = says_by_sign(mail.parsed.text.lines, mail.lexicon)
    return _hear_word(_find_vote(mail), VoteAnswer.YES) if agrees else None


def _hear_word(vote: VoteKey | None, answer: VoteAnswer) -> HeardVote | None:
    if vote is not None and vote[0] is VoteKind.EMPTY_SEAT:
        raise VoteRefused(gettext(BY_NUMBER))
    return None if vote is None else HeardVote(vote, answer)


def _find_vote(mail: GameMail, *, by_number: bool = False) -> VoteKey | None:
    # A number answers only a vote on a vacant seat, other words only other votes.
    if isinstance(mail.vote, game_letters.SeatOffered):
        return VoteKind.EMPTY_SEAT, mail.vote.seat
    if mail.vote is not None:
        if mail.vote.vote is None:
            raise VoteRefused(gettext(votes.VOTED_NO_MORE))
        return mail.vote.vote, None
    if mail.question is not None:
        return find_vote_way(mail.question)
    if mail.is_asked or not mail.history.agreements.votes:
        return None
    with mail.context.reading() as session:
        history = require_started(mail.history)
        found = votes.unanswered_votes(session, mail.game, history, mail.seat, mail.now)
    fitting = [one.key for one in found if (one.kind is VoteKind.EMPTY_SEAT) == by_number]
    return fitting[0] if len(fitting) == 1 else None


def hear_vote(mail: GameMail, message: Message) -> HeardVote | None:
    """Return the answer to a vote if a mail gives a yes or no in words; None otherwise.

    Raises `MeaningUnclear` for an unclear answer to a letter about the vote.
    """
    vote = _find_vote(mail)
    if vote is None or any(line.is_command for line in message.found) or message.doubtful:
        return None
    said = read_vote_answer([*message.lines, *message.rest], mail.lexicon, _people(mail))
    if said is SaidAnswer.UNCLEAR and _is_answer_to_vote(mail):
        raise MeaningUnclear(vote_ways(vote))
    if said is None or said is SaidAnswer.UNCLEAR:
        return None
    return _hear_word(vote, VoteAnswer.YES if said is SaidAnswer.AGREES else VoteAnswer.NO)


def ask_whether_agreed(mail: GameMail, message: Message) -> None:
    words = [word for line in (*message.lines, *message.rest) for word in line.split()]
    vote = _find_vote(mail)
    if vote is not None and len(words) <= LONGEST_ANSWER and _is_answer_to_vote(mail):
        raise MeaningUnclear(vote_ways(vote))


def _is_answer_to_vote(mail: GameMail) -> bool:
    return isinstance(mail.vote, game_letters.Vote) or mail.question is not None


def _people(mail: GameMail) -> frozenset[str]:
    return frozenset(word for name in mail.names for word in name.casefold().split())


def return_writer(unit: UnitOfWork, mail: GameMail, requests: Iterable[Request]) -> tuple[str, ...]:
    """Give the seat back to the sender if a caretaker plays it; return the sentences for the answer.

    Does nothing if the mail says "back", since that request itself gives the seat back.
    """
    asked = {one.kind for one in requests}
    if RequestKind.BACK in asked:
        return ()
    is_away = RequestKind.AWAY in asked
    told = Announcement.TURNS_WAIT if is_away else Announcement.SEAT_RETURNED
    if not come_back(unit, mail.game.id, mail.seat, Channel.REPLY, told):
        return ()
    return (gettext(SEAT_IS_YOURS) if is_away else gettext(YOU_ARE_BACK),)


def actor_of(mail: GameMail) -> Actor:
    return Actor(mail.person.player, Channel.REPLY, mail.game.id, mail.seat)


def command_of(mail: GameMail, request: Request) -> Command | None:
    """Return the command of a request; None for a plan or a request for information."""
    match request.kind:
        case RequestKind.MORE_TIME | RequestKind.PAUSE if request.about in (VoteAnswer.YES, VoteAnswer.NO):
            return commands.CastVote(VoteKind(request.kind), VoteAnswer(request.about))
        case RequestKind.PAUSE:
            return commands.AskPause(read_pause_end(mail, request))
        case RequestKind.AWAY:
            first, _, last = request.about.partition(" - ")
            return commands.GoAway(date.fromisoformat(last), date.fromisoformat(first))
        case RequestKind.BACK:
            return commands.ComeBack(everywhere=True)
        case RequestKind.REMINDERS | RequestKind.NO_REMINDERS:
            return commands.SetReminders(request.kind is RequestKind.REMINDERS)
        case RequestKind.ZONE if request.about not in ("", UNKNOWN_ZONE):
            return commands.SetZone(request.about)
        case RequestKind.NO_LETTERS:
            return commands.StopLetters(request.about == EVERYWHERE)
        case RequestKind.NO_PLAN:
            return commands.StorePlan(None)
        case RequestKind.NUDGE:
            return commands.Nudge(request.about)
        case kind:
            command = commands.WITHOUT_MORE_WORDS.get(kind)
            return None if command is None else command()


PLAN_UNREAD = gettext_noop(
    "You seem to plan a turn, and it was not understood to the last word. "
    "A plan is written such as “%(plan)s”."
)


def hear_requests(mail: GameMail, message: Message) -> Message:
    """Convert a message's sentences about time to a request; return other messages unchanged.

    Raises `MeaningUnclear`, and `PlanRefused` if the message seems to be a plan.
    """
    _refuse_likely_plan(mail, message)
    in_doubt = requests_in_doubt(mail, message)
    days_beside = find_days_beside(message, mail.lexicon)
    if not (in_doubt or _is_in_sentences(message)) and not (days_beside and _tells_presence_alone(message)):
        return _doubt(message, days_beside) if days_beside else _doubt_beside_plan(mail, message)
    guess = guess_meaning(mail, message)
    if guess.plain and not in_doubt:
        asked = guess.meanings[0]
        line = f"{request_word(asked.kind)} {asked.about}".strip()
        return Message((ReadLine(line, kind=LineKind.REQUEST, request=asked),))
    if guess.is_about_time:
        raise MeaningUnclear(guess.meanings, guess.doubt)
    if days_beside:
        return _doubt(message, days_beside)
    ask_whether_agreed(mail, message)
    return message


def requests_in_doubt(mail: GameMail, message: Message) -> bool:
    """Return whether a mail to be confirmed has sentences about time, but nothing else that is readable."""
    said = message.chat or message.plans or message.requests
    if not message.doubtful or said or any(line.refusal is None for line in message.orders):
        return False
    return guess_meaning(mail, message).is_about_time


def _doubt(message: Message, line: str) -> Message:
    return replace(message, reason=gettext(DOUBT, line=line[:LONGEST_DOUBT]), doubt=line)


def _tells_presence_alone(message: Message) -> bool:
    other = message.orders or message.doubtful or message.chat or message.plans
    return not other and all(one.kind in REQUESTS_OF_PRESENCE for one in message.requests)


def _is_in_sentences(message: Message) -> bool:
    readable = any(line.refusal is None for line in message.orders)
    return bool(message.orders) and not (readable or message.doubtful or message.chat or message.plans)


def _refuse_likely_plan(mail: GameMail, message: Message) -> None:
    text = " ".join((*message.lines, *message.rest))
    told = _is_in_sentences(message) and not message.requests
    if told and seems_plan(text, mail.lexicon, waits=not mail.moves):
        raise PlanRefused(gettext(PLAN_UNREAD, plan=example_plan()))


def _doubt_beside_plan(mail: GameMail, message: Message) -> Message:
    if not message.plans or message.doubtful:
        return message
    context = RemarkContext(people=_people(mail), lexicon=mail.lexicon)
    for line in message.rest:
        if not is_device_line(line) and classify(line, context) is not RemarkKind.COURTESY:
            return _doubt(message, line)
    return message


def settle_requests(mail: GameMail, message: Message) -> Message:
    """Convert a message's sentences about time to requests, and its days away to dates.

    If the mail came within two minutes of the answered letter, days away need confirmation, since an
    auto-responder may have sent the mail. Raises the errors of `hear_requests`.
    """
    heard = hear_requests(mail, message)
    if not any(one.kind is RequestKind.AWAY for one in heard.requests):
        return heard
    lines = (
        replace(line, request=line.request and _settle_absence(mail, line.request)) for line in heard.found
    )
    settled = replace(heard, found=tuple(lines))
    sent_at = None if mail.letter is None else mail.letter.sent_at
    if settled.doubtful or sent_at is None or mail.now - sent_at >= SOONEST_BY_HAND:
        return settled
    return replace(settled, reason=gettext(MAYBE_PROGRAM))


def find_grave_request(mail: GameMail, message: Message) -> RequestKind | None:
    """Return the first request to be confirmed, or None. A repeated resignation needs no confirmation."""
    asked = (one.kind for one in message.requests if one.kind in REQUESTS_TO_CONFIRM)
    resigned = mail.seat in mail.history.resigned
    return next((kind for kind in asked if not (resigned and kind == RequestKind.RESIGN)), None)


def check_requests(mail: GameMail, message: Message) -> None:
    """Check that a mail does not combine parts that must be sent in separate mails.

    Raises `NudgeRefused`, `PlanRefused` or `VoteRefused`. A nudge is also refused if the sender is not
    authenticated.
    """
    nudging = any(one.kind == RequestKind.NUDGE for one in message.requests)
    if nudging and (message.orders or message.doubtful or mail.is_unproven):
        raise NudgeRefused(gettext(NUDGE_ALONE))
    check_plan(message)
    if message.orders and any(one.kind in REQUESTS_TO_ALL for one in message.requests):
        raise VoteRefused(gettext(ASKED_ALONE))
