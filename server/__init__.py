"""The server. Unlike `engine` and `emails`, this package uses clock, random numbers, disk and network."""
