"""Composition of a mail from a row of the outbox: contents visible to its recipient, headers and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import Literal, assert_never

from sqlmodel import Session, col, select

from emails.i18n import gettext, use_locale
from emails.letters import account_letters, game_letters, lobby_letters
from emails.letters.contexts import (
    AskedBackContext,
    GameLetterContext,
    InvitationContext,
    LetterSection,
    UndoneLine,
    UnreadChat,
)
from emails.letters.kinds import LetterKind, SeatLoss
from emails.letters.parts import LONGEST_LINKED, stranger_subject
from emails.letters.renderer import (
    MOST_REFERENCES,
    Envelope,
    Letter,
    compose_mail,
    draw_pictures,
    make_thread_id,
    translate_order,
)
from emails.letters.sections import build_sections
from emails.names import SeatNames
from emails.tokens import LinkBuilder, Ticket, mask_tokens
from emails.wording import phrases
from emails.wording.absences import AbsenceNote, DaysAway, describe_away, describe_own_absence
from emails.wording.narration import names_in_turns
from emails.wording.questions import OrderQuestion
from emails.wording.requests import REQUESTS_OF_PRESENCE, REQUESTS_SHOWN_DONE, RequestKind
from emails.wording.review_text import compile_statistics, summarize_review
from engine.bots.advice import Suggestion
from engine.bots.reviews import harvests
from engine.editions import EDITIONS
from engine.events import TurnEnded
from engine.evolve import replay
from engine.position import Phase, Table, VisibleEvent, veil_event, view
from engine.seal import begin_chain
from server.accounts.sign_in import describe_agent
from server.accounts.vacations import away_until, local_today
from server.mail_addresses import digest_address
from server.outbox.chat import unread_chat
from server.outbox.letter_kinds import (
    ANSWER_KINDS,
    FIRST_KINDS,
    GAMELESS_KINDS,
    KINDS_SHOWING_GAME,
    AbsenceDetail,
    AnswerDetail,
    AskedBackDetail,
    ConfirmDetail,
    DeclinedDetail,
    GamelessDetail,
    InvitationDetail,
    LetterContent,
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
    decode_content,
)
from server.outbox.notifications import DropReason, load_situation, reason_to_drop
from server.outbox.preferences import DEFAULTS, Preferences, load_preferences
from server.outbox.queue import has_changed_since_letter, load_people, read_sent_letter
from server.reviews import load_review
from server.store.context import Context, act_tag_of
from server.store.event_log import (
    History,
    StartedHistory,
    list_steps,
    load_acts,
    logged_facts,
    require_started,
)
from server.store.game_terms import (
    OPEN_SEAT_NAME,
    find_pause_end,
    is_return_open,
    organiser_seat,
    rule_when_late,
    terms_of,
)
from server.store.models import (
    AddressConfirmation,
    Game,
    OutgoingLetter,
    Player,
    Proposal,
    Seating,
    SignInLink,
)
from server.store.schedule import read_moment
from server.store.states import GameStatus, LetterState, MomentName
from server.store.stored_availability import load_availability
from server.store.turn_clock import find_deadline, find_reserve, find_turn_start, shown_deadline, turn_time_of
from server.time_control.availability import days_home, list_days_away, night_of
from server.turns.dry_run import load_draft
from server.turns.next_turns import AskingSeat, foresee_turn
from server.turns.plans import load_plan
from server.turns.turn_advice import suggest


def tell_head(context: Context, session: Session, game: Game) -> str:
    """Return the head of a game's committed log; empty if the game has no proof key or no acts."""
    if not game.proof_key:
        return ""
    seq, link = context.chains.get(game.id) or (0, begin_chain(game.id))
    if seq > game.seq:  # the game was set back
        seq, link = 0, begin_chain(game.id)
    for row, _ in load_acts(session, game.id, seq) if seq < game.seq else ():
        seq, link = row.seq, link.extend(logged_facts(row))
    context.chains.put(game.id, (seq, link))
    return link.head(game.proof_key) if link.lines else ""


@dataclass(frozen=True, slots=True)
class LetterRequest:
    """A row of the outbox that is being rendered as a letter, with all data for this."""

    context: Context
    session: Session
    game: Game
    history: History
    row: OutgoingLetter
    links: LinkBuilder
    now: datetime
    preferences: Preferences = DEFAULTS

    @property
    def answered(self) -> str:
        return read_sent_letter(self.row.detail).answered


def build_game_letter_context(
    asked: LetterRequest, history: StartedHistory, messages: tuple[UnreadChat, ...] = ()
) -> GameLetterContext:
    """Return the context of a letter about a started game, as visible to its seat."""
    game, seat = asked.game, asked.row.seat
    deadline = _shown_deadline(asked)
    since, before = events_since_last_turn(asked.context, game, history, seat)
    return GameLetterContext(
        game=game.id,
        name=game.name,
        view=view(history.position, seat),
        since=since,
        before=before,
        after=history.after,
        deadline=deadline,
        turn_since=find_turn_start(asked.session, game, history),
        pause_ends=find_pause_end(game, history),
        stands_still=read_moment(asked.session, MomentName.MAILBOX_AWAY) is not None,
        turn_time=turn_time_of(game),
        reserve=find_reserve(asked.session, game, deadline, asked.now) if seat == game.seat else None,
        links=asked.links,
        messages=messages,
        letter=asked.row.id or 0,
        now=asked.now,
        answered=asked.answered,
        changed=has_changed_since_letter(asked.context, asked.session, game, seat),
        suggestions=_suggestions(asked),
        absence=tell_mover_away(asked.session, game, seat, asked.now),
        draft=load_draft(asked.session, game, seat),
        plan=load_plan(asked.session, game, history, seat),
        everything=asked.preferences.everything,
        one_conversation=asked.preferences.one_conversation,
        bots=_house_names(asked, history.position.table),
        next_turn=foresee_turn(asked.session, AskingSeat(game, history, seat), asked.now),
        holder=history.holder_code(seat),
        head=tell_head(asked.context, asked.session, game),
        seat_names=history.list_seat_names(seat),
    )


def _shown_deadline(asked: LetterRequest) -> datetime | None:
    """Return the deadline: exact for the player to move, as shown on pages for other seats."""
    if asked.row.seat == asked.game.seat:  # a turn's clock starts when its letter is sent
        return find_deadline(asked.session, asked.game, asked.now, begins=asked.now)
    return shown_deadline(asked.session, asked.game, asked.now)


def tell_mover_away(session: Session, game: Game, seat: int, now: datetime) -> str:
    """Return a sentence for a waiting seat that the player to move is away; empty if the player is not."""
    if game.status != GameStatus.RUNNING or game.seat is None or game.seat == seat:
        return ""
    mover = session.get_one(Seating, (game.id, game.seat))
    last = away_until(session, mover.player, game.id, now)
    if last is None or mover.player is None:
        return ""
    return describe_away(phrases.safe_name(mover.name), last, local_today(session, mover.player, now))


def tell_player_away(session: Session, player: int | None, game: str | None, now: datetime) -> str:
    """Return a sentence for an absent player, about one game or (None) all; empty if the player is there."""
    return describe_own_absence(away_until(session, player, game, now))


def _suggestions(asked: LetterRequest) -> tuple[Suggestion, ...]:
    is_their_turn = asked.game.seat == asked.row.seat
    if not is_their_turn or asked.row.kind not in KINDS_SHOWING_GAME or not asked.preferences.suggestions:
        return ()
    return suggest(asked.context, asked.session, asked.game, asked.history, asked.row.seat)


def _house_names(asked: LetterRequest, table: Table) -> tuple[str, ...]:
    row, session = asked.row, asked.session
    is_first_round = row.kind in FIRST_KINDS and table.turn <= len(table.names)
    if not is_first_round and row.kind != LetterKind.SUBSTITUTE:
        return ()
    welcomed = select(OutgoingLetter.id).where(
        OutgoingLetter.game == row.game,
        OutgoingLetter.seat == row.seat,
        col(OutgoingLetter.kind).in_(FIRST_KINDS),
        OutgoingLetter.state == LetterState.SENT,
    )
    if is_first_round and session.exec(welcomed).first() is not None:
        return ()
    names = select(Seating.name).where(Seating.game == row.game, col(Seating.house))
    return tuple(session.exec(names.order_by(col(Seating.seat))))


def events_since_last_turn(
    context: Context, game: Game, history: History, seat: int
) -> tuple[tuple[VisibleEvent, ...], Table | None]:
    """Return the events since a seat's last turn, as visible to the seat, and the table before them."""
    events = [event for _, event in history.events]
    begun = 1
    for number in range(len(events) - 1, 0, -1):
        event = events[number]
        if isinstance(event, TurnEnded) and event.seat == seat:
            begun = number + 1
            break
    before = replay(context.board_of(game), events[:begun]).table
    return tuple(veil_event(event, seat) for event in events[begun:]), before


def build_absence_note(asked: LetterRequest) -> AbsenceNote | None:
    """Return the recipient's days away as they apply to the game; None for a vacant seat."""
    session, game, now = asked.session, asked.game.id, asked.now
    player = session.get_one(Seating, (game, asked.row.seat)).player
    if player is None:
        return None
    today = local_today(session, player, now)
    availability = load_availability(session, player, game)
    home, rest = set(days_home(availability)), load_availability(session, player)
    days = tuple(
        DaysAway(first, last, after if (after := last + timedelta(days=1)) in home else None)
        for first, last in list_days_away(availability)
        if last >= today
    )
    return AbsenceNote(today, rest.zone, days, rest.sleep, night_of(rest).sleep, tuple(sorted(rest.days_off)))


def build_invitation(asked: LetterRequest, note: str = "") -> InvitationContext:
    session, game, row = asked.session, asked.game, asked.row
    seats = session.exec(select(Seating).where(Seating.game == game.id).order_by(col(Seating.seat))).all()
    organiser = organiser_seat(session, game.id, asked.history)
    tenure = asked.history.seat_tenures.get(row.seat)
    asker = None if organiser == row.seat or (tenure is not None and tenure.joined) else organiser
    return InvitationContext(
        game=game.id,
        name=game.name,
        players=tuple(one.name or gettext(OPEN_SEAT_NAME) for one in seats),
        seat=row.seat,
        edition=EDITIONS[game.edition],
        turn_time=turn_time_of(game),
        links=asked.links,
        board=asked.context.board_of(game),
        letter=row.id or 0,
        after=asked.history.player_since(row.seat),
        asker="" if asker is None else seats[asker].name,
        note=note,
        bots=sum(one.house for one in seats),
        free=frozenset(one.seat for one in seats if not one.name),
    )


def build_proposal(asked: LetterRequest, note: str) -> lobby_letters.ProposalContext:
    session, game, row = asked.session, asked.game, asked.row
    request = lobby_letters.game_request_from_json(session.get_one(Proposal, game.id).request)
    page, reply = asked.links.proposal_links(game.id)
    stop = asked.links.unsubscribe_links(game.id, row.seat)[0]
    unwanted = asked.links.unwanted
    return lobby_letters.ProposalContext(request, game.name, note, page, reply, stop, unwanted)


def names_awaited(session: Session, game: Game) -> tuple[str, ...]:
    missing = select(Seating.name).where(Seating.game == game.id, col(Seating.accepted_at).is_(None))
    names = session.exec(missing.order_by(col(Seating.seat)))
    return tuple(name or gettext(OPEN_SEAT_NAME) for name in names)


def compose_question(asked: LetterRequest, content: AskedBackDetail) -> Letter:
    game, seat, links = asked.game, asked.row.seat, asked.links
    ticket = Ticket(game.id, seat, content.after)
    words = "; ".join(content.orders)
    linked = 0 < len(words.encode()) <= LONGEST_LINKED
    made = AskedBackContext(
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
    if not content.doubt or REQUESTS_OF_PRESENCE & {one.kind for one in content.asked}:
        return content.lines
    return (*map(translate_order, content.orders), *content.chat)


def compose_answer(
    asked: LetterRequest, content: AnswerDetail | RefusedDetail | ShownDetail, made: GameLetterContext
) -> Letter:
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
    return content.question is not None and content.after != made.after


def _current_question(content: AnswerDetail | RefusedDetail, made: GameLetterContext) -> OrderQuestion | None:
    return None if _is_question_outdated(content, made) else content.question


def _requested_sections(
    asked: LetterRequest, content: AnswerDetail | RefusedDetail | ShownDetail, made: GameLetterContext
) -> tuple[LetterSection, ...]:
    seat, history = asked.row.seat, asked.history
    preferences = load_people(asked.session, asked.game.id)[seat].preferences
    heard = [veil_event(event, seat) for _, event in history.events]
    told = REQUESTS_OF_PRESENCE | {RequestKind.REST}
    note = build_absence_note(asked) if told & {one.kind for one in content.asked} else None
    resigned = seat in history.resigned
    made = replace(made, can_return=is_return_open(asked.game, history, seat))
    undone = REQUESTS_SHOWN_DONE if isinstance(content, RefusedDetail) else frozenset[RequestKind]()
    shown = [one for one in content.asked if one.kind not in undone]
    return build_sections(shown, made, heard, preferences, resigned, note)


def events_of_act(asked: LetterRequest) -> tuple[VisibleEvent, ...]:
    row = asked.row
    return tuple(veil_event(event, row.seat) for seq, event in asked.history.events if seq == row.seq)


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
    session, post = asked.session, asked.links
    match content:
        case ConfirmDetail(digest=digest, mark=mark):
            known = session.get_one(AddressConfirmation, digest)
            name = session.get_one(Player, known.player).name
            page, reply = post.confirm_links(mark, digest)
            return account_letters.render_confirm(
                name, known.address, page, reply, known.due_at, post.unwanted
            )
        case MoveAskedDetail(digest=digest, mark=mark, browser=browser):
            known = session.get_one(AddressConfirmation, digest)
            name = session.get_one(Player, known.player).name
            page, reply = post.confirm_links(mark, digest)
            return account_letters.render_move_asked(
                name, known.address, page, reply, known.due_at, known.at, describe_agent(browser)
            )
        case MovedDetail(address=address, digest=digest, mark=mark):
            player = session.get_one(Seating, (asked.game.id, asked.row.seat)).player
            name = session.get_one(Player, player).name
            page, reply = post.confirm_links(mark, digest) if mark else ("", "")
            return account_letters.render_moved(name, address, page, reply)
        case NoticeDetail(event=event, at=at, browser=browser, about=about):
            player = session.get_one(Seating, (asked.game.id, asked.row.seat)).player
            name, page = session.get_one(Player, player).name, post.sessions_link()
            return account_letters.render_notice(name, event, at, describe_agent(browser), about, page)
        case ReplacedDetail(name=name, game=title, loss=loss):
            return account_letters.render_replaced(name, title, loss, post.games_link())
        case SeatRefusedDetail(name=name, why=why):
            page = post.join_link(asked.game.id)
            if not why and asked.game.status == GameStatus.CANCELLED:
                why = gettext("The game was called off") + "."
            why = why or gettext("All seats of this game are taken.")
            return account_letters.render_seat_refused(name, why, page, post.unwanted)
        case SignInDetail(digest=digest, mark=mark):
            name, page = _name_behind_link(session, digest), post.sign_in_link(mark, digest)
            return account_letters.render_signin(name, page, post.unwanted)
        case SeatClaimDetail(digest=digest, mark=mark, taker=taker):
            name, page = _name_behind_link(session, digest), post.sign_in_link(mark, digest)
            reply, game = post.claim_address(asked.game.id, taker), asked.game.name
            return account_letters.render_seat_claim(name, page, game, reply, post.unwanted)
        case _:
            assert_never(content)


def _name_behind_link(session: Session, digest: str) -> str:
    return session.get_one(Player, session.get_one(SignInLink, digest).player).name


def compose_lobby_letter(asked: LetterRequest, content: LobbyContent) -> Letter:
    match content:
        case InvitationDetail(note=note):
            return lobby_letters.render_invitation(build_invitation(asked, note))
        case LetterKind.ACCEPTED:
            awaited = names_awaited(asked.session, asked.game)
            return lobby_letters.render_accepted(build_invitation(asked), awaited)
        case LetterKind.CALLED_OFF:
            return lobby_letters.render_called_off(build_invitation(asked))
        case DeclinedDetail(name=name, how=how):
            joined = bool(terms_of(asked.session, asked.game.id).joined_by)
            return lobby_letters.render_declined(build_invitation(asked), name, how, joined=joined)
        case ProposalDetail(note=note):
            return lobby_letters.render_proposal(build_proposal(asked, note))
        case _:
            assert_never(content)


def compose_game_letter(asked: LetterRequest, content: GameContent, made: GameLetterContext) -> Letter:
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
            return game_letters.render_vote(made, vote, asker, done=done, until=until)
        case AbsenceDetail():
            return game_letters.render_absence(made)
        case LetterKind.SUBSTITUTE:
            gone = require_started(asked.history).earlier_name(asked.row.seat)
            return game_letters.render_substitute(made, gone)
        case SeatOfferedDetail(seat=seat):
            return game_letters.render_seat_offered(made, seat, seat in asked.history.resigned)
        case StoppedDetail(everywhere=everywhere):
            return game_letters.render_stopped(made, everywhere)
        case AnswerDetail() | RefusedDetail() | ShownDetail():
            return compose_answer(asked, content, made)
        case _:
            assert_never(content)


def _foretell_lateness(asked: LetterRequest, made: GameLetterContext) -> GameLetterContext:
    rule = terms_of(asked.session, asked.game.id).absence
    return replace(made, when_late=rule_when_late(rule, asked.history, asked.row.seat))


def _review_lines(
    asked: LetterRequest, made: GameLetterContext, turn_names: Sequence[SeatNames]
) -> list[str]:
    history = require_started(asked.history)
    review = load_review(asked.context, asked.session, asked.game.id, history.position)
    found = list(harvests(list_steps(history)))
    return [] if review is None else summarize_review(review, found, made.view, turn_names)


def build_envelope(asked: LetterRequest, content: LetterContent, after: int) -> Envelope:
    """Return the envelope and headers of a letter about the position after act `after`.

    A refusal has no envelope sender, so that it never bounces. A letter without a game has no address or link
    of a game.
    """
    settings, links, game, row = asked.context.settings, asked.links, asked.game, asked.row
    about = Envelope(
        sender=settings.mail_from,
        bounce="" if row.kind == LetterKind.REFUSED else links.bounce_address(row.id or 0),
        recipient=row.recipient,
        reply_to=links.reply_address(Ticket(game.id, row.seat, after), row.id or 0),
        message_id=row.message_id,
        root=make_thread_id(game.id, settings.mail_domain),
        answers=row.answers,
        list_id=f"{game.id}.{settings.mail_domain}",
        unsubscribe=links.unsubscribe_links(game.id, asked.history.holder_code(row.seat)),
        replied=row.answers is not None or row.kind in ANSWER_KINDS,
        date=asked.now,
        earlier=_earlier_message_ids(asked.session, row),
    )
    if row.kind == LetterKind.PROPOSAL:  # perhaps not requested by its recipient, so it must not bounce
        return replace(about, bounce="", reply_to=links.proposal_links(game.id)[1])
    if row.kind not in GAMELESS_KINDS:
        return about
    answers = parseaddr(settings.mail_from)[1]
    if isinstance(content, ConfirmDetail | MoveAskedDetail | MovedDetail) and content.mark:
        answers = links.confirm_links(content.mark, content.digest)[1]
    if isinstance(content, SeatClaimDetail):
        answers = links.claim_address(game.id, content.taker)
    if isinstance(content, ReplacedDetail) and content.loss is not SeatLoss.LATE:
        earlier = replace(links, generation=links.generation - 1)  # before the new player got the seat
        answers = earlier.reply_address(Ticket(game.id, row.seat, after), row.id or 0)
    return replace(about, reply_to=answers, root="", list_id="", unsubscribe=(), earlier=())


def _earlier_message_ids(session: Session, row: OutgoingLetter) -> tuple[str, ...]:
    sent = select(OutgoingLetter.message_id).where(
        OutgoingLetter.game == row.game,
        OutgoingLetter.seat == row.seat,
        OutgoingLetter.state == LetterState.SENT,
    )
    last = (
        sent.where(col(OutgoingLetter.kind).not_in(GAMELESS_KINDS))
        .order_by(col(OutgoingLetter.id).desc())
        .limit(MOST_REFERENCES)
    )
    return tuple(reversed(session.exec(last).all()))


@dataclass(frozen=True, slots=True)
class FinishedLetter:
    sender: str
    """Envelope sender; empty for letters that must not bounce."""
    raw: bytes
    text: str
    """Plain text without tokens, stored so that quotations of the letter can be recognised."""
    heard: int
    """Number of the last chat message in the letter; 0 without messages."""
    choices: Mapping[str, str]
    subject: str


class LetterNotWanted(Exception):
    """The letter must be dropped, for `reason`."""

    def __init__(self, reason: DropReason) -> None:
        super().__init__(reason)
        self.reason = reason


def write_letter(context: Context, row: OutgoingLetter, now: datetime) -> FinishedLetter:
    """Render a row of the outbox as a finished letter. Raises `LetterNotWanted`."""
    content = decode_content(row.kind, row.detail)
    with context.reading() as session:
        game = session.get_one(Game, row.game)
        # All seats in one query; the references prevent that the session loads each seat again.
        kept = {one.seat: one for one in session.exec(select(Seating).where(Seating.game == row.game))}
        history = context.history_of(session, game)
        preferences, confirmed = _load_reader(session, row, content)
        with use_locale(preferences.locale):
            messages, heard = unread_chat(session, game.id, row.seat)
            situation = load_situation(context, session, game, row, content, heard, now)
            reason = reason_to_drop(row.kind, preferences, situation)
            if reason is not None:
                raise LetterNotWanted(reason)
            stranger = row.kind == LetterKind.CONFIRM or not confirmed
            unwanted = context.links.unwanted_link(digest_address(row.recipient)) if stranger else ""
            act_tags = _make_act_tags(context, session, history, row, content)
            links = replace(
                context.links, generation=kept[row.seat].generation, act_tags=act_tags, unwanted=unwanted
            )
            asked = LetterRequest(context, session, game, history, row, links, now, preferences)
            made = None
            if isinstance(history, StartedHistory) and not isinstance(content, GamelessDetail):
                made = build_game_letter_context(asked, history, messages)
            letter = _compose(asked, content, made)
            own = row.kind in (*GAMELESS_KINDS, LetterKind.INVITATION)
            if not own and (stranger or row.kind == LetterKind.PROPOSAL):
                answered = read_sent_letter(row.detail).answered
                letter = replace(letter, subject=stranger_subject(row.kind, answered))
            after = history.player_since(row.seat) if made is None else history.after
            heard = 0 if made is None else heard
        around = build_envelope(asked, content, after)
    pngs = draw_pictures(letter) if preferences.pictures else None
    raw = compose_mail(letter, around, pngs)
    return FinishedLetter(around.bounce, raw, mask_tokens(letter.text), heard, letter.choices, letter.subject)


def _make_act_tags(
    context: Context, session: Session, history: History, row: OutgoingLetter, content: LetterContent
) -> tuple[tuple[int, bytes], ...]:
    named = {history.after, history.player_since(row.seat)}
    named |= {content.after} if isinstance(content, AskedBackDetail) else set()
    return tuple((number, act_tag_of(context, session, row.game, number)) for number in sorted(named))


def _load_reader(session: Session, row: OutgoingLetter, content: LetterContent) -> tuple[Preferences, bool]:
    """Return the preferences of a letter's recipient, and whether the recipient's address is confirmed.

    A sign-in link or a letter to a replaced player may go to a person who is not the player of the seat.
    """
    match content:
        case ReplacedDetail(language=language):
            return replace(DEFAULTS, language=language), True
        case SeatRefusedDetail(language=language):
            return replace(DEFAULTS, language=language), False
        case SignInDetail(digest=digest) | SeatClaimDetail(digest=digest):
            if (link := session.get(SignInLink, digest)) is not None:
                player = session.get_one(Player, link.player)
                return load_preferences(session, player.id), player.confirmed_at is not None
    reader = load_people(session, row.game).get(row.seat)
    return (DEFAULTS, False) if reader is None else (reader.preferences, reader.confirmed)


def _compose(asked: LetterRequest, content: LetterContent, made: GameLetterContext | None) -> Letter:
    if isinstance(content, GamelessDetail):
        return compose_gameless_letter(asked, content)
    match content:
        case LetterKind.ACCEPTED | LetterKind.CALLED_OFF:
            return compose_lobby_letter(asked, content)
        case InvitationDetail() | DeclinedDetail() | ProposalDetail():
            return compose_lobby_letter(asked, content)
        case AskedBackDetail():
            return compose_question(asked, content)
        case _ if made is not None:
            return compose_game_letter(asked, content, made)
        case StoppedDetail(everywhere=everywhere):
            return game_letters.render_stopped_before_start(build_invitation(asked), everywhere)
        case RefusedDetail(sentence=sentence) if asked.game.status == GameStatus.OPEN:
            answered = read_sent_letter(asked.row.detail).answered
            return lobby_letters.render_unclear(build_invitation(asked), sentence, answered)
        case RefusedDetail(sentence=sentence):
            return game_letters.render_refused(sentence)
        case _:
            raise LetterNotWanted(DropReason.OUTDATED)
