"""The life of a game outside its rules: opened, accepted, started."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.i18n import say
from emails.letters.proposal_letter import ADDRESS as ADDRESS
from emails.letters.proposal_letter import LONGEST_ADDRESS as LONGEST_ADDRESS
from emails.letters.proposal_letter import LONGEST_NAME as LONGEST_NAME
from emails.letters.proposal_letter import MOST_HOURS as MOST_HOURS
from engine import codec
from engine.board import Board
from engine.cards import DECK, ONE, Bag
from engine.events import GameStarted
from server.outbox.notifications import Occasion
from server.outbox.preferences import Wants, keep
from server.outbox.queue import queue
from server.store.context import Office
from server.store.event_log import ACCEPTED, OPENED, Fact, History, append
from server.store.game_terms import Terms, opening_of
from server.store.models import CANCELLED, Game, Player, Seating
from server.store.projection import follow
from server.store.seats import GAME_NAME as GAME_NAME
from server.store.seats import HOUSE as HOUSE
from server.store.seats import PLAYER_NAME as PLAYER_NAME
from server.store.seats import NotOpened as NotOpened
from server.store.seats import Wish as Wish
from server.store.seats import check_hours as check_hours
from server.store.seats import checked as checked
from server.store.seats import checked_seats as checked_seats
from server.store.seats import clean as clean
from server.turns.dry_run import Run
from server.turns.play import letters_of

ID_LETTERS, ID_LENGTH = "abcdefghijklmnopqrstuvwxyz234567", 8
NO_TERMS = Terms()


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
    organiser: str = "",
    terms: Terms = NO_TERMS,
) -> str:
    """Open a game and invite its players; it starts when all have accepted, or `at_once`. Gives its id.

    The seats are shuffled here, once (2.3). `organiser` is the address of a player who is in without being
    invited: he opens the game. Raises `NotOpened`.
    """
    name, seats = checked(name, wishes, edition, hours, terms.joined_by)
    if at_once and any(wish.open for wish in seats):
        raise NotOpened(say("a game with open seats cannot start at once"))
    office.lots.shuffle(seats)
    own = [seat for seat, wish in enumerate(seats) if organiser and wish.address == organiser]
    opener = own[0] if own else None
    with office.writing() as session:
        game = Game(id=new_id(), name=name, board=board, edition=edition, hours=hours, opened_at=now)
        session.add(game)
        session.flush()
        ready = range(len(seats)) if at_once else own
        history = invite(office, session, game, seats, ready, now, opener, door, "", terms)
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
    terms: Terms = NO_TERMS,
) -> History:
    """Seat everybody in this order, and invite who is not `ready`; where all are in the game starts at once.

    `opener` is the seat whose player has opened the game, if it is one of them. The caller commits.
    """
    for seat, wish in enumerate(seats):
        accepted = now if seat in ready or wish.is_house else None
        seat_player(session, game, seat, wish.name, wish, accepted, now)
    facts: list[Fact] = [
        {
            "type": OPENED,
            "name": game.name,
            "board": game.board,
            "edition": game.edition,
            "hours": game.hours,
            "seats": [wish.name for wish in seats],
            **terms.fact,
        }
    ]
    session.add(opening_of(game.id, opener, facts[0]))
    if opener is not None:
        facts.append({"type": ACCEPTED, "seat": opener})
    history = add(office, session, game, History(), now, opener, door, said, facts)
    asked = [seat for seat, wish in enumerate(seats) if seat not in ready and wish.address is not None]
    queue(office, session, game, (Occasion(seat, "invitation") for seat in asked), now)
    return start_when_full(office, session, game, history, now)


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
        player = player_of(session, wish.name, wish.address, wish.language, now)
    session.add(
        Seating(
            game=game.id,
            seat=seat,
            name=called,
            player=None if player is None else player.id,
            house=wish is not None and wish.is_house,
            accepted_at=accepted_at,
        )
    )
    session.flush()


def player_of(session: Session, name: str, address: str, language: str, now: datetime) -> Player:
    """Who is known by an address; one who is new gets his letters in a language (empty: English)."""
    same = func.lower(Player.address) == address.lower()
    player = session.exec(select(Player).where(same)).first()
    if player is None:
        player = Player(address=address, name=name)
        session.add(player)
        session.flush()
        assert player.id is not None
        if language:
            keep(session, player.id, "", Wants(language=language), now)
    return player


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


def start_when_full(office: Office, session: Session, game: Game, history: History, now: datetime) -> History:
    """Start a game if every seat is taken and everybody has accepted; its history. The caller commits."""
    waiting = select(Seating).where(Seating.game == game.id, col(Seating.accepted_at).is_(None))
    if session.exec(waiting).first() is not None:
        return history
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


def accept(
    office: Office, game_id: str, seat: int, now: datetime, door: str = "link", after: int = 0
) -> bool:
    """A player accepts an invitation; whether the game has started. Accepting twice is accepting once.

    `after` is the position of his ticket. Raises `NotOpened` where there is no such invitation (any more),
    `log.Stale` when two accept in one moment.
    """
    with office.writing() as session:
        game, seating = session.get(Game, game_id), session.get(Seating, (game_id, seat))
        if game is None or seating is None or seating.player is None or game.status == CANCELLED:
            raise NotOpened(say("there is no such invitation"))
        history = office.history(session, game)
        if after < history.since(seat):
            raise NotOpened(say("somebody else has that seat by now"))
        if game.status != "open" or seating.accepted_at is not None:
            return game.status != "open"
        seating.accepted_at = now
        session.flush()
        history = add(
            office, session, game, history, now, seat, door, "accept", [{"type": ACCEPTED, "seat": seat}]
        )
        history = start_when_full(office, session, game, history, now)
        session.commit()
    office.shelf.put(game_id, history)
    office.wake()
    return history.position is not None
