"""Absences and the terms of a game in words."""
