"""What stands in a letter beyond the position: its numbers, its own number, and what its reader is asked."""

import json

import pytest
from sqlmodel import select

from emails.tokens import unseal_reply
from emails.wording.options import Option
from emails.wording.questions import OrderQuestion
from emails.wording.requests import Request, RequestKind
from server.delivery.sending import send_due_letters
from server.outbox.letter_kinds import AnswerDetail, RefusedDetail, ShownDetail
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.store.models import Game, OutgoingLetter
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, game_row

WHICH = OrderQuestion((Option("draw; end", "One"), Option("end", "Another")), more=True)
SEVERAL = "It could mean several things."


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def sent(context, kind):
    with context.reading() as session:
        return session.exec(
            select(OutgoingLetter).where(OutgoingLetter.kind == kind, OutgoingLetter.state == "sent")
        ).all()


def ask(context, carrier, game, content):
    """Send whoever is to move an answer with a question."""
    with context.writing() as session:
        row = session.get_one(Game, game)
        queue_letters(context, session, row, [Notification(row.seat, content)], NOON)
        session.commit()
    return delivered(context, carrier)


def delivered(context, carrier):
    """The text of the one letter that leaves."""
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
    text = ask(context, carrier, game, RefusedDetail(SEVERAL, after=after, question=WHICH))
    assert "\nWhich one do you mean?\n" in text
    assert "1. One" in text
    [row] = sent(context, "refused")
    assert json.loads(row.detail)["numbers"] == {"1": "draw; end", "2": "end"}


def test_a_question_about_a_position_that_has_passed_is_not_asked(context, game, carrier):
    after = game_row(context, game).after - 1
    text = ask(context, carrier, game, RefusedDetail(SEVERAL, after=after, question=WHICH))
    assert "Which one do you mean?" not in text
    assert "The game has moved on since, so there is nothing to ask" in " ".join(text.split())
    assert "draw; end" not in json.loads(sent(context, "refused")[0].detail)["numbers"].values()


@pytest.mark.parametrize("late", [0, 1])
def test_an_answer_asks_as_long_as_the_position_stands(context, game, carrier, late):
    after = game_row(context, game).after - late
    lost = AnswerDetail((), ("march",), "it could mean several things", after, WHICH)
    text = ask(context, carrier, game, lost)
    assert ("== Which one do you mean? ==" in text) == (not late)
    assert ("several things, and the game has moved on since" in " ".join(text.split())) == bool(late)


def test_a_letter_shows_what_was_asked_for(context, game, carrier):
    with context.writing() as session:
        row = session.get_one(Game, game)
        asked = Request(RequestKind.RULES, "5.9"), Request(RequestKind.HISTORY), Request(RequestKind.SETTINGS)
        queue_letters(context, session, row, [Notification(row.seat, ShownDetail(asked))], NOON)
        session.commit()
    text = delivered(context, carrier)
    assert "What you asked for" in text
    for heading in ("From the rules: Actions", "The game so far", "Your settings for this game"):
        assert f"\n== {heading} ==\n" in text
