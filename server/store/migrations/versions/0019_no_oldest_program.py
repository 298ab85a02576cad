"""Let a database not say which older programs work with it: none does."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """An older program finds a version that it does not know, and stops."""
    op.drop_column("alembic_version", "oldest_program")
