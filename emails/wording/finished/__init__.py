"""A game that is over, in words and charts: what was done in it, how it went, what its review tells.

In reading order, each importing only those before it:

    statistics chart_parts score_chart chance_chart review_text
"""
