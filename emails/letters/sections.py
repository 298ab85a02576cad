"""Sections of letters: answers to requests, such as the history, and reports of performed requests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from emails.i18n import gettext
from emails.languages.supported_languages import LANGUAGES
from emails.letters.account_letters import LetterPreferences
from emails.letters.game_letters import with_printable_names
from emails.letters.parts import GameLetterContext, GameLinks, LetterSection, example_recipient
from emails.names import names_of_last
from emails.terms import AbsenceNote
from emails.wording import texts
from emails.wording.board_text import describe_hand
from emails.wording.narration import TurnNews, list_turns, name_mover, narrate_events, split_turns
from emails.wording.plan_text import describe_plan, short_example
from emails.wording.requests import NUDGED, Request, RequestKind
from emails.wording.texts import say, tell
from engine.board import corners
from engine.editions import Edition
from engine.position import BLACK_WALLS, View, VisibleEvent

MOST_TURNS = 20
MOST_OF_HISTORY = 9_000
"""Maximum size of the listed turns, in bytes; the last turn is always listed."""
MOST_SECTION_BYTES = 16_000  # bytes of all sections of a letter; the rest of the letter is for the position


def build_sections(
    asked: Sequence[Request],
    context: GameLetterContext,
    happened: Sequence[VisibleEvent] = (),
    preferences: LetterPreferences | None = None,
    resigned: bool = False,
    absence: AbsenceNote | None = None,
) -> tuple[LetterSection, ...]:
    """Return a section for each different request; none for a request whose section would be empty."""
    found: list[LetterSection] = []
    room = MOST_SECTION_BYTES
    for request in dict.fromkeys(asked):
        heading, *lines = _tell(request, context, happened, preferences, resigned, absence) or [""]
        size = sum(len(line.encode()) for line in lines)
        if found and size > max(room, 0):
            lines = tell("sections.no_room")
        room -= size
        if lines:
            done = say("sections.done", request=request, absence=absence, resigned=resigned)
            found.append(LetterSection(heading, tuple(lines), done))
    return tuple(found)


def _tell(
    request: Request,
    context: GameLetterContext,
    happened: Sequence[VisibleEvent],
    preferences: LetterPreferences | None,
    resigned: bool,
    absence: AbsenceNote | None,
) -> list[str]:
    """Return the heading and the lines of a section; empty if the letter itself answers the request."""
    view = context.view
    match request.kind:
        case RequestKind.HELP:
            return _tell_help(context)
        case RequestKind.HAND:
            return tell("sections.hand", lines=describe_hand(view))
        case RequestKind.HISTORY:
            return _tell_history(context, happened, request.about)
        case RequestKind.RULES:
            return _tell_rules(view, request.about)
        case RequestKind.NO_REMINDERS:
            return tell("sections.no_reminders")
        case RequestKind.SETTINGS | RequestKind.REMINDERS | RequestKind.ZONE if preferences:
            language, time = LANGUAGES[preferences.language], context.turn_time
            return tell("sections.settings", wants=preferences, language=language, turn_time=time)
        case RequestKind.PLAN | RequestKind.NO_PLAN:
            return tell("sections.plan", lines=describe_plan(context.plan, view.table))
        case RequestKind.WHEN:
            outlook, now = context.next_turn, context.now
            return tell("sections.when", view=view, resigned=resigned, outlook=outlook, now=now)
        case RequestKind.NUDGE:
            return tell("sections.nudge", nudged=gettext(NUDGED))
        case RequestKind.NEW_LINKS:
            return tell("sections.new_links")
        case RequestKind.REST if absence:
            return tell("sections.rest", absence=absence, page=GameLinks(context, "").away)
        case RequestKind.AWAY if absence:
            return tell("sections.away", absence=absence)
        case RequestKind.BACK if absence:
            return tell("sections.back", absence=absence, been=request.about)
        case RequestKind.RESIGN if resigned:
            return tell("sections.resign", over=view.table.over, can_return=context.can_return)
        case _:
            return []


def _tell_help(context: GameLetterContext) -> list[str]:
    board = context.view.table.board
    (space, place), (_, other) = islice(board.names.items(), 2)
    return tell(
        "sections.help",
        place=place,
        other=other,
        corner=corners(space)[0],
        gift=len(context.view.table.names) > 2,
        friend=example_recipient(with_printable_names(context).view, context.messages),
        plan=short_example(board),
    )


def _tell_history(context: GameLetterContext, happened: Sequence[VisibleEvent], until: str) -> list[str]:
    """Narrate the game, one line for each turn, up to turn `until`; of a long game only the last turns."""
    view, names = context.view, names_of_last(context.seat_names, len(happened))
    if not happened:
        return []
    began, _ = split_turns(happened)
    turns = list_turns(happened, view.table, names=names)
    last = min(len(turns), max(1, int(until))) if until else len(turns)
    told: list[str] = []
    room = MOST_OF_HISTORY
    for number in range(last, max(0, last - MOST_TURNS), -1):
        line = _turn_line(view, number, turns[number - 1])
        room -= len(line.encode())
        if told and room < 0:
            break
        told.append(line)
    left = last - len(told)
    begun = () if left else narrate_events(began, view, names[: len(began)])
    return tell("sections.history", left=left, lines=[*begun, *reversed(told)])


def _turn_line(view: View, number: int, turn: TurnNews) -> str:
    return gettext(
        "Turn %(turn)s, %(name)s: %(deeds)s",
        turn=number,
        name=name_mover(turn, view),
        deeds=" ".join(narrate_events(turn.events, view, turn.names)),
    )


def _tell_rules(view: View, about: str) -> list[str]:
    edition, parts = view.table.edition, texts.part_titles()
    if not about:
        rules = summarise_rules(edition, len(view.table.names))
        return tell("sections.game_in_brief", rules=rules, parts=parts)
    found = texts.find_clauses(about, edition)
    if not found:
        return tell("sections.no_clause", number=about, near=texts.nearest_numbers(about))
    part = parts[found[0].number.partition(".")[0]]
    differs = any(one.number.startswith("9.") or "(9." in one.text for one in found)
    return tell("sections.clauses", found=found, part=part, edition=edition.name if differs else "")


def summarise_rules(edition: Edition, seats: int = 0) -> list[str]:
    """Summarise the rules of an edition for `seats` players; 0: for any number."""
    actions, winning = edition.actions_per_turn, edition.winning_score
    return tell("rules.in_brief", seats=seats, actions=actions, winning=winning, black=BLACK_WALLS)
