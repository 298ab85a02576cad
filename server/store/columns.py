"""Types of columns: moments in UTC, and enums kept as their values."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import DateTime, Dialect, Enum
from sqlalchemy.types import TypeDecorator


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
