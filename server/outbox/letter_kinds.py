"""Stored payloads of letters, sets of their kinds, and the rules for merging letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import cast

from pydantic import TypeAdapter
from sqlmodel import Session, col, select

from emails.letters import account_letters  # noqa: F401, its kinds are part of the sets below
from emails.letters.declaration import KINDS, Declared, Payload, Policy
from emails.letters.game_letters import Answer, GameOver, Reminder, Step, Welcome, YourTurn
from emails.letters.lobby_letters import Invitation
from server.store.models import OutgoingLetter

NOTE_KEY = "note"


@cache
def _adapter_of(declared: type[Payload]) -> TypeAdapter[Payload]:
    return TypeAdapter(declared)


def encode_payload(payload: Payload) -> str:
    return _adapter_of(type(payload)).dump_json(payload, exclude_none=True).decode()


def decode_payload(declared: type[Declared], stored: str) -> Declared:
    """Decode a stored payload of a kind. Raises `ValueError` if its JSON is invalid."""
    return cast(Declared, _adapter_of(declared).validate_json(stored))


def decode_row(row: OutgoingLetter) -> Payload:
    """Decode the payload of a row. Raises `ValueError` if its JSON is invalid or its kind unknown."""
    if row.kind not in KINDS:
        raise ValueError(f"{row.kind!r:.40} is no kind of letter")
    return decode_payload(KINDS[row.kind], row.detail)


def load_note(session: Session, game: str, seat: int) -> str:
    rows = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game,
        OutgoingLetter.seat == seat,
        OutgoingLetter.kind == Invitation.kind,
    )
    last = session.exec(rows.order_by(col(OutgoingLetter.id).desc()).limit(1)).first()
    return "" if last is None else _note_of(last)


def list_notes(session: Session, game: str) -> list[str]:
    rows = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game, OutgoingLetter.kind == Invitation.kind
    )
    found = map(_note_of, session.exec(rows.order_by(col(OutgoingLetter.id))))
    return [*dict.fromkeys(note for note in found if note)]


def _note_of(detail: str) -> str:
    return decode_payload(Invitation, detail).note


SIGN_IN_LINK_VALID = timedelta(minutes=10)


def kinds_where(holds: Callable[[Policy], bool]) -> tuple[str, ...]:
    return tuple(kind for kind, declared in KINDS.items() if holds(declared.policy))


COMBINABLE_KINDS = (*kinds_where(lambda one: one.rank > 0), Answer.kind)
KINDS_SHOWING_GAME = kinds_where(lambda one: one.rank > 0 or one.answers_mail)
ANSWER_KINDS = kinds_where(lambda one: one.answers_mail or one.asks_back)
GAMELESS_KINDS = kinds_where(lambda one: one.gameless)
ADDRESS_KINDS = kinds_where(lambda one: one.to_unused_address)
UNSOLICITED_KINDS = kinds_where(lambda one: one.unsolicited)
KINDS_SENT_DESPITE_UNSUBSCRIBE = kinds_where(lambda one: one.despite_unsubscribe)
KINDS_SENT_DESPITE_SUSPENSION = kinds_where(lambda one: one.despite_suspension)
KINDS_MERGED_INTO_ANSWERS = kinds_where(lambda one: 0 < one.rank < Welcome.policy.rank)


def kinds_including(kind: str) -> tuple[str, ...]:
    """Return the kinds of letters that make an earlier letter of `kind` obsolete; empty if there are none."""
    rank = KINDS[kind].policy.rank
    if not rank or kind == GameOver.kind:
        return ()
    if kind in (
        Step.kind,
        YourTurn.kind,
    ):  # any kind that shows the player to move includes it
        rank = KINDS[Reminder.kind].policy.rank
    ranked = kinds_where(lambda one: one.rank >= rank)
    return (*ranked, Answer.kind) if kind in KINDS_MERGED_INTO_ANSWERS else ranked


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A waiting row of the outbox, with its payload."""

    row: OutgoingLetter
    payload: Payload

    @property
    def is_held_back(self) -> bool:
        return self.payload.waits(self.row.seat)

    @property
    def rank(self) -> tuple[int, bool, int]:
        return self.payload.policy.rank, not self.is_held_back, self.row.id or 0

    @property
    def is_needless(self) -> bool:
        return isinstance(self.payload, Answer) and self.payload.is_needless


def choose_leading_letter(due: Sequence[WaitingLetter]) -> WaitingLetter:
    """Choose the due letter of a seat that is sent first; the others follow unless merged into it.

    An answer to a mail comes first, unless a letter about the end of the game makes the answer needless.
    """
    answers = [one for one in due if one.row.kind == Answer.kind]
    if not answers:
        return max(due, key=lambda one: one.rank)
    ranked = max((one for one in due if one not in answers), key=lambda one: one.rank, default=None)
    if ranked is None or ranked.row.kind != GameOver.kind or not answers[-1].is_needless:
        return answers[0]
    ranked.row.answers = answers[-1].row.answers
    return ranked


def covers(letter: WaitingLetter, other: WaitingLetter) -> bool:
    """Return whether another letter to the seat is merged into this letter."""
    if other.row is letter.row:
        return False
    if letter.row.kind == Answer.kind:
        return other.row.kind in KINDS_MERGED_INTO_ANSWERS
    is_ranked = other.payload.policy.rank > 0
    return is_ranked or (letter.row.answers == other.row.answers and other.is_needless)
