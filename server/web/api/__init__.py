"""The game for programs: JSON in, JSON out, described by a document that is made of the same shapes."""
