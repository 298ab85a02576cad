"""The kinds of letters: which wait for their reader's hour, which tells most, and when one is past.

A reader gets letters at their own pace (server/outbox/preferences.py). Some do not wait for it, whatever they
want, because they have asked or time runs out: answers, invitations, the start of a game, reminders, a turn
that was played for them. A reminder never waits, so no deadline passes unheard, however late a letter of
theirs turn would be.

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

from emails.letters.preferences_text import Pace
from server.outbox.preferences import Preferences
from server.store.models import (
    AddressConfirmation,
    BouncingAddress,
    Game,
    IncomingMail,
    OutgoingLetter,
    Proposal,
    Resignation,
    Seating,
    SignInLink,
)
from server.store.states import GameStatus

OUTDATED = "its occasion has passed"
TOLD_ELSEWHERE = "it is told in another letter"
NO_LETTERS = "its reader wants no letters"
BOUNCES = "letters to its reader come back"
GIVEN_UP = "its reader has resigned"

KINDS_BY_RANK = (
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
"""The kinds that can replace one another, those that tell least first. All others are sent on their own."""
KINDS_ON_THE_TURN = KINDS_BY_RANK[KINDS_BY_RANK.index("reminder1") :]
"""Those that say whose turn it is above all."""
KINDS_TOLD_IN_ANSWERS = KINDS_BY_RANK[: KINDS_BY_RANK.index("welcome")]
"""What an answer to a mail tells too."""
COMBINABLE_KINDS = (*KINDS_BY_RANK, "answer")
"""What one letter may tell."""
KINDS_SHOWING_GAME = (*COMBINABLE_KINDS, "refused", "shown")
"""The letters that show how a game stands."""
ANSWER_KINDS = ("answer", "refused", "shown")
"""The letters that answer a mail to a game."""
ADDRESS_KINDS = ("confirm", "moved")
"""Letters to an address that is not in use: they hold nothing that leads to a game."""
GAMELESS_KINDS = (*ADDRESS_KINDS, "signin")
"""Letters that are about no game: they stand in no thread and are never sent to a newer address."""
SIGN_IN_LINK_VALID = timedelta(minutes=30)
"""How long a link that signs a player in is good; its letter is not sent later."""
SENT_DESPITE_UNSUBSCRIBE = frozenset({"answer", "refused", "shown", "accepted", "stopped", *GAMELESS_KINDS})
"""What a reader gets although they want no letters: they have asked for it, or must know it."""
NEVER_HELD = SENT_DESPITE_UNSUBSCRIBE | {
    "invitation",
    "proposal",
    "welcome",
    "reminder1",
    "reminder2",
    "digest",
}
"""What does not wait for the hour of its reader; the letter of the day arises at it."""
SENT_DESPITE_BOUNCE = frozenset({"turn", "invitation", "proposal", *GAMELESS_KINDS})
"""What is sent although letters come back: a letter for each turn, since that is how a success is found."""
HALF_PLAYED_DELAY = timedelta(minutes=30)
"""How long a turn that was left in its middle on a page is left alone: whoever only thinks, or has the page
open, needs no letter, and who was called away finds what they can still do long before the deadline."""


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that one seat is to be told."""

    seat: int
    kind: str
    detail: Mapping[str, object] = field(default_factory=dict)
    mail: IncomingMail | None = None
    """The mail it answers."""
    mark: str = ""
    """What tells it from another of its kind about the same act."""
    recipient: str = ""
    """Where it goes, if not to the address on file."""
    later: timedelta = timedelta(0)
    """How long it waits at least."""


def is_held_back(kind: str, seat: int, detail: Mapping[str, object]) -> bool:
    """Whether a letter waits for the hour of its reader; the report of their own timed-out turn does not."""
    return kind not in NEVER_HELD and not (kind == "time_passed" and detail.get("seat") == seat)


def is_wanted(occasion: Notification, wants: Preferences, game: Game) -> bool:
    """Whether a reader who wants this is to be told."""
    if not wants.letters:
        return occasion.kind in SENT_DESPITE_UNSUBSCRIBE
    if occasion.kind == "news":
        return wants.moves and wants.pace != Pace.DAILY  # their daily letter tells it
    if occasion.kind == "message":  # when a game is over there is no next letter in which it could stand
        return game.status == GameStatus.OVER or (wants.messages and game.status == GameStatus.RUNNING)
    return True


def choose_leading_letter(due: Sequence[OutgoingLetter]) -> OutgoingLetter:
    """Which of the letters that are due to a seat is sent first. The others go, unless it tells them.

    An answer goes first. At the end of a game its letter is the answer to the last mail, where that leaves
    nothing to be said about the mail itself.
    """
    answers = [one for one in due if one.kind == "answer"]
    ranked = max((one for one in due if one.kind != "answer"), key=_rank, default=None)
    if not answers:
        assert ranked is not None
        return ranked
    if ranked is None or ranked.kind != "over" or not _is_needless(answers[-1]):
        return answers[0]
    ranked.answers = answers[-1].answers
    return ranked


def covers(letter: OutgoingLetter, other: OutgoingLetter) -> bool:
    """Whether what another letter to the same seat would tell stands in this one."""
    if other is letter:
        return False
    if letter.kind == "answer":
        return other.kind in KINDS_TOLD_IN_ANSWERS
    return other.kind in KINDS_BY_RANK or (letter.answers == other.answers and _is_needless(other))


def reason_covered_by(letter: OutgoingLetter) -> str:
    """Why a letter is not sent that this one tells: found again, should this one never leave."""
    return f"it is told in letter {letter.id}"


def _rank(row: OutgoingLetter) -> tuple[int, bool, int]:
    """How much a letter tells."""
    kind = (
        KINDS_BY_RANK.index(row.kind) if row.kind in KINDS_BY_RANK else 0
    )  # of another kind there is but one
    return kind, not is_held_back(row.kind, row.seat, json.loads(row.detail)), row.id or 0


def _is_needless(answer: OutgoingLetter) -> bool:
    """Whether an answer only says that all was done."""
    detail = json.loads(answer.detail)
    return not (detail["undone"] or detail["posted"] or detail.get("asked"))


def reason_to_drop(
    session: Session, game: Game, row: OutgoingLetter, wants: Preferences, unheard: int
) -> str:
    """Why a letter is not sent any more; empty where it is. `unheard`: of the last message not told yet."""
    if not wants.letters and row.kind not in SENT_DESPITE_UNSUBSCRIBE:
        return NO_LETTERS
    if row.kind not in SENT_DESPITE_BOUNCE and _is_bouncing(session, row):
        return BOUNCES
    gone = session.get(Resignation, (game.id, row.seat)) is not None
    if gone and game.status == GameStatus.RUNNING and row.kind not in SENT_DESPITE_UNSUBSCRIBE:
        return GIVEN_UP
    if row.kind == "invitation":
        seating = session.get_one(Seating, (game.id, row.seat))
        return OUTDATED if game.status != GameStatus.OPEN or seating.accepted_at is not None else ""
    if row.kind == "proposal":
        made = session.get(Proposal, game.id)
        return OUTDATED if game.status != GameStatus.PROPOSED or made is None or made.replaced_by else ""
    if row.kind in ADDRESS_KINDS:
        code = json.loads(row.detail)["code"]
        known = not code or session.get(AddressConfirmation, code) is not None
        return "" if known else OUTDATED
    if row.kind == "signin":
        return "" if session.get(SignInLink, json.loads(row.detail)["digest"]) is not None else OUTDATED
    if row.kind == "called_off":
        return "" if _was_invited(session, row) else OUTDATED
    if row.kind == "declined":
        left = session.get_one(Seating, (game.id, json.loads(row.detail)["seat"]))
        return OUTDATED if game.status != GameStatus.OPEN or left.player is not None or left.house else ""
    if _is_outdated(game, row, wants, unheard):
        return OUTDATED
    return (
        TOLD_ELSEWHERE
        if row.kind in KINDS_BY_RANK and row.kind != "over" and _was_told_later(session, row)
        else ""
    )


def _is_bouncing(session: Session, row: OutgoingLetter) -> bool:
    """Whether the address to which a letter would go is marked as one from which letters come back."""
    mark = (
        select(BouncingAddress.since)
        .join(Seating, col(Seating.player) == BouncingAddress.player)
        .where(Seating.game == row.game, Seating.seat == row.seat)
        .where(BouncingAddress.address == row.recipient.lower(), col(BouncingAddress.ended_at).is_(None))
    )
    return session.exec(mark).first() is not None


def _was_invited(session: Session, row: OutgoingLetter) -> bool:
    """Whether the reader knows of a game: they are in, or their invitation has been sent."""
    if session.get_one(Seating, (row.game, row.seat)).accepted_at is not None:
        return True
    invited = select(OutgoingLetter.id).where(
        OutgoingLetter.game == row.game, OutgoingLetter.seat == row.seat
    )
    return (
        session.exec(
            invited.where(OutgoingLetter.kind == "invitation", OutgoingLetter.state == "sent")
        ).first()
        is not None
    )


def _is_outdated(game: Game, row: OutgoingLetter, wants: Preferences, unheard: int) -> bool:
    running = game.status == GameStatus.RUNNING
    match row.kind:
        case "step" | "turn" | "reminder1" | "reminder2":
            return not running or game.after != row.seq
        case "accepted":
            return game.status != GameStatus.OPEN
        case "welcome":
            return game.status == GameStatus.OVER
        case "news":
            return not running or game.seat == row.seat or not wants.moves
        case "digest":
            return not running or wants.pace != Pace.DAILY
        case "message":
            return not unheard
        case "stopped":
            return wants.letters or game.status == GameStatus.PROPOSED
    return False


def _was_told_later(session: Session, row: OutgoingLetter) -> bool:
    """Whether a letter of a later occasion has gone out before this one, as when a relay was away."""
    telling = (
        KINDS_ON_THE_TURN if row.kind in ("step", "turn") else KINDS_BY_RANK[KINDS_BY_RANK.index(row.kind) :]
    )
    if row.kind in KINDS_TOLD_IN_ANSWERS:
        telling += ("answer",)
    later = (
        select(OutgoingLetter.id)
        .where(
            OutgoingLetter.game == row.game, OutgoingLetter.seat == row.seat, OutgoingLetter.state == "sent"
        )
        .where(col(OutgoingLetter.id) > row.id, col(OutgoingLetter.kind).in_(telling))
    )
    return session.exec(later).first() is not None
