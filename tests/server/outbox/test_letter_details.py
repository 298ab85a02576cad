"""What a letter says beyond the position, as it is stored, and as older versions stored it."""

import json
import subprocess
import sys
from dataclasses import fields, replace

import pytest

from emails.letters import account_letters, game_letters, lobby_letters
from emails.letters.declaration import KINDS, AccountEvent, SeatLoss, Situation, VacancyReason
from emails.letters.parts import Pace
from emails.wording.options import Option
from emails.wording.requests import OrderQuestion, Request, RequestKind, VoteKind
from server.outbox import notifications
from server.outbox.notifications import (
    DEFAULTS,
    DropReason,
    decode_payload,
    describe_situation,
    encode_payload,
    reason_to_drop,
)
from server.outbox.queue import SentLetter, add_to_detail, forget_sending, read_sent_letter
from server.store.states import GameStatus
from tests.paths import TOP
from tests.server.desk import NOON

WHICH = OrderQuestion((Option("draw; end", "One"), Option("end", "Another", "more")), more=True)
ASKED = (Request(RequestKind.RULES, "5.9"), Request(RequestKind.HELP))
DETAILS = (
    game_letters.Answer(("draw",), ("march",), "why", 4, WHICH, ("You told everybody.",), ASKED),
    game_letters.Answer(),
    game_letters.Refused("No.", ("draw",), 3, 7, WHICH, ASKED),
    game_letters.Refused("No."),
    game_letters.Shown(ASKED),
    game_letters.Shown(ASKED, unasked=True),
    game_letters.Answer(settled=("The game is paused now.",)),
    game_letters.AskedBack(("2", "say: hi"), 4, ("draw",), ("say: hi",), ASKED, unproven=True),
    game_letters.TimePassed(2),
    game_letters.Absence(),
    game_letters.Reminder(1),
    game_letters.Reminder(),
    game_letters.SeatOffered(2),
    account_letters.Replaced("Anna", "Friday", "nl", SeatLoss.ABSENT),
    account_letters.Replaced("Anna", "Friday", "nl", SeatLoss.LATE),
    game_letters.PlanPlayed(("occupy Troy",), "it costs more"),
    game_letters.Vote(VoteKind.PAUSE, 1),
    game_letters.Stopped(True),
    lobby_letters.Declined(1, "Ben", VacancyReason.SILENT),
    lobby_letters.Invitation("Shall we?"),
    lobby_letters.Proposal(""),
    account_letters.Confirm("a digest", "a mark"),
    account_letters.MoveAsked("a digest", "a mark"),
    account_letters.Moved("anna@example.org", "a digest", "a mark"),
    account_letters.SeatRefused("Anna", "nl", "Somebody has taken it."),
    account_letters.SignIn("digest", "mark"),
    account_letters.SeatClaim("digest", "mark", 7),
    account_letters.Notice(AccountEvent.KEY_MADE, NOON, "Firefox; Linux", "a program"),
    *(declared() for declared in KINDS.values() if not fields(declared)),
)
BY_KIND = {one.kind: one for one in reversed(DETAILS)}


@pytest.mark.parametrize("content", DETAILS)
def test_what_is_stored_is_read_again(content):
    stored = add_to_detail(encode_payload(content), known := SentLetter({"1": "draw"}, "Friday", "Thursday"))
    assert decode_payload(type(content), stored) == content
    assert read_sent_letter(stored) == known


def test_every_kind_has_been_stored_here():
    assert set(BY_KIND) == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "stored", "content"),
    [
        ("answer", '{"done": ["draw"], "undone": [], "why": "", "after": 3, "posted": [], "asked": []}',
         game_letters.Answer(("draw",), after=3)),
        ("refused", '{"sentence": "No.", "undone": [], "in_a_row": 1}', game_letters.Refused("No.")),
        ("refused", '{"sentence": "No.", "undone": []}', game_letters.Refused("No.")),
        ("shown", '{"asked": [["resign", ""]]}', game_letters.Shown((Request(RequestKind.RESIGN),))),
        ("shown", '{"done": [], "undone": [], "why": "", "posted": [], "asked": [["rules", "5.9"]]}',
         game_letters.Shown((Request(RequestKind.RULES, "5.9"),))),
        ("invitation", "{}", lobby_letters.Invitation()),
        ("reminder", "{}", game_letters.Reminder()),
        ("time_passed", '{"seat": 1, "done": ["stay lyre"]}', game_letters.TimePassed(1)),
        ("moved", '{"address": "a@example.org"}', account_letters.Moved("a@example.org")),
    ],
)  # fmt: skip
def test_what_older_versions_stored_is_read(kind, stored, content):
    assert decode_payload(KINDS[kind], stored) == content


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        ("time_passed", '{"seat": "nobody"}'),
        ("refused", "{}"),
        ("shown", "no JSON"),
        ("confirm", "[]"),
        ("signin", "[]"),
        ("replaced", "{}"),
        ("replaced", '{"name": "Anna", "loss": "other"}'),
    ],
)
def test_what_is_none_of_ours_is_refused(kind, stored):
    with pytest.raises(ValueError, match="validation error"):
        decode_payload(KINDS[kind], stored)


def test_a_refusal_tells_the_same_whichever_of_a_row_it_is_and_something_else_by_anything_else():
    first = game_letters.Refused("No.", ("draw",), after=7, question=WHICH, asked=ASKED)
    stored = decode_payload(KINDS["refused"], encode_payload(first))
    assert isinstance(stored, game_letters.Refused)
    assert first.tells_the_same(replace(stored, in_a_row=3))
    others = (
        replace(first, sentence="Not yet."),
        replace(first, undone=("take",)),
        replace(first, question=None),
        replace(first, asked=()),
        replace(first, after=8),
    )
    assert not any(first.tells_the_same(one) for one in others)


TAKEN = "250 2.0.0 Ok: queued as 4F2B71C0A3"
KNOWN = SentLetter(
    {"a": "draw; end"}, "Friday: your turn", "Friday: welcome", done=True, chosen="2", relay_reply=TAKEN
)


def test_what_is_known_is_read_again():
    assert read_sent_letter(add_to_detail("{}", KNOWN)) == KNOWN


@pytest.mark.parametrize(
    "more",
    [
        SentLetter({"a": "draw"}),
        SentLetter(subject="Monday"),
        SentLetter(chosen="3"),
        SentLetter(relay_reply="250 OK"),
        SentLetter(),
    ],
)
def test_what_was_known_before_stays(more):
    before = json.loads(add_to_detail('{"note": "Shall we?"}', KNOWN))
    changed = json.loads(add_to_detail(json.dumps(before), more))
    assert changed.keys() == before.keys()
    assert sum(changed[key] != before[key] for key in before) == (more != SentLetter())


def test_what_is_written_anew_offers_nothing_of_before_and_is_done_where_it_was():
    again = read_sent_letter(forget_sending(add_to_detail("{}", KNOWN)))
    assert again == SentLetter(answered="Friday: welcome", done=True, chosen="2")


def test_what_an_answer_did_is_no_yes_to_it():
    answer = game_letters.Answer(("draw",))
    stored = add_to_detail(encode_payload(answer), SentLetter(subject="Friday"))
    assert read_sent_letter(stored) == SentLetter(subject="Friday")
    assert decode_payload(KINDS["answer"], stored) == answer


def test_what_the_relay_said_is_read_by_itself_and_what_is_damaged_says_nothing():
    assert read_sent_letter(add_to_detail("{}", KNOWN)).relay_reply == TAKEN
    for damaged in ("{}", "", "[]", "3", '{"relay_reply": 3}', '{"relay_reply": "250'):
        assert read_sent_letter(damaged).relay_reply == ""


def test_of_letters_from_before_nothing_is_known():
    assert read_sent_letter("{}") == SentLetter()


NO_LETTERS = replace(DEFAULTS, letters=False)
MOVES = replace(DEFAULTS, moves=True)
MESSAGES = replace(DEFAULTS, messages=True)
DAILY = replace(DEFAULTS, moves=True, pace=Pace.DAILY)


def situation(status="running", preferences=DEFAULTS, **changed):
    pressing = changed.pop("is_pressing", False)
    known = describe_situation(GameStatus(status), preferences, is_mover=False, is_pressing=pressing)
    return Situation(**(known | changed))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_who_wants_no_letters_gets_what_they_asked_for_or_must_know(kind):
    answers = {"answer", "refused", "shown", "asked_back", "accepted", "stopped"}
    answers |= {"confirm", "move_asked", "moved", "signin", "notice", "replaced", "substitute"}
    answers |= {"seat_refused", "seat_claim"}
    reason = reason_to_drop(BY_KIND[kind], situation(preferences=NO_LETTERS))
    assert (reason is DropReason.NO_LETTERS) == (kind not in answers)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_where_letters_come_back_only_these_are_sent(kind):
    sent = {"your_turn", "invitation", "proposal", "confirm", "move_asked", "moved", "signin", "notice"}
    sent |= {"replaced", "seat_refused", "seat_claim"}
    reason = reason_to_drop(BY_KIND[kind], situation(preferences=MOVES, is_bouncing=True))
    assert (reason is DropReason.BOUNCES) == (kind not in sent)


@pytest.mark.parametrize(
    ("kind", "now", "reason"),
    [
        ("your_turn", situation(), None),
        ("your_turn", situation(is_turn_over=True), DropReason.OUTDATED),
        ("your_turn", situation("over"), DropReason.OUTDATED),
        ("your_turn", situation(has_resigned=True), DropReason.RESIGNED),
        ("your_turn", situation(is_shown_since=True), DropReason.TOLD_ELSEWHERE),
        ("game_over", situation("over", has_resigned=True), None),
        ("answer", situation(has_resigned=True), None),
        ("news", situation(), DropReason.OUTDATED),
        ("news", situation(preferences=MOVES), None),
        ("news", situation(preferences=MOVES, is_mover=True), DropReason.OUTDATED),
        ("news", situation(preferences=DAILY), DropReason.OUTDATED),
        ("digest", situation(preferences=DAILY), None),
        ("digest", situation(preferences=MOVES), DropReason.OUTDATED),
        ("message", situation(), DropReason.OUTDATED),
        ("message", situation(preferences=MESSAGES), None),
        ("message", situation(is_pressing=True), None),
        ("message", situation("open", MESSAGES), DropReason.OUTDATED),
        ("message", situation("over"), None),
        ("message", situation(preferences=MESSAGES, has_unread=False), DropReason.OUTDATED),
        ("invitation", situation("open"), None),
        ("invitation", situation("open", has_seat_changed=True), DropReason.OUTDATED),
        ("seat_refused", situation("open", has_seat_changed=True), None),
        ("invitation", situation(), DropReason.OUTDATED),
        ("called_off", situation("cancelled"), None),
        ("absence", situation(is_absent=False), DropReason.OUTDATED),
        ("proposal", situation("proposed"), None),
        ("proposal", situation("open"), DropReason.OUTDATED),
        ("stopped", situation(preferences=NO_LETTERS), None),
        ("stopped", situation(), DropReason.OUTDATED),
        ("stopped", situation("proposed", NO_LETTERS), DropReason.OUTDATED),
    ],
)
def test_a_letter_is_wanted_as_long_as_it_tells_something_new(kind, now, reason):
    assert reason_to_drop(BY_KIND[kind], now) is reason


def test_the_sets_of_kinds_are_whole_when_they_are_imported_first():
    typed = "from server.outbox import notifications; print(sorted(notifications.GAMELESS_KINDS))"
    said = subprocess.run([sys.executable, "-c", typed], cwd=TOP, check=True, capture_output=True, text=True)
    assert said.stdout.strip() == str(sorted(notifications.GAMELESS_KINDS))
    assert account_letters.Confirm.kind in notifications.GAMELESS_KINDS
