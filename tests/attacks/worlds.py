"""Two servers that hold the same game, in which only what one reader may not know is different."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

from sqlalchemy import event
from sqlmodel import col, delete, select

from emails.letters.parts import Pace
from emails.terms import JoinedBy
from engine.editions import EDITIONS
from server.accounts import addresses, sign_in
from server.delivery import sending
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.outbox import chat
from server.outbox.notifications import Preferences, store_preferences
from server.outbox.queue import open_unit
from server.store import load_boards
from server.store.context import RecentlyUsed
from server.store.event_log import History, HistoryFold, fold_acts
from server.store.game_terms import SeatRequest
from server.store.models import Act, ChatMessage, Game, OutgoingLetter, Seating
from server.store.server_facts import GameTerms
from server.store.states import Channel
from server.turns.play import record_act
from tests.attacks.twin_games import Course, cut, random_course, twin
from tests.server.desk import NOON, PEOPLE, Collector, Desk, body
from tests.server.web.site import Site, site

BOARD = load_boards()["Alexandros"]
TASTES = ("anybody", "governors", "hoarders", "masons")
SEEDS = 3
"""Games of each taste, edition and number of seats."""
LATER = NOON + timedelta(days=1)
TURN_TAKES = timedelta(minutes=7, seconds=3, microseconds=123_457)
SECRET_WORDS = "Shall I?", "No, wait!"
"""What others tell each other alone, in the one world and in the other."""


@dataclass(frozen=True)
class Office:
    """All that a server holds but for the course of its game, in the file of its database."""

    database: bytes
    game: str
    names: tuple[str, ...]
    keys: tuple[str, ...]
    """For each seat the key of a program."""
    cookies: tuple[dict[str, str], ...]
    """For each seat what a browser keeps in which its player is signed in."""
    links: dict[str, str]
    """By how they begin, addresses that stood in letters to seat 0."""


@dataclass(frozen=True)
class Pair:
    """One game in two versions, and the seat that cannot tell them apart (None: a spectator)."""

    office: Office
    me: int | None
    courses: tuple[Course, Course]


def random_pair(number: int) -> Pair:
    office = open_office(*table_of(number))
    me, courses = random_courses(number, office.names)
    return Pair(office, me, courses)


def table_of(number: int) -> tuple[int, str]:
    editions = list(EDITIONS)
    return 2 + number % 3, editions[number // 3 % len(editions)]


def random_courses(number: int, names: tuple[str, ...]) -> tuple[int | None, tuple[Course, Course]]:
    """Who reads, and two versions of a game; of eight readers one is a spectator."""
    dice, (_, edition) = Random(number), table_of(number)
    me = None if number % 8 == 7 else dice.randrange(len(names))
    while True:
        seed, taste = dice.randrange(SEEDS), dice.choice(TASTES)
        course = cut(random_course(BOARD, edition, names, taste, seed), dice)
        other = twin(BOARD, course, me, dice)
        if other != course:
            return me, (course, other)


class World:
    """A server whose database is exchanged for that of another game."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.site: Site = _new_site(folder, **settings)
        self.statements = 0
        event.listen(self.context.database, "before_cursor_execute", self._count)

    @property
    def context(self) -> Desk:
        return self.site.context

    def _count(self, *_: object) -> None:
        self.statements += 1

    def load(self, office: Office, me: int | None, course: Course, secret: str) -> None:
        """Hold this game; `secret` is what is said where the reader does not hear it."""
        self.context.database.dispose()
        Path(self.context.database.url.database or "").write_bytes(office.database)
        self.context.history_cache, self.context.advice = RecentlyUsed(), RecentlyUsed()
        with open_unit(self.context, NOON) as unit:
            game = unit.session.get_one(Game, office.game)
            game.proof_key = ""  # heads of what is hidden differ, of which tests/server/test_seal_of_log.py
            fold = HistoryFold(History(), BOARD)
            next(fold_acts(unit.session, game.id, fold))
            history = fold.history()
            unit.session.execute(delete(Act).where(col(Act.seq) > history.seq, col(Act.game) == game.id))
            for number, act in enumerate(course):
                unit.now = NOON + number * TURN_TAKES
                channel = Channel.SERVER if act.seat is None else Channel.WEB
                history = record_act(unit, game, history, act.seat, channel, act.words, act.events)
            more: dict[str, Any] = {}
            for said in unit.session.exec(select(ChatMessage).where(col(ChatMessage.addressee).is_not(None))):
                if me not in (said.seat, said.addressee):
                    said.words = secret
                    more = said.model_dump(exclude={"id"})
            if more and secret == SECRET_WORDS[1]:  # and in one of the worlds they talk more
                unit.session.add(ChatMessage(**more))
            unit.session.commit()
        self.context.history_cache = RecentlyUsed()
        self.site.clock.now = max(LATER, unit.now)


def load_pair(worlds: Sequence[World], pair: Pair) -> None:
    for world, course, secret in zip(worlds, pair.courses, SECRET_WORDS, strict=True):
        world.load(pair.office, pair.me, course, secret)


def _new_site(folder: Path, **settings: str) -> Site:
    settings |= {"ALEXANDROS_MAIL_SECRET": "another one of more than sixteen letters"}
    found = site(folder, ALEXANDROS_MONITORS="none", **settings)
    found.app.config["LIMITS"]["api"] = found.app.config["LIMITS"]["advice"] = 10**6
    return found


# --- what there is before the game ----------------------------------------------------------------------


@cache
def open_office(seats: int, edition: str) -> Office:
    """A server with a game that anybody may watch, whose players have written to each other."""
    place = _new_site(Path(mkdtemp()))
    context, names = place.context, PEOPLE[:seats]
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in names]
    terms = GameTerms(JoinedBy.ALL, watched=True, advice=True)
    game = context.open_game("Friday", requests, NOON, edition=edition, at_once=True, terms=terms)
    with context.changing() as session:
        people = list(session.exec(select(Seating).where(Seating.game == game).order_by(col(Seating.seat))))
        for one in people:
            for other in (None, *(other.seat for other in people if other != one)):
                row = session.get_one(Game, game)
                chat.post(context, session, row, one.seat, other, f"{one.name} to {other}", NOON)
        session.execute(delete(OutgoingLetter))  # nobody reads them, and to draw them takes long
    players = [one.player for one in people if one.player is not None]
    with context.changing() as session:
        for one, player in zip(people, players, strict=True):
            daily = Pace.DAILY if one.name == "Cleo" else Pace.AT_ONCE
            language = "nl" if one.name == "Ben" else "en"
            wants = Preferences(language=language, pace=daily, moves=True, messages=True)
            store_preferences(session, player, None, wants, NOON)
    addresses.request_address_confirmation(context, game, 0, "anna@post.example.org", NOON)
    mail = b"From: anna@example.org\r\nMessage-ID: <1@example.org>\r\n\r\n2 houses"
    store_mail(context, "anna@example.org", context.links.new_game_links()[1], mail, NOON)
    dispatch.process_waiting_mail(context, NOON)
    links = _links_mailed(place)
    cookies = tuple(_sign_in(place, player) for player in players)
    sign_in.request_link_for(context, players[0], NOON)
    links |= _links_mailed(place)
    keys = tuple(sign_in.create_key(context, player, "a program", NOON) for player in players)
    with context.changing() as session:
        session.execute(delete(OutgoingLetter))
    context.database.dispose()
    file = Path(context.database.url.database or "")
    called = tuple(one.name for one in people)
    return Office(file.read_bytes(), game, called, keys, cookies, links)


def _links_mailed(place: Site) -> dict[str, str]:
    """The addresses in the letters that are due, by their first letter: confirm, propose, sign in."""
    found = Collector()
    while sending.send_due_letters(place.context, found, NOON):
        pass
    form = re.escape(place.context.links.base_url) + r"(/([cns])/\S+)"
    return {kind: link for mail in found.mails for link, kind in re.findall(form, body(mail))}


def _sign_in(place: Site, player: int) -> dict[str, str]:
    sign_in.request_link_for(place.context, player, NOON)
    visitor = place.visitor().get(_links_mailed(place)["s"]).press()
    kept = visitor.client.get_cookie("alexandros-in")
    assert kept is not None, visitor.text
    return {kept.key: kept.value}
