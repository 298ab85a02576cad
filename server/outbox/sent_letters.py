"""What is known of a letter once it is made, sent or answered: stored in one JSON with what it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

CHOICES_KEY, DONE_KEY, CHOSEN_KEY = "numbers", "done", "chosen"
"""In the stored JSON; choices had numbers once."""
SUBJECT_KEY, ANSWERED_KEY = "subject", "answered"
"""In the stored JSON, where names of people stand in them."""
RELAY_REPLY_KEY = "relay_reply"
KEYS_OF_SENDING = (CHOICES_KEY, SUBJECT_KEY, RELAY_REPLY_KEY)
"""What is known of a letter by its sending alone."""


@dataclass(frozen=True, slots=True)
class SentLetter:
    """What is known of a letter besides what it says; empty where it is not known."""

    choices: Mapping[str, str] = field(default_factory=dict)
    """What each choice of it stands for, by its letter or, in letters of old, its number."""
    subject: str = ""
    """Under which it was sent."""
    answered: str = ""
    """Of an answer to a mail: the subject of the letter that the mail answered."""
    done: bool = False
    """Whether the reader of a letter that asked back has said yes."""
    chosen: str = ""
    """The number of what the reader of a letter that proposed turns has chosen."""
    relay_reply: str = ""
    """What the relay said as it took it, with the number by which it is found in the relay's log."""


def read_sent_letter(detail: str) -> SentLetter:
    """What a stored detail knows of its letter."""
    stored = json.loads(detail)
    choices = stored.get(CHOICES_KEY)
    return SentLetter(
        {str(one): str(words) for one, words in choices.items()} if isinstance(choices, dict) else {},
        _read_text(stored, SUBJECT_KEY),
        _read_text(stored, ANSWERED_KEY),
        stored.get(DONE_KEY) is True,  # an answer has a list there, of what it did
        _read_text(stored, CHOSEN_KEY),
        _read_text(stored, RELAY_REPLY_KEY),
    )


def read_relay_reply(detail: str) -> str:
    """What the relay said as it took a letter; empty where it is not known, or cannot be read."""
    try:
        stored = json.loads(detail)
    except ValueError:
        return ""
    return _read_text(stored, RELAY_REPLY_KEY) if isinstance(stored, dict) else ""


def add_to_detail(detail: str, known: SentLetter) -> str:
    """A stored detail with what is known by now of its sent letter; what is empty stays as it was."""
    said = {
        CHOICES_KEY: dict(known.choices),
        SUBJECT_KEY: known.subject,
        ANSWERED_KEY: known.answered,
        DONE_KEY: known.done,
        CHOSEN_KEY: known.chosen,
        RELAY_REPLY_KEY: known.relay_reply,
    }
    given = {key: value for key, value in said.items() if value}
    return json.dumps({**json.loads(detail), **given}) if given else detail


def forget_sending(detail: str) -> str:
    """A stored detail of a letter that is to be written anew: what its earlier writing offered is gone."""
    stored = json.loads(detail).items()
    return json.dumps({key: value for key, value in stored if key not in KEYS_OF_SENDING})


def _read_text(stored: Mapping[str, object], key: str) -> str:
    found = stored.get(key)
    return found if isinstance(found, str) else ""
