"""The pages of a game: a turn and its choices, what words would do, a question, how the game stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flask import render_template, request, url_for

from emails.i18n import say, say_many
from emails.picture.overlay import Marks
from emails.wording import phrases
from emails.wording.narration import marks, sentences
from engine.events import TurnEnded
from engine.lattice import Point
from engine.marching import Path
from engine.position import Phase, View
from engine.views import view
from server.turns.dry_run import Refused
from server.web.game import conquests
from server.web.game.board_links import Spot
from server.web.game.choice_links import linked
from server.web.game.final_chart import ending
from server.web.game.march_steps import MOST_DRAWN, step
from server.web.game.preview import Question, Seen, look
from server.web.game.readers import links_of_case
from server.web.game.scene import scene
from server.web.game.ticket_context import Case, link_of, path_of, sentence_of, token_of
from server.web.kit import cookies
from server.web.kit.locale import orders
from server.web.kit.request_context import button

FEW = 30
"""Up to so many choices all groups stand open."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What the page says first: kind `done`, `moved` or `refused`."""

    kind: str
    title: str
    sentences: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    why: str = ""


def show(case: Case, corner: str = "", card: str = "", words: str = "", notice: Notice | None = None) -> str:
    """The page of a ticket whose game has started, whatever has happened since it was made.

    `corner`, `card`: show the choices of these alone. `words`: what its reader typed and may want to change.
    """
    if not case.current:
        return _later(case)
    if case.position.table.over or not case.view.my_turn:
        return _watch(case, notice)
    if not case.lines:
        return _turn(case, notice, corner, card, words)
    try:
        found = look(case.position, case.ticket.seat, case.lines)
    except Refused as refused:
        return _turn(case, _refused(refused), words=orders(case.ticket.words))
    if isinstance(found, Question):
        return _question(case, found)
    return _preview(case, found)


def nothing_done(*why: str) -> Notice:
    """That nothing was done, and why."""
    return Notice("refused", say("Nothing was done"), why)


def _refused(refused: Refused) -> Notice:
    why = sentence_of(refused.refusal)
    if refused.line:
        why = say("“%(line)s” is not done. %(why)s", line=orders(refused.line[:80]), why=why)
    return nothing_done(why)


def _later(case: Case) -> str:
    """The game has moved on since the ticket was made: by what it says, or otherwise."""
    deed, known = case.deed, case.view
    late = tuple(
        say("%(name)s ran out of time, and the server played.", name=phrases.shown(name))
        for name in case.late
    )
    if deed is None:
        told = (*late, *sentences(case.told_after(case.ticket.after), known))
        return _watch(case, Notice("moved", say("The game has moved on since this link was made")), told)
    notice = Notice("done", say("It is done"), tuple(sentences(deed.told, known)), deed.undone, deed.why)
    if deed.seq == case.history.after and known.my_turn:
        return _turn(case, notice)
    after = tuple(sentences(case.told_after(deed.seq), known))
    return _watch(case, notice, (*late, *after))


# --- what all these pages show --------------------------------------------------------------------------


def _page(
    template: str,
    case: Case,
    known: View,
    marked: Marks,
    spots: Mapping[Point, Spot] | None = None,
    **more: object,
) -> str:
    facts = {"notice": None, "since": (), **scene(known, marked, spots), "links": links_of_case(case), **more}
    return render_template(
        template,
        case=case,
        name=phrases.shown(case.game.name),
        reader=phrases.shown(case.seating.name),
        turn_link=link_of(case.turn_ticket),
        known_here=cookies.knows(case.seating.player),
        asks=cookies.asks(),
        ask_link=url_for("ticket_pages.ask", token=token_of(case.turn_ticket)),
        **facts,
    )


def _watch(case: Case, notice: Notice | None, after: tuple[str, ...] = ()) -> str:
    """How the game stands, for a reader who cannot or need not act here."""
    known = case.view
    since, before = case.since
    pointed = replace(marks(since, before, known), labels={}, targets=frozenset())
    told = after or (() if notice else tuple(sentences(since, known)))
    if not known.table.over:
        return _page("watch.html", case, known, pointed, notice=notice, since=told)
    ended = ending(case.history, known)
    return _page(
        "finished.html", case, known, pointed, None, notice=notice, since=told, frame="game.html", **ended
    )


# --- a turn ---------------------------------------------------------------------------------------------


def _turn(case: Case, notice: Notice | None, corner: str = "", card: str = "", words: str = "") -> str:
    """The choices of the reader whose turn it is, or those of one card and one corner."""
    known = case.view
    since, before = case.since
    others, own = _parted(case)
    ticket = case.turn_ticket
    now = step(known, ticket, marks(since, before, known), card, corner)
    return _page(
        "turn.html",
        case,
        known,
        now.marks,
        now.spots,
        notice=notice,
        since=others,
        own=own if notice is None or notice.kind != "done" else (),
        step=now,
        all_open=now.total <= FEW or bool(now.corner),
        camps=conquests.camps(known),
        words=words,
        example=next((orders(one.choice.words) for part in now.sections for one in part.found), ""),
        self_link=path_of(ticket),
    )


def _parted(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What happened since the reader's last turn: what others did, and what he has done in this turn."""
    since, _ = case.since
    ends = [number for number, fact in enumerate(since, 1) if isinstance(fact, TurnEnded)]
    begun = ends[-1] if ends else 0
    own = next(
        (at for at in range(begun, len(since)) if getattr(since[at], "seat", None) == case.ticket.seat), None
    )
    others, mine = (since, ()) if own is None else (since[:own], since[own:])
    return tuple(sentences(others, case.view)), tuple(sentences(mine, case.view))


# --- what words would do --------------------------------------------------------------------------------


def _preview(case: Case, seen: Seen) -> str:
    """The board as it would be, what would have happened, and the button."""
    seat, ahead = case.ticket.seat, seen.preview
    after = view(ahead.position, seat)
    told = ahead.events
    marked = replace(marks(told, case.position.table, after, seen.path), changed=frozenset())
    if (
        not after.table.last_turn
    ):  # an arrow beside the dashes tells red walls from black ones, and nothing else
        marked = replace(marked, marches=())
    happens = sentences(told, after)
    if seen.draws:
        happens.append(say("You draw a card that nobody has seen yet from the supply."))
    looked = "look" in request.args
    action = link_of(case.ticket) if looked else path_of(case.ticket)
    return _page(
        "preview.html",
        case,
        after,
        marked,
        happens=happens,
        details=[phrases.begun(detail) for detail in seen.details],
        then=_then(case, seen),
        hidden=ahead.hidden,
        draws=seen.draws,
        lines="; ".join(map(orders, case.lines)),
        later="; ".join(map(orders, seen.later)),
        nonce=button(f"play {token_of(case.ticket)}"),
        action=action,
        at_once=cookies.knows(case.seating.player) and not cookies.asks() and not looked,
    )


def _then(case: Case, seen: Seen) -> str:
    """What comes next for the reader."""
    ahead, table = seen.preview, seen.preview.position.table
    left = table.actions_left - seen.draws
    over = table.phase is Phase.ACTIONS and (
        not left or any(isinstance(event, TurnEnded) for event in ahead.events)
    )
    if table.won or (over and table.last_turn):
        return say("The game is then over.")
    if over:
        following = table.names[(table.seat + 1) % len(table.names)]
        return say("Your turn is then over, and %(name)s is next.", name=phrases.shown(following))
    if table.phase is Phase.MARCH:
        return say("Then you march.")
    if table.last_turn:
        return say_many(
            "Then you have %(number)s action left, and the game ends with this turn.",
            "Then you have %(number)s actions left, and the game ends with this turn.",
            left,
        )
    return say_many("Then you have %(number)s action left.", "Then you have %(number)s actions left.", left)


def _question(case: Case, asked: Question) -> str:
    """Words that mean several things: each with what it would do."""
    goals = {path[-1] for path in asked.paths}
    kept = {point: label for point, label in asked.numbers.items() if point in goals or not goals}
    tried = tuple((case.ticket.seat, path) for path in asked.paths[:MOST_DRAWN])
    if asked.trails:
        tried = ((case.ticket.seat, asked.trails[0][:-1]),)
    marked = Marks(labels=kept | asked.labels, marches=tried)
    trails: Sequence[Path] = asked.trails or ((),) * len(asked.choices)
    found = [
        linked(case.turn_ticket, choice, trail) for choice, trail in zip(asked.choices, trails, strict=True)
    ]
    return _page(
        "question.html",
        case,
        asked.known,
        marked,
        line=orders(asked.line),
        more=asked.more,
        found=found,
        signs=" ".join(f"{point}:{label}" for point, label in asked.labels.items()),
    )
