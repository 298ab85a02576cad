"""What is proposed for mails in people's own words: legal turns that agree with all that they say."""

import time
from unicodedata import normalize

import pytest

from emails.replies.clerk.mentions import is_slip
from engine.actions import Illegal
from engine.notation.grammar import read_canonical
from engine.rules import play_out
from tests.emails.phrasebook import cases
from tests.emails.positions import BOARD, first_card
from tests.emails.replies.clerk import (
    Mail,
    Outcome,
    Verdict,
    answer,
    judge,
    mails,
    points,
    position,
    propose_at,
    seen,
)
from tests.emails.replies.test_phrases import GROUPS

CARD, ACTIONS = "p01", "p04"
"""Decisions: before a card, and before the actions."""
EACH = 12
"""In the gate only each of so many replies is read."""


def orders(text: str, point: str, language: str = "en") -> list[str]:
    return ["; ".join(one.orders) for one in propose_at(text, point, language).readings]


def test_what_is_denied_is_not_propose_at() -> None:
    for text in ("levy please, not with the horse", "tax them, but don't use a horse"):
        found = orders(text, ACTIONS)
        assert found
        assert not any("levy horse" in one for one in found)


def test_either_of_two_things_is_propose_at() -> None:
    assert {"take horse", "take lyre"} <= set(orders("the horse or the lyre from the display", ACTIONS))


def test_what_no_rule_allows_is_said_with_its_reason() -> None:
    found = propose_at("Let's head to Athens with the temple, shall we", CARD)
    assert not found.readings
    assert found.objection is not None
    assert isinstance(found.objection.illegal, Illegal)
    assert found.objection.illegal.rule == "4.3"
    late = propose_at("temple to Sestos, B8 via A7, then I tax everybody with my horse", CARD)
    assert late.objection is not None
    assert late.objection.illegal.rule == "5.11"


def test_every_proposal_is_legal() -> None:
    turns = [group for group in GROUPS.values() if group["reads"] == "turn"]
    for at, language, text in [(one["at"], *case[:2]) for one in turns for case in cases(one)][::4]:
        after = position(at)
        seat = after.table.seat
        for one in propose_at(text, at, language).readings[:1]:
            for words in one.orders:
                _, after = play_out(after, seat, read_canonical(words, BOARD), first_card)


def test_words_that_have_no_part_in_it_are_named_as_they_were_written() -> None:
    assert "Zeus" in propose_at("Zeus willing the temple to Sestos, B8 via A7", CARD).unplaced


def test_accents_are_read_however_they_are_encoded() -> None:
    for form in ("NFC", "NFD"):
        words = normalize(form, "weg mét de wacht, neem de liér")
        assert orders(words, "p06", "nl")[0] == "take lyre"


def test_one_slip_in_a_long_word_is_read() -> None:
    assert all(is_slip(word, "sestos") for word in ("sesto", "sestoss", "sestus", "sestso"))
    assert not is_slip("sesso", "sestos")


def test_no_text_takes_long() -> None:
    hard = " ".join(["temple lyre Sestos Gordium Athens B8 A7 C9 draw levy take occupy or horse 2 a b"] * 60)
    begun = time.process_time()
    propose_at(hard, CARD)
    propose_at("x" * 100_000, CARD)
    assert time.process_time() - begun < 1.0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("b loses", "en"),
        ("drop b", "en"),
        ("b for cowards", "en"),
        ("trying b in my head", "en"),
        ("everyone says b", "en"),
        ("Anna takes the horse", "en"),
        ("Old orders: take horse", "en"),
        ("Ben pakt de tempel", "nl"),
        ("ze neemt Perinthus over", "nl"),
        ("mijn man zegt: b", "nl"),
        ("b. Geef me een dag.", "nl"),
        ("?b", "en"),
        ("b, hm", "en"),
        ("last time b", "en"),
        ("b some other time", "en"),
        ("b in the morning", "en"),
        ("picture me taking b", "en"),
        ("b at best", "en"),
        ("b is too much", "en"),
        ("b, other way round", "en"),
        ("down with b", "en"),
        ("a b", "en"),
        ("thanks for b", "en"),
        ("I hate option b", "en"),
        ("avoid b", "en"),
        ("b is broken", "en"),
        ("who plays b anyway", "en"),
        ("my wife says b", "en"),
        ("b with two guards", "en"),
        ("vergeet b", "nl"),
        ("hopelijk b", "nl"),
        ("it's a draw", "en"),
        ("take temple\nfrom 6 pm", "en"),
        ("take temple\nBack! Back! Back!", "en"),
        ("ik wou b", "nl"),
        ("b een andere keer", "nl"),
        ("weg met b", "nl"),
        ("bedankt voor b", "nl"),
        ("ik heb trek", "nl"),
        ("neem tempel\nIk trek het in.", "nl"),
        ("neem tempel\nTerug! Terug! Terug!", "nl"),
        ("neem tempel\nde drank sprak", "nl"),
        ("neem tempel\nlekker gegeten met mijn zus die het afraadt", "nl"),
    ],
)
def test_what_others_do_or_what_is_only_talked_of_is_not_played(text: str, language: str) -> None:
    assert not answer(Mail("", "p63", language, text, Verdict.ASK)).played


def test_an_initial_below_a_farewell_is_no_choice() -> None:
    reader = points()["p63"].reader
    assert not answer(Mail("", "p63", "en", f"Love, {reader[0]}.", Verdict.TALK)).played


@pytest.mark.parametrize(
    ("text", "language", "orders"),
    [
        ("voting for option b please", "en", ("levy horse",)),
        ("number two on the list", "en", ("levy horse",)),
        ("levying with the amphroa", "en", ("levy amphora",)),
        ("Eight points and nobody else near, that is b for me and a beer", "en", ("levy horse",)),
        ("I shall go with option b and trust the horse behaves better now", "en", ("levy horse",)),
        ("b natuurlijk, elf punten laat ik niet liggen", "nl", ("levy horse",)),
    ],
)
def test_words_by_rule_are_played_at_once(text: str, language: str, orders: tuple[str, ...]) -> None:
    assert answer(Mail("", "p63", language, text, Verdict.PLAY)).played == orders


@pytest.mark.parametrize("text", ["take temple. Kidding!", "Take temple. Oops"])
def test_orders_that_are_taken_back_in_their_line_are_answered_as_such(text: str) -> None:
    given = answer(Mail("", "p63", "en", text, Verdict.ASK))
    assert not given.played
    assert given.sentence.startswith("Your mail seems to take back what it says.")


# --- replies of other hands ------------------------------------------------------------------------------


def test_no_reply_of_some_is_played_that_was_not_meant() -> None:
    assert Outcome.WRONG not in {judge(mail) for mail in seen("replies")[::EACH]}


@pytest.mark.breadth
def test_no_doubt_is_played() -> None:
    """Names the wrong plays of the seen half only; of the other half, only their number."""
    doubts = (*mails("doubts"), *mails("fresh/doubts"))
    wrong = [(mail.id, mail.seen) for mail in doubts if judge(mail) is Outcome.WRONG]
    assert not [name for name, is_seen in wrong if is_seen]
    unseen = len(wrong)
    assert unseen == 0


LEAST_PLAYED = {"replies": 0.68, "fresh/replies": 0.6, "fresh/remarks": 0.84, "talk": 0.9}
"""The least share, by folder, of the mails to be played that are played at once."""


@pytest.mark.breadth
@pytest.mark.parametrize("folder", LEAST_PLAYED)
def test_most_replies_are_played_or_proposed_right_and_none_wrong(folder: str) -> None:
    found = [(mail, judge(mail)) for mail in seen(folder)]
    wrong = [mail.id for mail, outcome in found if outcome is Outcome.WRONG]
    useless = [mail.id for mail, outcome in found if outcome is Outcome.USELESS]
    ordered = [outcome for mail, outcome in found if mail.verdict is Verdict.PLAY]
    right = [outcome for outcome in ordered if outcome in (Outcome.PLAYED, Outcome.PROPOSED)]
    assert not wrong
    assert ordered.count(Outcome.PLAYED) >= LEAST_PLAYED[folder] * len(ordered)
    assert len(right) >= 0.91 * len(ordered)
    assert len(useless) <= 0.03 * len(found)
