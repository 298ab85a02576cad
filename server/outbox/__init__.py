"""Who is to be told of what: preferences, notifications, the queue of letters, chat.

In reading order, each importing only those before it:

    preferences notifications queue chat
"""
