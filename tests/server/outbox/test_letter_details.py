"""What a letter says beyond the position, as it is stored, and as older versions stored it."""

import json
from dataclasses import replace
from typing import get_args

import pytest

from emails.letters.account_letters import Pace
from emails.letters.kinds import AccountEvent, LetterKind, SeatLoss, VacancyReason
from emails.wording.options import Option
from emails.wording.questions import OrderQuestion
from emails.wording.requests import Request, RequestKind, VoteKind
from server.outbox.letter_kinds import (
    ADAPTERS,
    AbsenceDetail,
    AnswerDetail,
    AskedBackDetail,
    ConfirmDetail,
    DeclinedDetail,
    InvitationDetail,
    MoveAskedDetail,
    MovedDetail,
    NoticeDetail,
    PlainKind,
    PlanPlayedDetail,
    ProposalDetail,
    RefusedDetail,
    ReminderDetail,
    ReplacedDetail,
    SeatClaimDetail,
    SeatOfferedDetail,
    SeatRefusedDetail,
    ShownDetail,
    SignInDetail,
    StoppedDetail,
    TimePassedDetail,
    VoteDetail,
    decode_content,
    encode_detail,
    kind_of,
)
from server.outbox.notifications import DropReason, Situation, reason_to_drop
from server.outbox.preferences import DEFAULTS
from server.outbox.queue import SentLetter, add_to_detail, forget_sending, read_relay_reply, read_sent_letter
from server.store.states import GameStatus
from tests.server.desk import NOON

WHICH = OrderQuestion((Option("draw; end", "One"), Option("end", "Another", "more")), more=True)
ASKED = (Request(RequestKind.RULES, "5.9"), Request(RequestKind.HELP))
DETAILS = (
    AnswerDetail(("draw",), ("march",), "why", 4, WHICH, ("You told everybody.",), ASKED),
    AnswerDetail(),
    RefusedDetail("No.", ("draw",), 3, 7, WHICH, ASKED),
    RefusedDetail("No."),
    ShownDetail(ASKED),
    ShownDetail(ASKED, unasked=True),
    AnswerDetail(settled=("The game is paused now.",)),
    AskedBackDetail(("2", "say: hi"), 4, ("draw",), ("say: hi",), ASKED, unproven=True),
    TimePassedDetail(2),
    AbsenceDetail(),
    ReminderDetail(1),
    ReminderDetail(),
    SeatOfferedDetail(2),
    ReplacedDetail("Anna", "Friday", "nl", SeatLoss.ABSENT),
    ReplacedDetail("Anna", "Friday", "nl", SeatLoss.LATE),
    PlanPlayedDetail(("occupy Troy",), "it costs more"),
    VoteDetail(VoteKind.PAUSE, 1),
    StoppedDetail(True),
    DeclinedDetail(1, "Ben", VacancyReason.SILENT),
    InvitationDetail("Shall we?"),
    ProposalDetail(""),
    ConfirmDetail("a digest", "a mark"),
    MoveAskedDetail("a digest", "a mark"),
    MovedDetail("anna@example.org", "a digest", "a mark"),
    SeatRefusedDetail("Anna", "nl", "Somebody has taken it."),
    SignInDetail("digest", "mark"),
    SeatClaimDetail("digest", "mark", 7),
    NoticeDetail(AccountEvent.KEY_MADE, NOON, "Firefox; Linux", "a program"),
)


@pytest.mark.parametrize("content", [*DETAILS, *get_args(PlainKind)])
def test_what_is_stored_is_read_again(content):
    stored = add_to_detail(encode_detail(content), known := SentLetter({"1": "draw"}, "Friday", "Thursday"))
    assert decode_content(kind_of(content), stored) == content
    assert read_sent_letter(stored) == known


def test_every_detail_has_been_stored_here():
    assert {one.kind for one in DETAILS} == set(ADAPTERS)


@pytest.mark.parametrize(
    ("kind", "stored", "content"),
    [
        ("answer", '{"done": ["draw"], "undone": [], "why": "", "after": 3, "posted": [], "asked": []}',
         AnswerDetail(("draw",), after=3)),
        ("refused", '{"sentence": "No.", "undone": [], "in_a_row": 1}', RefusedDetail("No.")),
        ("refused", '{"sentence": "No.", "undone": []}', RefusedDetail("No.")),
        ("shown", '{"asked": [["resign", ""]]}', ShownDetail((Request(RequestKind.RESIGN),))),
        ("shown", '{"done": [], "undone": [], "why": "", "posted": [], "asked": [["rules", "5.9"]]}',
         ShownDetail((Request(RequestKind.RULES, "5.9"),))),
        ("invitation", "{}", InvitationDetail()),
        ("reminder", "{}", ReminderDetail()),
        ("time_passed", '{"seat": 1, "done": ["stay lyre"]}', TimePassedDetail(1)),
        ("moved", '{"address": "a@example.org"}', MovedDetail("a@example.org")),
    ],
)  # fmt: skip
def test_what_older_versions_stored_is_read(kind, stored, content):
    assert decode_content(LetterKind(kind), stored) == content


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
        decode_content(LetterKind(kind), stored)


def test_a_refusal_tells_the_same_whichever_of_a_row_it_is_and_something_else_by_anything_else():
    first = RefusedDetail("No.", ("draw",), after=7, question=WHICH, asked=ASKED)
    stored = decode_content(LetterKind.REFUSED, encode_detail(first))
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
    answer = AnswerDetail(("draw",))
    stored = add_to_detail(encode_detail(answer), SentLetter(subject="Friday"))
    assert read_sent_letter(stored) == SentLetter(subject="Friday")
    assert decode_content(LetterKind.ANSWER, stored) == answer


def test_what_the_relay_said_is_read_by_itself_and_what_is_damaged_says_nothing():
    assert read_relay_reply(add_to_detail("{}", KNOWN)) == TAKEN
    for damaged in ("{}", "", "[]", "3", '{"relay_reply": 3}', '{"relay_reply": "250'):
        assert read_relay_reply(damaged) == ""


def test_of_letters_from_before_nothing_is_known():
    assert read_sent_letter("{}") == SentLetter()


RUNNING, OPEN, OVER = (Situation(one) for one in (GameStatus.RUNNING, GameStatus.OPEN, GameStatus.OVER))
PROPOSED = Situation(GameStatus.PROPOSED)
NO_LETTERS = replace(DEFAULTS, letters=False)
MOVES = replace(DEFAULTS, moves=True)
MESSAGES = replace(DEFAULTS, messages=True)
DAILY = replace(DEFAULTS, moves=True, pace=Pace.DAILY)


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
