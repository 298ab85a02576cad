"""Games up to their start: creation, acceptance, start."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters import account_letters, lobby_letters
from emails.letters.lobby_letters import GameRequest, find_note_fault, tidy_note
from emails.terms import JoinedBy, TurnTime
from emails.tokens import ACCEPT_WORDS
from emails.wording.phrases import format_list
from engine.bots.strengths import Strength, find_bot_choice
from engine.editions import DEFAULT_EDITION, EDITIONS
from engine.rules import deal
from server.mail_addresses import is_same_mailbox
from server.outbox.budgets import OPERATOR, Origin, check_origin
from server.outbox.notifications import Notification, Preferences, confirm_player, store_preferences
from server.outbox.queue import UnitOfWork, load_people, open_unit
from server.store.context import Context
from server.store.event_log import MOST_SEATS, History, StartedHistory, check_not_suspended, require_started
from server.store.game_terms import (
    GameNotOpened,
    SeatRequest,
    check_addresses,
    check_game_name,
    checked_seats,
)
from server.store.models import Game, OutgoingLetter, Player, Seating, UnsolicitedLetter
from server.store.schedule import look_at_seats_of_game
from server.store.server_facts import GameOpened, GameTerms, SeatAccepted, ServerFact
from server.store.states import Channel, GameStatus, LetterState
from server.store.turn_clock import store_terms
from server.turns.play import letters_of_start, record_act

DEFAULT_BOARD = "Alexandros"
ID_ALPHABET, ID_LENGTH = "abcdefghijklmnopqrstuvwxyz234567", 8  # easy to read aloud
EARLIEST_TERMS, EARLIEST_TIME = GameTerms(), TurnTime.of_hours(48)
"""Terms and turn time of games whose log states none, as in logs of early versions."""


@dataclass(frozen=True, slots=True)
class NewGame:
    name: str
    seats: tuple[SeatRequest, ...]
    edition: str = DEFAULT_EDITION.name
    time: TurnTime = EARLIEST_TIME
    board: str = DEFAULT_BOARD
    terms: GameTerms = EARLIEST_TERMS
    note: str = ""

    def with_seats_drawn(self, rng: Random) -> NewGame:
        seats = list(self.seats)
        rng.shuffle(seats)
        return replace(self, seats=tuple(seats))

    def count_invited(self, organiser: str | None) -> int:
        return sum(one.address not in (None, organiser) for one in self.seats)


def check_new_game(game: NewGame) -> NewGame:
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
            gettext("an open seat needs to say who may take it: anyone with the link, or anybody")
        )
    seats, note = tuple(checked_seats(game.seats)), tidy_note(game.note)
    if fault := find_note_fault(note):
        raise GameNotOpened(fault)
    return replace(game, name=name, seats=seats, note=note)


def new_game_from(request: GameRequest, organiser: str) -> NewGame:
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


def add_game(session: Session, game: NewGame, now: datetime, status: GameStatus = GameStatus.OPEN) -> Game:
    row = Game(
        id="".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH)),
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


def open_game(
    context: Context,
    wanted: NewGame,
    now: datetime,
    *,
    at_once: bool = False,
    channel: Channel = Channel.OPERATOR,
    organiser: str | None = None,
    origin: Origin = OPERATOR,
) -> str:
    """Open a game and invite its players; return its id. Commits.

    Shuffles the seats (rule 2.3). The game starts when all have accepted, or now if `at_once`. `organiser` is
    the address of a player who opens the game and needs no invitation. The invitations count toward the daily
    limit of letters of `origin`. Raises `GameNotOpened`, and `BudgetSpent` above this limit.
    """
    check_addresses(wanted.seats, context.settings)
    wanted = check_new_game(wanted)
    if at_once and any(request.open for request in wanted.seats):
        raise GameNotOpened(gettext("a game with open seats cannot start at once"))
    wanted = wanted.with_seats_drawn(context.rng)
    addresses = [one.address for one in wanted.seats]
    opener = None if organiser is None or organiser not in addresses else addresses.index(organiser)
    own = () if opener is None else (opener,)
    with open_unit(context, now, origin) as unit:
        check_origin(unit.session, origin, now, 0 if at_once else wanted.count_invited(organiser))
        game = add_game(unit.session, wanted, now)
        ready = range(len(wanted.seats)) if at_once else own
        seat_and_invite(unit, game, wanted, ready, opener, channel, "")
        unit.commit()
    return game.id


def seat_and_invite(
    unit: UnitOfWork,
    game: Game,
    wanted: NewGame,
    ready: Collection[int],
    opener: int | None,
    channel: Channel,
    text: str,
) -> History:
    """Seat players in the given order, invite those not `ready`, and start the game if all have accepted.

    `opener`: seat of the player who opened the game, None if not playing; `text`: the opener's words.
    """
    for seat, request in enumerate(wanted.seats):
        accepted = unit.now if seat in ready or request.is_bot else None
        seat_player(unit, game, seat, request.name, request, accepted)
    names = tuple(request.name for request in wanted.seats)
    opened = GameOpened(game.name, game.board, game.edition, wanted.time, names, wanted.terms)
    facts: list[ServerFact] = [opened] if opener is None else [opened, SeatAccepted(opener)]
    unit.session.add(store_terms(game.id, opener, wanted.terms))
    game.watched_at = unit.now if wanted.terms.watched else None
    history = record_act(unit, game, History(), opener, channel, text, facts)
    asked = [seat for seat, one in enumerate(wanted.seats) if seat not in ready and one.address is not None]
    unit.tell(game, [Notification(seat, lobby_letters.Invitation(wanted.note)) for seat in asked])
    return start_when_full(unit, game, history)


def seat_player(
    unit: UnitOfWork,
    game: Game,
    seat: int,
    called: str,
    request: SeatRequest | None,
    accepted_at: datetime | None,
) -> Seating:
    """Seat a person or a bot, or add an open seat if `request` is None.

    The requested language applies to the letters of new players only.
    """
    seating = Seating(game=game.id, seat=seat, name=called, accepted_at=accepted_at)
    seating.house = request is not None and request.is_bot
    if request is not None and request.address is not None:
        named = request.name, request.address, request.language
        seating.player = find_or_create_player(unit.session, *named, unit.now).id
    unit.session.add(seating)
    unit.session.flush()
    return seating


def find_or_create_player(
    session: Session, name: str, address: str, language: str | None, now: datetime
) -> Player:
    same = func.lower(Player.address) == address.lower()
    player = session.exec(select(Player).where(same)).first()
    if player is None:
        player = Player(address=address, name=name)
        session.add(player)
        session.flush()
        if language is not None:
            store_preferences(session, player.id, None, Preferences(language=language), now)
    return player


def start_when_full(unit: UnitOfWork, game: Game, history: History) -> History:
    context, session = unit.context, unit.session
    waiting = select(Seating).where(Seating.game == game.id, col(Seating.accepted_at).is_(None))
    if session.exec(waiting).first() is not None:
        return history
    names = session.exec(select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat)))
    board = context.board_of(game)
    dealt = deal(board, game.edition, tuple(names), context.pick_card)
    history = record_act(unit, game, history, None, Channel.SERVER, "", [dealt])
    look_at_seats_of_game(session, game.id)
    unit.tell(game, letters_of_start(require_started(history).position.table))
    close_waiting_list(unit, game)
    return history


def list_waiting(unit: UnitOfWork, game: Game) -> list[OutgoingLetter]:
    waiting = select(OutgoingLetter).where(
        OutgoingLetter.game == game.id,
        OutgoingLetter.kind == account_letters.SeatRefused.kind,
        OutgoingLetter.state == LetterState.WAITING,
        OutgoingLetter.tries == 0,
        OutgoingLetter.due_at > unit.now,
    )
    return list(unit.session.exec(waiting.order_by(col(OutgoingLetter.id))))


def drop_waiting(session: Session, letter: OutgoingLetter) -> None:
    session.execute(delete(UnsolicitedLetter).where(col(UnsolicitedLetter.message_id) == letter.message_id))
    session.delete(letter)
    session.flush()


def close_waiting_list(unit: UnitOfWork, game: Game) -> None:
    """Inform the waiting list that no seat is left, except the addresses that have a seat now."""
    seated = [one.address for one in load_people(unit.session, game.id).values()]
    for letter in list_waiting(unit, game):
        if any(is_same_mailbox(letter.recipient, one) for one in seated):
            drop_waiting(unit.session, letter)
        else:
            letter.due_at = unit.now


def accept_seat(unit: UnitOfWork, game_id: str, seat: int, channel: Channel, after: int) -> bool:
    """Accept an invitation; return whether the game has started.

    `after`: the game's last act when the link was issued. Raises `GameNotOpened` if there is no invitation or
    the seat's player changed later; `GameSuspended`; and `StalePosition` on a concurrent change.
    """
    session = unit.session
    game, seating = session.get(Game, game_id), session.get(Seating, (game_id, seat))
    if game is None or seating is None or seating.player is None or game.status == GameStatus.CANCELLED:
        raise GameNotOpened(gettext("there is no such invitation"))
    history = unit.history_of(game)
    if after < history.player_since(seat):
        raise GameNotOpened(gettext("somebody else has that seat by now"))
    if game.status == GameStatus.OPEN:
        check_not_suspended(game)
    if game.status != GameStatus.OPEN or seating.accepted_at is not None:
        return game.status != GameStatus.OPEN
    seating.accepted_at = unit.now
    session.flush()
    confirm_player(session, seating.player, unit.now)
    history = record_act(unit, game, history, seat, channel, ACCEPT_WORDS, [SeatAccepted(seat)])
    return isinstance(start_when_full(unit, game, history), StartedHistory)
