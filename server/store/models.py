"""What is stored: people, games, who sits where, acts, and letters going out and coming in.

`Act` is the truth and is only ever added to; everything in `Game` below its line is worked out from the acts
and can be made anew (`alexandros rebuild`).
"""

from __future__ import annotations

import secrets
from datetime import datetime

from sqlalchemy import LargeBinary, Text
from sqlmodel import Field, SQLModel

from emails.letters.kinds import LetterKind
from engine.seal.hash_chain import KEY_BYTES
from server.store.columns import UTCDateTime, enum_column
from server.store.states import (
    Announcement,
    Channel,
    ConfirmationPurpose,
    GameStatus,
    Hindrance,
    LetterState,
    MailState,
)


def make_proof_key() -> str:
    """A key that nobody can guess, in hexadecimal digits."""
    return secrets.token_hex(KEY_BYTES)


class Player(SQLModel, table=True):
    """A person, known by an address."""

    id: int = Field(default=None, primary_key=True)
    """Given by the database when the row is written."""
    mailbox: str = Field(default="", index=True)
    """The digest of the address as one mailbox has it, kept with each change: `digest_address`."""
    address: str = Field(unique=True)
    """As written by whoever invited; compared in lower case."""
    name: str
    confirmed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When they first showed that they read mail there; None: they are a stranger."""


class Game(SQLModel, table=True):
    """A game, and below the line what follows from its acts."""

    id: str = Field(primary_key=True)
    name: str
    board: str
    edition: str
    turn_minutes: int
    """Time for a turn; 0: as long as one likes."""
    bank_minutes: int = 0
    """The reserve of each player for turns that take longer."""
    refill_minutes: int = 0
    """What a turn that is played in time puts back into it."""
    opened_at: datetime = Field(sa_type=UTCDateTime)

    # worked out from the acts
    seq: int = 0
    """The number of the last act."""
    after: int = 0
    """The number of the last act that changed the position: what a ticket is good for."""
    status: GameStatus = Field(default=GameStatus.OPEN, sa_type=enum_column(GameStatus))
    turn: int = 0
    seat: int | None = None
    """Whose turn it is."""
    turn_began_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    bank_left: int = 0
    """Seconds that were in the bank of whoever is to move when their turn came."""
    deadline: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)
    time_left: int | None = None
    """Seconds that are left of a turn whose clock stands; None: it runs, or nothing had gone of it."""
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it was over or called off."""
    watched_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When something last happened in it, where anybody may watch it."""

    # kept by the clock
    reminded: int = 0
    """Which reminders of this turn have passed, sent or not wanted: their marks together."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)
    """When the clock looks at it next: at once after each act; None: when something happens."""

    # kept by the operator
    suspended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Since when nobody can play it and no letter of it is sent; None: it goes its way."""
    paused_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Since when no time runs on its turns, as its players want it; worked out from the acts too."""
    redactions: int = 0
    """How often names were taken out of its acts, which changes their digests."""
    proof_key: str = Field(default_factory=make_proof_key, sa_column_kwargs={"server_default": ""})
    """The key of the heads that letters tell of its log (engine/seal/), told with the log at its end.

    Empty in games of an earlier version: then no letter tells any.
    """


class Seating(SQLModel, table=True):
    """Who sits on a seat of a game."""

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    name: str
    player: int | None = Field(default=None, foreign_key="player.id", index=True)
    """None for a seat that no person plays."""
    house: bool = False
    """Whether the server plays this seat."""
    accepted_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    epoch: int = 0
    """How often its links were made new: only tickets of this epoch open anything."""
    daily_at: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)
    """When the clock sees whether a letter of the day is due; None: they want none, or the game is not on."""
    held_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the clock sees whether somebody who asked for it has answered; None: nobody has asked."""
    chat_from: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The number of the last message before whoever plays on came: they read only later ones."""


class Act(SQLModel, table=True):
    """One accepted message: written whole or not at all, never changed."""

    game: str = Field(primary_key=True, foreign_key="game.id")
    seq: int = Field(primary_key=True)
    at: str
    """When, in UTC, as ISO 8601 text: part of what the digest covers."""
    seat: int | None
    """Who acted; None: the server."""
    door: Channel = Field(sa_type=enum_column(Channel))
    said: str = Field(sa_type=Text)
    events: str = Field(sa_type=Text)
    """JSON list of facts."""
    digest: str
    """SHA-256 over the previous digest and this row."""


class OutgoingLetter(SQLModel, table=True):
    """A letter to be written and sent: it is stored with the act that causes it."""

    __tablename__ = "outgoing"

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    """Follows from game, act, seat and kind, so that one occasion gives one letter."""
    game: str = Field(foreign_key="game.id")
    seq: int
    seat: int
    kind: LetterKind = Field(sa_type=enum_column(LetterKind))
    recipient: str
    detail: str = Field(default="{}", sa_type=Text)
    """JSON: what the letter says beyond the position; see server/outbox/letter_kinds.py."""
    answers: str | None = None
    """The Message-ID of the mail it answers."""
    state: LetterState = Field(default=LetterState.WAITING, sa_type=enum_column(LetterState))
    why: str = ""
    """Why it is in that state, for the operator; nothing follows from the words."""
    hindrance: Hindrance = Field(
        default=Hindrance.NONE, sa_type=enum_column(Hindrance), sa_column_kwargs={"server_default": ""}
    )
    told_by: int | None = Field(default=None, foreign_key="outgoing.id")
    """The letter that tells it instead; should that one never leave, this one waits again."""
    tries: int = 0
    text: str = Field(default="", sa_type=Text)
    """Its plain part as sent, tokens masked, so that an answer can be told from what it quotes."""
    queued_at: datetime = Field(sa_type=UTCDateTime)
    due_at: datetime = Field(sa_type=UTCDateTime)
    """Not before this; moved on while somebody is sending it and after a failure. Of one that was answered:
    when its words go."""
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class LocalMail(SQLModel, table=True):
    """A mail in the built-in mailbox."""

    __tablename__ = "kept"

    id: int | None = Field(default=None, primary_key=True)
    recipient: str = Field(index=True)
    message_id: str = Field(unique=True)
    at: datetime = Field(sa_type=UTCDateTime)
    raw: bytes = Field(sa_type=LargeBinary)
    """Encrypted: encrypted_mail.py."""


class IncomingMail(SQLModel, table=True):
    """A mail taken in, as it came, before anybody looks at it."""

    __tablename__ = "incoming"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """SHA-256 over recipient and bytes: the same mail twice is one mail."""
    at: datetime = Field(sa_type=UTCDateTime)
    sender: str
    recipient: str
    """Without its token, as `without_token` makes it; the whole envelope is encrypted with the mail."""
    raw: bytes = Field(sa_type=LargeBinary)
    """Its envelope, encrypted: encrypted_mail.py."""
    raw_mail: int | None = Field(default=None, foreign_key="raw_mail.id", index=True)
    """Its bytes; None: they stand with the envelope, as it was before, or are deleted."""
    network: str = ""
    """The network that it came from; empty where that is not known."""
    message_id: str | None = Field(default=None, index=True)
    state: MailState = Field(default=MailState.WAITING, sa_type=enum_column(MailState))
    why: str = ""
    hindrance: Hindrance = Field(
        default=Hindrance.NONE, sa_type=enum_column(Hindrance), sa_column_kwargs={"server_default": ""}
    )
    due_at: datetime = Field(sa_type=UTCDateTime)
    """Not read before this: moved on where it has to wait, or has failed."""
    tries: int = 0
    """How often it has failed."""
    arrived_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When a mail server of the house took it; None: when it was stored."""


class StoredPreferences(SQLModel, table=True):
    """What a player wants to hear, of all games or of one."""

    __tablename__ = "preference"

    player: int = Field(primary_key=True, foreign_key="player.id")
    game: str = Field(primary_key=True)
    """Empty: of all games."""
    said: str = Field(sa_type=Text)
    """JSON: what they have said, as server/outbox/preferences.py reads it."""
    letters_stopped: bool | None = None
    """Whether it says that they want no letters; None: it is of an earlier version, and may say so."""


class ChatMessage(SQLModel, table=True):
    """What a player, or the server, wrote to the players of a game."""

    __tablename__ = "message"

    id: int | None = Field(default=None, primary_key=True)
    game: str = Field(foreign_key="game.id", index=True)
    at: datetime = Field(sa_type=UTCDateTime)
    seat: int | None = None
    """Who wrote it; None: the server."""
    addressee: int | None = None
    """The seat that alone may read it; None: everybody; -1: nobody any more."""
    words: str = Field(sa_type=Text)
    """As a player wrote them; empty where the server says something."""
    announcement: Announcement | None = Field(default=None, sa_type=enum_column(Announcement))
    """What the server says, for each reader hears it in their own language; None: a player wrote it."""
    about: str = ""
    """The name or the moment of which the server speaks."""


class ReadMarker(SQLModel, table=True):
    """Up to which message a seat has been told by letter."""

    __tablename__ = "heard"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    message: int
    """The highest number of a message that stood in a letter that was sent."""


class BouncingAddress(SQLModel, table=True):
    """An address of a player from which letters come back, or did; see server/accounts/bounces.py."""

    __tablename__ = "failing"

    player: int = Field(primary_key=True, foreign_key="player.id")
    address: str = Field(primary_key=True)
    """In lower case."""
    since: datetime = Field(sa_type=UTCDateTime)
    why: str = ""
    """As the mail server says it."""
    reported: bool = False
    """Whether only a mail says so, which its player may have forged; the relay's own refusal is none."""
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it was found good again: what was sent before tells nothing new."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the clock looks at it next; None: it was found good again."""


class Resignation(SQLModel, table=True):
    """A seat whose player has given the game up; worked out from the acts (server/lobby/leaving.py)."""

    __tablename__ = "resigned"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class AddressConfirmation(SQLModel, table=True):
    """An address that a player has named, or that was theirs, and that must answer."""

    __tablename__ = "confirmation"

    digest: str = Field(primary_key=True)
    """SHA-256 of the code in the letter, so that whoever reads the database cannot answer."""
    purpose: ConfirmationPurpose = Field(
        default=ConfirmationPurpose.ADDRESS, sa_type=enum_column(ConfirmationPurpose)
    )
    player: int = Field(foreign_key="player.id", index=True)
    address: str
    at: datetime = Field(sa_type=UTCDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When letters go there without a word from an address that is dead; None: nothing happens by itself."""
    confirmed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the new address said yes before that moment."""
