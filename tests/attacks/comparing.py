"""What a reader gets of two worlds, side by side: whole answers to calls, and whole letters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from time import time

from flask.testing import FlaskClient
from sqlmodel import col, select

from emails.letters import account_letters, game_letters
from emails.letters.declaration import Payload
from emails.wording.requests import OrderQuestion, Request, RequestKind, ask_which
from engine.actions import Ambiguous
from engine.position import View, view
from engine.rules import legal
from server.delivery.claims import load_situation
from server.delivery.composition import write_letter
from server.delivery.relay import choose_transport
from server.outbox import chat
from server.outbox.notifications import Notification, decode_row, reason_to_drop
from server.outbox.queue import UnitOfWork, load_people
from server.store.models import Game, OutgoingLetter
from tests.attacks.reachable import Call, Reach, reachable
from tests.attacks.twin_games import position_of
from tests.attacks.worlds import BOARD, Pair, World, load_pair, random_pair

LANGUAGES = "en", "nl"
HEAD_EVERY = 3


@dataclass(frozen=True)
class Answer:
    """All that a server answers, and how many statements its database had to do for it."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    statements: int


@dataclass(frozen=True)
class WrittenLetter:
    """All that is sent of a letter, or why it is not."""

    kind: str
    dropped: str
    sender: str = ""
    text: str = ""
    raw: bytes = b""
    numbers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    route: str
    """Or the kind of a letter."""
    what: str
    answers: tuple[object, object]


@dataclass
class Tally:
    addresses: int = 0
    letters: int = 0
    routes: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)
    """The routes that answered with what was asked for."""
    kinds: set[str] = field(default_factory=set)
    """Of letters that were written."""
    differences: list[Difference] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.addresses, self.letters = self.addresses + other.addresses, self.letters + other.letters
        self.routes |= other.routes
        self.shown |= other.shown
        self.kinds |= other.kinds
        self.differences += other.differences


def compare_pair(worlds: Sequence[World], number: int, letters: int, *routes: str) -> Tally:
    """Compare so many letters of a pair, of which the first lies in the mailbox, and every address.

    `routes`: of the addresses only these.
    """
    found, pair = Tally(), random_pair(number)
    load_pair(worlds, pair)
    if pair.me is not None:
        _compare_letters(worlds, pair, found, number, letters)
    for world in worlds:
        world.site.history(pair.office.game)  # the first who asks has it read, in either world
    reach = Reach(pair, worlds[0].site, Random(number))
    clients = [_Clients(world, pair, LANGUAGES[number % 2]) for world in worlds]
    for at, call in enumerate(reachable(reach)):
        for method in _methods(call, number + at) if not routes or call.route in routes else ():
            first, second = _ask_both(clients, call, method)
            found.routes.add(call.route)
            found.addresses += 1
            if first.status == 200:
                found.shown.add(call.route)
            if first != second:
                what = f"pair {number}: {method} {call.path} as {call.bearer}"
                found.differences.append(Difference(call.route, what, (first, second)))
    return found


def _methods(call: Call, turn: int) -> tuple[str, ...]:
    """What is sent is sent once; the rest is asked by GET, and of three addresses one by HEAD too."""
    if call.method != "GET":
        return (call.method,)
    return ("GET",) if turn % HEAD_EVERY else ("GET", "HEAD")


class _Clients:
    def __init__(self, world: World, pair: Pair, language: str) -> None:
        self.world, self.pair, self.language = world, pair, language
        interface, app = world.site.app.session_interface, world.site.app
        self.cookie = interface.get_signing_serializer(app).dumps({"id": "a browser"})

    def ask(self, call: Call, method: str) -> Answer:
        client: FlaskClient = self.world.site.app.test_client()
        client.set_cookie("alexandros", self.cookie)
        headers = {"Accept-Language": self.language, "User-Agent": "a browser"}
        if self.pair.me is not None and call.bearer == "browser":
            for name, value in self.pair.office.cookies[self.pair.me].items():
                client.set_cookie(name, value)
        if self.pair.me is not None and call.bearer == "program":
            headers["Authorization"] = f"Bearer {self.pair.office.keys[self.pair.me]}"
        if call.route == "health_pages.show_readiness":
            self.world.context.health.check_all()  # what is found is kept for a while, by a clock of its own
        begun = self.world.statements
        found = client.open(call.path, method=method, headers=headers, **call.fields)
        done = self.world.statements - begun
        return Answer(found.status_code, tuple(found.headers.to_wsgi_list()), found.data, done)


def _ask_both(clients: Sequence[_Clients], call: Call, method: str) -> tuple[Answer, Answer]:
    """The answers of both worlds within one second: some cookies tell when they were set."""
    while True:
        begun = int(time())
        first, second = (one.ask(call, method) for one in clients)
        if int(time()) == begun:
            return first, second


def _compare_letters(worlds: Sequence[World], pair: Pair, found: Tally, number: int, most: int) -> None:
    first, second = (list(_letters(world, pair, number, most)) for world in worlds)
    for one, other in zip(first, second, strict=True):
        found.letters += 1
        if one.raw:
            found.kinds.add(one.kind)
        if one != other:
            what = f"pair {number}: letter {one.kind}"
            found.differences.append(Difference(one.kind, what, (one, other)))


def _letters(world: World, pair: Pair, number: int, most: int) -> Iterator[WrittenLetter]:
    """Some of the letters that the reader may be sent now; the first that is one goes into the mailbox."""
    context, now, me = world.context, world.site.clock(), pair.me
    assert me is not None
    known = view(position_of(BOARD, pair.courses[0]), me)
    contents = letter_contents(known)
    chosen = [contents[(number * most + at) % len(contents)] for at in range(min(most, len(contents)))]
    with context.writing() as session:
        game = session.get_one(Game, pair.office.game)
        chat.post(context, session, game, (me + 1) % len(pair.office.names), None, "Well played!", now)
        UnitOfWork(context, session, now).queue(game, [Notification(me, one) for one in chosen])
        session.commit()
        kinds = [one.kind for one in chosen]
        rows = select(OutgoingLetter).where(OutgoingLetter.seat == me, col(OutgoingLetter.kind).in_(kinds))
        found = session.exec(rows.order_by(col(OutgoingLetter.id))).all()
    carrier, kept = choose_transport(context, world.site.clock), False
    for row in found:
        with context.reading() as session:
            game = session.get_one(Game, row.game)
            preferences = load_people(session, row.game)[me].preferences
            situation = load_situation(context, session, game, row, preferences, now)
            reason = reason_to_drop(decode_row(row), situation)
        if reason is not None:
            yield WrittenLetter(row.kind, reason)
            continue
        mail = write_letter(context, row, game.seq, now)
        if not kept:
            carrier.send(mail.sender, row.recipient, mail.raw)
            kept = True
        yield WrittenLetter(row.kind, "", mail.sender, mail.text, mail.raw, dict(mail.choices))


def letter_contents(known: View) -> list[Payload]:
    shown = tuple(Request(kind) for kind in RequestKind)
    question = _question(known) if known.my_turn and not known.table.over else None
    return [
        game_letters.YourTurn(),
        game_letters.Answer(
            ("draw",), ("draw",), "there is no card", posted=("You told everybody: “Hello!”",), asked=shown
        ),
        game_letters.News(),
        game_letters.TimePassed(known.table.seat),
        game_letters.GameOver(),
        game_letters.Refused("“x” could mean several things.", ("x",), question=question, asked=shown[:1]),
        game_letters.Step(),
        game_letters.Shown(shown),
        game_letters.Welcome(),
        game_letters.Substitute(),
        game_letters.Reminder(),
        game_letters.Reminder(known.table.seat),
        game_letters.Stopped(everywhere=False),
        game_letters.Message(),
        account_letters.Moved("anna@post.example.org"),
        game_letters.Digest(),
    ]


def _question(known: View) -> OrderQuestion:
    return ask_which(Ambiguous("x", tuple(islice(legal(known), 7))), known, (), ("end",))
