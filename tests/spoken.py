"""What people write, read in every language of the house: for tests in which nobody in particular writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from emails.i18n import Locale, use_locale
from emails.languages.lexicon import lexicon_of, whole_lexicon, words_of
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.replies import grammars
from emails.wording import requests
from emails.wording.phrases import translate_order
from emails.wording.requests import Request
from engine.actions import Action
from engine.board import Board
from engine.notation import grammar, parser
from engine.notation.orders import Order, OrderLine
from engine.notation.parser import NO_CHOICES, ChoiceMeanings
from engine.plans import PlanReader, TurnPlan
from engine.position import View
from tests.engine.build import alexandros

LEXICON = whole_lexicon()
VOCABULARY = LEXICON.orders
VOCABULARIES = {language: words_of(language).vocabulary for language in LANGUAGES}


def translate_orders(words: str, language: str) -> str:
    with use_locale(Locale(language)):
        return translate_order(words)


def parse(line: str, board: Board, choices: ChoiceMeanings = NO_CHOICES) -> tuple[Order, ...]:
    return parser.parse(line, board, choices, VOCABULARY)


def assert_no_orders(lines: Iterable[str], board: Board, split: str = "[;:]|[.] ") -> None:
    """Make sure that neither a line nor a part of one is read as an order, as it is read beside others."""
    for line in lines:
        for part in (line, *re.split(split, line)):
            assert parse_line(part, board).refusal is not None, part


def parse_line(line: str, board: Board, choices: ChoiceMeanings = NO_CHOICES) -> OrderLine:
    return parser.parse_line(OrderLine, line, board, choices, VOCABULARY)


def parse_lines(lines: Iterable[str], board: Board) -> tuple[OrderLine, ...]:
    return parser.parse_lines(lines, board, VOCABULARY)


def read(line: str, known: View) -> Action:
    return grammar.read(line, known, VOCABULARY)


def looks_like_order(line: str) -> bool:
    return parser.looks_like_order(line, VOCABULARY)


def suggest_words(word: str, known: Iterable[str]) -> tuple[str, ...]:
    return parser.suggest_words(word, known)


def parse_request(line: str) -> Request | None:
    return requests.parse_request(line, LEXICON)


def is_chat(line: str) -> bool:
    return grammars.is_chat(line, LEXICON)


def parse_chat_line(line: str, names: Sequence[str]) -> grammars.ChatLine:
    return grammars.parse_chat_line(line, names, LEXICON)


def find_swallowed_order(line: str, board: Board) -> str | None:
    return grammars.find_swallowed_order(line, board, LEXICON)


def read_plan(text: str, language: str = ENGLISH, board: Board | None = None) -> TurnPlan:
    """A plan as somebody writes it who gets their mails in a language."""
    lexicon = lexicon_of(language)
    return PlanReader(board or alexandros(), lexicon.plans).read(text)
