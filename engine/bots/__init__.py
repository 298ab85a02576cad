"""Players that are no persons, and what they judge by: a view in, an action out.

A bot sees what a person in its seat would see.
"""

from engine.bots.fallbacks import play_to_win, stand_in

__all__ = ["play_to_win", "stand_in"]
