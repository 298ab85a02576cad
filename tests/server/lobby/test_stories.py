"""Stories of players who ask, vote, nudge, vanish and return.

The stories in `lobby/stories` have the keys of `tests/server/stories.py`, and these:

- `absence`: rule of absences; `organiser`: name of whoever has opened the game; `gone`: the first player has
  vanished, and a caretaker has played their first turn

A step has these further keys:

- `does`: a player, what they do or ask for (a key of `DEEDS`), and more about it
- `votes`: a player, a vote, an answer, and the player (or number of a seat) that it is about
- `gives`: the outcome of either; `denied`: why either is refused
- `asked`: players with a vote to answer; `kept`: players for whom a caretaker plays; `offered`: players whose
  seats are offered; `skipped`: players whose turns are skipped
- `mover`, `resigned` in a step without a mail too
- `paused`: end of the pause, or `false`; `status`: state of the game

Letters leave in a step only if it has a key of `MAIL`; what else is due happens in each. After a story all
that is stored must follow from the acts.
"""

from functools import partial
from pathlib import Path

import pytest

from emails.terms import AbsenceRule
from emails.wording.requests import VoteAnswer, VoteKind
from server.clock import tick
from server.lobby import leaving, votes
from server.lobby.votes import nudge, unanswered_votes
from server.store.event_log import Refusal, require_started
from server.store.models import AbsentSeat, OfferedSeat, Seating
from server.store.server_facts import GameTerms
from server.store.states import Channel
from tests.server.beginnings import begin_once
from tests.server.desk import NOON, SeatRequest
from tests.server.lobby.table import Table
from tests.server.stories import Story, stories, tell

DEEDS = {
    "more time": partial(votes.ask_extension, channel=Channel.WEB),
    "pause": lambda unit, game, seat, until=None: votes.ask_pause(unit, game, seat, Channel.WEB, until),
    "resume": partial(votes.end_pause, channel=Channel.WEB),
    "resign": partial(leaving.resign, channel=Channel.WEB),
    "come back": partial(leaving.come_back, channel=Channel.WEB),
    "take back": lambda unit, game, seat: leaving.take_back_resignation(
        unit, game, seat, unit.session.get_one(Seating, (game, seat)).player, Channel.WEB
    ),
    "nudge": lambda unit, game, seat: nudge(unit, game, seat).name,
}


MAIL = {"after", "says", "turns", "letters", "shows", "unread"}


class LobbyStory(Story):
    keys = Story.keys | set("does votes gives denied asked kept offered skipped paused status".split())

    def __init__(self, context, carrier, story, case):
        super().__init__(context, carrier, story, case)
        self.filled.known["fourth"] = self.names[-1]

    def work(self, relay=None):
        if self.sends:
            super().work(relay)
        else:
            tick(self.context, self.clock())

    def begin(self, story):
        self.sends = True
        names, organiser = story.get("players", ("Anna", "Ben", "Cleo")), story.get("organiser")
        if not {"absence", "organiser"} & story.keys():
            return super().begin(story)

        def begin() -> str:
            seats = [SeatRequest(name, f"{name.lower()}@example.org") for name in names]
            terms = GameTerms(absence=AbsenceRule(story.get("absence", "")))
            opener = organiser and f"{organiser.lower()}@example.org"
            game = self.context.open_game("Friday", seats, NOON, at_once=True, organiser=opener, terms=terms)
            self.work()
            if story.get("gone"):
                self.clock.forward(48.1)
                self.work()
            return game

        known_by = (*names, str(organiser), story.get("absence", ""), str(story.get("gone")))
        return begin_once(self.context, self.carrier, begin, *known_by, clock=self.clock)

    def step(self, step):
        self.sends = bool(MAIL & step.keys())
        super().step(step)

    def do_does(self, deed, step):
        name, what, *more = deed
        self.try_to(step, DEEDS[what], name, *more)

    def do_votes(self, vote, step):
        name, kind, answer, *about = vote
        seats = [one if isinstance(one, int) else self.seat(one) for one in about]
        self.try_to(step, votes.cast_vote, name, VoteKind(kind), VoteAnswer(answer), Channel.WEB, *seats)

    def try_to(self, step, work, name, *more):
        """Do something for a player, which gives what is expected or is denied."""
        if "denied" in step:
            with pytest.raises(Refusal) as refused:
                self.commit(work, self.game, self.seat(name), *more)
            assert str(refused.value) == step["denied"]
        else:
            assert self.commit(work, self.game, self.seat(name), *more) == step["gives"]

    def check(self, step, sent, acts):
        super().check(step, sent, acts)
        row = self.context.game_row(self.game)
        with self.context.reading() as session:
            history = require_started(self.context.history_of(session, row))
            asked = [bool(unanswered_votes(session, row, history, seat, self.clock())) for seat in self.seats]
        found = {
            "asked": self.named(seat for seat in self.seats if asked[seat]),
            "kept": self.named(self.context.rows_of(AbsentSeat.seat)),
            "offered": self.named(self.context.rows_of(OfferedSeat.seat)),
            "resigned": self.named(history.resigned),
            "skipped": self.named(history.skipped),
            "mover": self.names[row.seat] if row.seat is not None else None,
            "paused": history.agreements.pause_ends or False,
            "status": row.status,
        }
        assert found | {key: step[key] for key in found.keys() & step.keys()} == found

    def named(self, seats):
        return [self.names[seat] for seat in sorted(seats)]

    @property
    def seats(self):
        return range(len(self.names))


@pytest.mark.parametrize(("story", "case"), stories(Path(__file__).parent / "stories"))
def test_a_story(context, carrier, story, case):
    told = tell(context, carrier, story, case, LobbyStory)
    Table(context, carrier, told.clock, told.game).check()
