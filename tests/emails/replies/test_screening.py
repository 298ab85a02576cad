"""Screening and headers: what is played, answered or neither; corpus/phrases/headers.toml has more."""

from __future__ import annotations

import base64
import random
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.replies.headers import LONGEST_HEADER, DmarcResult, own_values, parse_headers, read_dmarc_result
from emails.replies.parsed_mail import parse_mail
from emails.replies.reply_reader import read_reply
from emails.replies.screening import (
    ENDED_ROWS,
    LARGEST_MAIL,
    MailFacts,
    Screening,
    ScreeningRow,
    screen_mail,
)
from emails.tokens import OWN_HEADER
from tests.bounded import quickest
from tests.emails.replies.desk import ANNA, GAME

MAILS = Path(__file__).parent / "mails"
HEADERS = {
    "From": "Anna <anna@example.org>",
    "Subject": "Re: Larissa war",
    "Message-ID": "<1@example.org>",
    "Content-Type": "text/plain",
}


NOTHING: dict[str, str] = {}
NO_FACTS = MailFacts()


def verdict(
    headers: dict[str, str] = NOTHING, envelope_from: str = ANNA, facts: MailFacts = NO_FACTS
) -> Screening:
    raw = "".join(f"{name}: {value}\r\n" for name, value in (HEADERS | headers).items()) + "\r\ndraw\r\n"
    return screen_mail(parse_mail(raw.encode(), envelope_from), facts)


def row(headers: dict[str, str] = NOTHING, envelope_from: str = ANNA) -> str:
    return verdict(headers, envelope_from).row


# --- the table ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", sorted(MAILS.glob("*.eml")), ids=lambda file: file.stem)
def test_a_player_s_reply_passes(file: Path) -> None:
    row = screen_mail(parse_mail(file.read_bytes(), ANNA), MailFacts()).row
    assert row == ("automatic" if file.stem == "calendar-alone" else "reply")


@pytest.mark.parametrize("fact", sorted({field.name for field in fields(MailFacts)} - {"refusal", "end"}))
def test_each_fact_has_its_row(fact: str) -> None:
    found = verdict(facts=replace(NO_FACTS, **{fact: True}))
    assert found.row == fact.replace("_", " ")
    assert found.fate != "played"


@pytest.mark.parametrize("end", sorted(ENDED_ROWS))
def test_each_end_of_an_address_has_its_row(end: ScreeningRow) -> None:
    found = verdict(facts=MailFacts(end=end))
    assert (found.row, found.fate) == (end, "told")


def test_who_is_told_once_that_his_mail_came_from_elsewhere_is_not_told_again() -> None:
    assert verdict(facts=MailFacts(refusal=True)).fate == "played"
    assert verdict(facts=MailFacts(stranger=True)).fate == "told"
    assert verdict(facts=MailFacts(stranger=True, refusal=True)).row == "echo"
    large = b"From: anna@example.org\r\n\r\n" + b"x" * LARGEST_MAIL
    assert screen_mail(parse_mail(large, ANNA), MailFacts(refusal=True)).row == "echo"


def test_of_an_older_letter_only_the_orders_have_passed() -> None:
    assert verdict(facts=MailFacts(expired=True)).fate == "heard"
    assert verdict(facts=MailFacts(expired=True, stranger=True)).fate == "told"


def test_what_is_never_answered_comes_before_what_is() -> None:
    every = MailFacts(unknown=True, double=True, too_many=True, stranger=True)
    assert verdict(facts=every).row == "unknown"
    assert verdict(facts=every).fate == "ignored"
    assert verdict({"Auto-Submitted": "auto-replied"}, facts=every).row == "automatic"


# --- size -----------------------------------------------------------------------------------------------


def test_a_large_mail_is_answered_unless_a_program_wrote_it() -> None:
    body = b"\r\n\r\n" + b"x" * LARGEST_MAIL
    assert screen_mail(parse_mail(b"From: anna@example.org" + body, ANNA), MailFacts()).row == "oversize"
    assert (
        screen_mail(parse_mail(b"Auto-Submitted: auto-replied" + body, ANNA), MailFacts()).row == "automatic"
    )


# --- what came back -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sender", ["", "<>", " "])
def test_no_envelope_sender_is_a_bounce(sender: str) -> None:
    assert row(envelope_from=sender) == "bounce"


def test_the_daemon_is_known_by_the_envelope_too() -> None:
    assert row(envelope_from="mailer-daemon@example.org") == "bounce"


def test_an_answer_by_a_program_is_no_bounce_though_its_sender_is_empty() -> None:
    """RFC 3834, section 3.3: such answers have an empty sender; the address is alive."""
    assert row({"Auto-Submitted": "auto-replied"}, "") == "automatic"
    assert (
        row({"Content-Type": "multipart/report; report-type=disposition-notification"}, "<>") == "automatic"
    )


# --- our own --------------------------------------------------------------------------------------------


def test_our_own_letter_is_known_by_its_header() -> None:
    assert verdict({OWN_HEADER: "turn"}).row == "own"


def test_a_letter_of_ours_without_its_mark_is_known_by_the_post_office() -> None:
    assert verdict(facts=MailFacts(own=True)).row == "own"


# --- programs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["home-owner", "owner-bob", "x-request"])
def test_a_person_may_be_called_like_the_program_of_a_list(name: str) -> None:
    address = f"{name}@example.org"
    assert row({"From": f"Anna <{address}>"}, address) == "reply"
    assert row({"From": f"Anna <{address}>", "Precedence": "first-class"}, address) == "automatic"
    assert row({"From": f"Anna <{address}>", "List-Help": "<mailto:x@example.org>"}, ANNA) == "automatic"
    assert row({}, address) == row({"Sender": address}) == "automatic"
    assert row({"From": f"Anna <{address}>"}, "owner-list@example.org") == "automatic"


# --- lists ----------------------------------------------------------------------------------------------


# --- anything -------------------------------------------------------------------------------------------


@given(st.binary(max_size=200), st.text(max_size=20))
def test_any_bytes_are_judged(raw: bytes, sender: str) -> None:
    assert screen_mail(parse_mail(raw, sender), MailFacts()).sentence
    assert screen_mail(
        parse_mail(b"From: " + raw + b"\nSubject: =?utf-8?b?" + raw, sender), MailFacts()
    ).sentence


def test_two_thousand_damaged_mails_are_judged() -> None:
    dice = random.Random(3)
    samples = [file.read_bytes()[:1500] for file in sorted(MAILS.glob("*.eml"))]
    for _ in range(2000):
        raw = bytearray(dice.choice(samples))
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(raw))
            raw[at : at + dice.choice((0, 1, 5))] = dice.choice(
                (b"", dice.randbytes(3), b"=?utf-8?q?", b"\n")
            )
        assert screen_mail(parse_mail(bytes(raw), ANNA), MailFacts()).sentence


@pytest.mark.parametrize(
    "piece",
    ["a:\n", "From: =?utf-8?q?a?= \n", "Subject: x\n y\n", "<", "@", "Precedence: x\n", "\n", "From: a@"],
)
@pytest.mark.parametrize("head", ["", "From: ", "Subject: vacation", "Content-Type: multipart/report;"])
def test_a_hostile_mail_takes_a_bounded_time(head: str, piece: str) -> None:
    raw = (head + piece * (300_000 // len(piece))).encode()
    assert quickest(lambda: screen_mail(parse_mail(raw, ANNA), MailFacts())) < 0.3


def people(*values: str, name: str = "From") -> list[tuple[str, str]]:
    raw = "".join(f"{name}: {value}\r\n" for value in values) + "\r\ndraw\r\n"
    return list(parse_headers(raw.encode()).people(name))


def test_everybody_is_named_in_the_order_of_the_headers() -> None:
    to = b"To: =?utf-8?q?Ren=C3=A9=2C_B?= <ben@example.org>,\n anna@example.org\n\n"
    raw = b"Cc: Cleo <cleo@example.org>\n" + to
    assert parse_headers(raw).people("to", "cc") == (
        ("René, B", "ben@example.org"),
        ("", ANNA),
        ("Cleo", "cleo@example.org"),
    )


def test_one_header_that_cannot_be_read_hides_no_other() -> None:
    assert people("(" * 1990, ANNA)[-1] == ("", ANNA)
    assert people("(" * 990 + ")" * 990, ANNA)[-1] == ("", ANNA)


@pytest.mark.parametrize(
    "value",
    [
        "=?utf-7?q?<+2AA-@x>?=",
        "=?raw_unicode_escape?q?=5Cud800=40?=",
        "=?unicode_escape?q?=5Cud800?=",
        "=?utf-8?q?=ED=A0=80?=",
        "=?utf-16?b?2AA=?=",
        "\\ud800 =?utf-8?q?x?=",
        "<\0@x>",
        "=?utf-8?q?=00?=x",
    ],
)
@pytest.mark.parametrize("name", ["Message-ID", "From", "In-Reply-To"])
def test_no_header_holds_what_no_database_takes(name: str, value: str) -> None:
    found = parse_headers(f"{name}: {value}\n\n".encode())
    named = [word for person in found.people(name) for word in person]
    for said in (found.first(name), *named):
        said.encode()
        assert "\0" not in said
    assert found.first(name)


def test_unencoded_words_beside_encoded_ones_are_read_as_they_stand() -> None:
    assert parse_headers("Subject: Zoë … =?utf-8?q?caf=C3=A9?=\n\n".encode()).first("subject") == "Zoë … café"


@pytest.mark.parametrize("piece", ["<", "(", ",", '"', "a@b,", "=?utf-8?q?", "\\", "[", ":;"])
def test_naming_takes_a_bounded_time(piece: str) -> None:
    raw = f"From: {piece * 2000}\n".encode() * 30 + b"\n"
    assert quickest(lambda: parse_headers(raw).people("from")) < 0.3


OURS = "mx.example.org"
PASS = f"Authentication-Results: {OURS}; dmarc=pass header.from=example.org"
FAIL = f"Authentication-Results: {OURS}; dmarc=fail (p=reject) header.from=example.org"
FOREIGN = "Authentication-Results: mx.example.net; dmarc=pass header.from=example.org"


def result(*headers: str, sender: str = "Anna <anna@example.org>", authserv: str = OURS) -> DmarcResult:
    """What a mail with these headers shows, which stand above From."""
    head = "\r\n".join((*headers, f"From: {sender}"))
    return read_dmarc_result(parse_headers(f"{head}\r\n\r\ndraw\r\n".encode()), authserv)


def test_only_a_pass_and_no_policy_need_no_other_proof() -> None:
    proven = {one for one in DmarcResult if not one.is_proof_lacking}
    assert proven == {DmarcResult.PASS, DmarcResult.NONE}
    long = f"{PASS}{'example.org' * LONGEST_HEADER}; ("
    assert result(long).is_proof_lacking


def test_those_of_others_are_left_out_wherever_they_stand() -> None:
    foreign_fail = FOREIGN.replace("pass", "fail")
    broken = "Authentication-Results: mx.example.net; dmarc=pass (("
    for headers in ((foreign_fail, PASS), (PASS, foreign_fail), (broken, PASS, broken), (PASS, "A: b")):
        assert result(*headers) is DmarcResult.PASS
        assert len(own_values(parse_headers("\n".join((*headers, "", "")).encode()), OURS)) == 1
    assert result(FOREIGN, FAIL, FOREIGN) is DmarcResult.FAIL


def test_other_methods_may_stand_in_headers_of_their_own() -> None:
    spf = f"Authentication-Results: {OURS}; spf=fail smtp.mailfrom=example.net"
    dkim = f"Authentication-Results: {OURS}; dkim=none"
    assert result(dkim, PASS, spf) is DmarcResult.PASS


def test_the_rules_of_a_domain_hold_for_those_below_it_and_names_may_be_written_in_two_ways() -> None:
    assert result(PASS, sender="anna@mail.example.org") is DmarcResult.PASS
    ascii_name = f"Authentication-Results: {OURS}; dmarc=pass header.from=xn--mnchen-3ya.example"
    assert result(ascii_name, sender="anna@münchen.example") is DmarcResult.PASS


# --- anything -------------------------------------------------------------------------------------------


@given(st.text(max_size=200))
def test_any_header_is_judged(value: str) -> None:
    assert isinstance(result(f"Authentication-Results: {value}"), DmarcResult)
    assert isinstance(result(f"Authentication-Results: {OURS}; {value}", PASS), DmarcResult)


def test_a_damaged_failure_never_becomes_a_proof() -> None:
    dice = random.Random(5)
    for _ in range(5000):
        text = list(FAIL)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len("Authentication-Results: "), len(text))
            text[at : at + dice.choice((0, 1, 3))] = dice.choice(
                ("", "(", ")", '"', ";", "=", "\\", " ", "\r\n ")
            )
        found = result("".join(text))
        assert found.is_proof_lacking, "".join(text)


@pytest.mark.parametrize("piece", ["(", ")", '"', ";", "a=b ", "dmarc=", "\\", "=", " ", "(\\", "a/1="])
def test_a_hostile_header_takes_a_bounded_time(piece: str) -> None:
    lines = [f"Authentication-Results: {OURS}; {piece * (1900 // len(piece))}"] * 30
    assert quickest(lambda: result(*lines)) < 0.3


ASKING_LETTER = "Anna, it is your turn.\n\nYou may draw.\n"
PLAYED, IGNORED, ASKED = "played", "ignored", "asked"


def fate(subject: str, headers: str, body: str) -> str:
    """What becomes of a mail that means to draw: it is read as that, asked about or ignored."""
    head = f"From: Anna <{ANNA}>\nSubject: {subject}\nMIME-Version: 1.0\n{headers}"
    mail = parse_mail(f"{head}\n{body}".encode(), ANNA)
    if screen_mail(mail, MailFacts()).fate == IGNORED:
        return IGNORED
    message = read_reply(mail, GAME, ASKING_LETTER, ("Anna", "Ben"))
    return PLAYED if message.lines == ("draw",) and not message.doubtful else ASKED


def part(kind: str, text: str) -> str:
    return f"--b\nContent-Type: {kind}\n\n{text}\n"


def encoded(text: str) -> str:
    return base64.encodebytes(text.encode()).decode()


MULTIPART = 'Content-Type: multipart/alternative; boundary="b"\n'
BASE64 = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64"
QUOTED = "".join(f"> {line}\n" for line in ASKING_LETTER.splitlines())
REACTION = part("text/plain", "draw") + part("text/vnd.google.email-reaction+json", "{}") + "--b--\n"
CALENDAR = part("text/plain", "draw") + part("text/calendar; method={}", "BEGIN:VCALENDAR") + "--b--\n"


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        # headers of auto-responders
        ("X-Mail-Autoreply: yes\n", "draw\n", IGNORED),
        ("X-Autoreply-From: anna@example.org\n", "draw\n", IGNORED),
        ("X-FC-MachineGenerated: true\n", "draw\n", IGNORED),
        ("X-POST-MessageClass: 9; Autoresponder\n", "draw\n", IGNORED),
        ("X-POST-MessageClass: 1; Mail\n", "draw\n", PLAYED),
        ("Delivered-To: Autoresponder\n", "draw\n", IGNORED),
        ("Delivered-To: autoresponder@example.org\n", "draw\n", PLAYED),
        ("Preference: auto_reply\n", "draw\n", IGNORED),
        ("X-Precedence: bulk\n", "draw\n", IGNORED),
        ("X-Precedence: first-class\n", "draw\n", PLAYED),
        # reactions by one tap, and answers of calendars
        (MULTIPART, REACTION, IGNORED),
        (MULTIPART, CALENDAR.format("REPLY"), IGNORED),
        (MULTIPART, CALENDAR.format("PUBLISH"), PLAYED),
        # encodings as gateways leave them
        (f"{BASE64} \n", encoded("draw\n"), PLAYED),
        (f"{BASE64}\n", encoded("draw\n\nBest wishes,\nAnna\n") + "\n____\nChecked by a gateway.\n", PLAYED),
        (f"{BASE64}\n", encoded("draw\n").rstrip("=\n") + "\n", ASKED),
        (f"{BASE64}\n", encoded("draw\n" + "\n" * 60 + "but wait\n").replace("\n", "\n\n", 1), ASKED),
        # copied headers of the old letter
        ("", f"draw\n\nFeladó: Alexandros\nElküldve: 3. nov. 2026\nCímzett: Anna\n\n{ASKING_LETTER}", PLAYED),
        ("", f"draw\n\nDe la: Alexandros\nTrimis: 3 nov. 2026\nCătre: Anna\n\n{ASKING_LETTER}", PLAYED),
        ("", f"draw\n\nOd: Alexandros\nPoslano: 3. 11. 2026\nZa: Anna\n\n{ASKING_LETTER}", PLAYED),
        ("", f"draw\n\nOd: Alexandros\nOdesláno: 3. 11. 2026\nKomu: Anna\n\n{ASKING_LETTER}", PLAYED),
        ("", f"draw\n\nOriginal Message\nFrom: Alexandros\nSent: 3 Nov 2026\n\n{ASKING_LETTER}", PLAYED),
        ("", f"draw\n\nZa: wait with this until Ben has answered\n\n{QUOTED}", ASKED),
        # signatures of programs
        ("", f"draw\n\nSent via Superhuman ( https://x.example/?vip={ANNA} )\n\n{QUOTED}", PLAYED),
        ("", f"draw\n\n从我的小米手机发送\n\n{QUOTED}", PLAYED),
        ("", f"draw\n\n不要\n\n{QUOTED}", ASKED),
    ],
)
def test_what_programs_add_is_known_and_what_people_write_is_read(
    headers: str, body: str, expected: str
) -> None:
    assert fate("Re: Larissa war", headers, body) == expected
