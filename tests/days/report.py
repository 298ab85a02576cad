"""Prints how a half of the corpus is answered: `python -m tests.days.report seen`, or `unseen`, `control`.

Of the seen half and of the control each mail is printed that was not done or asked right, with its words; of
the other half the totals alone.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from tests.days.corpus import CONTROL, SEEN, UNSEEN, Grade, Kind, Mail, Verdict, grade
from tests.days.road import is_there, travel, without_amounts, without_defaults


class Outcome(StrEnum):
    """What became of a mail, beside what a careful clerk would have done."""

    RIGHT = "right"
    ASKED = "asked fittingly"
    PROPOSED = "a yes does it"
    """Asked with a question whose yes does all that was right, and nothing else."""
    HELPED = "refused helpfully"
    USELESS = "refused uselessly"
    WRONG = "done wrongly"
    NOT_THERE = "not there yet"


@dataclass(frozen=True, slots=True)
class Judged:
    """A mail and what became of it."""

    mail: Mail
    found: tuple[Verdict, ...]
    outcome: Outcome


def judge(mail: Mail) -> Judged:
    """What becomes of a mail; nobody outside the game has a way to write to it yet."""
    if mail.writer not in mail.players:
        return Judged(mail, (), Outcome.NOT_THERE)
    found, agreed = travel(mail)
    plain = replace(mail, verdicts=tuple(map(without_defaults, mail.verdicts)))
    match grade(plain, tuple(map(without_defaults, found))):
        case Grade.WRONG:
            outcome = Outcome.WRONG
        case _ if not is_there(mail):
            outcome = Outcome.NOT_THERE
        case Grade.RIGHT:
            outcome = Outcome.ASKED if any(one.kind is Kind.ASK for one in found) else Outcome.RIGHT
        case Grade.ASKED if agreed and _does_right(mail, agreed):
            outcome = Outcome.PROPOSED
        case Grade.ASKED:
            outcome = Outcome.HELPED
        case _:
            outcome = Outcome.USELESS
    return Judged(mail, found, outcome)


def _does_right(mail: Mail, agreed: tuple[Verdict, ...]) -> bool:
    """Whether a yes to what was proposed did what was right; the question told how much of it there is."""
    verdicts, also = (
        tuple(without_amounts(one, agreed) for one in some) for some in (mail.verdicts, mail.also)
    )
    plain = replace(mail, verdicts=tuple(map(without_defaults, verdicts)), also=also)
    return grade(plain, tuple(map(without_defaults, agreed))) is Grade.RIGHT


def tell(judged: Iterable[Judged]) -> str:
    """How many mails became what, for each topic and together."""
    counts: dict[str, Counter[Outcome]] = {}
    for one in judged:
        for topic in (one.mail.id.partition("-")[0], "all"):
            counts.setdefault(topic, Counter())[one.outcome] += 1
    every = counts.pop("all")
    lines = [" " * 8 + "".join(f"{one:>18}" for one in Outcome)]
    for topic, own in [*sorted(counts.items()), ("all", every)]:
        lines.append(f"{topic:8}" + "".join(f"{own[one]:18}" for one in Outcome))
    lines.append(f"{share_right(every):.1%} right or asked fittingly of what is there")
    return "\n".join([*lines, f"{share_settled(every):.1%} so, or right after a yes"])


def share_right(counts: Counter[Outcome]) -> float:
    """How many are done right, or asked about where that is right, of those whose wish is there."""
    there = counts.total() - counts[Outcome.NOT_THERE]
    return (counts[Outcome.RIGHT] + counts[Outcome.ASKED]) / there


def share_settled(counts: Counter[Outcome]) -> float:
    """How many are so, or are done right as soon as their writer says yes."""
    there = counts.total() - counts[Outcome.NOT_THERE]
    return share_right(counts) + counts[Outcome.PROPOSED] / there


def show(one: Judged) -> str:
    """A mail with what was right and what became of it."""
    told = [f"{one.outcome}: {one.mail.id}, {one.mail.now:%a %d %b %H:%M}, {one.mail.writer}"]
    told += [f"    {line}" for line in one.mail.body.strip().splitlines()]
    wanted = " ; ".join(map(_say, one.mail.verdicts)) + " also " + " / ".join(map(_say, one.mail.also))
    return "\n".join([*told, f"  wanted {wanted}", f"  found  {' ; '.join(map(_say, one.found))}"])


def _say(one: Verdict) -> str:
    given = {field.name: getattr(one, field.name) for field in fields(one)}
    return ", ".join(f"{name} {value}" for name, value in given.items() if value not in (None, ()))


HALVES = {"seen": SEEN, "unseen": UNSEEN, "control": CONTROL}


def main(half: str) -> str:
    """What is printed of a half."""
    judged = [judge(mail) for mail in HALVES[half]]
    well = {Outcome.RIGHT, Outcome.ASKED, Outcome.PROPOSED, Outcome.NOT_THERE}
    failed = [show(one) for one in judged if half != "unseen" and one.outcome not in well]
    return "\n\n".join([*failed, tell(judged)])


if __name__ == "__main__":
    print(main(sys.argv[1] if sys.argv[1:] else "seen"))  # noqa: T201
