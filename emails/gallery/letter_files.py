"""Every letter that a player can get, in each of its ways and in every language, about one game.

The game ships with the house (gallery.jsonl), and nothing here depends on a clock, on chance or on a setting:
the same letters come out byte for byte wherever they are written, to be looked at and to be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from emails.gallery.sample_game import DEADLINE as DEADLINE
from emails.gallery.sample_game import GAME as GAME
from emails.gallery.sample_game import HOURS as HOURS
from emails.gallery.sample_game import NAME as NAME
from emails.gallery.sample_game import NOW as NOW
from emails.gallery.sample_game import POST as POST
from emails.gallery.sample_game import Story as Story
from emails.gallery.sample_game import story as story
from emails.i18n import LANGUAGES, UTC_ZONE, Tongue, say, speaking, spoken
from emails.letters import letter_kinds
from emails.letters.letter_kinds import (
    Absent,
    Confirmation,
    Invitation,
    Letter,
    Link,
    Message,
    Moved,
    Section,
    Sheet,
    Undone,
)
from emails.letters.mime import Envelope, compose, drawings, message_id, root_id
from emails.letters.proposal_letter import Guest, Proposal, Wishes
from emails.letters.sections import sections
from emails.links import Ticket
from emails.wording import phrases
from emails.wording.requests import Request
from emails.wording.statistics import record
from engine.board import Board
from engine.cards import Symbol
from engine.editions import EDITIONS
from engine.events import CardDrawn
from engine.notation.vocabulary import spoken as written_in
from engine.views import told

SOON = DEADLINE - timedelta(hours=6)
TURN = 16
"""The turn that most letters are about."""
QUIET = 13
"""A turn of Anna's in which she laid one wall and drew two cards, as the server would have for her."""
HOPED = "occupy Troy"
"""What she could have done with another card then."""
CARD, MARCH, AFTER = "choose amphora", "march Bucephala", "draw"
"""A turn that can mean several things: there are three corners, and several ways to one of them."""
CAMPAIGN = 18
"""A turn in which Cleo can take over a province, and choose which cards its holder gets."""
TAKEOVER = "takeover Armavir"
ZONES = {"nl": "Europe/Amsterdam"}
ANSWERED = "<a-mail-of-hers@mail.example.org>"
SAID = (
    Message("Ben", "Well played, I did not see that coming. But wait until Alexander is in Egypt!", False),
    Message("Cleo", "Shall we leave Persia to each other?", True),
)
PLACES = ("anna", "ben", "cleo")
HOUSE = "alexandros@example.org"
NOT_UNDERSTOOD = {"en": "My sister Cleo joins too", "nl": "Mijn zus Cleo doet ook mee"}
"""A line of somebody who asks for a game, by the language."""
WISHED = {"en": "Good luck to you all!", "nl": "Veel succes allemaal!"}
"""What a reader wrote to everybody, by the reader's language."""

# What the server tells a reader, in the words of its own catalogues.
TOLD = "You told everybody: “%(words)s”"
PAST = "This answers an older letter: the game has moved on since."
NOT_PLAYED = "This game is not being played."
SEVERAL = "“%(line)s” could mean several things."
WHICH = "it could mean several things"


# --- its letters ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Way:
    """One of the ways of a kind of letter about a game that is being played or over."""

    name: str
    """The kind, and after a hyphen what is special about it."""
    at: int
    """After how many events."""
    seat: int
    write: Callable[[Sheet], Letter]
    messages: tuple[Message, ...] = ()
    other: Story | None = None
    """The game from which it is made, where it goes another way than the one that ships with the house."""

    def sheet(self, game: Story) -> Sheet:
        """What it is made from."""
        return replace((self.other or game).sheet(self.at, self.seat), messages=self.messages)


def ways(game: Story) -> Iterator[Way]:
    """Every kind of letter about a running game or one that is over, in each of its ways."""
    (start, mover), (later, following) = game.turns()[TURN - 1 : TURN + 1]
    middle, end = game.actions()[TURN - 1][0], len(game.events)
    (begun, late), (passed, next_of_late) = game.turns()[QUIET - 1 : QUIET + 1]
    drawn = next(at for at, one in enumerate(game.events, 1) if at > begun and isinstance(one, CardDrawn))
    campaign, cleo = game.actions()[CAMPAIGN - 1]
    raided = game.other(campaign, CardDrawn(cleo, Symbol.LYRE))
    yield Way("welcome", 1, 1, letter_kinds.welcome)
    yield Way("your_turn", start, mover, letter_kinds.your_turn)
    yield Way("your_turn-first", 1, 0, letter_kinds.your_turn)
    yield Way("your_turn-messages", start, mover, letter_kinds.your_turn, SAID)
    yield Way("step", middle, mover, letter_kinds.step)
    yield Way("reminder", start, mover, lambda made: letter_kinds.reminder(made, SOON))
    yield Way("answer", later, mover, lambda made: letter_kinds.answer(made, game.last_turn(made, mover), ()))
    yield Way("answer-in-part", drawn, late, lambda made: _in_part(game, made, begun))
    yield Way("answer-question", campaign + 1, cleo, lambda made: _unclear(raided, made), other=raided)
    yield Way("answer-messages", start, mover, _passed_on)
    yield Way("refused", start, mover, lambda made: letter_kinds.refused(say(PAST), made))
    yield Way("refused-not-my-turn", start, following, lambda made: _not_now(game, made, following))
    yield Way("refused-march", start, mover, lambda made: _which(game, made, (CARD,), MARCH, (AFTER,)))
    yield Way("refused-takeover", campaign, cleo, lambda made: _which(game, made, (), TAKEOVER, ("draw",)))
    yield Way("shown", start, mover, lambda made: letter_kinds.shown(made, _wished(game, made)))
    yield Way("news", later, (mover + 2) % 3, letter_kinds.news)
    yield Way("message", later, mover, letter_kinds.message, SAID)
    yield Way("digest", start, following, letter_kinds.digest)
    yield Way("digest-quiet", later, mover, letter_kinds.digest)
    yield Way("time_passed", passed, next_of_late, lambda made: _in_her_place(game, made, late))
    yield Way("time_passed-mine", passed, late, lambda made: _in_her_place(game, made, late))
    yield Way("game_over", end, 1, lambda made: letter_kinds.game_over(made, record(game.heard(1))))
    yield Way("game_over-won", end, 0, lambda made: letter_kinds.game_over(made, record(game.heard(0))), SAID)
    yield Way("stopped", later, mover, lambda made: letter_kinds.stopped(made, everywhere=False))
    yield Way(
        "stopped-everywhere", later, following, lambda made: letter_kinds.stopped(made, everywhere=True)
    )


def _in_part(game: Story, made: Sheet, begun: int) -> Letter:
    """She hoped to draw a horse."""
    me = made.view.table.seat
    done = tuple(told(event, me) for event in game.events[begun : made.after])
    why = phrases.refusal(game.refusal(made.after, me, HOPED))
    return letter_kinds.answer(made, done, (Undone(_typed(HOPED), why),))


def _unclear(game: Story, made: Sheet) -> Letter:
    """She drew a card, and then wanted to take over a province with it."""
    me = made.view.table.seat
    done = (told(game.events[-1], me),)
    asked = game.halt(made.after, me, (), TAKEOVER, ())
    return letter_kinds.answer(made, done, (Undone(_typed(TAKEOVER), say(WHICH)),), (), asked)


def _which(game: Story, made: Sheet, before: tuple[str, ...], order: str, rest: tuple[str, ...]) -> Letter:
    asked = game.halt(made.after, made.view.table.seat, before, order, rest)
    return letter_kinds.refused(say(SEVERAL, line=_typed(order)), made, asked)


def _wished(game: Story, made: Sheet) -> tuple[Section, ...]:
    assert made.view.me is not None
    return sections((Request("rules", "5.9"), Request("hand")), made, game.heard(made.view.me))


def _passed_on(made: Sheet) -> Letter:
    return letter_kinds.answer(made, (), (), (say(TOLD, words=WISHED[spoken().language]),))


def _in_her_place(game: Story, made: Sheet, seat: int) -> Letter:
    return letter_kinds.time_passed(made, seat, game.last_turn(made, seat))


def _not_now(game: Story, made: Sheet, seat: int) -> Letter:
    why = phrases.refusal(game.refusal(made.after, seat, "draw"))
    return letter_kinds.refused(f"“{_typed('draw')}”: {why}.", made)


def _typed(words: str) -> str:
    """Orders as a reader of the language spoken types them."""
    return written_in(words, spoken().language)


def invited(names: tuple[str, ...] = ("Anna", "Ben", "Cleo"), name: str = NAME) -> Invitation:
    """An invitation to the game."""
    return Invitation(GAME, name, names, 0, EDITIONS["identity-games"], HOURS, POST)


def proposed(
    names: tuple[str, ...] = ("Anna", "Ben", "Cleo"), unread: tuple[str, ...] = (), name: str = NAME
) -> Proposal:
    """The game as its organiser asked for it."""
    people = zip(names, PLACES, strict=False)
    organiser, *guests = (Guest(one, f"{place}@example.org") for one, place in people)
    asked = Wishes(organiser, tuple(guests), houses=1 if guests else 0, edition="identity-games", hours=HOURS)
    asked = replace(asked, language=spoken().language, unread=unread)
    return Proposal(asked, name, "", *POST.proposal_links(GAME), POST.stop_links(GAME, 0)[0])


def confirmation(
    name: str = "Anna", address: str = "anna@new.example.org", second: bool = False
) -> Confirmation:
    """A question about a new address, or about one for when letters to the first come back."""
    return Confirmation(name, address, *POST.confirm_links("abcdefghijklmnopqrstuvwxyz"), second)


def moved(name: str = "Anna", address: str = "anna@new.example.org") -> Moved:
    """What the address before it is told."""
    return Moved(name, address, *POST.confirm_links("backabcdefghijklmnopqrstuvwxyz"))


def link(name: str = "Anna") -> Link:
    """What somebody is mailed who wants to sign in."""
    return Link(name, POST.signing_link("a mark"))


# --- all of it ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Specimen:
    """A letter with all that its mail needs but the pictures' PNG."""

    name: str
    language: str
    letter: Letter
    envelope: Envelope

    @property
    def file(self) -> str:
        """The name of its files without what says of which kind they are."""
        return f"{self.name}.{self.language}"


def specimens(board: Board) -> Iterator[Specimen]:
    """Every letter in every language."""
    for language in LANGUAGES:
        with speaking(Tongue(language, ZONES.get(language, UTC_ZONE))):
            made = list(_written(story(board), language))
        yield from made


def _written(game: Story, language: str) -> Iterator[Specimen]:
    """Every letter in the language spoken, which is this one."""
    yield _specimen("invitation", language, letter_kinds.invitation(invited()), 0, 0)
    yield _specimen("accepted", language, letter_kinds.accepted(invited(), ("Ben", "Cleo")), 0, 0)
    yield _specimen("called_off", language, letter_kinds.called_off(invited()), 0, 0)
    yield _specimen(
        "declined", language, letter_kinds.declined(invited(), Absent("Ben", "declined", True)), 0, 0
    )
    left, silent = Absent("Ben", "left", False), Absent("Ben", "silent", True)
    yield _specimen("declined-left", language, letter_kinds.declined(invited(), left), 0, 0)
    yield _specimen("declined-silent", language, letter_kinds.declined(invited(), silent), 0, 0)
    for way in ways(game):
        yield _specimen(way.name, language, way.write(way.sheet(game)), way.at, way.seat)
    yield _specimen("refused-no-game", language, letter_kinds.refused(say(NOT_PLAYED)), 0, 0)
    yield _specimen("stopped-invitation", language, letter_kinds.stopped_before(invited(), True), 0, 0)
    yield _specimen("confirm", language, letter_kinds.confirm(confirmation()), 0, 0)
    second = letter_kinds.confirm(confirmation(second=True))
    yield _specimen("confirm-second", language, second, 0, 0)
    yield _specimen("moved", language, letter_kinds.moved(moved()), 0, 0)
    yield _specimen("signin", language, letter_kinds.signin(link()), 0, 0)
    yield _specimen("proposal", language, letter_kinds.proposal(proposed()), 0, 0)
    alone = proposed(("Anna",), (NOT_UNDERSTOOD[language],))
    yield _specimen("proposal-incomplete", language, letter_kinds.proposal(alone), 0, 0)


def _specimen(name: str, language: str, letter: Letter, after: int, seat: int) -> Specimen:
    """A letter with its envelope: one about no game stands in no thread."""
    person = PLACES[seat]
    answers = ANSWERED if letter.kind in ("accepted", "answer", "refused", "shown", "proposal") else None
    envelope = Envelope(
        sender=f"Alexandros <{HOUSE}>",
        bounce=HOUSE,
        recipient=f"{person}@example.org",
        reply_to=POST.reply_address(Ticket(GAME, seat, after)),
        message_id=message_id(GAME, after, seat, letter.kind, POST.domain),
        root=root_id(GAME, POST.domain),
        answers=answers,
        list_id=f"{GAME}.{POST.domain}",
        unsubscribe=POST.stop_links(GAME, seat),
        replied=answers is not None,
        date=NOW,
        earlier=(message_id(GAME, after - 1, seat, "news", POST.domain),) if after else (),
    )
    if letter.kind in ("confirm", "moved"):
        asked = confirmation() if letter.kind == "confirm" else moved()
        envelope = replace(envelope, reply_to=asked.reply, root="", list_id="", unsubscribe=())
    if letter.kind == "signin":
        envelope = replace(envelope, reply_to=HOUSE, root="", list_id="", unsubscribe=())
    if letter.kind == "proposal":
        envelope = replace(envelope, bounce="", reply_to=proposed().reply)
    if letter.kind == "confirm":
        envelope = replace(envelope, recipient=confirmation().address)
    return Specimen(name, language, letter, envelope)


def files(board: Board) -> Iterator[tuple[str, bytes]]:
    """Each letter as files, with their names: the mail, its two parts, and its pictures.

    In the HTML each picture is the file beside it, so that a browser shows it.
    """
    for one in specimens(board):
        letter = one.letter
        pngs = drawings(letter)
        html = letter.html
        for name, png in pngs.items():
            file = f"{one.file}.png" if name == "board" else f"{one.file}.{name}.png"
            html = html.replace(f"cid:{name}", file)
            yield file, png
        yield f"{one.file}.eml", compose(letter, one.envelope, pngs)
        yield f"{one.file}.html", html.encode()
        yield f"{one.file}.txt", letter.text.encode()
