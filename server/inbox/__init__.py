"""Incoming mail: how it is received, read and answered. Does not depend on delivery."""
