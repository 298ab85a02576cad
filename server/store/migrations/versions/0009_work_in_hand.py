"""Letters that are handed over, moments of the server itself, when a mail came and its bytes; indexes.

A table that is made anew loses the indexes with an expression, so all indexes come last.
"""

from alembic import op
from sqlalchemy import (
    Column,
    DateTime,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    Text,
    TextClause,
    bindparam,
    column,
    select,
    table,
    text,
    update,
)

revision = "0009"
down_revision = "0008"

GAMES = table("game", *map(column, ("id", "status", "opened_at", "seq", "watched_at")))
ACTS = table("act", *map(column, ("game", "seq", "at")))
SEATS = table("seating", *map(column, ("game", "player", "accepted_at", "held_until")))
MARKS = table("failing", *map(column, ("since", "ended_at", "due_at")))
TERMS = table("opening", *map(column, ("game", "watched")))
DROPPED = {
    "outgoing": ("game", "state", "told_by", "due"),
    "incoming": ("state", "due"),
    "game": ("status",),
}
INDEXES: tuple[tuple[str, str, list[str | TextClause], str | None], ...] = (
    ("ix_player_mailbox", "player", ["mailbox"], None),
    ("ix_player_lower", "player", [text("lower(address)")], None),
    ("ix_player_stranger", "player", ["id"], "confirmed_at IS NULL"),
    ("ix_second_lower", "second", [text("lower(address)")], None),
    ("ix_game_opened", "game", ["status", "opened_at"], None),
    ("ix_game_watched", "game", ["status", "watched_at"], "watched_at IS NOT NULL"),
    ("ix_game_suspended", "game", ["suspended_at"], "suspended_at IS NOT NULL"),
    ("ix_seating_held", "seating", ["held_until"], "held_until IS NOT NULL"),
    ("ix_failing_due", "failing", ["due_at"], "due_at IS NOT NULL"),
    ("ix_confirmation_due", "confirmation", ["due_at"], "due_at IS NOT NULL"),
    ("ix_outgoing_due", "outgoing", ["state", "due_at"], None),
    ("ix_outgoing_seat", "outgoing", ["game", "seat", "kind"], None),
    ("ix_outgoing_recipient", "outgoing", [text("lower(recipient)"), "kind", "queued_at"], None),
    ("ix_outgoing_told_by", "outgoing", ["told_by"], "told_by IS NOT NULL"),
    ("ix_outgoing_answered", "outgoing", ["due_at"], "state = 'sent' AND due_at > sent_at AND text != ''"),
    ("ix_incoming_due", "incoming", ["state", "due_at"], None),
    ("ix_incoming_raw_mail", "incoming", ["raw_mail"], None),
    ("ix_preference_game", "preference", ["game"], None),
    ("ix_block_origin", "block", ["origin"], None),
    ("ix_confirmation_at", "confirmation", ["at"], None),
    ("ix_failing_ended", "failing", ["ended_at"], "ended_at IS NOT NULL"),
    ("ix_signin_at", "signin", ["at"], None),
    ("ix_signedin_seen", "signedin", ["seen_at"], None),
    ("ix_key_at", "key", ["at"], None),
)


def upgrade() -> None:
    """Nothing is in hand while a database is migrated."""
    op.create_table(
        "prepared",
        Column("letter", Integer, ForeignKey("outgoing.id"), primary_key=True, nullable=False),
        Column("raw", LargeBinary, nullable=False),
        Column("text", Text, nullable=False),
        Column("heard", Integer, nullable=False),
        Column("numbers", Text, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_table(
        "moment",
        Column("name", String, primary_key=True, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_table(
        "raw_mail",
        Column("id", Integer, primary_key=True, nullable=False),
        Column("digest", String, nullable=False, unique=True),
        Column("raw", LargeBinary, nullable=False),
    )
    op.execute("ALTER TABLE incoming ADD COLUMN raw_mail INTEGER REFERENCES raw_mail (id)")
    for name, of in (("arrived_at", "incoming"), ("watched_at", "game"), ("held_until", "seating")):
        op.add_column(of, Column(name, DateTime))
    op.add_column("failing", Column("due_at", DateTime))
    with op.batch_alter_table("player") as batch:
        batch.add_column(Column("mailbox", String, nullable=False, server_default=""))
    with op.batch_alter_table("player") as batch:
        batch.alter_column("mailbox", server_default=None)
    _look_at_all_once()
    for of, names in DROPPED.items():
        for name in names:
            op.drop_index(f"ix_{of}_{name}", of)
    for index, of, columns, only in INDEXES:
        condition = None if only is None else text(only)
        op.create_index(index, of, columns, sqlite_where=condition, postgresql_where=condition)


def _look_at_all_once() -> None:
    """The clock looks once at every mark and at every seat that may be held, and then knows when to again."""
    op.execute(update(MARKS).where(MARKS.c.ended_at.is_(None)).values(due_at=MARKS.c.since))
    waiting = select(GAMES.c.id).where(GAMES.c.status == "open")
    opened = select(GAMES.c.opened_at).where(GAMES.c.id == SEATS.c.game).scalar_subquery()
    held = update(SEATS).where(SEATS.c.game.in_(waiting), SEATS.c.player.is_not(None))
    op.execute(held.where(SEATS.c.accepted_at.is_(None)).values(held_until=opened))
    watched = select(TERMS.c.game).where(TERMS.c.watched)
    last = select(GAMES.c.id, ACTS.c.at).where(ACTS.c.game == GAMES.c.id, ACTS.c.seq == GAMES.c.seq)
    happened = update(GAMES).where(GAMES.c.id == bindparam("of")).values(watched_at=bindparam("moment"))
    connection = op.get_bind()
    for game, at in connection.execute(last.where(GAMES.c.id.in_(watched))).all():
        connection.execute(happened, {"of": game, "moment": f"{at[:10]} {at[11:23]}000"})
