"""What is asked of all who play, who has agreed, and what has come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from emails.wording.requests import NO_TERMS, MotionKind, MotionTerms
from server.store.facts.server_facts import (
    ClockResumed,
    ClockStopped,
    GamePaused,
    GameResumed,
    MotionAgreed,
    MotionDeclined,
    SeatJoined,
    SeatOffered,
    SeatPassedOver,
    ServerFact,
    TimeAdded,
)

LONGEST_PAUSE = timedelta(days=30)
"""After which a game goes on by itself, so that none waits for ever for somebody who has vanished."""
MOTION_OPEN_FOR = timedelta(days=7)
"""How long it can be agreed to what somebody asks of all who play."""


@dataclass(frozen=True, slots=True)
class ClockPause:
    """When the clock of a seat was stopped last, and when it went on, if it did."""

    began: datetime
    ended: datetime | None = None
    undelivered_since: datetime | None = None
    """When the letter left that came back, where time ran on until that was known."""

    @property
    def uncounted_from(self) -> datetime:
        """From when on no time is counted."""
        return self.undelivered_since or self.began


MotionKey = tuple[MotionKind, int | None]
"""What is asked, and without which seat it is to go on: of each of these one motion is open."""


@dataclass(frozen=True, slots=True)
class Motion:
    """What somebody asks of all who play, and who has agreed."""

    kind: MotionKind
    seat: int
    """Who has asked first."""
    at: datetime
    turn: int
    agreed: frozenset[int]
    terms: MotionTerms = NO_TERMS
    declined: frozenset[int] = frozenset()
    """Who does not agree, where others are asked further."""

    def is_open(self, turn: int, now: datetime) -> bool:
        """Whether it can still be agreed to: more time is asked for one turn."""
        return now < self.at + MOTION_OPEN_FOR and (self.turn == turn or self.kind != MotionKind.MORE_TIME)


@dataclass(frozen=True, slots=True)
class Extension:
    """The time that was added last."""

    seq: int
    """The act that did it."""
    turn: int
    times: int
    """How often it was done in that turn."""
    hours: int
    given_by: frozenset[int]
    """The seats whose word did it in that turn."""
    whole: int
    """The hours that were added in that turn in all."""


def key_of(kind: MotionKind, terms: MotionTerms) -> MotionKey:
    """By what motions are told apart."""
    return kind, terms.without


@dataclass(frozen=True, slots=True)
class GameAgreements:
    """What those who play have agreed on, and what is asked of them."""

    motions: Mapping[MotionKey, Motion] = field(default_factory=dict)
    """What is asked; some may have lapsed by themselves (`Motion.is_open`)."""
    asked_at: Mapping[tuple[MotionKey, int], datetime] = field(default_factory=dict)
    """When each seat has asked for each last."""
    pause: ClockPause | None = None
    """The last pause of the game."""
    pause_until: datetime | None = None
    """When it was to end by itself; None: as late as one may."""
    extension: Extension | None = None

    @property
    def is_paused(self) -> bool:
        """Whether no time runs on any turn."""
        return self.pause is not None and self.pause.ended is None

    @property
    def pause_ends(self) -> datetime | None:
        """When the game goes on by itself; None where it is not paused."""
        if self.pause is None or self.pause.ended is not None:
            return None
        latest = self.pause.began + LONGEST_PAUSE
        return latest if self.pause_until is None else min(latest, self.pause_until)

    def open_motion(
        self, kind: MotionKind, turn: int, now: datetime, terms: MotionTerms = NO_TERMS
    ) -> Motion | None:
        """What is asked of this kind; None where nothing is, or no more."""
        found = self.motions.get(key_of(kind, terms))
        return found if found is not None and found.is_open(turn, now) else None

    def after_fact(self, fact: ServerFact, seq: int, turn: int, at: datetime) -> GameAgreements:
        """The same after one of the server's own facts, in act `seq` and a turn."""
        match fact:
            case MotionAgreed():
                return self._after_agreement(fact, turn, at)
            case MotionDeclined():
                return self._after_refusal(fact)
            case SeatJoined(seat):  # whoever plays on has agreed to nothing
                held = {key: replace(one, agreed=one.agreed - {seat}) for key, one in self.motions.items()}
                return replace(self, motions=held)
            case TimeAdded():
                settled = self._without_motion((MotionKind.MORE_TIME, None))
                return replace(settled, extension=self._extend(fact, seq, turn))
            case GamePaused(until):
                settled = self._without_motion((MotionKind.PAUSE, None))
                return replace(settled, pause=ClockPause(at), pause_until=until)
            case GameResumed():
                pause = None if self.pause is None else ClockPause(self.pause.began, at)
                return replace(self._without_motion((MotionKind.RESUME, None)), pause=pause)
            case SeatPassedOver(seat):
                return self._without_motion((MotionKind.GO_ON, seat))
            case SeatOffered(seat):
                return self._without_motion((MotionKind.REPLACE, seat))
        return self

    def _extend(self, fact: TimeAdded, seq: int, turn: int) -> Extension:
        """The time that was added in this turn, with what has just been added to it."""
        before = self.extension
        giver = frozenset() if fact.by is None else {fact.by}
        if before is None or before.turn != turn:
            return Extension(seq, turn, 1, fact.hours, frozenset(giver), fact.hours)
        whole = before.whole + fact.hours
        return Extension(seq, turn, before.times + 1, fact.hours, before.given_by | giver, whole)

    def _after_refusal(self, fact: MotionDeclined) -> GameAgreements:
        """Nobody is asked any more, or the others alone."""
        key = key_of(fact.motion, fact.terms)
        motion = self.motions.get(key)
        if motion is None or not fact.stays_open:
            return self._without_motion(key)
        declined = motion.declined | {fact.seat}
        return replace(self, motions={**self.motions, key: replace(motion, declined=declined)})

    def _without_motion(self, gone: MotionKey) -> GameAgreements:
        return replace(self, motions={key: one for key, one in self.motions.items() if key != gone})

    def _after_agreement(self, fact: MotionAgreed, turn: int, at: datetime) -> GameAgreements:
        key = key_of(fact.motion, fact.terms)
        motion = self.open_motion(fact.motion, turn, at, fact.terms)
        if motion is not None and motion.terms == fact.terms:
            motion = replace(motion, agreed=motion.agreed | {fact.seat})
            return replace(self, motions={**self.motions, key: motion})
        motion = Motion(fact.motion, fact.seat, at, turn, frozenset({fact.seat}), fact.terms)
        asked = {**self.asked_at, (key, fact.seat): at}
        return replace(self, motions={**self.motions, key: motion}, asked_at=asked)


NO_AGREEMENTS = GameAgreements()


def fold_clock_change(
    halts: Mapping[int, ClockPause], fact: ServerFact, at: datetime
) -> Mapping[int, ClockPause]:
    """The halts of the clocks after one of the server's own facts."""
    match fact:
        case ClockStopped(seat, since):
            return {**halts, seat: ClockPause(at, undelivered_since=since)}
        case ClockResumed(seat) if seat in halts:
            return {**halts, seat: replace(halts[seat], ended=at)}
    return halts
