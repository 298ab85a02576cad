"""The words of a line, sorted into actions before anybody looks at a position.

The reading is liberal: synonyms, small words, languages (vocabulary.py), abbreviations that can be mistaken
for nothing else, several actions in one line, the numbers of a letter. It never guesses: a word that it does
not know makes the whole line unreadable.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.actions import Unreadable
from engine.board import Board
from engine.notation.arguments import ArgumentReader
from engine.notation.lexer import (
    NumberMeanings,
    TokenizedLine,
    list_numbering,
    look_up_number,
    names_of,
    number_among_words,
    shorten,
    stray_sign_behind,
    tokenize,
)
from engine.notation.orders import Order, OrderLine
from engine.notation.segments import Segment
from engine.notation.vocabulary import NUMBER_NOUNS, POINT_NOUNS, VERBS

NO_NUMBERS: NumberMeanings = {}
MAX_LINE_LENGTH = 400
"""Characters, beside those of a path over every point of the board; no legal action comes near it."""


def parse(line: str, board: Board, numbers: NumberMeanings = NO_NUMBERS) -> tuple[Order, ...]:
    """The actions that a line says, at least one.

    Raises `Unreadable` for a word or a shape that no action has. `numbers` are those of the letter that is
    answered; without them no number is read.
    """
    names = names_of(board)
    if len(line) > MAX_LINE_LENGTH and len(line) > MAX_LINE_LENGTH + sum(
        len(point) + 1 for point in names.points
    ):
        raise Unreadable("the line is too long for one action")
    found = tokenize(line, names.places)
    if found.is_number(0) or found.tokens[0] in NUMBER_NOUNS:
        return _parse_answer(found, board, numbers)
    said: list[Order] = []
    at = 0
    while at < len(found.tokens):
        span = Segment(found, names, at)
        said += ArgumentReader(span, numbers).read()
        at = span.following
    if "!" in found.tail and said[-1].verb == "end":  # "Stop!" and "Klaar!" are cries
        raise stray_sign_behind(found.words[-1])
    return tuple(said)


def parse_line(line: str, board: Board, numbers: NumberMeanings = NO_NUMBERS) -> OrderLine:
    """A line with the orders that it says, or with the reason why it cannot be read."""
    try:
        return OrderLine(line, parse(line, board, numbers))
    except Unreadable as refusal:
        return OrderLine(line, (), refusal)


def parse_lines(lines: Iterable[str], board: Board) -> tuple[OrderLine, ...]:
    """Several lines, without the numbers of a letter."""
    return tuple(parse_line(line, board) for line in lines)


def spell_out(said: Order, board: Board) -> str:
    """An order in full words, without the numbers of a letter; an abbreviated bare symbol stays so."""
    cards = [str(symbol)[: -1 if said.short else None] for symbol in said.symbols]
    if said.verb == "takeover" and cards:
        cards = ["give", "+".join(cards)]
    places = "+".join(board.names[place] for place in said.places)
    path = "-".join(map(str, said.points))
    if said.passed:
        path = f"via {'-'.join(map(str, said.passed))}{' to ' if path else ''}{path}"
    if said.origin is not None:
        path = f"from {said.origin} {path}"
    return " ".join(filter(None, (said.verb, places, path.strip(), *cards)))


# --- numbers --------------------------------------------------------------------------------------------


def _parse_answer(line: TokenizedLine, board: Board, numbers: NumberMeanings) -> tuple[Order, ...]:
    """What a number means that stands alone in its line, or after one word such as "nr" or "corner"."""
    *before, last = line.tokens
    if line.is_number(0) and before and line.tokens[1] in VERBS:
        raise list_numbering(line.words[1])
    if not any(map(line.is_number, range(len(line.tokens)))):
        raise line.unknown_action(0)
    marked = before in [[word] for word in NUMBER_NOUNS] and not line.gaps[1].strip(" .")
    if not line.is_number(-1) or (before and not marked) or (before == ["no"] and line.gaps[1][0] != "."):
        raise number_among_words(next(word for at, word in enumerate(line.tokens) if line.is_number(at)))
    words = look_up_number(last, numbers)
    point = board.point_names.get(words)
    if point is not None:
        return (Order("march", points=(point,)),)
    if not POINT_NOUNS.isdisjoint(before):
        raise Unreadable("“%(word)s” stands for no corner here: say it in words", word=shorten(last))
    return tuple(said for order in words.split(";") for said in parse(order, board))
