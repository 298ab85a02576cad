"""Screening: who sent a mail, what it answers, and whether its sender may get an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise

from sqlalchemy import case, func, or_
from sqlmodel import Session, col, select

from emails.keys import ForgedToken
from emails.languages.lexicon import Lexicon, lexicon_of
from emails.letters.kinds import LetterKind
from emails.names import plain_name
from emails.replies.headers import read_dmarc_result
from emails.replies.parsed_mail import Mail
from emails.replies.screening import AddressEnd, MailFacts
from emails.replies.time_requests.absences import ExpectedDays
from emails.tokens import OutdatedToken, Ticket, unseal_reply
from engine.board import Board
from server.mail_addresses import is_same_mailbox
from server.outbox.letter_kinds import (
    ANSWER_KINDS,
    AskedBackDetail,
    LetterContent,
    RefusedDetail,
    ReplacedDetail,
    SeatOfferedDetail,
    VoteDetail,
    decode_content,
)
from server.outbox.queue import Person, load_people, read_sent_letter
from server.store.context import Context, load_ticketed_game
from server.store.dialects.system_choice import lock_beside, player_key
from server.store.encrypted_mail import is_from_before
from server.store.event_log import History, StartedHistory
from server.store.models import (
    Act,
    BouncingAddress,
    ChatMessage,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Seating,
)
from server.store.states import GameStatus, LetterState

HOUR = timedelta(hours=1)
MOST_ANSWERS_TO_STRANGERS = 20
"""As many within an hour are caused by mails that do not come from the player, who has the others left."""
MOST_ANSWERS_AN_HOUR = 60
NO_ROOM = "Too many mails came within the hour."


def find_room_for_answer(
    session: Session, game: str, seat: int, now: datetime, most: int = MOST_ANSWERS_AN_HOUR
) -> datetime:
    """When the next answer to whoever plays a seat may leave; `now` where there is room.

    Those in whatever game of theirs count, from when they were queued or, where they had to wait, left.
    """
    player = select(Seating.player).where(Seating.game == game, Seating.seat == seat).scalar_subquery()
    games = select(Seating.game).where(Seating.player == player)
    address = select(Player.address).where(Player.id == player).scalar_subquery()
    leaves = case(
        (col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.due_at)),
        else_=func.coalesce(col(OutgoingLetter.sent_at), col(OutgoingLetter.queued_at)),
    )
    answers = (
        select(leaves)
        .where(
            col(OutgoingLetter.game).in_(games),
            OutgoingLetter.recipient == address,
            col(OutgoingLetter.kind).in_(ANSWER_KINDS),
            or_(
                col(OutgoingLetter.queued_at) > now - HOUR,
                col(OutgoingLetter.state) == LetterState.WAITING,
                col(OutgoingLetter.sent_at) > now - HOUR,
            ),
        )
        .order_by(leaves.desc())
    )
    earliest = session.exec(answers.offset(most - 1).limit(1)).first()
    return now if earliest is None else max(now, earliest + HOUR)


def reserve_room_for_answer(session: Session, game: str, seat: int, now: datetime) -> datetime:
    """The same for an answer that is queued now: till the commit no other is counted for its reader."""
    same = select(Seating.player).where(Seating.game == game, Seating.seat == seat)
    player = session.exec(same).first()
    if player is not None:
        lock_beside(session.connection(), player_key(player))  # they may answer in two games at this moment
    return find_room_for_answer(session, game, seat, now)


def has_room_for_answer(
    session: Session, game: str, seat: int, now: datetime, most: int = MOST_ANSWERS_AN_HOUR
) -> bool:
    """Whether an answer to whoever plays a seat may leave at once."""
    return find_room_for_answer(session, game, seat, now, most) <= now


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
    days: ExpectedDays | None
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


LONGEST_SILENCE = timedelta(days=60)
"""For so long an address is good though no letter goes to its seat and nothing is done by it."""


@dataclass(frozen=True, slots=True)
class IdentifiedMail:
    """A mail to a game, with all that the database knows of it."""

    writer: Correspondent | None
    """Who may answer at its address; None where that is not one of ours."""
    facts: MailFacts
    arriving: bool = False
    """Whether it came from an address of theirs from which letters have come back."""


def identify_mail(
    context: Context, row: IncomingMail, mail: Mail, token: str, now: datetime
) -> IdentifiedMail:
    """Whose a mail is, and what its screening is told of it."""
    with context.reading() as session:
        known = find_doubles(session, row)
        writer = identify_correspondent(context, session, row, mail, token)
        if writer is None:
            return IdentifiedMail(None, replace(known, unknown=True))
        stranger = not is_same_mailbox(mail.headers.author, writer.person.address)
        end = _find_end(session, writer, now)
        facts = replace(
            known,
            unknown=(writer.withdrawn or writer.set_back or end is not None) and stranger,
            too_many=stranger and not _has_room_for_strangers(session, writer, now),
            stranger=stranger,
            withdrawn=writer.withdrawn,
            set_back=writer.set_back,
            end=end,
            unproven=is_unproven(context, mail),
            told_before=end is not None and _was_told_of_end(session, writer.ticket, now),
            expired=writer.game.status != GameStatus.OPEN and writer.ticket.after != writer.game.after,
            refusal=writer.earlier_refusal is not None,
        )
        arriving = any(
            is_same_mailbox(mail.headers.author, one) for one in _failing_addresses(session, writer)
        )
    return IdentifiedMail(writer, facts, arriving)


def find_doubles(session: Session, row: IncomingMail) -> MailFacts:
    """Whether a mail is a letter of ours that came back, or came before with other bytes, by another way.

    The domain of its writer would not tell: players may write from ours.
    """
    if not row.message_id:
        return MailFacts()
    own = select(OutgoingLetter.id).where(OutgoingLetter.message_id == row.message_id)
    double = select(IncomingMail.id).where(
        IncomingMail.message_id == row.message_id,
        func.lower(IncomingMail.recipient) == row.recipient.lower(),
        col(IncomingMail.id) < row.id,
    )
    found = session.exec(select(own.exists(), double.exists())).one()
    return MailFacts(own=found[0], double=found[1])


def is_unproven(context: Context, mail: Mail) -> bool:
    """Whether the operator's mail server was to show that a mail is its writer's, and does not."""
    authserv = context.settings.mail_authserv
    return authserv is not None and read_dmarc_result(mail.headers, authserv).is_proof_lacking


def _failing_addresses(session: Session, writer: Correspondent) -> Sequence[str]:
    """The addresses of whoever has a seat from which letters come back."""
    marked = select(BouncingAddress.address).join(Seating, col(Seating.player) == col(BouncingAddress.player))
    marked = marked.where(Seating.game == writer.game.id, Seating.seat == writer.ticket.seat)
    return session.exec(marked.where(col(BouncingAddress.ended_at).is_(None))).all()


def _has_room_for_strangers(session: Session, writer: Correspondent, now: datetime) -> bool:
    """Whether one more answer may go to a player because of what somebody else has written."""
    game, seat = writer.game.id, writer.ticket.seat
    return has_room_for_answer(session, game, seat, now, MOST_ANSWERS_TO_STRANGERS)


# --- addresses that have ended ----------------------------------------------------------------------------


def _find_end(session: Session, writer: Correspondent, now: datetime) -> AddressEnd | None:
    """Why the address of a letter has ended; None where it has not."""
    if writer.game.status == GameStatus.OVER:
        return AddressEnd.FINISHED
    if writer.game.status == GameStatus.CANCELLED:
        return AddressEnd.CALLED_OFF
    if writer.set_back:
        return None
    return AddressEnd.SILENT if _has_fallen_silent(session, writer, now) else None


def _has_fallen_silent(session: Session, writer: Correspondent, now: datetime) -> bool:
    """Whether a seat was silent for too long at any time since the letter was sent that is answered."""
    since = _sent_at(session, writer.ticket, writer.letter)
    if now - since <= LONGEST_SILENCE:
        return False
    heard = [moment for moment in _signs_of_life(session, writer.ticket) if moment > since]
    return any(later - earlier > LONGEST_SILENCE for earlier, later in pairwise(sorted([since, *heard, now])))


def _sent_at(session: Session, ticket: Ticket, letter: OutgoingLetter | None) -> datetime:
    """When a letter was sent; where it is not kept any more, when the position arose that it is about."""
    if letter is not None:
        return letter.sent_at or letter.queued_at
    act = session.get(Act, (ticket.game, ticket.after))
    return session.get_one(Game, ticket.game).opened_at if act is None else datetime.fromisoformat(act.at)


def _signs_of_life(session: Session, ticket: Ticket) -> list[datetime]:
    """When letters were sent to a seat, and when it acted or wrote to others."""
    game, seat = ticket.game, ticket.seat
    sent = select(OutgoingLetter.sent_at).where(OutgoingLetter.game == game, OutgoingLetter.seat == seat)
    acted = select(Act.at).where(Act.game == game, Act.seat == seat, col(Act.seq) > ticket.after)
    wrote = select(ChatMessage.at).where(ChatMessage.game == game, ChatMessage.seat == seat)
    return [
        *filter(None, session.exec(sent)),
        *map(datetime.fromisoformat, session.exec(acted)),
        *session.exec(wrote.where(col(ChatMessage.announcement).is_(None))),
    ]


def _was_told_of_end(session: Session, ticket: Ticket, now: datetime) -> bool:
    """Whether the player of a seat was told not long ago that an address has ended."""
    refused = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == ticket.game,
        OutgoingLetter.seat == ticket.seat,
        OutgoingLetter.kind == LetterKind.REFUSED,
        OutgoingLetter.queued_at > now - LONGEST_SILENCE,
    )
    contents = (decode_content(LetterKind.REFUSED, detail) for detail in session.exec(refused))
    return any(isinstance(one, RefusedDetail) and one.ended for one in contents)
