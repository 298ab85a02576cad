"""The languages of players as data, and the modules that read and check the vocabularies."""
