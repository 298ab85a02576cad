"""Who answers their last letters after somebody else has taken their seat is told so, once, and no more."""

from email.message import EmailMessage

import pytest
from sqlmodel import select

from emails.terms import AbsenceRule
from server.inbox import dispatch, intake
from server.store.context import Context
from server.store.models import IncomingMail
from tests.server.desk import (
    Clock,
    Collector,
    body,
    game_row,
    kinds,
    work_until_idle,
)
from tests.server.lobby.table import Table


@pytest.fixture(params=["en", "nl"])
def taken(
    request: pytest.FixtureRequest, context: Context, mails: Collector, clock: Clock
) -> tuple[str, str]:
    """The first of a game of two, who has vanished, and the game, in which Dirk plays on for them."""
    game = Table(context, mails, clock).begin(AbsenceRule.TURN)
    for name in game.names:
        game.prefer(name, everywhere=True, language=request.param)
    game.time_out()
    game.let_first_vanish()
    first = game.names[0]
    assert game.take() == 0
    game.deliver(0.01)
    return first, game.game


def lost(mails: Collector, name: str) -> EmailMessage:
    """The last letter of a seat that has the address of its turn in it."""
    return [one for one in mails.to(name) if kinds([one])[0] in ("absence", "your_turn")][-1]


def writes(
    context: Context, letter: EmailMessage, words: str, clock: Clock, sender: str = "", **headers: str
) -> str:
    mail = EmailMessage()
    mail["From"] = sender or str(letter["To"])
    mail["To"] = str(letter["Reply-To"])
    mail["Subject"] = "Re: " + str(letter["Subject"])
    mail["Message-ID"] = f"<{abs(hash((words, clock())))}@client.example.org>"
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(words)
    envelope = str(mail["From"]).split("<")[-1].strip(">")
    intake.store_mail(context, envelope, str(mail["To"]), bytes(mail), clock())
    dispatch.process_waiting_mail(context, clock())
    with context.reading() as session:
        return session.exec(select(IncomingMail.state).order_by(IncomingMail.id.desc())).first() or ""


WORDS = {
    "en": ("I am back!", "Somebody else has your seat", "nothing of your mail was done"),
    "nl": ("Ik ben er weer!", "Iemand anders heeft intussen je plaats", "is er niets van je mail gedaan"),
}


@pytest.mark.breadth
def test_who_is_back_too_late_is_told_that_somebody_else_plays_on(context, mails, clock, taken, request):
    words, told, done = WORDS[request.node.callspec.params["taken"]]
    first, game = taken
    letter, before = lost(mails, first), game_row(context, game)
    assert writes(context, letter, words, clock) == "refused"
    work_until_idle(context, mails, clock())
    answer = mails.to(first)[-1]
    text = " ".join(body(answer).split())
    assert kinds([answer]) == ["replaced"]
    assert told in text
    assert done in text
    assert "Dirk" not in text
    assert "/t/" not in text
    assert game_row(context, game) == before
    count = len(mails.to(first))
    assert writes(context, letter, "back", clock) == "ignored"
    work_until_idle(context, mails, clock.forward(0.01))
    assert len(mails.to(first)) == count


def test_who_answers_the_letter_that_tells_them_of_it_hears_where_to_play_again(context, mails, clock, taken):
    first, game = taken
    letter, before = mails.to(first)[-1], game_row(context, game)
    assert kinds([letter]) == ["replaced"]
    assert writes(context, letter, "Can I have it back?", clock) == "refused"
    work_until_idle(context, mails, clock())
    answer = mails.to(first)[-1]
    assert answer["Message-ID"] != letter["Message-ID"]
    assert kinds([answer]) == ["replaced"]
    assert f"{context.links.base_url}/games" in body(answer)
    assert game_row(context, game) == before
    count = len(mails.to(first))
    assert writes(context, answer, "thanks", clock) == "ignored"
    work_until_idle(context, mails, clock.forward(0.01))
    assert len(mails.to(first)) == count


@pytest.mark.parametrize("taken", ["en"], indirect=True)
def test_strangers_and_programs_that_answer_for_them_get_nothing(context, mails, clock, taken):
    letter, count = lost(mails, taken[0]), len(mails.mails)
    assert writes(context, letter, "back", clock, sender="cleo@example.org") == "ignored"
    assert writes(context, letter, "I am away.", clock, Auto_Submitted="auto-replied") == "ignored"
    work_until_idle(context, mails, clock())
    assert len(mails.mails) == count
