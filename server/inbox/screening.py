"""Screening: the sender of a mail to a game, the letter it answers, and the facts that decide its fate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from sqlalchemy import and_, or_
from sqlmodel import Session, col, select

from emails.languages.lexicon import Lexicon, lexicon_of
from emails.languages.supported_languages import ENGLISH
from emails.letters import account_letters, game_letters
from emails.letters.declaration import SeatLoss
from emails.names import plain_name
from emails.replies.grammars import Grammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.replies.screening import MailFacts, Screening, ScreeningRow
from emails.terms import ExpectedDays
from emails.tokens import ForgedToken, OutdatedToken, Ticket, unseal_reply
from engine.board import Board
from server.accounts.sign_in import player_at
from server.inbox.received_mail import (
    Closing,
    ReceivedMail,
    close_mail,
    find_doubles,
    find_letter_replied_to,
    find_room_for_answer,
    ignore_mail,
    queue_to_outsider,
)
from server.mail_addresses import is_same_mailbox
from server.outbox.letter_kinds import decode_payload, decode_row
from server.outbox.preferences import load_preferences
from server.outbox.queue import Person, UnitOfWork, load_people, read_sent_letter
from server.store.context import load_ticketed_game
from server.store.encrypted_mail import is_from_before
from server.store.event_log import History, StartedHistory
from server.store.models import Act, BouncingAddress, ChatMessage, Game, OutgoingLetter, Seating
from server.store.states import GameStatus, LetterState, MailState

MOST_ANSWERS_TO_STRANGERS = 20
"""If a player got this many answers within an hour, mail of other senders to the seat gets no answer."""
OFFERING_STATES = (LetterState.SENT, LetterState.WAITING)  # a waiting one may have reached the player


@dataclass(frozen=True, slots=True)
class GameMail(ReceivedMail):
    """A mail to a game. The ticket in its address identifies the seat."""

    game: Game
    history: History
    board: Board
    ticket: Ticket
    person: Person
    names: tuple[str, ...]
    lexicon: Lexicon
    letter: OutgoingLetter | None
    """The letter that the mail answers; None if it is unknown."""
    question: game_letters.AskedBack | None
    """The question of the answered letter about an earlier mail; None for other kinds of letter."""
    vote: game_letters.Vote | game_letters.SeatOffered | None
    refusal: game_letters.Refused | None
    choices: Mapping[str, str]
    """Orders or places that a reply may choose. The keys are marks in letters, such as A."""
    changed: frozenset[str]
    """Marks that mean something else in a later letter, so that a mail with such a mark is ambiguous."""
    is_bounced: bool
    """Whether the sender's address is recorded as bouncing."""

    @property
    def seat(self) -> int:
        return self.ticket.seat

    @property
    def is_expired(self) -> bool:
        """Whether the game has moved on since the answered letter."""
        return self.game.status != GameStatus.OPEN and self.ticket.after != self.game.after

    @property
    def days(self) -> ExpectedDays | None:
        """The open point about days away in the answered letter."""
        return None if self.refusal is None else self.refusal.days

    @property
    def is_asked(self) -> bool:
        """Whether the answered letter asks for a yes or a number."""
        proposes = self.refusal is not None and self.refusal.proposed
        return self.question is not None or self.vote is not None or proposes

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.person.preferences.zone)

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    def read(self, grammar: Grammar) -> Message:
        sent = "" if self.letter is None else self.letter.text
        return read_reply(self.parsed, grammar, sent, self.names)


def identify_mail(received: ReceivedMail) -> tuple[GameMail | None, MailFacts]:
    """Return a mail with its game and seat, and the facts for screening.

    The mail is None if its address is invalid.
    """
    context, parsed, withdrawn = received.context, received.parsed, False
    with context.reading() as session:
        known = find_doubles(session, received.row)
        nobody = None, replace(known, unknown=True)
        try:
            ticket, number = unseal_reply(received.token, context.links.keys)
        except OutdatedToken as error:
            ticket, number, withdrawn = error.ticket, 0, not is_from_before(received.row)
        except ForgedToken:
            return nobody
        found = load_ticketed_game(context, session, ticket)
        present = {} if found is None else load_people(session, ticket.game)
        seating = session.get(Seating, (ticket.game, ticket.seat))
        if found is None or seating is None or ticket.seat not in present:
            return nobody
        letter = None if found.is_set_back else _find_answered_letter(session, parsed, ticket, number)
        told = None if letter is None else decode_row(letter)
        choices, changed = _read_choices(session, found.row, ticket, letter)
        person = present[ticket.seat]
        mail = GameMail(
            context,
            received.row,
            parsed,
            received.token,
            received.now,
            found.row,
            found.history,
            found.board,
            ticket,
            person,
            tuple(plain_name(one.name) for one in present.values()),
            lexicon_of(person.preferences.language),
            letter,
            told if isinstance(told, game_letters.AskedBack) else None,
            told if isinstance(told, game_letters.Vote | game_letters.SeatOffered) else None,
            told if isinstance(told, game_letters.Refused) else None,
            choices,
            changed,
            _is_bounced(session, ticket, parsed),
        )
        withdrawn = withdrawn or ticket.generation != seating.generation
        facts = replace(known, withdrawn=withdrawn, set_back=found.is_set_back)
        return mail, _gather_facts(session, mail, facts)


def _gather_facts(session: Session, mail: GameMail, known: MailFacts) -> MailFacts:
    now = mail.now
    stranger = not is_same_mailbox(mail.parsed.headers.author, mail.person.address)
    end = _find_end(session, mail, known.set_back)
    most = MOST_ANSWERS_TO_STRANGERS
    return replace(
        known,
        unknown=(known.withdrawn or known.set_back or end is not None) and stranger,
        too_many=stranger and find_room_for_answer(session, mail.game.id, mail.seat, now, most) > now,
        stranger=stranger,
        end=end,
        unproven=mail.is_unproven,
        told_before=end is not None and _was_told_of_end(session, mail.ticket, now),
        expired=mail.is_expired,
        refusal=mail.refusal is not None,
    )


def _is_bounced(session: Session, ticket: Ticket, mail: Mail) -> bool:
    marked = select(BouncingAddress.address).join(Seating, col(Seating.player) == col(BouncingAddress.player))
    marked = marked.where(Seating.game == ticket.game, Seating.seat == ticket.seat)
    failing = session.exec(marked.where(col(BouncingAddress.ended_at).is_(None))).all()
    return any(is_same_mailbox(mail.headers.author, one) for one in failing)


def _read_choices(
    session: Session, game: Game, ticket: Ticket, letter: OutgoingLetter | None
) -> tuple[Mapping[str, str], frozenset[str]]:
    # As long as the position is unchanged, other letters about this position offer choices too.
    if letter is None or letter.id is None:
        return {}, frozenset()
    own = read_sent_letter(letter.detail).choices
    number, seq = col(OutgoingLetter.id), col(OutgoingLetter.seq)
    others = select(number, seq, OutgoingLetter.detail).where(
        OutgoingLetter.game == letter.game,
        OutgoingLetter.seat == letter.seat,
        col(OutgoingLetter.state).in_(OFFERING_STATES),
        or_(number > letter.id, and_(seq >= game.after, number != letter.id)),
    )
    meant, later = defaultdict[str, set[str]](set), list[Mapping[str, str]]()
    for one, act, detail in session.exec(others):
        offered = read_sent_letter(detail).choices
        if ticket.after == game.after <= act:
            for mark, words in offered.items():
                meant[mark].add(words)
        if one is not None and one > letter.id:
            later.append(offered)
    lettered = {mark: words.pop() for mark, words in meant.items() if mark.isalpha() and len(words) == 1}
    choices = {**lettered, **own}
    changed = {mark for other in later for mark, words in other.items() if choices.get(mark) != words}
    return choices, frozenset(changed)


def _find_answered_letter(session: Session, mail: Mail, ticket: Ticket, letter: int) -> OutgoingLetter | None:
    found = session.get(OutgoingLetter, letter) if letter else find_letter_replied_to(session, mail)
    if found is None or (found.game, found.seat) != (ticket.game, ticket.seat):
        return None
    if not letter and found.kind == game_letters.AskedBack.kind:
        return None  # a yes needs the sealed number, since a Message-ID could be guessed
    return found


LONGEST_SILENCE = timedelta(days=60)
"""Time without letters to a seat, and without actions of its player, after which reply addresses expire."""


# --- addresses that have ended ----------------------------------------------------------------------------


def _find_end(session: Session, mail: GameMail, is_set_back: bool) -> ScreeningRow | None:
    if mail.game.status == GameStatus.OVER:
        return ScreeningRow.FINISHED
    if mail.game.status == GameStatus.CANCELLED:
        return ScreeningRow.CALLED_OFF
    if is_set_back:
        return None
    return ScreeningRow.SILENT if _has_fallen_silent(session, mail) else None


def _has_fallen_silent(session: Session, mail: GameMail) -> bool:
    since = _sent_at(session, mail.ticket, mail.letter)
    if mail.now - since <= LONGEST_SILENCE:
        return False
    heard = [moment for moment in _signs_of_life(session, mail.ticket) if moment > since]
    moments = sorted([since, *heard, mail.now])
    return any(later - earlier > LONGEST_SILENCE for earlier, later in pairwise(moments))


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


# --- former players -------------------------------------------------------------------------------------

PLAYED_BY_ANOTHER = "Its sender is a former player of the seat."
SUCCESSOR_TOLD = "Its sender, a former player of the seat, was already informed."


def close_unread(mail: ReceivedMail, verdict: Screening) -> None:
    """Ignore a mail, but inform a former player once that another player has the seat now."""
    found = None
    if verdict.row == ScreeningRow.UNKNOWN:
        with mail.context.reading() as session:
            found = _find_former_player(session, mail)
    if found is None:
        ignore_mail(mail, verdict.sentence)
        return
    letter, name = found

    def answer(unit: UnitOfWork) -> Closing:
        if _was_told_of_successor(unit.session, letter):
            return MailState.IGNORED, SUCCESSOR_TOLD
        known, game = player_at(unit.session, letter.recipient), unit.session.get_one(Game, letter.game)
        language = ENGLISH if known is None else load_preferences(unit.session, known.id).language
        loss = account_letters.Replaced(name, game.name, language, SeatLoss.LATE)
        queue_to_outsider(unit, game, loss, letter.recipient, f"late{mail.row.id}")
        return MailState.REFUSED, PLAYED_BY_ANOTHER

    close_mail(mail, answer, origin=mail.origin_of(letter.recipient))


def _find_former_player(session: Session, mail: ReceivedMail) -> tuple[OutgoingLetter, str] | None:
    try:
        ticket, number = unseal_reply(mail.token, mail.context.links.keys)
    except OutdatedToken as error:
        ticket, number = error.ticket, 0
    except ForgedToken:
        return None
    game = session.get(Game, ticket.game)
    history = None if game is None else mail.context.history_of(session, game)
    if not isinstance(history, StartedHistory) or not history.is_of_earlier_player(ticket):
        return None
    letter = session.get(OutgoingLetter, number) if number else find_letter_replied_to(session, mail.parsed)
    if letter is None or letter.game != ticket.game:
        return None
    if not is_same_mailbox(letter.recipient, mail.parsed.headers.author):
        return None
    told = decode_row(letter)
    if isinstance(told, account_letters.Replaced):
        return letter, told.name
    facts = sum(seq <= ticket.after for seq, _ in history.events)
    return letter, history.names_at(facts - 1)[ticket.seat]


def _was_told_of_successor(session: Session, letter: OutgoingLetter) -> bool:
    told = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == letter.game,
        OutgoingLetter.kind == account_letters.Replaced.kind,
        OutgoingLetter.recipient == letter.recipient,
    )
    found = (decode_payload(account_letters.Replaced, detail) for detail in session.exec(told))
    return any(one.loss is SeatLoss.LATE for one in found)
