"""What hindered a letter or a mail, and whether letters are stopped: no sentence decides it any more."""

from alembic import op
from sqlalchemy import Boolean, Column, String, and_, case, column, or_, table, update

revision = "0016"
down_revision = "0015"

LETTERS, MAILS = (
    table(name, *map(column, ("state", "why", "hindrance"))) for name in ("outgoing", "incoming")
)
PREFERENCES = table("preference", column("said"), column("letters_stopped"))
ASIDE = ": see the server's own messages"
BARRED = (
    "nothing is sent to its reader",
    "its reader has got as many letters that they did not ask for as anybody may",
    "whoever caused it has caused as many such letters as anybody may",
)


def upgrade() -> None:
    """What follows from the sentences of before is written down; an older program writes none of it.

    All tables are changed before anything is written, so that none is wanted while others wait for long.
    """
    op.add_column("preference", Column("letters_stopped", Boolean, nullable=True))
    for name in ("outgoing", "incoming"):
        op.add_column(name, Column("hindrance", String, nullable=False, server_default=""))
    state, why = LETTERS.c.state, LETTERS.c.why
    found = (
        (and_(state == "waiting", why.startswith("not taken: ")), "relay"),
        (and_(state == "waiting", why.startswith("perhaps taken: ")), "doubt"),
        (and_(state == "failed", why.startswith("it came back: ")), "returned"),
        (and_(state == "failed", why.endswith(ASIDE)), "aside"),
        (why.in_(BARRED), "barred"),
    )
    op.execute(update(LETTERS).where(or_(*(which for which, _ in found))).values(hindrance=case(*found)))
    unread = and_(MAILS.c.state == "refused", MAILS.c.why.endswith(ASIDE))
    op.execute(update(MAILS).where(unread).values(hindrance="aside"))
    op.execute(update(PREFERENCES).values(letters_stopped=PREFERENCES.c.said.like('%"letters": false%')))
