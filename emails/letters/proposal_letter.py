"""A game that somebody asks for by mail: what was understood, what is missing, and the letter about it."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace

from emails.i18n import gettext, ngettext
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.letters.choice_lines import mailto_link
from emails.letters.guest_notes import LONGEST_NOTE, find_note_fault
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, render_letter
from emails.letters.subjects import subject_line
from emails.links import normalise_domain
from emails.names import break_links, find_player_name_fault, skeleton
from emails.picture.palette import clean_name
from emails.terms import USUAL_TIME, AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.wording import phrases
from emails.wording.advice_text import strength_word
from emails.wording.presence.terms_text import describe_terms
from emails.wording.times.deadlines import describe_turn_time
from engine.bots.characters import Strength, cast, find_bot_choice
from engine.editions import DEFAULT_EDITION, EDITIONS

ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)*[A-Za-z0-9-]{1,63}")
"""The addresses of RFC 5321 without quoted local parts and address literals."""
LONGEST_ADDRESS = 120
LONGEST_NAME = 40
FEWEST_PLAYERS, MOST_PLAYERS = 2, 4
"""Seats of a game."""
LONGEST_SHOWN = 80
"""Characters of a line that is shown to its writer."""


def is_address(text: str) -> bool:
    """Whether a mail can be sent there."""
    return len(text) <= LONGEST_ADDRESS and ADDRESS.fullmatch(text) is not None


def tidy_address(text: str) -> str:
    """An address as it was typed, with a domain in any script as mail servers spell it."""
    name, at, domain = text.strip().rpartition("@")
    plain = domain.isascii() and not domain.endswith(".")
    return f"{name}{at}{domain if plain else normalise_domain(domain)}"


def find_address_fault(text: str) -> str | None:
    """Why no mail can be sent there, as a sentence; None where it can."""
    if is_address(text):
        return None
    name, _, domain = text.rpartition("@")
    if name and not name.isascii() and is_address(f"x@{domain}"):
        return gettext("Mails cannot be sent yet to an address with other signs than a to z before its @.")
    return gettext("That is no mail address.")


def name_from_address(address: str) -> str:
    """What an address calls a person who gives no name: blanks for its dots, each word with a capital."""
    words = address.partition("@")[0].replace(".", " ").split(" ")
    named = " ".join(word[:1].upper() + word[1:] for word in words)
    return clean_name(break_links(named), LONGEST_NAME)


@dataclass(frozen=True, slots=True)
class Guest:
    """A person who is to play."""

    name: str
    address: str
    language: str = ""
    """Of their letters, where it is another than that of all who are new."""


@dataclass(frozen=True, slots=True)
class GameRequest:
    """A game as somebody asks for it."""

    organiser: Guest
    """The organiser, who plays too."""
    guests: tuple[Guest, ...] = ()
    """The other people, in the order in which they were named."""
    houses: tuple[str, ...] = ()
    """Seats that the server plays: for each a strength, or a name of the house."""
    open_seats: int = 0
    """Seats for whoever joins."""
    joined_by: JoinedBy = JoinedBy.NOBODY
    watched: bool = False
    """Whether anybody may watch."""
    advice: bool = True
    """Whether players may ask for good turns."""
    caretaker: Caretaker = Caretaker.GENTLE
    absence: AbsenceRule = AbsenceRule.TURN
    name: str = ""
    """Of the game; empty where they gave none."""
    edition: str = DEFAULT_EDITION.name
    time: TurnTime = USUAL_TIME
    is_nearest_pace: bool = False
    """Whether they asked for another time, to which that of no pace is nearer."""
    language: str = ENGLISH
    """Of the letters to people who are new."""
    note: str = ""
    """A line of the organiser's own to the guests, fit to be sent or not."""
    unread: tuple[str, ...] = ()
    """Their lines of which something was not understood."""
    unreachable: tuple[str, ...] = ()
    """What stood where addresses stand and is none that can be written to."""

    @property
    def seats(self) -> int:
        """How many seats such a game has."""
        return 1 + len(self.guests) + len(self.houses) + self.open_seats

    @property
    def title(self) -> str:
        """What the game is called, in the language spoken where they gave it no name."""
        given = self.name or gettext(
            "%(name)s's game", name=clean_name(self.organiser.name, LONGEST_NAME - 12)
        )
        return clean_name(given, LONGEST_NAME)


STORED_TERMS = {"joined_by": JoinedBy, "caretaker": Caretaker, "absence": AbsenceRule}


def game_request_to_json(request: GameRequest) -> str:
    """A game request as JSON."""
    return json.dumps(asdict(request))


def game_request_from_json(text: str) -> GameRequest:
    """A game request from its JSON; older ones say how many the house plays, and their time in hours."""
    found = json.loads(text)
    hours = [found.pop(key, 0) for key in ("hours", "bank", "refill")]
    found.pop("vacation_days", None)
    if isinstance(found["houses"], int):
        found["houses"] = [Strength.STEADY.value] * found["houses"]
    terms = {key: kind(found[key]) for key, kind in STORED_TERMS.items() if key in found}
    return GameRequest(
        **found
        | terms
        | {
            "organiser": Guest(**found["organiser"]),
            "time": TurnTime(**found["time"]) if "time" in found else TurnTime.of_hours(*hours),
            "guests": tuple(Guest(**guest) for guest in found["guests"]),
            "houses": tuple(found["houses"]),
            "unread": tuple(found["unread"]),
            "unreachable": tuple(found["unreachable"]),
        }
    )


def has_changes(asked: GameRequest, before: GameRequest) -> bool:
    """Whether this asks for another game than `before`; lines that could not be read do not count."""
    new = set(asked.unreachable) - set(before.unreachable)
    return bool(new) or replace(asked, unread=(), unreachable=()) != replace(
        before, unread=(), unreachable=()
    )


def validate_game_request(request: GameRequest) -> tuple[str, ...]:
    """Why such a game cannot be opened, a sentence for each thing; nothing where it can."""
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
    """What a game would be like, a line for each thing.

    `quoted`: whether the line to the guests is repeated. A letter to somebody who has confirmed nothing only
    says that there is one: whoever gave their address would write to them with it.
    """
    edition = EDITIONS[request.edition]
    return (
        gettext("Player: %(name)s (you)", name=phrases.safe_name(request.organiser.name)),
        *(_describe_guest(guest, request.language) for guest in request.guests),
        *_describe_house_seats(request),
        *_describe_open_seats(request),
        gettext("Name of the game: %(name)s", name=phrases.safe_name(title)),
        gettext(
            "Rules: %(edition)s, to %(points)s points",
            edition=phrases.edition_phrase(edition),
            points=edition.winning_score,
        ),
        _describe_time(request),
        gettext("Language for those who are new: %(language)s", language=LANGUAGES[request.language]),
        *describe_terms(request.advice, request.caretaker, request.absence),
        *((gettext("Anybody may watch; hands stay hidden."),) if request.watched else ()),
        *_describe_note(request.note, quoted),
    )


def _describe_time(request: GameRequest) -> str:
    time = describe_turn_time(request.time)
    if request.is_nearest_pace:
        return gettext("Time for a turn: %(time)s. No pace is nearer to what you asked for.", time=time)
    return gettext("Time for a turn: %(time)s", time=time)


def _describe_note(note: str, quoted: bool) -> tuple[str, ...]:
    if not note:
        return ()
    if quoted and find_note_fault(note) is None:
        return (gettext("To the guests you write: “%(note)s”", note=_clean_line(note, LONGEST_NOTE)),)
    number = len(note)
    return (
        ngettext(
            "To the guests you write a line of %(number)s character; it stands on the page.",
            "To the guests you write a line of %(number)s characters; it stands on the page.",
            number,
        ),
    )


def _describe_guest(guest: Guest, usual: str) -> str:
    name, address = phrases.safe_name(guest.name), clean_name(guest.address, LONGEST_ADDRESS)
    if guest.language in ("", usual):
        return gettext("Player: %(name)s, %(address)s", name=name, address=address)
    language = LANGUAGES[guest.language]
    return gettext(
        "Player: %(name)s, %(address)s, mails in %(language)s", name=name, address=address, language=language
    )


def _describe_open_seats(request: GameRequest) -> tuple[str, ...]:
    number = request.open_seats
    if not number:
        return ()
    if request.joined_by is JoinedBy.ALL:
        return (
            ngettext(
                "Player: whoever joins, for the game is listed for everybody",
                "Players: %(number)s who join, for the game is listed for everybody",
                number,
            ),
        )
    return (
        ngettext(
            "Player: whoever has the link to the seat",
            "Players: %(number)s who have the link to the seats",
            number,
        ),
    )


def _describe_house_seats(request: GameRequest) -> tuple[str, ...]:
    number = len(request.houses)
    if number >= MOST_PLAYERS:  # no game has so many
        return (gettext("Players: %(number)s of this server", number=number),)
    choices = [find_bot_choice(one) or Strength.STEADY for one in request.houses]
    people = [one.name for one in (request.organiser, *request.guests)]
    return tuple(
        gettext(
            "Player: %(name)s, played by this server (%(strength)s)",
            name=one.name,
            strength=strength_word(one.name),
        )
        for one in cast(choices, people)
    )


def describe_unread(request: GameRequest) -> tuple[str, ...]:
    """What of a mail was not understood: their lines, and what is no address."""
    return (
        *(
            gettext("“%(address)s” is no address that can be invited.", address=_show_address(address))
            for address in request.unreachable
        ),
        *(f"“{_clean_line(line)}”" for line in request.unread),
    )


def _show_address(address: str) -> str:
    """An address as it was written; what is none is shown as a line is."""
    return clean_name(address, LONGEST_SHOWN) if is_address(address) else _clean_line(address)


def _clean_line(line: str, longest: int = LONGEST_SHOWN) -> str:
    """A line that a stranger wrote, without links and the signs that part orders or begin tags."""
    return clean_name(break_links(clean_name(line, longest)).translate(phrases.TAMED_SIGNS), longest)


# --- the letter -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProposalContext:
    """What the letter about a game is made from that nobody has confirmed yet."""

    request: GameRequest
    title: str
    """What the game is to be called."""
    note: str
    """A sentence about the mail that it answers, or nothing."""
    page: str
    """Where it can be confirmed."""
    reply: str
    """The address of its answers."""
    stop: str
    """The page that stops such letters."""
    unwanted: str = ""
    """The page that ends letters that nobody has asked for, where the reader has confirmed nothing."""


def render_proposal(made: ProposalContext) -> Letter:
    """What was understood of a mail that asks for a game; the page or an answer opens it."""
    wrong = validate_game_request(made.request)
    parts = LetterParts(
        done=describe_game_request(made.request, made.title, quoted=not made.unwanted),
        undone=describe_unread(made.request),
        page="" if wrong else made.page,
        mail="" if wrong else mailto_link(made.reply, subject_line(made.title), gettext("yes")),
        example=gettext("yes"),
        stop=made.stop,
        unwanted=made.unwanted,
        rules=True,
    )
    reader = phrases.safe_name(made.request.organiser.name)
    words = {"reader": reader, "note": made.note, "faults": wrong}
    return render_letter(LetterKind.PROPOSAL, made.title, parts, words)
