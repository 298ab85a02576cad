"""Playing again: the same people, house seats and terms. Each game that is over is followed by one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.i18n import say, sentence
from emails.picture.palette import plain_name
from emails.wording import phrases
from server.lobby.games import LONGEST_NAME, NotOpened, Wish, accept, checked, invite, new_id
from server.lobby.open_seats import MOST_TRIES, NotJoined, is_open, join, seats_of
from server.store.context import Office
from server.store.event_log import History, Stale
from server.store.game_terms import Terms, opening
from server.store.models import CANCELLED, Game, Opening, Player, Seating

HOURS = 48
"""For a turn, where the game that is over had no limit."""
MOST_TIMES = 3
"""Games that may follow one in vain: each that is called off has cost the others letters."""
MOST_BEFORE = 1000
"""Games that are counted as played again, so that nothing runs on for ever."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """A new game, and the seat that somebody has in it."""

    game: str
    seat: int


def rematch_of(session: Session, game: str) -> Game | None:
    """The game in which a finished one is played again; None where nobody has asked for that yet."""
    chosen = select(Game).join(Opening, col(Opening.game) == Game.id).where(Opening.rematch_of == game)
    return session.exec(chosen.where(Game.status != CANCELLED).order_by(col(Game.opened_at).desc())).first()


def play_again(office: Office, game: str, seat: int, now: datetime) -> Rematch:
    """Open the game that follows a finished one, for the player of a seat, or take his seat in it. Commits.

    Pressed twice, or by two at once, it is one new game. Who presses is in at once, all others are invited.
    Raises `NotJoined`: the game is not over, or no seat is left for him in the new one.
    """
    for _ in range(MOST_TRIES):
        try:
            opened = _opened(office, game, seat, now)
        except Stale:
            continue
        except NotOpened as error:
            raise NotJoined(phrases.begun(str(error)) + ".") from None
        office.wake()
        return opened
    raise NotJoined(say("Others acted at this moment. Please press once more."))


def _opened(office: Office, game: str, seat: int, now: datetime) -> Rematch:
    with office.writing() as session:
        old, seating = session.get(Game, game), session.get(Seating, (game, seat))
        if old is None or seating is None or seating.player is None:
            raise NotJoined(say("Nobody plays on that seat."))
        if old.status != "over":
            raise NotJoined(say("This game is not over yet."))
        player, name, known = seating.player, seating.name, rematch_of(session, game)
        if known is None:
            _check_often(session, game)
            made, own, history = _open(office, session, old, seat, now)
            session.commit()
            office.shelf.put(made.id, history)
            return Rematch(made.id, own)
        taken = [one.seat for one in seats_of(session, known.id) if one.player == player]
        after = office.history(session, known).since(taken[0]) if taken else 0
    if not taken:
        return Rematch(known.id, join(office, known.id, player, name, now))
    accept(office, known.id, taken[0], now, "web", after)
    return Rematch(known.id, taken[0])


def _check_often(session: Session, game: str) -> None:
    """Refuse to invite the same people again and again; raises `NotJoined`."""
    before = select(func.count()).select_from(Opening).where(Opening.rematch_of == game)
    if session.exec(before).one() >= MOST_TIMES:
        sentence = say("The rematch was called off several times already. You can start a new game.")
        raise NotJoined(sentence)


def _open(office: Office, session: Session, old: Game, seat: int, now: datetime) -> tuple[Game, int, History]:
    """The new game, the seat that falls to the player of an old one, and its history. No commit."""
    seats, before = seats_of(session, old.id), opening(session, old.id)
    people = {one.player: session.get_one(Player, one.player) for one in seats if one.player is not None}
    wishes = [
        Wish(one.name, None if one.player is None else people[one.player].address, open=is_open(one))
        for one in seats
    ]
    terms = Terms("link", before.watched, old.id)  # a seat that somebody will not have again may be another's
    hours = old.hours or HOURS
    name, drawn = checked(_name(session, old), wishes, old.edition, hours, terms.joined_by)
    office.lots.shuffle(drawn)
    address = wishes[seat].address
    own = next(number for number, wish in enumerate(drawn) if wish.address == address)
    made = Game(id=new_id(), name=name, board=old.board, edition=old.edition, hours=hours, opened_at=now)
    session.add(made)
    session.flush()
    return made, own, invite(office, session, made, drawn, (own,), now, own, "web", "rematch", terms)


def _name(session: Session, old: Game) -> str:
    """What the new game is called: as the first of all was, and that it is played again."""
    first, times = old, 1
    while times < MOST_BEFORE:
        before = session.get(Game, opening(session, first.id).rematch_of)
        if before is None:
            break
        first, times = before, times + 1
    named = sentence("%(name)s, again") if times == 1 else sentence("%(name)s, again %(number)s")
    room = LONGEST_NAME - len(say(named, name="", number=times))
    return say(named, name=plain_name(first.name, room), number=times)
