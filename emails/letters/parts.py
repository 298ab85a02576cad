"""Parts of letters: the subject, the choices and their links, and the board."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import takewhile
from urllib.parse import quote

from emails.i18n import gettext, gettext_noop
from emails.letters.contexts import ChatExcerpt, GameLetterContext, chat_writers
from emails.letters.kinds import LetterKind
from emails.names import isolate, names_of_last
from emails.picture import palette
from emails.picture.letter_picture import ImageMapArea, LetterPicture, draw_letter_picture
from emails.picture.overlay import Overlay
from emails.tokens import Ticket
from emails.wording import phrases, standings
from emails.wording.advice_text import TurnChoice, list_turn_choices
from emails.wording.board_text import (
    area_around,
    describe_board,
    draw_ascii_map,
    summarize_board,
    whole_board,
)
from emails.wording.narration import build_overlay, headline_of, list_turns
from emails.wording.options import Option, OptionGroup, list_options
from emails.wording.phrases import places_of_events, point_out_turns
from emails.wording.questions import (
    OrderQuestion,
    letter_options,
    number_options,
    orders_by_letter,
    orders_by_number,
)
from emails.wording.requests import RequestKind
from emails.wording.standings import PlayerScore, changed_places
from engine.board import Point
from engine.bots.advice import Suggestion
from engine.cards import SYMBOL_INDEX, Symbol
from engine.events import TurnOver, TurnSkipped
from engine.position import View, VisibleEvent


class PositionText(StrEnum):
    """How much of the position a letter tells in words."""

    NONE = "none"
    BRIEF = "brief"
    """What is needed to judge a turn, and a small map."""
    WHOLE = "whole"
    """All that the reader may know, and the whole map."""


@dataclass(frozen=True, slots=True)
class ChoiceLine:
    """A whole turn that the reader can choose."""

    letter: str
    label: str
    """What kind of turn it is; may be empty."""
    title: str
    line: str
    """Its letter and title for plain text, broken only where no line could be read as an order."""
    why: str
    link: str
    """Its page."""
    mail: str
    """The link that writes the mail that chooses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterParts:
    """The parts of a letter beside its own words; one that shows no such thing leaves it out."""

    # what the reader can do
    page: str = ""
    """The link of the button."""
    mail: str = ""
    """The link that writes an answer."""
    example: str = ""
    """What can be answered."""
    deadline: str = ""
    reserve: str = ""
    """From when on the turn is taken from the reader's reserve of time, in a sentence."""
    more_time: str = ""
    """The link to the page on which the reader asks for more time; empty where none is offered."""
    away: str = ""
    """The link to the page on which they say when they are away."""
    time_word: str = ""
    """The word that asks for more time by mail."""
    away_words: str = ""
    """Words that say by mail that the reader is away."""
    time_page: str = ""
    """The link to the page that leads to all of that, and to a pause; empty where no time runs."""
    settings: str = ""
    """The link that leads to the settings."""
    decline: str = ""
    """The link of the second button, which declines an invitation."""
    plan: str = ""
    """The link to the page on which the reader plans their next turn."""
    planned: bool = False
    """Whether there is a plan already."""
    plan_heading: str = ""
    """What stands before a plan in a mail."""
    rules_page: str = ""
    """The link to the rules, where they do not stand in the letter."""
    stop: str = ""
    """The link that stops letters."""
    unwanted: str = ""
    """The link that ends letters that nobody has asked for, where the reader has confirmed nothing."""
    head: str = ""
    """By which the log can be checked at the end."""

    # what is told, a sentence or two each
    guest_note: str = ""
    """What an organiser writes to whom they invite."""
    messages: Sequence[ChatExcerpt] = ()
    messages_first: bool = False
    done: Sequence[str] = ()
    undone: Sequence[str] = ()
    posted: Sequence[str] = ()
    since: Sequence[str] | None = None
    """None: of a letter that shows a game, all that happened since the reader's last turn."""
    sections: list[tuple[str, list[str]]] = field(default_factory=list)
    """What the reader asked for: a heading and lines."""
    record: Sequence[str] = ()
    scores: str = ""
    """The points turn by turn, in lines."""
    scores_alt: str = ""
    """What the picture of them shows."""

    # what is asked
    asked: Sequence[tuple[Option, str, str]] = ()
    """Each meaning with its link and the link that writes the mail."""
    other_meanings: bool = False
    """Whether there are other meanings."""
    common: str = ""
    proposed: bool = False
    """Whether what is asked is what a mail may mean that could not be read whole."""

    choices: Sequence[ChoiceLine] = ()
    whole_turns: bool = True
    """Whether those are whole turns, and not single steps."""
    left: str = ""
    """How much time is left."""
    absence: str = ""
    """The sentence that whoever is waited for is away."""
    paused: str = ""
    """The sentence until when a pause lasts; empty where the game is not paused."""
    stands_still: bool = False
    """Whether no time runs since mail that comes in cannot be read."""
    drafted: str = ""
    """What the reader has begun of their turn on the page, in words of orders."""
    more: Sequence[tuple[str, str]] = ()
    """Words that ask for more, each with the link that writes the mail."""

    # the rules in one screen
    rules: bool = False
    turn_rules: bool = False
    """Whether it tells of them what the reader's first turn needs."""
    advice_first: bool = False
    seats: int = 0
    """How many play; 0: the rules are told for any number."""
    actions: int = 0
    winning: int = 0
    black: int = 0
    time: str = ""
    friend: str = ""
    """Whom an example of a message is to."""

    # the game
    view: View | None = None
    summary: str = ""
    waited: str = ""
    """Whose turn it is, since when and until when, in sentences, where that is another player's."""
    outlook: str = ""
    """When the reader's turn comes, where they wait for it and that is known."""
    standing: str = ""
    """Who has how many points, and who leads."""
    scores_strip: Sequence[PlayerScore] = ()
    changes: Sequence[str] = ()
    """What others did to what each levy gives the reader, a sentence each."""
    news: Sequence[str] = ()
    """The same, and before it what their levies gave the reader: for the line that a mailbox shows."""
    pictured: bool = False
    """Whether the board is drawn."""
    picture_first: bool = False
    """Whether that is the first thing its reader looks for."""
    position: PositionText = PositionText.NONE
    manual: bool = False
    """Whether it tells how to play by mail."""
    first: bool = False
    """Whether it is the reader's first turn."""
    alt: str = ""
    """What the picture of the board shows."""
    areas: Sequence[tuple[ImageMapArea, str]] = ()
    """Where the corners are that can be chosen, each with its link."""
    moved: bool = False
    """Whether it shows marches."""
    changed: bool = False
    """Whether it shows land that changed."""
    map: str = ""
    """The board drawn in characters."""
    map_whole: bool = False
    """Whether that is all of it, and no part."""


REPLY = "Re: "
"""Before the subject of an answer, as mail programs have it in every language."""
STRANGER_SUBJECTS = {
    LetterKind.PROPOSAL: gettext_noop("[Alexandros] A game waits for your yes"),
    LetterKind.ACCEPTED: gettext_noop("[Alexandros] You are in the game"),
    LetterKind.CALLED_OFF: gettext_noop("[Alexandros] The game is called off"),
    LetterKind.WELCOME: gettext_noop("[Alexandros] Your game by mail has begun"),
    LetterKind.SUBSTITUTE: gettext_noop("[Alexandros] The seat is yours"),
    LetterKind.STOPPED: gettext_noop("[Alexandros] No more mails"),
}
FIRST_NAME = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)?")
"""A name that can advertise nothing, and leads nowhere."""
LONGEST_FIRST_NAME = 16
ANSWERS = frozenset({LetterKind.ANSWER, LetterKind.REFUSED, LetterKind.SHOWN, LetterKind.ASKED_BACK})
"""Kinds that answer a mail."""


def subject_line(name: str) -> str:
    """The subject of a letter that stands in no conversation about a turn; `name` is empty for no game."""
    return f"Alexandros: {phrases.safe_name(name)}" if name else "Alexandros"


def invitation_subject(asker: str, game: str) -> str:
    """The subject of an invitation: who asks, and to which game.

    To somebody who has confirmed nothing no `game` is named, and of its organiser at most one first name.
    """
    if game:
        if not asker:
            return subject_line(game)
        name = phrases.safe_name(asker)
        return gettext("%(game)s: %(name)s asks you to play", game=phrases.safe_name(game), name=name)
    if len(asker) <= LONGEST_FIRST_NAME and FIRST_NAME.fullmatch(asker):
        return gettext("[Alexandros] %(name)s asks you to a game by mail", name=isolate(asker))
    return gettext("[Alexandros] An invitation to a game by mail")


def stranger_subject(kind: LetterKind, answered: str = "") -> str:
    """The subject of a letter to somebody who has confirmed nothing: it holds nobody else's words.

    `answered`: that of the letter which they answered.
    """
    if answered and kind in ANSWERS:
        return reply_subject(answered)
    return gettext(STRANGER_SUBJECTS.get(kind, gettext_noop("[Alexandros] A game by mail")))


def reply_subject(subject: str) -> str:
    """The subject of an answer to a mail with this one."""
    return subject if subject.startswith(REPLY) else REPLY + subject


def game_subject(kind: LetterKind, context: GameLetterContext, happened: str = "") -> str:
    """The subject of a letter about a game that has begun; `happened`: else it goes by its kind."""
    if context.one_conversation:
        return subject_line(context.name)
    if happened:
        return _titled(context, happened)
    if kind not in ANSWERS:
        return _occasion_subject(kind, context)
    own, answered = turn_subject(context), context.answered.removeprefix(REPLY)
    if not context.view.my_turn:
        return reply_subject(answered or own)
    return reply_subject(own) if answered in ("", own) else own  # it is the first letter of that turn


def turn_subject(context: GameLetterContext) -> str:
    """The subject of the reader's turn, or where it is not theirs of their last one."""
    table = context.view.table
    ended = sum(isinstance(fact, TurnOver) for fact in context.since)
    turn = table.turn if context.view.my_turn else table.turn - ended - 1
    if turn < 1:
        return _titled(context, gettext("the game has begun"))
    return _titled(context, _numbered(gettext("your turn"), turn))


def done_subject(context: GameLetterContext, clauses: Sequence[str]) -> str:
    """The subject of a letter that answers no mail and tells what was done; empty where it has another."""
    if context.one_conversation or context.answered or not clauses:
        return ""
    return _titled(context, clauses[0])


def passed_subject(context: GameLetterContext, happened: str) -> str:
    """The subject of a letter about a turn that ran out: `happened` says whose; empty: the reader's."""
    if context.one_conversation:
        return subject_line(context.name)
    if context.view.my_turn or not happened:
        return turn_subject(context)
    skipped = sum(1 for _ in takewhile(lambda fact: isinstance(fact, TurnSkipped), reversed(context.since)))
    return _titled(context, _numbered(happened, context.view.table.turn - 1 - skipped))


def _occasion_subject(kind: LetterKind, context: GameLetterContext) -> str:
    """The subject of a letter that answers nothing."""
    view = context.view
    match kind:
        case LetterKind.MESSAGE:
            return _titled(context, _message_subject(context))
        case LetterKind.GAME_OVER:
            return _titled(context, _winners_subject(context))
        case LetterKind.ABSENCE:
            return _titled(context, gettext("a caretaker keeps your seat"))
        case LetterKind.SUBSTITUTE:
            return _titled(context, gettext("the seat is yours"))
        case LetterKind.SEAT_OFFERED:
            return _titled(context, gettext("a seat is free"))
        case LetterKind.STOPPED:
            return _titled(context, gettext("no more mails"))
        case LetterKind.WELCOME if not view.my_turn:
            return _titled(context, gettext("the game has begun"))
        case LetterKind.NEWS | LetterKind.DIGEST if not view.my_turn:
            return _news_subject(context)
        case _:
            return turn_subject(context)


def _message_subject(context: GameLetterContext) -> str:
    names = chat_writers(context.messages)
    if not names:
        return gettext("a message for you")
    return gettext("a message from %(names)s", names=phrases.format_list(names))


def _winners_subject(context: GameLetterContext) -> str:
    table, me = context.view.table, context.view.me
    won = table.winners or ()
    if me in won and len(won) == 1:
        return gettext("you have won")
    names = phrases.format_list(phrases.name_or_you(table, seat, me) for seat in won)
    return gettext("won by %(names)s", names=names)


def _news_subject(context: GameLetterContext) -> str:
    """What the last turn brought."""
    names = names_of_last(context.seat_names, len(context.since))
    told = list_turns(context.since, context.view.table, names=names)
    turns = [one for one in told if not one.is_skipped]
    if not turns:
        return _titled(context, gettext("how it stands"))
    last = turns[-1]
    return _titled(context, _numbered(headline_of(last, context.view), last.number))


def _numbered(happened: str, turn: int) -> str:
    """With the number that the turn has in the game, as the news and the history count."""
    return gettext("%(deed)s (turn %(turn)s)", deed=happened, turn=turn)


def _titled(context: GameLetterContext, words: str) -> str:
    return gettext("%(game)s: %(words)s", game=phrases.safe_name(context.name), words=words)


LONGEST_LINKED = 1000
"""Bytes of words that are put into a link; longer ones are left to a mail."""


def mailto_link(address: str, title: str, body: str) -> str:
    """The link that writes a mail; a blank in it is %20, since not every program takes a + for one."""
    return f"mailto:{address}?subject={quote(title, safe='')}&body={quote(body, safe='')}"


@dataclass(frozen=True, slots=True)
class GameLinks:
    """Where the links of one letter lead."""

    context: GameLetterContext
    subject: str
    """Of the letter."""

    @property
    def ticket(self) -> Ticket:
        """The ticket of the reader's seat, in the position that the letter shows."""
        return Ticket(self.context.game, self.context.view.my_seat, self.context.after)

    @property
    def page(self) -> str:
        """The page of the game."""
        return self.context.links.ticket_link(self.ticket)

    @property
    def plan(self) -> str:
        """The page on which the reader plans their next turn."""
        return self.context.links.plan_link(self.ticket)

    @property
    def more_time(self) -> str:
        """The page on which the reader asks for more time."""
        return self.context.links.agreements_link(self.ticket)

    @property
    def away(self) -> str:
        """The page on which the reader says when they are away."""
        return self.context.links.away_link(self.ticket)

    @property
    def settings(self) -> str:
        """The page of the settings."""
        return self.context.links.settings_link(self.ticket)

    @property
    def stop(self) -> str:
        """The page that stops letters."""
        context = self.context
        seat = context.view.my_seat if context.holder is None else context.holder
        return context.links.unsubscribe_links(context.game, seat)[0]

    def play(self, words: str) -> str:
        """The page that shows what orders would do."""
        return self.context.links.ticket_link(replace(self.ticket, words=words))

    def mail(self, words: str) -> str:
        """What writes an answer with these words, in the conversation of the letter."""
        address = self.context.links.reply_address(self.ticket, self.context.letter)
        return mailto_link(address, reply_subject(self.subject), words)


@dataclass(frozen=True, slots=True)
class LetterChoices:
    """What a letter offers."""

    turns: tuple[TurnChoice, ...] = ()
    groups: tuple[OptionGroup, ...] = ()
    """Every choice of a single step, where the letter has them."""
    whole: bool = True
    """Whether those are whole turns, and not single steps."""
    meant: Mapping[str, str] = field(default_factory=dict)
    """What each letter or number stands for."""

    def renamed(self, view: View, suggestions: Sequence[Suggestion]) -> LetterChoices:
        """The same in words that name places as the letter's picture does."""
        return replace(self, turns=list_turn_choices(view, suggestions)) if self.turns else self

    def lines(self, links: GameLinks, *, reasons: bool) -> list[ChoiceLine]:
        """The turns as the letter lists them; without `reasons` in as few words as it can."""
        return [
            ChoiceLine(
                letter=turn.letter,
                label=turn.label if reasons else "",
                title=phrases.capitalize_first(turn.title),
                line=turn.line,
                why=turn.why if reasons else "",
                link=links.play(turn.words),
                mail=links.mail(turn.letter),
            )
            for turn in self.turns
        ]


def list_letter_choices(
    context: GameLetterContext, question: OrderQuestion | None, *, turns: bool, every: bool
) -> LetterChoices:
    """What a letter offers: a question alone, or whole turns and, with `every`, each choice.

    Whoever answers a question with a number means the question.
    """
    if question is not None:
        return LetterChoices(meant=orders_by_number((OptionGroup("", question.choices),)))
    view = context.view
    if not view.my_turn:
        return LetterChoices()
    best = list_turn_choices(view, context.suggestions) if turns or every else ()
    offered = best if turns else ()
    whole, meant = bool(context.suggestions), {turn.letter: turn.words for turn in offered}
    if not every:
        return LetterChoices(offered, whole=whole, meant=meant)
    options = list_options(view)
    meant |= orders_by_letter(options, len(best))  # a letter means one turn in every mail of a position
    return LetterChoices(offered, letter_options(options, len(best)), whole, meant)


def question_lines(question: OrderQuestion, links: GameLinks) -> Iterator[tuple[Option, str, str]]:
    """The choices of a question, each with its link and the link that writes the mail: its number."""
    found = (OptionGroup("", question.choices),)
    [group] = number_options(found)
    for number, choice in zip(orders_by_number(found), group.choices, strict=True):
        words = choice.words if len(choice.words.encode()) <= LONGEST_LINKED else ""
        yield choice, links.play(words), links.mail(number)


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
