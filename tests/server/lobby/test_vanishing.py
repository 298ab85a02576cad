"""Any seat may vanish and return at any event: each game ends properly, and nothing is done twice in it.

So it is in the middle of a turn, and where two servers work at one database: at each event what a player does
goes to one of them, and both do at that moment what the clock does.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random

import pytest
from sqlmodel import Session, select

from emails.terms import AbsenceRule
from emails.wording.requests import SEAT_ANSWERS, VoteAnswer, VoteKind
from engine import bots
from engine.notation.orders import write
from engine.notation.parser import parse_lines
from engine.plans import TurnPlan
from engine.position import view
from server.accounts.vacations import VacationRefused, end_vacations, take_vacation
from server.admin.backups import examine_stored_acts
from server.clock import give_back_downtime, keep_deadlines
from server.lobby.games import find_or_create_player
from server.lobby.leaving import come_back, offered_seats, resign, take_back_resignation, take_offered_seat
from server.lobby.votes import MOST_EXTENSIONS, ask_extension, ask_pause, cast_vote, end_pause
from server.outbox.queue import UnitOfWork, open_unit
from server.store.context import Context
from server.store.event_log import Refusal, require_started
from server.store.game_terms import SeatRequest
from server.store.models import Act, Game, Seating, StoredPlan
from server.store.schedule import write_moment
from server.store.server_facts import LONGEST_PAUSE, GameTerms
from server.store.states import PERSONAL_CHANNELS, Channel, GameStatus, MomentName
from server.turns.bot_turns import play_bot_turns
from server.turns.play import (
    PLAN_PAUSE,
    PlanRefused,
    keep_plan,
    load_running_game,
    play,
    play_due_plans,
    play_turn,
    withdraw_plan,
)
from tests.breadth import first
from tests.engine.planners import random_plan
from tests.server.desk import NOON, PEOPLE, at_once, desk

HOURS = 24
MOST_EVENTS = 600
"""In one game: no game goes on for longer, whoever vanishes."""
OUTAGES = tuple(timedelta(minutes=one) for one in (1, 1, 10, 60, 60, 600, 5 * 24 * 60))
RARITIES = ("turns left", "plans played", "vacations", "outages", "plans of a kept seat")
"""What comes in some of fifty games, whoever vanishes in them."""
MORE_RARITIES = ("substitutes", "turns skipped", "plans of a skipped seat", "plans of the replaced")
Deed = Callable[[UnitOfWork], object]


class Table:
    """A game whose players come and go by dice, on one server or on two that share a database."""

    def __init__(self, servers: Sequence[Context], dice: Random) -> None:
        self.servers, self.dice, self.now = servers, dice, NOON
        self.own_dice, self.waiting_dice = copy(dice), Random(copy(dice).random())
        names = PEOPLE[: dice.randint(2, 4)]
        requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in names]
        terms = GameTerms(absence=dice.choice(list(AbsenceRule)))
        self.comes_back = terms.absence == AbsenceRule.TURN and self.own_dice.random() < 0.5
        organiser = dice.choice(["", "anna@example.org"])
        self.game = servers[0].open_game(
            "Friday", requests, NOON, hours=HOURS, at_once=True, organiser=organiser, terms=terms
        )
        self.seats = range(len(names))
        self.gone: set[int] = set()
        self.strangers = 0
        self.kept_by: dict[int, int] = {}
        """Of each seat for which a plan waits, the number of the player who has made it."""
        self.met: Counter[str] = Counter()
        """How often each of `RARITIES` came."""

    @property
    def context(self) -> Context:
        """One of the servers, by the dice where there are several."""
        return self.servers[0] if len(self.servers) == 1 else self.dice.choice(self.servers)

    def at_once(self, *works: Callable[[], object]) -> None:
        """Do all of it, at one moment where there are several servers; what is refused changes nothing."""
        if len(self.servers) > 1:
            assert at_once(*works) == []
            return
        for work in works:
            with suppress(Refusal):
                work()

    def do(self, deed: Deed) -> None:
        """Do something, if it can be done; what is refused changes nothing."""
        with suppress(Refusal):
            self.context.committed(self.now, deed)

    def step(self) -> None:
        dice, row = self.dice, self.context.game_row(self.game)
        self.context.begin_time(self.game, self.now)
        self.resign_or_not()
        self.wait_or_not()
        seat, chance = dice.choice(self.seats), dice.random()
        if chance < 0.2:
            self.gone ^= {seat}
            if seat not in self.gone:
                self.do(lambda unit: come_back(unit, self.game, seat, Channel.WEB))
        elif chance < 0.22:
            self.substitute()
        elif chance < 0.23:
            self.do(lambda unit: resign(unit, self.game, seat, Channel.WEB))
        elif chance < 0.4 and seat not in self.gone:
            about = dice.choice(sorted(self.gone) or self.seats)
            answer, said = dice.choice([*SEAT_ANSWERS, SEAT_ANSWERS[1]]), dice.choice(list(VoteAnswer)[:2])
            other_vote = dice.choice([VoteKind.MORE_TIME, VoteKind.PAUSE])
            game, web = self.game, Channel.WEB
            say = dice.choice(
                [
                    *[lambda unit: cast_vote(unit, game, seat, VoteKind.EMPTY_SEAT, answer, web, about)] * 3,
                    lambda unit: cast_vote(unit, game, seat, other_vote, said, web),
                    lambda unit: ask_extension(unit, game, seat, web),
                    lambda unit: ask_pause(unit, game, seat, web),
                    lambda unit: end_pause(unit, game, seat, web),
                ]
            )
            for _ in range(dice.randint(1, 2)):
                self.do(say)
        elif row.seat is not None and row.seat not in self.gone:
            if chance < 0.5:
                self.begin_turn(row.seat, row.after)
            else:
                self.play(row.after)
        else:
            wait = timedelta(hours=HOURS * 2.5) if row.paused_at is None else LONGEST_PAUSE
            self.now += wait
        for _ in range(dice.randint(1, 2)):
            self.at_once(*(partial(keep_clock, one, self.now) for one in self.servers))
        self.check_plans()

    def substitute(self) -> None:
        """Two strangers press at once for a seat that is offered, if one is: one has it and plays."""
        with self.context.changing() as session:
            offered = {one.seat for one in offered_seats(session, self.game)}
            self.strangers += 2
            names = [f"Stranger {self.strangers - one}" for one in (0, 1)]
            people = [
                find_or_create_player(session, one, f"{one[9:]}@example.net", None, self.now).id
                for one in names
            ]
        took: list[int] = []

        def press(context, player: int, name: str) -> None:
            took.append(take_offered_seat(context, self.game, player, name, self.now))

        self.at_once(*(partial(press, self.context, *who) for who in zip(people, names, strict=True)))
        assert set(took) <= offered
        assert len(took) == len(set(took)) <= len(offered)
        self.gone -= set(took)
        self.met["substitutes"] += len(took)

    def resign_or_not(self) -> None:
        """By dice of its own, in some games in which one can come back: somebody resigns, or is back."""
        seat, chance = self.own_dice.choice(self.seats), self.own_dice.random()
        if self.comes_back and chance < 0.04:
            self.do(lambda unit: resign(unit, self.game, seat, Channel.WEB))
        elif self.comes_back and chance < 0.3:
            self.take_back(seat)

    def wait_or_not(self) -> None:
        """By dice of their own: somebody plans or goes away, all servers stand still, or seconds pass."""
        seat, chance = self.waiting_dice.choice(self.seats), self.waiting_dice.random()
        if chance < 0.25:
            self.plan(seat)
        elif chance < 0.28:
            with self.context.changing() as session:
                withdraw_plan(session, self.game, seat)
        elif chance < 0.31 and seat not in self.gone:
            self.go_away(seat)
        elif chance < 0.34:
            self.stand_still()
        elif chance < 0.7:
            self.now += PLAN_PAUSE

    def plan(self, seat: int) -> None:
        """A plan is kept for the next turn of a seat, in half of the cases one that asks for nothing."""
        dice = self.waiting_dice
        with self.context.writing() as session, suppress(PlanRefused):
            row = session.get_one(Game, self.game)
            history = require_started(self.context.history_of(session, row))
            made = random_plan(history.position, seat, dice)
            if dice.random() < 0.5:
                made = TurnPlan(tuple(replace(one, conditions=()) for one in made.alternatives))
            keep_plan(session, row, history, seat, made, self.now)
            session.commit()
            self.kept_by[seat] = player_of(session, self.game, seat)

    def go_away(self, seat: int) -> None:
        """A player says that they are away for some days, or that they are back."""
        first = self.now.date() + timedelta(days=self.waiting_dice.choice((0, 0, 1, 3)))
        last = first + timedelta(days=self.waiting_dice.choice((0, 1, 5)))
        with self.context.writing() as session, suppress(VacationRefused):
            who = player_of(session, self.game, seat)
            if self.waiting_dice.random() < 0.3:
                end_vacations(session, who, self.now)
            else:
                take_vacation(session, who, first, last, self.now)
                self.met["vacations"] += 1
            session.commit()

    def stand_still(self) -> None:
        """All servers are down for minutes or days, and start again."""
        with self.context.changing() as session:
            write_moment(session, MomentName.HEARTBEAT, self.now)
        self.now += self.waiting_dice.choice(OUTAGES)
        give_back_downtime(self.context, self.now)
        self.met["outages"] += 1

    def check_plans(self) -> None:
        """Each plan is that of whoever has its seat now, and nobody has one who has resigned."""
        with self.context.reading() as session:
            row = session.get_one(Game, self.game)
            history = self.context.history_of(session, row)
            holders = {seat: player_of(session, self.game, seat) for seat in self.seats}
            waiting = session.exec(select(StoredPlan.seat).where(StoredPlan.game == self.game)).all()
        assert not waiting or row.status == GameStatus.RUNNING
        for seat in waiting:
            assert seat not in history.resigned
            assert holders[seat] == self.kept_by[seat]
            self.met["plans of a kept seat"] += history.is_caretaken(seat)
            self.met["plans of a skipped seat"] += seat in history.skipped
        self.met["plans of the replaced"] += sum(holders[seat] != who for seat, who in self.kept_by.items())
        self.kept_by = {seat: self.kept_by[seat] for seat in waiting}

    def take_back(self, seat: int) -> None:
        """Whoever has resigned presses the button twice at once."""
        with self.context.reading() as session:
            player = player_of(session, self.game, seat)

        def press(context) -> None:
            context.committed(self.now, take_back_resignation, self.game, seat, player, Channel.WEB)

        self.at_once(*(partial(press, one) for one in (self.servers[0], self.servers[-1])))

    def begin_turn(self, seat: int, after: int) -> None:
        """Whoever is to move does the first things of their turn, by two windows at once, and is gone."""
        deeds = self.dice.randint(1, 3)
        self.at_once(*(partial(self.do_first, one, after, deeds) for one in (self.context, self.context)))
        if self.waiting_dice.random() < 0.5:
            self.plan(seat)
        self.gone.add(seat)
        self.met["turns left"] += 1

    def do_first(self, context, after: int, deeds: int) -> None:
        """So many things of a turn, each an act of its own."""
        for _ in range(deeds):
            with open_unit(context, self.now) as unit:
                game = load_running_game(context, unit.session, self.game, after)
                position = game.history.position
                board, seat = position.table.board, position.table.seat
                words = write(bots.stand_in(view(position, seat)), board)
                after = play(unit, game, seat, parse_lines([words], board), Channel.WEB).history.after
                unit.commit()

    def play(self, after: int) -> None:
        """Whoever is to move plays, in the very moment in which the clocks may do so too."""
        context = self.context
        with context.reading() as session:
            row = session.get_one(Game, self.game)
            if row.seat in context.history_of(session, row).resigned:
                return
        turn = [
            partial(play_turn, one, self.game, after, bots.stand_in, Channel.WEB, self.now)
            for one in [context, self.context][: self.dice.randint(1, 2)]
        ]
        others = self.servers[1:]
        self.at_once(*turn, *(partial(keep_clock, one, self.now) for one in others))


def player_of(session: Session, game, seat: int) -> int:
    return session.get_one(Seating, (game, seat)).player


def keep_clock(context, now: datetime) -> None:
    keep_deadlines(context, now)
    play_due_plans(context, now)
    play_bot_turns(context, now)


LoggedAct = tuple[Channel, int | None, list[dict[str, object]]]


def acts_of(context, game) -> list[LoggedAct]:
    return [(one.door, one.seat, json.loads(one.events)) for one in context.rows_of(Act, Act.game == game)]


def check_log(acts: Sequence[LoggedAct], seats: int) -> None:
    """Each turn ended once, in the order of the seats, and nothing that happens once happened twice."""
    turn, paused, kept = 1, False, set[object]()
    in_turn: Counter[tuple[int, object]] = Counter()
    over, offered, resigned, passed = 0, set[object](), set[object](), set[object]()
    for door, seat, fact in ((door, seat, one) for door, seat, act in acts for one in act):
        passed &= kept | resigned
        if door in PERSONAL_CHANNELS and fact["type"] not in ("seat_returned", "seat_left", "seat_joined"):
            kept.discard(seat)
            offered -= {seat} - resigned
        match fact["type"]:
            case "turn_ended":
                assert fact["seat"] == (turn - 1) % seats
                turn += 1
            case "turn_skipped":
                assert fact["seat"] == (turn - 1) % seats
                assert fact["seat"] in passed & (kept | resigned)
                turn += 1
            case "seat_passed_over":
                assert fact["seat"] in kept | resigned
                assert fact["seat"] not in passed
                passed.add(fact["seat"])
            case "card_chosen" | "alexander_marched" | "alexander_stayed" as done:
                assert fact["seat"] == (turn - 1) % seats
                in_turn[turn, done] += 1
            case "turn_timed_out":
                assert fact["seat"] == (turn - 1) % seats
                in_turn[turn, "timed out"] += 1
            case "time_added":
                in_turn[turn, "time added"] += 1
                assert in_turn[turn, "time added"] <= MOST_EXTENSIONS
            case "game_paused":
                assert not paused
                paused = True
            case "game_resumed":
                assert paused
                paused = False
            case "seat_kept":
                assert fact["seat"] not in kept
                kept.add(fact["seat"])
            case "seat_returned":
                assert fact["seat"] in kept or fact["seat"] in resigned & offered
                kept.discard(fact["seat"])
                offered.discard(fact["seat"])
                resigned.discard(fact["seat"])
            case "seat_resigned":
                assert fact["seat"] not in resigned
                resigned.add(fact["seat"])
            case "seat_offered":
                assert fact["seat"] not in offered
                offered.add(fact["seat"])
            case "seat_joined":
                assert fact["seat"] in offered
                offered.discard(fact["seat"])
                kept.discard(fact["seat"])
                resigned.discard(fact["seat"])
            case "game_ended" | "game_closed":
                over += 1
    assert over == 1
    assert all(number == 1 for (_, what), number in in_turn.items() if what != "time added")


def play_games(folder: Path, seed: int, many: int, servers: int = 1) -> Counter[str]:
    """Play so many games to their end; how often each of `RARITIES` came in them."""
    contexts = [desk(folder, seed + one) for one in range(servers)]
    context, met = contexts[0], Counter[str]()
    for number in range(many):
        table = Table(contexts, Random(seed * 10_000 + number))
        events = 0
        while context.game_row(table.game).status != GameStatus.OVER:
            table.step()
            events += 1
            assert events < MOST_EVENTS, (seed, number)
        acts = acts_of(context, table.game)
        check_log(acts, len(table.seats))
        met += table.met
        met["turns skipped"] += sum(fact["type"] == "turn_skipped" for _, _, act in acts for fact in act)
        met["plans played"] += sum(door == Channel.PLAN for door, _, _ in acts)
        before = context.projected(table.game)
        if number % 10 == 0:
            context.rebuild()
            assert context.projected(table.game) == before
    assert list(examine_stored_acts(context)) == []
    return met


def check_unfailed(caplog) -> None:
    """Nothing has failed that a server has put off since."""
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == []


@pytest.mark.breadth
@pytest.mark.parametrize("seed", first(1, [1, 2]))
def test_games_whose_seats_vanish_and_return_end_and_nothing_is_done_twice(tmp_path, seed):
    play_games(tmp_path, seed, 2)


@pytest.mark.breadth
@pytest.mark.systems
@pytest.mark.parametrize("seed", [3, 4])
def test_so_they_do_where_two_servers_work_at_once(tmp_path, caplog, seed):
    play_games(tmp_path, seed, 2, servers=2)
    check_unfailed(caplog)


@pytest.mark.breadth
@pytest.mark.parametrize(("servers", "many"), [(1, 15), (2, 6)])
def test_many_such_games_end(tmp_path, caplog, servers, many):
    assert play_games(tmp_path, 200, many, servers)["turns left"] > 0
    check_unfailed(caplog)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_a_thousand_such_games_end(tmp_path, seed, record_property):
    met = play_games(tmp_path, seed, 50)
    record_property("figure", ", ".join(f"{met[one]} {one}" for one in (*RARITIES, *MORE_RARITIES)))
    assert all(met[one] for one in RARITIES), met
    assert met["substitutes"] or met["turns skipped"], met  # an empty seat is taken or passed over


@pytest.mark.long
@pytest.mark.parametrize("seed", range(300, 310))
def test_two_hundred_end_on_two_servers(tmp_path, caplog, seed):
    met = play_games(tmp_path, seed, 20, servers=2)
    assert met["turns left"]  # substitutes come in some of these twenty alone
    assert met["plans played"]
    check_unfailed(caplog)


WRONG_LOGS = [
    "turn_ended 0, turn_ended 0, game_ended",
    "turn_timed_out 0, turn_timed_out 0, game_ended",
    "card_chosen 0, card_chosen 0, game_ended",
    "card_chosen 1, game_ended",
    "game_paused, game_paused, game_ended",
    "turn_skipped 0, game_ended",
    "seat_passed_over 1, game_ended",
    "seat_resigned 0, seat_passed_over 0, turn_skipped 0, turn_skipped 1, game_ended",
    "seat_kept 1, seat_kept 1, game_ended",
    "seat_returned 1, game_ended",
    "seat_resigned 1, seat_returned 1, game_ended",
    "seat_offered 1, seat_joined 1, seat_joined 1, game_ended",
    "time_added 0, time_added 0, time_added 0, game_ended",
    "game_ended, game_ended",
    "",
]


def facts(written: str) -> list[dict[str, object]]:
    words = [one.split() for one in written.split(", ") if one]
    return [{"type": kind} | ({"seat": int(seat[0])} if seat else {}) for kind, *seat in words]


@pytest.mark.parametrize("written", WRONG_LOGS)
def test_a_log_in_which_something_is_done_twice_is_found(written):
    check_log([(Channel.SERVER, None, facts("turn_ended 0, game_ended"))], 2)
    with pytest.raises(AssertionError):
        check_log([(Channel.SERVER, None, facts(written))], 2)
