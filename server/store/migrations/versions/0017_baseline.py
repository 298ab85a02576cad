"""Version 0.1.0, where the migrations begin.

This file creates no tables: a new database gets the tables of the newest version (server/store/database.py).
"""

revision = "0017"
down_revision = None


def upgrade() -> None:
    raise RuntimeError("a new database is not made by migrations")
