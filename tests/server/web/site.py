"""A visitor for a test: a browser that keeps cookies, reads pages, follows links and presses buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from secrets import token_hex
from types import CodeType
from typing import Any, ClassVar
from urllib.parse import urlencode

from flask import Flask
from flask.testing import FlaskClient
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from lxml import html
from lxml.html import HtmlElement
from sqlmodel import Session, col, select
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from emails.tokens import Ticket, digest_token, seal_ticket
from engine.cards import Symbol
from engine.position import Position, Table
from server.app import create_app
from server.delivery.relay import choose_transport
from server.store.context import act_tag_of
from server.store.event_log import History
from server.store.game_terms import SeatRequest
from server.store.models import Act, Game, OutgoingLetter, Player, Seating, SignedInBrowser
from server.store.states import GameStatus
from server.turns.dry_run import load_draft
from server.web.kit.request_context import SIGN_IN_COOKIE
from tests.server.desk import NOON, Clock, Desk, desk


class Dice(Random):
    """Dice that fall as told, and then at random from a seed."""

    told: list[str]

    def __init__(self) -> None:
        super().__init__(1)
        self.told = []

    def choice(self, seq: Sequence[Any]) -> Any:
        return Symbol(self.told.pop(0)) if self.told else super().choice(seq)


class TemplateCache(BytecodeCache):
    """Templates that were compiled for one site, for those after it in the same process."""

    def __init__(self) -> None:
        self.compiled: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.compiled.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.compiled[bucket.key, bucket.checksum] = bucket.code


TEMPLATES = TemplateCache()


class SharedRule(Rule):
    """A rule of addresses, read and compiled once in a process, for all sites have the same."""

    compiled: ClassVar[dict[Any, Any]] = {}
    read: ClassVar[dict[str, tuple[tuple[Any, ...], tuple[tuple[bool, str], ...], dict[str, Any]]]] = {}

    def _parse_rule(self, rule: str) -> tuple[Any, ...]:
        if rule in self.read:
            parts, trace, converters = self.read[rule]
            self._trace.extend(trace)
            self._converters.update(converters)
            self.arguments.update(converters)
            return parts
        start = len(self._trace)
        parts = tuple(super()._parse_rule(rule))
        self.read[rule] = parts, tuple(self._trace[start:]), dict(self._converters)
        return parts

    def _compile_builder(self, append_unknown: bool = True) -> Any:
        key = (tuple(self._trace), tuple((self.defaults or {}).items()), append_unknown)
        if key not in self.compiled:
            self.compiled[key] = super()._compile_builder(append_unknown)
        return self.compiled[key]


Flask.url_rule_class = SharedRule


@dataclass
class Site:
    """An office with its pages, at a moment that stands still."""

    context: Desk
    clock: Clock = field(default_factory=Clock)
    dice: Dice = field(default_factory=Dice)

    def __post_init__(self) -> None:
        self.context.rng = self.dice
        self.app = create_app(self.context, self.clock)
        self.app.jinja_env.bytecode_cache = TEMPLATES

    def visitor(self) -> Visitor:
        return Visitor(self.app.test_client())

    def look(self, game: str, page: str = "", words: str = "", **more: int) -> Visitor:
        """Open a page of a game by a link of a letter, in a new browser."""
        return self.visitor().get(self.link(game, words, **more) + page)

    def signed_in(self, game: str, seat: int = 0) -> Visitor:
        """A browser in which the player of a seat is signed in."""
        visitor = self.visitor()
        self.sign_in(visitor, game, seat)
        return visitor

    def sign_in(self, visitor: Visitor, game: str, seat: int = 0) -> None:
        """Let the player of a seat be signed in in a browser."""
        self._sign_in(visitor, self.context.player_of(game, seat))

    def as_player(self, name: str = "Anna") -> Visitor:
        """A browser in which the player of this name is signed in."""
        visitor = self.visitor()
        self._sign_in(visitor, self.rows(Player.id, Player.name == name)[0])
        return visitor

    def _sign_in(self, visitor: Visitor, player: int) -> None:
        token, now = token_hex(16), self.clock()
        with self.changing() as session:
            digest = digest_token(token)
            session.add(SignedInBrowser(digest=digest, player=player, browser="", at=now, seen_at=now))
        visitor.client.set_cookie(self.app.config[SIGN_IN_COOKIE], token)

    def say_yes(self, visitor: Visitor) -> Visitor:
        """Let a visitor open the game that was asked for last, by the page in the letter to its organiser."""
        with self.context.reading() as session:
            letters = select(OutgoingLetter.game).join(Game, Game.id == OutgoingLetter.game)
            waiting = letters.where(Game.status == GameStatus.PROPOSED)
            game = session.exec(waiting.order_by(col(OutgoingLetter.id).desc())).first()
        links = self.context.links
        return visitor.get(links.proposal_links(game)[0].removeprefix(links.base_url)).press()

    def work(self) -> None:
        """What the loops do between requests: the house moves, letters leave for the built-in mailbox."""
        self.context.work_until_idle(choose_transport(self.context, self.clock), self.clock())

    def history(self, game: str) -> History:
        return self.context.history(game)

    def rows(self, what: Any, *conditions: Any) -> list[Any]:
        """The rows of a table, or one column of them."""
        return self.context.rows_of(what, *conditions)

    def read(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """What a function finds in a session that reads."""
        with self.context.reading() as session:
            return work(session, *arguments)

    def changing(self) -> AbstractContextManager[Session]:
        """A session in which to write, whose changes are committed at the end."""
        return self.context.changing()

    def start_game(self, *people: str, **said: Any) -> str:
        return self.context.start_game(*people, **said)

    def open_game(self, name: str, seats: Sequence[SeatRequest], **said: Any) -> str:
        return self.context.open_game(name, seats, NOON, **said)

    def row(self, game: str) -> Game:
        return self.context.game_row(game)

    def names(self, game: str) -> tuple[str, ...]:
        """Who sits on seats 0, 1, ..."""
        return self.context.names_of(game)

    def seat(self, game: str, name: str) -> int:
        return self.context.seat_of(game, name)

    def position(self, game: str) -> Position:
        return self.context.position_of(game)

    def table(self, game: str) -> Table:
        """What all see of a game that has started."""
        return self.position(game).table

    def drafted(self, game: str) -> tuple[str, ...]:
        with self.context.reading() as session:
            row = session.get_one(Game, game)
            return load_draft(session, row, row.seat or 0)

    def token(self, game: str, words: str = "", *, seat: int | None = None, after: int | None = None) -> str:
        """A token for a seat (default: whose turn it is) and the position now."""
        history = self.history(game)
        if seat is None:
            seat = history.position.table.seat
        with self.context.reading() as session:
            seating = session.get(Seating, (game, seat))
            generation = 0 if seating is None else seating.generation
            number = history.after if after is None else after
            act_tag = act_tag_of(self.context, session, game, number)
        return seal_ticket(Ticket(game, seat, number, words, generation, act_tag), self.context.links.keys)

    def link(self, game: str, words: str = "", **more: int) -> str:
        return f"/t/{self.token(game, words, **more)}"

    def stored(self) -> tuple[int, int]:
        return len(self.rows(Act.seq)), len(self.rows(OutgoingLetter.id))


def site(folder: Path, **settings: str) -> Site:
    """A site on a database in `folder`."""
    return Site(desk(folder, **settings))


@dataclass
class Visitor:
    """A browser with the page it shows."""

    client: FlaskClient
    page: HtmlElement = field(default_factory=lambda: html.fromstring("<html></html>"))
    status: int = 0
    answer: TestResponse | None = None

    def get(self, link: str) -> Visitor:
        return self._show(self.client.get(link.partition("#")[0], follow_redirects=True))

    def post(self, link: str, **fields: str) -> Visitor:
        return self._show(self.client.post(link, data=fields, follow_redirects=True))

    def _show(self, answer: TestResponse) -> Visitor:
        self.answer, self.status = answer, answer.status_code
        self.page = html.fromstring(answer.get_data() or b"<html></html>")
        return self

    @property
    def text(self) -> str:
        """The words on the page, blanks folded; drawings left out."""
        found = self.page.xpath("//body//text()[not(ancestor::svg) and not(ancestor::script)]")
        return " ".join(" ".join(map(str, found)).split())

    @property
    def title(self) -> str:
        return " ".join(str(self.page.xpath("string(//h1)")).split())

    def links(self, path: str = "//a") -> list[tuple[str, str]]:
        return [(" ".join(str(a.text_content()).split()), str(a.get("href"))) for a in self.page.xpath(path)]

    def choices(self) -> list[tuple[str, str]]:
        return self.links("//a[@class='choice']")

    def click(self, words: str) -> Visitor:
        """Follow the first link with these words in it."""
        return self.get(next(link for text, link in self.links() if words in text))

    def form(self, where: str = "//form") -> tuple[str, str, dict[str, str | list[str]]]:
        """The first such form: its method, its address, what it would send untouched."""
        form = self.page.xpath(where)[0]
        fields: dict[str, str | list[str]] = {}
        for name, value in form.form_values():
            fields[name] = [*fields[name], value] if isinstance(fields.get(name), list) else value
        ticked = [box.get("value") for box in form.xpath(".//input[@type='checkbox'][@checked]")]
        return form.method, form.action, fields | ({"guard": ticked} if ticked else {})

    def send(self, where: str = "//form", **changes: str | list[str]) -> Visitor:
        method, action, fields = self.form(where)
        fields |= changes
        if method == "GET":
            return self.get(f"{action}?{urlencode(fields, doseq=True)}")
        return self._show(self.client.post(action, data=fields, follow_redirects=True))

    def offers(self) -> list[tuple[str, str]]:
        """The buttons of the dock that can be pressed: what each is called in its form, and its value."""
        found = self.page.xpath("//*[@class='dock']//button[@name][not(@disabled)]")
        return [(str(one.get("name")), str(one.get("value"))) for one in found]

    def tap(self, value: str) -> Visitor:
        """Press the first button of the dock with such a value, or of such a name."""
        found = self.page.xpath("//*[@class='dock']//button[@name][not(@disabled)]")
        button = next(one for one in found if value in (one.get("value"), one.get("name")))
        own = button.get("form")
        form = own or button.xpath("string(ancestor::form/@id)")
        return self.send(f"//form[@id='{form}']", **{str(button.get("name")): str(button.get("value"))})

    def press(self) -> Visitor:
        """Press the button that does what the page shows."""
        return self.send("//form[@method='post'][.//input[@name='nonce']]")

    def nonce(self) -> str:
        return str(self.page.xpath("string(//input[@name='nonce']/@value)"))
