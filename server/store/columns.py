"""Types of columns: moments in UTC, and enums kept as their values."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import DateTime, Dialect, String
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


class EnumColumn(TypeDecorator[StrEnum]):
    """A member of an enum, stored as text of any length: the database knows nothing of the enum."""

    impl = String
    cache_ok = True
    members: ClassVar[type[StrEnum]]

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The value of a member, and of nothing else."""
        return None if value is None else self.members(value).value

    def process_result_value(self, value: Any, dialect: Dialect) -> StrEnum | None:
        """The member that was stored."""
        return None if value is None else self.members(value)


def column_of(members: type[StrEnum]) -> type[EnumColumn]:
    """The type of a column that holds members of this enum."""
    return type(f"{members.__name__}Column", (EnumColumn,), {"members": members, "cache_ok": True})
