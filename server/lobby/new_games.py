"""A new game as it is asked for, by whatever channel: its name, its seats, its time, its terms."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

from sqlmodel import Session

from emails.i18n import gettext
from emails.letters.guest_notes import find_note_fault, tidy_note
from emails.letters.proposal_letter import GameRequest
from emails.terms import JoinedBy, TurnTime
from emails.wording.phrases import format_list
from engine.bots.characters import Strength, find_bot_choice
from engine.editions import DEFAULT_EDITION, EDITIONS
from server.store.facts.server_facts import GameTerms
from server.store.histories import MOST_SEATS
from server.store.models import Game
from server.store.seats import (
    GameNotOpened,
    SeatRequest,
    check_game_name,
    checked_seats,
)
from server.store.states import GameStatus

DEFAULT_BOARD = "Alexandros"
ID_ALPHABET, ID_LENGTH = "abcdefghijklmnopqrstuvwxyz234567", 8
EARLIEST_TERMS, EARLIEST_TIME = GameTerms(), TurnTime.of_hours(48)
"""Those of a game of which nothing is said: as all games were before there were terms and reserves."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game that is to be opened."""

    name: str
    seats: tuple[SeatRequest, ...]
    """In the order in which they were asked for, or drawn."""
    edition: str = DEFAULT_EDITION.name
    time: TurnTime = EARLIEST_TIME
    board: str = DEFAULT_BOARD
    terms: GameTerms = EARLIEST_TERMS
    note: str = ""
    """A line of the organiser's own to those who are invited."""

    def with_seats_drawn(self, rng: Random) -> NewGame:
        """The same game with its seats in an order that the lot has drawn."""
        seats = list(self.seats)
        rng.shuffle(seats)
        return replace(self, seats=tuple(seats))

    def count_invited(self, organiser: str | None) -> int:
        """How many people have to be asked, where the player with this address is in."""
        return sum(one.address not in (None, organiser) for one in self.seats)

    def find_seat(self, address: str | None) -> int | None:
        """The seat that is asked for a player with this address; None where there is none."""
        found = (seat for seat, one in enumerate(self.seats) if one.address is not None)
        return next((seat for seat in found if self.seats[seat].address == address), None)


def check_new_game(game: NewGame) -> NewGame:
    """The same game with its name tidied and the seats of the house named. Raises `GameNotOpened`."""
    name = check_game_name(game.name)
    if not 2 <= len(game.seats) <= MOST_SEATS:
        raise GameNotOpened(gettext("a game has 2 to 4 seats, not %(number)s", number=len(game.seats)))
    if game.edition not in EDITIONS:
        either = format_list(EDITIONS, "or")
        raise GameNotOpened(
            gettext("the edition is %(either)s, not “%(given)s”", either=either, given=game.edition[:40])
        )
    if game.terms.joined_by == JoinedBy.NOBODY and any(seat.open for seat in game.seats):
        raise GameNotOpened(
            gettext("an open seat needs somebody who may take it: whoever has the link, or anybody")
        )
    seats = tuple(checked_seats(game.seats))
    return replace(game, name=name, seats=seats, note=_check_note(game.note))


def _check_note(note: str) -> str:
    """A line to the guests as it is kept; raises `GameNotOpened` with the sentence where it cannot go."""
    note = tidy_note(note)
    if fault := find_note_fault(note):
        raise GameNotOpened(fault)
    return note


def new_game_from(request: GameRequest, organiser: str) -> NewGame:
    """What somebody asks for by mail or on a page: on the first seat they themselves, at their address."""
    usual = request.language
    return NewGame(
        request.title,
        (
            SeatRequest(request.organiser.name, organiser, usual),
            *(SeatRequest(guest.name, guest.address, guest.language or usual) for guest in request.guests),
            *(SeatRequest("", None, bot=find_bot_choice(one) or Strength.STEADY) for one in request.houses),
            *[SeatRequest("", None, open=True)] * request.open_seats,
        ),
        request.edition,
        request.time,
        terms=GameTerms(
            request.joined_by,
            request.watched,
            caretaker=request.caretaker,
            advice=request.advice,
            absence=request.absence,
        ),
        note=request.note,
    )


def new_game_id() -> str:
    """A game's id: eight letters and digits that can be read aloud."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH))


def add_game(session: Session, game: NewGame, now: datetime, status: GameStatus = GameStatus.OPEN) -> Game:
    """The row of a new game, which nobody sits in yet."""
    row = Game(
        id=new_game_id(),
        name=game.name,
        board=game.board,
        edition=game.edition,
        turn_minutes=game.time.minutes,
        bank_minutes=game.time.bank,
        refill_minutes=game.time.refill,
        opened_at=now,
        status=status,
    )
    session.add(row)
    session.flush()
    return row
