"""Terms of a game: requested seats, who may join or watch, and which game it repeats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Integer, and_, bindparam, exists, func, or_
from sqlalchemy import select as plain_select
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.i18n import gettext, gettext_noop
from emails.letters import lobby_letters
from emails.letters.lobby_letters import LONGEST_NAME, find_address_fault, name_from_address, tidy_address
from emails.names import find_name_fault, find_player_name_fault, skeleton
from emails.picture.palette import clean_name
from emails.terms import AbsenceRule, Caretaker, JoinedBy
from emails.tokens import Ticket
from emails.wording.phrases import format_list, safe_name
from engine.bots.strengths import PROFILES, BotChoice, Strength, assign_profiles, find_bot_choice
from server.mail_addresses import is_reserved_address
from server.settings import Settings
from server.store.dialects import hexed
from server.store.event_log import MOST_MISSED, Absence, History, Refusal, RefusalCode
from server.store.models import IS_RUNNING, Game, OfferedSeat, OutgoingLetter, Seating, StoredTerms, read_id
from server.store.schedule import read_alone
from server.store.server_facts import GameTerms
from server.store.states import GameStatus

HOUSE, OPEN = "house", "open"
OPEN_SEAT_NAME = gettext_noop("a player who joins")


def ticket_to(seating: Seating, after: int, words: str = "") -> Ticket:
    return Ticket(seating.game, seating.seat, after, words, seating.generation)


class GameNotOpened(Refusal):
    """A game cannot be created, accepted or imported."""

    code = RefusalCode.GAME_TERMS


@dataclass(frozen=True, slots=True)
class SeatRequest:
    """A seat as requested by the organiser: a person with an address, a bot, or open to others."""

    name: str
    address: str | None
    language: str | None = None
    open: bool = False
    bot: BotChoice = Strength.STEADY

    @property
    def is_bot(self) -> bool:
        return self.address is None and not self.open

    @classmethod
    def read(cls, text: str) -> SeatRequest:
        """Parse a seat: `Anna <anna@example.org>`, an address, `open` (anybody may join) or `house` (a bot).

        A strength or a bot's name may follow, as in `house:strong`. Raises `GameNotOpened`.
        """
        text = text.strip()
        if text.casefold() == OPEN:
            return cls("", None, open=True)
        kind, _, whom = text.partition(":")
        if text.casefold() == HOUSE:
            return cls("", None)
        if kind.strip().casefold() == HOUSE and whom.strip():
            return cls("", None, bot=read_bot_choice(whom))
        found = re.fullmatch(r"(?:(?P<name>[^<>]*)<(?P<address>[^<>]+)>|(?P<bare>[^<>\s]+@[^<>\s]+))", text)
        if not found:
            raise GameNotOpened(
                gettext(
                    "a seat is written like “Anna <anna@example.org>”, “open”, “house” or “house:strong”, "
                    "not “%(given)s”",
                    given=text[:60],
                )
            )
        address = tidy_address(found["address"] or found["bare"])
        name = (found["name"] or "").strip().strip('"').strip() or name_from_address(address)
        return cls(name, address)


def read_bot_choice(word: str) -> BotChoice:
    choice = find_bot_choice(word)
    if choice is None:
        raise GameNotOpened(
            gettext(
                "nobody of the house is “%(given)s”: write %(strengths)s, or one of these names: %(names)s",
                given=clean_name(word, 60),
                strengths=format_list(Strength, "or"),
                names=", ".join(PROFILES),
            )
        )
    return choice


def checked_seats(requests: Sequence[SeatRequest]) -> list[SeatRequest]:
    named: list[SeatRequest] = []
    people = [skeleton(request.name) for request in requests if not request.is_bot]
    of_house = iter(assign_profiles([request.bot for request in requests if request.is_bot], people))
    for request in requests:
        if request.is_bot:
            one = next(of_house)
            named.append(SeatRequest(one.name, None, bot=one))
            continue
        if request.address is None:
            named.append(replace(request, name=""))
            continue
        if fault := find_address_fault(request.address):
            raise GameNotOpened(f"“{clean_name(request.address)}”: {fault}")
        named.append(replace(request, name=check_name(request.name)))
    for index, request in enumerate(named):
        if request.name and is_name_taken(request.name, (other.name for other in named[:index])):
            name = safe_name(request.name)
            same = gettext("two seats are called %(name)s: give them names that differ", name=name)
            raise GameNotOpened(same)
    return named


def check_addresses(requests: Sequence[SeatRequest], settings: Settings) -> None:
    for request in requests:
        if request.address is not None and is_reserved_address(request.address, settings):
            raise GameNotOpened(gettext(NOBODY_PLAYS_THERE, address=clean_name(request.address)))


NOBODY_PLAYS_THERE = gettext_noop(
    "nobody can play at “%(address)s”: it is an office's or a program's address, or no mail gets there"
)
BAD_GAME_NAME = gettext_noop("the game's name must have 1 to %(most)s letters that can be printed")
BAD_PLAYER_NAME = gettext_noop("a player's name must have 1 to %(most)s letters that can be printed")


def check_name(name: str) -> str:
    """Put one blank between the words of a name. Raises `GameNotOpened` if no player may have this name."""
    return _check(name, BAD_PLAYER_NAME, find_player_name_fault)


def check_game_name(name: str) -> str:
    """Put one blank between the words of a name. Raises `GameNotOpened` if no game may have this name."""
    return _check(name, BAD_GAME_NAME, find_name_fault)


def _check(name: str, wrong: str, find_fault: Callable[[str], str | None]) -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise GameNotOpened(gettext(wrong, most=LONGEST_NAME))
    if fault := find_fault(name):
        raise GameNotOpened(fault)
    return name


def is_name_taken(name: str, others: Iterable[str]) -> bool:
    """Return whether the name, or a name that looks like it, is among the others."""
    return skeleton(name) in map(skeleton, others)


LISTED_FOR = timedelta(days=30)


USUAL_TERMS = GameTerms(caretaker=Caretaker.GENTLE, advice=True, absence=AbsenceRule.TURN)


def terms_of(session: Session, game: str) -> StoredTerms:
    return session.get(StoredTerms, game) or StoredTerms(game=game)


def rule_when_late(rule: AbsenceRule, history: History, seat: int) -> AbsenceRule:
    missed = history.absences.get(seat, Absence()).missed + 1
    return AbsenceRule.ALWAYS if rule == AbsenceRule.TURN and missed < MOST_MISSED else rule


def is_return_open(game: Game, history: History, seat: int) -> bool:
    """Return whether a resigned player can return: the seat is offered and not yet taken."""
    return seat in history.resigned and seat in history.offers and game.status == GameStatus.RUNNING


def find_pause_end(game: Game, history: History) -> datetime | None:
    """Return when a pause ends by itself; None if the game is not paused or not running."""
    return history.agreements.pause_ends if game.status == GameStatus.RUNNING else None


def organiser_seat(session: Session, game: str, history: History) -> int | None:
    seat = terms_of(session, game).seat
    return None if seat in history.seat_tenures else seat


def organiser_seating(session: Session, game: str) -> Seating | None:
    seat = terms_of(session, game).seat
    return None if seat is None else session.get(Seating, (game, seat))


def organiser_generation(session: Session, game: str) -> int:
    seating = organiser_seating(session, game)
    return 0 if seating is None else seating.generation


# --- games that strangers may find ----------------------------------------------------------------------


SELECT_GAMES = select(Game).where(col(Game.id).in_(bindparam("games", expanding=True)))
SELECT_NAMES = (
    plain_select(col(Seating.game), col(Seating.name))
    .where(col(Seating.game).in_(bindparam("games", expanding=True)))
    .order_by(col(Seating.game), col(Seating.seat))
)


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in a public list, with its players' names and number of free seats."""

    game: Game
    names: tuple[str, ...]
    free: int


IS_ASKED = exists().where(
    and_(
        col(OutgoingLetter.game) == col(Seating.game),
        col(OutgoingLetter.seat) == col(Seating.seat),
        col(OutgoingLetter.kind) == lobby_letters.Invitation.kind,
        col(OutgoingLetter.seq) > 1,
    )
)
IS_HELD = and_(col(Seating.accepted_at).is_(None), IS_ASKED)  # invited, but not accepted: open to others
HAS_FREE_SEAT = exists().where(
    col(Seating.game) == Game.id, or_(col(Seating.player).is_(None), IS_HELD), ~col(Seating.house)
)
MOST = bindparam("most", type_=Integer)
SELECT_JOINABLE = (
    select(hexed(Game.id))
    .join(StoredTerms, col(StoredTerms.game) == Game.id)
    .where(
        col(StoredTerms.joined_by) == JoinedBy.ALL,
        col(Game.status) == GameStatus.OPEN,
        col(Game.opened_at) > bindparam("since"),
        HAS_FREE_SEAT,
        col(Game.suspended_at).is_(None),
    )
    .order_by(col(Game.opened_at).desc())
    .limit(MOST)
)
SELECT_OFFERED = (
    select(hexed(OfferedSeat.game), func.count())
    .select_from(OfferedSeat)
    .join(Game, col(Game.id) == OfferedSeat.game)
    .join(StoredTerms, col(StoredTerms.game) == OfferedSeat.game)
    .where(or_(col(StoredTerms.joined_by) == JoinedBy.ALL, col(StoredTerms.watched)))
    .where(IS_RUNNING, col(Game.suspended_at).is_(None))
    .group_by(col(OfferedSeat.game))
    .order_by(func.max(OfferedSeat.at).desc())
    .limit(MOST)
)
SELECT_WATCHABLE = (
    select(hexed(Game.id))
    .where(col(Game.status) == GameStatus.RUNNING, col(Game.watched_at).is_not(None))
    .order_by(col(Game.watched_at).desc())
    .limit(MOST)
)


def list_joinable_games(session: Session, now: datetime, most: int) -> list[ListedGame]:
    asked = {"since": now - LISTED_FOR, "most": most}
    return _with_seats(session, map(read_id, session.exec(SELECT_JOINABLE, params=asked)))


def list_offered_games(session: Session, most: int) -> list[ListedGame]:
    offered = session.exec(SELECT_OFFERED, params={"most": most})
    free = {read_id(game): seats for game, seats in offered}
    return [replace(one, free=free[one.game.id]) for one in _with_seats(session, free)]


def list_watchable_games(session: Session, most: int) -> list[ListedGame]:
    return _with_seats(session, map(read_id, session.exec(SELECT_WATCHABLE, params={"most": most})))


def _with_seats(session: Session, games: Iterable[str]) -> list[ListedGame]:
    """Return the games with these ids; if one cannot be read, each is read alone to leave that one out."""
    ids = list(games)
    if not ids:
        return []
    try:
        return _list_games(session, ids)
    except OperationalError:
        raise
    except Exception:
        found = (read_alone(f"game {number}", partial(_list_games, session, [number])) for number in ids)
        return [one for games in found if games is not None for one in games]


def _list_games(session: Session, ids: Sequence[str]) -> list[ListedGame]:
    games = {one.id: one for one in session.exec(SELECT_GAMES, params={"games": ids})}
    names: dict[str, list[str]] = {game: [] for game in ids}
    for game, name in session.connection().execute(SELECT_NAMES, {"games": ids}):
        names[game].append(name)
    return [ListedGame(games[one], tuple(filter(None, names[one])), names[one].count("")) for one in ids]
