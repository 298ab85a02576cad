"""Players: addresses, sign-in, keys, vacations, unsubscribing, undeliverable addresses."""
