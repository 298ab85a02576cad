"""Settings of a server, read from the environment and from files, and checked."""
