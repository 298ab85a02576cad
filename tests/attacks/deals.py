"""Two worlds that are one until the cards are dealt, and then differ only in what one player may not know."""

import re
from pathlib import Path

from werkzeug.test import TestResponse

from server.store.models import Game
from tests.attacks import small_world
from tests.attacks.reading import links_in
from tests.attacks.small_world import World
from tests.server.web.played import watched
from tests.server.web.site import site

PASSING = ("Set-Cookie", "Date")
"""Heads that are made anew for every answer: only that they are there and how long they are is compared."""
NONCE = re.compile(r'(name="nonce" value=")[^"]*')


def twins(folder: Path, hands: tuple[str, str] = ("horse", "lyre"), *, shown: str = "temple") -> list[World]:
    """The same game twice; the player of the second seat was dealt another card in each."""
    first = folder / "first"
    first.mkdir()
    before = World(site(first), first)
    game = small_world.begin(before, "Anna", "Ben", at_once=False)
    watched(before.place, game)
    accept = {name: accept_link(before, name) for name in ("Anna", "Ben")}
    before.visitor(accept["Anna"]).press()
    before.deliver()
    with before.place.context.changing() as session:  # heads differ: tests/server/test_seal_of_log.py
        session.get_one(Game, game).proof_key = ""
    before.place.context.database.dispose()
    kept, worlds = before.file.read_bytes(), []
    for number, hidden in enumerate(hands):
        own = folder / f"world{number}"
        own.mkdir()
        (own / "games.sqlite").write_bytes(kept)
        world = World(site(own), own)
        world.place.dice.told = [shown, hidden, "temple", "soldier"]
        world.visitor(accept["Ben"]).press()
        world.deliver()
        worlds.append(world)
    return worlds


def accept_link(world: World, name: str) -> str:
    return next(one for one in links_in(world.last(name, "invitation")) if one.startswith("/t/"))


def answered(answer: TestResponse) -> tuple[object, ...]:
    """A whole answer: status, heads, length and body, without what is new in each."""
    heads = sorted((name, len(value) if name in PASSING else value) for name, value in answer.headers)
    return answer.status, tuple(heads), len(answer.data), NONCE.sub(r"\1", answer.get_data(as_text=True))


def differences(worlds: list[World], links: list[str], **heads: str) -> list[tuple[str, str]]:
    found = []
    for link in links:
        one, other = (answered(world.place.app.test_client().get(link, headers=heads)) for world in worlds)
        compared = zip(("status", "heads", "length", "body"), one, other, strict=True)
        found += [(link, what) for what, left, right in compared if left != right]
    return found
