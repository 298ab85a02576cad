"""How long it takes to back a database up and to bring it back, and that it is the same then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from sqlalchemy import URL, func, make_url, select

from server.admin.backups import back_up, examine_stored_acts
from server.store.context import Context
from server.store.database import MODELS, open_database
from server.store.dialects.system_choice import system_of
from tests.server.storage import storage


def back_up_and_restore(context: Context, folder: Path, now: datetime) -> Iterable[str]:
    """Back a database up, bring it back as another one, and let the doctor read all of it; a line of each."""
    counted = _count(context)
    file, again = folder / "copy", folder / "again"
    took = _timed(lambda: back_up(context, file, now))
    yield f"backup: {took:.1f} s, a file of {file.stat().st_size / 1e6:.1f} MB"
    again.mkdir()
    url = make_url(storage().bare(again))
    yield f"restore: {_timed(lambda: _put_back(url, file)):.1f} s"
    back = Context(context.settings, open_database(url), context.links)
    assert _count(back) == counted, "each table has as many rows as before"
    found: list[str] = []
    took = _timed(lambda: found.extend(map(str, examine_stored_acts(back))))
    back.database.dispose()
    assert found == [], found[:3]
    yield f"every act of {counted['game']} games judged again after it: {took:.1f} s, and all is well"


def _put_back(url: URL, file: Path) -> None:
    with system_of(url).stage_copy(url, file, replacing=False):
        pass  # nothing is changed in it


def _count(context: Context) -> dict[str, int]:
    with context.database.connect() as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table)) or 0
            for table in MODELS.sorted_tables
            if table.name not in ("moment", "role_process")
        }


def _timed(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began
