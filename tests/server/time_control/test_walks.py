"""The deadline that the server moves step by step is the one that follows from what was done."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from functools import partial
from random import Random

import pytest
from sqlmodel import Session, select

from emails.terms import TurnTime
from engine import bots
from server.accounts.bounces import clear_bounce_of_seat, record_bounce
from server.accounts.vacations import VacationRefused, end_vacations, store_rest, take_vacation
from server.admin.interventions import lift_suspension, suspend_game
from server.clock import give_back_downtime, tick
from server.lobby.votes import VoteRefused, ask_extension, ask_pause, end_pause
from server.outbox.queue import UnitOfWork
from server.outbox.timed_letters import end_absence
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.models import Game, OutgoingLetter, Seating
from server.store.schedule import write_moment
from server.store.server_facts import GameTerms
from server.store.states import Channel, GameStatus, MomentName
from server.store.turn_clock import load_availability
from server.turn_time import Interval, TimeControl, UnavailableTimes, always_available, protected_intervals
from server.turns.play import play_turn
from tests.breadth import first, spread
from tests.server.desk import NOON
from tests.server.time_control.seat_clock import ClockHistory, TurnTaken, due, remaining

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
CONTROLS = ((12, 24, 0), (24, 0, 0), (2, 30, 3), (48, 96, 4))
"""Hours of a turn, of the bank, and of what fills it up."""
ALLOWANCES = (None, None, 0, 1, 4)
PAUSES = (MINUTE, MINUTE, HOUR, 2 * HOUR, 7 * MINUTE, HOUR, 5 * HOUR, DAY)
PEOPLE = ("Anna", "Ben")


@dataclass
class SeatRecord:
    """What was done that the clock of one seat goes by."""

    turns: list[TurnTaken] = field(default_factory=list)
    told: list[tuple[datetime, UnavailableTimes]] = field(default_factory=list)
    bounced: list[Interval] = field(default_factory=list)
    bounced_at: datetime | None = None
    is_late: bool = False
    """Whether their last turn was played for them: twice in a row, and a caretaker has the seat."""


class Walk:
    """A game of two on an office of its own, and what was done in it."""

    def __init__(self, context: Context, seed: int) -> None:
        self._context, self._rng, self._now = context, Random(seed), NOON
        hours, bank, refill = self._rng.choice(CONTROLS)
        self._control = TimeControl.of(TurnTime.of_hours(hours, bank, refill))
        seats = [SeatRequest.read(f"{name} <{name.lower()}@example.org>") for name in PEOPLE]
        self._allowance = Random(f"days of {seed}").choice(ALLOWANCES)
        terms = GameTerms(vacation_days=self._allowance)
        clock = {"hours": hours, "bank": bank, "refill": refill}
        self._game = context.open_game("Friday", seats, NOON, **clock, at_once=True, terms=terms)
        self._seats = [SeatRecord() for _ in PEOPLE]
        self._down: list[Interval] = []
        self._lost: list[Interval] = []
        self._paused: list[Interval] = []
        self._relay_since: datetime | None = None
        self._suspended_at: datetime | None = None
        self._paused_at: datetime | None = None
        self.timed_out = 0
        self.done: list[str] = []
        """What was done, and how often time was up: for whoever looks why a walk fails."""

    @property
    def row(self) -> Game:
        return self._context.game_row(self._game)

    @property
    def _record(self) -> SeatRecord:
        return self._seats[self.row.seat or 0]

    def history_of(self, seat: int) -> ClockHistory:
        """What was done, as the pure clock takes it."""
        one = self._seats[seat]
        since = (self._relay_since, self._suspended_at, self._paused_at, one.bounced_at)
        stops = [at for at in since if at is not None]
        return ClockHistory(
            self._control,
            tuple(one.turns),
            lost=(*self._lost, *((at, self._now) for at in stops)),
            down=tuple(self._down),
            halts=(*self._paused, *one.bounced),
            told=tuple(one.told),
            stopped_at=min(stops, default=None),
        )

    def step(self) -> bool:
        """Let time pass and something happen; whether the game goes on."""
        self._pass_time(self._rng.choice(PAUSES) + self._rng.randrange(1, 90) * MINUTE)
        stops = [
            (self._pause_or_go_on, self._paused_at),
            (self._halt_or_go_on, self._suspended_at),
            (self._relay, self._relay_since),
            (self._bounce_or_arrive, self._seats[0].bounced_at or self._seats[1].bounced_at),
        ]
        steps = [one for one, since in stops for _ in range(1 if since is None else 4)]
        steps += [self._go_down, self._give_time, *[self._play, self._begin, self._wish] * 3]
        chosen = self._rng.choice(steps)
        if self.row.status == GameStatus.RUNNING:
            self.done.append(f"{self._now:%m-%d %H:%M} {chosen.__name__}")
            chosen()
            self._note_acts()
            self.compare()
        return self.row.status == GameStatus.RUNNING

    def compare(self) -> None:
        """Deadline and bank are those that follow from what was done."""
        row = self.row
        if row.status != GameStatus.RUNNING or row.seat is None:
            return
        history = self.history_of(row.seat)
        if self._relay_since is None:
            ends = due(history, always_available, self._now)
            assert row.deadline == ends, (row.deadline, ends, row.seat, history.turns[-1:], self.done[-12:])
        bank = replace(history, turns=tuple(one for one in history.turns if one.ended is not None))
        left = remaining(bank, always_available, self._now).bank
        assert timedelta(seconds=row.bank_left) == left, self.done

    # --- time -------------------------------------------------------------------------------------------

    def _pass_time(self, by: timedelta) -> None:
        """Go on to a later moment; each deadline on the way is dealt with, once."""
        until = self._now + by
        while self._relay_since is None and self.row.status == GameStatus.RUNNING:
            ends = self.row.deadline
            if ends is None or ends > until:
                break
            if self._record.is_late and ends - MINUTE > self._now:
                self._now = ends - MINUTE
                self._play()
            else:
                self._time_out(ends)
            self._note_acts()
            self.compare()
            until = max(until, self._now + MINUTE)
        self._now = until
        turn = self.row.turn
        if self._relay_since is None:
            tick(self._context, self._now)
            self._note_acts()
        assert self.row.turn == turn, self.done

    def _time_out(self, ends: datetime) -> None:
        record, turn = self._record, self.row.turn
        tick(self._context, ends - timedelta(seconds=1))
        assert self.row.turn == turn, self.done
        tick(self._context, ends)
        self._now, self.timed_out = ends, self.timed_out + 1
        self.done.append(f"{ends:%m-%d %H:%M} time is up")
        record.turns[-1] = replace(record.turns[-1], ended=ends)
        record.is_late = True
        for _ in range(2):
            assert self.row.turn == turn + 1 or self.row.status == GameStatus.OVER, self.done
            tick(self._context, ends)

    # --- what happens -----------------------------------------------------------------------------------

    def _begin(self) -> None:
        """The letter of a turn leaves, or while the relay is away its player has the page before them."""
        if self.row.turn_began_at is None:
            self._context.begin_time(self._game, self._now)

    def _note_acts(self) -> None:
        """Note whose time has begun, and what halts a clock or does no more, by whatever way."""
        row, turns = self.row, self._record.turns
        if row.status != GameStatus.RUNNING:
            return
        if row.turn_began_at is not None and not (turns and turns[-1].ended is None):
            turns.append(TurnTaken(self._now))
        with self._context.reading() as session:
            history = self._context.history_of(session, row)
        self._paused_at = self._note_halt(history.agreements.is_paused, self._paused_at, self._paused)
        for seat, one in enumerate(self._seats):
            one.bounced_at = self._note_halt(history.is_clock_paused(seat), one.bounced_at, one.bounced)

    def _note_halt(self, stands: bool, since: datetime | None, over: list[Interval]) -> datetime | None:
        if since is not None and not stands:
            over.append((since, self._now))
        return (since or self._now) if stands else None

    def _play(self) -> None:
        if self._suspended_at is not None:
            return
        record, row = self._record, self.row
        if row.turn_began_at is None:
            self._begin()
            return
        play_turn(self._context, self._game, row.after, bots.stand_in, "web", self._now)
        record.turns[-1] = replace(record.turns[-1], ended=self._now)
        record.is_late = False

    def _give_time(self) -> None:
        """The other gives the turn more time, where it can get any."""
        row = self.row
        if self._suspended_at is not None or not self._ask(ask_extension, 1 - (row.seat or 0)):
            return
        with self._context.reading() as session:
            added = self._context.history_of(session, self.row).agreements.extension
        if added is not None and row.seq < added.seq == self.row.seq:
            turn, gift = self._record.turns[-1], (self._now, added.hours * HOUR)
            self._record.turns[-1] = replace(turn, given=(*turn.given, gift))

    def _pause_or_go_on(self) -> None:
        """All agree on a pause, or one of them ends it."""
        if self._suspended_at is not None:
            return
        if self._paused_at is not None:
            self._ask(end_pause, 0)
        elif self._ask(ask_pause, 0):
            self._ask(ask_pause, 1)

    def _ask(self, what: Callable[..., object], seat: int) -> bool:
        with suppress(VoteRefused):
            self._context.committed(self._now, what, self._game, seat, Channel.WEB)
            return True
        return False

    def _halt_or_go_on(self) -> None:
        """The operator halts the game, or lets it go on."""
        if self._suspended_at is None:
            self._context.committed(self._now, suspend_game, self._game)
            self._suspended_at = self._now
        else:
            self._context.committed(self._now, lift_suspension, self._game)
            self._lost.append((self._suspended_at, self._now))
            self._suspended_at = None

    def _go_down(self) -> None:
        """The server is down for a while; the relay may be away before and after it."""
        since = self._now
        until = since + self._rng.choice((*PAUSES, 6 * DAY)) + self._rng.randrange(1, 90) * MINUTE
        with self._context.changing() as session:
            write_moment(session, MomentName.HEARTBEAT, since)
        give_back_downtime(self._context, until)
        self._down.append((since, until))
        self._now = until

    def _relay(self) -> None:
        with self._context.changing() as session:
            if self._relay_since is None:
                write_moment(session, MomentName.RELAY_AWAY, self._now)
                self._relay_since = self._now
            else:
                end_absence(self._context, session, MomentName.RELAY_AWAY, self._now)
                self._down.append((self._relay_since, self._now))
                self._relay_since = None

    def _bounce_or_arrive(self) -> None:
        """A letter to somebody comes back for good, or their address is good after all."""
        seat = self._rng.randrange(len(PEOPLE))
        if self._suspended_at is not None:
            return
        if self._seats[seat].bounced_at is None:
            self._context.committed(self._now, self._bounce, seat)
        else:
            self._context.committed(self._now, clear_bounce_of_seat, self._game, seat)

    def _bounce(self, unit: UnitOfWork, seat: int) -> None:
        chosen = select(OutgoingLetter).where(OutgoingLetter.game == self._game, OutgoingLetter.seat == seat)
        letter = unit.session.exec(chosen).first()
        if letter is not None:
            letter.sent_at = unit.now
            record_bounce(unit, letter, "no such mailbox", reported=False)

    def _wish(self) -> None:
        """Somebody sleeps at another time, has other days off, goes away or is back."""
        seat = self._rng.randrange(len(PEOPLE))
        change = self._rng.choice([self._sleep, self._go_away, self._come_back])
        with self._context.changing() as session:
            player = session.get_one(Seating, (self._game, seat)).player
            assert player is not None
            try:
                change(session, player)
            except VacationRefused:
                return
        with self._context.reading() as session:
            told = replace(load_availability(session, player, self._game), yearly_allowance=self._allowance)
            self._seats[seat].told.append((self._now, partial(protected_intervals, told)))

    def _sleep(self, session: Session, player: int) -> None:
        begins, off = self._rng.randrange(24), self._rng.choice([(), (5, 6), (1,)])
        sleeps = self._rng.choice([None, (time(begins), time((begins + 8) % 24))])
        store_rest(session, player, sleeps, frozenset(off), self._now)

    def _go_away(self, session: Session, player: int) -> None:
        first = self._now.date() + self._rng.choice([0, 0, 1, 3]) * DAY
        take_vacation(session, player, first, first + self._rng.choice([0, 1, 5, 80]) * DAY, self._now)

    def _come_back(self, session: Session, player: int) -> None:
        end_vacations(session, player, self._now)


STEPS, FEW_STEPS = 60, 20
SEEDS = [7, 10, *range(100, 150)]
"""In the first two the relay goes away amid turns that are played in the meantime."""


@pytest.mark.parametrize("seed", first(1, SEEDS[:3]))
def test_deadline_and_bank_do_so_in_the_first_steps_of_a_few_games(context, seed):
    walk = Walk(context, seed)
    walk.compare()
    for _ in range(FEW_STEPS):
        if not walk.step():
            break
    assert len(walk.done) >= FEW_STEPS / 2


@pytest.mark.parametrize("seed", [*spread(2, SEEDS[:2]), *spread(8, SEEDS[2:])])
def test_at_each_step_of_a_game_its_deadline_and_its_bank_follow_from_what_was_done(context, seed):
    walk = Walk(context, seed)
    for _ in range(STEPS):
        if not walk.step():
            break
