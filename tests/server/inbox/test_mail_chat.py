"""Mails that tell other players something, that stop letters, and that confirm an address."""

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import col, select

from emails.tokens import OWN_HEADER, KeyRing, seal_unsubscribe
from server.accounts import addresses, unsubscribe
from server.delivery.sending import send_due_letters
from server.inbox import intake
from server.outbox.preferences import Preferences, load_preferences, store_preferences
from server.store.game_terms import SeatRequest
from server.store.models import ChatMessage, Game, OutgoingLetter, Player, Seating
from server.turns.bot_turns import play_bot_turns
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, committed, confirmation_codes, game_row, names_of, open_game
from tests.server.inbox.test_mail_dispatch import (
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
    with context.reading() as session:
        return [(one.seat, one.addressee, one.words) for one in session.exec(select(ChatMessage))]


def prefer(context, game, name, chosen) -> None:
    with context.writing() as session:
        seat = session.exec(select(Seating).where(Seating.game == game, Seating.name == name)).one()
        store_preferences(session, seat.player, None, chosen, NOON)
        session.commit()


def others(context, game) -> list[str]:
    return [name for name in names_of(context, game) if name != mover(context, game)]


# --- telling --------------------------------------------------------------------------------------------


def test_orders_and_words_in_one_mail(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    text = (
        f"Hi,\n\nsay: here I come; draw your swords\n{card}\n{march}\ntell {others(context, game)[0]}: psst"
    )
    reply(context, last_letter(context, carrier, name), f"{text}\n\nBest, {name}")
    seat = names_of(context, game).index(name)
    to = names_of(context, game).index(others(context, game)[0])
    assert said(context) == [(seat, None, "here I come; draw your swords"), (seat, to, "psst")]
    assert game_row(context, game).seq == 3
    answer = body(last_letter(context, carrier, name))
    assert "marched" in answer
    assert "You told everybody: “here I come; draw your swords”" in " ".join(answer.split())
    assert states(context) == [("played", f"orders (act 3 of {game}), a message")]


def test_words_alone_need_no_turn_and_get_a_receipt(context, game, carrier):
    name = others(context, game)[1]
    prefer(context, game, name, Preferences(language="nl"))
    reply(context, carrier.to(name)[0], "zeg: schiet eens op\n\nGroetjes,\n" + name)
    assert said(context) == [(names_of(context, game).index(name), None, "schiet eens op")]
    receipt = last_letter(context, carrier, name)
    assert "schiet eens op" in body(receipt)
    assert receipt["Auto-Submitted"] == "auto-replied"
    assert game_row(context, game).seq == 2


def test_who_writes_to_somebody_without_letters_is_told_where_they_are_read(context, game, carrier):
    writer, reader = others(context, game)
    committed(context, NOON, unsubscribe.stop_letters, game, names_of(context, game).index(reader), False)
    reply(context, carrier.to(writer)[0], f"tell {reader}: psst")
    receipt = " ".join(body(last_letter(context, carrier, writer)).split())
    assert f"“psst”. {reader} gets no mails, and can read it only on the page of the game." in receipt


def test_a_letter_of_ours_that_comes_back_without_its_mark_is_not_answered(context, game, carrier):
    name = others(context, game)[0]
    letter = carrier.to(name)[0]
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = letter["To"], letter["Reply-To"], letter["Message-ID"]
    mail.set_content("say: hello")
    take(context, mail)
    assert states(context) == [("ignored", "This is a letter of ours that came back.")]
    assert said(context) == []


def test_words_alone_may_answer_a_letter_that_is_past(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    old = last_letter(context, carrier, name)
    reply(context, old, f"{card}\n{march}\ndraw; draw")
    reply(context, old, "say: that was quick")
    assert [words for _, _, words in said(context)] == ["that was quick"]


def test_after_the_game_words_are_not_told_and_their_writer_is_told_so_once(context, game, carrier):
    with context.writing() as session:
        session.get_one(Game, game).status = "over"
        session.commit()
    name = others(context, game)[0]
    for words in ("say: well played", "say: really"):
        reply(context, carrier.to(name)[0], words)
    assert said(context) == []
    assert [state for state, _ in states(context)] == ["refused", "ignored"]
    assert "The game is over" in " ".join(body(last_letter(context, carrier, name)).split())


def test_the_next_letter_tells_what_was_said(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    reply(
        context,
        last_letter(context, carrier, name),
        f"{card}\n{march}\ndraw; draw\nsay: your turn <b>now</b>",
    )
    assert "your turn <b>now</b>" in body(last_letter(context, carrier, mover(context, game)))


def test_if_the_orders_are_refused_nothing_is_told(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"say: here I come\n{card}\nmarch Larisa D4")
    assert said(context) == []
    assert game_row(context, game).seq == 2
    answer = " ".join(body(last_letter(context, carrier, name)).split())
    assert "Larissa" in answer
    assert "Nothing was told to the other players either." in answer


def test_out_of_turn_or_too_late_nothing_is_told_with_orders(context, game, carrier):
    name = others(context, game)[0]
    reply(context, carrier.to(name)[0], "draw\nsay: hello")
    assert said(context) == []
    assert "Nothing was told" in " ".join(body(last_letter(context, carrier, name)).split())


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


def test_words_for_a_player_of_the_house_are_told_to_nobody_and_its_orders_asked_about(context, carrier):
    """A mail is done whole or not at all: a yes plays it without the words."""
    game = begin_game(context, carrier, "Anna", "Ben", "house")
    with context.reading() as session:
        house = session.exec(select(Seating.name).where(col(Seating.house))).one()
    while mover(context, game) == house:
        play_bot_turns(context, NOON + timedelta(hours=1))
    name = mover(context, game)
    card, _ = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"tell {house}: hello")
    text = " ".join(body(last_letter(context, carrier, name)).split())
    assert f"{house} is a player of the house: a program, which reads no messages." in text
    after = game_row(context, game).after
    reply(context, last_letter(context, carrier, name), f"{card}\nsay: hi all\ntell {house}: hello")
    asked = last_letter(context, carrier, name)
    assert "a program, which reads no messages" in " ".join(body(asked).split())
    assert (game_row(context, game).after, said(context)) == (after, [])
    reply(context, asked, "yes")
    assert game_row(context, game).after > after
    assert [words for _, _, words in said(context)] == ["hi all"]


@pytest.mark.parametrize(
    "text",
    [
        "say: hello; tell {other}: secret; draw",
        "say: good luck; {card}",
        "say: hello; {march}\n{card}",
        "{card}; say: hi; tell {other}: secret",
        "{card}\ntell {other}: a secret; say: hello",
        "say: good luck to all of you this week, and may the best one win it; march\nLarissa",
    ],
)
def test_an_order_or_other_words_in_a_message_keep_back_the_whole_mail(context, game, carrier, text):
    name = mover(context, game)
    card, march = turn_words(context, game)
    text = text.format(card=card, march=march, other=others(context, game)[0])
    reply(context, last_letter(context, carrier, name), text)
    assert said(context) == []
    assert game_row(context, game).seq == 2
    answer = " ".join(body(last_letter(context, carrier, name)).split())
    assert "put orders and other messages on lines of their own" in answer


def test_a_dutch_writer_is_asked_in_dutch(context, game, carrier):
    name = mover(context, game)
    prefer(context, game, name, Preferences(language="nl"))
    for text, piece in {
        "zeg: hallo; trek een kaart": "trek een kaart",
        "trek\nvertel Ben: een geheim; zeg: hallo": "zeg: hallo",
    }.items():
        reply(context, last_letter(context, carrier, name), text)
        answer = " ".join(body(last_letter(context, carrier, name)).split())
        assert f"dus “{piece}” zou worden meegestuurd" in answer
    assert "zet opdrachten en andere berichten op een eigen regel." in answer
    assert said(context) == []


def test_a_line_of_chat_right_under_an_order_and_a_semicolon_in_it(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\nsay: well played; take care; go on 🎉")
    assert [words for _, _, words in said(context)] == ["well played; take care; go on 🎉"]
    assert game_row(context, game).seq == 3


@pytest.mark.parametrize("line", ["tell {0} and {1}: hi", "tell {0}, {1}: hi"])
def test_words_for_two_are_asked_about_and_not_told_to_anybody(context, game, carrier, line):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), line.format(*others(context, game)))
    assert said(context) == []
    assert "Nobody here is called" in " ".join(body(last_letter(context, carrier, name)).split())


def test_a_word_of_a_language_that_its_writer_does_not_speak_is_none(context, game, carrier):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "vertel Ben: hi")
    assert said(context) == []
    assert states(context)[-1][0] == "refused"
    prefer(context, game, name, Preferences(language="nl"))
    other = others(context, game)[0]
    reply(context, last_letter(context, carrier, name), f"vertel {other}: hi")
    assert [words for _, _, words in said(context)] == ["hi"]


def test_six_hundred_characters_are_told_and_one_more_is_not(context, game, carrier):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "say: " + "x" * 601)
    assert said(context) == []
    reply(context, last_letter(context, carrier, name), f"tell {others(context, game)[0]}: " + "x" * 600)
    assert [len(words) for _, _, words in said(context)] == [600]


@pytest.mark.parametrize("under", ["-- \n{}\nsay: secret", "Best,\n{}\n\nsay: secret"])
def test_what_stands_under_a_signature_is_not_told(context, game, carrier, under):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "say: hello\n\n" + under.format(name))
    assert "secret" not in [words for _, _, words in said(context)]


@pytest.mark.parametrize("line", ["say hello", "tell {} hello", "Zeg hoi", "vertel {} iets", "Tell, {}"])
def test_who_forgets_the_colon_is_told_of_it(context, game, carrier, line):
    name = mover(context, game)
    prefer(context, game, name, Preferences(language="nl"))
    reply(context, last_letter(context, carrier, name), line.format(others(context, game)[0]))
    assert said(context) == []
    answer = " ".join(body(last_letter(context, carrier, name)).split())
    assert "ontbreekt een dubbele punt" in answer


def test_of_several_lines_all_are_told_or_none(context, game, carrier):
    name = others(context, game)[0]
    reply(context, carrier.to(name)[0], "say: hello\ntell Bob: psst")
    assert said(context) == []
    assert states(context)[0][0] == "refused"


def test_after_a_card_that_came_up_what_was_said_is_told(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\n{march}\ndraw; draw; draw\nsay: oh no")
    assert game_row(context, game).seq == 3
    assert [words for _, _, words in said(context)] == ["oh no"]


def test_quoted_words_are_not_said_again(context, game, carrier):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    reply(context, letter, "say: first")
    receipt = last_letter(context, carrier, name)
    reply(context, receipt, "say: second")
    reply(context, receipt, "draw me a map\n\n> say: first")
    assert [words for _, _, words in said(context)] == ["first", "second"]


def test_somebody_else_with_the_letter_says_nothing(context, game, carrier):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    reply(context, letter, "say: hello", sender="Mallory <mallory@elsewhere.example>")
    reply(context, letter, "say: away", Auto_Submitted="auto-replied")
    assert said(context) == []


def test_the_same_mail_twice_is_said_once(context, game, carrier):
    name = mover(context, game)
    mail = reply(context, last_letter(context, carrier, name), "say: hello")
    mail["Received"] = "by another way"
    take(context, mail)
    assert len(said(context)) == 1


def test_who_reads_dutch_is_answered_in_dutch(context, game, carrier):
    name = mover(context, game)
    prefer(context, game, name, Preferences(language="nl"))
    letter = last_letter(context, carrier, name)
    reply(context, letter, "vertel Bob: hallo")
    assert "Niemand heet hier Bob" in " ".join(body(last_letter(context, carrier, name)).split())
    reply(context, letter, "marcheer Larisa D4\nzeg: hallo")
    assert "Ook aan de andere spelers is niets doorgegeven." in " ".join(
        body(last_letter(context, carrier, name)).split()
    )
    reply(context, letter, "zeg: hallo")
    assert "Je schreef aan iedereen: “hallo”" in " ".join(body(last_letter(context, carrier, name)).split())


# --- accepting in Dutch ---------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["Ja!", "ik doe mee", "Ja, ik doe mee.", "ACCEPT", "I accept."])
def test_an_invitation_is_accepted_in_either_language(context, carrier, words):
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")]
    open_game(context, "Friday", requests, NOON)
    send_due_letters(context, carrier, NOON)
    reply(context, carrier.to("Anna")[0], words)
    assert states(context) == [("played", "the invitation accepted")]


def test_before_the_game_nobody_is_told_anything(context, carrier):
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")]
    open_game(context, "Friday", requests, NOON)
    send_due_letters(context, carrier, NOON)
    reply(context, carrier.to("Anna")[0], "accept\nsay: hello")
    assert states(context)[0][0] == "refused"
    assert said(context) == []
    assert "before the game has begun" in " ".join(body(last_letter(context, carrier, "Anna")).split())


# --- stopping -------------------------------------------------------------------------------------------


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


# --- confirming -----------------------------------------------------------------------------------------


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


def test_no_mail_to_any_of_our_addresses_is_answered_to_a_stranger(context, game, carrier):
    recipient, _ = asked(context, carrier, game)
    before = len(carrier.mails)
    for to in (recipient, "stop+x@play.example.org", "confirm@play.example.org", "stop@play.example.org"):
        take(context, plain("mallory@elsewhere.example", to, "hello"))
    send_due_letters(context, carrier, NOON)
    assert len(carrier.mails) == before
    with context.reading() as session:
        assert not session.exec(
            select(OutgoingLetter).where(OutgoingLetter.recipient.contains("mallory"))
        ).all()


def test_a_name_from_right_to_left_is_kept_to_itself_and_answered_without_its_joiner(context, carrier):
    mim, isolated = SeatRequest("می\u200cم", "mim@example.org"), "\u2068می\u200cم\u2069"
    open_game(context, "שרה", [SeatRequest("Anna", "anna@example.org"), mim], NOON, at_once=True)
    with context.writing() as session:
        for one in session.exec(select(Player)):
            one.confirmed_at = NOON  # a stranger's subject holds no names
        session.commit()
    letter = last_letter(context, carrier, "anna")
    assert all(isolated in letter.get_body((part,)).get_content() for part in ("plain", "html"))
    assert "\u2068שרה\u2069" in letter["Subject"]
    reply(context, letter, "tell میم: good luck")
    assert f"told only {isolated}: “good luck”" in " ".join(
        body(last_letter(context, carrier, "anna")).split()
    )
