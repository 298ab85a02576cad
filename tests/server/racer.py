"""A server that does what it is told when it is told: one line a task, one line what it did.

Started several times on one database, as `python -m tests.server.racer SYSTEM URL`, it shows what becomes of
what processes do at one moment.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from emails.letters import renderer
from server.accounts import sign_in
from server.delivery.sending import send_due_letters
from server.inbox.dispatch import process_waiting_mail
from server.store.event_log import Refusal
from server.store.game_terms import SeatRequest
from server.web.kit.visitors import LimitedAction, RateQuotas, allow_share
from tests.server.conftest import draw_small
from tests.server.desk import NOON, Collector, Desk, desk
from tests.server.storage import choose


def read_mails(context: Desk) -> int:
    """Read all mails that wait, one after the other."""
    return sum(iter(lambda: process_waiting_mail(context, NOON, most=1), 0))


def follow(context: Desk, *codes: str) -> int:
    """Follow links to sign in; how many of them signed a browser in."""
    done = 0
    for code in codes:
        try:
            sign_in.sign_in(context, code, "Firefox; Linux", NOON)
            done += 1
        except Refusal:
            continue
    return done


def invite(context: Desk, *addresses: str) -> int:
    """Open a game with one person for each way in which their address is written; how many."""
    for address in addresses:
        seats = [SeatRequest.read(f"Dirk <{address}>"), SeatRequest.read("Ben <ben@example.org>")]
        context.open_game("Friday", seats, NOON)
    return len(addresses)


def send(context: Desk) -> list[str]:
    """Send all letters that are due; the Message-ID of each."""
    carrier = Collector()
    while send_due_letters(context, carrier, NOON, most=1):
        pass
    return [str(mail["Message-ID"]) for mail in carrier.mails]


def call(context: Desk, number: int, most: int) -> int:
    """Call as a program so often; how often that was let through."""
    shares = RateQuotas()
    passed = (allow_share(context, shares, LimitedAction.API, most, "player 1", NOON) for _ in range(number))
    return sum(passed)


TASKS: Mapping[str, Callable[..., object]] = {
    "read mails": read_mails,
    "follow": follow,
    "invite": invite,
    "send": send,
    "call": call,
}


def answer(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main(system: str, url: str) -> None:
    """Do task after task until nobody has any more."""
    choose(system)
    renderer.cached_png = draw_small
    context = desk(Path(), ALEXANDROS_DATABASE=url)
    answer("ready")
    for line in sys.stdin:
        task: list[Any] = json.loads(line)
        answer(TASKS[task[0]](context, *task[1:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
