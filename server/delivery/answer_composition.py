"""The letters that answer a mail: what was done of it, what is asked back, and what it asked to see."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from emails.i18n import gettext
from emails.letters import contexts, game_letters
from emails.letters.choice_lines import LONGEST_LINKED
from emails.letters.contexts import GameLetterContext, LetterSection, UndoneLine
from emails.letters.renderer import Letter, translate_order
from emails.letters.sections import build_sections
from emails.tokens import Ticket
from emails.wording.questions import OrderQuestion
from emails.wording.requests import REQUESTS_OF_PRESENCE, REQUESTS_TOLD_AS_DONE, RequestKind
from engine.views import VisibleEvent, veil_event
from server.delivery.letter_contexts import LetterRequest, build_absence_note
from server.outbox.letter_details import AnswerDetail, AskedBackDetail, RefusedDetail, ShownDetail
from server.outbox.queue import load_people
from server.store.game_terms import is_return_open
from server.store.models import Seating


def compose_question(asked: LetterRequest, content: AskedBackDetail) -> Letter:
    """The letter that asks a player whether they mean what a mail says, before or in a game."""
    game, seat, links = asked.game, asked.row.seat, asked.links
    ticket = Ticket(game.id, seat, content.after)
    words = "; ".join(content.orders)
    linked = 0 < len(words.encode()) <= LONGEST_LINKED
    made = contexts.AskedBackContext(
        game=game.name,
        name=asked.session.get_one(Seating, (game.id, seat)).name,
        lines=_lines_asked_about(content),
        doubt=content.doubt,
        questions=content.questions,
        request=content.request,
        unproven=content.unproven,
        page=links.look_link(replace(ticket, words=words)) if linked else "",
        reply=links.reply_address(ticket, asked.row.id or 0),
        settings=links.settings_link(ticket),
        answered="" if asked.preferences.one_conversation else asked.answered,
    )
    return game_letters.render_asked_back(made)


def _lines_asked_about(content: AskedBackDetail) -> tuple[str, ...]:
    """What a mail would do, in full words; as it is written where it would do more than play and tell."""
    if not content.doubt or REQUESTS_OF_PRESENCE & {one.kind for one in content.asked}:
        return content.lines
    return (*map(translate_order, content.orders), *content.chat)


def compose_answer(
    asked: LetterRequest, content: AnswerDetail | RefusedDetail | ShownDetail, made: GameLetterContext
) -> Letter:
    """A letter that answers a mail."""
    sections = _requested_sections(asked, content, made)
    made = replace(made, shown=frozenset(one.kind for one in content.asked))
    match content:
        case ShownDetail(unasked=unasked):
            return game_letters.render_shown(made, sections, unasked=unasked)
        case RefusedDetail(sentence=sentence):
            if _is_question_outdated(content, made):
                sentence += " " + gettext(
                    "The game has moved on since, so there is nothing to ask about it now."
                )
            asked_now = _current_question(content, made)
            return game_letters.render_refused(sentence, made, asked_now, sections, proposed=content.proposed)
        case AnswerDetail(why=why):
            if _is_question_outdated(content, made):
                why = gettext("%(why)s, and the game has moved on since", why=why)
            undone = tuple(
                UndoneLine(line, why if number == 0 else "") for number, line in enumerate(content.undone)
            )
            done = events_of_act(asked) if content.done else ()
            question = _current_question(content, made)
            return game_letters.render_answer(
                made, done, undone, content.posted, question, sections, content.settled
            )
        case _:
            assert_never(content)


def _is_question_outdated(content: AnswerDetail | RefusedDetail, made: GameLetterContext) -> bool:
    """Whether the letter was to ask a question about a position that has passed."""
    return content.question is not None and content.after != made.after


def _current_question(content: AnswerDetail | RefusedDetail, made: GameLetterContext) -> OrderQuestion | None:
    """The question of a letter, as long as the position is the one that it was asked about."""
    return None if _is_question_outdated(content, made) else content.question


def _requested_sections(
    asked: LetterRequest, content: AnswerDetail | RefusedDetail | ShownDetail, made: GameLetterContext
) -> tuple[LetterSection, ...]:
    """What the mail that a letter answers asked to see."""
    seat, history = asked.row.seat, asked.history
    preferences = load_people(asked.session, asked.game.id)[seat].preferences
    heard = [veil_event(event, seat) for _, event in history.events]
    told = REQUESTS_OF_PRESENCE | {RequestKind.REST}
    note = build_absence_note(asked) if told & {one.kind for one in content.asked} else None
    resigned = seat in history.resigned
    made = replace(made, can_return=is_return_open(asked.game, history, seat))
    undone = REQUESTS_TOLD_AS_DONE if isinstance(content, RefusedDetail) else frozenset[RequestKind]()
    shown = [one for one in content.asked if one.kind not in undone]
    return build_sections(shown, made, heard, preferences, resigned, note)


def events_of_act(asked: LetterRequest) -> tuple[VisibleEvent, ...]:
    """The facts of the act that a letter is about, as its reader hears them."""
    row = asked.row
    return tuple(veil_event(event, row.seat) for seq, event in asked.history.events if seq == row.seq)
