"""Computer players: functions that return an action for a view."""

from engine.bots.fallbacks import play_to_win, stand_in

__all__ = ["play_to_win", "stand_in"]
