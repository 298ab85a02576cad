"""From a row of the outbox to a finished mail: what its reader may know, drawn and composed.

Letters are made from views alone, which are picked here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session

from emails.i18n import gettext, use_locale
from emails.letters import contexts, letter_kinds, lobby_letters, proposal_letter
from emails.letters.contexts import (
    GameLetterContext,
    LetterSection,
    UndoneLine,
)
from emails.letters.mime import compose_mail, draw_pictures
from emails.letters.renderer import Letter
from emails.letters.sections import build_sections
from emails.wording.questions import OrderQuestion, decode_question
from emails.wording.requests import Request, RequestKind
from emails.wording.statistics import compile_statistics
from engine.position import Phase
from engine.views import VisibleEvent, veil_event
from server.accounts.address_change import SECOND_PREFIX, purpose_of
from server.delivery.envelopes import build_envelope
from server.delivery.letter_contexts import (
    build_game_letter_context,
    build_invitation,
    build_proposal,
    build_vacated_seat,
    names_awaited,
)
from server.outbox.chat import unread_chat
from server.outbox.notifications import GAMELESS_KINDS, OUTDATED, SIGN_IN_LINK_VALID, reason_to_drop
from server.outbox.queue import last_sent_at, load_people
from server.store.context import Context
from server.store.histories import History, require_started
from server.store.models import (
    Act,
    AddressConfirmation,
    Game,
    OutgoingLetter,
    Player,
    Seating,
    SignInLink,
)
from server.store.states import GameStatus


@dataclass(frozen=True, slots=True)
class FinishedLetter:
    """A finished mail."""

    sender: str
    """Of the envelope."""
    raw: bytes
    text: str
    """Its plain part, kept so that answers to it can be told from what they quote."""
    heard: int
    """The number of the last message in it; 0 where there is none."""
    numbers: Mapping[str, str]
    """What each number in it stands for, as `Letter` has it."""


def write_letter(context: Context, row: OutgoingLetter, now: datetime) -> FinishedLetter | str:
    """The mail that a row of the outbox asks for, or the reason why it is to be dropped."""
    with context.reading() as session:
        game = session.get_one(Game, row.game)
        history = context.history_of(session, game)
        reader = load_people(session, game.id).get(row.seat)
        if reader is None or (game.status == GameStatus.OPEN and row.seq < history.player_since(row.seat)):
            return OUTDATED  # the seat has changed hands, and this letter is not for whoever has it now
        wants = reader.preferences
        with use_locale(wants.locale):
            messages, heard = unread_chat(session, game.id, row.seat)
            reason = reason_to_drop(session, game, row, wants, heard)
            if row.kind == "signin" and row.queued_at <= now - SIGN_IN_LINK_VALID:
                reason = OUTDATED
            if reason:
                return reason
            after = history.player_since(row.seat)
            if row.kind in GAMELESS_KINDS or not game.status.has_begun:
                letter, heard = _compose_without_position(context, session, game, row), 0
            else:
                made = replace(
                    build_game_letter_context(context, game, require_started(history), row.seat, messages),
                    letter=row.id or 0,
                )
                letter = _compose_letter(session, game, history, row, made, now)
                after = history.after
        around = build_envelope(context, session, game, row, after, now, history.holder_code(row.seat))
    pngs = draw_pictures(letter) if wants.pictures else None
    text = "" if row.kind == "signin" else letter.text  # nobody is to find a link that signs in there
    return FinishedLetter(around.bounce, compose_mail(letter, around, pngs), text, heard, letter.numbers)


def _compose_without_position(context: Context, session: Session, game: Game, row: OutgoingLetter) -> Letter:
    """A letter of a game that has not started, or of none."""
    detail: Mapping[str, object] = json.loads(row.detail)
    match row.kind:
        case "invitation":
            return letter_kinds.render_invitation(build_invitation(context, session, game, row))
        case "accepted":
            return letter_kinds.render_accepted(
                build_invitation(context, session, game, row), names_awaited(session, game)
            )
        case "called_off":
            return lobby_letters.render_called_off(build_invitation(context, session, game, row))
        case "declined":
            return lobby_letters.render_declined(
                build_invitation(context, session, game, row), build_vacated_seat(session, game, detail)
            )
        case "proposal":
            return proposal_letter.render_proposal(
                build_proposal(context, session, game, row, str(detail["note"]))
            )
        case "confirm":
            asked = session.get_one(AddressConfirmation, str(detail["code"]))
            name = session.get_one(Player, asked.player).name
            page, reply = context.post.confirm_links(asked.code)
            second = purpose_of(asked.code) == SECOND_PREFIX
            return letter_kinds.render_confirm(
                contexts.ConfirmationContext(name, asked.address, page, reply, second)
            )
        case "moved":
            player = session.get_one(Seating, (game.id, row.seat)).player
            name = session.get_one(Player, player).name
            code = str(detail["code"])
            page, reply = context.post.confirm_links(code) if code else ("", "")
            return letter_kinds.render_moved(
                contexts.AddressChangeContext(name, str(detail["address"]), page, reply)
            )
        case "signin":
            player = session.get_one(SignInLink, str(detail["digest"])).player
            name = session.get_one(Player, player).name
            return letter_kinds.render_signin(
                contexts.SignInContext(name, context.post.sign_in_link(str(detail["mark"])))
            )
        case "stopped":
            invited = build_invitation(context, session, game, row)
            return letter_kinds.render_stopped_before_start(invited, everywhere=detail["everywhere"] is True)
        case "refused":
            return letter_kinds.render_refused(str(detail["sentence"]))
        case _:
            raise ValueError(f"there is no letter called {row.kind} in a game that has not started")


def _compose_letter(
    session: Session,
    game: Game,
    history: History,
    row: OutgoingLetter,
    made: GameLetterContext,
    now: datetime,
) -> Letter:
    """The letter of a game that has started."""
    detail: Mapping[str, object] = json.loads(row.detail)
    match row.kind:
        case "step" | "turn":
            begun = made.view.table.phase is not Phase.CARD
            return letter_kinds.render_step(made) if begun else letter_kinds.render_your_turn(made)
        case "welcome":
            return letter_kinds.render_welcome(made)
        case "reminder1" | "reminder2":
            return letter_kinds.render_reminder(made, now)
        case "news":
            return letter_kinds.render_news(made)
        case "digest":
            new = not made.view.my_turn and _has_position_changed(session, game, row)
            return letter_kinds.render_news(made) if new else letter_kinds.render_digest(made)
        case "message":
            return letter_kinds.render_message(made)
        case "over":
            return letter_kinds.render_game_over(
                made, compile_statistics([veil_event(event, None) for _, event in history.events])
            )
        case "time_passed":
            late = detail["seat"]
            assert isinstance(late, int)
            return letter_kinds.render_time_passed(made, late, _events_of_act(history, row))
        case "stopped":
            return letter_kinds.render_stopped(made, everywhere=detail["everywhere"] is True)
        case "answer":
            return _compose_answer(session, history, row, made, detail)
        case "refused":
            sentence = str(detail["sentence"])
            if _is_question_outdated(detail, made):
                sentence += " " + gettext(
                    "The game has moved on since, so there is nothing to ask about it now."
                )
            asked = _requested_sections(session, history, row, made, detail)
            return letter_kinds.render_refused(sentence, made, _current_question(detail, made), asked)
        case "shown":
            return letter_kinds.render_shown(made, _requested_sections(session, history, row, made, detail))
        case _:
            raise ValueError(f"there is no letter called {row.kind}")


def _is_question_outdated(detail: Mapping[str, object], made: GameLetterContext) -> bool:
    """Whether the letter was to ask a question about a position that has passed."""
    return "question" in detail and detail.get("after") != made.after


def _current_question(detail: Mapping[str, object], made: GameLetterContext) -> OrderQuestion | None:
    """The question of a letter, as long as the position is the one that it was asked about."""
    kept = detail.get("question")
    return (
        decode_question(kept) if isinstance(kept, dict) and not _is_question_outdated(detail, made) else None
    )


def _requested_sections(
    session: Session,
    history: History,
    row: OutgoingLetter,
    made: GameLetterContext,
    detail: Mapping[str, object],
) -> tuple[LetterSection, ...]:
    """What the mail that a letter answers asked to see."""
    asked = detail.get("asked", [])
    assert isinstance(asked, list)
    wishes = load_people(session, row.game)[row.seat].preferences
    heard = [veil_event(event, row.seat) for _, event in history.events]
    requests = [Request(RequestKind(kind), about) for kind, about in asked]
    return build_sections(requests, made, heard, wishes, resigned=row.seat in history.resigned)


def _compose_answer(
    session: Session,
    history: History,
    row: OutgoingLetter,
    made: GameLetterContext,
    detail: Mapping[str, object],
) -> Letter:
    undone, posted = detail.get("undone"), detail.get("posted", [])
    assert isinstance(undone, list)
    assert isinstance(posted, list)
    why = str(detail.get("why", ""))
    if _is_question_outdated(detail, made):
        why = gettext("%(why)s, and the game has moved on since", why=why)
    lines = tuple(UndoneLine(str(line), why if number == 0 else "") for number, line in enumerate(undone))
    done = _events_of_act(history, row) if detail.get("done") else ()
    asked = _requested_sections(session, history, row, made, detail)
    return letter_kinds.render_answer(
        made, done, lines, tuple(map(str, posted)), _current_question(detail, made), asked
    )


def _has_position_changed(session: Session, game: Game, row: OutgoingLetter) -> bool:
    """Whether the position has changed since the last letter to the reader."""
    last = last_sent_at(session, game.id, row.seat)
    return last is None or datetime.fromisoformat(session.get_one(Act, (game.id, game.after)).at) > last


def _events_of_act(history: History, row: OutgoingLetter) -> tuple[VisibleEvent, ...]:
    """The facts of the act that a letter is about, as its reader hears them."""
    return tuple(veil_event(event, row.seat) for seq, event in history.events if seq == row.seq)
