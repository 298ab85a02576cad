"""What a letter about a running game shows, whatever its kind: board, cards, players, choices, links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from urllib.parse import quote

from emails.letters.chat_excerpts import example_recipient, excerpt_chat
from emails.letters.contexts import GameLetterContext, LetterSection
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import Letter, Picture, render_letter, subject_line, translate_order
from emails.picture import palette
from emails.picture.board_picture import draw_board
from emails.picture.image_map import image_map_areas
from emails.picture.overlay import Overlay
from emails.tokens import Ticket
from emails.wording import phrases, standings
from emails.wording.ascii_map import draw_ascii_map
from emails.wording.board_text import describe_board
from emails.wording.narration import build_overlay, narrate_events
from emails.wording.option_numbers import number_options, orders_by_number
from emails.wording.options import Option, OptionGroup, list_options
from emails.wording.questions import OrderQuestion
from engine.cards import SYMBOL_INDEX, Symbol
from engine.position import BLACK_WALLS, Phase, Table, View

BOARD_PICTURE = "board"
"""The name of the picture of the board."""
LONGEST_EXAMPLE = 60
"""Characters of an order that is shown as an example: it stands in one line."""
LONGEST_LINKED = 1000
"""Bytes of words that are put into a link; longer ones are left to a mail."""
LONGEST_LINE = 4000
"""Characters of a line of a section."""
NO_PARTS = LetterParts()
NO_WORDS: Mapping[str, object] = MappingProxyType({})


def render_game_letter(
    kind: LetterKind,
    sheet: GameLetterContext,
    parts: LetterParts = NO_PARTS,
    words: Mapping[str, object] = NO_WORDS,
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
) -> Letter:
    """Render a letter of this kind about a game, beside its own parts and words.

    One that asks a question numbers nothing else: whoever answers with a number means the question.
    """
    view = with_printable_names(sheet.view)
    ticket = Ticket(sheet.game, view.my_seat, sheet.after)
    pointed = build_overlay(sheet.since, sheet.before, view)
    pointed = pointed if question is None else replace(pointed, labels={})
    alt = standings.board_alt_text(view, pointed.labels)
    table = view.table
    offered, meant = _number_choices(view, pointed, question)
    clear = (translate_order(one.words) for group in offered for one in group.choices if not one.further)
    parts = replace(
        _question_parts(parts, question, sheet, ticket),
        view=view,
        summary=standings.summarize_game(view),
        since=narrate_events(sheet.since, view) if parts.since is None else parts.since,
        messages=excerpt_chat(sheet.messages),
        friend=example_recipient(view, sheet.messages),
        deadline=phrases.format_time(sheet.deadline) if sheet.deadline and not table.over else "",
        time=turn_limit_text(sheet.hours),
        actions=table.edition.actions_per_turn,
        winning=table.edition.winning_score,
        black=BLACK_WALLS,
        page=sheet.links.ticket_link(ticket),
        settings=sheet.links.settings_link(ticket),
        stop=_unsubscribe_link(sheet, view.my_seat),
        unwanted=sheet.links.unwanted,
        sections=[_clean_section(section) for section in sections],
        numbered=bool(pointed.labels),
        sent=bool(pointed.targets),
        counted=question is None and bool(meant) and not pointed.labels,
        first=table.turn <= len(table.names),
        alt=alt,
        areas=image_map_areas(table.board, pointed.labels),
        example=next((order for order in clear if len(order) <= LONGEST_EXAMPLE), ""),
    )
    shown = {**_describe_game(view, pointed), **words}
    letter = render_letter(kind, sheet.name, parts, shown, offered, _choice_linker(sheet, ticket))
    return replace(letter, pictures=(Picture(BOARD_PICTURE, draw_board(view, pointed), alt),), numbers=meant)


def _unsubscribe_link(sheet: GameLetterContext, seat: int) -> str:
    """The address of the page that stops letters."""
    return sheet.links.unsubscribe_links(sheet.game, seat if sheet.holder is None else sheet.holder)[0]


def _list_points(table: Table, me: int) -> str:
    """Who has how many points, in one line."""
    return phrases.format_list(
        f"{phrases.name_or_you(table, seat, me)} {score}" for seat, score in enumerate(table.scores)
    )


def _number_choices(
    view: View, pointed: Overlay, question: OrderQuestion | None
) -> tuple[tuple[OptionGroup, ...], Mapping[str, str]]:
    """What the reader can do, and what each number of their letter stands for."""
    offered = list_options(view, labelled=question is None)
    if question is not None:
        return offered, orders_by_number((OptionGroup("", question.choices),))
    if view.table.phase is Phase.ACTIONS:
        return number_options(offered), orders_by_number(offered)
    return offered, {label: str(point) for point, label in pointed.labels.items()}


def _describe_game(view: View, pointed: Overlay) -> dict[str, object]:
    """How the game stands, as all letters show it that have a view."""
    table, me = view.table, view.my_seat
    return {
        "reader": table.names[me],
        "mover": table.names[table.seat],
        "needed": standings.describe_next_step(view),
        "moved": bool(pointed.marches),
        "changed": bool(pointed.changed),
        "board": describe_board(view, pointed.labels).strip(),
        "map": draw_ascii_map(view).rstrip(),
        "letters": phrases.symbol_letters(),
        "hand": [_chip(card, view.hand[card]) for card in view.hand.kinds()],
        "display": [_chip(card, 1) for card in table.display],
        "players": standings.player_standings(view),
        "provinces": standings.province_standings(view),
        "points": _list_points(table, me),
        "cards_in_hand": phrases.format_cards(view.hand),
        "cards_in_display": phrases.format_cards(table.display),
    }


def _question_parts(
    parts: LetterParts, question: OrderQuestion | None, sheet: GameLetterContext, ticket: Ticket
) -> LetterParts:
    """The same with a question, where there is one."""
    if question is None:
        return parts
    asked = [*_question_choices(question, sheet, ticket)]
    return replace(parts, asked=asked, more=question.more, common=question.common)


def _question_choices(
    question: OrderQuestion, sheet: GameLetterContext, ticket: Ticket
) -> Iterator[tuple[Option, str, str]]:
    """The choices of a question, each with its link and the link that writes the mail: its number."""
    found = (OptionGroup("", question.choices),)
    [group] = number_options(found)
    address = sheet.links.reply_address(ticket, sheet.letter)
    for number, choice in zip(orders_by_number(found), group.choices, strict=True):
        words = choice.words if len(choice.words.encode()) <= LONGEST_LINKED else ""
        yield (
            choice,
            sheet.links.ticket_link(replace(ticket, words=words)),
            mailto_link(address, subject_line(""), number),
        )


def _clean_section(section: LetterSection) -> tuple[str, list[str]]:
    """A section without signs that no letter can hold."""
    lines = [palette.clean_name(line, LONGEST_LINE) for line in section.lines]
    return palette.clean_name(section.heading), lines


def _choice_linker(sheet: GameLetterContext, ticket: Ticket) -> Callable[[Option], tuple[str, str]]:
    """What gives a choice its link, and the link that writes the mail: none where the page must ask."""
    address = sheet.links.reply_address(ticket, sheet.letter)
    title = subject_line("")  # forty times the name of a game is too much

    def links(choice: Option) -> tuple[str, str]:
        link = sheet.links.ticket_link(replace(ticket, words=choice.words))
        return link, "" if choice.further else mailto_link(address, title, translate_order(choice.words))

    return links


def mailto_link(address: str, title: str, body: str) -> str:
    """The link that writes a mail; a blank in it is %20, since not every program takes a + for one."""
    return f"mailto:{address}?subject={quote(title, safe='')}&body={quote(body, safe='')}"


def turn_limit_text(hours: int) -> str:
    """The time for a turn; empty where there is no limit."""
    return phrases.format_hours(hours) if hours else ""


def _chip(card: Symbol, many: int) -> tuple[str, str]:
    """A card, or several alike, and the colour of its symbol."""
    named = phrases.symbol_name(card) if many == 1 else phrases.format_symbol_count(card, many)
    return named, palette.SYMBOL_COLOURS[SYMBOL_INDEX[card]]


def with_printable_names(view: View) -> View:
    """The same with names that are fit for a letter."""
    names = tuple(phrases.safe_name(name) for name in view.table.names)
    return replace(view, table=replace(view.table, names=names))
