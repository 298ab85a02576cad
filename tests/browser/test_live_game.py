"""Whole live games: opened on the form, and played by two browsers at once by the clock on the wall."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Event, Thread

import pytest
from playwright.sync_api import Page, expect
from sqlmodel import col

from emails.letters.kinds import LetterKind
from server.store.context import utc_now
from server.store.encrypted_mail import decrypt_mail
from server.store.models import Game, LocalMail, OutgoingLetter
from server.store.states import LetterState
from server.web.mail import mailbox_pages
from tests.browser.hands import Hands
from tests.browser.plans import Done, take_step
from tests.browser.served import Served
from tests.browser.windows import Visitors
from tests.server.desk import Clock

pytestmark = [pytest.mark.breadth, pytest.mark.long]

TEMPOS = ("live-15", "live-fast")
"""The live paces of the form."""
PROPOSAL = re.compile(r"http://\S+/n/\S+")
LEFT = re.compile(r"^\(\d+ minutes left\)$")


class RunningClock(Clock):
    """The clock on the wall."""

    def __call__(self) -> datetime:
        return utc_now()


@contextmanager
def working(place: Served) -> Iterator[None]:
    """Let the loops of a server do their work while the block lasts."""
    ended = Event()

    def work() -> None:
        while not ended.wait(0.2):
            place.work()

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def link_in_mail(place: Served, name: str, which: re.Pattern[str]) -> str:
    """The newest such link in the mail of a player."""
    to_them = place.rows(LocalMail, LocalMail.recipient == f"{name.lower()}@example.org")
    mails = [decrypt_mail(one, place.context.links.keys).raw for one in to_them]
    texts = [mailbox_pages.open_mail(raw).text for raw in mails]
    return [found for text in texts for found in which.findall(text)][-1]


def awaited(window: Page, find: Callable[[], str]) -> str:
    """A link of a letter, once the letter is there."""
    for _ in range(300):
        try:
            return find()
        except (IndexError, ValueError):
            window.wait_for_timeout(100)
    raise AssertionError("no such letter has come")


def first_link(place: Served) -> str:
    """The first link of Anna's newest letter, once the game has begun in one."""
    begun = col(OutgoingLetter.kind).in_((LetterKind.WELCOME, LetterKind.YOUR_TURN))
    hers = begun, OutgoingLetter.recipient == "anna@example.org", OutgoingLetter.state == LetterState.SENT
    if not place.rows(OutgoingLetter.id, *hers):
        raise ValueError
    return min(place.letters("Anna"), key=len)


def open_live_game(place: Served, anna: Page, ben: Page, tempo: str) -> Game:
    """Anna asks for the game on the form and confirms it, Ben accepts, and both come to the board."""
    anna.goto("/new")
    people = {"name1": "Anna", "address1": "anna@example.org", "name2": "Ben", "address2": "ben@example.org"}
    for name, typed in {"name": "Friday", **people}.items():
        anna.locator(f"#{name}").fill(typed)
    anna.locator(f"#tempo-{tempo}").check()
    anna.locator("form.opening button.large").click()
    anna.goto(awaited(anna, lambda: link_in_mail(place, "Anna", PROPOSAL)))
    anna.locator("main form button").first.click()
    ben.goto(awaited(ben, lambda: place.letters("Ben")[0]))
    ben.locator("main form button").first.click()
    expect(ben.locator("h1")).to_have_text("The game has begun")
    ben.locator("main a.button.large").click()
    anna.goto(awaited(anna, lambda: first_link(place)))
    [game] = place.rows(Game)
    return game


@pytest.mark.parametrize("tempo", TEMPOS)
def test_a_live_game_is_opened_and_played_to_its_end(place: Served, visitors: Visitors, tempo: str) -> None:
    place.clock = RunningClock()
    place.app.config["NOW"] = place.clock
    place.dice.seed(0)
    anna, ben = visitors.visitor(), visitors.visitor()
    with working(place):
        game = open_live_game(place, anna, ben, tempo).id
        hands = {"Anna": Hands(anna), "Ben": Hands(ben)}
        players = [hands[name] for name in place.table(game).names]
        done, turns = Done(), set[int]()
        while not (table := place.table(game)).over:
            mover, waiter = players[table.seat], players[1 - table.seat]
            mover.wait()
            if table.turn not in turns:
                turns.add(table.turn)
                expect(mover.window.locator("#time small")).to_have_text(LEFT)
                expect(waiter.window.locator("h1")).to_contain_text("'s turn")
                expect(waiter.window.locator(".lede")).not_to_contain_text("mostly answers")
            take_step(place, game, mover, done)
        for player in players:
            player.wait()
            expect(player.window.locator("h1")).to_contain_text("won")
