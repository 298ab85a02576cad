"""A whole game, from whose positions letters are made to be looked at: the one that ships with the house.

Nothing here depends on a clock, on chance or on a setting.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from emails.keys import KeyRing
from emails.letters.contexts import GameLetterContext
from emails.links import LinkBuilder
from emails.replies.clerk.turn_proposals import ask_which_turn, explain_proposal, propose
from emails.terms import TurnTime
from emails.wording.questions import OrderQuestion, ask_which
from engine.actions import ActionRefused, Ambiguous
from engine.board import Board
from engine.bots.characters import CHARACTERS
from engine.editions import EDITIONS
from engine.event_log import check_start, decode
from engine.events import AlexanderMarched, CardChosen, Event, TurnEnded
from engine.evolve import evolve, replay
from engine.notation.grammar import read
from engine.position import Position, View, VisibleEvent, veil_event, view
from engine.rules import decide, perform

SAMPLE_LOG = Path(__file__).with_name("sample_game.jsonl")
SAMPLE_LINKS = LinkBuilder(
    "https://play.example.org", "play.example.org", KeyRing((b"the secret of the gallery",))
)
GAME, NAME = "abcdefgh", "Spring"
NOW = datetime(2027, 1, 12, 18, tzinfo=UTC)
DEADLINE = NOW + timedelta(days=2)
HOURS = 48
HEAD = "abcdefghijklmnopqrst"
"""What a head of the log looks like, whatever has happened."""
with SAMPLE_LOG.open(encoding="utf-8") as _log:
    EDITION = EDITIONS[json.loads(_log.readline())["edition"]]

IN_OWN_WORDS = {
    "en": "I'd like the amphora, Zeus willing,, off to Bucephala (not H32) and a card from the deck please",
    "nl": "Doe mij de kruik, bij Zeus, lekker naar Bucephala (niet H32) en een kaart van de stapel graag",
}
"""What somebody wrote as they talk, by their language."""


def propose_turns(known: View, language: str) -> tuple[str, OrderQuestion | None]:
    """What is answered to that: a sentence, and the turns that it may mean."""
    found = propose([IN_OWN_WORDS[language]], known, {}, (language,))
    return explain_proposal(found), ask_which_turn(found, known)


@dataclass(frozen=True)
class SampleGame:
    """A whole game: its events, and the position after each of them."""

    events: tuple[Event, ...]
    positions: tuple[Position, ...]

    @staticmethod
    def from_lines(lines: Iterable[str], board: Board) -> SampleGame:
        """The game of a log, a line for each event."""
        events = tuple(decode(json.loads(line), board) for line in lines)
        positions = [replay(board, events[:1])]
        for event in events[1:]:
            positions.append(evolve(positions[-1], event))
        return SampleGame(events, tuple(positions))

    def letter_context(self, at: int, seat: int) -> GameLetterContext:
        """What `seat` knows after `at` events, and what happened since its last turn."""
        log = self.events[:at]
        ended = (number for number, event in enumerate(log) if event == TurnEnded(seat))
        begun = max(ended, default=0) + 1
        position = self.positions[at - 1]
        table = position.table
        return GameLetterContext(
            game=GAME,
            name=NAME,
            view=view(position, seat),
            since=tuple(veil_event(event, seat) for event in log[begun:]),
            before=self.positions[begun - 1].table,
            after=at,
            deadline=None if table.over or table.names[table.seat] in CHARACTERS else DEADLINE,
            turn_time=TurnTime.of_hours(HOURS),
            links=SAMPLE_LINKS,
            now=NOW,
            house=tuple(name for name in table.names if name in CHARACTERS) if at == 1 else (),
            head=f"{at}-{HEAD}",
        )

    def turn_starts(self) -> list[tuple[int, int]]:
        """For each turn after how many events it begins, and whose it is."""
        found: dict[int, tuple[int, int]] = {}
        for number, position in enumerate(self.positions, 1):
            if position.table.phase == "card":
                found[position.table.turn] = (number, position.table.seat)
        return list(found.values())

    def action_starts(self) -> list[tuple[int, int]]:
        """For each march after how many events the actions begin, and whose they are."""
        return [
            (number, self.positions[number - 1].table.seat)
            for number, event in enumerate(self.events, 1)
            if isinstance(event, AlexanderMarched)
        ]

    def told_to(self, seat: int) -> tuple[VisibleEvent, ...]:
        """All of it, as a seat hears it."""
        return tuple(veil_event(event, seat) for event in self.events)

    def refusal_of(self, at: int, seat: int, order: str) -> ActionRefused:
        """Why an order cannot be done after so many events; `ValueError` if it can."""
        position = self.positions[at - 1]
        try:
            decide(position, seat, read(order, view(position, seat)), lambda cards: next(iter(cards)))
        except ActionRefused as refusal:
            return refusal
        raise ValueError(f"{order} can be done")

    def question_about(
        self, at: int, seat: int, before: Sequence[str], order: str, rest: Sequence[str]
    ) -> OrderQuestion:
        """What an order can mean after so many events and `before`; `ValueError` if it is one thing only."""
        position = self.positions[at - 1]
        for line in before:
            action = read(line, view(position, seat))
            position = evolve(position, perform(position, action, lambda cards: next(iter(cards))))
        known = view(position, seat)
        try:
            read(order, known)
        except Ambiguous as refusal:
            return ask_which(refusal, known, before, rest)
        raise ValueError(f"{order} can mean one thing only")

    def branch(self, at: int, event: Event) -> SampleGame:
        """The game with another event after so many, and none after that."""
        events, positions = self.events[:at], self.positions[:at]
        return SampleGame((*events, event), (*positions, evolve(positions[-1], event)))

    def dealt_to(self, names: tuple[str, ...]) -> SampleGame:
        """The beginning of the game, were these its players."""
        started = replace(check_start(self.events[0]), seats=names)
        return SampleGame((started,), (replay(self.positions[0].table.board, (started,)),))

    def last_turn_of(self, context: GameLetterContext, seat: int) -> tuple[VisibleEvent, ...]:
        """What a seat did in its last turn, from the card on, as the reader of the letter hears it."""
        log = self.events[: context.after]
        end = max(number for number, event in enumerate(log) if event == TurnEnded(seat))
        begun = max(number for number, event in enumerate(log[:end]) if isinstance(event, CardChosen))
        return tuple(veil_event(event, context.view.me) for event in log[begun : end + 1])


@lru_cache(maxsize=4)
def load_sample_game(board: Board) -> SampleGame:
    """The game that ships with the house: of three players, won by the first."""
    return SampleGame.from_lines(SAMPLE_LOG.read_text("utf-8").splitlines(), board)
