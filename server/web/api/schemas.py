"""Schemas: the JSON that programs send and get. Answers and their OpenAPI document are made of them.

Those of events are made of the table of `engine.event_log`, and the words of the document are added here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, RootModel, create_model

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
from server.turns.dry_run import MOST_ACTIONS

SeatNumber = Annotated[int, Field(ge=0, le=3, description="The number of a seat: players[seat] sits there.")]
PlaceName = Annotated[str, Field(description="The name of a symbol space.", examples=["Larissa"])]
PointName = Annotated[
    str, Field(description="A corner: the letter of its row, then its column.", examples=["C3"])
]
SideName = Annotated[str, Field(description="A side of a space, as its two corners.", examples=["A3-B4"])]
JsonObject = dict[str, object]


class ApiShape(BaseModel):
    """An object of the API; other keys than those named here are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Fact(ApiShape):
    meta: JsonObject | None = None
    """Who acted, when and how, where the log says it; while a game runs its key `act` is the act's number."""


class _MadeFact(_Fact):
    """What the shapes are made of that have no source: docstrings are not looked for, which takes long."""

    model_config = ConfigDict(use_attribute_docstrings=False)


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
"""What each kind of value in the log is to a program; a hand that it did not see is null."""
DESCRIPTIONS = {
    "game_started": "The cards were dealt.",
    "game_started.seats": "The names of the players; play goes round in this order.",
    "game_started.hands": "The card dealt to each seat; null where you did not see it.",
    "card_chosen": "A card was chosen for the march: from the display into the hand, or out of the hand.",
    "alexander_marched": "Alexander marched.",
    "alexander_marched.walls": "The sides that got a wall, in the order of the path.",
    "alexander_marched.red": "How many of them, counted from the last, are red.",
    "alexander_stayed": "No march was possible, so Alexander stayed.",
    "alexander_stayed.card": "The card taken off the display; null where none lay there.",
    "card_drawn": "A card was drawn from the supply.",
    "card_drawn.card": "Null where somebody else drew it.",
    "card_taken": "A card was taken off the display.",
    "province_occupied": "A free province was occupied.",
    "province_taken_over": "A province was taken over from its holder.",
    "province_taken_over.removed": "Where the loser's guards stood.",
    "province_taken_over.paid": "All cards played for it.",
    "province_taken_over.given": "Those of them that the loser got.",
    "taxes_levied": "Taxes were levied.",
    "taxes_levied.gains": "The points of each seat.",
    "guard_recalled": "A guard was taken back.",
    "turn_ended": "A turn ended, and the next seat is up.",
    "card_opened": "A card was turned from the supply onto the display.",
    "supply_renewed": "The discard pile became the supply.",
    "game_ended": "The game is over: the last fact of its log.",
    "turn_skipped": "The turn of a seat that nobody plays was skipped, as most who answered wanted.",
    "game_closed": "The game is over as it stands, as most who answered wanted: the last fact of its log.",
}
"""What each fact tells, and those of its fields that do not speak for themselves."""


def _make_shape(name: str, fields: Mapping[str, event_log.FieldCodec]) -> type[_Fact]:
    """The shape of one type of fact; in the document it is called as in the log: `GameStarted`."""
    shown: dict[str, Any] = {"type": (Literal[name], ...)}
    if name == "game_started":
        shown["ruleset"] = (Literal[event_log.RULESET], ...)
    for key, kind in fields.items():
        veiled = (name, key) == ("card_drawn", "card")
        words = DESCRIPTIONS.get(f"{name}.{key}")
        described = Field(description=words) if words else ...  # else its type has words of its own
        shown[key] = (TYPES[event_log.OPTIONAL_SYMBOL if veiled else kind], described)
    called = name.title().replace("_", "")
    return create_model(called, __base__=_MadeFact, __module__=__name__, __doc__=DESCRIPTIONS[name], **shown)


EVENT_SHAPES = {name: _make_shape(name, fields) for name, (_, fields) in event_log.EVENT_FIELDS.items()}
"""The shape of each type of fact."""
if TYPE_CHECKING:
    AnyFact = _Fact
else:
    AnyFact = Annotated[Union[*EVENT_SHAPES.values()], Field(discriminator="type")]


class Fact(RootModel[AnyFact]):
    """Something that happened: one line of a log."""


def encode_for_seat(event: Event, me: int | None, board: Board) -> JsonObject:
    """A fact as JSON as seat `me` (None: a spectator) hears it: null stands for each card it did not see."""
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
    """A turn, and what the judge thinks of it by what its player could know."""

    model_config = ConfigDict(title="ReviewedTurn")

    turn: int
    """The number of the turn, from 1."""
    seat: SeatNumber
    played: list[str]
    """The actions done, in canonical text."""
    best: list[str]
    """What the judge would have done, as far as nothing new came up; empty where it has not thought of it."""
    cost: float
    """By how many points it holds that to be better; 0 where it is not."""
    chances: list[_Probability]
    """How likely it held each seat to win after this turn, by all that was true."""


class HarvestView(ApiShape):
    """What one province scored in one levy."""

    model_config = ConfigDict(title="Harvest")

    turn: int
    seat: SeatNumber
    """Who got the points."""
    place: PlaceName
    """Where the guard stood."""
    points: int


class ReviewView(ApiShape):
    """What the judge of the house, by which its own players play, thinks of a game that is over."""

    model_config = ConfigDict(title="Review")

    chances: list[_Probability]
    """How likely it held each seat to win before the first turn."""
    turns: list[ReviewedTurnView]
    harvests: list[HarvestView]
    """Where all points came from."""


def describe_review(review: Review, history: StartedHistory) -> ReviewView:
    """A review in its shape, with what is certain: where the points came from."""
    board = history.position.table.board
    found = [
        HarvestView(turn=one.turn, seat=one.seat, place=board.names[one.place], points=one.value)
        for one in harvests(list_steps(history))
    ]
    played = played_turns(list_steps(history))
    turns = [_describe_turn(one, turn.known) for one, turn in zip(review.turns, played, strict=True)]
    return ReviewView(chances=list(review.chances), turns=turns, harvests=found)


def _describe_turn(one: ReviewedTurn, known: View) -> ReviewedTurnView:
    """A turn in its shape; `known`: what its player knew when it began."""
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
"""Characters of one line: more than the longest march needs."""
LARGEST_ACT_NUMBER = 2**31 - 1
"""The highest number of an act that anybody can name."""
GameId = Annotated[
    str, Field(pattern="^[a-z2-7]{8}$", description="The id of a game.", examples=["mq3ozk7a"])
]
After = Annotated[
    int,
    Field(
        ge=0,
        le=LARGEST_ACT_NUMBER,
        description="The number of the last act that changed the position; 0: none has.",
    ),
]


def _drop_fraction(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(microsecond=0)


WholeSecond = Annotated[datetime | None, AfterValidator(_drop_fraction)]
Deadline = Annotated[
    WholeSecond,
    Field(description="When this turn's time is up; null where none runs, as before its mail has left."),
]
StandsStill = Annotated[
    bool,
    Field(description="Whether the server's mail is down: no time runs, and deadlines move on until then."),
]


PauseEnd = Annotated[
    datetime | None,
    AfterValidator(_drop_fraction),
    Field(description="When the pause of the game ends; null where it is not paused."),
]


class ChoiceView(ApiShape):
    """One thing that you can do now."""

    model_config = ConfigDict(title="Choice")

    heading: str
    """Of the group in which it stands, the best group first; in words for people, as title and detail are."""
    words: str
    """What to send as a line: one order, or several parted by “; ”."""
    title: str
    detail: str
    """What it costs and brings about; may be empty."""
    further: bool
    """Whether several paths fit these words: they are refused as they are, with paths as candidates."""


class ProvinceView(ApiShape):
    """A province: spaces that no wall parts."""

    model_config = ConfigDict(title="Province")

    first: str
    """Its first space in reading order."""
    spaces: int
    value: int
    """Its open spaces."""
    places: list[PlaceName]
    """Its symbol spaces."""
    holder: SeatNumber | None


class Standing(ApiShape):
    """How a game stands: what everybody sees, and your own hand."""

    phase: Phase
    """What the turn waits for: a card, a march, or one of the actions after it."""
    turn: int
    """The number of the turn, from 1."""
    seat: SeatNumber
    """Whose turn it is; when the game is over, whose it last was."""
    actions_left: int
    levied: bool
    """Whether taxes were levied this turn."""
    last_turn: bool
    """Whether the game ends with this turn."""
    idle: int
    """How many turns in a row have ended without a new wall and without a point."""
    chosen: Symbol | None
    """In the phase `march` the card chosen."""
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
    """For each seat where its guards stand."""
    provinces: list[ProvinceView]
    winners: list[SeatNumber] | None
    hand: list[Symbol] | None
    """Your cards; null where you only watch."""
    hand_sizes: list[int]
    """How many cards each seat holds."""
    supply_size: int


class HousePlayer(ApiShape):
    """A seat that the server plays."""

    seat: SeatNumber
    strength: Strength | None
    """How well it plays; null in games from before there was a choice."""


class _GameFields(ApiShape):
    game: GameId
    name: str
    board: str
    edition: Annotated[str, Field(examples=list(EDITIONS))]
    """The name of the edition by which it is played."""
    players: list[str | None]
    """The name of each seat; null where a seat is still open."""
    house: list[HousePlayer]
    """Who of them the server plays."""
    me: SeatNumber | None
    """Your seat; null where you only watch."""
    after: After
    deadline: Deadline
    stands_still: StandsStill
    paused_until: PauseEnd


class OpenGame(_GameFields):
    """A game that has not begun."""

    status: Literal["open"]


class NextTurn(ApiShape):
    """When your turn comes, if nobody who is away plays."""

    not_before: WholeSecond
    """When the absences of those before you are over; null where nobody is away."""
    latest: WholeSecond
    """When the time of all before you is up; null where no limit runs."""
    words: str
    """The same, and how soon the player to move mostly answers, in words for people; may be empty."""


class BegunGame(Standing, _GameFields):
    """A game that runs or is over."""

    status: Literal["running", "over"]
    next_turn: NextTurn | None
    """When your turn comes; null where you do not wait for one."""
    choices: list[ChoiceView]
    """What you can do now, the best first; empty where it is not your turn.

    Not all that is legal: of the ways to get a province the first few, of very many paths the corner alone.
    """
    review: ReviewView | None = None
    """Of a game that is over: what the judge thinks of it; null where it does not, or not yet."""


class GameView(RootModel[Annotated[OpenGame | BegunGame, Field(discriminator="status")]]):
    """A game as you may know it."""

    model_config = ConfigDict(title="Game")


class GameSummary(ApiShape):
    """One of your games."""

    model_config = ConfigDict(title="Listed")

    game: GameId
    name: str
    status: Literal["open", "running", "over"]
    me: SeatNumber
    """Your seat; of several the one whose turn it is, else the first."""
    seat: SeatNumber | None
    """Whose turn it is; null where the game does not run."""
    whose_turn: str | None
    """The name of that seat's player."""
    after: After
    deadline: Deadline
    stands_still: StandsStill
    paused_until: PauseEnd


class Games(ApiShape):
    """Your games, the one opened last first."""

    games: list[GameSummary]
    next: int | None
    """The next page; null where this is the last."""


class Acts(ApiShape):
    """What you want to do."""

    model_config = ConfigDict(
        strict=True,
        json_schema_extra={
            "examples": [{"after": 17, "lines": ["choose lyre", "march Larissa A3-B4-C3"], "preview": True}]
        },
    )

    after: After
    """The `after` of the game as you saw it: where it has moved on nothing is done."""
    lines: Annotated[
        list[Annotated[str, Field(max_length=LONGEST_LINE)]], Field(min_length=1, max_length=MOST_ACTIONS)
    ]
    """The orders, as a player would write them in a mail; one line may hold several, parted by “; ”."""
    preview: bool = False
    """Judge only, and tell what would happen up to the first card that nobody has seen yet."""
    seat: SeatNumber | None = None
    """For whom; needed only where several seats of the game are yours."""


class VoteRequest(ApiShape):
    """What you ask all players for, or answer to a vote."""

    model_config = ConfigDict(
        title="Vote", strict=True, json_schema_extra={"examples": [{"vote": "more time"}]}
    )

    vote: Annotated[VoteKind, Field(strict=False)]
    """More time, a pause in which no time runs, or what becomes of a seat that nobody plays."""
    answer: Annotated[VoteAnswer, Field(strict=False)] | None = None
    """To a vote that is open; not there: you ask for it. “no” to a pause that goes on ends it."""
    about: SeatNumber | None = None
    """Of “empty seat”: which."""
    until: Annotated[AwareDatetime, Field(strict=False)] | None = None
    """Of a pause that you ask for: when the game goes on by itself, thirty days later at most."""
    seat: SeatNumber | None = None
    """For whom; needed only where several seats of the game are yours."""


class VoteResult(ApiShape):
    """What came of it."""

    model_config = ConfigDict(title="Voted")

    outcome: VoteOutcome
    told: str
    """The same as a sentence."""


class ReturnResult(ApiShape):
    """Whether you were away, or a caretaker has played your seat until now."""

    model_config = ConfigDict(title="BackDone")

    back: bool


class ActResult(ApiShape):
    """What came of your orders, or in a preview what would."""

    model_config = ConfigDict(title="Done")

    preview: bool
    done: list[str]
    """The actions done, in canonical text."""
    undone: list[str]
    """The lines not done: a card that came up made them impossible. In a preview: those after such a card."""
    why: str | None
    """Why the first of them was not done; null in a preview, which cannot tell."""
    hidden: bool
    """Whether a preview stops where a card would come up that nobody has seen yet."""
    after: After
    """The number of this act; in a preview, of the last one."""
    events: list[Fact]
    """What happened, as you are told it."""
    game: BegunGame
    """The game as it is now; in a preview as it would be, without choices. It may have moved on further."""


class SuggestionView(ApiShape):
    """A turn worth doing."""

    model_config = ConfigDict(title="Suggestion")

    words: str
    """What to send as a line: all orders of the turn, parted by “; ”. Those after a card that comes up may
    be thought over."""
    turn: str
    """The same for people, as `gain` and `why` are: what is done, in bare verbs."""
    gain: str
    """What it is expected to gain against the position before it: an estimate of the server."""
    points: float
    """The estimate as a number; a game that is won or lost counts as many points."""
    why: str
    """Its weightiest reason: each number in it comes true; one in brackets is how likely a rival comes to
    hold the cards that take the province, before your next turn."""


class Advice(ApiShape):
    """Good turns that differ, the best first, judged by what your seat knows and nothing else."""

    after: After
    at_sight: bool
    """Whether they are judged at sight, since there was no time to play on; ask again later."""
    suggestions: list[SuggestionView]


class Problem(ApiShape):
    """Why something was not answered or not done (RFC 9457). What is refused is not done in part either."""

    type: str
    """Where this kind of problem is described."""
    title: str
    status: int
    detail: str
    """A sentence for people, in the language of Accept-Language (English or Dutch)."""
    after: After | None = None
    """409: the act after which the game stands now."""
    line: str | None = None
    """422: the words that could not be done."""
    rule: str | None = None
    """422: the number of the rule against which they are, as in /rules."""
    candidates: list[str] | None = None
    """422: what they could mean; each is a line with which the whole request can be sent again."""
    more: bool | None = None
    """422: whether they could mean other things too."""
    did_you_mean: list[str] | None = None
    """422: words that were perhaps meant."""
