"""Tables of when players do not want to be asked to move."""

from __future__ import annotations

from datetime import date, datetime

from sqlmodel import Field, SQLModel

from server.store.columns import UTCDateTime


class DailyRest(SQLModel, table=True):
    """When a player sleeps and on which weekdays they have off, by the clock of their zone."""

    __tablename__ = "rest"

    player: int = Field(primary_key=True, foreign_key="player.id")
    sleeps_from: str = ""
    """Such as "23:00"; empty with the other: no hours of sleep."""
    sleeps_until: str = ""
    days_off: str = ""
    """The numbers of weekdays, 0 for Monday, such as "56"."""


class StoredVacation(SQLModel, table=True):
    """Days on which a player is away, the first and the last among them; server/accounts/vacations.py."""

    __tablename__ = "vacation"

    id: int | None = Field(default=None, primary_key=True)
    player: int = Field(foreign_key="player.id", index=True)
    game: str = ""
    """The game for which it holds; empty: for all."""
    first: date
    last: date
    told_at: datetime = Field(sa_type=UTCDateTime)
    back_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When its player was back, or has taken it back, before it was over."""
    replaces: int | None = None
    """In this game, the vacation for all games by this number."""
    ends_at: datetime = Field(sa_type=UTCDateTime, index=True)
    """The end of its last day, by the clock of its player's zone."""
