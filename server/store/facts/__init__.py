"""The server's own facts in the log of a game, and what those who play have agreed on by them.

In reading order, each importing only those before it:

    server_facts fact_codec game_agreements
"""
