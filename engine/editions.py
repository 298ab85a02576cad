"""The editions of the game: what each is called and what differs between them (section 9).

An edition is a value. Whoever needs to know one asks it, or looks it up in `EDITIONS` at the moment; no other
file names one. Its sentences stand here in English, marked for the catalogues of the letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def gettext_noop(words: str) -> str:
    """Mark words that the catalogues translate."""
    return words


@dataclass(frozen=True, slots=True)
class Difference:
    """What holds in one edition of a rule that can differ between editions."""

    rule: str
    """Its number."""
    words: str
    """A sentence; each `%(name)s` in it stands for one of the values."""
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edition:
    """The rules a game is played by, fixed at its start."""

    name: str
    """As logs and addresses spell it."""
    title: str
    """What it is called; `%(name)s` stands for its name."""
    phrase: str
    """The same within a sentence."""
    points_to_win: int
    """The points that end the game when a levy takes somebody to them (9.2)."""
    must_exceed: bool
    """Whether they must be exceeded: reaching them is not enough (9.2)."""
    rim_walls: bool
    """Whether a path lays walls on coast and rim sides (9.1)."""
    joker_alone: bool
    """Whether a display card is a joker on its own account, or only when every one is (9.3)."""
    actions_per_turn: int = 2
    """The actions that may follow a march (3.1)."""
    synonyms: tuple[str, ...] = ()
    """What people also call it, in small letters."""
    winning_score: int = field(init=False, compare=False, repr=False)
    """The fewest points that end the game."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "winning_score", self.points_to_win + self.must_exceed)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """What holds in it, rule by rule; every edition speaks of the same rules in the same order."""
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
"""All editions by their names."""
DEFAULT_EDITION = RIO_GRANDE
"""Where nobody says by which."""


def differing_rules() -> tuple[str, ...]:
    """The numbers of the rules in which the editions differ."""
    columns = zip(*(edition.differences for edition in EDITIONS.values()), strict=True)
    return tuple(column[0].rule for column in columns if any(one != column[0] for one in column))


def most_actions() -> int:
    """The most actions that a turn has in any edition (3.1)."""
    return max(edition.actions_per_turn for edition in EDITIONS.values())
