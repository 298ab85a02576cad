"""Migrations: what brings a database of an earlier version to the newest, with alembic.

The folder `versions` holds a file for each version, numbered in their order. What such a file does stays as
it is, so it imports nothing of the house. `env` is what alembic runs.

Whoever changes models.py writes the next file in `versions` and raises `SCHEMA_VERSION`; a test tells what
still differs.

In reading order, each importing only those before it:

    versions env upgrade
"""
