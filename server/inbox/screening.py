"""Screening: find a mail's sender and the answered letter; decide whether the sender may get an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise

from sqlalchemy import case, func, or_
from sqlmodel import Session, col, select

from emails.languages.lexicon import Lexicon, lexicon_of
from emails.letters import account_letters, game_letters
from emails.letters.declaration import Payload
from emails.names import plain_name
from emails.replies.headers import read_dmarc_result
from emails.replies.parsed_mail import Mail
from emails.replies.screening import MailFacts, ScreeningRow
from emails.tokens import ForgedToken, OutdatedToken, Ticket, unseal_reply
from emails.wording.absences import ExpectedDays
from engine.board import Board
from server.mail_addresses import is_same_mailbox
from server.outbox.letter_kinds import ANSWER_KINDS, decode_payload, decode_row
from server.outbox.queue import Person, load_people, read_sent_letter
from server.store.context import Context, load_ticketed_game
from server.store.dialects.system_choice import lock_beside
from server.store.dialects.systems import player_key
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
"""Answers per hour after which mail of senders other than the seat's player gets no answer."""
MOST_ANSWERS_AN_HOUR = 60
NO_ROOM = "Too many mails came within the hour."


def find_room_for_answer(
    session: Session, game: str, seat: int, now: datetime, most: int = MOST_ANSWERS_AN_HOUR
) -> datetime:
    """Return when the next answer to the player of a seat may be sent; `now` if the limit permits.

    The limit counts the answers in all games of the player.
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
    """Return when a new answer may be sent; lock the count of answers to the player until the commit."""
    same = select(Seating.player).where(Seating.game == game, Seating.seat == seat)
    player = session.exec(same).first()
    if player is not None:
        lock_beside(session.connection(), player_key(player))  # the player may answer in two games at once
    return find_room_for_answer(session, game, seat, now)


def has_room_for_answer(
    session: Session, game: str, seat: int, now: datetime, most: int = MOST_ANSWERS_AN_HOUR
) -> bool:
    return find_room_for_answer(session, game, seat, now, most) <= now


OFFERING_STATES = (LetterState.SENT, LetterState.WAITING)  # a waiting one may have reached the player


@dataclass(frozen=True, slots=True)
class Correspondent:
    """Sender of a mail, identified by the ticket in its address, with the letter that the mail answers."""

    game: Game
    ticket: Ticket
    person: Person
    names: tuple[str, ...]
    letter: OutgoingLetter | None
    question: game_letters.AskedBack | None
    """Question of the answered letter about an earlier mail; None for other kinds of letter."""
    vote: game_letters.Vote | game_letters.SeatOffered | None
    earlier_refusal: game_letters.Refused | None
    days: ExpectedDays | None
    is_asked: bool
    lexicon: Lexicon
    choices: Mapping[str, str]
    """Orders or places that a reply may choose, by the mark that stands for them in letters, such as A."""
    history: History
    board: Board
    changed: frozenset[str]
    """Choices (such as A) that mean something else in a later letter, so that the mail is ambiguous."""
    withdrawn: bool
    set_back: bool


@dataclass(frozen=True, slots=True)
class _AnsweredLetter:
    """The letter that a mail answers; `row` is None if the letter is unknown."""

    row: OutgoingLetter | None = None
    payload: Payload | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()


def identify_correspondent(
    context: Context, session: Session, row: IncomingMail, mail: Mail, token: str
) -> Correspondent | None:
    """Return the player who owns the reply address with this token; None if the address is invalid."""
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
    question = answered.payload if isinstance(answered.payload, game_letters.AskedBack) else None
    vote = (
        answered.payload
        if isinstance(answered.payload, game_letters.Vote | game_letters.SeatOffered)
        else None
    )
    refusal = answered.payload if isinstance(answered.payload, game_letters.Refused) else None
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
        withdrawn=withdrawn or ticket.generation != seating.generation,
        set_back=known.is_set_back,
    )


@dataclass(frozen=True, slots=True)
class ReplacedPlayer:
    """Former player of a seat, who replies to a letter that this server sent to that player."""

    game: Game
    ticket: Ticket
    name: str
    address: str


def find_replaced_player(context: Context, session: Session, mail: Mail, token: str) -> ReplacedPlayer | None:
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
    told = decode_row(letter)
    facts = sum(seq <= ticket.after for seq, _ in history.events)
    name = (
        told.name if isinstance(told, account_letters.Replaced) else history.names_at(facts - 1)[ticket.seat]
    )
    return ReplacedPlayer(game, ticket, name, letter.recipient)


def _read_answered_letter(
    session: Session, game: Game, ticket: Ticket, letter: OutgoingLetter | None
) -> _AnsweredLetter:
    if letter is None:
        return _AnsweredLetter()
    choices = _gather_choices(session, game, ticket, letter)
    later = _choices_of_later_letters(session, letter)
    changed = frozenset(one for other in later for one, words in other.items() if choices.get(one) != words)
    return _AnsweredLetter(letter, decode_row(letter), choices, changed)


def _gather_choices(session: Session, game: Game, ticket: Ticket, letter: OutgoingLetter) -> dict[str, str]:
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
    found = session.get(OutgoingLetter, letter) if letter else find_letter_replied_to(session, mail)
    if found is None or (found.game, found.seat) != (ticket.game, ticket.seat):
        return None
    if not letter and found.kind == game_letters.AskedBack.kind:
        return None  # a yes needs the sealed number, since a Message-ID could be guessed
    return found


def find_letter_replied_to(session: Session, mail: Mail) -> OutgoingLetter | None:
    ids = re.findall(r"<[^<>\s]{1,200}>", " ".join(mail.headers.all("in-reply-to"))[:2000])
    return session.exec(select(OutgoingLetter).where(col(OutgoingLetter.message_id).in_(ids[:5]))).first()


LONGEST_SILENCE = timedelta(days=60)
"""Reply addresses of a seat expire after this time without letters to the seat or activity of the player."""


@dataclass(frozen=True, slots=True)
class IdentifiedMail:
    """A mail to a game, with all facts that the database contains about it."""

    writer: Correspondent | None
    """Player to whom the mail's address was given; None if the address is not valid."""
    facts: MailFacts
    arriving: bool = False


def identify_mail(
    context: Context, row: IncomingMail, mail: Mail, token: str, now: datetime
) -> IdentifiedMail:
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
    """Return whether a mail is a returned letter of this server, and whether it repeats an earlier mail."""
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
    """Return whether the operator's mail server did not authenticate the sender (DMARC).

    False without the setting `mail_authserv`.
    """
    authserv = context.settings.mail_authserv
    return authserv is not None and read_dmarc_result(mail.headers, authserv).is_proof_lacking


def _failing_addresses(session: Session, writer: Correspondent) -> Sequence[str]:
    marked = select(BouncingAddress.address).join(Seating, col(Seating.player) == col(BouncingAddress.player))
    marked = marked.where(Seating.game == writer.game.id, Seating.seat == writer.ticket.seat)
    return session.exec(marked.where(col(BouncingAddress.ended_at).is_(None))).all()


def _has_room_for_strangers(session: Session, writer: Correspondent, now: datetime) -> bool:
    game, seat = writer.game.id, writer.ticket.seat
    return has_room_for_answer(session, game, seat, now, MOST_ANSWERS_TO_STRANGERS)


# --- addresses that have ended ----------------------------------------------------------------------------


def _find_end(session: Session, writer: Correspondent, now: datetime) -> ScreeningRow | None:
    if writer.game.status == GameStatus.OVER:
        return ScreeningRow.FINISHED
    if writer.game.status == GameStatus.CANCELLED:
        return ScreeningRow.CALLED_OFF
    if writer.set_back:
        return None
    return ScreeningRow.SILENT if _has_fallen_silent(session, writer, now) else None


def _has_fallen_silent(session: Session, writer: Correspondent, now: datetime) -> bool:
    since = _sent_at(session, writer.ticket, writer.letter)
    if now - since <= LONGEST_SILENCE:
        return False
    heard = [moment for moment in _signs_of_life(session, writer.ticket) if moment > since]
    return any(later - earlier > LONGEST_SILENCE for earlier, later in pairwise(sorted([since, *heard, now])))


def _sent_at(session: Session, ticket: Ticket, letter: OutgoingLetter | None) -> datetime:
    if letter is not None:
        return letter.sent_at or letter.queued_at
    act = session.get(Act, (ticket.game, ticket.after))
    return session.get_one(Game, ticket.game).opened_at if act is None else datetime.fromisoformat(act.at)


def _signs_of_life(session: Session, ticket: Ticket) -> list[datetime]:
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
    refused = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == ticket.game,
        OutgoingLetter.seat == ticket.seat,
        OutgoingLetter.kind == game_letters.Refused.kind,
        OutgoingLetter.queued_at > now - LONGEST_SILENCE,
    )
    return any(decode_payload(game_letters.Refused, detail).ended for detail in session.exec(refused))
