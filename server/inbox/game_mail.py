"""Mail to a game: turns, requests and chat, or the answer to an invitation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from emails import i18n
from emails.i18n import Locale, gettext, use_locale
from emails.languages.lexicon import whole_lexicon
from emails.letters import game_letters, lobby_letters
from emails.letters.declaration import Payload
from emails.replies.grammars import GameGrammar, build_declining_grammar, build_invitation_grammar
from emails.replies.parsed_mail import Mail
from emails.replies.quotations import split_at_quotation
from emails.replies.remarks import excuses
from emails.replies.reply_reader import Message, read_reply
from emails.replies.screening import (
    ENDED_ROWS,
    EXPIRED,
    Screening,
    ScreeningFate,
    ScreeningRow,
    parse_bounce,
    screen_mail,
)
from emails.tokens import ACCEPT_WORDS, Purpose
from emails.wording.requests import (
    PLAN_KEPT,
    REQUESTS_OF_PRESENCE,
    REQUESTS_THAT_ACT,
    REQUESTS_TO_ALL,
    REQUESTS_TO_CONFIRM,
    REQUESTS_WORDED_BY_LETTER,
    Request,
    RequestKind,
)
from engine.notation.orders import OrderLine
from engine.notation.parser import parse_lines
from server import commands
from server.inbox import mail_questions, mail_requests, returned_mail
from server.inbox.mail_questions import REFUSALS, OrdersExpired, explain_refusal, report_orders
from server.inbox.mail_requests import (
    BY_PROGRAM,
    PLAN_KINDS,
    ProposedRequest,
    actor_of,
    ask_zone_once,
    canonical_plan,
    check_requests,
    command_of,
    find_grave_request,
    guess_zone_of_mail,
    is_automatic,
    is_unread,
    read_canonical_plan,
    settle_requests,
    speaks_of_time,
    tells_no_days,
)
from server.inbox.reply_outcome import (
    MailRefusal,
    check_chat,
    claim_mail,
    close_silently,
    close_unread,
    close_without_room,
    post_chat_lines,
    queue_answer,
    refuse_mail,
    set_house_aside,
)
from server.inbox.screening import Correspondent, identify_mail
from server.lobby.games import accept_seat
from server.lobby.leaving import RESIGN_ALONE
from server.lobby.open_seats import decline_invitation
from server.outbox.preferences import DEFAULTS
from server.outbox.queue import UnitOfWork, open_unit
from server.security_log import AttemptChannel, SecurityEvent
from server.store.context import Context
from server.store.event_log import require_started
from server.store.models import Game, IncomingMail
from server.store.refusals import GameSuspended, StalePosition
from server.store.states import Channel, GameStatus, MailState
from server.turns.dry_run import PlayerResigned
from server.turns.play import load_running_game, play


def process_acceptance(
    context: Context, row: IncomingMail, mail: Mail, writer: Correspondent, verdict: Screening, now: datetime
) -> None:
    """Process an answer to an invitation, in any language, since the player's language is not known yet."""
    message = read_reply(mail, build_invitation_grammar(whole_lexicon()), names=writer.names)
    if not message.doubtful and message.chat:
        sentence = gettext(
            "Nobody can be written to before the game has begun. To accept, answer with “%(word)s”.",
            word=gettext("yes"),
        )
        refuse_mail(context, row, writer, MailRefusal(sentence, meant=True), now)
        return
    if not message.says_yes:
        proven = verdict.fate != ScreeningFate.CONFIRMED
        if proven and _declines(mail, writer) and _decline(context, row, writer, now):
            return
        sentence = gettext(
            "Nothing is done yet, for your answer may mean either. Reply with the one word “%(yes)s” to "
            "play, or “%(no)s” to decline; or use a link below.",
            yes=gettext("yes"),
            no=gettext("no"),
        )
        refuse_mail(context, row, writer, MailRefusal(sentence, message.lines), now)
        return
    if writer.letter is not None and writer.letter.kind == lobby_letters.Accepted.kind:
        close_silently(context, row, MailState.IGNORED, "it answers the letter about the accepted invitation")
        return
    if verdict.fate == ScreeningFate.CONFIRMED and not (writer.person.accepted or writer.question):
        question = game_letters.AskedBack(
            message.lines[:1], writer.ticket.after, (ACCEPT_WORDS,), unproven=True
        )
        mail_questions.ask_back(context, row, writer, question, now)
        return
    try:
        _accept(context, row, writer, now)
    except StalePosition:
        return  # a concurrent change: the next round processes this mail again
    except GameSuspended as error:
        refuse_mail(context, row, writer, MailRefusal(error.sentence), now)


def _declines(mail: Mail, writer: Correspondent) -> bool:
    lexicon = whole_lexicon()
    message = read_reply(mail, build_declining_grammar(lexicon), names=writer.names)
    excused = message.doubt is not None and all(excuses(one, lexicon) for one in message.rest)
    plain = not message.doubtful or excused
    found = message.found
    if not plain or not found or not found[0].yes:
        return False
    return all(one.yes or excuses(one.words, lexicon) for one in found)


def _decline(context: Context, row: IncomingMail, writer: Correspondent, now: datetime) -> bool:
    """Decline an invitation, without a letter to the player; return False if the invitation is not open.

    If the game changes concurrently, the mail stays open for the next round.
    """
    try:
        with open_unit(context, now) as unit:
            if incoming := claim_mail(unit, row, writer.letter):
                game, ticket = writer.game.id, writer.ticket
                if not decline_invitation(unit, game, ticket.seat, Channel.REPLY, ticket.after):
                    return False
                incoming.state, incoming.why = MailState.PLAYED, "a declined invitation"
                unit.commit()
    except StalePosition:
        pass
    return True


def _accept(context: Context, row: IncomingMail, writer: Correspondent, now: datetime) -> None:
    seat = writer.ticket.seat
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            started = accept_seat(unit, writer.game.id, seat, Channel.REPLY, writer.ticket.after)
            incoming.state, incoming.why = MailState.PLAYED, "an accepted invitation"
            if not started:
                game = unit.session.get_one(Game, writer.game.id)
                queue_answer(unit, game, seat, incoming, lobby_letters.Accepted(), writer.letter)
            unit.commit()


NEW_LINKS_ALONE = i18n.gettext_noop(
    "To make all your links new, write that in a mail of its own, without orders or messages."
)
NOTED_VERDICTS = {
    ScreeningRow.UNKNOWN: SecurityEvent.SEAL_REFUSED,
    ScreeningRow.TOO_MANY: SecurityEvent.LIMIT_REACHED,
    ScreeningRow.AUTHOR: SecurityEvent.MAIL_NOT_PROVEN,
    ScreeningRow.STRANGER: SecurityEvent.MAIL_NOT_PROVEN,
    ScreeningRow.UNPROVEN: SecurityEvent.MAIL_NOT_PROVEN,
}
OFFERED_ANEW = i18n.gettext_noop(
    "A later mail of this game offers other choices: answer that one, or write in words what you want."
)
SAID_ALONE = {
    RequestKind.RESIGN: RESIGN_ALONE,
    RequestKind.NEW_LINKS: NEW_LINKS_ALONE,
}
NO_MESSAGE = Message(())
COURTESY_ALONE = "It contains only thanks or greetings, and no answer is pending."


def process_reply(context: Context, row: IncomingMail, mail: Mail, token: str, now: datetime) -> None:
    found = identify_mail(context, row, mail, token, now)
    writer = found.writer
    wants = DEFAULTS if writer is None else writer.person.preferences
    with use_locale(Locale(wants.language, wants.zone)):
        verdict = screen_mail(mail, found.facts)
        if event := NOTED_VERDICTS.get(verdict.row):
            context.security.note(event, row.network, now, by=AttemptChannel.MAIL, kind=Purpose.REPLY)
        if verdict.fate == ScreeningFate.RETURNED:
            returned_mail.record_report(context, row, mail, parse_bounce(mail, True), now)
            return
        if writer is None or verdict.fate == ScreeningFate.IGNORED:
            close_unread(context, row, mail, token, verdict, now)
            return
        if verdict.fate == ScreeningFate.REFUSED:
            ended = verdict.row in ENDED_ROWS
            refuse_mail(context, row, writer, MailRefusal(verdict.sentence, ended=ended), now)
            return
        if found.arriving and verdict.fate != ScreeningFate.CONFIRMED:
            returned_mail.clear_bounces(context, writer, {mail.headers.author}, now)
        if writer.game.status == GameStatus.OPEN:
            process_acceptance(context, row, mail, writer, verdict, now)
        elif writer.game.suspended_at is not None:
            refuse_mail(context, row, writer, MailRefusal(GameSuspended().sentence), now)
        else:
            process_game_mail(context, row, mail, writer, verdict, now)
            _ask_zone_once(context, row, mail, writer, now)


def _ask_zone_once(
    context: Context, row: IncomingMail, mail: Mail, writer: Correspondent, now: datetime
) -> None:
    wants, zone = writer.person.preferences, guess_zone_of_mail(mail, now)
    if row.state != MailState.PLAYED or wants.zone != i18n.UTC_ZONE or wants.zone_asked or zone is None:
        return
    with open_unit(context, now) as unit:
        game = unit.session.get_one(Game, writer.game.id)
        incoming = unit.session.get_one(IncomingMail, row.id)
        ask_zone_once(unit, game, writer.ticket.seat, zone, incoming, writer.letter)
        unit.commit()


def process_game_mail(
    context: Context, row: IncomingMail, mail: Mail, writer: Correspondent, verdict: Screening, now: datetime
) -> None:
    """Process a mail to a running game: perform it, ignore it, refuse it, or ask its sender for confirmation.

    Confirmation is needed if the sender is not authenticated, if the meaning is doubtful, or if a request has
    far-reaching effects.
    """
    question = writer.question
    answer = None if question is None else mail_questions.read_answer(mail, writer)
    if _answers_letter(context, row, mail, writer, question, answer, now):
        return
    board, sent = writer.board, "" if writer.letter is None else writer.letter.text
    unproven = verdict.fate == ScreeningFate.CONFIRMED
    message = read_reply(mail, GameGrammar(board, writer.choices, writer.lexicon), sent or None, writer.names)
    told = message if writer.days is None else mail_requests.read_absence_answer(mail, writer, message, now)
    if isinstance(told, MailRefusal):
        refuse_mail(context, row, writer, told, now)
        return
    message = told
    if message.is_orders_alone and not (writer.is_asked or unproven):
        with _refusing(context, row, writer, message, now, proposing=True):
            _check_orders(writer, message, verdict)
            do_parts(context, row, writer, parts_of_message(writer, message, proven=True), now)
        return
    first = mail_questions.find_first_turn(writer)
    if first is not None and mail_questions.says_only_yes(mail_questions.read_answer(mail, writer)):
        message = first
    if unanswered := _reason_for_silence(writer, mail, message):
        close_silently(context, row, MailState.IGNORED, unanswered)
        return
    says_anew = question is not None and question.questions and speaks_of_time(writer, message, now)
    if answer is not None and not says_anew and (not message.is_meant_for_game or tells_no_days(message)):
        mail_questions.leave_undone(context, row, writer, answer, now)
        return
    if is_unread(writer, message, now):
        refusal = mail_requests.explain_doubt(writer, message)
        refusal = refusal if unproven else mail_questions.propose_beside_doubt(writer, message, refusal)
        refuse_mail(context, row, writer, refusal, now)
        return
    with _refusing(context, row, writer, message, now, proposing=not unproven):
        if (said := mail_requests.hear_answer(context, message, writer, now)) is not None:
            mail_requests.answer_vote(context, row, writer, said, now)
            return
        message = settle_requests(context, writer, message, now)
        check_chat(message.chat, board)
        message = set_house_aside(context, writer, message)
        check_requests(message, proven=not unproven)
        if message.orders:
            _check_orders(writer, message, verdict)
        parts = parts_of_message(writer, message, proven=not unproven)
        doubtful = message.doubtful or (unproven and parts.acts)
        if doubtful or find_grave_request(writer, message) is not None:
            _ask_about(context, row, writer, message, unproven, now)
        else:
            do_parts(context, row, writer, parts, now)


def _reason_for_silence(writer: Correspondent, mail: Mail, message: Message) -> str:
    if is_automatic(writer, mail, message):
        return BY_PROGRAM
    to_move = require_started(writer.history).position.table.seat == writer.ticket.seat
    awaited = to_move or writer.is_asked or writer.days is not None
    own, _ = split_at_quotation(mail.text.lines)
    courteous = not (awaited or message.lines or message.doubtful) and any(own)
    return COURTESY_ALONE if courteous else ""


def _answers_letter(
    context: Context,
    row: IncomingMail,
    mail: Mail,
    writer: Correspondent,
    question: game_letters.AskedBack | None,
    answer: Message | None,
    now: datetime,
) -> bool:
    chosen = None if question is None or answer is None else mail_questions.choose_meaning(question, answer)
    if chosen is not None and answer is not None:
        with _refusing(context, row, writer, answer, now):
            do_parts(context, row, writer, parts_of_question(writer, chosen), now, confirmed=True)
        return True
    with _refusing(context, row, writer, NO_MESSAGE, now):
        said = mail_requests.find_answer(context, mail, writer, now)
        if said is None:
            return False
        mail_requests.answer_vote(context, row, writer, said, now)
    return True


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
    """Answer the mail with the reason if the block raises a refusal.

    `proposing`: also propose turns that the mail may mean.
    """
    try:
        yield
    except ProposedRequest as request:
        question = mail_questions.question_about_request(writer, message, request, unproven=not proposing)
        mail_questions.ask_back(context, row, writer, question, now)
    except REFUSALS as error:
        why = mail_requests.explain_unread(writer, message, error, explain_refusal(error, message))
        if proposing and why.days is None:
            why = mail_questions.propose_instead(writer, message, error, why)
        refuse_mail(context, row, writer, why, now)


def _check_orders(writer: Correspondent, message: Message, verdict: Screening) -> None:
    if writer.ticket.seat in writer.history.resigned:
        raise PlayerResigned(message.orders[:1])
    if verdict.fate == ScreeningFate.NOT_PLAYED:
        raise OrdersExpired(verdict.sentence)
    if writer.changed and any(mark in writer.changed for line in message.orders for mark in line.marks):
        raise OrdersExpired(gettext(OFFERED_ANEW))


def _ask_about(
    context: Context,
    row: IncomingMail,
    writer: Correspondent,
    message: Message,
    unproven: bool,
    now: datetime,
) -> None:
    request = find_grave_request(writer, message)
    if request is not None and len(message.lines) > 1:
        alone = gettext(SAID_ALONE[request])
        refuse_mail(context, row, writer, MailRefusal(alone, message.lines, True), now)
        return
    question = mail_questions.question_about(writer, message, unproven)
    mail_questions.ask_back(context, row, writer, question, now)


LOOKED_UP = "a request for information"
TIME_REQUEST = "a request about time"
SUMMARIES: Mapping[RequestKind, str] = {
    RequestKind.HELP: LOOKED_UP,
    RequestKind.BOARD: LOOKED_UP,
    RequestKind.ALL: LOOKED_UP,
    RequestKind.HAND: LOOKED_UP,
    RequestKind.HISTORY: LOOKED_UP,
    RequestKind.RULES: LOOKED_UP,
    RequestKind.SETTINGS: LOOKED_UP,
    RequestKind.WHEN: LOOKED_UP,
    RequestKind.REST: LOOKED_UP,
    RequestKind.PLAN: "a plan",
    RequestKind.NO_PLAN: "a plan",
    RequestKind.AWAY: TIME_REQUEST,
    RequestKind.BACK: TIME_REQUEST,
    RequestKind.REMINDERS: TIME_REQUEST,
    RequestKind.ZONE: TIME_REQUEST,
    RequestKind.NO_REMINDERS: TIME_REQUEST,
    RequestKind.MORE_TIME: TIME_REQUEST,
    RequestKind.PAUSE: TIME_REQUEST,
    RequestKind.RESUME: TIME_REQUEST,
    RequestKind.NUDGE: "a nudge",
    RequestKind.NEW_LINKS: "new links",
    RequestKind.RESIGN: "a resignation",
}
ACTING_REQUESTS = REQUESTS_THAT_ACT | REQUESTS_TO_ALL | {RequestKind.NO_PLAN}


@dataclass(frozen=True, slots=True)
class MailParts:
    """The effective parts of a mail; for a mail that says yes to a question, the parts of the question."""

    after: int
    orders: Sequence[OrderLine] = ()
    chat: Sequence[str] = ()
    plan: str = ""
    """Plan in canonical words; empty without a plan."""
    requests: tuple[Request, ...] = ()
    proven: bool = True
    """True if the mail certainly comes from the player."""

    @property
    def acts(self) -> bool:
        kinds = {one.kind for one in self.requests}
        return bool(self.orders or self.chat or self.plan or kinds & ACTING_REQUESTS)

    def summarize(self, game: Game) -> str:
        """Return the kinds of parts for the operator, without words of the mail."""
        found = [f"orders (act {game.seq} of {game.id})"] if self.orders else []
        found += ["a message"] if self.chat else []
        found += ["a plan"] if self.plan else []
        found += [SUMMARIES[one.kind] for one in self.requests]
        return ", ".join(dict.fromkeys(found))


def parts_of_message(writer: Correspondent, message: Message, *, proven: bool) -> MailParts:
    plan = canonical_plan(message, writer.board)
    return MailParts(writer.ticket.after, message.orders, message.chat, plan, message.requests, proven)


def parts_of_question(writer: Correspondent, question: game_letters.AskedBack) -> MailParts:
    """Return the parts that a yes confirms. Raises `OrdersExpired` if the turn has changed."""
    is_about_turn = bool(question.questions) and question.request is RequestKind.MORE_TIME
    if is_about_turn and question.after != writer.game.after:
        raise OrdersExpired(gettext(EXPIRED))
    orders = parse_lines(question.orders, writer.board)
    return MailParts(question.after, orders, question.chat, question.plan, question.asked)


def do_parts(
    context: Context,
    row: IncomingMail,
    writer: Correspondent,
    parts: MailParts,
    now: datetime,
    *,
    confirmed: bool = False,
) -> None:
    """Carry out the parts of a mail in one transaction, and answer it. Raises the errors of `perform_parts`.

    `confirmed`: the mail says yes to a question; a second yes to the same question is ignored.
    """
    plays_only = parts.orders and not (parts.chat or parts.plan or parts.requests)
    with open_unit(context, now, game=writer.game.id if plays_only else None) as unit:
        incoming = claim_mail(unit, row, writer.letter)
        if incoming is None:
            return
        if confirmed and not mail_questions.close_question(unit, writer):
            incoming.state, incoming.why = MailState.IGNORED, mail_questions.YES_AGAIN
            unit.commit()
            return
        if not (confirmed or parts.acts) and close_without_room(unit, writer, incoming):
            return
        game, answer = perform_parts(unit, writer, parts)
        incoming.state, incoming.why = MailState.PLAYED, parts.summarize(game)
        queue_answer(unit, game, writer.ticket.seat, incoming, answer, writer.letter)
        unit.commit()


def perform_parts(unit: UnitOfWork, writer: Correspondent, parts: MailParts) -> tuple[Game, Payload]:
    """Perform the parts of a mail; return its game and the answer. Does not commit.

    Raises the errors of playing, plans, votes, absences, nudges, resigning and chat.
    """
    seat = writer.ticket.seat
    played, settled, shown = None, list[str](), list[Request]()
    if parts.orders:
        running = load_running_game(unit.context, unit.session, writer.game.id, parts.after)
        played, game = play(unit, running, seat, parts.orders, Channel.REPLY), running.row
        mail_questions.note_choice(unit, writer, parts.orders[0])
    else:
        game = unit.session.get_one(Game, writer.game.id)
    is_grave = any(one.kind in REQUESTS_TO_CONFIRM for one in parts.requests)
    if parts.proven and not (parts.orders or is_grave):
        settled += mail_requests.return_writer(unit, writer, parts.requests)
    if parts.plan:
        commands.StorePlan(read_canonical_plan(parts.plan, writer.board)).perform(unit, actor_of(writer))
        shown.append(Request(RequestKind.PLAN, PLAN_KEPT))
    for request in parts.requests:
        about = request.about
        if (command := command_of(writer, request, unit.now)) is not None:
            done = command.perform(unit, actor_of(writer))
            settled += [done.text] if done.text and request.kind not in REQUESTS_WORDED_BY_LETTER else []
            about = done.outcome if request.kind in REQUESTS_OF_PRESENCE else about
        if not (parts.plan and request.kind in PLAN_KINDS):
            shown.append(replace(request, about=about))
    mail_requests.note_days_told(unit, writer, parts.requests)
    posted = post_chat_lines(unit, game, seat, parts.chat)
    if played is not None:
        needed = tuple(one for one in shown if one.kind is not RequestKind.BACK or one.about)
        return game, report_orders(played, posted, needed)
    if posted or settled:
        return game, game_letters.Answer(posted=posted, asked=tuple(shown), settled=tuple(settled))
    return game, game_letters.Shown(tuple(shown))
