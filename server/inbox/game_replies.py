"""What a mail to a game says, is done: an invitation accepted, orders played, words told to other players.

A mail is done whole or not at all. Where an order of it is refused nothing of it is told to the others, and
where something cannot be told nothing of it is played. Only what a card that comes up makes impossible is
left out (8.3); then the words are told. What it asks to be shown is shown in any case. Everything is answered
once, in the language of its writer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from emails import i18n
from emails.i18n import DEFAULT_LOCALE, gettext, use_locale
from emails.letters.kinds import LetterKind
from emails.letters.renderer import translate_order
from emails.replies.affirmations import says_yes
from emails.replies.chat_lines import is_chat, is_chat_without_colon
from emails.replies.reply_reader import read_reply
from emails.replies.retractions import CommandTest
from emails.replies.screening import EXPIRED, ScreeningFate, Verdict, screen_mail
from emails.wording import phrases, questions
from emails.wording.requests import Request, RequestKind, parse_request
from engine.actions import ActionRefused, Ambiguous, Unreadable
from engine.board import Board
from engine.notation.parser import parse
from engine.notation.tokens import NumberMeanings, looks_like_order
from server.accounts import undeliverable
from server.inbox import correspondent, returned_mail
from server.inbox.chat_relay import LONGEST_QUOTED, check_chat, post_chat_lines
from server.inbox.correspondent import Correspondent
from server.inbox.reply_outcome import (
    MailRefusal,
    close_silently,
    close_with_answer,
    queue_answer,
    refuse_mail,
)
from server.lobby.games import accept_invitation
from server.lobby.resignations import RESIGN_ALONE, ResignationRefused, has_resigned, resign
from server.outbox.chat import ChatRefused
from server.outbox.letter_details import AnswerDetail, ShownDetail
from server.store.context import Context
from server.store.models import Game, IncomingMail
from server.store.refusals import GameNotRunning, StalePosition
from server.store.states import Channel, GameStatus, MailState
from server.turns.dry_run import NUMBER, LinesRefused
from server.turns.play import ALREADY_RESIGNED, MailReport, play

RENUMBERED = i18n.gettext_noop(
    "A later mail of this game has other numbers: answer that one, or write in words what you want."
)
ACCEPTING_LINES = frozenset(
    " ".join(phrase.split())
    for phrase in """
    i ll play, yes i ll play, i will play, count me in, i am in, i m in,
    ik doe mee, ja ik doe mee, ik doe graag mee, ja ik doe graag mee, ik speel mee
    """.split(",")
)
"""The lines that accept an invitation beside those of `YES_PHRASES`."""


@dataclass(frozen=True, slots=True)
class ReplyLines:
    """The lines of a mail, by what they are."""

    lines: tuple[str, ...]
    """All of them."""
    orders: tuple[str, ...]
    chat: tuple[str, ...]
    """What is said to other players."""
    requests: tuple[Request, ...]
    """What its writer wants to be shown, or done outside the rules."""

    @classmethod
    def classify(cls, lines: Sequence[str]) -> ReplyLines:
        """Tell the lines apart."""
        talk = tuple(line for line in lines if is_chat(line))
        found = {line: asked for line in lines if line not in talk and (asked := parse_request(line))}
        orders = tuple(line for line in lines if line not in talk and line not in found)
        return cls(tuple(lines), orders, talk, tuple(found.values()))


def process_reply(context: Context, row: IncomingMail, token: str, now: datetime) -> None:
    """An answer to a letter of a game: screened, read, and done as far as the table of screening lets it."""
    with context.reading() as session:
        writer = correspondent.identify_correspondent(context, session, row, token)
        facts = correspondent.gather_screening_facts(session, row, writer, now)
    with use_locale(DEFAULT_LOCALE if writer is None else writer.person.preferences.locale):
        verdict = screen_mail(row.raw, row.sender, facts)
        if verdict.fate == ScreeningFate.RETURNED:
            returned_mail.process_bounce(context, row, token, now)
            return
        if writer is None or verdict.fate == ScreeningFate.IGNORED:
            close_silently(context, row, MailState.IGNORED, verdict.sentence)
        elif verdict.fate == ScreeningFate.TOLD:
            refuse_mail(context, row, writer, MailRefusal(verdict.sentence), now)
        else:
            undeliverable.clear_bounces_of_senders(
                context, writer.game.id, writer.ticket.seat, correspondent.sender_addresses(row), now
            )
            if writer.game.status == GameStatus.OPEN:
                process_acceptance(context, row, writer, now)
            else:
                process_game_mail(context, row, writer, verdict, now)


def process_acceptance(context: Context, row: IncomingMail, writer: Correspondent, now: datetime) -> None:
    """An answer to an invitation."""
    found = read_reply(row.raw, is_command=is_accepting_line, names=writer.names)
    if not found.doubtful and any(is_chat(line) for line in found.lines):
        sentence = gettext(
            "Nobody can be written to before the game has begun. To accept, answer with “accept”."
        )
        refuse_mail(context, row, writer, MailRefusal(sentence, meant=True), now)
        return
    if found.doubtful or not found.lines or not is_accepting_line(found.lines[0]):
        sentence = gettext("To accept the invitation, answer it with the one word “accept”.")
        refuse_mail(context, row, writer, MailRefusal(sentence), now)
        return
    if writer.letter is not None and writer.letter.kind == LetterKind.ACCEPTED:
        close_silently(
            context, row, MailState.IGNORED, "it answers the letter that says that the invitation is accepted"
        )
        return
    try:
        started = accept_invitation(
            context, writer.game.id, writer.ticket.seat, now, Channel.REPLY, writer.ticket.after
        )
    except StalePosition:
        return  # somebody accepted in the same moment: the next round reads this mail again
    if started:
        close_silently(context, row, MailState.PLAYED, "")  # the letters of the start are the answer
    else:
        close_with_answer(context, row, writer, MailState.PLAYED, "", LetterKind.ACCEPTED, now)


def is_accepting_line(line: str) -> bool:
    """Whether a line accepts an invitation."""
    return says_yes(line, ACCEPTING_LINES)


def process_game_mail(
    context: Context, row: IncomingMail, writer: Correspondent, verdict: Verdict, now: datetime
) -> None:
    """A mail to a game that has begun."""
    board, sent = context.board_of(writer.game), "" if writer.letter is None else writer.letter.text
    is_command = _make_command_test(board, writer.numbers)
    found = read_reply(row.raw, sent or None, is_command, writer.names)
    meant = any(is_command(line) or is_chat(line) or _is_meant_for_game(line, board) for line in found.lines)
    if found.doubtful or not found.lines:
        refuse_mail(context, row, writer, MailRefusal(found.reason, found.lines, meant), now)
        return
    said = ReplyLines.classify(found.lines)
    try:
        check_chat(said.chat, board)
        if any(one.kind == RequestKind.RESIGN for one in said.requests):
            _resign_by_mail(context, row, writer, said, now)
        elif said.orders and _has_resigned(context, writer):
            raise LinesRefused(said.orders[0], ActionRefused(ALREADY_RESIGNED))
        elif said.orders and verdict.fate == ScreeningFate.HEARD:
            raise OrdersExpired(verdict.sentence)
        elif any(number in writer.renumbered for line in said.orders for number in NUMBER.findall(line)):
            raise OrdersExpired(gettext(RENUMBERED))
        elif said.orders:
            _play_orders(context, row, writer, said, now)
        else:
            _answer_without_orders(context, row, writer, said, now)
    except (
        ChatRefused,
        ResignationRefused,
        OrdersExpired,
        StalePosition,
        GameNotRunning,
        LinesRefused,
    ) as error:
        refuse_mail(context, row, writer, _refusal_from(error, said, meant), now)


class OrdersExpired(Exception):
    """Orders come too late: the position has passed, or other numbers hold; the sentence says so."""


def _make_command_test(board: Board, numbers: NumberMeanings) -> CommandTest:
    """Whether a line can be read: as orders, or as a wish to be shown something."""

    def is_command(line: str) -> bool:
        try:
            return parse_request(line) is not None or bool(parse(line, board, numbers))
        except ActionRefused:
            return False

    return is_command


def _is_meant_for_game(line: str, board: Board) -> bool:
    """Whether a line that cannot be read was meant for the game: it begins like orders, or is misspelt."""
    try:
        return looks_like_order(line) or bool(parse(line, board))
    except Unreadable as refusal:
        return bool(refusal.did_you_mean)


def _play_orders(
    context: Context, row: IncomingMail, writer: Correspondent, said: ReplyLines, now: datetime
) -> None:
    """Play orders and tell what stands with them. Raises what `play` raises, and `ChatRefused`."""
    ticket = writer.ticket

    def also(session: Session, game: Game) -> MailReport:
        return _post_chat(context, session, game, ticket.seat, said, now)

    play(
        context,
        ticket.game,
        ticket.seat,
        ticket.after,
        said.orders,
        Channel.REPLY,
        now,
        row.id,
        also,
        writer.numbers,
    )


def _resign_by_mail(
    context: Context, row: IncomingMail, writer: Correspondent, said: ReplyLines, now: datetime
) -> None:
    """Give the game up. Raises `ResignationRefused`."""
    if len(said.lines) > 1:
        raise ResignationRefused(gettext(RESIGN_ALONE))
    resign(context, None, writer.game.id, writer.ticket.seat, now, Channel.REPLY, row)


def _has_resigned(context: Context, writer: Correspondent) -> bool:
    with context.reading() as session:
        return has_resigned(session, writer.game.id, writer.ticket.seat)


def _answer_without_orders(
    context: Context, row: IncomingMail, writer: Correspondent, said: ReplyLines, now: datetime
) -> None:
    """A mail that only says or asks something, whatever position its letter was about.

    Raises `ChatRefused`.
    """
    with context.writing() as session:
        incoming = session.get_one(IncomingMail, row.id)
        if incoming.state != MailState.WAITING:
            return  # another server has read it
        game = session.get_one(Game, writer.game.id)
        report = _post_chat(context, session, game, writer.ticket.seat, said, now)
        incoming.state = MailState.PLAYED
        answer = AnswerDetail(posted=report.posted, asked=report.asked)
        content = answer if said.chat else ShownDetail(report.asked)
        queue_answer(context, session, incoming, writer, content, now)
        session.commit()
    context.wake()


def _post_chat(
    context: Context, session: Session, game: Game, seat: int, said: ReplyLines, now: datetime
) -> MailReport:
    """Tell the others what is said to them; what the answer says beside.

    Raises `ChatRefused`.
    """
    posted = post_chat_lines(context, session, game, seat, said.chat, now)
    return MailReport(tuple(posted), said.requests)


def _refusal_from(error: Exception, said: ReplyLines, meant: bool) -> MailRefusal:
    """Why nothing of a mail was done, as a sentence or two, and what its writer is asked."""
    sentence, question = str(error), None
    if isinstance(error, ChatRefused) and said.orders:
        sentence += " " + gettext("Nothing of your mail was done.")
    elif isinstance(error, LinesRefused):
        line = (error.line if error.line in said.lines else translate_order(error.line))[:LONGEST_QUOTED]
        sentence = _explain_refusal(error, line)
        if isinstance(error.refusal, Ambiguous) and error.resume_point is not None:
            halt = error.resume_point
            question = questions.ask_which(error.refusal, halt.known, halt.before, halt.rest)
            sentence = gettext("“%(line)s” could mean several things.", line=line)
    elif isinstance(error, StalePosition):
        sentence = gettext(EXPIRED)
    elif isinstance(error, GameNotRunning):
        sentence = gettext("This game is not being played.")
    if said.chat and not isinstance(error, ChatRefused):
        sentence += " " + gettext("Nothing was told to the other players either.")
    return MailRefusal(sentence, said.lines, meant, question, said.requests)


def _explain_refusal(error: LinesRefused, line: str) -> str:
    """Why a line is refused."""
    if is_chat_without_colon(error.line):
        return gettext("“%(line)s” needs a colon before the words that are to be sent.", line=line)
    sentence = gettext("“%(line)s”: %(why)s", line=line, why=phrases.explain_refusal(error.refusal))
    return sentence if sentence.endswith("?") else f"{sentence}."
