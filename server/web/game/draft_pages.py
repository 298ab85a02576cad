"""Forms on the page of a game: advice, drafts of this turn, plans for the next turn, and chat.

A script embeds the advice into the page of the turn. The draft has the orders that the player can still
undo. When the player gives an order that cannot be undone, the server performs the whole draft. Each form
contains the draft that its page showed. If another window has changed the draft since, the form overwrites
it, and the next page says so. An unfinished plan is stored in the page address only, a finished plan in the
database. The chat is always shown: in other players' turns, on outdated links, and after the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from flask import g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session, col, select

from emails.i18n import current_locale, gettext, ngettext
from emails.languages.lexicon import words_of
from emails.letters.parts import LONGEST_CHAT
from emails.wording import phrases
from emails.wording.advice_text import TurnChoice, list_turn_choices
from emails.wording.requests import describe_planned, example_plan, format_plan
from engine.actions import Unreadable
from engine.events import CardChosen, ProvinceOccupied, ProvinceTakenOver, TaxesLevied
from engine.notation.parser import parse
from engine.plans import LONGEST_PLAN, foresee_turn, write_orders
from engine.position import Position, view
from server import commands
from server.outbox import chat
from server.outbox.budgets import player_origin
from server.outbox.queue import open_unit
from server.store.event_log import (
    GameNotRunning,
    History,
    Refusal,
    StalePosition,
    StartedHistory,
    require_started,
)
from server.store.models import ChatMessage, Game
from server.turns import forecast
from server.turns.dry_run import (
    SEPARATOR,
    DraftedTurn,
    LinesRefused,
    PlayerResigned,
    compile_draft,
    keep_draft,
    load_draft,
)
from server.turns.play import load_running_game, read_plan
from server.web.game import ticket_pages
from server.web.game.dock import (
    Dock,
    DockSelection,
    TurnState,
    load_state,
    make_state,
    play_values,
    read_look,
    render_play_section,
)
from server.web.game.ticket_pages import perform_words
from server.web.game.viewers import (
    TicketContext,
    lines_of,
    link_of,
    load_resignable,
    load_ticket,
    perform,
    render_form,
    token_of,
)
from server.web.kit import errors, visitors
from server.web.kit.forms import FormPages, look_again
from server.web.kit.request_context import current_context, now, read

pages = FormPages("draft_pages", __name__)


def ask_for_advice(game: Game, history: History, seat: int, player: int) -> forecast.TurnAdvice:
    """Return good turns for a seat. Raises `LimitReached` and the errors of `forecast.advise`."""
    often = gettext("You have asked for advice very often. Please wait for a while.")
    limited = visitors.LimitedAction.ADVICE, often, player_origin(player).text
    return forecast.advise(current_context(), game, history, seat, lambda: visitors.check_limit(*limited))


@pages.get("/t/<token>/advice")
def show_advice(token: str) -> ResponseReturnValue:
    case = load_ticket(token)
    if not case.is_current or case.lines:
        return redirect(case.page_link(), 303)
    try:
        given = ask_for_advice(case.game, case.history, case.ticket.seat, case.player)
    except Refusal as refused:
        status = 429 if isinstance(refused, visitors.LimitReached) else 409
        return _render_advice(case, errors.note_refusal(refused)), status
    found = list_turn_choices(given.known, given.suggestions)
    return _render_advice(case, "", found, at_sight=given.at_sight)


@pages.get("/t/<token>/turns")
def show_turn_choices(token: str) -> ResponseReturnValue:
    """Return up to five whole turns as HTML, which a script loads into the dock; empty if there are none."""
    case = load_ticket(token)
    if not case.is_current or case.lines:
        return ""
    try:
        given = ask_for_advice(case.game, case.history, case.ticket.seat, case.player)
    except Refusal:
        return ""
    offered = forecast.offered_at_sight(current_context(), case.game, case.history, case.ticket.seat)
    found = offered or given.suggestions  # choices have the same letters as in the mail
    listed = list_turn_choices(given.known, found) if found else ()
    choices = [(one, _cost_of(case, one.words)) for one in listed]
    return render_template("turn_choices.html", choices=choices, act=case.link_to("draft_pages.change_draft"))


def _cost_of(case: TicketContext, words: str) -> str:
    cards = 0
    for event in compile_draft(case.position, case.ticket.seat, lines_of(words)).seen.events:
        if isinstance(event, ProvinceOccupied | ProvinceTakenOver):
            cards += len(event.paid)
        elif isinstance(event, CardChosen):
            cards += event.source == "hand"
        else:
            cards += isinstance(event, TaxesLevied)
    named = ngettext("%(number)s card", "%(number)s cards", cards) if cards else gettext("no card")
    return gettext("costs %(cards)s", cards=named)


def _render_advice(
    case: TicketContext, sentence: str, found: Sequence[TurnChoice] = (), *, at_sight: bool = False
) -> str:
    links = [(one, link_of(replace(case.turn_ticket, words=one.words))) for one in found]
    return render_form("advice.html", case, sentence, number=case.game.turn, at_sight=at_sight, found=links)


LONGEST_STEP = 1000


@dataclass(frozen=True, slots=True)
class DraftForm:
    seen: str
    base: tuple[str, ...]
    added: tuple[str, ...]
    plays: bool
    undoes: bool
    begins_anew: bool

    @property
    def lines(self) -> tuple[str, ...]:
        if self.begins_anew:
            return ()
        return self.base[:-1] if self.undoes else self.base + self.added


def read_draft_form() -> DraftForm:
    given = request.form.get
    placing = ticket_pages.read_placement_form()
    added = given("play", "") or given("do", "") or (placing.words if placing else "")
    return DraftForm(
        given("seen", "")[:LONGEST_STEP],
        tuple(lines_of(given("base", "")[:LONGEST_STEP])),
        tuple(lines_of(added[:LONGEST_STEP])),
        "play" in request.form,
        "undo" in request.form,
        "over" in request.form,
    )


@pages.get("/t/<token>/play")
def show_play_section(token: str) -> ResponseReturnValue:
    """Render board and dock with the selection in the address; the whole page if the turn is over."""
    case = load_ticket(token)
    if not ticket_pages.is_at_turn(case):
        return ticket_pages.render_game_page(case)
    return render_play_section(load_state(case, read_look()))


@pages.button("/t/<token>/draft", load_ticket, look_again(TicketContext.page_link))
def change_draft(case: TicketContext) -> ResponseReturnValue:
    if not ticket_pages.is_at_turn(case):
        return ticket_pages.render_overtaken_page(case), 409
    if too_often := _refuse_frequent_steps(case):
        return _show_dock(case, load_state(case), too_often, 429)
    form, placing = read_draft_form(), ticket_pages.read_placement_form()
    if placing is not None:
        found = placing.cost_for(make_state(case, form.base, DockSelection()).known)
        if not found.fits:
            return _show_dock(case, load_state(case, read_look()), " ".join(found.sentences), 409)
    if form.plays:
        return perform_words(case, SEPARATOR.join(form.lines))
    try:
        if form.undoes:
            state = make_state(case, form.base, DockSelection())
            if state.has_just_marched:
                state = state.without_march()
            else:
                state = make_state(case, form.base[:-1], DockSelection())
            return _show_dock(case, state, _tell_overwritten(form, _store_draft(case, state.drafted)[0]))
        stored, drafted = _store_draft(case, form.lines)
    except StalePosition:
        return ticket_pages.render_overtaken_page(load_ticket(token_of(case.ticket))), 409
    except GameNotRunning:
        raise errors.GameGone from None
    except LinesRefused as refused:
        return _show_dock(case, load_state(case, read_look()), errors.note_refusal(refused), 409)
    state = make_state(case, drafted.kept if drafted else (), DockSelection())
    return _show_dock(
        case, replace(state, next=drafted.later[:1] if drafted else ()), _tell_overwritten(form, stored)
    )


def _refuse_frequent_steps(case: TicketContext) -> str:
    who = player_origin(case.player).text
    if visitors.allow(visitors.LimitedAction.STEPS, who):
        return ""
    return gettext("You have begun this turn anew very often. Please wait for a while.")


def _store_draft(case: TicketContext, lines: Sequence[str]) -> tuple[str, DraftedTurn | None]:
    # Returns the words of the stored draft that was replaced, and the new draft.
    ticket = case.ticket
    with open_unit(current_context(), now(), game=ticket.game) as unit:
        game = load_running_game(unit.context, unit.session, ticket.game, ticket.after)
        if ticket.seat in game.history.resigned:
            raise PlayerResigned(())
        drafted = compile_draft(game.history.position, ticket.seat, lines) if lines else None
        before = load_draft(unit.session, game.row, ticket.seat)
        keep_draft(unit.session, game.row, ticket.seat, drafted.kept if drafted else (), now())
        unit.session.commit()
    return SEPARATOR.join(before), drafted


def _tell_overwritten(form: DraftForm, stored: str) -> str:
    if stored == form.seen:
        return ""
    return gettext("Another window had this turn otherwise; what you did here counts now.")


def _show_dock(
    case: TicketContext, state: TurnState, said: str = "", status: int = 200
) -> ResponseReturnValue:
    if "part" in request.args:
        return render_play_section(state, said), status
    if said:
        return ticket_pages.render_turn_page(state, said=said), status
    return redirect(replace(state.asked).link(case), 303)


def _render_plan(case: TicketContext, wrong: str = "") -> str:
    begun = tuple(lines_of(request.args.get("begun", "")[:LONGEST_STEP]))
    board: dict[str, object] = {}
    if not case.view.my_turn:
        try:
            board = _board_values(case, begun)
        except LinesRefused as refused:
            wrong, begun = wrong or refused.sentence, ()
            board = _board_values(case, begun)
    shown: dict[str, object] = {
        "kind": "game" if board else "plain",
        "told": _introduce_plan(case, begun),
        "deadline": case.deadline,
        "waits_for": case.other_mover,
        "kept": case.plan is not None,
        "words": request.form.get("words", "")[:LONGEST_PLAN] or _words_of(case, begun),
        "example": gettext("For example “%(plan)s”.", plan=example_plan(case.position.table.board)),
        "keeps": bool(begun),
        "longest": LONGEST_PLAN,
    }
    return render_form("plan.html", case, wrong, **board | shown)


@pages.form("/t/<token>/plan", load_resignable, _render_plan)
def change_plan(case: TicketContext) -> ResponseReturnValue:
    if too_often := _refuse_frequent_steps(case):
        return _render_plan(case, too_often), 429
    given = request.form
    if "keep" not in given and "withdraw" not in given:
        return redirect(_page_of(case, read_draft_form().lines), 303)
    try:
        board, language = current_context().board_of(case.game), current_locale().language
        words = given.get("words", "")
        perform(case, commands.StorePlan(None if "withdraw" in given else read_plan(words, board, language)))
    except Unreadable as refused:
        why = phrases.capitalize_first(phrases.explain_refusal(refused))
        return _render_plan(case, f"{why}."), 409
    return redirect(_page_of(case, ()) if case.view.my_turn else case.page_link(), 303)


def _page_of(case: TicketContext, begun: tuple[str, ...]) -> str:
    token = token_of(case.turn_ticket)
    return url_for("draft_pages.change_plan", token=token, begun=SEPARATOR.join(begun))


# --- the page of a plan -----------------------------------------------------------------------------------


def _introduce_plan(case: TicketContext, begun: tuple[str, ...]) -> str:
    if begun:
        return ""
    if case.plan is not None:
        return " ".join(describe_planned(case.plan, case.position.table))
    if case.view.my_turn:
        return gettext("Write what you will do. It is tried a few seconds later, and only you know of it.")
    return gettext(
        "Play it on the board as it is now, or write it below. It is tried a few seconds after your turn "
        "has come, and only you know of it."
    )


def _words_of(case: TicketContext, begun: tuple[str, ...]) -> str:
    board, words = case.position.table.board, words_of(current_locale().language).plan_words
    if case.plan is not None and not begun:
        return case.plan.words if case.plan.plan is None else format_plan(case.plan.plan, board)
    try:
        orders = tuple(order for line in begun for order in parse(line, board))
    except Unreadable:
        return ""
    return f"{words.heading[0]}: {write_orders(orders, board, words)}" if orders else ""


def _board_values(case: TicketContext, begun: tuple[str, ...]) -> dict[str, object]:
    planning = replace(case, history=_foresee(case), page=_page_of(case, begun))
    state = make_state(planning, begun, DockSelection() if begun else read_look())
    found = play_values(state)
    own, dock = case.link_to("draft_pages.change_plan"), found["dock"]
    assert isinstance(dock, Dock)
    land = None if dock.land is None else replace(dock.land, conquest=None)
    verbs = tuple(replace(verb, plays=False) for verb in dock.verbs)
    # orders of a plan neither end the turn nor reveal a card
    made = replace(dock, land=land, verbs=verbs, hidden=0, is_last=False)
    return found | {"dock": made, "self_link": own, "act": own, "turns_link": ""}


def _foresee(case: TicketContext) -> StartedHistory:
    history = require_started(case.history)
    now_is = history.position
    table = foresee_turn(view(now_is, case.ticket.seat)).table
    return replace(history, position=Position(table, now_is.hands, now_is.supply))


# --- chat -----------------------------------------------------------------------------------------------

MESSAGES_SHOWN = 50
DOUBLE_PRESS = timedelta(minutes=1)
"""Time within which a repeated message counts as a second press of the button."""


@dataclass(frozen=True, slots=True)
class ChatDraft:
    to: str = ""
    words: str = ""
    wrong: str = ""


def build_chat_box(case: TicketContext) -> dict[str, object]:
    """Return the values for chat.html, with the oldest message first."""
    entries = read(chat.load_conversation, case.game.id, case.seat, MESSAGES_SHOWN)
    own = case.seating.name
    others = (one for one in case.seats if one.player is not None and one.seat != case.ticket.seat)
    people = [] if case.sign_in_link else [(str(one.seat), phrases.safe_name(one.name)) for one in others]
    return {
        "lines": [_build_line(one, own) for one in entries],
        "people": people,
        "box": g.get("box", ChatDraft()),
        "action": case.link_to("draft_pages.send_chat"),
        "sign_in": case.sign_in_link,
        "longest": LONGEST_CHAT,
    }


def _build_line(entry: chat.ChatEntry, own: str) -> dict[str, object]:
    writer = phrases.safe_name(entry.writer) if entry.writer else ""
    whom = ""
    if entry.addressee == own:
        whom = gettext("only to you")
    elif entry.addressee:
        whom = gettext("only to %(name)s", name=phrases.safe_name(entry.addressee))
    mine = entry.writer == own
    name = gettext("You") if mine else writer
    return {"at": entry.at, "writer": name, "whom": whom, "words": entry.words, "mine": mine}


def _render_with_draft(case: TicketContext, wrong: str) -> str:
    words = request.form.get("words", "")[: 2 * LONGEST_CHAT]
    g.box = ChatDraft(_typed_seat(case) or "", words, wrong)
    return ticket_pages.render_game_page(load_ticket(token_of(case.turn_ticket)))


def _typed_seat(case: TicketContext) -> str | None:
    """Return the chosen seat, empty for all players; None if the seat does not exist."""
    to = request.form.get("to", "")
    return to if to in {"", *(str(one.seat) for one in case.seats)} else None


@pages.button("/t/<token>/say", load_ticket, _render_with_draft, 422)
def send_chat(case: TicketContext) -> ResponseReturnValue:
    to, words = _typed_seat(case), request.form.get("words", "")
    if to is None:
        return _render_with_draft(case, gettext("Please choose one of these.")), 422
    addressee = int(to) if to else None
    with current_context().writing(case.game.id) as session:
        if not _is_double_press(session, case, addressee, words):
            chat.post(current_context(), session, case.game, case.ticket.seat, addressee, words, now())
        current_context().commit_work(session)
    return redirect(case.page_link() + "#talk", 303)


def _is_double_press(session: Session, case: TicketContext, addressee: int | None, words: str) -> bool:
    own = select(ChatMessage).where(ChatMessage.game == case.game.id, ChatMessage.seat == case.ticket.seat)
    last = session.exec(own.order_by(col(ChatMessage.id).desc()).limit(1)).first()
    return (
        last is not None
        and last.addressee == addressee
        and last.at > now() - DOUBLE_PRESS
        and last.words.split() == words.split()
    )
