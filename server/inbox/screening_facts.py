"""What the table of screening is told of a mail to a game: whose it is, what came before it, how it came.

Answer addresses end: with their game, and once their seat has been silent for too long. Whoever finds an old
letter must not play by its address. So it ends when the game is over or called off, and when for
`LONGEST_SILENCE` no letter has gone to the seat and nothing has been done by it. What has ended stays so; a
letter that is sent later has an address that is good. Letters are known as long as they are kept, so that of
a seat which only gets letters and does nothing for months may end sooner: its player is told, in a letter
with a good one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from emails.replies.authentication import read_dmarc_result
from emails.replies.mail import AddressEnd, Mail, MailFacts
from emails.tokens import Ticket
from server.inbox.answer_limits import MOST_ANSWERS_TO_STRANGERS, has_room_for_answer
from server.inbox.correspondent import Correspondent, identify_correspondent
from server.mail_addresses import is_same_mailbox
from server.outbox.letter_details import RefusedDetail, decode_content
from server.store.context import Context
from server.store.models import (
    Act,
    BouncingAddress,
    ChatMessage,
    Game,
    IncomingMail,
    OutgoingLetter,
    Seating,
)
from server.store.states import GameStatus

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
