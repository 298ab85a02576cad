"""The board as a picture: SVG for pages, PNG for letters.

In reading order, each importing only those before it:

    palette symbols basemap png overlay board_picture image_map
"""
