"""The longer things that a letter shows when they are asked for: the game so far, and the rules.

In reading order, each importing only those before it:

    history_section rules_section
"""
