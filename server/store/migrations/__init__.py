"""Migrations: what brings a database of an earlier version to the newest, with alembic.

The folder `versions` holds a file for each version, numbered in their order. What such a file does stays as
it is, so it imports nothing of the house. `env` is what alembic runs.

On PostgreSQL others read meanwhile, and wait for a table from its first change to the end: so a file changes
all its tables first, and then writes. Where somebody reads one for long the upgrade gives up and begins anew.

Whoever changes models.py writes the next file in `versions`, raises `SCHEMA_VERSION` and keeps a database of
the version before in tests/server/store/databases; a test tells what still differs.

In reading order, each importing only those before it:

    versions env upgrade
"""
