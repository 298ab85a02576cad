"""The header that marks a letter as ours; those who write letters and those who read mail both need it."""

from typing import Final

OWN_HEADER: Final = "X-Alexandros"
"""Every letter of ours carries a header of this name, whatever its value; a mail with it is never played."""
