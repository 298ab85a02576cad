"""Letters about games that have not begun, and the requests by which players propose such games."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from pydantic import TypeAdapter

from emails.i18n import gettext, gettext_noop, ngettext
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.letters.declaration import Payload, Policy, Situation, Sources, VacancyReason, letter
from emails.letters.parts import (
    BOARD_PICTURE,
    LetterParts,
    invitation_subject,
    mailto_link,
    reply_subject,
    subject_line,
)
from emails.letters.renderer import LONGEST_SENTENCE, Letter, Picture, render_letter
from emails.names import break_links, find_player_name_fault, holds_link, skeleton
from emails.picture.board_picture import draw_board
from emails.picture.palette import clean_name
from emails.terms import USUAL_TIME, AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.tokens import DECLINE_WORDS, normalise_domain
from emails.wording import phrases
from emails.wording.advice_text import strength_word
from emails.wording.phrases import format_minutes
from emails.wording.texts import say, tell
from engine.board import Board
from engine.bots.strengths import Strength, assign_profiles, find_bot_choice
from engine.cards import EMPTY
from engine.editions import DEFAULT_EDITION, EDITIONS, Edition
from engine.events import GameStarted
from engine.evolve import start
from engine.position import view

TURNS = {2: 30, 3: 35, 4: 40}
"""Usual number of turns in a game, of all players together, by number of seats."""
TIME_TAKEN = 0.5
"""Average fraction of the time limit that people use for a turn."""
AT_THE_PAGE = 60  # minutes per turn; so fast, people play a whole game in one evening
DAYS_BEFORE_WEEKS = 11
MINUTES_OF_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class GameLength:
    turns: int
    own: int
    days: float


def estimate_length(seats: int, people: int, minutes: int) -> GameLength:
    """Estimate the length of a game with a time limit of `minutes` per turn; turns of bots take no time."""
    turns = TURNS[min(seats, max(TURNS))]
    by_people = turns * people / seats
    return GameLength(turns, round(turns / seats), by_people * minutes * TIME_TAKEN / MINUTES_OF_DAY)


def format_span(length: GameLength, minutes: int) -> str:
    """Format a length, such as "about 4 weeks"; empty if `minutes`, the time limit of a turn, is 0."""
    if not minutes:
        return ""
    if minutes <= AT_THE_PAGE:
        return gettext("an evening")
    if length.days < DAYS_BEFORE_WEEKS:
        number = max(1, round(length.days))
        return ngettext("about %(number)s day", "about %(number)s days", number)
    return ngettext("about %(number)s week", "about %(number)s weeks", round(length.days / 7))


def describe_edition(edition: Edition) -> str:
    """Return the differences between this edition and the others, in one line."""
    differ = len({one.actions_per_turn for one in EDITIONS.values()}) > 1
    actions = edition.actions_per_turn if differ else 0
    return say("game_request.edition_facts", edition=edition, actions=actions)


LONGEST_NOTE = 200
LONGEST_READ = 1000


def tidy_note(text: str) -> str:
    return clean_name(text[:LONGEST_READ], LONGEST_READ)


def find_note_fault(note: str) -> str | None:
    """Return a sentence on why an organiser's note to invited players cannot be sent; None if valid."""
    if len(note) > LONGEST_NOTE:
        return gettext(
            "The line to your guests has %(number)s characters: it may have %(most)s.",
            number=len(note),
            most=LONGEST_NOTE,
        )
    if holds_link(note):
        return gettext(
            "The line to your guests holds no link and no address: leave out what looks like one, "
            "and put a blank after each full stop."
        )
    return None


@letter
class Invitation(Payload):
    kind = "invitation"
    policy = Policy(despite_bounce=True, recorded=True, unsolicited=True)
    note: str = ""
    """Line written by the organiser; empty if there is none, or if the recipient requested the seat."""

    def is_obsolete(self, now: Situation) -> bool:
        return not now.is_open or now.has_accepted()

    def compose(self, sources: Sources) -> Letter:
        made, links, title = sources.invitation(), sources.links, sources.title
        yes, no = gettext("yes"), gettext("no")
        address = links.reply_address(made.ticket, sources.letter)
        # To an unconfirmed address the subject does not quote the name that a stranger gave the game.
        subject = invitation_subject(made.asker, "" if links.unwanted else title)
        names = tuple(map(phrases.safe_name, made.players))
        people = len(made.players) - made.bots
        length = estimate_length(len(made.players), people, made.turn_time.minutes)
        parts = LetterParts(
            guest_note=clean_name(self.note.translate(phrases.TAMED_SIGNS), LONGEST_NOTE),
            time=format_minutes(made.turn_time.minutes),
            page=links.ticket_link(made.ticket),
            decline=links.ticket_link(replace(made.ticket, words=DECLINE_WORDS)),
            mail=mailto_link(address, subject, yes),
            example=yes,
            rules_page=links.rules_link(),
            unwanted=links.unwanted,
            alt=""
            if made.board is None
            else gettext("The board before the first turn, with Alexander on it."),
        )
        words = {
            "asker": phrases.safe_name(made.asker) if made.asker else "",
            "others": list(dict.fromkeys((*names[: sources.seat], *names[sources.seat + 1 :]))),
            "reader": names[sources.seat],
            "no": no,
            "reserve": say("time.in_reserve", time=made.turn_time),
            "turns": length.turns,
            "own": length.own,
            "span": format_span(length, made.turn_time.minutes),
        }
        invitation = render_letter(self.kind, title, parts, words, subject=subject)
        if made.board is None:
            return invitation
        drawn = draw_start(
            made.board, made.edition, ["" if seat in made.free else name for seat, name in enumerate(names)]
        )
        return replace(invitation, pictures=(Picture(BOARD_PICTURE, drawn, parts.alt),))


def render_unclear(sources: Sources, sentence: str) -> Letter:
    """Report that a reply to an invitation was neither yes nor no."""
    links, ticket, answered = sources.links, sources.invitation().ticket, sources.answered
    parts = LetterParts(
        page=links.ticket_link(ticket),
        decline=links.ticket_link(replace(ticket, words=DECLINE_WORDS)),
        unwanted=links.unwanted,
    )
    words = {"sentence": clean_name(sentence, LONGEST_SENTENCE), "invited": True, "yes": ""}
    subject = reply_subject(answered) if answered else ""
    return render_letter("refused", sources.title, parts, words, subject=subject)


def draw_start(board: Board, edition: Edition, names: Sequence[str]) -> str:
    """Draw the board before the first turn, without cards; `names` has "" for each seat not taken yet."""
    shown = tuple(name or "?" for name in names)
    dealt = GameStarted(board.name, edition.name, shown, (EMPTY,) * len(names), EMPTY)
    return draw_board(view(start(board, dealt), None))


@letter
class Accepted(Payload):
    kind = "accepted"
    policy = Policy(despite_unsubscribe=True)
    stranger_subject = gettext_noop("[Alexandros] You are in the game")

    def is_obsolete(self, now: Situation) -> bool:
        return not now.is_open

    def compose(self, sources: Sources) -> Letter:
        links = sources.links
        page = links.ticket_link(sources.invitation().ticket)
        awaited = list(dict.fromkeys(map(phrases.safe_name, sources.awaited())))
        words = {"reader": phrases.safe_name(sources.seat_name), "awaited": awaited}
        parts = LetterParts(page=page, unwanted=links.unwanted)
        return render_letter(self.kind, sources.title, parts, words)


@letter
class CalledOff(Payload):
    kind = "called_off"
    policy = Policy(waits=True)
    stranger_subject = gettext_noop("[Alexandros] The game is called off")

    def is_obsolete(self, now: Situation) -> bool:
        return now.has_left()

    def compose(self, sources: Sources) -> Letter:
        page, address = sources.links.new_game_links()
        words = {"reader": phrases.safe_name(sources.seat_name), "address": address}
        parts = LetterParts(page=page, unwanted=sources.links.unwanted)
        return render_letter(self.kind, sources.title, parts, words, answered=False)


@letter
class Declined(Payload):
    """Letter about a player who will not play, with the reason."""

    kind = "declined"
    policy = Policy(waits=True)
    seat: int
    name: str
    how: VacancyReason

    def is_obsolete(self, now: Situation) -> bool:
        return not (now.is_open and now.is_vacant(self.seat))

    def compose(self, sources: Sources) -> Letter:
        links, ticket = sources.links, sources.invitation().ticket
        parts = LetterParts(
            page=links.ticket_link(ticket),
            settings=links.page_link(ticket, "settings"),
            unwanted=links.unwanted,
        )
        words = {
            "reader": phrases.safe_name(sources.seat_name),
            "guest": phrases.safe_name(self.name),
            "how": self.how,
            "VacancyReason": VacancyReason,
            "joined": sources.is_joined_by_link(),
        }
        return render_letter(self.kind, sources.title, parts, words)


ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)*[A-Za-z0-9-]{1,63}")
"""Addresses of RFC 5321 except quoted local parts and address literals."""
LONGEST_ADDRESS = 120
LONGEST_NAME = 40
FEWEST_PLAYERS, MOST_PLAYERS = 2, 4
LONGEST_SHOWN = 80


def is_address(text: str) -> bool:
    return len(text) <= LONGEST_ADDRESS and ADDRESS.fullmatch(text) is not None


def tidy_address(text: str) -> str:
    """Convert the domain of an address to ASCII."""
    name, at, domain = text.strip().rpartition("@")
    plain = domain.isascii() and not domain.endswith(".")
    return f"{name}{at}{domain if plain else normalise_domain(domain)}"


def find_address_fault(text: str) -> str | None:
    """Return the reason why no mail can be sent to an address, as a sentence; None for a usable address."""
    if is_address(text):
        return None
    name, _, domain = text.rpartition("@")
    if name and not name.isascii() and is_address(f"x@{domain}"):
        return gettext("Mails cannot be sent yet to an address with other signs than a to z before its @.")
    return gettext("That is no mail address.")


def name_from_address(address: str) -> str:
    words = address.partition("@")[0].replace(".", " ").split(" ")
    named = " ".join(word[:1].upper() + word[1:] for word in words)
    return clean_name(break_links(named), LONGEST_NAME)


@dataclass(frozen=True, slots=True)
class Guest:
    name: str
    address: str
    language: str = ""
    """Language of letters to the guest; empty: the language of the game request."""


@dataclass(frozen=True, slots=True)
class GameRequest:
    organiser: Guest
    guests: tuple[Guest, ...] = ()
    houses: tuple[str, ...] = ()  # for each bot its strength or the name of its profile (engine/bots)
    open_seats: int = 0
    joined_by: JoinedBy = JoinedBy.NOBODY
    watched: bool = False
    advice: bool = True
    caretaker: Caretaker = Caretaker.GENTLE
    absence: AbsenceRule = AbsenceRule.TURN
    name: str = ""
    """Name of the game; if empty, `title` makes one."""
    edition: str = DEFAULT_EDITION.name
    time: TurnTime = USUAL_TIME
    is_nearest_pace: bool = False  # `time` is the offered one nearest to the requested one
    language: str = ENGLISH
    """Language of letters to players who are new to the server."""
    note: str = ""
    unread: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    """Texts that the organiser gave as addresses, but to which no mail can be sent."""

    @property
    def seats(self) -> int:
        return 1 + len(self.guests) + len(self.houses) + self.open_seats

    @property
    def title(self) -> str:
        """Return the name of the game, by default one such as "Anna's game" in the current language."""
        given = self.name or gettext(
            "%(name)s's game", name=clean_name(self.organiser.name, LONGEST_NAME - 12)
        )
        return clean_name(given, LONGEST_NAME)


STORED_REQUEST = TypeAdapter(GameRequest)


def game_request_to_json(request: GameRequest) -> str:
    return json.dumps(asdict(request))


def game_request_from_json(text: str) -> GameRequest:
    """Parse stored JSON; in old versions `houses` is the number of bots, and times are in hours."""
    found = json.loads(text)
    hours = [found.pop(key, 0) for key in ("hours", "bank", "refill")]
    if isinstance(found["houses"], int):
        found["houses"] = [Strength.STEADY] * found["houses"]
    found.setdefault("time", TurnTime.of_hours(*hours))
    return STORED_REQUEST.validate_python(found)


def has_changes(asked: GameRequest, before: GameRequest) -> bool:
    new = set(asked.unreachable) - set(before.unreachable)
    return bool(new) or replace(asked, unread=(), unreachable=()) != replace(
        before, unread=(), unreachable=()
    )


def validate_game_request(request: GameRequest) -> tuple[str, ...]:
    """Return the reasons why the requested game cannot be opened, one sentence each; empty if it can."""
    found = []
    players = request.seats
    if players < FEWEST_PLAYERS:
        found.append(
            gettext("A game needs one other player at least: somebody with a mail address, or the house.")
        )
    if players > MOST_PLAYERS:
        found.append(
            gettext(
                "A game has %(most)s players at most, and you named %(number)s.",
                most=MOST_PLAYERS,
                number=players,
            )
        )
    names = [skeleton(guest.name) for guest in (request.organiser, *request.guests)]
    for number, guest in enumerate((request.organiser, *request.guests)):
        if fault := find_player_name_fault(guest.name):
            found.append(phrases.capitalize_first(fault) + ".")
        if names.index(names[number]) == number and names.count(names[number]) > 1:
            name = phrases.safe_name(guest.name)
            found.append(gettext("Two players are called %(name)s: give them names that differ.", name=name))
    fault = find_note_fault(request.note)
    return (*found, fault) if fault else tuple(found)


def describe_game_request(request: GameRequest, title: str, *, quoted: bool = True) -> tuple[str, ...]:
    """Describe a game, one line for each property. If not `quoted`, the note is replaced by its length."""
    guests = [
        (
            phrases.safe_name(one.name),
            clean_name(one.address, LONGEST_ADDRESS),
            LANGUAGES[one.language] if one.language not in ("", request.language) else "",
        )
        for one in request.guests
    ]
    is_quoted = quoted and find_note_fault(request.note) is None
    lines = tell(
        "game_request.described",
        request=request,
        title=phrases.safe_name(title),
        organiser=phrases.safe_name(request.organiser.name),
        guests=guests,
        bots=[(name, strength_word(name)) for name in _name_bots(request)],
        edition=EDITIONS[request.edition],
        language=LANGUAGES[request.language],
        note=_clean_line(request.note, LONGEST_NOTE) if is_quoted else "",
    )
    return tuple(lines)


def _name_bots(request: GameRequest) -> list[str]:
    """Return the names of the requested bots; none if there are more of them than a game can have."""
    if len(request.houses) >= MOST_PLAYERS:
        return []
    choices = [find_bot_choice(one) or Strength.STEADY for one in request.houses]
    people = [one.name for one in (request.organiser, *request.guests)]
    return [one.name for one in assign_profiles(choices, people)]


def describe_unread(request: GameRequest) -> tuple[str, ...]:
    return (
        *(
            gettext("“%(address)s” is no address that can be invited.", address=_show_address(address))
            for address in request.unreachable
        ),
        *(f"“{_clean_line(line)}”" for line in request.unread),
    )


def _show_address(address: str) -> str:
    return clean_name(address, LONGEST_SHOWN) if is_address(address) else _clean_line(address)


def _clean_line(line: str, longest: int = LONGEST_SHOWN) -> str:
    return clean_name(break_links(clean_name(line, longest)).translate(phrases.TAMED_SIGNS), longest)


@letter
class Proposal(Payload):
    """Letter that shows the organiser of a game what the server understood; a yes invites the players."""

    kind = "proposal"
    policy = Policy(despite_bounce=True, unsolicited=True)
    stranger_subject = gettext_noop("[Alexandros] A game waits for your yes")
    note: str

    def is_obsolete(self, now: Situation) -> bool:
        return not (now.is_proposed and now.is_proposal_current())

    def compose(self, sources: Sources) -> Letter:
        links, title, yes = sources.links, sources.title, gettext("yes")
        request = game_request_from_json(sources.proposal())
        page, reply = links.proposal_links(sources.game_id)
        wrong = validate_game_request(request)
        parts = LetterParts(
            done=describe_game_request(request, title, quoted=not links.unwanted),
            undone=describe_unread(request),
            page="" if wrong else page,
            mail="" if wrong else mailto_link(reply, subject_line(title), yes),
            example=yes,
            stop=links.unsubscribe_links(sources.game_id, sources.seat)[0],
            unwanted=links.unwanted,
            rules=True,
        )
        reader = phrases.safe_name(request.organiser.name)
        words = {"reader": reader, "note": self.note, "faults": wrong}
        return render_letter(self.kind, title, parts, words)
