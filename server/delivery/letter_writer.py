"""From a row of the outbox to a finished mail: what its reader may know, drawn and composed.

Letters are made from views alone, which are picked here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, col, select

from emails.i18n import say, speaking
from emails.letters import letter_kinds, proposal_letter
from emails.letters.letter_kinds import (
    Absent,
    Invitation,
    Letter,
    Message,
    Question,
    Section,
    Sheet,
    Undone,
)
from emails.letters.mime import compose, drawings
from emails.letters.sections import sections
from emails.wording.questions import decoded
from emails.wording.requests import Request
from emails.wording.statistics import record
from engine.editions import EDITIONS
from engine.events import GameStarted, TurnEnded
from engine.evolve import replay
from engine.position import Phase, Table
from engine.views import Told, told, view
from server.accounts.address_change import SECOND, purpose
from server.delivery.envelopes import envelope
from server.outbox.chat import unheard
from server.outbox.notifications import OF_NO_GAME, PASSED, SIGNING, dropped
from server.outbox.queue import last_sent, people
from server.store.context import Office
from server.store.event_log import History
from server.store.game_terms import opening
from server.store.models import (
    CANCELLED,
    PROPOSED,
    Act,
    Confirmation,
    Game,
    Outgoing,
    Player,
    Proposal,
    Seating,
    SignIn,
)
from server.store.seats import WHOEVER_JOINS


@dataclass(frozen=True, slots=True)
class Mail:
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


def write(office: Office, row: Outgoing, now: datetime) -> Mail | str:
    """The mail that a row of the outbox asks for, or the reason why it is to be dropped."""
    with office.reading() as session:
        game = session.get_one(Game, row.game)
        history = office.history(session, game)
        reader = people(session, game.id).get(row.seat)
        if reader is None or (game.status == "open" and row.seq < history.since(row.seat)):
            return PASSED  # the seat has changed hands, and this letter is not for whoever has it now
        wants = reader.wants
        with speaking(wants.tongue):
            messages, heard = unheard(session, game.id, row.seat)
            reason = dropped(session, game, row, wants, heard)
            if row.kind == "signin" and row.queued_at <= now - SIGNING:
                reason = PASSED
            if reason:
                return reason
            after = history.since(row.seat)
            if row.kind in OF_NO_GAME or game.status in ("open", CANCELLED, PROPOSED):
                letter, heard = _without_position(office, session, game, row), 0
            else:
                made = replace(sheet(office, game, history, row.seat, messages), letter=row.id or 0)
                letter = _letter(session, game, history, row, made, now)
                after = history.after
        around = envelope(office, session, game, row, after, now, history.holder(row.seat))
    pngs = drawings(letter) if wants.pictures else None
    text = "" if row.kind == "signin" else letter.text  # nobody is to find a link that signs in there
    return Mail(around.bounce, compose(letter, around, pngs), text, heard, letter.numbers)


def _without_position(office: Office, session: Session, game: Game, row: Outgoing) -> Letter:
    """A letter of a game that has not started, or of none."""
    detail: Mapping[str, object] = json.loads(row.detail)
    match row.kind:
        case "invitation":
            return letter_kinds.invitation(_invitation(office, session, game, row))
        case "accepted":
            return letter_kinds.accepted(_invitation(office, session, game, row), _awaited(session, game))
        case "called_off":
            return letter_kinds.called_off(_invitation(office, session, game, row))
        case "declined":
            return letter_kinds.declined(
                _invitation(office, session, game, row), _absent(session, game, detail)
            )
        case "proposal":
            return proposal_letter.proposal(_proposed(office, session, game, row, str(detail["note"])))
        case "confirm":
            asked = session.get_one(Confirmation, str(detail["code"]))
            name = session.get_one(Player, asked.player).name
            page, reply = office.post.confirm_links(asked.code)
            second = purpose(asked.code) == SECOND
            return letter_kinds.confirm(letter_kinds.Confirmation(name, asked.address, page, reply, second))
        case "moved":
            player = session.get_one(Seating, (game.id, row.seat)).player
            name = session.get_one(Player, player).name
            code = str(detail["code"])
            page, reply = office.post.confirm_links(code) if code else ("", "")
            return letter_kinds.moved(letter_kinds.Moved(name, str(detail["address"]), page, reply))
        case "signin":
            player = session.get_one(SignIn, str(detail["digest"])).player
            name = session.get_one(Player, player).name
            return letter_kinds.signin(letter_kinds.Link(name, office.post.signing_link(str(detail["mark"]))))
        case "stopped":
            invited = _invitation(office, session, game, row)
            return letter_kinds.stopped_before(invited, everywhere=detail["everywhere"] is True)
        case "refused":
            return letter_kinds.refused(str(detail["sentence"]))
        case _:
            raise ValueError(f"there is no letter called {row.kind} in a game that has not started")


def _letter(
    session: Session, game: Game, history: History, row: Outgoing, made: Sheet, now: datetime
) -> Letter:
    """The letter of a game that has started."""
    detail: Mapping[str, object] = json.loads(row.detail)
    match row.kind:
        case "step" | "turn":
            begun = made.view.table.phase is not Phase.CARD
            return letter_kinds.step(made) if begun else letter_kinds.your_turn(made)
        case "welcome":
            return letter_kinds.welcome(made)
        case "reminder1" | "reminder2":
            return letter_kinds.reminder(made, now)
        case "news":
            return letter_kinds.news(made)
        case "digest":
            new = not made.view.my_turn and _happened(session, game, row)
            return letter_kinds.news(made) if new else letter_kinds.digest(made)
        case "message":
            return letter_kinds.message(made)
        case "over":
            return letter_kinds.game_over(made, record([told(event, None) for _, event in history.facts]))
        case "time_passed":
            late = detail["seat"]
            assert isinstance(late, int)
            return letter_kinds.time_passed(made, late, _done(history, row))
        case "stopped":
            return letter_kinds.stopped(made, everywhere=detail["everywhere"] is True)
        case "answer":
            return _answer(session, history, row, made, detail)
        case "refused":
            sentence = str(detail["sentence"])
            if _outdated(detail, made):
                sentence += " " + say("The game has moved on since, so there is nothing to ask about it now.")
            asked = _sections(session, history, row, made, detail)
            return letter_kinds.refused(sentence, made, _question(detail, made), asked)
        case "shown":
            return letter_kinds.shown(made, _sections(session, history, row, made, detail))
        case _:
            raise ValueError(f"there is no letter called {row.kind}")


def _outdated(detail: Mapping[str, object], made: Sheet) -> bool:
    """Whether the letter was to ask a question about a position that has passed."""
    return "question" in detail and detail.get("after") != made.after


def _question(detail: Mapping[str, object], made: Sheet) -> Question | None:
    """The question of a letter, as long as the position is the one that it was asked about."""
    kept = detail.get("question")
    return decoded(kept) if isinstance(kept, dict) and not _outdated(detail, made) else None


def _sections(
    session: Session, history: History, row: Outgoing, made: Sheet, detail: Mapping[str, object]
) -> tuple[Section, ...]:
    """What the mail that a letter answers asked to see."""
    asked = detail.get("asked", [])
    assert isinstance(asked, list)
    wishes = people(session, row.game)[row.seat].wants
    heard = [told(event, row.seat) for _, event in history.facts]
    requests = [Request(kind, about) for kind, about in asked]
    return sections(requests, made, heard, wishes, resigned=row.seat in history.resigned)


def _answer(
    session: Session, history: History, row: Outgoing, made: Sheet, detail: Mapping[str, object]
) -> Letter:
    undone, posted = detail.get("undone"), detail.get("posted", [])
    assert isinstance(undone, list)
    assert isinstance(posted, list)
    why = str(detail.get("why", ""))
    if _outdated(detail, made):
        why = say("%(why)s, and the game has moved on since", why=why)
    lines = tuple(Undone(str(line), why if number == 0 else "") for number, line in enumerate(undone))
    done = _done(history, row) if detail.get("done") else ()
    asked = _sections(session, history, row, made, detail)
    return letter_kinds.answer(made, done, lines, tuple(map(str, posted)), _question(detail, made), asked)


def _happened(session: Session, game: Game, row: Outgoing) -> bool:
    """Whether the position has changed since the last letter to the reader."""
    last = last_sent(session, game.id, row.seat)
    return last is None or datetime.fromisoformat(session.get_one(Act, (game.id, game.after)).at) > last


def _done(history: History, row: Outgoing) -> tuple[Told, ...]:
    """The facts of the act that a letter is about, as its reader hears them."""
    return tuple(told(event, row.seat) for seq, event in history.facts if seq == row.seq)


def sheet(
    office: Office, game: Game, history: History, seat: int, messages: tuple[Message, ...] = ()
) -> Sheet:
    """What a seat may know of a running or finished game, and what happened since its last turn."""
    assert history.position is not None
    since, before = since_last_turn(office, game, history, seat)
    return Sheet(
        game=game.id,
        name=game.name,
        view=view(history.position, seat),
        since=since,
        before=before,
        after=history.after,
        deadline=game.deadline,
        hours=game.hours,
        post=office.post,
        messages=messages,
        holder=history.holder(seat),
    )


def since_last_turn(
    office: Office, game: Game, history: History, seat: int
) -> tuple[tuple[Told, ...], Table | None]:
    """The facts since a seat's last turn ended, as it hears them, and the table as it was then."""
    events = [event for _, event in history.facts]
    begun = 1
    for number in range(len(events) - 1, 0, -1):
        event = events[number]
        if isinstance(event, TurnEnded) and event.seat == seat:
            begun = number + 1
            break
    assert isinstance(events[0], GameStarted)
    before = replay(office.board_of(game), events[:begun]).table
    return tuple(told(event, seat) for event in events[begun:]), before


def _invitation(office: Office, session: Session, game: Game, row: Outgoing) -> Invitation:
    names = session.exec(select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat)))
    return Invitation(
        game=game.id,
        name=game.name,
        players=tuple(name or say(WHOEVER_JOINS) for name in names),
        seat=row.seat,
        edition=EDITIONS[game.edition],
        hours=game.hours,
        post=office.post,
        letter=row.id or 0,
        after=office.history(session, game).since(row.seat),
    )


def _proposed(
    office: Office, session: Session, game: Game, row: Outgoing, note: str
) -> proposal_letter.Proposal:
    wishes = proposal_letter.decoded(session.get_one(Proposal, game.id).wishes)
    page, reply = office.post.proposal_links(game.id)
    stop = office.post.stop_links(game.id, row.seat)[0]
    return proposal_letter.Proposal(wishes, game.name, note, page, reply, stop)


def _absent(session: Session, game: Game, detail: Mapping[str, object]) -> Absent:
    how = detail["how"]
    assert how == "declined" or how == "left" or how == "silent"
    return Absent(str(detail["name"]), how, bool(opening(session, game.id).joined_by))


def _awaited(session: Session, game: Game) -> tuple[str, ...]:
    """Who has not accepted yet."""
    missing = select(Seating.name).where(Seating.game == game.id, col(Seating.accepted_at).is_(None))
    names = session.exec(missing.order_by(col(Seating.seat)))
    return tuple(name or say(WHOEVER_JOINS) for name in names)
