"""Database tables, with their column types and indexes."""

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

from emails.terms import AbsenceRule, Caretaker, JoinedBy
from engine.seal import KEY_BYTES
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
    """A time in UTC, stored without a zone, because SQLite stores none."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


def enum_column(members: type[StrEnum]) -> Enum:
    """Return a column type for an enum, stored as text of any length.

    The database does not know the members, so a new member needs no migration.
    """
    return Enum(
        members,
        native_enum=False,
        length=None,
        validate_strings=True,
        values_callable=lambda enum: [member.value for member in enum],
    )


def table_of(model: type[SQLModel]) -> Table:
    """Return a model's table, for Core statements, which are faster than ORM statements."""
    return model.metadata.tables[str(model.__tablename__)]


def read_id(written: str) -> str:
    """Decode an id from SQL's `hex`, so that a malformed id does not fail the whole query.

    An id that is not ASCII yields text with backslashes, which matches no row.
    """
    return bytes.fromhex(written).decode("ascii", "backslashreplace")


def is_unreadable(number: str) -> bool:
    return "\\" in number


class SignInLink(SQLModel, table=True):
    """A mailed sign-in link, valid for one use; see server/accounts/sign_in.py."""

    __tablename__ = "signin"

    digest: str = Field(primary_key=True)
    """SHA-256 of the code, so that a reader of the database cannot sign in."""
    player: int = Field(foreign_key="player.id", index=True)
    at: datetime = Field(sa_type=UTCDateTime)
    leads_to: str = ""
    """Page to open after sign-in: a game's id for its settings, a page of sign_in.py, or empty."""


class SignedInBrowser(SQLModel, table=True):
    __tablename__ = "signedin"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    player: int = Field(foreign_key="player.id", index=True)
    browser: str
    at: datetime = Field(sa_type=UTCDateTime)
    seen_at: datetime = Field(sa_type=UTCDateTime)


class ApiKey(SQLModel, table=True):
    """A player's API key; see server/accounts/sign_in.py."""

    __tablename__ = "key"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    player: int = Field(foreign_key="player.id", index=True)
    name: str
    at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


def make_proof_key() -> str:
    return secrets.token_hex(KEY_BYTES)


class Player(SQLModel, table=True):
    """A person, identified by a mail address."""

    id: int = Field(default=None, primary_key=True)
    mailbox: str = Field(default="", index=True)
    """Digest of the mailbox of `address` (`digest_address`), updated with the address."""
    address: str = Field(unique=True)
    """Mail address as written in the invitation; compared in lower case."""
    name: str
    confirmed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Time at which the person first used a letter sent to the address; None: not yet."""


class Game(SQLModel, table=True):
    """A game, with columns that are derived from its acts."""

    id: str = Field(primary_key=True)
    name: str
    board: str
    edition: str
    turn_minutes: int
    """Time limit of a turn in minutes; 0: unlimited."""
    bank_minutes: int = 0
    refill_minutes: int = 0
    opened_at: datetime = Field(sa_type=UTCDateTime)

    # derived from the acts
    seq: int = 0
    after: int = 0
    status: GameStatus = Field(default=GameStatus.OPEN, sa_type=enum_column(GameStatus))
    turn: int = 0
    seat: int | None = None
    turn_began_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    bank_left: int = 0
    """Seconds of reserve that the player to move had at the start of the turn."""
    deadline: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)
    time_left: int | None = None
    """Seconds left of a turn whose clock is stopped; None: the clock runs or has not started."""
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    watched_at: datetime | None = Field(default=None, sa_type=UTCDateTime)

    # maintained by the clock
    reminded: int = 0
    """Bit mask with one bit for each reminder of the current turn: 1 if the reminder was sent or skipped."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)
    """Time at which the clock job checks the game next; None: no check is needed."""

    # maintained by the operator
    suspended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    paused_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    redactions: int = 0
    """Number of times that names were removed from the acts; each time changes the digests of the acts."""
    proof_key: str = Field(default_factory=make_proof_key, sa_column_kwargs={"server_default": ""})
    """Key of the checksums of the log in letters (engine/seal.py). Players may see the key after the game.

    Empty in games of earlier versions, whose letters have no checksums.
    """


class Seating(SQLModel, table=True):
    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    name: str
    player: int | None = Field(default=None, foreign_key="player.id", index=True)
    """The player's id; None if no person has the seat."""
    house: bool = False
    accepted_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    generation: int = Field(default=0, sa_column_kwargs={"name": "epoch"})
    """Number that rises when the seat's links are replaced; links with a lower number are invalid."""
    daily_at: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)
    """Time of the next check for a daily letter; None: not wanted, or the game is not running."""
    held_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    chat_from: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """A substitute may not read messages with this or a lower number; 0: all may be read."""


class Act(SQLModel, table=True):
    """An act in a game's log: accepted orders or an event, with its facts; changed only to remove names."""

    game: str = Field(primary_key=True, foreign_key="game.id")
    seq: int = Field(primary_key=True)
    at: str
    """Time in UTC as ISO 8601 text, since the digest covers the exact text."""
    seat: int | None
    door: Channel = Field(sa_type=enum_column(Channel))
    said: str = Field(sa_type=Text)
    events: str = Field(sa_type=Text)
    digest: str


class OutgoingLetter(SQLModel, table=True):
    __tablename__ = "outgoing"

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    """Derived from game, act, seat and kind, so that each occasion gives only one letter."""
    game: str = Field(foreign_key="game.id")
    seq: int
    seat: int
    kind: str
    recipient: str
    detail: str = Field(default="{}", sa_type=Text)
    answers: str | None = None
    state: LetterState = Field(default=LetterState.WAITING, sa_type=enum_column(LetterState))
    why: str = ""
    hindrance: Hindrance = Field(
        default=Hindrance.NONE, sa_type=enum_column(Hindrance), sa_column_kwargs={"server_default": ""}
    )
    merged_into: int | None = Field(
        default=None, foreign_key="outgoing.id", sa_column_kwargs={"name": "told_by"}
    )
    tries: int = 0
    text: str = Field(default="", sa_type=Text)
    """Plain text as sent, with tokens masked, to recognise quotations in replies."""
    queued_at: datetime = Field(sa_type=UTCDateTime)
    due_at: datetime = Field(sa_type=UTCDateTime)
    """Time of the next attempt to send a waiting letter, or of deleting the text of an answered letter."""
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class LocalMail(SQLModel, table=True):
    __tablename__ = "kept"

    id: int | None = Field(default=None, primary_key=True)
    recipient: str = Field(index=True)
    message_id: str = Field(unique=True)
    at: datetime = Field(sa_type=UTCDateTime)
    raw: bytes = Field(sa_type=LargeBinary)


class IncomingMail(SQLModel, table=True):
    __tablename__ = "incoming"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """SHA-256 of recipient and bytes, so that a mail delivered twice is stored once."""
    at: datetime = Field(sa_type=UTCDateTime)
    sender: str
    recipient: str
    """Address without its token (`without_token`); the full envelope is encrypted in `raw`."""
    raw: bytes = Field(sa_type=LargeBinary)
    """Encrypted addresses of sender and recipient (`encrypted_mail.py`); in some old rows the mail itself."""
    raw_mail: int | None = Field(default=None, foreign_key="raw_mail.id", index=True)
    """Row with the bytes of the mail; None: an earlier version stored them in `raw`, or they were deleted."""
    network: str = ""
    """Network of the sending host; empty if unknown."""
    message_id: str | None = Field(default=None, index=True)
    state: MailState = Field(default=MailState.WAITING, sa_type=enum_column(MailState))
    why: str = ""
    hindrance: Hindrance = Field(
        default=Hindrance.NONE, sa_type=enum_column(Hindrance), sa_column_kwargs={"server_default": ""}
    )
    due_at: datetime = Field(sa_type=UTCDateTime)
    """Earliest time to process the mail; postponed while it must wait, and after a failure."""
    tries: int = 0
    arrived_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Time at which our mail server received the mail; None: the time of storing (`at`)."""


class StoredPreferences(SQLModel, table=True):
    __tablename__ = "preference"

    player: int = Field(primary_key=True, foreign_key="player.id")
    game: str = Field(primary_key=True)
    said: str = Field(sa_type=Text)
    letters_stopped: bool | None = None
    """Whether the preferences, stored as text in `said`, stop letters; None: stored by an earlier version."""


class ChatMessage(SQLModel, table=True):
    """A message of a player or the server to the players of a game."""

    __tablename__ = "message"

    id: int | None = Field(default=None, primary_key=True)
    game: str = Field(foreign_key="game.id", index=True)
    at: datetime = Field(sa_type=UTCDateTime)
    seat: int | None = None
    addressee: int | None = None
    """The only seat that may read the message; None: all players; -1: cancelled, no seat."""
    words: str = Field(sa_type=Text)
    announcement: Announcement | None = Field(default=None, sa_type=enum_column(Announcement))
    """Announcement of the server, rendered in each reader's language; None: a player's message."""
    about: str = ""
    """Name or time that the announcement mentions."""


class ReadMarker(SQLModel, table=True):
    """The last message that a seat has received by letter."""

    __tablename__ = "heard"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    message: int
    """Highest message number in a sent letter."""


class BouncingAddress(SQLModel, table=True):
    __tablename__ = "failing"

    player: int = Field(primary_key=True, foreign_key="player.id")
    address: str = Field(primary_key=True)
    since: datetime = Field(sa_type=UTCDateTime)
    why: str = ""
    reported: bool = False
    """True if only a bounce mail, which may be forged, reports the failure; False if the relay reports it."""
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Time at which the address was deliverable again; bounces of earlier letters no longer count."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Time at which the clock next checks the address; None: it is deliverable again."""


class Resignation(SQLModel, table=True):
    __tablename__ = "resigned"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class AddressConfirmation(SQLModel, table=True):
    """A mailed request to confirm a change of a player's address."""

    __tablename__ = "confirmation"

    digest: str = Field(primary_key=True)
    """SHA-256 of the code in the letter, so that a reader of the database cannot confirm."""
    purpose: ConfirmationPurpose = Field(
        default=ConfirmationPurpose.ADDRESS, sa_type=enum_column(ConfirmationPurpose)
    )
    player: int = Field(foreign_key="player.id", index=True)
    address: str
    at: datetime = Field(sa_type=UTCDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    confirmed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Time at which the recipient at the new address confirmed; the change takes effect later."""


class UnsolicitedLetter(SQLModel, table=True):
    __tablename__ = "unasked"

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    address: str = Field(index=True)
    origin: str = Field(index=True)
    """Origin: a network, a player's number, or the operator; empty if unknown."""
    at: datetime = Field(sa_type=UTCDateTime, index=True)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)


class Visit(SQLModel, table=True):
    """A rate-limited request of a visitor; see web/kit/visitors.py."""

    __tablename__ = "visit"

    id: int | None = Field(default=None, primary_key=True)
    what: str
    visitor: str
    at: datetime = Field(sa_type=UTCDateTime, index=True)


class Block(SQLModel, table=True):
    kind: BlockKind = Field(sa_type=enum_column(BlockKind), primary_key=True)
    value: str = Field(primary_key=True)
    """Digest of an address, a domain, or a network."""
    origin: BlockOrigin = Field(sa_type=enum_column(BlockOrigin), primary_key=True)
    shown: str
    """Text shown to the operator; an address is shortened to its first character and its domain."""
    at: datetime = Field(sa_type=UTCDateTime)


class OperatorMail(SQLModel, table=True):
    __tablename__ = "operatormail"

    id: int | None = Field(default=None, primary_key=True)
    matter: OperatorMatter = Field(sa_type=enum_column(OperatorMatter), sa_column_kwargs={"name": "subject"})
    raw: bytes = Field(sa_type=LargeBinary)
    state: LetterState = Field(default=LetterState.WAITING, sa_type=enum_column(LetterState), index=True)
    tries: int = 0
    at: datetime = Field(sa_type=UTCDateTime, index=True)
    due_at: datetime = Field(sa_type=UTCDateTime)


class Proposal(SQLModel, table=True):
    """An unconfirmed request for a new game; see server/lobby/proposals.py."""

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int
    request: str = Field(sa_type=Text, sa_column_kwargs={"name": "wishes"})
    replaced_by: str = ""
    """Id of the later request that replaces this one; empty if there is none."""


class PreparedLetter(SQLModel, table=True):
    __tablename__ = "prepared"

    letter: int = Field(primary_key=True, foreign_key="outgoing.id")
    raw: bytes = Field(sa_type=LargeBinary)
    text: str = Field(sa_type=Text)
    heard: int
    numbers: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=UTCDateTime)


class RawMail(SQLModel, table=True):
    __tablename__ = "raw_mail"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    raw: bytes = Field(sa_type=LargeBinary)


class ServerMoment(SQLModel, table=True):
    """A time that the server needs after a restart."""

    __tablename__ = "moment"

    name: MomentName = Field(sa_type=enum_column(MomentName), primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class RoleProcess(SQLModel, table=True):
    """The last time at which a process reported that its work in a role goes well; old rows are deleted."""

    __tablename__ = "role_process"

    process: str = Field(primary_key=True)
    role: Role = Field(sa_type=enum_column(Role), primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class GameReview(SQLModel, table=True):
    __tablename__ = "review"

    game: str = Field(primary_key=True, foreign_key="game.id")
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    tries: int = 0
    said: str = Field(default="", sa_type=Text)
    made_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Draft(SQLModel, table=True):
    """Orders of a turn that the player can still take back; never shown to other players."""

    __tablename__ = "draft"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    after: int
    """Act after which the draft began; the draft is valid in this position only."""
    words: str = Field(sa_type=Text)
    """Actions in canonical text, separated by "; "."""
    changed_at: datetime = Field(sa_type=UTCDateTime)


class AbsentSeat(SQLModel, table=True):
    __tablename__ = "absent"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class OfferedSeat(SQLModel, table=True):
    __tablename__ = "offered"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime, index=True)


class StoredPlan(SQLModel, table=True):
    """A player's plan for the next turn: not an act, and never shown to other players."""

    __tablename__ = "plan"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    words: str = Field(sa_type=Text)
    turn: int
    missed: bool = False
    """True if the plan was tried and was not legal."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    changed_at: datetime = Field(sa_type=UTCDateTime)


class StoredTerms(SQLModel, table=True):
    """Terms of a game: organiser, who may join, who may watch; derived from its first act.

    Older games have no such row and can be neither joined nor watched.
    """

    __tablename__ = "opening"

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int | None = None
    """The organiser's seat; None if the organiser does not play, or was not known at the beginning."""
    joined_by: JoinedBy = Field(default=JoinedBy.NOBODY, sa_type=enum_column(JoinedBy))
    watched: bool = False
    rematch_of: str = Field(default="", index=True)
    caretaker: Caretaker = Field(default=Caretaker.QUIET, sa_type=enum_column(Caretaker))
    advice: bool = False
    absence: AbsenceRule = Field(default=AbsenceRule.ALWAYS, sa_type=enum_column(AbsenceRule))
    vacation_days: int | None = None


# --- indexes ------------------------------------------------------------------------------------------

WORDS_ANSWERED: ColumnElement[bool] = (
    (col(OutgoingLetter.state) == literal_column(f"'{LetterState.SENT}'"))
    & (col(OutgoingLetter.due_at) > col(OutgoingLetter.sent_at))
    & (col(OutgoingLetter.text) != literal_column("''"))
)
"""Condition of index `ix_outgoing_answered`: a letter was answered, and its text is still stored."""


def _index_where_set(name: str, column: Any) -> Index:
    return partial_index(name, column, only=col(column).is_not(None))


INDEXES = (
    # people by address
    partial_index("ix_player_lower", func.lower(Player.address)),
    partial_index("ix_player_stranger", Player.id, only=col(Player.confirmed_at).is_(None)),
    # games, by the order of lists and by the clock's next look
    partial_index("ix_game_opened", Game.status, Game.opened_at),
    partial_index("ix_game_watched", Game.status, Game.watched_at, only=col(Game.watched_at).is_not(None)),
    _index_where_set("ix_game_suspended", Game.suspended_at),
    _index_where_set("ix_seating_held", Seating.held_until),
    _index_where_set("ix_failing_due", BouncingAddress.due_at),
    _index_where_set("ix_confirmation_due", AddressConfirmation.due_at),
    _index_where_set("ix_review_due", GameReview.due_at),
    # letters and mails by due time, seat and recipient
    partial_index("ix_outgoing_due", OutgoingLetter.state, OutgoingLetter.due_at),
    partial_index("ix_outgoing_seat", OutgoingLetter.game, OutgoingLetter.seat, OutgoingLetter.kind),
    partial_index(
        "ix_outgoing_recipient",
        func.lower(OutgoingLetter.recipient),
        OutgoingLetter.kind,
        OutgoingLetter.queued_at,
    ),
    _index_where_set("ix_outgoing_told_by", OutgoingLetter.merged_into),
    partial_index("ix_outgoing_answered", OutgoingLetter.due_at, only=WORDS_ANSWERED),
    partial_index("ix_incoming_due", IncomingMail.state, IncomingMail.due_at),
    # rows to delete by game, origin or age
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


@event.listens_for(Player, "before_insert")
@event.listens_for(Player, "before_update")
def _keep_mailbox(_: Mapper[Player], __: Connection, player: Player) -> None:
    player.mailbox = digest_address(player.address)
