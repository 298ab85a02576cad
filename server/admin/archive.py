"""Games as files: export of a game's log as JSON Lines, and import of such a log as a game."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from emails.letters.lobby_letters import LONGEST_NAME
from emails.picture.palette import clean_name
from emails.terms import USUAL_TIME, TurnTime
from emails.tokens import GAME_ID
from engine.bots.strengths import BotChoice, Profile, Strength
from engine.event_log import END_TYPES, PROOF, check_log, check_start
from engine.events import Event, GameStarted
from engine.evolve import evolve
from engine.rules import perform_due
from server.lobby.games import new_game_id, seat_player
from server.outbox.queue import UnitOfWork, open_unit
from server.store import load_boards
from server.store.context import Context
from server.store.event_log import (
    CorruptLog,
    History,
    StartedHistory,
    load_acts,
    logged_facts,
    require_started,
)
from server.store.game_terms import GameNotOpened, SeatRequest, check_game_name, checked_seats
from server.store.models import Game
from server.store.schedule import look_at_seats_of_game
from server.store.server_facts import ActFact, EventJson, GameImported
from server.store.states import Channel, GameStatus
from server.turns.play import letters_of_start, record_act

LONGEST_IN_LOG = 200


def export_log(context: Context, game_id: str, after: int = 0) -> Iterator[str]:
    """Yield the lines of a game's log, one JSON object for each event.

    The first event of each act has `meta` (seat, channel, time). The first line of a finished game has the
    key to verify the log checksums in its letters. Acts up to number `after` are left out.
    Raises `GameNotOpened` if the game does not exist or has not started, `CorruptLog` if its log was changed.
    """
    with context.reading() as session:
        try:
            game = session.get(Game, game_id) if GAME_ID.fullmatch(game_id) else None
        except (ValueError, LookupError) as error:
            raise CorruptLog(f"game {game_id} cannot be read: {error}") from None
        if game is None:
            raise GameNotOpened(f"there is no game “{clean_name(game_id)}”")
        if game.status == GameStatus.PROPOSED:
            raise GameNotOpened("the game is only proposed, and not confirmed")
        if not game.status.has_begun:
            raise GameNotOpened("the game has not started: not all players have accepted")
        context.history_of(session, game)
        is_first = after == 0
        for row, _ in load_acts(session, game_id, after):
            facts = logged_facts(row)
            if facts and is_first:
                _add_proof(game, facts[0], is_whole=facts[-1]["type"] in END_TYPES)
                is_first = False
            yield from (json.dumps(fact) for fact in facts)


def _add_proof(game: Game, first: EventJson, *, is_whole: bool) -> None:
    meta = first.get("meta")
    if is_whole and isinstance(meta, dict) and PROOF in meta:
        return
    told = {name: value for name, value in meta.items() if name != PROOF} if isinstance(meta, dict) else {}
    if game.status == GameStatus.OVER and game.proof_key:
        told[PROOF] = {"game": game.id, "key": game.proof_key}
    if told or "meta" in first:
        first["meta"] = told


@dataclass(frozen=True, slots=True)
class CheckedLog:
    facts: tuple[EventJson, ...]
    started: GameStarted
    events: tuple[Event, ...]


def read_log(lines: Iterable[bytes]) -> CheckedLog:
    kept = list(lines)
    events = tuple(event for event, _ in check_log(kept, load_boards()))
    return CheckedLog(tuple(json.loads(line) for line in kept), check_start(events[0]), events)


def import_log(
    context: Context,
    record: CheckedLog,
    now: datetime,
    *,
    name: str = "",
    requests: Sequence[SeatRequest] = (),
    time: TurnTime = USUAL_TIME,
) -> str:
    """Store a log as a new game, and return its id. The game of an unfinished log continues.

    `requests` name the players of seats. A bot requested by name takes the seat that has this name in the
    log. A bot requested without a name plays all seats that have no other player. If a seat stays empty,
    turns have no time limit. Raises `GameNotOpened`.
    """
    started = record.started
    name = check_game_name(name or "Imported game")
    if any(len(called) > LONGEST_IN_LOG for called in started.seats):
        raise GameNotOpened(f"a seat of the log has a name of more than {LONGEST_IN_LOG} letters")
    if len({called.casefold() for called in started.seats}) < len(started.seats):
        raise GameNotOpened("two seats of the log have the same name")
    seats = _assign_seats(started.seats, requests)
    time = time if all(request is not None for request in seats) else TurnTime(0)
    with open_unit(context, now) as unit:
        game = Game(
            id=new_game_id(),
            name=name,
            board=started.board,
            edition=started.edition,
            turn_minutes=time.minutes,
            bank_minutes=time.bank,
            refill_minutes=time.refill,
            opened_at=now,
        )
        unit.session.add(game)
        unit.session.flush()
        for seat, (called, request) in enumerate(zip(started.seats, seats, strict=True)):
            seat_player(
                unit, game, seat, clean_name(called, LONGEST_NAME) or f"Seat {seat + 1}", request, now
            )
        facts: list[ActFact] = [GameImported(), *record.facts]
        begun = record_act(unit, game, History(), None, Channel.OPERATOR, "", facts)
        history = _perform_due(unit, game, require_started(begun))
        if not history.position.table.over:
            look_at_seats_of_game(unit.session, game.id)
            unit.tell(game, letters_of_start(history.position.table))
        unit.commit()
    return game.id


def _perform_due(unit: UnitOfWork, game: Game, history: StartedHistory) -> StartedHistory:
    position, events = history.position, list[Event]()
    while (event := perform_due(position, unit.context.pick_card)) is not None:
        events.append(event)
        position = evolve(position, event)
    if not events:
        return history
    return require_started(record_act(unit, game, history, None, Channel.SERVER, "", events))


def _assign_seats(called: tuple[str, ...], requests: Sequence[SeatRequest]) -> list[SeatRequest | None]:
    by_name: dict[str, SeatRequest] = {}
    for request in checked_seats([request for request in requests if request.address is not None]):
        if request.name.casefold() not in (seat.casefold() for seat in called):
            raise GameNotOpened(
                f"the log has no seat called {request.name}: its seats are {', '.join(called)}"
            )
        by_name[request.name.casefold()] = request
    bots = [request for request in requests if request.is_bot]
    names = [_name_in_log(request.bot, called) for request in bots]
    by_name |= {name.casefold(): SeatRequest(name, None) for name in names if name}
    others = SeatRequest("", None) if "" in names else None
    return [by_name.get(seat.casefold(), others) for seat in called]


def _name_in_log(choice: BotChoice, called: tuple[str, ...]) -> str:
    if isinstance(choice, Profile) and choice.name.casefold() in (seat.casefold() for seat in called):
        return choice.name
    if choice != Strength.STEADY:
        raise GameNotOpened(
            "the seats of a log keep their names, by which bots of that name play: write “house”, or "
            f"“house:NAME” for one of {', '.join(called)}"
        )
    return ""
