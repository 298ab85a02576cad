"""Types of columns: moments in UTC, and enums kept as their values; tables, and ids that may be no text."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import DateTime, Dialect, Enum, Table
from sqlalchemy.types import TypeDecorator
from sqlmodel import SQLModel


class UTCDateTime(TypeDecorator[datetime]):
    """A moment in UTC; SQLite keeps no zones, so it is stored without and always read with one."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """A moment of any zone, as UTC without a zone."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The stored moment, in UTC."""
        return None if value is None else value.replace(tzinfo=UTC)


def enum_column(members: type[StrEnum]) -> Enum:
    """The type of a column of members of this enum, stored as text of any length.

    The database knows nothing of the enum, so that a new member needs no migration.
    """
    return Enum(
        members,
        native_enum=False,
        length=None,
        validate_strings=True,
        values_callable=lambda enum: [member.value for member in enum],
    )


def table_of(model: type[SQLModel]) -> Table:
    """The table of a model, for plain statements, which cost less than those of the ORM."""
    return model.metadata.tables[str(model.__tablename__)]


def read_id(written: str) -> str:
    """An id from what SQL's `hex` makes of it, so that one that is no text hides none of the others.

    Such a one has backslashes in it, which no id has, and is that of no row.
    """
    return bytes.fromhex(written).decode("ascii", "backslashreplace")


def is_unreadable(number: str) -> bool:
    """Whether an id is none that can be looked up."""
    return "\\" in number
