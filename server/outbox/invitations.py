"""What an organiser has written to somebody whom they invited: it is kept with the invitation alone."""

from __future__ import annotations

from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.outbox.letter_details import InvitationDetail, decode_content
from server.store.models import OutgoingLetter


def load_note(session: Session, game: str, seat: int) -> str:
    """The organiser's line to whoever has a seat now; empty where there is none."""
    rows = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game,
        OutgoingLetter.seat == seat,
        OutgoingLetter.kind == LetterKind.INVITATION,
    )
    last = session.exec(rows.order_by(col(OutgoingLetter.id).desc()).limit(1)).first()
    return "" if last is None else _note_of(last)


def list_notes(session: Session, game: str) -> list[str]:
    """What the organiser of a game has written to those whom they invited, each line once."""
    rows = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game, OutgoingLetter.kind == LetterKind.INVITATION
    )
    found = map(_note_of, session.exec(rows.order_by(col(OutgoingLetter.id))))
    return [*dict.fromkeys(note for note in found if note)]


def _note_of(detail: str) -> str:
    content = decode_content(LetterKind.INVITATION, detail)
    return content.note if isinstance(content, InvitationDetail) else ""
