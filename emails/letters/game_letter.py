"""What a letter about a running game shows, whatever its kind: board, cards, players, choices, links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote

from emails.letters.chat_excerpts import friend, remarks
from emails.letters.contexts import Section, Sheet
from emails.letters.renderer import Letter, Picture, in_words, printed, subject
from emails.links import Ticket
from emails.picture import palette
from emails.picture.board_picture import svg
from emails.picture.image_map import areas
from emails.picture.overlay import Marks
from emails.wording import phrases, standings
from emails.wording.ascii_map import map_text
from emails.wording.board_text import board_text
from emails.wording.narration import marks, sentences
from emails.wording.option_numbers import numbered, numbers
from emails.wording.options import Choice, Group, choices
from emails.wording.questions import Question
from engine.cards import ORDER, Symbol
from engine.position import BLACK, Phase, View

BOARD = "board"
"""The name of the picture of the board."""
LONGEST_EXAMPLE = 60
"""Characters of an order that is shown as an example: it stands in one line."""
LONGEST_LINKED = 1000
"""Bytes of words that are put into a link; longer ones are left to a mail."""
LONGEST_LINE = 4000
"""Characters of a line of a section."""


def about(
    kind: str,
    sheet: Sheet,
    question: Question | None = None,
    sections: Sequence[Section] = (),
    **more: object,
) -> Letter:
    """The letter of one kind that shows a game; `more` is what its template is given beyond what all are.

    One that asks a question numbers nothing else: whoever answers with a number means the question.
    """
    view = named_plainly(sheet.view)
    assert view.me is not None
    ticket = Ticket(sheet.game, view.me, sheet.after)
    pointed = marks(sheet.since, sheet.before, view)
    pointed = pointed if question is None else replace(pointed, labels={})
    alt = standings.alt(view, pointed.labels)
    table = view.table
    offered, meant = _counted(view, pointed, question)
    clear = (in_words(one.words) for group in offered for one in group.choices if not one.further)
    facts: dict[str, object] = {
        "view": view,
        "reader": view.table.names[view.me],
        "mover": view.table.names[view.table.seat],
        "summary": standings.summary(view),
        "needed": standings.needed(view),
        "since": sentences(sheet.since, view),
        "messages": remarks(sheet.messages),
        "friend": friend(view, sheet.messages),
        "deadline": phrases.moment(sheet.deadline) if sheet.deadline and not view.table.over else "",
        "time": span(sheet.hours),
        "winning": view.table.edition.winning_score,
        "page": sheet.post.link(ticket),
        "settings": sheet.post.settings(ticket),
        "stop": sheet.post.stop_links(sheet.game, view.me if sheet.holder is None else sheet.holder)[0],
        "board": board_text(view, pointed.labels).strip(),
        "map": map_text(view).rstrip(),
        "letters": phrases.symbol_letters(),
        "sections": [_clean(section) for section in sections],
        **_pointed_out(pointed),
        "counted": question is None and bool(meant) and not pointed.labels,
        "first": view.table.turn <= len(view.table.names),
        "black": BLACK,
        "alt": alt,
        "areas": areas(view.table.board, pointed.labels),
        "hand": [_chip(card, view.hand[card]) for card in view.hand.kinds()],
        "display": [_chip(card, 1) for card in view.table.display],
        "players": standings.rows(view),
        "provinces": standings.lands(view),
        "points": phrases.listed(
            f"{phrases.who(table, seat, view.me)} {score}" for seat, score in enumerate(table.scores)
        ),
        "cards_in_hand": phrases.cards(view.hand),
        "cards_in_display": phrases.cards(view.table.display),
        "example": next((order for order in clear if len(order) <= LONGEST_EXAMPLE), ""),
        **_asking(question, sheet, ticket),
        **more,
    }
    letter = printed(kind, sheet.name, facts, offered, _linked(sheet, ticket))
    return replace(letter, pictures=(Picture(BOARD, svg(view, pointed), alt),), numbers=meant)


def _counted(
    view: View, pointed: Marks, question: Question | None
) -> tuple[tuple[Group, ...], Mapping[str, str]]:
    """What the reader can do, and what each number of his letter stands for."""
    offered = choices(view, labelled=question is None)
    if question is not None:
        return offered, numbers((Group("", question.choices),))
    if view.table.phase is Phase.ACTIONS:
        return numbered(offered), numbers(offered)
    return offered, {label: str(point) for point, label in pointed.labels.items()}


def _pointed_out(pointed: Marks) -> dict[str, object]:
    """What the templates are told of the picture."""
    return {
        "numbered": bool(pointed.labels),
        "sent": bool(pointed.targets),
        "moved": bool(pointed.marches),
        "changed": bool(pointed.changed),
    }


def _asking(question: Question | None, sheet: Sheet, ticket: Ticket) -> dict[str, object]:
    """What the templates are told of a question."""
    if question is None:
        return {}
    return {
        "asked": [*_asked(question, sheet, ticket)],
        "more": question.more,
        "common": question.common,
    }


def _asked(question: Question, sheet: Sheet, ticket: Ticket) -> Iterator[tuple[Choice, str, str]]:
    """The choices of a question, each with its link and the link that writes the mail: its number."""
    found = (Group("", question.choices),)
    [group] = numbered(found)
    address = sheet.post.reply_address(ticket, sheet.letter)
    for number, choice in zip(numbers(found), group.choices, strict=True):
        words = choice.words if len(choice.words.encode()) <= LONGEST_LINKED else ""
        yield choice, sheet.post.link(replace(ticket, words=words)), mail(address, subject(""), number)


def _clean(section: Section) -> tuple[str, list[str]]:
    """A section without signs that no letter can hold."""
    lines = [palette.plain_name(line, LONGEST_LINE) for line in section.lines]
    return palette.plain_name(section.heading), lines


def _linked(sheet: Sheet, ticket: Ticket) -> Callable[[Choice], tuple[str, str]]:
    """What gives a choice its link, and the link that writes the mail: none where the page must ask."""
    address = sheet.post.reply_address(ticket, sheet.letter)
    title = subject("")  # forty times the name of a game is too much

    def links(choice: Choice) -> tuple[str, str]:
        link = sheet.post.link(replace(ticket, words=choice.words))
        return link, "" if choice.further else mail(address, title, in_words(choice.words))

    return links


def mail(address: str, title: str, body: str) -> str:
    """The link that writes a mail; a blank in it is %20, since not every program takes a + for one."""
    return f"mailto:{address}?subject={quote(title, safe='')}&body={quote(body, safe='')}"


def span(hours: int) -> str:
    """The time for a turn; empty where there is no limit."""
    return phrases.span(hours) if hours else ""


def _chip(card: Symbol, many: int) -> tuple[str, str]:
    """A card, or several alike, and the colour of its symbol."""
    named = phrases.symbol(card) if many == 1 else phrases.several(card, many)
    return named, palette.SYMBOL_COLOURS[ORDER[card]]


def named_plainly(view: View) -> View:
    """The same with names that are fit for a letter."""
    names = tuple(phrases.shown(name) for name in view.table.names)
    return replace(view, table=replace(view.table, names=names))
