"""Requests about time: dates, days of absence, and mails about absence, sleep, pauses and more time."""
