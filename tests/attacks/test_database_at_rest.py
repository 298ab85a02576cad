"""Whoever has the database, what SQLite keeps beside it, or a backup: nothing in them opens anything."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from emails.replies import parsed_mail as replies
from emails.replies.parsed_mail import Mail
from emails.terms import JoinedBy
from emails.tokens import KeyRing
from server.accounts import bounces
from server.accounts.addresses import request_address_confirmation, request_move
from server.delivery import composition, relay
from server.delivery.relay import choose_transport
from server.delivery.sending import send_due_letters
from server.inbox import intake
from server.outbox import chat
from server.store import encrypted
from server.store.encrypted import decrypt_bytes
from server.store.game_terms import SeatRequest
from server.store.server_facts import GameTerms
from server.store.states import MailState
from tests.attacks.small_world import World
from tests.breadth import spread
from tests.server.desk import body
from tests.server.web.played import move
from tests.server.web.site import site

pytestmark = pytest.mark.breadth

DOMAIN = "play.example.org"
PAGES = ("/t/", "/u/", "/n/", "/c/", "/s/", "/j/", "/new/")
ADDRESSES = ("play", "stop", "confirm", "bounce", "new")
COOKIES = ("alexandros-in", "alexandros")
SHUT = (404, 410)
"""How a page answers whom it does not open to."""
SHORTEST = 16
"""Characters of what could open anything: a game's id has eight, and everybody may know it."""
RUN = re.compile(rf"[\w+/=-]{{{SHORTEST},}}", re.ASCII)
PART = re.compile(rf"[\w-]{{{SHORTEST},}}", re.ASCII)
SEALED = re.compile(r"[a-z2-7]{16,58}", re.IGNORECASE)
"""What fits into an address of the house."""
LONGEST = 2000
REPORT = """\
From: mailer@example.org
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; example.org

Final-Recipient: rfc822; ben@example.org
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 {sender} wrote to nobody here

--b--
"""


@dataclass
class House(World):
    """A world whose letters go to their readers and into the built-in mailbox."""

    shown: list[str] = field(default_factory=list)
    """Links that only pages show."""

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.mails.send(sender, recipient, raw)
        choose_transport(self.place.context, self.place.clock).send(sender, recipient, raw)

    def deliver(self) -> None:
        while send_due_letters(self.place.context, self, self.place.clock()):
            pass

    def write(self, sender: str, to: str, text: str, raw: bytes = b"") -> str:
        if not raw:
            return super().write(sender, to, text)
        self.written += 1
        return self.bring(sender, to, f"X-Number: {self.written}\r\n".encode() + raw)

    def link(self, name: str, page: str, kind: str = "") -> str:
        """The last link to a page in the last letter to somebody, of a kind."""
        return re.findall(rf"{page}[a-z2-7]+", body(self.last(name, kind)))[-1]


def busy_house(folder: Path) -> House:
    """A house with games that are over, played, open and proposed, and one of each kind of key in use."""
    house = House(site(folder), folder)
    house.place.app.config["LIMITS"]["api"] = 10**6
    finished = house.place.start_game("Anna", "Ben")
    take_turn_by_link(house, finished)
    take_turn_by_mail(house, finished)
    while not house.place.history(finished).position.table.over:
        move(house.place, finished)
    house.deliver()
    game = house.place.start_game("Anna", "Ben", "Cleo")
    talk(house, game)
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("", None, open=True)]
    terms = GameTerms(joined_by=JoinedBy.LINK)
    joined = house.place.context.open_game("Saturday", requests, house.place.clock(), terms=terms)
    links = house.place.context.links
    house.shown += [links.join_link(joined), links.organiser_link(joined, 0)]
    house.write("dirk@example.org", f"new@{DOMAIN}", "Cleo <cleo@example.org>")
    use_account(house, game)
    come_back(house)
    house.place.start_game("Anna", "Ben")  # its letters wait
    return house


def take_turn_by_link(house: House, game: str) -> None:
    name = house.place.context.mover(game)
    house.deliver()
    visitor = house.place.visitor().get(house.link(name, "/t/"))
    while house.place.context.mover(game) == name and (ways := [one for _, one in visitor.choices()]):
        visitor.get(ways[0])
        if visitor.page.xpath("//form[@method='post'][.//input[@name='nonce']]//button"):
            visitor.press()


def take_turn_by_mail(house: House, game: str) -> None:
    name = house.place.context.mover(game)
    letter = house.last(name, "your_turn")
    card = house.place.history(game).position.table.display.kinds()[0]
    quoted = "".join(f"> {line}\n" for line in body(letter).splitlines())
    orders = f"choose {card}\n\n> Alexandros wrote:\n{quoted}"
    assert house.write(f"{name.lower()}@example.org", str(letter["Reply-To"]), orders) == MailState.PLAYED


def talk(house: House, game: str) -> None:
    """Players say things in which their links stand, to the others and in what is refused."""
    to = str(house.last("Anna")["Reply-To"])
    own = "http://127.0.0.1:8000" + house.link("Anna", "/t/")
    assert house.write("anna@example.org", to, f"say: look at {own} or write to {to}") == MailState.PLAYED
    assert house.write("anna@example.org", to, f"draw {own}\n{to}") == MailState.REFUSED
    visitor = house.place.visitor().get(house.link("Ben", "/t/"))
    visitor.send("//form[contains(@action, '/say')]", words=f"And mine is {house.link('Ben', '/t/')}")
    house.place.clock.forward(1)
    house.deliver()


def use_account(house: House, game: str) -> None:
    context, now = house.place.context, house.place.clock()
    for name in ("Anna", "Ben"):
        house.place.visitor().get("/signin").send("//main//form", address=f"{name.lower()}@example.org")
    visitor = house.place.visitor().get(house.link("Anna", "/s/", "signin")).press()
    visitor.get("/me/browsers").send("//form[@id='new-key']", name="A program", wish="new")
    house.link("Ben", "/s/", "signin")
    for name in ("Cleo", "Ben"):
        address = f"{name.lower()}.new@example.org"
        request_address_confirmation(context, game, context.seat_of(game, name), address, now)
    request_move(context, game, context.seat_of(game, "Anna"), "anna.new@example.org", now)
    house.deliver()
    confirmation = house.link("cleo.new", "/c/")
    house.place.visitor().get(confirmation).send("//main//form")
    house.deliver()


def report(sender: str) -> bytes:
    return REPORT.format(sender=sender).replace("\n", "\r\n").encode()


def come_back(house: House) -> None:
    """A letter comes back, and who says so repeats its sender; and it comes back itself."""
    letter = [mail for mail in house.mails.to("Ben") if "play+" in str(mail["Reply-To"])][-1]
    sender, _ = house.mails.envelopes[house.mails.mails.index(letter)]
    assert house.write("", sender, "", report(sender)) == MailState.PLAYED
    assert house.write(sender, str(letter["Reply-To"]), "", bytes(letter)) == MailState.IGNORED
    house.deliver()


def stolen_bytes(house: House, folder: Path) -> Iterator[bytes]:
    """The file of the database, its write-ahead log, and a backup that was made of both."""
    file = house.file
    with closing(sqlite3.connect(file)) as db, closing(sqlite3.connect(folder / "backup")) as copy:
        db.execute("SELECT count(*) FROM game").fetchone()
        log = Path(f"{file}-wal")
        assert log.stat().st_size > 0
        for one in (file, log):
            yield shutil.copy(one, folder / f"stolen{one.suffix}").read_bytes()
        db.backup(copy)
    yield (folder / "backup").read_bytes()


def stolen_cells(house: House) -> Iterator[bytes]:
    with closing(sqlite3.connect(house.file)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert len(tables) > 15
        for table in tables:
            for row in db.execute(f'SELECT * FROM "{table}"'):
                yield from (one if isinstance(one, bytes) else str(one).encode() for one in row)


def candidates(data: bytes) -> set[str]:
    """What looks like base32, base64 or hex, and each part of it that follows a sign of such text."""
    found = set()
    for run in RUN.findall(data.decode("latin-1")):
        rest = [run, *(run[one.end() :] for one in re.finditer(r"[+/=]", run))]
        found |= {one for one in (*rest, *PART.findall(run)) if SHORTEST <= len(one) <= LONGEST}
    return found


@dataclass
class Thief:
    house: House
    tries: int = 0
    opened: list[str] = field(default_factory=list)

    def try_everywhere(self, text: str) -> None:
        self.try_pages(text)
        self.try_addresses(text)

    def try_pages(self, text: str) -> None:
        """To look changes nothing, so that what is tried later opens as it would have before."""
        client = self.house.place.app.test_client()
        for page in PAGES:
            answer = client.get(page + text, follow_redirects=True)  # as to a path with one slash less
            self._note(answer.status_code not in SHUT, page + text)
        for name in COOKIES:
            client = self.house.place.app.test_client()
            client.set_cookie(name, text)
            self._note(client.get("/me").status_code == 200, f"{name}={text}")
        client = self.house.place.app.test_client()
        answer = client.get("/api/games", headers={"Authorization": f"Bearer {text}"})
        self._note(answer.status_code != 401, f"Bearer {text}")

    def try_addresses(self, text: str) -> None:
        for kind in ADDRESSES if SEALED.fullmatch(text) else ():
            to = f"{kind}+{text}@{DOMAIN}"
            for sender in ("anna@example.org", "dirk@example.org"):
                state = self.house.write(sender, to, "yes", report(to) if kind == "bounce" else b"")
                self._note(state != MailState.IGNORED, to)

    def _note(self, opened: bool, what: str) -> None:
        self.tries += 1
        if opened:
            self.opened.append(what)


def test_nothing_in_a_stolen_database_its_log_or_a_backup_opens_or_does_anything(tmp_path, figure):
    house = busy_house(tmp_path)
    stolen = [*stolen_cells(house), *stolen_bytes(house, tmp_path)]
    found = sorted(set().union(*map(candidates, stolen)))
    thief = Thief(house)
    for one in found:
        thief.try_everywhere(one)
    tried = f"{len(stolen)} pieces, {len(found)} strings, {thief.tries} tries"
    figure(f"a stolen database: {tried}, {len(thief.opened)} opened")
    assert len(found) > 100
    assert thief.opened == []


def test_the_same_thief_opens_everything_with_what_letters_and_pages_say(tmp_path):
    house = busy_house(tmp_path)
    sent = [*(f"{mail['Reply-To']}\n{body(mail)}" for mail in house.mails.mails)]
    sent += [*house.shown, *(sender for sender, _ in house.mails.envelopes)]
    thief = Thief(house)
    found = set().union(*(candidates(words.encode()) for words in sent))
    tokens = sorted(filter(SEALED.fullmatch, found))
    for tried in (thief.try_pages, thief.try_addresses):  # a yes to one address ends what other links open
        for one in tokens:
            tried(one)
    ways = {re.match(r"/\w+/|\w+(?=\+)", one)[0] for one in thief.opened}
    assert ways == {*PAGES, *ADDRESSES}


def kept_in_clear(mail: Mail, _: object) -> bytes:
    return mail.raw


def read_in_clear(stored: bytes, keys: KeyRing) -> Mail:
    if stored.startswith(encrypted.ENCRYPTED):
        return decrypt_bytes(stored, keys)
    return Mail(stored)


DEFENCES = {
    "words of letters": [(composition, "mask_tokens", str)],
    "mails that came in": [
        (encrypted, "encrypt_mail", kept_in_clear),
        (encrypted, "decrypt_bytes", read_in_clear),
        (intake, "without_token", str),
    ],
    "addresses of mails that came in": [(intake, "without_token", str)],
    "senders of mails that came in": [(intake, "mask_tokens", str)],
    "the built-in mailbox": [(relay, "encrypt_mail", kept_in_clear)],
    "what is said by mail": [(replies, "mask_tokens", str), (chat, "mask_tokens", str)],
    "what is said on a page": [(chat, "mask_tokens", str)],
    "why a letter came back": [(bounces, "mask_tokens", str)],
}
"""What keeps tokens out of the database, and how it is taken out."""


@pytest.mark.parametrize("defence", spread(2, DEFENCES))
def test_without_any_of_the_defences_the_thief_gets_in(tmp_path, monkeypatch, defence):
    for module, name, instead in DEFENCES[defence]:
        monkeypatch.setattr(module, name, instead)
    house = busy_house(tmp_path)
    thief = Thief(house)
    found = sorted(set().union(*map(candidates, stolen_cells(house))))
    for one in sorted(found, key=lambda one: not (one.islower() and SEALED.fullmatch(one))):
        thief.try_everywhere(one)
        if thief.opened:
            return
    pytest.fail("nothing opened")
