"""The clocks of seats that mail does not reach: they stand still for a while, and the others are told.

An address is marked and cleared in undeliverable.py; here the clocks are brought in line with it, as acts, so
that the log tells why a turn took so long.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from server.outbox import chat
from server.outbox.notifications import Occasion
from server.outbox.preferences import wants
from server.outbox.queue import queue
from server.store.context import Office
from server.store.event_log import CLOCK_RESUMED, CLOCK_STOPPED, History, append
from server.store.models import Failing, Game, Player, Resigned, Seating
from server.store.projection import follow

PATIENCE = timedelta(days=14)
"""How long the clock of a seat stands still at most."""


def marked(session: Session, player: int) -> Failing | None:
    """The mark of the address that a player uses; None where letters do not come back."""
    used = select(func.lower(Player.address)).where(Player.id == player).scalar_subquery()
    chosen = select(Failing).where(Failing.player == player, Failing.address == used)
    return session.exec(chosen.where(col(Failing.ended_at).is_(None))).first()


def set_clocks(office: Office, session: Session, player: Player, now: datetime) -> dict[str, History]:
    """Stop or start the clock of each seat of a player as his address is now; the caller commits.

    The others are told, and whose turn it is when his clock goes on gets the letter of his turn again. Gives
    the histories of the games he plays; asked twice before the caller commits it would miss its own acts.
    """
    assert player.id is not None
    mark = marked(session, player.id)
    histories: dict[str, History] = {}  # the office keeps what is committed, and this is not yet
    for seating, game in running(session, player.id):
        history = histories.get(game.id) or office.history(session, game)
        stop = _stops(session, mark, seating, now)
        if stop != history.halted(seating.seat):
            what = CLOCK_STOPPED if stop else CLOCK_RESUMED
            fact = {"type": what, "seat": seating.seat}
            board = office.board_of(game)
            history = append(
                session, game.id, board, history, at=now, seat=None, door="server", said="", facts=[fact]
            )
            follow(game, history, now)
            _tell_others(office, session, game, seating.seat, stop, mark, now)
            if not stop and game.seat == seating.seat:
                queue(office, session, game, [again(seating.seat, now)], now)
        histories[game.id] = history
    return histories


def _tell_others(
    office: Office, session: Session, game: Game, seat: int, stop: bool, mark: Failing | None, now: datetime
) -> None:
    """Tell the others that a clock stands still or goes on, and why."""
    if stop:
        what = chat.RETURNED if game.hours else chat.RETURNED_TIMELESS
    elif mark is None:
        what = chat.REACHED if game.hours else chat.REACHED_TIMELESS
    elif game.hours and now >= mark.since + PATIENCE:
        what = chat.PATIENCE_ENDED
    else:
        return  # he wants no letters any more, or has given up, and they have heard of that
    chat.announce(office, session, game, seat, what, now)


def again(seat: int, now: datetime) -> Occasion:
    """The letter of a turn once more; asked for twice in one moment it is one."""
    return Occasion(seat, "turn", mark=f"again{now.timestamp():.0f}")


def running(session: Session, player: int) -> list[tuple[Seating, Game]]:
    """The seats of a player in games that are played."""
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    found = session.exec(playing.where(Seating.player == player, Game.status == "running"))
    return [(seating, game) for seating, game in found]


def _stops(session: Session, mark: Failing | None, seating: Seating, now: datetime) -> bool:
    """Whether the clock of a seat is to stand still; not for whoever wants no letters or has given up."""
    if mark is None or now >= mark.since + PATIENCE or seating.player is None:
        return False
    if session.get(Resigned, (seating.game, seating.seat)) is not None:
        return False
    return wants(session, seating.player, seating.game).letters


def differs(office: Office, session: Session, player: int, now: datetime) -> bool:
    """Whether the clock of some seat of a player is to be stopped or started."""
    mark = marked(session, player)
    return any(
        _stops(session, mark, seating, now) != office.history(session, game).halted(seating.seat)
        for seating, game in running(session, player)
    )
