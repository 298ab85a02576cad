"""The board as a picture: SVG for pages, PNG for letters.

In reading order, each importing only those before it:

    palette symbols basemap png picture_area overlay label_shapes province_values label_layout label_layers
    overview image_map board_picture letter_picture
"""
