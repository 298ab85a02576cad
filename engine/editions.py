"""The editions of the game and the rules in which they differ (section 9).

No other module may contain the name of an edition. The texts are English, and are translated where they
are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def gettext_noop(words: str) -> str:
    return words


@dataclass(frozen=True, slots=True)
class Difference:
    """How one edition decides a rule in which editions differ."""

    rule: str
    """The number of the rule."""
    words: str
    """The decision as a sentence; `%(name)s` stands for a value of `values`."""
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edition:
    """The rules of a game, fixed at its start."""

    name: str
    """The identifier in logs and URLs."""
    title: str
    """The name shown to users; `%(name)s` is replaced by the identifier."""
    phrase: str
    """The name within a sentence."""
    points_to_win: int
    """Score at which a levy ends the game (9.2)."""
    must_exceed: bool
    """True if a player needs more than `points_to_win` (9.2)."""
    rim_walls: bool
    """True if paths build walls on coast and rim sides (9.1)."""
    joker_alone: bool
    """True if a card that lacks targets is a joker; false if all display cards must lack targets (9.3)."""
    actions_per_turn: int = 2
    """Number of actions after a march (3.1)."""
    synonyms: tuple[str, ...] = ()
    """Other accepted names, in lower case."""
    winning_score: int = field(init=False, compare=False, repr=False)
    """The lowest score that ends the game."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "winning_score", self.points_to_win + self.must_exceed)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The decision on each rule in which editions differ, in the order of the rules."""
        actions: Mapping[str, object] = {"number": self.actions_per_turn}
        points: Mapping[str, object] = {"points": self.winning_score, "fewer": self.points_to_win}
        return (
            Difference("3.1", gettext_noop("Actions in a turn: %(number)s at most."), actions),
            Difference("4.6", gettext_noop("Coast and rim get walls as all other sides do."))
            if self.rim_walls
            else Difference("4.6", gettext_noop("Coast and rim stay bare and cost nothing.")),
            Difference("4.8", gettext_noop("Each card of the display is judged alone."))
            if self.joker_alone
            else Difference(
                "4.8", gettext_noop("Only when this is so for all cards of the display are they jokers.")
            ),
            Difference(
                "7.2",
                gettext_noop("The winning score is %(points)s points: more than %(fewer)s.")
                if self.must_exceed
                else gettext_noop("The winning score is %(points)s points."),
                points,
            ),
        )


RIO_GRANDE = Edition(
    "rio-grande",
    gettext_noop("English (%(name)s)"),
    gettext_noop("the English edition (%(name)s)"),
    points_to_win=100,
    must_exceed=False,
    rim_walls=True,
    joker_alone=True,
    synonyms=("rio grande games",),
)
IDENTITY_GAMES = Edition(
    "identity-games",
    gettext_noop("Dutch (%(name)s)"),
    gettext_noop("the Dutch edition (%(name)s)"),
    points_to_win=100,
    must_exceed=True,
    rim_walls=False,
    joker_alone=False,
    synonyms=("identity",),
)
EDITIONS = {edition.name: edition for edition in (RIO_GRANDE, IDENTITY_GAMES)}
DEFAULT_EDITION = RIO_GRANDE


def differing_rules() -> tuple[str, ...]:
    columns = zip(*(edition.differences for edition in EDITIONS.values()), strict=True)
    return tuple(column[0].rule for column in columns if any(one != column[0] for one in column))
