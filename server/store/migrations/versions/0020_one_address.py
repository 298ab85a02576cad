"""Let a player have only one address: the address in use."""

from alembic import op
from sqlalchemy import and_, column, delete, func, select, table, update

revision = "0020"
down_revision = "0019"

LETTERS = table("outgoing", *map(column, ("id", "kind", "state", "why", "detail")))
PREPARED = table("prepared", column("letter"))
CONFIRMATIONS = table("confirmation", column("purpose"))
MESSAGES = table("message", *map(column, ("announcement", "about", "addressee")))
ASKED, READ_AS = '"second address asked"', '"address asked"'
NOBODY = -1


def upgrade() -> None:
    """Delete second addresses and their confirmations, and drop letters about second addresses.

    Messages about second addresses are kept but hidden, so that their numbers are not used again.
    """
    op.drop_table("second")
    op.execute(delete(CONFIRMATIONS).where(CONFIRMATIONS.c.purpose == "second"))
    told = MESSAGES.c.announcement.in_(("second used", "second added"))
    op.execute(update(MESSAGES).where(told).values(announcement=None, about="", addressee=NOBODY))
    notices = and_(LETTERS.c.kind == "notice", LETTERS.c.detail.contains(ASKED))
    waiting = and_(notices, LETTERS.c.state == "waiting")
    op.execute(delete(PREPARED).where(PREPARED.c.letter.in_(select(LETTERS.c.id).where(waiting))))
    op.execute(update(LETTERS).where(waiting).values(state="dropped", why="its occasion has passed"))
    detail = func.replace(LETTERS.c.detail, ASKED, READ_AS)
    op.execute(update(LETTERS).where(notices).values(detail=detail))
