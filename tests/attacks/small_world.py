"""What an attack needs: a small world with real letters, and what its players do there.

Everything is done as a person does it: by a letter that came, a page, a button with words on it.
Where the words of a button or the order of some pages are other ones, this is the only file to change.
"""

import re
import sqlite3
from dataclasses import dataclass, field
from email.message import EmailMessage
from hashlib import sha256
from pathlib import Path

from sqlmodel import select

from server.delivery.relay import choose_transport
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.store.game_terms import SeatRequest
from server.store.models import IncomingMail
from tests.attacks.reading import button, links_in, press, ticket_in, written_in
from tests.server.beginnings import begin_game
from tests.server.desk import Collector, body
from tests.server.web.played import move
from tests.server.web.site import Site, Visitor, site

MAIN_FORM = "//main//form"
NEW_LINKS = "Make all my links new"
AT_ONCE = "play at once in this browser"
PASSING = re.compile(r"incoming|outgoing|mail|rate|sqlite_", re.IGNORECASE)
"""Tables that only say what mail passed: to be answered is not to act."""
PAGES = ("", *"/settings /settings/address /settings/again /signin /history /log /sheet /sum".split())
PAGES += tuple("/pulse /seen /say /at-once /links /leave /rematch".split())
"""The pages below that of a seat."""


@dataclass
class World:
    """A site, its clock, and all the mail that has left it."""

    place: Site
    folder: Path
    mails: Collector = field(default_factory=Collector)
    written: int = 0

    @property
    def file(self) -> Path:
        return self.folder / "games.sqlite"

    def deliver(self) -> list[EmailMessage]:
        before = len(self.mails.mails)
        while send_due_letters(self.place.context, self.mails, self.place.clock()):
            pass
        return self.mails.mails[before:]

    def keep(self) -> None:
        """Let the letters that are due lie in the mailbox of the house, as the demo does."""
        carrier = choose_transport(self.place.context, self.place.clock)
        while send_due_letters(self.place.context, carrier, self.place.clock()):
            pass

    def write(self, sender: str, to: str, text: str, **headers: str) -> str:
        """A mail to the house comes in; gives what became of it."""
        self.written += 1
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, to, headers.pop("subject", "Re: Friday")
        mail["Message-ID"] = f"<{self.written}@client.example.org>"
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        return self.bring(sender.split("<")[-1].strip(">"), to, bytes(mail))

    def bring(self, sender: str, to: str, raw: bytes) -> str:
        intake.store_mail(self.place.context, sender, to, raw, self.place.clock())
        dispatch.process_waiting_mail(self.place.context, self.place.clock())
        with self.place.context.reading() as session:
            row = session.exec(select(IncomingMail).order_by(IncomingMail.id.desc())).first()
            return "" if row is None else str(row.state)

    def last(self, name: str, kind: str = "") -> EmailMessage:
        self.deliver()
        return [mail for mail in self.mails.to(name) if kind in str(mail["X-Alexandros"])][-1]

    def visitor(self, link: str = "") -> Visitor:
        return self.place.visitor().get(link) if link else self.place.visitor()

    def stored(self, *, all_of_it: bool = False) -> dict[str, list[tuple[object, ...]]]:
        """All that is stored, or all but the mail that passed: to be compared."""
        with sqlite3.connect(self.file) as db:
            names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            kept = [name for name in names if all_of_it or not PASSING.search(name)]
            found = {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in kept}
        db.close()
        return {name: sorted(rows, key=repr) for name, rows in found.items()}


def open_world(folder: Path, *people: str, at_once: bool = True, **settings: str) -> tuple[World, str]:
    world = World(site(folder, **settings), folder)
    if at_once and not settings:
        return world, begin_game(world.place.context, world.mails, *people)
    return world, begin(world, *people, at_once=at_once)


def begin(world: World, *people: str, at_once: bool = True, deliver: bool = True) -> str:
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in people]
    game = world.place.context.open_game("Friday", requests, world.place.clock(), at_once=at_once)
    if deliver:
        world.deliver()
    return game


def finish(world: World, game: str) -> None:
    while (position := world.place.history(game).position) and not position.table.over:
        move(world.place, game)
    world.deliver()


def sign_in(world: World, address: str) -> Visitor:
    visitor = world.visitor("/signin").send(MAIN_FORM, address=address)
    world.deliver()
    return visitor.get(sign_in_link(world, address)).press()


def sign_in_link(world: World, address: str) -> str:
    mail = [one for one in world.mails.mails if str(one["To"]) == address and "/s/" in body(one)][-1]
    return next(link for link in links_in(mail) if link.startswith("/s/"))


def make_links_new(world: World, name: str) -> None:
    world.deliver()
    owner = sign_in(world, f"{name.lower()}@example.org")
    seat = ticket_in([one for one in world.mails.to(name) if "/settings" in written_in(one)][-1])
    press(owner.get(f"{seat}/settings").click("Has somebody else a link of yours?"), NEW_LINKS)
    world.deliver()


def make_links_new_by_mail(world: World, name: str) -> None:
    letter = [one for one in world.mails.to(name) if "play+" in str(one["Reply-To"])][-1]
    world.write(str(letter["To"]), str(letter["Reply-To"]), NEW_LINKS.lower())
    question = world.last(name, "asked_back")
    world.write(str(question["To"]), str(question["Reply-To"]), "yes")
    world.deliver()


def ask_for_address(visitor: Visitor, seat: str, new: str) -> Visitor:
    visitor.get(f"{seat}/settings")
    where = "//form[@method='post'][.//input[@name='address']]"
    return visitor.send(where, address=new) if visitor.page.xpath(where) else visitor


def change_address(world: World, name: str, new: str) -> None:
    """The owner moves: signed in, and with a yes from each address that is asked."""
    seat = ticket_in([one for one in world.mails.to(name) if "/settings" in written_in(one)][-1])
    ask_for_address(sign_in(world, f"{name.lower()}@example.org"), seat, new)
    for mail in (fresh := world.deliver()):
        confirm(world, mail)
    assert fresh
    for mail in world.deliver():
        if str(mail["To"]) == new:
            confirm(world, mail)


def confirm(world: World, mail: EmailMessage) -> None:
    for link in links_in(mail):
        if link.startswith("/c/") and str(mail["X-Alexandros"]) != "moved":
            world.visitor(link).send(MAIN_FORM)


def take_back(world: World, old: str) -> None:
    mail = [one for one in world.mails.mails if str(one["To"]) == old and "/c/" in body(one)][-1]
    world.visitor(next(link for link in links_in(mail) if link.startswith("/c/"))).send(MAIN_FORM)
    world.deliver()


def address_of(world: World, name: str) -> str:
    with sqlite3.connect(world.file) as db:
        rows = db.execute("SELECT address FROM player WHERE name = ?", (name,)).fetchall()
    db.close()
    return str(rows[0][0])


def chosen(visitor: Visitor, link: str) -> str:
    """Play from a letter and choose that links play at once here from now on; gives a link that would."""
    visitor.get(link)
    where = button(visitor, "Do it")
    boxes = visitor.page.xpath(f"{where}//input[@type='checkbox']")
    visitor.send(where, **{str(boxes[0].get("name")): str(boxes[0].get("value") or "on")} if boxes else {})
    later = link_from_page(visitor).removesuffix("?look=1")
    if not boxes:
        assert AT_ONCE in visitor.text, "nothing offers to play at once from now on"
        press(visitor, AT_ONCE)
    return later


def link_from_page(visitor: Visitor) -> str:
    """A link that draws a card, as the page of a turn makes it of typed words."""
    page = visitor.page.xpath("string(//form[.//textarea[@name='say']]/@action)")
    return str(visitor.client.get(f"{page}?say=draw").location)


def sign_out_elsewhere(world: World, name: str) -> None:
    sign_in(world, f"{name.lower()}@example.org").get("/me/browsers").send(wish="others")


def strong(seed: str) -> str:
    return sha256(f"of the house: {seed}".encode()).hexdigest()


def several(*secrets: str) -> str:
    return ",".join(secrets)
