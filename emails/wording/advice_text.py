"""Bots in words: names and strengths, advice, and whole turns to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate, groupby, zip_longest
from math import floor
from string import ascii_lowercase

from emails.i18n import gettext, gettext_noop, ngettext
from emails.languages.lexicon import whole_lexicon
from emails.wording import options, phrases
from emails.wording.options import MarchOptions, Option, list_options
from emails.wording.phrases import name_place
from engine import march_rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import Point, Space
from engine.bots.advice import (
    PRICE,
    GameWin,
    HandSizeChange,
    LevyChange,
    LevyGain,
    LossRisk,
    Reason,
    Suggestion,
    TakeoverCost,
    TurnKind,
)
from engine.bots.strengths import PROFILES, Strength
from engine.cards import Bag
from engine.notation import grammar
from engine.notation.orders import write
from engine.notation.parser import looks_like_order
from engine.position import Table, View
from engine.provinces import province_at

STRENGTHS: Mapping[Strength, str] = {
    Strength.EASY: gettext_noop("easy"),
    Strength.STEADY: gettext_noop("steady"),
    Strength.STRONG: gettext_noop("strong"),
}
STRENGTHS_EXPLAINED: Mapping[Strength, str] = {
    Strength.EASY: gettext_noop("easy: plays like a beginner"),
    Strength.STEADY: gettext_noop("steady: knows the game"),
    Strength.STRONG: gettext_noop("strong: thinks further ahead"),
}
FACES: Mapping[Strength, str] = {
    Strength.EASY: gettext_noop("%(name)s has just learned the game, and takes nothing from you."),
    Strength.STEADY: gettext_noop("%(name)s plays a sound game."),
    Strength.STRONG: gettext_noop("%(name)s thinks ahead."),
}


def strength_word(name: str) -> str:
    """Return the word for the strength of the bot with this name; empty for other names."""
    return gettext(STRENGTHS[PROFILES[name].strength]) if name in PROFILES else ""


def describe_bots(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(gettext(FACES[PROFILES[name].strength], name=name) for name in names if name in PROFILES)


MOST_POINTS = 25  # highest gain that is stated; the advice scores a won or lost game higher
MOST_TITLE_WORDS = 14
CHANCES_IN = 5
"""Step, in percent, to which chances are rounded."""


def title_turns(known: View, turns: Sequence[Sequence[Action]]) -> list[str]:
    """Return a title for each turn: only verbs and places, more details only to distinguish equal titles."""
    titles = [""] * len(turns)
    for told, most in TOLD_APART:
        same = Counter(titles)
        for number, turn in enumerate(turns):
            if titles[number] and same[titles[number]] == 1:
                continue
            for takeover in TakeoverDetail:
                titles[number] = "; ".join(_describe_actions(known, turn, told, takeover))
                if len(titles[number].split()) <= most:
                    break
    return [phrases.capitalize_first(title) for title in titles]


def write_turn(known: View, actions: Iterable[Action]) -> str:
    return "; ".join(write(action, known.table.board) for action in actions)


class MarchDetail(Enum):
    """How precisely a title describes a march: by its target, its last corner, or its whole path."""

    PLACE = auto()
    CORNER = auto()
    WAY = auto()


class TakeoverDetail(Enum):
    """How precisely a title describes a takeover: guards and holder, the holder, or the province alone."""

    GUARDS = auto()
    LOSER = auto()
    PLACE = auto()


TOLD_APART = (
    (MarchDetail.PLACE, MOST_TITLE_WORDS),
    (MarchDetail.CORNER, MOST_TITLE_WORDS),
    (MarchDetail.WAY, MOST_TITLE_WORDS),
    (MarchDetail.WAY, 3 * MOST_TITLE_WORDS),
)
"""How to tell titles apart, tried in turn: a detail of the march, and a title's maximum number of words."""


def _describe_actions(
    known: View, done: Sequence[Action], told: MarchDetail, takeover: TakeoverDetail
) -> Iterator[str]:
    table, card = known.table, None
    for kind, group in groupby(done, type):
        actions = list(group)
        if kind is Draw:
            yield ngettext("draw", "draw %(number)s", len(actions))
            continue
        if kind is Take:
            got = Bag.of(action.card for action in actions if isinstance(action, Take))
            yield gettext("take %(cards)s", cards=_bare_cards(got))
            continue
        for action in actions:
            match action:
                case Choose() | Play():
                    card = action
                case March():
                    yield _march(table, card, action, told, brief=takeover is TakeoverDetail.PLACE)
                    walls = table.board.grid.mask_sides(march_rules.new_walls(table, action.path))
                    table = table.but(walled=table.walled | walls)
                case TakeOver():
                    yield _takeover(table, action, takeover)
                case Stay(taken) if taken is not None:
                    yield gettext("take %(card)s and stay", card=phrases.symbol_name(taken))
                case Occupy(guards):
                    yield gettext("occupy %(places)s", places=phrases.format_places(table, guards))
                case Levy(symbol):
                    yield gettext("levy with %(card)s", card=phrases.symbol_name(symbol))
                case Recall(place):
                    yield gettext("take back %(place)s", place=name_place(table, place))
                case End():
                    yield gettext("end the turn")
                case _:
                    yield gettext("stay")


def _takeover(table: Table, action: TakeOver, told: TakeoverDetail) -> str:
    province = province_at(table, action.guards[0])
    assert province.holder is not None
    place = phrases.format_places(table, province.guards)
    if told is TakeoverDetail.PLACE:
        return gettext("take over %(places)s", places=place)
    name = phrases.safe_name(table.names[province.holder])
    if told is TakeoverDetail.LOSER or set(action.guards) == set(province.guards):
        return gettext("take over %(places)s from %(name)s", places=place, name=name)
    return ngettext(
        "take over %(places)s from %(name)s (guard: %(guards)s)",
        "take over %(places)s from %(name)s (guards: %(guards)s)",
        len(action.guards),
        places=place,
        name=name,
        guards="+".join(name_place(table, space) for space in action.guards),
    )


def _bare_cards(cards: Bag) -> str:
    return phrases.format_list(
        phrases.symbol_name(card) if cards[card] == 1 else phrases.format_symbol_count(card, cards[card])
        for card in cards.kinds()
    )


def _march(table: Table, card: Choose | Play | None, march: March, told: MarchDetail, *, brief: bool) -> str:
    *passed, corner = march.path[1:]
    goal = place = name_place(table, march.target)
    if told is MarchDetail.WAY and march_rules.ShortestPaths(table, corner).count() > 1:
        if brief:
            points = "-".join(map(str, (*passed, corner)))
            goal = gettext("%(place)s via %(points)s", place=place, points=points)
        else:
            points = "-".join(map(str, passed))
            goal = gettext("%(place)s (%(corner)s) via %(points)s", place=place, corner=corner, points=points)
    elif told is not MarchDetail.PLACE:
        goal = gettext("%(place)s (%(corner)s)", place=place, corner=corner)
    if card is None:
        return gettext("to %(goal)s", goal=goal)
    name = phrases.symbol_name(card.card)
    if isinstance(card, Play):
        return gettext("%(card)s from hand to %(goal)s", card=name, goal=goal)
    if march_rules.is_joker(table, card.card):
        return gettext("%(card)s as joker to %(goal)s", card=name, goal=goal)
    return gettext("%(card)s to %(goal)s", card=name, goal=goal)


def format_gain(one: Suggestion) -> str:
    number = round(one.gain)
    if one.kind is TurnKind.WINS:
        return gettext("wins the game")
    if number > MOST_POINTS:
        return gettext("over +%(number)s points expected", number=MOST_POINTS)
    if number < -MOST_POINTS:
        return gettext("under -%(number)s points expected", number=MOST_POINTS)
    if number < 0:
        return ngettext("-%(number)s point expected", "-%(number)s points expected", -number)
    return ngettext("+%(number)s point expected", "+%(number)s points expected", number)


def explain(table: Table, reasons: Sequence[Reason]) -> str:
    """Explain a turn by its main reason, what it changes in levies, and the chance that a rival undoes it."""
    changes = [reason for reason in reasons[1:] if isinstance(reason, LevyChange)]
    told = [reasons[0], *changes]
    threats = [reason for reason in reasons if isinstance(reason, TakeoverCost)]
    if threats and isinstance(reasons[0], LevyChange):
        told.append(max(threats, key=lambda one: one.chance))
    clauses = (_clause(table, reason, [threat.place for threat in threats]) for reason in told)
    return f"{phrases.capitalize_first('; '.join(clauses))}."


def _clause(table: Table, reason: Reason, threatened: Sequence[Space]) -> str:
    match reason:
        case GameWin(score):
            return gettext("the game ends, and nobody has more than your %(score)s points", score=score)
        case LevyGain(gain, rival):
            return gettext("you score %(gain)s now, others at most %(rival)s", gain=gain, rival=rival)
        case LevyChange(mine, rivals):
            return options.format_levy_changes(table, mine, rivals)
        case HandSizeChange(before, after):
            if before == after:
                return gettext("you keep %(cards)s", cards=phrases.format_card_count(after))
            held = phrases.format_card_count(after)
            return gettext("you then hold %(cards)s, now %(before)s", cards=held, before=before)
        case TakeoverCost(_, _, 0):
            places = phrases.format_places(table, threatened)
            return gettext("nobody can take %(places)s before your next turn", places=places)
        case TakeoverCost(place, card, chance):
            cards, likely = phrases.format_symbol_count(card, PRICE), _format_chance(chance)
            words = gettext_noop("%(chance)s chance a rival takes %(place)s with %(cards)s")
            return gettext(words, chance=likely, place=name_place(table, place), cards=cards)
        case LossRisk(chance) if not chance:
            return gettext("nobody can take your provinces before your next turn")
        case LossRisk(chance):
            least = f"{CHANCES_IN * floor(100 * (1 - chance) / CHANCES_IN)}%"
            return gettext("you keep each province with at least %(chance)s chance", chance=least)


def _format_chance(chance: float) -> str:
    rounded = CHANCES_IN * round(100 * chance / CHANCES_IN)
    if not rounded:
        return f"<{CHANCES_IN}%"
    if rounded == 100:
        return f">{100 - CHANCES_IN}%"
    return f"{rounded}%"


MOST_CHOICES = 5
MOST_WORDS = 14


@dataclass(frozen=True, slots=True)
class TurnChoice:
    letter: str
    words: str
    label: str
    """The quality in which the turn is best, in two or three words; may be empty."""
    title: str
    why: str
    corner: Point | None
    """Alexander's final point; None if the choice has no march."""
    gain: str = ""
    """The points that a suggested turn is expected to bring, in words."""

    @property
    def line(self) -> str:
        # no-break spaces: no wrapped line looks like an order
        return f"{self.letter}.\u00a0{glue_title(self.title)}."


def list_turn_choices(view: View, suggestions: Sequence[Suggestion]) -> tuple[TurnChoice, ...]:
    """List at most five suggested turns, the best first; without suggestions, single steps instead."""
    if not suggestions:
        return tuple(_list_steps(view))
    shown = suggestions[:MOST_CHOICES]
    titles = title_turns(view, [one.actions for one in shown])
    return tuple(
        TurnChoice(
            letter,
            write_turn(view, one.actions),
            _label(view.table, one),
            title,
            explain(view.table, one.reasons),
            one.corner,
            format_gain(one),
        )
        for letter, one, title in zip(ascii_lowercase, shown, titles, strict=False)
    )


def _list_steps(view: View) -> Iterator[TurnChoice]:
    board, ranked = view.table.board, list[Option]()
    groups = [[one for one in group.choices if one.words] for group in list_options(view)]
    for one in [one for row in zip_longest(*groups) for one in row if one is not None][:MOST_CHOICES]:
        if not one.further:
            ranked.append(one)
            continue
        # of many paths to a corner, the best
        first, _, march = one.words.partition("; ")
        card = grammar.read_canonical(first, board) if march else None
        assert card is None or isinstance(card, Choose | Play)
        ranked.append(MarchOptions(view, card).find_ways(one.path[-1])[0])
    steps = [one.words.split("; ") for one in ranked]
    titles = title_turns(view, [[grammar.read_canonical(words, board) for words in step] for step in steps])
    for letter, one, title in zip(ascii_lowercase, ranked, titles, strict=False):
        corner = board.point_names.get(one.words.split()[-1].split("-")[-1])
        clauses = one.detail.split("; ")
        counts = accumulate(len(clause.split()) for clause in clauses)
        few = [clause for clause, words in zip(clauses, counts, strict=True) if words <= MOST_WORDS]
        why = f"{phrases.capitalize_first('; '.join(few or clauses[:1]))}." if one.detail else ""
        yield TurnChoice(letter, one.words, "", title, why, corner)


LABELS: Mapping[TurnKind, str] = {
    TurnKind.WINS: gettext_noop("wins the game"),
    TurnKind.STRONGEST: gettext_noop("strongest"),
    TurnKind.SCORES_NOW: gettext_noop("scores most now"),
    TurnKind.SAFEST: gettext_noop("safest"),
    TurnKind.SAVES_CARDS: gettext_noop("saves cards"),
}


def _label(table: Table, one: Suggestion) -> str:
    if one.kind is not TurnKind.HURTS_RIVAL:
        return gettext(LABELS[one.kind]) if one.kind in LABELS else ""
    reason = one.reasons[0]
    assert isinstance(reason, LevyChange)
    assert reason.most_hurt is not None
    if table.scores[reason.most_hurt] == max(table.scores):
        return gettext("hurts the leader")
    return gettext("hurts %(name)s", name=phrases.safe_name(table.names[reason.most_hurt]))


def glue_title(title: str) -> str:
    """Join words of a title by no-break spaces, so that no line begins with a word of an order."""
    first, *others = title.replace(" ", "\u00a0").split(";\u00a0")
    return ";\u00a0".join((first, *map(_part_action, others)))


def _part_action(action: str) -> str:
    parted = action.replace("\u00a0", " ", 1)
    return action if looks_like_order(parted.partition(" ")[2] or action, whole_lexicon().orders) else parted
