"""The letters: one function for each kind, which picks what is said from what its reader knows.

A letter is complete in plain text and in HTML. printing.py prints it; compose.py makes it a mail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from emails import palette, standing, wording
from emails.choices import Choice, Group, choices
from emails.links import Post, Ticket
from emails.palette import plain_name
from emails.picture import svg
from emails.printing import Letter as Letter
from emails.printing import Picture, printed, subject
from emails.telling import marks, reason, sentences
from emails.text import board_text, map_text
from engine.cards import ORDER, Symbol
from engine.editions import Edition
from engine.position import BLACK, Phase, Table, View
from engine.views import Told

BOARD = "board"
"""The name of the picture of the board."""
LONGEST_SENTENCE = 600
"""Characters of a sentence that may repeat what a stranger wrote."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a letter about a running game is made from."""

    game: str
    """The game's id."""
    name: str
    view: View
    """Of a player, not of a spectator."""
    since: tuple[Told, ...]
    """What happened since the reader last acted."""
    before: Table | None
    """The table as it was then."""
    after: int
    """The number of the act after which the position stands so."""
    deadline: datetime | None
    """When the time for this turn is over, with its time zone; None where there is no limit."""
    hours: int
    """The time for one turn."""
    post: Post


@dataclass(frozen=True, slots=True)
class Invitation:
    """What an invitation is made from; there is no position yet."""

    game: str
    name: str
    players: tuple[str, ...]
    """All who are to play, in the order in which they were named."""
    seat: int
    """The place of the invited among them."""
    edition: Edition
    hours: int
    post: Post


@dataclass(frozen=True, slots=True)
class Undone:
    """Words of a reply that were not done."""

    words: str
    """As he wrote them."""
    why: str
    """The sentence that says why; empty where the reason stands with other words."""


# --- one function for each kind -------------------------------------------------------------------------


def invitation(made: Invitation) -> Letter:
    """Somebody asks the reader to play; the link accepts."""
    accepts = Ticket(made.game, made.seat, 0, "accept")
    facts: dict[str, object] = {
        "others": [wording.shown(name) for seat, name in enumerate(made.players) if seat != made.seat],
        "reader": wording.shown(made.players[made.seat]),
        "time": wording.span(made.hours),
        "winning": made.edition.winning_score,
        "black": BLACK,
        "page": made.post.link(accepts),
        "rules": True,
    }
    accept = Group(wording.ACCEPT_HEADING, (Choice("accept", wording.ACCEPT),))
    return printed("invitation", made.name, facts, [accept], _linked(made.post, made.name, accepts))


def accepted(made: Invitation, awaited: tuple[str, ...]) -> Letter:
    """The reader has accepted by mail, and these players have not yet."""
    facts: dict[str, object] = {
        "reader": wording.shown(made.players[made.seat]),
        "awaited": [wording.shown(name) for name in awaited],
        "page": made.post.link(Ticket(made.game, made.seat, 0, "accept")),
    }
    return printed("accepted", made.name, facts)


def welcome(sheet: Sheet) -> Letter:
    """The game has begun, and somebody else begins: how to play by mail."""
    return _about("welcome", sheet, rules=True)


def your_turn(sheet: Sheet) -> Letter:
    """The game waits for the reader, at the start of his turn or in the middle of it."""
    table = sheet.view.table
    return _about("your_turn", sheet, rules=not table.walls, middle=table.phase is not Phase.CARD)


def answer(sheet: Sheet, done: tuple[Told, ...], undone: tuple[Undone, ...]) -> Letter:
    """What was done of what the reader wrote in a mail, what was not and why, and what can be done now."""
    facts: dict[str, object] = {
        "done": sentences(done, sheet.view),
        "undone": [plain_name(wording.undone(one.words, one.why), LONGEST_SENTENCE) for one in undone],
    }
    if done and sheet.view.my_turn:  # what happened before he has been told, and the rest stands in `done`
        facts["since"] = ()
    return _about("answer", sheet, **facts)


def reminder(sheet: Sheet, now: datetime) -> Letter:
    """The deadline comes near; `now` with its time zone."""
    left = int((sheet.deadline - now).total_seconds() // 3600) if sheet.deadline else sheet.hours
    return _about("reminder", sheet, left=wording.span(max(0, left)))


def time_passed(sheet: Sheet, seat: int, done: tuple[Told, ...] = ()) -> Letter:
    """The time of `seat` was over and the server played for it, to everybody: `done` says what it did.

    Without `done` what it did must stand in `since`.
    """
    view, since = sheet.view, sheet.since
    facts: dict[str, object] = {
        "late": wording.whose(view.table, seat, view.me),
        "mine": seat == view.me,
        "done": sentences(done, view),
    }
    if done and since[-len(done) :] == done:
        facts["since"] = sentences(since[: -len(done)], view)
    elif done:
        facts["since"] = sentences(since, view)
        sheet = replace(sheet, since=done + since)  # for the picture
    return _about("time_passed", sheet, **facts)


def game_over(sheet: Sheet) -> Letter:
    """The game has ended: who won, why, and the final standing."""
    table, me = sheet.view.table, sheet.view.me
    won = table.winners or ()
    others = [wording.shown(table.names[seat]) for seat in won if seat != me]
    return _about("game_over", sheet, won=me in won, others=others, why=reason(table))


def refused(sentence: str, sheet: Sheet | None = None) -> Letter:
    """A mail of the reader was not played, for the reason in the sentence: too old, unreadable, not his turn.

    With a sheet the letter shows how the game stands now; without, the mail could not be told to any game.
    """
    sentence = plain_name(sentence, LONGEST_SENTENCE)
    if sheet is None:
        return printed("refused", "", {"sentence": sentence})
    return _about("refused", sheet, sentence=sentence)


# --- what the templates are given -----------------------------------------------------------------------


def _about(kind: str, sheet: Sheet, **more: object) -> Letter:
    """A letter that shows a game."""
    view = _named_plainly(sheet.view)
    assert view.me is not None
    ticket = Ticket(sheet.game, view.me, sheet.after)
    pointed = marks(sheet.since, sheet.before, view)
    alt = wording.alt(view, pointed.labels)
    facts: dict[str, object] = {
        "view": view,
        "reader": view.table.names[view.me],
        "mover": view.table.names[view.table.seat],
        "summary": wording.summary(view),
        "needed": wording.needed(view),
        "since": sentences(sheet.since, view),
        "deadline": wording.moment(sheet.deadline) if sheet.deadline and not view.table.over else "",
        "time": wording.span(sheet.hours),
        "winning": view.table.edition.winning_score,
        "page": sheet.post.link(ticket),
        "board": board_text(view, pointed.labels).strip(),
        "map": map_text(view).rstrip(),
        "numbered": bool(pointed.labels),
        "moved": bool(pointed.marches),
        "changed": bool(pointed.changed),
        "first": view.table.turn <= len(view.table.names),
        "black": BLACK,
        "alt": alt,
        "hand": [_chip(card, view.hand[card]) for card in view.hand.kinds()],
        "display": [_chip(card, 1) for card in view.table.display],
        "players": standing.rows(view),
        "provinces": standing.lands(view),
        **more,
    }
    offered = choices(view)
    facts["example"] = next((one.words for group in offered for one in group.choices if not one.further), "")
    letter = printed(kind, sheet.name, facts, offered, _linked(sheet.post, sheet.name, ticket))
    return replace(letter, pictures=(Picture(BOARD, svg(view, pointed), alt),))


def _linked(post: Post, name: str, ticket: Ticket) -> Callable[[Choice], tuple[str, str]]:
    """What gives a choice its link, and the link that writes the mail: none where the page must ask."""
    mail = f"mailto:{post.reply_address(ticket)}?subject={quote(subject(name))}&body="

    def links(choice: Choice) -> tuple[str, str]:
        link = post.link(replace(ticket, words=choice.words))
        return link, "" if choice.further else mail + quote(choice.words)

    return links


def _chip(card: Symbol, many: int) -> tuple[str, str]:
    """A card, or several alike, and the colour of its symbol."""
    return str(card) if many == 1 else wording.counted(many, str(card)), palette.SYMBOL_COLOURS[ORDER[card]]


def _named_plainly(view: View) -> View:
    names = tuple(wording.shown(name) for name in view.table.names)
    return replace(view, table=replace(view.table, names=names))
