"""Claims: a lane reserves a due letter of the outbox before the letter is sent, merged or dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser
from email.policy import default
from hashlib import blake2b
from threading import get_ident
from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    union,
)
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.letters import game_letters
from emails.letters.declaration import KINDS, Situation
from emails.letters.parts import Pace
from emails.replies.parsed_mail import Mail
from emails.wording.requests import VoteKind
from server.delivery.composition import FinishedLetter, LetterNotWanted
from server.monitoring import RowFate, SecurityEvent, WorkTable
from server.outbox.budgets import (
    NAMES_ADDRESS,
    OPERATOR,
    Budget,
    busiest_origins,
    find_address_block,
    is_unsolicited,
    names_of_address,
    room_of_server,
    when_recipient_has_room,
)
from server.outbox.chat import PRESSING, has_unread
from server.outbox.notifications import (
    COMBINABLE_KINDS,
    DEFAULTS,
    KINDS_INCLUDING,
    KINDS_SENT_DESPITE_SUSPENSION,
    KINDS_SHOWING_GAME,
    SIGN_IN_LINK_VALID,
    DropReason,
    Preferences,
    decode_row,
    describe_situation,
    outcome_of,
    reason_to_drop,
)
from server.outbox.queue import (
    SentLetter,
    WaitingLetter,
    add_to_detail,
    choose_leading_letter,
    covers,
    forget_sending,
    last_sent_at,
    load_people,
    needs_telling,
    release_merged,
    tell_operator,
)
from server.reviews import REVIEW_TAKES, is_review_awaited
from server.store.context import Context
from server.store.encrypted import MailLocked, decrypt_bytes, encrypt_mail
from server.store.models import (
    AbsentSeat,
    AddressConfirmation,
    BouncingAddress,
    ChatMessage,
    Game,
    OfferedSeat,
    OperatorMail,
    OutgoingLetter,
    Player,
    PreparedLetter,
    Proposal,
    Resignation,
    Seating,
    SignInLink,
    UnsolicitedLetter,
    table_of,
)
from server.store.personal import Kept
from server.store.schedule import SEE_MESSAGES
from server.store.states import BlockOrigin, GameStatus, Hindrance, LetterState, OperatorMatter
from server.store.turn_clock import begin_turn_clock, rest_of
from server.turn_time import after_protected
from server.turns.play import hold_for_plan

BATCH_SIZE = 50
LETTERS_WAIT_WORDS = """\
{most} unsolicited letters were sent within 24 hours, and more are due. They wait until the limit permits:
the first letter of each origin leaves before the second of any. All other letters are sent.

Most frequent origins within 24 hours, each with the number of its letters:

{origins}
Ban a network with `alexandros ban NETWORK`; change the limit with ALEXANDROS_UNASKED_PER_DAY.
"""


SUSPENDED = select(Game.id).where(col(Game.suspended_at).is_not(None))  # few rows, and indexed
DESPITE_SUSPENSION = col(OutgoingLetter.kind).in_(KINDS_SENT_DESPITE_SUSPENSION)
MAY_LEAVE = and_(
    col(OutgoingLetter.state) == LetterState.WAITING,
    or_(DESPITE_SUSPENSION, col(OutgoingLetter.game).not_in(SUSPENDED)),
)
"""Condition that a letter waits, due or not, and its game is not suspended."""
UNASKED = exists().where(
    col(UnsolicitedLetter.message_id) == OutgoingLetter.message_id, col(UnsolicitedLetter.sent_at).is_(None)
)
"""Condition that a letter is unsolicited and no attempt to send it was counted."""


def is_due(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a letter of the outbox is due and may be sent."""
    return and_(MAY_LEAVE, col(OutgoingLetter.due_at) <= now)


def is_letter_in_hand(session: Session, unasked_per_day: int, now: datetime) -> bool:
    """Return whether any letter is due, or waits after a failed attempt to send it.

    Once the daily limit is reached, unsolicited letters are ignored unless an attempt was already counted.
    """
    in_hand = or_(col(OutgoingLetter.due_at) <= now, col(OutgoingLetter.tries) > 0)
    waiting = select(OutgoingLetter.id).where(MAY_LEAVE, in_hand)
    if room_of_server(session, unasked_per_day, now) == 0:
        waiting = waiting.where(~UNASKED)
    return session.exec(waiting.limit(1)).first() is not None


def find_due_letters(context: Context, session: Session, now: datetime, *, shared: bool) -> Iterator[int]:
    """Yield the ids of due letters that may be sent, in batches read when needed.

    `shared`: whether other processes send letters too.
    """
    asked, unasked = _due_asked_letters(session, now), due_unsolicited_letters(session, BATCH_SIZE + 1, now)
    if unasked:  # rarely; otherwise the budget need not be read
        room = room_of_server(session, context.settings.unasked_per_day, now)
        if len(unasked) > room:
            _tell_that_letters_wait(context, now)
        unasked = unasked[: min(BATCH_SIZE, room)]
    yield from _in_order(context, session, [*asked, *unasked], shared)
    while len(asked) == BATCH_SIZE:
        with context.reading() as later:
            asked = _due_asked_letters(later, now, asked[-1])
            ordered = _in_order(context, later, asked, shared)
        yield from ordered


def _in_order(context: Context, session: Session, numbers: list[int], shared: bool) -> list[int]:
    if not shared:
        return sorted(numbers)
    # Writers to one game wait for each other, so each lane begins with different games.
    lane = f"{context.sender} {get_ident()}"
    chosen = select(OutgoingLetter.id, OutgoingLetter.game).where(col(OutgoingLetter.id).in_(numbers))
    places = {one: blake2b(f"{lane} {game}".encode()).digest() for one, game in session.exec(chosen)}
    return sorted((one for one in numbers if one in places), key=lambda one: (places[one], one))


def due_unsolicited_letters(session: Session, most: int, now: datetime) -> list[int]:
    """Return ids of due unsolicited letters: the first of each origin, then the second of each, and so on.

    In each such round, origins with fewer letters come first. Letters that an origin caused to be sent
    in the last 31 days take up its first rounds.
    """
    ledger, letters = UnsolicitedLetter, OutgoingLetter
    if session.exec(select(letters.id).where(is_due(now), UNASKED).limit(1)).first() is None:
        return []  # the usual case, with no letters to rank
    one_origin = func.count().over(partition_by=col(ledger.origin))
    rank = func.row_number().over(partition_by=col(ledger.origin), order_by=col(ledger.id))
    has_left = select(ledger.id).where(col(ledger.sent_at) > now - Kept.UNSOLICITED.period)
    waits = select(ledger.id).join(letters, col(letters.message_id) == ledger.message_id)
    known: CompoundSelect[Any] = union(has_left, waits.where(letters.state == LetterState.WAITING))
    ranked = select(col(ledger.message_id), rank.label("rank"), one_origin.label("caused"))
    counted = ranked.where(col(ledger.id).in_(known)).subquery()
    waiting = select(letters.id).join(counted, counted.c.message_id == letters.message_id).where(is_due(now))
    order = (counted.c.rank, counted.c.caused, col(letters.id))
    return [found for found in session.exec(waiting.order_by(*order).limit(most)) if found is not None]


def _due_asked_letters(session: Session, now: datetime, after: int | None = None) -> list[int]:
    due_at, number = col(OutgoingLetter.due_at), col(OutgoingLetter.id)
    chosen = select(OutgoingLetter.id).where(is_due(now), ~UNASKED).order_by(due_at, number)
    if after is not None:
        # Compared in SQL: to load an unreadable due time would be an error for all letters.
        last = select(OutgoingLetter.due_at).where(OutgoingLetter.id == after).scalar_subquery()
        chosen = chosen.where(or_(due_at > last, and_(due_at == last, number > after)))
    return [found for found in session.exec(chosen.limit(BATCH_SIZE)) if found is not None]


def _tell_that_letters_wait(context: Context, now: datetime) -> None:
    context.security.note(SecurityEvent.LIMIT_REACHED, OPERATOR.text, now, limit=Budget.SERVER)
    with context.reading() as session:
        if not needs_telling(context, session, OperatorMatter.LETTERS_WAIT, now):
            return
        origins = busiest_origins(session, now)
    listed = "".join(f"  {count:5}  {origin or 'unknown'}\n" for origin, count in origins)
    words = LETTERS_WAIT_WORDS.format(most=context.settings.unasked_per_day, origins=listed)
    with context.writing() as session:
        tell_operator(context, session, OperatorMatter.LETTERS_WAIT, words, now)
        session.commit()


NUDGE_WAITS = timedelta(hours=12)  # longer than a night; the nudging player is told this time
SEATINGS, FAILING = table_of(Seating).c, table_of(BouncingAddress).c
RESIGNED, ABSENT = table_of(Resignation).c, table_of(AbsentSeat).c
LETTERS = table_of(OutgoingLetter).c
GAME: BindParameter[str] = bindparam("of")
READER: BindParameter[int] = bindparam("reader")
SELECT_MARKS = plain_select(
    exists()
    .where(SEATINGS.game == GAME, SEATINGS.seat == READER, FAILING.player == SEATINGS.player)
    .where(FAILING.address == bindparam("at"), FAILING.ended_at.is_(None)),
    exists().where(RESIGNED.game == GAME, RESIGNED.seat == READER),
    exists().where(ABSENT.game == GAME, ABSENT.seat == READER),
    exists().where(
        LETTERS.game == GAME,
        LETTERS.seat == READER,
        LETTERS.state == LetterState.SENT,
        LETTERS.kind.in_(bindparam("kinds", expanding=True)),
        LETTERS.id > bindparam("after"),
    ),
    exists().where(NAMES_ADDRESS),
)
"""Whether mail to the recipient is returned; whether the seat's player resigned or is absent; whether a later
letter has contained the letter; whether a block applies to the address."""


@dataclass(kw_only=True)
class LoadedSituation(Situation):
    """Situation of a due letter, with all facts that decide whether it is relevant."""

    context: Context
    session: Session
    game: Game
    row: OutgoingLetter
    seating: Seating | None
    now: datetime

    def has_accepted(self) -> bool:
        return self.seating is not None and self.seating.accepted_at is not None

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
    now: datetime,
) -> LoadedSituation:
    """Load the facts that decide whether a letter is relevant."""
    given = {"of": row.game, "reader": row.seat, "at": row.recipient.lower(), "after": row.id or 0}
    given |= names_of_address(row.recipient) | {"kinds": KINDS_INCLUDING[row.kind]}
    found = session.connection().execute(SELECT_MARKS, given).one()
    bouncing, resigned, is_absent, is_shown_since, blocked = map(bool, found)
    seating, is_mover = session.get(Seating, (game.id, row.seat)), game.seat == row.seat
    has_seat_changed = seating is None or seating.player is None
    if not has_seat_changed and game.status == GameStatus.OPEN:
        has_seat_changed = row.seq < context.history_of(session, game).player_since(row.seat)
    pressing = col(ChatMessage.addressee) == row.seat, col(ChatMessage.announcement).in_(PRESSING)
    is_message = row.kind == game_letters.Message.kind
    is_pressing = is_message and has_unread(session, row.game, row.seat, *pressing)
    return LoadedSituation(
        **describe_situation(game.status, preferences, is_mover=is_mover, is_pressing=is_pressing),
        has_unread=has_unread(session, row.game, row.seat),
        is_turn_over=game.after != row.seq or (is_mover and is_absent),
        is_absent=is_absent,
        is_blocked=blocked and is_blocked(session, row),
        is_bouncing=bouncing,
        has_resigned=resigned,
        has_seat_changed=has_seat_changed,
        is_shown_since=is_shown_since,  # for example while the relay was unavailable
        context=context,
        session=session,
        game=game,
        row=row,
        seating=seating,
        now=now,
    )


def is_blocked(session: Session, row: OutgoingLetter) -> bool:
    """Return whether a block keeps a letter from its address.

    The operator's block stops all letters. The recipient's own block stops unsolicited letters and, if the
    recipient never confirmed the address, all except answers to mails.
    """
    origin = find_address_block(session, row.recipient)
    if origin is not BlockOrigin.READER:
        return origin is BlockOrigin.OPERATOR
    if is_unsolicited(session, row.message_id):
        return True
    confirmed = select(Player.confirmed_at).join(Seating, col(Seating.player) == Player.id)
    confirmed = confirmed.where(Seating.game == row.game, Seating.seat == row.seat)
    return not KINDS[row.kind].policy.answers_mail and session.exec(confirmed).first() is None


Claimed = TypeVar("Claimed", OutgoingLetter, OperatorMail)


class LetterTaken(Exception):
    """Another lane has claimed the letter, since this lane did not renew the claim in time."""


def is_held(letter: Claimed, row: Claimed) -> bool:
    """Return whether the claim of `row` still holds: `letter`, read anew, waits and was not claimed again."""
    return (letter.state, letter.tries) == (LetterState.WAITING, row.tries)


def keep_prepared_letter(context: Context, row: OutgoingLetter, mail: FinishedLetter, now: datetime) -> None:
    """Store a finished letter before it is sent.

    Raises `LetterNotWanted` if its recipient was deleted meanwhile, and `LetterTaken` if the claim is lost.
    """
    raw = encrypt_mail(Mail(mail.raw, mail.sender, row.recipient), context.links.keys)
    given = {"letter": row.id, "numbers": json.dumps(dict(mail.choices)), "raw": raw, "at": now}
    with context.writing(row.game) as session:
        letter = session.get(OutgoingLetter, row.id)
        if letter is None or not letter.recipient:
            raise LetterNotWanted(DropReason.OUTDATED)
        if not is_held(letter, row):
            raise LetterTaken
        note_writing(letter, mail)
        kept = given | {"text": mail.text, "heard": mail.heard}
        session.connection().execute(insert(PreparedLetter), kept)  # the letter has no prepared row yet
        session.commit()


def note_writing(letter: OutgoingLetter, mail: FinishedLetter) -> None:
    """Store a finished letter's text, subject and labelled choices; delete the data of an earlier attempt."""
    letter.text = mail.text
    letter.detail = add_to_detail(forget_sending(letter.detail), SentLetter(mail.choices, mail.subject))


@dataclass(frozen=True, slots=True)
class ClaimedLetter:
    row: OutgoingLetter
    seq: int | None  # last act at the claim; None: not needed for a prepared letter
    prepared: PreparedLetter | None = None
    """The finished letter of an earlier attempt, which the relay may have received; sent unchanged."""


def open_prepared_letter(
    context: Context, row: OutgoingLetter, found: PreparedLetter
) -> FinishedLetter | None:
    """Return the finished letter of an earlier attempt; None if the letter is unusable.

    The letter is unusable if the recipient's address has changed, or if no secret of the server decrypts it.
    """
    try:
        kept = decrypt_bytes(found.raw, context.links.keys)
        if kept.envelope_to == row.recipient:
            subject = BytesHeaderParser(policy=default).parsebytes(kept.raw)["Subject"]
            return FinishedLetter(
                kept.envelope_from, kept.raw, found.text, found.heard, json.loads(found.numbers), str(subject)
            )
    except MailLocked:
        pass
    with context.writing(row.game) as session:
        discard_prepared_letters(session, [row.id])
        session.commit()
    return None


def discard_prepared_letters(session: Session, numbers: Sequence[int | None]) -> None:
    """Delete the finished letters with the ids `numbers`, and their texts unless sent. Does not commit."""
    if not numbers:
        return
    session.execute(delete(PreparedLetter).where(col(PreparedLetter.letter).in_(numbers)))
    chosen = select(OutgoingLetter).where(col(OutgoingLetter.id).in_(numbers))
    written = chosen.where(OutgoingLetter.state != LetterState.SENT, OutgoingLetter.text != "")
    for letter in session.exec(written):
        letter.text, letter.detail = "", forget_sending(letter.detail)


def start_clock_on_send(session: Session, letter: OutgoingLetter, at: datetime) -> None:
    """Start the current turn's clock if `letter` announces that turn. Does not commit.

    The caller has sent the letter, or given it up. A letter announces the turn if it shows the game and was
    queued after the turn began. It also announces the turn if such a letter was merged into it.
    """
    game = session.get(Game, letter.game)
    if game is None or game.seat != letter.seat or game.turn_began_at is not None:
        return
    since = (col(OutgoingLetter.seq) >= game.after, col(OutgoingLetter.kind).in_(KINDS_SHOWING_GAME))
    of_turn = select(OutgoingLetter.id).where(*since)
    itself_or_merged = (col(OutgoingLetter.id) == letter.id) | (col(OutgoingLetter.merged_into) == letter.id)
    if session.exec(of_turn.where(itself_or_merged).limit(1)).first() is not None:
        begin_turn_clock(session, game.id, letter.seat, game.turn, at)


CLAIM_LASTS = timedelta(seconds=60)
CLAIM_RENEWED_AFTER = CLAIM_LASTS / 3
CANNOT_BE_WRITTEN = f"it could not be rendered{SEE_MESSAGES}"


def claim_letter(context: Context, row: OutgoingLetter, now: datetime) -> ClaimedLetter | None:
    """Claim the due letter `row`, or the letter into which it is merged; None if nothing can be sent now.

    An earlier attempt may have sent one of the letters to be merged. Then only that letter is claimed, and
    its finished form is sent unchanged.
    """
    with context.writing(row.game) as session:
        game = session.get_one(Game, row.game)
        chosen = select(OutgoingLetter).where(OutgoingLetter.state == LetterState.WAITING)
        if row.kind in COMBINABLE_KINDS:
            chosen = chosen.where(OutgoingLetter.game == row.game, OutgoingLetter.seat == row.seat)
            chosen = chosen.where(col(OutgoingLetter.kind).in_(COMBINABLE_KINDS))
            unclaimed = or_(col(OutgoingLetter.due_at) <= now, col(OutgoingLetter.tries) == 0)
            chosen = chosen.where(unclaimed).order_by(col(OutgoingLetter.id))
        else:
            chosen = chosen.where(OutgoingLetter.id == row.id, OutgoingLetter.due_at <= now)
        waiting = list(session.exec(chosen))
        finished = select(PreparedLetter).where(col(PreparedLetter.letter).in_([one.id for one in waiting]))
        prepared: dict[int | None, PreparedLetter] = {one.letter: one for one in session.exec(finished)}
        claimed = next((one for one in waiting if one.id in prepared), None)
        is_begun = claimed is not None and not is_blocked(session, claimed)
        if not is_begun:
            claimed = _choose_letter(context, session, game, row, waiting, now)
        if claimed is not None:
            claimed.due_at, claimed.tries = now + CLAIM_LASTS, claimed.tries + 1
            claimed.sqlmodel_update(outcome_of(None))
        seq = None if is_begun else game.seq
        session.commit()
    for settled in waiting:
        if settled.state != LetterState.WAITING:
            number, kind, state = settled.id or 0, settled.kind, settled.state
            context.events.note_letter(number, settled.game, kind, state, 0.0, now - settled.queued_at)
    return None if claimed is None else ClaimedLetter(claimed, seq, prepared.get(claimed.id))


def _choose_letter(
    context: Context,
    session: Session,
    game: Game,
    row: OutgoingLetter,
    waiting: Sequence[OutgoingLetter],
    now: datetime,
) -> OutgoingLetter | None:
    """Drop, delay and merge the waiting letters of a seat; return the letter to send now, if any."""
    reader = load_people(session, row.game).get(row.seat)
    preferences = DEFAULTS if reader is None else reader.preferences
    needed = _drop_unwanted(context, session, game, waiting, preferences, now)
    discard_prepared_letters(session, [one.id for one in waiting if one.state != LetterState.WAITING])
    _hold_for_review(session, needed, now)
    if (held := hold_for_plan(context, session, needed, now)) is not None:
        start_clock_on_send(session, held.row, now)  # as if the letter was sent, to hide that it waits
    due = [one for one in needed if one.row.due_at <= now]
    until = when_recipient_has_room(session, row.message_id)
    may_wait = all(one.payload.waits(row.seat) and one.row.kind in COMBINABLE_KINDS for one in due)
    if preferences.pace == Pace.GATHERED and may_wait:
        last = last_sent_at(session, row.game, row.seat)
        until = until if last is None else last + timedelta(minutes=preferences.minutes)
    if until is not None and until > now:
        for one in due:
            one.row.due_at = until
        return None
    if not due:
        return None
    letter = choose_leading_letter(due)
    for one in needed:
        if covers(letter, one):
            one.row.sqlmodel_update(outcome_of(DropReason.TOLD_ELSEWHERE))
            one.row.merged_into = letter.row.id
    return letter.row


def _hold_for_review(session: Session, letters: Sequence[WaitingLetter], now: datetime) -> None:
    """Postpone the due letters that a game-over letter will replace after the review. Does not commit."""
    last = next((one for one in letters if one.row.kind == game_letters.GameOver.kind), None)
    if last is None or not now < last.row.due_at <= now + REVIEW_TAKES:
        return
    if is_review_awaited(session, last.row.game):
        for one in letters:
            if one.row.due_at <= now and (one.is_needless or covers(last, one)):
                one.row.due_at = last.row.due_at


def _drop_unwanted(
    context: Context,
    session: Session,
    game: Game,
    waiting: Sequence[OutgoingLetter],
    preferences: Preferences,
    now: datetime,
) -> list[WaitingLetter]:
    found = []
    for row in waiting:
        try:
            payload = decode_row(row)
        except ValueError:
            context.events.note_failed_row(WorkTable.OUTGOING, row.id or 0, RowFate.SET_ASIDE)
            row.state, row.why, row.hindrance = LetterState.FAILED, CANNOT_BE_WRITTEN, Hindrance.SET_ASIDE
            start_clock_on_send(session, row, now)
            release_merged(session, row)
            continue
        situation = load_situation(context, session, game, row, preferences, now)
        reason = reason_to_drop(payload, situation)
        if reason is None:
            found.append(WaitingLetter(row, payload))
        else:
            row.sqlmodel_update(outcome_of(reason))
            start_clock_on_send(session, row, now)
            release_merged(session, row)
    return found


def renew_claim(context: Context, row: Claimed) -> None:
    """Extend the claim on a letter that takes long to send, unless the claim has ended."""
    with context.writing(getattr(row, "game", None)) as session:  # a mail to the operator has no game
        letter = session.get(type(row), row.id)
        if letter is not None and is_held(letter, row):
            letter.due_at += CLAIM_RENEWED_AFTER
            session.commit()


def put_back(context: Context, row: OutgoingLetter, why: str, due: datetime, *, as_written: bool) -> None:
    """Release the claim on an unsent letter; the attempt does not count, and the next one is at `due`.

    `why`: reason for the operator. `as_written`: keep the finished letter, since the relay may have it.
    """
    with context.writing(row.game) as session:
        letter = session.get_one(OutgoingLetter, row.id)
        letter.tries, letter.due_at, letter.why = row.tries - 1, due, why
        if not as_written:
            discard_prepared_letters(session, [row.id])
        session.commit()
