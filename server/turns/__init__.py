"""Playing: orders run on a scratch position, and written as one act; drafts; plans; advice; turns to come.

In reading order, each importing only those before it:

    dry_run drafts plans play planned_turns turn_advice next_turns
"""
