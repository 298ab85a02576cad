"""Samples for letters: a whole game, answers to mails about it, invitations, notices and a plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import lexicon_of
from emails.languages.supported_languages import ENGLISH
from emails.letters import account_letters, game_letters
from emails.letters.declaration import AddressCode, Payload, Sources
from emails.letters.lobby_letters import GameRequest, Guest, game_request_to_json
from emails.letters.parts import (
    GameLetterContext,
    InvitationContext,
    LetterSection,
    build_sections,
)
from emails.letters.renderer import Letter
from emails.names import SeatNames
from emails.replies.clerk.proposals import ask_which_turn, explain_proposal, propose
from emails.terms import AbsenceNote, AbsenceRule, DaysAway, TurnTime
from emails.tokens import ACCEPT_WORDS, KeyRing, LinkBuilder, Ticket
from emails.wording import phrases
from emails.wording.requests import OrderQuestion, PlanContext, Request, RequestKind, ask_which
from engine.actions import ActionRefused, Ambiguous
from engine.board import Board
from engine.bots.strengths import PROFILES
from engine.editions import EDITIONS
from engine.event_log import check_start, decode
from engine.events import AlexanderMarched, CardChosen, Event, TurnEnded
from engine.evolve import evolve, replay
from engine.notation.grammar import read
from engine.plans import PlanReader, choose_alternative
from engine.position import Position, VisibleEvent, veil_event, view
from engine.rules import decide, perform
from tests.paths import GAMES

SAMPLE_LOG = GAMES / "three-players.jsonl"
SAMPLE_LINKS = LinkBuilder(
    "https://play.example.org", "play.example.org", KeyRing((b"the secret of the gallery",))
)
GAME, NAME = "abcdefgh", "Spring"
NOW = datetime(2027, 1, 12, 18, tzinfo=UTC)
DEADLINE = NOW + timedelta(days=2)
HOURS = 48
HEAD = "abcdefghijklmnopqrst"
"""What a head of the log looks like, whatever has happened."""
with SAMPLE_LOG.open(encoding="utf-8") as _log:
    EDITION = EDITIONS[json.loads(_log.readline())["edition"]]

IN_OWN_WORDS = {
    "en": "I'd like the amphora, Zeus willing,, off to Bucephala (not H32) and a card from the deck please",
    "nl": "Doe mij de kruik, bij Zeus, lekker naar Bucephala (niet H32) en een kaart van de stapel graag",
}
"""What somebody wrote as they talk, by their language."""


@dataclass(frozen=True)
class SampleGame:
    """A whole game: its events, and the position after each of them."""

    events: tuple[Event, ...]
    positions: tuple[Position, ...]

    @staticmethod
    def from_lines(lines: Iterable[str], board: Board) -> SampleGame:
        """The game of a log, a line for each event."""
        events = tuple(decode(json.loads(line), board) for line in lines)
        positions = [replay(board, events[:1])]
        for event in events[1:]:
            positions.append(evolve(positions[-1], event))
        return SampleGame(events, tuple(positions))

    def letter_context(self, at: int, seat: int) -> GameLetterContext:
        """What `seat` knows after `at` events, and what happened since its last turn."""
        log = self.events[:at]
        ended = (number for number, event in enumerate(log) if event == TurnEnded(seat))
        begun = max(ended, default=0) + 1
        position = self.positions[at - 1]
        table = position.table
        return GameLetterContext(
            game=GAME,
            name=NAME,
            view=view(position, seat),
            since=tuple(veil_event(event, seat) for event in log[begun:]),
            before=self.positions[begun - 1].table,
            after=at,
            deadline=None if table.over or table.names[table.seat] in PROFILES else DEADLINE,
            turn_time=TurnTime.of_hours(HOURS),
            links=SAMPLE_LINKS,
            now=NOW,
            bots=tuple(name for name in table.names if name in PROFILES) if at == 1 else (),
            head=f"{at}-{HEAD}",
            stop=SAMPLE_LINKS.unsubscribe_links(GAME, seat)[0],
        )

    def turn_starts(self) -> list[tuple[int, int]]:
        """For each turn after how many events it begins, and whose it is."""
        found: dict[int, tuple[int, int]] = {}
        for number, position in enumerate(self.positions, 1):
            if position.table.phase == "card":
                found[position.table.turn] = (number, position.table.seat)
        return list(found.values())

    def action_starts(self) -> list[tuple[int, int]]:
        """For each march after how many events the actions begin, and whose they are."""
        return [
            (number, self.positions[number - 1].table.seat)
            for number, event in enumerate(self.events, 1)
            if isinstance(event, AlexanderMarched)
        ]

    def told_to(self, seat: int) -> tuple[VisibleEvent, ...]:
        return tuple(veil_event(event, seat) for event in self.events)

    def refusal_of(self, at: int, seat: int, order: str) -> ActionRefused:
        """Why an order cannot be done after so many events; `ValueError` if it can."""
        position = self.positions[at - 1]
        try:
            decide(position, seat, read(order, view(position, seat)), lambda cards: next(iter(cards)))
        except ActionRefused as refusal:
            return refusal
        raise ValueError(f"{order} can be done")

    def question_about(
        self, at: int, seat: int, before: Sequence[str], order: str, rest: Sequence[str]
    ) -> OrderQuestion:
        """What an order can mean after so many events and `before`; `ValueError` if it is one thing only."""
        position = self.positions[at - 1]
        for line in before:
            action = read(line, view(position, seat))
            position = evolve(position, perform(position, action, lambda cards: next(iter(cards))))
        known = view(position, seat)
        try:
            read(order, known)
        except Ambiguous as refusal:
            return ask_which(refusal, known, before, rest)
        raise ValueError(f"{order} can mean one thing only")

    def branch(self, at: int, event: Event) -> SampleGame:
        """The game with another event after so many, and none after that."""
        events, positions = self.events[:at], self.positions[:at]
        return SampleGame((*events, event), (*positions, evolve(positions[-1], event)))

    def dealt_to(self, names: tuple[str, ...]) -> SampleGame:
        """The beginning of the game, were these its players."""
        started = replace(check_start(self.events[0]), seats=names)
        return SampleGame((started,), (replay(self.positions[0].table.board, (started,)),))

    def last_turn_of(self, context: GameLetterContext, seat: int) -> tuple[VisibleEvent, ...]:
        """What a seat did in its last turn, from the card on, as the reader of the letter hears it."""
        log = self.events[: context.after]
        end = max(number for number, event in enumerate(log) if event == TurnEnded(seat))
        begun = max(number for number, event in enumerate(log[:end]) if isinstance(event, CardChosen))
        return tuple(veil_event(event, context.view.me) for event in log[begun : end + 1])


@lru_cache(maxsize=4)
def load_sample_game(board: Board) -> SampleGame:
    """The game that ships with the house: of three players, won by the first."""
    return SampleGame.from_lines(SAMPLE_LOG.read_text("utf-8").splitlines(), board)


HOPED_ORDER = "occupy Troy"
"""What she could have done with another card then."""
CARD, MARCH, AFTER = "choose amphora", "march Bucephala", "draw"
"""A turn that can mean several things: there are three corners, and several ways to one of them."""
TAKEOVER = "takeover Armavir"
CHAT_TO_EVERYBODY = {"en": "Good luck to you all!", "nl": "Veel succes allemaal!"}
"""What a reader wrote to everybody, by the reader's language."""
# What the server tells a reader, in the words of its own catalogues.
PAST = "This answers an older mail: the game has moved on since."
NOT_PLAYED = "This game is not being played."
ASKED = "The others are asked, and you hear what comes of it."
CHAT_SENT = "You told everybody: “%(words)s”"
SEVERAL = "“%(line)s” could mean several things."
WHICH = "it could mean several things"


def answer_in_part(game: SampleGame, made: GameLetterContext, begun: int) -> Letter:
    me = made.view.table.seat
    done = tuple(veil_event(event, me) for event in game.events[begun : made.after])
    why = phrases.explain_refusal(game.refusal_of(made.after, me, HOPED_ORDER))
    return render_answer(made, done, (_typed_order(HOPED_ORDER),), why)


def answer_with_question(game: SampleGame, made: GameLetterContext) -> Letter:
    """She drew a card, and then wanted to take over a province with it."""
    me = made.view.table.seat
    done = (veil_event(game.events[-1], me),)
    asked = game.question_about(made.after, me, (), TAKEOVER, ())
    return render_answer(made, done, (_typed_order(TAKEOVER),), gettext(WHICH), question=asked)


def refuse_with_question(
    game: SampleGame, made: GameLetterContext, before: tuple[str, ...], order: str, rest: tuple[str, ...]
) -> Letter:
    """They wrote a line that can mean several things."""
    asked = game.question_about(made.after, made.view.table.seat, before, order, rest)
    return render_refused(gettext(SEVERAL, line=_typed_order(order)), made, asked)


def refuse_with_proposal(made: GameLetterContext) -> Letter:
    language = current_locale().language
    found = propose([IN_OWN_WORDS[language]], made.view, {}, (language,))
    asked = ask_which_turn(found, made.view)
    return render_refused(explain_proposal(found), made, asked, proposed=True)


def show_rule_and_hand(game: SampleGame, made: GameLetterContext) -> Letter:
    """They asked for a rule and for their hand."""
    asked = (Request(RequestKind.RULES, "5.9"), Request(RequestKind.HAND))
    return render_shown(made, build_sections(asked, made, game.told_to(made.view.my_seat)))


def show_requested(made: GameLetterContext, what: RequestKind) -> Letter:
    """What of the game itself can be asked for."""
    return render_shown(replace(made, shown=frozenset({what})), ())


def tell_done_requests(made: GameLetterContext) -> Letter:
    """They told of days away, and asked when their turn comes."""
    first, last = date(2027, 1, 14), date(2027, 1, 20)
    note = AbsenceNote(date(2027, 1, 12), "UTC", (DaysAway(first, last),))
    asked = (Request(RequestKind.AWAY, f"{first} - {last}"), Request(RequestKind.WHEN))
    return render_shown(made, build_sections(asked, made, absence=note))


def answer_pause(made: GameLetterContext) -> Letter:
    return render_answer(made, settled=(gettext(ASKED),))


def answer_chat(made: GameLetterContext) -> Letter:
    sent = gettext(CHAT_SENT, words=CHAT_TO_EVERYBODY[current_locale().language])
    return render_answer(made, posted=(sent,))


def refuse_other_turn(game: SampleGame, made: GameLetterContext, seat: int) -> Letter:
    """They wrote an order before their turn had come."""
    why = phrases.explain_refusal(game.refusal_of(made.after, seat, "draw"))
    return render_refused(f"“{_typed_order('draw')}”: {why}.", made)


def _typed_order(words: str) -> str:
    """Orders as a reader of the language spoken types them."""
    return phrases.translate_order(words)


LOCAL_PARTS = ("anna", "ben", "cleo")
MARK = "a" * 32
"""From which the code of a letter to an address follows."""
UNWANTED = SAMPLE_LINKS.unwanted_link("a1" * 16)
"""What letters show to somebody who has confirmed nothing."""


def sample_invitation(names: tuple[str, ...] = ("Anna", "Ben", "Cleo")) -> InvitationContext:
    time, ticket = TurnTime.of_hours(HOURS, 96, 24), Ticket(GAME, 0, 0, ACCEPT_WORDS)
    return InvitationContext(ticket, names, EDITION, time, asker=names[-1], bots=len(names) - 2)


def sample_request(
    names: tuple[str, ...] = ("Anna", "Ben", "Cleo"), unread: tuple[str, ...] = ()
) -> GameRequest:
    people = zip(names, LOCAL_PARTS, strict=False)
    organiser, *guests = (Guest(one, f"{place}@example.org") for one, place in people)
    asked = GameRequest(organiser, tuple(guests), houses=("easy",) if guests else (), edition=EDITION.name)
    return replace(asked, language=current_locale().language, unread=unread)


NEW_ADDRESS = "anna@new.example.org"
CONFIRM, MOVE_ASKED = account_letters.Confirm("", MARK), account_letters.MoveAsked("", MARK, "Firefox")
MOVED = account_letters.Moved(NEW_ADDRESS, "", MARK)
SIGN_IN, SEAT_CLAIM = account_letters.SignIn("", "a mark"), account_letters.SeatClaim("", "a mark", 1)
CONFIRM_REPLY, CLAIM_REPLY = SAMPLE_LINKS.confirm_links(MARK)[1], SAMPLE_LINKS.claim_address(GAME, 1)


def sample_question(
    lines: tuple[str, ...] = ("choose lyre; march Larissa", "say: well played"),
    request: RequestKind | None = None,
    unproven: bool = True,
    doubt: str = "",
    orders: tuple[str, ...] = ("choose lyre; march Larissa",),
) -> game_letters.AskedBack:
    """What a player is asked of a mail in their name."""
    orders = () if request else orders
    asked = (Request(request),) if request else ()
    return game_letters.AskedBack(lines, 1, orders, asked=asked, unproven=unproven, doubt=doubt)


@dataclass(frozen=True, kw_only=True)
class SampleSources(Sources):
    """The data of a letter of the gallery."""

    game_id: str = GAME
    title: str = NAME
    seat: int = 0
    seat_name: str = "Anna"
    letter: int = 1
    answered: str = ""
    one_conversation: bool = False
    links: LinkBuilder = SAMPLE_LINKS
    now: datetime = NOW
    is_open: bool = False
    is_cancelled: bool = False
    context: GameLetterContext | None = None
    invited: InvitationContext | None = None
    request: GameRequest | None = None
    missing: tuple[str, ...] = ()
    joined: bool = False
    happened: tuple[VisibleEvent, ...] = ()
    findings: tuple[str, ...] = ()
    address: str = NEW_ADDRESS
    due_at: datetime | None = None
    found: tuple[LetterSection, ...] | None = None
    """What answers the requests; None: what is built of them."""

    def game(self) -> GameLetterContext | None:
        return self.context

    def invitation(self) -> InvitationContext:
        return self.invited or sample_invitation()

    def proposal(self) -> str:
        return game_request_to_json(self.request or sample_request())

    def awaited(self) -> tuple[str, ...]:
        return self.missing

    def is_joined_by_link(self) -> bool:
        return self.joined

    def when_late(self) -> AbsenceRule:
        return AbsenceRule.ALWAYS

    def events(self) -> tuple[VisibleEvent, ...]:
        return self.happened

    def review(self, names: Sequence[SeatNames]) -> tuple[str, ...]:
        return self.findings

    def sections(self, context: GameLetterContext, requests: Sequence[Request]) -> tuple[LetterSection, ...]:
        return build_sections(requests, context, self.happened) if self.found is None else self.found

    def address_code(self, digest: str) -> AddressCode:
        return AddressCode(self.seat_name, self.address, self.due_at, NOW)

    def player_name(self, sign_in: str = "") -> str:
        return self.seat_name

    def describe_browser(self, agent: str) -> str:
        return agent


def compose(payload: Payload, context: GameLetterContext | None = None, **more: Any) -> Letter:
    """Compose a letter about a game, if any, from samples; `more` replaces fields of `SampleSources`."""
    given = {} if context is None else {"seat": context.view.my_seat, "now": context.now}
    return payload.compose(SampleSources(context=context, **{**given, **more}))


def render_your_turn(made: GameLetterContext) -> Letter:
    return compose(game_letters.YourTurn(), made)


def render_step(made: GameLetterContext) -> Letter:
    return compose(game_letters.Step(), made)


def render_news(made: GameLetterContext) -> Letter:
    return compose(game_letters.News(), made)


def render_answer(
    made: GameLetterContext,
    done: tuple[VisibleEvent, ...] = (),
    undone: tuple[str, ...] = (),
    why: str = "",
    posted: tuple[str, ...] = (),
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
    settled: tuple[str, ...] = (),
) -> Letter:
    """The answer to a mail that did `done`; `why`: the reason why the first line of `undone` was not done."""
    rule = Request(RequestKind.RULES, "5.9")
    orders, asked = ("",) if done else (), _shown(made) or (rule,) * bool(sections)
    answer = game_letters.Answer(orders, undone, why, made.after, question, posted, asked, settled)
    return compose(answer, replace(made, acted=done), found=tuple(sections))


def render_refused(
    sentence: str,
    made: GameLetterContext | None = None,
    question: OrderQuestion | None = None,
    sections: Sequence[LetterSection] = (),
    *,
    proposed: bool = False,
) -> Letter:
    if made is None:
        return compose(game_letters.Refused(sentence))
    refused = game_letters.Refused(
        sentence, after=made.after, question=question, asked=_shown(made), proposed=proposed
    )
    return compose(refused, made, found=tuple(sections))


def render_shown(
    made: GameLetterContext, sections: Sequence[LetterSection], *, unasked: bool = False
) -> Letter:
    return compose(game_letters.Shown(_shown(made), unasked), made, found=tuple(sections))


def _shown(made: GameLetterContext) -> tuple[Request, ...]:
    return tuple(map(Request, sorted(made.shown)))


PLANNED = "if the display has a horse: horse; march Troy; occupy Troy. otherwise: lyre; march Susa; draw"


def with_missed_plan(made: GameLetterContext) -> GameLetterContext:
    """She had hoped for a horse, or for a lyre that leads to Susa."""
    board = made.view.table.board
    lexicon = lexicon_of(ENGLISH)
    plan = PlanReader(board, lexicon.plans).read(PLANNED)
    outlook = choose_alternative(plan, made.view)
    planned = PlanContext(PLANNED, plan, made.view.my_seat, made.view.table.turn, True, outlook)
    return replace(made, plan=planned)
