"""What a mail asks of all who play, or says to the letter that asks for it: "pause", "yes", "no"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from emails.i18n import gettext, gettext_noop
from emails.replies.dates.absence_lines import read_absence
from emails.replies.dates.periods import DateQuestion
from emails.replies.grammars import NoGrammar, build_agreement_grammar
from emails.replies.mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.replies.time_requests.motion_answers import SaidAnswer, read_motion_answer, says_by_sign
from emails.wording.presence.absence_text import ask_yes_or_no
from emails.wording.requests import (
    ABOUT_SEAT,
    MOTIONS,
    NO_TERMS,
    MotionKind,
    MotionTerms,
    Request,
    RequestKind,
    request_word,
)
from server.inbox.correspondent import Correspondent
from server.inbox.reply_outcome import claim_mail, queue_answer
from server.lobby.motions import decline_motion, support_motion, tell_outcome
from server.lobby.open_motions import (
    WHERE_NOBODY_IS_GONE,
    MotionRefused,
    find_gone_seat,
    hours_left_to_add,
    settle_terms,
    tell_most_hours,
)
from server.lobby.seat_returns import SEAT_IS_YOURS, YOU_ARE_BACK, come_back
from server.outbox.letter_details import AnswerDetail
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.context import Context
from server.store.histories import require_started
from server.store.models import Game, IncomingMail
from server.store.states import Announcement, Channel, MailState
from server.store.turn_clock import is_seat_gone

MOTION_ALONE = gettext_noop(
    "What you ask of the others stands in a mail of its own, without orders. Nothing of your mail was done."
)

LONGEST_ANSWER = 12
"""Words of what is rather an answer than a message."""
PAUSE_UNCLEAR = gettext_noop(
    "It is not certain until when: write the last day behind “%(word)s”, with its month, or a number of days."
)


@dataclass(frozen=True, slots=True)
class MotionAnswer:
    """What somebody says to the letter that asks them to agree."""

    kind: MotionKind
    agrees: bool
    terms: MotionTerms = NO_TERMS


def find_answer(mail: Mail, writer: Correspondent) -> MotionAnswer | None:
    """What a mail says to the letter that it answers; None where that asks nothing, or it says more.

    The letter went to the address on file, and its number is sealed in the address that answers it.
    """
    letter, motion = writer.letter, writer.motion
    if letter is None or motion is None:
        return None
    if says_by_sign(mail.text.lines, writer.lexicon):
        return MotionAnswer(motion.motion, True, motion.terms)
    asked = build_agreement_grammar(writer.lexicon)
    for grammar, agrees in ((asked, True), (NoGrammar(asked), False)):
        said = read_reply(mail, grammar, letter.text or None, writer.names)
        if said.says_yes and all(line.yes for line in said.found):
            return MotionAnswer(motion.motion, agrees, motion.terms)
    return None


def hear_answer(message: Message, writer: Correspondent) -> MotionAnswer | None:
    """What a mail without orders and requests says in other words to the letter that asks all; None: nothing.

    Raises `MotionRefused` where it is not certain.
    """
    asked = writer.motion
    if asked is None or any(line.is_command for line in message.found) or message.doubtful:
        return None
    names = frozenset(word for name in writer.names for word in name.casefold().split())
    said = read_motion_answer([*message.lines, *message.rest], writer.lexicon, names)
    if said is SaidAnswer.UNCLEAR:
        raise MotionRefused(ask_yes_or_no())
    return None if said is None else MotionAnswer(asked.motion, said is SaidAnswer.AGREES, asked.terms)


def ask_whether_agreed(message: Message, writer: Correspondent) -> None:
    """Ask somebody for a yes or a no who answers in few words that say neither, nor anything else.

    Raises `MotionRefused`.
    """
    words = [word for line in (*message.lines, *message.rest) for word in line.split()]
    if writer.motion is not None and len(words) <= LONGEST_ANSWER:
        raise MotionRefused(ask_yes_or_no())


def asks_all(requests: Iterable[Request]) -> bool:
    """Whether something of it is asked of all who play."""
    return any(one.kind in MOTIONS for one in requests)


def answer_motion(
    context: Context, row: IncomingMail, writer: Correspondent, answer: MotionAnswer, now: datetime
) -> None:
    """Note what somebody says to the letter that asks them, and answer. Raises `MotionRefused`."""
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            told = _vote_on_motion(unit, writer, answer, asked=True)
            incoming.state, incoming.why = MailState.PLAYED, "what its writer says to a wish of another"
            game = unit.session.get_one(Game, writer.game.id)
            queue_answer(
                unit, game, writer.ticket.seat, incoming, AnswerDetail(settled=(told,)), writer.letter
            )
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


def support_asked(unit: UnitOfWork, writer: Correspondent, requests: Iterable[Request]) -> tuple[str, ...]:
    """Ask of the others what a mail asks of them; a sentence about each. Raises `MotionRefused`."""
    asked = [one for one in requests if one.kind in MOTIONS]
    return tuple(
        _vote_on_motion(unit, writer, MotionAnswer(MOTIONS[one.kind], True, _terms_of(writer, one, unit.now)))
        for one in asked
    )


def _terms_of(writer: Correspondent, request: Request, now: datetime) -> MotionTerms:
    """What a request asks of all beyond its kind. Raises `MotionRefused`."""
    if request.kind is RequestKind.MORE_TIME and request.about:
        return MotionTerms(hours=int(request.about))
    if request.kind is RequestKind.PAUSE and request.about:
        zone = ZoneInfo(writer.person.preferences.zone)
        found = read_absence(request.about, writer.lexicon, now.astimezone(zone).date())
        if isinstance(found, DateQuestion):
            raise MotionRefused(gettext(PAUSE_UNCLEAR, word=request_word(RequestKind.PAUSE)))
        day_after = datetime.combine(found.last + timedelta(days=1), time(), zone)
        return MotionTerms(until=day_after.astimezone(UTC))
    if MOTIONS[request.kind] not in ABOUT_SEAT:
        return NO_TERMS
    return find_gone_seat(require_started(writer.history), request.about)


def fit_request(writer: Correspondent, request: Request, now: datetime) -> Request:
    """A request without what cannot be asked for, such as too many hours. Raises `MotionRefused`."""
    history = require_started(writer.history)
    if (kind := MOTIONS.get(request.kind)) in ABOUT_SEAT:
        terms, _ = settle_terms(writer.game, history, kind, _terms_of(writer, request, now), now)
        if terms.without is None or not is_seat_gone(writer.game, history, kind, terms.without, now):
            raise MotionRefused(gettext(WHERE_NOBODY_IS_GONE[kind]))
        return replace(request, about=history.position.table.names[terms.without])
    if request.kind is RequestKind.MORE_TIME and request.about:
        most = hours_left_to_add(writer.game, history)
        return (
            request if int(request.about) <= most else replace(request, about=str(most) if most > 0 else "")
        )
    if request.kind is RequestKind.PAUSE and request.about:
        try:
            settle_terms(writer.game, history, MotionKind.PAUSE, _terms_of(writer, request, now), now)
        except MotionRefused:
            return replace(request, about="")
    return request


def tell_limit(asked: Iterable[Request], fitting: Iterable[Request]) -> str:
    """The sentence that a turn cannot get as many hours as are asked for; empty where it can."""
    pairs = zip(asked, fitting, strict=True)
    cut = (one for before, one in pairs if one.kind is RequestKind.MORE_TIME and before.about != one.about)
    return next((tell_most_hours(int(one.about)) for one in cut if one.about), "")


def _vote_on_motion(
    unit: UnitOfWork, writer: Correspondent, answer: MotionAnswer, *, asked: bool = False
) -> str:
    game, seat = writer.game.id, writer.ticket.seat
    if answer.agrees:
        outcome = support_motion(
            unit, game, seat, answer.kind, Channel.REPLY, terms=answer.terms, asked=asked
        )
    else:
        outcome = decline_motion(unit, game, seat, answer.kind, Channel.REPLY, terms=answer.terms)
    return tell_outcome(answer.kind, outcome)
