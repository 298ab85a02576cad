"""How a letter shows the board: drawn, in a few lines, or whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from emails.letters.choice_lines import GameLinks
from emails.letters.contexts import GameLetterContext
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts, PositionText
from emails.picture import palette
from emails.picture.letter_picture import LetterPicture, draw_letter_picture
from emails.picture.overlay import Overlay
from emails.wording import phrases, standings
from emails.wording.advice_text import TurnChoice
from emails.wording.board_text import (
    area_around,
    describe_board,
    draw_ascii_map,
    summarize_board,
    whole_board,
)
from emails.wording.narration import build_overlay
from emails.wording.phrases import places_of_events, point_out_turns
from emails.wording.requests import RequestKind
from emails.wording.standings import changed_places
from engine.board import Point
from engine.cards import SYMBOL_INDEX, Symbol
from engine.position import View, VisibleEvent

BOARD_PICTURE = "board"
"""The name of the picture of the board."""
TURN_KINDS = frozenset(
    {
        LetterKind.YOUR_TURN,
        LetterKind.STEP,
        LetterKind.REMINDER,
        LetterKind.WELCOME,
        LetterKind.SUBSTITUTE,
        LetterKind.TIME_PASSED,
        LetterKind.PLAN_PLAYED,
        LetterKind.DIGEST,
    }
)
"""Kinds that show the board to whoever is to move, whether or not it has changed."""
ALWAYS_DRAWN = frozenset({LetterKind.WELCOME, LetterKind.SUBSTITUTE, LetterKind.GAME_OVER})
"""Kinds that show the board to everybody."""
KINDS_WITH_PLAN = frozenset({LetterKind.NEWS, LetterKind.ANSWER, LetterKind.REFUSED, LetterKind.PLAN_PLAYED})
"""The letters after which their reader may want to say what they do next."""
KINDS_ASKING_TO_PLAY = frozenset(
    {LetterKind.YOUR_TURN, LetterKind.STEP, LetterKind.REMINDER, LetterKind.SUBSTITUTE}
)
"""The letters after which their reader may want more time, or to be away."""


@dataclass(frozen=True, slots=True)
class LetterForm:
    """How much one letter shows."""

    board: bool
    """Whether it shows the board: where that has changed, or its reader is to decide."""
    first: bool
    """Whether that is the first thing its reader looks for."""
    news: bool
    """Whether it tells what others did."""
    whole: bool
    """Whether it tells the whole position."""
    every: bool
    """Whether it lists each choice."""
    turns: bool
    """Whether it offers whole turns."""


def choose_form(kind: LetterKind, context: GameLetterContext) -> LetterForm:
    """How much a letter of a kind shows: one screen, and what its reader has asked for."""
    deciding = context.view.my_turn and kind in TURN_KINDS
    whole = context.everything or RequestKind.BOARD in context.shown
    return LetterForm(
        board=context.changed or whole or deciding or kind in ALWAYS_DRAWN,
        first=deciding,
        news=context.everything or context.changed or deciding or kind in ALWAYS_DRAWN,
        whole=whole,
        every=context.everything or RequestKind.ALL in context.shown,
        turns=kind is not LetterKind.MESSAGE,
    )


@dataclass(frozen=True, slots=True)
class BoardShown:
    """The board as one letter shows it."""

    picture: LetterPicture
    pointed: Overlay
    links: Mapping[Point | None, str]
    """Where the discs lead, by their corners."""


def draw_board(
    context: GameLetterContext,
    form: LetterForm,
    turns: Sequence[TurnChoice],
    links: GameLinks,
    done: Sequence[VisibleEvent],
) -> BoardShown:
    """The picture of the board, with where the turns end that can be chosen.

    What the reader has lost is named before all else, and then what was `done`.
    """
    view = context.view
    happened = build_overlay(context.since, context.before, view, labels={})
    ends = [(turn.letter, turn.words, turn.corner) for turn in turns]
    changed = [*changed_places(view, context.before), *places_of_events(done)]
    pointed = point_out_turns(happened, view.table.board, ends, context.since, changed)
    pages = {turn.corner: links.play(turn.words) for turn in reversed(turns)}
    return BoardShown(draw_letter_picture(view, pointed, whole=form.whole), pointed, pages)


def show_board(
    parts: LetterParts, context: GameLetterContext, form: LetterForm, shown: BoardShown | None
) -> LetterParts:
    """The parts with the board, if the letter shows it."""
    if shown is None:
        return parts
    view, picture, pointed = context.view, shown.picture, shown.pointed
    area = None if form.whole else area_around(view, pointed.labels)
    return replace(
        parts,
        pictured=True,
        picture_first=form.first,
        position=PositionText.WHOLE if form.whole else PositionText.BRIEF,
        alt=standings.picture_alt_text(view, pointed, picture),
        areas=[(one, shown.links[one.point]) for one in picture.areas],
        moved=bool(pointed.marches),
        changed=bool(pointed.changed),
        map=draw_ascii_map(view, area).rstrip(),
        map_whole=area in (None, whole_board(view.table.board)),
    )


def describe_game(view: View, form: LetterForm) -> Mapping[str, object]:
    """What the words of all letters speak of that have a view; nothing is worked out that none says."""
    table = view.table
    return {
        "reader": table.names[view.my_seat],
        "mover": table.names[table.seat],
        "needed": standings.describe_next_step(view),
        "letters": phrases.symbol_letters(),
        "seat": view.my_seat + 1,
        "hand": [_chip(card, view.hand[card]) for card in view.hand.kinds()],
        "display": [_chip(card, 1) for card in table.display],
        "cards_in_hand": phrases.format_cards(view.hand),
        "cards_in_display": phrases.format_cards(table.display),
        "players": standings.player_standings(view) if form.whole or table.over else [],
        "provinces": standings.province_standings(view) if form.whole else [],
        "board": describe_board(view).strip() if form.whole else "",
        "board_lines": summarize_board(view) if form.board and not form.whole else [],
    }


def _chip(card: Symbol, many: int) -> tuple[str, str]:
    """A card, or several alike, and the colour of its symbol."""
    named = phrases.symbol_name(card) if many == 1 else phrases.format_symbol_count(card, many)
    return named, palette.SYMBOL_COLOURS[SYMBOL_INDEX[card]]
