"""Addresses from which letters come back: who has one cannot know that it is his turn.

One failure for good marks the address. If the player has a second address, confirmed before, letters go there
from then on. If not, the clock stops for his seats: no time runs on his turns, nobody plays them for him, and
the others are told. He can still play on the pages. Letters of his turn are tried, for that is how a later
success is found; no others are sent. Nobody waits for ever: after `PATIENCE` the clock goes on.

What clears the mark: a mail from that address, its confirmation, a letter after the mark that does not come
back, a report that one was delivered, or the player, who presses a button. Then the clock goes on and the
letter of his turn is sent again.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, update
from sqlmodel import Session, col, select

from emails.letters.mime import message_id
from emails.picture.palette import plain_name
from server.accounts.address_change import redirect, tell_old
from server.accounts.paused_clocks import PATIENCE, again, differs, marked, running, set_clocks
from server.outbox import chat
from server.outbox.notifications import OF_ADDRESSES, told_in
from server.outbox.queue import last_sent, queue
from server.store.context import Office
from server.store.models import (
    CANCELLED,
    Failing,
    Game,
    Heard,
    Message,
    Outgoing,
    Player,
    Seating,
    Second,
)

PROVEN = timedelta(days=3)
"""A letter that has not come back after so long has arrived. An address that fails again sooner after it was
found good never was: the others' patience is not counted anew."""
MOST_WHY = 200
OF_PEOPLE = ("answer", "accepted", "shown")
"""Letters that answer a mail which came from the player's own address."""


# --- what marks and what clears -------------------------------------------------------------------------


def came_back(office: Office, session: Session, letter: Outgoing, why: str, now: datetime) -> str:
    """A letter has failed for good; gives a sentence for the log. The caller commits and wakes the office.

    Nothing changes for its reader unless it went to the address that he uses, and he was not heard of since.
    """
    sent_at = letter.sent_at or now
    letter.state, letter.why = "failed", f"it came back: {why}"[:MOST_WHY]
    waits = update(Outgoing).where(col(Outgoing.game) == letter.game, col(Outgoing.why) == told_in(letter))
    session.execute(waits.values(state="waiting", why=""))
    _unhear(session, letter)
    player = _reader(session, letter)
    if letter.kind in OF_ADDRESSES:
        return "A letter came back from an address that was only asked or told something."
    if player is None or player.address.lower() != letter.recipient.lower():
        return "A letter came back from an address that is not used any more."
    if _heard_since(session, player, letter, sent_at):
        return "A letter came back, but its reader was heard of since it was sent."
    if not _mark(session, player, letter.recipient, why, now):
        return "A letter came back again."
    if _swap(office, session, player, now):
        _send_anew(office, session, letter, player, now)
    set_clocks(office, session, player, now)
    return f"A letter came back: {why}"


def arrived(office: Office, session: Session, player: Player, address: str, now: datetime) -> bool:
    """An address of a player is good after all; whether it was marked. The caller commits."""
    found = session.get(Failing, (player.id, address.lower()))
    if found is None or found.ended_at is not None:
        return False
    found.ended_at = now
    session.flush()
    long = now >= found.since + PATIENCE
    if marked(session, found.player) is not None:
        _swap(office, session, player, now)  # the other one fails, and this can take over
    histories = set_clocks(office, session, player, now)
    for seating, game in running(session, found.player) if player.address.lower() == found.address else ():
        if game.seat == seating.seat:
            queue(office, session, game, [again(seating.seat, now)], now)
        if long and seating.seat in histories[game.id].halts:  # the others heard that nobody waits any more
            chat.announce(office, session, game, seating.seat, chat.REACHED_TIMELESS, now)
    return True


def delivered(office: Office, session: Session, letter: Outgoing, now: datetime) -> bool:
    """A letter has arrived, a mail server says; whether that was news. The caller commits."""
    player = _reader(session, letter)
    known = None if player is None else session.get(Failing, (player.id, letter.recipient.lower()))
    if player is None or known is None or (letter.sent_at or known.since) <= known.since:
        return False
    return arrived(office, session, player, letter.recipient, now)


def heard_from(office: Office, game: str, seat: int, senders: Collection[str], now: datetime) -> bool:
    """A mail with a good ticket of a seat came from these addresses; whether one was marked. Commits."""
    with office.reading() as session:
        seating = session.get(Seating, (game, seat))
        player = None if seating is None else seating.player
        chosen = select(Failing.address).where(Failing.player == player, col(Failing.ended_at).is_(None))
        failing = [one for one in session.exec(chosen) if one in {sender.lower() for sender in senders}]
    for address in failing:
        with office.writing() as session:
            arrived(office, session, session.get_one(Player, player), address, now)
            session.commit()
        office.wake()
    return bool(failing)


def try_again(office: Office, game: str, seat: int, now: datetime) -> bool:
    """The player of a seat says that his address is good; whether it was marked. Commits."""
    with office.reading() as session:
        seating = session.get(Seating, (game, seat))
        player = None if seating is None or seating.player is None else session.get(Player, seating.player)
    return player is not None and heard_from(office, game, seat, [player.address], now)


def look_after(office: Office, now: datetime) -> int:
    """What time does to marked addresses and to clocks that stand still; how many players were concerned."""
    with office.reading() as session:
        marked = session.exec(select(Failing.player).where(col(Failing.ended_at).is_(None)).distinct()).all()
        concerned = [
            player
            for player in marked
            if _proven(session, player, now) or differs(office, session, player, now)
        ]
    for number in concerned:
        with office.writing() as session:
            player = session.get_one(Player, number)
            proven = _proven(session, number, now)
            if proven:
                arrived(office, session, player, proven[0], now)  # another one at the next look
            else:
                set_clocks(office, session, player, now)
            session.commit()
        office.wake()
    return len(concerned)


def _mark(session: Session, player: Player, address: str, why: str, now: datetime) -> bool:
    """Mark an address; whether that is new."""
    assert player.id is not None
    found = session.get(Failing, (player.id, address.lower()))
    if found is None:
        session.add(Failing(player=player.id, address=address.lower(), since=now, why=why[:MOST_WHY]))
    elif found.ended_at is None:
        return False
    else:
        found.since = found.since if now - found.ended_at < PROVEN else now
        found.why, found.ended_at = why[:MOST_WHY], None
    session.flush()
    return True


def _proven(session: Session, player: int, now: datetime) -> list[str]:
    """The marked addresses of a player to which a letter has gone since, and has not come back."""
    chosen = (
        select(Failing.address)
        .join(Seating, col(Seating.player) == Failing.player)
        .join(Outgoing, (col(Outgoing.game) == Seating.game) & (col(Outgoing.seat) == Seating.seat))
        .where(Failing.player == player, col(Failing.ended_at).is_(None))
        .where(func.lower(Outgoing.recipient) == Failing.address, Outgoing.state == "sent")
        .where(col(Outgoing.sent_at) > Failing.since, col(Outgoing.sent_at) <= now - PROVEN)
        .where(col(Outgoing.kind).not_in(OF_ADDRESSES))
    )
    return list(session.exec(chosen.distinct()))


def _reader(session: Session, letter: Outgoing) -> Player | None:
    seating = session.get(Seating, (letter.game, letter.seat))
    return None if seating is None or seating.player is None else session.get(Player, seating.player)


def _heard_since(session: Session, player: Player, letter: Outgoing, sent_at: datetime) -> bool:
    """Whether a sign of life came from an address after a letter went there."""
    known = session.get(Failing, (player.id, letter.recipient.lower()))
    if known is not None and known.ended_at is not None and known.ended_at > sent_at:
        return True
    answers = select(Outgoing.id).where(
        Outgoing.game == letter.game,
        Outgoing.seat == letter.seat,
        func.lower(Outgoing.recipient) == letter.recipient.lower(),
        col(Outgoing.kind).in_(OF_PEOPLE),
        col(Outgoing.answers).is_not(None),
        Outgoing.queued_at > sent_at,
    )
    return session.exec(answers).first() is not None


def _unhear(session: Session, letter: Outgoing) -> None:
    """What a letter would have told of others' messages was not heard, unless another letter told it."""
    heard = session.get(Heard, (letter.game, letter.seat))
    session.flush()
    last = last_sent(session, letter.game, letter.seat)
    if heard is not None and (last is None or letter.sent_at is None or last < letter.sent_at):
        told = select(func.max(Message.id)).where(Message.game == letter.game)
        before = None if last is None else session.exec(told.where(Message.at < last)).one()
        heard.message = min(heard.message, before or 0)


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked address, for the operator."""

    address: str
    since: datetime
    why: str
    games: tuple[str, ...]
    """Where its player sits, each as its id and his name there; games that are over are left out."""


def marks(session: Session) -> list[Mark]:
    """The addresses from which letters come back, the oldest mark first."""
    chosen = select(Failing).where(col(Failing.ended_at).is_(None)).order_by(col(Failing.since))
    found = []
    for one in session.exec(chosen).all():
        playing = select(Game.id, Seating.name).join(Seating, col(Seating.game) == Game.id)
        going = col(Game.status).not_in(("over", CANCELLED))
        rows = session.exec(playing.where(Seating.player == one.player, going))
        games = tuple(f"{game} ({name})" for game, name in rows)
        found.append(Mark(one.address, one.since, plain_name(one.why, MOST_WHY), games))
    return found


# --- the second address ---------------------------------------------------------------------------------


def settle(office: Office, session: Session, player: Player, now: datetime) -> None:
    """Do what follows from other addresses of a player; the caller commits.

    The second takes over from one that is marked, and clocks that stood still go on.
    """
    assert player.id is not None
    if marked(session, player.id) is not None:
        _swap(office, session, player, now)
    set_clocks(office, session, player, now)


def _swap(office: Office, session: Session, player: Player, now: datetime) -> bool:
    """Use a player's second address, if he has one that can be used, and make his first the second."""
    second = session.get(Second, player.id)
    if second is None:
        return False
    marked_too = session.get(Failing, (player.id, second.address.lower()))
    taken = select(Player.id).where(func.lower(Player.address) == second.address.lower())
    if (marked_too is not None and marked_too.ended_at is None) or session.exec(taken).first() is not None:
        return False
    player.address, second.address = second.address, player.address
    session.flush()
    redirect(session, player)
    tell_old(office, session, player, second.address, False, now)
    _say_it(office, session, player, second.address, now)
    return True


def _say_it(office: Office, session: Session, player: Player, old: str, now: datetime) -> None:
    """Tell a player in the next letter of a game of his that letters go to his second address now."""
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    rows = session.exec(playing.where(Seating.player == player.id, Game.status == "running"))
    for seating, game in rows.all()[:1]:
        words = {"says": chat.SECOND_USED, "name": seating.name, "address": old}
        chat.post(office, session, game, None, seating.seat, json.dumps(words), now)


def _send_anew(office: Office, session: Session, letter: Outgoing, player: Player, now: datetime) -> None:
    """Send what came back to the address that the player uses now."""
    kind = f"{letter.kind}.{letter.id}"
    again = letter.model_dump(exclude={"id", "state", "why", "tries", "text", "sent_at"})
    again |= {
        "message_id": message_id(letter.game, letter.seq, letter.seat, kind, office.settings.mail_domain),
        "recipient": player.address,
        "queued_at": now,
        "due_at": now,
    }
    session.add(Outgoing(**again))
