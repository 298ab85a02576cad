"""Playing: orders run on a scratch position, and then written as one act.

In reading order, each importing only those before it:

    dry_run play
"""
