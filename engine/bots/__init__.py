"""Computer players: a view in, an action out."""

from engine.bots.fallbacks import play_to_win, stand_in

__all__ = ["play_to_win", "stand_in"]
