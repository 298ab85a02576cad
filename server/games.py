"""The life of a game outside its rules: opened, accepted, started."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.palette import plain_name
from emails.proposing import ADDRESS as ADDRESS
from emails.proposing import LONGEST_ADDRESS as LONGEST_ADDRESS
from emails.proposing import LONGEST_NAME as LONGEST_NAME
from emails.proposing import MOST_HOURS as MOST_HOURS
from emails.proposing import is_address
from emails.tongue import say, sentence
from emails.wording import listed
from engine import codec
from engine.board import Board
from engine.cards import DECK, ONE, Bag
from engine.editions import EDITIONS
from engine.events import GameStarted
from server.log import ACCEPTED, OPENED, Fact, History, append
from server.occasions import Occasion
from server.office import Office
from server.outbox import queue
from server.play import letters_of
from server.projection import follow
from server.tables import Game, Player, Seating
from server.trying import Run
from server.wants import Wants, keep

ID_LETTERS, ID_LENGTH = "abcdefghijklmnopqrstuvwxyz234567", 8
HOUSE = "house"


class NotOpened(ValueError):
    """A game that cannot be opened, accepted or taken in; the sentence says why, in the language spoken."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A seat as its organiser asks for it: a person with an address, or the house (None)."""

    name: str
    address: str | None
    language: str = ""
    """Of his letters, where he has played nothing here yet; empty: English."""

    @classmethod
    def read(cls, text: str) -> Wish:
        """A seat from `Anna <anna@example.org>`, a bare address, or `house`. Raises `NotOpened`."""
        text = text.strip()
        if text.casefold() == HOUSE:
            return cls("", None)
        found = re.fullmatch(r"(?:(?P<name>[^<>]*)<(?P<address>[^<>]+)>|(?P<bare>[^<>\s]+@[^<>\s]+))", text)
        if not found:
            raise NotOpened(
                say(
                    "a seat is written like “Anna <anna@example.org>” or “house”, not “%(given)s”",
                    given=text[:60],
                )
            )
        address = (found["address"] or found["bare"]).strip()
        name = (found["name"] or "").strip().strip('"').strip() or address.split("@")[0][:LONGEST_NAME]
        return cls(name, address)


def checked(name: str, wishes: Sequence[Wish], edition: str, hours: int) -> tuple[str, list[Wish]]:
    """The game's name and the seats with the house named, once they can be used. Raises `NotOpened`."""
    name = clean(name, GAME_NAME)
    if not 2 <= len(wishes) <= 4:
        raise NotOpened(say("a game has 2 to 4 seats, not %(number)s", number=len(wishes)))
    if edition not in EDITIONS:
        either = listed(EDITIONS, "or")
        raise NotOpened(say("the edition is %(either)s, not “%(given)s”", either=either, given=edition[:40]))
    check_hours(hours)
    return name, checked_seats(wishes)


def check_hours(hours: int) -> None:
    """Refuse a time for a turn that is none; raises `NotOpened`."""
    if not 1 <= hours <= MOST_HOURS:
        raise NotOpened(say("the hours for a turn are a whole number from 1 to %(most)s", most=MOST_HOURS))


def checked_seats(wishes: Sequence[Wish]) -> list[Wish]:
    """The seats with the house named, once they can be used. Raises `NotOpened`."""
    named: list[Wish] = []
    houses = sum(wish.address is None for wish in wishes)
    for wish in wishes:
        if wish.address is None:
            number = 1 + sum(other.address is None for other in named)
            named.append(Wish("House" if houses == 1 else f"House {number}", None))
            continue
        if not is_address(wish.address):
            raise NotOpened(say("“%(address)s” is no mail address", address=plain_name(wish.address)))
        named.append(replace(wish, name=clean(wish.name, PLAYER_NAME)))
    for index, wish in enumerate(named):
        if any(wish.name.casefold() == other.name.casefold() for other in named[:index]):
            same = say("two seats are called %(name)s: give them names that differ", name=wish.name)
            raise NotOpened(same)
    return named


GAME_NAME = sentence("the game's name must have 1 to %(most)s letters that can be printed")
PLAYER_NAME = sentence("a player's name must have 1 to %(most)s letters that can be printed")


def clean(name: str, wrong: str) -> str:
    """A name with its blanks folded; raises `NotOpened` with the sentence where it cannot be shown."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise NotOpened(say(wrong, most=LONGEST_NAME))
    return name


def open_game(
    office: Office,
    name: str,
    wishes: Sequence[Wish],
    now: datetime,
    *,
    edition: str = "rio-grande",
    hours: int = 48,
    at_once: bool = False,
    board: str = "Alexandros",
    door: str = "operator",
) -> str:
    """Open a game and invite its players; it starts when all have accepted, or `at_once`. Gives its id.

    The seats are shuffled here, once (2.3). Raises `NotOpened`.
    """
    name, seats = checked(name, wishes, edition, hours)
    office.lots.shuffle(seats)
    with office.writing() as session:
        game = Game(id=new_id(), name=name, board=board, edition=edition, hours=hours, opened_at=now)
        session.add(game)
        session.flush()
        ready = range(len(seats)) if at_once else ()
        history = invite(office, session, game, seats, ready, now, None, door, "")
        session.commit()
    office.shelf.put(game.id, history)
    office.wake()
    return game.id


def invite(
    office: Office,
    session: Session,
    game: Game,
    seats: Sequence[Wish],
    ready: Collection[int],
    now: datetime,
    opener: int | None,
    door: str,
    said: str,
) -> History:
    """Seat everybody in this order, and invite who is not `ready`; without any such the game starts at once.

    `opener` is the seat whose player has opened the game, if it is one of them. The caller commits.
    """
    for seat, wish in enumerate(seats):
        accepted = now if seat in ready or wish.address is None else None
        seat_player(session, game, seat, wish.name, wish, accepted, now)
    facts: list[Fact] = [
        {
            "type": OPENED,
            "name": game.name,
            "board": game.board,
            "edition": game.edition,
            "hours": game.hours,
            "seats": [wish.name for wish in seats],
        }
    ]
    if opener is not None:
        facts.append({"type": ACCEPTED, "seat": opener})
    history = add(office, session, game, History(), now, opener, door, said, facts)
    asked = [seat for seat, wish in enumerate(seats) if seat not in ready and wish.address is not None]
    if not asked:
        return _start(office, session, game, history, now)
    queue(office, session, game, (Occasion(seat, "invitation") for seat in asked), now)
    return history


def new_id() -> str:
    """A game's id: eight letters and digits that can be read aloud."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


def seat_player(
    session: Session,
    game: Game,
    seat: int,
    called: str,
    wish: Wish | None,
    accepted_at: datetime | None,
    now: datetime,
) -> None:
    """Seat a person, the house, or (None) nobody. Who is new gets letters in the language wished for him."""
    player = None
    if wish is not None and wish.address is not None:
        same = func.lower(Player.address) == wish.address.lower()
        player = session.exec(select(Player).where(same)).first()
        if player is None:
            player = Player(address=wish.address, name=wish.name)
            session.add(player)
            session.flush()
            assert player.id is not None
            if wish.language:
                keep(session, player.id, "", Wants(language=wish.language), now)
    session.add(
        Seating(
            game=game.id,
            seat=seat,
            name=called,
            player=None if player is None else player.id,
            house=wish is not None and wish.address is None,
            accepted_at=accepted_at,
        )
    )
    session.flush()


def add(
    office: Office,
    session: Session,
    game: Game,
    history: History,
    now: datetime,
    seat: int | None,
    door: str,
    said: str,
    facts: Sequence[Fact],
) -> History:
    """Append an act and bring the game's row up to it; the caller commits."""
    history = append(
        session,
        game.id,
        office.board_of(game),
        history,
        at=now,
        seat=seat,
        door=door,
        said=said,
        facts=facts,
    )
    follow(game, history, now)
    return history


def _start(office: Office, session: Session, game: Game, history: History, now: datetime) -> History:
    names = session.exec(select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat)))
    event = deal(office, office.board_of(game), game.edition, tuple(names))
    facts = [codec.encode(event, office.board_of(game))]
    history = add(office, session, game, history, now, None, "server", "", facts)
    queue(office, session, game, letters_of(history, None, "server", None, Run((), ()), None), now)
    return history


def deal(office: Office, board: Board, edition: str, names: tuple[str, ...]) -> GameStarted:
    """The cards dealt: one to each seat in order, then two face up (2.2)."""
    supply = DECK
    drawn: list[Bag] = []
    for _ in range(len(names) + 2):
        card = office.dice(supply)
        supply -= ONE[card]
        drawn.append(ONE[card])
    return GameStarted(board.name, edition, names, tuple(drawn[:-2]), drawn[-2] + drawn[-1])


def accept(office: Office, game_id: str, seat: int, now: datetime, door: str = "link") -> bool:
    """A player accepts an invitation; whether the game has started. Accepting twice is accepting once.

    Raises `NotOpened` where there is no such invitation, `log.Stale` when two accept in one moment.
    """
    with office.writing() as session:
        game, seating = session.get(Game, game_id), session.get(Seating, (game_id, seat))
        if game is None or seating is None or seating.house:
            raise NotOpened(say("there is no such invitation"))
        if game.status != "open" or seating.accepted_at is not None:
            return game.status != "open"
        history = office.history(session, game)
        seating.accepted_at = now
        session.flush()
        history = add(
            office, session, game, history, now, seat, door, "accept", [{"type": ACCEPTED, "seat": seat}]
        )
        waiting = select(Seating).where(Seating.game == game_id, col(Seating.accepted_at).is_(None))
        started = session.exec(waiting).first() is None
        if started:
            history = _start(office, session, game, history, now)
        session.commit()
    office.shelf.put(game_id, history)
    office.wake()
    return started
