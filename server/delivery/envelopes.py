"""What stands around a letter: where its answers go, where it comes back, and what it follows."""

from __future__ import annotations

from dataclasses import replace
from email.utils import parseaddr

from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind, SeatLoss
from emails.letters.mime import MOST_REFERENCES, Envelope, make_thread_id
from emails.tokens import Ticket
from server.delivery.letter_contexts import LetterRequest
from server.outbox.letter_details import (
    ConfirmDetail,
    LetterContent,
    MoveAskedDetail,
    MovedDetail,
    ReplacedDetail,
    SeatClaimDetail,
)
from server.outbox.letter_traits import ANSWER_KINDS, GAMELESS_KINDS
from server.store.models import OutgoingLetter
from server.store.states import LetterState


def build_envelope(asked: LetterRequest, content: LetterContent, after: int) -> Envelope:
    """What stands around a letter about the position after act `after`.

    One that only refuses has no sender, so that it is never returned. A letter about no game holds
    nothing that leads to one.
    """
    settings, links, game, row = asked.context.settings, asked.links, asked.game, asked.row
    about = Envelope(
        sender=settings.mail_from,
        bounce="" if row.kind == LetterKind.REFUSED else links.bounce_address(row.id or 0),
        recipient=row.recipient,
        reply_to=links.reply_address(Ticket(game.id, row.seat, after), row.id or 0),
        message_id=row.message_id,
        root=make_thread_id(game.id, settings.mail_domain),
        answers=row.answers,
        list_id=f"{game.id}.{settings.mail_domain}",
        unsubscribe=links.unsubscribe_links(game.id, asked.history.holder_code(row.seat)),
        replied=row.answers is not None or row.kind in ANSWER_KINDS,
        date=asked.now,
        earlier=_earlier_message_ids(asked.session, row),
    )
    if row.kind == LetterKind.PROPOSAL:  # an answer to somebody who may not have asked must not come back
        return replace(about, bounce="", reply_to=links.proposal_links(game.id)[1])
    if row.kind not in GAMELESS_KINDS:
        return about
    answers = parseaddr(settings.mail_from)[1]
    if isinstance(content, ConfirmDetail | MoveAskedDetail | MovedDetail) and content.mark:
        answers = links.confirm_links(content.mark, content.digest)[1]
    if isinstance(content, SeatClaimDetail):
        answers = links.claim_address(game.id, content.taker)
    if isinstance(content, ReplacedDetail) and content.loss is not SeatLoss.LATE:
        earlier = replace(links, epoch=links.epoch - 1)  # when the seat was not yet its new player's
        answers = earlier.reply_address(Ticket(game.id, row.seat, after), row.id or 0)
    return replace(about, reply_to=answers, root="", list_id="", unsubscribe=(), earlier=())


def _earlier_message_ids(session: Session, row: OutgoingLetter) -> tuple[str, ...]:
    """The ids of the letters about a game that its reader has got, as many as References names."""
    sent = select(OutgoingLetter.message_id).where(
        OutgoingLetter.game == row.game,
        OutgoingLetter.seat == row.seat,
        OutgoingLetter.state == LetterState.SENT,
    )
    last = (
        sent.where(col(OutgoingLetter.kind).not_in(GAMELESS_KINDS))
        .order_by(col(OutgoingLetter.id).desc())
        .limit(MOST_REFERENCES)
    )
    return tuple(reversed(session.exec(last).all()))
