"""Drop columns that nothing reads: after which act a plan was made, and which older programs work."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """An older program finds a version that it does not know, and stops."""
    op.drop_column("alembic_version", "oldest_program")
    op.drop_column("plan", "after")
