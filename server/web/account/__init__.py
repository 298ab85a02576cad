"""A player's own pages: sign-in, games, sessions and keys, settings, addresses, unsubscribing."""
