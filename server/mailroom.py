"""Incoming mail: taken in, kept as it came, screened, read, played, answered.

Taking a mail in stores its bytes and the envelope recipient and nothing else, before the sender hears that it
was accepted; reading comes after. Who may act is shown by the sealed ticket in the recipient's address, and
answers go only to the address on file.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import getaddresses

from sqlalchemy import func, insert
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlmodel import Session, col, select

from emails import bodies
from emails.links import Forged, Ticket, unseal
from emails.replies import read_reply
from emails.screening import LARGEST, Facts, screen
from engine.actions import Refusal, Unreadable
from engine.notation import parse
from server import postman
from server.games import accept
from server.log import Stale
from server.office import Office
from server.play import NoGame, Refused, play
from server.tables import Game, Incoming, Outgoing

LOG = logging.getLogger(__name__)
MOST_BYTES = LARGEST + 1
"""Of a mail that is kept; what is larger is refused, so its end is not needed."""
MOST_ANSWERS = 60
"""Answers a seat gets within an hour; a loop of two machines gets no more."""
AT_ONCE = 50
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
            _close(office, row, "refused", "it could not be read: see the server's own messages")
        done += 1
    return done


@dataclass(frozen=True, slots=True)
class Writer:
    """Who a mail is from, as the ticket in its address shows."""

    game: Game
    ticket: Ticket
    person: postman.Person
    names: tuple[str, ...]
    """Of the people who play."""


def _read(office: Office, row: Incoming, now: datetime) -> None:
    """Screen one mail, play what it says, and answer it."""
    with office.reading() as session:
        writer = _writer(office, session, row)
        verdict = screen(row.raw, row.sender, _facts(session, row, writer, now))
        sent = None if writer is None else _letter_answered(session, row)
    if writer is None or not verdict.answered:
        _close(office, row, "ignored", verdict.sentence)
    elif not verdict.played:
        _answer(office, row, writer, verdict.sentence, now)
    elif writer.game.status == "open":
        _accept(office, row, writer, now)
    else:
        _play(office, row, writer, sent, now)


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
    people = postman.people(session, game.id)
    if ticket.seat not in people:
        return None
    return Writer(game, ticket, people[ticket.seat], tuple(person.name for person in people.values()))


def _facts(session: Session, row: Incoming, writer: Writer | None, now: datetime) -> Facts:
    """What the table of screening cannot see in the mail itself."""
    if writer is None:
        return Facts(unknown=True)
    senders = {address.lower() for _, address in getaddresses(list(bodies.headers(row.raw).all("from")))}
    return Facts(
        double=_is_double(session, row),
        too_many=_answers_lately(session, writer, now) >= MOST_ANSWERS,
        stranger=writer.person.address.lower() not in senders,
    )


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


def _accept(office: Office, row: Incoming, writer: Writer, now: datetime) -> None:
    """An answer to an invitation."""
    reply = read_reply(row.raw, is_command=_accepts, names=writer.names)
    if reply.doubtful or not reply.lines or not _accepts(reply.lines[0]):
        _answer(office, row, writer, "To accept the invitation, answer it with the one word “accept”.", now)
        return
    try:
        started = accept(office, writer.game.id, writer.ticket.seat, now, door="reply")
    except Stale:
        return  # somebody accepted in the same moment: the next round reads this mail again
    if started:
        _close(office, row, "played", "")  # the letters of the start are the answer
    else:
        _finish(office, row, writer, "played", "", postman.Occasion(writer.ticket.seat, "accepted"), now)


def _accepts(line: str) -> bool:
    return line.strip(" .!").casefold() in ("accept", "i accept", "yes")


def _play(office: Office, row: Incoming, writer: Writer, sent: str | None, now: datetime) -> None:
    board = office.board_of(writer.game)

    def is_command(line: str) -> bool:
        try:
            parse(line, board)
        except Refusal:
            return False
        return True

    reply = read_reply(row.raw, sent, is_command, writer.names)
    if reply.doubtful or not reply.lines:
        _answer(office, row, writer, reply.why, now)
        return
    ticket = writer.ticket
    try:
        play(office, ticket.game, ticket.seat, ticket.after, reply.lines, "reply", now, row.id)
    except Stale:
        sentence = "This answers a letter that is past: the game has moved on since."
        _answer(office, row, writer, sentence, now, reply.lines)
    except NoGame:
        _answer(office, row, writer, "The game is not being played.", now, reply.lines)
    except Refused as refused:
        sentence = f"“{refused.line[:80]}”: {_sentence(refused.refusal)}"
        _answer(office, row, writer, sentence, now, reply.lines)


def _sentence(refusal: Refusal) -> str:
    """Why a line is refused and what it may have meant."""
    text = str(refusal)
    if isinstance(refusal, Unreadable) and refusal.did_you_mean:
        text += f"; did you mean {' or '.join(refusal.did_you_mean)}?"
    return text


def _answer(
    office: Office, row: Incoming, writer: Writer, sentence: str, now: datetime, lines: Sequence[str] = ()
) -> None:
    """Tell the address on file that nothing of a mail was done, and why."""
    detail = {"sentence": sentence, "undone": list(lines)}
    occasion = postman.Occasion(writer.ticket.seat, "refused", detail)
    _finish(office, row, writer, "refused", sentence, occasion, now)


def _finish(
    office: Office,
    row: Incoming,
    writer: Writer,
    state: str,
    why: str,
    occasion: postman.Occasion,
    now: datetime,
) -> None:
    """Note what became of a mail and queue its answer, once."""
    with office.writing() as session:
        incoming = session.get_one(Incoming, row.id)
        if incoming.state != "waiting":
            return  # another server has read it
        incoming.state, incoming.why = state, why
        game = session.get_one(Game, writer.game.id)
        postman.queue(office, session, game, [replace(occasion, mail=incoming)], now)
        session.commit()


def _close(office: Office, row: Incoming, state: str, why: str) -> None:
    """Note what became of a mail that gets no answer."""
    with office.writing() as session:
        incoming = session.get_one(Incoming, row.id)
        if incoming.state == "waiting":
            incoming.state, incoming.why = state, why
        session.commit()


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
