"""Which programs work with a database, so that an older one may go on beside a newer one."""

from alembic import op
from sqlalchemy import Column, String

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Nothing is said yet: whoever migrates says it when all is done."""
    op.add_column("alembic_version", Column("oldest_program", String(32)))
