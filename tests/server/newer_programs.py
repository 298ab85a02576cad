"""A program of a later time, as a folder: it knows one migration more, and uses what that adds."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from server.store.database import SCHEMA_VERSION
from tests.paths import TOP

NEXT = f"{int(SCHEMA_VERSION) + 1:04}"
MIGRATION = f'''
from alembic import op
from sqlalchemy import Column, Integer, String

revision, down_revision = "{NEXT}", "{SCHEMA_VERSION}"

def upgrade() -> None:
    op.add_column("game", Column("motto", String))
    op.create_table("mottoes", Column("id", Integer, primary_key=True), Column("words", String))
'''
MIGRATE = """
import sys
from sqlalchemy import make_url
from server.store.migrations.upgrade import upgrade_database
upgrade_database(make_url(sys.argv[1]), lambda: None)
"""


def newer_program(folder: Path, oldest: str) -> Path:
    """The folder of a program with one migration more, which says with which programs that can be shared."""
    shutil.copytree(TOP / "server", folder / "server", ignore=shutil.ignore_patterns("__pycache__"))
    for one in ("emails", "engine", "config", "tests", "pyproject.toml"):
        (folder / one).symlink_to(TOP / one)
    database, models = folder / "server/store/database.py", folder / "server/store/models.py"
    words = database.read_text("utf-8")
    words = re.sub(r"^SCHEMA_VERSION = .*$", f'SCHEMA_VERSION = "{NEXT}"', words, flags=re.MULTILINE)
    words = re.sub(r"^OLDEST_PROGRAM = .*$", f'OLDEST_PROGRAM = "{oldest}"', words, flags=re.MULTILINE)
    database.write_text(words, "utf-8")
    words, added = models.read_text("utf-8"), "    motto: str | None = None\n"
    models.write_text(re.sub(r"(?m)^(    proof_key: .*\n)", rf"\1{added}", words), "utf-8")
    assert added in models.read_text("utf-8")
    (folder / f"server/store/migrations/versions/{NEXT}_mottoes.py").write_text(MIGRATION, "utf-8")
    return folder


def begin_migration(program: Path, url: str) -> subprocess.Popen[bytes]:
    """Let that program migrate a database; it is not waited for."""
    return subprocess.Popen([sys.executable, "-c", MIGRATE, url], cwd=program)
