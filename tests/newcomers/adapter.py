"""A game that people play by mail, and its letters, choices and drafts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr
from pathlib import Path

from lxml import html

from emails.i18n import Locale, use_locale
from emails.tokens import KeyRing, Ticket, unseal_ticket
from emails.wording.advice_text import TurnChoice, list_turn_choices
from emails.wording.options import MarchOptions, Option, list_options
from engine.actions import Action, Choose, Play
from engine.bots.advice import suggest_turns
from engine.bots.strengths import plan_steadily
from engine.event_log import ACTIONS, action_of
from engine.events import TurnEnded
from engine.notation.orders import write
from engine.position import Phase, Position, View, view
from engine.rules import card_choices
from server import clock
from server.delivery.sending import send_due_letters
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.store.models import Game, Seating
from server.store.states import Channel, GameStatus
from server.turns.dry_run import compile_draft, keep_draft
from server.turns.play import play_turn
from tests.emails.replies.shapes import OURS, Quoted, rendered
from tests.faults.house import House
from tests.next_actions import play_steadily
from tests.server.desk import NOON, SECRET, Collector, Desk, body, desk

TURN_TAKES = timedelta(minutes=7)

# --- a game that people play by mail --------------------------------------------------------------------


@dataclass
class Post:
    """An office with one game of people, and all letters that have left it."""

    context: Desk
    game: str
    now: datetime = NOON
    carrier: Collector = field(default_factory=Collector)

    @property
    def position(self) -> Position:
        return self.context.position_of(self.game)

    @property
    def over(self) -> bool:
        return self.context.game_row(self.game).status == GameStatus.OVER

    @property
    def after(self) -> int:
        return self.context.game_row(self.game).after

    @property
    def mover(self) -> str:
        return self.context.mover(self.game)

    def known(self) -> View:
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


def open_post(folder: Path, *people: str, seed: int = 1) -> Post:
    """A game of people that has begun; its first letters wait."""
    context = desk(folder, seed)
    game = context.start_game(*people)
    context.let_advise(game)
    context.confirm(*people)
    return Post(context, game)


def want(post: Post, *people: str, **wanted: object) -> None:
    for name in people:
        post.context.set_preferences(post.game, name, everywhere=True, **wanted)


def kind_of(mail: EmailMessage) -> str:
    """Which letter a mail is, as it says itself."""
    return str(mail["X-Alexandros"])


def is_turn_letter(mail: EmailMessage) -> bool:
    return kind_of(mail) == "your_turn"


def words_of(mail: EmailMessage) -> str:
    return body(mail).replace("\r\n", "\n")


def page_of(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    return "" if part is None else str(part.get_content())


# --- answers in the shapes of mail programs --------------------------------------------------------------

PROGRAMS = {
    "gmail-web": "above",
    "thunderbird": "below",
    "outlook-classic": "above",
    "iphone": "above",
    "k9": "alone",
    "ipad-html": "above",
}
"""Where the words stand that are written with each program: above or below what it quotes, or alone."""


def answer(
    mail: EmailMessage, words: str, program: str, tongue: str, who: str = "Anna"
) -> tuple[str, str, bytes]:
    """The sender, the address and the whole of an answer to a letter."""
    address = parseaddr(str(mail["Reply-To"]))[1]
    inside = page_of(mail).partition("<body")[2].partition(">")[2].partition("</body>")[0]
    letter = Quoted("Alexandros", address, words_of(mail), inside)
    raw = rendered(program, tongue, words, letter, who.lower(), PROGRAMS[program])
    heads = {"Date": "Mon, 02 Mar 2026 13:30:00 +0000"}
    heads |= {"Message-ID": make_msgid(domain="example.org"), "In-Reply-To": str(mail["Message-ID"])}
    for name, value in heads.items():
        raw = re.sub(rb"(?m)^%s: .*\r$" % name.encode(), f"{name}: {value}\r".encode(), raw, count=1)
    return f"{who.lower()}@example.org", address, raw.replace(OURS.encode(), address.encode())


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


MOST_TURNS = 5


def turns_to_choose(known: View, language: str = "en") -> list[TurnChoice]:
    """The turns that a letter and a page offer to whoever is to move."""
    with use_locale(Locale(language)):
        return [*list_turn_choices(known, suggest_turns(known, MOST_TURNS))]


def steps_to_choose(known: View, language: str = "en") -> list[Option]:
    """All that whoever is to move can do next, as letters and pages say it."""
    with use_locale(Locale(language)):
        found = [one for group in list_options(known) for one in group.choices]
        if known.table.phase is Phase.MARCH:
            return [*found, *ways_of_corners(known, None)]
        cards = card_choices(known) if known.table.phase is Phase.CARD else ()
        return [*found, *(one for card in cards for one in ways_of_corners(known, card))]


def ways_of_corners(known: View, card: Action | None) -> list[Option]:
    """The way to each corner that the page drafts when the corner is tapped."""
    if not isinstance(card, Choose | Play | None):
        return []
    return [one.way for one in MarchOptions(known, card).corners]


def next_actions(known: View) -> tuple[Action, ...]:
    """What a player of the house would do next in one go: a card with its march, or one action."""
    planned = plan_steadily(known).actions
    return planned[:2] if isinstance(planned[0], Choose | Play) and len(planned) > 1 else planned[:1]


def words_of_acts(post: Post, since: int) -> list[str]:
    """What was done by the acts after one, as canonical orders; an act that plays nothing is left out."""
    board, found = post.position.table.board, dict[int, list[str]]()
    for seq, event in post.context.history(post.game).events:
        if seq > since and type(event) in ACTIONS and not isinstance(event, TurnEnded):
            words = write(action_of(event), board)
            found.setdefault(seq, []).append(words)
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


# --- drafts ---------------------------------------------------------------------------------------------


def begin_draft(context: Desk, game: str, now: Position) -> None:
    """Let whoever is to move have begun their turn."""
    known = view(now, now.table.seat)
    words = [write(one, now.table.board) for one in next_actions(known)]
    if words[0] in ("draw", "end"):
        words = [step.words for step in steps_to_choose(known) if step.words not in ("draw", "end", "")][:1]
    kept = compile_draft(now, now.table.seat, "; ".join(words).split("; ")).kept
    with context.changing() as session:
        keep_draft(session, session.get_one(Game, game), now.table.seat, kept, NOON)


def answer_address(post: Post, seat: int) -> str:
    """Where an answer of a seat goes that knows the position of now."""
    [seating] = post.context.rows_of(Seating, Seating.game == post.game, Seating.seat == seat)
    links = replace(post.context.links, generation=seating.generation)
    return links.reply_address(Ticket(post.game, seat, post.after), 0)


def draft_rows(place: House, game: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in place.rows("SELECT seat, after, words FROM draft WHERE game = ?", game)]
