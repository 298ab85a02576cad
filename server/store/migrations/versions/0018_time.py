"""Store times of turns in minutes, and convert stored messages and letters to their new forms."""

import json
from contextlib import suppress
from datetime import UTC, timedelta

from alembic import op
from sqlalchemy import DateTime, Integer, String, column, func, select, table, update

revision = "0018"
down_revision = "0017"
RENAMED = {"hours": "turn_minutes", "bank": "bank_minutes", "refill": "refill_minutes"}
MESSAGES = table(
    "message",
    *(column("id", Integer), column("at", DateTime), column("announcement", String), column("about", String)),
)
LETTERS = table("outgoing", *(column("id", Integer), column("kind", String), column("detail", String)))
LONGEST_PAUSE = timedelta(days=30)
NOT_ASKED_ANY_MORE = ("close the game", "go on without", "replace")


def upgrade() -> None:
    """Convert the columns to minutes; acts in the log still state times in hours."""
    for old, new in RENAMED.items():
        op.execute(f"ALTER TABLE game RENAME COLUMN {old} TO {new}")
    games = table("game", *map(column, RENAMED.values()))
    op.execute(update(games).values({one: games.c[one] * 60 for one in RENAMED.values()}))
    op.drop_table("answer_count")
    _tell_pauses()
    _ask_for_help()
    _tell_lost_seats()


def _tell_pauses() -> None:
    """Store a pause with its end: 30 days after its start, unless another end was agreed."""
    said, now = MESSAGES.c.announcement, op.get_bind()
    for number, at in now.execute(
        select(MESSAGES.c.id, MESSAGES.c.at).where(said.in_(("paused", "pause agreed")))
    ).all():
        ends = (at.replace(tzinfo=UTC) + LONGEST_PAUSE).isoformat()
        until = {"announcement": "paused until", "about": ends}
        now.execute(update(MESSAGES).where(MESSAGES.c.id == number).values(until))
    op.execute(update(MESSAGES).where(said == "pause agreed until").values(announcement="paused until"))
    op.execute(update(MESSAGES).where(said == "pause ended").values(announcement="resumed"))


def _ask_for_help() -> None:
    for words in NOT_ASKED_ANY_MORE:
        helpful = func.replace(LETTERS.c.detail, f'["{words}"', '["help"')
        op.execute(update(LETTERS).where(LETTERS.c.kind == "asked_back").values(detail=helpful))


def _tell_lost_seats() -> None:
    now = op.get_bind()
    for number, detail in now.execute(
        select(LETTERS.c.id, LETTERS.c.detail).where(LETTERS.c.kind == "replaced")
    ).all():
        with suppress(ValueError, AttributeError):  # a row that cannot be read stays as it is
            told = json.loads(detail)
            kind = "seat_refused" if told.get("why") else "replaced"
            loss = "late" if told.get("late") else "resigned" if told.get("resigned") else "absent"
            new = {"kind": kind, "detail": json.dumps({"loss": loss} | told)}
            now.execute(update(LETTERS).where(LETTERS.c.id == number).values(new))
