"""The outbox: each letter leaves once, in order, and none that nobody needs any more."""

from dataclasses import dataclass, field

import pytest
from sqlmodel import select

from server.accounts.addresses import ask_address
from server.clock import tick
from server.delivery.outgoing import CLAIM, MOST_TRIES, carrier, deliver
from server.delivery.transports import NotCarried
from server.lobby.games import Wish, accept, open_game
from server.store.models import Game, Kept, Outgoing, Seating
from server.turns.play import play
from tests.server.desk import NOON, Collector, game_row, names_of, start_game


@dataclass
class Refusing:
    """A carrier that takes nothing."""

    final: bool
    asked: list[str] = field(default_factory=list)

    def carry(self, sender: str, recipient: str, raw: bytes) -> None:
        self.asked.append(recipient)
        raise NotCarried("The relay is away.", self.final)


def rows(office):
    with office.reading() as session:
        return session.exec(select(Outgoing).order_by(Outgoing.id)).all()


def first_card(office, game):
    with office.reading() as session:
        row = session.get_one(Game, game)
        return f"choose {office.history(session, row).position.table.display.kinds()[0]}"


def test_each_letter_leaves_once(office, clock):
    start_game(office, "Anna", "Ben")
    collector = Collector()
    assert deliver(office, collector, clock()) == 2
    assert deliver(office, collector, clock.forward(100)) == 0
    assert len(collector.mails) == 2
    assert {row.state for row in rows(office)} == {"sent"}
    assert all(row.text and row.sent_at == NOON for row in rows(office))
    assert len({mail["Message-ID"] for mail in collector.mails}) == 2


def test_a_letter_whose_occasion_has_passed_is_dropped_and_says_so(office, clock):
    game = start_game(office, "Anna", "Ben")
    row = game_row(office, game)
    play(office, game, row.seat, row.after, [first_card(office, game)], "link", clock())
    collector = Collector()
    deliver(office, collector, clock())
    turns = [row for row in rows(office) if row.kind == "turn"]
    assert [(row.seq, row.state, row.why) for row in turns] == [(2, "dropped", "its occasion has passed")]


def test_an_invitation_is_not_sent_to_who_has_accepted(office, clock):
    wishes = [Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org")]
    game = open_game(office, "Friday", wishes, clock())
    accept(office, game, 0, clock())
    collector = Collector()
    deliver(office, collector, clock())
    assert [str(mail["To"]) for mail in collector.mails] == [
        f"{names_by_seat(office, game)[1].lower()}@example.org"
    ]


def names_by_seat(office, game):
    with office.reading() as session:
        return [row.name for row in session.exec(select(Seating).order_by(Seating.seat)).all()]


def test_a_relay_that_is_away_is_asked_again_later(office, clock):
    start_game(office, "Anna", "Ben")
    away = Refusing(final=False)
    deliver(office, away, clock())
    assert {row.state for row in rows(office)} == {"waiting"}
    assert all(row.due_at > clock() and row.why == "The relay is away." for row in rows(office))
    deliver(office, away, clock())
    assert len(away.asked) == 2
    collector = Collector()
    deliver(office, collector, clock.forward(1))
    assert len(collector.mails) == 2


def test_after_three_days_nobody_tries_any_more(office, clock):
    start_game(office, "Anna", "Ben")
    away = Refusing(final=False)
    for _ in range(MOST_TRIES + 5):
        deliver(office, away, clock.forward(7))
    assert {row.state for row in rows(office)} == {"failed"}
    assert len(away.asked) == 2 * MOST_TRIES


def test_an_address_that_does_not_exist_is_not_asked_again(office, clock):
    start_game(office, "Anna", "Ben")
    gone = Refusing(final=True)
    deliver(office, gone, clock())
    deliver(office, gone, clock.forward(100))
    assert len(gone.asked) == 2
    assert {row.state for row in rows(office)} == {"failed"}


def test_a_letter_that_another_server_has_in_hand_is_left_to_it(office, clock):
    start_game(office, "Anna", "Ben")

    @dataclass
    class Meanwhile:
        """While this server sends, another looks too."""

        other: Collector = field(default_factory=Collector)
        sent: list[str] = field(default_factory=list)

        def carry(self, sender: str, recipient: str, raw: bytes) -> None:
            deliver(office, self.other, clock())
            self.sent.append(recipient)

    collector = Meanwhile()
    deliver(office, collector, clock())
    recipients = [*collector.sent, *(recipient for _, recipient in collector.other.envelopes)]
    assert sorted(recipients) == ["anna@example.org", "ben@example.org"]


def test_a_server_that_was_killed_while_sending_leaves_the_letter_to_the_next(office, clock):
    start_game(office, "Anna", "Ben")

    class Killed(BaseException):
        pass

    class Dying:
        def carry(self, sender: str, recipient: str, raw: bytes) -> None:
            raise Killed

    with pytest.raises(Killed):
        deliver(office, Dying(), clock())
    collector = Collector()
    deliver(office, collector, clock())
    assert len(collector.mails) == 1
    clock.now += CLAIM
    deliver(office, collector, clock())
    assert len(collector.mails) == 2


def test_what_cannot_be_written_does_not_keep_back_the_others(office, clock):
    game = start_game(office, "Anna", "Ben")
    with office.writing() as session:
        row = session.exec(select(Outgoing).order_by(Outgoing.id)).first()
        row.kind = "nonsense"
        session.commit()
    collector = Collector()
    deliver(office, collector, clock())
    assert len(collector.mails) == 1
    assert rows(office)[0].state == "failed"
    assert names_of(office, game)


def test_the_built_in_mailbox_keeps_one_copy(office, clock):
    start_game(office, "Anna", "Ben")
    local = carrier(office, clock)
    deliver(office, local, clock())
    with office.writing() as session:
        for row in session.exec(select(Outgoing)).all():
            row.state = "waiting"
        session.commit()
    deliver(office, local, clock())
    with office.reading() as session:
        assert len(session.exec(select(Kept)).all()) == 2


def test_a_letter_refers_to_those_before_it_and_a_new_address_hears_of_no_game(office, clock):
    game = start_game(office, "Anna", "Ben")
    collector = Collector()
    deliver(office, collector, clock())
    mover = names_of(office, game)[0]
    deliver(office, collector, clock.forward(30))
    tick(office, clock())
    deliver(office, collector, clock())
    first, reminder = collector.to(mover)
    assert first["References"] == f"<{game}@play.example.org>"
    assert reminder["References"].split() == [first["References"], first["Message-ID"]]
    ask_address(office, game, 0, "anna@new.example.org", clock())
    deliver(office, collector, clock())
    asked = collector.mails[-1]
    assert asked["To"] == "anna@new.example.org"
    assert not {"References", "List-Id", "List-Unsubscribe"} & set(asked.keys())
    words = asked.get_body(("plain",)).get_content()
    assert "/c/" in words
    assert "/t/" not in words
