"""What strangers do: open games from some network, write mails by hand, press what letters offer.

Where a word of a button, a field of a form or a way in is another one, this is the only file to change.
"""

import inspect
import re
import smtplib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.header import decode_header, make_header
from email.message import EmailMessage
from pathlib import Path

from server.inbox import dispatch, intake
from server.store.models import IncomingMail
from tests.attacks import reading, small_world
from tests.attacks.reading import DOMAIN, links_in, written_in
from tests.attacks.small_world import MAIN_FORM, World
from tests.ports import free_ports
from tests.server.test_serving import PATIENCE, alexandros, served, settings
from tests.server.web.site import Visitor, site

NEW = f"new@{DOMAIN}"
PER_DAY, PER_MONTH, PER_ORIGIN = 3, 10, 30
"""Unasked letters: to one recipient in a day and in thirty days; caused by one origin in a day."""
AUTHSERV = "mx.example.org"
"""How the operator's own mail server calls itself, where a test sets it."""
NEVER = "Never write to me again"
SAYS_NO = re.compile(r"\b(decline|no\b|not play|will not)", re.IGNORECASE)
VARIANTS = (
    "cleo@example.net",
    "Cleo@Example.NET",
    "CLEO@EXAMPLE.NET",
    "cleo+friday@example.net",
    "cleo+1+2@example.net",
    "Cleo+@example.net",
)
"""Ways to write one address."""
DOTTED = (
    "madeupguest@gmail.com",
    "made.up.guest@gmail.com",
    "m.a.d.e.up.guest@googlemail.com",
    "MadeUp.Guest+game@GoogleMail.com",
)
"""Ways to write one address at a provider that ignores dots."""
INTERNATIONAL = ("cleo@bücher.example.net", "cleo@xn--bcher-kva.example.net", "Cleo+x@BÜCHER.example.net")
"""Ways to write one address at a domain in another script."""


def normalised(address: str) -> str:
    local, _, domain = address.strip().strip("<>").rpartition("@")
    local = local.strip('"').replace("\\", "").lower().partition("+")[0]
    domain = domain.lower().rstrip(".").encode("idna").decode()
    if domain in ("gmail.com", "googlemail.com"):
        return f"{local.replace('.', '')}@gmail.com"
    return f"{local}@{domain}"


def reaching(world: World, victim: str, since: int = 0) -> list[EmailMessage]:
    """All mails that came into the mailbox of somebody, of whatever kind and however addressed."""
    wanted = normalised(victim)
    sent = zip(world.mails.mails[since:], world.mails.envelopes[since:], strict=True)
    return [mail for mail, (_, to) in sent if normalised(to) == wanted]


def count(world: World, *victims: str, since: int = 0) -> int:
    return sum(len(reaching(world, one, since)) for one in dict.fromkeys(map(normalised, victims)))


def arrived(world: World, *victims: str, since: int = 0) -> int:
    """The same, once all letters that are due have left."""
    world.deliver()
    return count(world, *victims, since=since)


def sent(world: World) -> int:
    world.deliver()
    return len(world.mails.mails)


def heads(mail: EmailMessage) -> str:
    return "\n".join(str(make_header(decode_header(str(value)))) for value in mail.values())


def words(mail: EmailMessage) -> str:
    return " ".join(written_in(mail).split())


def visit(world: World, network: str, **headers: str) -> Visitor:
    visitor = world.place.visitor()
    visitor.client.environ_base["REMOTE_ADDR"] = network
    for name, value in headers.items():
        visitor.client.environ_base[f"HTTP_{name.upper()}"] = value
    return visitor


def open_by_form(
    visitor: Visitor, organiser: str, *guests: str, game: str = "Friday", name: str = "Dirk", **fields: str
) -> Visitor:
    """Fill in the form of a new game; without an organiser the visitor is signed in."""
    typed = {"name": game}
    if organiser:
        typed |= {"kind1": "person", "name1": name, "address1": organiser}
    for number, guest in enumerate(guests, 2):
        called = f"Guest {number}"
        typed |= {f"kind{number}": "person", f"name{number}": called, f"address{number}": guest}
    if not guests:
        typed |= {"kind2": "house", "name2": "", "address2": ""}
    return visitor.get("/new").send(MAIN_FORM, **(typed | fields))


def confirm_proposal(world: World, organiser: str) -> bool:
    world.deliver()
    wanted = [link for mail in reaching(world, organiser) for link in links_in(mail) if "/n/" in link]
    if not wanted:
        return False
    visitor = world.visitor(wanted[-1])
    if visitor.page.xpath(MAIN_FORM):
        visitor.press()
    world.deliver()
    return True


def organise(
    world: World, network: str, organiser: str, *guests: str, game: str = "Friday", **fields: str
) -> None:
    open_by_form(visit(world, network), organiser, *guests, game=game, **fields)
    confirm_proposal(world, organiser)


def signed_in(world: World, name: str, network: str = "127.0.0.1") -> Visitor:
    """A browser at an address of the net in which a player is signed in."""
    visitor = small_world.sign_in(world, f"{name.lower()}@example.org")
    visitor.client.environ_base["REMOTE_ADDR"] = network
    return visitor


def ask_to_sign_in(world: World, network: str, address: str, **headers: str) -> Visitor:
    return visit(world, network, **headers).get("/signin").send(MAIN_FORM, address=address)


def join(world: World, network: str, link: str, name: str, address: str) -> Visitor:
    visitor = visit(world, network).get(link)
    if visitor.page.xpath(f"{MAIN_FORM}//input[@name='address']"):
        visitor.send(MAIN_FORM, name=name, address=address)
    return visitor


def open_table(world: World, name: str = "Anna", seats: int = 3) -> str:
    """A signed-in player opens a game with open seats; the link for whoever joins."""
    fields = {f"kind{number}": "open" for number in range(2, seats + 1)}
    fields |= {f"{what}{number}": "" for number in range(2, seats + 1) for what in ("name", "address")}
    visitor = signed_in(world, name)
    page = visitor.get("/new").send(MAIN_FORM, name="Open table", joined="all", **fields)
    world.deliver()
    return re.findall(r"/j/\w+", page.answer.text)[0]


def call_off(visitor: Visitor, page: str = "") -> Visitor:
    if page:
        visitor.get(page)
    _, action, fields = visitor.form(MAIN_FORM)
    return visitor.post(action, **(fields | {"wish": "cancel"}))


def invitation(world: World, address: str) -> EmailMessage:
    world.deliver()
    return [one for one in reaching(world, address) if str(one["X-Alexandros"]) == "invitation"][-1]


def accept(world: World, mail: EmailMessage) -> Visitor:
    for link in links_in(mail):
        if re.fullmatch(r"/t/[\w.-]+", link):
            visitor = world.visitor(link)
            if visitor.page.xpath(MAIN_FORM) and not is_page_of_no(visitor):
                return visitor.press()
    raise AssertionError("no link accepts")


def is_page_of_no(visitor: Visitor) -> bool:
    shown = visitor.page.xpath(f"({MAIN_FORM}//button)[1]")
    return bool(shown) and bool(SAYS_NO.search(str(shown[0].text_content())))


def decline(world: World, mail: EmailMessage) -> Visitor:
    for link in links_in(mail):
        if link.startswith("/t/") and is_page_of_no(visitor := world.visitor(link)):
            return visitor.send(MAIN_FORM)
    raise AssertionError("no link declines")


def one_click(world: World, mail: EmailMessage) -> int:
    """What a mail program does at “unsubscribe” (RFC 8058); the status of the answer."""
    link = next(re.findall(rf"<{reading.HOST}(/[^>]+)>", str(mail["List-Unsubscribe"])).__iter__())
    answer = world.place.app.test_client().post(link, data={"List-Unsubscribe": "One-Click"})
    return answer.status_code


def unwanted_link(mail: EmailMessage) -> str:
    return next(link for link in links_in(mail) if link.startswith("/x/"))


def never_again(world: World, mail: EmailMessage) -> Visitor:
    return reading.press(world.visitor(unwanted_link(mail)), NEVER)


def reply_address(world: World, name: str) -> str:
    world.deliver()
    found = [mail for mail in world.mails.to(name) if "play+" in str(mail["Reply-To"])]
    return str(found[-1]["Reply-To"])


def raw_mail(headers: Iterable[tuple[str, str]], text: str, number: int = 1) -> bytes:
    """A mail byte by byte: headers as often and as odd as wished, in their order."""
    fixed = [("Message-ID", f"<{number}.by-hand@client.example.org>"), ("Subject", "Re: Friday")]
    given = list(headers)
    known = {name.lower() for name, _ in given}
    given += [one for one in fixed if one[0].lower() not in known]
    given.append(("Content-Type", "text/plain; charset=utf-8"))
    lines = [f"{name}: {value}" for name, value in given]
    return "\r\n".join([*lines, "", text, ""]).encode("utf-8", "surrogateescape")


def forge(world: World, envelope: str, to: str, headers: Iterable[tuple[str, str]], text: str) -> str:
    world.written += 1
    return world.bring(envelope, to, raw_mail([*headers, ("To", to)], text, world.written))


def judged(
    world: World, sender: str, to: str, text: str, *verdicts: str, name: str = "Authentication-Results"
) -> str:
    """A mail of which the operator's mail server has said something, the topmost last added by it."""
    headers = [*((name, verdict) for verdict in verdicts), ("From", sender)]
    return forge(world, sender, to, headers, text)


def take_in(world: World, network: str, sender: str, to: str, raw: bytes) -> None:
    """A mail comes over SMTP from an address of the net; it waits to be read, if it is taken."""
    more = {}
    known = inspect.signature(intake.store_mail).parameters
    for one in ("peer", "network", "origin"):
        if one in known:
            more[one] = network
    received = f"Received: from client ([{network}]) by {AUTHSERV}; Mon, 2 Mar 2026 12:00:00 +0000\r\n"
    with suppress(intake.IntakeLimitReached):  # its sender is to come again, and a flood does not
        intake.store_mail(
            world.place.context, sender, to, received.encode() + raw, world.place.clock(), **more
        )


def ask_for_game(world: World, network: str, sender: str, text: str = "the house") -> None:
    """A mail to new@ comes from an address of the net; it waits to be read."""
    world.written += 1
    headers = [("From", sender), ("To", NEW), ("Subject", "A game")]
    take_in(world, network, sender, NEW, raw_mail(headers, text, world.written))


def read_all(world: World) -> None:
    while dispatch.process_waiting_mail(world.place.context, world.place.clock()):
        pass
    world.deliver()


def kept_mails(world: World) -> int:
    """How many mails that came in are stored; the last row stays for its number, without its mail."""
    return len(world.place.rows(IncomingMail.id, IncomingMail.raw != b""))


def a_card(world: World, game: str) -> str:
    return world.place.context.turn_words(game)[0]


def seq(world: World, game: str) -> int:
    return world.place.history(game).seq


def done_in_games(world: World) -> dict[str, list[tuple[object, ...]]]:
    """All that has been done in games: acts, seats, who gave up, what players wrote to each other."""
    stored = world.stored()
    return {name: stored[name] for name in ("act", "seating", "resigned", "message")}


# --- time, and what is kept -----------------------------------------------------------------------------


def let_pass(world: World, hours: float, step: float = 24) -> None:
    while hours > 0:
        world.place.clock.forward(min(hours, step))
        world.place.context.work_until_idle(world.mails, world.place.clock())
        hours -= step


def remains(world: World) -> bytes:
    """Every byte of the database once nothing deleted is left in it."""
    world.place.context.database.dispose()
    with sqlite3.connect(world.file) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    beside = [Path(f"{world.file}{more}") for more in ("", "-wal", "-shm")]
    return b"".join(file.read_bytes() for file in beside if file.exists())


def traces(found: bytes, *names: str) -> list[str]:
    lower = found.lower()
    codings = ("utf-8", "utf-16-le", "utf-16-be")
    return [one for one in names if any(one.lower().encode(coding) in lower for coding in codings)]


def done(world: World, *arguments: str) -> str:
    """What a command that has to succeed prints beside a server that runs."""
    result = world.place.context.type_in(*arguments)
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    return result.stdout


def ban(world: World, what: str) -> str:
    return done(world, "ban", what)


def allow(world: World, what: str) -> str:
    return done(world, "allow", what)


def suspend(world: World, game: str) -> str:
    return done(world, "suspend", game)


def lift(world: World, game: str) -> str:
    return done(world, "suspend", game, "--lift")


def forget(world: World, address: str) -> str:
    return done(world, "forget", "--yes", address)


def data(world: World, address: str) -> str:
    return done(world, "data", address)


def bare_world(folder: Path, **settings: str) -> World:
    return World(site(folder, **settings), folder)


@dataclass(frozen=True)
class House:
    """A server that runs as a process of its own, with a game, and where it listens."""

    folder: Path
    pages: int
    mail: int
    player: str
    address: str
    """Of a player, and the answer address of their letter."""

    def stored(self) -> int:
        with closing(sqlite3.connect(self.folder / "games.sqlite")) as db:
            names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            table = next(one for one in names if one in ("incoming", "incomingmail", "incoming_mail"))
            return int(db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])

    def call(self, source: str = "127.0.0.1", kind: type[smtplib.SMTP] = smtplib.SMTP) -> smtplib.SMTP:
        more = {} if kind is smtplib.LMTP else {"timeout": PATIENCE}
        peer = kind("127.0.0.1", self.mail, "client.example.org", source_address=(source, 0), **more)
        peer.ehlo()
        return peer


@contextmanager
def house(folder: Path, protocol: str = "smtp", **more: str) -> Iterator[House]:
    world = bare_world(folder)
    world.place.clock.now = datetime.now(UTC)
    game = small_world.begin(world, "Anna", "Ben")
    name = world.place.context.mover(game)
    address = reply_address(world, name)
    world.place.context.database.dispose()
    pages, mail = free_ports(2)
    given = settings(folder, pages, MAIL_IN=f"{protocol}://127.0.0.1:{mail}", **more)
    with alexandros("serve", folder=folder, environment=given) as process:
        served(process, f"http://127.0.0.1:{pages}/healthz")
        yield House(folder, pages, mail, f"{name.lower()}@example.org", address)
