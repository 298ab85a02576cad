"""The outbox: each letter leaves once, in order, and none that nobody needs any more."""

import json
from dataclasses import dataclass, field

import pytest
from sqlmodel import select

from emails.letters import game_letters
from emails.tokens import unseal_reply
from emails.wording.options import Option
from emails.wording.questions import OrderQuestion
from emails.wording.requests import Request, RequestKind
from server.accounts.addresses import request_address_confirmation
from server.clock import tick
from server.delivery.claims import (
    CLAIM_LASTS,
    LetterTaken,
    claim_letter,
    keep_prepared_letter,
    renew_claim,
)
from server.delivery.composition import write_letter
from server.delivery.relay import DeliveryFailed, RecipientLocks, choose_transport
from server.delivery.sending import GIVEN_UP_AFTER, send_due_letters
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.store.game_terms import SeatRequest
from server.store.models import Game, LocalMail, OutgoingLetter, Seating
from tests.breadth import first
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    Collector,
    accept_invitation,
    changing,
    game_row,
    names_of,
    open_game,
    play,
    rows_of,
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
    return rows_of(context, OutgoingLetter)


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
    return [row.name for row in rows_of(context, Seating)]


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


def test_two_lanes_never_write_to_one_reader_at_a_time(context, clock):
    start_game(context, "Anna", "Ben")
    start_game(context, "Anna", "Cleo")
    lanes, other = RecipientLocks(), Collector()

    class Slow(Collector):
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            if recipient == "anna@example.org":
                send_due_letters(context, other, clock(), locks=lanes)
            super().send(sender, recipient, raw)

    slow = Slow()
    while send_due_letters(context, slow, clock(), locks=lanes):
        pass
    to_anna = [mail for mail in other.mails if "anna@" in mail["To"]]
    assert other.mails
    assert not to_anna
    assert len(slow.mails) + len(other.mails) == 4


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


def test_what_cannot_be_written_does_not_keep_back_the_others(context, clock):
    game = start_game(context, "Anna", "Ben")
    with changing(context) as session:
        row = session.exec(select(OutgoingLetter).order_by(OutgoingLetter.id)).first()
        row.kind, row.detail = "refused", "{}"
    collector = Collector()
    send_due_letters(context, collector, clock())
    assert len(collector.mails) == 1
    assert rows(context)[0].state == "failed"
    assert names_of(context, game)


def test_the_built_in_mailbox_keeps_one_copy(context, clock):
    start_game(context, "Anna", "Ben")
    local = choose_transport(context, clock)
    send_due_letters(context, local, clock())
    with changing(context) as session:
        for row in session.exec(select(OutgoingLetter)).all():
            row.state = "waiting"
    send_due_letters(context, local, clock())
    assert len(rows_of(context, LocalMail)) == 2


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


WHICH = OrderQuestion((Option("draw; end", "One"), Option("end", "Another")), more=True)
SEVERAL = "It could mean several things."


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def sent(context, kind):
    return rows_of(context, OutgoingLetter, OutgoingLetter.kind == kind, OutgoingLetter.state == "sent")


def ask(context, carrier, game, content):
    with changing(context) as session:
        row = session.get_one(Game, game)
        queue_letters(context, session, row, [Notification(row.seat, content)], NOON)
    return delivered(context, carrier)


def delivered(context, carrier):
    assert send_due_letters(context, carrier, NOON) == 1
    return carrier.mails[-1].get_body(("plain",)).get_content().replace("\r\n", "\n")


def test_a_letter_names_itself_in_its_reply_address_and_its_links(context, game, carrier):
    for mail in carrier.mails:
        token = str(mail["Reply-To"]).removeprefix("play+").partition("@")[0]
        ticket, number = unseal_reply(token, context.links.keys)
        with context.reading() as session:
            row = session.get_one(OutgoingLetter, number)
        assert (row.game, row.seat, row.message_id) == (ticket.game, ticket.seat, mail["Message-ID"])
        html = mail.get_body(("html",)).get_content()
        assert html.count("mailto:") == html.count(f"mailto:play+{token}@")


def test_what_the_choices_of_a_letter_mean_is_kept_with_it_and_its_subject(context, game, carrier):
    [turn] = sent(context, "your_turn") or sent(context, "welcome")[:1]
    kept = json.loads(turn.detail)
    assert kept["numbers"]
    assert all(f"  * {letter}. " in turn.text for letter in kept["numbers"])
    assert kept["subject"] in [mail["Subject"] for mail in carrier.mails]


def test_a_question_is_asked_as_long_as_the_position_stands(context, game, carrier):
    after = game_row(context, game).after
    text = ask(context, carrier, game, game_letters.Refused(SEVERAL, after=after, question=WHICH))
    assert "\nWhich one do you mean?\n" in text
    assert "1. One" in text
    [row] = sent(context, "refused")
    assert json.loads(row.detail)["numbers"] == {"1": "draw; end", "2": "end"}


def test_a_question_about_a_position_that_has_passed_is_not_asked(context, game, carrier):
    after = game_row(context, game).after - 1
    text = ask(context, carrier, game, game_letters.Refused(SEVERAL, after=after, question=WHICH))
    assert "Which one do you mean?" not in text
    assert "The game has moved on since, so there is nothing to ask" in " ".join(text.split())
    assert "draw; end" not in json.loads(sent(context, "refused")[0].detail)["numbers"].values()


@pytest.mark.parametrize("late", [0, 1])
def test_an_answer_asks_as_long_as_the_position_stands(context, game, carrier, late):
    after = game_row(context, game).after - late
    lost = game_letters.Answer((), ("march",), "it could mean several things", after, WHICH)
    text = ask(context, carrier, game, lost)
    assert ("== Which one do you mean? ==" in text) == (not late)
    assert ("several things, and the game has moved on since" in " ".join(text.split())) == bool(late)


def test_a_letter_shows_what_was_asked_for(context, game, carrier):
    with changing(context) as session:
        row = session.get_one(Game, game)
        asked = Request(RequestKind.RULES, "5.9"), Request(RequestKind.HISTORY), Request(RequestKind.SETTINGS)
        queue_letters(context, session, row, [Notification(row.seat, game_letters.Shown(asked))], NOON)
    text = delivered(context, carrier)
    assert "What you asked for" in text
    for heading in ("From the rules: Actions", "The game so far", "Your settings for this game"):
        assert f"\n== {heading} ==\n" in text


def test_a_letter_that_takes_long_stays_with_whoever_sends_it(context, clock):
    start_game(context, "Anna", "Ben")
    row = claim_letter(context, rows(context)[0], clock()).row
    renew_claim(context, row)
    assert rows(context)[0].due_at > clock() + CLAIM_LASTS
    send_due_letters(context, Collector(), clock() + 2 * CLAIM_LASTS)
    left = rows(context)[0]
    renew_claim(context, row)
    assert rows(context)[0] == left, "nobody sends it any more"
