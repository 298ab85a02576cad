"""The pages behind the links of letters: a turn with its preview, and invitations.

GET changes nothing, since mail scanners open every link. A button sends the orders with a CSRF token. Players
may let the page press this button by itself. The form for this choice needs a CSRF token that is bound
to the browser, so that no other site can send the form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext, ngettext
from emails.letters.lobby_letters import draw_start, estimate_length, format_span
from emails.picture.layers import Overlay
from emails.replies.clerk.proposals import ask_which_turn, propose
from emails.tokens import ACCEPT_WORDS, DECLINE_WORDS
from emails.wording import costs, phrases
from emails.wording.costs import ConquestVerb, PlacementCheck
from emails.wording.narration import build_overlay, narrate_events
from emails.wording.phrases import format_minutes
from emails.wording.texts import say
from engine.actions import Unreadable
from engine.cards import COPIES, Bag, Symbol
from engine.editions import EDITIONS
from engine.events import TurnEnded, TurnOver
from engine.notation.orders import Verb
from engine.notation.parser import parse_lines
from engine.position import GUARDS_PER_SEAT, Phase, View, view
from engine.provinces import province_at
from server import commands
from server.lobby.games import accept_seat
from server.lobby.open_seats import SEAT_HELD_FOR, is_open
from server.outbox.notifications import load_note
from server.outbox.queue import do_with_retries, load_people, open_unit
from server.store.event_log import GameNotRunning, StalePosition, StartedHistory, require_started
from server.store.game_terms import organiser_seat, terms_of
from server.store.states import Channel, GameStatus
from server.store.turn_clock import turn_time_of
from server.turns.dry_run import SEPARATOR, LinesRefused
from server.turns.play import load_running_game, play
from server.web.game.dock import (
    MOST_DRAWN,
    DockSelection,
    TurnState,
    load_state,
    play_values,
    read_look,
    scene_values,
    standing_values,
)
from server.web.game.preview import Disambiguation, PreviewOutcome, preview_lines
from server.web.game.readonly_pages import finished_game_values
from server.web.game.viewers import (
    TicketContext,
    lines_of,
    link_of,
    load_ticket,
    organiser_link,
    path_of,
    perform,
    render_note,
    settings_of,
    ticket_page_links,
    token_of,
)
from server.web.game.votes_page import note_plan, note_votes, tell_missed_plan
from server.web.kit import errors, request_context, visitors
from server.web.kit.forms import FormPages, look_again
from server.web.kit.request_context import (
    bind_forms,
    csrf_token,
    current_context,
    is_csrf_valid,
    now,
    one_reading,
    redirect_to,
)
from server.web.kit.visitors import page_vocabulary

pages = FormPages("ticket_pages", __name__)


LONGEST_NAME = 40
VERBS: dict[str, ConquestVerb] = {"occupy": Verb.OCCUPY, "takeover": Verb.TAKEOVER}


@dataclass(frozen=True, slots=True)
class PlacementForm:
    verb: ConquestVerb
    guards: tuple[str, ...]
    given: tuple[Symbol, ...] | None
    """Symbols of the cards that the former holder gets; None if the form does not ask for them."""

    @property
    def words(self) -> str:
        if not self.guards:
            return ""
        return f"{self.verb} {'+'.join(self.guards)}" + (
            f" give {'+'.join(self.given)}" if self.given else ""
        )

    def province_in(self, view: View) -> str:
        places = view.table.board.places
        first = next((places[name] for name in self.guards if name in places), None)
        return "" if first is None else str(province_at(view.table, first).first)

    def cost_for(self, view: View) -> PlacementCheck:
        places = view.table.board.places
        unknown = next((name for name in self.guards if name not in places), None)
        if unknown is not None:
            return PlacementCheck(
                False, (gettext("There is no symbol space “%(name)s” on this board.", name=unknown),)
            )
        guards = tuple(sorted(places[name] for name in self.guards))
        given = None if self.given is None else Bag.of(self.given)
        return costs.check_placement(view, self.verb, guards, given)


def read_placement_form() -> PlacementForm | None:
    verb = VERBS.get(request.values.get("place", ""))
    if verb is None:
        return None
    fields = request.values
    guards = tuple(name[:LONGEST_NAME] for name in fields.getlist("guard")[: GUARDS_PER_SEAT + 2])
    numbers = {card: fields.get(f"give-{card}", 0, int) for card in Symbol if f"give-{card}" in fields}
    given = tuple(card for card, number in numbers.items() for _ in range(min(number, COPIES)))
    return PlacementForm(verb, guards, given if numbers else None)


@pages.get("/t/<token>/sum")
def show_cost(token: str) -> ResponseReturnValue:
    case = load_ticket(token)
    asked = read_placement_form()
    if not isinstance(case.history, StartedHistory) or asked is None:
        found = PlacementCheck(False, (gettext(costs.NOT_YOUR_ACTIONS),))
    else:
        known = load_state(case).known if case.view.my_turn else case.view
        found = asked.cost_for(known)
    return render_template("placement_sum.html", sum=found)


@pages.button("/t/<token>/nudge", load_ticket, look_again(TicketContext.page_link))
def send_nudge(case: TicketContext) -> ResponseReturnValue:
    """Send a reminder to the player to move. A second press sends none."""
    done = perform(case, commands.Nudge())
    title = gettext("%(name)s gets a reminder", name=phrases.safe_name(done.outcome))
    return render_note(case, title, " ".join(filter(None, (case.absence, done.text))))


class NoticeKind(StrEnum):
    DONE = "done"
    MOVED = "moved"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Notice:
    kind: NoticeKind
    title: str
    sentences: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    reason: str = ""


def render_game_page(
    case: TicketContext, look: DockSelection | None = None, words: str = "", notice: Notice | None = None
) -> str:
    """Render the page of a ticket: a turn, a preview, a question or, if another player is to move, the game.

    `look` is the selection in the dock, `words` are typed orders that the reader may want to correct.
    """
    if not case.is_current:
        return _render_moved_on(case)
    if not is_at_turn(case):
        return _render_watch_page(case, notice)
    if not case.lines:
        return render_turn_page(load_state(case, look), notice, words)
    try:
        found = preview_lines(case.position, case.ticket.seat, case.lines)
    except LinesRefused as refused:
        if (meant := _propose(case, refused)) is not None:
            return _render_question(case, meant)
        why = errors.note_refusal(refused)
        if refused.line:
            line = phrases.translate_order(refused.line[:80])
            why = gettext("“%(line)s” is not done. %(why)s", line=line, why=why)
        said = phrases.translate_order(case.ticket.words)
        return render_turn_page(load_state(case), nothing_done_notice(why), said)
    if isinstance(found, Disambiguation):
        return _render_question(case, found)
    return _render_preview(case, found)


def _propose(case: TicketContext, refused: LinesRefused) -> Disambiguation | None:
    if not isinstance(refused.refusal, Unreadable) or refused.refusal.did_you_mean:
        return None
    found = propose(case.lines, case.view, {}, (current_locale().language,))
    question = ask_which_turn(found, case.view)
    if question is None:
        return None
    said = "; ".join(case.lines)[:80]
    return Disambiguation(said, case.view, question.choices, (), {}, {}, question.more)


def nothing_done_notice(*why: str) -> Notice:
    return Notice(NoticeKind.REFUSED, gettext("Nothing was done"), why)


def _render_moved_on(case: TicketContext) -> str:
    act, known = case.act, case.view
    late = tuple(
        gettext("%(name)s ran out of time, and the server played.", name=phrases.safe_name(name))
        for name in case.late
    )
    if act is None:
        told = (*late, *narrate_events(case.events_after(case.ticket.after), known))
        return _render_watch_page(
            case, Notice(NoticeKind.MOVED, gettext("This link is old: the game went on")), told
        )
    notice = Notice(
        NoticeKind.DONE, gettext("It is done"), tuple(narrate_events(act.told, known)), act.undone, act.reason
    )
    if act.seq == case.history.after and known.my_turn:
        return render_turn_page(load_state(case), notice)
    after = tuple(narrate_events(case.events_after(act.seq), known))
    return _render_watch_page(case, notice, (*late, *after))


# --- values of all these pages ----------------------------------------------------------------------------


def _render_page(template: str, case: TicketContext, known: View, marked: Overlay, **more: object) -> str:
    facts = {
        "notice": None,
        "since": (),
        "turn_link": case.page_link(),
        **scene_values(case.bots, known, marked),
        "links": ticket_page_links(case),
        **more,
    }
    return render_template(template, **_frame_values(case), **facts)


def _frame_values(case: TicketContext) -> dict[str, object]:
    return {
        "case": case,
        "name": phrases.safe_name(case.game.name),
        "reader": phrases.safe_name(case.seating.name),
        "plays_at_once": visitors.plays_at_once(case.seating.player),
        "offers_at_once": "offer" in request.args,
    }


def _render_watch_page(case: TicketContext, notice: Notice | None, after: tuple[str, ...] = ()) -> str:
    known = case.view
    since, before = case.events_since
    pointed = replace(build_overlay(since, before, known), labels={}, targets=frozenset())
    told = after or (() if notice else tuple(narrate_events(since, known)))
    if not known.table.over:
        more = {"plan": note_plan(case), "votes": note_votes(case)}
        return _render_page("waiting.html", case, known, pointed, notice=notice, since=told, **more)
    ended = finished_game_values(case.game, case.history, known)
    return _render_page(
        "finished.html", case, known, pointed, notice=notice, since=told, frame="game.html", **ended
    )


# --- a turn ---------------------------------------------------------------------------------------------


def is_at_turn(case: TicketContext) -> bool:
    """Return whether the ticket is current and its holder is to move."""
    return case.is_current and case.view.my_turn and not case.has_resigned


def render_overtaken_page(case: TicketContext) -> str:
    """Answer a form that was made for an earlier position: nothing was done, and the draft is lost."""
    gone = gettext("The game has moved on; what you had begun on that page is gone.")
    notice = Notice(NoticeKind.MOVED, gettext("Nothing was done"), (gone,))
    if case.view.my_turn:
        return render_turn_page(load_state(case), notice)
    return _render_watch_page(
        case, notice, tuple(narrate_events(case.events_after(case.ticket.after), case.view))
    )


def render_turn_page(state: TurnState, notice: Notice | None = None, words: str = "", said: str = "") -> str:
    case, known = state.case, state.case.view
    if "said" in request.args and notice is not None and not notice.undone:
        said, notice = " ".join(notice.sentences), None
    told = case.link_to("draft_pages.show_advice") if state.is_advised else ""
    return render_template(
        "turn.html",
        **_frame_values(case),
        **standing_values(case.bots, known) | {"links": ticket_page_links(case)},
        **play_values(state, said),
        reserve=say("time.reserve_left", reserve=case.times[1], now=now()),
        notice=notice,
        own=_narrate_own(case),
        missed=tell_missed_plan(case),
        votes=note_votes(case),
        words=words,
        advice_link=told,
    )


def _narrate_own(case: TicketContext) -> tuple[str, ...]:
    since, _ = case.events_since
    ends = [number for number, fact in enumerate(since, 1) if isinstance(fact, TurnOver)]
    mine = (at for at, fact in enumerate(since) if getattr(fact, "seat", None) == case.ticket.seat)
    begun = next((at for at in mine if at >= (ends[-1] if ends else 0)), len(since))
    return tuple(narrate_events(since[begun:], case.view))


# --- preview of typed orders ------------------------------------------------------------------------------


def _render_preview(case: TicketContext, seen: PreviewOutcome) -> str:
    seat, ahead = case.ticket.seat, seen.preview
    after = view(ahead.position, seat)
    told = ahead.events
    marked = replace(build_overlay(told, case.position.table, after, seen.path), changed=frozenset())
    if not after.table.last_turn:  # the arrow only distinguishes red walls from black walls
        marked = replace(marked, marches=())
    happens = narrate_events(told, after)
    if seen.stops_at_draw:
        happens.append(gettext("You draw a card that nobody has seen yet from the supply."))
    looked = "look" in request.args
    action = link_of(case.ticket) if looked else path_of(case.ticket)
    return _render_page(
        "preview.html",
        case,
        after,
        marked,
        happens=happens,
        details=[phrases.capitalize_first(detail) for detail in seen.details],
        then=_next_sentence(case, seen),
        hidden=ahead.hidden,
        draws=seen.stops_at_draw,
        lines="; ".join(map(phrases.translate_order, case.lines)),
        later="; ".join(map(phrases.translate_order, seen.later)),
        nonce=csrf_token(f"play {token_of(case.ticket)}"),
        action=action,
        pressed=visitors.plays_at_once(case.seating.player) and not looked,
    )


def _next_sentence(case: TicketContext, seen: PreviewOutcome) -> str:
    ahead, table = seen.preview, seen.preview.position.table
    left = table.actions_left - seen.stops_at_draw
    over = table.phase is Phase.ACTIONS and (
        not left or any(isinstance(event, TurnEnded) for event in ahead.events)
    )
    if table.has_winning_score or (over and table.last_turn):
        return gettext("The game is then over.")
    if over:
        following = phrases.safe_name(require_started(case.history).following_name)
        return gettext("Your turn is then over, and %(name)s is next.", name=following)
    if table.phase is Phase.MARCH:
        return gettext("Then you march.")
    if table.last_turn:
        return ngettext(
            "Then you have %(number)s action left, and the game ends with this turn.",
            "Then you have %(number)s actions left, and the game ends with this turn.",
            left,
        )
    return ngettext("Then you have %(number)s action left.", "Then you have %(number)s actions left.", left)


def _render_question(case: TicketContext, asked: Disambiguation) -> str:
    goals = {path[-1] for path in asked.paths}
    kept = {point: label for point, label in asked.numbers.items() if point in goals or not goals}
    tried = tuple((case.ticket.seat, path) for path in asked.paths[:MOST_DRAWN])
    if asked.trails:
        tried = ((case.ticket.seat, asked.trails[0][:-1]),)
    marked = Overlay(labels=kept | asked.labels, marches=tried)
    found = [(choice, link_of(replace(case.turn_ticket, words=choice.words))) for choice in asked.choices]
    return _render_page(
        "question.html",
        case,
        asked.known,
        marked,
        line=phrases.translate_order(asked.line),
        more=asked.more,
        found=found,
    )


TICK = "at-once"  # checkbox whose value is a CSRF token
PAGE, SETTINGS_PAGE = "page", "settings"


def build_one_click_form(case: TicketContext) -> dict[str, object] | None:
    player = case.seating.player
    if player is None:
        return None
    return {
        "chosen": visitors.plays_at_once(player),
        "nonce": csrf_token(_at_once_subject(player)),
        "action": url_for("ticket_pages.keep_choice", token=token_of(case.ticket)),
    }


def _load_in_browser(token: str) -> TicketContext:
    case = load_ticket(token)
    bind_forms(_at_once_subject(case.player))
    return case


def _page_of_choice(case: TicketContext) -> str:
    in_settings = request.form.get(PAGE) == SETTINGS_PAGE
    return settings_of(case.ticket) if in_settings else link_of(case.ticket)


@pages.button("/t/<token>/at-once", _load_in_browser, look_again(_page_of_choice))
def keep_choice(case: TicketContext) -> ResponseReturnValue:
    visitors.set_plays_at_once(case.player, TICK in request.form)
    in_settings = request.form.get(PAGE) == SETTINGS_PAGE
    return redirect(f"{_page_of_choice(case)}?{'kept=1' if in_settings else 'look=1&offer=kept'}", 303)


def _at_once_subject(player: int) -> str:
    return f"at once {player} {request_context.browser_id()}"


def render_invitation(case: TicketContext) -> str:
    game = case.game
    started = game.status != GameStatus.OPEN
    with current_context().reading() as session:
        silent = {one.seat for one in load_people(session, game.id).values() if not one.preferences.letters}
        organises = terms_of(session, game.id).seat == case.ticket.seat
        organiser = organiser_seat(session, game.id, case.history)
        note = load_note(session, game.id, case.ticket.seat)
    awaited = [phrases.safe_name(one.name) for one in case.seats if one.accepted_at is None and one.name]
    taken = case.history.seat_tenures.get(case.ticket.seat)
    token = token_of(case.ticket)
    asked_by_seat = None if organises or (taken is not None and taken.joined) else organiser
    people = sum(not one.house for one in case.seats)
    length = estimate_length(len(case.seats), people, game.turn_minutes)
    names = [phrases.safe_name(one.name) if one.name else "" for one in case.seats]
    return render_template(
        "invitation.html",
        name=phrases.safe_name(game.name),
        reader=phrases.safe_name(case.seating.name),
        seats=[(one, phrases.safe_name(one.name) if one.name else "") for one in case.seats],
        asker="" if asked_by_seat is None else names[asked_by_seat],
        note=note,
        chart="" if started else draw_start(current_context().board_of(game), EDITIONS[game.edition], names),
        length=length,
        span=format_span(length, game.turn_minutes),
        own=case.ticket.seat,
        silent=silent,
        edition=EDITIONS[game.edition],
        edition_name=phrases.edition_title(EDITIONS[game.edition]),
        time=format_minutes(game.turn_minutes),
        reserve=say("time.in_reserve", time=turn_time_of(game)),
        whole_time=say("time.for_turn", time=turn_time_of(game)),
        declining=case.ticket.words == DECLINE_WORDS,
        accepted=case.seating.accepted_at is not None,
        started=started,
        halted=game.suspended_at,
        awaited=awaited,
        free=sum(map(is_open, case.seats)),
        held=taken.at + SEAT_HELD_FOR if taken is not None and taken.joined else None,
        organiser_link=organiser_link(game.id) if organises and taken is None else "",
        turn_link=case.page_link() if started else "",
        nonce=csrf_token(f"play {token}"),
        action=url_for("ticket_pages.show_ticket", token=token),
        leave_action=url_for("open_seat_pages.give_seat_back", token=token),
    )


LONGEST_TYPED = 1000


@pages.get("/t/<token>")
@one_reading
def show_ticket(token: str) -> ResponseReturnValue:
    case = load_ticket(token)
    if _is_invitation(case):
        return render_invitation(case)
    placing, typed = read_placement_form(), request.args.get("say")
    if placing is None and typed is None:
        return render_game_page(case, read_look())
    state = load_state(case) if case.history.after and is_at_turn(case) else None
    if placing is not None and state is not None:
        found = placing.cost_for(state.known)
        if not found.fits:
            notice = nothing_done_notice(*found.sentences)
            look = replace(read_look(), province=placing.province_in(state.known))
            return render_game_page(case, look, phrases.translate_order(placing.words), notice)
    typed = placing.words if placing else "; ".join(lines_of((typed or "")[: LONGEST_TYPED + 1]))
    if typed:
        drafted = state.drafted if state is not None and not case.lines else ()
        return _redirect_to_preview(case, SEPARATOR.join((*drafted, typed)))
    empty = gettext("Say what to do, or tick where a guard is to stand.")
    return render_game_page(case, notice=nothing_done_notice(empty))


def _is_invitation(case: TicketContext) -> bool:
    return case.game.status == GameStatus.OPEN or case.ticket.words in (ACCEPT_WORDS, DECLINE_WORDS)


def _redirect_to_preview(case: TicketContext, words: str) -> ResponseReturnValue:
    try:
        if len(words) > LONGEST_TYPED:
            raise ValueError
        return redirect(link_of(replace(case.ticket, words=words)), 303)
    except ValueError:
        long = gettext("That is too long: a whole turn has four actions.")
        return render_game_page(case, words=words[:LONGEST_TYPED], notice=nothing_done_notice(long))


def _load_play(token: str) -> TicketContext:
    case = load_ticket(token)
    bind_forms(f"play {token_of(case.ticket)}")
    return case


@pages.button("/t/<token>", _load_play, look_again(lambda case: link_of(case.ticket)))
def perform_ticket(case: TicketContext) -> ResponseReturnValue:
    if _is_invitation(case):  # a second press changes nothing
        wanted = case.game.id, case.seat, Channel.LINK, case.ticket.after
        do_with_retries(current_context(), now(), lambda unit: accept_seat(unit, *wanted))
        return redirect_to("ticket_pages.show_ticket", token=token_of(case.ticket))
    if not case.lines:
        link = case.page_link()
        words = gettext("This link says no action.")
        return errors.render_message(
            gettext("There is nothing to do"), words, 400, link, gettext("To the game")
        )
    return _play_ticket(case, Channel.WEB if "look" in request.args else Channel.LINK)


def perform_words(case: TicketContext, words: str) -> ResponseReturnValue:
    ticket = replace(case.turn_ticket, words=words)
    return _play_ticket(replace(case, ticket=ticket), Channel.WEB, said="1")


def _play_ticket(case: TicketContext, channel: Channel, said: str | None = None) -> ResponseReturnValue:
    ticket, token = case.ticket, token_of(case.ticket)
    board = current_context().board_of(case.game)
    orders = parse_lines(case.lines, board, page_vocabulary())
    try:
        with open_unit(current_context(), now(), game=ticket.game) as unit:
            game = load_running_game(unit.context, unit.session, ticket.game, ticket.after)
            play(unit, game, ticket.seat, orders, channel)
            unit.commit()
    except StalePosition as stale:
        errors.note_refusal(stale)
        if load_ticket(token).act is None:
            return render_game_page(load_ticket(token)), 409
    except LinesRefused:
        return render_game_page(load_ticket(token)), 409
    except GameNotRunning as refused:
        errors.note_refusal(refused)
        raise errors.GameGone from None
    player, offer = case.seating.player, None
    if player is not None and is_csrf_valid(_at_once_subject(player), TICK):
        visitors.set_plays_at_once(player, True)
    if player is not None and channel is Channel.LINK and visitors.note_offer(player):
        offer = "1"
    return redirect_to("ticket_pages.show_ticket", token=token, look="1", offer=offer, said=said)
