"""What programs send and get, as shapes: the answers are made of them, and so is their description."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, RootModel

from emails.wording.requests import VoteAnswer, VoteKind
from emails.wording.vote_outcomes import VoteOutcome
from engine.bots.characters import Strength
from engine.cards import Symbol
from engine.editions import EDITIONS
from engine.position import Phase
from server.turns.dry_run import MOST_ACTIONS
from server.web.api.event_shapes import ApiShape, Fact, PlaceName, PointName, SeatNumber, SideName
from server.web.api.review_shapes import ReviewView

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
