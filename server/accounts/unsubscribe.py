"""Unsubscribe and resubscribe: one game, all games, or all unsolicited mail to an address."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import func, or_, tuple_, update
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters import game_letters, lobby_letters
from server.lobby.open_seats import decline_invitation, give_seat_back
from server.lobby.proposals import delete_player, delete_proposal, must_keep_player
from server.outbox import chat
from server.outbox.budgets import delete_block, is_reader_blocked, note_block, reader_block, store_block
from server.outbox.notifications import (
    KINDS_SENT_DESPITE_UNSUBSCRIBE,
    DropReason,
    Notification,
    load_preferences,
    outcome_of,
    set_letters_wanted,
)
from server.outbox.queue import UnitOfWork
from server.store.context import Context
from server.store.encrypted import WithdrawalKind, note_withdrawal
from server.store.event_log import Refusal, RefusalCode
from server.store.models import Game, OutgoingLetter, Player, Seating, UnsolicitedLetter
from server.store.states import Announcement, Channel, GameStatus, LetterState

MOST_STOPS = 6
"""Unsubscriptions within a day after which resubscribing is refused; unsubscribing is always possible."""


class UnsubscribeRefused(Refusal):
    code = RefusalCode.UNSUBSCRIBE


def seat_of_token(context: Context, game: str, holder: int) -> int:
    with context.reading() as session:
        row = session.get(Game, game)
        seat = None if row is None else context.history_of(session, row).seat_of_holder(holder)
    if seat is None:
        raise UnsubscribeRefused(gettext("No mails go to that seat."))
    return seat


def stop_letters(unit: UnitOfWork, game: str, seat: int, everywhere: bool) -> bool:
    """Unsubscribe a seat's player from the game, or from all games; return whether this changes anything.

    Drops waiting letters, notifies the other players, and sends one last letter that explains how to
    resubscribe. `everywhere` also stops invitations. Raises `UnsubscribeRefused`.
    """
    player, seats = _load_player(unit.session, game, seat, everywhere)
    heard = [one for one in seats if load_preferences(unit.session, player, one.game).letters]
    if not heard and not (everywhere and load_preferences(unit.session, player).letters):
        return False
    _want_letters(unit, player, None if everywhere else game, False)
    _drop_waiting_letters(unit.session, seats)
    for one in heard:
        _announce(unit, one, Announcement.LETTERS_STOPPED)
    last = Notification(seat, game_letters.Stopped(everywhere), mark=_stamp(unit, player))
    unit.queue(unit.session.get_one(Game, game), [last])
    return True


def unsubscribe_by_header(unit: UnitOfWork, game: str, seat: int) -> None:
    """Carry out an unsubscription by the List-Unsubscribe button of a mail program.

    Declines a pending invitation, else stops the letters of the game. Raises `UnsubscribeRefused`, and
    `StalePosition` on a concurrent change.
    """
    if not decline_invitation(unit, game, seat, Channel.LINK):
        stop_letters(unit, game, seat, False)


def resume_letters(unit: UnitOfWork, game: str, seat: int, everywhere: bool) -> bool:
    """Resubscribe a seat's player to the game, or to all games; return whether this changes anything.

    Notifies the other players; sends the letter of a current turn and withheld invitations. Raises
    `UnsubscribeRefused` if the seat has no player, or after too many unsubscriptions today.
    """
    player, seats = _load_player(unit.session, game, seat, everywhere)
    unheard = [one for one in seats if not load_preferences(unit.session, player, one.game).letters]
    if not unheard and not (everywhere and not load_preferences(unit.session, player).letters):
        return False
    if _count_recent_stops(unit, player) >= MOST_STOPS:
        raise UnsubscribeRefused(
            gettext("You have stopped your mails often today: please try again tomorrow.")
        )
    _want_letters(unit, player, None if everywhere else game, True)
    for one in unheard:
        _announce(unit, one, Announcement.LETTERS_RESUMED)
        _resend_missed_letters(unit, one, _stamp(unit, player))
    return True


def _load_player(session: Session, game: str, seat: int, everywhere: bool) -> tuple[int, Sequence[Seating]]:
    """Return the player of a seat, and this seat or all seats of the player."""
    seating = session.get(Seating, (game, seat))
    if seating is None or seating.player is None:
        raise UnsubscribeRefused(gettext("No mails go to that seat."))
    chosen = select(Seating).where(Seating.player == seating.player)
    return seating.player, session.exec(chosen if everywhere else chosen.where(Seating.game == game)).all()


def _want_letters(unit: UnitOfWork, player: int, game: str | None, letters: bool) -> None:
    set_letters_wanted(unit.session, player, game, letters, unit.now)
    what = WithdrawalKind.LETTERS, unit.session.get_one(Player, player).mailbox, game or ""
    note_withdrawal(unit.context, unit.session, *what, now=unit.now, holds=not letters)


def _drop_waiting_letters(session: Session, seats: Sequence[Seating]) -> None:
    """Drop the waiting letters of these seats, except those that the player requested.

    Also drops an earlier letter about unsubscribing, since a new one follows.
    """
    own = tuple_(col(OutgoingLetter.game), col(OutgoingLetter.seat)).in_(
        [(one.game, one.seat) for one in seats]
    )
    waiting = update(OutgoingLetter).where(own, col(OutgoingLetter.state) == LetterState.WAITING)
    unasked = or_(
        col(OutgoingLetter.kind).not_in(KINDS_SENT_DESPITE_UNSUBSCRIBE),
        col(OutgoingLetter.kind) == game_letters.Stopped.kind,
    )
    session.execute(waiting.where(unasked).values(outcome_of(DropReason.NO_LETTERS)))


def _announce(unit: UnitOfWork, seating: Seating, what: Announcement) -> None:
    game = unit.session.get_one(Game, seating.game)
    if game.status not in (GameStatus.OVER, GameStatus.CANCELLED, GameStatus.PROPOSED):
        chat.announce(unit, game, seating.seat, what)


def _resend_missed_letters(unit: UnitOfWork, seating: Seating, mark: str) -> None:
    game = unit.session.get_one(Game, seating.game)
    if game.status == GameStatus.RUNNING and game.seat == seating.seat:
        unit.queue(game, [Notification(seating.seat, game_letters.YourTurn(), mark=mark)])
    invitations = update(OutgoingLetter).where(
        col(OutgoingLetter.game) == game.id,
        col(OutgoingLetter.seat) == seating.seat,
        col(OutgoingLetter.kind) == lobby_letters.Invitation.kind,
        col(OutgoingLetter.state) == LetterState.WITHHELD,
    )
    unit.session.execute(invitations.values(**outcome_of(None), due_at=unit.now))


def _count_recent_stops(unit: UnitOfWork, player: int) -> int:
    own = (col(Seating.game) == OutgoingLetter.game) & (col(Seating.seat) == OutgoingLetter.seat)
    stopped = select(func.count()).select_from(OutgoingLetter).join(Seating, own)
    stopped = stopped.where(Seating.player == player, OutgoingLetter.kind == game_letters.Stopped.kind)
    return unit.session.exec(stopped.where(OutgoingLetter.queued_at > unit.now - timedelta(days=1))).one()


def _stamp(unit: UnitOfWork, player: int) -> str:
    return f"{unit.now.timestamp():.0f}.{_count_recent_stops(unit, player)}"


def is_ended(session: Session, digest: str) -> bool:
    return is_reader_blocked(session, digest)


def end_unwanted_letters(unit: UnitOfWork, digest: str) -> bool:
    """Stop all unsolicited mail to the address with this digest; return whether this changes anything.

    Declines open invitations, drops unsolicited letters that wait to be sent, and deletes unconfirmed
    proposals of games from this address. Raises `StalePosition` on a concurrent change.
    """
    session = unit.session
    undecided = select(Game, Seating).where(
        col(Seating.game) == Game.id,
        col(Seating.player) == Player.id,
        Player.mailbox == digest,
        Game.status == GameStatus.OPEN,
        col(Seating.accepted_at).is_(None),
    )
    invited = session.exec(undecided).all()
    note_block(unit.context, session, block := reader_block(digest, unit.now))
    new = store_block(session, block)
    for game, seating in invited:
        give_seat_back(unit, game, seating, Channel.LINK, seating.name)
    unsent = select(UnsolicitedLetter.message_id).where(
        UnsolicitedLetter.address == digest, col(UnsolicitedLetter.sent_at).is_(None)
    )
    waiting = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.message_id).in_(unsent)
    )
    session.execute(waiting.values(outcome_of(DropReason.BLOCKED)))
    _delete_strangers(session, digest)
    return new


def allow_letters(unit: UnitOfWork, digest: str) -> bool:
    block = reader_block(digest, unit.now)
    note_block(unit.context, unit.session, block, holds=False)
    return delete_block(unit.session, block)


def _delete_strangers(session: Session, digest: str) -> None:
    named = select(Player.id).where(Player.mailbox == digest, col(Player.confirmed_at).is_(None))
    for player in session.exec(named).all():
        proposed = select(Game).join(Seating, col(Seating.game) == Game.id)
        proposed = proposed.where(Seating.player == player, Game.status == GameStatus.PROPOSED)
        for game in list(session.exec(proposed)):
            delete_proposal(session, game)
        if not must_keep_player(session, player, blocked=True):
            delete_player(session, player)
