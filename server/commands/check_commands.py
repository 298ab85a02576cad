"""The command that looks at the settings and at what stands around the server."""

from __future__ import annotations

import sys
from itertools import chain

import click

from server.commands.console import example, read_settings, tell


@click.command(epilog=example("check", "check --selector mail2026"))
@click.option("--selector", default="", help="Of DKIM, in place of the setting: the s= in a letter.")
@click.option("--wrong", "wrong_only", is_flag=True, help="Print only what is not well.")
def check(selector: str, wrong_only: bool) -> None:
    """Look at every setting, the database, the relay, your DNS, the clock and the disk; nothing is changed.

    Each line says ok, wrong or ? (it cannot be told from here), and below what is wrong what can be done.
    It speaks with the relay and the mailbox, asks the DNS, and opens your own pages. Ends with 1 where
    something is wrong.
    """
    from server.admin.setup_check import CheckResult, LiveProbes, check_database, check_setup
    from server.store.context import utc_now

    wrong = 0
    with read_settings() as settings:
        found = check_setup(settings, LiveProbes(), utc_now(), selector)
        for one in chain([check_database(settings)], found):
            wrong += one.verdict is CheckResult.WRONG
            if wrong_only and one.verdict is CheckResult.OK:
                continue
            tell(f"{one.verdict:6} {one.what}: {one.said}")
            if one.advice:
                tell(f"       do: {one.advice}")
    sys.exit(1 if wrong else 0)
