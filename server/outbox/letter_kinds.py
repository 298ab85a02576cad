"""Kinds of letters: the details that each stores, the traits by which it is treated, and which one leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import PlainSerializer, PlainValidator, TypeAdapter
from sqlmodel import Session, col, select

from emails.letters.contexts import AccountEvent
from emails.letters.kinds import LetterKind, SeatLoss, VacancyReason
from emails.replies.time_requests.absences import ExpectedDays
from emails.wording.questions import OrderQuestion, decode_question, encode_question
from emails.wording.requests import REQUESTS_TO_ALL, REQUESTS_TO_CONFIRM, Request, RequestKind, VoteKind
from server.store.models import OutgoingLetter

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
    days: ExpectedDays | None = None
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
        acting = REQUESTS_TO_CONFIRM | REQUESTS_TO_ALL
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


HALF_PLAYED_DELAY = timedelta(minutes=30)
"""How long a turn that was left in its middle on a page is left alone: whoever only thinks, or has the page
open, needs no letter, and who was called away finds what can still be done long before the deadline."""
FIRST_KINDS = frozenset({LetterKind.WELCOME, LetterKind.YOUR_TURN})
"""Kinds of which one is the first letter of a game to its reader."""
SIGN_IN_LINK_VALID = timedelta(minutes=10)
"""How long a link that signs a player in is good; its letter is not sent later."""


@dataclass(frozen=True, slots=True)
class LetterTraits:
    """How the letters of one kind are treated; by default they go at once, to whoever wants letters."""

    rank: int = 0
    """How much of a game it tells: what waits for one seat is told in the letter of the highest rank. 0: it
    is sent for itself."""
    waits: bool = False
    """Whether it waits for the hour of its reader."""
    despite_unsubscribe: bool = False
    """Whether it goes to a reader who wants no letters: they have asked for it, or must know it."""
    despite_bounce: bool = False
    """Whether it is sent although letters come back: a letter for each turn, for so a success is found."""
    answers_mail: bool = False
    """Whether it answers a mail to a game, and shows how the game stands."""
    asks_back: bool = False
    """Whether it answers a mail to a game with a question, and shows nothing of the game."""
    gameless: bool = False
    """Whether it is about no game: it stands in no thread, and where it was to go it goes."""
    to_unused_address: bool = False
    """Whether it goes to an address that is not in use: it holds nothing that leads to a game."""
    recorded: bool = False
    """Whether it is kept in the outbox even where it is not wanted when it arises."""
    unasked: bool = False
    """Whether somebody else than its reader can cause it: budgets.py bounds how many there are."""


ANSWERS = LetterTraits(despite_unsubscribe=True, answers_mail=True)
ABOUT_AN_ADDRESS = LetterTraits(
    despite_unsubscribe=True, despite_bounce=True, gameless=True, to_unused_address=True
)
ABOUT_AN_ACCOUNT = LetterTraits(despite_unsubscribe=True, despite_bounce=True, gameless=True)
TRAITS: Mapping[LetterKind, LetterTraits] = {
    LetterKind.INVITATION: LetterTraits(despite_bounce=True, recorded=True, unasked=True),
    LetterKind.ACCEPTED: LetterTraits(despite_unsubscribe=True),
    LetterKind.CALLED_OFF: LetterTraits(waits=True),
    LetterKind.DECLINED: LetterTraits(waits=True),
    LetterKind.PROPOSAL: LetterTraits(despite_bounce=True, unasked=True),
    LetterKind.DIGEST: LetterTraits(rank=1),
    LetterKind.MESSAGE: LetterTraits(rank=2, waits=True),
    LetterKind.NEWS: LetterTraits(rank=3, waits=True),
    LetterKind.REMINDER: LetterTraits(rank=4),
    LetterKind.STEP: LetterTraits(rank=5, waits=True),
    LetterKind.YOUR_TURN: LetterTraits(rank=6, waits=True, despite_bounce=True),
    LetterKind.WELCOME: LetterTraits(rank=7),
    LetterKind.TIME_PASSED: LetterTraits(rank=8, waits=True),
    LetterKind.PLAN_PLAYED: LetterTraits(rank=9),
    LetterKind.SUBSTITUTE: LetterTraits(rank=10, despite_unsubscribe=True),
    LetterKind.GAME_OVER: LetterTraits(rank=11, waits=True),
    LetterKind.ANSWER: ANSWERS,
    LetterKind.REFUSED: ANSWERS,
    LetterKind.SHOWN: ANSWERS,
    LetterKind.VOTE: LetterTraits(),
    LetterKind.ABSENCE: LetterTraits(),
    LetterKind.SEAT_OFFERED: LetterTraits(),
    LetterKind.REPLACED: ABOUT_AN_ADDRESS,
    LetterKind.SEAT_REFUSED: ABOUT_AN_ADDRESS,
    LetterKind.ASKED_BACK: LetterTraits(despite_unsubscribe=True, asks_back=True),
    LetterKind.STOPPED: LetterTraits(despite_unsubscribe=True, recorded=True),
    LetterKind.CONFIRM: replace(ABOUT_AN_ADDRESS, unasked=True, recorded=True),
    LetterKind.MOVE_ASKED: ABOUT_AN_ACCOUNT,
    LetterKind.MOVED: ABOUT_AN_ADDRESS,
    LetterKind.SIGNIN: ABOUT_AN_ACCOUNT,
    LetterKind.SEAT_CLAIM: ABOUT_AN_ACCOUNT,
    LetterKind.NOTICE: ABOUT_AN_ACCOUNT,
}


def kinds_where(holds: Callable[[LetterTraits], bool]) -> tuple[LetterKind, ...]:
    """The kinds of which something holds."""
    return tuple(kind for kind, traits in TRAITS.items() if holds(traits))


COMBINABLE_KINDS = (*kinds_where(lambda one: one.rank > 0), LetterKind.ANSWER)
"""What one letter may tell."""
KINDS_SHOWING_GAME = kinds_where(lambda one: one.rank > 0 or one.answers_mail)
"""The letters that show how a game stands."""
ANSWER_KINDS = kinds_where(lambda one: one.answers_mail or one.asks_back)
"""The letters that answer a mail to a game."""
GAMELESS_KINDS = kinds_where(lambda one: one.gameless)
ADDRESS_KINDS = kinds_where(lambda one: one.to_unused_address)
UNASKED_KINDS = kinds_where(lambda one: one.unasked)
KINDS_SENT_DESPITE_UNSUBSCRIBE = kinds_where(lambda one: one.despite_unsubscribe)
KINDS_SENT_DESPITE_SUSPENSION = (*GAMELESS_KINDS, LetterKind.REFUSED, LetterKind.STOPPED)
"""What leaves although its game is halted: what is about no game, and that nothing of a mail was done."""
KINDS_TOLD_IN_ANSWERS = kinds_where(lambda one: 0 < one.rank < TRAITS[LetterKind.WELCOME].rank)
"""What an answer to a mail tells too."""


def is_held_back(content: LetterContent, seat: int) -> bool:
    """Whether a letter waits for the hour of its reader; not so what was played for that seat itself."""
    own = isinstance(content, TimePassedDetail) and content.seat == seat
    return TRAITS[kind_of(content)].waits and not own


def kinds_telling(kind: LetterKind) -> tuple[LetterKind, ...]:
    """The kinds that tell what a letter of this kind would; the end of a game is told by its own alone."""
    rank = TRAITS[kind].rank
    if not rank or kind is LetterKind.GAME_OVER:
        return ()
    if kind in (LetterKind.STEP, LetterKind.YOUR_TURN):  # what says whose turn it is above all
        rank = TRAITS[LetterKind.REMINDER].rank
    ranked = kinds_where(lambda one: one.rank >= rank)
    return (*ranked, LetterKind.ANSWER) if kind in KINDS_TOLD_IN_ANSWERS else ranked


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A row of the outbox that is to be sent, and what it says."""

    row: OutgoingLetter
    content: LetterContent

    @property
    def is_held_back(self) -> bool:
        """Whether it waits for the hour of its reader."""
        return is_held_back(self.content, self.row.seat)

    @property
    def rank(self) -> tuple[int, bool, int]:
        """How much it tells; of those alike the one that does not wait, then the last."""
        return TRAITS[self.row.kind].rank, not self.is_held_back, self.row.id or 0

    @property
    def is_needless(self) -> bool:
        """Whether it answers a mail and only says that all was done."""
        return isinstance(self.content, AnswerDetail) and self.content.is_needless


def choose_leading_letter(due: Sequence[WaitingLetter]) -> WaitingLetter:
    """Which of the letters that are due to a seat is sent first. The others go, unless it tells them.

    An answer goes first. At the end of a game its letter is the answer to the last mail, where that leaves
    nothing to be said about the mail itself.
    """
    answers = [one for one in due if one.row.kind == LetterKind.ANSWER]
    if not answers:
        return max(due, key=lambda one: one.rank)
    ranked = max((one for one in due if one not in answers), key=lambda one: one.rank, default=None)
    if ranked is None or ranked.row.kind != LetterKind.GAME_OVER or not answers[-1].is_needless:
        return answers[0]
    ranked.row.answers = answers[-1].row.answers
    return ranked


def covers(letter: WaitingLetter, other: WaitingLetter) -> bool:
    """Whether what another letter to the same seat would tell stands in this one."""
    if other.row is letter.row:
        return False
    if letter.row.kind == LetterKind.ANSWER:
        return other.row.kind in KINDS_TOLD_IN_ANSWERS
    return TRAITS[other.row.kind].rank > 0 or (letter.row.answers == other.row.answers and other.is_needless)
