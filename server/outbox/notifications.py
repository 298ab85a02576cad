"""Notifications of a seat and announcements in its chat, and whether each is still relevant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import BindParameter, bindparam, exists
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.i18n import gettext_noop
from emails.letters import game_letters
from emails.letters.declaration import KINDS, Payload, Situation
from emails.letters.parts import Pace
from emails.wording.requests import VoteKind
from server.outbox.budgets import NAMES_ADDRESS, find_address_block, is_unsolicited, names_of_address
from server.outbox.letter_kinds import SIGN_IN_LINK_VALID, kinds_including
from server.outbox.preferences import Preferences
from server.store.context import Context
from server.store.models import (
    AbsentSeat,
    AddressConfirmation,
    BouncingAddress,
    ChatMessage,
    Game,
    IncomingMail,
    OfferedSeat,
    OutgoingLetter,
    Player,
    Proposal,
    ReadMarker,
    Resignation,
    Seating,
    SignInLink,
    table_of,
)
from server.store.states import Announcement, BlockOrigin, GameStatus, Hindrance, LetterState
from server.store.turn_clock import rest_of
from server.turn_time import after_protected

ANNOUNCEMENTS: Mapping[Announcement, str] = {
    Announcement.LETTERS_STOPPED: gettext_noop(
        "%(name)s gets no more mails of this game. When the time for a turn of that seat is over, "
        "the server plays that turn for it."
    ),
    Announcement.LETTERS_RESUMED: gettext_noop("%(name)s gets mails of this game again."),
    Announcement.MAIL_BOUNCED: gettext_noop(
        "Mail to %(name)s comes back. The clock of that seat stands still, for 14 days at most. %(name)s can "
        "still play on the page of the game, and name another address there."
    ),
    Announcement.BOUNCE_REPORTED: gettext_noop(
        "A mail says that mail to %(name)s comes back. The clock of that seat stands still, for a day at "
        "most, or for 14 days if our own mail server refuses that address too. %(name)s can still play on "
        "the page of the game, and name another address there."
    ),
    Announcement.MAIL_BOUNCED_UNTIMED: gettext_noop(
        "Mail to %(name)s comes back. %(name)s can still play on the page of the game, and name another "
        "address there."
    ),
    Announcement.MAIL_ARRIVES: gettext_noop(
        "Mail reaches %(name)s again, and the clock of that seat goes on."
    ),
    Announcement.MAIL_ARRIVES_UNTIMED: gettext_noop("Mail reaches %(name)s again."),
    Announcement.CLOCK_PAUSE_ENDED: gettext_noop(
        "Mail to %(name)s has come back for 14 days, so the clock of that seat goes on. When the time for a "
        "turn of that seat is over, the server plays that turn for it."
    ),
    Announcement.REPORTED_PAUSE_ENDED: gettext_noop(
        "The clock of %(name)s has stood still for a day because mail comes back, so it goes on. When the "
        "time for a turn of that seat is over, the server plays that turn for it."
    ),
    Announcement.RESIGNED: gettext_noop("%(name)s has resigned, and a caretaker plays on for that seat."),
    Announcement.TIME_ADDED: gettext_noop("%(name)s has got more time for this turn."),
    Announcement.GAME_RESUMED: gettext_noop("The game is resumed, and time runs again."),
    Announcement.PAUSED_UNTIL: gettext_noop(
        "The game is paused: no time runs on any turn until %(moment)s, when it goes on by itself. "
        "Turns can be played all the same."
    ),
    Announcement.TURN_GOES_ON: gettext_noop(
        "The game goes on, and it is your turn: you have until %(moment)s."
    ),
    Announcement.SEAT_KEPT: gettext_noop(
        "%(name)s has not played in time, so a caretaker plays for that seat until %(name)s is back."
    ),
    Announcement.SEAT_RETURNED: gettext_noop("%(name)s is back and plays again."),
    Announcement.TURNS_WAIT: gettext_noop(
        "%(name)s has written: no caretaker plays for that seat any more, and its turns wait for %(name)s."
    ),
    Announcement.SEAT_TAKEN_OVER: gettext_noop(
        "Somebody plays on for %(name)s, with the same cards and the same guards."
    ),
    Announcement.PAUSED_BY_OPERATOR: gettext_noop(
        "The operator of this server has paused the game: no time runs on any turn until it is resumed. "
        "Turns can be played all the same."
    ),
    Announcement.RESUMED_BY_OPERATOR: gettext_noop(
        "The operator of this server has resumed the game, and time runs again."
    ),
    Announcement.TIME_BY_OPERATOR: gettext_noop(
        "The operator of this server has given %(name)s more time for this turn."
    ),
    Announcement.REPLACED_BY_OPERATOR: gettext_noop(
        "The operator of this server has let somebody play on for %(name)s, with the same cards and the same "
        "guards."
    ),
    Announcement.SEAT_PASSED_OVER: gettext_noop(
        "The game goes on without %(name)s: the turns of that seat are skipped, and its guards stay, until "
        "%(name)s is back or somebody else plays there."
    ),
    Announcement.SET_BACK: gettext_noop(
        "The server lost its last hours. The game stands again where it stood on %(name)s (UTC): what you "
        "did after that did not count, so please do it again."
    ),
    Announcement.VOTE_DECLINED: gettext_noop("%(name)s does not agree to what was asked of all."),
    Announcement.VOTE_REFUSED: gettext_noop(
        "%(name)s does not agree to what you asked of all, so it is not done."
    ),
    Announcement.MORE_TIME_REFUSED: gettext_noop(
        "Nobody gives your turn more time: it ends as it would have."
    ),
    Announcement.TIME_GRANTED: gettext_noop("Your turn has got more time: until %(moment)s."),
    Announcement.TIME_WITHDRAWN: gettext_noop(
        "The 24 hours more of %(name)s are taken back, for another player does not agree."
    ),
    Announcement.TURN_SHORTENED: gettext_noop(
        "Another player does not agree to 24 hours more for your turn: you have until %(moment)s."
    ),
}
"""Text of each announcement. The database stores only the enum value: each reader gets a translation."""
OF_MOMENTS = frozenset(
    {
        Announcement.PAUSED_UNTIL,
        Announcement.TIME_GRANTED,
        Announcement.TURN_SHORTENED,
        Announcement.TURN_GOES_ON,
    }
)
"""Announcements that contain a time instead of a name."""
PRESSING = frozenset(
    {
        Announcement.SET_BACK,
        Announcement.VOTE_REFUSED,
        Announcement.MORE_TIME_REFUSED,
        Announcement.TIME_GRANTED,
        Announcement.TURN_SHORTENED,
        Announcement.PAUSED_UNTIL,
        Announcement.PAUSED_BY_OPERATOR,
        Announcement.TURN_GOES_ON,
    }
)
"""Announcements sent in a letter of their own, even to readers who want no letters about messages."""
OF_PRESENCE = frozenset(
    {Announcement.SEAT_KEPT, Announcement.RESIGNED, Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT}
)
OPPOSITES: Mapping[Announcement, Sequence[Announcement]] = {
    Announcement.LETTERS_STOPPED: (Announcement.LETTERS_RESUMED,),
    Announcement.LETTERS_RESUMED: (Announcement.LETTERS_STOPPED,),
    Announcement.MAIL_BOUNCED: (Announcement.MAIL_ARRIVES,),
    Announcement.BOUNCE_REPORTED: (Announcement.MAIL_ARRIVES,),
    Announcement.MAIL_ARRIVES: (Announcement.MAIL_BOUNCED, Announcement.BOUNCE_REPORTED),
    Announcement.MAIL_BOUNCED_UNTIMED: (Announcement.MAIL_ARRIVES_UNTIMED,),
    Announcement.SEAT_KEPT: (Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT),
    Announcement.RESIGNED: (Announcement.SEAT_RETURNED, Announcement.TURNS_WAIT),
    Announcement.SEAT_RETURNED: (Announcement.SEAT_KEPT, Announcement.RESIGNED),
    Announcement.TURNS_WAIT: (Announcement.SEAT_KEPT, Announcement.RESIGNED),
    Announcement.MAIL_ARRIVES_UNTIMED: (Announcement.MAIL_BOUNCED_UNTIMED,),
}
"""For each announcement, the earlier ones that it cancels for readers who have not received them."""


@dataclass(frozen=True, slots=True)
class Notification:
    """An occasion for a letter to one seat."""

    seat: int
    payload: Payload
    mail: IncomingMail | None = None
    mark: str = ""
    """Mark that distinguishes the letter from others of its kind about one act."""
    recipient: str = ""
    """Recipient's address; empty for the player's stored address."""
    later: timedelta = timedelta(0)
    answered: str = ""
    """If the letter answers a reply to an earlier letter: subject of the earlier letter, if known."""
    asked: bool | None = None
    """Whether the recipient requested the letter; None: as usual for letters of this kind."""

    pressing: bool = False
    """True for a message that gets a letter of its own, whatever the recipient's preferences."""

    @property
    def kind(self) -> str:
        return self.payload.kind

    @property
    def is_unsolicited(self) -> bool:
        return self.payload.policy.unsolicited if self.asked is None else not self.asked


class DropReason(StrEnum):
    """Reasons why a letter is not sent, as shown to the operator."""

    OUTDATED = "its occasion has passed"
    TOLD_ELSEWHERE = "another letter contains it"
    NO_LETTERS = "its recipient wants no letters"
    BOUNCES = "letters to its recipient are returned"
    RESIGNED = "its recipient has resigned"
    BLOCKED = "its recipient is blocked"
    READER_FULL = "its recipient's limit of unsolicited letters is reached"
    ORIGIN_FULL = "its origin's limit of unsolicited letters is reached"

    @property
    def state(self) -> LetterState:
        return LetterState.WITHHELD if self is DropReason.NO_LETTERS else LetterState.DROPPED

    @property
    def hindrance(self) -> Hindrance:
        barred = (DropReason.BLOCKED, DropReason.READER_FULL, DropReason.ORIGIN_FULL)
        return Hindrance.BARRED if self in barred else Hindrance.NONE


def outcome_of(reason: DropReason | None) -> dict[str, object]:
    """Return the state columns for a letter that is dropped for `reason`, or waits if `reason` is None."""
    if reason is None:
        return {"state": LetterState.WAITING, "why": "", "hindrance": Hindrance.NONE}
    return {"state": reason.state, "why": reason, "hindrance": reason.hindrance}


def describe_situation(
    status: GameStatus, preferences: Preferences, *, is_mover: bool, is_pressing: bool
) -> dict[str, bool]:
    """Return the facts that decide whether a letter is sent; `is_pressing`: a message needs a letter."""
    wants_daily = preferences.pace == Pace.DAILY
    return {
        "is_proposed": status == GameStatus.PROPOSED,
        "is_open": status == GameStatus.OPEN,
        "is_running": status == GameStatus.RUNNING,
        "is_over": status == GameStatus.OVER,
        "wants_letters": preferences.letters,
        "wants_news": preferences.moves and not wants_daily,
        "wants_daily": wants_daily,
        "wants_messages": preferences.messages or is_pressing,
        "is_mover": is_mover,
    }


def reason_to_drop(payload: Payload, now: Situation) -> DropReason | None:
    policy = payload.policy
    if now.is_blocked:
        return DropReason.BLOCKED
    if not (now.wants_letters or policy.despite_unsubscribe):
        return DropReason.NO_LETTERS
    if now.is_bouncing and not policy.despite_bounce:
        return DropReason.BOUNCES
    if now.has_resigned and now.is_running and not policy.despite_unsubscribe:
        return DropReason.RESIGNED
    if (now.has_seat_changed and not policy.to_former_player) or payload.is_obsolete(now):
        return DropReason.OUTDATED
    return DropReason.TOLD_ELSEWHERE if now.is_shown_since else None


NUDGE_WAITS = timedelta(hours=12)  # longer than a night; the nudging player is told this time
SEATINGS, FAILING = table_of(Seating).c, table_of(BouncingAddress).c
RESIGNED, ABSENT = table_of(Resignation).c, table_of(AbsentSeat).c
LETTERS = table_of(OutgoingLetter).c
GAME: BindParameter[str] = bindparam("of")
READER: BindParameter[int] = bindparam("reader")
IS_BOUNCING = (
    exists()
    .where(SEATINGS.game == GAME, SEATINGS.seat == READER, FAILING.player == SEATINGS.player)
    .where(FAILING.address == bindparam("at"), FAILING.ended_at.is_(None))
)
HAS_GOT_SINCE = exists().where(
    LETTERS.game == GAME,
    LETTERS.seat == READER,
    LETTERS.state == LetterState.SENT,
    LETTERS.kind.in_(bindparam("kinds", expanding=True)),
    LETTERS.id > bindparam("after"),
)
SELECT_MARKS = plain_select(
    IS_BOUNCING,
    exists().where(RESIGNED.game == GAME, RESIGNED.seat == READER),
    exists().where(ABSENT.game == GAME, ABSENT.seat == READER),
    HAS_GOT_SINCE,
    exists().where(NAMES_ADDRESS),
)


@dataclass(kw_only=True)
class LoadedSituation(Situation):
    """Situation of a due letter, with all facts that decide whether it is relevant."""

    context: Context
    session: Session
    game: Game
    row: OutgoingLetter
    now: datetime

    def has_accepted(self) -> bool:
        seating = self.session.get_one(Seating, (self.row.game, self.row.seat))
        return seating.accepted_at is not None

    def has_left(self) -> bool:
        return not self.has_accepted()

    def is_proposal_current(self) -> bool:
        proposal = self.session.get(Proposal, self.row.game)
        return proposal is not None and not proposal.replaced_by

    def is_nudge_stale(self) -> bool:
        resting = rest_of(self.session, self.game, self.now)
        return self.row.queued_at < self.now - NUDGE_WAITS or after_protected(self.now, resting) > self.now

    def is_vacant(self, seat: int) -> bool:
        left = self.session.get_one(Seating, (self.row.game, seat))
        return left.player is None and not left.house

    def is_offered(self, seat: int) -> bool:
        return self.session.get(OfferedSeat, (self.row.game, seat)) is not None

    def is_vote_open(self, vote: VoteKind, done: bool) -> bool:
        cast = self.context.history_of(self.session, self.game).agreements.votes.get((vote, None))
        return cast is not None and cast.done == done and self.row.seat not in cast.answers

    def is_code_valid(self, digest: str) -> bool:
        return self.session.get(AddressConfirmation, digest) is not None

    def is_sign_in_valid(self, digest: str) -> bool:
        is_late = self.row.queued_at <= self.now - SIGN_IN_LINK_VALID
        return not is_late and self.session.get(SignInLink, digest) is not None


def load_situation(
    context: Context,
    session: Session,
    game: Game,
    row: OutgoingLetter,
    preferences: Preferences,
    unheard: int,
    now: datetime,
) -> LoadedSituation:
    """Load the facts that decide whether a letter is relevant; `unheard`: id of the last unread message."""
    given = {"of": row.game, "reader": row.seat, "at": row.recipient.lower(), "after": row.id or 0}
    given |= names_of_address(row.recipient) | {"kinds": kinds_including(row.kind)}
    marks = _Marks(*map(bool, session.connection().execute(SELECT_MARKS, given).one()))
    is_mover = game.seat == row.seat
    is_pressing = row.kind == game_letters.Message.kind and _is_pressing(session, row, unheard)
    return LoadedSituation(
        **describe_situation(game.status, preferences, is_mover=is_mover, is_pressing=is_pressing),
        has_unread=unheard > 0,
        is_turn_over=game.after != row.seq or (is_mover and marks.kept),
        is_absent=marks.kept,
        is_blocked=marks.blocked and is_blocked(session, row),
        is_bouncing=marks.bouncing,
        has_resigned=marks.resigned,
        has_seat_changed=_has_seat_changed(context, session, game, row),
        is_shown_since=marks.shown_since,  # for example while the relay was unavailable
        context=context,
        session=session,
        game=game,
        row=row,
        now=now,
    )


class _Marks(NamedTuple):
    bouncing: bool
    resigned: bool
    kept: bool
    shown_since: bool
    blocked: bool


def _is_pressing(session: Session, row: OutgoingLetter, unheard: int) -> bool:
    told = select(ReadMarker.message).where(ReadMarker.game == row.game, ReadMarker.seat == row.seat)
    said = select(ChatMessage.id).where(
        ChatMessage.game == row.game,
        ChatMessage.addressee == row.seat,
        col(ChatMessage.announcement).in_(PRESSING),
        col(ChatMessage.id) <= unheard,
        col(ChatMessage.id) > (session.exec(told).first() or 0),
    )
    return session.exec(said.limit(1)).first() is not None


def _has_seat_changed(context: Context, session: Session, game: Game, row: OutgoingLetter) -> bool:
    seating = session.get(Seating, (game.id, row.seat))
    if seating is None or seating.player is None:
        return True
    return game.status == GameStatus.OPEN and row.seq < context.history_of(session, game).player_since(
        row.seat
    )


def is_blocked(session: Session, row: OutgoingLetter) -> bool:
    """Return whether a block keeps a letter from its address.

    The operator's block stops all letters. The recipient's own block stops unsolicited letters and, if the
    recipient never confirmed the address, all except answers to mails.
    """
    origin = find_address_block(session, row.recipient)
    if origin is not BlockOrigin.READER:
        return origin is BlockOrigin.OPERATOR
    return is_unsolicited(session, row.message_id) or (
        not KINDS[row.kind].policy.answers_mail and _is_for_stranger(session, row)
    )


def _is_for_stranger(session: Session, row: OutgoingLetter) -> bool:
    confirmed = select(Player.confirmed_at).join(Seating, col(Seating.player) == Player.id)
    confirmed = confirmed.where(Seating.game == row.game, Seating.seat == row.seat)
    return session.exec(confirmed).first() is None
