"""Pages of a player: sign-in, games, sessions and keys, settings, addresses, absence, unsubscribing."""
