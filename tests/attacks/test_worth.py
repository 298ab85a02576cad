"""What each thing that can be lost is worth to whoever finds it: tried, and told in server/THREATS.md."""

import logging
import re
from collections.abc import Callable, Iterator
from io import StringIO
from urllib.parse import urlencode

import pytest

from server.store import load_boards
from tests.attacks import small_world
from tests.attacks.kinds import PAGE_DOORS, cookie, every_kind, knock
from tests.attacks.reading import DOMAIN, shows_seat
from tests.attacks.small_world import World
from tests.attacks.test_stolen_database import SEALED, cells
from tests.paths import TOP
from tests.server.web.site import Visitor

THIEF = "thief@example.org"
SEAT = r"/t/\w+(\?look=1)?$"


class Loot:
    """A world in which one of everything was lost, and what its finder makes of it."""

    def __init__(self, world: World, kinds: dict[str, str], logged: StringIO) -> None:
        self.world, self.kinds, self.logged, self.game = world, kinds, logged, kinds["game"]
        self.cookies = {"cookie": kinds["cookie"], "sign in": self.sign_in()}
        self.useless = set[str]()
        """What was seen to open no page."""
        self.owner = world.place.context.mover(self.game)

    def sign_in(self) -> str:
        """The cookie that a link to sign in makes, once."""
        visitor = self.world.visitor(f"/s/{self.kinds['sign in']}").press()
        return cookie(visitor, "alexandros-in")

    def browser(self, kind: str) -> Visitor:
        visitor = self.world.visitor()
        if kind in self.cookies:
            visitor.client.set_cookie("alexandros-in", self.cookies[kind])
        return visitor

    def page(self, kind: str) -> Visitor | None:
        """The first page of a seat that it opens; None: it opens none."""
        visitor = self.browser(kind)
        if kind in self.cookies:
            visitor.get("/me")
            found = [link for _, link in visitor.links() if re.match(SEAT, link) and self.game in link]
            return visitor.get(found[0]) if found else None
        if kind in self.useless:
            return None
        found = self.texts(kind)
        for text in found:
            for door in PAGE_DOORS if len(found) == 1 else ("/t/",):
                if visitor.get(f"{door}{text}").status == 200 and shows_seat(visitor):
                    return visitor
        self.useless.add(kind)
        return None

    def texts(self, kind: str) -> list[str]:
        if kind == "database":
            return sorted({one for cell in cells(self.world.file) for one in SEALED.findall(cell)})
        if kind == "log":
            return sorted({*SEALED.findall(self.logged.getvalue())})
        return [self.kinds[kind.partition(",")[0]]]


def sees_a_hand(loot: Loot, kind: str) -> bool:
    if kind == "key":
        answer = knock(loot.world, "Bearer", loot.kinds["key"])
        return answer.status_code == 200 and loot.game in answer.text
    page = loot.page(kind)
    return page is not None and "Your hand" in page.text


def writes_to_the_players(loot: Loot, kind: str) -> bool:
    if kind.startswith("reply"):
        sender = f"{loot.owner.lower()}@example.org" if kind.endswith("owner") else THIEF
        return loot.world.write(sender, f"play+{loot.kinds['reply']}@{DOMAIN}", "say: hello") == "played"
    if kind == "key":
        return acts_by_key(loot, "say: hello", preview=False)
    page, form = loot.page(kind), "//form[contains(@action, '/say')]"
    if page is None:
        return False
    ways = [link for _, link in page.links() if re.match(SEAT, link)]
    while ways and not page.page.xpath(form):
        page.get(ways.pop())
    return bool(page.page.xpath(form)) and page.send(form, words="hello").status == 200


def plays(loot: Loot, kind: str) -> bool:
    """Whether it plays a card for whoever is to move; the button on a page is enough, or a preview."""
    world, before = loot.world, loot.world.place.history(loot.game).after
    if kind.startswith("reply"):
        sender = f"{loot.owner.lower()}@example.org" if kind.endswith("owner") else THIEF
        world.write(sender, f"play+{loot.kinds['reply']}@{DOMAIN}", card(loot))
        return world.place.history(loot.game).after > before
    if kind == "key":
        return acts_by_key(loot, card(loot), preview=True)
    page, button = loot.page(kind), "//button[@name='do' or @name='play' or contains(., 'Do it')]"
    if page is None:
        return False
    cards = page.page.xpath("//button[@form='pick']/@value")
    way = page.page.xpath("string(//form[@id='pick']/@action)")
    while cards and not page.page.xpath(button):
        page.get(f"{way}?{urlencode({'look': 1, 'card': cards.pop()})}")
    return bool(page.page.xpath(button))


def acts_by_key(loot: Loot, line: str, *, preview: bool) -> bool:
    """Whether a program may do what a line says; a preview asks the same and leaves the turn as it is."""
    answer = loot.world.place.app.test_client().post(
        f"/api/games/{loot.game}/acts",
        json={"after": loot.world.place.history(loot.game).after, "lines": [line], "preview": preview},
        headers={"Authorization": f"Bearer {loot.kinds['key']}"},
    )
    return answer.status_code == 200


def card(loot: Loot) -> str:
    from engine.notation.orders import write
    from engine.position import view
    from engine.rules import card_choices

    position = loot.world.place.history(loot.game).position
    assert position is not None
    choice = next(card_choices(view(position, position.table.seat)))
    return write(choice, load_boards()["Alexandros"])


def stops_letters(loot: Loot, kind: str) -> bool:
    """Whether a button stops them; they are resumed at once, for what is tried next."""
    for link in ways_to_stop(loot, kind):
        visitor = loot.browser(kind).get(link)
        if visitor.page.xpath("//button[@value='stop']"):
            assert "You get no mails" in visitor.send("//main//form", wish="stop").title
            assert "You get mails again" in visitor.send("//main//form", wish="again").title
            return True
    return False


def ways_to_stop(loot: Loot, kind: str) -> list[str]:
    """Pages that might stop letters: of what was found itself, or where the settings of its seat lead."""
    page = loot.page(kind)
    if page is None:
        return [f"/u/{text}" for text in loot.texts(kind)]
    seat = re.match(r"/t/\w+", page.answer.request.path)
    assert seat is not None
    page.get(f"{seat[0]}/settings")
    return [link for _, link in page.links() if link.startswith("/u/")]


def moves_the_address(loot: Loot, kind: str) -> bool:
    """Whether letters go to the finder, who answers whatever comes to their own address."""
    page = loot.page(kind)
    if page is None:
        return False
    seat = re.match(r"/t/\w+", page.answer.request.path)
    assert seat is not None
    small_world.ask_for_address(page, seat[0], THIEF)
    for mail in loot.world.deliver():
        if str(mail["To"]) == THIEF:
            small_world.confirm(loot.world, mail)
    return any(small_world.address_of(loot.world, name) == THIEF for name in ("Anna", "Ben", "Cleo"))


def opens_other_games(loot: Loot, kind: str) -> bool:
    if kind == "key":
        return knock(loot.world, "Bearer", loot.kinds["key"]).status_code == 200
    visitor = loot.browser(kind)
    loot.page(kind)
    return visitor.get("/me").client.get("/me/browsers").status_code == 200


WORTH: dict[str, Callable[[Loot, str], bool]] = {
    "sees a hand": sees_a_hand,
    "other games": opens_other_games,
    "stops letters": stops_letters,
    "writes to players": writes_to_the_players,
    "plays": plays,
    "moves the address": moves_the_address,
}
"""The last one ends all else that its player had."""
LOST = (
    "database; log; bounce; share; organiser; proposal page; proposal address; stop; reply, to a stranger; "
    "key; act; ticket; reply, and the mail of its owner; sign in; cookie"
).split("; ")


@pytest.fixture(scope="module")
def loot(tmp_path_factory) -> Iterator[Loot]:
    logged = StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger().addHandler(handler)
    yield Loot(*every_kind(tmp_path_factory.mktemp("loot")), logged)
    logging.getLogger().removeHandler(handler)


@pytest.mark.long
def test_what_is_lost_is_worth_what_the_document_says(loot, figure):
    rows = [[kind, *("yes" if tried(loot, kind) else "-" for tried in WORTH.values())] for kind in LOST]
    table = [f"| {' | '.join(row)} |" for row in (["lost", *WORTH], *rows)]
    figure("\n".join(table))
    document = (TOP / "server" / "THREATS.md").read_text(encoding="utf-8")
    assert [row for row in table if row not in document] == []
