"""Mail to a game: turns, requests and chat, or the answer to an invitation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sqlmodel import col, select

from emails import i18n
from emails.i18n import gettext, use_locale
from emails.languages.lexicon import whole_lexicon, words_of
from emails.languages.supported_languages import ENGLISH
from emails.letters import game_letters, lobby_letters
from emails.letters.declaration import Payload
from emails.replies.grammars import (
    GameGrammar,
    LineKind,
    ReadLine,
    YesGrammar,
    find_question,
    find_swallowed_order,
    parse_chat_line,
)
from emails.replies.remarks import (
    begins_with_yes,
    goes_on,
    is_courteous,
    is_friendly_sign,
    split_sentences,
)
from emails.replies.reply_reader import NOTHING_FOUND, Message, read_reply
from emails.replies.screening import (
    Screening,
    ScreeningFate,
    has_unknown_prefix,
    parse_bounce,
    screen_mail,
)
from emails.replies.time_requests.clauses import has
from emails.tokens import ACCEPT_WORDS, Purpose
from emails.wording import phrases
from emails.wording.requests import (
    EVERYWHERE,
    PLAN_KEPT,
    REQUESTS_OF_PRESENCE,
    REQUESTS_THAT_ACT,
    REQUESTS_TO_ALL,
    REQUESTS_TO_CONFIRM,
    REQUESTS_WORDED_BY_LETTER,
    Request,
    RequestKind,
)
from engine.actions import Unreadable
from engine.notation.orders import OrderLine, spell_out
from engine.notation.parser import parse_line, parse_lines
from engine.plans import TurnPlan, write_plan
from server import commands
from server.accounts import bounces
from server.inbox import mail_answers, mail_requests
from server.inbox.mail_answers import (
    LONGEST_QUOTED,
    MailRefusal,
    Outcome,
    Question,
    Silence,
    answer,
    answer_open_question,
    explain_refusal,
)
from server.inbox.mail_requests import actor_of, find_grave_request, guess_zone_of_mail
from server.inbox.menus import (
    MeaningUnclear,
    ask_for_meaning,
    ask_instead,
    ask_until_when,
)
from server.inbox.received_mail import (
    Closing,
    GameMail,
    ReceivedMail,
    close_mail,
    close_unread,
    identify_mail,
    queue_answer,
    record_report,
)
from server.lobby.games import accept_seat
from server.lobby.leaving import RESIGN_ALONE
from server.lobby.open_seats import decline_invitation
from server.monitoring import SecurityEvent
from server.outbox import chat
from server.outbox.chat import ChatRefused
from server.outbox.notifications import DEFAULTS
from server.outbox.queue import SentLetter, UnitOfWork, load_people, open_unit, read_sent_letter
from server.store.event_log import GameSuspended, Refusal, RefusalCode, StalePosition, require_started
from server.store.models import Game, Seating
from server.store.states import Channel, GameStatus, MailState
from server.turns.dry_run import LinesRefused, PlayerResigned, preview
from server.turns.play import PlanRefused, load_running_game, play, read_plan

NOTED_VERDICTS = {
    Screening.UNKNOWN: SecurityEvent.SEAL_REFUSED,
    Screening.TOO_MANY: SecurityEvent.LIMIT_REACHED,
    Screening.AUTHOR: SecurityEvent.MAIL_NOT_PROVEN,
    Screening.STRANGER: SecurityEvent.MAIL_NOT_PROVEN,
    Screening.UNPROVEN: SecurityEvent.MAIL_NOT_PROVEN,
}
ENDED_RULES = {Screening.FINISHED, Screening.CALLED_OFF, Screening.SILENT}


def process_reply(received: ReceivedMail) -> None:
    """Screen a mail to a game, and process the mail depending on the game's state."""
    mail, known = identify_mail(received)
    wants = DEFAULTS if mail is None else mail.person.preferences
    with use_locale(wants):
        verdict = screen_mail(received.parsed, known)
        if event := NOTED_VERDICTS.get(verdict):
            received.note_event(event, kind=Purpose.REPLY)
        if verdict.fate == ScreeningFate.RETURNED:
            record_report(received, parse_bounce(received.parsed, True))
        elif mail is None or verdict.fate == ScreeningFate.IGNORED:
            close_unread(received, verdict)
        elif verdict.fate == ScreeningFate.REFUSED:
            MailRefusal(verdict.sentence, ended=verdict in ENDED_RULES).perform(mail)
        else:
            if mail.is_bounced and not mail.is_unproven:
                with open_unit(mail.context, mail.now) as unit:
                    senders = {mail.parsed.headers.author}
                    bounces.clear_bounces_of_senders(unit, mail.game.id, mail.seat, senders)
                    unit.commit()
            if mail.game.status == GameStatus.OPEN:
                process_acceptance(mail)
            elif mail.game.suspended_at is not None:
                MailRefusal(GameSuspended().sentence).perform(mail)
            else:
                process_game_mail(mail)
                asked = wants.zone_asked or wants.zone != i18n.UTC_ZONE
                if mail.row.state == MailState.PLAYED and not asked and guess_zone_of_mail(mail):
                    with open_unit(mail.context, mail.now) as unit:
                        game = unit.session.get_one(Game, mail.game.id)
                        mail_requests.ask_zone_once(unit, game, mail.seat, mail, mail.letter)
                        unit.commit()


# --- invitations ----------------------------------------------------------------------------------------


def process_acceptance(mail: GameMail) -> None:
    """Process an answer to an invitation, in any language, since the player's language is not known yet.

    Raises `StalePosition` on a concurrent change.
    """
    known = whole_lexicon()
    grammar = YesGrammar(known.answers["invitation"], known, invited=True)
    message = read_reply(mail.parsed, grammar, names=mail.names)
    try:
        if message.chat and not message.doubtful:
            sentence = gettext(
                "Nobody can be written to before the game has begun. To accept, answer with “%(word)s”.",
                word=gettext("yes"),
            )
            MailRefusal(sentence, meant=True).perform(mail)
        elif message.says_yes:
            _accept(mail, message)
        elif mail.is_unproven or not _declines(mail, grammar) or not _decline(mail):
            sentence = gettext(
                "Nothing is done yet, for your answer may mean either. Reply with the one word “%(yes)s” to "
                "play, or “%(no)s” to decline; or use a link below.",
                yes=gettext("yes"),
                no=gettext("no"),
            )
            MailRefusal(sentence, message.lines).perform(mail)
    except GameSuspended as error:
        MailRefusal(error.sentence).perform(mail)


def _declines(mail: GameMail, grammar: YesGrammar) -> bool:
    message = read_reply(mail.parsed, replace(grammar, declining=True), names=mail.names)
    found, excuses = message.found, grammar.lexicon.answers["excuses"]
    excused = all(goes_on(words, excuses) for words in message.rest)
    if message.doubtful and (message.doubt is None or not excused):
        return False
    if not found or found[0].kind is not LineKind.NO:
        return False
    return all(one.kind is LineKind.NO or goes_on(one.words, excuses) for one in found)


def _decline(mail: GameMail) -> bool:
    def decline(unit: UnitOfWork) -> Closing | None:
        declined = decline_invitation(unit, mail.game.id, mail.seat, Channel.REPLY, mail.ticket.after)
        return (MailState.PLAYED, "a declined invitation") if declined else None

    return close_mail(mail, decline, mail.letter)


def _accept(mail: GameMail, message: Message) -> None:
    if mail.letter is not None and mail.letter.kind == lobby_letters.Accepted.kind:
        Silence("it answers the letter about the accepted invitation").perform(mail)
        return
    if mail.is_unproven and not (mail.person.accepted or mail.question):
        letter = game_letters.AskedBack(
            message.lines[:1],
            mail.ticket.after,
            (ACCEPT_WORDS,),
            unproven=True,
            is_unsealed=mail.is_unsealed,
        )
        Question(letter).perform(mail)
        return

    def accept(unit: UnitOfWork) -> Closing:
        started = accept_seat(unit, mail.game.id, mail.seat, Channel.REPLY, mail.ticket.after)
        if not started:
            answer(unit, mail, lobby_letters.Accepted())
        return MailState.PLAYED, "an accepted invitation"

    close_mail(mail, accept, mail.letter)


# --- rules ----------------------------------------------------------------------------------------------

MOST_ASKED = 2000
"""Maximum characters of a mail that can be confirmed: the question must show all effects of a yes."""
TOO_LONG = i18n.gettext_noop("The mail is too long to be asked about: send it in parts.")
OFFERED_ANEW = i18n.gettext_noop(
    "A later mail of this game offers other choices: answer that one, or write in words what you want."
)
NEW_LINKS_ALONE = i18n.gettext_noop(
    "To make all your links new, write that in a mail of its own, without orders or messages."
)
NO_LETTERS_ALONE = i18n.gettext_noop(
    "To get no more mails, write that in a mail of its own, without orders or messages."
)
SAID_ALONE = {
    RequestKind.RESIGN: RESIGN_ALONE,
    RequestKind.NEW_LINKS: NEW_LINKS_ALONE,
    RequestKind.NO_LETTERS: NO_LETTERS_ALONE,
}
YES_ALONE = i18n.gettext_noop(
    "Your answer was not understood, and nothing is done. Answer the mail before this one with the one word "
    "“%(word)s”, and it is."
)
BY_PROGRAM = "it contains words of auto-responders, and none for the game"
COURTESY_ALONE = "It contains only thanks or greetings, and no answer is pending."
UNREAD = Message(())
FIRST = "1"  # mark of the first proposed turn, which a mere "yes" chooses too
UNTIL_WHEN = (Request(RequestKind.AWAY),)

Rule = Callable[[GameMail, Message], Outcome | None]
"""Returns the outcome of a mail; None if the rule does not apply. Raises `Refusal` or `MeaningUnclear`."""


class MailTooLong(Refusal):
    code = RefusalCode.REQUEST


class ChoicesChanged(Refusal):
    code = RefusalCode.STALE


def process_game_mail(mail: GameMail) -> None:
    """Process a mail to a running game by the first rule that applies.

    Rules about one-word answers to letters come first, then rules about the mail as read, then rules about
    the commands in the mail. Conflicting commands are refused before the third group of rules.
    """
    mail = answer_open_question(mail)
    with _refusing(mail, UNREAD):
        if _apply_first(RULES_OF_ANSWERS, mail, UNREAD):
            return
    message = _read_message(mail)
    if isinstance(message, Outcome):
        message.perform(mail)
        return
    message = mail_answers.settle_orders(mail, message)
    with _refusing(mail, message, proposing=not mail.is_unproven):
        if not _apply_first(RULES_OF_READING, mail, message):
            _apply_first(RULES_OF_COMMANDS, mail, _settle(mail, message))


def _apply_first(rules: Sequence[Rule], mail: GameMail, message: Message) -> bool:
    outcome = next((found for rule in rules if (found := rule(mail, message)) is not None), None)
    if outcome is not None:
        outcome.perform(mail)
    return outcome is not None


@contextmanager
def _refusing(mail: GameMail, message: Message, *, proposing: bool = False) -> Iterator[None]:
    try:
        yield
    except MeaningUnclear as unclear:
        ask_for_meaning(mail, message, unclear.readings, unclear.doubt).perform(mail)
    except Refusal as error:
        why = explain_refusal(error, message)
        if proposing:
            why = mail_answers.propose_instead(mail, message, error, why)
        is_unread = isinstance(error, LinesRefused) and isinstance(error.refusal, Unreadable)
        (ask_instead(mail, message, why) if is_unread else why).perform(mail)


def _read_message(mail: GameMail) -> Message | Outcome:
    message = mail.read(GameGrammar(mail.board, mail.choices, mail.lexicon))
    if mail.days is not None:
        return mail_requests.read_absence_answer(mail, message)
    proposes = mail.refusal is not None and mail.refusal.proposed and FIRST in mail.choices
    if proposes and mail_answers.says_only_yes(mail_answers.read_answer(mail)):
        return Message((parse_line(ReadLine, FIRST, mail.board, mail.choices, mail.lexicon.orders),))
    return message


def _do_what_was_asked(mail: GameMail, _: Message) -> Outcome | None:
    if mail.question is None:
        return None
    chosen = mail_answers.choose_meaning(mail.question, mail_answers.read_answer(mail))
    if chosen is None:
        return None
    return ask_until_when(mail) if chosen.asked == UNTIL_WHEN else parts_of_question(mail, chosen)


def _play_orders_alone(mail: GameMail, message: Message) -> Outcome | None:
    alone = message.found and all(line.orders for line in message.found)
    beside = message.reason or message.others or message.signature
    if not alone or beside or mail.is_asked or mail.is_unproven:
        return None
    _check_orders(mail, message)
    return parts_of_message(mail, message)


def _ignore_program(mail: GameMail, message: Message) -> Outcome | None:
    said = any(line.is_command and line.request is None for line in message.found)
    phrases_of_programs, own = mail.lexicon.topics["automatic"], mail.parsed.text.own
    programmed = any(has(" ".join(line.casefold().split()), phrases_of_programs) for line in own)
    # Programs put words in any language before our subject: "Sj\u00e1lfvirkt svar: Friday".
    subject = "" if mail.letter is None else read_sent_letter(mail.letter.detail).subject
    prefixed = has_unknown_prefix(mail.parsed.headers.first("subject"), subject)
    programmed = programmed or (prefixed and not message.is_meant_for_game)
    return Silence(BY_PROGRAM) if programmed and message.lines and not said else None


def _ignore_courtesy(mail: GameMail, message: Message) -> Outcome | None:
    if mail.is_asked or mail.days is not None or any(line.is_command for line in message.found):
        return None
    own = [line for line in mail.parsed.text.own if line]
    courteous = own and all(is_courteous(line, ()) or is_friendly_sign(line) for line in own)
    nothing_found = own and not (mail.moves or message.lines or message.doubtful)
    return Silence(COURTESY_ALONE) if courteous or nothing_found else None


def _answer_question(mail: GameMail, message: Message) -> Outcome | None:
    """Show what a question asks to see, such as a rule, if the mail has neither orders nor requests.

    Turns that other lines of the mail may mean are proposed in the answer. A reply to such an answer may be
    an auto-responder's, so it gets no second one.
    """
    again = mail.letter is not None and mail.letter.kind == game_letters.Shown.kind
    if again or any(line.is_command for line in message.found):
        return None
    known = whole_lexicon()
    asked = find_question("\n".join(mail.parsed.text.own), known)
    if asked is None:
        return None
    parts = (replace(line, words=one.text) for line in message.found for one in split_sentences(line.words))
    orders = tuple(one for one in parts if find_question(one.words, known) is None)
    unread = mail_answers.propose_unread(mail, Message(orders))
    if unread is None:
        return MailParts(mail.ticket.after, requests=(asked,))
    return replace(unread, lines=message.lines, asked=(asked,))


def _leave_undone(mail: GameMail, message: Message) -> Outcome | None:
    says_anew = message.is_meant_for_game and not mail_requests.tells_no_days(message)
    if mail.question is None:
        return None
    answer, no = mail_answers.read_answer(mail), mail.lexicon.answers["no"]
    if mail.question.questions and (mail_answers.read_number(answer) or mail_answers.says_only_yes(answer)):
        return Question(replace(mail.question, lines=message.lines), repeated=True)
    if says_anew:
        return None
    if mail.question.questions:
        declines = not answer.lines or goes_on(answer.lines[0], no)
        return Silence(mail_answers.NO_YES) if declines else None
    if answer.lines and begins_with_yes(answer.lines[0], mail.lexicon):
        return MailRefusal(gettext(YES_ALONE, word=gettext("yes")))
    return Silence(mail_answers.NO_YES)


def _refuse_unread(mail: GameMail, message: Message) -> Outcome | None:
    can_be_asked = message.may_be_meant or mail_requests.requests_in_doubt(mail, message)
    if message.lines and (can_be_asked or not message.doubtful):
        return None
    reason = message.reason or gettext(NOTHING_FOUND)
    why = MailRefusal(reason, message.lines, message.is_meant_for_game)
    if not mail.is_unproven:
        why = mail_answers.propose_beside_doubt(mail, message, why)
    return ask_instead(mail, message, why)


def _refuse_beside_grave_request(mail: GameMail, message: Message) -> Outcome | None:
    request = find_grave_request(mail, message)
    if request is None or len(message.lines) <= 1:
        return None
    return MailRefusal(gettext(SAID_ALONE[request]), message.lines, True)


def _ask_whether_meant(mail: GameMail, message: Message) -> Outcome | None:
    unproven = mail.is_unproven and parts_of_message(mail, message).acts
    grave = find_grave_request(mail, message)
    if grave is RequestKind.NO_LETTERS:
        wanted = [Request(grave), Request(grave, EVERYWHERE)]
        return ask_for_meaning(mail, message, wanted)
    if message.doubtful or unproven or grave is not None:
        return _question_about(mail, message)
    return None


def _settle(mail: GameMail, message: Message) -> Message:
    settled = mail_requests.settle_requests(mail, message)
    _check_chat(mail, settled)
    settled = _set_house_aside(mail, settled)
    mail_requests.check_requests(mail, settled)
    _check_orders(mail, settled)
    return settled


def _check_orders(mail: GameMail, message: Message) -> None:
    if not message.orders:
        return
    if mail.seat in mail.history.resigned:
        raise PlayerResigned(message.orders[:1])
    if mail.is_expired:
        raise StalePosition
    if mail.changed and any(mark in mail.changed for line in message.orders for mark in line.marks):
        raise ChoicesChanged(gettext(OFFERED_ANEW))


def _question_about(mail: GameMail, message: Message) -> Question:
    if sum(map(len, message.lines)) > MOST_ASKED:
        raise MailTooLong(gettext(TOO_LONG))
    for line in message.orders:
        if line.refusal is not None:
            raise LinesRefused(line.words, line.refusal)
    orders = tuple(spell_out(one, mail.board) for line in message.orders for one in line.orders)
    if message.orders:
        known = preview(require_started(mail.history).position, mail.seat, orders)
        if message.doubtful:
            orders = (*known.done, *known.left)
    plan = parts_of_message(mail, message).plan
    letter = game_letters.AskedBack(
        message.lines,
        mail.ticket.after,
        orders,
        message.chat,
        message.requests,
        mail.is_unproven,
        is_unsealed=mail.is_unsealed,
        doubt=(message.reason or "") if message.doubtful else "",
        plan="" if plan is None else write_plan(plan, mail.board, words_of(ENGLISH).plan_words),
    )
    return Question(letter)


# --- chat -----------------------------------------------------------------------------------------------


def _check_chat(mail: GameMail, message: Message) -> None:
    for line in message.chat:
        if piece := find_swallowed_order(line, mail.board, mail.lexicon):
            raise ChatRefused(
                gettext(
                    "A message goes on to the end of its line, so “%(words)s” would be sent with it: "
                    "put orders and other messages on lines of their own.",
                    words=piece[:LONGEST_QUOTED],
                )
            )


def _set_house_aside(mail: GameMail, message: Message) -> Message:
    if not message.chat:
        return message
    chosen = select(Seating.name, Seating.house).where(Seating.game == mail.game.id)
    with mail.context.reading() as session:
        seated = session.exec(chosen.order_by(col(Seating.seat))).all()
    names = [name for name, _ in seated]
    addressed = {line: parse_chat_line(line, names, mail.lexicon).seat for line in message.chat}
    lost = {line: seat for line, seat in addressed.items() if seat is not None and seated[seat][1]}
    if not lost:
        return message
    why = gettext(
        "%(name)s is a player of the house: a program, which reads no messages.",
        name=phrases.safe_name(names[min(lost.values())]),
    )
    if not message.orders:
        raise ChatRefused(why)
    reason = why if message.reason is None else f"{message.reason} {why}"
    read = (replace(line, kind=LineKind.REMARK) if line.words in lost else line for line in message.found)
    return replace(message, found=tuple(read), reason=reason)


def _post_chat(unit: UnitOfWork, mail: GameMail, game: Game, lines: Sequence[str]) -> tuple[str, ...]:
    chosen = select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat))
    names, people = list(unit.session.exec(chosen)), load_people(unit.session, game.id)
    posted = []
    for line in lines:
        message = parse_chat_line(line, names, mail.lexicon)
        if message.name:
            others = [phrases.safe_name(one.name) for one in people.values() if one.seat != mail.seat]
            raise ChatRefused(_explain_unknown_name(message.name, others))
        to = message.seat
        chat.post(unit.context, unit.session, game, mail.seat, to, message.words, unit.now)
        if to is None:
            posted.append(gettext("You told everybody: “%(words)s”", words=message.words))
        else:
            name = phrases.safe_name(names[to])
            posted.append(gettext("You told only %(name)s: “%(words)s”", name=name, words=message.words))
            if not people[to].preferences.letters:
                posted[-1] += ". " + gettext(
                    "%(name)s gets no mails, and can read it only on the page of the game.", name=name
                )
    return tuple(posted)


def _explain_unknown_name(name: str, others: Sequence[str]) -> str:
    if not others:
        return gettext("Nobody but you reads mail in this game.")
    names = phrases.format_list(others, "or")
    return gettext(
        "Nobody here is called %(name)s: you can tell %(names)s.", name=phrases.safe_name(name), names=names
    )


# --- performing -----------------------------------------------------------------------------------------

SETTINGS_OF_TIME = {RequestKind.REMINDERS, RequestKind.NO_REMINDERS, RequestKind.ZONE}
SUMMARIES: Mapping[RequestKind, str] = {
    **dict.fromkeys(RequestKind, "a request for information"),
    **dict.fromkeys(REQUESTS_OF_PRESENCE | REQUESTS_TO_ALL | SETTINGS_OF_TIME, "a request about time"),
    **dict.fromkeys(mail_requests.PLAN_KINDS, "a plan"),
    RequestKind.NUDGE: "a nudge",
    RequestKind.NEW_LINKS: "new links",
    RequestKind.NO_LETTERS: "stopped letters",
    RequestKind.RESIGN: "a resignation",
}
ACTING_REQUESTS = REQUESTS_THAT_ACT | REQUESTS_TO_ALL | {RequestKind.NO_PLAN}
OTHER = "other"
YES_AGAIN = "it confirms a request that is already done"


@dataclass(frozen=True, slots=True)
class MailParts(Outcome):
    """Parts of a mail to be carried out. For a yes to a question: the parts that the yes confirms."""

    after: int
    orders: Sequence[OrderLine] = ()
    chat: Sequence[str] = ()
    plan: TurnPlan | None = None
    requests: tuple[Request, ...] = ()
    confirmed: bool = False
    """Whether the mail says yes to a question; a second yes to this question is ignored."""

    @property
    def acts(self) -> bool:
        kinds = {one.kind for one in self.requests}
        return bool(self.orders or self.chat or self.plan or kinds & ACTING_REQUESTS)

    def perform(self, mail: GameMail) -> None:
        """Carry out the parts in one transaction. Raises the errors of `perform_parts`."""

        def work(unit: UnitOfWork) -> Closing:
            if self.confirmed and mail_answers.add_to_letter(unit, mail, SentLetter(done=True)).done:
                return MailState.IGNORED, YES_AGAIN
            if not (self.confirmed or self.acts or mail_answers.has_room(unit, mail)):
                return MailState.IGNORED, mail_answers.NO_ROOM
            game, payload = perform_parts(unit, mail, self)
            queue_answer(unit, game, mail.seat, mail.row, payload, mail.letter)
            # The operator reads this summary, so it contains no words of the mail.
            found = [f"orders (act {game.seq} of {game.id})"] if self.orders else []
            found += ["a message"] if self.chat else []
            found += ["a plan"] if self.plan else []
            found += [SUMMARIES[one.kind] for one in self.requests]
            return MailState.PLAYED, ", ".join(dict.fromkeys(found))

        plays_only = self.orders and not (self.chat or self.plan or self.requests)
        close_mail(mail, work, mail.letter, game=mail.game.id if plays_only else None)


def parts_of_message(mail: GameMail, message: Message) -> MailParts:
    plan = next((line.plan for line in message.found if line.plan is not None), None)
    return MailParts(mail.ticket.after, message.orders, message.chat, plan, message.requests)


def parts_of_question(mail: GameMail, question: game_letters.AskedBack) -> MailParts:
    """Return the parts that a yes confirms.

    Raises `StalePosition` if the turn has changed, `PlanRefused` if the grammar of plans has.
    """
    is_about_turn = bool(question.questions) and question.request is RequestKind.MORE_TIME
    if is_about_turn and question.after != mail.game.after:
        raise StalePosition
    orders = parse_lines(question.orders, mail.board)
    try:
        plan = read_plan(question.plan, mail.board) if question.plan else None
    except Unreadable as refusal:
        raise PlanRefused(phrases.explain_refusal(refusal)) from None
    return MailParts(question.after, orders, question.chat, plan, question.asked, confirmed=True)


def perform_parts(unit: UnitOfWork, mail: GameMail, parts: MailParts) -> tuple[Game, Payload]:
    """Perform the parts of a mail; return its game and the answer. Does not commit.

    Raises the errors of playing, plans, votes, absences, nudges, resigning and chat.
    """
    played, settled, shown = None, list[str](), list[Request]()
    if parts.orders:
        running = load_running_game(unit.context, unit.session, mail.game.id, parts.after)
        played, game = play(unit, running, mail.seat, parts.orders, Channel.REPLY), running.row
    else:
        game = unit.session.get_one(Game, mail.game.id)
    is_grave = any(one.kind in REQUESTS_TO_CONFIRM for one in parts.requests)
    if (parts.confirmed or not mail.is_unproven) and not (parts.orders or is_grave):
        settled += mail_requests.return_writer(unit, mail, parts.requests)
    if parts.plan:
        commands.StorePlan(parts.plan).perform(unit, actor_of(mail))
        shown.append(Request(RequestKind.PLAN, PLAN_KEPT))
    for request in parts.requests:
        about = request.about
        if (command := mail_requests.command_of(mail, request)) is not None:
            done = command.perform(unit, actor_of(mail))
            settled += [done.text] if done.text and request.kind not in REQUESTS_WORDED_BY_LETTER else []
            about = done.outcome if request.kind in REQUESTS_OF_PRESENCE else about
        if not (parts.plan and request.kind in mail_requests.PLAN_KINDS):
            shown.append(replace(request, about=about))
    if mail.days is not None and any(one.kind is RequestKind.AWAY for one in parts.requests):
        mail_answers.add_to_letter(unit, mail, SentLetter(done=True))
    if mail.refusal is not None:
        _note_use(unit, mail, mail.refusal, parts)
    posted = _post_chat(unit, mail, game, parts.chat) if parts.chat else ()
    if played is not None:
        needed = tuple(one for one in shown if one.kind is not RequestKind.BACK or one.about)
        return game, mail_answers.report_orders(played, posted, needed)
    if posted or settled:
        return game, game_letters.Answer(posted=posted, asked=tuple(shown), settled=tuple(settled))
    return game, game_letters.Shown(tuple(shown))


def _note_use(unit: UnitOfWork, mail: GameMail, refusal: game_letters.Refused, parts: MailParts) -> None:
    number = parts.orders[0].words.strip(" #.!)") if parts.orders else ""
    if refusal.proposed and number in mail.choices:
        mail_answers.add_to_letter(unit, mail, SentLetter(chosen=number))
        unit.after_commit(lambda: unit.context.events.count_choice(refusal.understood or OTHER))


RULES_OF_ANSWERS: Sequence[Rule] = (_do_what_was_asked, mail_requests.hear_sign)
RULES_OF_READING: Sequence[Rule] = (
    _play_orders_alone,
    _ignore_program,
    _ignore_courtesy,
    _answer_question,
    mail_requests.hear_vote,
    _leave_undone,
    _refuse_unread,
)
RULES_OF_COMMANDS: Sequence[Rule] = (_refuse_beside_grave_request, _ask_whether_meant, parts_of_message)
