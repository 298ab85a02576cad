"""What letters, choices, drafts and notes are called: with person.py the one file of this room that knows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import urlencode

from lxml import html
from sqlmodel import col, select

from emails.i18n import Locale, use_locale
from emails.tokens import KeyRing, Ticket, unseal_ticket
from emails.wording.advice_text import TurnChoice, list_turn_choices
from emails.wording.options import list_options
from engine.actions import Action, Choose, Play
from engine.bots.advice import suggest_turns
from engine.bots.strengths import plan_steadily
from engine.event_log import ACTIONS, action_of
from engine.events import TurnEnded
from engine.notation.orders import write
from engine.position import Position, View, view
from server import clock
from server.delivery.sending import send_due_letters
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.lobby.open_seats import leave_seat
from server.store.context import Context
from server.store.event_log import require_started
from server.store.game_terms import SeatRequest
from server.store.models import Game, Seating
from server.store.server_facts import GameTerms
from server.store.states import Channel, GameStatus
from server.turns.dry_run import compile_draft, keep_draft, load_draft
from server.turns.play import play_turn
from tests.faults.house import House
from tests.faults.visits import PATIENCE, Browser
from tests.next_actions import play_steadily
from tests.server.desk import (
    NOON,
    SECRET,
    Collector,
    body,
    confirm,
    desk,
    facts,
    game_row,
    open_game,
    set_preferences,
)

TURN_TAKES = timedelta(minutes=7)

# --- a game that people play by mail --------------------------------------------------------------------


@dataclass
class Post:
    """An office with one game of people, and all letters that have left it."""

    context: Context
    game: str
    now: datetime = NOON
    carrier: Collector = field(default_factory=Collector)

    @property
    def over(self) -> bool:
        return game_row(self.context, self.game).status == GameStatus.OVER

    @property
    def position(self) -> Position:
        with self.context.reading() as session:
            history = self.context.history_of(session, session.get_one(Game, self.game))
        return require_started(history).position

    @property
    def after(self) -> int:
        """The number of the last act."""
        return game_row(self.context, self.game).after

    @property
    def mover(self) -> str:
        table = self.position.table
        return table.names[table.seat]

    def known(self) -> View:
        """What whoever is to move knows."""
        now = self.position
        return view(now, now.table.seat)

    def play_turn(self) -> None:
        """Let whoever is to move play the rest of their turn as a player of the house would, on the page."""
        self.now += TURN_TAKES
        play_turn(self.context, self.game, self.after, play_steadily, Channel.WEB, self.now)

    def deliver(self) -> list[EmailMessage]:
        """Let all letters leave that are due; the new ones."""
        before = len(self.carrier.mails)
        while send_due_letters(self.context, self.carrier, self.now):
            pass
        return self.carrier.mails[before:]

    def take_in(self, sender: str, recipient: str, raw: bytes) -> list[EmailMessage]:
        """Take a mail in and answer it; the letters that follow."""
        self.now += timedelta(minutes=1)
        store_mail(self.context, sender, recipient, raw, self.now)
        dispatch.process_waiting_mail(self.context, self.now)
        return self.deliver()

    def facts(self) -> list[object]:
        """All that has happened in the game."""
        return [*facts(self.context, self.game)]


def open_post(folder: Path, *people: str, advice: bool = True, name: str = "Friday", seed: int = 1) -> Post:
    """A game of people that has begun; its first letters wait."""
    context = desk(folder, seed)
    requests = [
        SeatRequest.read(one if one.startswith("house") else f"{one} <{one.lower()}@example.org>")
        for one in people
    ]
    game = open_game(context, name, requests, NOON, at_once=True, terms=GameTerms(advice=advice))
    confirm(context, *people)
    return Post(context, game)


def speak_dutch(post: Post, *people: str) -> None:
    """Let people get their letters in Dutch."""
    for name in people:
        set_preferences(post.context, post.game, name, everywhere=True, language="nl")


def kind_of(mail: EmailMessage) -> str:
    """Which letter a mail is, as it says itself."""
    return str(mail["X-Alexandros"])


TURN_KINDS = ("your_turn",)
"""The letters that begin a turn."""


def is_turn_letter(mail: EmailMessage) -> bool:
    return kind_of(mail) in TURN_KINDS


def words_of(mail: EmailMessage) -> str:
    """The plain part."""
    return body(mail).replace("\r\n", "\n")


def page_of(mail: EmailMessage) -> str:
    """The HTML part."""
    part = mail.get_body(("html",))
    return "" if part is None else str(part.get_content())


def pictures_of(mail: EmailMessage) -> dict[str, bytes]:
    """The pictures by the names that the HTML calls them by."""
    found = (part for part in mail.walk() if part.get_content_type() == "image/png")
    return {str(part["Content-ID"]).strip("<>"): bytes(part.get_content()) for part in found}


# --- the choices of a letter ----------------------------------------------------------------------------

CHOICE = re.compile(r"^([a-z]{1,2})\b")


@dataclass(frozen=True)
class Offered:
    """A choice of a letter: what its reader answers, what it says, and what its link does."""

    letter: str
    said: str
    words: str


KEYS = KeyRing((SECRET.encode(),))


def choices_in(mail: EmailMessage) -> list[Offered]:
    """The choices that the HTML of a letter offers with a letter each, in their order."""
    found: dict[str, Offered] = {}
    for link in html.document_fromstring(page_of(mail) or "<p>").iter("a"):
        token = str(link.get("href", "")).partition("/t/")[2].partition("?")[0]
        said = " ".join(str(link.text_content()).split())
        letter = CHOICE.match(said)
        if token and letter and "/" not in token:
            words = unseal_ticket(token, KEYS).words
            if words:
                found.setdefault(letter[1], Offered(letter[1], said, words))
    return [*found.values()]


# --- turns to choose ------------------------------------------------------------------------------------

MOST_TURNS = 5


def turns_to_choose(known: View, language: str = "en") -> list[TurnChoice]:
    """The turns that a letter and a page offer to whoever is to move."""
    with use_locale(Locale(language)):
        return [*list_turn_choices(known, suggest_turns(known, MOST_TURNS))]


# --- single steps ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A choice of a single step: its heading, what it says, and its words (empty: only the page can tell)."""

    heading: str
    title: str
    detail: str
    words: str
    further: bool


def steps_to_choose(known: View, language: str = "en") -> list[Step]:
    """All that whoever is to move can do next, as letters and pages say it."""
    with use_locale(Locale(language)):
        groups = list_options(known)
    return [
        Step(group.heading, one.title, one.detail, one.words, one.further)
        for group in groups
        for one in group.choices
    ]


# --- the page of a turn ---------------------------------------------------------------------------------


def whole_turn(known: View) -> tuple[Action, ...]:
    """What a player of the house would do of this turn, as far as they think now."""
    return plan_steadily(known).actions


def next_actions(known: View) -> tuple[Action, ...]:
    """What of it is done in one go: a card with its march, or one action."""
    planned = whole_turn(known)
    return planned[:2] if isinstance(planned[0], Choose | Play) and len(planned) > 1 else planned[:1]


# --- acts and letters -----------------------------------------------------------------------------------


def words_of_acts(post: Post, since: int) -> list[str]:
    """What was done by the acts after one, as canonical orders; an act that plays nothing is left out."""
    board = post.position.table.board
    with post.context.reading() as session:
        history = post.context.history_of(session, session.get_one(Game, post.game))
    found: dict[int, list[str]] = {}
    for seq, event in history.events:
        if seq > since and type(event) in ACTIONS and not isinstance(event, TurnEnded):
            found.setdefault(seq, []).append(write(action_of(event), board))
    return ["; ".join(one) for one in found.values()]


def preheader(mail: EmailMessage) -> str:
    """What a list of mails shows behind the subject: the first words of the HTML."""
    if not (page := page_of(mail)):
        return ""
    [body] = html.document_fromstring(page).iter("body")
    return next((" ".join(one.split()) for one in body.itertext() if one.strip()), "")


def tick(post: Post, hours: float) -> list[EmailMessage]:
    """Let time pass; the letters that come of it."""
    post.now += timedelta(hours=hours)
    clock.tick(post.context, post.now)
    return post.deliver()


def want_one_conversation(post: Post, name: str) -> None:
    set_preferences(post.context, post.game, name, everywhere=True, one_conversation=True)


def want_news(post: Post, name: str) -> None:
    """Let somebody hear of each turn of the others, and of what is said at once."""
    set_preferences(post.context, post.game, name, everywhere=True, moves=True, messages=True)


NOTE_FIELD = "note"
"""The field of the form in which an organiser writes a line to the guests."""


def leave_open_games(context: Context, name: str) -> None:
    """Let somebody give back their seats in the games that have not begun."""
    with context.reading() as session:
        held = select(Seating.game, Seating.seat, Game.after).join(Game, col(Game.id) == Seating.game)
        found = session.exec(held.where(Seating.name == name, Game.status == GameStatus.OPEN)).all()
    assert found
    for game, seat, after in found:
        leave_seat(context, game, seat, after, NOON)


# --- drafts ---------------------------------------------------------------------------------------------


def begin_draft(context: Context, game: str, now: Position) -> tuple[str, ...]:
    """Let whoever is to move have begun their turn: the actions that are kept."""
    known = view(now, now.table.seat)
    words = [write(one, now.table.board) for one in next_actions(known)]
    if words[0] in ("draw", "end"):
        words = [step.words for step in steps_to_choose(known) if step.words not in ("draw", "end", "")][:1]
    kept = compile_draft(now, now.table.seat, "; ".join(words).split("; ")).kept
    with context.writing() as session:
        keep_draft(session, session.get_one(Game, game), now.table.seat, kept, NOON)
        session.commit()
    return kept


def draft_of(context: Context, game: str) -> tuple[str, ...]:
    """What is kept of the turn of whoever is to move."""
    with context.reading() as session:
        row = session.get_one(Game, game)
        return load_draft(session, row, -1 if row.seat is None else row.seat)


def answer_address(post: Post, seat: int) -> str:
    """Where an answer of a seat goes that knows the position of now."""
    with post.context.reading() as session:
        seating = session.get_one(Seating, (post.game, seat))
    links = replace(post.context.links, generation=seating.generation)
    return links.reply_address(Ticket(post.game, seat, post.after), 0)


def draft_rows(place: House, game: str) -> list[tuple[object, ...]]:
    """What is stored of drafts of a game."""
    return [tuple(row) for row in place.rows("SELECT seat, after, words FROM draft WHERE game = ?", game)]


def browser_at(place: House) -> Browser:
    """A visitor of a server that is another process."""
    return Browser(place.port, PATIENCE)


def encoded(fields: dict[str, str]) -> str:
    return urlencode(fields)


def form_headers(visitor: Browser) -> dict[str, str]:
    """What goes with a form that a visitor sends."""
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    return {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
