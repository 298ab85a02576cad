"""Tables of the server's own work, and what is looked up in the tables that grow, beyond their keys.

No loop and nothing that writes reads such a table whole. An index with a condition holds only the rows that
somebody looks for, so that all others cost nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Index,
    LargeBinary,
    Text,
    event,
    func,
    literal_column,
)
from sqlalchemy.orm import Mapper
from sqlmodel import Field, SQLModel, col

from emails.terms import AbsenceRule, Caretaker, JoinedBy
from server.mail_addresses import digest_address
from server.roles import Role
from server.store.columns import UTCDateTime, enum_column
from server.store.dialects.expressions import partial_index
from server.store.models import (
    AddressConfirmation,
    BouncingAddress,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Seating,
    StoredPreferences,
)
from server.store.session_models import ApiKey, SignedInBrowser, SignInLink
from server.store.states import LetterState, MomentName
from server.store.unasked_models import Block, Visit


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
