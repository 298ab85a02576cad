"""Tables of what keeps unwanted mail away: a ledger, visits, blocks, proposals; mails to the operator."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import LargeBinary, Text
from sqlmodel import Field, SQLModel

from server.store.columns import UTCDateTime, enum_column
from server.store.states import BlockKind, BlockOrigin, LetterState, OperatorMatter


class UnaskedLetter(SQLModel, table=True):
    """A letter that somebody else than its reader has caused; see server/outbox/budgets.py."""

    __tablename__ = "unasked"

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    """Of the letter in the outbox."""
    address: str = Field(index=True)
    """The digest of the address that it goes to."""
    origin: str = Field(index=True)
    """Who has caused it: a network, a player by their number, or the operator; empty where nobody knows."""
    at: datetime = Field(sa_type=UTCDateTime, index=True)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)


class Visit(SQLModel, table=True):
    """That a visitor did something of which nobody may do much within an hour; see web/kit/rate_limit.py."""

    __tablename__ = "visit"

    id: int | None = Field(default=None, primary_key=True)
    what: str
    visitor: str
    """The network that they came from, or a player by their number."""
    at: datetime = Field(sa_type=UTCDateTime, index=True)


class Block(SQLModel, table=True):
    """Somebody to whom nothing is sent, and who is not heard; see server/outbox/budgets.py."""

    kind: BlockKind = Field(sa_type=enum_column(BlockKind), primary_key=True)
    value: str = Field(primary_key=True)
    """The digest of an address, a domain, or a network."""
    origin: BlockOrigin = Field(sa_type=enum_column(BlockOrigin), primary_key=True)
    shown: str
    """The same, as the operator may read it: of an address its first letter and its domain."""
    at: datetime = Field(sa_type=UTCDateTime)


class OperatorMail(SQLModel, table=True):
    """A mail to the operator: what was written to postmaster@ or abuse@, or what the server has to say."""

    __tablename__ = "operatormail"

    id: int | None = Field(default=None, primary_key=True)
    matter: OperatorMatter = Field(sa_type=enum_column(OperatorMatter), sa_column_kwargs={"name": "subject"})
    raw: bytes = Field(sa_type=LargeBinary)
    """The mail that is passed on, or the words, encrypted: encrypted_mail.py."""
    state: LetterState = Field(default=LetterState.WAITING, sa_type=enum_column(LetterState), index=True)
    tries: int = 0
    at: datetime = Field(sa_type=UTCDateTime, index=True)
    due_at: datetime = Field(sa_type=UTCDateTime)


class Proposal(SQLModel, table=True):
    """What somebody asked for by mail who has not confirmed it yet; see server/lobby/proposals.py."""

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int
    """The organiser's own, and the only one that is seated before they confirm it."""
    request: str = Field(sa_type=Text, sa_column_kwargs={"name": "wishes"})
    """JSON, as `game_request_to_json` writes it."""
    replaced_by: str = ""
    """The game that they asked for later instead of this one; empty where this is the last."""
