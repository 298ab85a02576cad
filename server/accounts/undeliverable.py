"""Addresses from which letters come back: who has one cannot know that it is their turn.

One failure for good marks the address, and the clock stops for its player's seats: no time runs on their
turns, nobody plays for them, and the others are told. They can still play on the pages. Letters of their turn
are tried, for that is how a later success is found; no others are sent. Nobody waits for ever:
paused_clocks.py says how long.

What a report says of us (bounces.py), and what mails to several readers within an hour report whatever its
code, is a fault of ours: no address is marked, the operator is told, and the letter of a turn is sent again
every half hour. An address that fails alone after that is marked then.

What clears the mark: a mail from that address, its confirmation, a letter after the mark that does not come
back, a report that one was delivered, or the player, who presses a button. Then the clock goes on and the
letter of their turn is sent again.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from emails.links import mask_tokens
from emails.picture.palette import clean_name
from emails.replies.bounces import RefusalCause, judge_refusal
from server.accounts.address_change import void_due_move
from server.accounts.paused_clocks import (
    is_pause_known_over,
    repeated_turn_notification,
    running_seats_of,
    update_clocks,
)
from server.mail_addresses import is_same_mailbox, normalise_address
from server.outbox import posted_announcements
from server.outbox.confirmed_players import find_letter_player
from server.outbox.letter_traits import ADDRESS_KINDS, UNASKED_KINDS
from server.outbox.operator_mail import tell_operator
from server.outbox.queue import LETTERS_KEPT_FOR, last_sent_at, queue_letters, release_told
from server.outbox.unit_of_work import UnitOfWork
from server.store.due_work import AT_ONCE
from server.store.models import (
    BouncingAddress,
    ChatMessage,
    Game,
    OutgoingLetter,
    Player,
    ReadMarker,
    Seating,
)
from server.store.row_failures import read_alone
from server.store.states import Announcement, GameStatus, Hindrance, LetterState, OperatorMatter

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
            posted_announcements.announce(
                context, session, game, seating.seat, Announcement.MAIL_ARRIVES_UNTIMED, now
            )
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
