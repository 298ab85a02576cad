"""A mail asks for a game: what is understood of it, in English and in Dutch, and what is said not to be."""

from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emails.i18n import Locale, use_locale
from emails.letters import lobby_letters
from emails.replies import game_requests
from emails.replies.parsed_mail import Mail
from tests.breadth import times
from tests.emails.phrasebook import cases
from tests.emails.replies.desk import DOMAIN
from tests.emails.replies.test_phrases import GROUPS, WRITER, ask_game

NEW = f"new@{DOMAIN}"


def test_a_subject_that_is_the_name_is_cut():
    assert len(ask_game("house", Subject="Friday " * 30).name) <= 40


def test_a_game_without_a_name_is_its_organisers():
    assert ask_game("").title == "Anna's game"
    with use_locale(Locale("nl")):
        assert ask_game("").title == "Het spel van Anna"
    assert len(ask_game("", From=f"{'Anna' * 20} <anna@example.org>").title) <= 40


# --- what is missing --------------------------------------------------------------------------------------


def test_each_thing_that_is_wrong_is_a_sentence_in_the_language_spoken():
    alone = ask_game("")
    assert lobby_letters.validate_game_request(alone) == (
        "A game needs one other player at least: somebody with a mail address, or the house.",
    )
    crowd = ask_game("ben@example.org, cleo@example.org, dirk@example.org, the house")
    crowd = replace(crowd, note="Look at example.com")
    assert len(lobby_letters.validate_game_request(crowd)) == 2
    assert "5" in lobby_letters.validate_game_request(crowd)[0]
    twice = ask_game("Ben ben@example.org, Ben ben@other.example.org, Ben ben@third.example.org")
    [fault] = lobby_letters.validate_game_request(twice)
    assert fault == "Two players are called Ben: give them names that differ."

    def said(language: str) -> set[str]:
        with use_locale(Locale(language)):
            faults = chain.from_iterable(map(lobby_letters.validate_game_request, (alone, crowd, twice)))
            return {*faults, *lobby_letters.describe_unread(ask_game("x@@y"))}

    assert not said("en") & said("nl")
    assert not lobby_letters.validate_game_request(ask_game("house"))


def test_only_one_person_who_can_be_answered_is_a_writer():
    for sender in ("anna@example.org, ben@example.org", "Anna", "anna@", "<>", "a b@example.org"):
        assert game_requests.find_sender(Mail(f"From: {sender}\nTo: {NEW}\n\nhouse".encode())) is None
    assert game_requests.find_sender(Mail(f"To: {NEW}\n\nhouse".encode())) is None
    assert ask_game("", From="anna@example.org").organiser == WRITER


def test_a_list_without_end_is_bounded():
    many = "\n".join(f"Ben{number} ben{number}@example.org nonsense" for number in range(5000))
    found = ask_game(many)
    assert len(found.guests) <= 12
    assert len(found.unread) <= 8
    assert all(len(line) <= 300 for line in found.unread)
    assert lobby_letters.validate_game_request(found)


def test_requests_can_be_stored():
    group = GROUPS["games: in-english"]
    for _, text, _ in cases(group):
        stored = lobby_letters.game_request_to_json(ask_game(text))
        assert lobby_letters.game_request_from_json(stored) == ask_game(text)


PIECES = st.sampled_from(
    (
        'Ben ben@example.org <b@c> name: house 2 days without zonder “ ” " < > @ , ; ( ) [ ] ik ben '
        "I am in het Dutch a@a.b"
    ).split()
)


@settings(max_examples=times(3))
@given(st.lists(PIECES | st.text(max_size=8), max_size=40), st.sampled_from([" ", "", "\n"]))
def test_any_mail_is_read(pieces, between):
    text = f"From: anna@example.org\nSubject: x\nTo: {NEW}\n\n{between.join(pieces)}"
    raw = text.encode("utf-8", "replace")
    found = game_requests.read_game_request(Mail(raw), WRITER, DOMAIN)
    assert lobby_letters.game_request_from_json(lobby_letters.game_request_to_json(found)) == found
    names = [guest.name for guest in found.guests]
    assert all(name and len(name) <= 40 and name.isprintable() for name in names)
    game_requests.accepts_proposal(Mail(raw), None)


@pytest.mark.parametrize(
    "line",
    ["a" * 700, "@" * 700, "a@" * 350, "Ben " * 170 + "@", "<" * 350 + "@", "without " * 90, "a " * 350],
)
def test_no_line_takes_long(line):
    ask_game("\n".join([line] * 190))
