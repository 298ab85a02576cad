"""Playing: orders run on a scratch position, and then written as one act; drafts; and advice.

In reading order, each importing only those before it:

    dry_run drafts play advice
"""
