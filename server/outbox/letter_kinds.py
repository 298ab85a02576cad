"""Kinds of letters: their stored details, their policies, and the rules for merging letters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import PlainSerializer, PlainValidator, TypeAdapter
from sqlmodel import Session, col, select

from emails.letters.kinds import AccountEvent, LetterKind, SeatLoss, VacancyReason
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
    kind: ClassVar = LetterKind.INVITATION
    note: str = ""
    """Line of the organiser; empty if there is none, or if the recipient requested the seat."""


@dataclass(frozen=True, slots=True)
class AnswerDetail:
    """Outcome of a mail with orders or chat."""

    kind: ClassVar = LetterKind.ANSWER
    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    why: str = ""
    after: int | None = None
    """Act whose position the question concerns."""
    question: StoredQuestion | None = None
    posted: tuple[str, ...] = ()
    asked: tuple[StoredRequest, ...] = ()
    settled: tuple[str, ...] = ()
    """One sentence about each request to all players."""

    @property
    def is_needless(self) -> bool:
        return not (self.undone or self.posted or self.asked or self.settled)


@dataclass(frozen=True, slots=True)
class RefusedDetail:
    """Reason why a mail had no effect."""

    kind: ClassVar = LetterKind.REFUSED
    sentence: str
    undone: tuple[str, ...] = ()
    in_a_row: int = 1
    """Number of refusals in a row, including this one."""
    after: int | None = None
    question: StoredQuestion | None = None
    asked: tuple[StoredRequest, ...] = ()
    ended: bool = False
    proposed: bool = False
    """True if `question` proposes turns that a partly unreadable mail may mean."""
    understood: str = ""
    days: ExpectedDays | None = None
    """Question about days away that a mere date can answer."""

    def tells_the_same(self, other: RefusedDetail) -> bool:
        """Return whether another refusal differs at most in `in_a_row`."""
        return replace(self, in_a_row=other.in_a_row) == other


@dataclass(frozen=True, slots=True)
class ShownDetail:
    """Requests of a mail without orders and chat."""

    kind: ClassVar = LetterKind.SHOWN
    asked: tuple[StoredRequest, ...]
    unasked: bool = False
    """True if the operator caused the letter, without a mail of the player."""


@dataclass(frozen=True, slots=True)
class AskedBackDetail:
    """Requests and orders of a mail that are performed only after a yes to this letter."""

    kind: ClassVar = LetterKind.ASKED_BACK
    lines: tuple[str, ...]
    """Lines as written in the mail."""
    after: int
    """Act whose position the orders are for."""
    orders: tuple[str, ...] = ()
    """Orders in full words, or the word that accepts an invitation; a link can contain them."""
    chat: tuple[str, ...] = ()
    asked: tuple[StoredRequest, ...] = ()
    unproven: bool = False
    plan: str = ""
    doubt: str = ""
    """Sentence why the orders may not be meant; empty without doubt."""
    questions: tuple[str, ...] = ()
    """Possible meanings of an unclear time request, as questions; a yes chooses the first (`asked`)."""
    others: tuple[StoredRequest, ...] = ()
    """Requests of the other questions."""

    @property
    def request(self) -> RequestKind | None:
        """The request that must be confirmed or concerns all players; None without one."""
        acting = REQUESTS_TO_CONFIRM | REQUESTS_TO_ALL
        return next((one.kind for one in self.asked if one.kind in acting), None)


@dataclass(frozen=True, slots=True)
class TimePassedDetail:
    """The seat that ran out of time."""

    kind: ClassVar = LetterKind.TIME_PASSED
    seat: int


@dataclass(frozen=True, slots=True)
class ReminderDetail:
    kind: ClassVar = LetterKind.REMINDER
    asked_by: int | None = None
    """Seat of the player who nudged; None for a reminder of the deadline."""
    home: bool = False
    """True on the recipient's first day at home."""


@dataclass(frozen=True, slots=True)
class PlanPlayedDetail:
    """Orders of the recipient's plan that a drawn card made impossible, and the reason."""

    kind: ClassVar = LetterKind.PLAN_PLAYED
    undone: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class VoteDetail:
    """Request of a seat to all players; if `done`, performed unless a player says no."""

    kind: ClassVar = LetterKind.VOTE
    vote: VoteKind | None = None
    """None in letters of an older version, whose request has ended."""
    seat: int = 0
    done: bool = False
    """True if the time is added already."""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class AbsenceDetail:
    """A caretaker plays for the recipient until the recipient is back."""

    kind: ClassVar = LetterKind.ABSENCE


@dataclass(frozen=True, slots=True)
class SeatOfferedDetail:
    """The seat that needs a substitute."""

    kind: ClassVar = LetterKind.SEAT_OFFERED
    seat: int


@dataclass(frozen=True, slots=True)
class StoppedDetail:
    kind: ClassVar = LetterKind.STOPPED
    everywhere: bool


@dataclass(frozen=True, slots=True)
class DeclinedDetail:
    """A player who will not play, and the reason."""

    kind: ClassVar = LetterKind.DECLINED
    seat: int
    name: str
    how: VacancyReason


@dataclass(frozen=True, slots=True)
class ProposalDetail:
    """Note about the mail that the proposal answers; empty without a mail."""

    kind: ClassVar = LetterKind.PROPOSAL
    note: str


# --- letters without a game ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConfirmDetail:
    """Code that confirms an address: its stored digest, and the mark from which it is made."""

    kind: ClassVar = LetterKind.CONFIRM
    digest: str
    mark: str


@dataclass(frozen=True, slots=True)
class MoveAskedDetail:
    """Code by which an address agrees to be replaced: its digest and mark."""

    kind: ClassVar = LetterKind.MOVE_ASKED
    digest: str
    mark: str
    browser: str = ""


@dataclass(frozen=True, slots=True)
class MovedDetail:
    """The new address, and the code that undoes the change; without code if the change cannot be undone."""

    kind: ClassVar = LetterKind.MOVED
    address: str
    digest: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class SignInDetail:
    """Code of a sign-in link: its stored digest, and the mark from which it is made."""

    kind: ClassVar = LetterKind.SIGNIN
    digest: str
    mark: str


@dataclass(frozen=True, slots=True)
class SeatClaimDetail:
    """Code of a link that signs in a player who claims an offered seat."""

    kind: ClassVar = LetterKind.SEAT_CLAIM
    digest: str
    mark: str
    taker: int


@dataclass(frozen=True, slots=True)
class NoticeDetail:
    """An event of a player's account."""

    kind: ClassVar = LetterKind.NOTICE
    event: AccountEvent
    at: datetime
    browser: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class ReplacedDetail:
    """A former player of a seat: name and language, title of the game, and reason of the loss."""

    kind: ClassVar = LetterKind.REPLACED
    name: str
    game: str
    language: str
    loss: SeatLoss


@dataclass(frozen=True, slots=True)
class SeatRefusedDetail:
    """A player who did not get the requested seat; `why`: empty if the seat is taken."""

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


# --- stored form ----------------------------------------------------------------------------------------

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
"""Content of a letter in the outbox: a plain kind, or the details of a kind."""
NOTE_KEY = "note"
ADAPTERS: Mapping[LetterKind, TypeAdapter[LetterDetail]] = {
    one.kind: TypeAdapter(one) for one in LetterDetail.__args__
}


def kind_of(content: LetterContent) -> LetterKind:
    return content if isinstance(content, LetterKind) else content.kind


def encode_detail(content: LetterContent) -> str:
    if isinstance(content, LetterKind):
        return "{}"
    return ADAPTERS[content.kind].dump_json(content, exclude_none=True).decode()


def decode_content(kind: LetterKind, detail: str) -> LetterContent:
    """Decode the content of a row. Raises `ValueError` if its JSON is invalid."""
    adapter = ADAPTERS.get(kind)
    if adapter is None:
        return cast(PlainKind, kind)
    return adapter.validate_json(detail)


def load_note(session: Session, game: str, seat: int) -> str:
    rows = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game,
        OutgoingLetter.seat == seat,
        OutgoingLetter.kind == LetterKind.INVITATION,
    )
    last = session.exec(rows.order_by(col(OutgoingLetter.id).desc()).limit(1)).first()
    return "" if last is None else _note_of(last)


def list_notes(session: Session, game: str) -> list[str]:
    rows = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == game, OutgoingLetter.kind == LetterKind.INVITATION
    )
    found = map(_note_of, session.exec(rows.order_by(col(OutgoingLetter.id))))
    return [*dict.fromkeys(note for note in found if note)]


def _note_of(detail: str) -> str:
    content = decode_content(LetterKind.INVITATION, detail)
    return content.note if isinstance(content, InvitationDetail) else ""


HALF_PLAYED_DELAY = timedelta(minutes=30)
"""Time without a letter about a half-played turn on a page, as its player may still be thinking."""
FIRST_KINDS = frozenset({LetterKind.WELCOME, LetterKind.YOUR_TURN})
SIGN_IN_LINK_VALID = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class LetterPolicy:
    """Rules for letters of one kind; by default they are sent at once, to recipients who want any letters."""

    rank: int = 0
    """Rank by shown content: letters to a seat are merged into the highest rank; 0: never merged."""
    waits: bool = False
    """True if the letter waits for the recipient's daily hour."""
    despite_unsubscribe: bool = False
    """True if sent to unsubscribed recipients too, as a requested or necessary letter."""
    despite_bounce: bool = False
    """True if sent although letters bounce: one letter per turn, so that a success is noticed."""
    answers_mail: bool = False
    """True if the letter answers a mail to a game, and shows the game."""
    asks_back: bool = False
    """True if the letter answers a mail to a game with a question, and does not show the game."""
    gameless: bool = False
    """True for letters without a game: they have no thread, and always go to the queued recipient."""
    to_unused_address: bool = False
    """True if sent to an address not in use, and so without anything that leads to a game."""
    recorded: bool = False
    """True if stored in the outbox even if unwanted when queued."""
    unasked: bool = False
    """True if people other than the recipient can cause it; budgets.py limits these letters."""


ANSWERS = LetterPolicy(despite_unsubscribe=True, answers_mail=True)
ABOUT_AN_ADDRESS = LetterPolicy(
    despite_unsubscribe=True, despite_bounce=True, gameless=True, to_unused_address=True
)
ABOUT_AN_ACCOUNT = LetterPolicy(despite_unsubscribe=True, despite_bounce=True, gameless=True)
POLICIES: Mapping[LetterKind, LetterPolicy] = {
    LetterKind.INVITATION: LetterPolicy(despite_bounce=True, recorded=True, unasked=True),
    LetterKind.ACCEPTED: LetterPolicy(despite_unsubscribe=True),
    LetterKind.CALLED_OFF: LetterPolicy(waits=True),
    LetterKind.DECLINED: LetterPolicy(waits=True),
    LetterKind.PROPOSAL: LetterPolicy(despite_bounce=True, unasked=True),
    LetterKind.DIGEST: LetterPolicy(rank=1),
    LetterKind.MESSAGE: LetterPolicy(rank=2, waits=True),
    LetterKind.NEWS: LetterPolicy(rank=3, waits=True),
    LetterKind.REMINDER: LetterPolicy(rank=4),
    LetterKind.STEP: LetterPolicy(rank=5, waits=True),
    LetterKind.YOUR_TURN: LetterPolicy(rank=6, waits=True, despite_bounce=True),
    LetterKind.WELCOME: LetterPolicy(rank=7),
    LetterKind.TIME_PASSED: LetterPolicy(rank=8, waits=True),
    LetterKind.PLAN_PLAYED: LetterPolicy(rank=9),
    LetterKind.SUBSTITUTE: LetterPolicy(rank=10, despite_unsubscribe=True),
    LetterKind.GAME_OVER: LetterPolicy(rank=11, waits=True),
    LetterKind.ANSWER: ANSWERS,
    LetterKind.REFUSED: ANSWERS,
    LetterKind.SHOWN: ANSWERS,
    LetterKind.VOTE: LetterPolicy(),
    LetterKind.ABSENCE: LetterPolicy(),
    LetterKind.SEAT_OFFERED: LetterPolicy(),
    LetterKind.REPLACED: ABOUT_AN_ADDRESS,
    LetterKind.SEAT_REFUSED: ABOUT_AN_ADDRESS,
    LetterKind.ASKED_BACK: LetterPolicy(despite_unsubscribe=True, asks_back=True),
    LetterKind.STOPPED: LetterPolicy(despite_unsubscribe=True, recorded=True),
    LetterKind.CONFIRM: replace(ABOUT_AN_ADDRESS, unasked=True, recorded=True),
    LetterKind.MOVE_ASKED: ABOUT_AN_ACCOUNT,
    LetterKind.MOVED: ABOUT_AN_ADDRESS,
    LetterKind.SIGNIN: ABOUT_AN_ACCOUNT,
    LetterKind.SEAT_CLAIM: ABOUT_AN_ACCOUNT,
    LetterKind.NOTICE: ABOUT_AN_ACCOUNT,
}


def kinds_where(holds: Callable[[LetterPolicy], bool]) -> tuple[LetterKind, ...]:
    return tuple(kind for kind, policy in POLICIES.items() if holds(policy))


COMBINABLE_KINDS = (*kinds_where(lambda one: one.rank > 0), LetterKind.ANSWER)
KINDS_SHOWING_GAME = kinds_where(lambda one: one.rank > 0 or one.answers_mail)
ANSWER_KINDS = kinds_where(lambda one: one.answers_mail or one.asks_back)
GAMELESS_KINDS = kinds_where(lambda one: one.gameless)
ADDRESS_KINDS = kinds_where(lambda one: one.to_unused_address)
UNSOLICITED_KINDS = kinds_where(lambda one: one.unasked)
KINDS_SENT_DESPITE_UNSUBSCRIBE = kinds_where(lambda one: one.despite_unsubscribe)
KINDS_SENT_DESPITE_SUSPENSION = (*GAMELESS_KINDS, LetterKind.REFUSED, LetterKind.STOPPED)
KINDS_MERGED_INTO_ANSWERS = kinds_where(lambda one: 0 < one.rank < POLICIES[LetterKind.WELCOME].rank)


def is_held_back(content: LetterContent, seat: int) -> bool:
    """Return whether a letter waits for its recipient's hour; a turn played for this seat does not wait."""
    own = isinstance(content, TimePassedDetail) and content.seat == seat
    return POLICIES[kind_of(content)].waits and not own


def kinds_telling(kind: LetterKind) -> tuple[LetterKind, ...]:
    """Return the kinds that include the content of this kind; only GAME_OVER includes the end of a game."""
    rank = POLICIES[kind].rank
    if not rank or kind is LetterKind.GAME_OVER:
        return ()
    if kind in (LetterKind.STEP, LetterKind.YOUR_TURN):  # any kind that shows the player to move includes it
        rank = POLICIES[LetterKind.REMINDER].rank
    ranked = kinds_where(lambda one: one.rank >= rank)
    return (*ranked, LetterKind.ANSWER) if kind in KINDS_MERGED_INTO_ANSWERS else ranked


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A waiting row of the outbox, with its content."""

    row: OutgoingLetter
    content: LetterContent

    @property
    def is_held_back(self) -> bool:
        return is_held_back(self.content, self.row.seat)

    @property
    def rank(self) -> tuple[int, bool, int]:
        """Sort key: shown content, then whether it need not wait, then its age."""
        return POLICIES[self.row.kind].rank, not self.is_held_back, self.row.id or 0

    @property
    def is_needless(self) -> bool:
        return isinstance(self.content, AnswerDetail) and self.content.is_needless


def choose_leading_letter(due: Sequence[WaitingLetter]) -> WaitingLetter:
    """Choose the due letter of a seat that is sent first; the others follow unless merged into it.

    An answer is sent first, but the letter about the end of a game replaces an answer without other content.
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
    """Return whether another letter to the seat is merged into this letter."""
    if other.row is letter.row:
        return False
    if letter.row.kind == LetterKind.ANSWER:
        return other.row.kind in KINDS_MERGED_INTO_ANSWERS
    return POLICIES[other.row.kind].rank > 0 or (
        letter.row.answers == other.row.answers and other.is_needless
    )
