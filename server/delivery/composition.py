"""The letter that a row of the outbox asks for, of each kind: what it is made from, handed to its function.

Letters are made from views alone, which are picked in this room and nowhere else.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Literal, assert_never

from emails.i18n import gettext
from emails.letters import account_letters, contexts, letter_kinds, lobby_letters, proposal_letter
from emails.letters.contexts import GameLetterContext, LetterSection, UndoneLine
from emails.letters.game_letter import LONGEST_LINKED
from emails.letters.kinds import LetterKind
from emails.letters.renderer import Letter
from emails.letters.sections import build_sections
from emails.tokens import Ticket
from emails.wording.questions import OrderQuestion
from emails.wording.statistics import compile_statistics
from engine.position import Phase
from engine.views import VisibleEvent, veil_event
from server.accounts.user_agents import describe_agent
from server.delivery.letter_contexts import (
    LetterRequest,
    build_invitation,
    build_proposal,
    build_vacated_seat,
    names_awaited,
)
from server.outbox.letter_details import (
    AnswerDetail,
    AskedBackDetail,
    ConfirmDetail,
    DeclinedDetail,
    GamelessDetail,
    MoveAskedDetail,
    MovedDetail,
    NoticeDetail,
    ProposalDetail,
    RefusedDetail,
    ShownDetail,
    SignInDetail,
    StoppedDetail,
    TimePassedDetail,
)
from server.outbox.queue import last_sent_at, load_people
from server.store.models import Act, AddressConfirmation, Player, Seating
from server.store.session_models import SignInLink
from server.store.states import ConfirmationPurpose

LobbyContent = (
    Literal[LetterKind.INVITATION, LetterKind.ACCEPTED, LetterKind.CALLED_OFF]
    | DeclinedDetail
    | ProposalDetail
)
GameContent = (
    Literal[
        LetterKind.WELCOME,
        LetterKind.YOUR_TURN,
        LetterKind.STEP,
        LetterKind.REMINDER,
        LetterKind.NEWS,
        LetterKind.MESSAGE,
        LetterKind.DIGEST,
        LetterKind.GAME_OVER,
    ]
    | TimePassedDetail
    | StoppedDetail
    | AnswerDetail
    | RefusedDetail
    | ShownDetail
)


def compose_gameless_letter(asked: LetterRequest, content: GamelessDetail) -> Letter:
    """A letter about an address or a browser of its reader."""
    session, post = asked.session, asked.links
    match content:
        case ConfirmDetail(digest=digest, mark=mark):
            known = session.get_one(AddressConfirmation, digest)
            name = session.get_one(Player, known.player).name
            page, reply = post.confirm_links(mark, digest)
            second = known.purpose == ConfirmationPurpose.SECOND_ADDRESS
            return account_letters.render_confirm(
                contexts.ConfirmationContext(
                    name, known.address, page, reply, second, known.due_at, post.unwanted
                )
            )
        case MoveAskedDetail(digest=digest, mark=mark, browser=browser):
            known = session.get_one(AddressConfirmation, digest)
            name = session.get_one(Player, known.player).name
            return account_letters.render_move_asked(
                contexts.MoveContext(
                    name,
                    known.address,
                    *post.confirm_links(mark, digest),
                    known.due_at,
                    known.at,
                    describe_agent(browser),
                )
            )
        case MovedDetail(address=address, digest=digest, mark=mark):
            player = session.get_one(Seating, (asked.game.id, asked.row.seat)).player
            name = session.get_one(Player, player).name
            page, reply = post.confirm_links(mark, digest) if mark else ("", "")
            return account_letters.render_moved(contexts.AddressChangeContext(name, address, page, reply))
        case NoticeDetail(event=event, at=at, browser=browser, about=about):
            player = session.get_one(Seating, (asked.game.id, asked.row.seat)).player
            name, page = session.get_one(Player, player).name, post.sessions_link()
            return account_letters.render_notice(
                contexts.NoticeContext(name, event, at, describe_agent(browser), about, page)
            )
        case SignInDetail(digest=digest, mark=mark):
            name = session.get_one(Player, session.get_one(SignInLink, digest).player).name
            page = post.sign_in_link(mark, digest)
            return account_letters.render_signin(contexts.SignInContext(name, page, post.unwanted))
        case _:
            assert_never(content)


def compose_question(asked: LetterRequest, content: AskedBackDetail) -> Letter:
    """The letter that asks a player whether they mean what a mail says, before or in a game."""
    game, seat, links = asked.game, asked.row.seat, asked.links
    ticket = Ticket(game.id, seat, content.after)
    words = "; ".join(content.orders)
    linked = 0 < len(words.encode()) <= LONGEST_LINKED
    made = contexts.AskedBackContext(
        game=game.name,
        name=asked.session.get_one(Seating, (game.id, seat)).name,
        lines=content.lines,
        wish=content.wish,
        unproven=content.unproven,
        page=links.look_link(replace(ticket, words=words)) if linked else "",
        reply=links.reply_address(ticket, asked.row.id or 0),
        settings=links.settings_link(ticket),
    )
    return letter_kinds.render_asked_back(made)


def compose_lobby_letter(asked: LetterRequest, content: LobbyContent) -> Letter:
    """A letter of a game that has not begun."""
    match content:
        case LetterKind.INVITATION:
            return letter_kinds.render_invitation(build_invitation(asked))
        case LetterKind.ACCEPTED:
            awaited = names_awaited(asked.session, asked.game)
            return letter_kinds.render_accepted(build_invitation(asked), awaited)
        case LetterKind.CALLED_OFF:
            return lobby_letters.render_called_off(build_invitation(asked))
        case DeclinedDetail():
            absent = build_vacated_seat(asked.session, asked.game, content)
            return lobby_letters.render_declined(build_invitation(asked), absent)
        case ProposalDetail(note=note):
            return proposal_letter.render_proposal(build_proposal(asked, note))
        case _:
            assert_never(content)


def compose_game_letter(asked: LetterRequest, content: GameContent, made: GameLetterContext) -> Letter:
    """A letter of a game that has begun."""
    match content:
        case LetterKind.STEP | LetterKind.YOUR_TURN:
            begun = made.view.table.phase is not Phase.CARD
            return letter_kinds.render_step(made) if begun else letter_kinds.render_your_turn(made)
        case LetterKind.WELCOME:
            return letter_kinds.render_welcome(made)
        case LetterKind.REMINDER:
            return letter_kinds.render_reminder(made, asked.now)
        case LetterKind.NEWS:
            return letter_kinds.render_news(made)
        case LetterKind.DIGEST:
            new = not made.view.my_turn and _has_position_changed(asked)
            return letter_kinds.render_news(made) if new else letter_kinds.render_digest(made)
        case LetterKind.MESSAGE:
            return letter_kinds.render_message(made)
        case LetterKind.GAME_OVER:
            events = [veil_event(event, None) for _, event in asked.history.events]
            return letter_kinds.render_game_over(made, compile_statistics(events))
        case TimePassedDetail(seat=late):
            return letter_kinds.render_time_passed(made, late, _events_of_act(asked))
        case StoppedDetail(everywhere=everywhere):
            return letter_kinds.render_stopped(made, everywhere)
        case AnswerDetail() | RefusedDetail() | ShownDetail():
            return _compose_answer(asked, content, made)
        case _:
            assert_never(content)


def _compose_answer(
    asked: LetterRequest, content: AnswerDetail | RefusedDetail | ShownDetail, made: GameLetterContext
) -> Letter:
    """A letter that answers a mail."""
    sections = _requested_sections(asked, content, made)
    match content:
        case ShownDetail():
            return letter_kinds.render_shown(made, sections)
        case RefusedDetail(sentence=sentence):
            if _is_question_outdated(content, made):
                sentence += " " + gettext(
                    "The game has moved on since, so there is nothing to ask about it now."
                )
            return letter_kinds.render_refused(sentence, made, _current_question(content, made), sections)
        case AnswerDetail(why=why):
            if _is_question_outdated(content, made):
                why = gettext("%(why)s, and the game has moved on since", why=why)
            undone = tuple(
                UndoneLine(line, why if number == 0 else "") for number, line in enumerate(content.undone)
            )
            done = _events_of_act(asked) if content.done else ()
            question = _current_question(content, made)
            return letter_kinds.render_answer(made, done, undone, content.posted, question, sections)
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
    return build_sections(content.asked, made, heard, preferences, resigned=seat in history.resigned)


def _has_position_changed(asked: LetterRequest) -> bool:
    """Whether the position has changed since the last letter to the reader."""
    session, game = asked.session, asked.game
    last = last_sent_at(session, game.id, asked.row.seat)
    return last is None or datetime.fromisoformat(session.get_one(Act, (game.id, game.after)).at) > last


def _events_of_act(asked: LetterRequest) -> tuple[VisibleEvent, ...]:
    """The facts of the act that a letter is about, as its reader hears them."""
    row = asked.row
    return tuple(veil_event(event, row.seat) for seq, event in asked.history.events if seq == row.seq)
