"""What all who play are told of what was asked of them, and whoever has asked, at once."""

from __future__ import annotations

from collections.abc import Mapping

from emails.wording.requests import NO_TERMS, MotionKind, MotionTerms
from server.outbox import posted_announcements
from server.outbox.queue import load_people
from server.outbox.unit_of_work import UnitOfWork
from server.store.facts.game_agreements import Motion
from server.store.histories import StartedHistory
from server.store.models import Game
from server.store.states import Announcement
from server.store.turn_clock import protected_deadline

TOLD: Mapping[MotionKind, Announcement] = {
    MotionKind.MORE_TIME: Announcement.TIME_ADDED,
    MotionKind.PAUSE: Announcement.GAME_PAUSED,
    MotionKind.RESUME: Announcement.GAME_RESUMED,
    MotionKind.GO_ON: Announcement.SEAT_PASSED_OVER,
}
TOLD_ASKER: Mapping[Announcement, Announcement] = {
    Announcement.GAME_PAUSED: Announcement.PAUSE_AGREED,
    Announcement.PAUSED_UNTIL: Announcement.PAUSE_AGREED_UNTIL,
}
"""What whoever has asked is told instead: a letter of its own brings it."""
TOLD_MOVER: Mapping[Announcement, Announcement] = {
    Announcement.TIME_ADDED: Announcement.TIME_GRANTED,
    Announcement.GAME_RESUMED: Announcement.TURN_GOES_ON,
    Announcement.PAUSE_OVER: Announcement.TURN_GOES_ON,
    Announcement.PAUSE_ENDED: Announcement.TURN_GOES_ON,
    Announcement.RESUMED_BY_OPERATOR: Announcement.TURN_GOES_ON,
}
"""What whoever is to move is told instead, with their deadline: a letter of its own too."""


def announce_motion(
    unit: UnitOfWork,
    game: Game,
    history: StartedHistory,
    what: Announcement,
    but: int | None = None,
    terms: MotionTerms = NO_TERMS,
    asker: int | None = None,
) -> None:
    """Tell everybody what has happened, but whoever did it: about a seat, a moment, or whoever is to move."""
    table = history.position.table
    mover = None if history.is_vacant(table.seat) else table.seat
    about = table.names[table.seat if terms.without is None else terms.without]
    deadline = protected_deadline(unit.session, game)
    if what is Announcement.GAME_PAUSED and terms.until is not None:
        what, about = Announcement.PAUSED_UNTIL, terms.until.isoformat()
    for seat in sorted(load_people(unit.session, game.id)):
        if seat == but:
            continue
        told, of = (TOLD_ASKER.get(what, what), about) if seat == asker else (what, about)
        if seat == mover and what in TOLD_MOVER and deadline is not None:
            told, of = TOLD_MOVER[what], deadline.isoformat()
        posted_announcements.announce_to(unit.context, unit.session, game, seat, told, of, unit.now)


def announce_refusal(unit: UnitOfWork, game: Game, motion: Motion, seat: int) -> None:
    """Tell the others that a seat does not agree, so that nothing comes of what was asked of them."""
    names, asker = load_people(unit.session, game.id), motion.seat
    told = dict.fromkeys(names, Announcement.MOTION_DECLINED) | {asker: Announcement.MOTION_REFUSED}
    if motion.kind is MotionKind.MORE_TIME:  # a yes of one is enough, so only whoever asked waits for it
        told = {asker: Announcement.MORE_TIME_REFUSED}
    for other in sorted(told.keys() & names.keys() - {seat}):
        posted_announcements.announce_to(
            unit.context, unit.session, game, other, told[other], names[seat].name, unit.now
        )
