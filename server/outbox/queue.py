"""The queue of letters and of mails to the operator; the unit of work that writes acts with their letters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any, TypeVar

from sqlalchemy import and_, bindparam, func, update
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters import game_letters
from emails.letters.declaration import Payload, Situation
from emails.letters.game_letters import Answer, GameOver
from emails.letters.parts import Pace
from emails.letters.renderer import make_message_id
from emails.replies.parsed_mail import Mail
from emails.tokens import Purpose, make_act_tags
from server.monitoring import SecurityEvent
from server.outbox.budgets import (
    OPERATOR,
    UNKNOWN,
    UNTOLD_KINDS,
    Budget,
    BudgetSpent,
    Origin,
    find_address_block,
    is_origin_full,
    is_recipient_full,
    record_unsolicited,
)
from server.outbox.notifications import (
    GAMELESS_KINDS,
    KINDS_MERGED_INTO_ANSWERS,
    KINDS_SHOWING_GAME,
    DropReason,
    Notification,
    Preferences,
    combine_preferences,
    describe_situation,
    encode_payload,
    outcome_of,
    read_json,
    reason_to_drop,
)
from server.store.context import Context, act_tag_of, find_moment
from server.store.dialects import insert_new
from server.store.encrypted import encrypt_mail
from server.store.event_log import History, Refusal, RefusalCode, StalePosition
from server.store.models import (
    Game,
    OperatorMail,
    OutgoingLetter,
    Player,
    Seating,
    StoredPreferences,
    count_rows,
    table_of,
)
from server.store.schedule import read_moments
from server.store.states import FORWARDED, NO_SEAT, Channel, LetterState, MomentName, OperatorMatter
from server.store.turn_clock import CLOCK_MOMENTS, begin_turn_clock, is_awaiting_letter

CHOICES_KEY, SUBJECT_KEY, ANSWERED_KEY = "numbers", "subject", "answered"  # "numbers": the offered orders
KEYS_OF_SENDING = (CHOICES_KEY, SUBJECT_KEY, "relay_reply")


@dataclass(frozen=True, slots=True)
class SentLetter:
    """Stored facts about a letter besides its content; empty if unknown."""

    choices: Mapping[str, str] = field(default_factory=dict)
    """Meaning of each label by which a reply can choose: "a", "b" or (in old rows) a number."""
    subject: str = ""
    answered: str = ""
    """If this letter answers a reply to an earlier letter: subject of the earlier letter."""
    done: bool = False
    chosen: str = ""
    relay_reply: str = ""
    """The relay's response, with the number that finds the letter in the relay's log."""


NOTHING_KNOWN = SentLetter()
KEYS = {one.name: CHOICES_KEY if one.name == "choices" else one.name for one in fields(SentLetter)}
"""Key in a letter's stored JSON of each field of `SentLetter`; values of other types are payload."""


def read_sent_letter(detail: str) -> SentLetter:
    """Read the facts in the JSON detail of a letter; empty if it is invalid."""
    stored = read_json(detail)
    known: dict[str, Any] = {name: stored.get(key) for name, key in KEYS.items()}
    return SentLetter(
        **{name: value for name, value in known.items() if type(value) is type(getattr(NOTHING_KNOWN, name))}
    )


def add_to_detail(detail: str, known: SentLetter) -> str:
    """Add the non-empty values of `known` to the JSON detail of a letter, and return the new detail."""
    given = {KEYS[name]: value for name, value in asdict(known).items() if value}
    return json.dumps({**json.loads(detail), **given}) if given else detail


def forget_sending(detail: str) -> str:
    stored = json.loads(detail).items()
    return json.dumps({key: value for key, value in stored if key not in KEYS_OF_SENDING})


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A waiting row of the outbox, with its payload."""

    row: OutgoingLetter
    payload: Payload

    @property
    def is_needless(self) -> bool:
        return isinstance(self.payload, Answer) and self.payload.is_needless


def choose_leading_letter(due: Sequence[WaitingLetter]) -> WaitingLetter:
    """Choose the due letter of a seat that is sent first; the others follow unless merged into it.

    An answer to a mail comes first, unless a letter about the end of the game makes the answer needless.
    """
    answers = [one for one in due if one.row.kind == Answer.kind]
    others = [one for one in due if one.row.kind != Answer.kind]
    if others:
        ranked = max(
            others,
            key=lambda one: (one.payload.policy.rank, not one.payload.waits(one.row.seat), one.row.id or 0),
        )
        if not answers:
            return ranked
        if ranked.row.kind == GameOver.kind and answers[-1].is_needless:
            ranked.row.answers = answers[-1].row.answers
            return ranked
    return answers[0]


def covers(letter: WaitingLetter, other: WaitingLetter) -> bool:
    """Return whether another letter to the seat is merged into this letter."""
    if other.row is letter.row:
        return False
    if letter.row.kind == Answer.kind:
        return other.row.kind in KINDS_MERGED_INTO_ANSWERS
    is_ranked = other.payload.policy.rank > 0
    return is_ranked or (letter.row.answers == other.row.answers and other.is_needless)


ANSWERED_WORDS_KEPT_FOR = timedelta(days=1)
UNSENT_STATES = (LetterState.WAITING, LetterState.DROPPED, LetterState.WITHHELD)
MARK_LENGTH = 10


@dataclass(frozen=True, slots=True)
class Person:
    """A person on a seat of a game."""

    seat: int
    name: str
    address: str
    player: int
    accepted: bool
    confirmed: bool
    """Whether the person has confirmed the address by using a link of a letter, or by a reply."""
    preferences: Preferences


# Core statements for speed: they run in each act.
SEATINGS, PLAYERS = table_of(Seating), table_of(Player)
SHARED, OWN = table_of(StoredPreferences).alias(), table_of(StoredPreferences).alias()
SELECT_PEOPLE = (
    plain_select(
        SEATINGS.c.seat,
        SEATINGS.c.name,
        PLAYERS.c.address,
        PLAYERS.c.id,
        SEATINGS.c.accepted_at.is_not(None),
        PLAYERS.c.confirmed_at.is_not(None),
        SHARED.c.said,
        OWN.c.said,
    )
    .join(PLAYERS, SEATINGS.c.player == PLAYERS.c.id)
    .outerjoin(SHARED, and_(SHARED.c.player == SEATINGS.c.player, SHARED.c.game == ""))
    .outerjoin(OWN, and_(OWN.c.player == SEATINGS.c.player, OWN.c.game == SEATINGS.c.game))
    .where(SEATINGS.c.game == bindparam("game"))
)
SPENT_BUDGETS = {DropReason.READER_FULL: Budget.RECIPIENT, DropReason.ORIGIN_FULL: Budget.ORIGIN}
INSERT_LETTERS = insert_new(OutgoingLetter)
"""Statement that inserts letters, and skips letters that are stored already."""

OUTGOING_COLUMNS = table_of(OutgoingLetter).c
SELECT_LAST_SENT = plain_select(func.max(OUTGOING_COLUMNS.sent_at)).where(
    OUTGOING_COLUMNS.state == LetterState.SENT, OUTGOING_COLUMNS.kind.in_(KINDS_SHOWING_GAME)
)


def load_people(session: Session, game: str) -> dict[int, Person]:
    """Return the people who play a game, by seat, without bots and vacant seats."""
    # all(): a statement left unfinished by an unreadable value would keep an old state of the database.
    found = session.connection().execute(SELECT_PEOPLE, {"game": game}).all()
    return {
        seat: Person(seat, name, address, player, accepted, confirmed, combine_preferences(*said))
        for seat, name, address, player, accepted, confirmed, *said in found
    }


LEDGER = "ledger"
"""Key of the lock on the table of unsolicited letters."""


def _spend_budget(
    session: Session, row: Mapping[str, object], origin: Origin, now: datetime
) -> DropReason | None:
    address, message_id = str(row["recipient"]), str(row["message_id"])
    if is_origin_full(session, origin, now):
        return DropReason.ORIGIN_FULL
    reason = None
    if find_address_block(session, address) is not None:
        reason = DropReason.BLOCKED
    elif origin != OPERATOR and is_recipient_full(session, address, now):
        reason = DropReason.READER_FULL
    if reason is None or origin.kind not in UNTOLD_KINDS:
        record_unsolicited(session, message_id, "" if reason else address, origin, now)
    return reason


def _build_row(
    unit: UnitOfWork, game: Game, notification: Notification, reader: Person, reason: DropReason | None
) -> dict[str, object]:
    context, now, mail, payload = unit.context, unit.now, notification.mail, notification.payload
    mark = notification.mark
    if mail is not None:  # concealed, since the ids of mails would reveal how many mails others wrote
        mark = context.links.keys.digests(Purpose.TAG, str(mail.id).encode())[0].hex()[:MARK_LENGTH]
    seq, kind = game.seq, payload.kind
    if kind in (game_letters.YourTurn.kind, game_letters.Step.kind, game_letters.Reminder.kind):
        seq = game.after  # the server may have acted meanwhile
    elif kind == game_letters.Digest.kind:
        seq = 0
    what = f"{payload.message_mark or kind}{mark}"
    tag, domain = unit.act_tag_of(game.id, seq), context.settings.mail_domain
    due_at = reader.preferences.letter_due_at(now) if payload.waits(notification.seat) else now
    return {
        "message_id": make_message_id(game.id, seq, notification.seat, what, domain, tag),
        "game": game.id,
        "seq": seq,
        "seat": notification.seat,
        "kind": kind,
        "recipient": notification.recipient or reader.address,
        "detail": add_to_detail(encode_payload(payload), SentLetter(answered=notification.answered)),
        "answers": None if mail is None else mail.message_id,
        **outcome_of(reason),
        "tries": 0,
        "text": "",
        "queued_at": now,
        "due_at": max(due_at, now + notification.later),
    }


def release_merged(session: Session, letter: OutgoingLetter) -> None:
    """Queue again what was merged into `letter`, because this letter does not reach its recipient."""
    told = update(OutgoingLetter).where(col(OutgoingLetter.merged_into) == letter.id)
    session.execute(told.values(**outcome_of(None), merged_into=None))


def detach_letters(session: Session, seating: Seating) -> None:
    """Drop the waiting letters to the player of a seat, and detach all letters from the seat (`NO_SEAT`)."""
    letters = (
        update(OutgoingLetter)
        .where(col(OutgoingLetter.game) == seating.game, col(OutgoingLetter.seat) == seating.seat)
        .where(col(OutgoingLetter.kind).not_in(GAMELESS_KINDS))
    )
    unsent = letters.where(col(OutgoingLetter.state).in_(UNSENT_STATES))
    session.execute(unsent.values(**outcome_of(DropReason.OUTDATED), merged_into=None))
    session.execute(letters.values(seat=NO_SEAT))


def note_answered(session: Session, letter: OutgoingLetter, now: datetime) -> None:
    """Record that a letter was answered, so that its text is deleted soon. Does not commit."""
    same = update(OutgoingLetter).where(
        col(OutgoingLetter.id) == letter.id, col(OutgoingLetter.state) == LetterState.SENT
    )
    session.connection().execute(same.values(due_at=now + ANSWERED_WORDS_KEPT_FOR))


def has_changed_since_letter(context: Context, session: Session, game: Game, seat: int) -> bool:
    last = last_sent_at(session, game.id, seat)
    return last is None or datetime.fromisoformat(find_moment(context, session, game.id, game.after)) > last


def last_sent_at(session: Session, game: str, seat: int) -> datetime | None:
    sent = SELECT_LAST_SENT.where(OUTGOING_COLUMNS.game == game, OUTGOING_COLUMNS.seat == seat)
    found: datetime | None = session.connection().execute(sent).scalar()
    return found


@dataclass(slots=True)
class UnitOfWork:
    """A transaction in which all changes have one time; its letters are queued at the commit."""

    context: Context
    session: Session
    now: datetime
    origin: Origin = UNKNOWN
    _histories: dict[str, History] = field(default_factory=dict)
    _letters: list[tuple[Game, Iterable[Notification]]] = field(default_factory=list)
    _afterwards: list[Callable[[], None]] = field(default_factory=list)
    _began: float = field(default_factory=perf_counter)
    _moments: dict[MomentName, datetime] | None = None

    @property
    def moments(self) -> Mapping[MomentName, datetime]:
        """The stored times of outages and of the last restore of a backup, read once."""
        if self._moments is None:
            self._moments = read_moments(self.session, (*CLOCK_MOMENTS, MomentName.SET_BACK))
        return self._moments

    def act_tag_of(self, game: str, number: int) -> bytes:
        """Return an act's tag and the time at which a backup was restored, if ever, for Message-IDs.

        The time keeps Message-IDs unique, because a restored database assigns some row ids again.
        """
        own = self._histories.get(game)
        if own is not None and own.after == number and own.after_at:
            tag = make_act_tags(game, number, own.after_at, self.context.links.keys)[0]
        else:
            tag = act_tag_of(self.context, self.session, game, number)
        set_back = self.moments.get(MomentName.SET_BACK)
        return tag if set_back is None else tag + int(set_back.timestamp() * 1000).to_bytes(6)

    def history_of(self, game: Game) -> History:
        """Return a game's history, including the uncommitted acts of this unit."""
        kept = self._histories.get(game.id)
        return self.context.history_of(self.session, game) if kept is None else kept

    def add_act(self, game: str, history: History, seat: int | None, channel: Channel) -> None:
        """Keep a game's history after an act that this unit has recorded; count the act after the commit."""
        self._histories[game] = history
        count = self.context.events.note_act
        self.after_commit(lambda: count(game, history.seq, seat, channel, perf_counter() - self._began))

    def after_commit(self, work: Callable[[], None]) -> None:
        """Call `work` after the commit, but not if the unit is rolled back."""
        self._afterwards.append(work)

    def tell(self, game: Game, notifications: Iterable[Notification]) -> None:
        """Queue letters at the commit, after the letters given to `queue`."""
        self._letters.append((game, notifications))

    def queue(self, game: Game, notifications: Iterable[Notification]) -> None:
        """Queue letters now, ahead of letters given to `tell`; for answers and chat."""
        session, origin, now = self.session, self.origin, self.now
        if not (listed := list(notifications)):
            return
        present, rows = load_people(session, game.id), []
        for one in listed:
            if (reader := present.get(one.seat)) is None:
                continue
            is_mover, policy = game.seat == one.seat, one.payload.policy
            known = describe_situation(
                game.status, reader.preferences, is_mover=is_mover, is_pressing=one.pressing
            )
            reason = reason_to_drop(one.payload, Situation(**known))
            row = _build_row(self, game, one, reader, reason)
            if reason is None and (policy.unsolicited if one.asked is None else not one.asked):
                self.context.system.lock(session.connection(), LEDGER)
                reason = _spend_budget(session, row, origin, now)
                row |= outcome_of(reason)
                if reason in SPENT_BUDGETS:
                    limit = SPENT_BUDGETS[reason]
                    self.context.security.note(SecurityEvent.LIMIT_REACHED, origin.text, now, limit=limit)
            if reason is None or policy.recorded:
                rows.append(row)
        if rows:
            session.connection().execute(INSERT_LETTERS, rows)
        is_told_of_turn = any(
            one.seat == game.seat and one.payload.kind == game_letters.YourTurn.kind for one in listed
        )
        if game.seat is not None and is_told_of_turn and is_awaiting_letter(game):
            mover = present.get(game.seat)
            if mover is None or not mover.preferences.letters or mover.preferences.pace != Pace.AT_ONCE:
                begin_turn_clock(session, game.id, game.seat, game.turn, now)

    def commit(self) -> None:
        for game, notifications in self._letters:
            self.queue(game, notifications)
        self.context.system.announce(self.session.connection(), self.context.sender)
        self.session.commit()
        for name, history in self._histories.items():
            self.context.history_cache.put(name, history)
        self.context.wake()
        for work in self._afterwards:
            work()


class OthersActed(Refusal):
    """Each attempt failed, because another act changed the game first."""

    code = RefusalCode.STALE


Result = TypeVar("Result")
MOST_TRIES = 5


@contextmanager
def open_unit(
    context: Context, now: datetime, origin: Origin = UNKNOWN, game: str | None = None
) -> Iterator[UnitOfWork]:
    """Open a unit of work, rolled back unless committed. `game`: lock only this game; None: lock all."""
    with context.writing(game) as session:
        unit = UnitOfWork(context, session, now, origin)
        try:
            yield unit
        except BudgetSpent:
            context.security.note(SecurityEvent.LIMIT_REACHED, unit.origin.text, now, limit=Budget.ORIGIN)
            raise


def do_with_retries(
    context: Context, now: datetime, work: Callable[[UnitOfWork], Result], origin: Origin = UNKNOWN
) -> Result:
    """Run `work` in a unit of work and commit; repeat after a concurrent change.

    Returns the result of `work`. Raises its errors, and `OthersActed` after `MOST_TRIES` attempts.
    """
    for _ in range(MOST_TRIES):
        try:
            with open_unit(context, now, origin) as unit:
                done = work(unit)
                unit.commit()
        except StalePosition:
            continue
        return done
    raise OthersActed(gettext("Others acted at this moment. Please press once more."))


# --- mails to the operator ------------------------------------------------------------------------------

# Messages of the server, and mail to postmaster@ and abuse@, stored encrypted like all mail. Each matter is
# reported once a day and few mails are forwarded, so that neither a lasting fault nor a flood fills the
# operator's mailbox.

TOLD_EVERY = timedelta(days=1)
MOST_FORWARDED_A_DAY = 50
"""Maximum mails to postmaster@ and abuse@ that are forwarded within a day; further mails wait."""
MOST_WAITING = 500
"""Maximum waiting mails; above it, mails to postmaster@ and abuse@ are not stored."""
OFFICES = {"postmaster": OperatorMatter.TO_POSTMASTER, "abuse": OperatorMatter.TO_ABUSE}


def tell_operator(
    context: Context, session: Session, matter: OperatorMatter, words: str, now: datetime
) -> bool:
    """Queue a mail to the operator unless the matter was reported today; return whether queued. No commit."""
    if not needs_telling(context, session, matter, now):
        return False
    _store_operator_mail(context, session, matter, Mail(words.encode()), now)
    return True


def needs_telling(context: Context, session: Session, matter: OperatorMatter, now: datetime) -> bool:
    told = select(OperatorMail.id).where(OperatorMail.matter == matter, OperatorMail.at > now - TOLD_EVERY)
    return context.settings.operator is not None and session.exec(told).first() is None


def send_desk_link(context: Context, session: Session, words: str, now: datetime) -> None:
    _store_operator_mail(context, session, OperatorMatter.DESK_LINK, Mail(words.encode()), now)


def count_desk_links(session: Session, since: datetime) -> int:
    is_link = OperatorMail.matter == OperatorMatter.DESK_LINK
    return count_rows(session, OperatorMail, is_link, OperatorMail.at > since)


def forward_to_operator(context: Context, session: Session, mail: Mail, now: datetime) -> bool:
    """Queue a mail to postmaster@ or abuse@; return False if too many wait. Does not commit."""
    if count_rows(session, OperatorMail, OperatorMail.state == LetterState.WAITING) >= MOST_WAITING:
        return False
    _store_operator_mail(context, session, OFFICES[mail.envelope_to.partition("@")[0].lower()], mail, now)
    return True


def due_operator_mails(session: Session, most: int, now: datetime) -> list[int]:
    """Return the ids of the due mails to the operator, the server's own mails first."""
    forwarded = col(OperatorMail.matter).in_(FORWARDED)
    sent = OperatorMail.state == LetterState.SENT, OperatorMail.due_at > now - TOLD_EVERY
    room = max(0, MOST_FORWARDED_A_DAY - count_rows(session, OperatorMail, forwarded, *sent))
    number = col(OperatorMail.id)
    due = select(number).where(OperatorMail.state == LetterState.WAITING, OperatorMail.due_at <= now)
    due = due.order_by(number)
    told = session.exec(due.where(~forwarded).limit(most)).all()
    return [*told, *session.exec(due.where(forwarded).limit(min(room, most)))]


def _store_operator_mail(
    context: Context, session: Session, matter: OperatorMatter, mail: Mail, now: datetime
) -> None:
    raw = encrypt_mail(mail, context.links.keys)
    session.add(OperatorMail(matter=matter, raw=raw, at=now, due_at=now))
    session.flush()
