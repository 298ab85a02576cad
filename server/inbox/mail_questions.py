"""Questions to the player about what a mail asks for: put to them in a letter, and done by their yes.

That is so for what no later mail takes back, and for all that a mail does which was not shown to be its
player's. The letter goes to the address on file, and its number is sealed in the address that answers it; so
who says yes there has read it, whatever their mail server proves. A yes is good once; to orders it is good in
the position in which they were written.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import select

from emails.i18n import gettext, gettext_noop
from emails.letters.kinds import LetterKind
from emails.replies.grammars import build_agreement_grammar
from emails.replies.mail import Mail
from emails.replies.remarks.affirmations import begins_with_yes
from emails.replies.reply_reader import Message, read_reply
from emails.replies.screening import EXPIRED
from emails.wording.requests import REQUESTS_TO_ALL, Request, RequestKind
from engine.board import Board
from engine.notation.orders import OrderLine
from engine.notation.parser import parse_lines, spell_out
from server.accounts.addresses import renew_links
from server.inbox.chat_relay import post_chat_lines
from server.inbox.correspondent import Correspondent
from server.inbox.explanations import OrdersExpired, report_orders
from server.inbox.reply_outcome import (
    DoneParts,
    MailRefusal,
    claim_mail,
    close_done,
    close_silently,
    close_without_room,
    queue_answer,
    refuse_mail,
)
from server.inbox.requests.plan_requests import canonical_plan, do_plan_requests
from server.inbox.requests.presence_mail import do_presence
from server.inbox.requests.told_requests import ProposedRequest
from server.inbox.requests.vote_replies import do_requests_to_all, return_writer
from server.lobby.leaving import resign
from server.lobby.nudges import nudge
from server.outbox.letter_details import (
    AnswerDetail,
    AskedBackDetail,
    LetterContent,
    ShownDetail,
)
from server.outbox.sent_letters import SentLetter, add_to_detail, read_sent_letter
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.context import Context
from server.store.histories import require_started
from server.store.models import Game, IncomingMail, OutgoingLetter, Seating
from server.store.states import Channel, MailState
from server.turns.dry_run import LinesRefused, preview
from server.turns.play import load_running_game, play

MOST_ASKED = 2000
"""Characters of what is asked about: its reader must see all that their yes would do."""
MOST_SHOWN, LONGEST_SHOWN = 6, 200
"""Lines of a mail about time, and characters of each, that are repeated where it is asked about."""
MOST_QUESTIONS = 5
"""Questions that a seat gets within an hour about mails that were not shown to be its player's."""
TOO_LONG = gettext_noop("The mail is too long to be asked about: send it in parts.")
YES_ALONE = gettext_noop(
    "Your answer was not understood, and nothing is done. Answer the mail before this one with the one word "
    "“%(word)s”, and it is."
)
NUMBERS = ("1", "2", "3")
NO_YES = "it answers a letter that asks something, and does not say yes"
ASKED_OFTEN = "its player was asked often enough for now about mails that may not be theirs"
YES_AGAIN = "it says yes to what is done"


# --- asking ---------------------------------------------------------------------------------------------


def ask_back(
    context: Context, row: IncomingMail, writer: Correspondent, question: AskedBackDetail, now: datetime
) -> None:
    """Ask the player on file whether they mean a mail, and close it."""
    before = writer.question
    again = before is not None and bool(question.questions) and before.questions == question.questions
    if again or (before is not None and before.lines == question.lines):
        close_silently(context, row, MailState.IGNORED, NO_YES)
        return
    if (question.unproven or question.questions) and _is_asked_often(context, writer, now):
        close_silently(context, row, MailState.IGNORED, ASKED_OFTEN)
        return
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, None if question.unproven else writer.letter):
            if not question.unproven and close_without_room(unit, writer, incoming):
                return
            game = unit.session.get_one(Game, writer.game.id)
            incoming.state = MailState.ASKED
            queue_answer(unit, game, writer.ticket.seat, incoming, question, writer.letter)
            unit.commit()


def _is_asked_often(context: Context, writer: Correspondent, now: datetime) -> bool:
    """Whether a player was asked within the hour about as many mails as they may bear that are not theirs."""
    asked = select(func.count()).select_from(OutgoingLetter).where(OutgoingLetter.game == writer.game.id)
    asked = asked.where(
        OutgoingLetter.seat == writer.ticket.seat,
        OutgoingLetter.kind == LetterKind.ASKED_BACK,
        OutgoingLetter.queued_at > now - timedelta(hours=1),
    )
    with context.reading() as session:
        return session.exec(asked).one() >= MOST_QUESTIONS


def question_about(writer: Correspondent, message: Message, unproven: bool) -> AskedBackDetail:
    """What is asked about a mail. Raises `OrdersExpired` or `LinesRefused` for what cannot be played."""
    if sum(map(len, message.lines)) > MOST_ASKED:
        raise OrdersExpired(gettext(TOO_LONG))
    orders: tuple[str, ...] = ()
    if message.orders:
        if writer.ticket.after != writer.game.after:
            raise OrdersExpired(gettext(EXPIRED))
        orders = tuple(one for line in message.orders for one in _full_words(line, writer.board))
        known = preview(require_started(writer.history).position, writer.ticket.seat, orders)
        if message.doubtful:
            orders = (*known.done, *known.left)
    return AskedBackDetail(
        message.lines,
        writer.ticket.after,
        orders,
        message.chat,
        message.requests,
        unproven,
        doubt=(message.reason or "") if message.doubtful else "",
        plan=canonical_plan(message, writer.board),
    )


def question_about_request(
    writer: Correspondent, message: Message, request: ProposedRequest, unproven: bool
) -> AskedBackDetail:
    """What is asked about a mail about time that was not understood to the last word."""
    first, *others = request.meanings
    return AskedBackDetail(
        tuple(line[:LONGEST_SHOWN] for line in message.lines[:MOST_SHOWN]),
        writer.ticket.after,
        asked=(first,),
        unproven=unproven,
        questions=request.questions,
        others=tuple(others),
    )


def _full_words(line: OrderLine, board: Board) -> list[str]:
    """Each order of a line in canonical words, which mean the same in every language and without a letter.

    Raises `LinesRefused`.
    """
    if line.refusal is not None:
        raise LinesRefused(line.words, line.refusal)
    return [spell_out(one, board) for one in line.orders]


# --- the yes --------------------------------------------------------------------------------------------


def read_answer(mail: Mail, writer: Correspondent) -> Message:
    """A mail read as the answer to a letter that asks whether something is meant."""
    sent = None if writer.letter is None else writer.letter.text or None
    return read_reply(mail, build_agreement_grammar(writer.lexicon), sent, writer.names)


def choose_meaning(question: AskedBackDetail, answer: Message) -> AskedBackDetail | None:
    """What is asked, with the meaning that an answer chooses by a yes or by its number; None: by neither."""
    if says_only_yes(answer):
        return question
    said = [line.strip(" #.!)") for line in answer.lines]
    number = int(said[0]) if len(said) == 1 and said[0] in NUMBERS else 0
    if not 1 < number <= len(question.others) + 1:
        return None
    return replace(question, asked=(question.others[number - 2],))


def says_only_yes(answer: Message) -> bool:
    """Whether an answer says yes, and nothing else."""
    return answer.says_yes and all(line.yes for line in answer.found)


def leave_undone(
    context: Context, row: IncomingMail, writer: Correspondent, answer: Message, now: datetime
) -> None:
    """An answer to a letter that asks something which neither says yes nor is meant for the game."""
    if answer.lines and begins_with_yes(answer.lines[0], writer.lexicon):
        sentence = gettext(YES_ALONE, word=gettext("yes"))
        refuse_mail(context, row, writer, MailRefusal(sentence), now)
    else:
        close_silently(context, row, MailState.IGNORED, NO_YES)


def do_asked(
    context: Context, row: IncomingMail, writer: Correspondent, question: AskedBackDetail, now: datetime
) -> None:
    """Do what a letter asked about, once, and answer.

    Raises what playing, resigning and writing to others raise; then it is still to be done.
    """
    with open_unit(context, now) as unit:
        incoming = claim_mail(unit, row, writer.letter)
        if incoming is None or writer.letter is None:
            return
        letter = unit.session.get_one(OutgoingLetter, writer.letter.id, populate_existing=True)
        if letter.kind == LetterKind.ASKED_BACK and read_sent_letter(letter.detail).done:
            incoming.state, incoming.why = MailState.IGNORED, YES_AGAIN
        else:
            letter.detail = add_to_detail(letter.detail, SentLetter(done=True))
            game = unit.session.get_one(Game, writer.game.id)
            act = (game.id, game.seq + 1) if question.orders else None
            answer = _do_asked(unit, writer, question)
            done = DoneParts(act, question.chat, question.plan, question.asked)
            close_done(unit, game, writer.ticket.seat, incoming, done, answer, letter)
        unit.commit()


def answer_with_requests(
    posted: tuple[str, ...], settled: tuple[str, ...], asked: tuple[Request, ...]
) -> AnswerDetail | ShownDetail:
    """What became of a mail without orders, in the language of its writer."""
    if posted or settled:
        return AnswerDetail(posted=posted, asked=asked, settled=settled)
    return ShownDetail(asked)


def _do_asked(unit: UnitOfWork, writer: Correspondent, question: AskedBackDetail) -> LetterContent:
    """Do it; gives the answer."""
    game, seat = writer.game, writer.ticket.seat
    match question.request:
        case RequestKind.RESIGN:
            resign(unit, game.id, seat, Channel.REPLY)
            return ShownDetail(question.asked)
        case RequestKind.NEW_LINKS:
            renew_links(unit, unit.session.get_one(Seating, (game.id, seat)), answered=True)
            return ShownDetail(question.asked)
        case RequestKind.MORE_TIME if question.questions and question.after != game.after:
            raise OrdersExpired(gettext(EXPIRED))  # the turn is another by now
        case _ if question.request in REQUESTS_TO_ALL:
            return AnswerDetail(
                settled=do_requests_to_all(unit, writer, question.asked), asked=question.asked
            )
        case _ if question.orders:
            running = load_running_game(unit.context, unit.session, game.id, question.after)
            do_plan_requests(unit, running.row, seat, "", question.asked)
            orders = parse_lines(question.orders, running.history.position.table.board)
            played = play(unit, running, seat, orders, Channel.REPLY)
            asked = do_presence(unit, game.id, seat, question.asked)
            return report_orders(played, post_chat_lines(unit, running.row, seat, question.chat), asked)
        case _:
            row = unit.session.get_one(Game, game.id)
            settled = return_writer(unit, writer, question.asked)
            asked = do_plan_requests(unit, row, seat, question.plan, question.asked)
            asked = do_presence(unit, game.id, seat, asked)
            for one in question.asked:
                if one.kind is RequestKind.NUDGE:
                    nudge(unit, game.id, seat, one.about)
            return answer_with_requests(post_chat_lines(unit, row, seat, question.chat), settled, asked)
