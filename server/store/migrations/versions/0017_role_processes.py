"""Which processes are at the work of each role, so that one of several that is gone is missed."""

from alembic import op
from sqlalchemy import Column, DateTime, String

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """An older program is not counted here, and needs not be: it says when its roles were last at work."""
    op.create_table(
        "role_process",
        Column("process", String, primary_key=True, nullable=False),
        Column("role", String, primary_key=True, nullable=False),
        Column("at", DateTime, nullable=False),
    )
