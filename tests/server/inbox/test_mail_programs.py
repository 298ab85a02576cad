"""Mails as programs of all kinds send them: each is played, asked about or met with silence as it means."""

import base64
import quopri
import re
import tomllib
from pathlib import Path

import pytest

from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.inbox.received_mail import UNWANTED
from server.outbox.notifications import load_preferences
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.models import OutgoingLetter
from server.store.states import MailState
from tests.breadth import first
from tests.server.desk import NOON, body, words_of
from tests.server.inbox.test_mail_dispatch import answer_to, answering, last_letter, reply, states, take

CASES = tomllib.loads(Path(__file__).with_name("mail_programs.toml").read_text("utf-8"))
SIGNED_DATA, DATA = bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("06092a864886f70d010701")
ATTRIBUTION = "On Tue, Mar 3, 2026 at 9:14 AM Alexandros <alexandros@example.org>\nwrote:\n\n{QUOTED}"


def der(tag, content):
    """A value of ASN.1 in DER, with a length in two bytes."""
    return bytes([tag, 0x82]) + len(content).to_bytes(2, "big") + content


def signed_opaquely(entity):
    """The signed-data of RFC 5652 that holds this entity, with no signer: a key is needed by no reader."""
    held = der(0x30, DATA + der(0xA0, der(0x04, entity)))
    data = der(0x30, bytes.fromhex("020101") + der(0x31, b"") + held + der(0x31, b""))
    return der(0x30, SIGNED_DATA + der(0xA0, data))


def written(case, letter, orders, name):
    """The mail of a program to a letter, as bytes."""
    address = str(letter["To"]).rpartition("<")[2].strip(">")
    quoted = "\n".join(f"> {line}" for line in body(letter).splitlines())
    values = {"ORDERS": orders, "NAME": name, "ME": address, "LETTER": body(letter), "QUOTED": quoted}
    values["SUBJECT"] = str(letter["Subject"])

    def fill(text):
        for key, value in values.items():
            text = text.replace(f"{{{key}}}", value)
        return text

    shown = f"{case['body'].strip()}\n\n{ATTRIBUTION}" if case.get("quoted", True) else case["body"].lstrip()
    text, coding = fill(shown).encode(), case.get("coding", "8bit")
    head = {
        "From": f"{name} <{address}>",
        "To": str(letter["Reply-To"]),
        "Subject": f"Re: {letter['Subject']}",
        "Message-ID": "<program@mua.example.org>",
        "In-Reply-To": str(letter["Message-ID"]),
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": coding,
    }
    if case.get("signed"):
        text = base64.encodebytes(signed_opaquely(b"Content-Type: text/plain; charset=utf-8\r\n\r\n" + text))
        head["Content-Type"] = "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m"
        head["Content-Transfer-Encoding"] = "base64"
    elif coding.startswith("base64"):
        text = base64.encodebytes(text)
    elif coding.startswith("quoted-printable"):
        text = quopri.encodestring(text)
    head |= dict(line.split(": ", 1) for line in fill(case.get("head", "")).strip().splitlines())
    lines = "".join(f"{name}: {value}\n" for name, value in head.items())
    mail = f"{lines}\n".encode() + text + case.get("below", "").encode()
    return mail.replace(b"\n", b"\r\n")


def outcome(context, game, carrier, case):
    """Let the server take in and read a mail; gives what came of it and the words of the answer."""
    mover = context.mover(game)
    name = next(one for one in context.names_of(game) if one != mover) if "by" in case else mover
    letter = last_letter(context, carrier, name)
    orders = "\n".join([*context.turn_words(game), "draw; draw"])
    if case["body"].strip("\n")[:1] not in ("{", "a"):  # in quotation marks or a subject
        orders = orders.replace("\n", "; ")
    raw = written(case, letter, orders, name)
    before, turn = len(context.rows_of(OutgoingLetter)), context.game_row(game).turn
    intake.store_mail(context, f"{name.lower()}@example.org", str(letter["Reply-To"]), raw, NOON)
    dispatch.process_waiting_mail(context, NOON)
    done = context.game_row(game)
    answers = len(context.rows_of(OutgoingLetter)) - before
    if done.turn > turn:
        return "orders", ""
    if done.seq > 2:
        return "a", ""
    if not answers:
        return "silence", states(context)[-1][1]
    answer = last_letter(context, carrier, name)
    kind, words = str(answer["X-Alexandros"]), words_of(answer)
    return {"asked_back": "question"}.get(kind, kind), words


@pytest.mark.parametrize("name", first(len(CASES), CASES))
def test_each_mail_of_a_program_gets_its_value(context, game, carrier, name):
    case = CASES[name]
    found, words = outcome(context, game, carrier, case)
    assert found == case["value"], words
    assert case.get("words", "") in words


MAILBOXES = {
    "ben.tester@gmail.com": "bentester+games@googlemail.com",
    "ben@icloud.com": "Ben@me.com",
    "ben@proton.me": "b-en@pm.me",
}


@pytest.mark.parametrize("registered", MAILBOXES)
def test_another_spelling_of_the_same_mailbox_is_the_same_writer(context, carrier, registered):
    requests = [SeatRequest("Ben", registered), SeatRequest("Anna", "anna@example.org")]
    game = context.open_game("Friday", requests, NOON, at_once=True)
    send_due_letters(context, carrier, NOON)
    letter = next(one for one in carrier.mails if registered in str(one["To"]))
    take(context, answering(letter, "?", sender=MAILBOXES[registered]))
    assert states(context)[-1][0] == MailState.PLAYED
    take(context, answering(letter, "board", sender="ben@example.org"))
    assert states(context)[-1][0] == MailState.REFUSED
    assert context.game_row(game).turn == 1


def test_a_second_mail_with_the_same_number_and_other_words_is_read(context, game, carrier, name, turn):
    letter = last_letter(context, carrier, name)
    for words, state in (("march Nowhere", "refused"), ("march Nowhere", "ignored"), (turn[0], "played")):
        reply(context, letter, words, Message_ID="<reused@mua.example.org>", Received=state)
        assert states(context)[-1][0] == state


def test_a_mail_to_the_sender_address_is_confirmed_and_played(context, game, carrier, name, turn):
    letter = last_letter(context, carrier, name)
    assert intake.is_deliverable(context, "alexandros@example.org")
    take(context, answering(letter, turn[0], To="alexandros@example.org"))
    assert last_letter(context, carrier, name)["X-Alexandros"] == "asked_back"
    assert answer_to(context, carrier, name, "yes")[0] == "answer"
    assert context.game_row(game).seq == 3


def test_who_guesses_a_letter_and_writes_to_the_sender_address_leaves_the_player_answers(
    context, game, carrier, name, turn
):
    letter = last_letter(context, carrier, name)
    for number in range(30):
        forged = {"To": "alexandros@example.org", "Message_ID": f"<{number}@mua.example.org>"}
        take(context, answering(letter, "board", **forged))
    found = [state for state, _ in states(context)]
    assert found.count(MailState.IGNORED) >= 10
    assert answer_to(context, carrier, name, turn[0])[0] == "answer"


def test_the_question_about_a_mail_to_the_sender_address_suspects_no_stolen_mail(
    context, game, carrier, name, turn
):
    letter = last_letter(context, carrier, name)
    take(context, answering(letter, turn[0], To="alexandros@example.org"))
    asked = words_of(last_letter(context, carrier, name))
    assert "If it was not you, do nothing: nothing happens." in asked
    assert "has a mail of yours" not in asked


@pytest.mark.parametrize("answered", ["<unknown@play.example.org>", None])
def test_a_mail_to_the_sender_address_that_answers_no_letter_is_ignored(
    context, game, carrier, name, answered
):
    letter = last_letter(context, carrier, name)
    mail = answering(letter, "draw", **{"To": "alexandros@example.org", "In-Reply-To": answered or ""})
    take(context, mail)
    assert states(context)[-1][0] == MailState.IGNORED


def test_a_mail_of_a_stranger_to_the_sender_address_is_ignored(context, game, carrier, name):
    letter = last_letter(context, carrier, name)
    take(context, answering(letter, "draw", sender="dirk@example.org", To="alexandros@example.org"))
    assert states(context)[-1][0] == MailState.IGNORED


@pytest.mark.parametrize("office", ["new", "postmaster", "bounce"])
def test_another_address_of_ours_stays_so_as_the_sender_address(context, game, carrier, name, turn, office):
    address = f"{office}@play.example.org"
    settings = context.settings.model_copy(update={"mail_from": f"Alexandros <{address}>"})
    letter = last_letter(context, carrier, name)
    led = Context(settings, context.database, context.links)
    intake.store_mail(led, f"{name.lower()}@example.org", address, bytes(answering(letter, turn[0])), NOON)
    dispatch.process_waiting_mail(led, NOON)
    assert last_letter(context, carrier, name)["X-Alexandros"] != "asked_back"


def test_in_reply_to_names_the_letter_below_many_references(context, game, carrier, name, turn):
    letter = last_letter(context, carrier, name)
    others = " ".join(f"<{number}@mua.example.org>" for number in range(20))
    mail = answering(letter, turn[0], To="alexandros@example.org", References=others)
    take(context, mail)
    assert last_letter(context, carrier, name)["X-Alexandros"] == "asked_back"


@pytest.mark.parametrize(("answer", "games"), [("yes", 1), ("2", 2)])
def test_who_asks_for_no_more_mails_is_asked_which_and_one_answer_stops_them(
    context, game, carrier, name, answer, games
):
    other = context.start_game(name, "Cleo")
    reply(context, last_letter(context, carrier, name), "remove me")
    send_due_letters(context, carrier, NOON)
    asked = [one for one in carrier.to(name) if one["X-Alexandros"] == "asked_back"][-1]
    reply(context, asked, answer)
    send_due_letters(context, carrier, NOON)
    assert [wants_letters(context, one, name) for one in (game, other)].count(False) == games


def wants_letters(context, game, name):
    with context.reading() as session:
        return load_preferences(session, context.player_of(game, context.seat_of(game, name)), game).letters


@pytest.mark.parametrize("head", ["", "Auto-Submitted: auto-generated\n"])
def test_a_mail_of_a_program_to_the_stop_address_stops_the_mails(context, game, carrier, name, head):
    letter = last_letter(context, carrier, name)
    stop = re.search(r"mailto:([^?>]+)", str(letter["List-Unsubscribe"]))[1]
    raw = f"From: {letter['To']}\nTo: {stop}\nSubject: unsubscribe\nMessage-ID: <stop@x.example>\n{head}\n"
    intake.store_mail(context, f"{name.lower()}@example.org", stop, raw.encode(), NOON)
    dispatch.process_waiting_mail(context, NOON)
    assert not wants_letters(context, game, name)


COMPLAINT = """\
From: <fbl@isp.example.net>
Subject: complaint
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="b1"

--b1
Content-Type: text/plain

This is an email abuse report.

--b1
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: FBL/1.0
Version: 1

--b1--
"""


def test_a_complaint_about_a_letter_stops_the_mails_of_its_game(context, game, carrier, name):
    letter = last_letter(context, carrier, name)
    bounce = carrier.envelopes[carrier.mails.index(letter)][0]
    intake.store_mail(context, "fbl@isp.example.net", bounce, COMPLAINT.encode(), NOON)
    dispatch.process_waiting_mail(context, NOON)
    assert states(context)[-1] == (MailState.PLAYED, UNWANTED)
    assert not wants_letters(context, game, name)


@pytest.mark.parametrize("sign", ["\u202c", "\u200b", "\u200e", ">", "."])
def test_a_link_with_a_sign_behind_it_is_opened(context, game, carrier, name, place, sign):
    link = re.search(r"http://127.0.0.1:8000(/t/\w+)", words_of(last_letter(context, carrier, name)))[1]
    page = place.app.test_client().get(link + sign, follow_redirects=True)
    assert page.status_code == 200
