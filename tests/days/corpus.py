"""Mails about time, plans and seats as people write them, each with the verdict of a human clerk.

README.md tells how a reader is judged by them. A mail belongs to one half by its id alone. The half not seen
is kept until a reader is judged at the end: whoever builds one looks at the other.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

HERE = Path(__file__).parent
EVERYBODY = ("Anna", "Ben", "Cleo", "Dirk")


class Kind(StrEnum):
    """What a mail asks for, with the fields of its verdict."""

    AWAY = "away"
    """An absence, from its first to its last local day (`from`, `until`)."""
    BACK = "back"
    MORE_TIME = "more-time"
    """More time for the writer (`hours` or `until`)."""
    GRANT = "grant"
    """More time for another player (`who`; `hours` or `until`); also a yes to a request for it."""
    AGREE = "agree"
    """Yes to what another player has requested (`about`), the `pending` of the mail."""
    REFUSE = "refuse"
    """No to it (`about`)."""
    PAUSE = "pause"
    """Begin a pause (`from`, `until`)."""
    RESUME = "resume"
    """End a pause (`from`)."""
    NUDGE = "nudge"
    """Remind the player whose turn it is (`who`)."""
    REST = "rest"
    """Sleep hours or days off, which are set on a page only, not by mail."""
    PLAN = "plan"
    """Store a plan: alternatives (`tries`), each with conditions (`if`) and the steps of a turn (`turn`)."""
    UNPLAN = "unplan"
    SHOW_PLAN = "show-plan"
    SUBSTITUTE = "substitute"
    """Somebody (`by`) plays instead of a player (`who`)."""
    GO_ON_WITHOUT = "go-on-without"
    """Continue without a player (`who`)."""
    END = "end"
    RESIGN = "resign"
    WHEN = "when"
    """Ask when a player (`who`) has the next turn."""
    DEADLINE = "deadline"
    """Ask how much time the writer has left."""
    ASK = "ask"
    """Do nothing, as the mail is unclear: ask, or propose an answer (`about`)."""
    TALK = "talk"
    NONE = "none"
    """Nothing at all, as in an automatic reply."""


IDLE = {Kind.TALK, Kind.NONE, Kind.REST}
"""Nothing is done and nothing is asked: where hours of sleep and days off are set is only shown."""


@dataclass(frozen=True, slots=True)
class Try:
    """One turn of a plan: played if every condition holds."""

    conditions: tuple[str, ...]
    turn: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """One thing that a mail asks for. What is None or empty here is not judged."""

    kind: Kind
    starts: tuple[date, ...] = ()
    """The first local day, by each reading that is right; the best comes first."""
    ends: tuple[date, ...] = ()
    hours: int | None = None
    who: str | None = None
    by: str | None = None
    about: str | None = None
    tries: tuple[Try, ...] = ()

    def holds(self, found: Verdict) -> bool:
        """Whether what a reader found says all that this verdict says."""
        if self.kind is not found.kind:
            return False
        if self.kind is Kind.ASK:
            return True
        dates = [(self.starts, found.starts), (self.ends, found.ends)]
        names = ("hours", "who", "by", "about")
        return (
            all(not right or (len(said) == 1 and said[0] in right) for right, said in dates)
            and all(getattr(self, name) in (None, getattr(found, name)) for name in names)
            and (not self.tries or self.tries == found.tries)
        )


@dataclass(frozen=True, slots=True)
class Mail:
    """What somebody wrote, where the game stood, and what is right to do with it."""

    id: str
    language: str
    now: datetime
    """When it came, in the zone of its writer."""
    writer: str
    turn: str
    players: tuple[str, ...]
    subject: str | None
    pending: Verdict | None
    """What the others were asked to agree to, and have not yet."""
    paused: bool
    body: str
    moves: str | None
    """The part of the body that is the writer's turn."""
    verdicts: tuple[Verdict, ...]
    also: tuple[Verdict, ...]
    """Each alone is as right as all the verdicts together."""
    why: str


class Grade(StrEnum):
    """How well a reader did with a mail."""

    RIGHT = "right"
    ASKED = "asked"
    """Asked where nothing was to be asked: a nuisance."""
    MISSED = "missed"
    WRONG = "wrong"


def grade(mail: Mail, found: tuple[Verdict, ...]) -> Grade:
    """How well a reader did that found this in a mail; talk beside anything else does not count."""
    said = tuple(one for one in found if one.kind not in IDLE) or found
    if _same(mail.verdicts, said) or any(_same((other,), said) for other in mail.also):
        return Grade.RIGHT
    wanted = (*mail.verdicts, *mail.also)
    acts = [one for one in said if one.kind not in IDLE | {Kind.ASK}]
    if not all(any(want.holds(act) for want in wanted) for act in acts):
        return Grade.WRONG
    return Grade.ASKED if any(one.kind is Kind.ASK for one in said) else Grade.MISSED


def _same(wanted: tuple[Verdict, ...], said: tuple[Verdict, ...]) -> bool:
    return (
        len(wanted) == len(said)
        and all(any(want.holds(one) for one in said) for want in wanted)
        and all(any(want.holds(one) for want in wanted) for one in said)
    )


# --- the files ------------------------------------------------------------------------------------------


def _dates(given: date | list[date] | None) -> tuple[date, ...]:
    """A date or several as they stand in a file."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list) else (given,)


def _verdict(given: Mapping[str, Any]) -> Verdict:
    known = {"kind", "from", "until", "hours", "who", "by", "about", "tries"}
    assert given.keys() <= known, given
    return Verdict(
        kind=Kind(given["kind"]),
        starts=_dates(given.get("from")),
        ends=_dates(given.get("until")),
        hours=given.get("hours"),
        who=given.get("who"),
        by=given.get("by"),
        about=given.get("about"),
        tries=tuple(Try(tuple(one["if"]), one["turn"]) for one in given.get("tries", ())),
    )


ORDINARY: Mapping[str, Any] = {
    "language": "en",
    "now": datetime.fromisoformat("2026-06-10T09:00"),
    "zone": "Europe/Amsterdam",
    "writer": "Ben",
    "turn": "Anna",
}
"""What a mail of the control is like that does not say it."""


def _mail(given: Mapping[str, Any]) -> Mail:
    given = {**ORDINARY, **given}
    moment: datetime = given["now"]
    pending: Mapping[str, Any] | None = given.get("pending")
    return Mail(
        id=given["id"],
        language=given["language"],
        now=moment.replace(tzinfo=ZoneInfo(given["zone"])),
        writer=given["writer"],
        turn=given["turn"],
        players=tuple(given.get("players", EVERYBODY)),
        subject=given.get("subject"),
        pending=None if pending is None else _verdict(pending),
        paused=given.get("paused", False),
        body=given["body"],
        moves=given.get("moves"),
        verdicts=tuple(map(_verdict, given["verdicts"])),
        also=tuple(map(_verdict, given.get("also", ()))),
        why=given.get("why", ""),
    )


def load(folder: Path) -> tuple[Mail, ...]:
    """Every mail of a folder, in the order of its files."""
    files = sorted(folder.glob("*.toml"))
    return tuple(_mail(one) for file in files for one in tomllib.loads(file.read_text("utf-8"))["mail"])


def seen(mail: Mail) -> bool:
    """Whether a mail may be looked at by whoever builds a reader."""
    return sha256(mail.id.encode()).digest()[0] % 2 == 0


MAILS = load(HERE)
SEEN = tuple(mail for mail in MAILS if seen(mail))
UNSEEN = tuple(mail for mail in MAILS if not seen(mail))
CONTROL = load(HERE / "control")
"""Of another hand than the corpus, and in other words; nothing is kept back of it."""
