"""Seats before a game begins: joining, holding, giving back, filling with bots; cancelling the game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from sqlalchemy import func
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, and_, col, or_, select

from emails.i18n import current_locale, gettext
from emails.letters import account_letters, lobby_letters
from emails.letters.declaration import VacancyReason
from emails.letters.lobby_letters import LONGEST_NAME, find_address_fault
from emails.wording.phrases import safe_name
from engine.bots.strengths import BotChoice, Profile, Strength, assign_profiles
from server.lobby.games import (
    close_waiting_list,
    drop_waiting,
    find_or_create_player,
    list_waiting,
    start_when_full,
)
from server.mail_addresses import digest_address, is_same_mailbox
from server.monitoring import RowFate
from server.outbox.budgets import (
    UNKNOWN,
    Origin,
    check_origin,
    find_address_block,
    may_get_letter,
    record_attempt,
)
from server.outbox.notifications import Notification, decode_payload
from server.outbox.queue import MARK_LENGTH, UnitOfWork, detach_letters, do_with_retries, load_people
from server.store.context import Context
from server.store.event_log import (
    History,
    Refusal,
    RefusalCode,
    check_not_suspended,
    list_server_facts,
    load_acts,
)
from server.store.game_terms import (
    SeatRequest,
    check_addresses,
    check_name,
    is_name_taken,
    organiser_seat,
    terms_of,
)
from server.store.models import Game, OutgoingLetter, Player, Seating
from server.store.schedule import held_seats_due, put_off_held_seats
from server.store.server_facts import (
    GameCancelled,
    GameOpened,
    SeatAccepted,
    SeatJoined,
    SeatVacated,
    ServerFact,
)
from server.store.states import NO_SEAT, Channel, GameStatus, Hindrance, LetterState
from server.turns.play import record_act

SEAT_HELD_FOR = timedelta(hours=24)
MOST_SEAT_CHANGES = 40
MOST_WAITING = 8
LONGEST_WAIT = timedelta(days=7)
HELD_SEATS_PUT_OFF_FOR = timedelta(hours=1)

Result = TypeVar("Result")


class SeatRefused(Refusal):
    code = RefusalCode.SEAT


def seats_of(session: Session, game: str) -> list[Seating]:
    return list(session.exec(select(Seating).where(Seating.game == game).order_by(col(Seating.seat))))


def is_open(seating: Seating) -> bool:
    return seating.player is None and not seating.house


def is_held(seating: Seating, history: History) -> bool:
    """Return whether a seat is held for an unconfirmed visitor. Other people see such a seat as open."""
    taken = history.seat_tenures.get(seating.seat)
    return seating.player is not None and seating.accepted_at is None and taken is not None and taken.joined


def shown_seats(context: Context, session: Session, game: Game) -> tuple[list[Seating], int]:
    seats, history = seats_of(session, game.id), context.history_of(session, game)
    taken = [one for one in seats if not (is_open(one) or is_held(one, history))]
    return taken, len(seats) - len(taken)


def is_joinable(context: Context, session: Session, game: Game) -> bool:
    if game.suspended_at is not None or game.status != GameStatus.OPEN:
        return False
    return bool(terms_of(session, game.id).joined_by) and shown_seats(context, session, game)[1] > 0


# --- joining --------------------------------------------------------------------------------------------


def join_game(context: Context, game: str, player: int, name: str, now: datetime) -> int:
    """Give an open seat to a signed-in player, who need not accept it; return the seat. Commits.

    Raises the errors of `claim_seat`, and `SeatRefused` if the game does not exist.
    """
    return change_with_retries(context, game, now, lambda unit, row: claim_seat(unit, row, player, name))


def claim_seat(unit: UnitOfWork, game: Game, player: int, name: str) -> int:
    """Give an open seat to a signed-in player, who need not accept it; return the seat. Idempotent.

    Raises `SeatRefused` if the game cannot be joined, no seat is left, or the name is taken.
    """
    check_not_suspended(game)
    history = unit.history_of(game)
    own = [one for one in seats_of(unit.session, game.id) if one.player == player]
    if own and (game.status != GameStatus.OPEN or own[0].accepted_at is not None):
        return own[0].seat
    facts: list[ServerFact] = []
    if own:
        seating = own[0]
    else:
        seating = _claim_open_seat(unit, game, history, name)
        seating.player = player
        facts.append(SeatJoined(seating.seat, seating.name))
    seating.accepted_at = unit.now
    unit.session.flush()
    facts.append(SeatAccepted(seating.seat))
    history = record_act(unit, game, history, seating.seat, Channel.WEB, "join", facts)
    start_when_full(unit, game, history)
    return seating.seat


def hold_seat(
    context: Context, game: str, request: SeatRequest, now: datetime, origin: Origin = UNKNOWN
) -> None:
    """Hold an open seat for a visitor, and send a letter by which the visitor confirms. Idempotent. Commits.

    The letter counts toward the daily limit of letters of `origin`. Raises the errors of `ask_for_seat`.
    """
    change_with_retries(context, game, now, lambda unit, row: ask_for_seat(unit, row, request), origin)


def ask_for_seat(unit: UnitOfWork, row: Game, request: SeatRequest) -> None:
    """Hold an open seat for a visitor, or put the visitor's address on the waiting list.

    The caller cannot see whether an address has a seat or is blocked. An address with a seat gets a letter
    about this seat; a blocked address, or an address with too many letters, gets no letter. Raises
    `SeatRefused` as `join_game`, or if the address is unusable; and `BudgetSpent` if the requester (`origin`
    of the unit) has caused too many letters.
    """
    address = request.address or ""
    if fault := find_address_fault(address):
        raise SeatRefused(fault)
    check_addresses([request], unit.context.settings)
    session, history = unit.session, unit.history_of(row)
    name = _check_claim(unit, row, request.name)
    check_origin(session, unit.origin, unit.now)
    known = _players_known_at(session, address)
    own = [one for one in seats_of(session, row.id) if one.player is not None and one.player in known]
    goes_to = session.get_one(Player, known[0]).address if known else address
    free = _free_seats(unit, row)
    if (
        any(is_held(one, history) or one.seat in _seats_asked_in_vain(unit, row) for one in own)
        or not (free or _has_room_to_wait(unit, row, goes_to))
        or not may_get_letter(session, goes_to, unit.now)
    ):
        record_attempt(session, unit.origin, unit.now)
    elif free:
        unit.tell(row, [_answer_asker(unit, row, own, name, goes_to, request.language)])
    else:
        _wait_for_seat(unit, row, name, goes_to, request.language)


def _answer_asker(
    unit: UnitOfWork, row: Game, own: list[Seating], name: str, address: str, language: str | None
) -> Notification:
    until = unit.now + SEAT_HELD_FOR
    if own:
        # No seat is held, but its expiry is checked too, to hide that the address already plays.
        _free_seats(unit, row)[-1].held_until = until
        seat, mark = own[0].seat, f"asked {row.seq}"
        if own[0].accepted_at is not None:
            return Notification(seat, lobby_letters.Accepted(), mark=mark, asked=False)
        return Notification(seat, lobby_letters.Invitation(), mark=mark)
    history = unit.history_of(row)
    seating = _claim_open_seat(unit, row, history, name)
    seating.player = find_or_create_player(unit.session, seating.name, address, language, unit.now).id
    seating.held_until = until
    unit.session.flush()
    fact = SeatJoined(seating.seat, seating.name)
    record_act(unit, row, history, None, Channel.WEB, "ask", [fact])
    return Notification(seating.seat, lobby_letters.Invitation())


# --- the waiting list -----------------------------------------------------------------------------------


def _has_room_to_wait(unit: UnitOfWork, game: Game, address: str) -> bool:
    waiting = list_waiting(unit, game)
    known = any(is_same_mailbox(one.recipient, address) for one in waiting)
    return len(waiting) < MOST_WAITING and not known and bool(load_people(unit.session, game.id))


def _wait_for_seat(unit: UnitOfWork, game: Game, name: str, address: str, language: str | None) -> None:
    # Even a player's address is put on the list, so that the list does not reveal who plays. The entry is a
    # letter saying that no seat is left. The letter is sent after a week unless a seat becomes free.
    detail = account_letters.SeatRefused(name, language or current_locale().language, "")
    seat, mark = min(load_people(unit.session, game.id)), f"waits{digest_address(address)[:MARK_LENGTH]}"
    letter = Notification(seat, detail, mark=mark, recipient=address, asked=False, later=LONGEST_WAIT)
    unit.queue(game, [letter])


def offer_to_waiting(unit: UnitOfWork, game: Game) -> None:
    session, waiting = unit.session, list_waiting(unit, game)
    while waiting and is_joinable(unit.context, session, game) and _free_seats(unit, game):
        letter = waiting.pop(0)
        detail, address = decode_payload(account_letters.SeatRefused, letter.detail), letter.recipient
        drop_waiting(session, letter)
        known, history = _players_known_at(session, address), unit.history_of(game)
        seats = seats_of(session, game.id)
        own = [one for one in seats if one.player is not None and one.player in known]
        barred = find_address_block(session, address) or any(is_held(one, history) for one in own)
        if not barred:
            name = number_name(detail.name, seats)
            told = _answer_asker(unit, game, own, name, address, detail.language)
            replace(unit, origin=UNKNOWN).queue(game, [told])


def _claim_open_seat(unit: UnitOfWork, game: Game, history: History, name: str) -> Seating:
    name = _check_claim(unit, game, name)
    free = _free_seats(unit, game)
    if not free:
        raise SeatRefused(gettext("All seats of this game are taken."))
    worn = {seat for seat, taken in history.seat_tenures.items() if taken.times >= MOST_SEAT_CHANGES}
    seating = next((one for one in free if one.seat not in worn), None)
    if seating is None:
        raise SeatRefused(gettext("That seat has changed hands too often."))
    seating.name = number_name(name, seats_of(unit.session, game.id))
    return seating


def number_name(name: str, others: Iterable[Seating]) -> str:
    """Return the name, with a number if another seat of the game has this name."""
    taken = [one.name for one in others]
    numbered = (f"{name[: LONGEST_NAME - 2]} {number}" for number in range(2, 9))
    return next(one for one in (name, *numbered) if not is_name_taken(one, taken))


def _check_claim(unit: UnitOfWork, game: Game, name: str) -> str:
    check_not_begun(game)
    if not terms_of(unit.session, game.id).joined_by:
        raise SeatRefused(gettext("Only those who were invited can play in this game."))
    taken, free = shown_seats(unit.context, unit.session, game)
    name = free_name(name, taken)
    if not free:
        raise SeatRefused(gettext("All seats of this game are taken."))
    return name


def free_name(name: str, others: Iterable[Seating]) -> str:
    """Put one blank between the words of a name.

    Raises `GameNotOpened` if no player may have this name, and `SeatRefused` if another seat has it.
    """
    name = check_name(name)
    if is_name_taken(name, (one.name for one in others)):
        shown = safe_name(name)
        raise SeatRefused(
            gettext("Somebody in this game is called %(name)s: please take another name.", name=shown)
        )
    return name


def _free_seats(unit: UnitOfWork, game: Game) -> list[Seating]:
    # A known player's request for another seat holds no seat, but must look to visitors as if it did.
    free = [one for one in seats_of(unit.session, game.id) if is_open(one)]
    return free[: max(0, len(free) - len(_seats_asked_in_vain(unit, game)))]


def _seats_asked_in_vain(unit: UnitOfWork, game: Game) -> set[int]:
    letter_kind = col(OutgoingLetter.kind)
    accepted = and_(letter_kind == lobby_letters.Accepted.kind, col(OutgoingLetter.answers).is_(None))
    letters = select(OutgoingLetter.seat, OutgoingLetter.kind, OutgoingLetter.queued_at)
    letters = letters.where(OutgoingLetter.game == game.id, OutgoingLetter.seat != NO_SEAT)
    letters = letters.where(or_(letter_kind == lobby_letters.Invitation.kind, accepted))
    in_vain: set[int] = set()
    invited: set[int] = set()
    for seat, kind, queued_at in unit.session.exec(letters.order_by(col(OutgoingLetter.id))):
        # A seat's first invitation gave the seat to its player; only later ones were requested.
        if (kind == lobby_letters.Accepted.kind or seat in invited) and queued_at > unit.now - SEAT_HELD_FOR:
            in_vain.add(seat)
        invited.add(seat)
    return in_vain


def _players_known_at(session: Session, address: str) -> list[int]:
    return list(session.exec(select(Player.id).where(func.lower(Player.address) == address.lower())))


def check_not_begun(game: Game) -> None:
    """Raise `SeatRefused` unless the game is open, and `GameSuspended` if it is suspended."""
    check_not_suspended(game)
    if game.status != GameStatus.OPEN:
        raise SeatRefused(gettext("This game has begun already, or it was called off."))


# --- giving a seat back ---------------------------------------------------------------------------------


def leave_seat(context: Context, game: str, seat: int, after: int, now: datetime) -> None:
    """Give back or decline a seat before the game begins. Idempotent. Commits.

    `after`: the game's last act when the link was issued. Does nothing if the seat's player changed later.
    Raises `SeatRefused` if the game has begun.
    """

    def leave(unit: UnitOfWork, row: Game) -> None:
        if row.status == GameStatus.CANCELLED or after < unit.history_of(row).player_since(seat):
            return
        seating = unit.session.get_one(Seating, (game, seat))
        if row.status != GameStatus.OPEN or seating.player is None:
            raise SeatRefused(gettext("The game has begun: players who do not want to play on can resign."))
        give_seat_back(unit, row, seating, Channel.WEB, seating.name)

    change_with_retries(context, game, now, leave)


def give_seat_back(unit: UnitOfWork, game: Game, seating: Seating, channel: Channel, called: str) -> None:
    """Remove the player from a seat, notify the organiser, and offer the seat to the waiting list.

    `called` is the player's name in the notice.
    """
    seat, declines = seating.seat, seating.accepted_at is None
    fact = vacate_seat(unit.session, seating)
    text, reason = ("decline", VacancyReason.DECLINED) if declines else ("leave", VacancyReason.LEFT)
    history = record_act(unit, game, unit.history_of(game), seat, channel, text, [fact])
    notify_organiser(unit, game, history, seat, called, reason)
    offer_to_waiting(unit, game)


def vacate_seat(session: Session, seating: Seating) -> SeatVacated:
    """Remove the player from a seat, drop waiting letters, and disable the links of sent letters."""
    detach_letters(session, seating)
    seating.name, seating.player, seating.accepted_at = "", None, None
    seating.generation += 1
    seating.held_until = None
    session.flush()
    return SeatVacated(seating.seat)


def notify_organiser(
    unit: UnitOfWork, game: Game, history: History, seat: int, name: str, how: VacancyReason
) -> None:
    """Notify the organiser, if the organiser plays, that a player has left a seat.

    The letter is queued before the next act of the unit of work, since the letter's id names the latest act.
    """
    reader = organiser_seat(unit.session, game.id, history)
    if reader is not None:
        letter = Notification(reader, lobby_letters.Declined(seat, name, how))
        unit.queue(game, [letter])


def change_with_retries(
    context: Context,
    game: str,
    now: datetime,
    change: Callable[[UnitOfWork, Game], Result],
    origin: Origin = UNKNOWN,
) -> Result:
    """Run `change` on a game in a unit of work, and again after a concurrent change. Commits."""

    def work(unit: UnitOfWork) -> Result:
        row = unit.session.get(Game, game)
        if row is None:
            raise SeatRefused(gettext("This game is no longer here."))
        return change(unit, row)

    return do_with_retries(context, now, work, origin)


def decline_invitation(unit: UnitOfWork, game: str, seat: int, channel: Channel, after: int = 0) -> bool:
    """Decline an invitation that is not accepted yet; return whether there was one.

    `after`: the game's last act when the link was issued (0: unknown). Does nothing if the seat's player
    changed later. Raises `StalePosition` on a concurrent change.
    """
    row, seating = unit.session.get(Game, game), unit.session.get(Seating, (game, seat))
    if row is None or seating is None or not is_undecided(row, seating):
        return False
    if after and after < unit.history_of(row).player_since(seat):
        return False
    give_seat_back(unit, row, seating, channel, seating.name)
    return True


def is_undecided(game: Game, seating: Seating) -> bool:
    return game.status == GameStatus.OPEN and seating.player is not None and seating.accepted_at is None


# --- expiry, bots and cancellation ----------------------------------------------------------------------


def expire_held_seats(context: Context, now: datetime) -> int:
    """Free the seats that visitors have not confirmed within a day; return their number. Commits."""
    with context.reading() as session:
        games = dict.fromkeys(held_seats_due(session, now))
    done = 0
    for game in games:
        try:
            done += _expire_held_seats_of(context, game, now)
        except OperationalError:
            raise  # the database is unavailable
        except Exception:
            context.events.note_failed_game(game, RowFate.PUT_OFF)  # the other games are still processed
            with context.writing() as session:
                put_off_held_seats(session, game, now + HELD_SEATS_PUT_OFF_FOR)
                session.commit()
    return done


def _expire_held_seats_of(context: Context, game: str, now: datetime) -> int:
    def expire(unit: UnitOfWork, row: Game) -> int:
        if row.suspended_at is not None:
            put_off_held_seats(unit.session, game, now + HELD_SEATS_PUT_OFF_FOR)
            return 0
        history = unit.history_of(row)
        for one in seats_of(unit.session, game):
            if row.status == GameStatus.OPEN and is_held(one, history):
                one.held_until = history.seat_tenures[one.seat].at + SEAT_HELD_FOR
            elif not is_open(one) or (one.held_until or now) <= now:  # else set for an address that plays
                one.held_until = None
        unit.session.flush()
        late = [one for one in seats_of(unit.session, game) if one.held_until and one.held_until <= now]
        for seating in late:
            name, fact = seating.name, vacate_seat(unit.session, seating)
            history = record_act(unit, row, unit.history_of(row), None, Channel.CLOCK, "", [fact])
            notify_organiser(unit, row, history, seating.seat, name, VacancyReason.SILENT)
        offer_to_waiting(unit, row)
        return len(late)

    return change_with_retries(context, game, now, expire)


class SeatGroup(StrEnum):
    OPEN = "open"
    AWAITED = "awaited"


def fill_with_bots(
    context: Context, game: str, which: SeatGroup, now: datetime, choice: BotChoice = Strength.STEADY
) -> None:
    """Fill a group of seats with bots. Idempotent. Commits.

    `choice` is a bot or a strength. A bot takes the first seat; the others get bots of equal strength.
    Raises `SeatRefused` if the game has begun, or would have only bots.
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
        strength = choice.strength if isinstance(choice, Profile) else choice
        known = {*(one.name for one in seats), *names_of_leavers(unit.session, game)}
        sit_down = assign_profiles([choice, *[strength] * (len(chosen) - 1)], known)
        for seating, one in zip(chosen, sit_down, strict=True):
            facts += [vacate_seat(unit.session, seating)] if seating.player is not None else []
            seating.name, seating.house, seating.accepted_at = one.name, True, now
            facts.append(SeatJoined(seating.seat, seating.name, is_bot=True))
        unit.session.flush()
        history = record_act(unit, row, unit.history_of(row), None, Channel.WEB, f"house {which}", facts)
        start_when_full(unit, row, history)

    change_with_retries(context, game, now, fill)


def cancel_game(context: Context, game: str, now: datetime) -> None:
    """Cancel a game before it begins, and notify the players who have accepted. Idempotent. Commits.

    Raises `SeatRefused` if the game has begun.
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
        unit.tell(row, [Notification(seat, lobby_letters.CalledOff()) for seat in others])
        close_waiting_list(unit, row)

    change_with_retries(context, game, now, cancel)


def unreachable_seats(session: Session, game: str) -> set[int]:
    undecided = {one.seat for one in seats_of(session, game) if one.player and one.accepted_at is None}
    rows = select(OutgoingLetter).where(
        OutgoingLetter.game == game, OutgoingLetter.kind == lobby_letters.Invitation.kind
    )
    last = {row.seat: row for row in session.exec(rows.order_by(col(OutgoingLetter.id)))}
    return {
        seat
        for seat, row in last.items()
        if seat in undecided and (row.state == LetterState.FAILED or row.hindrance == Hindrance.BARRED)
    }


def names_of_leavers(session: Session, game: str) -> list[str]:
    names: dict[int, str] = {}
    found: dict[str, None] = {}
    for row in load_acts(session, game):
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
