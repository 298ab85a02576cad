"""The board as a picture: SVG for pages, PNG for letters."""
