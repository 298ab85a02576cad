"""Seen from outside: what happens is written and counted, and what fails is named."""
