"""Lives of games as files tell them: who does what when, what each gets to read, and what every place says.

A life runs on the real intake, reader, clock, outbox, pages and API; its clock, its relay and its mailbox are
those of a test. After each step a copy of the database is asked what its players would see then, so that
looking changes nothing.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import col, func, select

from emails.i18n import Locale, use_locale
from emails.terms import AbsenceRule
from emails.wording.phrases import format_deadline
from engine import bots
from server.clock import note_mailbox
from server.delivery.relay import DeliveryFailed
from server.inbox.intake import store_mail
from server.network import Endpoint, ImapMailbox
from server.store.game_terms import SeatRequest, ticket_to
from server.store.models import Game, OutgoingLetter, Seating
from server.store.server_facts import GameTerms
from server.store.states import Channel, LetterState, MomentName
from server.turns.play import play_turn
from tests.faults.rooms import AwayRelay, Collector, Server
from tests.faults.times import MINUTE, SECOND, Times
from tests.server.desk import NOON, body
from tests.server.web.bots import bot
from tests.server.web.site import Dice, Visitor

LIVES = Path(__file__).parent / "lives"
MOMENT = re.compile(r"\w+, \d{1,2} \w+, \d\d:\d\d \S+")
"""A moment as letters and pages name a deadline."""
UNTOLD = "--", "==", "Points: ", "Punten: "
"""How parts of a letter begin that are no matter here."""
LONGEST_LINE = 240


def squeezed(words: str) -> str:
    return " ".join(words.replace("\u00a0", " ").split())


def telling_lines(mail: EmailMessage) -> Iterator[str]:
    """The first lines of a letter that say something, and each later one that names a moment."""
    parts = [squeezed(one) for one in re.split(r"(?:\r?\n){2,}", body(mail))]
    parts = [one for one in parts if "://" not in one and not one.startswith(UNTOLD)]
    for number, one in enumerate(parts):
        if number < 2 or MOMENT.search(one):
            yield one[:LONGEST_LINE]


@dataclass(frozen=True, slots=True)
class Person:
    """A player of a life."""

    name: str
    zone: str
    language: str = "en"
    plays: str = "page"
    zone_known: bool = True
    sits: bool = True

    @property
    def address(self) -> str:
        return f"{self.name.lower()}@example.org"

    def local(self, moment: datetime) -> datetime:
        return moment.astimezone(ZoneInfo(self.zone))

    def show(self, moment: datetime) -> str:
        return f"{self.local(moment):%a %d %b %H:%M %Z}"

    def names_of(self, moment: datetime) -> list[str]:
        """A moment as a letter to them may name it."""
        found = []
        for zone in [self.zone] if self.zone_known else [self.zone, "UTC"]:
            with use_locale(Locale(self.language, zone)):
                found.append(squeezed(format_deadline(moment)).casefold())
        return found


@dataclass(frozen=True, slots=True)
class Life:
    """A file of a life.

    A step has `at`, by the clock of `who` or else of the first player, one action, and `expect`. The actions:

    - `mail`: send this text as a reply to the newest letter, with `date` and `headers`. `to`: reply to the
      newest letter of this kind; with "seat", write to the address for joining the game.
    - `click`: open the link with this text in a letter, and send the page's form with `fields`.
    - `opens`: open every link of the newest letter of this kind, like a mail scanner.
    - `page`: open a page, and send its `form` with `fields`.
    - `turns`: `who` plays this number of whole turns.
    - `stands`: stop "server", "relay" or "mailbox"; with "busy relay" the relay defers each letter.
    - `goes`: end this outage.

    The keys of `expect`:

    - `mover`: the player whose turn it is. `deadline`: by the clock of this player; empty if no time runs.
    - `gets`: the kinds of letters that each player gets. `nothing`: the players who get none.
    - `says` of letters, `shows` of the game's page and `/me`, `when` of the answer to the mail `when`, `api`
      of the answer of the API: expressions that must match, or after `!` must not.
    """

    name: str
    title: str
    players: tuple[Person, ...]
    """In the order of their seats; the first has the first turn."""
    game: Mapping[str, Any]
    """When it `begins`, and its terms: time for a turn (`hours` or `minutes`), reserve (`bank`), time given
    back to the reserve (`refill`), and the rule for missed deadlines (`absence`)."""
    steps: tuple[Mapping[str, Any], ...]
    quiet: bool = False
    """Whether the test fails if a reminder is sent from 22:00 to 8:00."""
    most_letters: Mapping[str, int] = field(default_factory=dict)
    """How many letters each player gets at most."""

    @classmethod
    def read(cls, file: Path) -> Life:
        given = tomllib.loads(file.read_text("utf-8"))
        return cls(file.stem, **{**given, "players": tuple(Person(**one) for one in given["players"])})

    def person(self, name: str) -> Person:
        """The player of a name; without one the first, by whose clock a life is told."""
        return next((one for one in self.players if one.name == name), self.players[0])

    def reader(self, mail: EmailMessage) -> Person:
        return next(one for one in self.players if one.address in str(mail["To"]).lower())

    def moment(self, words: str, who: str = "") -> datetime:
        return datetime.fromisoformat(words).replace(tzinfo=ZoneInfo(self.person(who).zone)).astimezone(UTC)


# --- how it is lived ------------------------------------------------------------------------------------

LOOKS_EVERY = timedelta(minutes=30)
"""How far apart two looks are while something stands still."""
MAILBOX = ImapMailbox(Endpoint("127.0.0.1", 143), tls=False, user="play", password="unused")
NIGHT = (*range(8), 22, 23)
"""The hours in which nobody is reminded, where a life is quiet."""


OUTLOOK = re.compile(r"(?:Your turn|Jouw beurt): (?:not before|by|niet voor|uiterlijk) ")
"""How the sentence begins that says when the turn of a waiting player comes."""


class Relay(AwayRelay):
    """A relay that can be away, or put every letter off."""

    is_busy = False

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        if self.is_busy:
            raise DeliveryFailed("450 later", final=False)
        super().send(sender, recipient, raw)


class InOrder(Dice):
    """Dice that seat players as a file lists them."""

    def shuffle(self, x: Any) -> None:
        """Leave the order as it is."""


class Run:
    """A life as it is lived: `lines` is its transcript, `problems` what is not as it should be."""

    def __init__(self, life: Life, folder: Path) -> None:
        self.life, self._folder, self._copy = life, folder / "life", folder / "copy"
        self.lines, self.problems = [life.title, "=" * len(life.title)], list[str]()
        self._times, self._relay, self._standing = Times(), Relay(), set[str]()
        self._sent = list[tuple[datetime, EmailMessage]]()
        self._box = list[tuple[str, str, bytes]]()
        self._written = self._told = self._before = self._turn = self._turn_since = 0
        self._read = dict[str, int]()
        """Behind how many letters a player last changed something on a page, and read it there."""
        self._sights, self._shown = dict[str, Sight](), dict[str, tuple[str, ...]]()
        self._waiting = dict[str, Sight]()
        """What the players see who are not to move."""
        self._deadline: datetime | None = None
        self._mover = ""
        self._times.go_on(life.moment(life.game["begins"]) - NOON)
        self._folder.mkdir()
        self._server = self._start()
        self._game = self._open()

    @property
    def transcript(self) -> str:
        """What was done, told and shown, to be read by eye."""
        return "\n".join(self.lines) + "\n"

    def _start(self) -> Server:
        server = Server(self._folder, self._times, self._relay)
        server._loops.recipient_locks.relay.steady = self._times.steady
        server.context.rng = InOrder()
        server.context.settings = server.context.settings.model_copy(update={"mail_in": MAILBOX})
        return server

    def _open(self) -> str:
        people, now, context = [one for one in self.life.players if one.sits], self._now, self._server.context
        seats = [SeatRequest(one.name, one.address) for one in people]
        said = {name: value for name, value in self.life.game.items() if name not in ("begins", "absence")}
        said["terms"] = GameTerms(absence=AbsenceRule(self.life.game.get("absence", "turn")))
        said |= {"at_once": True, "organiser": people[0].address}
        game = context.open_game("Friday", seats, now, **said)
        context.confirm(*(one.name for one in people))
        for one in people:
            zone = {"zone": one.zone} if one.zone_known else {}
            told = {"language": one.language, "pictures": False, **zone}
            context.set_preferences(game, one.name, everywhere=True, now=now, **told)
        return game

    @property
    def _now(self) -> datetime:
        return self._times.wall()

    # --- time goes on -----------------------------------------------------------------------------------

    def live(self) -> Run:
        self._work()
        self._tell("The game begins.", {})
        for step in self.life.steps:
            who, wanted = str(step.get("who", "")), step.get("expect", {})
            self._pass_until(self.life.moment(step["at"], who))
            self._do(step, who)
            self._work()
            told = [f"{key}: {value}" for key, value in step.items() if key not in ("at", "who", "expect")]
            self._tell(f"{who} {', '.join(told)}".strip() or "nothing happens", wanted)
            self._check(wanted)
        self._check_whole()
        return self

    def _pass_until(self, moment: datetime) -> None:
        while (now := self._now) < moment:
            at = now + LOOKS_EVERY if self._standing else max(self._next_work(now) + SECOND, now + MINUTE)
            passed = min(moment, at) - now
            self._times.go_on(passed) if "server" in self._standing else self._server.pass_time(passed)
            self._work()

    def _next_work(self, now: datetime) -> datetime:
        """When the clock or the outbox has something to do next."""
        with self._server.context.reading() as session:
            games = select(func.min(col(Game.due_at))).where(col(Game.due_at) > now)
            waiting = col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.due_at) > now
            letters = select(func.min(col(OutgoingLetter.due_at))).where(*waiting)
            found = [one for one in (session.exec(games).one(), session.exec(letters).one()) if one]
        return min(found, default=now + timedelta(days=400))

    def _work(self) -> None:
        """Let the server do what is to be done now, if it is at work."""
        if "server" in self._standing:
            return
        now, context = self._now, self._server.context
        if "mailbox" in self._standing:
            note_mailbox(context, MomentName.MAILBOX_AWAY, now)
        else:
            while self._box:
                store_mail(context, *self._box.pop(0), now)
            note_mailbox(context, MomentName.MAILBOX_READ, now)
        self._server.work()
        self._sent += [(now, mail) for mail in self._relay.mails[len(self._sent) :]]

    # --- what happens -----------------------------------------------------------------------------------

    def _do(self, step: Mapping[str, Any], who: str) -> None:
        """Do what a step says; one that says nothing only looks."""
        self._standing |= {step["stands"]} if "stands" in step else set()
        self._standing -= {step.get("goes", "")}
        self._relay.is_away, self._relay.is_busy = (one in self._standing for one in ("relay", "busy relay"))
        if step.get("goes") == "server":
            self._server.stop()
            self._server = self._start()
        if "mail" in step:
            self._write(who, step["mail"], step)
        if "click" in step:
            letter = body(self._letter(who, step.get("to", "")))
            link = re.search(rf"{step['click']}.*\s+https?://[^/]*(\S+)", letter)
            assert link is not None, letter
            form = "//form[@method='post'][.//input[@name='nonce']]"
            self._browser(who).get(link[1]).send(form, **step.get("fields", {}))
        if "opens" in step:  # as a scanner of mails does
            for link in re.findall(r"https?://[^/]*(/\S+)", body(self._letter(who, step["opens"]))):
                self._browser(who).get(link)
        if "page" in step:
            self._read[who] = len(self._relay.mails)
            self._open_page(who, step["page"]).send(step.get("form", "//main//form"), **step["fields"])
        for _ in range(step.get("turns", 0)):
            self._take_turn(who)

    def _write(self, who: str, words: str, step: Mapping[str, Any]) -> None:
        """Answer the newest letter, or the newest of a kind, as a mail program does."""
        letter, person, now = self._letter(who, step.get("to", "")), self.life.person(who), self._now
        self._written += 1
        mail, recipient = EmailMessage(), str(letter["Reply-To"])
        if step.get("to") == "seat":
            recipient = self._server.context.links.join_address(self._game)
        hop = "from mx.example.net ([192.0.2.7]) by mx.example.org with ESMTP"
        mail["Received"] = f"{hop}; {format_datetime(now)}"
        mail["From"], mail["To"], mail["Subject"] = person.address, recipient, f"Re: {letter['Subject']}"
        mail["Message-ID"], mail["In-Reply-To"] = f"<{self._written}@example.org>", str(letter["Message-ID"])
        written = self.life.moment(step["date"], who) if "date" in step else now
        mail["Date"] = format_datetime(person.local(written))
        for name, value in step.get("headers", {}).items():
            mail[name] = value
        mail.set_content(words + "\n")
        self._box.append((person.address, recipient, bytes(mail)))

    def _letter(self, who: str, kind: str) -> EmailMessage:
        """The newest letter to a player, or of a kind; a stranger answers one that was passed on."""
        fits = [one for one in self._relay.mails if one["Reply-To"]]
        fits = [one for one in fits if kind in ("", "seat", one["X-Alexandros"])]
        return ([one for one in fits if self.life.reader(one).name == who] or fits)[-1]

    def _browser(self, who: str) -> Visitor:
        browser = self._server.site.visitor()
        browser.client.set_cookie("alexandros-zone", self.life.person(who).zone)
        return browser

    def _open_page(self, who: str, page: str) -> Visitor:
        context = self._server.context
        if page == "organiser":
            link = context.links.organiser_link(self._game, 0).removeprefix(context.links.base_url)
            return self._browser(who).get(link)
        site, seat = self._server.site, context.seat_of(self._game, who)
        return site.signed_in(self._game, seat).get(f"{site.link(self._game, seat=seat)}/{page}")

    def _take_turn(self, who: str) -> None:
        """Take a whole turn, by mail or on the page; what is left of it is done as a caretaker would."""
        context = self._server.context
        if context.mover(self._game) != who:
            self._note(f"it is not the turn of {who}")
            return
        turn, words = context.game_row(self._game).turn, [*context.turn_words(self._game), "draw", "draw"]
        if self.life.person(who).plays == "mail":
            self._write(who, "\n".join(words), {})
        else:
            self._browser(who).get(self._server.site.link(self._game, "; ".join(words))).press()
        self._work()
        row = context.game_row(self._game)
        if row.turn == turn and not self._standing:
            play_turn(context, self._game, row.after, bots.stand_in, Channel.WEB, self._now)

    # --- what is seen -----------------------------------------------------------------------------------

    def _tell(self, headline: str, wanted: Mapping[str, Any]) -> None:
        """Write down the letters since the last step, what this one does, and what every place says then."""
        self._before, self._told = self._told, len(self._sent)
        self.lines += ["", f"## {self.life.person('').show(self._now)}: {squeezed(headline)}", ""]
        for at, mail in self._sent[self._before :]:
            reader = self.life.reader(mail)
            kind, subject = mail["X-Alexandros"], mail["Subject"]
            self.lines.append(f"{reader.name} gets at {reader.show(at)} {kind}: {subject}")
            self.lines += [f"    {line}" for line in telling_lines(mail)]
        self._sights = {}
        if "server" not in self._standing:
            self._look({*wanted.get("shows", ()), *wanted.get("when", ())})
            self._compare()
            self._compare_outlooks()

    def _look(self, looked_for: set[str]) -> None:
        """Ask a copy of the database what each player would see now, and write down what is looked for."""
        self._copy.mkdir()
        files = [folder / "games.sqlite" for folder in (self._folder, self._copy)]
        with closing(sqlite3.connect(files[0])) as source, closing(sqlite3.connect(files[1])) as target:
            source.backup(target)
        files[1].chmod(0o600)
        carrier = Collector()
        server = Server(self._copy, self._times, carrier)
        row, names = server.context.game_row(self._game), server.context.names_of(self._game)
        seat = row.seat or 0
        if row.turn != self._turn:
            self._turn, self._turn_since = row.turn, self._before
        self._mover, self._deadline = names[seat], None
        for name in dict.fromkeys([names[seat], *sorted(looked_for)]):
            if sight := Sight.of(server, self._game, self.life.person(name), carrier):
                self._sights[name], self._deadline = sight, sight.deadline
        seen = {
            name: self._sights.get(name) or Sight.of(server, self._game, self.life.person(name), carrier)
            for name in names
            if name != self._mover
        }
        self._waiting = {name: sight for name, sight in seen.items() if sight}
        server.stop()
        shutil.rmtree(self._copy)
        due = self.life.person("").show(self._deadline) if self._deadline else "no deadline"
        self.lines.append(f"API: {self._mover}, {due}")
        for name, sight in self._sights.items():
            new = [one for one in sight.lines if one not in self._shown.get(name, ())]
            self.lines += [f"{name} sees {one}" for one in new]
            self._shown[name] = sight.lines

    def _compare(self) -> None:
        """Note each place that names another deadline than the API."""
        sight = self._sights.get(self._mover)
        if self._deadline is None or sight is None:
            return
        places = {"page": sight.page, "/me": sight.me}
        if not self._relay.is_away:
            places["when"] = sight.when
        since = max(self._read.get(self._mover, 0), self._turn_since)
        letters = [squeezed(body(mail)) for mail in self._letters_to(self._mover, since)]
        naming = [one for one in letters if MOMENT.search(one)]
        if naming and not (self._standing or json.loads(sight.api)["stands_still"]):
            places["letter"] = naming[-1]
        right = self.life.person(self._mover).names_of(self._deadline)
        for place, words in places.items():
            if not any(one in words.casefold() for one in right):
                self._note(f"{place} of {self._mover} does not name {right[0]}")
        for name, other in self._sights.items():
            until = rf"{self._mover} (?:has until|heeft de tijd tot) (.*?\d\d:\d\d \S+?)\.? "
            told = re.search(until, other.page)
            if told and told[1].casefold() not in self.life.person(name).names_of(self._deadline):
                self._note(f"page of {name} names {told[1]}")

    def _compare_outlooks(self) -> None:
        """Note each place that tells a waiting player another time of their turn than the API."""
        for name, sight in self._waiting.items():
            person = self.life.person(name)
            places = {"page": sight.page, "/me": sight.me} if person.zone_known else {}
            if not self._relay.is_away:
                places["when"] = sight.when
            for place, words in places.items():
                told = sight.outlook in words if sight.outlook else not OUTLOOK.search(words)
                if not told:
                    self._note(f"{place} of {name} does not say {sight.outlook or 'nothing'!r}")

    def _note(self, problem: str) -> None:
        self.problems.append(f"{self.life.person('').show(self._now)}: {problem}")

    # --- what is expected -------------------------------------------------------------------------------

    def _check(self, wanted: Mapping[str, Any]) -> None:
        """Note what is not as a step expects it."""
        if wanted.get("mover", self._mover) != self._mover:
            self._note(f"{self._mover} is to move")
        if "deadline" in wanted:
            due = self.life.moment(wanted["deadline"], self._mover) if wanted["deadline"] else None
            known = None not in (due, self._deadline)
            if (abs(due - self._deadline) > 2 * MINUTE) if known else due is not self._deadline:
                self._note(f"the deadline is {self._deadline} and not {due}")
        for name in {*wanted.get("gets", ()), *wanted.get("nothing", ())}:
            found = [str(mail["X-Alexandros"]) for mail in self._letters_to(name, self._before)]
            kinds = wanted.get("gets", {}).get(name, ())
            if any(found.count(kind) < kinds.count(kind) for kind in kinds) or (found and not kinds):
                self._note(f"{name} gets {found}")
        sights = {one.name: self._sights.get(one.name, Sight()) for one in self.life.players}
        for name, words in wanted.get("says", {}).items():
            letters = (f"{mail['Subject']} {body(mail)}" for mail in self._letters_to(name, self._before))
            self._match(words, squeezed(" ".join(letters)), f"letters to {name}")
        for name, words in wanted.get("shows", {}).items():
            self._match(words, sights[name].page, f"page of {name}")
            self._match(words, sights[name].me, f"/me of {name}")
        for name, words in wanted.get("when", {}).items():
            self._match(words, sights[name].when, f"when of {name}")
        if "api" in wanted:
            self._match(wanted["api"], self._sights.get(self._mover, Sight()).api, "API")

    def _letters_to(self, name: str, since: int) -> list[EmailMessage]:
        return [mail for mail in self._relay.mails[since:] if self.life.reader(mail).name == name]

    def _match(self, words: str, text: str, place: str) -> None:
        """Note where words are missing; where those begin with an exclamation mark, where they are there."""
        if bool(re.search(words.removeprefix("!"), text, re.IGNORECASE)) == words.startswith("!"):
            self._note(f"{place}: {words}")

    def _check_whole(self) -> None:
        """Note what the whole life must not hold: too many letters, or a reminder in the night."""
        for name, most in self.life.most_letters.items():
            if (many := len(self._relay.to(name))) > most:
                self._note(f"{name} got {many} letters")
        for at, mail in self._sent if self.life.quiet else ():
            reader = self.life.reader(mail)
            if mail["X-Alexandros"] == "reminder" and reader.local(at).hour in NIGHT:
                self._note(f"{reader.name} is reminded at {reader.show(at)}")


@dataclass(frozen=True, slots=True)
class Sight:
    """What a player sees of the game at one moment; `lines`: the words that matter, for a transcript."""

    deadline: datetime | None = None
    page: str = ""
    me: str = ""
    when: str = ""
    api: str = ""
    outlook: str = ""
    """When their turn comes, as the API says it; empty where it says nothing."""
    lines: tuple[str, ...] = ()

    @classmethod
    def of(cls, server: Server, game: str, person: Person, carrier: Collector) -> Sight | None:
        """What a player is shown; None where nobody has the seat."""
        site, seat = server.site, server.context.seat_of(game, person.name)
        with server.context.reading() as session:
            seating = session.get_one(Seating, (game, seat))
            ticket = ticket_to(seating, session.get_one(Game, game).after)
            if seating.player is None:
                return None
        page = site.signed_in(game, seat).get(site.link(game, seat=seat))
        lede = " ".join([f"{page.title}.", *texts_at(page, "//main//p[@class='lede']")])
        me = site.signed_in(game, seat).get("/me")
        listed = " ".join(texts_at(me, "//ul[@class='games']//p[@class!='last']"))
        asked = {"Accept-Language": person.language}
        api = bot(site, game, person.name).get(f"games/{game}", **asked).json
        assert api is not None
        mail = f"From: {person.address}\r\nMessage-ID: <{person.name}@example.org>\r\n\r\nwhen\r\n"
        links = replace(server.context.links, generation=ticket.generation)
        server.bring(person.address, links.reply_address(ticket), mail.encode())
        server.work("mail", "delivery 1")
        shown = [one for one in carrier.to(person.name) if one["X-Alexandros"] == "shown"][-1:]
        when = " / ".join(line for one in shown for line in telling_lines(one))
        due = None if api["deadline"] is None else datetime.fromisoformat(api["deadline"])
        outlook = squeezed((api.get("next_turn") or {}).get("words", ""))
        lines = f"page: {lede}", f"/me: {listed}", f"when: {when}"
        words = squeezed(" ".join(map(body, shown)))
        return cls(due, page.text, me.text, words, json.dumps(api), outlook, lines)


def texts_at(visitor: Visitor, where: str) -> list[str]:
    return [squeezed(str(one.text_content())) for one in visitor.page.xpath(where)]
