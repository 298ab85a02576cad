"""The letters: what players are sent and what their answers say; sends and stores nothing.

In reading order, each importing only those before it:

    languages i18n letter_markers keys tokens links seat_names terms names picture wording plans letters
    figures replies gallery
"""
