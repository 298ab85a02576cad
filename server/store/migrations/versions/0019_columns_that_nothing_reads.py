"""Drop columns that nothing reads: the act after which a plan was made, and the oldest compatible program."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Drop the columns; older programs refuse the new version."""
    op.drop_column("alembic_version", "oldest_program")
    op.drop_column("plan", "after")
