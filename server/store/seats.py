"""Seats as an organiser asks for them, and what they and the game may be called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from emails.i18n import gettext, gettext_noop
from emails.letters.proposal_letter import LONGEST_NAME, MOST_HOURS, holds_link, is_address
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
        address = (found["address"] or found["bare"]).strip()
        name = (found["name"] or "").strip().strip('"').strip() or address.split("@")[0][:LONGEST_NAME]
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


def check_hours(hours: int) -> None:
    """Refuse a time for a turn that is none; raises `GameNotOpened`."""
    if not 1 <= hours <= MOST_HOURS:
        raise GameNotOpened(
            gettext("the hours for a turn are a whole number from 1 to %(most)s", most=MOST_HOURS)
        )


def checked_seats(requests: Sequence[SeatRequest]) -> list[SeatRequest]:
    """The seats with the house named, once they can be used. Raises `GameNotOpened`."""
    named: list[SeatRequest] = []
    people = [" ".join(request.name.split()) for request in requests if not request.is_bot]
    of_house = iter(cast([request.bot for request in requests if request.is_bot], people))
    for request in requests:
        if request.is_bot:
            one = next(of_house)
            named.append(SeatRequest(one.name, None, bot=one))
            continue
        if request.address is None:
            named.append(replace(request, name=""))
            continue
        if not is_address(request.address):
            raise GameNotOpened(
                gettext("“%(address)s” is no mail address", address=clean_name(request.address))
            )
        named.append(replace(request, name=check_name(request.name, BAD_PLAYER_NAME)))
    for index, request in enumerate(named):
        if request.name and any(request.name.casefold() == other.name.casefold() for other in named[:index]):
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


def check_name(name: str, wrong: str) -> str:
    """A name with its blanks folded; raises `GameNotOpened` with the sentence where it cannot be shown.

    One that holds a link would carry it to people who have asked for nothing.
    """
    name = " ".join(name.split())
    if holds_link(name):
        raise GameNotOpened(gettext("a name holds no link: leave out “://” and “www.”"))
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise GameNotOpened(gettext(wrong, most=LONGEST_NAME))
    return name
