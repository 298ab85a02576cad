"""Somebody on the page of a turn, in a browser: what they touch, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from statistics import median

from playwright.sync_api import Locator, Page, expect

from engine.actions import Action, End, Occupy, TakeOver
from engine.march_rules import Path as Way
from engine.notation.orders import write
from engine.position import View
from engine.provinces import province_at
from tests.browser.hands import Hands, spot_on
from tests.browser.served import Served
from tests.newcomers.adapter import next_actions


class Person(Hands):
    """Somebody who touches only what they see: counts what they touch, and how often they have to scroll."""

    def __init__(self, window: Page, *, touches: bool) -> None:
        super().__init__(window)
        self.touches, self.taps, self.scrolls = touches, 0, 0

    def press(self, what: Locator) -> None:
        if not what.evaluate(IS_SEEN):
            self.scrolls += 1
        self.taps += 1
        what.tap() if self.touches else what.click()

    def press_at(self, board: Locator, x: float, y: float) -> None:
        at, box = spot_on(board, x, y), board.bounding_box()
        assert box
        if not (0 < at["x"] < box["width"] and 0 < at["y"] < box["height"]):
            self.press(self.window.locator(".zoom button"))  # the page shows a part of the board
            at = spot_on(board, x, y)
        if not board.evaluate(IS_SPOT_SEEN, [x, y]):
            self.scrolls += 1
        self.taps += 1
        board.tap(position=at) if self.touches else board.click(position=at)

    def do(self, known: View, actions: tuple[Action, ...]) -> None:
        """A conquest by the button that offers it, at once or when its land was touched."""
        if not isinstance(last := actions[-1], Occupy | TakeOver):
            super().do(known, actions)
            return
        words = write(last, known.table.board)
        if not self.button(words).count():
            land = str(province_at(known.table, last.guards[0]).first)
            shown = f'svg.board a.land[data-province="{land}"]'
            self.press_on_land(self.window.locator(shown), last.guards[0])
            self.settle()
        if self.button(words).count():
            self.choose(words)
        else:
            self.place_guards(last.guards)
        self.settle()

    def march(self, card: str, path: Way) -> None:
        """A card, where another one is shown; a corner on the board; another way where that is wanted."""
        button = self.window.locator(f'.dock button[name="card"][value="{card}"]')
        if button.count() and button.get_attribute("aria-pressed") != "true":
            self.press(button)
            self.settle()
        self.press_on_corner(str(path[-1]))
        expect(self.window.locator(".drafted")).to_be_visible()
        while (meant := self.meant) and meant != "-".join(map(str, path)):
            self.press(self.nearer(path))
            expect(self.way).not_to_have_attribute("data-path", meant)


IS_SEEN = """(here) => {
    const { left, top, right, bottom } = here.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const there = document.elementFromPoint(x, y);
    const part = there !== null && there.contains(here) && there.closest("a, button, label");
    return there !== null && (here.contains(there) || Boolean(part));
}"""
IS_SPOT_SEEN = """(here, [x, y]) => {
    const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(here.getScreenCTM());
    const there = document.elementFromPoint(left, top);
    return there !== null && (here.contains(there) || here === there);
}"""


def steps_of_turn(place: Served, game: str, turn: int) -> Iterator[View]:
    """What whoever is to move knows before each step of a turn, each of which has to do something."""
    while not (now := place.position(game)).table.over and now.table.turn == turn:
        drafted = place.drafted(game)
        yield place.known(game)
        assert (place.position(game), place.drafted(game)) != (now, drafted), "nothing was done"


def play_turn_on_page(person: Person, place: Served, game: str) -> None:
    """Play a turn step by step as a player of the house would."""
    for known in steps_of_turn(place, game, place.table(game).turn):
        person.do(known, (End(),) if place.is_complete(game) else next_actions(known))


def play_first_offer(person: Person, place: Served, game: str) -> None:
    """Choose the first whole turn that is offered, and play it, with all that it stops before."""
    turn, offered = place.table(game).turn, person.window.locator(".whole button").first
    expect(offered).to_be_visible()
    person.press(offered)
    person.settle()
    for _ in steps_of_turn(place, game, turn):
        following = person.window.locator(".verb.next")
        person.press(following.first if following.count() else person.button("end"))
        person.settle()


def ninth(numbers: Iterable[float]) -> float:
    """The ninetieth percentile: nine of ten are no more."""
    found = sorted(numbers)
    return found[max(0, ceil(len(found) * 0.9) - 1)]


def told(what: str, numbers: Sequence[float]) -> str:
    """Median, ninetieth percentile and most, as a figure that a run prints."""
    return (
        f"{what}: median {median(numbers):g}, 90% {ninth(numbers):g}, most {max(numbers):g} ({len(numbers)})"
    )
