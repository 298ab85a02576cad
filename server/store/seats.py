"""Seats as an organiser asks for them, and what they and the game may be called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from emails.i18n import gettext, gettext_noop
from emails.letters.proposal_letter import (
    LONGEST_NAME,
    find_address_fault,
    name_from_address,
    tidy_address,
)
from emails.names import find_name_fault, find_player_name_fault, skeleton
from emails.picture.palette import clean_name
from emails.tokens import Ticket
from emails.wording.phrases import format_list
from engine.bots.characters import CHARACTERS, BotChoice, Strength, cast, find_bot_choice
from server.configuration.settings import Settings
from server.mail_addresses import is_reserved_address
from server.store.models import Seating
from server.store.refusals import Refusal, RefusalCode

HOUSE, OPEN = "house", "open"
WHOEVER_JOINS = gettext_noop("whoever joins")
"""Who has an open seat, where names are told."""


def ticket_to(seating: Seating, after: int, words: str = "") -> Ticket:
    """The ticket of whoever has a seat now, for the position after an act."""
    return Ticket(seating.game, seating.seat, after, words, seating.epoch)


class GameNotOpened(Refusal):
    """A game that cannot be opened, accepted or taken in."""

    code = RefusalCode.GAME_TERMS


@dataclass(frozen=True, slots=True)
class SeatRequest:
    """A seat as its organiser asks for it: a person with an address, the house, or whoever joins (None)."""

    name: str
    address: str | None
    language: str | None = None
    """Of their letters, where they have played nothing here yet; None: as whoever has chosen none."""
    open: bool = False
    """Whether somebody may take it who is not known yet."""
    bot: BotChoice = Strength.STEADY
    """Whom of the house, where it plays the seat."""

    @property
    def is_bot(self) -> bool:
        """Whether the server plays this seat."""
        return self.address is None and not self.open

    @classmethod
    def read(cls, text: str) -> SeatRequest:
        """A seat as it is written: `Anna <anna@example.org>`, an address, `open`, `house` or `house:strong`.

        Behind `house:` stands a strength or a name. Raises `GameNotOpened`.
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
    """Whom of the house a word means. Raises `GameNotOpened`."""
    choice = find_bot_choice(word)
    if choice is None:
        raise GameNotOpened(
            gettext(
                "nobody of the house is “%(given)s”: write %(strengths)s, or one of these names: %(names)s",
                given=clean_name(word, 60),
                strengths=format_list(Strength, "or"),
                names=", ".join(CHARACTERS),
            )
        )
    return choice


def checked_seats(requests: Sequence[SeatRequest]) -> list[SeatRequest]:
    """The seats with the house named, once they can be used. Raises `GameNotOpened`."""
    named: list[SeatRequest] = []
    people = [skeleton(request.name) for request in requests if not request.is_bot]
    of_house = iter(cast([request.bot for request in requests if request.is_bot], people))
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
            same = gettext("two seats are called %(name)s: give them names that differ", name=request.name)
            raise GameNotOpened(same)
    return named


def check_addresses(requests: Sequence[SeatRequest], settings: Settings) -> None:
    """Refuse addresses at which nobody can play; raises `GameNotOpened`."""
    for request in requests:
        if request.address is not None and is_reserved_address(request.address, settings):
            raise GameNotOpened(gettext(NOBODY_PLAYS_THERE, address=clean_name(request.address)))


NOBODY_PLAYS_THERE = gettext_noop(
    "nobody can play at “%(address)s”: it is an office's or a program's address, or no mail gets there"
)
BAD_GAME_NAME = gettext_noop("the game's name must have 1 to %(most)s letters that can be printed")
BAD_PLAYER_NAME = gettext_noop("a player's name must have 1 to %(most)s letters that can be printed")


def check_name(name: str) -> str:
    """A player's name with its blanks folded; raises `GameNotOpened` where it cannot be shown."""
    return _check(name, BAD_PLAYER_NAME, find_player_name_fault)


def check_game_name(name: str) -> str:
    """A game's name with its blanks folded; raises `GameNotOpened` where it cannot be shown."""
    return _check(name, BAD_GAME_NAME, find_name_fault)


def _check(name: str, wrong: str, find_fault: Callable[[str], str | None]) -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise GameNotOpened(gettext(wrong, most=LONGEST_NAME))
    if fault := find_fault(name):
        raise GameNotOpened(fault)
    return name


def is_name_taken(name: str, others: Iterable[str]) -> bool:
    """Whether a name, or one that a reader takes for it, is among the others."""
    return skeleton(name) in map(skeleton, others)
