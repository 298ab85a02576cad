"""Leaving and rejoining a running game, and substitutes for vacant seats."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from emails.i18n import gettext, gettext_noop
from emails.letters import account_letters, game_letters
from emails.letters.account_letters import SEAT_TAKEN
from emails.letters.declaration import SeatLoss
from server.lobby.open_seats import (
    MOST_SEAT_CHANGES,
    SeatRefused,
    change_with_retries,
    free_name,
    number_name,
    seats_of,
)
from server.lobby.votes import settle_votes
from server.outbox import chat
from server.outbox.notifications import Notification, load_preferences
from server.outbox.queue import UnitOfWork, detach_letters, load_people
from server.store.context import Context
from server.store.event_log import History, Refusal, RefusalCode, StalePosition, check_not_suspended
from server.store.game_terms import is_return_open
from server.store.models import Draft, Game, OfferedSeat, Player, Resignation, Seating
from server.store.schedule import look_at_seats_of_game
from server.store.server_facts import (
    BankLeft,
    ClockResumed,
    SeatJoined,
    SeatOffered,
    SeatResigned,
    SeatReturned,
    SeatVacated,
    ServerFact,
)
from server.store.states import BEGUN, Announcement, Channel, GameStatus
from server.store.turn_clock import (
    SECONDS_IN_MINUTE,
    counted_until,
    protection_of,
    remind_again,
    unavailable_times_of,
    whole_time,
)
from server.turn_time import LEAST_SHARE_LEFT, UnavailableTimes, add_counted, deadline_after_change
from server.turns.play import letters_of_offer, record_act, withdraw_plan


def offered_seats(session: Session, game: str) -> list[Seating]:
    found = select(Seating).join(
        OfferedSeat, (col(OfferedSeat.game) == Seating.game) & (col(OfferedSeat.seat) == Seating.seat)
    )
    return list(session.exec(found.where(Seating.game == game).order_by(col(Seating.seat))))


def offer_seat(context: Context, game: str, seat: int, channel: Channel, now: datetime) -> bool:
    """Offer a vacant seat to substitutes, even against the game's terms. Commits.

    Returns False if offered already. Raises `SeatRefused` if the seat is not vacant or the game not running.
    """

    def offer(unit: UnitOfWork, row: Game) -> bool:
        check_not_suspended(row)
        history = unit.history_of(row)
        if row.status != GameStatus.RUNNING or not history.is_vacant(seat):
            raise SeatRefused(gettext("A seat is offered in a running game, where its player has vanished."))
        if seat in history.offers:
            return False
        history = record_act(unit, row, history, None, channel, "", [SeatOffered(seat)])
        unit.tell(row, letters_of_offer(unit.session, row.id, history, seat))
        return True

    return change_with_retries(context, game, now, offer)


def take_offered_seat(context: Context, game: str, player: int, name: str, now: datetime) -> int:
    """Give a player an offered seat; return the seat. Idempotent. Commits.

    Raises the errors of `take_over`.
    """
    return change_with_retries(
        context, game, now, lambda unit, row: take_over(unit, row, player, name, Channel.WEB)
    )


def take_over(
    unit: UnitOfWork, row: Game, player: int, name: str, channel: Channel, *, numbered: bool = False
) -> int:
    """Give a player an offered seat; return the seat.

    With `numbered`, a taken name gets a number instead of a refusal. Raises `SeatRefused` if no seat is
    offered or the name is taken; `GameSuspended`; and `StalePosition` on a concurrent change.
    """
    check_not_suspended(row)
    seats = seats_of(unit.session, row.id)
    own = next((one.seat for one in seats if one.player == player), None)
    if own is not None:
        return own
    offered = offered_seats(unit.session, row.id) if row.status == GameStatus.RUNNING else []
    tenures = unit.history_of(row).seat_tenures
    offered = [
        one for one in offered if one.seat not in tenures or tenures[one.seat].times + 2 <= MOST_SEAT_CHANGES
    ]
    if not offered:
        raise SeatRefused(gettext(SEAT_TAKEN))
    chosen = offered[0]
    others = [one for one in seats if one.seat != chosen.seat]
    called = free_name(number_name(name, others) if numbered else name, others)
    pass_seat_on(unit, row, chosen, player, called, channel)
    return chosen.seat


def pass_seat_on(
    unit: UnitOfWork,
    game: Game,
    seating: Seating,
    player: int,
    name: str,
    channel: Channel = Channel.WEB,
    told: Announcement = Announcement.SEAT_TAKEN_OVER,
) -> None:
    """Give a seat of a running game to another player, and send all players the announcement `told`.

    `channel`: how the seat was requested; `OPERATOR` if the operator gave it. Raises `StalePosition`.
    """
    session, history, seat = unit.session, unit.history_of(game), seating.seat
    before, generation = seating.name, seating.generation
    had = unavailable_times_of(session, game.id, seat)
    _tell_replaced(unit, game, seating, channel)
    detach_letters(session, seating)
    chat.pass_seat_on(session, seating)
    withdraw_plan(session, game.id, seat)
    for table in (Draft, Resignation):
        session.execute(delete(table).where(col(table.game) == game.id, col(table.seat) == seat))
    session.flush()
    claimed = update(Seating).where(
        col(Seating.game) == game.id, col(Seating.seat) == seat, col(Seating.generation) == generation
    )
    values = {"player": player, "name": name, "generation": generation + 1, "accepted_at": unit.now}
    if session.connection().execute(claimed.values(**values)).rowcount != 1:
        session.rollback()
        raise StalePosition
    session.refresh(seating)
    _give_time_to_begin(unit, game, seating, had)
    facts: list[ServerFact] = [SeatVacated(seat), SeatJoined(seat, name, epoch=generation + 1)]
    if history.is_clock_paused(seat):
        facts.append(ClockResumed(seat))
    whole_bank = game.bank_minutes * SECONDS_IN_MINUTE
    if history.banks.get(seat, whole_bank) < whole_bank:
        facts.append(BankLeft(seat, whole_bank))  # the new player starts with a full reserve
    actor = None if channel is Channel.OPERATOR else seat
    record_act(unit, game, history, actor, channel, "join", facts)
    look_at_seats_of_game(session, game.id)
    chat.announce(unit, game, seat, told, name=before)
    mark = f"taken{generation + 1}"
    if game.seat == seat:
        unit.tell(game, [Notification(seat, game_letters.YourTurn(), mark=mark)])  # merged into the next
    unit.tell(game, [Notification(seat, game_letters.Substitute(), mark=mark)])


def _give_time_to_begin(unit: UnitOfWork, game: Game, seating: Seating, had: UnavailableTimes) -> None:
    if game.seat != seating.seat or game.deadline is None:
        return
    has = unavailable_times_of(unit.session, game.id, seating.seat)
    until = counted_until(unit.session, game, unit.now)
    least = add_counted(until, whole_time(game) * LEAST_SHARE_LEFT, protection_of(game, has, until))
    as_before = deadline_after_change(game.deadline, until, game.turn_began_at or until, had, has)
    game.deadline = max(as_before, least)
    remind_again(game, unit.now, has)


def _tell_replaced(unit: UnitOfWork, game: Game, seating: Seating, channel: Channel) -> None:
    seat, history = seating.seat, unit.history_of(game)
    has_resigned = seat in history.resigned
    if seating.player is None or (has_resigned and not is_return_open(game, history, seat)):
        return
    known = unit.session.get_one(Player, seating.player)
    language = load_preferences(unit.session, seating.player, game.id).language
    loss = SeatLoss.RESIGNED if has_resigned else SeatLoss.ABSENT
    if channel is Channel.OPERATOR and not history.is_vacant(seat):
        loss = SeatLoss.GIVEN
    letter = account_letters.Replaced(seating.name, game.name, language, loss)
    unit.queue(game, [Notification(seat, letter, mark=f"-{seating.generation}", recipient=known.address)])


RESIGN_ALONE = gettext_noop(
    "To resign is a big step, so write it in a mail of its own, without orders or messages."
)
YOU_ARE_BACK = gettext_noop("You are back: your turns are yours again, and the others are told.")
SEAT_IS_YOURS = gettext_noop("Your turns are yours again, and wait for you. The others are told.")


class ResignationRefused(Refusal):
    """A refused resignation, or a refused return after one."""

    code = RefusalCode.RESIGNATION


def resign(unit: UnitOfWork, game: str, seat: int, channel: Channel) -> bool:
    """Resign from a game; return False if already resigned.

    Raises `ResignationRefused` if the seat has no player or the game is not in progress, and `StalePosition`
    on a concurrent change.
    """
    row = unit.session.get(Game, game)
    if row is None or seat not in load_people(unit.session, game):
        raise ResignationRefused(gettext("Nobody plays on that seat."))
    if row.status not in BEGUN:
        raise ResignationRefused(
            gettext(
                "The game has not begun, so there is nothing to give up: just leave the invitation alone."
            )
        )
    history = unit.history_of(row)
    if seat in history.resigned:
        return False
    if row.status == GameStatus.OVER:
        raise ResignationRefused(gettext("The game is over, so there is nothing to give up."))
    write_resignation(unit, row, history, seat, channel)
    return True


def write_resignation(unit: UnitOfWork, game: Game, history: History, seat: int, channel: Channel) -> None:
    facts: list[ServerFact] = [SeatResigned(seat)]
    facts += [] if seat in history.offers else [SeatOffered(seat)]
    history = record_act(unit, game, history, seat, channel, "resign", facts)
    unit.session.add(Resignation(game=game.id, seat=seat, at=unit.now))
    withdraw_plan(unit.session, game.id, seat)
    look_at_seats_of_game(unit.session, game.id)
    chat.announce(unit, game, seat, Announcement.RESIGNED)
    settle_votes(unit, game)
    if game.status == GameStatus.RUNNING:
        unit.tell(game, letters_of_offer(unit.session, game.id, history, seat))


def take_back_resignation(unit: UnitOfWork, game: str, seat: int, player: int, channel: Channel) -> bool:
    """Take a resignation back; return whether the player had resigned.

    Raises `ResignationRefused` if another player has the seat, it is not offered, or the game is over;
    `GameSuspended`; and `StalePosition` on a concurrent change.
    """
    row = unit.session.get(Game, game, populate_existing=True)
    seating = unit.session.get(Seating, (game, seat), populate_existing=True)
    if row is None or seating is None or seating.player != player:
        raise ResignationRefused(gettext("Somebody else has taken that seat already."))
    history = unit.history_of(row)
    if seat not in history.resigned:
        return False
    if row.status != GameStatus.RUNNING:
        raise ResignationRefused(gettext("The game is over."))
    check_not_suspended(row)
    if not is_return_open(row, history, seat):
        raise ResignationRefused(
            gettext("The others are not looking for anybody to play your seat, so it stays given up.")
        )
    given_up = col(Resignation.game) == game, col(Resignation.seat) == seat
    unit.session.execute(delete(Resignation).where(*given_up))
    write_return(unit, row, history, seat, channel, Announcement.SEAT_RETURNED)
    look_at_seats_of_game(unit.session, game)
    return True


def come_back(
    unit: UnitOfWork,
    game_id: str,
    seat: int,
    channel: Channel,
    told: Announcement = Announcement.SEAT_RETURNED,
) -> bool:
    """Give a seat back to its player, and announce this; return False if no caretaker plays the seat.

    Raises `GameSuspended`, and `StalePosition` on a concurrent change.
    """
    game = unit.session.get(Game, game_id, populate_existing=True)
    if game is None or game.status != GameStatus.RUNNING:
        return False
    history = unit.history_of(game)
    if not history.is_caretaken(seat):
        return False
    check_not_suspended(game)
    write_return(unit, game, history, seat, channel, told)
    return True


def write_return(
    unit: UnitOfWork, game: Game, history: History, seat: int, channel: Channel, told: Announcement
) -> None:
    record_act(unit, game, history, seat, channel, "back", [SeatReturned(seat)])
    chat.announce(unit, game, seat, told)
    if game.seat == seat:
        mark = f"back{unit.now.timestamp():.0f}"
        unit.tell(game, [Notification(seat, game_letters.YourTurn(), mark=mark)])
