"""Words about time by what they do in a sentence: the topics.toml of each language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emails.languages.toml_tables import Phrases, read_fields, read_file


@dataclass(frozen=True, slots=True, eq=False)
class TopicWords:
    """The words about time of one language, or of several together; "a*" is any word that begins so.

    They tell what a mail in other words is about: mostly enough to ask the right thing.
    """

    own: Phrases
    """Who speaks of themselves."""
    others: Phrases
    negation: Phrases
    past: Phrases
    idle: Phrases
    """That somebody plays all the same, or does not mean it."""
    greeting: Phrases
    """What is wished for others, or told in parting."""
    condition: Phrases
    """Before what a turn may depend on."""
    hedge: Phrases
    """With which something is told that is not so yet, or not for certain."""
    partly: Phrases
    """With which a part of some days is told."""
    inquiring: Phrases
    """With which somebody begins who wants to know something."""
    mine: Phrases
    """What only its writer has."""
    modal: Phrases
    """With which something is wished for, or only could be."""
    hours_of_day: Phrases
    """Beside one day, what makes less of it."""
    ahead: Phrases
    """With which something is told of later, and not that somebody goes away."""
    free_from_work: Phrases
    """What of one day tells that somebody has time rather than none."""
    homonyms: Phrases
    """Days and months that alone are rather something else."""
    third: Phrases
    """Behind a name that is an ordinary word too, where it is the name."""
    toward: Phrases
    """Behind which stands where somebody goes, or why."""
    whence: Phrases
    """Behind which stands where somebody has been."""
    small: Phrases
    """What stands in any sentence, and changes nothing."""
    addressed: Phrases
    """Those of the others who are asked for something."""
    need: Phrases
    """What, negated, asks for nothing."""
    wish: Phrases
    """With which something is asked for."""
    asking: Phrases
    """With which a time is asked for."""
    telling_when: Phrases
    """With which somebody rather tells a time than asks for it."""
    game: Phrases
    """What all who play have together."""
    turn: Phrases
    play: Phrases
    """What somebody cannot do who is away."""
    absent: Phrases
    unwell: Phrases
    """Beside days of which it is likely that somebody does not play on them."""
    absent_tied: Phrases
    """Of those what tells it only beside days and its writer."""
    returning: Phrases
    """Before the day on which somebody is there again."""
    going: Phrases
    returned: Phrases
    """That somebody is there again already."""
    cancelling: Phrases
    absence: Phrases
    """What is cancelled by whoever is back."""
    more: Phrases
    time: Phrases
    extending: Phrases
    extended: Phrases
    late: Phrases
    """What, negated, says that a turn takes longer."""
    until_when: Phrases
    """Before the time until which somebody wants to have."""
    pausing: Phrases
    resuming: Phrases
    over: Phrases
    """What is said of a pause that ends."""
    nudging: Phrases
    mover: Phrases
    """Whoever is to move, without their name."""
    night: Phrases
    awake: Phrases
    """Before the two times between which somebody can play, and does not sleep."""
    weekly: Phrases
    plays_on: Phrases
    """That somebody plays, or with a negation does not, on a weekday: the next one, or each of them."""
    free: Phrases
    any_day: Phrases
    """That there are no days off any more, or that the clock is another one."""
    dropping: Phrases
    plan: Phrases
    showing: Phrases
    leaving_game: Phrases
    stopping: Phrases
    """To stop, of which it is not said whether alone."""
    taking_over: Phrases
    aside: Phrases
    """Courtesies and reasons, which change nothing."""
    amount: Phrases
    """Units of time behind a number."""
    only: Phrases
    """Before the days of the week on which somebody plays."""
    every_other: Phrases
    """What makes a day of the week no fixed one."""
    automatic: Phrases
    """What programs write that answer by themselves."""


@cache
def read_topic_words(folder: Path) -> TopicWords:
    """The words about time of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "topics.toml")
    file.check_keys(frozenset(("topics",)))
    return read_fields(TopicWords, file.table("topics"))
