"""The list of games, and games and players by a word: an id, a name, an address, a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, or_
from sqlmodel import Session, col, select

from emails.picture.palette import clean_name
from server.mail_addresses import digest_address
from server.store.columns import is_unreadable, read_id
from server.store.context import Context
from server.store.dialects.expressions import hexed
from server.store.models import Game, Player, Seating
from server.store.turn_clock import find_deadline, is_awaiting_letter


def list_games(context: Context, now: datetime) -> Iterator[tuple[str, str | None]]:
    """Each game's id and a line about it, None where it cannot be read; the oldest first."""
    with context.reading() as session:
        ids = session.exec(select(hexed(Game.id)).order_by(col(Game.opened_at), col(Game.id))).all()
    for number in map(read_id, ids):
        with context.reading() as session:
            try:
                game = session.get(Game, number)
                line = None if game is None else describe_game(session, game, now)
            except (ValueError, LookupError):
                yield number, None
                continue
        if line is not None or is_unreadable(number):
            yield number, line


def describe_game(session: Session, game: Game, now: datetime) -> str:
    """A game in one line: id, status, turn, name, until when the turn lasts or since when it stands."""
    deadline = find_deadline(session, game, now)
    until = "" if deadline is None else f"until {deadline:%Y-%m-%d %H:%M} UTC"
    if is_awaiting_letter(game):
        until = "its time begins when its mail has left"
    if game.paused_at is not None:
        until = f"paused since {game.paused_at:%Y-%m-%d %H:%M} UTC"
    if game.suspended_at is not None:
        until = f"halted since {game.suspended_at:%Y-%m-%d %H:%M} UTC"
    return f"{game.id}  {game.status:8}  turn {game.turn:3}  {game.name}  {until}".rstrip()


MOST_FOUND = 20
"""Games, and players, that are listed; who wants others writes more of the word."""
MOST_GAMES_NAMED = 8
"""Of one player, the latest."""
LONGEST_WORD = 200
ADDRESS_IN_LINE = re.compile(r"<([^<>\s]+@[^<>\s]+)>")
LARGEST_NUMBER = 2**31 - 1
"""Of a row: what its column holds on PostgreSQL."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A game or a player that was looked for, in a line; or that there are more."""

    line: str
    game: str = ""
    address: str = ""


def find_by_word(session: Session, word: str, now: datetime) -> Iterator[SearchHit]:
    """Each game and each player that a word names, or a part of it; none where there is none."""
    word = pick_address(word)[:LONGEST_WORD]
    if not word or "\0" in word:
        return
    games = session.exec(
        select(Game).where(_names_game(word)).order_by(col(Game.opened_at).desc()).limit(MOST_FOUND + 1)
    )
    yield from _limit_hits(SearchHit(describe_game(session, one, now), game=one.id) for one in games.all())
    players = session.exec(
        select(Player).where(_names_player(word)).order_by(col(Player.id)).limit(MOST_FOUND + 1)
    )
    yield from _limit_hits(
        SearchHit(describe_player(session, one), address=one.address) for one in players.all()
    )


def pick_address(text: str) -> str:
    """The address in a line that was copied, such as "Ben <ben@example.org>"; of any other text all of it."""
    found = ADDRESS_IN_LINE.search(text)
    return text.strip().strip("<>") if found is None else found.group(1)


def players_at(session: Session, address: str) -> list[Player]:
    """Who plays with an address, however it is written."""
    same = select(Player).where(Player.mailbox == digest_address(address))
    return list(session.exec(same.order_by(col(Player.id))))


def describe_player(session: Session, player: Player) -> str:
    """Who a player is, and where they sit."""
    seats = select(Seating).join(Game, col(Game.id) == Seating.game).where(Seating.player == player.id)
    latest = seats.order_by(col(Game.opened_at).desc(), col(Game.id)).limit(MOST_GAMES_NAMED + 1)
    places = [f"{one.game} seat {one.seat + 1}" for one in session.exec(latest)]
    if len(places) > MOST_GAMES_NAMED:
        places[MOST_GAMES_NAMED:] = ["…"]
    stranger = "" if player.confirmed_at else ", has accepted or played nothing yet"
    where = ", ".join(places) or "in no game"
    return f"player {player.id}  {clean_name(player.name)} <{player.address}>{stranger}  {where}"


def _limit_hits(lines: Iterator[SearchHit]) -> Iterator[SearchHit]:
    for number, line in enumerate(lines):
        if number == MOST_FOUND:
            yield SearchHit(f"There are more than {MOST_FOUND}: write more of the word.")
        else:
            yield line


def _names_game(word: str) -> ColumnElement[bool]:
    return or_(col(Game.id) == word.lower(), col(Game.name).icontains(word, autoescape=True))


def _names_player(word: str) -> ColumnElement[bool]:
    ways = [
        col(Player.name).icontains(word, autoescape=True),
        col(Player.address).icontains(word, autoescape=True),
    ]
    if "@" in word:
        ways.append(col(Player.mailbox) == digest_address(word))
    if word.isdecimal() and int(word) <= LARGEST_NUMBER:
        ways.append(col(Player.id) == int(word))
    return or_(*ways)
