"""The ways of each kind of letter about a game that is played or over, made from the sample game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, partial

from emails.gallery import sample_answers
from emails.gallery.sample_game import DEADLINE, NOW, SampleGame
from emails.gallery.sample_plan import with_missed_plan
from emails.i18n import gettext
from emails.letters import game_letters
from emails.letters.contexts import GameLetterContext, UnreadChat
from emails.letters.renderer import Letter
from emails.wording.finished.review_text import compile_statistics, tell_dearest, tell_origins, tell_swing
from emails.wording.requests import RequestKind, VoteKind
from emails.wording.times.deadlines import ReserveLeft
from emails.wording.times.turn_outlooks import Habit, TurnOutlook
from engine.bots.advice import Suggestion, best
from engine.bots.reviews import Swing, Verdict, harvests
from engine.cards import Symbol
from engine.events import CardDrawn
from engine.notation.grammar import read_canonical
from engine.position import View

BEFORE_DEADLINE = DEADLINE - timedelta(hours=6)
TURN = 16
"""The turn that most letters are about."""
QUIET = 13
"""A turn of Anna's in which she laid one wall and drew two cards, as the server would have for her."""
CAMPAIGN = 18
"""A turn in which Cleo can take over a province, and choose which cards its holder gets."""
SWING = Swing(turn=16, seat=0, before=0.483, after=0.652)
"""The turn in which the sample game swung most."""
DEAREST = 14
"""The turn of Ben's that cost most."""
BETTER = ("choose temple", "march Sittace G23-G21-G19", "take horse", "draw")
"""What would have been better."""
CHAT = (
    UnreadChat("Ben", "Well played, I did not see that coming. But wait until Alexander is in Egypt!", False),
    UnreadChat("Cleo", "Shall we leave Persia to each other?", True),
)
WITH_HOUSE = ("Philip", "Ben", "Cleo")
"""Players of whom the server plays one."""


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
    changed: bool = True
    """Whether the position has changed since the last letter to the reader."""
    everything: bool = False
    """Whether its reader wants everything in each letter."""
    other: SampleGame | None = None
    """The game from which it is made, where it goes another way than the one that ships with the house."""

    def context(self, game: SampleGame) -> GameLetterContext:
        """What it is made from."""
        made = (self.other or game).letter_context(self.at, self.seat)
        return replace(
            made,
            messages=self.messages,
            changed=self.changed,
            everything=self.everything,
            suggestions=suggest(made.view) if made.view.my_turn else (),
        )


@cache
def suggest(known: View) -> tuple[Suggestion, ...]:
    """What is suggested to a seat."""
    return best(known, 5)


def letter_variants(game: SampleGame) -> Iterator[LetterVariant]:
    """Every kind of letter about a running game or one that is over, in each of its ways."""
    yield from _turns_and_answers(game)
    yield from _refusals(game)
    yield from _news_and_ends(game)


def _turns_and_answers(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (later, _) = game.turn_starts()[TURN - 1 : TURN + 1]
    middle = game.action_starts()[TURN - 1][0]
    begun, late = game.turn_starts()[QUIET - 1]
    drawn = next(at for at, one in enumerate(game.events, 1) if at > begun and isinstance(one, CardDrawn))
    campaign, cleo = game.action_starts()[CAMPAIGN - 1]
    raided = game.branch(campaign, CardDrawn(cleo, Symbol.LYRE))
    yield LetterVariant("welcome", 1, 1, game_letters.render_welcome)
    yield LetterVariant("welcome-house", 1, 1, game_letters.render_welcome, other=game.dealt_to(WITH_HOUSE))
    yield LetterVariant("your_turn", start, mover, game_letters.render_your_turn)
    yield LetterVariant("your_turn-first", 1, 0, game_letters.render_your_turn)
    yield LetterVariant("your_turn-messages", start, mover, game_letters.render_your_turn, CHAT)
    yield LetterVariant("your_turn-everything", start, mover, game_letters.render_your_turn, everything=True)
    yield LetterVariant(
        "your_turn-plan", start, mover, lambda made: game_letters.render_your_turn(with_missed_plan(made))
    )
    yield LetterVariant(
        "plan_played",
        later,
        mover,
        lambda made: game_letters.render_plan_played(made, game.last_turn_of(made, mover)),
    )
    yield LetterVariant("step", middle, mover, game_letters.render_step)
    yield LetterVariant("reminder", start, mover, _remind, changed=False)
    yield LetterVariant("reminder-home", start, mover, _welcome_back, changed=False)
    yield LetterVariant("reminder-asked", start, mover, lambda made: _remind(made, 1), changed=False)
    yield LetterVariant(
        "answer",
        later,
        mover,
        lambda made: game_letters.render_answer(made, game.last_turn_of(made, mover), ()),
    )
    yield LetterVariant(
        "answer-in-part", drawn, late, lambda made: sample_answers.answer_in_part(game, made, begun)
    )
    yield LetterVariant(
        "answer-question",
        campaign + 1,
        cleo,
        lambda made: sample_answers.answer_with_question(raided, made),
        other=raided,
    )
    yield LetterVariant("answer-messages", start, mover, sample_answers.answer_chat, changed=False)


def _refusals(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (_, following) = game.turn_starts()[TURN - 1 : TURN + 1]
    campaign, cleo = game.action_starts()[CAMPAIGN - 1]
    yield LetterVariant(
        "refused",
        start,
        mover,
        lambda made: game_letters.render_refused(gettext(sample_answers.PAST), made),
        changed=False,
    )
    yield LetterVariant(
        "refused-not-my-turn",
        start,
        following,
        lambda made: sample_answers.refuse_other_turn(game, made, following),
        changed=False,
    )
    yield LetterVariant(
        "refused-march",
        start,
        mover,
        lambda made: sample_answers.refuse_with_question(
            game, made, (sample_answers.CARD,), sample_answers.MARCH, (sample_answers.AFTER,)
        ),
        changed=False,
    )
    yield LetterVariant(
        "refused-takeover",
        campaign,
        cleo,
        lambda made: sample_answers.refuse_with_question(game, made, (), sample_answers.TAKEOVER, ("draw",)),
        changed=False,
    )
    yield LetterVariant("refused-proposal", start, mover, sample_answers.refuse_with_proposal, changed=False)
    yield LetterVariant(
        "shown",
        start,
        mover,
        lambda made: game_letters.render_shown(made, sample_answers.build_requested_sections(game, made)),
        changed=False,
    )
    yield LetterVariant("shown-done", start, following, sample_answers.tell_done_requests, changed=False)
    yield LetterVariant("answer-settled", start, following, sample_answers.answer_pause, changed=False)
    yield LetterVariant(
        "shown-board",
        start,
        mover,
        lambda made: sample_answers.show_requested(made, RequestKind.BOARD),
        changed=False,
    )
    yield LetterVariant(
        "shown-all",
        start,
        mover,
        lambda made: sample_answers.show_requested(made, RequestKind.ALL),
        changed=False,
    )


def _tell_next_turn(made: GameLetterContext) -> Letter:
    """News to somebody of whom it is known when their turn comes."""
    known = TurnOutlook(NOW + timedelta(days=2), NOW + timedelta(days=5), Habit("Ben", timedelta(days=1)))
    return game_letters.render_news(replace(made, next_turn=known))


def _news_and_ends(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (later, following) = game.turn_starts()[TURN - 1 : TURN + 1]
    (_, late), (passed, next_of_late) = game.turn_starts()[QUIET - 1 : QUIET + 1]
    end, begun = len(game.events), NOW - timedelta(hours=26)
    yield LetterVariant("news", later, (mover + 2) % 3, _tell_next_turn)
    yield LetterVariant("message", later, mover, game_letters.render_message, CHAT, changed=False)
    yield LetterVariant(
        "digest", start, following, lambda made: game_letters.render_digest(replace(made, turn_since=begun))
    )
    yield LetterVariant("digest-turn", start, mover, game_letters.render_digest)
    yield LetterVariant("time_passed", passed, next_of_late, lambda made: _in_her_place(game, made, late))
    yield LetterVariant("time_passed-mine", passed, late, lambda made: _in_her_place(game, made, late))
    yield LetterVariant(
        "game_over",
        end,
        1,
        lambda made: game_letters.render_game_over(
            made, compile_statistics(game.told_to(1)), _review_lines(game, made)
        ),
    )
    yield LetterVariant(
        "game_over-won",
        end,
        0,
        lambda made: game_letters.render_game_over(made, compile_statistics(game.told_to(0))),
        CHAT,
    )
    offer = partial(game_letters.render_seat_offered, seat=mover)
    yield LetterVariant("substitute", start, following, partial(game_letters.render_substitute, gone="Dirk"))
    yield LetterVariant("substitute-turn", start, mover, partial(game_letters.render_substitute, gone="Dirk"))
    for name, write in (
        ("absence", game_letters.render_absence),
        ("seat_offered", offer),
        ("seat_offered-resigned", partial(offer, resigned=True)),
    ):
        yield LetterVariant(name, start, following, write, changed=False)
    ask = partial(game_letters.render_vote, seat=mover)
    for name, write in (
        ("motion-done", partial(ask, vote=VoteKind.MORE_TIME, done=True)),
        ("motion", partial(ask, vote=VoteKind.MORE_TIME)),
        ("motion-pause", partial(ask, vote=VoteKind.PAUSE)),
    ):
        yield LetterVariant(name, start, following, write, changed=False)
    yield LetterVariant(
        "stopped", later, mover, lambda made: game_letters.render_stopped(made, everywhere=False)
    )
    yield LetterVariant(
        "stopped-everywhere",
        later,
        following,
        lambda made: game_letters.render_stopped(made, everywhere=True),
    )


def _remind(made: GameLetterContext, asked_by: int | None = None) -> Letter:
    day, left = timedelta(days=1), DEADLINE - BEFORE_DEADLINE
    reserve = None if asked_by is None else ReserveLeft(day, DEADLINE - day, left)
    return game_letters.render_reminder(replace(made, reserve=reserve), BEFORE_DEADLINE, asked_by)


def _welcome_back(made: GameLetterContext) -> Letter:
    return game_letters.render_reminder(made, BEFORE_DEADLINE, home=True)


def _review_lines(game: SampleGame, made: GameLetterContext) -> list[str]:
    """What the judge once thought of the sample game, in words for Ben."""
    board, steps = made.view.table.board, zip(game.positions, game.events[1:], strict=False)
    best = tuple(read_canonical(words, board) for words in BETTER)
    return [
        tell_origins(harvests(steps), SWING.seat, made.view),
        tell_swing(SWING, made.view),
        tell_dearest(Verdict(DEAREST, made.view.my_seat, (), best, 14.34), made.view),
    ]


def _in_her_place(game: SampleGame, made: GameLetterContext, seat: int) -> Letter:
    return game_letters.render_time_passed(made, seat, game.last_turn_of(made, seat))
