"""What became of a mail, said to its writer in their language: what was done, or why nothing was."""

from __future__ import annotations

from dataclasses import replace

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import lexicon_of
from emails.letters.renderer import translate_order
from emails.replies.clerk.known_position import look_out
from emails.replies.remarks.chat_lines import is_chat_without_colon
from emails.replies.reply_reader import Message
from emails.replies.screening import EXPIRED
from emails.wording import phrases, questions
from emails.wording.questions import OrderQuestion
from emails.wording.requests import Request
from engine.actions import Action, Ambiguous
from engine.notation.canonical_text import write
from server.accounts.vacations import VacationRefused
from server.inbox.chat_relay import LONGEST_QUOTED
from server.inbox.reply_outcome import MailRefusal
from server.inbox.requests.presence_mail import DaysUnclear
from server.lobby.leaving import ResignationRefused
from server.lobby.nudges import NudgeRefused
from server.lobby.votes import VoteRefused
from server.outbox.chat import ChatRefused
from server.outbox.letter_details import AnswerDetail
from server.store.refusals import GameNotRunning, GameSuspended, Refusal, RefusalCode, StalePosition
from server.turns.dry_run import LinesRefused, ResumePoint, preview
from server.turns.plans import PlanRefused
from server.turns.play import PlayResult


class OrdersExpired(Refusal):
    """Orders come too late: the position has passed, or other numbers hold; the sentence says so."""

    code = RefusalCode.STALE


REFUSALS = (
    ChatRefused,
    DaysUnclear,
    VacationRefused,
    ResignationRefused,
    VoteRefused,
    NudgeRefused,
    OrdersExpired,
    StalePosition,
    GameNotRunning,
    GameSuspended,
    LinesRefused,
    PlanRefused,
)
"""Why nothing of a mail is done, whatever it asks for."""


def explain_refusal(error: Refusal, message: Message) -> MailRefusal:
    """Why nothing of a mail was done, as a sentence or two, and what its writer is asked."""
    sentence, question = str(error), None
    if isinstance(error, NudgeRefused):
        sentence = error.sentence
    if isinstance(error, ChatRefused) and message.orders:
        sentence += " " + gettext("Nothing of your mail was done.")
    elif isinstance(error, LinesRefused):
        sentence = _explain_line(error, _quote_line(error, message))
        if isinstance(error.refusal, Ambiguous) and error.resume_point is not None:
            question, hindered = _ask_which(error.refusal, error.resume_point)
            if hindered is None:
                line = _quote_line(error, message)
                sentence = gettext("“%(line)s” could mean several things.", line=line)
            else:
                sentence = _explain_line(hindered, _quote_line(hindered, message))
    elif isinstance(error, StalePosition):
        sentence = gettext(EXPIRED)
    elif isinstance(error, GameNotRunning):
        sentence = gettext("This game is not being played.")
    if message.chat and not isinstance(error, ChatRefused):
        sentence += " " + gettext("Nothing was told to the other players either.")
    meant = message.is_meant_for_game
    why = MailRefusal(sentence, message.lines, meant, question, message.requests, code=error.code)
    return replace(why, days=error.asked) if isinstance(error, DaysUnclear) else why


def _quote_line(error: LinesRefused, message: Message) -> str:
    """The refused words as they stand in the mail, a number alone too, or else in full words."""
    number = error.line.removeprefix("march ")
    for line in message.lines:
        if line == error.line or (number.isdigit() and line.strip(" #.!)") == number):
            return line[:LONGEST_QUOTED]
    return translate_order(error.line)[:LONGEST_QUOTED]


def _ask_which(
    refusal: Ambiguous, halt: ResumePoint
) -> tuple[OrderQuestion, None] | tuple[None, LinesRefused]:
    """Which meaning is meant of those with which the rest can be done too; why not, where that is none."""
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
        return None, hindered
    kept = Ambiguous(refusal.sentence, tuple(able), refusal.more, **refusal.values)
    return questions.ask_which(kept, halt.known, halt.before, halt.rest), None


def _explain_line(error: LinesRefused, line: str) -> str:
    """Why a line is refused."""
    if is_chat_without_colon(error.line, lexicon_of(current_locale().language)):
        return gettext("“%(line)s” needs a colon before the words that are to be sent.", line=line)
    sentence = gettext("“%(line)s”: %(why)s", line=line, why=phrases.explain_refusal(error.refusal))
    return sentence if sentence.endswith("?") else f"{sentence}."


def report_orders(played: PlayResult, posted: tuple[str, ...], asked: tuple[Request, ...]) -> AnswerDetail:
    """What became of the orders of a mail, in the language of its writer."""
    run, question = played.run, None
    undone = tuple(translate_order(words) for words in run.undone)
    why = "" if run.refusal is None else phrases.explain_refusal(run.refusal)
    if isinstance(run.refusal, Ambiguous) and run.resume_point is not None:
        question, hindered = _ask_which(run.refusal, run.resume_point)
        if hindered is None:
            why = gettext("it could mean several things")
        else:
            why = phrases.explain_refusal(hindered.refusal)
    return AnswerDetail(run.done, undone, why, played.history.after, question, posted, asked)
