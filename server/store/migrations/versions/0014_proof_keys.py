"""The key of the heads that letters tell of a game's log."""

import secrets

from alembic import op
from sqlalchemy import Column, String, column, select, table, update

revision = "0014"
down_revision = "0013"
GAMES = table("game", column("id"), column("proof_key"))
KEY_BYTES = 16


def upgrade() -> None:
    """Every game gets a key; a program of before that opens one meanwhile leaves it empty."""
    op.add_column("game", Column("proof_key", String, nullable=False, server_default=""))
    connection = op.get_bind()
    for game in connection.execute(select(GAMES.c.id)).scalars().all():
        same = update(GAMES).where(GAMES.c.id == game)
        connection.execute(same.values(proof_key=secrets.token_hex(KEY_BYTES)))
