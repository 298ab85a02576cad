"""The time for a turn, as pure values and functions: no database, no settings, no clock.

In reading order, each importing only those before it:

    spans availability control turn_time reminders
"""
