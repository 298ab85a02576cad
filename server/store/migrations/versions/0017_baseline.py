"""Version 0.1.0, where the migrations begin.

It makes no tables: a new database gets those of the newest version (server/store/database.py).
"""

revision = "0017"
down_revision = None


def upgrade() -> None:
    raise RuntimeError("a new database is not made by migrations")
