"""The two editions: what differs between the English and the Dutch rules (section 9)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edition:
    """The rules a game is played by, fixed at its start."""

    name: str
    rim_walls: bool
    """Whether a path lays walls on coast and rim sides (9.1)."""
    winning_score: int
    """The points that end the game when a levy reaches them (9.2)."""
    joker_alone: bool
    """Whether a display card is a joker on its own account, or only when every one is (9.3)."""


RIO_GRANDE = Edition("rio-grande", rim_walls=True, winning_score=100, joker_alone=True)
IDENTITY_GAMES = Edition("identity-games", rim_walls=False, winning_score=101, joker_alone=False)
EDITIONS = {edition.name: edition for edition in (RIO_GRANDE, IDENTITY_GAMES)}
