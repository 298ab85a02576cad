"""Sixty hours without a relay, by a clock that is moved: nobody loses a turn, each gets one letter a game."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage

import pytest

from emails.tokens import Ticket
from server import clock as keeper
from server.clock import ClockWatch
from server.delivery.relay import RecipientLocks, RelayAway
from server.delivery.sending import send_due_letters, send_operator_mails
from server.inbox import dispatch, intake
from server.store.states import MomentName
from tests.faults.visits import quiet_orders
from tests.server.desk import NOON, Collector, Desk

HOURS = 60
STEP = timedelta(hours=11)
PEOPLE = (("Anna", "Ben", "Cleo"), ("Anna", "Dirk"), ("Cleo", "Dirk", "house"))


@dataclass
class Weekend(Collector):
    away: bool = False

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        if self.away:
            raise RelayAway("The relay cannot be reached.")
        super().send(sender, recipient, raw)


@dataclass
class Office:
    """What the loops of a server do, at moments that are told."""

    context: Desk
    relay: Weekend
    now: datetime = NOON
    watched: bool = True
    """Whether time in which the relay is away is nobody's."""
    step: timedelta = STEP
    lanes: RecipientLocks = field(default_factory=RecipientLocks)

    def __post_init__(self) -> None:
        self.watch = ClockWatch(self.context, lambda: (self.now - NOON).total_seconds())

    def round(self) -> None:
        while self._work():
            pass

    def _work(self) -> int:
        steady = self.watch.look(self.now)
        done = dispatch.process_waiting_mail(self.context, self.now)
        if not self.watched:
            self.forget_that_it_is_away()
        done += keeper.tick(self.context, self.now) if steady else 0
        done += send_due_letters(self.context, self.relay, self.now, locks=self.lanes)
        return done + send_operator_mails(self.context, self.relay, self.now)

    def forget_that_it_is_away(self) -> None:
        with self.context.changing() as session:
            session.connection().exec_driver_sql("DELETE FROM moment WHERE name = 'relay-away'")

    def pass_time(self, span: timedelta) -> None:
        ends = self.now + span
        while self.now < ends:
            self.now += self.step
            self.context.note_moment(MomentName.HEARTBEAT, self.now)  # by another, so it is no standstill
            self.round()

    def answer(self, game: str) -> None:
        """Let whose turn it is play it by mail."""
        row, name = self.context.game_row(game), self.context.mover(game).lower()
        position = self.context.position_of(game)
        address = self.context.links.reply_address(Ticket(game, position.table.seat, row.after))
        words = "\r\n".join(quiet_orders(position))
        mail = f"From: {name}@example.org\r\nMessage-ID: <{game}{row.after}@example.org>\r\n\r\n{words}\r\n"
        intake.store_mail(self.context, f"{name}@example.org", address, mail.encode(), self.now)
        self.round()
        assert self.context.game_row(game).seq > row.seq


def spend_weekend(office: Office) -> tuple[list[str], list[EmailMessage]]:
    """Three games beside a healthy relay, then the weekend: a turn in one of them, and its return at last."""
    games = [office.context.start_game(*people, hours=48) for people in PEOPLE]
    for name in ("Anna", "Ben", "Cleo", "Dirk"):
        office.context.set_preferences(games[name == "Dirk"], name, everywhere=True, pictures=False)
    office.round()
    office.relay.away = True
    office.pass_time(timedelta(hours=5))
    office.answer(games[0])
    office.answer(games[0])
    office.answer(games[1])
    office.pass_time(timedelta(hours=HOURS - 5))
    assert office.lanes.relay.seconds_away > 0
    before = len(office.relay.mails)
    office.relay.away = False
    office.now += timedelta(seconds=5)
    office.round()
    return games, office.relay.mails[before:]


def by_the_clock(context: Desk, games: Iterable[str]) -> list[str]:
    lost = set(select(context, "SELECT game FROM act WHERE door = 'clock'"))
    return [game for game in games if game in lost]


def select(context: Desk, query: str) -> list[str]:
    with context.reading() as session:
        return [str(row[0]) for row in session.connection().exec_driver_sql(query)]


@pytest.fixture
def office(context) -> Office:
    return Office(context, Weekend())


@pytest.mark.parametrize(
    "step", [STEP, pytest.param(timedelta(minutes=10), marks=[pytest.mark.breadth])], ids=["rare", "often"]
)
def test_a_weekend_without_relay_takes_no_turn_and_every_letter_leaves_at_its_end(step, office, figure):
    office.step = step
    games, came = spend_weekend(office)
    assert by_the_clock(office.context, games) == []
    told = Counter((str(mail["To"]), str(mail["List-Id"])) for mail in came)
    assert set(told.values()) == {1}
    movers = {f"{office.context.mover(game).lower()}@example.org" for game in games[:2]}
    assert movers <= {str(mail["To"]) for mail in came}
    for game in games:
        ends = office.context.game_row(game).deadline
        assert ends is not None
        assert ends >= office.now + timedelta(hours=24), "a reminder's time is left, at least"
    assert {*select(office.context, "SELECT DISTINCT state FROM outgoing")} <= {"sent", "dropped"}
    figure(f"60 h without relay: turns lost 0, {len(came)} letters at once on its return")


@pytest.mark.breadth
def test_control_where_nobody_minds_that_the_relay_is_away_a_turn_is_lost(office):
    office.watched = False
    games, _ = spend_weekend(office)
    assert by_the_clock(office.context, games)
