"""What becomes of a letter after a try: it has left, waits for the next try, or has failed for good.

The rule for a letter that the relay refuses for good, where it does not say that there is no such address: it
is tried three times. If the relay takes other letters meanwhile, or refuses those of no more than two
readers, the fault is with this reader or their letter, and their address is marked as one from which letters
come back: their clock stands still, and the others are told. If it refuses the letters of three readers in
a row, the fault is ours: all letters wait, no address is marked, and the operator is told
(relay_record.py). What the relay does not take for now, or breaks off at, is tried for five days; those on
which the relay was away or at fault do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from emails.links import mask_tokens
from server.delivery.letter_writer import FinishedLetter
from server.delivery.relay_record import RelayChange, RelayRecord
from server.delivery.relay_watch import MOST_REFUSALS
from server.delivery.transports import DeliveryFailed
from server.store.models import OutgoingLetter
from server.store.states import Hindrance, LetterState

GIVEN_UP_AFTER = timedelta(days=5)
"""How long a letter is tried (RFC 5321, section 4.5.4.1), counted from when it was queued."""
FIRST_PAUSE, LONGEST_RETRY_PAUSE = timedelta(minutes=1), timedelta(minutes=30)
FIRST_PAUSE_OF_LOST = timedelta(seconds=5)
"""Of a letter that the relay cannot have; one that it may have is tried no oftener than others."""
LONGEST_PAUSE_OF_OURS = timedelta(minutes=1)
"""Where our own address is refused."""
OPENINGS = {Hindrance.RELAY: "not taken: ", Hindrance.PERHAPS_TAKEN: "perhaps taken: "}
"""How the operator is told of a hindrance."""


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """A letter that is being sent."""

    row: OutgoingLetter
    begun: FinishedLetter | None
    """As an earlier attempt has written it, which may have brought it to the relay."""
    record: RelayRecord
    now: datetime


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """What has become of a letter."""

    state: LetterState
    why: str = ""
    """As the relay says it."""
    hindrance: Hindrance = Hindrance.NONE
    mail: FinishedLetter | None = None
    """What was sent."""
    reply: str = ""
    """What the relay said as it took it."""
    pause: timedelta = timedelta(0)
    """How long it waits until it is tried again."""
    refused: bool = False
    """Whether it was refused for good, and not since there is no such address."""
    bounced: bool = False
    """Whether letters do not reach its reader."""
    may_be_there: bool = False
    """Whether the relay may have it, though it did not say so."""
    relay: RelayChange | None = None
    """What it has shown of the relay."""

    @property
    def told(self) -> str:
        """Why it is so, for the operator."""
        return OPENINGS.get(self.hindrance, "") + self.why


def judge_failure(error: DeliveryFailed, attempt: DeliveryAttempt) -> DeliveryOutcome:
    """What becomes of a letter that was not taken."""
    row, record, why = attempt.row, attempt.record, mask_tokens(str(error))
    if error.lost:
        return _judge_loss(attempt, why, error.doubtful)
    if error.nobody:
        return DeliveryOutcome(LetterState.FAILED, why, bounced=True, relay=record.note_answered())
    if error.ours:
        change = record.note_sender_refused(why)
        pause = pause_after(row.tries, FIRST_PAUSE_OF_LOST, LONGEST_PAUSE_OF_OURS)
        return DeliveryOutcome(LetterState.WAITING, why, Hindrance.RELAY, pause=pause, relay=change)
    change = record.note_refused(row.recipient, row.id or 0, why, error.final)
    pause = pause_after(row.tries)
    if not record.refuses_all and _is_given_up(row, record, attempt.now):
        return DeliveryOutcome(LetterState.FAILED, why, refused=error.final, bounced=True, relay=change)
    found = Hindrance.RELAY if error.final or record.refuses_all else Hindrance.NONE
    return DeliveryOutcome(LetterState.WAITING, why, found, pause=pause, refused=error.final, relay=change)


def _judge_loss(attempt: DeliveryAttempt, why: str, doubtful: bool) -> DeliveryOutcome:
    """What becomes of a letter at which the conversation broke off; `doubtful`: when it was over."""
    row, record = attempt.row, attempt.record
    change = record.note_lost(row.recipient, row.game, why)
    if not record.seconds_away and _is_given_up(row, record, attempt.now):
        return DeliveryOutcome(LetterState.FAILED, why, bounced=True, relay=change)
    pause = pause_after(row.tries, FIRST_PAUSE if doubtful else FIRST_PAUSE_OF_LOST)
    found = Hindrance.PERHAPS_TAKEN if doubtful else Hindrance.RELAY
    there = doubtful or attempt.begun is not None
    return DeliveryOutcome(LetterState.WAITING, why, found, pause=pause, may_be_there=there, relay=change)


def _is_given_up(row: OutgoingLetter, record: RelayRecord, now: datetime) -> bool:
    """Whether a letter that is not taken is tried no more, though the relay is there."""
    if record.times_refused(row.id or 0) >= MOST_REFUSALS:
        return True
    return row.tries > 1 and now - row.queued_at >= GIVEN_UP_AFTER


def pause_after(
    tries: int, first: timedelta = FIRST_PAUSE, longest: timedelta = LONGEST_RETRY_PAUSE
) -> timedelta:
    """How long a letter waits after so many tries."""
    return min(first * (1 << min(max(tries - 1, 0), 10)), longest)
