"""The open votes of a game, and the agreements of its players: more time, a pause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from emails.wording.requests import VoteAnswer, VoteKind
from server.store.facts.server_facts import (
    ClockResumed,
    ClockStopped,
    GamePaused,
    GameResumed,
    SeatJoined,
    SeatOffered,
    SeatPassedOver,
    SeatReturned,
    ServerFact,
    TimeAdded,
    TimeWithdrawn,
    VoteCast,
)

LONGEST_PAUSE = timedelta(days=30)
VOTE_OPEN_FOR = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class ClockPause:
    """The last time a seat's clock was stopped, and when it was resumed."""

    began: datetime
    ended: datetime | None = None
    undelivered_since: datetime | None = None
    """When the returned letter left; time is given back from then on."""

    @property
    def uncounted_from(self) -> datetime:
        return self.undelivered_since or self.began


VoteKey = tuple[VoteKind, int | None]
"""Subject of a vote and its seat; one vote of each key is open at a time."""


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote and its answers so far; whether it is still open depends on the time too."""

    kind: VoteKind
    seat: int
    """The requesting seat; for a vacant seat that seat."""
    at: datetime
    turn: int
    answers: Mapping[int, VoteAnswer] = field(default_factory=dict)
    """Answers by seat; the requester's is yes."""
    until: datetime | None = None
    done: bool = False
    """True if the time was added at once, and a no withdraws it."""

    @property
    def key(self) -> VoteKey:
        return self.kind, self.seat if self.kind is VoteKind.EMPTY_SEAT else None

    def has_lapsed(self, turn: int, now: datetime) -> bool:
        """True if it has expired: a vote on time with its turn, others after some days.

        The next answer to an expired vote on a vacant seat opens it again.
        """
        if self.kind is VoteKind.MORE_TIME:
            return self.turn != turn
        return now >= self.at + VOTE_OPEN_FOR

    def seats_with(self, answer: VoteAnswer) -> frozenset[int]:
        return frozenset(seat for seat, one in self.answers.items() if one is answer)


@dataclass(frozen=True, slots=True)
class Extension:
    """The last time that was added or withdrawn."""

    seq: int
    """Its act."""
    turn: int
    times: int
    hours: int


@dataclass(frozen=True, slots=True)
class GameAgreements:
    votes: Mapping[VoteKey, Vote] = field(default_factory=dict)
    """Includes votes that may have expired (server/lobby/votes.py)."""
    pause: ClockPause | None = None
    pause_until: datetime | None = None
    pause_agreed: frozenset[int] = frozenset()
    """The seats that requested or agreed to the pause."""
    extension: Extension | None = None

    @property
    def is_paused(self) -> bool:
        return self.pause is not None and self.pause.ended is None

    @property
    def pause_ends(self) -> datetime | None:
        """Return when the pause ends by itself; None if the game is not paused."""
        if self.pause is None or self.pause.ended is not None:
            return None
        latest = self.pause.began + LONGEST_PAUSE
        return latest if self.pause_until is None else min(latest, self.pause_until)

    def after_fact(self, fact: ServerFact, seq: int, turn: int, at: datetime) -> GameAgreements:
        match fact:
            case VoteCast():
                return self._after_answer(fact, turn, at)
            case SeatJoined(seat):  # a substitute has answered nothing
                left = self._without_vote((VoteKind.EMPTY_SEAT, seat))
                votes = {
                    key: replace(one, answers={by: said for by, said in one.answers.items() if by != seat})
                    for key, one in left.votes.items()
                }
                return replace(self, votes=votes, pause_agreed=self.pause_agreed - {seat})
            case TimeAdded():
                return self._after_added_time(fact, seq, turn, at)
            case TimeWithdrawn():
                settled = self._without_vote((VoteKind.MORE_TIME, None))
                times = 0 if self.extension is None else self.extension.times
                return replace(settled, extension=Extension(seq, turn, times, -fact.hours))
            case GamePaused(until):
                vote = self.votes.get((VoteKind.PAUSE, None))
                agreed = frozenset[int]() if vote is None else vote.seats_with(VoteAnswer.YES)
                settled = self._without_vote((VoteKind.PAUSE, None))
                return replace(settled, pause=ClockPause(at), pause_until=until, pause_agreed=agreed)
            case GameResumed():
                pause = None if self.pause is None else ClockPause(self.pause.began, at)
                return replace(self, pause=pause)
            case SeatOffered(seat):
                vote = Vote(VoteKind.EMPTY_SEAT, seat, at, turn)
                return replace(self, votes={**self.votes, vote.key: vote})
            case SeatPassedOver(seat) | SeatReturned(seat):
                return self._without_vote((VoteKind.EMPTY_SEAT, seat))
        return self

    def _after_added_time(self, fact: TimeAdded, seq: int, turn: int, at: datetime) -> GameAgreements:
        before = self.extension
        earlier = before.times if before is not None and before.turn == turn else 0
        if fact.by is None:
            return replace(self, extension=Extension(seq, turn, earlier, fact.hours))
        settled = self._without_vote((VoteKind.MORE_TIME, None))
        if not earlier:
            answers = dict.fromkeys((fact.by, fact.seat), VoteAnswer.YES)
            vote = Vote(VoteKind.MORE_TIME, fact.by, at, turn, answers, done=True)
            settled = replace(settled, votes={**settled.votes, vote.key: vote})
        return replace(settled, extension=Extension(seq, turn, earlier + 1, fact.hours))

    def _after_answer(self, fact: VoteCast, turn: int, at: datetime) -> GameAgreements:
        """Record an answer; a yes without an open vote opens one, and so does a second yes of a seat."""
        key = (fact.vote, fact.about)
        vote = self.votes.get(key)
        asks_anew = vote is None or vote.has_lapsed(turn, at) or fact.seat in vote.answers
        if fact.answer is VoteAnswer.YES and asks_anew:
            vote = Vote(fact.vote, fact.seat, at, turn, until=fact.until)
        if vote is None:
            return self
        if vote.kind is VoteKind.EMPTY_SEAT and vote.has_lapsed(turn, at):
            vote = replace(vote, at=at, turn=turn, answers={})
        if vote.kind is VoteKind.PAUSE and fact.answer is VoteAnswer.NO:
            return self._without_vote(key)
        vote = replace(vote, answers={**vote.answers, fact.seat: fact.answer})
        return replace(self, votes={**self.votes, key: vote})

    def _without_vote(self, gone: VoteKey) -> GameAgreements:
        return replace(self, votes={key: one for key, one in self.votes.items() if key != gone})


NO_AGREEMENTS = GameAgreements()


def fold_clock_change(
    halts: Mapping[int, ClockPause], fact: ServerFact, at: datetime
) -> Mapping[int, ClockPause]:
    match fact:
        case ClockStopped(seat, since):
            return {**halts, seat: ClockPause(at, undelivered_since=since)}
        case ClockResumed(seat) if seat in halts:
            return {**halts, seat: replace(halts[seat], ended=at)}
    return halts
