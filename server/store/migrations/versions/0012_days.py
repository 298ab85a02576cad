"""Days: when players sleep and are away, what they plan, how soon they answer; pauses, banks, kept seats."""

from alembic import op
from sqlalchemy import Boolean, Column, Date, DateTime, ForeignKey, Integer, String, Text, text

revision = "0012"
down_revision = "0011"
BANKS = ("bank", "refill", "bank_left")


def upgrade() -> None:
    """Nobody has said anything of this before.

    Games from before allow any number of days away, in each the caretaker plays one turn after the other, and
    they keep their hours for a turn and have no bank.
    """
    _add_absences()
    _add_plans()
    op.create_table(
        "answer_count",
        Column("player", Integer, ForeignKey("player.id"), primary_key=True, nullable=False),
        Column("answers", Text, nullable=False),
        Column("quarters", Text, nullable=False),
    )
    with op.batch_alter_table("game") as batch:
        batch.add_column(Column("paused_at", DateTime))
        batch.add_column(Column("time_left", Integer))
        for name in BANKS:
            batch.add_column(Column(name, Integer, nullable=False, server_default="0"))
    with op.batch_alter_table("game") as batch:
        for name in BANKS:
            batch.alter_column(name, server_default=None)
    _add_kept_seats()


def _add_absences() -> None:
    op.create_table(
        "rest",
        Column("player", Integer, ForeignKey("player.id"), primary_key=True, nullable=False),
        Column("sleeps_from", String, nullable=False),
        Column("sleeps_until", String, nullable=False),
        Column("days_off", String, nullable=False),
    )
    op.create_table(
        "vacation",
        Column("id", Integer, primary_key=True, nullable=False),
        Column("player", Integer, ForeignKey("player.id"), nullable=False),
        Column("game", String, nullable=False),
        Column("first", Date, nullable=False),
        Column("last", Date, nullable=False),
        Column("told_at", DateTime, nullable=False),
        Column("back_at", DateTime, nullable=True),
        Column("replaces", Integer, nullable=True),
        Column("ends_at", DateTime, nullable=False),
    )
    op.create_index("ix_vacation_player", "vacation", ["player"])
    op.create_index("ix_vacation_ends_at", "vacation", ["ends_at"])
    with op.batch_alter_table("opening") as batch:
        batch.add_column(Column("vacation_days", Integer, nullable=True))


def _add_kept_seats() -> None:
    with op.batch_alter_table("opening") as batch:
        batch.add_column(Column("absence", String, nullable=False, server_default=""))
    with op.batch_alter_table("opening") as batch:
        batch.alter_column("absence", server_default=None)
    op.create_table(
        "absent",
        Column("game", String, ForeignKey("game.id"), primary_key=True, nullable=False),
        Column("seat", Integer, primary_key=True, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_table(
        "offered",
        Column("game", String, ForeignKey("game.id"), primary_key=True, nullable=False),
        Column("seat", Integer, primary_key=True, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_index("ix_offered_at", "offered", ["at"])
    op.add_column("seating", Column("chat_from", Integer, nullable=False, server_default="0"))


def _add_plans() -> None:
    op.create_table(
        "plan",
        Column("game", String, ForeignKey("game.id"), primary_key=True, nullable=False),
        Column("seat", Integer, primary_key=True, nullable=False),
        Column("words", Text, nullable=False),
        Column("after", Integer, nullable=False),
        Column("turn", Integer, nullable=False),
        Column("missed", Boolean, nullable=False),
        Column("due_at", DateTime, nullable=True),
        Column("changed_at", DateTime, nullable=False),
    )
    op.create_index("ix_plan_changed", "plan", ["changed_at"])
    set_only = text("due_at IS NOT NULL")
    op.create_index("ix_plan_due", "plan", ["due_at"], sqlite_where=set_only, postgresql_where=set_only)
