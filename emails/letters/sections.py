"""Sections of letters: answers to requests, such as the history, and reports of performed requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from emails.i18n import gettext, gettext_noop, ngettext
from emails.letters.account_letters import LetterPreferences, describe_preferences
from emails.letters.contexts import GameLetterContext, LetterSection, example_recipient
from emails.letters.game_letters import with_printable_names
from emails.letters.parts import GameLinks
from emails.letters.renderer import AS_TEXT, translate_order
from emails.names import names_of_last
from emails.wording import rules_text
from emails.wording.absences import (
    AbsenceNote,
    describe_absence,
    describe_return,
    describe_sleep_hours,
    format_days,
    format_near_day,
    mention_sleep_page,
    name_city,
)
from emails.wording.board_text import describe_hand
from emails.wording.deadlines import answer_when
from emails.wording.narration import TurnNews, list_turns, name_mover, narrate_events, split_turns
from emails.wording.phrases import format_list
from emails.wording.plan_text import describe_plan, short_example
from emails.wording.requests import (
    NUDGED,
    PLAN_KEPT,
    REQUESTS_OF_PRESENCE,
    UNKNOWN_ZONE,
    WAS_AWAY,
    WAS_KEPT,
    Request,
    RequestKind,
    request_word,
)
from engine.board import corners
from engine.editions import Edition
from engine.position import BLACK_WALLS, View, VisibleEvent


def describe_done(request: Request, absence: AbsenceNote | None = None, *, resigned: bool = False) -> str:
    """Return a clause that states what a request has changed.

    Empty for requests that only show something, and for commands with a sentence of their own.
    """
    about = request.about
    match request.kind:
        case RequestKind.PLAN:
            return gettext("your plan is kept") if about == PLAN_KEPT else ""
        case RequestKind.NO_PLAN:
            return gettext("you plan nothing any more")
        case RequestKind.AWAY:
            return "" if absence is None or not absence.days else _describe_away(about, absence.today)
        case RequestKind.BACK:
            return gettext("you are there again") if {WAS_AWAY, WAS_KEPT} & {*about.split()} else ""
        case RequestKind.REMINDERS:
            return gettext("you get reminders again")
        case RequestKind.NO_REMINDERS:
            return gettext("you get no reminders any more")
        case RequestKind.ZONE:
            unknown = gettext("no time zone is known by that name")
            known = gettext("times are by the clock of %(city)s", city=name_city(about))
            return (unknown if about == UNKNOWN_ZONE else known) if about else ""
        case RequestKind.NUDGE:
            return gettext("your reminder is passed on")
        case RequestKind.NEW_LINKS:
            return gettext("your links are new")
        case RequestKind.RESIGN:
            return gettext("you have resigned") if resigned else ""
        case _:
            return ""


def _describe_away(about: str, today: date) -> str:
    """Describe an absence such as "2027-01-12 - 2027-01-20"; empty for other texts."""
    begins, _, ends = about.partition(" - ")
    if not ends:
        return ""
    first, last = date.fromisoformat(begins), date.fromisoformat(ends)
    if first <= today:
        return gettext("you are away until the end of %(day)s", day=format_near_day(last, today))
    if first == last:
        return gettext("you are away %(days)s", days=format_days(first, last))
    first_day, last_day = format_near_day(first, today), format_near_day(last, today)
    return gettext("you are away from %(first)s to the end of %(last)s", first=first_day, last=last_day)


MOST_TURNS = 20
MOST_OF_HISTORY = 9_000
"""Maximum size of the listed turns, in bytes; the last turn is always listed."""


def history_lines(
    context: GameLetterContext, happened: Sequence[VisibleEvent], until: str = ""
) -> Iterator[str]:
    """Narrate the game, one line for each turn, up to turn `until`; of a long game only the last turns."""
    view, names = context.view, names_of_last(context.seat_names, len(happened))
    if not happened:
        return
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
    if left:
        yield ngettext(
            "%(number)s earlier turn is not told here: “%(words)s” shows it.",
            "%(number)s earlier turns are not told here: “%(words)s” shows the last of them.",
            left,
            words=f"{request_word(RequestKind.HISTORY)} {left}",
        )
    else:
        yield from narrate_events(began, view, names[: len(began)])
    yield from reversed(told)


def _turn_line(view: View, number: int, turn: TurnNews) -> str:
    return gettext(
        "Turn %(turn)s, %(name)s: %(deeds)s",
        turn=number,
        name=name_mover(turn, view),
        deeds=" ".join(narrate_events(turn.events, view, turn.names)),
    )


def rules_section(view: View, about: str) -> LetterSection:
    if not about:
        return LetterSection(gettext("The game in two minutes"), tuple(_rules_summary_lines(view)))
    found = rules_text.find_clauses(about, view.table.edition)
    if not found:
        near = format_list(rules_text.nearest_numbers(about), "or")
        words = gettext(
            "There is no rule %(number)s; the nearest is %(numbers)s.", number=about, numbers=near
        )
        return LetterSection(gettext("From the rules"), (words,))
    title = rules_text.part_titles()[found[0].number.partition(".")[0]]
    lines = [gettext("Rule %(number)s: %(text)s", number=one.number, text=one.text) for one in found]
    if any(one.number.startswith("9.") or "(9." in one.text for one in found):
        lines.append(gettext("The edition of this game is %(edition)s.", edition=view.table.edition.name))
    return LetterSection(gettext("From the rules: %(part)s", part=title), tuple(lines))


def summarise_rules(edition: Edition, seats: int = 0) -> Iterator[str]:
    """Summarise the rules of an edition for `seats` players; 0: for any number."""
    template = AS_TEXT.get_template("common.words")
    facts = {
        "seats": seats,
        "actions": edition.actions_per_turn,
        "winning": edition.winning_score,
        "black": BLACK_WALLS,
    }
    text = "".join(template.blocks["rules"](template.new_context(facts)))
    yield from filter(None, map(str.strip, text.splitlines()))


def _rules_summary_lines(view: View) -> Iterator[str]:
    yield from summarise_rules(view.table.edition, len(view.table.names))
    yield gettext(
        "To read one rule, write for example “%(words)s” on a line of its own.",
        words=f"{request_word(RequestKind.RULES)} 5.9",
    )
    parts = (f"{title} ({number})" for number, title in rules_text.part_titles().items())
    yield gettext(
        "With “%(words)s” you get a whole part; the parts are: %(parts)s.",
        words=f"{request_word(RequestKind.RULES)} 5",
        parts="; ".join(parts),
    )


MOST_SECTION_BYTES = 16_000  # bytes of all sections of a letter; the rest of the letter is for the position

NEW_LINKS = gettext_noop(
    "The links and the address of this mail are yours. Those of your earlier mails open nothing any more."
)

NO_REMINDERS = gettext_noop("No reminders come while your time goes. Write “%(word)s”, and they come again.")


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
        made = (
            _absence_section(request, absence)
            if request.kind in REQUESTS_OF_PRESENCE
            else _build_section(request, context, happened, preferences, resigned, absence)
        )
        made = replace(made, done=describe_done(request, absence, resigned=resigned))
        size = sum(len(line.encode()) for line in made.lines)
        if found and size > max(room, 0):
            left_out = gettext("There is no room for this here: ask for it in a mail alone.")
            made = replace(made, lines=(left_out,))
        room -= size
        if made.lines:
            found.append(made)
    return tuple(found)


def _build_section(
    request: Request,
    context: GameLetterContext,
    happened: Sequence[VisibleEvent],
    preferences: LetterPreferences | None,
    resigned: bool,
    absence: AbsenceNote | None,
) -> LetterSection:
    view = context.view
    match request.kind:
        case RequestKind.HELP:
            return LetterSection(gettext("What you can write"), tuple(_help_lines(context)))
        case RequestKind.HAND:
            return LetterSection(gettext("Your cards and what they can do"), tuple(describe_hand(view)))
        case RequestKind.HISTORY:
            return LetterSection(
                gettext("The game so far"), tuple(history_lines(context, happened, request.about))
            )
        case RequestKind.RULES:
            return rules_section(view, request.about)
        case RequestKind.NO_REMINDERS:
            line = gettext(NO_REMINDERS, word=request_word(RequestKind.REMINDERS))
            return LetterSection(gettext("Your reminders"), (line,))
        case RequestKind.SETTINGS | RequestKind.REMINDERS | RequestKind.ZONE:
            lines = () if preferences is None else tuple(describe_preferences(preferences, context.turn_time))
            return LetterSection(gettext("Your settings for this game"), lines)
        case RequestKind.PLAN | RequestKind.NO_PLAN:
            return LetterSection(gettext("Your plan"), tuple(describe_plan(context.plan, view.table)))
        case RequestKind.WHEN:
            return LetterSection(gettext("When it is your turn"), (_when_line(context, resigned),))
        case RequestKind.NUDGE:
            return LetterSection(gettext("A reminder"), (gettext(NUDGED),))
        case RequestKind.NEW_LINKS:
            return LetterSection(gettext("Your links"), (gettext(NEW_LINKS),))
        case RequestKind.REST:
            link = GameLinks(context, "").away
            lines = () if absence is None else (*describe_sleep_hours(absence), mention_sleep_page(link))
            return LetterSection(gettext("Your nights and your weekends"), lines)
        case RequestKind.RESIGN:
            lines = tuple(_resignation_lines(context)) if resigned else ()
            return LetterSection(gettext("You have resigned"), lines)
        case _:  # the letter itself shows it, or the command has its own sentence
            return LetterSection("", ())


def _absence_section(request: Request, absence: AbsenceNote | None) -> LetterSection:
    if absence is None:
        return LetterSection("", ())
    if request.kind is RequestKind.AWAY:
        return LetterSection(gettext("While you are not there"), tuple(describe_absence(absence)))
    return LetterSection(gettext("You are there again"), tuple(describe_return(absence, request.about)))


ORDER_EXAMPLES = (
    (gettext_noop("A card of the display, for the march: “%(order)s”"), "choose lyre"),
    (gettext_noop("A card from your hand, for the march: “%(order)s”"), "play lyre"),
    (gettext_noop("The march, to a corner of a space: “%(order)s”"), "march {one} {corner}"),
    (gettext_noop("Where no march is possible: “%(order)s”"), "stay lyre"),
    (gettext_noop("A card of the supply: “%(order)s”"), "draw"),
    (gettext_noop("One more card of the display: “%(order)s”"), "take horse"),
    (gettext_noop("Guards for a free province: “%(order)s”"), "occupy {one}+{two}"),
    (gettext_noop("Somebody's province: “%(order)s”"), "takeover {one}{gift}"),
    (gettext_noop("A levy: “%(order)s”"), "levy lyre"),
    (gettext_noop("A guard back into your supply: “%(order)s”"), "recall {one}"),
    (gettext_noop("Nothing more in this turn: “%(order)s”"), "end"),
)
REQUEST_EXAMPLES: Sequence[tuple[str, RequestKind]] = (
    (gettext_noop("“%(word)s”: the whole position in words"), RequestKind.BOARD),
    (gettext_noop("“%(word)s”: all you can do, with a letter each"), RequestKind.ALL),
    (gettext_noop("“%(word)s”: your cards and what they can do"), RequestKind.HAND),
    (gettext_noop("“%(word)s”: what everybody did, turn by turn"), RequestKind.HISTORY),
    (
        gettext_noop("“%(word)s”: the game in two minutes, and with a number (5.9) that rule"),
        RequestKind.RULES,
    ),
    (gettext_noop("“%(word)s”: which mails you get, and when"), RequestKind.SETTINGS),
    (gettext_noop("“%(word)s”: when your turn comes"), RequestKind.WHEN),
    (gettext_noop("“%(word)s” and until when: no time runs on your turns"), RequestKind.AWAY),
    (gettext_noop("“%(word)s”: you are there again, and play yourself"), RequestKind.BACK),
    (gettext_noop("“%(word)s”: your nights and weekends, and the page to set them"), RequestKind.REST),
    (gettext_noop("“%(word)s”: no reminders of your turns come any more"), RequestKind.NO_REMINDERS),
    (gettext_noop("“%(word)s”: they come again"), RequestKind.REMINDERS),
    (gettext_noop("“%(word)s” and a city: all times are by its clock"), RequestKind.ZONE),
    (gettext_noop("“%(word)s” or a question mark: this list"), RequestKind.HELP),
    (gettext_noop("“%(word)s”: what you plan for your next turn"), RequestKind.PLAN),
    (gettext_noop("“%(word)s”: you plan nothing any more"), RequestKind.NO_PLAN),
    (gettext_noop("“%(word)s”: a reminder to the player to move, once a day"), RequestKind.NUDGE),
    (
        gettext_noop("“%(word)s”: earlier links open nothing any more; you get new ones"),
        RequestKind.NEW_LINKS,
    ),
    (gettext_noop("“%(word)s”: 24 hours more for the turn, unless another says no"), RequestKind.MORE_TIME),
    (gettext_noop("“%(word)s”: no time runs, once all agree"), RequestKind.PAUSE),
    (gettext_noop("“%(word)s”: the pause ends, and time runs again"), RequestKind.RESUME),
    (gettext_noop("“%(word)s”: you give the game up, and a caretaker plays on for you"), RequestKind.RESIGN),
)


def _help_lines(context: GameLetterContext) -> Iterator[str]:
    board = context.view.table.board
    one, two = list(board.names)[:2]
    gift = "" if len(context.view.table.names) == 2 else " give horse+lyre"
    named = {"one": board.names[one], "two": board.names[two], "corner": corners(one)[0], "gift": gift}
    yield gettext("Reply to the newest mail of the game, and write at the very top, above its first line.")
    yield from (
        gettext(words, order=translate_order(order.format(**named))) for words, order in ORDER_EXAMPLES
    )
    yield gettext(
        "What goes without saying may be left out, such as the path to a corner that has only one. If a line "
        "can mean several things nothing is done, and you are asked which."
    )
    yield gettext("Words for everybody: “%(words)s”", words=gettext("say: Good luck!"))
    if name := example_recipient(with_printable_names(context).view, context.messages):
        yield gettext(
            "Words for one alone: “%(words)s”", words=gettext("tell %(name)s: Good luck!", name=name)
        )
    yield gettext("Ahead of your turn: “%(words)s”", words=short_example(board))
    yield gettext("These are answered at any time, each alone on its line:")
    yield from (gettext(words, word=request_word(kind)) for words, kind in REQUEST_EXAMPLES)


def _when_line(context: GameLetterContext, resigned: bool) -> str:
    if context.view.table.over:
        return gettext("The game is over.")
    if resigned:
        return gettext("A caretaker plays on for you.")
    if context.view.my_turn:
        return gettext("It is your turn now.")
    if context.next_turn is None or context.now is None:
        return gettext("There is no telling yet when your turn comes.")
    return answer_when(context.next_turn, context.now)


def _resignation_lines(context: GameLetterContext) -> Iterator[str]:
    if context.view.table.over:
        yield gettext("A caretaker played on for you until the end of the game.")
        return
    yield gettext("A caretaker plays on for you.")
    word = request_word(RequestKind.BACK)
    again = gettext("Until somebody else has the seat you can come back: answer “%(word)s”.", word=word)
    never = gettext("You can come back only if the others offer your seat, until somebody has it.")
    yield again if context.can_return else never
    yield gettext("You get one more mail of this game, when it is over. The other players are told.")
