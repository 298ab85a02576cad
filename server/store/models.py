"""Tables of the database, the types of their columns, and their indexes."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    DateTime,
    Dialect,
    Enum,
    Index,
    LargeBinary,
    Table,
    Text,
    event,
    func,
    literal_column,
)
from sqlalchemy.orm import Mapper
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel, col

from emails.letters.kinds import LetterKind
from emails.terms import AbsenceRule, Caretaker, JoinedBy
from engine.seal.hash_chain import KEY_BYTES
from server.mail_addresses import digest_address
from server.roles import Role
from server.store.dialects.expressions import partial_index
from server.store.states import (
    Announcement,
    BlockKind,
    BlockOrigin,
    Channel,
    ConfirmationPurpose,
    GameStatus,
    Hindrance,
    LetterState,
    MailState,
    MomentName,
    OperatorMatter,
)


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
    """That a visitor did something of which nobody may do much within an hour; see web/kit/visitors.py."""

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


class RawMail(SQLModel, table=True):
    """The bytes of a mail that came in, once for all its recipients."""

    __tablename__ = "raw_mail"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """HMAC-SHA256 over the bytes."""
    raw: bytes = Field(sa_type=LargeBinary)
    """Encrypted: encrypted_mail.py."""


class ServerMoment(SQLModel, table=True):
    """When something of the server itself was so that it has to know after a stop."""

    __tablename__ = "moment"

    name: MomentName = Field(sa_type=enum_column(MomentName), primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class RoleProcess(SQLModel, table=True):
    """When a process was last well at the work of a role; those that are gone have no row for long."""

    __tablename__ = "role_process"

    process: str = Field(primary_key=True)
    """A name that it gives itself at its start, of no other meaning."""
    role: Role = Field(sa_type=enum_column(Role), primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class GameReview(SQLModel, table=True):
    """What the judge thinks of the turns of a game that is over."""

    __tablename__ = "review"

    game: str = Field(primary_key=True, foreign_key="game.id")
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it is worked at next; None: it is made, or was given up."""
    tries: int = 0
    """How often it has failed."""
    said: str = Field(default="", sa_type=Text)
    """JSON: what is found so far."""
    made_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it was whole; None: it is not yet."""


class Draft(SQLModel, table=True):
    """What a player has done of their turn and can still undo: no act, and nobody else ever hears of it."""

    __tablename__ = "draft"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    after: int
    """The number of the act after which it was begun; it holds for no other position."""
    words: str = Field(sa_type=Text)
    """Its actions in canonical text, parted by "; "."""
    changed_at: datetime = Field(sa_type=UTCDateTime)


class AbsentSeat(SQLModel, table=True):
    """A seat that the caretaker keeps until its player is back; worked out from the acts."""

    __tablename__ = "absent"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class OfferedSeat(SQLModel, table=True):
    """A seat of a running game for which a substitute is looked for; worked out from the acts."""

    __tablename__ = "offered"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime, index=True)


class StoredPlan(SQLModel, table=True):
    """What a player will do when their turn comes: no act, and nobody else ever hears of it."""

    __tablename__ = "plan"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    words: str = Field(sa_type=Text)
    """In the canonical words of plans, which are English."""
    turn: int
    """The number of the turn for which it is."""
    missed: bool = False
    """Whether it was tried and did not fit."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it is tried; None: its turn has not come, or it was tried."""
    changed_at: datetime = Field(sa_type=UTCDateTime)


class StoredTerms(SQLModel, table=True):
    """How a game was opened: by whom, who may join it, who may watch it; worked out from its first act.

    Games from before this was kept have no such row: nobody may join or watch them.
    """

    __tablename__ = "opening"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int | None = None
    """Of its organiser, where they play too and were known when they opened it."""
    joined_by: JoinedBy = Field(default=JoinedBy.NOBODY, sa_type=enum_column(JoinedBy))
    """Who may take a seat that is open."""
    watched: bool = False
    """Whether anybody may watch."""
    rematch_of: str = Field(default="", index=True)
    """The game that the same players have played before; empty for none."""
    caretaker: Caretaker = Field(default=Caretaker.QUIET, sa_type=enum_column(Caretaker))
    """How whoever is away is played for."""
    advice: bool = False
    """Whether players may ask for good turns."""
    absence: AbsenceRule = Field(default=AbsenceRule.ALWAYS, sa_type=enum_column(AbsenceRule))
    """What the caretaker does when the time of a turn is over."""
    vacation_days: int | None = None
    """Days of vacation in a year for which a player's clock stands; None: any number."""


# --- what is looked up --------------------------------------------------------------------------------

WORDS_ANSWERED: ColumnElement[bool] = (
    (col(OutgoingLetter.state) == literal_column(f"'{LetterState.SENT}'"))
    & (col(OutgoingLetter.due_at) > col(OutgoingLetter.sent_at))
    & (col(OutgoingLetter.text) != literal_column("''"))
)
"""Whether a letter was answered and its words are kept still; the database wants it as the index has it."""


def _index_where_set(name: str, column: Any) -> Index:
    """An index of the rows in which a column holds something."""
    return partial_index(name, column, only=col(column).is_not(None))


INDEXES = (
    # people, by their addresses
    partial_index("ix_player_lower", func.lower(Player.address)),
    partial_index("ix_player_stranger", Player.id, only=col(Player.confirmed_at).is_(None)),
    # games, as the lists show them, and what the clock looks at
    partial_index("ix_game_opened", Game.status, Game.opened_at),
    partial_index("ix_game_watched", Game.status, Game.watched_at, only=col(Game.watched_at).is_not(None)),
    _index_where_set("ix_game_suspended", Game.suspended_at),
    _index_where_set("ix_seating_held", Seating.held_until),
    _index_where_set("ix_failing_due", BouncingAddress.due_at),
    _index_where_set("ix_confirmation_due", AddressConfirmation.due_at),
    _index_where_set("ix_review_due", GameReview.due_at),
    # letters and mails, by what is to be done with them and by whom they concern
    partial_index("ix_outgoing_due", OutgoingLetter.state, OutgoingLetter.due_at),
    partial_index("ix_outgoing_seat", OutgoingLetter.game, OutgoingLetter.seat, OutgoingLetter.kind),
    partial_index(
        "ix_outgoing_recipient",
        func.lower(OutgoingLetter.recipient),
        OutgoingLetter.kind,
        OutgoingLetter.queued_at,
    ),
    _index_where_set("ix_outgoing_told_by", OutgoingLetter.told_by),
    partial_index("ix_outgoing_answered", OutgoingLetter.due_at, only=WORDS_ANSWERED),
    partial_index("ix_incoming_due", IncomingMail.state, IncomingMail.due_at),
    # what goes with its game, its origin or its time
    partial_index("ix_preference_game", StoredPreferences.game),
    partial_index("ix_block_origin", Block.origin),
    partial_index("ix_visit_who", Visit.what, Visit.visitor, Visit.at),
    partial_index("ix_confirmation_at", AddressConfirmation.at),
    _index_where_set("ix_failing_ended", BouncingAddress.ended_at),
    partial_index("ix_signin_at", SignInLink.at),
    partial_index("ix_signedin_seen", SignedInBrowser.seen_at),
    partial_index("ix_key_at", ApiKey.at),
    partial_index("ix_draft_changed", Draft.changed_at),
    partial_index("ix_plan_changed", StoredPlan.changed_at),
    _index_where_set("ix_plan_due", StoredPlan.due_at),
)
"""Every index beside those that a column asks for itself."""


@event.listens_for(Player, "before_insert")
@event.listens_for(Player, "before_update")
def _keep_mailbox(_: Mapper[Player], __: Connection, player: Player) -> None:
    player.mailbox = digest_address(player.address)
