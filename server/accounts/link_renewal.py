"""Links made new: the epoch of a seat is raised, and no link or address of before opens anything any more."""

from __future__ import annotations

from sqlalchemy import delete
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from emails.tokens import Ticket
from emails.wording.requests import Request, RequestKind
from server.outbox.budgets import player_origin
from server.outbox.invitations import load_note
from server.outbox.letter_details import InvitationDetail, LetterContent, ShownDetail
from server.outbox.notifications import Notification
from server.outbox.unit_of_work import UnitOfWork
from server.security_log import SecurityEvent
from server.store.models import AddressConfirmation, Game, Seating
from server.store.states import GameStatus

MAILED_IN = frozenset({GameStatus.OPEN, GameStatus.RUNNING})
"""Games of which the new links are mailed at once; those of others are asked for where they are wanted."""


def raise_epochs(session: Session, player: int) -> list[Seating]:
    """Let no link of a player's letters so far open anything any more; the seats that they have."""
    seats = list(session.exec(select(Seating).where(Seating.player == player).order_by(col(Seating.game))))
    for seating in seats:
        seating.epoch += 1
    return seats


def renew_links(unit: UnitOfWork, asked: Seating, answered: bool = False) -> None:
    """Make all links of the player of a seat new, and mail them a letter of each game that goes on.

    `answered`: they get an answer of the game of that seat anyway.
    """
    if asked.player is not None:
        renew_links_of(unit, asked.player, but=asked if answered else None)


def renew_links_of(unit: UnitOfWork, player: int, but: Seating | None = None) -> None:
    """Make all links of a player new, and mail them a letter of each game that goes on, `but` of one.

    A move that waits for its day was asked with a link of before, and ends with it.
    """
    unit.context.security.note(SecurityEvent.LINKS_RENEWED, player_origin(player).text, unit.now)
    waiting = delete(AddressConfirmation).where(col(AddressConfirmation.player) == player)
    unit.session.execute(waiting.where(col(AddressConfirmation.due_at).is_not(None)))
    for seating in raise_epochs(unit.session, player):
        game = unit.session.get_one(Game, seating.game)
        if game.status in MAILED_IN and seating is not but:
            unit.tell(game, [_links_notification(unit.session, game, seating, f"new{seating.epoch}")])


def mail_links(unit: UnitOfWork, withdrawn: Ticket) -> None:
    """Mail the player of a seat the links that work now, at most once within an hour.

    Nobody else gets them: not who had the seat before, nor whoever else shows the withdrawn ticket.
    """
    game = unit.session.get(Game, withdrawn.game)
    seating = unit.session.get(Seating, (withdrawn.game, withdrawn.seat))
    if game is None or seating is None or game.status in (GameStatus.PROPOSED, GameStatus.CANCELLED):
        return
    if withdrawn.after >= unit.history_of(game).player_since(seating.seat):
        hour = int(unit.now.timestamp()) // 3600
        unit.tell(game, [_links_notification(unit.session, game, seating, f"links{seating.epoch}-{hour}")])


def _links_notification(session: Session, game: Game, seating: Seating, mark: str) -> Notification:
    content: LetterContent = ShownDetail((Request(RequestKind.NEW_LINKS),))
    if game.status == GameStatus.OPEN:
        content = LetterKind.ACCEPTED
        if seating.accepted_at is None:
            content = InvitationDetail(load_note(session, game.id, seating.seat))
    return Notification(seating.seat, content, mark=mark)
