"""What stands in a letter beyond the position: its numbers, its own number, and what its reader is asked."""

import json

import pytest
from sqlmodel import select

from emails.links import unseal_reply
from emails.wording.options import Choice
from emails.wording.questions import Question, encoded
from server.delivery.outgoing import deliver
from server.outbox.notifications import Occasion
from server.outbox.queue import queue
from server.store.models import Game, Outgoing
from tests.server.desk import NOON, game_row, start_game

WHICH = Question((Choice("draw; end", "One"), Choice("end", "Another")), more=True)


@pytest.fixture
def game(office, carrier):
    game = start_game(office, "Anna", "Ben")
    deliver(office, carrier, NOON)
    return game


def sent(office, kind):
    with office.reading() as session:
        return session.exec(select(Outgoing).where(Outgoing.kind == kind, Outgoing.state == "sent")).all()


def ask(office, carrier, game, kind, **detail):
    """Send whoever is to move an answer with a question about the position after some act."""
    with office.writing() as session:
        row = session.get_one(Game, game)
        queue(office, session, row, [Occasion(row.seat, kind, {"question": encoded(WHICH), **detail})], NOON)
        session.commit()
    return delivered(office, carrier)


def delivered(office, carrier):
    """The text of the one letter that leaves."""
    assert deliver(office, carrier, NOON) == 1
    return carrier.mails[-1].get_body(("plain",)).get_content().replace("\r\n", "\n")


def test_a_letter_names_itself_in_its_reply_address_and_its_links(office, game, carrier):
    for mail in carrier.mails:
        token = str(mail["Reply-To"]).removeprefix("play+").partition("@")[0]
        ticket, number = unseal_reply(token, office.post.secret)
        with office.reading() as session:
            row = session.get_one(Outgoing, number)
        assert (row.game, row.seat, row.message_id) == (ticket.game, ticket.seat, mail["Message-ID"])
        html = mail.get_body(("html",)).get_content()
        assert html.count("mailto:") == html.count(f"mailto:play+{token}@")


def test_what_the_numbers_of_a_letter_mean_is_kept_with_it(office, game):
    [turn] = sent(office, "turn") or sent(office, "welcome")[:1]
    numbers = json.loads(turn.detail)["numbers"]
    assert all(f"{number} is {point}" in " ".join(turn.text.split()) for number, point in numbers.items())


def test_a_question_is_asked_as_long_as_the_position_stands(office, game, carrier):
    after = game_row(office, game).after
    text = ask(office, carrier, game, "refused", sentence="It could mean several things.", after=after)
    assert "\nWhich one do you mean?\n" in text
    assert "1. One" in text
    [row] = sent(office, "refused")
    assert json.loads(row.detail)["numbers"] == {"1": "draw; end", "2": "end"}


def test_a_question_about_a_position_that_has_passed_is_not_asked(office, game, carrier):
    after = game_row(office, game).after - 1
    text = ask(office, carrier, game, "refused", sentence="It could mean several things.", after=after)
    assert "Which one do you mean?" not in text
    assert "The game has moved on since, so there is nothing to ask" in " ".join(text.split())
    assert "draw; end" not in json.loads(sent(office, "refused")[0].detail)["numbers"].values()


@pytest.mark.parametrize("late", [0, 1])
def test_an_answer_asks_as_long_as_the_position_stands(office, game, carrier, late):
    after = game_row(office, game).after - late
    lost = {"done": [], "undone": ["march"], "why": "it could mean several things", "posted": []}
    text = ask(office, carrier, game, "answer", after=after, **lost)
    assert ("== Which one do you mean? ==" in text) == (not late)
    assert ("several things, and the game has moved on since" in " ".join(text.split())) == bool(late)


def test_a_letter_shows_what_was_asked_for(office, game, carrier):
    with office.writing() as session:
        row = session.get_one(Game, game)
        asked = Occasion(row.seat, "shown", {"asked": [["rules", "5.9"], ["history", ""], ["settings", ""]]})
        queue(office, session, row, [asked], NOON)
        session.commit()
    text = delivered(office, carrier)
    assert "What you asked for" in text
    for heading in ("From the rules: Actions", "The game so far", "Your settings for this game"):
        assert f"\n== {heading} ==\n" in text
