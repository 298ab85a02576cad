"""Contexts of letters, and parts of letters: subjects, choices with links, the board, sections."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from html import escape
from itertools import accumulate, islice
from urllib.parse import quote

from emails.i18n import Locale, gettext, ngettext
from emails.languages.supported_languages import LANGUAGES
from emails.names import SeatNames, isolate, names_of_last
from emails.picture import palette
from emails.picture.layers import EMPTY_OVERLAY
from emails.picture.letter_picture import ImageMapArea, LetterPicture, draw_letter_picture
from emails.picture.palette import clean_name
from emails.terms import AbsenceNote, ReserveLeft, TurnOutlook, TurnTime
from emails.tokens import LinkBuilder, Ticket
from emails.wording import phrases, standings, texts
from emails.wording.advice_text import TurnChoice, list_turn_choices
from emails.wording.board_text import (
    area_around,
    describe_beyond,
    describe_board,
    describe_hand,
    draw_ascii_map,
    summarize_board,
    whole_board,
)
from emails.wording.narration import (
    TurnNews,
    build_overlay,
    list_turns,
    name_mover,
    narrate_events,
    split_turns,
)
from emails.wording.options import Option, OptionGroup, list_options
from emails.wording.phrases import MOST_OF_NEWS, places_of_events, point_out_turns, use_place_names
from emails.wording.requests import (
    NUDGED,
    OrderQuestion,
    PlanContext,
    Request,
    RequestKind,
    describe_plan,
    orders_by_letter,
    orders_by_number,
    prefix_titles,
    short_example,
)
from emails.wording.standings import PlayerStanding, changed_provinces
from emails.wording.texts import say, tell
from engine.board import Board, corners
from engine.bots.advice import Suggestion
from engine.bots.strengths import PROFILES
from engine.cards import SYMBOL_INDEX, Symbol
from engine.editions import Edition
from engine.events import TurnOver
from engine.position import Table, View, VisibleEvent


@dataclass(frozen=True, slots=True)
class UnreadChat:
    writer: str
    """Name of another player; empty for a message of the server, written in the reader's language."""
    words: str
    private: bool


@dataclass(frozen=True, slots=True)
class GameLetterContext:
    """The values from which a letter about a running or finished game is rendered."""

    game: str
    name: str
    view: View
    """The view of a player, never of a spectator."""
    since: tuple[VisibleEvent, ...]
    """Events since the reader's last turn."""
    before: Table | None
    """Public part of the position before the events in `since`; None: no changes are shown."""
    after: int  # number of the last entry of the game's log before the shown position
    deadline: datetime | None
    """Deadline of the current turn, with time zone; None without a limit, or while the clock is stopped."""
    turn_time: TurnTime
    links: LinkBuilder
    turn_since: datetime | None = None
    pause_ends: datetime | None = None
    stands_still: bool = False
    """True during a downtime, when all clocks stand still because incoming mail cannot be read."""
    reserve: ReserveLeft | None = None
    """The time reserve of the player to move; None without a reserve, or while the clock is stopped."""
    messages: tuple[UnreadChat, ...] = ()
    letter: int = 0  # number in the outbox; 0: not in the outbox
    bots: tuple[str, ...] = ()
    now: datetime | None = None
    """Time at which the letter is rendered, with time zone; None if the letter states no remaining time."""
    answered: str = ""  # subject of the letter that the player replied to; empty if there is none
    changed: bool = True
    """True if the position has changed since the last letter to the reader."""
    suggestions: tuple[Suggestion, ...] = ()
    """Suggested turns, the best first; empty if the reader gets no advice."""
    absence: str = ""
    """A sentence on the absence of the player to move; empty if that player is present or is the reader."""
    draft: tuple[str, ...] = ()
    plan: PlanContext | None = None
    shown: frozenset[RequestKind] = frozenset()
    """Requested parts beyond the usual ones, such as the whole position or all choices."""
    everything: bool = False
    one_conversation: bool = False
    next_turn: TurnOutlook | None = None
    """Estimate of when the reader's next turn begins; None if the reader is not waiting for a turn."""
    stop: str = ""
    """The link that stops letters to the player of the seat."""
    head: str = ""
    """Checksum of the game's log (the "head" of engine/event_log.py); empty if the log has none."""
    can_return: bool = False
    resigned: frozenset[int] = frozenset()
    acted: tuple[VisibleEvent, ...] = ()  # events that the letter reports
    earlier_name: str = ""
    """The name of the previous player of the reader's seat; empty if there was none."""
    seat_names: tuple[SeatNames, ...] = ()
    """The players' names at each event of the game; empty if no seat has changed hands."""

    @property
    def ticket(self) -> Ticket:
        return Ticket(self.game, self.view.my_seat, self.after)


@dataclass(frozen=True, slots=True)
class LetterSection:
    heading: str
    lines: tuple[str, ...]
    """Paragraphs of one or two sentences in plain text, not yet folded."""
    done: str = ""
    """What a performed request has changed, in words for the letter's subject; empty: nothing."""


class Pace(StrEnum):
    AT_ONCE = "at once"
    GATHERED = "gathered"
    DAILY = "daily"


@dataclass(frozen=True, slots=True)
class LetterPreferences(Locale):
    pace: Pace = Pace.AT_ONCE
    minutes: int = 60
    """Minimum number of minutes between two letters (5 to 1440), if `pace` is `Pace.GATHERED`."""
    hour: int = 8
    """Hour of the daily letter, from 0 to 23 in the player's zone."""
    moves: bool = False
    """True if the player wants a letter after each turn of another player; ignored if `pace` is daily."""
    messages: bool = False
    """True if chat is sent in separate letters, at the player's pace; False: chat is in the next letter."""
    pictures: bool = True
    letters: bool = True
    """False if the player has stopped all letters; only server/accounts/unsubscribe.py changes this."""
    everything: bool = False
    """True if each letter shows the whole position, all choices and the manual."""
    suggestions: bool = True
    reminders: bool = True
    one_conversation: bool = False
    """True: one subject for all letters of a game; False: a new subject for each turn."""


@dataclass(frozen=True, slots=True)
class InvitationContext:
    ticket: Ticket
    """A ticket that accepts the seat, after the log entry that gave it to the reader (0: the opening)."""
    players: tuple[str, ...]
    edition: Edition
    turn_time: TurnTime
    asker: str = ""  # name of the inviting player; empty if no player invited the reader
    bots: int = 0
    board: Board | None = None
    free: frozenset[int] = frozenset()


LONGEST_CHAT = 600
MOST_CHAT_BYTES = 4000
"""Maximum size of all messages in a letter's HTML, in bytes; the newest messages are shown."""
PLAIN_NAME = r"(?!House\b)\w[\w' -]{0,23}"  # fits an example; bots, which read no chat, were named "House"


@dataclass(frozen=True, slots=True)
class ChatExcerpt:
    head: str
    """Writer and recipient of the message; empty for a message of the server."""
    words: str
    private: bool = False


def excerpt_chat(messages: Sequence[UnreadChat]) -> list[ChatExcerpt]:
    """Return the newest messages, oldest first. If some do not fit, the first excerpt states their number."""
    found: list[ChatExcerpt] = []
    room = MOST_CHAT_BYTES
    for message in reversed(messages):
        made = _excerpt(message)
        room -= html_size(made.words)
        if room < 0:
            left = len(messages) - len(found)
            sentence = ngettext(
                "%(number)s older message stands on the page of the game.",
                "%(number)s older messages stand on the page of the game.",
                left,
            )
            found.append(ChatExcerpt("", sentence))
            break
        found.append(made)
    return found[::-1]


def html_size(words: str) -> int:
    return len(escape(words).encode())


def fit_lines(lines: Sequence[str], room: int) -> tuple[list[str], int]:
    """Return the first lines that fit into `room` bytes, and their size in bytes."""
    taken = list(accumulate(html_size(line) for line in lines))
    shown = sum(end <= room for end in taken)
    if shown == len(lines):
        return list(lines), taken[-1] if taken else 0
    left = ngettext("… and %(number)s more line.", "… and %(number)s more lines.", len(lines) - shown)
    return [*lines[:shown], left], room


def _excerpt(message: UnreadChat) -> ChatExcerpt:
    words = clean_name(message.words, LONGEST_CHAT) or "…"
    if not message.writer:
        return ChatExcerpt("", words)
    name = phrases.safe_name(message.writer)
    if message.private:
        return ChatExcerpt(gettext("%(name)s writes to you alone:", name=name), words, private=True)
    return ChatExcerpt(gettext("%(name)s writes:", name=name), words)


def chat_writers(messages: Sequence[UnreadChat]) -> list[str]:
    """Return the writers' names, each once, in the order of their first messages."""
    return [phrases.safe_name(name) for name in dict.fromkeys(one.writer for one in messages) if name]


def example_recipient(view: View, messages: Sequence[UnreadChat]) -> str:
    """Return another player's name for an example of a private message; empty if no name is suitable."""
    table = view.table
    last = [message.writer for message in reversed(messages)]
    after = (view.me or 0) + 1
    others = [*last, *table.names[after:], *(table.names[: view.me] if view.me is not None else ())]
    plain = (name for name in map(phrases.safe_name, others) if re.fullmatch(PLAIN_NAME, name))
    return next((name for name in plain if name not in PROFILES), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterParts:
    """The values that all templates can read; unused ones stay empty."""

    # links and words for the reader's actions
    page: str = ""
    """The link of the main button."""
    mail: str = ""
    example: str = ""
    deadline: str = ""
    reserve: str = ""
    more_time: str = ""
    """The link that requests more time; empty: not offered."""
    away: str = ""
    time_page: str = ""
    """The link to the page of votes on more time and pauses; empty without a limit or after the game."""
    settings: str = ""
    decline: str = ""
    plan: str = ""
    plan_heading: str = ""
    rules_page: str = ""
    stop: str = ""
    unwanted: str = ""
    head: str = ""

    # reports, one or two sentences each
    guest_note: str = ""
    messages: Sequence[ChatExcerpt] = ()
    messages_first: bool = False
    done: Sequence[str] = ()
    undone: Sequence[str] = ()
    posted: Sequence[str] = ()
    since: Sequence[str] | None = None
    """Narrated events; None: the letter narrates all events since the reader's last turn."""
    sections: list[tuple[str, list[str]]] = field(default_factory=list)
    record: Sequence[str] = ()
    scores: str = ""
    scores_alt: str = ""

    # questions
    asked: Sequence[Option] = ()
    other_meanings: bool = False
    common: str = ""
    proposed: bool = False

    links: OrderLinks | None = None
    brief: bool = False
    choices: Sequence[TurnChoice] = ()
    reasons: bool = False
    """True if the labels and explanations of `choices` are shown."""
    left: str = ""
    paused: str = ""
    drafted: str = ""
    more: Sequence[str] = ()

    # summary of the rules
    rules: bool = False
    turn_rules: bool = False
    advice_first: bool = False
    time: str = ""
    friend: str = ""

    # the game
    context: GameLetterContext | None = None
    view: View | None = None
    summary: str = ""
    waited: str = ""
    """Sentences on whose turn it is and until when; empty if the reader is to move."""
    outlook: str = ""
    standing: str = ""
    scores_strip: Sequence[PlayerStanding] = ()
    changes: Sequence[str] = ()
    news: Sequence[str] = ()
    """Clauses that a mailbox shows as a preview of the letter."""
    pictured: bool = False
    picture_first: bool = False
    first: bool = False
    alt: str = ""
    areas: Sequence[tuple[ImageMapArea, str]] = ()
    moved: bool = False
    changed: bool = False
    map: str = ""
    beyond: str = ""
    """The places of the news that `map` does not show, as one sentence."""
    map_whole: bool = False


REPLY = "Re: "
FIRST_NAME = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)?")
"""A first name that can contain neither advertising nor a link."""
LONGEST_FIRST_NAME = 16


def subject_line(name: str) -> str:
    """Return a subject that names only the program and, if `name` is not empty, the game."""
    return f"Alexandros: {phrases.safe_name(name)}" if name else "Alexandros"


def invitation_subject(asker: str, game: str) -> str:
    """Return the subject of an invitation; without `game`, an `asker` that is no first name is omitted."""
    if game:
        if not asker:
            return subject_line(game)
        name = phrases.safe_name(asker)
        return gettext("%(game)s: %(name)s asks you to play", game=phrases.safe_name(game), name=name)
    if len(asker) <= LONGEST_FIRST_NAME and FIRST_NAME.fullmatch(asker):
        return gettext("[Alexandros] %(name)s asks you to a game by mail", name=isolate(asker))
    return gettext("[Alexandros] An invitation to a game by mail")


def reply_subject(subject: str) -> str:
    """Add the prefix of a reply to a subject, once."""
    return subject if subject.startswith(REPLY) else REPLY + subject


def turn_subject(context: GameLetterContext) -> str:
    """Return the subject of the reader's turn: the current one or, while others move, the last one."""
    table = context.view.table
    ended = sum(isinstance(fact, TurnOver) for fact in context.since)
    turn = table.turn if context.view.my_turn else table.turn - ended - 1
    if turn < 1:
        return titled_subject(context, gettext("the game has begun"))
    return titled_subject(context, gettext("your turn"), turn)


def titled_subject(context: GameLetterContext, words: str, turn: int | None = None) -> str:
    if turn is not None:
        words = gettext("%(deed)s (turn %(turn)s)", deed=words, turn=turn)
    return gettext("%(game)s: %(words)s", game=phrases.safe_name(context.name), words=words)


LONGEST_LINKED = 1000
"""Maximum size of orders in a link, in bytes; longer orders must be sent by mail."""


def mailto_link(address: str, title: str, body: str) -> str:
    """Return a mailto link, with blanks as %20, because some programs do not decode +."""
    return f"mailto:{address}?subject={quote(title, safe='')}&body={quote(body, safe='')}"


@dataclass(frozen=True, slots=True)
class OrderLinks:
    """The links by which the reader of a letter sends orders."""

    context: GameLetterContext
    subject: str

    def play(self, words: str) -> str:
        """Return the link that plays orders; for orders too long for a link, that to the game alone."""
        fitting = words if len(words.encode()) <= LONGEST_LINKED else ""
        return self.context.links.ticket_link(replace(self.context.ticket, words=fitting))

    def mail(self, words: str) -> str:
        address = self.context.links.reply_address(self.context.ticket, self.context.letter)
        return mailto_link(address, reply_subject(self.subject), words)


@dataclass(frozen=True, slots=True)
class LetterChoices:
    turns: tuple[TurnChoice, ...] = ()
    groups: tuple[OptionGroup, ...] = ()
    meant: Mapping[str, str] = field(default_factory=dict)


def list_letter_choices(
    context: GameLetterContext, question: OrderQuestion | None, most: int | None = None, *, turns: bool
) -> LetterChoices:
    """Return the choices of a letter; `turns`: whole turns too, at most `most`, if the reader is to move."""
    if question is not None:
        return LetterChoices(meant=orders_by_number((OptionGroup("", question.choices),)))
    view, every = context.view, context.everything or RequestKind.ALL in context.shown
    if not view.my_turn:
        return LetterChoices()
    best = list_turn_choices(view, context.suggestions) if turns or every else ()
    offered = best[:most] if turns else ()
    meant = {turn.letter: turn.words for turn in offered}
    if not every:
        return LetterChoices(offered, meant=meant)
    options = list_options(view)
    orders = orders_by_letter(options, len(best))  # a letter means the same turn in all mails of a position
    return LetterChoices(offered, prefix_titles(options, orders), meant | orders)


BOARD_PICTURE = "board"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Switches for the parts of a letter about a game, equal for all letters of one kind."""

    for_turn: bool = False
    """True if the letter shows the board to the player to move even when the position has not changed."""
    always_drawn: bool = False
    offers_plan: bool = False
    """True if the letter may link to the page for planning the next turn."""
    offers_time: bool = False
    """True if the letter may link to requests for more time and to reports of an absence."""
    lists_turns: bool = True
    gives_reasons: bool = False
    """True if the reasons of choices are shown even in a short letter."""
    brief: bool = False
    """True if the letter is brief unless the reader wants more, or a turn of the reader begins."""


def show_board(
    parts: LetterParts,
    links: OrderLinks,
    turns: Sequence[TurnChoice],
    done: Sequence[VisibleEvent],
    *,
    whole: bool,
    first: bool,
) -> tuple[LetterParts, LetterPicture]:
    """Draw the board, and add what describes the drawing."""
    context, view = links.context, links.context.view
    happened = build_overlay(context.since, context.before, view, labels={})
    ends = [(turn.letter, turn.words, turn.corner) for turn in turns]
    changed = [guard for one in changed_provinces(view, context.before) for guard in one.guards]
    changed += places_of_events(done)[:MOST_OF_NEWS]
    pointed = point_out_turns(happened, view.table.board, ends, context.since, changed)
    picture = draw_letter_picture(view, pointed, whole=whole)
    offered = point_out_turns(EMPTY_OVERLAY, view.table.board, ends).named
    around = (corner for space in offered for corner in corners(space))
    area = None if whole else area_around(view, (*pointed.labels, *around))
    news = places_of_events(done if parts.brief else (*context.since, *done))
    named = dict.fromkeys((*changed, *offered, *news))
    pages = {turn.corner: links.play(turn.words) for turn in reversed(turns)}
    with use_place_names(None if context.everything else picture.named):
        alt = standings.picture_alt_text(view, pointed, picture)
    described = replace(
        parts,
        pictured=True,
        picture_first=first,
        alt=alt,
        areas=[(one, pages[one.point]) for one in picture.areas],
        moved=bool(pointed.marches),
        changed=bool(pointed.changed),
        map=draw_ascii_map(view, area).rstrip(),
        beyond=describe_beyond(view.table, area, named),
        map_whole=area in (None, whole_board(view.table.board)),
    )
    return described, picture


def describe_game(view: View, *, whole: bool, brief: bool) -> Mapping[str, object]:
    """Return the template variables about the position; those of parts not shown are empty."""
    table = view.table
    return {
        "reader": table.names[view.my_seat],
        "mover": table.names[table.seat],
        "needed": standings.describe_next_step(view),
        "hand": [_chip(card, view.hand[card]) for card in view.hand.kinds()],
        "display": [_chip(card, 1) for card in table.display],
        "players": standings.player_standings(view) if whole or table.over else [],
        "provinces": standings.province_standings(view) if whole else [],
        "board": describe_board(view).strip() if whole else "",
        "board_lines": summarize_board(view) if brief else [],
    }


def _chip(card: Symbol, many: int) -> tuple[str, str]:
    named = phrases.symbol_name(card) if many == 1 else phrases.format_symbol_count(card, many)
    return named, palette.SYMBOL_COLOURS[SYMBOL_INDEX[card]]


# --- sections: answers to requests, and reports of performed requests ------------------------------


MOST_TURNS = 20
MOST_OF_HISTORY = 9_000
"""Maximum size of the listed turns, in bytes; the last turn is always listed."""
MOST_SECTION_BYTES = 16_000  # bytes of all sections of a letter; the rest of the letter is for the position


def build_sections(
    asked: Sequence[Request],
    context: GameLetterContext,
    happened: Sequence[VisibleEvent] = (),
    preferences: LetterPreferences | None = None,
    resigned: bool = False,
    absence: AbsenceNote | None = None,
) -> tuple[LetterSection, ...]:
    """Return a section for each different request; none for a request whose section would be empty."""
    found: list[LetterSection] = []
    room = MOST_SECTION_BYTES
    for request in dict.fromkeys(asked):
        heading, *lines = _answer_request(request, context, happened, preferences, resigned, absence) or [""]
        size = sum(len(line.encode()) for line in lines)
        if found and size > max(room, 0):
            lines = tell("sections.no_room")
        room -= size
        if lines:
            done = say("sections.done", request=request, absence=absence, resigned=resigned)
            found.append(LetterSection(heading, tuple(lines), done))
    return tuple(found)


def _answer_request(
    request: Request,
    context: GameLetterContext,
    happened: Sequence[VisibleEvent],
    preferences: LetterPreferences | None,
    resigned: bool,
    absence: AbsenceNote | None,
) -> list[str]:
    """Return the heading and the lines of a section; empty if the letter itself answers the request."""
    view = context.view
    match request.kind:
        case RequestKind.HELP:
            return _tell_help(context)
        case RequestKind.HAND:
            return [gettext("Your cards and what they can do"), *describe_hand(view)]
        case RequestKind.HISTORY:
            return _tell_history(context, happened, request.about)
        case RequestKind.RULES:
            return _tell_rules(view, request.about)
        case RequestKind.NO_REMINDERS:
            return tell("sections.no_reminders")
        case RequestKind.SETTINGS | RequestKind.REMINDERS | RequestKind.ZONE if preferences:
            language, time = LANGUAGES[preferences.language], context.turn_time
            return tell("sections.settings", wants=preferences, language=language, turn_time=time, Pace=Pace)
        case RequestKind.PLAN | RequestKind.NO_PLAN:
            return [gettext("Your plan"), *describe_plan(context.plan, view.table)]
        case RequestKind.WHEN:
            outlook, now = context.next_turn, context.now
            return tell("sections.when", view=view, resigned=resigned, outlook=outlook, now=now)
        case RequestKind.NUDGE:
            return [gettext("A reminder"), gettext(NUDGED)]
        case RequestKind.NEW_LINKS:
            return tell("sections.new_links")
        case RequestKind.REST if absence:
            page = context.links.page_link(context.ticket, "away")
            told = tell("absences.nights", note=absence, page=page)
            return [gettext("Your nights and your weekends"), *told]
        case RequestKind.AWAY if absence:
            return [gettext("While you are not there"), *tell("absences.days_away", note=absence)]
        case RequestKind.BACK if absence:
            told = tell("absences.returned", note=absence, been=request.about)
            return [gettext("You are there again"), *told]
        case RequestKind.RESIGN if resigned:
            return tell("sections.resign", over=view.table.over, can_return=context.can_return)
        case _:
            return []


def _tell_help(context: GameLetterContext) -> list[str]:
    view, board = context.view, context.view.table.board
    (space, place), (_, other) = islice(board.names.items(), 2)
    return tell(
        "sections.help",
        place=place,
        other=other,
        corner=corners(space)[0],
        gift=len(view.table.names) > 2,
        friend=example_recipient(view, context.messages),
        plan=short_example(board),
    )


def _tell_history(context: GameLetterContext, happened: Sequence[VisibleEvent], until: str) -> list[str]:
    """Narrate the game, one line for each turn, up to turn `until`; of a long game only the last turns."""
    view, names = context.view, names_of_last(context.seat_names, len(happened))
    if not happened:
        return []
    began, _ = split_turns(happened)
    turns = list_turns(happened, view.table, names=names)
    last = min(len(turns), max(1, int(until))) if until else len(turns)
    told: list[str] = []
    room = MOST_OF_HISTORY
    for number in range(last, max(0, last - MOST_TURNS), -1):
        line = _turn_line(view, number, turns[number - 1])
        room -= len(line.encode())
        if told and room < 0:
            break
        told.append(line)
    left = last - len(told)
    begun = () if left else narrate_events(began, view, names[: len(began)])
    return tell("sections.history", left=left, lines=[*begun, *reversed(told)])


def _turn_line(view: View, number: int, turn: TurnNews) -> str:
    return gettext(
        "Turn %(turn)s, %(name)s: %(deeds)s",
        turn=number,
        name=name_mover(turn, view),
        deeds=" ".join(narrate_events(turn.events, view, turn.names)),
    )


def _tell_rules(view: View, about: str) -> list[str]:
    edition, parts = view.table.edition, texts.part_titles()
    if not about:
        rules = summarise_rules(edition, len(view.table.names))
        return tell("sections.game_in_brief", rules=rules, parts=parts)
    found = texts.find_clauses(about, edition)
    if not found:
        return tell("sections.no_clause", number=about, near=texts.nearest_numbers(about))
    part = parts[found[0].number.partition(".")[0]]
    differs = any(one.number.startswith("9.") or "(9." in one.text for one in found)
    return tell("sections.clauses", found=found, part=part, edition=edition.name if differs else "")


def summarise_rules(edition: Edition, seats: int = 0) -> list[str]:
    """Summarise the rules of an edition for `seats` players; 0: for any number."""
    return tell("rules.in_brief", edition=edition, seats=seats)
