"""Requests in a mail: about time, a plan, and votes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from emails.i18n import gettext, gettext_noop
from emails.languages.lexicon import plan_words
from emails.languages.supported_languages import ENGLISH
from emails.names import plain_name
from emails.replies.grammars import ReadLine, build_agreement_grammar, seems_plan
from emails.replies.parsed_mail import Mail
from emails.replies.quotations import split_at_quotation
from emails.replies.remarks import RemarkContext, RemarkKind, classify, is_device_line
from emails.replies.reply_reader import DOUBT, LONGEST_DOUBT, Message, read_reply
from emails.replies.time_requests.absences import DateQuestion, expected_days, read_absence
from emails.replies.time_requests.clauses import (
    SaidAnswer,
    Speaker,
    TopicGuess,
    has,
    read_vote_answer,
    says_by_sign,
)
from emails.replies.time_requests.guesses import guess_request
from emails.wording import phrases
from emails.wording.absences import ask_whether, ask_yes_or_no
from emails.wording.narration import VoteOutcome, describe_outcome
from emails.wording.plan_text import example_condition
from emails.wording.requests import (
    PLAN_KEPT,
    REQUESTS_OF_PRESENCE,
    REQUESTS_TO_ALL,
    REQUESTS_TO_CONFIRM,
    Request,
    RequestKind,
    VoteAnswer,
    VoteKind,
    request_word,
)
from engine.actions import NoAction, Unreadable
from engine.board import Board
from engine.plans import write_plan
from server.inbox.reply_outcome import LONGEST_QUOTED, claim_mail, queue_answer
from server.inbox.requests.absence_mail import (
    DaysUnclear,
    ask_about_question,
    find_days_beside,
    note_haste,
    settle_days,
)
from server.inbox.screening import Correspondent
from server.lobby import votes
from server.lobby.leaving import SEAT_IS_YOURS, YOU_ARE_BACK, come_back
from server.lobby.nudges import NUDGE_ALONE, NudgeRefused
from server.lobby.votes import VoteRefused, check_pause, end_pause
from server.outbox.letter_kinds import AnswerDetail, SeatOfferedDetail
from server.outbox.queue import UnitOfWork, open_unit
from server.store.context import Context
from server.store.event_log import require_started
from server.store.models import Game, IncomingMail
from server.store.server_facts import VoteKey
from server.store.states import Announcement, Channel, MailState
from server.turns.plans import PlanRefused, keep_plan, read_plan, withdraw_plan

PLAN_ALONE = gettext_noop(
    "Write a plan in a mail without other orders, and an empty line or the end of the mail behind it."
)
PLAN_STRANGE = gettext_noop(
    "The plan is not kept: “%(word)s” was not understood in “%(line)s”. A plan is written such as “%(plan)s”."
)


def check_plan(message: Message) -> None:
    """Raise `PlanRefused` for a plan that is unreadable or not alone in its mail."""
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
    """Return the plan of a mail in words that need no language; empty without a plan."""
    found = (one.plan for one in message.plans if one.plan is not None)
    return next((write_plan(plan, board, plan_words(ENGLISH)) for plan in found), "")


def do_plan_requests(
    unit: UnitOfWork, game: Game, seat: int, words: str, asked: Sequence[Request]
) -> tuple[Request, ...]:
    """Withdraw or store a plan; return the requests for the answer. Raises `PlanRefused`.

    `words`: the plan in canonical words, or empty.
    """
    if any(one.kind == RequestKind.NO_PLAN for one in asked):
        withdraw_plan(unit.session, game.id, seat)
    if not words:
        return tuple(asked)
    history = require_started(unit.history_of(game))
    try:
        plan = read_plan(words, history.position.table.board)
    except Unreadable as refusal:  # the question was sent before the grammar of plans changed
        raise PlanRefused(phrases.explain_refusal(refusal)) from None
    keep_plan(unit.session, game, history, seat, plan, unit.now)
    return (Request(RequestKind.PLAN, PLAN_KEPT), *(one for one in asked if one.kind not in PLAN_KINDS))


PLAN_KINDS = frozenset({RequestKind.PLAN, RequestKind.NO_PLAN})


def concerns_plan(message: Message) -> bool:
    return bool(message.plans) or any(one.kind == RequestKind.NO_PLAN for one in message.requests)


ASKED_ALONE = gettext_noop(
    "What you ask of the others stands in a mail of its own, without orders. Nothing of your mail was done."
)
BY_NUMBER = gettext_noop("Reply with the number alone: “1”, “2” or “3”.")
LONGEST_ANSWER = 12
"""Words up to which a mail counts as an answer rather than a message."""
NUMBERS = ("1", "2", "3")
PAUSE_UNCLEAR = gettext_noop(
    "It is not certain until when: write the last day behind “%(word)s”, with its month, or a number of days."
)


@dataclass(frozen=True, slots=True)
class HeardAnswer:
    vote: VoteKey
    answer: VoteAnswer


def find_answer(context: Context, mail: Mail, writer: Correspondent, now: datetime) -> HeardAnswer | None:
    """Return the answer to a vote that a mail gives by a number or sign alone; else None.

    The vote is that of its letter; if the letter asks nothing, the only one that the sender has not answered.
    Raises `VoteRefused` for a sign where a number is needed.
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
    """Return the vote that a mail answers: its letter's, else the only one not answered yet.

    Raises `VoteRefused` if the letter's vote is outdated.
    """
    if isinstance(writer.vote, SeatOfferedDetail):
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
    """Return the yes or no that a mail gives to a vote in words; else None.

    Raises `VoteRefused` if it is unclear and the letter is about the vote.
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
    """Raise `VoteRefused` if a short answer to a vote says neither yes nor no."""
    words = [word for line in (*message.lines, *message.rest) for word in line.split()]
    if len(words) <= LONGEST_ANSWER and _vote_of_letter(context, writer, now) is not None:
        raise VoteRefused(ask_yes_or_no())


def _vote_of_letter(context: Context, writer: Correspondent, now: datetime) -> VoteKey | None:
    before = writer.earlier_refusal
    if writer.vote is None and (before is None or before.sentence != ask_yes_or_no()):
        return None
    vote = _find_vote(context, writer, now)
    return None if vote is None or vote[0] is VoteKind.EMPTY_SEAT else vote


def asks_all(requests: Iterable[Request]) -> bool:
    return any(one.kind in REQUESTS_TO_ALL for one in requests)


def answer_vote(
    context: Context, row: IncomingMail, writer: Correspondent, said: HeardAnswer, now: datetime
) -> None:
    """Cast the vote in a mail, and answer. Raises `VoteRefused`."""
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            (kind, about), seat = said.vote, writer.ticket.seat
            outcome = votes.cast_vote(unit, writer.game.id, seat, kind, said.answer, Channel.REPLY, about)
            incoming.state, incoming.why = MailState.PLAYED, "what its writer answers to a vote"
            game = unit.session.get_one(Game, writer.game.id)
            answer = AnswerDetail(settled=(describe_outcome(outcome, game.deadline),))
            queue_answer(unit, game, seat, incoming, answer, writer.letter)
            unit.commit()


def return_writer(unit: UnitOfWork, writer: Correspondent, requests: Iterable[Request]) -> tuple[str, ...]:
    """Return a caretaken seat to the player who writes; return a sentence about it, if any.

    A mail that says "back" is left to `do_presence`. If it says "away", the other players read that turns
    wait, not that the player is back.
    """
    asked = {one.kind for one in requests}
    if RequestKind.BACK in asked:
        return ()
    is_away = RequestKind.AWAY in asked
    told = Announcement.TURNS_WAIT if is_away else Announcement.SEAT_RETURNED
    if not come_back(unit, writer.game.id, writer.ticket.seat, Channel.REPLY, told):
        return ()
    return (gettext(SEAT_IS_YOURS) if is_away else gettext(YOU_ARE_BACK),)


def do_requests_to_all(
    unit: UnitOfWork, writer: Correspondent, requests: Iterable[Request]
) -> tuple[str, ...]:
    """Do a mail's requests to all players; return a sentence about each. Raises `VoteRefused`."""
    return tuple(_do_request(unit, writer, one) for one in requests if one.kind in REQUESTS_TO_ALL)


def _do_request(unit: UnitOfWork, writer: Correspondent, request: Request) -> str:
    game, seat = writer.game.id, writer.ticket.seat
    match request.kind:
        case RequestKind.MORE_TIME:
            outcome = votes.ask_extension(unit, game, seat, Channel.REPLY)
        case RequestKind.PAUSE:
            until = _read_pause_end(writer, request, unit.now)
            outcome = votes.ask_pause(unit, game, seat, Channel.REPLY, until)
        case _:
            end_pause(unit, game, seat, Channel.REPLY)
            outcome = VoteOutcome.RESUMED
    return describe_outcome(outcome, unit.session.get_one(Game, game).deadline)


def _read_pause_end(writer: Correspondent, request: Request, now: datetime) -> datetime | None:
    if not request.about:
        return None
    zone = ZoneInfo(writer.person.preferences.zone)
    found = read_absence(request.about, writer.lexicon, now.astimezone(zone).date())
    if isinstance(found, DateQuestion):
        raise VoteRefused(gettext(PAUSE_UNCLEAR, word=request_word(RequestKind.PAUSE)))
    return datetime.combine(found.last + timedelta(days=1), time(), zone).astimezone(UTC)


def fit_request(writer: Correspondent, request: Request, now: datetime) -> Request:
    """Return a pause request without its last day if no pause can end then; others unchanged."""
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
BY_PROGRAM = "it holds words of programs that answer by themselves, and none for the game"


def is_automatic(writer: Correspondent, mail: Mail, message: Message) -> bool:
    """Whether a mail without orders and chat contains phrases of auto-responders."""
    said = any(line.is_command and (line.request is None) for line in message.found)
    own, _ = split_at_quotation(mail.text.lines)
    automatic = writer.lexicon.topics.automatic
    programmed = any(has(" ".join(line.casefold().split()), automatic) for line in own)
    return not said and bool(message.lines) and programmed


class ProposedRequest(Exception):
    """A time request that was only partly understood; its sender is asked what it means.

    `meanings` and `questions` match; the most likely comes first.
    """

    def __init__(self, meanings: tuple[Request, ...], questions: tuple[str, ...]) -> None:
        super().__init__(" ".join(questions))
        self.meanings, self.questions = meanings, questions


def hear_requests(context: Context, writer: Correspondent, message: Message, now: datetime) -> Message:
    """Return the mail with the request in its sentences about time; unchanged if they hold none.

    Raises `ProposedRequest` if it is uncertain, `DaysUnclear` if dates are missing, `PlanRefused` if it seems
    to be a plan, and `VoteRefused` if it seems to be the answer to a vote.
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
        raise DaysUnclear(ask_about_question(guess.doubt), expected_days(guess.doubt))
    if days_beside:
        return _doubt(message, days_beside)
    ask_whether_agreed(context, message, writer, now)
    return message


def is_unread(writer: Correspondent, message: Message, now: datetime) -> bool:
    """Whether nothing of a mail can be done, nor its sender asked about it."""
    doubtful = message.doubtful and not message.may_be_meant
    return not message.lines or (doubtful and not requests_in_doubt(writer, message, now))


def requests_in_doubt(writer: Correspondent, message: Message, now: datetime) -> bool:
    """Whether a doubtful mail consists of sentences about time: no order, chat, plan or request."""
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
    """Whether a mail that answers a question about time says something new about time."""
    if not _is_in_sentences(message):
        return False
    lines = [*message.lines, *message.rest]
    return guess_request(lines, writer.lexicon, _speaker(writer, now)) is not None


def _as_request(request: Request) -> Message:
    line = f"{request_word(request.kind)} {request.about}".strip()
    return Message((ReadLine(line, True, request=request),), lines=(line,), requests=(request,))


def settle_requests(context: Context, writer: Correspondent, message: Message, now: datetime) -> Message:
    """Return the mail with its sentences about time as requests, and its days away as dates.

    Raises what `hear_requests` raises.
    """
    return note_haste(writer, settle_days(writer, hear_requests(context, writer, message, now), now), now)


def find_grave_request(writer: Correspondent, message: Message) -> RequestKind | None:
    """Return the request that must always be confirmed; None without one, or if already resigned."""
    asked = (one.kind for one in message.requests if one.kind in REQUESTS_TO_CONFIRM)
    resigned = writer.ticket.seat in writer.history.resigned
    return next((kind for kind in asked if not (resigned and kind == RequestKind.RESIGN)), None)


def check_requests(message: Message, *, proven: bool) -> None:
    """Raise `NudgeRefused`, `PlanRefused` or `VoteRefused` for requests that must stand alone."""
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
    table = require_started(writer.history).position.table
    mover = table.names[table.seat]
    return tuple(ask_whether(one, mover, moves=speaker.moves) for one in meanings)
