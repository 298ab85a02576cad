"""What a letter shows of each thing that its reader has asked for in a mail (requests.py).

All of it is worked out from his view and from what he was told, so that it can give nothing away. The lines
are sentences that read well aloud; none is an order or a request, wherever a letter breaks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from emails.i18n import say, say_many, sentence
from emails.letters.chat_excerpts import friend
from emails.letters.contexts import Section, Sheet
from emails.letters.game_letter import named_plainly
from emails.letters.preferences_text import Wishes, habits
from emails.letters.renderer import AS_TEXT, in_words
from emails.wording import rules_text
from emails.wording.board_text import board_text
from emails.wording.hand import holdings
from emails.wording.narration import sentences
from emails.wording.phrases import listed, who
from emails.wording.requests import Kind, Request, word
from engine.events import TurnEnded
from engine.lattice import corners
from engine.position import BLACK, View
from engine.views import Told

MOST = 16_000
"""Bytes of all that is shown in one letter, which has to show the game too."""
MOST_TURNS = 20
"""Turns of the history that are told in one letter."""
MOST_OF_HISTORY = 9_000
"""Bytes of them, but for the last one."""


def sections(
    asked: Sequence[Request],
    sheet: Sheet,
    happened: Sequence[Told] = (),
    wishes: Wishes | None = None,
    resigned: bool = False,
) -> tuple[Section, ...]:
    """What is shown of each request, once, in the language spoken and in the order in which they were made.

    `happened`: the whole game as the reader was told it; `wishes`: what he wants of his letters; `resigned`:
    whether he has given the game up. Without them nothing is shown of history, of settings, of resigning.
    """
    found: list[Section] = []
    room = MOST
    for request in dict.fromkeys(asked):
        made = _section(request, sheet, happened, wishes, resigned)
        size = _size(made.lines)
        if found and size > room:
            made = Section(
                made.heading, (say("There is no room for this here: ask for it in a mail alone."),)
            )
        room -= size
        if made.lines:
            found.append(made)
    return tuple(found)


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) for line in lines)


def _section(
    request: Request, sheet: Sheet, happened: Sequence[Told], wishes: Wishes | None, resigned: bool
) -> Section:
    view = sheet.view
    match request.kind:
        case "help":
            return Section(say("What you can write"), tuple(_help(sheet)))
        case "board":
            return Section(say("The whole position"), tuple(_board(view)))
        case "hand":
            return Section(say("Your cards and what they can do"), tuple(holdings(view)))
        case "history":
            return Section(say("The game so far"), tuple(_history(view, happened, request.about)))
        case "rules":
            return _rules(view, request.about)
        case "settings":
            lines = () if wishes is None else tuple(habits(wishes, sheet.hours))
            return Section(say("Your settings for this game"), lines)
        case "resign":
            return Section(say("You have resigned"), tuple(_resigned(view)) if resigned else ())
        case _:
            assert_never(request.kind)


# --- help -----------------------------------------------------------------------------------------------

ORDERS = (
    (sentence("A card of the display, for the march: “%(order)s”"), "choose lyre"),
    (sentence("A card from your hand, for the march: “%(order)s”"), "play lyre"),
    (sentence("The march, to a corner of a space: “%(order)s”"), "march {one} {corner}"),
    (sentence("Where no march is possible: “%(order)s”"), "stay lyre"),
    (sentence("A card of the supply: “%(order)s”"), "draw"),
    (sentence("One more card of the display: “%(order)s”"), "take horse"),
    (sentence("Guards for a free province: “%(order)s”"), "occupy {one}+{two}"),
    (sentence("Somebody's province: “%(order)s”"), "takeover {one} give horse+lyre"),
    (sentence("Taxes: “%(order)s”"), "levy lyre"),
    (sentence("A guard back into your supply: “%(order)s”"), "recall {one}"),
    (sentence("Nothing more in this turn: “%(order)s”"), "end"),
)
"""Each kind of order with an example, on two places of the board; with a sentence it fits in one line."""
ANSWERED: Sequence[tuple[str, Kind]] = (
    (sentence("“%(word)s”: the whole position in words"), "board"),
    (sentence("“%(word)s”: your cards and what they can do"), "hand"),
    (sentence("“%(word)s”: what everybody did, turn by turn"), "history"),
    (sentence("“%(word)s”: the game in two minutes, and with a number (5.9) that rule"), "rules"),
    (sentence("“%(word)s”: which letters you get, and when"), "settings"),
    (sentence("“%(word)s” or a question mark: this list"), "help"),
    (sentence("“%(word)s”: you give the game up, and a caretaker plays on for you"), "resign"),
)


def _help(sheet: Sheet) -> Iterator[str]:
    """All that can be written, each with an example."""
    board = sheet.view.table.board
    one, two = list(board.names)[:2]
    named = {"one": board.names[one], "two": board.names[two], "corner": corners(one)[0]}
    yield say("Reply to the newest mail of the game, and write at the very top, above its first line.")
    yield from (say(words, order=in_words(order.format(**named))) for words, order in ORDERS)
    yield say(
        "What goes without saying may be left out, such as the path to a corner that has only one. If a line "
        "can mean several things nothing is done, and you are asked which."
    )
    yield say("Words for everybody: “%(words)s”", words=say("say: Good luck!"))
    if name := friend(named_plainly(sheet.view), sheet.messages):
        yield say("Words for one alone: “%(words)s”", words=say("tell %(name)s: Good luck!", name=name))
    yield say("These are answered at any time, each alone on its line:")
    yield from (say(words, word=word(kind)) for words, kind in ANSWERED)


# --- the game -------------------------------------------------------------------------------------------


def _board(view: View) -> Iterator[str]:
    """The points, then the text of the board, each of its facts in one piece."""
    table = view.table
    points = listed(f"{who(table, seat, view.me)} {score}" for seat, score in enumerate(table.scores))
    yield say("Points: %(points)s.", points=points)
    yield from board_text(named_plainly(view)).replace("\n  ", " ").splitlines()
    yield say("As a drawing it stands further down in this mail.")


def _history(view: View, happened: Sequence[Told], until: str) -> Iterator[str]:
    """What everybody did, a line for each turn, the last one last; of a long game the end of it.

    `until`: the number of the turn with which it ends; empty: the last.
    """
    if not happened:
        return
    began, *turns = _turns(happened)
    last = min(len(turns), max(1, int(until))) if until else len(turns)
    told: list[str] = []
    room = MOST_OF_HISTORY
    for number in range(last, max(0, last - MOST_TURNS), -1):
        turn = turns[number - 1]
        line = _turn(view, number, turn)
        room -= len(line.encode())
        if told and room < 0:
            break
        told.append(line)
    left = last - len(told)
    if left:
        yield say_many(
            "%(number)s earlier turn is not told here: “%(words)s” shows it.",
            "%(number)s earlier turns are not told here: “%(words)s” shows the last of them.",
            left,
            words=f"{word('history')} {left}",
        )
    else:
        yield from sentences(began, view)
    yield from reversed(told)


def _turns(happened: Sequence[Told]) -> list[list[Told]]:
    """How the game began, then each turn with the cards that filled the display after it (3.3)."""
    found: list[list[Told]] = [[]]
    ended = True
    for fact in happened:
        if ended and getattr(fact, "seat", None) is not None:
            found.append([])
            ended = False
        found[-1].append(fact)
        ended = ended or isinstance(fact, TurnEnded)
    return found


def _turn(view: View, number: int, turn: Sequence[Told]) -> str:
    mover = getattr(turn[0], "seat", 0)
    deeds = " ".join(sentences(turn, view))
    return say(
        "Turn %(turn)s, %(name)s: %(deeds)s", turn=number, name=who(view.table, mover, view.me), deeds=deeds
    )


# --- rules ----------------------------------------------------------------------------------------------


def _rules(view: View, about: str) -> Section:
    """The game in two minutes, or one clause, or a whole part."""
    if not about:
        return Section(say("The game in two minutes"), tuple(_in_two_minutes(view)))
    found = rules_text.clauses(about)
    if not found:
        near = listed(rules_text.nearest(about), "or")
        words = say("There is no rule %(number)s; the nearest is %(numbers)s.", number=about, numbers=near)
        return Section(say("From the rules"), (words,))
    title = rules_text.parts()[found[0].number.partition(".")[0]]
    lines = [say("Rule %(number)s: %(text)s", number=one.number, text=one.text) for one in found]
    if any(one.number.startswith("9.") or "(9." in one.text for one in found):
        lines.append(say("The edition of this game is %(edition)s.", edition=view.table.edition.name))
    return Section(say("From the rules: %(part)s", part=title), tuple(lines))


def two_minutes(winning: int) -> Iterator[str]:
    """The game in a few sentences, for an edition in which so many points win."""
    template = AS_TEXT.get_template("common.words")
    said = "".join(template.blocks["rules"](template.new_context({"winning": winning, "black": BLACK})))
    yield from filter(None, map(str.strip, said.splitlines()))


def _in_two_minutes(view: View) -> Iterator[str]:
    yield from two_minutes(view.table.edition.winning_score)
    yield say(
        "To read one rule, write for example “%(words)s” on a line of its own.", words=f"{word('rules')} 5.9"
    )
    parts = (f"{title} ({number})" for number, title in rules_text.parts().items())
    yield say(
        "With “%(words)s” you get a whole part; the parts are: %(parts)s.",
        words=f"{word('rules')} 5",
        parts="; ".join(parts),
    )


# --- resigning ------------------------------------------------------------------------------------------


def _resigned(view: View) -> Iterator[str]:
    if view.table.over:
        yield say("A caretaker played on for you until the end of the game.")
        return
    yield say("A caretaker plays on for you: quiet marches, and cards. This cannot be taken back.")
    yield say("You get one more letter of this game, when it is over. The other players are told.")
