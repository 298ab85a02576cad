"""Many mails that have to wait hide nothing, and whoever has had many answers is still heard."""

from threading import Event

import pytest

from tests.emails.replies.reports import postfix
from tests.faults.rooms import Collector, Server
from tests.faults.times import HOUR, MINUTE, PATIENCE, SECOND, Times

MANY = 60
AT_ONCE = 5.0
"""Seconds in which a busy machine plays an order that nothing holds up."""


class HoldingRelay(Collector):
    """A relay that keeps one reader's letter in hand, and takes all others."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.asked, self.released = Event(), Event()
        self.held = Collector()

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Take a letter; of one reader say nothing until it is released."""
        if self._name.lower() in recipient:
            self.held.send(sender, recipient, raw)
            self.asked.set()
            assert self.released.wait(PATIENCE)
        super().send(sender, recipient, raw)


def bring_reports(server: Server, relay: HoldingRelay) -> None:
    """Mail servers say of a letter that is still in hand that it could not be delivered, over and over."""
    [letter], [(back, reader)] = relay.held.mails, relay.held.envelopes
    for number in range(MANY):
        said = postfix(reader, back, str(letter["Message-ID"]), str(letter["Reply-To"]))
        said = said.replace("Message-Id: <", f"Message-Id: <{number}.")
        server.bring("", back, said.replace("\n", "\r\n").encode())


@pytest.mark.breadth
def test_sixty_mails_that_wait_hide_no_order(tmp_path, figure):
    relay = HoldingRelay("Dirk")
    server = Server(tmp_path, Times(running=True), relay, lanes=2)
    game = server.start("Anna", "Ben")
    server.start("Dirk", "Cleo")
    with server.running() as watch:
        assert relay.asked.wait(PATIENCE)
        watch.until(lambda: server.waiting_letters() == 1, "the other letters")
        bring_reports(server, relay)
        watch.until(lambda: server.looks() > 5)
        assert server.mail_states().count("waiting") == MANY, "they wait for the letter in hand"
        order = server.write(game, server.mover(game))
        took = watch.until(lambda: server.is_played(order), "the order")
        assert took < AT_ONCE
        relay.released.set()
        watch.until(lambda: not server.waiting_letters(), "the letter in hand")
    server.pass_time(10 * MINUTE)
    server.work()
    assert "waiting" not in server.mail_states()
    figure(f"{MANY} mails that wait: lost 0, an order behind them was played after {took:.1f} s")


@pytest.mark.breadth
def test_a_server_that_reads_the_oldest_fifty_again_and_again_never_comes_to_it(tmp_path):
    """The control."""
    relay = HoldingRelay("Dirk")
    server = Server(tmp_path, Times(running=True), relay, lanes=2, oldest=50)
    game = server.start("Anna", "Ben")
    server.start("Dirk", "Cleo")
    with server.running() as watch:
        assert relay.asked.wait(PATIENCE)
        bring_reports(server, relay)
        order = server.write(game, server.mover(game))
        with pytest.raises(AssertionError):
            watch.until(lambda: server.is_played(order), patience=1)
        relay.released.set()


@pytest.mark.breadth
def test_an_order_beyond_the_limit_of_answers_is_played_and_answered_later(tmp_path, figure):
    server = Server(tmp_path)
    game = server.start("Anna", "Ben")
    server.work()
    name = server.mover(game)
    questions = []
    for _ in range(MANY):
        questions.append(server.write(game, name, "?"))
        server.times.go_on(30 * SECOND)
        server.work("mail", "delivery 1")
    answered = [one for one in questions if is_answered(server, one)]
    assert 10 < len(answered) <= MANY
    late = server.write(game, name, "hand")
    server.work()
    assert not is_answered(server, late), "the limit is reached"
    sequence = server.sequence(game)
    order = server.write(game, name)
    server.work()
    assert server.sequence(game) == sequence + 1
    assert server.is_played(order)
    server.work_for(2 * HOUR, 20 * MINUTE)
    assert is_answered(server, order)
    figure(f"after {len(answered)} answers within an hour: an order is played and answered later")


def is_answered(server: Server, message_id: str) -> bool:
    return any(str(letter["In-Reply-To"]) == message_id for letter in server.relay.mails)


@pytest.mark.long
def test_what_cannot_be_read_beyond_the_limit_is_not_answered_for_ever(tmp_path):
    """The control: the limit is there, and a program that answers by itself gets no more than it allows."""
    server = Server(tmp_path)
    game = server.start("Anna", "Ben")
    server.work()
    name, sent = server.mover(game), len(server.relay.mails)
    for _ in range(2 * MANY):
        server.write(game, name, "board")
        server.times.go_on(10 * SECOND)
        server.work()
    assert len(server.relay.mails) - sent <= MANY
