"""Answers to the sender of a mail: refusals with their reasons, and questions about its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import select

from emails.i18n import current_locale, gettext, gettext_noop
from emails.languages.lexicon import lexicon_of
from emails.letters import game_letters
from emails.letters.renderer import translate_order
from emails.replies.clerk.meanings import look_out
from emails.replies.clerk.proposals import ProposalKind, ask_which_turn, explain_proposal, propose
from emails.replies.grammars import ReadLine, build_agreement_grammar, is_chat_without_colon
from emails.replies.parsed_mail import Mail
from emails.replies.remarks import begins_with_yes
from emails.replies.reply_reader import Message, read_reply
from emails.replies.screening import EXPIRED
from emails.wording import phrases, questions
from emails.wording.questions import OrderQuestion
from emails.wording.requests import Request
from engine.actions import Action, Ambiguous, NotOffered, Unreadable
from engine.board import Board
from engine.notation.lexer import looks_like_order
from engine.notation.orders import OrderLine, write
from engine.notation.parser import parse_line, spell_out
from engine.position import View, view
from server.accounts.vacations import VacationRefused
from server.inbox.mail_requests import (
    NUMBERS,
    DaysUnclear,
    ProposedRequest,
    canonical_plan,
)
from server.inbox.reply_outcome import (
    LONGEST_QUOTED,
    MailRefusal,
    claim_mail,
    close_silently,
    close_without_room,
    queue_answer,
    refuse_mail,
)
from server.inbox.screening import Correspondent
from server.lobby.leaving import ResignationRefused
from server.lobby.nudges import NudgeRefused
from server.lobby.votes import VoteRefused
from server.outbox.chat import ChatRefused
from server.outbox.queue import SentLetter, UnitOfWork, add_to_detail, open_unit, read_sent_letter
from server.store.context import Context
from server.store.event_log import require_started
from server.store.models import Game, IncomingMail, OutgoingLetter
from server.store.refusals import GameNotRunning, GameSuspended, Refusal, RefusalCode, StalePosition
from server.store.states import MailState
from server.turns.dry_run import LinesRefused, ResumePoint, preview
from server.turns.plans import PlanRefused
from server.turns.play import PlayResult


class OrdersExpired(Refusal):
    """Raised for orders that are outdated, or whose mail is too long to be confirmed."""

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


def explain_refusal(error: Refusal, message: Message) -> MailRefusal:
    """Return the reason why a mail had no effect, with a question to its sender if a question helps."""
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
    number = error.line.removeprefix("march ")
    for line in message.lines:
        if line == error.line or (number.isdigit() and line.strip(" #.!)") == number):
            return line[:LONGEST_QUOTED]
    return translate_order(error.line)[:LONGEST_QUOTED]


def _ask_which(
    refusal: Ambiguous, halt: ResumePoint
) -> tuple[OrderQuestion, None] | tuple[None, LinesRefused]:
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
    if is_chat_without_colon(error.line, lexicon_of(current_locale().language)):
        return gettext("“%(line)s” needs a colon before the words that are to be sent.", line=line)
    sentence = gettext("“%(line)s”: %(why)s", line=line, why=phrases.explain_refusal(error.refusal))
    return sentence if sentence.endswith("?") else f"{sentence}."


def report_orders(
    played: PlayResult, posted: tuple[str, ...], asked: tuple[Request, ...]
) -> game_letters.Answer:
    run, question = played.run, None
    undone = tuple(translate_order(words) for words in run.undone)
    why = "" if run.refusal is None else phrases.explain_refusal(run.refusal)
    if isinstance(run.refusal, Ambiguous) and run.resume_point is not None:
        question, hindered = _ask_which(run.refusal, run.resume_point)
        if hindered is None:
            why = gettext("it could mean several things")
        else:
            why = phrases.explain_refusal(hindered.refusal)
    return game_letters.Answer(run.done, undone, why, played.history.after, question, posted, asked)


MOST_ASKED = 2000
"""Maximum characters of a mail that can be confirmed: the question must show all effects of a yes."""
MOST_SHOWN, LONGEST_SHOWN = 6, 200
MOST_QUESTIONS = 5
"""Maximum letters per seat and hour that ask the player to confirm a mail."""
TOO_LONG = gettext_noop("The mail is too long to be asked about: send it in parts.")
YES_ALONE = gettext_noop(
    "Your answer was not understood, and nothing is done. Answer the mail before this one with the one word "
    "“%(word)s”, and it is."
)
NO_YES = "it answers a question without a yes"
ASKED_OFTEN = "the limit of questions about unproven mails is reached"
YES_AGAIN = "it confirms a request that is already done"


# --- asking ---------------------------------------------------------------------------------------------


def ask_back(
    context: Context,
    row: IncomingMail,
    writer: Correspondent,
    question: game_letters.AskedBack,
    now: datetime,
) -> None:
    """Ask the player, at the stored address, to confirm a mail or choose its meaning; close the mail."""
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
    asked = select(func.count()).select_from(OutgoingLetter).where(OutgoingLetter.game == writer.game.id)
    asked = asked.where(
        OutgoingLetter.seat == writer.ticket.seat,
        OutgoingLetter.kind == game_letters.AskedBack.kind,
        OutgoingLetter.queued_at > now - timedelta(hours=1),
    )
    with context.reading() as session:
        return session.exec(asked).one() >= MOST_QUESTIONS


def question_about(writer: Correspondent, message: Message, unproven: bool) -> game_letters.AskedBack:
    """Return a question that asks to confirm a mail. Raises `OrdersExpired` or `LinesRefused`."""
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
    return game_letters.AskedBack(
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
) -> game_letters.AskedBack:
    first, *others = request.meanings
    return game_letters.AskedBack(
        tuple(line[:LONGEST_SHOWN] for line in message.lines[:MOST_SHOWN]),
        writer.ticket.after,
        asked=(first,),
        unproven=unproven,
        questions=request.questions,
        others=tuple(others),
    )


def _full_words(line: OrderLine, board: Board) -> list[str]:
    if line.refusal is not None:
        raise LinesRefused(line.words, line.refusal)
    return [spell_out(one, board) for one in line.orders]


# --- the yes --------------------------------------------------------------------------------------------


def read_answer(mail: Mail, writer: Correspondent) -> Message:
    sent = None if writer.letter is None else writer.letter.text or None
    return read_reply(mail, build_agreement_grammar(writer.lexicon), sent, writer.names)


def choose_meaning(question: game_letters.AskedBack, answer: Message) -> game_letters.AskedBack | None:
    """Return the question with the meaning chosen by an answer (yes or a number); None if none is chosen."""
    if says_only_yes(answer):
        return question
    said = [line.strip(" #.!)") for line in answer.lines]
    number = int(said[0]) if len(said) == 1 and said[0] in NUMBERS else 0
    if not 1 < number <= len(question.others) + 1:
        return None
    return replace(question, asked=(question.others[number - 2],))


def says_only_yes(answer: Message) -> bool:
    return answer.says_yes and all(line.yes for line in answer.found)


def leave_undone(
    context: Context, row: IncomingMail, writer: Correspondent, answer: Message, now: datetime
) -> None:
    if answer.lines and begins_with_yes(answer.lines[0], writer.lexicon):
        sentence = gettext(YES_ALONE, word=gettext("yes"))
        refuse_mail(context, row, writer, MailRefusal(sentence), now)
    else:
        close_silently(context, row, MailState.IGNORED, NO_YES)


def close_question(unit: UnitOfWork, writer: Correspondent) -> bool:
    """Store that the question in the answered letter is confirmed; return False if this is stored already."""
    assert writer.letter is not None
    letter = unit.session.get_one(OutgoingLetter, writer.letter.id, populate_existing=True)
    if letter.kind == game_letters.AskedBack.kind and read_sent_letter(letter.detail).done:
        return False
    letter.detail = add_to_detail(letter.detail, SentLetter(done=True))
    return True


FIRST = "1"  # mark of the first proposed turn, which a mere "yes" chooses too
OTHER = "other"
CLEAR = 0.99  # minimum similarity of a proposed legal turn to the illegal text


def propose_beside_doubt(writer: Correspondent, message: Message, why: MailRefusal) -> MailRefusal:
    unread = next((line for line in message.orders if line.refusal is not None), None)
    if unread is None or unread.refusal is None or message.doubt is None or message.cut:
        return why
    return propose_instead(writer, message, LinesRefused(unread.words, unread.refusal), why)


def propose_instead(
    writer: Correspondent, message: Message, error: Exception, why: MailRefusal
) -> MailRefusal:
    if writer.ticket.after != writer.game.after or writer.ticket.seat in writer.history.resigned:
        return why
    known = view(require_started(writer.history).position, writer.ticket.seat)
    choices = {mark: words for mark, words in writer.choices.items() if mark not in writer.changed}
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
    told = any(line.is_sentence for line in message.orders)
    if isinstance(error.refusal, Ambiguous) and not told:
        return why
    lines = [*(line.words for line in message.found if not line.chat and line.request is None), *message.rest]
    found = propose(lines, known, choices, (current_locale().language,))
    if told or isinstance(error.refusal, Unreadable):
        lexicon = lexicon_of(current_locale().language)
        begun = looks_like_order(error.line, lexicon.orders)
        named = found.readings and found.kind is not ProposalKind.OFFER
        if is_chat_without_colon(error.line, lexicon) or (begun and not named):
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


def note_choice(unit: UnitOfWork, writer: Correspondent, order: OrderLine) -> None:
    """Record for statistics which of the turns proposed in a letter the player chose."""
    before, number = writer.earlier_refusal, order.words.strip(" #.!)")
    if before is None or writer.letter is None or not before.proposed or number not in writer.choices:
        return
    letter = unit.session.get_one(OutgoingLetter, writer.letter.id, populate_existing=True)
    letter.detail = add_to_detail(letter.detail, SentLetter(chosen=number))
    unit.after_commit(lambda: unit.context.events.count_choice(before.understood or OTHER))


def find_first_turn(writer: Correspondent) -> Message | None:
    """Return the first turn proposed in the answered letter, which a yes chooses; None without proposals."""
    before = writer.earlier_refusal
    if before is None or not before.proposed or FIRST not in writer.choices:
        return None
    order = parse_line(FIRST, writer.board, writer.choices, writer.lexicon.orders)
    return Message(
        (ReadLine(FIRST, order.refusal is None, order=order),),
        lines=(FIRST,),
        orders=(order,),
    )
