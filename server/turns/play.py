"""Recording of acts; playing of turns through any channel; plans, which are played when they are due."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial, reduce

from sqlalchemy import and_, bindparam, delete, exists, inspect, or_, true, update
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.i18n import gettext, gettext_noop, use_locale
from emails.languages.lexicon import lexicon_of, words_of
from emails.languages.supported_languages import ENGLISH
from emails.letters import game_letters
from emails.terms import AbsenceRule
from emails.wording.phrases import explain_refusal
from emails.wording.requests import PlanContext
from engine.actions import Action, Illegal, Unreadable
from engine.board import Board
from engine.events import TurnEnded
from engine.evolve import evolve
from engine.notation.orders import OrderLine, spell_out, write
from engine.notation.parser import parse_lines
from engine.plans import (
    LONGEST_PLAN,
    OrderRefused,
    PlannedTurn,
    PlanReader,
    TurnPlan,
    check_plan,
    choose_alternative,
    foresee_turn,
    next_turn_of,
    settle_cards,
    write_plan,
)
from engine.position import Phase, Table, View, view
from engine.rules import has_next_turn, skip_turns
from server.outbox import chat
from server.outbox.notifications import DEFAULTS, Notification, confirm_seated
from server.outbox.queue import UnitOfWork, WaitingLetter, covers, load_people, open_unit
from server.reviews import letters_of_end
from server.store.context import Context
from server.store.dialects import hexed
from server.store.event_log import (
    GameNotRunning,
    History,
    Refusal,
    RefusalCode,
    StalePosition,
    StartedHistory,
    append,
    check_not_suspended,
    require_started,
)
from server.store.game_terms import rule_when_late, terms_of
from server.store.models import (
    IS_RUNNING,
    Act,
    Draft,
    Game,
    GameReview,
    Player,
    Seating,
    StoredPlan,
    is_unreadable,
    read_id,
    table_of,
)
from server.store.schedule import AT_ONCE, work_at_game
from server.store.server_facts import ActFact, BankLeft, SeatCaretaken, SeatOffered, ServerFact, TurnTimedOut
from server.store.states import BEGUN, Announcement, Channel
from server.store.turn_clock import (
    LONG_AGO,
    bank_after_turn,
    before_absence,
    find_absence,
    load_seat_availability,
    project_history,
    read_availability,
    store_seats,
    unavailable_when_needed,
    with_availability,
)
from server.turn_time import UnavailableTimes, always_available
from server.turns.dry_run import (
    DryRun,
    LinesRefused,
    PlayerResigned,
    delete_drafts,
    simulate_orders,
    simulate_turn,
)


def record_act(
    unit: UnitOfWork,
    game: Game,
    history: History,
    seat: int | None,
    channel: Channel,
    text: str,
    facts: Sequence[ActFact],
    known: RunningGame | None = None,
) -> History:
    """Append an act with its facts to a game's log; return the new history. Raises `StalePosition`.

    `known`: the game as loaded in this transaction, which saves further statements.
    """
    after = append(
        unit.session,
        game.id,
        unit.context.board_of(game),
        history,
        at=unit.now,
        seat=seat,
        door=channel,
        said=text,
        facts=facts,
    )
    load = partial(load_seat_availability, unit.session, game.id, game.seat)
    unavailable = unavailable_when_needed(load) if known is None else known.unavailable
    until = before_absence(game, find_absence(unit.moments), unit.now)
    project_history(game, after, unit.now, unavailable, until)
    store_seats(unit.session, game.id, history, after)
    unit.add_act(game.id, after, seat, channel)
    if isinstance(history, StartedHistory) and isinstance(after, StartedHistory) and after.after == after.seq:
        if known is None or known.has_draft:
            delete_drafts(unit.session, game.id)
        if known is None or known.has_plan:
            _settle_plans(unit, game.id, history.position.table, after.position.table)
        if after.position.table.over and unit.context.settings.house_seconds:
            unit.session.add(GameReview(game=game.id, due_at=AT_ONCE))
    return after


@dataclass(frozen=True, slots=True)
class RunningGame:
    row: Game
    history: StartedHistory
    is_mover_confirmed: bool
    has_draft: bool
    has_plan: bool
    unavailable: UnavailableTimes
    """Unavailable times of the player to move."""


@dataclass(frozen=True, slots=True)
class PlayResult:
    """An accepted message or turn, with the game's new history and row."""

    run: DryRun
    history: StartedHistory
    row: Game


def play(
    unit: UnitOfWork, game: RunningGame, seat: int, lines: Sequence[OrderLine], channel: Channel
) -> PlayResult:
    """Perform a player's orders. Raises `LinesRefused` with line and reason if none is performed."""
    if seat in game.history.resigned:
        raise PlayerResigned(lines)
    run = simulate_orders(game.history.position, seat, lines, unit.context.pick_card)
    said = "; ".join(line.words for line in lines)
    if not run.done:
        raise LinesRefused(said, Illegal("3.1", "there is no action in it"))
    if not game.is_mover_confirmed:
        confirm_seated(unit.session, game.row.id, seat, unit.now)
    return _write_act(unit, game, _PendingAct(seat, channel, said, run))


def play_turn(
    context: Context,
    game_id: str,
    after: int,
    choose: Callable[[View], Action],
    channel: Channel,
    now: datetime,
) -> PlayResult:
    """Play the rest of a turn with actions from `choose`: for a bot, a caretaker or a missed deadline.

    Raises `GameNotRunning`, `GameSuspended` or `StalePosition`.
    """
    with context.reading() as session:
        begun = load_running_game(context, session, game_id, after)
        rule = terms_of(session, game_id).absence
    position = begun.history.position
    if position.table.over:  # ended by a concurrent act
        raise GameNotRunning
    seat = position.table.seat
    run = simulate_turn(position, choose, context.pick_card)  # slow, so outside the write transaction
    with open_unit(context, now, game=game_id) as unit:
        game = load_running_game(context, unit.session, game_id, after)
        if channel == Channel.CARETAKER and not game.history.is_vacant(seat):
            raise StalePosition  # the player is back
        own = _absence_facts(game.history, seat, channel, rule)
        played = _write_act(unit, game, _PendingAct(seat, channel, "; ".join(run.done), run, own))
        unit.commit()
    return played


def _absence_facts(
    history: StartedHistory, seat: int, channel: Channel, rule: AbsenceRule
) -> tuple[ServerFact, ...]:
    if channel not in (Channel.CLOCK, Channel.CARETAKER) or seat in history.resigned:
        return ()
    rule = rule_when_late(rule, history, seat)
    if rule == AbsenceRule.ALWAYS or history.is_caretaken(seat):
        return (TurnTimedOut(seat),)
    return TurnTimedOut(seat), SeatCaretaken(seat), SeatOffered(seat)


# Core statements, and a row built like an ORM object, because loading the game by the ORM would take half the
# time of an act.
GAMES = inspect(Game).class_manager
GAME_TABLE = table_of(Game)
PLAYERS, SEATINGS = table_of(Player), table_of(Seating)
IS_MOVER = and_(SEATINGS.c.game == GAME_TABLE.c.id, SEATINGS.c.seat == GAME_TABLE.c.seat)
SELECT_GAME = with_availability(
    plain_select(
        *GAME_TABLE.c,
        PLAYERS.c.confirmed_at.is_not(None),
        exists().where(table_of(Draft).c.game == GAME_TABLE.c.id),
        exists().where(table_of(StoredPlan).c.game == GAME_TABLE.c.id),
    )
    .select_from(GAME_TABLE.outerjoin(SEATINGS, IS_MOVER))
    .outerjoin(PLAYERS, PLAYERS.c.id == SEATINGS.c.player)
    .where(GAME_TABLE.c.id == bindparam("game")),
    SEATINGS.c.player,
)
"""A game; whether its mover's address is confirmed, a draft and a plan exist; its mover's availability."""
PROJECTED_COLUMNS = (
    *("seq", "after", "status", "turn", "seat", "turn_began_at", "bank_left"),
    *("deadline", "time_left", "reminded", "due_at", "ended_at", "watched_at"),
)
UPDATE_GAME = (
    update(GAME_TABLE)
    .where(GAME_TABLE.c.id == bindparam("game"))
    .values({name: bindparam(f"new_{name}") for name in PROJECTED_COLUMNS})
)


def load_running_game(context: Context, session: Session, game_id: str, after: int) -> RunningGame:
    """Load a game that must be in the position after act `after`.

    Raises `GameNotRunning`, `GameSuspended`, or `StalePosition` if the game has advanced.
    """
    row = session.connection().execute(SELECT_GAME, {"game": game_id, "since": LONG_AGO}).first()
    if row is None:
        raise GameNotRunning
    names = GAME_TABLE.c.keys()
    is_mover_confirmed, has_draft, has_plan, *mover = row[len(names) :]
    game = GAMES.new_instance()
    game.__dict__.update(zip(names, row, strict=False))
    if game.status not in BEGUN:
        raise GameNotRunning
    check_not_suspended(game)
    history = context.history_of(session, game)
    if history.after != after:
        raise StalePosition
    load = partial(read_availability, session, game_id, mover)
    unavailable = always_available if mover[0] is None else unavailable_when_needed(load)
    return RunningGame(game, require_started(history), is_mover_confirmed, has_draft, has_plan, unavailable)


@dataclass(frozen=True, slots=True)
class _PendingAct:
    seat: int
    channel: Channel
    text: str
    run: DryRun
    server_events: tuple[ServerFact, ...] = ()
    """Facts stored before the events that the orders cause."""


def _write_act(unit: UnitOfWork, game: RunningGame, act: _PendingAct) -> PlayResult:
    row, before = game.row, game.history
    facts: list[ActFact] = [*act.server_events, *act.run.events]
    if any(isinstance(event, TurnEnded) for event in act.run.events):
        if row.bank_minutes:
            until = before_absence(row, find_absence(unit.moments), unit.now)
            by_player = act.channel not in (Channel.CLOCK, Channel.CARETAKER)
            left = bank_after_turn(row, until, game.unavailable, by_player=by_player)
            seconds = int(left.total_seconds())
            if seconds != row.bank_left:
                facts.insert(len(act.server_events), BankLeft(before.position.table.seat, seconds))
        if vacant := before.skipped - {act.seat}:
            facts += skip_turns(reduce(evolve, act.run.events, before.position).table, vacant)
    written = record_act(unit, row, before, act.seat, act.channel, act.text, facts, game)
    history = require_started(written)
    moved = {f"new_{name}": getattr(row, name) for name in PROJECTED_COLUMNS}
    unit.session.connection().execute(UPDATE_GAME, {"game": row.id, **moved})
    newly_kept = history.is_caretaken(act.seat) and not before.is_caretaken(act.seat)
    unit.tell(row, _letters_of_act(unit, before.position.table, history.position.table, act, newly_kept))
    if newly_kept:
        unit.tell(row, [Notification(act.seat, game_letters.Absence())])
        chat.announce(unit, row, act.seat, Announcement.SEAT_KEPT)
        unit.tell(row, letters_of_offer(unit.session, row.id, history, act.seat))
    return PlayResult(act.run, history, row)


# --- letters --------------------------------------------------------------------------------------------

TOLD_CHANNELS = frozenset({Channel.REPLY, Channel.PLAN})
"""Channels whose acts are answered by a letter with the new position."""
HALF_PLAYED_DELAY = timedelta(minutes=30)
"""Delay of a letter about an unfinished turn, as the player may still be thinking."""


def letters_of_start(table: Table) -> Iterator[Notification]:
    yield from (
        Notification(seat, game_letters.Welcome()) for seat in range(len(table.names)) if seat != table.seat
    )
    yield Notification(table.seat, game_letters.YourTurn())


def letters_of_offer(session: Session, game: str, history: History, seat: int) -> Iterator[Notification]:
    """Return the letters that ask other players to find a substitute; none if the seat is not offered."""
    if seat not in history.offers:
        return
    for one in load_people(session, game):
        if one != seat and not history.is_vacant(one):
            yield Notification(one, game_letters.SeatOffered(seat), mark=f"-{seat}")


def _letters_of_act(
    unit: UnitOfWork, before: Table, table: Table, act: _PendingAct, newly_kept: bool
) -> Iterator[Notification]:
    everybody = range(len(table.names))
    if act.channel == Channel.CLOCK:
        # a player whose seat the caretaker has just taken gets a letter about the absence instead
        late = (seat for seat in everybody if seat != act.seat or not newly_kept)
        yield from (Notification(seat, game_letters.TimePassed(act.seat)) for seat in late)
    if table.over:
        yield from letters_of_end(unit.context, table)
        return
    if act.channel == Channel.PLAN:
        why = "" if act.run.refusal is None else explain_refusal(act.run.refusal)
        yield Notification(act.seat, game_letters.PlanPlayed(act.run.undone, why))
    if act.seat != table.seat or table.turn != before.turn:  # the next turn may be the same player's
        yield Notification(table.seat, game_letters.YourTurn())
    elif act.channel not in TOLD_CHANNELS:  # the turn goes on
        yield Notification(table.seat, game_letters.Step(), later=HALF_PLAYED_DELAY)
    if table.turn != before.turn and act.channel != Channel.CLOCK:
        yield from (
            Notification(seat, game_letters.News())
            for seat in everybody
            if seat not in (act.seat, table.seat)
        )


# --- plans ---------------------------------------------------------------------------------------------

PLAN_PAUSE = timedelta(seconds=5)
"""Time from the start of a turn until its plan is played."""
PLAN_TABLE = table_of(StoredPlan)
# Core statements, since they run in each act.
DELETE_PLAYED = delete(PLAN_TABLE).where(
    PLAN_TABLE.c.game == bindparam("of"),
    or_(
        bindparam("over", type_=true().type),
        (PLAN_TABLE.c.seat == bindparam("by")) & (PLAN_TABLE.c.turn <= bindparam("played")),
    ),
)
MAKE_DUE = (
    update(PLAN_TABLE)
    .where(
        PLAN_TABLE.c.game == bindparam("of"),
        PLAN_TABLE.c.seat == bindparam("by"),
        PLAN_TABLE.c.turn == bindparam("begun"),
    )
    .values(due_at=bindparam("at"))
)
SELECT_PLAN = plain_select(PLAN_TABLE.c.words, PLAN_TABLE.c.turn, PLAN_TABLE.c.missed).where(
    PLAN_TABLE.c.game == bindparam("of"), PLAN_TABLE.c.seat == bindparam("by")
)
STORED_HEADING = "plan:"
LONGEST_NAMED = 80
NO_NEXT_TURN = gettext_noop("The game ends before your next turn, so there is nothing to plan.")


class PlanRefused(Refusal):
    code = RefusalCode.PLAN


def read_plan(words: str, board: Board, language: str = ENGLISH) -> TurnPlan:
    lexicon = lexicon_of(language)
    return PlanReader(board, lexicon.plans).read(words)


def _read_stored_plan(words: str, board: Board) -> TurnPlan | None:
    try:
        return read_plan(words, board) if words.startswith(STORED_HEADING) else None
    except Unreadable:
        return None


def keep_plan(
    session: Session, game: Game, history: StartedHistory, seat: int, plan: TurnPlan, now: datetime
) -> None:
    """Store a seat's plan in place of an earlier one. Does not commit. Raises `PlanRefused`."""
    table, known = history.position.table, view(history.position, seat)
    if seat in history.resigned:
        raise PlanRefused(gettext("You have resigned from this game, and a caretaker plays for you."))
    is_begun = table.seat == seat and table.phase is Phase.CARD
    if not has_next_turn(table, seat):
        raise PlanRefused(gettext(NO_NEXT_TURN))
    settled = settle_cards(plan, foresee_turn(known))
    try:
        check_plan(settled, known)
    except OrderRefused as refused:
        order = spell_out(refused.order, table.board)[:LONGEST_NAMED]
        why = f"“{order}”: {explain_refusal(refused.refusal)}"
        raise PlanRefused(gettext("The plan is not kept. %(why)s", why=why)) from None
    words = f"{STORED_HEADING} {write_plan(settled, table.board, words_of(ENGLISH).plan_words)}"
    if len(words) > LONGEST_PLAN:
        raise PlanRefused(gettext("The plan is too long."))
    session.merge(
        StoredPlan(
            game=game.id,
            seat=seat,
            words=words,
            turn=next_turn_of(table, seat),
            missed=False,
            due_at=now + PLAN_PAUSE if is_begun else None,
            changed_at=now,
        )
    )


def withdraw_plan(session: Session, game: str, seat: int) -> bool:
    own = delete(PLAN_TABLE).where(PLAN_TABLE.c.game == game, PLAN_TABLE.c.seat == seat)
    return session.connection().execute(own).rowcount > 0


def load_plan(session: Session, game: Game, history: StartedHistory, seat: int) -> PlanContext | None:
    """Return the plan of a seat, with its effect as far as its player can foresee it."""
    row = session.connection().execute(SELECT_PLAN, {"of": game.id, "by": seat}).first()
    if row is None:
        return None
    plan = _read_stored_plan(row.words, history.position.table.board)
    known = foresee_turn(view(history.position, seat))
    outlook = () if plan is None else choose_alternative(plan, known)
    return PlanContext(row.words, plan, seat, row.turn, row.missed, outlook)


def _settle_plans(unit: UnitOfWork, game: str, before: Table, after: Table) -> None:
    """Delete the plans for past turns and schedule the plan for a turn that begins."""
    connection = unit.session.connection()
    for turn in range(before.turn, max(after.turn, before.turn + 1)):  # with turns skipped for vacant seats
        seat = (before.seat + turn - before.turn) % len(before.names)
        connection.execute(DELETE_PLAYED, {"of": game, "by": seat, "played": turn, "over": after.over})
    if after.turn != before.turn:
        due = {"of": game, "by": after.seat, "begun": after.turn, "at": unit.now + PLAN_PAUSE}
        connection.execute(MAKE_DUE, due)


MOST_AT_ONCE = 20
LETTER_FOLLOWS = timedelta(seconds=2)
LETTER_WAITS = timedelta(minutes=1)


def play_due_plans(context: Context, now: datetime) -> int:
    with context.reading() as session:
        due = _list_due(session, now)
    return sum(work_at_game(context, game, now, partial(_try_plan, context, seat, now)) for game, seat in due)


def _list_due(session: Session, now: datetime) -> list[tuple[str, int]]:
    due = select(hexed(StoredPlan.game), StoredPlan.seat).join(Game, col(Game.id) == StoredPlan.game)
    due = due.where(col(StoredPlan.due_at) <= now, IS_RUNNING)
    due = due.where(col(Game.suspended_at).is_(None)).order_by(col(StoredPlan.due_at)).limit(MOST_AT_ONCE)
    found = ((read_id(game), seat) for game, seat in session.exec(due))
    return [(game, seat) for game, seat in found if not is_unreadable(game)]


def _try_plan(context: Context, seat: int, now: datetime, game_id: str) -> int:
    # the plan is evaluated before the write transaction, so that no other writer waits meanwhile
    with context.reading() as session:
        row = session.get_one(Game, game_id)
        history = require_started(context.history_of(session, row))
        kept = load_plan(session, row, history, seat)
        reader = load_people(session, game_id).get(seat)
    with (
        use_locale(DEFAULTS if reader is None else reader.preferences),
        open_unit(context, now, game=game_id) as unit,
    ):
        game = load_running_game(context, unit.session, game_id, history.after)
        if not _claim(unit, game_id, seat, now):
            return 0
        _play_or_miss(unit, game, seat, kept)
        unit.commit()
    return 1


def _play_or_miss(unit: UnitOfWork, game: RunningGame, seat: int, kept: PlanContext | None) -> None:
    table = game.history.position.table
    is_due = kept is not None and table.seat == seat and kept.is_due(table)
    if kept is not None and is_due and isinstance(kept.outlook, PlannedTurn):
        try:
            play(unit, game, seat, write_lines(kept.outlook, table.board), Channel.PLAN)
            return
        except LinesRefused:
            pass  # for example after a resignation
    own = update(StoredPlan).where(col(StoredPlan.game) == game.row.id, col(StoredPlan.seat) == seat)
    unit.session.connection().execute(own.values(missed=True))


def write_lines(turn: PlannedTurn, board: Board) -> Sequence[OrderLine]:
    actions = (write(action, board) for action in turn.actions)
    return parse_lines([*actions, *(spell_out(order, board) for order in turn.beyond)], board)


def _claim(unit: UnitOfWork, game: str, seat: int, now: datetime) -> bool:
    """Reserve a due plan, so that only one of several processes plays it; return whether it was reserved."""
    own = update(StoredPlan).where(col(StoredPlan.game) == game, col(StoredPlan.seat) == seat)
    own = own.where(col(StoredPlan.due_at) <= now)
    return unit.session.connection().execute(own.values(due_at=None)).rowcount == 1


def find_plan(context: Context, session: Session, game: Game, seat: int) -> PlanContext | None:
    return load_plan(session, game, require_started(context.history_of(session, game)), seat)


def list_planned_acts(session: Session, game: str, history: History, seat: int | None) -> frozenset[int]:
    """Return the numbers of the acts played by plans, as far as a viewer may know; `seat` None: an onlooker.

    In a running game, a player may know only the acts of the player's own plans; after its end, of all plans.
    """
    if not isinstance(history, StartedHistory):
        return frozenset()
    planned = select(Act.seq).where(Act.game == game, Act.door == Channel.PLAN)
    if not history.position.table.over:
        if seat is None:
            return frozenset()
        planned = planned.where(Act.seat == seat, col(Act.seq) >= history.player_since(seat))
    return frozenset(session.exec(planned))


def hold_for_plan(
    context: Context, session: Session, letters: Sequence[WaitingLetter], now: datetime
) -> WaitingLetter | None:
    """Delay a due letter about a turn, and the letters merged into it, if the player's plan will be played.

    Returns the letter about the turn, or None if nothing is delayed. Does not commit.
    """
    told = next((one for one in letters if one.row.kind == game_letters.YourTurn.kind), None)
    if told is None or told.row.due_at > now:
        return None
    plan = session.get(StoredPlan, (told.row.game, told.row.seat))
    if plan is None or plan.due_at is None or now >= plan.due_at + LETTER_WAITS:
        return None
    kept = find_plan(context, session, session.get_one(Game, told.row.game), told.row.seat)
    if kept is None or not isinstance(kept.outlook, PlannedTurn):
        return None
    for one in letters:
        if one is told or (one.row.due_at <= now and covers(told, one)):
            one.row.due_at = max(plan.due_at, now) + LETTER_FOLLOWS
    return told
