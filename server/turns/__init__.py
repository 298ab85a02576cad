"""Turns: orders tried on a scratch position and logged as acts; drafts, plans, advice and forecasts."""
