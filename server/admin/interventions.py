"""Interventions of the operator: change running games, replace players, repeat mails and letters."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import func, update
from sqlmodel import Session, col, select

from emails.letters import game_letters
from emails.letters.declaration import Payload
from emails.letters.lobby_letters import is_address, tidy_address
from emails.wording.requests import Request, RequestKind
from server.accounts.addresses import ask_address, find_letter_seat, forget_old_confirmations
from server.accounts.bounces import update_clocks
from server.admin.game_sheets import describe_letter
from server.admin.reports import LARGEST_NUMBER, pick_address, players_at
from server.delivery.claims import load_situation
from server.lobby.leaving import pass_seat_on
from server.lobby.open_seats import change_with_retries, free_name, number_name, seats_of
from server.mail_addresses import is_reserved_address
from server.monitoring import SecurityEvent
from server.outbox.budgets import OPERATOR, find_address_block, find_banned_domain
from server.outbox.chat import announce_change
from server.outbox.notifications import (
    DEFAULTS,
    GAMELESS_KINDS,
    DropReason,
    Notification,
    decode_row,
    find_letter_player,
    outcome_of,
    reason_to_drop,
)
from server.outbox.queue import UnitOfWork, load_people, open_unit
from server.store.context import Context
from server.store.event_log import (
    GameNotRunning,
    Refusal,
    RefusalCode,
    StartedHistory,
    check_not_suspended,
    require_started,
)
from server.store.models import Game, IncomingMail, OutgoingLetter, Player, Seating
from server.store.schedule import AT_ONCE, look_at_seats_of_game
from server.store.server_facts import GamePaused, GameResumed, TimeAdded
from server.store.states import (
    Announcement,
    BlockOrigin,
    Channel,
    GameStatus,
    Hindrance,
    LetterState,
    MailState,
)
from server.store.turn_clock import (
    counted_until,
    find_deadline,
    leave_halt_uncounted,
    run_clock,
    stop_clock,
    time_left,
    unavailable_times_of,
)
from server.turns.play import record_act


def suspend_game(unit: UnitOfWork, game_id: str) -> bool:
    """Suspend a game; return False if it is already. Raises `GameNotRunning` if unknown or cancelled."""
    game = _load_game(unit, game_id)
    if game.suspended_at is not None:
        return False
    game.suspended_at = unit.now
    unavailable = unavailable_times_of(unit.session, game.id, game.seat)
    stop_clock(game, counted_until(unit.session, game, unit.now), unavailable)
    unit.session.flush()
    return True


def lift_suspension(unit: UnitOfWork, game_id: str) -> bool:
    """Resume a suspended game with the time that was left; return False if it was not suspended.

    Raises `GameNotRunning`.
    """
    game = _load_game(unit, game_id)
    if game.suspended_at is None:
        return False
    since, game.suspended_at = game.suspended_at, None
    if game.status == GameStatus.RUNNING:
        is_halted = game.seat is not None and unit.history_of(game).is_time_halted(game.seat)
        if game.turn_minutes and game.turn_began_at is not None and not is_halted:
            unavailable = unavailable_times_of(unit.session, game.id, game.seat)
            until = counted_until(unit.session, game, unit.now)
            leave_halt_uncounted(game, (since, until))
            run_clock(game, time_left(game, until, unavailable), until, unavailable)
        game.due_at = AT_ONCE
        look_at_seats_of_game(unit.session, game.id)
    unit.session.flush()
    players = select(Player).join(Seating).where(Seating.game == game.id)
    for player in unit.session.exec(players).all():
        update_clocks(unit, player)  # mail may have bounced or arrived during the suspension
    return True


def _load_game(unit: UnitOfWork, game_id: str) -> Game:
    game = unit.session.get(Game, game_id)
    if game is None or game.status == GameStatus.CANCELLED:
        raise GameNotRunning
    return game


MOST_HOURS_ADDED = 720


class InterventionRefused(Refusal):
    """A refused intervention; the message is for the operator."""

    code = RefusalCode.REQUEST


OFFER_INSTEAD = "offer the seat and pass its link on instead"
PLAY_FIRST = "let them take a seat in another game first, and answer its mail"


def pause_game(context: Context, number: str, now: datetime) -> str:
    """Pause the clock of the game with id `number`; return a sentence about the result. Commits.

    Raises `InterventionRefused`, `GameSuspended`, and `SeatRefused` if there is no such game.
    """

    def pause(unit: UnitOfWork, game: Game) -> str:
        history = _check_timed(unit, game)
        if history.agreements.is_paused:
            raise InterventionRefused(f"{game.id} is paused already")
        record_act(unit, game, history, None, Channel.OPERATOR, "", [GamePaused()])
        announce_change(unit, game, history, Announcement.PAUSED_BY_OPERATOR)
        return f"{game.id} is paused: no time runs, and its players are notified"

    return change_with_retries(context, number, now, pause, OPERATOR)


def resume_game(context: Context, number: str, now: datetime) -> str:
    """Restart the paused clock of a game. Returns, commits and raises as `pause_game`."""

    def resume(unit: UnitOfWork, game: Game) -> str:
        history = _check_timed(unit, game)
        if not history.agreements.is_paused:
            raise InterventionRefused(f"{game.id} is not paused")
        record_act(unit, game, history, None, Channel.OPERATOR, "", [GameResumed()])
        announce_change(unit, game, history, Announcement.RESUMED_BY_OPERATOR)
        return f"{game.id} goes on, and its players are notified"

    return change_with_retries(context, number, now, resume, OPERATOR)


def extend_turn(context: Context, number: str, hours: int, now: datetime) -> str:
    """Add hours to the current turn. Returns, commits and raises as `pause_game`."""

    def extend(unit: UnitOfWork, game: Game) -> str:
        history = _check_timed(unit, game)
        if game.deadline is None:
            raise InterventionRefused(f"the clock of {game.id} is not running now, so no time can be added")
        seat = history.position.table.seat
        record_act(unit, game, history, None, Channel.OPERATOR, "", [TimeAdded(seat, hours, by=None)])
        announce_change(unit, game, history, Announcement.TIME_BY_OPERATOR)
        name = history.position.table.names[seat]
        until = find_deadline(unit.session, game, unit.now)
        return f"{name} has until {until:%Y-%m-%d %H:%M} UTC, and the players of {game.id} are notified"

    if not 0 < hours <= MOST_HOURS_ADDED:
        raise InterventionRefused(f"a turn can be given 1 to {MOST_HOURS_ADDED} hours")
    return change_with_retries(context, number, now, extend, OPERATOR)


def replace_player(context: Context, number: str, seat: int, address: str, now: datetime) -> str:
    """Give a seat of a running game to another player of this server.

    If the player's name is taken in the game, a number is added. Returns, commits and raises as `pause_game`.
    """

    def replace(unit: UnitOfWork, game: Game) -> str:
        check_not_suspended(game)
        if game.status != GameStatus.RUNNING:
            raise InterventionRefused(
                f"{game.id} is {game.status}: a player can be replaced only in a running game"
            )
        seats = seats_of(unit.session, game.id)
        chosen = next((one for one in seats if one.seat == seat), None)
        if chosen is None or chosen.house:
            raise InterventionRefused(f"seat {seat + 1} of {game.id} is not played by a person")
        instead = OFFER_INSTEAD if unit.history_of(game).is_vacant(seat) else PLAY_FIRST
        player = _find_successor(unit.session, address, seats, instead)
        others = [one for one in seats if one.seat != seat]
        before, called = chosen.name, free_name(number_name(player.name, others), others)
        told = Announcement.REPLACED_BY_OPERATOR
        pass_seat_on(unit, game, chosen, player.id, called, Channel.OPERATOR, told)
        return f"{called} <{player.address}> plays on for {before} in {game.id}, and all are notified"

    return change_with_retries(context, number, now, replace, OPERATOR)


def ask_new_address(context: Context, known: str, new: str, now: datetime) -> str:
    """Send a player's new address a confirmation request; return a sentence about the result. Commits.

    The operator vouches for the player, so the old address need not agree. After the confirmation the old
    address gets a link that undoes the change. Raises `InterventionRefused` and `AddressRefused`.
    """
    new = tidy_address(new)
    if not is_address(new):
        raise InterventionRefused(f"{new} is not a mail address")
    with open_unit(context, now, OPERATOR) as unit:
        session = unit.session
        players = players_at(session, pick_address(known))
        if len(players) != 1:
            raise InterventionRefused(f"{len(players)} players here have the address {known}")
        player, place = players[0], find_letter_seat(session, players[0])
        _check_address(context, session, player, new)
        if place is None:
            raise InterventionRefused(f"{player.address} has no seat, so the letter belongs to no game")
        forget_old_confirmations(session, player, now)
        ask_address(unit, place[0].game, place[0].seat, player, new)
        unit.commit()
    context.security.note(SecurityEvent.ADDRESS_ASKED, OPERATOR.text, now, address=new)
    return f"{new} gets a confirmation request; until it confirms, letters go to {player.address}"


def _check_address(context: Context, session: Session, player: Player, new: str) -> None:
    if is_reserved_address(new, context.settings):
        raise InterventionRefused(
            f"{new} cannot be a player's address: it is reserved, or mail cannot reach it"
        )
    other = session.exec(select(Player).where(func.lower(Player.address) == new.lower())).first()
    if other is not None:
        whose = "already theirs" if other.id == player.id else "the address of another player here"
        raise InterventionRefused(f"{new} is {whose}")
    _check_not_blocked(session, new)


def _check_not_blocked(session: Session, address: str) -> None:
    if find_address_block(session, address) is not None:
        raise InterventionRefused(
            f"nothing is sent to {address}: it is banned, or its reader wants no letters"
        )


def _check_timed(unit: UnitOfWork, game: Game) -> StartedHistory:
    check_not_suspended(game)
    if game.status != GameStatus.RUNNING:
        raise InterventionRefused(f"{game.id} is {game.status}: no time runs in it")
    if not game.turn_minutes:
        raise InterventionRefused(f"{game.id} has no time limit")
    return require_started(unit.history_of(game))


def _find_successor(session: Session, address: str, seats: list[Seating], instead: str) -> Player:
    """Return the player with `address`, which must be confirmed; the player must have no seat in this game.

    `instead` is advice for the error sentence. Raises `InterventionRefused`.
    """
    address = pick_address(address)
    same = select(Player).where(func.lower(Player.address) == address.lower())
    player = session.exec(same).first()
    if player is None:
        raise InterventionRefused(f"no player here has the address {address}; {instead}")
    if any(one.player == player.id for one in seats):
        raise InterventionRefused(f"{player.address} has a seat in this game already")
    if player.confirmed_at is None:
        raise InterventionRefused(
            f"{player.address} has not accepted or played anything here yet, so the address is not confirmed;"
            f" {instead}"
        )
    _check_not_blocked(session, player.address)
    return player


MOST_LISTED = 50
READ_AGAIN = (MailState.WAITING, MailState.REFUSED, MailState.IGNORED)


def list_failed_letters(session: Session, now: datetime) -> Iterator[str]:
    """Yield a line for each failed letter, the latest first, at most `MOST_LISTED`."""
    failed = select(OutgoingLetter).where(OutgoingLetter.state == LetterState.FAILED)
    found = session.exec(failed.order_by(col(OutgoingLetter.id).desc()).limit(MOST_LISTED + 1)).all()
    for letter in found[:MOST_LISTED]:
        yield f"{describe_letter(letter, now)}, to {letter.recipient}, {letter.queued_at:%Y-%m-%d %H:%M}"
    if len(found) > MOST_LISTED:
        yield f"Only the latest {MOST_LISTED} are listed."


def read_mail_again(unit: UnitOfWork, number: int) -> str:
    """Queue a mail to be read again; return a sentence about the result. Raises `InterventionRefused`."""
    mail = unit.session.get(IncomingMail, number) if 0 < number <= LARGEST_NUMBER else None
    if mail is None:
        raise InterventionRefused(f"there is no mail {number}: it was deleted, or never arrived")
    if mail.state not in READ_AGAIN:
        raise InterventionRefused(
            f"mail {number} is processed already ({mail.state}), and is not processed twice"
        )
    if mail.raw_mail is None and not mail.raw:
        raise InterventionRefused(f"the text of mail {number} is not stored any more")
    same = update(IncomingMail).where(col(IncomingMail.id) == number, col(IncomingMail.state) == mail.state)
    waiting = {"state": MailState.WAITING, "why": "", "hindrance": Hindrance.NONE}
    anew = same.values(**waiting, due_at=unit.now, tries=0)
    if unit.session.connection().execute(anew).rowcount != 1:
        raise InterventionRefused(f"mail {number} is being read right now")
    return f"mail {number} is read again" + (f"; before: {mail.why}" if mail.why else "")


def send_letter_again(unit: UnitOfWork, number: int) -> str:
    """Send a waiting or failed letter now; for any other letter, send the state of the game instead.

    Returns a sentence about the result. Raises `InterventionRefused`.
    """
    letter = unit.session.get(OutgoingLetter, number) if 0 < number <= LARGEST_NUMBER else None
    if letter is None or not letter.recipient:
        raise InterventionRefused(f"there is no letter {number}: it was deleted, or never existed")
    match letter.state:
        case LetterState.SENT | LetterState.DROPPED | LetterState.WITHHELD:
            return _send_state(unit, letter)
        case LetterState.FAILED:
            return _try_again(unit, letter)
        case LetterState.WAITING if letter.tries and not letter.why:
            raise InterventionRefused(f"letter {number} is being sent right now")
        case LetterState.WAITING:
            letter.due_at = min(letter.due_at, unit.now)
            unit.session.flush()
            return f"letter {number} to {letter.recipient} is due now"


def _try_again(unit: UnitOfWork, letter: OutgoingLetter) -> str:
    player, address = find_letter_player(unit.session, letter), letter.recipient
    if player is not None and letter.kind not in GAMELESS_KINDS:
        address = player.address
    try:
        payload = decode_row(letter)
    except ValueError as error:
        raise InterventionRefused(f"the data of letter {letter.id} cannot be read any more") from error
    reason = _find_drop_reason(unit, OutgoingLetter(**letter.model_dump() | {"recipient": address}), payload)
    if reason is not None:
        return _send_state(unit, letter, reason)
    letter.recipient = address
    letter.sqlmodel_update(outcome_of(None) | {"tries": 0, "due_at": unit.now, "queued_at": unit.now})
    unit.session.flush()
    return f"letter {letter.id} to {letter.recipient} is sent again"


def _send_state(unit: UnitOfWork, letter: OutgoingLetter, reason: DropReason | None = None) -> str:
    """Send the state of the game to a letter's recipient, instead of the letter.

    `reason`: why a failed letter cannot be sent again; None if it did not fail. Raises `InterventionRefused`.
    """
    game = unit.session.get_one(Game, letter.game)
    player = find_letter_player(unit.session, letter)
    if player is None or game.status != GameStatus.RUNNING or letter.kind in GAMELESS_KINDS:
        if reason is not None:
            raise InterventionRefused(_explain(unit, letter, letter.recipient, reason))
        raise InterventionRefused(
            f"letter {letter.id} did not fail here ({letter.state}), and there is no running game whose state"
            " could be sent instead"
        )
    payload: Payload = game_letters.Shown((Request(RequestKind.BOARD),), unasked=True)
    if game.seat == letter.seat:
        payload = game_letters.YourTurn()
    new = {"id": LARGEST_NUMBER, "message_id": "", "seq": game.after, "kind": payload.kind}
    told = OutgoingLetter(**letter.model_dump() | new | {"recipient": player.address})
    hindered = _find_drop_reason(unit, told, payload)
    if hindered is not None:
        raise InterventionRefused(_explain(unit, letter, player.address, hindered))
    unit.tell(game, [Notification(letter.seat, payload, mark=f"again{unit.now.timestamp():.0f}")])
    fate = f"has been {letter.state}" if reason is None else f"would not leave again ({reason})"
    return f"letter {letter.id} {fate}: how {game.id} stands now goes to {player.address}"


def _find_drop_reason(unit: UnitOfWork, row: OutgoingLetter, payload: Payload) -> DropReason | None:
    """Return the reason why a letter would be dropped if it were due now; None if it would be sent."""
    session, game = unit.session, unit.session.get_one(Game, row.game)
    reader = load_people(session, game.id).get(row.seat)
    preferences = DEFAULTS if reader is None else reader.preferences
    return reason_to_drop(payload, load_situation(unit.context, session, game, row, preferences, unit.now))


def _explain(unit: UnitOfWork, letter: OutgoingLetter, address: str, reason: DropReason) -> str:
    match reason:
        case DropReason.BOUNCES:
            return (
                f"letter {letter.id} would not leave: letters to {address} come back, so only those that say"
                " that it is their turn are tried. A mail from there ends that, or a button on the page of"
                f" their settings; `alexandros address {address} NEW` asks another address"
            )
        case DropReason.BLOCKED if find_address_block(unit.session, address) is BlockOrigin.OPERATOR:
            banned = find_banned_domain(unit.session, address) or address
            return f"nothing is sent to {address}: it is banned, which `alexandros allow {banned}` ends"
        case DropReason.BLOCKED:
            return f"nothing is sent to {address}: its reader wants no unsolicited letters"
        case _:
            return f"letter {letter.id} to {address} would not leave: {reason}"
