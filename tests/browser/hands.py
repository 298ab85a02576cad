"""How people use the pages: with a mouse, a finger, a keyboard, or where no script runs.

What is on the pages stands here, what people want in plans.py.
"""

from itertools import takewhile

from playwright.sync_api import Locator, Page, Position, expect

from engine.actions import Action, March, Occupy, TakeOver
from engine.board import Space
from engine.march_rules import Path
from engine.notation.orders import write
from engine.position import View
from engine.provinces import province_at

MOST_TABS = 400
LEAST, LEAST_BUTTON = 24, 44
"""Pixels of what is tapped, in both directions (WCAG 2.2, 2.5.8), and of a button of ours."""
LEADS_ON = "here => here.matches('a[href]:not([href^=\"#\"]), button')"
UNSETTLED = "#play[aria-busy], #play[data-resting], #play [data-resting]"
"""What is still to come, or has come this moment and takes no taps yet."""
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
    """A player with a mouse."""

    scripted = True

    def __init__(self, window: Page) -> None:
        self.window = window

    # --- what a hand does ---

    def press(self, what: Locator) -> None:
        """Click, tap, or press a key on something that is seen."""
        what.click()

    def press_at(self, board: Locator, x: float, y: float) -> None:
        """The same somewhere on the board, in its own measures."""
        board.click(position=spot_on(board, x, y))

    def see(self, what: Locator) -> Locator:
        for closed in reversed(what.locator("xpath=ancestor::details[not(@open)]").all()):
            self.press(closed.locator("summary").first)
            self.settle()
        return what

    # --- a game ---

    def come(self, link: str) -> None:
        self.window.goto(link)

    def wait(self) -> None:
        """Until the game waits for this player, or is over: an open page shows it by itself."""
        shown = self.window.locator(".dock, .course")
        onward = self.window.locator(".title a.button.large")  # to your turn
        expect(shown.or_(onward).first).to_be_visible()
        if not shown.count():
            self.press(onward)

    def do(self, known: View, actions: tuple[Action, ...]) -> None:
        """Do this with the dock: what can be undone is then drafted, what cannot is played."""
        last = actions[-1]
        if isinstance(last, March):
            self.march(write(actions[0], known.table.board), last.path)
        elif isinstance(last, Occupy | TakeOver):
            province = province_at(known.table, last.guards[0])
            self.conquer(str(province.first), last.guards)
        else:
            self.choose(write(last, known.table.board))
        self.settle()

    def settle(self) -> None:
        expect(self.window.locator(UNSETTLED)).to_have_count(0)

    def button(self, words: str) -> Locator:
        return self.window.locator(f'.dock button:is([name="do"], [name="play"])[value="{words}"]').first

    def choose(self, words: str) -> None:
        self.press(self.see(self.button(words)))

    def conquer(self, province: str, guards: tuple[Space, ...]) -> None:
        self.press_on_land(self.window.locator(f'svg.board a.land[data-province="{province}"]'), guards[0])
        self.place_guards(guards)

    def place_guards(self, guards: tuple[Space, ...]) -> None:
        """Fill in the form of the province that is shown."""
        form = self.window.locator("#guards form", has=self.place(guards[0]))
        self.see(form)
        boxes = form.locator("input[data-space]")
        for box in boxes.all():
            if box.is_checked() != (box.get_attribute("data-space") in map(str, guards)):
                self.tick(box)
        self.press(form.locator("button.button"))

    def place(self, space: Space) -> Locator:
        """The box of a place where a guard can stand."""
        return self.window.locator(f'input[data-space="{space}"]')

    def press_on_land(self, land: Locator, space: Space) -> None:
        """On one of its places: the middle of a land may lie outside of it."""
        self.press_at(self.window.locator("svg.board"), *self.heart(str(space)))
        expect(self.place(space)).to_have_count(1)

    def tick(self, box: Locator) -> None:
        space = box.get_attribute("data-space") or ""
        was = box.is_checked()
        self.press(self.window.locator(f'svg.board .site[data-space="{space}"] path'))
        expect(box).to_be_checked(checked=not was)

    # --- a march ---

    def march(self, card: str, path: Path) -> None:
        """A card, a corner, and another way where that is wanted."""
        button = self.window.locator(f'.dock button[name="card"][value="{card}"]')
        self.press(button)
        self.settle()
        expect(button).to_have_attribute("aria-pressed", "true")
        self.press_on_corner(str(path[-1]))
        expect(self.window.locator(".drafted")).to_be_visible()
        while (meant := self.meant) and meant != "-".join(map(str, path)):
            self.press(self.nearer(path))
            expect(self.way).not_to_have_attribute("data-path", meant)

    def press_on_corner(self, point: str) -> None:
        self.press(self.window.locator(f'svg.board .spot[data-point="{point}"]'))

    @property
    def way(self) -> Locator:
        """The way that is drafted, where there are others."""
        return self.window.locator(".ways [aria-current] button")

    @property
    def meant(self) -> str:
        """The path of the way that is drafted; empty where there is no other."""
        return (self.way.get_attribute("data-path") or "") if self.way.count() else ""

    def nearer(self, path: Path) -> Locator:
        """The way that goes with a path for longest."""
        ways = self.window.locator(".ways button")

        def common(way: str) -> int:
            same = zip(way.split("-"), map(str, path), strict=False)
            return len(list(takewhile(lambda pair: pair[0] == pair[1], same)))

        paths = [one.get_attribute("data-path") or "" for one in ways.all()]
        return ways.nth(paths.index(max(paths, key=common)))

    def spot(self, point: str) -> list[float]:
        board = self.window.locator("svg.board")
        left, top = (float(board.get_attribute(f"data-{name}") or "") for name in ("left", "top"))
        return [left + 29 * (int(point[1:]) - 1), top + 50 * (ord(point[0]) - ord("A"))]

    def heart(self, space: str) -> list[float]:
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

    def press_on_land(self, land: Locator, space: Space) -> None:
        self.window.goto(land.get_attribute("href") or "")

    def tick(self, box: Locator) -> None:
        self.press(box)

    def press_on_corner(self, point: str) -> None:
        self.press(self.window.locator(f'.corners [data-corner="{point}"]'))


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
        place, box = spot_on(board, x, y), board.bounding_box()
        assert box
        if not (0 < place["x"] < box["width"] and 0 < place["y"] < box["height"]):
            self.press(self.window.locator(".zoom button"))
            place = spot_on(board, x, y)
        board.tap(position=place)


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

    def press_on_land(self, land: Locator, space: Space) -> None:
        self.press(land)
        expect(self.place(space)).to_have_count(1)

    def press_on_corner(self, point: str) -> None:
        self.press(self.window.locator(f'.corners [data-corner="{point}"]'))

    def tick(self, box: Locator) -> None:
        self.reach(box)
        self.window.keyboard.press("Space")
