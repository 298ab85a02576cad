"""Tables of the server's own work: letters that are being handed over, and moments that it remembers."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import LargeBinary, Text
from sqlmodel import Field, SQLModel

from server.store.columns import UTCDateTime, enum_column
from server.store.states import MomentName


class PreparedLetter(SQLModel, table=True):
    """A letter as it was first written, until the relay has taken or refused it.

    Whoever sends it again after a fall sends the same bytes, for the relay may have it already.
    """

    __tablename__ = "prepared"

    letter: int = Field(primary_key=True, foreign_key="outgoing.id")
    raw: bytes = Field(sa_type=LargeBinary)
    """With its envelope, encrypted: encrypted_mail.py."""
    text: str = Field(sa_type=Text)
    """Its plain part, tokens masked."""
    heard: int
    """The highest number of a message that it tells; 0 for none."""
    numbers: str = Field(sa_type=Text)
    """JSON: the numbers of its options."""
    at: datetime = Field(sa_type=UTCDateTime)


class ServerMoment(SQLModel, table=True):
    """When something of the server itself was so that it has to know after a stop."""

    __tablename__ = "moment"

    name: MomentName = Field(sa_type=enum_column(MomentName), primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)
