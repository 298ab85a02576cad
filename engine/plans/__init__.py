"""Plans: whole turns that a player says before theirs comes, some with a condition.

In reading order, each importing only those before it:

    turn_plans rehearsal plan_words plan_reader
"""
