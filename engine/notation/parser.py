"""The words of a line, sorted into actions before anybody looks at a position.

The reading is liberal: synonyms, small words, languages (vocabulary.py), abbreviations that can be mistaken
for nothing else, several actions in one line, the numbers of a letter. It never guesses: a word that it does
not know makes the whole line unreadable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.actions import Unreadable
from engine.board import Board
from engine.notation.arguments import ArgumentReader
from engine.notation.canonical_text import Verb
from engine.notation.clauses import read_told
from engine.notation.lexer import (
    BoardNames,
    ChoiceMeanings,
    TokenizedLine,
    find_letter_answer,
    list_numbering,
    names_of,
    number_among_words,
    read_corner_number,
    shorten,
    stray_sign_behind,
    tokenize,
)
from engine.notation.orders import Order, OrderLine
from engine.notation.segments import Segment
from engine.notation.told_choices import find_told_choices
from engine.notation.vocabulary import CANONICAL_VOCABULARY, Vocabulary

NO_CHOICES: ChoiceMeanings = {}
MAX_LINE_LENGTH = 400
"""Characters, beside those of a path over every point of the board; no legal action comes near it."""


def parse(
    line: str,
    board: Board,
    choices: ChoiceMeanings = NO_CHOICES,
    vocabulary: Vocabulary = CANONICAL_VOCABULARY,
) -> tuple[Order, ...]:
    """The actions that a line says, at least one.

    Raises `Unreadable` for a word or a shape that no action has. `choices` are those of the letter that is
    answered; they are canonical, and so is the line where no other `vocabulary` is handed in.
    """
    return _parse(line, board, choices, vocabulary).orders


def _parse(line: str, board: Board, choices: ChoiceMeanings, vocabulary: Vocabulary) -> OrderLine:
    """A line with the actions that it says; raises `Unreadable`."""
    if letter := find_letter_answer(line, choices, vocabulary):
        return OrderLine(line, _parse_choice(choices[letter], board), answer=letter)
    names = names_of(board, vocabulary)
    try:
        return OrderLine(line, _parse_words(line, board, names, choices, vocabulary))
    except Unreadable as refusal:
        told = _parse_told(line, board, names, choices, vocabulary) if len(line) <= MAX_LINE_LENGTH else None
        if told is None:
            raise
        return replace(told, plain_refusal=refusal)


def _parse_told(
    line: str, board: Board, names: BoardNames, choices: ChoiceMeanings, vocabulary: Vocabulary
) -> OrderLine | None:
    """A line in which somebody tells their orders in sentences; None where it is none."""
    if not vocabulary.spoken:
        return None
    if marks := find_told_choices(line, choices, names, vocabulary):
        orders = [said for mark in marks for said in _parse_choice(choices[mark], board)]
        return OrderLine(line, tuple(orders), answer=" ".join(marks))
    told = read_told(line, choices, names, vocabulary)
    return None if told is None else OrderLine(line, told)


def _parse_words(
    line: str, board: Board, names: BoardNames, choices: ChoiceMeanings, vocabulary: Vocabulary
) -> tuple[Order, ...]:
    """The actions of a line by the words that begin them."""
    if len(line) > MAX_LINE_LENGTH and len(line) > MAX_LINE_LENGTH + sum(
        len(point) + 1 for point in names.points
    ):
        raise Unreadable("the line is too long for one action")
    found = tokenize(line, names.places, vocabulary)
    if found.is_number(0) or found.tokens[0] in vocabulary.numbered:
        return _parse_number(found, board, choices)
    said: list[Order] = []
    at = 0
    while at < len(found.tokens):
        span = Segment(found, names, at)
        said += ArgumentReader(span, choices).read()
        at = span.following
    if "!" in found.tail and said[-1].verb == Verb.END:  # "Stop!" and "Klaar!" are cries
        raise stray_sign_behind(found.words[-1])
    return tuple(said)


def parse_line(
    line: str,
    board: Board,
    choices: ChoiceMeanings = NO_CHOICES,
    vocabulary: Vocabulary = CANONICAL_VOCABULARY,
) -> OrderLine:
    """A line with the orders that it says, or with the reason why it cannot be read."""
    try:
        return _parse(line, board, choices, vocabulary)
    except Unreadable as refusal:
        return OrderLine(line, (), refusal)


def parse_lines(
    lines: Iterable[str], board: Board, vocabulary: Vocabulary = CANONICAL_VOCABULARY
) -> tuple[OrderLine, ...]:
    """Several lines, without the choices of a letter."""
    return tuple(parse_line(line, board, NO_CHOICES, vocabulary) for line in lines)


def spell_out(said: Order, board: Board) -> str:
    """An order in full words, without the marks of a letter; an abbreviated bare symbol stays so."""
    cards = [str(symbol)[: -1 if said.short else None] for symbol in said.symbols]
    if said.verb == Verb.TAKEOVER and cards:
        cards = ["give", "+".join(cards)]
    places = "+".join(board.names[place] for place in said.places)
    path = "-".join(map(str, said.points)) if said.corner is None else f"{said.corner}"
    if said.passed:
        path = f"via {'-'.join(map(str, said.passed))}{' to ' if path else ''}{path}"
    if said.origin is not None:
        path = f"from {said.origin} {path}"
    return " ".join(filter(None, (said.verb, places, path.strip(), *cards)))


# --- letters and numbers --------------------------------------------------------------------------------


def _parse_choice(words: str, board: Board) -> tuple[Order, ...]:
    """The orders of a choice."""
    return tuple(said for order in words.split(";") for said in parse(order, board))


def _parse_number(line: TokenizedLine, board: Board, choices: ChoiceMeanings) -> tuple[Order, ...]:
    """What a number means that stands alone in its line, or after one word such as "nr" or "corner".

    It is a corner to which the chosen card leads, or what it stood for in a letter of old.
    """
    *before, last = line.tokens
    known = line.vocabulary
    if line.is_number(0) and before and line.tokens[1] in known.verbs:
        raise list_numbering(line.words[1])
    if not any(map(line.is_number, range(len(line.tokens)))):
        raise line.unknown_action(0)
    marked = len(before) == 1 and before[0] in known.numbered and not line.gaps[1].strip(" .")
    negated = bool(before) and before[0] in known.dotted and line.gaps[1][0] != "."
    if not line.is_number(-1) or (before and not marked) or negated:
        raise number_among_words(next(word for at, word in enumerate(line.tokens) if line.is_number(at)))
    words = choices.get(last.lstrip("#"))
    if words is None:
        if before and known.points.isdisjoint(before):
            raise Unreadable("“%(word)s” stands for nothing here: say it in words", word=shorten(last))
        return (Order(Verb.MARCH, corner=read_corner_number(last)),)
    point = board.point_names.get(words)
    if point is not None:
        return (Order(Verb.MARCH, points=(point,)),)
    if not known.points.isdisjoint(before):
        raise Unreadable("“%(word)s” stands for no corner here: say it in words", word=shorten(last))
    return _parse_choice(words, board)
