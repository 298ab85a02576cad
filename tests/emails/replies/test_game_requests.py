"""A mail asks for a game: what is understood of it, in English and in Dutch, and what is said not to be."""

from dataclasses import replace
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emails.i18n import Locale, use_locale
from emails.letters.lobby_letters import (
    GameRequest,
    Guest,
    describe_unread,
    game_request_from_json,
    game_request_to_json,
    validate_game_request,
)
from emails.replies import game_requests
from emails.replies.parsed_mail import parse_mail
from emails.terms import TURN_TIMES, USUAL_TIME, Caretaker, Tempo
from tests.breadth import times
from tests.emails.replies.test_phrases import GROUPS, cases

ANNA, BEN = Guest("Anna", "anna@example.org"), Guest("Ben", "ben@example.org")
CLEO, DIRK = Guest("Cleo", "cleo@example.org"), Guest("Dirk", "dirk@example.org")
DOMAIN = "play.example.org"
NEW = f"new@{DOMAIN}"


def mail(text: str, *, subject: str = "", to: str = NEW, cc: str = "", html: bool = False, sender: str = ""):
    made = EmailMessage()
    made["From"] = sender or "Anna <anna@example.org>"
    made["To"] = to
    if cc:
        made["Cc"] = cc
    made["Subject"] = subject
    made.set_content(text, subtype="html" if html else "plain")
    return bytes(made)


def read(text: str, before: GameRequest | None = None, usual: str = "en", **more) -> GameRequest:
    raw = mail(text, **more)
    writer = game_requests.find_sender(parse_mail(raw))
    assert writer is not None
    return game_requests.read_game_request(
        parse_mail(raw), before.organiser if before else writer, DOMAIN, before, usual
    )


LIVELY, LIVE, FAST = (TURN_TIMES[one] for one in (Tempo.LIVELY, Tempo.LIVE, Tempo.FAST))


def test_whoever_gets_the_mail_too_plays_too():
    found = read(
        "12 hours", to=f"{NEW}, Ben <ben@example.org>", cc=f"Cleo <cleo@example.org>, nieuw@{DOMAIN}"
    )
    assert found.guests == (BEN, CLEO)
    assert read("without Cleo", to=f"{NEW}, Ben <ben@example.org>", cc="Cleo <cleo@example.org>").guests == (
        BEN,
    )


@pytest.mark.parametrize(
    "subject", ["", "New game", "a new game of Alexandros, please", "Nieuw spel", "Re: new", "(no subject)"]
)
def test_a_subject_that_only_asks_for_a_game_is_no_name(subject):
    assert read("house", subject=subject).name == ""


def test_any_other_subject_is_the_name_unless_the_mail_gives_one():
    assert read("house", subject="Re: Friday night").name == "Friday night"
    assert read("name: Spring", subject="Friday night").name == "Spring"
    assert len(read("house", subject="Friday " * 30).name) <= 40


def test_a_game_without_a_name_is_its_organisers():
    assert read("").title == "Anna's game"
    with use_locale(Locale("nl")):
        assert read("").title == "Het spel van Anna"
    assert len(read("", sender=f"{'Anna' * 20} <anna@example.org>").title) <= 40


def test_the_language_is_the_writers_where_it_is_clear():
    assert read("Ik wil graag spelen").language == "nl"
    assert read("I want to play", usual="nl").language == "en"
    assert read("ben@example.org", usual="nl").language == "nl"
    assert (
        read("house", subject="Nieuw spel").language == "nl"
        or read("", subject="Nieuw spel").language == "nl"
    )


def test_html_alone_is_read_too():
    page = "<div>Ben &lt;<a href='mailto:ben@example.org'>ben@example.org</a>&gt;<br>the house</div>12 hours"
    found = read(page, html=True)
    assert (found.guests, found.houses, found.time, found.unread) == ((BEN,), ("steady",), LIVELY, ())


# --- an answer --------------------------------------------------------------------------------------------

ASKED = GameRequest(
    ANNA, (BEN, CLEO), houses=("steady",), name="Friday", time=LIVELY, language="nl", unread=("x",)
)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("48 hours", {"time": USUAL_TIME}),
        ("pace: lively", {"time": LIVELY}),
        ("Dirk <dirk@example.org>", {"guests": (BEN, CLEO, DIRK)}),
        ("without Ben", {"guests": (CLEO,)}),
        ("zonder cleo@example.org", {"guests": (BEN,)}),
        ("zonder Ben <ben@example.org>, met Dirk <dirk@example.org>", {"guests": (CLEO, DIRK)}),
        ("Ben <ben@new.example.org>", {"guests": (CLEO, Guest("Ben", "ben@new.example.org"))}),
        ("Bennie <ben@example.org>", {"guests": (Guest("Bennie", "ben@example.org"), CLEO)}),
        ("ben@example.org", {}),
        ("no house", {"houses": ()}),
        ("huis: geen", {"houses": ()}),
        ("2 huizen", {"houses": ("steady", "steady")}),
        ("house: strong", {"houses": ("strong",)}),
        ("no advice", {"advice": False}),
        ("note: see you", {"note": "see you"}),
        ("quiet caretaker", {"caretaker": Caretaker.QUIET}),
        ("in English", {"language": "en"}),
        ("name: Spring", {"name": "Spring"}),
        ("I am Annie", {"organiser": Guest("Annie", "anna@example.org")}),
        ("without Dirk", {"unread": ("without Dirk",)}),
        ("ja", {}),
    ],
)
def test_an_answer_changes_what_it_mentions_and_nothing_else(text, changes):
    expected = {name: getattr(ASKED, name) for name in GameRequest.__slots__} | {"unread": ()} | changes
    assert read(text, ASKED, subject="Re: Alexandros: Friday") == GameRequest(**expected)


@pytest.mark.parametrize(
    "text", ["yes", "Yes!", "Ja", "ja graag", "OK.", "Hi,\n\nyes please\n\nAnna", "Akkoord\n\nGroeten"]
)
def test_a_yes_opens(text):
    assert game_requests.accepts_proposal(parse_mail(mail(text)), None)


@pytest.mark.parametrize(
    "text", ["", "no", "yes and no", "I am away until Monday", "> yes", "nee", "yesterday"]
)
def test_anything_else_does_not(text):
    assert not game_requests.accepts_proposal(parse_mail(mail(text)), None)


# --- what is missing --------------------------------------------------------------------------------------


def test_each_thing_that_is_wrong_is_a_sentence_in_the_language_spoken():
    alone = read("")
    assert validate_game_request(alone) == (
        "A game needs one other player at least: somebody with a mail address, or the house.",
    )
    crowd = read("ben@example.org, cleo@example.org, dirk@example.org, the house")
    crowd = replace(crowd, note="Look at example.com")
    assert len(validate_game_request(crowd)) == 2
    assert "5" in validate_game_request(crowd)[0]
    twice = read("Ben ben@example.org, Ben ben@other.example.org, Ben ben@third.example.org")
    assert validate_game_request(twice) == ("Two players are called Ben: give them names that differ.",)
    english = [
        *validate_game_request(alone),
        *validate_game_request(crowd),
        *validate_game_request(twice),
        *describe_unread(read("x@@y")),
    ]
    with use_locale(Locale("nl")):
        dutch = [
            *validate_game_request(alone),
            *validate_game_request(crowd),
            *validate_game_request(twice),
            *describe_unread(read("x@@y")),
        ]
    assert not {*english} & {*dutch}
    assert not validate_game_request(read("house"))


def test_only_one_person_who_can_be_answered_is_a_writer():
    for sender in ("anna@example.org, ben@example.org", "Anna", "anna@", "<>", "a b@example.org"):
        assert game_requests.find_sender(parse_mail(f"From: {sender}\nTo: {NEW}\n\nhouse".encode())) is None
    assert game_requests.find_sender(parse_mail(f"To: {NEW}\n\nhouse".encode())) is None
    assert game_requests.find_sender(parse_mail(mail("", sender="anna@example.org"))) == Guest(
        "Anna", "anna@example.org"
    )


def test_a_list_without_end_is_bounded():
    many = "\n".join(f"Ben{number} ben{number}@example.org nonsense" for number in range(5000))
    found = read(many)
    assert len(found.guests) <= 12
    assert len(found.unread) <= 8
    assert all(len(line) <= 300 for line in found.unread)
    assert validate_game_request(found)


def test_requests_can_be_stored():
    group = GROUPS["games: in-english"]
    for _, text, _ in cases(group):
        assert game_request_from_json(game_request_to_json(read(text))) == read(text)


PIECES = st.sampled_from(
    (
        'Ben ben@example.org <b@c> name: house 2 days without zonder “ ” " < > @ , ; ( ) [ ] ik ben '
        "I am in het Dutch a@a.b"
    ).split()
)


@settings(max_examples=times(3))
@given(st.lists(PIECES | st.text(max_size=8), max_size=40), st.sampled_from([" ", "", "\n"]))
def test_any_mail_is_read(pieces, between):
    raw = f"From: anna@example.org\nSubject: x\nTo: {NEW}\n\n{between.join(pieces)}".encode(
        "utf-8", "replace"
    )
    found = game_requests.read_game_request(parse_mail(raw), ANNA, DOMAIN)
    assert game_request_from_json(game_request_to_json(found)) == found
    assert all(
        name and len(name) <= 40 and name.isprintable() for name in (guest.name for guest in found.guests)
    )
    game_requests.accepts_proposal(parse_mail(raw), None)


@pytest.mark.parametrize(
    "line",
    ["a" * 700, "@" * 700, "a@" * 350, "Ben " * 170 + "@", "<" * 350 + "@", "without " * 90, "a " * 350],
)
def test_no_line_takes_long(line):
    read("\n".join([line] * 190))
