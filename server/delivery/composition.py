"""The letter that a row of the outbox asks for, of each kind: what it is made from, handed to its function.

Letters are made from views alone, which are picked in this room and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, assert_never

from sqlmodel import Session

from emails.i18n import gettext
from emails.letters import (
    account_letters,
    brief_letters,
    contexts,
    game_letters,
    lobby_letters,
    proposal_letter,
)
from emails.letters.contexts import GameLetterContext, UndoneLine
from emails.letters.kinds import LetterKind
from emails.letters.renderer import Letter
from emails.seat_names import SeatNames
from emails.wording.finished.review_text import tell_review
from emails.wording.finished.statistics import compile_statistics
from emails.wording.turn_news import names_in_turns
from engine.bots.reviews import harvests
from engine.position import Phase
from engine.views import veil_event
from server.accounts.sign_in import describe_agent
from server.delivery.answer_composition import compose_answer, events_of_act
from server.delivery.letter_contexts import (
    LetterRequest,
    build_invitation,
    build_proposal,
    build_vacated_seat,
    names_awaited,
)
from server.outbox.letter_details import (
    AbsenceDetail,
    AnswerDetail,
    ConfirmDetail,
    DeclinedDetail,
    GamelessDetail,
    InvitationDetail,
    MoveAskedDetail,
    MovedDetail,
    NoticeDetail,
    PlanPlayedDetail,
    ProposalDetail,
    RefusedDetail,
    ReminderDetail,
    ReplacedDetail,
    SeatClaimDetail,
    SeatOfferedDetail,
    SeatRefusedDetail,
    ShownDetail,
    SignInDetail,
    StoppedDetail,
    TimePassedDetail,
    VoteDetail,
)
from server.reviews.stored_reviews import load_review
from server.store.game_terms import rule_when_late, terms_of
from server.store.histories import list_steps, require_started
from server.store.models import AddressConfirmation, Player, Seating
from server.store.session_models import SignInLink
from server.store.states import GameStatus

LobbyContent = (
    Literal[LetterKind.ACCEPTED, LetterKind.CALLED_OFF] | InvitationDetail | DeclinedDetail | ProposalDetail
)
GameContent = (
    Literal[
        LetterKind.WELCOME,
        LetterKind.YOUR_TURN,
        LetterKind.STEP,
        LetterKind.NEWS,
        LetterKind.MESSAGE,
        LetterKind.DIGEST,
        LetterKind.SUBSTITUTE,
        LetterKind.GAME_OVER,
    ]
    | TimePassedDetail
    | PlanPlayedDetail
    | VoteDetail
    | AbsenceDetail
    | ReminderDetail
    | SeatOfferedDetail
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
            return account_letters.render_confirm(
                contexts.ConfirmationContext(name, known.address, page, reply, known.due_at, post.unwanted)
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
        case ReplacedDetail(name=name, game=title, loss=loss):
            lost = contexts.ReplacedContext(name, title, loss, post.games_link())
            return account_letters.render_replaced(lost)
        case SeatRefusedDetail(name=name, why=why):
            page = post.join_link(asked.game.id)
            if not why and asked.game.status == GameStatus.CANCELLED:
                why = gettext("The game was called off") + "."
            why = why or gettext("All seats of this game are taken.")
            refused = contexts.SeatRefusedContext(name, why, page, post.unwanted)
            return account_letters.render_seat_refused(refused)
        case SignInDetail(digest=digest, mark=mark):
            name, page = _name_behind_link(session, digest), post.sign_in_link(mark, digest)
            return account_letters.render_signin(contexts.SignInContext(name, page, post.unwanted))
        case SeatClaimDetail(digest=digest, mark=mark, taker=taker):
            name, page = _name_behind_link(session, digest), post.sign_in_link(mark, digest)
            reply, game = post.claim_address(asked.game.id, taker), asked.game.name
            claim = contexts.SeatClaimContext(name, page, game, reply, post.unwanted)
            return account_letters.render_seat_claim(claim)
        case _:
            assert_never(content)


def _name_behind_link(session: Session, digest: str) -> str:
    """The name of the player whom a link signs in."""
    return session.get_one(Player, session.get_one(SignInLink, digest).player).name


def compose_lobby_letter(asked: LetterRequest, content: LobbyContent) -> Letter:
    """A letter of a game that has not begun."""
    match content:
        case InvitationDetail(note=note):
            return lobby_letters.render_invitation(build_invitation(asked, note))
        case LetterKind.ACCEPTED:
            awaited = names_awaited(asked.session, asked.game)
            return lobby_letters.render_accepted(build_invitation(asked), awaited)
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
            return game_letters.render_step(made) if begun else game_letters.render_your_turn(made)
        case LetterKind.WELCOME:
            return game_letters.render_welcome(made)
        case ReminderDetail(asked_by=seat, home=home):
            return game_letters.render_reminder(_foretell_lateness(asked, made), asked.now, seat, home=home)
        case LetterKind.NEWS:
            return game_letters.render_news(made)
        case LetterKind.DIGEST:
            new = not made.view.my_turn and made.changed
            return game_letters.render_news(made) if new else game_letters.render_digest(made)
        case LetterKind.MESSAGE:
            return game_letters.render_message(made)
        case LetterKind.GAME_OVER:
            events = [veil_event(event, None) for _, event in asked.history.events]
            names = names_in_turns(events, made.seat_names)
            reviewed = _review_lines(asked, made, names)
            return game_letters.render_game_over(made, compile_statistics(events), reviewed, names)
        case TimePassedDetail(seat=late):
            told = _foretell_lateness(asked, made) if late == asked.row.seat else made
            return game_letters.render_time_passed(told, late, events_of_act(asked))
        case PlanPlayedDetail(undone=words, why=why):
            undone = tuple(UndoneLine(one, "" if number else why) for number, one in enumerate(words))
            return game_letters.render_plan_played(made, events_of_act(asked), undone)
        case VoteDetail(vote=vote, seat=asker, done=done, until=until):
            return brief_letters.render_vote(made, vote, asker, done=done, until=until)
        case AbsenceDetail():
            return brief_letters.render_absence(made)
        case LetterKind.SUBSTITUTE:
            gone = require_started(asked.history).earlier_name(asked.row.seat)
            return brief_letters.render_substitute(made, gone)
        case SeatOfferedDetail(seat=seat):
            return brief_letters.render_seat_offered(made, seat, seat in asked.history.resigned)
        case StoppedDetail(everywhere=everywhere):
            return brief_letters.render_stopped(made, everywhere)
        case AnswerDetail() | RefusedDetail() | ShownDetail():
            return compose_answer(asked, content, made)
        case _:
            assert_never(content)


def _foretell_lateness(asked: LetterRequest, made: GameLetterContext) -> GameLetterContext:
    """The same with what becomes of the reader's seat when their time is up once more."""
    rule = terms_of(asked.session, asked.game.id).absence
    return replace(made, when_late=rule_when_late(rule, asked.history, asked.row.seat))


def _review_lines(
    asked: LetterRequest, made: GameLetterContext, turn_names: Sequence[SeatNames]
) -> list[str]:
    """What a letter tells of the review of its game, in the language spoken; nothing where there is none."""
    history = require_started(asked.history)
    review = load_review(asked.context, asked.session, asked.game.id, history.position)
    found = list(harvests(list_steps(history)))
    return [] if review is None else tell_review(review, found, made.view, turn_names)
