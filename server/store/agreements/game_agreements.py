"""What is asked of all who play, who has agreed, and what has come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from emails.wording.requests import ABOUT_SEAT, NO_TERMS, MotionKind, MotionTerms
from server.store.states import ServerFact

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


CARRIED = {ServerFact.TIME_ADDED: MotionKind.MORE_TIME, ServerFact.PAUSED: MotionKind.PAUSE}
CARRIED |= {ServerFact.RESUMED: MotionKind.RESUME, ServerFact.PASSED_OVER: MotionKind.GO_ON}
CARRIED |= {ServerFact.OFFERED: MotionKind.REPLACE}
"""The facts by which what was asked has happened."""


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

    def after_fact(self, fact: Mapping[str, object], seq: int, turn: int, at: datetime) -> GameAgreements:
        """The same after one of the server's own facts, in act `seq` and a turn."""
        match fact["type"]:
            case ServerFact.AGREED:
                return self._after_agreement(fact, turn, at)
            case ServerFact.DECLINED:
                return self._after_refusal(fact)
            case ServerFact.JOINED:  # whoever plays on has agreed to nothing
                new = frozenset({int(str(fact["seat"]))})
                held = {key: replace(one, agreed=one.agreed - new) for key, one in self.motions.items()}
                return replace(self, motions=held)
        kind = CARRIED.get(ServerFact(str(fact["type"])))
        if kind is None:
            return self
        about = int(str(fact["seat"])) if kind in ABOUT_SEAT else None
        return self._without((kind, about))._after_motion(kind, fact, seq, turn, at)

    def _after_motion(
        self, kind: MotionKind, fact: Mapping[str, object], seq: int, turn: int, at: datetime
    ) -> GameAgreements:
        """What has come of what was asked."""
        match kind:
            case MotionKind.MORE_TIME:
                before = self.extension
                same = before if before is not None and before.turn == turn else None
                giver = frozenset() if fact["by"] is None else {int(str(fact["by"]))}
                given_by = (frozenset() if same is None else same.given_by) | giver
                times, hours = 1 if same is None else same.times + 1, int(str(fact["hours"]))
                whole = hours if same is None else same.whole + hours
                return replace(self, extension=Extension(seq, turn, times, hours, given_by, whole))
            case MotionKind.PAUSE:
                return replace(self, pause=ClockPause(at), pause_until=MotionTerms.read(fact).until)
            case MotionKind.RESUME if self.pause is not None:
                return replace(self, pause=ClockPause(self.pause.began, at))
        return self

    def _after_refusal(self, fact: Mapping[str, object]) -> GameAgreements:
        """Nobody is asked any more, or the others alone (`open`)."""
        key = MotionKind(str(fact["motion"])), MotionTerms.read(fact).without
        motion = self.motions.get(key)
        if motion is None or not fact.get("open"):
            return self._without(key)
        declined = motion.declined | {int(str(fact["seat"]))}
        return replace(self, motions={**self.motions, key: replace(motion, declined=declined)})

    def _without(self, gone: MotionKey) -> GameAgreements:
        return replace(self, motions={key: one for key, one in self.motions.items() if key != gone})

    def _after_agreement(self, fact: Mapping[str, object], turn: int, at: datetime) -> GameAgreements:
        kind, seat, terms = MotionKind(str(fact["motion"])), int(str(fact["seat"])), MotionTerms.read(fact)
        key, motion = key_of(kind, terms), self.open_motion(kind, turn, at, terms)
        if motion is not None and motion.terms == terms:
            motion = replace(motion, agreed=motion.agreed | {seat})
            return replace(self, motions={**self.motions, key: motion})
        motion = Motion(kind, seat, at, turn, frozenset({seat}), terms)
        asked = {**self.asked_at, (key, seat): at}
        return replace(self, motions={**self.motions, key: motion}, asked_at=asked)


NO_AGREEMENTS = GameAgreements()


def fold_clock_change(
    halts: Mapping[int, ClockPause], fact: Mapping[str, object], at: datetime
) -> Mapping[int, ClockPause]:
    """The halts of the clocks after one of the server's own facts."""
    seat = fact.get("seat")
    match fact["type"]:
        case ServerFact.CLOCK_STOPPED if isinstance(seat, int):
            since = fact.get("since")
            left = datetime.fromisoformat(since) if isinstance(since, str) else None
            return {**halts, seat: ClockPause(at, undelivered_since=left)}
        case ServerFact.CLOCK_RESUMED if isinstance(seat, int) and seat in halts:
            return {**halts, seat: replace(halts[seat], ended=at)}
    return halts
