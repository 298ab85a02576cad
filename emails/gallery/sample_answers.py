"""What answers the mails to the sample game: what they say, and the letters that come back."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from emails.gallery.sample_game import SampleGame, propose_turns
from emails.i18n import current_locale, gettext
from emails.languages.lexicon import say_orders
from emails.letters import game_letters
from emails.letters.contexts import GameLetterContext, LetterSection, UndoneLine
from emails.letters.renderer import Letter
from emails.letters.sections import build_sections
from emails.wording import phrases
from emails.wording.presence.absence_text import AbsenceNote, DaysAway
from emails.wording.requests import Request, RequestKind
from engine.position import veil_event

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
    """She hoped to draw a horse."""
    me = made.view.table.seat
    done = tuple(veil_event(event, me) for event in game.events[begun : made.after])
    why = phrases.explain_refusal(game.refusal_of(made.after, me, HOPED_ORDER))
    return game_letters.render_answer(made, done, (UndoneLine(_typed_order(HOPED_ORDER), why),))


def answer_with_question(game: SampleGame, made: GameLetterContext) -> Letter:
    """She drew a card, and then wanted to take over a province with it."""
    me = made.view.table.seat
    done = (veil_event(game.events[-1], me),)
    asked = game.question_about(made.after, me, (), TAKEOVER, ())
    return game_letters.render_answer(
        made, done, (UndoneLine(_typed_order(TAKEOVER), gettext(WHICH)),), (), asked
    )


def refuse_with_question(
    game: SampleGame, made: GameLetterContext, before: tuple[str, ...], order: str, rest: tuple[str, ...]
) -> Letter:
    """They wrote a line that can mean several things."""
    asked = game.question_about(made.after, made.view.table.seat, before, order, rest)
    return game_letters.render_refused(gettext(SEVERAL, line=_typed_order(order)), made, asked)


def refuse_with_proposal(made: GameLetterContext) -> Letter:
    """They wrote as they talk."""
    sentence, asked = propose_turns(made.view, current_locale().language)
    return game_letters.render_refused(sentence, made, asked, proposed=True)


def build_requested_sections(game: SampleGame, made: GameLetterContext) -> tuple[LetterSection, ...]:
    """They asked for a rule and for their hand."""
    return build_sections(
        (Request(RequestKind.RULES, "5.9"), Request(RequestKind.HAND)), made, game.told_to(made.view.my_seat)
    )


def show_requested(made: GameLetterContext, what: RequestKind) -> Letter:
    """What of the game itself can be asked for."""
    return game_letters.render_shown(replace(made, shown=frozenset({what})), ())


def tell_done_requests(made: GameLetterContext) -> Letter:
    """They told of days away, and asked when their turn comes."""
    first, last = date(2027, 1, 14), date(2027, 1, 20)
    note = AbsenceNote(date(2027, 1, 12), "UTC", (DaysAway(first, last),))
    asked = (Request(RequestKind.AWAY, f"{first} - {last}"), Request(RequestKind.WHEN))
    return game_letters.render_shown(made, build_sections(asked, made, absence=note))


def answer_pause(made: GameLetterContext) -> Letter:
    """They asked for a pause."""
    return game_letters.render_answer(made, (), (), settled=(gettext(ASKED),))


def answer_chat(made: GameLetterContext) -> Letter:
    """They wrote to everybody and played nothing."""
    return game_letters.render_answer(
        made, (), (), (gettext(CHAT_SENT, words=CHAT_TO_EVERYBODY[current_locale().language]),)
    )


def refuse_other_turn(game: SampleGame, made: GameLetterContext, seat: int) -> Letter:
    """They wrote an order before their turn had come."""
    why = phrases.explain_refusal(game.refusal_of(made.after, seat, "draw"))
    return game_letters.render_refused(f"“{_typed_order('draw')}”: {why}.", made)


def _typed_order(words: str) -> str:
    """Orders as a reader of the language spoken types them."""
    return say_orders(words, current_locale().language)
