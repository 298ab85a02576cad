"""One of every kind of sealed thing, as a letter, a page or a browser really shows it; and the doors."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from werkzeug.test import TestResponse

from emails.tokens import Purpose
from server.lobby.leaving import offer_seat, resign
from server.outbox.queue import open_unit
from server.store.states import Channel
from tests.attacks import reading, small_world
from tests.attacks.reading import DOMAIN, addresses_in, damaged, links_in, sealed
from tests.attacks.small_world import MAIN_FORM, World
from tests.server.web.lobby.test_new_game_form import TWO
from tests.server.web.site import Visitor

HOME: dict[str, tuple[str, ...]] = {
    "ticket": ("/t/",),
    "act": ("/t/",),
    "invitation": ("/t/",),
    "reply": ("play+",),
    "invited": ("play+",),
    "stop": ("/u/", "stop+"),
    "unwanted": ("/x/",),
    "bounce": ("bounce+",),
    "proposal page": ("/n/",),
    "proposal address": ("new+",),
    "claim": ("new+",),
    "confirm": ("/c/", "confirm+"),
    "way back": ("/c/", "confirm+"),
    "sign in": ("/s/",),
    "share": ("/j/", "new+"),
    "organiser": ("/new/",),
    "key": ("Bearer",),
    "cookie": ("alexandros-in",),
    "one-click": ("alexandros",),
    "nonce": (),
    "tag": (),
    "game": ("/g/", "/api/games/"),
}
"""Each kind, and the only doors that it may open."""
KINDS_OF: dict[Purpose, tuple[str, ...]] = {
    Purpose.SEAT: ("ticket", "invitation"),
    Purpose.ACT: ("act",),
    Purpose.REPLY: ("reply", "invited"),
    Purpose.PROPOSAL: ("proposal page",),
    Purpose.PROPOSAL_REPLY: ("proposal address",),
    Purpose.JOIN: ("share",),
    Purpose.CLAIM: ("claim",),
    Purpose.ORGANISER: ("organiser",),
    Purpose.UNSUBSCRIBE: ("stop",),
    Purpose.UNWANTED: ("unwanted",),
    Purpose.BOUNCE: ("bounce",),
    Purpose.CONFIRMATION: ("confirm", "way back"),
    Purpose.SIGN_IN: ("sign in",),
    Purpose.SESSION: ("cookie",),
    Purpose.API: ("key",),
    Purpose.COOKIE: ("one-click",),
    Purpose.FORM: ("nonce",),
    Purpose.TAG: ("tag",),
    Purpose.ACT_TAG: (),  # it has no text of its own: it stands inside the tokens of a seat
    Purpose.STORAGE: (),  # nobody is sent what it seals: the mails that the database keeps
}
"""The kinds that each purpose of a key seals."""
PAGE_DOORS = ("/t/", "/u/", "/x/", "/n/", "/c/", "/s/", "/j/", "/new/", "/g/", "/api/games/")
MAIL_DOORS = ("play+", "stop+", "bounce+", "new+", "confirm+")
HEAD_DOORS = ("Bearer", "alexandros-in", "alexandros")
SHUT = (400, 401, 403, 404, 405, 410)
"""How a door answers whom it does not open to."""


def every_kind(folder: Path) -> tuple[World, dict[str, str]]:
    """A world in which everything has been sent once, and one of each kind."""
    world, game = small_world.open_world(folder, "Anna", "Ben", "Cleo")
    world.place.app.config["LIMITS"]["api"] = 1_000_000
    name = world.place.context.mover(game)
    letter = world.mails.to(name)[-1]
    found = {"ticket": sealed(reading.ticket_in(letter)), "act": sealed(reading.act_in(letter)), "game": game}
    found |= {"reply": sealed(str(letter["Reply-To"]))}
    found |= {"stop": sealed(next(link for link in links_in(letter) if link.startswith("/u/")))}
    found |= {"bounce": sealed(world.mails.envelopes[world.mails.mails.index(letter)][0])}
    world.write("dirk@example.org", f"new@{DOMAIN}", "Cleo <cleo@example.org>")
    proposal = world.last("dirk", "proposal")
    found |= {"proposal page": sealed(next(link for link in links_in(proposal) if link.startswith("/n/")))}
    found |= {"proposal address": sealed(next(one for one in addresses_in(proposal) if "new+" in one))}
    page = world.place.say_yes(world.visitor("/new").send(MAIN_FORM, **TWO, kind3="open"))
    found |= {"share": re.findall(r"/j/(\w+)", page.answer.text)[0]}
    found |= {"organiser": page.answer.request.path.rpartition("/")[2], "nonce": page.nonce()}
    invited = world.last("ben", "invitation")
    found |= {"invitation": sealed(next(link for link in links_in(invited) if link.startswith("/t/")))}
    found |= {"invited": sealed(str(invited["Reply-To"]))}
    found |= {"unwanted": sealed(next(link for link in links_in(proposal) if link.startswith("/x/")))}
    mover, other = [one for one in ("Anna", "Ben", "Cleo") if one != name]
    small_world.change_address(world, mover, "moved@example.org")
    backs = [one for mail in world.mails.to(mover) for one in links_in(mail) if one.startswith("/c/")]
    found |= {"way back": sealed(backs[-1]) if backs else ""}
    signed = small_world.sign_in(world, f"{other.lower()}@example.org")
    found |= {"cookie": cookie(signed, "alexandros-in"), "one-click": cookie(signed, "alexandros")}
    seat = reading.ticket_in(world.mails.to(other)[0])
    small_world.ask_for_address(signed, seat, "other@example.org")
    found |= {"confirm": last_sealed(world, "/c/")}
    turn = small_world.sign_in(world, f"{name.lower()}@example.org")
    turn.get("/me/browsers").send("//form[@id='new-key']", name="A program", wish="new")
    found |= {"key": str(turn.page.xpath("string(//code[@class='key'])"))}
    world.visitor("/signin").send(MAIN_FORM, address=f"{name.lower()}@example.org")
    found |= {"sign in": last_sealed(world, "/s/")}
    found |= {"claim": ask_for_offered_seat(world), "tag": tag_of(world, found["key"], game)}
    world.deliver()
    return world, {kind: token for kind, token in found.items() if token}


def ask_for_offered_seat(world: World) -> str:
    """The code by which whoever asks for an offered seat by mail takes it; nothing where no letter comes."""
    game = small_world.begin(world, "Anna", "Ben", "Cleo")
    context, now = world.place.context, world.place.clock()
    with open_unit(context, now) as unit:
        resign(unit, game, 0, Channel.WEB)
        unit.commit()
    offer_seat(context, game, 0, Channel.OPERATOR, now)
    world.write("dirk@example.org", context.links.join_address(game), "I would like to play.")
    letters = [mail for mail in world.deliver() if mail["X-Alexandros"] == "seat_claim"]
    codes = [one for mail in letters for one in addresses_in(mail)]
    return next((sealed(one) for one in codes if one.startswith("new+")), "")


def tag_of(world: World, key: str, game: str) -> str:
    client = world.place.app.test_client()
    answer = client.get(f"/api/games/{game}", headers={"Authorization": f"Bearer {key}"})
    return answer.headers["ETag"].strip('"')


def cookie(visitor: Visitor, name: str) -> str:
    """What a browser keeps under a name, whatever stands before it."""
    for known in (name, f"__Host-{name}", f"__Secure-{name}"):
        if held := visitor.client.get_cookie(known):
            return str(held.value)
    return ""


def last_sealed(world: World, prefix: str) -> str:
    """What is sealed in the last such link of the letters that leave now; nothing where there is none."""
    found = [link for mail in world.deliver() for link in links_in(mail) if link.startswith(prefix)]
    return sealed(found[-1]) if found else ""


def tries(kinds: dict[str, str], number: int, places: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """What it is, its text, and a door at which it must not pass.

    All that are whole, and of those that are broken as many as make up the number.
    """
    whole = [(kind, text, door) for kind, text in kinds.items() for door in places if door not in HOME[kind]]
    known = {text.lower() for text in kinds.values()}  # a token in capitals is the same token
    broken = [
        (f"{one} and {other}, damaged", text, door)
        for one, first in kinds.items()
        for other, second in kinds.items()
        for text in damaged(first, second)
        for door in places
        if text and text.lower() not in known and one not in ("nonce", "game")
    ]
    step = next(one for one in (7919, 7907, 7901) if len(broken) % one)
    mixed = (broken[at * step % len(broken)] for at in range(len(broken)))
    yield from whole
    yield from islice(mixed, max(0, number - len(whole)))


def knock(world: World, door: str, text: str, below: str = "") -> TestResponse:
    client = world.place.app.test_client()
    if door == "Bearer":
        return client.get("/api/games", headers={"Authorization": f"Bearer {text}"})
    if door in ("alexandros", "alexandros-in"):
        for name in (door, f"__Host-{door}"):
            client.set_cookie(name, text)
        return client.get("/me")
    return client.get(f"{door}{text}{below}")


def passed(door: str, answer: TestResponse) -> bool:
    if door == "Bearer":
        return answer.status_code != 401
    if door in ("alexandros", "alexandros-in"):
        return answer.status_code == 200 and "/me/finished" in answer.text
    return answer.status_code not in SHUT
