"""What an organiser does before the game begins: let bots play seats, call it all off, see who has left."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters.kinds import LetterKind
from engine.bots.characters import BotChoice, Character, Strength, cast
from server.lobby.games import close_waiting_list, record_act, start_when_full
from server.lobby.open_seats import (
    SeatRefused,
    change_with_retries,
    check_not_begun,
    is_open,
    seats_of,
    vacate_seat,
)
from server.outbox.notifications import Notification
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.event_log import list_server_facts, load_acts
from server.store.facts.server_facts import GameCancelled, GameOpened, SeatJoined, SeatVacated, ServerFact
from server.store.game_terms import organiser_seat
from server.store.models import Game, OutgoingLetter
from server.store.states import Channel, Hindrance, LetterState


class SeatGroup(StrEnum):
    """Seats that an organiser gives to bots together."""

    OPEN = "open"
    """Those that nobody has."""
    AWAITED = "awaited"
    """Those whose players have not accepted."""


def fill_with_bots(
    context: Context, game: str, which: SeatGroup, now: datetime, choice: BotChoice = Strength.STEADY
) -> None:
    """Let bots play the seats that nobody has, or that wait for an answer. Twice is once. Commits.

    `choice` is who plays; beside somebody by name play others of that strength.

    Raises `SeatRefused`: the game has begun, or bots would play alone.
    """

    def fill(unit: UnitOfWork, row: Game) -> None:
        seats = seats_of(unit.session, game)
        asked = [one for one in seats if one.player is not None and one.accepted_at is None]
        chosen = asked if which == SeatGroup.AWAITED else [one for one in seats if is_open(one)]
        if not chosen:
            return
        check_not_begun(row)
        if all(one.house or one in chosen or is_open(one) for one in seats):
            raise SeatRefused(gettext("Somebody must play: nobody has accepted yet."))
        facts: list[ServerFact] = []
        strength = choice.strength if isinstance(choice, Character) else choice
        known = {*(one.name for one in seats), *names_of_leavers(unit.session, game)}
        sit_down = cast([choice, *[strength] * (len(chosen) - 1)], known)
        for seating, one in zip(chosen, sit_down, strict=True):
            facts += [vacate_seat(unit.session, seating)] if seating.player is not None else []
            seating.name, seating.house, seating.accepted_at = one.name, True, now
            facts.append(SeatJoined(seating.seat, seating.name, is_bot=True))
        unit.session.flush()
        history = record_act(unit, row, unit.history_of(row), None, Channel.WEB, f"house {which}", facts)
        start_when_full(unit, row, history)

    change_with_retries(context, game, now, fill)


def cancel_game(context: Context, game: str, now: datetime) -> None:
    """Call a game off before it begins, and tell its other players who have accepted. Twice is once. Commits.

    Raises `SeatRefused`: it has begun.
    """

    def cancel(unit: UnitOfWork, row: Game) -> None:
        history = unit.history_of(row)
        if history.cancelled:
            return
        check_not_begun(row)
        history = record_act(unit, row, history, None, Channel.WEB, "cancel", [GameCancelled()])
        own = organiser_seat(unit.session, game, history)
        seats = seats_of(unit.session, game)
        others = [one.seat for one in seats if one.player and one.accepted_at and one.seat != own]
        unit.tell(row, [Notification(seat, LetterKind.CALLED_OFF) for seat in others])
        close_waiting_list(unit, row)

    change_with_retries(context, game, now, cancel)


def unreachable_seats(session: Session, game: str) -> set[int]:
    """The seats of those who are invited, have not accepted, and whose invitation did not leave."""
    undecided = {one.seat for one in seats_of(session, game) if one.player and one.accepted_at is None}
    rows = select(OutgoingLetter).where(
        OutgoingLetter.game == game, OutgoingLetter.kind == LetterKind.INVITATION
    )
    last = {row.seat: row for row in session.exec(rows.order_by(col(OutgoingLetter.id)))}
    return {seat for seat, row in last.items() if seat in undecided and _is_unreachable(row)}


def _is_unreachable(row: OutgoingLetter) -> bool:
    return row.state == LetterState.FAILED or row.hindrance == Hindrance.BARRED


def names_of_leavers(session: Session, game: str) -> list[str]:
    """Who has said that they will not play, or no more, and has no seat now; in the order of the acts."""
    names: dict[int, str] = {}
    found: dict[str, None] = {}
    for row, _ in load_acts(session, game):
        for fact in list_server_facts(row):
            match fact:
                case GameOpened():
                    names = dict(enumerate(fact.seats))
                case SeatJoined(seat, name):
                    names[seat] = name
                case SeatVacated(seat) if row.seat is not None:
                    found[names[seat]] = None
    present = {one.name for one in seats_of(session, game)}
    return [name for name in found if name not in present]
