"""The classes of the JSON that programs send and receive. The OpenAPI document is made from them.

The schemas of events are made from the table in `engine.event_log`; this file adds their descriptions. Error
responses are problem documents (RFC 9457), of one kind for each status.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from flask import Response, request
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, RootModel, create_model
from werkzeug.exceptions import HTTPException

from emails.i18n import gettext, gettext_noop
from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from engine import event_log
from engine.board import Board
from engine.bots.reviews import Review, ReviewedTurn, foreseeable, harvests, played_turns
from engine.bots.strengths import Strength
from engine.cards import Symbol
from engine.editions import EDITIONS
from engine.events import EndReason, Event, Source
from engine.notation.orders import write
from engine.position import CardDrawnVeiled, GameStartedVeiled, Phase, View, veil_event
from server.store.event_log import StartedHistory, list_steps
from server.store.refusals import Refusal, RefusalCode
from server.turns.dry_run import MOST_ACTIONS
from server.web.kit.request_context import current_context

SeatNumber = Annotated[int, Field(ge=0, le=3, description="The number of a seat, as index of `players`.")]
PlaceName = Annotated[str, Field(description="The name of a symbol space.", examples=["Larissa"])]
PointName = Annotated[
    str, Field(description="A corner: the letter of its row, then its column.", examples=["C3"])
]
SideName = Annotated[str, Field(description="A side of a space, as its two corners.", examples=["A3-B4"])]
JsonObject = dict[str, object]


class ApiShape(BaseModel):
    """An object of the API. Unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Fact(ApiShape):
    meta: JsonObject | None = None
    """In a running game, the act's number as `act`. In a finished game, the act's seat, channel and time."""


class _MadeFact(_Fact):
    model_config = ConfigDict(use_attribute_docstrings=False)  # generated classes have no source


TYPES: dict[event_log.FieldCodec, object] = {
    event_log.SEAT: SeatNumber,
    event_log.SEATS: list[SeatNumber],
    event_log.INT: int,
    event_log.INTS: list[int],
    event_log.TEXT: str,
    event_log.TEXTS: list[str],
    event_log.EDITION: str,
    event_log.SYMBOL: Symbol,
    event_log.OPTIONAL_SYMBOL: Symbol | None,
    event_log.BAG: list[Symbol],
    event_log.BAGS: list[list[Symbol] | None],
    event_log.PLACE: PlaceName,
    event_log.PLACES: list[PlaceName],
    event_log.PATH: list[PointName],
    event_log.SIDES: list[SideName],
    event_log.SOURCE: Source,
    event_log.REASON: EndReason,
}
DESCRIPTIONS = {
    "game_started": "The cards were dealt.",
    "game_started.seats": "The names of the players; play goes round in this order.",
    "game_started.hands": "The hand dealt to each seat; null if you did not see it.",
    "card_chosen": "A card was chosen for the march: from the display into the hand, or out of the hand.",
    "alexander_marched": "Alexander marched.",
    "alexander_marched.walls": "The sides that got a wall, in the order of the path.",
    "alexander_marched.red": "The number of red walls; these are the last ones.",
    "alexander_stayed": "No march was possible, so Alexander stayed.",
    "alexander_stayed.card": "The card taken off the display; null if the display was empty.",
    "card_drawn": "A card was drawn from the supply.",
    "card_drawn.card": "Null if another player drew the card.",
    "card_taken": "A card was taken off the display.",
    "province_occupied": "A free province was occupied.",
    "province_taken_over": "A province was taken over from its holder.",
    "province_taken_over.removed": "The places of the loser's guards.",
    "province_taken_over.paid": "All cards played for the province.",
    "province_taken_over.given": "The played cards that the loser got.",
    "taxes_levied": "Taxes were levied.",
    "taxes_levied.gains": "The points of each seat.",
    "guard_recalled": "A guard was taken back.",
    "turn_ended": "A turn ended, and the next seat is to move.",
    "card_opened": "A card was turned from the supply onto the display.",
    "supply_renewed": "The discard pile became the supply.",
    "game_ended": "The game is over: the last fact of its log.",
    "turn_skipped": "The turn of a vacant seat was skipped, by the majority of a vote.",
    "game_closed": "The game was ended as it stood, by the majority of a vote: the last fact of its log.",
}


def _make_shape(name: str, fields: Mapping[str, event_log.FieldCodec]) -> type[_Fact]:
    shown: dict[str, Any] = {"type": (Literal[name], ...)}
    if name == "game_started":
        shown["ruleset"] = (Literal[event_log.RULESET], ...)
    for key, kind in fields.items():
        veiled = (name, key) == ("card_drawn", "card")
        words = DESCRIPTIONS.get(f"{name}.{key}")
        described = Field(description=words) if words else ...  # otherwise the type has a description
        shown[key] = (TYPES[event_log.OPTIONAL_SYMBOL if veiled else kind], described)
    called = name.title().replace("_", "")
    return create_model(called, __base__=_MadeFact, __module__=__name__, __doc__=DESCRIPTIONS[name], **shown)


EVENT_SHAPES = {name: _make_shape(name, fields) for name, (_, fields) in event_log.EVENT_FIELDS.items()}
if TYPE_CHECKING:
    AnyFact = _Fact
else:
    AnyFact = Annotated[Union[*EVENT_SHAPES.values()], Field(discriminator="type")]


class Fact(RootModel[AnyFact]):
    """An event of a game; the log has one event per line."""


def encode_for_seat(event: Event, me: int | None, board: Board) -> JsonObject:
    """Return an event as JSON, as seat `me` may see it (None is a spectator). Hidden cards are null."""
    match veil_event(event, me):
        case CardDrawnVeiled(seat):
            return {"type": "card_drawn", "seat": seat, "card": None}
        case GameStartedVeiled(called, edition, seats, hand, display):
            return {
                "type": "game_started",
                "ruleset": event_log.RULESET,
                "board": called,
                "edition": edition,
                "seats": list(seats),
                "hands": [list(hand) if seat == me else None for seat in range(len(seats))],
                "display": list(display),
            }
        case known:
            return event_log.encode(known, board)


_Probability = Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]


class ReviewedTurnView(ApiShape):
    """A turn, and its rating by the computer player that reviews games (the judge)."""

    model_config = ConfigDict(title="ReviewedTurn")

    turn: int
    """The number of the turn, from 1."""
    seat: SeatNumber
    played: list[str]
    """The performed actions, in canonical text."""
    best: list[str]
    """The best actions that the judge found, up to and including the first that reveals a card.

    If it found no better turn, these are the played actions before the first that depends on a revealed card.
    """
    cost: float
    """The estimated points by which the best turn is better than the played turn; 0 if no turn is better."""
    chances: list[_Probability]
    """The chance of each seat to win after this turn. The judge estimates it from all hands."""


class HarvestView(ApiShape):
    """The points of one province in one levy."""

    model_config = ConfigDict(title="Harvest")

    turn: int
    seat: SeatNumber
    """The seat that scored."""
    place: PlaceName
    """The symbol space on which the guard of the province stands."""
    points: int


class ReviewView(ApiShape):
    """The review of a finished game by the judge that also guides the computer players."""

    model_config = ConfigDict(title="Review")

    chances: list[_Probability]
    """The chance of each seat to win before the first turn."""
    turns: list[ReviewedTurnView]
    harvests: list[HarvestView]
    """The sources of all points."""


def describe_review(review: Review, history: StartedHistory) -> ReviewView:
    board = history.position.table.board
    found = [
        HarvestView(turn=one.turn, seat=one.seat, place=board.names[one.place], points=one.value)
        for one in harvests(list_steps(history))
    ]
    played = played_turns(list_steps(history))
    turns = [_describe_turn(one, turn.known) for one, turn in zip(review.turns, played, strict=True)]
    return ReviewView(chances=list(review.chances), turns=turns, harvests=found)


def _describe_turn(one: ReviewedTurn, known: View) -> ReviewedTurnView:
    """Return a reviewed turn as JSON. `known`: what the player knew when the turn began."""
    verdict, board = one.verdict, known.table.board
    best = verdict.best if verdict.cost else foreseeable(known, verdict.best)
    return ReviewedTurnView(
        turn=verdict.turn,
        seat=verdict.seat,
        played=[write(action, board) for action in verdict.played],
        best=[write(action, board) for action in best],
        cost=verdict.cost,
        chances=list(one.chances),
    )


LONGEST_LINE = 2000
"""Maximum characters of a line; the longest march needs fewer."""
LARGEST_ACT_NUMBER = 2**31 - 1
GameId = Annotated[
    str, Field(pattern="^[a-z2-7]{8}$", description="The id of a game.", examples=["mq3ozk7a"])
]
After = Annotated[
    int,
    Field(
        ge=0,
        le=LARGEST_ACT_NUMBER,
        description="The number of the last act that changed the position; 0 if there is none.",
    ),
]


def _drop_fraction(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(microsecond=0)


WholeSecond = Annotated[datetime | None, AfterValidator(_drop_fraction)]
Deadline = Annotated[
    WholeSecond,
    Field(description="The end of this turn's time; null if no time runs, as before its mail has left."),
]
StandsStill = Annotated[
    bool,
    Field(description="Whether the server's mail is down: until it works, no time runs and deadlines move."),
]


PauseEnd = Annotated[
    datetime | None,
    AfterValidator(_drop_fraction),
    Field(description="The end of the game's pause; null if the game is not paused."),
]


class ChoiceView(ApiShape):
    """An order that you can give now."""

    model_config = ConfigDict(title="Choice")

    heading: str
    """Heading of the group to which the choice belongs. Like `title` and `detail` it is for people."""
    words: str
    """The words to send as a line: one order, or several separated by “; ”."""
    title: str
    detail: str
    """Cost and gain of the choice; may be empty."""
    further: bool
    """True if several paths match these words. If you send the words, the error response lists the paths."""


class ProvinceView(ApiShape):
    """A province: spaces that are not separated by walls."""

    model_config = ConfigDict(title="Province")

    first: str
    """The first space of the province: the northernmost, and of several the westernmost."""
    spaces: int
    value: int
    """How many spaces of the province have no symbol."""
    places: list[PlaceName]
    """The symbol spaces of the province."""
    holder: SeatNumber | None


class Standing(ApiShape):
    """The position of a game: the parts that all players see, and your own hand."""

    phase: Phase
    """The next step of the turn: a card, a march, or one of the actions after the march."""
    turn: int
    """The number of the turn, from 1."""
    seat: SeatNumber
    """The seat to move; after the end of the game, the seat that moved last."""
    actions_left: int
    levied: bool
    """Whether taxes were levied this turn."""
    last_turn: bool
    """Whether the game ends with this turn."""
    idle: int
    """Number of successive turns without a new wall and without a point."""
    chosen: Symbol | None
    """The chosen card, in the phase `march`."""
    alexander: PointName
    black: int
    """Black walls left."""
    red: int
    """Red walls left."""
    walls: list[SideName]
    """The sides with a wall."""
    display: list[Symbol]
    discard: list[Symbol]
    scores: list[int]
    guards: list[list[PlaceName]]
    """The symbol spaces on which each seat's guards stand."""
    provinces: list[ProvinceView]
    winners: list[SeatNumber] | None
    hand: list[Symbol] | None
    """Your cards; null for a spectator."""
    hand_sizes: list[int]
    """The number of cards of each seat."""
    supply_size: int


class BotSeat(ApiShape):
    """A seat of a computer player."""

    model_config = ConfigDict(title="HousePlayer")

    seat: SeatNumber
    strength: Strength | None
    """Strength of the computer player; null in games from before strengths could be chosen."""


class _GameFields(ApiShape):
    game: GameId
    name: str
    board: str
    edition: Annotated[str, Field(examples=list(EDITIONS))]
    """The name of the edition of the rules."""
    players: list[str | None]
    """The name of each seat; null if the seat is open."""
    house: list[BotSeat]
    """The seats of computer players."""
    me: SeatNumber | None
    """Your seat; null for a spectator."""
    after: After
    deadline: Deadline
    stands_still: StandsStill
    paused_until: PauseEnd


class OpenGame(_GameFields):
    """A game that has not begun."""

    status: Literal["open"]


class NextTurn(ApiShape):
    """The estimated time of your next turn. Absent players are expected not to move until they return."""

    not_before: WholeSecond
    """The time by which every absent player who moves before you has returned; null if none is absent."""
    latest: WholeSecond
    """The time of your turn if each player before you uses all available time; null without a time limit."""
    words: str
    """The estimate in words for people, with the usual speed of the player to move; may be empty."""


class BegunGame(Standing, _GameFields):
    """A game that is running or over."""

    status: Literal["running", "over"]
    next_turn: NextTurn | None
    """The estimated time of your next turn; null if you do not wait for a turn."""
    choices: list[ChoiceView]
    """The orders that you can give now, best first; empty if it is not your turn.

    The list is not complete. If there are many ways to occupy or take over a province, the list has only a
    few of them. If there are very many paths, the marches in the list name only the corner at which they end.
    """
    review: ReviewView | None = None
    """The judge's review of a finished game; null if there is none yet."""


class GameView(RootModel[Annotated[OpenGame | BegunGame, Field(discriminator="status")]]):
    """A game as you may see it."""

    model_config = ConfigDict(title="Game")


class GameSummary(ApiShape):
    """One of your games."""

    model_config = ConfigDict(title="Listed")

    game: GameId
    name: str
    status: Literal["open", "running", "over"]
    me: SeatNumber
    """Your seat; of several seats the one to move, else the first."""
    seat: SeatNumber | None
    """The seat to move; null if the game is not running."""
    whose_turn: str | None
    """The name of the player to move."""
    after: After
    deadline: Deadline
    stands_still: StandsStill
    paused_until: PauseEnd


class Games(ApiShape):
    """Your games, newest first."""

    games: list[GameSummary]
    next: int | None
    """The number of the next page; null on the last page."""


class Acts(ApiShape):
    """Orders to perform or preview."""

    model_config = ConfigDict(
        strict=True,
        json_schema_extra={
            "examples": [{"after": 17, "lines": ["choose lyre", "march Larissa A3-B4-C3"], "preview": True}]
        },
    )

    after: After
    """The number of the last act of the game as you saw it. If the game has moved on, nothing is done."""
    lines: Annotated[
        list[Annotated[str, Field(max_length=LONGEST_LINE)]], Field(min_length=1, max_length=MOST_ACTIONS)
    ]
    """The orders, as in a mail. One line may contain several, separated by “; ”."""
    preview: bool = False
    """Preview the orders without performing them. The preview stops at a card not yet revealed."""
    seat: SeatNumber | None = None
    """Your seat; needed only if several seats of the game are yours."""


class VoteRequest(ApiShape):
    """A request to all players, or an answer to an open vote."""

    model_config = ConfigDict(
        title="Vote", strict=True, json_schema_extra={"examples": [{"vote": "more time"}]}
    )

    vote: Annotated[VoteKind, Field(strict=False)]
    """The subject: more time, a pause in which no clock runs, or the future of a vacant seat."""
    answer: Annotated[VoteAnswer, Field(strict=False)] | None = None
    """Your answer to an open vote; omit it to make the request. “no” to a current pause ends it."""
    about: SeatNumber | None = None
    """The vacant seat, for “empty seat”."""
    until: Annotated[AwareDatetime, Field(strict=False)] | None = None
    """The time at which a requested pause ends by itself, at most thirty days ahead."""
    seat: SeatNumber | None = None
    """Your seat; needed only if several seats of the game are yours."""


class VoteResult(ApiShape):
    """The outcome of your request or answer."""

    model_config = ConfigDict(title="Voted")

    outcome: VoteOutcome
    told: str
    """The outcome as a sentence."""


class CommandResult(ApiShape):
    """What your command has done."""

    model_config = ConfigDict(title="CommandDone")

    told: str
    """The effect as a sentence."""


class ReturnResult(ApiShape):
    """The outcome of a return: whether a caretaker played your seat until now."""

    model_config = ConfigDict(title="BackDone")

    back: bool


class ActResult(ApiShape):
    """The outcome of your orders, or of their preview."""

    model_config = ConfigDict(title="Done")

    preview: bool
    done: list[str]
    """The performed actions, in canonical text."""
    undone: list[str]
    """Lines that a revealed card made impossible; in a preview, lines that follow a card not yet revealed."""
    why: str | None
    """The reason why the first of the undone lines was not performed; always null in a preview."""
    hidden: bool
    """Whether the preview stops at a card not yet revealed."""
    after: After
    """The number of this act; in a preview, of the last act."""
    events: list[Fact]
    """The events, as you may see them."""
    game: BegunGame
    """The game now; in a preview, the game after the orders, without choices."""


class SuggestionView(ApiShape):
    """A turn worth playing."""

    model_config = ConfigDict(title="Suggestion")

    words: str
    """All orders of the turn as one line. After an order that reveals a card you may prefer other orders."""
    turn: str
    """The turn in words; like `gain` and `why` it is for people."""
    gain: str
    """The expected gain over the position before the turn, as estimated by the server."""
    points: float
    """The gain as a number of points. A won or lost game counts as a large number of points."""
    why: str
    """The main reason. A number in brackets is a rival's chance to take the province back."""


class Advice(ApiShape):
    """Several good turns, best first, judged only by what the player of your seat knows."""

    after: After
    at_sight: bool
    """Whether the server had no time to think ahead, so that the turns are only a quick estimate."""
    suggestions: list[SuggestionView]


class Problem(ApiShape):
    """The reason why a request failed (RFC 9457). A refused request changes nothing."""

    type: str
    """Address that describes this kind of problem."""
    title: str
    status: int
    detail: str
    """A sentence for people, in the language of Accept-Language (English or Dutch)."""
    after: After | None = None
    """409: the last act of the game now."""
    line: str | None = None
    """422: the words that could not be performed."""
    rule: str | None = None
    """422: the number of the violated rule, as in /rules."""
    candidates: list[str] | None = None
    """422: possible meanings. To choose one, repeat the request with that meaning as the only line."""
    more: bool | None = None
    """422: whether there are more meanings than `candidates` lists."""
    did_you_mean: list[str] | None = None
    """422: words that you may have meant."""


API_PATH = "/api/"
DOCUMENT_PATH = "/api/openapi.json"
PROBLEM_MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class ProblemKind:
    name: str
    title: str
    usual: str
    told: str


PROBLEM_KINDS = {
    400: ProblemKind(
        "NotUnderstood",
        gettext_noop("That could not be understood"),
        gettext_noop("What was sent cannot be read. Nothing was done."),
        "The body is not JSON of the described shape, or a parameter is invalid.",
    ),
    401: ProblemKind(
        "NoKey",
        gettext_noop("A key is needed"),
        gettext_noop("This needs a key: send the header “Authorization: Bearer” followed by the key."),
        "A needed key is missing, or the key is unknown or was ended.",
    ),
    403: ProblemKind(
        "NotYours",
        gettext_noop("That is not your seat"),
        gettext_noop("You have no seat in this game, so you can only watch it."),
        "The seat is not the caller's.",
    ),
    404: ProblemKind(
        "NotHere",
        gettext_noop("There is nothing here"),
        gettext_noop("There is no such game, or it is not shown to you."),
        "The address or game does not exist, or the game is hidden from the caller.",
    ),
    405: ProblemKind(
        "NotInThisWay",
        gettext_noop("Not in this way"),
        gettext_noop("This address cannot be asked in that way. Nothing was done."),
        "This address does not support the method; `Allow` names the supported methods.",
    ),
    409: ProblemKind(
        "Stale",
        gettext_noop("The game has moved on"),
        gettext_noop("The game has moved on since you saw it. Nothing was done."),
        "Another player acted meanwhile. `after` is the last act now: request the game and decide again.",
    ),
    413: ProblemKind(
        "TooLarge",
        gettext_noop("That is too much"),
        gettext_noop("What was sent is larger than can be taken here. Nothing was done."),
        "The body has too many bytes.",
    ),
    415: ProblemKind(
        "NotJson",
        gettext_noop("Only JSON is read here"),
        gettext_noop(
            "The body must be JSON, with the header “Content-Type: application/json”. Nothing was done."
        ),
        "The body is not declared as `application/json`.",
    ),
    422: ProblemKind(
        "Refused",
        gettext_noop("Nothing was done"),
        gettext_noop("That cannot be done."),
        "The orders are unreadable, ambiguous, or against the rules; nothing was done. `candidates` and "
        "`did_you_mean` list what can be sent instead.",
    ),
    429: ProblemKind(
        "TooOften",
        gettext_noop("That is too often"),
        gettext_noop("That was asked too often. Please wait for a while."),
        "Too many calls within a minute; `Retry-After` is the number of seconds to wait.",
    ),
    500: ProblemKind(
        "Broken",
        gettext_noop("Something went wrong here"),
        gettext_noop("That is our fault, not yours. Please try again later."),
        "A fault of the server.",
    ),
    503: ProblemKind(
        "Unavailable",
        gettext_noop("Not just now"),
        gettext_noop("Nothing was done. Please try again in a minute."),
        "The server's database is unavailable or its disk is full; `Retry-After` is in seconds.",
    ),
}


STATUS_OF_REFUSAL = {RefusalCode.STALE: 409, RefusalCode.NOT_RUNNING: 404}
"""HTTP status by refusal code; 422 for all other codes."""
NOTHING_MORE: Mapping[str, object] = {}
NO_HEADERS: Mapping[str, str] = {}


class ApiError(Refusal):
    """An error response. `more` has further keys of the problem document, such as `after`."""

    code = RefusalCode.REQUEST

    def __init__(
        self,
        status: int,
        detail: str = "",
        more: Mapping[str, object] = NOTHING_MORE,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        super().__init__(detail or gettext(PROBLEM_KINDS[status].usual))
        self.status, self.more, self.headers = status, more, headers


class OrdersError(ApiError):
    code = RefusalCode.ORDERS


class StaleError(ApiError):
    """A refused act that was meant for an earlier position."""

    code = RefusalCode.STALE


def render_problem(wrong: ApiError) -> Response:
    kind = PROBLEM_KINDS[wrong.status]
    problem = Problem.model_validate(
        {
            "type": f"{current_context().settings.base_url}{DOCUMENT_PATH}#/components/responses/{kind.name}",
            "title": gettext(kind.title),
            "status": wrong.status,
            "detail": wrong.sentence,
            **wrong.more,
        }
    )
    body = problem.model_dump_json(exclude_unset=True)
    return Response(body, wrong.status, dict(wrong.headers), content_type=PROBLEM_MEDIA_TYPE)


def render_refusal(refusal: Refusal) -> Response:
    return render_problem(ApiError(STATUS_OF_REFUSAL.get(refusal.code, 422), refusal.sentence))


def render_http_error(error: HTTPException) -> Response:
    given = error.code or 500
    status = given if given in PROBLEM_KINDS else 400 if given < 500 else 500
    detail = (
        gettext("There is no such address in the API.") if status == 404 and request.url_rule is None else ""
    )
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    return render_problem(ApiError(status, detail, headers=headers))
