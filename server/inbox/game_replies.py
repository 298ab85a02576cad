"""What a mail to a game says, is done: an invitation accepted, orders played, words told to other players.

A mail is done whole or not at all. Where an order of it is refused nothing of it is told to the others, and
where something cannot be told nothing of it is played. Only what a card that comes up makes impossible is
left out (8.3); then the words are told. What it asks to be shown is shown in any case. Everything is answered
once, in the language of its writer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime

from emails import i18n
from emails.i18n import DEFAULT_LOCALE, gettext, use_locale
from emails.keys import Purpose
from emails.replies.bounces import parse_bounce
from emails.replies.grammars import GameGrammar
from emails.replies.mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.replies.screening import ENDED_ROWS, ScreeningFate, Verdict, screen_mail
from emails.replies.talk.affirmations import begins_with_yes
from emails.wording.requests import REQUESTS_THAT_ACT, RequestKind
from server.accounts import undeliverable
from server.inbox import acceptances, asked_back, correspondent, proposed_turns, returned_mail
from server.inbox.chat_relay import check_chat, post_chat_lines, set_house_aside
from server.inbox.correspondent import Correspondent
from server.inbox.explanations import OrdersExpired, explain_refusal, report_orders
from server.inbox.reply_outcome import (
    MailRefusal,
    claim_mail,
    close_silently,
    close_without_room,
    queue_answer,
    refuse_mail,
)
from server.lobby.resignations import RESIGN_ALONE, ResignationRefused
from server.outbox.chat import ChatRefused
from server.outbox.letter_details import AnswerDetail, ShownDetail
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.security_log import SecurityEvent, Way
from server.store.context import Context
from server.store.models import Game, IncomingMail
from server.store.refusals import GameNotRunning, GameSuspended, StalePosition
from server.store.states import Channel, GameStatus, MailState
from server.turns.dry_run import LinesRefused
from server.turns.play import check_not_resigned, load_running_game, play

ACCEPTING = "accept"
"""The words of the link that accepts an invitation."""
NEW_LINKS_ALONE = i18n.gettext_noop(
    "To make all your links new, write that in a mail of its own, without orders or messages."
)
NOTED_VERDICTS = {
    "unknown": SecurityEvent.SEAL_REFUSED,
    "too many": SecurityEvent.LIMIT_REACHED,
    "author": SecurityEvent.MAIL_NOT_PROVEN,
    "stranger": SecurityEvent.MAIL_NOT_PROVEN,
    "unproven": SecurityEvent.MAIL_NOT_PROVEN,
}
"""What is noted for security of a mail that is not played, by the row of the table of screening."""
YES_ALONE = i18n.gettext_noop(
    "Your answer was not understood, and nothing is done. Answer the mail before this one with the one word "
    "“%(word)s”, and it is."
)
OFFERED_ANEW = i18n.gettext_noop(
    "A later mail of this game offers other choices: answer that one, or write in words what you want."
)


def process_reply(context: Context, row: IncomingMail, mail: Mail, token: str, now: datetime) -> None:
    """An answer to a letter of a game: screened, read, and done as far as the table of screening lets it."""
    with context.reading() as session:
        writer = correspondent.identify_correspondent(context, session, row, mail, token)
        facts = correspondent.gather_screening_facts(context, session, row, mail, writer, now)
        senders = {mail.headers.author}
        arriving = writer is not None and undeliverable.find_bouncing_addresses(
            session, writer.game.id, writer.ticket.seat, senders
        )
    with use_locale(DEFAULT_LOCALE if writer is None else writer.person.preferences.locale):
        verdict = screen_mail(mail, facts)
        if event := NOTED_VERDICTS.get(verdict.row):
            context.security.note(event, row.network, now, by=Way.MAIL, kind=Purpose.REPLY)
        if verdict.fate == ScreeningFate.RETURNED:
            returned_mail.record_report(context, row, mail, parse_bounce(mail, True), now)
            return
        if writer is None or verdict.fate == ScreeningFate.IGNORED:
            close_silently(context, row, MailState.IGNORED, verdict.sentence)
            return
        if verdict.fate == ScreeningFate.TOLD:
            ended = verdict.row in ENDED_ROWS
            refuse_mail(context, row, writer, MailRefusal(verdict.sentence, ended=ended), now)
            return
        if arriving and verdict.fate != ScreeningFate.ASKED:
            _clear_bounces(context, writer, senders, now)
        if writer.game.status == GameStatus.OPEN:
            acceptances.process_acceptance(context, row, mail, writer, verdict, now)
        elif writer.game.suspended_at is not None:
            refuse_mail(context, row, writer, MailRefusal(GameSuspended().sentence), now)
        else:
            process_game_mail(context, row, mail, writer, verdict, now)


def _clear_bounces(context: Context, writer: Correspondent, senders: Collection[str], now: datetime) -> None:
    """Note that mail of a player has arrived; this holds whatever becomes of what it says."""
    with open_unit(context, now) as unit:
        undeliverable.clear_bounces_of_senders(unit, writer.game.id, writer.ticket.seat, senders)
        unit.commit()


def process_game_mail(
    context: Context, row: IncomingMail, mail: Mail, writer: Correspondent, verdict: Verdict, now: datetime
) -> None:
    """A mail to a game that has begun."""
    board, sent = context.board_of(writer.game), "" if writer.letter is None else writer.letter.text
    question = asked_back.find_question(writer)
    answer = None if question is None else asked_back.read_answer(mail, writer)
    if question is not None and answer is not None and asked_back.says_only_yes(answer):
        with _refusing(context, row, writer, answer, now):
            asked_back.do_asked(context, row, writer, question, now)
        return
    unproven = verdict.fate == ScreeningFate.ASKED
    message = read_reply(mail, GameGrammar(board, writer.choices, writer.lexicon), sent or None, writer.names)
    first = proposed_turns.find_first_turn(context, writer)
    if first is not None and asked_back.says_only_yes(asked_back.read_answer(mail, writer)):
        message = first
    if answer is not None and not message.is_meant_for_game:
        _leave_undone(context, row, writer, answer, now)
        return
    if not message.lines or (message.doubtful and not message.may_be_meant):
        refusal = MailRefusal(message.reason, message.lines, message.is_meant_for_game)
        refusal = refusal if unproven else proposed_turns.propose_beside_doubt(writer, message, refusal)
        refuse_mail(context, row, writer, refusal, now)
        return
    with _refusing(context, row, writer, message, now, proposing=not unproven):
        check_chat(message.chat, board)
        message = set_house_aside(context, writer, message)
        if message.orders:
            _check_orders(writer, message, verdict)
        doubtful = message.doubtful or (unproven and (message.orders or message.chat))
        if doubtful or _find_wish(writer, message) is not None:
            _ask_about(context, row, writer, message, unproven, now)
        elif message.orders:
            _play_orders(context, row, writer, message, now)
        else:
            _answer_without_orders(context, row, writer, message, now)


@contextmanager
def _refusing(
    context: Context,
    row: IncomingMail,
    writer: Correspondent,
    message: Message,
    now: datetime,
    *,
    proposing: bool = False,
) -> Iterator[None]:
    """Answer with the reason where what a mail says is not done; `proposing`: and with what it may mean."""
    try:
        yield
    except (
        ChatRefused,
        ResignationRefused,
        OrdersExpired,
        StalePosition,
        GameNotRunning,
        GameSuspended,
        LinesRefused,
    ) as error:
        why = explain_refusal(error, message)
        why = proposed_turns.propose_instead(writer, message, error, why) if proposing else why
        refuse_mail(context, row, writer, why, now)


def _leave_undone(
    context: Context, row: IncomingMail, writer: Correspondent, answer: Message, now: datetime
) -> None:
    """An answer to a letter that asks something which neither says yes nor is meant for the game."""
    if answer.lines and begins_with_yes(answer.lines[0], writer.lexicon):
        sentence = gettext(YES_ALONE, word=gettext("yes"))
        refuse_mail(context, row, writer, MailRefusal(sentence), now)
    else:
        close_silently(context, row, MailState.IGNORED, asked_back.NO_YES)


def _find_wish(writer: Correspondent, message: Message) -> RequestKind | None:
    """What a mail asks for that is asked back whoever wrote it; to resign twice is to resign once."""
    asked = (one.kind for one in message.requests if one.kind in REQUESTS_THAT_ACT)
    resigned = writer.ticket.seat in writer.history.resigned
    return next((kind for kind in asked if not (resigned and kind == RequestKind.RESIGN)), None)


def _check_orders(writer: Correspondent, message: Message, verdict: Verdict) -> None:
    """Refuse orders that are not to be played, whatever they say."""
    check_not_resigned(writer.history, writer.ticket.seat, message.orders[:1])
    if verdict.fate == ScreeningFate.HEARD:
        raise OrdersExpired(verdict.sentence)
    if any(mark in writer.changed for line in message.orders for mark in line.marks):
        raise OrdersExpired(gettext(OFFERED_ANEW))


def _play_orders(
    context: Context, row: IncomingMail, writer: Correspondent, message: Message, now: datetime
) -> None:
    """Play orders and tell what stands with them. Raises what `play` raises, and `ChatRefused`."""
    ticket = writer.ticket
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            game = load_running_game(context, unit.session, ticket.game, ticket.after)
            played = play(unit, game, ticket.seat, message.orders, Channel.REPLY)
            incoming.state = MailState.PLAYED
            proposed_turns.note_choice(unit, writer, message)
            posted = _post_chat(unit, game.row, ticket.seat, message)
            answer = report_orders(played, posted, message.requests)
            queue_answer(unit, game.row, ticket.seat, incoming, answer, writer.letter)
            unit.commit()


def _ask_about(
    context: Context,
    row: IncomingMail,
    writer: Correspondent,
    message: Message,
    unproven: bool,
    now: datetime,
) -> None:
    """Ask whether a mail is meant. Raises `OrdersExpired` or `LinesRefused`."""
    wish = _find_wish(writer, message)
    if wish is not None and len(message.lines) > 1:
        alone = gettext(RESIGN_ALONE) if wish == RequestKind.RESIGN else gettext(NEW_LINKS_ALONE)
        refuse_mail(context, row, writer, MailRefusal(alone, message.lines, True), now)
        return
    question = asked_back.question_about(context, writer, message, unproven)
    asked_back.ask_back(context, row, writer, question, now)


def _answer_without_orders(
    context: Context, row: IncomingMail, writer: Correspondent, message: Message, now: datetime
) -> None:
    """A mail that only says or asks something, whatever its letter was about. Raises `ChatRefused`."""
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            if not message.chat and close_without_room(unit, writer, incoming):
                return
            game = unit.session.get_one(Game, writer.game.id)
            seat, asked = writer.ticket.seat, message.requests
            posted = _post_chat(unit, game, seat, message)
            incoming.state = MailState.PLAYED
            answer = AnswerDetail(posted=posted, asked=asked) if message.chat else ShownDetail(asked)
            queue_answer(unit, game, seat, incoming, answer, writer.letter)
            unit.commit()


def _post_chat(unit: UnitOfWork, game: Game, seat: int, message: Message) -> tuple[str, ...]:
    """Tell the others what is said to them; a sentence about each."""
    return tuple(post_chat_lines(unit.context, unit.session, game, seat, message.chat, unit.now))
