"""How people use the pages: with a mouse, a finger, a keyboard, or where no script runs.

What is on the pages stands here, what people want in plans.py.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from playwright.sync_api import Locator, Page, Position, expect

from emails.tokens import unseal_ticket
from engine.actions import Action, March, Occupy, TakeOver
from engine.lattice import Space
from engine.marching import Path
from engine.notation.grammar import write
from engine.position import View

MOST_TABS = 400
LEAST, LEAST_BUTTON = 24, 44
"""Pixels of what is tapped, in both directions (WCAG 2.2, 2.5.8), and of a button of ours."""
LEADS_ON = "here => here.matches('a[href]:not([href^=\"#\"]), button')"
IS_FOCUSED = "here => here === document.activeElement"
IS_AHEAD = """here => Boolean(
    document.activeElement.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING)"""
UNSEEN = """() => {
    const here = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(here);
    const drawn = [...here.querySelectorAll("circle, path")].map((one) => getComputedStyle(one));
    const seen = (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2)
        || drawn.some(({ stroke, strokeWidth }) => stroke !== "none" && parseFloat(strokeWidth) >= 2);
    return seen || here === document.body ? "" : here.outerHTML.slice(0, 150);
}"""


def spot_on(board: Locator, x: float, y: float) -> Position:
    """Where on an element of a page a spot of the board lies."""
    left, top = board.evaluate(
        "(here, [x, y]) => { const { x: left, y: top } = new DOMPoint(x, y).matrixTransform("
        "here.getScreenCTM()); const box = here.getBoundingClientRect();"
        "return [left - box.left, top - box.top]; }",
        [x, y],
    )
    return {"x": left, "y": top}


class Hands:
    """A player with a mouse. `secret` is what tells what a link would do before it is opened."""

    scripted = True

    def __init__(self, window: Page, secret: bytes) -> None:
        self.window, self.secret = window, secret

    # --- what a hand does ---

    def press(self, what: Locator) -> None:
        """Click, tap, or press a key on something that is seen."""
        what.click()

    def press_at(self, board: Locator, x: float, y: float) -> None:
        """The same somewhere on the board, in its own measures."""
        board.click(position=spot_on(board, x, y))

    def see(self, what: Locator) -> Locator:
        """Open the list in which something stands."""
        for closed in reversed(what.locator("xpath=ancestor::details[not(@open)]").all()):
            self.press(closed.locator("summary").first)
        return what

    # --- a game ---

    def come(self, link: str) -> None:
        """Open a link of a letter."""
        self.window.goto(link)

    def wait(self) -> None:
        """Until the game waits for this player, or is over: an open page shows it by itself."""
        shown = self.window.locator("#choices, .course")
        onward = self.window.locator(".title a.button.large")  # to your turn
        expect(shown.or_(onward).first).to_be_visible()
        if not shown.count():
            self.press(onward)

    def do(self, known: View, actions: tuple[Action, ...]) -> None:
        """Do this on the page of a turn: choose it, look at what it would do, press the button."""
        last = actions[-1]
        if isinstance(last, March):
            self.march(write(actions[0], known.table.board), last.path)
        elif isinstance(last, Occupy | TakeOver):
            self.conquer(last.guards)
        else:
            self.choose(write(last, known.table.board))
        with self.window.expect_navigation():  # else the page before could be taken for the one after
            self.press(self.window.locator(".preview form button"))
        expect(self.window.locator(".preview")).to_have_count(0)

    def choose(self, words: str) -> None:
        """Follow the choice that says these words."""
        links = self.window.locator("#choices a.choice")
        said = [self.words(link) for link in links.all()]
        assert words in said, (words, said)
        self.press(self.see(links.nth(said.index(words))))

    def words(self, link: Locator) -> str:
        """What a link would do."""
        token = (link.get_attribute("href") or "").partition("/t/")[2].partition("?")[0]
        return unseal_ticket(token, self.secret).words if token else ""

    def conquer(self, guards: tuple[Space, ...]) -> None:
        """Have a province with guards on these places."""
        form = self.window.locator("#guards form", has=self.place(guards[0]))
        self.find_form(form)
        boxes = form.locator("input[data-space]")
        for box in boxes.all():
            if box.is_checked() != (box.get_attribute("data-space") in map(str, guards)):
                self.tick(box)
        self.press(form.locator("button.button:not(.leave)"))

    def place(self, space: Space) -> Locator:
        """The box of a place where a guard can stand."""
        return self.window.locator(f'input[data-space="{space}"]')

    def find_form(self, form: Locator) -> None:
        """By the province on the board, which tells what it would cost."""
        name = (form.get_attribute("id") or "").removeprefix("guards-")
        land = self.window.locator(f'svg.board a.land[data-province="{name}"]')
        self.press_on_land(land, form)
        panel = self.window.locator(".looked-at")
        expect(panel).to_be_visible()
        self.press(panel.locator(f'a[href="#guards-{name}"]'))
        expect(form.locator(".sum")).to_be_visible()

    def press_on_land(self, land: Locator, form: Locator) -> None:
        """On one of its places: the middle of a land may lie outside of it."""
        space = form.locator("input[data-space]").first.get_attribute("data-space") or ""
        self.press_at(self.window.locator("svg.board"), *self.heart(space))

    def tick(self, box: Locator) -> None:
        """Choose a place on the board."""
        space = box.get_attribute("data-space") or ""
        was = box.is_checked()
        self.press(self.window.locator(f'svg.board .site[data-space="{space}"] path'))
        expect(box).to_be_checked(checked=not was)

    # --- a march ---

    def march(self, card: str, path: Path) -> None:
        """A card, a corner, a way."""
        self.press(self.window.locator(f'a.card[data-card="{card}"]'))
        expect(self.window.locator(f'a.card[data-card="{card}"]')).to_have_attribute("aria-current", "true")
        self.press(self.window.locator(f'svg.board .spot[data-point="{path[-1]}"]'))
        tray = self.window.locator(".tray")
        while self.stage() == "part":
            signs = {sign.get_attribute("data-point"): sign for sign in self.window.locator("a.sign").all()}
            (point,) = signs.keys() & set(map(str, path))
            self.press(signs[point])
            expect(self.window.locator(f'a.sign[data-point="{point}"]')).to_have_count(0)
        self.pick("-".join(map(str, path)))
        self.press(tray.locator(".go"))

    def stage(self) -> str:
        """What the page asks for next, as soon as it knows."""
        found = self.window.locator('.tray:is([data-stage="part"], [data-stage="way"])')
        return found.get_attribute("data-stage") or ""

    @property
    def meant(self) -> str:
        """The way that is meant now."""
        return self.words(self.window.locator(".tray .go")).rpartition(" ")[2]

    def pick(self, path: str) -> None:
        """Point at the way where no other goes; where others go everywhere, turn to it."""
        ways = [
            one.get_attribute("data-path") or "" for one in self.window.locator("#choices a.choice").all()
        ]
        passing = Counter(side for way in ways for side in self.sides(way))
        alone = [side for side in self.sides(path) if passing[side] == 1]
        if self.meant != path and alone:
            (ax, ay), (bx, by) = map(self.spot, alone[len(alone) // 2])
            self.press_at(self.window.locator("svg.board"), (ax + bx) / 2, (ay + by) / 2)
        for _ in ways:
            if self.meant == path:
                return
            self.press(self.window.locator('[data-turn="1"]'))
        assert self.meant == path

    @staticmethod
    def sides(path: str) -> set[tuple[str, ...]]:
        return {tuple(sorted(side)) for side in pairwise(path.split("-"))} if path else set()

    def spot(self, point: str) -> list[float]:
        """Where a point lies on the board."""
        board = self.window.locator("svg.board")
        left, top = (float(board.get_attribute(f"data-{name}") or "") for name in ("left", "top"))
        return [left + 29 * (int(point[1:]) - 1), top + 50 * (ord(point[0]) - ord("A"))]

    def heart(self, space: str) -> list[float]:
        """Where the middle of a space lies."""
        x, y = self.spot(f"{space[0]}{space[2:]}")
        downward = (ord(space[0]) - ord("A") + int(space[2:]) - 1) % 2
        return [x, y + (17 if downward else 33)]


class Unscripted(Hands):
    """A player with a mouse, in a browser where no script runs."""

    scripted = False

    def press(self, what: Locator) -> None:
        """Click. Where another page comes, wait for it: until then what is seen is the page before."""
        if not what.evaluate(LEADS_ON):
            what.click()
            return
        with self.window.expect_navigation():
            what.click()

    def wait(self) -> None:
        onward = self.window.locator(".again a, .title a.button.large")  # look again; to your turn
        while onward.count():
            self.press(onward.first)

    def find_form(self, form: Locator) -> None:
        self.see(form)

    def tick(self, box: Locator) -> None:
        self.press(box)

    def march(self, card: str, path: Path) -> None:
        self.press(self.window.locator(f'a.card[data-card="{card}"]'))
        self.press(self.window.locator(f'svg.board .spot[data-point="{path[-1]}"]'))
        whole, points = "-".join(map(str, path)), set(map(str, path))
        while not self.window.locator(".preview").count():
            found = self.window.locator("#choices a.choice").all()
            ways = [one.get_attribute("data-path") for one in found]
            trails = [set((one.get_attribute("data-trail") or "-").split("-")) for one in found]
            fits = [at for at, one in enumerate(ways) if one == whole]
            fits = fits or [at for at, one in enumerate(trails) if not ways[at] and one - {""} <= points]
            self.press(self.see(found[fits[0]]))


class Finger(Hands):
    """A player with a telephone."""

    def press(self, what: Locator) -> None:
        what.scroll_into_view_if_needed()
        box = what.bounding_box()
        assert box
        button = what.evaluate("here => here.matches('button, .button, .card, summary, .choice')")
        least = LEAST_BUTTON if button else LEAST
        assert min(box["width"], box["height"]) >= least, (what, box)
        what.tap()

    def press_at(self, board: Locator, x: float, y: float) -> None:
        board.tap(position=spot_on(board, x, y))


class Keys(Hands):
    """A player without mouse: by Tab to each thing, and with Enter or the space bar."""

    def press(self, what: Locator) -> None:
        self.reach(what)
        self.window.keyboard.press("Enter")

    def reach(self, what: Locator) -> None:
        """Go there by Tab; wherever one comes by, one sees where one is."""
        key = "Tab" if what.evaluate(IS_AHEAD) else "Shift+Tab"
        for _ in range(MOST_TABS):
            if what.evaluate(IS_FOCUSED):
                return
            self.window.keyboard.press(key)
            assert not (unseen := self.window.evaluate(UNSEEN)), f"nothing shows the focus on {unseen}"
        raise AssertionError(f"not to be reached by keyboard: {what}")

    def press_on_land(self, land: Locator, form: Locator) -> None:
        self.press(land)

    def find_form(self, form: Locator) -> None:
        self.see(form)
        expect(form.locator(".sum")).to_be_visible()

    def tick(self, box: Locator) -> None:
        self.reach(box)
        self.window.keyboard.press("Space")

    def pick(self, path: str) -> None:
        for _ in range(MOST_TABS):
            if self.meant == path:
                return
            self.window.keyboard.press("ArrowRight")
        assert self.meant == path
