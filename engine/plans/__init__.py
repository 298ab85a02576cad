"""Plans: whole turns that a player says before theirs comes, each with what must be so for it.

In reading order, each importing only those before it:

    turn_plans turn_steps turn_dependencies guards guard_failures open_marches rehearsal plan_choice
    plan_words plan_writer plan_reader
"""
