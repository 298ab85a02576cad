"""The table of screening, row by row: what is played, what is answered, what is neither."""

import random
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.replies.parsed_mail import parse_mail
from emails.replies.screening import (
    ENDED_ROWS,
    LARGEST_MAIL,
    REPLY,
    SCREENING_RULES,
    AddressEnd,
    MailFacts,
    Screening,
    screen_mail,
)
from emails.tokens import OWN_HEADER
from tests.bounded import quickest

MAILS = Path(__file__).parent / "mails"
ANNA = "anna@example.org"
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


def test_the_rows_and_their_order() -> None:
    assert [(one.name, one.fate) for one in SCREENING_RULES] == [
        ("own", "ignored"),
        ("bounce", "returned"),
        ("automatic", "ignored"),
        ("list", "ignored"),
        ("unknown", "ignored"),
        ("double", "ignored"),
        ("too many", "ignored"),
        ("told before", "ignored"),
        ("echo", "ignored"),
        ("oversize", "told"),
        ("set back", "told"),
        ("withdrawn", "told"),
        ("author", "told"),
        ("stranger", "told"),
        ("finished", "told"),
        ("called off", "told"),
        ("silent", "told"),
        ("unproven", "asked"),
        ("expired", "heard"),
    ]


def test_each_row_has_its_own_sentence() -> None:
    sentences = [one.sentence for one in SCREENING_RULES]
    assert len(set(sentences)) == len(SCREENING_RULES)
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in sentences)


@pytest.mark.parametrize("file", sorted(MAILS.glob("*.eml")), ids=lambda file: file.stem)
def test_a_player_s_reply_passes(file: Path) -> None:
    row = screen_mail(parse_mail(file.read_bytes(), ANNA), MailFacts()).row
    assert row == ("automatic" if file.stem == "calendar-alone" else REPLY.row)
    assert REPLY.fate == "played"


@pytest.mark.parametrize("fact", sorted({field.name for field in fields(MailFacts)} - {"refusal", "end"}))
def test_each_fact_has_its_row(fact: str) -> None:
    found = verdict(facts=replace(NO_FACTS, **{fact: True}))
    assert found.row == fact.replace("_", " ")
    assert found.fate != "played"


@pytest.mark.parametrize("end", AddressEnd)
def test_each_end_of_an_address_has_its_row(end: AddressEnd) -> None:
    found = verdict(facts=MailFacts(end=end))
    assert (found.row, found.fate) == (end, "told")
    assert found.row in ENDED_ROWS


def test_who_is_told_once_that_his_mail_came_from_elsewhere_is_not_told_again() -> None:
    assert verdict(facts=MailFacts(refusal=True)).fate == "played"
    assert verdict(facts=MailFacts(stranger=True)).fate == "told"
    assert verdict(facts=MailFacts(stranger=True, refusal=True)).row == "echo"
    large = b"From: anna@example.org\r\n\r\n" + b"x" * LARGEST_MAIL
    assert screen_mail(parse_mail(large, ANNA), MailFacts(refusal=True)).row == "echo"


def test_of_an_older_letter_only_the_orders_have_passed() -> None:
    assert verdict(facts=MailFacts(expired=True)).fate == "heard"
    assert verdict(facts=MailFacts(expired=True, stranger=True)).fate == "told"


@pytest.mark.parametrize(
    "lines",
    [
        "",
        "From: \n",
        "From: Anna\n",
        "From: undisclosed-recipients:;\n",
        "From: anna@example.org, ben@example.org\n",
        "From: Ben <ben@example.org>, Anna <anna@example.org>\n",
        "From: Anna <anna@example.org> <ben@example.org>\n",
        "From: anna@example.org <ben@example.org>\n",
        "From: anna@example.org,\n ben@example.org\n",
        "From: all: anna@example.org, ben@example.org;\n",
        "From: anna@example.org\nFrom: ben@example.org\n",
        "From: anna@example.org\nfrom: anna@example.org\n",
        "From: anna@example.org\nFROM:\n",
        "From: anna@\n",
        "From: @example.org\n",
    ],
)
def test_a_mail_that_does_not_name_one_address_as_its_sender_is_told_of(lines: str) -> None:
    raw = f"{lines}Subject: Re: Larissa war\nMessage-ID: <1@example.org>\n\ndraw\n".encode()
    found = screen_mail(parse_mail(raw, ANNA), NO_FACTS)
    assert (found.row, found.fate) == ("author", "told")
    assert screen_mail(parse_mail(raw, ANNA), MailFacts(refusal=True)).row == "echo"


@pytest.mark.parametrize(
    "written",
    [
        "anna@example.org",
        "ANNA@Example.ORG",
        "<anna@example.org>",
        '"Anna, of Larissa" <anna@example.org>',
        "Anna (ben@example.org) <anna@example.org>",
        '"ben@example.org" <anna@example.org>',
        "anna@example.org <anna@example.org>",
        "Smith, Anna <anna@example.org>",
        "=?utf-8?q?Anna=2C_ben=40example=2Eorg?= <anna@example.org>",
        "Anna\r\n <anna@example.org>",
    ],
)
def test_the_author_is_the_one_address_in_from_whatever_stands_around_it(written: str) -> None:
    mail = parse_mail(f"From: {written}\r\n\r\ndraw\r\n".encode(), ANNA)
    assert mail.headers.author == ANNA
    assert screen_mail(mail, NO_FACTS) == REPLY


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


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "multipart/report; report-type=delivery-status; boundary=b"},
        {"Content-Type": "Multipart/Report; boundary=b"},
        {"From": "Mail Delivery System <MAILER-DAEMON@example.org>"},
        {"X-Failed-Recipients": "ben@example.org"},
        {"Subject": "Undelivered Mail Returned to Sender"},
        {"Subject": "Delivery Status Notification (Failure)"},
        {"Subject": "=?utf-8?q?Unzustellbar=3A_Larissa_war?="},
        {"Subject": "Onbestelbaar: Larissa war"},
    ],
)
def test_a_bounce(headers: dict[str, str]) -> None:
    assert row(headers) == "bounce"


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


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "auto-replied"},
        {"Auto-Submitted": "auto-generated"},
        {"Auto-Submitted": "auto-notified; owner-email=anna@example.org"},
        {"Auto-Submitted": "nonsense"},
        {"Precedence": "bulk"},
        {"Precedence": "Junk"},
        {"Precedence": "list"},
        {"Precedence": "auto_reply"},
        {"X-Autoreply": "yes"},
        {"X-Autorespond": "Larissa war"},
        {"From": "No Reply <no-reply@example.org>"},
        {"From": "noreply@example.org"},
        {"From": "postmaster@example.org"},
        {"Sender": "game-bounces@example.org"},
    ],
)
def test_a_program_wrote_it(headers: dict[str, str]) -> None:
    assert row(headers) == "automatic"


@pytest.mark.parametrize("name", ["home-owner", "owner-bob", "x-request"])
def test_a_person_may_be_called_like_the_program_of_a_list(name: str) -> None:
    address = f"{name}@example.org"
    assert verdict({"From": f"Anna <{address}>"}, address) == REPLY
    assert row({"From": f"Anna <{address}>", "Precedence": "first-class"}, address) == "automatic"
    assert row({"From": f"Anna <{address}>", "List-Help": "<mailto:x@example.org>"}, ANNA) == "automatic"
    assert row({}, address) == row({"Sender": address}) == "automatic"
    assert row({"From": f"Anna <{address}>"}, "owner-list@example.org") == "automatic"


@pytest.mark.parametrize(
    "subject",
    """
    Automatic reply: Larissa war
    Auto-Reply: away
    Autoreply
    Auto: Larissa war
    Out of office
    Out of the Office Re: Larissa war
    OUT-OF-OFFICE
    Vacation reply
    Automatisch antwoord: Larissa war
    Afwezig: Larissa war
    Afwezigheidsbericht
    Automatische Antwort: Larissa war
    Abwesenheitsnotiz
    Réponse automatique : Larissa war
    =?utf-8?q?R=C3=A9ponse_automatique?=
    =?iso-8859-1?q?R=E9ponse_automatique?=
    Absence: Larissa war
    Respuesta automática: Larissa war
    Risposta automatica: Larissa war
    Autosvar: Larissa war
    """.strip().splitlines(),
)
def test_a_program_wrote_it_by_its_subject(subject: str) -> None:
    assert row({"Subject": subject.strip()}) == "automatic"


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "no"},
        {"Auto-Submitted": "No (a person)"},
        {"Precedence": "first-class"},
        {"X-Auto-Response-Suppress": "All"},
        {"Subject": "Re: Automatic reply"},
        {"Subject": "Re: Out of office war"},
        {"Subject": "Automobiles of Larissa"},
        {"Subject": "Absent friends"},
        {"Subject": "=?utf-8?q?broken"},
        {"Subject": "=?utf-8?b?a?="},
        {"Subject": "=?x-nothing?q?R=C3=A9?="},
        {"Importance": "low"},
        {"Return-Path": "<>"},
    ],
)
def test_a_person_wrote_it(headers: dict[str, str]) -> None:
    assert verdict(headers) == REPLY


# --- lists ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["List-Id", "List-Unsubscribe", "LIST-ID"])
def test_a_mailing_list(name: str) -> None:
    assert row({name: "<game.example.org>"}) == "list"


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
