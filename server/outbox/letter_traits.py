"""How each kind of letter is treated: what it waits for, what it is sent despite of, and what tells more.

A reader gets letters at their own pace (preferences.py). Some do not wait for it, because the reader has
asked or time runs out: answers, invitations, the start of a game, reminders, a turn that was played for them.
A reminder never waits, so no deadline passes unheard, however late a letter of the turn would be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from emails.letters.kinds import LetterKind
from server.outbox.letter_details import LetterContent, TimePassedDetail, kind_of

HALF_PLAYED_DELAY = timedelta(minutes=30)
"""How long a turn that was left in its middle on a page is left alone: whoever only thinks, or has the page
open, needs no letter, and who was called away finds what can still be done long before the deadline."""
FIRST_KINDS = frozenset({LetterKind.WELCOME, LetterKind.YOUR_TURN})
"""Kinds of which one is the first letter of a game to its reader."""
SIGN_IN_LINK_VALID = timedelta(minutes=10)
"""How long a link that signs a player in is good; its letter is not sent later."""


@dataclass(frozen=True, slots=True)
class LetterTraits:
    """How the letters of one kind are treated; by default they go at once, to whoever wants letters."""

    rank: int = 0
    """How much of a game it tells: what waits for one seat is told in the letter of the highest rank. 0: it
    is sent for itself."""
    waits: bool = False
    """Whether it waits for the hour of its reader."""
    despite_unsubscribe: bool = False
    """Whether it goes to a reader who wants no letters: they have asked for it, or must know it."""
    despite_bounce: bool = False
    """Whether it is sent although letters come back: a letter for each turn, for so a success is found."""
    answers_mail: bool = False
    """Whether it answers a mail to a game, and shows how the game stands."""
    asks_back: bool = False
    """Whether it answers a mail to a game with a question, and shows nothing of the game."""
    gameless: bool = False
    """Whether it is about no game: it stands in no thread, and where it was to go it goes."""
    to_unused_address: bool = False
    """Whether it goes to an address that is not in use: it holds nothing that leads to a game."""
    recorded: bool = False
    """Whether it is kept in the outbox even where it is not wanted when it arises."""
    unasked: bool = False
    """Whether somebody else than its reader can cause it: budgets.py bounds how many there are."""


ANSWERS = LetterTraits(despite_unsubscribe=True, answers_mail=True)
ABOUT_AN_ADDRESS = LetterTraits(
    despite_unsubscribe=True, despite_bounce=True, gameless=True, to_unused_address=True
)
ABOUT_AN_ACCOUNT = LetterTraits(despite_unsubscribe=True, despite_bounce=True, gameless=True)
TRAITS: Mapping[LetterKind, LetterTraits] = {
    LetterKind.INVITATION: LetterTraits(despite_bounce=True, recorded=True, unasked=True),
    LetterKind.ACCEPTED: LetterTraits(despite_unsubscribe=True),
    LetterKind.CALLED_OFF: LetterTraits(waits=True),
    LetterKind.DECLINED: LetterTraits(waits=True),
    LetterKind.PROPOSAL: LetterTraits(despite_bounce=True, unasked=True),
    LetterKind.DIGEST: LetterTraits(rank=1),
    LetterKind.MESSAGE: LetterTraits(rank=2, waits=True),
    LetterKind.NEWS: LetterTraits(rank=3, waits=True),
    LetterKind.REMINDER: LetterTraits(rank=4),
    LetterKind.STEP: LetterTraits(rank=5, waits=True),
    LetterKind.YOUR_TURN: LetterTraits(rank=6, waits=True, despite_bounce=True),
    LetterKind.WELCOME: LetterTraits(rank=7),
    LetterKind.TIME_PASSED: LetterTraits(rank=8, waits=True),
    LetterKind.PLAN_PLAYED: LetterTraits(rank=9),
    LetterKind.SUBSTITUTE: LetterTraits(rank=10, despite_unsubscribe=True),
    LetterKind.GAME_OVER: LetterTraits(rank=11, waits=True),
    LetterKind.ANSWER: ANSWERS,
    LetterKind.REFUSED: ANSWERS,
    LetterKind.SHOWN: ANSWERS,
    LetterKind.VOTE: LetterTraits(),
    LetterKind.ABSENCE: LetterTraits(),
    LetterKind.SEAT_OFFERED: LetterTraits(),
    LetterKind.REPLACED: ABOUT_AN_ADDRESS,
    LetterKind.SEAT_REFUSED: ABOUT_AN_ADDRESS,
    LetterKind.ASKED_BACK: LetterTraits(despite_unsubscribe=True, asks_back=True),
    LetterKind.STOPPED: LetterTraits(despite_unsubscribe=True, recorded=True),
    LetterKind.CONFIRM: replace(ABOUT_AN_ADDRESS, unasked=True, recorded=True),
    LetterKind.MOVE_ASKED: ABOUT_AN_ACCOUNT,
    LetterKind.MOVED: ABOUT_AN_ADDRESS,
    LetterKind.SIGNIN: ABOUT_AN_ACCOUNT,
    LetterKind.SEAT_CLAIM: ABOUT_AN_ACCOUNT,
    LetterKind.NOTICE: ABOUT_AN_ACCOUNT,
}


def kinds_where(holds: Callable[[LetterTraits], bool]) -> tuple[LetterKind, ...]:
    """The kinds of which something holds."""
    return tuple(kind for kind, traits in TRAITS.items() if holds(traits))


COMBINABLE_KINDS = (*kinds_where(lambda one: one.rank > 0), LetterKind.ANSWER)
"""What one letter may tell."""
KINDS_SHOWING_GAME = kinds_where(lambda one: one.rank > 0 or one.answers_mail)
"""The letters that show how a game stands."""
ANSWER_KINDS = kinds_where(lambda one: one.answers_mail or one.asks_back)
"""The letters that answer a mail to a game."""
GAMELESS_KINDS = kinds_where(lambda one: one.gameless)
ADDRESS_KINDS = kinds_where(lambda one: one.to_unused_address)
UNASKED_KINDS = kinds_where(lambda one: one.unasked)
KINDS_SENT_DESPITE_UNSUBSCRIBE = kinds_where(lambda one: one.despite_unsubscribe)
KINDS_SENT_DESPITE_SUSPENSION = (*GAMELESS_KINDS, LetterKind.REFUSED, LetterKind.STOPPED)
"""What leaves although its game is halted: what is about no game, and that nothing of a mail was done."""
KINDS_TOLD_IN_ANSWERS = kinds_where(lambda one: 0 < one.rank < TRAITS[LetterKind.WELCOME].rank)
"""What an answer to a mail tells too."""


def is_held_back(content: LetterContent, seat: int) -> bool:
    """Whether a letter waits for the hour of its reader; not so what was played for that seat itself."""
    own = isinstance(content, TimePassedDetail) and content.seat == seat
    return TRAITS[kind_of(content)].waits and not own


def kinds_telling(kind: LetterKind) -> tuple[LetterKind, ...]:
    """The kinds that tell what a letter of this kind would; the end of a game is told by its own alone."""
    rank = TRAITS[kind].rank
    if not rank or kind is LetterKind.GAME_OVER:
        return ()
    if kind in (LetterKind.STEP, LetterKind.YOUR_TURN):  # what says whose turn it is above all
        rank = TRAITS[LetterKind.REMINDER].rank
    ranked = kinds_where(lambda one: one.rank >= rank)
    return (*ranked, LetterKind.ANSWER) if kind in KINDS_TOLD_IN_ANSWERS else ranked
