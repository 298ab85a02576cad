"""What the loops have to do next, in indexed columns.

A mail that came in has a moment before which it is not read, and a count of how often it has failed; a game
has one at which the clock looks at it next, and a seat one for its next letter of the day.
"""

from alembic import op
from sqlalchemy import Column, DateTime, Integer, column, func, select, table, update

revision = "0008"
down_revision = "0007"

MAILS = table("incoming", *map(column, ("at", "due_at")))
GAMES = table("game", *map(column, ("id", "status", "due_at", "turn_began_at")))
SEATS = table("seating", *map(column, ("game", "daily_at")))


def upgrade() -> None:
    """The clock looks at every running game once, and then knows when to look again."""
    with op.batch_alter_table("outgoing") as batch:
        batch.create_index("ix_outgoing_due", ["state", "due_at"])
    with op.batch_alter_table("incoming") as batch:
        batch.add_column(Column("due_at", DateTime))
        batch.add_column(Column("tries", Integer, nullable=False, server_default="0"))
    op.execute(update(MAILS).values(due_at=MAILS.c.at))
    with op.batch_alter_table("incoming") as batch:
        batch.alter_column("due_at", existing_type=DateTime(), nullable=False)
        batch.alter_column("tries", server_default=None)
        batch.create_index("ix_incoming_due", ["state", "due_at"])
    with op.batch_alter_table("game") as batch:
        batch.add_column(Column("due_at", DateTime))
        batch.create_index("ix_game_due_at", ["due_at"])
    with op.batch_alter_table("seating") as batch:
        batch.add_column(Column("daily_at", DateTime))
        batch.create_index("ix_seating_daily_at", ["daily_at"])
    op.execute(update(GAMES).where(GAMES.c.status == "running").values(due_at=GAMES.c.turn_began_at))
    running = select(GAMES.c.id).where(GAMES.c.status == "running")
    began = select(func.min(GAMES.c.turn_began_at)).scalar_subquery()
    op.execute(update(SEATS).where(SEATS.c.game.in_(running)).values(daily_at=began))
