"""Messages by mail beyond a conversation of one player, and mails that stop letters or confirm an address."""

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import col

from emails.tokens import OWN_HEADER, KeyRing, seal_unsubscribe
from server.accounts import addresses
from server.delivery.sending import send_due_letters
from server.outbox.preferences import load_preferences
from server.store.game_terms import SeatRequest
from server.store.models import ChatMessage, Player, Seating
from server.turns.bot_turns import play_bot_turns
from tests.server.beginnings import begin_game
from tests.server.desk import (
    ANNA,
    BEN,
    NOON,
    confirm,
    confirmation_codes,
    game_row,
    mover,
    names_of,
    open_game,
    player_of,
    rows_of,
    turn_words,
)
from tests.server.inbox.test_mail_dispatch import answer_to, last_letter, reply, states, take

PEOPLE = "Anna", "Ben", "Cleo"


def said(context) -> list[str]:
    return rows_of(context, ChatMessage.words)


def test_a_letter_of_ours_that_comes_back_without_its_mark_is_not_answered(context, game, carrier):
    letter = carrier.to("Anna")[0]
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = letter["To"], letter["Reply-To"], letter["Message-ID"]
    mail.set_content("say: hello")
    take(context, mail)
    assert states(context) == [("ignored", "This is a letter of ours that came back.")]
    assert said(context) == []


def test_words_for_a_player_of_the_house_are_told_to_nobody_and_its_orders_asked_about(context, carrier):
    """A mail is done whole or not at all: a yes plays it without the words."""
    game = begin_game(context, carrier, "Anna", "Ben", "house")
    house = rows_of(context, Seating.name, col(Seating.house))[0]
    while mover(context, game) == house:
        play_bot_turns(context, NOON + timedelta(hours=1))
    name, (card, _) = mover(context, game), turn_words(context, game)
    reads_none = f"{house} is a player of the house: a program, which reads no messages."
    assert reads_none in answer_to(context, carrier, name, f"tell {house}: hello")[1]
    after = game_row(context, game).after
    assert reads_none in answer_to(context, carrier, name, f"{card}\nsay: hi all\ntell {house}: hello")[1]
    assert (game_row(context, game).after, said(context)) == (after, [])
    answer_to(context, carrier, name, "yes")
    assert game_row(context, game).after > after
    assert said(context) == ["hi all"]


@pytest.mark.parametrize("words", ["Ja!", "ik doe mee", "Ja, ik doe mee.", "ACCEPT", "I accept."])
def test_an_invitation_is_accepted_in_either_language(context, carrier, words):
    open_game(context, "Friday", [ANNA, BEN], NOON)
    reply(context, last_letter(context, carrier, "Anna"), words)
    assert states(context) == [("played", "an accepted invitation")]


def test_before_the_game_nobody_is_told_anything(context, carrier):
    open_game(context, "Friday", [ANNA, BEN], NOON)
    _, answer = answer_to(context, carrier, "Anna", "accept\nsay: hello")
    assert (states(context)[0][0], said(context)) == ("refused", [])
    assert "before the game has begun" in answer


def plain(sender, recipient, text="", subject="unsubscribe", **headers):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, recipient, subject
    mail["Message-ID"] = f"<{abs(hash((recipient, text, str(headers))))}@client.example.org>"
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    return mail


@pytest.fixture
def stop(context, game) -> str:
    """The address that stops the letters to the first seat."""
    return f"stop+{seal_unsubscribe(game, 0, context.links.keys)}@play.example.org"


def letters(context, game, seat=0) -> bool:
    with context.reading() as session:
        return load_preferences(session, player_of(context, game, seat), game).letters


@pytest.mark.parametrize("text", ["", "draw", "This is an unsubscribe request.", "> quoted"])
@pytest.mark.parametrize("sender", ["anna@example.org", "unsubscribe@program.example"])
def test_a_mail_to_stop_stops_the_letters_of_one_game(context, game, carrier, stop, text, sender):
    take(context, plain(sender, stop, text))
    assert states(context) == [("played", "")]
    assert not letters(context, game)
    assert letters(context, game, 1)
    name = names_of(context, game)[0]
    assert last_letter(context, carrier, name)[OWN_HEADER] == "stopped"
    assert len(carrier.to(name)) == 2
    take(context, plain(sender, stop.upper(), text + "!"))
    send_due_letters(context, carrier, NOON)
    assert len(carrier.to(name)) == 2


@pytest.mark.parametrize(
    ("headers", "sender"),
    [
        ({"Auto_Submitted": "auto-replied"}, "anna@example.org"),
        ({"Auto_Submitted": "auto-generated", "subject": "Out of office"}, "anna@example.org"),
        ({"Precedence": "bulk"}, "anna@example.org"),
        ({"List_Id": "<x.example.org>"}, "anna@example.org"),
        ({"X_Failed_Recipients": "anna@example.org"}, "anna@example.org"),
        ({"subject": "Out of office"}, "anna@example.org"),
        ({}, ""),
    ],
)
def test_what_a_program_writes_or_what_comes_back_stops_nothing(context, game, stop, headers, sender):
    take(context, plain("anna@example.org", stop, **headers), sender=sender)
    assert [state for state, _ in states(context)] == ["ignored"]
    assert letters(context, game)


def test_a_program_may_press_unsubscribe_for_its_user(context, game, stop):
    take(context, plain("anna@example.org", stop, Auto_Submitted="auto-generated"))
    assert states(context) == [("played", "")]
    assert not letters(context, game)


def test_what_is_forged_stops_nothing(context, game):
    for token in ("", "x", "a" * 26, seal_unsubscribe(game, 0, KeyRing((b"another secret of sixteen",)))):
        take(context, plain("anna@example.org", f"stop+{token}@play.example.org"))
    assert {state for state, _ in states(context)} == {"ignored"}
    assert letters(context, game)


@pytest.fixture
def asked(context, carrier, game) -> EmailMessage:
    """The letter that asks a new address of the first seat."""
    addresses.request_address_confirmation(context, game, 0, "new@example.org", NOON)
    return last_letter(context, carrier, "new")


def address(context, game) -> str:
    with context.reading() as session:
        return session.get_one(Player, player_of(context, game)).address


@pytest.mark.parametrize("words", ["yes", "Ja.", "Bevestig", "confirm", "Yes!\n\nAnna"])
def test_a_new_address_says_yes(context, game, asked, words):
    assert str(asked["Reply-To"]) == f"confirm+{confirmation_codes(context)[-1]}@play.example.org"
    reply(context, asked, words)
    assert states(context) == [("played", "")]
    assert address(context, game) == "new@example.org"


@pytest.mark.parametrize("words", ["no", "who are you?", "", "yes and no", "Dear yes\nno"])
def test_a_new_address_that_says_anything_else_confirms_nothing(context, game, carrier, asked, words):
    before = len(carrier.mails)
    reply(context, asked, words)
    send_due_letters(context, carrier, NOON)
    assert [state for state, _ in states(context)] == ["ignored"]
    assert address(context, game) != "new@example.org"
    assert len(carrier.mails) == before


def test_a_program_or_a_wrong_code_confirms_nothing(context, game, asked):
    reply(context, asked, "yes", Auto_Submitted="auto-replied")
    for code in ("", "x", confirmation_codes(context)[-1][:-1]):
        take(context, plain("new@example.org", f"confirm+{code}@play.example.org", "yes"))
    assert {state for state, _ in states(context)} == {"ignored"}
    assert address(context, game) != "new@example.org"


def test_a_name_from_right_to_left_is_kept_to_itself_and_answered_without_its_joiner(context, carrier):
    mim, isolated = SeatRequest("می\u200cم", "mim@example.org"), "\u2068می\u200cم\u2069"
    open_game(context, "שרה", [ANNA, mim], NOON, at_once=True)
    confirm(context, "Anna", "می\u200cم")  # a stranger's subject holds no names
    letter = last_letter(context, carrier, "anna")
    assert all(isolated in letter.get_body((part,)).get_content() for part in ("plain", "html"))
    assert "\u2068שרה\u2069" in letter["Subject"]
    assert (
        f"told only {isolated}: “good luck”" in answer_to(context, carrier, "anna", "tell میم: good luck")[1]
    )


def test_somebody_else_with_the_letter_says_nothing(context, says):
    says("say: hello", sender="Mallory <mallory@elsewhere.example>")
    says("say: away", Auto_Submitted="auto-replied")
    assert said(context) == []
