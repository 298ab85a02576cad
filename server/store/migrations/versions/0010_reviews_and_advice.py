"""How whoever is away is played for, whether advice may be asked for; reviews of games that are over."""

from alembic import op
from sqlalchemy import Boolean, Column, DateTime, ForeignKey, Integer, String, Text, false, text

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Games from before keep what they have: a quiet caretaker, no advice and no review."""
    with op.batch_alter_table("opening") as batch:
        batch.add_column(Column("caretaker", String, nullable=False, server_default="quiet"))
        batch.add_column(Column("advice", Boolean, nullable=False, server_default=false()))
    with op.batch_alter_table("opening") as batch:
        batch.alter_column("caretaker", server_default=None)
        batch.alter_column("advice", server_default=None)
    op.create_table(
        "review",
        Column("game", String, ForeignKey("game.id"), primary_key=True, nullable=False),
        Column("due_at", DateTime),
        Column("tries", Integer, nullable=False),
        Column("said", Text, nullable=False),
        Column("made_at", DateTime),
    )
    set_only = text("due_at IS NOT NULL")
    op.create_index("ix_review_due", "review", ["due_at"], sqlite_where=set_only, postgresql_where=set_only)
