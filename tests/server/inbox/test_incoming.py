"""Mail that comes in: played once, answered once, and never more than its writer wrote."""

from email.message import EmailMessage

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import select

from engine.cards import SYMBOLS
from engine.notation.grammar import write
from engine.rules import cards, legal
from engine.views import view
from server.delivery.outgoing import deliver
from server.inbox import correspondent, game_replies, incoming, intake
from server.lobby.games import Wish, accept, open_game
from server.store.event_log import acts
from server.store.models import Game, Incoming, Outgoing, Seating
from server.turns.dry_run import preview
from tests.server.desk import NOON, game_row, names_of, start_game


@pytest.fixture
def game(office, carrier):
    game = start_game(office, "Anna", "Ben")
    deliver(office, carrier, NOON)
    return game


def mover(office, game):
    return names_of(office, game)[game_row(office, game).seat]


def reply(office, letter, text, *, sender=None, quote=True, **headers):
    """Answer a letter as a mail program does, and let the mailroom read it."""
    mail = EmailMessage()
    mail["From"] = sender or str(letter["To"])
    mail["To"] = str(letter["Reply-To"])
    mail["Subject"] = "Re: " + str(letter["Subject"])
    mail["In-Reply-To"] = str(letter["Message-ID"])
    mail["Message-ID"] = f"<{abs(hash(text))}@client.example.org>"
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    quoted = letter.get_body(("plain",)).get_content().splitlines() if quote else []
    mail.set_content("\n".join([text, "", "On Monday Alexandros wrote:", *(f"> {line}" for line in quoted)]))
    take(office, mail)
    return mail


def take(office, mail):
    envelope = str(mail["From"]).split("<")[-1].strip(">")
    intake.take_in(office, envelope, str(mail["To"]), bytes(mail), NOON)
    incoming.process(office, NOON)


def last_letter(office, carrier, name):
    deliver(office, carrier, NOON)
    return carrier.to(name)[-1]


def body(letter):
    return letter.get_body(("plain",)).get_content()


def turn_words(office, game):
    with office.reading() as session:
        position = office.history(session, session.get_one(Game, game)).position
    known = view(position, position.table.seat)
    card = write(next(cards(known)), known.table.board)
    after = preview(position, known.table.seat, [card]).position
    return card, write(next(legal(view(after, after.table.seat))), known.table.board)


def states(office):
    with office.reading() as session:
        return [(row.state, row.why) for row in session.exec(select(Incoming)).all()]


def test_a_whole_turn_in_one_reply(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), f"{card}\n{march}\ndraw; draw\n\nBest, {name}")
    assert game_row(office, game).turn == 2
    assert states(office) == [("played", "")]
    answer = last_letter(office, carrier, name)
    assert answer["Auto-Submitted"] == "auto-replied"
    assert "marched" in body(answer)
    other = mover(office, game)
    assert other != name
    assert carrier.to(other)


def test_the_answer_of_a_step_says_what_can_be_done_now(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), card)
    answer = last_letter(office, carrier, name)
    assert march.split()[1] in body(answer)
    reply(office, answer, march)
    assert game_row(office, game).turn == 1
    with office.reading() as session:
        assert [row.door for row, _ in acts(session, game)][-2:] == ["reply", "reply"]


def test_what_cannot_be_read_is_answered_and_does_nothing(office, game, carrier):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), f"{card}\nmarch Larisa D4")
    answer = last_letter(office, carrier, name)
    assert "Larissa" in body(answer)
    assert game_row(office, game).seq == 2
    assert carrier.envelopes[-1][0] == ""


def test_after_a_reveal_the_rest_is_reported(office, game, carrier):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    chosen = card.split()[1]
    display = [one for one in SYMBOLS if f"choose {one}" in body(last_letter(office, carrier, name))]
    other = next(one for one in SYMBOLS if one not in display)
    office.lots.choice = lambda cards: next(one for one in cards if one not in (other, chosen))
    march = turn_words(office, game)[1]
    reply(office, last_letter(office, carrier, name), f"{card}\n{march}\ntake {other}")
    assert game_row(office, game).seq == 3
    assert f"take {other}" in body(last_letter(office, carrier, name))


def test_an_old_letter_answered_again_is_told_so(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    letter = last_letter(office, carrier, name)
    reply(office, letter, card)
    reply(office, letter, march)
    assert game_row(office, game).seq == 3
    assert "moved on" in body(last_letter(office, carrier, name))


def test_the_same_mail_twice_is_one_mail(office, game, carrier):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    mail = reply(office, last_letter(office, carrier, name), card)
    before = len(states(office))
    take(office, mail)
    assert len(states(office)) == before
    mail["Received"] = "by another way"
    take(office, mail)
    assert game_row(office, game).seq == 3
    assert [state for state, _ in states(office)] == ["played", "ignored"]


def test_somebody_else_with_the_letter_does_not_play(office, game, carrier):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), card, sender="Mallory <mallory@elsewhere.example>")
    assert game_row(office, game).seq == 2
    assert "another address" in body(last_letter(office, carrier, name))
    assert not any("mallory" in recipient for _, recipient in carrier.envelopes)


@pytest.mark.parametrize(
    "headers", [{"Auto-Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List-Id": "<x.example.org>"}]
)
def test_machines_are_neither_played_nor_answered(office, game, carrier, headers):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    letter = last_letter(office, carrier, name)
    before = len(carrier.mails)
    reply(office, letter, card, **{key.replace("-", "_"): value for key, value in headers.items()})
    deliver(office, carrier, NOON)
    assert game_row(office, game).seq == 2
    assert len(carrier.mails) == before


@pytest.mark.parametrize(
    "recipient", ["play+aaaa@play.example.org", "play@play.example.org", "x", "play+" + "a" * 500 + "@x"]
)
def test_an_address_without_a_ticket_is_ignored(office, game, recipient):
    intake.take_in(office, "anna@example.org", recipient, b"From: anna@example.org\r\n\r\ndraw\r\n", NOON)
    incoming.process(office, NOON)
    assert [state for state, _ in states(office)] == ["ignored"]


@pytest.mark.parametrize(
    "raw", [b"", b"\0" * 100, b"\xff" * 10_000, b"From: x\r\n", b"\r\n" * 5000], ids=range(5)
)
def test_bytes_that_are_no_mail_change_nothing(office, game, carrier, raw):
    letter = last_letter(office, carrier, mover(office, game))
    intake.take_in(office, "x@example.org", str(letter["Reply-To"]), raw, NOON)
    incoming.process(office, NOON)
    assert game_row(office, game).seq == 2
    assert states(office)[0][0] in ("ignored", "refused")


def test_a_mail_waits_while_the_database_is_away(office, game, carrier, monkeypatch):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    letter = last_letter(office, carrier, name)

    def away(*_):
        raise OperationalError("", {}, Exception("locked"))

    with monkeypatch.context() as patched:
        patched.setattr(game_replies, "play", away)
        reply(office, letter, card)
    assert [state for state, _ in states(office)] == ["waiting"]
    assert incoming.process(office, NOON) == 1
    assert game_row(office, game).seq == 3


def test_a_turn_that_is_ended_by_a_mail_of_its_own_is_told(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), f"{card}\n{march}\ndraw")
    reply(office, last_letter(office, carrier, name), "end")
    assert "You ended" in body(last_letter(office, carrier, name)) or "ended your turn" in body(
        carrier.to(name)[-1]
    )


def test_an_invitation_is_accepted_by_a_reply(office, carrier):
    wishes = [Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org")]
    game = open_game(office, "Friday", wishes, NOON)
    deliver(office, carrier, NOON)
    reply(office, carrier.to("Anna")[0], "Who is this?")
    assert "answer it with the one word" in body(last_letter(office, carrier, "Anna"))
    reply(office, carrier.to("Anna")[0], "Accept!\n\nAnna")
    assert game_row(office, game).status == "open"
    assert "Still awaited: Ben" in body(last_letter(office, carrier, "Anna"))
    with office.reading() as session:
        seats = session.exec(select(Seating)).all()
    ben = next(seat.seat for seat in seats if seat.name == "Ben")
    assert accept(office, game, ben, NOON)


def test_no_more_than_so_many_answers_an_hour(office, game, carrier):
    letter = last_letter(office, carrier, mover(office, game))
    for number in range(correspondent.MOST_ANSWERS + 5):
        reply(office, letter, f"dance {number}")
    with office.reading() as session:
        answers = session.exec(select(Outgoing).where(Outgoing.kind == "refused")).all()
    assert len(answers) == correspondent.MOST_ANSWERS
