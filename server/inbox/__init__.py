"""Incoming mail: receiving, reading and answering. Independent of delivery."""
