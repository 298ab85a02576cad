"""Tables of how players and their programs show who they are: sign-in links, browsers, API keys."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from server.store.columns import UTCDateTime


class SignInLink(SQLModel, table=True):
    """A link mailed to a player, with which they can sign in once; see server/accounts/sign_in.py."""

    __tablename__ = "signin"

    digest: str = Field(primary_key=True)
    """SHA-256 of the code in the link, so that whoever reads the database cannot sign in."""
    player: int = Field(foreign_key="player.id", index=True)
    at: datetime = Field(sa_type=UTCDateTime)
    leads_to: str = ""
    """Where its reader came from: a game's settings by its id, a page of sign_in.py; empty: their games."""


class SignedInBrowser(SQLModel, table=True):
    """A browser in which a player is signed in."""

    __tablename__ = "signedin"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """SHA-256 of what its cookie holds."""
    player: int = Field(foreign_key="player.id", index=True)
    browser: str
    """Which browser on which system, in a few words."""
    at: datetime = Field(sa_type=UTCDateTime)
    seen_at: datetime = Field(sa_type=UTCDateTime)


class ApiKey(SQLModel, table=True):
    """A token with which a program acts for a player; see server/accounts/sign_in.py."""

    __tablename__ = "key"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """SHA-256 of the token."""
    player: int = Field(foreign_key="player.id", index=True)
    name: str
    """What the player calls it."""
    at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
