"""What attacks on the post office begin with: the same as its own tests."""

from tests.server.conftest import carrier, clock, context, mails, small_pictures

__all__ = ["carrier", "clock", "context", "mails", "small_pictures"]
