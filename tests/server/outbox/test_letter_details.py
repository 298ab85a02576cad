"""What a letter says beyond the position, as it is stored, and as older versions stored it."""

from dataclasses import replace
from typing import get_args

import pytest

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
from server.outbox.queue import SentLetter, add_to_detail, read_sent_letter
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


def test_every_kind_is_plain_or_says_more():
    plain = set(get_args(PlainKind))
    assert plain | set(ADAPTERS) == set(LetterKind)
    assert not plain & set(ADAPTERS)


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
