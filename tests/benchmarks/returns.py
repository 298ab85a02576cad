"""How long it takes to back a database up and to bring it back, and that it is the same then."""

from __future__ import annotations

import os
import pwd
import subprocess
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from server.admin.backups import back_up, restore_file
from server.admin.doctor import examine_stored_acts
from server.store.context import Context
from server.store.database import MODELS, open_database
from tests.postgresql import USER, cluster
from tests.server.storage import SQLITE

LONGEST = 1800.0
"""Seconds that a program of PostgreSQL may take."""


def back_up_and_restore(context: Context, folder: Path, now: datetime) -> Iterable[str]:
    """Back a database up, bring it back as another one, and let the doctor read all of it; a line of each."""
    counted = _count(context)
    if context.database.url.get_backend_name() == SQLITE:
        file, again = folder / "copy.db", folder / "again.sqlite"
        took = _timed(lambda: back_up(context, file, now))
        yield f"backup: {took:.1f} s, a file of {file.stat().st_size / 1e6:.1f} MB"
        url = context.database.url.set(database=str(again))
        yield f"restore: {_timed(lambda: restore_file(url, file, replacing=False)):.1f} s"
    else:
        name = context.database.url.database or ""
        file = cluster().folder / "copy.dump"
        took = _timed(lambda: _run("pg_dump", "-Fc", "-f", str(file), name))
        yield f"backup (pg_dump -Fc): {took:.1f} s, a file of {file.stat().st_size / 1e6:.1f} MB"
        cluster().create("again")
        url = context.database.url.set(database="again")
        took = _timed(lambda: _run("pg_restore", "--exit-on-error", "-d", "again", str(file)))
        yield f"restore (pg_restore): {took:.1f} s"
        file.unlink()
    back = Context(context.settings, open_database(url), context.links)
    assert _count(back) == counted, "each table has as many rows as before"
    found: list[str] = []
    took = _timed(lambda: found.extend(map(str, examine_stored_acts(back))))
    back.database.dispose()
    assert found == [], found[:3]
    yield f"every act of {counted['game']} games judged again after it: {took:.1f} s, and all is well"


def _count(context: Context) -> dict[str, int]:
    with context.database.connect() as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table)) or 0
            for table in MODELS.sorted_tables
            if table.name != "moment"
        }


def _timed(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def _run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL as the one who may."""
    own = cluster()
    known: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = pwd.getpwnam(USER)
        known = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    command = [str(own.programs / program), "-h", str(own.folder), "-U", USER, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=own.folder, timeout=LONGEST, **known)
    assert done.returncode == 0, done.stderr
