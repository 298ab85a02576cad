"""How a game was opened: by whom, who may take its open seats, who may watch, which game it repeats.

All of it stands in the game's first act (`GameOpened`), whose terms older games have not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import and_, exists, func, or_
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from emails.terms import AbsenceRule, Caretaker, JoinedBy
from server.store.columns import read_id
from server.store.dialects.expressions import hexed
from server.store.facts.server_facts import GameTerms
from server.store.histories import MOST_MISSED, MOST_SEATS, Absence, History
from server.store.models import Game, OutgoingLetter, Seating
from server.store.row_failures import read_alone
from server.store.states import GameStatus
from server.store.work_models import OfferedSeat, StoredTerms

LISTED_FOR = timedelta(days=30)
"""How long a game that anybody may join is shown to strangers."""


USUAL_TERMS = GameTerms(caretaker=Caretaker.GENTLE, advice=True, absence=AbsenceRule.TURN)
"""Those of a new game, where its organiser says nothing."""


def store_terms(game: str, seat: int | None, terms: GameTerms) -> StoredTerms:
    """The row of the terms of a game that `seat` has opened; None: nobody who plays in it."""
    return StoredTerms(
        game=game,
        seat=seat,
        joined_by=terms.joined_by,
        watched=terms.watched,
        rematch_of=terms.rematch_of or "",
        caretaker=terms.caretaker,
        advice=terms.advice,
        absence=terms.absence,
        vacation_days=terms.vacation_days,
    )


def terms_of(session: Session, game: str) -> StoredTerms:
    """How a game was opened; of games from before this was kept, that nobody may join or watch."""
    return session.get(StoredTerms, game) or StoredTerms(game=game)


def rule_when_late(rule: AbsenceRule, history: History, seat: int) -> AbsenceRule:
    """What the caretaker does when the time of a seat is up once more: one rule overlooks the first time."""
    missed = history.absences.get(seat, Absence()).missed + 1
    return AbsenceRule.ALWAYS if rule == AbsenceRule.TURN and missed < MOST_MISSED else rule


def is_return_open(game: Game, history: History, seat: int) -> bool:
    """Whether whoever has given a seat up can come back: it is offered, and nobody has taken it."""
    return seat in history.resigned and seat in history.offers and game.status == GameStatus.RUNNING


def find_pause_end(game: Game, history: History) -> datetime | None:
    """When a game that is paused goes on by itself; None where it is not paused, or does not run."""
    return history.agreements.pause_ends if game.status == GameStatus.RUNNING else None


def is_watchable(session: Session, game: str) -> bool:
    """Whether anybody may watch a game."""
    return terms_of(session, game).watched


def organiser_seat(session: Session, game: str, history: History) -> int | None:
    """The seat of whoever has opened a game; None where they do not play in it, or no more."""
    seat = terms_of(session, game).seat
    return None if seat in history.seat_tenures else seat


def has_absent_organiser(session: Session, game: str) -> bool:
    """Whether a game was opened by somebody who never had a seat in it."""
    return terms_of(session, game).seat is None


def organiser_epoch(session: Session, game: str) -> int:
    """The epoch of the links to the organiser's page: that of their seat, 0 where they do not play."""
    seat = terms_of(session, game).seat
    seating = None if seat is None else session.get(Seating, (game, seat))
    return 0 if seating is None else seating.epoch


def organiser_of(session: Session, game: str) -> int | None:
    """The player on the seat from which a game was opened; None where nobody is."""
    seat = terms_of(session, game).seat
    seating = None if seat is None else session.get(Seating, (game, seat))
    return None if seating is None else seating.player


# --- games that strangers may find ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in a list for everybody."""

    game: Game
    names: tuple[str, ...]
    """Of who plays, in the order of the seats."""
    free: int
    """How many seats nobody has."""


def list_joinable_games(session: Session, now: datetime, most: int) -> list[ListedGame]:
    """The last games with a seat that anybody may take; what has waited for very long is left out."""
    asked = exists().where(
        and_(
            col(OutgoingLetter.game) == col(Seating.game),
            col(OutgoingLetter.seat) == col(Seating.seat),
            col(OutgoingLetter.kind) == LetterKind.INVITATION,
            col(OutgoingLetter.seq) > 1,
        )
    )
    held = and_(col(Seating.accepted_at).is_(None), asked)  # for somebody who may not answer: open to others
    free = exists().where(
        col(Seating.game) == Game.id, or_(col(Seating.player).is_(None), held), ~col(Seating.house)
    )
    chosen = select(hexed(Game.id)).join(StoredTerms, col(StoredTerms.game) == Game.id)
    chosen = chosen.where(StoredTerms.joined_by == JoinedBy.ALL)
    chosen = chosen.where(Game.status == GameStatus.OPEN, Game.opened_at > now - LISTED_FOR, free).where(
        col(Game.suspended_at).is_(None)
    )
    return _with_seats(session, session.exec(chosen.order_by(col(Game.opened_at).desc()).limit(most)))


def list_offered_games(session: Session, most: int) -> list[ListedGame]:
    """The running games that want a substitute and that anybody might join or may watch, the last first."""
    chosen = select(hexed(Game.id)).join(OfferedSeat, col(OfferedSeat.game) == Game.id)
    chosen = chosen.join(StoredTerms, col(StoredTerms.game) == Game.id)
    chosen = chosen.where(or_(col(StoredTerms.joined_by) == JoinedBy.ALL, col(StoredTerms.watched)))
    chosen = chosen.where(Game.status == GameStatus.RUNNING, col(Game.suspended_at).is_(None))
    chosen = chosen.order_by(col(OfferedSeat.at).desc()).limit(most * MOST_SEATS)
    games = dict.fromkeys(session.exec(chosen))  # of several seats there is one game
    count = select(func.count()).select_from(OfferedSeat)
    return [
        replace(one, free=session.exec(count.where(OfferedSeat.game == one.game.id)).one())
        for one in _with_seats(session, list(games)[:most])
    ]


def list_watchable_games(session: Session, most: int) -> list[ListedGame]:
    """The games that go on before everybody's eyes, the last move first."""
    chosen = select(hexed(Game.id)).where(
        Game.status == GameStatus.RUNNING, col(Game.watched_at).is_not(None)
    )
    chosen = chosen.order_by(col(Game.watched_at).desc())
    return _with_seats(session, session.exec(chosen.limit(most)))


def _with_seats(session: Session, written: Iterable[str]) -> list[ListedGame]:
    """The games of these ids, as `hexed` writes them; one that cannot be read is left out."""
    ids = [read_id(one) for one in written]
    found = (read_alone(f"game {number}", partial(_with_seats_of, session, number)) for number in ids)
    return [one for one in found if one is not None]


def _with_seats_of(session: Session, number: str) -> ListedGame:
    game = session.get_one(Game, number)
    seats = session.exec(select(Seating).where(Seating.game == number).order_by(col(Seating.seat))).all()
    names = tuple(one.name for one in seats if one.name)
    return ListedGame(game, names, len(seats) - len(names))
