"""What shows at the end of a game that nothing in its log was rewritten.

In reading order, each importing only those before it:

    hash_chain
"""
