"""Whole turns to choose from, each with a letter that plays it: what it does, what it is best at, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, zip_longest
from string import ascii_lowercase

from emails.i18n import gettext
from emails.languages.lexicon import whole_lexicon
from emails.wording import option_text, phrases
from emails.wording.advice_text import explain, title_turns, write_turn
from emails.wording.options import Option, list_options
from engine import march_rules
from engine.actions import Action, Choose, March, Play
from engine.board import Point
from engine.bots.advice import RivalIncomeCut, Suggestion, TakeoverGain, TurnKind
from engine.cards import ONE
from engine.notation import grammar
from engine.notation.lexer import looks_like_order
from engine.notation.orders import write
from engine.position import View

MOST_CHOICES = 5
"""Turns of which somebody chooses one at a glance."""
MOST_WAYS = 50
"""Ways to a corner of which the best is offered."""
MOST_WORDS = 14
"""Words of the sentence that stands with a choice."""


@dataclass(frozen=True, slots=True)
class TurnChoice:
    """One whole turn to choose."""

    letter: str
    """"a" for the best, and so on."""
    words: str
    """Its orders in canonical English, parted by "; "."""
    label: str
    """What it is best at, in two or three words; empty where that is nothing, and for a single step."""
    title: str
    """What is done, as bare verbs."""
    why: str
    """One sentence that comes true when it is played."""
    corner: Point | None
    """Where Alexander ends; None where he has marched, or stays."""

    @property
    def line(self) -> str:
        """Letter and title, for a line of its own in a letter.

        It breaks only where what follows cannot be read as an order.
        """
        return f"{self.letter}.\u00a0{glue_title(self.title)}."


def list_turn_choices(view: View, suggestions: Sequence[Suggestion]) -> tuple[TurnChoice, ...]:
    """The turns that were suggested to the seat to move, at most five, the best first.

    Where none was suggested these are single steps: the first of what can be done now.
    """
    if not suggestions:
        return tuple(_list_steps(view))
    shown = suggestions[:MOST_CHOICES]
    titles = title_turns(view, [one.actions for one in shown])
    return tuple(
        TurnChoice(
            letter,
            write_turn(view, one.actions),
            _label(view, one),
            title,
            explain(view.table, one.reasons),
            one.corner,
        )
        for letter, one, title in zip(ascii_lowercase, shown, titles, strict=False)
    )


def _list_steps(view: View) -> Iterator[TurnChoice]:
    """The first single steps of each kind, then the second ones, until there are enough."""
    groups = [
        [_settle_march(view, one) for one in group.choices if one.words] for group in list_options(view)
    ]
    ranked = [one for row in zip_longest(*groups) for one in row if one is not None][:MOST_CHOICES]
    titles = title_turns(view, [_read_actions(view, one) for one in ranked])
    for letter, one, title in zip(ascii_lowercase, ranked, titles, strict=False):
        yield TurnChoice(letter, one.words, "", title, _shorten(one.detail), _corner_of(view, one))


def _settle_march(view: View, one: Option) -> Option:
    """The option, or where it means many ways to a corner, the one of them with the fewest walls."""
    if not one.further:
        return one
    *card, march = one.words.split("; ")
    _, place, corner = march.split()
    table, ways = view.table, march_rules.ShortestPaths(view.table, view.table.board.point_names[corner])
    path = min(islice(ways, MOST_WAYS), key=lambda way: len(march_rules.new_walls(table, way)))
    words = "; ".join((*card, write(March(table.board.places[place], path), table.board)))
    hand = view.hand
    for chosen in (grammar.read_canonical(said, table.board) for said in card):
        assert isinstance(chosen, Choose | Play)
        hand = hand + ONE[chosen.card] if isinstance(chosen, Choose) else hand - ONE[chosen.card]
    return Option(words, "", option_text.march_detail(view, march_rules.outcome_of(table, path), hand))


def _read_actions(view: View, one: Option) -> list[Action]:
    """The actions of an option that means one thing only."""
    return [grammar.read_canonical(words, view.table.board) for words in one.words.split("; ")]


def _corner_of(view: View, one: Option) -> Point | None:
    """Where Alexander ends with an option, if he marches; many ways there are one option."""
    word = one.words.split()[-1].split("-")[-1]
    return view.table.board.point_names.get(word)


def _shorten(detail: str) -> str:
    """As many clauses of a detail as are read at a glance, as a sentence."""
    clauses = detail.split("; ")
    counts = accumulate(len(clause.split()) for clause in clauses)
    few = [clause for clause, words in zip(clauses, counts, strict=True) if words <= MOST_WORDS]
    return f"{phrases.capitalize_first('; '.join(few or clauses[:1]))}." if detail else ""


def _label(view: View, one: Suggestion) -> str:
    """What a turn is best at."""
    match one.kind:
        case TurnKind.WINS:
            return gettext("wins the game")
        case TurnKind.STRONGEST:
            return gettext("strongest")
        case TurnKind.SCORES_NOW:
            return gettext("scores most now")
        case TurnKind.SAFEST:
            return gettext("safest")
        case TurnKind.HURTS_RIVAL:
            return _hurting_label(view, one)
        case TurnKind.SAVES_CARDS:
            return gettext("saves cards")
        case TurnKind.NEXT_BEST:
            return ""


def _hurting_label(view: View, one: Suggestion) -> str:
    """Whom it hurts: the leader, or a rival who is behind the reader."""
    table, reason = view.table, one.reasons[0]
    assert isinstance(reason, RivalIncomeCut | TakeoverGain)
    if table.scores[reason.seat] == max(table.scores):
        return gettext("hurts the leader")
    return gettext("hurts %(name)s", name=phrases.safe_name(table.names[reason.seat]))


def glue_title(title: str) -> str:
    """A title that a line may end in only where the next one begins with no word of an order."""
    first, *others = title.replace(" ", "\u00a0").split(";\u00a0")
    return ";\u00a0".join((first, *map(_part_action, others)))


def _part_action(action: str) -> str:
    parted = action.replace("\u00a0", " ", 1)
    return action if looks_like_order(parted.partition(" ")[2] or action, whole_lexicon().orders) else parted
