"""What the tests of faults hold a server to, as functions of what was seen: so each can be shown a lie."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tests.faults.relays import Letter
from tests.faults.visits import Act, Turn


@dataclass
class Deed:
    """What a player did, and whether the server said that it was done."""

    turn: Turn
    door: str
    """`link` or `reply`."""
    words: tuple[str, ...]
    message_id: str = ""
    answered: bool = False

    @property
    def said(self) -> str:
        return "; ".join(self.words)


def lost_deeds(deeds: Iterable[Deed], acts: dict[str, list[Act]], mails: dict[str, str]) -> list[Deed]:
    """What the server said was done and what is not: neither an act nor, of a mail, waiting to be one."""
    done = {(game, act.seq): act for game, found in acts.items() for act in found}
    lost = []
    for deed in deeds:
        act = done.get((deed.turn.game, deed.turn.after + 1))
        played = act is not None and (act.seat, act.door, act.said) == (deed.turn.seat, deed.door, deed.said)
        waits = mails.get(deed.message_id) == "waiting"
        if deed.answered and not played and not waits:
            lost.append(deed)
    return lost


def surplus_acts(deeds: Iterable[Deed], acts: dict[str, list[Act]]) -> list[tuple[str, Act]]:
    """The acts of people that nobody did, or that were done oftener than somebody did them."""
    wanted = Counter((deed.turn.game, deed.turn.after + 1, deed.door, deed.said) for deed in deeds)
    surplus = []
    for game, found in acts.items():
        for act in found:
            key = (game, act.seq, act.door, act.said)
            if act.door in ("link", "reply"):
                wanted[key] -= 1
                if wanted[key] < 0:
                    surplus.append((game, act))
    return surplus


def different_doubles(letters: Iterable[Letter]) -> list[str]:
    bytes_of: dict[str, set[bytes]] = {}
    for letter in letters:
        if not letter.refused:
            bytes_of.setdefault(letter.message_id, set()).add(letter.raw)
    return sorted(name for name, found in bytes_of.items() if len(found) > 1)


def doubles(letters: Iterable[Letter]) -> int:
    return sum(number - 1 for number in Counter(letter.message_id for letter in letters).values())


def undelivered(rows: Iterable[dict], letters: Iterable[Letter]) -> list[str]:
    """The letters that are noted as sent and that no relay has, and those that failed."""
    there = {letter.message_id for letter in letters if letter.taken}
    return [
        f"{row['message_id']} {row['state']} {row['why']}"
        for row in rows
        if (row["state"] == "sent" and row["message_id"] not in there) or row["state"] == "failed"
    ]


def wrongly_dropped(rows: Iterable[dict], letters: Iterable[Letter]) -> list[str]:
    there = {letter.message_id for letter in letters if letter.taken}
    return [row["message_id"] for row in rows if row["state"] == "dropped" and row["message_id"] in there]
