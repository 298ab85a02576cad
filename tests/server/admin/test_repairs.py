"""Letters that are sent again, mails that are read again, and what has been kept long enough."""

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from server.accounts.bounces import clear_bounce, record_bounce
from server.admin.game_sheets import describe_letter
from server.admin.interventions import read_mail_again
from server.delivery.sending import send_due_letters
from server.inbox.dispatch import process_waiting_mail
from server.inbox.intake import store_mail
from server.store.context import utc_now
from server.store.models import IncomingMail, OutgoingLetter, Player
from server.store.schedule import set_aside
from server.store.states import Hindrance, LetterState, MailState
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, kinds
from tests.server.inbox.test_mail_dispatch import last_letter, reply


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def letter_to(context, address):
    return context.rows_of(OutgoingLetter, OutgoingLetter.recipient == address)[-1]


def fail(context, address, why="550 no such mailbox"):
    """The last letter to an address comes back; its number."""

    def come_back(unit):
        letter = unit.session.get_one(OutgoingLetter, letter_to(context, address).id)
        record_bounce(unit, letter, why, reported=False)
        return letter.id

    return context.committed(NOON, come_back)


def send_all(context, carrier):
    """What the server does after an operator has typed something; the letters that left."""
    carrier.mails.clear()
    process_waiting_mail(context, utc_now())
    send_due_letters(context, carrier, utc_now())
    return carrier.mails


def test_for_a_letter_that_has_left_its_reader_gets_how_the_game_stands_now(context, carrier, game):
    for name, kind in ((context.mover(game), "your_turn"), (other(context, game), "shown")):
        letter = letter_to(context, f"{name.lower()}@example.org")
        assert letter.state == LetterState.SENT
        told = context.type_in("resend", str(letter.id))
        assert told.exit_code == 0
        (new,) = context.rows_of(OutgoingLetter, OutgoingLetter.state == LetterState.WAITING)
        assert (new.kind, new.recipient) == (kind, f"{name.lower()}@example.org")
        assert kinds(send_all(context, carrier))[0] == kind


def other(context, game):
    return ({"Anna", "Ben"} - {context.mover(game)}).pop()


def letter_state(context, number):
    with context.reading() as session:
        return session.get_one(OutgoingLetter, number).state


def test_a_letter_that_would_be_dropped_is_not_said_to_leave(context, carrier, game):
    """Her mail server was down, and letters to her count as coming back."""
    address = f"{other(context, game).lower()}@example.org"
    number = fail(context, address)
    told = context.type_in("resend", str(number))
    assert (told.exit_code, told.stdout) == (2, "")
    assert f"letter {number} would not leave: letters to {address} come back" in told.stderr
    assert f"`alexandros address {address} NEW` asks another address" in told.stderr
    assert letter_state(context, number) == LetterState.FAILED
    assert send_all(context, carrier) == []
    context.committed(NOON, mail_arrives, game, address)
    assert context.type_in("resend", str(number)).exit_code == 0
    assert kinds(send_all(context, carrier)) == ["welcome"]


def mail_arrives(unit, game, address):
    player = unit.session.exec(select(Player).where(Player.address == address)).one()
    assert clear_bounce(unit, player, address)


def test_whoever_is_to_move_gets_that_it_is_their_turn_though_letters_come_back(context, carrier, game):
    """Such a letter is tried despite the mark, for so it is found that mail arrives."""
    name = context.mover(game)
    address = f"{name.lower()}@example.org"
    with context.changing() as session:
        left = session.exec(select(OutgoingLetter).where(OutgoingLetter.recipient == address)).one()
        left.kind, number = "welcome", left.id
    assert fail(context, address) == number
    told = context.type_in("resend", str(number))
    assert (told.exit_code, told.stderr) == (0, "")
    said = f"letter {number} would not leave again (letters to its recipient are returned): how {game} stands"
    assert " ".join(told.stdout.split()) == f"{said} now goes to {address}"
    assert letter_state(context, number) == LetterState.FAILED
    assert kinds(send_all(context, carrier)) == ["your_turn"]


def test_nothing_is_sent_again_to_whoever_is_banned(context, carrier, game):
    failed, left = context.mover(game), other(context, game)
    numbers = [fail(context, f"{failed.lower()}@example.org")]
    numbers.append(letter_to(context, f"{left.lower()}@example.org").id)
    context.type_in("ban", f"{failed.lower()}@example.org", "example.org")
    told = context.type_in("resend", *map(str, numbers))
    assert (told.exit_code, told.stdout) == (2, "")
    assert told.stderr.splitlines() == [
        f"alexandros: nothing is sent to {name.lower()}@example.org: it is banned, which"
        " `alexandros allow example.org` ends"
        for name in (failed, left)
    ]
    assert send_all(context, carrier) == []


def test_a_letter_of_a_turn_that_is_over_is_not_sent_again_but_how_the_game_stands(context, carrier, game):
    name = context.mover(game)
    number = fail(context, f"{name.lower()}@example.org")
    context.committed(NOON, mail_arrives, game, f"{name.lower()}@example.org")
    send_all(context, carrier)
    with context.changing() as session:
        session.get_one(OutgoingLetter, number).seq -= 1
    told = context.type_in("resend", str(number))
    assert told.stdout.startswith(f"letter {number} would not leave again (its occasion has passed): how")
    assert kinds(send_all(context, carrier)) == ["your_turn"]


def test_a_letter_in_hand_is_left_to_whoever_sends_it(context, game):
    with context.changing() as session:
        letter = session.exec(select(OutgoingLetter)).first()
        letter.state, letter.tries, letter.why, number = LetterState.WAITING, 1, "", letter.id
    refused = context.type_in("resend", str(number))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == f"alexandros: letter {number} is being sent right now\n"


def test_a_mail_that_was_set_aside_is_read_again_and_plays(context, carrier, game):
    name = context.mover(game)
    card, march = context.turn_words(game)
    letter = last_letter(context, carrier, name)
    reply_unread(context, letter, f"{card}\n{march}\ndraw; draw")
    assert context.game_row(game).turn == 1
    told = context.committed(NOON, read_mail_again, 1)
    assert told == "mail 1 is read again; before: it could not be read"
    process_waiting_mail(context, NOON)
    assert context.game_row(game).turn == 2
    done = context.type_in("retry", "1")
    assert (done.exit_code, done.stderr) == (
        2,
        "alexandros: mail 1 is processed already (played), and is not processed twice\n",
    )


def reply_unread(context, letter, words):
    """Answer a letter; the mail is set aside before anybody has read it."""
    mail = EmailMessage()
    mail["From"], mail["To"] = str(letter["To"]), str(letter["Reply-To"])
    mail["Message-ID"] = "<one@client.example.org>"
    mail.set_content(words)
    store_mail(context, str(letter["To"]).split("<")[-1].strip(">"), str(mail["To"]), bytes(mail), NOON)
    set_aside(context, IncomingMail, 1, "it could not be read")


def test_of_several_numbers_one_that_is_unknown_stops_none(context, carrier, game):
    address = f"{context.mover(game).lower()}@example.org"
    first, last = fail(context, address), 10**30
    told = context.type_in("resend", str(last), str(first), "0")
    assert told.exit_code == 2
    assert told.stdout.startswith(f"letter {first} to {address} is sent again")
    assert told.stderr.count("\n") == 2
    assert context.type_in("retry", "9").stderr == (
        "alexandros: there is no mail 9: it was deleted, or never arrived\n"
    )


def test_a_mail_whose_words_are_gone_is_not_read_again(context, carrier, game):
    reply(context, last_letter(context, carrier, "Anna"), "resign everything to the purple giraffe")
    with context.changing() as session:
        mail = session.exec(select(IncomingMail)).one()
        mail.raw, mail.raw_mail, mail.state = b"", None, MailState.REFUSED
    assert "is not stored any more" in context.type_in("retry", "1").stderr


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"state": LetterState.SENT}, "sent"),
        ({"state": LetterState.WAITING, "due_at": NOON}, "waits, and is due"),
        (
            {"state": LetterState.WAITING, "due_at": NOON + timedelta(hours=2), "tries": 3, "why": "421"},
            "waits until 2026-03-02 14:00, tried 3 times: 421",
        ),
        ({"state": LetterState.DROPPED, "merged_into": 17}, "merged into letter 17"),
        ({"state": LetterState.DROPPED, "why": "they want none"}, "not sent: they want none"),
        ({"state": LetterState.WITHHELD, "why": "blocked"}, "not sent: blocked"),
        (
            {"state": LetterState.FAILED, "why": "it came back: 550 no", "hindrance": Hindrance.CAME_BACK},
            "it came back: 550 no",
        ),
        ({"state": LetterState.FAILED, "why": "550 no"}, "refused for good: 550 no"),
    ],
)
def test_a_line_says_what_became_of_a_letter(changes, told):
    given = {"id": 3, "kind": "your_turn", "game": "abcd2345", "why": "", "tries": 1} | changes
    line = describe_letter(OutgoingLetter(**given), NOON)
    assert line == f"letter 3  your_turn of abcd2345  {told}"
