"""What the operator changes in a game: each is an act by the channel `operator`, told to all who play in it.

Nobody's hand is shown to the operator by any of it. Who plays on for a seat is somebody who plays here
already, and has accepted or played something; so a name typed wrong brings no hand to a stranger.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, select

from emails.letters.proposal_letter import is_address, tidy_address
from server.accounts.address_change import find_letter_seat, forget_old_confirmations
from server.accounts.addresses import ask_address
from server.admin.search import pick_address, players_at
from server.lobby.games import record_act
from server.lobby.open_seats import change_with_retries, number_name, seats_of
from server.lobby.substitutes import free_name, pass_seat_on
from server.mail_addresses import is_reserved_address
from server.outbox.blocks import find_address_block
from server.outbox.budgets import OPERATOR
from server.outbox.posted_announcements import announce_change
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.facts.server_facts import GamePaused, GameResumed, ServerFact, TimeAdded
from server.store.histories import StartedHistory, require_started
from server.store.models import Game, Player, Seating
from server.store.refusals import Refusal, RefusalCode, check_not_suspended
from server.store.states import Announcement, Channel, GameStatus
from server.store.turn_clock import find_deadline

MOST_HOURS_ADDED = 720


class InterventionRefused(Refusal):
    """Something that the operator cannot change in a game; the sentence is for them."""

    code = RefusalCode.REQUEST


OFFER_INSTEAD = "offer the seat and pass its link on instead"
"""Where whoever had the seat has vanished: only then it can be offered."""
PLAY_FIRST = "let them take a seat in another game first, and answer its mail"


def pause_game(context: Context, number: str, now: datetime) -> str:
    """Let no time run in a game; what was done. Commits.

    Raises `InterventionRefused`, `GameSuspended`, and `SeatRefused` where there is no such game.
    """

    def pause(unit: UnitOfWork, game: Game) -> str:
        history = _check_timed(unit, game)
        if history.agreements.is_paused:
            raise InterventionRefused(f"{game.id} is paused already")
        _record_intervention(unit, game, history, GamePaused(), Announcement.PAUSED_BY_OPERATOR)
        return f"{game.id} is paused: no time runs, and its players are told"

    return change_with_retries(context, number, now, pause, OPERATOR)


def resume_game(context: Context, number: str, now: datetime) -> str:
    """Let time run again in a game that was paused, by whomever. Commits. Raises as `pause_game`."""

    def resume(unit: UnitOfWork, game: Game) -> str:
        history = _check_timed(unit, game)
        if not history.agreements.is_paused:
            raise InterventionRefused(f"{game.id} is not paused")
        _record_intervention(unit, game, history, GameResumed(), Announcement.RESUMED_BY_OPERATOR)
        return f"{game.id} goes on, and its players are told"

    return change_with_retries(context, number, now, resume, OPERATOR)


def extend_turn(context: Context, number: str, hours: int, now: datetime) -> str:
    """Give whoever is to move more hours for their turn. Commits. Raises as `pause_game`."""

    def extend(unit: UnitOfWork, game: Game) -> str:
        history = _check_timed(unit, game)
        if game.deadline is None:
            raise InterventionRefused(
                f"no time runs on the turn of {game.id} just now, so none has to be added"
            )
        seat = history.position.table.seat
        _record_intervention(
            unit, game, history, TimeAdded(seat, hours, by=None), Announcement.TIME_BY_OPERATOR
        )
        name = history.position.table.names[seat]
        until = find_deadline(unit.session, game, unit.now)
        return f"{name} has until {until:%Y-%m-%d %H:%M} UTC, and the players of {game.id} are told"

    if not 0 < hours <= MOST_HOURS_ADDED:
        raise InterventionRefused(f"a turn can be given 1 to {MOST_HOURS_ADDED} hours")
    return change_with_retries(context, number, now, extend, OPERATOR)


def replace_player(context: Context, number: str, seat: int, address: str, now: datetime) -> str:
    """Let another who plays here play on for a seat of a running game, from here. Commits.

    Where somebody in it has their name theirs gets a number. Raises as `pause_game`.
    """

    def replace(unit: UnitOfWork, game: Game) -> str:
        check_not_suspended(game)
        if game.status != GameStatus.RUNNING:
            raise InterventionRefused(
                f"{game.id} is {game.status}: somebody can play on only in a running game"
            )
        seats = seats_of(unit.session, game.id)
        chosen = next((one for one in seats if one.seat == seat), None)
        if chosen is None or chosen.house:
            raise InterventionRefused(f"on seat {seat + 1} of {game.id} no person plays")
        instead = OFFER_INSTEAD if unit.history_of(game).is_vacant(seat) else PLAY_FIRST
        player = _find_successor(unit.session, address, seats, instead)
        others = [one for one in seats if one.seat != seat]
        before, called = chosen.name, free_name(number_name(player.name, others), others)
        told = Announcement.REPLACED_BY_OPERATOR
        pass_seat_on(unit, game, chosen, player.id, called, Channel.OPERATOR, told)
        return f"{called} <{player.address}> plays on for {before} in {game.id}, and all are told"

    return change_with_retries(context, number, now, replace, OPERATOR)


def ask_new_address(context: Context, known: str, new: str, now: datetime) -> str:
    """Ask a new address whether it is that of a player, in the place of their old one. Commits.

    The old one need not agree, for the operator vouches for the player; it is told when the new one has said
    yes, and can take the player back. Raises `InterventionRefused` and `AddressRefused`.
    """
    new = tidy_address(new)
    if not is_address(new):
        raise InterventionRefused(f"{new} is no mail address")
    with open_unit(context, now, OPERATOR) as unit:
        session = unit.session
        players = players_at(session, pick_address(known))
        if len(players) != 1:
            raise InterventionRefused(
                f"{len(players) or 'nobody'} of those who play here is known by {known}"
            )
        player, place = players[0], find_letter_seat(session, players[0])
        _check_address(context, session, player, new)
        if place is None:
            raise InterventionRefused(f"{player.address} is in no game, to which the letter could belong")
        forget_old_confirmations(session, player, now)
        ask_address(context, session, (place[0].game, place[0].seat), player, new, now)
        unit.commit()
    context.security.note(SecurityEvent.ADDRESS_ASKED, OPERATOR.text, now, address=new)
    return f"{new} is asked whether it is {player.name}'s; letters go to {player.address} until it says yes"


def _check_address(context: Context, session: Session, player: Player, new: str) -> None:
    """Refuse an address at which this player cannot be; raises `InterventionRefused`."""
    if is_reserved_address(new, context.settings):
        raise InterventionRefused(
            f"nobody can play at {new}: it is an office's address, or no mail gets there"
        )
    other = session.exec(select(Player).where(func.lower(Player.address) == new.lower())).first()
    if other is not None:
        whose = "theirs already" if other.id == player.id else "that of somebody else who plays here"
        raise InterventionRefused(f"{new} is {whose}")
    if find_address_block(session, new) is not None:
        raise InterventionRefused(f"nothing is sent to {new}: it is banned, or its reader wants no letters")


def _check_timed(unit: UnitOfWork, game: Game) -> StartedHistory:
    """A running game with a limit of time; raises `InterventionRefused` and `GameSuspended`."""
    check_not_suspended(game)
    if game.status != GameStatus.RUNNING:
        raise InterventionRefused(f"{game.id} is {game.status}: no time runs in it")
    if not game.turn_minutes:
        raise InterventionRefused(f"in {game.id} a turn takes as long as its player likes")
    return require_started(unit.history_of(game))


def _record_intervention(
    unit: UnitOfWork, game: Game, history: StartedHistory, fact: ServerFact, told: Announcement
) -> None:
    """Write what the operator does, and tell everybody who plays."""
    record_act(unit, game, history, None, Channel.OPERATOR, "", [fact])
    announce_change(unit, game, history, told)


def _find_successor(session: Session, address: str, seats: list[Seating], instead: str) -> Player:
    """Who plays on: has accepted or played something, and is not in this game. Raises `InterventionRefused`.

    `instead`: what can be done with an address that has not.
    """
    address = pick_address(address)
    same = select(Player).where(func.lower(Player.address) == address.lower())
    player = session.exec(same).first()
    if player is None:
        raise InterventionRefused(f"nobody who plays here is known by {address}; {instead}")
    if any(one.player == player.id for one in seats):
        raise InterventionRefused(f"{player.address} sits in this game already")
    if player.confirmed_at is None:
        raise InterventionRefused(
            f"{player.address} has accepted or played nothing here yet, so nobody knows whose it is;"
            f" {instead}"
        )
    if find_address_block(session, player.address) is not None:
        raise InterventionRefused(
            f"nothing is sent to {player.address}: it is banned, or its reader wants no letters"
        )
    return player
