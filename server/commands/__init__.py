"""The `alexandros` command: what an operator, an organiser and a newcomer type, one file for each noun.

A command imports what it needs when it runs: neither web nor database is loaded where none is needed, and
every `--help` is there at once.

In reading order, each importing only those before it:

    console version log_commands game_commands mail_commands desk_commands table_commands abuse_commands
    privacy_commands database_commands check_commands secret_commands service
"""
