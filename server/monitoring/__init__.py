"""Seen from outside: what happens is written and counted, and what fails is named.

In reading order, each importing only those before it:

    metrics server_events health chore_failures
"""
