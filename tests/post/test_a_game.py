"""A whole game by mail alone, through a real Postfix and a real Dovecot, in two languages.

Our server hands its letters to Postfix, Postfix brings them to Dovecot, and the players read them there over
IMAP. They answer through Postfix, which brings the answers to our listener over LMTP, or to a mailbox that
our collector empties.
"""

import json
import smtplib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from pathlib import Path

import pytest
from imap_tools import BaseMailBox, MailBoxUnencrypted

from emails.replies.parsed_mail import parse_headers
from engine import march_rules, rules
from engine.actions import Action, End, Occupy
from engine.bots import play_to_win
from engine.event_log import check_log
from engine.notation.orders import write
from engine.position import Phase, Position, View, view
from server.admin import backups
from server.delivery.relay import SmtpTransport, choose_transport
from server.inbox import intake
from server.inbox.imap import ImapFetcher
from server.inbox.intake import is_deliverable
from server.inbox.smtp import SmtpListener, SmtpPolicy
from server.loops import Loops
from server.network import Endpoint, ImapMailbox
from server.outbox.queue import read_sent_letter
from server.store import load_boards
from server.store.context import Context, utc_now
from server.store.game_terms import SeatRequest
from server.store.models import IncomingMail, OutgoingLetter
from tests.ports import free_ports
from tests.post.town import PASSWORD, PATIENCE, Town, folders, town
from tests.server.desk import Desk, body, desk
from tests.server.inbox.test_mail_dispatch import answering
from tests.spoken import translate_orders


@dataclass
class Person:
    """Somebody with a mailbox, and what was found there so far."""

    name: str
    language: str
    town: Town
    letters: list[EmailMessage] = field(default_factory=list)
    answered: int = 0

    @property
    def address(self) -> str:
        return f"{self.name.lower()}@example.org"

    def await_letter(self, *kinds: str) -> EmailMessage:
        """The next letter of one of these kinds that was not asked for before; a refusal ends the test."""
        for letter in self._arriving():
            if letter is None:
                continue
            assert letter["X-Alexandros"] != "refused", body(letter)
            if letter["X-Alexandros"] in kinds:
                return letter
        told = [str(letter["X-Alexandros"]) for letter in self.letters]
        raise AssertionError(f"{self.name} waits for {kinds} and has {told}: {self.town.log()[-3000:]}")

    def await_mails(self, wanted: list[str]) -> None:
        """Wait until just these mails are there, by their Message-IDs: none lost, none doubled."""
        for _ in self._arriving():
            if len(self.letters) >= len(wanted):
                break
        assert sorted(str(letter["Message-ID"]) for letter in self.letters) == sorted(wanted)

    def _arriving(self) -> Iterator[EmailMessage | None]:
        """Letters as they arrive, and nothing now and then while none does."""
        until = time.monotonic() + PATIENCE
        with MailBoxUnencrypted("127.0.0.1", self.town.imap, PATIENCE).login(self.address, PASSWORD) as box:
            while time.monotonic() < until:
                for letter in mails(box, box.uids()[len(self.letters) :]):
                    self.letters.append(letter)
                    yield letter
                yield None
                box.idle.wait(0.1)

    def answer(self, letter: EmailMessage, words: Sequence[str]) -> None:
        """Answer as most mail programs do: a few lines, and the letter quoted below."""
        self.answered += 1
        quoted = "".join(f"> {line}\n" for line in body(letter).splitlines())
        said = "\n".join(words) + f"\n\n{WROTE[self.language]}\n{quoted}"
        number = f"<{self.name}.{self.answered}@client.example.org>"
        mail = answering(letter, said, sender=f"{self.name} <{self.address}>", Message_ID=number)
        with smtplib.SMTP("127.0.0.1", self.town.smtp, timeout=PATIENCE) as smtp:
            assert smtp.send_message(mail, self.address) == {}


WROTE = {"en": "On Monday Alexandros wrote:", "nl": "Op maandag schreef Alexandros:"}


def mails(box: BaseMailBox, uids: list[str]) -> Iterator[EmailMessage]:
    """These mails of the folder that is open, byte for byte."""
    for uid in uids:
        _, data = box.client.uid("FETCH", uid, "(BODY.PEEK[])")
        mail = message_from_bytes(data[0][1], policy=policy.default)
        assert isinstance(mail, EmailMessage)
        yield mail


pytestmark = pytest.mark.breadth

MOST_TURNS = 40
Bring = Callable[[Context, Town], SmtpListener | ImapFetcher]


def by_listener(port: int) -> Bring:
    return lambda context, _: SmtpListener(
        Endpoint("127.0.0.1", port),
        SmtpPolicy("play.example.org", partial(is_deliverable, context), lmtp=True),
        taking(context),
    )


def by_collector(context: Context, place: Town) -> ImapFetcher:
    return ImapFetcher(
        ImapMailbox.read(place.setting), "play.example.org", taking(context), partial(is_deliverable, context)
    )


def taking(context: Context) -> intake.StoreMail:
    def take_in(sender: str, recipient: str, raw: bytes, network: str = "") -> None:
        intake.store_mail(context, sender, recipient, raw, utc_now(), network)

    return take_in


@contextmanager
def served(folder: Path, place: Town, bring: Bring) -> Iterator[Desk]:
    context = desk(folder, seed=11, ALEXANDROS_MAIL_OUT=f"smtp://127.0.0.1:{place.smtp}")
    brings, sends = bring(context, place), choose_transport(context, utc_now)
    assert isinstance(sends, SmtpTransport)
    loops = Loops.of(context, [sends], utc_now)
    with ExitStack() as stack:
        brings.start()
        stack.callback(brings.stop)
        loops.start(context)
        stack.callback(sends.close)
        stack.callback(loops.stop)
        yield context


def orders(position: Position) -> list[str]:
    """A hasty player's whole turn: the march with most walls, a province if the house would pay for one."""
    lines: list[str] = []
    seat = position.table.seat
    while position.table.seat == seat and position.table.phase is not Phase.OVER:
        action = hasty(view(position, seat))
        lines.append(write(action, position.table.board))
        if isinstance(action, End):
            break
        _, position = rules.play_out(position, seat, action, lambda cards: next(iter(cards)))
    return lines


def hasty(known: View) -> Action:
    """One action of such a turn, none of which asks for luck."""
    table = known.table
    match table.phase:
        case Phase.CARD:
            return next(rules.card_choices(known))
        case Phase.MARCH:
            ways = march_rules.marches(table, march_rules.targets_of_chosen(table))
            return max(ways, key=lambda one: len(march_rules.new_walls(table, one.path)))
        case _:
            wished = play_to_win(known)
            return wished if isinstance(wished, Occupy) else End()


def mover(context: Desk, game: str, people: list[Person]) -> Person:
    return next(one for one in people if one.name == context.mover(game))


def play(context: Desk, people: list[Person], most: int) -> str:
    """A game of these people, to its end or so many turns, each a letter and its answer; gives its id."""
    requests = [SeatRequest(one.name, one.address, language=one.language) for one in people]
    game = context.open_game("Friday", requests, utc_now(), at_once=True)
    for _ in range(most):
        position, player = context.position_of(game), mover(context, game, people)
        letter = player.await_letter("your_turn")
        player.answer(letter, [translate_orders(line, player.language) for line in orders(position)])
        player.await_letter("answer", "game_over")
        if context.game_row(game).status == "over":
            break
    return game


def judge(context: Desk, game: str, people: list[Person], place: Town, over: bool) -> None:
    """The log is sound, all acts came by mail, and no mail was lost, doubled, returned or left lying."""
    lines = list(backups.export_log(context, game))
    *_, (event, position) = check_log((line.encode() for line in lines), load_boards())
    assert position.table.over is over
    assert (type(event).__name__ == "GameEnded") is over
    doors = [line["meta"]["door"] for line in map(json.loads, lines) if "meta" in line]
    assert {*doors[1:]} == {"reply"}, "somebody played who did not write"
    for one in people:
        one.await_mails(sent(context, one))
    came = context.rows_of(IncomingMail)
    assert {mail.state for mail in came} == {"played"}, [mail.why for mail in came]
    assert len(came) == sum(one.answered for one in people)
    assert place.waiting() == []
    assert all(f" {number}: to=<" in place.log() for number in relay_numbers(context)), "`why` tells them"
    assert not [
        word for word in ("status=bounced", "status=deferred", "warning:", "fatal:") if word in place.log()
    ]


def sent(context: Desk, person: Person) -> list[str]:
    """The Message-IDs of all letters that left for a person; none may wait, and none may have failed."""
    letters = context.rows_of(OutgoingLetter, OutgoingLetter.recipient == person.address)
    assert {letter.state for letter in letters} <= {"sent", "dropped"}, [letter.why for letter in letters]
    return sorted(letter.message_id for letter in letters if letter.state == "sent")


def relay_numbers(context: Desk) -> set[str]:
    """Under which number the relay has queued each letter that left, as it said itself."""
    details = context.rows_of(OutgoingLetter.detail, OutgoingLetter.state == "sent")
    replies = [read_sent_letter(one).relay_reply for one in details]
    assert replies
    assert all(one.startswith("250 2.0.0 Ok: queued as ") for one in replies), replies
    return {one.rpartition(" ")[2] for one in replies}


def came_from(context: Desk, name: str) -> list[bytes]:
    """The mails that somebody sent us, as they came."""
    found = [mail.raw for mail in context.stored_mails() if mail.envelope_from == f"{name}@example.org"]
    assert found
    return found


def people_of(place: Town) -> list[Person]:
    return [Person("Anna", "en", place), Person("Ben", "nl", place), Person("Cleo", "en", place)]


def test_a_game_to_its_end_by_postfix_and_dovecot(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with (
        town("anna", "ben", "cleo", ours=port) as place,
        served(tmp_path, place, by_listener(port)) as context,
    ):
        people = people_of(place)
        game = play(context, people, MOST_TURNS)
        for one in people:
            if one.letters[-1]["X-Alexandros"] != "game_over":
                one.await_letter("game_over")
        judge(context, game, people, place, over=True)
        assert all(one.answered >= 4 for one in people)
        for mail in came_from(context, "cleo"):
            assert parse_headers(mail).first("in-reply-to") in [
                one["Message-ID"] for one in people[2].letters
            ]
            assert b"\r\nmarch " in mail
            assert b"\r\n> " in mail
        assert all(b"\r\nmarcheer " in mail for mail in came_from(context, "ben"))


def test_a_game_by_a_mailbox_that_is_emptied(tmp_path: Path) -> None:
    with town("anna", "ben", "cleo") as place, served(tmp_path, place, by_collector) as context:
        people = people_of(place)
        game = play(context, people, 4)
        mover(context, game, people).await_letter("your_turn")
        judge(context, game, people, place, over=False)
        assert {name: len(mails) for name, mails in folders(place).items()} == {
            "INBOX": 0,
            "Done": 4,
            "Refused": 0,
        }
