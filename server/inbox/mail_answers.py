"""Answers to mails of players: refusals with their reasons, questions about the meaning, and silence."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlmodel import col, select

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import lexicon_of, whole_lexicon
from emails.letters import game_letters
from emails.letters.declaration import Payload
from emails.replies.clerk.meanings import look_out
from emails.replies.clerk.proposals import (
    ProposalKind,
    ask_which_turn,
    explain_proposal,
    find_certain_turn,
    propose,
)
from emails.replies.grammars import LineKind, ReadLine, YesGrammar, is_chat_without_colon
from emails.replies.quotations import is_quoted
from emails.replies.reply_reader import Message
from emails.replies.screening import Screening
from emails.tokens import Purpose
from emails.wording import phrases, requests
from emails.wording.phrases import translate_order
from emails.wording.requests import REQUESTS_TO_CONFIRM, OrderQuestion, Request
from engine.actions import Action, Ambiguous, NotOffered, Unreadable
from engine.board import Board
from engine.notation.orders import write
from engine.notation.parser import looks_like_order, parse_lines
from engine.position import View, view
from server.inbox.received_mail import (
    HOUR,
    Closing,
    GameMail,
    close_mail,
    find_room_for_answer,
    ignore_mail,
    queue_answer,
)
from server.lobby.votes import NudgeRefused
from server.monitoring import AttemptChannel, SecurityEvent
from server.outbox.chat import ChatRefused
from server.outbox.notifications import decode_row
from server.outbox.queue import SentLetter, UnitOfWork, add_to_detail, read_sent_letter
from server.store.event_log import GameNotRunning, Refusal, RefusalCode, StalePosition, require_started
from server.store.models import Game, OutgoingLetter, count_rows
from server.store.states import MailState
from server.turns.dry_run import LinesRefused, ResumePoint, preview, preview_orders
from server.turns.play import PlayResult

LONGEST_QUOTED = 80
NO_ROOM = "Too many mails came within the hour."
MOST_REFUSALS_IN_A_ROW = 5
"""Maximum refusals in a chain of replies to refusals; a reply to the last one gets no answer."""
FEW_WORDS = 6
"""Maximum words of an unreadable mail that is assumed to be written by a person."""
MOST_QUESTIONS = 5
"""Maximum letters per seat and hour that ask the player to confirm a mail."""
NO_YES = "it answers a question without a yes"
REFUSED_AGAIN = "it answers a refusal, and would be refused again"
ASKED_OFTEN = "the limit of questions about unproven mails is reached"


# --- outcomes -------------------------------------------------------------------------------------------


class Outcome(ABC):
    """What the server does about a mail, such as an answer."""

    @abstractmethod
    def perform(self, mail: GameMail) -> None:
        """Carry out the outcome, and close the mail. Raises `Refusal` if the outcome is impossible."""


def has_room(unit: UnitOfWork, mail: GameMail) -> bool:
    """Return whether the hourly limit permits another answer to the sender; if not, log a security event."""
    if find_room_for_answer(unit.session, mail.game.id, mail.seat, mail.now) <= mail.now:
        return True
    unit.after_commit(lambda: mail.note_event(SecurityEvent.LIMIT_REACHED, kind=Purpose.REPLY))
    return False


def answer(unit: UnitOfWork, mail: GameMail, payload: Payload) -> None:
    game = unit.session.get_one(Game, mail.game.id)
    queue_answer(unit, game, mail.seat, mail.row, payload, mail.letter)


@dataclass(frozen=True, slots=True)
class Silence(Outcome):
    why: str

    def perform(self, mail: GameMail) -> None:
        ignore_mail(mail, self.why)


@dataclass(frozen=True, slots=True)
class Question(Outcome):
    """Question to the player's stored address: whether to carry out a mail, or which meaning the mail has."""

    letter: game_letters.AskedBack
    repeated: bool = False
    """Whether the letter is sent although the answered letter has equal questions."""

    def perform(self, mail: GameMail) -> None:
        letter, before = self.letter, mail.question
        known = before is not None and bool(letter.questions) and before.questions == letter.questions
        if (known and not self.repeated) or (before is not None and before.lines == letter.lines):
            ignore_mail(mail, NO_YES)
        elif (letter.unproven or letter.questions) and _is_asked_often(mail):
            ignore_mail(mail, ASKED_OFTEN)
        else:

            def ask(unit: UnitOfWork) -> Closing:
                if not letter.unproven and not has_room(unit, mail):
                    return MailState.IGNORED, NO_ROOM
                answer(unit, mail, letter)
                return MailState.ASKED, ""

            close_mail(mail, ask, None if letter.unproven else mail.letter)


def _is_asked_often(mail: GameMail) -> bool:
    own = OutgoingLetter.game == mail.game.id, OutgoingLetter.seat == mail.seat
    lately = OutgoingLetter.kind == game_letters.AskedBack.kind, OutgoingLetter.queued_at > mail.now - HOUR
    with mail.context.reading() as session:
        return count_rows(session, OutgoingLetter, *own, *lately) >= MOST_QUESTIONS


@dataclass(frozen=True, slots=True)
class MailRefusal(Outcome):
    """Reason why a mail had no effect, and further contents of the answer.

    A mail that answers an earlier refusal gets no answer if the new refusal would be the same, if the mail
    does not seem to be written by a person, or after five refusals in a row.
    """

    sentence: str
    lines: Sequence[str] = ()
    meant: bool = False
    question: OrderQuestion | None = None
    asked: tuple[Request, ...] = ()
    """Requests in the mail that are answered despite the refusal."""
    ended: bool = False
    code: RefusalCode = RefusalCode.REQUEST
    proposed: bool = False
    """Whether `question` proposes turns that a partly unreadable mail may mean."""
    understood: str = ""
    """Guessed kind of the mail, such as "question", for the metrics; empty without a guess."""

    def perform(self, mail: GameMail) -> None:
        before = mail.refusal
        in_a_row = 0 if before is None else before.in_a_row
        letter = game_letters.Refused(
            self.sentence,
            tuple(self.lines),
            in_a_row + 1,
            None if self.question is None else mail.game.after,
            self.question,
            self.asked,
            self.ended,
            self.proposed,
            self.understood,
        )
        worth = self.meant or _is_worth_an_answer(self.lines, mail.board)
        again = before is not None and letter.tells_the_same(before)
        if before is not None and (not worth or again or in_a_row == MOST_REFUSALS_IN_A_ROW):
            ignore_mail(mail, REFUSED_AGAIN)
            return

        def refuse(unit: UnitOfWork) -> Closing:
            if not has_room(unit, mail):
                return MailState.IGNORED, NO_ROOM
            answer(unit, mail, letter)
            unit.after_commit(lambda: self._count(mail))
            return MailState.REFUSED, self.sentence

        close_mail(mail, refuse, mail.letter)

    def _count(self, mail: GameMail) -> None:
        events = mail.context.events
        events.note_refusal(self.code, AttemptChannel.MAIL, mail.game.id)
        if self.understood:
            events.count_unclear_mail(self.understood, asked=self.proposed)


def _is_worth_an_answer(lines: Sequence[str], board: Board) -> bool:
    # Lines that a person wrote about the game contain few words, or name a card or a place.
    words = re.findall(r"\w+", " ".join(lines).casefold())
    known = whole_lexicon().orders
    named = frozenset(name.casefold() for name in board.places).union(known.symbols, known.places)
    return bool(words) and (len(words) <= FEW_WORDS or not named.isdisjoint(words))


def is_short(lines: Sequence[str]) -> bool:
    return 0 < len(re.findall(r"\w+", " ".join(lines))) <= FEW_WORDS


# --- reasons --------------------------------------------------------------------------------------------


def explain_refusal(error: Refusal, message: Message) -> MailRefusal:
    """Return the reason why a mail had no effect, with a question to its sender if a question helps."""
    sentence, question = str(error), None
    match error:
        case NudgeRefused():
            sentence = error.sentence
        case ChatRefused() if message.orders:
            sentence += " " + gettext("Nothing of your mail was done.")
        case LinesRefused():
            sentence, question = _explain_lines(error, message)
        case StalePosition():
            sentence = Screening.EXPIRED.sentence
        case GameNotRunning():
            sentence = gettext("This game is not being played.")
    if message.chat and not isinstance(error, ChatRefused):
        sentence += " " + gettext("Nothing was told to the other players either.")
    meant, asked = message.is_meant_for_game, message.requests
    return MailRefusal(sentence, message.lines, meant, question, asked, code=error.code)


def _explain_lines(error: LinesRefused, message: Message) -> tuple[str, OrderQuestion | None]:
    line = _quote_line(error, message)
    if not isinstance(error.refusal, Ambiguous) or error.resume_point is None:
        return _explain_line(error, line), None
    found = _ask_which(error.refusal, error.resume_point)
    if isinstance(found, LinesRefused):
        return _explain_line(found, _quote_line(found, message)), None
    return gettext("“%(line)s” could mean several things.", line=line), found


def _quote_line(error: LinesRefused, message: Message) -> str:
    number = error.line.removeprefix("march ")
    for line in message.lines:
        if line == error.line or (number.isdigit() and line.strip(" #.!)") == number):
            return line[:LONGEST_QUOTED]
    return translate_order(error.line)[:LONGEST_QUOTED]


def _explain_line(error: LinesRefused, line: str) -> str:
    if is_chat_without_colon(error.line, lexicon_of(current_locale().language)):
        return gettext("“%(line)s” needs a colon before the words that are to be sent.", line=line)
    sentence = gettext("“%(line)s”: %(why)s", line=line, why=phrases.explain_refusal(error.refusal))
    return sentence if sentence.endswith("?") else f"{sentence}."


def _ask_which(refusal: Ambiguous, halt: ResumePoint) -> OrderQuestion | LinesRefused:
    position, board = look_out(halt.known).position, halt.known.table.board
    able: list[Action] = []
    hindered: LinesRefused | None = None
    for action in refusal.candidates:
        try:
            preview(position, halt.known.my_seat, [write(action, board), *halt.rest])
        except LinesRefused as error:
            if not isinstance(error.refusal, Ambiguous):
                hindered = hindered or error
                continue
        able.append(action)
    if hindered is not None and not able:
        return hindered
    kept = Ambiguous(refusal.sentence, tuple(able), refusal.more, **refusal.values)
    return requests.ask_which(kept, halt.known, halt.before, halt.rest)


def report_orders(
    played: PlayResult, posted: tuple[str, ...], asked: tuple[Request, ...]
) -> game_letters.Answer:
    run, question = played.run, None
    undone = tuple(translate_order(words) for words in run.undone)
    why = "" if run.refusal is None else phrases.explain_refusal(run.refusal)
    if isinstance(run.refusal, Ambiguous) and run.resume_point is not None:
        found = _ask_which(run.refusal, run.resume_point)
        if isinstance(found, LinesRefused):
            why = phrases.explain_refusal(found.refusal)
        else:
            question, why = found, gettext("it could mean several things")
    return game_letters.Answer(run.done, undone, why, played.history.after, question, posted, asked)


# --- the answer to a question ---------------------------------------------------------------------------


OPEN_FOR = timedelta(days=7)
"""Time in which a number in reply to another letter answers a question."""
LONE_DIGIT = re.compile(r"(?<!\w)[0-9](?!\w)")


def read_answer(mail: GameMail) -> Message:
    affirmations = ("1", *mail.lexicon.answers["doing"])
    return mail.read(YesGrammar(affirmations, mail.lexicon, of_orders=True))


def read_number(answer: Message) -> int:
    """Return the number of an answer that consists only of a digit; 0 for other answers."""
    lines = [line.strip(" #.!)") for line in answer.lines]
    return int(lines[0]) if len(lines) == 1 and re.fullmatch("[0-9]", lines[0]) else 0


def says_only_yes(answer: Message) -> bool:
    return answer.says_yes and all(line.kind is LineKind.YES for line in answer.found)


def choose_meaning(question: game_letters.AskedBack, answer: Message) -> game_letters.AskedBack | None:
    """Return the question about the meaning chosen by an answer, a yes or a number; None without a choice."""
    if not question.questions:
        return question if says_only_yes(answer) else None
    number = read_number(answer) or (says_only_yes(answer) and question.readings > 0)
    return question.choose(number)


def answer_open_question(mail: GameMail) -> GameMail:
    """Return a mail with only a number as the answer to the question by which the last mail was answered.

    Returns the mail unchanged if it answers a letter that asks something, or if the number may end letters or
    give up the seat.
    """
    asks = mail.is_asked or mail.is_unproven or mail.is_unsealed
    lines = (*mail.parsed.text.lines, *mail.parsed.html.lines)
    may_choose = any(LONE_DIGIT.search(line) and not is_quoted(line) for line in lines)
    number = read_number(read_answer(mail)) if may_choose and not asks else 0
    if not number or str(number) in mail.choices or mail.letter is None:
        return mail
    own = OutgoingLetter.game == mail.game.id, OutgoingLetter.seat == mail.seat
    answers = select(OutgoingLetter).where(*own, col(OutgoingLetter.answers).is_not(None))
    with mail.context.reading() as session:
        last = session.exec(answers.order_by(col(OutgoingLetter.id).desc()).limit(1)).first()
    asked = None if last is None else decode_row(last)
    if last is None or not isinstance(asked, game_letters.AskedBack) or asked.unproven or not asked.questions:
        return mail
    chosen = asked.choose(number)
    late = mail.now - (last.sent_at or last.queued_at) > OPEN_FOR
    grave = chosen is not None and chosen.request in REQUESTS_TO_CONFIRM
    is_done = read_sent_letter(last.detail).done
    return mail if late or grave or is_done else replace(mail, letter=last, question=asked)


def add_to_letter(unit: UnitOfWork, mail: GameMail, known: SentLetter) -> SentLetter:
    """Add facts, such as `done`, to the row of the answered letter; return the facts stored before."""
    assert mail.letter is not None
    stored = unit.session.get_one(OutgoingLetter, mail.letter.id, populate_existing=True)
    before = read_sent_letter(stored.detail)
    stored.detail = add_to_detail(stored.detail, known)
    return before


# --- proposed turns -------------------------------------------------------------------------------------

CLEAR = 0.99  # minimum similarity of a proposed legal turn to the illegal text


def propose_beside_doubt(mail: GameMail, message: Message, why: MailRefusal) -> MailRefusal:
    error = None if message.doubt is None or message.cut else _find_unread(message)
    return why if error is None else propose_instead(mail, message, error, why)


def propose_unread(mail: GameMail, message: Message) -> MailRefusal | None:
    """Return the turns that unreadable orders may mean; None without such orders or turns."""
    error = _find_unread(message)
    if error is None or mail.is_unproven:
        return None
    why = propose_instead(mail, message, error, explain_refusal(error, message))
    return why if why.proposed else None


def _find_unread(message: Message) -> LinesRefused | None:
    for line in message.orders:
        if line.refusal is not None:
            return LinesRefused(line.words, line.refusal)
    return None


def propose_instead(mail: GameMail, message: Message, error: Exception, why: MailRefusal) -> MailRefusal:
    if mail.is_expired or mail.seat in mail.history.resigned:
        return why
    known = view(require_started(mail.history).position, mail.seat)
    choices = {mark: words for mark, words in mail.choices.items() if mark not in mail.changed}
    return reconsider(message, known, choices, error, why)


def reconsider(
    message: Message, known: View, choices: Mapping[str, str], error: Exception, why: MailRefusal
) -> MailRefusal:
    """Return the refusal `why`, extended by the turns that the refused mail may mean.

    `error`: reason of the refusal. `known`: the game as visible to the sender. `choices`: the orders offered
    by the answered letter; the keys are the marks, such as "A" or "1", by which a reply chooses them.
    """
    if not isinstance(error, LinesRefused) or isinstance(error.refusal, NotOffered) or not known.my_turn:
        return why
    if isinstance(error.refusal, Ambiguous):
        return why
    apart = (LineKind.CHAT, LineKind.REQUEST)
    lines = [*(line.words for line in message.found if line.kind not in apart), *message.rest]
    found = propose(lines, known, choices, (current_locale().language,))
    if isinstance(error.refusal, Unreadable):
        lexicon = lexicon_of(current_locale().language)
        begun = looks_like_order(error.line, lexicon.orders)
        named = found.readings and found.kind is not ProposalKind.OFFER
        explained = named or found.kind is ProposalKind.RETRACTION
        if is_chat_without_colon(error.line, lexicon) or (begun and not explained):
            return why  # this refusal already names the wrong word
        sentence = explain_proposal(found)
        if message.chat:
            sentence += " " + gettext("Nothing was told to the other players either.")
        why = replace(why, sentence=sentence, understood=found.kind.value)
    elif not found.readings or found.readings[0].explained < CLEAR:
        return why
    question = ask_which_turn(found, known)
    return replace(
        why, question=question, proposed=question is not None, meant=why.meant or question is not None
    )


def settle_orders(mail: GameMail, message: Message) -> Message:
    """Replace orders that cannot be played as they stand by those that the mail means beyond doubt."""
    if mail.question is not None or mail.is_expired or mail.seat in mail.history.resigned:
        return message
    position = require_started(mail.history).position
    readable = message.orders and all(line.refusal is None for line in message.orders)
    if readable and not message.doubtful:
        try:
            preview_orders(position, mail.seat, message.orders)
        except LinesRefused:
            pass
        else:
            return message
    choices = {mark: words for mark, words in mail.choices.items() if mark not in mail.changed}
    found = find_certain_turn(message, view(position, mail.seat), choices, (current_locale().language,))
    if not found:
        return message
    orders = (ReadLine(line.words, line.orders) for line in parse_lines(found, mail.board))
    return Message((*orders, *(line for line in message.found if line.kind is LineKind.CHAT)))
