"""Messages by mail beyond a conversation of one player, and forged addresses that stop letters."""

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import col

from emails.tokens import KeyRing, seal_unsubscribe
from server.inbox import dispatch, intake
from server.outbox.notifications import load_preferences
from server.store.game_terms import SeatRequest
from server.store.models import ChatMessage, Seating
from server.turns.bot_turns import play_bot_turns
from tests.server.beginnings import begin_game
from tests.server.desk import ANNA, BEN, NOON
from tests.server.inbox.test_mail_dispatch import answer_to, last_letter, reply, states, take

PEOPLE = "Anna", "Ben", "Cleo"


def said(context) -> list[str]:
    return context.rows_of(ChatMessage.words)


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
    house = context.rows_of(Seating.name, col(Seating.house))[0]
    while context.mover(game) == house:
        play_bot_turns(context, NOON + timedelta(hours=1))
    name, (card, _) = context.mover(game), context.turn_words(game)
    reads_none = f"{house} is a player of the house: a program, which reads no messages."
    assert reads_none in answer_to(context, carrier, name, f"tell {house}: hello")[1]
    after = context.game_row(game).after
    assert reads_none in answer_to(context, carrier, name, f"{card}\nsay: hi all\ntell {house}: hello")[1]
    assert (context.game_row(game).after, said(context)) == (after, [])
    answer_to(context, carrier, name, "yes")
    assert context.game_row(game).after > after
    assert said(context) == ["hi all"]


@pytest.mark.parametrize("words", ["Ja!", "ik doe mee", "Ja, ik doe mee.", "ACCEPT", "I accept."])
def test_an_invitation_is_accepted_in_either_language(context, carrier, words):
    context.open_game("Friday", [ANNA, BEN], NOON)
    reply(context, last_letter(context, carrier, "Anna"), words)
    assert states(context) == [("played", "an accepted invitation")]


def test_before_the_game_nobody_is_told_anything(context, carrier):
    context.open_game("Friday", [ANNA, BEN], NOON)
    _, answer = answer_to(context, carrier, "Anna", "accept\nsay: hello")
    assert (states(context)[0][0], said(context)) == ("refused", [])
    assert "before the game has begun" in answer


def test_what_is_forged_stops_nothing(context, game):
    for token in ("", "x", "a" * 26, seal_unsubscribe(game, 0, KeyRing((b"another secret of sixteen",)))):
        raw = b"From: anna@example.org\r\nSubject: unsubscribe\r\n\r\n"
        intake.store_mail(context, "anna@example.org", f"stop+{token}@play.example.org", raw, NOON)
    dispatch.process_waiting_mail(context, NOON)
    assert [state for state, _ in states(context)] == ["ignored"] * 4
    with context.reading() as session:
        assert load_preferences(session, context.player_of(game), game).letters


def test_a_name_from_right_to_left_is_kept_to_itself_and_answered_without_its_joiner(context, carrier):
    mim, isolated = SeatRequest("می\u200cم", "mim@example.org"), "\u2068می\u200cم\u2069"
    context.open_game("שרה", [ANNA, mim], NOON, at_once=True)
    context.confirm("Anna", "می\u200cم")  # a stranger's subject holds no names
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
