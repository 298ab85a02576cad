"""Mails that tell other players something, that stop letters, and that confirm an address."""

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import col, select

from emails.tokens import OWN_HEADER, KeyRing, seal_unsubscribe
from server.accounts import addresses, unsubscribe
from server.delivery.sending import send_due_letters
from server.inbox import intake
from server.outbox.preferences import load_preferences
from server.store.game_terms import SeatRequest
from server.store.models import ChatMessage, Player, Seating
from server.turns.bot_turns import play_bot_turns
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    changing,
    committed,
    confirmation_codes,
    game_row,
    names_of,
    open_game,
    rows_of,
    seat_of,
    set_preferences,
)
from tests.server.inbox.test_mail_dispatch import (
    answer_to,
    body,
    last_letter,
    mover,
    reply,
    states,
    take,
    turn_words,
)


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben", "Cleo")


def said(context) -> list[tuple[int | None, int | None, str]]:
    return [(one.seat, one.addressee, one.words) for one in rows_of(context, ChatMessage)]


def others(context, game) -> list[str]:
    return [name for name in names_of(context, game) if name != mover(context, game)]


def test_orders_and_words_in_one_mail(context, game, carrier):
    name, (friend, _) = mover(context, game), others(context, game)
    card, march = turn_words(context, game)
    text = f"Hi,\n\nsay: here I come; draw your swords\n{card}\n{march}\ntell {friend}: psst"
    _, answer = answer_to(context, carrier, name, f"{text}\n\nBest, {name}")
    seat, to = seat_of(context, game, name), seat_of(context, game, friend)
    assert said(context) == [(seat, None, "here I come; draw your swords"), (seat, to, "psst")]
    assert "marched" in answer
    assert "You told everybody: “here I come; draw your swords”" in answer
    assert states(context) == [("played", f"orders (act 3 of {game}), a message")]


def test_words_alone_need_no_turn_and_get_a_receipt(context, game, carrier):
    name = others(context, game)[1]
    set_preferences(context, game, name, everywhere=True, language="nl")
    assert (
        "schiet eens op" in answer_to(context, carrier, name, f"zeg: schiet eens op\n\nGroetjes,\n{name}")[1]
    )
    assert said(context) == [(seat_of(context, game, name), None, "schiet eens op")]
    assert carrier.to(name)[-1]["Auto-Submitted"] == "auto-replied"
    assert game_row(context, game).seq == 2


def test_who_writes_to_somebody_without_letters_is_told_where_they_are_read(context, game, carrier):
    writer, reader = others(context, game)
    committed(context, NOON, unsubscribe.stop_letters, game, seat_of(context, game, reader), False)
    _, receipt = answer_to(context, carrier, writer, f"tell {reader}: psst")
    assert f"“psst”. {reader} gets no mails, and can read it only on the page of the game." in receipt


def test_a_letter_of_ours_that_comes_back_without_its_mark_is_not_answered(context, game, carrier):
    letter = carrier.to(others(context, game)[0])[0]
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = letter["To"], letter["Reply-To"], letter["Message-ID"]
    mail.set_content("say: hello")
    take(context, mail)
    assert states(context) == [("ignored", "This is a letter of ours that came back.")]
    assert said(context) == []


ON_LINES = "put orders and other messages on lines of their own"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("say: here I come\n{card}\nmarch Larisa D4", "Nothing was told to the other players either."),
        ("{card}\ntell Bob: hello", "Nobody here is called Bob: you can tell {other} or {third}."),
        ("{card}\nsay:", "There are no words"),
        ("{card}\nsay: " + "word " * 130, "at most 600"),
        ("{card}\ntell {me}: hello", "yourself"),
        ("say: hello; tell {other}: secret; draw", ON_LINES),
        ("say: good luck; {card}", ON_LINES),
        ("say: hello; {march}\n{card}", ON_LINES),
        ("{card}; say: hi; tell {other}: secret", ON_LINES),
        ("{card}\ntell {other}: a secret; say: hello", ON_LINES),
        ("say: good luck to all of you this week, and may the best one win it; march\nLarissa", ON_LINES),
        ("say hello", "needs a colon before the words"),
        ("tell {other} hello", "needs a colon before the words"),
        ("Tell, {other}", "needs a colon before the words"),
    ],
)
def test_a_mail_that_cannot_be_told_does_nothing_and_is_answered_with_why(
    context, game, carrier, text, sentence
):
    (card, march), (other, third) = turn_words(context, game), others(context, game)
    known = {"card": card, "march": march, "other": other, "third": third, "me": mover(context, game)}
    _, answer = answer_to(context, carrier, known["me"], text.format(**known))
    assert (said(context), game_row(context, game).seq) == ([], 2)
    assert sentence.format(**known) in answer


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
    assert [words for _, _, words in said(context)] == ["hi all"]


@pytest.mark.parametrize("under", ["-- \n{}\nsay: secret", "Best,\n{}\n\nsay: secret"])
def test_what_stands_under_a_signature_is_not_told(context, game, carrier, under):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "say: hello\n\n" + under.format(name))
    assert "secret" not in [words for _, _, words in said(context)]


def test_after_a_card_that_came_up_what_was_said_is_told(context, game, carrier):
    name, (card, march) = mover(context, game), turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\n{march}\ndraw; draw; draw\nsay: oh no")
    assert game_row(context, game).seq == 3
    assert [words for _, _, words in said(context)] == ["oh no"]


@pytest.fixture
def invited(context, carrier):
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")]
    open_game(context, "Friday", requests, NOON)
    send_due_letters(context, carrier, NOON)


@pytest.mark.usefixtures("invited")
@pytest.mark.parametrize("words", ["Ja!", "ik doe mee", "Ja, ik doe mee.", "ACCEPT", "I accept."])
def test_an_invitation_is_accepted_in_either_language(context, carrier, words):
    reply(context, carrier.to("Anna")[0], words)
    assert states(context) == [("played", "the invitation accepted")]


@pytest.mark.usefixtures("invited")
def test_before_the_game_nobody_is_told_anything(context, carrier):
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


def stop_address(context, game, seat) -> str:
    return f"stop+{seal_unsubscribe(game, seat, context.links.keys)}@play.example.org"


def letters(context, game, seat) -> bool:
    with context.reading() as session:
        player = session.get_one(Seating, (game, seat)).player
        return load_preferences(session, player, game).letters


@pytest.mark.parametrize("text", ["", "draw", "This is an unsubscribe request.", "> quoted"])
@pytest.mark.parametrize("sender", ["anna@example.org", "unsubscribe@program.example"])
def test_a_mail_to_stop_stops_the_letters_of_one_game(context, game, carrier, text, sender):
    take(context, plain(sender, stop_address(context, game, 0), text))
    assert states(context) == [("played", "")]
    assert not letters(context, game, 0)
    assert letters(context, game, 1)
    name = names_of(context, game)[0]
    assert last_letter(context, carrier, name)[OWN_HEADER] == "stopped"
    assert len(carrier.to(name)) == 2
    take(context, plain(sender, stop_address(context, game, 0).upper(), text + "!"))
    send_due_letters(context, carrier, NOON)
    assert len(carrier.to(name)) == 2


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Auto_Submitted": "auto-generated", "subject": "Out of office"},
        {"Precedence": "bulk"},
        {"List_Id": "<x.example.org>"},
        {"X_Failed_Recipients": "anna@example.org"},
    ],
)
def test_what_a_program_writes_stops_nothing(context, game, headers):
    take(context, plain("anna@example.org", stop_address(context, game, 0), **headers))
    assert [state for state, _ in states(context)] == ["ignored"]
    assert letters(context, game, 0)


def test_a_program_may_press_unsubscribe_for_its_user(context, game):
    mail = plain("anna@example.org", stop_address(context, game, 0), Auto_Submitted="auto-generated")
    take(context, mail)
    assert states(context) == [("played", "")]
    assert not letters(context, game, 0)


def test_what_comes_back_or_is_forged_stops_nothing(context, game):
    mail = plain("anna@example.org", stop_address(context, game, 0))
    intake.store_mail(context, "", str(mail["To"]), bytes(mail), NOON)
    absent = plain("anna@example.org", stop_address(context, game, 0), subject="Out of office")
    intake.store_mail(context, "anna@example.org", str(absent["To"]), bytes(absent), NOON)
    for token in ("", "x", "a" * 26, seal_unsubscribe(game, 0, KeyRing((b"another secret of sixteen",)))):
        take(context, plain("anna@example.org", f"stop+{token}@play.example.org"))
    assert {state for state, _ in states(context)} == {"ignored"}
    assert letters(context, game, 0)


def asked(context, carrier, game, seat=0) -> tuple[str, EmailMessage]:
    """The address that confirms, and the letter that came to the new address."""
    addresses.request_address_confirmation(context, game, seat, "new@example.org", NOON)
    send_due_letters(context, carrier, NOON)
    code = confirmation_codes(context)[-1]
    letter = next(mail for mail in carrier.mails if str(mail["To"]) == "new@example.org")
    return f"confirm+{code}@play.example.org", letter


def address(context, game, seat=0) -> str:
    with context.reading() as session:
        return session.get_one(Player, session.get_one(Seating, (game, seat)).player).address


@pytest.mark.parametrize("words", ["yes", "Ja.", "Bevestig", "confirm", "Yes!\n\nAnna"])
def test_a_new_address_says_yes(context, game, carrier, words):
    recipient, letter = asked(context, carrier, game)
    assert str(letter["Reply-To"]) == recipient
    reply(context, letter, words, sender="new@example.org")
    assert states(context) == [("played", "")]
    assert address(context, game) == "new@example.org"


@pytest.mark.parametrize("words", ["no", "who are you?", "", "yes and no", "Dear yes\nno"])
def test_a_new_address_that_says_anything_else_confirms_nothing(context, game, carrier, words):
    _, letter = asked(context, carrier, game)
    before = len(carrier.mails)
    reply(context, letter, words, sender="new@example.org")
    send_due_letters(context, carrier, NOON)
    assert [state for state, _ in states(context)] == ["ignored"]
    assert address(context, game) != "new@example.org"
    assert len(carrier.mails) == before


def test_a_program_or_a_wrong_code_confirms_nothing(context, game, carrier):
    recipient, letter = asked(context, carrier, game)
    reply(context, letter, "yes", sender="new@example.org", Auto_Submitted="auto-replied")
    for code in ("", "x", recipient.partition("+")[2].partition("@")[0][:-1]):
        take(context, plain("new@example.org", f"confirm+{code}@play.example.org", "yes"))
    assert {state for state, _ in states(context)} == {"ignored"}
    assert address(context, game) != "new@example.org"


def test_a_name_from_right_to_left_is_kept_to_itself_and_answered_without_its_joiner(context, carrier):
    mim, isolated = SeatRequest("می\u200cم", "mim@example.org"), "\u2068می\u200cم\u2069"
    open_game(context, "שרה", [SeatRequest("Anna", "anna@example.org"), mim], NOON, at_once=True)
    with changing(context) as session:
        for one in session.exec(select(Player)):
            one.confirmed_at = NOON  # a stranger's subject holds no names
    letter = last_letter(context, carrier, "anna")
    assert all(isolated in letter.get_body((part,)).get_content() for part in ("plain", "html"))
    assert "\u2068שרה\u2069" in letter["Subject"]
    reply(context, letter, "tell میم: good luck")
    assert f"told only {isolated}: “good luck”" in " ".join(
        body(last_letter(context, carrier, "anna")).split()
    )


def test_if_the_orders_are_refused_nothing_is_told(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"say: here I come\n{card}\nmarch Larisa D4")
    assert said(context) == []
    assert game_row(context, game).seq == 2
    answer = " ".join(body(last_letter(context, carrier, name)).split())
    assert "Larissa" in answer
    assert "Nothing was told to the other players either." in answer


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("tell Bob: hello", "Nobody here is called Bob: you can tell {} or {}."),
        ("say:", "There are no words"),
        ("say: " + "word " * 130, "at most 600"),
        ("tell {me}: hello", "yourself"),
    ],
)
def test_what_cannot_be_told_keeps_back_the_orders(context, game, carrier, line, sentence):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\n{line.format(me=name)}")
    assert said(context) == []
    assert game_row(context, game).seq == 2
    answer = " ".join(body(last_letter(context, carrier, name)).split())
    assert sentence.format(*others(context, game)) in answer
    assert "Nothing of your mail was done." in answer


def test_somebody_else_with_the_letter_says_nothing(context, game, carrier):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    reply(context, letter, "say: hello", sender="Mallory <mallory@elsewhere.example>")
    reply(context, letter, "say: away", Auto_Submitted="auto-replied")
    assert said(context) == []
