"""Who has shown that they read mail at their address, what was sent unasked, and whom nobody writes to.

Besides, when a game ended, whether the operator has suspended it and how often names were taken out of its
log; the network that a mail came from; and the mails to the operator.
"""

from alembic import op
from sqlalchemy import (
    Column,
    DateTime,
    Integer,
    LargeBinary,
    String,
    bindparam,
    column,
    select,
    table,
    update,
)

revision = "0007"
down_revision = "0006"

GAMES = table("game", *map(column, ("id", "status", "ended_at")))
ACTS = table("act", *map(column, ("game", "seq", "at")))
SIGNS_OF_CONSENT = (
    "SELECT player, accepted_at AS at FROM seating WHERE player IS NOT NULL AND accepted_at IS NOT NULL",
    "SELECT player, at FROM signedin",
    "SELECT player, at FROM key",
)
"""What only somebody does who reads mail at their address."""


def upgrade() -> None:
    """Whoever has accepted a seat, signed in or made a key has confirmed their address."""
    for name, what in (("player", "confirmed_at"), ("game", "ended_at"), ("game", "suspended_at")):
        with op.batch_alter_table(name) as batch:
            batch.add_column(Column(what, DateTime))
    _add_with_value("game", Column("redactions", Integer, nullable=False, server_default="0"))
    _add_with_value("incoming", Column("network", String, nullable=False, server_default=""))
    _create_tables()
    signs = " UNION ALL ".join(SIGNS_OF_CONSENT)
    first = f"SELECT min(signs.at) FROM ({signs}) AS signs WHERE signs.player = player.id"
    op.execute(f"UPDATE player SET confirmed_at = ({first})")
    _date_ends()


def _add_with_value(name: str, made: Column[object]) -> None:
    with op.batch_alter_table(name) as batch:
        batch.add_column(made)
    with op.batch_alter_table(name) as batch:
        batch.alter_column(made.name, server_default=None)


def _create_tables() -> None:
    op.create_table(
        "unasked",
        Column("id", Integer, primary_key=True, nullable=False),
        Column("message_id", String, nullable=False, unique=True),
        Column("address", String, nullable=False, index=True),
        Column("origin", String, nullable=False, index=True),
        Column("at", DateTime, nullable=False, index=True),
        Column("sent_at", DateTime, index=True),
    )
    op.create_table(
        "block",
        Column("kind", String, primary_key=True, nullable=False),
        Column("value", String, primary_key=True, nullable=False),
        Column("origin", String, primary_key=True, nullable=False),
        Column("shown", String, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_table(
        "operatormail",
        Column("id", Integer, primary_key=True, nullable=False),
        Column("subject", String, nullable=False),
        Column("raw", LargeBinary, nullable=False),
        Column("state", String, nullable=False, index=True),
        Column("tries", Integer, nullable=False),
        Column("at", DateTime, nullable=False, index=True),
        Column("due_at", DateTime, nullable=False),
    )


def _date_ends() -> None:
    """A game ended with its last act; of what was stored as text in UTC the zone is left out."""
    connection = op.get_bind()
    over = select(GAMES.c.id).where(GAMES.c.status.in_(("over", "cancelled")))
    for game in connection.execute(over).scalars().all():
        last = select(ACTS.c.at).where(ACTS.c.game == game).order_by(ACTS.c.seq.desc()).limit(1)
        at = connection.execute(last).scalar()
        ended = update(GAMES).where(GAMES.c.id == bindparam("of")).values(ended_at=bindparam("ended"))
        connection.execute(ended, {"of": game, "ended": at and _stored(at)})


def _stored(at: str) -> str:
    """A moment of the log as a column holds it."""
    return f"{at[:19].replace('T', ' ')}.{at[20:23].ljust(6, '0')}"
