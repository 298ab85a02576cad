"""The ways of each kind of letter about a game that is played or over, made from the sample game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from emails.gallery.sample_game import (
    DEADLINE,
    SampleGame,
)
from emails.i18n import current_locale, gettext
from emails.letters import letter_kinds
from emails.letters.contexts import (
    GameLetterContext,
    LetterSection,
    UndoneLine,
    UnreadChat,
)
from emails.letters.renderer import Letter
from emails.letters.sections import build_sections
from emails.wording import phrases
from emails.wording.requests import Request, RequestKind
from emails.wording.statistics import compile_statistics
from engine.cards import Symbol
from engine.events import CardDrawn
from engine.notation.vocabulary import translate_orders
from engine.views import veil_event

BEFORE_DEADLINE = DEADLINE - timedelta(hours=6)


TURN = 16
"""The turn that most letters are about."""


QUIET = 13
"""A turn of Anna's in which she laid one wall and drew two cards, as the server would have for her."""


HOPED_ORDER = "occupy Troy"
"""What she could have done with another card then."""


CARD, MARCH, AFTER = "choose amphora", "march Bucephala", "draw"
"""A turn that can mean several things: there are three corners, and several ways to one of them."""


CAMPAIGN = 18
"""A turn in which Cleo can take over a province, and choose which cards its holder gets."""


TAKEOVER = "takeover Armavir"


CHAT = (
    UnreadChat("Ben", "Well played, I did not see that coming. But wait until Alexander is in Egypt!", False),
    UnreadChat("Cleo", "Shall we leave Persia to each other?", True),
)


CHAT_TO_EVERYBODY = {"en": "Good luck to you all!", "nl": "Veel succes allemaal!"}
"""What a reader wrote to everybody, by the reader's language."""


# What the server tells a reader, in the words of its own catalogues.
CHAT_SENT = "You told everybody: “%(words)s”"


PAST = "This answers an older letter: the game has moved on since."


NOT_PLAYED = "This game is not being played."


SEVERAL = "“%(line)s” could mean several things."


WHICH = "it could mean several things"


@dataclass(frozen=True, slots=True)
class LetterVariant:
    """One of the ways of a kind of letter about a game that is being played or over."""

    name: str
    """The kind, and after a hyphen what is special about it."""
    at: int
    """After how many events."""
    seat: int
    write: Callable[[GameLetterContext], Letter]
    messages: tuple[UnreadChat, ...] = ()
    other: SampleGame | None = None
    """The game from which it is made, where it goes another way than the one that ships with the house."""

    def context(self, game: SampleGame) -> GameLetterContext:
        """What it is made from."""
        return replace((self.other or game).letter_context(self.at, self.seat), messages=self.messages)


def letter_variants(game: SampleGame) -> Iterator[LetterVariant]:
    """Every kind of letter about a running game or one that is over, in each of its ways."""
    yield from _turns_and_answers(game)
    yield from _refusals_and_ends(game)


def _turns_and_answers(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (later, _) = game.turn_starts()[TURN - 1 : TURN + 1]
    middle = game.action_starts()[TURN - 1][0]
    begun, late = game.turn_starts()[QUIET - 1]
    drawn = next(at for at, one in enumerate(game.events, 1) if at > begun and isinstance(one, CardDrawn))
    campaign, cleo = game.action_starts()[CAMPAIGN - 1]
    raided = game.branch(campaign, CardDrawn(cleo, Symbol.LYRE))
    yield LetterVariant("welcome", 1, 1, letter_kinds.render_welcome)
    yield LetterVariant("your_turn", start, mover, letter_kinds.render_your_turn)
    yield LetterVariant("your_turn-first", 1, 0, letter_kinds.render_your_turn)
    yield LetterVariant("your_turn-messages", start, mover, letter_kinds.render_your_turn, CHAT)
    yield LetterVariant("step", middle, mover, letter_kinds.render_step)
    yield LetterVariant(
        "reminder", start, mover, lambda made: letter_kinds.render_reminder(made, BEFORE_DEADLINE)
    )
    yield LetterVariant(
        "answer",
        later,
        mover,
        lambda made: letter_kinds.render_answer(made, game.last_turn_of(made, mover), ()),
    )
    yield LetterVariant("answer-in-part", drawn, late, lambda made: _in_part(game, made, begun))
    yield LetterVariant(
        "answer-question", campaign + 1, cleo, lambda made: _answer_with_question(raided, made), other=raided
    )
    yield LetterVariant("answer-messages", start, mover, _answer_chat)


def _refusals_and_ends(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (later, following) = game.turn_starts()[TURN - 1 : TURN + 1]
    (_, late), (passed, next_of_late) = game.turn_starts()[QUIET - 1 : QUIET + 1]
    campaign, cleo = game.action_starts()[CAMPAIGN - 1]
    end = len(game.events)
    yield LetterVariant(
        "refused", start, mover, lambda made: letter_kinds.render_refused(gettext(PAST), made)
    )
    yield LetterVariant(
        "refused-not-my-turn", start, following, lambda made: _refuse_other_turn(game, made, following)
    )
    yield LetterVariant(
        "refused-march",
        start,
        mover,
        lambda made: _refuse_with_question(game, made, (CARD,), MARCH, (AFTER,)),
    )
    yield LetterVariant(
        "refused-takeover",
        campaign,
        cleo,
        lambda made: _refuse_with_question(game, made, (), TAKEOVER, ("draw",)),
    )
    yield LetterVariant(
        "shown", start, mover, lambda made: letter_kinds.render_shown(made, _requested_sections(game, made))
    )
    yield LetterVariant("news", later, (mover + 2) % 3, letter_kinds.render_news)
    yield LetterVariant("message", later, mover, letter_kinds.render_message, CHAT)
    yield LetterVariant("digest", start, following, letter_kinds.render_digest)
    yield LetterVariant("digest-quiet", later, mover, letter_kinds.render_digest)
    yield LetterVariant("time_passed", passed, next_of_late, lambda made: _in_her_place(game, made, late))
    yield LetterVariant("time_passed-mine", passed, late, lambda made: _in_her_place(game, made, late))
    yield LetterVariant(
        "game_over",
        end,
        1,
        lambda made: letter_kinds.render_game_over(made, compile_statistics(game.told_to(1))),
    )
    yield LetterVariant(
        "game_over-won",
        end,
        0,
        lambda made: letter_kinds.render_game_over(made, compile_statistics(game.told_to(0))),
        CHAT,
    )
    yield LetterVariant(
        "stopped", later, mover, lambda made: letter_kinds.render_stopped(made, everywhere=False)
    )
    yield LetterVariant(
        "stopped-everywhere",
        later,
        following,
        lambda made: letter_kinds.render_stopped(made, everywhere=True),
    )


def _in_part(game: SampleGame, made: GameLetterContext, begun: int) -> Letter:
    """She hoped to draw a horse."""
    me = made.view.table.seat
    done = tuple(veil_event(event, me) for event in game.events[begun : made.after])
    why = phrases.explain_refusal(game.refusal_of(made.after, me, HOPED_ORDER))
    return letter_kinds.render_answer(made, done, (UndoneLine(_typed_order(HOPED_ORDER), why),))


def _answer_with_question(game: SampleGame, made: GameLetterContext) -> Letter:
    """She drew a card, and then wanted to take over a province with it."""
    me = made.view.table.seat
    done = (veil_event(game.events[-1], me),)
    asked = game.question_about(made.after, me, (), TAKEOVER, ())
    return letter_kinds.render_answer(
        made, done, (UndoneLine(_typed_order(TAKEOVER), gettext(WHICH)),), (), asked
    )


def _refuse_with_question(
    game: SampleGame, made: GameLetterContext, before: tuple[str, ...], order: str, rest: tuple[str, ...]
) -> Letter:
    asked = game.question_about(made.after, made.view.table.seat, before, order, rest)
    return letter_kinds.render_refused(gettext(SEVERAL, line=_typed_order(order)), made, asked)


def _requested_sections(game: SampleGame, made: GameLetterContext) -> tuple[LetterSection, ...]:
    return build_sections(
        (Request(RequestKind.RULES, "5.9"), Request(RequestKind.HAND)), made, game.told_to(made.view.my_seat)
    )


def _answer_chat(made: GameLetterContext) -> Letter:
    return letter_kinds.render_answer(
        made, (), (), (gettext(CHAT_SENT, words=CHAT_TO_EVERYBODY[current_locale().language]),)
    )


def _in_her_place(game: SampleGame, made: GameLetterContext, seat: int) -> Letter:
    return letter_kinds.render_time_passed(made, seat, game.last_turn_of(made, seat))


def _refuse_other_turn(game: SampleGame, made: GameLetterContext, seat: int) -> Letter:
    why = phrases.explain_refusal(game.refusal_of(made.after, seat, "draw"))
    return letter_kinds.render_refused(f"“{_typed_order('draw')}”: {why}.", made)


def _typed_order(words: str) -> str:
    """Orders as a reader of the language spoken types them."""
    return translate_orders(words, current_locale().language)
