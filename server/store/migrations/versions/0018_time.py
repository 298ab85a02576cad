"""Count the time for turns in minutes, for games of less than an hour a turn; drop the counts of answers."""

from alembic import op
from sqlalchemy import column, table, update

revision = "0018"
down_revision = "0017"
RENAMED = {"hours": "turn_minutes", "bank": "bank_minutes", "refill": "refill_minutes"}


def upgrade() -> None:
    """Each game keeps its exact time; what its acts say of it stays in hours."""
    for old, new in RENAMED.items():
        op.execute(f"ALTER TABLE game RENAME COLUMN {old} TO {new}")
    games = table("game", *map(column, RENAMED.values()))
    op.execute(update(games).values({one: games.c[one] * 60 for one in RENAMED.values()}))
    op.drop_table("answer_count")
