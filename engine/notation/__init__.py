"""Orders as text: how an action is written, and what the words that people write mean in a position.

In reading order, each importing only those before it:

    canonical_text vocabulary orders lexer speech clauses told_choices usage segments waypoints arguments
    completion parser corner_numbers grammar
"""
