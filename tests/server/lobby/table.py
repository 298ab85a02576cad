"""A game whose players vanish, resign, come back and are replaced, for the tests of the lobby."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from email.message import EmailMessage

from emails.terms import AbsenceRule
from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from engine.event_log import check_log
from server.admin import backups
from server.admin.backups import examine_stored_acts
from server.clock import tick
from server.lobby import leaving
from server.lobby.games import find_or_create_player
from server.store import load_boards
from server.store.context import Context, RecentlyUsed
from server.store.event_log import History
from server.store.game_terms import SeatRequest
from server.store.models import AbsentSeat, Act, Game, OfferedSeat, Resignation, Seating
from server.store.server_facts import GameTerms
from server.store.states import Channel
from tests.server import desk
from tests.server.beginnings import begin_once
from tests.server.desk import NOON, Clock, Collector
from tests.server.lobby.voting import answers


@dataclass(frozen=True)
class Table:
    """A game of a server, with its mails and its clock."""

    context: Context
    mails: Collector
    clock: Clock
    game: str = ""

    def open(self, rule: AbsenceRule, *names: str) -> Table:
        """Open a game (default: of Anna and Ben) whose first turn has begun; its letters wait."""
        requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in names or ("Anna", "Ben")]
        terms = GameTerms(absence=rule)
        game = self.context.open_game("Friday", requests, NOON, at_once=True, terms=terms)
        return replace(self, game=self.context.begin_time(game))

    def begin(self, rule: AbsenceRule, *names: str) -> Table:
        opened = self.open(rule, *names)
        opened.deliver()
        return opened

    def once(self, begin: Callable[[], Table], *known_by: str) -> Table:
        """Return the game that `begin` makes of this table, made once in a process (`begin_once`)."""

        def game() -> str:
            return begin().game

        name = f"{begin.__module__} {begin.__qualname__}"
        return replace(
            self, game=begin_once(self.context, self.mails, game, name, *known_by, clock=self.clock)
        )

    def left_alone(self, *names: str) -> Table:
        """Begin a game in which the first player vanishes at once, and a caretaker keeps the seat."""

        def with_first_gone() -> Table:
            game = self.begin(AbsenceRule.SEAT, *names)
            game.time_out()
            return game

        return self.once(with_first_gone, *names)

    def vacant(self) -> Table:
        """Begin a game of three in which the first player is late twice in a row."""

        def with_first_late() -> Table:
            game = self.begin(AbsenceRule.TURN, "Anna", "Ben", "Cleo")
            game.let_first_vanish()
            return game

        return self.once(with_first_late)

    @property
    def names(self) -> tuple[str, ...]:
        return self.context.names_of(self.game)

    @property
    def row(self) -> Game:
        return self.context.game_row(self.game)

    @property
    def history(self) -> History:
        return self.context.history(self.game)

    @property
    def acts(self) -> list[Act]:
        return self.context.rows_of(Act, Act.game == self.game)

    @property
    def kept(self) -> list[int]:
        """The seats for which a caretaker plays, of all games."""
        return self.context.rows_of(AbsentSeat.seat)

    @property
    def offered(self) -> list[int]:
        """The seats that are offered to substitutes, of all games."""
        return self.context.rows_of(OfferedSeat.seat)

    @property
    def resigned(self) -> list[int]:
        """The seats that were given up, of all games."""
        return self.context.rows_of(Resignation.seat)

    @property
    def faults(self) -> list[str]:
        return list(examine_stored_acts(self.context))

    def check(self) -> None:
        """See that all that is stored follows from the acts, and that the log replays."""
        assert self.faults == []
        before = self.context.projected(self.game)
        self.context.rebuild()
        assert self.context.projected(self.game) == before
        assert self.faults == []
        known = self.history
        self.context.history_cache = RecentlyUsed()
        assert self.history == known
        lines = [line.encode() for line in backups.export_log(self.context, self.game)]
        *_, (_, last) = check_log(lines, load_boards())
        names = known.position.table.names  # of the players now
        assert replace(last, table=last.table.but(names=names)) == known.position

    def seating(self, seat: int) -> Seating:
        with self.context.reading() as session:
            return session.get_one(Seating, (self.game, seat))

    def player(self, seat: int = 0) -> int:
        """Return the id of the player on a seat."""
        return self.context.player_of(self.game, seat)

    def prefer(self, name: str, **changes: object) -> None:
        self.context.set_preferences(self.game, name, **changes)

    def count(self, fact: str) -> int:
        """How many acts of the game contain a kind of fact."""
        return sum(fact in act.events for act in self.acts)

    def deliver(self, hours: float = 0) -> None:
        """Do all work of the server, so many hours later."""
        self.context.work_until_idle(self.mails, self.clock.forward(hours))

    def play(self) -> None:
        self.context.say(self.game, *self.context.turn_words(self.game), "end")

    def play_on(self) -> None:
        """Play the turn, and send what follows an hour later."""
        self.play()
        self.deliver(1)

    def time_out(self) -> None:
        """Let the time of the turn pass, and do what follows."""
        self.clock.forward(48)
        tick(self.context, self.clock.forward(0.1))
        self.deliver()

    def let_first_vanish(self) -> None:
        """Let the first player be late until their seat is offered, and the others play meanwhile."""
        self.time_out()
        while not self.offered:
            if self.row.seat == 0:
                self.time_out()
            else:
                self.play_on()

    def resign(self, seat: int) -> bool:
        return self.context.resign(self.game, seat, Channel.WEB, self.clock())

    def take_back(self, seat: int = 1, player: int | None = None) -> bool:
        """Let the player of a seat, or another, take the resignation back."""
        work = leaving.take_back_resignation
        back = self.player(seat) if player is None else player
        return self.context.committed(self.clock(), work, self.game, seat, back, Channel.WEB)

    def come_back(self, seat: int = 0) -> bool:
        """Let the player of a seat come back from an absence."""
        now = self.clock()
        return self.context.committed(now, leaving.come_back, self.game, seat, Channel.WEB)

    def known(self, name: str) -> int:
        """Return the id of a player of the server, who need not play here."""
        return known(self.context, name, self.clock)

    def take(self, name: str = "Dirk") -> int:
        """Let a substitute take the seat that is offered."""
        return leaving.take_offered_seat(self.context, self.game, self.known(name), name, self.clock())

    def vote(self, seat: int, answer: VoteAnswer = VoteAnswer.GO_ON, about: int = 0) -> VoteOutcome:
        """Let the player of a seat vote on an empty seat."""
        kind = VoteKind.EMPTY_SEAT
        return answers(self.context, self.game, seat, kind, answer, self.clock(), about)

    def unread(self, seat: int) -> list[str]:
        """The messages that no letter has brought to a seat yet."""
        return self.context.unread(self.game, seat)

    def kinds(self, name: str) -> list[str]:
        return desk.kinds(self.mails.to(name))

    def letters(self, name: str, kind: str) -> list[EmailMessage]:
        return [one for one in self.mails.to(name) if desk.kinds([one]) == [kind]]

    def last_words(self, name: str, kind: str) -> str:
        """The words of the last letter of a kind to a player, on one line."""
        return desk.words_of(self.letters(name, kind)[-1])


def known(context: Context, name: str, clock: Clock) -> int:
    """Return the id of a player of the server, who need not play in a game."""
    with context.changing() as session:
        return find_or_create_player(session, name, f"{name.lower()}@example.org", "en", clock()).id
