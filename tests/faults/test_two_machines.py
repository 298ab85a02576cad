"""Two machines behind one web server, and behind one Postfix, set up by config/: one is killed under play.

Pages are read as if nothing were. Who has pressed something of which nobody knows what became is told so, and
asks again; nothing is played twice. Every mail comes in, once.
"""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from smtplib import SMTP, SMTPRecipientsRefused
from threading import Event, Thread

import pytest

from emails.tokens import Ticket
from server.store.states import Role
from tests.deployment.test_postfix import postfix
from tests.deployment.web_servers import caddy, nginx
from tests.faults.people import LINKS, MAILS, Table
from tests.faults.relays import Relay, relay
from tests.faults.several import UNAVAILABLE, Several, several, two_places
from tests.faults.test_kills import live_a_while
from tests.faults.test_several_machines import line_of, playing
from tests.faults.visits import PATIENCE, Browser, NotAnswered, Turn, until
from tests.post.town import Town
from tests.server.storage import new_database

pytestmark = [pytest.mark.usefixtures("on_postgresql"), pytest.mark.breadth]

NOBODY_ANSWERED = {502, 504}
FORGIVEN_AFTER = 10.0
"""Seconds after which the web server tries a machine again that did not answer."""
BY_OTHER_WITHIN = 120.0
"""Seconds within which everybody has done something by the machine that is left, which does a lot besides."""
KILLS = 4
CUT_OFF = "cut off"
"""A page of which only a part has come."""


@dataclass
class Fronted(Several):
    front: int = 0
    tls: bool = True

    def press(self, link: str) -> int:
        status = self._note(lambda: self._press_in_front(link))
        if status in NOBODY_ANSWERED | {UNAVAILABLE}:
            raise NotAnswered(f"told {status}")
        return status

    def _press_in_front(self, link: str) -> int:
        with closing(Browser(self.front, self.patience, tls=self.tls)) as browser:
            return browser.press(link)[0]


@dataclass
class Reader:
    """Somebody who reads one page over and over."""

    place: Fronted
    link: str
    told: Counter[object] = field(default_factory=Counter)
    enough: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.thread = Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        while not self.enough.wait(0.02):
            with closing(Browser(self.place.front, PATIENCE, tls=self.place.tls)) as browser:
                try:
                    self.told[browser.get(self.link)[0]] += 1
                except NotAnswered as gone:
                    self.told[CUT_OFF if "IncompleteRead" in repr(gone) else repr(gone)] += 1

    def end(self) -> None:
        self.enough.set()
        self.thread.join(PATIENCE)


@contextmanager
def two_of(role: Role, folder: Path, post: Relay) -> Iterator[Several]:
    with several(folder, two_places(new_database("two"), post)) as place:
        place.parts = {each: parts[: 1 + (each is role)] for each, parts in place.parts.items()}
        yield place


def go_on_by_other(tables: list[Table], door: str) -> float:
    """See each table finish two more things by one door, and the seconds that took.

    One may have been done before the kill; the next is done by the machine that is left, or by none.
    """

    def finished(table: Table) -> int:
        return sum(deed.door == door for deed in table.deeds[:-1])

    before = [finished(table) for table in tables]
    return until(
        lambda: all(
            finished(table) >= one + 2 or table.wrong for table, one in zip(tables, before, strict=True)
        ),
        f"all play on by the other machine {[table.wrong for table in tables]}",
        BY_OTHER_WITHIN,
    )


def kill_by_turns(place: Several, role: Role, tables: list[Table], door: str) -> float:
    """Kill one of the two, let all play on by the other, start it again, and wait until it is asked again.

    The seconds for which that took longest to be done.
    """
    dice, longest = random.Random(13), 0.0
    for number in range(KILLS):
        live_a_while(tables, dice)
        part = place.parts[role][number % 2]
        part.kill()
        longest = max(longest, go_on_by_other(tables, door))
        part.start()
        Event().wait(FORGIVEN_AFTER + 1)
    return longest


@pytest.mark.parametrize("server", [nginx, caddy])
def test_pages_of_two_machines_of_which_one_is_killed_under_play(server, tmp_path, figure):
    with ExitStack() as stack:
        post = stack.enter_context(relay())
        found = stack.enter_context(two_of(Role.PAGES, tmp_path, post))
        ports = [part.port for part in found.parts[Role.PAGES]]
        front, tls = stack.enter_context(server(tmp_path, ports))
        place = Fronted(tmp_path, found.context, found.parts, front=front, tls=tls)
        for part in place.each():
            part.more |= {"BASE_URL": "https://alexandros.example.org", "TRUSTED_PROXIES": "127.0.0.1"}
        place.start()
        game = place.open_game("Anna", "Ben")
        reader = Reader(place, place.link(place.turn(game), ""))
        with playing(place, 13) as tables:
            longest = kill_by_turns(place, Role.PAGES, tables, LINKS)
        reader.end()
        line = line_of(place, post, tables, KILLS, 0.0, patient=False)
    cut_off = reader.told.pop(CUT_OFF, 0)
    assert cut_off <= KILLS  # it was being written when its machine died, and is read again
    assert set(reader.told) == {200}
    read, pressed = reader.told[200], dict(place.told)
    figure(f"{read} pages read, pressed {pressed}, by one in {longest:.1f} s; {line}")


@dataclass
class Mailed(Several):
    smtp: int = 0

    def write_order(self, turn: Turn, message_id: str) -> int:
        address = self.context.links.reply_address(Ticket(turn.game, turn.seat, turn.after))
        mail = EmailMessage()
        mail["From"], mail["To"] = f"{turn.name.lower()}@example.org", address
        mail["Message-ID"], mail["Subject"] = message_id, "Re: Friday"
        mail.set_content("".join(f"{line}\n" for line in turn.lines))
        with SMTP("127.0.0.1", self.smtp, "away.example.com", PATIENCE, ("127.0.0.2", 0)) as line:
            try:
                line.send_message(mail)
                code = 250
            except SMTPRecipientsRefused as refused:
                ((code, _),) = refused.recipients.values()
        self.told[code] += 1
        return code


@contextmanager
def before(ports: list[int], post: Relay) -> Iterator[Town]:
    """Postfix with both machines of its file, which tries again soon."""
    one = f"relay_transport = lmtp:inet:127.0.0.1:{ports[0]}"
    changes = {
        f"{one}\n# With": "# With",
        f"# {one}, 10.0.0.12:8024": f"{one}, 127.0.0.1:{ports[1]}",
        "biff = no": "biff = no\nminimal_backoff_time = 1s\nqueue_run_delay = 1s",
    }
    with postfix(ports[0], post.port, **changes) as town:
        yield town


def test_mail_for_two_machines_of_which_one_is_killed_under_play(tmp_path, figure):
    with (
        relay() as post,
        two_of(Role.MAIL, tmp_path, post) as found,
        before([part.mail_port for part in found.parts[Role.MAIL]], post) as town,
    ):
        place = Mailed(tmp_path, found.context, found.parts, smtp=town.smtp)
        place.start()
        with playing(place, 14) as tables:
            longest = kill_by_turns(place, Role.MAIL, tables, MAILS)
        line = line_of(place, post, tables, KILLS, 0.0, patient=False)
        written = [deed.message_id for table in tables for deed in table.deeds if deed.message_id]
        assert set(place.stored_mails()) == set(written)
    told = f"told {dict(place.told)}, by one in {longest:.1f} s"
    figure(f"{len(written)} mails by Postfix, {told}; {line}")
