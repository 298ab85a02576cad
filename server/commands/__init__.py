"""The `alexandros` command: what an operator, an organiser and a newcomer type, one file for each noun.

A command imports what it needs when it runs: neither web nor database is loaded where none is needed, and
every `--help` is there at once.
"""
