"""Migrations of earlier schemas, with alembic.

The folder `versions` has a numbered file for each version, which never changes and so imports nothing of the
project. `env` is run by alembic. After changing models.py write the next file there and raise
`SCHEMA_VERSION`; a test reports what still differs.
"""
