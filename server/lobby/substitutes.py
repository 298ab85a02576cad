"""Substitutes: somebody plays on for a seat whose player has vanished or resigned, from here.

They get its hand and its position and a whole bank of time, and not the chat of before. Until somebody has
taken the seat its player is back as soon as they say so (leaving.py). Of two who take it at once one has
it: the act is written once, and the seat changes hands only where its links are still those of before.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CursorResult, delete, update
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters.account_letters import SEAT_TAKEN
from emails.letters.kinds import LetterKind, SeatLoss
from server.lobby.games import record_act
from server.lobby.open_seats import (
    MOST_SEAT_CHANGES,
    SeatRefused,
    change_with_retries,
    number_name,
    seats_of,
)
from server.outbox import chat, posted_announcements
from server.outbox.letter_details import ReplacedDetail
from server.outbox.notifications import Notification
from server.outbox.preferences import load_preferences
from server.outbox.queue import queue_letters, take_letters
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.due_work import look_at_seats_of_game
from server.store.facts.server_facts import (
    BankLeft,
    ClockResumed,
    SeatJoined,
    SeatOffered,
    SeatVacated,
    ServerFact,
)
from server.store.game_terms import is_return_open
from server.store.models import Game, Player, Resignation, Seating
from server.store.refusals import StalePosition, check_not_suspended
from server.store.seats import check_name, is_name_taken
from server.store.states import Announcement, Channel, GameStatus
from server.store.stored_availability import unavailable_spans_of
from server.store.turn_clock import (
    SECONDS_IN_MINUTE,
    counted_until,
    protection_of,
    remind_again,
    whole_time,
)
from server.store.work_models import Draft, OfferedSeat
from server.time_control.turn_time import (
    LEAST_SHARE_LEFT,
    UnavailableSpans,
    add_counted,
    deadline_after_change,
)
from server.turns.plans import withdraw_plan
from server.turns.play import letters_of_offer


def offered_seats(session: Session, game: str) -> list[Seating]:
    """The seats of a running game for which a substitute is looked for, in their order."""
    found = select(Seating).join(
        OfferedSeat, (col(OfferedSeat.game) == Seating.game) & (col(OfferedSeat.seat) == Seating.seat)
    )
    return list(session.exec(found.where(Seating.game == game).order_by(col(Seating.seat))))


def offer_seat(context: Context, game: str, seat: int, channel: Channel, now: datetime) -> bool:
    """Look for a substitute whatever the game's rule is; whether that is new. Commits.

    Raises `SeatRefused`: somebody plays there, or the game is not on.
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
    """A player who is known plays on for a seat that is offered; which it is. Twice is once. Commits.

    Raises as `take_over` does.
    """
    return change_with_retries(
        context, game, now, lambda unit, row: take_over(unit, row, player, name, Channel.WEB)
    )


def take_over(
    unit: UnitOfWork, row: Game, player: int, name: str, channel: Channel, *, numbered: bool = False
) -> int:
    """The same in a unit of work, said by this way; `numbered`: with another name where it is taken.

    Raises `SeatRefused`: none is offered any more, or the name is taken; `GameSuspended`; and
    `StalePosition` when somebody acts in the same moment.
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


def free_name(name: str, others: list[Seating]) -> str:
    """A name that nobody else in the game has; raises `SeatRefused`."""
    name = check_name(name)
    if is_name_taken(name, (one.name for one in others)):
        raise SeatRefused(
            gettext("Somebody in this game is called %(name)s: please take another name.", name=name)
        )
    return name


def pass_seat_on(
    unit: UnitOfWork,
    game: Game,
    seating: Seating,
    player: int,
    name: str,
    channel: Channel = Channel.WEB,
    told: Announcement = Announcement.SEAT_TAKEN_OVER,
) -> None:
    """Let another have a seat of a running game, and tell everybody.

    `channel`: by which way, which is theirs or the operator's. Raises `StalePosition`.
    """
    session, history, seat = unit.session, unit.history_of(game), seating.seat
    before, epoch, had = seating.name, seating.epoch, unavailable_spans_of(session, game.id, seat)
    _tell_replaced(unit, game, seating, channel)
    take_letters(session, seating)
    chat.pass_seat_on(session, seating)
    withdraw_plan(session, game.id, seat)
    for table in (Draft, Resignation):
        session.execute(delete(table).where(col(table.game) == game.id, col(table.seat) == seat))
    session.flush()
    claimed = update(Seating).where(
        col(Seating.game) == game.id, col(Seating.seat) == seat, col(Seating.epoch) == epoch
    )
    values = {"player": player, "name": name, "epoch": epoch + 1, "accepted_at": unit.now}
    done = session.execute(claimed.values(**values), execution_options={"synchronize_session": False})
    if not isinstance(done, CursorResult) or done.rowcount != 1:
        session.rollback()
        raise StalePosition
    session.refresh(seating)
    _give_time_to_begin(unit, game, seating, had)
    facts: list[ServerFact] = [SeatVacated(seat), SeatJoined(seat, name, epoch=epoch + 1)]
    if history.is_clock_paused(seat):
        facts.append(ClockResumed(seat))
    whole_bank = game.bank_minutes * SECONDS_IN_MINUTE
    if history.banks.get(seat, whole_bank) < whole_bank:
        facts.append(BankLeft(seat, whole_bank))  # what another has used up is not charged to them
    actor = None if channel is Channel.OPERATOR else seat
    record_act(unit, game, history, actor, channel, "join", facts)
    look_at_seats_of_game(session, game.id)
    posted_announcements.announce(unit.context, session, game, seat, told, unit.now, name=before)
    mark = f"taken{epoch + 1}"
    if game.seat == seat:
        unit.tell(game, [Notification(seat, LetterKind.YOUR_TURN, mark=mark)])  # told in the other
    unit.tell(game, [Notification(seat, LetterKind.SUBSTITUTE, mark=mark)])


def _give_time_to_begin(unit: UnitOfWork, game: Game, seating: Seating, had: UnavailableSpans) -> None:
    """Let a turn go on by the availability of another player, who has at least a share of its time.

    `had`: when the one before them was unavailable. Nothing happens where it is not their turn, or no time
    runs.
    """
    if game.seat != seating.seat or game.deadline is None:
        return
    has = unavailable_spans_of(unit.session, game.id, seating.seat)
    until = counted_until(unit.session, game, unit.now)
    least = add_counted(until, whole_time(game) * LEAST_SHARE_LEFT, protection_of(game, has, until))
    as_before = deadline_after_change(game.deadline, until, game.turn_began_at or until, had, has)
    game.deadline = max(as_before, least)
    remind_again(game, unit.now, has)


def _tell_replaced(unit: UnitOfWork, game: Game, seating: Seating, channel: Channel) -> None:
    """Tell whoever had the seat, unless they have given it up and could not come back."""
    seat, history = seating.seat, unit.history_of(game)
    has_resigned = seat in history.resigned
    if seating.player is None or (has_resigned and not is_return_open(game, history, seat)):
        return
    known = unit.session.get_one(Player, seating.player)
    language = load_preferences(unit.session, seating.player, game.id).language
    loss = SeatLoss.RESIGNED if has_resigned else SeatLoss.ABSENT
    if channel is Channel.OPERATOR and not history.is_vacant(seat):
        loss = SeatLoss.GIVEN
    letter = Notification(
        seat,
        ReplacedDetail(seating.name, game.name, language, loss),
        mark=f"-{seating.epoch}",
        recipient=known.address,
    )
    queue_letters(unit.context, unit.session, game, [letter], unit.now)
