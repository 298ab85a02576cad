"""Mail that comes in: played once, answered once, and never more than its writer wrote."""

from email.message import EmailMessage

import pytest
from sqlalchemy.exc import OperationalError

from engine.notation.orders import write
from engine.position import view
from engine.rules import card_choices, legal
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, game_mail, intake
from server.inbox.reply_outcome import close_silently
from server.store.event_log import load_acts
from server.store.game_terms import SeatRequest
from server.store.models import Game, IncomingMail, Seating
from server.store.states import MailState
from server.turns.dry_run import preview
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, accept_invitation, game_row, mover, open_game, rows_of


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def reply(context, letter, text, *, sender=None, quote=True, now=NOON, **headers):
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
    take(context, mail, now)
    return mail


def take(context, mail, now=NOON):
    envelope = str(mail["From"]).split("<")[-1].strip(">")
    intake.store_mail(context, envelope, str(mail["To"]), bytes(mail), now)
    dispatch.process_waiting_mail(context, now)


def last_letter(context, carrier, name):
    send_due_letters(context, carrier, NOON)
    return carrier.to(name)[-1]


def answer_to(context, carrier, name, text, **more):
    """Reply to the last letter of a player; the kind of the answer, and its words with lines joined."""
    reply(context, last_letter(context, carrier, name), text, **more)
    letter = last_letter(context, carrier, name)
    return str(letter["X-Alexandros"]), " ".join(body(letter).split())


def body(letter):
    return letter.get_body(("plain",)).get_content()


def turn_words(context, game):
    with context.reading() as session:
        position = context.history_of(session, session.get_one(Game, game)).position
    known = view(position, position.table.seat)
    card = write(next(card_choices(known)), known.table.board)
    after = preview(position, known.table.seat, [card]).position
    return card, write(next(legal(view(after, after.table.seat))), known.table.board)


def states(context):
    return [(row.state, row.why) for row in rows_of(context, IncomingMail)]


def test_a_whole_turn_in_one_reply(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\n{march}\ndraw; draw\n\nBest, {name}")
    assert game_row(context, game).turn == 2
    assert states(context) == [("played", f"orders (act 3 of {game})")]
    answer = last_letter(context, carrier, name)
    assert answer["Auto-Submitted"] == "auto-replied"
    assert "marched" in body(answer)
    other = mover(context, game)
    assert other != name
    assert carrier.to(other)


def test_the_answer_of_a_step_says_what_can_be_done_now(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), card)
    answer = last_letter(context, carrier, name)
    assert march.split()[1] in body(answer)
    reply(context, answer, march)
    assert game_row(context, game).turn == 1
    with context.reading() as session:
        assert [row.door for row, _ in load_acts(session, game)][-2:] == ["reply", "reply"]


def test_what_cannot_be_read_is_answered_and_does_nothing(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\nmarch Larisa D4")
    answer = last_letter(context, carrier, name)
    assert "Larissa" in body(answer)
    assert game_row(context, game).seq == 2
    assert carrier.envelopes[-1][0] == ""


def test_the_same_mail_twice_is_one_mail(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    mail = reply(context, last_letter(context, carrier, name), card)
    before = len(states(context))
    take(context, mail)
    assert len(states(context)) == before
    mail["Received"] = "by another way"
    take(context, mail)
    assert game_row(context, game).seq == 3
    assert [state for state, _ in states(context)] == ["played", "ignored"]


@pytest.mark.parametrize(
    ("on_move", "words", "answered"),
    [(False, "Thanks!", False), (True, "Thanks!", True), (False, "", True), (False, "Thanks for what", True)],
)
def test_courtesies_of_a_player_who_is_not_to_move_get_no_answer(
    context, game, carrier, on_move, words, answered
):
    to_move = mover(context, game)
    name = to_move if on_move else ({"Anna", "Ben"} - {to_move}).pop()
    letter = last_letter(context, carrier, name)
    before = len(carrier.to(name))
    reply(context, letter, words)
    answer = last_letter(context, carrier, name)
    assert (len(carrier.to(name)) > before) == answered
    assert words or "The subject of a mail is not read" in " ".join(body(answer).split())


@pytest.mark.parametrize(
    "headers", [{"Auto-Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List-Id": "<x.example.org>"}]
)
def test_machines_are_neither_played_nor_answered(context, game, carrier, headers):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    letter = last_letter(context, carrier, name)
    before = len(carrier.mails)
    reply(context, letter, card, **{key.replace("-", "_"): value for key, value in headers.items()})
    send_due_letters(context, carrier, NOON)
    assert game_row(context, game).seq == 2
    assert len(carrier.mails) == before


@pytest.mark.parametrize(
    "recipient", ["play+aaaa@play.example.org", "play@play.example.org", "x", "play+" + "a" * 500 + "@x"]
)
def test_an_address_without_a_ticket_is_ignored(context, game, recipient):
    intake.store_mail(context, "anna@example.org", recipient, b"From: anna@example.org\r\n\r\ndraw\r\n", NOON)
    dispatch.process_waiting_mail(context, NOON)
    assert [state for state, _ in states(context)] == ["ignored"]


@pytest.mark.parametrize(
    "raw", [b"", b"\0" * 100, b"\xff" * 10_000, b"From: x\r\n", b"\r\n" * 5000], ids=range(5)
)
def test_bytes_that_are_no_mail_change_nothing(context, game, carrier, raw):
    letter = last_letter(context, carrier, mover(context, game))
    intake.store_mail(context, "x@example.org", str(letter["Reply-To"]), raw, NOON)
    dispatch.process_waiting_mail(context, NOON)
    assert game_row(context, game).seq == 2
    assert states(context)[0][0] in ("ignored", "refused")


def test_players_are_read_before_strangers_and_a_flood_delays_its_own_mails(context, monkeypatch):
    brought = (
        *(("new", "A") for _ in range(5)),
        ("new", "B"),
        *(("play+one", "A") for _ in range(3)),
        ("play+two", "A"),
        ("new", "B"),
    )
    for number, (to, network) in enumerate(brought):
        raw = b"From: dirk@example.org\r\n\r\n%d" % number
        intake.store_mail(context, "dirk@example.org", f"{to}@play.example.org", raw, NOON, network)
    read = []

    def note(context, row, mail, _, __):
        read.append(int(mail.raw.split()[-1]))
        close_silently(context, row, MailState.PLAYED, "")

    for name in ("play", "new"):
        monkeypatch.setitem(dispatch.PROCESSORS, name, note)
    while dispatch.process_waiting_mail(context, NOON, most=1):
        pass
    assert read == [6, 9, 7, 8, 0, 5, 1, 10, 2, 3, 4]


def test_a_mail_waits_while_the_database_is_away(context, game, carrier, monkeypatch):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    letter = last_letter(context, carrier, name)

    def away(*_):
        raise OperationalError("", {}, Exception("locked"))

    with monkeypatch.context() as patched:
        patched.setattr(game_mail, "play_ticket", away)
        with pytest.raises(OperationalError):
            reply(context, letter, card)
    assert [state for state, _ in states(context)] == ["waiting"]
    assert dispatch.process_waiting_mail(context, NOON) == 1
    assert game_row(context, game).seq == 3


def test_a_turn_that_is_ended_by_a_mail_of_its_own_is_told(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\n{march}\ndraw")
    reply(context, last_letter(context, carrier, name), "end")
    assert "you ended the turn" in body(last_letter(context, carrier, name))


def test_an_invitation_is_accepted_by_a_reply(context, carrier):
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")]
    game = open_game(context, "Friday", requests, NOON)
    send_due_letters(context, carrier, NOON)
    reply(context, carrier.to("Anna")[0], "Who is this?")
    asked = last_letter(context, carrier, "Anna")
    assert asked["Subject"] == f"Re: {carrier.to('Anna')[0]['Subject']}"
    text = " ".join(body(asked).split())
    assert "Reply with the one word “yes” to play, or “no” to decline" in text
    assert text.count("http://127.0.0.1:8000/t/") == 2
    reply(context, carrier.to("Anna")[0], "Accept!\n\nAnna")
    assert game_row(context, game).status == "open"
    assert "Still awaited: Ben" in body(last_letter(context, carrier, "Anna"))
    seats = rows_of(context, Seating)
    ben = next(seat.seat for seat in seats if seat.name == "Ben")
    assert accept_invitation(context, game, ben, NOON)


def test_somebody_else_with_the_letter_does_not_play(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), card, sender="Mallory <mallory@elsewhere.example>")
    assert game_row(context, game).seq == 2
    assert "another address" in body(last_letter(context, carrier, name))
    assert not any("mallory" in recipient for _, recipient in carrier.envelopes)
