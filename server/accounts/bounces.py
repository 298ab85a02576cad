"""Bouncing addresses: marked and cleared, with the clocks of their seats paused meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import func
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from emails.picture.palette import clean_name
from emails.replies.bounces import RefusalCause, judge_refusal
from emails.tokens import mask_tokens
from server.accounts.address_change import void_due_move
from server.mail_addresses import is_same_mailbox, normalise_address
from server.monitoring.server_events import RowFate, WorkTable
from server.outbox import chat
from server.outbox.letter_kinds import ADDRESS_KINDS, GAMELESS_KINDS, UNASKED_KINDS
from server.outbox.notifications import Notification
from server.outbox.operator_mail import tell_operator
from server.outbox.preferences import find_letter_player, load_preferences
from server.outbox.queue import (
    LETTERS_KEPT_FOR,
    UnitOfWork,
    last_sent_at,
    open_unit,
    queue_letters,
    release_told,
)
from server.store.context import Context
from server.store.event_log import History, append
from server.store.facts.game_agreements import ClockPause
from server.store.facts.server_facts import ClockResumed, ClockStopped
from server.store.models import (
    BouncingAddress,
    ChatMessage,
    Game,
    OutgoingLetter,
    Player,
    ReadMarker,
    Resignation,
    Seating,
)
from server.store.projection import project_history
from server.store.schedule import AT_ONCE, marked_players_due, put_off_marks, read_alone
from server.store.states import Announcement, Channel, GameStatus, Hindrance, LetterState, OperatorMatter
from server.store.stored_availability import unavailable_spans_of
from server.store.turn_clock import LETTER_ON_ITS_WAY, counted_until

LONGEST_CLOCK_PAUSE = timedelta(days=14)
"""How long the clock of a seat stands still at most."""
LONGEST_REPORTED_PAUSE = timedelta(days=1)
"""How long at most where only a mail says that letters come back."""


def find_bounce_mark(session: Session, player: int) -> BouncingAddress | None:
    """The mark of the address that a player uses; None where letters do not come back."""
    used = select(func.lower(Player.address)).where(Player.id == player).scalar_subquery()
    chosen = select(BouncingAddress).where(BouncingAddress.player == player, BouncingAddress.address == used)
    return session.exec(chosen.where(col(BouncingAddress.ended_at).is_(None))).first()


def is_refused(session: Session, player: int) -> bool:
    """Whether the relay itself was refused letters to the address in use, which nobody can forge."""
    mark = find_bounce_mark(session, player)
    return mark is not None and not mark.reported


def update_clocks(unit: UnitOfWork, player: Player) -> dict[str, History]:
    """Stop or start the clock of each seat of a player as their address is now.

    The others are told, and whose turn it is when their clock goes on gets the letter of their turn again.
    Gives the histories of the games they play.
    """
    context, session, now = unit.context, unit.session, unit.now
    mark = find_bounce_mark(session, player.id)
    histories: dict[str, History] = {}
    for seating, game in running_seats_of(session, player.id):
        history = unit.history_of(game)
        if game.suspended_at is not None:  # no clock runs there; this is done when it goes on
            histories[game.id] = history
            continue
        until = _pause_end(mark, history.clock_pauses.get(seating.seat))
        stop = _should_pause_clock(session, until, seating, now)
        if stop != history.is_clock_paused(seating.seat):
            since = _undelivered_since(session, game, history, seating.seat, now) if stop else None
            board = context.board_of(game)
            history = append(
                session,
                game.id,
                board,
                history,
                at=now,
                seat=None,
                door=Channel.SERVER,
                said="",
                facts=[ClockStopped(seating.seat, since) if stop else ClockResumed(seating.seat)],
            )
            counted = counted_until(session, game, now)
            project_history(game, history, now, unavailable_spans_of(session, game.id, game.seat), counted)
            unit.keep_history(game.id, history)
            unit.note_act(game.id, history.seq, None, Channel.SERVER)
            if what := _choose_announcement(game, stop, mark, until, now):
                chat.announce(context, session, game, seating.seat, what, now)
            if not stop and game.seat == seating.seat:
                queue_letters(context, session, game, [repeated_turn_notification(seating.seat, now)], now)
        histories[game.id] = history
    return histories


def _undelivered_since(
    session: Session, game: Game, history: History, seat: int, now: datetime
) -> datetime | None:
    """When the first letter of the turn of now left that came back later; None where none did.

    A report comes hours later, where a mail server has tried for so long, and until then time ran. No more is
    given back than such a report may stop a clock for, and nothing that was not counted anyway.
    """
    began, halt = game.turn_began_at, history.last_halt(seat)
    if game.seat != seat or began is None or game.deadline is None:
        return None
    letters = select(func.min(OutgoingLetter.sent_at)).where(
        OutgoingLetter.game == game.id,
        OutgoingLetter.seat == seat,
        OutgoingLetter.state == LetterState.FAILED,
        OutgoingLetter.hindrance == Hindrance.CAME_BACK,
        col(OutgoingLetter.kind).not_in(GAMELESS_KINDS),  # an address that somebody only typed is no reader's
        col(OutgoingLetter.sent_at) >= began - LETTER_ON_ITS_WAY,
    )
    left = session.exec(letters).one()
    if left is None:
        return None
    counted = [began, now - LONGEST_REPORTED_PAUSE, *([halt.ended] if halt and halt.ended else [])]
    return max(left, *counted)


def _choose_announcement(
    game: Game, stop: bool, mark: BouncingAddress | None, until: datetime | None, now: datetime
) -> Announcement | None:
    """What the others are told of a clock that stands still or goes on; None where they know why."""
    reported = mark is not None and mark.reported
    if stop and not game.turn_minutes:
        return Announcement.MAIL_BOUNCED_UNTIMED
    if stop:
        return Announcement.BOUNCE_REPORTED if reported else Announcement.MAIL_BOUNCED
    if until is None:
        return Announcement.MAIL_ARRIVES if game.turn_minutes else Announcement.MAIL_ARRIVES_UNTIMED
    if game.turn_minutes and now >= until:
        return Announcement.REPORTED_PAUSE_ENDED if reported else Announcement.CLOCK_PAUSE_ENDED
    return None  # they want no letters any more, or have given up, and the others know


def repeated_turn_notification(seat: int, now: datetime) -> Notification:
    """The letter of a turn once more; asked for twice in one moment it is one."""
    return Notification(seat, LetterKind.YOUR_TURN, mark=f"again{now.timestamp():.0f}")


def running_seats_of(session: Session, player: int) -> list[tuple[Seating, Game]]:
    """The seats of a player in games that are played."""
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    found = session.exec(playing.where(Seating.player == player, Game.status == GameStatus.RUNNING))
    return [(seating, game) for seating, game in found]


def _longest_pause(mark: BouncingAddress) -> timedelta:
    return LONGEST_REPORTED_PAUSE if mark.reported else LONGEST_CLOCK_PAUSE


def _pause_end(mark: BouncingAddress | None, pause: ClockPause | None) -> datetime | None:
    """Until when a mark stops the clock of a seat, whose last pause this is; None without a mark."""
    if mark is None:
        return None
    if not mark.reported or pause is None:
        return mark.since + _longest_pause(mark)
    if pause.ended is not None:
        return pause.ended  # whoever forges one report could forge another
    return min(mark.since, pause.began) + _longest_pause(mark)


def is_pause_known_over(history: History, seat: int, mark: BouncingAddress, now: datetime) -> bool:
    """Whether the others have heard that nobody waits any more for a seat that a mark had stopped."""
    pause = history.clock_pauses.get(seat)
    ended = None if pause is None else pause.ended
    return ended is not None and ended > mark.since and now >= mark.since + _longest_pause(mark)


def _should_pause_clock(session: Session, until: datetime | None, seating: Seating, now: datetime) -> bool:
    """Whether the clock of a seat is to stand still; not for whoever wants no letters or has given up."""
    if until is None or now >= until or seating.player is None:
        return False
    if session.get(Resignation, (seating.game, seating.seat)) is not None:
        return False
    return load_preferences(session, seating.player, seating.game).letters


def needs_clock_update(context: Context, session: Session, player: int, now: datetime) -> bool:
    """Whether the clock of some seat of a player is to be stopped or started."""
    mark = find_bounce_mark(session, player)
    for seating, game in running_seats_of(session, player):
        if game.suspended_at is not None:
            continue
        history = context.history_of(session, game)
        until = _pause_end(mark, history.clock_pauses.get(seating.seat))
        if _should_pause_clock(session, until, seating, now) != history.is_clock_paused(seating.seat):
            return True
    return False


LOG = logging.getLogger(__name__)
PROVEN_AFTER = timedelta(days=3)
"""A letter that has not come back after so long has arrived. An address that fails again within
this time was never good: the pause of its clock is counted from the first failure."""
LONGEST_REASON = 200
CAME_BACK = "it came back: "
"""How the reason of a letter begins, in words, that has failed as a mail reports."""
OUR_FAULT = "our fault: "
"""How the reason begins where the fault is this server's."""
MOST_READERS_REFUSED = 3
"""Readers whose letters are refused, in a row or within an hour, before that is our own fault."""
RETURNED_TOGETHER = timedelta(hours=1)
SENT_AGAIN_AFTER = timedelta(minutes=30)
"""Shorter than the hour, so that a fault that lasts is still seen to be that of several readers."""
SENT_AGAIN_FOR = timedelta(days=5)
"""How long the letter of a turn is sent again, counted from when the turn began."""
OUR_FAULT_WORDS = """\
Letters come back for a fault of this server or its network, and not of their readers, the last one with
these words:

{reason}

No address is marked and no clock is stopped. The letter of a turn is sent again every half hour.
`alexandros check` looks whether the domain has SPF, DKIM and DMARC; look at the name of the sending address
and at block lists too.
"""
KINDS_ANSWERING_PEOPLE = (LetterKind.ANSWER, LetterKind.ACCEPTED, LetterKind.SHOWN)
"""Letters that answer a mail which came from the player's own address."""


# --- what marks and what clears -------------------------------------------------------------------------


def record_bounce(unit: UnitOfWork, letter: OutgoingLetter, why: str, *, reported: bool) -> str:
    """A letter has failed for good, as a mail reports or the relay itself says; gives a sentence for the log.

    Nothing changes for its reader unless it went to the address that they use, they were not heard of since,
    and the fault is theirs.
    """
    session, now, why = unit.session, unit.now, mask_tokens(why)
    sent_at = letter.sent_at or now
    letter.state, letter.why = LetterState.FAILED, (CAME_BACK + why if reported else why)[:LONGEST_REASON]
    letter.hindrance, letter.due_at = Hindrance.CAME_BACK if reported else Hindrance.NONE, now
    release_told(session, letter)
    _rewind_read_marker(session, letter)
    is_ours = reported and _note_own_fault(unit, letter, why)
    player = find_letter_player(session, letter)
    if letter.kind in ADDRESS_KINDS:
        return "A letter came back from an address that was only asked or told something."
    if player is None or player.address.lower() != letter.recipient.lower():
        return "A letter came back from an address that is not used any more."
    if _was_heard_since(session, player, letter, sent_at):
        return "A letter came back, but its reader was heard of since it was sent."
    if is_ours:
        _send_turn_again(unit, letter)
        return f"A letter came back for a fault of ours: {why}"
    if not _mark_address(session, player, letter.recipient, why, reported, now):
        return "A letter came back again."
    update_clocks(unit, player)
    return f"A letter came back: {why}"


def _note_own_fault(unit: UnitOfWork, letter: OutgoingLetter, why: str) -> bool:
    """Whether a letter came back for a fault of ours; then the operator is told.

    Marks that came of the same fault within the hour are cleared.
    """
    session, now = unit.session, unit.now
    if letter.kind in (*ADDRESS_KINDS, *UNASKED_KINDS):
        return False  # at an address that somebody typed, who may choose what it answers
    session.flush()
    returned = select(OutgoingLetter.id, OutgoingLetter.recipient).where(
        OutgoingLetter.state == LetterState.FAILED,
        col(OutgoingLetter.due_at) > now - RETURNED_TOGETHER,
        col(OutgoingLetter.hindrance).in_((Hindrance.CAME_BACK, Hindrance.OUR_FAULT)),
        col(OutgoingLetter.kind).not_in((*ADDRESS_KINDS, *UNASKED_KINDS)),  # addresses that somebody typed
    )
    found = session.exec(returned).all()
    together = [number for number, _ in found]
    if len({normalise_address(recipient) for _, recipient in found}) < MOST_READERS_REFUSED:
        if judge_refusal(why) != RefusalCause.SENDER:
            return False
        together = [letter.id]
    for number in together:
        one = read_alone(f"letter {number}", partial(session.get, OutgoingLetter, number))
        if one is None or one.hindrance != Hindrance.CAME_BACK:
            continue
        one.hindrance, one.why = Hindrance.OUR_FAULT, OUR_FAULT + one.why.removeprefix(CAME_BACK)
        player = find_letter_player(session, one)
        mark = player and session.get(BouncingAddress, (player.id, one.recipient.lower()))
        if player and mark and mark.reported and mark.since > now - RETURNED_TOGETHER:
            clear_bounce(unit, player, mark.address)
    LOG.warning("letter %s came back for a fault of ours: `alexandros doctor` tells the reason", letter.id)
    words = OUR_FAULT_WORDS.format(reason=why)
    tell_operator(unit.context, session, OperatorMatter.LETTERS_REFUSED, words, now)
    return True


def _send_turn_again(unit: UnitOfWork, letter: OutgoingLetter) -> None:
    """Queue the letter of a turn once more that has not passed, for when the fault may be mended."""
    game = unit.session.get_one(Game, letter.game)
    began = game.turn_began_at or unit.now
    if letter.kind == LetterKind.YOUR_TURN and game.seat == letter.seat and unit.now - began < SENT_AGAIN_FOR:
        again = repeated_turn_notification(letter.seat, unit.now)
        unit.queue(game, [replace(again, later=SENT_AGAIN_AFTER)])


def has_own_fault(session: Session, now: datetime) -> bool:
    """Whether a letter came back within the hour for a fault of ours."""
    returned = select(OutgoingLetter.id).where(
        OutgoingLetter.state == LetterState.FAILED,
        col(OutgoingLetter.due_at) > now - RETURNED_TOGETHER,
        OutgoingLetter.hindrance == Hindrance.OUR_FAULT,
    )
    return session.exec(returned.limit(1)).first() is not None


def clear_bounce(unit: UnitOfWork, player: Player, address: str) -> bool:
    """An address of a player is good after all; whether it was marked."""
    context, session, now = unit.context, unit.session, unit.now
    found = session.get(BouncingAddress, (player.id, address.lower()))
    if found is None or found.ended_at is not None:
        return False
    found.ended_at, found.due_at = now, None
    if player.address.lower() == found.address:
        void_due_move(session, player, now)
    session.flush()
    histories = update_clocks(unit, player)
    for seating, game in (
        running_seats_of(session, found.player) if player.address.lower() == found.address else ()
    ):
        if game.seat == seating.seat:
            queue_letters(context, session, game, [repeated_turn_notification(seating.seat, now)], now)
        if is_pause_known_over(histories[game.id], seating.seat, found, now):
            chat.announce(context, session, game, seating.seat, Announcement.MAIL_ARRIVES_UNTIMED, now)
    return True


def record_delivery(unit: UnitOfWork, letter: OutgoingLetter) -> bool:
    """A letter has arrived, a mail server says; whether that was news."""
    player = find_letter_player(unit.session, letter)
    known = (
        None if player is None else unit.session.get(BouncingAddress, (player.id, letter.recipient.lower()))
    )
    if player is None or known is None or (letter.sent_at or known.since) <= known.since:
        return False
    return clear_bounce(unit, player, letter.recipient)


def clear_bounces_of_senders(unit: UnitOfWork, game: str, seat: int, senders: Collection[str]) -> bool:
    """Clear the bounces of addresses that wrote with a good ticket; whether there were any."""
    failing = _find_bouncing_addresses(unit.session, game, seat, senders)
    for address in failing:
        player = unit.session.get_one(Seating, (game, seat)).player
        clear_bounce(unit, unit.session.get_one(Player, player), address)
    return bool(failing)


def _find_bouncing_addresses(session: Session, game: str, seat: int, senders: Collection[str]) -> list[str]:
    """Which addresses of the player of a seat are marked as failing, and lead to one of these mailboxes."""
    seated = (col(Seating.player) == BouncingAddress.player, Seating.game == game, Seating.seat == seat)
    marked = select(BouncingAddress.address).where(*seated, col(BouncingAddress.ended_at).is_(None))
    return [one for one in session.exec(marked) if any(is_same_mailbox(one, sender) for sender in senders)]


def clear_bounce_of_seat(unit: UnitOfWork, game: str, seat: int) -> bool:
    """The player of a seat says that their address is good; whether it was marked."""
    seating = unit.session.get(Seating, (game, seat))
    if seating is None or seating.player is None:
        return False
    player = unit.session.get_one(Player, seating.player)
    return clear_bounce(unit, player, player.address)


def _mark_address(
    session: Session, player: Player, address: str, why: str, reported: bool, now: datetime
) -> bool:
    """Mark an address; whether that is new, or said by the relay of what was only reported."""
    found = session.get(BouncingAddress, (player.id, address.lower()))
    if found is None:
        found = BouncingAddress(player=player.id, address=address.lower(), since=now)
        session.add(found)
    elif found.ended_at is None and (reported or not found.reported):
        return False
    elif found.ended_at is not None and now - found.ended_at >= PROVEN_AFTER:
        found.since = now
    found.why, found.reported, found.ended_at = why[:LONGEST_REASON], reported, None
    found.due_at = AT_ONCE
    session.flush()
    return True


def _was_heard_since(session: Session, player: Player, letter: OutgoingLetter, sent_at: datetime) -> bool:
    """Whether a sign of life came from an address after a letter went there."""
    known = session.get(BouncingAddress, (player.id, letter.recipient.lower()))
    if known is not None and known.ended_at is not None and known.ended_at > sent_at:
        return True
    answers = select(OutgoingLetter.id).where(
        OutgoingLetter.game == letter.game,
        OutgoingLetter.seat == letter.seat,
        func.lower(OutgoingLetter.recipient) == letter.recipient.lower(),
        col(OutgoingLetter.kind).in_(KINDS_ANSWERING_PEOPLE),
        col(OutgoingLetter.answers).is_not(None),
        OutgoingLetter.queued_at > sent_at,
    )
    return session.exec(answers).first() is not None


def _rewind_read_marker(session: Session, letter: OutgoingLetter) -> None:
    """Mark chat as unread again that stood in this letter, unless a later letter told it too."""
    heard = session.get(ReadMarker, (letter.game, letter.seat))
    session.flush()
    last = last_sent_at(session, letter.game, letter.seat)
    if heard is not None and (last is None or letter.sent_at is None or last < letter.sent_at):
        since = last or (letter.sent_at or letter.queued_at) - LETTERS_KEPT_FOR  # of older ones none is known
        told = select(func.max(ChatMessage.id)).where(ChatMessage.game == letter.game)
        heard.message = min(heard.message, session.exec(told.where(ChatMessage.at < since)).one() or 0)


@dataclass(frozen=True, slots=True)
class BouncingAddressEntry:
    """A marked address, for the operator."""

    address: str
    since: datetime
    why: str
    games: tuple[str, ...]
    """Where its player sits, each as its id and their name there; games that are over are left out."""


def list_bouncing_addresses(session: Session) -> list[BouncingAddressEntry]:
    """The addresses from which letters come back, the oldest mark first."""
    chosen = (
        select(BouncingAddress)
        .where(col(BouncingAddress.ended_at).is_(None))
        .order_by(col(BouncingAddress.since))
    )
    found = []
    for one in session.exec(chosen).all():
        playing = select(Game.id, Seating.name).join(Seating, col(Seating.game) == Game.id)
        going = col(Game.status).not_in((GameStatus.OVER, GameStatus.CANCELLED))
        rows = session.exec(playing.where(Seating.player == one.player, going))
        games = tuple(f"{game} ({name})" for game, name in rows)
        found.append(BouncingAddressEntry(one.address, one.since, clean_name(one.why, LONGEST_REASON), games))
    return found


LOOK_AGAIN_AFTER = timedelta(minutes=5)
"""When marks are looked at again where nothing has happened but that time has passed."""
BROKEN_PUT_OFF_FOR = timedelta(hours=1)
"""How long the marks of a player are left alone of whom something cannot be read."""


def review_bounces(context: Context, now: datetime) -> int:
    """Clear marks that have lasted and update paused clocks; gives the number of players concerned.

    Marks are looked at that are due; what cannot be read of one stops only itself.
    """
    with context.reading() as session:
        marked = dict.fromkeys(marked_players_due(session, now))
    done = 0
    for player in marked:
        try:
            done += _review_player(context, player, now)
        except OperationalError:
            raise  # the database is away
        except Exception:
            context.events.note_failed_row(WorkTable.FAILING, player, RowFate.PUT_OFF)
            with context.writing() as session:
                put_off_marks(session, player, now + BROKEN_PUT_OFF_FOR)
                session.commit()
    return done


def _review_player(context: Context, number: int, now: datetime) -> bool:
    """Look at the marks of a player, and settle when to look again; whether anything had to be done."""
    with context.reading() as session:
        concerned = bool(_proven(session, number, now)) or needs_clock_update(context, session, number, now)
    with open_unit(context, now) as unit:
        put_off_marks(unit.session, number, now + LOOK_AGAIN_AFTER)
        if concerned:
            player = unit.session.get_one(Player, number)
            proven = _proven(unit.session, number, now)
            for address in proven[:1]:
                put_off_marks(unit.session, number, AT_ONCE)  # another one at the next look
                clear_bounce(unit, player, address)
            if not proven:
                update_clocks(unit, player)
        unit.commit()
    return concerned


def _proven(session: Session, player: int, now: datetime) -> list[str]:
    """The marked addresses of a player to which a letter has gone since, and has not come back."""
    chosen = (
        select(BouncingAddress.address)
        .join(Seating, col(Seating.player) == BouncingAddress.player)
        .join(
            OutgoingLetter,
            (col(OutgoingLetter.game) == Seating.game) & (col(OutgoingLetter.seat) == Seating.seat),
        )
        .where(BouncingAddress.player == player, col(BouncingAddress.ended_at).is_(None))
        .where(
            func.lower(OutgoingLetter.recipient) == BouncingAddress.address,
            OutgoingLetter.state == LetterState.SENT,
        )
        .where(
            col(OutgoingLetter.sent_at) > BouncingAddress.since,
            col(OutgoingLetter.sent_at) <= now - PROVEN_AFTER,
        )
        .where(col(OutgoingLetter.kind).not_in(ADDRESS_KINDS))
    )
    return list(session.exec(chosen.distinct()))
