"""Mails that tell other players something, that stop letters, and that confirm an address."""

from email.message import EmailMessage

import pytest
from sqlmodel import col, select

from emails.ids import OWN_HEADER
from emails.links import seal_stop
from server.accounts import addresses, unsubscribe
from server.delivery.outgoing import deliver
from server.inbox import intake
from server.lobby.games import Wish, open_game
from server.outbox.preferences import Wants, keep, wants
from server.store.models import Confirmation, Game, Message, Outgoing, Player, Seating
from tests.server.desk import NOON, game_row, names_of, start_game
from tests.server.inbox.test_incoming import (
    body,
    last_letter,
    mover,
    reply,
    states,
    take,
    turn_words,
)


@pytest.fixture
def game(office, carrier):
    game = start_game(office, "Anna", "Ben", "Cleo")
    deliver(office, carrier, NOON)
    return game


def said(office) -> list[tuple[int | None, int | None, str]]:
    with office.reading() as session:
        return [(one.seat, one.addressee, one.words) for one in session.exec(select(Message))]


def prefer(office, game, name, chosen) -> None:
    with office.writing() as session:
        seat = session.exec(select(Seating).where(Seating.game == game, Seating.name == name)).one()
        keep(session, seat.player, "", chosen, NOON)
        session.commit()


def others(office, game) -> list[str]:
    return [name for name in names_of(office, game) if name != mover(office, game)]


# --- telling --------------------------------------------------------------------------------------------


def test_orders_and_words_in_one_mail(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    text = (
        f"Hi,\n\nsay: here I come; draw your swords\n{card}\n{march}\nvertel {others(office, game)[0]}: psst"
    )
    reply(office, last_letter(office, carrier, name), f"{text}\n\nBest, {name}")
    seat = names_of(office, game).index(name)
    to = names_of(office, game).index(others(office, game)[0])
    assert said(office) == [(seat, None, "here I come; draw your swords"), (seat, to, "psst")]
    assert game_row(office, game).seq == 3
    answer = body(last_letter(office, carrier, name))
    assert "marched" in answer
    assert "You told everybody: “here I come; draw your swords”" in " ".join(answer.split())
    assert states(office) == [("played", "")]


def test_words_alone_need_no_turn_and_get_a_receipt(office, game, carrier):
    name = others(office, game)[1]
    reply(office, carrier.to(name)[0], "zeg: schiet eens op\n\nGroetjes,\n" + name)
    assert said(office) == [(names_of(office, game).index(name), None, "schiet eens op")]
    receipt = last_letter(office, carrier, name)
    assert "schiet eens op" in body(receipt)
    assert receipt["Auto-Submitted"] == "auto-replied"
    assert game_row(office, game).seq == 2


def test_who_writes_to_somebody_without_letters_is_told_where_they_are_read(office, game, carrier):
    writer, reader = others(office, game)
    unsubscribe.stop(office, game, names_of(office, game).index(reader), False, NOON)
    reply(office, carrier.to(writer)[0], f"tell {reader}: psst")
    receipt = " ".join(body(last_letter(office, carrier, writer)).split())
    assert f"“psst”. {reader} gets no letters, and can read it only on the page of the game." in receipt


def test_a_letter_of_ours_that_comes_back_without_its_mark_is_not_answered(office, game, carrier):
    name = others(office, game)[0]
    letter = carrier.to(name)[0]
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = letter["To"], letter["Reply-To"], letter["Message-ID"]
    mail.set_content("say: hello")
    take(office, mail)
    assert states(office) == [("ignored", "This is a letter of ours that came back.")]
    assert said(office) == []


def test_words_alone_may_answer_a_letter_that_is_past(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    old = last_letter(office, carrier, name)
    reply(office, old, f"{card}\n{march}\ndraw; draw")
    reply(office, old, "say: that was quick")
    assert [words for _, _, words in said(office)] == ["that was quick"]


def test_words_alone_are_told_after_the_game(office, game, carrier):
    with office.writing() as session:
        session.get_one(Game, game).status = "over"
        session.commit()
    name = others(office, game)[0]
    reply(office, carrier.to(name)[0], "say: well played")
    assert [words for _, _, words in said(office)] == ["well played"]
    assert states(office) == [("played", "")]


def test_the_next_letter_tells_what_was_said(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    reply(
        office, last_letter(office, carrier, name), f"{card}\n{march}\ndraw; draw\nsay: your turn <b>now</b>"
    )
    assert "your turn <b>now</b>" in body(last_letter(office, carrier, mover(office, game)))


def test_if_the_orders_are_refused_nothing_is_told(office, game, carrier):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), f"say: here I come\n{card}\nmarch Larisa D4")
    assert said(office) == []
    assert game_row(office, game).seq == 2
    answer = " ".join(body(last_letter(office, carrier, name)).split())
    assert "Larissa" in answer
    assert "Nothing was told to the other players either." in answer


def test_out_of_turn_or_too_late_nothing_is_told_with_orders(office, game, carrier):
    name = others(office, game)[0]
    reply(office, carrier.to(name)[0], "draw\nsay: hello")
    assert said(office) == []
    assert "Nothing was told" in " ".join(body(last_letter(office, carrier, name)).split())


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("tell Bob: hello", "Nobody here is called Bob: you can tell {} or {}."),
        ("say:", "There are no words"),
        ("say: " + "word " * 130, "at most 600"),
        ("tell {me}: hello", "yourself"),
    ],
)
def test_what_cannot_be_told_keeps_back_the_orders(office, game, carrier, line, sentence):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), f"{card}\n{line.format(me=name)}")
    assert said(office) == []
    assert game_row(office, game).seq == 2
    answer = " ".join(body(last_letter(office, carrier, name)).split())
    assert sentence.format(*others(office, game)) in answer
    assert "Nothing of your mail was done." in answer


@pytest.mark.parametrize(
    "text",
    [
        "say: hello; tell {other}: secret; draw",
        "say: good luck; {card}",
        "zeg: hallo; {march}\n{card}",
        "{card}; say: hi; tell {other}: secret",
        "{card}\nvertel {other}: een geheim; zeg: hallo",
        "say: good luck to all of you this week, and may the best one win it; march\nLarissa",
    ],
)
def test_an_order_or_other_words_in_a_message_keep_back_the_whole_mail(office, game, carrier, text):
    name = mover(office, game)
    card, march = turn_words(office, game)
    text = text.format(card=card, march=march, other=others(office, game)[0])
    reply(office, last_letter(office, carrier, name), text)
    assert said(office) == []
    assert game_row(office, game).seq == 2
    answer = " ".join(body(last_letter(office, carrier, name)).split())
    assert "put orders and other messages on lines of their own" in answer


def test_a_dutch_writer_is_asked_in_dutch(office, game, carrier):
    name = mover(office, game)
    prefer(office, game, name, Wants(language="nl"))
    reply(office, last_letter(office, carrier, name), "zeg: hallo; trek een kaart")
    answer = " ".join(body(last_letter(office, carrier, name)).split())
    assert "dus “trek een kaart” zou worden meegestuurd" in answer
    assert "zet opdrachten en andere berichten op een eigen regel." in answer
    assert said(office) == []


def test_a_line_of_chat_right_under_an_order_and_a_semicolon_in_it(office, game, carrier):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), f"{card}\nsay: well played; take care; go on 🎉")
    assert [words for _, _, words in said(office)] == ["well played; take care; go on 🎉"]
    assert game_row(office, game).seq == 3


@pytest.mark.parametrize("line", ["tell {0} and {1}: hi", "vertel {0} en {1}: hi", "tell {0}, {1}: hi"])
def test_words_for_two_are_asked_about_and_not_told_to_anybody(office, game, carrier, line):
    name = mover(office, game)
    reply(office, last_letter(office, carrier, name), line.format(*others(office, game)))
    assert said(office) == []
    assert "Nobody here is called" in " ".join(body(last_letter(office, carrier, name)).split())


def test_six_hundred_characters_are_told_and_one_more_is_not(office, game, carrier):
    name = mover(office, game)
    reply(office, last_letter(office, carrier, name), "say: " + "x" * 601)
    assert said(office) == []
    reply(office, last_letter(office, carrier, name), f"tell {others(office, game)[0]}: " + "x" * 600)
    assert [len(words) for _, _, words in said(office)] == [600]


@pytest.mark.parametrize("under", ["-- \n{}\nsay: secret", "Best,\n{}\n\nsay: secret"])
def test_what_stands_under_a_signature_is_not_told(office, game, carrier, under):
    name = mover(office, game)
    reply(office, last_letter(office, carrier, name), "say: hello\n\n" + under.format(name))
    assert "secret" not in [words for _, _, words in said(office)]


@pytest.mark.parametrize("line", ["say hello", "tell {} hello", "Zeg hoi", "vertel {} iets", "Tell, {}"])
def test_who_forgets_the_colon_is_told_of_it(office, game, carrier, line):
    name = mover(office, game)
    reply(office, last_letter(office, carrier, name), line.format(others(office, game)[0]))
    assert said(office) == []
    answer = " ".join(body(last_letter(office, carrier, name)).split())
    assert "needs a colon" in answer


def test_of_several_lines_all_are_told_or_none(office, game, carrier):
    name = others(office, game)[0]
    reply(office, carrier.to(name)[0], "say: hello\ntell Bob: psst")
    assert said(office) == []
    assert states(office)[0][0] == "refused"


def test_after_a_card_that_came_up_what_was_said_is_told(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    reply(office, last_letter(office, carrier, name), f"{card}\n{march}\ndraw; draw; draw\nsay: oh no")
    assert game_row(office, game).seq == 3
    assert [words for _, _, words in said(office)] == ["oh no"]


def test_quoted_words_are_not_said_again(office, game, carrier):
    name = mover(office, game)
    letter = last_letter(office, carrier, name)
    reply(office, letter, "say: first")
    receipt = last_letter(office, carrier, name)
    reply(office, receipt, "say: second")
    reply(office, receipt, "draw me a map\n\n> say: first")
    assert [words for _, _, words in said(office)] == ["first", "second"]


def test_somebody_else_with_the_letter_says_nothing(office, game, carrier):
    name = mover(office, game)
    letter = last_letter(office, carrier, name)
    reply(office, letter, "say: hello", sender="Mallory <mallory@elsewhere.example>")
    reply(office, letter, "say: away", Auto_Submitted="auto-replied")
    assert said(office) == []


def test_the_same_mail_twice_is_said_once(office, game, carrier):
    name = mover(office, game)
    mail = reply(office, last_letter(office, carrier, name), "say: hello")
    mail["Received"] = "by another way"
    take(office, mail)
    assert len(said(office)) == 1


def test_who_reads_dutch_is_answered_in_dutch(office, game, carrier):
    name = mover(office, game)
    prefer(office, game, name, Wants(language="nl"))
    letter = last_letter(office, carrier, name)
    reply(office, letter, "vertel Bob: hallo")
    assert "Niemand heet hier Bob" in " ".join(body(last_letter(office, carrier, name)).split())
    reply(office, letter, "marcheer Larisa D4\nzeg: hallo")
    assert "Ook aan de andere spelers is niets doorgegeven." in " ".join(
        body(last_letter(office, carrier, name)).split()
    )
    reply(office, letter, "zeg: hallo")
    assert "Je schreef aan iedereen: “hallo”" in " ".join(body(last_letter(office, carrier, name)).split())


# --- accepting in Dutch ---------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["Ja!", "ik doe mee", "Ja, ik doe mee.", "ACCEPT", "I accept."])
def test_an_invitation_is_accepted_in_either_language(office, carrier, words):
    wishes = [Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org")]
    open_game(office, "Friday", wishes, NOON)
    deliver(office, carrier, NOON)
    reply(office, carrier.to("Anna")[0], words)
    assert states(office) == [("played", "")]


def test_before_the_game_nobody_is_told_anything(office, carrier):
    wishes = [Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org")]
    open_game(office, "Friday", wishes, NOON)
    deliver(office, carrier, NOON)
    reply(office, carrier.to("Anna")[0], "accept\nsay: hello")
    assert states(office)[0][0] == "refused"
    assert said(office) == []
    assert "before the game has begun" in " ".join(body(last_letter(office, carrier, "Anna")).split())


# --- stopping -------------------------------------------------------------------------------------------


def plain(sender, recipient, text="", subject="unsubscribe", **headers):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, recipient, subject
    mail["Message-ID"] = f"<{abs(hash((recipient, text, str(headers))))}@client.example.org>"
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    return mail


def stop_address(office, game, seat) -> str:
    return f"stop+{seal_stop(game, seat, office.post.secret)}@play.example.org"


def letters(office, game, seat) -> bool:
    with office.reading() as session:
        player = session.get_one(Seating, (game, seat)).player
        return wants(session, player, game).letters


@pytest.mark.parametrize("text", ["", "draw", "This is an unsubscribe request.", "> quoted"])
@pytest.mark.parametrize("sender", ["anna@example.org", "unsubscribe@program.example"])
def test_a_mail_to_stop_stops_the_letters_of_one_game(office, game, carrier, text, sender):
    take(office, plain(sender, stop_address(office, game, 0), text))
    assert states(office) == [("played", "")]
    assert not letters(office, game, 0)
    assert letters(office, game, 1)
    name = names_of(office, game)[0]
    assert last_letter(office, carrier, name)[OWN_HEADER] == "stopped"
    assert len(carrier.to(name)) == 2
    take(office, plain(sender, stop_address(office, game, 0).upper(), text + "!"))
    deliver(office, carrier, NOON)
    assert len(carrier.to(name)) == 2


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Auto_Submitted": "auto-generated"},
        {"Precedence": "bulk"},
        {"List_Id": "<x.example.org>"},
        {"X_Failed_Recipients": "anna@example.org"},
    ],
)
def test_what_a_program_writes_stops_nothing(office, game, headers):
    take(office, plain("anna@example.org", stop_address(office, game, 0), **headers))
    assert [state for state, _ in states(office)] == ["ignored"]
    assert letters(office, game, 0)


def test_what_comes_back_or_is_forged_stops_nothing(office, game):
    mail = plain("anna@example.org", stop_address(office, game, 0))
    intake.take_in(office, "", str(mail["To"]), bytes(mail), NOON)
    absent = plain("anna@example.org", stop_address(office, game, 0), subject="Out of office")
    intake.take_in(office, "anna@example.org", str(absent["To"]), bytes(absent), NOON)
    for token in ("", "x", "a" * 26, seal_stop(game, 0, b"another secret of sixteen")):
        take(office, plain("anna@example.org", f"stop+{token}@play.example.org"))
    assert {state for state, _ in states(office)} == {"ignored"}
    assert letters(office, game, 0)


# --- confirming -----------------------------------------------------------------------------------------


def asked(office, carrier, game, seat=0) -> tuple[str, EmailMessage]:
    """The address that confirms, and the letter that came to the new address."""
    addresses.ask_address(office, game, seat, "new@example.org", NOON)
    deliver(office, carrier, NOON)
    with office.reading() as session:
        code = session.exec(select(Confirmation).order_by(col(Confirmation.at))).all()[-1].code
    letter = next(mail for mail in carrier.mails if str(mail["To"]) == "new@example.org")
    return f"confirm+{code}@play.example.org", letter


def address(office, game, seat=0) -> str:
    with office.reading() as session:
        return session.get_one(Player, session.get_one(Seating, (game, seat)).player).address


@pytest.mark.parametrize("words", ["yes", "Ja.", "Bevestig", "confirm", "Yes!\n\nAnna"])
def test_a_new_address_says_yes(office, game, carrier, words):
    recipient, letter = asked(office, carrier, game)
    assert str(letter["Reply-To"]) == recipient
    reply(office, letter, words, sender="new@example.org")
    assert states(office) == [("played", "")]
    assert address(office, game) == "new@example.org"


@pytest.mark.parametrize("words", ["no", "who are you?", "", "yes and no", "Dear yes\nno"])
def test_a_new_address_that_says_anything_else_confirms_nothing(office, game, carrier, words):
    _, letter = asked(office, carrier, game)
    before = len(carrier.mails)
    reply(office, letter, words, sender="new@example.org")
    deliver(office, carrier, NOON)
    assert [state for state, _ in states(office)] == ["ignored"]
    assert address(office, game) != "new@example.org"
    assert len(carrier.mails) == before


def test_a_program_or_a_wrong_code_confirms_nothing(office, game, carrier):
    recipient, letter = asked(office, carrier, game)
    reply(office, letter, "yes", sender="new@example.org", Auto_Submitted="auto-replied")
    for code in ("", "x", recipient.partition("+")[2].partition("@")[0][:-1]):
        take(office, plain("new@example.org", f"confirm+{code}@play.example.org", "yes"))
    assert {state for state, _ in states(office)} == {"ignored"}
    assert address(office, game) != "new@example.org"


def test_no_mail_to_any_of_our_addresses_is_answered_to_a_stranger(office, game, carrier):
    recipient, _ = asked(office, carrier, game)
    before = len(carrier.mails)
    for to in (recipient, "stop+x@play.example.org", "confirm@play.example.org", "stop@play.example.org"):
        take(office, plain("mallory@elsewhere.example", to, "hello"))
    deliver(office, carrier, NOON)
    assert len(carrier.mails) == before
    with office.reading() as session:
        assert not session.exec(select(Outgoing).where(Outgoing.recipient.contains("mallory"))).all()
