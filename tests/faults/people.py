"""People who play on, by links and mails, while a server is killed under them: each deed until it is done."""

import random
from dataclasses import dataclass, field
from threading import Event, Thread

from tests.faults.house import House
from tests.faults.judging import Deed
from tests.faults.visits import NotAnswered, until

LINKS, MAILS = "link", "reply"


@dataclass
class Table:
    """A game whose people play by turns until they are asked to end; the last turn is ended."""

    place: House
    people: tuple[str, ...]
    dice: random.Random
    deeds: list[Deed] = field(default_factory=list)
    games: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    tried: int = 0
    """How often they have begun to do something."""
    open: Event = field(default_factory=Event)
    """Set while the server runs."""
    enough: Event = field(default_factory=Event)

    def start(self) -> None:
        self.games.append(self.place.open_game(*self.people))
        self.thread = Thread(target=self._play, name="+".join(self.people), daemon=True)
        self.thread.start()

    def _play(self) -> None:
        try:
            while not self.enough.is_set():
                self._play_turn()
        except Exception as error:  # it is told by the test
            self.wrong.append(repr(error))

    def _play_turn(self) -> None:
        turn = self.place.turn(self.games[-1])
        if not turn.lines:
            self.games.append(self.place.open_game(*self.people))
            return
        if not turn.by_a_person:
            until(lambda: self.place.seq(turn.game) > turn.after or self.enough.is_set(), "the house plays")
            return
        if self.dice.random() < 0.6:
            self._do(Deed(turn, MAILS, turn.lines, self.place.next_message_id()))
        else:
            while turn.lines and (turn.game, turn.seat) == (self.games[-1], turn.seat) and turn.by_a_person:
                self._do(Deed(turn, LINKS, turn.lines[:1]))
                further = self.place.turn(turn.game)
                if further.seat != turn.seat:
                    return
                turn = further

    def _do(self, deed: Deed) -> None:
        """Do something, and the same again until the server says that it is done."""
        self.deeds.append(deed)
        while not deed.answered:
            self.open.wait()
            try:
                self.attempt(deed)
            except NotAnswered:
                self.open.wait(0.02)
                Event().wait(0.02)
        done = deed.turn.after
        until(lambda: self.place.seq(deed.turn.game) > done, f"{deed.door} {deed.said} is played")

    def attempt(self, deed: Deed) -> None:
        self.tried += 1
        if deed.door == MAILS:
            code = self.place.write_order(deed.turn, deed.message_id)
            if code >= 500:
                self.wrong.append(f"a mail is refused: {code}")
            deed.answered = code == 250
        else:
            status = self.place.press(self.place.link(deed.turn, deed.said))
            overtaken = status < 500 and self.place.seq(deed.turn.game) > deed.turn.after
            if status >= 500:
                self.wrong.append(f"a press is answered with {status}")
            deed.answered = status == 200 or overtaken
