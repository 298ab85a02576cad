"""Phrases in the current language: players, numbers, cards, places, refusals and times."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from html import escape
from itertools import accumulate

from babel.dates import format_date, format_datetime

from emails.i18n import current_locale, current_zone, gettext, gettext_noop, ngettext
from emails.languages.lexicon import whole_lexicon, words_of
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.names import END_OF_ISOLATE, ISOLATE, break_links, isolate
from emails.picture.layers import Overlay
from emails.picture.palette import SEAT_LOOKS, clean_name
from engine.actions import ActionRefused, Ambiguous, Illegal, Unreadable
from engine.board import Board, Point, Space
from engine.cards import SYMBOLS, Bag, Symbol
from engine.editions import Edition
from engine.events import AlexanderMarched, GuardRecalled, ProvinceOccupied, ProvinceTakenOver
from engine.notation.parser import looks_like_order
from engine.notation.vocabulary import translate_orders
from engine.position import Table, View, VisibleEvent

MOST_OF_NEWS = 8
A_MONDAY = date(2024, 1, 1)
LINE_WIDTH = 78


_NAMED: ContextVar[Container[Space] | None] = ContextVar("named places", default=None)


@contextmanager
def use_place_names(named: Container[Space] | None) -> Iterator[None]:
    """Let sentences made in the `with` block contain the names of these places only; None: of all places."""
    before = _NAMED.set(named)
    try:
        yield
    finally:
        _NAMED.reset(before)


def name_place(table: Table, space: Space) -> str:
    """Return a space's name, or "the horse south of D14" in a `use_place_names` block without the space."""
    named = _NAMED.get()
    if named is None or space in named:
        return table.board.names[space]
    symbol = the_card(table.board.symbol_at(space))
    tip = Point(space.row + space.points_down, space.col)
    if space.points_down:
        return gettext("%(symbol)s north of %(corner)s", symbol=symbol, corner=tip)
    return gettext("%(symbol)s south of %(corner)s", symbol=symbol, corner=tip)


def places_of_events(told: Sequence[VisibleEvent]) -> tuple[Space, ...]:
    """Return the places named in events, the latest first."""
    found: dict[Space, None] = {}
    for fact in reversed(told):
        match fact:
            case ProvinceOccupied(guards=guards):
                found |= dict.fromkeys(guards)
            case ProvinceTakenOver(guards=guards, removed=removed):
                found |= dict.fromkeys((*guards, *removed))
            case GuardRecalled(_, place) | AlexanderMarched(_, place):
                found[place] = None
            case _:
                pass
    return tuple(found)


def point_out_turns(
    pointed: Overlay,
    board: Board,
    turns: Iterable[tuple[str, str, Point | None]],
    told: Sequence[VisibleEvent] = (),
    news: Sequence[Space] = (),
) -> Overlay:
    """Return marks of offered turns: letters at their last corners, and the places that they name.

    `turns`: the letter, the orders and the last corner of each; `told` and `news`: more places to name.
    """
    labels, goals, places = dict[Point, str](), list[Space](), list[Space]()
    for letter, words, corner in turns:
        if corner is not None:
            labels[corner] = f"{labels[corner]} {letter}" if corner in labels else letter
        marched = re.findall(r"\bmarch ([A-Za-z]+)", words)
        goals += [board.places[name] for name in marched if name in board.places]
        places += [board.places[name] for name in re.findall("[A-Za-z]+", words) if name in board.places]
    named = tuple(dict.fromkeys((*news, *goals, *places, *places_of_events(told)[:MOST_OF_NEWS])))
    return replace(pointed, labels=labels, targets=frozenset(goals), named=named)


# --- names and lists ------------------------------------------------------------------------------------


TAMED_SIGNS = str.maketrans({";": ",", "<": "(", ">": ")", ISOLATE: None, END_OF_ISOLATE: None})
"""Replaces or deletes characters that separate orders or begin tags."""


MAX_NAME_BYTES = 80
"""Maximum size of a name in HTML, in bytes, enough for forty letters of most alphabets."""


@lru_cache(maxsize=1024)
def safe_name(name: str) -> str:
    """Make a stranger's name safe for a line of text.

    Breaks links, wraps a right-to-left name in Unicode isolates, and quotes a name that looks like an order.
    """
    plain = _trim_heavy(clean_name(break_links(clean_name(name.translate(TAMED_SIGNS))))) or "?"
    first = re.search(r"[^\W\d_]+", plain.casefold())
    begun = first is not None and first.group() in order_beginnings()
    is_order = begun or looks_like_order(plain, whole_lexicon().orders)
    return isolate(f"“{plain}”" if is_order else plain)


def order_beginnings() -> frozenset[str]:
    """Return the words that can begin an order or a chat message."""
    known = whole_lexicon()
    return frozenset((*known.orders.verbs, *known.orders.symbols)) | known.chat["say"] | known.chat["tell"]


def _trim_heavy(name: str) -> str:
    """Cut a name whose emoji or other signs take too many bytes."""
    ends = list(accumulate(len(escape(char).encode()) for char in name))
    if not name or ends[-1] <= MAX_NAME_BYTES:
        return name
    return clean_name(name, max(1, sum(end <= MAX_NAME_BYTES - len("…".encode()) for end in ends) + 1))


LIST_PATTERNS = {
    "and": gettext_noop("%(others)s and %(final)s"),
    "or": gettext_noop("%(others)s or %(final)s"),
}


def format_list(items: Iterable[str], last: str = "and") -> str:
    """Format "a, b and c"; `last` may be "or"; an empty list gives "nothing"."""
    *others, final = list(items) or [gettext("nothing")]
    return gettext(LIST_PATTERNS[last], others=", ".join(others), final=final) if others else final


def wrap_items(head: str, items: Iterable[str]) -> Iterator[str]:
    """Yield lines of at most 78 characters with a heading and its items; all but the first are indented."""
    line = head
    for item in items:
        if len(line) + 1 + len(item) > LINE_WIDTH:
            yield line
            line = " "
        line += f" {item}"
    yield line


def capitalize_first(words: str) -> str:
    return words[:1].upper() + words[1:]


def name_or_you(view: View, seat: int) -> str:
    return gettext("you") if seat == view.me else safe_name(view.table.names[seat])


def format_seats(view: View, seats: Iterable[int]) -> str:
    return format_list(name_or_you(view, seat) for seat in seats)


def gettext_for_seat(view: View, seat: int, mine: str, theirs: str, **values: object) -> str:
    """Translate `mine` if the seat is the reader's, else `theirs` with `%(name)s`."""
    if seat == view.me:
        return gettext(mine, **values)
    return gettext(theirs, name=safe_name(view.table.names[seat]), **values)


# --- editions -------------------------------------------------------------------------------------------


def edition_title(edition: Edition) -> str:
    return gettext(edition.title, name=edition.name)


def edition_phrase(edition: Edition) -> str:
    """Return a phrase with the name of the edition."""
    return gettext(edition.phrase, name=edition.name)


def edition_names(editions: Sequence[Edition]) -> str:
    names = format_list(edition.name for edition in editions)
    return ngettext("the edition %(names)s", "the editions %(names)s", len(editions), names=names)


# --- numbers --------------------------------------------------------------------------------------------


NUMBER_WORDS = (
    gettext_noop("one"),
    gettext_noop("two"),
    gettext_noop("three"),
    gettext_noop("four"),
    gettext_noop("five"),
    gettext_noop("six"),
)


def format_points(number: int) -> str:
    return ngettext("%(number)s point", "%(number)s points", number)


def spell_number(number: int) -> str:
    return gettext(NUMBER_WORDS[number - 1]) if 0 < number <= len(NUMBER_WORDS) else str(number)


def spell_actions(number: int) -> str:
    """Format a number as "one action" or "two actions"."""
    return ngettext("%(word)s action", "%(word)s actions", number, word=spell_number(number))


def format_walls(number: int) -> str:
    return ngettext("%(number)s wall", "%(number)s walls", number)


def warn_of_walls(table: Table) -> str:
    """Explain what one more wall or two mean if hardly a black one is left; else an empty string."""
    if table.black > 1 or table.last_turn or table.over:
        return ""
    return gettext("two more walls end the game") if table.black else gettext("the next wall ends the game")


def format_guards(number: int) -> str:
    return ngettext("%(number)s guard", "%(number)s guards", number)


def format_spaces(number: int) -> str:
    return ngettext("%(number)s space", "%(number)s spaces", number)


def format_card_count(number: int) -> str:
    return ngettext("%(number)s card", "%(number)s cards", number)


# --- cards ----------------------------------------------------------------------------------------------

SYMBOL_WORDS: Mapping[Symbol, tuple[str, str, str]] = {
    Symbol.TEMPLE: (gettext_noop("temple"), gettext_noop("a temple"), gettext_noop("the temple")),
    Symbol.AMPHORA: (gettext_noop("amphora"), gettext_noop("an amphora"), gettext_noop("the amphora")),
    Symbol.HORSE: (gettext_noop("horse"), gettext_noop("a horse"), gettext_noop("the horse")),
    Symbol.LYRE: (gettext_noop("lyre"), gettext_noop("a lyre"), gettext_noop("the lyre")),
    Symbol.SOLDIER: (gettext_noop("soldier"), gettext_noop("a soldier"), gettext_noop("the soldier")),
}
"""Each symbol without article, with the indefinite article, and with the definite article."""


def symbol_name(card: Symbol) -> str:
    return gettext(SYMBOL_WORDS[card][0])


def a_card(card: Symbol) -> str:
    """Name a card with the indefinite article: "a horse", "an amphora"."""
    return gettext(SYMBOL_WORDS[card][1])


def the_card(card: Symbol) -> str:
    """Name a card with the definite article: "the horse"."""
    return gettext(SYMBOL_WORDS[card][2])


def format_symbol_count(card: Symbol, number: int) -> str:
    """Format a number of cards or spaces as "2 horses"."""
    match card:
        case Symbol.TEMPLE:
            return ngettext("%(number)s temple", "%(number)s temples", number)
        case Symbol.AMPHORA:
            return ngettext("%(number)s amphora", "%(number)s amphoras", number)
        case Symbol.HORSE:
            return ngettext("%(number)s horse", "%(number)s horses", number)
        case Symbol.LYRE:
            return ngettext("%(number)s lyre", "%(number)s lyres", number)
        case Symbol.SOLDIER:
            return ngettext("%(number)s soldier", "%(number)s soldiers", number)


def format_cards(bag: Bag) -> str:
    """Format cards as "2 temples, a horse and a lyre"."""
    return format_list(
        a_card(card) if bag[card] == 1 else format_symbol_count(card, bag[card]) for card in bag.kinds()
    )


def symbol_letters() -> str:
    """Return the letters of the symbols on the map, such as "t a h l s"."""
    return " ".join(symbol_name(card)[0] for card in SYMBOLS)


# --- places and seats -----------------------------------------------------------------------------------


def format_places(table: Table, spaces: Iterable[Space], last: str = "and") -> str:
    return format_list((name_place(table, space) for space in spaces), last)


def summarize_places(table: Table, spaces: Sequence[Space], last: str = "and") -> str:
    """Format at most three places by name, more by their number."""
    if len(spaces) <= 3:
        return format_places(table, spaces, last)
    if last == "or":
        return gettext("one of %(number)s symbols", number=len(spaces))
    return ngettext("%(number)s symbol", "%(number)s symbols", len(spaces))


def seat_look(seat: int) -> str:
    return gettext(SEAT_LOOKS[seat])


# --- refusals -------------------------------------------------------------------------------------------


def explain_refusal(refused: ActionRefused) -> str:
    """Explain a refusal as a clause without capital and full stop."""
    values = {name: _format_value(value) for name, value in refused.values.items()}
    if isinstance(refused, Ambiguous):  # the values of its sentence are orders
        values = {name: translate_order(value) for name, value in values.items()}
    why = gettext(refused.sentence, **values)
    if isinstance(refused, Illegal):
        return gettext("%(why)s (rule %(rule)s)", why=why, rule=refused.rule)
    if isinstance(refused, Unreadable) and refused.did_you_mean:
        return gettext(
            "%(why)s; did you mean %(words)s?", why=why, words=format_list(refused.did_you_mean, "or")
        )
    return why


def _format_value(value: object) -> str:
    if isinstance(value, Symbol):
        return symbol_name(value)
    return format_cards(value) if isinstance(value, Bag) else str(value)


def translate_order(order: str) -> str:
    """Translate orders from canonical English into the current language."""
    language = current_locale().language
    if language == ENGLISH or language not in LANGUAGES:
        return order
    return translate_orders(order, words_of(language).vocabulary)


def describe_undone(words: str, why: str) -> str:
    quoted = f"“{clean_name(words, 60)}”"
    return f"{quoted}: {why}" if why else quoted


# --- times ----------------------------------------------------------------------------------------------


def format_day(day: date) -> str:
    """Format a day as "Friday 27 November 2026"."""
    return format_date(day, "EEEE d MMMM y", locale=current_locale().language)


def format_weekday(day: int) -> str:
    """Return the name of a weekday, 0 for Monday."""
    return format_date(A_MONDAY + timedelta(days=day), "EEEE", locale=current_locale().language)


def format_near_day(day: date, today: date) -> str:
    """Format today and the next six days as a weekday, other days with day and month."""
    form = "d MMMM" if day.year == today.year else "d MMMM y"
    if 0 <= (day - today).days < 7:
        form = "EEEE"
    return format_date(day, form, locale=current_locale().language)


def format_days(first: date, last: date) -> str:
    if first == last:
        return gettext("on %(day)s", day=format_day(first))
    return gettext("from %(first)s to %(last)s", first=format_day(first), last=format_day(last))


def format_time(time: datetime) -> str:
    """Format a time as "Thu 14 January 2027, 18:00 UTC" in the reader's zone; `time` has a time zone."""
    local = time.astimezone(current_zone())
    date = format_datetime(local, "EEE d MMMM y, HH:mm", locale=current_locale().language)
    return f"{date} {name_clock(local)}"


def name_clock(local: datetime) -> str:
    """Name the zone of a time: "CET", or "UTC+05" if the zone has no name."""
    name = local.tzname() or ""
    return name if name[:1].isalpha() else f"UTC{name}"


def format_hours(hours: int) -> str:
    """Format hours as "36 hours"; two or more whole days as "3 days"."""
    if not hours:
        return gettext("less than an hour")
    if hours % 24 == 0 and hours > 24:
        return ngettext("%(number)s day", "%(number)s days", hours // 24)
    return ngettext("%(number)s hour", "%(number)s hours", hours)


def format_minutes(minutes: int) -> str:
    """Format minutes as "15 minutes", or whole hours as hours; empty for 0."""
    if minutes % 60:
        return ngettext("%(number)s minute", "%(number)s minutes", minutes)
    return format_hours(minutes // 60) if minutes else ""


MINUTES_OF_DAY = 24 * 60
HOURS_BEFORE_DAYS, HOURS_OF_WEEK = 48, 7 * 24  # hours alone, then days and hours, then days alone
LEAST_WAIT = timedelta(hours=1)
MOST_NAMED_DAYS = 6
MORNING, AFTERNOON, EVENING = 6, 12, 18


def format_deadline(deadline: datetime) -> str:
    """Format a deadline as "Thursday morning, 14 January, 09:30 CET"; `deadline` has a time zone."""
    local = deadline.astimezone(current_zone())
    date = format_datetime(local, "d MMMM, HH:mm", locale=current_locale().language)
    return f"{_name_part_of_day(local)}, {date} {name_clock(local)}"


def _name_part_of_day(local: datetime) -> str:
    day = format_datetime(local, "EEEE", locale=current_locale().language)
    if local.hour < MORNING:
        return gettext("%(day)s before dawn", day=day)
    if local.hour < AFTERNOON:
        return gettext("%(day)s morning", day=day)
    if local.hour < EVENING:
        return gettext("%(day)s afternoon", day=day)
    return gettext("%(day)s evening", day=day)


def name_past(moment: datetime | None, now: datetime | None) -> str:
    """Format a past moment as "Tuesday evening" or "4 January"; empty if unknown, or too close to `now`."""
    if moment is None or now is None or now - moment < LEAST_WAIT:
        return ""
    local, today = moment.astimezone(current_zone()), now.astimezone(current_zone()).date()
    if (today - local.date()).days > MOST_NAMED_DAYS:
        return format_datetime(local, "d MMMM", locale=current_locale().language)
    return _name_part_of_day(local)


def format_remaining(left: timedelta) -> str:
    """Format a duration as "3 days and 5 hours" or "5 hours and 12 minutes"; minutes only below a day."""
    minutes = (max(timedelta(0), left) + timedelta(seconds=30)) // timedelta(minutes=1)
    if minutes < MINUTES_OF_DAY:
        hours, minutes = divmod(minutes, 60)
        whole = format_hours(hours) if hours or not minutes else ""
        rest = ngettext("%(number)s minute", "%(number)s minutes", minutes) if minutes else ""
    else:
        hours = (minutes + 30) // 60
        hours = hours if hours < HOURS_OF_WEEK else hours // 24 * 24  # never rounded up
        over = hours % 24 if hours >= HOURS_BEFORE_DAYS else 0
        whole, rest = format_hours(hours - over), format_hours(over) if over else ""
    return gettext("%(whole)s and %(rest)s", whole=whole, rest=rest) if whole and rest else whole or rest


def format_time_left(left: timedelta) -> str:
    return gettext("%(time)s left", time=format_remaining(left))


BY_HOUR, BY_MINUTE = timedelta(hours=36), timedelta(hours=1)  # nearer times: to the hour, to the minute


def name_latest(latest: datetime | None, now: datetime) -> str:
    """Format a time limit as a day, if it is near with the time of day; empty if it is unknown."""
    if latest is None or latest - now > BY_HOUR:
        return name_day(latest, now)
    local = latest.astimezone(current_zone())
    begun = local.replace(second=0, microsecond=0)
    step = timedelta(minutes=1)
    if latest - now > BY_MINUTE:
        begun, step = begun.replace(minute=0), timedelta(hours=1)
    after = begun if begun == local else (begun + step).replace(fold=begun.fold)
    return f"{name_day(after, now)} {after:%H:%M}"


def name_day(moment: datetime | None, now: datetime) -> str:
    """Format a day as "Saturday", or farther away as "Sat 30 January"; empty if it is unknown."""
    if moment is None:
        return ""
    zone = current_zone()
    day, today = moment.astimezone(zone).date(), now.astimezone(zone).date()
    form = "EEEE" if abs(day - today) <= timedelta(days=MOST_NAMED_DAYS) else "EEE d MMMM"
    return format_date(day, form, locale=current_locale().language)
