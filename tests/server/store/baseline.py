"""All tables as they were in version 0.1.0, where the migrations begin."""

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    insert,
    text,
)

SCHEMA = MetaData()


def _partial_index(name: str, *columns: str, where: str) -> Index:
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


Table(
    "block",
    SCHEMA,
    Column("kind", String, primary_key=True),
    Column("value", String, primary_key=True),
    Column("origin", String, primary_key=True, index=True),
    Column("shown", String, nullable=False),
    Column("at", DateTime, nullable=False),
)
Table(
    "game",
    SCHEMA,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("board", String, nullable=False),
    Column("edition", String, nullable=False),
    Column("hours", Integer, nullable=False),
    Column("bank", Integer, nullable=False),
    Column("refill", Integer, nullable=False),
    Column("opened_at", DateTime, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("after", Integer, nullable=False),
    Column("status", String, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("seat", Integer),
    Column("turn_began_at", DateTime),
    Column("bank_left", Integer, nullable=False),
    Column("deadline", DateTime, index=True),
    Column("time_left", Integer),
    Column("ended_at", DateTime),
    Column("watched_at", DateTime),
    Column("reminded", Integer, nullable=False),
    Column("due_at", DateTime, index=True),
    Column("suspended_at", DateTime),
    Column("paused_at", DateTime),
    Column("redactions", Integer, nullable=False),
    Column("proof_key", String, nullable=False, server_default=""),
    Index("ix_game_opened", "status", "opened_at"),
    _partial_index("ix_game_suspended", "suspended_at", where="suspended_at IS NOT NULL"),
    _partial_index("ix_game_watched", "status", "watched_at", where="watched_at IS NOT NULL"),
)
Table(
    "kept",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("recipient", String, nullable=False, index=True),
    Column("message_id", String, nullable=False, unique=True),
    Column("at", DateTime, nullable=False),
    Column("raw", LargeBinary, nullable=False),
)
Table(
    "moment",
    SCHEMA,
    Column("name", String, primary_key=True),
    Column("at", DateTime, nullable=False),
)
Table(
    "operatormail",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("subject", String, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("state", String, nullable=False, index=True),
    Column("tries", Integer, nullable=False),
    Column("at", DateTime, nullable=False, index=True),
    Column("due_at", DateTime, nullable=False),
)
Table(
    "player",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("mailbox", String, nullable=False, index=True),
    Column("address", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("confirmed_at", DateTime),
    Index("ix_player_lower", text("lower(address)")),
    _partial_index("ix_player_stranger", "id", where="confirmed_at IS NULL"),
)
Table(
    "raw_mail",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("digest", String, nullable=False, unique=True),
    Column("raw", LargeBinary, nullable=False),
)
Table(
    "role_process",
    SCHEMA,
    Column("process", String, primary_key=True),
    Column("role", String, primary_key=True),
    Column("at", DateTime, nullable=False),
)
Table(
    "unasked",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("message_id", String, nullable=False, unique=True),
    Column("address", String, nullable=False, index=True),
    Column("origin", String, nullable=False, index=True),
    Column("at", DateTime, nullable=False, index=True),
    Column("sent_at", DateTime, index=True),
)
Table(
    "visit",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("what", String, nullable=False),
    Column("visitor", String, nullable=False),
    Column("at", DateTime, nullable=False, index=True),
    Index("ix_visit_who", "what", "visitor", "at"),
)
Table(
    "absent",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("at", DateTime, nullable=False),
)
Table(
    "act",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", String, nullable=False),
    Column("seat", Integer),
    Column("door", String, nullable=False),
    Column("said", Text, nullable=False),
    Column("events", Text, nullable=False),
    Column("digest", String, nullable=False),
)
Table(
    "answer_count",
    SCHEMA,
    Column("player", Integer, ForeignKey("player.id"), primary_key=True),
    Column("answers", Text, nullable=False),
    Column("quarters", Text, nullable=False),
)
Table(
    "confirmation",
    SCHEMA,
    Column("digest", String, primary_key=True),
    Column("purpose", String, nullable=False),
    Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
    Column("address", String, nullable=False),
    Column("at", DateTime, nullable=False, index=True),
    Column("due_at", DateTime),
    Column("confirmed_at", DateTime),
    _partial_index("ix_confirmation_due", "due_at", where="due_at IS NOT NULL"),
)
Table(
    "draft",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("after", Integer, nullable=False),
    Column("words", Text, nullable=False),
    Column("changed_at", DateTime, nullable=False),
    Index("ix_draft_changed", "changed_at"),
)
Table(
    "failing",
    SCHEMA,
    Column("player", Integer, ForeignKey("player.id"), primary_key=True),
    Column("address", String, primary_key=True),
    Column("since", DateTime, nullable=False),
    Column("why", String, nullable=False),
    Column("reported", Boolean, nullable=False),
    Column("ended_at", DateTime),
    Column("due_at", DateTime),
    _partial_index("ix_failing_due", "due_at", where="due_at IS NOT NULL"),
    _partial_index("ix_failing_ended", "ended_at", where="ended_at IS NOT NULL"),
)
Table(
    "heard",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("message", Integer, nullable=False),
)
Table(
    "incoming",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("digest", String, nullable=False, unique=True),
    Column("at", DateTime, nullable=False),
    Column("sender", String, nullable=False),
    Column("recipient", String, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("raw_mail", Integer, ForeignKey("raw_mail.id"), index=True),
    Column("network", String, nullable=False),
    Column("message_id", String, index=True),
    Column("state", String, nullable=False),
    Column("why", String, nullable=False),
    Column("hindrance", String, nullable=False, server_default=""),
    Column("due_at", DateTime, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("arrived_at", DateTime),
    Index("ix_incoming_due", "state", "due_at"),
)
Table(
    "key",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("digest", String, nullable=False, unique=True),
    Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
    Column("name", String, nullable=False),
    Column("at", DateTime, nullable=False, index=True),
    Column("used_at", DateTime),
)
Table(
    "message",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("game", String, ForeignKey("game.id"), nullable=False, index=True),
    Column("at", DateTime, nullable=False),
    Column("seat", Integer),
    Column("addressee", Integer),
    Column("words", Text, nullable=False),
    Column("announcement", String),
    Column("about", String, nullable=False),
)
Table(
    "offered",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("at", DateTime, nullable=False, index=True),
)
Table(
    "opening",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer),
    Column("joined_by", String, nullable=False),
    Column("watched", Boolean, nullable=False),
    Column("rematch_of", String, nullable=False, index=True),
    Column("caretaker", String, nullable=False),
    Column("advice", Boolean, nullable=False),
    Column("absence", String, nullable=False),
    Column("vacation_days", Integer),
)
Table(
    "outgoing",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("message_id", String, nullable=False, unique=True),
    Column("game", String, ForeignKey("game.id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("recipient", String, nullable=False),
    Column("detail", Text, nullable=False),
    Column("answers", String),
    Column("state", String, nullable=False),
    Column("why", String, nullable=False),
    Column("hindrance", String, nullable=False, server_default=""),
    Column("told_by", Integer, ForeignKey("outgoing.id")),
    Column("tries", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("queued_at", DateTime, nullable=False),
    Column("due_at", DateTime, nullable=False),
    Column("sent_at", DateTime),
    _partial_index(
        "ix_outgoing_answered", "due_at", where="state = 'sent' AND due_at > sent_at AND text != ''"
    ),
    Index("ix_outgoing_due", "state", "due_at"),
    Index("ix_outgoing_recipient", text("lower(recipient)"), text("kind"), text("queued_at")),
    Index("ix_outgoing_seat", "game", "seat", "kind"),
    _partial_index("ix_outgoing_told_by", "told_by", where="told_by IS NOT NULL"),
)
Table(
    "plan",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("words", Text, nullable=False),
    Column("after", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("missed", Boolean, nullable=False),
    Column("due_at", DateTime),
    Column("changed_at", DateTime, nullable=False),
    Index("ix_plan_changed", "changed_at"),
    _partial_index("ix_plan_due", "due_at", where="due_at IS NOT NULL"),
)
Table(
    "preference",
    SCHEMA,
    Column("player", Integer, ForeignKey("player.id"), primary_key=True),
    Column("game", String, primary_key=True, index=True),
    Column("said", Text, nullable=False),
    Column("letters_stopped", Boolean),
)
Table(
    "proposal",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("wishes", Text, nullable=False),
    Column("replaced_by", String, nullable=False),
)
Table(
    "resigned",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("at", DateTime, nullable=False),
)
Table(
    "rest",
    SCHEMA,
    Column("player", Integer, ForeignKey("player.id"), primary_key=True),
    Column("sleeps_from", String, nullable=False),
    Column("sleeps_until", String, nullable=False),
    Column("days_off", String, nullable=False),
)
Table(
    "review",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("due_at", DateTime),
    Column("tries", Integer, nullable=False),
    Column("said", Text, nullable=False),
    Column("made_at", DateTime),
    _partial_index("ix_review_due", "due_at", where="due_at IS NOT NULL"),
)
Table(
    "seating",
    SCHEMA,
    Column("game", String, ForeignKey("game.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("player", Integer, ForeignKey("player.id"), index=True),
    Column("house", Boolean, nullable=False),
    Column("accepted_at", DateTime),
    Column("epoch", Integer, nullable=False),
    Column("daily_at", DateTime, index=True),
    Column("held_until", DateTime),
    Column("chat_from", Integer, nullable=False, server_default="0"),
    _partial_index("ix_seating_held", "held_until", where="held_until IS NOT NULL"),
)
Table(
    "second",
    SCHEMA,
    Column("player", Integer, ForeignKey("player.id"), primary_key=True),
    Column("address", String, nullable=False),
    Index("ix_second_lower", text("lower(address)")),
)
Table(
    "signedin",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("digest", String, nullable=False, unique=True),
    Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
    Column("browser", String, nullable=False),
    Column("at", DateTime, nullable=False),
    Column("seen_at", DateTime, nullable=False),
    Index("ix_signedin_seen", "seen_at"),
)
Table(
    "signin",
    SCHEMA,
    Column("digest", String, primary_key=True),
    Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
    Column("at", DateTime, nullable=False, index=True),
    Column("leads_to", String, nullable=False),
)
Table(
    "vacation",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
    Column("game", String, nullable=False),
    Column("first", Date, nullable=False),
    Column("last", Date, nullable=False),
    Column("told_at", DateTime, nullable=False),
    Column("back_at", DateTime),
    Column("replaces", Integer),
    Column("ends_at", DateTime, nullable=False, index=True),
)
Table(
    "prepared",
    SCHEMA,
    Column("letter", Integer, ForeignKey("outgoing.id"), primary_key=True),
    Column("raw", LargeBinary, nullable=False),
    Column("text", Text, nullable=False),
    Column("heard", Integer, nullable=False),
    Column("numbers", Text, nullable=False),
    Column("at", DateTime, nullable=False),
)


VERSION_TABLE = Table(
    "alembic_version",
    SCHEMA,
    Column("version_num", String(32), nullable=False),
    Column("oldest_program", String(32)),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def create_baseline(connection: Connection) -> None:
    """Make the tables in a database that has none."""
    SCHEMA.create_all(connection, checkfirst=False)
    connection.execute(insert(VERSION_TABLE).values(version_num="0017"))
