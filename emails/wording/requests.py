"""Requests of players, such as rules or resign; questions answered by number or letter; plans in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import count
from string import ascii_lowercase
from typing import assert_never

from emails.i18n import current_locale, gettext, gettext_noop
from emails.languages.lexicon import Lexicon, words_of
from emails.languages.lexicon import RequestKind as RequestKind
from emails.languages.supported_languages import match_words
from emails.wording import options, phrases
from emails.wording.options import Option, OptionGroup
from engine.actions import Ambiguous, March, TakeOver
from engine.board import Board
from engine.cards import EMPTY, Symbol
from engine.notation.orders import Verb, spell_out, write
from engine.plans import (
    Alternative,
    CardOpen,
    Condition,
    OrderRefused,
    PlannedTurn,
    PlanWords,
    ProvinceFree,
    RejectedAlternative,
    TurnPlan,
    write_order,
    write_orders,
    write_plan,
    write_turn,
)
from engine.position import Phase, Table, View
from engine.provinces import province_at


class VoteKind(StrEnum):
    MORE_TIME = "more time"
    """Adds 24 hours to the turn."""
    PAUSE = "pause"
    EMPTY_SEAT = "empty seat"


class VoteAnswer(StrEnum):
    YES = "yes"
    NO = "no"
    WAIT = "wait"
    """A vacant seat waits for a substitute."""
    GO_ON = "go on"
    """The turns of a vacant seat are skipped."""
    END = "end"
    """The game ends with the present scores."""


SEAT_ANSWERS = (VoteAnswer.WAIT, VoteAnswer.GO_ON, VoteAnswer.END)
"""The answers to a vote on a vacant seat, numbered from 1."""
REQUESTS_TO_ALL = frozenset({RequestKind.MORE_TIME, RequestKind.PAUSE, RequestKind.RESUME})
REQUESTS_TO_CONFIRM = frozenset({RequestKind.NEW_LINKS, RequestKind.RESIGN, RequestKind.NO_LETTERS})
"""Requests that no later mail can undo, so that they must be confirmed."""
REQUESTS_OF_PRESENCE = frozenset({RequestKind.AWAY, RequestKind.BACK})
REQUESTS_THAT_ACT = (
    REQUESTS_TO_CONFIRM
    | REQUESTS_OF_PRESENCE
    | {RequestKind.REMINDERS, RequestKind.NO_REMINDERS, RequestKind.ZONE}
)
# A letter answers these only with a sentence that they were done.
REQUESTS_SHOWN_DONE = frozenset({RequestKind.NUDGE, RequestKind.NEW_LINKS, RequestKind.BACK})
REQUESTS_WORDED_BY_LETTER = frozenset({RequestKind.NUDGE, RequestKind.RESIGN})
"""Commands whose own sentence a letter replaces by a section."""
NUDGED = gettext_noop(
    "The player to move gets a mail that says you asked. It wakes nobody: at night and on a day off it "
    "waits, for twelve hours at most. You can ask again in a day."
)
"""The confirmation of a nudge; it does not reveal whether the player to move sleeps."""
NOT_IN_QUESTIONS = frozenset({*REQUESTS_THAT_ACT, *REQUESTS_TO_ALL, RequestKind.NUDGE}) - {
    RequestKind.NEW_LINKS
}  # ignored in a line with a question mark


# What a player was before the return: away, replaced by the caretaker, or resigned for good.
WAS_AWAY, WAS_KEPT, STAYS_RESIGNED = "away", "kept", "resigned"


@dataclass(frozen=True, slots=True)
class Request:
    kind: RequestKind
    about: str = ""
    """The argument of the request; its meaning depends on `kind`.

    Rules: the number of a clause ("5.9") or part ("5"); empty: a summary.
    History: the last turn to list; empty: the latest.
    Absence: words that state the days.
    Stopped letters: "everywhere" for those of all games; empty: those of the game.
    Zone: the name of a time zone; "none": the written name is unknown; empty: no change.
    Nudge: the recipient's name; empty: the player to move.
    Pause: words that state the end; empty: 30 days.
    Back, once performed: what the player was, as one or more words: "away", "kept" (replaced by a
    caretaker), "resigned" (for good).
    Plan: "kept" once the plan is stored.
    """


SEVERAL_ABSENCES = ", "  # between the days of two absences in one request
UNKNOWN_ZONE = "none"
PLAN_KEPT = "kept"
EVERYWHERE = "everywhere"
MAX_LINE_LENGTH = 60


@dataclass(frozen=True, slots=True, eq=False)
class _RequestPatterns:
    courtesy: re.Pattern[str]
    rule: re.Pattern[str]
    history: re.Pattern[str]


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> _RequestPatterns:
    thanks = match_words(lexicon.thanks)
    single: dict[str, tuple[str, ...]] = {
        kind: tuple(phrase for phrase, asked in lexicon.shown.items() if asked == kind and " " not in phrase)
        for kind in (RequestKind.RULES, RequestKind.HISTORY)
    }
    return _RequestPatterns(
        re.compile(rf"^(?:{match_words(lexicon.please)}),? |,? (?:{thanks})$"),
        re.compile(rf"(?:{match_words(single[RequestKind.RULES])}) ([0-9]{{1,2}}(?:[.,][0-9]{{1,2}})?)"),
        re.compile(rf"(?:{match_words(single[RequestKind.HISTORY])}) ([0-9]{{1,4}})"),
    )


def parse_request(line: str, lexicon: Lexicon) -> Request | None:
    if len(line) > MAX_LINE_LENGTH:
        return None
    words = " ".join(line.casefold().split())
    if words and not words.strip("? "):
        return Request(RequestKind.HELP)
    patterns = _patterns_of(lexicon)
    asks = words.endswith("?")
    words = words.rstrip(" .!…?")
    words = patterns.courtesy.sub("", words, count=1).rstrip(" .!…")
    if found := patterns.rule.fullmatch(words):
        return Request(RequestKind.RULES, found[1].replace(",", "."))
    if found := patterns.history.fullmatch(words):
        return Request(RequestKind.HISTORY, found[1])
    kind = lexicon.shown.get(words)
    if kind is None or (asks and RequestKind(kind) in NOT_IN_QUESTIONS):  # questions perform nothing
        return None
    return Request(RequestKind(kind))


def list_phrases(kind: RequestKind, language: str) -> tuple[str, ...]:
    """Return all phrases for a request in a language; letters use the first phrase."""
    return words_of(language).requests.shown[kind]


def request_word(kind: RequestKind) -> str:
    return words_of(current_locale().language).requests.shown[kind][0]


def letter_of(number: int) -> str:
    """Return the letter of the choice with an index from 0: a to z, then aa, ab and so on."""
    rest, last = divmod(number, len(ascii_lowercase))
    return (letter_of(rest - 1) if rest else "") + ascii_lowercase[last]


def orders_by_letter(groups: Sequence[OptionGroup], first: int = 0) -> dict[str, str]:
    """Map letters, from index `first` on, to the orders of choices; omits choices without orders."""
    return dict(zip(map(letter_of, count(first)), _list_orders(groups), strict=False))


def orders_by_number(groups: Sequence[OptionGroup]) -> dict[str, str]:
    """Map numbers from 1 to the orders of choices."""
    return {str(number): words for number, words in enumerate(_list_orders(groups), 1)}


def _list_orders(groups: Sequence[OptionGroup]) -> Iterable[str]:
    return dict.fromkeys(one.words for group in groups for one in group.choices if one.words)


def prefix_titles(groups: Sequence[OptionGroup], orders: Mapping[str, str]) -> tuple[OptionGroup, ...]:
    """Prefix the titles of the choices with the letters or numbers of `orders`."""
    # A no-break space joins label and title: a label alone on a line looks like an answer.
    prefixes = {words: f"{label}.\u00a0" for label, words in orders.items()}
    return tuple(
        OptionGroup(
            group.heading,
            tuple(replace(one, title=prefixes.get(one.words, "") + one.title) for one in group.choices),
        )
        for group in groups
    )


MOST_OPTIONS = 6


@dataclass(frozen=True, slots=True)
class OrderQuestion:
    choices: tuple[Option, ...]
    more: bool
    common: str = ""
    """A fact that holds for all choices, as a sentence without full stop; may be empty."""


def ask_which(refusal: Ambiguous, known: View, before: Sequence[str], rest: Sequence[str]) -> OrderQuestion:
    """Ask which meaning of a refused line is right; `before` and `rest`: orders before and after the line."""
    shown = refusal.candidates[:MOST_OPTIONS]
    takeovers = [one for one in shown if isinstance(one, TakeOver)]
    found, common = [options.describe(known, one) for one in shown], ""
    if len(takeovers) == len(shown) and len({one.guards for one in takeovers}) == 1:
        same = options.describe(known, replace(takeovers[0], given=EMPTY))
        common = f"{same.title}: {same.detail}"
        found = [options.describe_gift(known, one) for one in takeovers]
    meant = tuple(replace(one, words="; ".join((*before, one.words, *rest))) for one in found)
    more = refusal.more or len(shown) < len(refusal.candidates)
    return OrderQuestion(meant, more, common)


def encode_question(question: OrderQuestion) -> dict[str, object]:
    return {
        "choices": [[one.words, one.title, one.detail] for one in question.choices],
        "more": question.more,
        "common": question.common,
    }


def decode_question(kept: Mapping[str, object]) -> OrderQuestion:
    rows = kept["choices"]
    assert isinstance(rows, list)
    found = tuple(Option(str(words), str(title), str(detail)) for words, title, detail in rows)
    return OrderQuestion(found, kept["more"] is True, str(kept["common"]))


# --- plans -----------------------------------------------------------------------------------------------

LONGEST_TURN = 70
PLAN_OUTDATED = gettext_noop(
    "This plan is from before plans were read as they are now, so it is not played. Please write it anew."
)


@dataclass(frozen=True, slots=True)
class PlanContext:
    """A stored plan, and its effect in the current position."""

    words: str
    plan: TurnPlan | None
    """None if the words are in an old version of the plan language."""
    seat: int
    turn: int
    missed: bool
    outlook: PlannedTurn | tuple[RejectedAlternative, ...]
    """The turn that the plan would play now; if none is possible, why each of its alternatives is not."""

    def is_due(self, table: Table) -> bool:
        """True if the turn of the plan has begun and the plan has not been played."""
        return table.turn == self.turn and table.phase is Phase.CARD and not table.over

    def is_missed(self, table: Table) -> bool:
        """True if the turn of the plan has begun and no alternative is possible."""
        return self.is_due(table) and not isinstance(self.outlook, PlannedTurn)


def own_plan_words() -> PlanWords:
    """Return the words for plans in the current language."""
    return words_of(current_locale().language).plan_words


def format_plan(plan: TurnPlan, board: Board) -> str:
    """Format a plan in the current language so that it can be parsed again."""
    words = own_plan_words()
    return f"{words.heading[0]}: {write_plan(plan, board, words)}"


def describe_plan(kept: PlanContext | None, table: Table) -> Iterator[str]:
    if kept is None:
        yield gettext("You have no plan for your next turn.")
        yield gettext("To plan it, write for example “%(example)s”.", example=example_plan(table.board))
        return
    yield from describe_planned(kept, table)
    if kept.is_missed(table):
        yield gettext("It ends with this turn, which you play yourself; a new plan is for the next.")
        return
    yield gettext(
        "Only you know of it. “%(word)s” withdraws it, and a new plan takes its place.",
        word=request_word(RequestKind.NO_PLAN),
    )


def describe_planned(kept: PlanContext, table: Table) -> Iterator[str]:
    """Describe a plan, the time of play and the obstacles, in paragraphs of one or two sentences."""
    if kept.plan is None:
        yield gettext("“%(plan)s”", plan=kept.words)
        yield gettext(PLAN_OUTDATED)
        return
    yield gettext("“%(plan)s”", plan=format_plan(kept.plan, table.board))
    if kept.is_missed(table):
        yield gettext("Your turn has come, and nothing of it is played:")
        yield from explain_misfits(kept, table)
        return
    if kept.is_due(table):
        yield gettext("Your turn has come: it is played within seconds.")
    else:
        yield _describe_when(kept.plan, table)
    if not isinstance(kept.outlook, PlannedTurn):
        yield gettext("As the game stands now nothing of it would be played:")
        yield from explain_misfits(kept, table)
        return
    turn = write_turn(kept.outlook, table.board, own_plan_words())
    yield gettext("As the game stands now this would be played: “%(turn)s”.", turn=turn)
    if _chooses_path(kept.outlook, kept.plan, table.board):
        yield gettext("Of several shortest paths the one that encloses most for you is taken.")


def _chooses_path(turn: PlannedTurn, plan: TurnPlan, board: Board) -> bool:
    """Return whether the server chose the path of a march, because the plan leaves it open."""
    said = [spell_out(order, board) for order in plan.alternatives[turn.number - 1].orders]
    return any(isinstance(action, March) and write(action, board) not in said for action in turn.actions)


def _describe_when(plan: TurnPlan, table: Table) -> str:
    if len(plan.alternatives) > 1:
        return gettext(
            "A few seconds after your turn has come the first of its turns that is possible then is played."
        )
    if reasons := list(dict.fromkeys(_list_obstacles(plan.alternatives[0], table))):
        return gettext(
            "It is played a few seconds after your turn has come, unless %(reasons)s.",
            reasons=phrases.format_list(reasons, "or"),
        )
    return gettext("It is played a few seconds after your turn has come.")


def _list_obstacles(one: Alternative, table: Table) -> Iterator[str]:
    for condition in one.conditions:
        match condition:
            case CardOpen(card):
                yield gettext("no %(card)s is in the display", card=phrases.symbol_name(card))
            case ProvinceFree(place):
                yield gettext("the province of %(place)s is not free", place=phrases.name_place(table, place))
            case _:
                assert_never(condition)
    for order in one.orders:
        if order.verb == Verb.CHOOSE:
            yield gettext("no %(card)s is in the display", card=phrases.symbol_name(order.symbols[0]))
        elif order.verb == Verb.MARCH and order.places:
            yield gettext(
                "the card does not lead to %(place)s", place=phrases.name_place(table, order.places[0])
            )
        elif order.verb not in (Verb.PLAY, Verb.STAY, Verb.MARCH, Verb.DRAW, Verb.END):
            words = write_order(order, table.board, own_plan_words())
            yield gettext("“%(order)s” cannot be done then", order=words)


def explain_misfits(kept: PlanContext, table: Table) -> Iterator[str]:
    if kept.plan is None:
        yield gettext(PLAN_OUTDATED)
    elif not isinstance(kept.outlook, PlannedTurn):
        for one in kept.outlook:
            said = write_orders(kept.plan.alternatives[one.number - 1].orders, table.board, own_plan_words())
            said = said if len(said) <= LONGEST_TURN else f"{said[: LONGEST_TURN - 1]}…"
            yield gettext("“%(turn)s”: %(why)s.", turn=said, why=_explain(one.reason, table, kept.seat))


def _explain(reason: Condition | OrderRefused, table: Table, me: int) -> str:
    match reason:
        case CardOpen(card):
            return gettext("%(card)s is not in the display", card=phrases.the_card(card))
        case ProvinceFree(place):
            holder = province_at(table, place).holder
            assert holder is not None
            named = phrases.name_place(table, place)
            if holder == me:
                return gettext("you hold the province of %(place)s", place=named)
            name = phrases.safe_name(table.names[holder])
            return gettext("%(name)s holds the province of %(place)s", name=name, place=named)
        case OrderRefused():
            return gettext(
                "“%(order)s” cannot be done: %(why)s",
                order=write_order(reason.order, table.board, own_plan_words()),
                why=phrases.explain_refusal(reason.refusal),
            )
        case _:
            assert_never(reason)


def short_example(board: Board) -> str:
    """Return an example of a plan of a single turn, in the current language."""
    words = own_plan_words()
    march = f"{words.orders.translate('march')} {next(iter(board.names.values()))}"
    return f"{words.heading[0]}: {words.orders.translate('horse')}; {march}; {words.orders.translate('draw')}"


def example_plan(board: Board | None = None) -> str:
    """Return an example of a plan with conditions in the current language, on this board or the usual one."""
    words, place = own_plan_words(), "Troy" if board is None else next(iter(board.names.values()))
    say = words.orders.translate
    then = f"{say('march')} {place}; {say('draw')}"
    condition = f"{words.condition[0]} {words.open_cards[Symbol.HORSE]}"
    return (
        f"{words.heading[0]}: {condition}: {say('horse')}; {then}. "
        f"{words.otherwise[0]}: {say('lyre')}; {then}"
    )
