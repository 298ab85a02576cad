"""The outbox: each letter leaves once, in order, and none that nobody needs any more."""

from dataclasses import dataclass, field

import pytest
from sqlmodel import select

from server.accounts.addresses import request_address_confirmation
from server.clock import tick
from server.delivery.claims import CLAIM_LASTS, LetterTaken, claim_letter, keep_prepared_letter, renew_claim
from server.delivery.composition import write_letter
from server.delivery.relay import DeliveryLanes
from server.delivery.sending import GIVEN_UP_AFTER, send_due_letters
from server.delivery.transports import DeliveryFailed, RelayAway, choose_transport
from server.store.game_terms import SeatRequest
from server.store.models import Game, LocalMail, OutgoingLetter, Seating
from tests.breadth import first
from tests.server.desk import (
    NOON,
    Collector,
    accept_invitation,
    game_row,
    names_of,
    open_game,
    play,
    start_game,
)


@dataclass
class Refusing:
    """A carrier that takes nothing."""

    final: bool
    nobody: bool = False
    asked: list[str] = field(default_factory=list)

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.asked.append(recipient)
        raise DeliveryFailed("The relay is away.", self.final, self.nobody)


def rows(context):
    with context.reading() as session:
        return session.exec(select(OutgoingLetter).order_by(OutgoingLetter.id)).all()


def first_card(context, game):
    with context.reading() as session:
        row = session.get_one(Game, game)
        return f"choose {context.history_of(session, row).position.table.display.kinds()[0]}"


def test_each_letter_leaves_once(context, clock):
    start_game(context, "Anna", "Ben")
    collector = Collector()
    assert send_due_letters(context, collector, clock()) == 2
    assert send_due_letters(context, collector, clock.forward(100)) == 0
    assert len(collector.mails) == 2
    assert {row.state for row in rows(context)} == {"sent"}
    assert all(row.text and row.sent_at == NOON for row in rows(context))
    assert len({mail["Message-ID"] for mail in collector.mails}) == 2


def test_a_letter_whose_occasion_has_passed_is_dropped_and_says_so(context, clock):
    game = start_game(context, "Anna", "Ben")
    row = game_row(context, game)
    play(context, game, row.seat, row.after, [first_card(context, game)], "link", clock())
    collector = Collector()
    send_due_letters(context, collector, clock())
    turns = [row for row in rows(context) if row.kind == "your_turn"]
    assert [(row.seq, row.state, row.why) for row in turns] == [(2, "dropped", "its occasion has passed")]


def test_an_invitation_is_not_sent_to_who_has_accepted(context, clock):
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")]
    game = open_game(context, "Friday", requests, clock())
    accept_invitation(context, game, 0, clock())
    collector = Collector()
    send_due_letters(context, collector, clock())
    assert [str(mail["To"]) for mail in collector.mails] == [
        f"{names_by_seat(context, game)[1].lower()}@example.org"
    ]


def names_by_seat(context, game):
    with context.reading() as session:
        return [row.name for row in session.exec(select(Seating).order_by(Seating.seat)).all()]


def test_a_relay_that_is_away_is_asked_again_later(context, clock):
    start_game(context, "Anna", "Ben")
    away = Refusing(final=False)
    send_due_letters(context, away, clock())
    assert {row.state for row in rows(context)} == {"waiting"}
    assert all(row.due_at > clock() and row.why == "The relay is away." for row in rows(context))
    send_due_letters(context, away, clock())
    assert len(away.asked) == 2
    collector = Collector()
    send_due_letters(context, collector, clock.forward(1))
    assert len(collector.mails) == 2


@pytest.mark.parametrize("hours", first(1, [12, 0.5]))
def test_after_five_days_nobody_tries_any_more(context, clock, hours):
    start_game(context, "Anna", "Ben")
    refusing, last = Refusing(final=False), 0
    while clock() - NOON < GIVEN_UP_AFTER:
        assert {row.state for row in rows(context)} == {"waiting"}
        last = len(refusing.asked)
        send_due_letters(context, refusing, clock.forward(hours))
        assert len(refusing.asked) == last + 2, "a letter is tried every half an hour, or when one looks"
    assert {row.state for row in rows(context)} == {"failed"}


class Away:
    """A relay that nobody can speak with, until it is back."""

    def __init__(self) -> None:
        self.asked, self.back = 0, False
        self.collector = Collector()

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.asked += 1
        if not self.back:
            raise RelayAway("The relay cannot be reached.")
        self.collector.send(sender, recipient, raw)


@pytest.mark.breadth
def test_after_a_weekend_without_relay_all_letters_leave_at_once(context, clock, caplog):
    start_game(context, "Anna", "Ben", hours=240)
    relay, lanes = Away(), DeliveryLanes()
    for minutes in range(1, 61):
        assert send_due_letters(context, relay, clock.forward(1), lanes=lanes) == 0
        assert relay.asked == minutes, "one letter asks, the others wait for what becomes of it"
    assert {(row.state, row.tries, row.due_at <= clock()) for row in rows(context)} == {("waiting", 0, True)}
    assert lanes.seconds_away > 0
    relay.back = True
    assert send_due_letters(context, relay, clock(), lanes=lanes) == 2
    assert {row.state for row in rows(context)} == {"sent"}
    assert lanes.seconds_away == 0
    told = [record.facts for record in caplog.records if record.name == "alexandros.events"]
    (away, back) = [dict(one) for one in told if one["event"] == "relay"]
    assert (away["state"], away["reason"]) == ("away", "no reply")
    assert back["state"] == "back"


def test_two_lanes_never_write_to_one_reader_at_a_time(context, clock):
    start_game(context, "Anna", "Ben")
    start_game(context, "Anna", "Cleo")
    lanes, other = DeliveryLanes(), Collector()

    class Slow(Collector):
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            if recipient == "anna@example.org":
                send_due_letters(context, other, clock(), lanes=lanes)
            super().send(sender, recipient, raw)

    slow = Slow()
    while send_due_letters(context, slow, clock(), lanes=lanes):
        pass
    to_anna = [mail for mail in other.mails if "anna@" in mail["To"]]
    assert other.mails
    assert not to_anna
    assert len(slow.mails) + len(other.mails) == 4


def test_a_letter_that_takes_long_stays_with_whoever_sends_it(context, clock):
    start_game(context, "Anna", "Ben")
    row = claim_letter(context, rows(context)[0], clock()).row
    renew_claim(context, row)
    assert rows(context)[0].due_at > clock() + CLAIM_LASTS
    send_due_letters(context, Collector(), clock() + 2 * CLAIM_LASTS)
    left = rows(context)[0]
    renew_claim(context, row)
    assert rows(context)[0] == left, "nobody sends it any more"


def test_a_server_that_stood_still_writes_no_letter_that_another_has_taken_meanwhile(context, clock):
    start_game(context, "Anna", "Ben")
    row, collector = claim_letter(context, rows(context)[0], clock()).row, Collector()
    mail = write_letter(context, row, clock())
    send_due_letters(context, collector, clock() + 2 * CLAIM_LASTS)
    assert len(collector.mails) == 2
    left = rows(context)
    with pytest.raises(LetterTaken):
        keep_prepared_letter(context, row, mail, clock())
    assert rows(context) == left


def test_what_it_could_not_send_has_left_where_another_has_sent_it(context, clock):
    start_game(context, "Anna", "Ben")
    collector = Collector()

    class StandingStill(Refusing):
        """Long enough for another server to send what this one has begun; then the relay refuses."""

        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            send_due_letters(context, collector, clock() + 2 * CLAIM_LASTS)
            super().send(sender, recipient, raw)

    send_due_letters(context, StandingStill(final=False), clock(), most=1)
    assert len(collector.mails) == 2
    assert {row.state for row in rows(context)} == {"sent"}
    assert send_due_letters(context, collector, clock() + 9 * CLAIM_LASTS) == 0


def test_an_address_that_does_not_exist_is_not_asked_again(context, clock):
    start_game(context, "Anna", "Ben")
    gone = Refusing(final=True, nobody=True)
    send_due_letters(context, gone, clock())
    send_due_letters(context, gone, clock.forward(100))
    assert len(gone.asked) == 2
    assert {row.state for row in rows(context)} == {"failed"}


def test_a_letter_that_another_server_has_in_hand_is_left_to_it(context, clock):
    start_game(context, "Anna", "Ben")

    @dataclass
    class Meanwhile:
        """While this server sends, another looks too."""

        other: Collector = field(default_factory=Collector)
        sent: list[str] = field(default_factory=list)

        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            send_due_letters(context, self.other, clock())
            self.sent.append(recipient)

    collector = Meanwhile()
    send_due_letters(context, collector, clock())
    recipients = [*collector.sent, *(recipient for _, recipient in collector.other.envelopes)]
    assert sorted(recipients) == ["anna@example.org", "ben@example.org"]


def test_a_server_that_was_killed_while_sending_leaves_the_letter_to_the_next(context, clock):
    start_game(context, "Anna", "Ben")

    class Killed(BaseException):
        pass

    class Dying:
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            raise Killed

    with pytest.raises(Killed):
        send_due_letters(context, Dying(), clock())
    collector = Collector()
    send_due_letters(context, collector, clock())
    assert len(collector.mails) == 1
    clock.now += CLAIM_LASTS
    send_due_letters(context, collector, clock())
    assert len(collector.mails) == 2


def test_what_cannot_be_written_does_not_keep_back_the_others(context, clock):
    game = start_game(context, "Anna", "Ben")
    with context.writing() as session:
        row = session.exec(select(OutgoingLetter).order_by(OutgoingLetter.id)).first()
        row.kind, row.detail = "refused", "{}"
        session.commit()
    collector = Collector()
    send_due_letters(context, collector, clock())
    assert len(collector.mails) == 1
    assert rows(context)[0].state == "failed"
    assert names_of(context, game)


def test_the_built_in_mailbox_keeps_one_copy(context, clock):
    start_game(context, "Anna", "Ben")
    local = choose_transport(context, clock)
    send_due_letters(context, local, clock())
    with context.writing() as session:
        for row in session.exec(select(OutgoingLetter)).all():
            row.state = "waiting"
        session.commit()
    send_due_letters(context, local, clock())
    with context.reading() as session:
        assert len(session.exec(select(LocalMail)).all()) == 2


def test_a_letter_refers_to_those_before_it_and_a_new_address_hears_of_no_game(context, clock):
    game = start_game(context, "Anna", "Ben")
    collector = Collector()
    send_due_letters(context, collector, clock())
    mover = names_of(context, game)[0]
    send_due_letters(context, collector, clock.forward(30))
    tick(context, clock())
    send_due_letters(context, collector, clock())
    first, reminder = collector.to(mover)
    assert first["References"] == f"<{game}@play.example.org>"
    assert reminder["References"].split() == [first["References"], first["Message-ID"]]
    request_address_confirmation(context, game, 0, "anna@new.example.org", clock())
    send_due_letters(context, collector, clock())
    (asked,) = [mail for mail in collector.mails if mail["To"] == "anna@new.example.org"]
    assert not {"References", "List-Id", "List-Unsubscribe"} & set(asked.keys())
    words = asked.get_body(("plain",)).get_content()
    assert "/c/" in words
    assert "/t/" not in words
