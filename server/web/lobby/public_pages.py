"""Public pages: the front page, the lists of games, the rules, the help and the privacy statement."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape

from flask import Blueprint, render_template, request, url_for
from markupsafe import Markup
from sqlmodel import Session

from emails import rule_figures
from emails.i18n import Locale, current_locale, gettext, gettext_noop, ngettext, use_locale
from emails.languages.lexicon import words_of
from emails.languages.supported_languages import LANGUAGES
from emails.letters.parts import summarise_rules
from emails.picture.layers import EMPTY_OVERLAY, Overlay
from emails.rule_figures import Figure, caption_figures
from emails.tokens import Purpose, seal_game
from emails.wording import phrases, texts
from emails.wording.phrases import format_minutes
from emails.wording.requests import RequestKind, list_phrases, request_word
from engine.board import Board
from engine.bots import play_to_win
from engine.cards import ONE, SYMBOLS, Symbol
from engine.editions import DEFAULT_EDITION, EDITIONS, Edition, differing_rules
from engine.events import GameStarted
from engine.evolve import evolve, start
from engine.notation.orders import Verb
from engine.position import view
from server.lobby.open_seats import shown_seats
from server.mail_addresses import contact_address
from server.store import load_boards
from server.store.event_log import CorruptLog
from server.store.game_terms import ListedGame, list_joinable_games, list_offered_games, list_watchable_games
from server.store.personal import WHAT_STAYS, Kept
from server.turns.dry_run import simulate_turn
from server.web.account.my_pages import GameListKind, list_player_games
from server.web.game.dock import draw_chart
from server.web.kit import visitors
from server.web.kit.request_context import current_context, now

pages = Blueprint("public_pages", __name__)


EXAMPLE_PLAYERS = ("Anna", "Ben", "Cleo", "Dirk")
EXAMPLE_TURNS = 24
FEW_GAMES, MOST_GAMES = 3, 50


@pages.get("/")
def show_front_page() -> str:
    me = visitors.signed_in_player()
    with current_context().reading() as session:
        joined = _joinable_games(session)[:FEW_GAMES]
        mine = (
            ()
            if me is None
            else (
                list_player_games(session, me, GameListKind.RUNNING, most=FEW_GAMES),
                list_player_games(session, me, GameListKind.INVITED, most=FEW_GAMES),
            )
        )
    return render_template(
        "front.html",
        chart=_example_board(current_locale().language),
        joined=_game_rows(joined),
        mine=[one for one in mine if one.entries],
        me=me is not None,
    )


@cache
def _example_board(_: str) -> str:
    """Draw a fixed example position. The argument, a language, is only the cache key."""
    board = next(iter(load_boards().values()))
    lyre, horse, temple = ONE[Symbol.LYRE], ONE[Symbol.HORSE], ONE[Symbol.TEMPLE]
    dealt = GameStarted(
        board.name, DEFAULT_EDITION.name, EXAMPLE_PLAYERS, (lyre, horse, temple, lyre), horse + temple
    )
    position, dice = start(board, dealt), random.Random(EXAMPLE_TURNS)
    while position.table.turn <= EXAMPLE_TURNS and not position.table.over:
        for event in simulate_turn(position, play_to_win, lambda bag: dice.choice(list(bag))).events:
            position = evolve(position, event)
    return draw_chart(view(position, None), EMPTY_OVERLAY, lands=None)


@pages.get("/games")
def show_game_lists() -> str:
    with current_context().reading() as session:
        joined, watched = _joinable_games(session), list_watchable_games(session, MOST_GAMES)
        offered = list_offered_games(session, MOST_GAMES)
    return render_template(
        "games.html",
        joined=_game_rows(joined),
        offered=_game_rows(offered),
        watched=_game_rows(watched, join=False),
    )


def _joinable_games(session: Session) -> list[ListedGame]:
    found = []
    for one in list_joinable_games(session, now(), MOST_GAMES):
        try:
            taken, free = shown_seats(current_context(), session, one.game)
        except CorruptLog:  # the other games are still listed
            continue
        if free:
            found.append(ListedGame(one.game, tuple(seating.name for seating in taken), free))
    return found


def _game_rows(listed: list[ListedGame], *, join: bool = True) -> list[dict[str, object]]:
    """Return the rows of a list. `join`: their links lead to the pages to join, else to the boards."""
    keys = current_context().links.keys
    if join:
        begins, _, ends = url_for("open_seat_pages.take_open_seat", token="-").rpartition("-")
    else:
        begins, _, ends = url_for("readonly_pages.show_spectator_page", game="-").rpartition("-")
    return [
        {
            "link": f"{begins}{seal_game(Purpose.JOIN, one.game.id, keys) if join else one.game.id}{ends}",
            "name": phrases.safe_name(one.game.name),
            "players": [phrases.safe_name(name) for name in one.names],
            "free": one.free,
            "time": format_minutes(one.game.turn_minutes),
            "turn": one.game.turn,
            "mover": "" if one.game.seat is None else phrases.safe_name(one.names[one.game.seat]),
        }
        for one in listed
    ]


@pages.get("/privacy")
def show_privacy() -> str:
    return render_template(
        "privacy.html",
        kept=[(gettext(one.what), gettext(one.why), gettext(one.until, days=one.days)) for one in Kept],
        stays=[gettext(one) for one in WHAT_STAYS],
        operator=contact_address(current_context().settings),
    )


GAME_BOARD = "Alexandros"
CLAUSE_NUMBER = re.compile(r"(?<![\w.])[1-9]\.\d{1,2}(?!\d)")
RULE_REFERENCE = re.compile(r"\b(?:rule|regel) ([1-9](?:\.\d{1,2})?)(?!\d)")


@pages.get("/rules")
def show_rules() -> str:
    """Show the rules of the edition in `?edition=`."""
    mine = EDITIONS.get(request.args.get("edition", ""))
    drawn = caption_figures(load_boards()[GAME_BOARD])
    return render_template(
        "rules.html",
        parts=[
            (number, title, _shown_clauses(number, drawn, mine))
            for number, title in texts.part_titles().items()
        ],
        brief=summarise_rules(mine or DEFAULT_EDITION),
        mine=phrases.edition_title(mine) if mine else "",
        editions_note=_editions_note(),
        others=[
            (name, phrases.edition_title(edition)) for name, edition in EDITIONS.items() if edition != mine
        ],
        symbols=SYMBOLS,
        anchor=clause_anchor,
        grounds=_figure_grounds(),
        shown=rule_figures.render_svg,
    )


def _editions_note() -> str:
    rules = len(differing_rules())
    return gettext(
        "The game was printed in %(editions)s editions, which differ in %(rules)s; the invitation to your "
        "game names its own. %(shown)s",
        editions=phrases.spell_number(len(EDITIONS)),
        rules=ngettext("%(word)s rule", "%(word)s rules", rules, word=phrases.spell_number(rules)),
        shown=gettext("Both are shown here.") if len(EDITIONS) == 2 else gettext("All are shown here."),
    )


def _shown_clauses(part: str, drawn: Sequence[Figure], mine: Edition | None) -> Iterator[dict[str, object]]:
    differing = differing_rules()
    for clause in texts.find_clauses(part, mine or DEFAULT_EDITION):
        number = clause.number
        yield {
            "number": number,
            "words": Markup(CLAUSE_NUMBER.sub(lambda found: _clause_link(found[0]), escape(clause.text))),
            "differences": [
                (phrases.edition_title(edition), gettext(one.words, **one.values), edition == mine)
                for edition in EDITIONS.values()
                for one in edition.differences
                if one.rule == number in differing
            ],
            "figures": [one for one in drawn if one.clause == number],
            "seen": [one.number for one in drawn if number in one.shows and one.clause != number],
        }


def _clause_link(number: str) -> str:
    return f'<a href="#{clause_anchor(number)}">{number}</a>' if texts.find_clauses(number) else number


def link_rules(words: str) -> Markup:
    """Return a sentence as HTML, with links on references such as "rule 5.9"."""

    def link(found: re.Match[str]) -> str:
        page = url_for(
            "public_pages.show_rules", lang=current_locale().language, _anchor=clause_anchor(found[1])
        )
        return f'<a href="{escape(page)}">{found[0]}</a>' if texts.find_clauses(found[1]) else found[0]

    return Markup(RULE_REFERENCE.sub(link, escape(words)))


def clause_anchor(number: str) -> str:
    return f"r{number.replace('.', '-')}" if "." in number else f"part-{number}"


@cache
def _figure_grounds() -> str:
    return rule_figures.render_grounds(rule_figures.boards_drawn(load_boards()[GAME_BOARD]))


# --- help -----------------------------------------------------------------------------------------------

ORDER_EXAMPLES = (
    (Verb.CHOOSE, gettext_noop("march with a card of the display, which you keep"), "choose lyre"),
    (Verb.PLAY, gettext_noop("march with a card from your hand, which is discarded"), "play lyre"),
    (Verb.MARCH, gettext_noop("the march itself, to a corner or along a path"), "march Larissa A3-B4-C5"),
    (Verb.STAY, gettext_noop("no march is possible"), "stay lyre"),
    (Verb.DRAW, gettext_noop("get the next card of the supply"), "draw"),
    (Verb.TAKE, gettext_noop("get a card of the display"), "take horse"),
    (Verb.OCCUPY, gettext_noop("put guards into a free province"), "occupy Larissa+Aegae"),
    (Verb.TAKEOVER, gettext_noop("take a province from somebody"), "takeover Larissa give horse+lyre"),
    (Verb.LEVY, gettext_noop("levy taxes"), "levy lyre"),
    (Verb.RECALL, gettext_noop("take a guard back from the board"), "recall Larissa"),
    (Verb.END, gettext_noop("end the turn early"), "end"),
)
EXAMPLE_TURN = "choose lyre; march Larissa A3-B4-C3; occupy Aegae; draw"
REQUEST_SENTENCES: Sequence[tuple[RequestKind, str]] = (
    (RequestKind.HELP, gettext_noop("all that can be written")),
    (RequestKind.BOARD, gettext_noop("the whole position in words")),
    (RequestKind.HAND, gettext_noop("your cards and what they can do")),
    (RequestKind.HISTORY, gettext_noop("what everybody did, turn by turn")),
    (RequestKind.RULES, gettext_noop("the game in two minutes; with a number, such as 5.9, that rule")),
    (RequestKind.SETTINGS, gettext_noop("which mails you get, and when")),
    (RequestKind.WHEN, gettext_noop("between which days your turn comes")),
    (RequestKind.AWAY, gettext_noop("no time runs on your turns until the day that you write behind it")),
    (
        RequestKind.BACK,
        gettext_noop("you are there again, and play yourself where a caretaker has played for you"),
    ),
    (RequestKind.REST, gettext_noop("your nights and weekends, and the page on which they are set")),
    (RequestKind.NO_REMINDERS, gettext_noop("no reminders of your turns come any more")),
    (RequestKind.REMINDERS, gettext_noop("they come again")),
    (RequestKind.ZONE, gettext_noop("all times are by the clock of the city that you write behind it")),
    (RequestKind.NUDGE, gettext_noop("the player to move is reminded that you wait, once a day")),
    (RequestKind.NO_LETTERS, gettext_noop("no more mails come, of this game or of all")),
    (RequestKind.NEW_LINKS, gettext_noop("earlier links open nothing any more; you get new ones")),
    (
        RequestKind.MORE_TIME,
        gettext_noop("the turn has 24 hours more, unless another player says no; once in a turn"),
    ),
    (
        RequestKind.PAUSE,
        gettext_noop("no time runs on any turn, once all who play agree; the last day may stand behind it"),
    ),
    (RequestKind.RESUME, gettext_noop("the pause ends, and time runs again")),
    (
        RequestKind.RESIGN,
        gettext_noop(
            "you give the game up, and a caretaker plays on for you; you can come back until somebody else "
            "has the seat"
        ),
    ),
)


@pages.get("/help")
def show_help() -> str:
    drawn = _example_drawing()
    return render_template(
        "help.html",
        grounds=rule_figures.render_grounds([load_boards()[GAME_BOARD]]),
        named=rule_figures.render_svg(drawn),
        orders=[(gettext(words), _order_spellings(verb, example)) for verb, words, example in ORDER_EXAMPLES],
        asked=[(gettext(words), _request_spellings(kind)) for kind, words in REQUEST_SENTENCES],
        languages=LANGUAGES,
        turn=EXAMPLE_TURN,
        resign=request_word(RequestKind.RESIGN),
        back=request_word(RequestKind.BACK),
        more_time=request_word(RequestKind.MORE_TIME),
        document=url_for("api_routes.get_document"),
        operator=contact_address(current_context().settings),
        proposals=f"new@{current_context().settings.mail_domain}",
    )


Spelling = tuple[str, str, Sequence[str]]


def _order_spellings(verb: Verb, example: str) -> Iterator[Spelling]:
    for language in LANGUAGES:
        own = words_of(language).vocabulary
        others = own.words_for(verb)[1:]
        with use_locale(Locale(language)):
            said = phrases.translate_order(example)
        yield language, said, others


def _request_spellings(kind: RequestKind) -> Iterator[Spelling]:
    for language in LANGUAGES:
        first, *others = list_phrases(kind, language)
        yield language, first, others


@cache
def _example_drawing() -> rule_figures.Drawing:
    board: Board = load_boards()[GAME_BOARD]
    marks = Overlay(
        targets=frozenset([board.places["Larissa"]]), preview=rule_figures.parse_path(board, "A3-B4-C5")
    )
    return rule_figures.draw_part(view(rule_figures.figure_2(board), None), marks, (6, 6, 250, 222))
