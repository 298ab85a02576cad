"""Database tables, with their column types and indexes."""

from __future__ import annotations

import secrets
from datetime import UTC, date, datetime
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
from sqlmodel import Field, Session, SQLModel, col, select

from emails.terms import AbsenceRule, Caretaker, JoinedBy
from engine.event_log import KEY_BYTES
from server.mail_addresses import digest_address
from server.store.dialects import partial_index
from server.store.personal import Kept, keep, personal
from server.store.states import (
    NO_ADDRESSEE,
    NO_SEAT,
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
    Role,
)

LONGEST_REASON = 200
"""Maximum characters of a column `why`."""


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
    """Decode an id that a query read as hexadecimal; read directly, a malformed id fails the whole query.

    An id that is not ASCII yields text with backslashes, which matches no row.
    """
    return bytes.fromhex(written).decode("ascii", "backslashreplace")


def is_unreadable(number: str) -> bool:
    return "\\" in number


class Player(SQLModel, table=True):
    """A person, identified by a mail address."""

    __table_args__ = keep(Kept.NAMES, Kept.STRANGERS)

    id: int = Field(default=None, primary_key=True)
    mailbox: str = Field(default="", index=True)
    """Digest of the normalised address (`digest_address`), changed whenever `address` changes."""
    name: str = Field(sa_column_kwargs=personal("name"))
    address: str = Field(unique=True, sa_column_kwargs=personal("address"))
    """Mail address as written in the invitation; compared in lower case."""
    confirmed_at: datetime | None = Field(
        default=None, sa_type=UTCDateTime, sa_column_kwargs=personal("confirmed")
    )
    """Time at which the person confirmed the address, by using a link of a letter or by a reply."""


class AddressConfirmation(SQLModel, table=True):
    """A mailed request to confirm a change of a player's address."""

    __tablename__ = "confirmation"
    __table_args__ = keep(
        Kept.ADDRESSES, since="at", erased_with="player", export="addresses_asked_or_used_before"
    )

    digest: str = Field(primary_key=True)
    """SHA-256 of the code in the letter, so that a reader of the database cannot confirm."""
    address: str = Field(sa_column_kwargs=personal("address"))
    purpose: ConfirmationPurpose = Field(
        default=ConfirmationPurpose.ADDRESS,
        sa_type=enum_column(ConfirmationPurpose),
        sa_column_kwargs=personal("what"),
    )
    player: int = Field(foreign_key="player.id", index=True)
    at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("at"))
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    confirmed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Time at which the recipient at the new address confirmed; the change takes effect later."""


class BouncingAddress(SQLModel, table=True):
    __tablename__ = "failing"
    __table_args__ = keep(Kept.BOUNCES, since="ended_at", erased_with="player", export="mail_came_back")

    player: int = Field(primary_key=True, foreign_key="player.id")
    address: str = Field(primary_key=True, sa_column_kwargs=personal("address"))
    since: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("since"))
    why: str = Field(default="", sa_column_kwargs=personal("why"))
    reported: bool = False
    """True if only a bounce mail, which may be forged, reports the failure; False if the relay reports it."""
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime, sa_column_kwargs=personal("until"))
    """Time at which the address was deliverable again; bounces of earlier letters no longer count."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Time at which the clock job next checks the address; None: the address is deliverable again."""


class StoredPreferences(SQLModel, table=True):
    __tablename__ = "preference"
    __table_args__ = keep(Kept.SETTINGS, erased_with="player", export="preferences")

    player: int = Field(primary_key=True, foreign_key="player.id")
    game: str = Field(primary_key=True, sa_column_kwargs=personal("game"))
    said: str = Field(sa_type=Text)
    letters_stopped: bool | None = None
    """Whether the preferences, stored as text in `said`, stop letters; None: stored by an earlier version."""


class DailyRest(SQLModel, table=True):
    __tablename__ = "rest"
    __table_args__ = keep(Kept.REST, erased_with="player", export="sleep_and_days_off")

    player: int = Field(primary_key=True, foreign_key="player.id")
    sleeps_from: str = Field(default="", sa_column_kwargs=personal("from"))
    """Local time such as "23:00"; if both columns are empty, there are no sleep hours."""
    sleeps_until: str = Field(default="", sa_column_kwargs=personal("until"))
    days_off: str = Field(default="", sa_column_kwargs=personal("days_off"))
    """Digits of weekdays, 0 for Monday; "56" is the weekend."""


class StoredVacation(SQLModel, table=True):
    """Days of a player's absence, from `first` to `last` inclusive; see server/accounts/vacations.py."""

    __tablename__ = "vacation"
    __table_args__ = keep(Kept.VACATIONS, since="ends_at", erased_with="player", export="vacations")

    id: int | None = Field(default=None, primary_key=True)
    player: int = Field(foreign_key="player.id", index=True)
    game: str = Field(default="", sa_column_kwargs=personal("game"))
    first: date = Field(sa_column_kwargs=personal("first"))
    last: date = Field(sa_column_kwargs=personal("last"))
    told_at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("told"))
    back_at: datetime | None = Field(default=None, sa_type=UTCDateTime, sa_column_kwargs=personal("back"))
    replaces: int | None = None
    """Id of a vacation in all games; this row replaces that vacation in its own game."""
    ends_at: datetime = Field(sa_type=UTCDateTime, index=True)


class SignedInBrowser(SQLModel, table=True):
    __tablename__ = "signedin"
    __table_args__ = keep(Kept.BROWSERS, since="seen_at", erased_with="player", export="browsers")

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    player: int = Field(foreign_key="player.id", index=True)
    browser: str = Field(sa_column_kwargs=personal("browser"))
    at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("since"))
    seen_at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("seen"))


class ApiKey(SQLModel, table=True):
    """A player's API key; see server/accounts/sign_in.py."""

    __tablename__ = "key"
    __table_args__ = keep(Kept.KEYS, since="at", erased_with="player", export="keys")

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    player: int = Field(foreign_key="player.id", index=True)
    name: str = Field(sa_column_kwargs=personal("name"))
    at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("since"))
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime, sa_column_kwargs=personal("used"))


class SignInLink(SQLModel, table=True):
    """A mailed sign-in link, valid for one use; see server/accounts/sign_in.py."""

    __tablename__ = "signin"
    __table_args__ = keep(Kept.SIGN_IN_LINKS, since="at", erased_with="player", export="links_to_sign_in")

    digest: str = Field(primary_key=True)
    """SHA-256 of the code, so that a reader of the database cannot sign in."""
    player: int = Field(foreign_key="player.id", index=True)
    at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("at"))
    leads_to: str = ""
    """Page after sign-in: a game's id (its settings), a constant `..._PAGE` of sign_in.py, or empty."""


def make_proof_key() -> str:
    return secrets.token_hex(KEY_BYTES)


class Game(SQLModel, table=True):
    """A game, with columns that are derived from its acts."""

    __table_args__ = keep(Kept.GAMES, Kept.OLD_LINKS)

    id: str = Field(primary_key=True, sa_column_kwargs=personal("game"))
    name: str = Field(sa_column_kwargs=personal("name"))
    status: GameStatus = Field(
        default=GameStatus.OPEN, sa_type=enum_column(GameStatus), sa_column_kwargs=personal("status")
    )
    """Derived from the acts."""
    board: str
    edition: str
    turn_minutes: int
    """Time limit of a turn in minutes; 0: unlimited."""
    bank_minutes: int = 0
    refill_minutes: int = 0
    opened_at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("opened"))

    # derived from the acts
    seq: int = 0
    after: int = 0
    turn: int = 0
    seat: int | None = None
    turn_began_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    bank_left: int = 0
    """Seconds of reserve that the player to move had at the start of the turn."""
    deadline: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)
    time_left: int | None = None
    """Seconds left of a turn whose clock is stopped; None: the clock runs or has not started."""
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime, sa_column_kwargs=personal("ended"))
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
    """Key of the log checksums in letters, secret until the game ends; empty: none shown."""


class Seating(SQLModel, table=True):
    __table_args__ = keep(Kept.GAMES)

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True, sa_column_kwargs=personal("seat"))
    name: str = Field(sa_column_kwargs=personal("called"))
    player: int | None = Field(default=None, foreign_key="player.id", index=True)
    """The player's id; None if no person has the seat."""
    house: bool = False
    accepted_at: datetime | None = Field(
        default=None, sa_type=UTCDateTime, sa_column_kwargs=personal("accepted")
    )
    generation: int = Field(default=0, sa_column_kwargs={"name": "epoch"})
    """Number that rises when the seat's links are replaced; links with a lower number are invalid."""
    daily_at: datetime | None = Field(default=None, sa_type=UTCDateTime, index=True)
    """Time of the next check for a daily letter; None: not wanted, or the game is not running."""
    held_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    chat_from: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """A substitute may not read messages with this or a lower number; 0: all may be read."""


class Act(SQLModel, table=True):
    """A row of a game's log, with the events of one transaction; changed only to remove names."""

    __table_args__ = keep(Kept.GAMES)

    game: str = Field(primary_key=True, foreign_key="game.id")
    seq: int = Field(primary_key=True)
    at: str = Field(sa_column_kwargs=personal("at"))
    """Time in UTC as ISO 8601 text, since the digest covers the exact text."""
    seat: int | None
    door: Channel = Field(sa_type=enum_column(Channel), sa_column_kwargs=personal("by"))
    said: str = Field(sa_type=Text, sa_column_kwargs=personal("ordered"))
    events: str = Field(sa_type=Text)
    digest: str


class OutgoingLetter(SQLModel, table=True):
    __tablename__ = "outgoing"
    __table_args__ = keep(Kept.LETTERS, since="queued_at")

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    """Derived from game, act, seat and kind, so that each occasion gives only one letter."""
    game: str = Field(foreign_key="game.id", sa_column_kwargs=personal("game"))
    seq: int
    seat: int = Field(sa_column_kwargs=personal(emptied=NO_SEAT))
    kind: str = Field(sa_column_kwargs=personal("kind"))
    recipient: str = Field(sa_column_kwargs=personal("to", emptied=""))
    queued_at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("queued"))
    due_at: datetime = Field(sa_type=UTCDateTime)
    """Time of the next attempt to send a waiting letter, or of deleting the text of an answered letter."""
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime, sa_column_kwargs=personal("sent"))
    state: LetterState = Field(
        default=LetterState.WAITING,
        sa_type=enum_column(LetterState),
        sa_column_kwargs=personal("what_became_of_it"),
    )
    detail: str = Field(default="{}", sa_type=Text, sa_column_kwargs=personal("relay_reply", emptied="{}"))
    answers: str | None = Field(default=None, sa_column_kwargs=personal(emptied=None))
    why: str = Field(default="", sa_column_kwargs=personal(emptied=""))
    hindrance: Hindrance = Field(
        default=Hindrance.NONE,
        sa_type=enum_column(Hindrance),
        sa_column_kwargs=personal(emptied=Hindrance.NONE, server_default=""),
    )
    merged_into: int | None = Field(
        default=None, foreign_key="outgoing.id", sa_column_kwargs={"name": "told_by"}
    )
    tries: int = 0
    text: str = Field(default="", sa_type=Text, sa_column_kwargs=personal("words", emptied=""))
    """Plain text as sent, with tokens masked, to recognise quotations in replies."""


class LocalMail(SQLModel, table=True):
    __tablename__ = "kept"
    __table_args__ = keep(Kept.LOCAL_MAILS, since="at")

    id: int | None = Field(default=None, primary_key=True)
    recipient: str = Field(index=True, sa_column_kwargs=personal("to"))
    message_id: str = Field(unique=True)
    at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("at"))
    raw: bytes = Field(sa_type=LargeBinary)


class IncomingMail(SQLModel, table=True):
    __tablename__ = "incoming"
    __table_args__ = keep(Kept.MAILS, Kept.IGNORED_MAILS, since="at")

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """SHA-256 of recipient and bytes, so that a mail delivered twice is stored once."""
    at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("at"))
    sender: str = Field(sa_column_kwargs=personal(emptied=""))
    recipient: str = Field(sa_column_kwargs=personal("to", emptied=""))
    """Address without its token (`without_token`); the full envelope is encrypted in `raw`."""
    raw: bytes = Field(sa_type=LargeBinary, sa_column_kwargs=personal(emptied=b""))
    """Encrypted addresses of sender and recipient (`encrypted.py`); in some old rows the mail itself."""
    raw_mail: int | None = Field(
        default=None, foreign_key="raw_mail.id", index=True, sa_column_kwargs=personal(emptied=None)
    )
    """Row with the bytes of the mail; None: an earlier version stored them in `raw`, or they were deleted."""
    network: str = Field(default="", sa_column_kwargs=personal("network", emptied=""))
    """Network of the sending host; empty if unknown."""
    message_id: str | None = Field(default=None, index=True, sa_column_kwargs=personal(emptied=None))
    state: MailState = Field(
        default=MailState.WAITING,
        sa_type=enum_column(MailState),
        sa_column_kwargs=personal("what_became_of_it"),
    )
    why: str = Field(default="", sa_column_kwargs=personal(emptied=""))
    hindrance: Hindrance = Field(
        default=Hindrance.NONE,
        sa_type=enum_column(Hindrance),
        sa_column_kwargs=personal(emptied=Hindrance.NONE, server_default=""),
    )
    due_at: datetime = Field(sa_type=UTCDateTime)
    """Earliest time to process the mail; postponed while it must wait, and after a failure."""
    tries: int = 0
    arrived_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Time at which our mail server received the mail; None: the time of storing (`at`)."""


class ChatMessage(SQLModel, table=True):
    """A message of a player or the server to the players of a game."""

    __tablename__ = "message"
    __table_args__ = keep(Kept.MESSAGES)

    id: int | None = Field(default=None, primary_key=True)
    game: str = Field(foreign_key="game.id", index=True)
    at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("at"))
    seat: int | None = Field(default=None, sa_column_kwargs=personal(emptied=None))
    addressee: int | None = Field(default=None, sa_column_kwargs=personal(emptied=NO_ADDRESSEE))
    """The only seat that may read the message; None: all players; -1: cancelled, no seat."""
    words: str = Field(sa_type=Text, sa_column_kwargs=personal("words", emptied=""))
    announcement: Announcement | None = Field(default=None, sa_type=enum_column(Announcement))
    """Announcement of the server, rendered in each reader's language; None: a player's message."""
    about: str = Field(default="", sa_column_kwargs=personal(emptied=""))
    """Name or time that the announcement mentions."""


class ReadMarker(SQLModel, table=True):
    """The last message that a seat has received by letter."""

    __tablename__ = "heard"
    __table_args__ = keep(Kept.MESSAGES, erased_with="seat")

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    message: int
    """Highest message number in a sent letter."""


class Resignation(SQLModel, table=True):
    __tablename__ = "resigned"
    __table_args__ = keep(Kept.GAMES)

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class UnsolicitedLetter(SQLModel, table=True):
    __tablename__ = "unasked"
    __table_args__ = keep(Kept.UNSOLICITED, since="at")

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    address: str = Field(index=True)
    origin: str = Field(index=True)
    """Origin: a network, a player's number, or the operator; empty if unknown."""
    at: datetime = Field(sa_type=UTCDateTime, index=True, sa_column_kwargs=personal("at"))
    sent_at: datetime | None = Field(
        default=None, sa_type=UTCDateTime, index=True, sa_column_kwargs=personal("sent")
    )


class Visit(SQLModel, table=True):
    """A rate-limited request of a visitor; see web/kit/visitors.py."""

    __tablename__ = "visit"
    __table_args__ = keep(Kept.VISITS, since="at")

    id: int | None = Field(default=None, primary_key=True)
    what: str
    visitor: str
    at: datetime = Field(sa_type=UTCDateTime, index=True)


class Block(SQLModel, table=True):
    __table_args__ = keep(Kept.BLOCKS)

    kind: BlockKind = Field(sa_type=enum_column(BlockKind), primary_key=True)
    value: str = Field(primary_key=True)
    """A domain, a network, or the digest of an address."""
    at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("since"))
    origin: BlockOrigin = Field(
        sa_type=enum_column(BlockOrigin), primary_key=True, sa_column_kwargs=personal("by")
    )
    shown: str
    """Text shown to the operator; an address is shortened to its first character and its domain."""


class OperatorMail(SQLModel, table=True):
    __tablename__ = "operatormail"
    __table_args__ = keep(Kept.OPERATOR_MAILS, since="at")

    id: int | None = Field(default=None, primary_key=True)
    matter: OperatorMatter = Field(sa_type=enum_column(OperatorMatter), sa_column_kwargs={"name": "subject"})
    raw: bytes = Field(sa_type=LargeBinary)
    state: LetterState = Field(default=LetterState.WAITING, sa_type=enum_column(LetterState), index=True)
    tries: int = 0
    at: datetime = Field(sa_type=UTCDateTime, index=True)
    due_at: datetime = Field(sa_type=UTCDateTime)


class Proposal(SQLModel, table=True):
    """An unconfirmed request for a new game; see server/lobby/proposals.py."""

    __table_args__ = keep(Kept.PROPOSALS, Kept.OPENED_PROPOSALS)

    game: str = Field(primary_key=True, foreign_key="game.id", sa_column_kwargs=personal("game"))
    seat: int
    request: str = Field(sa_type=Text, sa_column_kwargs={"name": "wishes"})
    replaced_by: str = ""
    """Id of the later request that replaces this one; empty if there is none."""


class PreparedLetter(SQLModel, table=True):
    __tablename__ = "prepared"
    __table_args__ = keep(Kept.LETTERS)

    letter: int = Field(primary_key=True, foreign_key="outgoing.id")
    raw: bytes = Field(sa_type=LargeBinary)
    text: str = Field(sa_type=Text)
    heard: int
    numbers: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=UTCDateTime)


class RawMail(SQLModel, table=True):
    __tablename__ = "raw_mail"
    __table_args__ = keep(Kept.MAILS)

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
    __table_args__ = keep(Kept.GAMES)

    game: str = Field(primary_key=True, foreign_key="game.id")
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    tries: int = 0
    said: str = Field(default="", sa_type=Text)
    made_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Draft(SQLModel, table=True):
    """Orders of a turn that the player can still take back; never shown to other players."""

    __tablename__ = "draft"
    __table_args__ = keep(Kept.DRAFTS, since="changed_at", erased_with="seat", export="begun_and_not_played")

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    after: int
    """Act after which the draft began; the draft is valid in this position only."""
    changed_at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("at"))
    words: str = Field(sa_type=Text, sa_column_kwargs=personal("words"))
    """Actions in canonical text, separated by "; "."""


class AbsentSeat(SQLModel, table=True):
    __tablename__ = "absent"
    __table_args__ = keep(Kept.GAMES)

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)


class OfferedSeat(SQLModel, table=True):
    __tablename__ = "offered"
    __table_args__ = keep(Kept.GAMES)

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime, index=True)


class StoredPlan(SQLModel, table=True):
    """A player's plan for the next turn: not an act, and never shown to other players."""

    __tablename__ = "plan"
    __table_args__ = keep(Kept.PLANS, since="changed_at", erased_with="seat", export="planned")

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int = Field(primary_key=True)
    changed_at: datetime = Field(sa_type=UTCDateTime, sa_column_kwargs=personal("at"))
    words: str = Field(sa_type=Text, sa_column_kwargs=personal("words"))
    turn: int
    missed: bool = False
    """True if the plan was tried and was not legal."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredTerms(SQLModel, table=True):
    """Terms of a game: organiser, who may join, who may watch; derived from its first act.

    Older games have no such row and can be neither joined nor watched.
    """

    __tablename__ = "opening"
    __table_args__ = keep(Kept.GAMES)

    game: str = Field(primary_key=True, foreign_key="game.id")
    seat: int | None = None
    """The organiser's seat; None, for example, if the organiser does not play."""
    joined_by: JoinedBy = Field(default=JoinedBy.NOBODY, sa_type=enum_column(JoinedBy))
    watched: bool = False
    rematch_of: str = Field(default="", index=True)
    caretaker: Caretaker = Field(default=Caretaker.QUIET, sa_type=enum_column(Caretaker))
    advice: bool = False
    absence: AbsenceRule = Field(default=AbsenceRule.ALWAYS, sa_type=enum_column(AbsenceRule))
    vacation_days: int | None = None


def tables_erased_with(owner: str) -> list[Table]:
    return [one for one in SQLModel.metadata.tables.values() if one.info.get("erased_with") == owner]


IS_RUNNING: ColumnElement[bool] = func.coalesce(Game.status, GameStatus.OVER) == GameStatus.RUNNING
"""Condition for queries that begin with few rows; `coalesce` keeps SQLite from beginning with all games."""


def count_rows(session: Session, table: type[SQLModel], *which: ColumnElement[bool] | bool) -> int:
    return session.exec(select(func.count()).select_from(table).where(*which)).one()


# --- indexes ------------------------------------------------------------------------------------------

WORDS_ANSWERED: ColumnElement[bool] = (
    (col(OutgoingLetter.state) == literal_column(f"'{LetterState.SENT}'"))
    & (col(OutgoingLetter.due_at) > col(OutgoingLetter.sent_at))
    & (col(OutgoingLetter.text) != literal_column("''"))
)
"""An answered letter with stored text; an answer sets `due_at` to the time of deleting the text."""


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
