"""What became of a mail: it is noted once, and its writer is answered once, at the address on file.

Nothing here may keep two machines writing to each other: a mail that answers a refusal and holds the same
words again, to be refused for the same reason, or none that could be meant for the game, gets no other. A few
words, such as "the first one", are always taken to be meant: programs that answer by themselves write more.
Where an address has got as many answers as it may within the hour, what was done is answered later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, select

from emails.keys import Purpose
from emails.languages.lexicon import whole_lexicon
from emails.languages.supported_languages import ENGLISH
from emails.letters.kinds import LetterKind, SeatLoss
from emails.replies.dates.days_answers import DaysAsked
from emails.replies.mail import Mail
from emails.replies.screening import Screening, ScreeningFate, ScreeningRow, screen_mail
from emails.wording.questions import OrderQuestion
from emails.wording.requests import Request, RequestKind
from engine.board import Board
from server.accounts.sign_in import player_at
from server.inbox.answer_limits import NO_ROOM, has_room_for_answer, reserve_room_for_answer
from server.inbox.correspondent import Correspondent, ReplacedPlayer, find_replaced_player
from server.inbox.screening_facts import find_doubles
from server.outbox.budgets import mail_origin
from server.outbox.letter_details import LetterContent, RefusedDetail, ReplacedDetail, decode_content
from server.outbox.notifications import Notification
from server.outbox.preferences import load_preferences
from server.outbox.queue import load_people, note_answered, queue_letters
from server.outbox.sent_letters import read_sent_letter
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.security_log import AttemptChannel, SecurityEvent
from server.store.context import Context
from server.store.models import Game, IncomingMail, OutgoingLetter
from server.store.refusals import RefusalCode
from server.store.states import MailState

MOST_REFUSALS_IN_A_ROW = 5
"""Refusals, each of an answer to the one before: who still does not find the words has other ways."""
FEW_WORDS = 6
"""So many words of a mail are an answer of a person, whatever they say."""

LOOKED_UP = "a look-up"
TIME_REQUEST = "a wish about time"
READ_REQUESTS: Mapping[RequestKind, str] = {
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
"""What the operator reads of a mail that was read as such a request: its kind, and nothing that it says."""

PLAYED_BY_ANOTHER = "Its writer had the seat, and somebody else plays there now."
SUCCESSOR_TOLD = "Its writer was told before that somebody else plays there now."


@dataclass(frozen=True, slots=True)
class MailRefusal:
    """Why nothing of a mail was done."""

    sentence: str
    lines: Sequence[str] = ()
    """What it said to the game."""
    meant: bool = False
    """Whether any of it was meant for the game, as no program that answers by itself would write."""
    question: OrderQuestion | None = None
    """What its writer is asked, where a line could mean several things."""
    asked: tuple[Request, ...] = ()
    """What it asks to be shown all the same."""
    ended: bool = False
    """Whether it is because the address that was written to has ended."""
    code: RefusalCode = RefusalCode.REQUEST
    proposed: bool = False
    """Whether the question is what the mail may mean, which could not be read whole."""
    understood: str = ""
    """What such a mail seems to be, by its kind alone."""
    days: DaysAsked | None = None
    """What is asked of the days on which its writer is away."""


def refuse_mail(
    context: Context, row: IncomingMail, writer: Correspondent, why: MailRefusal, now: datetime
) -> None:
    """Tell the address on file that nothing of a mail was done, and why."""
    before = writer.earlier_refusal
    in_a_row = 0 if before is None else before.in_a_row
    after = None if why.question is None else writer.game.after
    detail = RefusedDetail(
        why.sentence,
        tuple(why.lines),
        in_a_row + 1,
        after,
        why.question,
        why.asked,
        why.ended,
        why.proposed,
        why.understood,
        why.days,
    )
    if before is not None and (
        not (why.meant or _is_worth_an_answer(why.lines, writer.board))
        or detail.tells_the_same(before)
        or in_a_row == MOST_REFUSALS_IN_A_ROW
    ):
        close_silently(
            context, row, MailState.IGNORED, "it answers a refusal, and would be refused for the same reason"
        )
        return
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            if close_without_room(unit, writer, incoming):
                return
            incoming.state, incoming.why = MailState.REFUSED, why.sentence
            game = unit.session.get_one(Game, writer.game.id)
            queue_answer(unit, game, writer.ticket.seat, incoming, detail, writer.letter)
            unit.commit()
            context.events.note_refusal(why.code, AttemptChannel.MAIL, writer.game.id)
            if why.understood:
                context.events.count_understood(why.understood, asked=why.proposed)


def _is_worth_an_answer(lines: Sequence[str], board: Board) -> bool:
    """Whether lines that cannot be read were written by a person who means the game.

    They are few words, or name a card or a place of the board.
    """
    words = re.findall(r"\w+", " ".join(lines).casefold())
    known = whole_lexicon().orders
    named = frozenset(name.casefold() for name in board.places).union(known.symbols, known.places)
    return bool(words) and (len(words) <= FEW_WORDS or not named.isdisjoint(words))


def claim_mail(
    unit: UnitOfWork, row: IncomingMail, answered: OutgoingLetter | None = None
) -> IncomingMail | None:
    """A mail to be closed in this unit of work; None where another server has read it.

    `answered`: the letter that it answers, of which the words are not kept for long any more.
    """
    incoming = unit.session.get_one(IncomingMail, row.id)
    if incoming.state != MailState.WAITING:
        return None
    if answered is not None:
        note_answered(unit.session, answered, unit.now)
    unit.after_commit(lambda: _carry_state(incoming, row))
    return incoming


def _carry_state(incoming: IncomingMail, row: IncomingMail) -> None:
    """Let whoever reads a mail know what became of it, which is stored already."""
    row.state = incoming.state


@dataclass(frozen=True, slots=True)
class DoneParts:
    """What was done because of a mail, by the kinds of things that it said."""

    act: tuple[str, int] | None = None
    """The game and the number of the act that its orders were; None where it orders nothing."""
    chat: Sequence[str] = ()
    plan: str = ""
    requests: Sequence[Request] = ()

    @property
    def summary(self) -> str:
        """Those kinds in words, for the operator; nothing that the mail says itself."""
        read = [] if self.act is None else [f"orders (act {self.act[1]} of {self.act[0]})"]
        read += ["a message"] if self.chat else []
        read += ["a plan"] if self.plan else []
        read += [READ_REQUESTS[one.kind] for one in self.requests]
        return ", ".join(dict.fromkeys(read))


def close_done(
    unit: UnitOfWork,
    game: Game,
    seat: int,
    row: IncomingMail,
    done: DoneParts,
    content: LetterContent,
    answered: OutgoingLetter | None,
) -> None:
    """Note that what a mail says was done, and queue the answer to it as `queue_answer` does."""
    row.state, row.why = MailState.PLAYED, done.summary
    queue_answer(unit, game, seat, row, content, answered)


def queue_answer(
    unit: UnitOfWork,
    game: Game,
    seat: int,
    row: IncomingMail,
    content: LetterContent,
    answered: OutgoingLetter | None = None,
) -> None:
    """Queue the answer to a mail, before the letters that its act causes; it waits until there is room.

    `answered`: the letter that the mail answers, with which the answer stands in one conversation.
    """
    later = reserve_room_for_answer(unit.session, game.id, seat, unit.now) - unit.now
    subject = "" if answered is None else read_sent_letter(answered.detail).subject
    letter = Notification(seat, content, row, later=later, answered=subject)
    queue_letters(unit.context, unit.session, game, [letter], unit.now)


def close_without_room(unit: UnitOfWork, writer: Correspondent, incoming: IncomingMail) -> bool:
    """Close a mail that does nothing where its answer would have to wait; whether it is so."""
    seat, now = writer.ticket.seat, unit.now
    if has_room_for_answer(unit.session, writer.game.id, seat, now):
        return False
    incoming.state, incoming.why = MailState.IGNORED, NO_ROOM
    unit.commit()
    unit.context.security.note(
        SecurityEvent.LIMIT_REACHED, incoming.network, now, by=AttemptChannel.MAIL, kind=Purpose.REPLY
    )
    return True


def reason_to_ignore(
    context: Context, row: IncomingMail, mail: Mail, unknown: bool, *, generated: bool = False
) -> str | None:
    """Why a mail does nothing, whoever wrote it; None where it may. `unknown`: to no address of ours.

    `generated`: whether a program may have written it on its user's behalf, and not in answer to a mail.
    """
    with context.reading() as session:
        facts = replace(find_doubles(session, row), unknown=unknown)
    if generated and mail.headers.first("auto-submitted").strip().lower() == "auto-generated":
        fields = {name: value for name, value in mail.headers.fields.items() if name != "auto-submitted"}
        mail = replace(mail, headers=replace(mail.headers, fields=fields))
    verdict = screen_mail(mail, facts)
    return verdict.sentence if verdict.fate in (ScreeningFate.IGNORED, ScreeningFate.RETURNED) else None


def close_unread(
    context: Context, row: IncomingMail, mail: Mail, token: str, verdict: Screening, now: datetime
) -> None:
    """Close a mail of which nothing is read; only who had the seat hears, once, that another has it now."""
    had = None
    if verdict.row == ScreeningRow.UNKNOWN:
        with context.reading() as session:
            had = find_replaced_player(context, session, mail, token)
    if had is None:
        close_silently(context, row, MailState.IGNORED, verdict.sentence)
    else:
        _answer_replaced_player(context, row, had, now)


def _answer_replaced_player(context: Context, row: IncomingMail, had: ReplacedPlayer, now: datetime) -> None:
    """Tell whoever had a seat that somebody else plays there, and nothing else of the game."""
    game = had.game.id
    with open_unit(context, now, mail_origin(row.network, had.address)) as unit:
        incoming = claim_mail(unit, row)
        if incoming is None:
            return
        if _was_told_of_successor(unit.session, had):
            incoming.state, incoming.why = MailState.IGNORED, SUCCESSOR_TOLD
        else:
            known = player_at(unit.session, had.address)
            language = ENGLISH if known is None else load_preferences(unit.session, known.id).language
            detail = ReplacedDetail(had.name, had.game.name, language, SeatLoss.LATE)
            mark, address = f"late{incoming.id}", had.address
            letters = [
                Notification(seat, detail, mark=mark, recipient=address, asked=False)
                for seat in sorted(load_people(unit.session, game))[:1]
            ]
            row_of_game = unit.session.get_one(Game, game)
            queue_letters(unit.context, unit.session, row_of_game, letters, now, unit.origin)
            incoming.state, incoming.why = MailState.REFUSED, PLAYED_BY_ANOTHER
        unit.commit()


def _was_told_of_successor(session: Session, had: ReplacedPlayer) -> bool:
    """Whether somebody who had a seat got that answer already, as long as letters are kept."""
    told = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == had.game.id,
        OutgoingLetter.kind == LetterKind.REPLACED,
        OutgoingLetter.recipient == had.address,
    )
    found = (decode_content(LetterKind.REPLACED, detail) for detail in session.exec(told))
    return any(isinstance(one, ReplacedDetail) and one.loss is SeatLoss.LATE for one in found)


def close_silently(context: Context, row: IncomingMail, state: MailState, why: str) -> None:
    """Note what became of a mail that gets no answer."""
    with context.writing() as session:
        incoming = session.get_one(IncomingMail, row.id)
        if incoming.state == MailState.WAITING:
            incoming.state, incoming.why = state, why
        session.commit()
    row.state = state
