"""The classes of the JSON that programs send and receive. The OpenAPI document is made from them.

The schemas of events are made from the table in `engine.event_log`; this file adds their descriptions. Error
responses are problem documents (RFC 9457), of one kind for each status.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    RootModel,
    create_model,
)

from emails.i18n import gettext, gettext_noop
from emails.tokens import GAME_ID
from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from engine import event_log
from engine.board import Board
from engine.bots.strengths import Strength
from engine.cards import Symbol
from engine.editions import EDITIONS
from engine.events import EndReason, Event, Source
from engine.plans import LONGEST_PLAN
from engine.position import CardDrawnVeiled, GameStartedVeiled, Phase, veil_event
from server.store.event_log import Refusal, RefusalCode
from server.turn_time import LONGEST_SLEEP, LONGEST_VACATION, MOST_DAYS_OFF
from server.turns.dry_run import MOST_ACTIONS

LARGEST_ACT_NUMBER = 2**31 - 1
SeatNumber = Annotated[int, Field(ge=0, le=3, description="The number of a seat, as index of `players`.")]
OWN_SEAT_TOLD = "Your seat; needed only if several seats of the game are yours."
OwnSeat = Annotated[SeatNumber | None, Field(description=OWN_SEAT_TOLD)]
PlaceName = Annotated[str, Field(description="The name of a symbol space.", examples=["Larissa"])]
PointName = Annotated[
    str, Field(description="A corner: the letter of its row, then its column.", examples=["C3"])
]
SideName = Annotated[str, Field(description="A side of a space, as its two corners.", examples=["A3-B4"])]
JsonObject = dict[str, object]


class ApiShape(BaseModel):
    """An object of the API. Unknown keys are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", from_attributes=True, use_attribute_docstrings=True
    )


class Body(ApiShape, strict=True):
    """The body of a request."""


def example(**body: JsonValue) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [body]})


class _Fact(ApiShape):
    meta: JsonObject | None = None
    """In a running game, the act's number as `act`. In a finished game, the act's seat, channel and time."""


class _MadeFact(_Fact, use_attribute_docstrings=False):
    """Base of the classes that `_make_shape` creates. These classes have no source with docstrings."""


TYPES: dict[event_log.FieldKind, object] = {
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


def _make_shape(name: str, fields: Mapping[str, event_log.FieldKind]) -> type[_Fact]:
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


class ReviewedTurn(ApiShape):
    """A turn, and its rating by the computer player that reviews games (the judge)."""

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


class Harvest(ApiShape):
    """The points of one province in one levy."""

    turn: int
    seat: SeatNumber
    """The seat that scored."""
    place: PlaceName
    """The symbol space on which the guard of the province stands."""
    points: int


class Review(ApiShape):
    """The review of a finished game by the judge that also guides the computer players."""

    chances: list[_Probability]
    """The chance of each seat to win before the first turn."""
    turns: list[ReviewedTurn]
    harvests: list[Harvest]


LONGEST_LINE = 2000
"""Maximum characters of a line; the longest march needs fewer."""
GAME_ID_PATTERN = f"^{GAME_ID.pattern}$"
GameId = Annotated[
    str, Field(pattern=GAME_ID_PATTERN, description="The id of a game.", examples=["mq3ozk7a"])
]
AFTER_TOLD = "The number of the last act that changed the position; 0 if there is none."
After = Annotated[int, Field(ge=0, le=LARGEST_ACT_NUMBER, description=AFTER_TOLD)]


WholeSecond = Annotated[
    datetime | None, AfterValidator(lambda moment: None if moment is None else moment.replace(microsecond=0))
]


class Choice(ApiShape):
    """An order that you can give now."""

    heading: str
    """Heading of the group to which the choice belongs. Like `title` and `detail` it is for people."""
    words: str
    """The words to send as a line: one order, or several separated by “; ”."""
    title: str
    detail: str
    """The effects of the choice; may be empty."""
    price: str
    """The price in two or three words; may be empty."""
    gain: str
    """The gain in a few words, of a march with the best new province occupied at once; may be empty."""
    further: bool
    """True if several paths match these words. If you send the words, the error response lists the paths."""


class Province(ApiShape):
    """A province: spaces that are not separated by walls."""

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
    """Number of successive turns in which no wall was laid and no point was scored."""
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
    provinces: list[Province]
    winners: list[SeatNumber] | None
    hand: list[Symbol] | None
    """Your cards; null for a spectator."""
    hand_sizes: list[int]
    """The number of cards of each seat."""
    supply_size: int


class HousePlayer(ApiShape):
    """A seat of a computer player."""

    seat: SeatNumber
    strength: Strength | None
    """Strength of the computer player; null in games from before strengths could be chosen."""


class _Clocked(ApiShape):
    after: After
    deadline: WholeSecond
    """The end of the time for this turn; null if no clock runs, as before the turn's letter is sent."""
    stands_still: bool
    """Whether the server's mail is down. Meanwhile no clock runs, and deadlines move."""
    paused_until: WholeSecond
    """The end of the game's pause; null if the game is not paused."""


class _GameFields(ApiShape):
    game: GameId
    name: str
    board: str
    edition: Annotated[str, Field(examples=list(EDITIONS))]
    """The name of the edition of the rules."""
    players: list[str | None]
    """The name of each seat; null if the seat is open."""
    house: list[HousePlayer]
    """The seats of computer players."""
    me: SeatNumber | None
    """Your seat; null for a spectator."""


class OpenGame(_Clocked, _GameFields):
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


class BegunGame(Standing, _Clocked, _GameFields):
    """A game that is running or over."""

    status: Literal["running", "over"]
    next_turn: NextTurn | None
    """The estimated time of your next turn; null if you do not wait for a turn."""
    choices: list[Choice]
    """The orders that you can give now, best first; empty if it is not your turn.

    The list is not complete. If there are many ways to occupy or take over a province, the list has only a
    few of them. If there are very many paths, the marches in the list name only the corner at which they end.
    """
    review: Review | None = None
    """The judge's review of a finished game; null if there is none yet."""


class Game(RootModel[Annotated[OpenGame | BegunGame, Field(discriminator="status")]]):
    """A game as you may see it."""


class Listed(_Clocked):
    """One of your games."""

    game: GameId
    name: str
    status: Literal["open", "running", "over"]
    me: SeatNumber
    """Your seat; of several seats the one to move, else the first."""
    seat: SeatNumber | None
    """The seat to move; null if the game is not running."""
    whose_turn: str | None
    """The name of the player to move."""


class Games(ApiShape):
    """Your games, newest first."""

    games: list[Listed]
    next: int | None
    """The number of the next page; null on the last page."""


class Acts(Body):
    """Orders to perform or preview."""

    model_config = example(after=17, lines=["choose lyre", "march Larissa A3-B4-C3"], preview=True)
    after: After
    """The number of the last act of the game as you saw it. If the game has moved on, nothing is done."""
    lines: list[Annotated[str, Field(max_length=LONGEST_LINE)]] = Field(min_length=1, max_length=MOST_ACTIONS)
    """The orders, as in a mail. One line may contain several, separated by “; ”."""
    preview: bool = False
    """Preview the orders without performing them. The preview stops at a card not yet revealed."""
    seat: OwnSeat = None


class Vote(Body):
    """A request to all players, or an answer to an open vote."""

    model_config = example(vote="more time")
    vote: Annotated[VoteKind, Field(strict=False)]
    """The subject: more time, a pause in which no clock runs, or the future of a vacant seat."""
    answer: Annotated[VoteAnswer, Field(strict=False)] | None = None
    """Your answer to an open vote; omit it to make the request. “no” to a current pause ends it."""
    about: SeatNumber | None = None
    """The vacant seat, for “empty seat”."""
    until: Annotated[AwareDatetime, Field(strict=False)] | None = None
    """The time at which a requested pause ends by itself, at most thirty days ahead."""
    seat: OwnSeat = None


class Voted(ApiShape):
    """The outcome of your request or answer."""

    outcome: VoteOutcome
    told: str
    """The outcome as a sentence."""


class CommandDone(ApiShape):
    """What your command has done."""

    told: str
    """The effect as a sentence."""


class BackDone(ApiShape):
    """The outcome of a return: whether a caretaker played your seat until now."""

    back: bool


class Done(ApiShape):
    """The outcome of your orders, or of their preview."""

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


class Suggestion(ApiShape):
    """A turn worth playing."""

    words: str
    """All orders of the turn as one line. After an order that reveals a card you may prefer other orders."""
    turn: str
    """The turn in words; like `gain` and `why` it is for people."""
    gain: str
    """The expected gain over the position before the turn, as estimated by the server."""
    points: float
    """The gain as a number of points. A won game counts as a large gain, a lost game as a large loss."""
    why: str
    """The main reason; then changes in later levies, and the chance that a rival takes a new province."""


class Advice(ApiShape):
    """Several good turns, best first, judged only by what the player of your seat knows."""

    after: After
    at_sight: bool
    """Whether the server had no time to think ahead, so that the turns are only a quick estimate."""
    suggestions: list[Suggestion]


HOUR = timedelta(hours=1)
WRITTEN_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _read_day(given: object) -> date:
    if not isinstance(given, str) or not WRITTEN_DAY.fullmatch(given):  # the form of RFC 3339
        raise ValueError
    return date.fromisoformat(given)


Day = Annotated[date, BeforeValidator(_read_day)]
TimeOfDay = Annotated[str, Field(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["23:00"])]
Weekday = Annotated[int, Field(ge=0, le=6, description="A weekday: 0 is Monday, 6 is Sunday.")]
ZONE_TOLD = "A time zone by its name in the IANA database."
Zone = Annotated[str, Field(max_length=64, description=ZONE_TOLD, examples=["Europe/Amsterdam"])]
VacationNumber = Annotated[
    int, Field(ge=1, le=LARGEST_ACT_NUMBER, description="The number of a vacation, needed to end it.")
]


class Sleep(ApiShape):
    """Your hours of sleep, every day."""

    begins: TimeOfDay
    ends: TimeOfDay


class AvailabilityWish(Body):
    """Your weekly availability. Replaces the stored availability."""

    model_config = example(
        zone="Europe/Amsterdam", sleeps={"begins": "23:00", "ends": "07:00"}, days_off=[5, 6]
    )
    zone: Zone
    sleeps: Sleep | None = Field(description=f"Your hours of sleep, {LONGEST_SLEEP // HOUR} at most.")
    days_off: list[Weekday] = Field(
        max_length=7, description=f"The weekdays that you have off, {MOST_DAYS_OFF} at most."
    )


class VacationWish(Body):
    """Days on which you are away.

    These days replace a stored vacation that contains them, and extend a vacation that only partly overlaps
    them.
    """

    model_config = example(first="2030-08-03", last="2030-08-17")
    last: Day = Field(description=f"Your last day away, in your zone, of {LONGEST_VACATION} at most.")
    first: Day | None = None
    """Your first day away; by default today."""


class VacationEnd(Body):
    """Stored days away that you cancel or end."""

    model_config = example(vacation=12)
    vacation: VacationNumber | None = None
    """The number of a current or future vacation; by default the current one."""


class Vacation(ApiShape):
    """Days on which you are away, including first and last."""

    vacation: VacationNumber
    first: date
    last: date


class Availability(ApiShape):
    """The times in which no clock runs on your turns, in your time zone."""

    zone: Zone
    sleeps: Sleep | None
    days_off: list[Weekday]
    vacations: list[Vacation]
    """Current and future vacations, which apply in all your games."""
    away_until: date | None
    """The last day of your current vacation; null if there is none."""


Wanted = Annotated[bool, Field(description="Whether the two reminders of a turn are sent.")]


class ReminderWish(Body):
    """Whether you want reminders of your turns."""

    model_config = example(reminders=False)
    reminders: Wanted
    game: GameId | None = None
    """One of your games; by default all games without settings of their own."""


class Reminders(ApiShape):
    """Whether you get reminders of your turns."""

    reminders: Wanted
    game: GameId | None
    """The game; null for all games without settings of their own."""


class PlanWish(Body):
    """A plan for your next turn."""

    model_config = example(plan="if the display has a horse: horse; march Larissa; draw. otherwise: stay")
    plan: Annotated[str, Field(max_length=LONGEST_PLAN)] | None
    """The new plan, written as in a mail; null withdraws the stored plan."""
    seat: OwnSeat = None


class Plan(ApiShape):
    """Your plan for your next turn, which only you see."""

    plan: str | None
    """The plan in English, whatever language you wrote; null if there is no plan."""
    turn: int | None
    """The number of the planned turn; null if there is no plan."""
    missed: bool
    """Whether your plan was not played in its turn because it did not fit the position."""
    fits: int | None
    """Which of the plan's alternatives, from 1, would be played if your turn were now; null if none."""
    told: str
    """The plan in sentences for people."""


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


NOTHING: Mapping[str, str] = {}


class ApiError(Refusal):
    """An error response. `more` has further keys of the problem document, such as `after`."""

    code = RefusalCode.REQUEST

    def __init__(
        self,
        status: int,
        detail: str = "",
        more: Mapping[str, object] = NOTHING,
        headers: Mapping[str, str] = NOTHING,
    ) -> None:
        super().__init__(detail or gettext(PROBLEM_KINDS[status].usual))
        self.status, self.more, self.headers = status, more, headers


class OrdersError(ApiError):
    code = RefusalCode.ORDERS


class StaleError(ApiError):
    """A refused act that was meant for an earlier position."""

    code = RefusalCode.STALE
