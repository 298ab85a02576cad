"""Rematches: a new game with the people, bots and terms of a finished game."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.i18n import gettext, gettext_noop
from emails.letters.lobby_letters import LONGEST_NAME
from emails.picture.palette import clean_name
from emails.terms import USUAL_TIME, JoinedBy
from engine.bots.strengths import PROFILES, Strength
from server.lobby.games import NewGame, accept_seat, add_game, check_new_game, seat_and_invite
from server.lobby.open_seats import SeatRefused, change_with_retries, claim_seat, is_open, seats_of
from server.outbox.budgets import check_origin, player_origin
from server.outbox.queue import UnitOfWork
from server.store.context import Context
from server.store.game_terms import SeatRequest, terms_of
from server.store.models import Game, Player, Seating, StoredTerms
from server.store.refusals import check_not_suspended
from server.store.server_facts import GameTerms
from server.store.states import Channel, GameStatus
from server.store.turn_clock import turn_time_of

MOST_REMATCHES_CANCELLED = 3
"""Number of cancelled rematches after which no further one is opened, since each sends letters to players."""
MOST_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class Rematch:
    game: str
    seat: int


def find_rematch(session: Session, game: str) -> Game | None:
    chosen = (
        select(Game).join(StoredTerms, col(StoredTerms.game) == Game.id).where(StoredTerms.rematch_of == game)
    )
    return session.exec(
        chosen.where(Game.status != GameStatus.CANCELLED).order_by(col(Game.opened_at).desc())
    ).first()


def open_rematch(context: Context, game: str, seat: int, now: datetime) -> Rematch:
    """Open the rematch of a finished game, or seat the player of `seat` in the existing rematch. Commits.

    Idempotent; concurrent requests open one game. The requester has accepted at once; other players are
    invited. Raises `SeatRefused` if the game is not over or no seat is left, and `BudgetSpent`.
    """
    return change_with_retries(context, game, now, lambda unit, old: _open_or_join(unit, old, seat))


def _open_or_join(unit: UnitOfWork, old: Game, seat: int) -> Rematch:
    session = unit.session
    seating = session.get(Seating, (old.id, seat))
    if seating is None or seating.player is None:
        raise SeatRefused(gettext("Nobody plays on that seat."))
    check_not_suspended(old)
    unit.origin = player_origin(seating.player)
    if old.status != GameStatus.OVER:
        raise SeatRefused(gettext("This game is not over yet."))
    known = find_rematch(session, old.id)
    if known is None:
        _check_rate_limit(session, old.id)
        return _create_rematch(unit, old, seat)
    taken = [one.seat for one in seats_of(session, known.id) if one.player == seating.player]
    if not taken:
        return Rematch(known.id, claim_seat(unit, known, seating.player, seating.name))
    after = unit.history_of(known).player_since(taken[0])
    accept_seat(unit, known.id, taken[0], Channel.WEB, after)
    return Rematch(known.id, taken[0])


def _check_rate_limit(session: Session, game: str) -> None:
    before = select(func.count()).select_from(StoredTerms).where(StoredTerms.rematch_of == game)
    if session.exec(before).one() >= MOST_REMATCHES_CANCELLED:
        sentence = gettext("The rematch was called off several times already. You can start a new game.")
        raise SeatRefused(sentence)


def _create_rematch(unit: UnitOfWork, old: Game, seat: int) -> Rematch:
    session = unit.session
    seats, before = seats_of(session, old.id), terms_of(session, old.id)
    people = {one.player: session.get_one(Player, one.player) for one in seats if one.player is not None}
    requests = tuple(
        SeatRequest(
            one.name,
            None if one.player is None else people[one.player].address,
            open=is_open(one),
            bot=PROFILES.get(one.name, Strength.STEADY),
        )
        for one in seats
    )
    terms = GameTerms(  # joined by link, so that a declined seat can be filled
        JoinedBy.LINK,
        before.watched,
        old.id,
        before.caretaker,
        before.advice,
        before.absence,
    )
    name = _rematch_name(session, old)
    time = turn_time_of(old) if old.turn_minutes else USUAL_TIME
    wanted = check_new_game(NewGame(name, requests, old.edition, time, old.board, terms)).with_seats_drawn(
        unit.context.rng
    )
    address = requests[seat].address
    check_origin(session, unit.origin, unit.now, wanted.count_invited(address))
    own = next(number for number, request in enumerate(wanted.seats) if request.address == address)
    made = add_game(session, wanted, unit.now)
    seat_and_invite(unit, made, wanted, (own,), own, Channel.WEB, "rematch")
    return Rematch(made.id, own)


def _rematch_name(session: Session, old: Game) -> str:
    first, times = old, 1
    while times < MOST_COUNTED:
        before = session.get(Game, terms_of(session, first.id).rematch_of)
        if before is None:
            break
        first, times = before, times + 1
    named = gettext_noop("%(name)s, again") if times == 1 else gettext_noop("%(name)s, again %(number)s")
    room = LONGEST_NAME - len(gettext(named, name="", number=times))
    return gettext(named, name=clean_name(first.name, room), number=times)
