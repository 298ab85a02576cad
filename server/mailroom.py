"""Incoming mail: taken in, kept as it came, screened, read, and handed to where it is done.

Taking a mail in stores its bytes and the envelope recipient and nothing else, before the sender hears that it
was accepted; reading comes after. Who may act is shown by the sealed ticket in the recipient's address, and
answers go only to the address on file.
"""

from __future__ import annotations

import hashlib
import logging
import re
from datetime import datetime, timedelta
from email.utils import getaddresses

from sqlalchemy import func, insert
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlmodel import Session, col, select

from emails import bodies
from emails.links import Forged, unseal, unseal_stop
from emails.replies import read_reply
from emails.screening import LARGEST, Facts, screen
from emails.tongue import PLAIN, speaking
from server import addresses, stopping
from server.addresses import NotConfirmed
from server.office import Office
from server.outbox import people
from server.replying import Writer, accept_by, close, plainly, play_by, refuse
from server.stopping import NotStopped
from server.tables import Game, Incoming, Outgoing

LOG = logging.getLogger(__name__)
MOST_BYTES = LARGEST + 1
"""Of a mail that is kept; what is larger is refused, so its end is not needed."""
MOST_ANSWERS = 60
"""Answers a seat gets within an hour; a loop of two machines gets no more."""
AT_ONCE = 50
CONFIRMED = frozenset(
    ("confirm", "i confirm", "yes", "yes it is mine", "ja", "ja dat klopt", "bevestig", "ik bevestig")
)
"""The lines that confirm an address, in small letters and without signs."""
RECIPIENT = re.compile(r"play\+(?P<token>[a-z2-7]{1,58})@", re.IGNORECASE)


def take_in(office: Office, sender: str, recipient: str, raw: bytes, now: datetime) -> None:
    """Store a mail as it came; the same bytes to the same address twice are one mail."""
    digest = hashlib.sha256(recipient.lower().encode("utf-8", "replace") + b"\0" + raw).hexdigest()
    row = {
        "digest": digest,
        "at": now,
        "sender": _storable(sender),
        "recipient": _storable(recipient),
        "raw": raw[:MOST_BYTES],
        "message_id": bodies.headers(raw).first("message-id")[:300] or None,
        "state": "waiting",
        "why": "",
    }
    with office.writing() as session:
        try:
            session.execute(insert(Incoming).values(**row))
            session.commit()
        except IntegrityError:
            return  # it came before
    office.wake()


def _storable(address: str) -> str:
    """An address of the envelope, bounded and without the halves of characters that no database takes."""
    return address[:320].encode("utf-8", "replace").decode()


def process(office: Office, now: datetime) -> int:
    """Read the mails that are waiting, the oldest first; how many were read."""
    with office.reading() as session:
        chosen = select(Incoming).where(Incoming.state == "waiting").order_by(col(Incoming.id)).limit(AT_ONCE)
        rows = list(session.exec(chosen))
    done = 0
    for row in rows:
        try:
            _read(office, row, now)
        except SQLAlchemyError:
            LOG.exception("mail %s waits until the database is there again", row.id)
            continue
        except Exception:
            # One mail that cannot be read must not keep back all the others; its bytes are kept.
            LOG.exception("mail %s cannot be read", row.id)
            close(office, row, "refused", "it could not be read: see the server's own messages")
        done += 1
    return done


def _read(office: Office, row: Incoming, now: datetime) -> None:
    """Screen one mail and do what it says, at the door that its address names."""
    door, _, token = row.recipient.partition("@")[0].partition("+")
    match door.lower():
        case "stop":
            _stop(office, row, token, now)
        case "confirm":
            _confirm(office, row, token, now)
        case _:
            _reply(office, row, now)


def _reply(office: Office, row: Incoming, now: datetime) -> None:
    """An answer to a letter of a game."""
    with office.reading() as session:
        writer = _writer(office, session, row)
        facts = _facts(session, row, writer, now)
        sent = None if writer is None else _letter_answered(session, row)
    with speaking(PLAIN if writer is None else writer.person.wants.tongue):
        verdict = screen(row.raw, row.sender, facts)
        if writer is None or not verdict.answered:
            close(office, row, "ignored", verdict.sentence)
        elif not verdict.played:
            refuse(office, row, writer, verdict.sentence, now)
        elif writer.game.status == "open":
            accept_by(office, row, writer, now)
        else:
            play_by(office, row, writer, sent, now)


def _stop(office: Office, row: Incoming, token: str, now: datetime) -> None:
    """No more letters of a game, please: whatever the mail says, unless a program wrote it by itself.

    The token says whose letters; mail programs send such a mail when their user presses "unsubscribe".
    """
    try:
        game, seat = unseal_stop(token, office.post.secret)
    except Forged:
        game, seat = "", 0
    why = _ignored(office, row, unknown=not game)
    if not why:
        try:
            stopping.stop(office, game, seat, False, now)
        except NotStopped as error:
            why = str(error)
    close(office, row, "ignored" if why else "played", why)


def _confirm(office: Office, row: Incoming, code: str, now: datetime) -> None:
    """The answer from a new address: yes, it is mine. There is nobody to be told where it is refused."""
    why = _ignored(office, row, unknown=not code)
    if not why:
        with office.reading() as session:
            sent = _letter_answered(session, row)
        reply = read_reply(row.raw, sent, _confirms)
        if reply.doubtful or not reply.lines or not _confirms(reply.lines[0]):
            why = "It does not say yes in its first line."
    if not why:
        try:
            addresses.confirmed(office, code, now)
        except NotConfirmed as error:
            why = str(error)
    close(office, row, "ignored" if why else "played", why)


def _confirms(line: str) -> bool:
    return plainly(line) in CONFIRMED


def _ignored(office: Office, row: Incoming, unknown: bool) -> str:
    """Why a mail to such an address does nothing; empty where it may. Who wrote it is not asked."""
    with office.reading() as session:
        facts = Facts(own=_is_own(session, row), unknown=unknown, double=_is_double(session, row))
    verdict = screen(row.raw, row.sender, facts)
    return "" if verdict.played or verdict.answered else verdict.sentence


def _writer(office: Office, session: Session, row: Incoming) -> Writer | None:
    found = RECIPIENT.match(row.recipient)
    if not found:
        return None
    try:
        ticket = unseal(found["token"], office.post.secret)
    except Forged:
        return None
    game = session.get(Game, ticket.game)
    if game is None:
        return None
    present = people(session, game.id)
    if ticket.seat not in present:
        return None
    return Writer(game, ticket, present[ticket.seat], tuple(one.name for one in present.values()))


def _facts(session: Session, row: Incoming, writer: Writer | None, now: datetime) -> Facts:
    """What the table of screening cannot see in the mail itself."""
    if writer is None:
        return Facts(unknown=True)
    senders = {address.lower() for _, address in getaddresses(list(bodies.headers(row.raw).all("from")))}
    return Facts(
        own=_is_own(session, row),
        double=_is_double(session, row),
        too_many=_answers_lately(session, writer, now) >= MOST_ANSWERS,
        stranger=writer.person.address.lower() not in senders,
    )


def _is_own(session: Session, row: Incoming) -> bool:
    """Whether it is a letter of ours that came back. Its domain would not tell: players may write from it."""
    same = select(Outgoing.id).where(Outgoing.message_id == row.message_id)
    return row.message_id is not None and session.exec(same).first() is not None


def _is_double(session: Session, row: Incoming) -> bool:
    """Whether the mail came before with other bytes, as when it was delivered by two ways."""
    if not row.message_id:
        return False
    same = select(Incoming.id).where(
        Incoming.message_id == row.message_id,
        func.lower(Incoming.recipient) == row.recipient.lower(),
        col(Incoming.id) < row.id,
    )
    return session.exec(same).first() is not None


def _answers_lately(session: Session, writer: Writer, now: datetime) -> int:
    answers = (
        select(func.count())
        .select_from(Outgoing)
        .where(
            Outgoing.game == writer.game.id,
            Outgoing.seat == writer.ticket.seat,
            col(Outgoing.kind).in_(("answer", "refused")),
            Outgoing.queued_at > now - timedelta(hours=1),
        )
    )
    return session.exec(answers).one()


def _letter_answered(session: Session, row: Incoming) -> str | None:
    """The text of the letter that a mail answers, if it names one of ours."""
    named = re.findall(r"<[^<>\s]{1,200}>", " ".join(bodies.headers(row.raw).all("in-reply-to"))[:2000])
    chosen = select(Outgoing.text).where(col(Outgoing.message_id).in_(named[:5]))
    return session.exec(chosen).first() or None


def recipients(raw: bytes, given: str, domain: str) -> list[str]:
    """To which of our addresses a piped mail is meant: the envelope's, else those its headers name."""
    if given:
        return [given]
    headers = bodies.headers(raw)
    for name in ("x-original-to", "delivered-to", "envelope-to", "to"):
        named = [address for _, address in getaddresses(list(headers.all(name)))]
        ours = [address for address in named if address.lower().endswith("@" + domain.lower())]
        if ours:
            return ours[:5]
    return []


def sender(raw: bytes, given: str | None) -> str:
    """The envelope sender of a piped mail; else what Return-Path or From says."""
    if given is not None:
        return given
    headers = bodies.headers(raw)
    named = getaddresses([headers.first("return-path") or headers.first("from")])
    return named[0][1] if named else ""
