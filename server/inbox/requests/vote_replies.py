"""What a mail answers to a vote, and what it asks of all who play: "no", "2", "more time", "pause"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from emails.i18n import gettext, gettext_noop
from emails.replies.dates.absence_lines import read_absence
from emails.replies.dates.periods import DateQuestion
from emails.replies.grammars import build_agreement_grammar
from emails.replies.mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.replies.time_requests.vote_answers import SaidAnswer, read_vote_answer, says_by_sign
from emails.wording.presence.absence_text import ask_yes_or_no
from emails.wording.requests import REQUESTS_TO_ALL, Request, RequestKind, VoteAnswer, VoteKind, request_word
from emails.wording.vote_outcomes import VoteOutcome, tell_outcome
from server.inbox.reply_outcome import claim_mail, queue_answer
from server.inbox.screening import Correspondent
from server.lobby import votes
from server.lobby.leaving import SEAT_IS_YOURS, YOU_ARE_BACK, come_back
from server.lobby.votes import VoteRefused, check_pause, end_pause
from server.outbox.letter_details import AnswerDetail, SeatOfferedDetail
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.context import Context
from server.store.facts.game_agreements import VoteKey
from server.store.histories import require_started
from server.store.models import Game, IncomingMail
from server.store.states import Announcement, Channel, MailState

ASKED_ALONE = gettext_noop(
    "What you ask of the others stands in a mail of its own, without orders. Nothing of your mail was done."
)
BY_NUMBER = gettext_noop("Reply with the number alone: “1”, “2” or “3”.")
LONGEST_ANSWER = 12
"""Words of what is rather an answer than a message."""
NUMBERS = ("1", "2", "3")
PAUSE_UNCLEAR = gettext_noop(
    "It is not certain until when: write the last day behind “%(word)s”, with its month, or a number of days."
)


@dataclass(frozen=True, slots=True)
class HeardAnswer:
    """What the writer of a mail answers to a vote."""

    vote: VoteKey
    answer: VoteAnswer


def find_answer(context: Context, mail: Mail, writer: Correspondent, now: datetime) -> HeardAnswer | None:
    """What a mail answers that is a number or a sign alone; None where it is none, or answers nothing.

    It answers the vote of its letter; a letter of another kind that asks nothing itself, the one vote that is
    open and its writer has not answered. Raises `VoteRefused` for a sign where a number is asked for.
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
    """A yes or a no to a vote. Raises `VoteRefused` where a number is asked for."""
    if vote is not None and vote[0] is VoteKind.EMPTY_SEAT:
        raise VoteRefused(gettext(BY_NUMBER))
    return None if vote is None else HeardAnswer(vote, answer)


def _find_vote(
    context: Context, writer: Correspondent, now: datetime, *, by_number: bool = False
) -> VoteKey | None:
    """The vote that a mail is about: that of its letter, else the only one its writer has not answered."""
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
    """What a mail without orders and requests answers to a yes or no in words; None: nothing.

    Raises `VoteRefused` where it is not certain, and the letter is about the vote.
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
    """Ask for a yes or a no who answers a vote in few words that say neither, nor anything else.

    Raises `VoteRefused`.
    """
    words = [word for line in (*message.lines, *message.rest) for word in line.split()]
    if len(words) <= LONGEST_ANSWER and _vote_of_letter(context, writer, now) is not None:
        raise VoteRefused(ask_yes_or_no())


def _vote_of_letter(context: Context, writer: Correspondent, now: datetime) -> VoteKey | None:
    """The vote by yes or no that a letter is about, or about whose answer it asks back."""
    before = writer.earlier_refusal
    if writer.vote is None and (before is None or before.sentence != ask_yes_or_no()):
        return None
    vote = _find_vote(context, writer, now)
    return None if vote is None or vote[0] is VoteKind.EMPTY_SEAT else vote


def asks_all(requests: Iterable[Request]) -> bool:
    """Whether something of it concerns the time of all who play."""
    return any(one.kind in REQUESTS_TO_ALL for one in requests)


def answer_vote(
    context: Context, row: IncomingMail, writer: Correspondent, said: HeardAnswer, now: datetime
) -> None:
    """Cast the vote of a mail, and answer. Raises `VoteRefused`."""
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            (kind, about), seat = said.vote, writer.ticket.seat
            outcome = votes.cast_vote(unit, writer.game.id, seat, kind, said.answer, Channel.REPLY, about)
            incoming.state, incoming.why = MailState.PLAYED, "what its writer answers to a vote"
            game = unit.session.get_one(Game, writer.game.id)
            answer = AnswerDetail(settled=(tell_outcome(outcome, game.deadline),))
            queue_answer(unit, game, seat, incoming, answer, writer.letter)
            unit.commit()


def return_writer(unit: UnitOfWork, writer: Correspondent, requests: Iterable[Request]) -> tuple[str, ...]:
    """Give a seat that a caretaker has kept back to whoever writes; a sentence about it, if it is one.

    Who says so (`RequestKind.BACK`) is answered by that. Of who says that they are away nobody is told that
    they are back: their turns wait for them now.
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
    """Ask of the others what a mail asks of them; a sentence about each. Raises `VoteRefused`."""
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
    return tell_outcome(outcome, unit.session.get_one(Game, game).deadline)


def _read_pause_end(writer: Correspondent, request: Request, now: datetime) -> datetime | None:
    """When a pause ends that a mail asks for; None where it does not say. Raises `VoteRefused`."""
    if not request.about:
        return None
    zone = ZoneInfo(writer.person.preferences.zone)
    found = read_absence(request.about, writer.lexicon, now.astimezone(zone).date())
    if isinstance(found, DateQuestion):
        raise VoteRefused(gettext(PAUSE_UNCLEAR, word=request_word(RequestKind.PAUSE)))
    return datetime.combine(found.last + timedelta(days=1), time(), zone).astimezone(UTC)


def fit_request(writer: Correspondent, request: Request, now: datetime) -> Request:
    """A request without a last day on which no pause can end."""
    if request.kind is not RequestKind.PAUSE or not request.about:
        return request
    try:
        until = _read_pause_end(writer, request, now)
        check_pause(writer.game, require_started(writer.history), until, now)
    except VoteRefused:
        return replace(request, about="")
    return request
