"""Pages of the signed-in player below /me: games and personal data.

Visitors who are not signed in see the games played in this browser.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache

from flask import Response, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import ColumnElement, Integer, and_, bindparam, func, not_, or_, tuple_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select, SelectOfScalar

from emails.i18n import gettext, ngettext
from emails.letters.lobby_letters import LONGEST_ADDRESS
from emails.picture.palette import clean_name
from emails.tokens import ACCEPT_WORDS, Ticket
from emails.wording import phrases
from emails.wording.narration import narrate_events
from emails.wording.phrases import format_time_left
from emails.wording.texts import say
from engine.events import TurnOver
from engine.position import veil_event, view
from server.accounts import sign_in
from server.delivery.composition import tell_player_away
from server.monitoring import SecurityEvent
from server.personal_data import forget_player, write_data_of
from server.store.event_log import CorruptLog, History, StartedHistory
from server.store.game_terms import OPEN_SEAT_NAME, find_pause_end, organiser_seat, ticket_to
from server.store.models import Game, Player, Resignation, Seating
from server.store.personal import WHAT_GOES, WHAT_STAYS
from server.store.states import GameStatus
from server.store.turn_clock import shown_deadlines
from server.turns.forecast import AskingSeat, foresee_turns
from server.web.game.viewers import MOST_SUMMED_UP, link_of, settings_of, token_of
from server.web.kit import errors, visitors
from server.web.kit.forms import FormPages, look_again
from server.web.kit.request_context import current_context, now, one_reading, read, redirect_to, session_token

PAGE_SIZE = 50


class GameListKind(StrEnum):
    RUNNING = "running"
    INVITED = "invited"
    """Games whose invitation the player has not accepted."""
    WAITING = "waiting"
    """Games that the player has accepted but other players have not."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class GameListPage:
    entries: tuple[dict[str, object], ...]
    total: int
    number: int

    @property
    def page_count(self) -> int:
        return -(-self.total // PAGE_SIZE)


SeatedGame = tuple[Seating, Game, Resignation | None]
KIND_FILTERS: Mapping[GameListKind, ColumnElement[bool]] = {
    GameListKind.RUNNING: col(Game.status) == GameStatus.RUNNING,
    GameListKind.INVITED: and_(col(Game.status) == GameStatus.OPEN, col(Seating.accepted_at).is_(None)),
    GameListKind.WAITING: and_(col(Game.status) == GameStatus.OPEN, col(Seating.accepted_at).is_not(None)),
    GameListKind.ENDED: col(Game.status).in_((GameStatus.OVER, GameStatus.CANCELLED)),
}
NEWEST_FIRST = func.coalesce(Game.turn_began_at, Game.opened_at).desc()


PlayedSeat = tuple[str, int, int]  # game, seat, `Seating.generation`


@cache
def _select_games(
    kind: GameListKind, *, of_player: bool
) -> tuple[SelectOfScalar[int], Select[Seating, Game, Resignation]]:
    # The parameter `reader` of the statements is a player if `of_player`, else the seats known to a browser.
    if of_player:
        own = col(Seating.player) == bindparam("reader", type_=Integer)
    else:
        known = tuple_(col(Seating.game), col(Seating.seat), col(Seating.generation))
        own = and_(known.in_(bindparam("reader", expanding=True)), col(Seating.player).is_not(None))
    if kind in (GameListKind.RUNNING, GameListKind.ENDED):
        own = and_(own, _stands_for_others())
    count = select(func.count()).select_from(Seating).join(Game, col(Game.id) == Seating.game)
    given_up = and_(col(Resignation.game) == Seating.game, col(Resignation.seat) == Seating.seat)
    rows = select(Seating, Game, Resignation).join(Game, col(Game.id) == Seating.game)
    rows = rows.outerjoin(Resignation, given_up)
    if kind == GameListKind.RUNNING:
        waits = and_(col(Game.seat) == col(Seating.seat), col(Resignation.seat).is_(None))
        rows = rows.order_by(waits.desc(), col(Resignation.seat).is_not(None), col(Game.deadline).is_(None))
        rows = rows.order_by(col(Game.deadline), NEWEST_FIRST, col(Game.id))
    else:
        rows = rows.order_by(NEWEST_FIRST, col(Game.id))
    rows = rows.offset(bindparam("begins", type_=Integer)).limit(bindparam("most", type_=Integer))
    return count.where(own, KIND_FILTERS[kind]), rows.where(own, KIND_FILTERS[kind])


def _stands_for_others() -> ColumnElement[bool]:
    """Return a condition that keeps one seat per game and player: the seat to move, else the first."""
    other = aliased(Seating)
    moves, other_moves = (func.coalesce(Game.seat == one, False) for one in (col(Seating.seat), other.seat))
    earlier = and_(other_moves == moves, col(other.seat) < col(Seating.seat))
    sooner = or_(and_(other_moves, not_(moves)), earlier)
    same = col(other.game) == col(Seating.game), col(other.player) == col(Seating.player)
    return not_(select(other.seat).where(*same, sooner).correlate(Seating, Game).exists())


def list_player_games(
    session: Session,
    reader: int | Sequence[PlayedSeat],
    kind: GameListKind,
    number: int = 1,
    most: int = PAGE_SIZE,
) -> GameListPage:
    """Return one page of the games of `reader`: a player, or the seats known to a browser.

    Running games: first those in which the player is to move, then by deadline. Others: the newest first.
    """
    count, rows = _select_games(kind, of_player=isinstance(reader, int))
    asked = {"reader": reader, "begins": (number - 1) * PAGE_SIZE, "most": most}
    found = session.exec(rows, params=asked).all()
    is_whole = number == 1 and len(found) < most
    total = len(found) if is_whole else session.exec(count, params={"reader": reader}).one()
    return GameListPage(_build_entries(session, found), total, number)


SELECT_SETTINGS_GAME = (
    select(Seating, Game)
    .join(Game, col(Game.id) == Seating.game)
    .where(
        col(Seating.player) == bindparam("of"),
        col(Game.status).in_((GameStatus.OPEN, GameStatus.RUNNING, GameStatus.OVER)),
    )
    .order_by((col(Game.id) == bindparam("named")).desc(), col(Game.opened_at).desc(), col(Game.id))
    .limit(1)
)


def settings_link(session: Session, player: int, game: str = "") -> str:
    found = session.exec(SELECT_SETTINGS_GAME, params={"of": player, "named": game}).first()
    return (
        ""
        if found is None
        else settings_of(_current_ticket(found[0], found[1], _history_or_empty(session, found[1])))
    )


SELECT_SEATS = (
    select(Seating)
    .where(col(Seating.game).in_(bindparam("games", expanding=True)))
    .order_by(col(Seating.seat))
)


def _build_entries(session: Session, rows: Sequence[SeatedGame]) -> tuple[dict[str, object], ...]:
    if not rows:
        return ()
    games = [game.id for _, game, _ in rows]
    seats: defaultdict[str, list[Seating]] = defaultdict(list)
    for one in session.exec(SELECT_SEATS, params={"games": games}):
        seats[one.game].append(one)
    deadlines = shown_deadlines(session, [game for _, game, _ in rows], now())
    found = [
        _build_entry(session, row, seats[row[1].id], deadline)
        for row, deadline in zip(rows, deadlines, strict=True)
    ]
    asking = [AskingSeat(game, _history_or_empty(session, game), one.seat) for one, game, _ in rows]
    outlooks = foresee_turns(session, asking, now())
    seats_in = Counter(games)
    return tuple(
        {
            **entry,
            "outlook": say("time.next_turn", outlook=outlook, now=now()),
            "seat": phrases.safe_name(seating.name) if seats_in[game.id] > 1 else "",
        }
        for entry, outlook, (seating, game, _) in zip(found, outlooks, rows, strict=True)
    )


def _build_entry(
    session: Session, row: SeatedGame, seats: Sequence[Seating], deadline: datetime | None
) -> dict[str, object]:
    seating, game, resigned = row
    history = _history_or_empty(session, game)
    others = dict.fromkeys(
        phrases.safe_name(one.name or gettext(OPEN_SEAT_NAME)) for one in seats if one != seating
    )
    running, mine = game.status == GameStatus.RUNNING, game.seat == seating.seat and resigned is None
    last = gettext("It was called off before it began.") if game.status == GameStatus.CANCELLED else ""
    invited = game.status == GameStatus.OPEN and seating.accepted_at is None
    asker = organiser_seat(session, game.id, history) if invited else None
    return {
        "name": phrases.safe_name(game.name),
        "invited": invited,
        "asker": phrases.safe_name(seats[asker].name) if asker not in (None, seating.seat) else "",
        "link": link_of(_current_ticket(seating, game, history)),
        "others": phrases.format_list(others) if others else "",
        "my_turn": running and mine,
        "mover": next(
            (phrases.safe_name(one.name) for one in seats if running and one.seat == game.seat), ""
        ),
        "gave_up": running and resigned is not None,
        "halted": game.suspended_at is not None,
        "pause_ends": find_pause_end(game, history),
        "left": format_time_left(deadline - now()) if running and deadline else "",
        "deadline": deadline if running else None,
        "last": last or _last_sentence(history, seating.seat),
        "at": datetime.fromisoformat(history.after_at) if history.after_at else None,
    }


def _history_or_empty(session: Session, game: Game) -> History:
    try:
        return current_context().history_of(session, game)
    except CorruptLog:  # other games are still shown
        return History()


def _current_ticket(seating: Seating, game: Game, history: History) -> Ticket:
    since = history.player_since(seating.seat)
    if game.status == GameStatus.OPEN:
        return ticket_to(seating, since, ACCEPT_WORDS)
    return ticket_to(seating, max(game.after, since))


def _last_sentence(history: History, me: int) -> str:
    if not isinstance(history, StartedHistory):
        return ""
    known = view(history.position, me)
    winners = known.table.winners
    if winners is not None:
        return ngettext(
            "%(winners)s won with %(points)s.",
            "%(winners)s won with %(points)s.",
            len(winners),
            winners=phrases.capitalize_first(phrases.format_seats(known, winners)),
            points=phrases.format_points(max(known.table.scores)),
        )
    facts = [veil_event(event, me) for seq, event in history.events if seq == history.after]
    actions = [fact for fact in facts if hasattr(fact, "seat") and not isinstance(fact, TurnOver)]
    told = (actions or facts)[-MOST_SUMMED_UP:]
    return next(iter(narrate_events(told, known)[-1:]), "")


ENDED_SHOWN = 10
MOST_PAGES = 10_000
pages = FormPages("my_pages", __name__)


@pages.get("/me")
@one_reading
def show_my_games() -> ResponseReturnValue:
    """Show the player's games. Pages after the first show only running games."""
    player, number = visitors.signed_in_player(), _page_number()
    if player is None:
        return _show_games_played_here()
    with current_context().reading() as session:
        return render_template(
            "my_games.html",
            name=phrases.safe_name(session.get_one(Player, player).name),
            running=list_player_games(session, player, GameListKind.RUNNING, number),
            invited=list_player_games(session, player, GameListKind.INVITED) if number == 1 else None,
            waiting=list_player_games(session, player, GameListKind.WAITING) if number == 1 else None,
            ended=list_player_games(session, player, GameListKind.ENDED, most=ENDED_SHOWN)
            if number == 1
            else None,
            settings=settings_link(session, player),
            away=tell_player_away(session, player, None, now()),
        )


def _show_games_played_here() -> ResponseReturnValue:
    known = visitors.played_seats()
    with current_context().reading() as session:
        running, invited, waiting = (
            list_player_games(session, known, kind)
            for kind in (GameListKind.RUNNING, GameListKind.INVITED, GameListKind.WAITING)
        )
        token = _token_of_first(session, known)
    if not token or not (running.total or invited.total or waiting.total):
        return redirect_to("sign_in_pages.request_link")
    return render_template(
        "games_of_browser.html",
        running=running,
        invited=invited,
        waiting=waiting,
        sign_in=url_for("sign_in_pages.mail_link", token=token),
    )


def _token_of_first(session: Session, known: list[PlayedSeat]) -> str:
    for name, seat, generation in known:
        game, seating = session.get(Game, name), session.get(Seating, (name, seat))
        if (
            game is not None
            and seating is not None
            and seating.generation == generation
            and seating.player is not None
        ):
            return token_of(ticket_to(seating, game.after))
    return ""


@pages.button("/me/forget-here", lambda: None, look_again(lambda _: url_for("my_pages.show_my_games")))
def forget_games_played_here(_: None) -> ResponseReturnValue:
    visitors.forget_played_seats()
    return redirect_to("my_pages.show_my_games")


@pages.get("/me/finished")
def show_finished_games() -> ResponseReturnValue:
    player = visitors.require_player()
    ended = read(list_player_games, player, GameListKind.ENDED, _page_number())
    return render_template("my_finished_games.html", ended=ended)


def _page_number() -> int:
    asked = request.args.get("page", "1")[:6]
    return min(MOST_PAGES, max(1, int(asked))) if asked.isascii() and asked.isdigit() else 1


SIGN_IN_ANEW = "anew"


@pages.get("/me/data")
def show_my_data() -> ResponseReturnValue:
    return _render_data("my_data.html", visitors.require_player())


@pages.get("/me/data.json")
def download_my_data() -> ResponseReturnValue:
    player = visitors.require_player()
    visitors.note_event(SecurityEvent.DATA_ASKED, player)
    answer = Response(write_data_of(current_context(), player), mimetype="application/json")
    answer.headers["Content-Disposition"] = 'attachment; filename="alexandros-my-data.json"'
    return answer


def _render_forget(player: int, wrong: str = "") -> str:
    return _render_data("forget.html", player, wrong)


def _render_data(template: str, player: int, wrong: str = "") -> str:
    with current_context().reading() as session:
        known = session.get_one(Player, player)
    return render_template(
        template,
        name=phrases.safe_name(known.name),
        address=clean_name(known.address, LONGEST_ADDRESS),
        goes=[gettext(one) for one in WHAT_GOES],
        stays=[gettext(one) for one in WHAT_STAYS],
        wrong=wrong,
        fresh=read(sign_in.is_sign_in_fresh, session_token(), now()),
    )


@pages.form("/me/forget", visitors.require_player, _render_forget)
def forget_me(player: int) -> ResponseReturnValue:
    """Erase the player's data. Refuse if the sign-in is old, since others may use the browser by now."""
    if request.form.get("wish") == SIGN_IN_ANEW:
        sign_in.sign_out(current_context(), session_token())
        leaving = make_response(redirect_to("sign_in_pages.request_link"))
        visitors.clear_session_cookie(leaving)
        return leaving
    if not read(sign_in.is_sign_in_fresh, session_token(), now()):
        return _render_forget(player), 403
    visitors.note_event(SecurityEvent.PERSON_FORGOTTEN, player)
    forget_player(current_context(), player, now())
    current_context().system.compact(current_context().database, whole=False)
    words = gettext(
        "Your name, your addresses and what you wrote are gone from here. Your games go on without you."
    )
    answer = make_response(errors.render_message(gettext("You are forgotten"), words))
    visitors.clear_session_cookie(answer)
    return answer
