"""What a letter shows of what was asked for: what was done, the game so far, and the rules.

In reading order, each importing only those before it:

    done_clauses history_section rules_section
"""
