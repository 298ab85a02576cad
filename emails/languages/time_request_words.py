"""What people say about their time in sentences: the time_requests.toml of each language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emails.languages.toml_tables import Phrases, read_fields, read_file


@dataclass(frozen=True, slots=True, eq=False)
class TimeRequestWords:
    """The words of requests about time in one language, or in several together.

    Of each request the words that tell it, and those that may stand beside them and change nothing.
    """

    absent: Phrases
    leaving: Phrases
    """That somebody goes away: when they come back is to be told too."""
    hold: Phrases
    """That their turns are to wait."""
    vague: Phrases
    """Times that begin and end on no certain day."""
    automatic: Phrases
    """What programs write that answer by themselves."""
    elsewhere: Phrases
    """That their clock is another one now."""
    own: Phrases
    """Who speaks of themselves."""
    aside: Phrases
    """What changes no request."""
    there: Phrases
    """That somebody plays all the same, or takes something back."""
    back: Phrases
    back_aside: Phrases
    more_time: Phrases
    more_aside: Phrases
    grant: Phrases
    """More time for somebody else; * is their name."""
    grant_aside: Phrases
    pause: Phrases
    pause_aside: Phrases
    resume: Phrases
    resume_aside: Phrases
    when: Phrases
    when_aside: Phrases
    deadline: Phrases
    unplan: Phrases
    show_plan: Phrases
    resign: Phrases
    resign_aside: Phrases
    sleep: Phrases
    days_off: Phrases
    only: Phrases
    """Before the days of the week on which somebody plays."""
    none_off: Phrases
    every_other: Phrases
    """What makes a day of the week no fixed one."""
    habit: Phrases
    """What tells that it is so in every week."""
    amount: Phrases
    """Units of time behind a number."""
    asking: Phrases
    """With which a sentence begins that asks somebody else."""
    doubt: Phrases
    negation: Phrases
    past: Phrases
    others: Phrases
    """Who is somebody else."""
    agree: Phrases
    agree_aside: Phrases
    """What may stand beside a yes or a no, and says what it is to."""
    decline: Phrases
    depends: Phrases
    """What makes a yes or a no depend on something."""


@cache
def read_time_request_words(folder: Path) -> TimeRequestWords:
    """The words of requests of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "time_requests.toml")
    file.check_keys(frozenset(("time_requests",)))
    return read_fields(TimeRequestWords, file.table("time_requests"))
