"""Bounces: mark and clear undeliverable addresses, and pause the clocks of their seats."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import bindparam, func
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.letters import game_letters, lobby_letters
from emails.replies.screening import RefusalCause, judge_refusal
from emails.tokens import mask_tokens
from server.mail_addresses import is_same_mailbox, normalise_address
from server.monitoring import RowFate, WorkTable
from server.outbox import chat
from server.outbox.notifications import (
    ADDRESS_KINDS,
    GAMELESS_KINDS,
    UNSOLICITED_KINDS,
    Notification,
    find_letter_player,
    load_preferences,
)
from server.outbox.queue import UnitOfWork, last_sent_at, open_unit, release_merged, tell_operator
from server.store.context import Context
from server.store.event_log import History
from server.store.models import (
    LONGEST_REASON,
    AddressConfirmation,
    BouncingAddress,
    ChatMessage,
    Game,
    OutgoingLetter,
    Player,
    ReadMarker,
    Resignation,
    Seating,
)
from server.store.personal import Kept
from server.store.schedule import AT_ONCE, marked_players_due, put_off_marks, read_alone
from server.store.server_facts import ClockPause, ClockResumed, ClockStopped
from server.store.states import (
    Announcement,
    Channel,
    ConfirmationPurpose,
    GameStatus,
    Hindrance,
    LetterState,
    OperatorMatter,
)
from server.store.turn_clock import LETTER_ON_ITS_WAY
from server.turns.play import record_act

LONGEST_CLOCK_PAUSE = timedelta(days=14)
LONGEST_REPORTED_PAUSE = timedelta(days=1)  # if only a bounce mail, which may be forged, reports a failure

SELECT_MARK = (
    select(BouncingAddress)
    .join(Player, col(Player.id) == BouncingAddress.player)
    .where(
        col(BouncingAddress.player) == bindparam("of"),
        col(BouncingAddress.address) == func.lower(Player.address),
        col(BouncingAddress.ended_at).is_(None),
    )
)


def find_bounce_mark(session: Session, player: int) -> BouncingAddress | None:
    return session.exec(SELECT_MARK, params={"of": player}).first()


def is_refused(session: Session, player: int) -> bool:
    """Return whether a relay itself rejected letters to the player's address; bounce mails do not count."""
    mark = find_bounce_mark(session, player)
    return mark is not None and not mark.reported


def update_clocks(unit: UnitOfWork, player: Player) -> bool:
    """Pause or resume the clocks of a player's seats according to the bounce mark of the player's address.

    Notifies the other players. A player to move whose clock resumes gets the turn letter again. Returns
    whether a clock was paused or resumed.
    """
    session, now, changed = unit.session, unit.now, False
    mark = find_bounce_mark(session, player.id)
    for seating, game in running_seats_of(session, player.id):
        if game.suspended_at is not None:
            continue  # clocks are updated when the game is resumed
        history = unit.history_of(game)
        until = _pause_end(mark, history.clock_pauses.get(seating.seat))
        stop = _should_pause_clock(session, until, seating, now)
        if stop == history.is_clock_paused(seating.seat):
            continue
        since = _undelivered_since(session, game, history, seating.seat, now) if stop else None
        fact = ClockStopped(seating.seat, since) if stop else ClockResumed(seating.seat)
        record_act(unit, game, history, None, Channel.SERVER, "", [fact])
        if what := _choose_announcement(game, stop, mark, until, now):
            chat.announce(unit, game, seating.seat, what)
        if not stop and game.seat == seating.seat:
            unit.queue(game, [repeated_turn_notification(seating.seat, now)])
        changed = True
    return changed


def _undelivered_since(
    session: Session, game: Game, history: History, seat: int, now: datetime
) -> datetime | None:
    began, halt = game.turn_began_at, history.last_halt(seat)
    if game.seat != seat or began is None or game.deadline is None:
        return None
    letters = select(func.min(OutgoingLetter.sent_at)).where(
        OutgoingLetter.game == game.id,
        OutgoingLetter.seat == seat,
        OutgoingLetter.state == LetterState.FAILED,
        OutgoingLetter.hindrance == Hindrance.CAME_BACK,
        col(OutgoingLetter.kind).not_in(GAMELESS_KINDS),  # may have gone to an unconfirmed address
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
    reported = mark is not None and mark.reported
    if stop and not game.turn_minutes:
        return Announcement.MAIL_BOUNCED_UNTIMED
    if stop:
        return Announcement.BOUNCE_REPORTED if reported else Announcement.MAIL_BOUNCED
    if until is None:
        return Announcement.MAIL_ARRIVES if game.turn_minutes else Announcement.MAIL_ARRIVES_UNTIMED
    if game.turn_minutes and now >= until:
        return Announcement.REPORTED_PAUSE_ENDED if reported else Announcement.CLOCK_PAUSE_ENDED
    return None  # unsubscribed or resigned, which was announced


def repeated_turn_notification(seat: int, now: datetime) -> Notification:
    return Notification(seat, game_letters.YourTurn(), mark=f"again{now.timestamp():.0f}")


def running_seats_of(session: Session, player: int) -> list[tuple[Seating, Game]]:
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    found = session.exec(playing.where(Seating.player == player, Game.status == GameStatus.RUNNING))
    return [(seating, game) for seating, game in found]


def _longest_pause(mark: BouncingAddress) -> timedelta:
    return LONGEST_REPORTED_PAUSE if mark.reported else LONGEST_CLOCK_PAUSE


def _pause_end(mark: BouncingAddress | None, pause: ClockPause | None) -> datetime | None:
    if mark is None:
        return None
    if not mark.reported or pause is None:
        return mark.since + _longest_pause(mark)
    if pause.ended is not None:
        return pause.ended  # reports may be forged, so no further pause
    return min(mark.since, pause.began) + _longest_pause(mark)


def _should_pause_clock(session: Session, until: datetime | None, seating: Seating, now: datetime) -> bool:
    if until is None or now >= until or seating.player is None:
        return False
    if session.get(Resignation, (seating.game, seating.seat)) is not None:
        return False
    return load_preferences(session, seating.player, seating.game).letters


LOG = logging.getLogger(__name__)
PROVEN_AFTER = timedelta(days=3)
"""Time without a bounce after which a letter counts as arrived."""
CAME_BACK = "it came back: "
OUR_FAULT = "our fault: "
MOST_READERS_REFUSED = 3  # rejected within an hour: more likely a fault of this server
RETURNED_TOGETHER = timedelta(hours=1)
SENT_AGAIN_AFTER = timedelta(minutes=30)  # shorter than RETURNED_TOGETHER, to detect a lasting fault
SENT_AGAIN_FOR = timedelta(days=5)
OUR_FAULT_WORDS = """\
Letters bounce because of a fault of this server or its network, not of their readers. The last bounce
says:

{reason}

No address is marked and no clock is stopped. The letter of a turn is sent again every half hour.
`alexandros check` checks SPF, DKIM and DMARC of the domain. Check the name of the sending address and block
lists too.
"""
KINDS_ANSWERING_PEOPLE = (game_letters.Answer.kind, lobby_letters.Accepted.kind, game_letters.Shown.kind)


# --- marks ----------------------------------------------------------------------------------------------


def record_bounce(unit: UnitOfWork, letter: OutgoingLetter, why: str, *, reported: bool) -> str:
    """Record the permanent failure of a letter; return a sentence for the log.

    `reported`: whether a bounce mail, rather than the relay, reports the failure. Marks only the
    player's current address, if no mail of the player came after the letter, and this server is not at fault.
    """
    session, now, why = unit.session, unit.now, mask_tokens(why)
    sent_at = letter.sent_at or now
    letter.state, letter.why = LetterState.FAILED, (CAME_BACK + why if reported else why)[:LONGEST_REASON]
    letter.hindrance, letter.due_at = Hindrance.CAME_BACK if reported else Hindrance.NONE, now
    release_merged(session, letter)
    _rewind_read_marker(session, letter)
    is_ours = reported and _note_own_fault(unit, letter, why)
    player = find_letter_player(session, letter)
    if letter.kind in ADDRESS_KINDS:
        return "A letter came back from an address that was only asked or told something."
    if player is None or player.address.lower() != letter.recipient.lower():
        return "A letter came back from an address that is not used any more."
    if _was_heard_since(session, player, letter, sent_at):
        return "A letter came back, but its reader has answered since it was sent."
    if is_ours:
        game = session.get_one(Game, letter.game)
        is_turn = letter.kind == game_letters.YourTurn.kind and game.seat == letter.seat
        if is_turn and now - (game.turn_began_at or now) < SENT_AGAIN_FOR:
            unit.queue(game, [replace(repeated_turn_notification(letter.seat, now), later=SENT_AGAIN_AFTER)])
        return f"A letter came back for a fault of this server: {why}"
    if not _mark_address(session, player, letter.recipient, why, reported, now):
        return "A letter came back again."
    update_clocks(unit, player)
    return f"A letter came back: {why}"


def _note_own_fault(unit: UnitOfWork, letter: OutgoingLetter, why: str) -> bool:
    """Return whether a fault of this server made a letter bounce. If so, clear the recipient's mark."""
    session, now = unit.session, unit.now
    if letter.kind in (*ADDRESS_KINDS, *UNSOLICITED_KINDS):
        return False  # an address chosen by a third party may refuse on purpose
    session.flush()
    returned = select(OutgoingLetter.id, OutgoingLetter.recipient).where(
        OutgoingLetter.state == LetterState.FAILED,
        col(OutgoingLetter.due_at) > now - RETURNED_TOGETHER,
        col(OutgoingLetter.hindrance).in_((Hindrance.CAME_BACK, Hindrance.OUR_FAULT)),
        col(OutgoingLetter.kind).not_in((*ADDRESS_KINDS, *UNSOLICITED_KINDS)),  # chosen by third parties
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
    LOG.warning("letter %s came back for a fault of this server: see `alexandros doctor`", letter.id)
    words = OUR_FAULT_WORDS.format(reason=why)
    tell_operator(unit.context, session, OperatorMatter.LETTERS_REFUSED, words, now)
    return True


def has_own_fault(session: Session, now: datetime) -> bool:
    returned = select(OutgoingLetter.id).where(
        OutgoingLetter.state == LetterState.FAILED,
        col(OutgoingLetter.due_at) > now - RETURNED_TOGETHER,
        OutgoingLetter.hindrance == Hindrance.OUR_FAULT,
    )
    return session.exec(returned.limit(1)).first() is not None


def clear_bounce(unit: UnitOfWork, player: Player, address: str) -> bool:
    """Clear the mark of an address and resume the clocks of its player; return whether it was marked."""
    session, now = unit.session, unit.now
    found = session.get(BouncingAddress, (player.id, address.lower()))
    if found is None or found.ended_at is not None:
        return False
    found.ended_at, found.due_at = now, None
    is_used = player.address.lower() == found.address
    if is_used:
        void_due_move(session, player, now)
    session.flush()
    update_clocks(unit, player)
    for seating, game in running_seats_of(session, player.id) if is_used else ():
        if game.seat == seating.seat:
            unit.queue(game, [repeated_turn_notification(seating.seat, now)])
        pause = unit.history_of(game).clock_pauses.get(seating.seat)
        was_over = pause is not None and pause.ended is not None and pause.ended > found.since
        if was_over and now >= found.since + _longest_pause(found):  # it ran on already
            chat.announce(unit, game, seating.seat, Announcement.MAIL_ARRIVES_UNTIMED)
    return True


def void_due_move(session: Session, player: Player, now: datetime) -> None:
    """Make a player's pending changes of address depend on approval by the current address. Does not commit.

    Approval is not required while the current address rejects letters. This function is called when letters
    arrive there again.
    """
    waiting = select(AddressConfirmation).where(AddressConfirmation.player == player.id)
    for one in session.exec(waiting.where(col(AddressConfirmation.due_at).is_not(None))).all():
        if one.purpose is ConfirmationPurpose.MOVE:
            one.due_at, one.at = None, now
        else:
            session.delete(one)
    session.flush()


def record_delivery(unit: UnitOfWork, letter: OutgoingLetter) -> bool:
    """Clear the recipient's bounce mark if a delivered letter was sent after the bounce.

    Returns whether a mark was cleared.
    """
    player = find_letter_player(unit.session, letter)
    if player is None:
        return False
    known = unit.session.get(BouncingAddress, (player.id, letter.recipient.lower()))
    if known is None or (letter.sent_at or known.since) <= known.since:
        return False
    return clear_bounce(unit, player, letter.recipient)


def clear_bounces_of_senders(unit: UnitOfWork, game: str, seat: int, senders: Collection[str]) -> bool:
    seated = col(Seating.player) == BouncingAddress.player, Seating.game == game, Seating.seat == seat
    marked = unit.session.exec(
        select(BouncingAddress).where(*seated, col(BouncingAddress.ended_at).is_(None))
    )
    failing = [one for one in marked if any(is_same_mailbox(one.address, sender) for sender in senders)]
    for one in failing:
        clear_bounce(unit, unit.session.get_one(Player, one.player), one.address)
    return bool(failing)


def clear_bounce_of_seat(unit: UnitOfWork, game: str, seat: int) -> bool:
    """Clear the bounce mark of a player who declares the address valid; return whether there was one."""
    seating = unit.session.get(Seating, (game, seat))
    if seating is None or seating.player is None:
        return False
    player = unit.session.get_one(Player, seating.player)
    return clear_bounce(unit, player, player.address)


def _mark_address(
    session: Session, player: Player, address: str, why: str, reported: bool, now: datetime
) -> bool:
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
    heard = session.get(ReadMarker, (letter.game, letter.seat))
    session.flush()
    last = last_sent_at(session, letter.game, letter.seat)
    if heard is not None and (last is None or letter.sent_at is None or last < letter.sent_at):
        # older letters are deleted
        since = last or (letter.sent_at or letter.queued_at) - Kept.LETTERS.period
        told = select(func.max(ChatMessage.id)).where(ChatMessage.game == letter.game)
        heard.message = min(heard.message, session.exec(told.where(ChatMessage.at < since)).one() or 0)


LOOK_AGAIN_AFTER = timedelta(minutes=5)
BROKEN_PUT_OFF_FOR = timedelta(hours=1)


def review_bounces(context: Context, now: datetime) -> int:
    """Clear bounce marks of addresses that have since received letters, and update clocks by the marks.

    Returns the number of players with a change. An error with one player does not stop the others.
    """
    with context.reading() as session:
        marked = dict.fromkeys(marked_players_due(session, now))
    done = 0
    for player in marked:
        try:
            done += _review_player(context, player, now)
        except OperationalError:
            raise  # the database is unavailable
        except Exception:
            context.events.note_failed_row(WorkTable.FAILING, player, RowFate.PUT_OFF)
            with context.writing() as session:
                put_off_marks(session, player, now + BROKEN_PUT_OFF_FOR)
                session.commit()
    return done


def _review_player(context: Context, number: int, now: datetime) -> bool:
    with open_unit(context, now) as unit:
        put_off_marks(unit.session, number, now + LOOK_AGAIN_AFTER)
        player = unit.session.get_one(Player, number)
        address = _find_proven_address(unit.session, number, now)
        if address is None:
            changed = update_clocks(unit, player)
        else:
            put_off_marks(unit.session, number, AT_ONCE)  # the next review clears the next address
            changed = clear_bounce(unit, player, address)
        unit.commit()
    return changed


def _find_proven_address(session: Session, player: int, now: datetime) -> str | None:
    own = (col(OutgoingLetter.game) == Seating.game) & (col(OutgoingLetter.seat) == Seating.seat)
    proven = select(BouncingAddress.address).join(Seating, col(Seating.player) == BouncingAddress.player)
    proven = proven.join(OutgoingLetter, own).where(
        BouncingAddress.player == player,
        col(BouncingAddress.ended_at).is_(None),
        func.lower(OutgoingLetter.recipient) == BouncingAddress.address,
        OutgoingLetter.state == LetterState.SENT,
        col(OutgoingLetter.sent_at) > BouncingAddress.since,
        col(OutgoingLetter.sent_at) <= now - PROVEN_AFTER,
        col(OutgoingLetter.kind).not_in(ADDRESS_KINDS),
    )
    return session.exec(proven).first()
