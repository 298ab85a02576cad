"""The operator's desk: games as files, and the check-up of what is stored, games that are halted.

In reading order, each importing only those before it:

    archive doctor backlog game_list suspension understood
"""
