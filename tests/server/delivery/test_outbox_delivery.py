"""The outbox: each letter leaves once, in order, and none that nobody needs any more."""

import json

import pytest
from sqlmodel import select

from emails.letters import game_letters
from emails.tokens import unseal_reply
from emails.wording.options import Option
from emails.wording.requests import OrderQuestion
from server.accounts.addresses import request_address_confirmation
from server.clock import tick
from server.delivery.claims import CLAIM_LASTS, LetterTaken, claim_letter, keep_prepared_letter, renew_claim
from server.delivery.composition import write_letter
from server.delivery.relay import RecipientLocks, choose_transport
from server.delivery.sending import GIVEN_UP_AFTER, send_due_letters
from server.outbox.notifications import Notification
from server.outbox.queue import UnitOfWork
from server.store.models import Game, LocalMail, OutgoingLetter, Seating
from tests.breadth import first
from tests.server.beginnings import begin_game
from tests.server.delivery.test_relay import Relay
from tests.server.desk import ANNA, AWAY, BEN, NOON, Collector, body


def rows(context):
    return context.rows_of(OutgoingLetter)


def test_each_letter_leaves_once(context, game, clock, carrier):
    assert send_due_letters(context, carrier, clock()) == 2
    assert send_due_letters(context, carrier, clock.forward(100)) == 0
    assert len(carrier.mails) == 2
    assert {row.state for row in rows(context)} == {"sent"}
    assert all(row.text and row.sent_at == NOON for row in rows(context))
    assert len({mail["Message-ID"] for mail in carrier.mails}) == 2


def test_a_letter_whose_occasion_has_passed_is_dropped_and_says_so(context, game, clock, carrier):
    row = context.game_row(game)
    context.play(game, row.seat, row.after, context.turn_words(game)[:1], "link", clock())
    send_due_letters(context, carrier, clock())
    turns = [row for row in rows(context) if row.kind == "your_turn"]
    assert [(row.seq, row.state, row.why) for row in turns] == [(2, "dropped", "its occasion has passed")]


def test_an_invitation_is_not_sent_to_who_has_accepted(context, clock, carrier):
    game = context.open_game("Friday", [ANNA, BEN], clock())
    context.accept_invitation(game, 0, clock())
    send_due_letters(context, carrier, clock())
    invited = context.rows_of(Seating.name)[1].lower()
    assert [str(mail["To"]) for mail in carrier.mails] == [f"{invited}@example.org"]


@pytest.mark.parametrize("hours", first(1, [12, 0.5]))
def test_after_five_days_nobody_tries_any_more(context, game, clock, hours):
    refusing = Relay(refused={"*"}, error=AWAY)
    while clock() - NOON < GIVEN_UP_AFTER:
        assert {row.state for row in rows(context)} == {"waiting"}
        last = len(refusing.got)
        send_due_letters(context, refusing, clock.forward(hours))
        assert len(refusing.got) == last + 2, "a letter is tried every half an hour, or when one looks"
    assert {row.state for row in rows(context)} == {"failed"}


def test_two_threads_never_write_to_one_reader_at_a_time(context, game, clock):
    context.start_game("Anna", "Cleo")
    locks, other = RecipientLocks(), Collector()

    class Slow(Collector):
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            if recipient == "anna@example.org":
                send_due_letters(context, other, clock(), locks=locks)
            super().send(sender, recipient, raw)

    slow = Slow()
    while send_due_letters(context, slow, clock(), locks=locks):
        pass
    to_anna = [mail for mail in other.mails if "anna@" in mail["To"]]
    assert other.mails
    assert not to_anna
    assert len(slow.mails) + len(other.mails) == 4


def test_a_server_that_stood_still_writes_no_letter_that_another_has_taken_meanwhile(
    context, game, clock, carrier
):
    claimed = claim_letter(context, rows(context)[0], clock())
    row, mail = claimed.row, write_letter(context, claimed.row, claimed.seq, clock())
    send_due_letters(context, carrier, clock() + 2 * CLAIM_LASTS)
    assert len(carrier.mails) == 2
    left = rows(context)
    with pytest.raises(LetterTaken):
        keep_prepared_letter(context, row, mail, clock())
    assert rows(context) == left


def test_what_it_could_not_send_has_left_where_another_has_sent_it(context, game, clock, carrier):
    class StandingStill(Relay):
        """Long enough for another server to send what this one has begun; then the relay refuses."""

        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            send_due_letters(context, carrier, clock() + 2 * CLAIM_LASTS)
            super().send(sender, recipient, raw)

    send_due_letters(context, StandingStill(refused={"*"}, error=AWAY), clock(), most=1)
    assert len(carrier.mails) == 2
    assert {row.state for row in rows(context)} == {"sent"}
    assert send_due_letters(context, carrier, clock() + 9 * CLAIM_LASTS) == 0


def test_what_cannot_be_written_does_not_keep_back_the_others(context, game, clock, carrier):
    with context.changing() as session:
        row = session.exec(select(OutgoingLetter).order_by(OutgoingLetter.id)).first()
        row.kind, row.detail = "refused", "{}"
    send_due_letters(context, carrier, clock())
    assert len(carrier.mails) == 1
    assert rows(context)[0].state == "failed"
    assert context.names_of(game)


def test_the_built_in_mailbox_keeps_one_copy(context, game, clock):
    local = choose_transport(context, clock)
    send_due_letters(context, local, clock())
    with context.changing() as session:
        for row in session.exec(select(OutgoingLetter)).all():
            row.state = "waiting"
    send_due_letters(context, local, clock())
    assert len(context.rows_of(LocalMail)) == 2


def test_a_letter_refers_to_those_before_it_and_a_new_address_hears_of_no_game(context, game, clock, carrier):
    send_due_letters(context, carrier, clock())
    mover = context.names_of(game)[0]
    send_due_letters(context, carrier, clock.forward(30))
    tick(context, clock())
    send_due_letters(context, carrier, clock())
    first, reminder = carrier.to(mover)
    assert first["References"] == f"<{game}@play.example.org>"
    assert reminder["References"].split() == [first["References"], first["Message-ID"]]
    request_address_confirmation(context, game, 0, "anna@new.example.org", clock())
    send_due_letters(context, carrier, clock())
    (asked,) = [mail for mail in carrier.mails if mail["To"] == "anna@new.example.org"]
    assert not {"References", "List-Id", "List-Unsubscribe"} & set(asked.keys())
    assert "/c/" in body(asked)
    assert "/t/" not in body(asked)


WHICH = OrderQuestion((Option("draw; end", "One"), Option("end", "Another")), more=True)
SEVERAL = "It could mean several things."


@pytest.fixture
def begun(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def sent(context, kind):
    return context.rows_of(OutgoingLetter, OutgoingLetter.kind == kind, OutgoingLetter.state == "sent")


def ask(context, carrier, game, content):
    with context.changing() as session:
        row = session.get_one(Game, game)
        UnitOfWork(context, session, NOON).queue(row, [Notification(row.seat, content)])
    assert send_due_letters(context, carrier, NOON) == 1
    return body(carrier.mails[-1]).replace("\r\n", "\n")


def test_a_letter_names_itself_in_its_reply_address_and_its_links(context, begun, carrier):
    for mail in carrier.mails:
        token = str(mail["Reply-To"]).removeprefix("play+").partition("@")[0]
        ticket, number = unseal_reply(token, context.links.keys)
        (row,) = context.rows_of(OutgoingLetter, OutgoingLetter.id == number)
        assert (row.game, row.seat, row.message_id) == (ticket.game, ticket.seat, mail["Message-ID"])
        html = mail.get_body(("html",)).get_content()
        assert html.count("mailto:") == html.count(f"mailto:play+{token}@")


def test_what_the_choices_of_a_letter_mean_is_kept_with_it_and_its_subject(context, begun, carrier):
    [turn] = sent(context, "your_turn") or sent(context, "welcome")[:1]
    kept = json.loads(turn.detail)
    assert kept["numbers"]
    assert all(f"  * {letter}. " in turn.text for letter in kept["numbers"])
    assert kept["subject"] in [mail["Subject"] for mail in carrier.mails]


@pytest.mark.parametrize("late", [0, 1])
def test_a_question_is_asked_as_long_as_the_position_stands(context, begun, carrier, late):
    after = context.game_row(begun).after - late
    text = ask(context, carrier, begun, game_letters.Refused(SEVERAL, after=after, question=WHICH))
    numbers = json.loads(sent(context, "refused")[0].detail)["numbers"]
    if late:
        assert "Which one do you mean?" not in text
        assert "The game has moved on since, so there is nothing to ask" in " ".join(text.split())
        assert "draw; end" not in numbers.values()
    else:
        assert "\nWhich one do you mean?\n" in text
        assert "1. One" in text
        assert numbers == {"1": "draw; end", "2": "end"}


@pytest.mark.parametrize("late", [0, 1])
def test_an_answer_asks_as_long_as_the_position_stands(context, begun, carrier, late):
    after = context.game_row(begun).after - late
    lost = game_letters.Answer((), ("march",), "it could mean several things", after, WHICH)
    text = ask(context, carrier, begun, lost)
    assert ("== Which one do you mean? ==" in text) == (not late)
    assert ("several things, and the game has moved on since" in " ".join(text.split())) == bool(late)


def test_a_letter_that_takes_long_stays_with_whoever_sends_it(context, game, clock):
    row = claim_letter(context, rows(context)[0], clock()).row
    renew_claim(context, row)
    assert rows(context)[0].due_at > clock() + CLAIM_LASTS
    send_due_letters(context, Collector(), clock() + 2 * CLAIM_LASTS)
    left = rows(context)[0]
    renew_claim(context, row)
    assert rows(context)[0] == left, "nobody sends it any more"
