"""Script that alembic runs: executes the due migrations on the given connection."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
