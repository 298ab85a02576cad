"""Drafts: what a player has done of their turn and can still undo.

A draft is no act: nobody else hears of it, and nothing is decided. It is kept for the position after one act
and goes with the next one. It holds canonical actions, and none that draws a card or ends the turn: whoever
wants those plays them, with all that stands before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zlib import crc32

from sqlalchemy import bindparam, delete, select
from sqlmodel import Session

from engine.actions import Draw, End, Illegal
from engine.notation.canonical_text import write
from engine.position import Position
from server.store.models import Draft, Game, table_of
from server.turns.dry_run import MOST_ACTIONS, LinesRefused, Preview, preview

DRAFT_TABLE = table_of(Draft)
DELETE_DRAFTS = delete(DRAFT_TABLE).where(DRAFT_TABLE.c.game == bindparam("of"))
"""A plain statement, for every act has it done."""
SELECT_DRAFT = select(DRAFT_TABLE.c.words).where(
    DRAFT_TABLE.c.game == bindparam("of"),
    DRAFT_TABLE.c.seat == bindparam("by"),
    DRAFT_TABLE.c.after == bindparam("at"),
)
"""The same for every page of a turn."""
SEPARATOR = "; "
"""Between the actions of a draft."""


@dataclass(frozen=True, slots=True)
class DraftedTurn:
    """Actions as far as they can be undone, the position they lead to, and what is left of them."""

    kept: tuple[str, ...]
    """In canonical text."""
    later: tuple[str, ...]
    """From the first action on that draws a card or ends the turn."""
    seen: Preview

    @property
    def words(self) -> str:
        """What is kept, in one line."""
        return SEPARATOR.join(self.kept)


def compile_draft(position: Position, seat: int, lines: Sequence[str]) -> DraftedTurn:
    """What can be kept of lines that say the turn from its position on. Raises `LinesRefused`."""
    if len(lines) > MOST_ACTIONS:
        raise LinesRefused(lines[MOST_ACTIONS], Illegal("3.1", "a turn has not so many actions"))
    seen = preview(position, seat, lines)
    board = position.table.board
    final = (write(Draw(), board), write(End(), board))
    at = next((number for number, words in enumerate(seen.done) if words in final), len(seen.done))
    return DraftedTurn(seen.done[:at], (*seen.done[at:], *seen.left), seen)


def load_draft(session: Session, game: Game, seat: int) -> tuple[str, ...]:
    """The actions that a player has drafted in the position of now; none where they have not begun."""
    if game.seat != seat:
        return ()
    words = session.connection().execute(SELECT_DRAFT, {"of": game.id, "by": seat, "at": game.after}).scalar()
    return tuple(words.split(SEPARATOR)) if words else ()


def mark_draft(words: str) -> str:
    """By what the pages of its player tell this draft from another; empty for none."""
    return f"{crc32(words.encode()):x}" if words else ""


def keep_draft(session: Session, game: Game, seat: int, kept: Sequence[str], now: datetime) -> None:
    """Keep a draft instead of the one that was there; none where it is empty. The caller commits."""
    if not kept:
        delete_drafts(session, game.id)
        return
    row = Draft(game=game.id, seat=seat, after=game.after, words=SEPARATOR.join(kept), changed_at=now)
    session.merge(row)


def delete_drafts(session: Session, game: str) -> None:
    """Delete the drafts of a game: an act has made them void."""
    session.connection().execute(DELETE_DRAFTS, {"of": game})
