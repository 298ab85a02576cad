"""The kinds of letters: which wait for their reader's hour, which tells most, and when one is past.

A reader gets letters at his own pace (server/outbox/preferences.py). Some do not wait for it, whatever he
wants, because he has asked or time runs out: answers, invitations, the start of a game, reminders, a turn
that was played for him. A reminder never waits, so no deadline passes unheard, however late a letter of his
turn would be.

Whatever waits for one seat of one game is told in one letter, the one that tells most. Every letter shows the
game as it is when it leaves, so that no letter is needed for what a later one has told. An answer to a mail
shows all that a letter of a turn shows, and the letter of the end all that an answer shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from sqlmodel import Session, col, select

from server.outbox.preferences import Wants
from server.store.models import (
    PROPOSED,
    Confirmation,
    Failing,
    Game,
    Incoming,
    Outgoing,
    Proposal,
    Resigned,
    Seating,
    SignIn,
)

PASSED = "its occasion has passed"
TOLD = "it is told in another letter"
NO_LETTERS = "its reader wants no letters"
COMES_BACK = "letters to its reader come back"
GIVEN_UP = "its reader has resigned"

RANKS = (
    "digest",
    "message",
    "news",
    "reminder1",
    "reminder2",
    "step",
    "turn",
    "welcome",
    "time_passed",
    "over",
)
"""The letters that stand for one another, those that tell least first. All others are sent for themselves."""
ON_THE_TURN = RANKS[RANKS.index("reminder1") :]
"""Those that say whose turn it is above all."""
IN_ANSWERS = RANKS[: RANKS.index("welcome")]
"""What an answer to a mail tells too."""
TOGETHER = (*RANKS, "answer")
"""What one letter may tell."""
SHOWING = (*TOGETHER, "refused", "shown")
"""The letters that show how a game stands."""
ANSWERS = ("answer", "refused", "shown")
"""The letters that answer a mail to a game."""
OF_ADDRESSES = ("confirm", "moved")
"""Letters to an address that is not in use: they hold nothing that leads to a game."""
OF_NO_GAME = (*OF_ADDRESSES, "signin")
"""Letters that are about no game: they stand in no thread, and where they were to go they go."""
SIGNING = timedelta(minutes=30)
"""How long a link that signs a player in is good; its letter is not sent later."""
DESPITE = frozenset({"answer", "refused", "shown", "accepted", "stopped", *OF_NO_GAME})
"""What a reader gets although he wants no letters: he has asked for it, or must know it."""
NEVER_HELD = DESPITE | {"invitation", "proposal", "welcome", "reminder1", "reminder2", "digest"}
"""What does not wait for the hour of its reader; the letter of the day arises at it."""
TRIED = frozenset({"turn", "invitation", "proposal", *OF_NO_GAME})
"""What is sent although letters come back: a letter for each turn, since that is how a success is found."""
HALF_PLAYED = timedelta(minutes=30)
"""How long a turn that was left in its middle on a page is left alone: whoever only thinks, or has the page
open, needs no letter, and who was called away finds what he can still do long before the deadline."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Something that one seat is to be told."""

    seat: int
    kind: str
    detail: Mapping[str, object] = field(default_factory=dict)
    mail: Incoming | None = None
    """The mail it answers."""
    mark: str = ""
    """What tells it from another of its kind about the same act."""
    recipient: str = ""
    """Where it goes, if not to the address on file."""
    later: timedelta = timedelta(0)
    """How long it waits at least."""


def held(kind: str, seat: int, detail: Mapping[str, object]) -> bool:
    """Whether a letter waits for the hour of its reader; not so what was played for himself."""
    return kind not in NEVER_HELD and not (kind == "time_passed" and detail.get("seat") == seat)


def wanted(occasion: Occasion, wants: Wants, game: Game) -> bool:
    """Whether a reader who wants this is to be told."""
    if not wants.letters:
        return occasion.kind in DESPITE
    if occasion.kind == "news":
        return wants.moves and wants.pace != "daily"  # his daily letter tells it
    if occasion.kind == "message":  # when a game is over there is no next letter in which it could stand
        return game.status == "over" or (wants.messages and game.status == "running")
    return True


def leading(due: Sequence[Outgoing]) -> Outgoing:
    """Which of the letters that are due to a seat is sent first. The others go, unless it tells them.

    An answer goes first. At the end of a game its letter is the answer to the last mail, where that leaves
    nothing to be said about the mail itself.
    """
    answers = [one for one in due if one.kind == "answer"]
    ranked = max((one for one in due if one.kind != "answer"), key=_rank, default=None)
    if not answers:
        assert ranked is not None
        return ranked
    if ranked is None or ranked.kind != "over" or not _needless(answers[-1]):
        return answers[0]
    ranked.answers = answers[-1].answers
    return ranked


def tells(letter: Outgoing, other: Outgoing) -> bool:
    """Whether what another letter to the same seat would tell stands in this one."""
    if other is letter:
        return False
    if letter.kind == "answer":
        return other.kind in IN_ANSWERS
    return other.kind in RANKS or (letter.answers == other.answers and _needless(other))


def told_in(letter: Outgoing) -> str:
    """Why a letter is not sent that this one tells: found again, should this one never leave."""
    return f"it is told in letter {letter.id}"


def _rank(row: Outgoing) -> tuple[int, bool, int]:
    """How much a letter tells."""
    kind = RANKS.index(row.kind) if row.kind in RANKS else 0  # of another kind there is but one
    return kind, not held(row.kind, row.seat, json.loads(row.detail)), row.id or 0


def _needless(answer: Outgoing) -> bool:
    """Whether an answer only says that all was done."""
    detail = json.loads(answer.detail)
    return not (detail["undone"] or detail["posted"] or detail.get("asked"))


def dropped(session: Session, game: Game, row: Outgoing, wants: Wants, unheard: int) -> str:
    """Why a letter is not sent any more; empty where it is. `unheard`: of the last message not told yet."""
    if not wants.letters and row.kind not in DESPITE:
        return NO_LETTERS
    if row.kind not in TRIED and _comes_back(session, row):
        return COMES_BACK
    gone = session.get(Resigned, (game.id, row.seat)) is not None
    if gone and game.status == "running" and row.kind not in DESPITE:
        return GIVEN_UP
    if row.kind == "invitation":
        seating = session.get_one(Seating, (game.id, row.seat))
        return PASSED if game.status != "open" or seating.accepted_at is not None else ""
    if row.kind == "proposal":
        made = session.get(Proposal, game.id)
        return PASSED if game.status != PROPOSED or made is None or made.replaced_by else ""
    if row.kind in OF_ADDRESSES:
        code = json.loads(row.detail)["code"]
        known = not code or session.get(Confirmation, code) is not None
        return "" if known else PASSED
    if row.kind == "signin":
        return "" if session.get(SignIn, json.loads(row.detail)["digest"]) is not None else PASSED
    if row.kind == "called_off":
        return "" if _was_asked(session, row) else PASSED
    if row.kind == "declined":
        left = session.get_one(Seating, (game.id, json.loads(row.detail)["seat"]))
        return PASSED if game.status != "open" or left.player is not None or left.house else ""
    if _passed(game, row, wants, unheard):
        return PASSED
    return TOLD if row.kind in RANKS and row.kind != "over" and _told(session, row) else ""


def _comes_back(session: Session, row: Outgoing) -> bool:
    """Whether the address to which a letter would go is marked as one from which letters come back."""
    mark = (
        select(Failing.since)
        .join(Seating, col(Seating.player) == Failing.player)
        .where(Seating.game == row.game, Seating.seat == row.seat)
        .where(Failing.address == row.recipient.lower(), col(Failing.ended_at).is_(None))
    )
    return session.exec(mark).first() is not None


def _was_asked(session: Session, row: Outgoing) -> bool:
    """Whether the reader knows of a game: he is in, or his invitation has been sent."""
    if session.get_one(Seating, (row.game, row.seat)).accepted_at is not None:
        return True
    invited = select(Outgoing.id).where(Outgoing.game == row.game, Outgoing.seat == row.seat)
    return (
        session.exec(invited.where(Outgoing.kind == "invitation", Outgoing.state == "sent")).first()
        is not None
    )


def _passed(game: Game, row: Outgoing, wants: Wants, unheard: int) -> bool:
    running = game.status == "running"
    match row.kind:
        case "step" | "turn" | "reminder1" | "reminder2":
            return not running or game.after != row.seq
        case "accepted":
            return game.status != "open"
        case "welcome":
            return game.status == "over"
        case "news":
            return not running or game.seat == row.seat or not wants.moves
        case "digest":
            return not running or wants.pace != "daily"
        case "message":
            return not unheard
        case "stopped":
            return wants.letters or game.status == PROPOSED
    return False


def _told(session: Session, row: Outgoing) -> bool:
    """Whether a letter of a later occasion has gone out before this one, as when a relay was away."""
    telling = ON_THE_TURN if row.kind in ("step", "turn") else RANKS[RANKS.index(row.kind) :]
    if row.kind in IN_ANSWERS:
        telling += ("answer",)
    later = (
        select(Outgoing.id)
        .where(Outgoing.game == row.game, Outgoing.seat == row.seat, Outgoing.state == "sent")
        .where(col(Outgoing.id) > row.id, col(Outgoing.kind).in_(telling))
    )
    return session.exec(later).first() is not None
