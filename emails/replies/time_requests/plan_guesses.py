"""What somebody most likely plans whose plan cannot be read: to be put to them, and kept by their yes alone.

Its words are read with their slips, and from its first condition on where more stands before that. Where
anything in it negates or doubts nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import match_words
from engine.actions import Unreadable
from engine.board import Board
from engine.plans.plan_reader import PlanReader
from engine.plans.turn_plans import TurnPlan

SHORTEST, ALIKE = 3, 0.7
"""Of a word that may be a slip, and how alike it is to the one that is meant."""
LONGEST_GUESSED = 400
LISTS = ("heading", "condition", "otherwise", "also", "then", "card", "free")


def guess_plan(text: str, board: Board, lexicon: Lexicon, *, waits: bool) -> TurnPlan | None:
    """The plan that a text most likely means; None where none can be read in it.

    `waits`: whether its writer is not to move, so that a condition alone tells of a plan.
    """
    text = " ".join(text.split())[:LONGEST_GUESSED]
    words = set(re.findall(r"[\w']+", text.casefold()))
    if words & {
        *lexicon.topics.negation,
        *(one for one in lexicon.time_requests.doubt if " " not in one),
    } - _conditions(lexicon):
        return None
    reader = PlanReader(board, lexicon.orders, lexicon.plans)
    for candidate in _candidates(text, lexicon, board, waits):
        try:
            return reader.read(candidate)
        except Unreadable:
            continue
    return None


def seems_plan(text: str, lexicon: Lexicon, *, waits: bool) -> bool:
    """Whether somebody seems to plan a turn in other words: a condition stands by cards and verbs."""
    words = " ".join(re.findall(r"[\w']+", text[:LONGEST_GUESSED].casefold()))
    conditions = (*lexicon.plans.all_of("condition"), *lexicon.topics.condition)
    orders = [one for one in words.split() if one in lexicon.orders.symbols or one in lexicon.orders.verbs]
    depends = re.search(rf"\b(?:{match_words(conditions)})\b", words) is not None
    return len(orders) > 1 and depends and (waits or begins_plan(text, lexicon))


def begins_plan(text: str, lexicon: Lexicon) -> bool:
    """Whether a text begins with the word of a plan."""
    heading = match_words(lexicon.plans.all_of("heading"))
    return re.match(rf"(?:{heading})\b", text.strip(), re.IGNORECASE) is not None


def _conditions(lexicon: Lexicon) -> set[str]:
    return {
        word
        for name in ("condition", "otherwise")
        for one in lexicon.plans.all_of(name)
        for word in one.split()
    }


def _candidates(text: str, lexicon: Lexicon, board: Board, waits: bool) -> Iterator[str]:
    """The text as it may be meant, from its first condition on too."""
    spelt = _spell(text, _known_words(lexicon, board), (*lexicon.topics.others, *lexicon.topics.addressed))
    headed = begins_plan(spelt, lexicon)
    if headed:
        yield _with_colon(spelt, lexicon)
    conditions = match_words(lexicon.plans.all_of("condition"))
    cut = re.search(rf"\b(?:{conditions})\b", spelt, re.IGNORECASE)
    if headed:
        yield spelt
    if cut is not None and (headed or (waits and cut.start() == 0)):
        yield spelt[cut.start() :]


def _with_colon(text: str, lexicon: Lexicon) -> str:
    """A text that begins with the word of a plan as a plan is written: "my plan is horse; draw"."""
    heading = match_words(lexicon.plans.all_of("heading"))
    verbs = match_words(lexicon.topics.is_verb)
    return re.sub(rf"^\s*(?:{heading})\b(?: (?:{verbs})\b)*\s*[:,-]?\s*", "plan: ", text, flags=re.IGNORECASE)


def _spell(text: str, known: frozenset[str], plain: Collection[str]) -> str:
    def one(found: re.Match[str]) -> str:
        word = found.group()
        if len(word) < SHORTEST or word.casefold() in known or word.casefold() in plain:
            return word
        alike = [other for other in known if abs(len(other) - len(word)) <= 1]
        return next(iter(get_close_matches(word.casefold(), sorted(alike), 1, cutoff=ALIKE)), word)

    return re.sub(r"[^\W\d_]+", one, text)


def _known_words(lexicon: Lexicon, board: Board) -> frozenset[str]:
    """Every word of a plan, and of the places of a board."""
    phrases = (one for name in LISTS for one in lexicon.plans.all_of(name))
    names = (*lexicon.orders.symbols, *lexicon.orders.verbs, *board.names.values(), *lexicon.orders.small)
    small = (word for own in lexicon.plans.languages for word in own.small)
    text = " ".join((*phrases, *names, *small, *(word for own in lexicon.topics.own for word in own.split())))
    return frozenset(re.findall(r"[^\W\d_]+", text.casefold()))
