"""Whether a letter is wanted: one function of its kind, its reader's wishes and what is so at the moment."""

from dataclasses import replace

import pytest

from emails.letters.account_letters import Pace
from emails.letters.kinds import LetterKind
from server.outbox.letter_kinds import TRAITS
from server.outbox.notifications import DropReason, Situation, reason_to_drop
from server.outbox.preferences import DEFAULTS
from server.store.states import GameStatus

RUNNING, OPEN, OVER = (Situation(one) for one in (GameStatus.RUNNING, GameStatus.OPEN, GameStatus.OVER))
PROPOSED = Situation(GameStatus.PROPOSED)
NO_LETTERS = replace(DEFAULTS, letters=False)
MOVES = replace(DEFAULTS, moves=True)
MESSAGES = replace(DEFAULTS, messages=True)
DAILY = replace(DEFAULTS, moves=True, pace=Pace.DAILY)


def test_every_kind_has_traits():
    assert set(TRAITS) == set(LetterKind)


@pytest.mark.parametrize("kind", LetterKind)
def test_who_wants_no_letters_gets_what_they_asked_for_or_must_know(kind):
    answers = {"answer", "refused", "shown", "asked_back", "accepted", "stopped"}
    answers |= {"confirm", "move_asked", "moved", "signin", "notice", "replaced", "substitute"}
    answers |= {"seat_refused", "seat_claim"}
    kept_back = reason_to_drop(kind, NO_LETTERS, RUNNING) is DropReason.NO_LETTERS
    assert kept_back == (kind not in answers)


@pytest.mark.parametrize("kind", LetterKind)
def test_where_letters_come_back_only_these_are_sent(kind):
    sent = {"your_turn", "invitation", "proposal", "confirm", "move_asked", "moved", "signin", "notice"}
    sent |= {"replaced", "seat_refused", "seat_claim"}
    bounced = reason_to_drop(kind, MOVES, replace(RUNNING, bouncing=True)) is DropReason.BOUNCES
    assert bounced == (kind not in sent)


@pytest.mark.parametrize(
    ("kind", "wants", "now", "reason"),
    [
        ("your_turn", DEFAULTS, RUNNING, None),
        ("your_turn", DEFAULTS, replace(RUNNING, moved_on=True), DropReason.OUTDATED),
        ("your_turn", DEFAULTS, OVER, DropReason.OUTDATED),
        ("your_turn", DEFAULTS, replace(RUNNING, resigned=True), DropReason.RESIGNED),
        ("your_turn", DEFAULTS, replace(RUNNING, told_since=True), DropReason.TOLD_ELSEWHERE),
        ("game_over", DEFAULTS, replace(OVER, resigned=True), None),
        ("answer", DEFAULTS, replace(RUNNING, resigned=True), None),
        ("news", DEFAULTS, RUNNING, DropReason.OUTDATED),
        ("news", MOVES, RUNNING, None),
        ("news", MOVES, replace(RUNNING, mover=True), DropReason.OUTDATED),
        ("news", DAILY, RUNNING, DropReason.OUTDATED),
        ("digest", DAILY, RUNNING, None),
        ("digest", MOVES, RUNNING, DropReason.OUTDATED),
        ("message", DEFAULTS, RUNNING, DropReason.OUTDATED),
        ("message", MESSAGES, RUNNING, None),
        ("message", MESSAGES, OPEN, DropReason.OUTDATED),
        ("message", DEFAULTS, OVER, None),
        ("message", MESSAGES, replace(RUNNING, unheard=False), DropReason.OUTDATED),
        ("invitation", DEFAULTS, OPEN, None),
        ("invitation", DEFAULTS, replace(OPEN, void=True), DropReason.OUTDATED),
        ("invitation", DEFAULTS, RUNNING, DropReason.OUTDATED),
        ("proposal", DEFAULTS, PROPOSED, None),
        ("proposal", DEFAULTS, OPEN, DropReason.OUTDATED),
        ("stopped", NO_LETTERS, RUNNING, None),
        ("stopped", DEFAULTS, RUNNING, DropReason.OUTDATED),
        ("stopped", NO_LETTERS, PROPOSED, DropReason.OUTDATED),
    ],
)
def test_a_letter_is_wanted_as_long_as_it_tells_something_new(kind, wants, now, reason):
    assert reason_to_drop(LetterKind(kind), wants, now) is reason
