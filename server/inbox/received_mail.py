"""Processing of a stored mail: data, closing of the row, and the limit on answers to a player."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import case, func, or_
from sqlmodel import Session, col, select

from emails.languages.lexicon import whole_lexicon
from emails.letters.declaration import Payload
from emails.replies.grammars import build_confirmation_grammar
from emails.replies.headers import read_dmarc_result
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import read_reply
from emails.replies.screening import MailFacts, ScreeningFate, screen_mail
from server.outbox.budgets import UNKNOWN, Origin, mail_origin
from server.outbox.letter_kinds import ANSWER_KINDS
from server.outbox.notifications import Notification
from server.outbox.queue import (
    UnitOfWork,
    load_people,
    note_answered,
    open_unit,
    queue_letters,
    read_sent_letter,
)
from server.security_log import AttemptChannel, SecurityEvent
from server.store.context import Context
from server.store.dialects import lock_beside
from server.store.dialects.systems import player_key
from server.store.models import Game, IncomingMail, OutgoingLetter, Player, Seating
from server.store.states import LetterState, MailState


@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """A stored mail, with the data for its processing."""

    context: Context
    row: IncomingMail
    parsed: Mail
    token: str
    """Part of the recipient address after the +; empty without a +."""
    now: datetime

    @property
    def is_unproven(self) -> bool:
        """Whether the operator's mail server did not authenticate the sender (DMARC).

        False without the setting `mail_authserv`.
        """
        authserv = self.context.settings.mail_authserv
        return authserv is not None and read_dmarc_result(self.parsed.headers, authserv).is_proof_lacking

    def note_event(self, event: SecurityEvent, **facts: StrEnum) -> None:
        network, by = self.row.network, AttemptChannel.MAIL
        self.context.security.note(event, network, self.now, by=by, **facts)

    def origin_of(self, sender: str) -> Origin:
        return mail_origin(self.row.network, sender)


# --- closing --------------------------------------------------------------------------------------------

Closing = tuple[MailState, str]
"""State of a closed mail, and the reason for the operator."""


def close_mail(
    mail: ReceivedMail,
    work: Callable[[UnitOfWork], Closing | None],
    answered: OutgoingLetter | None = None,
    origin: Origin = UNKNOWN,
    game: str | None = None,
) -> bool:
    """Do `work` and close the mail in one transaction; do nothing if another process has closed the mail.

    Returns False, and rolls back, if `work` returns None. `answered`: the letter that the mail answers. The
    text of this letter is no longer needed, and is deleted later. `game`: the only game that is changed.
    """
    with open_unit(mail.context, mail.now, origin, game) as unit:
        incoming = unit.session.get_one(IncomingMail, mail.row.id)
        if incoming.state != MailState.WAITING:
            return True
        if answered is not None:
            note_answered(unit.session, answered, unit.now)
        closing = work(unit)
        if closing is None:
            return False
        incoming.state, incoming.why = closing
        unit.commit()
    mail.row.state = closing[0]
    return True


def ignore_mail(mail: ReceivedMail, why: str) -> None:
    with mail.context.writing() as session:
        incoming = session.get_one(IncomingMail, mail.row.id)
        if incoming.state == MailState.WAITING:
            incoming.state, incoming.why = MailState.IGNORED, why
        session.commit()
    mail.row.state = MailState.IGNORED


def reason_to_ignore(mail: ReceivedMail, unknown: bool, *, generated: bool = False) -> str | None:
    """Return why a mail is ignored regardless of its sender, such as an auto-reply; None if it is processed.

    `unknown`: the recipient address has no valid token; `generated`: accept a mail that a program sends for
    its user.
    """
    with mail.context.reading() as session:
        facts = replace(find_doubles(session, mail.row), unknown=unknown)
    parsed = mail.parsed
    if generated and parsed.headers.first("auto-submitted").strip().lower() == "auto-generated":
        fields = {name: value for name, value in parsed.headers.fields.items() if name != "auto-submitted"}
        parsed = replace(parsed, headers=replace(parsed.headers, fields=fields))
    verdict = screen_mail(parsed, facts)
    return verdict.sentence if verdict.fate in (ScreeningFate.IGNORED, ScreeningFate.RETURNED) else None


def find_doubles(session: Session, row: IncomingMail) -> MailFacts:
    """Return whether a mail is a returned letter of this server, and whether it repeats an earlier mail."""
    if not row.message_id:
        return MailFacts()
    own = select(OutgoingLetter.id).where(OutgoingLetter.message_id == row.message_id)
    double = select(IncomingMail.id).where(
        IncomingMail.message_id == row.message_id,
        func.lower(IncomingMail.recipient) == row.recipient.lower(),
        col(IncomingMail.id) < row.id,
    )
    found = session.exec(select(own.exists(), double.exists())).one()
    return MailFacts(own=found[0], double=found[1])


def find_letter_replied_to(session: Session, mail: Mail) -> OutgoingLetter | None:
    ids = re.findall(r"<[^<>\s]{1,200}>", " ".join(mail.headers.all("in-reply-to"))[:2000])
    return session.exec(select(OutgoingLetter).where(col(OutgoingLetter.message_id).in_(ids[:5]))).first()


def says_yes(mail: ReceivedMail) -> bool:
    """Return whether a mail says yes to a question of the server, in any language."""
    with mail.context.reading() as session:
        letter = find_letter_replied_to(session, mail.parsed)
    sent = "" if letter is None else letter.text
    return read_reply(mail.parsed, build_confirmation_grammar(whole_lexicon()), sent).says_yes


# --- answers --------------------------------------------------------------------------------------------

HOUR = timedelta(hours=1)
MOST_ANSWERS_AN_HOUR = 60


def find_room_for_answer(
    session: Session, game: str, seat: int, now: datetime, most: int = MOST_ANSWERS_AN_HOUR
) -> datetime:
    """Return when the next answer to the player of a seat may be sent; `now` if the limit permits.

    The limit counts the answers in all games of the player.
    """
    player = select(Seating.player).where(Seating.game == game, Seating.seat == seat).scalar_subquery()
    games = select(Seating.game).where(Seating.player == player)
    address = select(Player.address).where(Player.id == player).scalar_subquery()
    leaves = case(
        (col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.due_at)),
        else_=func.coalesce(col(OutgoingLetter.sent_at), col(OutgoingLetter.queued_at)),
    )
    answers = (
        select(leaves)
        .where(
            col(OutgoingLetter.game).in_(games),
            OutgoingLetter.recipient == address,
            col(OutgoingLetter.kind).in_(ANSWER_KINDS),
            or_(
                col(OutgoingLetter.queued_at) > now - HOUR,
                col(OutgoingLetter.state) == LetterState.WAITING,
                col(OutgoingLetter.sent_at) > now - HOUR,
            ),
        )
        .order_by(leaves.desc())
    )
    earliest = session.exec(answers.offset(most - 1).limit(1)).first()
    return now if earliest is None else max(now, earliest + HOUR)


def queue_answer(
    unit: UnitOfWork,
    game: Game,
    seat: int,
    row: IncomingMail,
    payload: Payload,
    answered: OutgoingLetter | None = None,
) -> None:
    """Queue the answer to a mail, to be sent when the hourly limit on answers permits.

    Call it before queueing letters about the effects of the mail, so that the answer arrives first.
    `answered`: the letter that the mail replies to; the answer joins its thread.
    """
    same = select(Seating.player).where(Seating.game == game.id, Seating.seat == seat)
    player = unit.session.exec(same).first()
    if player is not None:
        # The player may answer in two games at once.
        lock_beside(unit.session.connection(), player_key(player))
    later = find_room_for_answer(unit.session, game.id, seat, unit.now) - unit.now
    subject = "" if answered is None else read_sent_letter(answered.detail).subject
    letter = Notification(seat, payload, row, later=later, answered=subject)
    queue_letters(unit.context, unit.session, game, [letter], unit.now)


def queue_to_outsider(unit: UnitOfWork, game: Game, payload: Payload, address: str, mark: str) -> None:
    """Queue a letter about a game to a person without a seat; `mark` makes the Message-ID unique."""
    letters = [
        Notification(seat, payload, mark=mark, recipient=address, asked=False)
        for seat in sorted(load_people(unit.session, game.id))[:1]
    ]
    unit.queue(game, letters)
