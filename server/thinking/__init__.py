"""Where what takes long to work out is worked out: in this thread, or in a process of its own with a budget.

In reading order, each importing only those before it:

    thinker messages thinking_worker thinking_process recent_answers
"""
