"""The form that opens a game as it was typed: its seats, its pace, its terms; and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from emails.i18n import current_locale, gettext, gettext_noop
from emails.languages.supported_languages import LANGUAGES
from emails.letters.guest_notes import LONGEST_READ, find_note_fault, tidy_note
from emails.letters.proposal_letter import GameRequest, Guest, name_from_address, tidy_address
from emails.terms import TURN_TIMES, AbsenceRule, Caretaker, JoinedBy, Tempo
from engine.bots.characters import Character, Strength
from engine.editions import DEFAULT_EDITION
from server.lobby.new_games import NewGame
from server.store.facts.server_facts import GameTerms
from server.store.histories import MOST_SEATS
from server.store.models import Player
from server.store.seats import SeatRequest, read_bot_choice
from server.web.kit import visitors
from server.web.lobby.house_choice import read_house_choice

USUAL_ABSENCE = "substitute"
ABSENCES: Mapping[str, tuple[AbsenceRule, str, str]] = {
    USUAL_ABSENCE: (
        AbsenceRule.TURN,
        gettext_noop("Wait twice for whoever is late, then offer the seat"),
        gettext_noop("A caretaker plays until they are back, or somebody else has taken the seat."),
    ),
    "kept": (
        AbsenceRule.SEAT,
        gettext_noop("Wait only once for whoever is late"),
        gettext_noop("Then a caretaker plays each of their turns at once until they are back."),
    ),
    "each": (
        AbsenceRule.ALWAYS,
        gettext_noop("Wait each time for whoever is late"),
        gettext_noop("A caretaker plays that one turn, and the seat stays theirs."),
    ),
}
"""The rules for whoever is late, as the form names them: what each is called there, and what it means."""


class SeatKind(StrEnum):
    """Who may play a seat, as the form says it."""

    ME = "me"
    """The visitor; where they are not signed in it is the first seat."""
    PERSON = "person"
    OPEN = "open"
    """Whoever joins."""
    BOT = "house"
    EMPTY = "nobody"
    """There is no such seat."""


@dataclass(frozen=True, slots=True)
class TypedSeat:
    """A seat as it was typed."""

    number: int
    kind: SeatKind
    name: str = ""
    address: str = ""
    language: str = ""
    """Of the letters; empty for that of the page."""
    bot: str = Strength.STEADY.value
    """Whom of the house, where the server plays."""


@dataclass(frozen=True, slots=True)
class NewGameForm:
    """The form as it was typed."""

    name: str = ""
    edition: str = DEFAULT_EDITION.name
    tempo: Tempo = Tempo.RELAXED
    seats: tuple[TypedSeat, ...] = tuple(
        TypedSeat(number, kind)
        for number, kind in enumerate((SeatKind.ME, SeatKind.PERSON, SeatKind.EMPTY, SeatKind.EMPTY), 1)
    )
    joined: str = JoinedBy.LINK
    """Who may take open seats: `link`, `all` or `nobody`."""
    watched: bool = False
    no_advice: bool = False
    quiet: bool = False
    """Whether the caretaker is to play quiet turns for whoever is late."""
    note: str = ""
    """A line to the guests."""
    absence: str = USUAL_ABSENCE
    """What happens when the time of a turn is over: one of `ABSENCES`."""

    @property
    def terms(self) -> GameTerms:
        """The terms of the game."""
        found = next((one for one in JoinedBy if one == self.joined), JoinedBy.NOBODY)
        caretaker = Caretaker.QUIET if self.quiet else Caretaker.GENTLE
        return GameTerms(
            found,
            self.watched,
            caretaker=caretaker,
            advice=not self.no_advice,
            absence=ABSENCES[self.absence][0],
        )


def read_form(form: Mapping[str, str]) -> NewGameForm:
    """What was typed; of what is missing or unknown, what the form begins with."""
    return NewGameForm(
        form.get("name", "").strip()[:200],
        form.get("edition", DEFAULT_EDITION.name)[:40],
        next((one for one in Tempo if one == form.get("tempo")), Tempo.RELAXED),
        tuple(_read_seat(form, number) for number in range(1, MOST_SEATS + 1)),
        form.get("joined", JoinedBy.LINK)[:10],
        form.get("watched") == "yes",
        form.get("no-advice") == "yes",
        form.get("quiet") == "yes",
        tidy_note(form.get("note", "")[:LONGEST_READ]),
        next((one for one in ABSENCES if one == form.get("absence")), USUAL_ABSENCE),
    )


def _read_seat(form: Mapping[str, str], number: int) -> TypedSeat:
    name, address = (form.get(f"{what}{number}", "").strip()[:200] for what in ("name", "address"))
    usual = SeatKind.PERSON if address else SeatKind.EMPTY
    chosen = form.get(f"kind{number}", usual)
    kind = next((one for one in SeatKind if one == chosen), SeatKind.EMPTY)
    if visitors.signed_in_player() is None:  # perhaps they were when the page was made
        kind = SeatKind.ME if number == 1 else SeatKind.PERSON if kind == SeatKind.ME else kind
    kind = SeatKind.PERSON if kind == SeatKind.EMPTY and (name or address) else kind
    language = form.get(f"language{number}", "")
    choice = read_house_choice(form, f"house{number}")
    word = choice.name if isinstance(choice, Character) else choice.value
    return TypedSeat(
        number, kind, name, tidy_address(address), language if language in LANGUAGES else "", word
    )


def find_faults(typed: NewGameForm, me: Player | None) -> dict[str, str]:
    """What is wrong, by the field beside which it is said."""
    found = {}
    kinds = [row.kind for row in typed.seats]
    for row in typed.seats:
        if row.kind == SeatKind.PERSON and not row.address:
            words = gettext("A person needs a mail address, to which the invitation goes.")
            found[f"address{row.number}"] = words
        if row.kind == SeatKind.ME and me is None and not row.address:
            found[f"address{row.number}"] = gettext("Your own address is needed: a mail goes there first.")
    if not {SeatKind.ME, SeatKind.PERSON, SeatKind.OPEN} & set(kinds):
        found["kind1"] = gettext("At least one seat must be a person's.")
    if kinds.count(SeatKind.ME) > 1:
        found[f"kind{kinds.index(SeatKind.ME) + 1}"] = gettext("You can have one seat.")
    if SeatKind.OPEN in kinds and not typed.terms.joined_by:
        found["joined"] = gettext("There is an open seat: say who may take it.")
    if fault := find_note_fault(typed.note):
        found["note"] = fault
    return found


def game_request_from(typed: NewGameForm) -> GameRequest:
    """The same game as its organiser confirms it, who is not signed in."""
    first, *others = typed.seats
    usual = first.language or current_locale().language
    guests = tuple(
        Guest(_name_of(row), row.address, row.language or current_locale().language)
        for row in others
        if row.kind == SeatKind.PERSON
    )
    kinds = [row.kind for row in others]
    return GameRequest(
        Guest(_name_of(first), first.address),
        guests,
        houses=tuple(row.bot for row in others if row.kind == SeatKind.BOT),
        open_seats=kinds.count(SeatKind.OPEN),
        joined_by=typed.terms.joined_by,
        watched=typed.watched,
        advice=typed.terms.advice,
        caretaker=typed.terms.caretaker,
        absence=typed.terms.absence,
        name=typed.name,
        edition=typed.edition,
        time=TURN_TIMES[typed.tempo],
        language=usual,
        note=typed.note,
    )


def _name_of(row: TypedSeat) -> str:
    return row.name or name_from_address(row.address)


def wanted_game_from(typed: NewGameForm, me: Player | None) -> NewGame:
    """The game as it is asked for; `me` is who is signed in. Nothing may be wrong with what was typed."""
    return NewGame(
        typed.name,
        tuple(_seat_requests(typed, me)),
        typed.edition,
        TURN_TIMES[typed.tempo],
        terms=typed.terms,
        note=typed.note,
    )


def _seat_requests(typed: NewGameForm, me: Player | None) -> Iterator[SeatRequest]:
    for row in typed.seats:
        if row.kind == SeatKind.BOT:
            yield SeatRequest("", None, bot=read_bot_choice(row.bot))
        elif row.kind == SeatKind.OPEN:
            yield SeatRequest("", None, open=True)
        elif row.kind == SeatKind.ME and me is not None:
            yield SeatRequest(row.name or me.name, me.address)
        elif row.kind != SeatKind.EMPTY:
            yield SeatRequest(_name_of(row), row.address, row.language or current_locale().language)
