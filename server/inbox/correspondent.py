"""What an incoming mail does not say itself: whose it is, which letter it answers, what came before it.

Who may act is shown by the sealed ticket in the recipient's address; the letter that a mail answers by its
number there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlmodel import Session, col, select

from emails.keys import ForgedToken
from emails.languages.lexicon import Lexicon, lexicon_of
from emails.letters.kinds import LetterKind
from emails.names import plain_name
from emails.replies.dates.days_answers import DaysAsked
from emails.replies.mail import Mail
from emails.tokens import OutdatedToken, Ticket, unseal_reply
from engine.board import Board
from server.mail_addresses import is_same_mailbox
from server.outbox.letter_details import (
    AskedBackDetail,
    LetterContent,
    RefusedDetail,
    ReplacedDetail,
    SeatOfferedDetail,
    VoteDetail,
    decode_content,
)
from server.outbox.queue import Person, load_people
from server.outbox.sent_letters import read_sent_letter
from server.store.context import Context, load_ticketed_game
from server.store.encrypted_mail import is_from_before
from server.store.histories import History, StartedHistory
from server.store.models import Game, IncomingMail, OutgoingLetter, Seating
from server.store.states import LetterState

OFFERING_STATES = (LetterState.SENT, LetterState.WAITING)
"""The states of letters that readers may have; one that waits offers nothing before it is handed over."""


@dataclass(frozen=True, slots=True)
class Correspondent:
    """Who a mail is from, as the ticket in its address shows, and what it answers."""

    game: Game
    ticket: Ticket
    person: Person
    names: tuple[str, ...]
    """Of the people who play."""
    letter: OutgoingLetter | None
    """The letter that the mail answers, if it is known."""
    question: AskedBackDetail | None
    """What that letter asks its reader about a mail of theirs; None where it is of another kind."""
    vote: VoteDetail | SeatOfferedDetail | None
    """The vote that it is about; None where it is of another kind."""
    earlier_refusal: RefusedDetail | None
    """What it refused; None where it is of another kind."""
    days: DaysAsked | None
    """What it asks of the days on which its reader is away; None where it asks nothing of them."""
    is_asked: bool
    """Whether it puts something to its reader: a question, a vote, or turns to choose from."""
    lexicon: Lexicon
    """The words in which their mail is read."""
    choices: Mapping[str, str]
    """What each letter or number stands for in that letter: orders, or a point of the board.

    Beside them the letters of choices in other mails of the same position, which mean one thing there.
    """
    history: History
    board: Board
    changed: frozenset[str]
    """Those that stand for something else in a later letter: nobody knows which they looked at."""
    withdrawn: bool
    """Whether the links of the letter were made new since."""
    set_back: bool
    """Whether the act that the letter is about is not in the log any more."""


@dataclass(frozen=True, slots=True)
class _AnsweredLetter:
    """The letter that a mail answers; without a row it is not known."""

    row: OutgoingLetter | None = None
    content: LetterContent | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()


def identify_correspondent(
    context: Context, session: Session, row: IncomingMail, mail: Mail, token: str
) -> Correspondent | None:
    """Who may answer at the address with this token; None where it is not one of ours."""
    withdrawn = False
    try:
        ticket, letter = unseal_reply(token, context.links.keys)
    except OutdatedToken as error:
        ticket, letter, withdrawn = error.ticket, 0, not is_from_before(row)
    except ForgedToken:
        return None
    known = load_ticketed_game(context, session, ticket)
    if known is None:
        return None
    game = known.row
    present = load_people(session, game.id)
    seating = session.get(Seating, (ticket.game, ticket.seat))
    if seating is None or ticket.seat not in present:
        return None
    row_of_letter = None if known.is_set_back else _find_answered_letter(session, mail, ticket, letter)
    answered = _read_answered_letter(session, game, ticket, row_of_letter)
    question = answered.content if isinstance(answered.content, AskedBackDetail) else None
    vote = answered.content if isinstance(answered.content, VoteDetail | SeatOfferedDetail) else None
    refusal = answered.content if isinstance(answered.content, RefusedDetail) else None
    proposes = refusal is not None and refusal.proposed
    person = present[ticket.seat]
    return Correspondent(
        game=game,
        ticket=ticket,
        person=person,
        names=tuple(plain_name(one.name) for one in present.values()),
        letter=answered.row,
        question=question,
        vote=vote,
        earlier_refusal=refusal,
        days=None if refusal is None else refusal.days,
        is_asked=question is not None or vote is not None or proposes,
        lexicon=lexicon_of(person.preferences.language),
        choices=answered.choices,
        history=known.history,
        board=known.board,
        changed=answered.changed,
        withdrawn=withdrawn or ticket.epoch != seating.epoch,
        set_back=known.is_set_back,
    )


@dataclass(frozen=True, slots=True)
class ReplacedPlayer:
    """Who had a seat that is another's now, and answers a letter of then."""

    game: Game
    ticket: Ticket
    name: str
    """What they were called there."""
    address: str
    """To which that letter went."""


def find_replaced_player(context: Context, session: Session, mail: Mail, token: str) -> ReplacedPlayer | None:
    """Who answers a letter that went to their address about a seat that is another's now; None: nobody."""
    try:
        ticket, number = unseal_reply(token, context.links.keys)
    except OutdatedToken as error:
        ticket, number = error.ticket, 0
    except ForgedToken:
        return None
    game = session.get(Game, ticket.game)
    history = None if game is None else context.history_of(session, game)
    if game is None or not isinstance(history, StartedHistory) or not history.is_of_earlier_player(ticket):
        return None
    letter = session.get(OutgoingLetter, number) if number else find_letter_replied_to(session, mail)
    if letter is None or letter.game != game.id:
        return None
    if not is_same_mailbox(letter.recipient, mail.headers.author):
        return None
    told = decode_content(letter.kind, letter.detail)
    facts = sum(seq <= ticket.after for seq, _ in history.events)
    name = told.name if isinstance(told, ReplacedDetail) else history.names_at(facts - 1)[ticket.seat]
    return ReplacedPlayer(game, ticket, name, letter.recipient)


def _read_answered_letter(
    session: Session, game: Game, ticket: Ticket, letter: OutgoingLetter | None
) -> _AnsweredLetter:
    """What a letter says to whoever answers it."""
    if letter is None:
        return _AnsweredLetter()
    choices = _gather_choices(session, game, ticket, letter)
    later = _choices_of_later_letters(session, letter)
    changed = frozenset(one for other in later for one, words in other.items() if choices.get(one) != words)
    return _AnsweredLetter(letter, decode_content(letter.kind, letter.detail), choices, changed)


def _gather_choices(session: Session, game: Game, ticket: Ticket, letter: OutgoingLetter) -> dict[str, str]:
    """What the marks of a letter stand for, and the letters of choices of others that show its position.

    Where two of those mean different things by a letter it means nothing. All are of this position that are
    about the act which it stands after, or a later one.
    """
    own = dict(read_sent_letter(letter.detail).choices)
    if ticket.after != game.after:
        return own
    chosen = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == letter.game, OutgoingLetter.seat == letter.seat
    )
    chosen = chosen.where(
        col(OutgoingLetter.state).in_(OFFERING_STATES), col(OutgoingLetter.seq) >= game.after
    )
    chosen = chosen.where(OutgoingLetter.id != letter.id)
    meant: dict[str, set[str]] = {}
    for detail in session.exec(chosen):
        for mark, words in read_sent_letter(detail).choices.items():
            if mark.isalpha():
                meant.setdefault(mark, set()).add(words)
    return {mark: found.pop() for mark, found in meant.items() if len(found) == 1} | own


def _choices_of_later_letters(session: Session, letter: OutgoingLetter) -> list[Mapping[str, str]]:
    """The choices of the letters that went to the same seat after this one."""
    chosen = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == letter.game, OutgoingLetter.seat == letter.seat
    )
    return [
        read_sent_letter(detail).choices
        for detail in session.exec(
            chosen.where(col(OutgoingLetter.state).in_(OFFERING_STATES), col(OutgoingLetter.id) > letter.id)
        )
    ]


def _find_answered_letter(session: Session, mail: Mail, ticket: Ticket, letter: int) -> OutgoingLetter | None:
    """The letter that a mail answers: by its number, else the one that it names, if it went to this seat."""
    found = session.get(OutgoingLetter, letter) if letter else find_letter_replied_to(session, mail)
    if found is None or (found.game, found.seat) != (ticket.game, ticket.seat):
        return None
    if not letter and found.kind == LetterKind.ASKED_BACK:
        return None  # a yes to it needs the seal, for a Message-ID could be guessed
    return found


def find_letter_replied_to(session: Session, mail: Mail) -> OutgoingLetter | None:
    """The letter of ours that a mail names in In-Reply-To."""
    ids = re.findall(r"<[^<>\s]{1,200}>", " ".join(mail.headers.all("in-reply-to"))[:2000])
    return session.exec(select(OutgoingLetter).where(col(OutgoingLetter.message_id).in_(ids[:5]))).first()
