"""The letter that a row of the outbox asks for, of each kind: what it is made from, handed to its function.

Letters are made from views alone, which are picked in this room and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, assert_never

from sqlmodel import Session

from emails.i18n import gettext
from emails.letters import account_letters, contexts, game_letters, lobby_letters, proposal_letter
from emails.letters.brief import motion_letter, seat_letters
from emails.letters.choice_lines import LONGEST_LINKED
from emails.letters.contexts import GameLetterContext, LetterSection, UndoneLine
from emails.letters.kinds import LetterKind
from emails.letters.renderer import Letter, translate_order
from emails.letters.sections import build_sections
from emails.seat_names import SeatNames
from emails.tokens import Ticket
from emails.wording.finished.review_text import tell_review
from emails.wording.finished.statistics import compile_statistics
from emails.wording.questions import OrderQuestion
from emails.wording.requests import REQUESTS_OF_PRESENCE, REQUESTS_TOLD_AS_DONE, RequestKind
from emails.wording.turn_news import names_in_turns
from engine.bots.reviews import harvests
from engine.position import Phase
from engine.views import VisibleEvent, veil_event
from server.accounts.user_agents import describe_agent
from server.delivery.letter_contexts import (
    LetterRequest,
    build_absence_note,
    build_invitation,
    build_proposal,
    build_vacated_seat,
    names_awaited,
)
from server.lobby.open_motions import hours_asked
from server.outbox.gameless_details import (
    ConfirmDetail,
    GamelessDetail,
    MoveAskedDetail,
    MovedDetail,
    NoticeDetail,
    ReplacedDetail,
    SeatClaimDetail,
    SeatRefusedDetail,
    SignInDetail,
)
from server.outbox.letter_details import (
    AbsenceDetail,
    AnswerDetail,
    AskedBackDetail,
    DeclinedDetail,
    InvitationDetail,
    MotionDetail,
    PlanPlayedDetail,
    ProposalDetail,
    RefusedDetail,
    ReminderDetail,
    SeatOfferedDetail,
    ShownDetail,
    StoppedDetail,
    TimePassedDetail,
)
from server.outbox.queue import load_people
from server.reviews.stored_reviews import load_review
from server.store.game_terms import is_return_open, may_return_at_once, rule_when_late, terms_of
from server.store.histories import list_steps, require_started
from server.store.models import AddressConfirmation, Player, Seating
from server.store.session_models import SignInLink
from server.store.states import ConfirmationPurpose

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
    | MotionDetail
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
        case ReplacedDetail(name=name, game=title, loss=loss):
            lost = contexts.ReplacedContext(name, title, loss, post.games_link())
            return account_letters.render_replaced(lost)
        case SeatRefusedDetail(name=name, why=why):
            page = post.join_link(asked.game.id)
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
        offered=may_return_at_once(asked.session, game.id, asked.history, seat),
    )
    return game_letters.render_asked_back(made)


def _lines_asked_about(content: AskedBackDetail) -> tuple[str, ...]:
    """What a mail would do, in full words; as it is written where it would do more than play and tell."""
    if not content.doubt or REQUESTS_OF_PRESENCE & {one.kind for one in content.asked}:
        return content.lines
    return (*map(translate_order, content.orders), *content.chat)


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
        case ReminderDetail(asked_by=seat):
            return game_letters.render_reminder(_foretell_lateness(asked, made), asked.now, seat)
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
            return game_letters.render_time_passed(told, late, _events_of_act(asked))
        case PlanPlayedDetail(undone=words, why=why):
            undone = tuple(UndoneLine(one, "" if number else why) for number, one in enumerate(words))
            return game_letters.render_plan_played(made, _events_of_act(asked), undone)
        case MotionDetail(motion=motion, seat=asker):
            hours = hours_asked(asked.game, require_started(asked.history), content.terms)
            return motion_letter.render_motion(made, motion, asker, hours, content.terms)
        case AbsenceDetail():
            return seat_letters.render_absence(made, asked.row.seat in asked.history.offers)
        case LetterKind.SUBSTITUTE:
            gone = require_started(asked.history).earlier_name(asked.row.seat)
            return seat_letters.render_substitute(made, gone)
        case SeatOfferedDetail(seat=seat):
            return seat_letters.render_seat_offered(made, seat, seat in asked.history.resigned)
        case StoppedDetail(everywhere=everywhere):
            return game_letters.render_stopped(made, everywhere)
        case AnswerDetail() | RefusedDetail() | ShownDetail():
            return _compose_answer(asked, content, made)
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


def _compose_answer(
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
            done = _events_of_act(asked) if content.done else ()
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
    note = build_absence_note(asked) if REQUESTS_OF_PRESENCE & {one.kind for one in content.asked} else None
    resigned = seat in history.resigned
    made = replace(made, can_return=is_return_open(asked.game, history, seat))
    undone = REQUESTS_TOLD_AS_DONE if isinstance(content, RefusedDetail) else frozenset[RequestKind]()
    shown = [one for one in content.asked if one.kind not in undone]
    return build_sections(shown, made, heard, preferences, resigned, note)


def _events_of_act(asked: LetterRequest) -> tuple[VisibleEvent, ...]:
    """The facts of the act that a letter is about, as its reader hears them."""
    row = asked.row
    return tuple(veil_event(event, row.seat) for seq, event in asked.history.events if seq == row.seq)
