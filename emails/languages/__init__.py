"""All of a language as data, each language in a folder: its words are read and checked here."""
