"""A year that players play on the server itself, whose time a test gives it, with all that comes between.

The server is a real one: its database, its loops, its outbox. Only its clocks and its relay are the test's.
What is right is worked out once more, from what the players told and what was seen at the border.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from random import Random

from sqlmodel import Session, col, func, select

from emails.terms import AbsenceRule
from engine import bots
from server.accounts.vacations import end_vacations, store_rest, take_vacation
from server.admin.interventions import suspend_game
from server.clock import note_mailbox
from server.lobby.leaving import come_back
from server.lobby.votes import VoteRefused, ask_extension
from server.store.game_terms import SeatRequest
from server.store.models import Act, Game, OutgoingLetter, Seating
from server.store.schedule import clear_moment, write_moment
from server.store.server_facts import GameTerms
from server.store.states import Channel, GameStatus, LetterState, MomentName
from server.turn_time import MORNING, Interval
from server.turns.play import play_turn
from tests.faults.rooms import Server
from tests.faults.times import Times
from tests.server.desk import NOON
from tests.server.time_control.served_people import (
    LEAST_ABSENCE,
    Border,
    Person,
    Table,
    Trip,
    Turn,
    runs_of,
    whole_day,
)
from tests.server.time_control.sleepers import DAY, LAST_DAY, Sleeper, count_outside
from tests.server.time_control.test_year import (
    BEGINS,
    CONTROLS,
    KEPT_TO,
    LENGTHS,
    TimedOut,
    draw_answer,
    mailbox_outages,
    outages,
    wrongs,
)

MINUTE, HOUR, SECOND = timedelta(minutes=1), timedelta(hours=1), timedelta(seconds=1)
ENDS = datetime.combine(LAST_DAY, time(), UTC)
CATCH_UP = timedelta(minutes=10)
"""No turn ends so soon after the server or its mail was down."""
TIME_TO_COME_BACK = timedelta(hours=6)
"""What the page of days away tells: so much there is at least once they were changed."""
HEARTBEAT = timedelta(seconds=10)
"""How far it is from one to the next: by so much a server may take an outage for longer than it was."""
LONGEST_NIGHT = timedelta(hours=12)
"""From 22:00 to 9:00, and an hour more when clocks are set."""
TRIED_AGAIN = timedelta(minutes=9)
"""By then a mail server has brought what it could not bring before, for it tries every five minutes."""
DAYS_AWAY = [1, 2, 4, 9, 16, 30]
"""How long somebody is away who tells it amid their turn."""
SETTINGS = {
    "ALEXANDROS_UNASKED_PER_DAY": "1000000",
    "ALEXANDROS_MAIL_IN": "imaps://play:word@mail.example.org/INBOX",  # in which nobody looks but this test
}


class ServedYear:
    """The year: what happens at which moment, and what of it was wrong."""

    hands: tuple[str, ...] = ("clock", "delivery 1")
    """The loops of the server that work all the time."""
    allowances: tuple[int | None, ...] = (None, 2, None, 9)
    """Days away in a year for which time stands, of one game after the other."""

    def __init__(
        self,
        folder: Path,
        players: int,
        *,
        turns: int,
        stops: int,
        look_every: timedelta,
        knows_heartbeat: bool = True,
        knows_availability: bool = True,
        knows_mailbox: bool = True,
    ) -> None:
        self._rng, self._turns = Random(players), turns
        self._knows_heartbeat, self._knows_availability = knows_heartbeat, knows_availability
        self._knows_mailbox = knows_mailbox
        self._folder, self._times, self._starts = folder, Times(), 0
        self._times.go_on(BEGINS - NOON)
        self._border = Border(self._times.wall)
        self._server = self._start()
        self._down = outages(self._rng, stops)
        self._unread_since: datetime | None = None
        self._unread = list[Interval]()
        """When the mailbox could not be read, for so long that it counts."""
        self._waiting = list[Callable[[], None]]()
        self._order, self._coming = count(), list[tuple[datetime, int, Callable[[], None]]]()
        self._grants = list[tuple[datetime, timedelta]]()
        """What all turns may have got, and when: time to catch up."""
        self._tables = [self._new_table(number) for number in range(players // 2)]
        self._by_game = dict[str, Table]()
        self.turns = self.timed_out = self.looks = self.kept = self.exceeded = 0
        self.wrong = list[str]()
        self._plan(look_every, stops)

    # --- what is to happen ------------------------------------------------------------------------------

    def _new_table(self, number: int) -> Table:
        control = self._rng.choice(CONTROLS)
        sleepers = (Sleeper.of(self._rng, 2 * number + seat) for seat in range(2))
        names = (f"Anna{number}", f"Ben{number}")
        allowed = control.bank, self.allowances[number % len(self.allowances)]
        return Table(control, [Person(*one, *allowed) for one in zip(sleepers, names, strict=True)])

    def _plan(self, look_every: timedelta, stops: int) -> None:
        for table in self._tables:
            self._at(BEGINS + self._rng.random() * 250 * DAY, lambda table=table: self._open(table))
        for span in self._down:
            self._at(span[0], lambda span=span: self._go_down(*span))
        for number in range(stops // 2):
            since = BEGINS + self._rng.random() * (ENDS - BEGINS)
            self._at(since, lambda: self._set_relay(is_away=True))
            until = since + LENGTHS[number % 5 if number % 20 else 5]
            self._at(until, lambda: self._set_relay(is_away=False))
        for since, until in mailbox_outages(Random(stops), self._down):
            self._at(since, self._lose_mailbox)
            self._at(until, self._find_mailbox)
        for number in range((ENDS - BEGINS) // look_every):
            self._at(BEGINS + number * look_every, self._look)

    def _at(self, when: datetime, what: Callable[[], None]) -> None:
        heappush(self._coming, (when, next(self._order), what))

    @property
    def _now(self) -> datetime:
        return self._times.wall()

    def play(self) -> None:
        while (at := self._next()) < ENDS:
            self._times.go_on(max(at - self._now, timedelta(0)))
            self._note_heartbeat(self._now)
            self._work()
            while self._coming and self._coming[0][0] <= self._now:
                heappop(self._coming)[2]()
                self._work()
        self._look()

    def _next(self) -> datetime:
        """When something happens next: here, or on the server."""
        moments = [self._coming[0][0] if self._coming else ENDS]
        if self._border.missed_since is None:
            with self._server.context.reading() as session:
                games = select(func.min(col(Game.due_at))).where(col(Game.due_at) > self._now)
                waits = (
                    col(OutgoingLetter.state) == LetterState.WAITING,
                    col(OutgoingLetter.due_at) > self._now,
                )
                letters = select(func.min(col(OutgoingLetter.due_at))).where(*waits)
                moments += [one for one in (session.exec(games).one(), session.exec(letters).one()) if one]
        return min(moments)

    # --- the server -------------------------------------------------------------------------------------

    def _start(self) -> Server:
        self._starts += 1
        server = Server(self._folder, self._times, self._border, seed=self._starts, **SETTINGS)
        server._loops.recipient_locks.relay.steady = self._times.steady
        return server

    def _note_heartbeat(self, at: datetime) -> None:
        """The server was at work up to a moment, though it had nothing to do."""
        with self._server.context.writing() as session:
            write_moment(session, MomentName.HEARTBEAT, at)
            session.commit()

    def _go_down(self, since: datetime, until: datetime) -> None:
        """The server ends and is started again, or stands still; what comes meanwhile finds it afterwards."""
        for table in self._by_game.values():
            self._check(table)
        self._note_heartbeat(since - self._rng.random() * HEARTBEAT)
        self._times.go_on(until - self._now)
        if not self._knows_heartbeat:
            with self._server.context.writing() as session:
                clear_moment(session, MomentName.HEARTBEAT)
                session.commit()
        if until - since < LEAST_ABSENCE + HEARTBEAT or self._rng.random() < 0.5:
            self._server.stop()
            self._server = self._start()
        self._grants.append((until, CATCH_UP + HEARTBEAT))
        self._work()
        self._look()

    def _set_relay(self, *, is_away: bool) -> None:
        self._border.is_away = is_away
        if not is_away and self._border.missed_since is not None:
            self._times.go_on(2 * MINUTE)  # within which the server sees that it is there
            self._note_heartbeat(self._now)
            self._grants.append((self._now, CATCH_UP))

    def _lose_mailbox(self) -> None:
        """The mailbox cannot be read after the look that began just now, and the server notices it."""
        if self._unread_since is None:
            self._unread_since = self._now + SECOND
            if self._knows_mailbox:
                note_mailbox(self._server.context, MomentName.MAILBOX_AWAY, self._now)

    def _find_mailbox(self) -> None:
        """It can be read again: what lies there is taken in, and then time goes on."""
        since = self._unread_since
        if since is None:
            return
        waiting, self._waiting = self._waiting, []
        for play in waiting:
            play()
        self._unread_since = None
        if self._now - since >= LEAST_ABSENCE:
            self._unread.append((since, self._now))
            self._grants.append((self._now, CATCH_UP))

    def _work(self) -> None:
        hands = (*self.hands, "house") if self.kept else self.hands
        self._note_deadlines()
        if self._unread_since is None or not self._knows_mailbox:  # a look that begins now, and finds nothing
            note_mailbox(self._server.context, MomentName.MAILBOX_READ, self._now + SECOND)
        self._server.work(*hands)
        with self._server.context.reading() as session:
            fields = Game.id, Game.seq, Game.status, Game.turn_began_at
            rows = session.execute(select(*fields).where(col(Game.suspended_at).is_(None))).all()
            for game, seq, status, began in rows:
                table = self._by_game[game]
                if seq > table.seen:
                    self._follow(session, table)
                turn = table.turn
                if began is not None and turn is not None and turn.began is None:
                    self._begin(table, turn)
                table.is_left |= status == GameStatus.OVER

    def _note_deadlines(self) -> None:
        """Note by which deadlines the clock goes, now that it is to work."""
        with self._server.context.reading() as session:
            for game, due in session.execute(select(Game.id, Game.deadline)).all():
                self._by_game[game].due = due

    def _note_dealt(self, table: Table, at: datetime) -> None:
        """The clock has dealt with a deadline: it was there, it had come, and this is the first time."""
        if table.due is None or table.due > at + KEPT_TO:
            self.wrong.append("a turn was ended that was not due")
        elif table.due in table.dealt:
            self.wrong.append("a deadline was dealt with twice")
        else:
            table.dealt.add(table.due)

    # --- a game -----------------------------------------------------------------------------------------

    def _open(self, table: Table) -> None:
        if self._now > ENDS - 30 * DAY:
            return
        rule = self._rng.choice([AbsenceRule.ALWAYS, AbsenceRule.ALWAYS, AbsenceRule.TURN])
        requests = [SeatRequest(one.name, one.address) for one in table.people]
        control = table.control
        table.game = self._server.context.open_game(
            "Friday",
            requests,
            self._now,
            hours=control.grace // HOUR,
            bank=control.bank // HOUR,
            at_once=True,
            terms=GameTerms(absence=rule, vacation_days=table.people[0].allowance),
        )
        self._by_game[table.game] = table
        self._server.context.confirm(*(one.name for one in table.people))
        with self._server.context.reading() as session:
            seated = select(Seating.name).where(Seating.game == table.game).order_by(col(Seating.seat))
            seats = session.exec(seated).all()
        table.people.sort(key=lambda one: seats.index(one.name))
        for seat, person in enumerate(table.people):
            self._tell_availability(table, seat, person)

    def _tell_availability(self, table: Table, seat: int, person: Person) -> None:
        person.sleeper = person.sleeper.away_after(self._now.astimezone(person.sleeper.zone).date())
        had = person.sleeper.availability
        person.planned = [one.first for one in had.vacations]
        reminded = {} if self._rng.random() < 0.3 else {"reminders": False}
        self._server.context.set_preferences(
            table.game, person.name, everywhere=True, now=self._now, zone=had.zone, pictures=False, **reminded
        )
        if not self._knows_availability:
            return
        sleeps = (had.sleeps_from, had.sleeps_until) if had.sleeps_from and had.sleeps_until else None

        def tell(session: Session, player: int) -> None:
            store_rest(session, player, sleeps, had.days_off, self._now)
            for first, last in runs_of(person.planned):
                take_vacation(session, player, first, last, self._now)

        self._change(table, seat, tell)

    def _change(self, table: Table, seat: int, change: Callable[[Session, int], object]) -> None:
        """Let the player of a seat change what they wish."""
        with self._server.context.writing() as session:
            player = session.get_one(Seating, (table.game, seat)).player
            assert player is not None
            change(session, player)
            session.commit()

    def _follow(self, session: Session, table: Table) -> None:
        acts = select(Act).where(Act.game == table.game, Act.seq > table.seen).order_by(col(Act.seq))
        for act in session.exec(acts).all():
            table.seen, turn, at = act.seq, table.turn, datetime.fromisoformat(act.at)
            if act.door == Channel.CLOCK:
                self._note_dealt(table, at)
            if '"seat_kept"' in act.events and act.seat is not None:
                self.kept += 1
                back = at + self._rng.random() * 6 * DAY
                self._at(back, lambda table=table, seat=act.seat: self._come_back(table, seat))
            if '"turn_ended"' in act.events and turn is not None:
                self._end(table, turn, act, at)
            elif act.door == Channel.CLOCK:
                self.wrong.append("the clock did something that ended no turn")
        row = session.get_one(Game, table.game)
        ended = table.turn is None or table.turn.number != row.turn
        if ended and row.seat is not None and row.status == GameStatus.RUNNING:
            person, bank = table.people[row.seat], timedelta(seconds=row.bank_left)
            if bank > person.bank:
                self.wrong.append("a reserve has grown")
            person.bank = bank
            table.turn = Turn(row.turn, row.seat, self._now, bank)
            if min(one.taken for one in table.people) >= self._turns:
                table.is_left = True
                self._at(self._now, lambda: self._leave(table))

    def _end(self, table: Table, turn: Turn, act: Act, at: datetime) -> None:
        """A turn has ended: by its player, by the clock, or by a caretaker who keeps the seat."""
        person = table.people[turn.seat]
        self.turns, person.taken = self.turns + 1, person.taken + 1
        table.turn = None
        if act.seat != turn.seat:
            self.wrong.append("a turn was ended for another")
        if act.door == Channel.WEB:
            person.missed = 0
            return
        person.missed += 1
        if act.door == Channel.CARETAKER:
            return
        self.timed_out, table.timed_out = self.timed_out + 1, table.timed_out + 1
        if turn.began is None:
            self.wrong.append("before its letter had left")
            return
        if turn.answer is not None and turn.answer < at:
            self.wrong.append("though its player had answered in time")
        had = table.control.grace + turn.bank + turn.given
        found = TimedOut(turn.began, at, had)
        self.exceeded += person.is_exceeded(turn.began, at)
        stops = sum(turn.began < until <= at for _, until in self._down)
        more = turn.more + (stops + 1) * HEARTBEAT
        if person.sleeper.availability.sleep is None:  # it may have been due at night
            more += LONGEST_NIGHT
        nobodys = [*self._down, *self._border.missed, *self._unread]
        if self._unread_since is not None:
            nobodys.append((self._unread_since, ENDS))
        down = [span for span in nobodys if span[0] < at and span[1] > turn.began]
        self.wrong += wrongs(person, found, down, more)

    def _begin(self, table: Table, turn: Turn) -> None:
        """The letter of a turn has left: its player will answer, go away, or get more time from the other."""
        person, at = table.people[turn.seat], self._now
        letters = [one for one in self._border.taken.get(person.address, []) if one >= turn.came]
        if not letters:
            self.wrong.append("its time began before its letter had left")
            return
        turn.began = letters[0]
        had = table.control.grace + turn.bank
        turn.answer = draw_answer(self._rng, at, table.control.grace, had)
        if table.people[1 - turn.seat].missed:  # or nobody would be left
            turn.answer = at + self._rng.random() * table.control.grace
        if turn.answer is not None:
            self._at(turn.answer, lambda: self._answer(table, turn))
        deed = self._rng.choice([None, None, None, self._go_away, self._give_time])
        if deed is not None:
            self._at(at + self._rng.random() * had, lambda: deed(table, turn))

    # --- what players do --------------------------------------------------------------------------------

    def _is_on(self, table: Table, turn: Turn) -> bool:
        return table.turn is turn and turn.began is not None and not table.is_left

    def _answer(self, table: Table, turn: Turn) -> None:
        """What a player does arrives, or where the server was down a little later."""
        if not self._is_on(table, turn):
            return
        if self._unread_since is not None:
            self._waiting.append(lambda: self._play(table, turn))
            return
        written = turn.answer or self._now
        if not turn.is_delayed and any(since < written < until for since, until in self._down):
            turn.is_delayed = True
            self._at(self._now + self._rng.random() * TRIED_AGAIN, lambda: self._answer(table, turn))
            return
        self._play(table, turn)

    def _play(self, table: Table, turn: Turn) -> None:
        if not self._is_on(table, turn):
            return
        self._check(table)
        row = self._server.row(table.game)
        play_turn(self._server.context, table.game, row.after, bots.stand_in, Channel.WEB, self._now)

    def _go_away(self, table: Table, turn: Turn) -> None:
        """Somebody tells amid their turn that they go away, and may be back sooner."""
        person = table.people[turn.seat]
        today = self._now.astimezone(person.sleeper.zone).date()
        days = [today + number * DAY for number in range(self._rng.choice(DAYS_AWAY))]
        planned = {one.first for one in person.sleeper.availability.vacations}
        near = any(one.until > self._now - 3 * DAY for one in person.trips)
        if not self._is_on(table, turn) or near or planned & {today - DAY, *days, days[-1] + DAY}:
            return
        self._check(table)
        self._change(
            table,
            turn.seat,
            lambda session, player: take_vacation(session, player, today, days[-1], self._now),
        )
        _, ends = whole_day(days[-1], person.sleeper.zone)
        person.trips.append(Trip(today, days[-1], self._now, ends))
        self._allow(table, turn)
        if self._rng.random() < 0.4:
            self._at(self._now + self._rng.random() * (ends - self._now), lambda: self._return(table, turn))

    def _return(self, table: Table, turn: Turn) -> None:
        """Whoever went away is back before their days are over."""
        person = table.people[turn.seat]
        trip = person.trips[-1]
        if table.is_left or not trip.since < self._now < trip.until:
            return
        self._check(table)
        self._change(table, turn.seat, lambda session, player: end_vacations(session, player, self._now))
        trip.last, trip.until = self._now.astimezone(person.sleeper.zone).date(), self._now
        self._allow(table, table.turn if table.turn is not None and table.turn.seat == turn.seat else turn)

    def _allow(self, table: Table, turn: Turn) -> None:
        """So much more there may be, once what is protected has changed."""
        turn.more += TIME_TO_COME_BACK
        turn.perhaps += TIME_TO_COME_BACK
        self._check(table)

    def _give_time(self, table: Table, turn: Turn) -> None:
        if not self._is_on(table, turn):
            return
        self._check(table)
        before = self._server.row(table.game).seq
        try:
            given = 1 - turn.seat, Channel.WEB
            self._server.context.committed(self._now, ask_extension, table.game, *given)
        except VoteRefused:
            return
        with self._server.context.reading() as session:
            row = session.get_one(Game, table.game)
            added = self._server.context.history_of(session, row).agreements.extension
        if added is not None and added.seq > before:
            turn.given += added.hours * HOUR
            if turn.looked is not None:
                turn.looked = turn.looked[0], turn.looked[1] + added.hours * HOUR
        self._check(table)

    def _come_back(self, table: Table, seat: int) -> None:
        if not table.is_left:
            self._server.context.committed(self._now, come_back, table.game, seat, Channel.WEB)

    def _leave(self, table: Table) -> None:
        """Enough turns were played: the game is halted for good.

        Not while its letter may be the only one that waits for the relay: the absence would end with it, as
        far as the server goes, and nothing is seen of that at the border.
        """
        if self._border.missed_since is not None:
            self._at(self._now + HOUR, lambda: self._leave(table))
        elif self._server.row(table.game).status == GameStatus.RUNNING:
            self._server.context.committed(self._now, suspend_game, table.game)

    # --- what is looked at ------------------------------------------------------------------------------

    def _look(self) -> None:
        """Look at what is left of all turns, and that none waits for nothing."""
        for table in self._by_game.values():
            self._check(table)

    def _check(self, table: Table) -> None:
        """What is left of a turn is what was left, without what was counted: nobody gives or takes any."""
        turn = table.turn
        stands = self._border.missed_since is not None or self._unread_since is not None
        if table.is_left or turn is None or stands:
            return
        row = self._server.row(table.game)
        if row.turn_began_at is None and not self._border.is_away and self._now - turn.came > CATCH_UP:
            self.wrong.append("waits for a letter that does not come")
        if row.deadline is None or turn.began is None or row.turn != turn.number:
            return
        if row.deadline <= self._now:
            self.wrong.append("its time is up, and the clock does nothing")
        person, self.looks = table.people[turn.seat], self.looks + 1
        left = count_outside(self._now, row.deadline, person.spans(self._now, max(row.deadline, self._now)))
        if turn.looked is not None:
            at, before = turn.looked
            spans = (*self._down, *self._border.missed, *self._unread)
            nobodys = [span for span in spans if span[1] > at and span[0] < self._now]
            expected = before - count_outside(at, self._now, (*person.spans(at, self._now), *nobodys))
            granted = sum((more for when, more in self._grants if at <= when <= self._now), timedelta(0))
            granted += turn.perhaps
            had = person.sleeper.availability
            morning = row.deadline.astimezone(person.sleeper.zone).time() == MORNING
            moved = had.sleep is None and morning  # it would have ended at night
            if left > expected + granted + SECOND and not moved:
                self.wrong.append(f"time has grown: {left - expected - granted} {table.game}")
            if left < expected - SECOND:
                self.wrong.append(f"time was taken: {expected - left} {table.game}")
        turn.looked, turn.perhaps = (self._now, left), timedelta(0)
