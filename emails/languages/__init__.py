"""The languages of players as data: their vocabularies are read and checked here."""
