"""What comes back is read in the form of each program, and nothing else is taken for it."""

import random
import re
import time

import pytest

from emails.replies.parsed_mail import Mail
from emails.replies.screening import parse_bounce, screen_mail
from tests.emails.replies.reports import FORMS, postfix

BEN, BACK = "Ben@example.org", "bounce+aaaaaaaaaaaaaaaaaa@play.example.org"
ID, ANSWER = "<abcdefgh.3.1.turn@play.example.org>", "play+abcdefghij@play.example.org"


def crlf(text):
    return text.replace("\n", "\r\n").encode()


def told(text, suspected=True):
    return parse_bounce(Mail(crlf(text)), suspected)


def report(*blocks, kind="delivery-status", report_type=""):
    status = "\n\n".join(("Reporting-MTA: dns; mx.example.org", *blocks))
    head = f"Content-Type: multipart/report; report-type={report_type or kind}; boundary=xx"
    parts = f"--xx\nContent-Type: text/plain\n\nIt failed.\n--xx\nContent-Type: message/{kind}\n\n{status}"
    return f"From: MAILER-DAEMON@mx.example.org\n{head}\n\n{parts}\n\n--xx--\n"


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_each_program_tells_who_which_and_for_good_whatever_ends_its_lines(form):
    text = form(BEN, BACK, ID, ANSWER)
    found = told(text)
    assert (found.address, found.fate) == ("ben@example.org", "failed")
    assert (found.message_id, found.reply_to) == (ID, ANSWER)
    assert found.reason.isprintable()
    assert len(found.reason) <= 200
    assert parse_bounce(Mail(text.encode()), True) == found


@pytest.mark.parametrize("folded", ["\n Alexandros <", " Alexandros\n <", "\n <", "\n Alexandros\n <"])
def test_the_reply_address_may_be_on_another_line(folded):
    text = postfix(BEN, BACK, ID, ANSWER)
    (line,) = re.findall("^Reply-To:.*", text, re.MULTILINE)
    assert told(text.replace(line, f"Reply-To:{folded}{ANSWER}>")).reply_to == ANSWER


def test_the_reason_is_the_servers_own():
    assert "User unknown" in told(postfix(BEN, BACK, ID, ANSWER)).reason
    assert told(FORMS[3](BEN, BACK, ID, ANSWER)).reason == "Sorry, no mailbox here by that name. (#5.1.1)"


@pytest.mark.parametrize(
    ("action", "status", "fate"),
    [
        ("failed", "5.1.1", "failed"),
        ("failed", "4.4.7", "failed"),  # given up after days
        ("Failed (no such user)", "5.0.0", "failed"),
        ("delayed", "4.4.1", "delayed"),
        ("delayed", "5.4.1", "delayed"),
        ("delivered", "2.0.0", "delivered"),
        ("relayed", "2.1.5", "delivered"),
        ("expanded", "2.1.5", "delivered"),
        ("strange", "5.1.1", "failed"),
        ("strange", "4.4.1", "delayed"),
    ],
)
def test_a_report_says_what_became_of_a_letter(action, status, fate):
    assert told(postfix(BEN, BACK, ID, ANSWER, action, status)).fate == fate


def test_of_several_addresses_the_one_that_failed_counts():
    forwarded = "Original-Recipient: rfc822;ben@example.org\nFinal-Recipient: rfc822; b@elsewhere.example\n"
    expanded = "Final-Recipient: rfc822; list@example.org\nAction: expanded\nStatus: 2.0.0"
    delayed = "Final-Recipient: rfc822; a@example.org\nAction: delayed\nStatus: 4.0.0"
    found = told(report(expanded, delayed, f"{forwarded}Action: failed\nStatus: 5.0.0"))
    assert (found.address, found.fate) == ("ben@example.org", "failed")


def test_an_address_beyond_ascii_is_read_too():
    block = "Final-Recipient: utf-8; bén@example.org\nAction: failed\nStatus: 5.1.1"
    found = told(report(block, kind="global-delivery-status", report_type="delivery-status"))
    assert found.address == "bén@example.org"


def test_a_report_is_one_although_it_calls_itself_an_answer():
    """Screening may take that for automatic; a report for machines says enough itself."""
    assert told(postfix(BEN, BACK, ID, ANSWER), suspected=False).fate == "failed"


ORDINARY = {
    "a person": "From: Ben <ben@example.org>\nSubject: Re: your turn\n\nchoose lyre\n",
    "a note that it was read": report(
        "Final-Recipient: rfc822;ben@example.org\nDisposition: manual-action/MDN-sent-manually; displayed",
        kind="disposition-notification",
    ),
    "a complaint": report("Feedback-Type: abuse", kind="feedback-report"),
    "a report about nobody": report(),
    "an empty report": "Content-Type: multipart/report; report-type=delivery-status; boundary=x\n\n",
    "a report that a person passes on": "Content-Type: multipart/mixed; boundary=yy\n\n--yy\n"
    "Content-Type: message/rfc822\n\n" + postfix(BEN, BACK, ID, ANSWER) + "\n--yy--\n",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_what_is_none(name):
    assert told(ORDINARY[name], suspected=False) is None


def test_an_odd_form_counts_only_from_a_mail_that_looks_like_one():
    text = FORMS[3](BEN, BACK, ID, ANSWER)
    assert told(text, suspected=False) is None
    assert screen_mail(Mail(crlf(text))).fate == "returned"
    holiday = "Auto-Submitted: auto-replied\nSubject: Out of office\n\nI am away.\n"
    assert screen_mail(Mail(crlf(f"From: {BEN}\n{holiday}"))).fate != "returned"


@pytest.mark.parametrize(
    "words",
    [
        "I am on holiday until Monday. In urgent cases write to dirk@example.org.",
        "Ik ben afwezig tot maandag.\nVoor vragen: dirk@example.org",
        "Your mail to ben@example.org was received. We shall answer soon.",
    ],
)
def test_an_absent_player_is_none_even_without_a_sender(words):
    assert told(f"From: Ben <ben@example.org>\nSubject: Re: your turn\n\n{words}\n") is None


@pytest.mark.parametrize("seed", range(40))
def test_damaged_reports_raise_nothing(seed):
    lots = random.Random(seed)
    for form in FORMS:
        data = bytearray(crlf(form(BEN, BACK, ID, ANSWER)))
        for _ in range(30):
            at = lots.randrange(len(data))
            data[at : at + lots.randrange(3)] = bytes([lots.randrange(256)])
        parse_bounce(Mail(bytes(data)), True)


HOSTILE = {
    "blocks": report(*["Final-Recipient: rfc822; a@b.example\nAction: delivered"] * 40_000),
    "blocks that are read": report(*["Final-Recipient: rfc822; a@b.example\nAction: delivered"] * 4_500),
    "fields": report("\n".join(f"X-{number}: {'a' * 90}" for number in range(40_000))),
    "one line": report("Action: failed\nFinal-Recipient: " + "a;" * 200_000),
    "an address": report("Action: failed\nFinal-Recipient: rfc822; " + "a" * 100_000 + "@" * 50_000),
    "folds": report("Action: failed\nDiagnostic-Code:" + "\n  a" * 60_000),
    "parts": "Content-Type: multipart/report; boundary=x\n\n" + "--x\nContent-Type: text/plain\n\n" * 50_000,
    "nested": "".join(f"Content-Type: multipart/report; boundary=x{n}\n\n--x{n}\n" for n in range(3000)),
    "lines": "Subject: failure notice\n\n" + "\n" * 250_000,
    "dashes": "Subject: failure notice\n\n" + "-" * 250_000,
    "ids": "Subject: failure notice\n\n" + "Message-ID: " * 20_000,
    "addresses": "Subject: failure notice\n\n" + "<a@b.example>:\n" * 17_000,
    "reply-to": "Subject: failure notice\n\n" + ("Reply-To: " + "a" * 90 + "\n") * 2_500,
    "reasons": "Subject: failure notice\n\n" + ("550 " * 60 + "\n") * 1_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_made_to_take_long_does_not(name):
    began = time.process_time()
    parse_bounce(Mail(crlf(HOSTILE[name])), True)
    assert time.process_time() - began < 1.5
