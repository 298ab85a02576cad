"""Letters that are being handed over, moments of the server itself, and when a mail reached the house."""

from alembic import op
from sqlalchemy import Column, DateTime, ForeignKey, Integer, LargeBinary, String, Text

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Nothing is in hand while a database is migrated."""
    op.create_table(
        "prepared",
        Column("letter", Integer, ForeignKey("outgoing.id"), primary_key=True, nullable=False),
        Column("raw", LargeBinary, nullable=False),
        Column("text", Text, nullable=False),
        Column("heard", Integer, nullable=False),
        Column("numbers", Text, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_table(
        "moment",
        Column("name", String, primary_key=True, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    with op.batch_alter_table("incoming") as batch:
        batch.add_column(Column("arrived_at", DateTime))
