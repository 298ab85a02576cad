"""The same letter: whoever sends it again after a fall, or a lost connection, sends the same bytes."""

from dataclasses import dataclass, field

import pytest
from sqlalchemy import func
from sqlmodel import select

from emails.letters.kinds import LetterKind
from server.accounts.address_change import redirect_waiting_letters
from server.clock import tick
from server.delivery.claims import CLAIM_LASTS
from server.delivery.relay import DeliveryFailed, RelayAway
from server.delivery.sending import LONGEST_RETRY_PAUSE, send_due_letters
from server.outbox.budgets import read_block, store_block
from server.outbox.chat import post, unread_chat
from server.privacy.erasure import forget_address
from server.store.models import Game, OutgoingLetter, Player, PreparedLetter
from server.store.states import BlockOrigin
from tests.server.desk import Collector, changing, game_row, names_of, play, start_game


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Relay:
    """Takes letters, and each time ends as it was told to."""

    ends: list[BaseException] = field(default_factory=list)
    got: list[tuple[str, bytes]] = field(default_factory=list)

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.got.append((recipient, raw))
        if self.ends:
            raise self.ends.pop(0)

    def to(self, recipient: str) -> list[bytes]:
        return [raw for reader, raw in self.got if reader == recipient]


LOST_AFTER_DOT = DeliveryFailed("It broke off.", final=False, doubtful=True)
LOST_BEFORE = DeliveryFailed("It broke off.", final=False, lost=True)
BUSY = DeliveryFailed("Come back later.", final=False)
AWAY = RelayAway("Nobody answers.")


def prepared(context) -> int:
    with context.reading() as session:
        return session.exec(select(func.count()).select_from(PreparedLetter)).one()


def letters(context, recipient):
    with context.reading() as session:
        chosen = select(OutgoingLetter).where(OutgoingLetter.recipient == recipient)
        return session.exec(chosen.order_by(OutgoingLetter.id)).all()


def send_until_killed(context, relay, clock) -> str:
    """Send a letter and be killed when the relay has it; who gets it."""
    with pytest.raises(Killed):
        send_due_letters(context, relay, clock())
    clock.now += CLAIM_LASTS
    return relay.got[-1][0]


def test_after_a_kill_the_same_bytes_are_sent_though_the_game_went_on(context, clock):
    game = start_game(context, "Anna", "Ben")
    relay = Relay([Killed()])
    reader = send_until_killed(context, relay, clock)
    seat = names_of(context, game).index(reader.partition("@")[0].title())
    with changing(context) as session:
        post(context, session, session.get_one(Game, game), 1 - seat, None, "well played", clock())
    while send_due_letters(context, relay, clock.forward(1)):
        pass
    first, again = relay.to(reader)
    assert again == first
    with context.reading() as session:
        unheard, _ = unread_chat(session, game, seat)
    assert [one.words for one in unheard] == ["well played"], "the next letter tells what has come since"
    assert prepared(context) == 0


def test_a_letter_that_the_relay_may_have_is_not_dropped_when_its_turn_is_over(context, clock):
    game = start_game(context, "Anna", "Ben")
    send_due_letters(context, Collector(), clock())
    row = game_row(context, game)
    tick(context, clock.forward(30))  # the reminder
    relay = Relay([Killed()])
    reader = send_until_killed(context, relay, clock)
    (reminder,) = [one for one in letters(context, reader) if one.kind == LetterKind.REMINDER]
    with context.reading() as session:
        display = context.history_of(session, session.get_one(Game, game)).position.table.display
    play(context, game, row.seat, row.after, [f"choose {display.kinds()[0]}"], "link", clock())
    send_due_letters(context, relay, clock())
    assert relay.to(reader)[1] == relay.to(reader)[0]
    with context.reading() as session:
        assert session.get_one(OutgoingLetter, reminder.id).state == "sent"


def test_a_connection_lost_after_the_last_dot_keeps_the_letter_as_it_is(context, clock):
    start_game(context, "Anna", "Ben")
    relay = Relay([LOST_AFTER_DOT, LOST_AFTER_DOT, LOST_BEFORE, LOST_BEFORE, AWAY])
    for _ in range(4):
        send_due_letters(context, relay, clock())
        clock.now += LONGEST_RETRY_PAUSE
    for reader in ("anna@example.org", "ben@example.org"):
        assert len(relay.to(reader)) >= 3
        assert len(set(relay.to(reader))) == 1
    assert prepared(context) == 0


@pytest.mark.parametrize("answer", [LOST_BEFORE, BUSY, AWAY])
def test_a_letter_that_nobody_can_have_is_written_anew(context, clock, answer):
    start_game(context, "Anna", "Ben")
    relay = Relay([answer, answer])
    send_due_letters(context, relay, clock())
    assert prepared(context) == 0
    clock.now += LONGEST_RETRY_PAUSE
    while send_due_letters(context, relay, clock()):
        pass
    first, again = relay.to(relay.got[0][0])
    assert b"12:00:00" in first
    assert b"12:30:00" in again


def test_what_the_relay_refuses_is_written_anew_though_it_was_in_doubt_before(context, clock):
    start_game(context, "Anna", "Ben")
    relay = Relay([LOST_AFTER_DOT, LOST_AFTER_DOT, BUSY, BUSY])
    for _ in range(3):
        send_due_letters(context, relay, clock())
        clock.now += LONGEST_RETRY_PAUSE
    first, again, anew = relay.to("anna@example.org")
    assert first == again != anew


def test_another_address_gets_a_letter_of_its_own(context, clock):
    start_game(context, "Anna", "Ben")
    relay = Relay([Killed()])
    reader = send_until_killed(context, relay, clock)
    with changing(context) as session:
        player = session.exec(select(Player).where(Player.address == reader)).one()
        player.address = "new@example.org"
        session.flush()
        redirect_waiting_letters(session, player)
    send_due_letters(context, relay, clock())
    (sent,) = relay.to("new@example.org")
    assert b"To: new@example.org" in sent
    assert prepared(context) == 0


def test_nothing_is_sent_to_whom_the_operator_has_banned_meanwhile(context, clock):
    start_game(context, "Anna", "Ben")
    relay = Relay([Killed()])
    reader = send_until_killed(context, relay, clock)
    with changing(context) as session:
        store_block(session, read_block(reader, BlockOrigin.OPERATOR, clock()))
    send_due_letters(context, relay, clock())
    assert len(relay.to(reader)) == 1
    assert prepared(context) == 0


def test_whoever_is_forgotten_stands_in_no_letter_that_was_begun(context, clock):
    start_game(context, "Anna", "Ben")
    relay = Relay([Killed()])
    reader = send_until_killed(context, relay, clock)
    other = "ben@example.org" if reader == "anna@example.org" else "anna@example.org"
    forget_address(context, other, clock())
    assert prepared(context) == 0
    send_due_letters(context, relay, clock())
    assert relay.to(reader)[1] != relay.to(reader)[0]
