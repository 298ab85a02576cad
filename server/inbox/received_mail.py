"""A stored mail in processing: the game or letter that it concerns, its closing, and the limit on answers."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from zoneinfo import ZoneInfo

from sqlalchemy import and_, case, func, or_
from sqlalchemy.exc import NoResultFound
from sqlmodel import Session, col, select

from emails.languages.lexicon import Lexicon, lexicon_of, whole_lexicon
from emails.languages.supported_languages import ENGLISH
from emails.letters import account_letters, game_letters
from emails.letters.declaration import Payload, SeatLoss
from emails.names import plain_name
from emails.replies.grammars import Grammar, YesGrammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.replies.screening import (
    BounceReport,
    DeliveryStatus,
    Screening,
    ScreeningFate,
    choose_rules,
    is_author_proven,
    is_complaint,
    parse_bounce,
    screen_mail,
)
from emails.terms import ExpectedDays
from emails.tokens import ForgedToken, OutdatedToken, Ticket, unseal_bounce, unseal_reply
from engine.board import Board
from server.accounts import bounces
from server.accounts.sign_in import player_at
from server.accounts.unsubscribe import unsubscribe_by_header
from server.mail_addresses import is_same_mailbox
from server.monitoring import AttemptChannel, SecurityEvent
from server.outbox.budgets import UNKNOWN, Origin, mail_origin
from server.outbox.notifications import (
    ANSWER_KINDS,
    Notification,
    decode_payload,
    decode_row,
    find_letter_player,
    load_preferences,
)
from server.outbox.queue import (
    Person,
    UnitOfWork,
    load_people,
    note_answered,
    open_unit,
    read_sent_letter,
)
from server.store.context import Context, is_set_back
from server.store.encrypted import ENCRYPTED, MailLocked, load_incoming_mail
from server.store.event_log import History, StartedHistory, require_started
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
from server.store.states import GameStatus, LetterState, MailState


@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """A stored mail, with the data for its processing."""

    context: Context
    row: IncomingMail
    parsed: Mail
    token: str
    """Part of the recipient address after the +; empty without a +."""
    now: datetime
    is_unsealed: bool = field(default=False, kw_only=True)
    """Whether the mail went to the sender address of letters, so that only its headers name its letter."""

    @property
    def is_unproven(self) -> bool:
        """Whether nothing proves the sender: neither a token nor, with `mail_authserv`, DMARC."""
        if self.is_unsealed:
            return True
        authserv = self.context.settings.mail_authserv
        return authserv is not None and not is_author_proven(self.parsed.headers, authserv)

    def note_event(self, event: SecurityEvent, **facts: StrEnum) -> None:
        network, by = self.row.network, AttemptChannel.MAIL
        self.context.security.note(event, network, self.now, by=by, **facts)

    def origin_of(self, sender: str) -> Origin:
        return mail_origin(self.row.network, sender)


# --- closing --------------------------------------------------------------------------------------------

Closing = tuple[MailState, str]
"""State of a closed mail, and the reason for the operator."""


def close_mail(
    mail: ReceivedMail,
    work: Callable[[UnitOfWork], Closing | None],
    answered: OutgoingLetter | None = None,
    origin: Origin = UNKNOWN,
    game: str | None = None,
) -> bool:
    """Do `work` and close the mail in one transaction; do nothing if another process has closed the mail.

    Returns False, and rolls back, if `work` returns None. `answered`: the letter that the mail answers. The
    text of this letter is no longer needed, and is deleted later. `game`: the only game that is changed.
    """
    with open_unit(mail.context, mail.now, origin, game) as unit:
        incoming = unit.session.get_one(IncomingMail, mail.row.id)
        if incoming.state != MailState.WAITING:
            return True
        if answered is not None:
            note_answered(unit.session, answered, unit.now)
        closing = work(unit)
        if closing is None:
            return False
        incoming.state, incoming.why = closing
        unit.commit()
    mail.row.state = closing[0]
    return True


def ignore_mail(mail: ReceivedMail, why: str) -> None:
    with mail.context.writing() as session:
        incoming = session.get_one(IncomingMail, mail.row.id)
        if incoming.state == MailState.WAITING:
            incoming.state, incoming.why = MailState.IGNORED, why
        session.commit()
    mail.row.state = MailState.IGNORED


def reason_to_ignore(mail: ReceivedMail, unknown: bool, *, by_button: bool = False) -> str | None:
    """Return why a mail is ignored regardless of its sender, such as an auto-reply; None if it is processed.

    `unknown`: the recipient address has no valid token; `by_button`: as in `screen_mail`.
    """
    with mail.context.reading() as session:
        known = find_doubles(session, mail) | ({Screening.UNKNOWN} if unknown else set())
    verdict = screen_mail(mail.parsed, known, by_button=by_button)
    return verdict.sentence if verdict.fate in (ScreeningFate.IGNORED, ScreeningFate.RETURNED) else None


def find_doubles(session: Session, mail: ReceivedMail) -> Set[Screening]:
    """Return the rules for a returned letter of this server and for a repeated mail, if they apply.

    Some programs send an edited mail with the same Message-ID, so the words must be the same too.
    """
    row = mail.row
    if not row.message_id:
        return frozenset()
    own = select(OutgoingLetter.id).where(OutgoingLetter.message_id == row.message_id)
    earlier = select(IncomingMail).where(
        IncomingMail.message_id == row.message_id,
        func.lower(IncomingMail.recipient) == row.recipient.lower(),
        col(IncomingMail.id) < row.id,
    )
    latest = earlier.order_by(col(IncomingMail.id).desc())
    double = any(_has_same_words(session, mail, one) for one in session.exec(latest.limit(MOST_COMPARED)))
    return choose_rules({Screening.OWN: session.exec(select(own.exists())).one(), Screening.DOUBLE: double})


MOST_COMPARED = 5


def _has_same_words(session: Session, mail: ReceivedMail, earlier: IncomingMail) -> bool:
    try:
        kept = load_incoming_mail(session, earlier, mail.context.links.keys)
    except (MailLocked, NoResultFound):
        return True
    words, again = ([line for line in one.text.own if line] for one in (kept, mail.parsed))
    return not kept.raw or words == again


def find_letter_replied_to(session: Session, mail: Mail) -> OutgoingLetter | None:
    """Return the letter that In-Reply-To names, else the latest one among the last References."""
    for name in ("in-reply-to", "references"):
        ids = re.findall(r"<[^<>\s]{1,200}>", " ".join(mail.headers.all(name))[-2000:])
        chosen = select(OutgoingLetter).where(col(OutgoingLetter.message_id).in_(ids[-5:]))
        letter = session.exec(chosen.order_by(col(OutgoingLetter.id).desc())).first() if ids else None
        if letter is not None:
            return letter
    return None


def says_yes(mail: ReceivedMail) -> bool:
    """Return whether a mail says yes to a question of the server, in any language."""
    with mail.context.reading() as session:
        letter = find_letter_replied_to(session, mail.parsed)
    sent, known = "" if letter is None else letter.text, whole_lexicon()
    return read_reply(mail.parsed, YesGrammar(known.answers["address"], known), sent).says_yes


# --- answers --------------------------------------------------------------------------------------------

HOUR = timedelta(hours=1)
MOST_ANSWERS_AN_HOUR = 60


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


def queue_answer(
    unit: UnitOfWork,
    game: Game,
    seat: int,
    row: IncomingMail,
    payload: Payload,
    answered: OutgoingLetter | None = None,
) -> None:
    """Queue the answer to a mail, to be sent when the hourly limit on answers permits.

    Call it before queueing letters about the effects of the mail, so that the answer arrives first.
    `answered`: the letter that the mail replies to; the answer joins its thread.
    """
    same = select(Seating.player).where(Seating.game == game.id, Seating.seat == seat)
    player = unit.session.exec(same).first()
    if player is not None:
        # The player may answer in two games at once.
        unit.context.system.lock(unit.session.connection(), f"player {player}")
    later = find_room_for_answer(unit.session, game.id, seat, unit.now) - unit.now
    subject = "" if answered is None else read_sent_letter(answered.detail).subject
    letter = Notification(seat, payload, row, later=later, answered=subject)
    unit.queue(game, [letter])


def queue_to_outsider(unit: UnitOfWork, game: Game, payload: Payload, address: str, mark: str) -> None:
    """Queue a letter about a game to a person without a seat; `mark` makes the Message-ID unique."""
    letters = [
        Notification(seat, payload, mark=mark, recipient=address, asked=False)
        for seat in sorted(load_people(unit.session, game.id))[:1]
    ]
    unit.queue(game, letters)


MOST_ANSWERS_TO_STRANGERS = 20
"""If a player got this many answers within an hour, mail of other senders to the seat gets no answer.

Neither does mail to the sender address: anyone can write such a mail in the name of the player.
"""
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
    def moves(self) -> bool:
        return require_started(self.history).position.table.seat == self.seat

    @property
    def is_expired(self) -> bool:
        """Whether the game has moved on since the answered letter."""
        return self.game.status != GameStatus.OPEN and self.ticket.after != self.game.after

    @property
    def days(self) -> ExpectedDays | None:
        """The open point about days away in the answered letter."""
        return None if self.question is None else self.question.days

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


def identify_mail(received: ReceivedMail) -> tuple[GameMail | None, Set[Screening]]:
    """Return a mail with its game and seat, and the rules of screening that apply by them.

    The mail is None if its address is invalid.
    """
    context, parsed, withdrawn = received.context, received.parsed, False
    with context.reading() as session:
        known = find_doubles(session, received)
        nobody = None, known | {Screening.UNKNOWN}
        try:
            if received.is_unsealed:
                ticket, number = _ticket_of_headers(session, parsed), 0
            else:
                ticket, number = unseal_reply(received.token, context.links.keys)
        except OutdatedToken as error:
            ticket, number, withdrawn = error.ticket, 0, received.row.raw.startswith(ENCRYPTED)
        except ForgedToken:
            return nobody
        game = session.get(Game, ticket.game)
        history = None if game is None else context.history_of(session, game)
        if game is None or history is None or history.is_of_earlier_player(ticket):
            return nobody
        set_back, present = is_set_back(context, session, ticket), load_people(session, ticket.game)
        seating = session.get(Seating, (ticket.game, ticket.seat))
        if seating is None or ticket.seat not in present:
            return nobody
        letter = None if set_back else _find_answered_letter(session, parsed, ticket, number)
        told = None if letter is None else decode_row(letter)
        choices, changed = _read_choices(session, game, ticket, letter)
        person = present[ticket.seat]
        marked = select(BouncingAddress.address).where(BouncingAddress.player == seating.player)
        bouncing = session.exec(marked.where(col(BouncingAddress.ended_at).is_(None))).all()
        mail = GameMail(
            context,
            received.row,
            parsed,
            received.token,
            received.now,
            game,
            history,
            context.board_of(game),
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
            any(is_same_mailbox(parsed.headers.author, one) for one in bouncing),
            is_unsealed=received.is_unsealed,
        )
        withdrawn = withdrawn or ticket.generation != seating.generation
        outdated = choose_rules({Screening.WITHDRAWN: withdrawn, Screening.SET_BACK: set_back})
        return mail, known | outdated | _find_rules(session, mail, outdated)


def _ticket_of_headers(session: Session, mail: Mail) -> Ticket:
    """Return the ticket of the letter that the headers of a mail name. Raises `ForgedToken`."""
    letter = find_letter_replied_to(session, mail)
    game = None if letter is None else session.get(Game, letter.game)
    seating = None if letter is None else session.get(Seating, (letter.game, letter.seat))
    if letter is None or game is None or seating is None:
        raise ForgedToken
    return Ticket(game.id, letter.seat, min(letter.seq, game.after), generation=seating.generation)


def _find_rules(session: Session, mail: GameMail, outdated: Set[Screening]) -> Set[Screening]:
    now = mail.now
    stranger = not is_same_mailbox(mail.parsed.headers.author, mail.person.address)
    end = ENDED.get(mail.game.status)
    if end is None and Screening.SET_BACK not in outdated and _has_fallen_silent(session, mail):
        end = Screening.SILENT
    is_unlikely = bool(outdated) or mail.is_unsealed or end is not None
    most = MOST_ANSWERS_TO_STRANGERS
    rules = {
        Screening.UNKNOWN: is_unlikely and stranger,
        Screening.TOO_MANY: (stranger or mail.is_unsealed)
        and find_room_for_answer(session, mail.game.id, mail.seat, now, most) > now,
        Screening.TOLD_BEFORE: end is not None and _was_told_of_end(session, mail.ticket, now),
        Screening.ECHO: mail.refusal is not None,
        Screening.STRANGER: stranger,
        Screening.UNPROVEN: mail.is_unproven,
        Screening.EXPIRED: mail.is_expired,
    }
    return choose_rules(rules if end is None else {**rules, end: True})


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


# --- addresses that have ended ----------------------------------------------------------------------------

ENDED = {GameStatus.OVER: Screening.FINISHED, GameStatus.CANCELLED: Screening.CALLED_OFF}
LONGEST_SILENCE = timedelta(days=60)
"""Time without letters to a seat, and without actions of its player, after which reply addresses expire."""


def _has_fallen_silent(session: Session, mail: GameMail) -> bool:
    game, seat, after, letter = mail.game, mail.seat, mail.ticket.after, mail.letter
    if letter is not None:
        since = letter.sent_at or letter.queued_at
    else:
        act = session.get(Act, (game.id, after))
        since = game.opened_at if act is None else datetime.fromisoformat(act.at)
    if mail.now - since <= LONGEST_SILENCE:
        return False
    sent = select(OutgoingLetter.sent_at).where(OutgoingLetter.game == game.id, OutgoingLetter.seat == seat)
    acted = select(Act.at).where(Act.game == game.id, Act.seat == seat, col(Act.seq) > after)
    wrote = select(ChatMessage.at).where(ChatMessage.game == game.id, ChatMessage.seat == seat)
    signs = [
        *filter(None, session.exec(sent)),
        *map(datetime.fromisoformat, session.exec(acted)),
        *session.exec(wrote.where(col(ChatMessage.announcement).is_(None))),
    ]
    moments = sorted([since, *(moment for moment in signs if moment > since), mail.now])
    return any(later - earlier > LONGEST_SILENCE for earlier, later in pairwise(moments))


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
    if verdict == Screening.UNKNOWN:
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


# --- returned letters -----------------------------------------------------------------------------------

# Each letter has a separate envelope sender (emails/tokens.py), so the address of a bounce identifies the
# letter. Some servers write to the Reply-To address instead, which identifies a seat. Such a report counts
# only if it names the recipient and the Message-ID of one letter to this seat: other players of the game
# could guess the Message-ID alone. Bounces are never answered.

OWN_ADDRESS = re.compile(r"(?P<name>bounce|play)\+(?P<token>[a-z2-7]{1,58})@", re.IGNORECASE)
NOT_READ = "It is no delivery report, or names no letter."
NOT_OURS = "It concerns no letter of this server to that address."
ALREADY_KNOWN = "The return of that letter is already recorded."
UNWANTED = "Its recipient reported it as unwanted, and gets no more letters of that game."
NEVER_SENT = "That letter was never sent."
DELAYED = "The letter is delayed, and is tried again."
ARRIVED = "The letter has arrived."

LONGEST_IN_HAND = timedelta(hours=1)  # A report may come before the sending of its letter is recorded.


class ReadAgainLater(Exception):
    """The mail cannot be processed yet, and must be processed again later."""


# The module logs each mail that it cannot parse, and anyone can send such mails.
logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)


def process_bounce(mail: ReceivedMail) -> None:
    """Process a mail to bounce@. Raises `ReadAgainLater` while the reported letter is still being sent.

    Mail that is no report is ignored, such as holiday notices, which often go to the envelope sender.
    """

    def stop_unwanted(unit: UnitOfWork) -> Closing:
        unsaid = BounceReport("", DeliveryStatus.DELIVERED, "", "", "")  # the address identifies the letter
        letter = _find_bounced_letter(unit.session, mail, unsaid)
        player = None if letter is None else find_letter_player(unit.session, letter)
        if letter and player and player.address.lower() == letter.recipient.lower():
            unsubscribe_by_header(unit, letter.game, letter.seat)
            return MailState.PLAYED, UNWANTED
        return MailState.IGNORED, NOT_OURS

    with mail.context.reading() as session:
        own = find_doubles(session, mail) & {Screening.OWN}
    verdict = screen_mail(mail.parsed, own)
    if own:
        ignore_mail(mail, verdict.sentence)
    elif is_complaint(mail.parsed):
        close_mail(mail, stop_unwanted)
    else:
        record_report(mail, parse_bounce(mail.parsed, verdict.fate == ScreeningFate.RETURNED))


def record_report(mail: ReceivedMail, found: BounceReport | None) -> None:
    """Record a delivery report; ignore other mail. Raises `ReadAgainLater` as `process_bounce`."""
    if found is None:
        ignore_mail(mail, NOT_READ)
        return

    def record(unit: UnitOfWork) -> Closing:
        letter = _find_bounced_letter(unit.session, mail, found)
        if letter is None:
            return MailState.IGNORED, NOT_OURS
        if found.fate == DeliveryStatus.DELAYED:
            why = DELAYED
        elif letter.state == LetterState.FAILED:
            why = ALREADY_KNOWN
        elif not letter.tries:
            why = NEVER_SENT
        elif letter.state == LetterState.WAITING and unit.now < mail.row.at + LONGEST_IN_HAND:
            raise ReadAgainLater
        elif found.fate == DeliveryStatus.DELIVERED:
            bounces.record_delivery(unit, letter)
            why = ARRIVED
        else:
            why = bounces.record_bounce(unit, letter, found.reason, reported=True)
        return MailState.PLAYED, why

    close_mail(mail, record)


def _find_bounced_letter(session: Session, mail: ReceivedMail, found: BounceReport) -> OutgoingLetter | None:
    secret = mail.context.links.keys
    for address in (mail.parsed.envelope_to, found.reply_to):
        named = OWN_ADDRESS.match(address)
        try:
            if named and named["name"].lower() == "bounce":
                return session.get(OutgoingLetter, unseal_bounce(named["token"], secret))
            if named:
                ticket, _ = unseal_reply(named["token"], secret)
                chosen = select(OutgoingLetter).where(OutgoingLetter.message_id == found.message_id)
                letter = session.exec(chosen.where(OutgoingLetter.game == ticket.game)).first()
                if letter is not None and letter.seat == ticket.seat:
                    return letter if is_same_mailbox(letter.recipient, found.address) else None
        except ForgedToken:
            continue
    return None
