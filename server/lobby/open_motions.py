"""What can be asked of all who play, who has to agree, and why something cannot be asked now."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import assert_never

from sqlmodel import Session

from emails.i18n import gettext, gettext_noop
from emails.names import plain_name
from emails.wording import phrases
from emails.wording.requests import ABOUT_SEAT, NO_TERMS, MotionKind, MotionTerms
from server.outbox.queue import load_people
from server.store.facts.game_agreements import LONGEST_PAUSE, Motion
from server.store.game_terms import organiser_seat
from server.store.histories import StartedHistory
from server.store.models import Game
from server.store.refusals import Refusal, RefusalCode
from server.store.states import GameStatus
from server.store.turn_clock import is_seat_gone

MOST_EXTENSIONS = 2
"""How often time is added to one turn: it has twice its time at most."""
ONCE_AGREED = frozenset({MotionKind.PAUSE, MotionKind.RESUME})
"""What the organiser does alone."""


class MotionRefused(Refusal):
    """Something that cannot be asked of those who play."""

    code = RefusalCode.MOTION


@dataclass(frozen=True, slots=True)
class MotionState:
    """What can be asked of those who play, as one seat sees it."""

    kind: MotionKind
    terms: MotionTerms
    asked_by: int | None
    """The seat that has asked; None: nobody has."""
    agreed: bool
    """Whether the reader has agreed, or asked."""
    missing: tuple[int, ...]
    """The seats that have not agreed yet, the reader's too."""
    declined: tuple[int, ...]
    """The seats that do not agree, where others are asked further."""
    at_once: bool
    """Whether it happens once the reader says so."""


def list_motions(
    session: Session, game: Game, history: StartedHistory, seat: int, now: datetime
) -> tuple[MotionState, ...]:
    """What a seat can ask for, agree to or decline now; nothing where it cannot."""
    found = []
    for kind, terms in _list_askable(game, history, now):
        motion = history.agreements.open_motion(kind, history.position.table.turn, now, terms)
        terms = terms if motion is None else motion.terms
        try:
            check_motion(session, game, history, kind, terms, seat, now)
        except MotionRefused:
            continue
        agreed = frozenset[int]() if motion is None else motion.agreed
        missing = tuple(sorted(voters(session, game.id, history, terms) - agreed))
        asked_by = None if motion is None else motion.seat
        at_once = is_carried(session, game, history, kind, seat, agreed | {seat}, terms)
        declined = () if motion is None else tuple(sorted(motion.declined))
        found.append(MotionState(kind, terms, asked_by, seat in agreed, missing, declined, at_once))
    return tuple(found)


def _list_askable(
    game: Game, history: StartedHistory, now: datetime
) -> Iterator[tuple[MotionKind, MotionTerms]]:
    """All that might be asked, each with what it is about."""
    for kind in MotionKind:
        if kind in ABOUT_SEAT:
            yield from ((kind, MotionTerms(without=seat)) for seat in seats_gone(game, history, kind, now))
        else:
            yield kind, NO_TERMS


def voters(
    session: Session, game: str, history: StartedHistory, terms: MotionTerms = NO_TERMS
) -> frozenset[int]:
    """The seats whose players still play: they are asked, and have to agree, but for whom it is about."""
    people = load_people(session, game)
    return frozenset(seat for seat in people if not history.is_vacant(seat) and seat != terms.without)


def is_carried(
    session: Session,
    game: Game,
    history: StartedHistory,
    kind: MotionKind,
    seat: int,
    agreed: frozenset[int],
    terms: MotionTerms,
) -> bool:
    """Whether enough have agreed, the last of them from a seat."""
    others = voters(session, game.id, history) - {game.seat}
    if kind == MotionKind.MORE_TIME:
        return bool(agreed & others) or not others
    if kind in ONCE_AGREED and seat == organiser_seat(session, game.id, history):
        return True
    return voters(session, game.id, history, terms) <= agreed


def is_left_open(session: Session, game: Game, history: StartedHistory, motion: Motion, seat: int) -> bool:
    """Whether somebody is left whose yes is enough, once a seat has said no."""
    others = voters(session, game.id, history) - {game.seat, seat}
    asks_no_more = seat in (motion.seat, game.seat)
    return motion.kind is MotionKind.MORE_TIME and not asks_no_more and bool(others - motion.declined)


def has_given(history: StartedHistory, seat: int) -> bool:
    """Whether the word of a seat has given this turn more time already."""
    added, turn = history.agreements.extension, history.position.table.turn
    return added is not None and added.turn == turn and seat in added.given_by


# --- what a motion is about -----------------------------------------------------------------------------


def settle_terms(
    game: Game,
    history: StartedHistory,
    kind: MotionKind,
    terms: MotionTerms,
    now: datetime,
    *,
    exact: bool = False,
) -> tuple[MotionTerms, Motion | None]:
    """What a motion is about with what may go without saying, and the open one that asks for the same.

    Whoever names no amount agrees to the one that is asked for, unless they were shown what they agree to
    (`exact`): another may have been asked for since. Raises `MotionRefused` where it could be about several,
    and where a pause would end too early or too late.
    """
    terms = MotionTerms(
        terms.without if kind in ABOUT_SEAT else None,
        terms.hours if kind is MotionKind.MORE_TIME else 0,
        terms.until.replace(microsecond=0) if kind is MotionKind.PAUSE and terms.until else None,
    )
    if kind in ABOUT_SEAT and terms.without is None:
        terms = replace(terms, without=_only_seat_gone(game, history, kind, now))
    if terms.until is not None and not now < terms.until <= now + LONGEST_PAUSE + timedelta(days=1):
        raise MotionRefused(gettext("A pause ends within thirty days."))
    motion = history.agreements.open_motion(kind, history.position.table.turn, now, terms)
    if motion is not None and not exact and not terms.hours and terms.until is None:
        terms = motion.terms
    return terms, motion if motion is not None and motion.terms == terms else None


def hours_added(game: Game) -> int:
    """The hours that a turn gets when it gets more time and nobody says how much: half of what it has."""
    return max(1, math.ceil(game.turn_minutes / 120))


def hours_left_to_add(game: Game, history: StartedHistory) -> int:
    """The hours that this turn can still get: in all as many as it has."""
    added = history.agreements.extension
    same = added is not None and added.turn == history.position.table.turn
    return MOST_EXTENSIONS * hours_added(game) - (added.whole if added is not None and same else 0)


def tell_most_hours(most: int) -> str:
    """How much more time a turn can get, as a sentence."""
    return gettext("This turn can get %(time)s more at most.", time=phrases.format_hours(most))


def hours_asked(game: Game, history: StartedHistory, terms: MotionTerms) -> int:
    """The hours that a motion for more time would add."""
    return terms.hours or min(hours_added(game), hours_left_to_add(game, history))


def find_gone_seat(history: StartedHistory, name: str) -> MotionTerms:
    """What is asked about somebody of a name, who plays no more; empty: who it is goes unsaid.

    Raises `MotionRefused`: nobody is called so.
    """
    if not name:
        return NO_TERMS
    names = enumerate(plain_name(phrases.safe_name(one)).casefold() for one in history.position.table.names)
    called = [seat for seat, one in names if " ".join(name.casefold().split()) in (one, *one.split())]
    if len(called) != 1:
        raise MotionRefused(gettext("Nobody in this game is called %(name)s.", name=phrases.safe_name(name)))
    return MotionTerms(without=called[0])


def seats_gone(game: Game, history: StartedHistory, kind: MotionKind, now: datetime) -> list[int]:
    """The seats of which something can be asked that is not so already."""
    settled = history.skipped if kind is MotionKind.GO_ON else history.offers
    seats = range(len(history.position.table.names))
    return [seat for seat in seats if seat not in settled and is_seat_gone(game, history, kind, seat, now)]


def _only_seat_gone(game: Game, history: StartedHistory, kind: MotionKind, now: datetime) -> int:
    """The seat that is meant where none is named."""
    gone, turn = seats_gone(game, history, kind, now), history.position.table.turn
    asked = [
        seat for seat in gone if history.agreements.open_motion(kind, turn, now, MotionTerms(without=seat))
    ]
    meant = asked if len(asked) == 1 else gone
    if not meant:
        raise MotionRefused(gettext(WHERE_NOBODY_IS_GONE[kind]))
    if len(meant) > 1:
        raise MotionRefused(gettext("Say who is meant, for several have vanished or resigned."))
    return meant[0]


# --- why it cannot be asked -----------------------------------------------------------------------------


def check_motion(
    session: Session,
    game: Game,
    history: StartedHistory,
    kind: MotionKind,
    terms: MotionTerms,
    seat: int,
    now: datetime,
) -> None:
    """Refuse what cannot be asked for now by a seat; raises `MotionRefused`."""
    check_hindrance(game, history, kind, terms, now)
    check_vote(session, game, history, terms, seat)
    if terms.hours and terms.hours > (most := hours_left_to_add(game, history)):
        raise MotionRefused(tell_most_hours(most))


def check_vote(session: Session, game: Game, history: StartedHistory, terms: MotionTerms, seat: int) -> None:
    """Refuse the word of a seat that is not asked; raises `MotionRefused`."""
    if game.status == GameStatus.RUNNING and seat not in voters(session, game.id, history):
        raise MotionRefused(gettext("You do not play in this game any more."))
    if seat == terms.without:
        raise MotionRefused(gettext("That is about your own seat: the others agree on it among themselves."))


def check_hindrance(
    game: Game, history: StartedHistory, kind: MotionKind, terms: MotionTerms, now: datetime
) -> None:
    """Refuse what nobody can ask for now; raises `MotionRefused`."""
    if game.status != GameStatus.RUNNING:
        raise MotionRefused(gettext("The game is over."))
    if why := _find_hindrance(game, history, kind, terms, now):
        raise MotionRefused(gettext(why))


def _find_hindrance(
    game: Game, history: StartedHistory, kind: MotionKind, terms: MotionTerms, now: datetime
) -> str | None:
    """Why something cannot be asked for by anybody, as a sentence; None where it can."""
    agreements, turn = history.agreements, history.position.table.turn
    match kind:
        case MotionKind.MORE_TIME:
            added = agreements.extension
            if not game.turn_minutes:
                return NO_LIMIT
            if game.deadline is None:
                return NO_TIME_RUNS
            often = added is not None and added.turn == turn and added.times >= MOST_EXTENSIONS
            if often or hours_left_to_add(game, history) <= 0:
                return ENOUGH_TIME
        case MotionKind.PAUSE:
            if not game.turn_minutes:
                return NO_LIMIT
            return IS_PAUSED if agreements.is_paused else None
        case MotionKind.RESUME:
            return None if agreements.is_paused else IS_NOT_PAUSED
        case MotionKind.CLOSE:
            seats = range(len(history.position.table.names))
            return None if any(map(history.is_vacant, seats)) else ALL_PLAY
        case MotionKind.GO_ON:
            if terms.without is None or not history.is_vacant(terms.without):
                return NOBODY_GONE
            return IS_SKIPPED if terms.without in history.skipped else None
        case MotionKind.REPLACE:
            if terms.without is None or not is_seat_gone(game, history, kind, terms.without, now):
                return NOBODY_TO_REPLACE
            return IS_OFFERED if terms.without in history.offers else None
        case _:
            assert_never(kind)
    return None


NO_LIMIT = gettext_noop("In this game a turn takes as long as its player likes.")
NO_TIME_RUNS = gettext_noop("No time runs on this turn just now, so none has to be added.")
ENOUGH_TIME = gettext_noop("This turn has got more time twice already.")
IS_PAUSED = gettext_noop("The game is paused already.")
IS_NOT_PAUSED = gettext_noop("The game is not paused: time runs.")
ALL_PLAY = gettext_noop("Everybody still plays: a game is closed where somebody has vanished or resigned.")
NOBODY_GONE = gettext_noop("A game goes on without somebody where they have vanished or resigned.")
IS_SKIPPED = gettext_noop("The turns of that seat are skipped already.")
NOBODY_TO_REPLACE = gettext_noop(
    "Somebody else can play on for those alone who have vanished or resigned, were late twice in a row, "
    "or take more than two weeks where there is no limit."
)
IS_OFFERED = gettext_noop("That seat is offered already: the mail about it has the link to pass on.")
WHERE_NOBODY_IS_GONE = {MotionKind.GO_ON: NOBODY_GONE, MotionKind.REPLACE: NOBODY_TO_REPLACE}
"""Why nothing can be asked about a seat where somebody plays for each."""


def require_seat(terms: MotionTerms) -> int:
    """The seat that a motion is about. Raises `MotionRefused` where it is about none."""
    if terms.without is None:
        raise MotionRefused(gettext(NOBODY_GONE))
    return terms.without
