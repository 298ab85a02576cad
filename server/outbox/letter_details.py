"""What a letter says beyond the position: a value for each kind that says more, and its stored JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from emails.letters.contexts import AccountEvent
from emails.letters.kinds import LetterKind, SeatLoss, VacancyReason
from emails.replies.dates.days_answers import DaysAsked
from emails.wording.questions import OrderQuestion, decode_question, encode_question
from emails.wording.requests import (
    REQUESTS_ASKED_BACK,
    REQUESTS_TO_ALL,
    Request,
    RequestKind,
    VoteKind,
)

PlainKind = Literal[
    LetterKind.ACCEPTED,
    LetterKind.CALLED_OFF,
    LetterKind.WELCOME,
    LetterKind.YOUR_TURN,
    LetterKind.STEP,
    LetterKind.NEWS,
    LetterKind.MESSAGE,
    LetterKind.DIGEST,
    LetterKind.SUBSTITUTE,
    LetterKind.GAME_OVER,
]
"""The kinds that say nothing beyond the position."""


def _decode_request(stored: Any) -> Request:
    kind, about = stored
    return Request(RequestKind(kind), str(about))


StoredRequest = Annotated[
    Request, PlainValidator(_decode_request), PlainSerializer(lambda one: [one.kind, one.about])
]
StoredQuestion = Annotated[
    OrderQuestion, PlainValidator(decode_question), PlainSerializer(encode_question, return_type=dict)
]


@dataclass(frozen=True, slots=True)
class InvitationDetail:
    """What its organiser writes to those whom they invite."""

    kind: ClassVar = LetterKind.INVITATION
    note: str = ""
    """Empty where they write nothing, or where the reader has asked for the seat themselves."""


@dataclass(frozen=True, slots=True)
class AnswerDetail:
    """What became of a mail whose orders were played, or whose words were told to others."""

    kind: ClassVar = LetterKind.ANSWER
    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    why: str = ""
    """Why the rest was not done, in the language of the writer."""
    after: int | None = None
    """The number of the act about whose position the question is."""
    question: StoredQuestion | None = None
    """What the undone could mean."""
    posted: tuple[str, ...] = ()
    """A sentence about each message to other players."""
    asked: tuple[StoredRequest, ...] = ()
    """What is to be shown."""
    settled: tuple[str, ...] = ()
    """A sentence about what has come of each thing that is asked of all who play."""

    @property
    def is_needless(self) -> bool:
        """Whether it only says that all was done."""
        return not (self.undone or self.posted or self.asked or self.settled)


@dataclass(frozen=True, slots=True)
class RefusedDetail:
    """Why nothing of a mail was done."""

    kind: ClassVar = LetterKind.REFUSED
    sentence: str
    undone: tuple[str, ...] = ()
    """The lines of the mail."""
    in_a_row: int = 1
    """How many letters refused something since one that did not, this one among them."""
    after: int | None = None
    question: StoredQuestion | None = None
    asked: tuple[StoredRequest, ...] = ()
    ended: bool = False
    """Whether it says that the address that was written to has ended."""
    proposed: bool = False
    """Whether its question is what a mail may mean that could not be read whole."""
    understood: str = ""
    """What such a mail seems to be, by its kind alone; empty for a mail of another sort."""
    days: DaysAsked | None = None
    """What it asks of the days on which its reader is away, which a day alone answers."""

    def tells_the_same(self, other: RefusedDetail) -> bool:
        """Whether both refuse and ask the same for the same reason, however many came before each."""
        return replace(self, in_a_row=other.in_a_row) == other


@dataclass(frozen=True, slots=True)
class ShownDetail:
    """What a mail asked to be shown, or to be done beside the game, that said nothing else."""

    kind: ClassVar = LetterKind.SHOWN
    asked: tuple[StoredRequest, ...]
    unasked: bool = False
    """Whether the operator has it sent, and no mail asked for it."""


@dataclass(frozen=True, slots=True)
class AskedBackDetail:
    """What a mail asks for that is done only after its player has said yes to this letter."""

    kind: ClassVar = LetterKind.ASKED_BACK
    lines: tuple[str, ...]
    """As they stand in the mail."""
    after: int
    """The number of the act after which the position stood so for which its orders are."""
    orders: tuple[str, ...] = ()
    """Its orders in full words, or the word that accepts an invitation: what a link can say too."""
    chat: tuple[str, ...] = ()
    asked: tuple[StoredRequest, ...] = ()
    unproven: bool = False
    """Whether it was not shown that its player wrote it."""
    plan: str = ""
    """What it plans, in canonical words; empty where it plans nothing."""
    doubt: str = ""
    """Why it is asked whether the orders are meant that stand in the mail, as a sentence; else empty."""
    questions: tuple[str, ...] = ()
    """What a mail about time may mean that was not understood to the last word, each as a question in the
    language of its writer: a yes does the first, which `asked` tells, and its number each."""
    others: tuple[StoredRequest, ...] = ()
    """What the questions behind the first ask about."""

    @property
    def request(self) -> RequestKind | None:
        """What is asked for outside the rules, and not only to be shown."""
        acting = REQUESTS_ASKED_BACK | REQUESTS_TO_ALL
        return next((one.kind for one in self.asked if one.kind in acting), None)


@dataclass(frozen=True, slots=True)
class TimePassedDetail:
    """Whose time had passed."""

    kind: ClassVar = LetterKind.TIME_PASSED
    seat: int


@dataclass(frozen=True, slots=True)
class ReminderDetail:
    """Who has asked for a reminder, or why it is sent."""

    kind: ClassVar = LetterKind.REMINDER
    asked_by: int | None = None
    """The seat of another player; None: the time that is left."""
    home: bool = False
    """Whether it is the reader's first day home."""


@dataclass(frozen=True, slots=True)
class PlanPlayedDetail:
    """What of the reader's plan a card that came up made impossible."""

    kind: ClassVar = LetterKind.PLAN_PLAYED
    undone: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class VoteDetail:
    """What a seat asks all for, or what it has got that a no takes back."""

    kind: ClassVar = LetterKind.VOTE
    vote: VoteKind | None = None
    """None in a letter from before: it asks nothing any more."""
    seat: int = 0
    done: bool = False
    """Whether the time is added already."""
    until: datetime | None = None
    """When the pause would end."""


@dataclass(frozen=True, slots=True)
class AbsenceDetail:
    """That a caretaker keeps the reader's seat until they are back."""

    kind: ClassVar = LetterKind.ABSENCE


@dataclass(frozen=True, slots=True)
class SeatOfferedDetail:
    """The seat for which a substitute is looked for."""

    kind: ClassVar = LetterKind.SEAT_OFFERED
    seat: int


@dataclass(frozen=True, slots=True)
class StoppedDetail:
    """Whether the letters of all games were stopped."""

    kind: ClassVar = LetterKind.STOPPED
    everywhere: bool


@dataclass(frozen=True, slots=True)
class DeclinedDetail:
    """Who will not play, and why."""

    kind: ClassVar = LetterKind.DECLINED
    seat: int
    name: str
    how: VacancyReason


@dataclass(frozen=True, slots=True)
class ProposalDetail:
    """A sentence about the mail that a proposal answers; empty where there is nothing to say."""

    kind: ClassVar = LetterKind.PROPOSAL
    note: str


# --- about no game ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConfirmDetail:
    """The code that confirms an address: the mark it is made from, the digest it is kept under."""

    kind: ClassVar = LetterKind.CONFIRM
    digest: str
    mark: str


@dataclass(frozen=True, slots=True)
class MoveAskedDetail:
    """The code with which an address agrees that its player moves to another: its mark and its digest."""

    kind: ClassVar = LetterKind.MOVE_ASKED
    digest: str
    mark: str
    browser: str = ""
    """In which it was asked for, as server/accounts/sign_in.py summarizes it."""


@dataclass(frozen=True, slots=True)
class MovedDetail:
    """The new address, and digest and mark of the code that takes the move back; empty where none does."""

    kind: ClassVar = LetterKind.MOVED
    address: str
    digest: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class SignInDetail:
    """The code of a link to sign in: the mark it is made from, the digest it is kept under."""

    kind: ClassVar = LetterKind.SIGNIN
    digest: str
    mark: str


@dataclass(frozen=True, slots=True)
class SeatClaimDetail:
    """The code of a link that signs in whoever takes an offered seat by it, or by an answer."""

    kind: ClassVar = LetterKind.SEAT_CLAIM
    digest: str
    """Of the code, as in `SignInDetail`."""
    mark: str
    taker: int
    """The player who would take the seat."""


@dataclass(frozen=True, slots=True)
class NoticeDetail:
    """What was done in a player's name, when, in which browser, and with what."""

    kind: ClassVar = LetterKind.NOTICE
    event: AccountEvent
    at: datetime
    browser: str = ""
    """As in `MoveAskedDetail`."""
    about: str = ""


@dataclass(frozen=True, slots=True)
class ReplacedDetail:
    """Whoever had a seat: what they were called there, the name of the game, their language, their loss."""

    kind: ClassVar = LetterKind.REPLACED
    name: str
    game: str
    language: str
    loss: SeatLoss


@dataclass(frozen=True, slots=True)
class SeatRefusedDetail:
    """What the asker of a seat is called, their language, and why they have not got it; empty: taken."""

    kind: ClassVar = LetterKind.SEAT_REFUSED
    name: str
    language: str
    why: str


GamelessDetail = (
    ConfirmDetail
    | MoveAskedDetail
    | MovedDetail
    | SignInDetail
    | SeatClaimDetail
    | NoticeDetail
    | ReplacedDetail
    | SeatRefusedDetail
)
"""What letters say that are about no game."""


# --- as they are stored ---------------------------------------------------------------------------------

LetterDetail = (
    InvitationDetail
    | AnswerDetail
    | RefusedDetail
    | ShownDetail
    | AskedBackDetail
    | TimePassedDetail
    | PlanPlayedDetail
    | VoteDetail
    | AbsenceDetail
    | ReminderDetail
    | SeatOfferedDetail
    | StoppedDetail
    | DeclinedDetail
    | ProposalDetail
    | GamelessDetail
)
LetterContent = PlainKind | LetterDetail
"""All that a row of the outbox says of its letter: its kind, and what its kind says more."""
NOTE_KEY = "note"
"""In the stored JSON: what an organiser has written to those whom they invite."""
ADAPTERS: Mapping[LetterKind, TypeAdapter[LetterDetail]] = {
    one.kind: TypeAdapter(one) for one in LetterDetail.__args__
}


def kind_of(content: LetterContent) -> LetterKind:
    """The kind of a letter."""
    return content if isinstance(content, LetterKind) else content.kind


def encode_detail(content: LetterContent) -> str:
    """What is stored beside the kind, as JSON."""
    if isinstance(content, LetterKind):
        return "{}"
    return ADAPTERS[content.kind].dump_json(content, exclude_none=True).decode()


def decode_content(kind: LetterKind, detail: str) -> LetterContent:
    """What a row of the outbox says; raises `ValueError` where its JSON is none of ours."""
    adapter = ADAPTERS.get(kind)
    if adapter is None:
        return cast(PlainKind, kind)
    return adapter.validate_json(detail)
