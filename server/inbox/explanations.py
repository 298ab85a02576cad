"""What became of a mail, said to its writer in their language: what was done, or why nothing was."""

from __future__ import annotations

from emails.i18n import gettext
from emails.letters.renderer import translate_order
from emails.replies.chat_lines import is_chat_without_colon
from emails.replies.reply_reader import Message
from emails.replies.screening import EXPIRED
from emails.wording import phrases, questions
from emails.wording.requests import Request
from engine.actions import Ambiguous
from server.inbox.chat_relay import LONGEST_QUOTED
from server.inbox.reply_outcome import MailRefusal
from server.outbox.chat import ChatRefused
from server.outbox.letter_details import AnswerDetail
from server.store.refusals import GameNotRunning, Refusal, RefusalCode, StalePosition
from server.turns.dry_run import LinesRefused
from server.turns.play import PlayResult


class OrdersExpired(Exception):
    """Orders come too late: the position has passed, or other numbers hold; the sentence says so."""


def explain_refusal(error: Exception, message: Message) -> MailRefusal:
    """Why nothing of a mail was done, as a sentence or two, and what its writer is asked."""
    sentence, question = str(error), None
    if isinstance(error, ChatRefused) and message.orders:
        sentence += " " + gettext("Nothing of your mail was done.")
    elif isinstance(error, LinesRefused):
        line = (error.line if error.line in message.lines else translate_order(error.line))[:LONGEST_QUOTED]
        sentence = _explain_line(error, line)
        if isinstance(error.refusal, Ambiguous) and error.resume_point is not None:
            resume_point = error.resume_point
            question = questions.ask_which(
                error.refusal, resume_point.known, resume_point.before, resume_point.rest
            )
            sentence = gettext("“%(line)s” could mean several things.", line=line)
    elif isinstance(error, StalePosition):
        sentence = gettext(EXPIRED)
    elif isinstance(error, GameNotRunning):
        sentence = gettext("This game is not being played.")
    if message.chat and not isinstance(error, ChatRefused):
        sentence += " " + gettext("Nothing was told to the other players either.")
    code = error.code if isinstance(error, Refusal) else RefusalCode.STALE
    meant = message.is_meant_for_game
    return MailRefusal(sentence, message.lines, meant, question, message.requests, code=code)


def _explain_line(error: LinesRefused, line: str) -> str:
    """Why a line is refused."""
    if is_chat_without_colon(error.line):
        return gettext("“%(line)s” needs a colon before the words that are to be sent.", line=line)
    sentence = gettext("“%(line)s”: %(why)s", line=line, why=phrases.explain_refusal(error.refusal))
    return sentence if sentence.endswith("?") else f"{sentence}."


def report_orders(played: PlayResult, posted: tuple[str, ...], asked: tuple[Request, ...]) -> AnswerDetail:
    """What became of the orders of a mail, in the language of its writer."""
    run, question = played.run, None
    undone = tuple(translate_order(words) for words in run.undone)
    why = "" if run.refusal is None else phrases.explain_refusal(run.refusal)
    if isinstance(run.refusal, Ambiguous) and run.resume_point is not None:
        why = gettext("it could mean several things")
        resume_point = run.resume_point
        question = questions.ask_which(
            run.refusal, resume_point.known, resume_point.before, resume_point.rest
        )
    return AnswerDetail(run.done, undone, why, played.history.after, question, posted, asked)
